"""The models whose runs a statement assumes, and the theorems that every input of such a model has a run.

In: the text of a statement, with ``run(MODEL; ...)`` in it. Out: the names of the models with their choices. A report
uses them to say whether a run that the statement assumes is proved to exist.
"""

from __future__ import annotations

import re
from functools import cache

from symcook.proof.replay import library, statements

_RUN = re.compile(r"\brun\(([a-z][\w-]*)((?:;[^;()]*)?)")
"""A model or family, and the text after the first semicolon: sizes, tables and choices."""
_CHOICE = re.compile(r"\b\w+ = [a-z][a-z-]*")
"""A choice with its option."""
_EXISTS = re.compile(r"\bex (?:names\([^)]*\)|[^().])*\. ?\Z")
"""Text before a run that ends with the existence of the run's values."""
_THEOREM = re.compile(r"lem\.\w+_(runs|exists)")
"""The id of a lemma that a run exists."""


def models(text: str) -> tuple[str, ...]:
    """The models and families whose run occurs in a statement, each once, with the choices that the statement names:
    ``family-count; seen = future``."""
    return tuple(dict.fromkeys(_named(match) for match in _RUN.finditer(text)))


@cache
def theorems() -> dict[str, str]:
    """{name: lemma}, with names as `models` writes them: the lemma that a run exists for every input that the model
    takes. A model without such a lemma is left out."""
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
