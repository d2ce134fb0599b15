"""The language of proof texts: its lines, a reader that reports the place of an error, and a printer.

A file has a heading and up to three parts; blocks are indented by blanks::

    proof ID                            or: refutation ID, whose lines prove that the statement fails somewhere
      given n s p (low high)            names for quantifiers, labels for premises
      label: FORMULA by HINTS           a fact, proved by the automation
      label: FORMULA                    a fact, proved by the indented lines below it, if there are any
      calc label: TERM <= TERM by HINTS a chain: each line "_ < TERM by HINTS" below continues from the last term; the
                                        label is for the relation of the first and last term; without a label this
                                        relation proves the goal
      take (a b) from FACT(TERM; TERM)  an instance of a fact; the automation proves the premises
      cases a, b: FORMULA               it holds (a) or not (b): a block for each case below, which begins with "-"
      cases a, b from FACT              the parts of a disjunction
      split                             a block for each part of a conjunction
      induct k (low step)               a block for the first value, a block for the step
      obtain x y (a b) from FACT        names for what exists; FACT(TERM; TERM) is an instance, as in take
      witness TERM; TERM                terms for an existence; ".." stands for the names of the last obtain
      witness each                      each function that must exist is given by its equation; a fact below is proved
                                        as soon as the functions that it names are given
      left                              or: right, the side of a disjunction that is proved
      suppose no: FORMULA               the opposite of the goal; may be ``suppose no`` alone
      rewrite FACT                      an equation put into the goal; rewrite back FACT from right to left
      rewrite FACT in OTHER as label    an equation put into a fact
      let z = TERM                      a name for a term, in this text only; or let f(j, k) = TERM
      qed by HINTS                      the rest of the goal; may be left out if no hints are needed
    defined                             why nothing in the statement is undefined; may be left out
    inhabited                           why the hypotheses are satisfiable; may be left out

If there are fewer blocks than cases or parts, the blocks are for those that the automation does not prove. ``..``
stands for the names that a statement itself has: in ``given`` the names of its quantifiers (for a conjunction, those of
the part that is proved), in FACT(..) those of the fact, in ``obtain`` the names of what exists. In a group of labels,
``..`` stands for NAME_is for each part that is an equation for NAME, or its inequality in a run that rounds.

A hint is a fact; ``fact(TERM; TERM)`` with terms for its quantifiers (``_`` leaves one open); ``fact[OTHER]`` with
facts for its premises; or a term. A line continues in the next line if a bracket is open, if it ends with a comma, a
colon, a semicolon, an operator or ``by``, if the next line begins with ``by``, and in ``obtain`` until ``from``. ``#``
begins a comment line. Lines end with a line feed only, and consist of printable characters.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symcook.errors import BadInput
from symcook.present import present

VERSION = 1  # the version of the language
WIDTH = 116  # the maximum number of characters of a printed line
MAX_LENGTH = 1_000_000  # the maximum number of characters of a text
MAX_DEPTH = 60  # how deep blocks may nest
INDENT = 2  # by how many columns the lines of a part are indented

PARTS = ("proof", "defined", "inhabited")  # the names of the parts, in their order in a file
WORDS = frozenset(
    [
        *("given", "calc", "take", "cases", "split", "induct", "obtain", "witness", "left", "right", "suppose"),
        *("rewrite", "let", "qed", "proof", "refutation", "defined", "inhabited", "language", "by", "from"),
    ]
)
"""The keywords, none of which is a label at the beginning of a line."""


@dataclass(frozen=True, order=True)
class Place:
    """A line and a column of a file, both from 1."""

    line: int
    column: int


class BadProof(BadInput):
    """A proof text that cannot be read: the place of the error, and what was expected there."""

    def __init__(self, place: Place, must: str, given: object = None, do: str | None = None) -> None:
        self.place = place
        super().__init__(f"line {place.line}, column {place.column}: {must}", given, do)


NOWHERE = Place(0, 0)
"""The place of a line or hint that is in no file."""


@dataclass(frozen=True)
class HintText:
    """A hint as it is written."""

    text: str  # the whole hint
    name: str = ""  # the name of the fact; empty if the hint is a term
    terms: tuple[str, ...] | None = None  # the terms in parentheses; None without parentheses
    premises: tuple[HintText, ...] = ()  # the hints in brackets
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class TextLine:
    """One line with the blocks below it; which fields are used depends on `kind`."""

    kind: str  # the keyword; "fact" for ``label: FORMULA``, "step" for a further line of a chain
    labels: tuple[str | tuple[str, ...], ...] = ()  # a group of labels in parentheses is a tuple
    formula: str = ""  # the formula; for "let" the term
    hints: tuple[HintText, ...] = ()  # the hints after ``by``; for "rewrite" the equation
    # The terms of a witness, names of "obtain", arguments of "let"; the sides and the sign of a chain's step; the fact
    # after ``in`` of "rewrite".
    terms: tuple[str, ...] = ()
    name: str = ""  # the name of "induct" and "let"; "each" of "witness"; "back" of "rewrite"
    source: HintText | None = None  # the fact after ``from``
    blocks: tuple[tuple[TextLine, ...], ...] = ()  # "calc" has one block: its further steps
    place: Place = field(default=NOWHERE, compare=False)  # the place of the line
    inner: Place = field(default=NOWHERE, compare=False)  # the place of the formula or the first term
    where: tuple[Place, ...] = field(default=(), compare=False)  # the place of each character of the formula


@dataclass(frozen=True)
class ProofText:
    """A file: the id of its statement, whether it is a refutation, and the lines of its parts, by their names."""

    id: str
    refutes: bool
    parts: dict[str, tuple[TextLine, ...]]


@dataclass
class _Logical:
    """A line joined with the lines that continue it. `indent` is the number of blanks before it, and `where` has the
    place in the file of each of its characters."""

    indent: int
    text: str
    where: list[Place]

    def place(self, at: int) -> Place:
        """The place in the file of the character with index `at`; that of the last one for the end of the line."""
        return self.where[min(at, len(self.where) - 1)]


_GOES_ON = re.compile(r"(?:[,;:(\[+\-*/^=<>&|]|\bby)\s*$")
"""The end of a line that continues in the next line: a separator, an operator or ``by``."""
_OBTAINS = re.compile(r"(?:-\s+)*obtain\s(?!.*\sfrom(?:\s|$))")
"""A line ``obtain`` without ``from`` so far, which continues since it may have many names."""


def path_of(root: Path, name: str) -> Path:
    """The path of the proof text of a statement in a folder of proofs, whether or not the file exists."""
    folder = "lemmas" if name.startswith("lem.") else name.partition(".")[0]
    return root / folder / f"{name.removeprefix('lem.')}.proof"


def shown(raw: str, part: str = "proof") -> str:
    """The lines of one part of a text as their author wrote them, with comments; empty if the text lacks the part."""
    part_lines: list[str] = []
    current = "head"
    for line in raw.split("\n"):
        if line and not line[0].isspace() and not line.startswith("#"):
            word, _, remaining = line.partition(" ")
            current = word if word in PARTS[1:] else "proof" if word in ("proof", "refutation") else current
            if word == part and part in PARTS[1:] and remaining:
                part_lines.append(f"  {remaining}")
        elif current == part:
            part_lines.append(line)
    return textwrap.dedent("\n".join(part_lines)).rstrip()


def read(text: str) -> ProofText:
    """A proof text as its lines. BadProof, with line and column, if it cannot be read."""
    if len(text) > MAX_LENGTH:
        raise BadProof(Place(1, 1), f"a proof script must have at most {MAX_LENGTH} characters", len(text))
    # The version of the language, which may be left out, and the heading.
    lines = _logical(text)
    if not lines:
        raise BadProof(Place(1, 1), "expected 'proof ID' or 'refutation ID'", "nothing")
    if lines[0].text.startswith("language"):
        first_line = lines.pop(0)
        if first_line.text.split()[1:] != [str(VERSION)]:
            must = f"expected language {VERSION}, the version that is read here"
            raise BadProof(
                first_line.place(0),
                must,
                first_line.text,
                "rewrite the script for this version, or use the symcook of that version",
            )
    head = re.fullmatch(r"(proof|refutation)\s+([A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*)", lines[0].text) if lines else None
    if head is None or lines[0].indent:
        place, actual = (lines[0].place(0), lines[0].text) if lines else (Place(1, 1), "nothing")
        raise BadProof(place, "expected 'proof ID' or 'refutation ID' at the beginning of a line", actual)
    # The parts: each but the first begins with its name at the beginning of a line.
    name, refutes = head[2], head[1] == "refutation"
    parts: dict[str, list[_Logical]] = {"proof": []}
    current = "proof"
    for line in lines[1:]:
        if line.indent == 0:
            head = re.match(r"(\w+)\s*", line.text)
            if head is None or head[1] not in PARTS[1:] or head[1] in parts:
                raise BadProof(
                    line.place(0), "expected 'defined' or 'inhabited', each once, or an indented line", line.text
                )
            current = head[1]
            parts[current] = []
            if head.end() < len(line.text):  # the first line of the part follows the name
                parts[current].append(_Logical(INDENT, line.text[head.end() :], line.where[head.end() :]))
        else:
            parts[current].append(line)
    return ProofText(name, refutes, {k: _block(v, 0) for k, v in parts.items()})


def _logical(text: str) -> list[_Logical]:
    """The lines of a text without comments, each joined with the lines that continue it."""
    logical_lines: list[_Logical] = []
    depth = 0  # the number of open brackets
    open_line = False  # whether the line before continues
    for number, raw in enumerate(text.split("\n"), 1):
        if "\t" in raw:
            raise BadProof(Place(number, raw.index("\t") + 1), "expected spaces to indent a line", "a tab")
        if not raw.isprintable():  # another line break, or a character that hides text or turns its direction
            at = next(k for k, c in enumerate(raw) if not c.isprintable())
            raise BadProof(Place(number, at + 1), "expected printable characters and spaces", f"U+{ord(raw[at]):04X}")
        stripped = raw.strip()
        if not stripped or stripped.startswith("#"):
            continue
        # A line that continues the line before is joined to it by a blank, with the place of its first character.
        start = len(raw) - len(raw.lstrip())
        where = [Place(number, start + k + 1) for k in range(len(stripped))]
        if logical_lines and (open_line or re.match(r"by\s", stripped)):
            last = logical_lines[-1]
            last.text += " " + stripped
            last.where += [where[0], *where]
        else:
            logical_lines.append(_Logical(start, stripped, where))
        for k, c in enumerate(stripped):
            depth += (c in "([") - (c in ")]")
            if depth < 0:
                raise BadProof(where[k], "expected no closing bracket here", stripped)
        last_text = logical_lines[-1].text
        open_line = depth > 0 or _GOES_ON.search(stripped) is not None or _OBTAINS.match(last_text) is not None
    if depth > 0:
        raise BadProof(logical_lines[-1].place(0), "expected a closing bracket before the end", logical_lines[-1].text)
    return logical_lines


def _block(lines: Sequence[_Logical], level: int) -> tuple[TextLine, ...]:
    """The lines of one block, each with the blocks below it; all must begin in the same column."""
    if level > MAX_DEPTH:
        raise BadProof(lines[0].place(0), f"expected at most {MAX_DEPTH} nested blocks")
    text_lines: list[TextLine] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.indent != lines[0].indent:
            raise BadProof(line.place(0), f"expected the line to begin in column {lines[0].indent + 1}", line.text)
        # After ``cases``, ``split`` and ``induct`` no line in the same column may follow: these lines close the goal.
        if text_lines and text_lines[-1].kind in ("cases", "split", "induct"):
            where_to_begin = f"set in deeper than it, from column {line.indent + 3}, in blocks that begin with '- '"
            must = f"expected what belongs to '{text_lines[-1].kind}' to be {where_to_begin}"
            raise BadProof(line.place(0), must, line.text)
        if re.match(r"-\s+\S", line.text):  # blocks without a line above them are for the parts of the goal
            return (*text_lines, TextLine("split", place=line.place(0), blocks=_bullets(lines[index:], level)))
        next_index = index + 1
        while next_index < len(lines) and lines[next_index].indent > line.indent:
            next_index += 1
        text_lines.append(_TextReader(line).line(lines[index + 1 : next_index], level))
        index = next_index
    return tuple(text_lines)


def _bullets(lines: Sequence[_Logical], level: int) -> tuple[tuple[TextLine, ...], ...]:
    """The blocks among lines, each of which begins with a dash."""
    groups: list[list[_Logical]] = []
    for line in lines:
        if line.indent == lines[0].indent:
            dash = re.match(r"-\s+", line.text)
            if dash is None:
                raise BadProof(line.place(0), "expected '- ' before each case", line.text)
            dash_end = dash.end()
            groups.append([_Logical(line.indent + dash_end, line.text[dash_end:], line.where[dash_end:])])
        else:
            groups[-1].append(line)
    return tuple(_block(group, level + 1) for group in groups)


# Patterns: a label or name; the sign ``..`` for the names that the statement itself has; either of both.
LABEL = r"[A-Za-z_][\w']*"
OWN = r"\.\."
NAMES = rf"(?:{LABEL}|{OWN})"


class _TextReader:
    """Reads one logical line. Positions are indices of characters in `text`. The method ``_`` and a keyword reads what
    follows this keyword, from the position that it is given."""

    def __init__(self, line: _Logical) -> None:
        self.source, self.text = line, line.text

    def fail(self, at: int, must: str) -> BadProof:
        """The error for the text at a position; `must` is the message."""
        return BadProof(self.source.place(at), must, self.text[at : at + 60] or "the end of the line")

    def line(self, below: Sequence[_Logical], level: int) -> TextLine:
        """The line with its blocks, which are read from the lines `below` it. `level` is how deep the line is
        nested."""
        word = re.match(r"[a-z]+(?=\s|$)", self.text)
        kind = word[0] if word and word[0] in WORDS else "fact"
        begin = len(kind) if kind != "fact" else 0
        while begin < len(self.text) and self.text[begin] == " ":
            begin += 1
        if kind in PARTS or kind in ("refutation", "language", "from"):
            raise self.fail(0, "expected a line of a proof")
        if kind == "by":  # after the name of a part: ``defined by HINTS``
            kind, begin = "qed", 0
        text_line: TextLine = getattr(self, f"_{kind}")(begin)
        # The lines below are further steps of a chain, blocks that begin with dashes, or one block that proves a fact.
        if text_line.kind == "calc":
            return replace(text_line, blocks=(tuple(_TextReader(step_line).step() for step_line in below),))
        if not below:
            return text_line
        if text_line.kind in ("cases", "split", "induct"):
            if text_line.hints and text_line.source is None:
                raise BadProof(below[0].place(0), "expected no block below a line that ends with 'by'", below[0].text)
            blocks = _bullets(below, level)
        elif (text_line.kind == "fact" and not text_line.hints) or (text_line.kind == "witness" and text_line.name):
            blocks = (_block(below, level + 1),)
        else:
            raise BadProof(below[0].place(0), "expected no block here: the line above has none", below[0].text)
        return replace(text_line, blocks=blocks)

    def place(self, at: int) -> Place:
        """The place in the file of the character at a position."""
        return self.source.place(at)

    def labels(self, start: int, end: int, between: str) -> tuple[str | tuple[str, ...], ...]:
        """The labels from `start` to `end`, where a group in parentheses is a tuple. `between` is the separator; empty
        for blanks."""
        labels_read: list[str | tuple[str, ...]] = []
        at = start
        pattern = re.compile(rf"\s*(?:({NAMES})|\(\s*({NAMES}(?:\s+{NAMES})*)\s*\))\s*")
        while at < end:
            match = pattern.match(self.text, at, end)
            if match is None:
                raise self.fail(at, "expected a label or labels in parentheses")
            labels_read.append(match[1] if match[1] else tuple(match[2].split()))
            at = match.end()
            if between and at < end:
                if self.text[at] != between:
                    raise self.fail(at, f"expected '{between}'")
                at += 1
        if not labels_read:
            raise self.fail(min(start, max(len(self.text) - 1, 0)), "expected a label")
        return tuple(labels_read)

    def word(self, word: str, start: int) -> int:
        """The position of the first `word` outside of brackets from `start` on; the end of the line if there is
        none."""
        depth = 0
        for at in range(start, len(self.text)):
            c = self.text[at]
            depth += (c in "([") - (c in ")]")
            alone = (at == 0 or self.text[at - 1] == " ") and re.match(rf"{word}(?!\S)", self.text[at:])
            if depth == 0 and alone:
                return at
        return len(self.text)

    def formula(self, start: int, end: int, what: str = "a formula") -> dict:
        """The fields of a `TextLine` for the formula between two positions. BadProof, with `what` as the expected kind,
        if there is only blank text."""
        stop = len(self.text[:end].rstrip())
        if stop <= start:
            raise self.fail(start, f"expected {what}")
        where = tuple(self.source.where[start:stop])
        return {"formula": self.text[start:stop], "inner": self.place(start), "where": where, "place": self.place(0)}

    def by(self, start: int) -> tuple[int, tuple[HintText, ...]]:
        """The position of ``by``, or the end of the line without it; and the hints after ``by``."""
        at = self.word("by", start)
        if at == len(self.text):
            return at, ()
        return at, self.hints(at + 2, len(self.text))

    def pieces(self, start: int, end: int, between: str) -> list[tuple[int, int]]:
        """The parts of the text from `start` to `end`, as their two positions. The separator `between` counts only
        outside of brackets; blanks around parts are left out."""
        ends, depth, begin = [], 0, start
        for at in range(start, end + 1):
            c = self.text[at] if at < end else between
            depth += (c in "([") - (c in ")]") if at < end else 0
            if at == end or (c == between and depth == 0):  # a part ends here: remove the blanks around it
                a, b = begin, at
                while a < b and self.text[a] == " ":
                    a += 1
                while b > a and self.text[b - 1] == " ":
                    b -= 1
                if a == b:
                    raise self.fail(min(a, len(self.text)), "expected something before the separator or the end")
                ends.append((a, b))
                begin = at + 1
        return ends

    def hints(self, start: int, end: int) -> tuple[HintText, ...]:
        """The hints between two positions, which commas separate."""
        return tuple(self.hint(a, b) for a, b in self.pieces(start, end, ","))

    def hint(self, a: int, b: int) -> HintText:
        """The hint from position `a` to `b`: ``name(terms)[premises]``, or a term for any other text."""
        text = self.text[a:b]
        place = self.place(a)
        head = re.match(r"[A-Za-z_][\w.:'-]*", text)
        if head is None or text.startswith("I["):
            return HintText(text, place=place)
        at = a + head.end()
        terms: tuple[str, ...] | None = None
        premises: tuple[HintText, ...] = ()
        if at < b and self.text[at] == "(":
            close = self.closing(at)
            terms = tuple(self.text[x:y] for x, y in self.pieces(at + 1, close, ";"))
            at = close + 1
        if at < b and self.text[at] == "[":
            close = self.closing(at)
            premises = self.hints(at + 1, close)
            at = close + 1
        if at != b:
            return HintText(text, place=place)
        return HintText(text, head[0], terms, premises, place)

    def closing(self, at: int) -> int:
        """The position at which the bracket that opens at `at` is closed."""
        depth = 0
        for k in range(at, len(self.text)):
            depth += (self.text[k] in "([") - (self.text[k] in ")]")
            if depth == 0:
                return k
        raise self.fail(at, "expected a closing bracket")

    # One method for each kind of line; `at` is the position at which the text after the keyword begins.

    def _given(self, at: int) -> TextLine:
        return TextLine("given", self.labels(at, len(self.text), ""), place=self.place(0), inner=self.place(at))

    def _fact(self, at: int) -> TextLine:
        """``label: FORMULA by HINTS``, or ``(a b): FORMULA`` for the parts of a conjunction."""
        head = re.match(rf"({LABEL}|\(\s*{LABEL}(?:\s+{LABEL})*\s*\))\s*:(?!=)", self.text)
        if head is None:
            raise self.fail(0, "expected 'label: formula', or one of the keywords that begin a line")
        end, hints = self.by(head.end())
        start = head.end()
        while start < len(self.text) and self.text[start] == " ":
            start += 1
        return TextLine("fact", self.labels(0, head.end(1), ""), hints=hints, **self.formula(start, end))

    def _calc(self, at: int) -> TextLine:
        """``calc label: TERM <= TERM by HINTS``, the first step of a chain."""
        head = re.compile(rf"({LABEL})\s*:(?!=)\s*").match(self.text, at)
        end, hints = self.by(at)
        text_line = TextLine(
            "calc", (head[1],) if head else (), hints=hints, **self.formula(head.end() if head else at, end)
        )
        return replace(text_line, terms=self.related(text_line.formula, at))

    def step(self) -> TextLine:
        """A further step of a chain, ``_ <= TERM by HINTS``."""
        end, hints = self.by(0)
        text_line = TextLine("step", hints=hints, **self.formula(0, end))
        left_side, *others = self.related(text_line.formula, 0)
        if left_side != "_":
            raise self.fail(0, "expected a line of the chain, _ <= TERM by HINTS")
        return replace(text_line, terms=(left_side, *others))

    def related(self, text: str, at: int) -> tuple[str, str, str]:
        """The left side, the sign and the right side of a comparison in a chain, which must have exactly one sign
        outside of brackets. `at` is the position for the error."""
        depth, signs = 0, []
        for sign in re.finditer(r"[(\[)\]]|<->|->|!=|<=|>=|[<=>]", text):
            depth += (sign[0] in "([") - (sign[0] in ")]")
            signs += [sign] if depth == 0 and sign[0] not in ")]" else []
        if len(signs) != 1 or signs[0][0] not in ("<", "<=", "="):
            raise self.fail(at, "expected two terms with <, <= or = between them")
        return text[: signs[0].start()].strip(), signs[0][0], text[signs[0].end() :].strip()

    def _qed(self, at: int) -> TextLine:
        if at < len(self.text) and not re.match(r"by\b", self.text[at:]):
            raise self.fail(at, "expected 'by' or the end of the line")
        return TextLine("qed", hints=self.by(at)[1], place=self.place(0))

    def _cases(self, at: int) -> TextLine:
        """``cases a, b from FACT`` or ``cases a, b: FORMULA``: whether ``from`` or the colon comes first decides."""
        colon, origin = self.text.find(":", at), self.word("from", at)
        if origin < len(self.text) and (colon < 0 or origin < colon):
            source, hints = self.origin(origin)
            labels = self.labels(at, origin, ",")
            return TextLine("cases", labels, hints=hints, source=source, place=self.place(0), inner=source.place)
        if colon < 0:
            raise self.fail(at, "expected 'cases label, label: formula' or 'cases label, label from fact'")
        end, hints = self.by(colon + 1)
        start = colon + 1
        while start < len(self.text) and self.text[start] == " ":
            start += 1
        labels = self.labels(at, colon, ",")
        if len(labels) > 2:
            raise self.fail(at, "expected one label or two: the formula holds, or it does not")
        return TextLine("cases", labels, hints=hints, **self.formula(start, end))

    def _nothing(self, kind: str, at: int) -> TextLine:
        """A line of the kind `kind` that has only its keyword."""
        if at < len(self.text):
            raise self.fail(at, "expected the end of the line")
        return TextLine(kind, place=self.place(0))

    def _split(self, at: int) -> TextLine:
        return self._nothing("split", at)

    def _left(self, at: int) -> TextLine:
        return self._nothing("left", at)

    def _right(self, at: int) -> TextLine:
        return self._nothing("right", at)

    def _induct(self, at: int) -> TextLine:
        match = re.compile(rf"({LABEL})\s*\(\s*({LABEL})\s+({LABEL})\s*\)$").match(self.text, at)
        if match is None:
            raise self.fail(at, "expected 'induct name (label label)': the lower bound, then the induction hypothesis")
        return TextLine("induct", (match[2], match[3]), name=match[1], place=self.place(0), inner=self.place(at))

    def origin(self, at: int) -> tuple[HintText, tuple[HintText, ...]]:
        """The fact after ``from``, and the hints after ``by``."""
        end, hints = self.by(at)
        source = self.hints(at + 4, end)
        if len(source) != 1:
            raise self.fail(at, "expected one fact after 'from'")
        return source[0], hints

    def _obtain(self, at: int) -> TextLine:
        """``obtain x y (a b) from FACT``; a single label needs no parentheses."""
        origin = self.word("from", at)
        pattern = rf"({NAMES}(?:\s+{NAMES})*?)\s*(?:\(\s*({NAMES}(?:\s+{NAMES})*)\s*\)|\s({LABEL}))\s*$"
        match = re.compile(pattern).match(self.text, at, origin)
        if match is None or origin == len(self.text):
            raise self.fail(at, "expected 'obtain name (label label) from fact'")
        label = match[3] or tuple(match[2].split())
        if not isinstance(label, str) and len(label) == 1 and label != ("..",):  # ``(a)`` is the label a
            (label,) = label
        source, hints = self.origin(origin)
        names = tuple(match[1].split())
        return TextLine(
            "obtain", (label,), hints=hints, terms=names, source=source, place=self.place(0), inner=source.place
        )

    def _take(self, at: int) -> TextLine:
        """``take (a b) from FACT by HINTS``."""
        origin = self.word("from", at)
        if origin == len(self.text):
            raise self.fail(at, "expected 'take label from fact'")
        source, hints = self.origin(origin)
        labels = self.labels(at, origin, "")
        if len(labels) != 1:
            raise self.fail(at, "expected one label, or labels in parentheses, and one fact")
        return TextLine("take", labels, hints=hints, source=source, place=self.place(0), inner=source.place)

    def _witness(self, at: int) -> TextLine:
        """``witness each by HINTS``, or ``witness TERM; TERM``."""
        each_word = re.compile(r"each(?=\s+by\s|$)").match(self.text, at)
        if each_word is not None:
            hints = self.by(at)[1]
            return TextLine("witness", name="each", hints=hints, place=self.place(0), inner=self.place(at))
        pieces = self.pieces(at, len(self.text), ";")
        terms = tuple(self.text[a:b] for a, b in pieces)
        return TextLine("witness", terms=terms, place=self.place(0), inner=self.place(at))

    def _suppose(self, at: int) -> TextLine:
        match = re.compile(rf"({LABEL})\s*(:\s*|$)").match(self.text, at)
        if match is None:
            raise self.fail(at, "expected 'suppose label: formula'")
        if match.end() == len(self.text):
            return TextLine("suppose", (match[1],), place=self.place(0))
        return TextLine("suppose", (match[1],), **self.formula(match.end(), len(self.text)))

    def _rewrite(self, at: int) -> TextLine:
        """``rewrite FACT``, ``rewrite back FACT``, or with ``in OTHER as label``."""
        back = re.compile(r"back\s+").match(self.text, at)
        start = back.end() if back else at
        into, name = self.word("in", start), self.word("as", start)
        hints = self.hints(start, into)
        if len(hints) != 1:
            raise self.fail(start, "expected one fact that is an equation")
        text_line = TextLine(
            "rewrite", hints=hints, name="back" if back else "", place=self.place(0), inner=self.place(start)
        )
        if into == len(self.text):
            return text_line
        if name == len(self.text):
            raise self.fail(into, "expected 'in fact as label'")
        rewritten_fact = self.hints(into + 2, name)
        return replace(text_line, terms=(rewritten_fact[0].text,), labels=self.labels(name + 2, len(self.text), ""))

    def _let(self, at: int) -> TextLine:
        match = re.compile(rf"({LABEL})(?:\(({LABEL}(?:\s*,\s*{LABEL})*)\))?\s*=\s*(?!=)").match(self.text, at)
        if match is None:
            raise self.fail(at, "expected 'let name = term' or 'let name(name, name) = term'")
        names = tuple(n.strip() for n in match[2].split(",")) if match[2] else ()
        return TextLine("let", name=match[1], terms=names, **self.formula(match.end(), len(self.text), "a term"))


# --- Printing -------------------------------------------------------------------------------------------------------


def written(proof: ProofText) -> str:
    """The text of a proof, which `read` reads as the same lines."""
    text_rows = [f"{'refutation' if proof.refutes else 'proof'} {proof.id}"]
    for part in PARTS:
        if part in proof.parts and (part == "proof" or proof.parts[part]):
            # A part of one line without blocks is written after its name, as in ``inhabited witness 0``.
            part_rows = block_lines(proof.parts[part], INDENT)
            first_lines = proof.parts[part][:1]
            single = bool(first_lines) and not first_lines[0].blocks and len(first_lines) == len(proof.parts[part])
            if part != "proof" and single:
                part_rows = _wrapped(f"{part} {line_text(first_lines[0]).removeprefix('qed ')}", 0)
            else:
                text_rows += [] if part == "proof" else [part]
            text_rows += part_rows
    return "\n".join(text_rows) + "\n"


def count(lines: Iterable[TextLine]) -> int:
    """The number of lines of a block, with those of the blocks below them."""
    return sum(1 + sum(count(b) for b in line.blocks) for line in lines)


def block_lines(lines: Iterable[TextLine], indent: int) -> list[str]:
    """The rows of text of a block, indented by `indent` columns."""
    text_rows: list[str] = []
    for line in lines:
        # A split is written as its blocks only, each with a dash in the column of the line.
        if line.kind == "split" and line.blocks:
            for block in line.blocks:
                rows = block_lines(block or (TextLine("qed"),), indent + 2)
                rows[0] = " " * indent + "- " + rows[0].lstrip()
                text_rows += rows
            continue
        for part in _parted(line, indent):
            text_rows += _wrapped(line_text(part), indent)
        # A fact, a chain and a witness have one block without a dash; other lines have blocks with dashes.
        if line.kind in ("fact", "calc", "witness"):
            for block in line.blocks:
                text_rows += block_lines(block, indent + 2)
            continue
        for block in line.blocks:
            rows = block_lines(block or (TextLine("qed"),), indent + 4)
            rows[0] = " " * (indent + 2) + "- " + rows[0].lstrip()
            text_rows += rows
    return text_rows


def _group(label: str | tuple[str, ...]) -> str:
    """A label, or labels in parentheses."""
    return label if isinstance(label, str) else f"({' '.join(label)})"


def line_text(line: TextLine) -> str:
    """One line without its blocks."""
    # The fields that a kind of line has are described at `TextLine`.
    by = f" by {', '.join(h.text for h in line.hints)}" if line.hints else ""
    labels = [_group(k) for k in line.labels]
    if line.kind == "given":
        return f"given {' '.join(labels)}"
    if line.kind == "fact":
        group = f"({' '.join(labels)})" if len(labels) > 1 else labels[0]
        return f"{group}: {line.formula}{by}"
    if line.kind in ("calc", "step"):
        head = "" if line.kind == "step" else "".join(["calc ", *(f"{k}: " for k in labels)])
        return f"{head}{line.formula}{by}"
    if line.kind == "take" and line.source is not None:
        return f"take {labels[0]} from {line.source.text}{by}"
    if line.kind == "qed":
        return f"qed{by}"
    if line.kind == "cases":
        if line.source is not None:
            return f"cases {', '.join(labels)} from {line.source.text}{by}"
        return f"cases {', '.join(labels)}: {line.formula}{by}"
    if line.kind == "induct":
        return f"induct {line.name} ({' '.join(labels)})"
    if line.kind == "obtain":
        return f"obtain {' '.join(line.terms)} {labels[0]} from {present(line.source).text}{by}"
    if line.kind == "witness" and line.name:
        return f"witness {line.name}{by}"
    if line.kind == "witness":
        return f"witness {'; '.join(line.terms)}"
    if line.kind == "suppose":
        return f"suppose {labels[0]}: {line.formula}" if line.formula else f"suppose {labels[0]}"
    if line.kind == "rewrite":
        into = f" in {line.terms[0]} as {labels[0]}" if line.terms else ""
        return f"rewrite {'back ' if line.name else ''}{line.hints[0].text}{into}"
    if line.kind == "let":
        names = f"({', '.join(line.terms)})" if line.terms else ""
        return f"let {line.name}{names} = {line.formula}"
    return line.kind


def _parted(line: TextLine, indent: int) -> list[TextLine]:
    """The line itself; or several lines for a long ``given``, since it continues in the next line only within
    brackets."""
    parts = [line]
    while line.kind == "given" and len(parts[-1].labels) > 1 and len(line_text(parts[-1])) + indent > WIDTH:
        labels, fitting = parts.pop().labels, 1
        while len(line_text(replace(line, labels=labels[: fitting + 1]))) + indent <= WIDTH:
            fitting += 1
        parts += [replace(line, labels=labels[:fitting]), replace(line, labels=labels[fitting:])]
    return parts


def _wrapped(text: str, indent: int) -> list[str]:
    """The rows of a text, of at most `WIDTH` characters if that is possible. A row ends only where the reader knows
    that the line continues."""
    # `breaks`: the blanks at which a row may end, since `_logical` joins two lines there: within brackets, after an
    # operator, before ``by``, and in the names to obtain.
    breaks, depth = [], 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        goes_on = depth > 0 or _GOES_ON.search(text[:k]) or text.startswith("by ", k + 1)
        if c == " " and (goes_on or _OBTAINS.match(text[: k + 1])):
            breaks.append(k)
    # Each row ends at the last break that fits, or at the next one if none fits.
    rows: list[str] = []
    begin, pad = 0, indent
    while len(text) - begin + pad > WIDTH:
        fitting = [k for k in breaks if begin < k <= begin + WIDTH - pad] or [k for k in breaks if k > begin][:1]
        if not fitting:
            break
        rows.append(" " * pad + text[begin : fitting[-1]])
        begin, pad = fitting[-1] + 1, indent + 6
    return [*rows, " " * pad + text[begin:]]
