"""Terms as Coq has them: the checker's terms with a level for each (Z, R, proposition or function) and explicit casts.

The checker accepts an Int where a Real is required. `elaborate` adds casts from Z to R at the leaves. Comparisons are
always between real numbers; integers are required only in ends of sums and products, in exponents, as values of integer
variables and as arguments of functions of integers. With casts at the leaves, instantiating a quantifier in Coq is
exactly what `substitute` does here, so that no proof step has to handle casts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from symcook.coq.checker import checker

if TYPE_CHECKING:
    from symcook.proof.terms import Sort

COMPARISONS = ("=", "<=", "<")
"""The comparisons of the checker; others are written with these."""


class Untranslatable(Exception):
    """Raised for a part of a certificate that cannot be translated to Coq."""


class Checked(Protocol):
    """A term of the checker."""

    op: str
    data: Any
    kids: Sequence[Checked]
    sort: Sort


class Term:
    """A term of a level: "Z" (an integer), "R" (a real number), "P" (a formula) or "F" (a function).

    `op`, `data` and `kids` are as in the checker, with three more operations: `cast` (an integer as a real number),
    `inv` (1/x, in normal forms only) and `raw` (`data` is its text in Coq, in closed lemmas only). `loose` is 1 more
    than the greatest index of a variable bound outside the term, 0 if there is none.
    """

    __slots__ = ("_hash", "_plain", "_text", "data", "kids", "level", "loose", "op")

    def __init__(self, op: str, data: Any, kids: Sequence[Term], level: str) -> None:
        self.op, self.data, self.kids, self.level = op, data, tuple(kids), level
        self.loose = data[0] + 1 if op == "bound" else 0
        for place, kid in enumerate(self.kids):
            self.loose = max(self.loose, kid.loose - self.binds(place))
        self._hash = hash((op, data, self.kids, level))
        self._plain: Any = None
        self._text: dict[Any, str] = {}

    def binds(self, place: int) -> int:
        """How many variables this term binds in the kid at `place`."""
        if self.op in ("all", "ex"):
            return 1
        if self.op in ("sum", "prod"):
            return int(place == 2)
        return len(self.data) if self.op == "lam" else 0

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self._hash != other._hash:
            return False
        mine, its = (self.op, self.data, self.level), (other.op, other.data, other.level)
        return mine == its and self.kids == other.kids

    @property
    def plain(self) -> Any:
        """The checker's term, which has no casts."""
        if self._plain is None:
            make, kids = checker().Term, [k.plain for k in self.kids]
            if self.op == "cast":
                self._plain = kids[0]
            elif self.op == "inv":
                self._plain = make("/", None, make("num", (1, 1)), kids[0])
            else:
                self._plain = make(self.op, self.data, *kids)
        return self._plain


def numeral(c: Fraction | int | str, level: str = "R") -> Term:
    """A rational number as a term."""
    c = Fraction(c)
    return Term("num", (c.numerator, c.denominator), (), level)


def real(op: str, *kids: Term, data: object = None) -> Term:
    """A term that is a real number."""
    return Term(op, data, kids, "R")


def formula(op: str, *kids: Term, data: object = None) -> Term:
    """A term that is a formula."""
    return Term(op, data, kids, "P")


FALSE = formula("false")


def level_of(sort: Sort) -> str:
    """The level of the values of a sort."""
    return {"Int": "Z", "Real": "R", "Bool": "P"}.get(sort, "F") if isinstance(sort, str) else "F"


def variable(op: str, data: tuple[Any, Sort]) -> Term:
    """A name (name, sort) or a bound variable (index, sort)."""
    return Term(op, data, (), level_of(data[1]))


def cast(z: Term) -> Term:
    """An integer as a real number; the cast of a numeral is a real numeral."""
    return numeral(z.data[0]) if z.op == "num" else Term("cast", None, (z,), "R")


