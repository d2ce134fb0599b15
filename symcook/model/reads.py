"""What the engines read of a model: the kinds of parts, the fields of each kind, and the words that stand in fields.

An engine is any code that reads the parts of a model: a forward pass, an export, a bound, a page. Each has one
`PartsRead` beside its code, and takes the layers of a model through `PartsRead.of`. So a kind of part, a field or a
word that is new is refused, in one sentence, by every engine that does not say that it reads it: none drops a field,
and none takes one word for another.

`FIRST` has what all engines have read from the beginning, and never changes. What is added later is named by each
engine that reads it: ``PartsRead("the forward pass", Head="slope", mask="window")``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from symcook.errors import BadInput, all_read
from symcook.model import parts
from symcook.model.answers import KeptAnswers
from symcook.model.steps import LOWERINGS, fixed_numbers, placed_numbers

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

FIRST = {
    "Head": "Q K V mask weighting temperature scale",
    "FeedForward": "W1 b1 W2 b2 activation",
    "LayerNorm": "gain bias epsilon projection zero_variance",
    "SelfAttention": "heads",
    "Layer": "attention feedforward attention_norms feedforward_norms placement",
    "Embedding": "space words inputs positions start before after",
    "Readout": "kind position reads weights labels groups",
    "Parameter": "name default lower upper lower_open upper_open",
    "Transformer": "name embedding layers readout parameters max_length source final_norm program",
    "mask": "none future strict-future past strict-past",
    "weighting": "average softmax leftmost rightmost",
    "activation": "relu gelu gelu-tanh gelu-sigmoid step",
    "zero_variance": "refuse zero",
    "kind": "value sign zero largest distribution groups",
    "position": "first last each all",
}
"""The fields of each kind of part and of what holds parts, and the words of each field that has words."""
NORM_WORDS = {"activation": "silu", "zero_square": "refuse zero"}
"""The words that came with RMS norms and gated units."""
HEAD_WORDS = {"weighting": "softmax-plus-one"}
"""The word that came with the heads of published models."""
STEP_WORDS = NORM_WORDS | HEAD_WORDS
"""The words that are no words of `FIRST`, for the engines that go by steps."""
NORMS_AND_GATES = NORM_WORDS | {
    "RMSNorm": "gain epsilon projection zero_square",
    "GatedUnits": "gate gate_bias up up_bias down down_bias activation",
}
"""RMS norms, gated units and their words, for the engines that read both."""
BIASED_HEADS = {"BiasedHead": "Q K V q_bias k_bias v_bias mask weighting slope temperature scale"}
"""Heads with biases, for the engines that read them."""
ROTARY = {"RotaryHead": "Q K V angles q_bias k_bias v_bias q_gain k_gain qk_epsilon mask weighting temperature scale"}
"""Heads with rotary positions, for the engines that read them."""
ROTARY_HEADS = HEAD_WORDS | ROTARY
"""The same, and softmax with a one below."""
KIND_NAMES = {
    "Head": "a head", "BiasedHead": "a head with biases", "RotaryHead": "a rotary head",
    "FeedForward": "a feed-forward layer", "LayerNorm": "a layer norm", "Layer": "a layer",
    "SelfAttention": "self-attention", "Embedding": "an embedding", "Readout": "a readout", "Transformer": "a model",
    "Parameter": "a parameter", "RMSNorm": "an RMS norm", "GatedUnits": "gated units",
}  # fmt: skip
"""The kinds as a sentence has them."""


def names_of(kind: Any) -> list[str]:
    """The names of the fields of a dataclass."""
    return [field.name for field in fields(kind)]


class PartsRead:
    """What one engine reads: `FIRST`, and what is named besides."""

    engines: ClassVar[dict[str, PartsRead]] = {}
    """All of them by name, for the test that asks each."""

    def __init__(self, engine: str, **more: str) -> None:
        """engine: its name in a sentence. more: fields by kind of part, and words by field, with blanks between."""
        self.engine = engine
        self.known = {name: frozenset(f"{FIRST.get(name, '')} {more.get(name, '')}".split()) for name in FIRST | more}
        self.compared: dict[type, object] = {}
        """The table of fields of each class that was found to be one that is read."""
        PartsRead.engines[engine] = self

    def of(self, model: Transformer) -> Transformer:
        """The model; BadInput where it has a kind of part, a field or a word that the engine does not read. A model is
        looked at once for each engine."""
        asked = vars(model).get("_read_by")
        if asked is None:
            asked = vars(model)["_read_by"] = KeptAnswers()
        if self.engine not in asked:
            self._check(model)
            asked[self.engine] = True
        return model

    def _check(self, model: Transformer) -> None:
        """BadInput where the engine does not read all of the model."""
        self.holder(model, "Transformer")
        self.holder(model.embedding, "Embedding")
        self.holder(model.readout, "Readout")
        for parameter in model.parameters:
            self.holder(parameter, "Parameter")
        for name in ("kind", "position"):
            self.word(name, getattr(model.readout, name), "Readout")
        _ = model.readout.where  # an engine may know a word of which nobody has said where it looks
        for layer in model.layers:
            self.holder(layer, "Layer")
            if layer.attention is not None:
                self.holder(layer.attention, "SelfAttention")
        for step in model.sublayers:
            for part in step.all_parts:
                if not self._knows(type(part).__name__):
                    self.refuse(type(part), f" in layer {step.layer}" if step.parts else ", the final norm")
            self.parts(step.all_parts)

    def parts(self, given: Iterable[parts.Part]) -> None:
        """BadInput where one of the parts has a kind, a field or a word that the engine does not read."""
        for part in given:
            kind = type(part)
            if self.compared.get(kind) is not kind.FIELDS:
                self.kind(kind)
            for name, form in kind.FIELDS.items():
                if form == "word":
                    self.word(name, getattr(part, name), kind.__name__)

    def kind(self, kind: type[parts.Part]) -> None:
        """BadInput where the engine does not read this kind of part, or its fields are others than those it reads."""
        if not self._knows(kind.__name__) or getattr(parts, kind.__name__, None) is not kind:
            self.refuse(kind)
        # A field that the class has and its table does not list counts too.
        self._all_fields(kind, {*kind.FIELDS, *names_of(kind)} - {"reads", "writes"})
        self.compared[kind] = kind.FIELDS

    def _knows(self, name: str) -> bool:
        """Whether the engine reads the kind of parts with a name."""
        return name in self.known

    def _all_fields(self, kind: type[parts.Part], given: set[str]) -> None:
        """BadInput where the fields of a kind are others than those that the engine reads."""
        self._fields(kind.__name__, given)

    def _fields(self, name: str, given: Iterable[str]) -> None:
        """BadInput where the fields of the kind `name` are others than those that the engine reads."""
        given = {*given}
        all_read(self.engine, KIND_NAMES[name], given, self.known[name])
        if missing := self.known[name] - given:
            raise BadInput(
                f"{KIND_NAMES[name]} must have all fields that {self.engine} needs",
                f"no field {min(missing)}",
                "build the layer from the kinds that symcook has",
            )

    def holder(self, given: object, name: str) -> None:
        """BadInput where what holds parts is of another class, or has other fields, than the engine reads."""
        kind = next((base for base in type(given).__mro__ if base.__name__ == name), None)
        if kind is None:
            self.refuse(type(given))
        self._fields(name, names_of(kind))

    def word(self, name: str, word: str, of: str) -> None:
        """BadInput where the engine does not know the word in the field `name`."""
        if word not in self.known.get(name, ()):
            what = f"the {name.replace('_', ' ')} of {KIND_NAMES[of]}"
            raise BadInput(
                f"{what} must be one that {self.engine} knows", word, f"known: {', '.join(self.known.get(name, ()))}"
            )

    def refuse(self, kind: type, where: str = "") -> NoReturn:
        """The refusal of a kind of part that the engine does not read; `where` says which part of the model it is."""
        read = ", ".join(name for one in parts.KINDS.values() if self._knows(name := one.__name__))
        must = f"every part of a model must be of a kind that {self.engine} supports"
        raise BadInput(must, kind.__name__ + where, f"supported: {read}")


class StepsRead(PartsRead):
    """What an engine reads that goes by the steps of parts, and by no field of theirs: every kind of part whose steps
    name all its fields. Its `match` refuses a step that it does not know. Words are named as for `PartsRead`."""

    def _knows(self, name: str) -> bool:
        return any(kind.__name__ == name for kind in parts.KINDS.values())

    def _all_fields(self, kind: type[parts.Part], given: set[str]) -> None:
        what = KIND_NAMES.get(kind.__name__, f"a part of the kind {kind.__name__}")
        all_read(self.engine, what, given, _named_in_steps(kind))


class _AskedFields(dict[str, Any]):
    """The fields of a part of some kind, which notes those that are asked for."""

    def __init__(self, kind: type[parts.Part]) -> None:
        super().__init__(dict.fromkeys(kind.FIELDS, ""))
        self.asked = set[str]()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


def _named_in_steps(kind: type[parts.Part]) -> set[str]:
    """The fields of a kind of part that its steps name, or that decide which they are."""
    given = _AskedFields(kind)
    step = LOWERINGS[kind.PLACE][kind.KIND](given)
    return {*fixed_numbers(step), *placed_numbers(step), *given.asked}
