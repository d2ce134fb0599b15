"""Families as a user meets them: list, show, new, run, check, prove."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from families import together
from proof.family_cases import FAMILIES, SHIPPED
from shared import call, document, refused

from symcook.__main__ import main


def test_shipped_families_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list")
    assert code == 0 and all(f"family-{name}" in out for name in SHIPPED)
    code, out, _ = call(capsys, "show", "family-lookup-one-hot")
    assert code == 0 and "at(c, i) := I[i = c] for c in 1, .., N" in out and "1 <= n <= N" in out
    assert (
        "no mask: i sees j = 1, .., n. Average-hard" in out and "key        of j: (at(c, j) for c in 1, .., N)" in out
    )
    assert "cookbook.t5.onehot: all i in 1..n. all p in 1..n. query(i) = p -> found(i) = value(p)" in out
    code, out, _ = call(capsys, "show", "family-lookup-one-hot", "--set", "ties=leftmost")
    assert code == 0 and "Leftmost-hard" in out
    code, out, _ = call(capsys, "show", "family-dyck-k-d", "--latex")
    assert code == 0 and r"\alpha_{i,j}\,\mathit{token}_{j}" in out
    shown = document(capsys, "show", "family-dyck-k-d", "--json")
    assert shown["premises"] == "(1 <= K) & (1 <= D)" and "active(0, i) = 1" in shown["equations"][1]


def test_a_family_without_its_sizes_is_told_how_to_give_them(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("new", "family-dyck-k-d", "-o", "mine.json")
    code, _, err = call(capsys, *asked)
    assert code == 2
    assert "every parameter of family-dyck-k-d must be given; given: none; give --set K=2 --set D=2." in err
    code, _, err = call(capsys, *asked, "--set", "K=3")
    assert code == 2 and "given: K; give --set D=2." in err
    code, _, err = call(capsys, "run", "family-dyck-k-d", "--set", "K=3", "--input", "0")
    assert code == 2 and "dyck-k-d must have a whole number for D; given: none; give --set D=2." in err


def test_a_family_file_runs_with_sizes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text((FAMILIES / "lookup-one-hot.json").read_text())
    assert document(capsys, "run", file, "--set", "N=3", "--rows", "2,5; 1,7; 3,1")["outputs"] == ["7", "5", "1"]
    for ties in ("leftmost", "rightmost"):
        line = ("run", file, "--set", "N=2", "--set", f"ties={ties}", "--rows", "2,5; 1,7")
        assert document(capsys, *line)["outputs"] == ["7", "5"]
    code, out, _ = call(capsys, "show", file, "--set", "N=2")
    assert code == 0 and "hot2" in out


def test_a_family_checks_against_a_reference_of_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(
        "def nested(word):\n"
        "    stack, least = [], True\n"
        "    for number in map(int, word):\n"
        "        if number % 2 == 0:\n"
        "            stack.append(number)\n"
        "            least &= len(stack) <= 2\n"
        "        elif not stack or stack.pop() != number - 1:\n"
        "            return False\n"
        "    return least and not stack\n"
    )
    line = ("check", "family-dyck-k-d", "--set", "K=2", "--set", "D=2", "--max-length", "5", "--spec", f"{spec}:nested")
    code, out, _ = call(capsys, *line)
    assert code == 0 and "1364" in out.replace(",", "")


@pytest.mark.sweep
def test_new_writes_a_model_whose_theorem_prove_finds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = document(
        capsys, "new", "family-dyck-k-d", "--set", "K=2", "--set", "D=1", "--tokens", "( ) [ ]", "-o", "mine.json"
    )
    assert made == {"file": "mine.json", "family": "dyck-k-d", "values": "K = 2, D = 1", "width": 9}
    assert document(capsys, "run", "mine.json", "--input", "[]()")["accept"] is True
    assert document(capsys, "run", "mine.json", "--input", "([])")["accept"] is False
    found = document(capsys, "prove", "mine.json")
    assert found["bridge"] == "PROVED" and found["values"] == "K = 2, D = 1"
    assert [(one["id"], one["status"]) for one in found["theorems"]] == [("cookbook.s9.2.3.dyckkD_accept", "PROVED")]
    code, out, _ = call(capsys, "prove", "mine.json")
    assert code == 0 and "mine.json is dyck-k-d at K = 2, D = 1: the same strings, runs and answers" in out
    text = Path("mine.json").read_text()
    edited = json.loads(text)
    edited["layers"][1]["feedforward"]["b1"][0][0] = "-1"
    Path("mine.json").write_text(json.dumps(edited))
    said = refused(capsys, "prove", "mine.json")
    assert "must have its weights; given: -1 where the family has -2, at layers 2 feedforward b1 1 1" in said
    for order in (("mine.json", "family-dyck-k-d"), ("family-dyck-k-d", "mine.json")):
        code, out, _ = call(capsys, "diff", *order, "--set", "K=2", "--set", "D=1")
        assert code == 1 and "first difference: layer 2, feed-forward, position 1, active" in out
    edited = json.loads(text)
    edited["layers"][0]["attention"][0]["weighting"] = "leftmost"
    Path("mine.json").write_text(json.dumps(edited))
    code, out, _ = call(capsys, "diff", "mine.json", "family-dyck-k-d", "--set", "K=2", "--set", "D=1")
    assert code == 1 and "the weighting of head 1 of layer 1 is leftmost and average" in out
    assert "must not exist yet" in refused(
        capsys, "new", "family-dyck-k-d", "--set", "K=1", "--set", "D=1", "-o", "mine.json"
    )


@pytest.mark.sweep
def test_prove_finds_the_family_of_a_stored_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a word in it: by its numbers of coordinates, tokens and layers, with the tables of a stored bridge, and
    then by the bridge."""
    several = (("lookup-one-hot", "N = 8"), ("induction-most-recent", "S = 4"),
               ("cpwl", "P = 2, xs = 0 1 2, ys = 0 1 0, m = 1 -1"))  # fmt: skip
    for name, values in several:
        file = tmp_path / f"{name}.json"
        file.write_text((FAMILIES.parent / "models" / f"{name}.json").read_text())
        found = document(capsys, "prove", file)
        assert (found["family"], found["values"], found["bridge"]) == (name, values, "PROVED")
        assert found["theorems"]
    other = tmp_path / "parity.json"
    other.write_text((FAMILIES.parent / "models" / "dyck-1.json").read_text())
    assert "certificate next to it" in refused(capsys, "prove", other)


