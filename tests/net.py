"""A net under what is proved: each item of the corpora is asked again, and what was lost is named.

    python tests/net.py --all -j 2                  # every item against what is recorded; exit 1 where one is lost
    python tests/net.py --sample 5 bridges          # some of a kind; --new: those without a recorded verdict
    python tests/net.py --all --record --answers F  # records; an interrupted run continues with the answers in file F
    python tests/net.py --draw                      # adds lines for new recipes, families, stored bridges and formulas

`tests/corpora/KIND.jsonl` has one line an item, sorted: the name, what is asked, the verdict, its certificate's prover
(`by`), the reason or the string, the proved parts of closed forms, and the seconds of processor time (information: a
slower machine loses nothing). To add an item write a line with "item" and "asks", then run `--new --record`. Models are
in `models.jsonl`. What seems lost is asked again with three times the limit of processor time.

LOST: less is known than was recorded. CHANGED: what was proved is refuted, or the reverse; one of the two is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from runpy import run_path
from typing import Any

import symcook as sc
from symcook import recipes
from symcook.alarm import TimeUp, Until
from symcook.closed import every_length
from symcook.errors import BadInput, SymcookError
from symcook.model import modelfile
from symcook.model.family import Family, load
from symcook.model.instance import Instance, instance
from symcook.programs.shipped import shipped_program
from symcook.proof.bridges.bridge import Bridge, checked
from symcook.proof.files import proofs_directory
from symcook.proof.programs import compiledprograms
from symcook.proof.runrel import stored_model
from symcook.proof.search import prooftext
from symcook.proof.search.attempts import first_line
from symcook.proof.search.tactics import Stuck
from symcook.proof.statements import certify, inturn, strategies
from symcook.proof.statements.strategies import StatementAsked

TESTS = Path(__file__).resolve().parent
CORPORA = TESTS / "corpora"
SECONDS = {"forms": 30.0, "formulas": 60.0, "claims": 6.0}
"""Processor time of one item; a bridge has the limit of the checker."""

HOW = ("LOST", "CHANGED", "WON", "NEW")
Item = dict[str, Any]
Answer = dict[str, Any]


# --- What is asked ----------------------------------------------------------------------------------------------------


@cache
def models() -> Mapping[str, Any]:
    """The documents of models that items name."""
    lines = (CORPORA / "models.jsonl").read_text(encoding="utf-8").splitlines()
    return {line["model"]: line["document"] for line in map(json.loads, lines)}


def of_forms(asks: Item, seconds: float) -> Answer:
    """The closed forms at every length of a recipe or a model; the parts are the functions whose form is proved."""
    if "recipe" in asks:
        model = recipes.build(asks["recipe"], **asks.get("set", {}))
    else:
        model = modelfile.loads(json.dumps(models()[asks["model"]]))
    proof = inturn.prove(every_length(model), seconds)
    proved: dict[str, bool] = {}
    for claim in proof.claims:
        part = f"{claim.function or claim.coordinate}{' everywhere' if claim.formula.startswith('all i') else ''}"
        proved[part] = proved.get(part, True) and proof.certificate is not None and claim.missing is None
    verdict = "PROVED" if proof.whole else "PARTLY" if proof.certificate else "OPEN"
    why = "; ".join(f"{name}: {reason}" for name, reason in proof.missing.items())
    parts = sorted(part for part, done in proved.items() if done)
    return {"verdict": verdict, "by": "forms", "why": why, "parts": parts}


def of_formulas(asks: Item, seconds: float) -> Answer:
    """That a compiled model answers as its formula or program."""
    softened = {key: asks[key] for key in ("soft", "tau") if key in asks}
    model = sc.compile(asks["language"], asks["source"], alphabet=asks.get("alphabet", "ab"), **softened)
    prover = "programs" if asks["language"] == "srasp" else "formulas"
    return settled(compiledprograms.prove(model, seconds)[1], prover)


def of_bridges(asks: Item, seconds: float) -> Answer:
    """That a model is the instance of a family at these values."""
    name, values = asks["family"], asks["values"]
    family = load(proofs_directory() / "families" / f"{name}.json") if isinstance(name, str) else Family(name)
    stored = asks.get("model")
    document = stored_model(stored) if stored else modelfile.to_document(instance(family, values))
    bridge = Bridge(family, Instance(family, values), document, asks.get("id", "bridge.net"), stored=bool(stored))
    return {"verdict": checked(bridge)[1].words, "by": "bridge"}


def of_claims(asks: Item, seconds: float) -> Answer:
    """A user's statement about a model, by its proof text, else as the command line proves it."""
    document = models()[asks["model"]]
    statement = certify.claim(document, asks["statement"])
    if "text" in asks:
        return settled(certify.settle(statement, document, prooftext.read(asks["text"]), seconds), "text")
    model = modelfile.loads(json.dumps(document))
    question = StatementAsked(model, statement, document, None, seconds, Until(seconds))
    return settled(strategies.settled(question), "automation" if model.program is None else "formulas")


