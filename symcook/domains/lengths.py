"""The forward pass on all strings at once: each coordinate as a table at a generic position i of a string of length n.

Columns are tables of guarded cells (`symcook.domains.tables`). Their values are rational functions of i, n, the counts
of tokens in the string and up to i, and the declared symbols, and of exponentials and roots of such functions. A sum
over positions without a closed form gets a name, and its body and limits are stored. If a rule is missing, or another
error of symcook occurs, the column is `OutOfRules` with a sentence that says so, and so is every column that depends on
it. Results need not be trusted:
the forms are proposed to the prover (`symcook.proof.statements.inturn`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add
from typing import Any, ClassVar

import sympy
from flint import fmpq, fmpq_mpoly

from symcook.domains.field import ONE, ZERO, Value, polynomial_of
from symcook.domains.intervals import NEGATIVE, POSITIVE
from symcook.domains.intervals import ZERO as NULL
from symcook.domains.lengthsums import MOST_PLACES, PositionSums
from symcook.domains.lengthtops import GreatestScores
from symcook.domains.linear import LOG, NoRule, minus
from symcook.domains.names import Affine, I, J, N, count, symbol
from symcook.domains.protocol import Coefficient, unknown_activation, unknown_weighting
from symcook.domains.symbolic import Symbolic
from symcook.domains.tables import CellTable, moved_choice
from symcook.domains.world import GuardedCell, World
from symcook.errors import SymcookError
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.parts import SMOOTH, Mask
from symcook.model.symbols import at
from symcook.model.transformer import Transformer

MOST_RESIDUES = 24
"""The greatest period of a position function; its table has a case for each residue."""
LONG = 12
"""In `named_parts`, a value with more numbers and names than this gets a name."""


@dataclass(frozen=True)
class OutOfRules:
    """A column for which a rule is missing; `why` is a sentence that names it, up to a `value` that it is about."""

    why: str
    value: Any = None


PLACES = {"i": I, "n": N}
"""The names of a position function, as names of forms."""

LengthColumn = CellTable | OutOfRules
"""A column: one coordinate at a generic position."""


class Lengths:
    """The number system of all lengths, for one model. Implements `symcook.domains.protocol.Domain`."""

    name: ClassVar[str] = "lengths"
    length = 1

    def __init__(self, model: Transformer, pointing: Sequence[str] = ()) -> None:
        """`pointing` names inputs that are assumed to be positions of the string; the forms state the assumption."""
        embedding = model.embedding
        # The last symbol has no count of its own. "0" goes last, so that with the symbols 0 and 1 the ones are counted.
        letters = sorted(embedding.alphabet, key=lambda t: t == "0")
        before, after = (added[0] if added else None for added in embedding.ends)
        self.world = World(letters, embedding.start, before, after, model.max_length)
        # Numbers and the model's symbols are computed by the domain of one input; the world shares its field.
        self.engine = Symbolic(model.parameters)
        self.world.field = self.field = self.engine._field
        self.world.exponential, self.world.root, self.world.number = self.engine._exponential, self.root, self.number
        self.world.of_symbols = self.of_symbols
        self.world.moved_choice = lambda one, name, place: moved_choice(self.world, one, name, place)
        self.world.pointing += pointing
        self.assumed = tuple(pointing)
        # The declared ranges of symbols; an irrational end counts as unbounded.
        for p in model.parameters:
            lower, upper = (
                Fraction(int(x.p), int(x.q)) if x is not None and x.is_Rational else None for x in (p.lower, p.upper)
            )
            self.world.positive[symbol(p.name)] = (lower, p.lower_open, upper)
            self.world.take(symbol(p.name), self.field.symbol(p.symbol))
        # Add the usual names to the field now: a later generator may make stored polynomials stale.
        for name in (I, J, N, *(count(a, position) for a in letters[:-1] for position in (None, I, J))):
            self.world.name(name)
        self.sums = PositionSums(self.world)
        self.parameters = model.parameters
        self.unfit = ""
        """What the forms of all later columns need and cannot have; empty if there is no such thing."""
        self.narrowed: Affine | None = None
        """The position that the pass computes only, after `narrow`; None: the generic position i."""
        self.places = GreatestScores(self.world, self.sums)
        self.zero_table = CellTable.of(self.world, ZERO)

    # --- The protocol ---------------------------------------------------------------------------------------------

    def context(self) -> AbstractContextManager[object]:
        return nullcontext()

    def begin(self, sequence: object, start: int) -> None:
        self.narrowed = None
        self.unfit = ""

    def require_positive(self, term: Coefficient, must: str) -> None:
        """A string has a run only if a temperature is positive, as log(n) is from n = 2 on. The least length of the
        world is raised above each n below `MOST_PLACES` at which a term in n alone is not positive. Other terms are not
        tested, and nothing is raised; `must` is not used."""
        if isinstance(term, tuple) and names(term) == {"n"}:
            for n in range(self.world.fewest, MOST_PLACES):
                with suppress(SymcookError):  # at a pole the scores are 0
                    if self.engine._signs.of(self.number(at(term, {"n": n}))) != POSITIVE:
                        if n != self.world.fewest:
                            self.unfit = f"a temperature that is positive for shorter strings, and not at n = {n}"
                            return
                        self.world.fewest = n + 1
                        self.world.forget()

    def embed(self, table: Mapping[str, Coefficient]) -> LengthColumn:
        """The token table: one cell for each value, with the tokens that have it."""
        world, tokens_by_value = self.world, {}
        for token in world.tokens:
            tokens_by_value.setdefault(table.get(token, 0), set()).add(token)
        return self.guarded(
            lambda: CellTable.cases(
                world, ("letter", I), [(frozenset(t), self.number(x)) for x, t in tokens_by_value.items()]
            )
        )

    def input(self, name: str) -> LengthColumn:
        return CellTable.of(self.world, self.world.input(name, ({I: Fraction(1)}, Fraction(0))))

    def positions(self, expression: Coefficient) -> LengthColumn:
        return self.guarded(lambda: self.term(expression), "a position function")

    def units(self, most: int) -> list[LengthColumn]:
        return []

    def linear(self, terms: Sequence[tuple[LengthColumn, Coefficient]], bias: Coefficient) -> LengthColumn:
        out: LengthColumn = self.guarded(lambda: CellTable.of(self.world, self.number(bias)))
        for column, weight in terms:
            out = self.both_of(out, column, lambda a, b, w=weight: a + self.scaled(b, w))
        return out

    def activate(self, column: LengthColumn, kind: str) -> LengthColumn:
        """The activation, with cells split by the sign of the input; out of rules for a gelu."""
        if isinstance(column, OutOfRules):
            return column
        if kind == "relu":
            return self.guarded(lambda: column.split(lambda s, v: v if s > 0 else ZERO, True), "a unit")
        if kind == "step":
            return self.guarded(lambda: column.split(lambda s, v: ONE if s > 0 else ZERO), "a unit")
        if kind not in SMOOTH:
            raise unknown_activation(kind)
        return OutOfRules(f"there is no rule for {kind}")

    def multiply(self, left: LengthColumn, right: LengthColumn) -> LengthColumn:
        return self.both_of(left, right, lambda a, b: a * b)

    def rms_norm(self, columns: Sequence[LengthColumn], epsilon: Coefficient, zero_square: str) -> list[LengthColumn]:
        """x/sqrt(mean of squares + epsilon); out of rules as `layer_norm`."""
        return self._normed(columns, epsilon, lambda tables: tables, "an RMS norm")

    def layer_norm(
        self, columns: Sequence[LengthColumn], epsilon: Coefficient, zero_variance: str
    ) -> list[LengthColumn]:
        """(x - mean)/sqrt(variance + epsilon); out of rules unless variance + epsilon is certainly positive."""

        def centred(tables: list[Any]) -> list[Any]:
            mean = reduce(add, tables) * CellTable.of(self.world, fmpq(1, len(tables)))
            return [self.named_parts(t + mean * CellTable.of(self.world, fmpq(-1))) for t in tables]

        return self._normed(columns, epsilon, centred, "a layer norm")

    def _normed(
        self,
        columns: Sequence[LengthColumn],
        epsilon: Coefficient,
        centred: Callable[[list[Any]], list[Any]],
        what: str,
    ) -> list[LengthColumn]:
        """A norm of the columns; `centred` makes of them what is divided by the root."""
        for column in columns:
            if isinstance(column, OutOfRules):
                return [column] * len(columns)
        tables: list[Any] = list(columns)

        def normed() -> list[LengthColumn]:
            """The normalised tables."""
            entries = centred(tables)
            squares = [t * t for t in entries]
            variance = reduce(add, squares) * CellTable.of(self.world, fmpq(1, len(tables)))
            inside = variance + CellTable.of(self.world, self.number(epsilon))
            signs = self.world.signs
            # Positive if epsilon is not negative and some entry is not 0, or by the rules for signs.
            for c in inside.cells:
                one_nonzero = any(0 not in signs(t.value_at(c.guard), c.guard) for t in entries)
                if (not one_nonzero or -1 in signs(self.number(epsilon), {})) and signs(c.value, c.guard) != {1}:
                    raise NoRule("a variance that is known to be positive")
            divisor = inside.map(self.root)
            return [t.join(divisor, lambda a, b: a / b) for t in entries]

        normed_table = self.guarded(normed, what)
        return [normed_table] * len(columns) if isinstance(normed_table, OutOfRules) else normed_table

    def named_parts(self, table: CellTable) -> CellTable:
        """After `narrow`: the table with names instead of long values, so that they are not multiplied out. Before: the
        table itself."""
        world = self.world
        if self.narrowed is None:  # at a generic position, values of successive norms may cancel
            return table
        cells = [GuardedCell(c.guard, world.short(c.value, c.guard, LONG)) for c in table.cells]
        return CellTable(world, cells)

    def distribution(self, columns: Sequence[LengthColumn]) -> list[LengthColumn]:
        """The softmax of the columns at each position."""

        def shares() -> list[LengthColumn]:
            weights: list[Any] = [c.map(self.engine._exponential) for c in columns]  # type: ignore[union-attr]
            total = sum(weights[1:], weights[0])
            return [w / total for w in weights]

        table = next((c for c in columns if isinstance(c, OutOfRules)), None) or self.guarded(shares)
        return [table] * len(columns) if isinstance(table, OutOfRules) else table

    def attend(
        self,
        queries: Sequence[LengthColumn],
        keys: Sequence[LengthColumn],
        values: Sequence[LengthColumn],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[LengthColumn]:
        """The output of a head for each value column: softmax and plain means by sums, hard attention by the position
        of the maximum score."""
        for column in (*queries, *keys):
            if isinstance(column, OutOfRules):
                return [column] * len(values)
        if weighting not in ("average", "softmax", "leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        low, high = self.window(Mask(mask))
        out: list[LengthColumn] = []
        score: Any = None
        if queries:
            score = self.guarded(lambda: self.score(queries, keys, factor), "a score of a head")
            if isinstance(score, OutOfRules):
                return [score] * len(values)
        for value in values:
            if isinstance(value, OutOfRules):
                out.append(value)
            elif weighting == "softmax" or (score is None and weighting == "average"):
                out.append(self.guarded(lambda v=value: self.soft(score, v, low, high), "a head"))
            else:
                out.append(self.guarded(lambda v=value: self.hard(score, v, weighting, low, high), "a head"))
        return out

    def places_of(self, column: LengthColumn) -> Sequence[int]:
        return (0,) if self.narrowed is not None else (0, -1)

    def read(self, column: LengthColumn, place: int) -> LengthColumn:
        """The column at the first (place 0) or last position; after `narrow`, the column itself."""
        if isinstance(column, OutOfRules) or self.narrowed is not None:
            return column
        return self.guarded(lambda: column.at(I, self.placed(place)))

    def show(self, value: object, digits: int) -> str:
        return repr(value)

    def settled(self, value: object, digits: int) -> bool:
        return True

    # No verdicts: callers read the columns.

    def largest(self, columns: Sequence[LengthColumn]) -> None:
        return None

    def paired(self, first: None, second: None, size: int) -> None:
        return None

    def positive(self, column: LengthColumn) -> None:
        return None

    zero = positive

    def both(self, first: None, second: None) -> None:
        return None

    def every(self, verdicts: None) -> None:
        return None

    def verdict(self, verdicts: None, place: int) -> None:
        return None

    # `Follows`, of which only `narrow` is supported.

    def indices(self) -> Sequence[tuple[int, int]]:
        return ()

    def narrow(self, columns: Sequence[LengthColumn], place: int) -> list[LengthColumn]:
        self.narrowed = self.placed(place)
        return [
            c if isinstance(c, OutOfRules) else self.guarded(lambda c=c: c.at(I, self.placed(place))) for c in columns
        ]

    def resume(self, sequence: object, start: int, seen: int) -> None:
        raise NotImplementedError

    # --- Helpers --------------------------------------------------------------------------------------------------

    def placed(self, place: int) -> Affine:
        """The first position (place 0), or the last one."""
        return ({}, Fraction(self.world.start)) if place == 0 else self.world.end

    def guarded(self, make: Callable[[], Any], what: str = "") -> Any:
        """The result of `make`, or `OutOfRules` if a rule is missing or another error of symcook is raised; `what` is
        the subject of its sentence."""
        needs = f"{what} needs " if what else ""
        if self.unfit:
            return OutOfRules(f"{needs}{self.unfit}")
        try:
            return make()
        except NoRule as error:
            return OutOfRules(f"{needs}{error}", error.value)
        except SymcookError as error:
            sentence = getattr(error, "sentence", str(error)).rstrip(".")
            return OutOfRules(f"{what}: {sentence}" if what else sentence)
        except ValueError as error:
            # flint raises it for polynomials with very large exponents.
            if "unreasonably large" not in str(error):
                raise
            return OutOfRules(f"{needs}shorter polynomials than those of these weights")

    def both_of(
        self, a: LengthColumn, b: LengthColumn, make: Callable[[CellTable, CellTable], CellTable]
    ) -> LengthColumn:
        """`make` of two tables; if one of the columns is out of rules, that column."""
        if isinstance(a, OutOfRules) or isinstance(b, OutOfRules):
            return a if isinstance(a, OutOfRules) else b
        return self.guarded(lambda: make(a, b))

    def of_symbols(self, polynomial: fmpq_mpoly) -> set[int]:
        """The signs of a polynomial in the model's symbols alone."""
        flags = self.engine._signs.polynomial(polynomial)
        return {sign for sign, flag in ((1, POSITIVE), (-1, NEGATIVE), (0, NULL)) if flags & flag}

    def number(self, value: Any) -> Value:
        return self.engine.number(value)

    def scaled(self, table: CellTable, weight: Coefficient) -> CellTable:
        """A table times a number."""
        number = self.number(weight)
        if number == 1:
            return table
        return CellTable(self.world, [GuardedCell(c.guard, c.value * number) for c in table.cells])

    def root(self, value: Value) -> Value:
        """The square root of a nonnegative value. Each positive factor gets its own root, so that roots cancel. NoRule
        if a factor with a square is not certainly positive."""
        if isinstance(value, fmpq):
            return self.engine._number_root(value)
        field, world = self.field, self.world
        field.lift(value)
        # 1. The value is `number` times the product of factor^power over `squares`.
        number, squares = ONE, []
        for polynomial, side in ((value.num, 1), (value.den, -1)):
            lead, factors = field.factored(polynomial)
            number = number * lead**side
            squares += [(polynomial_of(field, factor), side * int(power)) for factor, power in factors]
        # 2. All signs are computed first, since each new root is a generator that makes stored polynomials stale.
        factor_signs = [world.sign.factor(factor, {}) for factor, _ in squares]
        # 3. `out` is the root so far; factors that are not certainly positive are collected in `inside`, under one
        # root.
        out, inside = ONE, ONE
        for (factor, power), signs in zip(squares, factor_signs, strict=True):
            half, odd = divmod(power, 2)
            if half and signs != {1}:
                raise NoRule("the root of a square of", factor)
            out = out * factor**half if half else out
            if odd and signs == {1}:
                out = out * field.function("sqrt", factor)
            elif odd:
                inside = inside * factor
        # A negative number gives its sign to `inside`.
        if number < 0:
            number, inside = -number, -inside
        if not isinstance(inside, fmpq):
            out = out * field.function("sqrt", inside)
        return out * self.engine._number_root(number)

    def window(self, mask: Mask) -> tuple[Affine, Affine]:
        """The first and last position that a row sees under a mask; last < first if it sees none."""
        own_position: Affine = ({I: Fraction(1)}, Fraction(0)) if self.narrowed is None else self.narrowed
        low = ({}, Fraction(self.world.start)) if mask.before else (own_position[0], own_position[1] + (not mask.here))
        high = self.world.end if mask.after else (own_position[0], own_position[1] - (not mask.here))
        return low, high

    def score(self, queries: Sequence[Any], keys: Sequence[Any], factor: Coefficient) -> CellTable:
        """The scores of the row at i and the key at j, times the factor."""
        parts = [q * self.bound(k) for q, k in zip(queries, keys, strict=True)]
        summed = reduce(add, parts)
        scale = self.term(factor)
        return summed * (scale if self.narrowed is None else scale.at(I, self.narrowed))

    def bound(self, table: CellTable) -> CellTable:
        """The table at position j instead of i."""
        return table.at(I, ({J: Fraction(1)}, Fraction(0)))

    def term(self, expression: Any) -> CellTable:
        """A term in i and n as a table; NoRule if it has no rule."""
        world = self.world
        if not isinstance(expression, tuple) or not names(expression) & {*PLACES}:
            return CellTable.of(world, self.number(expression))
        tag = expression[0]
        if tag == "name":
            return CellTable.of(world, world.name(PLACES[expression[1]]))
        if tag == "neg":
            return self.scaled(self.term(expression[1]), -1)
        # Periodic functions: one value for each residue.
        period = _period(expression)
        if period is not None:
            name = next(iter(names(expression) & {*PLACES}))
            residues = [(frozenset((r,)), self.number(at(expression, {name: r}))) for r in range(period)]
            return CellTable.cases(world, ("mod", PLACES[name], period), residues)
        # Arithmetic, and integer powers.
        if tag in ("+", "-", "*", "/"):
            a, b = self.term(expression[1]), self.term(expression[2])
            if tag == "-":
                return a + self.scaled(b, -1)
            return a + b if tag == "+" else a * b if tag == "*" else a / b
        if tag == "^" and expression[2][0] == "num" and expression[2][2] == 1:
            return self.term(expression[1]).map(lambda v: v ** int(expression[2][1]))
        # Indicators of comparisons, and functions with a rule.
        if tag == "ind" and expression[1][0] in ("=", "<", "<="):
            return self.indicator(expression[1])
        if expression == parse_term("log(n)"):
            return CellTable.of(world, self.field.constant(LOG))
        if tag == "call" and expression[1] == "sqrt":
            return self.term(expression[2][0]).map(self.root)
        if tag == "call" and expression[1] == "exp":
            return self.term(expression[2][0]).map(self.engine._exponential)
        if tag == "call" and expression[1] in ("cos", "sin"):
            return self.term(expression[2][0]).map(lambda v: self.field.function(expression[1], v))
        return self.one_by_one(expression)

    def one_by_one(self, expression: Tree) -> CellTable:
        """A function of i alone as a table with a case for each position, in a model with a greatest length."""
        world, known = self.world, names(expression) & {*PLACES}
        if known != {"i"} or world.most is None or world.most + world.added > MOST_RESIDUES:
            raise NoRule(f"a rule for {show(expression)}")
        places = range(world.start, world.start + world.most + world.added)
        atom = ("form", ((I, 1),))
        cases = [((i, i), self.number(at(expression, {"i": i}))) for i in places]
        return CellTable.cases(world, atom, cases)

    def indicator(self, condition: Tree) -> CellTable:
        """The table that is 1 where a comparison of two terms holds, and 0 elsewhere."""
        tag, a, b = condition
        difference = self.term(a) + self.scaled(self.term(b), -1)
        signs = {"=": (0,), "<": (-1,), "<=": (-1, 0)}[tag]
        return difference.split(lambda s, v: ONE if s in signs else ZERO)

    # --- Attention ------------------------------------------------------------------------------------------------

    def soft(self, score: CellTable | None, value: CellTable, low: Affine, high: Affine) -> CellTable:
        """The mean of a value, or with scores its softmax mean; 0 for a row that sees no position."""
        value = self.bound(value)
        if score is None:
            numerator, weights = value, CellTable.of(self.world, ONE)
        else:
            weights = score.map(self.engine._exponential)
            numerator = weights * value
        numerator, denominator = self.sums.total(numerator, low, high), self.sums.total(weights, low, high)
        return self.share(numerator, denominator, low, high)

    def share(self, numerator: CellTable, denominator: CellTable, low: Affine, high: Affine) -> CellTable:
        """`numerator` / `denominator` for a row that sees a position, else 0."""
        # `full` is 1 where the row sees a position (low <= high), and 0 elsewhere.
        seen = CellTable.of(self.world, self.world.linear(*minus(high, low)) + ONE)
        full = seen.split(lambda s, v: ONE if s > 0 else ZERO)
        if all(c.value == 1 for c in full.cells):
            return numerator / denominator
        out = []
        for cell in full.cells:
            if cell.value == 1:
                part = CellTable(self.world, numerator.under(cell.guard).cells) / CellTable(
                    self.world, denominator.under(cell.guard).cells
                )
                out += part.cells
            else:
                out.append(GuardedCell(cell.guard, ZERO))
        return CellTable(self.world, out).merged()

    def hard(self, score: CellTable | None, value: CellTable, weighting: str, low: Affine, high: Affine) -> CellTable:
        """The value at the position with the maximum score, the first or last of several; 0 for a row that sees no
        position. With the weighting average, the maximum must be at one position (NoRule else)."""
        value, cells = self.bound(value), list[GuardedCell]()
        try:
            places = list(self.places.greatest(score, weighting, low, high))
        except NoRule as missing:
            if weighting != "average":
                raise
            return self.mean_of_best(score or self.zero_table, value, low, high, missing)
        for guard, place in places:
            chosen_value = CellTable.of(self.world, ZERO) if place is None else value.at(J, place)
            cells += chosen_value.under(guard).cells
        return CellTable(self.world, cells).merged()


    def mean_of_best(
        self, score: CellTable, value: CellTable, low: Affine, high: Affine, missing: NoRule
    ) -> CellTable:
        """The mean of the values at the positions with the best score that occurs; 0 for a row that sees no position.
        Raises `missing` where the scores cannot be compared."""
        world, cells = self.world, list[GuardedCell]()
        for inside, guard in self.places.cut(minus(high, low), {}):
            if not inside:
                cells.append(GuardedCell(guard, ZERO))
                continue
            seen = [GuardedCell(g, c.value) for c in score.cells if (g := world.met(guard, c.guard)) is not None]
            for case, rank, everywhere in self.places.ranked_cases(seen, low, high, guard, missing):
                if any(map(self.places.moves, (c.value for c in rank))):
                    raise missing
                rank = [GuardedCell({}, ZERO)] if everywhere else rank
                total, many = (self.places.summed(rank, v, low, high).under(case) for v in (value, ONE))
                cells += (total / many).cells
        return CellTable(world, cells).merged()


@lru_cache(maxsize=1024)
def _period(tree: Tree) -> int | None:
    """The period of (-1)^i, or of the sine or cosine of a rational multiple of pi times i (or n in place of i); None
    for another term, and above `MOST_RESIDUES`."""
    if tree[0] == "^" and tree[1] == ("neg", ("num", 1, 1)) and tree[2][0] == "name":
        return 2
    if tree[0] == "call" and tree[1] in ("cos", "sin") and len(names(tree)) == 1:
        name = next(iter(names(tree) & {*PLACES}))
        ratio = _multiple_of_pi(tree[2][0], name)
        if ratio is not None:
            period = (2 / ratio).numerator if ratio else 1
            return abs(period) if abs(period) <= MOST_RESIDUES else None
    return None


def _multiple_of_pi(tree: Tree, name: str) -> Fraction | None:
    """The rational r if a term equals r*pi*name, else None."""
    x = sympy.Symbol(name)
    from symcook.model.symbols import to_sympy

    value = sympy.simplify(to_sympy(tree, {name: x}) / (sympy.pi * x))
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None
