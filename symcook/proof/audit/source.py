"""From which proof text a stored certificate was built: the record in proofs/built.json, and whether it still fits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.proof.audit.folded import Folder, fresh, statement_tree, used_definitions
from symcook.proof.conditions import cases
from symcook.proof.grammar import Definition, leading_names
from symcook.proof.replay import Statement
from symcook.proof.search import prooftext
from symcook.proof.terms import Term, instantiate, var

if TYPE_CHECKING:
    from symcook.proof.replay import Statement


_WORD = re.compile(r"\w+")


def record(root: Path) -> dict[str, Any]:
    """What built.json in a folder of proofs says; empty where there is none."""
    path = root / "built.json"
    if not path.is_file():
        return {"automation": "", "built": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def digest(*parts: str | bytes) -> str:
    """The first 64 bits of the sha256 over parts that are kept apart: the record only saves time."""
    total = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:16]


def source_digest(root: Path, name: str, known: Mapping[str, Statement]) -> str:
    """From what the certificate of a text is built, the automation aside; comments are for readers and do not count."""
    statement = known[name]
    stored = root / "certificates" / f"{name}.json"
    lemmas = json.loads(stored.read_text(encoding="utf-8")).get("lemmas", {}) if stored.is_file() else {}
    now = [f"{n} {known[n].digest if n in known else 'gone'}" for n in sorted(lemmas)]
    content = without_comments(prooftext.path_of(root, name).read_bytes().decode())
    return digest(content, statement.digest, str(statement.nontrivial), *now, *meant(content, statement.known))


def without_comments(text: str) -> str:
    """A proof text without its comment lines. One that has a character which no reader sees is none: ValueError."""
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        raise ValueError("a proof script must consist of printable characters")
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def meant(content: str, known: Mapping[str, Definition]) -> list[str]:
    """The definitions that a text names, and those that they name."""
    found: dict[str, str] = {}
    todo = [content]
    while todo:
        for word in set(_WORD.findall(todo.pop())) & known.keys() - found.keys():
            one = known[word]
            found[word] = repr((one.name, one.params, one.tree))
            todo.append(found[word])
    return [found[name] for name in sorted(found)]


def built_from(root: Path, name: str, known: Mapping[str, Statement]) -> tuple[str | None, str]:
    """The proof text from which the stored certificate of an id was built, and where there is another, why it is none.

    (None, "") where the certificate comes from no text.
    """
    path = prooftext.path_of(root, name)
    if not path.is_file():
        return None, ""
    try:
        if record(root)["built"].get(name) == source_digest(root, name, known):
            return path.read_text(encoding="utf-8"), ""
    except (ValueError, AttributeError, KeyError, TypeError):  # one of the files is not what it should be
        pass
    return None, f"the certificate was not built from {path.name} as it stands"


def unasked(statement: Statement) -> list[str]:
    """For each F with premises in an I[F] of what the statement leads to: what H would ask of F were it said itself.

    As text, each once; what stands in a premise of the statement asserts nothing and is passed over.
    """
    names = list(leading_names(statement.expanded))
    folder = Folder(statement.known, used_definitions([statement_tree(statement.text)], statement.known))
    found: dict[str, None] = {}

    def look(t: Term, over: tuple[Term, ...], taken: set[str], asserted: bool) -> None:
        """`over` are the variables in whose binders `t` stands, the innermost first; they are put in where an F is
        met, as in the whole body of each binder they cost its size at every depth. `asserted`: the statement says `t`
        behind nothing but quantifiers and premises."""
        tag, data, kids = t
        if tag == "->" and asserted:
            return look(kids[1], over, taken, True)
        if tag == "ind":
            found.update(dict.fromkeys(map(folder.text, cases(instantiate(kids[0], over) if over else kids[0]))))
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
    return list(found)


def unasked_words(found: list[str]) -> str:
    """What a report says of them."""
    return f"inside I[...], that this can be met: {'; '.join(found)}"
