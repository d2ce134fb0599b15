"""Model files: the round trip, the hash, saving, and everything that a hostile file may hold."""

import hashlib
import itertools
import json
import os
import runpy
import sys
import time
from copy import deepcopy
from fractions import Fraction

import pytest
import sympy
from checkout import ROOT
from families import together

from symcook.errors import BadInput
from symcook.model.checks import Space, matrix
from symcook.model.ends import Embedding, Readout
from symcook.model.modelfile import MAX_BYTES, dumps, load, loads, model_hash, save, to_document
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.matrix import RationalMatrix
from symcook.recipes import build, names


def soft_model():
    """A model with what no recipe has: softmax, temperature, scale, pi, start 0, an optional default."""
    space = Space(("a", "pos", "c"))
    head = Head(("a", "pos"), ("c",), Q=[[1, 0]], K=[[0, "eps"]], V=[["1/3", "-eps^2"]], weighting="softmax",
                temperature="1/log(8*n)", scale="1/sqrt(d_key)")  # fmt: skip
    return Transformer(
        "soft",
        Embedding(space, words={"[a]": {"a": 1, "pos": "pi"}, "é": {}}, positions={"pos": "sin(pi*i/n)"}, start=0),
        (
            Layer(
                SelfAttention((head,)), FeedForward(("c",), ("c", "a"), [[1]], ["-sqrt(2)"], [["1/eps"], [0]], [0, 1])
            ),
        ),
        Readout("sign", "first", ("c", "a"), weights=[["eps", -1]]),
        parameters=(Parameter("eps", lower=0, upper="sqrt(2)", upper_open=True), Parameter("unused", default="-7/3")),
        max_length=12,
        source="a test",
    )


def wide_model():
    """The other blocks: several heads, every mask and weighting, norms at every placement, labels, added tokens."""
    space = Space(("a", "b", "c"))
    norm = LayerNorm(space.names, gain=["g", 1, -2], bias=["1/3", 0, 0], epsilon="1/100", zero_variance="zero")
    inner = LayerNorm(space.names, ("u", "v"), projection=[[1, 0, "g"], [0, "1/2", 0]], epsilon=0)
    other = LayerNorm(("b", "a"), ("s",), projection=[[1, -1]])

    def head(reads, mask, weighting):
        one = [[1] + [0] * (len(reads) - 1)]
        return Head(reads, ("b", "c"), one, one, [one[0], one[0]], mask, weighting)

    def network(reads, activation):
        return FeedForward(reads, ("a",), [[1] * len(reads)], [0], [["g"]], [0], activation)

    layers = (
        Layer(SelfAttention((head(("a",), "past", "leftmost"), head(("c", "a"), "strict-past", "rightmost")))),
        Layer(head(("a",), "strict-future", "softmax"), network(("a", "c"), "step"), norm, norm, "post"),
        Layer(None, network(("b",), "gelu"), (), norm, "pre"),
        Layer(head(("u", "v"), "none", "average"), network(("v",), "gelu-tanh"), inner, inner, "projected pre"),
        Layer(head(("s", "u"), "future", "average"), None, (inner, other), (), "multi pre"),
    )
    return Transformer(
        "wide",
        Embedding(space, words={"[CLS]": {"a": 1}, "x": {"b": 1}, "EOS": {}}, before="[CLS]", after="EOS"),
        layers,
        Readout("distribution", "each", ("a", "b"), [[1, 0], [0, "g"], [1, 1]], ("x", "EOS", "no")),
        parameters=(Parameter("g", default=1),),
        final_norm=norm,
    )


def document():
    return to_document(build("dyck-1-nonuniform"))


def text_with(change):
    """A model file's text after `change` has been made to its document."""
    changed = document()
    change(changed)
    return json.dumps(changed)


@together("name", names())
@pytest.mark.sweep
def test_recipes_survive_the_round_trip(name):
    model = build(name)
    text = dumps(model)
    again = loads(text)
    assert again == model
    assert dumps(again) == text
    assert model_hash(again) == model_hash(model)
    assert again.alphabet == model.alphabet


def test_a_model_with_everything_survives_the_round_trip():
    model = soft_model()
    again = loads(dumps(model))
    assert again == model and model_hash(again) == model_hash(model)
    assert again.layers[0].attention.heads[0].temperature == 1 / sympy.log(8 * again.symbols["n"])
    assert again.parameters[0].upper_open and again.parameters[0].default is None
    assert again.embedding.start == 0


