"""RASP as Python objects, with tracr's names, so that programs written for tracr can be used.

    >>> from symcook.programs import rasp
    >>> opposite = rasp.length - rasp.indices - 1
    >>> reverse = rasp.Aggregate(rasp.Select(rasp.indices, opposite, rasp.Comparison.EQ), rasp.tokens, "?")
    >>> print(reverse.source("ab"))
    alphabet a b;
    v1(i) = -indices(i)
    v2(i) = length + v1(i)
    v3(i) = v2(i) + -1
    out(i) = aggregate(indices(j) = v3(i), in(j), "?")
    <BLANKLINE>
    >>> import symcook as sc
    >>> sc.compile("srasp", reverse, alphabet="ab").run("aab").outputs
    ['b', 'a', 'a']

A function given to Map, SequenceMap or Select is first called with sequences: if it uses only arithmetic, comparisons
and `&`, `|`, `~`, it returns a sequence. If it needs values (`if`, `%`, a table), it is called with every possible
value instead; the values must be letters, truths, or numbers of finite range. In Select, one side (the queries, or else
the keys) always has values. Source: Weiss et al. (2021).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum
from fractions import Fraction
from itertools import product
from math import isfinite, prod
from typing import Any, NoReturn, Self, TypeVar

from symcook.errors import BadInput
from symcook.present import present
from symcook.programs.formula import Alphabet, is_numeric
from symcook.programs.srasp import NUMERAL, Srasp, SraspLines, given_types, require_order, written
from symcook.programs.srasp_grammar import is_name

RaspNumber = int | float | Fraction
"""A constant number; a float is the dyadic number that it is."""
FEW = 64
"""The maximum number of values, or of combinations of two values, with which a function is called."""
SAMPLES = (0, 1, 2, 3, 7, 64, -1, Fraction(1, 2))
"""The numbers at which a function of unbounded numbers is tried."""


class RaspComparison(Enum):
    """The relation of a key to a query in `Select`."""

    EQ = "="
    NEQ = "!="
    LT = "<"
    LEQ = "<="
    GT = ">"
    GEQ = ">="
    TRUE = "true"
    FALSE = "false"


Comparison = RaspComparison
"""The name in tracr."""


def _compared(sign: str) -> Callable[[SOp, object], SOp]:
    """The method of SOp for a comparison operator."""
    return lambda self, other: SOp("compare", self, other, value=sign)


class RASPExpr:
    """A sequence or a selector, with tracr's annotations. No annotation changes what is compiled, but for the name."""

    op: str
    annotations: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the expression; without one, that of its operation."""
        return self.annotations.get("name", self.op)

    def named(self, label: str) -> Self:
        """The expression itself, which gets a name; the program's text uses that of a sequence if it is a valid name
        there and not taken."""
        return annotate(self, name=label)

    def annotated(self, **annotations: object) -> Self:
        """The same expression with annotations."""
        return annotate(self, **annotations)

    annotate = annotated


def annotate(expr: RASPExprT, **annotations: object) -> RASPExprT:
    """The expression itself, with annotations."""
    expr.annotations |= annotations
    return expr


RASPExprT = TypeVar("RASPExprT", bound=RASPExpr)


class SOp(RASPExpr):
    """A sequence: a value at each position. It is the operation `op` on `parts`, which are sequences, selectors or
    constants; `value` is a further argument, such as a comparison's sign or the function of a Map."""

    def __init__(self, op: str, *parts: object, value: object = None) -> None:
        self.op, self.parts, self.annotations = op, parts, {}
        self.value: Any = value

    @property
    def label(self) -> str:
        """The name that was given; "" without one."""
        return self.annotations.get("name", "")

    def __repr__(self) -> str:
        _require_outside()
        op = {"in": "tokens", "width": "selector_width"}.get(self.op, self.op)
        return f"<SOp {self.label}: {op}>" if self.label else f"<SOp {op}>"

    def __call__(self, *words: object) -> NoReturn:
        """Raises BadInput: unlike in tracr, a sequence is not evaluated without a model."""
        do = 'write sc.compile("srasp", sequence, alphabet="ab").run(string).outputs'
        raise BadInput("a program must be compiled with an alphabet before it can be run", repr(self), do)

    def source(self, alphabet: Alphabet, causal: bool = False) -> str:
        """The program as text."""
        return written(self.program(alphabet, causal))

    def program(self, alphabet: Alphabet, causal: bool = False) -> Srasp:
        """The program over an alphabet, whose numbers stand for themselves; with `causal` each selector selects among
        the positions up to the current one. BadInput if types do not fit, or a function cannot be translated."""
        return _RaspLines(alphabet, causal).program(self)

    def __add__(self, other: object) -> SOp:
        return SOp("sum", self, other)

    def __radd__(self, other: object) -> SOp:
        return SOp("sum", other, self)

    def __sub__(self, other: object) -> SOp:
        return SOp("sum", self, SOp("product", other, -1))

    def __rsub__(self, other: object) -> SOp:
        return SOp("sum", other, SOp("product", self, -1))

    def __mul__(self, other: object) -> SOp:
        return SOp("product", self, other)

    def __rmul__(self, other: object) -> SOp:
        return SOp("product", other, self)

    def __neg__(self) -> SOp:
        return SOp("product", self, -1)

    def __truediv__(self, other: object) -> SOp:
        if not isinstance(other, (int, float, Fraction)) or other == 0:
            raise BadInput("a sequence must be divided by a number that is not 0", str(other), "for example tokens / 2")
        return SOp("product", self, 1 / Fraction(other))

    __eq__ = _compared("=")  # type: ignore[assignment]
    __ne__ = _compared("!=")  # type: ignore[assignment]
    __lt__, __le__, __gt__, __ge__ = map(_compared, ("<", "<=", ">", ">="))

    def __and__(self, other: object) -> SOp:
        return SOp("and", self, other)

    def __rand__(self, other: object) -> SOp:
        return SOp("and", other, self)

    def __or__(self, other: object) -> SOp:
        return SOp("or", self, other)

    def __ror__(self, other: object) -> SOp:
        return SOp("or", self, other)  # in tracr 5 | x is the function `x or 5`

    def __invert__(self) -> SOp:
        return SOp("not", self)

    def __bool__(self) -> NoReturn:
        """Raises BadInput: a sequence has a value at each position."""
        _require_outside()
        do = "write Map(lambda value: ..., sequence), whose function is called with each value"
        raise BadInput("a sequence must not be used as yes or no", repr(self), do)

    def __hash__(self) -> int:
        """The identity of the object. A function of values that looks a sequence up gets an error instead."""
        _require_outside()
        return id(self)

    def __str__(self) -> str:
        _require_outside()
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class _NeedsValues(TypeError):
    """Raised if a function uses a sequence as a bool. It is a TypeError, which `_RaspLines._mapped` catches: then the
    function is called with values."""


