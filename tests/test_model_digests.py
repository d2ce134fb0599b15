"""Runs and run relations of the stored models and families are what they were: see `model_digests`."""

import pytest
from model_digests import DIGESTS, names, stored

CASES = [(what, name) for what, (_, folder) in DIGESTS.items() for name in names(folder)]
FIRST = [CASES.index(case) for case in (
    ("runs", "dyck-1"), ("runs", "parity-layernorm"), ("runs", "max-of-three"), ("relations", "dyck-1"),
    ("relations", "parity-layernorm"), ("families", "max"),
)]  # fmt: skip


@pytest.mark.layer_one(*FIRST)
@pytest.mark.parametrize(("what", "name"), CASES)
def test_the_digest_is_the_stored_one(what: str, name: str) -> None:
    assert DIGESTS[what][0](name) == stored()[what][name]


@pytest.mark.parametrize("what", DIGESTS)
def test_each_stored_model_has_a_digest(what: str) -> None:
    assert sorted(stored()[what]) == names(DIGESTS[what][1])
