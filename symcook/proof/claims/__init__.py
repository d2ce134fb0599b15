"""Decision procedures for statements about a user's model, read off the formula that the checkers see.

For: `decision` asks the procedures in order: `byautomata` whether a statement is true or on which string it is false,
then `bycounts` (by `counts`), then `byautomata` again, for a proof.
Untrusted: a certificate is checked by the kernel, a counterexample is run.
May import: the trusted files of `symcook.proof`, `inequalities`, `search`, `audit`; `bycounts` nothing of `byautomata`.
"""
