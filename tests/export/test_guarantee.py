"""What a certificate guarantees: against every word by itself, exact margins, real runs; and nothing changed unseen."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

from symcook.__main__ import main
from symcook.domains import rounding
from symcook.errors import BadInput, Rejected
from symcook.export import archive, certificate, run_npz
from symcook.export.files import read, sealed
from symcook.export.guarantee import guarantee
from symcook.export.verify import verify_export
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.recipes import build
from symcook.words.exact import Prefixes
from symcook.words.rounded import Hulls, streams

NAMES = ("a", "b", "c", "d")


def causal(seed: int) -> Transformer:
    """A model that looks back by averages: strict masks, two heads, relu and step, BOS and EOS, any readout."""
    rng = random.Random(seed)

    def number() -> str:
        return rng.choice(["0", "1", "-1", "2", "1/2", "1/3", "-3/7", "sqrt(2)"])

    def table(rows: int, columns: int) -> list[list[str]]:
        return [[number() for _ in range(columns)] for _ in range(rows)]

    words = {token: {"a": number(), "b": number()} for token in ("x", "y")}
    before, after = rng.choice([(None, None), ("B", None), (None, "E"), ("B", "E")])
    words |= {token: {"a": number()} for token in (before, after) if token}
    layers = []
    for _ in range(2):
        heads = tuple(_head(rng, table) for _ in range(rng.choice([1, 2])))
        h = rng.choice([1, 2])
        network = FeedForward(
            NAMES, ("b", "d"), table(h, 4), table(1, h)[0], table(2, h), table(1, 2)[0], rng.choice(["relu", "step"])
        )
        layers.append(Layer(SelfAttention(heads), rng.choice([None, network])))
    kind = rng.choice(["sign", "zero", "largest"])
    position = "last" if after else rng.choice(["last", "each"])
    more: dict[str, Any] = {}
    if kind == "sign":
        more = {"weights": table(1, 4)}
    if kind == "largest":
        more = {"weights": table(3, 4), "labels": ("p", "q", "r")}
    places = rng.choice([{}, {"d": "1/i"}])
    embedding = Embedding(Space(NAMES), words=words, positions=places, before=before, after=after)
    return Transformer(f"causal-{seed}", embedding, tuple(layers), Readout(kind, position, NAMES, **more))


def _head(rng: random.Random, table: Any) -> Head:
    writes = rng.choice([("c",), ("c", "d")])
    mask = rng.choice(["future", "strict-future"])
    return Head(NAMES, writes, [[0] * 4], [[1] * 4], table(len(writes), 4), mask, rng.choice(["average", "softmax"]))


@pytest.mark.layer_one(6)
@pytest.mark.parametrize("seed", range(12))
def test_running_sums_hold_every_word(seed: int) -> None:
    """Each word by itself lies in the hull of all states, with the verdict that a state has; so do float32 runs."""
    model = causal(seed)
    assert streams(model)
    added, n_max = model.embedding.added, 5 + model.embedding.added
    m = archive.arrays(model, "float32", n_max)
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    prefixes = Prefixes(model, Hulls(model, "float32"))
    for n, level in zip(range(max(1, added), n_max + 1), prefixes.levels(), strict=False):
        entries, columns = len(level.origin), level.result.columns().items()
        shown = {name: (np.broadcast_to(v.low, entries), np.broadcast_to(v.high, entries)) for name, v in columns}
        hull = {name: (low.min(), high.max()) for name, (low, high) in shown.items()}
        for typed in product("xy", repeat=n - added):
            tokens = model.embedding.surround(typed)
            domain = rounding.domain("float32")
            result = forward(model, tokens, domain)
            with np.errstate(all="ignore"):
                z = archive.evaluate(m, archive.embed(m, np.array([[number[t] for t in tokens]])))
            floats = archive.shown(m, z)[0, -1].tolist() if model.readout.kind != "sign" else []
            with domain.context():
                for k, (name, value) in enumerate(result.values(-1).items()):
                    low, high = rounding.ends(value)
                    exact = rounding.ends(domain.read([value], 0).mid())
                    assert hull[name][0] <= exact[1] and exact[0] <= hull[name][1], (typed, name)
                    assert low <= hull[name][1] and hull[name][0] <= high
                    if floats:
                        assert hull[name][0] <= floats[k] <= hull[name][1], (typed, name)
        for state in range(0, entries, 3):
            assert len(level.word(state)) == level.n == n - added  # and it is one of the words of the state:
            tokens = model.embedding.surround(level.word(state))
            domain = rounding.domain("float32")
            result = forward(model, tokens, domain)
            with domain.context():
                for name, value in result.values(-1).items():
                    low, high = rounding.ends(value)
                    assert low <= shown[name][1][state] and shown[name][0][state] <= high


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_dyck_1_by_running_sums_and_by_words(dtype: str) -> None:
    """Margins against the exact ones: over all words of a length, the least size of what makes it rejected."""
    model = build("dyck-1")
    found = guarantee(model, dtype, 8)
    assert found["length"] == 8 and found["ranges"] == [[1, 8]] and found["open"] == []
    for each in found["lengths"]:
        n, least = each["length"], Fraction(10)
        for word in product((1, -1), repeat=n):
            sums = [sum(word[: i + 1]) for i in range(n)]
            balance = Fraction(sums[-1], n)
            total = sum((Fraction(max(0, -s), i) for i, s in enumerate(sums, 1)), Fraction(0)) / n
            if balance or total:
                least = min(least, max(abs(balance), abs(total)))
        margin = Fraction(each["margin"])
        assert least * Fraction(9, 10) < margin <= least, (n, margin, least)


@pytest.mark.sweep
def test_dyck_1_to_a_great_length() -> None:
    found = guarantee(build("dyck-1"), "float64", 120)
    assert found["length"] == 120 and found["lengths"][-1]["runs"] < 1000
    assert found["method"].startswith("strings with the same running sums grouped")
    small = guarantee(build("dyck-1"), "bfloat16", 300)
    assert small["length"] == 256 and "counts positions exactly to 256" in small["why"]
    found = guarantee(_counting(), "bfloat16", 300)
    assert found["length"] == 256 and "counts positions exactly to 256" in found["why"]


def _counting() -> Transformer:
    """Whether the first token is x: no sum is asked."""
    head = Head(("a",), ("b",), [[0]], [[0]], [[1]], "none", "leftmost")
    embedding = Embedding(Space(("a", "b")), words={"x": {"a": 1}, "y": {"a": -1}})
    return Transformer("starts", embedding, (Layer(head),), Readout("sign", "last", ("b",), [[1]]))


@pytest.mark.sweep
def test_a_length_that_fails_is_named_with_a_word() -> None:
    """PARITY's empty word has the logit 0, so that no float is sure of it; every other length is guaranteed."""
    found = guarantee(build("parity").bind(), "float64", 12)
    assert found["length"] == 0 and found["ranges"] == [[2, 12]]
    assert found["why"] == "a string of length 0 is exactly on the threshold" and found["added_tokens_counted"] == 1
    (first,) = found["open"]
    assert (first["input"], first["alone"], first["exact"]["logit"]) == ("", True, "0")
    low, high = map(Fraction, first["outputs"]["logit"])
    assert low < 0 < high
    for each in found["lengths"]:
        n = each["length"]
        logits = [build("parity").run("1" * k + "0" * (n - 1 - k), "ball").output["logit"] for k in range(n)]
        least = min(abs(Fraction(one["mid"])) for one in logits)
        assert least * Fraction(99, 100) < Fraction(each["margin"]) <= least