_INSIDE: ContextVar[bool] = ContextVar("_INSIDE", default=False)
"""Whether a user's function is being called with sequences in place of values."""


def _require_outside() -> None:
    """Raise an error while a user's function is called with sequences: the hash and the text of a sequence are not
    those of its values."""
    if _INSIDE.get():
        raise _NeedsValues


class RaspSelector(RASPExpr):
    """A selector: true or false for each pair of positions. The fields are as in `SOp`."""

    def __init__(self, op: str, *parts: object, value: object = None) -> None:
        if not isinstance(op, str):
            raise BadInput(
                "a selector must be made by Select(keys, queries, comparison)",
                type(op).__name__,
                "for example Select(indices, indices, Comparison.LEQ)",
            )
        self.op, self.parts, self.annotations = op, parts, {}
        self.value: Any = value

    def __repr__(self) -> str:
        return f"<RaspSelector {self.op}>"

    def __and__(self, other: RaspSelector) -> RaspSelector:
        return RaspSelector("pair and", self, other)

    def __or__(self, other: RaspSelector) -> RaspSelector:
        return RaspSelector("pair or", self, other)

    def __invert__(self) -> RaspSelector:
        return RaspSelector("pair not", self)


class TokensType(SOp):
    """The class of `tokens`."""

    def __init__(self) -> None:
        super().__init__("in")


