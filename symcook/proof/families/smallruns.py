"""The runs of a family's statement at small sizes and tables, smallest first: a search for a counterexample.

In: a statement about all sizes of a family. Out: `FamilyTried`, with the sizes, the tables and the string at which the
statement is false, or with the lengths up to which it holds. The values of a run follow from the family's equations. A
value is computed when it is needed, by solving its equation, since values of several rounds depend on each other. As in
`shortruns`, nothing is trusted: a counterexample is proved afterwards, or only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product, takewhile
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.errors import BadInput, NotExact, Rejected
from symcook.model.instance import Instance, label
from symcook.model.modelfile import to_document
from symcook.present import present
from symcook.proof.replay import Statement
from symcook.proof.statements.exactvalues import minus, over, sign
from symcook.proof.statements.shortruns import LONGEST, VALUES, WORK, Runs, Tried
from symcook.proof.terms import Term, flatten, num, replace

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.transformer import Transformer

MOST_SIZES = 6
"""The largest sum of the sizes that are tried. The equations of an instance grow with each size."""
MOST_INSTANCES = 16
"""The greatest number of instances (sizes with tables) that are tried. Each gets a 32nd part of the budget, so that
half of it is spent in the first round."""
MOST_TABLES = 3
"""The greatest number of tables that are tried at the same sizes. The first is the most regular one, and two others
tell constants from entries."""
PARTS = (32, 4)
"""Each instance gets this part of the budget, 1/32 at first, and 1/4 in a patient second round."""
ENTRIES = (0, 1, -1, 2)
"""The entries of tables that are tried, but for the first tables, whose entries are the first index (`_tables`)."""
RunValues = dict[Term, Any]
"""Name in the statement -> a number, or a table {place: number}."""


@dataclass(frozen=True)
class FamilyEquation:
    """An equation of the run for a function at the arguments `at`, which may be bound integers.

    `ranges` are the ranges of the bound integers, the outermost first, and `body` is the equation inside of them.
    """

    ranges: tuple[Term, ...]
    at: tuple[Term, ...]
    body: Term


@dataclass(frozen=True)
class FamilyTried(Tried):
    """The result of trying a sentence about a family on short strings.

    `at` has the sizes and tables where it is false, `sizes` the same as text, and `model` the instance there. `reached`
    has pairs of sizes and tables, as text, and the length up to which all strings were tried; if the sentence is false
    at `at`, only of those before it.
    """

    sizes: str | None = None
    at: Any = None
    model: Any = None
    reached: tuple[tuple[str, int], ...] = ()

    @property
    def smaller(self) -> str | None:
        """The same text as for one model, and the length up to which smaller sizes were tried, if that was not
        `LONGEST`."""
        shortest = min((length for _, length in self.reached), default=LONGEST)
        if self.sizes is None or shortest >= LONGEST:
            return super().smaller
        tried = f"smaller sizes were tried to {shortest} position{'s' * (shortest > 1)}"
        return "; ".join(filter(None, (super().smaller, tried if shortest else "smaller sizes were not all tried")))

    def true_of(self, model: Transformer | None) -> str:
        """The inputs, with the sizes and tables at which they were tried, of which the sentence was found true."""
        tried = [size_reached for size_reached in self.reached if size_reached[1]]
        if not tried:
            return ""
        shortest, (first, _), (last, _) = min(length for _, length in tried), tried[0], tried[-1]
        where = first if first == last else f"{first} to {last}"
        return f"all inputs with at most {shortest} position{'s' * (shortest > 1)} at {where}"


class FamilyRuns(Runs):
    """The runs of a statement about all sizes of a family; `names` are those of the family in the statement."""

    def __init__(
        self,
        statement: Statement,
        family: Family,
        names: Mapping[str, str],
        until: Until | None = None,
        patient: bool = False,
    ) -> None:
        outside = {*family.sizes, *family.tables, *(input_.name for input_ in family.inputs)}
        super().__init__(statement, None, until, computed=[names[name] for name in names.keys() - outside])
        # `own` has the variable of the statement for each name of the family. The values of the variables in
        # `solvable` follow from `equations`.
        leading, self.patient = {v[1][0]: v for v in self.order}, patient
        self.family, self.w, self.n = family, leading.get("w"), leading.get("n")
        self.own = {name: leading[new] for name, new in names.items()}
        self.words_of = set[Term]() if self.w is None else {self.w}
        self.premises = [*self.choose, *(premise for premise, _ in self.follow)]
        self.solvable = {v for name, v in self.own.items() if name not in outside}
        self.equations: dict[Term, list[FamilyEquation]] = {}
        for premise in self.premises:
            self._read(premise)
        self.solving: set[tuple[Term, Any]] = set()  # values whose equation is being solved
        self.all_instances = list(takewhile(lambda _: until is None or until.left > 0, small(family)))
        self.chosen = list[Instance]()  # the instances to try; all of them where it is empty
        self.at_sizes: Instance | None = None  # the instance that is being tried

    def _read(self, premise: Term) -> None:
        """Store an equation of the run under the function whose value it determines."""
        ranges, body = list[Term](), premise
        while body[0] == "all" and body[2][0][0] == "->":
            inside, body = body[2][0][2]
            ranges.append(inside)
        first = flatten("&", body)[0]
        about = _about(first[2][0], self.solvable) if first[0] == "=" else None
        if about is not None:
            head, arguments = (about[2][0], about[2][1:]) if about[0] == "app" else (about, ())
            self.equations.setdefault(head, []).append(FamilyEquation(tuple(ranges), tuple(arguments), body))

    # --- Strings ------------------------------------------------------------------------------------------------------

    def at(self, length: int) -> Iterator[bool]:
        """Run all strings with `length` positions at the chosen instances, or at all of them; yields as `Runs.at`."""
        if self.n is None and length > 1:
            return
        for instance in self.chosen or self.all_instances:
            self._use(instance)
            for string_values in self._strings(length):
                self.values: RunValues = {v: None if isinstance(v[1][1], str) else {} for v in self.order}
                self.values.update({**self.fixed, **string_values})
                if self.n is not None:
                    self.values[self.n] = length
                self.length = length
                yield from self._run([])

    def _use(self, instance: Instance) -> None:
        """Use the sizes and tables of an instance; cached values of another instance are dropped."""
        self.at_sizes = instance
        self.document = to_document(instance.model(None, None))
        for cached in ("model", "start"):
            self.__dict__.pop(cached, None)
        self.fixed = {}
        for name in self.family.sizes:
            self.fixed[self.own[name]] = int(instance.env[name])
        for name, table in self.family.tables.items():
            cells = {_key(at): _short(instance.entry(name, at)) for at in instance._cells(table.over)}
            self.fixed[self.own[name]] = cells if table.over else cells[()]

    def _strings(self, length: int) -> Iterator[RunValues]:
        """The strings, or tables of input numbers, of this length, as values of names; each costs work."""
        document: Any = self.document
        places = range(self.start, self.start + length)
        if self.w is not None:
            # Every string of input tokens, with the start and end tokens where the model has these.
            words, ends = list(document["embedding"]["words"]), (document["embedding"][k] for k in ("before", "after"))
            before, after = ([words.index(end)] if end is not None else [] for end in ends)
            typed = [k for k in range(len(words)) if [k] not in (before, after)]
            for letters in product(typed, repeat=max(0, length - len(before) - len(after))):
                self.spend(length)
                yield {self.w: dict(zip(places, (*before, *letters, *after), strict=False))}
            return
        # Without tokens: every table of small numbers for the inputs.
        cells = [
            (self.own[input_.name], at) for input_ in self.family.inputs for at in self.inputs_at(input_.name, places)
        ]
        for numbers in product(VALUES, repeat=len(cells)):
            self.spend(len(cells) + 1)
            row: RunValues = {}
            for (v, at), number in zip(cells, numbers, strict=True):
                if at == ():
                    row[v] = number
                else:
                    row.setdefault(v, {})[_key(at)] = number
            yield row

    def inputs_at(self, name: str, places: Sequence[int]) -> list[tuple[int, ...]]:
        """The places of an input, with the position last where there are positions."""
        cells = present(self.at_sizes).cells[name]
        return cells if self.n is None else [(*at, i) for i in places for at in cells]

    def _follows(self) -> bool:
        """Whether all premises hold."""
        # A list, not a generator: each premise is evaluated, which computes the values of the run.
        self.solving = set()
        return all([self.truth(premise, ()) for premise in self.premises])

    # --- Values -------------------------------------------------------------------------------------------------------

    def without_value(self, name: Term) -> Any:
        """The value of a name that has none yet: by its equation."""
        solved = self._solved(name, ())
        return super().without_value(name) if solved is None else solved

    def behind_the_end(self, head: Term, at: Any) -> Any:
        """The value of a function at a place where it has none yet: by its equation."""
        solved = self._solved(head, at if isinstance(at, tuple) else (at,))
        return super().behind_the_end(head, at) if solved is None else solved

    def _solved(self, f: Term, at: tuple[int, ...]) -> Any:
        """The value that the equations give a function at a place, which is also stored; None where no equation is
        about it, Rejected where the value depends on itself."""
        for equation in self.equations.get(f, ()):
            bound = self._bound(equation, at)
            if bound is None:
                continue
            if (f, at) in self.solving:
                raise Rejected("an equation depends on its own value")
            self.solving.add((f, at))
            value = self._valued_at(f, at, equation.body, bound)
            self.solving.discard((f, at))
            self._give_value(f, at, value)
            return value
        return None

    def _give_value(self, f: Term, at: tuple[int, ...], value: Any) -> None:
        """Store the value of a function at a place, or of a name."""
        if at:
            self.values[f][_key(at)] = value
        else:
            self.values[f] = value

    def _bound(self, equation: FamilyEquation, at: tuple[int, ...]) -> tuple[int, ...] | None:
        """The bound integers, the innermost first, with which the equation is about the place `at`; None where it is
        about other places."""
        # Arguments that are bound variables give the integers. With these, every argument must have its value, and
        # every integer must be in its range.
        depth = len(equation.ranges)
        integers: list[int | None] = [None] * depth
        for argument, value in zip(equation.at, at, strict=True):
            if argument[0] == "bound":
                integers[argument[1][0]] = value
        bound = tuple(value for value in integers if value is not None)
        if len(bound) < depth:
            return None
        for argument, value in zip(equation.at, at, strict=True):
            if self.value(argument, bound) != value:
                return None
        for k, inside in enumerate(equation.ranges):
            places = self.range(inside, bound[depth - k :])
            if places is None or bound[depth - 1 - k] not in places:
                return None
        return bound

    def _valued_at(self, f: Term, at: tuple[int, ...], body: Term, bound: tuple[int, ...]) -> Any:
        """The value of f at a place by the first part of an equation that determines it; 0 where no part does."""
        part: Any
        for part in flatten("&", body):
            while part[0] == "->":
                part = part[2][1] if self.truth(part[2][0], bound) else ("true", None, ())
            if part[0] != "=":
                continue
            summand, right = part[2]
            # ``f(at) = right``, or ``(f(at) + rest)*factor = right`` with a factor that is not 0.
            if _about(summand, {f}) is summand:
                return self.value(right, bound)
            if summand[0] == "*":
                value, size = summand[2]
                factor = self.value(size, bound)
                if sign(factor):
                    mine = present(_about(value, {f}))
                    without_value = self.value(replace(value, mine, num(0)), bound)
                    return minus(over(self.value(right, bound), factor), without_value)
        return 0

    # --- The model ----------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[dict[str, str]]:
        """The inputs of a family of numbers, one row for each position, as a model file's command takes them."""
        places: Sequence[int] = range(self.start, self.start + self.length) if self.n is not None else [0]
        rows = []
        for i in places:
            row = {}
            for input_ in self.family.inputs:
                for cell in present(self.at_sizes).cells[input_.name]:
                    at = cell if self.n is None else (*cell, i)
                    table = self.values[self.own[input_.name]]
                    row[label(input_.name, cell)] = str(table[_key(at)] if at else table)
            rows.append(row)
        return rows

    @property
    def given(self) -> Any:
        """The input of the present run: its string, or its rows of numbers."""
        return self.word if self.w is not None else self.rows

    @property
    def word(self) -> tuple[str, ...]:
        """The string of the present run, or a text for each row of numbers."""
        if self.w is not None:
            return super().word
        return tuple(", ".join(f"{name}={x}" for name, x in row.items()) for row in self.rows)

    def columns(self, stem: str) -> Iterator[dict[int, Any]]:
        """The values of the run as columns: for each function and its first indices the values by position."""
        for x in self.values.values():
            if self.n is None:
                yield from ({self.start: table} for table in (x.values() if isinstance(x, dict) else [x]))
            elif isinstance(x, dict):
                by_first_indices: dict[Any, dict[int, Any]] = {}
                for at, entry in x.items():
                    *first, i = at if isinstance(at, tuple) else (at,)
                    by_first_indices.setdefault(tuple(first), {})[i] = entry
                yield from by_first_indices.values()

    # --- Sentences ----------------------------------------------------------------------------------------------------

    def tried(self, longest: int = LONGEST) -> FamilyTried:
        """The sentence at the smallest sizes and the smallest string where it is false, or the lengths where it holds.

        Each size gets little work at first, so that a counterexample at larger sizes is found too; if `patient`, then
        more.
        """
        # `reached` has the length up to which each instance was tried; `first_false` is the index of the first instance
        # at which the sentence is false.
        budget_all, until, reached = self.budget, self.until, dict[str, int]()
        first_false = len(self.all_instances)
        # Each instance gets a 32nd part of the budget, then, if `patient`, a quarter.
        for part in PARTS if self.patient else PARTS[:1]:
            self.budget = budget_all // part
            for k, instance in enumerate(self.all_instances[:first_false]):
                if until is not None and until.left <= 0:
                    break
                self.chosen = [instance]
                result = super().tried(longest)
                if result.word is not None:
                    first_false = k
                    break
                reached[instance.values] = max(result.length, reached.get(instance.values, 0))
        # The sentence is false at some sizes; smaller ones that were not tried completely may be counterexamples too.
        if first_false < len(self.all_instances):
            first_false = self._below(first_false, longest, reached)
        self.budget, self.chosen = budget_all, self.all_instances[first_false : first_false + 1]
        if not self.chosen:
            return FamilyTried(None, min(reached.values(), default=0), reached=(*reached.items(),))
        self.until = None  # no time limit: the same string is found again
        result = super().tried(longest)
        self.until = until
        at = self.chosen[0]
        values = {size: int(at.env[size]) for size in self.family.sizes}
        values |= {
            name: [str(at.entry(name, cell)) for cell in at._cells(table.over)]
            for name, table in self.family.tables.items()
        }
        smaller = self.all_instances[:first_false]
        below = tuple((instance.values, reached.get(instance.values, 0)) for instance in smaller)
        return FamilyTried(
            result.word,
            result.length,
            result.outside,
            result.open_at,
            sizes=at.values,
            at=values,
            model=self.model,
            reached=below,
        )

    def _below(self, first_false: int, longest: int, reached: dict[str, int]) -> int:
        """The index of the first instance at which the sentence is found false, at most `first_false`.

        All instances before it together get as much work as one model gets; `reached` is updated.
        """
        before = [k for k in range(first_false) if reached.get(self.all_instances[k].values, 0) < longest]
        for k in before:
            self.chosen, self.budget = [self.all_instances[k]], WORK // len(before)
            result = super().tried(longest)
            if result.word is not None:
                return k
            values = self.chosen[0].values
            reached[values] = max(result.length, reached.get(values, 0))
        return first_false


