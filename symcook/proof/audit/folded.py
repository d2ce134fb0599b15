"""Kernel formulas as trees that people read: definitions, ranges, equivalences and ``if`` are put back.

The kernel expands every definition before it looks at a formula. For a reader they are folded again, by matching; what
does not match stays written out, which is longer and still right. Nothing here is trusted: these trees are drawn, never
checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from symcook.errors import Rejected
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof import grammar
from symcook.proof.grammar import Definition
from symcook.proof.terms import Sort, Term, free, instantiate, loose, var

_MODEL = re.compile(r"\b(run|word|accept)\(\s*([A-Za-z0-9][A-Za-z0-9-]*)\s*\)")
_STAND_IN = "stored_model_"
MODEL_WORDS = ("run", "word", "accept")


def statement_tree(text: str) -> Tree:
    """The tree of a statement as it is written; ``run(dyck-1)`` becomes ``("call", "run", (("model", "dyck-1"),))``."""
    models: list[str] = []

    def put(match: re.Match[str]) -> str:
        models.append(match[2])
        return f"{match[1]}({_STAND_IN}{len(models) - 1})"

    def back(tree: Tree) -> Any:
        if isinstance(tree, tuple):
            if tree[:1] == ("name",) and tree[1].startswith(_STAND_IN):
                return ("model", models[int(tree[1].removeprefix(_STAND_IN))])
            return tuple([back(part) for part in tree])
        return tree

    return back(expr.parse_formula(_MODEL.sub(put, text)))


def text_of(tree: Tree) -> str:
    """Text of a tree, also of one from `statement_tree`; ~(a = b) is written a != b.

    ``("member", name, sort)`` is written name:sort.
    """
    texts: list[str] = []

    def stand_in(text: str) -> Tree:
        texts.append(text)
        return ("name", f"{_STAND_IN}{len(texts) - 1}_")

    def put(part: object) -> Any:
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

    shown = expr.show(put(tree))
    for place in reversed(range(len(texts))):
        shown = shown.replace(f"{_STAND_IN}{place}_", texts[place])
    return _CHAIN.sub(_one_list, shown.replace("! = ", "!= "))


_CHAIN = re.compile(r"(all|ex) \w+:[^.]+\. (?:\1 \w+:[^.]+\. ){39,}")
# Each opens a bracket for the reader of formulas, a list of names opens one.


def _one_list(chain: re.Match[str]) -> str:
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
    """Every word in a tree: names, and what is called."""
    todo = [tree]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            if part[:1] in (("name",), ("call",)):
                yield part[1]
            todo += part


def used_definitions(trees: Iterable[Tree], known: Mapping[str, Definition]) -> list[str]:
    """The definitions that trees mention, with those that these use, in the order of `known`."""
    todo, used = list(trees), set()
    while todo:
        for word in called(todo.pop()):
            if word in known and word not in used:
                used.add(word)
                todo.append(known[word].tree)
    return [name for name in known if name in used]


class Folder:
    """Draws formulas with the definitions `wanted` folded and bound variables named outside those in use."""

    def __init__(self, known: Mapping[str, Definition], wanted: Iterable[str] = ()) -> None:
        self.known = known
        self.patterns = [p for name in wanted if (p := _pattern(known[name])) is not None]
        self.patterns.reverse()  # what is defined later is the larger pattern

    def text(self, t: Term) -> str:
        """The formula or term as text."""
        return text_of(self.tree(t))

    def tree(self, t: Term, names: Sequence[str] = ()) -> Tree:
        """The formula or term as a tree; it has no loose indices. `names` are for the quantifiers in front."""
        names_taken = {*self.known, *(v[1][0] for v in free(t))}
        return self._tree(t, names_taken, [] if names_taken.intersection(names) else names)

    def _tree(self, t: Term, taken: set[str], names: Sequence[str] = ()) -> Tree:
        for name, params, body in self.patterns:
            if body[0] == t[0]:
                matched: dict[str, Term] = {}
                if _match(body, t, set(params), matched) and len(matched) == len(params):
                    return ("call", name, tuple([self._tree(matched[p], taken) for p in params]))
        tag, data, kids = t
        if tag == "num":
            p, q = data
            number: Tree = ("num", abs(p), q) if decimal(q) else ("/", ("num", abs(p), 1), ("num", q, 1))
            return ("neg", number) if p < 0 else number
        if tag == "var":
            return ("name", data[0])
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
        """The quantifiers that `t` begins with are opened at once, which walks its body once."""
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
        """``all v in low..high``, where `opened` says that of v first; else None."""
        if opened[0] == ("->" if tag == "all" else "&"):
            both, inner = opened[2]
            if both[0] == "&" and both[2][0][0] == both[2][1][0] == "<=":
                (low, a), (b, high) = both[2][0][2], both[2][1][2]
                if a == b == v and v not in free(low) | free(high):
                    ends = self._tree(low, taken), self._tree(high, taken)
                    return (f"{tag} in", v[1][0], *ends, self._inner(inner, {*taken, v[1][0]}, names))
        return None

    def _inner(self, body: Term, taken: set[str], names: Sequence[str]) -> Tree:
        """The body of a quantifier that had the first of `names`."""
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


def _pattern(made: Definition) -> tuple[str, tuple[str, ...], Term] | None:
    """A definition's body as a kernel term over its parameters; None where it has none that can be matched."""
    if made.tree[0] in ("lambda", "name", "num"):
        return None
    for result in ("Real", "Int"):
        scope: dict[str, Sort] = {}
        for p in made.params:
            many = _arity(p, made)
            scope[p] = ("fun", ("Int",) * many, result) if many else "Int"
        text = expr.show(made.tree)
        for read in (
            lambda t, s: grammar.read_formula(t, s, made.known),
            lambda t, s: grammar.read_value(t, "Real", s, made.known),
        ):
            try:
                return made.name, made.params, read(text, scope)
            except Rejected:
                continue
    return None


def _arity(param: str, made: Definition) -> int:
    """With how many arguments a definition calls its parameter; 0 for a number."""
    todo: list[Any] = [made.tree]
    while todo:
        part = todo.pop()
        if not isinstance(part, tuple):
            continue
        if part[:2] == ("call", param):
            return len(part[2])
        if part[:1] == ("call",) and part[1] in made.known:
            other = made.known[part[1]]
            for place, given in enumerate(part[2]):
                same = given == ("name", param) and place < len(other.params)
                if same and (many := _arity(other.params[place], other)):
                    return many
        todo += part
    return 0


def _match(p: Term, t: Term, params: set[str], got: dict[str, Term]) -> bool:
    """Whether `t` is `p` for some values of the parameters; a function is matched by a name only."""
    if p[0] == "var" and p[1][0] in params:
        return not loose(t) and got.setdefault(p[1][0], t) == t
    if p[0] != t[0] or len(p[2]) != len(t[2]):
        return False
    if p[0] == "bound":
        return p[1][0] == t[1][0]
    if p[1] != t[1]:
        return False
    return all(_match(a, b, params, got) for a, b in zip(p[2], t[2], strict=True))


def names_in(pool: Iterable[str]) -> str:
    """Words with commas, ``and`` before the last."""
    words = list(pool)
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
