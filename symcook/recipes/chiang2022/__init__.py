"""PARITY and FIRST: transformers with softmax attention that recognise them at every length.

A token CLS stands in front at position 0, n counts it, and the answer is read there: the word is accepted iff the logit
is positive. Source: Chiang and Cholak 2022, "Overcoming a Theoretical Limitation of Self-Attention".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from symcook.recipes import kit
from symcook.recipes.arguments import positive_or_none, yes_or_no
from symcook.recipes.registry import Argument, Recipe, Symbol
from symcook.recipes.registry import recipe as declared

recipe = partial(declared, kind="language")
SOURCE = "Chiang and Cholak 2022"
PARITY = "mod(ones(n), 2) = 1"
FIRST = "ex j in 1..n. j = 1 & w(j) = 1"
C = Symbol("c", "1", "0 < c", "the score scale: scores of the last attention layer are c times 1, 0 or -1")
EPSILON = Symbol("epsilon", "1/100000", "0 <= epsilon", "the constant of layer norm, beside the variance")
SCALED = Argument(
    "scaled", "no", "yes: the scores are multiplied by log n, which is a temperature of 1/log n (Eq. 2)", yes_or_no
)
ETA = Argument(
    "eta", "none", "none, or the cross-entropy in nats that no word may exceed (Propositions 2 and 3)", positive_or_none
)


def score_scale(least: int | None = None) -> kit.Parameter:
    """The declaration of c: any positive number, or any of at least `least`."""
    if least is None:
        return kit.Parameter("c", default=1, lower=0)
    return kit.Parameter("c", default=least, lower=least, lower_open=False)


def bits_behind_cls(names: Sequence[str], positions: Mapping[str, str]) -> kit.Embedding:
    """Words over 0 and 1, one-hot at zero and one, with CLS (one-hot at cls) in front at position 0."""
    words = {"0": {"zero": 1}, "1": {"one": 1}, "CLS": {"cls": 1}}
    return kit.Embedding(kit.Space(tuple(names)), words=words, positions=positions, start=0, before="CLS")


def printed_head(names: Sequence[str], query: Any, key: Any, value: Any, scaled: bool) -> kit.Head:
    """Softmax attention by the printed rows over the d coordinates `names`, each row given as {coordinate: entry}.

    The query row holds the factor sqrt(d) of the paper, and the head the scale 1/sqrt(d) of its definition of
    attention, so that a score is query times key without either. Q and K are 1 x d, V is 1 x d and writes the last
    coordinate. With `scaled` the temperature is 1/log n: Eq. (2).
    """

    def row(entries: Mapping[str, Any]) -> list[list[Any]]:
        return [[entries.get(name, 0) for name in names]]

    d = len(names)
    return kit.Head(
        tuple(names),
        (names[-1],),
        Q=row({name: f"{entry}*sqrt({d})" for name, entry in query.items()}),
        K=row(key),
        V=row(value),
        weighting="softmax",
        temperature="1/log(n)" if scaled else 1,
        scale=f"1/sqrt({d})",
    )


def normed(this: Recipe, model: kit.Transformer) -> kit.Transformer:
    """Section 4.1 for `model`: x beside -x, and behind each part of a layer a norm with the symbol epsilon >= 0."""
    epsilon = kit.Parameter("epsilon", default="1/100000", lower=0, lower_open=False)
    declared = kit.replace(model, parameters=(*model.parameters, epsilon), source=f"{SOURCE}, Section 4")
    return kit.paired(declared, "epsilon", name=this.name)


def defined(scaled: bool, eta: kit.Fraction | None) -> str:
    """The words on which a model with norms has a value: with Proposition 2's layer and epsilon = 0 not the empty one,
    whose logit before that layer is 0. Proposition 3, for FIRST, adds no layer; there this is less than the region."""
    return "true" if eta is None else "2 <= n | 0 < epsilon"


def logit_of(eta: kit.Fraction) -> kit.Expr:
    """The positive logit l whose cross-entropy -log sigma(l) is `eta` nats, or less: l = -log(exp(eta) - 1).

    That is Proposition 2's c sqrt(d/2). The paper takes it for every eta > 0, but from log 2 on it is 0 or negative,
    and a network that multiplies by it recognises nothing, or the complement; there l is that of eta = 1/2.
    """
    logit = kit.exact(f"-log(exp({eta}) - 1)")
    return logit if logit.is_positive else kit.exact("-log(exp(1/2) - 1)")
