"""That a compiled model computes its source: the statement, and a proof by one rule for each kind of block.

For: `compile --prove`; `compiledprograms` for S-RASP, `formulas` for temporal and counting formulas. Untrusted.
`pointwise` decides by symbols and bits for both; `compiledfacts` shows facts once and cites them.
May import: the packages before it (see tests/test_layering.py).
"""
