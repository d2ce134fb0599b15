"""Model files: versioned JSON with exact numbers as text in the grammar, and a hash of what it says.

A file is checked in this order, each step with a limit: size, encoding, nesting, JSON, keys and types, expressions, and
at the end whatever the blocks themselves check. Nothing in a file is ever evaluated.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.door import door
from symcook.errors import BadInput, NotExact
from symcook.files import content, exact_json, put
from symcook.model.checks import MAX_LABEL, Space, stored_value
from symcook.model.ends import Embedding, Readout, TokenRows
from symcook.model.entries import (
    FEW,
    RationalEntries,
    all_rational,
    as_sympy,
    held,
    held_values,
    kept_number,
    rational_matrix,
)
from symcook.model.expr import ARITY, Tree, children, names, parse_term, show
from symcook.model.meaning import subtrees
from symcook.model.parts import KINDS, Layer, Part, SelfAttention, held_matrices
from symcook.model.rationals import Rationals, rational
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import kind_of
from symcook.model.symbols import PositionTable, exact, from_sympy
from symcook.model.transformer import Parameter, Program, Transformer

if TYPE_CHECKING:
    import sympy

    from symcook.numbers.matrix import RationalMatrix

READS = StepsRead("the model file", **STEP_WORDS)

CERTIFICATES = (".proof.json", ".certificate.json")
"""The endings of files next to a model file that are no models."""
VERSION = 1
"""The version of the format, the value of the key "symcook"."""
MAX_BYTES = 128_000_000
"""The greatest size of a model file."""
MAX_NESTING = 32
"""The greatest depth of nested lists and objects."""
MAX_VALUES = 3_000_000
"""The greatest number of commas and opening brackets in a file, which bounds its number of values."""
MAX_DENSE = 2_500_000
"""In a model with more matrix entries, matrices that are mostly zero are written sparse: nonzero entries only."""
MAX_ENTRIES = 8_000_000
"""The greatest number of entries, zeros included, of all sparse matrices of a file together: 64 MB as numbers."""
MAX_BITS = 12_000
"""The greatest number of bits of a rational number, numerator and denominator together."""
MAX_SIZE = 2_048
"""The greatest number of bits of the values in an expression that is not rational (`_check_size`)."""
MAX_CALLS = 16
"""The greatest number of functions and roots in an expression that is not rational."""
MAX_DEPTH = 60
"""The greatest depth of the tree of such an expression."""
FEW_CALLS = 3
"""As `MAX_CALLS`, for a number whose sign a block needs: the sign is slow to compute."""
LARGE = 512
"""Three limits: the terms of a sum that is written out, the bits that `_check_size` counts for an exponential, and the
number of embedding entries above which the rows of tokens are kept as one matrix."""
MAX_TERMS = 20_000
"""The greatest number of terms visited to compute a rational number."""
MAX_EXPRESSIONS = 100_000
"""The greatest number of different expressions in a file, rational literals not counted."""
MAX_SOURCE = 100_000
"""The greatest number of characters of a program in a file."""
_BRACKETS_AND_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)
_LITERAL = re.compile(r"-?[0-9]{1,300}(/[1-9][0-9]{0,299})?", re.ASCII)
_ENTRY = re.compile(rf"[0-9]{{1,8}}:{_LITERAL.pattern}", re.ASCII)
GROWING = frozenset({"exp", "sinh", "cosh"})
"""Functions whose value may have exponentially more bits than their argument."""


def _large() -> BadInput:
    """The refusal of a rational number of more than `MAX_BITS` bits."""
    return BadInput(
        f"a number in a model file must have at most {MAX_BITS:,} bits", "a larger one", "use shorter numbers"
    )


def to_document(model: Transformer, sparse: bool = False) -> dict[str, Any]:
    """The model as the nested dictionary that a model file has (also what ``show --json`` prints).

    With `sparse`, a rational matrix that is mostly zero is {"columns", "rows"}. A row is then a text of its nonzero
    entries, each as column:number with columns from 0, as in "2:1 17:-1/2".
    """
    return _DocumentWriter(model, sparse).document()


class _DocumentWriter:
    """Writes the document of one model; `_Document` reads it."""

    def __init__(self, model: Transformer, sparse: bool) -> None:
        self.model, self.sparse = model, sparse
        self.texts: dict[Any, str] = {}
        """Number: its text. Each different number is turned into text once."""

    def document(self) -> dict[str, Any]:
        """The document of the model, with its keys in the order of the file."""
        model = self.model
        return {
            "symcook": VERSION,
            "name": model.name,
            "source": model.source,
            "space": list(model.space),
            "embedding": self.embedding(model.embedding),
            "layers": [self.layer(block) for block in READS.of(model).layers],
            "readout": self.readout(model.readout),
            "final_norm": None if model.final_norm is None else self.part(model.final_norm),
            "symbols": [self.parameter(parameter) for parameter in model.parameters],
            "max_length": model.max_length,
        }

    def embedding(self, embedding: Embedding) -> dict[str, Any]:
        """The embedding: rows of tokens or names of inputs, position functions, and tokens that are added."""
        words, inputs = embedding.words, embedding.inputs
        return {
            "words": None if words is None else self.rows(words),
            "inputs": None if inputs is None else list(inputs),
            "positions": self.table(embedding.positions),
            "start": embedding.start,
            "before": embedding.before,
            "after": embedding.after,
        }

    def rows(self, words: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, str]]:
        """The embedding rows of the tokens. Rows that are kept as one matrix are written with their zeros."""
        if not isinstance(words, TokenRows):
            return {token: self.table(row) for token, row in words.items()}
        column_of = {name: k for k, name in enumerate(words.names)}
        names = [name for name in self.model.space if name in column_of]
        token_rows = zip(words, self.matrix(words.matrix, sparse=False), strict=True)
        return {token: {name: row[column_of[name]] for name in names} for token, row in token_rows}

    def layer(self, block: Layer) -> dict[str, Any]:
        """A layer: its heads, its feed-forward sublayer, and the norms of both."""
        return {
            "attention": None if block.attention is None else [self.part(head) for head in block.attention.heads],
            "feedforward": None if block.feedforward is None else self.part(block.feedforward),
            "placement": block.placement,
            "attention_norms": [self.part(norm) for norm in block.attention_norms],
            "feedforward_norms": [self.part(norm) for norm in block.feedforward_norms],
        }

    def part(self, block: Part) -> dict[str, Any]:
        """A head, a feed-forward sublayer or a norm: every field that its class lists."""
        fields: dict[str, Any] = {} if block.KIND == block.PLACE else {"kind": block.KIND}
        fields |= {"reads": list(block.reads), "writes": list(block.writes)}
        for name, kind in block.FIELDS.items():
            value = held(block, name)
            if kind != "word" and value is not None:
                value = self.text(value) if kind == "number" else self.matrix(value, self.sparse)
            fields[name] = value
        return fields

    def readout(self, readout: Readout) -> dict[str, Any]:
        """The readout. Only one that groups labels has the key "groups"."""
        weights = held(readout, "weights")
        return {
            "kind": readout.kind,
            "position": readout.position,
            "reads": list(readout.reads),
            "weights": None if weights is None else self.matrix(weights, self.sparse),
            "labels": list(readout.labels),
            **({"groups": list(readout.groups)} if readout.groups else {}),
        }

    def parameter(self, parameter: Parameter) -> dict[str, Any]:
        """A declared symbol: its name, its default and its range."""
        default, lower, upper = (
            None if value is None else self.text(value)
            for value in (parameter.default, parameter.lower, parameter.upper)
        )
        return {
            "name": parameter.name,
            "default": default,
            "lower": lower,
            "upper": upper,
            "lower_open": parameter.lower_open,
            "upper_open": parameter.upper_open,
        }

    def matrix(self, value: Any, sparse: bool) -> Any:
        """A kept matrix as rows of text; with `sparse`, one that is mostly zero as {"columns", "rows"}."""
        height, width = value.shape
        if not all_rational(value):
            return [[self.text(value[r, c]) for c in range(width)] for r in range(height)]
        # Sparse only where less than a quarter of the entries are nonzero.
        if sparse and 4 * value.nnz() < height * width:
            rows = [
                " ".join(f"{c}:{_ratio_text(x.numerator, x.denominator)}" for c, x in row.items())
                for row in value.filled_rows()
            ]
            return {"columns": width, "rows": rows}
        flat = [_ratio_text(p, q) for p, q in value.ratios()]
        return [flat[r * width : (r + 1) * width] for r in range(height)]

    def table(self, values: Mapping[str, object]) -> dict[str, str]:
        """{coordinate: number as text}, in the order of the space."""
        numbers = held_values(values)
        return {name: self.text(numbers[name]) for name in self.model.space if name in numbers}

    def text(self, value: Any) -> str:
        """A number as an expression of the grammar."""
        if isinstance(value, Fraction):
            return _ratio_text(value.numerator, value.denominator)
        if isinstance(value, PositionTable):
            _check_size(value.tree, "a number")
            return show(value.tree)
        if value not in self.texts:
            if value.is_Rational:
                self.texts[value] = _ratio_text(value.p, value.q)
            else:
                expression = from_sympy(value)
                tree = parse_term(expression)
                _check_size(tree, "a number")
                # Read once more: sympy may distribute what was built unevaluated, and the hash must stay the same. In a
                # table by position sympy has nothing to distribute.
                self.texts[value] = expression if _is_table(tree) else from_sympy(exact(expression))
        return self.texts[value]


def _is_table(tree: Tree) -> bool:
    """Whether a term is a choice of rational numbers by the position: if(i < 2, 1/2, if(i < 3, -3, 0)).

    >>> [_is_table(parse_term(text)) for text in ("if(i < 2, 1/2, if(i = 3, -3, 0))", "if(i < 2, 2 * n, 0)", "1/2")]
    [True, False, False]
    """
    waiting, chosen = [tree], False
    while waiting:
        node = waiting.pop()
        if node[0] == "if":
            condition, chosen = node[1], True
            if condition[0] not in ("<", "<=", "=") or condition[1] != ("name", "i") or condition[2][0] != "num":
                return False
            waiting += node[2:]
        else:
            number = node[1] if node[0] == "neg" else node
            parts = number[1:] if number[0] == "/" else (number,)
            if any(part[0] != "num" for part in parts):
                return False
    return chosen


def _ratio_text(p: int, q: int) -> str:
    """The rational number p/q as text."""
    if p.bit_length() + q.bit_length() > MAX_BITS:
        raise _large()
    return str(p) if q == 1 else f"{p}/{q}"


def dumps(model: Transformer) -> str:
    """The text of the model file; `loads` gives an equal model back. The text has the program of a compiled
    model, which the hash leaves out.

    Raises BadInput where a number of the model has no form in the grammar.
    """
    entries = sum(
        weights.shape[0] * weights.shape[1]
        for layer in READS.of(model).layers
        for part in layer.parts()
        for weights in held_matrices(part).values()
    )
    document = to_document(model, sparse=entries > MAX_DENSE)
    if model.program is not None:
        document["program"] = {
            key: value for key, value in asdict(model.program).items() if key != "attention" or value
        }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def model_hash(model: Transformer) -> str:
    """SHA-256, in hexadecimal, of the model's document with sorted keys and no spaces: equal for equal models."""
    return document_hash(to_document(model))


