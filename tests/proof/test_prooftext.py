"""Proof texts: they read back; broken ones are refused where they are broken; what does not follow is never built."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from families import every, in_parts, together

from symcook.errors import Rejected
from symcook.proof import kernel, replay
from symcook.proof.grammar import read_formula
from symcook.proof.search import automation, elaborate, equations, prooftext
from symcook.proof.search.elaborate import StepGap
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.tactics import Citable, Goal

ROOT = replay.proofs_directory()
AXIOMS = {f"ax:{k}": f for k, f in kernel.axioms().items()}
STATEMENTS = replay.statements()
LEMMAS = {s.label: s.formula for n, s in STATEMENTS.items() if n in ("lem.sum_mono", "lem.sum_one", "lem.sum_ext")}
HOME = Citable({}, {**AXIOMS, **LEMMAS})

sys.path.insert(0, str(ROOT))
import build  # noqa: E402

sys.path.remove(str(ROOT))
TEXTS = build.texts()


def proved(statement: str, lines: str) -> kernel.Accepted:
    """What the kernel says of the nodes that the lines give."""
    goal = read_formula(statement, {}, {})
    text = prooftext.read("proof some.id\n" + lines)
    home = Citable({}, {**AXIOMS, **LEMMAS}, texts=lambda label: None if label else statement)
    return kernel.check(goal, elaborate.nodes(home, goal, text.parts["proof"]), lemmas=LEMMAS)


# --- What follows ---------------------------------------------------------------------------------------------------

FOLLOWS = {
    "linear": ("all x:Real, y:Real. x <= y & y <= 2 -> x <= 3", ""),
    "a square": ("all x:Real, y:Real. 2*x*y <= x^2 + y^2", ""),
    "relu": ("all x:Real. relu(x) - relu(-x) = x", ""),
    "abs of a sum": ("all x:Real, y:Real. abs(x + y) <= abs(x) + abs(y)", ""),
    "min and max": ("all x:Real, y:Real. min(x, y) + max(x, y) = x + y", ""),
    "integers are apart": ("all a:Int, b:Int. a < b & b < a + 2 -> b = a + 1", ""),
    "unequal integers": ("all a:Int, b:Int. a <= b & a != b -> a + 1 <= b", ""),
    "an indicator of an equivalent": ("all i:Int, n:Int. I[i < n] = I[i + 1 <= n]", ""),
    "a monotone product": ("all a:Real, b:Real, c:Real. 0 <= a & b <= c -> a*b <= a*c", ""),
    "positive": ("all x:Real, y:Real. 0 < exp(x)*(1 + y^2)", ""),
    "a quotient": ("all x:Real. 0 < x -> x/x = 1", ""),
    "a sum term by term": ("all f:Int->Real, n:Int. (all j in 1..n. f(j) <= 2)"
                           " -> sum(j, 1, n, f(j)) <= sum(j, 1, n, 2)",
                           "  given f n each\n  qed by sum_mono[each]"),
    "a sum of ones": ("all n:Int. 0 <= n -> sum(j, 1, n, 3) = 3*n", ""),
    "a short range": ("all k:Int. 1 <= k & k <= 3 -> (k - 1)*(k - 2)*(k - 3) = 0", ""),
    "a case of equality": ("all f:Int->Real, i:Int, j:Int. f(j) = 2 -> I[i = j]*f(i) = 2*I[i = j]", ""),
    "enclosures": ("all x:Real. 0 <= x & x <= 1 -> exp(x) < 2 + x", ""),
    "induction": ("all n:Int. 0 <= n -> sum(j, 1, n, 2*j - 1) = n^2",
                  "  induct k (low before)\n    - qed\n    - qed by before"),
    "blocks for what is left": ("all x:Real. 0 <= x -> 0 <= x + 1 & (x = 1 -> x^3 = 1)"
                                " & (ex y:Real. x < y & y < x + 1/7)",
                                "  given x low\n  - witness x + 1/8\n"),
    "the step alone": ("all n:Int. 0 <= n -> sum(j, 1, n, 2*j - 1) = n^2",
                       "  induct k (low before)\n    - qed by before"),
    "what exists, of an instance": ("all f:Int->Int. (all k:Int. 0 <= k -> (ex i:Int, j:Int. f(k) = 2*i + 2*j"
                                    " & i <= j)) -> ex m:Int. f(7) = 2*m",
                                    "  given f every\n  obtain i j (sum less) from every(7)\n  witness i + j"),
    "cases of an instance": ("all f:Int->Int. (all k:Int. 0 <= k -> f(k) = 1 | f(k) = 2) -> f(3)^2 <= 4",
                             "  given f every\n  cases is from every(3)"),
    "a named function": ("all n:Int, x:Real. 0 <= n -> sum(j, 1, n, x*j - x*j) <= sum(j, 1, n, 1)",
                         "  given n x some\n  let f(j) = x*j\n  zero: all j in 1..n. f(j) - f(j) = 0\n"
                         "  qed by sum_mono(j. f(j) - f(j); j. 1; 1; n)[zero]"),
    "equations put in": ("all f:Int->Real, x:Real, y:Real. f(1) = x + y & f(2) = x - y"
                         " -> f(1)^2 + f(2)^2 = 2*x^2 + 2*y^2", ""),
    "a place at the end of a range": ("all f:Int->Real, n:Int. (all j in 1..n. f(j) <= 1) & f(n + 1) <= 1"
                                      " -> all j in 1..n + 1. f(j) <= 1",
                                      "  given f n (below last) j inside\n  qed by below, last"),
    "a number without names": ("0 < sqrt(2*pi)", ""),
    "cases with names": ("all x:Real. 0 <= x*x",
                         "  given x\n  cases up, down: 0 <= x\n    - qed by up\n    - qed by down"),
    "a witness": ("all n:Int. ex m:Int. n < m", "  given n\n  witness n + 1"),
    "the opposite": ("all x:Real. x^2 = 0 -> x <= 0",
                     "  given x zero\n  suppose no: 0 < x\n  square: 0 < x*x by no\n  qed by square, zero"),
    "an equation put in": ("all f:Int->Real, a:Int, b:Int. a = b + 1 -> f(a) = f(b + 1)",
                           "  given f a b is\n  rewrite is"),
    "a name for a term": ("all x:Real. 0 <= x -> x + x + (x + x) <= 5*x",
                          "  given x low\n  let y = x + x\n  double: y = 2*x\n  qed by double"),
    "an instance": ("all x:Real, y:Real. x = 1 -> exp(x) <= exp(y) -> 2 <= exp(y)",
                    "  given x y one up\n  take low from exp_ge(x)\n  qed by low, up, one"),
    "what exists": ("(ex n:Int. 3 <= n) -> ex m:Int. 4 <= m",
                    "  given some\n  obtain n (big) from some\n  witness n + 1"),
    "names of a formula in its hints": ("all f:Int->Real. (all j in 1..2. f(j) = j) -> f(1) + f(2) = 3",
                                        "  given f is\n  each: all j in 1..2. f(j) <= j by is(j)\n  qed by is"),
    "what is given by equations": ("all n:Int, x:Real. 0 < x -> ex f:Int->Real, g:Int->Real, s:Real, d:Int->Real."
                                   " (all i in 0..n. f(i)*d(i) = g(i) + 1) & (all i in 0..n. g(i) = i*s) & s = x^2"
                                   " & (all i in 0..n. d(i) = x + i)",
                                   "  given n x above\n  witness each by above"),
    "rounds": ("all n:Int, L:Int. 0 <= L -> ex c:Int*Int->Real, d:Int*Int->Real, e:Int->Real."
               " (all i in 1..n. c(0, i) = i)"
               " & (all t in 1..L. all i in 1..n. d(t, i) = c(t - 1, i) + sum(j, 1, i, c(t - 1, j)))"
               " & (all t in 1..L. all i in 1..n. c(t, i) = c(t - 1, i) + d(t, i)^2) & (all i in 1..n. e(i) = c(L, i))",
               "  given n L low\n  witness each"),
    "facts about what exists": ("all n:Int, x:Int->Real. (all i in 1..n. 0 < x(i)) -> ex d:Int->Real, f:Int*Int->Real."
                                " (all i in 1..n. d(i) = x(i)^2)"
                                " & (all c in 2..n. all i in 1..n. f(c, i)*d(i) = c) & all i in 1..n. 0 < d(i)",
                                "  given n x above\n  witness each\n    low: all i in 1..n. 0 < d(i) by d_is, above"),
    "a mean of those before": ("all n:Int, v:Int->Real. ex f:Int->Real."
                               " all i in 1..n. (f(i) - 2)*(i - 1) = sum(j, 1, i - 1, v(j)) & (i = 1 -> f(i) = 2)",
                               "  given n v\n  witness each"),
    "a chain": ("all x:Real, y:Real. 0 <= x & x < y -> x <= y + 1",
                "  given x y (low less)\n  calc x < y by less\n    _ <= y + 1"),
    "a chain with a name": ("all f:Int->Real. f(1) = 2 & f(2) <= f(1) & f(3) < f(2) -> f(3) < 2",
                            "  given f (one two three)\n  calc small: f(3) < f(2) by three\n    _ <= f(1) by two\n"
                            "    _ = 2 by one\n  qed by small"),
    "many names of what exists": ("all n:Int. (ex a:Int, b:Int, c:Int. n = a + b + c & a <= b & b <= c)"
                                  " -> ex far:Int. n <= 3*far",
                                  "  given n some\n  obtain a b\n      c (is low high)\n      from some\n  witness c"),
    "labels of equations": ("all f:Int->Real, g:Int->Real, d:Real. d = 2 & (all i in 1..3. f(i)*d = i & 1 <= 2)"
                            " & 0 <= 1 & (all i in 1..3. g(i) = f(i)) -> 2*g(3) = 3",
                            "  given f g d (.. last low g_is)\n  qed by d_is, last, g_is(3)"),
}  # fmt: skip


OWN = {
    "": "all n:Int, x:Real. 0 <= n -> ex far:Int, long:Int. n <= far & far <= long",
    "lem:longer": "all n:Int. 0 <= n -> ex far:Int, long:Int. far = n + 1 & long = 2*far",
    "lem:below": "all far:Int, n:Int, x:Real. n + 1 <= far -> x - x + n <= far",
}


@pytest.mark.parametrize(
    "lines",
    [
        "  given .. low\n  obtain .. (..) from longer(..)\n  witness ..",
        "  given .. low\n  obtain .. (far_is long_is) from longer(n)\n  witness far; long",
        "  given .. low\n  obtain .. is from longer(..)\n  first: n <= far by below(far; ..), is\n  witness ..",
        "  given n x low\n  obtain far .. (one ..) from longer(n)\n  witness far; long",
    ],
)
def test_names_that_a_statement_has(lines):
    """`..` is the names of its quantifiers, and of what it says exists; as a label, of what an equation is for."""
    formulas = {k: read_formula(f, {}, {}) for k, f in OWN.items()}
    home = Citable({}, {**AXIOMS, **formulas}, texts=OWN.get)
    nodes = elaborate.nodes(home, formulas[""], prooftext.read("proof a.b\n" + lines).parts["proof"])
    lemmas = {k: f for k, f in formulas.items() if k}
    assert kernel.check(formulas[""], nodes, lemmas=lemmas).nodes > 0


PARTS = {
    "": "(all n:Int, x:Real. 0 <= n -> n + x <= n + x) & all m:Int, y:Int. 0 <= m -> y - m <= y",
    "two of a kind": "(all n:Int. 0 <= n -> 0 <= n) & all m:Int. 1 <= m -> 0 <= m",
    "of one name": "(all n:Int. 0 <= n -> 0 <= n) & all n:Int. 1 <= n -> 0 <= n",
}


def test_names_that_a_part_of_a_statement_has():
    """Where the statement is a conjunction they are those of the part; of two that could be meant none are taken."""
    lines = "  - given .. low\n    same: x = x\n    qed\n  - given .. low\n    least: y - m <= y\n    qed by least\n"
    one = "  - given .. low\n    qed by low\n  - given .. low\n    qed by low\n"
    for key, text in (("", lines), ("of one name", one)):
        goal = read_formula(PARTS[key], {}, {})
        home = Citable({}, AXIOMS, texts=lambda label, key=key: None if label else PARTS[key])
        nodes = elaborate.nodes(home, goal, prooftext.read("proof a.b\n" + text).parts["proof"])
        assert kernel.check(goal, nodes).nodes > 0
    goal = read_formula(PARTS["two of a kind"], {}, {})
    home = Citable({}, AXIOMS, texts=lambda label: None if label else PARTS["two of a kind"])
    with pytest.raises(BadProof, match=r"expected a statement whose names '\.\.' can abbreviate"):
        elaborate.nodes(home, goal, prooftext.read("proof a.b\n" + one).parts["proof"])


@pytest.mark.parametrize(
    "equations",
    [
        "(all i in 0..n. f(i) = g(i)) & (all i in 0..n. g(i) = f(i))",
        "(all i in 0..n. f(i) = f(i) + 1) & (all i in 0..n. g(i) = 0)",
        "(all i in 0..n. f(i)*x = 1) & (all i in 0..n. g(i) = 0)",
        "(all i in 0..n. f(0) = 1) & (all i in 0..n. g(i) = 0)",
        "(all i in 0..n. f(i) = 1)",
        "(all i in 0..n. f(i) = 1) & (all i in 0..n. f(i) = 2) & (all i in 0..n. g(i) = 0)",
    ],
    ids=["a circle", "itself", "a divisor that may be zero", "one place", "no equation", "two equations"],
)
def test_what_no_equation_gives_does_not_exist(equations):
    goal = read_formula(f"all n:Int, x:Real. ex f:Int->Real, g:Int->Real. {equations}", {}, {})
    with pytest.raises(StepGap):
        elaborate.nodes(HOME, goal, prooftext.read("proof a.b\n  given n x\n  witness each\n").parts["proof"])


STARTS = "(all i in 1..n. c(0, i) = 0) & (all i in 1..n. d(0, i) = 0)"
ROUND = "all t in 1..n. all i in 1..n."


@pytest.mark.parametrize(
    "equations",
    [
        f"{STARTS} & ({ROUND} c(t, i) = c(t, i) + 1) & ({ROUND} d(t, i) = d(t - 1, i))",
        f"{STARTS} & ({ROUND} c(t, i) = d(t, i) + 1) & ({ROUND} d(t, i) = c(t, i) + 1)",
        f"{STARTS} & ({ROUND} c(t - 1, i) = c(t, i) + 1) & ({ROUND} d(t, i) = c(t, i))",
        f"{STARTS} & ({ROUND} c(t, i) = c(t - 1, i)) & ({ROUND} c(t, i) = 1) & ({ROUND} d(t, i) = c(t - 1, i))",
        f"{STARTS} & (all i in 1..n. c(0, i) = 1) & ({ROUND} c(t, i) = c(t - 1, i)) & ({ROUND} d(t, i) = c(t, i))",
        f"{STARTS} & ({ROUND} c(t, i)*(i - 1) = c(t - 1, i) + 1) & ({ROUND} d(t, i) = c(t, i))",
        f"{STARTS} & ({ROUND} c(t, i)*(i - 2) = 1 & (i = 1 -> c(t, i) = 0)) & ({ROUND} d(t, i) = c(t, i))",
        f"{STARTS} & (all t in 0..n. all i in 1..n. c(t, i) = c(t - 1, i) + 1) & ({ROUND} d(t, i) = c(t, i))",
    ],
    ids=["itself", "a circle", "back", "two steps", "two starts", "a divisor", "elsewhere a divisor", "starts inside"],
)
def test_what_no_round_gives_does_not_exist(equations):
    """Near misses of functions of rounds; but for two of them it is false that such functions exist."""
    goal = read_formula(f"all n:Int. 1 <= n -> ex c:Int*Int->Real, d:Int*Int->Real. {equations}", {}, {})
    lines = prooftext.read("proof a.b\n  given n few\n  witness each\n").parts["proof"]
    missing = r"no equations define the values that must exist\n|the remaining goal does not follow"
    with pytest.raises(StepGap, match=missing):
        elaborate.Elaborator(automation.LEVELS[:2]).block(Goal(HOME, goal, {}, {}), lines, lines[0].place)


START = ("w(0) = 0 &", "w(0) = 1 &")


@pytest.mark.parametrize(
    ("name", "old", "new", "lacking"),
    [
        pytest.param("automaton_runs", *START, r"y1_v\(0, 0\) = 1", marks=pytest.mark.slow),
        pytest.param("automaton_nonstrict_runs", *START, r"y1_v\(0, 0\) = 1", marks=pytest.mark.slow),
        ("automaton_no_start_runs", "(all i in 1..n. 0 <= w(i)", "(all i in 1..n. -1 <= w(i)", r"t\(w\(i\), i\) = 1"),
        pytest.param("turing_runs", *START, r"y1_vbos\(0\) = 1", marks=pytest.mark.slow),
        ("deviation_positive", "a != b &", "a <= b &", "still to show: false"),
        ("share_positive", "v(a) = 1 &", "v(a) = 0 &", r"1 <= s\*d"),
    ],
)  # fmt: skip
@pytest.mark.layer_two(every=3)
def test_near_misses_of_norms_have_no_proof(name, old, new, lacking):
    """Each is false: without $, or with a number that is not a token, all entries of some norm are equal."""
    name = f"lem.{name}"
    text = STATEMENTS[name].expanded.replace(old, new)
    assert text.count(new) == 1
    lines = build.read_text(name, TEXTS[name]).parts["proof"]
    home, _ = build.library(name, STATEMENTS)
    goal = read_formula(text, STATEMENTS[name].known, {})
    with pytest.raises(StepGap, match=lacking):
        elaborate.Elaborator(automation.LEVELS[:3]).block(Goal(home, goal, {}, {}), lines, lines[0].place)


@together("name", FOLLOWS)
def test_it_follows(name):
    statement, lines = FOLLOWS[name]
    assert proved(statement, lines).nodes > 0


# --- What does not --------------------------------------------------------------------------------------------------

FALSE = {
    "not linear": "all x:Real, y:Real. x <= y -> x < y",
    "relu": "all x:Real. relu(x) = x",
    "integers are not reals": "all a:Real, b:Real. a < b -> a + 1 <= b",
    "a product of negatives": "all a:Real, b:Real, c:Real. b <= c -> a*b <= a*c",
    "an empty sum": "all n:Int. sum(j, 1, n, 1) = n",
    "division by zero": "all x:Real. x/x = 1",
    "an indicator": "all i:Int, n:Int. I[i < n] = I[i <= n]",
    "a short range": "all k:Int. 1 <= k & k <= 4 -> (k - 1)*(k - 2)*(k - 3) = 0",
    "enclosures": "all x:Real. 0 <= x & x <= 1 -> exp(x) < 5/2",
    "a square root": "all x:Real. sqrt(x)*sqrt(x) = x",
}


@together("name", FALSE)
def test_what_is_false_is_not_proved(name):
    with pytest.raises(StepGap) as caught:
        proved(FALSE[name], "")
    assert "still to show" in str(caught.value) or "ended" in str(caught.value)


# --- What is broken -------------------------------------------------------------------------------------------------

S = "all x:Real, y:Real. 0 <= x & x <= y -> 0 <= y"
BROKEN = {
    "another version": ("language 2\nproof a.b\n", (1, 1), "language 1"),
    "no heading": ("  qed\n", (1, 3), "'proof ID' or 'refutation ID'"),
    "nothing": ("", (1, 1), "'proof ID' or 'refutation ID'"),
    "a part that is none": ("proof a.b\nextra\n  qed\n", (2, 1), "'defined' or 'inhabited'"),
    "a part twice": ("proof a.b\ndefined\n  qed\ndefined\n  qed\n", (4, 1), "each once"),
    "a tab": ("proof a.b\n\tqed\n", (2, 1), "spaces"),
    "not set in alike": ("proof a.b\n  given x y (l h)\n   qed\n", (3, 4), "no block here"),
    "set in less": ("proof a.b\n    given x y (l h)\n  qed\n", (3, 3), "column 5"),
    "no line": ("proof a.b\n  x + y\n", (2, 3), "'label: formula'"),
    "no formula": ("proof a.b\n  given x y (l h)\n  a: by h\n", (3, 6), "a formula"),
    "an open bracket": ("proof a.b\n  a: (1 <= 2\n", (2, 3), "a closing bracket"),
    "a closing bracket": ("proof a.b\n  a: 1 <= 2)\n", (2, 12), "no closing bracket"),
    "an operator alone": ("proof a.b\n  given x y (l h)\n  a: 0 <= * y\n", (3, 11), "a formula"),
    "a number for a formula": ("proof a.b\n  given x y (l h)\n  a: x + y\n", (3, 6), "a formula"),
    "an unknown name": ("proof a.b\n  given x y (l h)\n  a: 0 <= z\n", (3, 11), "names in scope"),
    "an unknown lemma": ("proof a.b\n  given x y (l h)\n  qed by sum_mon\n", (3, 10), "did you mean sum_mono?"),
    "a wrong label": ("proof a.b\n  given x y (low high)\n  qed by hihg\n", (3, 10), "did you mean high?"),
    "a label twice": ("proof a.b\n  given x y (l h)\n  l: 0 <= x\n", (3, 3), "not in use"),
    "a name twice": ("proof a.b\n  given x x (l h)\n", (2, 9), "not in use"),
    "too few labels": ("proof a.b\n  given x y (l h m)\n", (2, 9), "2 labels for 2 parts"),
    "nothing to introduce": ("proof a.b\n  given x y (l h) z\n", (2, 9), "nothing to introduce"),
    "no dash": ("proof a.b\n  given x y (l h)\n  cases s: x <= 1\n    qed\n", (4, 5), "'- '"),
    "one case of two": ("proof a.b\n  given x y (l h)\n  cases s: x <= 1\n    - qed\n", (3, 3), "or 0 for what"),
    "no disjunction": ("proof a.b\n  given x y (l h)\n  cases s from l\n", (3, 16), "disjunction"),
    "no conjunction": ("proof a.b\n  given x y (l h)\n  split\n", (3, 3), "conjunction"),
    "a side of nothing": ("proof a.b\n  given x y (l h)\n  left\n", (3, 3), "disjunction"),
    "a line after the end": ("proof a.b\n  given x y (l h)\n  qed\n  qed\n", (4, 3), "no line after the end"),
    "a block below by": ("proof a.b\n  given x y (l h)\n  a: 0 <= x by l\n    qed\n", (4, 5), "no block here"),
    "another opposite": ("proof a.b\n  given x y (l h)\n  suppose no: y <= 0\n", (3, 15), "the opposite"),
    "no equation": ("proof a.b\n  given x y (l h)\n  rewrite l\n", (3, 11), "an equation"),
    "no induction": ("proof a.b\n  given x y (l h)\n  induct k\n", (3, 10), "'induct name (label label)'"),
    "induction on nothing": ("proof a.b\n  given x y (l h)\n  induct k (a b)\n", (3, 3), "no induction for 0 <= y"),
    "too many terms": ("proof a.b\n  given x y (l h)\n  take e from exp_pos(x; y)\n", (3, 15), "fewer terms"),
    "no names of its own": ("proof a.b\n  given ..\n", (2, 9), "'..'"),
    "an axiom has no names": ("proof a.b\n  given x y (l h)\n  take e from exp_pos(..)\n", (3, 15), "'..'"),
    "nothing was obtained": ("proof a.b\n  given x y (l h)\n  witness ..; 1\n", (3, 11), "obtained before"),
    "no chain": ("proof a.b\n  given x y (l h)\n  calc x & y\n", (3, 8), "two terms with <, <= or ="),
    "a chain that does not go on": ("proof a.b\n  given x y (l h)\n  calc 0 <= x by l\n    x <= y by h\n", (4, 5),
                                    "_ <= TERM"),
    "two comparisons in a chain": ("proof a.b\n  given x y (l h)\n  calc 0 <= x <= y by l\n", (3, 8), "two terms with"),
    "a label twice in a chain": ("proof a.b\n  given x y (l h)\n  calc l: 0 <= x by l\n    _ <= y by h\n", (3, 3),
                                 "not in use"),
    "no end of what exists": ("proof a.b\n  given x y (l h)\n  obtain z (is)\n  qed\n", (3, 10), "obtain name"),
    "no term": ("proof a.b\n  given x y (l h)\n  take e from exp_pos(x <= y)\n", (3, 15), "expected a number"),
}  # fmt: skip


@together("name", BROKEN)
def test_what_is_broken_is_refused_where_it_is(name):
    text, place, expected = BROKEN[name]
    goal = read_formula(S, {}, {})
    with pytest.raises(BadProof) as caught:
        elaborate.nodes(HOME, goal, prooftext.read(text).parts["proof"])
    assert (caught.value.place.line, caught.value.place.column) == place, str(caught.value)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"line {place[0]}, column {place[1]}: ")


def test_a_step_that_does_not_follow_says_what_is_missing():
    goal = read_formula("all f:Int->Real, n:Int. (all j in 1..n. 0 <= f(j)) -> 0 <= f(n)", {}, {})
    lines = prooftext.read("proof a.b\n  given f n each\n  last: 0 <= f(n) by each\n").parts["proof"]
    with pytest.raises(StepGap) as caught:
        elaborate.nodes(HOME, goal, lines)
    assert (caught.value.place.line, caught.value.place.column) == (3, 3)
    for part in ("0 <= f(n) does not follow", "still to show: 0 <= f(n)", "each: all", "missing: 1 <= n"):
        assert part in str(caught.value)


def test_a_lemma_cannot_be_proved_from_what_comes_after_it():
    """A cycle needs a lemma that uses a later one: there it is unknown."""
    home, labels = build.library("lem.sum_mono", STATEMENTS)
    assert "lem:sum_one" in labels and "lem:sum_ext" not in labels and "lem:sum_mono" not in labels
    lines = prooftext.read("proof lem.sum_mono\n  given f g a b below\n  qed by sum_ext\n").parts["proof"]
    with pytest.raises(BadProof, match="line 3, column 10: expected a fact in scope"):
        elaborate.nodes(home, STATEMENTS["lem.sum_mono"].formula, lines)


def test_nodes_of_a_broken_state_are_judged_by_the_kernel():
    """What the automation writes is not believed: a goal that is changed behind its back is rejected."""
    goal = read_formula(S, {}, {})
    nodes = elaborate.nodes(HOME, goal, prooftext.read("proof a.b\n").parts["proof"])
    with pytest.raises(Rejected):
        kernel.check(read_formula(S.replace("0 <= y", "1 <= y"), {}, {}), nodes)


def test_the_work_is_counted_so_that_a_text_gives_the_same_nodes_again():
    statement, lines = FOLLOWS["abs of a sum"]
    goal = read_formula(statement, {}, {})
    one, two = (elaborate.nodes(HOME, goal, prooftext.read("proof a.b\n" + lines).parts["proof"]) for _ in range(2))
    assert one == two


def test_hints_that_nothing_uses_are_told():
    idle: list[tuple[prooftext.Place, str]] = []
    goal = read_formula(S, {}, {})
    text = prooftext.read("proof a.b\n  given x y (low high)\n  one: 0 <= 1 by low\n  qed by low, high, exp_pos(x)\n")
    elaborate.nodes(HOME, goal, text.parts["proof"], idle)
    assert [(place.line, hint) for place, hint in idle] == [(3, "low"), (4, "exp_pos(x)")]


def test_hints_that_nothing_uses_are_taken_out():
    """Those that are added to a stored text go, and what it had stays, with its comments."""
    name = "lem.at_least"
    stored = TEXTS[name].read_text(encoding="utf-8")
    raw = stored.replace("\n", "\n  # Below b, s is at most b - 1.\n", 1)
    idle: list[tuple[prooftext.Place, str]] = []
    more = prooftext.read(raw.replace("qed by more", "qed by exp_pos, more").replace("by below", "by less, below"))
    certificate = build.from_text(name, more, STATEMENTS, idle)
    shorter, gone = build.without_idle(name, more, STATEMENTS, certificate, idle, 10)
    assert [hint for _, hint in idle] == [hint for _, hint in gone] == ["exp_pos", "less"]
    assert build.rewritten(raw, shorter) == raw
    with pytest.raises(BadProof, match="line 6, column 1: expected no comment between the lines"):
        build.rewritten(raw.replace("    - below", "    # here\n    - below"), shorter)


@pytest.mark.sweep
def test_a_hint_that_steers_the_search_stays():
    """Nothing uses it, and yet the certificate is another without it."""
    name, idle = "lem.parity_even", list[tuple[prooftext.Place, str]]()
    text = build.read_text(name, TEXTS[name])
    certificate = build.from_text(name, text, STATEMENTS, idle)
    assert [hint for _, hint in idle] == ["sign_next"]
    assert build.without_idle(name, text, STATEMENTS, certificate, idle, 10) == (text, [])


def test_what_is_left_of_a_line_without_a_hint():
    raw = "proof a.b\n  take f from g(1; x)[p, q, r] by p, s\n  one: x = 1 by p\n  rewrite one\n  qed by r\n"
    lines = prooftext.read(raw).parts["proof"]
    gone = frozenset((line.place, hint) for line in lines for hint in ("p", "r", "one"))
    left = [prooftext.line_text(line) for line in build.without(lines, gone)]
    assert left == ["take f from g(1; x)[_, q] by s", "one: x = 1", "rewrite one"]


def test_parts_begin_beside_their_name():
    short = prooftext.read("proof a.b\n  given x\n  - left\n  - right\ndefined by exp_pos\ninhabited witness 1; 2\n")
    long = prooftext.read("proof a.b\n  given x\n  split\n    - left\n    - right\n"
                          "defined\n  qed by exp_pos\ninhabited\n  witness 1; 2\n")  # fmt: skip
    assert short == long and prooftext.read(prooftext.written(long)) == long
    assert prooftext.shown("proof a.b\ninhabited witness 1\n", "inhabited") == "witness 1"


@pytest.mark.sweep
def test_a_certificate_depends_on_its_text_alone():
    """Not on what was built before in the same process, nor on the order in which Python walks sets of texts."""
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]); import build\n"
        "from symcook.proof import replay\n"
        "known, texts = replay.statements(), build.texts()\n"
        "for n in sys.argv[2:]:\n"
        "    made = build.text(build.from_text(n, build.read_text(n, texts[n]), known))\n"
        "    print(n, hashlib.sha256(made.encode()).hexdigest())\n"
    )
    names = ["lem.ffn_entries", "lem.hash_gap_closed"]

    def built(seed: int, order: list[str]) -> list[str]:
        command = [sys.executable, "-c", code, str(ROOT), *order]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}
        )
        return sorted(done.stdout.splitlines())

    assert built(1, names) == built(2, names[::-1])


def test_the_automation_ends():
    goal = Goal(HOME, read_formula("all x:Real, y:Real, z:Real. x*y*z <= x^2 + abs(y*z) + max(x, y)*z", {}, {}), {}, {})
    with pytest.raises(elaborate.Stuck):
        automation.prove(goal, (), automation.LEVELS[:2])


# --- Stored texts ---------------------------------------------------------------------------------------------------


LONG = {
    "lem.counting_counts": 145,
    "lem.floats_induction_frequent": 130,
    "lem.floats_induction_stored": 145,
    "lem.front_tokens": 190,
    "lem.logic_counted": 135,
    "lem.logic_counts": 145,
    "lem.rounded_automaton_first": 150,
    "lem.turing_places": 130,
    "lem.turing_symbols": 145,
    "lem.turing_written": 205,
    "lem.unmarked_short": 160,
    "lem.unmarked_token": 130,
    "merrill2024.thm1.nodollar.corrected": 155,
    "merrill2024.thm1.schedule": 140,
    "merrill2024.thm2.layers.corrected": 170,
    "merrill2024.thm2.nodollar.corrected": 140,
    "yang2026.cor22": 165,
    "yang2026.fig1": 165,
}
"""Texts of more than 120 lines: a block for each kind of token or line, or for each step of a run that is defined."""


@pytest.mark.sweep
def test_stored_texts_are_short():
    for name, path in TEXTS.items():
        raw = path.read_text(encoding="utf-8")
        assert len(prooftext._logical(raw)) <= LONG.get(name, 120) and max(map(len, raw.splitlines())) <= 120, name


def test_each_long_text_opens_with_its_idea():
    """One line below the heading, in words, for every text over 20 lines."""

    def opens(raw: str) -> bool:
        lines = raw.split("\n")
        idea = lines[1].strip() if len(lines) > 1 else ""
        return len(lines) <= 21 or (idea.startswith("# ") and len(idea.split()) >= 6 and idea[-1] in ".:")

    assert [name for name, path in TEXTS.items() if not opens(path.read_text(encoding="utf-8"))] == []
    assert not opens("proof a.b\n" + "  qed\n" * 30) and not opens("proof a.b\n  # idea\n" + "  qed\n" * 30)


def said(name: str, raw: str) -> list[str]:
    """The lists of more than 12 names in a text that `..` could say: of a lemma's quantifiers, of what one says exists,
    of the statement's own quantifiers."""
    found: list[str] = []
    local = set(re.findall(r"^\s*(?:- )*(\w+):(?!=)", raw, re.MULTILINE))
    plain = re.sub(r"\s+", " ", raw)
    for fact, given in re.findall(r"\b([\w.]+)\(((?:\w+; ){12,}\w+)\)", plain):
        full = next((n for n in (f"lem.{fact}", fact) if n in STATEMENTS and fact not in local), None)
        found += [fact] if full and given.split("; ") == equations.own(STATEMENTS[full].expanded)[0] else []
    for given, fact in re.findall(r"\bobtain ((?:\w+ ){12,})\S.*? from ([\w.]+)", plain):
        full = next((n for n in (f"lem.{fact}", fact) if n in STATEMENTS and fact not in local), None)
        found += [fact] if full and given.split() == equations.own(STATEMENTS[full].expanded)[1] else []
    every = equations.own(STATEMENTS[name].expanded)[0]
    for given in re.findall(r"\bgiven ((?:\w+ ){12,})", plain):
        mine = every and given.split()[:12] == every[:12] and not raw.startswith("refutation")
        found += ["given"] if mine else []
    return found


