"""Models from models: composition, routing, padding, reversal, single heads; and the Builder.

Each function returns a new frozen model or block. On the coordinates that it keeps, the values are exactly those of the
models or blocks that were given, except where the purpose of the function is to change them (`soften`, `harden`,
`paired`, `confident`, `reverse`, `route`, `cancel_residual`). Source: Cookbook, Sections 4.2, 5.5 and 8.
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
