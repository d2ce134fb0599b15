"""Random small piecewise models and an exact evaluation of them that shares no code with the symbolic domain.

`derive_cases` must cover the region of the symbols with its conditions, one case at each point, and give
there what the evaluation gives. Points: samples, the ends of the intervals, and every breakpoint along lines through
them, found from the model alone.

    python tests/attacks/piecewise.py --count 2000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symcook.derivation import Derivation, derive_cases
from symcook.domains.rowwise import visible
from symcook.errors import Undecided
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import children, parse_formula, parse_term
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.rationals import rational, truth
from symcook.model.symbols import from_sympy
from symcook.model.transformer import Parameter, Transformer

Point = dict[str, Fraction]
COORDINATES = ("x", "y", "u", "v")
ENDS = ("-2", "-1", "-1/2", "0", "1/2", "1", "3")


@dataclass(frozen=True)
class Box:
    """The interval of a symbol: text of its ends, None for an infinite side."""

    name: str
    lower: str | None
    upper: str | None
    lower_open: bool
    upper_open: bool

    def parameter(self) -> Parameter:
        return Parameter(
            self.name, lower=self.lower, upper=self.upper, lower_open=self.lower_open, upper_open=self.upper_open
        )

    def contains(self, value: Fraction) -> bool:
        if self.lower is not None:
            low = Fraction(self.lower)
            if value < low or (value == low and self.lower_open):
                return False
        if self.upper is None:
            return True
        high = Fraction(self.upper)
        return value < high or (value == high and not self.upper_open)


@dataclass
class Piecewise:
    """A model, its boxes (free inputs among them, unbounded) and the rows that it is given."""

    model: Transformer
    boxes: list[Box]
    rows: list[dict[str, str]]
    free: tuple[str, ...]
    trees: dict[str, Any] = field(default_factory=dict)

    def describe(self) -> str:
        blocks = [block for layer in self.model.layers for block, _ in layer.blocks()]
        return f"{self.boxes}\nrows {self.rows}\n{blocks}\n{self.model.readout}"


@dataclass
class Answer:
    """What the model says: values by position, verdicts by position, and what was compared with zero on the way."""

    values: list[dict[str, Fraction]]
    verdicts: list[bool] | None
    compared: list[Fraction]


def random_box(r: random.Random, name: str) -> Box:
    """An interval of any shape: a line, a half-line, open or closed at each end, around 0 or beside it."""
    shape = r.randrange(4)
    low, high = sorted(r.sample(range(len(ENDS)), 2))
    return Box(
        name,
        ENDS[low] if shape in (1, 3) else None,
        ENDS[high] if shape in (2, 3) else None,
        r.random() < 0.5 or shape not in (1, 3),
        r.random() < 0.5 or shape not in (2, 3),
    )


def random_term(r: random.Random, names: Sequence[str]) -> str:
    """A piecewise affine expression in the names."""
    a, b = r.choice(names), r.choice(names)
    number = r.choice(("0", "1", "-1", "1/2", "2"))
    return r.choice(
        (a, f"-{a}", f"{a} + 1", f"{a} - {b}", f"abs({a}) - {number}", f"min({a}, {b})", f"max({a}, {number})",
         f"min({a}, {number}) - {b}", f"max({a} - 1, -{b})", number)
    )  # fmt: skip


def random_weight(r: random.Random, names: Sequence[str]) -> str:
    if r.random() < 0.8:
        return r.choice(("1", "-1", "2", "-1/2", "1", "-1", "0"))
    a = r.choice(names)
    return r.choice((a, f"abs({a})", f"1/(1 + abs({a}))", f"max({a}, 1/2)", f"-{a}"))


def random_feedforward(r: random.Random, names: Sequence[str], filled: Sequence[str]) -> FeedForward:
    """A part that reads one of the coordinates that hold something, and perhaps another."""
    if r.random() < 0.15:  # the network of the recipe `if`
        return FeedForward(("u", "x", "y"), ("v",), [[1, 1, 0], [-1, 0, 1]], [-1, 0], [[1, 1]], [0])
    reads = tuple(dict.fromkeys((r.choice(filled), r.choice(COORDINATES))))
    hidden = r.randint(1, 2)
    return FeedForward(
        reads,
        (r.choice(COORDINATES),),
        [[random_weight(r, names) for _ in reads] for _ in range(hidden)],
        [r.choice(("0", "0", "1", "-1", "1/2", random_weight(r, names))) for _ in range(hidden)],
        [[r.choice(("1", "-1", "2", "1/2")) for _ in range(hidden)]],
        [r.choice(("0", "0", "1"))],
        r.choice(("relu", "relu", "step")),
    )


def random_head(r: random.Random) -> Head:
    query, key, value = ([[r.choice((0, 1, -1)) for _ in range(2)]] for _ in range(3))
    return Head(
        ("x", "y"),
        ("u",),
        Q=query,
        K=key,
        V=value,
        mask=r.choice(("none", "future", "strict-past")),
        weighting=r.choice(("average", "leftmost", "rightmost")),
    )


def random_model(r: random.Random) -> Piecewise:
    """One or two layers, step or ReLU, perhaps a head that chooses, any readout that shows or decides."""
    names = ["a", "b"][: r.randint(1, 2)]
    boxes = [random_box(r, name) for name in names]
    attends = r.random() < 0.3
    pointwise = not attends and r.random() < 0.5
    free = ("x",) if pointwise else ()
    row = lambda: {"x": random_term(r, names), "y": random_term(r, names)}  # noqa: E731
    rows = [{"y": random_term(r, names)}] if pointwise else [row() for _ in range(2 if attends else 1)]
    first = random_feedforward(r, names, ("u", "x", "y") if attends else ("x", "y"))
    layers = [Layer(random_head(r) if attends else None, first)]
    if not attends and r.random() < 0.5:
        layers.append(Layer(None, random_feedforward(r, names, (*first.writes, "x"))))
    kind = r.choice(("value", "sign", "zero"))
    position = r.choice(("first", "last", "each", "all") if kind != "value" else ("first", "last", "each"))
    written = layers[-1].feedforward.writes[0]
    others = [name for name in COORDINATES if name != written]
    reads = (written, *r.sample(others, 0 if kind == "value" else r.randint(0, 1)))
    weights = [[r.choice((1, -1, 2)) for _ in reads]] if kind == "sign" else None
    model = Transformer(
        "piecewise",
        Embedding(Space(COORDINATES), inputs=("x", "y")),
        tuple(layers),
        Readout(kind, position, reads, weights),
        parameters=tuple(box.parameter() for box in boxes),
    )
    return Piecewise(model, [*boxes, *(Box(name, None, None, True, True) for name in free)], rows, free)


def evaluate(case: Piecewise, point: Mapping[str, Fraction]) -> Answer:
    """The model at a point, with fractions."""
    compared: list[Fraction] = []

    def inside(tree: Any) -> None:
        """Note what abs, min and max compare."""
        for child in children(tree):
            inside(child)
        if tree[0] == "call" and tree[1] in ("abs", "min", "max"):
            values = [rational(argument, point) for argument in tree[2]]
            compared.append(values[0] - (values[1] if tree[1] != "abs" else 0))

    def number(value: Any) -> Fraction:
        text = value if isinstance(value, str) else from_sympy(value)
        if text not in case.trees:
            case.trees[text] = parse_term(text)
        inside(case.trees[text])
        return rational(case.trees[text], point)

    stream = []
    for row in case.rows:
        given = {name: number(text) for name, text in row.items()}
        given |= {name: point[name] for name in case.free}
        stream.append({name: given.get(name, Fraction(0)) for name in COORDINATES})
    for layer in case.model.layers:
        for block, _ in layer.blocks():
            if isinstance(block, SelfAttention):
                _attend(block.heads[0], stream, number, compared)
            else:
                _feed(block, stream, number, compared)
    readout = case.model.readout
    if readout.kind == "value":
        return Answer([{name: at[name] for name in readout.reads} for at in stream], None, compared)
    if readout.kind == "zero":
        shown = [{name: at[name] for name in readout.reads} for at in stream]
        compared += [value for at in shown for value in at.values()]
        return Answer(shown, [all(value == 0 for value in at.values()) for at in shown], compared)
    logits = [
        sum(number(w) * at[name] for w, name in zip(readout.weights, readout.reads, strict=True)) for at in stream
    ]
    compared += logits
    shown = [
        {name: at[name] for name in readout.reads} | {"logit": logit} for at, logit in zip(stream, logits, strict=True)
    ]
    return Answer(shown, [logit > 0 for logit in logits], compared)


Number = Callable[[Any], Fraction]


def _attend(head: Head, stream: list[Point], number: Number, compared: list[Fraction]) -> None:
    def product(matrix: Any, at: Point) -> Fraction:
        return sum((number(w) * at[name] for w, name in zip(matrix, head.reads, strict=True)), Fraction(0))

    added = []
    for row, at in enumerate(stream):
        seen = visible(head.sees, row, len(stream))
        scores = {j: product(head.Q, at) * product(head.K, stream[j]) for j in seen}
        compared += [scores[j] - scores[k] for j in seen for k in seen if j < k]
        best = [j for j in seen if scores[j] == max(scores.values())]
        best = {"average": best, "leftmost": best[:1], "rightmost": best[-1:]}[head.weighting]
        added.append(sum((product(head.V, stream[j]) for j in best), Fraction(0)) / max(len(best), 1))
    for at, value in zip(stream, added, strict=True):
        at[head.writes[0]] += value


def _feed(block: FeedForward, stream: list[Point], number: Number, compared: list[Fraction]) -> None:
    for at in stream:
        hidden = []
        for h in range(block.hidden):
            value = sum((number(block.W1[h, c]) * at[name] for c, name in enumerate(block.reads)), number(block.b1[h]))
            compared.append(value)
            hidden.append(max(value, Fraction(0)) if block.activation == "relu" else Fraction(value > 0))
        total = sum((number(block.W2[0, h]) * value for h, value in enumerate(hidden)), number(block.b2[0]))
        at[block.writes[0]] += total


def points(case: Piecewise, r: random.Random, lines: int) -> Iterator[Point]:
    """Corners, samples, and the breakpoints along lines in which one symbol varies, with a point on either side."""

    def sample(box: Box) -> Fraction:
        while True:
            value = Fraction(r.randint(-24, 24), r.choice((1, 2, 3, 6, 6)))
            if box.contains(value):
                return value

    def ends(box: Box) -> list[Fraction]:
        return [Fraction(e) for e in (box.lower, box.upper) if e is not None and box.contains(Fraction(e))]

    simple = [Fraction(v) for v in ("0", "1", "-1", "1/2")]
    for _ in range(lines):
        base = {box.name: r.choice([sample(box), *ends(box), *filter(box.contains, simple)]) for box in case.boxes}
        moving = r.choice(case.boxes)
        turns = breakpoints(case, base, moving)
        values = {*turns, *ends(moving), *((p + q) / 2 for p, q in zip(turns, turns[1:], strict=False))}
        values |= {turn + step for turn in turns for step in (Fraction(1, 997), Fraction(-1, 997))}
        yield base
        yield from (base | {moving.name: value} for value in values if moving.contains(value))


def breakpoints(case: Piecewise, base: Point, box: Box) -> list[Fraction]:
    """Where something that the model compares is zero, as the symbol of `box` varies alone; with the ends of the box.

    What is compared k-th is affine between the zeros of what was compared before, where no symbol is multiplied by
    itself; the line through two inner points of each gap gives its zero there.
    """
    low = Fraction(-30) if box.lower is None else Fraction(box.lower)
    high = Fraction(30) if box.upper is None else Fraction(box.upper)
    known: dict[Fraction, list[Fraction]] = {}

    def compared(value: Fraction, k: int) -> Fraction:
        if value not in known:
            known[value] = evaluate(case, base | {box.name: value}).compared
        return known[value][k]

    turns = {low, high}
    for k in range(len(evaluate(case, base).compared)):
        ordered = sorted(turns)
        for p, q in zip(ordered, ordered[1:], strict=False):
            s, t = p + (q - p) / 3, q - (q - p) / 3
            at_s, at_t = compared(s, k), compared(t, k)
            if at_s != at_t:
                zero = s - at_s * (t - s) / (at_t - at_s)
                if p < zero < q:
                    turns.add(zero)
    return sorted(turns)


def faults(case: Piecewise, r: random.Random, lines: int = 4) -> tuple[str, list[str], int]:
    """("cases" or "refused", what is wrong, the number of points)."""
    try:
        given: Any = case.rows[0] if case.free else case.rows
        cases = derive_cases(case.model, given)
    except Undecided:
        return "refused", [], 0
    formulas = [[parse_formula(text) for text in d.conditions] for d in cases]
    wrong, count = [], 0
    for point in points(case, r, lines):
        count += 1
        holding = [d for d, parts in zip(cases, formulas, strict=True) if all(truth(part, point) for part in parts)]
        if len(holding) != 1:
            wrong.append(f"{len(holding)} cases at {_text(point)}")
            continue
        wrong += _differences(case, holding[0], point)
    return "cases", wrong, count


def _differences(case: Piecewise, found: Derivation, point: Point) -> Iterator[str]:
    answer, position = evaluate(case, point), case.model.readout.position
    several = position in ("each", "all")
    places = range(len(case.rows)) if several else [0 if position == "first" else len(case.rows) - 1]
    shown = [(one.output, one.accept) for one in found.each] or [(found.output, found.accept)]
    for place, (output, accept) in zip(places, shown, strict=True):
        got = {name: rational(parse_term(text), point) for name, text in output.items()}
        if got != answer.values[place]:
            yield f"{got} for {answer.values[place]} at {_text(point)}"
        if answer.verdicts is not None and position != "all" and accept is not answer.verdicts[place]:
            yield f"verdict {accept} for {answer.verdicts[place]} at {_text(point)}"
    if answer.verdicts is not None and position == "all" and found.accept is not all(answer.verdicts):
        yield f"verdict {found.accept} on all positions for {answer.verdicts} at {_text(point)}"


def _text(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def main() -> int:
    parser = argparse.ArgumentParser(description="Cases of random piecewise models against exact evaluation.")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    begun = time.perf_counter()
    for seed in range(options.seed, options.seed + options.count):
        r = random.Random(seed)
        case = random_model(r)
        try:
            outcome, wrong, seen = faults(case, r)
        except Exception as error:
            outcome, wrong, seen = "failed", [f"{type(error).__name__}: {error}"], 0
        counts[outcome] += 1
        counts["points"] += seen
        if wrong:
            counts["wrong"] += 1
            print(f"seed {seed}: {len(wrong)} faults, first {wrong[0]}\n{case.describe()}\n", flush=True)
        if sum(counts[kind] for kind in ("cases", "refused", "failed")) % 100 == 0:
            print(f"seed {seed}: {dict(counts)}", file=sys.stderr, flush=True)
    print(f"{options.count} models in {time.perf_counter() - begun:.0f} s: {dict(counts)}")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