def test_every_block_survives_the_round_trip():
    model = wide_model()
    again = loads(dumps(model))
    assert again == model and model_hash(again) == model_hash(model) and dumps(again) == dumps(model)
    assert [layer.placement for layer in again.layers] == ["none", "post", "pre", "projected pre", "multi pre"]
    assert [h.mask for h in again.layers[0].attention.heads] == ["past", "strict-past"]
    assert again.layers[3].attention_norms[0].projection == model.layers[3].attention_norms[0].projection
    assert again.embedding.before == "[CLS]" and again.readout.labels == ("x", "EOS", "no")
    assert again.tokens("x") == ("[CLS]", "x", "EOS")


@pytest.mark.sweep
def test_the_hash_sees_every_leaf_of_every_block():
    text = to_document(wide_model())
    seen = {model_hash(wide_model())}
    count = 1
    for path in leaves(text):
        changed = deepcopy(text)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        old = inner[path[-1]]
        if isinstance(old, str) and path[0] in ("layers", "final_norm") and old in ("0", "1"):
            inner[path[-1]] = "7/9"
            seen.add(model_hash(loads(json.dumps(changed))))
            count += 1
    assert count > 60 and len(seen) == count


def test_what_was_built_without_evaluation_keeps_its_hash():
    eps = sympy.Symbol("eps", real=True)
    odd = sympy.Mul(2, eps + 1, evaluate=False)
    network = FeedForward(("x",), ("x",), [[odd]], [0], [[1]], [0])
    readout = Readout("value", "last", ("x",))
    embedding = Embedding(Space(("x",)), inputs=("x",))
    model = Transformer("odd", embedding, (Layer(None, network),), readout, parameters=(Parameter("eps"),))
    again = loads(dumps(model))
    assert dumps(again) == dumps(model) and model_hash(again) == model_hash(model)


def test_the_hash_is_of_the_sorted_document_and_sees_every_part():
    model = soft_model()
    text = json.dumps(to_document(model), sort_keys=True, separators=(",", ":"))
    assert model_hash(model) == hashlib.sha256(text.encode()).hexdigest()
    seen = {model_hash(model)}
    places = list(leaves(to_document(model)))
    for path in places:
        changed = to_document(model)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        old = inner[path[-1]]
        new = {True: False, False: True, None: "1", "0": "5"}.get(old, "7/9") if not isinstance(old, int) else old + 1
        if isinstance(old, bool):
            new = not old
        inner[path[-1]] = new
        seen.add(hashlib.sha256(json.dumps(changed, sort_keys=True, separators=(",", ":")).encode()).hexdigest())
    assert len(seen) == len(places) + 1


def leaves(value, path=()):
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, (dict, list)):
        yield path
    for key, entry in entries:
        yield from leaves(entry, (*path, key))


def test_hashes_of_recipes_differ():
    assert len({model_hash(build(name)) for name in names()}) == len(names())
    assert model_hash(build("dyck-1-nonuniform", N=8)) != model_hash(build("dyck-1-nonuniform", N=9))


def test_save_and_load(tmp_path):
    model, path = build("dyck-1"), tmp_path / "mine.json"
    assert model.save(path) == path
    assert load(path) == load(str(path)) == model
    assert os.listdir(tmp_path) == ["mine.json"]
    assert load(path).run("(())").accept is True
    with pytest.raises(BadInput, match="must not exist yet"):
        save(build("average"), path)
    assert load(path) == model
    save(build("average"), path, force=True)
    assert load(path) == build("average")
    assert os.listdir(tmp_path) == ["mine.json"]


