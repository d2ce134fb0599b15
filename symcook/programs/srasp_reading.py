"""S-RASP programs as text, read by a grammar: what is not one is refused with line, column and what could stand there.

One definition a line, `name(i) = E`; a line goes on inside of brackets, and the last is what is put out. From the
weakest: `|`; `&`; not; comparisons; `+` and `-`; `*`; `-` and `~` in front. What begins with if, psum, left or right
goes on as far as it can. RASP's sequences may be written without `(i)`, and its selectors have names like the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.errors import BadInput, unknown
from symcook.programs.reading import DEEPEST, check_depth, read_letter
from symcook.programs.srasp import MASKS, TYPES, Srasp, SraspLines

if TYPE_CHECKING:
    from lark import Lark, Token

GRAMMAR = r"""
start: [header END] definition (END definition)* [END] -> whole
header: ALPHABET (WORD | QUOTED)+
definition: NAME [OPEN NAME CLOSE] EQUAL expr
?expr: both | expr OR both -> joined
?both: negated | both AND negated -> joined
?negated: compared | NOT negated -> negation
?compared: total | total sign total -> comparison
?total: factor | total (PLUS | MINUS) factor -> added
?factor: unary | factor (TIMES | OVER) unary -> multiplied
?unary: atom | MINUS unary -> minus | TILDE unary -> negation
    | IF expr THEN expr ELSE expr -> choice
    | PSUM NAME SQUARE mask SQUARED expr -> prefix_sum
    | (LEFT | RIGHT) NAME SQUARE mask (COMMA expr)* SQUARED expr COLON expr -> nearest
?atom: OPEN expr CLOSE -> inner
    | INTEGER -> integer | QUOTED -> letter | (TRUE | FALSE) -> constant
    | NAME -> bare | NAME OPEN NAME CLOSE -> placed
    | MAP OPEN expr SEMICOLON entry (COMMA entry)* [COMMA] CLOSE -> mapped
    | SELECT OPEN expr COMMA expr COMMA sign CLOSE -> select
    | AGGREGATE OPEN expr COMMA expr COMMA expr CLOSE -> aggregate
    | WIDTH OPEN expr CLOSE -> width
