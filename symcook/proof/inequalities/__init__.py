"""Linear inequalities over normal forms: which combination of facts gives a goal, found by the simplex in fractions.

For: the search, the decisions by counts, and `decide`, which ask for multipliers. Untrusted: the kernel adds up again.
May import: the trusted files of `symcook.proof`, no other package of it.
"""
