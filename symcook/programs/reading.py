"""Formulas as text, read by a grammar: what is not one is refused with line, column and what could stand there.

From the weakest: `<->`; `->` (to the right); `|`; `&`; since and until (to the left; the two mixed need brackets); the
prefix words; atoms. `let NAME = F;` names a formula for what follows, `output a = F;` lines stand in place of the last
formula. Nothing that is trusted reads by this: statements hold formulas as arrays.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.programs import FORMULAS, THEOREMS
from symcook.programs.formula import Formula, Lines, alphabet_of

if TYPE_CHECKING:
    from lark import Lark, Token

    from symcook.model.transformer import Program

GRAMMAR = r"""
start: [header] definition* (output+ | formula) -> whole
header: ALPHABET (WORD | QUOTED)+ SEMICOLON
definition: LET NAME EQUAL formula SEMICOLON
output: OUTPUT (WORD | QUOTED) EQUAL formula SEMICOLON
?formula: implication | formula IFF implication -> binary
?implication: either | either IMPLIES implication -> binary
?either: both | either OR both -> binary
?both: temporal | both AND temporal -> binary
?temporal: prefixed | sinces | untils
sinces: (prefixed | sinces) SINCE prefixed -> binary
untils: (prefixed | untils) UNTIL prefixed -> binary
?prefixed: atom | (NOT | PREV | NEXT | ONCE | HISTORICALLY | EVENTUALLY | ALWAYS) prefixed -> unary
?atom: OPEN formula CLOSE -> inner
     | counts (LESS | MORE | NOT_LESS | NOT_MORE | EQUAL | OTHER) counts -> compared
     | predicate -> of_position | predicate OPEN number CLOSE -> of_count
     | (TRUE | FALSE) -> constant | LETTER -> letter | NAME -> name
     | SET [(WORD | QUOTED) (COMMA (WORD | QUOTED))*] END -> letters
predicate: ODD | MOD OPEN INTEGER COMMA INTEGER CLOSE | TABLE OPEN BITS CLOSE
counts: [MINUS] count ((PLUS | MINUS) count)*
?count: INTEGER -> constant_term | INTEGER TIMES number -> factor_term | number -> term
number: (LEFT | RIGHT) SQUARE formula SQUARED
ALPHABET.3: /alphabet\b/
LET.3: /let\b/
OUTPUT.3: /output\b/
IFF: "<->" | "↔"
IMPLIES: "->" | "→"
OR: "|" | "∨"
AND: "&" | "∧"
NOT: "~" | "¬"
SINCE.3: /since\b/
UNTIL.3: /until\b/
PREV.3: /prev\b/ | "⊖"
NEXT.3: /next\b/ | "⊕"
ONCE.3: /once\b/
HISTORICALLY.3: /historically\b/
EVENTUALLY.3: /eventually\b/
ALWAYS.3: /always\b/
TRUE.3: /true\b/
FALSE.3: /false\b/
LETTER.2: /Q_([A-Za-z0-9]+|"([^"\\]|\\.)*")/
SET.2: /Q_\{/
END: "}"
COMMA: ","
OPEN: "("
CLOSE: ")"
EQUAL: "="
OTHER: "!="
LESS: "<"
MORE: ">"
NOT_LESS: ">="
NOT_MORE: "<="
PLUS: "+"
MINUS: "-"
TIMES: "*"
SQUARE: "["
SQUARED: "]"
LEFT: "#left" | "#←"
RIGHT: "#right" | "#→"
ODD.3: /ODD\b/
MOD.3: /MOD\b/
TABLE.3: /TABLE\b/
BITS: /[01]+/
INTEGER: /[0-9]{1,18}/
SEMICOLON: ";"
NAME: /[A-Za-z][A-Za-z0-9_]*/
WORD: /[^\s;"{},=]+/
QUOTED: /"([^"\\]|\\.)*"/
COMMENT: /\/\/[^\n]*/
%ignore /\s+/
%ignore COMMENT
"""
WORDS = frozenset((
    "alphabet", "let", "output", "since", "until", "prev", "next", "once", "historically", "eventually", "always",
    "true", "false", "ODD", "MOD", "TABLE",
))  # fmt: skip
"""The words of the language, which are no names, and letters only in quotes."""
SHOWN = {
    "PLUS": "+", "MINUS": "-", "TIMES": "*", "SQUARE": "[", "SQUARED": "]", "INTEGER": "a number", "BITS": "bits",
    "LEFT": "#left", "RIGHT": "#right", "LESS": "<", "MORE": ">", "NOT_LESS": ">=", "NOT_MORE": "<=", "OTHER": "!=",
    "IFF": "<->", "IMPLIES": "->", "OR": "|", "AND": "&", "NOT": "~", "SINCE": "since", "UNTIL": "until", "END": "}",
    "COMMA": ",", "CLOSE": ")", "EQUAL": "=", "SEMICOLON": ";", "NAME": "a name", "WORD": "a letter", "$END": "the end",
}  # fmt: skip
Predicate = tuple[int, int] | str
"""A divisor and what is left, or the bits of a table."""
JOINS = {
    **{one: "an operator" for one in ("IFF", "IMPLIES", "OR", "AND", "SINCE", "UNTIL")},
    **{one: "a comparison" for one in ("LESS", "MORE", "NOT_LESS", "NOT_MORE", "OTHER")},
}
"""What joins two formulas, or two counts: the parser may know only one of them at a place where all may stand."""
_STARTS = {"OPEN", "LETTER", "TRUE"}
"""Terminals that may stand, all together, where a formula begins."""
DEEPEST = 1000
"""How many brackets, and how many operators, may stand inside of one another."""


def read_formula(source: str, alphabet: str | Sequence[str] | None = None, kind: str = "ltl") -> Formula:
    """The formula that a text writes, over `alphabet`, which the text may name itself: `alphabet a b;` in front.
    Counts are read where the language `kind` is "count".

    Raises BadInput, in one sentence with line and column, for whatever is no formula: an unknown letter or name, a
    letter that is a word of the language without quotes, a count, nesting deeper than 1000, an `output` without end.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

    if not isinstance(source, str):
        raise BadInput("a formula must be text", type(source).__name__)
    check_depth(source)
    parser, reader = _parser()
    reader.begin(alphabet, kind)
    try:
        parser.parse(source)
    except UnexpectedToken as error:
        raise _unexpected(source, error.token, error.accepts) from None
    except UnexpectedCharacters as error:
        raise _strange(source, error.line, error.column) from None
    except (UnexpectedEOF, UnexpectedInput) as error:
        raise BadInput("a formula must be complete", str(error).splitlines()[0]) from None
    except VisitError as error:  # raised by a reader of ours
        raise error.orig_exc from None
    return reader.formula