class IndicesType(SOp):
    """The class of `indices`."""

    def __init__(self) -> None:
        super().__init__("indices")


class LengthType(SOp):
    """The class of `length`."""

    def __init__(self) -> None:
        super().__init__("length")


tokens = TokensType()
"""The symbols of the string; numbers where the alphabet is given as numbers."""
indices = IndicesType()
"""0, 1, 2 and so on."""
length = LengthType()
"""The length of the string."""
Predicate = RaspComparison | Callable[..., object]
"""The third argument of `Select`: a comparison, or a function of a key and a query."""


def Select(keys: object, queries: object, predicate: Predicate) -> RaspSelector:  # noqa: N802
    """The selector in which position i selects the positions j with `predicate(key of j, query of i)`."""
    if not callable(predicate) and not isinstance(predicate, Comparison):
        do = "write Comparison.EQ, or a function of a key and a query"
        raise BadInput("the predicate of Select must be a Comparison or a function", str(predicate), do)
    if isinstance(predicate, Comparison):
        if predicate in (Comparison.TRUE, Comparison.FALSE):
            return ConstantSelector(predicate is Comparison.TRUE)
        return RaspSelector("select", keys, queries, value=predicate.value)
    return RaspSelector("predicate", keys, queries, value=predicate)


def ConstantSelector(value: bool) -> RaspSelector:  # noqa: N802
    """The selector that is true for all pairs of positions, or for none."""
    return RaspSelector("key", value)


def SelectorAnd(first: RaspSelector, second: RaspSelector) -> RaspSelector:  # noqa: N802
    return first & second


def SelectorOr(first: RaspSelector, second: RaspSelector) -> RaspSelector:  # noqa: N802
    return first | second


def SelectorNot(selector: RaspSelector) -> RaspSelector:  # noqa: N802
    return ~selector


def Aggregate(selector: RaspSelector, sop: object, default: object = None) -> SOp:  # noqa: N802
    """The mean of numbers or truths, or the first letter, over the selected positions; `default` if no position is
    selected, or without one "?" for letters and 0 for numbers."""
    return SOp("aggregate", selector, sop, value=default)


def SelectorWidth(selector: RaspSelector) -> SOp:  # noqa: N802
    """The number of selected positions."""
    return SOp("width", selector)


def Map(f: Callable[[Any], object], sop: object) -> SOp:  # noqa: N802
    """The sequence of f(value) for the values of `sop`."""
    if not callable(f):
        raise BadInput(
            "the first argument of Map must be a function", str(f), "for example Map(lambda x: x == 1, tokens)"
        )
    return SOp("map", sop, value=f)


def SequenceMap(f: Callable[[Any, Any], object], first: object, second: object) -> SOp:  # noqa: N802
    """The sequence of f(a, b) for the values a of `first` and b of `second` at each position."""
    return SOp("map", first, second, value=f)


def LinearSequenceMap(first: object, second: object, fst_fac: RaspNumber, snd_fac: RaspNumber) -> SOp:  # noqa: N802
    """The sequence `fst_fac` times `first` plus `snd_fac` times `second`."""
    return SOp("sum", SOp("product", first, fst_fac), SOp("product", second, snd_fac))


def Full(value: object) -> SOp:  # noqa: N802
    """The sequence with the same value at every position."""
    return SOp("constant", value=value)


def sop_not(sop: SOp) -> SOp:
    """The sequence of the negated truths."""
    return ~sop


def ConstantSOp(value: Sequence[object], check_length: bool = True) -> NoReturn:  # noqa: N802
    """Raises BadInput: a sequence with a fixed length is no program for every length."""
    do = "write Full(value), or Map(f, indices)"
    raise BadInput("a sequence must have a value at each position of every string", f"{len(value)} values", do)


