"""What closed forms at every length say of words: the printed conditions, values and verdicts, read as text and
evaluated at each position of each word, against exact runs of the model."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import forms_said
import pytest
from shared import call, document

import symcook as sc
from symcook import closed
from symcook.closed import every_length
from symcook.errors import BadInput
from symcook.proof.statements import inturn
from symcook.recipes import build

ENDS = [(None, None), ("BOS", None), (None, "EOS"), ("BOS", "EOS"), ("CLS", None)]


def compared(model: sc.Transformer, longest: int) -> int:
    """How many values, verdicts and labels were compared, each with an exact run."""
    return forms_said.compared(every_length(model), longest)[1]


def drawn(seed: int, position: str) -> sc.Transformer:
    """A random model: counts and thresholds of counts under any mask, tokens in front and behind, positions."""
    draw = random.Random(f"{seed} {position}")
    before, after = draw.choice(ENDS)
    letters = draw.choice(["ab", "01", "()", "abc"])
    tokens = {t: {"x": draw.randint(-2, 2), "y": draw.randint(0, 1)} for t in letters}
    tokens |= {t: {"x": draw.randint(-1, 1), "e": 1} for t in (before, after) if t}
    places = draw.choice(["0", "0", "I[i = 1]", "(-1)^i", "1/(i + 1)", "I[i = n]", "i/n", "I[i <= 2]", "2*i - n"])
    space, layers = ["x", "y", "e", "p"], []
    for layer in range(1, draw.randint(1, 2) + 1):
        new = f"h{layer}"
        value = " + ".join(f"{draw.choice([1, -1, 2])}*{draw.choice(space)}" for _ in range(2))
        mask = draw.choice(["none", "future", "future", "strict-future", "past", "strict-past"])
        units = {f"u{layer}": f"{draw.choice(['relu', 'step'])}({draw.choice([1, -1])}*{new} + {draw.randint(-1, 1)})"}
        units = units if draw.random() < 0.6 else {}
        layers.append(sc.Layer(sc.SelfAttention((sc.head(value={new: value}, mask=mask),)), sc.feedforward(units)))
        space += [new, *units]
    embedding = sc.Embedding(
        sc.Space(tuple(space)), words=tokens, positions={"p": places}, before=before, after=after,
        start=draw.choice([0, 1]),
    )  # fmt: skip
    kind: str = draw.choice(["sign", "sign", "zero", *(["largest"] if position != "all" else [])])
    reads = (space[-1], draw.choice(space[:4])) if kind != "zero" or draw.random() < 0.3 else (space[-1],)
    reads = tuple(dict.fromkeys(reads))
    labels = ("yes", "no") if kind == "largest" else ()
    rows = [[draw.choice([1, -1, 2, 1]) for _ in reads] for _ in labels or "1"]
    readout = sc.Readout(kind, position, reads, None if kind == "zero" else rows, labels)
    return sc.Transformer(f"drawn-{seed}", embedding, tuple(layers), readout)


def models(position: str, seeds: range) -> Iterator[sc.Transformer]:
    for seed in seeds:
        try:
            yield drawn(seed, position)
        except BadInput as error:  # a step beside a ReLU, and what else a model may not have
            assert "activation" in str(error) or "feed-forward" in str(error), error


@pytest.mark.sweep
@pytest.mark.parametrize("position", ["all", "each", "first", "last"])
@pytest.mark.parametrize("begin", [0, pytest.param(30, marks=pytest.mark.campaign)])
@pytest.mark.layer_two(every=4)
def test_printed_verdicts_of_random_models(position: str, begin: int) -> None:
    """Each case that is printed, as text, at each position of each word."""
    many = reached = 0
    for model in models(position, range(begin, begin + SEEDS)):
        try:
            found = compared(model, 4 if len(model.alphabet) == 2 else 3)
        except BadInput as error:
            assert "must have a rule for each step" in str(error), error
            continue
        reached, many = reached + 1, many + found
    assert (reached > SEEDS / 5, many > 20 * reached) == (True, True), (reached, many)


SEEDS = 30


def nowhere_less(position: str = "all", kind: str = "sign", **more: Any) -> sc.Transformer:
    """At each position more a than b so far (sign), or as many (zero)."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}}, **more)
    mean = b.add(sc.head(value={"mean": "vote"}, mask="future"))
    b.readout(kind, position, mean, weights=[1] if kind == "sign" else None)
    return b.build("nowhere-less")


