"""Which models a statement is about by their weights, and which theorem states that every input of these has a run.

In: the text of a statement, with ``run(MODEL; ...)`` in it. Out: the names of the models with their choices. A report
uses these to say whether a run, which the statement assumes, is known to exist.
"""

from __future__ import annotations

import re
from functools import cache

from symcook.proof.replay import library, statements

_RUN = re.compile(r"\brun\(([a-z][\w-]*)((?:;[^;()]*)?)")
"""A model or family, and what follows the first semicolon: sizes, tables and choices."""
_CHOICE = re.compile(r"\b\w+ = [a-z][a-z-]*")
_EXISTS = re.compile(r"\bex (?:names\([^)]*\)|[^().])*\. ?\Z")
"""Text before a run that ends with the existence of the run's values."""
_THEOREM = re.compile(r"lem\.\w+_(runs|exists)")


def models(text: str) -> tuple[str, ...]:
    """The models and families whose run stands in a statement as it is written, with the choices that are not the usual
    ones: ``family-count; seen = future``."""
    return tuple(dict.fromkeys(_named(match) for match in _RUN.finditer(text)))


@cache
def theorems() -> dict[str, str]:
    """For these names the lemma that ends with the existence of a run, for every input that the model takes."""
    lemma_of = {}
    for name in library().certificates():
        if _THEOREM.fullmatch(name) and name in statements():
            text = statements()[name].written
            runs = (match for match in _RUN.finditer(text) if _EXISTS.search(text, 0, match.start()))
            lemma_of |= {_named(match): name for match in runs}
    return lemma_of


def _named(run: re.Match[str]) -> str:
    """The name of a model with its choices, without the values of its sizes and tables."""
    return "; ".join([run[1], *_CHOICE.findall(run[2])])
