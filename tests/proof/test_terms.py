"""Terms, sorts, the reader of statements and definitions, and the printer."""

import pytest
from families import together

from symcook.errors import BadInput, Rejected
from symcook.proof.grammar import define, digest, leading_names, read_formula, read_value, show
from symcook.proof.terms import (
    abstract,
    conj,
    fits,
    instantiate,
    measure,
    num,
    replace,
    sort_of,
    var,
)

FUN = ("fun", ("Int",), "Real")
SCOPE = {"x": "Real", "n": "Int", "f": FUN, "g": ("fun", ("Int", "Int"), "Real"), "w": ("fun", ("Int",), "Int")}


def definitions(*texts):
    known = {}
    for text in texts:
        made = define(text, known)
        known[made.name] = made
    return known


def term(text, sort="Real"):
    return read_value(text, sort, SCOPE, {})


def test_names_of_bound_variables_do_not_matter():
    a = read_formula("all x:Real. ex y:Real. x < y", {}, {})
    assert a == read_formula("all u:Real. ex v:Real. u < v", {}, {})
    assert digest(a) == digest(read_formula("all p:Real. ex q:Real. q > p", {}, {}))
    assert digest(a) != digest(read_formula("all x:Real. ex y:Real. y < x", {}, {}))


def test_abstract_and_instantiate_are_inverse():
    x, y = var("x", "Real"), var("y", "Real")
    body = conj(("<", None, (x, y)), ("ex", "Real", (("<", None, (("bound", (0, "Real"), ()), x)),)))
    assert instantiate(abstract(body, (x, y)), (x, y)) == body
    swapped = instantiate(abstract(body, (x, y)), (y, x))
    assert swapped[2][0] == ("<", None, (y, x))


def test_substitution_under_a_binder_does_not_capture():
    """f := k. sum(j, 1, 2, k*j) under sum(j, 1, 2, f(j)): (1 + 2)*1 + (1 + 2)*2."""
    goal = read_formula("all f:Int->Real. sum(j, 1, 2, f(j)) = 9", {}, {})
    lam = read_value("k. sum(j, 1, 2, k*j)", FUN, {}, {})
    assert show(instantiate(goal[2][0], (lam,))) == "sum(j, 1, 2, sum(k, 1, 2, j*k)) = 9"


def test_replace_reaches_under_binders():
    f = read_formula("all i:Int. i <= n + 1", {"n": "Int"}, {})
    got = replace(f, term("n + 1", "Int"), num(3))
    assert got == read_formula("all i:Int. i <= 3", {}, {})


@together(
    ("text", "sort"),
    [
        ("n + 2*n - n^3", "Int"),
        ("relu(n) + abs(n) + min(n, 2)", "Int"),
        ("n/1", "Real"),
        ("x + n", "Real"),
        ("pow(-1, n)", "Real"),
        ("I[x < 1]", "Int"),
        ("sum(j, 1, n, w(j))", "Int"),
        ("sum(j, 1, n, f(j))", "Real"),
        ("1/2", "Real"),
        ("0.5", "Real"),
        ("exp(0)", "Real"),
        ("pi", "Real"),
        ("-n", "Int"),
        ("if(x < 1, 1, 2)", "Int"),
    ],
)
def test_sorts(text, sort):
    assert sort_of(term(text)) == sort


@together(
    "text",
    [
        "w(1/2)",
        "f(x)",
        "f(1, 2)",
        "f",
        "g(1)",
        "sum(j, 1, x, 1)",
        "sum(j, 0.5, n, 1)",
        "prod(j, 1, n/1, j)",
        "pow(x, x)",
        "unknown",
        "unknown(1)",
        "floor(x)",
        "x(1)",
        "x^n",
        "x^2000",
        "x^0.5",
        "j. x",
        "sum(x, 1, 2, x)",
        "sum(j, 1, 2, j) + j",
    ],
)
def test_terms_that_are_refused(text):
    with pytest.raises(Rejected):
        term(text)


@together(
    "text",
    [
        "all x:Real. all x:Real. x < 1",
        "all exp:Real. exp < 1",
        "all pi:Real. pi < 4",
        "all x:Real. sum(x, 1, 2, x) = 3",
        "ex j:Int. all j in 1..2. j = 1",
        "all n:Int. n",
        "all f:Int->Real. f = f",
        "all x:Real. x < y",
        "all x:Real. x < 1 + (x < 2)",
        "all f:Int->Real, x:Real. f(x) = 0",
        "all n:Int. all m in 1..n. f(m) = 0",
        "(1 < 2) = (2 < 3)",
        "relu(1, 2) = 1",
    ],
)
def test_statements_that_are_refused(text):
    with pytest.raises(Rejected):
        read_formula(text, {}, {})


def test_ranges_and_equivalence_are_sugar():
    assert read_formula("all j in 1..3. j = 2", {}, {}) == read_formula("all j:Int. 1 <= j & j <= 3 -> j = 2", {}, {})
    assert read_formula("ex j in 1..3. j = 2", {}, {}) == read_formula("ex j:Int. (1 <= j & j <= 3) & j = 2", {}, {})
    assert read_formula("true <-> false", {}, {}) == read_formula("(true -> false) & (false -> true)", {}, {})


