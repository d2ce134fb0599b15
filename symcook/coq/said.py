"""What a stranger reads of a development holds nothing but definitions, and the trees there are those that are hashed.

The judge looks at the files themselves, however they were written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

NAME = r"[A-Za-z]\w*"
# The sentences of a file that says something. A term ends where the first dot stands before white space.
SENTENCES = tuple(
    re.compile(one, re.ASCII | re.DOTALL)
    for one in (
        r"From Coq Require Import [\w ]+",
        r"From Symcook Require (Import )?[\w ]+",
        r"(Module|End) " + NAME,
        r"Import (Meaning\.Reading Definitions|ListNotations Meaning\.Reading|Tree\.Text|Meaning\.Reading)",
        r"(Local )?Open Scope (R_scope|string_scope|json_lists|json_numbers|json_strings)",
        rf"Definition {NAME}( \([\w ]+ : [\w >-]+\))* : (Prop|R|json|model|part|list string) :=\s.*",
    )
)
COMMENT = re.compile(r"\(\*[^()\"]*(?:\([^()\"*]*\)[^()\"]*)*\*\)")
MODULE = re.compile(rf"^Module ({NAME})\.\n(.*?)^End \1\.$", re.MULTILINE | re.DOTALL)
TREE = re.compile(r"^Definition tree : json :=\n(.*)\n\.$", re.MULTILINE)


def not_said(text: str) -> str | None:
    """The first sentence of a file that is no definition; None where there is none."""
    for sentence in re.split(r"\.(?=\s|$)", COMMENT.sub("", text)):
        if sentence.strip() and not any(one.fullmatch(sentence.strip()) for one in SENTENCES):
            return sentence.strip()
        if re.search(r"\bltac\s*:|\(\*|\{\s*struct", sentence):
            return sentence.strip()
    return None


def wrong_trees(text: str, file: str, digests: Mapping[str, str]) -> list[str]:
    """The modules of a file that do not say the tree with their sha256. `digests`: by module; that of a file with one
    statement is the file."""
    found = (
        {file: text}
        if list(digests) == [file]
        else dict(re.findall(rf"^Module ({NAME})\.\n(.*?)^End \1\.$", text, re.M | re.S))
    )
    wrong = []
    for module, digest in digests.items():
        trees = TREE.findall(found.get(module, ""))
        if [hashlib.sha256(tree.encode()).hexdigest() for tree in trees] != [digest]:
            wrong.append(module)
    return wrong
