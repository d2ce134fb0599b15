"""The sentence of an own claim: its reader, what its names mean, and the formula over the run that it makes.

A sentence is a formula of the grammar in which, besides, a name may be quoted (``"odd"(i)`` is the coordinate odd) and
may say after which layer a value is meant: ``v(i)`` is the last value of the coordinate v, the one that ``symcook run``
shows, ``v@0(i)`` that of the embedding, ``v@1(i)`` that after layer 1 and ``v@1.attention(i)`` that after its
attention. ``accept``, ``answer``, ``probability``, ``at``, ``count``, ``first``, ``last``, ``holds``, ``matches`` and
``decoded`` are words.

``a mod 3`` stands in a comparison, which says what it says of a - 3*q for the whole number q with 0 <= a - 3*q < 3.
There is one for every number a, so that it may be said to exist. It is written out here, where the sentence is read:
the grammar of statements, which the checkers read, has no remainder.

No name means two things. A coordinate that is called like something of the language gets another name in the statement;
in the sentence it is quoted, and where it is not and both readings would fit, the sentence is refused. Every part of
what is read knows where it stands, so that errors show the sentence itself.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

from symcook.errors import BadInput
from symcook.model import expr
from symcook.model.expr import Tree, names
from symcook.model.meaning import subtrees
from symcook.numbers.expsum import text
from symcook.numbers.roots import Root, root
from symcook.proof import grammar
from symcook.proof.instances import _integers
from symcook.proof.normal import constant, nf
from symcook.proof.ownother import OTHER, PUT, parted
from symcook.proof.ownruns import Runs
from symcook.proof.ownvalues import compact, written
from symcook.proof.search import reify
from symcook.proof.terms import Term, free, num, subterms

MUST = "a statement must be a formula over the model's run"
WORDS = {
    "accept": "no name, and a position where the readout looks at each",
    **dict.fromkeys(("answer", "probability"), "a label, and a position where the readout looks at each"),
    "at": "a token and a position",
    **dict.fromkeys(("count", "first", "last"), "one name"),
    "holds": "a formula and a position",
    "matches": "a quoted regular expression, and a position where a prefix is meant",
    "decoded": "a position",
}
"""The words of a sentence with what they take."""
PLACES = {
    "accept": (0, 1),
    "answer": (0, 1),
    "at": (1,),
    "decoded": (1,),
    "matches": (0, 1),
    "probability": (0, 1),
}  # how many positions; others take none
OF_STRING = ("at", "count", "first", "last", "holds", "matches", "decoded")
"""The words that are about the string alone."""
UNNAMED = ("accept", "decoded")
"""The words that take no token and no label."""

MOST_MOD = 1000
"""The greatest divisor of a remainder."""

_SIGNS = {"=>": "->", "<=>": "<->", "==": "=", "&&": "&", "||": "|", "!": "~", "**": "^", "=<": "<=", "<>": "!="}
_SIGNS |= {"⇒": "->", "→": "->", "⇔": "<->", "↔": "<->", "∧": "&", "∨": "|", "¬": "~", "≤": "<=", "≥": ">="}
_SIGNS |= {"≠": "!=", "∀": "all", "∃": "ex", "−": "-", "·": "*", "×": "*", "%": ""}
_ALIKE = {"iff": "<->", "implies": "->", "then": "->", "and": "&", "or": "|", "not": "~", "len": "n", "length": "n"}
_ALIKE |= {"forall": "all i in 1..n.", "every": "all i in 1..n.", "exists": "ex i in 1..n."}
HINTS = {theirs: f"write {ours} for {theirs}" for theirs, ours in {**_SIGNS, **_ALIKE}.items()}
HINTS |= {"%": "write a mod 3 for a % 3", "other": "other.NAME is about a second model: give --with FILE"}
HINTS |= {"renamed": "of the string with a and b exchanged write renamed(a->b, b->a).NAME"}
HINTS |= {"changed": "of the string with an a at position p write changed(p, a).NAME"}

_QUOTED = r""""[^"]*"|'[^']*'"""
_FOREIGN = "|".join([r"!(?!=)", *(re.escape(s) for s in sorted(_SIGNS, key=len, reverse=True) if s != "!")])
_TOKEN, _TOKEN_OF_TWO = (
    re.compile(
        rf"\s*(?:(?P<foreign>{_FOREIGN})|(?P<number>[0-9]+(?:\.[0-9]+)?)"
        rf"|(?P<name>{of}(?:(?:Q_)?(?:{_QUOTED})|[^\W\d]\w*)(?:@[0-9]+(?:\.[a-z]+)?)?)"
        r"|(?P<op><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>$))"
    )
    for of in (f"(?:{PUT})?", rf"(?:{re.escape(OTHER)}|{PUT})?")
)
_GIVEN = re.compile(rf"\s*({_QUOTED}|\w+)\s*(?=[,)])")
"""What a word is given: a token or label, quoted or not."""


