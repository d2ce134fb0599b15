"""The runs of a statement on short strings: the values of its functions there, and whether its conclusion is true.

`Runs` takes a statement about a model, and perhaps the model's document. It goes through the strings, shortest first,
and `values` has the values of all names of the statement on the present string. `Runs.tried` looks for a string on
which the statement is false.

The premises of a statement determine all values once the string is known: its length, the token at each position, and
one equation for each function, which is solved position by position. Values are exact (see `exactvalues`). A value
without an exact form, or an undecided comparison, leaves the string open. With the document, the model's own forward
pass must have a run on the string, and its values must be among those of the equations. The results are untrusted: a
counterexample is proved afterwards (see `witness`), or reported as unproved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from symcook.alarm import TimeUp, Until, alarm
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.locks import PRECISION
from symcook.numbers.roots import Root
from symcook.present import present
from symcook.proof.grammar import leading_names
from symcook.proof.instances import HERE, Instances, _integers
from symcook.proof.replay import Statement
from symcook.proof.statements.evaluated import Evaluated
from symcook.proof.statements.exactvalues import OPEN, minus, over, short, sign
from symcook.proof.statements.secondrun import SecondRun, place_parts, second_runs
from symcook.proof.terms import Term, flatten, free, num, opened, replace, var
from symcook.walk import may_lack_runs

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.statements.exactvalues import OwnValue

WORK = 800_000
"""The number of evaluated symbols after which no further string is tried, in each of the two rounds of `Runs.tried`. It
is a count, so that the same strings are tried on every machine."""
FOR_ONE = 20
"""A single string that a decision gives may take this many times the budget of all short strings: it may be long."""
LONGEST = 12
"""The maximum number of positions of a string that is tried. With two symbols there are 8,190 strings of 1 to 12
positions."""
VALUES = (0, 1, -1, 2, Fraction(1, 2))
"""The numbers that are tried as inputs of a model that takes numbers, and as values of a model's symbols."""
POINTS = 3
"""The number of values that are tried for each symbol of a model. A model with k symbols has up to 3^k of such
points."""
WIDE = 3
"""The maximum length of the strings for which other values beyond the ends of the string are tried (`Runs.false`).
There are as many tries as strings times values."""


class WordsSpent(Exception):
    """The work or the time for strings is used up."""


@dataclass(frozen=True)
class Tried:
    """The result of evaluating a statement on short strings.

    `word` has the typed tokens of the smallest string found on which the statement is false, None if none was found.
    All strings up to `length` were tried. `outside` says whether the conclusion asks for values beyond the ends of this
    string; it is False without a `word`. `open_at` is the first string that was left open. `places` are the positions p
    of ``changed(p, a)`` at which the statement is false, by name. `unsought` says which smaller strings were not tried,
    if a decision procedure gave `word`.
    """

    word: tuple[str, ...] | None
    length: int
    outside: bool = False
    open_at: tuple[str, ...] | None = None
    places: Mapping[str, int] = field(default_factory=dict)
    unsought: str | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def smaller(self) -> str | None:
        """A remark on which smaller strings may be counterexamples too; None if `word` is the smallest."""
        return self.unsought if self.open_at is None else "smaller words are open"

    def true_of(self, model: Transformer | None) -> str:
        """All that the statement was found true of, after "true of"; "" if that is nothing. Of a model that reads
        numbers or has symbols few values were tried, and a string without a run makes no statement false."""
        if model is None or not self.length:
            return ""
        rows = model.embedding.inputs is not None
        what = f"rows of {', '.join(map(str, VALUES))}" if rows else "strings"
        runs = " that have a run" * may_lack_runs(model)
        names = " and ".join(parameter.name for parameter in model.parameters)
        where = f" at the tried values of {names}" if names else ""
        return f"all {what}{runs} with at most {self.length} position{'s' * (self.length > 1)}{where}"


