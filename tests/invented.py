"""Models with something that no engine knows: a kind of part, a field, a word. And the calls that reach the engines.

The calls are made from the tables of the library (`VERBS`, `COMMANDS`, `DOMAINS`, `FORMATS`, `KINDS`, the public
functions of `compose`), so a new entry of a table has no call until it is written here, and a test says so.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import symcook as sc
from symcook import compose
from symcook.model import parts
from symcook.model.checks import freeze
from symcook.model.ends import LOOKS
from symcook.model.reads import PartsRead

XY = ("x", "y")
SPACE = (*XY, "one")
WORDS = {"a": {"x": 1, "one": 1}, "b": {"y": 1, "one": 1}}
Call = Callable[[sc.Transformer, Path], Any]


def plain(position: str = "last", labels: tuple[str, ...] = ()) -> sc.Transformer:
    """One layer: a plain average over the past, then hidden units; every question of finitely many strings has an
    answer."""
    head = sc.Head(("x",), ("y",), [], [], [[1]], mask="future")
    units = sc.FeedForward(XY, ("y",), [[1, -1]], [0], [[1]], [Fraction(-1, 4)])
    weights = [[1, 0], [0, 1]] if labels else [[1, 1]]
    readout = sc.Readout("largest" if labels else "sign", position, XY, weights, labels)
    embedding = sc.Embedding(sc.Space(SPACE), WORDS)
    return sc.Transformer("plain", embedding, (sc.Layer(head, units),), readout)


def dense() -> sc.Transformer:
    """`plain` with hidden units enough that products of matrices pay."""
    model = plain()
    units = sc.FeedForward(XY, ("y",), [[1, -1]] * 200, [0] * 200, [[1] * 200], [Fraction(-1, 4)])
    return replace(model, layers=(replace(model.layers[0], feedforward=units),))


def single() -> sc.Transformer:
    """A feed-forward layer alone, over a row of inputs."""
    units = sc.FeedForward(XY, ("out",), [[1, -1]], [0], [[1]], [0])
    embedding = sc.Embedding(sc.Space((*XY, "out")), inputs=XY)
    return sc.Transformer("single", embedding, (sc.Layer(None, units),), sc.Readout("value", "last", ("out",)))


def bos() -> sc.Transformer:
    """The plain model with a token before the string."""
    model = plain()
    embedding = sc.Embedding(model.space, {**WORDS, "$": {"one": 1}}, before="$")
    return sc.Transformer("bos", embedding, model.layers, model.readout)


def machine() -> sc.Transformer:
    """The plain model, which says that it was compiled from a machine."""
    from symcook.model.transformer import Program

    model = plain()
    return sc.Transformer("machine", model.embedding, model.layers, model.readout, program=Program("tm", "", ("a",)))


def scored(weighting: str = "average") -> sc.Transformer:
    """A head with scores, of which the question for temperatures and `compose.soften` are asked."""
    head = sc.Head(("x", "one"), ("y",), [[0, 1]], [[1, 0]], [[1, 0]], mask="future", weighting=weighting)
    readout = sc.Readout("sign", "last", ("y", "one"), [[1, Fraction(-1, 2)]])
    return sc.Transformer("scored", sc.Embedding(sc.Space(SPACE), WORDS), (sc.Layer(head),), readout)


def normed(placement: str = "pre") -> sc.Transformer:
    """A layer norm before or after hidden units; with "multi pre" two norms with projections."""
    if placement == "multi pre":
        norms = [sc.LayerNorm(SPACE, (f"u{k}", f"v{k}"), projection=[[1, 0, 0], [0, 1, 0]]) for k in "12"]
        units = sc.FeedForward(("u1", "v2"), ("y",), [[1, -1]], [0], [[1]], [0])
        layer = sc.Layer(None, units, (), tuple(norms), placement)
    else:
        units = sc.FeedForward(XY, ("y",), [[1, -1]], [0], [[1]], [0])
        layer = sc.Layer(None, units, (), (sc.LayerNorm(SPACE, epsilon=1),), placement)
    readout = sc.Readout("sign", "last", ("y",), [[1]])
    return sc.Transformer("normed", sc.Embedding(sc.Space(SPACE), WORDS), (layer,), readout)


class Gate(parts.Part):
    """An invented kind of part: it has fields of its own, and none of the fields of the others."""

    FIELDS = {"gate": ("writes", "reads"), "how": "word"}  # noqa: RUF012
    reads, writes, how = XY, ("y",), "soft"
    gate = property(lambda self: parts.FeedForward(XY, ("y",), [[1, 1]], [0], [[1]], [0]).W1)


def only(model: sc.Transformer, kind: type[Any]) -> Any:
    """The first part of this kind; None where the model has none."""
    return next((part for step in model.sublayers for part in step.all_parts if isinstance(part, kind)), None)


def set_word(kind: type[Any], name: str) -> Callable[[sc.Transformer], bool]:
    """What writes a word that means nothing into the field `name` of a part or of the readout."""

    def change(model: sc.Transformer) -> bool:
        part = model.readout if kind is sc.Readout else only(model, kind)
        if part is not None:
            freeze(part, **{name: "invented"})
        return part is not None

    return change


def put_gate(where: str) -> Callable[[sc.Transformer], bool]:
    """What puts a part of an invented kind in the place of another."""

    def change(model: sc.Transformer) -> bool:
        layer = model.layers[0]
        if where == "head" and layer.attention is not None:
            freeze(layer.attention, heads=(Gate(),))
        elif where == "network" and layer.feedforward is not None:
            freeze(layer, feedforward=Gate())
        elif where == "norm" and layer.feedforward_norms:
            freeze(layer, feedforward_norms=(Gate(),))
        else:
            return False
        vars(model).pop("sublayers", None)
        return True

    return change


WORDS_OF = {"mask": sc.Head, "weighting": sc.Head, "activation": sc.FeedForward, "zero_variance": sc.LayerNorm}
WORD_CHANGES = {f"word {name}": set_word(kind, name) for name, kind in WORDS_OF.items()}
WORD_CHANGES |= {f"word readout {name}": set_word(sc.Readout, name) for name in ("kind", "position")}
PART_CHANGES = {f"part {where}": put_gate(where) for where in ("head", "network", "norm")}
FIELDS_OF = {f"field {kind.__name__}": kind for kind in (sc.Head, sc.FeedForward, sc.LayerNorm)}
PLACES = {
    "head": {"word mask", "word weighting", "part head", "field Head"},
    "network": {"word activation", "part network", "field FeedForward"},
}
"""The inventions that are about the part in a place."""
INVENTIONS = (*WORD_CHANGES, *PART_CHANGES, *FIELDS_OF)
POSITION = "position that engines read"
"""A word for the position of the readout that is in the list of each engine, and of which nobody has said where it
looks."""
DESCRIBED = "position that is none of the four"
"""The same word with a description: the readout looks neither at the first position nor at the last one, and answers
neither at each position nor for all together."""


@contextmanager
def invented(name: str, model: sc.Transformer) -> Iterator[bool]:
    """The model with one invention in it, inside the context; whether it has the part that the invention is about."""
    if name in FIELDS_OF:
        kind: Any = FIELDS_OF[name]
        table = patch.object(kind, "FIELDS", {**kind.FIELDS, "invented": "word"})
        with table, patch.object(kind, "invented", "mean", create=True):
            yield only(model, kind) is not None
    elif name in (POSITION, DESCRIBED):
        for module in written():  # an engine that is loaded later would have the list of the source
            import_module(module)
        with ExitStack() as stack:
            if name == DESCRIBED:
                stack.enter_context(patch.dict(LOOKS, invented="at the invented position"))
                stack.enter_context(patch("symcook.model.ends.POSITIONS", tuple(LOOKS)))
            for engine in PartsRead.engines.values():
                stack.enter_context(patch.dict(engine.known, position=engine.known["position"] | {"invented"}))
            yield WORD_CHANGES["word readout position"](model)
    else:
        yield (WORD_CHANGES | PART_CHANGES)[name](model)


Made = Callable[[], sc.Transformer]


def command(*arguments: str) -> Call:
    """A call of a command: FILE stands for a model file, DIR for a folder. The command gets the model, whatever the
    file says."""

    def call(model: sc.Transformer, folder: Path) -> None:
        from symcook.__main__ import main
        from symcook.errors import BadInput

        file = folder / "m.json"
        if not file.exists():
            file.write_text('{"symcook": 1}', encoding="utf-8")
            (folder / "spec.py").write_text("def accepts(word):\n    return True\n", encoding="utf-8")
        put = [part.replace("FILE", str(file)).replace("DIR", str(folder)) for part in arguments]
        said = io.StringIO()
        with patch("symcook.model.modelfile.load", lambda _: model), redirect_stdout(said), redirect_stderr(said):
            code = main(put)
        if code == 2:
            raise BadInput(said.getvalue())
        if code not in (0, 1, 3):
            raise RuntimeError(f"exit code {code} of {put}: {said.getvalue()}")

    return call


def reference(word: Any) -> bool:
    """A reference for the checks; that it is another one does not matter."""
    return len(word) % 2 == 0


OF_VERBS: Mapping[str, tuple[Made, Call]] = {
    "run": (plain, lambda m, _: m.run("ab")),
    "__call__": (plain, lambda m, _: m("ab")),
    "run_many": (plain, lambda m, _: m.run_many(["ab"])),
    "derive": (plain, lambda m, _: m.derive("ab")),
    "check": (plain, lambda m, _: m.check(reference, 2)),
    "decide": (scored, lambda m, _: m.decide("a*", positions=None)),
    "prove": (plain, lambda m, _: m.prove("accept -> ex i in 1..n. w(i) = 0", 20)),
    "entropy": (plain, lambda m, _: m.entropy(2)),
    "margin": (plain, lambda m, _: m.margin(2)),
    "tolerance": (plain, lambda m, _: m.tolerance("L1.ff.W1[1,1]", 2)),
    "temperature": (scored, lambda m, _: m.temperature(2)),
    "hardsoft": (scored, lambda m, _: m.hardsoft("1/4", max_length=2)),
    "precision": (plain, lambda m, _: m.precision(2)),
    "soften": (scored, lambda m, _: m.soften()),
    "without": (plain, lambda m, _: m.without(head="L1.head1")),
    "patched": (plain, lambda m, _: m.patched("x", 1, value=2)),
    "with_weights": (plain, lambda m, _: m.with_weights({"L1.ff.b1[1]": 1})),
    "arrays": (plain, lambda m, _: m.arrays(max_length=2)),
    "export": (plain, lambda m, d: m.export(d / "m.npz", max_length=2)),
    "diff": (plain, lambda m, _: m.diff(m, 2)),
    "save": (plain, lambda m, d: m.save(d / "saved.json")),
}
OF_COMMANDS: Mapping[str, tuple[Made, Call] | None] = {
    "tour": None, "list": None, "new": None, "compile": None, "import": None, "claims": None,
    "lemmas": None, "completion": None,
    "verify-export": None,
    "show": (plain, command("show", "FILE")),
    "explain": (plain, command("explain", "FILE")),
    "derive": (plain, command("derive", "FILE")),
    "run": (plain, command("run", "FILE", "--input", "ab", "--trace")),
    "check": (plain, command("check", "FILE", "--max-length", "2", "--spec", "DIR/spec.py:accepts")),
    "decide": (scored, command("decide", "FILE", "--against", "a*")),
    "prove": (plain, command("prove", "FILE", "--statement", "accept -> ex i in 1..n. w(i) = 0", "--seconds", "20")),
    "bound": (single, command("bound", "lipschitz", "FILE")),
    "entropy": (plain, command("entropy", "FILE", "--max-length", "2")),
    "margin": (plain, command("margin", "FILE", "--max-length", "2")),
    "tolerance": (
        plain, command("tolerance", "FILE", "--free", "L1.ff.W1[1,1]", "--max-length", "2"),
    ),
    "temperature": (scored, command("temperature", "FILE", "--max-length", "2")),
    "hardsoft": (scored, command("hardsoft", "FILE", "--error", "1/4", "--max-length", "2")),
    "precision": (plain, command("precision", "FILE", "--max-length", "2")),
    "report": (plain, command("report", "FILE", "-o", "DIR/page.html")),
    "export": (plain, command("export", "FILE", "-o", "DIR/c.npz", "--max-length", "2")),
    "diff": (plain, command("diff", "FILE", "FILE", "--max-length", "2")),
}  # fmt: skip
"""A call of each command; None for those that read no model of the user's."""


