"""Seeded damage to the hand-written proofs, which between them use every kind of node: nothing crashes or hangs."""

import time

import pytest
from attacks import mutate
from proof.both import ask_both  # noqa: F401 (each test here asks both checkers)
from proof.test_kernel import LEMMAS, PROOFS, prove

from symcook.errors import Rejected


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("name", PROOFS)
def test_damaged_proofs(name):
    """Each is rejected, or is still a proof of the same statement: `prove` knows no other goal."""
    text, proof = PROOFS[name]
    rejected = 0
    for seed in range(75):
        damaged = mutate.mutate({"proof": proof}, seed).get("proof")
        start = time.process_time()
        try:
            prove(text, damaged, **LEMMAS)
        except Rejected:
            rejected += 1
        assert time.process_time() - start < 20, f"seed {seed}"
    assert rejected > 37
