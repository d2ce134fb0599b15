"""What a statement must not do: assume what it concludes, assume that a thing is itself, or correct a claim about a
construction under a hypothesis that the construction does not meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from families import every, in_parts
from proof.adequacy import ENTRIES, load_claims
from proof.statement_truth import evaluate, texts

from symcook.proof import grammar
from symcook.proof.normal import nf
from symcook.proof.replay import statements
from symcook.proof.terms import Term, flatten, opened, shift, var, variables

load_claims()


def concluded(t: Term, known: tuple[Term, ...] = ()) -> Iterator[Term]:
    """The parts of what a formula concludes that stand among the premises on the way to them. A part under a range is
    compared with premises under any range as well: a premise for more values says the same."""
    tag, _, kids = t
    if t in known or (tag == "=" and ("=", None, kids[::-1]) in known):
        yield t
    elif tag == "all":
        more = ranged(known) if kids[0][0] == "->" else ()
        yield from concluded(kids[0], tuple(shift(one, 1) for one in known) + more)
    elif tag == "->":
        yield from concluded(kids[1], (*known, *flatten("&", kids[0])))
    elif tag == "&":
        for part in kids:
            yield from concluded(part, known)


def ranged(known: tuple[Term, ...]) -> tuple[Term, ...]:
    """Of premises ``all i in a..b. F`` the parts of F, with i as the innermost bound variable."""
    found: list[Term] = []
    for one in known:
        if one[0] == "all" and one[2][0][0] == "->":
            found += flatten("&", one[2][0][2][1])
    return tuple(found)


def itself(t: Term, assumed: bool = False) -> Iterator[Term]:
    """The equations at any place of a premise, those of its own premises too, whose two sides are the same. What stands
    in an indicator belongs to a definition that is written out."""
    tag, _, kids = t
    if tag == "=":
        if assumed and kids[0] == kids[1]:
            yield t
    elif tag == "->":
        yield from itself(kids[0], True)
        yield from itself(kids[1], assumed)
    elif tag in ("all", "ex", "&", "|", "~"):
        for one in kids:
            yield from itself(one, assumed)


def idle(t: Term, depth: int = 0) -> Iterator[Term]:
    """The premises in front of a formula that are equations between equal things, by normal form."""
    tag, _, kids = t
    if tag == "all":
        free = [var(f"free_{depth + k}", sort) for k, sort in enumerate(variables(t))]
        yield from idle(opened(t, free), depth + len(free))
    elif tag == "->":
        yield from (p for p in flatten("&", kids[0]) if p[0] == "=" and nf(p[2][0]) == nf(p[2][1]))
        yield from idle(kids[1], depth)


def read(text: str) -> Term:
    return grammar.read_formula(text, {}, {})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all x:Int, y:Int. x = 1 -> y = 2 -> y = 2", 1),
        ("all x:Int, y:Int. x = 1 & y = 2 -> x <= y & 2 = y", 1),
        ("all f:Int->Int, n:Int. (all i in 0..n. f(i) = 1) -> (all i in 0..n. f(i) = 1) & f(0) = f(n)", 1),
        ("all f:Int->Int, n:Int. (all i in 0..n. f(i) = 1 & f(i) <= 2) -> all i in 1..n. 0 <= i -> f(i) <= 2", 1),
        ("all f:Int->Int, n:Int. (all i in 0..n. f(i) = 1) -> all j in 0..n. f(j) = f(0)", 0),
        ("all x:Int. 0 <= x -> 0 < x + 1", 0),
        ("all x:Int. (x = 1 -> 0 < x) & (0 < x -> x = x)", 0),
    ],
)
def test_what_counts_as_assumed(text: str, found: int) -> None:
    assert len(list(concluded(read(text)))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all x:Int. x = x -> 0 < 1", (1, 1)),
        ("all x:Int. 0 < x -> ((all y:Int. x + y = x + y) -> x = 1) -> x = 1", (1, 0)),
        ("all x:Int, y:Int. x + y = y + x -> 0 < 1", (0, 1)),
        ("all x:Int, y:Int. x = y + 0*x -> x = y", (0, 0)),
    ],
)
def test_what_counts_as_idle(text: str, found: tuple[int, int]) -> None:
    assert (len(list(itself(read(text)))), len(list(idle(read(text))))) == found


ON_BOTH_SIDES = {
    "cookbook.s9.2.3.grammar": "an equivalence whose two sides both bound the depth, by definition",
    "cookbook.s4.4.padding": "the run's own equation, for the rows that are kept",
    "yang2026.fig1": "the embedding's own equation of the temperature, which is the figure's column",
    "family.induction_most_frequent": "an equivalence whose two sides both bound what is counted, by definition",
    "bridge.automaton": "both words begin with token 0, as the family's and the model's say alike",
    "bridge.automaton_run": "as in bridge.automaton",
    "bridge.automaton_nonstrict": "as in bridge.automaton",
    "bridge.turing": "as in bridge.automaton",
}
"""Where what one side of an equivalence says is a part of the other one too, which no premise of the claim is."""
CLAIMS = [name for name, one in statements().items() if one.claim and not one.assumed]


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(8))
@pytest.mark.layer_two(every=2)
def test_no_conclusion_is_a_premise(part: int) -> None:
    """The equations of a stored model are what it does, no assumption: they are left out."""

    def check(name: str) -> None:
        one = statements()[name]
        rest = replace(one, written=re.sub(r"\brun\([^()]*\)", "true", one.text))
        assert list(concluded(rest.formula)) == []

    every([name for name in CLAIMS[part::8] if name not in ON_BOTH_SIDES], check)


@pytest.mark.sweep
@in_parts(8, "name", CLAIMS)
def test_no_premise_says_that_a_thing_is_itself(name: str) -> None:
    formula = statements()[name].formula
    assert list(itself(formula)) == list(idle(formula)) == []


# --- Corrections and the constructions that they are about ------------------------------------------------------------

CORRECTIONS = [name for name, one in statements().items() if one.corrects]
ON_MODELS = [name for name in CORRECTIONS if re.search(r"\brun\(", statements()[name].text)]


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ON_MODELS)
@pytest.mark.layer_two(every=2)
def test_a_stored_model_meets_the_hypotheses_of_a_correction_about_it(name: str) -> None:
    """`run(NAME)` is among the hypotheses, and so an instance that meets them is a run of the stored model. Where the
    length n is a variable, runs of several lengths meet them, n = 3 or a longer one among them."""
    entry, text = ENTRIES[name], texts()[name]
    met = [one for one in entry.instances if evaluate(text, one) == (True, True)]
    assert len(met) >= 2
    if re.match(r"\s*all n:Int|.*?, n:Int", text) and all("n" in one for one in met):
        lengths = {Fraction(n) for one in met for n in (one["n"] if isinstance(one["n"], list) else [one["n"]])}
        assert len(lengths) >= 2
        assert max(lengths) >= 3


TYPED = {
    "chiang2022.appB.logits.corrected",
    "chiang2022.appB.parity.corrected",
    "chiang2022.appB.first.corrected",
    "chiang2022.prop3.lnlogit.corrected",
    "chiang2022.s3.3.eq1.corrected",
    "chiang2022.prop3.noln.corrected",
    "chiang2022.appA.odd.keven.corrected",
    "chiang2022.appA.odd.kodd.corrected",
    "chiang2022.appB.scalars.corrected",
}
"""Corrections about a stored model whose formulas are typed beside it. None may be added."""


def test_a_correction_about_a_construction_speaks_of_the_stored_model() -> None:
    """The formulas that a paper derives of its own construction: those of chiang2022 on its two networks."""
    about = {name for name in CORRECTIONS if re.match(r"chiang2022\.(s3\.|app|prop3)", name)} - {
        "chiang2022.appB.A2.corrected",  # about any layer norm
        "chiang2022.appB.absorb.corrected",  # about any head at CLS
    }
    assert {name for name in about if name not in ON_MODELS} <= TYPED
