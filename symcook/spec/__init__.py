"""References: what each recipe should compute, in plain rational arithmetic.

Nothing here knows how a transformer does it. A reference imports only the standard library and symcook.errors, so
that a mistake in a recipe cannot hide in its reference.
"""