class SentenceReader(expr.Reader):
    """The sentence's own reader: quoted names, layers, and words, whose trees are calls of ``("given", text)``."""

    def __init__(self, text: str, coordinates: Collection[str], two: bool = False) -> None:
        """With `two` models ``other.NAME`` is a name of the second."""
        if len(text) > expr.MAX_TEXT:
            raise BadInput(f"a statement must have at most {expr.MAX_TEXT} characters", f"{len(text)} characters")
        self.text, self.coordinates = text, coordinates
        self.spans: dict[int, tuple[Tree, int, int]] = {}  # by identity: the tree, which is kept, and where it stands
        self.tokens, self.at, self.level, place = [], 0, 0, 0
        self.inside = False  # of a formula in holds, where a name alone is an operator of nothing
        self.names = {*coordinates, *re.findall(r"\w+", text)}  # what a new name must not be
        while not self.tokens or self.tokens[-1][0] != "end":
            found = (_TOKEN_OF_TWO if two else _TOKEN).match(text, place)
            spot = len(text) - len(text[place:].lstrip())
            if found is None or found.lastgroup is None or not found[0].isprintable():
                raise self.wrong("no statement has this sign", spot)
            if found.lastgroup == "foreign":
                raise self.wrong(HINTS[found["foreign"]], spot)
            self.tokens.append((found.lastgroup, found[found.lastgroup], spot))
            place = found.end()

    def whole(self) -> Tree:
        try:
            tree = super().whole()
        except BadInput as error:
            if error.must == MUST:
                raise
            raise wrong(self.text, 0, "", "; ".join(filter(None, (error.must, error.do)))) from None
        todo = [tree]
        while todo:
            part = todo.pop()
            if part[0] == "mod":
                _, begin, end = self.spans[id(part)]
                raise self.wrong("a remainder is compared with a number, n mod 2 = 1", begin, end)
            todo += expr.children(part)
        return tree

    def wrong(self, what: str, begin: int, end: int | None = None) -> BadInput:
        """The error about a part of the sentence."""
        part = self.text[begin:end] if end is not None else self.text[begin : begin + 24]
        return wrong(self.text, begin, part.strip(), what)

    def error(self, what: str, place: int | None = None) -> BadInput:
        spot = self.tokens[self.at][2] if place is None else place
        if self.tokens[self.at][0] == "end" and what == "lacks ')'":
            what = "does not close its brackets"
        near = (self.tokens[k][1] for k in (self.at, self.at - 1) if k >= 0)
        hint = next((HINTS[word] for word in near if word in HINTS and word not in self.coordinates), None)
        if what.startswith("uses ") and what.endswith("wrong kind"):
            hint = hint or self.mistaken()
        return self.wrong(f"it {what}" + (f"; {hint}" if hint else ""), spot)

    def mistaken(self) -> str | None:
        """The name in the sentence that is a number where true or false is asked for, as its reader may have meant."""
        for k, (kind, name, _) in enumerate(self.tokens):
            if kind != "name" or self.tokens[k + 1][1] == "(":
                continue
            if name in self.coordinates:
                return f"{name} is a number; compare it, as in 0 < {name}(n)"
            near = difflib.get_close_matches(name.casefold(), ("accept", "answer"), 1)
            if near and name not in WORDS:
                return f"did you mean {near[0]}?"
        return None

    # Where things stand.

    def mark(self, tree: Tree, begin: int) -> Tree:
        """`tree`, which was read from the token `begin` to here."""
        _, value, last = self.tokens[self.at - 1]
        self.spans.setdefault(id(tree), (tree, self.tokens[begin][2], last + len(value)))
        return tree

    def tree(self, power: int) -> Tree:
        begin = self.at
        left = super().tree(power)
        return self.mark(left, begin)

    def binary(self, left: Tree, op: str) -> Tree:
        """``x^k`` of a literal k is a product; another power, as ``(-1)^i``, is ``pow(x, k)``."""
        made = super().binary(left, op)
        if op == "^":
            exponent = made[2][1] if made[2][0] == "neg" else made[2]
            if exponent[0] != "num" or exponent[2] != 1:
                made = ("call", "pow", (made[1], made[2]))
        return self.joined(left, made)

    def chain(self, left: Tree) -> Tree:
        return self.divided(self.joined(left, super().chain(left)))

    def joined(self, left: Tree, made: Tree) -> Tree:
        _, value, last = self.tokens[self.at - 1]
        begin = self.spans[id(left)][1]
        self.spans[id(made)] = (made, begin, last + len(value))
        return made

    def prefix(self, power: int) -> Tree:
        begin = self.at
        made = self.mark(super().prefix(power), begin)
        return self.rest(made, begin) if self.tokens[self.at][:2] == ("name", "mod") else made

    # Remainders.

    def rest(self, of: Tree, begin: int) -> Tree:
        """``a mod 3``; a stands alone or in brackets, so that nobody reads it in two ways."""
        self.take()
        if expr.is_formula(of):
            raise self.error("divides what is true or false")
        kind, divisor, place = self.tokens[self.at]
        if kind != "number" or not divisor.isdigit() or not 1 <= int(divisor) <= MOST_MOD:
            raise self.wrong(f"mod takes a literal whole number from 1 to {MOST_MOD} on its right", place)
        self.take()
        before = self.tokens[begin - 1][1] if begin else ""
        if before in ("+", "-", "*", "/", "^") or self.peek() in ("*", "/", "^", "mod"):
            both = f"(a {before} b) mod {divisor} or a {before} (b mod {divisor})" if before else f"(a mod {divisor})"
            raise self.wrong(f"it says in two ways what mod is of; write {both}", self.tokens[begin][2], None)
        return self.mark(("mod", of, int(divisor)), begin)

    def divided(self, compared: Tree) -> Tree:
        """A comparison with the remainders in it written out."""
        if compared[0] in ("&", "~"):
            return self.stands((compared[0], *(self.divided(part) for part in compared[1:])), compared)
        tag, left, right = compared
        compared = self.stands((tag, self.equated(left, right), self.equated(right, left)), compared)
        found = self.rests(compared, frozenset())
        if found is None:
            return compared
        _, of, divisor = found
        name = next(f"q{k}" for k in range(len(self.text)) if f"q{k}" not in self.names)
        self.names.add(name)
        times: Tree = ("*", ("num", divisor, 1), ("name", name))
        _, left, right = compared
        other = right if left is found else left if right is found else None
        if compared[0] == "=" and other is not None and other[0] == "num" and other[2] == 1 and other[1] < divisor:
            body: Tree = ("=", of, ("+", times, other) if other[1] else times)
        else:
            over: Tree = ("-", of, times)
            inside = ("&", ("<=", ("num", 0, 1), over), ("<", over, ("num", divisor, 1)))
            body = ("&", inside, self.divided(self.stands(_put(compared, found, over), compared)))
        return self.stands(("ex", name, "Int", body), compared)

    def equated(self, side: Tree, other: Tree) -> Tree:
        """``mod(a, 3)`` of a count next to a literal is ``a mod 3``; elsewhere a function of its own (`rounded`)."""
        if side[:2] != ("call", "mod") or len(side[2]) != 2 or other[0] != "num" or "mod" in self.coordinates:
            return side
        of, divisor = side[2]
        literal = divisor[0] == "num" and divisor[2] == 1 and 1 <= divisor[1] <= MOST_MOD
        counts = any(part[0] == "call" for part in subtrees(of))
        return self.stands(("mod", of, divisor[1]), side) if literal and counts else side

    def rests(self, tree: Tree, bound: frozenset[str]) -> Tree | None:
        """A remainder in a term that has none in it; None where there is none, those in formulas left out."""
        if tree[0] == "ind":
            return None
        inner = (
            bound | {tree[1]} if tree[0] in ("sum", "prod") else bound.union(tree[1]) if tree[0] == "lambda" else bound
        )
        found = next((one for part in expr.children(tree) if (one := self.rests(part, inner)) is not None), None)
        if found is None and tree[0] == "mod":
            if names(tree[1]) & bound:
                _, begin, end = self.spans[id(tree)]
                raise self.wrong("inside of a sum write I[a mod 3 = 1], which is a number", begin, end)
            return tree
        return found

    def stands(self, made: Tree, old: Tree) -> Tree:
        """`made`, which stands where `old` stood."""
        if id(old) in self.spans:
            self.spans[id(made)] = (made, *self.spans[id(old)][1:])
        return made

    # Names.

    def named(self) -> Tree:
        if self.inside and self.tokens[self.at + 1][1] != "(" and self.peek() not in expr.KEYWORDS:
            return ("call", self.take(), ())
        if own_word(self.peek()) == "accept" and self.tokens[self.at + 1][1] != "(":
            return ("call", self.take(), ())
        return super().named()

    def call(self, name: str) -> Tree:
        if name == "holds" and not self.inside:
            return self.formula_at()
        if name in ("renamed", "changed") and name not in self.coordinates:
            raise self.wrong(HINTS[name], self.tokens[self.at - 1][2])
        if own_word(name) in WORDS and not self.inside:
            return self.word(name)
        if name in expr.ARITY and name in self.coordinates:  # of one position it may be the coordinate
            start = self.at
            self.take("(")
            only = self.argument()
            if self.peek() == ")":
                self.take()
                return ("call", name, (only,))
            self.at = start
        return super().call(name)

    def word(self, name: str) -> Tree:
        """A word with its token or label, and its position."""
        begin, (prefix, kind) = self.at - 1, parted(name)
        if (prefix == OTHER and kind in OF_STRING) or (prefix and kind in ("holds", "matches", "decoded")):
            what = "which both models read" if prefix == OTHER else "as it is typed"
            raise self.wrong(f"{kind} is about the string, {what}; write it without {prefix}", self.tokens[begin][2])
        self.take("(")
        given: list[Tree] = []
        places: list[Tree] = []
        if kind not in UNNAMED:
            found = _GIVEN.match(self.text, self.tokens[self.at][2])
            if found is None:
                raise self.misused(kind, begin)
            while self.tokens[self.at][2] < found.end(1):
                self.at += 1
            given.append(("given", found[1]))
        while self.peek() != ")":
            if given or places:
                self.take(",")
            places.append(self.tree(0))
        self.take(")")
        if len(places) not in PLACES.get(kind, (0,)):
            raise self.misused(kind, begin)
        return ("call", name, (*given, *places))

    def formula_at(self) -> Tree:
        """The word holds, with a formula in functional form and a position."""
        begin = self.at - 1
        self.take("(")
        self.inside = True
        parts = [self.tree(0)]
        self.inside = False
        while self.peek() == ",":
            self.take()
            parts.append(self.tree(0))
        if len(parts) != 2 or self.peek() != ")":
            raise self.misused("holds", begin)
        self.take(")")
        return ("call", "holds", tuple(parts))

    def misused(self, kind: str, begin: int) -> BadInput:
        """The error of a word that is given something else."""
        own = f'; the coordinate {kind} is written "{kind}"(i)' if kind in self.coordinates else ""
        quoted = f'; what is no name is quoted, {kind}("("' if kind not in UNNAMED else ""
        quoted = "; a formula is written as in holds(since(~Q_b, Q_a), i)" if kind == "holds" else quoted
        if kind == "count" and [text for _, text, _ in self.tokens[begin + 3 : begin + 4]] == [","]:
            quoted = "; the count up to i is sum(j, 1, i, I[at(TOKEN, j)])"
        return self.wrong(f"{kind} takes {WORDS[kind]}{quoted}{own}", self.tokens[begin][2], None)

    def variable(self) -> str:
        _, name, _ = self.tokens[self.at]
        if name in WORDS or name in ("n", "w") or (self.tokens[self.at][0] == "name" and not expr.valid_name(name)):
            raise self.error(f"binds {name}, which has a meaning" if expr.valid_name(name) else "binds no name")
        return super().variable()


