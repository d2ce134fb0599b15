"""What an attention head and a layer norm say of one position, as text: shared by the run relations of a stored model
(`runrel`) and of a family (`familyrel`). An equation is for ``@``; it is given the old value, None where that is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_term, show
from symcook.proof.rounded import RoundedTerms

Right = Callable[[str | None], str]


class Window(NamedTuple):
    """What row i sees: the first and last position, how many they are, and the row that sees nothing."""

    low: str
    high: str
    size: str
    empty: str | None


def window(mask: str, start: int) -> Window:
    """The window of a mask where positions are numbered from `start`, 0 or 1."""
    low, high, one = str(start), "n" if start else "n - 1", bool(start)
    windows = {
        "none": (low, high, "n", None),
        "future": (low, "i", "i" if one else "(i + 1)", None),
        "strict-future": (low, "i - 1", "(i - 1)" if one else "i", low),
        "past": ("i", high, "(n - i + 1)" if one else "(n - i)", None),
        "strict-past": ("i + 1", high, "(n - i)" if one else "(n - 1 - i)", high),
    }
    if mask not in windows:
        raise BadInput(f"a run relation knows the masks {', '.join(windows)}", mask)
    return Window(*windows[mask])


def attended(seen: Window, weighting: str, score: Callable[[str], str | None], soft: str, value: str) -> Right:
    """The equation of what a head adds. `score` is the score of row i at a position (None: zero everywhere), `soft` the
    exponent of softmax at j, `value` the value at j."""
    here = score("j")
    nearer = {"leftmost": "k < j", "rightmost": "j < k"}.get(weighting)
    if weighting not in ("average", "softmax") and nearer is None:
        raise BadInput("a head must have a weighting that a run relation knows", weighting)
    if here is None:
        weight = f"I[j = {seen.low if weighting == 'leftmost' else seen.high}]*" if nearer else ""
    elif weighting == "softmax":
        weight = f"exp({soft})*"
    else:
        other = score("k")
        best = f"all k in {seen.low}..{seen.high}. {other} <= {here}"
        weight = f"I[{best} & ({nearer} -> {other} < {here})]*" if nearer else f"I[{best}]*"
    span = f"{seen.low}, {seen.high}"
    total = f"sum(j, {span}, {weight[:-1]})" if weight else seen.size
    values = f"sum(j, {span}, {f'{weight}({value})' if weight else value})"
    if nearer:  # one position has weight 1, none where the window is empty
        return plus([values])
    if seen.empty is None and (here is None or weighting == "softmax"):
        return plus([f"{values}/{total}"])

    def right(old: str | None) -> str:
        text = f"{f'(@ - {old})' if old else '@'}*{total} = {values}"
        return text if seen.empty is None else f"{text} & (i = {seen.empty} -> @ = {old or '0'})"

    return right


def plus(terms: list[str]) -> Right:
    """The old value and the terms."""
    return lambda old: f"@ = {joined([old, *terms] if old else terms)}"


def joined(terms: Iterable[str]) -> str:
    """Terms joined by plus signs; a long sum is bracketed in halves, which keeps its tree shallow."""
    parts = list(terms)
    if not parts:
        return "0"
    if len(parts) <= 16:
        return " + ".join(parts)
    half = len(parts) // 2
    return f"({joined(parts[:half])}) + ({joined(parts[half:])})"


def conjunction(parts: list[str]) -> str:
    """Parts joined by "and"; more than 128 are bracketed in halves, as the quantifiers over them nest deep already."""
    if len(parts) <= 128:
        return " & ".join(parts)
    half = len(parts) // 2
    return f"({conjunction(parts[:half])}) & ({conjunction(parts[half:])})"


def normed(centred: str, deviation: str, gain: str, bias: list[str], zero: bool) -> str:
    """What a norm makes of an entry less the mean: gain*(entry - mean)/deviation + bias; with `zero` the bias alone
    where the deviation is zero. `gain` has ``#`` in the place of what it multiplies."""
    text = f"({' - '.join(['@', *bias])})*{deviation} = {gain.replace('#', f'({centred})')}"
    return f"{text} & ({deviation} = 0 -> @ = {joined(bias)})" if zero else text


