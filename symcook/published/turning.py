"""Rotary positions of published models: what settings say of them, and the angles of a head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symcook.compose.splitheads import rotary_angles
from symcook.errors import BadInput
from symcook.model.rationals import quotient

BASE = Fraction(10000)
"""The base of rotary positions where settings do not say another."""
NEAR = 1 / 64
"""How far a stored sine or cosine, or a frequency as a share of it, may be from the number that the base gives."""


@dataclass(frozen=True)
class Rotary:
    """Rotary positions.

    Arguments:
        base: of w dimensions that turn, the pair k turns by base^(-2 k/w) at each position.
        share: the share of the dimensions of a head that turn.
        width: their number, where it is given; then `share` has no effect.
        interleaved: whether the dimensions 2 k and 2 k + 1 are a pair; else k and k + w/2 are one.
        factor: every angle is divided by this number.
    """

    base: Fraction
    share: Fraction = Fraction(1)
    width: int | None = None
    interleaved: bool = False
    factor: Fraction = Fraction(1)

    def angles(self, size: int) -> list[str]:
        """The angles of a head with `size` key dimensions; BadInput where the dimensions do not form pairs."""
        width = int(size * self.share) if self.width is None else self.width
        if width % 2 or not 0 < width <= size:
            must = f"the number of rotated dimensions must be even, and at most the {size} of a head"
            raise BadInput(must, width, "change the number in the settings, if the model is yours")
        angles = rotary_angles(width, self.base)
        return angles if self.factor == 1 else [f"{angle}/({quotient(self.factor)})" for angle in angles]

    def __str__(self) -> str:
        """The settings in words."""
        words = f"rotary positions with base {quotient(self.base)}"
        if self.width is not None or self.share != 1:
            words += f" in {self.width or quotient(self.share)} of the dimensions of a head"
        return words + f" slowed down {quotient(self.factor)} times" * (self.factor != 1)


def above_zero(name: str, given: object) -> Fraction:
    """A number of settings; BadInput, with its name, where it is not greater than 0."""
    try:
        number = Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        number = Fraction(0)
    if number <= 0:
        raise BadInput(f"{name} must be a number greater than 0", given, "give a number such as 10000")
    return number


def alike(one: object, two: object) -> bool:
    """Whether two values of settings are the same number, or the same text."""
    try:
        return Fraction(str(one)) == Fraction(str(two))
    except (ValueError, ZeroDivisionError):
        return str(one) == str(two)


def rotary_in(settings: Iterable[tuple[str, Any]], default: Mapping[str, Any]) -> Rotary:
    """The rotary positions of settings of Hugging Face: rope_theta, rope_scaling, rope_parameters (which has the
    entries of both), partial_rotary_factor and their older names, by these names. BadInput for a rule of angles that is
    not read, and for two settings that differ: which of them holds depends on the release. `default` has what no
    setting says."""
    said: dict[str, Any] = {}
    for key, value in settings:
        entries = value if isinstance(value, Mapping) else {key: value}
        for name, entry in entries.items():
            name = "rope_type" if name == "type" else str(name)
            if entry is None:
                continue
            if name in said and not alike(said[name], entry):
                two = f"{said[name]} and {entry}"
                raise BadInput(f"the setting {name} of rotary positions must be given once", two, "keep one of them")
            said[name] = entry
    found = {**default, **said}
    rule = found.pop("rope_type", "default")
    wanted = {"default": set[str](), "linear": {"factor"}}
    if rule not in wanted:
        must = "the angles of rotary positions must follow the rule default or linear to be read"
        raise BadInput(must, f"rope_type = {rule}", "symcook does not read models with other angles")
    names = ("rope_theta", "partial_rotary_factor", "factor")
    given = {name: above_zero(name, found[name]) for name in names if name in found}
    allowed = {"rope_theta", "partial_rotary_factor", *wanted[rule]}
    if unread := sorted(set(found) - allowed):
        must = f"rotary positions may have only the settings {', '.join(sorted(allowed))}"
        raise BadInput(must, unread[0], "symcook does not read models with this setting")
    if rule == "linear" and "factor" not in given:
        raise BadInput(
            "rotary positions of the rule linear must have a factor", "none", "add the factor to the settings"
        )
    one = Fraction(1)
    share, factor = given.get("partial_rotary_factor", one), given.get("factor", one)
    return Rotary(given.get("rope_theta", BASE), share, factor=factor)


def rotary_said(word: str, given: Any, facts: Mapping[str, Any]) -> Rotary | None:
    """The rotary positions of a model.

    Arguments:
        word: the word for the format of its weights.
        given: what the user says: the base, "none", or None.
        facts: what is known of the model. "rotary" is what the settings say: a `Rotary`, or None for no rotary
            positions; "turned" is the name of a weight that only models with rotary positions have.

    Raises BadInput where the user contradicts the settings or the weights, and where nothing says whether positions are
    rotary, though they usually are.
    """
    base = None if given in (None, "none") else above_zero("rotary", given)
    if word == "bridge" and "rotary" not in facts and base is not None:
        must = "the rotary positions of a TransformerBridge must be those of its settings"
        raise BadInput(must, "weights alone", "give the model to from_hooked")
    if word == "bridge" and facts.get("rotary") is not None:  # it always turns neighbours, though its settings deny it
        facts = {**facts, "rotary": replace(facts["rotary"], interleaved=True)}
    if "rotary" in facts:
        said: Rotary | None = facts["rotary"]
        if given is not None and base != (None if said is None else said.base):
            told = "none" if said is None else quotient(said.base)
            raise BadInput(f"rotary must agree with the model's settings, {told}", given, "leave rotary out")
        return said
    turned = facts.get("turned")
    if given == "none" and turned is not None:
        raise BadInput(
            "rotary must be the base of the rotary positions: the weights have some",
            f"none, and {turned}",
            'give the base, for example rotary="10000"',
        )
    if given is None and (turned is not None or "turns" in facts):
        must = "the base of the rotary positions must be given, since the weights do not determine it"
        raise BadInput(must, "none", 'write rotary="10000" (the usual base), or rotary="none" if the model has none')
    return None if base is None else Rotary(base, **facts.get("turns") or {})


def require_tables(rotary: Rotary | None, tables: Mapping[str, Any], size: int | None) -> None:
    """Raise BadInput, with the key, where a stored table is not that of the rotary positions `rotary` of heads with
    `size` key dimensions (None: of any number).

    A vector has the frequencies base^(-2 k/w), divided by the factor. A matrix has, for the positions 0, 1, .., the
    sines or cosines of their multiples. Rounding, also to bfloat16, stays within `NEAR` of these numbers.
    """
    import numpy as np

    for key, given in tables.items():
        table = np.asarray(given, dtype=np.float64)
        good = rotary is not None and table.ndim in (1, 2) and table.shape[-1] > 0
        if rotary is not None and good:
            stored_pairs = table.shape[-1] if table.ndim == 1 else table.shape[-1] // 2
            pairs = stored_pairs if size is None else len(rotary.angles(size))
            frequencies = float(rotary.base) ** (-np.arange(pairs) / max(pairs, 1)) / float(rotary.factor)
            if table.ndim == 1:
                wanted, near = frequencies, NEAR * frequencies + NEAR**3
            else:
                each = np.repeat(frequencies, 2) if rotary.interleaved else np.tile(frequencies, 2)
                angles = np.arange(len(table))[:, None] * each
                wanted, near = (np.sin if key.endswith("sin") else np.cos)(angles), np.full(angles.shape, NEAR)
            good = wanted.shape == table.shape and bool((np.abs(table - wanted) <= near).all())
        if not good:
            must = f"the stored table {key} must be that of the rotary positions"
            do = "give the base and the settings with which it was made"
            raise BadInput(must, f"another table than with {rotary or 'no rotary positions'}", do)
