"""What a user of compiled models meets on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import call, document, refused

COPY = """input: 0 1
work symbols: 0 1
start: q
halt: h
q 0 * -> q 0 R R
q 1 * -> q 1 R R
q _ * -> b . S L
b * * -> b . S L
b * _ -> h . S R
"""


def compiled(capsys: pytest.CaptureFixture[str], file: Path, *line: object) -> Path:
    code, _, err = call(capsys, "compile", *line, "-o", file)
    assert code == 0, err
    return file


@pytest.mark.sweep
def test_words_over_letters_of_one_sign_are_read_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By run, report and derive as by run --steps: states of a machine are no letters."""
    automaton = compiled(capsys, tmp_path / "a.json", "dfa", "(01)*")
    (tmp_path / "copy.tm").write_text(COPY)
    machine = compiled(capsys, tmp_path / "m.json", "tm", tmp_path / "copy.tm")
    spaced, plain = (document(capsys, "run", automaton, *given) for given in
                     (("--tokens", "0 1 1 0"), ("--input", "0110")))  # fmt: skip
    assert plain == spaced and plain["outputs"][-1] == "q0"  # the first state of the run is put out behind the word
    for file in (automaton, machine):
        page = tmp_path / f"{file.stem}.html"
        assert call(capsys, "report", file, "--input", "0110", "-o", page)[0] == 0 and page.is_file()
        said = refused(capsys, "report", file, "--input", "02", "-o", page, "--force")
        assert "every symbol must be in the alphabet 0 1; given: 2" in said
    assert '--input "01"' in refused(capsys, "run", automaton)
    long = compiled(capsys, tmp_path / "l.json", "ltl", "Q_aa", "--alphabet", "aa b")
    assert "--tokens" in refused(capsys, "run", long, "--input", "aab")


@pytest.mark.parametrize(
    ("kind", "source"),
    [("ltl", "Q_d"), ("ltl", "Q_{a, d}"), ("count", "#left[Q_d] > 1"), ("srasp", 'out(i) = in(i) = "d"')],
)
def test_a_letter_outside_the_alphabet_is_said_to_be_one(
    kind: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "compile", kind, source, "--alphabet", "abc", "-o", tmp_path / "m.json")
    assert "each symbol of the formula or program must be" in said and "given: d; known: a, b, c" in said
    assert "column" in said


def test_no_word_at_all_is_a_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """[] is one of no letters; the pages of the commands say so."""
    file = compiled(capsys, tmp_path / "m.json", "dfa", "[]", "--alphabet", "ab")
    found = document(capsys, "check", file, "--max-length", "3")
    assert [row["accepted"] for row in found["by_length"]] == [0, 0, 0] and found["empty_word"] == "agrees"
    assert call(capsys, "run", file, "--input", "", "--steps", "5")[1].endswith("ended with no\n")
    said = refused(capsys, "compile", "dfa", "[]", "-o", tmp_path / "n.json")
    assert "give the alphabet, for example --alphabet ab" in said
    for command in ("compile", "decide"):
        assert "[] no string" in " ".join(call(capsys, "explain", command)[1].split())


@pytest.mark.parametrize(("text", "given"), [("0", "given: 0;"), ("-1", "given: -1;"), ("1 - n", "1 - n, which")])
def test_an_error_that_is_not_positive_is_named(text: str, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "hardsoft", "dyck-1-2", f"--error={text}")
    assert given in said and "see " not in said


