"""What of transformers rounds to float32, computed in float64 instead, so that logits can be compared closely."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def in_float64(module: Any, base: float, width: int, factor: float = 1.0) -> Iterator[None]:
    """The RMS norms and softmaxes of a module round to float64, and so do its rotary angles, of the base and width."""
    import torch  # pyright: ignore[reportMissingImports]

    class Angles(torch.nn.Module):
        def forward(self, _: Any, position_ids: Any, *more: Any, **named: Any) -> Any:
            exponents = torch.arange(0, width, 2, dtype=torch.double) / width
            turned = position_ids[..., None].double() * base**-exponents / factor
            both = torch.cat((turned, turned), dim=-1)
            return both.cos(), both.sin()

    inner = next((part for part in (getattr(module, name, None) for name in ("model", "gpt_neox")) if part), None)
    if inner is not None and hasattr(inner, "rotary_emb"):
        inner.rotary_emb = Angles()
    single, to_single = torch.float32, torch.Tensor.float
    torch.float32, torch.Tensor.float = torch.float64, torch.Tensor.double
    try:
        yield
    finally:
        torch.float32, torch.Tensor.float = single, to_single
