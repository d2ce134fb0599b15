"""Generated proofs of closed forms: what is right is proved, what is planted is not."""

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

import symcook as sc
from symcook import closed
from symcook.closed import EveryLength, every_length
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell
from symcook.model.modelfile import to_document
from symcook.model.transformer import Transformer
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.claims.counts import given_at_each
from symcook.proof.statements import certify, inturn
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


def signed(mask: str, letters: dict[str, str], read: str, heads: int = 1, **ends: str) -> Transformer:
    """Means of letters of which none is worth 0, so that their forms hold n, beside added tokens that are."""
    words = {**{token: {"v": value} for token, value in letters.items()}, **{token: {} for token in ends.values()}}
    builder = sc.Builder(words=words, **ends)
    means = [x for k in range(heads) for x in builder.add(sc.head(value={f"m{k}": "v"}, mask=[mask, "none"][k]))]
    builder.readout("sign", read, means, weights=[1] * heads)
    return builder.build("signed")


def mean_of_a_mean(**ends: str) -> Transformer:
    builder = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}, **{token: {} for token in ends.values()}}, **ends)
    builder.add(sc.head(value={"m": "v"}, mask="none"))
    builder.readout("sign", "last", builder.add(sc.head(value={"mm": "m"}, mask="none")), weights=[1])
    return builder.build("means")


def at_each_behind_bos() -> Transformer:
    builder = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}, "BOS": {}}, before="BOS")
    builder.readout("sign", "each", builder.add(sc.head(value={"m": "v"}, mask="future")), weights=[1])
    return builder.build("each")


TWO, THREE, PARTS = {"a": "1", "b": "-1"}, {"a": "1", "b": "-1", "c": "1/2"}, {"a": "2/3", "b": "-1/2"}
BOS, CLS, EOS, BOTH = {"before": "BOS"}, {"before": "CLS"}, {"after": "EOS"}, {"before": "BOS", "after": "EOS"}
SIGNED = {
    "CLS, three letters": ("none", THREE, "first", 1, CLS),
    "BOS, three letters": ("future", THREE, "last", 1, BOS),
    "BOS, rational": ("future", PARTS, "last", 1, BOS),
    "BOS, two heads": ("future", TWO, "last", 2, BOS),
    "BOS, strict": ("strict-future", TWO, "last", 1, BOS),
    "EOS": ("none", TWO, "last", 1, EOS),
    "EOS, causal": ("future", PARTS, "last", 1, EOS),
    "EOS, from here on": ("past", THREE, "first", 1, EOS),
    "EOS, two heads": ("past", TWO, "first", 2, EOS),
    "none, strict, from here on": ("strict-past", PARTS, "first", 1, {}),
    "both, strict, from here on": ("strict-past", TWO, "first", 1, BOTH),
    "both": ("none", TWO, "first", 1, BOTH),
}
"""The mask, the letters, where the readout looks, the number of heads and the added tokens: each mask beside each kind
of added token that makes another text, each place of the readout, and rational values, three letters and two heads once
causal and once not."""


def says(formula: str, word: list[int], values: dict[str, Fraction]) -> bool:
    """What a claim of this module says of a word, as numbers of letters, where the readout looks: `values` are those of
    the coordinates there. An evaluation of its own, by Python."""
    text = re.sub(r"sum\((\w), ([^,]+), ([^,]+), ", r"total(\2, \3, lambda \1: ", formula.replace("~", "not "))
    text = re.sub(r"I\[w\((\w+)\) = (\d+)\]", r"(w(\1) == \2)", text)
    text = re.sub(r"\b(?<![\w])(\d+)\b", r"F(\1)", text).replace(" = ", " == ").replace(" & ", " and ")
    names: dict[str, Any] = {
        "F": Fraction, "n": len(word), "w": lambda i: word[int(i) - 1],
        "total": lambda low, high, term: sum((Fraction(term(j)) for j in range(int(low), int(high) + 1)), Fraction(0)),
        **{name: lambda _, value=value: value for name, value in values.items()},
    }  # fmt: skip
    for part in text[1:-1].split(") and (") if " -> " in text else [f"({text})"]:
        premise, arrow, conclusion = part.rpartition(" -> ")
        if arrow and not eval(premise, names):
            continue
        if " <-> " in conclusion:
            left, right = conclusion[1:-1].split(" <-> ")
            if bool(eval(left, names)) != bool(eval(right, names)):
                return False
        elif not eval(conclusion, names):
            return False
    return True


