"""As much of torch as an exported module uses, in numpy: so that what the code computes is seen where torch is not.

Shapes, types and names of arguments are torch's; anything else that the code would ask for is an AttributeError.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class Tensor:
    """An array with torch's methods."""

    def __init__(self, array: Any) -> None:
        self.a = np.asarray(array)

    shape = property(lambda self: self.a.shape)
    dtype = property(lambda self: self.a.dtype)
    T = property(lambda self: Tensor(self.a.T))

    def __getitem__(self, key: Any) -> Tensor:
        return Tensor(self.a[bare(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.a[bare(key)] = bare(value)

    def __bool__(self) -> bool:
        return bool(self.a)

    def transpose(self, one: int, other: int) -> Tensor:
        return Tensor(np.swapaxes(self.a, one, other))

    def masked_fill(self, mask: Tensor, value: float) -> Tensor:
        return Tensor(np.where(mask.a, np.asarray(value, dtype=self.a.dtype), self.a))

    def amax(self, dim: int, keepdim: bool = False) -> Tensor:
        return Tensor(self.a.max(axis=dim, keepdims=keepdim))

    def sum(self, dim: int, keepdim: bool = False) -> Tensor:
        return Tensor(self.a.sum(axis=dim, keepdims=keepdim))

    def mean(self, dim: int, keepdim: bool = False) -> Tensor:
        return Tensor(self.a.mean(axis=dim, keepdims=keepdim))

    def any(self, dim: int | None = None) -> Tensor:
        return Tensor(self.a.any(axis=dim))

    def all(self, dim: int) -> Tensor:
        return Tensor(self.a.all(axis=dim))

    def argmax(self, dim: int) -> Tensor:
        return Tensor(self.a.argmax(axis=dim))

    def cumsum(self, dim: int) -> Tensor:
        return Tensor(self.a.cumsum(axis=dim))

    def flip(self, dim: int) -> Tensor:
        return Tensor(np.flip(self.a, dim))

    def nonzero(self) -> Tensor:
        return Tensor(np.argwhere(self.a))

    def to(self, dtype: Any) -> Tensor:
        return Tensor(self.a.astype(dtype))

    def tolist(self) -> Any:
        return self.a.tolist()


def bare(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(bare, value))
    return value.a if isinstance(value, Tensor) else value


for name in ("add", "sub", "mul", "truediv", "matmul", "and", "lt", "le", "gt", "ge", "eq", "pow"):
    for prefix in ("", "r"):
        if hasattr(np.ndarray, f"__{prefix}{name}__"):

            def operate(self: Tensor, other: Any, method: str = f"__{prefix}{name}__") -> Tensor:
                return Tensor(getattr(self.a, method)(bare(other)))

            setattr(Tensor, f"__{prefix}{name}__", operate)
for name in ("neg", "invert"):
    setattr(Tensor, f"__{name}__", lambda self, method=f"__{name}__": Tensor(getattr(self.a, method)()))
Tensor.__or__ = lambda self, other: Tensor(self.a | bare(other))  # type: ignore[attr-defined,method-assign]


class Module:
    def __init__(self) -> None:
        pass

    def register_parameter(self, name: str, value: Tensor) -> None:
        setattr(self, name, value)

    def __call__(self, given: Tensor) -> Tensor:
        return self.forward(given)  # type: ignore[attr-defined]

    def state_dict(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for name, value in vars(self).items():
            if isinstance(value, Module):
                found |= {f"{name}.{key}": held for key, held in value.state_dict().items()}
            elif isinstance(value, Tensor):
                found[name] = value
        return found

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        own = self.state_dict()
        assert own.keys() == state.keys(), own.keys() ^ state.keys()
        for key, value in state.items():
            assert own[key].shape == value.shape and own[key].dtype == value.dtype, key
            own[key].a[...] = value.a

    def eval(self) -> Module:
        return self


def erfc(x: Tensor) -> Tensor:
    return Tensor(np.vectorize(math.erfc, otypes=[x.a.dtype])(x.a))


def over(function: Any) -> Any:
    return lambda *given: Tensor(function(*map(bare, given)))


def save(state: dict[str, Tensor], target: Any) -> None:
    held: dict[str, Any] = {key: value.a for key, value in state.items()}
    np.savez(target, **held)


def load(source: Any, weights_only: bool) -> dict[str, Tensor]:
    assert weights_only
    with np.load(source) as held:
        return {key: Tensor(held[key]) for key in held}


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    yield


def softmax(x: Tensor, dim: int) -> Tensor:
    weights = np.exp(x.a - x.a.max(axis=dim, keepdims=True))
    return Tensor(weights / weights.sum(axis=dim, keepdims=True))


def modules() -> dict[str, ModuleType]:
    """What stands for torch in `sys.modules`."""
    torch, nn = ModuleType("torch"), ModuleType("torch.nn")
    nn.__dict__.update(Module=Module, Parameter=lambda value: value)
    torch.__dict__.update(
        nn=nn, special=SimpleNamespace(erfc=erfc), float64=np.float64, float32=np.float32, float16=np.float16,
        arange=over(np.arange), where=over(np.where), exp=over(np.exp), sqrt=over(np.sqrt), tanh=over(np.tanh),
        minimum=over(np.minimum), isinf=over(np.isinf), zeros_like=over(np.zeros_like), ones_like=over(np.ones_like),
        relu=lambda x: Tensor(np.maximum(x.a, 0)), softmax=softmax, no_grad=no_grad, save=save, load=load,
        zeros=lambda shape, dtype: Tensor(np.zeros(shape, dtype=dtype)),
        tensor=lambda rows, dtype=None: Tensor(np.array(rows, dtype=dtype)),
        cat=lambda parts, dim: Tensor(np.concatenate([p.a for p in parts], axis=dim)),
        from_numpy=lambda array: Tensor(array), Tensor=Tensor,
    )  # fmt: skip
    return {"torch": torch, "torch.nn": nn}


def loaded(names: Mapping[str, Any], weights: bytes) -> Any:
    """The model of a module with these names."""
    model = names["Model"]()
    model.load_state_dict(load(io.BytesIO(weights), weights_only=True))
    return model


def answered(text: str, weights: bytes, given: str | Sequence[Any]) -> tuple[Any, Any]:
    """What a module of this text says of an input, and the residual stream at the end."""
    names: dict[str, Any] = {"__name__": "m", "__file__": "m.py"}
    exec(compile(text, "m.py", "exec"), names)
    model = loaded(names, weights)
    stream = model(names["tokens"](given))
    return model.answer(stream), stream.a[0]
