"""Statements and certificates as a Coq development, and Coq as its judge.

    python proofs/coq.py -o DIR ID...            write the development of these ids and of their lemmas into DIR
    python proofs/coq.py -o DIR --all            that of everything that has a proof
    python proofs/coq.py -o DIR --sample 40      a seeded sample and all that changed since the last record; lemmas are
                                                 axioms in the files that use them
    --check    let coqc check what is written, and list what the theorems rest on; exit 1 where anything is refused
    --record   write what was accepted to symcook/data/coq.json (with --all --check)
    --seed S   another sample

A folder that was written before is taken up again: what coqc has accepted is not checked twice.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from symcook.claims import inventory
from symcook.coq.checker import certificates, statements
from symcook.coq.development import Development
from symcook.coq.judge import Judgement, coqc, coqc_version, fresh, verdict
from symcook.coq.record import PATH, changed, made
from symcook.coq.statement import known_ids
from symcook.errors import BadInput, SymcookError, unknown

SHORT = 60_000  # characters of the longest certificate that a sample may hold


def sample(count: int, seed: int) -> list[str]:
    """`count` ids by `seed`, the longest certificates left out, and those that changed since the last full record."""
    short = sorted(name for name, data in certificates().items() if len(str(data)) <= SHORT)
    some = random.Random(seed).sample(short, min(count, len(short)))
    others = [name for name in changed(known_ids()) if name not in some]
    print(f"{len(some)} certificates by the seed {seed}, and {len(others)} that changed since all were checked")
    return [*some, *others]


def record(development: Development, found: Judgement, axioms: set[str]) -> None:
    """Write what was accepted."""
    digests = {name: statements()[name].digest for name in found.accepted}
    PATH.write_text(made(coqc_version(), len(development.ids), digests, axioms), encoding="utf-8")
    print(f"{len(digests)} of {len(development.ids)} theorems recorded")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args(arguments)
    try:
        ways = [bool(given.ids), given.all, given.sample is not None]
        if sum(ways) != 1:
            raise BadInput("ids, --all or --sample must be given, and one of them")
        if given.sample is not None and given.sample < 1:
            raise BadInput("a sample must be a positive number of certificates", given.sample)
        if given.record and not (given.all and given.check):
            raise BadInput("--record must stand with --all and --check")
        for name in given.ids:
            if name not in statements() and name not in inventory():
                raise unknown("statement", name, [*statements()])
        alone = given.sample is not None
        drawn = None if given.sample is None else sample(given.sample, given.seed)
        ids = drawn if drawn is not None else known_ids() if given.all else given.ids
        development = Development(ids, alone, together=not given.ids)
        fresh(given.folder)
        if given.check:
            coqc()
        else:
            development.write(given.folder)
            print(f"{len(development.ids)} theorems in {given.folder}; make -j2 there lets Coq check them")
            return 0
        found, axioms, good = verdict(development, given.folder, lambda line: print(line, flush=True))
        if given.record:
            record(development, found, axioms)
        return 0 if good else 1
    except SymcookError as error:
        print(error, file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
