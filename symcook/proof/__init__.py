"""Statements, the checker of proofs, and the replay that turns stored certificates into statuses."""
