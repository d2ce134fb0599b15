"""How far an error of a given L1 norm can grow: constants of each sublayer, by our bounds and by those of the papers.

Why our constants hold, for an error e before a sublayer and its residual connection (|A| has the absolute entries of A,
and a column sum is the sum of one column of |A|):

feed-forward: a hidden unit moves by at most |W1| times the change, and relu does not increase that. So the output moves
by at most L e, with L the largest column sum of |W2| |W1|, and e becomes (1 + L) e. The papers: d^2 p^2 + 1 (Lemma 30),
with d the largest of width, hidden units and key size, and p the largest size of a parameter, at least 1.

attention whose weights do not change: values are averaged, and V does not increase the L1 norm by more than its largest
column sum c: (1 + c) e; the papers: (d p + 1) e (Lemma 33 without change of weights). Weights do not change if
all scores are zero, and in hard attention if each maximum is unique and its gap to the other scores is more than twice
the largest change of a score.

a score of query x and key z is x M z with M = scale/temperature Q^T K. For stream vectors of norm at most X it
moves by at most T = mu (2 X e + e^2), mu the largest entry of |M|: each product in x M z - u M v = x M (z - v) +
(x - u) M z - (x - u) M (z - v) is at most mu times two L1 norms. The papers: 3 d^2 p^2 h_max e times
scale/temperature for e <= 1 (Lemma 31, where the scale is 1/sqrt(d)); h_max is at most max(1, X).

softmax: weights of scores that move by at most T move by at most 2 tanh(T/2) in the L1 norm, reached at n = 2; the
papers: 4 T (Lemma 32). The output moves by c (2 tanh(T/2) X + e); the papers: d p (d h_max 4 T + e).

layer norm with epsilon > 0: sqrt((1 - 1/d) sum(gain^2)/epsilon), see `normed_change`. The papers give no constant;
2 d (d + 1) max|gain|/sqrt(epsilon) is used in its place.

X is bounded in the same way, from the embeddings of all tokens at length n. For a hard head with scores, for which all
strings of length n are run, X is the maximum in these runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import arb, fmpq

from symcook.bounds.arguments import entry, words_of_length, written
from symcook.domains.ball import BallValue
from symcook.domains.exact import Exact, at_position
from symcook.domains.rowwise import visible
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.model.parts import FeedForward, Head, LayerNorm, SelfAttention, Sublayer
from symcook.model.reads import PartsRead
from symcook.model.symbols import from_sympy, tree_from_sympy
from symcook.model.transformer import Transformer
from symcook.numbers.evaluate import evaluate
from symcook.numbers.roots import rational_root
from symcook.present import present

if TYPE_CHECKING:
    import sympy

READS = PartsRead("the bound of errors")


class BothErrors(NamedTuple):
    """An error by our constants, and by those of the papers. Each is rational if all constants so far are, else a
    ball."""

    ours: BallValue
    papers: BallValue

    def __add__(self, other: BothErrors) -> BothErrors:  # type: ignore[override]
        return BothErrors(self.ours + other.ours, self.papers + other.papers)

    def times(self, ours: BallValue, papers: BallValue) -> BothErrors:
        """Both errors, multiplied by one constant each."""
        return BothErrors(ours * self.ours, papers * self.papers)


def part_name(step: Sublayer) -> str:
    """The name of a sublayer in a table. A final norm, which is in no layer, is called by its kind only."""
    return step.kind if step.block is None else f"layer {step.layer} {step.kind}"


class GrowthPart(NamedTuple):
    """The error after a sublayer: its name in the table, the error, and ids of the statements that prove the bound."""

    label: str
    error: BothErrors
    proofs: tuple[str, ...] = ()


class Growth:
    """How an error grows in a model. If a head has scores, `size` bounds the L1 norm of the residual stream before the
    next sublayer; else it is None."""

    def __init__(self, model: Transformer, name: str, delta: Fraction, length: int | None) -> None:
        self.model, self.name, self.delta, self.length = model, name, delta, length
        blocks = [step.block for step in READS.of(model).sublayers]
        # Only relu is known to have the Lipschitz constant 1.
        for block in blocks:  # checked before the weights, which may be irrational too
            if isinstance(block, FeedForward) and block.activation != "relu":
                do = "symcook bound gelu-relu has the error of GELU" if block.activation.startswith("gelu") else None
                raise BadInput("the activation must be relu, whose Lipschitz constant is 1", block.activation, do)
        self.width, self.greatest = self._paper_sizes()
        self.gaps: dict[int, ScoreGap] = {}
        # Heads with scores need a bound on the size of the residual stream, and so strings of a known length.
        self.start: Fraction | None = None
        if any(not head.uniform for block in blocks if isinstance(block, SelfAttention) for head in block.heads):
            if model.embedding.inputs is not None:
                must = "a model with attention scores must read strings: only then are its activations bounded"
                raise BadInput(must, f"{name} reads rows of numbers", "give a model over strings")
            if length is None:
                raise BadInput(
                    f"{name} has attention scores, so its bound needs the length n of the strings",
                    "none",
                    "give for example --n 8",
                )
            self.start = self._embedded(length)

    def parts(self) -> list[GrowthPart]:
        """The error after the embedding and after each sublayer, at flint's precision."""
        self.size = self.start
        errors = [GrowthPart("embedding", BothErrors(_flint(self.delta), _flint(self.delta)))]
        for step in READS.of(self.model).sublayers:
            errors.append(self._after(step, errors[-1].error))
        return errors

    def _paper_sizes(self) -> tuple[int, Fraction]:
        """(d, p_max) of the papers: the largest size of a matrix, and the largest absolute value of a parameter, at
        least 1."""
        sizes, entries = [len(self.model.space)], [Fraction(1)]
        for step in READS.of(self.model).sublayers:
            for part in step.all_parts if step.block is not None else ():
                for rows in map(rows_of, part.matrices().values()):
                    sizes.append(len(rows))
                    entries += [abs(e) for row in rows for e in row]
        return max(sizes), max(entries)

    def _embedded(self, length: int) -> Fraction:
        """The largest L1 norm of an embedded position, over all tokens and positions."""
        embedding = self.model.embedding
        places = range(embedding.start, embedding.start + length + embedding.added)
        largest = Fraction(0)
        for i in places:
            position_entries = {c: at_position(e, i, len(places)) for c, e in embedding.places.items()}
            for row in (embedding.words or {}).values():
                coordinates = {*row, *position_entries}
                total = sum((abs(entry(row.get(c, 0)) + position_entries.get(c, 0)) for c in coordinates), Fraction(0))
                largest = max(largest, total)
        return largest

    def _after(self, step: Sublayer, error: BothErrors) -> GrowthPart:
        """The error after a sublayer with its residual connection and the norm that follows; updates `size`. BadInput
        or Undecided if there is no bound."""
        label, proofs = part_name(step), list[str]()
        if step.block is not None:
            # The block reads the residual stream, or the norms before it, whose sizes and errors add up.
            size, error_seen = self.size, error
            if step.before:
                size = sum((normed_size(norm) for norm in step.before), Fraction(0))
                first, *others = [self._normed(error, norm, proofs) for norm in step.before]
                error_seen = sum(others, first)
            # The error that it adds: by the constants of the feed-forward sublayer, or head by head.
            if isinstance(step.block, FeedForward):
                proofs += ["lem.ffn_columns", "yang2026.lemma30"]
                added = [error_seen.times(_flint(change_of(step.block)), _flint((self.width * self.greatest) ** 2))]
            else:
                added = [self._attended(label, head, step, size, error_seen, proofs) for head in step.block.heads]
            error = sum(added, error)
            # The residual stream grows by what the block adds.
            if self.size is not None:
                self.size += added_size(step.block, present(size))
        if step.after is not None:
            error = self._normed(error, step.after, proofs)
            self.size = None if self.size is None else normed_size(step.after)
        return GrowthPart(label, error, (*proofs, "cookbook.s7.2.prop7.4") if step.block is not None else tuple(proofs))

    def _normed(self, error: BothErrors, norm: LayerNorm, proofs: list[str]) -> BothErrors:
        """The error after a norm; adds the statements used to `proofs`."""
        proofs += ["lem.norm_layernorm", "cookbook.s6.4.ln_lipschitz.corrected", "cookbook.s7.2.prop7.5"]
        return error.times(*map(_root, normed_change(norm)))

    def _attended(
        self, label: str, head: Head, step: Sublayer, size: Fraction | None, seen: BothErrors, proofs: list[str]
    ) -> BothErrors:
        """The error that a head adds, if it reads an error of `seen` and vectors of L1 norm at most `size`; adds the
        statements used to `proofs`."""
        ours, papers = _flint(column_sum(rows_of(head.V))), _flint(self.width * self.greatest)
        mu = max((abs(e) for row in score_form(head) for e in row), default=Fraction(0))
        mean = ["lem.mean_close", "lem.norm_columns", "yang2026.lemma33"]
        # 1. The weights do not change: all scores are zero, or the gap of hard attention is large enough.
        if not mu or head.weighting != "softmax":
            if mu:
                self._check_gap(label, head, step, seen.ours, mu)
                proofs += ["lem.argmax_kept", "lem.bilinear_close"]
            proofs += mean
            return seen.times(ours, papers)
        # 2. Softmax: the constant of Lemma 31 holds only for errors of at most 1.
        size = present(size)
        proofs += ["lem.bilinear_close", "lem.sm_distance_sharp", *mean, "yang2026.lemma31", "yang2026.lemma32.ratio"]
        if not seen.papers <= 1:
            if not seen.papers > 1:
                raise Undecided(f"whether the error before {label} is at most 1 is undecided")
            must = f"the error before {label} must be at most 1 by the papers' constants (Lemma 31)"
            raise BadInput(must, f"delta = {written(self.delta)}", "give a smaller delta")
        # `weights` bounds the change of the weights by our constants, `claimed` that of the scores by the papers'.
        scaled, bound, greatest = self._factor(head), _flint(size), _flint(max(size, Fraction(1)))
        weights = 2 * arb(_score_change(scaled * _flint(mu), bound, seen.ours) / 2).tanh()
        claimed = scaled * 3 * papers**2 * greatest * seen.papers
        return BothErrors(
            ours * (bound * weights + seen.ours), papers * (self.width * greatest * 4 * claimed + seen.papers)
        )

    def _factor(self, head: Head) -> arb:
        """scale/temperature, the largest over the positions."""
        start = self.model.embedding.start
        n = present(self.length) + self.model.embedding.added
        tree = tree_from_sympy(head.scale / head.temperature)
        best = arb(0)
        for i in range(start, start + n):
            factor = evaluate(tree, {"i": i, "n": n})
            if factor < 0:
                where = f"{from_sympy(head.temperature)} at i = {i}, n = {n}"
                raise BadInput(
                    "a temperature must be positive", where, "give temperatures that are positive at every position"
                )
            best = best.max(factor)
        return best

    def _check_gap(self, label: str, head: Head, step: Sublayer, error: BallValue, mu: Fraction) -> None:
        """BadInput unless, at every position of every string, the maximum is unique and stays the maximum under the
        error."""
        # The gap is computed from exact runs. After softmax or a norm, values are not rational.
        if step.before or not isinstance(error, fmpq):
            raise BadInput(
                f"the scores of {label} must be exact, before any softmax or layer norm, to have a score gap",
                "scores after softmax or a layer norm",
                "give a model whose hard heads come before softmax and layer norm",
            )
        if id(head) not in self.gaps:
            before = streams(self.model, step.layer - 1, present(self.length), self.name)
            self.gaps[id(head)] = score_gap(head, before, self.model.embedding.start, f"{label} of {self.name}")
        gap = self.gaps[id(head)]
        # Two scores may move towards each other, each by at most `moved`.
        moved: Any = _score_change(_flint(mu), _flint(gap.size), error)
        if gap.least is not None and 2 * moved >= _flint(gap.least):
            must = f"delta must be so small that the scores of {label} keep their maxima"
            distance = Fraction(int(moved.p), int(moved.q))
            shown_gap = f"a gap of {written(gap.least)}, scores that move by up to {written(distance)}"
            raise BadInput(must, shown_gap, "give a smaller delta")


