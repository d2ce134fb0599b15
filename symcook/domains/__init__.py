"""Number systems: each runs the one forward pass over its own columns (see `symcook.protocol.Domain`)."""
