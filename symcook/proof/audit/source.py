"""From which proof text a stored certificate was built: the record in proofs/built.txt, and whether it still fits.

A line of the record has an id, the digest of the text with all that it names, and that of the certificate that it gave.
The files that found the certificate are not in it: whether a certificate is right is for the checkers to say, and that
they accept it does not depend on how it was found.
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


def record_line(root: Path, name: str, known: Mapping[str, Statement]) -> str:
    """The line of the record that holds while text, statement, lemmas, definitions and certificate are as they are."""
    sha256, lemmas = certificate(root / "certificates" / f"{name}.json")
    stated = [f"{n} {known[n].digest if n in known else 'gone'}" for n in (name, *sorted(lemmas))]
    content = without_comments(prooftext.path_of(root, name).read_bytes().decode())
    source = seals.digest(content, *stated, str(known[name].nontrivial), *statement_files(root).meant(content))
    return f"{name} {source} {sha256[:32]}"


def without_comments(text: str) -> str:
    """A proof text without its comment lines. One that has a character which no reader sees is none: ValueError."""
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        raise ValueError("a proof script must consist of printable characters")
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def built_from(root: Path, name: str, known: Mapping[str, Statement]) -> tuple[str | None, str]:
    """The proof text from which the stored certificate of an id was built, and where there is another, why it is none.

    (None, "") where the certificate comes from no text.
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
    """For each F with premises in an I[F] of what the statement leads to: what H would ask of F were it said itself.

    As text, each once; what stands in a premise of the statement asserts nothing and is passed over.
    """
    names = list(leading_names(statement.expanded))
    folder = Folder(statement.known, used_definitions([statement_tree(statement.text)], statement.known))
    conditions: dict[str, None] = {}

    def look(t: Term, over: tuple[Term, ...], taken: set[str], asserted: bool) -> None:
        """`over` are the variables in whose binders `t` stands, the innermost first; they are put in where an F is
        met, as in the whole body of each binder they cost its size at every depth. `asserted`: the statement says `t`
        behind nothing but quantifiers and premises."""
        tag, data, kids = t
        if tag == "->" and asserted:
            return look(kids[1], over, taken, True)
        if tag == "ind":
            conditions.update(dict.fromkeys(map(folder.text, cases(instantiate(kids[0], over) if over else kids[0]))))
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


def unasked_words(found: list[str]) -> str:
    """What a report says of them."""
    return f"that this condition inside I[...] is satisfiable: {'; '.join(found)}"
