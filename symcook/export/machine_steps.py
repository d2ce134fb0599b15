"""How many tokens of a decoder's run are right in floats: observed in one runtime, and certified for any runtime.

The decoder of a machine compares cosines of hashes. For cells far from 0, and for writes long ago, the cosines come
ever closer, and from some token on a float format cannot tell them apart. Which error comes first depends on the order
of operations. The certified bound does not: up to that token, every runtime of the error model
(`symcook.domains.rounding`) gives the answers of the machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symcook.compilers.automaton import put_out
from symcook.decode import require_answer_after_prefix
from symcook.errors import BadInput, NotExact, Undecided, require_known
from symcook.machine import Machine, State
from symcook.model.transformer import Transformer
from symcook.programs.running import decodes, program_table, speech_of, tokens_of
from symcook.programs.steps import END, labels
from symcook.programs.turing import read_turing
from symcook.thought.floats import FORMATS, FloatDecoder
from symcook.thought.integers import IntegerDecoder
from symcook.thought.retrieval import lookups
from symcook.thought.rows import tokens as table_tokens
from symcook.thought.running import MachineRun, machine_of

if TYPE_CHECKING:
    from flint import arb

    from symcook.export.archive import Archive


@dataclass(frozen=True)
class StepsRight:
    """How many of the first answers of a decoder after a string are right in floats. The end of a run is an answer."""

    dtype: str
    tried: int
    """How many answers were compared."""
    first_wrong: int | None
    """The number, from 1, of the first wrong answer of the shipped numpy runtime; None where all are right."""
    first_wrong_cached: int | None
    """The same for a numpy runtime that keeps keys and values of earlier positions."""
    certified: int
    """How many answers are right in any runtime of the error model."""

    def to_json(self) -> dict[str, object]:
        """The fields by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class ProgramRun:
    """The output of a program after a string, up to a limit."""

    word: tuple[str, ...]
    answers: tuple[str, ...]
    """The labels of the decoder, with the end of the run as the last one where the run ends within the limit."""
    ended: bool
    """Whether the run ends within the limit."""


def program_run(model: Transformer, word: str | Sequence[str], limit: int) -> ProgramRun:
    """The run of the program that a model was compiled from, by the program alone: an automaton, or a machine in
    integers. BadInput for another model, or one that answers at the first position, and for a foreign symbol or a wrong
    limit."""
    # Check the arguments.
    if not decodes(model):
        must = "a model must be compiled from an automaton or a Turing machine"
        raise BadInput(must, model.name, "symcook compile dfa and compile tm make one")
    if type(limit) is not int or limit < 0:
        raise BadInput("the maximum number of steps must be an integer of at least 0", limit, "give for example 10")
    if model.program is None:
        raise RuntimeError("model.program must be set here")
    require_answer_after_prefix(model)
    symbols = speech_of(model).word(word)
    model.tokens(symbols)  # BadInput for the empty string where no token is added before it
    # An automaton: its states, then its verdict.
    if model.program.kind == "dfa":
        table = program_table(model.program)
        tokens = tokens_of(table)[1 + len(table.alphabet) :]
        states = [0]
        for letter in symbols:
            states.append(table.moves[states[-1]][table.alphabet.index(letter)])
        verdict = tokens[len(table.moves) + int(table.answers[states[-1]] is True)]
        all_answers = tuple(put_out(model, (*(tokens[state] for state in states), verdict)))
        return ProgramRun(symbols, all_answers[:limit], len(all_answers) <= limit)
    # A machine compiled by the printed construction of a theorem: the rows of its table.
    if model.program.theorem:
        machine = read_turing(model.program.source)
        rows = (token.label for token in table_tokens(machine, symbols, ahead=not model.embedding.added))
        all_answers = tuple(itertools.islice(rows, limit + 1))
        return ProgramRun(symbols, all_answers[:limit], len(all_answers) <= limit)
    # Any other machine, step by step in integers; the end counts only where it comes within the limit.
    machine = machine_of(model)
    names, answers, ended = labels(machine), list[str](), True
    for step in IntegerDecoder(machine).steps(symbols):
        if len(answers) == limit:
            ended = False
            break
        answers.append(names[step.token])
    return ProgramRun(symbols, (*answers, *([END] if ended else [])), ended)


