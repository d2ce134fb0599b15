"""Decides whether some, or each, position of a range has a letter with a property F, by counting letters.

``ex j. F`` is true if the number of letters with F in the range is positive; ``all j. F`` is true if the number of
letters without F is 0. `counted_range` parses such a formula, `range_question` returns the comparison of the count with
0 that has to be decided, and `_settle` adds the formula, or its negation, as a fact.

In the functions below `there` is a position of the range, and the labels of facts are: `inside`, that it is a position
of the string; `between`, that it is in the range; `here`, what letter is there.
"""

from __future__ import annotations

from functools import partial

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import CaseFacts
from symcook.proof.claims.bycounts.divided import division, division_question
from symcook.proof.claims.bycounts.farkas import FactRow, close, contradiction
from symcook.proof.claims.bycounts.lettercounts import rewritten
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.problem import LETTERS, VALUES, at
from symcook.proof.claims.bycounts.truth import quantified
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, between, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import FALSE, Term, abstract, flatten, free, instantiate, num, replace, subterms, var


class CountedRange:
    """A formula ``ex j in low..high. F`` or ``all j in low..high. F``, where the letter at j determines F.

    `f` is the formula and `body` is F. `letters` are the counted letters: those with F for "ex", those without F for
    "all". `some` is whether the formula is an "ex"."""

    def __init__(self, f: Term, low: Term, high: Term, body: Term, letters: list[int]) -> None:
        self.f, self.low, self.high, self.body, self.letters = f, low, high, body, letters
        self.some = f[0] == "ex"


def counted_range(case: CaseFacts, f: Term) -> CountedRange | None:
    """The formula `f` as a `CountedRange`; None if it has another form or the letter does not determine F."""
    if f[0] not in ("all", "ex") or f[1] != "Int":
        return None
    # ``low <= j & j <= high & F`` under "ex", ``low <= j & j <= high -> F`` under "all"
    inner = instantiate(f[2][0], (THERE,))
    if inner[0] != ("->" if f[0] == "all" else "&"):
        return None
    parts = flatten("&", inner[2][0] if f[0] == "all" else inner)
    if len(parts) < 2 or (f[0] == "all" and len(parts) > 2):
        return None
    low, high = _bound_of_j(parts[0], 1), _bound_of_j(parts[1], -1)
    if low is None or high is None:
        return None
    if THERE in free(low) | free(high):
        return None
    body = inner[2][1]
    if f[0] == "ex":
        body = parts[2] if len(parts) == 3 else _conjunction(parts[2:])
    # Each letter at j must determine whether F is true.
    truths = {a: truth_at_letter(case, body, a) for a in case.root.problem.letters}
    if None in truths.values() or not truths:
        return None
    ends: list[Term] = [at_most(low, THERE), at_most(THERE, high)]
    if parts[:2] != ends:  # bounds in a normal form, such as 0 <= j - low: write the formula with low <= j
        between = _conjunction(ends)
        body_of_range: Term = ("->", None, (between, body)) if f[0] == "all" else _conjunction([*ends, *parts[2:]])
        f = (f[0], "Int", (abstract(body_of_range, (THERE,)),))
    return CountedRange(f, low, high, body, [a for a, value in truths.items() if value is (f[0] == "ex")])


def truth_at_letter(case: CaseFacts, f: Term, letter: int) -> bool | None:
    """Whether a formula about j is true if `letter` is at j; None if the letter does not determine it."""
    f = replace(f, at("w", THERE, LETTERS), num(letter))
    for name in case.root.coordinates(f, THERE):
        if name not in case.root.values:
            return None
        sort = LETTERS if case.root.problem.equations[name].truth else VALUES
        f = replace(f, at(name, THERE, sort), case.root.values[name][letter])
    key = fkey(f)
    return key == NTRUE if key in (NTRUE, NFALSE) else None


def letter_count(case: CaseFacts, ranged: CountedRange) -> Term:
    """The term for the number of counted letters in the range."""
    ones = dict.fromkeys(ranged.letters, num(1))
    return case.root.weighted(ones, lambda a: case.root.count(a, ranged.low, ranged.high))