def at_level(t: Term, level: str) -> Term:
    """The number `t` at the level that is required: an integer is cast to "R". Untranslatable for a real as "Z"."""
    if t.level == "R" and level == "Z":
        raise Untranslatable("a real number where an integer is expected")
    return cast(t) if t.level == "Z" and level == "R" else t


def elaborate(t: Checked, level: str) -> Term:
    """The checker's term or formula `t` as a Term of `level`, with casts only at the leaves and around a term `whole`
    (see `reading.reader`). Untranslatable if an integer is required and `t` is none."""
    op, kids = t.op, t.kids
    if level == "P":
        below = "R" if op in COMPARISONS else "P"
        return Term(op, t.data, [elaborate(k, below) for k in kids], "P")
    # A numeral is written at the level that is required, without a cast.
    if op == "num":
        if level == "Z" and t.data[1] != 1:
            raise Untranslatable("a fraction where an integer is expected")
        return Term("num", t.data, (), level)
    # The level of names and applications is given; an integer one gets a cast if a real number is required.
    if op in ("var", "bound"):
        return at_level(variable(op, t.data), level)
    if op == "app":
        head = variable(kids[0].op, kids[0].data)
        arguments = [elaborate(a, level_of(s)) for a, s in zip(kids[1:], kids[0].sort[1], strict=True)]
        return at_level(Term("app", None, [head, *arguments], level_of(kids[0].sort[2])), level)
    # All other operations are built at the required level, so that casts move to the leaves.
    if level == "Z" and t.sort != "Int":
        raise Untranslatable("a real number where an integer is expected")
    if op == "whole":
        return at_level(elaborate(kids[0], "Z"), level)
    if op == "ind":
        return Term("ind", None, [elaborate(kids[0], "P")], level)
    if op in ("sum", "prod"):
        return Term(op, None, [elaborate(kids[0], "Z"), elaborate(kids[1], "Z"), elaborate(kids[2], level)], level)
    if op == "fn" and t.data == "pow":
        return Term("fn", "pow", [elaborate(kids[0], "R"), elaborate(kids[1], "Z")], "R")
    return Term(op, t.data, [elaborate(k, level) for k in kids], level)


def elaborate_value(t: Checked, sort: Sort) -> Term:
    """The checker's term or function `t` as a Term of `sort`. A function variable of other sorts is wrapped in a
    lambda."""
    if not isinstance(sort, tuple):
        return elaborate(t, level_of(sort))
    if t.sort == sort and t.op != "lam":
        return variable(t.op, t.data)
    if t.op == "lam":
        if t.data != sort[1]:
            raise Untranslatable("a function with arguments of other types")
        body = t.kids[0]
    else:
        arguments = [checker().Term("bound", (i, s)) for i, s in enumerate(sort[1])]
        body = checker().Term("app", None, checker().shift(t, len(sort[1])), *arguments)
    return Term("lam", sort[1], [elaborate(body, level_of(sort[2]))], "F")


def rebuild(
    t: Term, leaf: Callable[[Term, int], Term | None], depth: int = 0, memo: dict[tuple[int, int], Term] | None = None
) -> Term:
    """`t` with parts replaced: `leaf(part, number of binders around it)` gives the replacement, or None to go on into
    the part. `memo` has the results by the id of the part, which is alive as long as `t` is."""
    memo = {} if memo is None else memo
    new = leaf(t, depth)
    if new is not None or not t.kids:
        return t if new is None else new
    memo_key = (id(t), depth)
    if memo_key not in memo:
        kids = [rebuild(k, leaf, depth + t.binds(n), memo) for n, k in enumerate(t.kids)]
        # If a lambda has replaced a function variable, it is applied at once; a cast numeral becomes a real numeral.
        if t.op == "app" and kids[0].op == "lam":
            memo[memo_key] = substitute(kids[0].kids[0], kids[1:])
        else:
            memo[memo_key] = cast(kids[0]) if t.op == "cast" else Term(t.op, t.data, kids, t.level)
    return memo[memo_key]


