"""Whether some, or each, position of a range has a letter with a property: by the count of the letters that have it.

That some j has F is that the number of letters with F in the range is positive; that each j has F is that the number
of letters without F is 0. `counted_range` reads such a formula, `range_question` asks the case for the sign of the
count, and `_settle` makes the formula, or its negation, a fact.
"""

from __future__ import annotations

from functools import partial

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import CaseFacts
from symcook.proof.claims.bycounts.farkas import FactRow, close, contradiction
from symcook.proof.claims.bycounts.lettercounts import rewritten
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.problem import LETTERS, VALUES, at
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, between, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import FALSE, Term, abstract, flatten, free, instantiate, num, replace, subterms, var


class CountedRange:
    """``ex j in low..high. F`` or ``all j in low..high. F``, where the letter at j decides F; `letters` are those with
    F, or for "all" those without."""

    def __init__(self, f: Term, low: Term, high: Term, body: Term, letters: list[int]) -> None:
        self.f, self.low, self.high, self.body, self.letters = f, low, high, body, letters
        self.some = f[0] == "ex"


def counted_range(case: CaseFacts, f: Term) -> CountedRange | None:
    """A quantified formula that counts decide, taken apart; None for any other formula."""
    if f[0] not in ("all", "ex") or f[1] != "Int":
        return None
    # ``low <= j & j <= high & F`` under "ex", ``low <= j & j <= high -> F`` under "all"
    inner = instantiate(f[2][0], (THERE,))
    if inner[0] != ("->" if f[0] == "all" else "&"):
        return None
    parts = flatten("&", inner[2][0] if f[0] == "all" else inner)
    if len(parts) < 2 or (f[0] == "all" and len(parts) > 2):
        return None
    low, high = _bound(parts[0], 1), _bound(parts[1], -1)
    if low is None or high is None:
        return None
    if THERE in free(low) | free(high):
        return None
    body = inner[2][1]
    if f[0] == "ex":
        body = parts[2] if len(parts) == 3 else _joined(parts[2:])
    # F must be decided by each letter at j.
    truths = {a: truth_at_letter(case, body, a) for a in case.root.problem.letters}
    if None in truths.values() or not truths:
        return None
    ends: list[Term] = [at_most(low, THERE), at_most(THERE, high)]
    if parts[:2] != ends:  # bounds as a normal form writes them: the formula is written with plain ones
        between = _joined(ends)
        body_of_range: Term = ("->", None, (between, body)) if f[0] == "all" else _joined([*ends, *parts[2:]])
        f = (f[0], "Int", (abstract(body_of_range, (THERE,)),))
    return CountedRange(f, low, high, body, [a for a, value in truths.items() if value is (f[0] == "ex")])


def truth_at_letter(case: CaseFacts, f: Term, letter: int) -> bool | None:
    """Whether a formula about j is true where a letter stands at j; None where the letter does not decide it."""
    f = replace(f, at("w", THERE, LETTERS), num(letter))
    for name in case.root.coordinates(f, THERE):
        if name not in case.root.values:
            return None
        sort = LETTERS if case.root.problem.equations[name].truth else VALUES
        f = replace(f, at(name, THERE, sort), case.root.values[name][letter])
    key = fkey(f)
    return key == NTRUE if key in (NTRUE, NFALSE) else None


def letter_count(case: CaseFacts, ranged: CountedRange) -> Term:
    """The term that counts the letters of `letters` in the range."""
    ones = dict.fromkeys(ranged.letters, num(1))
    return case.root.weighted(ones, lambda a: case.root.count(a, ranged.low, ranged.high))


def range_question(case: CaseFacts, f: Term) -> Term | None:
    """What has to be decided for a quantified formula; None once the formula, or its negation, is a fact, or where
    no count decides it."""
    ranged = counted_range(case, f)
    if ranged is None or case.clash is not None or fkey(f) in case.quantified:
        return None
    # The counts are those of a range inside of the string.
    for end in (at_most(case.root.low, ranged.low), at_most(ranged.high, case.root.high)):
        if case.known(end) is None:
            return end
    positive_count = less_than(num(0), letter_count(case, ranged))
    value = case.truth(positive_count)
    if value is None:
        return positive_count
    # The fact may be the opposite of what the case supposes: then the case is closed.
    supposed, holds = case.truth(f), value is ranged.some
    label = _settle(case, ranged, value, _decided_label(case, positive_count, value))
    if supposed is not None and supposed is not holds:
        supposed_label = case.literals[fkey(f if supposed else ("~", None, (f,)))]
        case.clash = (supposed_label, label) if supposed else (label, supposed_label)
    return None


def _decided_label(case: CaseFacts, f: Term, value: bool) -> str:
    """The label of a comparison that is known to be true, or of the opposite one."""
    wanted = f if value else ("<=", None, f[2][::-1])
    label = case.known(wanted)
    if label is None:
        raise Rejected("a count is not decided")
    return label


