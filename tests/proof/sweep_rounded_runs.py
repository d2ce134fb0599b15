"""All stored models whose blocks differ, on machines of many kinds and in five formats: no run is outside of the
relation of a run that rounds, and each of three wrong relations is noticed."""

from __future__ import annotations

from typing import Any

import pytest
from proof.roundedfamilies import FAMILIES, FamilyMachine
from proof.roundedruns import FORMATS, MODELS, drawn, in_format, outside, related, stored
from proof.test_rounded_runs import as_exact, fewer, smaller

from symcook.model.expr import parse_formula
from symcook.proof.files import proofs_directory
from symcook.proof.roundedterms import ErrorRules
from symcook.proof.runrel import expand


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.layer_two(every=4)
def test_machines_are_inside(name: str) -> None:
    for seed in range(8):
        machine = drawn(name, seed)
        assert machine.refused or outside(machine, stored(name)) == [], seed


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.layer_two(every=3)
def test_floats_are_inside(name: str) -> None:
    """Floats keep whole numbers up to 1/u, of which a mean is divided after its sum."""
    for seed in range(5):
        machine = drawn(name, seed, divided_last=True)
        assert machine.refused or outside(machine, stored(name, floats=True)) == [], seed


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.layer_two(every=7)
def test_formats_are_inside(name: str, kind: str) -> None:
    """With an absolute error for underflow, and without it where nothing underflows."""
    for seed in range(2):
        machine = in_format(name, seed, kind)
        if machine is None or machine.refused:
            continue
        assert outside(machine, stored(name, underflow=True)) == [], seed
        assert machine.of.underflow or outside(machine, stored(name)) == [], seed


@pytest.mark.parametrize(
    ("method", "wrong", "names"),
    [
        ("computed", fewer, ("first", "parity", "first-layernorm", "lookup-one-hot", "automaton-run-parity")),
        ("computed", smaller, ("parity", "parity-layernorm", "multiply-gelu", "turing-step")),
        ("entry", as_exact, ("first", "parity", "flip-flop", "lookup-quadratic", "sinusoidal", "dyck-1-2")),
    ],
)
@pytest.mark.layer_two(every=2)
def test_wrong_relations_are_noticed(
    method: str, wrong: Any, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ErrorRules, method, wrong)
    for name in names:
        of = related(name)
        assert any(outside(drawn(name, seed), of) for seed in range(40) if not drawn(name, seed).refused), name


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.layer_two(every=2)
def test_instances_of_families_are_inside(name: str) -> None:
    for seed in range(40):
        assert FamilyMachine(name, seed).outside() == [], seed


@pytest.mark.parametrize("name", ["lookup-quadratic", "ends"])
def test_a_wrong_relation_of_a_family_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ErrorRules, "entry", as_exact)
    assert any(FamilyMachine(name, seed).outside() for seed in range(20))


@pytest.mark.parametrize("folder", ["models", "families"])
@pytest.mark.layer_two(every=2)
def test_all_have_rounded_runs(folder: str) -> None:
    """Each is a formula of the grammar."""
    prefix = "family-" if folder == "families" else ""
    for path in sorted((proofs_directory() / folder).glob("*.json")):
        for arithmetic in ("rounded", "floats"):
            parse_formula(expand(f"run({arithmetic}-{prefix}{path.stem}; eps0)"))
