"""Statements that a compiled model computes its source, and their proofs by one rule for each kind of line.

For: `compile --prove`; `compiledprograms` for S-RASP, `formulas` for temporal and counting formulas. Not trusted.
`pointwise` proves facts by cases over symbols and bits for both; `compiledfacts` proves a fact once and cites it.
May import: the packages before it (see .ci/layers.py).
"""
