"""Where bounds end: what is exactly at a limit that a docstring names, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from test_each_answer import ONE

import symcook as sc
from symcook import bounds
from symcook.bounds import error_propagation
from symcook.errors import BadInput
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer

KINDS = sorted(ONE)


@pytest.mark.parametrize("kind", KINDS)
def test_thirty_digits_are_those_that_are_given_without_a_word(kind: str) -> None:
    """The docstrings say 30; 29 and 31 are other answers."""
    answers = [bounds.bound(kind, **ONE[kind], digits=k) for k in (29, 30, 31)]
    found = bounds.bound(kind, **ONE[kind])
    said, *others = (
        [str(one.value), str(one.claimed), {k: str(v) for k, v in one.extra.items()}] for one in (found, *answers)
    )
    assert said == others[1]
    exact = all(Fraction(ball.rad) == 0 for ball in (found.value, found.claimed or found.value))
    assert exact or (said != others[0] and said != others[2])


def test_what_is_left_out_is_said() -> None:
    assert bounds.softmax_hardmax(5, 2).parameters["ties"] is False
    assert bounds.softmax_of_scores("1, 0").parameters["gamma"] == "1"
    assert bounds.gelu_relu().parameters["c"] == "1"


@pytest.mark.parametrize("error", ["1/sqrt(17)", "1/8", "log(2)/2"])
def test_the_error_of_a_temperature_may_be_any_number(error: str) -> None:
    """gamma/log((n - 1)(1 - error)/error), in mpmath."""
    with mpmath.workdps(50):
        delta = {"1/sqrt(17)": 1 / mpmath.sqrt(17), "1/8": mpmath.mpf(1) / 8, "log(2)/2": mpmath.log(2) / 2}[error]
        wanted = 3 / mpmath.log(3 * (1 - delta) / delta)
        assert abs(mpmath.mpf(bounds.temperature(4, 3, error).value.mid) - wanted) < mpmath.mpf(10) ** -28


@pytest.mark.parametrize(
    ("error", "said"),
    [("0", "between 0 and 1"), ("1", "between 0 and 1"), ("3/4", "below (n - 1)/n"), ("9/10", "below (n - 1)/n")],
)
def test_errors_that_no_temperature_or_every_one_has(error: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        bounds.temperature(4, 3, error)
    assert said in str(refused.value)


def test_the_last_position_may_be_looked_up() -> None:
    assert str(bounds.quadratic_lookup(2, 3, 3).value) == str(bounds.quadratic_lookup(2, 3, 1).value)
    with pytest.raises(BadInput, match="from 1 to n"):
        bounds.quadratic_lookup(2, 3, 4)


@pytest.mark.parametrize("many", [11, 12, 13])
def test_a_sum_of_twelve_terms_is_written_out(many: int) -> None:
    text = str(bounds.softmax_of_scores(list(range(many + 1))).extra["for x = e^-gamma"])
    assert ("more terms" in text) is (many > 12)


def attends(head: Head, words: dict[str, Any], **embedding: Any) -> Transformer:
    space = sorted({c for row in words.values() for c in row} | set(embedding.get("positions", {})) | set(head.writes))
    from symcook.model.checks import Space

    start = Embedding(Space(tuple(space)), words=words, **embedding)
    return Transformer("made", start, (Layer(SelfAttention((head,)), None),), Readout("value", "last", (space[0],)))


def test_an_error_that_just_reaches_the_gap_is_refused() -> None:
    """Scores are 33/64 j, sizes at most 65/32: with an error of 1/16 each moves by up to 2 65/32 1/16 + 1/256 = 33/128,
    so that two with the gap 33/64 may meet."""
    head = Head(("one", "p"), ("v",), [[1, 0]], [[0, 1]], [[0, 0]], weighting="rightmost")
    made = attends(head, {"a": {"one": 1}}, positions={"p": "33/64*i"})
    with pytest.raises(BadInput, match="keep their maxima"):
        error_propagation(made, "1/16", n=2, constants=True)
    assert error_propagation(made, Fraction(1, 16) - Fraction(1, 10**9), n=2, constants=True).holds is True


def test_a_coordinate_that_is_zero_takes_no_part_in_scores() -> None:
    """The same gap where queries read one that nothing writes."""
    head = Head(("one", "p", "z"), ("v",), [[1, 0, 1]], [[0, 1, 0]], [[0, 0, 0]], weighting="rightmost")
    made = attends(head, {"a": {"one": 1, "z": 0}}, positions={"p": "33/64*i"})
    with pytest.raises(BadInput, match="keep their maxima"):
        error_propagation(made, "1/16", n=2, constants=True)


def test_an_error_of_one_is_the_greatest_of_the_papers() -> None:
    head = Head(("x",), ("y",), [[1]], [[1]], [[1]], weighting="softmax")
    made = attends(head, {"a": {"x": 1}, "b": {"x": 2}})
    assert error_propagation(made, 1, n=2, constants=True).claimed is not None
    with pytest.raises(BadInput, match="must be at most 1"):
        error_propagation(made, Fraction(1) + Fraction(1, 10**9), n=2, constants=True)


@pytest.mark.parametrize("temperature", ["i - 3", "i - 3/2", "i/4 - 3/8"])
def test_no_temperature_may_be_below_zero_anywhere(temperature: str) -> None:
    head = Head(("x",), ("y",), [[1]], [[1]], [[1]], weighting="softmax", temperature=temperature)
    with pytest.raises(BadInput, match="a temperature must be positive"):
        error_propagation(attends(head, {"a": {"x": 1}, "b": {"x": 2}}), Fraction(1, 100), n=1, constants=True)


def test_probabilities_move_as_their_derivatives_say() -> None:
    """P = 1/(1 + e^(-2 v)) of v at 1/2 or -1/4, moved by up to 1/100: no less than it does, and hardly more."""
    b = sc.Builder(words={"a": {"v": "1/2"}, "b": {"v": "-1/4"}})
    b.readout("distribution", "last", ("v",), weights=[[1], [-1]], labels=("P", "Q"))
    found = error_propagation(b.build("both"), Fraction(1, 100), n=1)

    def share(v: float) -> mpmath.mpf:
        return 1 / (1 + mpmath.exp(-2 * mpmath.mpf(v)))

    moved = max(abs(share(v + side) - share(v)) for v in (0.5, -0.25) for side in (0.01, -0.01))
    for label in "PQ":
        said = str(found.extra[label])
        assert said.endswith("at position 1 of b")
        assert moved <= mpmath.mpf(said.split()[2]) <= moved * mpmath.mpf("1.06")


def test_the_gap_of_a_head_is_that_of_the_stream_before_it_alone() -> None:
    """A final norm, with a root in what it gives, comes later and takes part in no score."""
    head = Head(("one", "p"), ("v",), [[1, 0]], [[0, 1]], [[0, 0]], weighting="rightmost")
    made = attends(head, {"a": {"one": 1}}, positions={"p": "33/64*i"})
    normed = replace(made, final_norm=LayerNorm(tuple(made.space), epsilon=2))
    with pytest.raises(BadInput, match="keep their maxima"):
        error_propagation(normed, "1/16", n=2, constants=True)
    assert error_propagation(normed, "1/17", n=2, constants=True).holds is True


def test_words_are_as_long_as_the_model_takes_them_with_what_it_adds() -> None:
    b = sc.Builder(words={"$": {"v": 0}, "a": {"v": 1}}, before="$")
    b.readout("value", "last", ("v",))
    made = replace(b.build("short"), max_length=3)
    assert error_propagation(made, "1/100", n=2).holds is True
    for constants in (False, True):
        with pytest.raises(BadInput, match="length at most"):
            error_propagation(made, "1/100", n=3, constants=constants)


def test_two_letters_make_too_many_words_from_a_length_on() -> None:
    """2^16 words of two letters are compared, no more; of one letter there is one word of each length."""
    for many in (17, 10**6):
        with pytest.raises(BadInput, match=f"at most 65536 strings of length n.*2\\^{many}"):
            bounds.sensitivity("dyck-1", many)
    b = sc.Builder(words={"a": {"v": 1}})
    b.readout("value", "last", ("v",))
    assert bounds.sensitivity(b.build("one"), 40).value.mid == "0"
