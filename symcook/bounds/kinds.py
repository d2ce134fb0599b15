"""The kinds of bounds by name: where the function of each is. It is imported when it is first used, so that listing
the kinds is fast."""

from __future__ import annotations

from symcook.bounds.typed import TEXTS
from symcook.declaration import Question
from symcook.errors import unknown

# name of a kind -> where its function is; "digits" is the option that all of them have.
KINDS = {
    name: Question(name, f"symcook.{home}", "digits", TEXTS[name])
    for name, home in {
        "softmax-hardmax": "bounds.softmax:softmax_hardmax",
        "softmax": "bounds.scores:softmax_of_scores",
        "lookup": "bounds.softmax:quadratic_lookup",
        "ziggurat": "bounds.falling:ziggurat",
        "table-lookup": "bounds.falling:table_lookup",
        "tie-break": "bounds.falling:tie_break",
        "layernorm-hash": "bounds.sums:layernorm_hash",
        "lipschitz": "bounds.layer:lipschitz",
        "layer-norm": "bounds.layer:layer_norm",
        "gelu-multiply": "bounds.gelu:gelu_multiply",
        "gelu-relu": "bounds.gelu:gelu_relu",
        "temperature": "bounds.softmax:temperature",
        "error": "bounds.error:error_propagation",
        "sensitivity": "bounds.flips:sensitivity",
        "cross-entropy": "papers.chiang2022.entropy:cross_entropy",
    }.items()
}
"""The kinds of bounds: each function takes its arguments and `digits` by name and returns a `Bound`."""


def kind(name: str) -> Question:
    """The kind called `name`. Raises BadInput, with the most similar name, if there is none."""
    if name not in KINDS:
        raise unknown("kind of bound", name, tuple(KINDS))
    return KINDS[name]
