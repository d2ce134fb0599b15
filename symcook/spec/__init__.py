"""References: what each recipe or compiled program should compute, in plain rational arithmetic.

Nothing here depends on how a transformer computes it, so a mistake in a recipe cannot be repeated in its reference.
Apart from the standard library, a reference imports only symcook.errors, symcook.door, other references, and the
parsers of symcook.programs.
"""
