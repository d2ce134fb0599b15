"""Statements about sums and means whose terms depend on one symbol each: by counts of symbols and linear arithmetic.

For: the parts of this procedure, which `counts` (in the folder above) puts together, and functions on terms that other
procedures use too. `problem` takes a statement apart for all procedures. Untrusted.
May import: what `claims` may.
"""
