"""Checks of arguments: the arguments of a public function are compared with its signature before it runs.

`door` decorates a public function or class. If an argument is missing, or is for example text instead of a model, the
caller gets a BadInput that says what must hold, not an error of Python from inside. `_kind` reads the annotation of a
parameter and returns a test of values, with its name in words. With an unknown annotation every value passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from symcook.errors import BadInput, unknown

if TYPE_CHECKING:
    import ast
    import inspect

T = TypeVar("T", bound="Callable[..., Any]")
Progress = Callable[[int, int], None]
"""A function that a long computation calls with the amount that is done and the whole amount."""
MAX_DIGITS = 100_000
"""The greatest number of decimal digits of an answer."""
ArgumentKind = tuple[Callable[[Any], bool], str]
"""A test whether a value is of a kind, and the name of the kind in messages."""


def door(**hints: str) -> Callable[[T], T]:
    """A decorator that checks the names and the kinds of arguments before a function, or `__init__` of a class, runs.

    The known annotations are text, integers, bools, paths, functions, mappings, sequences, the classes of symcook, and
    unions of these. For arguments with other annotations, and for the fields of a dataclass, only the names are
    checked. `hints` say, in messages, how to give an argument.

    >>> @door(times="give times=2")
    ... def again(word: str, times: int) -> str:
    ...     return word * times
    >>> again("ab")
    Traceback (most recent call last):
    symcook.errors.BadInput: again must be given times; given: word alone; give times=2.

    Raises BadInput for an argument that is missing, unknown or of another kind.
    """

    def guard(function: T) -> T:
        """The function or class with checks before it runs."""
        called = function.__name__
        # The kinds of a dataclass's fields are not checked here: the class itself checks them, with their shapes.
        inner: Any = function.__init__ if isinstance(function, type) else function
        known: list[Any] = []  # signature and kinds; filled at the first call, so that `symcook list` need not wait

        @wraps(inner)
        def checked(*args: object, **named: object) -> Any:
            """Check the arguments, then call the function."""
            if not known:
                import inspect

                frozen = hasattr(function, "__dataclass_fields__")
                known.extend((inspect.signature(inner), {} if frozen else _known_kinds(inner)))
            check(known[0], known[1], called, args, named, hints)
            return inner(*args, **named)

        if isinstance(function, type):
            function.__init__ = checked  # type: ignore[misc]
            return function  # type: ignore[return-value]
        checked.hints = hints  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return guard


def check(
    signature: inspect.Signature,
    kinds: Mapping[str, ArgumentKind],
    called: str,
    args: tuple[object, ...],
    named: Mapping[str, object],
    hints: Mapping[str, str],
) -> None:
    """Raise BadInput if the arguments do not fit the signature, or are not of the `kinds`. `called` is the function's
    name in messages."""
    import inspect

    try:
        bound_arguments = signature.bind(*args, **named).arguments
    except TypeError:
        raise _argument_error(signature, called, args, named, hints) from None
    for name, (fits, words) in kinds.items():
        if name in bound_arguments and not fits(bound_arguments[name]):
            given = bound_arguments[name]
            if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL and len(given) == 1:
                given = given[0]
            do = hints.get(name) or _hint(name, given, words)
            raise BadInput(f"the argument {name} of {called} must be {words}", _shown(given), do)


def fits(function: Callable[..., object], called: str, args: tuple[object, ...], named: Mapping[str, object]) -> None:
    """Raise BadInput if `function` must not be called with these arguments: the check of `door` for a function that is
    not decorated."""
    import inspect

    check(inspect.signature(function), _known_kinds(function), called, args, named, {})


def check_digits(digits: object) -> int:
    """`digits` as an int in 1..MAX_DIGITS. Raises BadInput, also for a bool, a float or text that is not an integer.

    >>> check_digits("30")
    30
    """
    number = digits
    if isinstance(digits, str) and len(digits) < 10 and digits.strip().lstrip("+-").isdecimal():
        number = int(digits)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_DIGITS:
        must = f"the number of digits must be an integer from 1 to {MAX_DIGITS:,}"
        raise BadInput(must, digits, "give for example --digits 30")
    return number


def _argument_error(
    signature: inspect.Signature,
    called: str,
    args: tuple[object, ...],
    named: Mapping[str, object],
    hints: Mapping[str, str],
) -> BadInput:
    """The error for arguments that do not fit the signature: one is unknown, too many, repeated or missing."""
    # An unknown name.
    parameters = {n: p for n, p in signature.parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    positional = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    by_name = [n for n, p in parameters.items() if n != "self" and p.kind is not p.POSITIONAL_ONLY]
    if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        for name in named:
            if name not in by_name:
                do = f"{called} takes {', '.join(by_name)}" if by_name else "leave this argument out"
                return unknown(f"argument of {called}", name, by_name, do)
    # Too many positional arguments; `self` is not counted, since the caller does not give it.
    has_self = "self" in parameters
    if len(args) > len(positional) and not any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        others = [n for n in by_name if n not in positional]
        do = f"give further arguments by name, as {others[0]}=..." if others else "leave the further arguments out"
        max_count = len(positional) - has_self
        must = f"{called} must be given at most {max_count} argument{'s' * (max_count != 1)} without a name"
        return BadInput(must, len(args) - has_self, do)
    # An argument that is given by position and by name.
    parameters_taken = positional[: len(args)]
    for name in parameters_taken:
        if name in named:
            return BadInput(f"{called} must be given each argument once", f"{name} twice", "leave one out")
    # A missing argument.
    given_names = [name for name in (*parameters_taken, *named) if name != "self"]
    for name, p in parameters.items():
        if p.default is p.empty and name not in (*parameters_taken, *named):
            names_text = f"{', '.join(given_names)} alone" if given_names else "none"
            what = _IN_WORDS.get(name, name)
            return BadInput(f"{called} must be given {what}", names_text, hints.get(name, f"give {name}=..."))
    return BadInput(
        f"{called} must be called as {called}{signature}", "arguments that do not fit", f"see help({called})"
    )


def _shown(value: object) -> str:
    """A value for a message: text and numbers as Python writes them, a list of at most three by its entries, a mapping
    by the types of its keys where these are no names, and any other value by its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and value.bit_length() > 2_000:
        return "a very large integer"
    if isinstance(value, (list, tuple)) and 0 < len(value) < 4 and not any(isinstance(v, (list, tuple)) for v in value):
        return ", ".join(map(_shown, value)) + " in it"
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping) and len(value) < 4 and not all(isinstance(key, (str, tuple)) for key in value):
        kinds = ", ".join(dict.fromkeys(type(key).__name__ for key in value))
        return f"a mapping with keys of the type {kinds}"
    plain = value is None or isinstance(value, (str, int, float, bytes))
    return repr(value) if plain else f"a {type(value).__name__}"


