"""Proves statements about the runs on a string and on an edited string, by terms of the first run alone.

Such a statement reads values such as ``appended_mean(n + 1)``. The equations of the second run give each of them as a
term of the first run: a coordinate that depends on one symbol has the value that it has at the position where this
symbol stands in the first string, and a sum over positions of the second string is a sum over the first string with
some terms more or less. So ``appended_mean(n + 1)`` is ``(sum(j, 1, n, vote(j)) + 1)/(n + 1)``. With these terms in the
place of the values, the statement is about the first run, and the decision procedures read it. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from symcook.alarm import Until
from symcook.errors import SymcookError
from symcook.proof import grammar
from symcook.proof.claims import decision
from symcook.proof.claims.bycounts.problem import (
    HERE,
    VALUES,
    Equation,
    OutsideFragment,
    PlaceRange,
    Problem,
    W,
    problem,
)
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.replay import Statement
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.secondrun import OtherModel
from symcook.proof.terms import (
    COMPARISONS,
    TRUE,
    Sort,
    Term,
    abstract,
    flatten,
    free,
    instantiate,
    loose,
    negation,
    num,
    subterms,
    var,
)
from symcook.proof.terms import replace as put

KINDS = ("appended", "prepended", "deleted", "prefix")
"""The edits whose strings have another length. The other edits keep it, and the decision procedures read them."""


METHOD = "terms of the first run, "
"""What is put before the name of the procedure that proves the statement about the first run."""
UNDECIDED = "the decision procedures do not decide what it states of the first run"


class Untranslated(Exception):
    """The error for a statement that is not translated into one about the first run; the text names the reason."""


class SourcePiece(NamedTuple):
    """The positions `low` to `high` of the second string: at i stands the symbol of the first string at i + `shift`."""

    low: Term
    high: Term
    shift: int


def _plus(term: Term, number: int) -> Term:
    """The term plus a number, simplified."""
    return reify.term(nf(("+", None, (term, num(number)))))


def _equal(one: Term, two: Term) -> bool:
    """Whether two terms are equal by computation."""
    return nf(one) == nf(two)


@dataclass(frozen=True)
class EditedPlaces:
    """The positions of an edited string: its pieces in order, and the positions of the symbols that were put in."""

    ends: PlaceRange
    """The first and the last position."""
    pieces: tuple[SourcePiece, ...]
    symbols: tuple[Term, ...] = ()
    place: Term | None = None
    """The position p of ``deleted(p)``."""

    @staticmethod
    def of(kind: str, symbols: int, place: Term | None, first: PlaceRange) -> EditedPlaces:
        """The positions for an edit of a string whose positions are `first`."""
        low, high = first
        if kind == "appended":
            added = tuple(_plus(high, k) for k in range(1, symbols + 1))
            return EditedPlaces(PlaceRange(low, added[-1]), (SourcePiece(low, high, 0),), added)
        if kind == "prepended":
            piece = SourcePiece(_plus(low, symbols), _plus(high, symbols), -symbols)
            return EditedPlaces(PlaceRange(low, piece.high), (piece,), tuple(_plus(low, k) for k in range(symbols)))
        if place is None:
            raise Untranslated("an edit without a position")
        if kind == "deleted":
            pieces = SourcePiece(low, _plus(place, -1), 0), SourcePiece(place, _plus(high, -1), 1)
            return EditedPlaces(PlaceRange(low, pieces[1].high), pieces, (), place)
        return EditedPlaces(PlaceRange(low, place), (SourcePiece(low, place, 0),))


class SecondRunTerms:
    """The values of one edited run as terms of the first run, with the proofs of their equations in the goal `g`."""

    def __init__(self, parsed: Problem, first: Mapping[str, str], places: EditedPlaces, g: Goal, some: Sequence[str]):
        """`first` has the function of the first run for each function of the second one; `some` are the labels of the
        premises about n and positions."""
        self.problem, self.first, self.places, self.g, self.some = parsed, first, places, g, [*some]
        self.moved: dict[tuple[str, int], str | None] = {}
        """By function and number of a piece: the label of ``all i in piece. second(i) = first(i + shift)``, None if
        this does not hold."""
        self.values: dict[Term, str] = {}
        """By value of the second run: the label of the equation that gives it."""

    # --- Terms -------------------------------------------------------------------------------------------------------

    def reads(self, t: Term) -> list[Term]:
        """The values of the second run in a term, without those at a bound position."""
        return [*dict.fromkeys(s for s in self._values_in(t) if not loose(s))]

    def _values_in(self, t: Term) -> Iterator[Term]:
        """The values of the second run in a term."""
        return (s for s in subterms(t) if s[0] == "app" and s[2][0][0] == "var" and s[2][0][1][0] in self.first)

    def _equation(self, name: str) -> Equation:
        """The equation of a function, which must give its value."""
        line = self.problem.equations.get(name)
        if line is None or line.kind != "value" or line.truth:
            raise Untranslated(f"the value of {name} has no equation of its own")
        return line

    def _row(self, g: Goal, name: str, place: Term, inside: Sequence[str] = ()) -> str:
        """Add the equation of a function at a position to a goal; its label. The facts `inside` and the premises imply
        that it is a position."""
        label = g.fresh("row")
        part = self.problem.label(self._equation(name).part)
        g.use(part, g.text(place), partial(_closed, facts=[*inside, *self.some]), label=label)
        return label

    # --- Values at each position of a piece --------------------------------------------------------------------------

    def piece(self, name: str, number: int) -> str:
        """The label of the fact that a function of the second run has, at each position of a piece, the value of the
        function of the first run at the position of the same symbol. Raises Untranslated if this is not so."""
        if (name, number) not in self.moved:
            self.moved[name, number] = None
            self.moved[name, number] = self._piece(name, number)
        label = self.moved[name, number]
        if label is None:
            raise Untranslated(f"{name} does not have the values of the first run")
        return label

    def _piece(self, name: str, number: int) -> str:
        """The label of the fact of `piece`, which is proved."""
        piece, line, own = self.places.pieces[number], self._equation(name), self.first[name]
        self._equation(own)
        # A sum is one of the first run only if it goes from the first position to i, and these are the same positions.
        sums = [s for s in subterms(line.right) if s[0] == "sum"]
        if sums and (piece.low, piece.shift) != (self.places.ends.low, 0):
            raise Untranslated(f"{name} depends on other positions")
        if any(s[2][:2] != (self.places.ends.low, HERE) for s in sums):
            raise Untranslated(f"{name} depends on later positions")
        for read in self._values_in(line.right):
            self.piece(read[2][0][1][0], number)
        i, label = var(self.g.fresh("i"), "Int"), self.g.fresh("moved")
        source = _plus(i, piece.shift)
        sides = ("app", None, (var(name, VALUES), i)), ("app", None, (var(own, VALUES), source))
        inside: Term = ("&", None, (("<=", None, (piece.low, i)), ("<=", None, (i, piece.high))))
        everywhere: Term = ("all", "Int", (abstract(("->", None, (inside, ("=", None, sides))), (i,)),))

        def proof(h: Goal) -> None:
            """At one position: both values by their equations, which then are the same term."""
            low, high = h.fresh("low"), h.fresh("high")
            h.intro(f"{i[1][0]} ({low} {high})")
            for function, place in ((name, i), (own, source)):
                h.rewrite(self._row(h, function, place, (low, high)))
            for bit in _bits(h.goal):
                self._put_bit(h, bit, (low, high))
            for read in self.reads(h.goal):
                self._put_moved(h, read, number, (low, high))
            for total in _closed_sums(h.goal):
                same = self._summed(h, total, number, (low, high))
                if same is not None:
                    h.rewrite(same)
            h.true()

        self.g.have(everywhere, label, proof)
        return label

    def _put_moved(self, h: Goal, read: Term, number: int, inside: Sequence[str]) -> None:
        """Replace a value of the second run at a position of a piece, in the goal of `h`."""
        label, fact = h.fresh("here"), self.piece(read[2][0][1][0], number)
        h.use(fact, h.text(read[2][1]), partial(_closed, facts=[*inside, *self.some]), label=label)
        h.rewrite(label)

    def _put_bit(self, h: Goal, bit: Term, inside: Sequence[str]) -> None:
        """Replace an indicator about the edit, in the goal of `h`, by 0, 1 or the indicator of a symbol."""
        label = self._bit(h, bit, inside)
        if label is not None:
            h.rewrite(label)

    def _bit(self, g: Goal, bit: Term, inside: Sequence[str]) -> str | None:
        """The label of the value of an indicator about the edit, in `g`; None if the indicator is about a symbol."""
        facts, parts = [*inside, *self.some], flatten("&", bit[2][0])
        tests, letters = ([part for part in parts if (W in free(part)) == about] for about in (False, True))
        if not tests or len(letters) > 1 or any(part[0] not in COMPARISONS for part in parts):
            return None
        truths = [_truth(g, part, facts) for part in tests]
        if None in truths and False not in truths:
            raise Untranslated(f"{g.text(bit[2][0])} is true on some strings alone")
        value: Term = num(0) if False in truths else ("ind", None, (letters[0],)) if letters else num(1)
        label = g.fresh("bit")
        g.have(("=", None, (bit, value)), label, partial(_same_bit, bit=bit, letters=letters, facts=facts))
        return label

    # --- Sums --------------------------------------------------------------------------------------------------------

    def _moved_body(self, t: Term, j: Term, shift: int) -> Term:
        """A term about a position j of the second string, with values of the first run at j + shift."""
        for name, own in self.first.items():
            old, new = ("app", None, (var(name, VALUES), j)), ("app", None, (var(own, VALUES), _plus(j, shift)))
            t = put(t, old, new)
        return t

    def _summed(self, g: Goal, total: Term, number: int, inside: Sequence[str] = ()) -> str | None:
        """The label of the equation, in `g`, of a sum over positions of a piece with the sum of the values of the first
        run; None if it has no value of the second run."""
        low, high, body = total[2]
        j = var(g.fresh("j"), "Int")
        inner = instantiate(body, (j,))
        moved = self._moved_body(inner, j, self.places.pieces[number].shift)
        if moved == inner:
            return None
        if self.reads(moved):
            raise Untranslated("a sum with values at several positions")
        for read in self._values_in(inner):
            self.piece(read[2][0][1][0], number)
        label = g.fresh("same")

        def term(h: Goal) -> None:
            """The terms at one position."""
            from_low, to_high = h.fresh("from"), h.fresh("to")
            h.intro(f"{j[1][0]} ({from_low} {to_high})")
            for read in self.reads(h.goal):
                self._put_moved(h, read, number, (from_low, to_high, *inside))
            h.true()

        functions = _function(g, inner, j), _function(g, moved, j)
        g.use("lem:sum_ext", *functions, g.text(low), g.text(high), term, label=label)
        return label

    def _whole(self, total: Term) -> str:
        """The label of the equation of a sum over all positions of the second string with a term of the first run."""
        g, (low, high), pieces, p = self.g, self.places.ends, self.places.pieces, self.places.place
        if not (_equal(total[2][0], low) and _equal(total[2][1], high)):
            raise Untranslated("a sum over some of the positions")
        j = var(g.fresh("j"), "Int")
        inner = instantiate(total[2][2], (j,))
        own, facts = self._moved_body(inner, j, 0), list[str]()
        first = self.problem.places
        value: Term = ("sum", None, (*first, abstract(own, (j,))))

        def known(fact: str, *arguments: Any) -> None:
            facts.append(g.fresh("sum"))
            g.use(fact, *arguments, label=facts[-1])

        def in_range(h: Goal) -> None:
            _closed(h, self.some)

        def split(t: Term, at: Term, begin: Term, end: Term) -> None:
            known("lem:sum_split", _function(g, t, j), g.text(begin), g.text(at), g.text(end), in_range)

        def singly(t: Term, at: Sequence[Term]) -> None:
            """The sum over positions in a row, the first of which is given, as its terms."""
            for place in at:
                known("ax:sum_step", _function(g, t, j), g.text(at[0]), g.text(place), in_range)
            known("ax:sum_empty", _function(g, t, j), g.text(at[0]), g.text(_plus(at[0], -1)), in_range)

        # The second string in pieces.
        begins_with_symbols = bool(self.places.symbols) and self.places.symbols[0] == low
        if begins_with_symbols:
            split(inner, self.places.symbols[-1], low, high)
            singly(inner, self.places.symbols)
        elif self.places.symbols:
            split(inner, pieces[0].high, low, high)
            singly(inner, self.places.symbols)
        elif p is not None:
            split(inner, pieces[0].high, low, high)
            split(own, _plus(p, -1), *first)
            split(own, p, p, first.high)
            singly(own, [p])
            value = ("-", None, (value, put(own, j, p)))
        elif not _equal(first.high, high):
            value = ("sum", None, (low, high, abstract(own, (j,))))
        # Each piece is a sum of the first run: of the same values, at positions that are then shifted.
        for number, piece in enumerate(pieces):
            same = self._summed(g, ("sum", None, (piece.low, piece.high, total[2][2])), number)
            facts += [] if same is None else [same]
            moved = self._moved_body(inner, j, piece.shift)
            for k in range(abs(piece.shift)):
                # One step: sum(j, a + 1, b + 1, f(j - 1)) = sum(j, a, b, f(j)).
                back = piece.shift < 0
                f = put(moved, j, _plus(j, k + 1 if back else -k))
                ends = (g.text(_plus(end, -k - 1 if back else k)) for end in (piece.low, piece.high))
                known("lem:sum_shift", _function(g, f, j), *ends)
        # The terms of the symbols that were put in.
        for place in self.places.symbols:
            there = put(inner, j, place)
            used = [self.value(read) for read in self.reads(there)]
            facts.append(g.fresh("term"))
            given = there
            for fact in used:
                given = put(given, *g.facts[fact][2])
            g.have(("=", None, (there, given)), facts[-1], partial(_by_equations, labels=used))
            value = ("+", None, (value, given))
        label = g.fresh("total")
        g.have(("=", None, (total, value)), label, partial(_by_sums, facts=facts))
        return label

    # --- Values at one position --------------------------------------------------------------------------------------

    def value(self, read: Term) -> str:
        """The label of the equation of a value of the second run with a term of the first run. Raises Untranslated if
        there is none."""
        if read not in self.values:
            at_piece = self._at_piece(read)
            self.values[read] = self._by_equation(read) if at_piece is None else at_piece
        return self.values[read]

    def _at_piece(self, read: Term) -> str | None:
        """The label of the equation, if the position is in a piece and the function has the values of the first run
        there."""
        g, place = self.g, read[2][1]
        for number, piece in enumerate(self.places.pieces):
            ends: tuple[Term, Term] = ("<=", None, (piece.low, place)), ("<=", None, (place, piece.high))
            if all(_truth(g, end, self.some) for end in ends):
                try:
                    fact = self.piece(read[2][0][1][0], number)
                except Untranslated:
                    continue
                label = g.fresh("here")
                g.use(fact, g.text(place), partial(_closed, facts=self.some), label=label)
                return label
        return None

    def _by_equation(self, read: Term) -> str:
        """The label of the equation with the right side of the function's own equation, in terms of the first run."""
        g = self.g
        row = self._row(g, read[2][0][1][0], read[2][1])
        right, used = g.facts[row][2][1], [row]

        def replaced(label: str | None) -> None:
            nonlocal right
            if label is not None:
                used.append(label)
                right = put(right, *g.facts[label][2])

        for bit in _bits(right):
            replaced(self._bit(g, bit, ()))
        for inner in self.reads(right):
            replaced(self.value(inner))
        for total in _closed_sums(right):
            if any(True for _ in self._values_in(total)):
                replaced(self._whole(total))
        right, label = reify.term(nf(right)), g.fresh("value")

        g.have(("=", None, (read, right)), label, partial(_by_equations, labels=used))
        return label


