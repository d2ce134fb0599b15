"""What an export of a decoder guarantees: how many steps are right after strings of each length, in any runtime of the
error model.

A decoder reads its own output, so one wrong token makes all later ones wrong. The certificate therefore follows, after
each string over the symbols of the program, the run of the program as long as every answer is certain. As far as that,
the decoder outputs exactly this run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.export.machine_steps import Certifier, ProgramRun, program_run, shipped
from symcook.model.transformer import Transformer
from symcook.programs.running import decodes, speech_of
from symcook.words import every

if TYPE_CHECKING:
    from symcook.export.archive import Archive

STEPS = 100
"""The number of steps that are certified at most, where the user gives no number."""
MOST_PRODUCTS = 1_500_000
"""The greatest number of products of weights in the runs of all strings, for both orders of division in attention. The
smallest length is certified whatever it costs."""
COLUMN = 250
"""The cost of one position of a run besides its products, in units of a product."""


def decoding(
    model: Transformer, m: Archive, dtype: str, longest: int, asked: int | None = None, strictly: bool = True
) -> dict[str, Any] | None:
    """The entry "decoding" of a certificate, for strings of at most `longest` symbols; None for a model that is not
    compiled from an automaton or a Turing machine, or answers at the first position, which continues no string.
    "program" is that program.

    "steps" is the largest t, at most "asked", with this property: after every string of at most "words_to" symbols, the
    first t tokens (or all tokens of a shorter run, and its end) are those of the program, in any runtime and for both
    orders in which attention may divide. "lengths" has the same for each length, with the number of strings, whether
    all runs ended with every token certain ("ended"), and the first token that is wrong in the numpy runtime of the
    export, with its string (None where none is wrong). "why" says why no greater length is certified. Raises BadInput
    where `asked` steps are not certain, if `strictly`.
    """
    if not decodes(model) or model.program is None or not model.readout.continues:
        return None
    program = {"kind": model.program.kind, "source": model.program.source, "alphabet": list(model.program.alphabet)}
    from symcook.export.guarantee import weights

    # `budget` is the number of products that are left for the remaining lengths; `column` is the cost of one position.
    limit, letters, budget = STEPS if asked is None else asked, speech_of(model).letters, MOST_PRODUCTS
    by_length: list[dict[str, Any]] = []
    column = 2 * (weights(model) + COLUMN)
    certifiers = [Certifier(model, dtype, order) for order in (False, True)]
    why = "this is the maximum length that was requested"
    least = model.embedding.shortest  # the empty string is no input where no token is added
    for n in range(least, longest + 1 if letters else 1):
        # Stop where the strings alone cost too much, before their runs are computed, or where the runs do.
        words = len(letters) ** n
        if by_length and words * column > budget:
            why = _costly(n, words)
            break
        runs = [program_run(model, word, limit) for word in every(letters, n)]
        cost = column * sum(1 + len(run.answers) for run in runs)
        if by_length and cost > budget:
            why = _costly(n, words)
            break
        budget -= cost
        # What is certified at this length.
        of_length = _length(model, m, runs, limit, certifiers)
        if strictly and asked is not None and of_length["steps"] < asked:
            must = f"a run in {dtype} after a string of length {n} must have at most {of_length['steps']} steps"
            raise BadInput(f"{must}, which any runtime gets right", asked, "give fewer --steps, or a wider --dtype")
        by_length.append({"length": n, "words": words, **of_length})
    else:
        why = why if letters else "the model has no input symbols, so the empty string is its only input"
    return {
        "program": program | {"plan": [], "theorem": model.program.theorem},
        "asked": limit,
        "steps": min(of_length["steps"] for of_length in by_length),
        "words_to": by_length[-1]["length"],
        "lengths": by_length,
        "why": why,
    }


def _costly(n: int, words: int) -> str:
    """Why length `n` is not certified: its runs would cost too much."""
    return f"the runs of {words} strings of length {n} would have too many products of weights for a certificate"


def _length(
    model: Transformer,
    m: Archive,
    runs: Sequence[ProgramRun],
    limit: int,
    certifiers: Sequence[Certifier],
) -> dict[str, Any]:
    """The entry of "lengths" for the runs after all strings of one length: the smallest number of certified steps
    (`limit` where every run ended and is certified whole), whether all runs are so, and the first wrong token of
    numpy."""
    steps, first_wrong, wrong_word, ended = limit, None, None, True
    for run in runs:
        right = min(certifier.right(run.word, run.answers) for certifier in certifiers)
        if right < len(run.answers) or not run.ended:
            steps, ended = min(steps, right), False
        first = shipped(model, m, run)
        if first is not None and (first_wrong is None or first < first_wrong):
            first_wrong, wrong_word = first, " ".join(run.word)
    return {"steps": steps, "ended": ended, "first_wrong": first_wrong, "first_wrong_word": wrong_word}


def stored(model: Transformer, promise: dict[str, Any] | None) -> Archive:
    """The arrays that a shipped runtime needs to decode, and to stop at the certified number of steps; empty where
    `promise` is None.

    decoding.letters: the symbols. decoding.steps: the certified steps, by length from 0. decoding.names: the text of
    each label. decoding.ends: for each label 0, or 1 if it ends a run, or 2 if it ends a run and is not printed.
    """
    if promise is None:
        return {}
    import numpy as np

    speech, labels = speech_of(model), model.readout.labels
    silent = 1 if speech.verdict else 2
    return {
        "decoding.letters": np.array(list(speech.letters), dtype=str),
        "decoding.steps": np.array(
            [0] * promise["lengths"][0]["length"] + [of_length["steps"] for of_length in promise["lengths"]]
        ),
        "decoding.names": np.array([speech.text(label) for label in labels], dtype=str),
        "decoding.ends": np.array([silent if label in speech.ends else 0 for label in labels]),
    }


def lines(promise: dict[str, Any] | None, dtype: str) -> list[str]:
    """The guarantee of `decoding` as lines of text; none where it is None."""
    if promise is None:
        return []
    to = f"strings of at most {promise['words_to']} symbols" if promise["words_to"] else "the empty string"
    text_lines = [f"decodes {promise['steps']} steps after {to}, which any runtime in {dtype} gets right"]
    for of_length in promise["lengths"]:
        if of_length["first_wrong"] is not None:
            word = of_length["first_wrong_word"] or "the empty string"
            text_lines.append(f"  numpy errs first at step {of_length['first_wrong']} after {word}")
            break
    short = [of_length for of_length in promise["lengths"] if of_length["steps"] > promise["steps"]]
    if short:
        text_lines.append(
            "  by length: "
            + ", ".join(f"{of_length['length']}: {of_length['steps']}" for of_length in promise["lengths"])
        )
    if promise["steps"] == promise["asked"]:
        text_lines.append(f"  {promise['asked']} steps were requested; give more with --steps")
    return [*text_lines, f"  {promise['why']}"]
