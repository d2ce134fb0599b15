"""Theorem 26 of Yang et al. (2026): the temperature that suffices for a given model, score gap and error.

`Rate` is an expression in n that a user gives. `fitted` finds one for computed values. `Constants` has the constants of
the lemmas for a model, and the temperature as a number (`tau`) and as an expression in n (`rule`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import flint

from symcook.bounds.arguments import written
from symcook.bounds.growth import rows_of
from symcook.bounds.hardruns import head_places
from symcook.bounds.warmth import BITS, rounded
from symcook.errors import BadInput
from symcook.locks import PRECISION
from symcook.model.expr import Tree, names, parse_term
from symcook.model.rationals import rational
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of
from symcook.present import present

READS = PartsRead("the constants of Theorem 26")

POWERS = range(4)
"""The exponents k that `fitted` tries, in c/n^k and c n^k."""


class Rate:
    """An expression in n, with a rational value at each length. BadInput if it cannot be parsed."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text.strip(), name
        try:
            self.tree: Tree = parse_term(self.text)
        except BadInput as error:
            raise BadInput(f"{name} must be an expression in n; {error.must}", error.given, error.do) from None
        for foreign in sorted(names(self.tree) - {"n"}):
            raise BadInput(
                f"{name} must be an expression in n and no other name",
                f"the name {foreign} in {self.text}",
                "write it with n",
            )

    def positive(self, n: int) -> Fraction:
        """The value at n; BadInput unless it is rational and positive."""
        try:
            value = rational(self.tree, {"n": Fraction(n)})
        except BadInput as error:
            raise BadInput(f"{self.name} must be rational at n = {n}; {error.must}", error.given, error.do) from None
        if value <= 0:
            shown_value = f"{self.text}, which is {written(value)} at n = {n}" if "n" in self.text else self.text
            raise BadInput(f"{self.name} must be positive", shown_value, "write for example 1/(4*n)")
        return value


def fitted(values: Mapping[int, Fraction], below: bool) -> str | None:
    """An expression c/n^k that is at most each value (`below`), or c n^k that is at least each value; `values` has them
    by n.

    The least k in `POWERS` is chosen for which the trend of the last values does not contradict the bound. None if
    there is no such k, or no value. For `below` and one value, k = 1, since one value shows no trend.

    >>> fitted({2: Fraction(1, 2), 3: Fraction(1, 3), 4: Fraction(1, 4)}, below=True)
    '1/n'
    """
    for k in POWERS if len(values) > 1 or not below else (1,):
        # Divide out n^k. c is the extreme of the scaled values. k fits if the last scaled value is on the safe side of
        # the one before it; then it is also on the safe side of the extreme of the earlier ones.
        scaled = [value * n**k if below else value / n**k for n, value in sorted(values.items())]
        if not scaled:
            return None
        constant, last = (min(scaled), scaled[-1]) if below else (max(scaled), scaled[-1])
        earlier = scaled[:-1] or [last]
        holds = min(earlier) <= last >= earlier[-1] if below else max(earlier) >= last <= earlier[-1]
        if holds:
            power = "" if not k else "n" if k == 1 else f"n^{k}"
            if below:
                return written(constant) + (f"/{power}" if power else "")
            return (
                f"{'' if constant == 1 and power else written(constant)}{'*' if constant != 1 and power else ''}{power}"
            )
    return None


def at_most_one(text: str) -> str:
    """An expression that is at most 1 and at most the expression `text` for all n >= 1. For text of the form c/n^k it
    is the text itself if c <= 1, and else 1/n^k; for other text it is min(text, 1)."""
    plain = re.fullmatch(r"(\d+(?:/\d+)?)((?:/n(?:\^\d+)?)?)", text)
    if plain is None:
        return f"min({text}, 1)"
    return text if rational(parse_term(plain[1]), {}) <= 1 else f"1{plain[2]}"