class RunEquations:
    """What the relations of a model and of a family share: positions, the blocks of a layer, norms, and what is asked
    of a word and of a readout. Which of them it is says how a function is defined and how its value is written."""

    def __init__(self, start: int, pointwise: bool, readout: tuple[str, str]) -> None:
        """Positions are numbered from `start`; `readout` has its kind and its position."""
        self.low, self.high, self.pointwise, self.looks = str(start), "n" if start else "n - 1", pointwise, readout
        self.equations: list[str] = []
        self.needed: list[str] = []  # what must hold before the equations can
        self.deviations: list[str] = []  # those that must not be zero
        self.positive: list[str] = []  # that they are not
        self.held: dict[str, Any] = {}
        self.used: set[str] = set()  # names that are taken

    def _fresh(self, wanted: str) -> str:
        """A name like `wanted` that nothing has."""
        while wanted in self.used:
            wanted += "_"
        self.used.add(wanted)
        return wanted

    def everywhere(self, text: str) -> str:
        """A formula at every position."""
        return text if self.pointwise else f"(all i in {self.low}..{self.high}. {text})"

    def _always(self, text: str) -> str:
        """The same in every round."""
        return self.everywhere(text)

    def _spelled(self, before: str | None, after: str | None, typed: str) -> str:
        """w(i) is typed at every position, but for the tokens that are added at the ends."""
        added = [] if before is None else [f"w({self.low}) = {before}"]
        added += [] if after is None else [f"w({self.high}) = {after}"]
        added += ["2 <= n"] if len(added) == 2 else []
        low = self.low if before is None else str(int(self.low) + 1)
        high = self.high if after is None else f"n - {2 - int(self.low)}"
        return " & ".join([*added, f"(all i in {low}..{high}. {typed})"])

    def _place(self, word: str, kinds: tuple[str, ...], at: str | None) -> str:
        """Where the readout looks."""
        kind, position = self.looks
        if kind not in kinds:
            raise BadInput(f"{word} needs a readout {' or '.join(kinds)}", kind)
        if (at is None) is (position == "each"):
            must = "no position, since the readout decides once" if at else "a position, one of each that is read"
            raise BadInput(f"{word} takes {must}", at or "none")
        return at or {"first": self.low, "last": self.high, "all": "i"}[position]

    def _accepts(self, condition: str) -> str:
        return f"all i in {self.low}..{self.high}. {condition}" if self.looks[1] == "all" else condition

    def _part(self, number: int, blocks: Sequence[object], norms: Sequence[object], placement: str) -> None:
        """The heads or the feed-forward block of a layer: all of it reads one view, then it is added to the stream."""
        view = dict(self.held)
        if placement not in ("none", "post"):
            view = {name: made for norm in norms for name, made in self._norm(number, norm).items()}
        added = [(h, block, *output) for h, block in enumerate(blocks, 1) for output in self._added(block, view)]
        for name in dict.fromkeys(name for _, _, name, _ in added):
            mine = [(h, block, right) for h, block, other, right in added if other == name]
            if len(mine) == 1 and not self._many(mine[0][1]):
                self._write(name, number, mine[0][2])
            else:
                terms = [self._apart(f"z{number}_{h}_{name}", name, block, right(None)) for h, block, right in mine]
                self._write(name, number, plus(terms))
        if placement == "post":
            for norm in norms:
                self.held |= self._norm(number, norm)

    def _deviation(
        self, number: int, total: Callable[[Callable[[str], str]], str], count: str, epsilon: list[str], refuse: bool
    ) -> tuple[str, str]:
        """The mean and the deviation of the entries of a norm; `total` is the sum of what is made of each of them."""
        mean = self._text(self._define(f"mu{number}", f"@ = ({total(str)})/{count}"))
        variance = f"({total(lambda entry: f'({entry} - {mean})^2')})/{count}"
        deviation = self._text(self._define(f"dev{number}", f"@ = sqrt({joined([variance, *epsilon])})"))
        if refuse:
            self.deviations.append(deviation)
            self.positive.append(self._always(f"0 < {deviation}"))
        return mean, deviation

    def _warm(self, head: str, positive: str, free: Iterable[str]) -> None:
        """The temperature of a softmax is above zero."""
        if head == "softmax" and free:
            self.needed.append(self.everywhere(f"0 < {positive}") if "i" in free else f"0 < {positive}")

    def _text(self, held: object) -> str:
        """The value of a function at i."""
        raise NotImplementedError

    def _define(self, fresh: str, text: str) -> Any:
        """An equation for a new function like `fresh`; `text` has ``@`` in its place."""
        raise NotImplementedError

    def _norm(self, number: int, norm: object) -> dict[str, Any]:
        """Equations of a layer norm; what it makes, by what it writes."""
        raise NotImplementedError

    def _added(self, block: object, view: Mapping[str, object]) -> list[tuple[str, Right]]:
        """What a head or a feed-forward block adds to each coordinate."""
        raise NotImplementedError

    def _many(self, block: object) -> bool:
        """Whether it stands for several heads."""
        return False

    def _apart(self, fresh: str, name: str, block: object, text: str) -> str:
        """What one of several heads adds, as a term."""
        raise NotImplementedError

    def _write(self, name: str, number: int, right: Right) -> None:
        """An equation for the next value of a coordinate."""
        raise NotImplementedError


