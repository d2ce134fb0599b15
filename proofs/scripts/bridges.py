"""Bridges from stored models to their families: what `symcook.proof.bridges.bridge` makes, nothing found by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from runpy import run_path

from script import Script

from symcook.model.family import load
from symcook.model.instance import Instance
from symcook.proof.bridges.bridge import Bridge
from symcook.proof.replay import Statement
from symcook.proof.runrel import stored_model
from symcook.proof.search.tactics import Goal

FAMILIES = Path(__file__).resolve().parents[1] / "families"
OTHERS = run_path(str(FAMILIES.parent / "models.py"))["OTHERS"]


def _instance(model: str) -> tuple[str, str, dict[str, str]]:
    one = OTHERS[model]
    return one.family, model, one.values


BRIDGES: dict[str, tuple[str, str, dict[str, str]]] = {
    "bridge.lookup_one_hot": ("lookup-one-hot", "lookup-one-hot", {"N": "8"}),
    "bridge.dyck_k_d": ("dyck-k-d", "dyck-k-d", {"K": "2", "D": "4"}),
    "bridge.induction_most_recent": ("induction-most-recent", "induction-most-recent", {"S": "4"}),
    "bridge.induction_most_frequent": ("induction-most-frequent", "induction-most-frequent", {"S": "4"}),
    "bridge.boolean": ("boolean", "boolean", {"m": "2", "M": "4", "xi": "0 0 0 1 1 0 1 1", "phi": "0 1 1 0"}),
    "bridge.cpwl": ("cpwl", "cpwl", {"P": "2", "xs": "0 1 2", "ys": "0 1 0", "m": "1 -1"}),
    "bridge.max": _instance("max-of-three"),
    "bridge.min": _instance("min-of-three"),
    "bridge.identity": ("identity", "identity", {"d": "1"}),
    "bridge.network": _instance("network-of-three"),
    "bridge.relu_network": _instance("sawtooth-of-three"),
    "bridge.copies": _instance("abs-of-two"),
    "bridge.boolean_signs": _instance("boolean-signs"),
    "bridge.count": _instance("count-of-two"),
    "bridge.automaton": _instance("automaton-parity"),
    "bridge.automaton_run": _instance("automaton-run-parity"),
    "bridge.automaton_nonstrict": _instance("automaton-nonstrict-parity"),
    "bridge.automaton_no_start": _instance("automaton-no-start-parity"),
    "bridge.turing": _instance("turing-step"),
    "bridge.since": _instance("since-formula"),
    "bridge.temporal": _instance("temporal-formula"),
    "bridge.temporal_past": _instance("temporal-past-formula"),
    "bridge.counting": _instance("counting-formula"),
    "bridge.counting_past": _instance("counting-past-formula"),
    "bridge.logic": _instance("logic-formula"),
    "bridge.logic_past": _instance("logic-past-formula"),
    "bridge.attention_identity": _instance("attention-identity"),
    "bridge.lookup_quadratic": ("lookup-quadratic", "lookup-quadratic", {"gamma": "1"}),
    "bridge.lookup_almost_orthogonal": _instance("lookup-tetrahedron"),
    "bridge.tie_break": _instance("tie-break-of-a-head"),
    "bridge.induction_by_term": _instance("induction-by-term"),
    "bridge.since_until": _instance("since-until-formula"),
}
"""By id: the family, the stored model, and the values at which it is an instance."""


@cache
def made(name: str) -> Bridge:
    """The bridge of an id."""
    family, model, values = BRIDGES[name]
    read = load(FAMILIES / f"{family}.json")
    return Bridge(read, Instance(read, values), stored_model(model), name, stored=True)


def statement(name: str) -> Statement:
    """What a bridge states, as the file of statements has it."""
    return made(name).statement


def _script(name: str) -> Script:
    def part(which: str) -> object:
        def run(g: Goal) -> None:
            getattr(made(name), which)(g)

        return run

    return Script(part("prove"), part("inhabited"), part("defined"))  # type: ignore[arg-type]


SCRIPTS: dict[str, Script] = {name: _script(name) for name in BRIDGES}
