"""The reader of a user's statement; and the values of a run on one string, written as terms of the grammar.

A statement is a formula of the grammar with six additions. A name may be quoted: ``"odd"(i)`` is the coordinate odd.
A name may have a layer: ``v(i)`` is the last value of the coordinate v, which ``symcook run`` shows; ``v@0(i)`` is its
value after the embedding, ``v@1(i)`` after layer 1, and ``v@1.attention(i)`` after the attention of layer 1. And
``accept``, ``answer``, ``probability``, ``logit``, ``at``, ``count``, ``first``, ``last``, ``holds``, ``matches``,
``decoded``, ``weight`` and ``score`` are keywords (`WORDS`). A name may have a prefix, such as ``other.``,
``renamed(..).`` or ``permuted.``, if it is about a second run (see `secondrun`).

A formula may be followed by definitions of names in it: ``F where s := t, r(i) := u``. The reader puts what a name is
defined as in its place (`symcook.proof.statements.where`).

The last addition is the remainder: a comparison may contain ``a mod 3``. It then holds if it holds for a - 3*q, where q
is the integer with 0 <= a - 3*q < 3. Such a q exists for every number a, so the reader writes the comparison as an
existence: the grammar that the checkers read has no remainder.

No name has two meanings. A coordinate that has the name of a keyword gets another name in the formula, and the user
quotes it. If it is not quoted and both readings fit, the statement is rejected. The reader keeps the position of each
part of the text, so that errors show the statement itself.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from fractions import Fraction
from functools import cache
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
from symcook.proof.statements.secondrun import EDITS, OTHER, parted, put_pattern
from symcook.proof.statements.shortruns import Runs
from symcook.proof.statements.where import WhereClause
from symcook.proof.terms import Term, free, num, subterms

MUST = "a statement must be a formula over the model's run"
"""What every error of this reader says the user must give."""
WORDS = {
    "accept": "no name, and a position if the model answers at each position",
    **dict.fromkeys(("answer", "probability"), "a label, and a position if the model answers at each position"),
    "logit": "a label if the readout has labels, and a position if the model answers at each position",
    "at": "a token and a position",
    "count": "a token, and optionally a position up to which it counts",
    **dict.fromkeys(("first", "last"), "one name"),
    "holds": "a formula and a position",
    "matches": "a quoted regular expression, and optionally the position at which a prefix ends",
    "decoded": "a position",
    **dict.fromkeys(("weight", "score"), "a layer and a head, from 1, and the positions of the query and of the key"),
}
"""By keyword of a statement: what its arguments must be, as an error message says it."""
ATTENDED = ("weight", "score")
"""The keywords about the attention of one head."""
PLACES = {
    "accept": (0, 1),
    "answer": (0, 1),
    "at": (1,),
    "count": (0, 1),
    "decoded": (1,),
    "logit": (0, 1),
    "matches": (0, 1),
    "probability": (0, 1),
    **dict.fromkeys(ATTENDED, (4,)),
}
"""By keyword: the possible numbers of positions among its arguments. A keyword without an entry takes no position; but
`holds`, which takes one, is read by a method of its own (`SentenceReader.formula_at`)."""
OF_STRING = ("at", "count", "first", "last", "holds", "matches", "decoded")
"""The keywords whose value depends on the input string alone, not on the model."""
UNNAMED = ("accept", "decoded", *ATTENDED)
"""The keywords whose arguments are numbers only: they take neither a token nor a label."""
ALONE = ("accept", "logit")
"""The keywords that may stand without arguments."""
YIELDING = frozenset(ATTENDED)
"""The keywords that came when there were models already: where a coordinate or symbol has the name, it is meant."""

MOST_MOD = 1000
"""The largest divisor k that ``a mod k`` may have. Automata have a state for each remainder."""

# Operators of other languages, and words for operators: each with what a statement has in its place.
_SIGNS = {"=>": "->", "<=>": "<->", "==": "=", "&&": "&", "||": "|", "!": "~", "**": "^", "=<": "<=", "<>": "!="}
_SIGNS |= {"⇒": "->", "→": "->", "⇔": "<->", "↔": "<->", "∧": "&", "∨": "|", "¬": "~", "≤": "<=", "≥": ">="}
_SIGNS |= {"≠": "!=", "∀": "all", "∃": "ex", "−": "-", "·": "*", "×": "*", "%": ""}
_ALIKE = {"iff": "<->", "implies": "->", "then": "->", "and": "&", "or": "|", "not": "~", "len": "n", "length": "n"}
_ALIKE |= {"forall": "all i in 1..n.", "every": "all i in 1..n.", "exists": "ex i in 1..n.", "reject": "~accept"}
HINTS = {theirs: f"write {ours} for {theirs}" for theirs, ours in {**_SIGNS, **_ALIKE}.items()}
"""By sign or word that a statement does not have: the advice that an error gives, with 1..n for the positions."""
HINTS |= {"%": "write a mod 3 for a % 3", "other": "other.NAME is about a second model: give --with FILE"}
HINTS |= {"renamed": "for the string with a and b exchanged write renamed(a->b, b->a).NAME"}
HINTS |= {"changed": "for the string with an a at position p write changed(p, a).NAME", **EDITS}

_QUOTED = r""""[^"]*"|'[^']*'"""
# The signs of `_SIGNS`, the longest first, so that "**" is not read as two "*". "!" is foreign, "!=" is not.
_FOREIGN = "|".join([r"!(?!=)", *(re.escape(s) for s in sorted(_SIGNS, key=len, reverse=True) if s != "!")])


