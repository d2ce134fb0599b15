"""Statements over sums and means of what single symbols decide: by counts of symbols and linear arithmetic.

For: the pieces of that procedure, `counts` (the folder above) being the whole, and terms that other procedures share.
`problem` takes a statement apart for all of them. Untrusted.
May import: what `claims` may.
"""
