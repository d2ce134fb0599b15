"""The references against each other, against indicators, and against numbers printed in the paper."""

import ast
import itertools
import math
from fractions import Fraction
from pathlib import Path

import pytest
from families import together
from shared import relu, words

import symcook.spec
from symcook.errors import BadInput
from symcook.spec import attention, feedforward, languages

GRID = [Fraction(p, q) for q in (1, 2, 3, 7) for p in range(-3 * q, 3 * q + 1)]
ALLOWED = (
    "copy", "enum", "__future__", "fractions", "functools", "collections.abc", "dataclasses", "itertools", "typing",
)  # fmt: skip
PROGRAMS = (
    "symcook.programs", "symcook.programs.formula", "symcook.programs.reading", "symcook.programs.srasp",
    "symcook.programs.srasp_reading", "symcook.programs.automata", "symcook.programs.running",
    "symcook.programs.turing", "symcook.spec", "symcook.spec.logic", "symcook.spec.srasp", "symcook.model.transformer",
)  # fmt: skip
"""The syntax of programs, and what a model says that it was compiled from."""
TOLERANCES = [Fraction(1), Fraction(1, 2), Fraction(1, 7), Fraction(1, 1000)]


def out(answer):
    assert set(answer) == {"out"}
    assert isinstance(answer["out"], Fraction)
    return answer["out"]


