"""Probabilities of strings and greedy decoding, against sums over all strings and the dense pass of tests/dense.py."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import dense
import mpmath
import pytest
from families import together
from machine_examples import COPY
from shared import call

import symcook as sc
from symcook.decode import continued, end_label, generate, probability, recognizes, stream
from symcook.errors import BadInput, NotExact, Undecided
from symcook.export.machine_steps import steps_right
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer
from symcook.model.transformer import Parameter, Transformer

SPACE = Space(("a", "b", "one", "mean"))


def model(
    labels: tuple[str, ...] = ("a", "b", "EOS"), weights: Any = None, mask: str = "future", **change: Any
) -> Transformer:
    """Scores from the last symbol and from the mean so far of a's against b's."""
    head = Head(("a", "b"), ("mean",), [[0, 0]], [[0, 0]], [[1, -1]], mask)
    words = {"BOS": {"one": 1}, "a": {"a": 1, "one": 1}, "b": {"b": 1, "one": 1}}
    weights = [[0, 1, 1, 2], [2, 0, "1/2", 0], ["-1/2", 0, 0, -1]][: len(labels)] if weights is None else weights
    facts = {
        "name": "tiny",
        "embedding": Embedding(SPACE, words=words, before="BOS"),
        "layers": (Layer(head),),
        "readout": Readout("distribution", "each", SPACE.names, weights, labels),
    }
    return Transformer(**(facts | change))


def by_hand(made: Transformer, word: str, end: str | None) -> Any:
    """The product over prefixes, each run alone: the definition, in mpmath."""
    with mpmath.workdps(50):
        total, wanted = mpmath.mpf(1), [*word, *([end] if end else [])]
        for i, label in enumerate(wanted):
            total *= dense.read(made, ["BOS", *wanted[:i]], dense.decimal(50))[-1][0][label]
        return total


@together("mask", ["future", "none"])
@together("word", ["", "a", "ab", "bbab"])
def test_probabilities_are_products_over_prefixes(mask: str, word: str) -> None:
    made = model(mask=mask)
    assert (made.unfollowed() is None) == (mask == "future")
    wanted = by_hand(made, word, "EOS")
    with mpmath.workdps(40):
        shown = probability(made, word).shown
        assert abs(mpmath.mpf(shown["mid"]) - wanted) <= mpmath.mpf(shown["rad"]) + mpmath.mpf(10) ** -36
        assert float(mpmath.mpf(shown["rad"]) / wanted) < 1e-29
    assert probability(made, word, "float64").value == pytest.approx(float(wanted), rel=1e-12)
    exact = probability(made, word, "exact").value
    if word:
        assert not isinstance(exact, Fraction)
    assert len(probability(made, word).factors) == len(word) + 1


@together("mask", ["future", "none", "strict-future"])
@together("n", [1, 2, 3])
def test_the_strings_of_a_length_have_probability_one_exactly(mask: str, n: int) -> None:
    """Without an end label: by the chain rule, whatever the mask, and exactly in exponential sums."""
    made = model(labels=("a", "b"), mask=mask)
    assert end_label(made) is None
    total: Any = Fraction(0)
    for word in itertools.product("ab", repeat=n):
        total = total + probability(made, word, "exact").value
    assert total == 1 and isinstance(total, Fraction)


def test_strings_and_unfinished_strings_add_up() -> None:
    """With an end: the strings shorter than n and the prefixes of length n together have probability 1."""
    made = model()
    for n in (1, 2):
        total: Any = Fraction(0)
        for k in range(n):
            for word in itertools.product("ab", repeat=k):
                total = total + probability(made, word, "exact").value
        for word in itertools.product("ab", repeat=n):
            prefix: Any = Fraction(1)
            for i, label in enumerate(word):  # the probability of a prefix: the factors without the end
                run = made.run("".join(word[:i]), "exact").result
                prefix = prefix * run.domain.read(run.scores[label], -1)
            total = total + prefix
        assert total == 1


def test_given_inputs_eq_20() -> None:
    """P(y | x) is a product over positions; over all y of the length it adds up to 1."""
    made = model(labels=("p", "q"), embedding=replace(model().embedding, before=None))
    total: Any = Fraction(0)
    for labels in itertools.product("pq", repeat=3):
        found = probability(made, labels, "exact", given="aab")
        rows = dense.read(made, list("aab"), dense.decimal(40))
        expected = math.prod(float(row[label]) for (row, _), label in zip(rows, labels, strict=True))
        assert float(found.value.ball()) == pytest.approx(expected, rel=1e-12)
        total = total + found.value
    assert total == 1
    with pytest.raises(BadInput, match="3 positions"):
        probability(made, "pq", given="aab")


def test_a_wrong_probability_is_seen() -> None:
    """The sum is one only for the model's own distributions: dropping a factor or changing a label breaks it."""
    made = model(labels=("a", "b"))
    values = [probability(made, word, "exact").value for word in ("aa", "ab", "ba", "bb")]
    assert values[0] + values[1] + values[2] + values[2] != 1
    assert by_hand(made, "ab", None) != by_hand(model(labels=("a", "b"), mask="strict-future"), "ab", None)


