"""The lemmas that a certificate lists, without reading its proof. Standard library only."""

from __future__ import annotations

import json
import re
from typing import Any

HEAD = re.compile(
    rb'\s*\{\s*"grammar":\s*1,\s*"id":\s*"[\w.-]*",\s*"statement":\s*"[0-9a-f]*",\s*"lemmas":\s*(\{[^{}]*\})'
)


def listed(content: bytes) -> Any:
    """What a certificate has under "lemmas", an object of ids and hashes; an empty one where it has none.

    As certificates are written, this stands before the proof; where it does not, all is read. ValueError,
    AttributeError or RecursionError where the content is no certificate, if it is seen."""
    head = HEAD.match(content)
    return json.loads(head[1]) if head else json.loads(content).get("lemmas", {})
