"""Hand-written proofs of small facts, with each kind of node at least once, and their false near neighbours."""

import copy
from functools import partial

import pytest
from families import together
from proof import nodes
from proof.both import ask_both  # noqa: F401 (each test here asks both checkers)
from proof.nodes import intro, pos

from symcook.errors import Rejected
from symcook.proof.grammar import read_formula
from symcook.proof.kernel import NODES, Accepted, check

use = partial(nodes.use, name="h0")


def prove(text, proof, **lemmas) -> Accepted:
    """Check `proof` against the formula written in `text`, with `lemmas` as formulas by name."""
    known = {f"lem:{name}": read_formula(given, {}, {}) for name, given in lemmas.items()}
    return check(read_formula(text, {}, {}), proof, lemmas=known, seconds=10)


def em(formula, labels, *proofs):
    return {"by": "em", "formula": formula, "as": list(labels), "proofs": list(proofs)}


# Name: (statement, proof). All are true; NEAR lists false statements that none of these proofs may prove.
PROOFS = {
    "half": ("all x:Real. 0 <= 2*x -> 0 <= x", [intro("x", "h"), pos(["1/2", "h"])]),
    "relu": (
        "all x:Real. relu(x) - relu(-x) = x",
        [
            intro("x"),
            em(
                "0 <= x",
                ["p", "m"],
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
            ),
        ],
    ),
    "sum_const": (
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
    ),
    "exp_above": (
        "all x:Real. x < exp(x)",
        [intro("x"), use("ax:exp_ge", "x", name="e"), pos(["1", "e"], ["1"])],
    ),
    "amgm": (
        "all x:Real, y:Real. 2*x*y <= x^2 + y^2",
        [intro("x", "y"), {"by": "pos", "sum": [{"c": "1", "of": [], "sq": "x - y"}]}],
    ),
    "logic": (
        "all p:Int, q:Int. (p = 0 & q = 1 | q = 2) -> (p = 0 -> q != 2 -> q = 1) & (ex r:Int. r = q + 1) & ~false",
        [
            intro("p", "q", "h"),
            {
                "by": "split",
                "proofs": [
                    [
                        intro("a", "b"),
                        {
                            "by": "cases",
                            "fact": "h",
                            "as": [["c", "d"], "c"],
                            "proofs": [
                                [{"by": "hyp", "of": "d"}],
                                [{"by": "absurd", "of": "c", "not": "b"}],
                            ],
                        },
                    ],
                    [{"by": "witness", "term": "q + 1"}, {"by": "true"}],
                    [intro("f"), {"by": "absurd", "of": "f"}],
                ],
            },
        ],
    ),
    "archimedes": (
        "all x:Real. ex n:Int. x < n | false",
        [
            intro("x"),
            use("ax:archimedes", "x", name="a"),
            {"by": "obtain", "fact": "a", "name": "m", "as": ["b", "c"]},
            {"by": "witness", "term": "m + 1"},
            {"by": "pick", "side": "left"},
            pos(["1", "c"], ["1"]),
        ],
    ),
    "chain": (  # of quantifiers: a fact in the middle is used twice, a function among numbers, values in their order
        "all f:Int->Real. (ex x:Real, g:Int->Real, y:Real. (all i:Int. g(i) = f(i) + x) & y = 2*x) -> "
        "ex z:Real, h:Int->Real, k:Int->Real, u:Real. "
        "(all i:Int. h(i) - k(i) = 0) & (all i:Int. h(i) = f(i) + z) & u = 2*z",
        [
            intro("f", "some"),
            {"by": "obtain", "fact": "some", "name": "x", "as": "a"},
            {"by": "obtain", "fact": "a", "name": "g", "as": "b"},
            {"by": "obtain", "fact": "b", "name": "y", "as": ["c", "d"]},
            {"by": "obtain", "fact": "a", "name": "k", "as": "b2"},
            {"by": "obtain", "fact": "b2", "name": "y2", "as": ["c2", "d2"]},
            {"by": "witness", "term": "x"},
            {"by": "witness", "term": "j. f(j) + x"},
            {"by": "witness", "term": "k"},
            {"by": "witness", "term": "y"},
            {
                "by": "split",
                "proofs": [
                    [intro("i"), use("c2", "i", name="e"), pos(eq=[["-1", "e"]])],
                    [intro("i"), {"by": "true"}],
                    [{"by": "hyp", "of": "d"}],
                ],
            },
        ],
    ),
    "indicator": (
        "all x:Real. 0 <= I[0 < x] & I[0 < x] <= 1",
        [
            intro("x"),
            {"by": "ind", "of": "0 < x", "as": "i"},
            {
                "by": "cases",
                "fact": "i",
                "as": [["a", "b"], ["a", "b"]],
                "proofs": [
                    [{"by": "split", "proofs": [[pos(["1"], eq=[["-1", "b"]])], [pos(eq=[["1", "b"]])]]}],
                    [{"by": "split", "proofs": [[pos(eq=[["-1", "b"]])], [pos(["1"], eq=[["1", "b"]])]]}],
                ],
            },
        ],
    ),
    "rewrite": (
        "all f:Int->Real, a:Int, b:Int. a = b -> f(a) <= 1 -> f(b) <= 1 & f(a) <= 1",
        [
            intro("f", "a", "b", "e", "h"),
            {"by": "rewrite", "eq": "e", "in": "h", "as": "k"},
            {"by": "rewrite", "eq": "e"},
            {"by": "split", "proofs": [[{"by": "hyp", "of": "k"}], [{"by": "hyp", "of": "k"}]]},
        ],
    ),
    "antisym": (
        "all x:Real, y:Real. x <= y -> y <= x -> x = y",
        [
            intro("x", "y", "a", "b"),
            {"by": "antisym", "left": [{"by": "hyp", "of": "a"}], "right": [{"by": "hyp", "of": "b"}]},
        ],
    ),
    "contra": (
        "all x:Real. x*x = 0 -> x <= 0",
        [
            intro("x", "e"),
            {"by": "contra", "as": "p"},
            {"by": "pos", "sum": [{"c": "1", "of": ["p", "p"]}], "eq": [["1", "e"]]},
        ],
    ),
    "have": (
        "all x:Real. 1 <= x -> 1 <= x^3",
        [
            intro("x", "h"),
            {"by": "have", "show": "0 <= x*x + x", "proof": [pos(["1", "h", "h"], ["3", "h"], ["2"])], "as": "s"},
            pos(["1", "h", "s"], ["1", "h"]),
        ],
    ),
    "interval": (
        "all x:Real. 0 <= x -> x <= 1 -> exp(x)*sqrt(1 + x^2) < 4",
        [intro("x", "a", "b"), {"by": "interval", "on": ["a", "b"], "prec": 64}],
    ),
    "lemma": (
        "all n:Int. 0 <= n -> sum(j, 1, n, 2*j) = n*n + n",
        [
            intro("n", "h"),
            use("lem:gauss", "n", "#h", name="g"),
            pos(eq=[["1", "g"]]),
        ],
    ),
}
LEMMAS = {"gauss": "all n:Int. 0 <= n -> sum(j, 1, n, 2*j) = n*(n + 1)"}