def _score_change(mu: BallValue, size: BallValue, error: BallValue) -> BallValue:
    """The largest change of x M z, if x and z, of L1 norm at most `size`, change by at most `error`; `mu` is the
    largest absolute entry of M."""
    return mu * (2 * size * error + error * error)


def _flint(value: Fraction | int) -> fmpq:
    """An exact number as one of flint."""
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def _root(square: Fraction) -> BallValue:
    """The root of a rational number: exact if it is rational, else a ball."""
    exact = rational_root(square)
    return arb(_flint(square)).sqrt() if exact is None else _flint(exact)


FractionRows = Sequence[Sequence[Fraction]]
"""A matrix by rows."""


def rows_of(matrix: sympy.MatrixBase) -> list[list[Fraction]]:
    """A matrix of a block as rows of Fractions; BadInput if an entry is irrational."""
    return [[entry(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def sizes(rows: FractionRows) -> list[list[Fraction]]:
    """The absolute values of the entries."""
    return [[abs(e) for e in row] for row in rows]


def product(left: FractionRows, right: FractionRows) -> list[list[Fraction]]:
    """The product of two matrices."""
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*right, strict=True)]
        for row in left
    ]


def column_sum(rows: FractionRows) -> Fraction:
    """The largest sum of one column's absolute entries: the operator norm for the L1 norm."""
    return max((sum((abs(e) for e in column), Fraction(0)) for column in zip(*rows, strict=True)), default=Fraction(0))


