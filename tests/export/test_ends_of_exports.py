"""Where exports end: what the runs of a decoder may cost, and models whose inputs are not alike."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import automata_examples
import numpy as np
import pytest
from shared import call

import symcook as sc
from symcook.errors import BadInput
from symcook.export import decoding as module
from symcook.export.archive import arrays
from symcook.export.decoding import COLUMN, decoding
from symcook.export.diff import diff
from symcook.export.guarantee import Length, guarantee, weights
from symcook.export.machine_steps import program_run
from symcook.export.onnx_graph import graph
from symcook.export.reading import from_archive
from symcook.export.run_npz import decode, evaluate, shown

ODD = next(one for one in automata_examples.FILES if one.stem == "odd-ones")


def test_decoding_ends_where_the_runs_of_a_length_would_cost_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column costs its products with both orders and 250 beside them; a run has its letters' first column and one
    for each answer. What is just enough for a length serves it."""
    assert call(capsys, "compile", "dfa", ODD, "-o", tmp_path / "m.json")[0] == 0
    model = sc.load(tmp_path / "m.json")
    m = arrays(model, "float32", 8)
    column = 2 * (weights(model) + COLUMN)
    first, second = column * (1 + 2), column * 2 * (1 + 3)  # a state for each letter and one before, then the verdict
    for most, to in (
        (0, 0),
        (first + column, 0),
        (first + 3 * column, 0),
        (first + second - 1, 0),
        (first + second, 1),
    ):
        monkeypatch.setattr(module, "MOST_PRODUCTS", most)
        found = decoding(model, m, "float32", 3, 9)
        assert found is not None and found["words_to"] == to, most
        assert f"the runs of {2 ** (to + 1)} strings of length {to + 1} would have too many" in found["why"]
    monkeypatch.setattr(module, "MOST_PRODUCTS", 10**9)
    for asked, ended in ((9, [True, True]), (3, [True, True]), (2, [True, False]), (1, [False, False])):
        found = decoding(model, m, "float32", 1, asked)
        assert found is not None and (found["words_to"], found["why"]) == (
            1,
            "this is the maximum length that was requested",
        )
        assert [each["ended"] for each in found["lengths"]] == ended and found["steps"] == asked


def made(before: str | None = None) -> sc.Transformer:
    words = {"a": {"v": 1}, "b": {"v": -1}} | ({before: {}} if before else {})
    b = sc.Builder(words=words, before=before) if before else sc.Builder(words=words)
    b.readout("sign", "last", ("v",), weights=[1])
    return b.build("made")


def test_models_that_read_a_word_at_different_lengths_part_there() -> None:
    """One puts a token in front: that is what the structure says, and the first input has another length."""
    found = diff(made(), made("$"), 1)
    assert found.first is not None and not found.same
    assert {key: found.first[key] for key in ("layer", "part", "position", "coordinate", "first", "second")} == {
        "layer": 0, "part": "length", "position": None, "coordinate": None, "first": "1", "second": "2",
    }  # fmt: skip
    assert found.inputs == 2 and found.different == 2 and found.max_length == 1
    assert any("the token before every input is none and $" in line for line in found.structure)


def test_lengths_that_are_compared() -> None:
    """Of 2^65 - 2 words the first are compared, and the others are not gone through."""
    assert diff(made(), made()).max_length == 6 and diff(made(), made(), 1).same
    assert diff(made(), made(), 64).inputs == 500
    for length in (0, 65):
        with pytest.raises(BadInput, match="from 1 to 64"):
            diff(made(), made(), length)


def test_both_orders_of_averages_are_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the two gets fewer steps right, so many are said."""
    assert call(capsys, "compile", "dfa", ODD, "-o", tmp_path / "m.json")[0] == 0
    model = sc.load(tmp_path / "m.json")
    m = arrays(model, "float32", 8)
    for worse in (False, True):

        class Certifier:
            def __init__(self, model: sc.Transformer, dtype: str, order: bool, worse: bool = worse) -> None:
                self.steps = 1 if order is worse else 2

            def right(self, word: object, wanted: object) -> int:
                return self.steps

        monkeypatch.setattr(module, "Certifier", Certifier)
        found = decoding(model, m, "float32", 2)
        assert found is not None and [each["steps"] for each in found["lengths"]] == [1, 1, 1]


@pytest.mark.sweep
def test_a_word_has_at_most_as_many_letters_as_are_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lengths 0 to 2 are certified: the script takes two letters, and refuses three and four in a sentence."""
    assert call(capsys, "compile", "dfa", ODD, "-o", tmp_path / "m.json")[0] == 0
    sc.load(tmp_path / "m.json").export(tmp_path / "m.npz", max_length=2)
    m = dict(np.load(tmp_path / "m.npz"))
    letter = str(m["decoding.letters"][0])
    assert m["decoding.steps"].shape == (3,) and decode(m, letter * 2, "0") in (0, 3)
    capsys.readouterr()
    for many in (3, 4):
        with pytest.raises(SystemExit) as ended:
            decode(m, letter * many, "0")
        assert ended.value.code == 2
        said = f"a string must have at most 2 symbols, to which steps are certified; given: {many}"
        assert capsys.readouterr().err.startswith(said)


