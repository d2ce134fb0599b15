"""Merrill and Sabharwal (2024): figures of the costs of runs."""