def test_definitions_take_functions_and_predicates():
    known = definitions(
        "sm(s, n, j) := exp(s(j))/sum(k, 1, n, exp(s(k)))",
        "word(u, n) := all i in 1..n. u(i) = 0 | u(i) = 1",
        "onehot(p) := j. I[j = p]",
        "weight(p, n) := sm(onehot(p), n, p)",
    )
    given = read_formula("all w:Int->Int, n:Int. word(w, n) -> 0 < sm(j. w(j) - n, n, 1) + weight(2, n)", {}, known)
    plain = read_formula(
        "all w:Int->Int, n:Int. (all i in 1..n. w(i) = 0 | w(i) = 1) -> 0 < exp(w(1) - n)/sum(k, 1, n, exp(w(k) - n))"
        " + exp(I[2 = 2])/sum(k, 1, n, exp(I[k = 2]))",
        {},
        {},
    )
    assert given == plain


@together(
    "text",
    ["relu(x) := x", "f(x, x) := x", "all(x) := x", "f(x) x", "f(f) := 1", "2f(x) := x", "f(x) := x + ", "f(exp) := 1"],
)
def test_definitions_that_are_refused(text):
    with pytest.raises(BadInput):
        define(text, {})


def test_a_definition_is_not_shadowed_and_not_recursive():
    known = definitions("gap(a) := a + 1")
    for text in ("all gap:Real. gap < 1", "all x:Real. sum(gap, 1, 2, x) = 1", "all x:Real. gap(x, x) = 1"):
        with pytest.raises(Rejected):
            read_formula(text, {}, known)
    with pytest.raises(Rejected):
        read_formula("loop(1) = 1", {}, definitions("loop(a) := loop(a) + 1"))


def test_definitions_cannot_explode():
    known = definitions("d0(a) := a + a", *(f"d{i}(a) := d{i - 1}(d{i - 1}(a))" for i in range(1, 9)))
    with pytest.raises(Rejected):
        read_formula("all x:Real. d8(x) = 1", {}, known)


@pytest.mark.parametrize(
    "text",
    [
        "all x:Real, f:Int->Real. x < f(1)/3 - 0.25*x^2",
        "all n:Int. sum(j, 1, n, sum(k, j, n, j*k)) = -n - (-1)",
        "all g:Int*Int->Real. (ex x:Real. x = g(1, 2)) -> ~(g(2, 1) <= 1/7 | false) & true",
        "pow(-1, 3) = -1/3",
        "all x:Real. I[x <= 1 -> x < 2]*min(x, max(x, -x)) = prod(i, 1, 3, i + x) - (x - 1)",
    ],
)
def test_show_reads_back(text):
    f = read_formula(text, {}, {})
    assert read_formula(show(f, {"j", "x"}), {}, {}) == f


def test_leading_names():
    assert leading_names("all x:Real, n:Int. 0 < x -> all j in 1..n. j < x & all y:Real. y = y") == ("x", "n", "j")


def test_fits():
    assert fits("Int", "Real") and not fits("Real", "Int")
    assert fits(("fun", ("Real",), "Int"), ("fun", ("Int",), "Real"))
    assert not fits(("fun", ("Int",), "Real"), ("fun", ("Real",), "Real"))
    assert not fits("Int", FUN)


def test_a_real_lambda_does_not_fit_an_int_function():
    with pytest.raises(Rejected):
        read_value("j. j/2", ("fun", ("Int",), "Int"), {}, {})
    with pytest.raises(Rejected):
        read_value("i j. i", FUN, {}, {})
    assert read_value("f", FUN, SCOPE, {}) == var("f", FUN)


def test_size_and_depth_are_bounded_without_walking_a_shared_tree():
    t = num(1)
    for _ in range(200):
        t = ("+", None, (t, t))
    with pytest.raises(Rejected, match="exceeds 60000 symbols"):
        measure(t)
    t = num(1)
    for _ in range(5000):
        t = ("neg", None, (t,))
    with pytest.raises(Rejected, match="nests more than 460 deep"):
        measure(t)


def nested(t, times):
    for _ in range(times):
        t = ("neg", None, (t,))
    return t


def test_a_term_is_not_let_in_by_what_is_known_of_its_parts():
    """Parts that were measured by themselves count in full: their symbols, their depth, and their sorts."""
    t = num(1)
    for depth in range(2, 470):
        t = ("neg", None, (t,))
        if depth <= 460:
            assert measure(t) == ("Int", depth, depth, 0)
            continue
        with pytest.raises(Rejected, match="nests more than 460 deep"):
            measure(t)
    deep = nested(num(1), 441)
    measure(deep)
    with pytest.raises(Rejected, match="nests more than 460 deep"):
        measure(("all", "Int", (("=", None, (num(0), nested(deep, 17))),)))
    half = num(1)
    for _ in range(14):
        half = ("+", None, (half, half))
    measure(half)
    with pytest.raises(Rejected, match="exceeds 60000 symbols"):
        measure(("+", None, (half, ("*", None, (half, half)))))
    body = ("<=", None, (("bound", (0, "Int"), ()), ("bound", (2, "Real"), ())))
    assert measure(body)[3] == 3 and measure(("all", "Int", (body,)))[3] == 2
    inside = (*body[:2], (body[2][0], num(7)))
    assert instantiate(("all", "Int", (body,)), (num(5), num(7))) == ("all", "Int", (inside,))
