"""The sentence of an own claim: its reader, what its names mean, and the formula over the run that it makes.

A sentence is a formula of the grammar in which, besides, a name may be quoted (``"odd"(i)`` is the coordinate odd) and
may say after which layer a value is meant: ``v(i)`` is the last value of the coordinate v, the one that ``symcook run``
shows, ``v@0(i)`` that of the embedding, ``v@1(i)`` that after layer 1 and ``v@1.attention(i)`` that after its
attention. ``accept``, ``answer``, ``at``, ``count``, ``first`` and ``last`` are words (`WORDS`).

No name means two things. A coordinate that is called like something of the language gets another name in the statement;
in the sentence it is quoted, and where it is not and both readings would fit, the sentence is refused. Every part of
what is read knows where it stands, so that errors show the sentence itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from symcook.errors import BadInput
from symcook.model import expr
from symcook.model.expr import Tree

MUST = "a sentence must be a formula over the model's run"
WORDS = {
    "accept": "no name, and a position where the readout looks at each",
    "answer": "a label, and a position where the readout looks at each",
    "at": "a token and a position",
    **dict.fromkeys(("count", "first", "last"), "one name"),
}
"""The words of a sentence with what they take."""
_PLACES = {"accept": (0, 1), "answer": (0, 1), "at": (1,)}  # how many positions a word takes; the others take none

_SIGNS = {"=>": "->", "<=>": "<->", "==": "=", "&&": "&", "||": "|", "!": "~", "**": "^", "=<": "<=", "<>": "!="}
_SIGNS |= {"⇒": "->", "→": "->", "⇔": "<->", "↔": "<->", "∧": "&", "∨": "|", "¬": "~", "≤": "<=", "≥": ">="}
_SIGNS |= {"≠": "!=", "∀": "all", "∃": "ex", "−": "-", "·": "*", "×": "*", "%": ""}
_ALIKE = {"iff": "<->", "implies": "->", "then": "->", "and": "&", "or": "|", "not": "~", "len": "n", "length": "n"}
_ALIKE |= {"forall": "all i in 1..n.", "every": "all i in 1..n.", "exists": "ex i in 1..n."}
_REMAINDER = "there is no remainder here: write odd(a), or ex m:Int. a = 3*m + 1"
HINTS = {theirs: f"write {ours} for {theirs}" for theirs, ours in {**_SIGNS, **_ALIKE}.items()}
HINTS |= {"%": _REMAINDER, "mod": _REMAINDER, "floor": "there is no floor here: name it, ex m:Int. m <= a & a < m + 1"}

_QUOTED = r""""[^"]*"|'[^']*'"""
_FOREIGN = "|".join([r"!(?!=)", *(re.escape(s) for s in sorted(_SIGNS, key=len, reverse=True) if s != "!")])
_TOKEN = re.compile(
    rf"\s*(?:(?P<foreign>{_FOREIGN})|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    rf"|(?P<name>(?:{_QUOTED}|[^\W\d]\w*)(?:@[0-9]+(?:\.[a-z]+)?)?)"
    r"|(?P<op><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>$))"
)
_GIVEN = re.compile(rf"\s*({_QUOTED}|\w+)\s*(?=[,)])")
"""What a word is given: a token or label, quoted or not."""


class Reader(expr.Reader):
    """The sentence's own reader: quoted names, layers, and words, whose trees are calls of ``("given", text)``."""

    def __init__(self, text: str, coordinates: Collection[str]) -> None:
        if len(text) > expr.MAX_TEXT:
            raise BadInput(f"a sentence must have at most {expr.MAX_TEXT} characters", f"{len(text)} characters")
        self.text, self.coordinates = text, coordinates
        self.spans: dict[int, tuple[Tree, int, int]] = {}  # by identity: the tree, which is kept, and where it stands
        self.tokens, self.at, self.level, place = [], 0, 0, 0
        while not self.tokens or self.tokens[-1][0] != "end":
            found = _TOKEN.match(text, place)
            spot = len(text) - len(text[place:].lstrip())
            if found is None or found.lastgroup is None or not found[0].isprintable():
                raise self.wrong("no sentence has this sign", spot)
            if found.lastgroup == "foreign":
                raise self.wrong(HINTS[found["foreign"]], spot)
            self.tokens.append((found.lastgroup, found[found.lastgroup], spot))
            place = found.end()

    def whole(self) -> Tree:
        try:
            return super().whole()
        except BadInput as error:
            if error.must == MUST:
                raise
            raise wrong(self.text, 0, "", "; ".join(filter(None, (error.must, error.do)))) from None

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
        return self.wrong(f"it {what}" + (f"; {hint}" if hint else ""), spot)

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
        return self.joined(left, super().binary(left, op))

    def chain(self, left: Tree) -> Tree:
        return self.joined(left, super().chain(left))

    def joined(self, left: Tree, made: Tree) -> Tree:
        _, value, last = self.tokens[self.at - 1]
        begin = self.spans[id(left)][1]
        self.spans[id(made)] = (made, begin, last + len(value))
        return made

    def prefix(self, power: int) -> Tree:
        begin = self.at
        return self.mark(super().prefix(power), begin)

    # Names.

    def named(self) -> Tree:
        if self.peek() == "accept" and self.tokens[self.at + 1][1] != "(":
            self.take()
            return ("call", "accept", ())
        return super().named()

    def call(self, name: str) -> Tree:
        if name in WORDS:
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

    def word(self, kind: str) -> Tree:
        """A word with its token or label, and its position."""
        begin = self.at - 1
        self.take("(")
        given: list[Tree] = []
        places: list[Tree] = []
        if kind != "accept":
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
        if len(places) not in _PLACES.get(kind, (0,)):
            raise self.misused(kind, begin)
        return ("call", kind, (*given, *places))

    def misused(self, kind: str, begin: int) -> BadInput:
        """The error of a word that is given something else."""
        own = f'; the coordinate {kind} is written "{kind}"(i)' if kind in self.coordinates else ""
        quoted = f'; what is no name is quoted, {kind}("("' if kind != "accept" else ""
        return self.wrong(f"{kind} takes {WORDS[kind]}{quoted}{own}", self.tokens[begin][2], None)

    def variable(self) -> str:
        _, name, _ = self.tokens[self.at]
        if name in WORDS or name in ("n", "w") or (self.tokens[self.at][0] == "name" and not expr.valid_name(name)):
            raise self.error(f"binds {name}, which is a word of its own" if expr.valid_name(name) else "binds no name")
        return super().variable()


def wrong(text: str, begin: int, part: str, what: str) -> BadInput:
    """The error about a part of a sentence that begins at a character."""
    return BadInput(MUST, text, f"column {begin + 1}{f', {part!r}' if part else ''}: {what}")
