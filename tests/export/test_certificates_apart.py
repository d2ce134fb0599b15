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
    assert "must have the certificate of a claim beside it" in err and "about mine.npz" in err
