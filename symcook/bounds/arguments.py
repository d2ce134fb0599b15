"""The arguments that kinds of bounds share, and the `Bound` that they return.

Functions such as `count`, `positive` and `read_model` check an argument that a user gave, and return its value or raise
BadInput. `against` compares a computed value with a claimed bound. Both are balls that are refined until the requested
digits are certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import flint

from symcook.errors import BadInput, Undecided
from symcook.model.answers import Reply
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.extent import Extent, values_of
from symcook.model.rationals import plain, rational
from symcook.model.symbols import fraction
from symcook.model.transformer import Transformer, without_value
from symcook.numbers.balls import AlikeByText, Ball, arb_of, ball, decide_sign, limit_for, refine
from symcook.numbers.evaluate import evaluate
from symcook.words import Word, every

if TYPE_CHECKING:
    from symcook.model.symbols import Exact

MAX_COUNT_BITS = 14_000  # of an argument that `count` reads; `symcook.model.rationals` has the same limit
LARGEST = 30  # arguments that `positive` reads are at most 10^LARGEST

Refinable = tuple[str, Callable[[], flint.arb]]
"""An exact number: its text, and a function that returns a ball around it at flint's current precision."""


def written(value: Fraction | int) -> str:
    """An exact number as text p or p/q, of any length (`str` of an int is limited to 4300 digits)."""
    return str(flint.fmpq(value.numerator, value.denominator))


def count(value: object, name: str = "n", least: int = 1, bits: int = MAX_COUNT_BITS) -> int:
    """`value` as an integer of at least `least` and at most `bits` bits; BadInput for anything else."""
    integer = value
    if isinstance(value, str) and len(value) <= 4300 and value.strip().isdecimal():
        integer = int(value)
    if isinstance(integer, bool) or not isinstance(integer, int) or integer < least or integer.bit_length() > bits:
        must = f"{name} must be an integer of at least {least} and below 2^{bits}"
        raise BadInput(must, value, f"write the integer in digits, for example --{name} 64")
    return integer


def positive(value: object, name: str = "gamma") -> Refinable:
    """An exact positive number of at most 10^30: an integer, a Fraction, or text of the grammar without names.

    Raises BadInput for anything else and if the number is not positive, Undecided if balls do not decide its sign.
    """
    text, enclosed = exact(value, name)
    if decide_sign(enclosed, f"{name} > 0 for {name} = {text}") <= 0:
        raise BadInput(f"{name} must be positive", text, f"give a positive {name}, for example --{name} 5")
    if decide_sign(lambda: enclosed() - flint.arb(10) ** LARGEST, f"{name} <= 10^{LARGEST} for {name} = {text}") > 0:
        raise BadInput(f"{name} must be at most 10^{LARGEST}", text, "give a smaller number")
    return text, enclosed


