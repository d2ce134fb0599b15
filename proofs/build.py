"""Find all proofs again and write proofs/certificates/ID.json.

    python proofs/build.py            every statement that has a script
    python proofs/build.py ID ...     these only
    python proofs/build.py --check    write nothing; exit 1 where a stored certificate differs

Progress with seconds goes to stderr. What is written was accepted by the checker once already.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import Rejected
from symcook.proof import kernel, replay
from symcook.proof.grammar import GRAMMAR
from symcook.proof.search.refute import refute
from symcook.proof.search.tactics import Goal, Library, Stuck, Tactic, prove
from symcook.verify import sweep

if TYPE_CHECKING:
    from script import Script

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "certificates"
CHECKS = {"model.first-position": 16, "model.dyck-1-nonuniform": 8}
"""Statements that are checked at all instances, and their model by running it, and to which length."""


def scripts() -> dict[str, Script]:
    """All scripts by statement id: SCRIPTS of each module in proofs/scripts."""
    if str(HERE / "scripts") not in sys.path:
        sys.path.insert(0, str(HERE / "scripts"))
    from script import Script

    out: dict[str, Script] = {}
    for path in sorted((HERE / "scripts").glob("*.py")):
        found: dict[str, Script | Tactic] = getattr(import_module(path.stem), "SCRIPTS", {})
        if twice := out.keys() & found.keys():
            raise ValueError(f"two scripts for {', '.join(sorted(twice))}")
        out |= {name: made if isinstance(made, Script) else Script(made) for name, made in found.items()}
    return out


def used(proof: Any) -> Iterator[str]:
    """The labels of lemmas and named assumptions that occur in a proof."""
    if isinstance(proof, str):
        if proof.startswith(("lem:", "#lem:", "named:", "#named:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict):
        for value in proof.values():
            yield from used(value)
    elif isinstance(proof, list):
        for value in proof:
            yield from used(value)


def build(name: str, script: Script, known: Mapping[str, replay.Statement]) -> dict[str, Any]:
    """The certificate of one statement; Stuck or Rejected where the script fails."""
    statement = known[name]
    from places import at_a_place
    from sides import FURTHER

    before = list(known)[: list(known).index(name)]
    facts = {f"ax:{k}": f for k, f in kernel.axioms().items()}
    labels = {known[n].label: known[n] for n in (*(n for n in known if n.startswith("lem.")), *before) if n != name}
    if name.startswith("lem."):
        labels = {known[n].label: known[n] for n in before if n.startswith("lem.")}
    labels |= {s.label: s for s in known.values() if s.assumed}
    facts |= {label: s.formula for label, s in labels.items()}
    home = Library(statement.known, facts, FURTHER.get(name))
    refuted = script.refutes
    defined = inhabited = None
    if refuted:
        proof = refute(home, statement.formula, script.proof, script.defined or at_a_place)
    else:
        proof = prove(home, statement.formula, script.proof)
    if statement.claim and not refuted:
        defined = prove(home, statement.defined, script.defined or Goal.blast)
        inhabited = prove(home, statement.inhabited, script.inhabited or Goal.blast)
    needed = {label for part in (proof, defined, inhabited) for label in used(part)}
    lemmas = [labels[label] for label in needed]
    sense = "refuted" if refuted else "proved"
    certificate = replay.make_certificate(statement, proof, defined, inhabited, lemmas, sense)
    replay.judge(statement, certificate, {s.id: s for s in lemmas})
    return certificate


def check(name: str, length: int, statement: replay.Statement) -> dict[str, Any]:
    """The certificate that names a check of a model; Stuck where the check fails."""
    recipe = name.removeprefix("model.")
    statement.evaluated(length)
    found = sweep.check_recipe(recipe, length)
    if not found.holds:
        raise Stuck(f"the model is wrong on {found.counterexample}")
    asked = {"recipe": recipe, "max_length": length, "strings": found.strings}
    return {"grammar": GRAMMAR, "id": name, "statement": statement.digest, "check": asked}


def text(certificate: Mapping[str, Any]) -> str:
    """The certificate as it is stored: one line for each top-level key."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in certificate.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: list[str]) -> int:
    known = replay.statements()
    every = scripts()
    wanted = [a for a in arguments if not a.startswith("--")]
    failed = 0
    for name in [n for n in known if (n in every or n in CHECKS) and (not wanted or n in wanted)]:
        start = time.perf_counter()
        path = FOLDER / f"{name}.json"
        try:
            if name in CHECKS:
                certificate = check(name, CHECKS[name], known[name])
            else:
                certificate = build(name, every[name], known)
        except (Stuck, Rejected) as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        result = text(certificate)
        if "--check" not in arguments:
            path.write_text(result, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != result:
            failed += 1
            print(f"{name}: the stored certificate differs", file=sys.stderr)
        print(f"{name}: {len(result)} bytes, {time.perf_counter() - start:.2f} s", file=sys.stderr)
    for name in wanted:
        if name not in known or (name not in every and name not in CHECKS):
            failed += 1
            print(f"{name}: no statement or no script", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