def run_in(domain: str) -> Call:
    """A run in one number system, by the forward pass itself."""

    def call(model: sc.Transformer, _: Path) -> None:
        from symcook.domains import make_domain
        from symcook.forward import forward

        given: Any = ("a", "b")
        if domain == "batch":
            from symcook.domains.batch import Words

            given = Words(("a", "b"), 2)
        forward(model, given, make_domain(domain))

    return call


def export_to(format: str) -> Call:
    """An export in one format, from the archive on: packages that read the file are not needed for its text."""

    def call(model: sc.Transformer, folder: Path) -> None:
        from symcook.export.archive import arrays
        from symcook.export.lens import Lens
        from symcook.export.onnx_graph import graph
        from symcook.export.torch_code import code

        archive = arrays(model, "float32", 3)
        text: Mapping[str, Callable[[], Any]] = {
            "npz": lambda: model.export(folder / f"{format}.npz", max_length=2, dtype="float32"),
            "safetensors": lambda: model.export(
                folder / f"{format}.safetensors", format="safetensors", max_length=2, dtype="float32"
            ),
            "torch": lambda: code(archive, "m", "0" * 64),
            "onnx": lambda: graph(archive),
            "transformerlens": lambda: Lens(archive).state(),
        }
        text[format]()

    return call


