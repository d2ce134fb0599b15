"""Decision procedures for statements about a user's model, read off the formula that the checkers see.

For: `decision` asks the procedures in order, `bycounts` and `byautomata`; each gives a certificate or a counterexample.
Untrusted: a certificate is checked by the kernel, a counterexample is run.
May import: the trusted files of `symcook.proof`, `inequalities`, `search`, `audit`; `bycounts` nothing of `byautomata`.
"""
