"""Bridges: certificates that a model is its family at given sizes, so that the family's theorems are about it.

For: `prove` and `compile --prove` of models made from a family; `decoders` for compiled automata. Untrusted.
`correspondence` pairs the equations of the two, `bridge` writes the proof, `computed` closes its goals by values, and
`tableterms` writes tables of numbers as terms.
May import: the packages before it (see .ci/layers.py), `statements` among them.
"""
