"""What ``holds(PHI, t)`` means in a statement: the formula PHI is true at position t of the word. Each part of PHI has
a truth function of positions, given by an equation (Yang et al., 2026, Definitions 11, 14 and 19); holds(PHI, t) states
that the last one is 1 at t. Before and after the word there is no equation, so that nothing is known there.

PHI in functional form: ``Q_a``, ``letters(a, b)`` (one of these), ``true``, ``false``; ``~F``, ``F & G``, ``F | G``,
``F -> G``, ``F <-> G``, or ``not(F)``, ``and(F, G)``, ``or(F, G)``; ``prev(F)``, ``next(F)``, ``since(F, G)``,
``until(F, G)``, ``once(F)``, ``historically(F)``, ``eventually(F)``, ``always(F)``; comparisons of sums of whole
numbers and of ``left(F)`` and ``right(F)``, how often F is true up to the position and from it on, with whole factors;
``ODD``, ``MOD(m, r)``, ``TABLE(b0, b1, ...)`` of the position, from 1, or of a count that is their last argument.

A regular expression has a function too: the state of its minimal automaton after the typed letters up to a position.
The states are 0, where it begins, 1, 2 and so on. The equation is for the positions from the one before the first typed
letter on; an added token after the string leaves the state as it is.

Trusted: a sentence means what is written here. It is text that both checkers read, who know nothing of formulas.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from symcook.errors import BadInput
from symcook.model.expr import MAX_TEXT, Reader, Tree, numeral, show
from symcook.proof.runtext import joined

_NAMES = ("true false", "~ not prev next once historically eventually always", "& and | or -> <-> since until")
TAKES = {name: number for number, names in enumerate(_NAMES) for name in names.split()}
SHORT: dict[str, Callable[..., Tree]] = {
    "once": lambda f: ("call", "since", (("true",), f)), "eventually": lambda f: ("call", "until", (("true",), f)),
    "historically": lambda f: ("~", ("call", "once", (("~", f),))),
    "always": lambda f: ("~", ("call", "eventually", (("~", f),))),
    "not": lambda f: ("~", f), "and": lambda f, g: ("&", f, g), "or": lambda f, g: ("|", f, g),
    "->": lambda f, g: ("|", ("~", f), g), "<->": lambda f, g: ("|", ("&", f, g), ("&", ("~", f), ("~", g))),
}  # fmt: skip
Fail = Callable[[Tree, str], BadInput]
MADE = "formulas are made by " + ", ".join(("letters", "ODD", "MOD", "TABLE", "left", "right", *TAKES))


class Truths:
    """The truth functions of formulas over a word: `lines` has the name of each by what it is at i; equal ones are one.

    `letters` are the letters' numbers in the word, whose positions run from `low` to `high`; no name is one of `taken`.
    `fail` makes the error about a part of a formula.
    """

    def __init__(self, letters: Mapping[str, int], low: int, high: str, taken: Collection[str], fail: Fail) -> None:
        self.letters, self.low, self.high, self.taken, self.fail = letters, low, high, taken, fail
        self.lines: dict[str, str] = {}
        self.ranges: dict[str, str] = {}  # of the states of automata

    def equations(self) -> list[str]:
        """What each truth function is, at all positions of the word, and each state."""
        over = f"{self.low}..{self.high}"
        lines = ((self.ranges.get(name, over), name, right) for right, name in self.lines.items())
        return [f"all i in {where}. {name}(i) = {right.replace('@', name)}" for where, name, right in lines]

    def state(self, moves: Sequence[Sequence[int]], high: str, after: Sequence[int] = ()) -> str:
        """The name of the function that is the state of an automaton, whose `moves` are by the letters in their order.
        The positions end with `high`; the token `after` the word, where there is one, has this number."""
        into: dict[int, list[str]] = {to: [] for to in range(1, len(moves))}
        # Into each state other than 0: the states and symbols that lead there, and the token after the string, which
        # keeps it.
        for state, row in enumerate(moves):
            for to in dict.fromkeys(one for one in (*row, state) if one):
                by = [k for k, move in zip(self.letters.values(), row, strict=True) if move == to]
                read = [f"w(i) = {k}" for k in (*by, *(after if to == state else ()))]
                into[to] += [f"@(i - 1) = {state} & ({' | '.join(read)})"] if read else []
        parts = (f"{to}*I[{self.low} <= i & ({' | '.join(ways)})]".removeprefix("1*") for to, ways in into.items())
        name = self._line(joined(parts), "{}")
        self.ranges[name] = f"{self.low - 1}..{high}"
        return name

    def of(self, phi: Tree) -> str:
        """The name of the truth function of a formula; those of its parts are made before."""
        (name, parts), low, high = _call(phi), self.low, self.high
        # Comparisons of counts, properties of the position, and symbols; the rest has formulas for parts.
        if name in ("=", "<", "<="):
            return self._line(f"{self._number(parts[0])} {name} {self._number(parts[1])}")
        if name in ("ODD", "MOD", "TABLE"):
            return self._line(self._predicate(phi, name, parts))
        if (name == "letters" and parts) or (name.startswith("Q_") and not parts):
            named = [_call(part) for part in parts] or [(name[2:], ())]
            return self._line(" | ".join(f"w(i) = {self._letter(phi, *one)}" for one in named))
        if len(parts) != TAKES.get(name):
            raise self.fail(phi, f"{name} takes {TAKES[name]} formulas" if name in TAKES else MADE)
        if name in SHORT:
            return self.of(SHORT[name](*parts))
        f, g, *_ = *map(self.of, parts), "", ""
        return self._line({
            "true": "true", "false": "false", "~": f"{f}(i) = 0",
            "&": f"{f}(i) = 1 & {g}(i) = 1", "|": f"{f}(i) = 1 | {g}(i) = 1",
            "prev": f"{low + 1} <= i & {f}(i - 1) = 1", "next": f"i < {high} & {f}(i + 1) = 1",
            "since": f"ex j in {low}..i. {g}(j) = 1 & (all k in j..i. {f}(k) = 1)",
            "until": f"ex j in i..{high}. {g}(j) = 1 & (all k in i..j. {f}(k) = 1)",
        }[name])  # fmt: skip

    def _line(self, condition: str, form: str = "I[{}]") -> str:
        names = (f"z{len(self.lines) + 1}{'_' * underscores}" for underscores in range(len(self.taken) + 1))
        return self.lines.setdefault(form.format(condition), next(name for name in names if name not in self.taken))

    def _letter(self, phi: Tree, name: str, parts: Sequence[Tree]) -> int:
        letter = name[1:-1] if name[:1] in ("'", '"') else name
        if parts or letter not in self.letters:
            raise self.fail(phi, f"the letter {letter!r} is unknown; the letters are {', '.join(self.letters)}")
        return self.letters[letter]

    def _number(self, tree: Tree) -> str:
        """A sum of counts at i; whole factors stand in front of a count."""
        name, parts = _call(tree)
        if name == "num" and tree[2] == 1:
            return numeral(tree[1])
        if name in ("left", "right") and len(parts) == 1:
            return f"sum(j, {f'{self.low}, i' if name == 'left' else f'i, {self.high}'}, {self.of(parts[0])}(j))"
        if name in ("neg", "+", "-") or (name == "*" and parts[0][0] == "num"):
            *first, right = (f"({self._number(x)})" if x[0] in ("neg", "+", "-") else self._number(x) for x in parts)
            return f"{first[0]} {name} {right}" if first else f"-{right}"
        raise self.fail(tree, "compared are sums of whole numbers, left(F) and right(F), with whole factors in front")

    def _predicate(self, phi: Tree, name: str, parts: Sequence[Tree]) -> str:
        """A property of the position, or of the count that is the last argument."""
        count = [part for part in parts[-1:] if _call(part)[0] in ("left", "right")]
        of = self._number(count[0]) if count else "i" if self.low == 1 else f"(i + {1 - self.low})"
        numbers = [part[1] if part[0] == "num" and part[2] == 1 else -1 for part in parts[: len(parts) - len(count)]]
        if name == "TABLE" and numbers and {*numbers} <= {0, 1}:
            return " | ".join(f"{of} = {place}" for place, bit in enumerate(numbers) if bit) or f"{of} < 0"
        m, r = (2, 1) if name == "ODD" and not numbers else numbers if name == "MOD" and len(numbers) == 2 else (0, 0)
        if not 0 <= r < m:
            raise self.fail(
                phi, "write ODD, MOD(m, r) with 0 <= r < m or TABLE(b0, ...) with bits, at the end its count"
            )
        return f"ex q in 0..{of}. {of} = {m}*q + {r}"


def _call(tree: Tree) -> tuple[str, Sequence[Tree]]:
    """The name of an operator and what it is of; a name alone is of nothing."""
    return (tree[1], tree[2] if tree[0] == "call" else ()) if tree[0] in ("call", "name") else (tree[0], tree[1:])


def expand(text: str, letters: Mapping[str, int], low: int = 1, high: str = "n") -> list[str]:
    """The equations that a formula makes, those of its parts first; the letters of ``Q_a`` are names here.

    >>> expand("since(prev(Q_a), Q_b)", {"a": 0, "b": 1})[-1]
    'all i in 1..n. z4(i) = I[ex j in 1..i. z3(j) = 1 & (all k in j..i. z2(k) = 1)]'
    """
    truths = Truths(
        letters, low, high, (), lambda part, what: BadInput("a formula must be functional", show(part), what)
    )
    truths.of(Reader(text, MAX_TEXT).whole())
    return truths.equations()
