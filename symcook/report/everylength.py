"""The closed forms of a model at every length, with what is proved of them: as text and as JSON."""

from __future__ import annotations

from typing import Any

from symcook.closed import EveryLength
from symcook.proof.forms import Proof


def to_json(found: EveryLength, proof: Proof, certificate: str | None) -> list[dict[str, Any]]:
    """The documents of ``symcook derive --json`` without an input, one a case: its form, what it rests on, whether it
    is proved, and where the certificate was written."""
    way = found.way()
    said = {"way": way, "proved": proof.whole, "certificate": certificate, "missing": proof.missing}
    said["statement"] = None if proof.statement is None else proof.statement.text
    return [form.to_json() | said for form in found.forms]


def text(found: EveryLength, proof: Proof, certificate: str | None) -> str:
    """The cases, the coordinates on the way, and what is proved of them."""
    lines = ["\n\n".join(form.text() for form in found.forms), ""]
    way = found.way()
    if way:
        lines.append("on the way, at position i" + _meanings(found))
        for name, cases in way.items():
            for case in cases:
                value = f"out of reach: {case['why']}" if case["value"] is None else f"{name} = {case['value']}"
                given = f" if {' & '.join(case['conditions'])}" if case["conditions"] else ""
                lines.append(f"  {value}{given}")
        lines.append("")
    lines += proof.said()
    if certificate is not None:
        lines.append(f"certificate: {certificate}")
    return "\n".join(lines)


def _meanings(found: EveryLength) -> str:
    spelling = found.spelling
    counted = [f"p:{a}:i" for a in spelling.world.letters[:-1]] if spelling.world.letters[:-1] else []
    return f" ({', '.join(spelling.meanings(set(counted)))})" if counted else ""
