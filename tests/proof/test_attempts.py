"""Searches that end: with what they found, or with the reason why they found nothing; and no prover raises one."""

from __future__ import annotations

import re

import pytest
from checkout import ROOT

from symcook.alarm import Until
from symcook.errors import BadInput, Rejected, Undecided
from symcook.proof.claims.byautomata.placed import Unplaced
from symcook.proof.claims.bycounts.problem import OutsideFragment
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Stuck

PROVERS = "bylanguage bysymbol editedruns inparts orders strategies symbolcounts"
"""Modules of `proof/statements` whose functions return `Failed`."""


@pytest.mark.parametrize("error", [Stuck, Unplaced, OutsideFragment, Rejected, Undecided, BadInput, TooLong])
def test_what_a_search_raises_is_why_it_failed(error):
    def search():
        raise error("no rule\nfor this goal")

    assert attempted(search) == Failed("no rule")


def test_a_search_ends_with_its_time_and_a_defect_is_raised():
    def endless():
        while True:
            pass

    assert attempted(endless, Until(0.05)) == Failed("the time is over")
    assert attempted(lambda: 7, Until(5)) == 7
    with pytest.raises(ZeroDivisionError):
        attempted(lambda: 1 // 0)


def test_no_prover_catches_what_another_file_raises():
    """A strategy is a function that returns; `attempted` is the one place where a search is ended."""
    folder = ROOT / "symcook/proof/statements"
    caught = {name: re.findall(r"^ *except .*", (folder / f"{name}.py").read_text(encoding="utf-8"), re.M)
              for name in PROVERS.split()}  # fmt: skip
    # The reader of expressions refuses a text by BadInput, the arithmetic of values what has no value.
    assert {name: lines for name, lines in caught.items() if lines} == {
        "bylanguage": ["    except BadInput:"], "bysymbol": ["            except UNVALUED:"],
        "orders": ["    except Rejected:"],
    }  # fmt: skip


def test_what_has_to_be_decided_first_is_caught_in_one_place():
    files = (ROOT / "symcook").rglob("*.py")
    assert [file.name for file in files if "except DecideFirst" in file.read_text(encoding="utf-8")] == ["placed.py"]