def test_prove_of_a_family_alone_gives_its_theorems(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = document(capsys, "prove", "family-dyck-k-d")
    assert [one["id"] for one in found["theorems"]] == ["cookbook.s9.2.3.dyckkD_accept"]
    rightmost = document(capsys, "prove", "family-lookup-one-hot", "--set", "ties=rightmost")
    assert [one["id"] for one in rightmost["theorems"]] == ["family.lookup_one_hot_rightmost"]
    assert document(capsys, "prove", "family-dyck-k-d", "--set", "left_ties=rightmost", code=3)["theorems"] == []
    _, out, _ = call(capsys, "prove", "family-dyck-k-d", "--set", "left_ties=rightmost")
    assert out.startswith("No theorem about dyck-k-d with left_ties = rightmost, right_ties = average is stored;")
    assert "there is one with left_ties = average, right_ties = average." in out
    for unread in (("--set", "eps=1/3"), ("--set", "phi=1"), ("--with", "dyck-1")):
        assert call(capsys, "prove", "family-dyck-k-d", *unread)[0] == 2


def test_entries_of_a_table_are_no_name_of_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is called 1 was read in place of the entry 1."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1").write_text("[0]")
    settings = [part for text in ("m=1", "M=1", "xi=1", "phi=1") for part in ("--set", text)]
    assert document(capsys, "run", "family-boolean", *settings, "--set", "p1=1")["output"] == {"out": "1"}


