"""The reader of a user's statement, and values of a run written as terms of the grammar.

A statement is a formula of the grammar with three additions. A name may be quoted: ``"odd"(i)`` is the coordinate odd.
A name may have a layer: ``v(i)`` is the last value of the coordinate v, which ``symcook run`` shows; ``v@0(i)`` is its
value after the embedding, ``v@1(i)`` after layer 1, and ``v@1.attention(i)`` after the attention of layer 1. And
``accept``, ``answer``, ``probability``, ``at``, ``count``, ``first``, ``last``, ``holds``, ``matches`` and ``decoded``
are keywords (`WORDS`).

A comparison may contain ``a mod 3``. It then holds if it holds for a - 3*q, where q is the integer with
0 <= a - 3*q < 3. Such a q exists for every number a, so the reader writes the comparison as an existence: the grammar
that the checkers read has no remainder.

No name has two meanings. A coordinate that has the name of a keyword gets another name in the formula, and the user
quotes it. If it is not quoted and both readings fit, the statement is rejected. The reader keeps the position of each
part of the text, so that errors show the statement itself.
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
from symcook.proof.inequalities import reify
from symcook.proof.instances import _integers
from symcook.proof.normal import constant, nf
from symcook.proof.statements.exactvalues import compact, written
from symcook.proof.statements.secondrun import OTHER, PUT, parted
from symcook.proof.statements.shortruns import Runs
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
"""The keywords of a statement, and the arguments of each."""
PLACES = {
    "accept": (0, 1),
    "answer": (0, 1),
    "at": (1,),
    "decoded": (1,),
    "matches": (0, 1),
    "probability": (0, 1),
}  # how many positions a keyword takes; the others take 0
OF_STRING = ("at", "count", "first", "last", "holds", "matches", "decoded")
"""The keywords that are about the string alone."""
UNNAMED = ("accept", "decoded")
"""The keywords that take neither a token nor a label."""

MOST_MOD = 1000
"""The largest divisor of a remainder."""

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
        rf"|(?P<name>{prefixes}(?:(?:Q_)?(?:{_QUOTED})|[^\W\d]\w*)(?:@[0-9]+(?:\.[a-z]+)?)?)"
        r"|(?P<op><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>$))"
    )
    for prefixes in (f"(?:{PUT})?", rf"(?:{re.escape(OTHER)}|{PUT})?")
)
_GIVEN = re.compile(rf"\s*({_QUOTED}|\w+)\s*(?=[,)])")
"""The first argument of a keyword: a token or label, quoted or not."""


class SentenceReader(expr.Reader):
    """Reads a statement: quoted names, layers, and keywords; the token of a keyword is the tree ``("given", text)``."""

    def __init__(self, text: str, coordinates: Collection[str], two: bool = False) -> None:
        """With `two` models, ``other.NAME`` is a name of the second."""
        if len(text) > expr.MAX_TEXT:
            raise BadInput(f"a statement must have at most {expr.MAX_TEXT} characters", f"{len(text)} characters")
        self.text, self.coordinates = text, coordinates
        self.spans: dict[int, tuple[Tree, int, int]] = {}  # by id: the tree, its begin and its end
        self.tokens, self.at, self.level, index = [], 0, 0, 0
        self.inside = False  # of a formula in holds, where a name is an operator without arguments
        self.names = {*coordinates, *re.findall(r"\w+", text)}  # a new variable must have none of these names
        while not self.tokens or self.tokens[-1][0] != "end":
            match = (_TOKEN_OF_TWO if two else _TOKEN).match(text, index)
            column = len(text) - len(text[index:].lstrip())
            if match is None or match.lastgroup is None or not match[0].isprintable():
                raise self.wrong("no statement has this sign", column)
            if match.lastgroup == "foreign":
                raise self.wrong(HINTS[match["foreign"]], column)
            self.tokens.append((match.lastgroup, match[match.lastgroup], column))
            index = match.end()

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
        """The error for a part of the statement."""
        part = self.text[begin:end] if end is not None else self.text[begin : begin + 24]
        return wrong(self.text, begin, part.strip(), what)

    def error(self, what: str, place: int | None = None) -> BadInput:
        column = self.tokens[self.at][2] if place is None else place
        if self.tokens[self.at][0] == "end" and what == "lacks ')'":
            what = "does not close its brackets"
        nearby = (self.tokens[k][1] for k in (self.at, self.at - 1) if k >= 0)
        hint = next((HINTS[word] for word in nearby if word in HINTS and word not in self.coordinates), None)
        if what.startswith("uses ") and what.endswith("wrong kind"):
            hint = hint or self.mistaken()
        return self.wrong(f"it {what}" + (f"; {hint}" if hint else ""), column)

    def mistaken(self) -> str | None:
        """A hint for a name that is a number where a truth value is required; None without one."""
        for k, (kind, name, _) in enumerate(self.tokens):
            if kind != "name" or self.tokens[k + 1][1] == "(":
                continue
            if name in self.coordinates:
                return f"{name} is a number; compare it, as in 0 < {name}(n)"
            near = difflib.get_close_matches(name.casefold(), ("accept", "answer"), 1)
            if near and name not in WORDS:
                return f"did you mean {near[0]}?"
        return None

    # Positions in the text.

    def mark(self, tree: Tree, begin: int) -> Tree:
        """`tree`, noted as read from the token number `begin` up to the present token."""
        _, value, column = self.tokens[self.at - 1]
        self.spans.setdefault(id(tree), (tree, self.tokens[begin][2], column + len(value)))
        return tree

    def tree(self, power: int) -> Tree:
        begin = self.at
        left = super().tree(power)
        return self.mark(left, begin)

    def binary(self, left: Tree, op: str) -> Tree:
        """``x^k`` with a literal k stays a product; another power, such as ``(-1)^i``, becomes ``pow(x, k)``."""
        power_tree = super().binary(left, op)
        if op == "^":
            exponent = power_tree[2][1] if power_tree[2][0] == "neg" else power_tree[2]
            if exponent[0] != "num" or exponent[2] != 1:
                power_tree = ("call", "pow", (power_tree[1], power_tree[2]))
        return self.joined(left, power_tree)

    def chain(self, left: Tree) -> Tree:
        return self.divided(self.joined(left, super().chain(left)))

    def joined(self, left: Tree, compared: Tree) -> Tree:
        """A tree that begins where its part `left` begins, noted as read up to the present token."""
        _, value, column = self.tokens[self.at - 1]
        begin = self.spans[id(left)][1]
        self.spans[id(compared)] = (compared, begin, column + len(value))
        return compared

    def prefix(self, power: int) -> Tree:
        begin = self.at
        operand = self.mark(super().prefix(power), begin)
        return self.rest(operand, begin) if self.tokens[self.at][:2] == ("name", "mod") else operand

    # Remainders.

    def rest(self, dividend: Tree, begin: int) -> Tree:
        """Read ``a mod 3`` after its a, which must be one operand or in brackets, so that it is unambiguous."""
        self.take()
        if expr.is_formula(dividend):
            raise self.error("divides what is true or false")
        kind, divisor, place = self.tokens[self.at]
        if kind != "number" or not divisor.isdigit() or not 1 <= int(divisor) <= MOST_MOD:
            raise self.wrong(f"mod takes a literal whole number from 1 to {MOST_MOD} on its right", place)
        self.take()
        before = self.tokens[begin - 1][1] if begin else ""
        if before in ("+", "-", "*", "/", "^") or self.peek() in ("*", "/", "^", "mod"):
            ways = f"(a {before} b) mod {divisor} or a {before} (b mod {divisor})" if before else f"(a mod {divisor})"
            raise self.wrong(f"it says in two ways what mod is of; write {ways}", self.tokens[begin][2], None)
        return self.mark(("mod", dividend, int(divisor)), begin)

    def divided(self, compared: Tree) -> Tree:
        """A comparison with its remainders replaced by quantified quotients (see above), the innermost first."""
        if compared[0] in ("&", "~"):
            return self.stands((compared[0], *(self.divided(part) for part in compared[1:])), compared)
        tag, left, right = compared
        compared = self.stands((tag, self.equated(left, right), self.equated(right, left)), compared)
        remainder = self.rests(compared, frozenset())
        if remainder is None:
            return compared
        _, dividend, divisor = remainder
        name = next(f"q{k}" for k in range(len(self.text)) if f"q{k}" not in self.names)
        self.names.add(name)
        multiple: Tree = ("*", ("num", divisor, 1), ("name", name))
        _, left, right = compared
        other = right if left is remainder else left if right is remainder else None
        if compared[0] == "=" and other is not None and other[0] == "num" and other[2] == 1 and other[1] < divisor:
            body: Tree = ("=", dividend, ("+", multiple, other) if other[1] else multiple)
        else:
            remainder_of: Tree = ("-", dividend, multiple)
            in_range = ("&", ("<=", ("num", 0, 1), remainder_of), ("<", remainder_of, ("num", divisor, 1)))
            body = ("&", in_range, self.divided(self.stands(_put(compared, remainder, remainder_of), compared)))
        return self.stands(("ex", name, "Int", body), compared)

    def equated(self, side: Tree, other: Tree) -> Tree:
        """``mod(a, 3)`` as ``a mod 3`` if a has calls and the other side is a literal; else unchanged."""
        if side[:2] != ("call", "mod") or len(side[2]) != 2 or other[0] != "num" or "mod" in self.coordinates:
            return side
        dividend, divisor = side[2]
        literal = divisor[0] == "num" and divisor[2] == 1 and 1 <= divisor[1] <= MOST_MOD
        has_calls = any(part[0] == "call" for part in subtrees(dividend))
        return self.stands(("mod", dividend, divisor[1]), side) if literal and has_calls else side

    def rests(self, tree: Tree, bound: frozenset[str]) -> Tree | None:
        """An innermost remainder in a term, None without one. Remainders in I[...] do not count."""
        if tree[0] == "ind":
            return None
        inside = (
            bound | {tree[1]} if tree[0] in ("sum", "prod") else bound.union(tree[1]) if tree[0] == "lambda" else bound
        )
        remainder = next(
            (
                inner_remainder
                for part in expr.children(tree)
                if (inner_remainder := self.rests(part, inside)) is not None
            ),
            None,
        )
        if remainder is None and tree[0] == "mod":
            if names(tree[1]) & bound:
                _, begin, end = self.spans[id(tree)]
                raise self.wrong("inside of a sum write I[a mod 3 = 1], which is a number", begin, end)
            return tree
        return remainder

    def stands(self, made: Tree, old: Tree) -> Tree:
        """`made`, noted at the position of `old`."""
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
        """Read a keyword with its token or label and its positions."""
        begin, (prefix, kind) = self.at - 1, parted(name)
        if (prefix == OTHER and kind in OF_STRING) or (prefix and kind in ("holds", "matches", "decoded")):
            what = "which both models read" if prefix == OTHER else "as it is typed"
            raise self.wrong(f"{kind} is about the string, {what}; write it without {prefix}", self.tokens[begin][2])
        self.take("(")
        arguments: list[Tree] = []
        positions: list[Tree] = []
        if kind not in UNNAMED:
            match = _GIVEN.match(self.text, self.tokens[self.at][2])
            if match is None:
                raise self.misused(kind, begin)
            while self.tokens[self.at][2] < match.end(1):
                self.at += 1
            arguments.append(("given", match[1]))
        while self.peek() != ")":
            if arguments or positions:
                self.take(",")
            positions.append(self.tree(0))
        self.take(")")
        if len(positions) not in PLACES.get(kind, (0,)):
            raise self.misused(kind, begin)
        return ("call", name, (*arguments, *positions))

    def formula_at(self) -> Tree:
        """Read the keyword holds, with a formula in functional form and a position."""
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
        """The error for a keyword with wrong arguments."""
        coordinate_hint = f'; the coordinate {kind} is written "{kind}"(i)' if kind in self.coordinates else ""
        quoted = f'; what is no name is quoted, {kind}("("' if kind not in UNNAMED else ""
        quoted = "; a formula is written as in holds(since(~Q_b, Q_a), i)" if kind == "holds" else quoted
        if kind == "count" and [text for _, text, _ in self.tokens[begin + 3 : begin + 4]] == [","]:
            quoted = "; the count up to i is sum(j, 1, i, I[at(TOKEN, j)])"
        return self.wrong(f"{kind} takes {WORDS[kind]}{quoted}{coordinate_hint}", self.tokens[begin][2], None)

    def variable(self) -> str:
        _, name, _ = self.tokens[self.at]
        if name in WORDS or name in ("n", "w") or (self.tokens[self.at][0] == "name" and not expr.valid_name(name)):
            raise self.error(f"binds {name}, which has a meaning" if expr.valid_name(name) else "binds no name")
        return super().variable()


def own_word(name: str) -> str:
    """A name without the prefix that tells which run it is about."""
    return parted(name)[1]


def _put(tree: Any, old: Tree, new: Tree) -> Any:
    """`tree` with its part `old` (that very object) replaced by `new`."""
    if tree is old:
        return new
    return tuple([_put(part, old, new) for part in tree]) if isinstance(tree, tuple) else tree


def wrong(text: str, begin: int, part: str, what: str) -> BadInput:
    """The error for a part of a statement that begins at the character `begin`."""
    if "a number stands" in what and (equated := re.fullmatch(r"\s*(accept|answer\(\w+\))\s*=\s*(.*)", text)):
        return BadInput(MUST, text, f"= compares numbers; write {equated[1]} <-> {equated[2]}")
    return BadInput(MUST, text, f"column {begin + 1}{f', {part!r}' if part else ''}: {what}")


def terms(runs: Runs, by_equations: bool = False) -> list[str]:
    """The values of the leading names on the present string, as texts of the grammar.

    Rational numbers and numbers with one root are written as they are, the others by their equations; with
    `by_equations` all by their equations. Raises Spent where that takes too much work."""
    return _Writing(runs, by_equations).terms()


def shown(runs: Runs) -> dict[str, dict[int, str]]:
    """The same values by name and position."""
    writing = _Writing(runs, False)
    for part in runs.parts:
        writing._rooted(*part)
    tables = {v: runs.values[v] for v in runs.order if isinstance(runs.values[v], dict) and v not in runs.words_of}
    return {v[1][0]: {i: grammar.show(writing._shown_at(v, i)) for i in table} for v, table in tables.items()}


class _Writing:
    """Writes the values of one run."""

    def __init__(self, runs: Runs, by_equations: bool) -> None:
        self.runs, self.by_equations = runs, by_equations
        self.roots = dict(runs.roots)
        self._shown: dict[tuple[Term, int], Term] = {}

    def terms(self) -> list[str]:
        for part in self.runs.parts:
            self._rooted(*part)
        return [self._term(v) for v in self.runs.order]

    def _term(self, v: Term) -> str:
        """The value of a name: a number, or a function as a sum over the positions where it is not the default."""
        value = self.runs.values[v]
        if not isinstance(value, dict):
            return text(value)
        default = self.runs.behind(v)
        summands = []
        indices = [f"j{k}" for k in range(1, len(v[1][1][1]) + 1)] if len(v[1][1][1]) > 1 else ["j"]
        for i in sorted(value):
            here_value = self._shown_at(v, i)
            if default:
                here_value = reify.term(nf(("-", None, (here_value, written(default)))))
            if here_value != num(0):
                places = zip(indices, i if isinstance(i, tuple) else (i,), strict=True)
                test = " & ".join(f"{index} = {place}" for index, place in places)
                summands.append(f"I[{test}]" + ("" if here_value == num(1) else f"*({grammar.show(here_value)})"))
        return f"{' '.join(indices)}. " + (" + ".join([*summands, *([text(default)] if default else [])]) or "0")

    def _shown_at(self, f: Term, i: Any) -> Term:
        """The term for f(i)."""
        if (f, i) not in self._shown:
            value, equation = self.runs.values[f][i], self.runs.solved.get((f, i))
            if equation is None or (isinstance(value, int | Fraction | Root) and not self.by_equations):
                term = self._rooted_term(f, i, value) if isinstance(value, Root) else written(value)
            else:
                spelled_out = self._said(equation, (i,))
                term = min(compact(nf(spelled_out)), spelled_out, key=_size)
            self._shown[f, i] = term
        return self._shown[f, i]

    def _said(self, t: Term, bound: tuple[int, ...]) -> Term:
        """A part of an equation, with each value in it replaced by its term."""
        tag, data, kids = t
        if tag in ("num", "bound", "var"):
            return written(self.runs.value(t, bound))
        if tag == "app":
            place = self.runs.value(kids[1], bound)
            values = self.runs.values[kids[0]]
            if place not in values:
                return written(self.runs.value(t, bound))
            return self._shown_at(kids[0], place)
        if tag == "ind":
            return num(int(self.runs.truth(kids[0], bound)))
        if tag in ("sum", "prod"):
            low, high = (self.runs.whole(self.runs.value(k, bound)) for k in kids[:2])
            total = num(int(tag == "prod"))
            for k in _integers(low, high):
                total = _made("+" if tag == "sum" else "*", None, (total, self._said(kids[2], (k, *bound))))
            return total
        return _made(tag, data, tuple([self._said(k, bound) for k in kids]))

    def _rooted_term(self, f: Term, i: int, value: Root) -> Term:
        """A value with a root, as a product of roots that earlier equations have, if that is possible.

        A checker then needs no more than sqrt(q)*sqrt(q) = q to compare a product of values with its equation."""
        chosen = self.roots.get((f, i), ())
        radical = root(prod(chosen))
        if not isinstance(radical, Root) or radical.r != value.r:
            return written(value)
        factors = [written(x) for x in [value.q / radical.q] if x != 1]
        term, *roots = [*factors, *(("fn", "sqrt", (written(q),)) for q in chosen)]
        for factor in roots:
            term = ("*", None, (term, factor))
        return ("+", None, (term, written(value.p))) if value.p else term

    def _rooted(self, f: Term, part: Term, i: int) -> None:
        """Note of which roots f(i) is a product: those of one value in its equation, or of two."""
        value = self.runs.values[f].get(i)
        if not isinstance(value, Root):
            return
        known = [roots for (g, _), roots in self.roots.items() if g in free(part) and g != f]
        candidates = [*known, *(tuple(dict.fromkeys((*x, *y))) for x, y in product(known, known))]
        all_roots = list(dict.fromkeys(q for roots in known for q in roots))
        candidates += [c for size in range(1, len(all_roots) + 1) for c in combinations(all_roots, size)]
        if part[2][0][0] == "*":  # a value that is divided by a root: a product of more roots is better
            candidates.sort(key=len, reverse=True)
        for chosen in candidates:
            radical = root(prod(chosen))
            if isinstance(radical, Root) and radical.r == value.r:
                self.roots[f, i] = chosen
                return


def _made(tag: str, data: object, kids: tuple[Term, ...]) -> Term:
    """The term with these parts, simplified where a part is 0 or 1."""
    zero, unit = num(0), num(1)
    if all(k[0] == "num" for k in kids) and (c := constant(nf((tag, data, kids)))) is not None:
        return written(c)
    a, b = kids[0] if kids else zero, kids[-1] if kids else zero
    if tag == "+" and zero in kids:
        return b if a == zero else a
    if tag == "-" and b == zero:
        return a
    if tag == "-" and a == zero:
        return ("neg", None, (b,))
    if tag == "*" and (zero in kids or unit in kids):
        return zero if zero in kids else b if a == unit else a
    if tag == "/" and (a == zero or b == unit):
        return a
    return (tag, data, kids)


def _size(t: Term) -> int:
    """The number of nodes of a term."""
    return sum(1 for _ in subterms(t))
