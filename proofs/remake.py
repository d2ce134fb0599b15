"""Make all records anew, in order: what is of today is left alone.

    python proofs/remake.py            after a change of statements, texts, certificates or files that judge
    python proofs/remake.py --all      and build every proof again, to see whether what finds proofs still finds them
    ... -j 4                           in so many processes; as many as there are processors where nothing is said
    ... --no-coq                       without Coq, which is left out too where it is not installed

1. proofs/expanded.txt; 2. the texts whose record is not of today are built; 3. the first checker replays every
certificate, and what it refuses is built again; 4. the second checker; 5. the ledger; 6. what
Coq has not accepted as it is today. Progress goes to stderr. The same command resumes after Ctrl-C: what was built is
recorded, and Coq's files are kept in build/coq. Exit code 1 where something is refused.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "build" / "remake"
"""Where a run with --all keeps which proofs it has built, until all are."""


class Journal:
    """Which proofs a run with --all has built with the programs of today; it ends when all are built."""

    def __init__(self, path: Path, programs: str) -> None:
        self.path, self.programs = path, programs
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        self.done = {name for name, _, made_by in (line.partition(" ") for line in lines) if made_by == programs}

    def add(self, name: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{name} {self.programs}\n")

    def end(self) -> None:
        self.path.unlink(missing_ok=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build_proofs(every: bool, processes: int) -> int:
    """Build what is not recorded as it is now, and what the first checker refuses; how many give no certificate."""
    import build  # isort: skip
    from symcook.proof import replay
    from symcook.proof.audit import seals
    from symcook.proof.audit.statementfiles import statement_files

    known = replay.statements()
    written, scripts = build.texts(), build.scripts_with_files()
    failed = build.mismatched(scripts, written, known.keys())
    record = build.Record({name: path for name, path in written.items() if name in known}, known)
    names = [name for name in known if name in record.written and not record.current(name)]
    if every:
        programs = seals.digest(*(path.read_bytes() for path in (*build.finders(), *seals.judging("kernel"))))
        journal = Journal(KEPT, programs)
        names = [n for n in known if n in written or n in scripts or n in build.CHECKS]
        left = [name for name in names if name not in journal.done]
        say(f"{len(left)} of {len(names)} proofs are to be built")
        failed += build.build_all(left, record, processes, done=journal.add)
        journal.end()
    elif names:
        say(f"{len(names)} texts are to be built")
        failed += build.build_all(names, record, processes)
    verdicts = replay.replay(progress=progress(), processes=processes)
    refused = [verdict.id for verdict in verdicts if verdict.rejected]
    again = [name for name in refused if name in written or name in scripts or name in build.CHECKS]
    if again and not every:
        say(f"the checker refuses {len(again)} certificates, which are built again")
        failed += build.build_all(again, record, processes)
    if names or again:  # the ledger reads all files as they are now
        for cached in (replay.library, statement_files):
            cached.cache_clear()
        replay.replay(progress=progress(), processes=processes)
    return failed + len(set(refused) - set(again))


def progress() -> Callable[[str], None]:
    """Says each hundredth certificate that is replayed."""

    def told(place: str) -> None:
        if place.partition("/")[0].endswith("00"):
            say(f"replayed: {place.split(' ')[0]}")

    return told


def second_checker() -> int:
    files = (HERE / "checker.py", HERE / "expanded.txt", HERE / "certificates")
    command = [sys.executable, "-I", "-S", "-W", "error", *map(str, files)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    lines = done.stdout.splitlines()
    for line in lines if done.returncode else lines[-1:]:
        say(line)
    return done.returncode


def coq(processes: int) -> int:
    import coq as command  # isort: skip
    from symcook.coq import judge, models, record, statement

    if not record.stale(statement.known_ids()) and not record.stale_models(models.stored_models()):
        say("Coq has accepted everything as it is today")
        return 0
    judge.JOBS = processes
    return command.main(["-o", str(HERE.parent / "build" / "coq"), "--changed", "--check", "--record"])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--no-coq", action="store_true")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="PROCESSES", dest="processes")
    given = parser.parse_args(arguments)
    if given.processes < 1:
        parser.error("-j must be at least 1")
    import expand
    import ledger

    steps: list[tuple[str, Callable[[], int]]] = [
        ("statements with their models written out", lambda: expand.main([])),
        ("proofs, and the first checker", lambda: build_proofs(given.all, given.processes)),
        ("the second checker", second_checker),
        ("the ledger", lambda: ledger.main([])),
    ]
    if not given.no_coq and shutil.which("coqc"):
        steps.append(("Coq", lambda: coq(given.processes)))
    failed, start = [], time.monotonic()
    for what, step in steps:
        before = time.monotonic()
        say(f"== {what}")
        if step():
            failed.append(what)
        say(f"   {time.monotonic() - before:.0f} s")
    verdict = f"not as it must be: {', '.join(failed)}" if failed else "all is made"
    say(f"{(time.monotonic() - start) / 60:.1f} min; {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        sys.exit(130)
