"""Terms and formulas of the kernel: sorted, locally nameless tuples.

Every node is ``(tag, data, kids)``; ``kids`` is a tuple of nodes.

    tag                     data              kids
    "num"                   (p, q)            ()                  the rational p/q in lowest terms, q >= 1
    "var"                   (name, sort)      ()                  a free name
    "bound"                 (index, sort)     ()                  a bound variable, counted outwards from its place
    "app"                   None              (head, arg, ...)    head: a "var" or "bound" of function sort
    "+" "-" "*" "/"         None              (a, b)
    "neg"                   None              (a,)
    "^"                     k                 (a,)                a literal integer k >= 0
    "fn"                    name              (arg, ...)          relu abs min max exp log sqrt erf sin cos pow pi
    "sum" "prod"            None              (lo, hi, body)      the body is under one binder of sort Int
    "ind"                   None              (formula,)          I[formula]
    "lam"                   (sort, ...)       (body,)             only as a value for a name of function sort
    "=" "<=" "<"            None              (a, b)
    "true" "false"          None              ()
    "~"                     None              (F,)
    "&" "|" "->"            None              (F, G)
    "all" "ex"              sort              (F,)                the body is under one binder

A sort is ``"Int"``, ``"Real"`` or ``("fun", argument sorts, result)``; Int is a subsort of Real. A binder of m
variables gives its i-th variable the index i; indices m and above count further outwards. So equality of tuples is
equality up to names of bound variables. What replaces an index (`instantiate`) is shifted where it goes under
further binders, so that nothing is captured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from symcook.errors import Rejected

Term = tuple[str, Any, tuple[Any, ...]]
Sort = str | tuple[str, tuple[str, ...], str]

MAX_SIZE = 60_000
MAX_DEPTH = 460
MAX_VISITS = 1_000_000  # of nodes in one substitution, those of copies included

COMPARISONS = ("=", "<=", "<")
FORMULAS = frozenset({*COMPARISONS, "true", "false", "~", "&", "|", "->", "all", "ex"})
_NUMBERS = ("Int", "Real")
_UNARY = ("relu", "abs", "exp", "log", "sqrt", "erf", "sin", "cos")
FUNCTIONS = {**dict.fromkeys(_UNARY, 1), "min": 2, "max": 2, "pow": 2, "pi": 0}
_KEEPS_INT = frozenset({"+", "-", "*", "neg", "^", "relu", "abs", "min", "max"})
_REAL = frozenset({"/", "exp", "log", "sqrt", "erf", "sin", "cos", "pow", "pi"})
_BINDERS = {"sum": (0, 0, 1), "prod": (0, 0, 1), "all": (1,), "ex": (1,)}
_BINDING = frozenset({*_BINDERS, "lam"})


class Clock:
    """Stops a computation after `seconds`; used with ``with``, one at a time."""

    deadline: float | None = None
    work = 0

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> Clock:
        Clock.deadline = time.monotonic() + self.seconds
        return self

    def __exit__(self, *_: object) -> None:
        Clock.deadline = None

    @staticmethod
    def spend(work: int) -> None:
        """Count `work` and now and then look at the time."""
        Clock.work += work
        if Clock.work > 2_000:
            Clock.work = 0
            if Clock.deadline is not None and time.monotonic() > Clock.deadline:
                raise Rejected("a proof exceeds the time limit")


class _Visits:
    """How much of `MAX_VISITS` the present substitution has left. Long values in many places, and lambdas that are
    reduced often, cost much."""

    left = MAX_VISITS

    @staticmethod
    def begin() -> None:
        Clock.spend((MAX_VISITS - _Visits.left) >> 6)
        _Visits.left = MAX_VISITS


def num(p: int, q: int = 1) -> Term:
    """The numeral p/q; the caller gives lowest terms."""
    return ("num", (p, q), ())


def var(name: str, sort: Sort) -> Term:
    """The free name `name` of sort `sort`."""
    return ("var", (name, sort), ())


def conj(a: Term, b: Term) -> Term:
    """a & b."""
    return ("&", None, (a, b))


def imp(a: Term, b: Term) -> Term:
    """a -> b."""
    return ("->", None, (a, b))


def neg(a: Term) -> Term:
    """~a."""
    return ("~", None, (a,))


FALSE: Term = ("false", None, ())
TRUE: Term = ("true", None, ())


def negation(f: Term) -> Term:
    """A formula equivalent to ~f: of ``<=`` it is the reversed ``<`` and the other way round."""
    tag, _, kids = f
    if tag in ("<=", "<"):
        return ("<" if tag == "<=" else "<=", None, (kids[1], kids[0]))
    return kids[0] if tag == "~" else neg(f)


def flatten(tag: str, f: Term) -> list[Term]:
    """The parts of nested ``&`` (or ``|``), from left to right."""
    out: list[Term] = []
    todo = [f]
    while todo:
        g = todo.pop()
        if g[0] == tag:
            todo += reversed(g[2])
        else:
            out.append(g)
    return out


def _binds(t: Term) -> tuple[int, ...]:
    """How many variables `t` binds over each of its kids."""
    return (len(t[1]),) if t[0] == "lam" else _BINDERS.get(t[0], (0,) * len(t[2]))


def _walk(
    t: Term,
    depth: int,
    leaf: Callable[[Term, int], Term],
    seen: dict[tuple[int, int], Term],
    whole: Term | None = None,
    inner: bool = False,
) -> Term:
    """`t` with `leaf(node, depth)` for each node without kids, and for each that equals `whole`; an applied lambda is
    reduced. With `inner`, what is known to have no loose index stays as it is.

    Subterms that are shared are walked once and stay shared, so that a small value put in many places costs nothing
    before `measure` refuses the result.
    """
    tag, data, kids = t
    if not kids or t == whole:
        return leaf(t, depth)
    if inner:
        known = _measures.get(id(t))
        if known is not None and known[1][3] <= depth and known[0] is t:
            return t
    place = (id(t), depth)
    if place in seen:
        return seen[place]
    _Visits.left -= 1
    if _Visits.left < 0:
        raise Rejected(f"a substitution visits more than {MAX_VISITS} symbols")
    binds = _binds(t) if tag in _BINDING else None
    new, changed = [], False
    for number, k in enumerate(kids):  # a loop, and no call for a leaf: fewer frames a level
        at = depth if binds is None else depth + binds[number]
        walked = _walk(k, at, leaf, seen, whole, inner) if k[2] else leaf(k, at)
        changed = changed or walked is not k
        new.append(walked)
    if not changed:
        out = t
    elif tag == "app" and new[0][0] == "lam":
        out = apply(new[0], new[1:])
    else:
        out = (tag, data, tuple(new))
    seen[place] = out
    return out


def instantiate(body: Term, values: Sequence[Term]) -> Term:
    """The body of a binder, without loose indices of its own, with its variables replaced by `values`."""
    _Visits.begin()
    return _instantiate(body, values)


def _instantiate(body: Term, values: Sequence[Term]) -> Term:
    count = len(values)

    def leaf(t: Term, depth: int) -> Term:
        if t[0] != "bound" or t[1][0] < depth:
            return t
        if t[1][0] - depth < count:
            return shift(values[t[1][0] - depth], depth)
        raise Rejected("a term has a loose index")

    return _walk(body, 0, leaf, {}, None, True)


def variables(f: Term) -> list[Sort]:
    """The sorts of the universal quantifiers that `f` begins with, from the outside."""
    sorts = []
    while f[0] == "all":
        sorts.append(f[1])
        f = f[2][0]
    return sorts


def opened(f: Term, values: Sequence[Term]) -> Term:
    """`f` without its first quantifiers, whose variables are replaced by `values`, all at once."""
    for _ in values:
        f = f[2][0]
    return instantiate(f, tuple(reversed(values))) if values else f


def shift(value: Term, by: int) -> Term:
    """`value` with its loose indices raised by `by`."""

    def leaf(t: Term, depth: int) -> Term:
        return ("bound", (t[1][0] + by, t[1][1]), ()) if t[0] == "bound" and t[1][0] >= depth else t

    return _walk(value, 0, leaf, {}, None, True) if by else value


def apply(function: Term, values: Sequence[Term]) -> Term:
    """A lambda applied to `values`."""
    if len(function[1]) != len(values):
        raise Rejected("a function is applied to the wrong number of arguments")
    return _instantiate(function[2][0], values)


def abstract(t: Term, names: Sequence[Term]) -> Term:
    """`t` with the free names `names` turned into the variables of a new binder, or of as many nested ones, the
    innermost first: the inverse of `instantiate`."""
    _Visits.begin()
    place = {v: i for i, v in reversed([*enumerate(names)])}

    def leaf(t: Term, depth: int) -> Term:
        return ("bound", (place[t] + depth, t[1][1]), ()) if t[0] == "var" and t in place else t

    return _walk(t, 0, leaf, {})


def replace(t: Term, old: Term, new: Term) -> Term:
    """`t` with every subterm equal to `old` replaced; neither has loose indices, so binders do not matter."""
    _Visits.begin()
    return _walk(t, 0, lambda s, _: new if s == old else s, {}, old)


def subterms(t: Term) -> Iterator[Term]:
    """Every node of `t`, itself first; iterative."""
    todo = [t]
    while todo:
        s = todo.pop()
        yield s
        todo += s[2]


def free(t: Term) -> set[Term]:
    """The free names of `t`."""
    return {s for s in subterms(t) if s[0] == "var"}


def loose(t: Term, depth: int = 0) -> bool:
    """Whether a bound variable occurs in `t` whose binder is outside."""
    if t[0] == "bound":
        return t[1][0] >= depth
    return any(loose(k, depth + b) for k, b in zip(t[2], _binds(t), strict=True))


def fits(given: Sort, wanted: Sort) -> bool:
    """Whether a value of sort `given` may stand where sort `wanted` is required."""
    if given == wanted or (given, wanted) == ("Int", "Real"):
        return True
    if isinstance(given, str) or isinstance(wanted, str):
        return False
    return (
        len(given[1]) == len(wanted[1])
        and all(fits(b, a) for a, b in zip(given[1], wanted[1], strict=True))
        and fits(given[2], wanted[2])
    )


Measure = tuple[Sort, int, int, int]
"""The measure of a term: its sort ("Bool" for a formula), how many symbols it has, how deep they nest, and how many
binders around it would bind all its variables."""

_measures: dict[int, tuple[Term, Measure]] = {}
"""The measures so far, by the identity of the term. The term is kept with it, so that no other one gets its identity. A
formula that is opened quantifier by quantifier keeps most of its parts."""
MAX_MEASURES = 200_000


def measure(t: Term, room: int = MAX_DEPTH) -> Measure:
    """The measure of a term, every part of which is checked; Rejected where a sort does not fit, and where there are
    more than `MAX_SIZE` symbols or they nest more than `room` deep. Shared subterms are visited once."""
    tag, data, kids = t
    if not kids:
        return _leaf(t)
    # A measure found earlier holds if the term is not too deep for this place.
    known = _measures.get(id(t))
    if known is not None and known[0] is t and known[1][2] <= room:
        return known[1]
    if room <= 1:
        raise Rejected(f"a formula nests more than {MAX_DEPTH} deep")
    binds = _binds(t) if tag in _BINDING else None
    # The kids' measures: sizes add up, depths and loose indices have their maximum, less what is bound here.
    sorts, size, depth, loose = [], 1, 0, 0
    for place, k in enumerate(kids):
        sort, symbols, nested, out = measure(k, room - 1) if k[2] else _leaf(k)
        sorts.append(sort)
        size += symbols
        depth = nested if nested > depth else depth
        if out and (out := out if binds is None else out - binds[place]) > loose:
            loose = out
    if size > MAX_SIZE:
        raise Rejected(f"a formula exceeds {MAX_SIZE} symbols")
    result = (_sort_of(tag, data, sorts), size, depth + 1, loose)
    if len(_measures) >= MAX_MEASURES:
        _measures.clear()
    _measures[id(t)] = (t, result)
    return result


def _leaf(t: Term) -> Measure:
    tag, data, _ = t
    if tag == "bound":
        return (data[1], 1, 1, data[0] + 1)
    if tag == "var":
        return (data[1], 1, 1, 0)
    if tag == "num":
        return ("Int" if data[1] == 1 else "Real", 1, 1, 0)
    if tag in ("true", "false"):
        return ("Bool", 1, 1, 0)
    return (_sort_of(tag, data, []), 1, 1, 0)


def _sort_of(tag: str, data: object, kids: Sequence[Sort]) -> Sort:
    """The sort of a node whose kids have the sorts `kids`."""
    # Comparisons are between numbers, connectives and indicators of formulas.
    if tag in FORMULAS or tag == "ind":
        for s in kids:
            if (s not in _NUMBERS) if tag in COMPARISONS else s != "Bool":
                raise Rejected(f"'{tag}' stands between things of the wrong sort")
        return "Int" if tag == "ind" else "Bool"
    # A function: its arguments must fit its sorts.
    if tag == "app":
        head = kids[0]
        if not isinstance(head, tuple) or len(head[1]) != len(kids) - 1:
            raise Rejected("a function is applied to the wrong number of arguments")
        for s, wanted in zip(kids[1:], head[1], strict=True):
            if not fits(s, wanted):
                raise Rejected(f"an argument must be {spoken(wanted)}")
        return head[2]
    # Everything else is a term of numbers.
    for s in kids:
        if s not in _NUMBERS:
            raise Rejected("a number must stand here")
    if tag in ("sum", "prod"):
        if kids[0] != "Int" or kids[1] != "Int":
            raise Rejected(f"the bounds of {tag} must be whole numbers")
        return kids[2]
    name = data if tag == "fn" else tag
    if name == "pow" and kids[1] != "Int":
        raise Rejected("the exponent of pow must be a whole number")
    # Integers stay integers under these; the others give real numbers.
    if name in _KEEPS_INT:
        return "Real" if "Real" in kids else "Int"
    if name in _REAL:
        return "Real"
    raise Rejected(f"'{tag}' cannot stand here")


def spoken(sort: Sort) -> str:
    """A sort in words, for messages."""
    if isinstance(sort, str):
        return {"Int": "a whole number", "Real": "a number", "Bool": "a formula"}[sort]
    return "a function of a position" if sort[1] == ("Int",) else f"a function of {len(sort[1])} arguments"


def sort_of(t: Term) -> Sort:
    """The sort of a term, or "Bool" for a formula; Rejected where `measure` rejects."""
    return measure(t)[0]


def formula(t: Term) -> Term:
    """`t` itself where it is a well-sorted formula within the limits; else Rejected."""
    sort, size, *_ = measure(t)
    Clock.spend(size >> 4)
    if sort != "Bool":
        raise Rejected("a formula must stand here")
    return t


def value_for(t: Term, wanted: Sort) -> Term:
    """`t` itself where it is a term, or lambda, that fits the sort `wanted`; else Rejected."""
    if t[0] == "lam":
        if isinstance(wanted, str) or len(t[1]) != len(wanted[1]):
            raise Rejected("a function of this number of arguments does not fit")
        own_sort: Any = ("fun", t[1], measure(t[2][0], MAX_DEPTH - 1)[0])
        if own_sort[2] not in _NUMBERS:
            raise Rejected("a number must stand here")
    else:
        own_sort = measure(t)[0]
    if not fits(own_sort, wanted):
        raise Rejected(f"{spoken(own_sort)} was given where {spoken(wanted)} is asked for")
    return t
