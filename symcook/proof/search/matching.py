"""Matches a fact with terms that occur in a goal: which terms the quantified variables of the fact may be.

The quantified variables of a fact become metas, which are names that begin with ``?``. Matching is first order; if a
meta occurs twice, the two terms must be equal up to normal forms. There is one addition: a meta of function sort that
is applied to distinct bound variables matches a lambda (a Miller pattern). A meta that is applied to other terms waits
until another part of the pattern determines it.

`match` extends a dictionary of metas. The search uses `instances_of`: up to a limit, the instances of a rule for which
one part of the conclusion, the first that gives any, occurs among given terms.

Letters: `p` is a pattern, `t` a term, `m` a meta, `f` a fact, `q` a premise.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symcook.errors import Rejected
from symcook.proof.normal import TRUE, fkey
from symcook.proof.terms import COMPARISONS, Term, abstract, apply, flatten, free, instantiate, loose, subterms, var

META = "?"  # the first character of the names of metas
MOST = 12
"""The number of instances of one rule after which no further term is matched. 4,226 matches in claims of an unseen set
and proof texts had at most 8."""
MOST_WAYS = 4
"""The number of instances for one match of the conclusion after which no further ones are sought. Some of those matches
had 4."""
LATE_ROUNDS = 3
"""How often the applications of undetermined functions are tried again: each round may determine the function of
another one."""
TRIES = 1500
"""How many matches `complete` tries for one rule, besides those of the conclusion in `instances_of`. It ends what would
grow with a power of the facts: with three premises and 40 facts there are 64,000 matches."""

MetaValues = dict[Term, Term]
"""The terms of metas, by meta."""


@dataclass(frozen=True)
class Opened:
    """A fact as a rule: the metas for its quantifiers in order, its premises, and its conclusion `end`."""

    metas: tuple[Term, ...]
    premises: tuple[Term, ...]
    end: Term


_count = itertools.count(1)


def opened(f: Term, through: bool = True) -> Opened:
    """The fact `f` as a rule. With `through`, quantifiers after a premise have metas too; else they stay in `end`."""
    metas: list[Term] = []
    premises: list[Term] = []
    while f[0] in ("all", "->"):
        if f[0] == "all":
            if premises and not through:
                break
            metas.append(var(f"{META}{len(metas)}", f[1]))
            f = instantiate(f[2][0], (metas[-1],))
        else:
            premises.append(f[2][0])
            f = f[2][1]
    return Opened(tuple(metas), tuple(premises), f)


def is_meta(t: Term) -> bool:
    """Whether a term is a meta."""
    return t[0] == "var" and t[1][0].startswith(META)


def has_meta(t: Term) -> bool:
    """Whether a meta occurs in a term."""
    return any(is_meta(v) for v in free(t))


def with_values(t: Term, values: MetaValues) -> Term:
    """`t` with terms in place of the metas in `values`; a meta that is a lambda is applied to its arguments."""
    names = [m for m in values if m in free(t)]
    if not names:
        return t
    return instantiate(abstract(t, names), [values[m] for m in names])


def match(pattern: Term, t: Term, values: MetaValues) -> bool:
    """Extend `values` so that `pattern` is `t`, up to normal forms if a meta occurs twice; whether that is possible. If
    it is not, some metas may have been added to `values` all the same, so that callers pass a copy."""
    # The applications of functions that are not determined yet, each with the term that it must be.
    waiting: list[tuple[Term, Term]] = []
    if not _match(pattern, t, values, waiting):
        return False
    for _ in range(LATE_ROUNDS):
        if not waiting:
            return True
        retried, waiting = waiting, []
        for p, s in retried:
            head = p[2][0]
            if head in values:
                # The function is determined now. If all metas are, both sides must be equal; else they are matched.
                if values[head][0] == "lam":
                    p = apply(values[head], p[2][1:])
                else:
                    p = ("app", None, (values[head], *p[2][1:]))
                if loose(p) or loose(s):
                    return False
                if not has_meta(with_values(p, values)):
                    if not _same(with_values(p, values), s):
                        return False
                elif not _match(p, s, values, waiting):
                    return False
            else:
                waiting.append((p, s))
    for p, s in waiting:  # a function that nothing else determines is the name that the term applies
        head = p[2][0]
        if head in values or s[0] != "app" or len(s[2]) != len(p[2]) or is_meta(s[2][0]) or loose(s[2][0]):
            return False
        values[head] = s[2][0]
        if not all(_match(a, b, values, []) for a, b in zip(p[2][1:], s[2][1:], strict=True)):
            return False
    return True


def _same(a: Term, b: Term) -> bool:
    """Whether two terms have the same normal form."""
    if a == b:
        return True
    try:
        return fkey(("=", None, (a, b))) == TRUE
    except Rejected:
        return False


def _match(p: Term, t: Term, values: MetaValues, waiting: list[tuple[Term, Term]]) -> bool:
    """Extend `values` so that the pattern `p` is `t`; whether that is possible so far. Applications that cannot be
    decided yet are added to `waiting`."""
    # A meta is the term `t`, in which no variable may be bound by a binder around it.
    if is_meta(p):
        if loose(t):
            return False
        if p in values:
            return values[p] == t or (p[1][1] in ("Int", "Real") and values[p][0] != "lam" and _same(values[p], t))
        if t[0] != "lam" and not _sorted(p, t):
            return False
        values[p] = t
        return True
    # A meta that is applied to arguments.
    if p[0] == "app" and is_meta(p[2][0]):
        head, args = p[2][0], p[2][1:]
        # If they are distinct bound variables, the meta is `t` as a function of these variables.
        if all(a[0] == "bound" for a in args) and len(set(args)) == len(args):
            function = _lambda(t, args)
            if function is None:
                return False
            if head in values:
                return values[head] == function or _alike(values[head], function, args)
            values[head] = function
            return True
        # If they are other terms, the function must be determined already, or the application waits.
        if head in values and values[head][0] == "lam":
            return _match(apply(values[head], args), t, values, waiting)
        if head in values:
            return t[0] == "app" and t[2][0] == values[head] and _all(args, t[2][1:], values, waiting)
        waiting.append((p, t))
        return True
    if p[0] != t[0] or p[1] != t[1] or len(p[2]) != len(t[2]):
        return False
    return _all(p[2], t[2], values, waiting)


def _all(ps: Sequence[Term], ts: Sequence[Term], values: MetaValues, waiting: list[tuple[Term, Term]]) -> bool:
    """`_match` of each pattern with the term at the same index; whether all are possible."""
    return len(ps) == len(ts) and all(_match(a, b, values, waiting) for a, b in zip(ps, ts, strict=True))


def _sorted(p: Term, t: Term) -> bool:
    """Whether the sort of the term `t` fits that of the meta `p`."""
    from symcook.proof.terms import fits, sort_of

    try:
        return fits(sort_of(t), p[1][1])
    except Rejected:
        return False


def _alike(a: Term, b: Term, args: Sequence[Term]) -> bool:
    """Whether two functions have the same normal form for all arguments of the sorts of `args`."""
    inside = [var(f"#m{k}", s[1][1]) for k, s in enumerate(args)]

    def body(f: Term) -> Term:
        return apply(f, inside) if f[0] == "lam" else ("app", None, (f, *inside))

    return _same(body(a), body(b))


def _lambda(t: Term, args: Sequence[Term]) -> Term | None:
    """`t` as a function of the bound variables `args`: f if t is f(args) for a name f, else a lambda. None if `t` has
    other loose variables."""
    if t[0] == "app" and t[2][1:] == tuple(args) and not loose(t[2][0]):
        return t[2][0]
    names = {a[1][0]: var(f"#a{k}", a[1][1]) for k, a in enumerate(args)}
    inside = _named(t, names, 0)
    if inside is None:
        return None
    return ("lam", tuple(a[1][1] for a in args), (abstract(inside, list(names.values())),))


def _named(t: Term, names: dict[int, Term], depth: int) -> Term | None:
    """`t` with names in place of its loose variables, by their index; None if a loose variable has no name.

    `depth` is the number of binders around `t` that are within the outermost term. Their variables have smaller
    indices, and are not replaced.
    """
    tag, data, kids = t
    if tag == "bound":
        return t if data[0] < depth else names.get(data[0] - depth)
    if not kids:
        return t
    named_kids = []
    for n, k in enumerate(kids):
        if tag == "lam":
            bound_here = len(data)
        else:  # a sum or product binds a variable only in its body, which is the last kid
            bound_here = 1 if tag in ("all", "ex") or (tag in ("sum", "prod") and n == 2) else 0
        named_kid = _named(k, names, depth + bound_here)
        if named_kid is None:
            return None
        named_kids.append(named_kid)
    return (tag, data, tuple(named_kids))


# --- Ways to instantiate a fact -------------------------------------------------------------------------------------


def closed_subterms(formulas: Sequence[Term]) -> list[Term]:
    """The compound terms without loose variables in the formulas, each once; indicators are left out, but not their
    parts."""
    terms: dict[Term, None] = {}
    for f in formulas:
        for s in subterms(f):
            if s[2] and s[0] not in _LOGIC and s not in terms and not loose(s):
                terms[s] = None
    return list(terms)


_LOGIC = frozenset({*COMPARISONS, "~", "&", "|", "->", "all", "ex", "ind"})
"""The tags of formulas and indicators, with which no trigger begins."""


def instances_of(
    rule: Opened,
    goal: Term,
    closed_terms: Sequence[Term],
    facts: Sequence[Term],
    values: MetaValues,
    wide: bool = False,
) -> list[MetaValues]:
    """The instances of a rule for which a part of the conclusion occurs among `closed_terms`, each as the values of the
    metas. Only the first part that gives an instance counts. If the goal is the conclusion, there is only this
    instance.

    Each extends `values`. `facts` are those with which premises are matched. With `wide`, if no part of the
    conclusion occurs, the premises alone give the instances.
    """
    tries_left = [TRIES]  # a list, so that all calls of `complete` count down the same number
    missing = [m for m in rule.metas if m not in values]
    if not missing:
        return [values]
    # If the goal is the conclusion or one of its parts, no other instance is needed.
    matched = dict(values)
    if match(rule.end, goal, matched) and all(m in matched for m in missing):
        return [matched]
    instances: list[MetaValues] = []
    for part in flatten("&", rule.end):
        matched = dict(values)
        if len(flatten("&", rule.end)) > 1 and match(part, goal, matched) and all(m in matched for m in missing):
            return [matched]
    # A subterm of the conclusion (a trigger) matches a term; the premises give the missing metas. Only the first
    # trigger that gives an instance is used, since later triggers have fewer metas.
    end_triggers = triggers(rule.end, missing)
    for trigger in end_triggers:
        for t in closed_terms:
            matched = dict(values)
            if match(trigger, t, matched):
                for instance in complete(rule, facts, closed_terms, matched, tries_left):
                    if instance not in instances:
                        instances.append(instance)
                if len(instances) >= MOST:
                    return instances
        if instances:
            return instances
    if not end_triggers or wide:
        return complete(rule, facts, closed_terms, dict(values), tries_left)[:MOST]
    return []


def triggers(end: Term, metas: Sequence[Term]) -> list[Term]:
    """The subterms of a conclusion that are matched with terms: those with more of `metas` first, then larger ones."""
    rank: dict[Term, tuple[int, int]] = {}
    for s in subterms(end):
        if s[2] and s[0] not in _LOGIC and s[0] not in ("+", "-", "neg") and s not in rank and not loose(s):
            if s[0] == "app" and is_meta(s[2][0]):  # a meta that is applied would match any term
                continue
            meta_count = len([m for m in free(s) if m in metas])
            if meta_count:
                rank[s] = (-meta_count, -sum(1 for _ in subterms(s)))
    return sorted(rank, key=lambda s: (rank[s], repr(s)))


def complete(
    rule: Opened, facts: Sequence[Term], closed_terms: Sequence[Term], values: MetaValues, tries_left: list[int]
) -> list[MetaValues]:
    """The instances that extend `values`. Premises that are among `facts` give the missing metas; if they
    give none, the conclusion does.

    `tries_left` has one number: how many matches may still be tried.
    """
    if all(m in values for m in rule.metas):
        return [values]
    instances: list[MetaValues] = []

    def extend(pattern: Term, term: Term) -> bool:
        """Add the instances that the match of two terms leads to; False where no more are wanted, or may be tried."""
        tries_left[0] -= 1
        if tries_left[0] < 0:
            return False
        extended = dict(values)
        if match(pattern, term, extended) and len(extended) > len(values):
            further = complete(rule, facts, closed_terms, extended, tries_left)
            instances.extend([instance for instance in further if instance not in instances])
            return len(instances) < MOST_WAYS
        return True

    # Match parts of premises that have a missing meta with the facts; a fact a < b also matches a part a <= b.
    for q in rule.premises:
        for part in flatten("&", q):
            if not any(m not in values for m in free(part) if is_meta(m)):
                continue
            for f in facts:
                if not extend(part, ("<=", None, f[2]) if part[0] == "<=" and f[0] == "<" else f):
                    return instances
    # If no premise matched: match other subterms of the conclusion that have missing metas with the terms.
    if not instances:
        missing = [m for m in rule.metas if m not in values]
        for trigger in triggers(with_values(rule.end, values), missing):
            for t in closed_terms:
                if not extend(trigger, t):
                    return instances
    return instances


def arguments(rule: Opened, values: MetaValues) -> Iterator[Term]:
    """The values of a rule's metas, in order."""
    for m in rule.metas:
        yield values[m]