def test_places_that_cannot_be_written(tmp_path):
    model = build("dyck-1")
    with pytest.raises(BadInput, match="folder of a model file must exist"):
        save(model, tmp_path / "missing" / "mine.json")
    with pytest.raises(BadInput, match="must not be a folder"):
        save(model, tmp_path, force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput):
        save(model, tmp_path / "file" / "mine.json")
    with pytest.raises(BadInput):
        save(model, tmp_path / ("a" * 300))
    with pytest.raises(BadInput, match=r"must be the name of a file; given: .*-; give another name"):
        save(model, tmp_path / "-", force=True)
    assert os.listdir(tmp_path) == ["file"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    save(build("dyck-1"), path)

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BadInput, match="No space left"):
        save(build("average"), path, force=True)
    monkeypatch.undo()
    assert load(path) == build("dyck-1")
    assert os.listdir(tmp_path) == ["mine.json"]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(BadInput, match="must be readable"):
        load(tmp_path / "missing.json")
    with pytest.raises(BadInput, match="must be readable"):
        load(tmp_path)
    with pytest.raises(BadInput):
        load("a\0b")
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"symcook": "\xe9"}')
    with pytest.raises(BadInput, match="UTF-8"):
        load(latin)
    large = tmp_path / "large.json"
    with large.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(BadInput, match="at most"):
        load(large)


def test_every_truncation_is_refused():
    text = dumps(build("dyck-1")).strip()
    for end in range(0, len(text), 7):
        with pytest.raises(BadInput):
            loads(text[:end])


def put(*path):
    """A change that sets the last element of `path` at the keys before it."""

    def change(changed):
        for key in path[:-2]:
            changed = changed[key]
        changed[path[-2]] = path[-1]

    return change


def drop(*path):
    def change(changed):
        for key in path[:-1]:
            changed = changed[key]
        del changed[path[-1]]

    return change


STREAM = list(build("dyck-1-nonuniform").space)
NORM = {"reads": STREAM, "writes": STREAM, "gain": [["1"]] * len(STREAM), "bias": [["0"]] * len(STREAM),
        "epsilon": "1", "projection": None, "zero_variance": "refuse"}  # fmt: skip