def score_form(head: Head) -> list[list[Fraction]]:
    """F = Q^T K: the score of query i and key j is x_i F x_j, before scale and temperature. r x r, r = len(reads)."""
    Q, K = rows_of(head.Q), rows_of(head.K)
    size = range(len(head.reads))
    return [[sum((Q[d][a] * K[d][b] for d in range(len(Q))), Fraction(0)) for b in size] for a in size]


def change_of(block: FeedForward) -> Fraction:
    """The largest factor by which a feed-forward layer with relu multiplies a change: the largest column sum of |W2|
    |W1|."""
    return column_sum(product(sizes(rows_of(block.W2)), sizes(rows_of(block.W1)))) if block.hidden else Fraction(0)


def added_size(block: SelfAttention | FeedForward, size: Fraction) -> Fraction:
    """A bound of the L1 norm of the output of a block, if its input has L1 norm at most `size`."""
    if isinstance(block, SelfAttention):
        return sum((column_sum(rows_of(head.V)) * size for head in block.heads), Fraction(0))
    b1, b2 = sizes(rows_of(block.b1)), sizes(rows_of(block.b2))
    inner = product(sizes(rows_of(block.W2)), b1) if block.hidden else []
    return change_of(block) * size + sum((row[0] for row in (*inner, *b2)), Fraction(0))


