"""How far a small error in the residual stream can grow, layer by layer, in a given model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from symcook.blocks import FeedForward, Head, LayerNorm, SelfAttention, Transformer
from symcook.bounds.arguments import count
from symcook.bounds.models import entry, rational_positive, read_model, words_of_length
from symcook.bounds.result import Bound, decided
from symcook.domains.exact import Exact, at_position
from symcook.errors import BadInput, NotExact
from symcook.forward import forward
from symcook.numbers.balls import Ball, arb_of, ball, check_digits, decide_sign, refine
from symcook.numbers.evaluate import evaluate
from symcook.protocol import visible
from symcook.symbols import tree_from_sympy

if TYPE_CHECKING:
    from collections.abc import Iterator

GAP_WORDS = 2**12
"""The greatest number of words that are run to find the score gap of a hard head."""

Number = Any
"""A Fraction where every constant of the model is rational, else a ball."""
Row = Mapping[str, Fraction]


class Pair(NamedTuple):
    """An error after some part, by our constants and by those of the papers."""

    ours: Number
    papers: Number


@dataclass(frozen=True)
class Part:
    """A sublayer: its name for the table, what it does to an error, and the statements that say so.

    `grow` gets the error before the part and a function that makes numbers of Fractions; `exact` where it needs no
    balls.
    """

    label: str
    grow: Callable[[Pair, Callable[[Fraction], Number]], Pair]
    proofs: tuple[str, ...]
    exact: bool = True


def error_propagation(
    model: str | Transformer,
    delta: str | int | Fraction,
    n: int | str | None = None,
    values: str | Mapping[str, Any] | None = None,
    digits: int | str = 30,
) -> Bound:
    """How much an error of size delta in the embedding can have grown after the last layer.

    model: a recipe, a model file, or a model. delta: positive and rational: at every position the L1 norm of the change
    of the residual stream is at most delta. n: the length of the input, needed where a head has scores that are not
    zero. values: arguments of the recipe and values of its symbols, as "eps=1/8". The answer's `value` is a bound on
    the L1 norm of the change at every position after the last layer, `claimed` the same with the papers' constants.
    It is an upper bound for all such changes; that some change reaches it is not claimed.

    Why our constants hold, for an error e before a part and its residual connection (|A| has the absolute entries of A,
    and a column sum is the sum of one column of |A|):

    feed-forward: a hidden unit moves by at most |W1| times the change, relu does not increase that, so that the output
    moves by at most the greatest column sum of |W2| |W1|: e becomes (1 + L) e. The papers: d^2 p^2 + 1 (Lemma 30), with
    d the greatest of width, hidden units and key size, and p the greatest size of a parameter, at least 1.

    attention with weights that stay: values are averaged, and V does not increase the L1 norm by more than its greatest
    column sum c: (1 + c) e; the papers: (d p + 1) e (Lemma 33 without change of weights). Weights stay where all scores
    are zero, and under hard attention where each maximum is unique and its gap to the other scores is more than twice
    what a score can move.

    a score is x M z with M = scale/temperature K^T Q. For stream vectors of norm at most X it moves by at most
    T = mu (2 X e + e^2), mu the greatest entry of |M|: each product in x M z - u M v = x M (z - v) + (x - u) M z -
    (x - u) M (z - v) is at most mu times two L1 norms. The papers: 3 d^2 p^2 h_max e times scale/temperature for e <= 1
    (Lemma 31, where the scale is 1/sqrt(d)); h_max is at most max(1, X).

    softmax: weights of scores that move by at most T move by at most 2 tanh(T/2) in the L1 norm, reached at n = 2; the
    papers: 4 T (Lemma 32). The output moves by c (2 tanh(T/2) X + e); the papers: d p (d h_max 4 T + e).

    layer norm with epsilon > 0: 2 d (d + 1) max|gain|/sqrt(epsilon) for both, the papers give no constant.

    X is bounded from the embeddings of all tokens at length n in the same way, or, where a hard head makes it
    necessary to run all words of length n, taken from these runs.

    Raises BadInput for delta or n out of range, a symbol without a value, an activation other than relu, layer norm
    with epsilon = 0, a hard head without a score gap or with one that the error can close, rows of inputs where scores
    matter, and an error above 1 before softmax (Lemma 31). Source: yang2026, Lemmas 28 to 33; Cookbook, Section 7.2.
    """
    wanted = check_digits(digits)
    chosen, name = read_model(model, values)
    start = rational_positive(delta, "delta")
    length = None if n is None else count(n, "n")
    if length is not None and chosen.pointwise and length != 1:
        raise BadInput(f"{name} is a feed-forward recipe, which has no length", f"n = {length}", "leave --n out")
    if length is not None:
        chosen.check_length(length + chosen.embedding.added)
    parts = _Plan(chosen, name, start, length).parts()
    if all(part.exact for part in parts):
        table = _run(parts, start, lambda q: q)
        shown = [Pair(*(_exact_ball(v, wanted) for v in row)) for row in table]
        holds: bool | None = table[-1].ours <= table[-1].papers
        value, claimed = shown[-1]
    else:
        shown = []
        for k in range(len(parts) + 1):
            sides = (
                refine(
                    lambda k=k, s=s: arb_of(_run(parts[:k], start, arb_of)[k][s]),
                    wanted,
                    relative=True,
                    what="the bound",
                )
                for s in (0, 1)
            )
            shown.append(Pair(*(ball(side, wanted, relative=True) for side in sides)))
        value, claimed = shown[-1]

        def slack() -> flint.arb:
            last = _run(parts, start, arb_of)[-1]
            return last.papers - last.ours

        holds = decided(slack, wanted, "our bound <= the papers' bound")
    labels = ["embedding", *(part.label for part in parts)]
    given: dict[str, int | bool | str] = {"model": name, "delta": str(start)}
    if length is not None:
        given["n"] = length
    return Bound(
        kind="error",
        parameters=given,
        value=value,
        claimed=claimed,
        holds=holds,
        attained=False,
        where="an upper bound for every such change",
        source="yang2026, Lemmas 28 to 33; Cookbook, Section 7.2",
        labels=("our constants", "papers' constants"),
        proofs=tuple(dict.fromkeys(proof for part in parts for proof in part.proofs)),
        extra={f"after {label}": f"{a.mid} (papers {b.mid})" for label, (a, b) in zip(labels, shown, strict=True)},
    )


def _exact_ball(value: Fraction, digits: int) -> Ball:
    return ball(refine(lambda: arb_of(value), digits, relative=True), digits, relative=True)


def _run(parts: Sequence[Part], start: Fraction, number: Callable[[Fraction], Number]) -> list[Pair]:
    """The errors after the embedding and after each part."""
    table = [Pair(number(start), number(start))]
    for part in parts:
        table.append(part.grow(table[-1], number))
    return table


def _seen(norms: Sequence[Part], e: Pair, number: Callable[[Fraction], Number]) -> Pair:
    """The error of what several norms side by side write."""
    parts = [norm.grow(e, number) for norm in norms]
    return Pair(*(sum((p[s] for p in parts[1:]), parts[0][s]) for s in (0, 1)))


def column_sum(rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """The greatest sum of one column's absolute entries: the operator norm for the L1 norm."""
    return max((sum((abs(e) for e in column), Fraction(0)) for column in zip(*rows, strict=True)), default=Fraction(0))