NEAR = {
    "relu": ["all x:Real. relu(x) + relu(-x) = x", "all x:Real. relu(x) - relu(-x) < x", "all x:Real. relu(x) = x"],
    "sum_const": [
        "all c:Real, n:Int. -2 <= n -> sum(j, 1, n, c) = n*c",
        "all c:Real, n:Int. 0 <= n -> sum(j, 0, n, c) = n*c",
        "all c:Real, n:Int. 0 <= n -> sum(j, 1, n, c) = n*c + 1",
        "all c:Real, n:Int. sum(j, 1, n, c) = n*c",
    ],
    "exp_above": ["all x:Real. x + 2 < exp(x)", "all x:Real. 1 + x < exp(x)", "all x:Real. 2*x < exp(x) - 1"],
    "amgm": ["all x:Real, y:Real. 2*x*y < x^2 + y^2", "all x:Real, y:Real. 2.01*x*y <= x^2 + y^2"],
    "logic": [
        "all p:Int, q:Int. (p = 0 & q = 1 | q = 2) -> (p = 0 -> q != 2 -> q = 2) & (ex r:Int. r = q + 1) & ~false",
        "all p:Int, q:Int. (p = 0 | q = 1 | q = 2) -> (p = 0 -> q != 2 -> q = 1) & (ex r:Int. r = q + 1) & ~false",
        "all p:Int, q:Int. (p = 0 & q = 1 | q = 2) -> (p = 0 -> q != 2 -> q = 1) & (ex r:Int. r = q + 1) & false",
    ],
    "archimedes": ["all x:Real. ex n:Int. n < x & false", "all x:Real. ex n:Int. x = n | false"],
    "chain": [
        "all f:Int->Real. (ex x:Real, g:Int->Real, y:Real. (all i:Int. g(i) = f(i) + x) & y = 2*x) -> "
        f"ex z:Real, h:Int->Real, k:Int->Real, u:Real. (all i:Int. h(i) - k(i) = 0) & {rest}"
        for rest in (
            "(all i:Int. h(i) = f(i) + u) & z = 2*u",
            "(all i:Int. h(i) = f(i) + u) & u = 2*z",
            "(all i:Int. h(i) = f(i) + z) & u = 3*z & (all i:Int. u = f(i))",
        )
    ]
    + [
        "all f:Int->Real. (ex x:Real, g:Int->Real, y:Real. (all i:Int. g(i) = f(i) + y) & y = 2*x) -> "
        "ex z:Real, h:Int->Real, k:Int->Real, u:Real. "
        "(all i:Int. h(i) - k(i) = 0) & (all i:Int. h(i) = f(i) + z) & u = z",
    ],
    "indicator": [
        "all x:Real. 0 < I[0 < x] & I[0 < x] <= 1",
        "all x:Real. 0 <= I[0 < x] & I[0 < x] < 1",
        "all x:Real. 0 <= I[0 < x] & I[0 < x] <= 0.99",
    ],
    "rewrite": [
        "all f:Int->Real, a:Int, b:Int. a <= b -> f(a) <= 1 -> f(b) <= 1 & f(a) <= 1",
        "all f:Int->Real, a:Int, b:Int. a = b -> f(a) <= 1 -> f(b) < 1 & f(a) <= 1",
        "all f:Int->Real, a:Int, b:Int. a = b -> f(a) <= 1 -> f(b + 1) <= 1 & f(a) <= 1",
    ],
    "antisym": ["all x:Real, y:Real. x <= y -> y <= x + 1 -> x = y", "all x:Real, y:Real. x <= y -> x <= y -> x = y"],
    "contra": ["all x:Real. x*x = 1 -> x <= 0", "all x:Real. x*x = 0 -> x < 0", "all x:Real. x*x*x = -1 -> 1 <= x"],
    "have": ["all x:Real. -2 <= x -> 1 <= x^3", "all x:Real. 1 <= x -> 1 < x^3", "all x:Real. 1 <= x -> x <= 1/x^3"],
    "interval": [
        "all x:Real. 0 <= x -> x <= 1 -> exp(x)*sqrt(1 + x^2) < 3.8",
        "all x:Real. 0 <= x -> x <= 1.1 -> exp(x)*sqrt(1 + x^2) < 4",
        "all x:Real. 0 <= x -> 1 <= x -> exp(x)*sqrt(1 + x^2) < 4",
    ],
    "lemma": [
        "all n:Int. -1 <= n -> sum(j, 1, n, 2*j) = n*n + n + 1",
        "all n:Int. 0 <= n -> sum(j, 0, n, 2*j) = n*n + 2*n",
        "all n:Int. -3 <= n -> sum(j, 1, n, 2*j) = n*n + n",
    ],
}