def _bits(t: Term) -> list[Term]:
    """The indicators in a term that no sum or quantifier is about."""
    return [*dict.fromkeys(s for s in subterms(t) if s[0] == "ind" and not loose(s))]


def _closed_sums(t: Term) -> list[Term]:
    """The sums in a term that no other sum or quantifier is about."""
    return [*dict.fromkeys(s for s in subterms(t) if s[0] == "sum" and not loose(s))]


def _function(g: Goal, t: Term, j: Term) -> str:
    """The text of the function that gives the term `t` for each j."""
    return g.text(("lam", ("Int",), (abstract(t, (j,)),)))


def _closed(h: Goal, facts: Sequence[str]) -> None:
    """Close a goal about the order of positions by the facts with these labels."""
    for part in h.split() if h.goal[0] == "&" else [h]:
        part.easy([*facts], degree=1)


def _by_equations(h: Goal, labels: Sequence[str]) -> None:
    """Close an equation by the equations with these labels, in order."""
    for label in labels:
        h.rewrite(label)
    h.true()


def _by_sums(h: Goal, facts: Sequence[str]) -> None:
    """Close an equation of sums by the equations with these labels."""
    h.auto([*facts], degree=1, rounds=0)


def _truth(g: Goal, part: Term, facts: Sequence[str]) -> bool | None:
    """Whether a comparison follows from facts, or its negation does; None if neither."""
    for formula, value in ((part, True), (negation(part), False)):
        trial = g._branch(formula)
        try:
            _closed(trial, facts)
        except Stuck:
            continue
        return value
    return None


