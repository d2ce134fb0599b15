"""A family at given sizes and tables: a Transformer like any other.

The input is a family, with a number for each of its sizes and entries for each of its tables. `Instance` checks them,
estimates how many weights there are, and then reads each expression of the family with the numbers put in: a *form* is
read as its coefficients by coordinate (`ReadForm`), and these are the rows of the matrices.

A bridge (`symcook.proof.bridges.bridge`) proves that an instance is its family at the given values. Where one exists,
no theorem relies on this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

from symcook.errors import BadInput, NotExact, unknown
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.entries import rational_matrix
from symcook.model.expr import MAX_DIGITS, Tree, children, names, show
from symcook.model.family import Family, renamed
from symcook.model.meaning import MAX_RANGE, conjuncts
from symcook.model.parts import FeedForward, LayerNorm, SelfAttention
from symcook.model.parts import Head as ModelHead
from symcook.model.parts import Layer as ModelLayer
from symcook.model.plainfamily import FamilyHead, FamilyLayer, Norm, Range, Write
from symcook.model.rationals import Rationals, quotient
from symcook.model.symbols import exact
from symcook.model.transformer import Transformer

MAX_WEIGHTS = 5_000_000
"""The greatest number of weights of an instance, by the estimate `Instance.weights`; also of entries of one table."""
MAX_CASES = 1_000_000
"""The greatest number of cases of a table's condition that are checked."""
TRIED = 3
"""The largest size tried in the search for the smallest sizes at which an index leaves its range."""
GivenValues = Mapping[str, Any]
"""The values of sizes and tables as the user gives them."""
InstanceEnv = Mapping[str, Fraction | Callable[..., Fraction]]
"""The values of sizes and indices, and the tables."""
ReadForm = dict[Any, Any]
"""A linear form as coefficients: by coordinate (text), by hidden unit (`SharedUnit`), and by None for the constant."""
_NONE = frozenset[str]()


class Outside(BadInput):
    """An index left its range."""


class SumTooLong(BadInput):
    """A sum in a weight has too many terms."""


def instance(
    family: Family, values: GivenValues, tokens: Sequence[str] | None = None, name: str | None = None
) -> Transformer:
    """The model of a family at `values`: a whole number for each size, and for each table its entries (a function, a
    mapping, or a list or text of numbers, row by row).

    `tokens` are the names of the tokens in the order of their numbers (else the numbers themselves).

    >>> from symcook.model.family import load
    >>> from symcook.proof.files import proofs_directory
    >>> lookup = load(proofs_directory() / "families" / "lookup-one-hot.json")
    >>> instance(lookup, {"N": 2}).space.names
    ('query', 'value', 'at1', 'at2', 'hot1', 'hot2', 'found')

    Raises BadInput for sizes or tables that the family does not have, for sizes that are too large (with how many
    weights they have), and for an index that leaves its range.
    """
    built = Instance(family, values)
    try:
        return built.model(tokens, name)
    except SumTooLong as error:
        amount = f"{error.given} for about {built.weights} weights at {built.sizes}"
        raise BadInput(error.must, amount, "use smaller sizes") from None
    except Outside as error:
        smaller = _smallest(family, values)
        raise BadInput(
            error.must,
            f"{error.given}" + (f", first at {smaller}" if smaller else ""),
            "write other ends of the range, or declare a wider one",
        ) from None


def _smallest(family: Family, values: GivenValues) -> str:
    """The smallest sizes at which an index leaves its range, for a message; the tables stay as given. "" where none was
    found up to `TRIED`."""
    for sizes in sorted(product(range(TRIED + 1), repeat=len(family.sizes)), key=lambda s: (sum(s), s)):
        candidate = dict(zip(family.sizes, sizes, strict=True))
        try:
            Instance(family, {**values, **candidate}).model(None, None)
        except Outside:
            return ", ".join(f"{size} = {value}" for size, value in candidate.items())
        except BadInput:
            continue
    return ""


class _Numbers(Rationals):
    """Rational numbers, with the tables of a family among the functions."""

    def call(self, name: str, arguments: list[object], tree: Tree) -> Any:
        """The value of a function, or the entry of a table."""
        table = self.values.get(name)
        return super().call(name, arguments, tree) if table is None else table(*arguments)  # type: ignore[operator]

    def range(self, low: Tree, high: Tree, whole: Tree) -> range:
        """The integers of a range; SumTooLong where there are too many."""
        if self.end(high, whole) - self.end(low, whole) >= MAX_RANGE:
            raise SumTooLong(f"an instance must have sums of at most {MAX_RANGE:,} terms", show(whole))
        return super().range(low, high, whole)


