"""Random S-RASP programs with their values, found by closures that the draw builds beside the text."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

LETTERS = "ab"
Values = Callable[[str], list[Any]]
MASKS = {
    "true": lambda i, j: True, "j < i": lambda i, j: j < i, "j <= i": lambda i, j: j <= i, "j > i": lambda i, j: j > i,
    "j >= i": lambda i, j: j >= i,
}  # fmt: skip
SIGNS = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}


class Drawn(NamedTuple):
    """A value: its type ("letter", "truth", "number", and "grows" for a number without finite range), its text with
    {p} for the position, its values."""

    kind: str
    text: str
    at: Values


class Draw:
    """Definitions drawn one after the other; later ones use earlier ones."""

    def __init__(self, seed: int, definitions: int, rasp: bool = False, letters: str = LETTERS) -> None:
        self.r, self.rasp, self.letters = random.Random(seed), rasp, letters
        self.known: list[Drawn] = [Drawn("letter", "in({p})", list)]
        self.lines: list[str] = []
        if rasp:
            self.known += [
                Drawn("grows", "indices({p})", lambda w: [Fraction(i) for i in range(len(w))]),
                Drawn("grows", "length", lambda w: [Fraction(len(w))] * len(w)),
            ]
        while len(self.lines) < definitions:
            self.define(self.definition())
        self.answers = self.known[-1].at
        self.kind = self.known[-1].kind

    def define(self, made: Drawn) -> Drawn:
        """A line with a name."""
        name = f"x{len(self.lines) + 1}"
        self.lines.append(f"{name}(i) = {made.text.format(p='i')}")
        self.known.append(Drawn(made.kind, f"{name}({{p}})", lru_cache(maxsize=64)(made.at)))
        return self.known[-1]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def some(self, *kinds: str) -> Drawn:
        """A value that is there, or a simple one, of one of these types."""
        found = [one for one in self.known if one.kind in kinds]
        if found and self.r.random() < 0.85:
            return self.r.choice(found[-4:] if self.r.random() < 0.6 else found)
        return self.simple(self.r.choice(kinds))

    def simple(self, kind: str) -> Drawn:
        r = self.r
        if kind == "letter":
            a = r.choice(self.letters + "?")
            return Drawn(kind, f'"{a}"', lambda w: [a] * len(w)) if r.random() < 0.3 else self.known[0]
        if kind == "truth":
            a = r.choice(self.letters)
            return Drawn(kind, f'(in({{p}}) = "{a}")', lambda w: [x == a for x in w])
        if kind == "number":
            low, high = r.randrange(-2, 3), r.randrange(-2, 3)
            a = self.letters[0]
            at = lambda w: [Fraction(low if x == a else high) for x in w]  # noqa: E731
            return Drawn(kind, f'map(in({{p}}); "{a}": {low}, else: {high})', at)
        if kind == "mean":
            return self.simple("number")
        return self.define(self.psum())

    def psum(self) -> Drawn:
        inner = self.some("number")
        mask = self.r.choice(("j < i", "j <= i", "j <= i", "j > i", "j >= i"))
        sees = MASKS[mask]

        def at(w: str) -> list[Any]:
            row = inner.at(w)
            return [sum((x for j, x in enumerate(row) if sees(i, j)), Fraction(0)) for i in range(len(w))]

        return Drawn("grows", f"(psum j [{mask}] {inner.text.format(p='j')})", at)

    def definition(self) -> Drawn:
        ops = ["psum", "psum", "sum", "compare", "compare", "boolean", "if", "map", "near", "near", "near"]
        ops += ["width", "width", "mean", "mean", "first"] if self.rasp else []
        return getattr(self, self.r.choice(ops))()

    def sum(self) -> Drawn:
        a, b = self.some("number", "grows"), self.some("number", "grows")
        p, q = self.r.choice((1, 1, 2, -1)), self.r.choice((1, 1, -1, -2))
        kind = "grows" if "grows" in (a.kind, b.kind) else "number"
        at = lambda w: [p * x + q * y for x, y in zip(a.at(w), b.at(w), strict=True)]  # noqa: E731
        return Drawn(kind, f"{p}*{a.text} + {q}*{b.text}", at)

    def compare(self) -> Drawn:
        sign = self.r.choice(tuple(SIGNS))
        if self.rasp and self.r.random() < 0.3:
            a, b = self.some("mean", "number"), self.some("mean", "number", "grows")
        elif self.r.random() < 0.2:
            a, b = self.some("letter"), self.known[0]
        else:
            a, b = self.some("number", "grows"), self.some("number", "grows")
        at = lambda w: [getattr(x, SIGNS[sign])(y) for x, y in zip(a.at(w), b.at(w), strict=True)]  # noqa: E731
        return Drawn("truth", f"{a.text} {sign} {b.text}", at)

    def boolean(self) -> Drawn:
        a, b = self.some("truth"), self.some("truth")
        sign = self.r.choice("&|~")
        if sign == "~":
            return Drawn("truth", f"~{a.text}", lambda w: [not x for x in a.at(w)])
        act = all if sign == "&" else any
        at = lambda w: [act(p) for p in zip(a.at(w), b.at(w), strict=True)]  # noqa: E731
        return Drawn("truth", f"{a.text} {sign} {b.text}", at)

    def pair(self, kinds: tuple[str, ...] = ("letter", "truth", "number", "grows")) -> tuple[Drawn, Drawn, str]:
        """Two values of one type, and it."""
        kind = self.r.choice(kinds)
        both = ("number", "grows") if kind in ("number", "grows") else (kind,)
        a, b = self.some(*both), self.some(*both)
        return a, b, "grows" if "grows" in (a.kind, b.kind) else a.kind

    def __getattr__(self, name: str) -> Any:
        if name == "if":
            return self.choice
        raise AttributeError(name)

    def choice(self) -> Drawn:
        test = self.some("truth")
        a, b, kind = self.pair()
        at = lambda w: [x if t else y for t, x, y in zip(test.at(w), a.at(w), b.at(w), strict=True)]  # noqa: E731
        return Drawn(kind, f"if {test.text} then {a.text} else {b.text}", at)

    def map(self) -> Drawn:
        return self.simple("number")

    def condition(self) -> tuple[str, Callable[[str], list[list[bool]]]]:
        """A conjunction of equalities and truths, and for each i whether each j fits."""
        texts, tests = [], []
        for _ in range(self.r.randrange(0, 3)):
            if self.r.random() < 0.55:
                a, b, _ = self.pair(("letter", "number", "grows", "grows"))
                texts.append(f"{a.text.format(p='j')} = {b.text.format(p='i')}")
                tests.append(lambda w, a=a, b=b: [[x == y for x in a.at(w)] for y in b.at(w)])
            else:
                a = self.some("truth")
                texts.append(a.text.format(p="j"))
                tests.append(lambda w, a=a: [a.at(w)] * len(w))

        def at(w: str) -> list[list[bool]]:
            tables = [test(w) for test in tests]
            return [[all(table[i][j] for table in tables) for j in range(len(w))] for i in range(len(w))]

        return self.r.choice((" & ", ", ")).join(texts) or "true", at

    def near(self) -> Drawn:
        side, mask = self.r.choice(("left", "right")), self.r.choice(tuple(MASKS))
        text, fits = self.condition()
        value, default, kind = self.pair()

        def at(w: str) -> list[Any]:
            table, found, rest = fits(w), value.at(w), default.at(w)
            result = []
            for i in range(len(w)):
                chosen = [j for j in range(len(w)) if table[i][j] and MASKS[mask](i, j)]
                result.append(found[chosen[0 if side == "left" else -1]] if chosen else rest[i])
            return result

        v, d = value.text.format(p="j"), default.text.format(p="i")
        return Drawn(kind, f"{side} j [{mask}, {text}] {v} : {d}", at)

    def selector(self, deep: int = 2) -> tuple[str, Callable[[str], list[list[bool]]]]:
        """A selector of RASP, and for each i whether each j is selected."""
        op = self.r.choice(("select", "select", "and", "or", "not")) if deep else "select"
        if op == "not":
            text, at = self.selector(deep - 1)
            return f"not {text}", lambda w: [[not x for x in row] for row in at(w)]
        if op in ("and", "or"):
            (a, p), (b, q) = self.selector(deep - 1), self.selector(deep - 1)
            act = all if op == "and" else any
            return f"({a} {op} {b})", lambda w: [
                [act(pair) for pair in zip(*rows, strict=True)] for rows in zip(p(w), q(w), strict=True)
            ]
        if self.r.random() < 0.3:
            sign = self.r.choice(("<", "<=", ">", ">=", "="))
            act = SIGNS[sign]
            return f"select(indices, indices, {sign})", lambda w: [
                [getattr(j, act)(i) for j in range(len(w))] for i in range(len(w))
            ]
        a, b, kind = self.pair()
        sign = self.r.choice(("=", "=", "!=") if kind == "truth" else ("=", "=", *SIGNS))
        if kind == "grows" and sign not in ("=", "!="):
            b = self.simple("number")
            a, b = (a, b) if self.r.random() < 0.5 else (b, a)
        act = SIGNS[sign]
        sign = "==" if sign == "=" else sign
        return f"select({a.text.format(p='i')}, {b.text.format(p='i')}, {sign})", lambda w: [
            [getattr(x, act)(y) for x in a.at(w)] for y in b.at(w)
        ]

    def width(self) -> Drawn:
        text, at = self.selector()
        return Drawn("grows", f"selector_width({text})", lambda w: [Fraction(sum(row)) for row in at(w)])

    def mean(self) -> Drawn:
        text, fits = self.selector()
        value, default = self.some("number", "grows", "truth"), self.some("number", "grows")

        def at(w: str) -> list[Any]:
            result = []
            for row, rest in zip(fits(w), default.at(w), strict=True):
                found = [Fraction(x) for x, one in zip(value.at(w), row, strict=True) if one]
                result.append(sum(found, Fraction(0)) / len(found) if found else rest)
            return result

        return Drawn("mean", f"aggregate({text}, {value.text.format(p='i')}, {default.text.format(p='i')})", at)

    def first(self) -> Drawn:
        text, fits = self.selector()
        value = self.some("letter")

        def at(w: str) -> list[Any]:
            return [next((x for x, one in zip(value.at(w), row, strict=True) if one), "?") for row in fits(w)]

        return Drawn("letter", f'aggregate({text}, {value.text.format(p="i")}, "?")', at)
