"""The reader of formulas. For text that does not fit the grammar it raises an error with line, column and what is
expected there.

Operators, weakest first: `<->`; `->` (right-associative); `|`; `&`; since and until (left-associative; a mixture of the
two needs brackets); prefix operators; atoms. `let NAME = F;` names a formula for the text after it. Instead of the last
formula there may be lines `output a = F;`. No proof depends on this reader: theorems have formulas as arrays.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.files import lines_of
from symcook.programs import FORMULAS, THEOREMS
from symcook.programs.formula import Formula, Lines, alphabet_of

if TYPE_CHECKING:
    from lark import Lark, Token

    from symcook.model.transformer import Program

SHARED = r"""
OTHER: "!=" | "≠"
LESS: "<"
MORE: ">"
NOT_LESS: ">=" | "≥"
NOT_MORE: "<=" | "≤"
PLUS: "+"
MINUS: "-"
TIMES: "*"
OPEN: "("
CLOSE: ")"
SQUARE: "["
SQUARED: "]"
COMMA: ","
SEMICOLON: ";"
NAME: /[A-Za-z][A-Za-z0-9_]*/
WORD: /((?!\/\/)[^\s;"{},=])+/
COMMENT: /\/\/[^\n]*/
%ignore COMMENT
"""
"""The terminals that the grammars of formulas and of S-RASP programs share."""
NAMED = {
    "OTHER": "!=", "LESS": "<", "MORE": ">", "NOT_LESS": ">=", "NOT_MORE": "<=", "PLUS": "+", "MINUS": "-",
    "TIMES": "*", "OPEN": "(", "CLOSE": ")", "SQUARE": "[", "SQUARED": "]", "COMMA": ",", "SEMICOLON": ";",
    "NAME": "a name", "WORD": "a symbol", "QUOTED": 'a symbol like "a"', "INTEGER": "a number", "EQUAL": "=",
    "OR": "|", "AND": "&", "$END": "the end",
}  # fmt: skip
"""How messages name the terminals of SHARED, and those that both grammars define differently."""
GRAMMAR = (
    SHARED
    + r"""
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
EQUAL: "="
LEFT: "#left" | "#←"
RIGHT: "#right" | "#→"
ODD.3: /ODD\b/
MOD.3: /MOD\b/
TABLE.3: /TABLE\b/
BITS: /[01]+/
INTEGER: /[0-9]{1,18}/
QUOTED: /"([^"\\]|\\.)*"/
%ignore /\s+/
"""
)
"""The grammar, for lark. The priorities `.2` and `.3` make the lexer prefer keywords and Q_ letters to a NAME. Rules of
formulas are ordered from the weakest operator to the strongest."""
WORDS = frozenset((
    "alphabet", "let", "output", "since", "until", "prev", "next", "once", "historically", "eventually", "always",
    "true", "false", "ODD", "MOD", "TABLE",
))  # fmt: skip
"""The keywords of the language: not allowed as names, and as letters only in quotes."""
SHOWN = {
    **NAMED, "BITS": "bits", "LEFT": "#left", "RIGHT": "#right", "IFF": "<->", "IMPLIES": "->", "NOT": "~",
    "SINCE": "since", "UNTIL": "until", "END": "}",
}  # fmt: skip
"""How messages name the terminals."""
NumericTest = tuple[int, int] | str
"""A predicate of a number: (divisor, remainder), or the bits of a table."""
JOINS = {
    **dict.fromkeys(("IFF", "IMPLIES", "OR", "AND", "SINCE", "UNTIL"), "an operator"),
    **dict.fromkeys(("LESS", "MORE", "NOT_LESS", "NOT_MORE", "OTHER"), "a comparison"),
}
"""How messages name operators between formulas, and comparisons of counts: the parser may report only some of them at a
place where all are allowed."""
_STARTS = {"OPEN", "LETTER", "TRUE"}
"""If the parser expects all of these terminals, a formula can begin there, and messages say "a formula"."""
DEEPEST = 1000
"""The maximum depth of nested brackets, and of nested operators."""
_OWN = local()
"""The parser and reader of each thread (see `_parser`)."""


def read_formula(source: str, alphabet: str | Sequence[str] | None = None, kind: str = "ltl") -> Formula:
    """The formula written in a text, over `alphabet`. The text may begin with its alphabet instead: `alphabet a b;`.
    Counts are allowed only if the language `kind` is "count".

    Raises BadInput, in one sentence with line and column, if the text is not a formula: an unknown letter or name, a
    keyword as a letter without quotes, a count in "ltl", nesting deeper than 1000, outputs of which none is always
    true.
    """
    source = as_text(source, "a formula")
    parser, reader = _parser()
    reader.begin(alphabet, kind)
    parse(parser, source, "a formula", partial(_unexpected, kind), partial(_strange, kind))
    return reader.formula


def as_text(source: object, what: str) -> str:
    """The source without a byte order mark and with \\n as line ends. BadInput if it is not a str, or its brackets are
    nested too deep; `what` names it in the message."""
    if not isinstance(source, str):
        raise BadInput(
            f"{what} must be text",
            type(source).__name__,
            "give the text of the program, or the path of a file to symcook compile",
        )
    source = lines_of(source)
    check_depth(source)
    return source


def parse(
    parser: Lark,
    source: str,
    what: str,
    unexpected: Callable[[str, Token, set[str]], BadInput],
    strange: Callable[[str, int, int], BadInput],
) -> None:
    """Parse a text; the parser's reader keeps the result. Errors are raised as BadInput: `unexpected` makes it for a
    token that does not fit, `strange` for a character that begins no token."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

    try:
        parser.parse(source)
    except UnexpectedToken as error:
        raise unexpected(source, error.token, set(error.accepts or error.expected)) from None
    except UnexpectedCharacters as error:
        raise strange(source, error.line, error.column) from None
    except UnexpectedInput as error:
        raise BadInput(f"{what} must be complete", str(error).splitlines()[0], "write the rest of the text") from None
    except VisitError as error:  # lark's wrapper of an error that a method of our reader has raised
        raise error.orig_exc from None


