"""Statements about a model, written by users or derived as closed forms: their meaning and their certificates.

For: `proving` is `Transformer.prove`; `certify` makes statement and certificate; `reader`, `vocabulary` read the text;
`shortruns` and `exactvalues` look for a false instance first; `inturn` proves several sentences in turn. Untrusted.
May import: the packages before it (see .ci/layers.py). `proving` imports programs and the proofs about
families in functions.
"""
