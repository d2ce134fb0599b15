"""The closed forms of models that read words, at every word to a length, beside the exact domain.

    python tests/domains/forms_far.py --length 12

Of each model the case that holds at a word (exactly one must), or at each of its positions where the readout looks
there, the outputs that it says, the verdict and the label are compared with an exact run of that word. The forms are
evaluated by `tests/at_words.py`, which counts for itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from at_words import MP, AtWord, alike, words

import symcook as sc
from symcook.closed import every_length
from symcook.domains.exact import Exact
from symcook.domains.names import I
from symcook.forward import forward
from symcook.numbers.expsum import ExpSum
from symcook.recipes import build

VALUES: dict[str, Any] = {"c": Fraction(3, 2), "eps": Fraction(1, 200)}


def majority() -> sc.Transformer:
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.readout("sign", "last", b.add(sc.head(value={"mean": "vote"}, mask="future")), weights=[1])
    return b.build("majority")


MODELS: dict[str, Callable[[int], sc.Transformer]] = {
    "dyck-1": lambda n: build("dyck-1"),
    "dyck-1-nonuniform": lambda n: build("dyck-1-nonuniform", N=n),
    "first-position": lambda n: build("first-position"),
    "first": lambda n: build("first"),
    "first-flawed": lambda n: build("first-flawed"),
    "parity": lambda n: build("parity"),
    "modulo": lambda n: build("modulo", m=2),
    "modulo 4": lambda n: build("modulo", m=4),
    "count": lambda n: build("count"),
    "majority": lambda n: majority(),
}


def number(value: Any) -> Any:
    if not isinstance(value, ExpSum):
        return Fraction(value)
    with flint.ctx.workprec(200):
        return MP.mpf(value.ball().str(45, radius=False))


def compared(model: sc.Transformer, longest: int) -> tuple[int, int]:
    """How many words were compared, and of how many the form says on what the verdict depends in place of it."""
    found = every_length(model)
    given = {p.name: VALUES[p.name] for p in model.parameters}
    bound, many, unsaid = model.bind(given), 0, 0
    for word in words(model.alphabet, longest, model.embedding.added > 0):
        here = AtWord(model, found.domain.world, word, given)
        run, everywhere = forward(bound, bound.tokens(word), Exact()), model.readout.everywhere
        for k, place in enumerate(here.positions) if everywhere else [(run.place, None)]:
            at = {} if place is None else {I: place}
            held = [(c, form) for c, form in zip(found.cells, found.forms, strict=True) if here.holds(c[0], at)]
            assert len(held) == 1, (word, place, [form.conditions for _, form in held])
            (((_, outputs), form),) = held
            theirs = run.values(k)
            assert outputs and {*outputs} <= {*theirs}, (outputs, theirs)
            for name, value in outputs.items():
                mine, wanted = here.value(value, at), number(theirs[name])
                assert alike(mine, wanted), (word, place, name, mine, wanted)
            if form.label is not None:
                assert form.label == run.label(k), (word, place, form.label)
            if not everywhere:
                assert form.accept in (None, run.accept), (word, form.accept, run.accept)
                unsaid += form.accept is None and form.decides
        many += 1
    return many, unsaid


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--length", type=int, default=12)
    options.add_argument("--model", choices=MODELS, action="append")
    given = options.parse_args()
    for name in given.model or MODELS:
        start = time.process_time()
        many, unsaid = compared(MODELS[name](given.length), given.length)
        seconds = time.process_time() - start
        verdicts = f" (of {unsaid} no verdict is said, but a condition)" if unsaid else ""
        print(f"{name}: all {many} strings up to length {given.length} agree{verdicts}, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
