"""``prove --statement S --rounded U``: a statement about each run with relative errors up to U."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from checkout import ROOT
from shared import call, document, refused

import symcook as sc
from symcook.cli.rounded import check_words, error_of
from symcook.export import provedbits
from symcook.model.modelfile import load

MORE = "accept <-> count(a) > count(b)"


@pytest.fixture
def majority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(ROOT / "proofs/models/majority.json", tmp_path))


def test_to_the_length_of_the_theorem(majority: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In floats with ties up to 2^p; the answer names the theorem, and the exact statement has its certificate."""
    code, out, _ = call(capsys, "prove", "majority.json", "--statement", MORE, "--rounded", "2^-11")
    assert code == 0 and out.splitlines() == [
        f"PROVED  {MORE}, of each run with relative errors up to 1/2048 that keeps whole numbers, for strings up to"
        " length 2,048",
        "Because      the exact run is one of these runs, and the statement is proved for it",
        "Because      up to this length each of these runs accepts the same strings, by lem.floats_majority",
        "Certificate  majority.proof.json: of the exact run",
    ]
    assert Path("majority.proof.json").is_file()


def test_runs_with_few_bits_agree(majority: Path) -> None:
    """Runs of 5 bits, on random strings up to the length of the theorem, 32."""
    model, rng = load(majority), random.Random(1)
    for _ in range(20):
        word = "".join(rng.choices("abc", k=rng.randint(1, 32)))
        assert model.run(word, "mpmath", bits=5).accept == (word.count("a") > word.count("b"))


def test_what_is_open_or_false(majority: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("prove", "majority.json", "--json", "--statement")
    found = document(capsys, *line, MORE, "--rounded", "1/2", code=3)
    assert found["status"] == "OPEN" and found["exact"] == "PROVED" and found["length"] is None
    assert found["why"] == ["the error is too large for lem.rounded_majority and lem.floats_majority, at every length"]
    found = document(capsys, *line, "accept -> count(a) > count(c)", "--rounded", "2^-11", code=1)
    assert found["why"] == ["it is false on ac for the exact run, which is one of them"]
    replace(load(majority), name="mine").save("mine.json")
    found = document(capsys, "prove", "mine.json", "--json", "--statement", MORE, "--rounded", "2^-24", code=3)
    assert found["why"][0] == "no proved theorem states which strings the rounded runs of mine.json accept"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ("--statement", "mean(n) > 0", "--rounded", "1/4"),
            "use only accept and expressions about the string; given: mean",
        ),
        (("--statement", "vote@0(1) = 1", "--rounded", "1/4"), "given: vote"),
        (("--statement", "logit > 0", "--rounded", "1/4"), "given: logit"),
        (("--statement", MORE, "--rounded", "0"), "must be a number between 0 and 1; given: 0"),
        (("--statement", MORE, "--rounded", "1"), "must be a number between 0 and 1; given: 1"),
        (("--statement", MORE, "--rounded", "u"), "must be a number between 0 and 1; given: u"),
        (("--statement", MORE, "--rounded", "1/0"), "must be a number between 0 and 1; given: 1/0"),
        (("--rounded", "1/4"), "--rounded must be used with --statement"),
        (("--statement", MORE, "--rounded", "1/4", "--with", "parity"), "--with must not be used with --rounded"),
    ],
)
def test_bad_input(given: tuple[str, ...], words: str, majority: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in refused(capsys, "prove", "majority.json", *given)


def test_the_error_as_it_is_written() -> None:
    assert error_of("2^-11") == error_of("1/2048") == Fraction(1, 2048)


def test_numbers_are_not_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sc.build("lookup-quadratic").save(tmp_path / "m.json")
    text = refused(capsys, "prove", str(tmp_path / "m.json"), "--statement", "n = n", "--rounded", "1/4")
    assert "--rounded must be used with a model that reads strings, not numbers" in text


@pytest.mark.sweep
def test_defaults_are_no_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement is about all values of a parameter, so that a premise of a theorem on it is met by its interval or by
    a value that was set, and not by its default."""
    monkeypatch.chdir(tmp_path)
    model = load(ROOT / "proofs/models/first.json")
    (theorem,) = [one for one in provedbits.theorems(model) if one.accepts is not None]
    assert model.parameter("c").default == 1 and model.parameter("c").region == "0 < c"
    symbols, held = "the input has at least 1 symbol", {"0 < c": [], "c = 1": ["c = 1"], "c <= 2": ["c <= 2"]}
    for premise, left in held.items():
        narrowed = replace(theorem, only=(premise,))
        monkeypatch.setattr(provedbits, "theorems", lambda _, only=narrowed: [only])
        (all_values,) = provedbits.within(model, {}, Fraction(1, 2**30), every=True)
        (default,) = provedbits.within(model, {}, Fraction(1, 2**30))
        (given,) = provedbits.within(model, {"c": 1}, Fraction(1, 2**30), every=True)
        assert all_values["where"] == [symbols, *left] and default["where"] == given["where"] == [symbols]
        assert bool(provedbits.within(model, {"c": 3}, Fraction(1, 2**30), every=True)) is (premise == "0 < c")


@pytest.mark.sweep
def test_a_value_that_was_set_is_the_one_of_the_premises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --set c=3 a theorem about c <= 2 is not cited, though the default is 1."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "proofs/models/first.json", tmp_path)
    (theorem,) = [one for one in provedbits.theorems(load("first.json")) if one.accepts is not None]
    monkeypatch.setattr(provedbits, "theorems", lambda _: [replace(theorem, only=("c <= 2",))])
    line = ("prove", "first.json", "--json", "--statement", "accept -> at(1, 1)", "--rounded", "2^-30", "--set")
    assert document(capsys, *line, "c=2")["status"] == "PROVED"
    found = document(capsys, *line, "c=3", "--force", code=3)
    assert found["exact"] == "PROVED" and found["theorem"] is None


def test_a_run_on_another_string_is_none_of_those_that_a_theorem_covers() -> None:
    """It may be longer; a variable may have the name of its prefix."""
    for sentence in (
        "appended('(').accept -> 0 < n",
        "(ex appended in 1..n. appended = 1) & appended('(').accept -> 0 < n",
    ):
        with pytest.raises(sc.BadInput, match="must use only accept and expressions about the string"):
            check_words(sc.build("dyck-1"), sentence)
    check_words(sc.build("dyck-1"), "(ex appended in 1..n. appended = 1) -> accept -> 0 < n")


def test_a_coordinate_that_is_called_as_a_token_is_no_part_of_the_string() -> None:
    """Its value in a run that rounds is not that of the exact run."""
    weights = {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1]]}
    model = sc.from_state_dict(weights, vocabulary=["x0", "b"], readout="positive", labels=["y"], position="last")
    check_words(model, "accept <-> count(x0) > 0 & at(x0, n)")
    for sentence in ("accept <-> x0(n) = 1", "accept <-> 'x0' (n) = 1"):
        with pytest.raises(sc.BadInput, match="must use only accept and expressions about the string"):
            check_words(model, sentence)
