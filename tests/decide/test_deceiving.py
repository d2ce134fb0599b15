"""No fold is called equal to a model from which it differs far out: what its code may consist of is listed, and all
else is refused with its line."""

from __future__ import annotations

from typing import Any

import deceiving
import pytest
from shared import call

import symcook as sc
from symcook.decide import decision, invariants
from symcook.decide.allowed import ALLOWED, said
from symcook.decide.decision import decide
from symcook.errors import BadInput
from symcook.spec.fold import Fold

FOLDS = deceiving.all_folds()
MODEL = deceiving.majority()


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays open is open after fewer words."""
    for name, most in (("SOON", 400), ("PAIRS", 500)):
        monkeypatch.setattr(decision, name, most)
    monkeypatch.setattr(invariants, "SAMPLED", 600)


def outcome(name: str) -> str:
    """The verdict about a fold, "refused" with the reason; an assertion where it is equal and differs."""
    fold = FOLDS[name]
    try:
        verdict = decide(MODEL, fold).verdict
    except BadInput as error:
        return f"refused: {error}"
    if verdict == "equal":
        for length in deceiving.PROBED:
            assert deceiving.says(fold, length) is True, (name, length)
    return verdict


@pytest.mark.parametrize("name", deceiving.REPRESENTATIVE)
def test_no_fold_deceives(name: str) -> None:
    said_of = outcome(name)
    equal = name == "by never"
    assert (said_of == "equal") is equal, said_of


def test_what_is_refused_is_named_with_its_line() -> None:
    def answer(n: int) -> bool:
        try:
            return n > 0
        except TypeError:
            return False

    fold = Fold(0, lambda s, t: s + 1, answer)
    line = answer.__code__.co_firstlineno + 3
    with pytest.raises(
        BadInput, match=rf"PUSH_EXC_INFO .*in line {line} of test_deceiving.py, except TypeError:"
    ) as error:
        decide(MODEL, fold)
    assert error.value.exit_code == 2 and "\n" not in str(error.value)


def test_a_remainder_is_taken_by_a_known_number() -> None:
    """Of an argument the code does not say whether it is an integer, and a text before % prints where functions lie."""
    by_constant, by_closure, by_argument = (Fold(0, step, lambda s: s == 0) for step in deceiving._percent(3))
    for fold in (by_constant, by_closure):
        assert decide(MODEL, fold).verdict == "different"
    with pytest.raises(BadInput, match=r"BINARY_OP % with another right operand"):
        decide(MODEL, by_argument)


def test_the_page_on_folds_prints_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "explain", "fold")
    shown = " ".join(out.split())
    for row in said():
        assert " ".join(row.split()) in shown
    assert len(ALLOWED) == len(said())


def test_paths_that_are_not_those_of_the_code_are_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins that take a difference for a sum, the runs on true integers show it."""
    from symcook.decide import farout, following
    from symcook.decide.counting import Counting
    from symcook.decide.invariants import Common
    from symcook.errors import SymcookError

    fold = Fold(0, lambda s, t: s + 1 if t == "a" else 3 - s, lambda s: s > 0)
    common = Common(Counting(MODEL), fold)
    location, _ = common.place((common.machine.initial, fold.start), 0)
    common.cases(location)
    farout.require_paths_agree(common)
    monkeypatch.setattr(following.StandIn, "__rsub__", following.StandIn.__add__)
    with pytest.raises(SymcookError, match="the paths of a fold must be those of its code"):
        farout.require_paths_agree(common)


def _hide(value: Any) -> Any:
    return 0 if type(value) is int and str(value) == "5000" else value


def helper(value: Any) -> Any:
    return value


helper.get = _hide  # type: ignore[attr-defined]
NAMES = frozenset(("(", ")"))
WITH_NONE = frozenset((None, 5, 7, 8, 1, 3))  # up to Python 3.11 the hash of None is its address


class Changing(Fold):
    """A fold whose answer may be another one the next time."""


def _step(state: Any, token: str) -> Any:
    return state + (1 if token == "(" else -1)


@pytest.mark.parametrize(
    "fold",
    [
        Fold(0, _step, lambda s: helper.get(s) == 0),  # type: ignore[attr-defined]
        Fold(0, _step, lambda s: s == 0 and tuple(NAMES) == ("(", ")")),
        Fold(0, _step, lambda s: s == 0 and min(len(name) for name in NAMES) == 1),
        Fold(0, _step, lambda s: s == 0 and tuple(WITH_NONE)[:2] == (1, 3)),
        Changing(0, _step, lambda s: s == 0),
    ],
    ids=["a function's attribute", "the order of a set", "a loop over a set", "the order of None", "a subclass"],
)
def test_what_reads_from_elsewhere_is_refused(fold: Fold) -> None:
    with pytest.raises(BadInput, match="must use only the Python that"):
        sc.build("dyck-1").decide(fold)


def test_a_set_may_be_asked_what_is_in_it() -> None:
    balanced = Fold(0, _step, lambda s: s == 0 and "(" in NAMES and "x" not in {"(", ")"})
    assert sc.build("dyck-1").decide(balanced).holds is False  # it does not ask prefixes