def settled(found: certify.Settled, prover: str) -> Answer:
    string = None if found.tried is None or found.tried.word is None else [*map(str, found.tried.word)]
    more = {} if string is None else {"string": string}
    if found.verdict is not None:
        return {"verdict": found.verdict.words, "by": prover.rpartition(".")[2], **more}
    return (
        {"verdict": "OPEN", "why": first_line(found.missing)}
        if string is None
        else {"verdict": "FALSE", **more}
    )


KINDS: Mapping[str, Callable[[Item, float], Answer]] = {
    "forms": of_forms, "formulas": of_formulas, "bridges": of_bridges, "claims": of_claims,
}  # fmt: skip


def answer(item: Item, longer: float = 1) -> Answer:
    """The answer of today. An exception that is none of ours is a DEFECT, which ranks below all else."""
    kind, start = item["item"].partition("/")[0], time.process_time()
    try:
        found = KINDS[kind](item["asks"], longer * SECONDS.get(kind, 0))
    except BadInput as error:
        found = {"verdict": "REFUSED", "why": error.must}
    except (SymcookError, Stuck) as error:
        found = {"verdict": "OPEN", "why": first_line(error)}
    except TimeUp:
        found = {"verdict": "OPEN", "why": "the time is over"}
    except Exception as error:
        found = {"verdict": "DEFECT", "why": f"{type(error).__name__}: {error}"}
    kept = {key: value[:300] if key == "why" else value for key, value in found.items() if value not in ("", [])}
    return kept | {"seconds": round(time.process_time() - start, 1)}


# --- What is compared -------------------------------------------------------------------------------------------------


def rank(verdict: str) -> int:
    """How much a verdict settles: a theorem under an assumption less than one without, a string without a certificate
    less than that."""
    ranks = {"PROVED": 3, "REFUTED": 3, "FALSE": 1, "PARTLY": 1, "OPEN": 0, "REFUSED": 0, "DEFECT": -1}
    return ranks.get(verdict, 2 if verdict.startswith(("PROVED", "REFUTED")) else -1)


def settles(verdict: str) -> bool | None:
    """Whether a statement is true; None where the verdict leaves that open."""
    return True if verdict.startswith("PROVED") else False if verdict.startswith(("REFUTED", "FALSE")) else None


def compared(before: Answer, now: Answer) -> str:
    """LOST, CHANGED, WON or "" for what is as recorded; an item without a record is NEW."""
    if "verdict" not in before:
        return "NEW"
    was, verdict = before["verdict"], now["verdict"]
    parts, known = set(now.get("parts", ())), set(before.get("parts", ()))
    if {settles(was), settles(verdict)} == {True, False}:
        return "CHANGED"
    if rank(verdict) < rank(was) or known - parts:
        return "LOST"
    return "WON" if rank(verdict) > rank(was) or parts - known else ""


def asked(item: Item) -> tuple[Item, Answer, str]:
    """An item, its answer, and how that compares; what seems lost has three times the limit."""
    now = answer(item)
    how = compared(item, now)
    if how == "LOST":
        now = answer(item, 3)
        how = compared(item, now)
    return item, now, how


def answers(items: list[Item], processes: int) -> Iterator[tuple[Item, Answer, str]]:
    if processes == 1:
        yield from map(asked, items)
        return
    with get_context("spawn").Pool(processes, maxtasksperchild=40) as pool:
        yield from pool.imap_unordered(asked, items)


# --- The corpora ------------------------------------------------------------------------------------------------------


def corpus(kind: str) -> dict[str, Item]:
    """The lines of a kind by item. Two lines of one item are those of two branches: record it again."""
    path = CORPORA / f"{kind}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    twice = [item for item, count in Counter(line["item"] for line in lines).items() if count > 1]
    if twice:
        raise SystemExit(f"{path.name} has two lines of {', '.join(twice)}; leave one and run --record for it")
    return {line["item"]: line for line in lines}


def write(kind: str, items: Mapping[str, Item]) -> None:
    lines = [json.dumps(items[name], ensure_ascii=False) + "\n" for name in sorted(items)]
    (CORPORA / f"{kind}.jsonl").write_text("".join(lines), encoding="utf-8")


def record(results: Iterable[tuple[Item, Answer, str]]) -> None:
    """Put answers into the corpora. A line whose answer is as recorded keeps its seconds: it does not change."""
    lines = {kind: corpus(kind) for kind in KINDS}
    for item, now, _ in results:
        kept = {key: value for key, value in item.items() if key not in ("item", "asks", "seconds")}
        if kept != {key: value for key, value in now.items() if key != "seconds"}:
            lines[item["item"].partition("/")[0]][item["item"]] = {"item": item["item"], "asks": item["asks"], **now}
    for kind, items in lines.items():
        write(kind, items)


def sampled(items: Iterable[Item], number: int, seconds: float = float("inf"), seed: int = 0) -> list[Item]:
    """So many items of a kind in which something is settled, drawn by a seed, and together within some seconds."""
    known, taken = [item for item in items if rank(item.get("verdict", "OPEN")) > 0], list[Item]()
    for item in random.Random(seed).sample(known, len(known)):
        if len(taken) < number and item["seconds"] <= seconds:
            taken.append(item)
            seconds -= item["seconds"]
    return taken