def test_the_shortest_table_says_how_long_words_may_be() -> None:
    """An archive whose factors end before its positions, and the other way round."""
    words = {"a": {"v": 1}, "b": {"v": -1}}
    head = sc.Head(("v",), ("m",), [[1]], [[1]], [[1]], weighting="softmax", temperature="i")
    space = sc.Space(("v", "p", "m"))
    embedding = sc.Embedding(space, words=words, positions={"p": "1/i"})
    readout = sc.Readout("sign", "last", ("m",), [[1]])
    model = sc.Transformer("two tables", embedding, (sc.Layer(sc.SelfAttention((head,)), None),), readout)
    whole = arrays(model, "float64", 6)
    for key, other in (("positions", "step1.head1.factor"), ("step1.head1.factor", "positions")):
        m = dict(whole) | {key: whole[key][:4]}
        assert len(m[other]) == 6 and from_archive(m).max_length == 4


@pytest.mark.parametrize("margin", [0.1, 1 / 3, 2.0**-40, 123456.789])
def test_a_margin_is_rounded_down_and_an_error_up(margin: float) -> None:
    """A certificate writes them in few digits: never more than the distance that there is, nor less than the error."""
    one = Length(3, 1, margin, {"v": (-margin, margin)})
    exact, least, most = Fraction(margin), one.to_json(True)["margin"], one.to_json(False)["error"]
    assert Fraction(least) <= exact <= Fraction(most) and least < most
    low, high = map(Fraction, one.to_json(True)["outputs"]["v"])
    assert low <= -exact and exact <= high


def test_weights_go_to_no_stream() -> None:
    with pytest.raises(BadInput, match=r"the weights must .*m\.npz"):
        made().export("-")


