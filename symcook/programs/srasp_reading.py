"""The reader of S-RASP programs. For text that does not fit the grammar it raises an error with line, column and what
is expected there.

Each definition is a line `name(i) = E`, which continues on the next line while a bracket is open. The last definition
is the output. Operators, weakest first: `|`; `&`; not; comparisons; `+` and `-`; `*` and `/`; the prefixes `-` and `~`.
An expression that begins with if, psum, left or right extends as far as possible. RASP's sequences may be written
without `(i)`, and a selector can be given a name like any other value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.errors import BadInput, unknown
from symcook.present import present
from symcook.programs.formula import foreign
from symcook.programs.reading import (
    DEEPEST,
    as_text,
    header_letters,
    instead_of,
    met,
    parse,
    place_at,
    place_of,
    read_letter,
)
from symcook.programs.srasp import MASKS, TYPES, Constant, Srasp, SraspLines, require_type
from symcook.programs.srasp_grammar import BEGINS, GRAMMAR, JOINS, MIRRORED, SHOWN, WORDS

if TYPE_CHECKING:
    from lark import Lark, Token

SIGNS = {"EQUAL": "=", "OTHER": "!=", "LESS": "<", "MORE": ">", "NOT_LESS": ">=", "NOT_MORE": "<="}
"""The sign of a comparison, by its terminal."""
_MOST_DIGITS = 18
"""The maximum number of digits of a number."""
_OWN = local()
"""The parser and reader of each thread (see `_parser`)."""


class PlacedLine(NamedTuple):
    """An expression that was read: the number of its line; `at`, the positions at which it is evaluated, as a set of
    "i", "j" and "own" (a name without a position), empty for a constant or the length; and its first token."""

    line: int
    at: frozenset[str]
    token: Token


class MapEntry(NamedTuple):
    """An entry of a map: its key (None for else) and its value."""

    key: PlacedLine | None
    value: PlacedLine


def read_srasp(source: str, alphabet: str | Sequence[str] | None = None) -> Srasp:
    """The program written in a text, over `alphabet`. The text may begin with its alphabet instead: `alphabet a b;`.

    Raises BadInput, in one sentence with line and column, if the text is not a program: an unknown letter or name, a
    value of the wrong type, a selection without default, nesting deeper than 1000, `def`, lists.
    """
    source = as_text(source, "a program")
    parser, reader = _parser()
    reader.begin(alphabet)
    parse(parser, source, "a program", partial(_unexpected, reader.names), _strange)
    return reader.program


class _EndTokens:
    """A filter of tokens for lark (`postlex`): line breaks and semicolons between definitions become one END. Inside
    brackets, line breaks are dropped and semicolons stay."""

    always_accept = ("NEWLINE", "SEMICOLON")
    """Read by lark: the terminals that the lexer accepts everywhere."""

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens, with END in place of each line break or semicolon that ends a definition."""
        from lark import Token

        depth, ended = 0, True  # open brackets; whether the last token was an END (no END is needed at the beginning)
        for token in stream:
            depth += (token.type in ("OPEN", "SQUARE")) - (token.type in ("CLOSE", "SQUARED"))
            if token.type == "NEWLINE" or (token.type == "SEMICOLON" and depth <= 0):
                if depth <= 0 and not ended:
                    ended = True
                    yield Token.new_borrow_pos("END", token.value, token)
                continue
            ended = False
            yield token


def _parser() -> tuple[Lark, _SraspReader]:
    """The parser and the reader whose methods it calls for each rule. Each thread has its own pair."""
    from lark import Lark

    if not hasattr(_OWN, "made"):
        reader = _SraspReader()
        rules: Any = {"transformer": _RuleCaller(reader), "maybe_placeholders": False, "postlex": _EndTokens()}
        _OWN.made = Lark(GRAMMAR, parser="lalr", **rules), reader
    return _OWN.made