OF_BOUNDS: Mapping[str, tuple[Made, Call] | None] = {
    "lipschitz": (single, lambda m, _: sc.bound("lipschitz", m)),
    "error": (plain, lambda m, _: sc.bound("error", m, delta="1/100", n=2)),
    "sensitivity": (plain, lambda m, _: sc.bound("sensitivity", m, n=2)),
    "cross-entropy": None,  # it is given the name of a recipe
}
OF_COMPOSE: Mapping[str, tuple[Made, Call] | None] = {
    "Builder": None, "identity_layer": None,
    "cancel_residual": (plain, lambda m, _: compose.cancel_residual(only_network(m))),
    "route": (plain, lambda m, _: compose.route(m.layers[0].attention, writes=("z",))),
    "confident": (lambda: normed("post"), lambda m, _: compose.confident(m, 3)),
    "harden": (lambda: scored("softmax"), lambda m, _: compose.harden(m)),
    "one_norm": (lambda: normed("multi pre"), lambda m, _: compose.one_norm(m)),
    "pad": (plain, lambda m, _: compose.pad(m, depth=2)),
    "paired": (plain, lambda m, _: compose.paired(m)),
    "parallel": (plain, lambda m, _: compose.parallel(m, m, readout="first")),
    "rename": (plain, lambda m, _: compose.rename(m, {"x": "z"})),
    "reverse": (plain, lambda m, _: compose.reverse(m)),
    "serial": (plain, lambda m, _: compose.serial(m, m.layers[0])),
    "single_head": (plain, lambda m, _: compose.single_head(m)),
    "soften": (scored, lambda m, _: compose.soften(m)),
    "widen": (plain, lambda m, _: compose.widen(m, ("new",))),
}  # fmt: skip
"""A call of each public function of `compose`; None for those that are given no part."""


