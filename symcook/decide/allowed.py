"""What the code of a `Fold` may consist of, where the fold is decided for strings of every length.

A fold is executed with unknown integers (`symcook.decide.following`) and with known ones, and its results are taken
for those of a function of the state. So its code must be such that it can neither tell an unknown integer from a known
one nor remember anything between two calls. `ALLOWED` is the whole list of what has this property. `require_allowed`
reads the instructions of Python that run, not the source text, and rejects every other instruction, value and builtin
function with its line. `symcook decide --help` prints the same list (`said`).
"""

from __future__ import annotations

import builtins
import dis
import linecache
import os
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.spec.fold import Fold

ATOMS = (int, bool, str, type(None))
"""The exact types of the parts of states, and of constants."""


class AllowedRow(NamedTuple):
    """One row of the list."""

    text: str
    """What is allowed, as the help says it."""
    instructions: str
    """The instructions, each by its name. An instruction that takes an operator, a method or a number is followed by
    those that are allowed, in brackets: `COMPARE_OP(== !=)`."""
    builtins: str = ""
    """The names of builtin functions."""


ALLOWED = (
    AllowedRow(
        "arguments, local names, return",
        "RESUME NOP CACHE EXTENDED_ARG PRECALL PUSH_NULL POP_TOP COPY SWAP LOAD_FAST STORE_FAST LOAD_FAST_CHECK "
        "LOAD_FAST_AND_CLEAR LOAD_FAST_LOAD_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST LOAD_FAST_BORROW "
        "LOAD_FAST_BORROW_LOAD_FAST_BORROW MAKE_CELL LOAD_CLOSURE COPY_FREE_VARS LOAD_DEREF STORE_DEREF "
        "RETURN_VALUE RETURN_CONST",
    ),
    AllowedRow(
        "constants: integers, text, True, False, None, and tuples, frozensets and dicts of these",
        "LOAD_CONST LOAD_SMALL_INT LOAD_GLOBAL",
    ),
    AllowedRow("comparisons == != < <= > >=, in, and is None", "COMPARE_OP(== != < <= > >=) CONTAINS_OP IS_OP TO_BOOL"),
    AllowedRow(
        "+ - * // & | ^, and % by an integer that is a constant (of unknown integers + and -, and * with a constant)",
        "BINARY_OP(+ - * // % & | ^ += -= *=) UNARY_NEGATIVE UNARY_POSITIVE CALL_INTRINSIC_1(5)",
    ),
    AllowedRow(
        "and, or, not, if, conditional expressions",
        "UNARY_NOT JUMP_FORWARD JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE "
        "POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE "
        "POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE NOT_TAKEN",
    ),
    AllowedRow(
        "tuples, unpacking, items x[k] and slices x[a:b]",
        "BUILD_TUPLE BUILD_LIST BUILD_MAP BUILD_CONST_KEY_MAP UNPACK_SEQUENCE BINARY_SUBSCR BUILD_SLICE BINARY_SLICE "
        "BINARY_OP([]) LIST_APPEND LIST_EXTEND LIST_TO_TUPLE MAP_ADD CALL_INTRINSIC_1(6)",
    ),
    AllowedRow(
        "for, while, comprehensions",
        "GET_ITER FOR_ITER END_FOR POP_ITER JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT POP_JUMP_BACKWARD_IF_FALSE "
        "POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE RETURN_GENERATOR "
        "YIELD_VALUE CALL_INTRINSIC_1(3) RERAISE",
    ),
    AllowedRow("calls of functions made of this list", "CALL CALL_KW KW_NAMES MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE"),
    AllowedRow(
        "the builtin functions",
        "LOAD_GLOBAL",
        "abs all any bool enumerate int len list max min range sorted sum tuple zip",
    ),
    AllowedRow(
        "the methods get of a dict, index of a tuple, join of text",
        "LOAD_METHOD(get index join) LOAD_ATTR(get index join)",
    ),
    AllowedRow(
        "raise, which ends the decision, of BadInput or",
        "RAISE_VARARGS(1)",
        "IndexError KeyError NotImplementedError RuntimeError TypeError ValueError",
    ),
)  # fmt: skip
"""All that is allowed. The names of instructions are those of CPython 3.11 and later; one that is not here is
rejected."""


