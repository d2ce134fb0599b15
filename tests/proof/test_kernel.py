"""Hand-written proofs of a few facts, one for each kind of node, and what their near neighbours give."""

import pytest

from symcook.errors import Rejected
from symcook.proof.grammar import read_formula
from symcook.proof.kernel import check


def prove(text, proof, **lemmas):
    return check(read_formula(text, {}, {}), proof, lemmas={f"lem:{k}": read_formula(v, {}, {}) for k, v in lemmas.items()})


def pos(*summands, eq=()):
    return {"by": "pos", "sum": [{"c": c, "of": list(of)} for c, *of in summands], "eq": [list(e) for e in eq]}


def intro(*names):
    return {"by": "intro", "as": list(names)}


def use(fact, *given, name="h0"):
    return {"by": "use", "fact": fact, "with": list(given), "as": name}


RELU = (
    "all x:Real. relu(x) - relu(-x) = x",
    [
        intro("x"),
        {
            "by": "em",
            "formula": "0 <= x",
            "as": ["p", "m"],
            "proofs": [
                [
                    use("ax:relu_pos", "x", "#p", name="a"),
                    use("ax:relu_neg", "-x", "#p", name="b"),
                    pos(eq=[["1", "a"], ["-1", "b"]]),
                ],
                [
                    use("ax:relu_neg", "x", [pos(["1", "m"])], name="a"),
                    use("ax:relu_pos", "-x", [pos(["1", "m"])], name="b"),
                    pos(eq=[["1", "a"], ["-1", "b"]]),
                ],
            ],
        },
    ],
)

SUM_CONST = (
    "all c:Real, n:Int. 0 <= n -> sum(j, 1, n, c) = n*c",
    [
        intro("c"),
        {
            "by": "induct",
            "name": "n",
            "ge": "ge",
            "as": "ih",
            "base": [pos()],
            "step": [
                use("ax:sum_step", "j. 1", "1", "n + 1", [pos(["1", "ge"])], name="s"),
                pos(eq=[["c", "s"], ["1", "ih"]]),
            ],
        },
    ],
)
