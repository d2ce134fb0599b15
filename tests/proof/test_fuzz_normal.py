"""Random terms and formulas: what the normal form says against an evaluation of the text that shares no code with it.

The text is evaluated from its parse tree by names; the normal form from its own keys. Both use total functions with
1/0 = 0, and a model of exp (2 to the power, an exponential law) in which all that the normal form may use is exact.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from symcook.model import expr
from symcook.proof import normal
from symcook.proof.grammar import define, read_formula, read_value, show
from symcook.proof.normal import fkey, freeze, nf
from symcook.proof.terms import instantiate

REAL = ("fun", ("Int",), "Real")
SCOPE: dict[str, Any] = {
    "x": "Real",
    "y": "Real",
    "m": "Int",
    "n": "Int",
    "w": ("fun", ("Int",), "Int"),
    "f": REAL,
    "g": ("fun", ("Int", "Int"), "Real"),
    "p": ("fun", ("Real",), "Real"),
}
DOMAIN = {"Int": [Fraction(k) for k in (-1, 0, 1, 3)], "Real": [Fraction(-3, 2), Fraction(0), Fraction(2)]}
KNOWN: dict[str, Any] = {}
for _text in ("total(h, lo, hi) := sum(t, lo, hi, h(t))", "twice(h, v) := h(h(v))", "near(u, v) := abs(u - v) <= 1"):
    _made = define(_text, KNOWN)
    KNOWN[_made.name] = _made

Env = Mapping[str, Any]


class Skip(Exception):
    """No exact value in the model: a fractional exponent, or too much work."""


def elementary(name: str, args: list[Fraction]) -> Fraction:
    """One function of the language; where its value is not determined by the laws in use, any function will do."""
    a = args[0]
    if name == "relu":
        return max(a, Fraction(0))
    if name == "abs":
        return abs(a)
    if name in ("min", "max"):
        return (min if name == "min" else max)(args)
    if name == "exp":
        if a.denominator != 1 or abs(a) > 60:
            raise Skip
        return Fraction(2) ** int(a)
    if name == "log":
        for k in range(-60, 61):
            if a == Fraction(2) ** k:
                return Fraction(k)
        return 7 * a + 1
    if name == "sqrt":
        for q in range(60):
            if a >= 0 and Fraction(q * q) == a:
                return Fraction(q)
        for p in range(1, 40):
            for q in range(1, 40):
                if a == Fraction(p * p, q * q):
                    return Fraction(p, q)
        return 3 * a - 5
    if name == "erf":
        return a * a + a + 1
    if name == "sin":
        return a * a * a - 2 * a + 3
    if name == "pow":
        if abs(args[1]) > 40:
            raise Skip
        return a ** int(args[1]) if args[1] >= 0 else a + 3 * args[1]
    raise AssertionError(name)


class Text:
    """Evaluation of parse trees."""

    def __init__(self) -> None:
        self.left = 20_000

    def term(self, t: Any, env: Env) -> Fraction:
        self.left -= 1
        if self.left < 0:
            raise Skip
        tag = t[0]
        if tag == "num":
            return Fraction(t[1], t[2])
        if tag == "name":
            return env[t[1]]
        if tag == "neg":
            return -self.term(t[1], env)
        if tag in ("+", "-", "*", "/"):
            a, b = self.term(t[1], env), self.term(t[2], env)
            if tag == "/":
                return a / b if b else Fraction(0)
            return a + b if tag == "+" else a - b if tag == "-" else a * b
        if tag == "^":
            if t[2][0] == "neg":
                base = self.term(t[1], env) ** t[2][1][1]
                return 1 / base if base else Fraction(0)
            return self.term(t[1], env) ** t[2][1]
        if tag == "ind":
            return Fraction(self.formula(t[1], env))
        if tag == "if":
            return self.term(t[2] if self.formula(t[1], env) else t[3], env)
        if tag in ("sum", "prod"):
            lo, hi = self.term(t[2], env), self.term(t[3], env)
            if hi - lo > 300:
                raise Skip
            out = Fraction(tag == "prod")
            for k in range(int(lo), int(hi) + 1):
                v = self.term(t[4], {**env, t[1]: Fraction(k)})
                out = out + v if tag == "sum" else out * v
            return out
        assert tag == "call", tag
        if t[1] in KNOWN or t[1] in env:
            args = [self.argument(a, env) for a in t[2]]
            if t[1] == "total":
                return sum((args[0](Fraction(k)) for k in range(int(args[1]), int(args[2]) + 1)), Fraction(0))
            return args[0](args[0](args[1])) if t[1] == "twice" else env[t[1]](*args)
        return elementary(t[1], [self.term(a, env) for a in t[2]])

    def argument(self, t: Any, env: Env) -> Any:
        if t[0] == "lambda":
            return lambda *values: self.term(t[2], {**env, **dict(zip(t[1], values, strict=True))})
        return self.term(t, env)

    def formula(self, t: Any, env: Env) -> bool:
        tag = t[0]
        if tag in ("true", "false"):
            return tag == "true"
        if tag in ("=", "<=", "<"):
            return compare(tag, self.term(t[2], env) - self.term(t[1], env))
        if tag == "~":
            return not self.formula(t[1], env)
        if tag in ("&", "|", "->", "<->"):
            a, b = self.formula(t[1], env), self.formula(t[2], env)
            return {"&": a and b, "|": a or b, "->": b or not a, "<->": a == b}[tag]
        if tag in ("all", "ex"):
            return (all if tag == "all" else any)([self.formula(t[3], {**env, t[1]: v}) for v in DOMAIN[t[2]]])
        if tag in ("all in", "ex in"):
            lo, hi = self.term(t[2], env), self.term(t[3], env)
            rows = [self.formula(t[4], {**env, t[1]: v}) for v in DOMAIN["Int"] if lo <= v <= hi]
            return all(rows) if tag == "all in" else any(rows)
        assert tag == "call" and t[1] == "near", tag
        return abs(self.term(t[2][0], env) - self.term(t[2][1], env)) <= 1


def compare(tag: str, gap: Fraction) -> bool:
    return gap == 0 if tag == "=" else gap >= 0 if tag == "<=" else gap > 0


class Form:
    """Evaluation of normal forms: of what their keys say, bound variables by the names in the keys."""

    def poly(self, p: Any, env: Env) -> Fraction:
        out = Fraction(0)
        for (factors, e), c in p.items() if isinstance(p, dict) else p:
            value = Fraction(c)
            for atom, k in factors:
                value *= self.atom(normal._keys[atom], env) ** k
            out += value * elementary("exp", [self.poly(normal._exponents[e], env)])
        return out

    def atom(self, key: Any, env: Env) -> Fraction:
        tag = key[0]
        if tag == "var":
            return env[key[1]]
        if tag == "app":
            return env[key[1]](*(self.poly(p, env) for p in key[3:]))
        if tag == "fn":
            return elementary(key[1], [self.poly(p, env) for p in key[2:]])
        if tag == "inv":
            value = self.poly(key[1], env)
            return 1 / value if value else Fraction(0)
        if tag == "ind":
            return Fraction(self.key(key[1], env))
        lo, hi = self.poly(key[2], env), self.poly(key[3], env)
        out = Fraction(tag == "prod")
        for k in range(int(lo), int(hi) + 1):
            v = self.poly(key[4], {**env, key[1]: Fraction(k)})
            out = out + v if tag == "sum" else out * v
        return out

    def key(self, key: Any, env: Env) -> bool:
        tag = key[0]
        if tag in ("true", "false"):
            return tag == "true"
        if tag == "=":
            values = {self.poly(p, env) for p in key[1]}
            assert len({abs(v) for v in values}) == 1
            return values == {0}
        if tag in ("<=", "<"):
            return compare(tag, self.poly(key[1], env))
        if tag == "~":
            return not self.key(key[1], env)
        if tag in ("all", "ex"):
            rows = [self.key(key[3], {**env, key[1]: v}) for v in DOMAIN[key[2]]]
            return all(rows) if tag == "all" else any(rows)
        a, b = self.key(key[1], env), self.key(key[2], env)
        return {"&": a and b, "|": a or b, "->": b or not a}[tag]


class Maker:
    """Random text; every binder takes a new name."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.many = rng, 0

    def fresh(self) -> str:
        self.many += 1
        return f"b{self.many}"

    def integer(self, d: int, ints: list[str]) -> str:
        r = self.rng.random()
        if d <= 0 or r < 0.45:
            return self.rng.choice([*ints, *ints, "m", "n", "0", "1", "2", "-1"])
        a = self.integer(d - 1, ints)
        if r < 0.65:
            return f"({a} {self.rng.choice('+-')} {self.integer(d - 1, ints)})"
        if r < 0.72:
            return f"w({a})"
        if r < 0.8:
            return f"I[{self.formula(d - 1, ints, [])}]"
        if r < 0.9:
            b = self.fresh()
            lo = self.integer(d - 2, ints)
            return f"sum({b}, {lo}, {self.upper(lo, d, ints)}, {self.integer(d - 1, [*ints, b])})"
        return f"{self.rng.choice(['min', 'max'])}({a}, {self.integer(d - 1, ints)})"

    def upper(self, lo: str, d: int, ints: list[str]) -> str:
        """Often a fixed length from `lo`: then the range is written out."""
        return f"{lo} + {self.rng.choice([-1, 0, 1, 2])}" if self.rng.random() < 0.5 else self.integer(d - 2, ints)

    def term(self, d: int, ints: list[str], reals: list[str]) -> str:
        r, pick = self.rng.random(), self.rng.choice
        if d <= 0 or r < 0.12:
            return pick([*ints, *reals, "x", "y", "m", "2", "1/3", "-1", "0", f"f({self.integer(1, ints)})"])
        a = self.term(d - 1, ints, reals)
        if r < 0.4:
            return f"({a} {pick('++-*/*')} {self.term(d - 1, ints, reals)})"
        if r < 0.5:
            return f"{pick(['relu', 'abs', 'exp', 'log', 'sqrt', 'erf', 'sin', 'p', '1/'])}({a})"
        if r < 0.56:
            return f"{pick(['min', 'max'])}({a}, {self.term(d - 1, ints, reals)})"
        if r < 0.6:
            return f"({a})^{pick([0, 1, 2, 3, -1, -2])}"
        if r < 0.64:
            return f"pow({a}, {self.integer(d - 1, ints)})"
        if r < 0.7:
            return f"I[{self.formula(d - 1, ints, reals)}]"
        if r < 0.74:
            return f"if({self.formula(d - 1, ints, reals)}, {a}, {self.term(d - 1, ints, reals)})"
        if r < 0.8:
            return f"g({self.integer(d - 1, ints)}, {self.integer(d - 1, ints)})"
        b, lo = self.fresh(), self.integer(d - 2, ints)
        hi = self.upper(lo, d, ints)
        if r < 0.95:
            return f"{pick(['sum', 'sum', 'prod'])}({b}, {lo}, {hi}, {self.term(d - 1, [*ints, b], reals)})"
        if r < 0.98:
            return f"total({b}. {self.term(d - 1, [*ints, b], reals)}, {lo}, {hi})"
        return f"twice({b}. {self.term(d - 1, ints, [*reals, b])}, {a})"

    def formula(self, d: int, ints: list[str], reals: list[str]) -> str:
        r, pick = self.rng.random(), self.rng.choice
        if d <= 0 or r < 0.5:
            a = self.term(d - 1, ints, reals)
            b = a if self.rng.random() < 0.1 else self.term(d - 1, ints, reals)
            return f"near({a}, {b})" if r < 0.03 else f"({a} {pick(['=', '<=', '<', '!=', '>', '>='])} {b})"
        a = self.formula(d - 1, ints, reals)
        if r < 0.58:
            return f"~{a}"
        if r < 0.8:
            return f"({a} {pick(['&', '|', '->', '<->'])} {self.formula(d - 1, ints, reals)})"
        b = self.fresh()
        if r < 0.87:
            return f"({pick(['all', 'ex'])} {b}:Int. {self.formula(d - 1, [*ints, b], reals)})"
        if r < 0.92:
            return f"({pick(['all', 'ex'])} {b}:Real. {self.formula(d - 1, ints, [*reals, b])})"
        lo = self.integer(d - 2, ints)
        return (
            f"({pick(['all', 'ex'])} {b} in {lo}..{self.upper(lo, d, ints)}. {self.formula(d - 1, [*ints, b], reals)})"
        )


