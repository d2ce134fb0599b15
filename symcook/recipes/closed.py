"""Closed forms for every length: what a recipe's logit is in the length and in counts, each with its proof.

A first slice: the forms are those of proved statements about the stored weights, looked up by recipe and arguments. A
domain of counts, of powers of -1 and of softmax over finitely many classes of scores can take the place of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from symcook.derivation import Derivation
from symcook.errors import BadInput
from symcook.model.symbols import exact, symbol


class Form(NamedTuple):
    """One case: its conditions and the logit as text of the grammar, the verdict (None: it depends on the symbols), the
    id of the proof, and what the logit names before it is written."""

    conditions: tuple[str, ...]
    logit: str
    accept: bool | None
    proof: str
    parts: tuple[tuple[str, str], ...] = ()


_LENGTH, _ONES, _FIRST = "n = length + 1 counts CLS", "k is the number of 1s", "v is the first symbol"


def _parity(scale: str, even: str, odd_even: str, odd_odd: str, *more: str) -> tuple[Form, ...]:
    """By the parities of n and k; `scale` is what multiplies 1 and -1 in the scores, then the ids of the proofs."""
    odd = f"(n*((n^2 - 1)*cosh(2*{scale}) + n^2 + 1))"
    n_even, n_odd, k_even, k_odd = (f"mod({x}, 2) = {r}" for x in "nk" for r in (0, 1))
    return (
        Form((*more, n_even, k_even), f"-2*tanh({scale})/n^2", False, even),
        Form((*more, n_even, k_odd), f"2*tanh({scale})/n^2", True, even),
        Form((*more, n_odd, k_even), f"-2*(n - 1)*sinh(2*{scale})/{odd}", False, odd_even),
        Form((*more, n_odd, k_odd), f"2*(n + 1)*sinh(2*{scale})/{odd}", True, odd_odd),
    )


_PARITY = _parity(
    "c", "chiang2022.s3.2.s_even", "chiang2022.appA.odd.keven.corrected", "chiang2022.appA.odd.kodd.corrected"
)
_PARITY_SCALED = _parity("c*log(n)", *["lem.parity_scaled_run"] * 3, "2 <= n")


def _first(power: str, proof: str) -> tuple[Form, ...]:
    share = f"{power}/(2*({power} + n - 1))"
    return (
        Form(("2 <= n", "v = 1"), share, True, proof),
        Form(("2 <= n", "v = 0"), f"-{share}", False, proof),
    )


_EMPTY = Form(("n = 1",), "0", False, "chiang2022.s3.3.eq1.corrected")
_FLAWED = Form(("2 <= n",), "((exp(c) - 1)*(v - 1/2) + k - n/2)/(exp(c) + n - 1)", None, "chiang2022.s5.2.flawed")
_FLAWED_SCALED = Form(("2 <= n",), "((n^c - 1)*(v - 1/2) + k - n/2)/(n^c + n - 1)", None, "lem.flawed_scaled_logit")


def _first_normed(power: str, proof: str) -> tuple[Form, ...]:
    """With layer norms: p and q are the factors of the first layer at CLS and at position 1; `power` is what c times
    their product is put into."""
    forms = []
    for v in (1, 0):
        p = "1/sqrt((1 + epsilon)/6 + epsilon^2)"
        q = f"1/sqrt((1 + epsilon)/3 + epsilon^2 + {v}/6)"
        share = power.format(f"(c*({p})*({q}))")
        r = f"({share}/({share} + n - 1)*({q})*({v} - 1/2))"
        root = f"sqrt((({p})^2 + {r}^2)/6*(1 + epsilon) + epsilon^2)"
        forms.append(Form(("2 <= n", f"v = {v}"), f"{r}/{root}", v == 1, proof))
    return tuple(forms)


def _parity_normed() -> tuple[Form, ...]:
    """With layer norms: the factor of the first layer depends on the position, so that the attention of the second one
    is a sum over positions. Its result r is a row of its own, which the logit repeats."""

    def factor(place: str, here: str) -> str:
        return f"1/sqrt((2 + ({place}^2 + k^2 + 1)/n^2)/9*(1 + epsilon) + epsilon^2 + {here}/(9*n^2))"

    def weight(sign: str, at: str) -> str:
        return f"exp({sign}{scale}*({factor('k', '1')})*{at})/sum(j, 0, n - 1, exp({sign}{scale}*({each})*(-1)^j))"

    forms = []
    for odd in (0, 1):
        at, first = "-1" if odd else "1", "0" if odd else "I[k = 0]"
        scale, each = f"c*({factor('0', first)})", factor("j", "I[j = k]")
        found = f"({factor('k', '1')})/n*({weight('-', at)} - {weight('', at)})"
        square = f"(2 + (k^2 + 1 + {first})/n^2)*({factor('0', first)})^2 + r^2"
        logit = f"r/sqrt(({square})/9*(1 + epsilon) + epsilon^2)"
        proof = "chiang2022.appB.parity.corrected"
        forms.append(Form((f"mod(k, 2) = {odd}",), logit, odd == 1, proof, (("r", found),)))
    return tuple(forms)


_FOUND = "r is what the attention of the second layer finds at CLS"
_EMPTY_NORMED = Form(("n = 1",), "0", False, "lem.first_normed_run")
_FORMS: Mapping[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...], tuple[Form, ...]]] = {
    ("parity", "no"): (("n", "k", "c"), (_LENGTH, _ONES), _PARITY),
    ("parity", "yes"): (("n", "k", "c"), (_LENGTH, _ONES), _PARITY_SCALED),
    ("parity-layernorm", "no"): (("n", "k", "c", "epsilon"), (_LENGTH, _ONES, _FOUND), _parity_normed()),
    ("first", "no"): (
        ("n", "v", "c"), (_LENGTH, _FIRST), (*_first("exp(c)", "chiang2022.s3.3.eq1.corrected"), _EMPTY)
    ),
    ("first", "yes"): (("n", "v", "c"), (_LENGTH, _FIRST), _first("n^c", "lem.first_scaled_run")),
    ("first-flawed", "no"): (("n", "k", "v", "c"), (_LENGTH, _ONES, _FIRST), (_FLAWED,)),
    ("first-flawed", "yes"): (("n", "k", "v", "c"), (_LENGTH, _ONES, _FIRST), (_FLAWED_SCALED,)),
    ("first-layernorm", "no"): (
        ("n", "v", "c", "epsilon"), (_LENGTH, _FIRST),
        (*_first_normed("exp{}", "chiang2022.appB.first.corrected"), _EMPTY_NORMED),
    ),
    ("first-layernorm", "yes"): (
        ("n", "v", "c", "epsilon"), (_LENGTH, _FIRST), _first_normed("n^{}", "lem.first_normed_scaled_run")
    ),
}  # fmt: skip
"""By recipe and its argument `scaled`: symbols, what the counts among them are, and the cases."""
_BOUNDS = {"c": "0 < c", "epsilon": "0 <= epsilon"}
"""The symbols that a value can be set for, with what is assumed of them."""


@dataclass(frozen=True, repr=False)
class ClosedForm(Derivation):
    """The logit at every length in one case. `proof` is the id of the statement that says so, `meaning` says what the
    counts are; c is any positive number, epsilon one that is not negative, n, k and v are integers."""

    proof: str = ""
    meaning: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook derive --json``: as for one input, with "length" in place of it."""
        document = super().to_json()
        del document["input"]
        return {"recipe": self.recipe, "length": self.given, **document, "proof": self.proof}

    def text(self) -> str:
        """The case, the logit, the verdict and the proof."""
        verdict = {True: "accept", False: "reject", None: "open: it depends on the symbols"}[self.accept]
        return "\n".join(
            [
                f"{self.recipe} at every length with {' & '.join(self.conditions)}",
                *(f"  {name} = {value}" for name, value in self.output.items()),
                f"  verdict: {verdict}",
                f"  where {', '.join(self.meaning)}",
                *([f"  for all {' & '.join(self.assumptions)}"] if self.assumptions else []),
                f"  proof: {self.proof}",
            ]
        )


