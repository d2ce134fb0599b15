"""Generated proofs of closed forms: what is right is proved, what is planted is not."""

from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq

import symcook as sc
from symcook.closed import EveryLength, every_length
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell
from symcook.model.transformer import Transformer
from symcook.proof import forms
from symcook.recipes import build


def majority(mask: str = "future", **votes: int) -> Transformer:
    builder = sc.Builder(words={token: {"vote": vote} for token, vote in votes.items()})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask=mask))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("majority")


def thresholds() -> Transformer:
    """A ReLU of a count, behind a token that the model adds."""
    words = {"a": {"hit": 1}, "b": {}, "BOS": {"begin": 1}}
    space = sc.Space(("hit", "begin", "share", "unit", "out"))
    embedding = sc.Embedding(space, words=words, before="BOS", start=0)
    head = sc.head(value={"share": "hit", "unit": "begin"}, mask="none")
    layer = sc.Layer(sc.SelfAttention((head,)), sc.feedforward(out="relu(share - 2*unit)"))
    return sc.Transformer("thresholds", embedding, (layer,), sc.Readout("sign", "last", ("out",), weights=[[1]]))


def halves(mask: str = "future", **ends: str) -> Transformer:
    """A threshold that every letter carries, and the added one."""
    letters = {"a": {"one": 1}, "b": {}} | {token: {} for token in ends.values()}
    builder = sc.Builder(words={token: {**values, "half": "1/2"} for token, values in letters.items()}, **ends)
    mean = builder.add(sc.head(value={"mean": "one"}, mask=mask))
    builder.readout("sign", "last" if "after" in ends or not ends else "first", [*mean, "half"], weights=[1, -1])
    return builder.build("halves")


def twice(**ends: str) -> Transformer:
    """A threshold at the token that the model adds, which stands in the word once."""
    builder = sc.Builder(words={"a": {"hit": 1}, "b": {}, **{token: {"once": 1} for token in ends.values()}}, **ends)
    read = builder.add(sc.head(value={"mean": "hit", "unit": "once"}, mask="none"))
    builder.readout("sign", "last", read, weights=[1, "-3/2"])
    return builder.build("twice")


