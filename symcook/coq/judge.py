"""Coq as the judge: coqc on the files of a development, one after another; what was accepted is kept in the folder.

A file is checked again only where its text, or that of a file below it, has changed; so a long run can be broken off
and taken up again. Nothing here is trusted: `make` in the folder does the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from symcook.coq.development import Development, assumptions_file, lemmas_of, module_name, put, required
from symcook.errors import BadInput

VERSION = "8.16"
RECORD = "checked.json"
# What a theorem may rest on: Coq's own axioms of the classical reals, and its machine integers where an enclosure is
# computed. No axiom is ours.
CLASSICAL = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "ClassicalEpsilon.constructive_indefinite_description",
        "Classical_Prop.classic",
    }
)
MACHINE = re.compile(r"(PrimInt63|Uint63)\.\w+")
GROUP = 40  # theorems whose assumptions are asked for together
INSTALL = "install Coq: apt-get install coq libcoq-coquelicot libcoq-interval"


def coqc() -> str:
    """The path of coqc. Raises BadInput where it is missing or of another version."""
    path = shutil.which("coqc")
    if path is None:
        raise BadInput("coqc must be installed, with Coquelicot and coq-interval", "none", INSTALL)
    version = coqc_version()
    if not version.startswith(f"{VERSION}."):
        raise BadInput(f"coqc must be of version {VERSION}", version, INSTALL)
    return path


def coqc_version() -> str:
    done = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=False)
    return done.stdout.split()[0] if done.stdout.split() else "none"


def fresh(folder: Path) -> None:
    """BadInput where `folder` holds something else than a development."""
    if folder.exists() and not folder.is_dir():
        raise BadInput("the target must be a folder", str(folder))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "_CoqProject").is_file():
        raise BadInput("the target must be empty, or a development that this command wrote", str(folder))


class Judge:
    """coqc in one folder."""

    def __init__(self, folder: Path, seconds: int = 900) -> None:
        self.folder, self.seconds, self.path = folder, seconds, coqc()
        record = folder / RECORD
        self.record: dict[str, Any] = json.loads(record.read_text()) if record.is_file() else {}

    def run(self, module: str) -> tuple[bool, str, float]:
        """Whether coqc accepts a file, what it says, and the processor seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.path, "-q", "-w", "none", "-Q", ".", "Symcook", f"{module}.v"]
        try:
            done = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, timeout=self.seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return False, f"coqc took longer than {self.seconds} s", float(self.seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.returncode == 0, done.stdout + done.stderr, round(spent, 2)

    def stamp(self, source: str) -> str:
        """The hash of a file and of all below it."""
        below = [self.record.get(module, {}).get("stamp", "") for module in required(source)]
        return hashlib.sha256("\n".join([source, *below]).encode()).hexdigest()

    def check(self, module: str, source: str) -> dict[str, Any]:
        """The record of a file after coqc has seen it: `accepted`, and `message` where it is not."""
        stamp = self.stamp(source)
        known = self.record.get(module)
        if known and known["stamp"] == stamp and known["accepted"] and (self.folder / f"{module}.vo").is_file():
            return known
        put(self.folder / f"{module}.v", source)
        refused = [m for m in required(source) if not self.record.get(m, {}).get("accepted")]
        if refused:
            accepted, message, seconds = False, f"{refused[0]}, which it needs, was not accepted", 0.0
        else:
            accepted, message, seconds = self.run(module)
        made = {"stamp": stamp, "accepted": accepted, "seconds": seconds}
        if not accepted:
            made["message"] = message[-2000:]
        self.record[module] = made
        (self.folder / RECORD).write_text(json.dumps(self.record, indent=0))
        return made

    def assumptions(self, modules: Iterable[str]) -> set[str]:
        """The axioms that the theorems of these files rest on together."""
        found: set[str] = set()
        names = list(modules)
        for start in range(0, len(names), GROUP):
            group = names[start : start + GROUP]
            source = assumptions_file(group)
            put(self.folder / "Assumptions.v", source)
            accepted, message, _ = self.run("Assumptions")
            if not accepted:
                raise AssertionError(message[-2000:])
            found |= axioms_named(message)
        return found


def axioms_named(message: str) -> set[str]:
    """The names in what Print Assumptions says."""
    if "Closed under the global context" in message:
        return set()
    _, _, listed = message.partition("Axioms:")
    return set(re.findall(r"^([A-Za-z_][\w.']*)(?= :|\s*$)", listed, re.MULTILINE))


def foreign(axioms: Iterable[str]) -> list[str]:
    """Those that no theorem may rest on."""
    return sorted(a for a in axioms if a not in CLASSICAL and not MACHINE.fullmatch(a))


def judge(
    development: Development, folder: Path, say: Callable[[str], None], seconds: int = 900
) -> dict[str, dict[str, Any]]:
    """Write a development into `folder` and let Coq check it, file by file. A line is said for each file that is not
    accepted, and for each tenth that is. Returns the record of each module."""
    fresh(folder)
    inspector = Judge(folder, seconds)
    development.project(folder)
    out: dict[str, dict[str, Any]] = {}

    def check(module: str) -> None:
        """A file, after those that it needs."""
        source = development.text(module)
        for below in required(source):
            if below not in out:
                check(below)
        out[module] = inspector.check(module, source)
        development.forget(module)
        if not out[module]["accepted"]:
            say(f"refused  {module}: {out[module]['message'].strip()[-400:]}")
        elif len(out) % 10 == 0:
            say(f"{len(out)} files")

    for module in development.short_first():
        if module not in out:
            check(module)
    return out


def verdict(development: Development, folder: Path, say: Callable[[str], None]) -> bool:
    """`judge`, then what the accepted theorems rest on; whether all is as it must be."""
    record = judge(development, folder, say)
    accepted = [name for name in development.ids if record[module_name(name)]["accepted"]]
    axioms = Judge(folder).assumptions(map(module_name, accepted)) if accepted else set()
    lemmas = (
        {f"{module_name(lemma)}.proof" for name in accepted for lemma in lemmas_of(name)}
        if development.alone
        else set()
    )
    axioms -= {a for a in axioms if any(a.endswith(lemma) for lemma in lemmas)}
    outside = foreign(axioms)
    spent = sum(one["seconds"] for one in record.values())
    say(f"Coq accepts {len(accepted)} of {len(development.ids)} theorems ({spent:.0f} s)")
    shown = sorted(a for a in axioms if not MACHINE.fullmatch(a))
    shown += ["Coq's machine integers"] if len(shown) < len(axioms) else []
    say(f"they rest on {', '.join(shown) or 'no axiom'}")
    if outside:
        say(f"not allowed: {', '.join(outside)}")
    return len(accepted) == len(development.ids) and not outside
