"""The closed forms of the papers' constructions as proved statements about the stored weights say them: by recipe and
its argument `scaled`, the cases with their conditions, the logit, the verdict and the id of the proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


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
FORMS: Mapping[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...], tuple[Form, ...]]] = {
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
