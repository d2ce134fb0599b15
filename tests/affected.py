"""The tests of what a change touches: `python tests/affected.py [BASE] [-- PYTEST-ARGUMENTS]` prints and runs them.

    python tests/affected.py              what differs from main, committed or not
    python tests/affected.py HEAD         what is not committed yet
    python tests/affected.py --list main  the files of tests alone, one a line
    python tests/affected.py HEAD -- -n 2 -m sweep

A change of a module touches all that import it, step by step, by the layers that `.ci/texts.py` checks; not through the
five modules that may look upwards. Chosen are the tests of the packages touched, other tests that import what is
touched, tests that were changed, or import what was changed below tests/. Files that every test reads touch all. CI
runs everything; this is for people.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / ".ci"))
from layers import RANK, UPWARD, inside
from package import ROOT, Module, Modules, given, read

EVERY = ("tests/conftest.py", "pyproject.toml")
ALSO = {"proofs/": ("proof", "coq"), "docs/": (), "examples/": (), "README.md": (), "notes/": (), "benchmarks/": ()}
"""For what lies outside of the package: whose tests read it, beside those that concern the whole."""


def changed(base: str, root: Path = ROOT) -> list[str]:
    """Files that differ from where this branch left `base`, those that git does not know among them."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"BASE must be a commit of this checkout; given: {base}")
        return done.stdout

    since = git("merge-base", base, "HEAD").strip()
    return [*git("diff", "--name-only", since).split(), *git("ls-files", "--others", "--exclude-standard").split()]


def importing(modules: Modules, start: Iterable[str]) -> set[str]:
    """The names of these modules and of all that import them, step by step."""
    names = {module.name for module in modules.values()}
    users: dict[str, set[str]] = {name: set() for name in names}
    for module in modules.values():
        for one in module.imports:
            name = one.name if one.name in names else one.name.rpartition(".")[0]
            upwards = inside(module) in UPWARD and one.lazy
            if name in names and name != "symcook" and not upwards:
                users[name].add(module.name)
    seen, left = set[str](), [name for name in start if name in names]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += users[name]
    return seen


def tests_of(files: Iterable[str], modules: Modules, tests: Modules) -> list[str]:
    """The test files, by path, that a change of these files touches."""
    files = sorted(files)
    every = [path for path in tests if path.rpartition("/")[2].startswith(("test_", "sweep_"))]
    if set(files) & set(EVERY):
        return sorted(every)
    gone = [path for path in files if path.startswith("symcook/") and path not in modules]
    touched = importing(modules, (modules[path].name for path in files if path in modules))
    parts = {name.split(".")[1] for name in touched if name.count(".")} | {path.split("/")[1] for path in gone}
    parts |= {part for path in files for place, also in ALSO.items() if path.startswith(place) for part in also}
    outside = any(path.startswith((*ALSO, ".ci/")) for path in files)
    helpers = importing_tests(tests, [path for path in files if path.startswith("tests/")])
    chosen = set[str]()
    for path in every:
        folder = path.split("/")[1] if path.count("/") > 1 else ""
        wanted = {one.name for one in tests[path].imports}
        whole = folder not in RANK and (outside or (touched and "symcook" in wanted))
        uses = any(name in touched or name.rpartition(".")[0] in touched for name in wanted)
        if folder in parts or path in helpers or uses or whole:
            chosen.add(path)
    return sorted(chosen)


def importing_tests(tests: Modules, start: Iterable[str]) -> set[str]:
    """The paths below tests/ of these files and of those that import them: as `shared`, or as `attacks.mutate`."""
    left, seen = [path for path in start if path in tests or not path.endswith(".py")], set[str]()
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        name = path.removeprefix("tests/").removesuffix(".py").replace("/", ".")
        called = {name, name.rpartition(".")[2]}
        for other in tests.values():
            if called & {part for one in other.imports for part in (one.name, one.name.rpartition(".")[0])}:
                left.append(other.path)
    return seen


def below(root: Path = ROOT) -> dict[str, Module]:
    """The files of Python below tests/."""
    paths = sorted((root / "tests").rglob("*.py"))
    return given({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths})


def main(arguments: list[str]) -> int:
    own, more = arguments, list[str]()
    if "--" in arguments:
        at = arguments.index("--")
        own, more = arguments[:at], arguments[at + 1 :]
    listing = "--list" in own
    own = [one for one in own if one != "--list"]
    if len(own) > 1 or any(one.startswith("-") for one in own):
        print("usage: python tests/affected.py [--list] [BASE] [-- PYTEST-ARGUMENTS]", file=sys.stderr)
        return 2
    files = tests_of(changed(own[0] if own else "main"), read(), below())
    print(*files, sep="\n")
    if listing or not files:
        return 0
    return subprocess.run([sys.executable, "-m", "pytest", *files, *more], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