def test_a_readout_at_all_says_so(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict is one on the whole word: it speaks of all positions, and is proved as such."""
    nowhere_less().save(tmp_path / "m.json")
    (found,) = document(capsys, "derive", str(tmp_path / "m.json"))
    assert (found["accept"], found["accepts"]) == (None, "(all i in 1..n. i < 2*count(a, i))")
    assert found["proved"] is True and "accept" not in found["missing"]
    relation = found["statement"]
    assert relation.count("<->") == 1 and relation.rindex("<->") < relation.rindex("all i in 1..n. i < 2*")


def test_a_case_that_holds_at_some_position_is_no_verdict() -> None:
    """At the first position the logit is 1, which alone accepts no word; one where it is 0 rejects the word."""
    b = sc.Builder(words={"a": {}, "b": {}}, positions={"one": "1", "start": "I[i = 1]"})
    held = b.add(sc.head(value={"mean": "start"}, mask="none"))
    b.readout("sign", "all", ["start", *held], weights=[1, 0])
    found = every_length(b.build("only-first"))
    said = {form.conditions: (form.accept, form.accepts) for form in found.forms}
    assert said[("2 <= i",)] == (False, None)
    assert said[("i = 1",)][0] is None and "all i in 1..n" in str(said[("i = 1",)][1])
    assert compared(found.model, 4) > 20


def test_what_a_proof_leaves_out_is_not_said_to_be_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict at all positions whose sentence is wrong is not proved, and the forms are not whole then."""
    found = every_length(nowhere_less())
    monkeypatch.setattr(closed, "word_verdict", lambda *_: (None, "(all i in 1..n. i <= 2*count(a, i))"))
    proof = inturn.prove(found, seconds=20)
    assert list(proof.missing) == ["verdict"] and not proof.whole


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("position", ["each", "last"])
def test_labels_belong_to_what_is_proved(position: str) -> None:
    """Of two scores that are always alike the first is the answer, and that is part of the certificate."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    counted = b.add(sc.head(value={"mean": "x"}, mask="future"))
    b.readout("largest", position, counted, weights=[[1], [1]], labels=["the first", "less"])
    model = b.build("votes")
    found = every_length(model)
    assert {form.label for form in found.forms} == {"the first"}
    assert compared(model, 5) >= 62
    proof = inturn.prove(found, seconds=30)
    assert proof.whole and proof.verdict.status == "PROVED"
    assert "answer" in {c.coordinate for c in proof.claims}
    assert "mean(n) <= mean(n)" in proof.statement.text or "mean(i) <= mean(i)" in proof.statement.text


@pytest.mark.sweep
def test_a_label_that_is_planted_is_not_proved() -> None:
    """The right one takes 1.2 s of processor."""
    found = every_length(build("modulo", m=2))
    wrong = replace(found, forms=tuple(replace(form, label="1") for form in found.forms))
    proof = inturn.prove(wrong, seconds=5)
    assert "answer" in proof.missing and not proof.whole


def test_the_page_of_a_model_says_the_same(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere_less().save(tmp_path / "m.json")
    code, _, _ = call(capsys, "report", str(tmp_path / "m.json"), "-o", str(tmp_path / "m.html"))
    page = (tmp_path / "m.html").read_text()
    rows = re.findall(r"verdict: accept iff</th><td[^>]*title=\"([^\"]*)\"", page)
    assert (code, rows) == (0, ["(all i in 1..n. i &lt; 2*count(a, i))"])


def test_what_every_letter_at_a_position_gives_is_not_said_of_words_without_that_position() -> None:
    """The unit is 1 at n = 2 alone, and 0 whatever the letter at position 2 is where there is one."""
    words: dict[str, Any] = {"a": {"x": -1}, "b": {"x": -1}, "BOS": {"x": 1}, "EOS": {}}
    b = sc.Builder(words=words, positions={"p": "I[n <= 2] - I[i = 2]"}, before="BOS", after="EOS", start=0)
    (mean,) = b.add(sc.head(value={"mean": "2*p + 2*x"}, mask="none"))
    b.add(sc.feedforward({"more": f"step({mean} - 1/3)"}))
    b.readout("zero", "each", "more")
    model = b.build("two")
    assert compared(model, 4) > 100
    assert [(form.conditions, str(form.output["more"])) for form in every_length(model).forms] == [
        (("3 <= n",), "0"), (("n = 2",), "1")]  # fmt: skip


@pytest.mark.sweep
def test_a_sum_that_is_looked_up_elsewhere_keeps_its_own_position() -> None:
    """The last of the sums so far is the one here: what it adds up is at j, not here."""
    words: dict[str, Any] = {"a": {"x": 3}, "b": {}, "BOS": {}, "EOS": {"x": 2}}
    b = sc.Builder(words=words, before="BOS", after="EOS")
    b.add(sc.head(value={"mean": "x"}, mask="future"))
    b.add(sc.head(value={"last": "mean"}, mask="future", weighting="rightmost"))
    b.readout("sign", "each", "last", weights=[1])
    assert compared(b.build("sums"), 4) > 100


@pytest.mark.sweep
def test_a_term_with_a_pole_is_said_for_its_own_places_alone() -> None:
    """A mean of those before, of none at position 1: what is divided by i - 1 is no number there, times 0 or not."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask="strict-future"))
    b.readout("sign", "last", b.add(sc.head(value={"mean_of_means": "mean"}, mask="future")), weights=[1])
    model = b.build("poles")
    assert compared(model, 6) > 126
    (form,) = every_length(model).forms
    assert "if(at(a, j) & 2 <= j, (" in form.output["logit"]
