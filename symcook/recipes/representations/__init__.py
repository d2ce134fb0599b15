"""Data types as numbers: Booleans, counts, positions. Source: Cookbook, Section 3."""
