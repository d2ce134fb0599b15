"""Under ``python -O`` no step and no check is missing; ``python -OO`` is refused. All commands: tests/optimized.py."""

from __future__ import annotations

import optimized
import pytest


@pytest.mark.sweep
@pytest.mark.parametrize("line", [optimized.COMMANDS[k] for k in optimized.FEWEST])
@pytest.mark.layer_two(every=2)
def test_python_o_answers_the_same(line: str) -> None:
    assert optimized.differs(line) is None


def test_python_oo_is_refused_in_one_sentence() -> None:
    code, stdout, stderr = optimized.answers("explain parity", ("-OO",))[0]  # type: ignore[misc]
    assert (code, stdout) == (2, b"")
    assert stderr.decode() == (
        "symcook: symcook must run with its docstrings; given: python -OO; use python -O, or unset PYTHONOPTIMIZE.\n"
    )