def test_spec_imports_nothing_of_symcook_but_errors_and_itself():
    for path in Path(symcook.spec.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                own = ("symcook.spec.fold", "symcook.spec.counted")
                known = (*ALLOWED, "symcook.door", "symcook.errors", *own, *PROGRAMS)
                assert node.module in known, (path, node.module)
            if isinstance(node, ast.Import):
                pytest.fail(f"{path} imports {node.names[0].name}")


@pytest.mark.parametrize("eps", TOLERANCES)
def test_comparators_equal_the_relu_sums_of_section_4_7(eps):
    for x in [*GRID, eps, -eps, eps / 2, -eps / 2, eps * 2]:
        gt = (relu(x) - relu(x - eps)) / eps
        ge = (relu(x + eps) - relu(x)) / eps
        eq = (relu(x + eps) - 2 * relu(x) + relu(x - eps)) / eps
        assert out(feedforward.gtzero({"x": x}, eps=eps)) == gt
        assert out(feedforward.gezero({"x": x}, eps=eps)) == ge
        assert out(feedforward.eqzero({"x": x}, eps=eps)) == eq
        inputs = {"x": x, "tolerance": eps}
        assert out(feedforward.gtzero_input(inputs)) == eps * gt
        assert out(feedforward.gezero_input(inputs)) == eps * ge
        assert out(feedforward.eqzero_input(inputs)) == eps * eq
        assert out(feedforward.clip({"x": x}, delta=eps)) == relu(x + eps) - relu(x - eps) - eps
        if x <= 0 or x >= eps:
            assert gt == int(x > 0)
        if x <= -eps or x >= 0:
            assert ge == int(x >= 0)
        if x == 0 or abs(x) >= eps:
            assert eq == int(x == 0)


def test_the_relu_sum_test_rejects_neighbours():
    eps = Fraction(1, 2)
    wrong = {
        "gtzero with the window on the left": lambda x: feedforward.gezero({"x": x}, eps=eps),
        "gtzero of a doubled tolerance": lambda x: feedforward.gtzero({"x": x}, eps=2 * eps),
        "eqzero for gtzero": lambda x: feedforward.eqzero({"x": x}, eps=eps),
    }
    for name, function in wrong.items():
        assert any(out(function(x)) != (relu(x) - relu(x - eps)) / eps for x in GRID), name


def test_inside_the_window_the_three_cases():
    assert out(feedforward.gtzero({"x": Fraction(1, 6)}, eps=Fraction(1, 2))) == Fraction(1, 3)
    assert out(feedforward.gezero({"x": Fraction(-1, 6)}, eps=Fraction(1, 2))) == Fraction(2, 3)
    assert out(feedforward.eqzero({"x": Fraction(-1, 6)}, eps=Fraction(1, 2))) == Fraction(2, 3)
    assert out(feedforward.gtzero_input({"x": Fraction(1, 6), "tolerance": Fraction(1, 2)})) == Fraction(1, 6)
    assert out(feedforward.eqzero_input({"x": Fraction(1, 6), "tolerance": Fraction(1, 2)})) == Fraction(1, 3)


def test_linear_and_lattice_recipes():
    for x, y in itertools.product(GRID[::3], repeat=2):
        inputs = {"x": x, "y": y}
        assert out(feedforward.minimum(inputs)) == x - relu(x - y)
        assert out(feedforward.maximum(inputs)) == x + relu(y - x)
        assert out(feedforward.add(inputs)) == relu(x) - relu(-x) + relu(y) - relu(-y)
        assert out(feedforward.subtract(inputs)) == x - y
        assert feedforward.zero(inputs) == inputs
        assert out(feedforward.identity({"x": x})) == x
        assert out(feedforward.scale({"x": x}, c=y)) == x * y
        assert feedforward.cancel_residual(inputs, f=feedforward.minimum) == {"x": min(x, y)}


def test_boolean_is_its_table():
    for m in range(4):
        for entries in itertools.product("01", repeat=1 << m):
            for k, bits in enumerate(itertools.product((0, 1), repeat=m)):
                inputs = {f"x{i}": Fraction(bit) for i, bit in enumerate(bits, start=1)}
                assert out(feedforward.boolean(inputs, table="".join(entries))) == int(entries[k])
    xor = feedforward.boolean({"x": Fraction(1), "y": Fraction(0)}, table=[0, 1, 1, 0], names=("x", "y"))
    assert out(xor) == 1


def test_conditional_equals_section_4_9():
    unit = [Fraction(k, 6) for k in range(7)]
    for p, x, y in itertools.product((Fraction(0), Fraction(1)), unit, unit):
        assert out(feedforward.conditional({"p": p, "x": x, "y": y})) == relu(p + x - 1) + relu(y - p)


def test_cpwl_equals_the_relu_sum_of_section_4_1():
    tables = [
        [(0, 0), (1, 1)],
        [(-2, 1), (0, -1), (Fraction(1, 2), 3), (2, 3)],
        [(-1, 0), (0, 1), (1, 0), (3, Fraction(-5, 2)), (4, 4)],
    ]
    for points in tables:
        slopes = [Fraction(b1 - b0) / (a1 - a0) for (a0, b0), (a1, b1) in itertools.pairwise(points)]
        for x in [*GRID, Fraction(-50), Fraction(50), *(Fraction(a) for a, _ in points)]:
            expected = points[0][1] + slopes[0] * (x - points[0][0])
            for k in range(1, len(slopes)):
                expected += (slopes[k] - slopes[k - 1]) * relu(x - points[k][0])
            assert out(feedforward.cpwl({"x": x}, points=points)) == expected
        for a, b in points:
            assert out(feedforward.cpwl({"x": Fraction(a)}, points=points)) == b


def test_round_is_gtzero_of_a_half_at_a_quarter():
    for x in GRID:
        assert feedforward.round_quarter({"x": x}) == feedforward.gtzero({"x": x - Fraction(1, 4)}, eps=Fraction(1, 2))
    assert out(feedforward.round_quarter({"x": Fraction(1, 4)})) == 0
    assert out(feedforward.round_quarter({"x": Fraction(3, 4)})) == 1


@together(
    "call",
    [
        lambda: feedforward.gtzero({"x": Fraction(1)}, eps=0),
        lambda: feedforward.gezero({"x": Fraction(1)}, eps=Fraction(-1, 2)),
        lambda: feedforward.eqzero({"x": 0.5}, eps=1),
        lambda: feedforward.eqzero({"x": Fraction(1)}, eps=0.5),
        lambda: feedforward.clip({"x": Fraction(1)}, delta=0),
        lambda: feedforward.add({"x": Fraction(1)}),
        lambda: feedforward.boolean({"x1": Fraction(1, 2)}, table="01"),
        lambda: feedforward.boolean({"x1": Fraction(1)}, table="011"),
        lambda: feedforward.boolean({"x1": Fraction(1)}, table=""),
        lambda: feedforward.boolean({"x1": Fraction(1)}, table="0a"),
        lambda: feedforward.conditional({"p": Fraction(1, 2), "x": Fraction(0), "y": Fraction(0)}),
        lambda: feedforward.cpwl({"x": Fraction(0)}, points=[(0, 0)]),
        lambda: feedforward.cpwl({"x": Fraction(0)}, points=[(0, 0), (0, 1)]),
        lambda: attention.average([]),
        lambda: attention.prefix_average([0.5]),
        lambda: attention.lookup_quadratic([]),
        lambda: languages.dyck1("(a)"),
        lambda: languages.dyck_bounded("()", -1),
        lambda: languages.dyck_bounded("()[", 2),
        lambda: languages.dyck_bounded("((()", 2),
        lambda: languages.dyck_bounded("()[]", 2)(["()"]),
        lambda: languages.dyck_bounded("()[]", 2)([""]),
        lambda: languages.dyck_bounded("()[]", 2)([1]),  # type: ignore[list-item]
        lambda: languages.most_recent("ABCD")(["AB"]),
        lambda: languages.most_frequent("ABCD")(["AB"]),
        lambda: languages.most_frequent("ABCD")([""]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(BadInput):
        call()


def hard_attention(scores, values):
    """Average-hard attention of one row, straight from Definition 5.1."""
    best = [v for s, v in zip(scores, values, strict=True) if s == max(scores)]
    return sum(best, Fraction(0)) / len(best)


def test_attention_references_equal_attention_on_all_short_inputs():
    for n in range(1, 6):
        for choice in itertools.product((Fraction(0), Fraction(1), Fraction(-1, 2)), repeat=n):
            values = list(choice)
            assert attention.average(values) == [hard_attention([0] * n, values)] * n
            prefix = [hard_attention([0] * i, values[:i]) for i in range(1, n + 1)]
            assert attention.prefix_average(values) == prefix


def test_first_position_equals_the_construction_of_section_5_2():
    for n in range(1, 40):
        means = attention.prefix_average([-((-1) ** i) for i in range(1, n + 1)])
        assert means[0] == 1
        assert all(0 <= c <= Fraction(1, 3) for c in means[1:])
        eps = Fraction(1, 3)
        built = [out(feedforward.gtzero({"x": c - Fraction(1, 3)}, eps=eps)) for c in means]
        assert attention.first_position("a" * n) == built


@pytest.mark.sweep
def test_lookup_equals_average_hard_attention_on_2qj_minus_j_squared():
    for n in range(1, 6):
        values = [Fraction(k * k, 3) for k in range(1, n + 1)]
        for query in [Fraction(k, 2) for k in range(-2, 2 * n + 5)] + [Fraction(7, 3)]:
            scores = [2 * query * j - j * j for j in range(1, n + 1)]
            rows = [(query, v) for v in values]
            assert attention.lookup_quadratic(rows) == [hard_attention(scores, values)] * n
        for queries in itertools.product(range(1, n + 1), repeat=n):
            rows = list(zip(queries, values, strict=True))
            assert attention.lookup_quadratic(rows) == [values[q - 1] for q in queries]


def test_dyck1_three_ways_to_length_14():
    """Two properties, the grammar and (here only) a stack agree; the counts are the Catalan numbers."""
    for n in range(15):
        accepted = 0
        for word in words(n, shortest=n):
            stack: list[str] = []
            sound = True
            for symbol in word:
                if symbol == "(":
                    stack.append(symbol)
                elif stack:
                    stack.pop()
                else:
                    sound = False
                    break
            expected = sound and not stack
            assert languages.dyck1(word) == expected
            if n <= 10 or expected:
                assert languages.dyck1_grammar(word) == expected
            accepted += expected
        assert accepted == (0 if n % 2 else math.comb(n, n // 2) // (n // 2 + 1))


def test_bounded_depth_by_rewriting_and_counts():
    """Each bound against depth by recursion on word = ( body ) rest; counts of depth at most 2 are 2^(m-1)."""
    bounded = [languages.dyck_bounded("()", most) for most in range(8)]
    for n in range(0, 13, 2):
        for word in words(n, shortest=n):
            sound = languages.dyck1_grammar(word)
            inner = 1 + max(_depths_inside(word), default=0) if sound and word else 0
            assert [fold(word) for fold in bounded] == [sound and inner <= most for most in range(8)], word
            assert languages.dyck1_2(word) == bounded[2](word), word
    assert sum(bounded[1](w) for w in words(8, shortest=8)) == 1
    found = [sum(bounded[2](w) for w in words(2 * m, shortest=2 * m)) for m in range(1, 6)]
    assert found == [1, 2, 4, 8, 16]


def _depths_inside(word):
    """Depths of the bodies of the outermost pairs, recursively by the grammar word = ( body ) rest."""
    while word:
        close = next(k for k in range(1, len(word)) if languages.dyck1_grammar(word[1:k]) and word[k] == ")")
        body, word = word[1:close], word[close + 1 :]
        yield 0 if not body else 1 + max(_depths_inside(body), default=0)


def test_examples_printed_in_the_paper():
    """Two of the printed examples are slips: ((()) lacks a bracket, and ((())())() is nested three deep, not two."""
    assert not languages.dyck1("((())")
    assert languages.dyck1("((()))")
    assert not languages.dyck1(")())()")
    assert languages.dyck_bounded("()", 3)("((())())()")
    assert not languages.dyck1_2("((())())()")
    assert languages.dyck1_2("(()())()")
    assert languages.dyck1("") and languages.dyck1_grammar("") and languages.dyck1_2("")


def test_a_reference_names_the_input_that_is_missing() -> None:
    for answer in (
        lambda: feedforward.max_min({"x": Fraction(1)}, [[({"x": Fraction(1), "y": Fraction(2)}, Fraction(0))]]),
        lambda: feedforward.proposition({"p": Fraction(1)}, ("p", "q"), (0, 0, 0, 1), False),
        lambda: feedforward.multiply({"x": Fraction(1)}),
    ):
        with pytest.raises(BadInput, match=r"the input [qy] must be set; given: [xp]"):
            answer()
