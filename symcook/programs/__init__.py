"""Programs as they are written: their syntax, read and printed. What they mean stands in `spec`, which shares this
alone with the compilers."""

FORMULAS = ("ltl", "count")
"""The languages of formulas."""
LANGUAGES = (*FORMULAS, "srasp")
"""The languages that are compiled and interpreted."""
THEOREMS = ("15a", "15b", "16a", "16b")
"""The theorems of Yang et al. (2026) whose printed constructions are compiled."""
