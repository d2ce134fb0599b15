"""Seeded single changes of the code, each run against the tests that cover it: does a test notice?

    python tests/mutants.py FOLDER [--count 200] [--seed 1] [--only GLOB ...] [--tests GLOB ...] [--workers N]
    python tests/mutants.py FOLDER --show

A change is one edit of one expression: a comparison, an operator, a constant, "and" for "or", a dropped term, operand,
keyword or end of a slice, swapped arguments, a branch always taken, "break" for "continue". Error messages, annotations
and docstrings are left alone, and so is what alters no answer of a program without faults, or is shown as well by
another change of the same expression:

- assertions, and what only tells a reader that something goes on or a clock how much was done (`progress`, `tick`,
  `spend`), with the condition under which it does nothing else;
- `strict` of zip (the lists are equally long wherever a test can look) and `default` of a maximum or minimum: without
  it an answer becomes an error, never another answer; `weights=False` of `forward`: without it weights are computed
  too, which nobody asks for; `encoding="utf-8"` of files: it is the default of each machine that tests run on;
- which of two is subtracted from the other where the difference is squared, or its size taken;
- the order of what a maximum, minimum, sum, product, lcm or gcd takes, and of what an operator called by name acts upon
  (`op("Add", a, b)`);
- one more or less of a number of 200 and more that has a name in capitals or is compared with, and the edge of such a
  comparison (`MOST = 2_000`, `size > MOST`, `bits > 1_000`): it is a limit of search, and where exactly it lies is
  nobody's promise. Others of its changes stay, and so do smaller numbers, and great ones that are reckoned with;
- an equality becomes its denial, not an order: lengths, signs and kinds have the least or greatest value there, so that
  the order says the same, and whoever looks at both sides of an equality sees its denial;
- the first entry becomes the second, not the last (`x[0]`, `x[1]`, not `x[-1]`): of one entry the last is the first, of
  two it is the second, and whether anybody looks is seen in either case;
- calls of functions that only raise, as messages are: those of the module, and the classes of `symcook.errors`; and
  what a name is put together from that messages alone take;
- which of two lists comes first where their entries are added or multiplied (`a * b for a, b in zip(x, y)`).

The seed puts all changes of the chosen modules in one order; the first COUNT are run, so that a longer run begins with
the shorter one. GLOB of --only is matched against paths below symcook/ ("bounds/*", "forward.py"), GLOB of --tests
against paths below tests/ ("test_*.py" is all but the folders).

How it works. Everything happens in copies of the tree below FOLDER, never in the tree itself. First every test file
runs once, unchanged, under coverage with one context a test (FOLDER/map): which test runs which line is measured, so
nothing here names a module or a test. Then one process loads all tests, and for each change a fork of it puts the
changed code into the functions that are there and runs the tests that ran its line, until one fails: first those that
noticed other changes of the module, then the quick ones. What is outside of bodies of functions, or is run while tests
are loaded, is changed in the files of a copy instead, and the tests run there file by file; a change outside functions
is met by all tests that touch its module. Tests that already fail unchanged are left out. Hypothesis draws the same
examples at each run. A process that needs much more processor time than its tests should (not: wall time) counts as
noticed: "time".

It can be stopped at any moment (Ctrl-C or kill) and the same command goes on: FOLDER/results.json holds what is known.
After tests were added the same command maps the changed test files again and runs again only what nobody noticed.
After the code was changed the test files that ran a changed module are mapped again, and its changes run again. What is
accepted by its digest is not run; of a line or function that is accepted all changes are, since some alter what others
do not.

Tests that are marked `slow` do not run.

How to read it. Progress goes to stderr, one line a change:

    12/200 noticed    3s bounds/flips.py:66 Sensitivity.at: `length + added` -> `length - added`  [test_...::test_...]

"noticed" is good. "unnoticed" names a change that no test saw: either the change alters nothing that a user is promised
(equal results, another message, another speed, a limit of search), then it belongs into tests/mutants_accepted.json
with the reason, under the digest that --show prints; or it alters results, then a test is missing. "no test" is an
unnoticed change in a line that no test runs in its own process (what only subprocesses run looks like this), "cut" a
run that left out tests, since their estimated time would pass --seconds. The digest is that of the function, the line's
text and the edit, so that it outlives moves of lines and files, not edits of the line. A line none of whose changes
alters what is promised, as an estimate of effort, is accepted under "module function: text of the line", and a function
of this kind as a whole under "module function".

The last line counts. Exit 0 when all COUNT changes were run and at most 2 in 100 are unnoticed and not accepted, else
1. A change takes about 1 s of processor time (one that nobody notices all of its tests), the map of all test files
several minutes the first time. With --tests a
map takes less, but what is then unnoticed must meet the other files before it is judged: name them too and run again
with the same FOLDER. Needs a POSIX system (fork) and `coverage` (pip install coverage).
"""