def _same_bit(g: Goal, bit: Term, letters: Sequence[Term], facts: Sequence[str]) -> None:
    """Close the equation of an indicator about the edit with 0, 1 or the indicator of a symbol."""
    value, parts = g.goal[2][1], flatten("&", bit[2][0])
    f, v = g.fresh("f"), g.fresh("v")
    here, away = g.ind(bit[2][0], f"{f} {v}")
    labels = [f] if len(parts) == 1 else [f"{f}_{k}" for k in range(1, len(parts) + 1)]
    if value == num(0):
        here.auto([*labels, *facts], degree=1)
        away.hyp(v)
        return

    def true(h: Goal, letter: str = "") -> None:
        """Refute that the condition is false, although all its parts hold."""
        if len(parts) == 1:
            return h.auto([f, *facts], degree=1)
        yes = h.fresh("yes")

        def each(k: Goal) -> None:
            for part in k.split():
                part.hyp(letter) if part.goal in letters else _closed(part, facts)

        h.have(bit[2][0], yes, each)
        return h.absurd(yes, f)

    if value == num(1):
        here.hyp(v)
        return true(away)
    for h, is_here in ((here, True), (away, False)):
        letter, u = h.fresh("f"), h.fresh("v")
        for k, holds in zip(h.ind(letters[0], f"{letter} {u}"), (True, False), strict=True):
            if holds is is_here:
                k.rewrite(v)
                k.rewrite(u)
                k.true()
            elif holds:
                true(k, letter)
            else:
                k.absurd(labels[parts.index(letters[0])], letter)
    return None


