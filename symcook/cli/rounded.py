"""``symcook prove NAME --statement S --rounded U``: a statement about every run with relative errors up to U.

The exact run is one of these runs. So a string on which the statement is false for the exact run refutes it. A stored
theorem states of a model which strings each rounded run accepts up to some length; there it accepts the same strings as
the exact run. So a statement about `accept` and the string holds there if it holds for the exact run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.cli import own
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.statements.proving import ProofAnswer

GRAMMAR = frozenset({"all", "ex", "in", "sum", "I", "mod", "n", "accept", "min", "max", "abs"})
"""Words of the grammar that are about the string alone, and `accept`."""
_NAME = re.compile(r"\"[^\"]*\"|'[^']*'|[^\W\d]\w*")
_BOUND = re.compile(r"\b(?:all|ex)\s+(\w+)|\b(?:sum|min|max)\(\s*(\w+)\s*,")


def error_of(written: str) -> Fraction:
    """The relative error that a user wrote, such as 2^-11 or 1/2048."""
    from symcook.model.expr import parse_term
    from symcook.model.rationals import rational

    must, do = "a relative error must be a number between 0 and 1", "give for example --rounded 2^-11"
    try:
        u = rational(parse_term(written))
    except BadInput:
        raise BadInput(must, written, do) from None
    if not 0 < u < 1:
        raise BadInput(must, written, do)
    return u


def check_words(model: Transformer, sentence: str) -> None:
    """Raise BadInput for a statement that speaks of more of a run than `accept`."""
    from symcook.proof.statements.defined import defined_names
    from symcook.proof.statements.reader import OF_STRING
    from symcook.proof.statements.secondrun import other_strings

    must = "a statement with --rounded must use only accept and expressions about the string"
    bound = {name for match in _BOUND.findall(sentence) for name in match if name}
    allowed = {*GRAMMAR, *OF_STRING, *defined_names(), *bound, *model.alphabet}
    for match in _NAME.finditer(sentence):
        name = match[0].strip("\"'")
        # A token may be called as a coordinate, whose value at a position is written as a call.
        called = sentence[match.end() :].lstrip().startswith("(")
        if name not in allowed or (name in model.embedding.space.names and (called or name not in model.alphabet)):
            raise BadInput(must, name, 'write for example "accept <-> count(a) > count(b)"')
    # A variable may be called as the prefix of a run on another string, which may be longer than the theorem covers.
    marks = [*other_strings(sentence, model.embedding.space.names), *re.findall(r"@|\baccept\s*\(", sentence)]
    if marks:
        raise BadInput(must, marks[0], 'write for example "accept <-> count(a) > count(b)"')


def prove_rounded(
    name: str, sentence: str, written: str, force: bool, as_json: bool, settings: Sequence[str], seconds: int
) -> int:
    """Prove or refute a statement about each run with relative errors up to U, as the option has it; return the exit
    code. The certificate of the exact statement is written next to the model."""
    from symcook.export.provedbits import within
    from symcook.proof.statements import proving

    u = error_of(written)
    about = own.asked(name, settings)
    if about.model is None or not about.model.alphabet:
        raise BadInput("--rounded must be used with a model that reads strings, not numbers", name, "give a model")
    check_words(about.model, sentence)
    claim = about.claim(sentence)
    to = own.place_of(name, claim, force)
    with Progress("proving"):
        answer = None if force else own.known_answer(about, claim, to, seconds)
        if answer is None:
            answer = about.settle(claim, None, seconds)
            if answer.certificate is not None:
                proving.write(to, claim, answer.certificate)
    found = within(about.model, about.fixed, u, every=True)
    theorems = [theorem for theorem in found if theorem["accepts"] is not None]
    document = judged(answer, theorems, name, u)
    if as_json:
        print_json({"statement": sentence, "rounded": str(u), **document})
        return own.EXIT_CODES[document["status"]]
    which = f"{answer.extent.at_values}, of each run with relative errors up to {u}{_lengths(document)}"
    say(f"{document['status']:8}{sentence}{which}")
    for line in document["why"]:
        say(f"Because      {line}")
    if answer.certificate is not None:
        say(f"Certificate  {to[0]}: of the exact run")
    return own.EXIT_CODES[document["status"]]


def judged(answer: ProofAnswer, theorems: list[dict[str, Any]], name: str, u: Fraction) -> dict[str, Any]:
    """The status of the statement, with the greatest length up to which it is proved ("length", None if it is not) and
    what it follows from, or what is missing ("why")."""
    covered = [theorem for theorem in theorems if theorem["length"] is not None]
    document: dict[str, Any] = {"status": "OPEN", "exact": answer.status, "length": None, "theorem": None, "where": []}
    document["every_length"] = False
    if answer.status == "REFUTED":
        string = f" on {answer.counterexample or 'the empty string'}" if answer.word is not None else ""
        return document | {"status": "REFUTED", "why": [f"it is false{string} for the exact run, which is one of them"]}
    if answer.status == "OPEN":
        return document | {"why": [f"the statement about the exact run is open: {answer.why or 'no proof was found'}"]}
    if not theorems:
        missing = f"no proved theorem states which strings the rounded runs of {name} accept"
        return document | {"why": [missing, "symcook precision checks strings up to a length"]}
    if not covered:
        names = " and ".join(theorem["id"] for theorem in theorems)
        return document | {"why": [f"the error is too large for {names}, at every length"]}
    # The theorem with the fewest premises on strings, and of these the one that reaches farthest.
    best = min(covered, key=lambda theorem: (len(theorem["where"]), -theorem["length"]))
    at = "at every length" if best["every_length"] else "up to this length"
    why = [
        "the exact run is one of these runs, and the statement is proved for it",
        f"{at} each of these runs accepts the same strings, by {best['id']}",
    ]
    kept = {"theorem": best["id"], **{word: best[word] for word in ("length", "every_length", "where", "floats")}}
    return document | kept | {"status": "PROVED", "why": why}


def _lengths(document: dict[str, Any]) -> str:
    """To which strings the answer is restricted, as text."""
    from symcook.export.provedbits import covered_lengths

    if document["length"] is None:
        return ""
    kept = " that keeps whole numbers" if document["floats"] else ""
    where = f" where {' and '.join(document['where'])}" if document["where"] else ""
    return f"{kept}, for strings {covered_lengths(document)}{where}"
