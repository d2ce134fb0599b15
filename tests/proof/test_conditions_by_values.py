"""D and R by values: random formulas are evaluated at all values of their names, from the left, and a part that the
hypotheses before it leave out is not met. Where this comes upon something that is not defined, D is false, and only
there; R is true where there are values at which the premises hold and what they lead to fails, all of it defined."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest

from symcook.errors import Rejected
from symcook.proof.conditions import TRUE, defined, inhabited, refutation
from symcook.proof.grammar import read_formula, read_value
from symcook.proof.kernel import check
from symcook.proof.normal import fkey, nf
from symcook.proof.terms import Term

VALUES = range(-1, 3)
F = Fraction


class Undefined(Exception):
    pass


def value(t: Term, at: Mapping[str, int], bound: tuple[int, ...] = ()) -> Any:
    """The number or truth of a term with names at integers; a quantifier goes over VALUES. Raises Undefined."""
    tag, data, kids = t

    def of(kid: Term) -> Any:
        return value(kid, at, bound)

    if tag == "num":
        return F(*data)
    if tag == "var":
        return F(at[data[0]])
    if tag == "bound":
        return F(bound[data[0]])
    if tag in ("true", "false"):
        return tag == "true"
    if tag in ("sum", "prod"):
        low, high = int(of(kids[0])), int(of(kids[1]))
        parts = [value(kids[2], at, (k, *bound)) for k in range(low, high + 1)]
        return sum(parts, F(0)) if tag == "sum" else math.prod(parts, start=F(1))
    if tag in ("all", "ex"):
        found = [value(kids[0], at, (k, *bound)) for k in VALUES]
        return all(found) if tag == "all" else any(found)
    if tag == "&":
        return of(kids[0]) and of(kids[1])
    if tag == "|":
        return of(kids[0]) or of(kids[1])
    if tag == "->":
        return not of(kids[0]) or of(kids[1])
    if tag == "~":
        return not of(kids[0])
    args = [of(kid) for kid in kids]
    if tag == "/":
        if args[1] == 0:
            raise Undefined
        return args[0] / args[1]
    if tag == "fn":
        if (data in ("sqrt", "pow") and args[-1] < 0) or (data == "log" and args[0] <= 0):
            raise Undefined
        return {"sqrt": lambda a: a * a, "log": lambda a: a - 1, "abs": abs, "relu": lambda a: max(a, F(0))}[data](
            args[0]
        )  # any function that tells arguments apart serves
    first, second = (*args, F(0))[:2]
    return {
        "+": first + second,
        "-": first - second,
        "*": first * second,
        "neg": -first,
        "=": first == second,
        "<=": first <= second,
        "<": first < second,
    }[tag]


def met(t: Term, at: Mapping[str, int]) -> bool | None:
    try:
        return bool(value(t, at))
    except Undefined:
        return None


def truth(t: Term, bound: tuple[int, ...] = ()) -> bool | None:
    """The same where parts that are not defined may be true or false: None where it depends on these."""
    tag, _, kids = t
    if tag not in ("&", "ex"):
        try:
            return bool(value(t, {}, bound))
        except Undefined:
            return None
    parts = [truth(kid, bound) for kid in kids] if tag == "&" else [truth(kids[0], (k, *bound)) for k in VALUES]
    ends = tag == "ex"
    return ends if ends in parts else None if None in parts else not ends


def number(r: random.Random, depth: int, names: str) -> str:
    """A term of one number."""
    if depth == 0 or r.random() < 0.3:
        return r.choice([*names, *names, "0", "1", "(-1)", "2", "1/2"])
    one, other = number(r, depth - 1, names), number(r, depth - 1, names)
    if r.random() < 0.12:
        new = next(k for k in "klm" if k not in names)
        return f"sum({new}, {r.choice('01')}, {r.choice([*names, '1', '2'])}, {number(r, depth - 1, names + new)})"
    kind = r.choice(["+", "-", "*", "/", "/", "sqrt", "log", "abs"])
    return f"({one} {kind} {other})" if kind in "+-*/" else f"{kind}({one})"


def sentence(r: random.Random, depth: int, names: str = "ab") -> str:
    if depth == 0 or r.random() < 0.2:
        return f"{number(r, 2, names)} {r.choice(['=', '<=', '<'])} {number(r, 1, names)}"
    kind = r.choice(["&", "|", "->", "->", "~", "all", "ex"])
    if kind == "~":
        return f"~({sentence(r, depth - 1, names)})"
    if kind in ("all", "ex"):
        new = "cde"[len(names) - 2]
        return f"({kind} {new}:Int. {sentence(r, depth - 1, names + new)})" if len(names) < 5 else "a = b"
    return f"({sentence(r, depth - 1, names)} {kind} {sentence(r, depth - 1, names)})"


def drawn(seed: int, count: int) -> Iterator[tuple[str, Term]]:
    r = random.Random(seed)
    while count:
        text = sentence(r, 3)
        count -= 1
        yield text, read_formula(text, {"a": "Int", "b": "Int"}, {})


@pytest.mark.sweep
def test_what_is_met_is_defined() -> None:
    """All cases of a quantifier are asked for, where an evaluation from the left may stop before: D is only compared
    where no quantifier stands within; with them, D is at least what the evaluation says."""
    seen = set()
    for text, t in drawn(1, 300):
        plain = "all " not in text and "ex " not in text
        condition = defined(t)
        for a, b in itertools.product(VALUES, VALUES):
            at = {"a": a, "b": b}
            found, said = met(t, at) is not None, met(condition, at)
            assert said is not None, (text, at)  # D itself is always defined
            assert said == found if plain else found or not said, (text, at)
            seen.add((plain, found))
        if condition == TRUE:
            assert all(met(t, {"a": a, "b": b}) is not None for a, b in itertools.product(VALUES, VALUES)), text
    assert len(seen) == 4


def test_a_constant_needs_no_condition_where_it_serves() -> None:
    for text in [
        "a = 0 -> a",
        "(all c:Int. c = a) -> a",
        "(a = 0 | b = 1) -> a",
        "sum(k, 1, b, k)",
        "a/2",
        "a/(-2)",
        "sqrt(0)",
        "sqrt(2)",
        "log(2)",
        "log(0.5)",
        "pow(a, 0)",
        "pow(a, 3)",
    ]:
        assert defined(read_formula(f"{text} = b", {"a": "Int", "b": "Int"}, {})) == TRUE, text
    for text, said in {
        "a/0": "~(0 = 0)",
        "sqrt(-1)": "0 <= -1",
        "log(0)": "0 < 0",
        "log(-1)": "0 < -1",
        "pow(2, b)": "0 <= b",
        "pow(2, -1)": "0 <= -1",
    }.items():
        condition = defined(read_formula(f"{text} = b", {"a": "Int", "b": "Int"}, {}))
        assert condition == read_formula(said, {"b": "Int"}, {}), text


def test_a_refutation_is_a_case_that_fails() -> None:
    """With premises and names in front, at whose values everything is defined."""
    r = random.Random(3)
    for _ in range(300):
        premises = [sentence(r, 1) for _ in range(r.choice([0, 1, 2]))]
        end = sentence(r, 1)
        order = r.choice([["a", "b"], ["b", "a"]])
        text = f"all {order[0]}:Int. all {order[1]}:Int. " + "".join(f"({p}) -> " for p in premises) + f"({end})"
        if any(word in text[22:] for word in ("all ", "ex ")):
            continue
        parts = [read_formula(p, {"a": "Int", "b": "Int"}, {}) for p in (*premises, end)]
        expected = False
        for a, b in itertools.product(VALUES, VALUES):
            truths = [met(p, {"a": a, "b": b}) for p in parts]
            expected = expected or (all(truths[:-1]) and truths[-1] is False)
        found = refutation(read_formula(text, {}, {}))
        assert truth(found) is expected, text


def test_each_leading_name_has_its_sort() -> None:
    """What a condition reads are the names as written, in their order, with their sorts."""
    seen: dict[str, Any] = {}

    def condition(scope: Mapping[str, Any]) -> Term:
        seen.update(scope)
        return TRUE

    t = read_formula("all a:Int, x:Real, b:Int. a < b -> (all y:Real. x < y -> x < y)", {}, {})
    inhabited(t, ("a", "x", "b", "y"), condition)
    assert seen == {"a": "Int", "x": "Real", "b": "Int", "y": "Real"}
    seen.clear()
    inhabited(t, (), condition)
    assert list(seen.values()) == ["Int", "Real", "Int", "Real"] and len(seen) == 4


def test_nested_sums_are_one_where_their_values_are() -> None:
    """Bodies over three binders whose roots keep the sums apart: two forms are equal only where the values are, so that
    no variable is taken for one of another binder; a free one keeps its place among them."""
    inner = [
        "k",
        "j",
        "i",
        "n",
        "sqrt(k + j)",
        "sqrt(k + i)",
        "sqrt(j + i)",
        "sqrt(k*i + j)",
        "sqrt(k + n)",
        "pow(2, j)",
    ]
    wraps = ["sqrt({})", "sqrt({} + i)", "sqrt({} + j)", "sqrt({}*j + n)", "exp({})", "exp({} + j)*i"]

    def numeric(body: str, n: int) -> float:
        scope = {"sqrt": math.sqrt, "exp": lambda x: math.exp(x / 50), "n": n}
        total = 0.0
        for i in range(1, n + 1):
            for j in range(1, n + 2):
                names = scope | {"i": i, "j": j}
                part = sum(eval(body[0], {}, names | {"k": k}) for k in range(1, j + 1))
                total += eval(body[1].format("part"), {}, names | {"part": part}) * i
        return total

    forms: dict[Any, tuple[float, Any]] = {}
    values: dict[float, Any] = {}
    for one in inner:
        for wrap in wraps:
            text = f"sum(i, 1, n, i*sum(j, 1, n + 1, {wrap.format(f'sum(k, 1, j, {one})')}))"
            form = frozenset(nf(read_value(text, "Real", {"n": "Int"}, {})).items())
            near = round(numeric((one, wrap), 3), 9), round(numeric((one, wrap), 4), 9)  # type: ignore[arg-type]
            assert forms.setdefault(form, (near, text))[0] == near, (text, forms[form][1])  # type: ignore[comparison-overlap]
            values.setdefault(near, text)  # type: ignore[arg-type]
    assert len(forms) == len(values) > 50


def test_multiples_of_a_comparison_have_one_key() -> None:
    """By a positive number; an equation also by a negative one. Others have different keys: so a key is equal only
    where all solutions are the same."""
    factors = ["1", "2", "1/2", "3/4", "6"]
    scope: Any = {"x": "Real", "y": "Real"}
    keys: dict[Any, tuple[str, Fraction, Fraction, Fraction]] = {}
    for sign, (a, b, c) in itertools.product(("=", "<=", "<"), itertools.product((-4, -1, 0, 2, 6), repeat=3)):
        if a or b:
            found = {fkey(read_formula(f"0 {sign} {f}*({a}*x + ({b})*y + ({c})/4)", scope, {})) for f in factors}
            assert len(found) == 1, (sign, a, b, c)
            lead = F(abs(a or b)) * (1 if sign != "=" or (a or b) > 0 else -1)
            meant = sign, F(a) / lead, F(b) / lead, F(c) / lead
            assert keys.setdefault(found.pop(), meant) == meant
    assert len(keys) == len(set(keys.values()))


def interval(text: str, *bounds: str) -> bool:
    """Whether an enclosure over the bounds proves it."""
    names = [f"h{k}" for k in range(len(bounds))]
    goal = read_formula("all x:Real. " + "".join(f"{bound} -> " for bound in bounds) + text, {}, {})
    try:
        check(goal, [{"by": "intro", "as": ["x", *names]}, {"by": "interval", "on": names, "prec": 64}])
    except Rejected:
        return False
    return True


def test_an_enclosure_that_ends_at_zero() -> None:
    """Is enough for what may be equal, and not for what is less."""
    for zero in ("0", "2 - 2", "min(0, 1)", "relu(-1)"):
        assert interval(f"{zero} <= 0") and interval(f"0 <= {zero}")
        assert not interval(f"{zero} < 0") and not interval(f"0 < {zero}")
    assert interval("0 < x", "1 <= x", "x <= 2") and not interval("3/2 <= x", "1 <= x", "x <= 2")


def test_formulas_that_one_part_decides() -> None:
    """Whatever the other part says."""
    scope: Any = {"x": "Real"}
    for yes in ("0 = 1 -> x = 1", "x = 1 -> 0 = 0", "x = 1 | 0 = 0", "0 = 0 | x = 1", "~(0 = 1 & x = 1)"):
        assert fkey(read_formula(yes, scope, {})) == ("true",), yes
        assert fkey(read_formula(f"~({yes})", scope, {})) == ("false",), yes
    for one in ("0 = 0 -> x = 1", "0 = 1 | x = 1", "x = 1 & 0 = 0", "~(x = 1 -> 0 = 1)", "~~(x = 1)"):
        assert fkey(read_formula(one, scope, {})) == fkey(read_formula("x = 1", scope, {})), one
