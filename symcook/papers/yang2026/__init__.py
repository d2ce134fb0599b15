"""Simulating Hard Attention Using Soft Attention: its figures."""