def drawn(formulas_too: bool = True) -> Iterator[Item]:
    """The items that are generated: all recipes, families and stored bridges, and 300 formulas and programs by seed."""
    for name in recipes.names():
        yield {"item": f"forms/{name}", "asks": {"recipe": name}}
    stored = run_path(str(proofs_directory() / "scripts" / "bridges.py"))["BRIDGES"]
    for name, (family, model, values) in stored.items():
        yield {"item": f"bridges/{name}", "asks": {"family": family, "values": values, "model": model, "id": name}}
    from proof.test_bridges import OWN, OWN_SIZES, SIZES, SLOW, programs

    for name, values in (SIZES | OWN_SIZES).items():
        yield {"item": f"bridges/{name}", "asks": {"family": OWN.get(name, name), "values": values}}
    for family in sorted(SLOW):
        for number, values in enumerate(programs(family)[1:], 1):
            yield {"item": f"bridges/{family}-{number:02}", "asks": {"family": family, "values": values}}
    if formulas_too:
        yield from formulas_drawn()


def formulas_drawn() -> Iterator[Item]:
    """50 temporal formulas and 50 with counts, each hard and soft, 100 programs (each third one of RASP), and some that
    ship."""
    from formulas_at_random import drawn as formula
    from srasp_at_random import Draw

    for seed in range(100):
        counts, kind = seed % 2 == 1, "count" if seed % 2 else "ltl"
        _, source = formula(random.Random(f"net {seed}"), counts, [])
        for name, more in (("hard", {}), ("soft", {"soft": True} | ({"tau": 1} if seed % 4 > 1 else {}))):
            yield {"item": f"formulas/{kind}-{seed:02}-{name}", "asks": {"language": kind, "source": source, **more}}
        text = Draw(seed, 2 + seed % 5, seed % 3 == 0).text
        yield {"item": f"formulas/srasp-{seed:02}", "asks": {"language": "srasp", "source": text}}
    for name in ("dyck-2", "flip-flop", "induction-head", "shuffle-dyck-2", "sort"):
        asks = {"language": "srasp", "source": shipped_program(f"{name}.srasp"), "alphabet": None}
        yield {"item": f"formulas/shipped-{name}", "asks": asks}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What is proved today against what is recorded.")
    parser.add_argument("items", nargs="*", help="a kind, or the beginning of the names of items")
    for name in ("--all", "--new", "--draw", "--record"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--sample", type=int, metavar="K")
    parser.add_argument("--answers", type=Path, metavar="FILE")
    parser.add_argument("-j", type=int, default=1, dest="processes")
    options = parser.parse_args(arguments)
    if options.draw:
        lines = {kind: corpus(kind) for kind in KINDS}
        for item in drawn():
            lines[item["item"].partition("/")[0]].setdefault(item["item"], item)
        for kind, items in lines.items():
            write(kind, items)
        return 0
    items = list[Item]()
    for kind in KINDS:
        chosen = [i for i in corpus(kind).values() if not options.items or i["item"].startswith((*options.items,))]
        chosen = [item for item in chosen if not (options.new and "verdict" in item)]
        items += chosen if options.sample is None else sampled(chosen, options.sample)
    if not (options.items or options.all or options.new or options.sample):
        parser.error("give --all, --new, --sample K or the beginning of names")
    results, known = list[tuple[Item, Answer, str]](), dict[str, Answer]()
    if options.answers and options.answers.is_file():
        known = {line["item"]: line["answer"] for line in map(json.loads, options.answers.read_text().splitlines())}
    results = [(i, known[i["item"]], compared(i, known[i["item"]])) for i in items if i["item"] in known]
    try:
        for result in answers([item for item in items if item["item"] not in known], options.processes):
            results.append(result)
            item, now, how = result
            print(f"{len(results)} of {len(items)}  {item['item']}  {now['verdict']}  {now['seconds']} s  {how}",
                  file=sys.stderr, flush=True)  # fmt: skip
            if options.answers:
                with options.answers.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"item": item["item"], "answer": now}) + "\n")
    finally:
        if options.record:
            record(results)
    for item, now, how in sorted(results, key=lambda result: result[0]["item"]):
        if how in HOW[:3]:
            fewer = sorted({*item.get("parts", ())} - {*now.get("parts", ())})
            missing = f" without {', '.join(fewer)}" if fewer else ""
            why = f"  {now['why']}" if "why" in now else ""
            print(f"{how}  {item['item']}: {item['verdict']} -> {now['verdict']}{missing}{why}")
    count = Counter(how for _, _, how in results)
    print(f"{len(results)} items: " + ", ".join(f"{count[how]} {how.lower()}" for how in HOW))
    return 1 if count["LOST"] or count["CHANGED"] else 0


if __name__ == "__main__":
    sys.path += [str(TESTS / "compilers"), str(proofs_directory() / "scripts")]
    sys.exit(main())
