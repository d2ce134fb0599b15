"""Programs as they are written: their syntax, read and printed. What they mean stands in `spec`, which shares this
alone with the compilers."""

FORMULAS = ("ltl", "count")
"""The languages of formulas."""
LANGUAGES = (*FORMULAS, "srasp", "dfa", "tm")
"""The languages that are compiled and interpreted."""
THEOREMS = (
    "12a", "12b", "13a", "13b", "15a", "15b", "16a", "16b", "17a", "17b", "18a", "18b", "20a", "20b", "21", "22a",
    "22b", "23",
)  # fmt: skip
"""The theorems of Yang et al. (2026) whose printed constructions are compiled."""
AUTOMATA = "1"
"""The theorem of Merrill and Sabharwal (2024) about all automata, in |x| + 1 tokens, whose decoders are compiled."""
MACHINES = "2"
"""The theorem of Merrill and Sabharwal (2024) about all machines, whose decoder is compiled of a table."""
SOFT, PLAIN = "soft", "soft, tau 1"
ATTENTIONS = ("", SOFT, PLAIN)
"""How attention is made: hard, softmax at the temperature 1/n, softmax with the factor in the queries."""
WEIGHTINGS = ("average", "rightmost")
"""How a machine's decoder finds the last of equal cells: by a tie-break in the scores, or by place."""
VARIANTS = ("strict", "nonstrict", "no-start")
"""The decoders of an automaton: with masks that are strict, or not, and without $ in front."""