@together("name", PROOFS)
def test_proofs_are_accepted(name):
    text, proof = PROOFS[name]
    assert prove(text, proof, **LEMMAS).nodes >= 2


@together(("name", "text"), [(name, text) for name, texts in NEAR.items() for text in texts])
def test_false_near_neighbours_are_rejected(name, text):
    """A proof of a true statement proves none of the false statements beside it."""
    with pytest.raises(Rejected):
        prove(text, PROOFS[name][1], **LEMMAS)


def test_at_least_thirty_near_neighbours():
    assert sum(map(len, NEAR.values())) >= 30


def test_every_kind_of_node_is_used():
    found = set()
    todo = [proof for _, proof in PROOFS.values()]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            found.add(part.get("by"))
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    assert set(NODES) <= found


def test_the_result_names_what_was_used():
    result = prove(*PROOFS["lemma"], **LEMMAS)
    assert (result.lemmas, result.axioms, result.nodes) == (("gauss",), (), 3)
    assert prove(*PROOFS["relu"]).axioms == ("relu_neg", "relu_pos")


@together("name", PROOFS)
def test_a_proof_with_a_node_missing_or_an_extra_key_is_rejected(name):
    text, proof = PROOFS[name]
    for place in range(len(proof)):
        with pytest.raises(Rejected):
            prove(text, proof[:place] + proof[place + 1 :], **LEMMAS)
        other = copy.deepcopy(proof)
        other[place]["note"] = "extra"
        with pytest.raises(Rejected):
            prove(text, other, **LEMMAS)
        with pytest.raises(Rejected):
            prove(text, [*proof, {"by": "true"}], **LEMMAS)


