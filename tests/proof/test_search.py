"""The search for proofs: the simplex against enumeration of bases, what `auto` finds and what it must not find."""

import itertools
import random
from fractions import Fraction

import pytest
from families import together

from symcook.proof import kernel, replay
from symcook.proof.grammar import read_formula, show
from symcook.proof.inequalities import linear, reify
from symcook.proof.inequalities.simplex import TooLong, solve
from symcook.proof.normal import fkey, nf
from symcook.proof.search import automation
from symcook.proof.search.tactics import Citable, Goal, Stuck, intro_all, prove, sides_of

AXIOMS = {f"ax:{name}": f for name, f in kernel.axioms().items()}
SCOPE = {"x": "Real", "y": "Real", "z": "Real", "n": "Int", "f": ("fun", ("Int",), "Real")}


def formula(text):
    return read_formula(text, SCOPE, {})


def satisfied(rows, free, values):
    return all(sum((c * values.get(k, 0) for k, c in r.items()), Fraction(0)) == b for r, b in rows) and all(
        v >= 0 for k, v in values.items() if k not in free
    )


def some_basis_works(rows, names):
    """Whether a square subsystem has a nonnegative solution: the definition of a basic solution, by enumeration."""
    if all(b == 0 for _, b in rows):
        return True
    for size in range(1, len(rows) + 1):
        for chosen in itertools.combinations(names, size):
            values = least_squares_free(rows, chosen)
            if values is not None and all(v >= 0 for v in values.values()):
                return True
    return False


def least_squares_free(rows, chosen):
    """The solution of the rows in the chosen unknowns alone where it is unique, by Gaussian elimination."""
    table = [[Fraction(r.get(k, 0)) for k in chosen] + [Fraction(b)] for r, b in rows]
    place = 0
    for column in range(len(chosen)):
        pivot = next((i for i in range(place, len(table)) if table[i][column]), None)
        if pivot is None:
            return None
        table[place], table[pivot] = table[pivot], table[place]
        table[place] = [x / table[place][column] for x in table[place]]
        for i, row in enumerate(table):
            if i != place and row[column]:
                table[i] = [x - row[column] * y for x, y in zip(row, table[place], strict=True)]
        place += 1
    if any(row[-1] for row in table[place:]):
        return None
    return {k: table[i][-1] for i, k in enumerate(chosen)}


@together("seed", range(60))
def test_simplex_agrees_with_enumeration_of_bases(seed):
    draw = random.Random(seed)
    names = "abcde"[: draw.randint(2, 5)]
    rows = [
        ({k: Fraction(draw.randint(-2, 2)) for k in names}, Fraction(draw.randint(-2, 2)))
        for _ in range(draw.randint(1, 4))
    ]
    rows = [({k: c for k, c in r.items() if c}, b) for r, b in rows]
    values = solve(rows, [])
    assert (values is not None) == some_basis_works(rows, names)
    assert values is None or satisfied(rows, (), values)


@together("seed", range(20))
def test_free_unknowns(seed):
    draw = random.Random(1000 + seed)
    names = "abcdef"
    point = {k: Fraction(draw.randint(-3, 3) if k in "ab" else draw.randint(0, 3)) for k in names}
    rows = []
    for _ in range(4):
        r = {k: Fraction(draw.randint(-2, 2)) for k in names}
        rows.append((r, sum((c * point[k] for k, c in r.items()), Fraction(0))))
    values = solve(rows, "ab")
    assert values is not None and satisfied(rows, "ab", values)


def test_simplex_stops():
    rows = [({"a": Fraction(1), "b": Fraction(1), "c": Fraction(-1)}, Fraction(1))]
    with pytest.raises(TooLong):
        solve(rows, [], pivots=0)


def closed(text):
    return read_formula(text, {}, {})


def auto(goal, **options):
    g = intro_all(goal)
    g.auto(**options)


@pytest.mark.parametrize(
    "text",
    [
        "all x:Real, y:Real, z:Real. x <= y -> y < z -> x < z",
        "all x:Real, y:Real. 0 <= x -> x <= y -> x^2 <= y^2",
        "all x:Real, y:Real. x = y -> x*y - y^2 = 0",
        "all x:Real. x <= 1 -> 2 <= x -> x = 7",
        "all x:Real, y:Real. 0 < x -> x*y = 1 -> 0 < y",
        "all x:Real, y:Real. 0 < exp(x) -> 1 + (y - x) <= exp(y - x) -> x <= y -> exp(x) <= exp(y)",
    ],
)
def test_auto_finds_what_the_kernel_accepts(text):
    proof = prove(Citable({}, AXIOMS), closed(text), auto)
    assert kernel.check(closed(text), proof).nodes == len(str(proof).split("'by'")) - 1