# --- Statements ------------------------------------------------------------------------------------------------------


def _introduced(parsed: Problem, g: Goal) -> list[str]:
    """Introduce the names and premises of a statement, with the labels of `Problem`; the labels of the premises about n
    and positions."""
    some = flatten("&", parsed.some)
    labels: list[Any] = [*parsed.names]
    for stem, parts in (("some", some), ("word", flatten("&", parsed.word)), ("run", parsed.run)):
        if parts and [*parts] != [TRUE]:
            names = [f"{stem}.{k}" for k in range(len(parts))]
            labels.append(names if len(names) > 1 else names[0])
    g.intro(labels)
    return [f"some.{k}" for k in range(len(some))]


def _place(second: OtherModel, text: str, parsed: Problem) -> Term:
    """The position in the prefix of an edit as a term."""
    scope: dict[str, Sort] = {name: sort for name, sort in parsed.names.items() if sort == "Int"}
    return grammar.read_value(text, "Int", scope, {})


def _show(parts: Sequence[Term]) -> str:
    """Formulas as the text of premises, each with the arrow after it."""
    joined = " & ".join(f"({grammar.show(part)})" for part in parts)
    return f"({joined}) -> " if parts else ""


def serves(sentence: str) -> bool:
    """Whether a statement may be about an edited string of another length."""
    return any(f"{kind}(" in sentence for kind in KINDS)