@pytest.mark.sweep
def test_without_a_token_in_front_decoding_begins_with_one_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no run behind the empty string, and the script says so of it: no step is certified there."""
    assert call(capsys, "compile", "dfa", ODD, "--variant", "no-start", "-o", tmp_path / "m.json")[0] == 0
    model = sc.load(tmp_path / "m.json")
    assert model.embedding.added == 0
    model.export(tmp_path / "m.npz", max_length=2)
    m = dict(np.load(tmp_path / "m.npz"))
    found = decoding(model, m, "float64", 2, 5)
    assert found is not None and [each["length"] for each in found["lengths"]] == [1, 2]
    assert m["decoding.steps"].shape == (3,) and m["decoding.steps"][0] == 0 < m["decoding.steps"][1]


def test_a_machine_without_letters_reads_the_empty_word() -> None:
    model = sc.compile("tm", "1RB1LB_1LA1RH")
    found = decoding(model, arrays(model, "float64", 12), "float64", 3, 4)
    assert found is not None and [(each["length"], each["words"]) for each in found["lengths"]] == [(0, 1)]
    assert found["words_to"] == 0 and "the empty string is its only input" in found["why"]


def test_onnx_says_how_wide_its_outputs_are(tmp_path: Path) -> None:
    """One score of a sign, one for each label else; the stream as wide as the coordinates are many."""
    onnx = pytest.importorskip("onnx")
    labels = sc.Readout("largest", "last", ("v",), [[1], [-1], [0]], ("P", "Q", "R"))
    for model, wide in ((made(), 1), (replace(made(), readout=labels), 3)):
        model.export(tmp_path / f"{wide}.onnx", format="onnx", max_length=2)
        outputs = onnx.load(tmp_path / f"{wide}.onnx").graph.output
        said = {one.name: [d.dim_value or d.dim_param for d in one.type.tensor_type.shape.dim] for one in outputs}
        assert said["scores"] == ["B", "n", wide] and said["stream"] == ["B", "n", len(model.space)]


@pytest.mark.parametrize(("weighting", "taken"), [("leftmost", [4, 4, 6, 6]), ("rightmost", [4, 4, 6, 8])])
def test_an_onnx_graph_that_chooses_keeps_to_the_standard(weighting: str, taken: list[int]) -> None:
    """The evaluator of the standard takes no more than it allows: the axis of a sum has no axes itself."""
    evaluator, graph_of = pytest.importorskip("onnx.reference"), pytest.importorskip("onnx").load_from_string
    b = sc.Builder(
        words={"a": {"s": 2, "v": 4}, "b": {"s": 1, "v": 5}, "c": {"s": 3, "v": 6}, "d": {"s": 3, "v": 8}},
        positions={"one": 1},
    )
    best = b.add(sc.head({("one", "s"): 1}, value={"best": "v"}, mask="causal", weighting=weighting))
    b.readout("value", "each", best)
    model = b.build("best")
    stream = evaluator.ReferenceEvaluator(graph_of(graph(arrays(model, "float64", 4)))).run(
        ["stream"], {"tokens": np.array([[0, 1, 2, 3]])}
    )[0]
    assert stream[0, :, list(model.space).index("best")].tolist() == taken


@pytest.mark.parametrize("limit", [-1, -100, True, "3"])
def test_a_run_has_a_number_of_steps(limit: Any) -> None:
    with pytest.raises(BadInput, match="integer of at least 0"):
        program_run(sc.compile("dfa", "a*"), "a", limit)
    assert program_run(sc.compile("dfa", "a*"), "a", 0).answers == ()


def test_one_label_is_certain_until_numbers_are_too_great() -> None:
    """With nothing beside it a label is the answer whatever its score; only what overflows ends that."""
    for size, length in ((1, 2), (10**160, 0)):
        b = sc.Builder(words={"x": {"s": size}, "y": {"s": 0}})
        b.add(sc.feedforward({"t": f"{10**160}*relu(s)"}))
        b.readout("largest", "last", ("t",), weights=[[1]], labels=("one",))
        found = guarantee(b.build("single"), "float64", 2)
        assert found["length"] == length
        assert ("may be too great for float64" in found["why"]) is (length == 0)


def test_a_word_on_its_threshold_among_many() -> None:
    """Of 42^2 words of length 2, which are too many to take each by itself, one is exactly on the threshold: it is
    named, and the lengths behind it are certain, as they are where no word is taken by itself."""
    tie, other = Fraction(1, 3) + Fraction(1, 7), Fraction(1, 3) - Fraction(1, 7)
    values = [tie, other, *range(3, 43)]
    places = {"t": "1/3*if(n = 2, 1, 0) - if(n = 2, 0, 1)"}
    b = sc.Builder(words={f"w{k}": {"q": value} for k, value in enumerate(values)}, positions=places)
    b.add(sc.head({}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("sign", "first", ("v", "t"), weights=[[1, -1]])
    found = guarantee(b.build("tie"), "float32", 4)
    assert found["ranges"] == [[1, 1], [3, 4]] and found["length"] == 1
    assert found["why"] == "a string of length 2 is exactly on the threshold"
    (one,) = found["open"]
    assert one["input"] == "w0 w1" and one["alone"] and one["exact"]["logit"] == "0"


@pytest.mark.sweep
def test_words_are_taken_together_as_far_as_they_can() -> None:
    """1,200 tokens with one answer need one run a length, and five whose first decides need five, at every length:
    more than 1,000 runs, or words with the same numbers of tokens, would end that early."""
    for values, runs in (([*range(1, 1201)], 1), ([3, -3, 4, -4, 5], 5)):
        b = sc.Builder(words={f"w{k}": {"q": value} for k, value in enumerate(values)})
        b.add(sc.head({}, {"v": "q"}, mask="none", weighting="average"))
        b.readout("sign", "first", ("q", "v"), weights=[[1, "1/10"]])
        found = guarantee(b.build("together"), "float32", 10)
        assert found["length"] == 10 and [each["runs"] for each in found["lengths"]] == [runs] * 10


def test_the_first_step_that_numpy_gets_wrong() -> None:
    """In float16 the numpy runtime errs behind one letter: at the first of all such steps, behind its word, as a pass
    over each beginning of the run says, column by column."""
    model = sc.compile("tm", (ODD.parents[1] / "machines" / "increment.tm").read_text(encoding="utf-8"))
    m = arrays(model, "float16", 40)
    found = decoding(model, m, "float16", 1, 30, strictly=False)
    assert found is not None
    vocabulary, labels = m["vocabulary"].tolist(), m["readout.labels"].tolist()
    for each, words in zip(found["lengths"], ([()], [("0",), ("1",)]), strict=True):
        wrong = []
        for word in words:
            right = program_run(model, word, 30).answers
            for k, label in enumerate(right):
                tokens = [str(m["before"]), *word, *right[:k]]
                z = evaluate(m, m["embedding"][[vocabulary.index(token) for token in tokens]])
                if labels[int(shown(m, z)[-1].argmax())] != label:
                    wrong.append((k + 1, "".join(word)))
                    break
        said = each["first_wrong"], each["first_wrong_word"]
        assert said == min(wrong, default=(None, None)) and each["steps"] < len(right)
    assert found["lengths"][1]["first_wrong"] is not None