@pytest.mark.parametrize(
    "text",
    [
        "all x:Real, y:Real, z:Real. x <= y -> y <= z -> x < z",
        "all x:Real, y:Real. x <= y -> x^2 <= y^2",
        "all x:Real. x*(1/x) = 1",
        "all x:Real. 0 <= x -> 0 < x^2",
        "all x:Real, y:Real. 0 <= x*y -> 0 <= x",
        "all n:Int. 0 < n -> 2 <= n",
    ],
)
def test_auto_finds_nothing_for_what_is_false(text):
    with pytest.raises(Stuck):
        prove(Citable({}, AXIOMS), closed(text), auto)


@pytest.mark.parametrize("sort", ["Int", "Real"])
def test_an_index_is_selected_only_by_a_whole_number(sort):
    """For a real x the sum may be 0; the search must not write a proof that the kernel refuses."""
    goal = closed(f"all n:Int, x:{sort}. 1 <= x -> x <= n -> sum(j, 1, n, I[j = x]) = 1")
    lemma = {"lem:sum_delta": replay.statements()["lem.sum_delta"].formula}

    def found():
        return prove(Citable({}, AXIOMS | lemma), goal, lambda g: automation.prove(intro_all(g)))

    if sort == "Int":
        assert kernel.check(goal, found(), lemmas=lemma).nodes > 1
    else:
        with pytest.raises(Stuck):
            found()


def test_squares_and_multipliers():
    text = "all x:Real, y:Real. 2*x*y <= x^2 + y^2"
    with pytest.raises(Stuck):
        prove(Citable(), closed(text), auto)
    proof = prove(Citable(), closed(text), lambda g: g.intro("x y").auto(squares=["x - y"]))
    assert kernel.check(closed(text), proof).nodes == 2
    text = "all x:Real, y:Real. x = 1 -> x*y^5 = y^5"
    proof = prove(Citable(), closed(text), lambda g: g.intro("x y h").auto(rounds=0, multipliers=["y^5"]))
    assert kernel.check(closed(text), proof).nodes == 2


def test_an_open_branch_is_refused():
    def half(g: Goal) -> None:
        side, _ = sides_of(g.intro("x"), g.term("abs(x)"))
        side.easy()

    def by_sides(g: Goal) -> None:
        for side in sides_of(g.intro("x"), g.term("abs(x)")):
            side.easy()

    with pytest.raises(Stuck, match="open"):
        prove(Citable({}, AXIOMS), closed("all x:Real. x <= abs(x)"), half)
    whole = prove(Citable({}, AXIOMS), closed("all x:Real. x <= abs(x)"), by_sides)
    assert kernel.check(closed("all x:Real. x <= abs(x)"), whole).nodes > 3


@pytest.mark.parametrize(
    "text",
    [
        "x/(x + y) + exp(x - y)*exp(y)/3 = z^3",
        "sum(j, 1, n, f(j)*x + I[j = n]) = relu(x - 2*y)",
        "sum(j, 1, n, exp(f(j))*sum(k, j, n, f(k + 1))) = abs(x)",
        "I[all j in 1..n. f(j) <= x | ~(f(n) = 0)] = max(x, -y)",
    ],
)
def test_terms_from_normal_forms(text):
    made = formula(text)
    for side in made[2]:
        again = reify.term(nf(side))
        assert nf(again) == nf(side)
        assert nf(read_formula(f"{show(again, SCOPE)} = 0", SCOPE, {})[2][0]) == nf(side)
    assert fkey(reify.formula(fkey(made))) == fkey(made)


def test_a_contradiction_is_reported_as_such():
    found = linear.search(formula("x = 5"), {"a": formula("x <= 1"), "b": formula("2 <= x")})
    assert found is None  # an equation takes equations only
    found = linear.search(formula("y <= 5"), {"a": formula("x <= 1"), "b": formula("2 <= x")})
    assert found is not None and found.contradiction
    assert {labels for _, labels, _ in found.sum} >= {("a",), ("b",)}
