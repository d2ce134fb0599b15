"""Every stored certificate replays; 1,000 seeded mutations are rejected or still prove the same stored statement."""

import collections
import functools
import json
import sys
import time

import pytest
from attacks import mutate
from families import every
from proof.stored import load_module, verdicts

from symcook.errors import Rejected
from symcook.proof import kernel, replay
from symcook.proof.terms import TRUE
from symcook.report.proof import witness

HOME = replay.library()
STATEMENTS = HOME.statements
IDS = HOME.certificates()
ASSUMED = {"intermediate_value"}
"""The named assumptions that stored proofs may rest on."""
AGAIN = set(IDS[::20])
"""Those whose parts are checked by the kernel beside the replay, which checks the parts of all."""
MUTATIONS = 200  # more are drawn by tests/campaign.py forgeries
BATCH = 10


def text_of(name):
    return (HOME.root / "certificates" / f"{name}.json").read_text(encoding="utf-8")


@functools.cache
def stored(name):
    return replay.load_json(text_of(name))


def drawn(seed):
    """A certificate, and the next one where it is a check of a recipe."""
    first = seed % len(IDS)
    return next(name for name in IDS[first:] + IDS[:first] if "check" not in stored(name))


def lemmas(name):
    return {n: STATEMENTS[n] for n in stored(name)["lemmas"]}


@pytest.mark.sweep
def test_certificates_replay():
    for name in IDS:
        if "check" in stored(name):  # a check of a recipe, run again by `prove`
            continue
        verdict = verdicts()[name]
        refuted = stored(name)["sense"] == "refuted"
        assert verdict.status in (("REFUTED", "CORRECTED") if refuted else ("PROVED",)), (name, verdict.reason)
        assert not verdict.oracles and set(verdict.named) <= ASSUMED, name
        assert not refuted or witness(name), name


def test_every_statement_has_a_certificate():
    assert {n for n, s in STATEMENTS.items() if not s.assumed} == set(IDS)


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("part", range(9))
def test_certificates_have_their_three_parts(part):
    every(IDS[part::9], has_its_three_parts)


def has_its_three_parts(name):
    certificate = stored(name)
    if "check" in certificate or certificate["sense"] == "refuted":
        return
    parts = {"proof": STATEMENTS[name].formula}
    if STATEMENTS[name].claim:
        parts |= {"defined": STATEMENTS[name].defined, "inhabited": STATEMENTS[name].inhabited}
    assert set(parts) <= set(certificate)
    usable = {s.label: s.formula for s in lemmas(name).values()}
    for key, goal in parts.items():
        if name in AGAIN:
            kernel.check(goal, certificate[key], lemmas=usable, known=STATEMENTS[name].known)
        if goal != TRUE and STATEMENTS[name].claim and STATEMENTS[name].nontrivial is not None:
            other = {"proof": "inhabited", "inhabited": "proof", "defined": "proof"}[key]
            if certificate.get(other) != certificate[key] and parts[other] != goal:
                with pytest.raises(Rejected):  # a part proves its own goal, not that of another
                    kernel.check(parts[other], certificate[key], lemmas=usable, known=STATEMENTS[name].known)


def test_a_certificate_without_its_parts_proves_no_claim():
    name = "cookbook.s4.7.gtzero"
    for key in ("defined", "inhabited"):
        less = {k: v for k, v in stored(name).items() if k != key}
        with pytest.raises(Rejected, match="defined and not vacuous"):
            replay.judge(STATEMENTS[name], less, lemmas(name))


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("batch", range(MUTATIONS // BATCH))
@pytest.mark.layer_two(every=3)
def test_mutations(batch):
    outcomes = collections.Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        name = drawn(seed)
        damaged = mutate.mutate(stored(name), seed)
        start = time.process_time()
        try:
            status, _ = replay.judge(STATEMENTS[name], damaged, lemmas(name), seconds=5)
        except Rejected:
            outcomes["rejected"] += 1
        else:  # still a proof: of the same statement, in the same sense
            outcomes["accepted"] += 1
            assert damaged["statement"] == STATEMENTS[name].digest
            assert (status == "REFUTED") == (stored(name)["sense"] == "refuted")
        assert time.process_time() - start < 20, f"seed {seed}"
    assert outcomes["rejected"] > BATCH // 2


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("batch", range(8))
def test_damaged_texts(batch):
    """Text that is no longer JSON, or no longer this certificate, is rejected and never crashes."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        name = drawn(seed)
        text = mutate.damage_text(text_of(name), seed)
        try:
            certificate = replay.load_json(text)
            replay.judge(STATEMENTS[name], certificate, lemmas(name), seconds=5)
        except Rejected:
            continue
        assert certificate["statement"] == STATEMENTS[name].digest


@functools.cache
def scripts():
    folder = str(HOME.root)
    sys.path.insert(0, folder)
    try:
        return load_module("build")
    finally:
        sys.path.remove(folder)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "name", ["lem.sum_mono", "cookbook.s4.7.gtzero", "cookbook.s5.7.lemma5.3", "cookbook.s6.4.clip"]
)
def test_proofs_give_a_certificate(name):
    module = scripts()
    found = module.made(name, STATEMENTS)  # which the checker has accepted
    assert found["sense"] == stored(name)["sense"] and found["statement"] == STATEMENTS[name].digest
    assert json.loads(module.text(found)) == found
