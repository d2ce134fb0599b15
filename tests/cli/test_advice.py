"""What a refusal advises can be done: its command has the options that it names. `shared.refused` looks at each
sentence that any test meets; here are those of files that exist, for every command that writes one."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from functools import partial
from pathlib import Path

import click
import pytest
from checkout import ROOT
from shared import call, misadvised, options, refused

import symcook as sc
from symcook.cli.commands import COMMANDS
from symcook.cli.output import group
from symcook.errors import BadInput

WRITES: dict[str, tuple[tuple[str, ...], str]] = {
    "new": (("family-max", "--set", "K=2", "-o"), ".json"),
    "compile": (("ltl", "Q_a", "--alphabet", "ab", "-o"), ".json"),
    "import": ((str(ROOT / "tests" / "published" / "swap.json"), "-o"), ".json"),
    "decide": (("dyck-1-2", "-o"), ".json"),
    "decide --certificate": (("dyck-1-2", "--certificate"), ".json"),
    "derive": (("dyck-1", "-o"), ".json"),
    "run --svg": (("dyck-1", "--input", "()", "--svg"), ".svg"),
    "report": (("dyck-1", "-o"), ".html"),
    "export": (("dyck-1", "-o"), ".npz"),
    "hardsoft": (("dyck-1-2", "--error", "1/4", "--max-length", "2", "-o"), ".json"),
}


def writers() -> set[str]:
    """The commands with an option whose value is a file to write."""
    every = ((name, group.get_command(click.Context(group), name)) for name in COMMANDS)
    words = re.compile(r"\b(write|draw|figures|page of|file for)\b", re.IGNORECASE)
    return {
        name
        for name, found in every
        if found is not None
        for p in found.params
        if isinstance(p, click.Option) and re.search(r"FILE|DIR", p.metavar or "") and words.search(p.help or "")
    }


def test_every_command_that_writes_is_here() -> None:
    assert {name.split()[0] for name in WRITES} >= writers() - {"margin", "tolerance", "temperature", "precision"}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", WRITES)
def test_a_file_that_exists_is_kept_and_the_advice_works(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line, ending = WRITES[name]
    command = name.split()[0]
    target = tmp_path / f"there{ending}"
    target.write_text("mine")
    said = refused(capsys, command, *line, target)
    assert "there" in said and target.read_text() == "mine"
    assert "--force" in said or "force" in said
    if name != "export":  # slow
        assert call(capsys, command, *line, target, "--force")[0] in (0, 3) and target.read_text() != "mine"


@pytest.mark.sweep
def test_each_option_that_a_refusal_names_is_one() -> None:
    """Of some command, in every literal of the package that stands in a BadInput."""
    known = {one for name in COMMANDS for one in options(name)} | {"--debug", "--help", "--version", "--json"}
    found = []
    for path in sorted((ROOT / "symcook").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("BadInput", "unknown", "Undecided"):
                for text in (str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)):
                    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)
                    found += [(path.name, one) for one in named if one not in known]
    assert found == []


def test_wrong_advice_is_seen() -> None:
    assert misadvised("derive", "symcook: x must be; given: y; add --forces to replace it.") == ["--forces"]
    assert misadvised("list", "symcook: x must be; given: y; give --input.") == ["--input"]
    assert misadvised("list", "symcook: x must be; given: y; see symcook run --input.") == []
    assert misadvised("list", "symcook: x must be; given: --input.") == []


def votes() -> sc.Transformer:
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[1])
    return b.build("votes")


@pytest.mark.parametrize("length", ["6", Fraction(6), 6.0, " 6 "])
def test_an_integer_is_advised_where_one_is_meant(length: object) -> None:
    with pytest.raises(BadInput, match=r"must be an integer or None.*; write 6\.$"):
        votes().margin(length)  # type: ignore[arg-type]
    for other in ("x", Fraction(13, 2), 6.5, float("inf")):
        with pytest.raises(BadInput, match=r"given: [^;]*\.$"):
            votes().margin(other)  # type: ignore[arg-type]


def test_a_parameter_is_given_by_values() -> None:
    model = sc.build("gtzero")
    with pytest.raises(BadInput, match=r"the parameter eps must .*; give values=\{\"eps\": VALUE\} with 0 < eps"):
        model.arrays()
    with pytest.raises(BadInput, match="given: d; known: scaled, eta, c"):
        sc.build("first", d=2)


def test_a_file_that_is_taken_for_a_name_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    votes().save("mine.json")
    with pytest.raises(BadInput, match=r'given: mine.json; write load\("mine.json"\)'):
        sc.build("mine.json")
    for command in ("prove", "show", "run"):
        assert "did you mean the file mine.json?" in refused(capsys, command, "mine")


def test_claims_without_a_proof_are_no_unknown_names() -> None:
    with pytest.raises(BadInput, match=r"must have a stored proof to be replayed; given: chiang2022.prop2.exists"):
        sc.prove("chiang2022.prop2.exists")
    with pytest.raises(BadInput, match="must be a known name"):
        sc.prove("cookbook.s6.4")


def test_what_is_empty_or_has_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.words"
    empty.write_text("")
    votes().save(tmp_path / "votes.json")
    said = refused(capsys, "run", str(tmp_path / "votes.json"), "--inputs", str(empty))
    assert said.endswith("empty.words, which has none; write one string a line.\n")
    for text in ("a,b", "yes,no,n", "a, b", "b ,a", "yes, no, n"):
        written = " ".join(text.replace(",", " ").split())
        for ask in (partial(sc.compile, "ltl", "Q_a"), partial(sc.build, "induction-most-recent")):
            with pytest.raises(BadInput, match=f"write {written}, or with blanks around the comma"):
                ask(alphabet=text)
    assert sc.compile("ltl", "Q_a", alphabet="a , b").alphabet == ("a", ",", "b")
    assert sc.compile("ltl", "Q_a", alphabet=["a", ","]).alphabet == ("a", ",")


def test_the_strings_that_were_run_are_in_the_first_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.words").write_text("ab\nba\n")
    votes().save(tmp_path / "votes.json")
    asked = ("hardsoft", str(tmp_path / "votes.json"), "--error", "1/4")
    _, out, _ = call(capsys, *asked, "--inputs", str(tmp_path / "two.words"))
    assert "checked on the 2 strings of length 1 to 2 of " in out.splitlines()[0] and "all strings" not in out
    _, out, _ = call(capsys, *asked, "--max-length", "2")
    assert "checked on every string of length 1 to 2" in out.splitlines()[0]


@pytest.mark.parametrize("word", ["", "abab", "abb"])
def test_a_decoder_that_is_run_once_says_how_it_answers(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "even.json")
    sc.compile("dfa", "(ab)*").save(file)
    code, out, _ = call(capsys, "run", file, "--input", word)
    assert code == 0
    (steps,) = re.findall(r"for the verdict give --steps (\d+)$", out, re.MULTILINE)
    code, out, _ = call(capsys, "run", file, "--input", word, "--steps", steps)
    assert out.endswith(f"ended with {'no' if word == 'abb' else 'yes'}\n")


def test_a_missing_statement_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "votes.json"
    votes().save(file)
    (tmp_path / "votes.proof.json").write_text("{}")
    said = refused(capsys, "prove", str(file))
    assert f"a certificate must have its statement next to it; given: no {tmp_path / 'votes.statement.txt'}" in said