class Instance:
    """A family with values for its sizes and tables, checked against its conditions."""

    def __init__(self, family: Family, values: GivenValues) -> None:
        self.family, self.env = family, dict[str, Any]()
        for key in values:
            if key not in family.sizes and key not in family.tables:
                raise unknown(f"size or table of {family.name}", key, [*family.sizes, *family.tables])
        self._set_sizes(family, values)
        self._set_tables(family, values)
        # The number of weights is estimated before anything is built, so that sizes that are too large are refused at
        # once.
        self.weights = self._weights()
        self._few(self.weights, "about", "weights")
        self.cells = {name: list(self._cells(over)) for name, over in family.space.items()}
        self.space = tuple(label(name, at) for name, cells in self.cells.items() for at in cells)
        if len(set(self.space)) < len(self.space):
            raise BadInput(
                "the coordinates of an instance must all have different names",
                family.name,
                "rename a coordinate in the family's file",
            )
        # From here on forms can be read: first with the coordinates of the space.
        self.look({name: set(cells) for name, cells in self.cells.items()})
        self.units, self.known = dict[Any, tuple[Tree, SharedUnit]](), dict[Any, SharedUnit]()

    def _set_sizes(self, family: Family, values: GivenValues) -> None:
        """Put the sizes into `env`; BadInput where one is not an integer of at most 18 digits, or a condition is
        false."""
        for size in family.sizes:
            text = str(values.get(size, "")).strip()
            if not re.fullmatch(r"[+-]?[0-9]{1,18}", text, re.ASCII):
                digits_note = " of at most 18 digits" * (re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII) is not None)
                must = f"{family.name} must have a whole number{digits_note} for {size}"
                raise BadInput(must, text or "none", f"give --set {size}=2")
            self.env[size] = Fraction(int(text))
        for condition in family.sizes.values():
            if not _Numbers(self.env).formula(condition):
                sizes_named = [
                    f"{size} = {quotient(self.env[size])}" for size in family.sizes if size in names(condition)
                ]
                raise BadInput(
                    f"the sizes of {family.name} must satisfy {show(condition)}",
                    ", ".join(sizes_named) or self.sizes,
                    "give other sizes",
                )

    def _set_tables(self, family: Family, values: GivenValues) -> None:
        """Put all tables into `env`, then check the conditions, since a condition may name several tables."""
        for name, table in family.tables.items():
            if name not in values:
                raise BadInput(f"{family.name} must have the table {name}", "none", f"give {name}=...")
            self._few(self._count(table.over), f"the table {name}", "entries")
            table_function = self._table(name, values[name])
            self.env[name] = table_function if table.over else table_function()
        for table in family.tables.values():
            for condition in table.where:
                self._few(self._cases(condition), f"the condition {show(condition)}", "cases", MAX_CASES)
                if (where := self._broken(condition)) is not None:
                    broken_at = f"{show(condition)}{', not at ' * bool(where)}{', '.join(where)}"
                    raise BadInput(
                        f"the tables of {family.name} must meet their condition", broken_at, "give another table"
                    )

    def _few(self, amount: int, what: str, unit: str, most: int = MAX_WEIGHTS) -> None:
        """Raise BadInput where a number of weights, entries or cases is above `most`."""
        if amount > most:
            must = f"an instance must have at most {most:,} {unit}"
            counted = f"{what} {amount} for {self.family.name}" if what == "about" else f"{amount} in {what}"
            raise BadInput(must, f"{counted} at {self.sizes}", "use smaller sizes")

    def _count(self, over: Sequence[Range], env: InstanceEnv | None = None) -> int:
        """How many combinations of values the indices `over` have, without listing them; a number above `MAX_WEIGHTS`
        may be too small."""
        env = self.env if env is None else env
        if not over:
            return 1
        index, *inner = over
        low, high = (int(Fraction(self.number(end, env))) for end in (index.low, index.high))
        if high < low:
            return 0
        # The inner ranges do not use this index: the count is the same for each of its values.
        if not any(index.name in names(end) for range_ in inner for end in (range_.low, range_.high)):
            return (high - low + 1) * self._count(inner, {**env, index.name: Fraction(low)})
        # Otherwise add up the counts for its values, until the total is above every limit.
        total = 0
        for value in range(low, high + 1):
            total += self._count(inner, {**env, index.name: Fraction(value)})
            if total > MAX_WEIGHTS or value - low > MAX_WEIGHTS:
                return max(total, high - low + 1)
        return total

    def _weights(self) -> int:
        """About how many numbers the matrices of all layers have, and the embedding of the tokens."""
        family = self.family
        width = sum(self._count(over) for over in family.space.values())
        tokens = 0 if family.vocabulary is None else int(Fraction(self.number(family.vocabulary, self.env)))
        weights = tokens * len(family.words)
        # Each row of a matrix counts with the full width of the space, though columns that are zero are left out later.
        for part in family.layers:
            for layer in part.layers:
                weights += width * self._count(part.over) * self._rows(layer, part.over)
        return max(weights, width, tokens)

    def _rows(self, layer: FamilyLayer, over: Sequence[Range]) -> int:
        """About how many rows the matrices of a layer have, with the index of its repetition at the first value."""
        first = {range_.name: Fraction(self.number(range_.low, self.env)) for range_ in over}
        env, rows = {**self.env, **first}, 0
        for head in layer.heads:
            apart = self.apart(head)
            within = {**env, **{range_.name: Fraction(self.number(range_.low, env)) for range_ in (*head.over, *apart)}}
            # A product of the score gives a row of Q and a row of K; a coordinate that is written gives a row of V.
            products = self.family.products(head.score, frozenset(within))
            keys = sum(self._count(over, within) for over, *_ in products)
            outs = sum(self._count(write.to.over, env) for write in head.writes)
            rows += self._count(head.over, env) * (outs + 2 * keys * self._count(apart, env))
        for write in layer.feedforward:
            cells = self._count(write.to.over, env)
            within = {**env, **{range_.name: Fraction(self.number(range_.low, env)) for range_ in write.to.over}}
            rows += cells + self._units(write.form, within, frozenset(range_.name for range_ in write.to.over), cells)
        return rows

    def _units(self, tree: Tree, env: InstanceEnv, own: frozenset[str], cells: int) -> int:
        """About how many hidden units the form `tree` has, in all `cells` of the coordinate to which it is written.

        `own` are the indices of the cells. A unit that names none of them is the same in each cell and counts once.
        """
        if tree[0] == "call" and tree[1] == "relu":
            return cells if own & _names(tree) else 1
        if tree[0] == "sum":
            # Where the ends of the sum depend on the cell, its index counts as one of `own`.
            apart = own | {tree[1]} if own & (_names(tree[2]) | _names(tree[3])) else own
            terms = self._count([Range(*tree[1:4])], env)
            return terms * self._units(tree[4], {**env, tree[1]: Fraction(self.number(tree[2], env))}, apart, cells)
        if tree[0] in ("+", "-", "neg", "*", "/"):
            return sum(self._units(child, env, own, cells) for child in children(tree))
        return 0

    def _broken(self, condition: Tree) -> list[str] | None:
        """The first values of the indices of its outer quantifiers ("all c in ..") at which a condition is false, [] if
        it has no such quantifier; None where the condition holds."""
        env, where = self.env, list[str]()
        if _Numbers(env).formula(condition):
            return None
        # From the outermost quantifier inwards, take the first value at which the body is false.
        while condition[0] == "all in":
            _, name, low, high, condition = condition
            for value in _Numbers(env).range(low, high, condition):
                if not _Numbers(tried := {**env, name: Fraction(value)}).formula(condition):
                    env = tried
                    where.append(f"{name} = {value}")
                    break
        return where

    def _cases(self, tree: Tree, env: InstanceEnv | None = None) -> int:
        """About how many terms and formulas are evaluated to check the condition `tree`."""
        env = self.env if env is None else env
        if tree[0] in ("all in", "ex in", "sum"):
            values = self._count([Range(*tree[1:4])], env)
            return values * self._cases(tree[4], {**env, tree[1]: Fraction(self.number(tree[2], env))})
        return 1 + sum(self._cases(child, env) for child in children(tree))

    @property
    def sizes(self) -> str:
        """The sizes as a message has them: ``M = 2, N = 3``."""
        return ", ".join(f"{size} = {quotient(self.env[size])}" for size in self.family.sizes)

    @property
    def values(self) -> str:
        """Sizes, tables and choices as a statement has them, ``M = 2, phi = 0 1``, without choices at their default."""
        tables = [
            f"{name} = {' '.join(quotient(self.entry(name, at)) for at in self._cells(table.over))}"
            for name, table in self.family.tables.items()
        ]
        choices = self.family.chosen.items()
        chosen = [f"{key} = {value}" for key, value in choices if value != self.family.choices[key][0]]
        return ", ".join([*filter(None, [self.sizes]), *tables, *chosen])

    def _table(self, name: str, given: object) -> Callable[..., Any]:
        """A table as a function; BadInput where an entry is missing, too many, or of the wrong sort."""
        table, cells = self.family.tables[name], list(self._cells(self.family.tables[name].over))
        # A function is asked at every index; a mapping has indices as keys; anything else is a list of entries, row by
        # row.
        if callable(given):
            entries = {at: given(*at) for at in cells}
        elif isinstance(given, Mapping):
            entries = {at if isinstance(at, tuple) else (at,): value for at, value in given.items()}
            if outside := [at for at in entries if at not in {*cells}]:
                extra_entry = f"one at {', '.join(map(str, outside[0]))}"
                raise BadInput(
                    f"the table {name} must have {len(cells)} entries, at the indices of its ranges",
                    extra_entry,
                    "leave the entry out",
                )
        else:
            flat = given.split() if isinstance(given, str) else list(_flat(given))
            if len(flat) != len(cells):
                do = (
                    "put spaces between them"
                    if isinstance(given, str) and re.search("[,;]", given)
                    else f"give {len(cells)} numbers"
                )
                raise BadInput(f"the table {name} must have {len(cells)} entries, row by row", len(flat), do)
            entries = dict(zip(cells, flat, strict=True))
        # Each entry must be there, be short enough, and be of the sort of the table (Int or Real).
        for at in cells:
            if at not in entries:
                raise BadInput(
                    f"the table {name} must have an entry for each index",
                    f"nothing at {', '.join(map(str, at))}",
                    "give the missing entry",
                )
            text = str(entries[at])
            if len(text) > MAX_DIGITS:
                raise BadInput(
                    f"the entries of the table {name} must have at most {MAX_DIGITS} digits",
                    text,
                    "give shorter numbers",
                )
            if not re.fullmatch(r"[+-]?[0-9]+(/[0-9]*[1-9][0-9]*)?", text, re.ASCII) or (
                table.sort == "Int" and Fraction(text).denominator != 1
            ):
                kind = "whole numbers" if table.sort == "Int" else "rational numbers"
                raise BadInput(f"the entries of the table {name} must be {kind}", text, f"give {kind}")
        numbers = {at: Fraction(str(entries[at])) for at in cells}

        def entry(*at: Fraction | int) -> Fraction:
            """The entry at the indices `at`; Outside where there is none."""
            place = tuple(int(a) for a in at)
            if place not in numbers or any(Fraction(a).denominator != 1 for a in at):
                raise Outside("an index must be within its declared range", f"{name}({', '.join(map(str, at))})")
            return numbers[place]

        return entry

    def _cells(self, over: Sequence[Range], env: InstanceEnv | None = None) -> Iterator[tuple[int, ...]]:
        """All combinations of values of the indices `over`; a range may use the indices before it."""
        env = self.env if env is None else env
        if not over:
            yield ()
            return
        index, *inner = over
        for value in self.range(index, env):
            for cell in self._cells(inner, {**env, index.name: Fraction(value)}):
                yield (value, *cell)

    def range(self, index: Range, env: InstanceEnv) -> range:
        """The values of an index, whose ends may use the other indices in `env`."""
        ends = [Fraction(self.number(end, env)) for end in (index.low, index.high)]
        if any(end.denominator != 1 for end in ends):
            raise BadInput(
                "the ends of a range must be integers",
                f"{show(index.low)}..{show(index.high)}",
                "write ends that are integers at all sizes",
            )
        return range(int(ends[0]), int(ends[1]) + 1)

    # --- numbers and forms ---

    def number(self, tree: Tree, env: InstanceEnv) -> Any:
        """The exact value of an expression: a Fraction where it is rational, else a sympy expression."""
        try:
            return Fraction(_Numbers(env).term(tree))
        except NotExact:
            return exact(show(self.closed(tree, env)))

    def entry(self, name: str, at: Sequence[int]) -> Fraction:
        """The entry of a table at these indices."""
        return Fraction(self.env[name](*at) if at else self.env[name])

    def closed(self, tree: Tree, env: InstanceEnv) -> Tree:
        """The expression with the values of sizes, indices and tables put in; i and n remain."""
        numbers = {name: _numeral(value) for name, value in env.items() if isinstance(value, Fraction)}

        def put(part: object) -> Any:
            """`part` with sums over table entries written out, and table entries replaced by their values."""
            if not isinstance(part, tuple) or not part or part[0] in ("num", "name"):
                return part
            # An entry of a table must have numbers as indices, so a sum around it is written out.
            if part[0] == "sum" and _names(part[4]) & self.family.tables.keys():
                terms = range(int(self.number(part[2], env)), int(self.number(part[3], env)) + 1)
                return _total([self.closed(part[4], {**env, part[1]: Fraction(value)}) for value in terms])
            done = tuple(map(put, part))
            if done[0] == "call" and done[1] in self.family.tables:
                return _numeral(_Numbers(env).term(done))
            return done

        return put(renamed(tree, numbers))

    def look(self, view: Mapping[str, set[tuple[int, ...]]]) -> None:
        """Set the coordinates that forms may read, {name: all its indices}, and empty the caches that depend on
        them."""
        self.view, self._names = view, frozenset(view)
        self._reading: dict[int, tuple[Tree, bool]] = {}
        self._sums = dict[Any, tuple[Tree, ReadForm]]()

    def reads(self, tree: Tree) -> bool:
        """Whether a tree has a coordinate or a unit in it."""
        cached = self._reading.get(id(tree))
        if cached is None:  # the tree is stored too: while it exists, no other tree has its id
            cached = self._reading[id(tree)] = tree, _reads(tree, self._names)
        return cached[1]

    def form(self, tree: Tree, env: InstanceEnv, own: frozenset[str] | None = None) -> ReadForm:
        """The linear form that `tree` is at the values `env`.

        Given the indices `own` of a cell, a term with factor 0 is expanded only where it names one of them. Most terms
        of a sum over cases have factor 0 in most cells, and such a term is read in the cell that it belongs to.
        """
        tag = tree[0]
        # A number without coordinates.
        if not self.reads(tree):
            value = self.number(tree, env)
            return {None: value} if value else {}
        # A coordinate at its indices.
        if tag in ("name", "call") and tree[1] in self.view:
            at = tuple(self._whole(a, env) for a in (tree[2] if tag == "call" else ()))
            if at not in self.view[tree[1]]:
                raise Outside("an index must be within its declared range", f"{label(tree[1], at)} from {show(tree)}")
            return {label(tree[1], at): 1}
        if tag == "call":  # relu
            if (key := self._key(tree, env)) not in self.units:
                self.units[key] = tree, self._unit(tree, env)  # the tree keeps its id
            return {self.units[key][1]: Fraction(1)}
        # A sum. Inside a hidden unit (`own` is empty) it is read once and shared.
        if tag == "sum":
            if own is None or own:
                return self._sum(tree, env, own)
            if (key := self._key(tree, env)) not in self._sums:
                self._sums[key] = tree, self._sum(tree, env, own)
            return dict(self._sums[key][1])
        if tag == "neg":
            return {c: -v for c, v in self.form(tree[1], env, own).items()}
        if tag in ("+", "-"):
            total = dict(self.form(tree[1], env, own))
            _add(total, self.form(tree[2], env, own), 1 if tag == "+" else -1)
            return total
        # A product or quotient of a number and a form: find which of the two children is which.
        number, linear = (1, 2) if tag == "*" and not self.reads(tree[1]) else (2, 1)
        factor = self.number(tree[number], env)
        if tag == "*" and not factor and own is not None and not own & _names(tree[linear]):
            return {}
        return {c: v / factor if tag == "/" else v * factor for c, v in self.form(tree[linear], env, own).items()}

    def forms(self, tree: Tree, env: InstanceEnv, name: str, values: range, own: frozenset[str]) -> dict[int, ReadForm]:
        """{value: form} for the values of the index `name` (one of `own`) at which the form of `tree` is not empty.

        A sum over terms with a factor I[name = ..] is expanded once for all values, not once for each value.
        """
        tag, total = tree[0], dict[int, ReadForm]()
        # The index is not in the tree: one form for all values.
        if name not in _names(tree):
            form = self.form(tree, env, own)
            return {at: dict(form) for at in values} if form else {}
        # A sum whose ends are the same for all values of the index.
        if tag == "sum" and name not in _names(tree[2]) | _names(tree[3]) | {tree[1]}:
            over = (
                self.range(Range(*tree[1:4]), env) if self.reads(tree) else _Numbers(env).range(tree[2], tree[3], tree)
            )
            for value in over:
                _merge(total, self.forms(tree[4], {**env, tree[1]: Fraction(value)}, name, values, own))
            return total
        if tag in ("+", "-"):
            total = self.forms(tree[1], env, name, values, own)
            _merge(total, self.forms(tree[2], env, name, values, own), 1 if tag == "+" else -1)
            return total
        # I[name = ..] is 1 at one value at most. The value is computed from the equation, not searched for.
        if tag == "ind" and (place := self._place(tree, env, name, values)) is not None:
            return {at: {None: Fraction(1)} for at in place}
        # A product of a number that depends on the index and a form that does not.
        for part, fixed in ((tree[1], tree[2]), (tree[2], tree[1])) if tag == "*" else ():
            if not own & _names(fixed) and not self.reads(part):
                factors = self.forms(part, env, name, values, own)
                form = self.form(fixed, env, own) if factors else {}
                return {at: {c: v * factor[None] for c, v in form.items()} for at, factor in factors.items()}
        # Otherwise each value of the index is put in.
        forms_by_value = {at: self.form(tree, {**env, name: Fraction(at)}, own) for at in values}
        return {at: form for at, form in forms_by_value.items() if form}

    def _place(self, tree: Tree, env: InstanceEnv, name: str, values: range) -> list[int] | None:
        """The values of the index `name` at which the indicator `tree` is 1, where an equation name = .. in it gives
        them; None where it has no such equation."""
        # An indicator of a conjunction: one part must give the index by an equation, the others must not name it.
        parts = conjuncts(tree[1])
        own = [part for part in parts if name in _names(part)]
        solution = _place(own[0], name) if len(own) == 1 else None
        if solution is None:
            return None
        # Where a part has a value that is not rational, the caller tries all values of the index.
        try:
            at = _Numbers(env).term(solution)
            holds = [_Numbers(env).formula(part) for part in parts if part is not own[0]]
        except NotExact:
            return None
        return [int(at)] if all(holds) and at in values else []

    def _key(self, tree: Tree, env: InstanceEnv) -> tuple[Any, ...]:
        """A cache key: the identity of `tree`, and the values of the sizes and indices in it."""
        return id(tree), *[env[name] for name in sorted(_names(tree) & env.keys() - self.family.tables.keys())]

    def _sum(self, tree: Tree, env: InstanceEnv, own: frozenset[str] | None) -> ReadForm:
        """The form of a sum: the forms of its terms, added up."""
        total: ReadForm = {}
        # Where the ends of the sum depend on the cell, its index counts as one of `own`.
        if own and own & (_names(tree[2]) | _names(tree[3])):
            own = own | {tree[1]}
        for value in self.range(Range(*tree[1:4]), env):
            _add(total, self.form(tree[4], {**env, tree[1]: Fraction(value)}, own))
        return total

    def _unit(self, tree: Tree, env: InstanceEnv) -> SharedUnit:
        """The hidden unit of `tree`, a call of relu. Equal units are one object."""
        inside = {c: v for c, v in self.form(tree[2][0], env, _NONE).items() if v}
        entries = tuple(sorted(inside.items(), key=lambda entry: _natural(entry[0] or "")))
        return self.known.setdefault(entries, SharedUnit(entries))

    def _whole(self, tree: Tree, env: InstanceEnv) -> int:
        """The value of an index expression, which must be an integer. A plain name is looked up; the general case is
        slow."""
        value = env.get(tree[1]) if tree[0] == "name" else None
        if not isinstance(value, Fraction):
            value = Fraction(self.number(tree, env))
        if value.denominator != 1:
            raise BadInput(
                "an index must be a whole number", show(tree), "write an index that is a whole number at all sizes"
            )
        return int(value)

    def _token(self, tree: Tree, tokens: Sequence[str]) -> str:
        """The token in `tokens` whose number is the value of `tree`."""
        number = self._whole(tree, self.env)
        if not 0 <= number < len(tokens):
            must = f"a token that {self.family.name} adds must be one of 0, .., {len(tokens) - 1} at {self.sizes}"
            raise BadInput(must, f"{number}, which is {show(tree)}", "write the number of a token, counted from 0")
        return tokens[number]

    def written(self, writes: Sequence[Write], env: InstanceEnv) -> Iterator[tuple[str, Tree, dict[str, Any]]]:
        """The coordinates that are written, each with its form and the values of the indices."""
        for write in writes:
            for at in self._cells(write.to.over, env):
                indices = {index.name: Fraction(value) for index, value in zip(write.to.over, at, strict=True)}
                yield label(write.to.name, at), write.form, {**env, **indices}

    # --- the model ---

    def model(self, tokens: Sequence[str] | None, name: str | None) -> Transformer:
        """The Transformer; see `instance`."""
        family = self.family
        words, token_names = None, None
        # Tokens: their names, and a row of the embedding for each. Without a vocabulary, the inputs are numbers.
        if family.vocabulary is not None:
            size = self._whole(family.vocabulary, self.env)
            if size < 1:
                raise BadInput(
                    f"{family.name} must have at least one token", f"{size} at {self.sizes}", "give larger sizes"
                )
            token_names = tuple(str(v) for v in range(size)) if tokens is None else tuple(tokens)
            if len(token_names) != size or len(set(token_names)) < size:
                raise BadInput(
                    f"{family.name} at {self.sizes} must have {size} different tokens",
                    " ".join(token_names),
                    f"give {size} names, each once",
                )
            words = {token: dict[str, Any]() for token in token_names}
            for c, tree, env in self.written(family.words, self.env):
                for place, form in self.forms(tree, env, "w", range(size), frozenset("w")).items():
                    if value := form.get(None):
                        words[token_names[place]][c] = value
        elif tokens is not None:
            raise BadInput(
                f"{family.name} must be given no tokens, since its inputs are numbers",
                " ".join(tokens),
                "leave --tokens out",
            )
        # Tokens added before and after each input.
        added = (family.before, family.after)
        ends = [None if end is None or token_names is None else self._token(end, token_names) for end in added]
        inputs = tuple(label(input_.name, at) for input_ in family.inputs for at in self.cells[input_.name])
        positions: dict[str, Any] = {}
        for c, tree, env in self.written(family.positions, self.env):
            positions[c] = show(self.closed(tree, env))
        # Layers, once for each round of a repetition.
        layers = []
        for part in family.layers:
            rounds: list[InstanceEnv] = [
                {range_.name: Fraction(t) for range_, t in zip(part.over, at, strict=True)}
                for at in self._cells(part.over)
            ]
            # Where no layer names the index of the rounds, all rounds are equal and are built once.
            equal_rounds = not any(str(("name", range_.name)) in str(part.layers) for range_ in part.over)
            if equal_rounds and rounds:
                layers += [self.layer(layer, {**self.env, **rounds[0]}) for layer in part.layers] * len(rounds)
            else:
                layers += [self.layer(layer, {**self.env, **t}) for t in rounds for layer in part.layers]
        longest = None if family.longest is None else self._whole(family.longest, self.env)
        return Transformer(
            name or family.name,
            Embedding(
                Space(self.space), words=words, inputs=None if words is not None else inputs, positions=positions,
                start=family.start, before=ends[0], after=ends[1],
            ),
            tuple(layers), self.readout(token_names), max_length=longest, source=family.source,
        )  # fmt: skip

    def readout(self, tokens: Sequence[str] | None) -> Readout:
        """The readout at these sizes. A maximum over as many coordinates as there are tokens has the tokens as
        labels."""
        kind, position, declared, score = self.family.readout
        if kind == "sign":
            form = self.form(score, self.env)
            return Readout(kind, position, tuple(form), [list(form.values())])
        reads = tuple(
            label(declared_read.name, at) for declared_read in declared for at in self.cells[declared_read.name]
        )
        if kind != "largest":
            return Readout(kind, position, reads)
        # The weights are the identity: the score of each label is its coordinate.
        identity = [[int(a == b) for b in range(len(reads))] for a in range(len(reads))]
        numbered = tuple(map(str, range(1, len(reads) + 1)))
        labels = tuple(tokens) if tokens is not None and len(tokens) == len(reads) else numbered
        return Readout(kind, position, reads, identity, labels=labels)

    def layer(self, layer: FamilyLayer, env: InstanceEnv) -> ModelLayer:
        """A layer of the family with the values of indices put in."""
        view = self.view
        blocks: list[Any] = []
        norms: list[tuple[LayerNorm, ...]] = []
        for block, block_norms in ((layer.heads, layer.attention_norms), (layer.feedforward, layer.feedforward_norms)):
            norms.append(tuple(self.norm(norm, env) for norm in block_norms))
            # After a projecting norm a block reads what the norm writes; after the block the coordinates are as before.
            if layer.placement in ("projected pre", "multi pre"):
                cells_seen = {w.to.name: set(self._cells(w.to.over, env)) for norm in block_norms for w in norm.writes}
                self.look({**view, **cells_seen})
            if block is layer.heads:
                heads = [head for family_head in layer.heads for head in self.heads(family_head, env) if head.writes]
                if layer.heads and not heads:  # all heads are zero: keep one that adds zero
                    heads = [ModelHead(self.space[:1], self.space[:1], [[0]], [[0]], [[0]], layer.heads[0].mask)]
                blocks.append(SelfAttention(tuple(heads)) if heads else None)
            else:
                blocks.append(self.network(layer.feedforward, env) if block else None)
            self.look(view)
        return ModelLayer(blocks[0], blocks[1], norms[0], norms[1], layer.placement)

    def apart(self, head: FamilyHead) -> list[Range]:
        """The indices of the first write that the score names; `symcook.model.family` checks that all writes have them.
        There is a head for each of their values."""
        named = _names(head.score)
        return [index for index in head.writes[0].to.over if index.name in named]

    def heads(self, head: FamilyHead, env: InstanceEnv) -> Iterator[ModelHead]:
        """The heads that one head of the family file gives: one for each combination of `indices`."""
        apart = {index.name for index in self.apart(head)}
        for here in self.indices(head, env):
            yield self.head(head, head.writes, {**env, **here}, here.keys() & apart)

    def indices(self, head: FamilyHead, env: InstanceEnv) -> Iterator[dict[str, Any]]:
        """The values of the indices of each of these heads: its own indices, and those of `apart`."""
        named = [*head.over, *self.apart(head)]
        for at in self._cells(named, env):
            yield {index.name: Fraction(v) for index, v in zip(named, at, strict=True)}

    def cells_at(self, write: Write, here: Mapping[str, object], env: InstanceEnv) -> Iterator[tuple[int, ...]]:
        """The cells of the coordinate of `write` that the head with the indices `here` writes."""
        for cell in self._cells(write.to.over, env):
            if all(here.get(index.name, value) == value for index, value in zip(write.to.over, cell, strict=True)):
                yield cell

    def head(self, head: FamilyHead, writes: Sequence[Write], env: InstanceEnv, fixed: Collection[str]) -> ModelHead:
        """The head at values of its indices. It writes the cells whose indices in `fixed` have the values of this
        head."""
        outs = [
            output for output in self.written(writes, env) if all(output[2][index] == env[index] for index in fixed)
        ]
        # Products with the same query form share a row of Q and K: their key forms are added.
        rows: dict[Any, tuple[ReadForm, ReadForm]] = {}
        for query, key in self.products(head.score, env):
            # A query form of one coordinate is scaled to coefficient 1, so that its multiples share a row; the key form
            # gets the coefficient.
            if len(query) == 1:
                ((c, v),) = query.items()
                query, key = {c: Fraction(1)}, {d: v * x for d, x in key.items()}
            if query and key:
                _add(rows.setdefault(frozenset(query.items()), (query, {}))[1], key)
        values = [{c: v for c, v in self.form(tree, here, _NONE).items() if v} for _, tree, here in outs]
        # The head reads the coordinates of all its forms. A head that reads nothing gets one, at weight zero.
        columns = tuple(dict.fromkeys(
            [c for q, _ in rows.values() for c in q] + [c for _, k in rows.values() for c in k]
            + [c for form in values for c in form]
        )) or self.space[:1]  # fmt: skip
        return ModelHead(
            columns, tuple(c for c, _, _ in outs),
            Q=_matrix([q for q, _ in rows.values()] or [{}], columns),
            K=_matrix([k for _, k in rows.values()] or [{}], columns), V=_matrix(values, columns),
            mask=head.mask, weighting=head.weighting,
            temperature=exact(show(self.closed(head.temperature, env))), scale=self.number(head.scale, env),
        )  # fmt: skip

    def products(self, score: Tree, env: InstanceEnv) -> Iterator[tuple[ReadForm, ReadForm]]:
        """The query form and the key form of each product of a score."""
        for over, query, key, sign in self.family.products(score, frozenset(env)):
            for at in self._cells(over, env):
                here = {**env, **{index.name: Fraction(v) for index, v in zip(over, at, strict=True)}}
                query_form = {c: v for c, v in self.form(query, here, _NONE).items() if v}
                yield query_form, {c: sign * v for c, v in self.form(key, here, _NONE).items() if v}

    def network(self, writes: Sequence[Write], env: InstanceEnv) -> FeedForward:
        """The feed-forward sublayer: a hidden unit for each different relu, and an output for each cell that is
        written. Empties `units` and `known`."""
        self.units, self.known = {}, {}  # norms may give a name another meaning in each layer
        outs = [output for write in writes for output in self.outputs(write, env)]
        outs = outs or [(self.space[0], {})]  # no coordinate is left: write zero to one
        units = list(dict.fromkeys(unit for _, form in outs for unit in form if unit is not None))
        columns = tuple(dict.fromkeys(c for unit in units for c, _ in unit if c is not None)) or self.space[:1]
        return FeedForward(
            columns, tuple(c for c, _ in outs),
            W1=_matrix([dict(unit) for unit in units] or [{}], columns),
            b1=[dict(unit).get(None, 0) for unit in units] or [0],
            W2=_matrix([form for _, form in outs], units or [SharedUnit()]),
            b2=[form.get(None, 0) for _, form in outs],
        )  # fmt: skip

    def outputs(self, write: Write, env: InstanceEnv) -> Iterator[tuple[str, ReadForm]]:
        """The coordinates that a feed-forward sublayer writes, each with its form.

        The form of the first cell is expanded in full, with the terms whose factor is 0 too, so that units are numbered
        in the order of the family file. The forms of the other cells have only the units that they use.
        """
        first = [(c, self.form(tree, here)) for c, tree, here in islice(self.written([write], env), 1)]
        yield from first
        own = frozenset(range_.name for range_ in write.to.over)
        # All values of the last index are read at once (`forms`); the first cell is already out.
        for at in self._cells(write.to.over[:-1], env) if own else ():
            around = {**env, **{index.name: Fraction(v) for index, v in zip(write.to.over, at, strict=False)}}
            values = self.range(write.to.over[-1], around)
            forms = self.forms(write.form, around, write.to.over[-1].name, values, own)
            cell_forms = ((label(write.to.name, (*at, value)), forms.get(value, {})) for value in values)
            yield from (pair for pair in cell_forms if pair[0] != first[0][0])

    def norm(self, norm: Norm, env: InstanceEnv) -> LayerNorm:
        """The norm at these sizes. Without writes of its own it reads and writes the whole residual stream."""
        outs = list(self.written(norm.writes, env))
        writes = tuple(c for c, _, _ in outs) or self.space
        forms = [self.form(tree, here) for _, tree, here in outs]
        reads = tuple(dict.fromkeys(c for form in forms for c in form)) or self.space
        gain, bias = ([self.number(part, env)] * len(writes) for part in (norm.gain, norm.bias))
        return LayerNorm(
            reads, writes, gain, bias, self.number(norm.epsilon, env),
            projection=_matrix(forms, reads) if forms else None, zero_variance=norm.zero,
        )  # fmt: skip