def formula_of(program: Program) -> Formula:
    """The formula that a model was compiled from. BadInput for an unknown language or theorem."""
    require_known("language of a formula", program.kind, FORMULAS)
    if program.theorem:
        require_known("theorem", program.theorem, THEOREMS)
    return read_formula(program.source, program.alphabet, program.kind)


def _parser() -> tuple[Lark, _FormulaReader]:
    """The parser and the reader whose methods it calls for each rule. Each thread has its own pair."""
    from lark import Lark

    if not hasattr(_OWN, "made"):
        reader = _FormulaReader()
        _OWN.made = Lark(GRAMMAR, parser="lalr", transformer=reader, maybe_placeholders=False), reader
    return _OWN.made


def check_depth(source: str) -> None:
    """Raise BadInput if brackets are nested deeper than DEEPEST. Quoted symbols, sets of letters and comments are
    skipped."""
    depth = 0
    for bracket in re.finditer(r'"(?:[^"\\]|\\.)*"|Q_\{[^"}]*|//[^\n]*|[()]', source):
        depth += (bracket[0] == "(") - (bracket[0] == ")")
        if depth > DEEPEST:
            lines = source[: bracket.start()].split("\n")
            where = place_of(len(lines), len(lines[-1]) + 1)
            raise BadInput(
                f"brackets must be nested at most {DEEPEST} deep ({where})",
                "more",
                "give a part of the formula a name, in a definition of its own",
            )


def place_of(line: int | None, column: int | None) -> str:
    """A place in a text, as messages name it."""
    return f"line {line or 1}, column {column or 1}"


def place_at(token: Token) -> str:
    """The place where a token begins, as messages name it."""
    return place_of(token.line, token.column)


