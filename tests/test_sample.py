"""Which tests run: every long one has its turn, and what runs can be told from the commit."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import every_case
import pytest
import sampling
from checkout import TESTS, dealt, of_folder

FAMILY = """
import pytest

@pytest.mark.parametrize("case", range(8))
def test_of_a_family(case):
    pass
"""


def call(folder: Path, *words: str) -> str:
    """What a command prints there; pytest without plugins, which take longer to load than these tests do."""
    without = {name: value for name, value in os.environ.items() if not name.startswith(("SYMCOOK_", "PYTEST_"))}
    without["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(words, cwd=folder, env=without, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commit(folder: Path) -> None:
    call(folder, "git", "add", "-A")
    call(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "more")


def cases(folder: Path, *options: str) -> set[int]:
    """The cases of the family that run there."""
    said = call(folder, sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options, "tests")
    return {int(case) for case in re.findall(r"test_of_a_family\[(\d)\] PASSED", said)}


def record(folder: Path, long: dict[int, float], seconds: dict[str, float] | None = None) -> None:
    """What is recorded there: how long these cases of the family took, and folders."""
    known = {f"tests/cli/test_family.py::test_of_a_family[{case}]": took for case, took in long.items()}
    whole = {"cli": sum(long.values())} if seconds is None else seconds
    (folder / "tests" / "every_case.json").write_text(json.dumps({"seconds": whole, "long": known}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two commits whose conftest is `sampling.py`, with one family of eight cases in the folder `cli`; by
    the record each takes a second, and a run has two."""
    root = tmp_path / "project"
    (root / "tests" / "cli").mkdir(parents=True)
    (root / ".gitignore").write_text("__pycache__\n")
    shutil.copy(TESTS / "checkout.py", root / "tests")
    text = (TESTS / "sampling.py").read_text()
    for name in ("RUN", "LEAST"):
        text = re.sub(rf"^{name} = \d+", f"{name} = 2", text, flags=re.MULTILINE)
    (root / "tests" / "conftest.py").write_text(text)
    (root / "tests" / "cli" / "test_family.py").write_text(FAMILY)
    record(root, dict.fromkeys(range(8), 1.0))
    call(tmp_path, "git", "init", "-q", "project")
    commit(root)
    commit(root)
    return root


@pytest.mark.parametrize("room", [1, 10, 33.5, 1e9])
def test_each_has_its_turn_once_and_no_turn_is_much_longer_than_another(room: float) -> None:
    rng = random.Random(room)
    seconds = {f"test {k}": rng.choice([0.3, 1.0, 2.5]) for k in range(200)}
    count = next(k for k in range(1, 1000) if dealt(seconds, room, 40) == dealt(seconds, room, 40 + k))
    turns = [dealt(seconds, room, turn) for turn in range(40, 40 + count)]
    assert sorted(one for turn in turns for one in turn) == sorted(seconds)
    took = [sum(seconds[one] for one in turn) for turn in turns]
    assert max(took) <= room + 2.5 and max(took) - min(took) < 2.6
    assert (count == 1) is (room > 1e6) and count * room >= sum(seconds.values())


@pytest.mark.parametrize(("short", "touched"), [(180, set()), (180, {"cli"}), (180, {"words"}), (5000, set())])
def test_turns_have_the_time_that_is_left(short: float, touched: set[str]) -> None:
    long = {f"tests/bounds/test_a.py::test[{k}]": 10.0 for k in range(100)} | {"tests/cli/test_b.py::test": 30.0}
    record = {"seconds": {"bounds": short + 920.0, "cli": 110.0}, "long": long}
    turns = [{test for test, now in sampling.in_turn(record, touched, turn).items() if now} for turn in range(20)]
    assert set().union(*turns) == set(long)
    assert all("tests/cli/test_b.py::test" in turn for turn in turns) is (touched == {"cli"})
    left = max(sampling.LEAST, sampling.RUN - short)
    took = [sum(long[test] for test in turn) for turn in turns]
    assert max(took) <= left + 30 and min(took) > min(left, 1030) / 2 - 30


def test_nothing_that_is_long_is_no_turn() -> None:
    assert dealt({}, 10, 3) == set()