@cache
def _token(two: bool, own: frozenset[str]) -> re.Pattern[str]:
    """The pattern of one token of a statement. Only in a statement about `two` models a name may begin with "other.",
    and a word of `EDITS` that is a name of the model (`own`) begins no prefix."""
    prefixes = rf"(?:{re.escape(OTHER)}|{put_pattern(own)})?" if two else f"(?:{put_pattern(own)})?"
    return re.compile(
        rf"\s*(?:(?P<foreign>{_FOREIGN})|(?P<number>[0-9]+(?:\.[0-9]+)?)"
        rf"|(?P<name>{prefixes}(?:(?:Q_)?(?:{_QUOTED})|[^\W\d]\w*)(?:@[0-9]+(?:\.[a-z]+)?)?)"
        r"|(?P<op><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>$))"
    )


_GIVEN = re.compile(rf"\s*({_QUOTED}|\w+)\s*(?=[,)])")
"""The first argument of a keyword, as a pattern: a token or label, quoted or not."""


class SentenceReader(expr.Reader):
    """The reader of a statement. Beyond the grammar it reads quoted names, layers, prefixes of second runs, remainders
    and keywords. The token or label that a keyword takes becomes the tree ``("given", text)``."""

    KEYWORDS = frozenset(WORDS)
    """The words of statements."""

    def __init__(
        self,
        text: str,
        coordinates: Collection[str],
        two: bool = False,
        symbols: Collection[str] = (),
        ends: tuple[str, str] = ("1", "n"),
    ) -> None:
        """A reader of `text` about a model with these `coordinates` and `symbols`. If the statement is about `two`
        models, ``other.NAME`` is a name of the second model. `ends` are the first and the last position, for advice.

        Splits `text` into tokens (kind, text, column); BadInput for a sign that no statement has."""
        if len(text) > expr.MAX_TEXT:
            raise BadInput(
                f"a statement must have at most {expr.MAX_TEXT} characters",
                f"{len(text)} characters",
                "write several shorter statements",
            )
        self.text, self.coordinates, self.symbols, self.ends = text, coordinates, symbols, ends
        # By id of a tree: the tree itself (so that its id stays in use) and where its text begins and ends.
        self.spans: dict[int, tuple[Tree, int, int]] = {}
        # `at` is the number of the token that is read next.
        self.tokens, self.at, self.level, index = [], 0, 0, 0
        # Whether the formula of a ``holds(F, i)`` is being read. In F, a bare name is an operator without arguments.
        self.inside = False
        self.names = {*coordinates, *re.findall(r"\w+", text)}  # a variable that the reader adds has another name
        token_pattern = _token(two, frozenset(EDITS.keys() & {*coordinates, *symbols}))
        while not self.tokens or self.tokens[-1][0] != "end":
            match = token_pattern.match(text, index)
            column = len(text) - len(text[index:].lstrip())
            if match is None or match.lastgroup is None or not match[0].isprintable():
                raise self.wrong("no statement has this sign", column)
            if match.lastgroup == "foreign":
                raise self.wrong(self.advice(match["foreign"]), column)
            self.tokens.append((match.lastgroup, match[match.lastgroup], column))
            index = match.end()

    def whole(self) -> Tree:
        """The tree of the statement; BadInput for an invalid statement, and for a remainder outside a comparison."""
        try:
            tree = WhereClause(self).whole(super().whole)
        except BadInput as error:
            if error.must == MUST:
                raise
            raise wrong(self.text, 0, "", "; ".join(filter(None, (error.must, error.do)))) from None
        # `divided` has replaced every remainder in a comparison: one that is left has no comparison around it.
        todo = [tree]
        while todo:
            part = todo.pop()
            if part[0] == "mod":
                _, begin, end = self.spans[id(part)]
                raise self.wrong("a remainder is compared with a number, n mod 2 = 1", begin, end)
            todo += expr.children(part)
        return tree

    def wrong(self, what: str, begin: int, end: int | None = None) -> BadInput:
        """The error `what` about the text from `begin` to `end`; without `end`, 24 characters are quoted."""
        part = self.text[begin:end] if end is not None else self.text[begin : begin + 24]
        return wrong(self.text, begin, part.strip(), what)

    def error(self, what: str, place: int | None = None) -> BadInput:
        """The error that the statement has the fault `what`, at the column `place` (default: at the present token),
        with a hint if one is known for the present token or the one before it."""
        column = self.tokens[self.at][2] if place is None else place
        if self.tokens[self.at][0] == "end" and what == "lacks ')'":
            what = "does not close its brackets"
        nearby = (self.tokens[k][1] for k in (self.at, self.at - 1) if k >= 0)
        hint = next((self.advice(word) for word in nearby if word in HINTS and word not in self.coordinates), None)
        if self.peek() == "." and (taken := self.taken_prefix()) is not None:
            hint = f"this model has a coordinate or symbol {taken}, so that {taken} begins no name of a second string"
        elif what.startswith("uses "):
            hint = hint or self.mistaken()
        return self.wrong(f"the statement {what}" + (f"; {hint}" if hint else ""), column)

    def taken_prefix(self) -> str | None:
        """The word of an edited string that stands before the present token, but is a name of the model; else None."""
        depth, at = 0, self.at - 1
        while at >= 0 and (depth or self.tokens[at][1] == ")"):
            depth += {")": 1, "(": -1}.get(self.tokens[at][1], 0)
            at -= 1
        word = self.tokens[at][1] if at >= 0 else ""
        return word if word in EDITS and word in self.coordinates else None

    def advice(self, word: str) -> str:
        """The hint for a word or sign that a statement does not have, with the positions of this model."""
        return HINTS[word].replace("1..n", "..".join(self.ends))

    def mistaken(self) -> str | None:
        """A hint for a statement with a number in place of a truth value: about its first coordinate without an
        argument, or about a misspelt accept or answer. None if it has neither."""
        for k, (kind, name, _) in enumerate(self.tokens):
            if kind != "name" or self.tokens[k + 1][1] == "(":
                continue
            if name in self.coordinates:
                return f"{name} is a number; compare it, as in 0 < {name}({self.ends[1]})"
            if name in HINTS:
                return self.advice(name)
            near = difflib.get_close_matches(name.casefold(), ("accept", "answer"), 1)
            if near and name not in WORDS:
                return f"did you mean {near[0]}?"
        return None

    # Positions in the text.

    def mark(self, tree: Tree, begin: int) -> Tree:
        """`tree`; `spans` then has its text, from the token number `begin` to the last token that was read."""
        _, value, column = self.tokens[self.at - 1]
        self.spans.setdefault(id(tree), (tree, self.tokens[begin][2], column + len(value)))
        return tree

    def tree(self, power: int) -> Tree:
        begin = self.at
        left = super().tree(power)
        return self.mark(left, begin)

    def binary(self, left: Tree, op: str) -> Tree:
        """The tree of ``left op right``. ``x^k`` stays a power if k is a literal integer; another power, such as
        ``(-1)^i``, becomes ``pow(x, k)``."""
        power_tree = super().binary(left, op)
        if op == "^":
            exponent = power_tree[2][1] if power_tree[2][0] == "neg" else power_tree[2]
            if exponent[0] != "num" or exponent[2] != 1:
                power_tree = ("call", "pow", (power_tree[1], power_tree[2]))
        return self.joined(left, power_tree)

    def chain(self, left: Tree) -> Tree:
        return self.divided(self.joined(left, super().chain(left)))

    def joined(self, left: Tree, compared: Tree) -> Tree:
        """`compared`; `spans` then has its text, from the beginning of its part `left` to the last token read."""
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
        """Read ``mod 3`` after a `dividend` that began at token number `begin`.

        The dividend must be one operand or in brackets: ``a + b mod 3`` has two readings and is rejected."""
        self.take()
        if expr.is_formula(dividend):
            raise self.error("divides what is true or false")
        kind, divisor, place = self.tokens[self.at]
        if kind != "number" or not divisor.isdigit() or not 1 <= int(divisor) <= MOST_MOD:
            raise self.wrong(f"mod takes a literal whole number from 1 to {MOST_MOD} on its right", place)
        self.take()
        # An operator on either side could take a part of the remainder as its operand.
        before = self.tokens[begin - 1][1] if begin else ""
        if before in ("+", "-", "*", "/", "^") or self.peek() in ("*", "/", "^", "mod"):
            ways = f"(a {before} b) mod {divisor} or a {before} (b mod {divisor})" if before else f"(a mod {divisor})"
            raise self.wrong(f"its mod may have two left operands; write {ways}", self.tokens[begin][2], None)
        return self.mark(("mod", dividend, int(divisor)), begin)

    def divided(self, compared: Tree) -> Tree:
        """A comparison in which each remainder, the innermost first, is replaced by a quantified quotient (see the
        module's docstring)."""
        if compared[0] in ("&", "~"):  # a chain a < b < c, and a != b
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
        # ``a mod 3 = 1`` is ``a = 3*q + 1``. Any other comparison becomes ``0 <= a - 3*q < 3`` and the comparison
        # with a - 3*q in place of the remainder, in which the next remainder is then replaced.
        other = right if left is remainder else left if right is remainder else None
        if compared[0] == "=" and other is not None and other[0] == "num" and other[2] == 1 and other[1] < divisor:
            body: Tree = ("=", dividend, ("+", multiple, other) if other[1] else multiple)
        else:
            remainder_of: Tree = ("-", dividend, multiple)
            in_range = ("&", ("<=", ("num", 0, 1), remainder_of), ("<", remainder_of, ("num", divisor, 1)))
            body = ("&", in_range, self.divided(self.stands(_substituted(compared, remainder, remainder_of), compared)))
        return self.stands(("ex", name, "Int", body), compared)

    def equated(self, side: Tree, other: Tree) -> Tree:
        """One side of a comparison, ``mod(a, 3)`` written as ``a mod 3`` if a has calls and the other side is a
        literal. Every other `side` is returned unchanged."""
        if side[:2] != ("call", "mod") or len(side[2]) != 2 or other[0] != "num" or "mod" in self.coordinates:
            return side
        dividend, divisor = side[2]
        literal = divisor[0] == "num" and divisor[2] == 1 and 1 <= divisor[1] <= MOST_MOD
        has_calls = any(part[0] == "call" for part in subtrees(dividend))
        return self.stands(("mod", dividend, divisor[1]), side) if literal and has_calls else side

    def rests(self, tree: Tree, bound: frozenset[str]) -> Tree | None:
        """An innermost remainder in a term; None if it has no remainder. Remainders in I[...] do not count: they are
        in a comparison of their own. `bound` are the names that sums, products and lambdas around `tree` bind; a
        remainder that has one of them is rejected, since its quotient would have to be quantified inside them."""
        if tree[0] == "ind":
            return None
        bound_inside = bound
        if tree[0] in ("sum", "prod"):
            bound_inside = bound | {tree[1]}
        elif tree[0] == "lambda":
            bound_inside = bound.union(tree[1])
        for part in expr.children(tree):
            remainder = self.rests(part, bound_inside)
            if remainder is not None:
                return remainder
        if tree[0] != "mod":
            return None
        if names(tree[1]) & bound:
            _, begin, end = self.spans[id(tree)]
            raise self.wrong("inside of a sum write I[a mod 3 = 1], which is a number", begin, end)
        return tree

    def stands(self, made: Tree, old: Tree) -> Tree:
        """The new tree `made`; its text is that of the tree `old`, which it replaces."""
        if id(old) in self.spans:
            self.spans[id(made)] = (made, *self.spans[id(old)][1:])
        return made

    # Names.

    def named(self) -> Tree:
        """Read a name, with its arguments if it has any. A bare name in holds(..) and ``accept`` are calls too."""
        if self.inside and self.tokens[self.at + 1][1] != "(" and self.peek() not in expr.KEYWORDS:
            return ("call", self.take(), ())
        if own_word(self.peek()) in ALONE and self.tokens[self.at + 1][1] != "(":
            return ("call", self.take(), ())
        return super().named()

    def call(self, name: str) -> Tree:
        """Read the arguments of `name`, which is a keyword, a coordinate, or a function of the grammar."""
        if name == "holds" and not self.inside:
            return self.formula_at()
        if name in ("renamed", "changed", *EDITS) and name not in {*self.coordinates, *self.symbols}:
            raise self.wrong(self.advice(name), self.tokens[self.at - 1][2])
        if self.is_word(name) and not self.inside:
            return self.word(name)
        # A coordinate called like a function, such as ``min``: with one argument it may be the coordinate, so the
        # number of arguments is not checked. With more arguments the function is read, from `start` again.
        if name in expr.ARITY and name in self.coordinates:
            start = self.at
            self.take("(")
            only = self.argument()
            if self.peek() == ")":
                self.take()
                return ("call", name, (only,))
            self.at = start
        return super().call(name)

    def is_word(self, name: str) -> bool:
        """Whether a name, which may have the prefix of a second run, is a keyword here."""
        prefix, kind = parted(name)
        own = name if prefix == OTHER else kind
        return kind in WORDS and not (kind in YIELDING and (own in self.coordinates or own in self.symbols))

    def word(self, name: str) -> Tree:
        """Read the arguments of the keyword `name`: its token or label, then its positions. The first argument of
        ``logit``, which may be a position, is taken for a label where it may be one."""
        begin, (prefix, kind) = self.at - 1, parted(name)
        # No prefix where it changes nothing: both models read the same string, and holds, matches and decoded are
        # about the string as it is typed.
        if (prefix == OTHER and kind in OF_STRING) or (prefix and kind in ("holds", "matches", "decoded")):
            what = "which both models read" if prefix == OTHER else "as it is typed"
            raise self.wrong(f"{kind} is about the string, {what}; write it without {prefix}", self.tokens[begin][2])
        self.take("(")
        arguments: list[Tree] = []
        positions: list[Tree] = []
        if kind not in UNNAMED:
            # A token may be any text, such as "(": so it is matched in the text, and its tokens are skipped.
            match = _GIVEN.match(self.text, self.tokens[self.at][2])
            if match is None and kind != "logit":
                raise self.misused(kind, begin)
            while match is not None and self.tokens[self.at][2] < match.end(1):
                self.at += 1
            arguments += [] if match is None else [("given", match[1])]
        while self.peek() != ")":
            if arguments or positions:
                self.take(",")
            positions.append(self.tree(0))
        self.take(")")
        if len(positions) not in PLACES.get(kind, (0,)):
            raise self.misused(kind, begin)
        return ("call", name, (*arguments, *positions))

    def formula_at(self) -> Tree:
        """Read the arguments of ``holds``: a temporal formula in functional form, and a position."""
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
        """The error for the keyword `kind`, at token number `begin`, with wrong arguments."""
        coordinate_hint = f'; the coordinate {kind} is written "{kind}"(i)' if kind in self.coordinates else ""
        quoted = f'; what is no name is quoted, {kind}("("' if kind not in UNNAMED else ""
        quoted = "; a formula is written as in holds(since(~Q_b, Q_a), i)" if kind == "holds" else quoted
        return self.wrong(f"{kind} takes {WORDS[kind]}{quoted}{coordinate_hint}", self.tokens[begin][2], None)

    def variable(self) -> str:
        """Read the name that a quantifier or sum binds; BadInput for a name that has a meaning already."""
        kind, name, _ = self.tokens[self.at]
        if self.is_word(name) or name in ("n", "w") or (kind == "name" and not expr.valid_name(name)):
            raise self.error(f"binds {name}, which has a meaning" if expr.valid_name(name) else "binds no name")
        return super().variable()