class Encoding(Enum):
    """tracr's annotation of how a sequence is encoded. Here the compiler finds the type."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"


SOpT = TypeVar("SOpT", bound=SOp)


def numerical(sop: SOpT) -> SOpT:
    """The sequence itself, annotated as tracr needs it."""
    return annotate(sop, encoding=Encoding.NUMERICAL)


def categorical(sop: SOpT) -> SOpT:
    """The sequence itself, annotated as tracr needs it."""
    return annotate(sop, encoding=Encoding.CATEGORICAL)


def default_encoding(expr: RASPExpr) -> Encoding:
    """The encoding of a sequence that is not annotated."""
    return Encoding.CATEGORICAL


def get_encoding(sop: SOp) -> Encoding:
    """The encoding that a sequence is annotated with."""
    return sop.annotations.get("encoding", default_encoding(sop))


def is_numerical(sop: SOp) -> bool:
    """Whether a sequence is annotated as numerical."""
    return get_encoding(sop) is Encoding.NUMERICAL


def is_categorical(sop: SOp) -> bool:
    """Whether a sequence is not annotated as numerical."""
    return get_encoding(sop) is Encoding.CATEGORICAL


def default_name(expr: RASPExpr) -> str:
    """The name of an expression without one."""
    return expr.op


selector_and, selector_or, selector_not = SelectorAnd, SelectorOr, SelectorNot
Selector = RaspSelector
Annotator = Callable[[RASPExpr], Any]
DEFAULT_ANNOTATORS: dict[str, Annotator] = {"encoding": default_encoding, "name": default_name}
NumericValue, Value, SelectorValue = int | float, int | float | str | bool | None, list[list[bool]]
VT = TypeVar("VT", bound=int | float | str | bool | None)
T = TypeVar("T")


class DefaultRASPEvaluator:
    """tracr's evaluator. Here a program is compiled, and its model is run."""

    def evaluate(self, expr: RASPExpr, xs: Sequence[object]) -> NoReturn:
        """Raises BadInput: see `SOp.__call__`."""
        do = 'write sc.compile("srasp", sequence, alphabet="ab").run(string).outputs'
        raise BadInput("a program must be compiled with an alphabet before it can be run", repr(expr), do)


RASPEvaluator = DefaultRASPEvaluator
evaluate = DefaultRASPEvaluator().evaluate


class _Whole(Fraction):
    """A whole number as an argument of a user's function, which may index with it; division stays exact."""

    def __index__(self) -> int:
        return self.numerator


class _Numeral(str):
    """A letter that is a numeral, as an argument of a user's function.

    It raises BadInput for an operation on text if the function may mean the number: arithmetic, a comparison with a
    number, or an order that differs between text and numbers. `int(x)` is the number.
    """

    __slots__ = ()

    def _arithmetic(self, other: object = 0) -> Any:
        """Every arithmetic operator: an error, except that a sequence as the other operand handles it."""
        if isinstance(other, SOp):
            return NotImplemented
        must = "to use a symbol as a number, a program must convert it with int(..)"
        raise BadInput(must, f"the symbol {str(self)!r} as text", "write int(x) for x in the function")

    __add__ = __mul__ = __rmul__ = __mod__ = _arithmetic  # type: ignore[assignment]
    __radd__ = __rmod__ = __sub__ = __rsub__ = _arithmetic
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = _arithmetic

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, str) or other is None else self._arithmetic(other)

    def __ne__(self, other: object) -> bool:
        return str.__ne__(self, other) if isinstance(other, str) or other is None else self._arithmetic(other)

    def __lt__(self, other: str) -> Any:
        return str.__lt__(self, other) if (comparable := self._in_order(other)) is True else comparable

    def __le__(self, other: str) -> Any:
        return str.__le__(self, other) if (comparable := self._in_order(other)) is True else comparable

    def __gt__(self, other: str) -> Any:
        return str.__gt__(self, other) if (comparable := self._in_order(other)) is True else comparable

    def __ge__(self, other: str) -> Any:
        return str.__ge__(self, other) if (comparable := self._in_order(other)) is True else comparable

    def _in_order(self, other: object) -> Any:
        """True if `other` is text, in the same order as the numbers; BadInput if the orders differ. For a sequence
        NotImplemented, for other objects an error."""
        if not isinstance(other, str):
            return self._arithmetic(other)
        require_order((str(self), str(other)))
        return True

    __hash__ = str.__hash__