def means(case: tuple[str, dict[str, str], str, int, dict[str, str]], word: list[int]) -> dict[str, Fraction]:
    """The means of a word where the readout looks, by what a mask lets through."""
    mask, letters, read, heads, _ = case
    worth = [*map(Fraction, letters.values()), Fraction(0), Fraction(0)]
    at = 0 if read == "first" else len(word) - 1
    seen = {"none": word, "future": word[: at + 1], "past": word[at:]}
    seen |= {"strict-future": word[:at], "strict-past": word[at + 1 :]}
    out = {}
    for k in range(heads):
        over = [worth[x] for x in seen[[mask, "none"][k]]]
        out[f"m{k}"] = sum(over, Fraction(0)) / len(over) if over else Fraction(0)
    return out


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.layer_two(every=3)
def test_forms_that_hold_n_are_proved_beside_added_tokens_and_true_of_short_words(name: str) -> None:
    case = mask, letters, read, heads, ends = SIGNED[name]
    found = inturn.prove(every_length(signed(mask, letters, read, heads, **ends)), seconds=240)
    assert found.whole, found.missing
    assert found.verdict.status == "PROVED" and not found.verdict.assuming
    claims = [c for c in found.claims if not c.formula.startswith("all i")]
    assert {c.coordinate for c in claims} == {*(f"m{k}" for k in range(heads)), "verdict"}
    size = len(letters)
    before, after = [size] * ("before" in ends), [size + len(ends) - 1] * ("after" in ends)
    for inner in (w for length in range(not ends, 5) for w in itertools.product(range(size), repeat=length)):
        word = [*before, *inner, *after]
        values = means(case, word)
        assert all(says(c.formula, word, values) for c in claims), word
        other = {key: value + Fraction(1, 7) for key, value in values.items()}
        assert not any(says(c.formula, word, other) for c in claims if c.coordinate != "verdict")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("ends", [BOS, EOS], ids=["BOS", "EOS"])
def test_a_mean_of_what_is_the_same_everywhere_is_proved_beside_added_tokens(ends: dict[str, str]) -> None:
    found = inturn.prove(every_length(mean_of_a_mean(**ends)), seconds=240)
    assert found.whole and found.verdict.status == "PROVED", found.missing


def test_at_each_position_behind_an_added_token() -> None:
    found = inturn.prove(every_length(at_each_behind_bos()), seconds=240)
    assert found.whole and found.verdict.status == "PROVED", found.missing


@pytest.mark.sweep
def test_a_verdict_that_may_say_nothing_leaves_the_forms_proved() -> None:
    """At EOS a mean from here on is 0: neither side of the verdict's form holds at any word."""
    found = inturn.prove(every_length(signed("past", TWO, "last", **EOS)), seconds=120)
    assert list(found.missing) == ["verdict"] and "no string was found" in found.missing["verdict"]
    assert found.verdict.status == "PROVED" and "m0" in found.said()[0]