entry: (QUOTED | INTEGER | MINUS INTEGER | TRUE | FALSE | ELSE) COLON expr
mask: TRUE | NAME sign NAME
sign: EQUAL | OTHER | LESS | MORE | NOT_LESS | NOT_MORE
ALPHABET.3: /alphabet\b/
IF.3: /if\b/
THEN.3: /then\b/
ELSE.3: /else\b/
PSUM.3: /psum\b/
LEFT.3: /left\b/ | "◀"
RIGHT.3: /right\b/ | "▶"
MAP.3: /map\b/
SELECT.3: /select\b/
AGGREGATE.3: /aggregate\b/
WIDTH.3: /selector_width\b/
TRUE.3: /true\b/ | "⊤"
FALSE.3: /false\b/ | "⊥"
OR.3: "|" | "∨" | /or\b/
AND.3: "&" | "∧" | /and\b/
NOT.3: /not\b/
TILDE: "~" | "¬"
EQUAL: "==" | "="
OTHER: "!=" | "≠"
LESS: "<"
MORE: ">"
NOT_LESS: ">=" | "≥"
NOT_MORE: "<=" | "≤"
PLUS: "+"
MINUS: "-"
TIMES: "*"
OVER: "/"
OPEN: "("
CLOSE: ")"
SQUARE: "["
SQUARED: "]"
COMMA: ","
COLON: ":"
SEMICOLON: ";"
INTEGER: /[0-9]+/
NAME: /[A-Za-z][A-Za-z0-9_]*/
WORD: /[^\s;"{},=]+/
QUOTED: /"([^"\\\n]|\\.)*"/ | /'([^'\\\n]|\\.)*'/
NEWLINE: /\n/
COMMENT: /\/\/[^\n]*/
%declare END
%ignore /[ \t\r\f]+/
%ignore COMMENT
"""
WORDS = frozenset((
    "alphabet", "if", "then", "else", "psum", "left", "right", "map", "select", "aggregate", "selector_width", "true",
    "false", "and", "or", "not", "in", "tokens", "indices", "length", "i", "j", "def",
))  # fmt: skip
"""The words of the language, which are no names."""
SHOWN = {
    "IF": "if", "THEN": "then", "ELSE": "else", "OR": "|", "AND": "&", "NOT": "not", "TILDE": "~", "EQUAL": "=",
    "OTHER": "!=", "LESS": "<", "MORE": ">", "NOT_LESS": ">=", "NOT_MORE": "<=", "PLUS": "+", "MINUS": "-",
    "TIMES": "*", "OVER": "/", "OPEN": "(", "CLOSE": ")", "SQUARE": "[", "SQUARED": "]", "COMMA": ",", "COLON": ":",
    "SEMICOLON": ";", "INTEGER": "a number", "NAME": "a name", "WORD": "a letter", "QUOTED": 'a letter like "a"',
    "END": "the end of the line", "$END": "the end", "TRUE": "true", "FALSE": "false",
}  # fmt: skip
_VALUE = {"INTEGER", "QUOTED", "NAME", "OPEN", "PSUM"}
"""Terminals that may stand, all together, where a value begins."""
_JOINS = frozenset(("OR", "AND", "EQUAL", "OTHER", "LESS", "MORE", "NOT_LESS", "NOT_MORE", "PLUS", "MINUS", "TIMES",
                    "OVER"))  # fmt: skip
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
SIGNS = {"EQUAL": "=", "OTHER": "!=", "LESS": "<", "MORE": ">", "NOT_LESS": ">=", "NOT_MORE": "<="}
_MOST_DIGITS = 18


class PlacedLine(NamedTuple):
    """A line, and at which positions it is taken: "i", "j", "own" where that is not written; nowhere where it is the
    same everywhere. `token` begins it."""

    line: int
    at: frozenset[str]
    token: Any


def read_srasp(source: str, alphabet: str | Sequence[str] | None = None) -> Srasp:
    """The program that a text writes, over `alphabet`, which the text may name itself: `alphabet a b;` in front.

    Raises BadInput, in one sentence with line and column, for whatever is no program: an unknown letter or name, a
    value used as another type, a selection without default, nesting deeper than 1000, `def`, lists.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

    if not isinstance(source, str):
        raise BadInput("a program must be text", type(source).__name__)
    check_depth(source)
    parser, reader = _parser()
    reader.begin(alphabet)
    try:
        parser.parse(source)
    except UnexpectedToken as error:
        raise _unexpected(source, error.token, set(error.accepts or error.expected)) from None
    except UnexpectedCharacters as error:
        raise _strange(source, error.line, error.column) from None
    except UnexpectedInput as error:
        raise BadInput("a program must be complete", str(error).splitlines()[0]) from None
    except VisitError as error:  # raised by a reader of ours
        raise error.orig_exc from None
    return reader.program


class _Lines:
    """Ends of lines as ends of definitions: one between two, none inside of brackets."""

    always_accept = ("NEWLINE", "SEMICOLON")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        from lark import Token

        depth, ended = 0, True
        for token in stream:
            depth += (token.type in ("OPEN", "SQUARE")) - (token.type in ("CLOSE", "SQUARED"))
            if token.type == "NEWLINE" or (token.type == "SEMICOLON" and depth <= 0):
                if depth <= 0 and not ended:
                    ended = True
                    yield Token.new_borrow_pos("END", token.value, token)
                continue
            ended = False
            yield token


@cache
def _parser() -> tuple[Lark, _SraspReader]:
    from lark import Lark

    reader = _SraspReader()
    rules: Any = {"parser": "lalr", "transformer": reader, "maybe_placeholders": False, "postlex": _Lines()}
    return Lark(GRAMMAR, **rules), reader


def _place(line: int | None, column: int | None) -> str:
    return f"line {line or 1}, column {column or 1}"


def _at(token: Any) -> str:
    return _place(token.line, token.column)