def own_word(name: str) -> str:
    """A word without what says which run it is about."""
    return parted(name)[1]


def _put(tree: Any, old: Tree, new: Tree) -> Any:
    """`tree` with `new` in the place of one of its parts."""
    if tree is old:
        return new
    return tuple([_put(part, old, new) for part in tree]) if isinstance(tree, tuple) else tree


def wrong(text: str, begin: int, part: str, what: str) -> BadInput:
    """The error about a part of a sentence that begins at a character."""
    if "a number stands" in what and (equated := re.fullmatch(r"\s*(accept|answer\(\w+\))\s*=\s*(.*)", text)):
        return BadInput(MUST, text, f"= compares numbers; write {equated[1]} <-> {equated[2]}")
    return BadInput(MUST, text, f"column {begin + 1}{f', {part!r}' if part else ''}: {what}")


def terms(runs: Runs, by_equations: bool = False) -> list[str]:
    """The values of the leading names at the present word as texts of the grammar: numbers and those with one root as
    they are, others as their equation says it; `by_equations` all so. Spent where that takes too much work."""
    return _Writing(runs, by_equations).terms()


def shown(runs: Runs) -> dict[str, dict[int, str]]:
    """The same by name and position."""
    writing = _Writing(runs, False)
    for one in runs.parts:
        writing._rooted(*one)
    tables = {v: runs.values[v] for v in runs.order if isinstance(runs.values[v], dict) and v not in runs.words_of}
    return {v[1][0]: {i: grammar.show(writing._shown_at(v, i)) for i in table} for v, table in tables.items()}


