"""A claim about sums over all positions, and about all positions, as a claim about the counts of symbols.

If a coordinate has one value for each symbol, a polynomial in the shares of the symbols, it is determined at each
position by the symbol there: ``same(i) = count(a)/n`` where there is an a. Then ``sum(i, 1, n, same(i))`` is
``count(a)*count(a)/n + count(b)*count(b)/n``, and ``all i in 1..n. same(i) = 1/n`` states ``count(a)/n = 1/n`` if there
is an a, and so on. Squares of integers are at least these integers, and squares of differences are not negative.

`prove` proves the values, the claim about counts, and then the claim. Nothing here is trusted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from symcook.alarm import Until
from symcook.proof.claims.bycounts.problem import HERE, N, Problem, W, at, everywhere, problem
from symcook.proof.replay import Statement
from symcook.proof.search import automation, prooftext
from symcook.proof.search.attempts import Failed, attempted, result_of
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.prooftext import Place
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Citable, Goal, Node
from symcook.proof.statements import certify
from symcook.proof.statements.bysymbol import letters_at
from symcook.proof.statements.facts import Facts, Trying
from symcook.proof.statements.inparts import InParts
from symcook.proof.statements.transfer import Transfer
from symcook.proof.terms import (
    COMPARISONS,
    Term,
    abstract,
    conj,
    flatten,
    free,
    imp,
    instantiate,
    loose,
    num,
    replace,
    subterms,
    var,
)  # fmt: skip

Shares = dict[int, Fraction]
"""A sum of multiples of shares of symbols, count/n, by the symbol. A number c is c times the sum of all shares."""


class ShareForms:
    """The coordinates whose value at a position is determined by the symbol there: by symbol, a sum of shares."""

    def __init__(self, whole: Problem) -> None:
        self.whole = whole
        self.values: dict[str, dict[int, Shares]] = {}
        self.shared: set[str] = set()
        """Those that a share occurs in; the others are functions of the symbol."""
        for name, equation in whole.equations.items():
            if equation.kind != "value" or equation.truth or equation.places != whole.places:
                continue
            values = {letter: self.of(equation.right, letter, HERE) for letter in whole.letters}
            if None in values.values():
                continue
            self.values[name] = {letter: value for letter, value in values.items() if value is not None}
            if any(len({*value.values()}) > 1 for value in self.values[name].values()):
                self.shared.add(name)

    def number(self, c: Fraction) -> Shares:
        """A number as a sum of shares."""
        return dict.fromkeys(self.whole.letters, c)

    def of(self, t: Term, letter: int, here: Term) -> Shares | None:
        """A term at the position `here`, where the letter is this one; None for a term that the letter does not
        determine, and for one that is not linear in the shares."""
        tag, data, kids = t
        if tag == "num":
            return self.number(Fraction(*data))
        if tag == "app" and kids[1:] == (here,) and kids[0][0] == "var" and kids[0][1][0] in self.values:
            return self.values[kids[0][1][0]][letter]
        if tag == "ind" and kids[0][0] == "=" and kids[0][2][0] == ("app", None, (W, here)):
            return self.number(Fraction(kids[0][2][1] == num(letter)))
        if tag == "/" and kids[0][0] == "sum" and kids[1] == N and kids[0][2][:2] == (*self.whole.places,):
            there = var("there'", "Int")
            body = instantiate(kids[0][2][2], (there,))
            terms = {k: self.of(body, k, there) for k in self.whole.letters} if here not in free(body) else {}
            values = {k: _number(value) for k, value in terms.items()}
            if not values or None in values.values():
                return None
            return {k: value for k, value in values.items() if value is not None}
        inside = [self.of(kid, letter, here) for kid in kids] if tag in ("+", "-", "*", "/", "neg", "fn") else []
        if not inside or None in inside:
            return None
        first, last = inside[0] or {}, inside[-1] or {}
        if tag in ("+", "-"):
            return {k: first[k] + (last[k] if tag == "+" else -last[k]) for k in first}
        if tag == "neg":
            return {k: -x for k, x in first.items()}
        if tag in ("*", "/"):
            factor, other = _number(last), first
            if factor is None and tag == "*":
                factor, other = _number(first), last
            if factor is None or (tag == "/" and not factor):
                return None
            return {k: x / factor if tag == "/" else x * factor for k, x in other.items()}
        if data == "relu" and all(x >= 0 for x in first.values()):
            return first
        return self.number(Fraction(0)) if data == "relu" and all(x <= 0 for x in first.values()) else None

    def count(self, letter: int) -> Term:
        """The count of a letter."""
        body = ("ind", None, (equals(("app", None, (W, HERE)), num(letter)),))
        return ("sum", None, (*self.whole.places, abstract(body, (HERE,))))

    def term(self, shares: Shares) -> Term:
        """A sum of shares as a term."""
        c = _number(shares)
        if c is not None:
            return num(c.numerator, c.denominator)
        total: Term | None = None
        for letter, x in shares.items():
            if x:
                part = self.count(letter)
                part = part if x == 1 else ("*", None, (num(x.numerator, x.denominator), part))
                total = part if total is None else ("+", None, (total, part))
        return ("/", None, (total or num(0), N))

    def at_letter(self, t: Term, letter: int, place: Term) -> Term:
        """A term or formula with the values at `place`, where the letter is this one."""
        for name, values in self.values.items():
            t = replace(t, at(name, place), self.term(values[letter]))
        return replace(t, ("app", None, (W, place)), num(letter))

    def determined(self, t: Term, place: Term) -> bool:
        """Whether a term or formula depends on `place` through coordinates of `values` and the letter there alone, and
        names one of these coordinates."""
        names = {x[2][0][1][0] for x in subterms(t) if x[0] == "app" and x[2][1:] == (place,)}
        own = self.at_letter(t, self.whole.letters[0], place)
        return not names.isdisjoint(self.shared) and place not in free(own)

    def line(self, name: str) -> Term:
        """The line that states the values of a coordinate at each position."""
        total: Term | None = None
        for letter, value in self.values[name].items():
            part: Term = ("ind", None, (equals(("app", None, (W, HERE)), num(letter)),))
            part = ("*", None, (part, self.term(value)))
            total = part if total is None else ("+", None, (total, part))
        low, high = self.whole.places
        body = imp(conj(at_most(low, HERE), at_most(HERE, high)), equals(at(name, HERE), total or num(0)))
        return ("all", "Int", (abstract(body, (HERE,)),))


def _number(shares: Shares | None) -> Fraction | None:
    """The number that a sum of shares is; None for none."""
    values = {*(shares or {}).values()}
    return values.pop() if len(values) == 1 else None


class CountClaim(Transfer):
    """Proves a claim from the claim in which sums over all positions, and statements about all positions, are replaced
    by counts. The facts ``line.NAME`` have the values."""

    def __init__(self, forms: ShareForms, word: Sequence[str]) -> None:
        super().__init__(())
        self.forms, self.word = forms, word
        self.used: set[str] = set()

    def other(self, t: Term) -> Term:
        tag, data, kids = t
        if (body := self._sum(t)) is not None:
            total: Term | None = None
            for letter in self.forms.whole.letters:
                part = ("*", None, (self.forms.count(letter), self.forms.at_letter(body, letter, HERE)))
                total = part if total is None else ("+", None, (total, part))
            return total or t
        if (body := self._everywhere(t)) is not None:
            out: Term | None = None
            for letter in self.forms.whole.letters:
                some = at_most(num(1), self.forms.count(letter))
                part = imp(some, self.forms.at_letter(body, letter, HERE))
                out = part if out is None else conj(out, part)
            return out or t
        if tag in ("all", "ex"):
            name = var(f"place'{sum(x[0] in ('all', 'ex') for x in subterms(t))}", data)
            return (tag, data, (abstract(self.other(instantiate(kids[0], (name,))), (name,)),))
        return (tag, data, tuple(map(self.other, kids))) if kids and tag not in ("sum", "prod", "lam") else t

    def _note(self, t: Term) -> None:
        self.used |= {x[1][0] for x in free(t)} & self.forms.values.keys()

    def _sum(self, t: Term) -> Term | None:
        """The body, at `HERE`, of a sum over all positions that is replaced."""
        if t[0] != "sum" or t[2][:2] != (*self.forms.whole.places,) or loose(t):
            return None
        body = instantiate(t[2][2], (HERE,))
        if not self.forms.determined(body, HERE):
            return None
        self._note(body)
        return body

    def _everywhere(self, t: Term) -> Term | None:
        """The body, at `HERE`, of a formula about all positions that is replaced."""
        line = everywhere(t) if t[0] == "all" else None
        if line is None or line[0] != self.forms.whole.places or loose(t):
            return None
        if not self.forms.determined(line[1], HERE):
            return None
        self._note(line[1])
        return line[1]

    def close(self, g: Goal, label: str, back: bool = False) -> None:
        """Close a goal f by the fact `label`, which is `other` of f; with `back` a goal that is `other` of the fact."""
        own = g.fact(label) if back else g.goal
        if g.fact(label) == g.goal:
            g.hyp(label)
        elif own[0] in COMPARISONS:
            for total in dict.fromkeys(t for t in subterms(own) if self._sum(t) is not None):
                name = g.fresh("total")
                g.have(equals(total, self.other(total)), name, self._summed)
                if back:
                    g.rewrite(name, label, label := g.fresh("put"))
                else:
                    g.rewrite(name)
            g.hyp(label)
        elif self._everywhere(own) is not None:
            (self._some if back else self._each)(g, label)
        else:
            super().close(g, label, back)

    def _values(self, g: Goal, place: str, inside: Sequence[str], t: Term) -> list[str]:
        """The labels of the values of the coordinates in a term at a place, where the letter is known, and of the
        letter."""
        labels = list[str]()
        for name in sorted({x[1][0] for x in free(t)} & self.forms.values.keys()):
            if replace(t, at(name, var(place, "Int")), num(0)) == t:
                continue
            g.use(f"line.{name}", place, partial(_both, labels=inside), label=(is_at := g.fresh("is")), premises=1)
            g.rewrite(f"letter.{place}", is_at, at_letter := g.fresh("is"))
            letter = g.fact(f"letter.{place}")[2][1][1][0]
            value = self.forms.term(self.forms.values[name][letter])
            label = g.fresh("value")
            g.have(equals(at(name, var(place, "Int")), value), label, lambda h, one=at_letter: _equation(h, one))
            labels.append(label)
        return [*labels, f"letter.{place}"]

    def _summed(self, g: Goal) -> None:
        """Close the goal that a sum is the sum of counts times values."""
        total = g.goal[2][0]
        body = instantiate(total[2][2], (HERE,))
        by_letter: Term | None = None
        for letter in self.forms.whole.letters:
            part: Term = ("ind", None, (equals(("app", None, (W, HERE)), num(letter)),))
            part = ("*", None, (part, self.forms.at_letter(body, letter, HERE)))
            by_letter = part if by_letter is None else ("+", None, (by_letter, part))
        functions = [g.text(("lam", ("Int",), (abstract(t, (HERE,)),))) for t in (body, by_letter or body)]
        label, place = g.fresh("sum"), g.fresh("k")

        def each(h: Goal) -> None:
            h.intro([place, ["low.k", "high.k"]])
            for case, _ in letters_at(self.forms.whole, h, place, ["low.k", "high.k"], self.word):
                values = self._values(case, place, ["low.k", "high.k"], case.goal)
                _put(case, values)
                case.true()

        g.use("lem:sum_ext", *functions, *map(g.text, total[2][:2]), each, label=label)
        g.close({"by": "pos", "eq": [["1", label]]})

    def _each(self, g: Goal, label: str) -> None:
        """Close a goal about all positions by a fact about counts."""
        labels = [f"{label}.{k}" for k in range(len(self.forms.whole.letters))]
        g.use(label, label=" ".join(labels) if len(labels) > 1 else labels[0], premises=0)
        place, low, high = g.fresh("k"), *map(str, map(g.text, self.forms.whole.places))
        g.intro([place, ["low.k", "high.k"]])
        for case, letter in letters_at(self.forms.whole, g, place, ["low.k", "high.k"], self.word):
            some = case.fresh("some")
            body = g.text(("lam", ("Int",), (self.forms.count(letter)[2][2],)))

            def counted(h: Goal, body: str = body) -> None:
                inside = partial(_both, labels=["low.k", "high.k"])
                h.use("lem:sum_member", body, low, high, place, inside, automation.prove, label="one.k")
                automation.prove(h, (), automation.LEVELS[:2], ["one.k", f"letter.{place}"])

            case.have(at_most(num(1), self.forms.count(letter)), some, counted)
            case.use(labels[self.forms.whole.letters.index(letter)], f"#{some}", label=(then := case.fresh("then")))
            _put(case, self._values(case, place, ["low.k", "high.k"], case.goal))
            case.hyp(then)

    def _some(self, g: Goal, label: str) -> None:
        """Close a goal about counts by a fact about all positions."""
        letters = self.forms.whole.letters
        for case, letter in zip(g.split() if len(letters) > 1 else [g], letters, strict=True):
            some, place = case.fresh("some"), case.fresh("p")
            case.intro([some])
            low, high = map(case.text, self.forms.whole.places)
            there = case.fresh("there")
            case.use("lem:count_some", "w", low, high, str(letter), partial(Goal.auto, use=[some]), label=there)
            case.obtain(there, place, f"low.k high.k letter.{place}")
            inside, here = partial(_both, labels=["low.k", "high.k"]), case.fresh("here")
            case.use(label, place, inside, label=here, premises=1)
            for known in self._values(case, place, ["low.k", "high.k"], case.fact(here)):
                old, new = case.fact(known)[2]
                if replace(case.fact(here), old, new) != case.fact(here):
                    case.rewrite(known, here, here := case.fresh("here"))
            case.hyp(here)


def _both(g: Goal, labels: Sequence[str]) -> None:
    """Close a conjunction by its parts."""
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)


def _equation(g: Goal, label: str) -> None:
    """Close an equation by one with the same normal form."""
    g.close({"by": "pos", "eq": [["1", label]]})


def _put(g: Goal, labels: Sequence[str]) -> None:
    """Replace by equations in the goal."""
    for known in labels:
        old, new = g.fact(known)[2]
        if replace(g.goal, old, new) != g.goal:
            g.rewrite(known)


class CountParts(InParts):
    """The proof of a claim in parts, some of them by squares of counts."""

    def _searched(self, statement: Statement, seconds: float) -> list[Node] | None:
        """The proof of a piece by squares of counts, or by the automation."""
        return self._by_squares(statement, seconds / 2) or super()._searched(statement, seconds / 2)

    def _by_squares(self, statement: Statement, seconds: float) -> list[Node] | None:
        """The proof of a piece from facts about counts: their sum, their squares, and squares of their differences."""

        def squared() -> list[Node]:
            g, lines = Goal(self.home, statement.formula, {}, {}), square_lines(Facts(statement))
            read = prooftext.read(certify.headed_lines(statement, lines)).parts["proof"]
            Trying().block(g, read, Place(1, 1))
            return g.nodes

        return result_of(attempted(squared, Until(seconds)))


def square_lines(facts: Facts) -> str:
    """The lines of a proof by squares of counts. Each count is at most its square, since it is an integer."""
    counts = [f"sum(j, {facts.low}, {facts.high}, I[w(j) = {k}])" for k in facts.tokens]
    lines = facts.letters() + (
        "whole': all k:Int. 0 <= k -> k <= k*k\n  given k least'\n  cases none', some': k <= 0\n"
        "    - qed by none', least'\n    - one': 1 <= k by some'\n      qed by one'\n"
    )
    labels = ["all'"]
    for number, count in enumerate(counts):
        lines += f"from{number}': 0 <= {count}\nsquare{number}': {count} <= ({count})*({count})"
        lines += f" by whole'({count}), from{number}'\n"
        labels += [f"from{number}'", f"square{number}'"]
    for number, (x, y) in enumerate(itertools.combinations(counts, 2)):
        lines += f"apart{number}': 0 <= ({x} - {y})*({x} - {y})\n"
        labels.append(f"apart{number}'")
    total = " + ".join(counts)
    lines += f"total': n*n = ({total})*({total}) by all'\n"
    given = ", ".join(dict.fromkeys([*labels, "total'", "some", *facts.premises]))
    return f"{lines}{facts.given}qed by {given}\n"


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by the counts of symbols, found within `seconds`; or the reason why there is
    none."""
    search = partial(_proved, home, statement, seconds)
    return attempted(search, Until(seconds), because="the counts are not compared: ")


def _proved(home: Citable, statement: Statement, seconds: float) -> Goal:
    """What `prove` returns; raises NoResult without a proof."""
    whole = problem(statement)
    forms = ShareForms(whole)
    if not whole.letters or not forms.shared:
        raise NoResult("no value is determined by a symbol and the counts")
    lines = len(flatten("&", whole.word))
    counted = CountClaim(forms, [f"given.1.{k}" for k in range(lines)])
    claim = counted.other(whole.claim)
    if claim == whole.claim:
        raise NoResult("the claim is not about all positions")
    parts, valued = CountParts(whole, home, Until(seconds)), dict[str, str]()
    g = Goal(home, statement.formula, {}, {})

    def finish(h: Goal, label: str) -> None:
        for name, piece in valued.items():
            h.have(forms.line(name), f"line.{name}", lambda k, piece=piece: k.hyp(piece))
        counted.close(h, label)

    for name in sorted(counted.used):
        piece = parts.proved(forms.line(name))
        if piece is None:
            raise NoResult("the values of a coordinate are not proved")
        valued[name] = piece
    parts.prove(g, claim, finish)
    return g
