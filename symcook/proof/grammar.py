"""From text to kernel terms and back: names resolved, sorts checked, definitions expanded.

A definition is written ``name(a, b) := term, formula or lambda``; it uses earlier definitions only and is expanded when
a text is read, so that the kernel never sees one. Its arguments may be functions: a name, or ``j. term``.
``tanh, sinh, cosh, if, <->, all j in a..b`` and negative literal exponents are expanded here too.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.proof.conditions import defined
from symcook.proof.terms import (
    FUNCTIONS,
    TRUE,
    Sort,
    Term,
    abstract,
    conj,
    formula,
    imp,
    num,
    sort_of,
    value_for,
    var,
)

GRAMMAR = 1
MAX_EXPONENT = 1000
MAX_STEPS = 200_000

Tree = tuple[Any, ...]


@dataclass(frozen=True)
class Definition:
    """``name(params) := tree``, with the definitions that it may use."""

    name: str
    params: tuple[str, ...]
    tree: Tree
    known: Mapping[str, Definition]


@dataclass(frozen=True)
class _Lambda:
    """A function written out, waiting for its arguments: names, body, and what the body's other names mean."""

    names: tuple[str, ...]
    tree: Tree
    env: Mapping[str, Any]
    known: Mapping[str, Definition]


def define(text: str, known: Mapping[str, Definition]) -> Definition:
    """Read ``name(a, b) := body``; `known` holds the definitions that the body may use."""
    match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(?:\(([\w\s,]*)\))?\s*:=(.*)", text, re.ASCII | re.DOTALL)
    if match is None:
        raise BadInput("a definition must read 'name(arguments) := body'", text)
    name, inside, body = match.groups()
    params = tuple(p.strip() for p in inside.split(",")) if inside else ()
    for p in (name, *params):
        if not expr.valid_name(p) or p in known:
            raise BadInput("a definition must use new names that are not reserved", p)
    if len(set(params)) != len(params) or name in params:
        raise BadInput("a definition must name each argument once", text)
    tree = _argument(body)
    if idle := set(params) - _mentioned(tree):
        raise BadInput("a definition must use each of its arguments", f"{', '.join(sorted(idle))} in {text}")
    return Definition(name, params, tree, dict(known))


def _mentioned(tree: Tree) -> set[str]:
    """The names that occur in a tree, functions as well."""
    mentioned: set[str] = set()
    todo = [tree]
    while todo:
        part = todo.pop()
        mentioned |= {part[1]} if part[0] in ("name", "call") else set()
        todo += expr.children(part)
    return mentioned


def read_formula(text: str, scope: Mapping[str, Sort], known: Mapping[str, Definition]) -> Term:
    """The formula written in `text`, whose free names are those of `scope`. Rejected where it is not one."""
    try:
        build = TermBuilder(known)
        return formula(build.build(expr.parse_formula(text), {n: var(n, s) for n, s in scope.items()}, known))
    except BadInput as error:
        raise Rejected(str(error)) from None
    except RecursionError:
        raise Rejected("a formula is nested too deep") from None


def leading_names(text: str) -> tuple[str, ...]:
    """The names of the quantifiers in front of a formula, also those behind an arrow, as `text` writes them."""
    tree = expr.parse_formula(text)
    out: list[str] = []
    while tree[0] in ("all", "all in", "->"):
        out += [] if tree[0] == "->" else [tree[1]]
        tree = tree[-1]
    return tuple(out)


def read_value(text: str, wanted: Sort, scope: Mapping[str, Sort], known: Mapping[str, Definition]) -> Term:
    """The term, or for a function sort the name or lambda, written in `text`; Rejected where it does not fit."""
    if text in scope:  # most values are names or numerals
        return value_for(var(text, scope[text]), wanted)
    if re.fullmatch(r"-?[0-9]{1,9}", text, re.ASCII):
        return value_for(num(int(text)), wanted)
    try:
        build = TermBuilder(known)
        value = build.argument(_argument(text), {n: var(n, s) for n, s in scope.items()}, known)
        if isinstance(value, _Lambda):
            if isinstance(wanted, str) or len(wanted[1]) != len(value.names):
                raise Rejected("a function of this number of arguments does not fit here")
            inner = [var(f"{n}#{next(build.fresh)}", s) for n, s in zip(value.names, wanted[1], strict=True)]
            value = ("lam", wanted[1], (abstract(build.call_lambda(value, inner), inner),))
        return value_for(value, wanted)
    except BadInput as error:
        raise Rejected(str(error)) from None
    except RecursionError:
        raise Rejected("a term is nested too deep") from None


def digest(t: Term) -> str:
    """sha256 of the formula's tuples written as JSON without spaces: names of bound variables do not enter."""
    return hashlib.sha256(json.dumps(t, separators=(",", ":")).encode()).hexdigest()