def _unexpected(source: str, token: Token, expected: set[str]) -> BadInput:
    if token.type == "$END":
        lines = source.rstrip().split("\n")
        where, given = _place(len(lines), len(lines[-1]) + 1), "the end"
    else:
        where, given = _at(token), "the end of the line" if token.type == "END" else str(token)
    before = source.split("\n")[(token.line or 1) - 1][: (token.column or 1) - 1] if token.type != "$END" else source
    if given == "def" or before.split()[-1:] == ["def"]:
        return BadInput(f"a program must be without def ({where})", "def", "write each definition out")
    if given == "[" and "SQUARE" not in expected:
        return BadInput(f"a program must be without lists ({where})", given)
    if "COLON" in expected and token.type in ("END", "$END", "SQUARED", "CLOSE"):
        return BadInput(f"a selection must have a default, V : D ({where})", given)
    if expected >= _VALUE:
        what = "a value"
    elif expected <= {"NAME", "ALPHABET"}:
        what = "a definition, name(i) = E,"
    else:
        named = expected if expected <= {"EQUAL"} else expected - _JOINS
        shown = [SHOWN.get(one, one.lower()) for one in sorted(named)]
        what = " or ".join(shown + ["an operator"] * (len(shown) < len(expected)))
    return BadInput(f"{what} must stand at {where}", given)


def _strange(source: str, line: int, column: int) -> BadInput:
    rest = source.split("\n")[line - 1][column - 1 :]
    where = _place(line, column)
    if rest[:1] in ("'", '"'):
        return BadInput(f"a letter in quotes must end on its line ({where})", rest[:12])
    if rest[:1] in ("[", "]", "{", "}"):
        return BadInput(f"a program must be without lists ({where})", rest[:1])
    return BadInput(f"a program must be written in its signs and words ({where})", rest[:1])


