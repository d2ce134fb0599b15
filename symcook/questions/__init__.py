"""How far models carry, by length: each question is a function, and its command and verb are read off it."""

from __future__ import annotations

from symcook.declaration import Question

QUESTIONS = {
    name: Question(name, f"symcook.questions.{name}:{name}", "progress")
    for name in ("entropy", "margin", "tolerance", "temperature", "precision")
}
