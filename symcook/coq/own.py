"""Certificates next to a user's model file, for Coq: they are known together with the stored ones while their
development is written."""

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
    """The development of a certificate that both checkers accept, with its lemmas. `text` has the definitions, the
    lemmas and the statement, as proofs/checker.py reads them."""
    name = certificate["id"]
    with deep(), uncollected():
        statement = checker().read_statements(text)[name]
        known = statements(), certificates(), definitions().statements
        if any(name in known_names for known_names in known):
            raise RuntimeError(f"{name} is the name of a stored statement")
        for known_names, what in zip(known, (statement, dict(certificate), parsed(statement.text)), strict=True):
            known_names[name] = what
    try:
        below = with_lemmas(lemmas_of(name))
        yield Development([name], models=[model for lemma in below for model in models_of(lemma)])
    finally:
        for known_names in known:
            del known_names[name]
