"""Attacks that draw many cases, for a given time: `python tests/campaign.py [NAME..] [--minutes M] [--seed S]`.

    python tests/campaign.py --list              the campaigns, with what one part of each runs
    python tests/campaign.py fuzz --minutes 30   one of them; without names all, each for its share of the minutes (60)

A campaign goes part by part, each with other cases (of one seed). No part begins after the time, and the next run goes
on behind the last part that `tests/campaigns.tsv` has for the campaign and the seed. Each run of a campaign adds one
line there: date, commit, seed, parts, minutes, and what was found. What is found becomes a test of layer one; how it
was found goes to benchmarks/diaries/searches.md. Exit 1 where something was found.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
RECORD = TESTS / "campaigns.tsv"
HEADER = "date\tcommit\tseed\tcampaign\tparts\tminutes\tfound\n"
KEPT = Path(tempfile.gettempdir()) / "symcook-campaigns"
"""Where campaigns keep what they need again: copies for mutants, what Coq has compiled."""


class Campaign(NamedTuple):
    """What is attacked, how many parts there are (None: no end), and the command of part K with seed S, which is its
    arguments behind `python`. Something was found where the exit code says so, or a line that has `wrong` in it."""

    attacks: str
    parts: int | None
    command: Callable[[int, int], list[str]]
    wrong: str = "WRONG"


def drawn(script: str, each: int, first: str | None = None) -> Callable[[int, int], list[str]]:
    """Part k of a script that takes how many cases, and the number of the first: a million numbers a seed."""

    def command(k: int, seed: int) -> list[str]:
        start = str((seed - 1) * 1_000_000 + k * each)
        return [f"tests/{script}", str(each), *([first, start] if first else [start])]

    return command


def between(script: str, each: int) -> Callable[[int, int], list[str]]:
    """Part k of a script that takes the first number and the one behind the last."""

    def command(k: int, seed: int) -> list[str]:
        start = (seed - 1) * 1_000_000 + k * each
        return [f"tests/{script}", str(start), str(start + each)]

    return command


def rules(kind: str) -> Callable[[int, int], list[str]]:
    """Part k of an attack by rule on what is stored."""
    return lambda k, seed: [
        *("tests/attacks/proofs.py", kind, "--second"),
        *("--count", "500", "--first", str((seed - 1) * 1_000_000 + 500 * k)),
    ]


CASES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in TESTS.rglob("*.py")
    if path.name != "conftest.py" and re.search(r"mark\.(campaign|layer_two)\b", path.read_text(encoding="utf-8"))
)
"""The files with cases that no layer runs."""
KINDS = sorted(path.stem for path in (TESTS / "corpora").glob("*.jsonl") if path.stem != "models")
CAMPAIGNS = {
    "mutants": Campaign("one change of the code at a time: does a test notice?", None, lambda k, seed: [
        "tests/mutants.py", str(KEPT / f"mutants-{commit()}"), "--seed", str(seed), "--count", str(10 * (k + 1))]),
    "fuzz": Campaign("mutated command lines and files, 30,000 in all", 60, drawn("fuzz.py", 500, first="--first")),
    "kills": Campaign("a sweep that is killed at random moments, and goes on", None, lambda k, seed: [
        "tests/verify/kills.py", "10"]),
    "forgeries": Campaign("damaged certificates of stored proofs", None, rules("proofs")),
    "statements": Campaign("changed statements with the stored proof", None, rules("statements")),
    "fields": Campaign("each field of stored files, with every digest made anew", 30, lambda k, seed: [
        "tests/attacks/forged_fields.py", ("checkpoint", "export", "claim")[k % 3], "--first", str(k // 3 * 200)]),
    "bits": Campaign("each byte of an export's certificate, replaced and forged", 1, lambda k, seed: [
        *("-m", "pytest", "-q", "-m", "", "tests/export/test_certificates_forged.py")]),
    "arguments": Campaign("each public function with wrong arguments", 1, lambda k, seed: [
        "tests/attacks/wrong_arguments.py"], ") -> "),
    "models": Campaign("random models, all questions, against all short strings", None, lambda k, seed: [
        "tests/attacks/models_at_random.py", "--seed", str(seed), "--from", str(10 * k), "--count", "10"]),
    "piecewise": Campaign("cases of random piecewise linear models", None, lambda k, seed: [
        "tests/attacks/piecewise.py", "--seed", str(1_000_000 * (seed - 1) + 100 * k), "--count", "100"]),
    "rounding": Campaign("models with thin margins in eight kinds of arithmetic", None, lambda k, seed: [
        "tests/attacks/test_rounding.py", "100", str(1_000 * seed + k)]),
    "rounded-runs": Campaign("machines that round, against the relation of such a run", None, drawn(
        "proof/roundedruns.py", 50)),
    "errors": Campaign("bounds of errors of random models", None, drawn("attacks/bound_error.py", 50)),
    "sentences": Campaign("random sentences about random models", None, drawn("attacks/sentences.py", 20)),
    "decisions": Campaign("decisions and claims of models by two generators, in turn", None, lambda k, seed: [
        "tests/attacks/two_generators.py", ("weights", "programs")[k % 2], "--seed", str(seed),
        *("--from", str(k // 2 * 100), "--count", "100")]),
    "names": Campaign("closed forms of models with odd names, beside exact runs", None, drawn("odd_names.py", 20)),
    "agreement": Campaign("merged strings against plain loops", None, lambda k, seed: [
        "tests/agreement.py", "--count", "50", "--first", str((seed - 1) * 1_000_000 + 50 * k)]),
    "bridges": Campaign("random instances of families and their bridges", None, lambda k, seed: [
        "tests/proof/test_family_bridges.py", "50", str(1_000 * seed + k)]),
    "relations": Campaign("run relations of instances", None, lambda k, seed: [
        "tests/proof/test_family_relation.py", "50", str(1_000 * seed + k)]),
    "inside": Campaign("questions inside languages", None, between("questions/test_inside.py", 20)),
    "along": Campaign("tolerance by merged prefixes", None, between("questions/test_along.py", 20)),
    "bits-of-precision": Campaign("precision by merged prefixes", None, between("questions/test_few_bits.py", 20)),
    "corpora": Campaign("every item of the corpora of proofs, a kind a part", len(KINDS), lambda k, seed: [
        "tests/net.py", KINDS[k]]),
    "cases": Campaign("dear cases of tests, and more draws, with the mark `campaign`; a file a part",
        len(CASES), lambda k, seed: [*("-m", "pytest", "-q", "-m", "campaign", CASES[k])]),
    "coq": Campaign("all of Coq, 120 s a part", None, lambda k, seed: [
        *("proofs/coq.py", "-o", str(KEPT / "coq"), "--sample", "120", "--turn", str(k), "--check")]),
    "imports": Campaign("random models of transformers, imported, beside torch", None, lambda k, seed: [
        "tests/attacks/imported_models.py", "--seed", str(seed), "--from", str(5 * k), "--count", "5"]),
    "interop": Campaign("exports in torch, onnx and others, where they are installed", 1, lambda k, seed: [
        *("-m", "pytest", "-q", "-rs", "-m", ""), "tests/export", "tests/compose/test_torch.py",
        "tests/domains/test_beside_torch.py", "tests/published", "tests/test_learn.py"]),
}  # fmt: skip


def commit() -> str:
    """The short hash of what is checked out; a + behind it where files differ from it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or "none"