from __future__ import annotations

import argparse
import ast
import copy
import fnmatch
import gc
import hashlib
import importlib.util
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = Path(__file__).with_name("mutants_accepted.json")
LEFT_OUT = ("__pycache__", ".git", ".venv", "venv", "build", "dist", ".hypothesis", ".ruff_cache", "*.egg-info")
MEMORY = 6 * 2**30
VERDICTS = "SYMCOOK_VERDICTS"  # where verdicts lie that the tests of one run share, as tests/conftest.py reads it
IMPORTS = ("numpy", "sympy", "flint", "mpmath", "click", "pytest")  # read once, before the forks

# --- Changes --------------------------------------------------------------------------------------------------------

COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
ANNOTATIONS = ("annotation", "returns", "decorator_list", "type_comment")
LIMIT = 200  # a number so great that a name in capitals stands for, or that is compared with, is a limit of search
COMMUTE = ("Add", "And", "Equal", "Max", "Min", "Mul", "Or")  # names of operators, before what they act upon
UNSEEN = ("progress", "tick", "spend")  # called for a reader who waits, and for a clock that stops long computations
GUARDS = (
    ("zip", "strict"), ("max", "default"), ("min", "default"), ("forward", "weights"),
    ("read_text", "encoding"), ("write_text", "encoding"), ("open", "encoding"),
)  # fmt: skip
ORDERLESS = ("max", "min", "maximum", "minimum", "fmax", "fmin", "add", "mul", "lcm", "gcd")


@dataclass(frozen=True)
class Change:
    """One edit of a module: the bytes from `start` to `end` become `new`."""

    module: str
    line: int
    last: int
    name: str
    start: int
    end: int
    old: str
    new: str
    digest: str
    row: str = ""

    def __str__(self) -> str:
        def cut(text: str) -> str:
            text = " ".join(text.split())
            return text if len(text) <= 90 else text[:87] + "..."

        return f"{self.module}:{self.line} {self.name}: `{cut(self.old)}` -> `{cut(self.new)}`"


def changes(path: Path, module: str) -> list[Change]:
    """All single changes of a module, in the order of the text."""
    text = path.read_bytes()
    rows = text.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, rows))]
    out: dict[str, Change] = {}
    for node, new, name in edits(ast.parse(text)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        old, row = text[start:end].decode(), rows[node.lineno - 1]
        if new.endswith(")"):  # as many lines as before, so that functions below are known by their first lines
            new = new[:-1] + "\n" * old.count("\n") + ")"
        column = node.col_offset - len(row) + len(row.lstrip())
        marks = json.dumps([name, row.decode().strip(), column, old, new.replace("\n", "")])
        digest = hashlib.sha256(marks.encode()).hexdigest()[:20]
        place = node.lineno, node.end_lineno, name, start, end
        out.setdefault(digest, Change(module, *place, old, new, digest, row.decode().strip()))
    return list(out.values())


def changed(text: bytes, change: Change) -> bytes | None:
    """The module with the change; None where that is no Python or says the same."""
    new = text[: change.start] + change.new.encode() + text[change.end :]
    try:
        return None if ast.dump(ast.parse(new)) == ast.dump(ast.parse(text)) else new
    except SyntaxError:
        return None


def edits(tree: ast.Module) -> Iterator[tuple[Any, str, str]]:
    """(node, its new text, name of the function around it) for every change."""
    messages = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "symcook.errors"
        for name in node.names
    }

    messages |= {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and ("NoReturn" in ast.unparse(node).split("\n")[0] or all(isinstance(n, ast.Raise) for n in node.body))
    }
    limits = {
        node.targets[0].id: node
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.isupper()
        and isinstance(node.value, ast.Constant)
        and type(node.value.value) is int
        and node.value.value >= LIMIT
    }

    def limit(node: ast.AST) -> bool:
        return (isinstance(node, ast.Name) and node.id in limits) or (
            isinstance(node, ast.Constant) and type(node.value) is int and node.value >= LIMIT
        )

    def unseen(node: ast.AST) -> bool:
        if isinstance(node, ast.If) and not node.orelse:
            return all(map(unseen, node.body))
        return isinstance(node, ast.Expr) and ast.unparse(node).split("(")[0].split(".")[-1] in UNSEEN

    def message(node: ast.AST) -> bool:
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in messages
        return called or isinstance(node, ast.Raise)

    told = {part for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for part in _told(node, message)}

    alike = {of for node in ast.walk(tree) if (of := _alike(node)) is not None}
    even = {of for node in ast.walk(tree) if (of := _even(node)) is not None}

    def visit(node: ast.AST, name: str) -> Iterator[tuple[Any, str, str]]:
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
            return
        if node in limits.values() or node in told or message(node):
            return
        if unseen(node):
            return
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}".lstrip(".")
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "0":
            yield node.slice, "1", name
            yield from visit(node.value, name)
            return
        if node in alike:
            yield from (part for arg in node.args for part in visit(arg, name))
            return
        edge = isinstance(node, ast.Compare) and any(map(limit, (node.left, *node.comparators)))
        for new in edited(node, name, edge):
            turned = isinstance(node, ast.BinOp) and f"({ast.unparse(ast.BinOp(node.right, ast.Sub(), node.left))})"
            if not (node in even and new == turned):
                yield node, new, name
        if isinstance(node, ast.keyword) and node.arg in ("strict", "weights") and isinstance(node.value, ast.Constant):
            return
        for field, value in ast.iter_fields(node):
            if field not in ANNOTATIONS:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST) and not (edge and limit(child)):
                        yield from visit(child, name)

    yield from visit(tree, "")


