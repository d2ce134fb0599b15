"""The first place at which two models part, and the certificate's tables, said again by plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together
from flint import arb
from shared import words
from test_lens import trained

import symcook as sc
from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.export import archive, run_npz
from symcook.export.certificate import certificate, prepared
from symcook.export.decoding import lines
from symcook.export.diff import _apart
from symcook.export.lens import Lens

F = Fraction
NAMES = ("x", "y", "m", "o")


def model(**given: Any) -> sc.Transformer:
    """Two tokens, a position function, the mean of x, a relu of it, and both read: by default exact numbers."""
    told = {"b": 2, "place": "i", "V": 1, "W": 1, "weighting": "average", "reads": 1, "kind": "sign"} | given
    head = sc.Head(("x",), ("m",), [[0]], [[0]], [[told["V"]]], "future", told["weighting"])
    block = sc.FeedForward(("m", "y"), ("o",), [[1, 1]], [0], [[told["W"]]], [0])
    embedding = sc.Embedding(
        sc.Space(NAMES), words={"a": {"x": 1}, "b": {"x": told["b"]}}, positions={"y": told["place"]}
    )
    readout = sc.Readout(told["kind"], "last", ("m", "o"), [[1, told["reads"]]] if told["kind"] == "sign" else None)
    return sc.Transformer("t", embedding, (sc.Layer(head, block),), readout)


def streams(one: dict[str, Any], word: str) -> Iterator[tuple[tuple[int, str], list[dict[str, Fraction]]]]:
    """What stands at each position at first, behind attention, behind the network and in the readout, by hand."""
    told = {"b": 2, "place": lambda i, n: i, "V": 1, "W": 1, "reads": 1} | one
    x = [F(1) if letter == "a" else F(told["b"]) for letter in word]
    y = [F(told["place"](i, len(word))) for i in range(1, len(word) + 1)]
    m = [told["V"] * sum(x[: i + 1]) / (i + 1) for i in range(len(word))]
    o = [told["W"] * max(F(0), a + b) for a, b in zip(m, y, strict=True)]
    zero = [F(0)] * len(word)
    for part, columns in (
        ((0, "embedding"), (x, y, zero, zero)),
        ((1, "attention"), (x, y, m, zero)),
        ((1, "feed-forward"), (x, y, m, o)),
    ):
        yield part, [dict(zip(NAMES, row, strict=True)) for row in zip(*columns, strict=True)]
    yield (1, "readout"), [{"logit": a + told["reads"] * b} for a, b in zip(m, o, strict=True)]


OTHERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"b": 3}, {"b": 3}),
    ({"place": "max(i, 2)"}, {"place": lambda i, n: max(i, 2)}),
    ({"place": "i*max(1, i - 1)"}, {"place": lambda i, n: i * max(1, i - 1)}),
    ({"place": "max(i, n - 1)"}, {"place": lambda i, n: max(i, n - 1)}),
    ({"place": "max(i, 2*i - 3)"}, {"place": lambda i, n: max(i, 2 * i - 3)}),
    ({"V": 2}, {"V": 2}),
    ({"W": 3}, {"W": 3}),
    ({"reads": 2}, {"reads": 2}),
    ({"reads": "1000001/1000000"}, {"reads": F(1000001, 1000000)}),
    ({}, {}),
]


@together("other, byhand", OTHERS)
@pytest.mark.sweep
def test_where_two_models_part(other: dict[str, Any], byhand: dict[str, Any]) -> None:
    """Input, part, position, coordinate and both values, in this order; how many inputs differ."""
    found = model().diff(model(**other), 4)
    firsts = []
    for word in words(4, "ab"):
        pairs = zip(streams({}, word), streams(byhand, word), strict=True)
        for (part, left), (_, right) in pairs:
            apart = [(k, c) for k, row in enumerate(left) for c in row if row[c] != right[k][c]]
            if apart:
                k, c = apart[0]
                firsts.append((word, part, k + 1, c, left[k][c], right[k][c]))
                break
    assert (found.inputs, found.different, found.open) == (30, len(firsts), 0)
    if not firsts:
        assert found.first is None and found.same
        return
    word, part, position, name, left, right = firsts[0]
    assert found.first is not None
    assert {k: found.first[k] for k in ("input", "layer", "part", "position", "coordinate")} == {
        "input": word, "layer": part[0], "part": part[1], "position": position, "coordinate": name
    }  # fmt: skip
    for key, value in (("first", left), ("second", right)):
        assert abs(F(found.first[key]) - value) <= abs(value) / 10**25


@together("way", [(0, 1), (1, 0)])
def test_a_rational_number_beside_one_that_is_none(way: tuple[int, int]) -> None:
    """cos(1)^2 + sin(1)^2 is 1 in balls of 256 bits, and 1 + 10^-60 is not: on either side, by the tolerance."""
    one = model(b="cos(1)^2 + sin(1)^2", kind="value")
    near, far = model(b=1, kind="value"), model(b=F(10**60 + 1, 10**60), kind="value")
    for other, tolerance, same in ((near, 0, True), (far, 0, False), (far, "1/10^59", True), (far, "1/10^61", False)):
        pair = (one, other)
        assert pair[way[0]].diff(pair[way[1]], 2, tolerance=tolerance).same is same, (other, tolerance)


@pytest.mark.sweep
def test_how_long_the_inputs_of_a_comparison_may_be() -> None:
    """To 64 typed symbols, and 500 inputs of them: here one of each length."""
    embedding = sc.Embedding(sc.Space(("x",)), words={"a": {"x": 1}})
    one, other = (
        sc.Transformer("t", replace(embedding, positions={"x": place}), (), sc.Readout("value", "last", ("x",)))
        for place in ("1", "1 + I[i = 64]")
    )
    found = one.diff(other, 64)
    assert found.inputs == 64 and found.different == 1 and found.first is not None
    assert (found.first["position"], found.first["input"]) == (64, "a" * 64)
    with pytest.raises(BadInput, match="from 1 to 64"):
        one.diff(other, 65)
    assert model().diff(model(), 64).inputs == 500


# --- Tables ---------------------------------------------------------------------------------------------------------


def scaled(factors: tuple[str, str], place: str | None = None) -> sc.Transformer:
    """Two layers with a head each, whose scores are multiplied by a term of i and n; layers of a network in between."""
    names = ("x", "c", "m", "p", "o")
    heads = [
        sc.Head(("x",), (name,), [[1]], [[1]], [[1]], "none", "softmax", temperature=f"1/({factor})")
        for name, factor in zip(("m", "p"), factors, strict=True)
    ]
    block = sc.FeedForward(("x",), ("o",), [[1]], [0], [[1]], [0])
    embedding = sc.Embedding(
        sc.Space(names), words={"a": {"x": 1}, "b": {"x": 2}}, positions={"c": place} if place else {}
    )
    layers = (sc.Layer(heads[0], block), sc.Layer(heads[1]))
    return sc.Transformer("t", embedding, layers, sc.Readout("value", "last", ("m", "p", "c")))


TERMS = {"i + 1": lambda i, n: F(i + 1), "n/2": lambda i, n: F(n, 2), "i*n": lambda i, n: F(i * n)}


@together(
    "first, second, place", [("i + 1", "n/2", None), ("n/2", "i*n", "i*n"), ("i*n", "2", "i + 1"), ("2", "2", None)]
)
def test_the_tables_of_a_certificate(first: str, second: str, place: str | None) -> None:
    """By the names of the arrays, each exact: a row for each length where that is in the term; of 2 there is none."""
    made = scaled((first, second), place)
    m = archive.arrays(made, "float64", 3)
    known = certificate(prepared(made, {}, "npz", "float64", 3))["position_tables"]
    wanted = {"c": place, "step1.head1.factor": first, "step3.head1.factor": second}
    assert set(known["tables"]) == {name for name, term in wanted.items() if term in TERMS}
    assert (known["N"], known["start"]) == (3, 1)
    for name, table in known["tables"].items():
        term = TERMS[str(wanted[name])]
        told = [[F(v) for v in row] for row in table["values"]]
        assert told == [[term(i, n) for i in range(1, n + 1)] for n in range(1, 4)]
        if name != "c":
            assert name in m


@together("factor, place", [("i + 1", None), ("2", "i + 1"), ("i + 1", "i*n"), ("i*n", "i + 1")])
def test_how_long_a_word_may_be_in_the_script(factor: str, place: str | None, tmp_path: Any, capsys: Any) -> None:
    """To the end of its tables, of positions or of a head; behind that it says so."""
    np.savez(tmp_path / "m.npz", **archive.arrays(scaled((factor, "2"), place), "float64", 3))
    run_npz.main(str(tmp_path / "m.npz"), "aba")
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run_npz.main(str(tmp_path / "m.npz"), "abab")
    said = "an input must have length at most 3: the archive has tables to there"
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_the_script_without_a_table_takes_any_length(tmp_path: Any, capsys: Any) -> None:
    head = sc.Head(("x",), ("m",), [[0]], [[0]], [[1]], "future", "softmax")
    embedding = sc.Embedding(sc.Space(("x", "m")), words={"a": {"x": 1}, "b": {"x": 2}})
    made = sc.Transformer("t", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("x", "m")))
    np.savez(tmp_path / "m.npz", **archive.arrays(made, "float64", 2))
    run_npz.main(str(tmp_path / "m.npz"), "abaab")
    found = {line.split()[0]: float(line.split()[1]) for line in capsys.readouterr().out.splitlines()}
    assert found == pytest.approx({"x": 2, "m": 7 / 5}, abs=1e-14)


# --- Decoding in the script -------------------------------------------------------------------------------------------


@together("letters", [("a", "b"), ("one", "b"), ("one", "two")])
def test_words_of_letters_and_of_names(letters: tuple[str, str], capsys: Any) -> None:
    """A decoder's script takes a word, or letters with spaces where one has more characters than one; after a word its
    labels follow, from the position behind it, until one ends the run or the steps do."""
    vocabulary = ["$", *letters, "yes", "no"]
    eye = np.eye(5)
    # what stands last says what follows: behind $ and the first letter "yes", behind the second "no", behind "no" "yes"
    weights = np.zeros((2, 5))
    weights[0, [0, 1, 4]], weights[1, [2, 3]] = 1, 1
    for ends in ([0, 0], [1, 0], [0, 1], [2, 0], [0, 2]):
        m = {
            "vocabulary": np.array(vocabulary), "embedding": eye, "steps": np.array(0), "before": np.array("$"),
            "after": np.array(""), "coordinates": np.array(["e0", "e1", "e2", "e3", "e4"]),
            "readout.kind": np.array("largest"), "readout.position": np.array("last"), "readout.weights": weights,
            "readout.labels": np.array(["yes", "no"]), "decoding.letters": np.array(letters),
            "decoding.steps": np.array([3, 3, 2]), "decoding.names": np.array(["ja", "nein"]),
            "decoding.ends": np.array(ends),
        }  # fmt: skip
        join = "" if all(len(letter) == 1 for letter in letters) else " "
        for size, steps in itertools.product(range(3), range(4)):
            for word in itertools.product(letters, repeat=size):
                most = [3, 3, 2][size]
                if steps > most:
                    with pytest.raises(SystemExit) as error:
                        run_npz.decode(m, join.join(word), str(steps))
                    assert error.value.code == 2 and f"at most {most} steps" in capsys.readouterr().err
                    continue
                said, code = [], 3
                last = vocabulary.index(word[-1]) if word else 0
                for step in range(most + 1):
                    k = int(last in (2, 3))
                    if step < most and ends[k] == 2:
                        code = 0
                        break
                    if step == steps:
                        break
                    said.append(f"{size + 1 + step:>6}  {('ja', 'nein')[k]}")
                    if ends[k]:
                        code = 0
                        break
                    last = 3 + k
                assert run_npz.decode(m, join.join(word), str(steps)) == code, (ends, word, steps)
                out, err = capsys.readouterr()
                assert out.splitlines() == said, (ends, word, steps)
                known = "before the end" if steps < most else "and the next answer is not certain"
                assert err == ("" if code == 0 else f"stopped at the limit of {steps} steps, {known}\n")
        for word, why in ((("?",), "every symbol must be one of"), (letters * 2, "at most 2 symbols")):
            with pytest.raises(SystemExit) as error:
                run_npz.decode(m, join.join(word), "1")
            assert error.value.code == 2 and why in capsys.readouterr().err


def told(steps: dict[int, int], asked: int, **more: Any) -> list[str]:
    """What a reader is told of these steps by length."""
    each = [{"length": n, "steps": t, "first_wrong": None, "first_wrong_word": None} for n, t in steps.items()]
    for n, (wrong, word) in more.items():
        each[int(n[1:])] |= {"first_wrong": wrong, "first_wrong_word": word}
    found = {"steps": min(steps.values()), "words_to": max(steps), "asked": asked, "lengths": each, "why": "why so"}
    return lines(found, "float32")


def test_what_is_said_of_steps() -> None:
    """How many behind which words, the first error of numpy, by length where some have more, and how to get more."""
    right = "which any runtime in float32 gets right"
    assert lines(None, "float32") == []
    assert told({0: 3}, 9) == [f"decodes 3 steps after the empty string, {right}", "  why so"]
    assert told({0: 7, 1: 5, 2: 5}, 9) == [
        f"decodes 5 steps after strings of at most 2 symbols, {right}", "  by length: 0: 7, 1: 5, 2: 5", "  why so"
    ]  # fmt: skip
    assert told({0: 4, 1: 4}, 4, w0=(6, ""), w1=(5, "a")) == [
        f"decodes 4 steps after strings of at most 1 symbols, {right}",
        "  numpy errs first at step 6 after the empty string",
        "  4 steps were requested; give more with --steps",
        "  why so",
    ]
    assert "  numpy errs first at step 5 after a b" in told({0: 4, 1: 4}, 9, w1=(5, "a b"))


# --- What the readout reads beside a copied norm ----------------------------------------------------------------------


@together("what", ["nothing", "a token", "a position", "a part", "a bias", "no reading"])
def test_a_readout_beside_the_copied_norm(what: str) -> None:
    """What is one number at each position and of each token becomes a bias, and else is refused, unless it is not
    read: what a token has, or one position, or a matrix or a bias of some part writes."""
    m = archive.arrays(trained(4), "float64", 4)
    beside = m["coordinates"].tolist().index("one")
    assert m["readout.weights"][:, beside].all() and (m["positions"][:, beside] == 1).all()
    last = f"step{int(m['steps']) - 1}."
    key, at = {
        "a token": ("embedding", (1, beside)), "a position": ("positions", (2, beside)),
        "a part": (f"{last}W2", (beside, 0)), "a bias": (f"{last}b2", (beside,)),
    }.get(what, ("readout.weights", (0, beside)))  # fmt: skip
    changed = m[key].copy()
    changed[at] += 0.5
    found = m | {key: changed}
    if what == "no reading":
        found |= {"readout.weights": m["readout.weights"] * (np.arange(len(m["coordinates"])) != beside)}
    if key != "readout.weights":
        with pytest.raises(BadInput, match=r"coordinates that the final norm does not give|no norm reads"):
            Lens(found)
        return
    assert Lens(found).state()["unembed.bias"].tolist() == found["readout.weights"][:, beside].tolist()


@pytest.mark.parametrize(
    ("off", "says"),
    [(arb(0.25), "equal"), (arb(0.5), "equal"), (arb(0.75), "different"), (arb(0.5, 0.125), "open")],
    ids=["nearer", "as near", "farther", "perhaps"],
)
def test_two_balls_are_equal_up_to_the_distance_that_is_given_itself(off: arb, says: str) -> None:
    assert _apart(make_domain("ball"), off, arb(0), Fraction(1, 2)) == says
