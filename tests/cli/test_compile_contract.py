"""What `compile` writes and answers where it is asked for a proof, and how texts are refused: keys, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared import call, document, refused

KEYS = {"file", "layers", "width", "heads", "operators", "certificate", "verdict"}
MACHINE = "input: 0\nwork symbols: 0\nstart: q\nhalt: h\nq * * -> h 0 S S\n"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "line",
    [
        ("ltl", "prev Q_a", "--alphabet", "ab", "--soft"),
        ("ltl", "prev Q_a", "--alphabet", "ab", "--theorem", "22a"),
        ("count", "#left[Q_a] > 1", "--alphabet", "ab", "--theorem", "20a"),
        ("srasp", "y(i) = in(i)", "--alphabet", "ab"),
        ("tm", MACHINE),
    ],
)
def test_where_no_proof_is_found_the_model_is_written(
    line: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3, the model's file, its measures as the one document, and never the word that says more."""
    file = tmp_path / "m.json"
    code, out, err = call(capsys, "compile", *line, "-o", file, "--prove")
    if code == 0:
        assert out.splitlines()[-1].startswith("PROVED")
        return
    assert code == 3 and file.is_file() and "PROVED" not in out + err and "no proof" in err and "Traceback" not in err
    assert out.startswith(f"wrote {file}")
    shown = document(capsys, "compile", *line, "-o", file, "--prove", "--force", "--json", code=3)
    assert shown.keys() == KEYS and shown["certificate"] is shown["verdict"] is None and shown["file"] == str(file)
    assert not (tmp_path / "m.certificate.json").exists()


@pytest.mark.sweep
def test_the_construction_of_a_theorem_is_proved_by_its_family(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The certificate is the bridge to the family, which `prove` checks again; a changed weight is noticed."""
    file = tmp_path / "m.json"
    line = ("compile", "ltl", "Q_a since Q_b", "--alphabet", "ab", "--theorem", "16a", "-o", file, "--prove")
    code, out, err = call(capsys, *line)
    assert code == 0, err
    assert out.splitlines()[-1].startswith("PROVED") and "yang2026.thm16" in out
    assert (tmp_path / "m.certificate.json").is_file() and (tmp_path / "m.statement.txt").is_file()
    code, out, _ = call(capsys, "prove", file)
    assert code == 0 and "checked again" in out
    for one in ("m.certificate.json", "m.statement.txt", "m.2.certificate.json"):
        assert f"symcook prove {tmp_path / 'm.json'}" in refused(capsys, "prove", tmp_path / one)
    made = json.loads(file.read_text())
    made["layers"][0]["feedforward"]["b1"] = [["7"] for _ in made["layers"][0]["feedforward"]["b1"]]
    file.write_text(json.dumps(made))
    assert call(capsys, "prove", file)[0] != 0


@pytest.mark.parametrize(
    ("source", "place"),
    [("(Q_a", "line 1, column 5"), ("Q_a &", "line 1, column 6"), ("", "line 1, column 1"),
     ("Q_a & %", "line 1, column 7"), ("Q_a\n& (Q_b", "line 2, column 7"),
     ("Q_a & Q_b // of a\n |", "line 2, column 3")],
)  # fmt: skip
def test_an_error_of_a_formula_says_line_column_and_what_was_expected(
    source: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "compile", "ltl", source, "--alphabet", "ab", "-o", tmp_path / "m.json")
    assert place in said and "; ." not in said


def test_a_formula_that_ends_early_could_go_on_by_every_operator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "compile", "ltl", "(Q_a", "--alphabet", "ab", "-o", tmp_path / "m.json")
    assert said.startswith("symcook: ) or an operator must stand at line 1, column 5; given: the end")
    said = refused(capsys, "compile", "count", "#left[Q_a] < 2 < 3", "--alphabet", "ab", "-o", tmp_path / "m.json")
    assert "must stand at line 1, column 16; given: <" in said and "; ." not in said


@pytest.mark.parametrize("name", ["Q_a", "Q_b", "since", "ODD"])
def test_a_name_cannot_stand_for_a_letter(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`let Q_a = true; Q_a` was the letter, and the name was never read."""
    source = f"let {name} = true; {name}"
    said = refused(capsys, "compile", "count", source, "--alphabet", "ab", "-o", tmp_path / "m.json")
    assert "a name must be new and no keyword of the language" in said


def test_one_output_is_true_wherever_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first that is true answers, so that what stands behind one that is always true says nothing."""
    file = tmp_path / "m.json"
    source = "output x = Q_b; output y = true; output z = Q_a;"
    assert call(capsys, "compile", "ltl", source, "--alphabet", "ab", "-o", file)[0] == 0
    assert document(capsys, "run", file, "--input", "aba")["outputs"] == ["y", "x", "y"]
    assert call(capsys, "check", file, "--max-length", 4)[0] == 0
    assert call(capsys, "decide", file)[0] == 0
    none = "output x = Q_b; output y = Q_a;"
    said = refused(capsys, "compile", "ltl", none, "--alphabet", "ab", "-o", file, "--force")
    assert "end with a line: output x = true;" in said


@pytest.mark.parametrize(
    ("source", "name"),
    [("#left[Q_a] > 1", "#left"), ("Q_a & #right[Q_b] = 2", "#right"), ("ODD", "ODD"),
     ("MOD(3, 1)(#left[Q_a])", "#left"), ("MOD(3, 1)", "MOD")],
)  # fmt: skip
def test_a_decision_refuses_counts_by_name(
    source: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "count", source, "--alphabet", "ab", "-o", file)[0] == 0
    code, out, err = call(capsys, "decide", file)
    assert code == 2 and name in out + err and "check" in out + err
    shown = document(capsys, "decide", file, code=2)
    assert shown["verdict"] == "refused" and name in shown["why"]
    assert shown.keys() == {"verdict", "word", "accepts", "states", "why", "formula"} and shown["word"] is None
