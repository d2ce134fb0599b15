"""Families of models with random weights, the values that each has on a string, and claims about them.

A model is built by `symcook.Builder`; its values are computed here by the formula that it is built from. A maker of a
claim draws a statement that is true of strings of all lengths, for the reason that its docstring states.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import symcook as sc
from claim_corpus.sentences import Facts, Refused, calculate, compare, decimal

Maker = Callable[[random.Random], str]
ALPHABETS = (("a", "b", "c"), ("x", "y", "z"), ("u", "v", "s"))
NUMBERS = tuple(map(Fraction, ("-2", "-1", "-1/2", "0", "1/2", "1", "2", "3", "-1/3", "2/3")))
SEEN: Mapping[str, Callable[[int, int], bool]] = {
    "none": lambda i, j: True, "future": lambda i, j: j <= i, "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i, "strict-past": lambda i, j: j > i,
}  # fmt: skip


@dataclass
class ModelOfCorpus:
    """A model, what fills in the values that it has on a string, and the makers of claims about it by their kinds."""

    name: str
    model: sc.Transformer
    typed: tuple[str, ...]
    ends: Mapping[str, Any]
    compute: Callable[[Facts], None]
    makers: dict[str, list[Maker]] = field(default_factory=dict)

    @property
    def tokens(self) -> tuple[str, ...]:
        return (*self.typed, *(self.ends[x] for x in ("before", "after") if x in self.ends))

    def facts(self, typed: Sequence[str]) -> Facts:
        """The facts of a string; Refused where the model has no run on it."""
        before, after = ([self.ends[x]] if x in self.ends else [] for x in ("before", "after"))
        facts = Facts((*before, *typed, *after), self.ends["start"], {})
        self.compute(facts)
        return facts

    def runs(self, longest: int) -> Iterator[tuple[Facts, tuple[str, ...]]]:
        """All strings of so many symbols at most that have a run: shortest first, then in the order of the tokens."""
        for length in range(len(self.ends) == 1, longest + 1):
            for typed in product(self.typed, repeat=length):
                try:
                    facts = self.facts(typed)
                except Refused:
                    continue
                yield facts, typed


class Drawn:
    """What the families draw alike: symbols, added tokens, the first position, names, and the texts made of these."""

    def __init__(self, rng: random.Random, symbols: int | None = None) -> None:
        self.rng = rng
        self.typed = rng.choice(ALPHABETS)[: symbols or rng.choice((2, 2, 3))]
        added = rng.choice(({}, {}, {}, {"before": "BOS"}, {"before": "CLS"}, {"after": "EOS"}))
        self.ends = {**added, "start": rng.choice((1, 1, 1, 0))}
        self.tokens = (*self.typed, *added.values())
        self.start = self.ends["start"]
        self.end = "n" if self.start else "n - 1"
        self.every = f"i in {self.start}..{self.end}"
        self.later = f"i in {self.start + 1}..{self.end}"
        self.many = "i" if self.start else "(i + 1)"
        self.before = "(i - 1)" if self.start else "i"

    def values(self, pool: Sequence[Fraction] = NUMBERS) -> dict[str, Fraction]:
        """A number for each token, not all equal."""
        values = {token: self.rng.choice(pool) for token in self.tokens}
        if len({values[x] for x in self.typed}) == 1:
            values[self.typed[0]] += 1
        return values

    def built(
        self, name: str, builder: sc.Builder, compute: Callable[[Facts], None], **makers: list[Maker]
    ) -> ModelOfCorpus:
        return ModelOfCorpus(name, builder.build(name), self.typed, self.ends, compute, makers)

    def builder(self, rows: Mapping[str, Mapping[str, Fraction | int]], **positions: str) -> sc.Builder:
        """A builder with rows of numbers for the tokens; there are coordinates `positions` besides."""
        words = {token: {k: str(x) for k, x in rows.get(token, {}).items() if x} for token in self.tokens}
        return sc.Builder(words=words, positions=positions, **self.ends)

    def counts(self, values: Mapping[str, Fraction], i: str | None = None) -> str:
        """The sum of the values of all tokens by their counts, up to position `i`."""
        return linear(
            (x, f"count({token})" if i is None else f"sum(j, {self.start}, {i}, I[at({token}, j)])")
            for token, x in values.items()
        )

    def is_one(self, tokens: Sequence[str], i: str) -> str:
        return "(" + " | ".join(f"at({token}, {i})" for token in tokens) + ")"


def linear(terms: Iterator[tuple[Fraction, str]]) -> str:
    """A sum of multiples as a text."""
    return " + ".join(what if x == 1 else f"{number(x)}*{what}" for x, what in terms if x) or "0"


def number(x: Fraction | int) -> str:
    x = Fraction(x)
    return str(x) if x.denominator == 1 and x >= 0 else f"({x})"


def mean(values: Sequence[Any]) -> Any:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def seen(f: Facts, mask: str, i: int) -> list[int]:
    return [j for j in range(len(f.tokens)) if SEEN[mask](i, j)]


def accepted(f: Facts, where: str, logits: Sequence[Any]) -> None:
    """What a readout "sign" answers."""
    signs = [compare(x, ">", 0) for x in logits]
    f.accepts = {"last": signs[-1:], "first": signs[:1], "all": [all(signs)], "each": signs}[where]


# --- A mean of token values ------------------------------------------------------------------------------------------


def means(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng)
    v, m = rng.choice(("vote", "val", "points")), rng.choice(("mean", "share", "avg", "b"))
    values, limit = d.values(), rng.choice(NUMBERS)
    mask = rng.choice(("none", "future", "future", "future", "strict-future"))
    where: Any = str(rng.choice(["last", "last", "last", "each", "all", *(["first"] if mask == "none" else [])]))
    b = d.builder({t: {v: x} for t, x in values.items()}, unit="1")
    b.add(sc.head({}, {m: v}, mask=mask))
    b.readout("sign", where, [m, "unit"], weights=[[1, str(-limit)]])

    def compute(f: Facts) -> None:
        mine = [values[x] for x in f.tokens]
        f.values = {v: mine, m: [mean([mine[j] for j in seen(f, mask, i)]) for i in range(len(mine))]}
        accepted(f, where, [x - limit for x in f.values[m]])

    strict, none = mask == "strict-future", mask == "none"
    balance = {t: x - limit for t, x in values.items()}
    low, high = min(values.values()), max(values.values())
    if strict:
        low, high = min(low, Fraction(0)), max(high, Fraction(0))
    scale = 1
    while any((x * scale).denominator > 1 for x in (*values.values(), limit)):
        scale += 1

    def language(r: random.Random) -> str:
        """A mean is above the limit iff the sum of the differences to the limit is positive."""
        if where == "each":
            upto = d.counts(balance, None if none else "i - 1" if strict else "i")
            return f"all {d.later if strict else d.every}. accept(i) <-> {upto} > 0"
        if none or (where == "last" and not strict):
            return f"accept <-> {d.counts(balance)} > 0"
        if where == "last":
            return f"2 <= n -> (accept <-> {d.counts(balance)} > {v}({d.end}) - {number(limit)})"
        if strict:
            below = f" & 0 > {number(limit)}"
            return f"accept <-> (all {d.later}. {d.counts(balance, 'i - 1')} > 0){below}"
        return f"accept <-> all {d.every}. {d.counts(balance, 'i')} > 0"

    def closed(r: random.Random) -> str:
        """A mean is the sum of the values divided by the number of positions that are seen."""
        if strict:
            return f"all {d.later}. {m}(i)*{d.before} = {d.counts(values, 'i - 1')}"
        if none or r.random() < 0.4:
            return f"{m}({d.end}) = ({d.counts(values)})/n"
        return f"all {d.every}. {m}(i) = ({d.counts(values, 'i')})/{d.many}"

    def bound(r: random.Random) -> str:
        """A mean lies between the least and the largest value, and 0 where nothing is seen."""
        return r.choice(
            (
                f"all {d.every}. {m}(i) <= {number(high)}",
                f"all {d.every}. {number(low)} <= {m}(i)",
                f"{number(low)} <= {m}({d.end}) & {m}({d.end}) <= {number(high)}",
                f"all {d.every}. abs({m}(i)) <= {number(max(-low, high))}",
            )
        )

    def gap(r: random.Random) -> str:
        """scale times n times the difference is a whole number, of up to n positions."""
        at = f"{m}({d.end})"
        if strict:
            return f"2 <= n -> {at} = {number(limit)} | abs({at} - {number(limit)}) >= 1/({scale}*(n - 1))"
        return r.choice(
            (
                f"{at} = {number(limit)} | abs({at} - {number(limit)}) >= 1/({scale}*n)",
                f"{at} > {number(limit)} -> {at} >= {number(limit)} + 1/({scale}*n)",
            )
        )

    def recursion(r: random.Random) -> str:
        """A prefix sum is the one before plus one value; without a mask all means are equal."""
        if none:
            return f"all {d.later}. {m}(i) = {m}(i - 1)"
        if strict:
            return f"all {d.later}. {d.before}*{m}(i) = ({d.before} - 1)*{m}(i - 1) + {v}(i - 1)"
        return r.choice(
            (
                f"all {d.later}. {d.many}*{m}(i) = {d.before}*{m}(i - 1) + {v}(i)",
                f"all {d.later}. {m}(i) - {m}(i - 1) = ({v}(i) - {m}(i - 1))/{d.many}",
            )
        )

    def monotone(r: random.Random) -> str:
        """A mean moves towards the value that is added to it, which is at most the largest."""
        if none:
            return f"all {d.later}. {m}(i - 1) <= {m}({d.end})"
        added = "i - 1" if strict else "i"
        over = f"i in {d.start + 2}..{d.end}" if strict else d.later
        best, least = (pick((t for t in d.tokens), key=lambda t: values[t]) for pick in (max, min))
        options = [f"all {over}. {m}(i - 1) <= {m}(i) <-> {m}(i - 1) <= {v}({added})"]
        if values[best] == high and values[least] == low:
            options += [f"all {over}. at({best}, {added}) -> {m}(i - 1) <= {m}(i)"]
            options += [f"all {over}. {m}(i - 1) < {m}(i) -> ~at({least}, {added})"]
        return r.choice(options)

    def arithmetic(r: random.Random) -> str:
        """What the sum of the values is for counts that are known, and that counts of all tokens add up to n."""
        x, y = r.sample(d.typed, 2)
        others = {t: values[t] for t in d.tokens if t not in (x, y)}
        if strict:
            return f"{m}({d.end}) > {number(high)} - 1/n & n > 1 -> count({x}) + count({y}) <= n"
        k = r.randint(1, 3)
        pair = {x: values[x] + k * values[y], **others}
        return r.choice(
            (
                f"count({y}) = {k}*count({x}) -> n*{m}({d.end}) = {d.counts(pair)}",
                f"count({x}) = 0 -> n*{m}({d.end}) = {d.counts({y: values[y], **others})}",
                f"n*{m}({d.end}) - {number(values[x])}*n = {d.counts({t: values[t] - values[x] for t in d.tokens})}",
            )
        )

    return d.built(
        name, b, compute, language=[language], closed=[closed], bound=[bound], gap=[gap], recursion=[recursion],
        monotone=[monotone], arithmetic=[arithmetic],
    )  # fmt: skip


# --- The token before ------------------------------------------------------------------------------------------------


def neighbours(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng)
    x, y = rng.choice(d.typed), rng.choice(d.typed)
    is_x, is_y, p, pair, share = "isx", "isy", rng.choice(("prev", "old", "p")), rng.choice(("pair", "hit")), "share"
    after = rng.random() < 0.25
    rows = {t: {is_x: int(t == x), is_y: int(t == y)} for t in d.tokens}
    b = d.builder(rows, unit="1")
    mask, weighting = ("strict-past", "leftmost") if after else ("strict-future", "rightmost")
    b.add(sc.head({}, {p: is_x}, mask=mask, weighting=weighting))
    b.add(sc.feedforward({pair: f"relu({p} + {is_y} - 1)"}))
    where = rng.choice(("last", "last", "each"))
    b.add(sc.head({}, {share: pair}, mask="future"))
    b.readout("sign", where, [share], weights=[[1]])
    step = 1 if after else -1

    def compute(f: Facts) -> None:
        there, here = ([Fraction(t == z) for t in f.tokens] for z in (x, y))
        size = range(len(there))
        old = [there[i + step] if i + step in size else Fraction(0) for i in size]
        both = [max(old[i] + here[i] - 1, Fraction(0)) for i in size]
        f.values = {is_x: there, is_y: here, p: old, pair: both, share: [mean(both[: i + 1]) for i in size]}
        accepted(f, where, f.values[share])

    inner = f"{d.start}..{d.end} - 1" if after else f"{d.start + 1}..{d.end}"
    other = "i + 1" if after else "i - 1"
    ends_at = d.end if after else str(d.start)

    def neighbour(r: random.Random) -> str:
        """The head has one position: the one before (or after); the unit is their conjunction."""
        return r.choice(
            (
                f"all i in {inner}. {p}(i) = {is_x}({other})",
                f"all i in {inner}. {p}(i) = 1 <-> at({x}, {other})",
                f"all i in {inner}. {p}(i) = I[at({x}, {other})]",
                f"all i in {inner}. {pair}(i) = 1 <-> at({x}, {other}) & at({y}, i)",
                f"all i in {inner}. {pair}(i) > 0 -> at({x}, {other})",
                f"all i in {inner}. {pair}(i) = {p}(i)*{is_y}(i)",
                f"all i in {inner}. at({x}, {other}) & at({y}, i) -> {share}(i) > 0",
                f"all {d.later}. at({x}, i - 1) -> {p}({d.end}) <= 1"
                if after
                else f"all {d.later}. ~at({x}, i - 1) -> {pair}(i) = 0",
            )
        )

    def place(r: random.Random) -> str:
        """A head that sees nothing gives 0."""
        return r.choice(
            (
                f"{p}({ends_at}) = 0",
                f"{pair}({ends_at}) = 0",
                f"all {d.every}. {p}(i) = 1 -> i != {ends_at}",
                f"n = 1 -> {share}({d.start}) = 0",
                f"{d.start} < {d.end} -> {p}({d.end}) = I[at({x}, {d.end} - 1)]"
                if not after
                else f"{d.start} < {d.end} -> {p}({d.start}) = I[at({x}, {d.start + 1})]",
            )
        )

    def language(r: random.Random) -> str:
        """A mean of numbers that are never negative is positive iff one of them is."""
        if where == "each":
            if after:
                return f"all {d.every}. accept(i) -> ex j in {d.start}..i. at({y}, j)"
            return f"all {d.every}. accept(i) <-> ex j in {d.start + 1}..i. at({x}, j - 1) & at({y}, j)"
        options = [f"accept <-> ex i in {inner}. at({x}, {other}) & at({y}, i)", f"accept -> 1 <= count({x})"]
        options += [f"~accept <-> all i in {inner}. at({x}, {other}) -> ~at({y}, i)", "accept -> 2 <= n"]
        if x != y:
            options.append(f"accept -> first({x}) < last({y})" if not after else f"accept -> first({y}) < last({x})")
        return r.choice(options)

    def bound(r: random.Random) -> str:
        """All values are 0 or 1, and the pair is not at one end."""
        return r.choice(
            (
                f"all {d.every}. 0 <= {pair}(i) & {pair}(i) <= 1",
                f"all {d.every}. {p}(i) <= 1",
                f"all {d.every}. {pair}(i) <= {p}(i)",
                f"all {d.every}. 0 <= {share}(i)",
                f"all {d.every}. {pair}(i) + 1 >= {p}(i) + {is_y}(i)",
                f"{share}({d.end}) <= 1 - 1/n",
            )
        )

    def monotone(r: random.Random) -> str:
        """What was found once stays found."""
        return r.choice(
            (
                f"all {d.later}. {share}(i - 1) > 0 -> {share}(i) > 0",
                f"all {d.later}. {pair}(i) = 1 -> {share}(i - 1) <= {share}(i)",
                f"all {d.later}. {d.before}*{share}(i - 1) <= {d.many}*{share}(i)",
            )
        )

    return d.built(
        name, b, compute, neighbour=[neighbour], place=[place], language=[language], bound=[bound], monotone=[monotone]
    )


# --- First and last occurrences --------------------------------------------------------------------------------------


def places(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng)
    x, y = rng.sample(d.typed, 2)
    f_x, l_y, front = rng.choice(("fst", "left")), rng.choice(("lst", "right")), "front"
    rows = {t: {"isx": int(t == x), "isy": int(t == y)} for t in d.tokens}
    b = d.builder(rows, unit="1", index="i")
    c = rng.randint(1, 3)
    b.add(sc.head({("unit", "isx"): c}, {f_x: "index"}, weighting="leftmost"))
    b.add(sc.head({("unit", "isy"): c}, {l_y: "index"}, weighting="rightmost"))
    b.add(sc.head({}, {front: "isx"}, mask="future", weighting="leftmost"))
    b.readout("sign", "last", [l_y, f_x], weights=[[1, -1]])

    def compute(f: Facts) -> None:
        size, start = range(len(f.tokens)), f.start
        firsts, lasts = [i for i in size if f.tokens[i] == x], [i for i in size if f.tokens[i] == y]
        first, last = (firsts or [0])[0] + start, (lasts or [len(size) - 1])[-1] + start
        f.values = {
            f_x: [Fraction(first)] * len(size),
            l_y: [Fraction(last)] * len(size),
            front: [Fraction(f.tokens[0] == x)] * len(size),
            "isx": [Fraction(t == x) for t in f.tokens],
            "isy": [Fraction(t == y) for t in f.tokens],
        }
        accepted(f, "last", [Fraction(last - first)])

    def place(r: random.Random) -> str:
        """The leftmost largest key is the first x where there is one, else the first position; the last y likewise."""
        e, s = d.end, d.start
        return r.choice(
            (
                f"1 <= count({x}) -> {f_x}({e}) = first({x})",
                f"1 <= count({y}) -> {l_y}({e}) = last({y})",
                f"count({x}) = 0 -> {f_x}({e}) = {s}",
                f"count({y}) = 0 -> {l_y}({e}) = {e}",
                f"{front}({e}) = I[at({x}, {s})]",
                f"all {d.every}. at({x}, i) -> {f_x}({e}) <= i",
                f"all {d.every}. at({y}, i) -> i <= {l_y}(i)",
                f"all {d.every}. i < {f_x}(i) -> ~at({x}, i)",
                f"at({x}, {s}) -> {f_x}({e}) = {s}",
                f"at({y}, {e}) -> {l_y}({e}) = {e}",
            )
        )

    def language(r: random.Random) -> str:
        """The first x stands before the last y."""
        have = f"1 <= count({x}) & 1 <= count({y})"
        return r.choice(
            (
                f"{have} -> (accept <-> first({x}) < last({y}))",
                f"{have} -> (accept <-> ex {d.later}. at({y}, i) & (ex j in {d.start}..i - 1. at({x}, j)))",
                f"accept -> {d.start} < {d.end}",
                f"at({x}, {d.start}) & at({y}, {d.end}) -> accept",
                f"count({x}) = 0 & count({y}) = 0 -> (accept <-> 2 <= n)",
            )
        )

    def bound(r: random.Random) -> str:
        """What is read is a position."""
        return r.choice(
            (
                f"all {d.every}. {d.start} <= {f_x}(i) & {f_x}(i) <= {d.end}",
                f"all {d.every}. {l_y}(i) <= {d.end}",
                f"{l_y}({d.end}) - {f_x}({d.end}) <= n - 1",
                f"1 <= count({x}) -> {f_x}({d.end}) + count({x}) <= {d.end} + 1",
            )
        )

    def neighbour(r: random.Random) -> str:
        """Without a mask all positions read the same."""
        return r.choice(
            (
                f"all {d.later}. {f_x}(i) = {f_x}(i - 1)",
                f"all {d.later}. {l_y}(i - 1) = {l_y}(i)",
                f"all {d.later}. {front}(i) = {front}(i - 1)",
                f"all {d.later}. {f_x}(i) = i -> ~at({x}, i - 1)",
            )
        )

    def arithmetic(r: random.Random) -> str:
        """All x stand between the first and the last position from the first x on."""
        return r.choice(
            (
                f"count({x}) = n -> {f_x}({d.end}) = {d.start}",
                f"count({x}) = 1 & at({x}, {d.end}) -> {f_x}({d.end}) = {d.end}",
                f"count({y}) + {d.start} <= {l_y}({d.end}) + 1",
                f"count({x}) = n -> ~(count({y}) = 1)",
            )
        )

    return d.built(
        name, b, compute, place=[place], language=[language], bound=[bound], neighbour=[neighbour],
        arithmetic=[arithmetic],
    )  # fmt: skip


# --- Two layers of means ---------------------------------------------------------------------------------------------


def rectified(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng, 2)
    x, y = d.typed
    k = rng.randint(1, 2)
    values = {x: Fraction(1), y: Fraction(-k)}
    kind = rng.choice(("zero", "sign"))
    b = d.builder({t: {"v": v} for t, v in values.items()})
    b.add(sc.head({}, {"bal": "v"}, mask="future"))
    b.add(sc.feedforward({"err": "relu(-bal)"}))
    b.add(sc.head({}, {"errs": "err"}, mask="future"))
    if kind == "zero":
        b.readout("zero", "last", ["errs"])
    else:
        b.readout("sign", "last", ["errs"], weights=[[1]])

    def compute(f: Facts) -> None:
        v = [values.get(t, Fraction(0)) for t in f.tokens]
        size = range(len(v))
        bal = [mean(v[: i + 1]) for i in size]
        err = [max(-z, Fraction(0)) for z in bal]
        errs = [mean(err[: i + 1]) for i in size]
        f.values = {"v": v, "bal": bal, "err": err, "errs": errs}
        f.accepts = [errs[-1] == 0 if kind == "zero" else errs[-1] > 0]

    up, down = (d.counts({t: abs(values[t])}, "i") for t in (x, y))
    good = "accept" if kind == "zero" else "~accept"

    def language(r: random.Random) -> str:
        """A mean of numbers that are never negative is 0 iff all are."""
        return r.choice(
            (
                f"{good} <-> all {d.every}. {down} <= {up}",
                f"{good} -> {d.counts({y: Fraction(k)})} <= {d.counts({x: Fraction(1)})}",
                f"{good} -> ~at({y}, {d.start})",
                f"{good} <-> all {d.every}. bal(i) >= 0",
                f"count({y}) = 0 -> {good}",
            )
        )

    def closed(r: random.Random) -> str:
        """A mean is a sum divided by its length."""
        return r.choice(
            (
                f"all {d.every}. bal(i) = ({up} - {down})/{d.many}",
                f"all {d.every}. err(i) = max(0, ({down} - {up})/{d.many})",
                f"bal({d.end})*n = {d.counts(values)}",
                f"all {d.every}. err(i) = max(0, -bal(i))",
            )
        )

    def bound(r: random.Random) -> str:
        """Means lie between the least and the largest value."""
        return r.choice(
            (
                f"all {d.every}. err(i) <= {k}",
                f"all {d.every}. 0 <= errs(i)",
                f"all {d.every}. errs(i) <= {k}",
                f"all {d.every}. -{k} <= bal(i) & bal(i) <= 1",
            )
        )

    def gap(r: random.Random) -> str:
        """The balance is a whole number divided by the position, and errs at least one term divided by n."""
        return r.choice(
            (
                f"all {d.every}. err(i) = 0 | err(i) >= 1/{d.many}",
                f"errs({d.end}) = 0 | errs({d.end}) >= 1/(n*n)",
                f"bal({d.end}) > 0 -> bal({d.end}) >= 1/n",
            )
        )

    def monotone(r: random.Random) -> str:
        """An error stays, and a y lowers the balance."""
        return r.choice(
            (
                f"all {d.later}. errs(i - 1) > 0 -> errs(i) > 0",
                f"all {d.later}. at({y}, i) -> bal(i) <= bal(i - 1)",
                f"all {d.later}. errs(i) = 0 -> errs(i - 1) = 0",
            )
        )

    def recursion(r: random.Random) -> str:
        """A prefix sum is the one before plus one value."""
        return r.choice(
            (
                f"all {d.later}. {d.many}*errs(i) = {d.before}*errs(i - 1) + err(i)",
                f"all {d.later}. {d.many}*bal(i) - {d.before}*bal(i - 1) = v(i)",
                f"errs({d.start}) = err({d.start})",
            )
        )

    return d.built(
        name, b, compute, language=[language], closed=[closed], bound=[bound], gap=[gap], monotone=[monotone],
        recursion=[recursion],
    )  # fmt: skip


# --- Softmax with two score classes ----------------------------------------------------------------------------------


def softmaxes(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng, 2)
    x = d.typed[0]
    c, u, v = rng.randint(1, 3), *(Fraction(k) for k in rng.sample((-2, -1, 1, 2, 3), 2))
    cold = rng.random() < 0.3  # temperature 1/n
    values = {t: u if t == x else v for t in d.tokens}
    s, limit = rng.choice(("soft", "att")), rng.choice(NUMBERS)
    mask = rng.choice(("none", "future"))
    b = d.builder({t: {"val": values[t], "isx": int(t == x)} for t in d.tokens}, unit="1")
    b.add(sc.head({("unit", "isx"): c}, {s: "val"}, mask=mask, weighting="softmax", temperature="1/n" if cold else 1))
    b.readout("sign", "last", [s, "unit"], weights=[[1, str(-limit)]])

    def compute(f: Facts) -> None:
        size = range(len(f.tokens))
        e = decimal(c * (len(size) if cold else 1)).exp()
        weights = [e if t == x else Decimal(1) for t in f.tokens]
        soft = []
        for i in size:
            near = seen(f, mask, i)
            soft.append(sum(weights[j] * decimal(values[f.tokens[j]]) for j in near) / sum(weights[j] for j in near))
        f.values = {"val": [values[t] for t in f.tokens], s: soft, "isx": [Fraction(t == x) for t in f.tokens]}
        accepted(f, "last", [calculate(z, "-", limit) for z in soft])

    e, at = f"exp({c}*n)" if cold else f"exp({c})", f"{s}({d.end})"
    others, low, high = f"(n - count({x}))", min(u, v), max(u, v)

    def language(r: random.Random) -> str:
        """Numerator minus limit times denominator, which is positive."""
        return f"accept <-> {number(u - limit)}*{e}*count({x}) + {number(v - limit)}*{others} > 0"

    def closed(r: random.Random) -> str:
        """Scores have two values."""
        return r.choice(
            (
                f"{at}*({e}*count({x}) + {others}) = {number(u)}*{e}*count({x}) + {number(v)}*{others}",
                f"{at} = {number(v)} + {number(u - v)}*{e}*count({x})/({e}*count({x}) + {others})",
                f"count({x}) = 0 -> {at} = {number(v)}",
                f"count({x}) = n -> {at} = {number(u)}",
            )
        )

    def bound(r: random.Random) -> str:
        """A weighted mean lies between the values."""
        return r.choice(
            (
                f"all {d.every}. {s}(i) <= {number(high)}",
                f"all {d.every}. {number(low)} <= {s}(i)",
                f"abs({at}) <= {number(max(abs(u), abs(v)))}",
            )
        )

    def eps(r: random.Random) -> str:
        """The share of the others is at most n exp(-c)."""
        far, less = number(abs(u - v)), f"exp(-({c}*n))" if cold else f"exp(-{c})"
        sign = "<=" if u > v else ">="
        return r.choice(
            (
                f"1 <= count({x}) -> abs({at} - {number(u)}) <= {far}*n*{less}",
                f"1 <= count({x}) -> abs({at} - {number(u)}) <= {far}*{others}*{less}",
                f"1 <= count({x}) & count({x}) < n -> abs({at} - {number(u)}) > 0",
                f"count({x}) = {others} & 1 <= n -> abs({at} - {number(u)})*({e} + 1) = {far}",
                f"count({x}) >= {others} -> abs({at} - {number(u)}) <= {far}/2",
                f"{at} {sign} {number(u)}",
            )
        )

    def gap(r: random.Random) -> str:
        """Where both occur the mean is neither value, by the share of one position."""
        return r.choice(
            (
                f"{at} = {number(v)} | abs({at} - {number(v)}) >= {number(abs(u - v))}/n",
                f"1 <= count({x}) -> abs({at} - {number(v)}) > 0",
            )
        )

    return d.built(name, b, compute, language=[language], closed=[closed], bound=[bound], eps=[eps], gap=[gap])


# --- Functions of the position ---------------------------------------------------------------------------------------


def positions(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng, 2)
    x = d.typed[0]
    p, q = rng.choice(("pos", "idx")), rng.choice(("alt", "sgn"))
    k, limit = Fraction(rng.choice((1, 2, -1))), Fraction(rng.choice((0, 1, 2, 3)))
    b = d.builder({t: {"v": int(t == x)} for t in d.tokens}, unit="1", **{p: f"{k}*i" if k > 0 else "-i", q: "(-1)^i"})
    b.add(sc.head({}, {"mp": p, "mq": q}, mask="future"))
    b.add(sc.head({}, {"mv": "v"}, mask="future"))
    b.readout("sign", "last", ["mp", "mv", "unit"], weights=[[1, 1, str(-limit)]])

    def compute(f: Facts) -> None:
        size, start = range(len(f.tokens)), f.start
        v = [Fraction(t == x) for t in f.tokens]
        idx, alt = [k * (i + start) for i in size], [Fraction((-1) ** (i + start)) for i in size]
        f.values = {p: idx, q: alt, "v": v}
        f.values |= {m: [mean(of[: i + 1]) for i in size] for m, of in (("mp", idx), ("mq", alt), ("mv", v))}
        accepted(f, "last", [a + c - limit for a, c in zip(f.values["mp"], f.values["mv"], strict=True)])

    middle = "(i + 1)/2" if d.start else "i/2"
    total = "((-1)^i - 1)/(2*i)" if d.start else "((-1)^i + 1)/(2*(i + 1))"
    last = f"{number(k)}*({'n + 1' if d.start else 'n - 1'})/2"

    def closed(r: random.Random) -> str:
        """Arithmetic and alternating sums."""
        return r.choice(
            (
                f"all {d.every}. mp(i) = {number(k)}*{middle}",
                f"all {d.every}. mq(i) = {total}",
                f"mp({d.end}) = {last}",
                f"all {d.every}. mv(i)*{d.many} = {d.counts({x: Fraction(1)}, 'i')}",
            )
        )

    def language(r: random.Random) -> str:
        """The mean of positions is known; counts decide the remainder."""
        return f"accept <-> {last} + count({x})/n > {number(limit)}"

    def bound(r: random.Random) -> str:
        """Alternating sums are 0 or one term."""
        return r.choice(
            (
                f"all {d.every}. abs(mq(i)) <= 1",
                f"all {d.every}. abs(mq(i)) <= 1/{d.many}",
                f"all {d.every}. {'mq(i) <= 0' if d.start else '0 <= mq(i)'}",
                f"all {d.every}. mv(i) <= 1",
                f"all {d.every}. abs(mp(i)) <= {number(abs(k))}*{d.many}",
            )
        )

    def gap(r: random.Random) -> str:
        """A sum of whole numbers divided by the number of positions."""
        return r.choice(
            (
                f"all {d.every}. mq(i) = 0 | abs(mq(i)) >= 1/{d.many}",
                f"mv({d.end}) = 0 | mv({d.end}) >= 1/n",
                f"all {d.later}. abs(mp(i) - mp(i - 1)) >= 1/2",
            )
        )

    def recursion(r: random.Random) -> str:
        """A prefix sum is the one before plus one value."""
        return r.choice(
            (
                f"all {d.later}. {d.many}*mq(i) = {d.before}*mq(i - 1) + {q}(i)",
                f"all {d.later}. {d.many}*mp(i) = {d.before}*mp(i - 1) + {p}(i)",
                f"all {d.later}. {q}(i) = -{q}(i - 1)",
                f"all {d.later}. mp(i) - mp(i - 1) = {number(k / 2)}",
            )
        )

    def neighbour(r: random.Random) -> str:
        """Positions follow one another."""
        return r.choice(
            (
                f"all {d.later}. {p}(i) - {p}(i - 1) = {number(k)}",
                f"all {d.later}. {q}(i)*{q}(i - 1) = -1",
                f"all {d.later}. {q}(i) = 1 <-> {q}(i - 1) < 0",
                f"all {d.later}. v(i) = v(i - 1) <-> (at({x}, i) <-> at({x}, i - 1))",
            )
        )

    def monotone(r: random.Random) -> str:
        """Positions and their means grow with k."""
        less = "<" if k > 0 else ">"
        return r.choice(
            (
                f"all {d.later}. mp(i - 1) {less} mp(i)",
                f"all {d.later}. {p}(i - 1) {less} {p}(i)",
                f"all {d.later}. at({x}, i) -> mv(i - 1) <= mv(i)",
                f"all {d.later}. {d.before}*mv(i - 1) <= {d.many}*mv(i)",
            )
        )

    return d.built(
        name, b, compute, closed=[closed], language=[language], bound=[bound], gap=[gap], recursion=[recursion],
        neighbour=[neighbour], monotone=[monotone],
    )  # fmt: skip


# --- Layer norms that refuse -----------------------------------------------------------------------------------------


def norms(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng, 2)
    x, y = d.typed
    g = rng.randint(1, 3)
    rows = {x: {"p": rng.randint(1, 2)}, y: {"q": rng.randint(1, 2)}}
    refuse = "zero" if "before" in d.ends else rng.choice(("refuse", "zero"))  # else no string has a run
    head = sc.head({}, {"mp": "p", "mq": "q"}, mask="future")
    identity = [[1, 0], [0, 1]]
    norm = sc.LayerNorm(("mp", "mq"), ("up", "uq"), gain=[g, g], projection=identity, zero_variance=refuse)
    space = sc.Space(("p", "q", "mp", "mq", "np", "nq"))
    words = {t: {k: str(z) for k, z in rows.get(t, {}).items()} for t in d.tokens}
    embedding = sc.Embedding(space, words=words, **d.ends)
    readout = sc.Readout("sign", "last", ("np",), weights=[[1]])
    signs = sc.feedforward({"np": "relu(up) - relu(-up)", "nq": "relu(uq) - relu(-uq)"})
    normed = sc.Layer(None, signs, (), (norm,), "projected pre")
    model = sc.Transformer(name, embedding, (sc.Layer(sc.SelfAttention((head,))), normed), readout)

    def compute(f: Facts) -> None:
        p, q = ([Fraction(rows.get(t, {}).get(k, 0)) for t in f.tokens] for k in ("p", "q"))
        size = range(len(p))
        mp, mq = ([mean(of[: i + 1]) for i in size] for of in (p, q))
        if refuse == "refuse" and any(a == c for a, c in zip(mp, mq, strict=True)):
            raise Refused
        signs = [g * Fraction((a > c) - (a < c)) for a, c in zip(mp, mq, strict=True)]
        f.values = {"p": p, "q": q, "mp": mp, "mq": mq, "np": signs, "nq": [-z for z in signs]}
        accepted(f, "last", signs)

    value = {x: Fraction(rows[x]["p"]), y: Fraction(-rows[y]["q"])}
    raise_ = f"{d.counts({x: value[x]})} > {d.counts({y: -value[y]})}"

    def language(r: random.Random) -> str:
        """The norm of two numbers is the sign of their difference."""
        return r.choice((f"accept <-> {raise_}", f"count({y}) = 0 & 1 <= count({x}) -> accept"))

    def closed(r: random.Random) -> str:
        """Two numbers minus their mean, divided by half of their distance, are 1 and -1."""
        options = [f"all {d.every}. np(i) + nq(i) = 0", f"{raise_} -> np({d.end}) = {g}"]
        options.append(f"all {d.every}. mp(i) > mq(i) -> np(i) = {g}")
        options.append(f"all {d.every}. mp(i)*{d.many} = {d.counts({x: value[x]}, 'i')}")
        if refuse == "refuse":
            options += [f"all {d.every}. np(i)*np(i) = {g * g}", f"np({d.end}) = {g} | np({d.end}) = -{g}"]
        return r.choice(options)

    def bound(r: random.Random) -> str:
        """As above."""
        return r.choice((f"all {d.every}. np(i) <= {g}", f"all {d.every}. abs(nq(i)) <= {g}"))

    def gap(r: random.Random) -> str:
        """As above; where the norm refuses there is no tie."""
        options = [f"all {d.every}. np(i) = 0 | abs(np(i)) >= {g}"]
        if refuse == "refuse":
            options += [f"all {d.every}. abs(mp(i) - mq(i)) >= 1/{d.many}", f"~(mp({d.end}) = mq({d.end}))"]
        return r.choice(options)

    def arithmetic(r: random.Random) -> str:
        """The sign of a difference of counts."""
        a, c = value[x], -value[y]
        return r.choice(
            (
                f"np({d.end}) = {g} & {number(c)}*count({y}) >= {number(a)}*count({x}) -> n = 0",
                f"{number(a)}*count({x}) < {number(c)}*count({y}) -> nq({d.end}) = {g}",
                f"accept -> 1 <= count({x})",
            )
        )

    return ModelOfCorpus(
        name, model, d.typed, d.ends, compute,
        {"language": [language], "closed": [closed], "bound": [bound], "gap": [gap], "arithmetic": [arithmetic]},
    )  # fmt: skip


# --- Average-hard attention with ties, and softmax beside it ---------------------------------------------------------


def ties(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng)
    best, score = rng.choice(d.typed), rng.randint(1, 2)
    values = d.values(tuple(map(Fraction, (-1, 0, 1, 2))))
    h, s = rng.choice(("hard", "best")), "soft"
    mask, limit = rng.choice(("none", "future", "past")), rng.choice(NUMBERS)
    b = d.builder({t: {"val": x, "key": int(t == best)} for t, x in values.items()}, unit="1")
    b.add(sc.head({("unit", "key"): score}, {h: "val"}, mask=mask))
    b.add(sc.head({("unit", "key"): score}, {s: "val"}, mask=mask, weighting="softmax"))
    where = "first" if mask == "past" else "last"
    b.readout("sign", where, [h, "unit"], weights=[[1, str(-limit)]])

    def compute(f: Facts) -> None:
        size, hard, soft = range(len(f.tokens)), [], []
        e = decimal(score).exp()
        for i in size:
            near = seen(f, mask, i)
            top = [j for j in near if f.tokens[j] == best] or near
            hard.append(mean([values[f.tokens[j]] for j in top]))
            weights = {j: e if f.tokens[j] == best else Decimal(1) for j in near}
            soft.append(sum(w * decimal(values[f.tokens[j]]) for j, w in weights.items()) / sum(weights.values()))
        f.values = {"val": [values[t] for t in f.tokens], h: hard, s: soft}
        accepted(f, where, [z - limit for z in hard])

    at = d.start if mask == "past" else d.end
    u = values[best]
    rest = {t: z for t, z in values.items() if t != best}
    width = max(abs(z - u) for z in values.values())
    low, high = min(values.values()), max(values.values())

    def language(r: random.Random) -> str:
        """Only the best keys are read where there are some; else the mean of all."""
        yes = "accept" if u > limit else "~accept"
        under = d.counts({t: z - limit for t, z in rest.items()})
        return r.choice(
            (
                f"1 <= count({best}) -> {yes}",
                f"count({best}) = 0 -> (accept <-> {under} > 0)",
                f"(ex {d.every}. at({best}, i)) -> {yes}",
                f"accept <-> 1 <= count({best}) | {under} > 0"
                if u > limit
                else f"accept <-> count({best}) = 0 & {under} > 0",
            )
        )

    def closed(r: random.Random) -> str:
        """As for language."""
        options = [f"1 <= count({best}) -> {h}({at}) = {number(u)}"]
        options.append(f"count({best}) = 0 -> {h}({at})*n = {d.counts(rest)}")
        if mask != "none":
            options.append(f"all {d.every}. at({best}, i) -> {h}(i) = {number(u)}")
        return r.choice(options)

    def bound(r: random.Random) -> str:
        """Means lie between the least and the largest value."""
        return r.choice(
            (
                f"all {d.every}. {h}(i) <= {number(high)}",
                f"all {d.every}. {number(low)} <= {s}(i)",
                f"all {d.every}. abs({h}(i) - {s}(i)) <= {number(high - low)}",
            )
        )

    def eps(r: random.Random) -> str:
        """Softmax gives the others at most n exp(-score), and all values are within the width."""
        far = f"abs({s}({at}) - {h}({at}))"
        return r.choice(
            (
                f"1 <= count({best}) -> {far} <= {number(width)}*(n - count({best}))*exp(-{score})",
                f"1 <= count({best}) -> {far} <= {number(width)}*n*exp(-{score})",
                f"count({best}) = 0 -> {s}({at}) = {h}({at})",
                f"count({best}) = n -> {s}({at}) = {h}({at})",
                f"2*count({best}) >= n -> abs({s}({at}) - {h}({at})) <= {number(width)}/2",
                f"1 <= count({best}) -> abs({s}({at}) - {h}({at})) <= {number(width)}",
            )
        )

    def place(r: random.Random) -> str:
        """A position with the best key reads that value; the first (last) position reads itself alone."""
        if mask == "none":
            return f"at({best}, {d.start}) -> {h}({d.end}) = {number(u)}"
        alone = d.start if mask == "future" else d.end
        return r.choice(
            (
                f"{h}({alone}) = val({alone})",
                f"{s}({alone}) = val({alone})",
                f"at({best}, {alone}) -> {h}({at}) = {number(u)}",
            )
        )

    def arithmetic(r: random.Random) -> str:
        """As for language, in numbers."""
        return r.choice(
            (
                f"count({best}) >= 1 & n >= 2 -> 2*{h}({at}) = {number(2 * u)}",
                f"~({h}({at}) = {number(u)}) -> count({best}) = 0",
            )
        )

    return d.built(
        name, b, compute, language=[language], closed=[closed], bound=[bound], eps=[eps], place=[place],
        arithmetic=[arithmetic],
    )  # fmt: skip


# --- Feed-forward layers, and labels like tokens ---------------------------------------------------------------------


def labelled(rng: random.Random, name: str) -> ModelOfCorpus:
    d = Drawn(rng, 2)
    x, y = d.typed
    k = rng.randint(1, 2)
    b = d.builder({x: {"px": 1}, y: {"py": k}}, unit="1")
    b.add(sc.head({}, {"mx": "px", "my": "py"}, mask=(mask := rng.choice(("none", "future")))))
    b.add(sc.feedforward({"top": "relu(mx - my)", "low": "relu(my - mx)"}))
    b.readout("largest", "last", ["mx", "my"], weights=[[1, 0], [0, 1]], labels=d.typed)

    def compute(f: Facts) -> None:
        px, py = ([Fraction(z * (t == token)) for t in f.tokens] for token, z in ((x, 1), (y, k)))
        size = range(len(px))
        mx, my = ([mean([of[j] for j in seen(f, mask, i)]) for i in size] for of in (px, py))
        f.values = {"px": px, "py": py, "mx": mx, "my": my}
        f.values["top"] = [max(a - c, Fraction(0)) for a, c in zip(mx, my, strict=True)]
        f.values["low"] = [max(c - a, Fraction(0)) for a, c in zip(mx, my, strict=True)]
        f.answer = x if mx[-1] >= my[-1] else y

    e = d.end
    cy = f"{k}*count({y})" if k > 1 else f"count({y})"

    def language(r: random.Random) -> str:
        """The first of the largest scores; shares have one denominator."""
        return r.choice(
            (
                f"answer({x}) <-> count({x}) >= {cy}",
                f"answer({y}) <-> count({x}) < {cy}",
                f"count({x}) = count({y}) & 1 <= count({x}) -> " + (f"answer({x})" if k == 1 else f"answer({y})"),
                f"answer({y}) <-> low({e}) > 0",
                f"answer({x}) | answer({y})",
            )
        )

    def closed(r: random.Random) -> str:
        """relu(z) - relu(-z) = z, relu(z) + relu(-z) = |z|."""
        return r.choice(
            (
                f"all {d.every}. top(i) - low(i) = mx(i) - my(i)",
                f"all {d.every}. top(i) + low(i) = abs(mx(i) - my(i))",
                f"all {d.every}. mx(i) + low(i) = max(mx(i), my(i))",
                f"n*top({e}) = max(0, count({x}) - {cy})",
                f"mx({e}) = count({x})/n",
            )
        )

    def bound(r: random.Random) -> str:
        """Shares are at most 1."""
        return r.choice(
            (
                f"all {d.every}. top(i) <= 1",
                f"all {d.every}. low(i) <= {k}",
                f"all {d.every}. {k}*mx(i) + my(i) <= {k}",
                f"all {d.every}. min(top(i), low(i)) = 0",
                f"all {d.every}. top(i) <= mx(i)",
            )
        )

    def gap(r: random.Random) -> str:
        """Whole numbers divided by n."""
        return r.choice(
            (
                f"top({e}) = 0 | top({e}) >= 1/n",
                f"low({e}) > 0 -> low({e}) >= 1/n",
                f"mx({e}) = my({e}) | abs(mx({e}) - my({e})) >= 1/n",
            )
        )

    def arithmetic(r: random.Random) -> str:
        """Counts."""
        return r.choice(
            (
                f"answer({x}) & answer({y}) -> n = 0",
                f"top({e}) > 0 -> answer({x})",
                f"count({x}) + count({y}) <= n",
                f"answer({y}) -> 1 <= count({y})",
                f"n*(mx({e}) + my({e})) = count({x}) + {cy}",
                f"top({e})*low({e}) = 0",
            )
        )

    return d.built(
        name, b, compute, language=[language], closed=[closed], bound=[bound], gap=[gap], arithmetic=[arithmetic]
    )


FAMILIES = (means, neighbours, places, rectified, softmaxes, positions, norms, ties, labelled)
