"""Statements and closed forms about a family of models, at all its sizes and tables at once.

For: `prove` and `derive` of a family; `allsizes` makes the statement, `familyproofs` proves it or finds small sizes at
which it is false (`smallruns`), `sizeforms` has the closed forms, `storedtheorems` what is stored. Untrusted.
May import: the packages before it (see .ci/layers.py).
"""