def test_a_fact_takes_no_more_arguments_than_it_has():
    """Of a conjunction, whose first part is at hand, nothing follows that it does not say."""
    text = "all x:Real. x <= 1 -> (x <= 1 & x = 0) -> 0 = 1"
    with pytest.raises(Rejected, match="takes no more arguments"):
        prove(text, [intro("x", "p", "h"), use("h", "#p", name="bad"), {"by": "absurd", "of": "bad"}])
    with pytest.raises(Rejected, match="takes no more arguments"):
        prove(text, [intro("x", "p", "h"), use("p", "x", name="bad"), {"by": "absurd", "of": "bad"}])


TRUE = [{"by": "true"}]
SMALL = "all x:Real. 0 <= x -> x <= 1 -> "
BOX = intro("x", "a", "b")


def interval(*on, prec=64):
    return {"by": "interval", "on": list(on), "prec": prec}


# What a node demands: a statement, a proof that would do if the demand were dropped, and the words of the refusal.
DEMANDS = [
    ("0 <= 1", [], "must not be empty"),
    ("0 <= 1", "true", "must be a list"),
    ("0 <= 1", [{"by": "so"}], "unknown kind of node"),
    ("0 <= 1", ["true"], "unknown kind of node"),
    ("0 <= 1", [{"by": "true", "as": "h"}], "needs the keys"),
    ("0 <= 1", [*TRUE, *TRUE], "a node follows"),
    ("0 <= 1 -> 0 <= 1", [intro("h")], "cannot be the last"),
    ("0 <= 1", [intro("h"), *TRUE], "nothing to introduce"),
    ("0 <= 1 & 0 <= 2 -> 0 <= 1", [intro(["h"]), *TRUE], "needs as many labels"),
    ("0 <= 1 -> 0 <= 1", [intro("h h"), *TRUE], "a label is not valid"),
    ("0 <= 1 -> 0 <= 2 -> 0 <= 1", [intro("h", "h"), *TRUE], "label 'h' is in use"),
    ("all x:Real, y:Real. 0 <= 1", [intro("x", "x"), *TRUE], "name 'x' is in use"),
    ("all x:Real. 0 <= 1", [intro("sum"), *TRUE], "a name is not valid"),
    ("all x:Real. 0 <= 1", [intro("x" * 101), *TRUE], "a name is not valid"),
    ("0 <= 1", [{"by": "split", "proofs": [TRUE]}], "needs a conjunction"),
    ("0 <= 1 & 0 <= 2", [{"by": "split", "proofs": [TRUE]}], "must be a list of 2"),
    ("0 <= 1 & 0 <= 2", [{"by": "pick", "side": "left"}, *TRUE], "needs a disjunction"),
    ("0 <= 1 | 0 = 1", [{"by": "pick", "side": "up"}, *TRUE], "left or right"),
    ("0 <= 1 | 0 = 1", [{"by": "pick", "side": False}, *TRUE], "left or right"),
    ("all x:Real. 0 <= 1", [{"by": "witness", "term": "1"}, *TRUE], "needs an existential goal"),
    ("(all x:Real. x = x) -> 0 <= 1", [intro("h"), {"by": "obtain", "fact": "h", "name": "x", "as": "k"}, *TRUE],
     "needs an existential fact"),
    ("0 <= 1", [{"by": "hyp", "of": "h"}], "no fact 'h' here"),
    ("0 <= 1", [{"by": "hyp", "of": "lem:none"}], "no fact 'lem:none' here"),
    ("all x:Real. x <= 2 -> x <= 1", [intro("x", "h"), {"by": "hyp", "of": "h"}], "a fact is not the goal"),
    ("all x:Real. x <= 1", [intro("x"), *TRUE], "not true by computation"),
    ("all x:Real. x <= 1 -> x <= 2 -> 0 = 1", [intro("x", "h", "k"), {"by": "absurd", "of": "h", "not": "k"}],
     "do not contradict"),
    ("all x:Real. x <= 1 -> 0 = 1", [intro("x", "h"), {"by": "absurd", "of": "h"}], "not false by computation"),
    ("all x:Real. (x <= 1 -> 0 = 1) -> 0 = 1", [intro("x", "h"), use("h", "!", name="k"), {"by": "absurd", "of": "k"}],
     "premise is not true by computation"),
    ("all x:Real. x <= 1 -> (x <= 1 -> 0 = 1) -> 0 = 1",
     [intro("x", "g", "h"), use("h", "g", name="k"), {"by": "absurd", "of": "k"}], "needs '#label', '!' or a proof"),
    ("all x:Real. x <= 2 -> (x <= 1 -> 0 = 1) -> 0 = 1",
     [intro("x", "g", "h"), use("h", "#g", name="k"), {"by": "absurd", "of": "k"}], "a fact is not the premise"),
    ("all x:Real. x <= 2 -> (x <= 1 | x = 5) -> 0 <= 1",
     [intro("x", "g", "h"), {"by": "cases", "fact": "h", "as": ["k"], "proofs": [TRUE]}], "must be a list of 2"),
    ("all x:Real. x <= 2 -> x <= 3", [intro("x", "g"), {"by": "rewrite", "eq": "g"}, {"by": "hyp", "of": "g"}],
     "'rewrite' needs an equation"),
    ("all x:Real. x = 2 -> x <= 2", [intro("x", "g"), {"by": "rewrite", "eq": "g", "rev": 0}, *TRUE],
     "'rev' is true or false"),
    ("all x:Real. x = 2 -> x <= 2", [intro("x", "g"), {"by": "rewrite", "eq": "g", "as": "k"}, *TRUE],
     "'in' and 'as' go together"),
    ("all x:Real. x = 2 -> 0 <= 2", [intro("x", "g"), {"by": "rewrite", "eq": "g"}, *TRUE], "nothing to rewrite"),
    ("0 <= 1", [{"by": "antisym", "left": TRUE, "right": TRUE}], "'antisym' needs an equation"),
    ("all x:Real. 0 <= x -> 0 <= 1",
     [{"by": "induct", "name": "x", "ge": "g", "as": "h", "base": TRUE, "step": TRUE}], "'induct' needs all k:Int"),
    ("all k:Int. 0 <= 1",
     [{"by": "induct", "name": "k", "ge": "g", "as": "h", "base": TRUE, "step": TRUE}], "'induct' needs all k:Int"),
    ("all k:Int. 0 < k -> 0 <= 1",
     [{"by": "induct", "name": "k", "ge": "g", "as": "h", "base": TRUE, "step": TRUE}], "needs a <= k as the premise"),
    ("all k:Int. 0 <= k + 1 -> 0 <= 1",
     [{"by": "induct", "name": "k", "ge": "g", "as": "h", "base": TRUE, "step": TRUE}], "needs a <= k as the premise"),
    ("0 <= 1 & 0 <= 1", [pos(["1"])], "'pos' needs a comparison"),
    ("all x:Real. 0 <= x -> x = 0", [intro("x", "h"), pos(["1", "h"])], "follows from equations only"),
    ("0 <= 1", [{"by": "pos", "sum": [{"of": []}]}], "a summand has c, of, sq"),
    ("0 <= 1", [{"by": "pos", "sum": [{"c": "1", "of": [], "cube": "1"}]}], "a summand has c, of, sq"),
    ("0 <= 1", [pos(["0"])], "a coefficient must be positive"),
    ("0 <= 1", [pos(["1/0"])], "a coefficient must be positive"),
    ("0 <= 1", [pos(["-1"])], "positive rational in digits"),
    ("0 <= 1", [{"by": "pos", "sum": [{"c": 1, "of": []}]}], "positive rational in digits"),
    ("all x:Real. x = 1 -> 0 <= x", [intro("x", "h"), pos(["1", "h"])], "is not an inequality"),
    ("all x:Real. x <= 1 -> 0 <= 1 - x", [intro("x", "h"), pos(eq=[["1", "h"]])], "is not an equation"),
    ("all x:Real. x <= 1 -> x < 1", [intro("x", "h"), pos(["1", "h"])], "a strict goal needs a strict summand"),
    ("all x:Real. 0 < x*x", [intro("x"), {"by": "pos", "sum": [{"c": "1", "of": [], "sq": "x"}]}],
     "a strict goal needs a strict summand"),
    ("all x:Real. all y:Real. 0 <= x -> 0 < y -> 0 < x*y", [intro("x", "y", "h", "g"), pos(["1", "h", "g"])],
     "a strict goal needs a strict summand"),
    ("all x:Real. all y:Real. 0 <= x -> 0 < y -> 0 < x*y", [intro("x", "y", "h", "g"), pos(["1", "g", "h"])],
     "a strict goal needs a strict summand"),
    ("all x:Real. x <= 1 -> x <= 2", [intro("x", "h"), pos(["1", "h"])], "not the difference of the two sides"),
    (SMALL + "exp(x) = exp(x)", [BOX, interval("a", "b")], "'interval' needs an inequality"),
    (SMALL + "exp(x) < 3", [BOX, interval("a", "b", prec=15)], "from 16 to 4096"),
    (SMALL + "exp(x) < 3", [BOX, interval("a", "b", prec=4097)], "from 16 to 4096"),
    (SMALL + "exp(x) < 3", [BOX, interval("a", "b", prec="64")], "from 16 to 4096"),
    ("all x:Real. 0 <= x -> x = 1 -> exp(x) < 3", [BOX, interval("a", "b")], "is not a bound"),
    ("all x:Real. 0 <= x -> ~(x = 1) -> exp(x) < 3", [BOX, interval("a", "b")], "is not a bound"),
    ("all x:Real. 0 <= x -> x^2 <= 1 -> exp(x) < 3", [BOX, interval("a", "b")], "is not a numeric bound"),
    ("all x:Real, y:Real. 0 <= x -> x <= y -> exp(x) < 3", [intro("x", "y", "a", "b"), interval("a", "b")],
     "is not a numeric bound"),
    (SMALL + "exp(x) < 3", [BOX, interval("a")], "needs a bound on both sides"),
    (SMALL + "exp(x) < 3", [BOX, interval("b")], "needs a bound on both sides"),
    ("all x:Real. 2 <= x -> x <= 1 -> exp(x) < 3", [BOX, interval("a", "b")], "contradict each other"),
    (SMALL + "0 < x", [BOX, interval("a", "b")], "does not decide the goal"),
    (SMALL + "exp(x) < 2", [BOX, interval("a", "b")], "does not decide the goal"),
    (SMALL + "x < 1", [BOX, interval("a", "b")], "does not decide the goal"),
]  # fmt: skip


