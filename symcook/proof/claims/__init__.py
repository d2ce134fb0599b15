"""Decision procedures for statements about a user's model, read off the formula that the checkers see.

For: `decision` asks the procedures in order: `byautomata` whether a statement is true, `bycounts` (by `counts`) and
then `byautomata` again for a proof. A string on which the statement may be false ends the search. Untrusted: a
certificate is checked by the kernel, a counterexample is run. May import: the trusted files of `symcook.proof`,
`inequalities`, `search`, `audit`; `bycounts` nothing of `byautomata`.
"""
