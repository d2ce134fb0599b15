"""Stored statements from outside of the checker: near misses by rule, a search for an instance that falsifies one,
statements as people read them, and the records of what was accepted, with what each rests on.

For: reports, the ledger and CI. Untrusted: no proof is accepted here.
May import: the trusted files of `symcook.proof`, `inequalities` and `search`.
"""
