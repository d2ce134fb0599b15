"""A statement about the lines of a program, without those lines whose value the symbol at a position determines.

Of the lines ``z1(i) = I[w(i) = 1]`` and ``z2(i) = I[ex j. 0 <= j & j <= sum(k, 1, i, z1(k)) & ..]`` the first one is
put into the second, in which its sum is then a sum of indicators of symbols. So the automata and counts know that it is
an integer. `without_letter_lines` makes the shorter statement, and the proof of the statement itself from a proof of
the shorter one. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from symcook.proof import grammar
from symcook.proof.claims.bycounts.problem import HERE, Problem, W, introduce, problem
from symcook.proof.normal import constant, nf
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.ranges import equals
from symcook.proof.search.tactics import Citable, Goal, Node
from symcook.proof.statements.bysymbol import letters_at
from symcook.proof.statements.transfer import AgreementLabels, AnswerAgreement, Transfer, by_labels, rewrite_used
from symcook.proof.terms import Term, free, num, replace


@dataclass(frozen=True)
class WithoutLines:
    """A statement, and the same statement without the `lines` that symbols determine."""

    statement: Statement
    """The shorter statement."""
    whole: Problem
    """The statement itself."""
    lines: Mapping[str, Term]
    """By line: its value at `HERE`, in the symbol there."""
    transfer: Transfer


def letter_lines(whole: Problem) -> dict[str, Term]:
    """The lines whose value the symbol at a position determines, each with its value at `HERE`."""
    by_letter = dict[str, dict[int, Fraction]]()
    for name, equation in whole.equations.items():
        if equation.kind != "value" or equation.truth or equation.places != whole.places:
            continue
        values = dict[int, Fraction]()
        for letter in whole.letters:
            value = equation.right
            for line, known in by_letter.items():
                value = replace(value, _at(whole, line), num(known[letter].numerator, known[letter].denominator))
            value = replace(value, ("app", None, (W, HERE)), num(letter))
            x = None if free(value) else constant(nf(value))
            if x is None:
                break
            values[letter] = Fraction(x)
        else:
            by_letter[name] = values
    return {name: _value(values) for name, values in by_letter.items()}


def _at(whole: Problem, name: str) -> Term:
    """The term of a line at `HERE`."""
    return whole.equations[name].at_here


def _value(values: Mapping[int, Fraction]) -> Term:
    """The value of a line at `HERE`: a number where it is the same for all letters, else a sum of indicators."""
    if len({*values.values()}) == 1:
        x = next(iter(values.values()))
        return num(x.numerator, x.denominator)
    total: Term | None = None
    for letter, x in values.items():
        if x:
            part: Term = ("ind", None, (equals(("app", None, (W, HERE)), num(letter)),))
            part = part if x == 1 else ("*", None, (num(x.numerator, x.denominator), part))
            total = part if total is None else ("+", None, (total, part))
    return total or num(0)


def without_letter_lines(statement: Statement) -> WithoutLines | None:
    """The statement without the lines that symbols determine; None if there are none, or if their functions are used
    otherwise than at a position."""
    whole = attempted(lambda: problem(statement))
    lines = {} if isinstance(whole, Failed) else attempted(lambda: letter_lines(whole))
    if isinstance(whole, Failed) or isinstance(lines, Failed) or not lines or whole.outside or whole.needs:
        return None
    agreements = [AnswerAgreement(_at(whole, name), value) for name, value in lines.items()]
    transfer = attempted(lambda: Transfer(agreements))
    if isinstance(transfer, Failed):
        return None
    kept = [equation for name, equation in whole.equations.items() if name not in lines and not equation.truth]
    own = [transfer.other(whole.run[equation.part]) for equation in kept]
    truths, claim = [transfer.other(line) for line in whole.truths], transfer.other(whole.claim)
    if {v[1][0] for part in (*own, *truths, claim) for v in free(part)} & lines.keys() or not own:
        return None
    sorts = [f"{name}:{_sort(sort)}" for name, sort in whole.names.items() if name not in lines]
    parts = [[whole.some], [whole.word], own, *([truths] if truths else []), [claim]]
    texts = [" & ".join(f"({grammar.show(part)})" for part in group) for group in parts]
    text = f"all {', '.join(sorts)}. {' -> '.join(f'({one})' for one in texts)}"
    shorter = Statement(statement.id, text, note=statement.note, known=statement.known, claim=False)
    return WithoutLines(shorter, whole, lines, transfer)


def _sort(sort: Any) -> str:
    """The text of a sort."""
    return sort if isinstance(sort, str) else f"{'*'.join(map(_sort, sort[1]))}->{_sort(sort[2])}"


def lifted(made: WithoutLines, library: Citable, nodes: list[Node]) -> list[Node]:
    """The proof of a statement by the proof `nodes` of the shorter one. Stuck where a place may be no position."""
    whole, g = made.whole, Goal(library, made.whole.statement.formula, {}, {})
    g.add({"by": "have", "show": made.statement.expanded, "proof": nodes, "as": "shorter"}, made.statement.formula)
    introduce(whole, g)
    word = [label for label in g.facts if label.startswith("word.")]
    for name, value in made.lines.items():
        equation = g.fresh("value")
        low, high = map(g.text, whole.places)
        show = f"all i in {low}..{high}. {g.text(_at(whole, name))} = {g.text(value)}"
        g.have(show, equation, partial(_by_letter, made=made, name=name, word=word))
        made.transfer.labels.append(AgreementLabels(equation, "", ""))
    kept = [equation for name, equation in whole.equations.items() if name not in made.lines and not equation.truth]
    facts = {part: label for label, part in g.facts.items()}
    for line in (*(whole.run[equation.part] for equation in kept), *whole.truths):
        changed, label = made.transfer.other(line), g.fresh("line")
        if changed != line:
            g.have(changed, label, partial(made.transfer.close, label=facts[line], back=True))
            facts[changed] = label
    arguments: list[Any] = [name for name in whole.names if name not in made.lines]
    groups = 3 + bool(whole.truths)
    arguments += [partial(by_labels, labels=facts)] * groups
    g.use("shorter", *arguments, label=(then := g.fresh("then")), premises=0)
    made.transfer.close(g, then)
    return g.nodes


def _by_letter(g: Goal, made: WithoutLines, name: str, word: list[str]) -> None:
    """Close the goal that a line has its value at each position, by the symbol there."""
    place, inside = g.fresh("k"), [g.fresh("low"), g.fresh("high")]
    g.intro([place, inside])

    def there(h: Goal) -> None:
        for part, label in zip(h.split(), inside, strict=True):
            part.hyp(label)

    labels = list[str]()
    for line in [*made.lines][: [*made.lines].index(name) + 1]:
        equation = made.whole.equations[line]
        g.use(made.whole.label(equation.part), place, there, label=(label := g.fresh("is")), premises=1)
        labels.insert(0, label)
    for case, _ in letters_at(made.whole, g, place, inside, word):
        rewrite_used(case, (*labels, f"letter.{place}"))
        case.true()
