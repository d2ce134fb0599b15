"""The certificates of m.npz and of a claim about m.json have one name: neither replaces the other."""

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


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(
    ("first", "second", "must", "given"),
    [
        (CLAIM, EXPORT, "must be about mine.npz", "it is about a claim"),
        (EXPORT, CLAIM, "must be about a claim", "it is about mine.npz"),
    ],
)
def test_the_second_is_refused_with_and_without_force(
    first: tuple[str, ...], second: tuple[str, ...], must: str, given: str, force: tuple[str, ...], folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(list(first)) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert main([*second, *force]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"symcook: {CERTIFICATE} {must}") and given in err and "another name" in err
    assert "--force" not in err and err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_each_replaces_its_own_with_force_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, other in ((CLAIM, "mine.statement.txt"), (EXPORT, "mine.npz")):
        (folder / CERTIFICATE).unlink(missing_ok=True)
        assert main(list(command)) == 0
        capsys.readouterr()
        assert main(list(command)) == 2 and "add --force" in capsys.readouterr().err
        assert main([*command, "--force"]) == 0
        (folder / CERTIFICATE).unlink()
        assert main(list(command)) == 2, other  # the file beside it is somebody's too
        (folder / other).unlink()
        assert main(list(command)) == 0


def test_a_model_alone_takes_no_export_for_its_claim(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(EXPORT)) == 0
    (folder / "mine.statement.txt").write_text("[own.mine]\nnote: 1 <= n\nstatement: true\n")
    capsys.readouterr()
    assert main(["prove", "mine.json"]) == 2
    err = capsys.readouterr().err
    assert "the certificate next to a model must be that of a theorem" in err and "about mine.npz" in err


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
    assert main(list(CLAIM)) == 0
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