def _hint(name: str, value: object, words: str) -> str | None:
    """A hint for another number or its text in place of an integer, for a float in place of an exact number, or for a
    name in place of a model; else None. `words` says what the argument must be."""
    if words in ("an integer", "an integer or None"):
        number = value if isinstance(value, (float, Fraction)) else None
        if isinstance(value, str) and len(value) < 10 and re.fullmatch(r"[+-]?[0-9]+", value.strip()):
            number = int(value)
        return None if number is None or number - number != 0 or number != int(number) else f"write {int(number)}"
    if isinstance(value, float):
        return inexact(value)
    if isinstance(value, Mapping) and words.startswith(_MAPPING):
        keys = [str(key) for key in value if not isinstance(key, (str, tuple))]
        return f'write names as text: {{"{keys[0]}": ..}}' if keys else None
    if name in ("model", "other") and isinstance(value, str):
        return f'write {"load" if value.endswith(".json") else "build"}("{value}")'
    return None


def inexact(value: float) -> str | None:
    """What to write in place of a float, where a number must be exact; None for an infinite one or nan.

    >>> inexact(0.5)
    'a float is not exact: write "1/2" or Fraction(1, 2)'
    """
    if value - value != 0:
        return None
    exact = Fraction(repr(float(value)))  # a float of numpy has another repr
    return f'a float is not exact: write "{exact}" or Fraction({exact.numerator}, {exact.denominator})'


