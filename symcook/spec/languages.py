"""Reference recognisers: the bracket languages of the Cookbook's section 9.2, and PARITY and FIRST of chiang2022.

The empty word is in Dyck-1 (S -> epsilon), and these functions say so; a transformer that adds no token of its own has
no empty input, so whoever compares the two starts at length 1. A symbol outside the alphabet is BadInput.

>>> dyck1("((()))"), dyck1(")())()"), dyck1("")
(True, False, True)
"""

from collections.abc import Iterable, Sequence

from symcook.errors import BadInput
from symcook.spec.fold import Fold


def _brackets(word: Iterable[str]) -> None:
    for symbol in word:
        if symbol not in ("(", ")"):
            raise BadInput("a string must consist of ( and )", symbol)


_UNMATCHED = -1
"""The state after a ) that closes nothing; any other state is the number of brackets that are open."""


def _nest(unclosed: int, bracket: str) -> int:
    _brackets((bracket,))
    if unclosed == _UNMATCHED:
        return _UNMATCHED
    return unclosed + 1 if bracket == "(" else unclosed - 1


dyck1 = Fold(0, _nest, lambda unclosed: unclosed == 0)
"""Every prefix has at least as many ( as ), and the whole word has as many of each."""


def dyck1_grammar(word: str) -> bool:
    """Whether S -> epsilon | ( S ) S generates the word: the same language by an independent method.

    Bottom up over all spans: a span is derived if it is empty or if it is ( S ) S for some place of the closing
    bracket. Cubic time.
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
    """Well-nested words over `brackets` (opening and closing in turn) with at most `most` unclosed ones at any point.

    The state is the stack of unclosed brackets, None where a word cannot be saved any more. BadInput for brackets that
    are no pairs, or not all different, and for a `most` below 0. Section 9.2.3.

    >>> [dyck_bounded("()[]", 2)(word) for word in ("([])", "([)]", "([()])", "")]
    [True, False, False, True]
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise BadInput("the depth must be an integer of at least 0", most)
    brackets = tuple(brackets)
    if len(brackets) % 2 or len({*brackets}) < len(brackets):
        raise BadInput("brackets must be different, opening and closing in turn", " ".join(brackets))
    pairs = dict(zip(brackets[::2], brackets[1::2], strict=True))

    def step(stack: tuple[str, ...] | None, bracket: str) -> tuple[str, ...] | None:
        if bracket not in brackets:
            raise BadInput(f"a string must consist of {' '.join(brackets)}", bracket)
        if stack is None:
            return None
        if bracket in pairs:
            return (*stack, pairs[bracket]) if len(stack) < most else None
        return stack[:-1] if stack and stack[-1] == bracket else None

    return Fold((), step, lambda stack: stack == ())


dyck1_2 = Fold(
    0, lambda unclosed, bracket: _nest(unclosed, bracket) if unclosed < 3 else 3, lambda unclosed: unclosed == 0
)
"""Dyck-1 with nesting depth at most 2, the state 3 being too deep for good. Section 9.2.2."""


def _place(alphabet: tuple[str, ...], symbol: str) -> int:
    if symbol not in alphabet:
        raise BadInput(f"a string must consist of {' '.join(alphabet)}", symbol)
    return alphabet.index(symbol)


def most_recent(alphabet: Sequence[str]) -> Fold:
    """At each position the symbol right after the last earlier occurrence of the current one, else this one.

    The state is the current symbol, what followed each symbol last, and the answer. Section 9.1.1.

    >>> "".join(most_recent("ABCD")("ACABDACDCA"))
    'ACCBDBAADC'
    """
    alphabet = tuple(alphabet)

    def step(state: tuple[str, tuple[str, ...], str], symbol: str) -> tuple[str, tuple[str, ...], str]:
        current, after, _ = state
        table = list(after)
        if current:
            table[_place(alphabet, current)] = symbol
        return symbol, tuple(table), table[_place(alphabet, symbol)] or symbol

    return Fold(("", ("",) * len(alphabet), ""), step, lambda state: state[2], each=True)


def most_frequent(alphabet: Sequence[str]) -> Fold:
    """At each position the symbol that most often followed the current one before it, the first of several in the
    order of the alphabet; the current one where it did not occur before. Section 9.1.2.

    >>> "".join(most_frequent("ABCD")("ACABDACDCA"))
    'ACCBDBAAAC'
    """
    alphabet, size = tuple(alphabet), len(alphabet)

    def step(state: tuple[int, tuple[int, ...]], symbol: str) -> tuple[int, tuple[int, ...]]:
        current, counts = state
        table, place = list(counts), _place(alphabet, symbol)
        if current >= 0:
            table[current * size + place] += 1
        return place, tuple(table)

    def answer(state: tuple[int, tuple[int, ...]]) -> str:
        current, counts = state
        own = counts[current * size : (current + 1) * size]
        return alphabet[own.index(max(own)) if any(own) else current]

    return Fold((-1, (0,) * size * size), step, answer, each=True)


def _bit(symbol: str) -> bool:
    if symbol not in ("0", "1"):
        raise BadInput("a string must consist of 0 and 1", symbol)
    return symbol == "1"


parity = Fold(False, lambda odd, symbol: odd != _bit(symbol), lambda odd: odd)
"""Whether the number of 1s is odd: an automaton of two states that each 1 swaps. The empty word is no member.

>>> parity("0111"), parity("11"), parity("")
(True, False, False)
"""


def _first(said: bool | None, symbol: str) -> bool:
    bit = _bit(symbol)
    return bit if said is None else said


first = Fold(None, _first, bool)
"""Whether the first symbol is 1; what follows is not looked at. The empty word, which has no symbol, is no member.

>>> first("100"), first("011"), first("")
(True, False, False)
"""
