"""Claims of the Cookbook's Section 9.1 and Figure 2: the running examples, from the definitions in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column

F = Fraction
LETTERS = "0ABCDP"
PRINTED, MEANT = "ACABDACPDA", "ACABDACDCA"


def letters(word: str) -> dict[int, Any]:
    return column(LETTERS.index(c) for c in word)


def offered(*outputs: str) -> tuple[dict[str, Any], ...]:
    """The printed word and the one that is meant, each with each output, and with a blot in one place."""
    words = (PRINTED, MEANT, MEANT[:8] + "P" + MEANT[9:])
    blots = [out[:1] + "D" + out[2:] for out in outputs] + [out[:8] + "A" + out[9:] for out in outputs]
    return tuple(
        {"w()": letters(word), "v()": letters(out), "word": word, "out": out}
        for word, out in itertools.product(words, [*outputs, *blots])
    )


def most_recent(word: str) -> str:
    """The letter after the last earlier occurrence of each letter; the letter itself where there is none."""
    out = ""
    for i, c in enumerate(word):
        last = word.rfind(c, 0, i)
        out += c if last < 0 else word[last + 1]
    return out


INDUCED = offered("ACCBDBAACA", "ACCBDBAADC")
RECENT_MISSES = [("v(9) = 4", "v(9) = 1"), ("v(2) = 3", "v(2) = 4"), ("w(9) = 3", "w(9) = 5")]


@adequate("s9.1.1.rightmost_example", at=INDUCED, false=True, fixed=True)
def rightmost_printed(v: Any) -> bool | None:
    if v["word"] != PRINTED or v["out"][:9] != "ACCBDBAAC":
        return None
    return most_recent(v["word"]) == v["out"]


@adequate("s9.1.1.rightmost_example.corrected", at=INDUCED, misses=RECENT_MISSES, fixed=True)
def rightmost_meant(v: Any) -> bool | None:
    if v["word"] != MEANT or v["out"] != "ACCBDBAADC":
        return None
    return most_recent(v["word"]) == v["out"]


@adequate("s9.1.1.retrieve_example", at=INDUCED, false=True, fixed=True)
def retrieve_printed(v: Any) -> bool | None:
    if v["word"] != PRINTED or v["out"] != "ACCBDBAADC":
        return None
    return most_recent(v["word"]) == v["out"]


@adequate("s9.1.1.retrieve_example.corrected", at=INDUCED, misses=RECENT_MISSES, fixed=True)
def retrieve_meant(v: Any) -> bool | None:
    return rightmost_meant(v)


EMBEDDED = offered("ACABDACDCA")
WORD_MISSES = [("v(9) = 3", "v(9) = 1"), ("v(2) = 3", "v(2) = 4"), ("w(9) = 3", "w(9) = 5")]


@adequate("s9.1.we_example", at=EMBEDDED, false=True, fixed=True)
def embedded_printed(v: Any) -> bool | None:
    return v["word"] == v["out"] if (v["word"], v["out"]) == (PRINTED, "ACABDACDCA") else None


@adequate("s9.1.we_example.corrected", at=EMBEDDED, misses=WORD_MISSES, fixed=True)
def embedded_meant(v: Any) -> bool | None:
    return v["word"] == v["out"] if (v["word"], v["out"]) == (MEANT, "ACABDACDCA") else None


PRECEDED = offered("0ACABDACDC")


@adequate("s9.1.1.pred_example", at=PRECEDED, false=True, fixed=True)
def predecessors_printed(v: Any) -> bool | None:
    return "0" + v["word"][:-1] == v["out"] if (v["word"], v["out"]) == (PRINTED, "0ACABDACDC") else None


@adequate(
    "s9.1.1.pred_example.corrected",
    at=PRECEDED,
    misses=[("v(9) = 4", "v(9) = 1"), ("v(2) = 1", "v(2) = 4"), ("w(i - 1) = a", "w(i) = a")],
    fixed=True,
)
def predecessors_meant(v: Any) -> bool | None:
    return "0" + v["word"][:-1] == v["out"] if (v["word"], v["out"]) == (MEANT, "0ACABDACDC") else None


PAIRS = tuple(
    {"w()": letters(w) | {0: letters("0")[1]}, "v()": letters(v), "p()": letters(p), "is": (w, v, p)}
    for w, v, p in itertools.product(
        (PRINTED, MEANT), ("ACABDACDCA", "ADABDACDCA"), ("0ACABDDADC", "0ACABDACDC", "0ACABDACDA")
    )
)


@adequate("s9.1.2.bigram_example", at=PAIRS, false=True, fixed=True)
def bigrams_printed(v: Any) -> bool | None:
    word, now, before = v["is"]
    if (word, now, before) != (PRINTED, "ACABDACDCA", "0ACABDDADC"):
        return None
    return (now, before) == (word, "0" + word[:-1])


@adequate(
    "s9.1.2.bigram_example.corrected",
    at=PAIRS,
    misses=[("v(2) = 3", "v(2) = 4"), ("p(10) = 3", "p(10) = 1"), ("p(i) = w(i - 1)", "p(i) = w(i)")],
    fixed=True,
)
def bigrams_meant(v: Any) -> bool | None:
    word, now, before = v["is"]
    if (word, now, before) != (MEANT, "ACABDACDCA", "0ACABDACDC"):
        return None
    return (now, before) == (word, "0" + word[:-1])


@adequate(
    "s9.1.2.bigramcount_example",
    at=[{"w()": letters(word), "word": word} for word in (MEANT, PRINTED)],
    misses=[("I[7 <= i]", "I[8 <= i]"), ("I[2 <= i]", "I[3 <= i]"), ("w(j) = 3", "w(j) = 2")],
    fixed=True,
)
def counted(v: Any) -> bool | None:
    if v["word"] != MEANT:
        return None
    return [v["word"][:i].count("AC") for i in range(1, 11)] == [0, 1, 1, 1, 1, 1, 2, 2, 2, 2]


@adequate(
    "s9.2.1.fig2",
    at=[{"w()": [column(word) for word in itertools.product((0, 1), repeat=6)]}],
    misses=[
        ("height(w, 3) < 0", "height(w, 3) < -3"),
        ("height(w, 6) != 0", "6 < height(w, 6)"),
        ("height(w, 6) = 0 & height(w, 3) < 0", "height(w, 5) = 0 & height(w, 3) < 0"),
    ],
    fixed=True,
)
def panels(v: Any) -> bool | None:
    """By hand: ()()(), )))((( and ((((((."""
    words = {tuple(int(w[i]) for i in range(1, 7)) for w in v["w()"]}
    return {(0, 1, 0, 1, 0, 1), (1, 1, 1, 0, 0, 0), (0,) * 6} <= words


# --- Examples of yang2026, Section 4 ----------------------------------------------------------------------------------


def truths() -> list[dict[str, Any]]:
    """Words with the truth of each subformula of phi_101, shifted by prev, and the same with one value wrong."""
    out = []
    for word in ("10101", "10111", "00101", "1", "10", "101", "0110"):
        one, zero = ([0, *(int(c == d) for c in word)][: len(word)] for d in "10")
        two = [0, *one][: len(word)]
        t = [int(a and b and c == "1") for a, b, c in zip(two, zero, word, strict=True)]
        for k, given in enumerate(
            [(one, two, zero, t), (one, two, zero, [1 - t[0], *t[1:]]), ([1, *one[1:]], two, zero, t)]
        ):
            columns = {f"{name}()": column(v) for name, v in zip(("one", "two", "zero", "t"), given, strict=True)}
            out.append({"n": F(len(word)), "w()": column(map(int, word)), "is": None if k else word} | columns)
    return out


@adequate(
    "yang2026.ex.phi101",
    at=truths(),
    misses=[
        ("t(4) = 0", "t(4) = 1"),
        ("t(i) = I[3 <= i & w(i - 2) = 1", "t(i) = I[3 <= i & w(i - 2) = 0"),
        ("w(i - 2) = 1 & w(i - 1) = 0 & w(i) = 1]", "w(i - 2) = 1 & w(i) = 1]"),
        ("& t(n) = 1)", "& t(n) = 0)"),
    ],
)
def phi101(v: Any) -> bool | None:
    """True where the last three letters are 101; in 10101 at 3 and 5, not at 4, and so of the whole word."""
    word = v["is"]
    if word is None:
        return None
    found = [v["t()"][i] == 1 for i in range(1, len(word) + 1)]
    ends = [word[: i + 1].endswith("101") for i in range(len(word))]
    return found == ends and (word != "10101" or ends == [False, False, True, False, True])


def sides() -> list[dict[str, Any]]:
    out = []
    for n in range(5):
        for word in itertools.product((0, 1), repeat=n):
            left = [sum(word[:i]) for i in range(n)]
            right = [sum(word[i:]) for i in range(n)]
            out.append({"n": F(n), "w()": column(word), "left()": column(left), "right()": column(right), "is": word})
    wrong_side = {"n": F(2), "w()": column((1, 1)), "left()": column((1, 2)), "right()": column((2, 1)), "is": None}
    other = {"n": F(1), "w()": column((2,)), "left()": column((0,)), "right()": column((2,)), "is": None}
    return [one | {"m": [F(k) for k in range(4)]} for one in (*out, wrong_side, other)]


def arrows() -> list[dict[str, Any]]:
    """Words with the counts of 1s on either side of each position, and the states of the automaton of PARITY."""
    out = []
    for n in range(5):
        for word in itertools.product((0, 1), repeat=n):
            states = [sum(word[:i]) % 2 for i in range(n + 1)]
            sides = ([sum(word[: i + 1]) for i in range(n)], [sum(word[i:]) for i in range(n)])
            shown = [column(side) for side in sides]
            wrong = {i: F(1 - s) for i, s in enumerate(states)}
            given = {"n": F(n), "w()": column(word), "count()": shown, "x()": [dict(enumerate(map(F, states))), wrong]}
            out.append(given | {"m": [F(k) for k in range(6)], "is": word})
    other = {"n": F(1), "w()": column((2,)), "count()": column((2,)), "x()": {0: F(0), 1: F(0)}, "is": None}
    return [*out, other | {"m": [F(k) for k in range(4)]}]


@adequate("yang2026.ex.parity.odd", at=arrows(), false=True)
def parity_from_the_left_arrow_as_printed(v: Any) -> bool | None:
    """At the last position the positions j >= i are that position alone."""
    return word[-1] == sum(word) % 2 if (word := v["is"]) else None


@adequate(
    "yang2026.ex.parity.odd.corrected",
    at=arrows(),
    misses=[
        ("sum(j, 1, i, w(j))", "sum(j, i, n, w(j))"),
        ("x(0) = 0", "x(0) = 1"),
        ("<-> x(n) = 1)", "<-> x(n) = 0)"),
        ("odd(count(n))", "odd(count(1))"),
    ],
)
def parity_from_the_left_arrow(v: Any) -> bool | None:
    """At the last position the positions j <= i are all; the automaton's state is the second thing counted."""
    return sum(word) % 2 == v["x()"][0][len(word)] if (word := v["is"]) else None


@adequate(
    "yang2026.ex.parity.sides",
    at=sides(),
    misses=[
        ("left(i) = right(i)))", "left(i) < right(i)))"),
        ("sum(j, 1, i - 1, w(j))", "sum(j, 1, i, w(j))"),
        ("odd(sum(j, 1, n, w(j)))", "odd(n)"),
        ("(all i in 1..n. left(i) = sum(j, 1, i - 1, w(j)) & right(i) = sum(j, i, n, w(j))) ->", ""),
    ],
)
def parity_by_sides(v: Any) -> bool | None:
    word = v["is"]
    if not word:
        return None
    return (sum(word) % 2 == 1) == all(sum(word[:i]) != sum(word[i:]) for i in range(len(word)))


def formulas() -> list[dict[str, Any]]:
    """Words with the truth of prev Q_1, both inner counts, where these agree, and the outer count, by either arrows."""
    out = []
    for n in range(5):
        for word in itertools.product((0, 1), repeat=n):
            before = [0, *word][:n]
            offered: dict[str, list[Any]] = {"before": [before, [1 - b for b in before]]}
            for left, right, outer in ((up, down, up), (down, up, down)):
                inner = left(before), right(word)
                same = [int(a == b) for a, b in zip(*inner, strict=True)]
                for name, values in zip(("left", "right", "same", "count"), (*inner, same, outer(same)), strict=True):
                    offered.setdefault(name, []).append(values)
            columns = {f"{k}()": [column(values) for values in offers] for k, offers in offered.items()}
            out.append({"n": F(n), "w()": column(word), "m": [F(k) for k in range(4)], "is": word} | columns)
    other = {f"{k}()": column((2 * (k in ("w", "right")),)) for k in ("w", *offered)}
    return [*out, {"n": F(1), "m": [F(0), F(1)], "is": None} | other]


def up(bits: Sequence[int]) -> list[int]:
    """How many there are from each position on."""
    return [sum(bits[i:]) for i in range(len(bits))]


def down(bits: Sequence[int]) -> list[int]:
    """How many there are to each position."""
    return [sum(bits[: i + 1]) for i in range(len(bits))]


@adequate("yang2026.ex.parity.ltl", at=formulas(), false=True)
def parity_formula_as_printed(v: Any) -> bool | None:
    """At the last position: whether the letter before it (0 where there is none) is not the number of 1s."""
    word = v["is"]
    return ((0, *word)[-2] != sum(word)) == (sum(word) % 2 == 1) if word else None


@adequate(
    "yang2026.ex.parity.ltl.corrected",
    at=formulas(),
    misses=[
        ("right(i) = sum(j, i, n, w(j))", "right(i) = sum(j, 1, i, w(j))"),
        ("count(i) = sum(j, 1, i, same(j))", "count(i) = sum(j, i, n, same(j))"),
        ("1 - 1 < count(n)", "1 < count(n)"),
        ("odd(sum(j, 1, n, w(j)))", "odd(sum(j, 2, n, w(j)))"),
    ],
)
def parity_formula_with_the_arrows_exchanged(v: Any) -> bool | None:
    """It is satisfied by exactly the words with an odd number of 1s."""
    if not (word := v["is"]):
        return None
    unequal = [sum(word[:i]) != sum(word[i:]) for i in range(len(word))]
    return all(unequal) == (sum(word) % 2 == 1)