@pytest.mark.sweep
def test_beyond_the_guarantee_a_real_run_fails(tmp_path: Path) -> None:
    """dyck-1-nonuniform with eps = 1/4096 in float64: the guarantee ends before the first length at which numpy's own
    answer is wrong, and the certificate names both."""
    document = build("dyck-1-nonuniform").export(tmp_path / "m.npz")
    first = document["compared"]["first_difference"]
    assert 0 < document["guaranteed"]["length"] < len(first) == document["greatest_length"] + 1
    assert "threshold" in document["guaranteed"]["why"]
    m = dict(np.load(tmp_path / "m.npz"))
    tokens = np.array([["()".index(t) for t in first]])
    assert archive.verdicts(m, archive.evaluate(m, archive.embed(m, tokens)))[0] != build("dyck-1").run(first).accept


def test_what_is_asked_of_values_is_an_error(tmp_path: Path) -> None:
    space = Space(("a", "m"))
    head = Head(("a",), ("m",), [[1]], [[1]], [["1/3"]], "future", "softmax")
    model = Transformer("mean", Embedding(space, words={"x": {"a": 1}, "y": {"a": "1/7"}}), (Layer(head),),
                        Readout("value", "last", ("m",)))  # fmt: skip
    found = guarantee(model, "float32", 4)
    assert found["length"] is None and len(found["lengths"]) == 4
    m = archive.arrays(model, "float32", 4)
    for each in found["lengths"]:
        worst = 0.0
        for word in product("xy", repeat=each["length"]):
            z = archive.evaluate(m, archive.embed(m, np.array([["xy".index(t) for t in word]])))
            exact = float(model.run("".join(word), "ball").output["m"]["mid"])
            worst = max(worst, abs(float(z[0, -1, 1]) - exact))
        assert worst <= float(each["error"]) < 1e-5


