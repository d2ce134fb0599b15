"""A sweep on a Dask cluster of two workers on this machine: the same chunks, the same file, the same answer; also where
one worker is killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from symcook import build
from symcook.__main__ import main
from symcook.spec.languages import dyck1
from symcook.verify import answers, chunks
from symcook.verify.chunks import Plan
from symcook.verify.sweep import check

SPEC = """
def shallow(string):
    depth = 0
    for symbol in string:
        depth = depth if depth < 0 else depth - 1 if symbol == ")" else min(depth + 1, 3)
    return depth == 0
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "BLOCK", 2**5)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1e-9)


@pytest.mark.sweep
def test_check_on_a_cluster(cluster: Any, small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shallow.py").write_text(SPEC)
    own = ["check", "dyck-1", "--max-length", "8", "--spec", f"{tmp_path / 'shallow.py'}:shallow", "--json"]
    assert main(own) == 1
    alone = json.loads(capsys.readouterr().out)
    file = tmp_path / "sweep.db"
    assert main([*own, "--scheduler", cluster.scheduler_address, "--resume", str(file)]) == 1
    assert json.loads(capsys.readouterr().out) == alone and alone["counterexample"] == "(((()))"
    assert main([*own, "--resume", str(file)]) == 1  # nothing is left to do
    again = json.loads(capsys.readouterr().out)
    assert f"; {alone['strings']} of them from {file} (" in again["method"]
    assert again | {"method": alone["method"]} == alone


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_worker_that_is_killed_in_the_middle_costs_no_string(cluster: Any, small: None, tmp_path: Path) -> None:
    from distributed import Client

    file, dead = tmp_path / "sweep.db", []
    with Client(cluster, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
        assert len(set(pids)) == 2

        def kill(done: int, total: int) -> None:
            if done > total / 3 and not dead:
                dead.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        executor = client.get_executor(pure=False)
        found = check(build("dyck-1"), dyck1, 9, executor=executor, workers=2, resume=file, progress=kill)
    assert dead and found.holds and found.strings == 1022
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("select first, last, prefix, strings from chunk").fetchall()
        sizes = dict(connection.execute("select name, value from sweep where name in ('block', 'size')"))
    assert sum(row[3] for row in rows) == 1022
    assert len(set(rows)) == len(list(Plan(build("dyck-1"), 9, int(sizes["block"]), int(sizes["size"]))))


@pytest.mark.sweep
def test_no_scheduler_and_no_worker_are_said(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    distributed = pytest.importorskip("distributed")
    own = ["check", "dyck-1", "--max-length", "4", "--scheduler"]
    for address in ("tcp://127.0.0.1:9", "nowhere", "ftp://x"):
        assert main([*own, address]) == 2
        assert "must be that of a Dask scheduler" in capsys.readouterr().err
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        assert main([*own, empty.scheduler_address]) == 2
    assert "the cluster must have a worker" in capsys.readouterr().err
    assert main([*own, cluster.scheduler_address, "--workers", "2"]) == 2
    assert "must be used without --workers" in capsys.readouterr().err


def test_without_dask_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["check", "dyck-1", "--max-length", "4", "--scheduler", "tcp://127.0.0.1:8786"]) == 2
    assert capsys.readouterr().err == (
        "symcook: a check on a cluster must have Dask; given: none installed; install symcook[cluster].\n"
    )
