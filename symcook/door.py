"""The public door: what a function is given is compared with its signature before it runs.

`door` decorates a public function or class. Whoever leaves an argument out, or gives text where a model belongs, gets a
BadInput that says what must hold, not how Python failed inside. `_kind` reads the annotation of a parameter and returns
a test of values with the words for it; an annotation that it does not know lets every value pass.
"""

from __future__ import annotations

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
"""What a function that takes its time is given: it is called with how much is done, and of how much."""
MAX_DIGITS = 100_000
"""The greatest number of digits that may be asked for."""
ArgumentKind = tuple[Callable[[Any], bool], str]
"""Whether a value is of a kind, and the kind in words."""


def door(**hints: str) -> Callable[[T], T]:
    """Check arguments by name and by annotation, before the function, or the `__init__` of the class, runs.

    Of annotations it knows text, integers, truth values, paths, functions, mappings, sequences and the classes of
    symcook, and unions of these; it lets pass what is annotated otherwise. `hints` say how to give an argument.

    >>> @door(times="give times=2")
    ... def again(word: str, times: int) -> str:
    ...     return word * times
    >>> again("ab")
    Traceback (most recent call last):
    symcook.errors.BadInput: again must be given times; given: word alone; give times=2.

    Raises BadInput for an argument that is missing, unknown or of another kind.
    """

    def guard(function: T) -> T:
        called = function.__name__
        # The fields of a dataclass are checked where they are frozen, which also says what shapes they have.
        inner: Any = function.__init__ if isinstance(function, type) else function
        known: list[Any] = []  # found when it is first called: listing recipes is quick without

        @wraps(inner)
        def checked(*args: object, **named: object) -> Any:
            if not known:
                import inspect

                frozen = hasattr(function, "__dataclass_fields__")
                known.extend((inspect.signature(inner), {} if frozen else _kinds(inner)))
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
    """BadInput where these arguments do not fit the signature of what is `called` so, or are of other kinds."""
    try:
        bound_arguments = signature.bind(*args, **named).arguments
    except TypeError:
        raise _misfit(signature, called, args, named, hints) from None
    for name, (fits, words) in kinds.items():
        if name in bound_arguments and not fits(bound_arguments[name]):
            do = hints.get(name) or _do(name, bound_arguments[name])
            raise BadInput(f"the argument {name} of {called} must be {words}", _shown(bound_arguments[name]), do)


def fits(function: Callable[..., object], called: str, args: tuple[object, ...], named: Mapping[str, object]) -> None:
    """BadInput where `function` must not be called with these arguments: what `door` does, where it is known late."""
    import inspect

    check(inspect.signature(function), _kinds(function), called, args, named, {})


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