class _RuleCaller:
    """The transformer for lark: it calls the method of the reader named like the rule, with the parts as arguments."""

    def __init__(self, reader: _SraspReader) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Callable[[list[Any]], object]:
        """The function that lark calls for the rule `name`. AttributeError, which lark expects, if the reader has no
        such method."""
        rule = getattr(self._reader, name)

        def call_rule(parts: list[Any]) -> object:
            """Record the place of the first part, and call the method."""
            self._reader.begins(parts[0] if parts else None)
            return rule(*parts)

        return call_rule


def _unexpected(names: Collection[str], source: str, token: Token, expected: set[str]) -> BadInput:
    """The error for a token that the grammar does not expect. Usual mistakes are recognised first and get advice; for
    any other token the message names what is expected. `names` are the definitions so far."""
    where, found_text = met(source, token)
    lines = source.split("\n")
    before = lines[(token.line or 1) - 1][: (token.column or 1) - 1] if token.type != "$END" else source
    # RASP's own syntax, and other comment signs.
    if found_text == "def" or before.split()[-1:] == ["def"]:
        return BadInput(f"a program must be without def ({where})", "def", "write the body in the place of each call")
    if found_text.startswith("#"):
        return BadInput(f"a remark must begin with // ({where})", found_text, "write // in the place of #")
    if token.type == "IF" and not expected >= BEGINS:
        return BadInput(f"a choice must begin with if ({where})", before.strip(), "write if C then E else E")
    if expected == {"NAME"} and before.rstrip()[-1:] == "(" and "=" not in before:
        return BadInput(f"the position i must stand at {where}", found_text, "write (i) after the name")
    # Inside an open bracket, the message depends on the name before the bracket.
    called = _called("\n".join([*lines[: (token.line or 1) - 1], before]))
    if called == "select" and (token.type == "CLOSE" or expected == set(SIGNS)):
        signs = "== != < <= > >="
        return BadInput(f"select must end with one of {signs} ({where})", found_text, "write select(keys, queries, ==)")
    if called == "aggregate" and token.type == "CLOSE" and "COMMA" in expected:
        must = f"aggregate must be given a selector and values ({where})"
        return BadInput(must, found_text, "write aggregate(selector, values, default)")
    if called in ("in", "tokens", "indices") or called in names:
        return BadInput(f"a position must be i or j ({where})", found_text, f"write {called}(i)")
    if called and called not in WORDS:
        return BadInput(
            f"a function must be one of aggregate, map, select, selector_width ({where})",
            called,
            "write one of these four, or a definition of the program",
        )
    if found_text[:1] == "[" and "SQUARE" not in expected:
        return BadInput(
            f"a program must be without lists ({where})",
            found_text,
            "write a map for a list of cases, or join values by + or &",
        )
    # Signs and keywords of other languages: advise the ones of this language.
    if token.type not in ("END", "$END"):
        remaining = lines[(token.line or 1) - 1][len(before) :]
        do = instead_of(remaining) or instead_of(before[-1:] + remaining)
        if re.match(r"\.\d", remaining) and before[-1:].isdigit():
            do = "write it as a fraction, 3/2 for 1.5"
        if do is not None:
            must = f"a program must consist of the signs and keywords of the language ({where})"
            return BadInput(must, found_text, do)
    if "COLON" in expected and token.type in ("END", "$END", "SQUARED", "CLOSE"):
        return BadInput(
            f"a selection must have a default, V : D ({where})",
            found_text,
            "write a colon and the value where no position is selected, as in left j [j < i] x(j) : 0",
        )
    return BadInput(
        f"{_alternatives(expected, before)} must stand at {where}",
        found_text,
        f"write {_alternatives(expected, before)} in the place of {found_text}",
    )