@pytest.mark.sweep
def test_no_list_of_names_stands_where_two_dots_could():
    found = {name: said(name, path.read_text(encoding="utf-8")) for name, path in TEXTS.items()}
    assert {name: facts for name, facts in found.items() if facts} == {}
    name = "chiang2022.appB.parity.corrected"
    every = equations.own(STATEMENTS[name].expanded)[0]
    assert said(name, f"proof {name}\n  given {' '.join(every)} low\n") == ["given"]
    assert said(name, f"proof {name}\n  take a from parity_normed_run({'; '.join(every)})\n") == ["parity_normed_run"]


@pytest.mark.sweep
@pytest.mark.layer_two(every=6)
@pytest.mark.parametrize("part", range(12))
def test_stored_texts_read_back(part):
    def check(name):
        text = prooftext.read(TEXTS[name].read_text(encoding="utf-8"))
        assert text.id == name and STATEMENTS[name]
        assert prooftext.read(prooftext.written(text)) == text

    every(list(TEXTS)[part::12], check)


BITS = [*"()[]:;,~x0^#_-é\t", "/0", "qed", "given", "cases", "split", "left", "witness", "rewrite", "by", "from"]


@pytest.mark.layer_one(1, 2, 3)
@in_parts(4, "seed", range(16))
def test_a_damaged_text_is_refused_or_still_a_proof(seed):
    """Nothing but the two errors comes out, whatever is done to a text; what is built is judged as ever."""
    rng = random.Random(seed)
    name = rng.choice(sorted(TEXTS))
    text = TEXTS[name].read_text(encoding="utf-8")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        text = text[:at] + (rng.choice(BITS) if rng.random() < 0.5 else "") + text[at + rng.randint(0, 6) :]
    try:
        read = prooftext.read(text)
        home, labels = build.library(name, STATEMENTS)
        for part, goal in build.goals_of(STATEMENTS[name], read.refutes).items():
            g = Goal(home, goal, {}, {})
            elaborate.Elaborator(levels=automation.LEVELS[:1]).block(g, read.parts.get(part, ()), prooftext.Place(1, 1))
            usable = {label: s.formula for label, s in labels.items()}
            kernel.check(goal, g.nodes, lemmas=usable, known=STATEMENTS[name].known)
    except (BadProof, StepGap):
        pass


