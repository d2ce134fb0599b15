"""The syntax of programs: readers and printers. Their meaning is defined in `symcook.spec`, which shares with the
compilers only this package and the errors of the library."""

FORMULAS = ("ltl", "count")
"""The languages of formulas."""
LANGUAGES = (*FORMULAS, "srasp", "dfa", "tm")
"""The languages that are compiled and interpreted, as programs and files name them."""
SPOKEN = tuple({"count": "c-rasp"}.get(name, name) for name in LANGUAGES)
"""The same as users write and read them; "count" is accepted too."""
THEOREMS = (
    "12a", "12b", "13a", "13b", "15a", "15b", "16a", "16b", "17a", "17b", "18a", "18b", "20a", "20b", "21", "22a",
    "22b", "23",
)  # fmt: skip
"""The theorems of Yang et al. (2026) whose printed constructions are compiled."""
AUTOMATA = "1"
"""The theorem of Merrill and Sabharwal (2024) about decoders for all automata, which output |x| + 1 tokens."""
MACHINES = "2"
"""The theorem of Merrill and Sabharwal (2024) about decoders for all Turing machines, whose tokens are table rows."""
SOFT, PLAIN = "soft", "soft, tau 1"
"""Softmax attention at the temperature 1/n; the same with temperature 1 and a factor in the queries."""
ATTENTIONS = ("", SOFT, PLAIN)
"""The kinds of attention of a compiled formula; "" is hard attention."""
WEIGHTINGS = ("average", "rightmost")
"""How a machine's decoder finds the last of several writes on a cell: by a tie-break in the scores, or by position."""
VARIANTS = ("strict", "nonstrict", "no-start")
"""The decoders of an automaton or machine: with strict masks, with masks that include the position itself, and without
$ before the string."""


def language(word: str) -> str:
    """The language that a user's word means: "c-rasp" is "count"; any other word stays as it is."""
    return LANGUAGES[SPOKEN.index(word)] if word in SPOKEN else word
