"""Facts about letters at positions and about counts up to positions, added to a case where it needs them.

C_a(p) is the number of letters a up to the position p. A position is in use once a formula reads its letter or counts
up to it. Then the axioms of the counts up to this position become facts, and also whether each count is at most, or at
least, the count up to each other position in use. The bit of a letter at a position is I[w(p) = a].
"""

from __future__ import annotations

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import BASE, OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import ONE, fkey, nf
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, num


def find_counts(case: CaseFacts) -> None:
    """Add the facts about counts at positions with a decided letter, and the order of counts up to positions in use."""
    for place, letter in case.counts.pending.items():
        if place not in case.counts.lettered:
            letter_bit(case, place, letter)
    _order_places(case)
    _want_letters(case)


def _want_letters(case: CaseFacts) -> None:
    """Request a decision about a letter if its bit is multiplied with other atoms in a row."""
    for row in case.rows.values():
        for m, e in row.poly:
            if sum(k for _, k in m) + (e != 0) > 1:
                for a, _ in m:
                    # an atom I[F] that is read as a number, where F is w(place) = letter in one of its forms
                    if normal._keys[a][0] == "ind" and case.state.get(a) == BASE:
                        f = reify.formula(normal._keys[a][1])
                        place, letter = letter_at(f) or zero_letter(f) or (num(0), -1)
                        wanted = case.root.is_letter(place, letter)
                        case.want(wanted)


def letter_bit(case: CaseFacts, place: Term, letter: int) -> AtomReading:
    """The reading of the bit I[w(place) = letter]: `BASE`, a number by which the count of the letter grows at `place`.
    `OPAQUE` if the problem has no such letter, `WAITS` until it is known that `place` is a position."""
    if letter not in case.root.problem.letters:
        return OPAQUE
    if place not in case.counts.lettered:
        inside = case.inside(place)
        if inside is None:
            return WAITS
        case.counts.lettered[place] = None
        for b in case.root.problem.letters:
            _count_step(case, place, b)
        counts_up_to(case, place)
        counts_up_to(case, reify.term(nf(("-", None, (place, num(1))))))
    return BASE


def _count_step(case: CaseFacts, place: Term, letter: int) -> None:
    """Add 0 <= I[w(p) = a] <= 1 and C_a(p) = C_a(p - 1) + I[w(p) = a], for the position p and the letter a."""
    g, bit = case.g, case.root.bit(place, letter)
    label = g.fresh("bit")
    not_negative, below_one = (("<=", None, ends) for ends in ((num(0), bit), (bit, num(1))))

    def by_bit(h: Goal) -> None:
        """By cases: the bit is 0 or 1."""
        for k in h.ind(case.root.is_letter(place, letter), f"{h.fresh('f')} {(v := h.fresh('v'))}"):
            k.rewrite(v)
            k.true()

    for f in (not_negative, below_one):
        label = g.fresh("bit")
        g.have(f, label, by_bit)
        case.fact(label)
    # The count up to p is the count up to p - 1 plus the bit.
    low = case.known(at_most(case.root.low, place))
    step = g.fresh("step")
    g.use("ax:sum_step", f"j. I[w(j) = {letter}]", g.text(case.root.low), g.text(place), f"#{low}", label=step)
    if poly(g.facts[step]):
        case.fact(step)


def counts_up_to(case: CaseFacts, place: Term) -> None:
    """Add the facts about the counts up to a position p: their sum is the number of positions up to p, and each is at
    least 0. If it is not decided that p is in range, the decision is requested instead."""
    if place in case.counts.places:
        return
    lower_bound = at_most(case.root.below, place)
    low_fact, high_fact = case.need(lower_bound), case.need(at_most(place, case.root.high))
    if low_fact is None or high_fact is None:
        return
    case.counts.places.append(place)
    g = case.g
    label = g.fresh("total")
    g.use(case.root.share(g, case.root.total()), g.text(place), lambda h: both(h, low_fact, high_fact), label=label)
    case.fact(label)
    # Each count is at least the count up to the place before the first position, which is 0.
    start = case.root.below
    first = case.known(at_most(start, start)) or ""
    for a in case.root.problem.letters:
        label = g.fresh("least")
        grows = case.root.share(g, case.root.grows(a))
        g.use(grows, g.text(start), g.text(place), lambda h: both(h, first, low_fact), label=label)
        case.fact(label)
    for a in (case.root.problem.before, case.root.problem.after):
        if a is not None:
            _once(case, place, a, low_fact, high_fact)


def _once(case: CaseFacts, place: Term, letter: int, low: str, high: str) -> None:
    """Add the count, up to `place`, of a letter that the model adds at one end: 1 from its position on, 0 before it.
    `low` and `high` are the labels of the facts that `place` is in range."""
    root, g = case.root, case.g
    # The letter added first is counted once from the first position on; the one added last is not counted up to the
    # position before the last.
    if letter == root.problem.before:
        first, last = case.need(at_most(root.low, place)), high
    else:
        before = reify.term(nf(("-", None, (root.high, num(1)))))
        first, last = low, case.need(at_most(place, before))
    # Up to the last position itself, the count follows from the bit of the letter there.
    if first is None or last is None:
        if letter != root.problem.before and case.known(at_most(root.high, place)) is not None:
            letter_bit(case, root.high, letter)
        return
    label = g.fresh("once")
    once = root.share(g, root.once(letter))
    g.use(once, g.text(place), lambda h: h.easy([first, last], degree=1, rounds=0), label=label)
    case.fact(label)