def header_letters(letters: Sequence[Token], given: Sequence[str] | None) -> tuple[str, ...]:
    """The alphabet that a text names. BadInput if it is not an alphabet, or not the one `given` in addition to the
    text."""
    where = place_at(letters[0])
    try:
        text_alphabet = alphabet_of([read_letter(part) for part in letters])
    except BadInput as error:
        raise BadInput(f"{error.must} ({where})", error.given, error.do) from None
    if given is not None and tuple(given) != text_alphabet:
        raise BadInput(
            f"an alphabet must be given once ({where})",
            f"{' '.join(given)} and {' '.join(text_alphabet)}",
            "leave one of the two out",
        )
    return text_alphabet


def met(source: str, token: Token) -> tuple[str, str]:
    """The place of a token that does not fit, and its text, both as messages name them."""
    if token.type != "$END":
        return place_at(token), "the end of the line" if token.type == "END" else str(token)
    lines = source.rstrip().split("\n")
    return place_of(len(lines), len(lines[-1]) + 1), "the end"


def _unexpected(kind: str, source: str, token: Token, expected: set[str]) -> BadInput:
    """The error for a token that the grammar does not expect. Usual mistakes get advice; for any other token the
    message names what is expected."""
    where, found_text = met(source, token)
    # Mistakes that can be seen from the token alone.
    if {token.type} & {"SINCE", "UNTIL"} and {"SINCE", "UNTIL"} & expected:
        return BadInput(
            f"a formula that mixes since and until must have brackets ({where})",
            found_text,
            "write (F since G) until H",
        )
    if found_text.startswith("#") and not (kind == "count" and re.match("#(left|right|←|→)", found_text)):
        return _count("#", where, kind)
    if expected >= _STARTS:
        what = "a formula"
    else:
        alternatives = {
            JOINS.get(str(terminal), SHOWN.get(str(terminal), str(terminal).lower())) for terminal in expected
        }
        what = " or ".join(sorted(alternatives, key=lambda alternative: (alternative in JOINS.values(), alternative)))
    # Mistakes that can be seen from the text around it: a number of more than 18 digits, which the lexer splits; an
    # empty Q_; a factor that is not an integer; a sign of another language.
    lines = source.split("\n")
    column = (token.column or 1) - 1
    line_text = lines[(token.line or 1) - 1]
    before, remaining = (source, "") if token.type == "$END" else (line_text[:column], line_text[column:])
    last = before.split()[-1:]
    if re.search("[0-9]{18}$", before) and found_text[0].isdigit():
        return BadInput(f"a number must have at most 18 digits ({where})", "more", "write a shorter number")
    if last and re.search(r"\bQ_$", last[0]):
        return BadInput(f"{LETTERS} ({where})", found_text, "write the symbol after Q_, as in Q_a")
    if token.type != "$END" and found_text[0] in "*/." and expected & {"PLUS", "LESS", "LEFT"}:
        do = "write 3*#left[F], and multiply both sides where there is a fraction"
        return BadInput(f"the factor of a count must be a whole number in front of the count ({where})", found_text, do)
    if token.type == "INTEGER" and expected == {"LEFT", "RIGHT"} and before.rstrip()[-1:] == "*":
        return BadInput(
            f"the factor of a count must be a whole number in front of the count ({where})",
            found_text,
            "write for example 3*#left[F]",
        )
    if INTERVAL.match(remaining):
        do = "write its positions one by one, as Q_a | next Q_a for F[0,1] Q_a"
        return BadInput(f"a formula must have no intervals of time ({where})", found_text, do)
    do = None if token.type == "$END" else instead_of(remaining) or instead_of(before[-1:] + remaining)
    if do is not None:
        return BadInput(f"a formula must be written in its signs and keywords ({where})", found_text, do)
    return BadInput(f"{what} must stand at {where}", found_text, _instead(found_text, *last))


