"""A statement that is proved in parts: conjuncts, contrapositives, and cases by the symbol at a position.

`prove` divides the claim of a statement. Its parts are those of conjunctions (so the two directions of `<->`), also on
the right of `->` and below `all i in a..b.`. A part P -> Q may be proved as ~Q -> ~P, and any part by cases: the symbol
at a position that the part names is each symbol in turn. Each piece is a statement with the same premises; it is
proved by automata and counts, or by the automation. The proof of the whole cites the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from symcook.alarm import Until
from symcook.proof import grammar
from symcook.proof.claims.bycounts.problem import Problem, W, everywhere, problem
from symcook.proof.claims.decision import decide
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted, result_of
from symcook.proof.search.ranges import equals
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck, try_each
from symcook.proof.statements import certify
from symcook.proof.terms import Term, abstract, flatten, imp, instantiate, loose, negation, num, subterms, var

MOST_PIECES = 24
"""The greatest number of pieces that are tried. Of 80 claims of an unseen set, none tried more than 9."""
MOST_PLACES = 2
"""The greatest number of positions at which cases are tried. There is a case for each symbol at each of them."""
LONGEST = 40_000
"""The greatest length of the statement, in characters: each piece repeats its premises. `MOST_PIECES` of this length
have a million characters."""
PIECE = 6.0
"""The time for one piece, in seconds, half of it for automata and counts. Of 64 pieces for claims of an unseen set, the
12 that were proved took at most 0.7 s."""

Closer = Callable[[Goal], None]
"""Closes a goal in which the premises and pieces of `InParts` are facts."""
Finish = Callable[[Goal, Sequence[str]], None]
"""Closes the goal of a part from the facts, by label, that its parts are."""


@dataclass(frozen=True)
class Body:
    """A claim without its leading `all i in a..b.`: the bound positions, each with its range, and what is left."""

    part: Term
    bound: tuple[tuple[Term, Term], ...] = ()

    @staticmethod
    def of(claim: Term) -> Body:
        """The body of a claim."""
        bound: list[tuple[Term, Term]] = []
        while claim[0] == "all" and claim[1] == "Int" and claim[2][0][0] == "->":
            place = var(f"place{len(bound)}_", "Int")
            inside, end = instantiate(claim[2][0], (place,))[2]
            if not all(comparison[0] == "<=" for comparison in flatten("&", inside)):
                break
            bound.append((place, inside))
            claim = end
        return Body(claim, tuple(bound))

    def whole(self, part: Term) -> Term:
        """Another part below the same quantifiers."""
        for place, inside in reversed(self.bound):
            part = ("all", "Int", (abstract(imp(inside, part), (place,)),))
        return part


class InParts:
    """The proof of one statement in parts. `pieces` are the proved pieces: their formulas with the nodes of the proofs,
    in order; `tried` is how many were tried, and `missing` the text of the first that was not proved after another one
    was. `premises` are those of the statement's formula, as they are there."""

    def __init__(self, whole: Problem, home: Citable, until: Until) -> None:
        self.whole, self.home, self.until = whole, home, until
        self.pieces: list[tuple[Term, list[Node]]] = []
        self.premises: list[Term] = []
        self.tried = 0
        self.missing = ""
        formula = whole.statement.formula
        for name, sort in whole.names.items():
            formula = instantiate(formula[2][0], (var(name, sort),))
        while formula != whole.claim:
            if formula[0] != "->":
                raise Stuck("a statement of another shape")
            self.premises.append(formula[2][0])
            formula = formula[2][1]

    # --- Dividing a claim --------------------------------------------------------------------------------------------

    def closer(self, claim: Term, depth: int = 0, first: bool = False) -> Closer | None:
        """Prove a claim by its parts; what closes a goal with this claim, None if a part is not proved. A claim that
        is no conjunction is proved as it is, as its contrapositive, or by cases; one that comes from cases (`depth` 1)
        not by further cases, and one that is a contrapositive (`depth` 2) only as it is. The claim that was tried as it
        is before is the `first` one."""
        body = Body.of(claim)
        part = body.part
        if part[0] == "&":
            return self._by(body, flatten("&", part), _conjunction, depth)
        if part[0] == "->" and part[2][1][0] == "&":
            given, end = part[2]
            return self._by(body, [imp(given, one) for one in flatten("&", end)], _conjunction_given, depth)
        if not first and (label := self.proved(claim)) is not None:
            return lambda g: g.hyp(label)
        if depth < 2 and part[0] == "->":
            given, end = part[2]
            turned = self._by(body, [imp(negation(end), negation(given))], _contrapositive, 2)
            if turned is not None:
                return turned
        for place in self._places(body)[:MOST_PLACES] if depth < 1 else ():
            symbols = [equals(("app", None, (W, place)), num(letter)) for letter in self.whole.typed]
            by_cases = self._by(body, [imp(one, part) for one in symbols], partial(self._cases, place), 1)
            if by_cases is not None:
                return by_cases
        return None

    def _by(self, body: Body, parts: Sequence[Term], finish: Finish, depth: int) -> Closer | None:
        """The closer of a claim from those of other claims with the same quantifiers: `finish` closes the body from
        their bodies. None if one of them has none; those after it are not tried."""
        claims, closers = [body.whole(part) for part in parts], list[Closer]()
        for claim in claims:
            closer = self.closer(claim, depth)
            if closer is None:
                return None
            closers.append(closer)

        def close(g: Goal) -> None:
            labels = list[str]()
            for claim, closer in zip(claims, closers, strict=True):
                g.have(claim, label := g.fresh("part"), closer)
                labels.append(label)
            given = list[tuple[str, str]]()
            for place, _ in body.bound:
                given.append((place[1][0], g.fresh("inside")))
                g.intro([*given[-1]])
            if given:
                arguments = [one for place, inside in given for one in (place, f"#{inside}")]
                labels = [_instance(g, label, arguments) for label in labels]
            finish(g, labels)

        return close

    def _places(self, body: Body) -> list[Term]:
        """The positions at which a body reads a symbol, then those at which it reads a coordinate, without those that
        the body binds itself."""
        read = [t[2] for t in subterms(body.part) if t[0] == "app" and len(t[2]) == 2]
        of_symbols = [place for function, place in read if function == W]
        return [place for place in dict.fromkeys([*of_symbols, *(place for _, place in read)]) if not loose(place)]

    def _cases(self, place: Term, g: Goal, labels: Sequence[str]) -> None:
        """Close a goal by the symbol at a position: `labels` have it after each symbol as a premise."""
        for label, line in list(g.facts.items()):
            ranged = everywhere(line)
            if ranged is not None and line in flatten("&", self.whole.word):
                symbol = g.fresh("symbol")
                g.use(label, g.text(place), lambda h: h.easy(), label=symbol)
                goals = g.cases(symbol, *(f"{symbol}.{k}" for k in range(len(labels)))) if len(labels) > 1 else [g]
                for k, (h, part) in enumerate(zip(goals, labels, strict=True)):
                    is_symbol = f"{symbol}.{k}" if len(labels) > 1 else symbol
                    h.use(part, f"#{is_symbol}", label=(end := h.fresh("end")), premises=0)
                    h.hyp(end)
                return
        raise Stuck("no symbols are known")

    # --- Pieces ------------------------------------------------------------------------------------------------------

    def proved(self, claim: Term) -> str | None:
        """The label of a claim as a piece, if it is proved: by automata and counts, or by the automation."""
        for number, (own, _) in enumerate(self.pieces):
            if own == claim:
                return f"piece.{number}"
        if self.tried >= MOST_PIECES or self.until.left <= 0:
            return None
        self.tried += 1
        statement = self.statement(claim)
        limit = min(PIECE, self.until.left)
        nodes = self._decided(statement, limit / 2) or self._searched(statement, limit / 2)
        if nodes is None:
            self.missing = self.missing or (grammar.show(claim) if self.pieces else "")
            return None
        self.pieces.append((claim, nodes))
        return f"piece.{len(self.pieces) - 1}"

    def statement(self, claim: Term) -> Statement:
        """The statement with the same names and premises about another claim."""
        own = self.whole.statement
        names = own.expanded.partition(". ")[0]
        chain = " -> ".join(f"({grammar.show(part)})" for part in (*self.premises, claim))
        return Statement(own.id, f"{names}. {chain}", known=own.known, claim=False)

    def _decided(self, statement: Statement, seconds: float) -> list[Node] | None:
        """The proof of a piece by automata and counts."""
        decision = decide(statement, self.home, Until(seconds), least=False)
        return None if decision.proved is None else decision.proved.nodes

    def _searched(self, statement: Statement, seconds: float) -> list[Node] | None:
        """The proof of a piece by the automation."""
        return result_of(attempted(lambda: certify.automatic(self.home, statement), Until(seconds)))

    # --- The whole ---------------------------------------------------------------------------------------------------

    def prove(self, g: Goal, stronger: Term | None = None, finish: Callable[[Goal, str], None] | None = None) -> None:
        """Close the goal of the statement; Stuck if a part is not proved. With a claim that is `stronger` than that of
        the statement, `finish` closes the goal by the label of that claim."""
        claim = self.whole.claim if stronger is None else stronger
        closer = self.closer(claim, first=stronger is None)
        if closer is None:
            raise Stuck("a part of the statement is not proved")
        names = [*self.whole.names]
        for number, (piece, nodes) in enumerate(self.pieces):
            g.have(self.statement(piece).formula, f"lemma.{number}", partial(_written, nodes=nodes))
        # The premises one by one; each premise of a lemma is a conjunction of some of them.
        labels = [
            [f"given.{number}.{k}" for k in range(len(flatten("&", premise)))]
            for number, premise in enumerate(self.premises)
        ]
        g.intro([*names, *(one if len(one) > 1 else one[0] for one in labels)])
        for number in range(len(self.pieces)):
            given = [f"#{one[0]}" if len(one) == 1 else partial(_conjunction, labels=one) for one in labels]
            g.use(f"lemma.{number}", *names, *given, label=f"piece.{number}", premises=0)
        if finish is None:
            closer(g)
        else:
            g.have(claim, label := g.fresh("stronger"), closer)
            finish(g, label)


