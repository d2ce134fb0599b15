"""The runs of the stored models are what they were: see `run_digests`."""

import pytest
from run_digests import names, of_runs, stored

FIRST = [names().index(name) for name in ("dyck-1", "parity-layernorm", "max-of-three", "average-softmax")]


@pytest.mark.layer_one(8, 33, 73)
@pytest.mark.parametrize("name", names())
@pytest.mark.layer_two(every=7)
def test_the_digest_is_the_stored_one(name: str) -> None:
    assert of_runs(name) == stored()[name]


def test_each_stored_model_has_a_digest() -> None:
    assert sorted(stored()) == names()
