"""Models that a bound is about: chosen by name, with all symbols set, and their words of one length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.bounds.arguments import number_tree, rational_value
from symcook.errors import BadInput
from symcook.model.symbols import fraction
from symcook.model.transformer import Transformer
from symcook.words import Word, every

if TYPE_CHECKING:
    from symcook.model.symbols import Exact


def read_model(model: str | Transformer, values: str | Mapping[str, object] | None) -> tuple[Transformer, str]:
    """A model with all symbols set, and its name: a recipe, the path of a model file, or a Transformer.

    `values` gives arguments of the recipe and values of symbols, as a mapping or as text "N=4, eps=1/16". Raises
    BadInput for an unknown name and for a symbol without a value.
    """
    given = settings(values)
    if isinstance(model, Transformer):
        return _bound(model, given), model.name
    if not isinstance(model, str):
        raise BadInput("a model must be the name of a recipe, a model file or a Transformer", type(model).__name__)
    from symcook.recipes.named import named

    _, arguments, found = named(model, given)
    return _bound(found, {key: value for key, value in given.items() if key not in arguments}), model


def _bound(model: Transformer, given: Mapping[str, Exact]) -> Transformer:
    """The model with its symbols set; BadInput, with the option to give, where one has no value."""
    missing = [p for p in model.parameters if p.default is None and p.name not in given]
    model.values(given, require=False)  # a wrong name or value is said first
    if missing:
        one = missing[0]
        do = f"give --set {one.name}=VALUE with {one.region}"
        raise BadInput("every symbol must have a value here", f"none for {one.name}", do)
    return model.bind(given)


def settings(values: str | Mapping[str, object] | None) -> dict[str, Any]:
    """Arguments and values as a mapping, from one or from text "N=4, eps=1/16"; BadInput for other text."""
    if values is None:
        return {}
    if not isinstance(values, str):
        return dict(values)
    result = {}
    for part in values.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value or name in result:
            raise BadInput(
                "values must be written NAME=VALUE, each name once", part.strip() or "nothing", "write 'eps=1/8, c=2'"
            )
        result[name] = value
    return result


def rational_positive(value: object, name: str) -> Fraction:
    """`value` as a positive Fraction: an integer, a Fraction, or text of the grammar without names."""
    found = value
    if isinstance(value, str):
        found = rational_value(number_tree(value, name), name)
    if isinstance(found, bool) or not isinstance(found, (int, Fraction)):
        raise BadInput(f"{name} must be an exact rational", value, f"give for example --{name} 1/1000")
    if found <= 0:
        raise BadInput(f"{name} must be positive", found, f"give for example --{name} 1/1000")
    return Fraction(found)


def entry(value: object) -> Fraction:
    """An entry of a matrix as a Fraction; BadInput where it is not rational."""
    return Fraction(value) if isinstance(value, (int, Fraction)) else fraction(value)


def words_of_length(model: Transformer, n: int, limit: int, name: str, why: str = "") -> Iterator[Word]:
    """All words of n typed symbols; BadInput where they are more than `limit`."""
    letters = len(model.alphabet)
    if letters > 1 and (n > limit.bit_length() or letters**n > limit):  # without a power of any size
        raise BadInput(
            f"{name} must have at most {limit} words of the length{why}", f"{letters}^{n}", "give a smaller --n"
        )
    return every(model.alphabet, n)