class Constants:
    """The constants of Lemmas 25 and 28 to 33 for a model, all rational.

    d is the largest of width, key size and number of hidden units; p is the largest absolute value of a parameter of a
    layer, at least 1; H is the largest number of heads of a layer (1 in the paper). The scale of scores is a factor of
    the queries here; the paper has 1/sqrt(d).
    """

    def __init__(self, model: Transformer) -> None:
        # d, p and H.
        sizes, entries, heads = [len(model.space)], [Fraction(1)], 1
        for layer in READS.of(model).layers:
            for part in layer.parts():
                for rows in map(rows_of, part.matrices().values()):
                    sizes += [len(rows), *(len(row) for row in rows[:1])]
                    entries += [abs(e) for row in rows for e in row]
            heads = max(heads, len(layer.attention.heads) if layer.attention else 1)
        d, p, layers = max(sizes), max(entries), max(len(model.layers), 1)
        self.d, self.p, self.heads, self.layers, self.added = d, p, heads, layers, model.embedding.added
        self.scored = any(not place.head.uniform for place in head_places(model))
        # The constants of each lemma; that of Lemma 25 is for all layers together.
        values, network = heads * d * p, d**2 * p**2 + 1
        self.lemma29 = 2 * network * (values + 1)
        self.lemma30, self.lemma31 = network, 3 * d**2 * p**2
        largest_entry = d * self.lemma29 ** (layers - 1)
        self.lemma25 = network * (4 * values * largest_entry * self.lemma31 * largest_entry + values + 1)

    def told(self) -> dict[str, str]:
        """The constants as text, by name, for the document of `symcook hardsoft`."""
        d, p = self.d, self.p
        return {
            "d": str(d), "p_max": written(p), "layers": str(self.layers), "heads": str(self.heads),
            "lemma28": written(d * p), "lemma29": written(self.lemma29), "lemma30": written(self.lemma30),
            "lemma31": written(self.lemma31), "lemma32": "2*n*exp(-gamma/tau) + 4*eps/tau",
            "lemma33": f"{written(self.heads * d * p)}*({d}*h_max*eps_1 + eps) + eps", "lemma25": written(self.lemma25),
            "theorem26": self.rule("gamma", "x_max", "error") or "1",
        }  # fmt: skip

    def rule(self, gamma: str, x: str, error: str) -> str | None:
        """The temperature of Theorem 26 as an expression in n; None if no head has scores.

        `gamma`, `x` and `error` are expressions; gamma and error must be at most 1. The temperature is below 1, since K
        is large. The logarithm of the constants is written as a number, rounded up to a hundredth.
        """
        if not self.scored:
            return None
        K, L = self.lemma25, self.layers
        # The part of the logarithm that does not depend on n, gamma, x and the error.
        with PRECISION, flint.ctx.workprec(BITS):
            logarithm = arb_of(L * K).log()
            if L > 1:
                logarithm += (L - 1) * (arb_of(2 * K * (L - 1)).log() - 1)
            hundredths = (100 * logarithm).upper().ceil().unique_fmpz()
        logarithm_text, power = written(Fraction(int(present(hundredths)), 100)), "" if L < 3 else f"^{L - 1}"
        n = f"(n + {self.added})" if self.added else "n"
        if L == 1:
            return f"({gamma})/({logarithm_text} + log({n}*({x})/({error})))"
        return f"({gamma})/(2*({logarithm_text} + log({n}*({x})/({error})*(({x})^2/({gamma})){power})))"

    def tau(self, n: int, gamma: Fraction, x: Fraction, error: Fraction) -> Fraction:
        """The temperature of Theorem 26 for n input symbols, rounded down, and at most 1. Tokens that the model adds
        count as positions. A gap or an error above 1 counts as 1."""
        with PRECISION, flint.ctx.workprec(BITS):
            K, L, g = self.lemma25, self.layers, min(gamma, Fraction(1))
            need = arb_of(L * K * (n + self.added) * x / min(error, Fraction(1))).log()
            if L > 1:
                need = 2 * (need + (L - 1) * (arb_of(2 * K * (L - 1) * x**2 / g).log() - 1))
            return min(rounded(arb_of(g) / need), Fraction(1))
