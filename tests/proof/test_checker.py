"""The second checker, proofs/checker.py, against the first: one reading of every text, one verdict on every proof.

The attacks on the first checker are run again with `Both` in its place, which asks both and compares.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from proof import mutate, test_attacks, test_kernel, test_neighbours, test_traps
from proof import test_mutations as damage

from symcook import expr
from symcook.errors import BadInput, Rejected
from symcook.proof import grammar, kernel, replay

HOME = replay.library()
STATEMENTS = HOME.statements
STORED = sorted((HOME.root / "certificates").glob("*.json"))


def load_module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"second_{name}", HOME.root / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


second = load_module("checker")
expand = load_module("expand")

# Where the second checker may refuse what the first accepts: its limits (see the head of checker.py).
STRICTER = ("the time is over", "too ", "an exponent", "nested", "a number in a normal form", "a power")
# Where the first refuses by a limit of its own, the second may get further.
LIMITED = ("time limit", "exceed", "too ", "has no finite", "more than", "nested", "at most", "prec")


@contextlib.contextmanager
def frames() -> Iterator[None]:
    """The stack that the second checker gives itself when it runs alone."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(second.RECURSION)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def first(action: Callable[[], Any]) -> tuple[Any, str | None]:
    """What the first checker says: the result, or None and why not."""
    try:
        return action(), None
    except (Rejected, BadInput) as error:
        return None, str(error)


def other(action: Callable[[], Any], seconds: float = 60) -> tuple[Any, str | None]:
    """What the second checker says."""
    try:
        with frames():
            second.Clock.start(seconds)
            return second.attempt(lambda _: action(), None), None
    except second.Rejected as error:
        return None, str(error)


def term(t: Any) -> Any:
    """A term of the first checker as one of the second, which checks its sorts."""
    return second.Term(t[0], t[1], *[term(k) for k in t[2]])


def definitions(known: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}

    def convert(d: Any) -> Any:
        if d.name not in made:
            made[d.name] = None  # a definition that uses itself, planted by an attack
            text = f"{d.name}({', '.join(d.params)}) := {expr.show(d.tree)}"
            made[d.name] = second.Definition(text, {})
            made[d.name].known = {name: convert(k) for name, k in d.known.items()}
        return made[d.name]

    return {name: convert(d) for name, d in known.items()}


def agree(what: Callable[[], str], why: str | None, reason: str | None) -> None:
    """Both accept (None), or both refuse, or one keeps to a limit of its own."""
    if why is None and reason is not None:
        assert any(s in reason for s in STRICTER), f"only the first accepts {what()}: {reason}"
    if why is not None and reason is None:
        assert any(s in why for s in LIMITED), f"only the second accepts {what()}: {why}"


