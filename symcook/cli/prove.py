"""``symcook prove``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from symcook.cli.options import command as declare
from symcook.cli.options import completes, papers
from symcook.cli.output import Progress, columns, print_json, say
from symcook.errors import BadInput, unknown


def _provable() -> list[str]:
    """Recipes, and every id that has a stored proof."""
    from symcook import recipes
    from symcook.proof.replay import library

    return [*recipes.names(), *library().certificates()]


@declare("prove", "symcook prove cookbook.s5.7.lemma5.3")
@click.argument("ids", nargs=-1, metavar="[ID]... | NAME", shell_complete=completes(_provable))
@click.option(
    "--paper", metavar="P", shell_complete=completes(papers), help="Every stored proof of one paper's claims."
)
@click.option("--all", "everything", is_flag=True, help="Every stored proof, lemmas too.")
def command(ids: tuple[str, ...], paper: str | None, everything: bool, as_json: bool) -> int:
    """Check stored proofs again, from the files on disk.

    ID is a claim or lemma; NAME is a recipe and stands for its claims and the stored check of its model. Exit 0 when
    every selected stored proof is reproduced. REFUTED is a verdict too: a proof of the negation.
    """
    names, without = selected(ids, paper, everything)
    verdicts = replayed(names)
    if as_json:
        print_json([verdict_json(v) for v in verdicts])
    else:
        say(verdicts_text(verdicts, without))
    asked_in_vain = bool(ids) and (not verdicts or any(name in ids for name in without))
    return 1 if asked_in_vain or any(verdict.status == "OPEN" for verdict in verdicts) else 0


def selected(ids: tuple[str, ...], paper: str | None, everything: bool) -> tuple[list[str], list[str]]:
    """The ids to replay, and those that were asked for but have no stored proof. BadInput for an unknown name."""
    from symcook import claims, recipes
    from symcook.proof.replay import library

    if sum((bool(ids), paper is not None, everything)) != 1:
        raise BadInput("prove must have ids, a recipe, --paper or --all, and one of them", "several" if ids else "none")
    stored = library().certificates()
    if everything:
        return stored, []
    inventory = claims.inventory()
    if paper is not None:
        if paper not in claims.PAPERS:
            raise unknown("paper", paper, claims.PAPERS)
        statements = library().statements
        return [i for i in stored if _paper(inventory, statements, i) == paper], []
    wanted: list[str] = []
    for name in ids:
        if name in inventory or name in library().statements:
            wanted.append(name)
        elif name in recipes.names():
            wanted += [*recipes.info(name).claims, *(i for i in stored if i == f"model.{name}")]
        else:
            raise unknown("id or recipe", name, [*recipes.names(), *inventory, *stored])
    wanted = list(dict.fromkeys(wanted))
    return [i for i in wanted if i in stored], [i for i in wanted if i not in stored]


def _paper(inventory: Any, statements: Any, name: str) -> str | None:
    """The paper of a claim, or of the claim that a statement corrects."""
    claim = inventory.get(name) or inventory.get(statements[name].corrects)
    return claim.paper if claim else None


def replayed(names: list[str]) -> list[Any]:
    """The verdicts of `names`, with progress on stderr."""
    from symcook.proof.replay import replay

    if not names:
        return []
    progress = Progress("checking")
    try:
        return replay(names, progress)
    finally:
        progress.close()


def verdict_json(verdict: Any) -> dict[str, Any]:
    """One entry of ``prove --json``; the certificate is named from the folder of proofs."""
    stored = verdict.certificate
    return {
        "id": verdict.id,
        "status": verdict.status,
        "nodes": verdict.nodes,
        "lemmas": list(verdict.lemmas),
        "named": list(verdict.named),
        "oracles": list(verdict.oracles),
        "certificate": None if stored is None else f"certificates/{Path(stored).name}",
        "seconds": round(verdict.seconds, 4),
    }


def verdicts_text(verdicts: list[Any], without: list[str]) -> str:
    """A line for each verdict, with the statements where they are few, then how many were reproduced."""
    from symcook.cli.claims import MOST_STATED, indented, stated
    from symcook.proof.replay import statements, witness

    rows = []
    for verdict in verdicts:
        words = [f"{verdict.nodes} nodes"] if verdict.nodes else []
        if verdict.lemmas:
            words.append(f"uses {', '.join(verdict.lemmas)}")
        if verdict.named or verdict.oracles:
            words.append(f"assumes {', '.join((*verdict.named, *verdict.oracles))}")
        if verdict.status in ("REFUTED", "CORRECTED"):
            words.append(f"false at {witness(verdict.id)}")
        if verdict.reason:
            words.append(verdict.reason)
        rows.append((verdict.status, verdict.id, "; ".join(words)))
    rows += [("OPEN", name, "no stored proof") for name in without]
    text = columns(rows) + "\n" if rows else ""
    if len(verdicts) <= MOST_STATED:
        for verdict in verdicts:
            corrected = [s.id for s in statements().values() if s.corrects == verdict.id]
            for name in (verdict.id, *corrected):
                text += f"\n{name}\n{indented(stated(name))}\n"
        text += "\n" if verdicts else ""
    good = sum(verdict.status != "OPEN" for verdict in verdicts)
    total = f"{good} of {len(verdicts)} stored proofs reproduced"
    if without:
        total += f"; {len(without)} {'claim has' if len(without) == 1 else 'claims have'} none yet"
    return text + (total if verdicts or without else "no stored proof yet")
