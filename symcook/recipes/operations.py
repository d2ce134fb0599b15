"""The constructions and bounds of the Cookbook that are functions of the library and not recipes, by section."""

from __future__ import annotations

from typing import NamedTuple

PAPERS = {"Cookbook": "cookbook", "Chiang and Cholak 2022": "chiang2022", "Yang et al. 2026": "yang2026"}
"""The first part of the ids of claims, by the paper that a source names first."""


def ids(names: str, source: str) -> tuple[str, ...]:
    """The full ids of claims. `names` is a text of ids separated by spaces; an id without a paper belongs to the paper
    that `source` names first.

    >>> ids("t5.quadmax chiang2022.prop2", "Cookbook, Section 5")
    ('cookbook.t5.quadmax', 'chiang2022.prop2')
    """
    paper = PAPERS.get(source.partition(",")[0])
    named_in_full = (name.partition(".")[0] in PAPERS.values() for name in names.split())
    return tuple(
        name if is_full else f"{paper}.{name}" for name, is_full in zip(names.split(), named_in_full, strict=True)
    )


class Operation(NamedTuple):
    """A function of the library that implements a section of the Cookbook: its full name, the section, a summary, and
    the claims as in `ids`."""

    name: str
    section: str
    summary: str
    names: str
    command: str = ""
    """The command that calls the function; "" if there is none."""

    @property
    def claims(self) -> tuple[str, ...]:
        """The ids of the claims."""
        return ids(self.names, "Cookbook")

    @property
    def short(self) -> str:
        """The name as `symcook list` prints it: without `symcook.`, so that it can be written after `sc.` in Python."""
        return self.name.removeprefix("symcook.")


def operation(name: str) -> Operation | None:
    """The function of this name, with or without `symcook.` or `sc.` before it; None if there is none.

    >>> operation("compose.route").section, operation("max")
    ('8.2', None)
    """
    plain = name.removeprefix("symcook.").removeprefix("sc.")
    return next((function for function in OPERATIONS if function.short == plain), None)


# In the order of the Cookbook's sections.
OPERATIONS = (
    Operation(
        "symcook.compose.single_head",
        "5.5",
        "several heads as a stack of single heads",
        "t2.multihead s5.5.multihead",
    ),
    Operation(
        "symcook.compose.soften",
        "5.7",
        "softmax at a temperature in place of hard attention",
        "t2.hard_attn s5.7.precision s5.7.tau",
    ),
    Operation(
        "symcook.compose.harden",
        "5.7",
        "average-hard attention in place of softmax",
        "s5.7.precision",
    ),
    Operation(
        "symcook.bounds.softmax_hardmax",
        "5.7",
        "how far softmax is from hardmax, against 2 n e^-gamma (Lemma 5.3)",
        "s5.7.lemma5.3",
        "symcook bound softmax-hardmax",
    ),
    Operation(
        "symcook.bounds.lipschitz",
        "6.1",
        "the smallest Lipschitz constant of a feed-forward layer (also Proposition 7.2); homogeneity",
        "s6.1.def6.2_lipschitz s6.1.ffn_lipschitz s6.1.def6.3_homogeneous s6.1.biasfree_homogeneous s7.2.prop7.2",
        "symcook bound lipschitz NAME",
    ),
    Operation(
        "symcook.bounds.layer_norm",
        "6.1",
        "the smallest Lipschitz constant of layer norm with epsilon > 0 (also Proposition 7.5)",
        "s6.4.ln_lipschitz s7.2.prop7.5",
        "symcook bound layer-norm",
    ),
    Operation(
        "symcook.compose.paired",
        "6.3",
        "every coordinate x paired with -x, so that layer norm only scales",
        "s6.3.pairing s6.4.doubling",
    ),
    Operation(
        "symcook.bounds.error_propagation",
        "7.2",
        "how far an error in the embedding, or a type of floats, moves what a model computes",
        "s7.2.prop7.2 s7.2.prop7.3 s7.2.prop7.4 s7.2.prop7.5",
        "symcook bound error NAME",
    ),
    Operation(
        "symcook.compose.Builder",
        "8.1",
        "a model as steps, each of which sets fresh coordinates",
        "s8.1.residual_stream s8.1.write_once",
    ),
    Operation(
        "symcook.compose.route",
        "8.2",
        "a linear map before and after a block, absorbed into its weights",
        "t3.routing s8.2.routing_ffn s8.2.routing_sa s8.2.dim_match",
    ),
    Operation(
        "symcook.compose.serial",
        "8.3",
        "one model on top of another",
        "t3.serial s8.3.serial s8.3.serial_sequences",
    ),
    Operation(
        "symcook.compose.parallel",
        "8.3",
        "two models side by side",
        "t3.parallel s8.3.parallel s8.3.parallel_embedding s8.3.parallel_widen s8.3.parallel_depth",
    ),
)
