"""Coq developments for certificates of a user's own model. While such a development is written, the certificate and its
statement are added to the stored ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from symcook.coq.checker import certificates, checker, deep, statements, uncollected
from symcook.coq.development import Development
from symcook.coq.models import models_of
from symcook.coq.reading import definitions, parsed
from symcook.coq.statement import lemmas_of, with_lemmas


@contextmanager
def development_of(certificate: Mapping[str, Any], text: str) -> Iterator[Development]:
    """A context with the development of a certificate and of its lemmas. `text` has the definitions, the lemmas and the
    statement in the syntax of proofs/checker.py.

    It is meant for a certificate that both checkers accept; that is not checked here. RuntimeError if its id is that of
    a stored statement. Until the context ends, the stored tables have an entry for it.
    """
    name = certificate["id"]
    with deep(), uncollected():
        statement = checker().read_statements(text)[name]
        # The three stored tables, by name: statements, certificates, and trees of statements.
        stored = statements(), certificates(), definitions().statements
        if any(name in table for table in stored):
            raise RuntimeError(f"{name} is the name of a stored statement")
        for table, entry in zip(stored, (statement, dict(certificate), parsed(statement.text)), strict=True):
            table[name] = entry
    try:
        below = with_lemmas(lemmas_of(name))
        yield Development([name], models=[model for lemma in below for model in models_of(lemma)])
    finally:
        for table in stored:
            del table[name]