def range_question(case: CaseFacts, f: Term) -> Term | None:
    """The comparison that has to be decided next to decide the quantified formula `f`. None once the formula or its
    negation is a fact, and if no count decides it."""
    ranged = counted_range(case, f)
    if ranged is None or case.clash is not None or fkey(f) in case.quantified:
        return None
    # The range must lie inside the string, where letters are counted.
    for end in (at_most(case.root.low, ranged.low), at_most(ranged.high, case.root.high)):
        if case.known(end) is None:
            return end
    positive_count = less_than(num(0), letter_count(case, ranged))
    value = case.truth(positive_count)
    if value is None:
        return positive_count
    # Add the formula or its negation as a fact. If the case assumes the opposite, the two facts clash.
    supposed, holds = case.truth(f), value is ranged.some
    label = _settle(case, ranged, value, _decided_label(case, positive_count, value))
    if supposed is not None and supposed is not holds:
        supposed_label = case.literals[fkey(f if supposed else ("~", None, (f,)))]
        case.clash = (supposed_label, label) if supposed else (label, supposed_label)
    return None


def quantified_question(case: CaseFacts, f: Term, remainders: bool = False) -> Term | None:
    """What has to be decided next for the truth of `f`, whose comparisons outside quantifiers are all decided: a
    quantified formula in it, or the comparison that decides this formula by its count, and with `remainders` by its
    remainder. None where the quantified formulas are decided."""
    for part in quantified(f):
        if case.truth(part) is not None:
            continue
        if division(part) is not None:
            question = division_question(case, part) if remainders else None
        elif counted_range(case, part) is None:
            return part
        else:
            question = range_question(case, part)
        if question is not None:
            return question
    return None


def _decided_label(case: CaseFacts, f: Term, value: bool) -> str:
    """The label of the fact `f`, a comparison, or, if `value` is False, of the opposite comparison; `f` must then be a
    comparison with <. Rejected if it is not known."""
    wanted = f if value else ("<=", None, f[2][::-1])
    label = case.known(wanted)
    if label is None:
        raise Rejected("the facts do not decide a count")
    return label


def _settle(case: CaseFacts, ranged: CountedRange, some: bool, label: str) -> str:
    """Prove the formula or its negation from the count; the label of this fact. `some` is whether the count is positive
    (else it is 0), and `label` the label of the fact that says so."""
    g = case.g
    holds = some if ranged.some else not some
    f = ranged.f if holds else ("~", None, (ranged.f,))
    new = g.fresh("each")
    if some:  # the count is positive
        g.have(f, new, partial(_close_some, case, ranged=ranged, label=label))
    else:
        g.have(f, new, partial(_close_no_letter, case, ranged=ranged, label=label))
    case.literals.setdefault(fkey(f), new)
    case.quantified.add(fkey(ranged.f))
    return new


def _bit_sum(case: CaseFacts, ranged: CountedRange, place: Term) -> Term:
    """The sum of the bits I[w(place) = a] over the counted letters a."""
    return case.root.weighted(dict.fromkeys(ranged.letters, num(1)), lambda a: case.root.bit(place, a))


def _range_labels(case: CaseFacts, ranged: CountedRange) -> list[str]:
    """The labels of the facts that the range begins and ends inside the string."""
    ends = [at_most(case.root.low, ranged.low), at_most(ranged.high, case.root.high)]
    return [_decided_label(case, end, True) for end in ends]