def _alternatives(expected: set[str], before: str) -> str:
    """What a message says is expected. `expected` has the terminals that the grammar allows, `before` the text of the
    line up to this place."""
    if expected >= BEGINS:
        return "a value"
    if expected == {"NAME"} and before.split()[-1:] and before.split()[-1] in ("psum", "left", "right", "◀", "▶"):
        return "the other position j"
    if expected <= {"NAME", "ALPHABET"}:
        return "a definition, name(i) = E,"
    # Nearly everywhere, either all operators are allowed or none: list them as "an operator".
    terminals = expected if expected <= {"EQUAL"} else expected - JOINS
    alternatives = [SHOWN.get(terminal, terminal.lower()) for terminal in sorted(terminals)]
    return " or ".join(alternatives + ["an operator"] * (len(alternatives) < len(expected)))


def _called(before: str) -> str:
    """The name before the last bracket that is still open at the end of a text, "" if there is none."""
    # Blank out comments and quoted symbols, which may have brackets; then go back to the unmatched "(".
    text = re.sub(r"""//[^\n]*|"([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*'""", " ", before)
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth < 0:
            return re.search(r"\w*$", text[:place].rstrip())[0]  # type: ignore[index]
    return ""


def _strange(source: str, line: int, column: int) -> BadInput:
    """The error for a character that cannot begin a token."""
    remaining = source.split("\n")[line - 1][column - 1 :]
    where = place_of(line, column)
    if remaining[:1] in ("'", '"'):
        return BadInput(f"a symbol in quotes must end on its line ({where})", remaining[:12], "write the second quote")
    if remaining[:1] in ("[", "]", "{", "}"):
        return BadInput(
            f"a program must be without lists ({where})",
            remaining[:1],
            "write a map for a list of cases, or join values by + or &",
        )
    return BadInput(
        f"a program must consist of the signs and keywords of the language ({where})",
        remaining[:1],
        "leave the character out, or put a symbol of the alphabet in quotes",
    )


