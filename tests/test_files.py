"""Files that a command writes appear together or not at all, and never in place of what came meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from shared import refused

from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.files import is_path, put


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_files_or_none(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    put({a: b"1", b: b"2"}, force=False)
    assert (a.read_bytes(), b.read_bytes(), names(tmp_path)) == (b"1", b"2", ["a", "b"])
    for present, missing in ((a, b), (b, a)):
        missing.unlink()
        content = present.read_bytes()
        with pytest.raises(FileExistsError):
            put({a: b"3", b: b"4"}, force=False)
        assert names(tmp_path) == [present.name] and present.read_bytes() == content
        missing.write_bytes(b"0")
    put({a: b"5", b: b"6"}, force=True)
    assert (a.read_bytes(), b.read_bytes(), names(tmp_path)) == (b"5", b"6", ["a", "b"])
    with pytest.raises(FileNotFoundError, match="No such file") as refused:
        put({tmp_path / "none" / "a": b"1"}, force=True)
    assert refused.value.filename == str(tmp_path / "none" / "a")


def test_a_refusal_names_the_target_and_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for call in ("replace", "chmod", "fdopen"):
        with monkeypatch.context() as patched:

            def full(*arguments: Any) -> None:
                raise OSError(28, "No space left on device", *arguments[:1])

            patched.setattr(os, call, full)
            with pytest.raises(OSError, match="No space left") as refused:
                put({tmp_path / "a": b"1"}, force=True)
        assert (refused.value.errno, refused.value.filename) == (28, str(tmp_path / "a"))
        assert names(tmp_path) == []


@pytest.mark.parametrize("call", ["replace", "chmod", "fdopen"])
def test_what_is_interrupted_leaves_nothing(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = getattr(os, call), []

    def second(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(os, call, second)
    with pytest.raises(KeyboardInterrupt):
        put({tmp_path / "a": b"1", tmp_path / "b": b"2"}, force=False)
    assert names(tmp_path) == []


def test_of_many_at_once_one_is_written(tmp_path: Path) -> None:
    """Without force exactly one of the writers succeeds; with it the files that stay are those of one writer."""
    for force in (False, True):
        for attempt in range(20):
            folder = tmp_path / f"{force}{attempt}"
            folder.mkdir()
            start, done = threading.Barrier(8), []

            def writer(
                k: int, folder: Path = folder, start: Any = start, done: Any = done, force: bool = force
            ) -> None:
                start.wait()
                try:
                    put({folder / "a": b"%d" % k, folder / "b": b"%d" % k}, force=force)
                    done.append(k)
                except FileExistsError:
                    pass

            threads = [threading.Thread(target=writer, args=(k,)) for k in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            left = (folder / "a").read_bytes(), (folder / "b").read_bytes()
            assert left[0] == left[1] and names(folder) == ["a", "b"]
            assert len(done) == 8 if force else [b"%d" % k for k in done] == [left[0]]


def test_an_export_keeps_what_came_while_it_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symcook.export import certificate

    real = certificate.compare
    target, beside = tmp_path / "m.npz", tmp_path / "m.certificate.json"
    for late in (target, beside):

        def meanwhile(*arguments: Any, late: Path = late) -> Any:
            late.write_bytes(b"mine")
            return real(*arguments)

        monkeypatch.setattr(certificate, "compare", meanwhile)
        assert main(["export", "dyck-1", "-o", str(target), "--max-length", "3"]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and str(late) in err and "add --force" in err
        assert late.read_bytes() == b"mine" and names(tmp_path) == [late.name]
        assert main(["export", "dyck-1", "-o", str(target), "--max-length", "3", "--force"]) == 0
        stored = json.loads(beside.read_text())
        assert stored["weights_sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
        capsys.readouterr()
        target.unlink()
        beside.unlink()


def test_a_model_file_keeps_what_came_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.model import modelfile
    from symcook.recipes import build

    real, target = modelfile.dumps, tmp_path / "m.json"
    model = build("dyck-1")
    monkeypatch.setattr(Path, "exists", lambda self: False)  # as if it came right after the look
    target.write_text("mine")
    with pytest.raises(BadInput, match="must not exist yet"):
        model.save(target)
    assert target.read_text() == "mine" and names(tmp_path) == ["m.json"]
    assert model.save(target, force=True).read_text() == real(model)


def test_a_plot_keeps_what_came_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symcook.report import figure, plots

    real = plots.sweep

    def meanwhile(*arguments: Any, **options: Any) -> Any:
        (tmp_path / "b.csv").write_text("mine")
        return real(*arguments, **options)

    monkeypatch.setattr(plots, "sweep", meanwhile)
    monkeypatch.setattr(figure, "find_spec", lambda name: None)
    given = ["bound", "softmax-hardmax", "--gamma", "5", "--over", "n=2:8:3", "--plot", str(tmp_path / "b")]
    assert main(given) == 2
    assert "add --force" in capsys.readouterr().err
    assert names(tmp_path) == ["b.csv"] and (tmp_path / "b.csv").read_text() == "mine"


@pytest.mark.parametrize("command", [
    "decide dyck-1 -o pipe.json --force", "decide parity --certificate pipe.json --force",
    "check dyck-1 --max-length 2 --resume pipe.json", "export dyck-1 --max-length 2 -o pipe.npz --force",
    "report dyck-1 --input () -o pipe.html --force", "compile ltl Q_a --alphabet ab -o pipe.json --force",
    "derive hardmax-average -o pipe.json --force", "run dyck-1 --input () --svg pipe.svg --force",
    "hardsoft induction-most-recent --error 1/4 --max-length 3 -o pipe.json --force",
    "bound lookup --over gamma=1:2 --plot pipe --force", "margin dyck-1 --max-length 2 --plot pipe --force",
])  # fmt: skip
def test_no_file_takes_the_place_of_a_device(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --force neither; /dev/null was lost to one. A pipe stands for it, which needs no rights."""
    monkeypatch.chdir(tmp_path)
    pipes = {f"pipe{ending}" for ending in ("", ".json", ".npz", ".html", ".svg", ".csv")}
    for pipe in pipes:
        os.mkfifo(pipe)
    assert "must" in refused(capsys, *command.split())
    assert set(names(tmp_path)) == pipes and all(Path(pipe).is_fifo() for pipe in pipes)


def test_paths_of_windows_are_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """With either separator; elsewhere a backslash belongs to a regular expression."""
    from symcook.recipes import models

    assert not is_path(r"a\b.json") and not models.is_path(r"sub\m")
    monkeypatch.setattr("os.sep", "\\")
    for path in (r"C:\sub\m.json", r"sub\m.json", "sub/m.json", r"sub\m"):
        assert is_path(path) and models.is_path(path), path