def normed_size(norm: LayerNorm) -> Fraction:
    """A bound of the L1 norm after a norm: d sum|gain| + sum|bias|, since a normalised entry is at most d in absolute
    value."""
    gain, bias = (sum((abs(row[0]) for row in rows_of(m)), Fraction(0)) for m in (norm.gain, norm.bias))
    return len(norm.writes) * gain + bias


def normed_change(norm: LayerNorm) -> tuple[Fraction, Fraction]:
    """The squares of two bounds of the factor by which a layer norm multiplies a change: ours, and
    2 m (m + 1) c max|gain|/sqrt(epsilon).

    With m entries and c the largest column sum of the projection (1 without one), the first is c^2 (1 - 1/m)
    sum(gain^2)/epsilon (`lem.norm_layernorm`): normalising shortens a change in the Euclidean norm to at most
    1/sqrt(epsilon) of it, the mean takes its share 1/m, and Cauchy's inequality with the gain goes back to the L1 norm.
    Equal gains g give |g| sqrt((m - 1)/epsilon), which is reached for m = 2. For larger m the best constant is smaller,
    by a factor of at most sqrt(27). (At small entries a change along one coordinate grows by 2 (1 - 1/m). For few
    entries that is the best constant, but not for 64, where other entries reach 2.03.) BadInput if epsilon is 0.
    """
    epsilon = entry(norm.epsilon)
    if epsilon <= 0:
        raise BadInput(
            "layer norm must have epsilon > 0 to be Lipschitz continuous",
            "epsilon = 0",
            "give the layer norm a positive epsilon",
        )
    m = len(norm.writes)
    gains = [abs(row[0]) for row in rows_of(norm.gain)]
    projected = Fraction(1) if norm.projection is None else column_sum(rows_of(norm.projection))
    good = projected**2 * Fraction(m - 1, m) * sum((g * g for g in gains), Fraction(0)) / epsilon
    return good, (2 * m * (m + 1) * max(gains) * projected) ** 2 / epsilon


