"""The certificates of m.npz and of a claim about m.json have names of their own; in earlier versions they had one."""

from __future__ import annotations

from pathlib import Path

import pytest

import symcook as sc
from symcook.__main__ import main

CLAIM = ("prove", "mine.json", "--statement", "1 <= n")
EXPORT = ("export", "mine.json", "-o", "mine.npz", "--max-length", "3")
CERTIFICATE = "mine.certificate.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    b.readout("sign", "last", b.attention("mean", reads="x"), weights=[1])
    b.build("mine").save("mine.json")
    return tmp_path


@pytest.mark.parametrize("order", [(CLAIM, EXPORT), (EXPORT, CLAIM)])
def test_each_has_files_of_its_own(order: tuple[tuple[str, ...], ...], folder: Path) -> None:
    for command in order:
        assert main(list(command)) == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {"mine.json", "mine.npz", CERTIFICATE, "mine.proof.json", "mine.statement.txt"}
    assert main(["prove", "mine.json"]) == 0 and main(["verify-export", "mine.npz"]) == 0


def of_an_earlier_version(folder: Path) -> None:
    """The claim with the name that its certificate had in earlier versions."""
    assert main(list(CLAIM)) == 0
    (folder / "mine.proof.json").rename(folder / CERTIFICATE)


def test_a_proof_of_an_earlier_version_is_read_where_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_an_earlier_version(folder)
    capsys.readouterr()
    assert main(["prove", "mine.json"]) == 0
    assert f"Certificate  {CERTIFICATE}, checked again\n" in capsys.readouterr().out
    assert main(list(CLAIM)) == 0 and capsys.readouterr().out.startswith("already PROVED  1 <= n\n")
    assert main(["prove", "mine.json", "--statement", "count(a) <= 1"]) == 1
    assert (folder / "mine.2.proof.json").is_file() and not (folder / "mine.proof.json").exists()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_an_export_does_not_replace_a_proof_of_an_earlier_version(
    force: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of_an_earlier_version(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert main([*EXPORT, *force]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"symcook: {CERTIFICATE} must be about mine.npz")
    assert "a certificate about a claim" in err and "rename it to mine.proof.json" in err and err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / CERTIFICATE).rename(folder / "mine.proof.json")  # what the message says
    assert main(list(EXPORT)) == 0 and main(["prove", "mine.json"]) == 0


def test_each_replaces_its_own_with_force_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(EXPORT)) == 0
    assert main(list(EXPORT)) == 2 and "add --force" in capsys.readouterr().err
    assert main([*EXPORT, "--force"]) == 0
    for command, first, second in ((CLAIM, "mine.proof.json", "mine.statement.txt"), (EXPORT, CERTIFICATE, "mine.npz")):
        assert main(list(command)) in (0, 2)
        (folder / first).unlink()
        assert main(list(command)) == 2, second  # the file beside it is somebody's too
        (folder / second).unlink()
        assert main(list(command)) == 0


def test_a_model_alone_takes_no_export_for_its_claim(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(EXPORT)) == 0
    capsys.readouterr()
    assert main(["prove", "mine.json"]) == 2
    assert "without --statement, a model must have a certificate next to it; given: no mine.proof.json" in (
        capsys.readouterr().err
    )
    assert main(list(CLAIM)) == 0 and main(["prove", "mine.json"]) == 0


def script(capsys: pytest.CaptureFixture[str], *given: str) -> tuple[int, str, str]:
    """Exit code, output and errors of run_npz."""
    from symcook.export import run_npz

    capsys.readouterr()
    code = 0
    try:
        run_npz.main(*given)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    return code, *capsys.readouterr()


def test_the_script_takes_no_certificate_of_a_claim_for_one_of_weights(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(EXPORT)) == 0
    assert script(capsys, "mine.npz", "a") == (0, "accept\n  mean 1.0\n", "")
    (folder / CERTIFICATE).unlink()
    of_an_earlier_version(folder)
    code, out, err = script(capsys, "mine.npz", "a")
    assert (code, out) == (0, "accept\n  mean 1.0\n") and "no certificate next to mine.npz, but one of a claim" in err
    code, out, err = script(capsys, "mine.json", "a")
    assert (code, out) == (2, "") and err == "mine.json is no archive of an export: it is no whole npz file of one\n"


def test_the_script_says_where_no_answer_is_guaranteed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ab has the mean 0, of rounded numbers: the lengths of such words are not guaranteed, nor are those behind
    the greatest one that was asked."""
    b = sc.Builder(words={"a": {"x": "1/3"}, "b": {"x": "-1/3"}})
    b.readout("sign", "last", b.attention("mean", reads="x"), weights=[1])
    b.build("mine").save("mine.json", force=True)
    assert main(list(EXPORT)) == 0
    for word in ("a", "ab", "aa", "aab", "aaaa"):
        code, _, err = script(capsys, "mine.npz", word)
        note = f"the certificate does not guarantee every answer at length {len(word)}: the exact one may be another\n"
        assert (code, err) == (0, note if len(word) in (2, 4) else ""), word


def test_the_script_ends_with_2_for_what_it_cannot_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(EXPORT)) == 0
    for word in ("", "ax"):
        assert script(capsys, "mine.npz", word)[:2] == (2, "")
    assert script(capsys, "none.npz", "a")[:2] == (2, "")
    data = (folder / "mine.npz").read_bytes()
    (folder / "cut.npz").write_bytes(data[: len(data) // 2])
    assert script(capsys, "cut.npz", "a")[:2] == (2, "")
    (folder / "mine.npz").write_bytes(data[: len(data) // 2])  # and its certificate says that it is another
    assert script(capsys, "mine.npz", "a")[:2] == (1, "")