def document_hash(document: Mapping[str, object]) -> str:
    """`model_hash` of the model whose document this is.

    The hash does not depend on the order of keys, nor on the order of tokens: models that differ only in the numbers of
    their tokens share a hash. So the hash does not fix which number a token has in a statement. To check a claim about
    a model again, its statement is therefore written anew from the model (`symcook.proof.statements.certify`); exported
    weights list the names of their tokens. A stored statement has these numbers in it: which model it is about,
    `numbered_hash` says.
    """
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def numbered_hash(document: Mapping[str, Any]) -> str:
    """The hash of a model's document with the order of its tokens: equal for equal models whose tokens have the same
    numbers. So a stored statement, such as ``accept <-> w(1) = 1``, is about every model with the hash of its own."""
    return document_hash({"model": document, "tokens": [*(document["embedding"]["words"] or ())]})


@door()
def save(model: Transformer, path: str | Path, *, force: bool = False) -> Path:
    """The path of the model file. The file is written completely or not at all.

    Arguments:
        path: path. The file to write.
        force: bool (False). Replace existing files.

    Returns: Path of the file.

    Raises: BadInput: the file exists (without `force`), the folder is missing, the file cannot be written, or its
    content could not be read again.

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sc.build("identity").save(f"{folder}/identity.json")
    ...     sc.load(f"{folder}/identity.json") == sc.build("identity")
    True
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise BadInput("a model file must not be a folder", target, "add a file name")
        if not target.parent.is_dir():
            raise BadInput("the folder of a model file must exist", target.parent, "make this folder first")
        if target.exists() and not force:
            raise FileExistsError
        text = dumps(model)
        loads(text)
        put({target: text.encode("ascii")}, force=force)
    except FileExistsError:
        raise BadInput("a model file must not exist yet", target, "give another name, or --force") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(
            "a model file must be writable", f"{target} ({reason})", "give another name, or make the folder writable"
        ) from None
    return target


def _files_beside(source: Path) -> str:
    """The hint where the file `source` cannot be read: the model files in its folder."""
    try:
        names = sorted(file.name for file in source.parent.glob("*.json") if not file.name.endswith(CERTIFICATES))
    except OSError:
        names = []
    names_listed = ", ".join(names[:6]) + ", ..." * (len(names) > 6)
    return f"files here: {names_listed}; recipes: symcook list" if names else "recipes: symcook list"


@door()
def load(path: str | Path) -> Transformer:
    """The model in a file.

    Arguments:
        path: path. A model file (.json), as `save` writes it.

    Returns: Transformer.

    Raises: BadInput: a missing file, a file without a model, or a file that was changed (its hash does not fit).

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sc.build("identity").save(f"{folder}/identity.json")
    ...     sc.load(f"{folder}/identity.json").name
    'identity'
    """
    source = Path(path)
    data = content(source, "a model file", MAX_BYTES, partial(_files_beside, source))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        exports = {".npz": "from_npz", ".safetensors": "from_safetensors"}
        do = f"symcook.{exports[source.suffix]} reads an export" if source.suffix in exports else None
        raise BadInput("a model file must be text in UTF-8", source, do) from None
    try:
        return loads(text)
    except BadInput as error:
        do = f"a program makes its model when it is run first: python {source}" if source.suffix == ".py" else error.do
        raise type(error)(f"{source}: {error.must}", error.given, do) from None


@door()
def loads(text: str) -> Transformer:
    """The model that a model file's text describes.

    Raises BadInput, in one sentence and within bounded time and memory, for everything else: text that is no JSON or
    is truncated, another version, missing, unknown or repeated keys, wrong types, numbers that are not text in the
    grammar or too large, and whatever the blocks refuse.
    """
    if len(text) > MAX_BYTES:
        raise BadInput(f"a model file must have at most {MAX_BYTES:,} characters", len(text), "save a smaller model")
    _check_nesting(text)
    try:
        document = exact_json(text, "model")
    except json.JSONDecodeError as error:
        raise BadInput(
            "a model file must be complete JSON",
            f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}",
            "save the model again",
        ) from None
    except (RecursionError, ValueError) as error:
        raise BadInput(
            "a model file must be JSON that can be read", type(error).__name__, "save the model again"
        ) from None
    return _Document().model(document)


def _check_nesting(text: str) -> None:
    """BadInput for deep nesting and for too many values, found in one pass before the JSON reader sees the text."""
    if text.count(",") + text.count("[") + text.count("{") > MAX_VALUES:
        raise BadInput(f"a model file must have at most {MAX_VALUES:,} values", "more", "save a smaller model")
    depth = 0
    for match in _BRACKETS_AND_TEXTS.finditer(text):
        # A match is a bracket or a whole string, so brackets inside strings do not count.
        letter = text[match.start()]
        if letter in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise BadInput(f"a model file must nest at most {MAX_NESTING} deep", "more", "save the model again")
        elif letter in "]}":
            depth -= 1


class _Document:
    """Reads a document. Each method takes a JSON value and, as `place`, its name for messages; it returns the value
    that the model has, or raises BadInput."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, bool], Any] = {}
        """{text: number} of all numbers read so far."""
        self.read = 0
        """How many expressions, other than rational literals, were read (`MAX_EXPRESSIONS`)."""
        self.entries = 0
        """How many entries the sparse matrices read so far have, zeros included (`MAX_ENTRIES`)."""

    def wrong(self, place: str, must: str, value: object) -> BadInput:
        """The refusal of `value`; a list or an object is named by its kind."""
        if not isinstance(value, (str, int, type(None))):
            value = {dict: "an object", list: "a list"}.get(type(value), type(value).__name__)
        return BadInput(
            f"{place} in a model file must be {must}",
            "null" if value is None else value,
            "save the model again, or repair this place in the file",
        )

    def fields(self, value: object, place: str, keys: str | None = None) -> dict[str, Any]:
        """`value` as an object; with `keys`, names separated by spaces, it must have exactly these keys."""
        if not isinstance(value, dict):
            raise self.wrong(place, "an object", value)
        if keys is not None:
            for key in keys.split():
                if key not in value:
                    raise BadInput(
                        f"{place} in a model file must have the key {key}", do="add the key, or save the model again"
                    )
            for key in value:
                if key not in keys.split():
                    raise BadInput(
                        f"{place} in a model file must have no other keys than {keys}", key, "leave the key out"
                    )
        return value

    def array(self, value: object, place: str) -> list[Any]:
        """`value` as a list."""
        if not isinstance(value, list):
            raise self.wrong(place, "a list", value)
        return value

    def label(self, value: object, place: str) -> str:
        """`value` as printable text of at most `MAX_LABEL` characters."""
        if not isinstance(value, str):
            raise self.wrong(place, "text", value)
        if len(value) > MAX_LABEL or not all(letter.isprintable() for letter in value):
            raise self.wrong(place, f"printable text of at most {MAX_LABEL} characters", value)
        return value

    def flag(self, value: object, place: str) -> bool:
        """`value` as a bool."""
        if not isinstance(value, bool):
            raise self.wrong(place, "true or false", value)
        return value

    def integer(self, value: object, place: str) -> int:
        """`value` as an integer."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(place, "a whole number", value)
        return value

    def names(self, value: object, place: str) -> tuple[str, ...]:
        """`value` as a tuple of names."""
        return tuple(self.label(name, f"each name in {place}") for name in self.array(value, place))

    def number(self, value: object, place: str, tables: bool = False) -> Any:
        """The exact number that a text is: a Fraction for a rational literal, with `tables` a `PositionTable` for the
        text of one, else a sympy expression. Each different text is read once."""
        if not isinstance(value, str):
            raise self.wrong(place, 'a number as text, such as "1/2"', value)
        if (value, tables) not in self.seen:
            if _LITERAL.fullmatch(value):
                self.seen[value, tables] = Fraction(value)
                return self.seen[value, tables]
            self.read += 1
            if self.read > MAX_EXPRESSIONS:
                raise BadInput(
                    f"a model file must have at most {MAX_EXPRESSIONS:,} different expressions",
                    "more",
                    "save a smaller model",
                )
            _check_size(parse_term(value), place)
            self.seen[value, tables] = kept_number(value, tables) if tables else exact(value)
        return self.seen[value, tables]

    def signed(self, value: Any, place: str) -> Any:
        """A number whose sign a block needs, so its expression must be simple (`FEW_CALLS`)."""
        number = self.number(value, place)
        if not isinstance(number, Fraction) and not number.is_Rational:
            _check_size(parse_term(value), place, FEW_CALLS)
        return number

    def table(self, value: object, place: str) -> dict[str, Any]:
        """{coordinate: number}."""
        return {name: self.number(entry, place, True) for name, entry in self.fields(value, place).items()}

    def sparse(self, value: dict[str, object], place: str) -> RationalMatrix | RationalEntries:
        """A rational matrix from its nonzero entries, as `to_document` writes it with `sparse`."""
        raw = self.fields(value, place, "columns rows")
        columns, lines = (
            self.integer(raw["columns"], f"columns of {place}"),
            self.array(raw["rows"], f"rows of {place}"),
        )
        self.entries += max(columns, 1) * len(lines)
        if not 0 <= columns <= MAX_ENTRIES or self.entries > MAX_ENTRIES:
            must = f"the matrices of a model file that are written by columns must have at most {MAX_ENTRIES:,} entries"
            raise BadInput(
                must,
                "more entries" if columns > 0 else columns,
                "save the model again, or repair this place in the file",
            )
        rows = []
        for line in lines:
            entries = line.split(" ") if isinstance(line, str) and line else []
            row = {int(at): Fraction(number) for at, _, number in map(self.entry, entries)}
            if not isinstance(line, str) or len(row) < len(entries) or max(row, default=-1) >= columns:
                must = f'text such as "2:1 17:-1/2", each of the {columns} columns at most once'
                raise self.wrong(f"each row of {place}", must, line)
            rows.append(row)
        return rational_matrix(rows, columns)

    def entry(self, text: str) -> tuple[str, str, str]:
        """An entry "column:number" in its three parts, the colon in the middle."""
        if not _ENTRY.fullmatch(text):
            raise self.wrong("each entry of a row", 'a column and a rational number, such as "17:-1/2"', text)
        return text.partition(":")

    def matrix(self, value: object, place: str, columns: int | None = None) -> sympy.ImmutableMatrix | RationalEntries:
        """A matrix from rows of text, or from its nonzero entries (`sparse`); the block checks its shape. Where it has
        no rows, `columns` is its width."""
        if isinstance(value, dict):
            return self.sparse(value, place)
        lines = [self.array(line, f"each row of {place}") for line in self.array(value, place)]
        width = len(lines[0]) if lines else columns or 0
        for line in lines:
            if len(line) != width:
                raise BadInput(
                    f"{place} in a model file must have rows of equal length",
                    f"{len(line)} and {width}",
                    "save the model again, or repair this place in the file",
                )
        # Rational literals become a rational matrix without sympy; any other entry is an expression.
        entries = [entry for line in lines for entry in line]
        literal = all(type(entry) is str and _LITERAL.fullmatch(entry) for entry in entries)
        if literal and len(entries) <= FEW:
            small_matrix = RationalEntries.of(list(map(Fraction, entries)), (len(lines), width))
            if small_matrix is not None:
                return small_matrix
        import sympy

        from symcook.numbers.matrix import RationalMatrix

        if literal:
            ratios = [_ratio(entry) for entry in entries]
            floats = _floats(ratios)
            if floats is not None:  # the weights of a published model
                import numpy as np

                return RationalMatrix.dyadic(np.array(floats).reshape(len(lines), width))
            return RationalMatrix.of(ratios, (len(lines), width))
        return sympy.ImmutableMatrix(len(lines), width, [self.number(entry, place) for entry in entries])

    def part(self, at: str, value: object, place: str) -> Any:
        """A part that stands `at` a place of `steps.LOWERINGS`, read by the table `FIELDS` of its class."""
        kind = KINDS[kind_of(value if isinstance(value, dict) else {}, at)]
        READS.kind(kind)
        said = () if at == kind.KIND else ("kind",)
        raw = self.fields(value, place, " ".join((*said, "reads", "writes", *kind.FIELDS)))
        names = {name: self.names(raw[name], f"{name} in {place}") for name in ("reads", "writes")}
        # The sizes that are known so far; a matrix without rows gets its width from them.
        widths = {"reads": len(names["reads"]), "one": 1}
        fields: dict[str, Any] = {}
        for name, form in kind.FIELDS.items():
            where = f"{name} in {place}"
            if form == "word":
                fields[name] = self.value(raw[name], where)
            elif form == "number":
                fields[name] = self.scale(raw[name], where) if name == "scale" else self.signed(raw[name], where)
            elif name in kind.OPTIONAL and raw[name] is None:
                fields[name] = None
            else:
                fields[name] = self.matrix(raw[name], where, columns=widths.get(form[1]) or 0)
                widths.setdefault(form[0], fields[name].shape[0])
        part = kind(**names, **fields)
        for name, given in names.items():
            if getattr(part, name) != given:  # a norm that is given no coordinates writes those that it reads
                must = f"all coordinates that the part has ({', '.join(getattr(part, name))})"
                raise self.wrong(f"{name} in {place}", must, ", ".join(given) or "none")
        return part

    def value(self, value: object, place: str) -> str:
        """A mask, a weighting or another listed value; BadInput for an alias."""
        return stored_value(self.label(value, place), place)

    def scale(self, value: object, place: str) -> Any:
        """The scale of a head: a rational number or the square root of one."""
        scale = self.signed(value, place)
        if not isinstance(scale, Fraction) and not (scale**2).is_Rational:
            raise self.wrong(place, "a rational number or the square root of one", value)
        return scale

    def layer(self, value: object, place: str) -> Layer:
        """A layer from its object."""
        raw = self.fields(value, place, "attention feedforward placement attention_norms feedforward_norms")
        heads, network = raw["attention"], raw["feedforward"]
        attention = None
        if heads is not None:
            attention = SelfAttention(
                tuple(self.part("head", head, place) for head in self.array(heads, f"attention in {place}"))
            )
        # Norms of the attention and of the feed-forward sublayer.
        attention_norms, feedforward_norms = (
            tuple(self.part("norm", norm, place) for norm in self.array(raw[name], f"{name} in {place}"))
            for name in ("attention_norms", "feedforward_norms")
        )
        block = None if network is None else self.part("network", network, place)
        return Layer(
            attention, block, attention_norms, feedforward_norms, self.label(raw["placement"], f"placement in {place}")
        )

    def token(self, value: object, place: str) -> str | None:
        """`value` as a token; None stays None."""
        return None if value is None else self.label(value, place)

    def embedding(self, value: object, space: Space) -> Embedding:
        """The embedding from its object; `space` has the coordinates."""
        raw = self.fields(value, "the embedding", "words inputs positions start before after")
        words, inputs = raw["words"], raw["inputs"]
        if words is not None:
            words = self.words(self.fields(words, "words"))
        return Embedding(
            space,
            words=words,
            inputs=None if inputs is None else self.names(inputs, "inputs"),
            positions=self.table(raw["positions"], "positions"),
            start=self.integer(raw["start"], "start"),
            before=self.token(raw["before"], "before"),
            after=self.token(raw["after"], "after"),
        )

    def words(self, given: dict[str, object]) -> Mapping[str, Mapping[str, Any]]:
        """The rows of tokens. They become one matrix where all rows name the same coordinates and have more than
        `LARGE` entries together."""
        tokens = [self.label(token, "a token") for token in given]
        rows = [self.fields(row, f"the embedding of {token}") for token, row in given.items()]
        names = list(rows[0]) if rows else []
        if len(tokens) * len(names) > LARGE and all(list(row) == names for row in rows):
            entries = as_sympy(self.matrix([list(row.values()) for row in rows], "words"))
            if all_rational(entries):
                return TokenRows(tokens, names, entries)
        return {token: self.table(row, f"the embedding of {token}") for token, row in zip(tokens, rows, strict=True)}

    def readout(self, value: object) -> Readout:
        """The readout from its object. Only a readout that groups labels has the key "groups"."""
        grouped = isinstance(value, dict) and "groups" in value
        raw = self.fields(value, "the readout", f"kind position reads weights labels{' groups' * grouped}")
        weights = raw["weights"]
        return Readout(
            self.value(raw["kind"], "the readout's kind"),
            self.label(raw["position"], "the readout's position"),
            self.names(raw["reads"], "the readout's reads"),
            None if weights is None else self.matrix(weights, "the readout's weights"),
            self.names(raw["labels"], "labels"),
            tuple(self.array(raw["groups"], "the groups of the readout")) if grouped else (),
        )

    def parameter(self, value: object) -> Parameter:
        """A symbol of the model with its default and its bounds."""
        raw = self.fields(value, "a symbol", "name default lower upper lower_open upper_open")
        bounds = {}
        for side in ("default", "lower", "upper"):
            bounds[side] = None if raw[side] is None else self.signed(raw[side], f"the {side} of a symbol")
        return Parameter(
            self.label(raw["name"], "a symbol's name"),
            **bounds,
            lower_open=self.flag(raw["lower_open"], "lower_open"),
            upper_open=self.flag(raw["upper_open"], "upper_open"),
        )

    def model(self, value: object) -> Transformer:
        """The model that a whole document describes."""
        # The version comes first: a file of another version may have other keys.
        version = value.get("symcook", VERSION) if isinstance(value, dict) else VERSION
        if type(version) is not int or version != VERSION:  # True and 1.0 are equal to 1
            if version == str(VERSION):
                must = f"the version of a model file must be the number {VERSION}, not text"
                raise BadInput(must, f'"symcook": "{VERSION}"', f'write "symcook": {VERSION}')
            raise BadInput(
                f"a model file must be of version {VERSION}", _brief(version), "save it with this symcook"
            )
        keys = "symcook name source space embedding layers readout symbols max_length final_norm"
        compiled = isinstance(value, dict) and "program" in value
        # Only the files of compiled models have the key "program".
        raw = self.fields(value, "the document", f"{keys} program" if compiled else keys)
        length = raw["max_length"]
        return Transformer(
            name=self.label(raw["name"], "the name"),
            embedding=self.embedding(raw["embedding"], Space(self.names(raw["space"], "space"))),
            layers=tuple(
                self.layer(layer, f"layer {number}")
                for number, layer in enumerate(self.array(raw["layers"], "layers"), 1)
            ),
            readout=self.readout(raw["readout"]),
            parameters=tuple(self.parameter(symbol) for symbol in self.array(raw["symbols"], "symbols")),
            max_length=None if length is None else self.integer(length, "max_length"),
            source=self.label(raw["source"], "the source"),
            final_norm=None if raw["final_norm"] is None else self.part("norm", raw["final_norm"], "the final norm"),
            program=self.program(raw["program"], raw["embedding"]) if compiled else None,
        )

    def program(self, value: object, embedding: Any) -> Program:
        """The program that the model was compiled from. It must be readable, and its tokens must be those of the
        model."""
        from symcook.programs.compiled import fitting

        # Programs of softmax attention have one more key, and an error in each line of the plan.
        soft = isinstance(value, dict) and "attention" in value
        raw = self.fields(value, "the program", f"kind source alphabet plan theorem{' attention' * soft}")
        source = raw["source"]
        if not isinstance(source, str) or len(source) > MAX_SOURCE:
            raise self.wrong("the source of the program", f"text of at most {MAX_SOURCE:,} characters", "another value")
        plan = [self.names(line, "a line of the plan") for line in self.array(raw["plan"], "the plan")]
        for line in plan:
            if len(line) != 3 + soft:
                wanted = f"a coordinate, a place and a meaning{', and an error' * soft}"
                raise self.wrong("a line of the plan", wanted, len(line))
        alphabet = self.names(raw["alphabet"], "the alphabet")
        kind, words = self.label(raw["kind"], "the language"), tuple(embedding["words"] or ())
        theorem = self.label(raw["theorem"], "the theorem")
        attention = self.label(raw["attention"], "the attention") if soft else ""
        program = Program(kind, source, alphabet, tuple(map(tuple, plan)), theorem, attention)
        # Whether the program reads as one of its language, and has the tokens of the model as alphabet.
        try:
            fitting(program, words)
        except BadInput as error:
            raise type(error)(f"the program in a model file: {error.must}", error.given, error.do) from None
        return program


def _ratio(literal: str) -> tuple[int, int]:
    """Numerator and denominator of a rational literal, in lowest terms."""
    p, _, q = literal.partition("/")
    above, below = int(p), int(q or 1)
    common = math.gcd(above, below)
    return above // common, below // common


def _floats(ratios: Sequence[tuple[int, int]]) -> list[float] | None:
    """The numbers p/q as floats; None where all are integers, or where one is not seen to be a float exactly: p has
    more than 53 bits, or q is no power of two up to 2^999."""
    if all(q == 1 for _, q in ratios):
        return None
    if any(q & (q - 1) or q.bit_length() > 1000 or p.bit_length() > 53 for p, q in ratios):
        return None
    return [p / q for p, q in ratios]


def _brief(value: object) -> str:
    """`value` as a message quotes it: text and integers themselves, any other value by its type."""
    return str(value) if isinstance(value, (str, int)) else type(value).__name__


def _check_size(tree: Tree, place: str, most: int = MAX_CALLS) -> None:
    """BadInput for an expression that is short to write but slow to compare with zero.

    For a rational number only the steps and bits of its computation are bounded (`Rationals`). Any other expression may
    have at most `most` functions and fractional powers, no large exponentials inside other functions, and only small
    values (in bits, 8 for a name). A sum whose ends are numbers counts with all its terms, any other sum with one term.
    """
    # A rational number: the bounds on its computation are enough.
    if not names(tree):
        try:
            Rationals({}, [MAX_TERMS]).term(tree)
        except NotExact:
            pass
        else:
            return
    calls = 0

    def refuse(what: str) -> BadInput:
        """The refusal of the expression, which must be `what`."""
        return BadInput(
            f"{place} in a model file must be {what}",
            show(tree),
            "save the model again, or repair this place in the file",
        )

    def at_most(bits: int, limit: int) -> int:
        """`bits`; BadInput where they are more than `limit`."""
        if bits > limit:
            raise refuse("an expression of smaller numbers, less deep, and without towers of exponentials")
        return bits

    def size(node: Tree, depth: int = 0) -> int:
        """A bound on the bits of the value of `node`; on the way `calls` counts functions and roots."""
        nonlocal calls
        at_most(depth, MAX_DEPTH)
        tag = node[0]
        if tag == "num":
            return node[1].bit_length() + node[2].bit_length()
        if tag == "name":
            return 8  # i, n and symbols count as small numbers
        before = calls
        parts = [size(child, depth + 1) for child in children(node)]
        if tag in ("sum", "prod"):
            if names(node[2]) | names(node[3]):  # the sum is written out only when i and n are known
                return at_most(max(parts), MAX_SIZE)
            terms = rational(node[3]) - rational(node[2]) + 1
            if terms > LARGE or (terms > 1 and any(part[0] in ("sum", "prod") for part in subtrees(node[4]))):
                raise refuse(f"an expression whose sums, where they are written out, have at most {LARGE} terms")
            # Each term has the calls of the body, which were counted once.
            calls = before + (calls - before) * max(0, math.ceil(terms))
            return at_most(parts[-1] * max(1, math.ceil(terms)), MAX_SIZE)
        if tag in ("*", "/"):
            return at_most(sum(parts), MAX_SIZE)
        if tag == "^" or (tag == "call" and node[1] == "pow"):
            exponent = (node[1:] if tag == "^" else node[2])[1]
            # An exponent with names or functions makes the power a function like exp, allowed for small numbers only.
            if names(exponent) or any(part[0] == "call" for part in subtrees(exponent)):
                calls += 1
                at_most(max(parts), 64)
                return LARGE
            power = abs(rational(exponent))
            calls += power.denominator != 1
            return at_most(parts[0] * max(1, math.ceil(power)), MAX_SIZE)
        if tag == "call":
            calls += 1
            # exp and its like turn n bits into 2^n, so their argument must be small and their value counts as large.
            if node[1] in GROWING or node[1] in ("tanh", "erf"):
                at_most(parts[0], 64)
                return LARGE if node[1] in GROWING else 2
            if node[1] in ("abs", "relu", "min", "max", "floor", "sign"):
                return max(parts)
            if node[1] == "mod":
                return at_most(sum(parts), MAX_SIZE)
            if node[1] in ARITY:  # log, sin, ...: slow at long numbers
                return at_most(max(parts), 256)
        elif tag in ("neg", "+", "-", "if", "ind", "=", "<=", "<", "~", "&", "|", "->", "<->", "true", "false"):
            return at_most(max(parts, default=0) + 1, MAX_SIZE)
        # Quantifiers, lambdas, and functions that the grammar does not know.
        raise refuse("an expression without quantifiers and functions of your own")

    size(tree)
    if calls > most:
        raise refuse(f"an expression with at most {most} functions and roots")