def test_small_probabilities_keep_their_digits() -> None:
    made = model(weights=[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, -200, 0]])
    found = probability(made, "a", "ball", 20)
    with mpmath.workdps(40):
        exact = mpmath.exp(-200) / (2 + mpmath.exp(-200)) ** 2
        assert abs(mpmath.mpf(found.shown["mid"]) - exact) <= mpmath.mpf(found.shown["rad"]) < exact * 1e-19


# --- Decoding --------------------------------------------------------------------------------------------------------


def test_greedy_decoding_appends_the_first_most_probable() -> None:
    """By hand: BOS gives a (1 against 1/2), a gives b (-1/2 + ... ), until the end."""
    made = model()
    for domain in ("exact", "ball", "float64"):
        found = generate(made, limit=6, domain=domain)
        expected: list[str] = []
        for _ in range(6):
            row = dense.read(made, ["BOS", *expected], dense.decimal(40))[-1][0]
            best = max(row.values())
            label = next(name for name, value in row.items() if best - value < 1e-30)
            if label == "EOS":
                break
            expected.append(label)
        assert found.tokens == tuple(expected) and found.given == ()
    assert len(expected) == 6 and not found.ended


def test_the_first_of_several_and_the_end() -> None:
    tie = model(weights=[[0, 0, 0, 0]] * 3)
    assert generate(tie, limit=3).tokens == ("a", "a", "a")
    ends = model(weights=[[0, 0, 1, -4], [0, 0, 0, 0], [0, 0, "1/2", 0]])
    found = generate(ends, "a")
    assert (found.tokens, found.appended, found.ended) == (("a",), (), True)
    assert generate(ends, limit=1).tokens == ("a",) and not generate(ends, limit=1).ended
    assert generate(ends).tokens == ("a",) and generate(ends).ended
    assert generate(ends, limit=0).tokens == ()


def test_ties_of_rational_scores() -> None:
    third = model(weights=[["1/3", 0, "1/3", 0], [0, "1/3", "1/3", 0], [0, 0, "1/3", 0]])
    assert generate(third, limit=1).tokens == ("a",)
    scaled = model(weights=[[0, 0, "1/3", 0], [0, 0, "2/3 - 1/3", 0], [0, 0, 0, 0]])
    assert generate(scaled, limit=1).tokens == ("a",)


def test_symbols_take_values() -> None:
    made = model(weights=[[0, 0, "t", 0], [0, 0, 0, 0], [0, 0, 0, 0]], parameters=(Parameter("t", default=1),))
    assert generate(made, limit=1).tokens == ("a",)
    assert generate(made, limit=1, values={"t": -1}).tokens == ("b",)
    with pytest.raises(BadInput, match="did you mean t"):
        generate(made, values={"tt": 1})


def gelu() -> Transformer:
    block = FeedForward(("one",), ("a",), [[1]], [0], [[1]], [0], "gelu")
    return model(layers=(Layer(None, block),))


BAD = {
    "no distribution": lambda: probability(model(readout=Readout("value", "last", ("a",))), "a"),
    "the largest label only": lambda: probability(
        model(readout=Readout("largest", "each", ("a",), [[1], [0]], ("a", "b"))), "a"
    ),
    "no token in front": lambda: probability(model(embedding=replace(model().embedding, before=None)), "a"),
    "a token after": lambda: probability(model(embedding=replace(model().embedding, before="BOS", after="b")), "a"),
    "a token after, decoding": lambda: generate(model(embedding=replace(model().embedding, after="b")), "a"),
    "a foreign symbol": lambda: probability(model(), "ac"),
    "a symbol without label": lambda: probability(model(labels=("a", "EOS")), "ab"),
    "two ends": lambda: probability(model(labels=("a", "EOS", "PAD")), "a"),
    "nothing": lambda: probability(model(labels=("a", "b")), ""),
    "an unknown domain": lambda: probability(model(), "a", "decimal"),
    "no digits": lambda: probability(model(), "a", digits=0),
    "a negative limit": lambda: generate(model(), limit=-1),
    "a limit as float": lambda: generate(model(), limit=2.0),  # type: ignore[arg-type]
    "decoding without labels": lambda: generate(model(readout=Readout("sign", "last", ("a",), [[1]]))),
    "decoding from nothing": lambda: generate(model(embedding=replace(model().embedding, before=None))),
    "a prompt with a foreign symbol": lambda: generate(model(), "x"),
    "beyond the maximum length": lambda: generate(model(max_length=2), "a", limit=5),
    "a gelu exactly": lambda: probability(gelu(), "a", "exact"),
}


@together("what", BAD)
def test_bad_input_is_refused_in_one_sentence(what: str) -> None:
    with pytest.raises(BadInput) as caught:
        BAD[what]()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, NotExact) == (what == "a gelu exactly")


