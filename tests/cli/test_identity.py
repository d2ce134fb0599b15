"""Which model, which specification, which family: each test is a false sentence that an adversary made symcook say.

benchmarks/diaries/searches.md has what was tried.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.proof.files import proofs_directory


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def family(name: str, **changes: object) -> Path:
    """The file of a family that ships, changed, under another name."""
    shipped = json.loads((proofs_directory() / "families" / "count.json").read_text(encoding="utf-8"))
    file = Path(name)
    file.write_text(json.dumps(shipped | changes), encoding="utf-8")
    return file


def test_the_name_of_a_recipe_is_the_recipe_s_in_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`run dyck-1` was the recipe, `show dyck-1` and `prove dyck-1` a family in a file that is called so."""
    before = [call(capsys, *line.split())[1] for line in ("show dyck-1", "prove dyck-1", "run dyck-1 --input ()")]
    family("dyck-1")
    after = [call(capsys, *line.split())[1] for line in ("show dyck-1", "prove dyck-1", "run dyck-1 --input ()")]
    assert after == before and "balance" in after[0]
    assert "how often each of S letters" in call(capsys, "show", "./dyck-1")[1]


def test_a_family_of_the_user_is_told_from_one_of_its_name_that_ships(capsys: pytest.CaptureFixture[str]) -> None:
    """Both are called count, and "is count" was said of both."""
    family("mine.json", summary="another")
    for name, line in (("mine.json", "the family count of mine.json"), ("family-count", "count")):
        call(capsys, "new", name, "--set", "S=1", "--tokens", "a", "-o", "made.json", "--force")
        assert f"made.json is {line} at S = 1" in call(capsys, "prove", "made.json")[1]
        code = 3 if name == "mine.json" else 0
        assert document(capsys, "prove", "made.json", code=code).get("file") == ("mine.json" if code else None)


def test_a_checkpoint_is_of_one_order_of_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    """The model's hash has no order, and by the order the smallest string was a in one model, b in the other."""
    sc.compile("ltl", "Q_a & Q_b", alphabet="ab").save("one.json")
    given = json.loads(Path("one.json").read_text(encoding="utf-8"))
    given["embedding"]["words"] = dict(reversed(given["embedding"]["words"].items()))
    Path("other.json").write_text(json.dumps(given), encoding="utf-8")
    Path("spec.py").write_text("def ref(s): return [len(s) < 3 or i > 1 for i in range(len(s))]\n")
    line = ("--spec", "spec.py:ref", "--max-length", "4", "--resume", "words.db")
    assert call(capsys, "check", "one.json", *line)[0] == 1
    assert "must be of the same symbols; given: one of symbols a b, not b a" in refused(
        capsys, "check", "other.json", *line
    )


def test_a_number_that_a_specification_imports_belongs_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a folder elsewhere: a number has no module by which it was found."""
    (folder / "lib").mkdir()
    (folder / "own").mkdir()
    monkeypatch.syspath_prepend(str(folder / "lib"))
    spec = folder / "own" / "spec.py"
    spec.write_text("from limits_of_a_test import MOST\ndef ref(s): return s == '()' and MOST > 1\n")
    said = []
    for most in (1, 0):
        (folder / "lib" / "limits_of_a_test.py").write_text(f"MOST = {most}\n")
        monkeypatch.delitem(__import__("sys").modules, "limits_of_a_test", raising=False)
        said.append(call(capsys, "check", "dyck-1", "--spec", f"{spec}:ref", "--max-length", "3", "--resume", "w.db"))
    assert said[0][0] == 1 and said[1][0] == 2 and "of the same reference" in said[1][2]


def test_a_file_is_told_from_a_regular_expression_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    """A path that exists is a file, and "the strings of ab" were not those of the expression ab."""
    sc.compile("ltl", "Q_a", alphabet="ab").save("one.json")
    Path("ab").write_text("ba\n")
    Path("words").write_text("ba\n")
    line = ("run", "one.json", "--inputs")
    assert "of length 1 to 2 of the file ab\n  ba  " in call(capsys, *line, "ab")[1]
    assert document(capsys, *line, "ab")["inputs"] == "the file ab"
    assert document(capsys, *line, "words")["inputs"] == "words"
    call(capsys, "decide", "one.json", "-o", "auto.json")
    Path("auto.json").rename("a")
    assert "one.json and the file a" in call(capsys, "decide", "one.json", "--against", "a")[1].replace(
        "answers as", "and"
    )
    Path("a").unlink()
    assert "one.json and a\n" in call(capsys, "decide", "one.json", "--against", "a")[1]


def test_a_model_is_not_called_by_another_program(capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose name is a formula, and which holds another one, gave its name to the model."""
    Path("Q_a").write_text("Q_b\n")
    call(capsys, "compile", "ltl", "Q_a", "--alphabet", "ab", "-o", "one.json")
    assert sc.load("one.json").name == "Q_b"
    Path("Q_a").rename("mine.ltl")
    call(capsys, "compile", "ltl", "mine.ltl", "--alphabet", "ab", "-o", "two.json")
    assert sc.load("two.json").name == "mine"


def test_only_answers_that_count_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """`run` showed the last answer where another one was asked about, or none; with --json it was a defect."""
    sc.compile("ltl", "Q_a", alphabet="ab").save("one.json")
    line = ("run", "one.json", "--inputs", "[ab]{2}", "--positions")
    assert call(capsys, *line, "after:b")[1].split("after:b\n")[1].split("\n") == [
        "  aa  no answer counts", "  ab  no answer counts", "  ba  accept", "  bb  reject", "",
    ]  # fmt: skip
    assert "  ab  accept, reject\n" in call(capsys, *line, "all")[1]
    answers = document(capsys, *line, "after:b")["answers"]
    assert [(one["accept"], one["outputs"]) for one in answers] == [
        (None, []),
        (None, []),
        (True, ["1"]),
        (False, ["0"]),
    ]
    Path("spec.py").write_text("def ref(s): return [len(s) < 2 for _ in s]\n")
    line = ("check", "one.json", "--spec", "spec.py:ref", "--max-length", "2", "--positions")
    said = call(capsys, *line, "after:b")[1]
    assert "must be [any; reject]; the model gives [reject; accept]" in said and "answers at positions: after:b" in said
    assert "no answer counts, or any answer is right: 4 inputs" in said
    assert document(capsys, *line, "after:b", code=1)["by_length"] == []
    assert "none for any of the 2 inputs (positions: after:b)" in refused(capsys, *line, "after:b", "--inputs", "a*")


def test_an_export_is_about_the_strings_that_a_file_had(capsys: pytest.CaptureFixture[str]) -> None:
    """The file was changed, and `verify-export` said `about the 2 strings of words`, which has one."""
    sc.compile("ltl", "Q_a", alphabet="ab").save("one.json")
    Path("words").write_text("ab\nba\n")
    assert "inputs: the 2 strings of words" in call(capsys, "export", "one.json", "--inputs", "words", "-o", "w.npz")[1]
    Path("words").write_text("bb\n")
    assert "inputs: the 2 strings of words as the certificate has them" in call(capsys, "verify-export", "w.npz")[1]
