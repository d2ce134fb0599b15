"""Chiang and Cholak 2022, Overcoming a Theoretical Limitation of Self-Attention: figures and cross-entropies."""