def test_a_gelu_has_a_probability_in_balls() -> None:
    found = probability(gelu(), "a", "ball", 20).value
    assert float(found) == pytest.approx(float(by_hand(gelu(), "a", "EOS")), rel=1e-12)
    with pytest.raises(Undecided):
        irrational = model(weights=[["sqrt(2)", 0, "sqrt(2)", 0], [0, 0, "sqrt(2)", 0], [0, 0, 0, 0]])
        generate(irrational, limit=1, domain="ball")


def test_a_tie_of_irrational_scores_stays_open_and_says_that_neither_domain_decides_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """sqrt(2) + sqrt(3) = sqrt(5 + 2 sqrt(6)): squared, both are 5 + 2 sqrt(6)."""
    words = {"x": {"a": "sqrt(2) + sqrt(3)", "b": "sqrt(5 + 2*sqrt(6))"}, "y": {}}
    head = Head(("a",), ("a",), [[0]], [[0]], [[0]], mask="future")
    scores = Readout("largest", "last", ("a", "b"), [[1, 0], [0, 1]], labels=("x", "y"))
    tied = Transformer("tied", Embedding(Space(("a", "b")), words), (Layer(head),), scores)
    for ask in (lambda: list(stream(tied, "x", 3)), lambda: continued(tied, "x", ["x"])):
        with pytest.raises(Undecided, match=r"neither number system decides.*given sqrt\(2\) \+ sqrt\(3\)\.") as caught:
            ask()
        assert "use " not in str(caught.value) and "try " not in str(caught.value)
    tied.save(tmp_path / "tied.json")
    for options, code, said in (
        ((), 3, "neither number system decides it"),
        (("--domain", "ball"), 3, "exact arithmetic decides ties of rational scores"),
        (("--domain", "exact"), 2, "numbers must be rational in exact arithmetic"),
    ):
        found = call(capsys, "run", tmp_path / "tied.json", "--input", "x", "--steps", "3", *options)
        assert found[0] == code and said in found[2], options


def test_text_is_read_in_one_way() -> None:
    """A text was read as its characters: "up down" was refused, and "ab" taken for a and b where ab is a token too."""
    words = sc.compile("dfa", "(up down)*", alphabet="up down")
    assert generate(words, "up down") == generate(words, ("up", "down")) and generate(words, "up").given == ("up",)
    assert list(stream(words, "up down")) == list(stream(words, ["up", "down"]))
    assert continued(words, "up down", ["q0", "q1"]).given == ("up", "down")
    asked = list[int]()
    assert recognizes(words, "up down", lambda n: asked.append(n) or n + 2, "yes") and asked == [2]
    both = sc.compile("dfa", "(ab)*", alphabet="a b ab")
    with pytest.raises(BadInput, match="only one reading"):
        list(stream(both, "ab"))


@pytest.mark.parametrize("kind", ["largest", "distribution"])
def test_an_answer_at_the_first_position_continues_nothing(kind: str) -> None:
    """After every string the model's own answer is the one at BOS; decoding took the one at the last position."""
    first = model(readout=Readout(kind, "first", SPACE.names, [[0, 1, 1, 2], [2, 0, "1/2", 0]], ("a", "b")))
    assert len({str(first.run(word).outputs or first.run(word).output) for word in ("a", "b", "ab", "bba")}) == 1
    for ask in (
        lambda: generate(first, "ab"),
        lambda: stream(first, "ab"),
        lambda: continued(first, "ab", ["a"]),
        lambda: recognizes(first, "ab", lambda n: n, "a"),
        lambda: probability(replace(first, readout=replace(first.readout, kind="distribution")), "ab"),
    ):
        with pytest.raises(
            BadInput, match="must answer at the last position or at each; given: a readout at the first"
        ):
            ask()


@pytest.mark.parametrize("position", ["first", "last"])
def test_a_string_given_inputs_has_a_probability_where_each_position_has_an_answer(position: str) -> None:
    one = model()
    with pytest.raises(
        BadInput, match=f"needs an answer at each position; given: a readout at the {position} position"
    ):
        probability(replace(one, readout=replace(one.readout, position=position)), "aba", given="ab")


def test_nothing_continues_a_run_that_has_ended() -> None:
    """The end of a machine's run is a symbol of its decoder, which outputs it again after itself."""
    machine = sc.compile("tm", COPY, theorem="2")
    output = list(stream(machine, "a", 60))
    assert output[-1] == "=_" and continued(machine, "a", output).agrees
    with pytest.raises(BadInput, match="must be the last token of a continuation; given: =_, and then =_"):
        continued(machine, "a", [*output, "=_"])


def test_an_export_with_a_readout_at_the_first_position_decodes_nothing() -> None:
    """Its answer after each string is the first state. The export said "decodes 100 steps", those of the program."""
    decoder = sc.compile("dfa", "(ab)*")
    first = replace(decoder, readout=replace(decoder.readout, position="first"))
    assert first.run("ab").outputs == first.run("a").outputs == ["q0"] and list(stream(decoder, "ab"))[1:2] == ["q1"]
    assert "decodes 100 steps" in decoder.arrays(max_length=1).text()
    assert "decodes" not in first.arrays(max_length=1).text()
    with pytest.raises(BadInput, match="must answer at the last position or at each"):
        steps_right(first, "ab", 5)
