"""Stored statements about the model of a claim: lines that cite them, where it is called like a stored model.
Whether its equations are those of the stored one is for the proof of their premises to show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symcook.errors import BadInput, Rejected
from symcook.proof import replay
from symcook.proof.files import load_json
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement

MOST = 6
"""So many statements are cited at most, those about the readout first."""


def cited(statement: Statement, names: list[str]) -> Iterator[str]:
    """What a line takes, ``ID(TERM; ..)``; `names` are those of the claim."""
    model = statement.id.removeprefix("own.")
    stored = (s for s in replay.statements().values() if not s.id.startswith("bridge."))  # which says no more of it
    named = (s for s in stored if f"run({model}" in s.written)  # few: what the others say need not be written out
    about = [s for s in named if re.search(rf"\brun\({re.escape(model)}\)", s.text)]
    about.sort(key=lambda s: f"accept({model})" not in s.text)
    inside = re.findall(r"exp\(-?\(*-?(\d+(?:/\d+)?)", statement.expanded)
    for lemma in about[:MOST]:
        f, arguments = lemma.formula, list[list[str]]()
        for name in leading_names(lemma.expanded):
            if f[0] != "all":
                break
            meant = re.search(rf"-> {name} = (.+?) ->", lemma.text)
            symbol = ["1", *dict.fromkeys(inside)][:4] if f[1] == "Real" else []
            arguments.append([name] if name in names else [meant[1]] if meant else symbol)
            f = f[2][0]
        if arguments and all(arguments) and _proved(lemma):
            for k in range(max(map(len, arguments))):
                yield f"{lemma.id.removeprefix('lem.')}({'; '.join(x[min(k, len(x) - 1)] for x in arguments)})"


def _proved(one: Statement) -> bool:
    """Whether there is a certificate that it is true; the checker judges it when it is used."""
    path = replay.library().root / "certificates" / f"{one.id}.json"
    try:
        return path.is_file() and load_json(path.read_bytes()).get("sense") == "proved"
    except (OSError, BadInput, Rejected):
        return False
