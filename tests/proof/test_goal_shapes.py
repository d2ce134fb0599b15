"""Nodes that end a branch, each on false goals of every shape: none is proved, whatever shape a node is meant for."""

import pytest
from families import together
from proof.both import ask_both  # noqa: F401 (each test here asks both checkers)
from proof.nodes import intro, pos
from proof.test_kernel import prove

from symcook.errors import Rejected

INTERVAL = {"by": "interval", "on": [], "prec": 64}
ENDS = {
    "interval": [INTERVAL],
    "pos": [pos()],
    "pos with a square": [{"by": "pos", "sum": [{"c": "1", "of": [], "sq": "1"}]}],
    "antisym": [{"by": "antisym", "left": [pos()], "right": [pos()]}],
    "antisym by intervals": [{"by": "antisym", "left": [INTERVAL], "right": [INTERVAL]}],
    "induct": [{"by": "induct", "name": "k", "ge": "g", "as": "h", "base": [INTERVAL], "step": [INTERVAL]}],
    "intro": [intro("x"), INTERVAL],
    "intro of two": [intro("x", "h"), INTERVAL],
    "contra": [{"by": "contra", "of": "0"}],
}
FALSE = """0 = 1; 1 = 0; 1 < 0; 1 <= 0; 0 < 0; false; 0 != 0; ~(0 <= 1); ~(0 < 1); 1 <= 0 | 1 < 0; 0 <= 1 & 1 <= 0;
1 <= 0 & 0 <= 1; ex x:Real. x*x < 0; all x:Real. 0 < x; all x:Real. x = x + 1; 0 <= 1 -> 1 <= 0; 0 <= 1 -> 0 = 1;
all k:Int. 0 <= k -> 1 <= 0; all k:Int. 0 <= k -> 0 = 1; all k:Int. 0 <= k -> k <= 1; all k:Real. 0 <= k -> k = 1;
exp(0) = 2; exp(1) <= 2; sin(1) = 1; 0 <= 1 <-> 1 <= 0"""
TRUE = {
    "interval": ["0 < 1", "exp(1) <= 3"],
    "pos": ["0 = 0", "1 <= 1"],
    "pos with a square": ["0 <= 1"],
    "antisym": ["2 = 1 + 1"],
    "intro of two": ["all x:Real. 0 <= x -> 0 <= 1"],
    "induct": ["all k:Int. 0 <= k -> 0 <= 1"],
}


@together("node", ENDS)
@together("goal", FALSE.replace("\n", " ").split("; "))
def test_no_end_proves_what_is_false(node: str, goal: str) -> None:
    with pytest.raises(Rejected):
        prove(goal, ENDS[node])


@together(("node", "goal"), [(node, goal) for node, goals in TRUE.items() for goal in goals])
def test_and_each_of_them_proves_something(node: str, goal: str) -> None:
    prove(goal, ENDS[node])