def _known_kinds(function: Callable[..., object]) -> dict[str, ArgumentKind]:
    """{parameter: its kind} for the parameters with a known annotation."""
    import inspect

    kinds = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if isinstance(parameter.annotation, str) and parameter.kind is not parameter.VAR_KEYWORD:
            kind = _kind(parameter.annotation)
            if kind is not None and parameter.kind is parameter.VAR_POSITIONAL:
                words = _MANY.get(kind[1], kind[1])
                kind = _sequence_of(kind, words)[0], f"{words}, each an argument for itself"
            if kind is not None:
                kinds[name] = kind
    return kinds


@cache
def _kind(annotation: str) -> ArgumentKind | None:
    """The kind of an annotation, given as text; None if it is unknown."""
    import ast

    return _kind_of_node(ast.parse(annotation, mode="eval").body)


def _kind_of_node(node: ast.expr) -> ArgumentKind | None:
    """The kind of an annotation, given as a syntax tree; None if it is unknown, so that every value passes."""
    import ast

    # None, or an annotation in quotes.
    if isinstance(node, ast.Constant):
        if node.value is None:
            return (lambda value: value is None), "None"
        return _kind(node.value)
    if isinstance(node, ast.BinOp):  # A | B; if one side is unknown, every value passes
        left, right = _kind_of_node(node.left), _kind_of_node(node.right)
        if left is None or right is None:
            return None
        return (lambda value: left[0](value) or right[0](value)), f"{left[1]} or {right[1]}"
    if isinstance(node, ast.Name):
        return _NAMED.get(node.id)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    # Sequence[T] and Iterable[T] are lists of T, Mapping[..] is a mapping, and Callable[..] a function.
    parameters = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if node.value.id in ("Sequence", "Iterable"):
        inner = _kind_of_node(parameters[0])
        return (_listed, "a list") if inner is None else _sequence_of(inner, _MANY.get(inner[1], inner[1]))
    if node.value.id == "Mapping":
        return _mapping, _MAPPING
    return _NAMED["Progress"] if node.value.id == "Callable" else None


def _sequence_of(inner: ArgumentKind, words: str) -> ArgumentKind:
    """The kind of a sequence of values of the kind `inner`; `words` names several of them. Text is a sequence of
    texts."""

    def fits(value: object) -> bool:
        if isinstance(value, str):
            return inner[1] == "text"
        if not _listed(value) or type(value) in (set, frozenset):  # a set has no order
            return False
        # The values of an iterator are not tested: the test would consume them.
        return not isinstance(value, (list, tuple)) or all(map(inner[0], value))

    return fits, f"a list of {words}"


def _listed(value: object) -> bool:
    """Whether a value is a sequence or another iterable, but not text."""
    return isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, str, type))


def _mapping(value: object) -> bool:
    """Whether a value is a mapping whose keys are names or tuples."""
    return isinstance(value, Mapping) and all(isinstance(key, (str, tuple)) for key in value)


def _instance(name: str) -> ArgumentKind:
    """The kind of the objects of a class of symcook, tested by the name of the class, so that it is not imported."""
    article = "an" if name[0] in "AEIOU" else "a"
    return (lambda value: any(base.__name__ == name for base in type(value).__mro__)), f"{article} {name}"


_MAPPING = 'a mapping such as {"name": value}'
_IN_WORDS = {"given": "an input"}
"""Arguments that messages do not call by their names."""
_MANY = {"text": "names"}
"""{kind in words: several values of it, in words}."""
# The kinds of annotations that are a single name.
_NAMED: dict[str, ArgumentKind] = {
    "str": ((lambda value: isinstance(value, str)), "text"),
    "int": ((lambda value: isinstance(value, int) and not isinstance(value, bool)), "an integer"),
    "bool": ((lambda value: isinstance(value, bool)), "True or False"),
    **dict.fromkeys(("Progress", "Reference"), (lambda v: callable(v) and not isinstance(v, type), "a function")),
    "Symbols": (lambda value: _listed(value) or isinstance(value, str), "a list of names"),
    "Path": ((lambda value: isinstance(value, PathLike)), "a path"),
    **{name: _instance(name) for name in ("Transformer", "Head", "Layer", "Parameter")},
    **{name: _instance(name) for name in ("BiasedHead", "RotaryHead", "FeedForward", "GatedUnits")},
    **{name: _instance(name) for name in ("LayerNorm", "RMSNorm")},
    "Fraction": _instance("Fraction"),
}
