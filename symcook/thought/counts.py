"""Exact costs of a decoder's run: tokens, query-key pairs that heads compare, products, and stored bits.

A column is the forward pass at one position.
Source: Merrill and Sabharwal (2024), Corollary 2.1 (t steps of a machine take t tokens, and a few more), Theorem 3 (one
pass for each token, over all pairs) and Theorem 4 (only the tokens and some counters must be stored).
"""

from __future__ import annotations

from dataclasses import dataclass

from symcook.model.parts import FeedForward, Head
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.programs.steps import OutputToken
from symcook.thought.running import MachineRun

READS = PartsRead("the count of operations")


@dataclass(frozen=True)
class RunCounts:
    """Exact counts of a run that has ended."""

    letters: int
    """The number of input symbols."""
    steps: int
    """The number of steps of the machine."""
    output: int
    """The number of output symbols."""
    tokens: int
    """The number of tokens that are generated: the start, one for each step, and the output."""
    columns: int
    """The number of positions that are run: $, if there is one, the input, and the generated tokens."""
    pairs: int
    """The number of (query, key) pairs scored by heads that compare: each column with all columns before it."""
    products: int
    """The number of multiplications, in these scores, of two numbers that both depend on the input."""
    sums: int
    """The number of additions by uniform heads, which keep running sums."""
    units: int
    """The number of hidden units that are evaluated."""
    token_bits: int
    """The number of bits of one token."""
    stored_bits: int
    """The number of bits that a simulator stores if it computes each column again from the tokens: all tokens, and two
    counters of positions."""
    cached: int
    """The number of numbers in a cache of keys, values and sums, which a runtime stores instead."""

    def to_json(self) -> dict[str, int]:
        """The counts by name."""
        return dict(vars(self))


def counts(model: Transformer, run: MachineRun) -> RunCounts:
    """The counts of a run of a compiled machine, which must have ended; they follow from the numbers of its tokens and
    the sizes of the model."""
    outputs = sum(isinstance(token, OutputToken) for token in run.tokens)
    steps = len(run.tokens) - outputs - 1
    return expected(model, len(run.word), steps, outputs)


def expected(model: Transformer, letters: int, steps: int, output: int) -> RunCounts:
    """The counts of a run with these numbers of input symbols, steps and output symbols. There are N columns, with N =
    letters + steps + output + 2 (1 less without $), and each head compares N (N - 1)/2 pairs. The last column, which
    gives the end, is included."""
    parts = [part for step in READS.of(model).sublayers for part in step.parts]
    # Heads that compare queries with keys, and heads with equal scores, which only sum.
    comparing = [part for part in parts if isinstance(part, Head) and not part.uniform]
    uniform = [part for part in parts if isinstance(part, Head) and part.uniform]
    hidden = sum(part.hidden for part in parts if isinstance(part, FeedForward))
    tokens = steps + 1 + output
    columns = letters + model.embedding.added + tokens
    # Each column looks at all columns before it.
    pairs = columns * (columns - 1) // 2
    dimensions = sum(part.Q.shape[0] for part in comparing)
    token_bits = (len(model.embedding.words or ()) - 1).bit_length()
    # A cache holds a key and a value for each column and head, and one sum for each uniform head.
    width = sum(part.Q.shape[0] + len(part.writes) for part in comparing)
    return RunCounts(
        letters=letters,
        steps=steps,
        output=output,
        tokens=tokens,
        columns=columns,
        pairs=pairs * len(comparing),
        products=pairs * dimensions,
        sums=columns * sum(len(part.writes) for part in uniform),
        units=columns * hidden,
        token_bits=token_bits,
        stored_bits=columns * token_bits + 2 * columns.bit_length(),
        cached=columns * width + sum(len(part.writes) for part in uniform),
    )