def test_a_table_comes_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    xi, phi = tmp_path / "xi.json", tmp_path / "phi.json"
    xi.write_text("[[0, 1], [1, 0]]")
    phi.write_text('{"1": 1, "2": 1, "3": 0}')
    line = (
        "run",
        "family-boolean",
        "--set",
        "m=2",
        "--set",
        "M=2",
        "--set",
        f"xi={xi}",
        "--set",
        "p1=0",
        "--set",
        "p2=0",
    )
    said = refused(capsys, *line, "--set", f"phi={phi}")
    assert "the table phi must have 2 entries, at the indices of its ranges; given: one at 3" in said
    assert "xi(r, c) = 1, not at r = 2, c = 1" in refused(capsys, *line[:6], "--set", "xi=0 1 2 0", "--set", "phi=1 1")
    assert "put spaces between them" in refused(capsys, *line[:6], "--set", "xi=0,1,1,0", "--set", "phi=1 1")
    phi.write_text('{"1": 1, "2": 1}')
    line = ("family-boolean", "--set", "m=2", "--set", "M=2", "--set", f"xi={xi}", "--set", f"phi={phi}")
    for p1, p2, out in ((0, 1, "1"), (1, 1, "0")):
        answer = document(capsys, "run", *line, "--set", f"p1={p1}", "--set", f"p2={p2}")
        assert answer["output"] == {"out": out}
    found = document(capsys, "prove", *line)
    assert found["values"] == "m = 2, M = 2, xi = 0 1 1 0, phi = 1 1"
    assert "cookbook.t1.boolean" in [one["id"] for one in found["theorems"]]


@together(
    "line, sentence",
    [
        ("run family-dyck-k-d --input x", "dyck-k-d must have a whole number for K; given: none"),
        ("run family-dyck-k-d --set K=0 --set D=1 --tokens 0", "of dyck-k-d must satisfy 1 <= K; given: K = 0"),
        (
            "run family-dyck-k-d --set K=1 --set D=1 --set E=1 --tokens 0",
            "the setting must be a known name; given: E; known: K, D, left_ties, right_ties.",
        ),
        ("new nothere -o x.json", "the name must be that of a family or a family file; given: nothere"),
        (
            "new family-dyck-kd -o x.json",
            "the family must be a known name; given: dyck-kd; did you mean dyck-k-d?",
        ),
        ("show family-nothere", "the family must be a known name; given: nothere; symcook list shows those"),
        ("new dyck-1 -o x.json", "the name must be that of a family"),
        ("new family-lookup-one-hot --set N=2 --tokens a -o x.json", "must be given no tokens"),
        ("new family-dyck-k-d --set K=1 --set D=1 --tokens a -o x.json", "must have 2 different tokens; given: a"),
        ("new family-lookup-one-hot --set N=2 --set M=3 -o x.json", "must be a known name; given: M; known: N, ties"),
        ("new family-lookup-one-hot --set N=2000 -o x.json", "an instance must have at most 5,000,000 weights"),
        ("new family-dyck-k-d --set K=5000 --set D=100000 -o x.json", "weights; given: about 31520000 for dyck"),
        ("new family-lookup-one-hot --set N=9999999999999999999 -o x.json", "whole number of at most 18 digits for N"),
        ("check dyck-1 --tokens ( --max-length 3", "--tokens must be used with a family, whose tokens it names"),
        ("run family-boolean --set m=1 --set M=1 --set xi=nothere.json --set phi=1", "a table must be readable"),
    ],
)
def test_what_is_wrong_is_one_sentence(line: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *line.split())
    assert re.search(re.escape(sentence), said), said