def _told(function: ast.FunctionDef, message: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """The assignments of names that messages alone take."""
    inside = {part for node in ast.walk(function) if message(node) for part in ast.walk(node)}
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    elsewhere = {node.id for node in names if node not in inside}
    taken = {node.id for node in names} - elsewhere
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) and t.id in taken for t in node.targets):
            yield node


def _even(node: ast.AST) -> ast.AST | None:
    """The difference whose square or size is taken."""
    match node:
        case (
            ast.BinOp(left=ast.BinOp(op=ast.Sub()) as of, op=ast.Pow(), right=ast.Constant(value=2))
            | ast.Call(func=ast.Name(id="abs") | ast.Attribute(attr="abs"), args=[ast.BinOp(op=ast.Sub()) as of])
        ):
            return of
    return None


def _alike(node: ast.AST) -> ast.AST | None:
    """The zip of a comprehension that only adds or multiplies what it takes from two lists."""
    match node:
        case (
            ast.GeneratorExp(
                elt=ast.BinOp(left=ast.Name(id=a), op=ast.Add() | ast.Mult(), right=ast.Name(id=b)),
                generators=[
                    ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=c), ast.Name(id=d)]), iter=ast.Call() as of)
                ],
            )
            | ast.ListComp(
                elt=ast.BinOp(left=ast.Name(id=a), op=ast.Add() | ast.Mult(), right=ast.Name(id=b)),
                generators=[
                    ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=c), ast.Name(id=d)]), iter=ast.Call() as of)
                ],
            )
        ) if {a, b} == {c, d} and ast.unparse(of.func) == "zip" and len(of.args) == 2:
            return of
    return None


def edited(node: Any, name: str, edge: bool = False) -> Iterator[str]:
    """The texts that may stand for a node; at the `edge` of a limit its side alone changes."""

    def other(**fields: Any) -> str:
        changed = copy.copy(node)
        for field, value in fields.items():
            setattr(changed, field, value)
        return f"({ast.unparse(changed)})"

    def without(items: list[Any], k: int) -> list[Any]:
        return items[:k] + items[k + 1 :]

    def alone(part: ast.AST) -> str:
        return f"({ast.unparse(part)})"

    match node:
        case ast.Compare(left=left, ops=ops, comparators=right):
            for k, op in enumerate(ops):
                for new in COMPARISONS.get(type(op), ()):
                    if edge and {type(op), new} in ({ast.Lt, ast.LtE}, {ast.Gt, ast.GtE}):
                        continue
                    yield other(ops=[*ops[:k], new(), *ops[k + 1 :]])
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in OPERATORS and (name or not isinstance(op, ast.BitOr)):  # outside functions "|" joins types
                yield other(op=OPERATORS[type(op)]())
            if isinstance(op, ast.Add | ast.Sub | ast.Mult):
                yield alone(left)
                yield alone(right)
            if isinstance(op, ast.Sub | ast.Div | ast.FloorDiv):
                yield other(left=right, right=left)
        case ast.BoolOp(op=op, values=values):
            yield other(op=ast.Or() if isinstance(op, ast.And) else ast.And())
            for k in range(len(values)):
                yield other(values=without(values, k)) if len(values) > 2 else alone(values[1 - k])
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield alone(operand)
        case ast.IfExp(body=body, orelse=orelse):
            yield alone(body)
            yield alone(orelse)
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
            yield f"({value - 1})"
        case ast.Name(id=text, ctx=ast.Load()) if text in NAMES:
            yield NAMES[text]
        case ast.Call(func=func, args=args, keywords=keywords):
            called = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
            named = isinstance(args[0], ast.Constant) and args[0].value in COMMUTE if args else False
            for k in range(len(args) - 1 if called not in ORDERLESS and not named else 0):
                if not any(isinstance(arg, ast.Starred) for arg in args[k : k + 2]):
                    yield other(args=[*args[:k], args[k + 1], args[k], *args[k + 2 :]])
            for k in range(len(keywords)):
                if (called, keywords[k].arg) not in GUARDS:
                    yield other(keywords=without(keywords, k))
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper) as part):
            if lower is not None:
                yield other(slice=ast.Slice(None, upper, part.step))
            if upper is not None:
                yield other(slice=ast.Slice(lower, None, part.step))
        case ast.AugAssign(op=op) if type(op) in OPERATORS:
            yield other(op=OPERATORS[type(op)]())[1:-1]
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


