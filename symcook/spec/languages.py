"""References of languages: the bracket languages of the Cookbook's section 9.2, PARITY and FIRST of chiang2022, and the
induction heads of section 9.1, which answer with a symbol at each position.

The empty string is in Dyck-1 (S -> epsilon), so the functions for brackets accept it. A transformer without added
tokens has no empty input, so a comparison with it starts at length 1. A symbol outside the alphabet raises BadInput,
except in `dyck1_2` after a prefix that is too deep, where no symbol is looked at.

>>> dyck1("((()))"), dyck1(")())()"), dyck1("")
(True, False, True)
"""

from collections.abc import Iterable, Sequence

from symcook.errors import BadInput
from symcook.spec.fold import Fold


def _brackets(word: Iterable[str]) -> None:
    """Raise BadInput for a symbol other than ( and )."""
    for symbol in word:
        if symbol not in ("(", ")"):
            raise BadInput("a string must consist of ( and )", symbol, "leave the other symbol out")


_UNMATCHED = -1
"""The state after a ) that closes no bracket; any other state is the number of unclosed brackets."""


def _nest(unclosed: int, bracket: str) -> int:
    """The next state of Dyck-1."""
    _brackets((bracket,))
    if unclosed == _UNMATCHED:
        return _UNMATCHED
    return unclosed + 1 if bracket == "(" else unclosed - 1


dyck1 = Fold(0, _nest, lambda unclosed: unclosed == 0)
"""Whether every prefix has at least as many ( as ), and the whole word has equally many of both."""


def dyck1_grammar(word: str) -> bool:
    """Whether the grammar S -> epsilon | ( S ) S generates the word: the same language by an independent method.

    Computed for all spans of the word, the shortest first: S generates a span if it is empty, or if it is ( S ) S for
    some position of the closing bracket. This takes cubic time.
    """
    _brackets(word)
    n = len(word)
    derived = {(start, start) for start in range(n + 1)}
    for length in range(2, n + 1, 2):
        for start in range(n - length + 1):
            end = start + length
            if word[start] == "(" and any(
                word[close] == ")" and (start + 1, close) in derived and (close + 1, end) in derived
                for close in range(start + 1, end)
            ):
                derived.add((start, end))
    return (0, n) in derived


def dyck_bounded(brackets: Sequence[str], most: int) -> Fold:
    """The well-nested words over `brackets` (an opening one, its closing one, ..) with at most `most` unclosed brackets
    at any point.

    The state is the stack of the closing brackets that are still needed, or None if no continuation is well-nested.
    Raises BadInput for brackets that are no pairs, or not all different, and for a negative `most`. Section 9.2.3.

    >>> [dyck_bounded("()[]", 2)(word) for word in ("([])", "([)]", "([()])", "")]
    [True, False, False, True]
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise BadInput("the depth must be an integer of at least 0", most, "give for example 3")
    brackets = tuple(brackets)
    if len(brackets) % 2 or len({*brackets}) < len(brackets):
        raise BadInput(
            "brackets must be different, opening and closing in turn", " ".join(brackets), "write for example ( ) [ ]"
        )
    pairs = dict(zip(brackets[::2], brackets[1::2], strict=True))
    must = f"a string must consist of {' '.join(brackets)}"

    def step(stack: tuple[str, ...] | None, bracket: str) -> tuple[str, ...] | None:
        """The next stack; BadInput for another symbol than a bracket, even where `stack` is None."""
        if bracket not in brackets:
            raise BadInput(must, bracket, "write for example ( ) [ ]")
        if stack is None:
            return None
        if bracket in pairs:
            return (*stack, pairs[bracket]) if len(stack) < most else None
        return stack[:-1] if stack and stack[-1] == bracket else None

    return Fold((), step, lambda stack: stack == ())


def _nest_to_two(unclosed: int, bracket: str) -> int:
    """The next state of Dyck-1 with depth at most 2; the state 3, too deep, is never left."""
    after = _nest(unclosed, bracket)
    return unclosed if unclosed == 3 else after


dyck1_2 = Fold(0, _nest_to_two, lambda unclosed: unclosed == 0)
"""Whether a word is in Dyck-1 with nesting depth at most 2. Section 9.2.2."""


def _place(alphabet: tuple[str, ...], symbol: str) -> int:
    """The index of a symbol in the alphabet. Raises BadInput for another symbol."""
    if symbol not in alphabet:
        raise BadInput("a string must consist of " + " ".join(alphabet), symbol, "leave the other symbol out")
    return alphabet.index(symbol)


def most_recent(alphabet: Sequence[str]) -> Fold:
    """At each position: the symbol right after the last earlier occurrence of the current symbol, or the current symbol
    if it did not occur before.

    The state has the current symbol; for each symbol the one that last followed it; and the answer. Section 9.1.1.

    >>> "".join(most_recent("ABCD")("ACABDACDCA"))
    'ACCBDBAADC'
    """
    alphabet = tuple(alphabet)

    def step(state: tuple[str, tuple[str, ...], str], symbol: str) -> tuple[str, tuple[str, ...], str]:
        current, after, _ = state
        after = tuple([symbol if letter == current else known for letter, known in zip(alphabet, after, strict=True)])
        return symbol, after, after[_place(alphabet, symbol)] or symbol

    return Fold(("", ("",) * len(alphabet), ""), step, lambda state: state[2], each=True)


def most_frequent(alphabet: Sequence[str]) -> Fold:
    """At each position: the symbol that has followed the current symbol most often so far, the first of several in the
    order of the alphabet; the current symbol if none has followed it. Section 9.1.2.

    The state has the index of the current symbol (-1 at the start), and how often each symbol followed each other one.

    >>> "".join(most_frequent("ABCD")("ACABDACDCA"))
    'ACCBDBAAAC'
    """
    alphabet, size = tuple(alphabet), len(alphabet)

    def step(state: tuple[int, tuple[int, ...]], symbol: str) -> tuple[int, tuple[int, ...]]:
        current, counts = state
        place = _place(alphabet, symbol)
        seen = current * size + place if current >= 0 else -1
        return place, tuple([count + (k == seen) for k, count in enumerate(counts)])

    def answer(state: tuple[int, tuple[int, ...]]) -> str:
        current, counts = state
        counts_of_current = counts[current * size : (current + 1) * size]
        return alphabet[counts_of_current.index(max(counts_of_current)) if any(counts_of_current) else current]

    return Fold((-1, (0,) * size * size), step, answer, each=True)


def _bit(symbol: str) -> bool:
    """Whether a symbol is 1. Raises BadInput unless it is 0 or 1."""
    if symbol not in ("0", "1"):
        raise BadInput("a string must consist of 0 and 1", symbol, "leave the other symbol out")
    return symbol == "1"


parity = Fold(False, lambda odd, symbol: odd != _bit(symbol), lambda odd: odd)
"""Whether the number of 1s is odd: an automaton with two states, which each 1 exchanges. The empty word is rejected.

>>> parity("0111"), parity("11"), parity("")
(True, False, False)
"""


def _first(first_bit: bool | None, symbol: str) -> bool:
    """The first bit of a word: `first_bit` if it is known, else the symbol's."""
    bit = _bit(symbol)
    return bit if first_bit is None else first_bit


first = Fold(None, _first, bool)
"""Whether the first symbol is 1; later symbols do not matter. The empty word, which has no symbol, is rejected.

>>> first("100"), first("011"), first("")
(True, False, False)
"""
