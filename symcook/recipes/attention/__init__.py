"""Attention recipes: sequences of numbers in, a number at each position out. Source: Cookbook, Sections 5.1 to 5.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.recipes.registry import info

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


def of_rows(inputs: tuple[str, ...], output: str) -> Callable[..., Callable[[Any], Any]]:
    """Lift a reference on plain lists to rows {input: value} and answers {output: value}."""

    def adapt(function: Callable[[Any], Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
        def answer(rows: Any) -> list[dict[str, Any]]:
            plain = [row[inputs[0]] if len(inputs) == 1 else tuple(row[name] for name in inputs) for row in rows]
            return [{output: value} for value in function(plain)]

        return answer

    return adapt


def mean(name: str, mask: str) -> Transformer:
    """The model that writes the mean of x over what `mask` shows."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer
    from symcook.model.weights import head

    return Transformer(
        name,
        Embedding(Space(("x", "mean")), inputs=("x",)),
        (Layer(head(value={"mean": "x"}, mask=mask)),),
        Readout("value", "each", ("mean",)),
        source=info(name).source,
    )
