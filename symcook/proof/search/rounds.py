"""Proves that the functions of a model with rounds exist. Their values depend on the round before and on each other.

The input is the equations of a run relation. The result is the functions as names in scope, and their equations as
facts. The proof is by induction on the number of rounds. If there are functions for q rounds, the values in one more
round exist as those of a model without rounds do (`equations`), and the functions for q + 1 rounds are
``if(t = q + 1, new value, old value)``. Nothing here is trusted.

Letters: `g` and `h` are goals, `f` is a function, `q` the number of rounds.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from symcook.proof.search import automation
from symcook.proof.search.automation import Hint, Level
from symcook.proof.search.ranges import PositionRange, range_of, ranged
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import Sort, Term, abstract, conj, imp, instantiate, num, subterms, var

ROUND = var("t#", "Int")
"""The round in an equation, as a placeholder."""
Existing = Callable[[Goal, Sequence[tuple[str, Sort]], Sequence[Term]], None]
"""A function that obtains functions in a goal: their names and sorts are given, and the parts with their equations,
which become facts."""


@dataclass(frozen=True)
class Repeated:
    """Functions whose first argument is a round: the parts that give their values `before` the first round, and their
    equations in the round `ROUND` (`steps`), which is from `low` to `high`."""

    low: Term
    high: Term
    functions: tuple[Term, ...]
    before: tuple[Term, ...]
    steps: tuple[Term, ...]

    def parts(self, last: Term) -> list[Term]:
        """The equations of the functions if `last` is the last round."""
        return [*self.before, *(ranged(self.low, last, step, ROUND) for step in self.steps)]

    def exist(self, last: Term) -> Term:
        """The formula which states that functions with these equations exist, if `last` is the last round."""
        formula = reduce(conj, self.parts(last))
        for f in reversed(self.functions):
            formula = ("ex", f[1][1], (abstract(formula, [f]),))
        return formula

    def obtain(self, g: Goal, exists_label: str, last: Term, names: Sequence[str], stem: str) -> list[str]:
        """Obtain functions under `names` from the fact `exists_label`, which states that they exist. Returns the labels
        of their equations, which begin with `stem`."""
        labels = [f"{stem}_{k}" for k in range(len(self.parts(last)))]
        for k, name in enumerate(names, 1):
            next_label = g.fresh("from_")
            g.obtain(exists_label, name, " ".join(labels) if k == len(names) else next_label)
            exists_label = next_label
        return labels


def repeated(wanted: Sequence[Term], parts: Sequence[Term]) -> Repeated:
    """The functions of `wanted` that have equations over one range of rounds. Stuck if there are none."""
    # The first range of rounds in which one of the functions has an equation, and all equations over this range.
    ranges_of_parts = {part: step_range for part in parts if (step_range := _in_rounds(part, wanted)) is not None}
    first = next(((low, high) for low, high, step in ranges_of_parts.values() if _about(step, wanted)), None)
    if first is None:
        function_names = ", ".join(w[1][0] for w in wanted)
        raise Stuck(f"no equation defines one of {function_names} by the functions before it")
    steps = tuple(step for low, high, step in ranges_of_parts.values() if (low, high) == first and _about(step, wanted))
    # The functions in these equations, and the parts that give their values before the first round.
    functions = tuple(f for f in wanted if any(f in _about(step, wanted) for step in steps))
    other_parts = [part for part in parts if part not in ranges_of_parts]
    before = tuple(part for part in other_parts if _about(part, functions) and _starts(part, functions))
    return Repeated(*first, functions, before, steps)


def _in_rounds(part: Term, wanted: Sequence[Term]) -> PositionRange | None:
    """The range of rounds of a part, and its body, if one of the functions `wanted` is applied to `ROUND` in the body;
    else None."""
    step_range = range_of(part, ROUND) if part[0] == "all" else None
    if step_range is None or not any(
        applied[0] == "app" and applied[2][0] in wanted and applied[2][1] == ROUND
        for applied in subterms(step_range.body)
    ):
        return None
    return step_range


def _about(part: Term, among: Sequence[Term]) -> set[Term]:
    """The functions of `among` that occur in a part."""
    return {variable for variable in subterms(part) if variable[0] == "var"} & {*among}


def _starts(part: Term, functions: Sequence[Term]) -> bool:
    """Whether a part, after its quantifiers and premises, is an equation for a value of one of the functions."""
    while part[0] in ("all", "->"):
        part = part[2][-1]
    return part[0] == "=" and part[2][0][0] == "app" and part[2][0][2][0] in functions


def obtain(g: Goal, rounds: Repeated, solve: Existing, levels: Sequence[Level]) -> None:
    """Obtain the functions of `rounds`, with their equations as facts."""
    # The rule: for each q from the round before the first to the last, functions for the rounds up to q exist.
    start = ("-", None, (rounds.low, num(1)))
    q = var("q#", "Int")
    body = imp(("<=", None, (start, q)), imp(("<=", None, (q, rounds.high)), rounds.exist(q)))
    rule_label, statement = g.fresh("rounds"), ("all", "Int", (abstract(body, [q]),))

    def by_induction(h: Goal) -> None:
        """Prove the rule by induction on q."""
        before, top = h.fresh("before"), h.fresh("top")
        base, step = h.induct(h.fresh("q"), h.fresh("low"), before)
        base.intro(top)
        _none(base, rounds)
        automation.prove(base, [Hint(top)], levels)
        step.intro(top)
        _one_more(step, rounds, before, solve, levels)

    g.have(statement, rule_label, by_induction)
    exists_label = g.fresh("some")
    g.use(rule_label, g.text(rounds.high), label=exists_label, premises=2)
    rounds.obtain(g, exists_label, rounds.high, [f[1][0] for f in rounds.functions], g.fresh("round"))


def _none(g: Goal, rounds: Repeated) -> None:
    """Give witnesses for no round: the value before the first round, and 0 for a function without such a value."""
    values_before = {}
    # Each part is an equation ``f(t, x1, ..) = value`` for all x1, and so on.
    for part in rounds.before:
        variables = list[Term]()
        while part[0] in ("all", "->"):
            if part[0] == "all":
                variables.append(var(f"x#{len(variables)}", "Int"))
                part = instantiate(part[2][0], (variables[-1],))
            else:
                part = part[2][1]
        call, value = part[2]
        if [*call[2][2:]] != variables:
            raise Stuck(f"no equation for all values of {call[2][0][1][0]} before all rounds")
        values_before[call[2][0]] = abstract(value, [ROUND, *variables])
    for f in rounds.functions:
        g.witness(g.text(("lam", f[1][1][1], (values_before.get(f, num(0)),))))


def _one_more(g: Goal, rounds: Repeated, before: str, solve: Existing, levels: Sequence[Level]) -> None:
    """The step of the induction: functions for q + 1 rounds from those for q rounds, which the fact `before` gives."""
    # The old functions are obtained from the induction hypothesis.
    (q,) = (var(name, "Int") for name in [*g.scope][-1:])
    next_round = ("+", None, (q, num(1)))
    exists_label = g.fresh("some")
    g.use(before, label=exists_label, premises=1)
    old_names = [g.fresh(f"{f[1][0]}_") for f in rounds.functions]
    labels = rounds.obtain(g, exists_label, q, old_names, g.fresh("old"))
    # The values in the new round are new functions, without the round as an argument. Their equations are those of a
    # step, in which ``f(q + 1, x)`` is replaced by the new function, and earlier values by values of the old function.
    new_functions = {f: _later(f, g.fresh(f"{f[1][0]}_new")) for f in rounds.functions}
    parts = [
        _put(instantiate(abstract(step, [ROUND]), (next_round,)), next_round, new_functions) for step in rounds.steps
    ]
    old = {f: var(name, f[1][1]) for f, name in zip(rounds.functions, old_names, strict=True)}
    parts = [instantiate(abstract(part, [*old]), [*old.values()]) for part in parts]
    solve(g, [f[1] for f in new_functions.values()], parts)
    for k, part in enumerate(parts):
        if part not in g.facts.values():
            g.have(part, g.fresh(f"step{k}_"), closing(levels[:2]))
    # The witness for each function: I[t = q + 1]*new + (1 - I[t = q + 1])*old.
    for f in rounds.functions:
        variables = [ROUND, *(var(f"x#{k}", "Int") for k in range(1, len(f[1][1][1])))]
        is_new: Term = ("ind", None, (("=", None, (ROUND, next_round)),))
        new_value = _call(new_functions[f], variables[1:])
        elsewhere: Term = ("-", None, (num(1), is_new))
        value = ("+", None, (("*", None, (is_new, new_value)), ("*", None, (elsewhere, _call(old[f], variables)))))
        g.witness(g.text(("lam", f[1][1][1], (abstract(value, variables),))))
    # The equations of the witnesses: before all rounds and in earlier rounds they are those of the old functions; in
    # the new round they are the equations of the new functions.
    goals = g.split() if g.goal[0] == "&" else [g]
    for h, label in zip(goals, labels, strict=True):
        if label in labels[: len(rounds.before)]:
            _elsewhere(h, next_round, levels)
            continue
        t, low, last, upto, at = (h.fresh(stem) for stem in ("t", "from_low", "to_last", "upto", "at"))
        h.intro(t)
        h.intro(f"({low} {last})")
        earlier, in_new_round = h.em(f"{t} <= {h.text(q)}", upto)
        in_new_round.have(f"{t} = {h.text(next_round)}", at, closing(levels, upto, last))
        in_new_round.rewrite(at)
        if not automation.immediate(in_new_round):
            raise in_new_round.stuck("the values of the new round differ from its equation")
        earlier.use(label, t, label=earlier.fresh("as"))
        _elsewhere(earlier, next_round, levels)


def _elsewhere(g: Goal, new_round: Term, levels: Sequence[Level]) -> None:
    """Close a goal in which no round is the new one. All indicators of the new round are 0, so that a fact about the
    old functions is left."""
    equations = [part for part in subterms(g.goal) if part[0] == "ind" and part[2][0][0] == "="]
    indicators = {part for part in equations if part[2][0][2][1] == new_round}
    for indicator in sorted(indicators, key=str):
        label = g.fresh("other")
        g.have(("=", None, (indicator, num(0))), label, closing(levels))
        g.rewrite(label)
    if not automation.immediate(g):
        raise g.stuck("the values of earlier rounds have changed")


def closing(levels: Sequence[Level], *labels: str) -> Tactic:
    """The tactic that closes a goal by the automation, with the facts of these labels as hints."""

    def close(g: Goal) -> None:
        automation.prove(g, [*map(Hint, labels)], levels)

    return close


def _later(f: Term, name: str) -> Term:
    """A new name, with the sort of the function `f` without its first argument."""
    tag, arguments, value = f[1][1]
    return var(name, (tag, arguments[1:], value) if arguments[1:] else value)


def _call(f: Term, arguments: Sequence[Term]) -> Term:
    """`f` applied to arguments, or `f` itself if there are none."""
    return ("app", None, (f, *arguments)) if arguments else f


def _put(t: Term, new_round: Term, new_functions: dict[Term, Term]) -> Term:
    """`t` with ``f(new_round, x)`` replaced by ``g(x)``, where `new_functions` has g by f."""
    kids = tuple([_put(child, new_round, new_functions) for child in t[2]])
    if t[0] == "app" and t[2][0] in new_functions and t[2][1] == new_round:
        return _call(new_functions[t[2][0]], kids[2:])
    return (t[0], t[1], kids)
