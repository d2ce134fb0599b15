"""Bridges from stored models to their families: what `symcook.proof.search.bridge` makes, nothing found by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from script import Script

from symcook.model.family import load
from symcook.model.instance import Instance
from symcook.proof.replay import Statement
from symcook.proof.runrel import stored_model
from symcook.proof.search.bridge import Bridge
from symcook.proof.search.tactics import Goal

FAMILIES = Path(__file__).resolve().parents[1] / "families"
BRIDGES: dict[str, tuple[str, str, dict[str, str]]] = {
    "bridge.lookup_one_hot": ("lookup-one-hot", "lookup-one-hot", {"N": "8"}),
    "bridge.dyck_k_d": ("dyck-k-d", "dyck-k-d", {"K": "2", "D": "4"}),
    "bridge.induction_most_recent": ("induction-most-recent", "induction-most-recent", {"S": "4"}),
    "bridge.induction_most_frequent": ("induction-most-frequent", "induction-most-frequent", {"S": "4"}),
    "bridge.boolean": ("boolean", "boolean", {"m": "2", "M": "4", "xi": "0 0 0 1 1 0 1 1", "phi": "0 1 1 0"}),
    "bridge.cpwl": ("cpwl", "cpwl", {"P": "2", "xs": "0 1 2", "ys": "0 1 0", "m": "1 -1"}),
    "bridge.max": ("max", "max-of-three", {"K": "3"}),
    "bridge.min": ("min", "min-of-three", {"K": "3"}),
    "bridge.identity": ("identity", "identity", {"d": "1"}),
    "bridge.network": (
        "network",
        "network-of-three",
        {"d": "2", "h": "3", "e": "2", "W": "1 0 1 -1 0 2", "b": "0 1 -1/2", "V": "1 -1 0 0 2 1", "c": "0 1"},
    ),
    "bridge.copies": ("copies", "abs-of-two", {"d": "2", "h": "2", "W": "1 -1", "b": "0 0", "V": "1 1"}),
    "bridge.boolean_signs": (
        "boolean-signs",
        "boolean-signs",
        {"m": "2", "M": "4", "xi": "0 0 0 1 1 0 1 1", "phi": "0 1 1 0"},
    ),
    "bridge.count": ("count", "count-of-two", {"S": "2"}),
    "bridge.automaton": (
        "automaton",
        "automaton-parity",
        {"K": "2", "S": "2", "first": "1", "R": "4", "delta": "1 2 2 1", "final": "0 1"},
    ),
    "bridge.automaton_run": (
        "automaton-run",
        "automaton-run-parity",
        {"K": "2", "S": "2", "first": "1", "R": "3", "delta": "1 2 2 1", "final": "0 1"},
    ),
    "bridge.turing": ("turing", "turing-step", {
        "Q": "2", "S": "1", "G": "1", "K": "1", "R": "1", "first": "1", "final": "0 1", "from": "1", "to": "2",
        "read": "1 0", "print": "0 1", "move": "1 -1"}),
    "bridge.since": (
        "since",
        "since-formula",
        {
            "L": "4",
            "S": "2",
            "scaled": "0",
            "op": "0 0 4 1",
            "letter": "0 1 0 0",
            "left": "1 1 1 3",
            "right": "1 1 2 3",
        },
    ),
    "bridge.temporal": (
        "temporal",
        "temporal-formula",
        {
            "L": "4",
            "S": "2",
            "scaled": "0",
            "op": "0 6 7 4",
            "letter": "0 0 0 0",
            "left": "1 1 1 2",
            "right": "1 1 1 3",
        },
    ),
    "bridge.temporal_past": (
        "temporal-past",
        "temporal-past-formula",
        {
            "L": "4",
            "S": "2",
            "scaled": "1",
            "op": "0 0 6 4",
            "letter": "0 1 0 0",
            "left": "1 1 1 3",
            "right": "1 1 1 2",
        },
    ),
    "bridge.counting": (
        "counting",
        "counting-formula",
        {
            "L": "2",
            "S": "2",
            "N": "2",
            "Lambda": "2",
            "scaled": "0",
            "op": "0 11",
            "letter": "0 0",
            "left": "1 1",
            "right": "1 1",
            "theta": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
            "lam": "0 0 1 0",
            "rho": "0 0 -1 0",
            "bound": "0 0",
        },
    ),
    "bridge.counting_past": (
        "counting-past",
        "counting-past-formula",
        {
            "L": "3",
            "S": "2",
            "N": "2",
            "Lambda": "2",
            "op": "0 11 9",
            "letter": "0 0 0",
            "left": "1 1 2",
            "right": "1 1 1",
            "theta": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 1 0",
            "lam": "0 0 0 2 0 0 0 0 0",
            "bound": "0 1 0",
        },
    ),
    "bridge.logic": (
        "logic",
        "logic-formula",
        {
            "L": "3",
            "S": "2",
            "N": "2",
            "Lambda": "2",
            "scaled": "0",
            "op": "0 6 11",
            "letter": "0 0 0",
            "left": "1 1 1",
            "right": "1 1 1",
            "theta": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
            "lam": "0 0 0 0 0 0 0 1 0",
            "rho": "0 0 0 0 0 0 -1 0 0",
            "bound": "0 0 0",
        },
    ),
    "bridge.logic_past": (
        "logic-past",
        "logic-past-formula",
        {
            "L": "3",
            "S": "2",
            "N": "2",
            "Lambda": "2",
            "op": "0 6 11",
            "letter": "0 0 0",
            "left": "1 1 1",
            "right": "1 1 1",
            "theta": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
            "lam": "0 0 0 0 0 0 1 -1 0",
            "bound": "0 0 0",
        },
    ),
    "bridge.attention_identity": (
        "attention-identity", "attention-identity", {"d": "2", "h": "1", "Q": "1 0", "W": "0 1"}),
    "bridge.lookup_quadratic": ("lookup-quadratic", "lookup-quadratic", {"gamma": "1"}),
    "bridge.lookup_almost_orthogonal": ("lookup-almost-orthogonal", "lookup-tetrahedron", {
        "N": "4", "m": "3", "c": "1/3", "eps": "1/3", "X": "1 1 -1 -1 1 -1 1 -1 1 -1 -1 1"}),
    "bridge.tie_break": ("tie-break", "tie-break-of-a-head", {
        "d": "2", "h": "1", "gamma": "1/2", "side": "-1", "Q": "1 0", "W": "0 1"}),
    "bridge.induction_by_term": (
        "induction-by-term", "induction-by-term", {"S": "4", "term": "1", "beta": "1"}),
    "bridge.since_until": (
        "since-until",
        "since-until-formula",
        {
            "L": "5",
            "S": "2",
            "scaled": "0",
            "op": "0 0 1 4 5",
            "letter": "0 1 0 0 0",
            "left": "1 1 1 1 3",
            "right": "1 1 1 2 4",
        },
    ),
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