class SharedUnit(tuple[Any, ...]):
    """A hidden unit: its (coordinate, factor) pairs, and (None, bias). Equal units of a layer are made one object and
    are compared by identity, since their entries are slow to hash."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def label(name: str, at: Sequence[int]) -> str:
    """The name of a coordinate at its indices: at1, pair1_2; a negative index -2 is m2."""
    return name + "_".join(str(a) if a >= 0 else f"m{-a}" for a in at)


def _add(total: ReadForm, added: ReadForm, times: int = 1) -> None:
    """Add `times` the form `added` to `total`, in place."""
    for c, v in added.items():
        v = v if times == 1 else times * v
        total[c] = total[c] + v if c in total else v


def _merge(total: dict[int, ReadForm], added: dict[int, ReadForm], times: int = 1) -> None:
    """Add `times` the forms `added` to `total`, for each value of an index, in place."""
    for at, form in added.items():
        _add(total.setdefault(at, {}), form, times)


def _matrix(forms: Sequence[ReadForm], columns: Sequence[Any]) -> Any:
    """The matrix with a row for each form: its coefficients at these columns (coordinates or hidden units); other
    coefficients, such as the constant, are left out."""
    if not all(isinstance(v, (int, Fraction)) for form in forms for v in form.values()):
        return [[form.get(c, 0) for c in columns] for form in forms]
    places = {c: k for k, c in enumerate(columns)}
    rows = [{places[c]: v for c, v in form.items() if c in places} for form in forms]
    return rational_matrix(rows, len(columns))


@lru_cache(100_000)
def _natural(name: str) -> list[Any]:
    """A sort key for names in which x2 comes before x10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", name)]


