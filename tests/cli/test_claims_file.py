"""``symcook prove MODEL --claims FILE``: an answer a line, its exit codes, its files."""

import json

import pytest

import symcook as sc
from symcook.__main__ import main

TRUE, FALSE = "accept <-> count(a) > count(b)", "accept <-> count(a) >= count(b)"
UNDECIDED = "ex m:Int. m*m*m = 2*n*n*n + count(a) - n*n | 2*m = n | 2*m = n + 1"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.readout("sign", "last", b.attention("mean", reads="vote", mask="future"), weights=[1])
    b.build("majority").save("m.json")
    return tmp_path


def claims(home, capsys, *lines: str, options=()) -> tuple[int, str, str]:
    (home / "claims.txt").write_text("\n".join(lines), encoding="utf-8")
    code = main(["prove", "m.json", "--claims", "claims.txt", *options])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_each_line_is_answered(home, capsys):
    code, out, _ = claims(home, capsys, "# about the majority", TRUE, "", f"{FALSE}  # off by one")
    assert code == 1
    first, second = out.splitlines()
    assert first.startswith(f"PROVED   {TRUE}  (") and "m.proof.json" in first
    assert second.startswith(f"REFUTED  {FALSE}  (false of ab") and "m.2.proof.json" in second
    assert main(["prove", "m.json"]) == 0  # both certificates are accepted again


def test_all_proved(home, capsys):
    assert claims(home, capsys, TRUE, "all i in 1..n. mean(i) <= 1", TRUE)[0] == 0
    assert {x.name for x in home.glob("*.proof.json")} == {"m.proof.json", "m.2.proof.json"}


def test_as_json(home, capsys):
    code, out, _ = claims(home, capsys, TRUE, FALSE, options=["--json"])
    rows = json.loads(out)["claims"]
    assert code == 1 and [row["status"] for row in rows] == ["PROVED", "REFUTED"]
    assert [row["word"] for row in rows] == [None, ["a", "b"]]
    assert all(set(row) == {"statement", "status", "word", "method", "seconds", "certificate", "why"} for row in rows)
    assert [row["statement"] for row in rows] == [TRUE, FALSE] and rows[1]["method"].startswith("fragment B")


@pytest.mark.sweep
def test_an_undecided_line(home, capsys):
    code, out, _ = claims(home, capsys, UNDECIDED, options=["--json", "--seconds", "2"])
    (row,) = json.loads(out)["claims"]
    assert (code, row["status"], row["certificate"], row["method"]) == (3, "OPEN", None, None) and row["why"]


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ((TRUE, "accept <-> count(q) > 0"), "line 2 of claims.txt: "),
        (("# nothing",), "--claims must name a file with a statement"),
    ],
)
def test_bad_input_before_anything_is_tried(home, capsys, lines, what):
    code, out, err = claims(home, capsys, *lines)
    assert code == 2 and not out and what in err and not [*home.glob("*.proof.json")]


@pytest.mark.sweep
def test_a_certificate_that_is_there(home, capsys):
    """It stays where it is valid, and is not proved again; with --force it is replaced."""
    assert main(["prove", "m.json", "--statement", TRUE]) == 0
    before = (home / "m.proof.json").stat().st_mtime_ns
    capsys.readouterr()
    code, out, _ = claims(home, capsys, TRUE, FALSE)
    assert code == 1 and out.splitlines()[0].startswith(f"already PROVED   {TRUE}  (stored certificate")
    code, out, _ = claims(home, capsys, FALSE)
    assert code == 1 and out.startswith(f"already REFUTED  {FALSE}  (false of ab") and "m.2.proof.json" in out
    assert {x.name for x in home.glob("*.proof.json")} == {"m.proof.json", "m.2.proof.json"}
    assert (home / "m.proof.json").stat().st_mtime_ns == before
    assert claims(home, capsys, "all i in 1..n. mean(i) <= 1", TRUE, options=["--force"])[0] == 0
    assert (home / "m.proof.json").stat().st_mtime_ns != before and main(["prove", "m.json"]) == 0
    assert {x.name for x in home.glob("*.proof.json")} == {f"m{k}.proof.json" for k in ("", ".2", ".3")}


def test_another_second_model_is_another_claim(home, capsys):
    """The files of a statement are found by what it is about too."""
    for name in ("one", "two"):
        b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1 if name == "one" else -2}})
        b.readout("sign", "last", b.attention("mean", reads="vote", mask="future"), weights=[1])
        b.build(name).save(f"{name}.json")
    for k, name in enumerate(("one", "two")):
        assert main(["prove", "m.json", "--statement", "other.accept -> accept", "--with", f"{name}.json"]) == 0
        assert len([*home.glob("m*.proof.json")]) == k + 1


def test_what_must_not_stand_with_it(home, capsys):
    code, _, err = claims(home, capsys, TRUE, options=["--statement", TRUE])
    assert code == 2 and "--statement must not be used with --claims" in err
    (home / "claims.txt").unlink()
    assert main(["prove", "m.json", "--claims", "claims.txt"]) == 2


def test_a_quoted_token_is_no_comment(home, capsys):
    b = sc.Builder(words={"#": {"vote": 1}, "b": {"vote": -1}})
    b.readout("sign", "last", b.attention("mean", reads="vote", mask="future"), weights=[1])
    b.build("marks").save("m.json", force=True)
    code, out, _ = claims(home, capsys, 'accept <-> count("#") > count(b)')
    assert code == 0 and 'count("#")' in out
