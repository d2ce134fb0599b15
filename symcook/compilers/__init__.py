"""From programs to transformers: each compiler gives a model, whose `program` says what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.door import door
from symcook.errors import BadInput, require_known
from symcook.programs import LANGUAGES, THEOREMS

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


@door()
def compile(
    kind: str,
    source: str,
    *,
    alphabet: str | Sequence[str] | None = None,
    theorem: str = "",
    name: str = "",
    weighting: str = "average",
) -> Transformer:
    """The transformer of a program: exact, and right on every word of the alphabet that has a letter.

    kind "ltl" is a formula of temporal logic with letters, Booleans, previous, next, since and until (see
    `symcook.programs.reading`); "count" has counts too: `#left[F] > 2*#right[G]`, `ODD(#left[F])`, `MOD(3, 1)`.
    `alphabet` is text, a letter a character or with spaces between, unless the source begins with `alphabet a b;`. The
    model answers at each position; `program.plan` says which coordinate holds what. With `theorem`, one of
    `symcook.programs.THEOREMS`, it is the soft-attention transformer of that theorem's proof.

    >>> model = compile("ltl", "prev prev Q_1 & prev Q_0 & Q_1", alphabet="01")
    >>> [model.run(word).accept for word in ("10101", "1010", "1")]
    [True, False, False]

    "dfa" is an automaton: JSON by the names of automata-lib, or a regular expression, whose alphabet may be left out.
    Its model is a decoder that goes on behind a word with the states of the run, then with yes or no (`decode.stream`).

    "tm" is a Turing machine: text of one row a line, JSON, or a code such as 1RB1LB_1LA1RZ. Its model is a decoder
    that puts out a token a step, what the step changed, and then the output (`symcook.programs.turing`). `weighting`
    says how its work heads find the last of the steps that wrote on a cell: by a tie-break in the scores (average), or
    by place (rightmost).

    Raises BadInput, in one sentence with line and column, where the source is no program.
    Source: Yang et al. (2026), Section 4; previous in one head, and Boolean parts of one depth in one network. Merrill
    and Sabharwal (2024), Theorems 1 and 2.
    """
    require_known("language", kind, LANGUAGES)
    if kind == "tm":
        return _machine(source, alphabet, theorem, name, weighting)
    short = " ".join(source.split())
    name = name or (short if len(short) <= 40 and short.isprintable() else "formula" if kind != "dfa" else "automaton")
    if kind == "dfa":
        from symcook.compilers import automaton
        from symcook.programs.running import read_source

        if theorem:
            raise BadInput("an automaton must be compiled without a theorem of formulas", theorem, "leave it out")
        return automaton.compiled(read_source(source, alphabet, name), source, name)
    from symcook.compilers.formula import compiled
    from symcook.programs.reading import read_formula

    formula = read_formula(source, alphabet, kind)
    if theorem:
        require_known("theorem", theorem, THEOREMS)
    if theorem:
        from symcook.compilers.printed import printed

        return printed(formula, theorem, source, name, kind)
    return compiled(formula, source, name, kind)


def _machine(
    source: str, alphabet: str | Sequence[str] | None, theorem: str, name: str, weighting: str
) -> Transformer:
    """The decoder of a Turing machine."""
    from symcook.compilers import turing
    from symcook.programs.turing import read_turing

    if theorem:
        raise BadInput("a Turing machine must be compiled without a theorem of formulas", theorem, "leave it out")
    if alphabet is not None:
        must = "the letters of a machine must stand in its text"
        raise BadInput(must, "--alphabet", "write input: and the letters, and leave --alphabet out")
    short = " ".join(source.split())
    name = name or (short if len(short) <= 40 and short.isprintable() else "machine")
    return turing.compiled(read_turing(source), source, name, weighting)