def test_commits_in_a_row_run_every_case(project: Path) -> None:
    ran = [cases(project)]
    assert cases(project) == ran[0]  # the same commit: the same cases
    for _ in range(3):
        commit(project)
        ran.append(cases(project))
    assert sorted(case for some in ran for case in some) == list(range(8))


def test_what_is_short_or_not_recorded_yet_runs_each_time(project: Path) -> None:
    record(project, dict.fromkeys(range(2, 8), 1.0))
    commit(project)
    assert {0, 1} < cases(project) and len(cases(project)) == 4


def test_every_case_runs_where_the_history_or_the_record_is_not_there(project: Path, tmp_path: Path) -> None:
    assert len(cases(project)) == 2
    assert len(cases(project, "--every-case")) == 8
    (project / "tests" / "every_case.json").rename(project / "kept")
    assert len(cases(project)) == 8
    (project / "kept").rename(project / "tests" / "every_case.json")
    call(tmp_path, "git", "clone", "-q", "--depth", "1", project.as_uri(), "shallow")
    assert len(cases(tmp_path / "shallow")) == 8
    shutil.rmtree(project / ".git")
    assert len(cases(project)) == 8


@pytest.mark.parametrize(
    ("seconds", "ran"),
    [
        ({"cli": 119}, 8),
        ({"cli": 120}, 2),
        ({"words": 500}, 2),
        ({"cli": 60, "words": 59}, 8),
        ({"cli": 61, "words": 59}, 2),
        ({"cli": 119, "words": 200}, 8),
    ],
)
def test_folders_whose_package_changed_run_whole_where_that_is_short(
    project: Path, seconds: dict[str, float], ran: int
) -> None:
    """The shortest first, as far as all of them take under two minutes."""
    record(project, dict.fromkeys(range(8), 1.0), seconds)
    commit(project)
    assert len(cases(project)) == 2
    for name in ("cli", "words"):
        (project / "symcook" / name).mkdir(parents=True)
        (project / "symcook" / name / "run.py").write_text("")
    commit(project)
    assert len(cases(project)) == ran
    commit(project)
    assert len(cases(project)) == 2


def test_the_folder_of_a_file() -> None:
    paths = ["symcook/export/archive.py", "proofs/lemmas/x.proof", "proofs/coq/Model.v", "proofs/coq.py", "README.md"]
    assert [of_folder(path) for path in paths] == ["export", "proof", "coq", "coq", ""]
    assert [of_folder(path) for path in ("symcook/forward.py", "tests/cli/test_run.py::test_it", "")] == ["", "cli", ""]


def test_what_is_recorded(project: Path) -> None:
    said = project / "said.json"
    cases(project, "--every-case", "--record", str(said))
    made = json.loads(said.read_text())
    assert made["ended"] == {"passed": 8} and set(made["seconds"]) == {"cli"} and made["failed"] == []
    assert made["long"] == {}
    (project / "tests" / "cli" / "test_long.py").write_text("import time\n\ndef test_it():\n    time.sleep(0.25)\n")
    cases(project, "--every-case", "--record", str(said))
    ((test, took),) = json.loads(said.read_text())["long"].items()
    assert test == "tests/cli/test_long.py::test_it" and 0.2 < took < 60


def test_a_record_of_an_older_tree_is_shown_as_older() -> None:
    known: dict[str, object] = {"tree": "ab" * 32, "ended": {"passed": 4300, "skipped": 2}}
    assert every_case.sentence(known, "ab" * 32) == "every case on this tree (abababababab): 4,300 passed, 2 skipped"
    assert "an older tree" in every_case.sentence(known, "cd" * 32)