class _RaspLines:
    """The translation of objects to lines of an S-RASP program; each object is translated once.

    numeric: whether the symbols are numbers, as those of an alphabet that was given as numbers are. causal: whether
    selectors select among the positions up to the current one.

    known: the line of each object, by its id. kept: these objects, so that no id is used again. names: the line of each
    name. ranges: the values that each line may have (see `range_of`).
    """

    def __init__(self, alphabet: Alphabet, causal: bool = False) -> None:
        if not isinstance(alphabet, (str, Set)) and isinstance(alphabet, Iterable):
            alphabet = tuple(alphabet)
        self.causal, self.numeric = causal, not isinstance(alphabet, str) and is_numeric(alphabet)
        self.lines = SraspLines(alphabet)
        self.known: dict[int, int] = {}
        self.kept: list[Any] = []
        self.names: dict[str, int] = {}
        self.ranges: dict[int, tuple[Any, ...] | None] = {}

    def program(self, sop: SOp) -> Srasp:
        """The program whose output is a sequence."""
        line = self.line(sop)
        return self.lines.program(list(self.names.items()), line)

    def line(self, part: object) -> int:
        """The line of an object or constant. Objects can be nested deeper than Python's recursion limit, so this uses a
        stack."""
        stack = [part]
        while stack:
            top = stack[-1]
            if id(top) in self.known or not isinstance(top, (SOp, RaspSelector)):
                stack.pop()
                continue
            # Translate the parts first; then `top` is met again.
            waiting = [
                waiting_part
                for waiting_part in top.parts
                if isinstance(waiting_part, (SOp, RaspSelector)) and id(waiting_part) not in self.known
            ]
            if waiting:
                stack += waiting
                continue
            self.known[id(top)] = self._made(top)
            self.kept.append(top)  # so that its id stays its own
            if isinstance(top, SOp) and is_name(top.label):
                self.names.setdefault(top.label, self.known[id(top)])
        return self.known[id(part)] if isinstance(part, (SOp, RaspSelector)) else self.constant(part)

    def constant(self, value: object) -> int:
        """The line of a constant; BadInput for a float or another object."""
        if isinstance(value, (bool, str)):
            return self.lines.constant(str(value) if isinstance(value, str) else value)
        if isinstance(value, (int, Fraction)) or (isinstance(value, float) and isfinite(value)):
            return self.lines.constant(Fraction(value))  # a float is the dyadic number that it is
        must = "a constant must be a symbol, true or false, or an exact number"
        raise BadInput(must, f"{type(value).__name__} {value}", "write Fraction(1, 2) for a half")

    def kind(self, line: int) -> str:
        """The type of a line."""
        return self.lines.types[line]

    def number(self, line: int) -> int:
        """The line itself, or for a truth the line that is 1 or 0."""
        if self.kind(line) != "truth":
            return line
        return self.lines.add("if", line, self.constant(1), self.constant(0))

    def truth(self, line: int) -> int:
        """The line itself, or for a number the truth that it is not 0."""
        if self.kind(line) != "number":
            return line
        return self.lines.add("compare", line, self.constant(0), value="!=")

    def _made(self, part: SOp | RaspSelector) -> int:
        """The line of a sequence or selector, from the lines of its parts."""
        op, add = part.op, self.lines.add
        if op == "constant":
            return self.constant(part.value)
        if op == "map":
            return self._mapped(part.value, [self.line(part_read) for part_read in part.parts])
        if op == "predicate":
            return self._predicate(part.value, *(self.line(part_read) for part_read in part.parts))
        if op == "in" and self.numeric:
            return self._number_of(add("in"))
        reads = [self.line(part_read) for part_read in part.parts]
        if self.causal and op in ("aggregate", "width"):
            indices_line = add("indices")
            reads[0] = add("pair and", reads[0], add("select", indices_line, indices_line, value="<="))
        if op == "sum":
            return add(op, *map(self.number, reads))
        if op == "product":
            return self._product(*map(self.number, reads))
        kinds = [self.kind(line) for line in reads]
        # A number and a truth: 0 if the number is 0, else the truth. So this is a truth too.
        if op == "not" or (op, *kinds) in _TRUTHS:
            return add(op, *map(self.truth, reads))
        if op in ("and", "or"):
            # Of numbers, as in tracr: a if its truth decides, else b.
            a, b = self._alike(*reads)
            return add("if", self.truth(reads[0]), *((b, a) if op == "and" else (a, b)))
        if op in ("compare", "select"):
            # A truth against a number counts as 1 or 0.
            mixed = {self.kind(line) for line in reads} == {"truth", "number"}
            return add(op, *(self.number(line) if mixed else line for line in reads), value=part.value)
        if op == "aggregate" and self.numeric and _of_one_position(part):
            # The mean of one symbol is the symbol: it is fetched as such.
            symbol = add("aggregate", reads[0], add("in"), self.lines.constant(self.lines.alphabet[0]))
            found = self._number_of(symbol)
            width = add("width", reads[0])
            default = self.constant(0) if part.value is None else self.line(part.value)
            return add("if", add("compare", width, self.constant(0), value="="), *self._alike(default, found))
        if op == "aggregate":
            default = self.lines.nothing(reads[1]) if part.value is None else self.line(part.value)
            return add(op, *reads, default)
        return add(op, *reads)

    def _number_of(self, line: int) -> int:
        """The numbers that the symbols of a line are."""
        return self._mapped(lambda symbol: Fraction(str(symbol)), [line])

    def _product(self, a: int, b: int) -> int:
        """The line of a product: a constant, a multiple, or a product of two numbers that vary."""
        for line, factor in ((a, b), (b, a)):
            value = self.lines.lines[line].value
            if self.lines.lines[line].op == "constant":
                same = self.lines.lines[factor].op == "constant"
                if same:
                    return self.constant(value * self.lines.lines[factor].value)
                return self.lines.add("times", factor, value=value)
        return self.lines.add("product", a, b)

    def _mapped(self, f: Callable[..., object], reads: Sequence[int]) -> int:
        """The line of a user's function of lines: see the module's docstring."""
        # First call it with sequences: if it uses only arithmetic and comparisons, the result is a sequence. A function
        # that needs values raises one of these errors.
        direct, sequences = None, [self._as_sop(line) for line in reads]
        before = _INSIDE.set(True)
        try:
            with suppress(TypeError, ValueError, KeyError, AttributeError, IndexError):
                direct = f(*sequences)
        finally:
            _INSIDE.reset(before)
        tables = [self.range_of(line) for line in reads]
        too_many = any(table is None for table in tables) or prod(len(table or ()) for table in tables) > FEW
        # The result is used if it can be translated and is that of the values. If not, and the values are few, the
        # function is called with them.
        if isinstance(direct, SOp) or (too_many and isinstance(direct, (int, Fraction))):
            tried = product(*self._samples(tables, [self.kind(line) for line in reads], too_many))
            if all(_fits(direct, sequences, f, values) for values in tried):
                try:
                    return self.line(direct)
                except BadInput:
                    if too_many:
                        raise
        if too_many:
            must = f"a function must take symbols, truth values or at most {FEW} different numbers, or be arithmetic"
            do = "write a condition as a truth: Map(lambda x: x > 2, sequence)"
            raise BadInput(must, f"a function of {given_types([self.kind(line) for line in reads])}", do)
        # Else call it for each combination of values, and choose by tests; the first combination needs no test.
        result = None
        for values in product(*(table or () for table in tables)):
            line = self.line(_called(f, values))
            if result is None:
                result = line
                continue
            tests = [self._is(read_line, value) for read_line, value in zip(reads, values, strict=True)]
            test = tests[0] if len(tests) == 1 else self.lines.add("and", *tests)
            result = self.lines.add("if", test, *self._alike(line, result))
        return present(result)

    def _samples(
        self, tables: Sequence[tuple[Any, ...] | None], kinds: Sequence[str], some: bool
    ) -> list[tuple[Any, ...]]:
        """For each argument of a function the values with which it is tried: all of its table, or `some`."""
        symbols = {"letter": self.lines.alphabet, "truth": (False, True)}
        return [
            (table or symbols.get(kind) or SAMPLES)[: len(SAMPLES) if some else None]
            for table, kind in zip(tables, kinds, strict=True)
        ]

    def _is(self, line: int, value: object) -> int:
        """The line of the truth that a sequence has this value."""
        return self.lines.add("compare", line, self.constant(value), value="=")

    def _alike(self, a: int, b: int) -> tuple[int, int]:
        """Two lines of one type: if one is a truth and the other a number, the truth becomes 1 or 0."""
        mixed = {self.kind(a), self.kind(b)} == {"truth", "number"}
        return (self.number(a), self.number(b)) if mixed else (a, b)

    def _as_sop(self, line: int) -> SOp:
        """A sequence that stands for a line, as an argument for a user's function."""
        sop = SOp("line")
        self.known[id(sop)] = line
        self.kept.append(sop)
        return sop

    def range_of(self, line: int) -> tuple[Any, ...] | None:
        """The values that a line may have; None if they are not known, or more than FEW."""
        # From the first line on, since the range of a line depends on those of the lines that it reads.
        for number in range(line + 1):
            if number not in self.ranges:
                values = self._range(number)
                self.ranges[number] = values if values is None or len(values) <= FEW else None
        return self.ranges[line]

    def _range(self, number: int) -> tuple[Any, ...] | None:
        """The values that a line may have, from those of the lines that it reads; None if they are not known."""
        line, kind = self.lines.lines[number], self.kind(number)
        if kind == "letter":
            return self.lines.letters[number]
        if kind == "truth":
            return (False, True)
        if line.op == "constant":
            return (line.value,)
        tables = [self.ranges[k] for k in line.reads]
        if line.op == "if":
            return None if tables[1] is None or tables[2] is None else _sorted((*tables[1], *tables[2]))
        if line.op == "times" and tables[0] is not None:
            return _sorted(line.value * a for a in tables[0])
        if line.op in ("sum", "product") and tables[0] is not None and tables[1] is not None:
            plus = line.op == "sum"
            return _sorted(a + b if plus else a * b for a in tables[0] for b in tables[1])
        return None

    def _predicate(self, f: Callable[..., object], keys: int, queries: int) -> int:
        """The line of a selector whose predicate is a user's function of key and query."""
        # One side must have few values (`listed`). For each of them the predicate is a function of the other side
        # (`free`). `here` and `there` are the operators that make selectors of truths about the two sides.
        table = self.range_of(queries)
        listed, free, (here, there) = queries, keys, ("query", "key")
        if table is None:
            table, listed, free, (here, there) = self.range_of(keys), keys, queries, ("key", "query")
        if table is None:
            must = "a predicate must be a Comparison, unless its keys or queries have only few different values"
            do = "for lambda k, q: q == k + 1 write Select(keys + 1, queries, Comparison.EQ)"
            raise BadInput(must, f"a function of {given_types([self.kind(keys), self.kind(queries)])}", do)
        # The function must not ask for the type of either side; below, one of them is fixed.
        kinds = [self.kind(keys), self.kind(queries)]
        for values in product(*self._samples([self.range_of(keys), self.range_of(queries)], kinds, True)):
            _fits(None, (), f, values)
        result = self.lines.add("key", self.constant(False))
        for value in table:
            bound = _as_argument(value)
            at_bound = (lambda k, v=bound: f(k, v)) if here == "query" else (lambda q, v=bound: f(v, q))
            # (this side has the value) and (the function holds on the other), joined by "or" over the values.
            fits = self.lines.add(there, self.truth(self._mapped(at_bound, [free])))
            pair = self.lines.add("pair and", self.lines.add(here, self._is(listed, value)), fits)
            result = self.lines.add("pair or", result, pair)
        return result