def said() -> list[str]:
    """The list as lines of text."""
    return [f"{row.text} {row.builtins}".strip() for row in ALLOWED]


def _entries(instructions: str) -> Iterator[tuple[str, str | None]]:
    """The (instruction, argument) pairs of a row; the argument is None where any will do."""
    name = ""
    for part in instructions.split():
        opened, bracket, first = part.partition("(")
        if bracket:
            name = opened
        if not name:
            yield part, None
            continue
        yield name, (first if bracket else part).removesuffix(")")
        if part.endswith(")"):
            name = ""


_INSTRUCTIONS = frozenset(entry for row in ALLOWED for entry in _entries(row.instructions))
_BUILTINS = (*(getattr(builtins, name) for row in ALLOWED for name in row.builtins.split()), BadInput)


RIGHT: Mapping[str, type] = {"IS_OP": type(None), "%": int}
"""The exact type of the right operand of an operation, where it must be known from the code alone. With a text on its
left, % prints its right operand, and the text of a function says where it lies in memory."""


class NotAllowed(BadInput):
    """The code of a fold has something that is not in the list."""

    def __init__(self, what: str, code: CodeType | None = None, line: int | None = None) -> None:
        must = "a Fold that is decided for every length must use only the Python that symcook explain fold lists"
        given = what
        if code is not None:
            text = linecache.getline(code.co_filename, line or 0).strip()
            of = f"line {line or code.co_firstlineno} of {os.path.basename(code.co_filename)}"
            given = f"{what} in {of}" + (f", {text}" if text else "")
        super().__init__(must, given, "write it with that Python, or use symcook check, which runs each string")


def require_allowed(fold: Fold) -> frozenset[int]:
    """The integers that the code of a fold names. Raises NotAllowed where its step or its answer has something that is
    not in the list."""
    if type(fold) is not Fold:
        raise NotAllowed(f"a {type(fold).__name__}, a subclass of Fold")
    reader = _CodeReader()
    for part, name in ((fold.step, "its step"), (fold.answer, "its answer")):
        if not (type(part) is FunctionType or _is_builtin(part)):
            raise NotAllowed(f"a {type(part).__name__} as {name}, which is no plain function")
        reader.value(part, name, None, None)
    return frozenset(reader.integers)


def _is_builtin(value: object) -> bool:
    """Whether a value is one of the builtin functions in the list, whatever it is called."""
    return any(value is known for known in _BUILTINS)