def before() -> Transformer:
    """What stands before, without the position itself."""
    builder = sc.Builder(words={"a": {"hit": 1}, "b": {}, "c": {"hit": -2}})
    mean = builder.add(sc.head(value={"mean": "hit"}, mask="strict-future"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("before")


SHORT = 6
"""Seconds for what has no proof: those that have one take less on a free machine."""


MODELS = {
    "always": lambda: majority("none", a=1, b=2, c=3),
    "twice behind BOS": lambda: twice(before="BOS"),
    "twice before EOS": lambda: twice(after="EOS"),
    "before": before,
    "half": halves,
    "half behind CLS": lambda: halves("none", before="CLS"),
    "half before EOS": lambda: halves(after="EOS"),
    "majority": lambda: majority(a=1, b=-1),
    "weighted": lambda: majority(a=2, b=-1),
    "three": lambda: majority(a=1, b=-1, c=0),
    "whole": lambda: majority("none", a=1, b=-1),
    "count": lambda: build("count"),
    "dyck-1": lambda: build("dyck-1"),
    "modulo": lambda: build("modulo"),
    "modulo 3": lambda: build("modulo", m=3),
    "modulo 4": lambda: build("modulo", m=4),
}


@pytest.mark.parametrize("name", MODELS)
def test_all_forms_are_proved(name: str) -> None:
    found = forms.prove(every_length(MODELS[name]()), seconds=240)
    assert found.whole, found.missing
    assert found.verdict.status == "PROVED" and not found.verdict.assuming
    assert found.text.startswith("proof own.")


@pytest.mark.parametrize("name", ["predecessor", "last-position", "dyck-1-nonuniform"])
def test_forms_are_proved_at_every_position(name: str) -> None:
    """Halves by what is read, sums from a position to the end, and tests for 0 by a tolerance."""
    found = every_length(build(name)).prove(120)
    assert found.proof is not None and found.proof.whole, found.proof
    assert found.proof.verdict.status == "PROVED" and found.unclaimed() == []


@pytest.mark.parametrize(("coordinate", "which"), [("unviolated", 1), ("level", 0), ("total", 0)])
def test_a_form_that_is_wrong_where_a_sum_is_positive_is_not_proved(coordinate: str, which: int) -> None:
    found = every_length(build("dyck-1-nonuniform"))
    each = replace(found.each)
    (one,) = [one for one in found.each.coordinates if one.name == coordinate and one.part != "embedding"]
    assert isinstance(one.column, CellTable)
    cells = [GuardedCell(c.guard, c.value + fmpq(k == which)) for k, c in enumerate(one.column.cells)]
    wrong = replace(one, column=CellTable(one.column.world, cells))
    each.__dict__["domain"] = found.each.domain
    each.__dict__["coordinates"] = [wrong if x is one else x for x in found.each.coordinates]
    proof = forms.prove(replace(found, each=each), seconds=SHORT)
    at_each = [c for c in proof.claims if c.coordinate == coordinate and c.formula.startswith("all i")]
    assert not any(c.missing is None for c in at_each)


def test_what_is_not_proved_says_so_and_the_rest_is() -> None:
    found = forms.prove(every_length(thresholds()), seconds=30)
    done = {claim.coordinate for claim in found.claims if claim.missing is None}
    assert found.certificate is None or done
    assert set(found.missing) == {claim.coordinate for claim in found.claims if claim.missing is not None}
    said = "\n".join(found.said())
    assert all(f"not proved: {name}" in said for name in found.missing)


def planted(found: EveryLength, change: Any) -> EveryLength:
    """The same forms with a changed value where the readout looks."""
    cells = tuple((guard, {k: change(v) for k, v in outputs.items()}) for guard, outputs in found.cells)
    reads = {
        name: CellTable(column.world, [GuardedCell(c.guard, change(c.value)) for c in column.cells])
        for name, column in found.reads.items()
        if isinstance(column, CellTable)
    }
    return replace(found, cells=cells, reads=reads)


@pytest.mark.parametrize(
    "change", [lambda v: v + fmpq(1), lambda v: -v, lambda v: v * fmpq(2), lambda v: fmpq(0)], ids=["1", "-", "2", "0"]
)
@pytest.mark.parametrize("name", ["majority", "whole", "three"])
def test_a_planted_form_is_not_proved(name: str, change: Any) -> None:
    found = planted(every_length(MODELS[name]()), change)
    proof = forms.prove(found, seconds=SHORT)
    assert "mean" in proof.missing and not proof.whole
    ends = [c for c in proof.claims if c.coordinate == "mean" and not c.formula.startswith("all i")]
    assert ends and all(c.missing is not None for c in ends)


@pytest.mark.parametrize("name, m", [("cosines", 2), ("sines", 2), ("sines", 3)])
def test_what_a_count_does_not_look_up_is_not_proved(name: str, m: int) -> None:
    found = every_length(build("modulo", m=m))
    column = found.reads[name]
    assert isinstance(column, CellTable)
    wrong = CellTable(column.world, [GuardedCell(c.guard, fmpq(1) - c.value) for c in column.cells])
    proof = forms.prove(replace(found, reads={**found.reads, name: wrong}), seconds=SHORT)
    assert name in proof.missing and not proof.whole


def test_a_planted_verdict_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "verdict", lambda *_: (None, "n <= 2*sum(l, 1, n, I[w(l) = 0])"))
    proof = forms.prove(every_length(majority(a=1, b=-1)), seconds=20)
    assert list(proof.missing) == ["verdict"] and not proof.whole
    assert proof.certificate is not None  # of the mean alone


@pytest.mark.parametrize("name", ["first", "first-flawed"])
def test_forms_for_all_values_of_a_symbol(name: str) -> None:
    found = forms.prove(every_length(build(name)), seconds=240)
    assert not {"s", "verdict"} & set(found.missing), found.missing
    assert "c:Real" in found.statement.text and "0 < c" in found.statement.text


@pytest.mark.parametrize("name", ["parity"])
def test_the_logit_and_the_verdict_of_parity(name: str) -> None:
    """For every length and every c > 0, from a text of its own; the second checker accepts it too."""
    found = forms.prove(every_length(build(name)), seconds=300)
    assert found.whole, found.missing
    assert {"hit", "s", "verdict"} <= {claim.coordinate for claim in found.claims}
    assert found.verdict.status == "PROVED" and not found.verdict.assuming


@pytest.mark.parametrize("factor", [2, -1])
def test_a_planted_logit_of_parity_is_not_proved(factor: int) -> None:
    found = planted(every_length(build("parity")), lambda v: v * fmpq(factor))
    proof = forms.prove(found, seconds=SHORT)
    assert "s" in proof.missing and not proof.whole