class _SraspReader:
    """The methods for the rules of the grammar. One reader reads several texts; `begin` starts a new one.

    `names` has the definitions so far, `last` is the number of the last one's line, and `_out` the token of its name.
    """

    def begin(self, alphabet: str | Sequence[str] | None) -> None:
        """Start a new text; `alphabet` is None if the text names its own."""
        self.names: dict[str, PlacedLine] = {}
        self.last = -1
        self._lines = None if alphabet is None else SraspLines(alphabet)

    def begins(self, part: object) -> None:
        """Set the place (line and column of `part`) for lines that are added next; nothing without an alphabet, or if
        `part` has no place."""
        token: Any = part.token if isinstance(part, PlacedLine) else part
        if self._lines is not None and hasattr(token, "column"):
            self._lines.at = token.line or 1, token.column or 1

    @property
    def lines(self) -> SraspLines:
        """The lines so far; BadInput if there is no alphabet yet."""
        if self._lines is None:
            must = "a program must have an alphabet (line 1, column 1)"
            raise BadInput(must, "none", "give --alphabet ab, or begin the text with: alphabet a b;")
        return self._lines

    def header(self, begin: Token, *letters: Token) -> None:
        """`alphabet a b;`: the alphabet of the text. BadInput if another alphabet was given in addition."""
        lines = SraspLines(header_letters(letters, None if self._lines is None else self._lines.alphabet))
        self._lines = lines
        self.begins(begin)

    def definition(self, name: Token, *parts: Token | PlacedLine) -> None:
        """`name(i) = E`: add a definition. BadInput if the name is taken, the value is at j, or nesting is too deep."""
        value = parts[-1]
        if not isinstance(value, PlacedLine):
            raise RuntimeError(f"a PlacedLine is expected here, not {type(value).__name__}")
        if str(name) in WORDS or str(name) in self.names:
            raise BadInput(
                f"a name must be new and no keyword of the language ({place_at(name)})",
                str(name),
                "give the definition another name",
            )
        place = parts[1] if len(parts) > 2 else "i"  # RASP's form has no position: name = E
        if not isinstance(place, PlacedLine) and place != "i":
            must = f"the left side of a definition must have the argument i ({place_at(place)})"
            raise BadInput(must, str(place), f"write {name}(i) = E")
        if "j" in value.at and self.kind(value) != "selector":
            raise BadInput(f"a definition must be at i ({place_at(value.token)})", "a value at j",
                           "take it at j inside of psum, left or right")  # fmt: skip
        if self.lines.deep[value.line] > DEEPEST:
            must = f"operators must be nested at most {DEEPEST} deep ({place_at(value.token)})"
            raise BadInput(
                must, self.lines.deep[value.line], "give parts of the expression names, in definitions of their own"
            )
        self.names[str(name)] = value
        self.last, self._out = value.line, name

    def whole(self, *_: object) -> None:
        """The end of the text: set `program`, whose output is the last definition."""
        named = [(name, term.line) for name, term in self.names.items()]
        try:
            self.program = self.lines.program(named, self.last)
        except BadInput as error:
            raise BadInput(f"{error.must} ({place_at(self._out)})", error.given, error.do) from None

    def kind(self, term: PlacedLine) -> str:
        """The type of a term."""
        return self.lines.types[term.line]

    def _add(self, token: Token, op: str, *reads: int, value: Constant = None) -> int:
        """The number of a new line. An error of its types gets the place of `token`."""
        try:
            return self.lines.add(op, *reads, value=value)
        except BadInput as error:
            raise BadInput(f"{error.must} ({place_at(token)})", error.given, error.do) from None

    def _need(self, what: str, wanted: str, *terms: PlacedLine) -> None:
        """Raise BadInput, with the place, if one of the terms is not of the type `wanted`."""
        for term in terms:
            try:
                require_type(what, [self.kind(term)], wanted)
            except BadInput as error:
                raise BadInput(f"{error.must} ({place_at(term.token)})", error.given, error.do) from None

    def _selector(self, term: PlacedLine) -> int:
        """The line of a condition on pairs, given as a selector or as a truth at i or at j."""
        if self.kind(term) == "selector":
            return term.line
        if self.kind(term) == "truth" and term.at - {"i", "j"}:
            raise BadInput(
                f"a condition on pairs of positions must name i or j for each sequence ({place_at(term.token)})",
                "a name without (i) or (j)",
                "write x(j) or x(i)",
            )
        return self._add(term.token, "query" if term.at == {"i"} else "key", term.line)

    def _together(self, token: Token, *terms: PlacedLine) -> frozenset[str]:
        """The common position of values that an operator combines, as in `PlacedLine.at`. BadInput if they are at
        different positions."""
        at = frozenset().union(*(term.at for term in terms))
        # A name without a position, combined with a value at i, is taken at i.
        at -= {"own"} if "i" in at else set()
        # Only a condition on pairs may have two positions.
        if len(at) > 1 or any(self.kind(term) == "selector" for term in terms):
            selectors = [term for term in terms if self.kind(term) == "selector"]
            if selectors:
                raise BadInput(f"a value must stand here ({place_at(selectors[0].token)})", TYPES["selector"],
                               "take aggregate or selector_width of it")  # fmt: skip
            must = f"the operands of an operator must be at the same position ({place_at(token)})"
            places_text = " and ".join("a name without (i)" if place == "own" else f"({place})" for place in sorted(at))
            raise BadInput(must, places_text, "only x(j) = y(i), joined by & | ~, is about both")
        return at

    def _on_pairs(self, *terms: PlacedLine) -> bool:
        """Whether an operator combines these terms into a condition on pairs of positions."""
        at = frozenset().union(*(term.at for term in terms))
        return any(self.kind(term) == "selector" for term in terms) or {"i", "j"} <= at

    def joined(self, left: PlacedLine, sign: Token, right: PlacedLine) -> PlacedLine:
        """`&` or `|`: a selector if one side is a selector or the sides are at i and j, else a truth."""
        op = sign.type.lower()
        if self._on_pairs(left, right):
            pair = [self._selector(term) for term in (left, right)]
            return PlacedLine(self.lines.add(f"pair {op}", *pair), frozenset("ij"), left.token)
        at = self._together(sign, left, right)
        self._need("&" if op == "and" else "|", "truth", left, right)
        return PlacedLine(self.lines.add(op, left.line, right.line), at, left.token)

    def negation(self, sign: Token, inner: PlacedLine) -> PlacedLine:
        """`~` or `not` of a selector or a truth."""
        if self.kind(inner) == "selector":
            return PlacedLine(self.lines.add("pair not", inner.line), inner.at, sign)
        return PlacedLine(self._add(inner.token, "not", inner.line), inner.at, sign)

    def sign(self, token: Token) -> str:
        """The sign of a comparison."""
        return SIGNS[token.type]

    def comparison(self, left: PlacedLine, sign: str, right: PlacedLine) -> PlacedLine:
        """A comparison: a selector for a value at i against one at j, else a truth at one position."""
        begin = left.token
        self._known(left, right)
        if left.at | right.at == {"i", "j"} and left.at and right.at and left.at != right.at:
            if left.at == {"i"}:  # keys (at j) come first in a selector
                left, sign, right = right, MIRRORED[sign], left
            return PlacedLine(self._add(begin, "select", left.line, right.line, value=sign), frozenset("ij"),
                        begin)  # fmt: skip
        at = self._together(begin, left, right)
        return PlacedLine(self._add(left.token, "compare", left.line, right.line, value=sign), at, left.token)

    def _known(self, *terms: PlacedLine) -> None:
        """Raise BadInput if a value of type letter is compared with a constant letter that it can never be."""
        lines = self.lines
        for term, other in (terms, terms[::-1]):
            line = lines.lines[term.line]
            if line.op == "constant" and isinstance(line.value, str) and self.kind(other) == "letter":
                # A letter outside the alphabet is allowed if the other value can be this letter, or is a constant too.
                possible_letters = dict.fromkeys((*lines.letters[other.line], *lines.alphabet))
                if line.value not in possible_letters and lines.lines[other.line].op != "constant":
                    error = foreign(line.value, list(possible_letters))
                    raise BadInput(f"{error.must} ({place_at(term.token)})", error.given, error.do)

    def added(self, left: PlacedLine, sign: Token, right: PlacedLine) -> PlacedLine:
        """A sum or difference of two numbers at one position."""
        at = self._together(sign, left, right)
        self._need("a sum", "number", left, right)
        second = right.line if sign.type == "PLUS" else self._times(right, Fraction(-1))
        return PlacedLine(self.lines.add("sum", left.line, second), at, left.token)

    def _times(self, term: PlacedLine, factor: Fraction) -> int:
        """The line of a term times a factor. Factors of constants and products are multiplied, so that no line "times"
        reads another one."""
        line = self.lines.lines[term.line]
        if line.op == "constant" and isinstance(line.value, Fraction):
            return self.lines.constant(line.value * factor)
        if line.op == "times":
            factor, inner = factor * line.value, line.reads[0]
            return inner if factor == 1 else self.lines.add("times", inner, value=factor)
        return self._add(term.token, "times", term.line, value=factor)

    def multiplied(self, left: PlacedLine, sign: Token, right: PlacedLine) -> PlacedLine:
        """A product or quotient at one position: a line "times" if one side is constant, else "product"."""
        at = self._together(sign, left, right)
        self._need("a product", "number", left, right)
        left_number, right_number = self._number(left), self._number(right)
        if sign.type == "OVER":
            if not right_number:
                must = f"a number must be divided by a whole number that is not 0 ({place_at(right.token)})"
                raise BadInput(
                    must,
                    "0" if right_number == 0 else "another value",
                    "write a whole number such as 2, or a fraction such as 3/2",
                )
            return PlacedLine(self._times(left, 1 / right_number), at, left.token)
        if right_number is not None:
            return PlacedLine(self._times(left, right_number), at, left.token)
        if left_number is not None:
            return PlacedLine(self._times(right, left_number), at, left.token)
        return PlacedLine(self.lines.add("product", left.line, right.line), at, left.token)

    def _number(self, term: PlacedLine) -> Fraction | None:
        """The number of a constant term, else None."""
        line = self.lines.lines[term.line]
        return line.value if line.op == "constant" and isinstance(line.value, Fraction) else None

    def minus(self, sign: Token, inner: PlacedLine) -> PlacedLine:
        """`-E`."""
        return PlacedLine(self._times(inner, Fraction(-1)), inner.at, sign)

    def choice(
        self, begin: Token, test: PlacedLine, _: Token, then: PlacedLine, _else: Token, other: PlacedLine
    ) -> PlacedLine:
        """`if C then E else E`."""
        at = self._together(begin, test, then, other)
        return PlacedLine(self._add(begin, "if", test.line, then.line, other.line), at, begin)

    def mask(self, *parts: Token | str) -> str:
        """The mask of `[j <= i]` and the like, which may be written with i first; "none" for `[true]`."""
        if len(parts) == 1:
            return "none"
        left_name, sign, right_name = map(str, parts)
        if (left_name, right_name) == ("i", "j"):  # exchange the sides, so that j is on the left
            left_name, sign, right_name = "j", MIRRORED[sign], "i"
        text = f"{left_name} {sign} {right_name}"
        if text not in MASKS:
            where = place_at(parts[0])  # type: ignore[arg-type]
            raise BadInput(f"a mask must be one of {', '.join(MASKS)} ({where})", text, "write for example [j <= i]")
        return MASKS[text]

    def _bound(self, token: Token) -> None:
        """Raise BadInput if the bound position of psum, left or right is not called j."""
        if str(token) != "j":
            raise BadInput(
                f"the other position must be called j ({place_at(token)})",
                str(token),
                f"write j in the place of {token}",
            )

    def prefix_sum(
        self, begin: Token, bound_name: Token, _: Token, mask: str, _end: Token, value: PlacedLine
    ) -> PlacedLine:
        """`psum j [mask] E`: the number at i that is the sum of E over the positions j that the mask allows."""
        self._bound(bound_name)
        if mask == "none":
            raise BadInput(
                f"the positions of a psum must be compared with i ({place_at(begin)})", "true", "write [j <= i]"
            )
        if value.at - {"j"}:
            place_text = "a name without (j)" if "own" in value.at else "a value at i"
            raise BadInput(f"the term that a psum adds up must be a value at j ({place_at(value.token)})", place_text,
                           "write x(j), and brackets around a psum that is part of a sum")  # fmt: skip
        return PlacedLine(self._add(value.token, "psum", value.line, value=mask), frozenset("i"), begin)

    def nearest(self, begin: Token, bound_name: Token, _: Token, mask: str, *parts: Token | PlacedLine) -> PlacedLine:
        """`left` or `right j [mask, conditions] V : D`: V at the first or last position j that the mask and all
        conditions select, else D."""
        self._bound(bound_name)
        *conditions, value, default = (part for part in parts if isinstance(part, PlacedLine))
        # Without conditions the selector is always true; several conditions are joined by "and".
        pairs = [self._selector(condition) for condition in conditions] or [
            self._add(begin, "key", self.lines.constant(True))
        ]
        pair = pairs[0]
        for condition in pairs[1:]:
            pair = self.lines.add("pair and", pair, condition)
        # The value is evaluated at j, the position that is selected; the default at i.
        for what, term, place in (("value", value, "j"), ("default", default, "i")):
            if term.at - {place}:
                place_text = "a name without (i) or (j)" if "own" in term.at else f"at {', '.join(sorted(term.at))}"
                raise BadInput(
                    f"the {what} of a selection must be at {place} ({place_at(term.token)})",
                    place_text,
                    f"write (i) or (j) after each name of the {what}, here ({place})",
                )
        op = begin.type.lower()
        line = self._add(value.token, op, pair, value.line, default.line, value=mask)
        return PlacedLine(line, frozenset("i"), begin)

    def inner(self, _: Token, value: PlacedLine, _end: Token) -> PlacedLine:
        """`(E)`."""
        return value

    def integer(self, token: Token) -> PlacedLine:
        """A number constant."""
        if len(token) > _MOST_DIGITS:
            raise BadInput(
                f"a number must have at most {_MOST_DIGITS} digits ({place_at(token)})",
                f"{len(token)} digits",
                "write a shorter number, or a product of shorter ones",
            )
        return PlacedLine(self.lines.constant(Fraction(int(token))), frozenset(), token)

    def letter(self, token: Token) -> PlacedLine:
        """A letter in quotes."""
        letter = read_letter(token)
        if letter.split() != [letter] or not letter.isprintable():
            raise BadInput(
                f"a symbol must be printable text without spaces ({place_at(token)})",
                letter,
                "give the symbol another name",
            )
        return PlacedLine(self.lines.constant(letter), frozenset(), token)

    def constant(self, token: Token) -> PlacedLine:
        """`true` or `false`."""
        return PlacedLine(self.lines.constant(token.type == "TRUE"), frozenset(), token)

    def bare(self, name: Token) -> PlacedLine:
        """A name without a position."""
        return self._named(name, None)

    def placed(self, name: Token, _: Token, place: Token, _end: Token) -> PlacedLine:
        """A name at a position: `x(i)` or `x(j)`."""
        if str(place) not in ("i", "j"):
            raise BadInput(
                f"a position must be i or j ({place_at(place)})", str(place), f"write i or j in the place of {place}"
            )
        return self._named(name, str(place))

    def _named(self, token: Token, place: str | None) -> PlacedLine:
        """The line of a name, a built-in sequence or a definition; `place` is None for a name without a position."""
        name = str(token)
        at = frozenset((place or "own",))
        if name in ("in", "tokens"):
            return PlacedLine(self.lines.add("in"), at, token)
        if name in ("indices", "length"):
            return PlacedLine(self.lines.add(name), frozenset() if name == "length" else at, token)
        if name == "def":
            raise BadInput(
                f"a program must be without def ({place_at(token)})", name, "write the body in the place of each call"
            )
        if name not in self.names:
            suggestion = unknown("name", name, [*self.names, "in"])
            do = f'define {name}(i) before; a symbol has quotes, like "{name}"'
            raise BadInput(f"a name must be defined before it is used ({place_at(token)})", suggestion.given, do)
        term = self.names[name]
        if self.kind(term) == "selector" and place == "j":  # x(j) = y(i) at j would be x(j) = y(j)
            must = f"a selector, which is about j and i, must be named without (j) ({place_at(token)})"
            raise BadInput(must, f"{name}(j)", f"write {name}")
        if self.kind(term) == "selector" or not term.at:  # a selector is at both positions, a constant at none
            return PlacedLine(term.line, term.at, token)
        return PlacedLine(term.line, at, token)

    def entry(self, *parts: Token | PlacedLine) -> MapEntry:
        """An entry of a map: a letter, number, truth or else, and its value."""
        *tokens, _, value = parts
        if not isinstance(value, PlacedLine):
            raise RuntimeError(f"a PlacedLine is expected here, not {type(value).__name__}")
        token: Any = tokens[-1]
        if token.type == "ELSE":
            return MapEntry(None, value)
        key = {"QUOTED": self.letter, "INTEGER": self.integer}.get(token.type, self.constant)(token)
        if len(tokens) > 1:  # a minus
            key = key._replace(line=self._times(key, Fraction(-1)))
        return MapEntry(key, value)

    def mapped(self, begin: Token, _: Token, value: PlacedLine, *parts: Token | MapEntry) -> PlacedLine:
        """`map(V; key: E, ...)` as nested choices: E of the first key that V equals, the last entry's value for all
        others."""
        entries = [part for part in parts if isinstance(part, MapEntry)]
        at = self._together(begin, value, *(entry.value for entry in entries))
        lines = self.lines
        keys = [entry.key for entry in entries if entry.key is not None]
        # Each key once, "else" last, and no key that the value can never have.
        if any(entry.key is None for entry in entries[:-1]):
            raise BadInput(
                f"else must stand last in a map ({place_at(begin)})",
                "else before another entry",
                "write the entry with else at the end",
            )
        # The last key too, which needs no test; 0 and 1 are no truth values.
        self._need("the key of a map", self.kind(value), *keys)
        key_values = {lines.lines[key.line].value for key in keys}
        if len(key_values) < len(keys):
            raise BadInput(
                f"a map must have each key once ({place_at(begin)})",
                "a repeated key",
                "leave one of its two values out",
            )
        for key in keys:
            self._known(value, key)
        # Without "else" the keys must be all possible values, and these are not listed for a number.
        possible = {"letter": set(lines.letters[value.line]), "truth": {True, False}}.get(self.kind(value))
        if entries[-1].key is not None and (possible is None or not possible <= key_values):
            missing = "numbers" if possible is None else " ".join(map(str, sorted(possible - key_values)))
            raise BadInput(f"a map must have a value for every symbol ({place_at(begin)})", f"none for {missing}",
                           "end it with else: E")  # fmt: skip
        # From the last entry, which needs no test, to the first.
        result = entries[-1].value.line
        for key, entry in reversed(entries[:-1]):
            key = present(key)
            test = self._add(key.token, "compare", value.line, key.line, value="=")
            result = self._add(entry.token, "if", test, entry.line, result)
        return PlacedLine(result, at, begin)

    def _sequence(self, term: PlacedLine, place: str, what: str) -> int:
        """The line of an argument of a RASP function: a name without a position, or a value at i or at `place`."""
        if self.kind(term) == "selector" or len(term.at) > 1 or not term.at <= {"own", "i", place}:
            raise BadInput(
                f"{what} must be a sequence ({place_at(term.token)})", TYPES[self.kind(term)], "write its name"
            )
        return term.line

    def select(
        self, begin: Token, _: Token, keys: PlacedLine, _1: Token, queries: PlacedLine, _2: Token, sign: str, _3: Token
    ) -> PlacedLine:
        """`select(keys, queries, sign)`: the selector of pairs (j, i) with keys(j) sign queries(i)."""
        self._known(keys, queries)
        pair = (self._sequence(keys, "j", "the keys of select"), self._sequence(queries, "i", "the queries of select"))
        return PlacedLine(self._add(begin, "select", *pair, value=sign), frozenset("ij"), begin)

    def aggregate(self, begin: Token, *parts: Token | PlacedLine) -> PlacedLine:
        """`aggregate(selector, values, default)` at each position; without a default, ? for letters and 0 for
        numbers."""
        pair, value, *defaults = (part for part in parts if isinstance(part, PlacedLine))
        reads = (self._selector(pair), self._sequence(value, "j", "what is aggregated"))
        default = [self._sequence(default_value, "i", "the default of an aggregate") for default_value in defaults]
        line = self._add(begin, "aggregate", *reads, *(default or [self.lines.nothing(reads[1])]))
        return PlacedLine(line, frozenset(("own",)), begin)

    def width(self, begin: Token, _: Token, pair: PlacedLine, _end: Token) -> PlacedLine:
        """`selector_width(selector)`."""
        return PlacedLine(self._add(begin, "width", self._selector(pair)), frozenset(("own",)), begin)