@pytest.mark.sweep
def test_a_model_that_was_compiled_is_a_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By what it answers at the last position, or by the words that it accepts: b is the last letter or the one before
    it, as a formula and as an expression."""
    formula = compiled(capsys, tmp_path / "f.json", "ltl", "Q_b | prev Q_b", "--alphabet", "ab")
    other = compiled(capsys, tmp_path / "g.json", "ltl", "Q_b", "--alphabet", "ab")
    automaton = compiled(capsys, tmp_path / "a.json", "dfa", "(a|b)*b(a|b)?", "--alphabet", "ab")
    for one, two in ((formula, automaton), (automaton, automaton), (formula, formula)):
        assert document(capsys, "decide", one, "--against", two)["verdict"] == "equal"
    for one, two in ((formula, other), (automaton, other)):
        assert document(capsys, "decide", one, "--against", two, code=1)["word"] == "ba"
    counts = compiled(capsys, tmp_path / "c.json", "count", "#left[Q_a] > 2", "--alphabet", "ab")
    for one, two in ((formula, counts), (counts, automaton)):
        assert document(capsys, "decide", one, "--against", two, code=1)["word"] == "b"


def test_a_model_with_softmax_is_refused_with_a_reason_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soft = compiled(capsys, tmp_path / "s.json", "ltl", "once Q_a", "--alphabet", "ab", "--soft")
    code, out, _ = call(capsys, "decide", soft)
    assert code == 2 and out.startswith(f"REFUSED: {soft} cannot be decided for strings of every length\n")
    assert "\n  the model is not a finite automaton: head 1 of layer 1 has the temperature 1/n" in out
    assert "\n  the model is not a counter machine: " in out and out.count("\n") == 4


def test_a_forged_automaton_is_no_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = compiled(capsys, tmp_path / "a.json", "dfa", "(aa)*")
    forged = tmp_path / "b.json"
    forged.write_text(file.read_text().replace('"source": "(aa)*"', '"source": "a(aa)*"'))
    code, out, _ = call(capsys, "decide", file, "--against", forged)
    assert code == 2 and "the specification" in out and "EQUAL" not in out


@pytest.mark.sweep
def test_certificates_of_automata_are_pointed_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the sentence advises works."""
    file = compiled(capsys, tmp_path / "a.json", "dfa", "(aa)*")
    said = refused(capsys, "decide", file, "--certificate", tmp_path / "c.json")
    assert "symcook compile dfa --prove writes one, and symcook prove FILE checks it" in said
    assert call(capsys, "compile", "dfa", "(aa)*", "-o", file, "--force", "--prove")[0] == 0
    assert call(capsys, "prove", file)[0] == 0


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("kind", "source", "more"),
    [("ltl", "prev Q_a", ()), ("count", "#left[Q_a] > #left[Q_b]", ()), ("ltl", "prev Q_a", ("--soft",)),
     ("srasp", 'out(i) = in(i) = "a"', ())],
    ids=["ltl", "count", "soft", "srasp"],
)  # fmt: skip
def test_a_program_is_a_reference_in_other_processes_and_later(
    kind: str, source: str, more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --workers, and with --resume, which another program may not go on with."""
    file = compiled(capsys, tmp_path / "m.json", kind, source, "--alphabet", "ab", *more)
    check = ("check", file, "--max-length", "3")
    assert document(capsys, *check, "--workers", "2")["mismatches"] == 0
    log = tmp_path / "log"
    for _ in range(2):
        assert document(capsys, *check, "--resume", log)["strings"] == 2 + 4 + 8
    text = file.read_text().replace("Q_a", "Q_b") if "Q_a" in source else file.read_text().replace('= \\"a', '= \\"b')
    assert text != file.read_text()
    file.write_text(text)
    refused(capsys, *check, "--resume", log)


@pytest.mark.sweep
def test_explain_says_what_a_compiled_model_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    automaton = compiled(capsys, tmp_path / "a.json", "dfa", "(01)*")
    beaver = compiled(capsys, tmp_path / "b.json", "tm", "1RB1LB_1LA1RZ")
    said = document(capsys, "explain", automaton)
    assert "reads strings over 0 1, adds $" in said["summary"] and said["words"].startswith("Compiled from dfa: (01)*.")
    assert "reads the empty string" in document(capsys, "explain", beaver)["summary"]
    assert call(capsys, "derive", beaver, "--input", "")[1].startswith("1RB1LB_1LA1RZ on the empty string\n")
    assert "agrees with its program on the empty string" in call(capsys, "check", beaver, "--max-length", "2")[1]
