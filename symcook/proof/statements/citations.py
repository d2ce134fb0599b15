"""Citations of stored statements about a model with the same name as the model of a claim, for the lines of a proof.

The name is only a guess that the two models are the same. A cited statement has the equations of the stored model as
premises, and the proof must derive them from the equations of the claim's model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symcook.errors import BadInput, Rejected
from symcook.proof import replay
from symcook.proof.files import load_json
from symcook.proof.grammar import leading_names
from symcook.proof.records import words_about
from symcook.proof.replay import Statement

MOST = 6
"""The maximum number of stored statements that are considered; each may be cited several times. Each is a lemma in the
scope of all lines."""
MOST_GUESSES = 4
"""The maximum number of terms that are guessed for a real number: a statement is cited once for each."""


def cited(statement: Statement, names: list[str]) -> Iterator[str]:
    """The citations ``ID(TERM; ..)`` of proved statements about the model of `statement`, with a term for each name
    that they quantify before their first premise. Statements about the readout come first. `names` are the leading
    names of `statement`.

    The term for a name is the same name, if `statement` has it; else the term t of a premise ``name = t``; else, for a
    real number, 1 and numbers that occur in exponents of `statement`, at most `MOST_GUESSES` in all. So a
    statement may be cited several times. It is not cited if there is no term for one of the names."""
    model = statement.id.removeprefix("own.")
    # A bridge states no more about the model than that it is an instance of a family.
    stored = (s for s in replay.statements().values() if not s.id.startswith("bridge."))
    # Few statements pass the quick test on `written`; only for those is `text` made.
    named = (s for s in stored if f"run({model}" in s.written)
    of_model = [s for s in named if "run" in words_about(s.text, model)]
    of_model.sort(key=lambda s: f"accept({model})" not in s.text)
    exponents = re.findall(r"exp\(-?\(*-?(\d+(?:/\d+)?)", statement.expanded)
    for lemma in of_model[:MOST]:
        # By leading name of the lemma: the terms to try, empty if none is known.
        remaining, arguments = lemma.formula, list[list[str]]()
        for name in leading_names(lemma.expanded):
            if remaining[0] != "all":
                break
            premise = re.search(rf"-> {name} = (.+?) ->", lemma.text)
            guesses = ["1", *dict.fromkeys(exponents)][:MOST_GUESSES] if remaining[1] == "Real" else []
            arguments.append([name] if name in names else [premise[1]] if premise else guesses)
            remaining = remaining[2][0]
        if arguments and all(arguments) and _has_certificate(lemma):
            # The k-th citation has the k-th term of each name, or its last one.
            for k in range(max(map(len, arguments))):
                yield f"{lemma.id.removeprefix('lem.')}({'; '.join(x[min(k, len(x) - 1)] for x in arguments)})"


def _has_certificate(lemma: Statement) -> bool:
    """Whether a stored statement has a certificate that it is true. The checker checks it when the lemma is used."""
    path = replay.library().root / "certificates" / f"{lemma.id}.json"
    try:
        return path.is_file() and load_json(path.read_bytes()).get("sense") == "proved"
    except (OSError, BadInput, Rejected):
        return False