def _settle(case: CaseFacts, ranged: CountedRange, some: bool, label: str) -> str:
    """The label of the formula, or of its negation, which is proved here by the count."""
    g = case.g
    holds = some if ranged.some else not some
    f = ranged.f if holds else ("~", None, (ranged.f,))
    new = g.fresh("each")
    if some:  # the count is positive
        g.have(f, new, partial(_exists, case, ranged=ranged, label=label))
    else:
        g.have(f, new, partial(_none, case, ranged=ranged, label=label))
    case.literals.setdefault(fkey(f), new)
    case.quantified.add(fkey(ranged.f))
    return new


def _bits(case: CaseFacts, ranged: CountedRange, place: Term) -> Term:
    """The sum of the bits of the letters at a position."""
    return case.root.weighted(dict.fromkeys(ranged.letters, num(1)), lambda a: case.root.bit(place, a))


def _ends(case: CaseFacts, ranged: CountedRange) -> list[str]:
    """The labels that the range begins and ends in the string."""
    ends = [at_most(case.root.low, ranged.low), at_most(ranged.high, case.root.high)]
    return [_decided_label(case, end, True) for end in ends]


def _exists(case: CaseFacts, g: Goal, ranged: CountedRange, label: str) -> None:
    """Close that a letter of `letters` stands in the range. Otherwise all its bits, and so the count, would be 0;
    but the count is positive."""
    ends, no = _ends(case, ranged), g.fresh("no")
    if ranged.some:
        g.contra(no)
    else:
        g.intro(no)

    # The contrary is supposed as `no`. Then each bit of the range is 0, by the letter at its position: the bits of
    # letters outside of `letters` are, and one of `letters` would be a position with the property.
    def bits_are_zero(h: Goal) -> None:
        """The bits at a position of the range add up to 0."""
        there, inside, between = _position(case, h, ends)

        def close_letter(k: Goal, a: int, here: str) -> None:
            """Close that by the letter `a` at the position."""
            if a not in ranged.letters:
                case.root.computed(k, there, inside, here)
            elif ranged.some:
                yes = k.fresh("yes")

                def witness(m: Goal) -> None:
                    m.witness(there[1][0])
                    _parts(case, m, between, there, inside, here)

                k.contra(k.fresh("not"))
                k.have(ranged.f, yes, witness)
                k.absurd(yes, no)
            else:
                false_here = k.fresh("so")
                k.use(no, there[1][0], f"#{between}", label=false_here)
                _false(case, k, false_here, there, inside, here)

        case.root.cases(h, there[1][0], inside, close_letter)

    # Then the count is 0, which is a contradiction.
    zero = g.fresh("zero")
    texts = [f"j. {g.text(_bits(case, ranged, THERE))}", "j. 0", g.text(ranged.low), g.text(ranged.high)]
    g.use("lem:sum_ext", *texts, bits_are_zero, label=zero)
    _clash(case, g, zero, label)


def _none(case: CaseFacts, g: Goal, ranged: CountedRange, label: str) -> None:
    """Close that no letter of `letters` stands in the range. Its bit 1 would be at most the sum of all bits, which
    are not negative; but the count is 0."""
    ends = _ends(case, ranged)
    if ranged.some:
        # ~(ex j. ..): of a j with F, each letter is excluded, one with F by the count and one without by F.
        no, name, both = g.fresh("some"), g.fresh("x"), g.fresh("both")
        g.intro(no)
        count = len(flatten("&", instantiate(ranged.f[2][0], (THERE,))))
        labels = [f"{both}_{k}" for k in range(count)]
        g.obtain(no, name, " ".join(labels))
        there = var(name, "Int")
        between, inside = _between(case, g, ranged, there, ends, labels[:2])

        def close_letter(k: Goal, a: int, here: str) -> None:
            """A letter with F clashes with the count; one without makes a part of F false."""
            if a in ranged.letters:
                return _clash_with_count(case, k, ranged, label, there, between, here)
            body = flatten("&", instantiate(ranged.f[2][0], (there,)))[2:]
            which = next(
                n for n, part in enumerate(body) if truth_at_letter(case, replace(part, there, THERE), a) is False
            )
            return _false(case, k, labels[2 + which], there, inside, here)

        case.root.cases(g, name, inside, close_letter)
    else:
        # all j. F: at each j a letter without F is excluded by the count.
        there, inside, between = _position(case, g, ends)

        def close_other_letter(k: Goal, a: int, here: str) -> None:
            """A letter without F clashes with the count; one with F makes the goal true."""
            if a in ranged.letters:
                return _clash_with_count(case, k, ranged, label, there, between, here)
            return _true(case, k, there, inside, here)

        case.root.cases(g, there[1][0], inside, close_other_letter)


