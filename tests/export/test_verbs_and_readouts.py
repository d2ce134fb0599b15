"""Each readout and each question about it: the answer is that of a loop by hand, or a refusal in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shared import words
from test_answers_compared import CASES, answer, model

import symcook as sc
from symcook.errors import BadInput
from symcook.export import archive, run_npz

DECIDING = [(kind, position) for kind, position in CASES if kind not in ("value", "distribution", "groups")]
OTHERS = [case for case in CASES if case not in DECIDING]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("domain", ["exact", "ball", "mpmath", "float64"])
def test_runs_in_each_number_system(domain: str) -> None:
    for (kind, position), word in ((case, word) for case in DECIDING for word in words(2, "abc")):
        run = model(kind, position).run(word, domain=domain)
        labelled = kind in ("largest", "turned")
        found: Any = run.outputs if position == "each" else run.outputs[0] if labelled else run.accept
        assert found == answer(kind, position, word), (kind, position, word)


def test_what_an_archive_answers() -> None:
    for kind, position in DECIDING:
        one = model(kind, position)
        m = archive.arrays(one, "float64", 2)
        for word in words(2, "abc"):
            z = archive.evaluate(m, archive.embed(m, np.array([["abc".index(c) for c in word]])))
            found = np.atleast_1d(run_npz.verdicts(m, z)[0]).tolist()
            if one.readout.labels:
                found = [one.readout.labels[k] for k in found]
            by_hand: Any = answer(kind, position, word)
            assert found == (by_hand if position == "each" else [by_hand]), (kind, position, word)


@pytest.mark.sweep
def test_what_is_decided() -> None:
    """A specification that is right is never refuted, and one that differs on a string of length 2 is never proved."""
    for kind, position in (case for case in DECIDING if case[1] in ("last", "each")):
        for far in ("sign", "zero", "largest", "turned"):
            if (kind in ("sign", "zero")) is not (far in ("sign", "zero")):
                continue
            found = model(kind, position).decide(model(far, position))
            apart = any(answer(kind, position, w) != answer(far, position, w) for w in words(2, "abc"))
            assert found.verdict in (("different", "refused") if apart else ("equal", "refused")), (kind, far, position)


@pytest.mark.parametrize("verb", ["margin", "precision", "export"])
def test_what_does_not_decide_is_refused(verb: str, tmp_path: Any) -> None:
    for kind, position in OTHERS:
        one: sc.Transformer = model(kind, position)
        if (verb == "export" and kind != "groups") or (verb == "margin" and kind == "groups"):
            continue
        with pytest.raises(BadInput):
            one.export(tmp_path / "m.npz", max_length=2) if verb == "export" else getattr(one, verb)(2)
