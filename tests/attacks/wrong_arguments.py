"""Every public callable with each argument, one at a time, replaced by what does not belong there.

`python tests/attacks/wrong_arguments.py` tries all of it and prints what ended neither in an answer nor in an error of
symcook; a sample runs with the tests.
"""

from __future__ import annotations

import inspect
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import symcook as sc

WRONG: dict[str, Any] = {
    "None": None,
    "five": 5,
    "minus one": -1,
    "text": "x",
    "empty list": [],
    "empty mapping": {},
    "object": object(),
    "float": 0.5,
    "set": {"a"},
    "bytes": b"a",
    "class": int,
    "huge": 10**5000,
    "list of objects": [object(), None],
    "mapping of objects": {"a": object()},
    "nothing": "",
    "truth": True,
}
Call = tuple[Callable[..., Any], dict[str, Any]]


def builder() -> Any:
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.attention("mean", "vote")
    return b


def finished() -> Any:
    b = builder()
    b.readout("sign", "last", "mean", weights=[1])
    return b


def calls(folder: Path) -> dict[str, Callable[[], Call]]:
    """A good call of each public callable, made anew each time, with every argument that it may be given by name."""
    dyck, step = sc.build("dyck-1"), sc.build("gtzero")
    soft, parity = sc.build("first-flawed"), sc.build("parity")
    file, weights = folder / "m.json", folder / "m.npz"
    dyck.save(file)
    dyck.export(weights, max_length=3)
    space = sc.Space(("a", "b", "m"))
    block = sc.head(value={"m": "a"})
    relu = sc.feedforward(m="relu(a)")
    embedding = sc.Embedding(space, words={"a": {"a": 1}, "b": {"b": 1}})
    readout = sc.Readout("sign", "last", ("m",), [[1]])
    layer = sc.Layer(sc.SelfAttention((block,)), None)
    hot: dict[str, Any] = {"words": "ab"}

    def accepts(word: Any) -> bool:
        return word == "()"

    norm = {"reads": ("a", "b", "m"), "writes": ("a", "b", "m"), "gain": [1, 1, 1], "bias": [0, 0, 0]}
    found: dict[str, Call] = {
        "build": (sc.build, {"name": "identity", "d": 2}),
        "load": (sc.load, {"path": file}),
        "from_npz": (sc.from_npz, {"path": weights}),
        "from_safetensors": (sc.from_safetensors, {"path": weights}),
        "verify_export": (sc.verify_export, {"path": weights, "progress": None}),
        "prove": (sc.prove, {}),
        "derive": (sc.derive, {"model": step, "given": None, "values": {"eps": 1}}),
        "derive_cases": (sc.derive_cases, {"model": step, "given": {"x": 1}, "values": None}),
        "head": (sc.head, {"score": {("a", "b"): 1}, "value": {"m": "a"}, "symbols": (), "mask": "none",
                           "weighting": "average", "temperature": 1, "scale": 1}),
        "feedforward": (sc.feedforward, {"reads": (), "symbols": (), "out": "relu(x)"}),
        "from_state_dict": (sc.from_state_dict, {"state": {}, "vocabulary": "ab", "heads": 1, "norm": "pre",
                                                 "mask": "future", "activation": "relu", "epsilon": 1,
                                                 "labels": None, "name": "m"}),
        "Space": (sc.Space, {"names": ("a", "b")}),
        "Parameter": (sc.Parameter, {"name": "c", "default": 1, "lower": 0, "upper": 2, "lower_open": True,
                                     "upper_open": False}),
        "Fold": (sc.Fold, {"start": 0, "step": lambda s, t: s, "answer": bool, "each": False}),
        "Embedding": (sc.Embedding, {"space": space, "words": {"a": {"a": 1}}, "inputs": None, "positions": {"b": "i"},
                                     "start": 1, "before": None, "after": None}),
        "Readout": (sc.Readout, {"kind": "sign", "position": "last", "reads": ("m",), "weights": [[1]], "labels": ()}),
        "Head": (sc.Head, {"reads": ("a",), "writes": ("m",), "Q": [[0]], "K": [[0]], "V": [[1]], "mask": "none",
                           "weighting": "average", "temperature": 1, "scale": 1}),
        "FeedForward": (sc.FeedForward, {"reads": ("a",), "writes": ("m",), "W1": [[1]], "b1": [0], "W2": [[1]],
                                         "b2": [0], "activation": "relu"}),
        "LayerNorm": (sc.LayerNorm, {name: norm.get(name, parameter.default) for name, parameter in
                                     inspect.signature(sc.LayerNorm).parameters.items()}),
        "SelfAttention": (sc.SelfAttention, {"heads": (block,)}),
        "Layer": (sc.Layer, {"attention": None, "feedforward": relu}),
        "Transformer": (sc.Transformer, {"name": "m", "embedding": embedding, "layers": (layer,), "readout": readout,
                                         "parameters": (), "max_length": None, "source": "", "final_norm": None}),
        "Builder": (sc.Builder, {"words": "ab", "inputs": None, "positions": None, "parameters": (), "start": 1,
                                 "before": None, "after": None, "max_length": None}),
        "Builder of inputs": (sc.Builder, {"inputs": ["x"], "positions": {"p": "i"}}),
        "Builder.attention": (builder().attention, {"writes": "z", "reads": "vote", "Q": None, "K": None, "V": None,
                                                    "mask": "none", "weighting": "average", "temperature": 1,
                                                    "scale": 1}),
        "Builder.feedforward": (builder().feedforward, {"writes": "z", "reads": "vote", "W1": [[1]], "b1": [0],
                                                        "W2": [[1]], "b2": None, "activation": "relu"}),
        "Builder.add": (builder().add, {"block": sc.head(value={"z": "vote"})}),
        "Builder.position": (builder().position, {"name": "p", "function": "i"}),
        "Builder.aggregate": (sc.Builder(**hot).aggregate, {"writes": "z", "queries": ["a", "b"], "keys": ["a", "b"],
                                                            "reads": "a", "relation": "=", "mask": "none",
                                                            "weighting": "average"}),
        "Builder.count": (sc.Builder(**hot).count, {"writes": "z", "queries": ["a", "b"], "keys": ["a", "b"],
                                                    "relation": "=", "mask": "none"}),
        "Builder.lookup": (builder().lookup, {"writes": "z", "query": "mean", "reads": "vote"}),
        "Builder.symbol": (builder().symbol, {"name": "c", "default": 1, "lower": 0}),
        "Builder.recipe": (builder().recipe, {"writes": "z", "recipe": "gtzero", "reads": {"x": "vote"},
                                              "values": {"eps": 1}}),
        "Builder.readout": (builder().readout, {"kind": "sign", "position": "last", "reads": "mean", "weights": [1],
                                                "labels": ()}),
        "Builder.build": (finished().build, {"name": "m", "source": "", "packed": True}),
        "Space.require": (space.require, {"names": ("a",)}),
        "Space.routing": (space.routing, {"names": ("a",)}),
        "Parameter.check": (sc.Parameter("c").check, {"value": 1}),
        "parity.bind": (parity.bind, {"given": {"c": 4}, "require": True}),
        "parity.values": (parity.values, {"given": {"c": 4}, "require": True}),
        "parity.parameter": (parity.parameter, {"name": "c"}),
        "tokens": (dyck.tokens, {"word": "()"}),
        "rows": (step.rows, {"rows": [{"x": 1}]}),
        "check_length": (dyck.check_length, {"n": 3}),
        "call": (dyck, {"given": "()", "domain": "exact"}),
        "run": (dyck.run, {"given": "()", "domain": "exact", "values": None, "digits": 30, "bits": None,
                           "trace": False}),
        "run of rows": (step.run, {"given": {"x": 1}, "domain": "exact", "values": {"eps": 1}}),
        "run_many": (dyck.run_many, {"inputs": ["()"], "domain": "exact", "values": None}),
        "m.derive": (dyck.derive, {"given": "()", "values": None}),
        "check": (dyck.check, {"reference": accepts, "max_length": 2, "values": None, "domain": "exact",
                               "digits": 30, "progress": None}),
        "margin": (dyck.margin, {"max_length": 3, "values": None, "digits": 10, "progress": None}),
        "tolerance": (dyck.tolerance, {"weights": "L1.head1.V[1,1]", "max_length": 2, "min_length": 1, "values": None,
                                       "digits": 6, "progress": None}),
        "temperature": (soft.temperature, {"max_length": 2, "min_length": 1, "values": None, "digits": 10,
                                           "progress": None}),
        "precision": (dyck.precision, {"max_length": 2, "min_length": 1, "formats": ("float32",), "beyond": 0,
                                       "values": None, "progress": None}),
        "entropy": (soft.entropy, {"max_length": 2, "head": None, "position": None, "min_length": 1, "values": None,
                                   "digits": 10, "progress": None}),
        "soften": (sc.build("lookup-quadratic").soften if "lookup-quadratic" in _names() else dyck.soften,
                   {"tau": "tau"}),
        "export": (dyck.export, {"target": folder / "x.npz", "format": "npz", "dtype": "float32", "max_length": 2,
                                 "values": None, "claims": (), "built": None, "force": True, "progress": None}),
        "diff": (dyck.diff, {"other": dyck, "max_length": 2, "tolerance": 0, "progress": None}),
        "save": (dyck.save, {"path": folder / "y.json", "force": True}),
        "text": (dyck.text, {}),
        "latex": (step.latex, {"document": False}),
    }  # fmt: skip
    bounds = {
        "softmax-hardmax": {"n": 4, "gamma": 5, "ties": False},
        "softmax": {"scores": "3, 1, 0", "gamma": 2, "n": None},
        "lookup": {"gamma": 3, "n": 4, "q": 2},
        "ziggurat": {"gamma": 3, "n": 4},
        "table-lookup": {"gamma": 3, "n": 4},
        "tie-break": {"variant": "a", "gamma": 3, "n": 4},
        "layernorm-hash": {"n": 4, "tie_break": False, "search": False},
        "lipschitz": {"model": "gtzero", "norm": "max", "values": {"eps": 1}},
        "layer-norm": {"d": 3, "epsilon": 1, "gain": 1},
        "gelu-multiply": {"form": "erf"},
        "gelu-relu": {"c": 1, "form": "erf"},
        "temperature": {"n": 4, "gamma": 3, "error": "1/4", "bits": 5},
        "error": {"model": "gtzero", "delta": "1/10", "n": None, "values": "eps=1", "dtype": None, "constants": False},
        "sensitivity": {"model": "first", "n": 3, "values": None},
        "cross-entropy": {"model": "first", "n": 3, "values": None, "weight": None, "sample": None, "seed": None},
    }
    for kind, arguments in bounds.items():
        found[f"bound {kind}"] = (sc.bound, {"name": kind, **arguments, "digits": 5})
    return {name: (lambda call=call: call) for name, call in found.items()}


