"""Search for proofs: the language of proof texts, tactics, and the automation that closes a goal.

For: a goal that needs a certificate, with lines of a proof text (`prooftext`, `elaborate`) or without (`automation`).
Nothing here is trusted: the kernel checks every proof again.
May import: the trusted files of `symcook.proof`, and `inequalities`.
"""