def _order_places(case: CaseFacts) -> None:
    """For each two positions in use, add C_a(p) <= C_a(q) for the position p that comes first. If it is not known which
    one that is, the decision is requested. The last position is in use as soon as any other is."""
    if case.root.high not in case.counts.places and case.counts.places:
        counts_up_to(case, case.root.high)
    for k, p in enumerate(case.counts.places):
        for q in case.counts.places[k + 1 :]:
            if (p, q) in case.counts.ordered:
                continue
            for a, b in ((p, q), (q, p)):
                order = case.known(at_most(a, b))
                if order is not None:
                    _grow(case, a, b, order)
                    case.counts.ordered.add((p, q))
                    break
            else:
                case.need(at_most(p, q))


def _grow(case: CaseFacts, p: Term, q: Term, order: str) -> None:
    """Add C_a(p) <= C_a(q) for each letter a, from p <= q."""
    g = case.g
    low_fact = case.known(at_most(case.root.below, p))
    if low_fact is None:
        return
    for a in case.root.problem.letters:
        label = g.fresh("more")
        grows = case.root.share(g, case.root.grows(a))
        g.use(grows, g.text(p), g.text(q), lambda h: both(h, low_fact, order), label=label)
        case.fact(label)


def count_of(case: CaseFacts, a: int, letter: int, low: Term, high: Term) -> AtomReading:
    """The reading of the atom `a`, the count of a letter from `low` to `high`. From the first position on it is a
    number (`BASE`); else its value is the difference of two counts."""
    if low == case.root.low:
        if high not in case.counts.places:
            counts_up_to(case, high)
        return BASE if high in case.counts.places else WAITS
    return difference(case, a, case.root.bit(THERE, letter), low, high)


def difference(case: CaseFacts, a: int, inner: Term, low: Term, high: Term) -> AtomReading:
    """The reading of the atom `a`, a sum of `inner` from `low` to `high`. Its value is 0 for an empty range, else the
    sum up to `high` minus the sum up to `low` - 1."""
    root, g = case.root, case.g
    empty = case.known(less_than(high, low))
    summand, label = f"j. {g.text(inner)}", g.fresh("sum")
    if empty is not None:
        g.use("ax:sum_empty", summand, g.text(low), g.text(high), f"#{empty}", label=label)
        return case.give(a, label)
    before = reify.term(nf(("-", None, (low, num(1)))))
    low_fact = case.need(at_most(root.below, before))
    high_fact = case.need(at_most(before, high))
    if low_fact is None or high_fact is None:
        return WAITS
    texts = [g.text(root.low), g.text(before), g.text(high)]
    g.use("lem:sum_split", summand, *texts, lambda h: both(h, low_fact, high_fact), label=label)
    return case.give(a, label)


def letter_stands(case: CaseFacts, label: str, place: Term, letter: int) -> None:
    """Add what follows from the fact `label`, that `letter` is at `place`: its bit is 1, the bits of other letters are
    0, and no other letter is there."""
    g = case.g
    for b in {letter, *case.root.problem.letters}:
        value = g.fresh("bit")
        equation = equals(case.root.bit(place, b), num(int(b == letter)))
        g.have(equation, value, lambda h: rewritten(h, label))
        _bit_known(case, value, place, b)
        if b != letter:
            absent = g.fresh("not")
            f = ("~", None, (case.root.is_letter(place, b),))

            def contradiction(h: Goal) -> None:
                also = h.fresh("also")
                h.intro(also)
                h.rewrite(label, also, (new := h.fresh("also")))
                h.absurd(new)

            g.have(f, absent, contradiction)
            case.literals.setdefault(fkey(f), absent)


def letter_absent(case: CaseFacts, label: str, place: Term, letter: int) -> None:
    """Add what follows from the fact `label`, that `letter` is not at `place`: its bit is 0."""
    value = case.g.fresh("bit")
    f = equals(case.root.bit(place, letter), num(0))

    def bit_is_zero(h: Goal) -> None:
        """By cases on the bit: if the letter is there, this contradicts the fact `label`."""
        here, away = h.ind(case.root.is_letter(place, letter), f"{h.fresh('f')} {(v := h.fresh('v'))}")
        f = next(k for k, fact in here.facts.items() if fact == case.root.is_letter(place, letter))
        here.absurd(f, label)
        away.hyp(v)

    case.g.have(f, value, bit_is_zero)
    _bit_known(case, value, place, letter)


def _bit_known(case: CaseFacts, label: str, place: Term, letter: int) -> None:
    """Let the equation `label` give the bit of a letter at a place its value. The place is recorded as pending: the
    facts about its counts are added later."""
    p = nf(case.root.bit(place, letter))
    if len(p) == 1:
        ((m, _),) = p
        case.counts.pending[place] = letter
        case.rules.give(m[0][0], label, poly(case.g.facts[label]))


def zero_letter(f: Term) -> tuple[Term, int] | None:
    """The pair (p, a) if the formula is 0 = a - w(p) or 0 = w(p) - a, as `reify` writes w(p) = a; None for any other
    formula."""
    if f[0] != "=" or f[2][0] != num(0):
        return None
    p = nf(f[2][1])
    atoms = [m for m in p if m != ONE]
    if len(atoms) != 1 or len(atoms[0][0]) != 1 or atoms[0][1]:
        return None
    key = normal._keys[atoms[0][0][0][0]]
    if key[0] != "app" or key[1] != "w" or abs(p[atoms[0]]) != 1:
        return None
    return reify.term(dict(key[3])), int(-p.get(ONE, 0) / p[atoms[0]])


def both(g: Goal, *labels: str) -> None:
    """Close a conjunction by facts, one for each part. A part that is true by computation needs no fact: its label may
    be empty."""
    for part, label in zip(g.split(), labels, strict=True):
        part.true() if fkey(part.goal) == normal.TRUE else part.hyp(label)


def rewritten(g: Goal, label: str) -> None:
    """Rewrite the goal by the equation `label`; then it must be true by computation."""
    g.rewrite(label)
    g.true()