# --- Processes ------------------------------------------------------------------------------------------------------


def left_out(folder: Path, parent: str, names: list[str]) -> set[str]:
    """What is not copied: what is made, and the folder of the copies itself where it lies below the tree."""
    return shutil.ignore_patterns(*LEFT_OUT)(parent, names) | {n for n in names if Path(parent, n) == folder}


def enter(tree: Path) -> None:
    """A copy is what this process works in and imports from; what tests write, and verdicts they share, begin anew."""
    os.chdir(tree)
    os.environ["PYTHONPATH"] = os.fspath(tree)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False  # the copies keep what is compiled: half of the time
    sys.path[:] = [os.fspath(tree), os.fspath(tree / "tests")] + [
        place for place in sys.path if Path(place or ".").resolve() not in (ROOT, ROOT / "tests")
    ]
    files = tree.with_suffix(".files")
    shutil.rmtree(files, ignore_errors=True)
    (files / "verdicts").mkdir(parents=True)
    os.environ["TMPDIR"] = os.fspath(files)
    tempfile.tempdir = None
    os.environ[VERDICTS] = os.fspath(files / "verdicts")


class Pool:
    """At most `size` forked processes at once, each in its own copy of the tree; each hands back JSON in a file."""

    def __init__(self, folder: Path, size: int) -> None:
        self.free = [folder / f"tree{k}" for k in range(size)]
        self.base = folder / "base" if size > 1 else self.free[0]
        """Where all is loaded; what a test starts there reads the change of the one process that there is, or none."""
        for tree in {*self.free, self.base}:
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(ROOT, tree, ignore=partial(left_out, folder))
        self.busy: dict[int, tuple[Path, Path, Callable[[Any], None]]] = {}

    def start(self, work: Callable[[Path], Any], seconds: float | None, done: Callable[[Path, Any], None]) -> Path:
        """Runs `work(tree)` when a copy is free; `done(tree, result)` afterwards, with None for a process that died."""
        while not self.free:
            self.wait()
        return self._fork(self.free.pop(), work, seconds, done)

    def _fork(self, tree: Path, work: Any, seconds: float | None, done: Any) -> Path:
        answer = tree.with_suffix(".json")
        answer.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(number, signal.SIG_DFL)
                if seconds is not None:
                    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                quiet = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(quiet, stream)
                enter(tree)
                answer.write_text(json.dumps(work(tree)))
            finally:
                os._exit(0)
        self.busy[pid] = (tree, answer, lambda result: done(tree, result))
        return tree

    def wait(self) -> None:
        pid, _ = os.wait()
        if pid in self.busy:
            tree, answer, done = self.busy.pop(pid)
            done(json.loads(answer.read_text()) if answer.exists() else None)
            self.free.append(tree)

    def finish(self) -> None:
        while self.busy:
            self.wait()

    def kill(self) -> None:
        for pid in self.busy:
            for kill in (os.killpg, os.kill):
                try:
                    kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue


def pytest_run(arguments: list[str], plugin: Any) -> int:
    """pytest in this process, with hypothesis drawing the same examples each time."""
    import pytest

    class Same:
        @staticmethod
        def pytest_configure() -> None:
            from hypothesis import HealthCheck, settings

            slow = [HealthCheck.too_slow]
            settings.register_profile(
                "same", database=None, derandomize=True, deadline=None, suppress_health_check=slow
            )
            settings.load_profile("same")

    both = ["-m", "not slow"]  # layer one and the sweeps
    return int(pytest.main(["-q", "-x", "--tb=no", "-p", "no:xdist", *both, *arguments], plugins=[plugin, Same()]))


# --- Which test runs which line -------------------------------------------------------------------------------------


def clearing() -> list[Callable[[], Any]]:
    """What empties the caches of the functions and methods that are loaded."""
    out = []
    for module in [m for name, m in sys.modules.items() if name.startswith("symcook")]:
        for value in list(vars(module).values()):
            for cached in (value, *(vars(value).values() if isinstance(value, type) else ())):
                if callable(clear := getattr(cached, "cache_clear", None)):
                    out.append(clear)
    return out


