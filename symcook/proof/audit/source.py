"""From which proof text a stored certificate was built: the record in proofs/built.txt, and whether it still fits.

A line of the record has an id, the digest of the proof text with all that it names, and the digest of the certificate
that was built from it. The files of the proof search are not in the digest: the checkers decide whether a certificate
is right, and their decision does not depend on how the certificate was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from symcook.proof.audit import seals
from symcook.proof.audit.certificatefile import certificate
from symcook.proof.audit.folded import Folder, fresh, statement_tree, used_definitions
from symcook.proof.audit.statementfiles import statement_files
from symcook.proof.conditions import cases
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement
from symcook.proof.search import prooftext
from symcook.proof.terms import Term, instantiate, var

RECORD = "built.txt"
"""The file of the record, in the folder of proofs."""


def record_line(root: Path, name: str, known: Mapping[str, Statement]) -> str:
    """The line of the record for the proof text of an id, its statement, lemmas, definitions and certificate as they
    are now."""
    sha256, lemmas = certificate(root / "certificates" / f"{name}.json")
    stated = [f"{n} {known[n].digest if n in known else 'gone'}" for n in (name, *sorted(lemmas))]
    content = without_comments(prooftext.path_of(root, name).read_bytes().decode())
    source = seals.digest(content, *stated, str(known[name].nontrivial), *statement_files(root).meant(content))
    return f"{name} {source} {sha256[:32]}"


def without_comments(text: str) -> str:
    """A proof text without its comment lines. ValueError for a text with an invisible character."""
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        raise ValueError("a proof script must consist of printable characters")
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def built_from(root: Path, name: str, known: Mapping[str, Statement]) -> tuple[str | None, str]:
    """(text, "") with the proof text from which the stored certificate of an id was built; (None, reason) where it was
    built from another text, or where one of the files is missing or invalid; (None, "") where there is no proof text.
    """
    path = prooftext.path_of(root, name)
    if not path.is_file():
        return None, ""
    try:
        if record_line(root, name, known) in seals.read(root / RECORD):
            return path.read_text(encoding="utf-8"), ""
    except (ValueError, OSError):  # one of the files is missing, or not what it should be
        pass
    return None, f"the certificate was not built from {path.name} as it stands"


def unasked(statement: Statement) -> list[str]:
    """The conditions of non-vacuity that are not checked because they are inside an I[F] of the conclusion.

    They are the conditions that would be checked for F if F were itself a part of the conclusion, as text, each once.
    Premises of the statement are skipped, since they assert nothing.
    """
    names = list(leading_names(statement.expanded))
    folder = Folder(statement.known, used_definitions([statement_tree(statement.text)], statement.known))
    conditions: dict[str, None] = {}

    def look(t: Term, over: tuple[Term, ...], taken: set[str], asserted: bool) -> None:
        """Collect the conditions inside `t`.

        `over` are the variables of the binders around `t`, the innermost first. They are instantiated only in an F:
        instantiating the body of every binder would take quadratic time. `asserted`: around `t` there are only ``all``,
        conjunctions, and implications with `t` in the conclusion.
        """
        tag, data, kids = t
        if tag == "->" and asserted:
            return look(kids[1], over, taken, True)
        if tag == "ind":
            conditions.update(dict.fromkeys(map(folder.text, cases(instantiate(kids[0], over) if over else kids[0]))))
        # The variables that `t` binds in its last part; the leading ones have the names of the statement's text.
        bound = {"lam": data, "all": (data,), "ex": (data,), "sum": ("Int",), "prod": ("Int",)}.get(tag, ())
        new: list[Term] = []
        for sort in bound:
            named = var(names.pop(0), sort) if asserted and tag == "all" and names else None
            new.append(fresh(sort, taken) if named is None else named)
            taken = {*taken, new[-1][1][0]}
        for k in kids[:-1] if new else kids:
            look(k, over, taken, asserted and tag == "&")
        if new:
            look(kids[-1], (*reversed(new), *over), taken, asserted and tag == "all")

    look(statement.formula, (), {*statement.known}, True)
    return list(conditions)


def unasked_words(conditions: list[str]) -> str:
    """The words of a report for the conditions from `unasked`."""
    return f"that this condition inside I[...] is satisfiable: {'; '.join(conditions)}"