def _close_some(case: CaseFacts, g: Goal, ranged: CountedRange, label: str) -> None:
    """Close the goal that a counted letter is in the range: ``ex j. F`` or ``~(all j. F)``. `label` is the fact that
    the count is positive. By contradiction: otherwise all bits in the range are 0, and so is the count."""
    ends, no = _range_labels(case, ranged), g.fresh("no")
    if ranged.some:
        g.contra(no)
    else:
        g.intro(no)

    # Assume the contrary, the fact `no`. At each position of the range the bits of the counted letters add up to 0: if
    # the letter there is not counted, by computation; if it is counted, this contradicts `no`.
    def bits_are_zero(h: Goal) -> None:
        """Close the goal that the bits at a position of the range add up to 0."""
        there, inside, between = _introduce_position(case, h, ends)

        def close_letter(k: Goal, a: int, here: str) -> None:
            """Close the goal if the letter at the position is `a`."""
            if a not in ranged.letters:
                case.root.computed(k, there, inside, here)
            elif ranged.some:
                yes = k.fresh("yes")

                def witness(m: Goal) -> None:
                    m.witness(there[1][0])
                    _close_parts(case, m, between, there, inside, here)

                k.contra(k.fresh("not"))
                k.have(ranged.f, yes, witness)
                k.absurd(yes, no)
            else:
                false_here = k.fresh("so")
                k.use(no, there[1][0], f"#{between}", label=false_here)
                _close_by_false_fact(case, k, false_here, there, inside, here)

        case.root.cases(h, there[1][0], inside, close_letter)

    # So the count is 0, which contradicts `label`.
    zero = g.fresh("zero")
    texts = [f"j. {g.text(_bit_sum(case, ranged, THERE))}", "j. 0", g.text(ranged.low), g.text(ranged.high)]
    g.use("lem:sum_ext", *texts, bits_are_zero, label=zero)
    _close_by_contradiction(case, g, zero, label)


def _close_no_letter(case: CaseFacts, g: Goal, ranged: CountedRange, label: str) -> None:
    """Close the goal that no counted letter is in the range: ``~(ex j. F)`` or ``all j. F``. `label` is the fact that
    the count is at most 0. A counted letter has the bit 1, which is at most the sum of all bits, the count."""
    ends = _range_labels(case, ranged)
    if ranged.some:
        # ~(ex j. F): assume a j with F. Each letter at j is contradictory: one with F by the count, others by F.
        no, name, both = g.fresh("some"), g.fresh("x"), g.fresh("both")
        g.intro(no)
        count = len(flatten("&", instantiate(ranged.f[2][0], (THERE,))))
        labels = [f"{both}_{k}" for k in range(count)]
        g.obtain(no, name, " ".join(labels))
        there = var(name, "Int")
        between, inside = _position_facts(case, g, ranged, there, ends, labels[:2])

        def close_letter(k: Goal, a: int, here: str) -> None:
            """Close the case of the letter `a`: a counted one contradicts the count, another makes F false."""
            if a in ranged.letters:
                return _clash_with_count(case, k, ranged, label, there, between, here)
            body = flatten("&", instantiate(ranged.f[2][0], (there,)))[2:]
            which = next(
                n for n, part in enumerate(body) if truth_at_letter(case, replace(part, there, THERE), a) is False
            )
            return _close_by_false_fact(case, k, labels[2 + which], there, inside, here)

        case.root.cases(g, name, inside, close_letter)
    else:
        # all j. F: at each j, a letter without F contradicts the count.
        there, inside, between = _introduce_position(case, g, ends)

        def close_other_letter(k: Goal, a: int, here: str) -> None:
            """Close the case of the letter `a`: a counted one, without F, contradicts the count; another has F."""
            if a in ranged.letters:
                return _clash_with_count(case, k, ranged, label, there, between, here)
            return _close_true(case, k, there, inside, here)

        case.root.cases(g, there[1][0], inside, close_other_letter)


def _clash_with_count(
    case: CaseFacts, g: Goal, ranged: CountedRange, label: str, there: Term, between: str, here: str
) -> None:
    """Close a goal by contradiction: by the fact `here` a counted letter is in the range, so its bit is 1; but by the
    fact `label` the sum of all bits is at most 0."""
    member, value = g.fresh("member"), g.fresh("value")

    def not_negative(h: Goal) -> None:
        """Close the goal that no bit in the range is negative."""
        name, in_range = h.fresh("j"), h.fresh("there")
        h.intro(f"{name} {in_range}")
        _close_not_negative(case, h, ranged, var(name, "Int"))

    texts = [f"j. {g.text(_bit_sum(case, ranged, THERE))}", g.text(ranged.low), g.text(ranged.high), g.text(there)]
    g.use("lem:sum_member", *texts, f"#{between}", not_negative, label=member)
    g.have(equals(_bit_sum(case, ranged, there), num(1)), value, lambda h: rewritten(h, here))
    if g.goal != FALSE:
        g.contra(g.fresh("no"))
    _close_by_contradiction(case, g, member, label, value)


