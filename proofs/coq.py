"""Statements and certificates as a Coq development, and Coq as its judge.

    python proofs/coq.py -o DIR ID...            write the development of these ids and of their lemmas into DIR
    python proofs/coq.py -o DIR --all            that of everything that has a proof
    python proofs/coq.py -o DIR --changed        all that is not recorded as it is today; lemmas are axioms in the files
                                                 that use them
    python proofs/coq.py -o DIR --sample 40      a seeded sample beside what --changed has, without what takes long
    --check    let coqc check what is written, and list what the theorems rest on; exit 1 where anything is refused
    --record   add what was accepted to symcook/data/coq.json (with --check)
    --seed S   another sample

A folder that was written before is taken up again: what coqc has accepted is not checked twice.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from symcook.claims import inventory
from symcook.coq.checker import certificates, statements
from symcook.coq.development import Development
from symcook.coq.judge import Judgement, coqc, coqc_version, fresh, verdict
from symcook.coq.models import model_text, stored_models
from symcook.coq.record import PATH, made, stale, stale_models, stored
from symcook.coq.statement import known_ids
from symcook.errors import BadInput, SymcookError, unknown

SHORT = 60_000  # characters of the longest certificate that a sample may hold
SHORT_STATEMENT = 5_000  # of the longest statement; those about networks with layer norm are longer
SHORT_MODEL = 30_000  # characters of the longest text of a stored model there; with layer norm it takes half a minute


@cache
def brief(name: str) -> bool:
    """Whether a theorem does not take long; one with enclosures does."""
    if name in statements() and len(statements()[name].text) > SHORT_STATEMENT:
        return False
    text = str(certificates()[name])
    return len(text) <= SHORT and "'interval'" not in text


def short(ids: Sequence[str], models: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those among ids and stored models that do not take long."""
    return [name for name in ids if brief(name)], [name for name in models if len(model_text(name)) <= SHORT_MODEL]


def sample(count: int, seed: int) -> tuple[list[str], list[str]]:
    """`count` ids by `seed`, and a tenth as many stored models; those with long texts are left out."""
    some = random.Random(seed)
    ids, models = short(sorted(certificates()), stored_models())
    return some.sample(ids, min(count, len(ids))), some.sample(models, min(-(-count // 10), len(models)))


def record(development: Development, found: Judgement, axioms: set[str]) -> None:
    """Add what was accepted to the record, and take out what was refused."""
    seen = {name: name in found.accepted for name in development.ids}
    models = {name: found.files[file]["accepted"] for file, name in development.models.items()}
    PATH.write_text(made(coqc_version(), seen, models, axioms), encoding="utf-8")
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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args(arguments)
    try:
        if bool(given.ids) + given.all + (given.changed or given.sample is not None) != 1:
            raise BadInput("ids, --all, --changed or --sample must be given, and one of them")
        if given.sample is not None and given.sample < 1:
            raise BadInput("a sample must be a positive number of certificates", given.sample)
        if given.record and not given.check:
            raise BadInput("--record must stand with --check")
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
            kept = short(ids, models or [])
            left = sorted({*ids, *(models or ())} - {*kept[0], *kept[1]})
            if left:
                print(f"too long for a sample, left to --changed: {', '.join(left)}")
            ids, models = kept
            drawn, runs = sample(given.sample, given.seed)
            print(f"besides {len(drawn)} theorems and {len(runs)} models by the seed {given.seed}")
            ids, models = list(dict.fromkeys([*ids, *drawn])), list(dict.fromkeys([*(models or ()), *runs]))
        development = Development(ids, alone, together=not given.ids, models=models)
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