class _Writing:
    """The texts of one word's values."""

    def __init__(self, runs: Runs, by_equations: bool) -> None:
        self.runs, self.by_equations = runs, by_equations
        self.roots = dict(runs.roots)
        self._shown: dict[tuple[Term, int], Term] = {}

    def terms(self) -> list[str]:
        for one in self.runs.parts:
            self._rooted(*one)
        return [self._term(v) for v in self.runs.order]

    def _term(self, v: Term) -> str:
        x = self.runs.values[v]
        if not isinstance(x, dict):
            return text(x)
        rest = self.runs.behind(v)
        parts = []
        indices = [f"j{k}" for k in range(1, len(v[1][1][1]) + 1)] if len(v[1][1][1]) > 1 else ["j"]
        for i in sorted(x):
            at = self._shown_at(v, i)
            if rest:
                at = reify.term(nf(("-", None, (at, written(rest)))))
            if at != num(0):
                places = zip(indices, i if isinstance(i, tuple) else (i,), strict=True)
                here = " & ".join(f"{index} = {place}" for index, place in places)
                parts.append(f"I[{here}]" + ("" if at == num(1) else f"*({grammar.show(at)})"))
        return f"{' '.join(indices)}. " + (" + ".join([*parts, *([text(rest)] if rest else [])]) or "0")

    def _shown_at(self, f: Term, i: Any) -> Term:
        """f(i) as it is written."""
        if (f, i) not in self._shown:
            x, said = self.runs.values[f][i], self.runs.solved.get((f, i))
            if said is None or (isinstance(x, int | Fraction | Root) and not self.by_equations):
                at = self._rooted_term(f, i, x) if isinstance(x, Root) else written(x)
            else:
                plain = self._said(said, (i,))
                at = min(compact(nf(plain)), plain, key=_size)
            self._shown[f, i] = at
        return self._shown[f, i]

    def _said(self, t: Term, bound: tuple[int, ...]) -> Term:
        """A part of an equation with the values so written of what stands in it."""
        tag, data, kids = t
        if tag in ("num", "bound", "var"):
            return written(self.runs.value(t, bound))
        if tag == "app":
            place = self.runs.value(kids[1], bound)
            table = self.runs.values[kids[0]]
            if place not in table:
                return written(self.runs.value(t, bound))
            return self._shown_at(kids[0], place)
        if tag == "ind":
            return num(int(self.runs.truth(kids[0], bound)))
        if tag in ("sum", "prod"):
            low, high = (self.runs.whole(self.runs.value(k, bound)) for k in kids[:2])
            out = num(int(tag == "prod"))
            for k in _integers(low, high):
                out = _made("+" if tag == "sum" else "*", None, (out, self._said(kids[2], (k, *bound))))
            return out
        return _made(tag, data, tuple([self._said(k, bound) for k in kids]))

    def _rooted_term(self, f: Term, i: int, value: Root) -> Term:
        """A value with a root in terms of the roots that the equations before it have, where they give it: then that a
        product with one of these is what an equation says needs no more than sqrt(q)*sqrt(q) = q."""
        chosen = self.roots.get((f, i), ())
        unit = root(prod(chosen))
        if not isinstance(unit, Root) or unit.r != value.r:
            return written(value)
        factors = [written(x) for x in [value.q / unit.q] if x != 1]
        out, *more = [*factors, *(("fn", "sqrt", (written(q),)) for q in chosen)]
        for one in more:
            out = ("*", None, (out, one))
        return ("+", None, (out, written(value.p))) if value.p else out

    def _rooted(self, f: Term, part: Term, i: int) -> None:
        """Note of which roots f(i) is a product: those of one name in its equation, perhaps with one of another."""
        value = self.runs.values[f].get(i)
        if not isinstance(value, Root):
            return
        used = [roots for (g, _), roots in self.roots.items() if g in free(part) and g != f]
        ways = [*used, *(tuple(dict.fromkeys((*x, *y))) for x, y in product(used, used))]
        near = list(dict.fromkeys(q for roots in used for q in roots))
        ways += [c for many in range(1, len(near) + 1) for c in combinations(near, many)]
        if part[2][0][0] == "*":  # it is divided by one of them: rather a product with both
            ways.sort(key=len, reverse=True)
        for chosen in ways:
            unit = root(prod(chosen))
            if isinstance(unit, Root) and unit.r == value.r:
                self.roots[f, i] = chosen
                return


def _made(tag: str, data: object, kids: tuple[Term, ...]) -> Term:
    """A term with these parts, without what 0 and 1 add to it."""
    zero, one = num(0), num(1)
    if all(k[0] == "num" for k in kids) and (c := constant(nf((tag, data, kids)))) is not None:
        return written(c)
    a, b = kids[0] if kids else zero, kids[-1] if kids else zero
    if tag == "+" and zero in kids:
        return b if a == zero else a
    if tag == "-" and b == zero:
        return a
    if tag == "-" and a == zero:
        return ("neg", None, (b,))
    if tag == "*" and (zero in kids or one in kids):
        return zero if zero in kids else b if a == one else a
    if tag == "/" and (a == zero or b == one):
        return a
    return (tag, data, kids)


def _size(t: Term) -> int:
    return sum(1 for _ in subterms(t))