def decided(statement: Statement, document: Mapping[str, Any], library: Citable, seconds: float) -> ClaimDecision:
    """A proof of a statement about edited strings, not yet checked: the decision procedures prove what it becomes for
    the first run. Raises Untranslated with the reason if there is none."""
    goal, fragment = _ended(statement, document, library, seconds, search=False)
    return ClaimDecision(fragment, proved=goal, by=METHOD)


def searched(document: Mapping[str, Any], library: Citable, statement: Statement, seconds: float) -> list[Node] | None:
    """The nodes of such a proof where the automation proves what the statement becomes; None if there is none."""
    with suppress(Untranslated):
        return _ended(statement, document, library, seconds, search=True)[0].nodes
    return None


def _ended(
    statement: Statement, document: Mapping[str, Any], library: Citable, seconds: float, search: bool
) -> tuple[Goal, str | None]:
    """The closed goal of a statement, and the procedure that proved what it becomes for the first run, None for the
    automation. Raises Untranslated."""
    until = Until(seconds)
    try:
        with limited(until):
            return _proof(statement, document, library, until, search)
    except OutOfTime:
        raise Untranslated("the time is over") from None
    except (Stuck, OutsideFragment, SymcookError) as error:
        raise Untranslated(certify.first_line(error)) from None


def _proof(
    statement: Statement, document: Mapping[str, Any], library: Citable, until: Until, search: bool
) -> tuple[Goal, str | None]:
    """What `_ended` returns, found until the moment `until`."""
    parsed, meaning = problem(statement), certify.meaning(document, statement.note or "")
    seconds = [second for second in meaning.others.values() if second.of.kind in KINDS]
    if not seconds or any(document["embedding"][key] is not None for key in ("before", "after")):
        raise Untranslated("the statement is not about an edited string without added tokens")
    g = Goal(library, statement.formula, {}, {})
    some = _introduced(parsed, g)
    names = {name for second in seconds for name in second.called.values()}
    asked = _peeled(g, names)
    some += [label for _, labels in asked for label in labels]
    for second in seconds:
        place = _place(second, second.of.places[0], parsed) if second.of.places else None
        places = EditedPlaces.of(second.of.kind, len(second.of.symbols), place, parsed.places)
        first = {name: own for own, name in second.called.items()}
        terms = SecondRunTerms(parsed, first, places, g, some)
        for read in terms.reads(g.goal):
            g.rewrite(terms.value(read))
    if left := sorted(name[1][0] for name in free(g.goal) if name[1][0] in names):
        raise Untranslated(f"{left[0]} is read at each position")
    # The statement about the first run.
    kept = {name: sort for name, sort in parsed.names.items() if name not in names}
    run = [k for k, line in enumerate(parsed.run) if not any(name[1][0] in names for name in free(line))]
    leading = ", ".join(f"{name}:{_sort(sort)}" for name, sort in kept.items())
    word = [] if parsed.word == TRUE else flatten("&", parsed.word)
    premises = [flatten("&", parsed.some), word, [parsed.run[k] for k in run]]
    claim = g.goal
    for formula, _ in reversed(asked):
        binds = formula[0] == "var"
        claim = ("all", "Int", (abstract(claim, (formula,)),)) if binds else ("->", None, (formula, claim))
    text = f"all {leading}. {''.join(map(_show, premises))}({grammar.show(claim)})"
    reduced = Statement(statement.id, text, known=statement.known, claim=False)
    found = decision.decide(reduced, library, Until(until.left / 2))
    if found.proved is not None:
        nodes = found.proved.nodes
    elif found.string is None and search:
        nodes = certify.automatic(library, reduced)
    else:
        raise Untranslated(f"not decided for the first run, since {found.outside}" if found.outside else UNDECIDED)
    goal = Goal(library, statement.formula, {}, {})
    arguments = [*kept, *(None for parts in premises if parts)]
    arguments += [formula[1][0] if formula[0] == "var" else None for formula, _ in asked]
    goal.nodes, goal.closed = _joined(reduced, nodes, g, arguments), True
    return goal, found.fragment if found.proved is not None else None


