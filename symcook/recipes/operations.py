"""The Cookbook's constructions and bounds that are functions of the library, not recipes, by section."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    """A function that a section of the Cookbook is about: where it is, the section, what it does, and the claims."""

    name: str
    section: str
    summary: str
    claims: tuple[str, ...]
    command: str = ""
    """The command that calls it, where there is one."""

    @property
    def short(self) -> str:
        """The name as `symcook list` prints it, which is how it is written behind `import symcook as sc`, with sc."""
        return self.name.removeprefix("symcook.")


def operation(name: str) -> Operation | None:
    """The function of this name, with symcook. (or sc.) in front or without; None where there is none.

    >>> operation("compose.route").section, operation("max")
    ('8.2', None)
    """
    plain = name.removeprefix("symcook.").removeprefix("sc.")
    return next((one for one in OPERATIONS if one.short == plain), None)


OPERATIONS = (
    Operation(
        "symcook.compose.single_head",
        "5.5",
        "several heads as a stack of single heads",
        ("cookbook.t2.multihead", "cookbook.s5.5.multihead"),
    ),
    Operation(
        "symcook.compose.soften",
        "5.7",
        "softmax at a temperature in place of hard attention",
        ("cookbook.t2.hard_attn", "cookbook.s5.7.precision", "cookbook.s5.7.tau"),
    ),
    Operation(
        "symcook.compose.harden",
        "5.7",
        "average-hard attention in place of softmax",
        ("cookbook.s5.7.precision",),
    ),
    Operation(
        "symcook.bounds.softmax_hardmax",
        "5.7",
        "how far softmax is from hardmax, beside 2 n e^-gamma (Lemma 5.3)",
        ("cookbook.s5.7.lemma5.3",),
        "symcook bound softmax-hardmax",
    ),
    Operation(
        "symcook.bounds.lipschitz",
        "6.1",
        "the least Lipschitz constant of a feed-forward layer (also Proposition 7.2); homogeneity",
        (
            "cookbook.s6.1.def6.2_lipschitz",
            "cookbook.s6.1.ffn_lipschitz",
            "cookbook.s6.1.def6.3_homogeneous",
            "cookbook.s6.1.biasfree_homogeneous",
            "cookbook.s7.2.prop7.2",
        ),
        "symcook bound lipschitz NAME",
    ),
    Operation(
        "symcook.bounds.layer_norm",
        "6.1",
        "the least Lipschitz constant of layer norm with epsilon > 0 (also Proposition 7.5)",
        ("cookbook.s6.4.ln_lipschitz", "cookbook.s7.2.prop7.5"),
        "symcook bound layer-norm",
    ),
    Operation(
        "symcook.compose.paired",
        "6.3",
        "every coordinate x beside -x, so that layer norm only scales",
        ("cookbook.s6.3.pairing", "cookbook.s6.4.doubling"),
    ),
    Operation(
        "symcook.bounds.error_propagation",
        "7.2",
        "how far an error in the embedding, or a type of floats, moves what a model computes",
        ("cookbook.s7.2.prop7.2", "cookbook.s7.2.prop7.3", "cookbook.s7.2.prop7.4", "cookbook.s7.2.prop7.5"),
        "symcook bound error NAME",
    ),
    Operation(
        "symcook.compose.Builder",
        "8.1",
        "a model as steps, each of which sets fresh coordinates",
        ("cookbook.s8.1.residual_stream", "cookbook.s8.1.write_once"),
    ),
    Operation(
        "symcook.compose.route",
        "8.2",
        "a linear map before and behind a block, absorbed into its weights",
        ("cookbook.t3.routing", "cookbook.s8.2.routing_ffn", "cookbook.s8.2.routing_sa", "cookbook.s8.2.dim_match"),
    ),
    Operation(
        "symcook.compose.serial",
        "8.3",
        "one model on top of another",
        ("cookbook.t3.serial", "cookbook.s8.3.serial", "cookbook.s8.3.serial_sequences"),
    ),
    Operation(
        "symcook.compose.parallel",
        "8.3",
        "two models side by side",
        (
            "cookbook.t3.parallel",
            "cookbook.s8.3.parallel",
            "cookbook.s8.3.parallel_embedding",
            "cookbook.s8.3.parallel_widen",
            "cookbook.s8.3.parallel_depth",
        ),
    ),
)
