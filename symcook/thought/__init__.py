"""Decoders of Turing machines step by step: runs in integers and in floats, and what each head retrieves."""
