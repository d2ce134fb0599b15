"""Work on stored statements outside of the checker: mutated statements, a search for an instance that falsifies a
statement, statements as text for readers, and the records of what was accepted, with the files that each depends on.

For: reports, the ledger and CI. Untrusted: no proof is accepted here.
May import: the trusted files of `symcook.proof`, `inequalities` and `search`.
"""