def own_word(name: str) -> str:
    """`name` without the prefix of a second run, ``other.``, ``renamed(..).`` or ``changed(..).``."""
    return parted(name)[1]


def _substituted(tree: Any, old: Tree, new: Tree) -> Any:
    """`tree` with `new` for its part `old`, which is found by identity: an equal part elsewhere stays."""
    if tree is old:
        return new
    return tuple([_substituted(part, old, new) for part in tree]) if isinstance(tree, tuple) else tree


def wrong(text: str, begin: int, part: str, what: str) -> BadInput:
    """The error `what` about a `part` of the statement `text`; the part begins at the character `begin`."""
    if "a number stands" in what and (equated := re.fullmatch(r"\s*(accept|answer\(\w+\))\s*=\s*(.*)", text)):
        return BadInput(MUST, text, f"= compares numbers; write {equated[1]} <-> {equated[2]}")
    return BadInput(MUST, text, f"column {begin + 1}{f', {part!r}' if part else ''}: {what}")


def terms(runs: Runs, by_equations: bool = False) -> list[str]:
    """The values of the statement's leading names on the present string of `runs`, as texts of the grammar.

    A rational number or a number with one square root is written as it is. Any other value is written as the right
    side of its equation, if the run has solved one for it, in which the other values are written in the same way; with
    `by_equations`, every value that has such an equation is. Raises WordsSpent if that takes too much work."""
    return _Writing(runs, by_equations).terms()