def shift(t: Term, by: int) -> Term:
    """`t` as it is written under `by` more binders."""

    def leaf(part: Term, depth: int) -> Term | None:
        """The replacement of a part: a variable that is bound outside `t` gets a greater index."""
        if part.loose <= depth:
            return part
        return variable("bound", (part.data[0] + by, part.data[1])) if part.op == "bound" else None

    return rebuild(t, leaf) if by else t


def substitute(body: Term, values: Sequence[Term]) -> Term:
    """The body of a binder with its variables replaced by `values`; values[0] is for the innermost variable."""

    def leaf(part: Term, depth: int) -> Term | None:
        """The replacement of a part: a variable of the binder by its value; the index of a variable bound further
        outside is reduced, as the binder disappears."""
        if part.loose <= depth:
            return part
        if part.op != "bound":
            return None
        index, sort = part.data
        if index - depth < len(values):
            return shift(values[index - depth], depth)
        return variable("bound", (index - len(values), sort))

    return rebuild(body, leaf)


def negation(f: Term) -> Term:
    """The negation of a formula. The negation of a comparison <= or < is the opposite comparison, that of ~f is f."""
    if f.op in ("<=", "<"):
        return formula("<" if f.op == "<=" else "<=", *reversed(f.kids))
    return f.kids[0] if f.op == "~" else formula("~", f)


def gap(comparison: Term) -> Term:
    """The gap of a comparison: its right side minus its left side."""
    return real("-", comparison.kids[1], comparison.kids[0])


def conjuncts(op: str, f: Term) -> list[Term]:
    """The parts of a formula that nested `op`, "&" or "|", joins, from left to right."""
    return [x for k in f.kids for x in conjuncts(op, k)] if f.op == op else [f]


# --- Text ------------------------------------------------------------------------------------------------------------

FUNCTIONS = {
    "R": {
        "relu": "relu",
        "abs": "Rabs",
        "min": "Rmin",
        "max": "Rmax",
        "exp": "exp",
        "log": "ln",
        "sqrt": "sqrt",
        "erf": "erf",
        "sin": "sin",
        "cos": "cos",
        "pow": "power",
        "pi": "PI",
    },
    "Z": {"relu": "relu_Z", "abs": "Z.abs", "min": "Z.min", "max": "Z.max"},
}
"""Coq's names of the functions, by level."""
CONNECTIVES = {"&": "/\\", "|": "\\/", "->": "->"}
"""Coq's signs for the connectives."""
NAMED = 17
"""The numerals from 0 to 16 have the names _0 to _16 in Laws.v."""


def occurrences(terms: Iterable[Term]) -> dict[Term, int]:
    """How often each part occurs in the terms, when the inside of equal parts is counted only once. The keys are
    ordered so that a part comes after its own parts."""
    count: dict[Term, int] = {}
    ordered: list[Term] = []

    def walk(part: Term) -> None:
        """Count a part; its own parts are counted only the first time."""
        count[part] = count.get(part, 0) + 1
        if count[part] == 1:
            for k in part.kids:
                walk(k)
            ordered.append(part)

    for term in terms:
        walk(term)
    return {part: count[part] for part in ordered}


def name_text(name: str) -> str:
    """A name of a proof in Coq; the prefix v_ distinguishes it from Coq's own names. Untranslatable for a text that is
    not a name: written into the script, it could be any command of Coq."""
    if checker().NAME.fullmatch(name) is None:
        raise Untranslatable(f"not a valid name: {name[:40]!r}")
    return f"v_{name}"


def label_text(label: str) -> str:
    """The name of a hypothesis in Coq: characters other than letters, digits and _ are replaced by their code."""
    if not isinstance(label, str):
        raise Untranslatable("a label is a string")
    return "h_" + re.sub(r"[^A-Za-z0-9_]", lambda m: f"_{ord(m[0]):x}_", label)