def has_closed_forms(recipe: str) -> bool:
    """Whether there are any for some arguments of the recipe."""
    return any(recipe == name for name, _ in _FORMS)


def closed_forms(
    recipe: str, arguments: Mapping[str, object], values: Mapping[str, object] | None = None
) -> tuple[ClosedForm, ...]:
    """The cases of a recipe, which exclude each other; `values` may set c > 0 and epsilon >= 0.

    Raises BadInput for a recipe, or arguments, without one. Source: chiang2022, Sections 3 and 5, Appendices A and B.

    >>> print(closed_forms("parity", {})[1].text())
    parity at every length with mod(n, 2) = 0 & mod(k, 2) = 1
      logit = 2*tanh(c)/n^2
      verdict: accept
      where n = length + 1 counts CLS, k is the number of 1s
      for all 0 < c
      proof: chiang2022.s3.2.s_even
    """
    others = {key: value for key, value in arguments.items() if key != "scaled" and value not in (None, "none")}
    scaled = "yes" if arguments.get("scaled") in (True, "yes") else "no"
    if others or (recipe, scaled) not in _FORMS:
        known = ", ".join(name + (" scaled=yes" if scaled == "yes" else "") for name, scaled in _FORMS)
        given = " ".join(
            [recipe, *(["scaled=yes"] if scaled == "yes" else []), *(f"{k}={v}" for k, v in others.items())]
        )
        raise BadInput(f"a closed form for every length must be that of {known}", given, "give --input")
    names, meaning, forms = _FORMS[recipe, scaled]
    put = {symbol(name): exact(str(value)) for name, value in (values or {}).items() if name in _BOUNDS}
    left = tuple(name for name in names if symbol(name) not in put)
    return tuple(
        ClosedForm(
            recipe=recipe,
            given="every",
            symbols=left,
            assumptions=tuple(_BOUNDS[name] for name in left if name in _BOUNDS),
            conditions=form.conditions,
            expressions={name: exact(text).subs(put) for name, text in (*form.parts, ("logit", form.logit))},
            accept=form.accept,
            decides=True,
            proof=form.proof,
            meaning=meaning,
        )
        for form in forms
    )