class _CodeReader:
    """A walk through functions and the values that they name. `visited` has what it has seen by its identity, so that
    no later value has that identity; `integers` has the integers among it."""

    def __init__(self) -> None:
        self.visited: dict[int, object] = {}
        self.integers: set[int] = set()

    def value(self, value: object, name: str, code: CodeType | None, line: int | None) -> None:
        """Require that a value which the code uses at a line is allowed, with all its parts."""
        if type(value) is int:
            self.integers.add(value)
        if type(value) in ATOMS or _is_builtin(value) or id(value) in self.visited:
            return
        self.visited[id(value)] = value
        if type(value) is FunctionType:
            self.function(value)
        elif type(value) is frozenset and not all(type(part) in (int, bool) for part in value):
            raise NotAllowed(f"{name or 'a set'}, whose order differs from run to run (write a tuple)", code, line)
        elif type(value) in (tuple, frozenset):
            for part in value:  # type: ignore[attr-defined]
                self.value(part, name, code, line)
        elif type(value) is dict:
            for part in (*value.keys(), *value.values()):  # type: ignore[attr-defined]
                self.value(part, name, code, line)
        else:
            kind = value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"
            raise NotAllowed(f"{name} ({kind})" if name else kind, code, line)

    def used(self, value: object, name: str, code: CodeType, line: int | None, follows: str) -> None:
        """Require that a value is allowed before the instruction `follows`. A set of text may only be asked what is in
        it: its order is another one in another process."""
        asked = type(value) is frozenset and follows == "CONTAINS_OP"
        self.value(tuple(value) if asked else value, name, code, line)  # type: ignore[arg-type]

    def function(self, function: FunctionType) -> None:
        """Require that a function is allowed: its defaults, its instructions, and the values that they name."""
        code = function.__code__
        if vars(function):
            raise NotAllowed(f"{min(vars(function))}, an attribute of a function", code, code.co_firstlineno)
        if type(function.__globals__) is not dict or type(function.__builtins__) is not dict:  # type: ignore[attr-defined]
            raise NotAllowed("global names that are no plain dict", code, code.co_firstlineno)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.value(default, "a default", code, code.co_firstlineno)
        cells: dict[str, Any] = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:
                raise NotAllowed(f"{name}, which has no value", code, code.co_firstlineno) from None
        self.code(code, function, cells)

    def code(self, code: CodeType, function: FunctionType, cells: Mapping[str, Any]) -> None:
        """Require that the instructions of a function, or of a function inside it, are allowed. `cells` has the values
        of the names around it; names of a surrounding function that is running are not in it."""
        inner = {name: value for name, value in cells.items() if name not in code.co_cellvars}
        before, line = None, code.co_firstlineno
        steps = list(dis.get_instructions(code))
        for k, step in enumerate(steps):
            # An instruction without a line belongs to the next one, as at the beginning of a handler of exceptions.
            line = next((at for later in steps[k:] if (at := _line(later)) is not None), line)
            if not _listed(step):
                raise NotAllowed(_called(step), code, line)
            if (kind := RIGHT.get(_operation(step))) is not None:
                known = None if step.is_jump_target or before is None else self.loaded(before, function, inner)
                if known is None or type(known[0]) is not kind:
                    raise NotAllowed(f"{_called(step)} with another right operand than is listed", code, line)
            follows = steps[k + 1].opname if k + 1 < len(steps) else ""
            if step.opname == "LOAD_CONST" and type(step.argval) is CodeType:
                self.code(step.argval, function, inner)
            elif step.opname == "LOAD_CONST":
                self.used(step.argval, "", code, line, follows)
            elif step.opname == "LOAD_GLOBAL":
                self.used(self.named(function, step.argval, code, line), step.argval, code, line, follows)
            elif step.opname == "LOAD_DEREF" and step.argval in inner:
                self.used(inner[step.argval], step.argval, code, line, follows)
            elif step.opname == "STORE_DEREF" and step.argval not in code.co_cellvars:
                raise NotAllowed(f"nonlocal {step.argval}", code, line)
            before = step

    def loaded(self, step: dis.Instruction, function: FunctionType, cells: Mapping[str, Any]) -> tuple[object] | None:
        """The value that an instruction loads, in a tuple, if it is the same in each run: a constant, or a name of the
        module or of a surrounding function that has returned."""
        if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            return (step.argval,)
        names: Mapping[str, Any] = {"LOAD_GLOBAL": function.__globals__, "LOAD_DEREF": cells}.get(step.opname, {})
        return (names[step.argval],) if step.argval in names else None

    def named(self, function: FunctionType, name: str, code: CodeType, line: int | None) -> object:
        """The value of a global or builtin name."""
        if name in function.__globals__:
            return function.__globals__[name]
        known: Any = function.__builtins__  # type: ignore[attr-defined]
        if name not in known:
            raise NotAllowed(f"{name}, which has no value", code, line)
        return known[name]


def _line(step: dis.Instruction) -> int | None:
    """The line of an instruction."""
    return None if step.positions is None else step.positions.lineno


def _operation(step: dis.Instruction) -> str:
    """The name of an instruction, or for a binary operation its sign."""
    return _argument(step) if step.opname == "BINARY_OP" else step.opname


def _argument(step: dis.Instruction) -> str:
    """The operator, method or number of an instruction as the list has it."""
    if step.opname in ("LOAD_METHOD", "LOAD_ATTR"):
        return str(step.argval)
    if step.opname in ("BINARY_OP", "COMPARE_OP"):
        return step.argrepr.removeprefix("bool(").removesuffix(")")
    return str(step.arg)


def _listed(step: dis.Instruction) -> bool:
    """Whether an instruction is in the list."""
    return (step.opname, None) in _INSTRUCTIONS or (step.opname, _argument(step)) in _INSTRUCTIONS


def _called(step: dis.Instruction) -> str:
    """An instruction in a message."""
    return f"{step.opname} {step.argrepr}".strip()
