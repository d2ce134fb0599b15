"""Numbers are the same in any number of threads, and no precision of the process is left changed."""

from __future__ import annotations

import ast
import json
import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import flint
import mpmath
import pytest

import symcook as sc
from symcook.errors import SymcookError

PACKAGE = Path(sc.__file__).parent
TRUSTED = {"proof/enclose.py", "proof/kernel.py", "proof/replay.py"}
"""They set the precision without the lock, which whoever calls them holds."""
DOMAINS = [
    ("exact", {}), ("ball", {"digits": 15}), ("ball", {"digits": 300}), ("mpmath", {"digits": 20}),
    ("mpmath", {"digits": 400}), ("mpmath", {"bits": 11}), ("mpmath", {"bits": 24}), ("float64", {}),
    ("float32", {}), ("float16", {}),
]  # fmt: skip
ROUNDS = 25


def questions() -> Iterator[Callable[[], object]]:
    """Runs in every number system, and what computes with balls elsewhere: bounds, proofs, margins, closed forms."""
    parity, dyck = sc.build("parity").bind({"c": "1"}), sc.build("dyck-1")
    for model, strings in ((parity, ("0", "0110", "1011")), (dyck, ("()", "(()", "())("))):
        for domain, options in DOMAINS:
            for string in strings:
                yield lambda m=model, s=string, d=domain, o=options: m.run(s, domain=d, **o).to_json()
    yield lambda: str(sc.bound("lookup", gamma="1/2", n=5))
    yield lambda: dyck.margin(max_length=3).to_json()
    yield lambda: [str(verdict) for verdict in sc.prove("lem.exp_three", "lem.log_two")]


def answer(question: Callable[[], object]) -> str:
    try:
        return json.dumps(question(), sort_keys=True, default=str)
    except SymcookError as error:
        return f"{type(error).__name__}: {error}"


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_four_threads_answer_as_one_does(hurried: None) -> None:
    asked = list(questions())
    alone = [answer(question) for question in asked]
    assert not [said for said in alone if said.startswith("BadInput")]
    before = flint.ctx.prec, mpmath.mp.prec
    others: list[tuple[str, str]] = []

    def work(seed: int) -> None:
        drawn = random.Random(seed)
        for k in (drawn.randrange(len(asked)) for _ in range(ROUNDS * 4)):
            if (got := answer(asked[k])) != alone[k]:
                others.append((alone[k], got))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not others
    assert (flint.ctx.prec, mpmath.mp.prec) == before


def test_no_answer_depends_on_the_precision_of_the_process() -> None:
    asked = list(questions())
    alone = [answer(question) for question in asked]
    for bits in (8, 900):
        with flint.ctx.workprec(bits), mpmath.workprec(bits):
            assert [answer(question) for question in asked] == alone


@pytest.mark.sweep
def test_precision_is_set_under_the_lock_alone() -> None:
    unlocked = []
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).as_posix()
        if place not in TRUSTED:
            unlocked += [f"{place}:{line}" for line in sets_precision(path.read_text())]
    assert not unlocked
    assert sets_precision("with flint.ctx.workprec(8): pass") == [1]
    assert sets_precision("flint.ctx.prec = 8") == [1]
    assert sets_precision("enclose.least_sign(t, {}, 8)") == [1]
    assert not sets_precision("with PRECISION, flint.ctx.workprec(8): pass")


def sets_precision(source: str) -> list[int]:
    """The lines that set a precision, enter a number system or enclose a term without holding the lock."""
    found: list[int] = []

    def visit(node: ast.AST, locked: bool) -> None:
        if isinstance(node, ast.With):
            for item in node.items:
                name = ast.unparse(item.context_expr)
                if not locked and (".workprec(" in name or name.endswith(".context()")):
                    found.append(node.lineno)
                locked = locked or name == "PRECISION"
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(one, ast.Attribute) and one.attr in ("prec", "dps") and "ctx" in ast.unparse(one.value)
               for one in targets):  # fmt: skip
            found.append(node.lineno)  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and not locked and ast.unparse(node.func).rpartition(".")[2] == "least_sign":
            found.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child, locked)

    visit(ast.parse(source), False)
    return found
