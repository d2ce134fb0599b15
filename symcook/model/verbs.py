"""What a model can be asked, in one place: each verb hands the model to the part of symcook that answers.

This is the only module of values that names what stands above them, and it imports that when a verb is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.door import door
from symcook.model.symbols import Exact

if TYPE_CHECKING:
    from symcook.derivation import Derivation
    from symcook.export.diff import Diff
    from symcook.model.transformer import Transformer
    from symcook.questions.answer import Answer
    from symcook.run import Run
    from symcook.verify.sweep import Check


class Verbs:
    """The questions that a `Transformer` answers."""

    @door()
    def run(
        self: Any,
        given: Any,
        domain: str = "exact",
        *,
        values: Mapping[str, Exact] | None = None,
        **options: Any,
    ) -> Run:
        """Run one input (a word, or rows of inputs) in a domain; see `symcook.run.run`."""
        from symcook.run import run

        return run(self, given, domain, values=values, **options)

    __call__ = run

    @door()
    def run_many(
        self: Any,
        inputs: Iterable[Any],
        domain: str = "exact",
        *,
        values: Mapping[str, Exact] | None = None,
        **options: Any,
    ) -> list[Run]:
        """Run each input in turn, with the symbols bound once; options as in `symcook.run.run`."""
        from symcook.run import run

        bound = self.bind(values)
        return [run(bound, given, domain, **options) for given in inputs]

    @door()
    def derive(self: Any, given: Any = None, *, values: Mapping[str, Exact] | None = None) -> Derivation:
        """The closed forms of the outputs on one input; see `symcook.derivation.derive`."""
        from symcook.derivation import derive

        return derive(self, given, values)

    @door(reference="give a function of an input; that of a recipe is recipes.reference(NAME)")
    def check(
        self: Any,
        reference: Callable[[Any], Any],
        max_length: int | None = None,
        *,
        values: Mapping[str, Exact] | None = None,
        **options: Any,
    ) -> Check:
        """Compare with a reference on every input up to `max_length`, exactly; see `symcook.verify.sweep.check`."""
        from symcook.verify.sweep import check

        return check(self, reference, max_length, values=values, **options)

    @door()
    def margin(self: Any, max_length: int, **options: Any) -> Answer:
        """How near decisions come to their threshold, by length; see `symcook.questions.margin.margin`."""
        from symcook.questions.margin import margin

        return margin(self, max_length, **options)

    @door()
    def tolerance(self: Any, weights: str | Sequence[str], max_length: int, **options: Any) -> Answer:
        """How far a weight may move, by length; see `symcook.questions.tolerance.tolerance`."""
        from symcook.questions.tolerance import tolerance

        return tolerance(self, weights, max_length, **options)

    @door()
    def temperature(self: Any, max_length: int, **options: Any) -> Answer:
        """How warm soft attention may be, by length; see `symcook.questions.temperature.temperature`."""
        from symcook.questions.temperature import temperature

        return temperature(self, max_length, **options)

    @door()
    def precision(self: Any, max_length: int, **options: Any) -> Answer:
        """How many bits are enough, by length; see `symcook.questions.precision.precision`."""
        from symcook.questions.precision import precision

        return precision(self, max_length, **options)

    @door()
    def entropy(self: Any, max_length: int, **options: Any) -> Answer:
        """How widely each head looks, in bits, by length; see `symcook.questions.entropy.entropy`."""
        from symcook.questions.entropy import entropy

        return entropy(self, max_length, **options)

    @door()
    def soften(self: Any, tau: str = "tau") -> Transformer:
        """This model with soft attention at a temperature; see `symcook.compose.cooling.soften`."""
        from symcook.compose.cooling import soften

        return soften(self, tau)

    @door()
    def export(self: Any, target: str | Path, **options: Any) -> dict[str, Any]:
        """Write float weights and their certificate, which is returned; see `symcook.export.export`."""
        from symcook.export import export

        return export(self, target, **options)

    @door()
    def diff(self: Any, other: Any, max_length: int = 6, **options: Any) -> Diff:
        """Where this model and another one part, on inputs to a length; see `symcook.export.diff.diff`."""
        from symcook.export.diff import diff

        return diff(self, other, max_length, **options)

    @door()
    def save(self: Any, path: str | Path, *, force: bool = False) -> Path:
        """Write the model file; BadInput where the file exists (without `force`) or cannot be written."""
        from symcook.model.modelfile import save

        return save(self, path, force=force)
