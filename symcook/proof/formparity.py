"""The lines that prove PARITY's forms for every length, from the stored lemma about a run of its weights.

The lemma gives hit(i) = I[i = K]/n and the logit as a quotient of sums of powers of e, K being the number of 1s. The
parities of n and of K choose between three lemmas about these sums; each then has the form that the domain found, which
is an identity of polynomials in n and e^c, proved by clearing denominators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class ParityText:
    """Lines about one run; `count` is the sum that K is, `known` the label of the lemma."""

    def __init__(self, count: str, known: str) -> None:
        self.count, self.known = count, known

    def begin(self) -> list[str]:
        """What the lines below rest on."""
        k = self.count
        return [
            f"count_range: 0 <= {k} & {k} <= n - 1 by {self.known}",
            f"logit: s(0) = paritylogit(c, n, {k}) by {self.known}",
            f"one_more: pow(-1, {k} + 1) = -pow(-1, {k}) by count_range",
            "two_powers: 0 < exp(2*c) + 1 by exp_pos(2*c)",
            f"odd_count: odd({k}) <-> pow(-1, {k}) = -1\n"
            f"  take power from power_parity({k}) by count_range\n"
            f"  cases even, odd from sign({k})\n    - qed by power, even\n    - qed by power, odd",
            f"take (up upback down downback) from paritylogit_decides(n; {k}; c) by count_range, some",
            "take (odd_sign sign_odd) from odd_count",
            f"decided: 0 < s(0) <-> pow(-1, {k}) = -1\n"
            "  - given above\n    rewrite logit in above as logit_above\n    take is_odd from up by logit_above\n"
            "    take minus from odd_sign by is_odd\n    qed by minus\n"
            "  - given minus\n    take is_odd from sign_odd by minus\n    take above from upback by is_odd\n"
            "    rewrite logit\n    qed by above",
        ]

    def hit(self, formula: str) -> str:
        """The line of the coordinate that is 1/n at K."""
        return (
            f"{formula}\n  given i (low high)\n  now: hit(i) = I[i = {self.count}]/n by {self.known}\n"
            f"  cases same, other: i = {self.count}\n    - qed by now, same\n    - qed by now, other"
        )

    def even_length(self) -> str:
        """The logit where n is even."""
        k = self.count
        return (
            f"even_length: pow(-1, n) = 1 -> s(0) = -pow(-1, {k})*2*tanh(c)/n^2\n"
            "  given is_even\n  obtain m (m_low halves) from parity(n)\n  cases here, there from halves\n"
            f"    - take now from parity_even(m; {k}; c) by here, count_range, some\n"
            "      rewrite back here in now as now_n\n      rewrite logit\n"
            "      rewrite now_n\n      rewrite one_more\n      qed\n"
            "    - take no from alternation(m) by m_low\n      rewrite there in is_even as bad\n      qed by no, bad"
        )

    def cases(self, cases: Sequence[tuple[str, str, str]]) -> Iterator[str]:
        """A line for each case, which is a condition with the parts of its value above and below the fraction bar."""
        yield self.even_length()
        for number, (guard, above, below) in enumerate(cases):
            if "pow(-1, n) = 1" in guard:
                value = f"{_bracketed(above)}/{_bracketed(below)}"
                yield (
                    f"case{number}: {guard} -> 0 < {below} & s(0)*({below}) = {above}\n"
                    f"  given both\n  low: 0 < {below} by two_powers, some, exp_pos(2*c)\n"
                    f"  value: s(0) = {value} by even_length, both, two_powers, some\n"
                    f"  take back from quotient_back({above}; {below}) by low\n"
                    f"  times: s(0)*({below}) = {above}\n    rewrite value\n    qed by back\n  qed by low, times"
                )
            else:
                yield self.odd_length(f"case{number}", guard, above, below, f"pow(-1, {self.count}) = -1" in guard)

    def odd_length(self, label: str, guard: str, above: str, below: str, odd: bool) -> str:
        """A case where n is odd."""
        k, stem = self.count, "odd_length_odd" if odd else "odd_length_even"
        bottom = "n*alternateone(c, n)*alternatetwo(c, n)"
        top = f"{'(n + 1)' if odd else '(n - 1)*(-1)'}*((exp(2*c) - exp(-2*c))/2)"
        absurd = ["rewrite {} in both as bad", "  qed by bad, k_sign"]
        here = [["qed by even_count"], [absurd[0].format("odd_count_m"), absurd[1]]]
        if odd:
            here = [[absurd[0].format("even_count"), absurd[1]], ["qed by odd_count_m"]]
        lines = [
            f"{label}: {guard} -> 0 < {below} & s(0)*({below}) = {above}",
            "given both",
            "obtain m (m_low halves) from parity(n)",
            f"obtain l (l_low parts) from parity({k})",
            "take n_sign from alternation(m) by m_low",
            "take k_sign from alternation(l) by l_low",
            "here: n = 2*m + 1 by halves, n_sign, both",
            f"part: {k} = 2*l{' + 1' if odd else ''}",
            "  cases even_count, odd_count_m from parts",
            *(f"    {'- ' if not x else '  '}{line.strip()}" for side in here for x, line in enumerate(side)),
            f"take now from {stem}(m; n; l; {k}; c) by here, part, count_range, some",
            f"value: s(0) = {top}/({bottom}) by now, logit",
            "low_one: 0 < alternateone(c, n) by exp_pos(c), exp_pos(-c), some",
            "low_two: 0 < alternatetwo(c, n) by exp_pos(c), exp_pos(-c), some",
            f"low: 0 < {bottom} by low_one, low_two, some",
            f"same: {below} = 4*exp(2*c)*({bottom})",
            f"low_same: 0 < {below} by same, low, exp_pos(2*c)",
            f"take back from quotient_back({top}; {bottom}) by low",
            f"cleared: s(0)*({bottom}) = {top}",
            "  rewrite value",
            "  qed by back",
            f"times: s(0)*({below}) = {above}",
            "  rewrite same",
            "  qed by cleared",
            "qed by low_same, times",
        ]
        return "\n  ".join(lines)


def _bracketed(text: str) -> str:
    return f"({text})"
