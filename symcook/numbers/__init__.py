"""Numbers beyond the rationals: exponential sums as exact normal forms, and balls with decimal enclosures."""