def formula_of(program: Program) -> Formula:
    """The formula that a model was compiled from; BadInput for a language or a theorem that is not known."""
    require_known("language of a formula", program.kind, FORMULAS)
    if program.theorem:
        require_known("theorem", program.theorem, THEOREMS)
    return read_formula(program.source, program.alphabet, program.kind)


@cache
def _parser() -> tuple[Lark, _FormulaReader]:
    """The parser, made once, with the reader that it calls for each rule while it reads."""
    from lark import Lark

    reader = _FormulaReader()
    return Lark(GRAMMAR, parser="lalr", transformer=reader, maybe_placeholders=False), reader


def check_depth(source: str) -> None:
    """Refuse deep brackets before they are read."""
    depth = 0
    for sign in re.findall(r'"(?:[^"\\]|\\.)*"|//[^\n]*|[()]', source):
        depth += (sign == "(") - (sign == ")")
        if depth > DEEPEST:
            raise BadInput(f"brackets must stand at most {DEEPEST} deep inside of one another", "more")


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}"


def _unexpected(source: str, token: Token, expected: Any) -> BadInput:
    expected = set(expected)
    if token.type == "$END":
        lines = source.rstrip().split("\n")
        where, given = _place(len(lines), len(lines[-1]) + 1), "the end"
    else:
        where, given = _at(token), str(token)
    if {token.type} & {"SINCE", "UNTIL"} and {"SINCE", "UNTIL"} & expected:
        return BadInput(f"since and until mixed must have brackets ({where})", given, "write (F since G) until H")
    if given.startswith("#"):
        return _count("#", where)
    if expected >= _STARTS:
        what = "a formula"
    else:
        shown = {JOINS.get(str(one), SHOWN.get(str(one), str(one).lower())) for one in expected}
        what = " or ".join(sorted(shown, key=lambda one: (one in JOINS.values(), one)))
    lines = source.split("\n")
    before = source if token.type == "$END" else lines[(token.line or 1) - 1][: (token.column or 1) - 1]
    return BadInput(f"{what} must stand at {where}", given, _instead(given, *before.split()[-1:]))


