"""The code of the torch format, run where torch is not: what it computes and says is what the model does, by the plain
pass of the tests. `numpytorch` stands for torch."""

from __future__ import annotations

import builtins
import hashlib
import symtable
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import automata_examples
import dense
import numpy as np
import numpytorch
import pytest
import test_lens
from families import together
from test_export import EVERYTHING, WORDS

import symcook as sc
from symcook.errors import Rejected
from symcook.export.archive import arrays
from symcook.export.decoding import decoding, stored
from symcook.export.files import FORMATS
from symcook.export.lens import code as lens_code
from symcook.export.machine_steps import program_run
from symcook.export.torch_code import code, example, tensors
from symcook.export.verify import _same_code

number: Any = dense.decimal(30)


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in numpytorch.modules().items():
        monkeypatch.setitem(sys.modules, name, module)


def encoded(m: Any) -> tuple[str, bytes]:
    found = FORMATS["torch"].encode(dict(m), "m")
    text, digest = found[".py"].decode(), hashlib.sha256(found[".pt"]).hexdigest()
    assert digest in text and "m.pt" in text and f"{digest}.pt" not in text
    return found[".py"].decode(), found[".pt"]


@pytest.mark.sweep
@together("what", EVERYTHING)
def test_every_block(what: str) -> None:
    """Streams and answers at each position, for words of several lengths."""
    model = EVERYTHING[what]
    text, weights = encoded(arrays(model, "float64", 9))
    names = list(model.space)
    for word in ("", "yx", "yyxxxy"):
        tokens = dense.typed(model, word)
        said, stream = numpytorch.answered(text, weights, word)
        wanted = dense.run(model, tokens, number)
        for place, row in enumerate(wanted):
            for k, name in enumerate(names):
                assert abs(stream[place, k] - float(row[name])) <= 1e-9 * max(1, abs(float(row[name]))), (word, name)
        places = {"first": slice(0, 1), "last": slice(-1, None)}.get(model.readout.position, slice(None))
        rows = dense.read(model, tokens, number)[places]
        if isinstance(said, dict):
            for name, column in said.items():
                assert column == pytest.approx([float(values[name]) for values, _ in rows], rel=1e-9, abs=1e-9)
            assert list(said) == list(model.readout.labels or model.readout.reads)
            continue
        answers = [answer for _, answer in rows]
        if model.readout.kind == "largest":
            answers = [model.readout.labels[k] if isinstance(k, int) else k for k in answers]
        assert said == (all(answers) if model.readout.position == "all" else answers), word


ODD = next(one for one in automata_examples.FILES if one.stem == "odd-ones")
ONE_STEP = "input: 1\nwork symbols: a\nstart: p\nhalt: h\np * * -> h a R R\n"


