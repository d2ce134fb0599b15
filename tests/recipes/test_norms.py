"""Recipes about layer norm (Section 6) and representations (Section 3). Expected values: signs, counts and truth
values.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from families import together

from symcook.errors import BadInput
from symcook.recipes import build, region
from symcook.verify.stated import check_recipe

REPRESENTATIONS = {
    "closed": ([0, -1, Fraction(-1, 7), -50], [1, Fraction(1, 1000), 9]),
    "zero-one": ([0], [1]),
    "signs": ([-1], [1]),
    "open": ([-1, Fraction(-1, 1000), -50], [1, Fraction(1, 1000), 9]),
    "zero-or-more": ([0], [1, Fraction(3, 2), 80]),
    "pair": ([(-1, 1)], [(1, -1)]),
    "pair-delta": ([(-1, 1), (Fraction(-1, 9), Fraction(1, 9))], [(3, -3), (Fraction(1, 9), Fraction(-1, 9))]),
}
"""False and true of Table 4, by examples."""
EXISTS = {
    "closed": {"closed"},
    "open": {"closed", "open", "pair-delta"},
    "pair-delta": {"closed", "open", "pair-delta"},
}
"""Where false and true have no gap, the only ones that a continuous map reaches; from the others all are."""


def is_true(value: Any, representation: str) -> bool:
    """By Table 4; a value that is neither is an error."""
    if representation.startswith("pair"):
        first, second = value
        assert second == -first != 0 and (representation == "pair-delta" or abs(first) == 1)
        return first > 0
    false, true = {
        "closed": (value <= 0, value > 0),
        "zero-one": (value == 0, value == 1),
        "signs": (value == -1, value == 1),
        "open": (value < 0, value > 0),
        "zero-or-more": (value == 0, value >= 1),
    }[representation]
    assert false != true
    return true


@together("given", REPRESENTATIONS)
@together("wanted", REPRESENTATIONS)
def test_converters(given: str, wanted: str) -> None:
    arguments = {"given": given, "wanted": wanted}
    if wanted not in EXISTS.get(given, REPRESENTATIONS):
        with pytest.raises(BadInput, match="continuous"):
            build("convert-boolean", **arguments)
        return
    model = build("convert-boolean", **arguments)
    for truth, examples in zip((False, True), REPRESENTATIONS[given], strict=True):
        for value in examples:
            entries = value if isinstance(value, tuple) else (value,)
            point = dict(zip(model.embedding.inputs or (), entries, strict=True))
            found = tuple(map(Fraction, model.run(point).output.values()))
            assert is_true(found if len(found) == 2 else found[0], wanted) is truth, (value, found)
    assert check_recipe("convert-boolean", None, arguments).holds


@pytest.mark.parametrize("by", ["n", "i"])
def test_counts(by: str) -> None:
    model = build("count", alphabet="abc", by=by)
    for n in range(1, 6):
        for word in itertools.product("abc", repeat=n):
            found = model.run("".join(word)).outputs
            wanted = [
                word.count("a") / Fraction(n) if by == "n" else word[:i].count("a") / Fraction(i)
                for i in range(1, n + 1)
            ]
            assert found == list(map(str, wanted))


@pytest.mark.parametrize("by", ["n", "i"])
def test_inverse_positions(by: str) -> None:
    model = build("inverse-position", by=by)
    for word in ("", "a", "ab", "abba"):
        wanted = [Fraction(1, (len(word) if by == "n" else i) + 1) for i in range(len(word) + 1)]
        assert model.run(word).outputs == list(map(str, wanted))


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"kind": "inverse"}, "1 1/2 1/3 1/4"),
        ({"kind": "share"}, "1/4 1/2 3/4 1"),
        ({"kind": "alternating"}, "-1 1 -1 1"),
        ({"kind": "powers", "powers": 3}, "1,1,1 2,4,8 3,9,27 4,16,64"),
        ({"kind": "one-hot", "N": 5}, "1,0,0,0,0 0,1,0,0,0 0,0,1,0,0 0,0,0,1,0"),
    ],
)
def test_positional_encodings(arguments: dict[str, Any], wanted: str) -> None:
    """Written by hand; a check against the reference besides, to the greatest length where there is one."""
    found = build("positional-encoding", alphabet="ab", **arguments).run("abba").outputs or []
    rows = [list(row.values()) if isinstance(row, dict) else [row] for row in found]
    assert [",".join(map(str, row)) for row in rows] == wanted.split()
    assert check_recipe("positional-encoding", 5, arguments).holds


def test_a_one_hot_encoding_has_a_greatest_length() -> None:
    with pytest.raises(BadInput, match="larger N"):
        build("positional-encoding", kind="one-hot", N=3).run("aaaa")


@pytest.mark.parametrize(
    ("recipe", "place", "kind"),
    [
        ("first-position", "alternating", "alternating"),
        ("predecessor", "alternating", "alternating"),
        ("dyck-1-2", "share", "share"),
        ("lookup-quadratic", "index", "powers"),
        ("lookup-quadratic", "square", "powers"),
        ("lookup-one-hot", "at3", "one-hot"),
    ],
)
def test_what_an_encoding_makes_computable_reads_it(recipe: str, place: str, kind: str) -> None:
    """The recipes that the text names have the encoding among their position functions."""
    encodings = build("positional-encoding", kind=kind).embedding.places
    assert build(recipe).embedding.places[place] in encodings.values()


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_signs_by_a_norm(d: int) -> None:
    model = build("sign", d=d)
    delta = Fraction(1, 3)
    axis = [-5, -delta, delta, Fraction(1, 2), 7]
    for point in itertools.product(axis, repeat=d):
        given = dict(zip(model.embedding.inputs or (), point, strict=True))
        found = list(model.run(given, values={"delta": delta}).output.values())
        assert found == [str(int(x > 0) - int(x < 0)) for x in point]
    names: Any = model.embedding.inputs
    zero = dict.fromkeys(names, 0)
    assert set(model.run(zero, values={"delta": delta}).output.values()) == {"0"}
    small = {**zero, names[0]: Fraction(1, 9)}
    if d > 1:  # beside a component below delta the others are no signs
        mixed = dict.fromkeys(zero, delta) | {names[0]: delta / 2}
        found = model.run(mixed, "float64", values={"delta": delta}).output
        assert all(abs(float(value)) != 1 for value in found.values())
        assert region("sign", d=d).count("delta <= x") == d
    else:
        assert model.run(small, values={"delta": delta}).output == {"x": "1"}


def test_a_norm_compares_and_a_selective_one_ignores_the_rest() -> None:
    for x, y in itertools.product((-3, 0, Fraction(1, 7), 3), repeat=2):
        want = str(int(x > y) - int(x < y))
        assert build("sign-norm").run({"x": x, "y": y}).output == {"x": want}
        found = build("selective-norm").run({"x": x, "y": y}).output
        assert found == {"out": str(int(x > 0) - int(x < 0)), "y": str(Fraction(y))}


def test_without_selection_the_rest_changes_the_answer() -> None:
    """The same norm over x, -x and y: the answer depends on y."""
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.parts import Layer, LayerNorm
    from symcook.model.transformer import Transformer
    from symcook.model.weights import feedforward

    stream = ("x", "y", "out")
    plain = Layer(None, feedforward(out="relu(x) - relu(-x)"), (), (LayerNorm(stream),), "pre")
    model = Transformer(
        "plain", Embedding(Space(stream), inputs=("x", "y")), (plain,), Readout("value", "last", ("out",))
    )
    found = {model.run({"x": 1, "y": y}, "ball", digits=6).output["out"]["mid"] for y in (0, 5, 50)}
    assert len(found) == 3


@together(
    ("name", "arguments"),
    [
        ("sign", {"d": 0}),
        ("count", {"alphabet": "a"}),
        ("count", {"by": "j"}),
        ("inverse-position", {"alphabet": ""}),
        ("positional-encoding", {"kind": "sinusoid"}),
        ("positional-encoding", {"kind": "powers", "powers": 0}),
        ("positional-encoding", {"kind": "one-hot", "N": 0}),
        ("positional-encoding", {"alphabet": ""}),
        ("convert-boolean", {"given": "bits"}),
    ],
)
def test_bad_arguments_are_refused(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        build(name, **arguments)
    assert "\n" not in str(caught.value)