def _rows(matrix: Any) -> list[list[Fraction]]:
    return [[entry(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def _product(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*right, strict=True)]
        for row in left
    ]


def _sizes(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [[abs(e) for e in row] for row in rows]


class _Plan:
    """The parts of a model with their constants; `size` bounds the L1 norm of the stream before the next part."""

    def __init__(self, model: Transformer, name: str, delta: Fraction, length: int | None) -> None:
        self.model, self.name, self.delta, self.length = model, name, delta, length
        self.runs: list[list[Mapping[str, Sequence[Any]]]] | None = None
        self.so_far: list[Part] = []
        self.size: Fraction | None = None
        self.width, self.greatest = self._paper_sizes()
        if any(not head.uniform for head in self._heads()):
            if model.embedding.inputs is not None:
                must = "a model with scores must read words, so that its activations are bounded"
                raise BadInput(must, f"{name} reads rows of numbers")
            if length is None:
                raise BadInput(f"{name} has scores, so that the length must be given", "none", "give for example --n 8")
            self.size = self._embedded(length)

    def _heads(self) -> Iterator[Head]:
        for layer in self.model.layers:
            if layer.attention is not None:
                yield from layer.attention.heads

    def _paper_sizes(self) -> tuple[int, Fraction]:
        """d and p_max of the papers."""
        sizes, entries = [len(self.model.space)], [Fraction(1)]
        for layer in self.model.layers:
            for part in layer.parts():
                for rows in map(_rows, part.matrices().values()):
                    sizes.append(len(rows))
                    entries += [abs(e) for row in rows for e in row]
        return max(sizes), max(entries)

    def _embedded(self, length: int) -> Fraction:
        embedding = self.model.embedding
        places = range(embedding.start, embedding.start + length + embedding.added)
        best = Fraction(0)
        for i in places:
            here = {c: at_position(e, i, len(places)) for c, e in embedding.positions.items()}
            for row in (embedding.words or {}).values():
                total = sum((abs(entry(row.get(c, 0)) + here.get(c, 0)) for c in {*row, *here}), Fraction(0))
                best = max(best, total)
        return best

    def parts(self) -> list[Part]:
        place = 0
        for number, layer in enumerate(self.model.layers, 1):
            for block, norms in layer.blocks():
                what = "feed-forward" if isinstance(block, FeedForward) else "attention"
                self.so_far.append(self._block(f"layer {number} {what}", block, norms, layer.placement, place))
                place += 1
        if self.model.final_norm is not None:
            self.so_far.append(self._normed("final norm", self.model.final_norm))
        return self.so_far

    def _block(self, label: str, block: Any, norms: Sequence[LayerNorm], placement: str, place: int) -> Part:
        before, size = [], self.size
        if placement not in ("none", "post"):
            before = [self._norm(norm) for norm in norms]
            size = sum((_norm_size(norm) for norm in norms), Fraction(0))
        inner = (
            self._feedforward(block)
            if isinstance(block, FeedForward)
            else self._attention(label, block, size, place, before)
        )
        if self.size is not None:
            assert size is not None
            self.size += _block_size(block, size)
        after = self._norm(norms[0]) if placement == "post" else None
        if after is not None and self.size is not None:
            self.size = _norm_size(norms[0])

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            added = inner.grow(_seen(before, e, number) if before else e, number)
            whole = Pair(e.ours + added.ours, e.papers + added.papers)
            return whole if after is None else after.grow(whole, number)

        every = [*before, inner, *([] if after is None else [after])]
        proofs = tuple(proof for part in every for proof in part.proofs)
        return Part(label, grow, (*proofs, "cookbook.s7.2.prop7.4"), all(part.exact for part in every))

    def _feedforward(self, block: FeedForward) -> Part:
        if block.activation != "relu":
            raise BadInput("the activation must be relu, whose Lipschitz constant is 1", block.activation)
        ours = column_sum(_product(_sizes(_rows(block.W2)), _sizes(_rows(block.W1)))) if block.hidden else Fraction(0)
        papers = (self.width * self.greatest) ** 2
        return Part(
            "",
            lambda e, number: Pair(number(ours) * e.ours, number(papers) * e.papers),
            ("lem.ffn_columns", "yang2026.lemma30"),
        )

    def _attention(
        self, label: str, block: SelfAttention, size: Fraction | None, place: int, before: Sequence[Part]
    ) -> Part:
        heads = [self._head(label, head, size, place, before) for head in block.heads]

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            added = [head.grow(e, number) for head in heads]
            return Pair(*(sum((a[s] for a in added[1:]), added[0][s]) for s in (0, 1)))

        return Part("", grow, tuple(p for head in heads for p in head.proofs), all(head.exact for head in heads))

    def _head(self, label: str, head: Head, size: Fraction | None, place: int, before: Sequence[Part]) -> Part:
        ours, papers = column_sum(_rows(head.V)), self.width * self.greatest
        mean = ("lem.mean_close", "lem.norm_columns", "yang2026.lemma33")
        if head.uniform or head.weighting != "softmax":
            if not head.uniform:
                self._check_gap(label, head, place, bool(before))
                mean = ("lem.argmax_kept", "lem.bilinear_close", *mean)
            return Part("", lambda e, number: Pair(number(ours) * e.ours, number(papers) * e.papers), mean)
        assert size is not None
        bound, greatest = size, max(size, Fraction(1))
        factor = self._factor(head)
        mu = max(abs(e) for row in _form(head) for e in row)
        d, p = self.width, self.greatest

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            scaled = factor()
            score = scaled * number(mu) * (2 * number(bound) * e.ours + e.ours * e.ours)
            weights = 2 * (score / 2).tanh()
            claimed = scaled * number(3 * d**2 * p**2 * greatest) * e.papers
            return Pair(
                number(ours) * (number(bound) * weights + e.ours),
                number(d * p) * (number(d * greatest) * 4 * claimed + e.papers),
            )

        def small() -> flint.arb:
            e = _run(self.so_far, self.delta, arb_of)[-1]
            return 1 - (_seen(before, e, arb_of) if before else e).papers

        if decide_sign(small, f"the error before {label} is at most 1") < 0:
            must = f"the error before {label} must be at most 1 by the papers' constants (Lemma 31)"
            raise BadInput(must, f"delta = {self.delta}", "give a smaller delta")
        proofs = ("lem.bilinear_close", "lem.sm_distance_sharp", *mean, "yang2026.lemma31", "yang2026.lemma32.ratio")
        return Part("", grow, proofs, exact=False)

    def _factor(self, head: Head) -> Callable[[], flint.arb]:
        """scale/temperature, the greatest over the positions, as a ball."""
        embedding = self.model.embedding
        assert self.length is not None
        n = self.length + embedding.added
        tree = tree_from_sympy(head.scale / head.temperature)

        def factor() -> flint.arb:
            found = [evaluate(tree, {"i": i, "n": n}) for i in range(embedding.start, embedding.start + n)]
            best = found[0]
            for other in found[1:]:
                best = best.max(other)
            return best

        return factor

    def _normed(self, label: str, norm: LayerNorm) -> Part:
        part = self._norm(norm)
        return Part(label, part.grow, part.proofs, part.exact)

    def _norm(self, norm: LayerNorm) -> Part:
        epsilon = entry(norm.epsilon)
        if epsilon <= 0:
            raise BadInput(
                "layer norm must have epsilon > 0, since it is not Lipschitz without", f"epsilon = {epsilon}"
            )
        d = len(norm.writes)
        gain = max((abs(e) for row in _rows(norm.gain) for e in row), default=Fraction(0))
        projected = Fraction(1) if norm.projection is None else column_sum(_rows(norm.projection))
        constant = 2 * d * (d + 1) * gain * projected
        root = _root(epsilon)

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            below = number(root) if root is not None else arb_of(epsilon).sqrt()
            return Pair(number(constant) * e.ours / below, number(constant) * e.papers / below)

        return Part("", grow, ("cookbook.s6.4.ln_lipschitz", "cookbook.s7.2.prop7.5"), exact=root is not None)

    def _check_gap(self, label: str, head: Head, place: int, normed: bool) -> None:
        """BadInput unless at every position of every word the maximum is unique and the error cannot reach it."""
        if normed or any(not part.exact for part in self.so_far):
            raise BadInput(
                f"{label} must see exact scores", "scores behind softmax or a layer norm", "no gap is computed for it"
            )
        runs = self._traces()
        M = _form(head)
        least: Fraction | None = None
        largest = Fraction(0)
        for stages in runs:
            columns = stages[place]
            length = len(next(iter(columns.values())))
            rows = [[columns[c][i] if c in columns else Fraction(0) for c in head.reads] for i in range(length)]
            largest = max([largest, *(sum((abs(v[i]) for v in columns.values()), Fraction(0)) for i in range(length))])
            images = [_product(M, [[e] for e in row]) for row in rows]
            for i in range(length):
                seen = [
                    sum((a * b[0] for a, b in zip(rows[i], images[j], strict=True)), Fraction(0))
                    for j in visible(head.mask, i, length)
                ]
                if len(seen) > 1:
                    first, second = sorted(seen)[-1:-3:-1]
                    if first == second:
                        must = (
                            f"a hard head must have a score gap at every position, and {label} of {self.name} has none"
                        )
                        raise BadInput(must, f"a tie at position {self.model.embedding.start + i}", "errors break ties")
                    least = first - second if least is None else min(least, first - second)
        if least is None:
            return
        e = _run(self.so_far, self.delta, lambda q: q)[-1].ours
        moved = max(abs(a) for row in M for a in row) * (2 * largest * e + e * e)
        if 2 * moved >= least:
            must = f"delta must be so small that the scores of {label} keep their maxima: the gap is {least}"
            raise BadInput(must, f"scores that move by up to {moved}", "give a smaller delta")

    def _traces(self) -> list[list[Mapping[str, Sequence[Any]]]]:
        """The stream before each part, for every word of the length."""
        if self.runs is None:
            assert self.length is not None
            words = words_of_length(self.model, self.length, GAP_WORDS, self.name)
            try:
                steps = (forward(self.model, word, Exact(), trace=True).steps for word in words)
                self.runs = [[step.columns for step in one] for one in steps]
            except NotExact as error:
                raise BadInput(f"the scores of {self.name} must be rational", str(error)) from None
        return self.runs


def _form(head: Head) -> list[list[Fraction]]:
    """K^T Q, so that the score of i and j is x_j (K^T Q) x_i; rows belong to the key."""
    Q, K = _rows(head.Q), _rows(head.K)
    size = range(len(head.reads))
    return [[sum((K[d][b] * Q[d][a] for d in range(len(Q))), Fraction(0)) for a in size] for b in size]


def _block_size(block: SelfAttention | FeedForward, size: Fraction) -> Fraction:
    """A bound of the L1 norm of what a block adds to the stream, for what it reads of norm at most `size`."""
    if isinstance(block, SelfAttention):
        return sum((column_sum(_rows(head.V)) * size for head in block.heads), Fraction(0))
    W1, W2 = _sizes(_rows(block.W1)), _sizes(_rows(block.W2))
    bias = sum((row[0] for row in _product(W2, _sizes(_rows(block.b1)))), Fraction(0)) if block.hidden else Fraction(0)
    gain = column_sum(_product(W2, W1)) if block.hidden else Fraction(0)
    return gain * size + bias + sum((abs(row[0]) for row in _rows(block.b2)), Fraction(0))


def _norm_size(norm: LayerNorm) -> Fraction:
    """d sum|gain| + sum|bias|: a normalised entry is at most d in size."""
    gain, bias = (sum((abs(row[0]) for row in _rows(m)), Fraction(0)) for m in (norm.gain, norm.bias))
    return len(norm.writes) * gain + bias


def _root(value: Fraction) -> Fraction | None:
    """The square root where it is rational."""
    p, q = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(p, q) if p * p == value.numerator and q * q == value.denominator else None
