"""The normal form: what is equal, what must not be, and a comparison with plain evaluation of random terms."""

import random
import time
from fractions import Fraction

import pytest
from families import together

from symcook.errors import Rejected
from symcook.proof.grammar import read_formula, read_value, show
from symcook.proof.normal import FALSE, TRUE, Clock, fkey, freeze, nf
from symcook.proof.terms import instantiate, num

SCOPE = {
    "x": "Real",
    "y": "Real",
    "z": "Real",
    "n": "Int",
    "f": ("fun", ("Int",), "Real"),
    "g": ("fun", ("Int", "Int"), "Real"),
}


def normal(text):
    return nf(read_value(text, "Real", SCOPE, {}))


def key(text):
    return fkey(read_formula(text, SCOPE, {}))


EQUAL = [
    ("(x + y)^2", "x*x + 2*x*y + y^2"),
    ("exp(x)*exp(y)", "exp(x + y)"),
    ("exp(2*x)", "exp(x)^2"),
    ("exp(0)", "1"),
    ("exp(-x)", "1/exp(x)"),
    ("1/(exp(x)*y)", "exp(-x)/y"),
    ("log(exp(x + 1))", "x + 1"),
    ("1/(2*x)", "0.5/x"),
    ("1/(1/x)", "x"),
    ("1/(1/(x + y))", "x + y"),
    ("1/(x*y + x*z)", "1/x*1/(2*y + 2*z)*2"),
    ("1/(1 - n)", "-1/(n - 1)"),
    ("1/(2*x + 4*y)", "0.5/(x + 2*y)"),
    ("relu(-3)", "0"),
    ("relu(1/3)", "1/3"),
    ("abs(-2)", "2"),
    ("min(x, x + 1)", "x"),
    ("max(x, x + 1)", "x + 1"),
    ("min(x, x + 1/9)", "x"),
    ("max(x, x + 1/9)", "x + 1/9"),
    ("min(x, x - 1/9)", "x - 1/9"),
    ("max(x, x - 1/9)", "x"),
    ("sqrt(4/9)", "2/3"),
    ("pow(x, 2)", "x*x"),
    ("pow(0, 0)", "1"),
    ("pow(-1, 5)", "-1"),
    ("sum(j, 1, n, 2*f(j) + x)", "2*sum(k, 1, n, f(k)) + x*sum(j, 1, n, 1)"),
    ("sum(j, 1, 0, f(j))", "0"),
    ("sum(j, 1, n, sum(k, 1, n, g(j, k)*f(j)))", "sum(j, 1, n, f(j)*sum(i, 1, n, g(j, i)))"),
    ("prod(i, 1, 5, i)", "120"),
    ("sum(j, 1, n, exp(f(j) - x))", "sum(j, 1, n, exp(f(j)))/exp(x)"),
    ("sum(j, n, n + 2, f(j))", "f(n) + f(n + 1) + f(n + 2)"),
    ("sum(j, 1, n, f(j) + sum(k, 1, j, f(k)))", "sum(j, 1, n, f(j)) + sum(j, 1, n, sum(k, 1, j, f(k)))"),
    ("sum(j, 1, n, f(j)*sum(k, 1, n, f(k)))", "sum(j, 1, n, f(j))^2"),
    ("prod(j, 3, 2, f(j))", "1"),
    ("prod(j, 1, n, 1)", "1"),
    ("prod(j, 1, n, f(j) + 1 - f(j))", "1"),
    (
        "sum(j, 1, n, I[all u:Real. u + sum(i, 1, n, f(i)) - sum(k, 1, n, f(k)) < f(j)])",
        "sum(j, 1, n, I[all u:Real. u < f(j)])",
    ),
    ("I[~(x < y)]", "I[2*y <= 2*x]"),
    ("I[1 < 2]", "1"),
    ("I[x = y]", "I[2*y = 2*x]"),
    ("f(1 + n)", "f(n + 1)"),
    ("sum(j, 1, n, exp(-f(j))/sum(k, 1, n, exp(f(k))))", "sum(i, 1, n, exp(-f(i)))/sum(k, 1, n, exp(f(k)))"),
]

