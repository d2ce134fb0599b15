"""Matching a fact with what occurs in a goal: which terms to put for its quantifiers.

The quantified variables of a fact become metas, names that begin with ``?``. Matching is first order, up to normal
forms where a meta occurs twice, with one addition: a meta of function sort that is applied to bound variables stands
for a lambda (a Miller pattern). Applied to anything else it waits until another place determines it.

`match` extends a dictionary of metas; `ways` is what the search uses: all instances of a rule, up to a limit, in which
something of its conclusion occurs among given terms.

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

META = "?"
MOST = 12  # instances of one rule
MOST_WAYS = 4  # instances that the premises give for one match of the conclusion
LATE_ROUNDS = 3  # how often the applications of undetermined functions are looked at again
TRIES = 1500  # matches tried for one rule

Found = dict[Term, Term]


@dataclass(frozen=True)
class Opened:
    """A fact as a rule: metas for its quantifiers in order, premises and conclusion."""

    metas: tuple[Term, ...]
    premises: tuple[Term, ...]
    end: Term


_count = itertools.count(1)


def opened(f: Term, through: bool = True) -> Opened:
    """`f` with metas for its leading quantifiers; `through` also for those behind an arrow."""
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


def put(t: Term, found: Found) -> Term:
    """`t` with the metas that were found, functions applied."""
    names = [m for m in found if m in free(t)]
    if not names:
        return t
    return instantiate(abstract(t, names), [found[m] for m in names])


def match(pattern: Term, t: Term, found: Found) -> bool:
    """Extend `found` so that `pattern` is `t`, up to normal forms where a meta comes twice."""
    late: list[tuple[Term, Term]] = []  # applications of functions that are not determined yet, and what they are to be
    if not _match(pattern, t, found, late):
        return False
    for _ in range(LATE_ROUNDS):
        if not late:
            return True
        todo, late = late, []
        for p, s in todo:
            head = p[2][0]
            if head in found:
                # The function is known by now: with all metas known both sides must be equal, else they are matched.
                if found[head][0] == "lam":
                    p = apply(found[head], p[2][1:])
                else:
                    p = ("app", None, (found[head], *p[2][1:]))
                if loose(p) or loose(s):
                    return False
                if not has_meta(put(p, found)):
                    if not _same(put(p, found), s):
                        return False
                elif not _match(p, s, found, late):
                    return False
            else:
                late.append((p, s))
    for p, s in late:  # a function that nothing else determines: the name that is applied there
        head = p[2][0]
        if head in found or s[0] != "app" or len(s[2]) != len(p[2]) or is_meta(s[2][0]) or loose(s[2][0]):
            return False
        found[head] = s[2][0]
        if not all(_match(a, b, found, []) for a, b in zip(p[2][1:], s[2][1:], strict=True)):
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


def _match(p: Term, t: Term, found: Found, late: list[tuple[Term, Term]]) -> bool:
    """Extend `found` so that the pattern `p` is `t`; what cannot be decided yet is added to `late`."""
    # A meta: the term itself, which must not have variables of a binder outside of it.
    if is_meta(p):
        if loose(t):
            return False
        if p in found:
            return found[p] == t or (p[1][1] in ("Int", "Real") and found[p][0] != "lam" and _same(found[p], t))
        if t[0] != "lam" and not _sorted(p, t):
            return False
        found[p] = t
        return True
    # A meta applied to something.
    if p[0] == "app" and is_meta(p[2][0]):
        head, args = p[2][0], p[2][1:]
        # To distinct bound variables: `t` as a function of these.
        if all(a[0] == "bound" for a in args) and len(set(args)) == len(args):
            function = _lambda(t, args)
            if function is None:
                return False
            if head in found:
                return found[head] == function or _alike(found[head], function, args)
            found[head] = function
            return True
        # To other terms: the function must be known, or waits.
        if head in found and found[head][0] == "lam":
            return _match(apply(found[head], args), t, found, late)
        if head in found:
            return t[0] == "app" and t[2][0] == found[head] and _all(args, t[2][1:], found, late)
        late.append((p, t))
        return True
    if p[0] != t[0] or p[1] != t[1] or len(p[2]) != len(t[2]):
        return False
    return _all(p[2], t[2], found, late)


def _all(ps: Sequence[Term], ts: Sequence[Term], found: Found, late: list[tuple[Term, Term]]) -> bool:
    """`_match` of each pattern with the term in its place."""
    return len(ps) == len(ts) and all(_match(a, b, found, late) for a, b in zip(ps, ts, strict=True))


def _sorted(p: Term, t: Term) -> bool:
    """Whether the sort of a term fits that of a meta."""
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
    """`t` as a function of the bound variables `args`; a name where it is that name applied to them."""
    if t[0] == "app" and t[2][1:] == tuple(args) and not loose(t[2][0]):
        return t[2][0]
    names = {a[1][0]: var(f"#a{k}", a[1][1]) for k, a in enumerate(args)}
    inside = _named(t, names, 0)
    if inside is None:
        return None
    return ("lam", tuple(a[1][1] for a in args), (abstract(inside, list(names.values())),))


def _named(t: Term, names: dict[int, Term], depth: int) -> Term | None:
    """`t` with names for the variables that are loose in it, by their index; None where one has no name.

    `depth` counts the binders around `t`: their variables have smaller indices and stay.
    """
    tag, data, kids = t
    if tag == "bound":
        return t if data[0] < depth else names.get(data[0] - depth)
    if not kids:
        return t
    out = []
    for n, k in enumerate(kids):
        if tag == "lam":
            bound_here = len(data)
        else:  # of a sum or product only the body, which comes last, is bound
            bound_here = 1 if tag in ("all", "ex") or (tag in ("sum", "prod") and n == 2) else 0
        inner = _named(k, names, depth + bound_here)
        if inner is None:
            return None
        out.append(inner)
    return (tag, data, tuple(out))


# --- Ways to instantiate a fact -------------------------------------------------------------------------------------


def closed_subterms(formulas: Sequence[Term]) -> list[Term]:
    """The compound terms without loose variables in the given formulas, each once."""
    terms: dict[Term, None] = {}
    for f in formulas:
        for s in subterms(f):
            if s[2] and s[0] not in _LOGIC and s not in terms and not loose(s):
                terms[s] = None
    return list(terms)


_LOGIC = frozenset({*COMPARISONS, "~", "&", "|", "->", "all", "ex", "ind"})


def ways(
    rule: Opened, goal: Term, here: Sequence[Term], known: Sequence[Term], found: Found, wide: bool = False
) -> list[Found]:
    """Instances of a rule in which part of the conclusion occurs among the terms `here`: values of metas.

    Each extends `found`. `known` are the facts that premises are matched with. With `wide`, a rule of which nothing
    occurs is completed from its premises alone.
    """
    tries = [TRIES]  # a list, as all calls of `complete` count down the same number
    wanted = [m for m in rule.metas if m not in found]
    if not wanted:
        return [found]
    # The goal is the conclusion, or one of its parts: then no other instance is needed.
    matched = dict(found)
    if match(rule.end, goal, matched) and all(m in matched for m in wanted):
        return [matched]
    out: list[Found] = []
    for part in flatten("&", rule.end):
        matched = dict(found)
        if len(flatten("&", rule.end)) > 1 and match(part, goal, matched) and all(m in matched for m in wanted):
            return [matched]
    # A subterm of the conclusion matches a term; the premises give what is missing. Only the first trigger that gives
    # anything is used: those after it have fewer metas.
    hooks = triggers(rule.end, wanted)
    for trigger in hooks:
        for t in here:
            matched = dict(found)
            if match(trigger, t, matched):
                for full in complete(rule, known, here, matched, tries):
                    if full not in out:
                        out.append(full)
                if len(out) >= MOST:
                    return out
        if out:
            return out
    if not hooks or wide:
        return complete(rule, known, here, dict(found), tries)[:MOST]
    return []


def triggers(end: Term, metas: Sequence[Term]) -> list[Term]:
    """Subterms of a conclusion to look for, those with most metas first, then the larger ones."""
    sizes: dict[Term, tuple[int, int]] = {}
    for s in subterms(end):
        if s[2] and s[0] not in _LOGIC and s[0] not in ("+", "-", "neg") and s not in sizes and not loose(s):
            if s[0] == "app" and is_meta(s[2][0]):  # it would match any term
                continue
            meta_count = len([m for m in free(s) if m in metas])
            if meta_count:
                sizes[s] = (-meta_count, -sum(1 for _ in subterms(s)))
    return sorted(sizes, key=lambda s: (sizes[s], repr(s)))


def complete(rule: Opened, known: Sequence[Term], here: Sequence[Term], got: Found, tries: list[int]) -> list[Found]:
    """The instances that extend `got`: missing metas come from premises that are facts, else from the conclusion.

    `tries` has how many matches may still be tried.
    """
    if all(m in got for m in rule.metas):
        return [got]
    out: list[Found] = []
    # Parts of premises that have a missing meta, against the facts; a < b also serves for a <= b.
    for q in rule.premises:
        for part in flatten("&", q):
            if not any(m not in got for m in free(part) if is_meta(m)):
                continue
            for f in known:
                tries[0] -= 1
                if tries[0] < 0:
                    return out
                extended = dict(got)
                if part[0] == "<=" and f[0] == "<":
                    f = ("<=", None, f[2])
                if match(part, f, extended) and len(extended) > len(got):
                    out += [w for w in complete(rule, known, here, extended, tries) if w not in out]
                    if len(out) >= MOST_WAYS:
                        return out
    # No premise helps: other subterms of the conclusion that have missing metas, against the terms that occur.
    if not out:
        missing = [m for m in rule.metas if m not in got]
        for trigger in triggers(put(rule.end, got), missing):
            for t in here:
                tries[0] -= 1
                if tries[0] < 0:
                    return out
                extended = dict(got)
                if match(trigger, t, extended) and len(extended) > len(got):
                    out += [w for w in complete(rule, known, here, extended, tries) if w not in out]
                    if len(out) >= MOST_WAYS:
                        return out
    return out


def arguments(rule: Opened, found: Found) -> Iterator[Term]:
    """The values of the metas in order."""
    for m in rule.metas:
        yield found[m]
