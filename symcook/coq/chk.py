"""coqchk: compiled files looked at again by a second program, which names all that they suppose by whole names.

Its answer is taken only where all of it is understood: what it has about any file that switches a check off, or
supposes anything, stands there.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path

VERSION = "8.16"  # of Coq
# What a theorem may rest on: Coq's own axioms of the classical reals, and its machine integers where an enclosure is
# computed. No axiom is ours.
CLASSICAL = frozenset(
    {
        "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
        "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
        "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
        "Coq.Logic.ClassicalEpsilon.constructive_indefinite_description",
        "Coq.Logic.Classical_Prop.classic",
    }
)
MACHINE = re.compile(r"Coq\.Numbers\.Cyclic\.Int63\.(PrimInt63|Uint63)\.\w+", re.ASCII)
# Definitions of Coq's library that stand behind a module type; coqchk cannot tell them from axioms.
SEALED = re.compile(r"Coq\.(Reals\.Rdefinitions\.(RbaseSymbolsImpl|RinvImpl)|ssr\.ssrunder\.Under_rel)\.\w+", re.ASCII)

SUMMARY = re.compile(
    r"""\s*CONTEXT\ SUMMARY\n=+\n\s*
\*\ Theory:\ Set\ is\ predicative\n\s*
\*\ Axioms:(?P<axioms>\ <none>|(\n\ \ \ \ \S+)+)\n\s*
\*\ Constants/Inductives\ relying\ on\ type-in-type:\ <none>\n\s*
\*\ Constants/Inductives\ relying\ on\ unsafe\ \(co\)fixpoints:\ <none>\n\s*
\*\ Inductives\ whose\ positivity\ is\ assumed:\ <none>\s*""",
    re.VERBOSE,
)


def coqchk(folder: Path, files: Iterable[str]) -> tuple[bool, str]:
    """Whether coqchk accepts these compiled files, and what it says of them and of what they load. Those below are not
    looked at, unless they are among these. Coq's virtual machine computes where coqc let it."""
    asked = [part for file in files for part in ("-norec", f"Symcook.{file}")]
    command = ["coqchk", "-silent", "-o", "-bytecode-compiler", "yes", "-Q", ".", "Symcook", *asked]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def axioms_named(message: str) -> set[str] | None:
    """The axioms in what coqchk says; None where it says anything else than that there are no more."""
    found = SUMMARY.fullmatch(message)
    return None if found is None else {one for one in found["axioms"].split() if one != "<none>"}


def foreign(axioms: Iterable[str], allowed: Collection[str] = ()) -> list[str]:
    """Those that no theorem may rest on. `allowed`: the whole names of the lemmas that are supposed."""
    known = (CLASSICAL, allowed)
    return sorted(
        a
        for a in axioms
        if not any(a in some for some in known) and not MACHINE.fullmatch(a) and not SEALED.fullmatch(a)
    )


def shown(axioms: Iterable[str]) -> list[str]:
    """What is recorded: Coq's axioms among them, without what is sealed."""
    return sorted(a for a in axioms if a in CLASSICAL or MACHINE.fullmatch(a))
