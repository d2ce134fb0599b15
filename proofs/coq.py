"""Statements and certificates as a Coq development, and Coq as its judge.

    python proofs/coq.py -o DIR ID...            write the development of these ids and of their lemmas into DIR
    python proofs/coq.py -o DIR --all            that of everything that has a proof
    python proofs/coq.py -o DIR --changed        all that is not recorded as it is today; lemmas are axioms in the files
                                                 that use them
    python proofs/coq.py -o DIR --sample 12 --turn 7   what takes Coq about 12 s beside what --changed has; the turns
                                                 together have all, and what takes longer nearly has a turn of its own
    --check    let coqc check what is written, and list what the theorems rest on; exit 1 where anything is refused
    --record   add what is accepted to symcook/data/coq.txt (with --check), and name what is not; nothing, where the
               files are not as they must be, or coqchk refuses any

A folder that was written before is taken up again: what coqc has accepted is not checked twice.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Mapping, Sequence
from heapq import heapreplace
from pathlib import Path

from symcook.claims import inventory
from symcook.coq.checker import certificates, statements
from symcook.coq.development import MODEL, Development
from symcook.coq.judge import Judgement, coqc, fresh, verdict
from symcook.coq.models import stored_models
from symcook.coq.record import PATH, added, stale, stale_models, stored
from symcook.coq.statement import known_ids
from symcook.errors import BadInput, SymcookError, unknown
from symcook.proof.audit import seals
from symcook.proof.runrel import stored_model

MOST = 60  # theorems that a sample has besides because they have changed, and a tenth as many models
SECOND, EACH = 5_000, 1_000
"""Characters of a certificate that take Coq a second, and how many take as long as what comes to each."""


def dealt(sizes: Mapping[str, int], most: int, turn: int) -> tuple[list[str], int]:
    """The names of this turn, whose sizes add up to about `most`, and after how many turns all have had theirs. The
    longest are dealt out first, each to a turn that has least; so no turn has two that are long."""
    turns = max(1, -(-sum(sizes.values()) // most))
    hands, least = [list[str]() for _ in range(turns)], [(0, number) for number in range(turns)]
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        size, number = least[0]
        hands[number].append(name)
        heapreplace(least, (size + sizes[name], number))
    return hands[turn % turns], turns


def sample(seconds: int, turn: int) -> tuple[list[str], list[str], int]:
    """Ids and stored models for this turn, which take Coq about so long, and how many turns there are."""
    sizes = {f"theorem {name}": EACH + len(str(certificates().get(name))) for name in known_ids()}
    sizes |= {f"model {name}": EACH + MODEL * len(str(stored_model(name))) for name in stored_models()}
    drawn, turns = dealt(sizes, seconds * SECOND, turn)
    kinds = [[name.split(" ")[1] for name in drawn if name.startswith(kind)] for kind in ("theorem ", "model ")]
    return kinds[0], kinds[1], turns


def record(development: Development, found: Judgement, axioms: set[str]) -> None:
    """Add what was accepted to the record, and take from it what was refused."""
    seen = {name: name in found.accepted for name in development.ids}
    models = {name: file in found.runs for file, name in development.models.items()}
    seals.write(PATH, added(seen, models, axioms))
    stored.cache_clear()
    print(f"recorded; {len(stale(known_ids()))} theorems and {len(stale_models(stored_models()))} models are not")


def main(arguments: Sequence[str]) -> int:
    gc.set_threshold(100_000, 20, 50)  # as in the command line
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--turn", type=int, default=0, metavar="T")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args(arguments)
    try:
        if bool(given.ids) + given.all + (given.changed or given.sample is not None) != 1:
            raise BadInput("ids, --all, --changed or --sample must be given, and one of them")
        if given.sample is not None and given.sample < 1:
            raise BadInput("a sample must be a positive number of seconds", given.sample)
        if given.record and not given.check:
            raise BadInput("--record must be used with --check")
        for name in given.ids:
            if name not in statements() and name not in inventory():
                raise unknown("statement", name, [*statements()])
        alone = not given.ids and not given.all
        ids, models = given.ids, None
        if given.all:
            ids, models = known_ids(), stored_models()
        elif alone:
            ids, models = stale(known_ids()), stale_models(stored_models())
            print(f"not recorded as they are today: {len(ids)} theorems, {len(models)} models")
        if given.sample is not None:
            if len(ids) + len(models or ()) > MOST:
                print(f"too many for a sample, of which --all --check sees all: only {MOST} of them")
            changed = dealt(dict.fromkeys(ids, 1), MOST, given.turn)[0]
            others = dealt(dict.fromkeys(models or [], 1), MOST // 10, given.turn)[0]
            drawn, runs, turns = sample(given.sample, given.turn)
            print(f"besides {len(drawn)} theorems and {len(runs)} models: turn {given.turn % turns + 1} of {turns}")
            ids, models = list(dict.fromkeys([*changed, *drawn])), list(dict.fromkeys([*others, *runs]))
        development = Development(ids, alone, together=not given.ids, models=models)
        fresh(given.folder)
        if given.check:
            coqc()
        else:
            development.write(given.folder)
            print(f"{len(development.ids)} theorems in {given.folder}; make -j2 there lets Coq check them")
            return 0
        found, axioms, good = verdict(development, given.folder, lambda line: print(line, flush=True))
        if given.record and found.sound:
            record(development, found, axioms)
        elif given.record:
            print("nothing is recorded")
        return 0 if good else 1
    except SymcookError as error:
        print(error.sentence, file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
