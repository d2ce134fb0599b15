"""Questions about a model by length: margin, tolerance, temperature, precision and more. Each question is a function,
which is the verb of a model; its command is made from its signature and from what `symcook.questions.typed` has."""

from __future__ import annotations

from symcook import VERBS
from symcook.declaration import Question
from symcook.questions.typed import TEXTS

QUESTIONS = {
    name: Question(name, home, "progress", TEXTS[name])
    for name, home in VERBS.items()
    if home.startswith(("symcook.questions.", "symcook.bounds."))
}
"""By verb: the question, which `symcook.declaration` reads from the signature of its function and from its text."""