def _numeral(value: Fraction | int) -> Tree:
    """The tree of a rational number."""
    value = Fraction(value)
    number: Tree = ("num", abs(value.numerator), 1)
    if value.denominator != 1:
        number = ("/", number, ("num", value.denominator, 1))
    return ("neg", number) if value < 0 else number


@lru_cache(10_000)
def _names(tree: Tree) -> frozenset[str]:
    """The names in a tree, including those of functions."""
    own = {tree[1]} if tree[0] in ("name", "call") else set()
    return frozenset(own.union(*(_names(part) for part in children(tree))))


@lru_cache(10_000)
def _reads(tree: Tree, coordinates: frozenset[str]) -> bool:
    """Whether a tree names one of `coordinates`, or has a hidden unit."""
    return bool(_names(tree) & (coordinates | {"relu"}))


def _place(tree: Tree, name: str) -> Tree | None:
    """The other side of `tree`, an equation with the index `name` on one side only; None for any other tree."""
    if tree[0] == "=":
        for side, other_side in ((tree[1], tree[2]), (tree[2], tree[1])):
            if side == ("name", name) and name not in _names(other_side):
                return other_side
    return None


def _total(terms: Sequence[Tree]) -> Tree:
    """The sum of `terms` as a tree, split in halves so that the tree is shallow."""
    if len(terms) < 2:
        return terms[0] if terms else ("num", 0, 1)
    half = len(terms) // 2
    return ("+", _total(terms[:half]), _total(terms[half:]))


def _flat(given: object) -> Iterator[Any]:
    """The entries of nested lists in order."""
    if isinstance(given, (list, tuple)):
        for part in given:
            yield from _flat(part)
    else:
        yield given
