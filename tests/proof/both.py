"""Both checkers asked in place of the first: a test of a file that imports `ask_both` is a test of the two.

The functions of the first checker that attacks call are put behind `Both`, which compares the answers of the two and
gives the first one's.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from proof import conditions_text as texts
from proof import stored

from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.proof import grammar, kernel, replay

second = stored.load_module("checker")

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


_check, _read_formula, _defined, _inhabited = kernel.check, grammar.read_formula, texts.defined, texts.inhabited
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


# --- The attacks on the first checker -------------------------------------------------------------------------------

ALONE = {
    "test_the_search_does_not_prove_it",
    "test_all_levels_of_the_search_do_not_prove_it",
    "test_tables_survive_an_error_in_the_middle",
}
"""Tests of what belongs to the first checker alone: its search and its tables."""
SHARED = ((kernel, "check"), (replay, "load_json"))  # those that tests call by the module's name


@pytest.fixture(autouse=True)
def ask_both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imported into a file of attacks: each of its tests asks both checkers, unless it puts something else into the
    first one's place by itself."""
    test = request.function
    needs = set(test.__code__.co_varnames[: test.__code__.co_argcount])
    if test.__name__ in ALONE or needs & {"books", "monkeypatch", "tmp_path"}:
        return
    attacks = [m for m in list(sys.modules.values()) if getattr(m, "ask_both", None) is ask_both]  # helpers among them
    for module in (*attacks, kernel, replay):
        for name in ("check", "read_formula", "defined", "inhabited", "judge", "load_json"):
            if hasattr(module, name) and (module not in (kernel, replay) or (module, name) in SHARED):
                monkeypatch.setattr(module, name, getattr(Both, name))