@together(("text", "proof", "why"), DEMANDS)
def test_what_a_node_demands(text, proof, why):
    with pytest.raises(Rejected, match=why):
        prove(text, proof)


def test_what_just_fulfils_the_demands():
    """A difference of zero, equal bounds, several bounds of one name, precisions at their ends, a fact that is denied,
    a label of a hundred letters."""
    for text, proof in [
        (SMALL + "x <= 2", [BOX, interval("a", "b", prec=16)]),
        ("all x:Real. 1 <= x -> x <= 1 -> x <= 1", [BOX, interval("a", "b")]),  # the difference is exactly zero
        (SMALL + "exp(x) < 3", [BOX, interval("a", "b", prec=4096)]),
        ("all x:Real. 1 <= x -> x <= 1 -> exp(x) < 3", [BOX, interval("a", "b")]),
        ("all x:Real. 0 < x -> x < 1 -> -1 <= x", [BOX, interval("a", "b")]),
        ("all x:Real. 0 <= x -> x <= 9 -> x <= 1 -> -5 <= x -> exp(x) < 3",
         [intro("x", "a", "b", "c", "d"), interval("a", "b", "c", "d")]),
        ("all x:Real. ~(x <= 1) -> x <= 1 -> 0 = 1",
         [intro("x", "h", "g"), use("h", "#g", name="k"), {"by": "absurd", "of": "k"}]),
        ("~(0 <= 1) -> 0 = 1", [intro("h"), use("h", "!", name="k"), {"by": "absurd", "of": "k"}]),
        ("~(0 <= 1) -> 0 = 1", [intro("h"), use("h", TRUE, name="k"), {"by": "absurd", "of": "k"}]),
        ("all x:Real. 0 <= 1", [intro("x" * 100), *TRUE]),
        ("0 = 1 | 0 <= 1", [{"by": "pick", "side": "right"}, *TRUE]),
        ("all x:Real. 0 < x -> 0 < x*x", [intro("x", "h"), pos(["1", "h", "h"])]),
        ("all x:Real. x = 2 -> 2 <= x", [intro("x", "g"), {"by": "rewrite", "eq": "g", "rev": False}, *TRUE]),
        ("all x:Real. 2 = x -> 2 <= x", [intro("x", "g"), {"by": "rewrite", "eq": "g", "rev": True}, *TRUE]),
        ("0 <= 1/3", [pos(["1/3"])]),
    ]:  # fmt: skip
        assert prove(text, proof).nodes >= 1