class Runs(Instances):
    """The runs of a statement, on the shortest strings first. `values` has the values of all names that the statement
    quantifies, on the present string: a number, or by position for a function."""

    def __init__(
        self,
        statement: Statement,
        document: Mapping[str, Any] | None = None,
        until: Until | None = None,
        other: Mapping[str, object] | None = None,
        computed: Collection[str] = (),
    ):
        """`document` is the model; if it has symbols, strings are tried at some values of them (`points`). `other` is a
        second model. `computed` are the names of numbers whose values follow from the equations."""
        super().__init__(leading_names(statement.expanded), LONGEST)
        self.document, self.until = document, until
        self.others = [] if document is None else [*second_runs(statement.note or "", document, other)]
        self.limit = self.budget = WORK
        self.look = 0  # the amount of work at which the time is checked next
        self.evaluated = Evaluated(self)
        self.direct: dict[int, Term | None] = {}  # by the id of a premise: the result of `_valued`
        self.longest = LONGEST
        # The quantified names, as variables.
        premises: list[Term] = []
        t = statement.formula
        self.order: list[Term] = []
        while t[0] == "all" and len(self.order) < len(self.names):
            self.order.append(var(self.names[len(self.order)], t[1]))
            t = t[2][0]
        t = opened(statement.formula, self.order)
        functions = {v for v in self.order if not isinstance(v[1][1], str)}
        inputs = None if document is None else document["embedding"]["inputs"]
        self.pointwise = inputs is not None and not functions
        # The symbols of the model come after n, then the inputs. At each point that is tried they have other values,
        # `fixed` at the present one.
        tried_points = points(document)
        symbols = self.order[not self.pointwise :][: len(tried_points[0])]
        self.symbols = dict(zip(symbols, tried_points[0], strict=True))
        self.points = [dict(zip(symbols, point.values(), strict=True)) for point in tried_points]
        self.fixed = self.points[0]
        first_input = len(symbols) + (not self.pointwise)
        self.inputs = [] if inputs is None else self.order[first_input : first_input + len(inputs)]
        # The leading premises, until all functions occur in them, are the premises of the run. The rest of the formula,
        # perhaps with further premises, is the conclusion.
        known_names = {*self.inputs, *self.fixed}
        to_solve = {*self.order} if self.pointwise else functions | {v for v in self.order if v[1][0] in computed}
        while t[0] == "->" and not to_solve <= known_names:
            premises += flatten("&", t[2][0])
            known_names |= free(t[2][0])
            t = t[2][1]
        self.conclusion = t
        # Values are chosen for the length, the positions of changed symbols, the tokens, and inputs that are numbers
        # (`chosen_names`, with the fixed names). The values of all other names follow.
        self.numbers = [v for v in self.order if v[1][1] == "Int"]
        # Functions to integers are the tokens of strings, but for truth functions and states of automata.
        truths = {v for p in premises if (v := _truth_function(p)) is not None}
        self.words_of = {v for v in functions if v[1][1][2] == "Int"} - truths
        chosen_names = {*self.order} if self.pointwise else {*self.numbers, *self.words_of, *self.inputs, *self.fixed}
        named_places = dict.fromkeys(place for run in self.others for place in run.named)
        self.size_name = self.numbers[0] if len(self.numbers) == 1 + len(named_places) else None
        self.places = dict(zip(named_places, self.numbers[1:], strict=False))  # of changed symbols, by name
        # Premises about the string alone, then those about positions of changed symbols too, then the equations.
        self.choose = [p for p in premises if free(p) <= chosen_names.difference(self.places.values())]
        self.where = [p for p in premises if free(p) <= chosen_names and p not in self.choose]
        ordered = _ordered([p for p in premises if not free(p) <= chosen_names], chosen_names)
        self.follow = [(p, [v for v in self.order if v in free(p)]) for p in ordered]
        self.outside: dict[Term, Any] = {}  # by function: the value that is tried beyond the ends of the string
        self.beyond: set[Term] = set()  # the functions that were evaluated beyond the ends of the string
        self.strict = True  # whether a function evaluated beyond the ends of the string is an error
        # By (f, i): the numbers q such that f(i) is the product of all sqrt(q); and the term that f(i) equals.
        self.roots: dict[tuple[Term, int], tuple[Fraction, ...]] = {}
        self.solved: dict[tuple[Term, int], Term] = {}
        self.parts: list[tuple[Term, Term, int]] = []  # (f, equation, i) in the order in which they were solved

    # --- Strings -------------------------------------------------------------------------------------------------

    def at(self, length: int) -> Iterator[bool]:
        """Go through all strings with `length` positions that satisfy the premises. Yields True for each, with its
        values in `values`; False for a string that is left open. Raises WordsSpent when the work or the time is used
        up, and one of `OPEN` if a premise about the string alone is undecided."""
        for point in self.points:
            self._at_point(point)
            if self.inputs:
                yield from self._rows(length)
            elif self.size_name is not None:
                functions = self._begin(self.size_name, length)
                for _ in self.meeting(self.choose):
                    yield from self._placed([v for v in functions if v not in self.words_of])

    def _at_point(self, point: Mapping[Term, Any]) -> None:
        """Use these values of the model's symbols; the model with other values is dropped."""
        self.fixed = dict(point)
        for cached in ("model", "seconds") if point else ():
            self.__dict__.pop(cached, None)

    def _begin(self, size_name: Term, length: int) -> list[Term]:
        """Set the length and the fixed values, and empty the values of the functions; returns the functions."""
        functions = [v for v in self.order if v not in self.numbers and v not in self.fixed]
        self.values |= {v: {} for v in functions} | self.fixed
        self.values[size_name] = self.length = length
        self.size = size_name
        return functions

    def _placed(self, functions: Sequence[Term]) -> Iterator[bool]:
        """As `at`, for the present string alone, with each choice of positions for changed symbols. `functions` are
        those whose values follow."""
        for positions in product(range(self.start, self.start + self.length), repeat=len(self.places)):
            self.values |= zip(self.places.values(), positions, strict=True)
            if all(self.truth(premise, ()) for premise in self.where):
                yield from self._run(functions)

    def on(self, letters: Sequence[int]) -> Iterator[bool]:
        """As `at`, for one string alone, with its own budget of work; `letters` are the numbers of its tokens. Yields
        nothing more once this budget is spent, and nothing at all for a model that reads numbers."""
        if self.inputs or self.size_name is None or len(self.words_of) != 1:
            return
        (w,) = self.words_of
        self.limit = self.work + FOR_ONE * self.budget
        for point in self.points:
            self._at_point(point)
            functions = self._begin(self.size_name, len(letters))
            self.values[w] = dict(enumerate(letters, self.start))
            try:
                if all(self.truth(premise, ()) for premise in self.choose):
                    yield from self._placed([v for v in functions if v is not w])
            except (WordsSpent, *OPEN):
                return

    def _run(self, functions: Sequence[Term]) -> Iterator[bool]:
        """Set the values of these functions by the equations. Yields True if all premises hold then, False if that is
        left open, and nothing if a premise is false."""
        self.strict, self.outside, self.roots = True, {}, {}
        self.solved, self.parts = {}, []
        self.values |= {v: {} for v in functions}
        try:
            if self._follows():
                yield True
        except OPEN:
            yield False

    def _rows(self, length: int) -> Iterator[bool]:
        """As `at`, for a model that takes numbers: with all inputs made of `VALUES`."""
        if self.pointwise and length > 1:
            return
        places = range(self.start, self.start + length)
        for input_numbers in product(VALUES, repeat=len(self.inputs) * len(places)):
            self.values = {**dict.fromkeys(self.order), **self.fixed}
            if self.pointwise:  # no positions: the premises are solved for numbers
                self.values |= zip(self.inputs, input_numbers, strict=True)
                try:
                    for _ in self.meeting(self.choose):
                        yield True
                except OPEN:
                    yield False
                continue
            # With positions: each input is a function of the position, and its numbers are a column.
            functions = [v for v in self.order if v not in (*self.numbers, *self.inputs, *self.fixed)]
            self.values[self.order[0]] = self.length = length
            columns = [input_numbers[k :: len(self.inputs)] for k in range(len(self.inputs))]
            self.values |= {v: dict(zip(places, x, strict=True)) for v, x in zip(self.inputs, columns, strict=True)}
            for _ in self.meeting(self.choose):
                yield from self._run(functions)

    def _follows(self) -> bool:
        """Set the values of the functions by their equations; returns whether all premises hold. Rejected if a function
        has no equation, or if an equation has two functions without values."""
        for premise, names in self.follow:
            unknown = [v for v in names if self.values[v] == {}]
            inner: Any = premise[2][0] if premise[0] == "all" else premise
            if unknown and premise[0] == "all" and inner[0] == "->":  # ``all i in a..b. F``, which is solved for f(i)
                if len(unknown) > 1:
                    raise Rejected("an equation has more than one function without values")
                if (value := self._valued(unknown[0], premise)) is not None:
                    self._give(unknown[0], inner, value)
                    continue
                for i in self.range(inner[2][0], ()) or []:
                    self._solve(unknown[0], inner[2][1], i)
            elif unknown:
                raise Rejected("a function without an equation has no value")
            if not self.truth(premise, ()):  # an equation that is solved may still have a false part
                return False
        return True

    def _valued(self, f: Term, premise: Term) -> Term | None:
        """The t of a premise ``all i in a..b. f(i) = t``, if t does not contain f and is not a square root; else
        None. For a root, `_solve` also records `roots`."""
        if id(premise) not in self.direct:
            body = premise[2][0][2][1]
            is_solved = body[0] == "=" and body[2][0] == ("app", None, (f, HERE)) and f not in free(body[2][1])
            self.direct[id(premise)] = body[2][1] if is_solved and body[2][1][:2] != ("fn", "sqrt") else None
        return self.direct[id(premise)]

    def _give(self, f: Term, inner: Term, value: Term) -> None:
        """Set f(i) to `value` at each place i of the range in `inner`, which is ``i in a..b -> f(i) = value``.

        The work counted is that of `_solve` with a check of the equation, so that this shortcut does not change how
        many strings are tried."""
        table, began = self.values[f], self.work
        places = self.range(inner[2][0], ()) or []
        self.spend(1 + self.work - began)
        for i in places:
            began = self.work
            table[i] = short(self.value(value, (i,)))
            self.spend(2 * (self.work - began) + 10)
            self.solved[f, i] = value
            self.parts.append((f, inner[2][1], i))

    def _solve(self, f: Term, body: Term, i: int) -> None:
        """Set f(i) to the solution of the first equation in `body` that is linear in f(i) and determines it, else to 0.
        Records the solution as a term in `solved`, if the equation gives it as one. Records the equation in `parts`,
        unless it is f(i) = sqrt(t): then `roots` has the radicand, if it is rational and its root is not."""
        table = self.values[f]
        part: Any
        for part in flatten("&", body):
            while part[0] == "->":  # an equation under conditions: only if they are true
                try:
                    part = part[2][1] if self.truth(part[2][0], (i,)) else ("true", None, ())
                except Rejected:  # the condition contains f(i) itself
                    part = ("true", None, ())
            if part[0] != "=":
                continue
            a, b = part[2]
            if a[0] == "app" and a[2] == (f, HERE) and b[0] == "fn" and b[1] == "sqrt":  # f(i) = sqrt(t)
                radicand = self.value(b[2][0], (i,))
                table[i] = self.value(b, (i,))
                self.solved[f, i] = b
                if isinstance(radicand, int | Fraction) and isinstance(table[i], Root):
                    self.roots[f, i] = (Fraction(radicand),)
                return
            if a[0] == "*" and f in free(a[2][0]) and f not in free(a[2][1]):  # (f(i) - c)*d = b, so f(i) = b/d + c
                factor = self.value(a[2][1], (i,))
                if sign(factor):
                    table[i] = 0
                    table[i] = minus(over(self.value(b, (i,)), factor), self.value(a[2][0], (i,)))
                    without_here = replace(a[2][0], ("app", None, (f, HERE)), num(0))
                    self.solved[f, i] = ("-", None, (("/", None, (b, a[2][1])), without_here))
                    self.parts.append((f, part, i))
                    return
                continue
            # Any other equation: the difference of its sides is taken to be linear in f(i), so its values for
            # f(i) = 0 and f(i) = 1 give the solution. `_follows` checks the equation afterwards.
            differences = []
            for trial_value in (0, 1):
                table[i] = trial_value
                differences.append(minus(self.value(a, (i,)), self.value(b, (i,))))
            slope = minus(differences[0], differences[1])
            if sign(slope):
                table[i] = over(differences[0], slope)
                if a[0] == "app" and a[2] == (f, HERE):
                    self.solved[f, i] = b
                self.parts.append((f, part, i))
                return
        table[i] = 0

    def choices(self, premise: Term) -> Iterator[bool]:
        """As in `Instances`. In addition, a premise ``w(t) = c`` gives w its value at one position."""
        if premise[0] == "=":
            for head, token in (premise[2], premise[2][::-1]):
                if head[0] == "app" and len(head[2]) == 2 and isinstance(self.values.get(head[2][0]), dict):
                    place, table = self.value(head[2][1], ()), self.values[head[2][0]]
                    if place not in table:
                        table[place] = self.value(token, ())
                        yield True
                        table.pop(place, None)
                        return
        yield from super().choices(premise)

    # --- The model -----------------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> Any:
        """The model, at the present values of its symbols; None without a document."""
        return self._at_values(_model(self.document))

    @cached_property
    def seconds(self) -> list[tuple[Any, SecondRun]]:
        """Each second run with its model."""
        return [(self._at_values(_model(run.document)), run) for run in self.others]

    def _at_values(self, model: Any) -> Any:
        """A model at the present values of the symbols that it has; None for None."""
        values = {name: self.fixed[v] for v, name in self.symbols.items()}
        return model and model.bind({p.name: values[p.name] for p in model.parameters})

    @cached_property
    def start(self) -> int:
        """The first position."""
        return 1 if self.document is None else int(self.document["embedding"]["start"])

    @property
    def rows(self) -> list[dict[str, str]]:
        """The present input of a model that takes numbers: for each position, the numbers by name, as text."""
        tables = [self.values[v] if isinstance(self.values[v], dict) else {0: self.values[v]} for v in self.inputs]
        names = [] if self.document is None else self.document["embedding"]["inputs"]
        return [{name: str(t[i]) for name, t in zip(names, tables, strict=True)} for i in sorted(tables[0])]

    @property
    def word(self) -> tuple[str, ...]:
        """The typed tokens of the present string; without a document the numbers of all its tokens, as text; for a
        model that takes numbers, its rows as text."""
        if self.inputs:
            return tuple(", ".join(f"{name}={x}" for name, x in row.items()) for row in self.rows)
        (w,) = self.words_of
        numbers = [self.values[w][i] for i in sorted(self.values[w])]
        if self.document is None:
            return tuple(map(str, numbers))
        tokens = list(self.document["embedding"]["words"])
        return tuple(self.model.embedding.typed([tokens[k] for k in numbers]))

    def runs(self) -> bool:
        """Whether each model has a run on the present string, by its forward pass. SymcookError if the equations give
        no function the values that a coordinate has in that run."""
        if self.model is not None and not self._ran(self.model, "", self.given):
            return False
        return all(self._ran(model, run.stem, self._changed(run)) for model, run in self.seconds)

    def _changed(self, run: SecondRun) -> Any:
        """The input of a second run for the present string."""
        if not run.places and not run.symbols:
            return self.given
        first = self.start + (present(self.document)["embedding"]["before"] is not None)

        def index(place: str) -> int:
            name, more = place_parts(place)
            if name in run.named:
                return self.values[self.places[name]] + more - first
            return (self.length if name == "n" else int(name)) + more - first

        return run.string(self.word, index)

    @property
    def given(self) -> Any:
        """The present input as the model takes it."""
        return self.rows if self.inputs else self.word

    def columns(self, stem: str) -> Iterator[dict[int, Any]]:
        """For each function whose name begins with `stem`: its values by position."""
        return (x for v, x in self.values.items() if isinstance(x, dict) and v[1][0].startswith(stem))

    def _ran(self, model: Any, stem: str, given: Any) -> bool:
        """As `runs`, for one model on the input `given`. The names of its functions begin with `stem`."""
        from symcook.domains import make_domain
        from symcook.errors import NotExact, Undecided
        from symcook.forward import forward
        from symcook.run import prepare, run

        try:
            sequence, _ = prepare(model, given)
            try:
                result = forward(model, sequence, make_domain("exact"), trace=True)
            except NotExact:  # rigorous intervals show that there is a run, but not its exact values
                return run(model, given, "ball") is not None
        except (BadInput, Undecided):
            return False
        # A coordinate of the forward pass must have the values of some function, or be 0.
        places = range(model.embedding.start, model.embedding.start + len(sequence))
        by_equations = [[table.get(i, 0) for i in places] for table in self.columns(stem)]
        by_equations += [[x] for x in self.values.values() if self.pointwise]
        with PRECISION, result.domain.context():
            for name, column in result.stream.items():
                by_forward = [result.domain.read(column, k) for k in range(len(places))]
                if all(_differ(by_forward, own_column) for own_column in [*by_equations, [0] * len(by_forward)]):
                    raise SymcookError(f"the equations and the run of {self.word} differ at {name}; please report it")
        return True

    # --- The conclusion ------------------------------------------------------------------------------------------

    def false(self, wide: bool = False) -> bool | None:
        """Whether the conclusion is false on the present string; None if that is left open.

        A conclusion may contain values beyond the ends of the string, about which the equations state nothing. There a
        function is 0, and there is no token. With `wide` other values are tried too, since the conclusion must hold for
        all of them.
        """
        self.strict, self.beyond, self.outside = False, set(), {}
        try:
            if not self.truth(self.conclusion, ()):
                return True
            if not wide or not self.beyond:
                return False
            functions_beyond = sorted(self.beyond, key=lambda v: v[1][0])
            tokens = range(max((x for w in self.words_of for x in self.values[w].values()), default=0) + 1)
            for values_beyond in product(*([*tokens] if v in self.words_of else [0, 1, -1] for v in functions_beyond)):
                self.outside = dict(zip(functions_beyond, values_beyond, strict=True))
                if not self.truth(self.conclusion, ()):
                    return True
            return False
        except OPEN:
            return None

    def tried(self, longest: int = LONGEST) -> Tried:
        """The result of trying all strings up to the length `longest`, shortest first, until the statement is false on
        one or the work is spent. In the first case `values` keeps the values of that string (`reader` writes them as
        terms)."""
        length, first_open = 0, None
        # First up to the length `longest`; then with other values beyond the ends, up to `WIDE`, with a new budget.
        for wide in (False, True):
            self.limit = self.work + self.budget
            try:
                with nullcontext() if self.until is None else alarm(self.until):
                    for size in range(1, (longest if not wide else min(length, WIDE)) + 1):
                        for is_run in self.at(size):
                            false = self.false(wide) if is_run else None
                            if false and self.runs():
                                return self.refuting(size - 1, first_open)
                            if false is None and first_open is None:
                                first_open = self.word
                        length = length if wide or first_open is not None else size
            except (WordsSpent, TimeUp, *OPEN):
                pass
        return Tried(None, length, open_at=first_open)

    def refuting(self, length: int, open_at: tuple[str, ...] | None = None, unsought: str | None = None) -> Tried:
        """The result if the statement is false on the present string and all strings up to `length` were tried."""
        places = {name: self.values[v] for name, v in self.places.items()}
        values = {name: self.fixed[v] for v, name in self.symbols.items()}
        return Tried(self.word, length, bool(self.beyond), open_at, places, unsought, values)

    @property
    def rational(self) -> bool:
        """Whether all values of functions on the present string are rational. The numbers of a model without positions
        do not count."""
        tables = (x.values() for x in self.values.values() if isinstance(x, dict))
        return all(isinstance(x, int | Fraction) for table in tables for x in table)

    def behind(self, f: Term) -> int:
        """The value of a function beyond the ends of the string: the one that is tried (`outside`), else 0, or -1 (the
        number of no token) for tokens that were evaluated there."""
        return self.outside.get(f, -1 if f in self.words_of and f in self.beyond else 0)

    # --- Values and truth: as in `Instances`, with roots and exponentials ---------------------------------------------

    def spend(self, symbols: int = 1) -> None:
        """Count evaluated symbols; WordsSpent if the work or the time is used up."""
        self.work += symbols
        if self.work > self.limit:
            raise WordsSpent
        if self.until is not None and self.work >= self.look:
            self.look = self.work + 64
            if self.until.left <= 0:
                raise WordsSpent

    def value(self, t: Term, bound: tuple[int, ...]) -> Any:
        """The value of a term; `bound` has the values of the bound integers, the innermost first."""
        cost, valued = self.evaluated.term(t)
        self.spend(cost)
        return valued(bound)

    def truth(self, t: Term, bound: tuple[int, ...]) -> bool:
        """The truth of a formula; `bound` is as in `value`."""
        cost, truth_of = self.evaluated.formula(t)
        self.spend(cost)
        return truth_of(bound)

    def without_value(self, name: Term) -> Any:
        """Raises Rejected: the value of `name` is needed before it is set."""
        raise Rejected(f"'{name[1][0]}' has no value when it is needed")

    def behind_the_end(self, head: Term, at: Any) -> Any:
        """The value of the function `head` at `at`, where its table has no value; Rejected if `strict`."""
        if self.strict:
            raise Rejected(f"'{head[1][0]}' has no value at {at}")
        self.beyond.add(head)
        return self.behind(head)

    def exists(self, t: Term, bound: tuple[int, ...]) -> bool:
        """The truth of ``ex k:Int. F``."""
        (body,) = t[2]
        if (here := self.range(body, bound)) is not None:
            return bool(here)  # F only says that k is in a range
        if (places := self.among(body, bound)) is not None:
            return any([self.truth(body, (k, *bound)) for k in places])
        return super().truth(t, bound)

    def among(self, body: Term, bound: tuple[int, ...]) -> range | None:
        """The integers k for which the `body` of ``ex k:Int. n = 2*k + 1`` may be true, by the comparisons in it that
        are linear in k; None if they do not bound k on both sides."""
        low = high = None
        for part in flatten("&", body):
            if part[0] not in ("=", "<=", "<") or not all(_degree(k, 0) in (0, 1) for k in part[2]):
                continue
            # right - left must not be negative. It is linear in k, so its values at k = 0 and k = 1 give its root.
            values_at = [[self.value(k, (q, *bound)) for k in part[2]] for q in (0, 1)]
            at_zero, at_one = (minus(b, a) for a, b in values_at)
            slope = minus(at_one, at_zero)
            if not isinstance(at_zero, int | Fraction) or not isinstance(slope, int | Fraction) or not slope:
                continue
            root = Fraction(-at_zero) / slope
            if slope > 0 or part[0] == "=":
                low = ceil(root) if low is None else max(low, ceil(root))
            if slope < 0 or part[0] == "=":
                high = floor(root) if high is None else min(high, floor(root))
        return None if low is None or high is None else _integers(low, high)


