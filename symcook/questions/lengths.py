"""Which lengths a question about words asks."""

from __future__ import annotations

from symcook.errors import BadInput
from symcook.model.transformer import Transformer

MAX_LENGTH = 1_000_000


def lengths(model: Transformer, longest: int, shortest: int = 0, decides: bool = True) -> range:
    """The lengths to ask about, in typed symbols, from `shortest`; 0 where the model takes the empty word alone.

    BadInput where the model does not read words or, with `decides`, does not decide about them.
    """
    if not model.alphabet:
        raise BadInput("the model must read words", f"{model.name}, which reads numbers", "choose a language model")
    if decides and not model.readout.answers:
        must = "the model must decide (a readout by sign, zero test or largest score)"
        raise BadInput(must, f"{model.name}, which shows a {model.readout.kind}", "choose one that decides")
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= MAX_LENGTH:
        must = f"the greatest length must be an integer from 1 to {MAX_LENGTH}"
        raise BadInput(must, longest, "give --max-length N")
    model.check_length(longest + model.embedding.added)
    if isinstance(shortest, bool) or not isinstance(shortest, int) or not 0 <= shortest <= longest:
        raise BadInput(f"the least length must be an integer from 0 to {longest}", shortest, "give --min-length 1")
    return range(max(shortest, 0 if model.embedding.added else 1), longest + 1)
