"""A certificate that exceeds a limit of the checker is undecided; one that the checker rejects is wrong."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import symcook as sc
from symcook.cli.unproved import refused
from symcook.errors import Rejected, Undecided
from symcook.proof import CHECKER
from symcook.proof.search.limits import LIMITS, limit_of

PACKAGE = Path(sc.__file__).parent
NO_LIMITS = {
    "an exponent is negative or too large",  # one message for both
    "a check needs a max_length of at least 1",
}
"""Messages of the checker with a word of size that are about what is given."""


def messages() -> set[str]:
    """Every message of the checker that has a word for too much, with numbers in place of what is put in."""
    found = set[str]()
    for name in CHECKER:
        for node in ast.walk(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Rejected":
                (text,) = node.args
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                whole = "".join(str(p.value) if isinstance(p, ast.Constant) else "12" for p in parts)
                if re.search(r"exceed|more than|\btoo (?!few)|at (most|least)", whole):
                    found.add(whole)
    return found


def test_the_limits_are_those_of_the_checker() -> None:
    """Each message is of one pattern, and each pattern has one."""
    found = messages()
    assert len(found) > 15 and not [text for text in found - NO_LIMITS if limit_of(Rejected(text)) is None]
    assert [p for p in LIMITS if not any(re.fullmatch(p, text) for text in found)] == []
    assert {limit_of(Rejected(text)) for text in NO_LIMITS} == {None}


@pytest.mark.parametrize("text, limit", [
    ("proof: a normal form may exceed 1000000 factors", True),
    ("a proof exceeds the time limit", True),
    ("inhabited: a formula nests more than 460 deep", True),
    ("proof: the fact exceeds is unknown", False),
    ("proof: a formula exceeds 12 symbols, which is not said", False),
    ("proof: a proof exceeds 7 nodes\n0 <= x", False),
])  # fmt: skip
def test_a_limit_is_undecided_and_anything_else_is_rejected(text: str, limit: bool) -> None:
    error = refused(Rejected(text), "no proof was made", sc.build("dyck-1"))
    assert isinstance(error, Undecided if limit else Rejected)
    if limit:
        assert str(error).startswith(f"no proof was made: {text.rpartition(': ')[2]}; ")