def assignment(rng: random.Random) -> dict[str, Any]:
    """Values for the free names; functions are tables, and small numbers make zeros and coincidences likely."""
    tables: dict[Any, Fraction] = {}

    def table(name: str, whole: bool) -> Callable[..., Fraction]:
        def look(*args: Fraction) -> Fraction:
            if (name, args) not in tables:
                tables[name, args] = Fraction(rng.randint(-2, 3), 1 if whole else rng.choice([1, 1, 2, 3]))
            return tables[name, args]

        return look

    values: dict[str, Any] = {name: Fraction(rng.randint(-2, 3)) for name in "mn"}
    values |= {name: Fraction(rng.randint(-3, 3), rng.choice([1, 1, 2])) for name in "xy"}
    return values | {name: table(name, name == "w") for name in "wfgp"}


def attempt(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Skip:
        return None


def agreeing(rng: random.Random, text: str, wanted: Callable[[Any], Any], got: Callable[[Any], Any]) -> int:
    """At how many of three assignments a text has both values; they must be equal there."""
    compared = 0
    for _ in range(3):
        env = assignment(rng)
        values = attempt(lambda env=env: wanted(env)), attempt(lambda env=env: got(env))
        if None not in values:
            assert values[0] == values[1], text
            compared += 1
    return compared


def normal_or_none(make: Callable[[], Any]) -> Any:
    from symcook.errors import Rejected

    try:
        with normal.Clock(2):
            return make()
    except Rejected as error:
        known = ("division by zero", "too", "exceed", "an argument that a function does not use")
        assert any(words in str(error) for words in known), error
        return None


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.layer_two(every=2)
def test_a_normal_form_has_the_value_of_its_term(seed: int) -> None:
    rng, compared = random.Random(seed), 0
    for _ in range(350):
        text = Maker(rng).term(rng.choice([2, 3, 4, 5]), [], [])
        p = normal_or_none(lambda text=text: nf(read_value(text, "Real", SCOPE, KNOWN)))
        if p is None:
            continue
        tree = expr.parse_term(text)
        compared += agreeing(
            rng, text, lambda env, tree=tree: Text().term(tree, env), lambda env, p=p: Form().poly(p, env)
        )
    assert compared > 450


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seed", range(8))
def test_the_key_of_a_formula_has_its_truth_value(seed: int) -> None:
    rng, compared, decided = random.Random(100 + seed), 0, 0
    for _ in range(300):
        text = Maker(rng).formula(rng.choice([2, 3, 4]), [], [])
        key = normal_or_none(lambda text=text: fkey(read_formula(text, SCOPE, KNOWN)))
        if key is None:
            continue
        decided += key in (normal.TRUE, normal.FALSE)
        tree = expr.parse_formula(text)
        compared += agreeing(
            rng, text, lambda env, tree=tree: Text().formula(tree, env), lambda env, key=key: Form().key(key, env)
        )
    assert compared > 350 and decided > 5


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(4))
def test_a_function_put_into_a_formula_captures_nothing(seed: int) -> None:
    """all f. F with a lambda for f, against the evaluation of F with that function."""
    rng, compared = random.Random(200 + seed), 0
    for _ in range(200):
        maker = Maker(rng)
        body = maker.term(rng.choice([2, 3, 4]), [], [])
        scope = {k: s for k, s in SCOPE.items() if k != "f"}
        text = f"all f:Int->Real. {body} <= 0"
        outer = normal_or_none(lambda text=text, scope=scope: read_formula(text, scope, KNOWN))
        inner = re.sub(r"\bf\(", "p(", maker.term(2, ["b0"], []))
        value = normal_or_none(lambda inner=inner, scope=scope: read_value(f"b0. {inner}", REAL, scope, KNOWN))
        if outer is None or value is None:
            continue
        key = normal_or_none(lambda a=outer, b=value: fkey(instantiate(a[2][0], (b,))))
        if key is None:
            continue
        env = assignment(rng)
        tree, function = expr.parse_term(body), expr.parse_term(inner)

        def put(v: Fraction, function: Any = function, env: Any = env) -> Fraction:
            return Text().term(function, {**env, "b0": v})

        wanted = attempt(lambda tree=tree, env=env, put=put: Text().term(tree, {**env, "f": put}) <= 0)
        got = attempt(lambda key=key, env=env: Form().key(key, env))
        if wanted is not None and got is not None:
            assert got == wanted, (body, inner)
            compared += 1
    assert compared > 100