# --- Steps ------------------------------------------------------------------------------------------------------------


def _introduce_position(case: CaseFacts, g: Goal, ends: list[str]) -> tuple[Term, str, str]:
    """Introduce a position of the range: returns its variable, and the labels `inside` and `between`."""
    name, between = g.fresh("x"), g.fresh("between")
    g.intro(f"{name} {between}")
    there = var(name, "Int")
    low, high, inside = g.fresh("from"), g.fresh("to"), g.fresh("inside")
    g.use(between, label=f"{low} {high}")
    g.have(case.root.inside(there), inside, lambda h: h.easy([low, high, *ends], degree=1, rounds=0))
    return there, inside, between


def _position_facts(
    case: CaseFacts, g: Goal, ranged: CountedRange, there: Term, ends: list[str], known: list[str]
) -> tuple[str, str]:
    """The labels `between` and `inside` for the position `there`, proved from its bounds `known` and from `ends`."""
    in_range, inside = g.fresh("between"), g.fresh("inside")
    g.have(between(ranged.low, there, ranged.high), in_range, lambda h: h.easy(known, degree=1, rounds=0))
    g.have(case.root.inside(there), inside, lambda h: h.easy([*known, *ends], degree=1, rounds=0))
    return in_range, inside


def _close_parts(case: CaseFacts, g: Goal, between: str, there: Term, inside: str, here: str) -> None:
    """Close the conjunction ``low <= there & there <= high & F`` of an existence at the position `there`."""
    low, high = g.fresh("from"), g.fresh("to")
    g.use(between, label=f"{low} {high}")
    for k, part in enumerate(g.split()):
        if k < 2:
            part.hyp((low, high)[k])
        else:
            _close_true(case, part, there, inside, here)


def _close_true(case: CaseFacts, g: Goal, there: Term, inside: str, here: str) -> None:
    """Close a formula about the position `there` that is true for the letter there."""
    case.root.computed(g, there, inside, here)


def _close_by_false_fact(case: CaseFacts, g: Goal, label: str, there: Term, inside: str, here: str) -> None:
    """Close a goal by the fact `label` about the position `there`, which is false for the letter there."""
    for name in case.root.coordinates(g.facts[label], there):
        value, new = g.fresh("v"), g.fresh("so")
        g.use(case.root.share(g, case.root.valued(name)), g.text(there), f"#{inside}", label=value)
        g.rewrite(value, label, new)
        label = new
    if any(s == at("w", there, LETTERS) for s in subterms(g.facts[label])):
        g.rewrite(here, label, (new := g.fresh("so")))
        label = new
    g.absurd(label)


def _close_not_negative(case: CaseFacts, g: Goal, ranged: CountedRange, there: Term) -> None:
    """Close the goal that the bits of the counted letters at `there` add up to 0 or more: each bit is 0 or 1."""
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


def _close_by_contradiction(case: CaseFacts, g: Goal, *labels: str) -> None:
    """Close the goal by a contradiction between the facts with these labels, in linear arithmetic."""
    rows = [FactRow(poly(g.facts[k]), g.facts[k][0], (k,), raw=poly(g.facts[k])) for k in labels]
    refutation = contradiction(rows)
    if refutation is None:
        raise Rejected("the facts about counts do not contradict each other")
    close(g, refutation)


def _bound_of_j(f: Term, side: int) -> Term | None:
    """The position p if the formula is equivalent to p <= j (side 1) or j <= p (side -1); else None."""
    if f[0] != "<=":
        return None
    gap = poly(f)
    ((j, _),) = nf(THERE).items()
    without_j = {m: c for m, c in gap.items() if m != j}
    return reify.term(normal.scale(without_j, -side)) if gap.get(j) == side else None


def _conjunction(parts: list[Term]) -> Term:
    """The conjunction of the parts, bracketed from the left; true without parts."""
    joined = parts[0] if parts else ("true", None, ())
    for part in parts[1:]:
        joined = ("&", None, (joined, part))
    return joined
