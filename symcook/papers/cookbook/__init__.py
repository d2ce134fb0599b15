"""The Transformer Cookbook: its figures, and figures of its comparators."""
