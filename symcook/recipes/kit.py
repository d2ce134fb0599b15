"""What recipes are made of, in one place for all of them. A file of recipes imports it, and is imported itself when one
of its recipes is asked for: `symcook.recipes` loads without a model, and this module without sympy."""

# ruff: noqa: F401

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula, parse_term
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.rationals import plain, rational, truth
from symcook.model.symbols import Exact, exact, fraction, from_sympy, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.model.weights import feedforward, head
