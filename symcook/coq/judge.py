"""Coq as the judge: coqc on the files of a development; what was accepted is kept in the folder.

A file is checked again only where its text, or that of a file below it, or what coqc made of it has changed; so a
long run can be broken off and taken up again. What has been proved is named here, by the files that say it; then coqchk
looks at everything again. `make check` in the folder does the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import BoundedSemaphore, Lock
from typing import Any

from symcook.coq.checker import deep, statements
from symcook.coq.chk import CLASSICAL, VERSION, axioms_named, coqchk, foreign, shown
from symcook.coq.development import HEAP, Development, put, required
from symcook.coq.said import not_said, wrong_trees
from symcook.coq.statement import module_name
from symcook.errors import BadInput

RECORD = "checked.json"
JOBS = 2  # files that are checked at a time
INSTALL = "install Coq: apt-get install coq libcoq-coquelicot libcoq-interval"


def coqc() -> str:
    """The path of coqc. Raises BadInput where it is missing or of another version."""
    path = shutil.which("coqc")
    if path is None:
        raise BadInput("coqc must be installed, with Coquelicot and coq-interval", "none", INSTALL)
    version = coqc_version()
    if not version.startswith(f"{VERSION}."):
        raise BadInput(f"coqc must be of version {VERSION}", version, INSTALL)
    if shutil.which("coqchk") is None:
        raise BadInput("coqchk must be installed beside coqc", "none", INSTALL)
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
    """coqc in one folder. The record has for each file the hash of what was judged, and whether it was accepted."""

    def __init__(self, folder: Path, seconds: int = 3600) -> None:
        self.folder, self.seconds, self.path = folder, seconds, coqc()
        record = folder / RECORD
        self.record: dict[str, Any] = json.loads(record.read_text()) if record.is_file() else {}
        self.writing, self.turn = Lock(), BoundedSemaphore(JOBS)

    def run(self, file: str) -> tuple[bool, str, float]:
        """Whether coqc accepts a file, what it says, and the processor seconds."""
        limited = ["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(self.seconds)]  # processor time: others may be at work
        command = [*limited, self.path, "-q", "-w", "none", "-noglob", "-Q", ".", "Symcook", f"{file}.v"]
        heap = {"OCAMLRUNPARAM": HEAP, **os.environ}
        with self.turn, TemporaryFile("w+") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdout=said, stderr=subprocess.STDOUT, env=heap)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            message = said.read()
        if process.returncode < 0:
            message = f"coqc was ended: it took {self.seconds} s of processor time, or was stopped from outside"
        return process.returncode == 0, message, round(used.ru_utime + used.ru_stime, 2)

    def stamp(self, source: str) -> str:
        """The hash of a file and of all below it."""
        below = [self.record.get(file, {}).get("stamp", "") for file in required(source)]
        return hashlib.sha256("\n".join([source, *below]).encode()).hexdigest()

    def check(self, file: str, source: str) -> dict[str, Any]:
        """The record of a file after coqc has seen it: `accepted`, and `message` where it is not. What it needs must
        have been checked before."""
        stamp = self.stamp(source)
        known = self.record.get(file)
        if known and known["stamp"] == stamp and known["accepted"] and self.unchanged(file):
            return known
        put(self.folder / f"{file}.v", source)
        refused = [one for one in required(source) if not self.record.get(one, {}).get("accepted")]
        if refused:
            accepted, message, seconds = False, f"{refused[0]}, which it needs, was not accepted", 0.0
        else:
            accepted, message, seconds = self.run(file)
            if accepted and (self.folder / f"{file}.v").read_text(encoding="utf-8") != source:
                accepted, message = False, "the file was changed while coqc read it"
        return self.keep(file, stamp, accepted, seconds, message)

    def unchanged(self, file: str) -> bool:
        """Whether a file, and what coqc made of it, are those that were accepted."""
        return self.record.get(file, {}).get("files") == self.hashes(file)

    def hashes(self, file: str) -> list[str]:
        paths = (self.folder / f"{file}{end}" for end in (".v", ".vo"))
        return [hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in paths]

    def keep(self, file: str, stamp: str, accepted: bool, seconds: float, message: str) -> dict[str, Any]:
        made = {"stamp": stamp, "accepted": accepted, "seconds": seconds}
        made |= {"files": self.hashes(file)} if accepted else {"message": message.strip()[-2000:]}
        with self.writing:
            self.record[file] = made
            (self.folder / RECORD).write_text(json.dumps(self.record, indent=0))
        return made

    def looked_at(self, files: Sequence[str], allowed: Collection[str]) -> tuple[set[str], list[str]]:
        """The axioms that coqchk finds in these files and in all below them, and what must not be there; in two runs.
        What was looked at before and found right is not looked at again. `allowed`: axioms of ours."""
        new = [file for file in files if "axioms" not in self.record[file]]
        shares = [share for k in range(JOBS) if (share := new[k::JOBS])]
        wrong = []
        with ThreadPoolExecutor(JOBS) as pool:
            answers = pool.map(lambda share: coqchk(self.folder, share), shares)
            for share, (accepted, message) in zip(shares, answers, strict=True):
                found = axioms_named(message) if accepted else None
                if found is None:
                    wrong.append(f"coqchk: {message.strip()[-2000:]}")
                elif others := foreign(found, allowed):
                    wrong += [f"not allowed: {axiom}" for axiom in others]
                else:
                    for file in share:
                        self.record[file]["axioms"] = shown(found)
        (self.folder / RECORD).write_text(json.dumps(self.record, indent=0))
        return set().union(*(self.record[file].get("axioms", ()) for file in files)), wrong


@dataclass
class Judgement:
    """What coqc says of the files of a development, which statements it accepts, and the files of which models.
    `sound`: whether what is accepted is as it must be."""

    files: dict[str, dict[str, Any]]
    accepted: list[str]
    runs: list[str]
    sound: bool = False

    @property
    def seconds(self) -> float:
        """Processor seconds of coqc for all files, whenever they were judged."""
        return sum(one["seconds"] for one in self.files.values())


@deep()
def judge(development: Development, folder: Path, say: Callable[[str], None], seconds: int = 3600) -> Judgement:
    """Write a development into `folder` and let Coq check it, two files at a time; a third is translated meanwhile. Of
    the files whose lemmas are checked, that comes first on which the longest work waits. A line is said for each file
    that is not accepted, and for each tenth one. A file of several statements that is refused is taken apart."""
    fresh(folder)
    inspector = Judge(folder, seconds)
    development.project(folder)
    files = development.files()
    found: dict[str, dict[str, Any]] = {}
    translating = Lock()

    def check(file: str) -> None:
        try:
            with translating:
                source = development.text(file)
            result = inspector.check(file, source)
        except Exception as error:  # a fault of the translator refuses one file, it does not end the run
            said = str(error) if isinstance(error, BadInput) else f"it cannot be translated: {error!r}"
            result = inspector.keep(file, "", False, 0.0, said)
        if not result["accepted"] and len(development.groups.get(file, ())) > 1:
            say(f"refused  {file}, which is taken apart: {result['message'][-400:]}")
            for part in development.apart(file):
                check(part)
            return
        found[file] = result
        if not result["accepted"]:
            say(f"refused  {file}: {result['message'][-400:]}")
        elif len(found) % 10 == 0:
            say(f"{len(found)} of {len(files)} files")

    waiting = {file: set(development.below(file)) for file in files}
    urgent = sorted(files, key=urgency(development, waiting).__getitem__, reverse=True)
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(JOBS + 1) as pool:
        while waiting or running:
            for file in [f for f in urgent if f in waiting and not waiting[f]][: JOBS + 1 - len(running)]:
                del waiting[file]
                running[pool.submit(check, file)] = file
            done = next(as_completed(running))
            done.result()
            file = running.pop(done)
            for below in waiting.values():
                below.discard(file)
    accepted = [name for name in development.ids if found[development.place[name]]["accepted"]]
    runs = [file for file in development.models if found[file]["accepted"] and found[f"{file}_proof"]["accepted"]]
    return Judgement(found, accepted, runs)


def urgency(development: Development, below: Mapping[str, Collection[str]]) -> dict[str, int]:
    """How much work there is from each file to the end at least: its own, and that of what waits for it."""
    out: dict[str, int] = {}
    above: dict[str, list[str]] = {file: [] for file in below}
    for file, needed in below.items():
        for one in needed:
            above[one].append(file)

    def found(file: str) -> int:
        if file not in out:
            out[file] = development.size(file) + max(map(found, above[file]), default=0)
        return out[file]

    return {file: found(file) for file in below}


def unsaid(development: Development, folder: Path) -> list[str]:
    """What is wrong with the files that a stranger reads: one that holds more than definitions, or another tree than
    that of the hash."""
    wrong = []
    for file in [*development.said, *development.models]:
        text = (folder / f"{file}.v").read_text(encoding="utf-8") if (folder / f"{file}.v").is_file() else ""
        if (sentence := not_said(text)) is not None:
            wrong.append(f"{file}.v must hold nothing but definitions: {sentence[:80]}")
        digests = {module_name(name): statements()[name].digest for name in development.said.get(file, ())}
        wrong += [
            f"{file}.v must say the tree with the hash of {module}" for module in wrong_trees(text, file, digests)
        ]
    return wrong


def verdict(development: Development, folder: Path, say: Callable[[str], None]) -> tuple[Judgement, set[str], bool]:
    """`judge`, what all files rest on, and whether all is as it must be: nothing is refused, every theorem is proved,
    of what is said in the files that say it, coqchk accepts everything, and no file is another one than coqc has seen.
    """
    found = judge(development, folder, say)
    inspector = Judge(folder)
    refused = [file for file, one in found.files.items() if not one["accepted"]]
    wrong = unsaid(development, folder)
    verdicts = development.verdicts(found.accepted, found.runs)
    with ThreadPoolExecutor(JOBS) as pool:
        for file, one in zip(verdicts, pool.map(inspector.check, verdicts, verdicts.values()), strict=True):
            found.files[file] = one
            if not one["accepted"]:
                wrong.append(f"{file}.v, which names what is proved: {one['message'][-400:]}")
    files = [file for file, one in found.files.items() if one["accepted"]]
    axioms, others = inspector.looked_at(files, development.allowed())
    wrong += others
    wrong += [f"{file} is another file than coqc has seen" for file in files if not inspector.unchanged(file)]
    say(f"Coq accepts {len(found.accepted)} of {len(development.ids)} theorems ({found.seconds:.0f} s)")
    if development.models:
        say(f"{len(found.runs)} of {len(development.models)} stored models are proved to be runs")
    names = sorted(axioms & CLASSICAL)
    names += ["Coq's machine integers"] if axioms - CLASSICAL else []
    say(f"they rest on {', '.join(names) or 'no axiom'}")
    for line in wrong:
        say(line)
    missing = [name for name in development.ids if name not in found.accepted]
    missing += [name for file, name in development.models.items() if file not in found.runs]
    if missing:
        say(f"not accepted: {', '.join(missing)}")
    found.sound = not wrong
    return found, axioms, not refused and not wrong