class Both:
    """The functions of the first checker that attacks call, each asking the second one as well."""

    compared = 0

    @staticmethod
    def check(goal: Any, proof: Any, *, lemmas: Any = None, known: Any = None, seconds: float = 10) -> Any:
        result, why = first(lambda: _check(goal, proof, lemmas=lemmas, known=known, seconds=seconds))

        def ask() -> Any:
            facts = {name: term(f) for name, f in (lemmas or {}).items()}
            return second.check(term(goal), proof, facts, definitions(known or {}), 2 * seconds)

        Both.compared += 1
        agree(lambda: f"a proof of {grammar.show(goal)}", why, other(ask)[1])
        if result is None:
            raise Rejected(why or "")
        return result

    @staticmethod
    def read_formula(text: str, scope: Any, known: Any) -> Any:
        result, why = first(lambda: _read_formula(text, scope, known))
        same, reason = other(lambda: second.digest(second.Reader(scope, definitions(known)).formula(text)))
        Both.compared += 1
        agree(lambda: f"the text {text}", why, reason)
        if result is not None and same is not None:
            assert same == grammar.digest(result), text
        return _read_formula(text, scope, known) if result is None else result

    @staticmethod
    def defined(t: Any) -> Any:
        with frames():
            assert second.defined(term(t)) == term(_defined(t))
        return _defined(t)

    @staticmethod
    def inhabited(t: Any, names: Any, nontrivial: Any, known: Any) -> Any:
        result, why = first(lambda: _inhabited(t, names, nontrivial, known))

        def ask() -> Any:
            goal, out, left = term(t), [], list(names)
            while goal.op in ("all", "->"):
                if goal.op == "all":
                    out.append((left.pop(0) if left else f"#{len(out)}", goal.data))
                goal = goal.kids[-1]
            read = second.Reader({}, definitions(known))
            return second.inhabited(term(t), None if nontrivial is None else read.formula(nontrivial, out))

        same, reason = other(ask)
        assert (why is None) == (reason is None), (why, reason)
        if result is None:
            raise Rejected(why or "")
        assert same == term(result)
        return result

    @staticmethod
    def judge(statement: Any, certificate: Any, lemmas: Any = None, seconds: float = 10) -> Any:
        result, why = first(lambda: _judge(statement, certificate, lemmas, seconds))
        Both.compared += 1
        agree(
            lambda: f"a certificate of {statement.id}", why, other(lambda: ask_judge(statement, certificate, lemmas))[1]
        )
        if result is None:
            raise Rejected(why or "")
        return result

    @staticmethod
    def load_json(text: Any) -> Any:
        result, why = first(lambda: _load_json(text))
        same, reason = other(lambda: second.load(text if isinstance(text, str) else text.decode("utf-8", "replace")))
        if why is None or ("half" not in why and "UTF-8" not in why):  # those it refuses when it reads the file
            agree(lambda: "a text of JSON", why, reason)
            assert result == same
        if why is not None:
            raise Rejected(why)
        return result


_check, _read_formula, _defined, _inhabited = kernel.check, grammar.read_formula, kernel.defined, kernel.inhabited
_judge, _load_json = replay.judge, replay.load_json


def ask_judge(statement: Any, certificate: Any, lemmas: Any = None) -> str:
    """The second checker on a certificate as text; the lemmas count as proved."""
    text = second.load(json.dumps(certificate))
    made = {s.id: converted(s) for s in (statement, *(lemmas or {}).values())}
    checker = second.Checker(made)
    checker.proved |= {name: set() for name in (lemmas or {}) if name not in checker.proved}
    line = checker.judge(text)
    second.need(not line.startswith("skipped"), "a check is no proof")
    return line


def converted(s: Any) -> Any:
    block = {"statement": s.expanded} | ({} if s.nontrivial is None else {"nontrivial": s.nontrivial})
    return second.Statement(s.id, block | ({} if s.claim else {"claim": "no"}), definitions(s.known))


# --- The stored statements and certificates -------------------------------------------------------------------------


@functools.cache
def read_expanded() -> Any:
    with frames():
        return second.read_statements(expand.text(HOME.root))


def test_the_same_formula_for_every_statement() -> None:
    """And the same D and H."""
    assert list(read_expanded()) == list(STATEMENTS)
    with frames():
        for name, s in STATEMENTS.items():
            other = read_expanded()[name]
            assert (other.digest, other.claim, other.corrects) == (s.digest, s.claim, s.corrects), name
            assert second.digest(other.goal("defined")) == grammar.digest(s.defined), name
            assert second.digest(other.goal("inhabited")) == grammar.digest(s.inhabited), name


def test_the_same_axioms() -> None:
    with frames():
        other = {name: second.digest(f) for name, f in second.axioms().items()}
    assert other == {name: grammar.digest(f) for name, f in kernel.axioms().items()}


def test_the_same_nodes() -> None:
    for by, (must, may) in kernel.NODES.items():
        left, _, right = second.NODES[by].partition("|")
        assert (set(left.split()), set(right.split())) == (must, may), by
    assert set(second.NODES) == set(kernel.NODES)


