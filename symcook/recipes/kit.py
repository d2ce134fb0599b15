"""The names that the files of recipes build models with, re-exported from one module. It loads no sympy."""

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