def _clash_with_count(
    case: CaseFacts, g: Goal, ranged: CountedRange, label: str, there: Term, between: str, here: str
) -> None:
    """Close a goal where a letter of `letters` stands in the range, by the label `here`: its bit is 1, but the sum of
    all bits is 0, by the label `label`."""
    member, value = g.fresh("member"), g.fresh("value")

    def not_negative(h: Goal) -> None:
        """No bit of the range is negative."""
        name, in_range = h.fresh("j"), h.fresh("there")
        h.intro(f"{name} {in_range}")
        _not_negative(case, h, ranged, var(name, "Int"))

    texts = [f"j. {g.text(_bits(case, ranged, THERE))}", g.text(ranged.low), g.text(ranged.high), g.text(there)]
    g.use("lem:sum_member", *texts, f"#{between}", not_negative, label=member)
    g.have(equals(_bits(case, ranged, there), num(1)), value, lambda h: rewritten(h, here))
    if g.goal != FALSE:
        g.contra(g.fresh("no"))
    _clash(case, g, member, label, value)


# --- Steps ------------------------------------------------------------------------------------------------------------


def _position(case: CaseFacts, g: Goal, ends: list[str]) -> tuple[Term, str, str]:
    """Introduce a position of the range: its name, the label that it is one of the string, and that of the range."""
    name, between = g.fresh("x"), g.fresh("between")
    g.intro(f"{name} {between}")
    there = var(name, "Int")
    low, high, inside = g.fresh("from"), g.fresh("to"), g.fresh("inside")
    g.use(between, label=f"{low} {high}")
    g.have(case.root.inside(there), inside, lambda h: h.easy([low, high, *ends], degree=1, rounds=0))
    return there, inside, between


def _between(
    case: CaseFacts, g: Goal, ranged: CountedRange, there: Term, ends: list[str], known: list[str]
) -> tuple[str, str]:
    """The labels that a position is one of the range, and one of the string."""
    in_range, inside = g.fresh("between"), g.fresh("inside")
    g.have(between(ranged.low, there, ranged.high), in_range, lambda h: h.easy(known, degree=1, rounds=0))
    g.have(case.root.inside(there), inside, lambda h: h.easy([*known, *ends], degree=1, rounds=0))
    return in_range, inside


def _parts(case: CaseFacts, g: Goal, between: str, there: Term, inside: str, here: str) -> None:
    """Close the range and the body of an existence at a position."""
    low, high = g.fresh("from"), g.fresh("to")
    g.use(between, label=f"{low} {high}")
    for k, part in enumerate(g.split()):
        if k < 2:
            part.hyp((low, high)[k])
        else:
            _true(case, part, there, inside, here)


def _true(case: CaseFacts, g: Goal, there: Term, inside: str, here: str) -> None:
    """Close a formula about a position that is true by the letter there."""
    case.root.computed(g, there, inside, here)


def _false(case: CaseFacts, g: Goal, label: str, there: Term, inside: str, here: str) -> None:
    """Close a goal by a fact about a position that is false by the letter there."""
    for name in case.root.coordinates(g.facts[label], there):
        value, new = g.fresh("v"), g.fresh("so")
        g.use(case.root.share(g, case.root.valued(name)), g.text(there), f"#{inside}", label=value)
        g.rewrite(value, label, new)
        label = new
    if any(s == at("w", there, LETTERS) for s in subterms(g.facts[label])):
        g.rewrite(here, label, (new := g.fresh("so")))
        label = new
    g.absurd(label)


def _not_negative(case: CaseFacts, g: Goal, ranged: CountedRange, there: Term) -> None:
    """Close that the bits at a position add up to 0 or more, by cases on each bit."""
    labels: list[str] = []
    for a in ranged.letters:
        label = g.fresh("bit")

        def by_bit(h: Goal, a: int = a) -> None:
            f, v = h.fresh("f"), h.fresh("v")
            for k in h.ind(case.root.is_letter(there, a), f"{f} {v}"):
                rewritten(k, v)

        g.have(at_most(num(0), case.root.bit(there, a)), label, by_bit)
        labels.append(label)
    g.auto(labels, degree=1, rounds=0)


def _clash(case: CaseFacts, g: Goal, *labels: str) -> None:
    """Close the goal by facts that contradict each other in linear arithmetic."""
    rows = [FactRow(poly(g.facts[k]), g.facts[k][0], (k,), raw=poly(g.facts[k])) for k in labels]
    refutation = contradiction(rows)
    if refutation is None:
        raise Rejected("counts do not clash")
    close(g, refutation)


def _bound(f: Term, side: int) -> Term | None:
    """The position p where a formula says that p <= j (side 1), or j <= p (side -1); None where it says neither."""
    if f[0] != "<=":
        return None
    gap = poly(f)
    ((j, _),) = nf(THERE).items()
    without_j = {m: c for m, c in gap.items() if m != j}
    return reify.term(normal.scale(without_j, -side)) if gap.get(j) == side else None


def _joined(parts: list[Term]) -> Term:
    joined = parts[0] if parts else ("true", None, ())
    for part in parts[1:]:
        joined = ("&", None, (joined, part))
    return joined
