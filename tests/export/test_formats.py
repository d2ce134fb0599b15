"""Each format run in its own runtime: what comes out lies in the sets of the certificate's error model."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import dense
import numpy as np
import pytest
from test_export import EVERYTHING, SPACE, WORDS

import symcook as sc
from symcook import verify_export
from symcook.__main__ import main
from symcook.domains import rounding
from symcook.errors import BadInput
from symcook.export import archive
from symcook.export.archive import arrays, cast, from_facts
from symcook.export.files import FORMATS, decode
from symcook.forward import forward
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm
from symcook.model.transformer import Transformer
from symcook.recipes import build

DTYPES = ("float64", "float32", "float16", "bfloat16")
SENTENCES = ("", "yx", "yyxxxy")
"""Words for the models of `EVERYTHING`, which put BOS in front."""


def runtimes() -> list[str]:
    found = ["npz"]
    found += ["onnx"] if importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnx") else []
    return [*found, "torch"] if importlib.util.find_spec("torch") else found


def loaded(kind: str, m: Mapping[str, Any]) -> Callable[[Any], Any]:
    """What gives the residual stream at the end (B, n, d) for tokens: the format's own runtime, from its own files."""
    contents = FORMATS[kind].encode(dict(m), "m")
    if kind == "npz":
        held = decode(Path("m.npz"), contents[".npz"])

        def by_numpy(tokens: Any) -> Any:
            with np.errstate(all="ignore"):
                return archive.evaluate(held, archive.embed(held, tokens))

        return by_numpy
    if kind == "onnx":
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        session = onnxruntime.InferenceSession(contents[".onnx"])
        return lambda tokens: session.run(["stream"], {"tokens": tokens})[0]
    import torch  # type: ignore[import-not-found]

    names: dict[str, Any] = {"__name__": "m", "__file__": "m.py"}
    exec(compile(contents[".py"], "m.py", "exec"), names)
    model = names["Model"]()
    model.load_state_dict(torch.load(io.BytesIO(contents[".pt"]), weights_only=True))

    def by_torch(tokens: Any) -> Any:
        with torch.no_grad():
            return model(torch.tensor(tokens)).double().numpy()

    return by_torch


def streams(kind: str, m: Mapping[str, Any], tokens: Any) -> Any:
    return loaded(kind, m)(tokens)


@cache
def enclosures(model: Transformer, tokens: Sequence[str], dtype: str) -> Any:
    """Lower and upper ends of what each entry of the stream may be, (n, d) each; the same for every runtime."""
    domain = rounding.domain(dtype)
    result = forward(model, tuple(tokens), domain, trace=True, weights=False)  # all coordinates
    with domain.context():
        ends = [[rounding.ends(x) for x in result.stream[name]] for name in model.space]
    return np.moveaxis(np.array(ends), 0, 1)


@pytest.mark.layer_one(3, 7, 8, 9, 10, 11)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["npz", "onnx", "torch"])
@pytest.mark.layer_two(every=2)
def test_every_block_in_every_runtime(kind: str, dtype: str) -> None:
    """Masks, weightings, activations and norms: real outputs within the sets, and the sets are no wider than needed to
    say something (float64: below 1e-10 of the size)."""
    if kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    if dtype not in FORMATS[kind].dtypes:
        pytest.skip("the format does not have it")
    number = {token: k for k, token in enumerate(WORDS)}
    checked = 0
    for what, model in EVERYTHING.items():
        try:
            run = loaded(kind, arrays(model, dtype, 9))
        except BadInput as error:
            assert kind == "onnx" and dtype == "float64" and "erf" in str(error) and what in ("gelu", "pre")
            continue
        for word in SENTENCES:
            tokens = dense.typed(model, word)
            found = run(np.array([[number[t] for t in tokens]]))[0]
            try:
                ends = enclosures(model, tuple(tokens), dtype)
            except Exception as error:
                assert type(error).__name__ == "Undecided", error  # a tie of rounded scores
                continue
            low, high = ends[..., 0], ends[..., 1]
            assert ((low <= found) & (found <= high)).all(), (what, word, found, ends)
            if dtype == "float64":
                assert (high - low <= 1e-10 * np.maximum(1, np.abs(found))).all(), (what, word)
            checked += 1
    assert checked > 60


