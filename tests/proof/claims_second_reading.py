"""Claims of sentences that a second reading found without a row, from the papers' words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import factorial, prod
from typing import Any

from proof.adequacy import adequate, column
from proof.claims_merrill import TABLES, right

F = Fraction

# --- PARITY and FIRST are regular (chiang2022, Abstract) --------------------------------------------------------------

PARITY = {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}
FIRST = {(0, 0): 2, (0, 1): 1, (1, 0): 1, (1, 1): 1, (2, 0): 2, (2, 1): 2}


def states(delta: dict[tuple[int, int], int], word: tuple[int, ...]) -> list[int]:
    found = [0]
    for symbol in word:
        found.append(delta[found[-1], symbol])
    return found


def traces() -> Iterator[dict[str, Any]]:
    for n in range(5):
        for word in itertools.product((0, 1), repeat=n):
            for q in (states(PARITY, word), states(FIRST, word), [0] * (n + 1), [0] + [1] * n):
                run = {j: F(s) for j, s in enumerate(q)}
                yield {"n": [F(n)], "m": [F(m) for m in range(3)], "w()": [column(word)], "q()": [run]}


@adequate(
    "chiang2022.abstract.regular",
    at=list(traces()),
    misses=[
        ("odd(sum(i, 1, n, w(i)))", "odd(n)"),
        ("odd(sum(i, 1, n, w(i)))", "~odd(sum(i, 1, n, w(i)))"),
        ("1 - q(i - 1), q(i - 1))", "q(i - 1), q(i - 1))"),
        ("1 <= n & w(1) = 1", "1 <= n & w(n) = 1"),
        ("1 <= n & w(1) = 1", "1 <= n"),
        ("q(i - 1) = 0, if(w(i) = 1, 1, 2)", "q(i - 1) = 0, if(w(i) = 1, 1, 1)"),
        ("q(i) = 0 | q(i) = 1 | q(i) = 2", "q(i) = 0 | q(i) = 1"),
    ],
)
def regular(instance: Any) -> bool | None:
    """The automata by their tables, the languages by counting and by the first letter."""
    n, (w,), (q,) = int(instance["n"][0]), instance["w()"], instance["q()"]
    word = tuple(int(w[j]) for j in range(1, n + 1))
    ran = [q[j] for j in range(n + 1)]
    found = []
    if ran == states(PARITY, word):
        found.append(set(ran) <= {0, 1} and (ran[-1] == 1) == (word.count(1) % 2 == 1))
    if ran == states(FIRST, word):
        found.append(set(ran) <= {0, 1, 2} and (ran[-1] == 1) == (word[:1] == (1,)))
    return all(found) if found else None


# --- A head without values (chiang2022, Section 3.2) ------------------------------------------------------------------


def heads() -> Iterator[dict[str, Any]]:
    for d, n in ((1, 1), (2, 1), (2, 3), (3, 2)):
        pairs = list(itertools.product(range(1, d + 1), repeat=2))
        for V in ({p: F(0) for p in pairs}, {p: F(p[0] != p[1]) for p in pairs}, {p: F(1) for p in pairs}):
            yield {
                "d": F(d),
                "n": F(n),
                "q()": column([3, -1, 2][:d]),
                "K()": {(k, e): F(k - e, 2) for k in range(n) for e in range(1, d + 1)},
                "V()": V,
                "x()": {(a, i): F(2 * a - 5 * i + 1) for a in range(1, d + 1) for i in range(n)},
            }


@adequate(
    "chiang2022.s3.2.idle",
    at=list(heads()),
    misses=[
        ("V(a, l) = 0", "V(a, a) = 0"),
        ("= x(a, i)", "= 0"),
        ("x(a, i) + sum", "sum"),
        ("*matvec(V, l. x(l, j), d, a)", "*x(a, j)"),
    ],
)
def idle(instance: Any) -> bool | None:
    """Weights do not matter: every value is 0."""
    return None if any(instance["V()"].values()) else True


# --- The induction of Lemma 9 (merrill2024, Appendix E.1) -------------------------------------------------------------


def lines(f: Any, i: int, k: int, start: int) -> bool:
    """The seven displayed lines; in the sixth the product starts at `start`."""
    c, both = factorial(k), F(i * prod((i - j) ** 2 for j in range(1, k + 1)) * (i - k - 1))
    here, before = prod(i - j for j in range(k + 1)), prod(i - 1 - j for j in range(k + 1))
    inner = prod(i - j for j in range(1, k + 1))
    sixth = i * prod(i - j for j in range(start, k + 1)) * (i - k - 1)
    forms = (
        f[i - 1, k] - f[i, k],
        F(c, before) - F(c, here),
        c * (here - before) / both,
        c * (i * inner - (i - k - 1) * inner) / both,
        c * (k + 1) * inner / both,
        F(factorial(k + 1), sixth),
        F(factorial(k + 1), prod(i - j for j in range(k + 2))),
    )
    return all(f[i, k + 1] == form for form in forms)


def every_line(instance: Any, start: int) -> bool | None:
    f = instance["f()"]
    if not right(instance):
        return None
    return all(lines(f, i, k, start) for k in range(5) for i in range(k + 2, 12))


@adequate("merrill2024.lemma9.chain", at=TABLES, false=True)
def chain(instance: Any) -> bool | None:
    return every_line(instance, 0)


@adequate(
    "merrill2024.lemma9.chain.corrected",
    at=TABLES,
    misses=[
        ("= f(i - 1, k) - f(i, k)", "= f(i - 1, k) + f(i, k)"),
        ("prod(j, 0, k, i - 1 - j) - prod", "prod(j, 0, k, i - 1 - j) + prod"),
        ("(prod(j, 0, k, i - j) - prod(j, 0, k, i - 1 - j))", "(prod(j, 0, k, i - j) - prod(j, 1, k, i - 1 - j))"),
        ("- (i - k - 1)*prod", "- (i - k)*prod"),
        ("(k + 1)*prod", "k*prod"),
        ("(i*prod(j, 1, k, i - j)*(i - k - 1))", "(i*prod(j, 0, k, i - j)*(i - k - 1))"),
        ("prod(j, 0, k + 1, i - j)", "prod(j, 1, k + 1, i - j)"),
    ],
)
def chain_corrected(instance: Any) -> bool | None:
    return every_line(instance, 1)