class _SraspReader:
    """What each rule of the grammar makes. One text after the other (`begin`)."""

    def begin(self, alphabet: str | Sequence[str] | None) -> None:
        """Forget the text before; the alphabet if it is given beside the text."""
        self.names: dict[str, PlacedLine] = {}
        self.last = -1
        self._lines = None if alphabet is None else SraspLines(alphabet)

    @property
    def lines(self) -> SraspLines:
        if self._lines is None:
            must = "a program must have an alphabet"
            raise BadInput(must, "none", "give --alphabet ab, or begin the text with: alphabet a b;")
        return self._lines

    def header(self, parts: list[Token]) -> None:
        own = SraspLines([read_letter(part) for part in parts[1:]])
        if self._lines is not None and self._lines.alphabet != own.alphabet:
            both = f"{' '.join(self._lines.alphabet)} and {' '.join(own.alphabet)}"
            raise BadInput("an alphabet must be given once", both)
        self._lines = own

    def definition(self, parts: list[Any]) -> None:
        name, value = parts[0], parts[-1]
        if str(name) in WORDS or str(name) in self.names:
            raise BadInput(f"a name must be new and no word of the language ({_at(name)})", str(name))
        if len(parts) > 3 and str(parts[2]) != "i":
            raise BadInput(f"what is defined must be at i ({_at(parts[2])})", str(parts[2]), f"write {name}(i) = E")
        if "j" in value.at and self.kind(value) != "selector":
            raise BadInput(f"a definition must be at i ({_at(value.token)})", "a value at j",
                           "take it at j inside of psum, left or right")  # fmt: skip
        if self.lines.deep[value.line] > DEEPEST:
            must = f"operators must stand at most {DEEPEST} deep inside of one another"
            raise BadInput(must, self.lines.deep[value.line])
        self.names[str(name)] = value
        self.last = value.line

    def whole(self, parts: list[Any]) -> None:
        named = [(name, term.line) for name, term in self.names.items()]
        self.program = self.lines.program(named, self.last)

    def kind(self, term: PlacedLine) -> str:
        """The type of a term."""
        return self.lines.types[term.line]

    def _add(self, token: Any, op: str, *reads: int, value: Any = None) -> int:
        """A line; what does not fit is refused with the place."""
        try:
            return self.lines.add(op, *reads, value=value)
        except BadInput as error:
            raise BadInput(f"{error.must} ({_at(token)})", error.given, error.do) from None

    def _selector(self, term: PlacedLine) -> int:
        """A condition on pairs: a selector, or a truth at one position."""
        if self.kind(term) == "selector":
            return term.line
        if self.kind(term) == "truth" and term.at - {"i", "j"}:
            raise BadInput(f"a condition on pairs must say where ({_at(term.token)})", "a name without (i) or (j)",
                           "write x(j) or x(i)")  # fmt: skip
        return self._add(term.token, "query" if term.at == {"i"} else "key", term.line)

    def _together(self, token: Any, *terms: PlacedLine) -> frozenset[str]:
        """Where values are that are taken at one position; BadInput where they are at several."""
        at = frozenset().union(*(term.at for term in terms))
        at -= {"own"} if "i" in at else set()
        if len(at) > 1 or any(self.kind(term) == "selector" for term in terms):
            selectors = [term for term in terms if self.kind(term) == "selector"]
            if selectors:
                raise BadInput(f"a value must stand here ({_at(selectors[0].token)})", TYPES["selector"],
                               "take aggregate or selector_width of it")  # fmt: skip
            must = f"what is joined must be at one position ({_at(token)})"
            given = " and ".join("a name without (i)" if one == "own" else f"({one})" for one in sorted(at))
            raise BadInput(must, given, "only x(j) = y(i), joined by & | ~, is about both")
        return at

    def _on_pairs(self, *terms: PlacedLine) -> bool:
        at = frozenset().union(*(term.at for term in terms))
        return any(self.kind(term) == "selector" for term in terms) or {"i", "j"} <= at

    def joined(self, parts: list[Any]) -> PlacedLine:
        left, sign, right = parts
        op = sign.type.lower()
        if self._on_pairs(left, right):
            pair = [self._selector(one) for one in (left, right)]
            return PlacedLine(self.lines.add(f"pair {op}", *pair), frozenset("ij"), left.token)
        at = self._together(sign, left, right)
        return PlacedLine(self._add(left.token, op, left.line, right.line), at, left.token)

    def negation(self, parts: list[Any]) -> PlacedLine:
        sign, inner = parts
        if self.kind(inner) == "selector":
            return PlacedLine(self.lines.add("pair not", inner.line), inner.at, sign)
        return PlacedLine(self._add(inner.token, "not", inner.line), inner.at, sign)

    def sign(self, parts: list[Token]) -> str:
        return SIGNS[parts[0].type]

    def comparison(self, parts: list[Any]) -> PlacedLine:
        left, sign, right = parts
        self._known(left, right)
        if left.at | right.at == {"i", "j"} and left.at and right.at and left.at != right.at:
            if left.at == {"i"}:
                left, sign, right = right, _MIRRORED[sign], left
            return PlacedLine(self._add(parts[0].token, "select", left.line, right.line, value=sign), frozenset("ij"),
                        parts[0].token)  # fmt: skip
        at = self._together(parts[0].token, left, right)
        return PlacedLine(self._add(left.token, "compare", left.line, right.line, value=sign), at, left.token)

    def _known(self, *terms: PlacedLine) -> None:
        """BadInput where a letter is compared with one that it can never be."""
        lines = self.lines
        for term, other in (terms, terms[::-1]):
            line = lines.lines[term.line]
            if line.op == "constant" and isinstance(line.value, str) and self.kind(other) == "letter":
                known = dict.fromkeys((*lines.letters[other.line], *lines.alphabet))
                if line.value not in known and lines.lines[other.line].op != "constant":
                    error = unknown("letter of the alphabet", line.value, list(known))
                    raise BadInput(f"{error.must} ({_at(term.token)})", error.given, error.do)

    def added(self, parts: list[Any]) -> PlacedLine:
        left, sign, right = parts
        at = self._together(sign, left, right)
        second = right.line if sign.type == "PLUS" else self._times(right, Fraction(-1))
        return PlacedLine(self._add(left.token, "sum", left.line, second), at, left.token)

    def _times(self, term: PlacedLine, factor: Fraction) -> int:
        line = self.lines.lines[term.line]
        if line.op == "constant" and isinstance(line.value, Fraction):
            return self.lines.constant(line.value * factor)
        if line.op == "times":
            factor, inner = factor * line.value, line.reads[0]
            return inner if factor == 1 else self.lines.add("times", inner, value=factor)
        return self._add(term.token, "times", term.line, value=factor)

    def multiplied(self, parts: list[Any]) -> PlacedLine:
        left, sign, right = parts
        at = self._together(sign, left, right)
        constants = [self.lines.lines[one.line].value for one in (left, right)]
        numbers = [value if isinstance(value, Fraction) and self.lines.lines[one.line].op == "constant" else None
                   for value, one in zip(constants, (left, right), strict=True)]  # fmt: skip
        if sign.type == "OVER":
            if not numbers[1]:
                must = f"a number must be divided by a whole number that is not 0 ({_at(right.token)})"
                raise BadInput(must, "0" if numbers[1] == 0 else "another value")
            return PlacedLine(self._times(left, 1 / numbers[1]), at, left.token)
        if numbers[1] is not None:
            return PlacedLine(self._times(left, numbers[1]), at, left.token)
        if numbers[0] is not None:
            return PlacedLine(self._times(right, numbers[0]), at, left.token)
        return PlacedLine(self._add(left.token, "product", left.line, right.line), at, left.token)

    def minus(self, parts: list[Any]) -> PlacedLine:
        return PlacedLine(self._times(parts[1], Fraction(-1)), parts[1].at, parts[0])

    def choice(self, parts: list[Any]) -> PlacedLine:
        begin, test, _, then, _, other = parts
        at = self._together(begin, test, then, other)
        return PlacedLine(self._add(begin, "if", test.line, then.line, other.line), at, begin)

    def mask(self, parts: list[Any]) -> str:
        if len(parts) == 1:
            return "none"
        left, sign, right = str(parts[0]), parts[1], str(parts[2])
        if (left, right) == ("i", "j"):
            left, sign, right = "j", _MIRRORED[sign], "i"
        text = f"{left} {sign} {right}"
        if text not in MASKS:
            raise BadInput(f"a mask must be one of {', '.join(MASKS)} ({_at(parts[0])})", text)
        return MASKS[text]

    def _bound(self, token: Any) -> None:
        if str(token) != "j":
            raise BadInput(f"the other position must be called j ({_at(token)})", str(token))

    def prefix_sum(self, parts: list[Any]) -> PlacedLine:
        begin, other, _, mask, _, value = parts
        self._bound(other)
        if mask == "none":
            raise BadInput(f"the positions of a psum must be compared with i ({_at(begin)})", "true", "write [j <= i]")
        if value.at - {"j"}:
            given = "a name without (j)" if "own" in value.at else "a value at i"
            raise BadInput(f"what a psum sums must be at j ({_at(value.token)})", given,
                           "write x(j), and brackets around a psum that is part of a sum")  # fmt: skip
        return PlacedLine(self._add(value.token, "psum", value.line, value=mask), frozenset("i"), begin)

    def nearest(self, parts: list[Any]) -> PlacedLine:
        begin, other, _, mask = parts[:4]
        self._bound(other)
        value, default = parts[-3], parts[-1]
        conditions = [part for part in parts[5:-4] if isinstance(part, PlacedLine)]
        pairs = [self._selector(one) for one in conditions] or [self._add(begin, "key", self.lines.constant(True))]
        pair = pairs[0]
        for one in pairs[1:]:
            pair = self.lines.add("pair and", pair, one)
        for what, term, place in (("value", value, "j"), ("default", default, "i")):
            if term.at - {place}:
                given = "a name without (i) or (j)" if "own" in term.at else f"at {', '.join(sorted(term.at))}"
                raise BadInput(f"the {what} of a selection must be at {place} ({_at(term.token)})", given)
        op = begin.type.lower()
        line = self._add(value.token, op, pair, value.line, default.line, value=mask)
        return PlacedLine(line, frozenset("i"), begin)

    def inner(self, parts: list[Any]) -> PlacedLine:
        return parts[1]

    def integer(self, parts: list[Token]) -> PlacedLine:
        if len(parts[0]) > _MOST_DIGITS:
            raise BadInput(f"a number must have at most {_MOST_DIGITS} digits ({_at(parts[0])})", len(parts[0]))
        return PlacedLine(self.lines.constant(Fraction(int(parts[0]))), frozenset(), parts[0])

    def letter(self, parts: list[Token]) -> PlacedLine:
        letter = read_letter(parts[0])
        if letter.split() != [letter] or not letter.isprintable():
            raise BadInput(f"a letter must be printable text without spaces ({_at(parts[0])})", letter)
        return PlacedLine(self.lines.constant(letter), frozenset(), parts[0])

    def constant(self, parts: list[Token]) -> PlacedLine:
        return PlacedLine(self.lines.constant(parts[0].type == "TRUE"), frozenset(), parts[0])

    def bare(self, parts: list[Token]) -> PlacedLine:
        return self._named(parts[0], None)

    def placed(self, parts: list[Token]) -> PlacedLine:
        if str(parts[2]) not in ("i", "j"):
            raise BadInput(f"a position must be i or j ({_at(parts[2])})", str(parts[2]))
        return self._named(parts[0], str(parts[2]))

    def _named(self, token: Token, place: str | None) -> PlacedLine:
        name = str(token)
        at = frozenset((place or "own",))
        if name in ("in", "tokens"):
            return PlacedLine(self.lines.add("in"), at, token)
        if name in ("indices", "length"):
            return PlacedLine(self.lines.add(name), frozenset() if name == "length" else at, token)
        if name == "def":
            raise BadInput(f"a program must be without def ({_at(token)})", name, "write each definition out")
        if name not in self.names:
            near = unknown("name", name, [*self.names, "in"])
            do = f'define {name}(i) before; a letter has quotes, like "{name}"'
            raise BadInput(f"a name must be defined before ({_at(token)})", near.given, do)
        term = self.names[name]
        if self.kind(term) == "selector" or not term.at:
            return PlacedLine(term.line, term.at, token)
        return PlacedLine(term.line, at, token)

    def entry(self, parts: list[Any]) -> tuple[Any, PlacedLine]:
        """A key of a map, None for else, and its value."""
        token = parts[0] if parts[0].type != "MINUS" else parts[1]
        if token.type == "ELSE":
            return None, parts[-1]
        key = {"QUOTED": self.letter, "INTEGER": self.integer}.get(token.type, self.constant)([token])
        if parts[0].type == "MINUS":
            key = PlacedLine(self._times(key, Fraction(-1)), key.at, key.token)
        return key, parts[-1]

    def mapped(self, parts: list[Any]) -> PlacedLine:
        begin, _, value = parts[:3]
        entries = [part for part in parts[3:] if isinstance(part, tuple) and not isinstance(part, PlacedLine)]
        at = self._together(begin, value, *(entry for _, entry in entries))
        keys = [key for key, _ in entries]
        lines = self.lines
        if None in keys[:-1]:
            raise BadInput(f"else must stand last in a map ({_at(begin)})", "else before")
        rest = {lines.lines[key.line].value for key in keys if key is not None}
        if len(rest) < sum(key is not None for key in keys):
            raise BadInput(f"a map must have each key once ({_at(begin)})", "one twice")
        for key in keys:
            if key is not None:
                self._known(value, key)
        whole = {"letter": set(lines.letters[value.line]), "truth": {True, False}}.get(self.kind(value))
        if keys[-1] is not None and (whole is None or not whole <= rest):
            missing = "numbers" if whole is None else " ".join(map(str, sorted(whole - rest)))
            raise BadInput(f"a map must have a value for all others ({_at(begin)})", f"none for {missing}",
                           "end it with else: E")  # fmt: skip
        made = entries[-1][1].line
        for key, entry in reversed(entries[:-1]):
            test = self._add(key.token, "compare", value.line, key.line, value="=")
            made = self._add(entry.token, "if", test, entry.line, made)
        return PlacedLine(made, at, begin)

    def _sequence(self, term: PlacedLine, place: str, what: str) -> int:
        if self.kind(term) == "selector" or len(term.at) > 1 or not term.at <= {"own", "i", place}:
            raise BadInput(f"{what} must be a sequence ({_at(term.token)})", TYPES[self.kind(term)], "write its name")
        return term.line

    def select(self, parts: list[Any]) -> PlacedLine:
        begin, _, keys, _, queries, _, sign = parts[:7]
        self._known(keys, queries)
        pair = (self._sequence(keys, "j", "the keys of select"), self._sequence(queries, "i", "the queries of select"))
        return PlacedLine(self._add(begin, "select", *pair, value=sign), frozenset("ij"), begin)

    def aggregate(self, parts: list[Any]) -> PlacedLine:
        begin, _, pair, _, value, _, default = parts[:7]
        reads = (self._selector(pair), self._sequence(value, "j", "what is aggregated"),
                 self._sequence(default, "i", "the default of an aggregate"))  # fmt: skip
        return PlacedLine(self._add(begin, "aggregate", *reads), frozenset(("own",)), begin)

    def width(self, parts: list[Any]) -> PlacedLine:
        return PlacedLine(self._add(parts[0], "width", self._selector(parts[2])), frozenset(("own",)), parts[0])