def test_what_is_shown_reads_back() -> None:
    rng = random.Random(300)
    for _ in range(300):
        f = normal_or_none(lambda: read_formula(Maker(rng).formula(3, [], []), SCOPE, KNOWN))
        assert f is None or read_formula(show(f, {*SCOPE, *KNOWN}), SCOPE, KNOWN) == f
        text = Maker(rng).formula(4, [], [])
        tree = expr.parse_formula(text)
        assert expr.parse_formula(expr.show(tree)) == tree


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(4))
def test_terms_that_differ_a_little_have_one_form_only_where_they_agree(seed: int) -> None:
    """Pairs a small edit apart: one normal form means one value everywhere."""
    rng, same = random.Random(400 + seed), 0
    for _ in range(750):
        text = Maker(rng).term(rng.choice([3, 4]), [], [])
        names = [w for w in ("b1", "b2", "b3", "m", "n", "x", "1", "2", "+", "-", "*") if w in text]
        if len(names) < 2:
            continue
        old, new = rng.sample(names, 2)
        at = rng.choice([k for k in range(len(text)) if text.startswith(old, k)])
        other = text[:at] + new + text[at + len(old) :]
        try:
            a, b = (read_value(t, "Real", SCOPE, KNOWN) for t in (text, other))
        except Exception as error:  # the edit made no text of the grammar
            assert type(error).__name__ == "Rejected"
            continue
        forms = normal_or_none(lambda a=a, b=b: (freeze(nf(a)), freeze(nf(b))))
        if forms is None or forms[0] != forms[1]:
            continue
        same += 1
        for _ in range(4):
            env = assignment(rng)
            values = [attempt(lambda t=t, env=env: Text().term(expr.parse_term(t), env)) for t in (text, other)]
            assert None in values or values[0] == values[1], (text, other)
    assert same > 10
