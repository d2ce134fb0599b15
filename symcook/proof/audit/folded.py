"""Kernel formulas as trees for readers: definitions, ranges, equivalences and ``if`` are restored.

The kernel expands every definition before it reads a formula. For a reader, definitions are folded again by matching;
a part that matches no definition stays expanded, which is longer and still right. In: a term of the kernel (`Folder`),
or the text of a statement (`statement_tree`). Out: a tree of `symcook.model.expr`, or its text. Nothing here is
trusted: the trees are shown, never checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from symcook.errors import Rejected
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof import grammar, records
from symcook.proof.grammar import Definition
from symcook.proof.terms import Sort, Term, free, instantiate, loose, var

_STAND_IN = "stored_model_"
"""The stem of names that replace text which the reader or the writer of formulas does not take."""


def statement_tree(text: str) -> Tree:
    """The tree of a statement as it is written; ``run(dyck-1)`` becomes ``("call", "run", (("model", "dyck-1"),))``."""
    # The name of a model may have hyphens, which a formula would read as minus: each name is replaced by a stand-in.
    models: list[str] = []

    def put(match: re.Match[str]) -> str:
        """The match with a stand-in for the name of the model."""
        models.append(match[2])
        return f"{match[1]}({_STAND_IN}{len(models) - 1})"

    def back(tree: Tree) -> Any:
        """The tree with stand-ins replaced by the names of models."""
        if isinstance(tree, tuple):
            if tree[:1] == ("name",) and tree[1].startswith(_STAND_IN):
                return ("model", models[int(tree[1].removeprefix(_STAND_IN))])
            return tuple([back(part) for part in tree])
        return tree

    return back(expr.parse_formula(records.MODEL_CALL.sub(put, text)))


def text_of(tree: Tree) -> str:
    """Text of a tree, also of one from `statement_tree`; ~(a = b) is written a != b.

    ``("member", name, sort)`` is written name:sort.
    """
    # A part that `expr.show` cannot write becomes a stand-in, which is replaced in the text afterwards.
    texts: list[str] = []

    def stand_in(text: str) -> Tree:
        """A name that stands for `text`."""
        texts.append(text)
        return ("name", f"{_STAND_IN}{len(texts) - 1}_")

    def put(part: object) -> Any:
        """The tree with stand-ins for models, members of a sort and a != b."""
        if not isinstance(part, tuple):
            return part
        if part[:1] == ("model",):
            return stand_in(part[1])
        if part[:1] == ("member",):
            return stand_in(f"{part[1]}:{sort_text(part[2])}")
        if part[:1] == ("~",) and part[1][0] == "=":
            left, right = (put(p) for p in part[1][1:])
            return ("=", stand_in(f"{expr.show(left)} !"), right)
        return tuple([put(p) for p in part])

    written = expr.show(put(tree))
    for place in reversed(range(len(texts))):
        written = written.replace(f"{_STAND_IN}{place}_", texts[place])
    return _CHAIN.sub(_as_list, written.replace("! = ", "!= "))


_CHAIN = re.compile(r"(all|ex) \w+:[^.]+\. (?:\1 \w+:[^.]+\. ){39,}")
"""At least 40 equal quantifiers in a row. The reader of formulas limits nesting, and a list of names nests once."""


def _as_list(chain: re.Match[str]) -> str:
    """A long chain of quantifiers, as over the coordinates of a run, as one list of names."""
    parts = chain[0].removesuffix(". ").split(". ")
    return f"{chain[1]} {', '.join(part.removeprefix(f'{chain[1]} ') for part in parts)}. "


def sort_text(sort: Sort) -> str:
    """A sort as the grammar writes it."""
    return sort if isinstance(sort, str) else f"{'*'.join(sort[1])}->{sort[2]}"


def decimal(q: int) -> bool:
    """Whether 1/q has a finite decimal expansion."""
    for p in (2, 5):
        while q % p == 0:
            q //= p
    return q == 1


def called(tree: Tree) -> Iterator[str]:
    """Every name in a tree, and every name that is called."""
    todo = [tree]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            if part[:1] in (("name",), ("call",)):
                yield part[1]
            todo += part


def used_definitions(trees: Iterable[Tree], known: Mapping[str, Definition]) -> list[str]:
    """The definitions that trees use, directly or through other definitions, in the order of `known`."""
    todo, used = list(trees), set()
    while todo:
        for word in called(todo.pop()):
            if word in known and word not in used:
                used.add(word)
                todo.append(known[word].tree)
    return [name for name in known if name in used]


class Folder:
    """Writes formulas with the definitions `wanted` folded, and with bound variables whose names are not in use."""

    def __init__(self, known: Mapping[str, Definition], wanted: Iterable[str] = ()) -> None:
        self.known = known
        self.patterns = [p for name in wanted if (p := _pattern(known[name])) is not None]
        self.patterns.reverse()  # a later definition may use earlier ones, so it is the larger pattern

    def text(self, t: Term) -> str:
        """The formula or term as text."""
        return text_of(self.tree(t))

    def tree(self, t: Term, names: Sequence[str] = ()) -> Tree:
        """The formula or term, which has no loose indices, as a tree. Its outermost quantifiers get `names`,
        unless one of these is the name of a definition or of a free variable."""
        taken = {*self.known, *(v[1][0] for v in free(t))}
        return self._tree(t, taken, [] if taken.intersection(names) else names)

    def _tree(self, t: Term, taken: set[str], names: Sequence[str] = ()) -> Tree:
        """The tree of a term. Bound variables get names that are not `taken`; the outermost quantifiers get `names`."""
        # An instance of a definition.
        for name, params, body in self.patterns:
            if body[0] == t[0]:
                matched: dict[str, Term] = {}
                if _match(body, t, set(params), matched) and len(matched) == len(params):
                    return ("call", name, tuple([self._tree(matched[p], taken) for p in params]))
        # Numbers: 1/3 has no finite decimal expansion and is written as a quotient.
        tag, data, kids = t
        if tag == "num":
            p, q = data
            number: Tree = ("num", abs(p), q) if decimal(q) else ("/", ("num", abs(p), 1), ("num", q, 1))
            return ("neg", number) if p < 0 else number
        if tag == "var":
            return ("name", data[0])
        # Binders.
        if tag in ("all", "ex"):
            return self._quantifier(t, taken, names)
        if tag in ("sum", "prod"):
            v = fresh("Int", taken)
            low, high = (self._tree(k, taken) for k in kids[:2])
            return (tag, v[1][0], low, high, self._tree(instantiate(kids[2], (v,)), {*taken, v[1][0]}))
        if tag == "lam":
            new: list[Term] = []
            for sort in data:
                new.append(fresh(sort, {*taken, *(v[1][0] for v in new)}))
            names = tuple(v[1][0] for v in new)
            return ("lambda", names, self._tree(instantiate(kids[0], new), {*taken, *names}))
        # (F -> G) & (G -> F), and the term for ``if``.
        if tag == "&" and kids[0][0] == kids[1][0] == "->" and kids[0][2] == kids[1][2][::-1]:
            return ("<->", *(self._tree(k, taken) for k in kids[0][2]))
        if (choice := _choice(t)) is not None:
            return ("if", *(self._tree(k, taken) for k in choice))
        inner = [self._tree(k, taken) for k in kids]
        if tag == "app":
            return ("call", inner[0][1], tuple(inner[1:]))
        if tag == "fn":
            return ("call", data, tuple(inner)) if inner else ("name", data)
        return (tag, inner[0], ("num", data, 1)) if tag == "^" else (tag, *inner)

    def _quantifier(self, t: Term, taken: set[str], names: Sequence[str]) -> Tree:
        """The tree of a quantified formula. All quantifiers that `t` begins with are opened at once, so that its body
        is walked once; but one after the other where the body of a definition begins with the next quantifier."""
        outer: list[tuple[str, Term, Sort]] = []
        inside = taken
        while True:
            tag, sort, (body,) = t
            v = var(names[0], sort) if names else fresh(sort, inside)
            taken, inside = inside, {*inside, v[1][0]}
            if body[0] not in ("all", "ex") or any(pattern[0] == body[0] for _, _, pattern in self.patterns):
                break
            outer.append((tag, v, sort))
            t, names = body, names[1:]
        opened = instantiate(body, (v, *(u for _, u, _ in reversed(outer))))
        folded = self._ranged(tag, v, opened, taken, names) if sort == "Int" else None
        folded = folded or (tag, v[1][0], sort, self._inner(opened, inside, names))
        for tag, v, sort in reversed(outer):
            folded = (tag, v[1][0], sort, folded)
        return folded

    def _ranged(self, tag: str, v: Term, opened: Term, taken: set[str], names: Sequence[str]) -> Tree | None:
        """The tree of ``all v in low..high`` (or ``ex``), if the body `opened` begins with low <= v & v <= high; else
        None."""
        if opened[0] == ("->" if tag == "all" else "&"):
            both, inner = opened[2]
            if both[0] == "&" and both[2][0][0] == both[2][1][0] == "<=":
                (low, a), (b, high) = both[2][0][2], both[2][1][2]
                if a == b == v and v not in free(low) | free(high):
                    ends = self._tree(low, taken), self._tree(high, taken)
                    return (f"{tag} in", v[1][0], *ends, self._inner(inner, {*taken, v[1][0]}, names))
        return None

    def _inner(self, body: Term, taken: set[str], names: Sequence[str]) -> Tree:
        """The tree of the body of a quantifier that has the first of `names`."""
        return self._tree(body, taken, names[1:] if body[0] in ("all", "ex") else ())


def fresh(sort: Sort, taken: set[str]) -> Term:
    """A variable of a sort with a short name that is not taken."""
    letters = "jkiml" if sort == "Int" else "xyzuv" if sort == "Real" else "fgh"
    pool = (p + str(k or "") for k in count() for p in letters)
    return var(next(name for name in pool if name not in taken), sort)


def _choice(t: Term) -> tuple[Term, Term, Term] | None:
    """The parts of I[F]*a + (1 - I[F])*b, which is how ``if(F, a, b)`` is read."""
    if t[0] == "+" and t[2][0][0] == t[2][1][0] == "*":
        (first, yes), (second, no) = t[2][0][2], t[2][1][2]
        if first[0] == "ind" and second == ("-", None, (("num", (1, 1), ()), first)):
            return first[2][0], yes, no
    return None


def _pattern(definition: Definition) -> tuple[str, tuple[str, ...], Term] | None:
    """(name, parameters, body as a kernel term) of a definition; None where its body cannot be matched."""
    if definition.tree[0] in ("lambda", "name", "num"):  # a name or a number would match too much
        return None
    # The sorts of the parameters are not recorded: one that is called is taken as a function of integers, first to
    # reals, then to integers; any other as an integer.
    for result in ("Real", "Int"):
        scope: dict[str, Sort] = {}
        for p in definition.params:
            arity = _arity(p, definition)
            scope[p] = ("fun", ("Int",) * arity, result) if arity else "Int"
        text = expr.show(definition.tree)
        for read in (
            lambda t, s: grammar.read_formula(t, s, definition.known),
            lambda t, s: grammar.read_value(t, "Real", s, definition.known),
        ):
            try:
                return definition.name, definition.params, read(text, scope)
            except Rejected:
                continue
    return None


def _arity(param: str, definition: Definition) -> int:
    """The number of arguments with which a definition calls its parameter, also through other definitions; 0 for a
    number."""
    todo: list[Any] = [definition.tree]
    while todo:
        part = todo.pop()
        if not isinstance(part, tuple):
            continue
        if part[:2] == ("call", param):
            return len(part[2])
        if part[:1] == ("call",) and part[1] in definition.known:
            callee = definition.known[part[1]]
            for place, argument in enumerate(part[2]):
                same = argument == ("name", param) and place < len(callee.params)
                if same and (arity := _arity(callee.params[place], callee)):
                    return arity
        todo += part
    return 0


def _match(p: Term, t: Term, params: set[str], values: dict[str, Term]) -> bool:
    """Whether `t` is `p` for some values of the parameters, which are added to `values`; a parameter that is a function
    matches only a name."""
    if p[0] == "var" and p[1][0] in params:
        return not loose(t) and values.setdefault(p[1][0], t) == t
    if p[0] != t[0] or len(p[2]) != len(t[2]):
        return False
    if p[0] == "bound":
        return p[1][0] == t[1][0]
    if p[1] != t[1]:
        return False
    return all(_match(a, b, params, values) for a, b in zip(p[2], t[2], strict=True))


def names_in(pool: Iterable[str]) -> str:
    """The words, joined by commas and ``and`` before the last one."""
    words = list(pool)
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
