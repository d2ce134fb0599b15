"""A statement in which norms of tokens are replaced by their values.

A norm before the first head has one value for each symbol: with ``u(i) = 3*I[w(i) = 0]`` and ``v(i) = 0``, a root
mean square norm has ``y(i) = sqrt(2)*I[w(i) = 0]``. An activation of a token has such values too. `reduced` states the
values in place of the equations, and leaves out lines that are then not needed. Automata, counts and the automation
read this *reduced* statement. `lifted` proves the statement from it. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from symcook.alarm import Until
from symcook.errors import BadInput, Rejected
from symcook.proof import grammar, normal
from symcook.proof.claims.bycounts.problem import (
    HERE,
    Equation,
    Problem,
    W,
    at,
    everywhere,
    introduce,
    problem,
)  # fmt: skip
from symcook.proof.claims.decision import decide
from symcook.proof.normal import constant
from symcook.proof.replay import Statement
from symcook.proof.search import automation
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Citable, Goal, Node
from symcook.proof.statements import exactvalues, inparts, orders
from symcook.proof.statements.exactvalues import OwnValue, cancelled, written
from symcook.proof.terms import Sort, Term, abstract, conj, flatten, free, imp, loose, num, replace, subterms, var

UNVALUED = (Rejected, BadInput, TypeError, ZeroDivisionError, OverflowError)
"""The errors of a term that has no exact value."""


class SymbolValues:
    """The coordinates that have one value for each symbol, by `values`. `own` are those whose value is not read from
    their equation: they are norms, or their values are not rational, or they read such ones."""

    def __init__(self, whole: Problem) -> None:
        self.whole = whole
        self.values: dict[str, dict[int, OwnValue]] = {}
        self.own: set[str] = set()
        for name, equation in whole.equations.items():
            if equation.truth or equation.places != whole.places or equation.kind not in ("value", "norm"):
                continue
            try:
                self.values[name] = {letter: self._value(equation, letter) for letter in whole.letters}
            except UNVALUED:
                continue
            reads = _reads(equation)
            plain = equation.kind == "value" and all(type(x) in (int, Fraction) for x in self.values[name].values())
            if not plain or not self.own.isdisjoint(reads):
                self.own.add(name)

    def _value(self, equation: Equation, letter: int) -> OwnValue:
        """The value of a coordinate at a position with this letter."""
        if equation.kind == "value":
            return self.of(equation.right, letter)
        size = self.of(equation.size, letter)
        if exactvalues.sign(size) == 0:
            conditions = flatten("&", present_body(self.whole, equation))
            if len(conditions) < 2:
                raise Rejected("a deviation is 0")
            return self.of(equation.old, letter)
        return exactvalues.plus(self.of(equation.old, letter), exactvalues.over(self.of(equation.right, letter), size))

    def of(self, t: Term, letter: int) -> OwnValue:
        """The value of a term at `HERE` where the letter is this one."""
        tag, data, kids = t
        if tag == "num":
            return exactvalues.short(Fraction(*data))
        if tag == "app" and kids[1:] == (HERE,) and kids[0][0] == "var" and kids[0][1][0] in self.values:
            return self.values[kids[0][1][0]][letter]
        if tag == "ind" and kids[0][0] == "=" and kids[0][2][0] == ("app", None, (W, HERE)):
            return int(kids[0][2][1] == num(letter))
        if tag in ("+", "-", "*", "/"):
            a, b = (self.of(kid, letter) for kid in kids)
            operation = {
                "+": exactvalues.plus, "-": exactvalues.minus, "*": exactvalues.times, "/": exactvalues.over,
            }[tag]  # fmt: skip
            return operation(a, b)
        if tag == "neg":
            return exactvalues.minus(0, self.of(kids[0], letter))
        if tag == "^":
            return exactvalues.function("^", [self.of(kids[0], letter), data])
        if tag == "fn":
            return exactvalues.function(data, [self.of(kid, letter) for kid in kids])
        raise Rejected("no value for each symbol")

    def stated(self, name: str) -> Term:
        """The values of a coordinate, as a term at `HERE`: the sum of value*I[w(i) = letter]."""
        total: Term | None = None
        for letter, value in self.values[name].items():
            if exactvalues.sign(value) == 0:
                continue
            part: Term = ("ind", None, (equals(("app", None, (W, HERE)), num(letter)),))
            if value != 1:
                part = ("*", None, (written(value), part))
            total = part if total is None else ("+", None, (total, part))
        return total or num(0)


def present_body(whole: Problem, equation: Equation) -> Term:
    """The line of an equation at `HERE`."""
    line = everywhere(whole.run[equation.part])
    if line is None:
        raise Rejected("a line of another shape")
    return line[1]


def _reads(equation: Equation) -> set[str]:
    """The names that an equation reads."""
    return {name[1][0] for t in (equation.right, equation.size, equation.old) for name in free(t)}


@dataclass(frozen=True)
class ReducedStatement:
    """A statement with values in place of norms: the `statement`, and what it has in place of the lines of the run.
    `lines` are the numbers of the lines of the run that it keeps, and `stated` the coordinates with stated values."""

    statement: Statement
    whole: Problem
    values: SymbolValues
    lines: tuple[int, ...]
    stated: tuple[str, ...]

    def line(self, name: str) -> Term:
        """The line that states the values of a coordinate."""
        low, high = self.whole.places
        body = imp(conj(at_most(low, HERE), at_most(HERE, high)), equals(at(name, HERE), self.values.stated(name)))
        return ("all", "Int", (abstract(body, (HERE,)),))


def reduced(statement: Statement) -> ReducedStatement | str:
    """The reduced statement; or the reason why there is none. OutsideFragment for a statement that is not read."""
    whole = problem(statement)
    if not whole.letters:
        return "the model reads numbers"
    values = SymbolValues(whole)
    if not values.own:
        return "no norm has one value for each symbol"
    # From the claim back: the equations that are needed, if values are stated where there are some.
    needed, todo, stated = set[str](), [name[1][0] for name in free(whole.claim)], list[str]()
    for line in whole.truths:
        todo += [name[1][0] for name in free(line)]
    while todo:
        name = todo.pop()
        if name in needed or name not in whole.names:
            continue
        needed.add(name)
        equation = whole.equations.get(name)
        if name in values.own:
            stated.append(name)
        elif equation is not None:
            todo += _reads(equation)
    if not stated:
        return "no norm of a symbol is needed"
    kept: list[int] = []
    for part, line in enumerate(whole.run):
        read = {name[1][0] for name in free(line)} & whole.names.keys()
        defined = next((e.name for e in whole.equations.values() if e.part == part and not e.truth), None)
        if defined in stated or not read <= needed:
            continue
        kept.append(part)
    made = ReducedStatement(statement, whole, values, tuple(kept), tuple(sorted(stated, key=[*whole.names].index)))
    names = [f"{name}:{_sort(sort)}" for name, sort in whole.names.items() if name in needed or name in ("n", "w")]
    names += [f"{name}:Int" for name in whole.marked if name not in needed]
    run = [*(whole.run[part] for part in kept), *(made.line(name) for name in made.stated)]
    parts = [whole.some, whole.word, *([_conjunction(run)] if run else []), *_premises_on_truths(whole), whole.claim]
    text = f"all {', '.join(names)}. {' -> '.join(f'({grammar.show(part)})' for part in parts)}"
    own = Statement(statement.id, text, note=statement.note, known=statement.known, claim=False)
    return ReducedStatement(own, whole, values, made.lines, made.stated)


def _premises_on_truths(whole: Problem) -> list[Term]:
    """The premises about truth functions, as one premise."""
    return [_conjunction(whole.truths)] if whole.truths else []


def _conjunction(parts: Sequence[Term]) -> Term:
    """The conjunction of formulas."""
    out = parts[0]
    for part in parts[1:]:
        out = conj(out, part)
    return out


def _sort(sort: Sort) -> str:
    """The text of a sort."""
    return sort if isinstance(sort, str) else f"{'*'.join(map(_sort, sort[1]))}->{_sort(sort[2])}"


def lifted(made: ReducedStatement, nodes: list[Node], g: Goal) -> None:
    """Close the goal of a statement by the proof `nodes` of its reduced statement."""
    whole, statement = made.whole, made.statement
    g.add({"by": "have", "show": statement.expanded, "proof": nodes, "as": "reduced"}, statement.formula)
    introduce(whole, g)
    for name in made.stated:
        g.have(made.line(name), f"values.{name}", lambda h, name=name: _everywhere(made, name, h))
    names = [name for name in grammar.leading_names(statement.expanded) if name in whole.names]
    run = [*(whole.label(part) for part in made.lines), *(f"values.{name}" for name in made.stated)]
    labels = [["some"], [f"word.{k}" for k in range(len(flatten("&", whole.word)))], *([run] if run else [])]
    if whole.truths:
        labels.append([whole.label(k, True) for k in range(len(whole.truths))])
    arguments: list[Any] = [f"#{one[0]}" if len(one) == 1 else lambda h, one=one: _parts(h, one) for one in labels]
    g.use("reduced", *names, *arguments, label="conclusion", premises=0)
    g.hyp("conclusion")


def _parts(g: Goal, labels: Sequence[str]) -> None:
    """Close a conjunction by its parts."""
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)


def _everywhere(made: ReducedStatement, name: str, g: Goal) -> None:
    """Close the goal that a coordinate has its values at each position."""
    g.intro(["i", ["from.i", "to.i"]])
    word = [f"word.{k}" for k in range(len(flatten("&", made.whole.word)))]
    for h, letter in letters_at(made.whole, g, "i", ["from.i", "to.i"], word):
        shown: dict[str, str] = {}
        label = _shown(made, h, name, letter, shown)
        _put(h, [label, "letter.i"])
        _computed(h)


def letters_at(
    whole: Problem, g: Goal, place: str, inside: Sequence[str], word: Sequence[str]
) -> list[tuple[Goal, int]]:
    """A goal for each letter that a position may have, with the fact ``letter.PLACE``. `place` is the name of the
    position, `inside` the labels that it is one, and `word` those of the lines about the string."""
    found: list[tuple[Goal, int]] = []
    low, high = whole.places
    labels: dict[str, str] = {}
    here, rest = var(place, "Int"), g
    for label, line in zip(word, flatten("&", whole.word), strict=True):
        if everywhere(line) is not None:
            labels["typed"] = label
        elif line[0] == "=" and line[2][0] == ("app", None, (W, low)):
            labels["before"] = label
        elif line[0] == "=" and line[2][0] == ("app", None, (W, high)):
            labels["after"] = label
    known = [*inside]
    for end, at_end, letter in (("before", low, whole.before), ("after", high, whole.after)):
        if letter is None:
            continue
        case, rest = rest.em(equals(here, at_end), f"{end}.{place}")

        def is_end(h: Goal, end: str = end) -> None:
            h.rewrite(f"{end}.{place}")
            h.hyp(labels[end])

        case.have(equals(("app", None, (W, here)), num(letter)), f"letter.{place}", is_end)
        found.append((case, letter))
        known.append(f"{end}.{place}")

    def typed(h: Goal) -> None:
        automation.prove(h, (), automation.LEVELS[:3], known)

    rest.use(labels["typed"], place, typed, label=f"letters.{place}", premises=1)
    if len(whole.typed) == 1:
        rest.have(rest.fact(f"letters.{place}"), f"letter.{place}", lambda h: h.hyp(f"letters.{place}"))
        return [*found, (rest, whole.typed[0])]
    return [*found, *zip(rest.cases(f"letters.{place}", f"letter.{place}"), whole.typed, strict=True)]


def _shown(made: ReducedStatement, g: Goal, name: str, letter: int, shown: dict[str, str]) -> str:
    """The label of the fact that a coordinate has its value at i, where the letter is this one. `shown` has the labels
    of the facts so far, by coordinate."""
    if name in shown:
        return shown[name]
    whole, value = made.whole, written(made.values.values[name][letter])
    equation = whole.equations[name]
    below = [_shown(made, g, one, letter, shown) for one in sorted(_reads(equation)) if one in made.values.values]
    is_at, label = f"is.{name}", f"value.{name}"
    parts = flatten("&", present_body(whole, equation))
    labels = [is_at] if len(parts) == 1 else [is_at, f"zero.{name}"]
    g.use(whole.label(equation.part), "i", _inside, label=" ".join(labels), premises=1)
    goal = equals(at(name, HERE), value)

    def put(h: Goal) -> None:
        """Put the values into the goal."""
        _put(h, [*below, "letter.i"])
        _computed(h)

    if equation.kind == "value":

        def by_equation(h: Goal) -> None:
            h.rewrite(is_at)
            put(h)

        g.have(goal, label, by_equation)
    else:
        g.have(goal, label, lambda h: _divided(made, h, equation, letter, below))
    shown[name] = label
    return label


def _inside(g: Goal) -> None:
    """Close the goal that i is a position."""
    for part, label in zip(g.split(), ("from.i", "to.i"), strict=True):
        part.hyp(label)


def _divided(made: ReducedStatement, g: Goal, equation: Equation, letter: int, below: Sequence[str]) -> None:
    """Close the goal that a norm has its value: the equation says what it is, times the deviation."""
    name, values = equation.name, made.values
    size = values.of(equation.size, letter)
    if exactvalues.sign(size) == 0:
        zero = equals(equation.size, num(0))
        g.have(zero, "gone.i", lambda h: _rewritten(h, below))
        g.use(f"zero.{name}", "#gone.i", label="old.i", premises=0)
        g.rewrite("old.i")
        _rewritten(g, below)
        return
    # (y - old)*D = right and (value - old)*D = right, with values for old, D and right; and D has a reciprocal.
    at_i = _put(g, [*below, "letter.i"], f"is.{name}")
    old, d, value = (written(x) for x in (values.of(equation.old, letter), size, values.values[name][letter]))
    right = written(values.of(equation.right, letter))
    own = at(name, HERE)
    product = equals(("*", None, (("-", None, (own, old)), d)), right)

    def as_values(h: Goal) -> None:
        """The equation with its values."""
        h.close({"by": "pos", "eq": [["1", at_i]]})

    g.have(product, "product.i", as_values)
    reciprocal = exactvalues._reciprocal(g, d)
    one = ("/", None, (num(1), d))
    g.have(equals(("*", None, (("-", None, (value, old)), d)), right), "valued.i", _computed)
    apart = ("neg", None, (("-", None, (own, value)),))
    factors = ((g.text(one), "product.i"), (g.text(("neg", None, (one,))), "valued.i"), (g.text(apart), reciprocal))
    g.close({"by": "pos", "eq": [[*row] for row in factors]})


def _computed(g: Goal) -> None:
    """Close an equation of numbers: it is true by computation, or by squares of roots and reciprocals."""
    _roots_computed(g)
    if normal.fkey(g.goal) == normal.TRUE:
        g.true()
    else:
        cancelled(g)


def _roots_computed(g: Goal) -> None:
    """Write each root of a number in the goal as it is in values: sqrt(9/2) as 3/2*sqrt(2)."""
    for t in [t for t in subterms(g.goal) if t[:2] == ("fn", "sqrt") and not free(t) and not loose(t)]:
        inside = exactvalues.whole_term(normal.nf(t[2][0]))
        value = constant(normal.nf(inside))
        if value is None:
            continue
        short = written(exactvalues.function("sqrt", [exactvalues.short(Fraction(value))]))
        if normal.nf(short) != normal.nf(t):
            g.have(equals(t, short), label := g.fresh("root"), lambda h, t=t, short=short: _same_root(h, t, short))
            g.rewrite(label)


def _same_root(g: Goal, s: Term, t: Term) -> None:
    """Close s = t for a root s of a number and a positive number t whose square is the same: (s - t)*(s + t) = 0, and
    s + t has a reciprocal."""
    own = exactvalues._square(g, exactvalues.whole_term(normal.nf(s[2][0])))
    g.have(equals(("*", None, (t, t)), g.fact(own)[2][1]), other := g.fresh("square"), cancelled)
    total: Term = ("+", None, (s, t))
    reciprocal = exactvalues._reciprocal(g, exactvalues.whole_term(normal.nf(total)))
    one: Term = ("/", None, (num(1), total))
    factors = ((one, own), (("neg", None, (one,)), other), (("-", None, (t, s)), reciprocal))
    g.close({"by": "pos", "eq": [[g.text(factor), label] for factor, label in factors]})


def _rewritten(g: Goal, below: Sequence[str]) -> None:
    """Close a goal about numbers after values are put in."""
    _put(g, [*below, "letter.i"])
    _computed(g)


def _put(g: Goal, labels: Sequence[str], where: str = "") -> str:
    """Replace by the equations `labels` in the goal, or in the fact `where`; the label of the new fact."""
    for number, known in enumerate(labels):
        old, new = g.fact(known)[2]
        t = g.fact(where) if where else g.goal
        if replace(t, old, new) == t:
            continue
        if where:
            g.rewrite(known, where, label := g.fresh(f"put{number}."))
            where = label
        else:
            g.rewrite(known)
    return where


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by the values of norms of symbols, found within `seconds`; or the reason why
    there is none."""
    until = Until(seconds)
    return attempted(partial(_proved, home, statement, until), until, because="no values of norms: ")


def _proved(home: Citable, statement: Statement, until: Until) -> Goal:
    """What `prove` returns; raises NoResult without a proof."""
    made = reduced(statement)
    if isinstance(made, str):
        raise NoResult(made)
    decision = decide(made.statement, home, Until(until.left / 2), least=False)
    if decision.string is not None:
        raise NoResult("the statement is false by the values of the norms")
    proved: Goal | Failed = decision.proved or orders.prove(home, made.statement, until.left / 2)
    if isinstance(proved, Failed):
        proved = inparts.prove(home, made.statement, until.left)
    if isinstance(proved, Failed):
        raise NoResult("by the values of norms it is not proved")
    g = Goal(home, statement.formula, {}, {})
    lifted(made, proved.nodes, g)
    return g