def test_texts_and_scripts_are_apart():
    assert TEXTS.keys().isdisjoint(build.scripts_with_files())


OTHERS = ["lem.sm_weight", "cookbook.s5.7.lemma5.3"]


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("name", ["lem.sum_mono", *OTHERS])
def test_a_text_gives_a_certificate(name):
    made = build.from_text(name, build.read_text(name, TEXTS[name]), STATEMENTS)  # which the checker has accepted
    assert made["statement"] == STATEMENTS[name].digest and made["sense"] == "proved"


SMALL = {n: path for n, path in TEXTS.items() if (ROOT / "certificates" / f"{n}.json").stat().st_size < 6000}


@pytest.mark.sweep
@in_parts(4, "name", build.drawn(SMALL, 4))
def test_no_hint_stands_that_nothing_uses(name):
    """But those that steer the search: without them the certificate is another. Each change of a text or of the search
    draws others, as the sample of `proofs/build.py --check` does, which asks the same; ``--check --idle`` asks all."""
    text, idle = build.read_text(name, TEXTS[name]), list[tuple[prooftext.Place, str]]()
    certificate = build.from_text(name, text, STATEMENTS, idle)
    assert build.without_idle(name, text, STATEMENTS, certificate, idle, 10) == (text, [])


def test_a_text_under_another_name_is_refused(tmp_path: Path):
    path = tmp_path / "sum_one.proof"
    path.write_text("proof lem.sum_two\n", encoding="utf-8")
    with pytest.raises(BadProof, match=r"line 1, column 1: expected a proof of lem\.sum_one"):
        build.read_text("lem.sum_one", path)