def split(tree: Tree) -> tuple[Fraction, list[Any]]:
    """A product as its rational number and its other factors."""
    if tree[0] == "num":
        return Fraction(*tree[1:]), []
    if tree[0] == "neg":
        number, others = split(tree[1])
        return -number, others
    if tree[0] in ("*", "/"):
        (left, first), (right, second) = split(tree[1]), split(tree[2])
        if tree[0] == "*":
            return left * right, first + second
        if right and not second:
            return left / right, first
    return Fraction(1), [tree]


def readable(text: str, taken: Collection[str] = ()) -> str:
    """An expression of a model in the statement language: floor, mod and sign are written out (`rounded`), where
    nothing that is bound is called like what is `taken`. Powers with a variable exponent become pow, which is defined
    for exponents from 0 on. What falls in the exponent is a power of the inverse: 2^(n - i) is
    pow(2, n)*pow(1/2, i)."""

    def fail(part: Tree, what: str) -> BadInput:
        return BadInput(
            f"in a statement {what}, as mod(i, 3) and floor(n/2)", show(part), "write it as a table or a sum"
        )

    def put(part: object) -> Any:
        if not isinstance(part, tuple) or not part:
            return part
        if part[0] == "^" and part[2][0] != "num":
            base, (rising, falling) = put(part[1]), _signed(put(part[2]))
            many = [(base, rising)] * bool(rising) + [(_inverse(base), falling)] * bool(falling)
            return _joined("*", [("call", "pow", (a, _joined("+", terms))) for a, terms in many])
        return tuple(map(put, part))

    return show(put(RoundedTerms(taken, fail).put(parse_term(text), {"i": True, "n": True})))


def _joined(op: str, parts: Sequence[Tree]) -> Any:
    return reduce(lambda a, b: (op, a, b), parts)


def _signed(tree: Tree) -> tuple[list[Any], list[Any]]:
    """The terms of a sum that are added, and those that are subtracted."""
    if tree[0] == "neg":
        rising, falling = _signed(tree[1])
        return falling, rising
    if tree[0] not in ("+", "-"):
        return [tree], []
    (rising, falling), (more, less) = _signed(tree[1]), _signed(tree[2])
    return (rising + more, falling + less) if tree[0] == "+" else (rising + less, falling + more)


def _inverse(tree: Tree) -> Any:
    """1/t; of a rational number that is not zero again a quotient of integers."""
    number, others = split(tree)
    if others or not number:
        return ("/", ("num", 1, 1), tree)
    quotient = ("/", ("num", number.denominator, 1), ("num", abs(number.numerator), 1))
    return quotient if number > 0 else ("neg", quotient)