def _misfit(
    signature: inspect.Signature,
    called: str,
    args: tuple[object, ...],
    named: Mapping[str, object],
    hints: Mapping[str, str],
) -> BadInput:
    """Why arguments cannot be bound: one is unknown, there are too many, one comes twice, or one is missing."""
    # An unknown name.
    parameters = {n: p for n, p in signature.parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    placed = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    by_name = [n for n, p in parameters.items() if n != "self" and p.kind is not p.POSITIONAL_ONLY]
    if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        for name in named:
            if name not in by_name:
                do = f"it takes {', '.join(by_name)}" if by_name else "leave it out"
                return unknown(f"argument of {called}", name, by_name, do)
    # Too many without a name; `self` is not counted, since the caller does not give it.
    own = "self" in parameters
    if len(args) > len(placed) and not any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        others = [n for n in by_name if n not in placed]
        do = f"name the others, as {others[0]}=..." if others else "leave the others out"
        most = len(placed) - own
        must = f"{called} must be given at most {most} argument{'s' * (most != 1)} without a name"
        return BadInput(must, len(args) - own, do)
    # One that is given by place and by name.
    parameters_taken = placed[: len(args)]
    for name in parameters_taken:
        if name in named:
            return BadInput(f"{called} must be given each argument once", f"{name} twice", "leave one out")
    # One that is missing.
    given_names = [name for name in (*parameters_taken, *named) if name != "self"]
    for name, p in parameters.items():
        if p.default is p.empty and name not in (*parameters_taken, *named):
            names_text = f"{', '.join(given_names)} alone" if given_names else "none"
            return BadInput(f"{called} must be given {name}", names_text, hints.get(name, f"give {name}=..."))
    return BadInput(f"{called} must be called as {called}{signature}", "other arguments")


def _shown(value: object) -> str:
    """A value as one would write it, where it is short, else its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and value.bit_length() > 2_000:
        return "a very large integer"
    if isinstance(value, (list, tuple)) and 0 < len(value) < 4 and not any(isinstance(v, (list, tuple)) for v in value):
        return ", ".join(map(_shown, value)) + " in it"
    if isinstance(value, Fraction):
        return str(value)
    plain = value is None or isinstance(value, (str, int, float, bytes))
    return repr(value) if plain else f"a {type(value).__name__}"


def _do(name: str, value: object) -> str | None:
    """What to do instead: for a float where a number must be exact, and for a name in place of a model; else None."""
    if isinstance(value, float):
        if value - value != 0:  # no number
            return None
        exact = Fraction(repr(value))
        return f'a float is not exact: write "{exact}" or Fraction({exact.numerator}, {exact.denominator})'
    if name in ("model", "other") and isinstance(value, str):
        return f'write {"load" if value.endswith(".json") else "build"}("{value}")'
    return None


def _kinds(function: Callable[..., object]) -> dict[str, ArgumentKind]:
    """The kind of each parameter whose annotation is known."""
    import inspect

    kinds = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if isinstance(parameter.annotation, str) and parameter.kind is not parameter.VAR_KEYWORD:
            kind = _kind(parameter.annotation)
            if kind is not None and parameter.kind is parameter.VAR_POSITIONAL:
                kind = _each(kind, _MANY.get(kind[1], kind[1]))
            if kind is not None:
                kinds[name] = kind
    return kinds


@cache
def _kind(annotation: str) -> ArgumentKind | None:
    """The kind that an annotation, as text, names."""
    import ast

    return _read(ast.parse(annotation, mode="eval").body)


def _read(node: ast.expr) -> ArgumentKind | None:
    """The kind that an annotation names; None where it is not known, so that everything passes."""
    import ast

    # None, or an annotation in quotes.
    if isinstance(node, ast.Constant):
        if node.value is None:
            return (lambda value: value is None), "None"
        return _kind(node.value)
    if isinstance(node, ast.BinOp):  # A | B; with one side unknown everything passes
        left, right = _read(node.left), _read(node.right)
        if left is None or right is None:
            return None
        return (lambda value: left[0](value) or right[0](value)), f"{left[1]} or {right[1]}"
    if isinstance(node, ast.Name):
        return _NAMED.get(node.id)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    # Sequence[T] and Iterable[T] are lists of T, Mapping[..] is a mapping, and Callable[..] a function.
    of = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if node.value.id in ("Sequence", "Iterable"):
        inner = _read(of[0])
        return (_listed, "a list") if inner is None else _each(inner, _MANY.get(inner[1], inner[1]))
    if node.value.id == "Mapping":
        return _mapping, _MAPPING
    return _NAMED["Progress"] if node.value.id == "Callable" else None


def _each(inner: ArgumentKind, words: str) -> ArgumentKind:
    """A sequence of values of one kind; text counts as the sequence of its characters."""

    def fits(value: object) -> bool:
        if isinstance(value, str):
            return inner[1] == "text"
        if not _listed(value) or type(value) in (set, frozenset):  # what has no order
            return False
        return not isinstance(value, (list, tuple)) or all(map(inner[0], value))

    return fits, f"a list of {words}"


def _listed(value: object) -> bool:
    """Whether a value is a sequence or another iterable, but not text."""
    return isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, str, type))


def _mapping(value: object) -> bool:
    """Whether a value is a mapping from names, or from tuples of them."""
    return isinstance(value, Mapping) and all(isinstance(key, (str, tuple)) for key in value)


def _instance(name: str) -> ArgumentKind:
    """An object of a class of symcook, which need not be imported: no other object is one."""
    article = "an" if name[0] in "AEIOU" else "a"
    return (lambda value: any(base.__name__ == name for base in type(value).__mro__)), f"{article} {name}"


_MAPPING = 'a mapping such as {"name": value}'
_MANY = {"text": "names"}
_NAMED: dict[str, ArgumentKind] = {
    "str": ((lambda value: isinstance(value, str)), "text"),
    "int": ((lambda value: isinstance(value, int) and not isinstance(value, bool)), "an integer"),
    "bool": ((lambda value: isinstance(value, bool)), "True or False"),
    **dict.fromkeys(("Progress", "Reference"), (lambda v: callable(v) and not isinstance(v, type), "a function")),
    "Symbols": (lambda value: _listed(value) or isinstance(value, str), "a list of names"),
    "Path": ((lambda value: isinstance(value, PathLike)), "a path"),
    **{name: _instance(name) for name in ("Transformer", "Head", "FeedForward", "Layer", "LayerNorm", "Parameter")},
    "Fraction": _instance("Fraction"),
}
