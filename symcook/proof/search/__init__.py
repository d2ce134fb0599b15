"""Search for proofs: the language of proof texts, tactics, and the automation that closes a goal.

For: a goal that is to have a certificate, with lines that help (`prooftext`, `elaborate`) or without (`automation`).
Untrusted: everything found here is checked again by the kernel.
May import: the trusted files of `symcook.proof`, and `inequalities`.
"""
