"""Questions about how far a model carries: margin, tolerance, temperature, precision, with the words that decide."""
