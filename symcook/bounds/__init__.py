"""Bounds: what a paper claims, the sharp value, and whether the claim holds, each rigorous to the asked digits.

The functions are named here and imported when one is called, so that listing the kinds costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from symcook.door import door, fits
from symcook.errors import unknown

if TYPE_CHECKING:
    from symcook.bounds.cooling import temperature
    from symcook.bounds.error import error_propagation
    from symcook.bounds.falling import table_lookup, tie_break, ziggurat
    from symcook.bounds.flips import sensitivity
    from symcook.bounds.gelu import gelu_multiply, gelu_relu
    from symcook.bounds.hash import layernorm_hash
    from symcook.bounds.layer import layer_norm, lipschitz
    from symcook.bounds.lookup import quadratic_lookup
    from symcook.bounds.result import Bound
    from symcook.bounds.scores import softmax_of_scores
    from symcook.bounds.softmax import softmax_hardmax
    from symcook.papers.chiang2022.entropy import cross_entropy

__all__ = [
    "KINDS",
    "Argument",
    "Kind",
    "bound",
    "cross_entropy",
    "error_propagation",
    "gelu_multiply",
    "gelu_relu",
    "kind",
    "layer_norm",
    "layernorm_hash",
    "lipschitz",
    "quadratic_lookup",
    "sensitivity",
    "softmax_hardmax",
    "softmax_of_scores",
    "table_lookup",
    "temperature",
    "tie_break",
    "ziggurat",
]


@dataclass(frozen=True)
class Argument:
    """An argument of a kind: text, or yes and no where it has no `metavar`.

    The command line has an option for it; one that is called "model" comes after the kind, without an option.
    """

    name: str
    help: str
    metavar: str | None = None
    required: bool = False

    @property
    def option(self) -> str:
        """The option of the command line; values of a model are given as in every command."""
        return "--set" if self.name == "values" else f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Kind:
    """A kind of bound: where its function is, its arguments, and what it answers in words.

    Every function takes the arguments of its kind and `digits` by name.
    """

    name: str
    function: str
    arguments: tuple[Argument, ...]
    summary: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all its arguments."""
        return (*(argument.name for argument in self.arguments), "digits")

    @property
    def usage(self) -> str:
        """Its arguments as one writes them on the command line."""
        words = []
        for argument in self.arguments:
            value = f" {argument.metavar}" if argument.metavar else ""
            word = "NAME" if argument.name == "model" else f"{argument.option}{value}"
            words.append(word if argument.required else f"[{word}]")
        return " ".join((self.name, *words))

    def load(self) -> Callable[..., Any]:
        """The function; it returns a `symcook.bounds.result.Bound`."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)


_N = "The length: how many scores, positions or symbols there are."
_MODEL = "A recipe or a model file."
_VALUES = "An argument of the recipe or a value of a symbol. Repeatable."
_GAMMA = "The score gap or scale: a rational, or such as 'log(8*64)'."

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="softmax-hardmax",
            function="symcook.bounds.softmax:softmax_hardmax",
            arguments=(
                Argument("n", _N, "N", required=True),
                Argument("gamma", _GAMMA, "G", required=True),
                Argument("ties", "Allow score vectors whose maximum is not unique."),
            ),
            summary="the supremum of the L1 distance between softmax and hardmax over n scores with gap at least "
            "gamma, against 2 n e^-gamma (Cookbook, Lemma 5.3)",
        ),
        Kind(
            name="softmax",
            function="symcook.bounds.scores:softmax_of_scores",
            arguments=(
                Argument("scores", "Scores: '3, 1/2, 0', or an expression in j and n.", "S", required=True),
                Argument("gamma", _GAMMA, "G"),
                Argument("n", _N, "N"),
            ),
            summary="the L1 distance between softmax of gamma times given scores and their hardmax, as a function of "
            "x = e^-gamma, against 2 n e^(-gamma gap) (Cookbook, Lemma 5.3)",
        ),
        Kind(
            name="lookup",
            function="symcook.bounds.lookup:quadratic_lookup",
            arguments=(
                Argument("gamma", _GAMMA, "G", required=True),
                Argument("n", _N, "N"),
                Argument("q", "The position that is looked up; without it the worst one.", "Q"),
            ),
            summary="the L1 distance between softmax of the scores gamma (2 q j - j^2) and the position q, for every "
            "length or one, against 4 e^-gamma (Cookbook, Section 5.3.4; yang2026, Lemma 6)",
        ),
        Kind(
            name="ziggurat",
            function="symcook.bounds.falling:ziggurat",
            arguments=(Argument("gamma", _GAMMA, "G", required=True), Argument("n", _N, "N")),
            summary="the supremum of the L1 distance for scores that fall by gamma a step away from their maximum, for "
            "every length or one, against 4 e^-gamma (yang2026, Lemma 6)",
        ),
        Kind(
            name="table-lookup",
            function="symcook.bounds.falling:table_lookup",
            arguments=(Argument("gamma", _GAMMA, "G", required=True), Argument("n", _N, "N")),
            summary="the greatest error of a position that soft attention looks up with scores gamma (2 t j - j^2), "
            "for every length or one, against (3/2) e^-gamma, and the least gamma for 3/2 (yang2026, Lemma 7)",
        ),
        Kind(
            name="tie-break",
            function="symcook.bounds.falling:tie_break",
            arguments=(
                Argument("variant", "The part of Lemma 8: a, b or c.", "V", required=True),
                Argument("gamma", _GAMMA, "G", required=True),
                Argument("n", _N, "N", required=True),
            ),
            summary="the supremum of the L1 distance to unique hardmax where scores are changed to break ties, against "
            "4 e^-gamma (yang2026, Lemma 8)",
        ),
        Kind(
            name="layernorm-hash",
            function="symcook.bounds.hash:layernorm_hash",
            arguments=(
                Argument("n", _N, "N", required=True),
                Argument("tie_break", "Also the tie-breaking term of merrill2024, Definition 7."),
                Argument("search", "Also the least precision that tells all positions apart."),
            ),
            summary="the least gap of the scores of the layer-norm hash over positions up to n, against 1/(2 n^4) "
            "(Cookbook, Section 5.3.3; merrill2024, Lemma 8)",
        ),
        Kind(
            name="lipschitz",
            function="symcook.bounds.layer:lipschitz",
            arguments=(
                Argument("model", _MODEL, "NAME", required=True),
                Argument("norm", "max for the greatest entry, sum for the sum of their sizes (max).", "M"),
                Argument("values", _VALUES, "NAME=VALUE"),
            ),
            summary="the least Lipschitz constant of a feed-forward layer, against ||W2|| ||W1||, and whether it is "
            "positively homogeneous (Cookbook, Section 6.1)",
        ),
        Kind(
            name="layer-norm",
            function="symcook.bounds.layer:layer_norm",
            arguments=(
                Argument("d", "How many entries are normalised.", "D", required=True),
                Argument("epsilon", "What is added to the variance, positive.", "E", required=True),
                Argument("gain", "One gain for all entries, or '1, 2, 1/2' (1).", "G"),
            ),
            summary="the least Lipschitz constant of layer norm for the Euclidean norm, against max|gain|/sqrt(epsilon)"
            " (Cookbook, Sections 6.1 and 6.4)",
        ),
        Kind(
            name="gelu-multiply",
            function="symcook.bounds.gelu:gelu_multiply",
            arguments=(Argument("form", "The form of GELU: erf (Eq. 24) or tanh (Eq. 25).", "F"),),
            summary="the least K with |error| <= K (|x| + |y|)^3 for the product by GELU, against 1/4 (Cookbook, "
            "Section 4.6)",
        ),
        Kind(
            name="gelu-relu",
            function="symcook.bounds.gelu:gelu_relu",
            arguments=(
                Argument("c", "The factor in GELU(c x)/c (1).", "C"),
                Argument("form", "The form of GELU: erf (Eq. 24) or tanh (Eq. 25).", "F"),
            ),
            summary="the greatest difference of GELU(c x)/c and ReLU(x), against a proved bound (Cookbook, Eq. 27)",
        ),
        Kind(
            name="temperature",
            function="symcook.bounds.cooling:temperature",
            arguments=(
                Argument("n", _N, "N", required=True),
                Argument("gamma", _GAMMA, "G", required=True),
                Argument("error", "The greatest error of a value in [0, 1] (1/4).", "E"),
                Argument("bits", "Fractional bits of a fixed-point format.", "P"),
            ),
            summary="the greatest temperature that keeps the error of retrieved values below a target, against "
            "gamma/log(2 n/error) (Cookbook, Section 5.7), and where weights round to zero in each float format",
        ),
        Kind(
            name="error",
            function="symcook.bounds.error:error_propagation",
            arguments=(
                Argument("model", _MODEL, "NAME", required=True),
                Argument("delta", "The size of the error in the embedding.", "D"),
                Argument("n", _N, "N"),
                Argument("values", _VALUES, "NAME=VALUE"),
                Argument("dtype", "Weights and operations rounded to float64, float32, float16 or bfloat16.", "T"),
                Argument("constants", "By constants of the parts alone, for every word at once."),
            ),
            summary="how far an error in the embedding of a model, or a type of floats, can move each coordinate, over "
            "all words of n symbols, beside the papers' constants (yang2026, Lemmas 28 to 33; Cookbook, Section 7.2)",
        ),
        Kind(
            name="sensitivity",
            function="symcook.bounds.flips:sensitivity",
            arguments=(
                Argument("model", _MODEL, "NAME", required=True),
                Argument("n", _N, "N", required=True),
                Argument("values", _VALUES, "NAME=VALUE"),
            ),
            summary="the greatest change of a model's output when one of n symbols changes, against a proved C/n "
            "(chiang2022, Section 1; Cookbook, Section 6.4)",
        ),
        Kind(
            name="cross-entropy",
            function="symcook.papers.chiang2022.entropy:cross_entropy",
            arguments=(
                Argument("model", _MODEL, "NAME", required=True),
                Argument("n", _N, "N", required=True),
                Argument("values", _VALUES, "NAME=VALUE"),
                Argument("weight", "The weight of Figure 3 in parity and parity-layernorm (1).", "P"),
                Argument("sample", "The mean over so many words, drawn evenly, in place of all.", "M"),
                Argument("seed", "Where the drawing begins (0).", "S"),
            ),
            summary="the mean cross-entropy in bits over all words of n symbols, for parity, first, first-flawed and "
            "their variants with layer norm, against the worst possible, 1 bit (chiang2022, Figure 2)",
        ),
    )
}


def kind(name: str) -> Kind:
    """The kind of that name. Raises BadInput with the nearest name."""
    if name not in KINDS:
        raise unknown("kind of bound", name, tuple(KINDS))
    return KINDS[name]


@door()
def bound(name: str, *arguments: Any, **parameters: Any) -> Bound:
    """The bound of a kind, as `symcook bound` names it; its arguments are those of its function.

    >>> bound("softmax-hardmax", n=64, gamma=5, digits=4).holds
    True

    Raises BadInput, with the nearest kind or argument, for a name that there is not.
    """
    chosen = kind(name)
    for parameter in parameters:
        if parameter not in chosen.names:
            raise unknown(f"argument of {name}", parameter, chosen.names)
    function = chosen.load()
    fits(function, name, arguments, parameters)
    return function(*arguments, **parameters)


def __getattr__(name: str) -> Any:
    """The functions of the kinds by their own names, imported when they are asked for."""
    for found in KINDS.values():
        if found.function.endswith(f":{name}"):
            return found.load()
    raise AttributeError(f"module 'symcook.bounds' has no attribute '{name}'")