HEAD = ("layers", 0, "attention", 0)
NETWORK = ("layers", 0, "feedforward")
CHANGES = {
    "another version": put("symcook", 2),
    "version as text": put("symcook", "1"),
    "version as a list": put("symcook", []),
    "no version": drop("symcook"),
    "no name": drop("name"),
    "no readout": drop("readout"),
    "unknown key": put("extra", 1),
    "unknown key in a head": put(*HEAD, "bias", []),
    "name is a number": put("name", 1),
    "name with a control character": put("name", "a\x1b[31m"),
    "name of a lone surrogate": put("name", "\ud800"),
    "name too long": put("name", "a" * 5000),
    "source is null": put("source", None),
    "space is text": put("space", "abc"),
    "space repeats": put("space", ["token", "token", "balance", "error", "total", "unviolated", "level", "accepted"]),
    "space of one million names": put("space", ["a"] * 1_000_001),
    "a reserved coordinate": put("space", 0, "logit"),
    "a coordinate with code": put("space", 0, "__import__('os')"),
    "code as a weight": put(*NETWORK, "W1", 0, 0, "__import__('os').system('true')"),
    "an attribute as a weight": put(*NETWORK, "W1", 0, 0, "x.__class__"),
    "an undeclared symbol": put(*NETWORK, "W1", 0, 0, "open"),
    "a weight as a number": put(*NETWORK, "W1", 0, 0, 1),
    "a weight as true": put(*NETWORK, "W1", 0, 0, True),
    "a weight as null": put(*NETWORK, "W1", 0, 0, None),
    "a weight as an object": put(*NETWORK, "W1", 0, 0, {}),
    "an empty weight": put(*NETWORK, "W1", 0, 0, ""),
    "a weight nan": put(*NETWORK, "W1", 0, 0, "nan"),
    "a weight oo": put(*NETWORK, "W1", 0, 0, "oo"),
    "a weight in scientific form": put(*NETWORK, "W1", 0, 0, "1e5"),
    "a weight with 5,000 digits": put(*NETWORK, "W1", 0, 0, "9" * 5000),
    "a tower": put(*NETWORK, "W1", 0, 0, "9^9^9^9"),
    "a tower of exponentials": put(*NETWORK, "W1", 0, 0, "exp(exp(exp(9)))"),
    "a large power": put(*NETWORK, "W1", 0, 0, "(9^9999)^9999"),
    "nested sums": put(*NETWORK, "W1", 0, 0, "sum(j, 1, 9999, sum(k, 1, 9999, j*k))"),
    "a deep weight": put(*NETWORK, "W1", 0, 0, "relu(" * 200 + "eps" + ")" * 200),
    "a weight in deep brackets": put(*NETWORK, "W1", 0, 0, "(" * 9000 + "1" + ")" * 9000),
    "a zero denominator": put(*NETWORK, "W1", 0, 0, "1/0"),
    "an imaginary weight": put(*NETWORK, "W1", 0, 0, "sqrt(-1)"),
    "a complex weight": put(*NETWORK, "W1", 0, 0, "(-8)^(1/3)"),
    "i in a weight": put(*NETWORK, "W1", 0, 0, "i"),
    "rows of different length": put(*NETWORK, "W1", [["1"], ["1", "2"]]),
    "a wrong shape": put(*NETWORK, "W1", [["1", "2"]]),
    "no hidden unit but weights": put(*NETWORK, "b1", []),
    "a row as text": put(*NETWORK, "W1", ["1"]),
    "an unknown activation": put(*NETWORK, "activation", "swish"),
    "an unknown coordinate": put(*NETWORK, "reads", ["balanc"]),
    "an unknown mask": put(*HEAD, "mask", "causal"),
    "an unknown weighting": put(*HEAD, "weighting", ["average"]),
    "a temperature of zero": put(*HEAD, "temperature", "0"),
    "a negative scale": put(*HEAD, "scale", "-1"),
    "a symbolic scale": put(*HEAD, "scale", "eps"),
    "an irrational scale": put(*HEAD, "scale", "exp(1)"),
    "a temperature that is hard to compare": put(*HEAD, "temperature", "+".join(f"sqrt({k})" for k in range(2, 99))),
    "a second head with a key too many": lambda d: d["layers"][0]["attention"].append(
        {**d["layers"][0]["attention"][0], "x": 1}
    ),
    "a second head that is null": lambda d: d["layers"][0]["attention"].append(None),
    "an unknown placement": put("layers", 0, "placement", "before"),
    "a placement that is null": put("layers", 0, "placement", None),
    "a placement without norms": put("layers", 0, "placement", "pre"),
    "norms that are null": put("layers", 0, "attention_norms", None),
    "norms without placement": put("layers", 0, "attention_norms", [{**NORM}]),
    "version true": put("symcook", True),
    "version 1.0": put("symcook", 1.0),
    "no key for norms": drop("layers", 0, "feedforward_norms"),
    "a final norm over part of the residual stream": put(
        "final_norm", {**NORM, "reads": ["token"], "writes": ["token"]}
    ),
    "a final norm with a list": put("final_norm", []),
    "a final norm without epsilon": put("final_norm", {k: v for k, v in NORM.items() if k != "epsilon"}),
    "a negative epsilon": put("final_norm", {**NORM, "epsilon": "-1"}),
    "an epsilon as a number": put("final_norm", {**NORM, "epsilon": 1}),
    "an undeclared epsilon": put("final_norm", {**NORM, "epsilon": "delta"}),
    "an imaginary epsilon": put("final_norm", {**NORM, "epsilon": "sqrt(-1)"}),
    "an epsilon that is hard to compare": put(
        "final_norm", {**NORM, "epsilon": "+".join(f"sqrt({k})" for k in range(2, 99))}
    ),
    "a gain that is too short": put("final_norm", {**NORM, "gain": [["1"]]}),
    "a projection of another width": put("final_norm", {**NORM, "projection": [["1"]]}),
    "an unknown outcome of zero variance": put("final_norm", {**NORM, "zero_variance": "nan"}),
    "an added token that is no string": put("embedding", "before", "BOS"),
    "an added token as a number": put("embedding", "after", 1),
    "every token added": lambda d: d["embedding"].update(before="(", after=")"),
    "no key for added tokens": drop("embedding", "after"),
    "labels without scores": put("readout", "labels", ["yes"]),
    "labels that are null": put("readout", "labels", None),
    "labels that do not fit": lambda d: d["readout"].update(kind="largest", labels=["a", "b", "c"]),
    "no heads": put("layers", 0, "attention", []),
    "an empty layer": put("layers", 0, {"attention": None, "feedforward": None}),
    "layers as an object": put("layers", {}),
    "neither words nor inputs": put("embedding", "words", None),
    "both strings and inputs": put("embedding", "inputs", ["token"]),
    "no token": put("embedding", "words", {}),
    "a token with a space": put("embedding", "words", {"a b": {}}),
    "an empty token": put("embedding", "words", {"": {}}),
    "a token at an unknown coordinate": put("embedding", "words", {"a": {"tokn": "1"}}),
    "a position with an undeclared symbol": put("embedding", "positions", {"total": "j"}),
    "start 7": put("embedding", "start", 7),
    "start true": put("embedding", "start", True),
    "an unknown readout": put("readout", "kind", "argmax"),
    "a readout without weights": put("readout", "weights", None),
    "an unknown position": put("readout", "position", "middle"),
    "a symbol declared twice": lambda d: d["symbols"].append(d["symbols"][0]),
    "a symbol with a reserved name": put("symbols", 0, "name", "exp"),
    "a default outside the interval": put("symbols", 0, "default", "1"),
    "a bound with a symbol": put("symbols", 0, "upper", "eps"),
    "an open side as text": put("symbols", 0, "upper_open", "yes"),
    "a length of zero": put("max_length", 0),
    "a length as text": put("max_length", "64"),
    "a length as true": put("max_length", True),
}


