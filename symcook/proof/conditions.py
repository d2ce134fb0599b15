"""What a statement must satisfy besides being proved, as formulas that need proofs of their own.

D (`defined`): everything in it is defined under its hypotheses (no division by zero, no root or logarithm out of
range). H (`inhabited`): its hypotheses are satisfiable, so that it does not hold vacuously. R (`refutation`): it is
false somewhere, and everything in it is defined there; this is what a refutation proves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from symcook.errors import Rejected
from symcook.proof.terms import (
    TRUE,
    Sort,
    Term,
    abstract,
    conj,
    flatten,
    formula,
    imp,
    neg,
    negation,
    num,
    opened,
    shift,
    var,
    variables,
)

Condition = Callable[[Mapping[str, Sort]], Term]
"""Reads the nontrivial condition of a statement, given the sorts of the names that it may use."""


def defined(t: Term) -> Term:
    """D: every denominator met under the hypotheses is nonzero, radicands are >= 0, and so on.

    For a formula or a term; loose indices keep their meaning. `TRUE` where there is nothing to show.
    """
    tag, sort, kids = t
    if tag in ("all", "ex"):
        return _all(sort, defined(kids[0]))
    if tag in ("&", "->", "|"):
        return _and(defined(kids[0]), _imp(neg(kids[0]) if tag == "|" else kids[0], defined(kids[1])))
    if tag in ("sum", "prod"):
        j = ("bound", (0, "Int"), ())
        inside = conj(("<=", None, (shift(kids[0], 1), j)), ("<=", None, (j, shift(kids[1], 1))))
        return _and(_and(defined(kids[0]), defined(kids[1])), _all("Int", _imp(inside, defined(kids[2]))))
    out = TRUE
    for k in kids:
        out = _and(out, defined(k))
    last = kids[-1] if kids else TRUE
    c = last[1][0] if last[0] == "num" else None  # the numerator decides the sign of a numeral
    if tag == "/" and not c:
        return _and(out, neg(("=", None, (last, num(0)))))
    if tag == "fn" and sort in ("sqrt", "log", "pow") and not (c is not None and (c > 0 or (c == 0 and sort != "log"))):
        return _and(out, ("<" if sort == "log" else "<=", None, (num(0), last)))
    return out


def refutation(t: Term) -> Term:
    """R: there are values of the leading quantifiers at which the premises hold, what they lead to is false, and all
    of this is defined. It implies ~t; the witnesses of its proof are the counterexample."""
    tag, sort, kids = t
    if tag == "all":
        return ("ex", sort, (refutation(kids[0]),))
    if tag == "->":
        return _and(_and(kids[0], defined(kids[0])), refutation(kids[1]))
    return _and(defined(t), neg(t))


def inhabited(t: Term, names: Sequence[str] = (), condition: Condition | None = None) -> Term:
    """H: the leading quantifiers and premises of `t` hold together somewhere, with the nontrivial `condition`; and so
    they do with each of the `cases` of what they lead to.

    `names` are the names of the leading quantifiers as the statement writes them; `condition` may use them.
    """
    if t[0] == "&":
        if condition is not None:
            raise Rejected("a conjunction of statements takes no nontrivial condition: its parts must each hold")
        return _and(inhabited(t[2][0]), inhabited(t[2][1]))
    scope: dict[str, Sort] = {}
    chain, conclusion = _strip(t, list(names), scope)
    inner = cases(conclusion)
    ends = [condition(scope)] if condition is not None else [] if inner else [TRUE]
    out = TRUE
    for end in reversed([*ends, *inner]):
        out = _and(_exist(chain, end), out)
    return formula(out)


def cases(t: Term) -> list[Term]:
    """For each part of `t` with premises, the formula that they can be met: the part does not hold vacuously.

    Each side of an equivalence is the premise of the other: one of them can be met. In a disjunction the denied parts
    are premises of the rest, as F | ~A is A -> F; the denials of the other parts are premises too. A denial is pushed
    inwards, where a premise may hide. Where all parts are denied, as in ~(A & B), nothing is required: it may always be
    the same part that fails. Nothing is required under an existential quantifier either: the proof chooses its witness,
    and H would have to be about all other choices.
    """
    tag, sort, kids = t
    # Under a quantifier or after a premise: the existence and the premise are part of the case.
    if tag == "all":
        return [("ex", sort, (one,)) for one in cases(kids[0]) or [TRUE]]
    if tag == "->":
        return [_and(kids[0], one) for one in cases(kids[1]) or [TRUE]]
    # An equivalence: one side can be met.
    if (sides := _equivalent(t)) is not None:
        return [("|", None, sides)]
    if tag == "&":
        return cases(kids[0]) + cases(kids[1])
    # A denial is pushed inwards, as far as it goes.
    if tag == "~":
        return [] if (pushed := _denied(kids[0])) == t else cases(pushed)
    if tag != "|":
        return []
    # A disjunction: the denied parts are premises, and the negations of the other parts too.
    parts = flatten("|", t)
    premises = [part[2][0] for part in parts if part[0] == "~"]
    undenied = [part for part in parts if part[0] != "~"]
    out = []
    for place, part in enumerate(undenied):
        failing = [negation(other) for other in undenied[:place] + undenied[place + 1 :]]
        out += [_joined([*premises, *failing], one) for one in cases(part)]
    return out or ([_joined(premises, TRUE)] if premises and undenied else [])


def _joined(parts: Sequence[Term], end: Term) -> Term:
    for part in reversed(parts):
        end = _and(part, end)
    return end


def _equivalent(t: Term) -> tuple[Term, Term] | None:
    """The sides of an equivalence, which is read as a conjunction of implications."""
    if t[0] == "&" and t[2][0][0] == t[2][1][0] == "->" and t[2][0][2] == t[2][1][2][::-1]:
        return t[2][0][2]
    return None


def _denied(t: Term) -> Term:
    """~t with the denial one step further in; a comparison and an equivalence stay denied as they are."""
    tag, sort, kids = t
    if tag in ("all", "ex"):
        return ("ex" if tag == "all" else "all", sort, (_not(kids[0]),))
    if tag == "->":
        return conj(kids[0], _not(kids[1]))
    if tag in ("|", "&") and _equivalent(t) is None:
        first, *others = [_not(part) for part in flatten(tag, t)]
        for following in others:
            first = ("&" if tag == "|" else "|", None, (first, following))
        return first
    return _not(t)


def _not(t: Term) -> Term:
    """~t, or A where t is ~A; a comparison is not turned around here."""
    return t[2][0] if t[0] == "~" else neg(t)


def _strip(t: Term, names: list[str], scope: dict[str, Sort]) -> tuple[list[Term], Term]:
    """The leading names (as free names, noted in `scope`) and premises of `t` in their order, and the conclusion."""
    chain: list[Term] = []
    while t[0] in ("all", "->"):
        if t[0] == "->":
            chain.append(t[2][0])
            t = t[2][1]
            continue
        here = []
        for sort in variables(t):
            name = names.pop(0) if names else f"unnamed{len(scope)}#"
            scope[name] = sort
            here.append(var(name, sort))
        t = opened(t, here)
        chain += here
    return chain, t


def _exist(chain: Sequence[Term], out: Term) -> Term:
    for named, group in itertools.groupby(reversed(chain), lambda one: one[0] == "var"):
        parts = list(group)
        if named:
            out = abstract(out, parts)
        for one in parts:
            out = ("ex", one[1][1], (out,)) if named else _and(one, out)
    return out


def _and(a: Term, b: Term) -> Term:
    return b if a == TRUE else a if b in (TRUE, a) else conj(a, b)


def _imp(a: Term, b: Term) -> Term:
    return TRUE if b == TRUE else imp(a, b)


def _all(sort: Sort, body: Term) -> Term:
    return TRUE if body == TRUE else ("all", sort, (body,))
