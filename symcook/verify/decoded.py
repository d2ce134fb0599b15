"""Models that run a machine beside the machine: every word to a length, and all the tokens that are put out behind it.

Each word is checked in one pass: the interpreter says the tokens, and each position must answer the next one
(`symcook.decode.continued`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product

from symcook.decode import continued, stream
from symcook.domains import RUNNABLE
from symcook.errors import BadInput, Undecided, require_known
from symcook.model.transformer import Transformer
from symcook.programs.compiled import fitting
from symcook.programs.running import program_table, speech_of
from symcook.spec.automata import tokens
from symcook.verify.comparison import Counterexample, LengthCount
from symcook.verify.findings import Check

MOST = 2**20
"""The greatest number of words that are gone through."""


def check_decoded(
    model: Transformer,
    max_length: int,
    domain: str | None = None,
    digits: int = 30,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Compare what a compiled automaton puts out behind every word to `max_length` with the run of its program.

    Raises BadInput for a model of another program, for a length below 1, and for more than MOST words.
    """
    program = model.program
    if program is None or program.kind != "dfa":
        raise BadInput("the model must be a compiled automaton", model.name, "ask symcook.check")
    fitting(program, model.embedding.words or ())
    if domain is not None:
        require_known("domain", domain, RUNNABLE)
    if type(max_length) is not int or max_length < 1:
        raise BadInput("the greatest length must be an integer of at least 1", max_length)
    table, speech, start = program_table(program), speech_of(model), time.monotonic()
    strings = [len(table.alphabet) ** n for n in range(1, min(max_length, MOST) + 1)]
    if max_length > MOST or sum(strings) > MOST:
        must = f"a check of tokens must be of at most {MOST} words"
        raise BadInput(must, f"length {max_length}", "decide has all lengths")
    mismatches = unclear = 0
    first, first_open, empty, counts, done = None, None, "agrees", [], 0
    for length in range(max_length + 1):
        accepted = 0
        for word in product(table.alphabet, repeat=length):
            wanted = tokens(table, word)
            try:
                found = continued(model, word, speech.heard(wanted), domain, digits)
            except Undecided:
                unclear += length > 0
                empty = "open" if length == 0 else empty
                first_open = first_open or _written(speech.letters, word)
                continue
            if found.agrees:
                accepted += wanted[-1] == "yes"
            else:
                got = [speech.said(one)["token"] for one in stream(model, word, len(wanted) + 1, domain, digits)]
                accepted += got[-1] == "yes"
                mismatches += length > 0
                empty = "differs" if length == 0 else empty
                if first is None:
                    option = "--input" if all(len(letter) == 1 for letter in speech.letters) else "--tokens"
                    spoken = _written(speech.letters, word)
                    first = Counterexample(spoken, got, wanted, (option, spoken, "--steps", str(len(wanted))))
            done += length > 0
            if progress is not None:
                progress(done, sum(strings))
        if length:
            counts.append(LengthCount(length, strings[length - 1], None if unclear else accepted))
    how = f"exhaustive, {domain or 'exact'}: the tokens behind the empty word and all words of length 1 to {max_length}"
    return Check(
        model.name, max_length, sum(strings), mismatches, first, f"{how}; one pass a word", time.monotonic() - start,
        domain or "exact", unclear, first_open, empty, "its program", by_length=tuple(counts),
    )  # fmt: skip


def _written(letters: Sequence[str], word: Sequence[str]) -> str:
    return ("" if all(len(letter) == 1 for letter in letters) else " ").join(word)