_TRUTHS = {("and", "truth", "truth"), ("or", "truth", "truth"), ("and", "number", "truth")}
"""Operators with the types of their sides whose values are truths."""


def _as_argument(value: object) -> object:
    """A value as an argument of a user's function: a numeral becomes a `_Numeral`, a whole number a `_Whole`."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return _Whole(value)
    return _Numeral(value) if isinstance(value, str) and NUMERAL.fullmatch(value) else value


def _of_one_position(part: SOp | RaspSelector) -> bool:
    """Whether an aggregate of the symbols themselves selects at most one position: by an equality of indices."""
    selector, values = part.parts[:2]
    if not (isinstance(selector, RaspSelector) and isinstance(values, TokensType)):
        return False
    return selector.op == "select" and selector.value == "=" and isinstance(selector.parts[0], IndicesType)


class _ByType(BadInput):
    """A user's function tells the numbers and symbols of the compiler from those of Python."""


def _called(f: Callable[..., object], values: Sequence[Any]) -> object:
    """The result of a user's function for these values; its exceptions become BadInput. The result must be that for
    Python's own numbers and text too, up to the rounding of floats."""
    plain = [value.numerator if isinstance(value, _Whole) else value for value in map(_as_argument, values)]
    plain = [str(value) if isinstance(value, _Numeral) else value for value in plain]
    try:
        result = f(*map(_as_argument, values))
    except (BadInput, _NeedsValues):
        raise
    except Exception as error:
        # Operations such as &, which only integers have; a result with a float may be rounded.
        with suppress(Exception):
            if type(result := f(*plain)) in (int, bool, str):
                return result
        must = "a function must return a value for every value of the sequences that it is applied to"
        values_text = ", ".join(map(str, values))
        do = "give Aggregate a default that the function takes" if "?" in values else "let it return one"
        raise BadInput(must, f"{type(error).__name__} ({error}) at {values_text}", do) from error
    of_plain, alike = None, True
    with suppress(Exception):
        of_plain = f(*plain)
        alike = _near(result, of_plain)
    if not alike:
        must = "a function must give one result for a number, whether it is an int or an exact fraction"
        shown = f"{result} and {of_plain} at {', '.join(map(str, plain))}"
        raise _ByType(must, shown, "compute with the value alone, not with its type or its text")
    return result