def points(document: Mapping[str, Any] | None) -> list[dict[str, Fraction]]:
    """Values of the symbols of a model at which its statements are tried: at most `POINTS` points. The first one has
    the defaults of the symbols; the others have `VALUES` and numbers near the ends of the symbols' intervals. A point
    without symbols for a model without any."""
    parameters = () if document is None or not document["symbols"] else _model(document).parameters
    columns = {parameter.name: _values(parameter) for parameter in parameters}
    many = min(POINTS, max(map(len, columns.values()), default=1))
    return [{name: values[min(k, len(values) - 1)] for name, values in columns.items()} for k in range(many)]


def _values(parameter: Any) -> list[Fraction]:
    """Rational values of a symbol, the first to be tried first; BadInput if none of those that are tried fits."""
    from symcook.model.symbols import exact

    ends = [exact(end) for end in (parameter.lower, parameter.upper) if end is not None]
    numbers = [*([parameter.default] if parameter.default is not None else []), *VALUES[1:], *VALUES[:1], *ends]
    numbers += [end + step for end in ends for step in (1, -1)]
    numbers += [sum(ends) / 2] if len(ends) == 2 else []
    fitting = list[Fraction]()
    for number in map(exact, numbers):
        with suppress(BadInput):
            checked = parameter.check(number)
            if checked.is_Rational:
                fitting.append(Fraction(int(checked.p), int(checked.q)))
    if not fitting:
        must = f"one of the numbers that are tried as {parameter.name} must satisfy {parameter.region}"
        raise BadInput(must, parameter.name, f"give --set {parameter.name}=VALUE")
    return list(dict.fromkeys(fitting))