DIFFERENT = [
    ("x/x", "1"),
    ("x*(1/x)", "1"),
    ("sqrt(x^2)", "x"),
    ("abs(x)", "x"),
    ("I[x < y] + I[y <= x]", "1"),
    ("x/(x*y)", "1/y"),
    ("exp(log(x))", "x"),
    ("pow(x, n)*x", "pow(x, n + 1)"),
    ("pow(x, -1)", "1/x"),
    ("sum(j, 1, n, 1)", "n"),
    ("sum(j, 1, n, sum(k, 1, n, g(j, k)*f(k)))", "sum(j, 1, n, f(j)*sum(i, 1, n, g(j, i)))"),
    ("prod(j, 1, n, 2*f(j))", "2*prod(j, 1, n, f(j))"),
    ("sum(j, 1, n, g(j, n))", "sum(j, 1, n, g(n, j))"),
    ("sum(j, 0, n, f(j))", "sum(j, 1, n, f(j))"),
    ("f(n)", "f(n + 1)"),
    ("relu(x)", "x"),
    ("min(x, y)", "x"),
    ("1/(x + y)", "1/x + 1/y"),
    ("I[x <= y]", "I[x < y]"),
    ("exp(x*y)", "exp(x)*exp(y)"),
]


@together(("a", "b"), EQUAL)
def test_equal(a, b):
    assert normal(a) == normal(b)


@together(("a", "b"), DIFFERENT)
def test_different(a, b):
    assert normal(a) != normal(b)


def test_formulas_are_decided_by_numerals_only():
    assert key("1/3 < 0.34") == TRUE and key("2 < 1 | sqrt(2) < 0 & false") == FALSE
    assert key("x < x + 1") == TRUE and key("x = x") == TRUE and key("0 <= x*x") not in (TRUE, FALSE)
    assert key("~(x <= y)") == key("y < x") and key("x = y") == key("y - x = 0") and key("x < y") != key("y < x")
    assert key("all u:Real. u < x") == key("all v:Real. 2*v < 2*x") != key("ex v:Real. v < x")
    assert key("all u:Real. u < x") != key("all u:Int. u < x")


WRITTEN_OUT = "sum(j, 1, 2, j*{})"


@pytest.mark.parametrize("relation", ["=", "<=", "<"])
@pytest.mark.parametrize("inner", ["all", "ex"])
def test_bound_variables_of_what_is_written_out_keep_their_binders(relation, inner):
    """A sum that is written out leaves fewer binders than there were, so that the variables around it get other names:
    in equations and inequalities alike each stays with its own quantifier."""
    text = "all a:Real. {inner} b:Real. {left} {relation} {right}".format
    kind = {"inner": inner, "relation": relation}
    for left, right in (("a", "b"), ("b", "a"), ("a", "1"), ("b", "1"), ("a", "a"), ("a + b", "x")):
        short = key(text(left=f"3*({left})", right=right, **kind))
        assert key(text(left=WRITTEN_OUT.format(f"({left})"), right=right, **kind)) == short
    one, other = (key(text(left=WRITTEN_OUT.format(name), right="x", **kind)) for name in "ab")
    assert one != other  # "some number is x/3" beside "each number is"


def test_a_division_by_zero_is_refused():
    for text in ("1/0", "x/(y - y)", "1/relu(-1)", "1/sum(j, 1, 0, f(j))"):
        with pytest.raises(Rejected):
            normal(text)


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    "text", ["(x + y + z + 1)^40", "(2^1000)^1000 + ((2^1000)^1000)^1000", "(x + f(1) + f(2) + f(3) + 1/y)^1000"]
)
def test_large_powers_are_refused_at_once(text):
    start = time.process_time()
    with Clock(60), pytest.raises(Rejected, match=r"monomials|too large|too long"):
        normal(text)
    assert time.process_time() - start < 5