def test_positions_count_against_models_of_rows() -> None:
    found = guarantee(build("average"), "float64", 4)
    assert found["length"] is None and found["lengths"] == [] and "inputs are any numbers" in found["why"]


# --- Nothing changes unseen ------------------------------------------------------------------------------------------


def test_every_byte_counts(tmp_path: Path) -> None:
    build("dyck-1").export(tmp_path / "m.npz", max_length=3)
    for name in ("m.npz", "m.certificate.json"):
        whole = (tmp_path / name).read_bytes()
        for k in range(0, len(whole), 25):
            changed = bytearray(whole)
            changed[k] ^= 1 << (k % 8)
            (tmp_path / name).write_bytes(changed)
            with pytest.raises((BadInput, Rejected)):
                read(tmp_path / "m.npz")
        for size in (0, len(whole) // 2, len(whole) - 1):
            (tmp_path / name).write_bytes(whole[:size])
            with pytest.raises((BadInput, Rejected)):
                read(tmp_path / "m.npz")
        (tmp_path / name).write_bytes(whole + b"\n")
        with pytest.raises((BadInput, Rejected)):
            read(tmp_path / "m.npz")
        (tmp_path / name).write_bytes(whole)
    assert verify_export(tmp_path / "m.npz") == verify_export(tmp_path / "m.certificate.json")
    certificate = tmp_path / "m.certificate.json"
    certificate.write_text(certificate.read_text(encoding="utf-8"), encoding="utf-16")  # as an editor may save it
    with pytest.raises(Rejected, match="changed since it was written"):
        read(certificate)


@pytest.mark.parametrize("name", ["m.npz", "m.certificate.json"])
@pytest.mark.sweep
def test_the_script_sees_a_changed_byte(name: str, tmp_path: Path) -> None:
    build("dyck-1").export(tmp_path / "m.npz", max_length=3)
    line = [sys.executable, str(ROOT / "examples" / "run_npz.py"), str(tmp_path / "m.npz"), "()"]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout.startswith("accept")
    data = bytearray((tmp_path / name).read_bytes())
    data[40] ^= 4
    (tmp_path / name).write_bytes(data)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "changed" in done.stderr and "Traceback" not in done.stderr


def forged(folder: Path, **changes: Any) -> None:
    """The certificate with other fields, and a hash that fits them."""
    document = json.loads((folder / "m.certificate.json").read_text())
    del document["certificate_sha256"]
    (folder / "m.certificate.json").write_bytes(sealed(document | changes)[0])


def test_a_forged_certificate_with_right_hashes_is_computed_again(tmp_path: Path, capsys: Any) -> None:
    whole = build("first").export(tmp_path / "m.npz", max_length=4)
    forged(tmp_path)
    verify_export(tmp_path / "m.npz")
    longer = whole["guaranteed"] | {"length": 6}
    for change in (
        {"guaranteed": longer},
        {"compared": whole["compared"] | {"greatest_length": 9}},
        {"symbols": {"nothing": "1"}},
        {"dtype": "float32"},
        {"roundings": {"embedding": {}}},
        {"model_hash": "0" * 64},
        {"model_file": whole["model_file"] | {"name": "other"}},
        {"arguments": {"k": "3"}},
        {"recipe": "parity"},
        {"recipe": "no-such"},
        {"files": {"../m.npz": "0" * 64}},
        {"format": "symcook certificate 1"},
    ):
        forged(tmp_path, **{**whole, **change, "certificate_sha256": None})
        try:
            verify_export(tmp_path / "m.npz")
        except (BadInput, Rejected):
            continue
        pytest.fail(f"not seen: {change}")
    assert main(["verify-export", str(tmp_path / "m.npz")]) == 2
    assert "format" in capsys.readouterr().err


def test_other_weights_with_a_right_hash_are_seen(tmp_path: Path, capsys: Any) -> None:
    import hashlib

    build("dyck-1").export(tmp_path / "m.npz", max_length=3)
    m = dict(np.load(tmp_path / "m.npz"))
    m["step2.W2"] = m["step2.W2"] * (1 + 2.0**-52)
    np.savez_compressed(tmp_path / "m.npz", **m)
    digest = hashlib.sha256((tmp_path / "m.npz").read_bytes()).hexdigest()
    forged(tmp_path, weights_sha256=digest, files={"m.npz": digest})
    assert main(["verify-export", str(tmp_path / "m.npz")]) == 1
    assert "step2.W2" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["missing.npz", ".", "m.txt", ""])