def steps_right(model: Transformer, word: str | Sequence[str], limit: int, dtype: str = "float32") -> StepsRight:
    """How many answers of a compiled automaton or machine are right in floats, of the first `limit` after a string.

    Raises BadInput for a model that is compiled from neither, and for another dtype.
    """
    require_known("dtype", dtype, FORMATS)
    from symcook.export.archive import arrays

    run = program_run(model, word, limit)
    m = arrays(model, dtype, len(run.word) + len(run.answers) + 1)
    cached = _cached(model, run.word, run.answers, dtype)
    right = certified(model, run.word, run.answers, dtype)
    return StepsRight(dtype, len(run.answers), shipped(model, m, run), cached, right)


def _cached(model: Transformer, word: Sequence[str], wanted: Sequence[str], dtype: str) -> int | None:
    """The number of the first wrong answer of numpy with a cache, given the right tokens before it; None where all are
    right."""
    decoder, label = FloatDecoder(model, dtype), ""
    for token in model.tokens(word):
        label = decoder.push(token)
    for number, right in enumerate(wanted, 1):
        if label != right:
            return number
        if number < len(wanted):
            label = decoder.push(right)
    return None


def shipped(model: Transformer, m: Archive, run: ProgramRun) -> int | None:
    """The number, from 1, of the first wrong answer of the runtime that exports ship; None where all are right.
    One pass over the whole run is enough, since no answer depends on later tokens."""
    import numpy as np

    from symcook.export import archive

    if not run.answers:
        return None
    tokens = model.tokens((*run.word, *run.answers[:-1]))
    places = {token: k for k, token in enumerate(model.embedding.words or ())}
    with np.errstate(all="ignore"):
        z = archive.embed(m, np.array([[places[token] for token in tokens]]))
        scores = archive.shown(m, archive.evaluate(m, z, refuse=False))[0]
    given_labels = [model.readout.labels[k] for k in np.argmax(scores, axis=-1)][len(tokens) - len(run.answers) :]
    return next(
        (k for k, pair in enumerate(zip(given_labels, run.answers, strict=True), 1) if pair[0] != pair[1]), None
    )


class Certifier:
    """How many answers of a model are certain in every runtime of the error model of a dtype, for one order of division
    in attention. The states after all prefixes of the strings so far are kept."""

    def __init__(self, model: Transformer, dtype: str, divides_first: bool = False) -> None:
        from symcook.domains import rounding

        domain = rounding.domain(dtype, divides_first=divides_first)
        self.machine = Machine(replace(model, readout=replace(model.readout, position="last")), domain)
        self.states: dict[tuple[str, ...], State] = {}

    def right(self, word: Sequence[str], wanted: Sequence[str]) -> int:
        """How many of the first answers after a string are certainly those of `wanted`. The count ends at the first
        answer that is another one or undecided."""
        # The state after each prefix of the string is kept, since strings share prefixes.
        symbols, right = tuple(word), 0
        try:
            for k in range(len(symbols) + 1):
                if symbols[:k] not in self.states:
                    self.states[symbols[:k]] = (
                        self.machine.advance(self.states[symbols[: k - 1]], symbols[k - 1])
                        if k
                        else self.machine.start()
                    )
            # Then one answer after another; each is read by the next step.
            state = self.states[symbols]
            for label in wanted:
                if self.machine.result(state).label(-1) != label:
                    break
                right += 1
                if right < len(wanted):
                    state = self.machine.advance(state, label)
        except (Undecided, NotExact):
            pass
        return right


def certified(model: Transformer, word: Sequence[str], wanted: Sequence[str], dtype: str) -> int:
    """How many answers after a string are those `wanted` in every runtime of the error model of a dtype, with either
    order of averages."""
    return min(Certifier(model, dtype, order).right(word, wanted) for order in (False, True))


def bits_needed(run: MachineRun) -> list[int]:
    """For each token of a run in integers, the smallest p >= 0 such that 2^-p is at most every gap between the best
    score and the next one in its lookups (0 without such a gap). Errors of half a gap may exchange two scores."""
    needed = []
    for token_lookups in lookups(run):
        gaps = [lookup.size for lookup in token_lookups if lookup is not None and lookup.size is not None]
        needed.append(max((_bits(gap) for gap in gaps), default=0))
    return needed


def _bits(gap: arb) -> int:
    """The smallest p >= 0 with 2^-p <= gap."""
    from flint import arb

    p = 0
    while not arb(2) ** -p <= gap:
        p += 1
    return p