def test_the_record_does_not_change_the_hash_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "".join(f"100644 blob {'0' * 40}\t{path}\n" for path in ("a.py", "tests/every_case.json", "z.py"))
    monkeypatch.setattr(
        every_case.subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 0, stdout=listed)
    )
    assert [line.partition("\t")[2] for line in every_case.files().splitlines()] == ["a.py", "z.py"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Three parts without tests in them; what pytest is to say of each, and which were asked."""
    state: dict[str, Any] = {"codes": {}, "asked": []}

    def run(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if "--record" not in words:
            return subprocess.CompletedProcess(words, 0, stdout="")
        said = Path(words[words.index("--record") + 1])
        part = said.stem.partition("-")[0]
        code = state["codes"].get(part, 0)
        state["asked"].append(part)
        failed = [f"tests/{part}/test_one.py::test_one"] if code else []
        ended = {"passed": 3} | ({"failed": 1} if code else {})  # up to an interruption it is written too
        said.write_text(
            json.dumps({"ended": ended, "failed": failed, "seconds": {part: 1.5}, "long": {f"{part}::t": 1.2}})
        )
        return subprocess.CompletedProcess(words, code)

    monkeypatch.setattr(every_case.subprocess, "run", run)
    monkeypatch.setattr(every_case, "RECORD", tmp_path / "every_case.json")
    monkeypatch.setattr(every_case, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(every_case, "tree", lambda: "ab" * 32)
    monkeypatch.setattr(every_case, "files", lambda: "")
    monkeypatch.setattr(every_case, "parts", lambda: {name: [] for name in "abc"})
    monkeypatch.setattr(every_case.sys, "argv", ["every_case.py"])
    yield state


@pytest.mark.parametrize("code", [2, 3, -2])
def test_a_run_that_did_not_end_is_not_recorded_and_goes_on(asked: dict[str, Any], code: int) -> None:
    asked["codes"]["b"] = code
    assert every_case.main() == code and not every_case.RECORD.exists()
    del asked["codes"]["b"]
    assert every_case.main() == 0 and asked["asked"] == ["a", "b", "b", "c"]
    seconds, long = dict.fromkeys("abc", 1.5), dict.fromkeys(["a::t", "b::t", "c::t"], 1.2)
    known = json.loads(every_case.RECORD.read_text())
    assert known == {"tree": "ab" * 32, "ended": {"passed": 9}, "seconds": seconds, "long": long}


def test_what_failed_is_recorded_named_and_asked_again(
    asked: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    asked["codes"]["b"] = 1
    assert every_case.main() == 1
    assert json.loads(every_case.RECORD.read_text())["ended"] == {"passed": 9, "failed": 1}
    assert capsys.readouterr().out.count("tests/b/test_one.py::test_one") == 2  # beside its part, and at the end
    assert every_case.main() == 1 and asked["asked"] == ["a", "b", "c", "b"]
    del asked["codes"]["b"]
    assert every_case.main() == 0 and asked["asked"] == ["a", "b", "c", "b", "b"]
    assert json.loads(every_case.RECORD.read_text())["ended"] == {"passed": 9}


def test_another_tree_begins_anew(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert every_case.main() == 0
    monkeypatch.setattr(every_case, "files", lambda: "100644 blob 0\tsymcook/run.py\n")
    assert every_case.main() == 0 and asked["asked"] == [*"abc"] * 2


def test_a_folder_rests_on_all_but_tests_of_others_that_it_does_not_name() -> None:
    def changed(path: str) -> set[str]:
        after = "".join(f"changed {line}\n" if line.endswith(f"\t{path}") else f"{line}\n" for line in listed)
        return {name for name, at in parts.items() if every_case.rests(at, before) != every_case.rests(at, after)}

    parts = {name: at for name, at in every_case.parts().items() if name in ("bounds", "proof", "report", "top")}
    listed = every_case.files().splitlines()
    before = "".join(f"{line}\n" for line in listed)
    for path in ("symcook/run.py", "tests/shared.py", "tests/proof/stored.py", "README.md"):
        assert changed(path) == {"bounds", "proof", "report", "top"}, path
    assert changed("tests/proof/test_bridges.py") == {"proof", "top"}
    assert changed("tests/proof/test_family_relation.py") == {"proof", "report", "top"}  # report imports it
    assert changed("tests/test_readme.py") == {"top"}


def test_the_parts_have_every_test() -> None:
    paths = [path for some in every_case.parts().values() for path in some]
    found = {*paths} | {test for path in paths for test in path.glob("test_*.py")}
    assert {path for path in TESTS.rglob("test_*.py") if "__pycache__" not in path.parts} <= found
