"""Values of expressions, and numbers beyond the rationals: exponential sums, algebraic numbers, matrices, balls."""
