"""What a statement must satisfy besides being proved, as formulas that need proofs of their own.

D (`defined`): whatever is met under the hypotheses is defined. H (`inhabited`): the statement is not true for want of
cases. R (`refutation`): it is false somewhere, and everything in it is defined there; what a refutation proves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symcook.errors import Rejected
from symcook.proof.terms import (
    TRUE,
    Sort,
    Term,
    abstract,
    conj,
    formula,
    imp,
    instantiate,
    neg,
    num,
    shift,
    var,
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
    """H: the leading quantifiers and premises of `t` hold together somewhere, with the nontrivial `condition`.

    Where they lead to parts that could be true for want of cases, those parts must have cases too (see `_cases`).

    `names` are the names of the leading quantifiers as the statement writes them; `condition` may use them.
    """
    if t[0] == "&":
        if condition is not None:
            raise Rejected("a conjunction of statements takes no nontrivial condition: its parts must each hold")
        return _and(inhabited(t[2][0]), inhabited(t[2][1]))
    scope: dict[str, Sort] = {}
    found, conclusion = _strip(t, list(names), scope)
    inner = _inner(conclusion, scope)
    chains = [(found, condition(scope))] if condition is not None else [] if inner else [(found, TRUE)]
    out = TRUE
    for chain, last in reversed([*chains, *(([*found, *more], TRUE) for more in inner)]):
        out = _and(_exist(chain, last), out)
    return formula(out)


def _strip(t: Term, names: list[str], scope: dict[str, Sort]) -> tuple[list[Term], Term]:
    """The leading names (free, and put into `scope`) and premises of `t` in the order met; and what they lead to."""
    found: list[Term] = []
    while t[0] in ("all", "->"):
        if t[0] == "all":
            name = names.pop(0) if names else f"unnamed{len(scope)}#"
            scope[name] = t[1]
            found.append(var(name, t[1]))
            t = instantiate(t[2][0], (found[-1],))
        else:
            found.append(t[2][0])
            t = t[2][1]
    return found, t


def _inner(t: Term, scope: dict[str, Sort]) -> list[list[Term]]:
    """The names and premises that the parts of a conjunction add, each for itself; an equivalence adds none."""
    if t[0] != "&" or (t[2][0][0] == t[2][1][0] == "->" and t[2][0][2] == t[2][1][2][::-1]):
        return []
    out: list[list[Term]] = []
    for part in t[2]:
        found, conclusion = _strip(part, [], scope)
        out += [[*found, *more] for more in _inner(conclusion, scope)] or ([found] if found else [])
    return out


def _exist(chain: Sequence[Term], out: Term) -> Term:
    for one in reversed(chain):
        out = ("ex", one[1][1], (abstract(out, (one,)),)) if one[0] == "var" else _and(one, out)
    return out


def _and(a: Term, b: Term) -> Term:
    return b if a == TRUE else a if b in (TRUE, a) else conj(a, b)


def _imp(a: Term, b: Term) -> Term:
    return TRUE if b == TRUE else imp(a, b)


def _all(sort: Sort, body: Term) -> Term:
    return TRUE if body == TRUE else ("all", sort, (body,))