INSTEAD = {
    "G": "always", "F": "eventually", "X": "next", "H": "historically", "O": "once", "P": "once",
    "Y": "prev", "and": "&", "or": "|", "not": "~", "implies": "->", "iff": "<->", "globally": "always",
    "finally": "eventually", "previous": "prev", "yesterday": "prev",
}  # fmt: skip
"""Keywords of other tools for temporal logic, with those of this language that mean the same on finite strings."""
_UNTIL, _RELEASE, _WEAK = "q | (p until next q)", "q & ~(~p until next ~q)", "q | (p until next q) | always p"
STANDARD = {
    "U": _UNTIL, "S": "q | (p since prev q)", "R": _RELEASE, "V": _RELEASE, "release": _RELEASE,
    "W": _WEAK, "wuntil": _WEAK, "weakuntil": _WEAK, "M": "(p & q) | (q until next (p & q))",
    "B": "q | (p since prev q) | historically p", "T": "q & ~(~p since prev ~q)",
    "WX": "~next ~p", "N": "~next ~p", "wnext": "~next ~p", "weaknext": "~next ~p", "Z": "~prev ~p",
}  # fmt: skip
"""Operators of other tools to which no operator here is equal, each with a formula of the same meaning, for p and q
beside or after the operator. In "p until q" of the papers p is true also where q is (Yang et al. 2026, Definition
14)."""
INTERVAL = re.compile(r"(?:[A-Za-z]+_?|<>|\[\])?\[\s*\d+\s*[,\]]")
"""An interval of time of metric temporal logic, with or without its operator."""
SIGNS = {
    "⇒": "->", "⟶": "->", "=>": "->", "⇔": "<->", "⟷": "<->", "<=>": "<->", "&&": "&", "||": "|", "!": "~",
    "□": "always", "◇": "eventually", "◯": "next", "○": "next", "[]": "always", "<>": "eventually",
    "×": "*", "·": "*", "÷": "/", "−": "-", ":=": "=", "==": "=",
}  # fmt: skip
"""Signs of other languages, with those of this one."""
LETTERS = 'a symbol must be written Q_a, Q_"(" or Q_{a, b}'
"""The message for a wrong symbol."""


def instead_of(given: str) -> str | None:
    """Advice if `given` begins with a sign of another language, else None."""
    longest_first = sorted(SIGNS, key=len, reverse=True)
    sign = next((foreign_sign for foreign_sign in longest_first if given.startswith(foreign_sign)), None)
    return None if sign is None else f"write {SIGNS[sign]} for {sign}"


def _instead(*words: str) -> str | None:
    """Advice for the first word that is a keyword of another tool or a misspelt keyword of this language, else None."""
    for word in (re.sub(r"\W.*", "", text.lstrip("(~&|-><")) for text in words):
        if word in INSTEAD:
            return f"write {INSTEAD[word]} for {word}"
        if word in STANDARD:
            if "q" not in STANDARD[word]:
                return f"for {word} p write {STANDARD[word]}"
            return f"for p {word} q write {STANDARD[word]}: in until and since here p must be true where q is too"
        closest = difflib.get_close_matches(word, sorted(WORDS - {word}), 1, 0.75)
        if closest and word not in WORDS:
            return f"did you mean {closest[0]}?"
    return None


def _strange(kind: str, source: str, line: int, column: int) -> BadInput:
    """The error for a character that cannot begin a token."""
    remaining = source.split("\n")[line - 1][column - 1 :]
    where = place_of(line, column)
    if remaining.startswith("#"):
        return _count("#", where, kind)
    if remaining.startswith("Q_"):
        return BadInput(f"{LETTERS} ({where})", remaining[:12], "write the symbol after Q_, as in Q_a")
    if remaining.startswith('"'):
        return BadInput(
            f"a symbol in quotes must have its second quote ({where})", remaining[:12], "write the second quote"
        )
    return BadInput(
        f"a formula must be written in its signs and keywords ({where})",
        remaining[:1],
        "leave the character out, or put a symbol of the alphabet in quotes",
    )


