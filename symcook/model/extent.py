"""Which strings, positions and parameter values an answer is about. The sentences and the JSON of answers take their
quantifiers from here, so that none says more than was compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symcook.model.symbols import Exact
    from symcook.model.transformer import Transformer


def values_of(
    model: Transformer, given: Mapping[str, Exact] | None = None, *, require: bool = True
) -> dict[str, str]:
    """The values, given or (with `require`) by default, that an answer has for the parameters of a model, as text; {}
    for a model without parameters. BadInput as `Transformer.values` raises it."""
    if not model.parameters:
        return {}
    from symcook.model.symbols import from_sympy

    return {name: from_sympy(value) for name, value in model.values(given, require=require).items()}


@dataclass(frozen=True)
class Extent:
    """What an answer is about: its strings, the positions whose answers count, and the values of the parameters."""

    language: str | None = None
    """The strings, as the name of their language; None for all strings."""
    shortest: int = 0
    """1 where the empty string is one of the strings, but was not compared."""
    longest: int | None = None
    """The maximum length in symbols; None for strings of every length."""
    prefixes: bool = False
    """Whether an answer belongs to a prefix of one of the strings, not to a whole one."""
    positions: str | None = None
    """The positions whose answers count, as the user chose them; None for those of the readout."""
    values: Mapping[str, str] | None = None
    """The values of the parameters of the model; None or {} where it has none."""
    against: Mapping[str, str] | None = None
    """The values of the parameters of a second model, with which the first is compared."""
    second: str = "the specification"
    """What the second model is called."""

    @property
    def every(self) -> str:
        """All that the answer is about, after "on" or "for"."""
        return f"every string{self._which()}{self.choices}"

    @property
    def strings(self) -> str:
        """The strings alone, after "on" or "for"."""
        return f"every string{self._which()}"

    @property
    def smallest(self) -> str:
        """The first of the shortest strings that have a property."""
        noun = "smallest prefix" if self.prefixes else "smallest string"
        return f"{noun}{self.of_inputs}"

    @property
    def of_inputs(self) -> str:
        """What follows a noun for strings of a language that is named elsewhere; empty for all strings."""
        return "" if self.language is None else " of the inputs"

    @property
    def choices(self) -> str:
        """The positions that count and the values of the parameters, each after a comma."""
        positions = "" if self.positions is None else f", answers at positions: {self.positions}"
        return f"{positions}{self.at_values}"

    @property
    def at_values(self) -> str:
        """The values of the parameters of both models, each after a comma; empty without parameters."""
        own = f", with {_written(self.values)}" if self.values else ""
        return own + (f", with {_written(self.against)} in {self.second}" if self.against else "")

    def _which(self) -> str:
        """The language and the lengths, after the noun."""
        language = "" if self.language is None else f" of {self.language}"
        if self.longest is None:
            return language + " of at least one symbol" * self.shortest
        return language + (f" of length 1 to {self.longest}" if self.shortest else f" up to length {self.longest}")

    def to_json(self) -> dict[str, Any]:
        """{"values"} and {"against_values"}: the values of parameters, each only where there are parameters. The other
        fields have keys of their own in the documents of answers."""
        own = {"values": dict(self.values)} if self.values else {}
        return own | ({"against_values": dict(self.against)} if self.against else {})


def _written(values: Mapping[str, str]) -> str:
    """The values of parameters in words."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