OF_ONE_PART = {"compose cancel_residual": "network", "compose route": "head"}
"""The calls that are given one part, and not a model: its place in a layer."""


def only_network(model: sc.Transformer) -> Any:
    """The feed-forward layer of the first layer."""
    return model.layers[0].feedforward


def dense_run(model: sc.Transformer, _: Path) -> None:
    """A run by products of matrices, whatever the size of the model."""
    from symcook.domains import make_domain
    from symcook.forward import forward

    with patch.object(sc.Transformer, "dense", True):
        forward(model, ("a", "b"), make_domain("float64"))


def possible(model: sc.Transformer, _: Path) -> None:
    """A run over all strings of a length at once, where heads choose."""
    from symcook.domains.rounding import FORMATS, Rounding
    from symcook.words.possible import outputs

    outputs(model, 2, Rounding(*FORMATS["float64"]))


def arrays_of_a_run(model: sc.Transformer, _: Path) -> None:
    """The arrays of a run that was made of the model before anything was invented."""
    from symcook.domains import make_domain
    from symcook.questions.activations import Activations
    from symcook.run import Run
    from symcook.walk import Result, Snapshot

    given: Any = make_domain("exact")
    given.begin(("a", "b"), 1)
    result = Result(model, ("a", "b"), given, {}, {}, None, (Snapshot(0, "embedding", {}),))
    Activations(Run(result, 30, "ab"))