def sort_text(sort: Sort) -> str:
    """A sort as a type of Coq."""
    if isinstance(sort, tuple):
        return "(" + " -> ".join(sort_text(s) for s in (*sort[1], sort[2])) + ")"
    return "Z" if sort == "Int" else "R"


def integer_text(n: int) -> str:
    """An integer in Coq."""
    return f"{n}%Z" if n >= 0 else f"({n})%Z"


def numeral_text(c: Fraction | int | str) -> str:
    """A rational number as a real number of Coq."""
    c = Fraction(c)
    above, below = (f"_{n}" if 0 <= n < NAMED else f"(IZR {integer_text(n)})" for n in (c.numerator, c.denominator))
    return above if c.denominator == 1 else f"({above} / {below})"


def text(t: Term, around: Sequence[str] = ()) -> str:
    """Coq's text of `t`, with all brackets. `around` has the names of the variables of the binders around `t`,
    innermost first. The variable of a binder is called k followed by the number of binders around it, so that equal
    terms have equal texts."""
    cache_key = tuple(around) if t.loose else len(around)
    if cache_key not in t._text:
        t._text[cache_key] = _text(t, tuple(around))
    return t._text[cache_key]


def _text(t: Term, around: tuple[str, ...]) -> str:
    """The text without the cache. Every operation is in brackets, with %Z after them if it is one of integers."""
    op, kids, level = t.op, t.kids, t.level
    suffix, mark = ("_Z", "%Z") if level == "Z" else ("", "")
    here = f"k{len(around)}"
    if op == "num":
        return numeral_text(Fraction(*t.data)) if level == "R" else integer_text(t.data[0])
    if op in ("var", "raw"):
        return name_text(t.data[0]) if op == "var" else t.data
    if op == "bound":
        return around[t.data[0]]
    # Binders: functions, quantifiers, sums and products.
    if op == "lam":
        names = [f"k{len(around) + i}" for i in range(len(t.data))]
        bound = " ".join(f"({n}:{sort_text(s)})" for n, s in zip(names, t.data, strict=True))
        return f"(fun {bound} => {text(kids[0], (*names, *around))})"
    if op in ("all", "ex"):
        word = "forall" if op == "all" else "exists"
        return f"({word} {here}:{sort_text(t.data)}, {text(kids[0], (here, *around))})"
    if op in ("sum", "prod"):
        ends = " ".join(text(k, around) for k in kids[:2])
        return f"({op}{suffix} {ends} (fun {here}:Z => {text(kids[2], (here, *around))}))"
    # All other operations: the texts of the parts first.
    inner = [text(k, around) for k in kids]
    if op == "app":  # %R, since a %Z after an outer bracket would apply to real arguments too
        return "(" + " ".join(x + ("%R" if k.level == "R" else "") for x, k in zip(inner, kids, strict=True)) + ")"
    if op in ("+", "-", "*", "/"):
        return f"({inner[0]} {op} {inner[1]}){mark}"
    if op in CONNECTIVES or op in COMPARISONS:
        return f"({inner[0]} {CONNECTIVES.get(op, op)} {inner[1]})"
    if op == "fn":
        if t.data not in FUNCTIONS[level]:
            raise Untranslatable(f"{t.data} of integers")
        return f"({' '.join([FUNCTIONS[level][t.data], *inner])})" if inner else FUNCTIONS[level][t.data]
    plain = {
        "cast": "(IZR {0})",
        "inv": "(/ {0})",
        "neg": f"(- {{0}}){mark}",
        "~": "(~ {0})",
        "ind": f"(ind{suffix} {{0}}%R)",
        "true": "True",
        "false": "False",
    }
    if op == "^":
        return f"({inner[0]} ^ {t.data}){mark}"
    return plain[op].format(*inner)