def run(*arguments: Any, code: int = 0) -> list[str]:
    """The lines that the second checker prints when it runs alone: without symcook, without anything installed."""
    command = [sys.executable, "-I", "-S", "-W", "error", str(HOME.root / "checker.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (code, ""), done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


def test_the_same_verdict_on_every_certificate(tmp_path: Path) -> None:
    path = tmp_path / "expanded.txt"
    path.write_text(expand.text(HOME.root), encoding="utf-8")
    lines = run(path, *STORED)
    said = {(word, name) for word, name, *_ in (line.split() for line in lines[:-1])}
    wanted = set()
    for stored in STORED:
        data = json.loads(stored.read_text(encoding="utf-8"))
        word = "skipped" if "check" in data else data["sense"].upper()
        wanted.add((word, data["id"]))
    assert said == wanted
    for verdict in replay.replay(HOME.certificates()):
        word = {"CORRECTED": "REFUTED"}.get(verdict.status, verdict.status.split()[0])
        assert ("skipped" if word == "CHECKED" else word, verdict.id) in said, verdict
        line = next(x for x in lines if x.split()[:2] == [word, verdict.id]) if word != "CHECKED" else ""
        assert all(f"named:{name}" in line for name in verdict.named)


def test_it_imports_the_standard_library_only() -> None:
    code = (
        "import sys, runpy\n"
        f"runpy.run_path({str(HOME.root / 'checker.py')!r})\n"
        "print([m for m in sys.modules if m.split('.')[0] not in sys.stdlib_module_names and m != '__main__'])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("batch", range(10))
def test_mutations(batch: int) -> None:
    """A damaged certificate is rejected by both, or is still a proof for both."""
    names = [p for p in STORED if "check" not in json.loads(p.read_text(encoding="utf-8"))]
    for seed in range(7_000 + batch * 50, 7_000 + (batch + 1) * 50):
        path = names[seed % len(names)]
        whole = json.loads(path.read_text(encoding="utf-8"))
        lemmas = {n: STATEMENTS[n] for n in whole["lemmas"]}
        damaged = mutate.mutate(whole, seed)
        with contextlib.suppress(Rejected):
            Both.judge(STATEMENTS[whole["id"]], damaged, lemmas, seconds=5)


# --- The attacks on the first checker -------------------------------------------------------------------------------

ATTACKED = (test_attacks, test_traps, test_kernel, damage, test_neighbours)
CALLS = {"attempt", "refused", "prove", "check", "read_formula", "judge", "load_json", "defined", "inhabited", "d_of"}
CALLS |= {"h_of", "formula"}
LEFT_OUT = {"test_the_search_does_not_prove_it", "test_tables_survive_an_error_in_the_middle"}


@pytest.fixture(autouse=True)
def ask_both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In the tests taken over from other files, both checkers are asked."""
    if not hasattr(request.node, "originalname") or "__of__" not in request.node.originalname:
        yield
        return
    for module in (*ATTACKED, kernel, replay):
        for name in ("check", "read_formula", "defined", "inhabited", "judge", "load_json"):
            if hasattr(module, name) and (module not in (kernel, replay) or (module, name) in SHARED):
                monkeypatch.setattr(module, name, getattr(Both, name))
    yield


SHARED = ((kernel, "check"), (replay, "load_json"))  # those that tests call by the module's name


def taken_over() -> dict[str, Any]:
    """The tests that call the first checker, under new names."""
    out: dict[str, Any] = {}
    for module in ATTACKED:
        for name, test in vars(module).items():
            if not (name.startswith("test_") and isinstance(test, types.FunctionType)) or name in LEFT_OUT:
                continue
            asked = set(test.__code__.co_names)
            needs = set(test.__code__.co_varnames[: test.__code__.co_argcount])
            if asked & CALLS and not needs & {"books", "monkeypatch", "tmp_path"}:
                out[f"{name}__of__{module.__name__.rpartition('.')[2]}"] = test
    return out


globals().update(taken_over())