def shown(runs: Runs) -> dict[str, dict[int, str]]:
    """The values of the functions, but for the tokens, on the present string of `runs`: by name, then by position, as
    texts."""
    writing = _Writing(runs, False)
    for part in runs.parts:
        writing._find_roots(*part)
    tables = {v: runs.values[v] for v in runs.order if isinstance(runs.values[v], dict) and v not in runs.words_of}
    return {v[1][0]: {i: grammar.show(writing._shown_at(v, i)) for i in table} for v, table in tables.items()}


class _Writing:
    """Writes the values of one run on its present string as terms."""

    def __init__(self, runs: Runs, by_equations: bool) -> None:
        self.runs, self.by_equations = runs, by_equations
        # By (function, place): the radicands of the square roots of which the value is a product (`_find_roots`).
        self.roots = dict(runs.roots)
        self._shown: dict[tuple[Term, int], Term] = {}

    def terms(self) -> list[str]:
        """The values of the leading names, in their order."""
        for part in self.runs.parts:
            self._find_roots(*part)
        return [self._term(v) for v in self.runs.order]

    def _term(self, v: Term) -> str:
        """The value of the name `v`, as text: a number; or a function, written ``j. I[j = 2]*(1/3) + default``, with a
        summand for each position at which its value is not the default."""
        value = self.runs.values[v]
        if not isinstance(value, dict):
            return text(value)
        # `behind` gives the value after the end of the string.
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
        """The term for the value f(i), made once: the value itself or the right side of its equation (see `terms`)."""
        if (f, i) not in self._shown:
            value, equation = self.runs.values[f][i], self.runs.solved.get((f, i))
            if equation is None or (isinstance(value, int | Fraction | Root) and not self.by_equations):
                term = self._rooted_term(f, i, value) if isinstance(value, Root) else written(value)
            else:
                spelled_out = self._written_out(equation, (i,))
                term = min(compact(nf(spelled_out)), spelled_out, key=_node_count)
            self._shown[f, i] = term
        return self._shown[f, i]

    def _written_out(self, t: Term, bound: tuple[int, ...]) -> Term:
        """The part `t` of an equation, with the value of each name in it written out; `bound` has the values of the
        bound integers, the innermost first."""
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
                total = _simplified(
                    "+" if tag == "sum" else "*", None, (total, self._written_out(kids[2], (k, *bound)))
                )
            return total
        return _simplified(tag, data, tuple([self._written_out(k, bound) for k in kids]))

    def _rooted_term(self, f: Term, i: int, value: Root) -> Term:
        """The term for f(i), whose `value` is p + q*sqrt(r). If `roots` has radicands for it, the term has the product
        of their square roots in place of sqrt(r).

        To compare a product of such values with its equation, a checker then needs only sqrt(q)*sqrt(q) = q."""
        chosen = self.roots.get((f, i), ())
        radical = root(prod(chosen))
        if not isinstance(radical, Root) or radical.r != value.r:
            return written(value)
        factors = [written(x) for x in [value.q / radical.q] if x != 1]
        term, *roots = [*factors, *(("fn", "sqrt", (written(q),)) for q in chosen)]
        for factor in roots:
            term = ("*", None, (term, factor))
        return ("+", None, (term, written(value.p))) if value.p else term

    def _find_roots(self, f: Term, part: Term, i: int) -> None:
        """Set `roots` for f(i), whose equation is `part`: radicands whose product has the same root as the value.
        Candidates are the radicands of one value of a function in the equation, those of two such values together, and
        then every selection from the radicands of all of them. If the left side is a product, candidates with more
        radicands come first."""
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


def _simplified(tag: str, data: object, kids: tuple[Term, ...]) -> Term:
    """The term (tag, data, kids), simplified if all kids are numbers, or if one is 0 or 1."""
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


def _node_count(t: Term) -> int:
    """The number of nodes of a term."""
    return sum(1 for _ in subterms(t))