def inlined(model: sc.Transformer, _: Path) -> None:
    """A Builder that takes over a model."""
    sc.Builder(inputs=XY).recipe("out", model)


def direct(name: str, *more: Any) -> Call:
    """A call of a function inside the library, by "module:name"."""

    def call(model: sc.Transformer, _: Path) -> None:
        from symcook.declaration import load

        found = load(name)(model, *more)
        list(found) if isinstance(found, Iterator) else None

    return call


OTHERS: Mapping[str, tuple[Made, Call]] = {
    "the dense pass": (plain, dense_run),
    "the run over possible values": (scored, possible),
    "the check by merged prefixes": (plain, direct("symcook.verify.merged:heads")),
    "the check on a grid": (single, direct("symcook.verify.grid:_bends", "x", {})),
    "the count of operations": (plain, direct("symcook.thought.counts:expected", 1, 1, 1)),
    "the decoder with a cache": (lambda: plain(labels=("a", "b")), direct("symcook.thought.floats:FloatDecoder")),
    "the untying of scores": (plain, direct("symcook.compose.untied:untie", {})),
    "the compiler of formulas": (plain, direct("symcook.compilers.formula:plan_of", {})),
    "the compiler of automata": (bos, direct("symcook.compilers.automaton:variant_of")),
    "the Builder": (single, inlined),
    "the arrays of a run": (plain, arrays_of_a_run),
    "the compiler": (machine, direct("symcook.compilers:as_compiled")),
    "the guarantee in floats": (dense, direct("symcook.export.infloats:in_floats", "float64", 1, iter([("a",)]))),
}
"""Calls of engines that no entry of a table reaches with so small a model."""


def labelled() -> sc.Transformer:
    """A model whose answers may be symbols."""
    return plain(labels=("a", "b"))


def distributed() -> sc.Transformer:
    """A model with probabilities, and a token before the input."""
    readout = sc.Readout("distribution", "last", XY, [[1, 0], [0, 1]], ("a", "b"))
    return replace(bos(), readout=readout)


def inside(name: str, *more: Any, method: str = "") -> Call:
    """A call of a function inside the library, by "module:name", whose result counts."""

    def call(model: sc.Transformer, _: Path) -> Any:
        from symcook.declaration import load

        found = load(name)(model, *more)
        found = getattr(found, method)() if method else found
        return list(found) if isinstance(found, Iterator) else found

    return call


def among_strings(name: str, models: int = 1) -> Call:
    """A call with the model, once or twice, and all strings of up to two symbols."""

    def call(model: sc.Transformer, folder: Path) -> Any:
        from symcook.words.inputs import strings

        return inside(name, *[model] * (models - 1), strings(model, range(1, 3), None))(model, folder)

    return call


