"""symcook: transformers built by hand, written once, derived, proved, bounded and exported exactly.

    >>> import symcook as sc
    >>> model = sc.build("dyck-1")
    >>> model("(())").accept
    True

Names are imported when they are first used, so that `import symcook` imports nothing else, not even `typing`. The
import must be quick, because a Ctrl-C during it, before `symcook.__main__.main` runs, cannot be caught.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from symcook.bounds import bound
    from symcook.cli.printed import explain, list, show
    from symcook.compilers import compile
    from symcook.compose import Builder
    from symcook.compose.states import from_state_dict
    from symcook.derivation import derive, derive_cases
    from symcook.errors import BadInput, NotExact, SymcookError, Undecided
    from symcook.export.reading import from_npz, from_safetensors
    from symcook.export.verify import verify_export
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.modelfile import load
    from symcook.model.parts import (
        BiasedHead,
        FeedForward,
        GatedUnits,
        Head,
        Layer,
        LayerNorm,
        RMSNorm,
        RotaryHead,
        SelfAttention,
    )
    from symcook.model.transformer import Parameter, Transformer
    from symcook.model.weights import feedforward, head
    from symcook.proof import prove
    from symcook.published.pretrained import from_hooked, from_module, from_pretrained
    from symcook.recipes import build
    from symcook.spec.fold import Fold

__version__ = "0.3.2"

# The modules of the public names, and the module of each name.
_HOMES = {
    "model.ends": ("Embedding", "Readout"),
    "model.parts": (
        "Layer", "SelfAttention", "FeedForward", "GatedUnits", "Head", "BiasedHead", "RotaryHead", "LayerNorm",
        "RMSNorm",
    ),
    "model.transformer": ("Parameter", "Transformer"),
    "bounds": ("bound",),
    "cli.printed": ("explain", "list", "show"),
    "compilers": ("compile",),
    "compose": ("Builder",),
    "compose.states": ("from_state_dict",),
    "derivation": ("derive", "derive_cases"),
    "errors": ("BadInput", "NotExact", "SymcookError", "Undecided"),
    "export.reading": ("from_npz", "from_safetensors"),
    "export.verify": ("verify_export",),
    "model.modelfile": ("load",),
    "proof": ("prove",),
    "published.pretrained": ("from_hooked", "from_module", "from_pretrained"),
    "recipes": ("build",),
    "model.checks": ("Space",),
    "model.weights": ("feedforward", "head"),
    "spec.fold": ("Fold",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

VERBS = {
    "run": "symcook.run:run",
    "__call__": "symcook.run:run",
    "run_many": "symcook.run:run_many",
    "derive": "symcook.derivation:derive",
    "check": "symcook.verify.sweep:check",
    "decide": "symcook.decide.decoders:decide",
    "prove": "symcook.proof.statements.proving:prove",
    "entropy": "symcook.questions.entropy:entropy",
    "margin": "symcook.questions.margin:margin",
    "tolerance": "symcook.questions.tolerance:tolerance",
    "temperature": "symcook.questions.temperature:temperature",
    "hardsoft": "symcook.bounds.hardsoft:hardsoft",
    "precision": "symcook.questions.precision:precision",
    "soften": "symcook.compose.cooling:soften",
    "without": "symcook.compose.interventions:without",
    "patched": "symcook.compose.interventions:patched",
    "with_weights": "symcook.compose.interventions:with_weights",
    "arrays": "symcook.export:arrays",
    "export": "symcook.export:export",
    "diff": "symcook.export.diff:diff",
    "save": "symcook.model.modelfile:save",
}
"""{method of a model: the function that it calls}; the model is the first argument (`symcook.model.answers`)."""

__all__ = [
    "BadInput", "BiasedHead", "Builder", "Embedding", "FeedForward", "Fold", "GatedUnits", "Head", "Layer",
    "LayerNorm", "NotExact", "Parameter", "RMSNorm", "Readout", "RotaryHead", "SelfAttention", "Space", "SymcookError",
    "Transformer", "Undecided", "bound", "build", "compile", "derive", "derive_cases", "explain", "feedforward",
    "from_hooked", "from_module", "from_npz", "from_pretrained", "from_safetensors", "from_state_dict", "head", "list",
    "load", "prove", "show", "verify_export",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A public name or a module of symcook, imported when it is first used. Raises AttributeError for other names, and
    for names of modules that begin with an underscore."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in _HOME:
        value = getattr(import_module(f"symcook.{_HOME[name]}"), name)
    elif name.isidentifier() and not name.startswith("_") and find_spec(f"symcook.{name}") is not None:
        value = import_module(f"symcook.{name}")
    else:
        raise AttributeError(f"module 'symcook' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> Iterable[str]:
    return sorted({*globals(), *__all__})