def _names() -> Any:
    from symcook import recipes

    return recipes.names()


class Slow(Exception):
    """A call took longer than it may."""


def outcome(function: Callable[..., Any], arguments: dict[str, Any], seconds: int = 20) -> str | None:
    """None where a call answers or ends in an error of symcook, else what it ended in."""

    def late(*_: object) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        function(**arguments)
    except sc.SymcookError as error:
        if type(error) is sc.SymcookError or "--" in str(error).replace("symcook claims --search", ""):
            return f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return None


def bad(table: dict[str, Callable[[], Call]], name: str) -> Iterator[tuple[str, str, str | None]]:
    """The argument, the wrong value and the outcome of each wrong call of `name`, and of calls that leave one out."""
    _, good = table[name]()
    for argument in good:
        for what, value in WRONG.items():
            function, arguments = table[name]()
            yield argument, what, outcome(function, {**arguments, argument: value})
        function, arguments = table[name]()
        yield argument, "left out", outcome(function, {k: v for k, v in arguments.items() if k != argument})
    function, arguments = table[name]()
    yield "nonsense", "unknown", outcome(function, {**arguments, "nonsense": 1})


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)  # some wrong values are names of files
        table = calls(Path(place))
        tried = 0
        for name in table:
            for argument, what, ended in bad(table, name):
                tried += 1
                if ended is not None:
                    print(f"{name}({argument}: {what}) -> {ended[:200]}", flush=True)
        print(f"{tried} calls")


if __name__ == "__main__":
    main()