def test_a_set_would_see_a_wrong_weight() -> None:
    model = EVERYTHING["past softmax"]
    m = arrays(model, "float64", 9)
    m["step1.head1.V"] = m["step1.head1.V"] * (1 + 2.0**-40)
    tokens = dense.typed(model, "xxyx")
    found = streams("npz", m, np.array([[list(WORDS).index(t) for t in tokens]]))[0]
    ends = enclosures(model, tuple(tokens), "float64")
    assert not ((ends[..., 0] <= found) & (found <= ends[..., 1])).all()


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("recipe", ["dyck-1", "parity", "first", "first-layernorm", "parity-layernorm"])
def test_the_guarantee_holds_in_real_runs(recipe: str) -> None:
    """Every word of the lengths that a certificate guarantees, to 9, in float32, in every runtime."""
    from itertools import product

    from symcook.export.guarantee import guarantee

    model = build(recipe).bind()
    found = guarantee(model, "float32", 9)
    m = arrays(model, "float32", 9)
    runs = {kind: loaded(kind, m) for kind in runtimes()}
    lengths = [n for low, high in found["ranges"] for n in range(low, high + 1)]
    assert lengths and max(lengths) == 9
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    for n in lengths[:1] + lengths[-2:]:
        words = [model.embedding.surround(w) for w in product(model.alphabet, repeat=n - model.embedding.added)]
        domain = "ball" if "layernorm" in recipe else "exact"
        exact = [model.run(model.embedding.typed(word), domain).accept for word in words]
        for kind, run in runs.items():
            z = run(np.array([[number[t] for t in word] for word in words]))
            answers = archive.verdicts(m, z.astype(np.float32)).tolist()
            for word, answer, wanted in zip(words, answers, exact, strict=True):
                assert answer == wanted, (kind, word)


def test_onnx_answers_as_the_readout_does() -> None:
    pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    number = {token: k for k, token in enumerate(WORDS)}
    for what in ("largest each", "largest last", "largest first", "distribution each"):
        model = EVERYTHING[what]
        session = ort.InferenceSession(FORMATS["onnx"].encode(arrays(model, "float64", 5), "m")[".onnx"])
        tokens = dense.typed(model, "xxyx")
        given = {"tokens": [[number[t] for t in tokens]]}
        out = dict(zip([o.name for o in session.get_outputs()], session.run(None, given), strict=True))
        expected = dense.read(model, tokens, dense.decimal(30))
        if "distribution" in what:
            wanted = [[float(v) for v in row.values()] for row, _ in expected]
            assert np.allclose(out["scores"][0], wanted, rtol=1e-12)
            continue
        answers = [answer for _, answer in expected]
        place = {"each": slice(None), "last": -1, "first": 0}[model.readout.position]
        assert np.array_equal(out["answer"][0], np.array(answers)[place])
    for recipe, word in (("dyck-1", "(())()"), ("dyck-1", "())("), ("parity", "0111"), ("parity", "011")):
        model = build(recipe)
        session = ort.InferenceSession(FORMATS["onnx"].encode(arrays(model.bind(), "float64", 8), "m")[".onnx"])
        number = {token: k for k, token in enumerate(model.embedding.words or ())}
        said = session.run(["answer"], {"tokens": [[number[t] for t in model.tokens(word)]]})[0]
        assert said.tolist() == [model.run(word).accept]
    rows = ort.InferenceSession(FORMATS["onnx"].encode(arrays(build("average"), "float64", 4), "m")[".onnx"])
    mean = rows.run(["stream"], {"rows": np.array([[[1.0], [2.0], [6.0]]])})[0]
    names = list(build("average").space)
    assert mean[0, :, names.index(build("average").readout.reads[0])].tolist() == pytest.approx([3, 3, 3], rel=1e-15)


@pytest.mark.parametrize("outcome", ["zero", "refuse"])
@pytest.mark.parametrize("kind", ["onnx", "torch"])
def test_zero_variance_in_every_runtime(kind: str, outcome: str) -> None:
    if kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    norm = LayerNorm(SPACE.names, bias=[1, 2, 3], zero_variance=outcome)
    network = FeedForward(("a",), ("a",), [[0]], [0], [[0]], [0])
    embedding = Embedding(SPACE, words={"x": {"a": 1, "b": 1, "c": 1}, "y": {"a": 1}})
    readout = Readout("value", "each", SPACE.names)
    model = Transformer("flat", embedding, (Layer(None, network),), readout, final_norm=norm)
    m, given = arrays(model, "float64", 2), np.array([[0, 1]])
    if kind == "torch" and outcome == "refuse":
        with pytest.raises(ValueError, match="zero at index 0 of input 0"):
            streams(kind, m, given)
        assert np.isfinite(streams(kind, m, given[:, 1:])).all()
        return
    z = streams(kind, m, given)
    assert np.isfinite(z[0, 1]).all()
    assert z[0, 0].tolist() == [1, 2, 3] if outcome == "zero" else np.isnan(z[0, 0]).all()