def small(family: Family) -> Iterator[Instance]:
    """Instances of the family at small sizes and tables, the smallest first; sizes and tables that the family does not
    allow are left out."""
    # Sizes in the order of their sum; for each, the first few tables that the family allows.
    count = 0
    sizes = product(range(MOST_SIZES + 1), repeat=len(family.sizes))
    for chosen in sorted(
        (candidate for candidate in sizes if sum(candidate) <= MOST_SIZES),
        key=lambda candidate: (sum(candidate), candidate),
    ):
        size_values = dict(zip(family.sizes, chosen, strict=True))
        tables = 0
        for entries in _tables(family):
            with suppress(BadInput, NotExact, TypeError, ZeroDivisionError):
                instance = Instance(family, {**size_values, **entries})
                instance.model(None, None)
                yield instance
                count, tables = count + 1, tables + 1
            if count == MOST_INSTANCES:
                return
            if tables == MOST_TABLES:
                break


def _tables(family: Family) -> Iterator[Mapping[str, object]]:
    """Tables of small numbers, as functions of the indices: the first index itself, then the digits of 0, 1, 2, ..."""
    if not family.tables:
        yield {}
        return
    # All numbers of up to three digits; `small` uses only the first few tables.
    yield dict.fromkeys(family.tables, lambda *at: at[0] if at else 1)
    for number in range(len(ENTRIES) ** 3):
        # The entries are asked for in a fixed order; each takes the next digit.
        entries = _digits(number)
        yield dict.fromkeys(family.tables, lambda *at, entries=entries: next(entries))


def _digits(number: int) -> Iterator[int]:
    """The digits of a number in base len(ENTRIES), the last one first and then zeros without end, each as its entry in
    `ENTRIES`."""
    while True:
        number, digit = divmod(number, len(ENTRIES))
        yield ENTRIES[digit]


def _about(t: Term, among: set[Term]) -> Term | None:
    """The leftmost name or application in a term of one of the functions `among`; None where there is none."""
    if t in among or (t[0] == "app" and t[2][0] in among):
        return t
    return next((head for part in t[2] if (head := _about(part, among)) is not None), None)


def _key(at: Sequence[int]) -> int | tuple[int, ...]:
    """The key of a place in a table of values: an integer, or a tuple of several."""
    return at[0] if len(at) == 1 else tuple(at)


def _short(x: Fraction) -> int | Fraction:
    """The same number, as an int where it is one."""
    return x.numerator if x.denominator == 1 else x
