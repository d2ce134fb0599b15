"""``symcook compile``: write the model of a formula, an S-RASP program, an automaton or a Turing machine; with --prove
also a certificate that the model answers as the program."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

from symcook.cli import own
from symcook.cli.options import OneOf, Seconds, argument, command, option
from symcook.cli.output import Progress, say_or_json, within
from symcook.cli.unproved import instead, provable, refused, unproved
from symcook.errors import BadInput, Rejected, Undecided
from symcook.programs import AUTOMATA, FORMULAS, MACHINES, SPOKEN, THEOREMS, VARIANTS, WEIGHTINGS, language

if TYPE_CHECKING:
    from symcook.model.choices import LanguageWord
    from symcook.model.transformer import Transformer
    from symcook.proof.replay import Statement, Verdict


@command("compile", 'symcook compile ltl "~Q_b since Q_a" --alphabet "a b c" -o since.json')
def compile(
    *,
    kind: Annotated[str, argument(type=OneOf("language", SPOKEN, ("count",)))],
    source: Annotated[str, argument()],
    alphabet: Annotated[str | None, option('The symbols: "ab", or "a b" where they are longer.', "A")],
    regex: Annotated[
        bool, option("With dfa: SOURCE is a regular expression, even if it looks like the name of a file.")
    ],
    target: Annotated[str, option("The model file to write.", "FILE", None, "-o")],
    theorem: Annotated[
        str | None,
        option(
            "Use the construction of Theorem T. With ltl or c-rasp, a theorem of Yang et al. (2026); with dfa, "
            "Theorem 1 of Merrill and Sabharwal (2024); with tm, Theorem 2.",
            "T",
            OneOf("theorem", (*THEOREMS, AUTOMATA, MACHINES)),
        ),
    ],
    soft: Annotated[bool, option("Use softmax at the temperature 1/n, and round the values that heads retrieve.")],
    tau: Annotated[
        str | None, option("With --soft, T = 1 multiplies the queries by n, for runtimes without a temperature.", "T")
    ],
    weighting: Annotated[
        str | None,
        option(
            "With tm: how heads find the last step that wrote on a cell; average is the default.",
            None,
            OneOf("weighting", WEIGHTINGS),
        ),
    ],
    variant: Annotated[
        str | None,
        option(
            "nonstrict: masks include the position itself; no-start: no start token $ before the input; strict is the "
            "default.",
            None,
            OneOf("variant", VARIANTS),
        ),
    ],
    prove: Annotated[bool, option("Prove that model and program give the same answer on every string.")],
    seconds: Seconds = 60,
    force: Annotated[bool, option("Replace existing files.")],
    as_json: bool,
) -> int:
    """Compile a formula, an S-RASP program, an automaton or a Turing machine.

    SOURCE is a file or the text itself. To read about a language, type symcook explain ltl (c-rasp, srasp, dfa, tm).

    What looks like the name of a file is read as a file. The model file keeps the program: check and decide use it as
    the specification, and show prints what each coordinate holds. Programs that come with symcook are sources by their
    names: sort.srasp, dyck-3.srasp, flip-flop.ltl.

    A model of an automaton is a decoder. After the input it outputs the states of the run, then yes or no: symcook run
    FILE --input W --steps T. In a regular expression () is the empty string, [] no string; an expression with blanks
    needs --alphabet. A model of a Turing machine outputs one token a step.

    With --theorem the model is the construction in the proof of that theorem, with softmax attention. Theorems 12 to 18
    give instances of a family: --prove, or symcook prove FILE, checks that and prints the family's theorem. Theorems 20
    to 23 are those with counting. Theorem 2 (tm) has a token for each transition; --variant no-start uses the
    transitions of the machine that reads its input one symbol ahead. If the machine starts to the left of the first
    symbol, one step is added. Theorem 1 (dfa, and each --variant) leaves out the first state, and token |x| + 1 after
    the input x is yes or no.

    With --soft the attention is softmax, at a temperature so small that the feed-forward layers round each retrieved
    value to the bits of the formula, at every length; show prints the error of each head.

    With --prove symcook writes a certificate and its statement next to the model. The theorem is about the weights of
    the model and every string, and the second checker can verify it. If no proof is found, the model is written and the
    exit code is 3.
    """
    from symcook.compilers import compile as compiled
    from symcook.compilers.sources import source_of
    from symcook.model.modelfile import save
    from symcook.programs.running import speech_of

    kind = language(kind)
    read = source_of(kind, source, regex)
    options: dict[str, Any] = {"alphabet": alphabet, "soft": soft, "tau": tau, "weighting": weighting}
    options |= {"variant": variant, "regex": regex}
    # `seconds` is the time for compiling and proving together. The model is written even if no proof is found.
    begun = time.monotonic()
    with Progress("compiling"), within(seconds, "no model was made", "take a smaller program"):
        model = compiled(cast("LanguageWord", kind), read, theorem=theorem or "", **options)
    to = own.files(target, force, own.ENDING) if prove else None
    file = save(model, target, force=force)
    document: dict[str, Any] = {"file": str(file), **measures(model, kind, read.text, alphabet)}
    document |= {"certificate": None, "verdict": None}
    wrote = _written_line(document, speech_of(model).letters)
    if kind == "dfa" and read.file:
        is_table = read.text.lstrip().startswith("{")
        wrote += f"\n  {read.file} is {'an automaton in JSON' if is_table else 'a regular expression'}"
    if to is not None:
        try:
            document |= _prove_and_write(model, to, seconds, begun, source, target, alphabet)
        except Undecided:
            say_or_json(as_json, lambda: document, lambda: wrote)
            raise
    # The ids of the theorems about a construction are part of the sentence, not of the JSON document.
    by = f" ({', '.join(document.pop('theorems', ()))})" * bool(theorem)
    proved_text = f"{_proved_sentence(model, kind, theorem, variant)}{by} (certificate: {document['certificate']})"
    proved_line = f"\n{document['verdict']}  {proved_text}"
    say_or_json(as_json, lambda: document, lambda: wrote + (proved_line if prove else ""))
    return 0


def _proved_sentence(model: Transformer, kind: str, theorem: str | None, variant: str | None) -> str:
    """What the certificate of a compiled model proves, in words, by the kind of its program."""
    from symcook.model.extent import Extent

    says = f"the model answers as the {'program' if kind == 'srasp' else 'formula'} does"
    if kind == "dfa":
        says = "it outputs the states of the automaton, then yes or no"
        if theorem:
            word = "x with a symbol," if variant == "no-start" else "x,"
            says = f"{word} token |x| + 1 after it is yes or no, as the automaton says"
    if kind == "tm":
        says = "it outputs the machine's steps, then its output"
    return f"on {Extent(shortest=int(not model.embedding.added)).strings} {says}"


def _written_line(shown: Mapping[str, Any], letters: Sequence[str]) -> str:
    """The line about a written model: the numbers of layers, coordinates, heads and operators, and the symbols."""
    layers, heads, operators = (
        f"{shown[key]} {key[:-1] if shown[key] == 1 else key}" for key in ("layers", "heads", "operators")
    )
    symbols = " ".join(letters if len(letters) <= 12 else [*letters[:3], "..", letters[-1]])
    sizes = f"{layers}, width {shown['width']}, {heads}, {operators}"
    return f"wrote {shown['file']}: {sizes}{', symbols ' * bool(letters)}{symbols}"


def _prove_and_write(
    model: Transformer, to: own.Files, seconds: int, begun: float, source: str, target: str, alphabet: str | None
) -> dict[str, Any]:
    """Prove that a model answers as its program, and write certificate and statement; return the entries about them for
    the JSON document. The model file must be written already.

    For the construction of a theorem, the certificate proves that the model is an instance of its family, and the entry
    "theorems" has the theorems about this family. `begun` is the time at which the `seconds` began. Raises Undecided if
    no proof is found.
    """
    from symcook.proof.bridges import decoders
    from symcook.proof.programs import compiledprograms

    program = model.program
    failure = "the model is written, and no proof was found"
    theorems: list[str] = []
    # A construction without a theorem: the message says which construction has a proof.
    if (needed := unproved(model)) is not None:
        program_of, theorem = needed
        failure = f"the model is written, and no proof is made of {program_of} without --theorem {theorem}"
        try:
            command = provable(model, source if source.isprintable() else "FILE", target, alphabet)
        except Undecided as why:
            raise Undecided(f"{failure}; {why.sentence}; {instead(model)}.") from None
        raise Undecided(f"{failure}; compile it with --theorem {theorem} for one, or {instead(model)}; type: {command}")
    # The construction of a theorem is proved by an instance certificate, and the decoder of an automaton by one made
    # for it.
    if program is None or program.theorem or program.kind == "dfa":
        try:
            with Progress("proving"), within(seconds, failure, instead(model), begun):
                if program is None or program.theorem:
                    statement, certificate, verdict, theorems = _instance(model)
                else:
                    # The decoder of an automaton.
                    bridged = decoders.prove(model)
                    statement, certificate, verdict = bridged.statement, bridged.certificate, bridged.verdict
        except BadInput as why:
            raise Undecided(f"{failure}: {why.must}; given: {why.given}; {instead(model)}.") from None
        except Rejected as why:
            raise refused(why, failure, model) from None
    else:  # a formula or an S-RASP program: its equivalence to the model is proved directly
        with Progress("proving"), within(seconds, failure, instead(model), begun):
            statement, proof = compiledprograms.prove(model, seconds)
        if proof.certificate is None or proof.verdict is None:
            why = str(proof.missing).partition("\n")[0]
            raise Undecided(f"{failure}: {why}; {instead(model)}.")
        certificate, verdict = proof.certificate, proof.verdict
    from symcook.proof.statements.proving import write

    write(to, statement, certificate)
    return {"certificate": str(to[0]), "verdict": verdict.words} | ({"theorems": theorems} if theorems else {})


def _instance(model: Transformer) -> tuple[Statement, dict[str, Any], Verdict, list[str]]:
    """An instance certificate: its statement (the model is an instance of the family of its theorem), the certificate,
    the checker's verdict, and the ids of the theorems about this family.

    Raises Undecided if the family is not certain, if there is no theorem about it, or if one of them is not proved;
    Rejected if the checker does not accept the certificate.
    """
    from symcook.cli.families import candidates, verdicts_of
    from symcook.model.modelfile import to_document
    from symcook.proof.bridges.bridge import Bridge, checked
    from symcook.proof.families.storedtheorems import theorems_of

    families, sure = candidates(model, model.name) if model.source else ([], False)
    about = theorems_of(families[0][0]) if sure else []
    if model.program is not None and model.program.kind in FORMULAS:
        about = [statement for statement in about if "truths(op," in statement.written]
    verdicts = verdicts_of(about)
    if not about or any(verdict.status not in ("PROVED", "CORRECTED") for verdict in verdicts):
        raise Undecided(f"the model is written, but symcook makes no proof for models of its family; {instead(model)}.")
    family, at = families[0]
    bridge = Bridge(family, at, to_document(model))
    certificate, verdict = checked(bridge)
    return bridge.statement, certificate, verdict, [theorem.id for theorem in about]


def measures(model: Transformer, kind: str, source: str, alphabet: str | Sequence[str] | None = None) -> dict[str, int]:
    """The numbers of layers, coordinates and heads, and of operators of the program (for an automaton or a Turing
    machine, of rows of its table).

    An instance of a family does not keep its program: then the program is read from `source`.
    """
    from symcook.programs.compiled import read
    from symcook.programs.running import read_source
    from symcook.programs.turing import read_turing

    heads = sum(len(layer.attention.heads) for layer in model.layers if layer.attention is not None)
    if model.program is not None:
        program = read(model.program)
    else:
        program = read_turing(source) if kind == "tm" else read_source(source, alphabet)
    return {"layers": len(model.layers), "width": len(model.space), "heads": heads, "operators": program.operators}