def test_torch_code_runs_alone_and_sees_a_changed_byte(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    build("dyck-1").export(tmp_path / "d-1.pt", format="torch", max_length=4)
    line = [sys.executable, "d-1.py", "(())"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    data = bytearray((tmp_path / "d-1.pt").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "d-1.pt").write_bytes(data)
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "has changed" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors_by_its_own_package(dtype: str, tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    m = arrays(EVERYTHING["multi pre"], dtype, 5)
    data = FORMATS["safetensors"].encode(m, "m")[".safetensors"]
    path = tmp_path / "m.safetensors"
    path.write_bytes(data)
    for name, facts in safetensors.deserialize(data):
        assert facts["dtype"] == {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}[dtype]
        assert facts["shape"] == list(m[name].shape)
        if dtype == "bfloat16":  # the upper halves of float32
            halves = np.frombuffer(facts["data"], "<u2").astype(np.uint32) << 16
            got = halves.view(np.float32)
        else:
            got = np.frombuffer(facts["data"], dtype)
        assert got.tolist() == m[name].reshape(-1).tolist()
    back = decode(path, data)
    assert back.keys() == m.keys()
    assert all(np.array_equal(back[key], m[key]) for key in m)
    with safetensors.safe_open(path, "np") as file:
        assert from_facts(file.metadata())["vocabulary"].tolist() == list(WORDS)


@pytest.mark.parametrize("kind", ["npz", "safetensors", "onnx", "torch"])
def test_files_that_are_cut_off_are_refused(kind: str) -> None:
    if kind in ("onnx", "torch") and kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    format = FORMATS[kind]
    data = format.encode(arrays(EVERYTHING["post"], "float32", 3), "m")[format.ending]
    for size in (0, 5, 8, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(BadInput, match=r"whole|header"):
            decode(Path("m" + format.ending), data[:size])


def test_bfloat16_is_rounded_to_nearest_even() -> None:
    """Against the definition: the nearest of all 8-bit numbers around a value, the even one of two."""
    generator = np.random.default_rng(5)
    values = np.concatenate([generator.standard_normal(300), 2.0 ** generator.uniform(-149, 127, 300), [0.0, -1.0]])
    values = np.concatenate([values, [1 + 2.0**-8, 1 + 3 * 2.0**-8, 2.0**-133, 2.0**-134, 3 * 2.0**-134]])
    every = np.arange(2**15 - 2**7, dtype=np.uint32) << 16  # the finite non-negative ones
    table = every.view(np.float32).astype(float)
    for value, got in zip(values.tolist(), cast(values, "bfloat16").astype(float).tolist(), strict=True):
        distance = np.abs(table - abs(value))
        nearest = np.flatnonzero(distance == distance.min())
        chosen = nearest[0] if len(nearest) == 1 else next(k for k in nearest if k % 2 == 0)
        assert got == np.copysign(table[chosen], value), value
    assert np.isinf(cast([3.4e38, -1e39], "bfloat16")).all() and cast([3.38e38], "bfloat16")[0] < np.inf


@pytest.mark.parametrize(("kind", "package"), [("onnx", "onnx"), ("torch", "torch")])
def test_a_missing_package_names_its_extra(
    kind: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == package else real(name, *more))
    ending = FORMATS[kind].ending
    with pytest.raises(BadInput, match=rf"symcook\[{package}\]"):
        build("dyck-1").export(tmp_path / f"m{ending}", format=kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.layer_one(3)
@pytest.mark.parametrize("kind", ["npz", "safetensors", "onnx", "torch"])
def test_a_certificate_in_every_format(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if kind in ("onnx", "torch") and kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    target = tmp_path / f"m{FORMATS[kind].ending}"
    assert main(["export", "first-layernorm", "-o", str(target), "--dtype", "float32", "--max-length", "4"]) == 0
    said = capsys.readouterr().out
    assert "guaranteed for strings of length 1 to 4 in any runtime\n" in said and "the empty string" in said
    assert main(["verify-export", str(target)]) == 0
    assert "the certificate holds: m" in capsys.readouterr().out
    assert main(["export", "first-layernorm", "-o", str(target), "--max-length", "4"]) == 2  # it is there
    assert "--force" in capsys.readouterr().err
    for path in sorted(tmp_path.iterdir()):
        data = bytearray(path.read_bytes())
        data[len(data) // 3] ^= 1
        path.write_bytes(data)
        assert main(["verify-export", str(target)]) in (1, 2), path
        data[len(data) // 3] ^= 1
        path.write_bytes(data)
    assert len(list(tmp_path.iterdir())) == (3 if kind == "torch" else 2)


def test_a_type_that_a_format_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="safetensors, torch, transformerlens have it"):
        build("dyck-1").export(tmp_path / "m.npz", dtype="bfloat16")
    with pytest.raises(BadInput, match=r"step1\.W2\[1, 0\] = 1000000.*use dtype=.float64"):
        build("gtzero").export(tmp_path / "m.npz", dtype="float32", values={"eps": "1/10^60"})
    assert list(tmp_path.iterdir()) == []


def test_gelu_in_float64_has_no_onnx(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    model = EVERYTHING["gelu"]
    with pytest.raises(BadInput, match=r"step1.*gelu in float64.*float32"):
        model.export(tmp_path / "m.onnx", format="onnx", max_length=3)
    assert list(tmp_path.iterdir()) == []
    model.export(tmp_path / "m.onnx", format="onnx", dtype="float32", max_length=3)


def test_heads_that_see_by_temperature_of_the_length() -> None:
    """Factors by position and by length, in all tables of the archive."""
    head = Head(("a", "c"), ("b",), [[1, 1]], [[1, 0]], [[1, 2]], "none", "softmax", temperature="1/log(i + 1)")
    model = Transformer("cold", Embedding(SPACE, words=WORDS), (Layer(head),), Readout("value", "each", ("b",)))
    m = arrays(model, "float64", 5)
    assert m["step1.head1.factor"].shape == (5,)
    assert m["step1.head1.factor"].tolist() == pytest.approx(np.log(np.arange(2, 7)).tolist(), rel=1e-15)
    for kind in runtimes():
        z = streams(kind, m, np.array([[0, 1, 1]]))
        ends = enclosures(model, ("x", "y", "y"), "float64")
        assert ((ends[..., 0] <= z[0]) & (z[0] <= ends[..., 1])).all()


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("kind", ["npz", "onnx", "torch"])
def test_the_edge_of_a_long_guarantee_in_real_runs(kind: str) -> None:
    """dyck-1 at the greatest lengths that float16 and float32 guarantee here: words on both sides of the threshold, by
    their depths. (((...))) and what differs from it by a swap or a flip are the words whose totals are least."""
    if kind not in runtimes():
        pytest.skip(f"{kind} is not installed")
    from symcook.export.guarantee import guarantee

    generator = np.random.default_rng(3)
    for dtype, n in (("float32", 160), ("float16", 96)):
        assert guarantee(build("dyck-1"), dtype, n)["length"] == n
        deep = [0] * (n // 2) + [1] * (n // 2)
        words = [
            deep,
            [0, 1] * (n // 2),
            [1, 0] + [0, 1] * (n // 2 - 1),
            [0, 1] * (n // 2 - 1) + [1, 0],
            [0, *deep[:-1]],
        ]
        for _ in range(40):
            word = [*deep] if generator.integers(2) else [0, 1] * (n // 2)
            for _ in range(2):
                a, b = generator.integers(n, size=2)
                word[a], word[b] = word[b], word[a]
            words.append(word)
        tokens = np.array(words)
        m = arrays(build("dyck-1"), dtype, n)
        said = archive.verdicts(m, streams(kind, m, tokens))
        depths = np.cumsum(1 - 2 * tokens, axis=1)
        wanted = (depths[:, -1] == 0) & (depths >= 0).all(axis=1)
        assert said.tolist() == wanted.tolist() and 5 < wanted.sum() < len(words) - 5


@pytest.mark.sweep
def test_exports_of_one_name_stand_side_by_side(tmp_path: Path) -> None:
    """Both stay verifiable; a certificate that is about something else is not replaced, and old names are read."""
    model = build("dyck-1")
    model.export(tmp_path / "m.npz", max_length=3)
    model.export(tmp_path / "m.safetensors", format="safetensors", max_length=4)
    names = {"m.certificate.json", "m.npz", "m.safetensors", "m.safetensors.certificate.json"}
    assert {p.name for p in tmp_path.iterdir()} == names
    assert verify_export(tmp_path / "m.npz")["guaranteed"]["lengths"][-1]["length"] == 3
    assert verify_export(tmp_path / "m.safetensors")["guaranteed"]["lengths"][-1]["length"] == 4
    older = tmp_path / "older"
    older.mkdir()
    for name, kept in (("m.safetensors", "m.safetensors"), ("m.safetensors.certificate.json", "m.certificate.json")):
        (older / kept).write_bytes((tmp_path / name).read_bytes())
    assert verify_export(older / "m.safetensors")["guaranteed"]["lengths"][-1]["length"] == 4
    assert sc.from_safetensors(older / "m.safetensors").name == "dyck-1"
    with pytest.raises(BadInput, match=r"a certificate about m\.safetensors"):
        model.export(older / "m.npz", max_length=3, force=True)
    (older / "m.certificate.json").write_text('{"proof": []}')
    with pytest.raises(BadInput, match="a certificate about a claim"):
        model.export(older / "m.npz", max_length=3, force=True)
    assert not (older / "m.npz").exists()
