"""Edges of what is read: why a file cannot be, in words; and a constant beside a norm that is copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_lens import trained

import symcook as sc
from symcook.errors import BadInput
from symcook.export.archive import arrays
from symcook.export.lens import Lens
from symcook.files import content


def test_why_a_file_cannot_be_read(tmp_path: Path) -> None:
    """In the system's own words, without its number and without the path twice."""
    for path, why in ((tmp_path / "none.npz", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(BadInput) as error:
            content(path, "the weights", do=lambda: "look again")
        assert (error.value.must, error.value.given) == ("the weights must be readable", f"{path} ({why})")
        assert error.value.do == "look again"
    with pytest.raises(BadInput, match=r"must be readable; given: .*\(.*null"):
        content(Path(f"{tmp_path}/a\0b"), "the weights")


def test_a_constant_that_the_last_copy_does_not_read() -> None:
    """Beside the norm that the last step copies: it changes nothing where its weights are zero, and else is refused."""
    m = arrays(trained(4), "float64", 4)
    last = f"step{int(m['steps'])}."
    kind, wide = m[last + "W1"].dtype, len(m["coordinates"])
    more: dict[str, Any] = {"P": np.zeros((1, wide)), "gain": np.zeros(1), "bias": np.ones(1), "epsilon": np.array(1.0)}
    more = {f"{last}before2.{name}": array.astype(kind) for name, array in more.items()}
    more[f"{last}before2.zero_variance"] = np.array("zero")
    column = np.zeros((len(m[last + "W1"]), 1), dtype=kind)
    plain = Lens(m).state()
    beside = Lens(m | more | {last + "W1": np.hstack([m[last + "W1"], column])}).state()
    assert plain.keys() == beside.keys() and all(np.array_equal(plain[key], beside[key]) for key in plain)
    with pytest.raises(BadInput, match="a last feed-forward layer that does more than copy a norm"):
        Lens(m | more | {last + "W1": np.hstack([m[last + "W1"], column + 1])})


def test_files_that_are_no_exports_say_why(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file or directory"):
        sc.from_npz(tmp_path / "none.npz")
