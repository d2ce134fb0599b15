"""Parses a statement about a model for the decision procedures: names, string, equations of the run, claim.

Everything is read from the kernel's term that `certify.claim` makes, so a decision is about the formula that the
checkers see. A "line" is one part of the run's conjunction. An equation has one of the shapes of `Equation`; the text
of a line of another shape is listed in `outside`, so that no line is left out silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from symcook.proof import grammar
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import TRUE, Sort, Term, flatten, free, instantiate, num, var
from symcook.proof.terms import replace as put

HERE = var("i", "Int")
"""The position that an equation is about."""
N = var("n", "Int")
"""The number of positions."""
ZERO, ONE = num(0), num(1)
LETTERS: Sort = ("fun", ("Int",), "Int")
"""The sort of the string w and of truth functions."""
VALUES: Sort = ("fun", ("Int",), "Real")
"""The sort of coordinates."""
W = var("w", LETTERS)
"""The string: w(i) is the letter at i."""


MOST_NAMES = 10_000
"""The greatest number of leading names that are read. It only bounds a loop: the 24 claims of an unseen set had at most
25."""


class OutsideFragment(NoResult):
    """The error for a statement that a procedure cannot decide; its text names the part that does not fit."""


class PlaceRange(NamedTuple):
    """The first and the last position."""

    low: Term
    high: Term


@dataclass(frozen=True)
class Equation:
    """The line of the run about the coordinate `name` at the position `HERE`, called c and i here.

    kind        the line                                                  meaning
    "value"     c(i) = right
    "average"   (c(i) - old)*size = right                                 size is a sum of weights
    "strict"    (c(i) - old)*size = right & (i = empty -> c(i) = old)     attention at `empty` sees no position
    "norm"      (c(i) - old)*size = right [& (size = 0 -> c(i) = old)]    size is a deviation
    "state"     c(i) = right, from the position `empty` on                right reads c(i - 1) and w(i)

    `places` is the range of i: for a truth function it has the typed positions only, and a second model has its own
    positions. `old` is the value before the attention or the bias of the norm, 0 without one. `part` is the index of
    the line in `Problem.run`, or, for a truth function of `holds` (`truth`), in `Problem.truths`.
    """

    name: str
    kind: Literal["value", "average", "strict", "norm", "state"]
    places: PlaceRange
    right: Term
    size: Term = ONE
    old: Term = ZERO
    empty: Term | None = None
    part: int = 0
    truth: bool = False

    @property
    def at_here(self) -> Term:
        """The term c(i)."""
        return at(self.name, HERE, LETTERS if self.truth else VALUES)


@dataclass(frozen=True)
class Problem:
    """A parsed statement. If the model reads numbers instead of a string, there are no letters, and the numbers of its
    input have no equation."""

    statement: Statement
    names: Mapping[str, Sort]
    """The leading names with their sorts, in order."""
    some: Term
    """The premise about n and the positions of symbols."""
    word: Term
    """The premise about the string; TRUE if the model reads numbers."""
    places: PlaceRange
    """The range of all positions, including those of added letters."""
    typed: tuple[int, ...]
    """The letters that a user types, as numbers of the vocabulary."""
    before: int | None
    """The letter that the model adds at the first position."""
    after: int | None
    """The letter that the model adds at the last position."""
    run: tuple[Term, ...]
    """The lines of the run."""
    truths: tuple[Term, ...]
    """The lines of the truth functions of `holds`."""
    equations: Mapping[str, Equation]
    """The equations by coordinate or truth function."""
    needs: tuple[Term, ...]
    """The lines that only restrict the run, such as ``n <= 50``."""
    outside: tuple[str, ...]
    """The texts of the lines of another shape."""
    claim: Term
    """The formula to be proved."""
    called: tuple[str, ...] = ()
    """The labels of the lines of the run if they are not run.0, run.1, .."""

    def label(self, part: int, truth: bool = False) -> str:
        """The label, in a proof, of the line with the index `part` of the run, or, with `truth`, of `truths`."""
        if truth:
            return f"truth.{part}"
        return self.called[part] if self.called else f"run.{part}"

    @property
    def marked(self) -> tuple[str, ...]:
        """The leading names, other than n, that are integers: positions, for example of a symbol that is changed."""
        return tuple(name for name, sort in self.names.items() if sort == "Int" and name != "n")

    @property
    def here(self) -> Problem:
        """The same problem with only those equations that hold at all positions, and those of states."""
        own = {
            name: equation
            for name, equation in self.equations.items()
            if equation.kind == "state" or equation.places == self.places
        }
        return replace(self, equations=own)

    @property
    def letters(self) -> tuple[int, ...]:
        """All letters, including those that the model adds, in the order of the vocabulary."""
        return tuple(sorted({*self.typed, *(k for k in (self.before, self.after) if k is not None)}))

    @property
    def start(self) -> int:
        """The number of the first position, 0 or 1."""
        return int(self.places.low[1][0])


def at(name: str, place: Term, sort: Sort = VALUES) -> Term:
    """The term name(place)."""
    return ("app", None, (var(name, sort), place))


def problem(statement: Statement) -> Problem:
    """A statement of `certify.claim` as a `Problem`. Raises OutsideFragment for a model without positions, and for a
    string whose premise has another shape."""
    names, formula = _leading_names(statement)
    if names.get("n") != "Int":
        raise OutsideFragment("a model without positions")
    # The formula is ``n and symbols -> string -> run -> truth functions -> claim``. A model of numbers has no part
    # "string", and a model without equations no part "run".
    has_string = names.get("w") == LETTERS
    not_empty, formula = formula[2]
    word, formula = formula[2] if has_string else (TRUE, formula)
    run, claim = (formula[2][0], formula[2][1]) if formula[0] == "->" else (TRUE, formula)
    truths, claim = _truth_functions(claim, names)
    lines = flatten("&", run)
    first_range = next(
        (everywhere_line[0] for line in lines if (everywhere_line := everywhere(line)) is not None), None
    )
    places = _places(word) if has_string or first_range is None else first_range
    # The parts: the range of positions, the letters, and the equations. Of a model that reads a string, a function
    # without an equation is outside.
    typed, before, after = _letters_of_string(word, places) if has_string else ((), None, None)
    equations, needs, outside = _sorted_lines(lines, truths, names)
    missing = [name for name in names if name not in ("n", "w") and name not in equations]
    outside += [f"no equation for {name}" for name in missing if has_string and names[name] not in ("Real", "Int")]
    return Problem(
        statement, names, not_empty, word, places, typed, before, after, tuple(lines), tuple(truths), equations,
        tuple(needs), tuple(outside), claim,
    )  # fmt: skip


def _leading_names(statement: Statement) -> tuple[dict[str, Sort], Term]:
    """The names that the statement quantifies, with their sorts, and the formula below these quantifiers."""
    formula, leading = statement.formula, iter(leading_names(statement.expanded))
    names: dict[str, Sort] = {}
    while formula[0] == "all" and len(names) < MOST_NAMES:
        name = next(leading)
        names[name] = formula[1]
        formula = instantiate(formula[2][0], (var(name, formula[1]),))
    return names, formula


def _truth_functions(claim: Term, names: Mapping[str, Sort]) -> tuple[list[Term], Term]:
    """The lines of the truth functions that are premises of the claim, and the claim without these premises."""
    truths: list[Term] = []
    functions = {name for name, sort in names.items() if sort == LETTERS and name != "w"}
    while claim[0] == "->" and functions and is_about_truths(claim[2][0], functions):
        truths += flatten("&", claim[2][0])
        claim = claim[2][1]
    return truths, claim


def _sorted_lines(
    lines: list[Term], truths: list[Term], names: Mapping[str, Sort]
) -> tuple[dict[str, Equation], list[Term], list[str]]:
    """The equations by coordinate, the lines that only restrict the run, and the text of all other lines."""
    equations: dict[str, Equation] = {}
    needs: list[Term] = []
    outside: list[str] = []
    for group, is_truth in ((lines, False), (truths, True)):
        for part, line in enumerate(group):
            everywhere_line = everywhere(line)
            equation = None if everywhere_line is None else _equation(everywhere_line, part, is_truth, names)
            if equation is not None and equation.name not in equations:
                equations[equation.name] = equation
            elif not is_truth and _restricts(line):
                needs.append(line)
            else:  # also a second equation of a coordinate
                outside.append(grammar.show(line))
    return equations, needs, outside


def everywhere(line: Term) -> tuple[PlaceRange, Term] | None:
    """The range of ``all i in low..high. F``, and F at `HERE`; None for any other formula."""
    if line[0] != "all" or line[1] != "Int" or line[2][0][0] != "->":
        return None
    premise, body = instantiate(line[2][0], (HERE,))[2]
    bounds = flatten("&", premise)
    if len(bounds) != 2 or any(b[0] != "<=" for b in bounds) or bounds[0][2][1] != HERE or bounds[1][2][0] != HERE:
        return None
    return PlaceRange(bounds[0][2][0], bounds[1][2][1]), body


def _restricts(line: Term) -> bool:
    """Whether a line is an inequality, such as one about n or a deviation, which gives no coordinate a value."""
    everywhere_line = everywhere(line)
    body = line if everywhere_line is None else everywhere_line[1]
    return body[0] in ("<=", "<")


def is_about_truths(premise: Term, functions: set[str]) -> bool:
    """Whether a premise has only equations of truth functions at every position; `functions` are their names."""
    lines = [everywhere(part) for part in flatten("&", premise)]
    return all(
        line is not None and line[1][0] == "=" and line[1][2][0][0] == "app" and line[1][2][0][2][0][1][0] in functions
        for line in lines
    )


def _equation(line: tuple[PlaceRange, Term], part: int, truth: bool, names: Mapping[str, Sort]) -> Equation | None:
    """A line at `HERE`, given with its range, as an `Equation`; None if it has another shape."""
    main, *others = flatten("&", line[1])
    if main[0] != "=" or len(others) > 1:
        return None
    defined, right = main[2]
    if _is_value(defined, names):
        return None if others else _value_equation(line[0], defined[2][0][1][0], right, part, truth)
    equation = _mean_equation(line[0], defined, right, part, names) if defined[0] == "*" else None
    if equation is None or not others:
        return equation
    # The second part must be ``condition -> c(i) = old``, for the condition i = empty or size = 0.
    if others[0][0] != "->":
        return None
    when, then = others[0][2]
    value = at(equation.name, HERE, names[equation.name])
    if then != equals(value, equation.old) or when[0] != "=":
        return None
    if when[2][0] == HERE and equation.kind == "average":
        return replace(equation, kind="strict", empty=when[2][1])
    return equation if when == equals(equation.size, ZERO) and equation.kind == "norm" else None


def _value_equation(places: PlaceRange, name: str, right: Term, part: int, truth: bool) -> Equation | None:
    """The equation c(i) = right. If the right side reads c itself, c is a state; only truth functions may do this, so
    the result is None for a coordinate."""
    if not _reads(right, name):
        return Equation(name, "value", places, right, part=part, truth=truth)
    return Equation(name, "state", places, right, empty=places.low, part=part, truth=truth) if truth else None


def _mean_equation(
    places: PlaceRange, product: Term, right: Term, part: int, names: Mapping[str, Sort]
) -> Equation | None:
    """The equation (c(i) - old)*size = right, of a norm (`size` is a coordinate, its deviation) or of an average; None
    if old, size or right reads c."""
    value, size = product[2]
    old_parts: list[Term] = []
    while value[0] == "-":  # c(i) - a - b: each part of the old value is subtracted by itself
        value, subtracted = value[2]
        old_parts.insert(0, subtracted)
    if not _is_value(value, names):
        return None
    name, old = value[2][0][1][0], _sum(old_parts) if old_parts else ZERO
    if any(_reads(t, name) for t in (old, right, size)):
        return None
    return Equation(name, "norm" if size[0] == "app" else "average", places, right, size, old, None, part)


def _sum(terms: list[Term]) -> Term:
    """The sum of terms."""
    total = terms[0]
    for t in terms[1:]:
        total = ("+", None, (total, t))
    return total


def _is_value(t: Term, names: Mapping[str, Sort]) -> bool:
    """Whether a term is a coordinate, or a truth function, at `HERE`."""
    if t[0] != "app" or t[2][1:] != (HERE,):
        return False
    function = t[2][0]
    return function[0] == "var" and function[1][0] in names and function != W


def _reads(t: Term, name: str) -> bool:
    """Whether the coordinate `name` occurs in a term."""
    return any(v[1][0] == name for v in free(t))


def _places(word: Term) -> PlaceRange:
    """The range of all positions, including those of added letters: 0 to n - 1, or 1 to n."""
    lines = flatten("&", word)
    begins = [everywhere_line[0].low for line in lines if (everywhere_line := everywhere(line)) is not None]
    if ZERO in begins or any(_letter_at(line, ZERO) is not None for line in lines):
        return PlaceRange(ZERO, ("-", None, (N, ONE)))
    return PlaceRange(ONE, N)


def _letters_of_string(word: Term, places: PlaceRange) -> tuple[tuple[int, ...], int | None, int | None]:
    """The typed letters, and the added ones at the first and at the last position."""
    typed: tuple[int, ...] | None = None
    before = after = None
    for line in flatten("&", word):
        if (everywhere_line := everywhere(line)) is not None:  # ``all i in a..b. w(i) = 0 | w(i) = 1 | ..``
            parts = flatten("|", everywhere_line[1])
            if not all(_letter_at(part, HERE) is not None for part in parts):
                raise OutsideFragment(f"a condition on strings that no rule reads: {grammar.show(line)}")
            typed = tuple(part[2][1][1][0] for part in parts)
        elif (letter := _letter_at(line, places.low)) is not None:
            before = letter
        elif (letter := _letter_at(line, places.high)) is not None:
            after = letter
        elif line != at_most(num(2), N):
            raise OutsideFragment(f"a condition on strings that no rule reads: {grammar.show(line)}")
    if typed is None:
        raise OutsideFragment("a model whose tokens are all special tokens")
    return typed, before, after


def _letter_at(f: Term, place: Term) -> int | None:
    """The letter a if the formula is w(place) = a; None for any other formula."""
    if f[0] == "=" and f[2][0] == ("app", None, (W, place)) and f[2][1][0] == "num":
        return f[2][1][1][0]
    return None


def at_place(t: Term, place: Term) -> Term:
    """The term `t` with `place` in the place of `HERE`."""
    return put(t, HERE, place)


def introduce(problem: Problem, g: Goal) -> None:
    """Introduce the names and premises of a statement into a goal, with the labels that the decision procedures use:
    some, word.K, run.K and truth.K."""
    labels: list[object] = [*problem.names, "some"]
    word = flatten("&", problem.word) if problem.letters else []
    for stem, parts in (("word", word), ("run", problem.run)):
        if not parts or parts == (TRUE,):
            continue
        labels.append(f"{stem}.0" if len(parts) == 1 else [f"{stem}.{k}" for k in range(len(parts))])
    g.intro(labels)  # type: ignore[arg-type]
    count = 0
    while count < len(problem.truths):
        parts = len(flatten("&", g.goal[2][0]))
        names = [f"truth.{k}" for k in range(count, count + parts)]
        g.intro([names if parts > 1 else names[0]])  # type: ignore[list-item]
        count += parts