def test_long_ranges_stay_atoms():
    assert len(normal("sum(j, 1, 10^9, f(j))")) == 1


def value(t, env):
    """Evaluation with 1/0 = 0, by the book and apart from the normal form."""
    tag, data, kids = t
    if tag == "num":
        return Fraction(*data)
    if tag == "var":
        return env[data[0]]
    if tag in ("sum", "prod"):
        out = Fraction(tag == "prod")
        for j in range(int(value(kids[0], env)), int(value(kids[1], env)) + 1):
            one = value(instantiate(kids[2], (num(j),)), env)
            out = out + one if tag == "sum" else out * one
        return out
    if tag == "ind":
        return Fraction(truth(kids[0], env))
    if tag == "app":
        return env[kids[0][1][0]](*[value(k, env) for k in kids[1:]])
    a = [value(k, env) for k in kids]
    name = data if tag == "fn" else tag
    if name == "pow":
        return a[0] ** int(a[1]) if a[1] >= 0 else Fraction(0)
    return {
        "+": lambda: a[0] + a[1],
        "-": lambda: a[0] - a[1],
        "*": lambda: a[0] * a[1],
        "neg": lambda: -a[0],
        "/": lambda: a[0] / a[1] if a[1] else Fraction(0),
        "^": lambda: a[0] ** data,
        "relu": lambda: max(a[0], Fraction(0)),
        "abs": lambda: abs(a[0]),
        "min": lambda: min(a),
        "max": lambda: max(a),
    }[name]()


def truth(f, env):
    tag, _, kids = f
    if tag in ("=", "<=", "<"):
        a, b = (value(k, env) for k in kids)
        return a == b if tag == "=" else a <= b if tag == "<=" else a < b
    parts = [truth(k, env) for k in kids]
    return {"~": lambda: not parts[0], "&": lambda: all(parts), "|": lambda: any(parts)}[tag]()


def a_term(rng, depth, bound=()):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["x", "y", "n", "0", "1", "2", "-1", "1/2", "f(n)", *bound, *(f"f({j})" for j in bound)])
    one, two = (a_term(rng, depth - 1, bound) for _ in range(2))
    kind = rng.randrange(12)
    if kind < 6:
        return f"({one} {'+-*/*/'[kind]} {two})"
    if kind == 6:
        return f"{rng.choice(['relu', 'abs'])}({one})"
    if kind == 7:
        return f"{rng.choice(['min', 'max'])}({one}, {two})"
    if kind == 8:
        j = f"j{len(bound)}"
        ends = rng.choice(["1, n", "1, 3", "n, n + 1", "2, n", "0, -1", *(f"1, {b}" for b in bound)])
        return f"{rng.choice(['sum', 'sum', 'prod'])}({j}, {ends}, {a_term(rng, depth - 1, (*bound, j))})"
    if kind == 9:
        return f"I[{one} {rng.choice(['<', '<=', '='])} {two}]"
    return f"({one})^{rng.randrange(4)}" if kind == 10 else f"I[~({one} < {two}) & {one} <= 1 | {two} = 0]"


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(8))
def test_equal_normal_forms_mean_equal_values(seed):
    """Random terms with the same normal form agree at all points, zeros included; 1/0 = 0."""
    rng = random.Random(seed)
    values = [Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(2)]
    points = [
        {
            "x": rng.choice(values),
            "y": rng.choice(values),
            "n": Fraction(rng.randrange(-1, 4)),
            "f": lambda k: k * k - 1,
        }
        for _ in range(12)
    ]
    groups = {}
    for _ in range(700):
        t = read_value(a_term(rng, 3), "Real", SCOPE, {})
        try:
            with Clock(5):
                form = freeze(nf(t))
        except Rejected:
            continue
        groups.setdefault(form, {})[t] = tuple(value(t, p) for p in points)
    assert sum(len(g) > 1 for g in groups.values()) > 5
    for group in groups.values():
        assert len(set(group.values())) == 1, [show(t) for t in group]
