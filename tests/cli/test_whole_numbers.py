"""Whole numbers and defaults of options: what is named as the largest is taken, and 0 is a default."""

from __future__ import annotations

from typing import Annotated

import pytest
from click.testing import CliRunner

from symcook.cli.options import SEED, Whole, command, option
from symcook.errors import BadInput


@pytest.mark.parametrize("whole", [SEED, Whole("k", 0, 7), Whole("k", -3, 10**20), Whole("k", -(10**17), 0)])
def test_both_ends_of_a_range_are_taken(whole: Whole) -> None:
    for end, beyond in ((whole.least, whole.least - 1), (whole.most, whole.most + 1)):
        assert whole.convert(str(end), None, None) == end
        with pytest.raises(BadInput, match="must be an integer from"):
            whole.convert(str(beyond), None, None)


def test_a_default_of_zero_is_a_default() -> None:
    @command("counted")
    def counted(*, count: Annotated[int, option("How many.", "K", Whole("k", 0, 9))] = 0, as_json: bool) -> None:
        """Print how many."""
        print(count)

    run = CliRunner().invoke(counted, [])
    assert (run.output, run.exit_code) == ("0\n", 0)
    assert next(p.help for p in counted.params if p.name == "count") == "How many (0)."
