"""How far an error of a given L1 norm can grow, part by part: constants of the parts, ours and those of the papers.

Why our constants hold, for an error e before a part and its residual connection (|A| has the absolute entries of A,
and a column sum is the sum of one column of |A|):

feed-forward: a hidden unit moves by at most |W1| times the change, relu does not increase that, so that the output
moves by at most the greatest column sum of |W2| |W1|: e becomes (1 + L) e. The papers: d^2 p^2 + 1 (Lemma 30), with
d the greatest of width, hidden units and key size, and p the greatest size of a parameter, at least 1.

attention with weights that stay: values are averaged, and V does not increase the L1 norm by more than its greatest
column sum c: (1 + c) e; the papers: (d p + 1) e (Lemma 33 without change of weights). Weights stay where all scores
are zero, and under hard attention where each maximum is unique and its gap to the other scores is more than twice
what a score can move.

a score of query x and key z is x M z with M = scale/temperature Q^T K. For stream vectors of norm at most X it
moves by at most T = mu (2 X e + e^2), mu the greatest entry of |M|: each product in x M z - u M v = x M (z - v) +
(x - u) M z - (x - u) M (z - v) is at most mu times two L1 norms. The papers: 3 d^2 p^2 h_max e times
scale/temperature for e <= 1 (Lemma 31, where the scale is 1/sqrt(d)); h_max is at most max(1, X).

softmax: weights of scores that move by at most T move by at most 2 tanh(T/2) in the L1 norm, reached at n = 2; the
papers: 4 T (Lemma 32). The output moves by c (2 tanh(T/2) X + e); the papers: d p (d h_max 4 T + e).

layer norm with epsilon > 0: sqrt((1 - 1/d) sum(gain^2)/epsilon), see `normed_change`. The papers give no constant;
2 d (d + 1) max|gain|/sqrt(epsilon) stands for theirs.

X is bounded from the embeddings of all tokens at length n in the same way, or, where a hard head makes it
necessary to run all words of length n, taken from these runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from symcook.bounds.arguments import written
from symcook.bounds.constants import (
    added_size,
    change_of,
    column_sum,
    normed_change,
    normed_size,
    rows_of,
    score_form,
)
from symcook.bounds.gap import moved_scores, score_gap, streams
from symcook.bounds.models import entry
from symcook.domains.exact import at_position
from symcook.errors import BadInput
from symcook.model.layers import SelfAttention, Sublayer
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.symbols import from_sympy, tree_from_sympy
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of, decide_sign
from symcook.numbers.evaluate import evaluate
from symcook.numbers.roots import rational_root

if TYPE_CHECKING:
    from collections.abc import Iterator

Number = Any
"""A Fraction where every constant of the model is rational, else a ball."""
Row = Mapping[str, Fraction]


class Pair(NamedTuple):
    """An error after some part, by our constants and by those of the papers."""

    ours: Number
    papers: Number


@dataclass(frozen=True)
class Growth:
    """A sublayer: its name for the table, what it does to an error, and the statements that say so.

    `grow` gets the error before the part and a function that makes numbers of Fractions; `exact` where it needs no
    balls.
    """

    label: str
    grow: Callable[[Pair, Callable[[Fraction], Number]], Pair]
    proofs: tuple[str, ...]
    exact: bool = True


def run(parts: Sequence[Growth], start: Fraction, number: Callable[[Fraction], Number]) -> list[Pair]:
    """The errors after the embedding and after each part."""
    table = [Pair(number(start), number(start))]
    for part in parts:
        table.append(part.grow(table[-1], number))
    return table


def seen(norms: Sequence[Growth], e: Pair, number: Callable[[Fraction], Number]) -> Pair:
    """The error of what several norms side by side write."""
    parts = [norm.grow(e, number) for norm in norms]
    return Pair(*(sum((p[s] for p in parts[1:]), parts[0][s]) for s in (0, 1)))


def _require_relu(block: FeedForward) -> None:
    if block.activation != "relu":
        do = "symcook bound gelu-relu has the error of GELU" if block.activation.startswith("gelu") else None
        raise BadInput("the activation must be relu, whose Lipschitz constant is 1", block.activation, do)


class Plan:
    """The parts of a model with their constants; `size` bounds the L1 norm of the stream before the next part."""

    def __init__(self, model: Transformer, name: str, delta: Fraction, length: int | None) -> None:
        self.model, self.name, self.delta, self.length = model, name, delta, length
        self.so_far: list[Growth] = []
        self.size: Fraction | None = None
        for step in model.sublayers:  # before their weights, which may be irrational as well
            if isinstance(step.block, FeedForward):
                _require_relu(step.block)
        self.width, self.greatest = self._paper_sizes()
        if any(not head.uniform for head in self._heads()):
            if model.embedding.inputs is not None:
                must = "a model with scores must read words, so that its activations are bounded"
                raise BadInput(must, f"{name} reads rows of numbers")
            if length is None:
                raise BadInput(f"{name} has scores, so that the length must be given", "none", "give for example --n 8")
            self.size = self._embedded(length)

    def _heads(self) -> Iterator[Head]:
        for step in self.model.sublayers:
            yield from (part for part in step.parts if isinstance(part, Head))

    def _paper_sizes(self) -> tuple[int, Fraction]:
        """d and p_max of the papers."""
        sizes, entries = [len(self.model.space)], [Fraction(1)]
        for step in self.model.sublayers:
            for part in step.all_parts if step.block is not None else ():
                for rows in map(rows_of, part.matrices().values()):
                    sizes.append(len(rows))
                    entries += [abs(e) for row in rows for e in row]
        return max(sizes), max(entries)

    def _embedded(self, length: int) -> Fraction:
        embedding = self.model.embedding
        places = range(embedding.start, embedding.start + length + embedding.added)
        best = Fraction(0)
        for i in places:
            here = {c: at_position(e, i, len(places)) for c, e in embedding.places.items()}
            for row in (embedding.words or {}).values():
                total = sum((abs(entry(row.get(c, 0)) + here.get(c, 0)) for c in {*row, *here}), Fraction(0))
                best = max(best, total)
        return best

    def parts(self) -> list[Growth]:
        for step in self.model.sublayers:
            self.so_far.append(self._step(step))
        return self.so_far

    def _step(self, step: Sublayer) -> Growth:
        block, label = step.block, f"layer {step.layer} {step.kind}"
        if block is None:
            assert step.after is not None  # a final norm
            return self._norm(step.after, step.kind)
        size = self.size
        before = [self._norm(norm) for norm in step.before]
        if before:
            size = sum((normed_size(norm) for norm in step.before), Fraction(0))
        inner = (
            self._feedforward(block)
            if isinstance(block, FeedForward)
            else self._attention(label, block, size, step.layer - 1, before)
        )
        if self.size is not None:
            assert size is not None
            self.size += added_size(block, size)
        after = None if step.after is None else self._norm(step.after)
        if step.after is not None and self.size is not None:
            self.size = normed_size(step.after)

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            added = inner.grow(seen(before, e, number) if before else e, number)
            whole = Pair(e.ours + added.ours, e.papers + added.papers)
            return whole if after is None else after.grow(whole, number)

        every = [*before, inner, *([] if after is None else [after])]
        proofs = tuple(proof for part in every for proof in part.proofs)
        return Growth(label, grow, (*proofs, "cookbook.s7.2.prop7.4"), all(part.exact for part in every))

    def _feedforward(self, block: FeedForward) -> Growth:
        ours = change_of(block)
        papers = (self.width * self.greatest) ** 2
        return Growth(
            "",
            lambda e, number: Pair(number(ours) * e.ours, number(papers) * e.papers),
            ("lem.ffn_columns", "yang2026.lemma30"),
        )

    def _attention(
        self, label: str, block: SelfAttention, size: Fraction | None, layers: int, before: Sequence[Growth]
    ) -> Growth:
        heads = [self._head(label, head, size, layers, before) for head in block.heads]

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            added = [head.grow(e, number) for head in heads]
            return Pair(*(sum((a[s] for a in added[1:]), added[0][s]) for s in (0, 1)))

        return Growth("", grow, tuple(p for head in heads for p in head.proofs), all(head.exact for head in heads))

    def _head(self, label: str, head: Head, size: Fraction | None, layers: int, before: Sequence[Growth]) -> Growth:
        ours, papers = column_sum(rows_of(head.V)), self.width * self.greatest
        mean = ("lem.mean_close", "lem.norm_columns", "yang2026.lemma33")
        uniform = not any(e for row in score_form(head) for e in row)
        if uniform or head.weighting != "softmax":
            if not uniform:
                self._check_gap(label, head, layers, bool(before))
                mean = ("lem.argmax_kept", "lem.bilinear_close", *mean)
            return Growth("", lambda e, number: Pair(number(ours) * e.ours, number(papers) * e.papers), mean)
        assert size is not None
        bound, greatest = size, max(size, Fraction(1))
        factor = self._factor(head)
        mu = max(abs(e) for row in score_form(head) for e in row)
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

        def slack(number: Callable[[Fraction], Number]) -> Number:
            e = run(self.so_far, self.delta, number)[-1]
            return number(Fraction(1)) - (seen(before, e, number) if before else e).papers

        if all(part.exact for part in (*self.so_far, *before)):
            large = slack(lambda q: q) < 0
        else:
            large = decide_sign(lambda: slack(arb_of), f"the error before {label} is at most 1") < 0
        if large:
            must = f"the error before {label} must be at most 1 by the papers' constants (Lemma 31)"
            raise BadInput(must, f"delta = {written(self.delta)}", "give a smaller delta")
        proofs = ("lem.bilinear_close", "lem.sm_distance_sharp", *mean, "yang2026.lemma31", "yang2026.lemma32.ratio")
        return Growth("", grow, proofs, exact=False)

    def _factor(self, head: Head) -> Callable[[], flint.arb]:
        """scale/temperature, the greatest over the positions, as a ball."""
        embedding = self.model.embedding
        assert self.length is not None
        n = self.length + embedding.added
        tree = tree_from_sympy(head.scale / head.temperature)

        def factor() -> flint.arb:
            best = flint.arb(0)
            for i in range(embedding.start, embedding.start + n):
                found = evaluate(tree, {"i": i, "n": n})
                if found < 0:
                    where = f"{from_sympy(head.temperature)} at i = {i}, n = {n}"
                    raise BadInput("a temperature must be positive", where)
                best = best.max(found)
            return best

        return factor

    def _norm(self, norm: LayerNorm, label: str = "") -> Growth:
        sharp, papers = normed_change(norm)
        roots = (rational_root(sharp), rational_root(papers))

        def grow(e: Pair, number: Callable[[Fraction], Number]) -> Pair:
            ours, claimed = (
                arb_of(square).sqrt() if exact is None else number(exact)
                for square, exact in zip((sharp, papers), roots, strict=True)
            )
            return Pair(ours * e.ours, claimed * e.papers)

        proofs = ("lem.norm_layernorm", "cookbook.s6.4.ln_lipschitz", "cookbook.s7.2.prop7.5")
        return Growth(label, grow, proofs, exact=None not in roots)

    def _check_gap(self, label: str, head: Head, layers: int, normed: bool) -> None:
        """BadInput unless at every position of every word the maximum is unique and the error cannot reach it."""
        if normed or any(not part.exact for part in self.so_far):
            raise BadInput(
                f"{label} must see exact scores", "scores behind softmax or a layer norm", "no gap is computed for it"
            )
        assert self.length is not None
        before = streams(self.model, layers, self.length, self.name)
        gap = score_gap(head, before, self.model.embedding.start, f"{label} of {self.name}")
        moved = moved_scores(score_form(head), gap.size, run(self.so_far, self.delta, lambda q: q)[-1].ours)
        if gap.least is not None and 2 * moved >= gap.least:
            must = f"delta must be so small that the scores of {label} keep their maxima"
            given = f"a gap of {written(gap.least)}, scores that move by up to {written(moved)}"
            raise BadInput(must, given, "give a smaller delta")
