"""How far models carry: each question is a function, and its command and verb are read off it."""

from __future__ import annotations

from symcook import VERBS
from symcook.declaration import Question

QUESTIONS = {
    name: Question(name, home, "progress")
    for name, home in VERBS.items()
    if home.startswith(("symcook.questions.", "symcook.bounds."))
}
"""The verbs whose functions are declared as `symcook.declaration` reads them."""