OF_POSITIONS: Mapping[str, tuple[Made, Call]] = {
    "counters": (plain, inside("symcook.decide.decision:counting")),
    "states": (scored, inside("symcook.decide.finite:Finite", method="automaton")),
    "states in a statement": (scored, inside("symcook.proof.statements.languages:automaton")),
    "the past in a statement": (plain, inside("symcook.proof.statements.languages:_is_causal")),
    "a specification": (plain, lambda m, _: plain().decide(m)),
    "decoding": (labelled, inside("symcook.decode:stream", "a", 2)),
    "continuation": (labelled, inside("symcook.decode:continued", "a", ["a"])),
    "probability": (distributed, inside("symcook.decode:probability", "ab")),
    "chosen positions": (plain, inside("symcook.words.positions:at_positions", "last")),
    "rounded sums": (plain, inside("symcook.words.rounded:streams")),
    "merged prefixes": (plain, inside("symcook.verify.merged:merged", sc.Fold(0, min, bool), range(1, 3))),
    "exact sums": (plain, inside("symcook.words.exact:mergeable")),
    "nearest strings": (dense, among_strings("symcook.questions.nearest:nearest_of")),
    "answers of two models": (dense, among_strings("symcook.export.answers_in_hulls:answers_alike", 2)),
    "slope": (plain, inside("symcook.questions.slope:_steepness", "ab", "x", 0, 1)),
    "certified answers": (dense, lambda m, d: any(inside("symcook.export.infloats:certified", [("a", "b")])(m, d))),
    "closed forms": (plain, inside("symcook.closed:every_length")),
    "symbol by symbol": (plain, lambda m, _: follow(m)),
    "picture": (plain, lambda m, _: picture(m)),
}
"""Calls that ask a readout where it looks, besides those of the tables."""


def picture(model: sc.Transformer) -> str:
    """A picture of a run."""
    from symcook.report.picture import svg

    return svg(model.run("ab"))


def follow(model: sc.Transformer) -> Any:
    """The verdict of a run symbol by symbol."""
    from symcook.domains import make_domain
    from symcook.machine import Machine

    machine = Machine(model, make_domain("exact"))
    return machine.step(machine.start(), "a")[1].accept


def calls() -> dict[str, tuple[Made, Call]]:
    """All calls by name, made of the tables of the library."""
    from symcook import VERBS
    from symcook.bounds import KINDS
    from symcook.cli.commands import COMMANDS
    from symcook.domains import DOMAINS
    from symcook.export.files import FORMATS

    found: dict[str, tuple[Made, Call] | None] = {f"verb {name}": OF_VERBS[name] for name in VERBS}
    found |= {f"command {name}": OF_COMMANDS[name] for name in COMMANDS}
    found |= {f"number system {name}": (plain, run_in(name)) for name in DOMAINS}
    found |= {f"format {name}": (plain, export_to(name)) for name in FORMATS}
    asks = (name for name, kind in KINDS.items() if any(one.name == "model" for one in kind.arguments))
    found |= {f"bound {name}": OF_BOUNDS[name] for name in asks}
    found |= {f"compose {name}": OF_COMPOSE[name] for name in compose.__all__}
    return {name: call for name, call in {**found, **OTHERS}.items() if call is not None}


ENGINE = re.compile(r'^[A-Z]+ = (?:Parts|Steps)Read\(\s*"([^"]*)"', re.MULTILINE)
"""An engine, as the source has it."""


@cache
def written() -> Mapping[str, list[str]]:
    """The names of the engines that each module of the library has."""
    root = Path(sc.__file__).parent
    texts = {path.relative_to(root.parent): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    found = {".".join(path.with_suffix("").parts): ENGINE.findall(text) for path, text in texts.items()}
    return {name.removesuffix(".__init__"): names for name, names in found.items() if names}


def engines() -> list[str]:
    """The names of all engines, as the source has them."""
    return sorted(name for names in written().values() for name in names)
