"""Exact costs of a decoder's run: tokens, query-key pairs that heads compare, products, and stored bits.

Source: Merrill and Sabharwal (2024), Corollary 2.1 (t steps of a machine take t tokens, and a few more), Theorem 3 (one
pass for each token, over all pairs) and Theorem 4 (only the tokens must be stored, and counters).
"""

from __future__ import annotations

from dataclasses import dataclass

from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer
from symcook.programs.steps import OutputToken
from symcook.thought.running import MachineRun


@dataclass(frozen=True)
class RunCounts:
    """Exact counts of a run that came to its end.

    letters, steps, output: of the machine. tokens: what is put out, the start, a token a step, the output. columns: the
    positions that are run, with $, if there is one, and the input. pairs: how many (query, key) pairs the heads that
    compare score, each column with all before it. products: multiplications of two numbers that both depend on the
    input, in those scores. sums: additions of uniform heads, with running sums. units: hidden units that are evaluated.
    token_bits: what one token takes; stored_bits: what a simulator keeps that runs each column again from the tokens
    alone, all tokens and two counters of positions; cached: the numbers that a cache of keys, values and sums holds in
    its place.
    """

    letters: int
    steps: int
    output: int
    tokens: int
    columns: int
    pairs: int
    products: int
    sums: int
    units: int
    token_bits: int
    stored_bits: int
    cached: int

    def to_json(self) -> dict[str, int]:
        return dict(vars(self))


def counts(model: Transformer, run: MachineRun) -> RunCounts:
    """The counts of a run of a compiled machine, as the machine's steps and the model's sizes determine them."""
    outputs = sum(isinstance(token, OutputToken) for token in run.tokens)
    steps = len(run.tokens) - outputs - 1
    return expected(model, len(run.word), steps, outputs)


def expected(model: Transformer, letters: int, steps: int, output: int) -> RunCounts:
    """The counts of a run with these numbers of letters, steps and output symbols. With N = letters + steps + output +
    2 columns (1 less without $), each head compares N (N - 1)/2 pairs. The last column, which answers with the end, is
    included."""
    parts = [part for step in model.sublayers for part in step.parts]
    # Heads that compare queries with keys, and heads with equal scores, which only sum.
    looking = [part for part in parts if isinstance(part, Head) and not part.uniform]
    uniform = [part for part in parts if isinstance(part, Head) and part.uniform]
    hidden = sum(part.hidden for part in parts if isinstance(part, FeedForward))
    tokens = steps + 1 + output
    columns = letters + model.embedding.added + tokens
    # Each column looks at all before it.
    pairs = columns * (columns - 1) // 2
    dimensions = sum(part.Q.shape[0] for part in looking)
    token_bits = (len(model.embedding.words or ()) - 1).bit_length()
    # A cache holds a key and a value for each column and head, and one sum for each uniform head.
    width = sum(part.Q.shape[0] + len(part.writes) for part in looking)
    return RunCounts(
        letters=letters,
        steps=steps,
        output=output,
        tokens=tokens,
        columns=columns,
        pairs=pairs * len(looking),
        products=pairs * dimensions,
        sums=columns * sum(len(part.writes) for part in uniform),
        units=columns * hidden,
        token_bits=token_bits,
        stored_bits=columns * token_bits + 2 * columns.bit_length(),
        cached=columns * width + sum(len(part.writes) for part in uniform),
    )