@together("kind, source, words", [("dfa", ODD.read_text(), ["", "1", "01", "110"]), ("tm", ONE_STEP, ["", "1"])])
@pytest.mark.sweep
def test_decoders_go_on_behind_the_whole_word(
    kind: str, source: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An automaton answers at each position, a machine at the last alone: the run is that of the program for both."""
    model = sc.compile(kind, source)
    m = arrays(model, "float64", 30)
    promised = decoding(model, m, "float64", max(map(len, words)), 20)
    text, weights = encoded({**m, **stored(model, promised)})
    names: dict[str, Any] = {"__name__": "m", "__file__": "m.py"}
    exec(compile(text, "m.py", "exec"), names)
    names["load"] = lambda: numpytorch.loaded(names, weights)
    capsys.readouterr()
    for word in words:
        answers = program_run(model, tuple(word), 20).answers
        told = [names["NAMES"][label] for label in answers if names["ENDS"][label] != 2]
        assert names["decode"](word, "20") == 0
        assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == told
        if kind == "dfa":
            assert told == automata_examples.walked(ODD, word)
        assert names["decode"](word, "1") == 3
        assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == told[:1]
    for steps in ("21", "-1", "", "9" * 5000):  # Python reads no integer of so many digits
        with pytest.raises(SystemExit, match="2"):
            names["decode"]("1", steps)


def head(factor: str, mask: str = "future") -> sc.Transformer:
    one = sc.Head(("a",), ("b",), [[1]], [[1]], [[1]], mask, "softmax", temperature=factor)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"a": 2, "b": -1}}, before="x")
    return sc.Transformer("cold", embedding, (sc.Layer(one),), sc.Readout("value", "each", ("b",)))


@together("factor", ["1", "3/7", "1/(i + 1)", "n/2", "(i + 2)/(7*n)"])
def test_temperatures_and_how_long_words_may_be(factor: str) -> None:
    model = replace(head(factor), embedding=replace(head(factor).embedding, before=None))
    text, weights = encoded(arrays(model, "float64", 4))
    for word in ("x", "xy", "yyxy"):
        said, _ = numpytorch.answered(text, weights, word)
        wanted = [float(row["b"]) for row in dense.run(model, tuple(word), number)]
        assert said["b"] == pytest.approx(wanted, rel=1e-12)
    if factor == "1":
        assert len(numpytorch.answered(text, weights, "x" * 9)[0]["b"]) == 9
    else:
        with pytest.raises(ValueError, match="an input must have length at most 4"):
            numpytorch.answered(text, weights, "xxxxx")


def test_a_temperature_below_zero() -> None:
    embedding = replace(head("1").embedding, before=None)
    text, weights = encoded(arrays(replace(head("i - 3"), embedding=embedding), "float64", 2))
    with pytest.raises(ValueError, match="a temperature must be positive; given: at length 2 it is not"):
        numpytorch.answered(text, weights, "xy")


@together("epsilon", ["0", "1/4"])
@together("outcome", ["zero", "refuse"])
def test_norms_without_variance(outcome: str, epsilon: str) -> None:
    norm = sc.LayerNorm(("a", "b"), gain=[1, 2], bias=[3, 4], epsilon=epsilon, zero_variance=outcome)
    nothing = sc.FeedForward(("a",), ("a",), [[0]], [0], [[0]], [0])
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1, "b": 1}, "y": {"a": 1}})
    readout = sc.Readout("value", "each", ("a", "b"))
    model = sc.Transformer("flat", embedding, (sc.Layer(None, nothing),), readout, final_norm=norm)
    text, weights = encoded(arrays(model, "float64", 3))
    assert ("refuse=False" in text) == (outcome == "zero" or epsilon != "0")
    if outcome == "refuse" and epsilon == "0":
        with pytest.raises(ValueError, match="zero at index 1 of input 0"):
            numpytorch.answered(text, weights, "yx")
    else:
        said = numpytorch.answered(text, weights, "yx")[0]
        assert (said["a"][1], said["b"][1]) == (3, 4)


def test_rows_of_numbers() -> None:
    text, weights = encoded(arrays(sc.build("average"), "float64", 4))
    read = sc.build("average").readout.reads[0]
    for given in ("1; 2; 6", [[1], [2], [6]]):
        assert numpytorch.answered(text, weights, given)[0][read] == pytest.approx([3, 3, 3])
    with pytest.raises(SystemExit, match="every row must have 1 numbers"):
        numpytorch.answered(text, weights, "1,2")
    for given in ("1; nan", "-inf", "1e999", [[1], [float("nan")]]):
        with pytest.raises(SystemExit, match="every number must be finite in the format"):
            numpytorch.answered(text, weights, given)


@together("names", [("a", "b"), ("b", "a"), ("c", "a")])
def test_inputs_stand_at_their_coordinates(names: tuple[str, ...]) -> None:
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), inputs=names)
    model = sc.Transformer("rows", embedding, (), sc.Readout("value", "last", ("a", "b", "c")))
    text, weights = encoded(arrays(model, "float32", 4))
    said, stream = numpytorch.answered(text, weights, "5,6")
    assert said == {c: [{names[0]: 5.0, names[1]: 6.0}.get(c, 0.0)] for c in "abc"} and stream.dtype == np.float32


@together(("words", "before", "typed"), [
    (("x", "y"), None, "'xx'"), (("x", "yes"), None, "['x']"), (("^^", "x"), "^^", "'xx'"), (("x", "y"), "x", "'yy'"),
])  # fmt: skip
def test_what_is_typed(words: tuple[str, ...], before: str | None, typed: str) -> None:
    """Tokens that the model adds are not typed; text of one letter a token is a word where all have one letter."""
    embedding = sc.Embedding(sc.Space(("a",)), words={w: {"a": k} for k, w in enumerate(words)}, before=before)
    model = sc.Transformer('say "" " and \\', embedding, (), sc.Readout("value", "each", ("a",)))
    m = arrays(model, "float64", 3)
    assert example(m) == typed
    text, weights = encoded(m)
    symbols = [w for w in words if w != before]
    spaced = " ".join(symbols) if max(map(len, symbols)) > 1 else "".join(symbols)
    wanted = [float(words.index(w)) for w in ([before] if before else []) + symbols]
    for given in (spaced, symbols):
        assert numpytorch.answered(text, weights, given)[0]["a"] == wanted
    for given in ("?", before):
        if given is not None:
            with pytest.raises(SystemExit, match="every symbol must be one of"):
                numpytorch.answered(text, weights, [given])
    assert (f"that the model adds ({before})" if before else "that the model adds, of which there are none") in text
    if before is None:
        with pytest.raises(SystemExit, match="at least one symbol"):
            numpytorch.answered(text, weights, "")


@together("name", ['a"""b', "a\\", "a\\nb", '"""', "it's", "a'''b"])
def test_a_name_ends_no_docstring(name: str) -> None:
    import ast

    embedding = sc.Embedding(sc.Space(("a",)), words={"x": {"a": 1}})
    m = arrays(sc.Transformer(name, embedding, (), sc.Readout("value", "each", ("a",))), "float64", 3)
    for text in (code(m, "m", "0" * 64), lens_code(m, "m", "0" * 64)):
        said = ast.get_docstring(ast.parse(text)) or ""
        assert name.replace("\\", "/").replace('"""', "'''") in said


def test_the_code_of_each_ending_is_compared(tmp_path: Path) -> None:
    """Of m.pt that of torch, of m.pth that of TransformerLens; any other text is none of the model."""
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"b": 1}})
    model = sc.Transformer("m", embedding, (), sc.Readout("value", "last", ("a",)))
    m = arrays(model, "float64", 3)
    digest = hashlib.sha256(b"weights").hexdigest()
    for ending, own, other in ((".pt", code, lens_code), (".pth", lens_code, code)):
        weights = tmp_path / f"m{ending}"
        for text, right in ((own, True), (other, False)):
            files = {weights: b"weights", weights.with_suffix(".py"): text(m, "m", digest).encode()}
            if right:
                _same_code(weights, files, m)
                files[weights] = b"other"
            with pytest.raises(Rejected, match="is not the code of this model"):
                _same_code(weights, files, m)