def _model(document: Mapping[str, Any] | None) -> Any:
    """The model of a document; None without one."""
    import json

    from symcook.model import modelfile

    return None if document is None else modelfile.loads(json.dumps(document))


def _degree(t: Term, depth: int) -> int:
    """The degree of a term in the variable that is bound `depth` binders further out: 0 or 1; 2 for any larger degree
    and if it is unclear."""
    tag, data, kids = t
    if tag == "bound":
        return int(data[0] == depth)
    # The last kid of a binder is in the scope of one more variable.
    inside = [_degree(k, depth + (tag in ("sum", "prod", "all", "ex") and k is kids[-1])) for k in kids]
    if tag == "*":
        return min(2, sum(inside))
    if tag in ("+", "-", "neg") or not any(inside):
        return max(inside, default=0)
    return inside[0] if tag == "/" and not inside[1] else 2


def _truth_function(premise: Term) -> Term | None:
    """The function f of a premise ``all i in a..b. f(i) = t``, where t is not a numeral; None for another premise.

    Such an f to the integers is a truth function or the state of an automaton. A premise about the tokens of a string
    has a numeral on the right."""
    if premise[0] == "all" and premise[2][0][0] == "->":
        # `right` has the right side of an equation; for another conclusion it is empty.
        left, *right = premise[2][0][2][1][2] if premise[2][0][2][1][0] == "=" else (premise,)
        if right and right[0][0] != "num" and left[0] == "app" and len(left[2]) == 2 and left[2][1] == HERE:
            return left[2][0]
    return None


def _ordered(premises: Sequence[Term], known: set[Term]) -> list[Term]:
    """The premises in an order in which each has at most one name that is not `known` and not in earlier premises. If
    there is no such order, a premise with more new names comes as late as possible."""
    remaining, ordered, known = list(premises), [], set(known)
    while remaining:
        ready = next((p for p in remaining if len(free(p) - known) <= 1), remaining[0])
        remaining.remove(ready)
        ordered.append(ready)
        known |= free(ready)
    return ordered


def _differ(a: Sequence[OwnValue], b: Sequence[OwnValue]) -> bool:
    """Whether two rows of values differ at some place. Values whose comparison is undecided do not count as
    different."""
    for x, y in zip(a, b, strict=True):
        with suppress(*OPEN):
            if sign(minus(x, y)):
                return True
    return False
