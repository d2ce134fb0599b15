"""Statements about a model, by users and by closed forms: what they mean, and how one gets a certificate.

For: `proving` is `Transformer.prove`; `certify` makes statement and certificate; `reader`, `vocabulary` read the text;
`shortruns` and `exactvalues` look for a false instance first; `inturn` proves several in turn. Untrusted.
May import: the packages before it (see tests/test_layering.py); `proving` asks families and programs in a function.
"""
