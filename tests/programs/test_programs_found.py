"""The programs that come with the library are found: by list, explain, compile, and in Python by their names."""

from __future__ import annotations

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.compilers import genuine
from symcook.programs.shipped import names


def test_list_names_every_program(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list")
    assert code == 0 and [name for name in names() if f" {name} " not in out] == []
    assert "symcook compile LANGUAGE NAME" in out
    found = call(capsys, "list", "--search", "dyck")[1]
    assert all(name in found for name in ("dyck-1.count", "dyck-k.srasp", "shuffle-dyck-2.srasp", "dyck-1-2"))
    assert "sort.srasp" not in found
    rows = {one["name"]: one["kind"] for one in document(capsys, "list")}
    assert {rows[name] for name in names()} == {"program"} and rows["family-max"] == "family"
    assert rows["compose.route"] == "function" and rows["max"] == "feed-forward"
    lines = [line[10:].split()[0] for line in out.split("\n") if line.startswith("  ")]
    assert sorted(lines) == sorted(rows)  # nothing stands in one of them alone


@pytest.mark.parametrize("name", ["dyck-1.count", "dyck-3.srasp", "induction-head.ltl"])
def test_explain_shows_a_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "explain", name)
    assert code == 0 and f"symcook compile {name.rpartition('.')[2]} {name} -o FILE.json" in out and "alphabet" in out
    found = document(capsys, "explain", name)
    assert found["kind"] == "program" and found["text"] in out + "\n" and found["summary"]


@pytest.mark.parametrize("search", ["parity", "Feed-Forward", "§4.1", "Chiang", "families", "yes, no such thing", " "])
def test_a_search_finds_the_same_as_text_and_as_json(capsys: pytest.CaptureFixture[str], search: str) -> None:
    lines = call(capsys, "list", "--search", search)[1].split("\n")
    known = {one["name"] for one in document(capsys, "list")}
    shown = {line[10:].split()[0] for line in lines if line.startswith("  ")} & known
    found = document(capsys, "list", "--search", search, code=0 if shown else 1)
    assert {one["name"] for one in found} == shown
    assert bool(shown) is (search != "yes, no such thing")
    assert (shown == known) is (search == " ") is lines[0].startswith("The Transformer Cookbook")


def test_a_name_that_is_near_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean sort.srasp?" in refused(capsys, "explain", "sorts.srasp")
    said = refused(capsys, "compile", "ltl", "missing.ltl", "-o", "m.json")
    assert "a program must be a file, or the name of one that comes with symcook; given: missing.ltl" in said
    said = refused(capsys, "run", "sort.srasp", "--input", "ab")
    assert "a program" in said and "symcook compile srasp sort.srasp" in said
    assert "did you mean sort.srasp?" in refused(
        capsys, "compile", "srasp", "sort", "--alphabet", "abc", "-o", "m.json"
    )
    assert "must be compiled as srasp" in refused(capsys, "compile", "ltl", "sort.srasp", "-o", "m.json")


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    ("name", "word", "outputs"),
    [("sort.srasp", "cab", ["a", "b", "c"]), ("dyck-1.count", "()", ["0", "1"]),
     ("dyck-2.srasp", "[)", None)],
)  # fmt: skip
def test_python_takes_the_names_too(name: str, word: str, outputs: list[str] | None) -> None:
    model = sc.compile(name.rpartition(".")[2], name)
    assert model.name == name.rpartition(".")[0] and genuine(model)
    ran = model.run(word)
    assert outputs is None or [str(int(one)) if isinstance(one, bool) else one for one in ran.outputs or ()] == outputs
    assert model.program is not None and model.program.source != name
    assert model.plan == model.program.plan != () and sc.build("dyck-1").plan == ()