def test_a_theorem_is_about_what_a_family_says_and_not_about_its_name(tmp_path: Path) -> None:
    """A file that is called like a family that ships, and is another one, has none of its theorems."""
    from symcook.model.family import load, shipped
    from symcook.recipes.models import ships

    text = shipped("lookup-one-hot").read_text(encoding="utf-8")
    same, other = tmp_path / "same.json", tmp_path / "other.json"
    same.write_text(json.dumps(json.loads(text), indent=1), encoding="utf-8")
    other.write_text(text.replace('"found": "value"', '"found": "2*value"'), encoding="utf-8")
    assert other.read_text(encoding="utf-8") != text
    assert ships(load(same)) and not ships(load(other))
    for path, code in ((same, 0), (other, 3)):
        assert main(["prove", str(path), "--set", "N=2"]) == code
        assert main(["prove", str(path)]) == code


def test_a_model_of_bounded_length_is_no_instance_of_a_family_of_all_lengths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "m.json"
    assert main(["new", "family-dyck-k-d", "--set", "K=1", "--set", "D=1", "-o", str(made)]) == 0
    assert main(["prove", str(made)]) == 0
    made.write_text(json.dumps(json.loads(made.read_text(encoding="utf-8")) | {"max_length": 7}), encoding="utf-8")
    capsys.readouterr()
    assert main(["prove", str(made)]) == 2
    assert "the maximum length, 7 where the family has unlimited." in capsys.readouterr().err


OWN = {
    "symcook family": 1, "name": "mine", "sizes": {"S": "1 <= S"}, "space": ["all c in 1..S. is(c)", "share"],
    "embedding": {"vocabulary": "S", "words": {"all c in 1..S. is(c)": "I[w = c - 1]"}, "positions": {"share": "1/i"}},
    "layers": [{"feedforward": {"all c in 1..S. is(c)": "relu(is(c) - share)"}}],
    "readout": {"kind": "value", "position": "last", "reads": "all c in 1..S. is(c)"},
}  # fmt: skip


def test_an_instance_remembers_the_family_of_ones_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the hash of its file, which lies beside the model; a family of this name that says something else is none."""
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text(json.dumps(OWN))
    document(capsys, "new", "mine.json", "--set", "S=2", "-o", "m.json")
    found = document(capsys, "prove", "m.json", code=3)
    assert (found["family"], found["values"], found["bridge"]) == ("mine", "S = 2", "PROVED")
    Path("mine.json").write_text(json.dumps({**OWN, "summary": "another"}))
    said = refused(capsys, "prove", "m.json")
    assert "m.json must have the file of its family mine next to it, as it was; given: none with the hash " in said
    shipped = json.loads((FAMILIES / "lookup-one-hot.json").read_text())
    shipped["readout"]["reads"] = ["value"]
    Path("other.json").write_text(json.dumps(shipped))
    document(capsys, "new", "other.json", "--set", "N=2", "-o", "n.json")
    assert document(capsys, "prove", "n.json", code=3)["theorems"] == []


def test_what_divides_by_zero_at_some_length_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for text, given in (("1/(n - 2)", "n - 2"), ("1/(i - 3)", "i - 3"), ("1/(S - 2)", "1/(2 - 2)"), ("log(i - 1)", "")):
        file = tmp_path / "own.json"
        file.write_text(json.dumps({**OWN, "embedding": {**OWN["embedding"], "positions": {"share": text}}}))  # type: ignore[dict-item]
        said = refused(capsys, "prove", file, "--set", "S=2")
        assert given in said and "defect" not in said, said


def test_check_takes_the_names_of_a_familys_tokens(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text("def nested(string):\n    return ''.join(string) in ('', '()', '()()')\n")
    line = ("check", "family-dyck-k-d", "--set", "K=1", "--set", "D=1", "--max-length", "5", "--spec", f"{spec}:nested")
    code, out, _ = call(capsys, *line, "--tokens", "( )")
    assert code == 0 and "62" in out