GAP_WORDS = 2**12
"""The largest number of strings that are run to find the score gap of a hard head."""

StreamValues = list[dict[str, Fraction]]
"""The residual stream: for each position the value of each coordinate."""


class ScoreGap(NamedTuple):
    """The score gap of a hard head over all strings of a length."""

    least: Fraction | None
    """The smallest difference of the two largest scores of a row; None if no row sees two positions."""
    size: Fraction
    """The largest L1 norm of the residual stream before the head."""


def streams(model: Transformer, layers: int, length: int, name: str) -> list[StreamValues]:
    """The residual stream after the first `layers` layers, for every string of `length` input symbols.

    Only these layers are run, since later values may be irrational. BadInput for more than GAP_WORDS strings, and if a
    value is irrational.
    """
    first = replace(model, layers=READS.of(model).layers[:layers], final_norm=None)
    runs = []
    try:
        for word in words_of_length(model, length, GAP_WORDS, name):
            columns = forward(first, model.tokens(word), Exact(), trace=True, weights=False).steps[-1].columns
            rows = range(length + model.embedding.added)
            runs.append([{c: _rational(column[i]) for c, column in columns.items()} for i in rows])
    except NotExact as error:
        raise BadInput(
            f"the scores of {name} must be rational", str(error), "give a model with rational scores"
        ) from None
    return runs


def _rational(value: object) -> Fraction:
    """An exact value as a Fraction; NotExact if it is irrational."""
    if not isinstance(value, (int, Fraction)):
        raise NotExact(
            "the residual stream before a hard head must be rational",
            value,
            "give a model whose hard heads come before softmax and layer norm",
        )
    return Fraction(value)


def score_gap(head: Head, before: Sequence[StreamValues], start: int, label: str) -> ScoreGap:
    """The gap of a head over the residual streams `before` it; BadInput for a row whose maximum is not unique.

    For the message, `start` is the number of the first position, and `label` the name of the head.
    """
    form = score_form(head)
    least: Fraction | None = None
    for stream in before:
        reads = [[row.get(c, Fraction(0)) for c in head.reads] for row in stream]
        # For each row, the two largest scores that it sees.
        queries = product(reads, form)
        for i, query in enumerate(queries):
            scores = sorted(_dot(query, reads[j]) for j in visible(head.sees, i, len(stream)))
            if len(scores) < 2:
                continue
            gap = scores[-1] - scores[-2]
            if gap == 0:
                must = f"a hard head must have a score gap at every position, and {label} has none"
                raise BadInput(must, f"a tie at position {start + i}", "errors break ties")
            least = gap if least is None else min(least, gap)
    return ScoreGap(least, max(_norm(row) for stream in before for row in stream))


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    """The dot product."""
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _norm(row: Mapping[str, Fraction]) -> Fraction:
    """The L1 norm."""
    return sum((abs(v) for v in row.values()), Fraction(0))