def measure(tree: Path, file: str) -> dict[str, Any]:
    """The lines of symcook that each test of a file runs, and its seconds; under "" what importing it runs."""
    import coverage

    cover = coverage.Coverage(data_file=None, include=[f"{tree}/symcook/*"], config_file=False, messages=False)
    seconds: dict[str, float] = {}
    failed: set[str] = set()

    class Watch:
        @staticmethod
        def pytest_runtest_protocol(item: Any) -> None:
            for clear in clearing():  # what one test left in a cache, the next shall run again
                clear()
            seconds[item.nodeid] = -sum(os.times()[:4])
            cover.switch_context(item.nodeid)

        @staticmethod
        def pytest_runtest_logfinish(nodeid: str) -> None:
            cover.switch_context("")
            seconds[nodeid] += sum(os.times()[:4])

        @staticmethod
        def pytest_runtest_logreport(report: Any) -> None:
            if report.failed or report.skipped:
                failed.add(report.nodeid)

    cover.start()
    pytest_run([f"tests/{file}", "--maxfail=1000000"], Watch)
    cover.stop()
    lines: dict[str, dict[str, list[int]]] = {}
    data = cover.get_data()
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in contexts:
                if context not in failed:
                    module = Path(path).relative_to(tree / "symcook").as_posix()
                    lines.setdefault(context, {}).setdefault(module, []).append(line)
    good = {test: round(spent, 3) for test, spent in seconds.items() if test not in failed}
    ran = {
        Path(path).relative_to(tree / "symcook").as_posix(): digest_of(Path(path).read_bytes())
        for path in data.measured_files()
    }
    return {"seconds": good, "failed": sorted(failed), "lines": lines, "code": ran}


class Map:
    """Which tests run a line."""

    def __init__(self, parts: dict[str, tuple[str, dict[str, Any]]]) -> None:
        self.seconds: dict[str, float] = {}
        self.by_line: dict[tuple[str, int], set[str]] = {}
        self.by_module: dict[str, set[str]] = {}
        self.files: dict[str, str] = {}
        self.loading: set[tuple[str, int]] = set()
        for file, (digest, part) in parts.items():
            self.files[f"tests/{file}"] = digest
            self.seconds |= part["seconds"]
            for test, modules in part["lines"].items():
                tests = set(part["seconds"]) if test == "" else {test}
                for module, lines in modules.items():
                    if test:
                        self.by_module.setdefault(module, set()).update(tests)
                    if not test:
                        self.loading.update((module, line) for line in lines)
                    for line in lines:
                        self.by_line.setdefault((module, line), set()).update(tests)

    def tests(self, change: Change) -> set[str]:
        if not change.name or (change.name[0].isupper() and "." not in change.name):
            return self.by_module.get(change.module, set())
        found: set[str] = set()
        for line in range(change.line, change.last + 1):
            found |= self.by_line.get((change.module, line), set())
        return found

    def loads(self, change: Change) -> bool:
        """Whether the line is run while tests are loaded."""
        return any((change.module, line) in self.loading for line in range(change.line, change.last + 1))

    def digest(self, change: Change, budget: float) -> str:
        """Another one where other tests would run for a change."""
        cut = [f"{budget}".encode()] if self.plan(change, budget)[2] else []
        return digest_of(*cut, *(f"{self.files[t.split('::')[0]]} {t}".encode() for t in sorted(self.tests(change))))

    def plan(self, change: Change, budget: float) -> tuple[list[list[str]], float, bool]:
        """The tests by files within a budget of seconds, the most tests a second first; their seconds; whether cut."""
        files: dict[str, list[str]] = {}
        for test in sorted(self.tests(change), key=lambda test: (self.seconds[test], test)):
            files.setdefault(test.split("::")[0], []).append(test)
        spent, cut, out = 0.0, False, []
        for tests in sorted(files.values(), key=lambda tests: (1 + sum(self.seconds[t] for t in tests)) / len(tests)):
            taken = []
            for test in tests:
                if spent + self.seconds[test] > budget and (spent or self.seconds[test] > 4 * budget):
                    cut = True
                    continue
                spent += self.seconds[test]
                taken.append(test)
            out += [taken] if taken else []
        return out, spent, cut


def try_tests(plan: list[list[str]]) -> str | None:
    """The first test that fails, with the end of its message; None when all pass."""
    for tests in plan:
        rank, failed = {test: k for k, test in enumerate(tests)}, []

        class Chosen:
            @staticmethod
            def pytest_collection_modifyitems(items: list[Any], rank: dict[str, int] = rank) -> None:
                items[:] = sorted((i for i in items if i.nodeid in rank), key=lambda item: rank[item.nodeid])

            @staticmethod
            def pytest_runtest_logreport(report: Any, failed: list[str] = failed) -> None:
                if report.failed:
                    crash = getattr(report.longrepr, "reprcrash", None)
                    failed.append(f"{report.nodeid}: {' '.join(crash.message.split())[:100] if crash else ''}")

        if pytest_run([tests[0].split("::")[0]], Chosen) not in (0, 5):
            return failed[0] if failed else f"{tests[0].split('::')[0]}: does not load"
    return None


