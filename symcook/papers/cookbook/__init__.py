"""The Transformer Cookbook: its figures and its comparators."""
