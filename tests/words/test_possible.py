"""What may stand at each position, against every string by itself: its exact run, and one run in few bits, which choose
as they must or are not accepted. Several heads, all masks and ways to choose, positions as i/n and i, tokens before and
after, every readout."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest
from choosers import chooser

from symcook import build
from symcook.domains.exact import Exact
from symcook.domains.mp import Mp
from symcook.domains.rounding import Format, Rounding, ends
from symcook.errors import NotExact
from symcook.export import guarantee as guarantees
from symcook.export.guarantee import decision, guarantee
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.questions.moving import answer
from symcook.words.inputs import strings
from symcook.words.possible import outputs


def decided(model: Transformer, columns: dict[str, Any]) -> bool:
    found = {name: np.array([ends(x) for x in column]) for name, column in columns.items()}
    return decision(model, {name: (both[:, 0], both[:, 1]) for name, both in found.items()})[1] is None


@pytest.mark.sweep
def test_every_string_is_in_the_rows() -> None:
    """Where they decide a length, each string's exact answer is also that of a run in so few bits."""
    accepted = refused = turned = 0
    for seed in range(110):
        model, r = chooser(seed)
        n, bits = r.choice([1, 2, 3]), r.choice([1, 2, 3, 8])
        rows: dict[str, Any] = {}
        with suppress(NotExact):
            rows = outputs(model, n + model.embedding.added, Rounding(Format(bits)))
        sure = bool(rows) and decided(model, rows)
        accepted, refused = accepted + sure, refused + (not rows)
        hulls = {name: (min(ends(x)[0] for x in c), max(ends(x)[1] for x in c)) for name, c in rows.items()}
        for word in product("xy", repeat=n):
            exact = forward(model, model.tokens(word), Exact())
            run = forward(model, model.tokens(word), Mp(bits, simulates=True))
            for name, (low, high) in hulls.items():
                for result, place in product((exact, run), exact.places):
                    value: Any = result.columns()[name][place]
                    assert low <= value <= high, (seed, word, name)
            same = answer(exact) == answer(run)
            turned += not same
            assert same or not sure, (seed, word)
    assert accepted > 25 and refused > 20 and turned > 10, (accepted, refused, turned)


def test_a_choice_that_rounding_turns_is_not_accepted() -> None:
    """In two bits 8/9 and 9/9 are one number, so that the last position is not chosen alone; in five they are two."""
    words = {"x": {"one": 1, "v": 1}, "y": {"one": 1}}
    embedding = Embedding(Space(("one", "v", "place")), words=words, positions={"place": "i/n"})
    head = Head(("one", "v", "place"), ("v",), [[1, 0, 0]], [[0, 0, 1]], [[0, 1, 0]], "none", "average")
    model = Transformer(
        "late", embedding, (Layer(SelfAttention((head,))),), Readout("sign", "last", ("v",), weights=[[1]])
    )
    late = model.tokens("xxxxxxxxy")
    for bits, holds in ((2, False), (5, True)):
        assert (forward(model, late, Mp(bits, simulates=True)).accept == forward(model, late, Exact()).accept) is holds
        if holds:
            assert decided(model, outputs(model, 9, Rounding(Format(bits))))
        else:
            with pytest.raises(NotExact):
                outputs(model, 9, Rounding(Format(bits)))


@pytest.mark.parametrize("weighting", ["softmax", "softmax-plus-one"])
def test_a_softmax_head_that_nothing_reads_is_refused(weighting: str) -> None:
    """Its temperature may leave a string without a run."""
    embedding = Embedding(Space(("v", "idle")), words={"x": {"v": 1}, "y": {}})
    head = Head(("v",), ("idle",), [[1]], [[1]], [[1]], "future", weighting)
    readout = Readout("sign", "last", ("v",), weights=[[1]])
    model = Transformer("idle", embedding, (Layer(SelfAttention((head,))),), readout)
    with pytest.raises(NotExact, match="softmax attention"):
        outputs(model, 2, Rounding(Format(5)))


@pytest.mark.sweep
def test_dyck_k_d_is_guaranteed_at_lengths_with_billions_of_strings() -> None:
    found = guarantee(build("dyck-k-d").bind(), "float32", 8)
    assert found["ranges"] == found["divided_first"]["ranges"] == [[1, 8]]
    assert {one["runs"] for one in found["lengths"]} == {1}


@pytest.mark.sweep
def test_strings_of_a_language_are_guaranteed_where_all_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a certificate has at most six runs, no string of length 3 after an opening bracket is run by itself; a
    language of few strings is run as before, and answers at chosen positions are."""
    monkeypatch.setattr(guarantees, "RUNS", 6)
    model = build("dyck-k-d").bind()

    def found(language: str, positions: str | None = None) -> dict[str, Any]:
        return guarantee(model, "float32", 3, asked=strings(model, range(1, 4), language, positions=positions))

    some, few, last = found(opened := r"\([\(\)\[\]]*"), found(r"\(+"), found(opened, "last")
    assert some["ranges"] == few["ranges"] == [[1, 3]] and last["ranges"] == [[1, 2]]
    assert ["each position" in one["method"] for one in (some, few, last)] == [True, False, False]
