"""What formulas of temporal logic mean, by their definition. Shares the syntax alone with what compiles them.

Source: Yang et al. (2026), Definitions 11 and 14: in since and until the position of the witness belongs to both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symcook.programs.formula import Formula


def truths(formula: Formula, word: Sequence[str]) -> list[list[bool]]:
    """For each line of the formula whether it is true at each position of the word."""
    n = len(word)
    table: list[list[bool]] = []
    for line in formula.lines:
        if line.op == "letters":
            table.append([letter in line.letters for letter in word])
            continue
        f, g = table[line.left], table[line.right] if line.right >= 0 else []
        holds: Callable[[int], bool] = {
            "not": lambda i: not f[i],
            "and": lambda i: f[i] and g[i],
            "or": lambda i: f[i] or g[i],
            "prev": lambda i: i > 0 and f[i - 1],
            "next": lambda i: i < n - 1 and f[i + 1],
            "since": lambda i: any(g[j] and all(f[j : i + 1]) for j in range(i + 1)),
            "until": lambda i: any(g[j] and all(f[i : j + 1]) for j in range(i, n)),
        }[line.op]
        table.append([holds(i) for i in range(n)])
    return table


def answers(formula: Formula, word: Sequence[str]) -> list[bool] | list[str]:
    """What the formula answers at each position: its truth, or the label of the first output that is true there."""
    table = truths(formula, word)
    if not formula.labels:
        return table[formula.outputs[0][1]]
    return [next(str(label) for label, line in formula.outputs if table[line][i]) for i in range(len(word))]