INSTEAD = {
    "G": "always", "F": "eventually", "X": "next", "U": "until", "H": "historically", "O": "once", "P": "once",
    "Y": "prev", "S": "since", "and": "&", "or": "|", "not": "~", "implies": "->", "iff": "<->", "globally": "always",
    "finally": "eventually", "previous": "prev", "yesterday": "prev",
}  # fmt: skip
"""Words of other tools for temporal logic, with those of this language."""


def _instead(*words: str) -> str | None:
    """What to write for the first of the words that is one of another tool, or nearly one of this language; or None."""
    for word in (re.sub(r"\W.*", "", one.lstrip("(~&|-><")) for one in words):
        if word in INSTEAD:
            return f"write {INSTEAD[word]} for {word}"
        near = difflib.get_close_matches(word, sorted(WORDS - {word}), 1, 0.75)
        if near and word not in WORDS:
            return f"did you mean {near[0]}?"
    return None


def _strange(source: str, line: int, column: int) -> BadInput:
    rest = source.split("\n")[line - 1][column - 1 :]
    where = _place(line, column)
    if rest.startswith("#"):
        return _count("#", where)
    if rest.startswith("Q_"):
        return BadInput(f'a letter must be written Q_a, Q_"(" or Q_{{a, b}} ({where})', rest[:12])
    return BadInput(f"a formula must be written in its signs and words ({where})", rest[:1])


def _count(word: str, where: str) -> BadInput:
    must = f"a formula of ltl must be without counts and numbers of positions ({where})"
    return BadInput(must, word, "compile it as count: symcook compile count")