def _peeled(g: Goal, names: Collection[str]) -> list[tuple[Term, list[str]]]:
    """Introduce the positions and premises with which the claim begins, if these are not about the functions `names`:
    for a position its name, for a premise the formula and the labels of its parts."""
    asked = list[tuple[Term, list[str]]]()
    while g.goal[:2] == ("all", "Int") or (g.goal[0] == "->" and not any(f[1][0] in names for f in free(g.goal[2][0]))):
        if g.goal[0] == "all":
            place = g.fresh("at")
            g.intro(place)
            asked.append((var(place, "Int"), []))
            continue
        premise = g.goal[2][0]
        labels = [f"asked{len(asked)}.{k}" for k in range(len(flatten("&", premise)))]
        g.intro([labels if len(labels) > 1 else labels[0]])
        asked.append((premise, labels))
    return asked


def _joined(reduced: Statement, nodes: list[Node], g: Goal, arguments: Sequence[str | None]) -> list[Node]:
    """The proof of a statement by the proof `nodes` of the statement about the first run, and by `g`, which has
    rewritten the claim. `arguments` has, in the order of the reduced statement, its names, and None for a premise."""
    label, then = "first.run", g.fresh("then")
    lemma: Node = {"by": "have", "show": reduced.expanded, "proof": nodes, "as": label}
    g.facts[label] = reduced.formula

    def premise(h: Goal) -> None:
        """Close a premise, whose parts are facts."""
        for part in h.split() if h.goal[0] == "&" else [h]:
            fact = next((k for k, fact in part.facts.items() if fact == part.goal), None)
            if fact is None:
                raise Stuck("a premise that is no fact")
            part.hyp(fact)

    g.use(label, *(premise if name is None else name for name in arguments), label=then, premises=0)
    g.hyp(then)
    return [lemma, *g.nodes]


def _sort(sort: Sort) -> str:
    """The text of a sort."""
    return sort if isinstance(sort, str) else f"{'*'.join(map(_sort, sort[1]))}->{_sort(sort[2])}"