@together("what", CHANGES)
def test_a_changed_file_is_refused_in_one_sentence_and_at_once(what):
    text = text_with(CHANGES[what])
    start = time.process_time()
    with pytest.raises(BadInput) as caught:
        loads(text)
    assert time.process_time() - start < 5
    message = str(caught.value)
    assert "\n" not in message and message.isprintable() and 10 < len(message) < 500


def test_the_unchanged_file_is_read():
    assert loads(text_with(lambda d: None)) == build("dyck-1-nonuniform")


RAW = {
    "nothing": "",
    "white space": "  \n",
    "no object": "[]",
    "a number": "3",
    "null": "null",
    "brackets 10,000 deep": "[" * 10_000,
    "closed brackets 10,000 deep": "[" * 10_000 + "]" * 10_000,
    "objects 10,000 deep": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "deep inside a model": dumps(build("zero")).replace('"symbols": []', '"symbols": ' + "[" * 9_999 + "]" * 9_999),
    "brackets hidden after a quoted quote": '["\\"", ' + "[" * 10_000,
    "one million escaped quotes": '"' + '\\"' * 1_000_000,
    "a repeated key": '{"symcook": 1, "symcook": 1}',
    "a repeated key inside": dumps(build("zero")).replace('"kind": "value"', '"kind": "value", "kind": "value"'),
    "NaN": dumps(build("zero")).replace('"symcook": 1', '"symcook": NaN'),
    "Infinity": dumps(build("zero")).replace('"start": 1', '"start": -Infinity'),
    "a float": dumps(build("zero")).replace('"start": 1', '"start": 1.0'),
    "an integer of 5,000 digits": dumps(build("zero")).replace('"start": 1', '"start": ' + "1" * 5_000),
    "a huge exponent": dumps(build("zero")).replace('"start": 1', '"start": 1e999999999'),
    "more after the end": dumps(build("zero")) + "{}",
    "two million values": "[" + "0," * 2_000_000 + "0]",
    "Python": "{'symcook': 1}",
    "a byte order mark": "\ufeff{}",
    "a pickle": "cos\nsystem\n(S'true'\ntR.",
}


@pytest.mark.sweep
@together("what", RAW)
def test_hostile_text_is_refused_in_one_sentence_and_at_once(what):
    start = time.process_time()
    with pytest.raises(BadInput) as caught:
        loads(RAW[what])
    assert time.process_time() - start < 5
    message = str(caught.value)
    assert "\n" not in message and message.isprintable() and len(message) < 500


