"""Models from models: composition, routing, padding, reversal, single heads; and the Builder.

Everything here returns new frozen blocks with exactly the same values as what it composes, on the coordinates that it
keeps. Source: Cookbook, Sections 4.2, 5.5 and 8.
"""

from symcook.compose.builder import Builder
from symcook.compose.cooling import harden, reverse, single_head, soften
from symcook.compose.norms import one_norm
from symcook.compose.paired import confident, paired
from symcook.compose.routing import cancel_residual, rename, route
from symcook.compose.stacking import identity_layer, pad, parallel, serial, widen

__all__ = [
    "Builder",
    "cancel_residual",
    "confident",
    "harden",
    "identity_layer",
    "one_norm",
    "pad",
    "paired",
    "parallel",
    "rename",
    "reverse",
    "route",
    "serial",
    "single_head",
    "soften",
    "widen",
]
