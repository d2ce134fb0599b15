"""Sweeps in chunks: each word once, whoever runs them; files that go on, or are refused; what is said meanwhile."""

from __future__ import annotations

import importlib
import io
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from kills import killed

from symcook import Fold, build
from symcook.__main__ import main
from symcook.cli.output import SweepProgress
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer
from symcook.model.transformer import Transformer
from symcook.recipes import reference
from symcook.spec.languages import dyck1, parity
from symcook.verify import answers, chunks, sweep
from symcook.verify.chunks import Plan
from symcook.verify.findings import duration
from symcook.verify.sweep import check
from symcook.verify.workers import Made

SHALLOW = """
import symcook as sc
from symcook.verify.workers import Made

def step(depth, token):
    return depth if depth < 0 else depth - 1 if token == ")" else min(depth + 1, 3)

shallow = sc.Fold(0, step, lambda depth: depth == 0)
"""
"""Brackets, of which no more than three are remembered: wrong from length 7 on."""


def counting(
    mask: str = "future", letters: str = "ab", before: str | None = None, after: str | None = None
) -> Transformer:
    space = Space(("x", "mean"))
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask=mask)
    words: dict[str, Any] = {letter: {"x": k - 1} for k, letter in enumerate(letters)}
    words |= {token: {} for token in (before, after) if token}
    embedding = Embedding(space, words=words, before=before, after=after)
    return Transformer("counting", embedding, (Layer(head),), Readout("sign", "last", ("mean",), weights=[[1]]))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small chunks."""
    monkeypatch.setattr(answers, "BLOCK", 2**5)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(sweep, "AGAIN_SECONDS", 0.5)


@pytest.fixture
def spec(tmp_path: Path) -> str:
    (tmp_path / "shallow.py").write_text(SHALLOW)
    return f"{tmp_path / 'shallow.py'}:shallow"


def test_every_word_is_in_one_chunk_whatever_its_size() -> None:
    chance = random.Random(1)
    for _ in range(120):
        letters = "abc"[: chance.choice([1, 2, 3])]
        added = {name: chance.choice([None, token]) for name, token in (("before", "CLS"), ("after", "EOS"))}
        model = counting(chance.choice(["future", "none", "past"]), letters, **added)
        longest, block = chance.randint(1, 6), chance.choice([1, 2, 5, 9, 40])
        plan = Plan(model, longest, block, chance.choice([1, block, 7 * block, 10**6]))
        met = []
        for chunk in plan:
            own = [
                "".join(model.embedding.typed(word))
                for part in plan.parts(chunk)
                for _, piece in part.pieces
                for word in piece
            ]
            assert len(own) == chunk.strings(len(letters)) and all(w.startswith("".join(chunk.prefix)) for w in own)
            assert all(chunk.first <= len(word) <= chunk.last for word in own)
            assert all(part.block.size <= max(block, len(letters)) for part in plan.parts(chunk))
            met += own
        words = ["".join(word) for n in range(1, longest + 1) for word in product(letters, repeat=n)]
        assert sorted(met) == sorted(words) and plan.total == len(words)


def test_strings_that_do_not_add_up_are_no_answer(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Plan.__iter__
    monkeypatch.setattr(Plan, "__iter__", lambda self: (c for c in whole(self) if c.prefix[:2] != ("(", "(")))
    with pytest.raises(AssertionError, match="were compared, and there are 510"):
        check(build("dyck-1"), dyck1, 8)


def test_whoever_runs_them_the_answer_is_one(small: None) -> None:
    for model, right in ((build("dyck-1"), dyck1), (counting(letters="01"), parity)):
        alone = check(model, right, 8)
        assert alone.strings == 510
        with ThreadPoolExecutor(3) as threads:
            assert check(model, right, 8, executor=threads).to_json() == alone.to_json()
        if right is dyck1:
            with ProcessPoolExecutor(2) as pool:
                assert check(model, right, 8, executor=pool, workers=2).to_json() == alone.to_json()
        else:
            assert check(model, right, 8, workers=2).to_json() == alone.to_json()
    with pytest.raises(BadInput, match=r"must be a function of a module.*put it into a file"):
        check(build("dyck-1"), lambda word: True, 10, workers=2)


@pytest.mark.parametrize(("asked", "length", "begun"), [(1000, 3, 1), (2, 8, 2), (1000, 8, 8)])
def test_no_more_processes_than_work_or_cores(
    small: None, monkeypatch: pytest.MonkeyPatch, asked: int, length: int, begun: int
) -> None:
    """Of a machine of two cores: 14 words are one piece, 510 more than eight."""
    counts: list[int] = []

    @contextmanager
    def threads(count: int, task: object) -> Iterator[ThreadPoolExecutor]:
        counts.append(count)
        with ThreadPoolExecutor(count) as pool:
            yield pool

    monkeypatch.setattr(sweep, "processes", threads)
    monkeypatch.setattr(sweep, "cpu_count", lambda: 2)
    assert check(build("dyck-1"), dyck1, length, workers=asked).strings == 2 ** (length + 1) - 2
    assert counts == [begun]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("domain", ["exact", "ball"])
def test_a_sweep_goes_on_where_it_was_interrupted(small: None, spec: str, tmp_path: Path, domain: str) -> None:
    from symcook.cli.runs import made

    model, file, chance, whole = build("dyck-1"), tmp_path / "sweep.db", random.Random(2), 8
    alone = check(model, made(spec), whole, domain=domain)
    assert alone.mismatches > 0 and alone.counterexample and alone.first.input == "(((()))"
    interruptions, asked = 0, []

    class Noted(ThreadPoolExecutor):
        def submit(self, call: Any, *given: Any, **more: Any) -> Any:
            asked.append(given[1])
            return super().submit(call, *given, **more)

    while True:
        most = chance.randint(1, 400)
        rows = sum(1 for _ in stored(file)) if file.exists() else 0

        def stop(done: int, total: int, before: int = interruptions, most: int = most) -> None:
            if done > (before + 1) * 150:
                raise KeyboardInterrupt

        try:
            with Noted(1) as executor:
                found = check(
                    model, made(spec), whole, resume=file, domain=domain, progress=stop, executor=executor, workers=1
                )
            break
        except KeyboardInterrupt as stopped:
            assert f"strings are done; progress is saved in {file}; run the same command to resume" in str(stopped)
            interruptions += 1
            assert sum(1 for _ in stored(file)) >= rows
    assert interruptions > 2 and f"of them from {file}" in found.method
    assert found.to_json() | {"method": None} == alone.to_json() | {"method": None}
    assert len(set(stored(file))) == len(list(Plan(model, whole, *sizes(file))))
    again = check(model, made(spec), whole, resume=file, domain=domain)  # nothing to do
    assert again.to_json() | {"method": None} == alone.to_json() | {"method": None}


def stored(file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("select first, last, prefix from chunk").fetchall()


def sizes(file: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(file)) as connection:
        entries = dict(connection.execute("select name, value from sweep"))
    return int(entries["block"]), int(entries["size"])


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_three_kills_lose_and_repeat_nothing() -> None:
    counts = killed(3, longest=10)
    assert counts["kills"] == 3 and counts["midway"] > 0 and counts["lost"] == counts["repeated"] == 0


SLOW = """
def slow(string):
    return string == "()" or sum(range(40_000)) < 0
