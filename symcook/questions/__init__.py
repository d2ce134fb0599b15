"""Questions about a model by length: margin, tolerance, temperature, precision and more. Each question is a function,
and its command and verb are made from its signature and docstring."""

from __future__ import annotations

from symcook import VERBS
from symcook.declaration import Question

QUESTIONS = {
    name: Question(name, home, "progress")
    for name, home in VERBS.items()
    if home.startswith(("symcook.questions.", "symcook.bounds."))
}
"""By verb: the question, which `symcook.declaration` reads from the function that answers it."""