class _FormulaReader:
    """What each rule of the grammar makes: numbers of lines. One text after the other (`begin`)."""

    def begin(self, alphabet: str | Sequence[str] | None, kind: str) -> None:
        """Forget the text before; the alphabet if it is given beside the text."""
        self.kind = kind
        self.names: dict[str, int] = {}
        self.outputs: list[tuple[str | None, int]] = []
        self.given = None if alphabet is None else alphabet_of(alphabet)
        self._lines = None if self.given is None else Lines(self.given)

    @property
    def lines(self) -> Lines:
        if self._lines is None:
            must = "a formula must have an alphabet"
            raise BadInput(must, "none", "give --alphabet ab, or begin the text with: alphabet a b;")
        return self._lines

    def header(self, parts: list[Token]) -> None:
        letters = alphabet_of([read_letter(part) for part in parts[1:-1]])
        if self.given is not None and self.given != letters:
            raise BadInput("an alphabet must be given once", f"{' '.join(self.given)} and {' '.join(letters)}")
        self._lines = Lines(letters)

    def definition(self, parts: list[Any]) -> None:
        name = str(parts[1])
        if name in WORDS or name in self.names or name.startswith("Q_"):  # Q_a is read as a letter
            raise BadInput(f"a name must be new and no word of the language ({_at(parts[1])})", name)
        self.names[name] = parts[3]

    def output(self, parts: list[Any]) -> None:
        self.outputs.append((read_letter(parts[1]), parts[3]))

    def whole(self, parts: list[Any]) -> None:
        lines = self.lines
        everything = lines.letters(lines.alphabet)
        if not self.outputs:
            self.outputs = [(None, parts[-1])]
        else:
            always = [number for number, (_, line) in enumerate(self.outputs) if line == everything]
            if not always:
                raise BadInput("one output must be true everywhere", f"output {self.outputs[-1][0]}",
                               "end with a line: output x = true;")  # fmt: skip
            del self.outputs[always[0] + 1 :]  # what is never reached
        deep: list[int] = []
        for line in lines.lines:
            deep.append(1 + max((deep[k] for k in line.reads), default=0))
        if max(deep) > DEEPEST:
            raise BadInput(f"operators must stand at most {DEEPEST} deep inside of one another", max(deep))
        self.formula = lines.formula(self.outputs)

    def binary(self, parts: list[Any]) -> int:
        left, sign, right = parts
        add = self.lines.add
        if sign.type == "IMPLIES":
            return add("or", add("not", left), right)
        if sign.type == "IFF":
            return add("or", add("and", left, right), add("and", add("not", left), add("not", right)))
        return add({"OR": "or", "AND": "and", "SINCE": "since", "UNTIL": "until"}[sign.type], left, right)

    def unary(self, parts: list[Any]) -> int:
        sign, inner = parts
        add, true = self.lines.add, self.lines.letters(self.lines.alphabet)
        if sign.type in ("NOT", "PREV", "NEXT"):
            return add(sign.type.lower(), inner)
        op = "since" if sign.type in ("ONCE", "HISTORICALLY") else "until"
        if sign.type in ("ONCE", "EVENTUALLY"):
            return add(op, true, inner)
        return add("not", add(op, true, add("not", inner)))

    def counting(self, token: Token) -> None:
        if self.kind != "count":
            raise _count(str(token), _at(token))

    def number(self, parts: list[Any]) -> tuple[str, int]:
        self.counting(parts[0])
        return "left" if parts[0].type == "LEFT" else "right", parts[2]

    def constant_term(self, parts: list[Token]) -> tuple[dict[tuple[str, int], int], int]:
        return {}, int(parts[0])

    def factor_term(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        return {parts[2]: int(parts[0])}, 0

    def term(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        return {parts[0]: 1}, 0

    def counts(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        """A sum of counts with factors, and a number."""
        total: dict[tuple[str, int], int] = {}
        number, sign = 0, 1
        for part in parts:
            if not isinstance(part, tuple):
                sign = -1 if part.type == "MINUS" else 1
                continue
            for key, factor in part[0].items():
                total[key] = total.get(key, 0) + sign * factor
            number, sign = number + sign * part[1], 1
        return total, number

    def compared(self, parts: list[Any]) -> int:
        (left, a), sign, (right, b) = parts
        self.counting(sign)
        above = {key: left.get(key, 0) - right.get(key, 0) for key in {**left, **right}}
        below = {key: -factor for key, factor in above.items()}
        more = self.lines.at_least(above, b - a + (sign.type == "MORE"))
        less = self.lines.at_least(below, a - b + (sign.type == "LESS"))
        if sign.type in ("MORE", "NOT_LESS"):
            return more
        if sign.type in ("LESS", "NOT_MORE"):
            return less
        both = self.lines.add("and", more, less)
        return both if sign.type == "EQUAL" else self.lines.add("not", both)

    def predicate(self, parts: list[Token]) -> Predicate:
        self.counting(parts[0])
        if parts[0].type == "ODD":
            return 2, 1
        if parts[0].type == "TABLE":
            return str(parts[2])
        divisor, rest = int(parts[2]), int(parts[4])
        if not 0 <= rest < divisor:
            must = f"MOD(m, r) must have 0 <= r < m ({_at(parts[0])})"
            raise BadInput(must, f"MOD({divisor}, {rest})")
        return divisor, rest

    def of_position(self, parts: list[Any]) -> int:
        return self.predicated(parts[0], None)

    def of_count(self, parts: list[Any]) -> int:
        return self.predicated(parts[0], parts[2])

    def predicated(self, predicate: Predicate, count: tuple[str, int] | None) -> int:
        """The line of a predicate of a count, or of the position."""
        if isinstance(predicate, str):
            if count is None and len(predicate) < 2:
                raise BadInput("a TABLE of the position must have a bit for 0 and one for 1", f"TABLE({predicate})")
            return self.lines.table(predicate, count)
        return self.lines.remainder(*predicate, count)

    def inner(self, parts: list[Any]) -> int:
        return parts[1]

    def constant(self, parts: list[Token]) -> int:
        return self.lines.letters(self.lines.alphabet if parts[0].type == "TRUE" else ())

    def letter(self, parts: list[Token]) -> int:
        text = str(parts[0])[2:]
        if text in WORDS:
            raise BadInput(f"a letter that is a word of the language must have quotes ({_at(parts[0])})", text,
                           f'write Q_"{text}"')  # fmt: skip
        return self._letters([(_unquoted(text), parts[0])])

    def letters(self, parts: list[Token]) -> int:
        return self._letters([(read_letter(part), part) for part in parts[1:-1] if part.type != "COMMA"])

    def _letters(self, found: list[tuple[str, Token]]) -> int:
        try:
            return self.lines.letters(letter for letter, _ in found)
        except BadInput as error:
            if found and self._lines is not None:
                raise type(error)(f"{error.must} ({_at(found[0][1])})", error.given, error.do) from None
            raise

    def name(self, parts: list[Token]) -> int:
        name = str(parts[0])
        if name not in self.names:
            letter = f"the letter is written Q_{name}" if name in self.lines.alphabet else ""
            do = letter or _instead(name) or f"write let {name} = F;"
            raise BadInput(f"a name must be given a formula before ({_at(parts[0])})", name, do)
        return self.names[name]


def _at(token: Token) -> str:
    return _place(token.line or 1, token.column or 1)


def read_letter(token: Token) -> str:
    """A letter as it stands in a text, without the quotes around it."""
    return _unquoted(str(token))


def _unquoted(text: str) -> str:
    """A letter as it is, without the quotes around it."""
    import re

    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') and len(text) > 1 else text