def test_the_state_dict_of_torch_is_all_floats() -> None:
    m = arrays(EVERYTHING["pre"], "float64", 3)
    assert tensors(m).keys() == {key for key, array in m.items() if array.dtype == np.float64}
    assert len(WORDS) == len(m["embedding"])


@together("kind", ["sign", "zero", "largest", "distribution", "value"])
def test_the_readout_of_a_lens(kind: str) -> None:
    """The function `answer` of a module for TransformerLens, of given logits."""
    shown = np.array([[[1.0, -2.0], [0.0, 0.0], [-3.0, 0.0]]])
    labels = ("u", "v") if kind in ("largest", "distribution") else ()
    shape = {"sign": ("a",), "zero": ("a", "b")}.get(kind, ("a", "b"))
    weights = {"sign": [[1]], "largest": [[1, 0], [0, 1]], "distribution": [[1, 0], [0, 1]]}.get(kind)
    for position in ("first", "last", "each", "all"):
        if position == "all" and kind not in ("sign", "zero"):
            continue
        embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"b": 1}})
        readout = sc.Readout(kind, position, shape, weights, **({"labels": labels} if labels else {}))
        m = arrays(sc.Transformer("m", embedding, (), readout), "float64", 3)
        text = lens_code(m, "m", "0" * 64)
        body = text[text.index("def answer") : text.index("\n\nif __name__")]
        names: dict[str, Any] = {"torch": sys.modules["torch"], "POSITION": position, "READS": list(shape)}
        exec(body, names | {"LABELS": list(labels)}, names)
        names |= {"LABELS": list(labels)}
        exec(body, names)
        said = names["answer"](numpytorch.Tensor(shown[:, :, : 1 if kind == "sign" else 2]))
        rows = shown[0, {"first": slice(0, 1), "last": slice(2, 3)}.get(position, slice(None))]
        if kind == "value":
            assert said == {"a": rows[:, 0].tolist(), "b": rows[:, 1].tolist()}
        elif kind == "distribution":
            share = [1 / (1 + np.exp(b - a)) for a, b in rows]
            assert said["u"] == pytest.approx(share) and said["v"] == pytest.approx([1 - x for x in share])
        elif kind == "largest":
            assert said == ["u" if a >= b else "v" for a, b in rows]
        else:
            yes = [a > 0 if kind == "sign" else a == b == 0 for a, b in rows]
            assert said == (all(yes) if position == "all" else yes)


def undefined(text: str) -> set[str]:
    """The names that a module reads and that neither it nor Python defines."""
    reads, sets = set[str](), set(dir(builtins)) | {"__name__", "__file__"}
    todo = [symtable.symtable(text, "m", "exec")]
    while todo:
        scope = todo.pop()
        todo += scope.get_children()
        for name in scope.get_symbols():
            at_top = scope.get_type() == "module" or name.is_global()
            if at_top and name.is_referenced():
                reads.add(name.get_name())
            if at_top and (name.is_assigned() or name.is_imported() or name.is_namespace()):
                sets.add(name.get_name())
    return reads - sets


def test_no_exported_code_reads_a_name_that_it_does_not_define() -> None:
    assert undefined("def f(x):\n    return x + len(y)\nz = f(1)\n") == {"y"}
    trained = test_lens.trained(1)
    assert undefined(lens_code(arrays(trained, "float64", 4), "m", "0" * 64)) == set()
    models = [sc.build(name) for name in ("dyck-1", "first-position", "induction-most-frequent")]
    models += [sc.build("gtzero", eps=1)]
    for model in [*models, trained]:
        length = None if model.embedding.words is None else 4
        assert undefined(code(arrays(model, "float64", length), "m", "0" * 64)) == set(), model.name