def test_what_is_not_proved_names_the_form_and_no_place_in_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends by itself, far from any limit of time."""
    monkeypatch.setattr(inturn, "SECONDS", 600.0)
    found = planted(every_length(MODELS["half"]()), lambda v: v + fmpq(1))
    proof = inturn.prove(found, seconds=2000)
    assert re.match(r"no proof was found of mean\(n\) = ", proof.missing["mean"]), proof.missing
    assert not any(re.search(r"line \d+, column", why) for why in proof.missing.values())


SHORT = 2
"""Seconds of the processor for what has no proof, half of them for lines: those that have one take less."""


MODELS = {
    "always": lambda: majority("none", a=1, b=2, c=3),
    "twice after BOS": lambda: twice(before="BOS"),
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
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.layer_two(every=4)
def test_all_forms_are_proved(name: str) -> None:
    found = inturn.prove(every_length(MODELS[name]()), seconds=240)
    assert found.whole, found.missing
    assert found.verdict.status == "PROVED" and not found.verdict.assuming


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", ["predecessor", "last-position", pytest.param("dyck-1-nonuniform", marks=pytest.mark.campaign)]
)
@pytest.mark.layer_two(every=2)
def test_forms_are_proved_at_every_position(name: str) -> None:
    """Halves by what is read, sums from a position to the end, and tests for 0 by a tolerance."""
    found = every_length(build(name)).prove(120)
    assert found.proof is not None and found.proof.whole, found.proof
    assert found.proof.verdict.status == "PROVED" and found.unclaimed() == []


@pytest.mark.sweep
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
    proof = inturn.prove(replace(found, each=each), seconds=SHORT)
    at_each = [c for c in proof.claims if c.coordinate == coordinate and c.formula.startswith("all i")]
    assert not any(c.missing is None for c in at_each)


@pytest.mark.sweep
def test_what_is_not_proved_says_so_and_the_rest_is() -> None:
    found = inturn.prove(every_length(thresholds()), seconds=30)
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


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("majority", lambda v: v + fmpq(1)),
        ("whole", lambda v: -v),
        ("three", lambda v: v * fmpq(2)),
        ("majority", lambda v: fmpq(0)),
    ],
    ids=["causal, 1 more", "no mask, negated", "three letters, twice", "causal, zero"],
)
def test_a_planted_form_is_not_proved(name: str, change: Any) -> None:
    found = planted(every_length(MODELS[name]()), change)
    proof = inturn.prove(found, seconds=SHORT)
    assert "mean" in proof.missing and not proof.whole
    ends = [c for c in proof.claims if c.coordinate == "mean" and not c.formula.startswith("all i")]
    assert ends and all(c.missing is not None for c in ends)


@pytest.mark.sweep
@pytest.mark.parametrize("name, m", [("cosines", 2), ("sines", 2), ("sines", 3)])
@pytest.mark.layer_two(every=2)
def test_what_a_count_does_not_look_up_is_not_proved(name: str, m: int) -> None:
    found = every_length(build("modulo", m=m))
    column = found.reads[name]
    assert isinstance(column, CellTable)
    wrong = CellTable(column.world, [GuardedCell(c.guard, fmpq(1) - c.value) for c in column.cells])
    proof = inturn.prove(replace(found, reads={**found.reads, name: wrong}), seconds=SHORT)
    assert name in proof.missing and not proof.whole


def test_a_planted_verdict_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed, "verdict", lambda *_: (None, "n <= 2*sum(l, 1, n, I[w(l) = 0])"))
    proof = inturn.prove(every_length(majority(a=1, b=-1)), seconds=20)
    assert list(proof.missing) == ["verdict"] and not proof.whole
    assert proof.certificate is not None  # of the mean alone


@pytest.mark.sweep
def test_forms_for_all_values_of_a_symbol() -> None:
    found = inturn.prove(every_length(build("first")), seconds=240)
    assert not {"s", "verdict"} & set(found.missing), found.missing
    assert "c:Real" in found.statement.text and "0 < c" in found.statement.text


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["parity"])
def test_the_logit_and_the_verdict_of_parity(name: str) -> None:
    """For every length and every c > 0, from a text of its own; the second checker accepts it too."""
    found = inturn.prove(every_length(build(name)), seconds=300)
    assert found.whole, found.missing
    assert {"hit", "s", "verdict"} <= {claim.coordinate for claim in found.claims}
    assert found.verdict.status == "PROVED" and not found.verdict.assuming


def test_a_form_speaks_of_the_input_where_a_layer_writes_the_same_coordinate() -> None:
    proof = inturn.prove(every_length(build("attention-identity")), seconds=20)
    assert proof.sentence == "(all i in 1..n. x(i) = x@0(i))"
    assert proof.whole and proof.statement.text.endswith("-> (all i in 1..n. z1_x(i) = x(i))")


@pytest.mark.sweep
@pytest.mark.parametrize("factor", [2, -1])
def test_a_planted_logit_of_parity_is_not_proved(factor: int) -> None:
    found = planted(every_length(build("parity")), lambda v: v * fmpq(factor))
    proof = inturn.prove(found, seconds=SHORT)
    assert "s" in proof.missing and not proof.whole


@pytest.mark.sweep
def test_a_sum_that_is_zero_under_a_bound_name() -> None:
    """Three letters, and the name j of a position in sight when a sum over positions is shown to be 0."""
    b = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}, "c": {}})
    b.add(sc.head(value={"mean": "v"}, mask="causal"))
    b.add(sc.feedforward({"below": "relu(-mean)"}))
    b.readout("zero", "last", b.add(sc.head(value={"total": "below"}, mask="causal")))
    proof = inturn.prove(every_length(b.build("prefixes")), seconds=120)
    assert proof.whole, proof.missing


MEAN = 'all i in 1..n. "mean"(i) = (2*sum(l, 1, i, I[w(l) = 0]) - i)/i'
"""Of `MODELS["majority"]`: the symbols a are 1, the others -1."""


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        (f"({MEAN}) & (n*mean(n) = 2*count(a) - n)", "PROVED"),
        (f"({MEAN}) & (n*mean(n) = 2*count(a) - n + 1)", "REFUTED"),
        (f"({MEAN} + I[n = 7]) & (sum(i, 1, n, mean(i)) <= n)", "REFUTED"),
        ("(all i in 1..n. mean(i) = vote(i)) & (all i in 1..n. vote(i) = mean(i)) & mean(1) = vote(1)", "REFUTED"),
    ],
)
def test_the_parts_of_a_users_statement_are_proved_in_turn(sentence: str, status: str) -> None:
    """The second part rests on the first. False are the second part alone, the first part at strings of one length, and
    two parts that would give each other."""
    document = to_document(MODELS["majority"]())
    found = certify.settle(certify.claim(document, sentence), document, None, 20)
    assert found.verdict is not None and found.verdict.status == status


@pytest.mark.sweep
def test_what_derive_proves_is_proved_as_a_users_statement() -> None:
    """A sum over positions reads the cases of the first part. With < in place of <= the statement is false of the
    string ()."""
    model = build("dyck-1")
    document, sentence = to_document(model), inturn.prove(every_length(model)).sentence
    near = sentence.replace("accept <-> (all j in 1..n. j <= ", "accept <-> (all j in 1..n. j < ")
    for text, status in ((sentence, "PROVED"), (near, "REFUTED")):
        found = certify.settle(certify.claim(document, text), document, None, 60)
        assert found.verdict is not None and found.verdict.status == status
    assert near != sentence


def test_a_part_that_reads_the_run_gives_nothing() -> None:
    """Else two of them would stand for each other without end."""
    statements = {
        '"mean"(i) = 1': "mean", '"mean"(i) = vote(i)': None, '"mean"(i) = "mean"(i)': None, "vote(i) <= 1": None,
        "(i = 1 -> mean(i) = 0) & (2 <= i -> mean(i) = sum(l, 1, i, I[w(l) = 1]))": "mean",
        "(vote(i) = 1 -> mean(i) = 0)": None, "(i = 1 -> mean(i) = 0) & (2 <= i -> vote(i) = 0)": None,
    }  # fmt: skip
    document = to_document(MODELS["majority"]())
    for text, name in statements.items():
        asked = problem(certify.claim(document, f"all i in 1..n. {text}"))
        assert given_at_each(asked, asked.claim) == name, text