def test_nesting_is_refused_with_little_stack_left():
    """The check of nesting itself does not recurse."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        with pytest.raises(BadInput, match="nest"):
            loads("[" * 10_000)
    finally:
        sys.setrecursionlimit(limit)


def test_numbers_that_a_file_could_not_hold_are_not_written():
    def model(weight):
        network = FeedForward(("x",), ("x",), [[weight]], [0], [[1]], [0])
        return Transformer(
            "m", Embedding(Space(("x",)), inputs=("x",)), (Layer(None, network),), Readout("value", "last", ("x",))
        )

    for weight in (sympy.Integer(10) ** 5000, "exp(exp(2))", sympy.exp(sympy.exp(sympy.exp(9)))):
        with pytest.raises(BadInput):
            dumps(model(weight))
    large = sympy.Integer(10) ** 3000 + 1
    assert loads(dumps(model(large))) == model(large)


def test_the_example_saves_a_model_that_counts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # a second run replaces the file
        runpy.run_path(str(ROOT / "examples" / "own_model.py"), run_name="__main__")
    model = load(tmp_path / "mine.json")
    for n in range(1, 6):
        for word in itertools.product("abc", repeat=n):
            assert model.run("".join(word)).accept is (word.count("a") > word.count("b"))


def test_a_norm_in_a_file_names_the_coordinates_that_it_writes() -> None:
    """In Python no names stand for those that are read; a file says what it means."""
    document = to_document(wide_model())
    document["final_norm"]["writes"] = []
    with pytest.raises(BadInput, match=r"writes in the final norm in a model file must be all coordinates .*a, b, c"):
        loads(json.dumps(document))


@pytest.mark.parametrize(("path", "value"), [(("embedding", "start"), True), (("max_length",), False)])
def test_true_is_no_whole_number_in_a_model_file(path: tuple[str, ...], value: bool) -> None:
    """Refused by the reader itself, which names the place, and not only by the block."""
    document = to_document(build("zero"))
    put(*path, value)(document)
    with pytest.raises(BadInput, match=f"{path[-1]} in a model file must be a whole number"):
        loads(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["(-8)^(1/3)", "(-1)^sqrt(2)", "sqrt(1 - sqrt(2))", "log(-1)", "(-1)^(1/2)*c", "asin(2)"]
)
def test_a_weight_must_be_real(text: str) -> None:
    document = to_document(build("dyck-1-nonuniform"))
    put(*NETWORK, "W1", 0, 0, text)(document)
    with pytest.raises(BadInput):
        loads(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("sum(k, 1, 16, sqrt(k + 1))", None),
        ("sum(k, 1, 17, sqrt(k + 1))", "at most 16 functions and roots"),
        ("1 + sum(k, 1, 3, 0*pi)*sqrt(2)", None),
        ("sum(k, 1, 2, sum(j, 1, 2, j*k*pi))", "at most 512 terms"),
    ],
)
def test_sums_in_a_weight_count_as_often_as_they_run(text: str, limit: str | None) -> None:
    document = to_document(build("dyck-1-nonuniform"))
    put(*NETWORK, "W1", 0, 0, text)(document)
    if limit is None:
        loads(json.dumps(document))
    else:
        with pytest.raises(BadInput, match=limit):
            loads(json.dumps(document))


@pytest.mark.parametrize("weights", [[], [[]], [["1"], []]])
def test_the_readout_has_weights_where_it_has_any(weights: list[list[str]]) -> None:
    document = to_document(build("dyck-1-nonuniform"))
    document["readout"]["weights"] = weights
    with pytest.raises(BadInput):
        loads(json.dumps(document))


def in_a_position(text: str) -> str:
    document = to_document(build("first-position"))
    document["embedding"]["positions"] = {document["space"][0]: text}
    return json.dumps(document)


@pytest.mark.parametrize(
    "text",
    ["sum(j, 1, i, sum(k, 1, j, k/n))", "prod(j, 1, i, exp(-j/n))", "sum(j, 1, 50, i/j)", "sum(j, 2, 0, sqrt(i*j))",
     "max(sum(j, 1, n, i/j), 1)", "sum(j, 1, 100, sum(k, 1, j, k))", "if(i < if(n = 3, i, 2), 1, 0)"],
)  # fmt: skip
def test_sums_in_position_functions_are_saved_and_read(text: str) -> None:
    model = loads(in_a_position(text))
    assert loads(dumps(model)) == model and dumps(loads(dumps(model))) == dumps(model)


@pytest.mark.parametrize(
    "text",
    ["sum(j, 1, 9999, sqrt(j*i))", "sum(j, 1, 9, sum(k, 1, j, sqrt(k)))", "prod(j, 1, 400, i + sqrt(j))",
     "sum(j, 1, 200, sum(k, 1, 200, j*k))", "sum(j, 1, 1/2, i)", "sum(j, 1, 20, exp(j/i) + sqrt(i))"],
)  # fmt: skip
def test_sums_that_are_long_to_write_out_are_refused_at_once(text: str) -> None:
    start = time.process_time()
    with pytest.raises(BadInput):
        loads(in_a_position(text))
    assert time.process_time() - start < 2


def test_a_number_that_can_be_saved_can_be_read() -> None:
    """Up to the limit: numerator and denominator together."""
    for bits in (5_990, 6_005):
        number = Fraction(2**bits + 1, 3 ** (bits * 1000 // 1585))
        embedding = Embedding(Space(("x",)), words={"a": {"x": number}})
        network = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
        model = Transformer("long", embedding, (Layer(None, network),), Readout("value", "last", ("x",)))
        try:
            text = dumps(model)
        except BadInput as error:
            assert "12,000 bits" in str(error) and bits > 6_000
        else:
            assert loads(text) == model and bits < 6_000


def test_the_limit_of_expressions_counts_different_ones(monkeypatch):
    """The least limit at which a file is read grows by one with each expression that is not there yet."""
    least = []
    two, three = "sqrt(2)", "sqrt(3)"
    for entries in ([two], [two, three], [two, three, two], [two, "2", three]):
        row = {f"x{k}": entry for k, entry in enumerate(entries)}
        space = Space(tuple(f"x{k}" for k in range(4)))
        text = dumps(Transformer("m", Embedding(space, {"a": row}), (), Readout("value", "last", ("x0",))))
        limit = 0
        while True:
            monkeypatch.setattr("symcook.model.modelfile.MAX_EXPRESSIONS", limit)
            try:
                loads(text)
                break
            except BadInput as error:
                assert "different expressions" in str(error)
                limit += 1
        least.append(limit)
    assert [b - least[0] for b in least] == [0, 1, 1, 1]


def test_a_large_model_is_written_by_the_entries_that_are_not_zero(monkeypatch):
    """The same model with the same hash; and what is no such matrix is refused."""
    for made in (build("parity").bind(), build("parity"), build("induction-most-recent")):
        whole = dumps(made)
        with monkeypatch.context() as context:
            context.setattr("symcook.model.modelfile.MAX_DENSE", 0)
            text = dumps(made)
        assert '"columns"' in text and '"columns"' not in whole
        assert loads(text) == loads(whole) and model_hash(loads(text)) == model_hash(made)
    document = to_document(build("dyck-1"))
    right = {"columns": 1, "rows": ["0:1"]}
    document["layers"][0]["attention"][0]["V"] = right
    assert loads(json.dumps(document)) == build("dyck-1")
    for wrong, what in (
        ({"rows": ["0:1"]}, "key columns"),
        ({"columns": "1", "rows": ["0:1"]}, "whole number"),
        ({"columns": -1, "rows": []}, "at most 8,000,000 entries"),
        ({"columns": 9000, "rows": [""] * 9000}, "at most 8,000,000 entries"),
        ({"columns": 10**9, "rows": []}, "at most 8,000,000 entries"),
        ({"columns": 2, "rows": ["0:1"]}, "shape 1 x 1"),
        ({"columns": 1, "rows": ["0:1", "0:1"]}, "shape 1 x 1"),
        ({"columns": 1, "rows": [["0:1"]]}, "each row of V"),
        ({"columns": 1, "rows": ["0:1 0:1"]}, "each of the 1 columns at most once"),
        ({"columns": 1, "rows": ["1:1"]}, "each of the 1 columns at most once"),
        ({"columns": 1, "rows": ["0:1 "]}, "each entry of a row"),
        ({"columns": 1, "rows": ["-1:1"]}, "each entry of a row"),
        ({"columns": 1, "rows": ["0:sqrt(2)"]}, "each entry of a row"),
        ({"columns": 1, "rows": ["0:1/0"]}, "each entry of a row"),
        ({**right, "more": 1}, "no other keys"),
    ):
        document["layers"][0]["attention"][0]["V"] = wrong
        with pytest.raises(BadInput, match=what):
            loads(json.dumps(document))
    monkeypatch.setattr("symcook.model.checks.exact", None)  # no expressions are made of entries
    with pytest.raises(BadInput, match="shape 1 x 1; given: 1 x 3"):
        matrix(RationalMatrix.of([(1, 1)] * 3, (1, 3)), (1, 1), "V")