def _near(one: object, other: object) -> bool:
    """Whether two results are the same value, or numbers that differ by the rounding of a float at most. Sequences are
    not compared."""
    if isinstance(one, RASPExpr) and isinstance(other, RASPExpr):
        return True
    numbers = [value for value in (one, other) if isinstance(value, (int, float, Fraction))]
    if len(numbers) < 2 or isinstance(one, bool) or isinstance(other, bool):
        return type(one) is type(other) and one == other
    a, b = (Fraction(number) for number in numbers)
    return abs(a - b) * 10**9 <= max(1, abs(a))


def _fits(direct: object, sequences: Sequence[SOp], f: Callable[..., object], values: Sequence[Any]) -> bool:
    """Whether the result of a user's function for sequences has at these values the value that the function has. True
    where the function has no value there, where this cannot be compared, and for None.

    Raises _ByType: the function gives other results for numbers of another type."""
    try:
        expected = _called(f, values)
        if direct is None:
            return True
        found = _value(direct, dict(zip(map(id, sequences), values, strict=True)))
    except _ByType:
        raise
    except (BadInput, _NeedsValues, RecursionError, TypeError):
        return True
    number = isinstance(found, bool) != isinstance(expected, bool)  # a truth counts as 1 or 0
    return _near(int(found) if number and isinstance(found, bool) else found,
                 int(expected) if number and isinstance(expected, bool) else expected)  # fmt: skip


def _value(part: object, at: Mapping[int, object]) -> Any:
    """The value of a sequence that a user's function made of sequences, whose values are `at` their ids. Raises
    TypeError for what is not computed from these alone, and for the negation of a truth, for which Python has another
    ~."""
    if not isinstance(part, SOp):
        return part
    if id(part) in at:
        return at[id(part)]
    if part.op == "constant":
        return part.value
    if part.op not in _OPERATIONS:
        raise TypeError(part.op)
    values = [_value(own, at) for own in part.parts]
    if part.op == "not" and isinstance(values[0], bool):
        raise TypeError("~ of a truth")
    if part.op == "compare":
        return _COMPARED[part.value](*values)
    return _OPERATIONS[part.op](*values)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda a, b: a + b, "product": lambda a, b: a * b, "compare": lambda a, b: a == b,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a,
}  # fmt: skip
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _sorted(values: Iterable[Fraction]) -> tuple[Any, ...]:
    """The different values in order."""
    return tuple(sorted(set(values)))