def next_part(name: str, seed: int) -> int:
    """The part behind the last one that the record has."""
    rows = (line.split("\t") for line in RECORD.read_text(encoding="utf-8").splitlines()) if RECORD.is_file() else ()
    ends = [int(row[4].partition("-")[2]) for row in rows if row[2:4] == [str(seed), name]]
    return max(ends, default=-1) + 1


def run(name: str, seed: int, seconds: float) -> bool:
    """Run parts of a campaign while there is time, add its line to the record; whether something was found."""
    campaign, begun = CAMPAIGNS[name], time.monotonic()
    first = k = next_part(name, seed)
    found: list[str] = []
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(TESTS / place) for place in ("", "thought", "report"))
    }
    while time.monotonic() - begun < seconds and (campaign.parts is None or k < campaign.parts):
        command = campaign.command(k, seed)
        done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
        lines = done.stdout.strip().splitlines()
        print(f"{name} {k}: {lines[-1] if lines else 'nothing printed'}", flush=True)
        if done.returncode or campaign.wrong in done.stdout:
            found.append(f"exit {done.returncode}: python {' '.join(command)}")
            print(found[-1], *lines[-20:], done.stderr[-2000:], sep="\n", flush=True)
        k += 1
    if k == first:
        print(f"{name}: all {campaign.parts} parts of seed {seed} are in the record")
        return False
    minutes = (time.monotonic() - begun) / 60
    row = (datetime.date.today().isoformat(), commit(), seed, name, f"{first}-{k - 1}", f"{minutes:.1f}")
    if not RECORD.is_file():
        RECORD.write_text(HEADER, encoding="utf-8")
    with RECORD.open("a", encoding="utf-8") as file:
        file.write("\t".join(map(str, [*row, "; ".join(found) or "nothing"])) + "\n")
    return bool(found)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Attacks for a given time.")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*CAMPAIGNS, []], help="campaigns (all)")
    parser.add_argument("--minutes", type=float, default=60, help="for all of them together (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the cases, from 1 (1)")
    parser.add_argument("--list", action="store_true", help="list the campaigns and do nothing")
    options = parser.parse_args(arguments)
    if options.minutes <= 0 or options.seed < 1:
        parser.error("--minutes must be positive and --seed at least 1")
    if options.list:
        for name, campaign in CAMPAIGNS.items():
            print(f"{name:18} {campaign.attacks}\n{'':18} python {' '.join(campaign.command(0, options.seed))}")
        return 0
    names = options.names or [*CAMPAIGNS]
    found = [run(name, options.seed, 60 * options.minutes / len(names)) for name in names]
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
