"""Compilers from programs to transformers: `compile` takes a program and returns a model, whose `program` field says
what it was compiled from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from symcook.compilers.sources import WORDS, SourceText, source_of
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.model.choices import LanguageWord
from symcook.model.reads import PartsRead
from symcook.programs import (
    AUTOMATA,
    FORMULAS,
    LANGUAGES,
    MACHINES,
    PLAIN,
    SOFT,
    SPOKEN,
    THEOREMS,
    VARIANTS,
    WEIGHTINGS,
    language,
)
from symcook.programs.formula import Alphabet, alphabet_of

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.programs.rasp import SOp
    from symcook.programs.turing import TuringMachine

READS = PartsRead("the compiler")

TAKES = {
    "theorem": (*FORMULAS, "dfa", "tm"),
    "soft": FORMULAS,
    "tau": FORMULAS,
    "weighting": ("tm",),
    "variant": ("dfa", "tm"),
    "regex": ("dfa",),
}
"""The languages that accept each option of `compile`."""


@door()
def compile(
    kind: LanguageWord,
    source: str | PathLike[str] | SourceText | SOp,
    *,
    alphabet: Alphabet | None = None,
    theorem: str = "",
    soft: bool = False,
    tau: int | str | None = None,
    weighting: str | None = None,
    variant: str | None = None,
    regex: bool = False,
    causal: bool = False,
    name: str = "",
) -> Transformer:
    """The transformer of a formula, a program, an automaton or a Turing machine: exact, and right on every nonempty
    string.

    A formula of temporal logic (kind "ltl") has the atoms Q_a and previous, next, since and until
    (`symcook.programs.reading`); "c-rasp" has counts too: `#left[F] > 2*#right[G]`, `ODD(#left[F])`, `MOD(3, 1)`.
    The model answers at each position; `plan` says which coordinate holds what.

    "srasp" is a program of S-RASP, with RASP's functions (`symcook.programs.srasp_reading`), or RASP as Python objects
    (`symcook.programs.rasp`). Its model answers with a symbol, true or false, or a number. If the alphabet has numbers,
    RASP objects compute with them.

    "dfa" is an automaton: JSON with the keys of automata-lib, or a regular expression. Its model is a decoder that
    continues a string with the states of the run, then with yes or no (`decode.stream`).

    "tm" is a Turing machine: text with one transition a line, JSON, or a code such as 1RB1LB_1LA1RZ. Its model is a
    decoder that outputs one token per step, which says what the step changed, and then the output
    (`symcook.programs.turing`).

    `symcook explain ltl` (c-rasp, srasp, dfa, tm) shows each language.

    Arguments:
        kind: str. "ltl", "c-rasp", "srasp", "dfa" or "tm".
        source: str, path, SourceText or SOp. The text, the path of a file, or the name of a program that ships,
            such as "sort.srasp". A text that has the form of a path is a path; a `SourceText` is a text in any
            form.
        alphabet: str, list or set (None). A text whose characters are the symbols, or symbols with spaces between;
            not needed if the source begins with `alphabet a b;`, or for an expression without blanks.
        theorem: str (''). One of `symcook.programs.THEOREMS`: the soft-attention transformer of that theorem's
            proof. With "1" (dfa) the decoder outputs |x| + 1 tokens after a string x. With "2" (tm) its tokens are
            the transitions, whose moves are L and R.
        soft: bool (False). Use softmax at the temperature 1/n. Feed-forward layers round the retrieved values, so that
            answers are right at every length.
        tau: int, str or None (None). With soft: 1 multiplies the queries by n in place of the temperature 1/n, for
            runtimes whose softmax has no temperature.
        weighting: str or None (None). How the work heads of a Turing machine find the last step that wrote on a
            cell: "average" (a tie-breaking term) or "rightmost".
        variant: str or None (None). "nonstrict": masks include the position itself; "no-start": no $ before the
            string.
        regex: bool (False). The source is a regular expression, even if it has the form of a path.
        causal: bool (False). Each selector of RASP objects selects among the positions up to the current one, as
            tracr's option does.
        name: str (''). The name of the model.

    Returns: Transformer, which keeps its program as `.program`.

    Raises: BadInput: the source is not a program, with line and column; a path without a file; a format that symcook
    does not read, such as DOT or HOA.

    Example:

    >>> model = compile("ltl", "prev prev Q_1 & prev Q_0 & Q_1", alphabet="01")
    >>> [model.run(word).accept for word in ("10101", "1010", "1")]
    [True, False, False]

    Source: yang2026, Section 4; merrill2024, Theorems 1 and 2. Previous is one head, and Boolean parts of one depth
    are one feed-forward layer.
    """
    tongue = language(kind)
    if tongue not in LANGUAGES:
        raise unknown("language", kind, SPOKEN)
    if isinstance(alphabet, Iterator):
        alphabet = tuple(alphabet)
    symbols = None if alphabet is None else alphabet_of(alphabet)
    objects = not isinstance(source, (str, PathLike, SourceText))
    if isinstance(source, SourceText):
        read = source
    elif isinstance(source, (str, PathLike)):
        read = source_of(tongue, source, regex)
    else:
        read = SourceText(_text(tongue, source, alphabet, causal))
    if causal and not objects:
        raise BadInput(
            "causal must be used only with a program built with symcook.programs.rasp", tongue, "leave causal out"
        )
    options = {"theorem": theorem, "soft": soft, "tau": tau, "weighting": weighting, "variant": variant, "regex": regex}
    _require_options(tongue, options)
    source, name = read.text, name or read.name
    # A short program is also the model's name.
    short = " ".join(source.split())
    name = name or (short if len(short) <= 40 and short.isprintable() else WORDS[tongue])
    require_known("variant", variant or "strict", VARIANTS)
    # Turing machines: the decoder for the machine, or that of the theorem for all machines.
    if tongue == "tm":
        from symcook.compilers import turing
        from symcook.programs.turing import read_turing

        if alphabet is not None:
            must = "the symbols of a Turing machine must be given in its text"
            raise BadInput(must, "an alphabet", "write input: and the symbols, and leave --alphabet out")
        if theorem:
            return _of_table(read_turing(source), source, theorem, weighting, variant or "strict", name)
        return turing.compiled(read_turing(source), source, name, weighting or "average", variant or "strict")
    # Automata, as a table or a regular expression.
    if tongue == "dfa":
        from symcook.compilers import automaton
        from symcook.programs.running import read_source

        table = read_source(source, symbols, name)
        if theorem:
            _require(theorem, AUTOMATA, "automata")
            return automaton.counted(table, source, name, variant or "strict")
        return automaton.compiled(table, source, name, variant or "strict")
    # S-RASP programs, as text or as Python objects.
    if tongue == "srasp":
        from symcook.compilers import srasp
        from symcook.programs.srasp_reading import read_srasp

        program = read_srasp(source, symbols)
        if objects:  # the text was generated from Python objects: drop the lines and columns of error messages
            program = replace(program, places=())
        return srasp.compiled(program, source, name)
    # Formulas: hard or softmax attention, or the construction of a theorem.
    from symcook.compilers.formula import compiled
    from symcook.programs.reading import read_formula

    formula, attention = read_formula(source, symbols, tongue), _attention(soft, tau, theorem)
    if theorem:
        from symcook.compilers.printed import printed

        require_known("theorem", theorem, THEOREMS)
        return printed(formula, theorem, source, name, tongue)
    return compiled(formula, source, name, tongue, attention)


def _require_options(kind: str, options: Mapping[str, object]) -> None:
    """Raise BadInput if an option that is set is not one of the language `kind`."""
    for option, choice in options.items():
        if choice not in ("", None, False) and kind not in TAKES[option]:
            must = f"--{option} must be used with {' or '.join(TAKES[option])}"
            raise BadInput(must, kind, f"leave --{option} out")


def _of_table(
    machine: TuringMachine, source: str, theorem: str, weighting: str | None, variant: str, name: str
) -> Transformer:
    """The decoder of Theorem 2 of Merrill and Sabharwal (2024); with `variant` "no-start" that of its footnote 8."""
    from symcook.compilers import tables

    _require(theorem, MACHINES, "machines")
    if weighting is not None:
        raise BadInput(
            "the weighting of the decoder of --theorem 2 is fixed by the construction, and must not be given",
            f"weighting {weighting}",
            "leave the weighting out",
        )
    if variant not in tables.FAMILIES:
        must = f"the decoder of --theorem 2 must be of the variant {' or '.join(tables.FAMILIES)}"
        raise BadInput(must, f"variant {variant}", "leave the variant out")
    return tables.compiled(machine, source, name, variant)


def _require(theorem: str, expected: str, subject: str) -> None:
    """Raise BadInput if `theorem` is not the theorem of Merrill and Sabharwal (2024) about `subject`."""
    if theorem != expected:
        must = f"the theorem about {subject} must be {expected}, of Merrill and Sabharwal (2024)"
        raise BadInput(must, f"theorem {theorem}", f"leave --theorem out, or give --theorem {expected}")


def _attention(soft: bool, tau: int | str | None, theorem: str) -> str:
    """The field `Program.attention`: "" for hard attention, SOFT for softmax at temperature 1/n, PLAIN at 1."""
    if tau is not None and str(tau) != "1":
        raise BadInput(
            "the temperature tau of softmax attention must be 1, or left out (then it is 1/n)",
            tau,
            "write --soft --tau 1",
        )
    if tau is not None and not soft:
        raise BadInput(
            "a temperature tau must be used only with softmax attention",
            f"tau {tau} without soft",
            "write --soft --tau 1",
        )
    if soft and theorem:
        must = "the construction of a theorem must be used without --soft, because its attention is softmax already"
        raise BadInput(must, f"theorem {theorem}", "leave one of the two out")
    return "" if not soft else SOFT if tau is None else PLAIN


def _text(kind: str, source: object, alphabet: Alphabet | None, causal: bool) -> str:
    """The S-RASP text of a program that was given as Python objects."""
    from symcook.programs.rasp import SOp

    if kind != "srasp" or not isinstance(source, SOp):
        raise BadInput(
            "a program must be text, or for srasp a sequence built with symcook.programs.rasp",
            type(source).__name__,
            "give the text of the program, or the path of its file",
        )
    if alphabet is None:
        raise BadInput("the alphabet of a program must be given", "none", 'give alphabet="ab"')
    return source.source(alphabet, causal)


def as_compiled(model: Transformer) -> Transformer | None:
    """Compile the program that `model` names again: the result has the compiler's plan. None if the model names no
    program, or has other weights than the result. The model's name and source note are kept.

    `model.program` holds all arguments of `compile` except two: the weighting of a machine, and the variant of an
    automaton or machine. The heads and the embedding determine these two.
    """
    program = model.program
    if program is None:
        return None
    options: dict[str, Any] = {"theorem": program.theorem, "soft": bool(program.attention)}
    options["tau"] = 1 if program.attention == PLAIN else None
    if program.kind == "tm" and program.theorem:
        pass  # the theorem fixes the weighting
    elif program.kind == "tm":
        heads = (
            head for layer in READS.of(model).layers if layer.attention is not None for head in layer.attention.heads
        )
        options["weighting"] = WEIGHTINGS[any(head.weighting == WEIGHTINGS[1] for head in heads)]
    else:
        options["alphabet"] = program.alphabet
    if program.kind in ("dfa", "tm"):
        from symcook.compilers.automaton import variant_of

        options["variant"] = variant_of(model)
    # Compile again, and compare weight by weight.
    try:
        recompiled = compile(cast("LanguageWord", program.kind), SourceText(program.source), name=model.name, **options)
    except BadInput:
        return None
    recompiled = replace(recompiled, source=model.source)
    return recompiled if recompiled == model else None


def genuine(model: Transformer) -> bool:
    """Whether compiling the program that a model names gives the model's weights."""
    return as_compiled(model) is not None


def require_genuine(model: Transformer, name: str = "") -> None:
    """Raise BadInput if a model names a program that compiles to other weights. The message calls the model `name`, its
    file name."""
    if model.program is not None and not genuine(model):
        must = "the program in a model file must be what its weights were compiled from"
        model_name = f"{name or model.name}, which has other weights"
        do = "leave the program out, or compile it again" if model.program.kind == "tm" else "check compares the two"
        raise BadInput(must, model_name, do)