def exact(value: object, name: str) -> Refinable:
    """An exact number: an integer, a Fraction, or text of the grammar without names. Raises BadInput for others."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        rational_number = Fraction(value)
        return written(rational_number), lambda: arb_of(rational_number)
    if not isinstance(value, str):
        do = "give an integer, a Fraction or text such as 'log(8*64)' or '1/2'"
        raise BadInput(f"{name} must be exact", value, do)
    tree = number_tree(value, name)
    return show(tree), lambda: evaluate(tree)


def number_tree(text: str, name: str) -> Tree:
    """The tree of a number given as text; BadInput for the argument `name` if it is not a number or has names."""
    # Keep the message of the parser, unless it only says that the text is not in the grammar.
    try:
        tree = parse_term(plain(text))
    except BadInput as error:
        if "grammar" in error.must:
            raise BadInput(f"{name} must be a number", text, "write the number like 1/2, 0.5 or log(8*64)") from None
        raise BadInput(f"{name} must be a number; {error.must}", error.given, error.do) from None
    free = sorted(names(tree))
    if free:
        raise BadInput(f"{name} must be a number without names", free[0], f"write a number in place of {free[0]}")
    return tree


def rational_value(tree: Tree, name: str, values: Mapping[str, Fraction] | None = None) -> Fraction:
    """The rational value of a tree; BadInput for the argument `name` if it is irrational."""
    try:
        return rational(tree, values)
    except BadInput as error:
        raise BadInput(f"{name} must be rational; {error.must}", error.given, error.do) from None


def read_model(
    model: str | Transformer, values: str | Mapping[str, object] | None
) -> tuple[Transformer, str, dict[str, str]]:
    """A model with all symbols set, its name, and the values of its symbols as text. `model` names a recipe, a family
    or the path of a model file, or is a Transformer.

    `values` gives arguments of the recipe or family and values of symbols, as a mapping or as text "N=4, eps=1/16".
    Raises BadInput for an unknown name and for a symbol without a value.
    """
    chosen = settings(values)
    if isinstance(model, Transformer):
        return _bound(model, chosen), model.name, values_of(model, chosen)
    if not isinstance(model, str):
        raise BadInput(
            "a model must be the name of a recipe, a model file or a Transformer",
            type(model).__name__,
            'give for example model="parity"',
        )
    from symcook.recipes import named

    _, arguments, built = named(model, chosen)
    given = {key: value for key, value in chosen.items() if key not in arguments}
    return _bound(built, given), model, values_of(built, given)


def _bound(model: Transformer, given: Mapping[str, Exact]) -> Transformer:
    """The model with its symbols set; BadInput, which names the missing option, if a symbol has no value."""
    missing = [p for p in model.parameters if p.default is None and p.name not in given]
    model.values(given, require=False)  # raises for a wrong name or value, before the error for a missing one
    if missing:
        raise without_value(missing[0].name, missing[0].region)
    return model.bind(given)


def settings(values: str | Mapping[str, object] | None) -> dict[str, Any]:
    """Arguments and values as a mapping, from a mapping or from text "N=4, eps=1/16"; BadInput for other text."""
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
    """`value` as a positive Fraction: an integer, a Fraction, or text of the grammar without names. BadInput for
    anything else."""
    number = value
    if isinstance(value, str):
        number = rational_value(number_tree(value, name), name)
    if isinstance(number, bool) or not isinstance(number, (int, Fraction)):
        raise BadInput(f"{name} must be an exact rational", value, f"give for example --{name} 1/1000")
    if number <= 0:
        raise BadInput(f"{name} must be positive", number, f"give for example --{name} 1/1000")
    return Fraction(number)


def entry(value: object) -> Fraction:
    """An entry of a matrix as a Fraction; BadInput if it is irrational."""
    return Fraction(value) if isinstance(value, (int, Fraction)) else fraction(value)


def words_of_length(model: Transformer, n: int, limit: int, name: str, why: str = "") -> Iterator[Word]:
    """All strings of n input symbols; BadInput if they are more than `limit`."""
    letters = len(model.alphabet)
    if letters > 1 and (
        n > limit.bit_length() or letters**n > limit
    ):  # the first test avoids computing a very large power
        raise BadInput(
            f"{name} must have at most {limit} strings of length n{why}", f"{letters}^{n}", "give a smaller --n"
        )
    return every(model.alphabet, n)


def shown(compute: Callable[[], flint.arb], digits: int, what: str = "a value") -> Ball:
    """The number that `compute` encloses, as decimals with a relative radius of at most 10^-digits; Undecided if balls
    do not reach that."""
    return ball(refine(compute, digits, relative=True, what=what), digits, relative=True)


def decided(difference: Callable[[], flint.arb], digits: int, what: str) -> bool | None:
    """Whether `difference` >= 0; None if balls do not decide it at the greatest precision for that many digits."""
    try:
        return decide_sign(difference, what, limit_for(digits)) >= 0
    except Undecided:
        return None


def distance(mass: flint.arb) -> flint.arb:
    """The L1 distance of a softmax from weight 1 on one position, if the other positions have the weight `mass`
    relative to the weight of this one."""
    return 2 * mass / (1 + mass)


def against(
    value: Callable[[], flint.arb],
    claimed: Callable[[], flint.arb],
    digits: int,
    labels: tuple[str, str],
    difference: Callable[[], flint.arb] | None = None,
) -> dict[str, Any]:
    """Arguments of `Bound`: the value, the claimed bound, and whether value <= claimed.

    `difference`, if given, is used for the comparison: a number with the sign of claimed - value that loses fewer
    digits to cancellation.
    """
    return {
        "value": shown(value, digits, f"the {labels[0]}"),
        "claimed": shown(claimed, digits, "the claimed bound"),
        "holds": decided(difference or (lambda: claimed() - value()), digits, f"the {' <= '.join(labels)}"),
        "labels": labels,
    }


def written_settings(parameters: Mapping[str, object]) -> str:
    """Parameters as text, such as "n = 64, gamma = 5"; "" without any."""
    texts = {name: str(v).lower() if isinstance(v, bool) else v for name, v in parameters.items()}
    return ", ".join(f"{name} = {v}" for name, v in texts.items())


@dataclass(frozen=True, repr=False, eq=False)
class Bound(AlikeByText, Reply):
    """A claimed bound, and the value that it is about."""

    REPORT = "bound"

    kind: str
    """The name of the kind, a key of `symcook.bounds.KINDS`."""
    parameters: Mapping[str, int | bool | str]
    """Exact values, as integers, booleans and text of the grammar."""
    value: Ball
    """The value that `labels` names, for most kinds the supremum of a quantity. For "error" it is an upper bound of
    that, for "layernorm-hash" a minimum, for "temperature" the largest temperature, and for "cross-entropy" a mean."""
    claimed: Ball | None
    """The paper's bound or rule; None if it does not apply."""
    holds: bool | None
    """Whether value <= claimed, for "layernorm-hash" and "temperature" whether claimed <= value: by balls, or for all
    parameters by one of `proofs`. None if the balls did not decide it or nothing is claimed."""
    attained: bool
    """Whether some admissible input reaches the value."""
    where: str = ""
    """Which inputs reach or approach the value, as text; for "error", that it is an upper bound."""
    source: str = ""
    """Where the papers claim it."""
    labels: tuple[str, str] = field(default=("tight value", "claimed"))
    """What `value` and `claimed` are called."""
    proofs: tuple[str, ...] = ()
    """Ids of stored statements, which state for all parameters what this object states for the given ones."""
    extra: Mapping[str, Ball | str] = field(default_factory=dict)
    """Further values, by name."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Which strings were used, if not all strings: "inputs", "count" and "positions"."""
    extent: Extent = field(default_factory=Extent)
    """The values of the parameters of the model that the bound is about."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    @property
    def status(self) -> str:
        """HOLDS, FAILS or OPEN (undecided), of what is claimed; COMPUTED if nothing is."""
        return "COMPUTED" if self.claimed is None else {True: "HOLDS", False: "FAILS", None: "OPEN"}[self.holds]

    @property
    def counterexample(self) -> str | None:
        """The parameters at which the claim fails; None if it is not known to fail."""
        return self.settings if self.holds is False else None

    @property
    def settings(self) -> str:
        """The parameters as text, such as "n = 64, gamma = 5"; "" without any."""
        return written_settings(self.parameters)

    @property
    def statements(self) -> dict[str, str]:
        """The text of each statement in `proofs`, by id."""
        from symcook.proof.replay import statements

        return {name: statements()[name].text for name in self.proofs}

    def verdicts(self) -> dict[str, str]:
        """The status of each statement in `proofs`, by id, with what it assumes: its stored proof is checked now."""
        from symcook.proof.search.limits import replayed

        words_by_id = {verdict.id: verdict.words for verdict in replayed(self.proofs)} if self.proofs else {}
        return {name: words_by_id[name] for name in self.proofs}  # in the order in which they are named

    def to_json(self) -> dict[str, Any]:
        """{"kind", "parameters", "value": ball, "claimed": ball or None, "holds", "attained", "extra", "proofs",
        "statements"}, and the keys of `inputs` and `extent`.

        "proofs" gives the status of each statement by id, "statements" its text.
        """
        return {
            "kind": self.kind,
            "parameters": dict(self.parameters),
            "value": self.value.to_json(),
            "claimed": None if self.claimed is None else self.claimed.to_json(),
            "holds": self.holds,
            "attained": self.attained,
            "extra": {name: v if isinstance(v, str) else v.to_json() for name, v in self.extra.items()},
            "proofs": self.verdicts(),
            "statements": self.statements,
            **self.inputs,
            **self.extent.to_json(),
        }