def test_verify_export_of_nothing(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.txt").write_text("hello")
    assert main(["verify-export", target]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_each_rounded_weight_is_named(tmp_path: Path) -> None:
    document = build("scale").export(tmp_path / "m.npz", dtype="float32", values={"c": "1/3"})
    (entry,) = [e for e in document["roundings"].values()][:1]
    third = np.float32(1) / np.float32(3)
    assert {e["exact"] for e in entry["first"]} <= {"1/3", "-1/3"}
    for each in entry["first"]:
        assert abs(float.fromhex(each["stored"])) == float(third)
    relative = abs(Fraction(float(third)) - Fraction(1, 3)) * 3
    assert float(relative) <= entry["greatest_relative_error"] < float(relative) * (1 + 1e-12)
    assert entry["rounded"] == len(entry["first"])


def test_a_large_model_is_written_without_being_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.export import guarantee as module

    monkeypatch.setattr(module, "LARGE", 10)
    document = build("parity").export(tmp_path / "m.npz", max_length=4)
    assert document["guaranteed"]["ranges"] == [] and "19 weights" in document["guaranteed"]["why"]
    assert document["compared"]["inputs"] == 0 and not document["compared"]["complete"]
    assert verify_export(tmp_path / "m.npz")["guaranteed"]["why"] == document["guaranteed"]["why"]
    monkeypatch.setattr(module, "LARGE", 10**5)
    monkeypatch.setattr(module, "MOST_PRODUCTS", 600)
    some = guarantee(build("parity").bind(), "float64", 8)
    assert (some["ranges"] and some["ranges"][-1][1] < 8 and "600 products" in some["why"]) or some["open"]


@pytest.mark.layer_one(3)
@pytest.mark.parametrize("language", [r"(\(\))*", r"\(*", r"(\(\)|\))*", r"\(\)\(\)", r"(\(\(\)\)|\))*"])
def test_every_string_of_a_language_takes_part(language: str, tmp_path: Path) -> None:
    """Prefixes that the model cannot tell apart stay apart where the language tells them apart: each string of it by
    itself, which is run in a box of its own, is decided at a length that is called certain."""
    model = build("dyck-1")
    found = model.export(tmp_path / "m.npz", max_length=6, inputs=language)["guaranteed"]
    strings = ["".join(w) for n in range(1, 7) for w in product("()", repeat=n) if re.fullmatch(language, "".join(w))]
    for part in (found, found["divided_first"]):
        certain = {n for low, high in part["ranges"] for n in range(low, high + 1)}
        asked = {each["length"] for each in part["lengths"] if each["runs"]} | {each["length"] for each in part["open"]}
        assert asked == {*map(len, strings)}
        for n in {*map(len, strings)}:
            each = [w for w in strings if len(w) == n]
            alone = [_alone(model, tmp_path, w, part is found) for w in each]
            assert (n in certain) == all(alone), (n, each, alone)


@pytest.mark.parametrize("inputs", [["(())"], r"\(\(\)\)|\)\)\)\)"])
def test_an_export_for_strings_of_its_greatest_length_alone_is_verified(inputs: Any, tmp_path: Path) -> None:
    document = build("dyck-1").export(tmp_path / "m.npz", max_length=4, inputs=inputs)
    assert [each["length"] for each in document["guaranteed"]["lengths"] if each["runs"]] == [4]
    assert verify_export(tmp_path / "m.npz")["guaranteed"] == document["guaranteed"]


def _alone(model: Transformer, folder: Path, word: str, after: bool) -> bool:
    """Whether the decision about one string is certain, by a certificate about it alone."""
    found = model.export(folder / "one.npz", max_length=len(word), inputs=[word], force=True)["guaranteed"]
    part = found if after else found["divided_first"]
    return any(low <= len(word) <= high for low, high in part["ranges"])


def test_no_length_is_guaranteed_at_which_numpy_was_seen_to_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where numpy does not follow the error model, as where it breaks ties of equal positions: nothing from there on.
    A difference at a length that is left open anyway takes nothing away."""
    model, seen = build("parity"), certificate.compare

    def differing(greatest: int, first: str) -> Any:
        told = {"greatest_length": greatest, "first_difference": first, "complete": False}
        return lambda *given: {**seen(*given), **told}

    def exported(greatest: int, first: str) -> Any:
        monkeypatch.setattr(certificate, "compare", differing(greatest, first))
        return model.export(tmp_path / "m.npz", max_length=6, force=True)["guaranteed"]

    whole = exported(0, "")
    assert whole["ranges"] == whole["divided_first"]["ranges"] == [[2, 7]]
    less = exported(4, "0110")
    for found in (less, less["divided_first"]):
        assert (found["ranges"], [one["length"] for one in found["lengths"]]) == ([[2, 4]], [2, 3, 4])
        assert (found["length"], found["not_asked"]["lengths"]) == (whole["length"], [5, 7])
        assert "0110" in found["not_asked"]["why"] and found["why"] == whole["why"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_equal_positions_have_equal_scores_in_hard_attention(dtype: str) -> None:
    """However many there are: a product of matrices may round its last rows in another way than the others."""
    draw = np.random.default_rng(5)
    for n, wide in product(range(1, 34), (1, 3, 8, 12, 17)):
        row, queries, keys = (draw.normal(size=size).astype(dtype) for size in (wide, (7, wide), (7, wide)))
        x = np.stack([np.tile(row, (n, 1))] * 2)
        q, k = run_npz.apart(x, queries.T), run_npz.apart(x, keys.T)
        scores = run_npz.compared(q, k)
        assert np.allclose(q, x @ queries.T, atol=1e-4) and np.allclose(scores, q @ np.swapaxes(k, 1, 2), atol=1e-2)
        assert (scores == scores[0, 0, 0]).all()
