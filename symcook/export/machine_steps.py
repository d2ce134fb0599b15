"""How many tokens of a machine's run floats get right: found by running them, and certified for any runtime.

A decoder compares cosines of hashes. Cells that are far from 0 and writes that are long ago come ever nearer, and from
some token on a format cannot tell them apart. The first error depends on the order of operations; the certified bound
does not: up to there every runtime of the error model (`symcook.domains.rounding`) answers as the machine does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from symcook.errors import BadInput, NotExact, Undecided, require_known
from symcook.model.transformer import Transformer
from symcook.programs.steps import END, labels
from symcook.thought.floats import FORMATS, FloatDecoder
from symcook.thought.retrieval import lookups
from symcook.thought.running import MachineRun, run_machine


@dataclass(frozen=True)
class StepsRight:
    """Of the first `tried` answers behind a word (the tokens, and the end if it comes): the number of the first that is
    wrong in the shipped numpy runtime and in numpy with a cache, None where none is; and how many are right in any
    runtime."""

    dtype: str
    tried: int
    first_wrong: int | None
    first_wrong_cached: int | None
    certified: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def said(run: MachineRun) -> list[str]:
    """The labels that a run consists of, and the end where it came."""
    names = labels(run.machine)
    return [*(names[token] for token in run.tokens), *([END] if run.ended else [])]


def steps_right(model: Transformer, word: str | Sequence[str], limit: int, dtype: str = "float32") -> StepsRight:
    """How many answers of a compiled machine are right in floats, of the first `limit` behind a word.

    Raises BadInput for a model that is no compiled machine, and for another dtype.
    """
    require_known("dtype", dtype, FORMATS)
    run = run_machine(model, word, limit)
    wanted = said(run)
    shipped = _shipped(model, run.word, wanted, dtype)
    return StepsRight(dtype, len(wanted), shipped, _cached(model, run.word, wanted, dtype),
                      certified(model, run.word, wanted, dtype))  # fmt: skip


def _first(found: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((k for k, pair in enumerate(zip(found, wanted, strict=True), 1) if pair[0] != pair[1]), None)


def _cached(model: Transformer, word: Sequence[str], wanted: Sequence[str], dtype: str) -> int | None:
    """The first wrong answer of numpy with a cache, where every token before is right."""
    decoder, label = FloatDecoder(model, dtype), ""
    for token in model.tokens(word):
        label = decoder.push(token)
    for number, right in enumerate(wanted, 1):
        if label != right:
            return number
        if number < len(wanted):
            label = decoder.push(right)
    return None


def _shipped(model: Transformer, word: Sequence[str], wanted: Sequence[str], dtype: str) -> int | None:
    """The same of the runtime that exports ship, in one pass over the run: no answer rests on what follows."""
    import numpy as np

    from symcook.export import npz
    from symcook.export.archive import arrays

    asked = replace(model, readout=replace(model.readout, position="each"))
    tokens = asked.tokens((*word, *wanted[:-1]))
    archive = arrays(asked, dtype, len(tokens))
    places = {token: k for k, token in enumerate(model.embedding.words or ())}
    with np.errstate(all="ignore"):
        z = npz.embed(archive, np.array([[places[token] for token in tokens]]))
        scores = npz.shown(archive, npz.evaluate(archive, z, refuse=False))[0]
    answers = [model.readout.labels[k] for k in np.argmax(scores, axis=-1)][len(tokens) - len(wanted) :]
    return _first(answers, wanted)


def certified(model: Transformer, word: Sequence[str], wanted: Sequence[str], dtype: str) -> int:
    """How many answers behind a word are those `wanted` in every runtime of the error model of a dtype."""
    from symcook.domains.rounding import FORMATS as SETS
    from symcook.domains.rounding import Rounding
    from symcook.machine import Machine

    machine = Machine(replace(model, readout=replace(model.readout, position="last")), Rounding(*SETS[dtype]))
    state, right = machine.start(), 0
    try:
        for token in word:
            state = machine.advance(state, token)
        for label in wanted:
            if machine.result(state).label(-1) != label:
                break
            right += 1
            if right < len(wanted):
                state = machine.advance(state, label)
    except (Undecided, NotExact):
        pass
    return right


def require_steps(found: StepsRight, steps: int) -> None:
    """BadInput where more answers are asked for than are certified."""
    if steps > found.certified:
        must = f"a run in {found.dtype} must have at most {found.certified} tokens, which any runtime gets right"
        raise BadInput(must, steps, "give fewer steps, or a wider format")


def bits_needed(run: MachineRun) -> list[int]:
    """For each token of a run in integers the least p >= 0 with 2^-p at most every gap between what its heads look up
    and the runner-up: scores that are off by half of the gap may be exchanged."""
    needed = []
    for looked in lookups(run):
        gaps = [one.size for one in looked if one is not None and one.size is not None]
        needed.append(max((_bits(gap) for gap in gaps), default=0))
    return needed


def _bits(gap: Any) -> int:
    """The least p >= 0 with 2^-p <= gap."""
    from flint import arb

    p = 0
    while not arb(2) ** -p <= gap:
        p += 1
    return p
