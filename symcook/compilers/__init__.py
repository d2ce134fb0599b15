"""From programs to transformers: each compiler gives a model, whose `program` says what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.door import door
from symcook.errors import BadInput, require_known
from symcook.programs import LANGUAGES, THEOREMS

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.programs.rasp import SOp


@door()
def compile(
    kind: str, source: str | SOp, *, alphabet: str | Sequence[str] | None = None, theorem: str = "", name: str = ""
) -> Transformer:
    """The transformer of a program: exact, and right on every word of the alphabet that has a letter.

    kind "ltl" is a formula of temporal logic with letters, Booleans, previous, next, since and until (see
    `symcook.programs.reading`); "count" has counts too: `#left[F] > 2*#right[G]`, `ODD(#left[F])`, `MOD(3, 1)`.
    `alphabet` is text, a letter a character or with spaces between, unless the source begins with `alphabet a b;`. The
    model answers at each position; `program.plan` says which coordinate holds what. With `theorem`, one of 15a, 15b,
    16a and 16b, it is the soft-attention transformer of that theorem's proof, a line of the formula a round, and shows
    the truths of all lines at each position. kind "srasp" is a program of S-RASP, with RASP's words (see
    `symcook.programs.srasp_reading`), or RASP as Python objects (`symcook.programs.rasp`); it answers with letters,
    verdicts or numbers.

    >>> model = compile("ltl", "prev prev Q_1 & prev Q_0 & Q_1", alphabet="01")
    >>> [model.run(word).accept for word in ("10101", "1010", "1")]
    [True, False, False]

    Raises BadInput, in one sentence with line and column, where the source is no program.
    Source: Yang et al. (2026), Section 4; previous in one head, and Boolean parts of one depth in one network.
    """
    require_known("language", kind, LANGUAGES)
    if kind == "srasp":
        from symcook.compilers import srasp
        from symcook.programs.srasp_reading import read_srasp

        if theorem:
            raise BadInput("the construction of a theorem must be of a formula", "srasp", "leave the theorem out")
        if not isinstance(source, str):
            source = _text(source, alphabet)
        return srasp.compiled(read_srasp(source, alphabet), source, name or "program")
    if not isinstance(source, str):
        raise BadInput("a formula must be text", type(source).__name__)
    from symcook.compilers.formula import compiled
    from symcook.programs.reading import read_formula

    formula = read_formula(source, alphabet, kind)
    if theorem:
        require_known("theorem", theorem, THEOREMS)
    short = " ".join(source.split())
    name = name or (short if len(short) <= 40 and short.isprintable() else "formula")
    if theorem:
        from symcook.compilers.printed import printed

        return printed(formula, theorem, source, name)
    return compiled(formula, source, name, kind)


def _text(source: object, alphabet: str | Sequence[str] | None) -> str:
    """The text of a program that is given as Python objects."""
    from symcook.programs.rasp import SOp

    if not isinstance(source, SOp):
        raise BadInput("a program must be text, or a sequence of symcook.programs.rasp", type(source).__name__)
    if alphabet is None:
        raise BadInput("a program must have an alphabet", "none", 'give alphabet="ab"')
    return source.source(alphabet)