"""
"""Its content identifies it, as a check that can resume asks; a string takes about a millisecond."""


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process")
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
@pytest.mark.layer_two(every=2)
def test_ctrl_c_says_how_to_go_on_and_leaves_no_process(tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    file = tmp_path / "sweep.db"
    options = ["--spec", str(tmp_path / "slow.py") + ":slow", "--resume", str(file), *workers]
    command = [sys.executable, "-m", "symcook", "check", "dyck-1", "--max-length", "16", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not Path(f"{file}-wal").exists() or os.stat(f"{file}-wal").st_size < 40_000:
        assert process.poll() is None, process.communicate()  # all strings take more than a minute
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    said = process.communicate(timeout=600)[1].splitlines()
    assert process.returncode == 130
    assert said[-1].startswith("symcook: interrupted; ") and said[-1].endswith("run the same command to resume")
    assert all(line.startswith("dyck-1 differs on ") for line in said[:-1]), said
    done = stored(file)
    assert done
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.killpg(process.pid, 0)
            time.sleep(0.1)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.count(". ") == 0, err
    return err


def test_a_checkpoint_of_something_else(small: None, spec: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    file = str(tmp_path / "sweep.db")
    own = ["--max-length", "8", "--resume", file]
    assert main(["check", "dyck-1", *own]) == 0
    capsys.readouterr()
    assert "of the same model" in refused(capsys, "dyck-1-zero-one", *own)
    assert "of the same reference" in refused(capsys, "dyck-1", *own, "--spec", spec)
    assert "of the same numbers" in refused(capsys, "dyck-1", *own, "--domain", "ball")
    assert "of the same maximum length" in refused(capsys, "dyck-1", "--max-length", "9", "--resume", file)
    monkeypatch.setattr(sweep, "__version__", "0.0.1")
    assert "of the same version of symcook" in refused(capsys, "dyck-1", *own)
    monkeypatch.undo()
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("create table mine (x)")
    model = tmp_path / "mine.json"
    build("dyck-1").save(model)
    before = model.read_bytes()
    for file in (str(other), str(model)):
        said = refused(capsys, "dyck-1", "--max-length", "8", "--resume", file)
        assert f"must be a file of symcook check; given: {file}; give --resume another FILE" in said
    assert model.read_bytes() == before and not list(tmp_path.glob("mine.json-*"))


def test_a_reference_whose_file_changed_is_another(small: None, spec: str, tmp_path: Path, capsys: Any) -> None:
    own = ["dyck-1", "--max-length", "8", "--resume", str(tmp_path / "sweep.db"), "--spec", spec]
    assert main(["check", *own]) == 1
    capsys.readouterr()
    (tmp_path / "shallow.py").write_text(SHALLOW.replace("3)", "4)"))
    assert "of the same reference" in refused(capsys, *own)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("damage", ["cut", "zeros", "row", "strings", "plan", "json", "block"])
@pytest.mark.layer_two(every=2)
def test_a_damaged_checkpoint(damage: str, small: None, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "sweep.db"
    own = ["dyck-1", "--max-length", "9", "--resume", str(file)]
    assert main(["check", *own]) == 0
    capsys.readouterr()
    content = file.read_bytes()
    changes = {
        "row": "insert into chunk values (1, 3, '[\"(\"]', 7, 0, 0, 0, 1, null, null, '[]', 0, '')",
        "strings": "update chunk set strings = strings + 1 where prefix = (select max(prefix) from chunk)",
        "plan": "update sweep set value = 'many' where name = 'size'",
        "block": "update sweep set value = '8' where name = 'block'",
        "json": "update chunk set prefix = '[' where prefix = (select max(prefix) from chunk)",
    }
    if damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "zeros":
        file.write_bytes(content[:4096] + bytes(4096) + content[8192:])
    else:
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute(changes[damage])
    assert "which is damaged; remove the file to begin anew" in refused(capsys, *own)


def all_but_one(string: str) -> bool:
    return string != "(())" and dyck1(string)


def every_string(string: str) -> bool:
    return True


@pytest.mark.sweep
def test_a_flipped_bit_of_a_checkpoint_changes_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a finished check that has found one wrong string, 60 bits one by one: refused, or the same answer."""
    file, damaged, model = tmp_path / "sweep.db", tmp_path / "damaged.db", build("dyck-1")
    monkeypatch.setattr(sweep, "AGAIN", 3)
    found = check(model, all_but_one, 6, resume=file)
    content, refusals = file.read_bytes(), 0
    assert found.mismatches == 1
    for bit in range(3, 8 * len(content), 8 * len(content) // 60):
        damaged.write_bytes(bytes(b ^ (1 << bit % 8) * (k == bit // 8) for k, b in enumerate(content)))
        try:
            again = check(model, all_but_one, 6, resume=damaged)
        except BadInput:
            refusals += 1
        else:
            assert (again.mismatches, again.strings, again.first) == (1, found.strings, found.first)
        for left in tmp_path.glob("damaged.db*"):
            left.unlink()
    assert refusals > 3


def test_a_row_of_another_checkpoint_counts_not(tmp_path: Path) -> None:
    """As one would copy rows of a check with a right reference into that of a wrong one."""
    files = [tmp_path / "right.db", tmp_path / "wrong.db"]
    for file, against in zip(files, (dyck1, every_string), strict=True):
        check(build("dyck-1"), against, 6, resume=file)
    with closing(sqlite3.connect(files[1], isolation_level=None)) as connection:
        connection.execute(f"attach '{files[0]}' as other")
        connection.execute("delete from chunk")
        connection.execute("insert into chunk select * from other.chunk")
    with pytest.raises(BadInput, match="which is damaged"):
        check(build("dyck-1"), every_string, 6, resume=files[1])


@pytest.mark.sweep
def test_a_checkpoint_that_cannot_be_opened_or_is_open_elsewhere(small: None, tmp_path: Path, capsys: Any) -> None:
    missing = ["dyck-1", "--max-length", "8", "--resume", str(tmp_path / "no" / "sweep.db")]
    assert "can be read and written" in refused(capsys, *missing)
    assert "must be a file, not a folder" in refused(capsys, *missing[:-1], str(tmp_path))
    file = str(tmp_path / "sweep.db")
    seen = []

    def meanwhile(done: int, total: int) -> None:
        if not seen:
            seen.append(subprocess.run(
                [sys.executable, "-m", "symcook", "check", "dyck-1", "--max-length", "8", "--resume", file],
                capture_output=True, text=True,
            ))  # fmt: skip

    check(build("dyck-1"), dyck1, 8, resume=file, progress=meanwhile)
    assert seen[0].returncode == 2 and seen[0].stderr.count("\n") == 1
    assert "must be used by only one check at a time" in seen[0].stderr


def test_a_checkpoint_that_is_read_only(small: None, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    """Whoever may write everywhere meets a file that SQLite opens for reading."""
    file = tmp_path / "sweep.db"
    own = ["dyck-1", "--max-length", "8", "--resume", str(file)]
    assert main(["check", *own]) == 0
    capsys.readouterr()
    file.chmod(0o400)
    if os.access(file, os.W_OK):
        opened = sqlite3.connect
        monkeypatch.setattr(sqlite3, "connect", lambda name, **how: opened(f"file:{name}?mode=ro", uri=True, **how))
    assert "can be read and written" in refused(capsys, *own)


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="no limit on files")
def test_a_full_disk_is_said_and_the_sweep_goes_on_afterwards(tmp_path: Path) -> None:
    """Writing fails where the file would be longer than what is allowed, as on a disk without room."""
    file = tmp_path / "sweep.db"
    child = (
        "import resource, signal, sys\n"
        "from symcook.verify import answers, chunks\n"
        "answers.BLOCK, chunks.CHUNK_SECONDS = 2**5, 1e-9\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "if sys.argv[1] != '0': resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)\n"
        "from symcook.__main__ import main\n"
        "sys.exit(main(['check', 'dyck-1', '--max-length', '10', '--json', '--resume', sys.argv[2]]))\n"
    )
    limited = subprocess.run([sys.executable, "-c", child, "60000", str(file)], capture_output=True, text=True)
    assert limited.returncode == 2 and "the disk must have room for the checkpoint" in limited.stderr
    assert limited.stderr.count("\n") == 1
    rows = len(stored(file))
    assert rows > 3
    after = subprocess.run([sys.executable, "-c", child, "0", str(file)], capture_output=True, text=True)
    assert after.returncode == 0 and json.loads(after.stdout)["strings"] == 2046 and len(stored(file)) > rows


@pytest.mark.sweep
def test_a_worker_that_dies_is_said(small: None, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sweep, "rate", lambda *_: 40.0)  # which would ask here
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1.0)
    (tmp_path / "slow.py").write_text(SLOW)
    own = ["dyck-1", "--max-length", "14", "--spec", str(tmp_path / "slow.py") + ":slow", "--workers", "2", "--yes"]
    file = tmp_path / "sweep.db"

    over = threading.Event()

    def kill_one() -> None:
        while not Path(f"{file}-wal").exists() or os.stat(f"{file}-wal").st_size < 40_000:
            if over.wait(0.02):  # the command has failed before it wrote anything
                return
        os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    try:
        assert main(["check", *own, "--resume", str(file)]) == 2
    finally:
        over.set()
    killer.join()
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("symcook: a worker must live until it has answered; given: one that ended before")
    assert stored(tmp_path / "sweep.db")


def unsteady() -> Fold:
    asked: list[str] = []

    def step(state: int, token: str) -> int:
        asked.append(token)
        return len(asked) % 3

    return Fold(0, step, bool)


@pytest.mark.parametrize(
    ("fold", "said"),
    [
        (Fold(0, lambda s, t: s + 1 + 0 // (s - 3), bool), "must answer every input; given: ZeroDivisionError"),
        (unsteady(), "must give the same answer for the same state; given: 1 and then 2"),
        (Fold(0, lambda s, t: 0, lambda s, seen=[]: seen.append(s) or len(seen) % 2 == 0), "False and then True"),
    ],
)  # fmt: skip
def test_folds_that_fail(fold: Fold, said: str) -> None:
    with pytest.raises(BadInput, match=said) as error:
        check(build("dyck-1"), fold, 6)
    assert str(error.value).count("\n") == 0


@pytest.mark.sweep
def test_a_sweep_of_more_than_an_hour_is_refused_unless_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build("dyck-1")
    monkeypatch.setattr(sweep, "rate", lambda *_: 0.5)
    monkeypatch.setattr(sweep, "RANDOM_SECONDS", 0.1)
    with pytest.raises(BadInput, match=r"less than an hour.*about 2 hours; give yes=True, with resume=FILE") as error:
        check(model, dyck1, 11)
    assert "random strings agree" in str(error.value)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 1000.0)
    assert check(model, dyck1, 11, yes=True).strings == 4094
    with ThreadPoolExecutor(2) as two, pytest.raises(BadInput, match="about 68 minutes"):
        assert check(model, dyck1, 10, executor=two, workers=2).strings == 2046
        check(model, dyck1, 10)
    monkeypatch.undo()
    monkeypatch.setattr(chunks, "LIMIT", 100)
    with pytest.raises(BadInput, match="at most 100 inputs, which is length 5 over 2 symbols; given: length 9"):
        check(model, dyck1, 9)
    assert check(model, dyck1, 9, yes=True).strings == 1022


def test_random_words_may_show_that_a_sweep_need_not_be_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "LIMIT", 100)
    found = check(build("dyck-1"), lambda word: word.count("(") == word.count(")"), 9)
    assert found.way == "random" and found.mismatches == 1 and not found.holds and found.first
    word = found.first.input
    assert word.count("(") == word.count(")") and not dyck1(word) and found.first.got is False
    assert "smallest" not in found.text() and f"counterexample: {word}" in found.text()
    assert found.to_json()["way"] == "random" and "random, exact:" in found.method


def test_durations() -> None:
    assert [duration(s) for s in (1, 59.6, 119, 121, 3700, 90000, 10**6, 10**8)] == [
        "1 second", "60 seconds", "119 seconds", "2 minutes", "62 minutes", "25 hours", "12 days", "3.17 years"
    ]  # fmt: skip


@pytest.mark.sweep
def test_a_counterexample_is_said_at_once_and_the_smallest_in_the_end(small: None) -> None:
    """Chunks go by prefixes, so that a longer word may come first."""
    said: list[str] = []
    wrong = {"))()", "()()))", "(("}

    def differ(word: str) -> bool:
        return dyck1(word) != (word in wrong)

    found = check(build("dyck-1"), differ, 10, tell=said.append)
    assert found.counterexample and found.first.input == "((" and found.mismatches == 3
    assert said and all(line.startswith("dyck-1 differs on ") for line in said) and "((" in said[-1]


def test_progress_says_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    with SweepProgress("checking x") as progress:
        for done, at in ((1000, 100.0), (3000, 102.0), (5000, 104.0)):
            now[0] = at
            progress(done, 11000)
    assert "checking x: 3000 of 11000, 1e+03 a second, 8 seconds left" in shown.getvalue()
    assert "checking x: 5000 of 11000, 1e+03 a second, 6 seconds left" in shown.getvalue()


def test_rows_and_grids_are_no_sweeps_in_parts(tmp_path: Path) -> None:
    for name, length in (("prefix-average", 3), ("min", None)):
        with pytest.raises(BadInput, match="must be of a model that reads strings"):
            check(build(name), reference(name), length, resume=tmp_path / "sweep.db")
    for count in (0, True, "2"):
        with pytest.raises(BadInput, match=r"workers must be an integer|must be an integer"):
            check(build("dyck-1"), dyck1, 4, workers=count)  # type: ignore[arg-type]


def test_a_reference_that_no_file_defines_cannot_go_on(tmp_path: Path) -> None:
    made: dict[str, Any] = {}
    exec("def accepts(string): return string == '()'", made)
    with pytest.raises(BadInput, match="must have a specification from a file"):
        check(build("dyck-1"), made["accepts"], 4, resume=tmp_path / "sweep.db")


def test_a_slow_first_call_does_not_make_a_sweep_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of all loads what it needs: its time says nothing of those that follow."""
    calls: list[int] = []

    def first_is_slow(part: answers.InputPart) -> None:
        calls.append(part.size)
        if len(calls) == 1:
            time.sleep(0.3)

    plan = Plan(build("dyck-1"), 12, 2**8, 2**8)
    assert chunks.rate(plan, first_is_slow) > 10**4 and len(calls) > 1

    def always_slow(part: answers.InputPart) -> None:
        time.sleep(0.55 * part.size)

    assert 1 < chunks.rate(plan, always_slow) < 10


def test_a_busy_machine_does_not_make_passes_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pass is held up for a while in which it does not work: the rate is that of larger ones."""
    clock = [0.0]
    monkeypatch.setattr(chunks.time, "perf_counter", lambda: clock[0])
    sizes: list[int] = []

    def held_up(part: answers.InputPart) -> None:
        sizes.append(part.size)
        clock[0] += 0.5

    assert chunks.rate(Plan(build("dyck-1"), 12, 2**8, 2**8), held_up) > 2 * max(sizes) - 1 > 2**8


def test_what_a_reference_imports_from_beside_it_tells_it_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "beside_it.py").write_text("def odd(string):\n    return string.count('a') % 2 == 1\n")
    (tmp_path / "asked_here.py").write_text("from beside_it import odd\n\n\ndef accepts(word):\n    return odd(word)\n")
    reference = importlib.import_module("asked_here").accepts
    before = Made.of(reference).name
    assert before is not None and before == Made.of(reference).name
    (tmp_path / "beside_it.py").write_text("def odd(string):\n    return string.count('a') % 3 == 1\n")
    assert Made.of(reference).name != before
    for name in ("asked_here", "beside_it"):
        sys.modules.pop(name)


def referring(folder: Path, body: str) -> list[str]:
    """A check of the counting model against a reference that imports a module of its folder, with a checkpoint."""
    (folder / "spec.py").write_text("from pathlib import Path\nfrom rules import side\n" + body, encoding="utf-8")
    spec, file = str(folder / "spec.py") + ":ref", str(folder / "words.db")
    return ["check", "dyck-1", "--spec", spec, "--max-length", "6", "--resume", file]


@pytest.mark.sweep
@pytest.mark.parametrize("inside", ["rules.py", "rules/__init__.py", "rules/deep/side.py", "elsewhere.py"])
def test_a_reference_is_its_file_and_what_it_imports(inside: str, tmp_path: Path) -> None:
    """In processes of their own, as each has what it once imported."""
    folder, far = tmp_path / "own", tmp_path / "far"
    (folder / "rules/deep").mkdir(parents=True)
    far.mkdir()
    if inside == "rules.py":
        (folder / "rules").rename(folder / "unused")
    else:
        lines = {
            "rules/__init__.py": "def side(word): return True\n",
            "rules/deep/side.py": "from rules.deep.side import side\n",
        }
        (folder / "rules/__init__.py").write_text(lines.get(inside, "from elsewhere import side\n"))
    file = (far if inside == "elsewhere.py" else folder) / inside
    command = referring(folder, "def ref(word): return side(word)\n")

    def answered(rule: str) -> subprocess.CompletedProcess[str]:
        file.write_text(f"def side(word): return {rule}\n", encoding="utf-8")
        paths = os.pathsep.join(map(str, (folder, far)))
        return subprocess.run(
            [sys.executable, "-m", "symcook", *command], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip

    assert answered("word.count('(') == word.count(')')").returncode == 1
    if inside == "rules.py":  # the checkpoint goes on where nothing has changed
        again = answered("word.count('(') == word.count(')')")
        assert again.returncode == 1 and "126 of them from" in again.stdout and "were run again)" in again.stdout
    other = answered("word.count('(') >= word.count(')')")
    assert other.returncode == 2 and "must be of the same reference" in other.stderr


def test_a_sample_of_a_checkpoint_is_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reference for which an installed package reads a file of data, which nobody sees change. One that reads it by
    itself has no identity."""
    (tmp_path / "spec.py").write_text(
        "from numpy import loadtxt\n"
        f"FILE = {str(tmp_path / 'least.txt')!r}\n"
        "def ref(word):\n"
        "    return word.count('(') >= int(loadtxt(FILE))\n"
        "def reads(word):\n"
        "    return word.count('(') >= int(open(FILE).read())\n"
    )
    command = ["check", "dyck-1", "--spec", f"{tmp_path}/spec.py:ref", "--max-length", "6"]
    command += ["--resume", str(tmp_path / "words.db")]
    (tmp_path / "least.txt").write_text("0")
    assert main([part.replace(":ref", ":reads") for part in command]) == 2
    assert "one that holds the function open" in capsys.readouterr().err
    assert main(command) == 1
    (tmp_path / "least.txt").write_text("9")
    assert main(command) == 2
    error = capsys.readouterr().err
    assert "must be those of the model and its specification; given:" in error and "asked again, they" in error


def test_an_executor_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match=r"an executor must be a concurrent\.futures\.Executor; given: int"):
        check(build("dyck-1"), dyck1, 3, executor=3)  # type: ignore[arg-type]