def _written(g: Goal, nodes: list[Node]) -> None:
    """Close a goal by the nodes of a proof."""
    g.nodes += nodes
    g.closed = True


def _instance(g: Goal, label: str, arguments: Sequence[str]) -> str:
    """The label of a fact at given positions."""
    g.use(label, *arguments, label=(instance := g.fresh("here")), premises=0)
    return instance


def _conjunction(g: Goal, labels: Sequence[str]) -> None:
    """Close a conjunction by its parts."""
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)


def _conjunction_given(g: Goal, labels: Sequence[str]) -> None:
    """Close P -> A & B by P -> A and P -> B."""
    g.intro([given := g.fresh("given")])
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(_instance(part, label, [f"#{given}"]))


def _contrapositive(g: Goal, labels: Sequence[str]) -> None:
    """Close P -> Q by ~Q -> ~P."""
    g.intro([given := g.fresh("given")])
    g.contra(denied := g.fresh("denied"))
    other = _instance(g, labels[0], [f"#{denied}"])
    if not try_each(g, lambda h: h.absurd(given, other), lambda h: h.absurd(other, given)):
        raise Stuck("no contradiction")


def divides(claim: Term) -> bool:
    """Whether a claim has parts, a contrapositive, or a value at a position."""
    part = Body.of(claim).part
    return part[0] in ("&", "->") or any(t[0] == "app" for t in subterms(part))


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof in parts, found within `seconds`. Without one: the part that is missing, as
    a formula of the run, "" if no other part is proved."""
    whole, until = attempted(lambda: problem(statement)), Until(seconds)
    if isinstance(whole, Failed) or not divides(whole.claim) or len(statement.expanded) > LONGEST:
        return Failed("")
    parts, g = InParts(whole, home, until), Goal(home, statement.formula, {}, {})
    failed = attempted(lambda: parts.prove(g), until)
    return Failed(parts.missing) if failed is not None else g
