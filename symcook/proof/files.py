"""The folder of proofs, and the strict JSON that is read there. Standard library only."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

from symcook.errors import Rejected, SymcookError

MAX_JSON_DEPTH = 400
MAX_JSON_LENGTH = 32_000_000


def proofs_directory() -> Path:
    """The folder of statements and certificates: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_proofs", package.parent / "proofs"):
        if (folder / "statements").is_dir():
            return folder
    raise SymcookError("the folder of proofs is missing from this installation; please report it")


def load_json(text: str | bytes) -> Any:
    """Strict JSON: no duplicate keys, NaN, floats or deep nesting; Rejected where the text is anything else."""
    try:
        text = text if isinstance(text, str) else text.decode("utf-8")
    except UnicodeDecodeError:
        raise Rejected("a certificate must be UTF-8") from None
    if len(text) > MAX_JSON_LENGTH:
        raise Rejected("a certificate is too long")
    if re.search(r"\\u[dD][89a-fA-F]", text):
        raise Rejected("a certificate has half a character")  # no message with it could be printed
    outside = re.sub(r'"(?:[^"\\]|\\.)*+"?', "", text, flags=re.DOTALL)
    steps = map({"[": 1, "{": 1, "]": -1, "}": -1}.__getitem__, re.findall(r"[\[\]{}]", outside))
    if max(accumulate(steps), default=0) > MAX_JSON_DEPTH:
        raise Rejected(f"a certificate nests more than {MAX_JSON_DEPTH} deep")

    def pairs(items: list[tuple[str, object]]) -> dict[str, Any]:
        out = dict(items)
        if len(out) != len(items):
            raise Rejected("a certificate has the same key twice")
        return out

    def refuse(number: str) -> NoReturn:
        raise Rejected(f"a certificate has a number that is not an integer: {number[:40]}")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=refuse)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"a certificate is not valid JSON: {str(error)[:80]}") from None