def show(t: Term, avoid: Iterable[str] = ()) -> str:
    """Text that reads back as `t`; names of bound variables are chosen outside `avoid` and the free names of `t`."""
    from symcook.proof.terms import free

    return expr.show(_tree(t, [], {*avoid, *(v[1][0] for v in free(t))}))


def _argument(text: str) -> Tree:
    """A term, a formula or a lambda standing alone."""
    tree = expr.parse_term(f"f({text})", expr.MAX_STATEMENT)
    if tree[:2] != ("call", "f") or len(tree[2]) != 1:
        raise BadInput("one expression must stand here", text)
    return tree[2][0]


Env: TypeAlias = "Mapping[str, Term | _Lambda]"


class TermBuilder:
    """Turns trees into terms. `env` gives each name in scope its meaning: a free name, a term or a `_Lambda`."""

    def __init__(self, known: Mapping[str, Definition]) -> None:
        self.fresh = itertools.count()
        self.steps = 0
        self.defined = known

    def refuse(self, why: str, tree: Tree) -> NoReturn:
        raise Rejected(f"{why}: {expr.show(tree)[:120]}")

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Rejected("the definitions in a formula expand to too much")

    def build(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        # By the tag of the tree; what the kernel does not have is expanded.
        self.step()
        tag = tree[0]
        if tag == "num":
            return num(tree[1], tree[2])
        if tag in ("name", "call"):
            return self.value(tree, env, known)
        if tag == "neg" and tree[1][0] == "num":
            return num(-tree[1][1], tree[1][2])
        if tag == "^":
            return self.power(tree, env, known)
        if tag in ("all", "ex"):
            return self.quantified(tree, env, known)
        # all j in a..b. F is all j. a <= j & j <= b -> F; ex has & for ->.
        if tag in ("all in", "ex in"):
            low, high = (self.build(t, env, known) for t in tree[2:4])
            self.unshadowed(tree, (tree[1],), env, known)
            v = var(f"{tree[1]}#{next(self.fresh)}", "Int")
            inside = conj(("<=", None, (low, v)), ("<=", None, (v, high)))
            body = self.build(tree[4], {**env, tree[1]: v}, known)
            both = imp(inside, body) if tag == "all in" else conj(inside, body)
            return (tag[:-3], "Int", (abstract(both, (v,)),))
        if tag in ("sum", "prod"):
            low, high = (self.build(t, env, known) for t in tree[2:4])
            return (tag, None, (low, high, self.under(tree, tree[1], "Int", tree[4], env, known)))
        # if(F, a, b) is I[F]*a + (1 - I[F])*b.
        if tag == "if":
            test, yes, no = (self.build(t, env, known) for t in tree[1:])
            ind = ("ind", None, (test,))
            otherwise = ("-", None, (num(1), ind))
            return ("+", None, (("*", None, (ind, yes)), ("*", None, (otherwise, no))))
        if tag == "lambda":
            self.refuse("a function must stand as an argument", tree)
        kids = tuple([self.build(t, env, known) for t in tree[1:]])
        if tag == "<->":
            return conj(imp(kids[0], kids[1]), imp(kids[1], kids[0]))
        return (tag, None, kids)

    def power(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        negative, k = (True, tree[2][1]) if tree[2][0] == "neg" else (False, tree[2])
        if k[0] != "num" or k[2] != 1 or k[1] > MAX_EXPONENT:
            self.refuse(f"an exponent must be a literal integer of at most {MAX_EXPONENT}; use pow(x, n)", tree)
        result = ("^", k[1], (self.build(tree[1], env, known),))
        return ("/", None, (num(1), result)) if negative else result

    def unshadowed(self, tree: Tree, names: Iterable[str], env: Env, known: Collection[str]) -> None:
        for name in names:
            if name in env or name in self.defined or name in known or name in expr.RESERVED:
                self.refuse(f"the name '{name}' is bound twice", tree)

    def under(self, tree: Tree, name: str, sort: Sort, body: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        self.unshadowed(tree, (name,), env, known)
        v = var(f"{name}#{next(self.fresh)}", sort)
        return abstract(self.build(body, {**env, name: v}, known), (v,))

    def quantified(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        """Quantifiers one under the other, whose names are turned into variables all at once."""
        bound: list[tuple[str, Term]] = []
        while tree[0] in ("all", "ex"):
            if bound:  # the first is counted where it was met
                self.step()
            self.unshadowed(tree, (tree[1],), env, known)
            bound.insert(0, (tree[0], var(f"{tree[1]}#{next(self.fresh)}", tree[2])))
            env, tree = {**env, tree[1]: bound[0][1]}, tree[3]
        out = abstract(self.build(tree, env, known), [v for _, v in bound])
        for tag, v in bound:
            out = (tag, v[1][1], (out,))
        return out

    def value(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        result = self.argument(tree, env, known)
        if isinstance(result, _Lambda):
            self.refuse("a function must be given its arguments", tree)
        return result

    def argument(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term | _Lambda:
        """The meaning of an argument: a term, a name of function sort, or a `_Lambda`."""
        # A function keeps its tree and its names until it has its arguments.
        if tree[0] == "lambda":
            self.unshadowed(tree, tree[1], env, known)
            if len(set(tree[1])) != len(tree[1]):
                self.refuse("a name is bound twice", tree)
            return _Lambda(tree[1], tree[2], env, known)
        if tree[0] not in ("name", "call"):
            return self.build(tree, env, known)
        name: str = tree[1]
        args: Sequence[Tree] = tree[2] if tree[0] == "call" else ()
        # A name in scope: a value, a function to apply, or a written-out function.
        if name in env:
            head = env[name]
            if not args:
                return head
            if isinstance(head, _Lambda):
                return self.call_lambda(head, [self.argument(a, env, known) for a in args])
            if head[0] != "var":
                self.refuse(f"'{name}' is not a function", tree)
            return ("app", None, (head, *[self.build(a, env, known) for a in args]))
        # A definition: its body with the arguments in place of its parameters.
        if name in known:
            definition = known[name]
            if len(definition.params) != len(args):
                self.refuse(f"'{name}' needs {len(definition.params)} arguments", tree)
            values = [self.argument(a, env, known) for a in args]
            self.step()
            return self.argument(definition.tree, dict(zip(definition.params, values, strict=True)), definition.known)
        # A function of the grammar.
        if name in FUNCTIONS and len(args) == FUNCTIONS[name]:
            return ("fn", name, tuple([self.build(a, env, known) for a in args]))
        if name in ("tanh", "sinh", "cosh"):
            return self.hyperbolic(name, self.build(next(iter(args)), env, known))
        self.refuse(f"the name '{name}' is unknown here", tree)

    def call_lambda(self, function: _Lambda, values: Sequence[Term | _Lambda]) -> Term:
        # The body with the arguments in place of its names; what it drops must be a number that is defined.
        if len(function.names) != len(values):
            self.refuse(f"a function needs {len(function.names)} arguments", function.tree)
        used = _mentioned(function.tree)
        for name, value in zip(function.names, values, strict=True):
            if name not in used:
                self.idle(value, function.tree)
        env = {**function.env, **dict(zip(function.names, values, strict=True))}
        return self.build(function.tree, env, function.known)

    def idle(self, value: Term | _Lambda, tree: Tree) -> None:
        """Refuse an argument that a constant function drops where it is no number, or may be undefined."""
        if isinstance(value, _Lambda) or sort_of(value) not in ("Int", "Real") or defined(value) != TRUE:
            self.refuse("an argument that a function does not use must be a number that is always defined", tree)

    def hyperbolic(self, name: str, a: Term) -> Term:
        up, down = (("fn", "exp", (x,)) for x in (a, ("neg", None, (a,))))
        if name == "tanh":  # 1 - 2/(e^(2a) + 1)
            double = ("fn", "exp", (("*", None, (num(2), a)),))
            return ("-", None, (num(1), ("/", None, (num(2), ("+", None, (double, num(1)))))))
        return ("/", None, (("+" if name == "cosh" else "-", None, (up, down)), num(2)))


def _tree(t: Term, bound: list[str], taken: set[str]) -> Tree:
    """The tree of `t`; `bound` names the variables bound around it, innermost first."""
    tag, data, kids = t
    # A fraction is written as a quotient only where it has no finite decimal expansion.
    if tag == "num":
        written = ("num", abs(data[0]), data[1])
        if data[1] != 1:
            written = ("/", ("num", abs(data[0]), 1), ("num", data[1], 1)) if _prime_to_ten(data[1]) else written
        return ("neg", written) if data[0] < 0 else written
    if tag == "var":
        return ("name", data[0])
    if tag == "bound":
        return ("name", bound[data[0]])
    # A binder: names that are used nowhere around.
    if tag in ("all", "ex", "sum", "prod", "lam"):
        count = len(data) if tag == "lam" else 1
        used = {*bound, *taken}
        pool = (p + s for s in ("", *map(str, range(1, 1000))) for p in ("jkiml" if data != "Real" else "xyzuv"))
        new = list(itertools.islice((n for n in pool if n not in used), count))
        body = _tree(kids[-1], new + bound, taken)
        if tag == "lam":
            return ("lambda", tuple(new), body)
        if tag in ("all", "ex"):
            return (tag, new[0], data, body)
        return (tag, new[0], _tree(kids[0], bound, taken), _tree(kids[1], bound, taken), body)
    inner: list[Any] = [_tree(k, bound, taken) for k in kids]
    if tag == "app":
        return ("call", _tree(kids[0], bound, taken)[1], tuple(inner[1:]))
    if tag == "fn":
        return ("call", data, tuple(inner)) if inner else ("name", data)
    return (tag, inner[0], ("num", data, 1)) if tag == "^" else (tag, *inner)


def _prime_to_ten(q: int) -> bool:
    """Whether 1/q has no finite decimal expansion: then it is written as a quotient."""
    for p in (2, 5):
        while q % p == 0:
            q //= p
    return q != 1
