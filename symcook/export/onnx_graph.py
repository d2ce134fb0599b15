"""An archive as an ONNX graph, made with onnx.helper.

The input is the arrays of an archive, the result the bytes of a model file. Weights keep their names in the archive;
all other arrays go into the metadata, from which the archive can be read back. The operations are those of
`symcook.export.run_npz`, in the same order; the runtime chooses the order of the sums in products of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, chosen
from symcook.export.archive import Archive, ArraysRead, facts, has_network, module, numbered
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    Rotate,
    ScaleEntries,
    fixed_numbers,
    unknown_step,
)

if TYPE_CHECKING:
    import numpy as np

OPSET = 17
"""The version of the ONNX operations."""
IR_VERSION = 8
"""The version of the ONNX file format."""
MASKS = {
    "none": None, "future": (False, "LessOrEqual"), "strict-future": (False, "Less"), "past": (True, "LessOrEqual"),
    "strict-past": (True, "Less"),
}  # fmt: skip
"""For each mask whether a row sees what is later, and how positions are compared; None where it sees all of them."""
WEIGHTINGS = {"softmax": None, "softmax-plus-one": None, "average": None, "leftmost": 0, "rightmost": 1}
"""For each weighting that chooses one of several largest scores, whether it counts them from the right."""
ENGINE = "the ONNX graph"
"""How messages call this module."""
LOWEST = {"float64": -1.7e308, "float32": -3.4e38, "float16": -65504.0}
"""{type: the number used as minus infinity where a maximum is taken over visible positions only}. It is the lowest
number of float16, and close to it in the other types."""


def graph(m: Archive) -> bytes:
    """The file of an archive. Inputs: tokens (B, n), int64, or rows (B, n, inputs); outputs: stream (B, n, d), and
    scores and answer where the readout has them. Raises BadInput where onnxruntime has no operation for a part."""
    return _Graph(m).file()


class _Graph:
    """Builds the graph: each method adds nodes and returns the name of what they compute.

    Float arrays of the archive are initializers under their own names, so a key of the archive may be an input of a
    node.
    """

    def __init__(self, m: Archive) -> None:
        self.m, self.helper, self.types = ArraysRead(m, ENGINE), module("onnx.helper"), module("onnx").TensorProto
        self.dtype = str(m["dtype"])
        self.kind = {
            "float64": self.types.DOUBLE, "float32": self.types.FLOAT, "float16": self.types.FLOAT16
        }[self.dtype]  # fmt: skip
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        # The nodes of the masks so far, by the name of the mask.
        self.seen: dict[str, str] = {}

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Add a node, and return the name of its output."""
        self.m.read.update(inputs)
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def number(self, value: float) -> str:
        """A constant of the type of the weights."""
        import numpy as np

        return self.constant(np.array(value, dtype=self.dtype))

    def whole(self, *values: int) -> str:
        """A constant vector of int64."""
        import numpy as np

        return self.constant(np.array(values, dtype=np.int64))

    def constant(self, array: np.ndarray) -> str:
        """A constant, whose name is made of its value, so that equal constants are shared."""
        name = f"constant_{array.dtype}_{array.shape}_{array.tolist()}".replace(" ", "")
        self.constants[name] = array
        return name

    def file(self) -> bytes:
        """The graph as a model file: input, residual stream, readout, weights, and the metadata."""
        onnx, numpy_helper = module("onnx"), module("onnx.numpy_helper")
        m, helper = self.m, self.helper
        words = bool(len(m["vocabulary"]))
        names = m["coordinates"].tolist()
        # The number of inputs B and the length n are left open.
        model_input = helper.make_tensor_value_info(
            "tokens" if words else "rows",
            self.types.INT64 if words else self.kind,
            ["B", "n"] if words else ["B", "n", len(m["inputs"])],
        )
        stream = self.stream(words, names)
        self.nodes.append(helper.make_node("Identity", [stream], ["stream"]))
        outputs = [helper.make_tensor_value_info("stream", self.kind, ["B", "n", len(names)])]
        outputs += self.readout(names)
        m.all_read()
        # Only float arrays are initializers. The rest of the archive has shaped the graph; it goes into the metadata.
        weights = {key: array for key, array in m.items() if array.dtype.kind == "f"}
        initializers = [numpy_helper.from_array(array, key) for key, array in (weights | self.constants).items()]
        graph = helper.make_graph(self.nodes, str(m["name"]), [model_input], outputs, initializers)
        model = helper.make_model(graph, producer_name="symcook", opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        helper.set_model_props(model, facts(m))
        onnx.checker.check_model(model)
        return model.SerializeToString(deterministic=True)

    def stream(self, words: bool, names: Sequence[str]) -> str:
        """The residual stream after the last step. Also sets `length`, which tables and masks are cut to."""
        import numpy as np

        m = self.m
        model_input = "tokens" if words else "rows"
        self.length = self.op("Slice", self.op("Shape", model_input), self.whole(1), self.whole(2))
        # Tokens select rows of the embedding; numbers are put at the coordinates of the inputs by a 0/1 matrix.
        if words:
            z = self.op("Gather", "embedding", "tokens", axis=0)
        else:
            table = np.zeros((len(m["inputs"]), len(names)), dtype=self.dtype)
            for row, name in enumerate(m["inputs"].tolist()):
                table[row, names.index(name)] = 1
            z = self.op("MatMul", "rows", self.constant(table))
        if "positions" in m:
            z = self.op("Add", z, self.at_length("positions", 2))
        # One step is a sublayer: norms before it, heads or a feed-forward sublayer, and the norm that replaces the
        # stream.
        for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
            norms = [self.made(key, m.steps(key, "norm"), z) for key in numbered(m, step + "before", "gain")]
            x = self.op("Concat", *norms, axis=2) if norms else z
            for key in numbered(m, step + "head", "V"):
                z = self.op("Add", z, self.made(key, m.steps(key, "head"), x))
            if has_network(m, step):
                z = self.made(step, m.steps(step, "network"), x, z)
            if step + "after.gain" in m:
                z = self.made(step + "after.", m.steps(step + "after.", "norm"), z)
        return z

    def at_length(self, key: str, axes: int) -> str:
        """The part of a table for inputs of this length; one with more than `axes` axes has a part for each length. A
        run on a longer input than the table has is an error: Gather refuses such an index, where Slice would give the
        whole table, of which a single row would count for every position."""
        table = key
        if self.m[key].ndim > axes:  # a table for each length
            at = self.op("Sub", self.length, self.whole(1))
            table = self.op("Squeeze", self.op("Gather", key, at, axis=0), self.whole(0))
        return self.op("Gather", table, self.indices(), axis=0)

    def product(self, x: str, key: str) -> str:
        """x W^T."""
        return self.op("MatMul", x, self.op("Transpose", key, perm=[1, 0]))

    def mask(self, name: str) -> str:
        """The mask `name` as a Boolean matrix (n, n): whether the position of a row sees the position of a column. Each
        mask is made once."""
        if name not in self.seen:
            n = self.op("Squeeze", self.length, self.whole(0))
            zero, unity = (
                self.op("Squeeze", self.whole(0), self.whole(0)),
                self.op("Squeeze", self.whole(1), self.whole(0)),
            )
            places = self.op("Range", zero, n, unity)
            i, j = self.op("Unsqueeze", places, self.whole(1)), self.op("Unsqueeze", places, self.whole(0))
            # i + j >= 0 is true everywhere, and has the shape of the mask.
            match chosen(ENGINE, "mask", name, MASKS):
                case None:
                    self.seen[name] = self.op("GreaterOrEqual", self.op("Add", i, j), self.whole(0))
                case later, compared:
                    self.seen[name] = self.op(compared, *((i, j) if later else (j, i)))
        return self.seen[name]

    def made(self, key: str, step: PartStep, x: str, onto: str | None = None) -> str:
        """What a step makes of `x`, in the part whose arrays have the prefix `key`; added to `onto` where it is
        given."""
        match step:
            case Read():
                return x
            case LinearMap(of, matrix, str(bias)) if onto and not self.m[self.m.array(key, matrix)].shape[1]:
                # There are no hidden units, and only the bias is left.
                self.m.read |= {key + name for name in fixed_numbers(of)}
                return self.op("Add", onto, key + bias)
            case LinearMap(of, matrix, bias):
                out = self.product(self.made(key, of, x), self.m.array(key, matrix))
                out = out if onto is None else self.op("Add", onto, out)
                return out if bias is None else self.op("Add", out, key + bias)
            case Activate(of, kind):
                return self.activated(self.made(key, of, x), kind, key)
            case Multiply(left, right):
                return self.op("Mul", self.made(key, left, x), self.made(key, right, x))
            case Centre(of):
                entries = self.made(key, of, x)
                return self.op("Sub", entries, self.mean(entries, len(self.m[key + "gain"])))
            case DivideByRms(of, epsilon, zero):
                return self.divided(self.made(key, of, x), key, epsilon, zero)
            case Rotate(of, _):
                return self.turned(self.made(key, of, x), key)
            case ScaleEntries(of, gain, bias):
                scaled = self.op("Mul", self.made(key, of, x), key + gain)
                return scaled if bias is None else self.op("Add", scaled, key + bias)
            case Attend(scores, values, mask, weighting):
                return self.attended(key, x, scores, values, mask, weighting)
        unknown_step(ENGINE, step)

    def attended(
        self, key: str, x: str, scores: Products | ByDistance, values: PartStep, mask: str, weighting: str
    ) -> str:
        """The output of a head, which is added to the residual stream. `x` is what it reads."""
        import numpy as np

        m, zero, unity = self.m, self.number(0.0), self.number(1.0)
        match scores:
            case Products(queries, keys, "scale", "temperature"):
                slope = None
            case ByDistance(Products(queries, keys, "scale", "temperature"), slope):
                pass
            case _:
                unknown_step(ENGINE, scores)
        sees_key = self.mask(mask)
        if len(m[key + "Q"]):
            q, k = (self.made(key, side, x) for side in (queries, keys))
            k = self.op("Transpose", k, perm=[0, 2, 1])
        else:
            # A head without key dimensions: all products are zero.
            m.read |= {key + name for side in (queries, keys) for name in fixed_numbers(side)}
            column = self.constant(np.zeros((m[key + "V"].shape[1], 1), dtype=self.dtype))
            q, k = self.op("MatMul", x, column), self.op("Transpose", self.op("MatMul", x, column), perm=[0, 2, 1])
        # Scores, times the factor of their row.
        s = self.op("MatMul", q, k)
        if slope is not None and m[key + slope] != 0:
            s = self.op("Add", s, self.op("Mul", key + slope, self.op("Cast", self.indices(), to=self.kind)))
        if key + "factor" in m:
            s = self.op("Mul", s, self.op("Unsqueeze", self.at_length(key + "factor", 1), self.whole(1)))
        # The largest visible score of each row.
        low = self.number(LOWEST[self.dtype])
        top = self.op("ReduceMax", self.op("Where", sees_key, s, low), axes=[2])
        backwards = chosen(ENGINE, "weighting", weighting, WEIGHTINGS)
        below = None
        if weighting == "softmax-plus-one":  # as one more position, with the score and the value 0
            top = self.op("Max", top, zero)
            below = self.op("Exp", self.op("Neg", top))
        if weighting in ("softmax", "softmax-plus-one"):
            a = self.op("Where", sees_key, self.op("Exp", self.op("Min", self.op("Sub", s, top), zero)), zero)
        else:
            # Hard attention: 1 at the largest scores; of several, the first from the left or from the right, if it
            # chooses one.
            a = self.op("Cast", self.op("And", self.op("Equal", s, top), sees_key), to=self.kind)
            if backwards is not None:
                along = self.constant(np.array(2, dtype=np.int64))  # of no axes, as the standard asks
                count = self.op("CumSum", a, along, reverse=backwards)
                a = self.op("Mul", a, self.op("Cast", self.op("Equal", count, unity), to=self.kind))
        # One division by the total, after the sum, as the error model of the certificate assumes.
        total = self.op("ReduceSum", a, self.whole(2))
        total = total if below is None else self.op("Add", total, below)
        total = self.op("Where", self.op("Equal", total, zero), unity, total)  # a row that sees nothing is zero
        return self.op("Div", self.op("MatMul", a, self.made(key, values, x)), total)

    def indices(self) -> str:
        """The indices of the positions, from 0."""
        ends = (self.op("Squeeze", self.whole(0), self.whole(0)), self.op("Squeeze", self.length, self.whole(0)))
        return self.op("Range", *ends, self.op("Squeeze", self.whole(1), self.whole(0)))

    def turned(self, entries: str, key: str) -> str:
        """The pairs k, k + h of 2 h entries, turned by the angles at each position."""
        half = self.m[key + "cos"].shape[1]
        ends, axis = (self.whole(0), self.whole(half), self.whole(2 * half)), self.whole(2)
        x, y = (self.op("Slice", entries, low, high, axis) for low, high in (ends[:2], ends[1:]))
        cos, sin = self.at_length(key + "cos", 2), self.at_length(key + "sin", 2)
        first = self.op("Sub", self.op("Mul", x, cos), self.op("Mul", y, sin))
        second = self.op("Add", self.op("Mul", x, sin), self.op("Mul", y, cos))
        return self.op("Concat", first, second, axis=2)

    def mean(self, entries: str, count: int) -> str:
        """The mean of so many entries of a norm at each position."""
        size = self.number(float(count))
        return self.op("Div", self.op("ReduceSum", entries, self.whole(2)), size)

    def divided(self, x: str, key: str, epsilon: str, zero_root: str) -> str:
        """The entries of a norm by the root of their mean square plus epsilon."""
        zero, unity = self.number(0.0), self.number(1.0)
        # Where the root is zero, the quotient is zero, or NaN if the norm refuses.
        gain = key + ("q_gain" if key + "q_gain" in self.m else "gain")  # as many as there are entries
        total = self.op("Add", self.mean(self.op("Mul", x, x), len(self.m[gain])), key + epsilon)
        flat = self.op("Equal", total, zero)
        x = self.op("Div", x, self.op("Sqrt", self.op("Where", flat, unity, total)))
        if chosen(ENGINE, "zero", zero_root, {"refuse": True, "zero": False}):
            x = self.op("Where", flat, self.number(math.nan), x)
        return x

    def activated(self, x: str, kind: str, step: str) -> str:
        """An activation, by its name, of the hidden units of a step."""
        kinds: Mapping[str, Callable[[], str]] = {
            "relu": lambda: self.op("Relu", x),
            "step": lambda: self.op("Cast", self.op("Greater", x, self.number(0.0)), to=self.kind),
            "gelu": lambda: self.half(x, self.erf(x, step)),
            "gelu-tanh": lambda: self.half(x, self.tanh(x)),
            "gelu-sigmoid": lambda: self.op("Mul", x, self.op("Sigmoid", self.op("Mul", self.number(1.702), x))),
            "silu": lambda: self.op("Mul", x, self.op("Sigmoid", x)),
        }
        return chosen(ENGINE, "activation", kind, kinds)()

    def erf(self, x: str, step: str) -> str:
        """erf(x/sqrt 2); BadInput, which names the step, where onnxruntime has no such operation."""
        if self.dtype == "float64":
            must = f"onnxruntime must have each operation of {step[:-1]}, and has no erf in float64"
            raise BadInput(must, "gelu in float64", "use --dtype float32, or --format torch, safetensors or npz")
        return self.op("Erf", self.op("Div", x, self.number(math.sqrt(2))))

    def tanh(self, x: str) -> str:
        """tanh(sqrt(2/pi) (x + 0.044715 x^3))."""
        cube = self.op("Mul", self.op("Mul", x, x), self.op("Mul", x, self.number(0.044715)))
        return self.op("Tanh", self.op("Mul", self.number(math.sqrt(2 / math.pi)), self.op("Add", x, cube)))

    def half(self, x: str, inside: str) -> str:
        """x times (1 + inside)/2."""
        return self.op("Mul", x, self.op("Mul", self.number(0.5), self.op("Add", self.number(1.0), inside)))

    def readout(self, names: Sequence[str]) -> list[Any]:
        """Add the outputs other than the stream: scores and answer, where the readout has them."""
        m, kind, position = self.m, str(self.m["readout.kind"]), str(self.m["readout.position"])
        outputs = []
        # Scores: those of the labels, or the logit of a sign readout.
        if "readout.weights" in m:
            plain = m["readout.weights"].ndim == 1
            weights_row = self.op("Unsqueeze", "readout.weights", self.whole(0)) if plain else "readout.weights"
            scores = self.product("stream", weights_row)
            if kind == "distribution":
                scores = self.op("Softmax", scores, axis=2)
            self.nodes.append(self.helper.make_node("Identity", [scores], ["scores"]))
            shape = ["B", "n", 1 if plain else len(m["readout.labels"])]
            outputs.append(self.helper.make_tensor_value_info("scores", self.kind, shape))
        # The answer at one position, at each, or of all together.
        places: Mapping[str, Callable[[], str] | None] = {
            "first": lambda: self.whole(0), "last": lambda: self.op("Sub", self.length, self.whole(1)),
            "each": None, "all": None,
        }  # fmt: skip
        place = m.word("readout.position", places)
        # A readout that shows values has no answer; a zero test asks whether all coordinates that it reads are zero.
        reads = (names.index(name) for name in m["readout.reads"].tolist())
        gathered = lambda: self.op("Gather", "stream", self.whole(*reads), axis=2)  # noqa: E731
        kinds: Mapping[str, Callable[[], str] | None] = {
            "value": None,
            "distribution": None,
            "sign": lambda: self.op("Squeeze", self.op("Greater", "scores", self.number(0.0)), self.whole(2)),
            "largest": lambda: self.op("ArgMax", "scores", axis=2, keepdims=0),
            "zero": lambda: self.all(self.op("Equal", gathered(), self.number(0.0))),
        }
        if (answer := m.word("readout.kind", kinds)) is None:
            return outputs
        answers = answer()
        if place is not None:
            answers = self.op("Squeeze", self.op("Gather", answers, place(), axis=1), self.whole(1))
        elif position == "all":
            answers = self.all(answers)
        self.nodes.append(self.helper.make_node("Identity", [answers], ["answer"]))
        type_ = self.types.INT64 if kind == "largest" else self.types.BOOL
        outputs.append(self.helper.make_tensor_value_info("answer", type_, ["B", "n"] if position == "each" else ["B"]))
        return outputs

    def all(self, answers: str) -> str:
        """Whether all along the last axis are true."""
        counts = self.op("Cast", answers, to=self.types.INT64)
        return self.op("Cast", self.op("ReduceMin", counts, axes=[-1], keepdims=0), to=self.types.BOOL)