# --- Changes put into what is loaded ---------------------------------------------------------------------------------


def body_of(text: bytes, change: Change) -> str | None:
    """The name of the outermost function or method whose body holds a change; None for what is outside of bodies."""

    def find(body: list[ast.stmt], name: str) -> str | None:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.lineno <= change.line <= (node.end_lineno or 0):
                return find(node.body, f"{name}{node.name}.")
            if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= change.line <= (node.end_lineno or 0):
                return name + node.name
        return None

    return find(ast.parse(text).body, "")


def codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """All code objects of a module by qualified name and first line."""
    out = {(code.co_qualname, code.co_firstlineno): code}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            out |= codes(inner)
    return out


class Loaded:
    """pytest in this process with all chosen tests loaded, so that a trial is a fork: it puts the changed code into the
    functions that are there (all that hold it see the change) and runs the tests, the likeliest first."""

    def __init__(self, pool: Pool, lines: Map, todo: list[Change], keep: Callable[..., None], seconds: float) -> None:
        self.pool, self.lines, self.keep, self.seconds = pool, lines, keep, seconds
        self.queue = deque(partial(self.begin, change) for change in todo)
        self.kills: dict[str, Counter[str]] = {}
        self.everywhere: Counter[str] = Counter()
        self.sound: dict[str, bool] = {}  # whether a test passes here unchanged
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failed.append(f"{report.nodeid}: {' '.join(crash.message.split())[:100] if crash else ''}")

    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.clear = clearing()
        self.functions: dict[str, list[FunctionType]] = {}
        for found in gc.get_objects():
            if isinstance(found, FunctionType):
                self.functions.setdefault(found.__code__.co_filename, []).append(found)
        gc.freeze()
        while self.queue or self.pool.busy:
            if self.queue:
                self.queue.popleft()()
            else:
                self.pool.wait()
        return True

    def plan(self, change: Change) -> tuple[list[str], float, bool]:
        """The tests: those that notice most a second in this module, then the quick ones, then the others, by files."""
        files, seconds, cut = self.lines.plan(change, self.seconds)
        here = self.kills.get(change.module, Counter())
        score = {t: (5 * here[t] + self.everywhere[t]) / (0.1 + self.lines.seconds[t]) for t in self.everywhere}
        all_tests = [t for tests in files for t in tests if t in self.items and self.sound.get(t, True)]
        best = sorted((t for t in all_tests if t in score), key=lambda t: -score[t])[:20]
        rest = sorted((t for t in all_tests if t not in best), key=lambda t: self.lines.seconds[t] > 0.2)
        return best + rest, seconds, cut

    def begin(self, change: Change) -> None:
        tests, estimate, cut = self.plan(change)
        unseen = "cut" if cut else "unnoticed" if tests else "no test"
        began = time.monotonic()

        def done(tree: Path, by: str | None) -> None:
            restore(tree, change)
            test = (by or "").partition(": ")[0]
            if by == "elsewhere":
                return
            if by and test in self.items and test not in self.sound:
                self.queue.appendleft(partial(self.check, change, test, by, began))
            elif test and not self.sound.get(test, True):
                self.queue.append(partial(self.begin, change))
            else:
                if test in self.items:
                    self.killed(change, test)
                self.keep(change, unseen if by == "" else "noticed", by or ("time" if by is None else ""), began)

        if tests:
            self.pool.start(partial(self.trial, change=change, tests=tests), 5 * estimate + 60, done)
        else:
            self.keep(change, unseen, "", began)

    def killed(self, change: Change, test: str) -> None:
        self.kills.setdefault(change.module, Counter())[test] += 1
        self.everywhere[test] += 1

    def check(self, change: Change, test: str, by: str, began: float) -> None:
        """What a test noticed counts when it passes unchanged."""

        def done(_: Path, found: str | None) -> None:
            self.sound[test] = found == ""
            if self.sound[test]:
                self.killed(change, test)
                self.keep(change, "noticed", by, began)
            else:
                say(f"fails when many tests are loaded, left out: {test}")
                self.queue.append(partial(self.begin, change))

        self.pool.start(partial(self.trial, change=None, tests=[test]), None, done)

    def trial(self, tree: Path, change: Change | None, tests: list[str]) -> str:
        """The first test that fails; "elsewhere" where the change cannot be put in."""
        if change is not None and not self.put_in(tree, change):
            return "elsewhere"
        for clear in self.clear:
            clear()
        chosen = [self.items[test] for test in tests]
        for item, after in zip(chosen, [*chosen[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, 5 + 10 * self.lines.seconds[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.failed:
                return self.failed[0]
        return ""

    def put_in(self, tree: Path, change: Change) -> bool:
        place = tree / "symcook" / change.module
        before = place.read_bytes()
        after = changed(before, change) or b""
        name = ".".join(["symcook", *change.module.removesuffix(".py").removesuffix("/__init__").split("/")])
        module = sys.modules.get(name)
        if module is None or module.__file__ is None:
            return False
        place.write_bytes(after)
        top = body_of(before, change) or ""
        new, count = codes(compile(after, module.__file__, "exec", dont_inherit=True)), 0
        for function in self.functions.get(module.__file__, ()):
            key = (function.__code__.co_qualname, function.__code__.co_firstlineno)
            if key[0] == top or key[0].startswith(f"{top}.<locals>"):
                if key not in new or new[key].co_freevars != function.__code__.co_freevars:
                    return False
                function.__code__ = new[key]
                count += key[0] == top
        return count > 0


def try_loaded(pool: Pool, lines: Map, todo: list[Change], keep: Callable[..., None], seconds: float) -> None:
    """Tries changes of the bodies of functions in this process; it is of no other use afterwards."""
    loaded = Loaded(pool, lines, todo, keep, seconds)
    files = sorted({test.split("::")[0] for change in todo for test in lines.tests(change)})
    enter(pool.base)
    pytest_run([*files, "-s", "-p", "no:cacheprovider"], loaded)


# --- The run --------------------------------------------------------------------------------------------------------


def digest_of(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Results:
    """What is known of each change, by its digest, in a JSON file that is whole at any moment."""

    def __init__(self, file: Path, code: dict[str, str]) -> None:
        self.file, self.code = file, code
        self.known: dict[str, dict[str, Any]] = {}
        self.read()

    def read(self) -> None:
        stored: dict[str, Any] = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.known = {c: known for c, known in stored.items() if known["code"] == self.code.get(known["module"])}

    def state(self, change: Change) -> str | None:
        return self.known.get(change.digest, {}).get("state")

    def put(self, change: Change, state: str, by: str, tests: str) -> None:
        where = {"module": change.module, "code": self.code.get(change.module)}
        self.known[change.digest] = {"state": state, "by": by, "change": str(change), "tests": tests, **where}
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps(self.known, indent=1))
        draft.replace(self.file)


def build_map(pool: Pool, folder: Path, globs: list[str], code: dict[str, str]) -> Map:
    """The map of the test files that `globs` choose; what a file ran of the same code before is taken as it is."""
    place = folder / "map"
    place.mkdir(exist_ok=True)
    files = (path for kind in ("test", "sweep") for path in (ROOT / "tests").rglob(f"{kind}_*.py"))
    tests = sorted(path.relative_to(ROOT / "tests").as_posix() for path in files)
    parts: dict[str, tuple[str, dict[str, Any]]] = {}

    def known(target: Path, part: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return digest_of(target.stem.encode(), json.dumps(part["code"], sort_keys=True).encode()), part

    def keep(test: str, target: Path, part: dict[str, Any] | None) -> None:
        if part is None:
            say(f"map: {test} died")
            return
        target.write_text(json.dumps(part))
        parts[test] = known(target, part)
        say(f"map: {test}: {len(part['seconds'])} tests, {sum(part['seconds'].values()):.0f}s")
        for name in part["failed"]:
            say(f"map: fails or is skipped unchanged, left out: {name}")

    for test in tests:
        if not any(fnmatch.fnmatch(test, glob) for glob in globs):
            continue
        target = place / f"{digest_of(test.encode(), (ROOT / 'tests' / test).read_bytes())}.json"
        part = json.loads(target.read_text()) if target.exists() else {"code": {"": ""}}
        if part["code"].items() <= code.items():
            parts[test] = known(target, part)
        else:
            pool.start(partial(measure, file=test), None, lambda _, part, a=(test, target): keep(*a, part))
    pool.finish()
    return Map(parts)


def try_changes(pool: Pool, lines: Map, chosen: list[Change], results: Results, seconds: float) -> None:
    """Run each change; skip what was noticed before, and what no other tests would meet than before.

    Changes of bodies of functions that loading tests does not run come first, in forks of a process where all is
    loaded; the others, and what could not be put in there, in forks that load the changed module themselves.
    """

    def keep(change: Change, state: str, by: str, began: float) -> None:
        results.put(change, state, by, lines.digest(change, seconds))
        count = sum(results.state(c) is not None for c in chosen)
        shown = f"  [{by}]" if by else ""
        say(f"{count}/{len(chosen)} {state:9} {time.monotonic() - began:4.1f}s {change}{shown}")

    def left() -> list[Change]:
        return [
            c
            for c in chosen
            if (before := results.known.get(c.digest, {})).get("state") != "noticed"
            and before.get("tests") != lines.digest(c, seconds)
        ]

    sources = {c.module: (ROOT / "symcook" / c.module).read_bytes() for c in chosen}
    if todo := [c for c in left() if body_of(sources[c.module], c) and not lines.loads(c)]:
        if (pid := os.fork()) == 0:
            try:
                try_loaded(pool, lines, todo, keep, seconds)
            finally:
                pool.kill()
                os._exit(0)
        try:
            os.waitpid(pid, 0)
        except BaseException:
            os.kill(pid, signal.SIGTERM)
            raise
        results.read()
    for change in left():
        plan, estimate, cut = lines.plan(change, seconds)
        began = time.monotonic()
        if not plan:
            keep(change, "cut" if cut else "no test", "", began)
            continue
        unseen = "cut" if cut else "unnoticed"

        def done(tree: Path, by: str | None, a: Any = (change, unseen, began)) -> None:
            change, unseen, began = a
            restore(tree, change)
            keep(change, unseen if by == "" else "noticed", "time" if by is None else by, began)

        pool.start(partial(try_change, change=change, plan=plan), 5 * estimate + 60, done)
    pool.finish()


def restore(tree: Path, change: Change) -> None:
    target = tree / "symcook" / change.module
    shutil.copy2(ROOT / "symcook" / change.module, target)
    Path(importlib.util.cache_from_source(os.fspath(target))).unlink(missing_ok=True)


def try_change(tree: Path, change: Change, plan: list[list[str]]) -> str:
    target = tree / "symcook" / change.module
    target.write_bytes(changed(target.read_bytes(), change) or b"")
    return try_tests(plan) or ""


def choose(globs: list[str], seed: int, count: int) -> list[Change]:
    """The first `count` changes of the modules that `globs` choose, in the order of the seed."""
    found: list[Change] = []
    sources: dict[str, bytes] = {}
    for path in sorted((ROOT / "symcook").rglob("*.py")):
        module = path.relative_to(ROOT / "symcook").as_posix()
        if any(fnmatch.fnmatch(module, glob) for glob in globs):
            sources[module] = path.read_bytes()
            found += changes(path, module)
    say(f"{len(found)} changes of {len(sources)} modules")
    random.Random(seed).shuffle(found)
    return list(itertools.islice((c for c in found if changed(sources[c.module], c) is not None), count))


def accepted() -> dict[str, str]:
    return json.loads(ACCEPTED.read_text(encoding="utf-8")) if ACCEPTED.exists() else {}


def reason(change: Change, reasons: dict[str, str]) -> str | None:
    """Why nobody needs to notice a change: by its digest, its function or its line."""
    whole = f"{change.module} {change.name}"
    return reasons.get(change.digest) or reasons.get(whole) or reasons.get(f"{whole}: {change.row}")


def summary(chosen: list[Change], results: Results) -> int:
    reasons = accepted()
    counts: Counter[str] = Counter()
    for change in chosen:
        state, why = results.state(change), reason(change, reasons)
        if state is None and why is None:
            continue
        counts["noticed" if state == "noticed" else "accepted" if why else "unnoticed"] += 1
        if state != "noticed":
            print(f"{'accepted' if why else state} {change.digest} {change}" + (f"  ({why})" if why else ""))
    total = counts.total()
    print(
        f"{total} changes of {len(chosen)} run: {counts['noticed']} noticed, {counts['accepted']} accepted, "
        f"{counts['unnoticed']} unnoticed"
    )
    return 0 if total == len(chosen) and 50 * counts["unnoticed"] <= total else 1


def run(args: argparse.Namespace) -> int:
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted((ROOT / "symcook").rglob("*.py"))
    code = {path.relative_to(ROOT / "symcook").as_posix(): digest_of(path.read_bytes()) for path in paths}
    results = Results(folder / "results.json", code)
    chosen = choose(args.only, args.seed, args.count)
    if not args.show:
        for name in IMPORTS:
            importlib.import_module(name)
        pool = Pool(folder, args.workers)
        try:
            lines, reasons = build_map(pool, folder, args.tests, code), accepted()
            left = [change for change in chosen if change.digest not in reasons]
            try_changes(pool, lines, left, results, args.seconds)
        finally:
            pool.kill()
    return summary(chosen, results)


def main() -> int:
    parser = argparse.ArgumentParser(description="Seeded single changes of the code: does a test notice?")
    parser.add_argument("folder", type=Path, help="where the copies, the map and the results are kept")
    parser.add_argument("--count", type=int, default=200, help="how many changes (200)")
    parser.add_argument("--seed", type=int, default=1, help="their order (1)")
    parser.add_argument("--only", nargs="+", default=["*"], help="modules below symcook/ (all)")
    parser.add_argument("--tests", nargs="+", default=["*"], help="test files below tests/ (all)")
    parser.add_argument("--seconds", type=float, default=60, help="estimated processor time a change (60)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes at once (one a core)")
    parser.add_argument("--show", action="store_true", help="only list what is known")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(parser.parse_args())
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