def _count(word: str, where: str, kind: str) -> BadInput:
    """The error for a count: it is written wrongly, or it is used in the language ltl, which has no counts."""
    if kind == "count":
        do = "write a factor before its count, as in 2*#left[F]; a comment begins with //"
        return BadInput(f"a count must be written #left[F] or #right[F] ({where})", word, do)
    must = f"a formula of ltl must be without counts and numbers of positions ({where})"
    return BadInput(must, word, "compile it as c-rasp: symcook compile c-rasp")


class _FormulaReader:
    """The methods for the rules of the grammar; a formula is the number of its line. One reader reads several texts;
    `begin` starts a new one."""

    def begin(self, alphabet: str | Sequence[str] | None, kind: str) -> None:
        """Start a new text; `alphabet` is None if the text names its own."""
        self.kind = kind
        self.names: dict[str, int] = {}  # the line of each name that a `let` has given
        self.outputs: list[tuple[str | None, int]] = []
        self.deep: list[int] = []  # for each line how deep its operators nest
        self.given = None if alphabet is None else alphabet_of(alphabet)
        self._lines = None if self.given is None else Lines(self.given)

    @property
    def lines(self) -> Lines:
        """The lines so far; BadInput if there is no alphabet yet."""
        if self._lines is None:
            must = "a formula must have an alphabet (line 1, column 1)"
            raise BadInput(must, "none", "give --alphabet ab, or begin the text with: alphabet a b;")
        return self._lines

    def header(self, parts: list[Token]) -> None:
        """`alphabet a b;`: the alphabet of the text."""
        self._lines = Lines(header_letters(parts[1:-1], self.given))

    def definition(self, parts: list[Any]) -> None:
        """`let NAME = F;`: record the line of F by its name."""
        name = str(parts[1])
        if name in WORDS or name in self.names or name.startswith("Q_"):  # Q_a is read as a letter
            raise BadInput(
                f"a name must be new and no keyword of the language ({place_at(parts[1])})",
                name,
                "give the formula another name",
            )
        self.names[name] = parts[3]

    def output(self, parts: list[Any]) -> None:
        """`output a = F;`: add a label and the line of F to `outputs`."""
        self.outputs.append((read_letter(parts[1]), parts[3]))
        self._out = parts[0]

    def whole(self, parts: list[Any]) -> None:
        """The end of the text: set `formula`. If there are outputs, one of them must be true everywhere, so that there
        is always an answer; those after it are left out."""
        lines = self.lines
        everything = lines.letters(lines.alphabet)
        if not self.outputs:
            self.outputs = [(None, parts[-1])]
        else:
            always = [number for number, (_, line) in enumerate(self.outputs) if line == everything]
            if not always:
                raise BadInput(f"one output must be true at every position ({place_at(self._out)})",
                               f"output {self.outputs[-1][0]}", "end with a line: output x = true;")  # fmt: skip
            del self.outputs[always[0] + 1 :]  # outputs after it are never reached
        self.formula = lines.formula(self.outputs)

    def _deep(self, sign: Token) -> None:
        """Compute the depth of the lines that were added since the last call; raise BadInput at the operator `sign` if
        it exceeds DEEPEST."""
        for line in self.lines.lines[len(self.deep) :]:
            self.deep.append(1 + max((self.deep[k] for k in line.reads), default=0))
            if self.deep[-1] > DEEPEST:
                must = f"operators must be nested at most {DEEPEST} deep ({place_at(sign)})"
                raise BadInput(must, "more", "give a part of the formula a name: let NAME = F;")

    def binary(self, parts: list[Any]) -> int:
        """`F op G`, with a check of the depth."""
        line = self._binary(parts)
        self._deep(parts[1])
        return line

    def unary(self, parts: list[Any]) -> int:
        """`op F`, with a check of the depth."""
        line = self._unary(parts)
        self._deep(parts[0])
        return line

    def _binary(self, parts: list[Any]) -> int:
        """The line of a binary operator; -> and <-> are written with and, or and not."""
        left, sign, right = parts
        add = self.lines.add
        if sign.type == "IMPLIES":
            return add("or", add("not", left), right)
        if sign.type == "IFF":
            return add("or", add("and", left, right), add("and", add("not", left), add("not", right)))
        return add({"OR": "or", "AND": "and", "SINCE": "since", "UNTIL": "until"}[sign.type], left, right)

    def _unary(self, parts: list[Any]) -> int:
        """The line of a unary operator; once, historically, eventually and always are written with since and until."""
        sign, inner = parts
        add, true = self.lines.add, self.lines.letters(self.lines.alphabet)
        if sign.type in ("NOT", "PREV", "NEXT"):
            return add(sign.type.lower(), inner)
        op = "since" if sign.type in ("ONCE", "HISTORICALLY") else "until"
        if sign.type in ("ONCE", "EVENTUALLY"):
            return add(op, true, inner)
        # historically F = not once not F; always F = not eventually not F.
        return add("not", add(op, true, add("not", inner)))

    def counting(self, token: Token) -> None:
        """Raise BadInput, at `token`, if the language has no counts."""
        if self.kind != "count":
            raise _count(str(token), place_at(token), self.kind)

    def number(self, parts: list[Any]) -> tuple[str, int]:
        """`#left[F]` or `#right[F]`: the side, and the line of F."""
        self.counting(parts[0])
        return "left" if parts[0].type == "LEFT" else "right", parts[2]

    def constant_term(self, parts: list[Token]) -> tuple[dict[tuple[str, int], int], int]:
        """`3`: no count, and the number; see `counts`."""
        return {}, int(parts[0])

    def factor_term(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        """`3*#left[F]`."""
        return {parts[2]: int(parts[0])}, 0

    def term(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        """`#left[F]`."""
        return {parts[0]: 1}, 0

    def counts(self, parts: list[Any]) -> tuple[dict[tuple[str, int], int], int]:
        """A sum of terms: {(side, line): factor} for its counts, and the sum of its numbers."""
        total: dict[tuple[str, int], int] = {}
        number, sign = 0, 1
        for part in parts:
            # A PLUS or MINUS token is the sign of the next term.
            if not isinstance(part, tuple):
                sign = -1 if part.type == "MINUS" else 1
                continue
            for key, factor in part[0].items():
                total[key] = total.get(key, 0) + sign * factor
            number, sign = number + sign * part[1], 1
        return total, number

    def compared(self, parts: list[Any]) -> int:
        """A comparison of sums of counts, with a check of the depth."""
        line = self._compared(parts)
        self._deep(parts[1])
        return line

    def _compared(self, parts: list[Any]) -> int:
        """The line of a comparison of sums of counts, as one or two lines "at least"."""
        (left, a), sign, (right, b) = parts
        self.counting(sign)
        # left + a >= right + b is (left - right) >= b - a. All are integers, so > is >= with a bound greater by 1.
        above = {key: left.get(key, 0) - right.get(key, 0) for key in {**left, **right}}
        below = {key: -factor for key, factor in above.items()}
        not_less = self.lines.at_least(above, b - a + (sign.type == "MORE"))
        not_more = self.lines.at_least(below, a - b + (sign.type == "LESS"))
        if sign.type in ("MORE", "NOT_LESS"):
            return not_less
        if sign.type in ("LESS", "NOT_MORE"):
            return not_more
        both = self.lines.add("and", not_less, not_more)
        return both if sign.type == "EQUAL" else self.lines.add("not", both)

    def predicate(self, parts: list[Token]) -> tuple[Token, NumericTest]:
        """ODD, MOD(m, r) or TABLE(bits): the first token, and the predicate."""
        self.counting(parts[0])
        if parts[0].type == "ODD":
            return parts[0], (2, 1)
        if parts[0].type == "TABLE":
            return parts[0], str(parts[2])
        divisor, remainder = int(parts[2]), int(parts[4])
        if not 0 <= remainder < divisor:
            must = f"MOD(m, r) must have 0 <= r < m ({place_at(parts[0])})"
            raise BadInput(must, f"MOD({divisor}, {remainder})", f"write for example MOD({divisor}, 0)")
        return parts[0], (divisor, remainder)

    def of_position(self, parts: list[Any]) -> int:
        """A predicate alone, which is about the position."""
        token, predicate = parts[0]
        return self.predicated(token, predicate, None)

    def of_count(self, parts: list[Any]) -> int:
        """A predicate with a count as its argument."""
        token, predicate = parts[0]
        return self.predicated(token, predicate, parts[2])

    def predicated(self, token: Token, predicate: NumericTest, count: tuple[str, int] | None) -> int:
        """The line of a predicate of a count, or if `count` is None of the position."""
        if isinstance(predicate, str):
            if count is None and len(predicate) < 2:
                must = f"a TABLE of the position must have at least two bits, for 0 and 1 ({place_at(token)})"
                raise BadInput(must, f"TABLE({predicate})", "write for example TABLE(01), true at the odd positions")
            line = self.lines.table(predicate, count)
        else:
            line = self.lines.remainder(*predicate, count)
        self._deep(token)
        return line

    def inner(self, parts: list[Any]) -> int:
        """`(F)`."""
        return parts[1]

    def constant(self, parts: list[Token]) -> int:
        """`true` or `false`, as the set of all letters or of none."""
        return self.lines.letters(self.lines.alphabet if parts[0].type == "TRUE" else ())

    def letter(self, parts: list[Token]) -> int:
        """The line of Q_a or Q_"a"."""
        text = str(parts[0])[2:]
        if text in WORDS:
            raise BadInput(f"a symbol that is a keyword of the language must have quotes ({place_at(parts[0])})", text,
                           f'write Q_"{text}"')  # fmt: skip
        return self._letters([(_unquoted(text), parts[0])])

    def letters(self, parts: list[Token]) -> int:
        """The line of Q_{a, b}."""
        return self._letters([(read_letter(part), part) for part in parts[1:-1] if part.type != "COMMA"])

    def _letters(self, placed_letters: list[tuple[str, Token]]) -> int:
        """The line of a set of letters. BadInput, with the place of the first, if one is not in the alphabet."""
        try:
            return self.lines.letters(letter for letter, _ in placed_letters)
        except BadInput as error:
            if placed_letters and self._lines is not None:
                raise type(error)(f"{error.must} ({place_at(placed_letters[0][1])})", error.given, error.do) from None
            raise

    def name(self, parts: list[Token]) -> int:
        """The line of a formula that a `let` has named."""
        name = str(parts[0])
        if name in WORDS:
            raise BadInput(
                f"a formula must stand at {place_at(parts[0])}",
                name,
                f"write a formula in the place of {name}, such as Q_a",
            )
        if name.startswith("Q_"):
            raise BadInput(f"{LETTERS} ({place_at(parts[0])})", name, "write the symbol after Q_, as in Q_a")
        if name not in self.names:
            letter = f"the symbol is written Q_{name}" if name in self.lines.alphabet else ""
            do = letter or _instead(name) or f"write let {name} = F;"
            raise BadInput(f"a name must be defined by a formula before it is used ({place_at(parts[0])})", name, do)
        return self.names[name]


def read_letter(token: Token) -> str:
    """The letter that a token writes, with or without quotes."""
    return _unquoted(str(token))


def _unquoted(text: str) -> str:
    """The letter that a text writes: quotes and escapes removed."""
    quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if quoted else text
