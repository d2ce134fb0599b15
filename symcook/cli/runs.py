"""The commands that run a model: ``run``, ``derive`` and ``check``."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli import own
from symcook.cli.options import (
    Chosen,
    Complete,
    Digits,
    DomainOption,
    Force,
    InputsOption,
    Latex,
    MaxLength,
    Name,
    PositionsOption,
    RowsOption,
    Sample,
    Seconds,
    Seed,
    Settings,
    Tokens,
    Whole,
    WordOption,
    asked_of,
    check_latex,
    choose,
    digits_of,
    exact_or_balls,
    in_balls,
    input_hint,
    need_input,
    need_values,
    option,
    read_input,
    whole_family,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, SweepProgress, line_width, print_json, say, say_or_json, within
from symcook.errors import BadInput, Undecided, unknown
from symcook.files import content
from symcook.model.answers import EMPTY_STRING
from symcook.present import present

if TYPE_CHECKING:
    from symcook.derivation import Derivation
    from symcook.model.family import Family
    from symcook.run import Run
    from symcook.verify.findings import Check
    from symcook.verify.workers import Made

BITS = Whole("the number of bits", 1, 1_000_000)
STEPS = Whole("the number of steps", 0, 1_000_000_000)
WORKERS = Whole("the number of workers", 1, 10_000)


@declare("run", "symcook run dyck-1 --input '(())'")
def run(
    *,
    name: Name,
    word: WordOption,
    tokens: Tokens,
    rows: RowsOption,
    settings: Settings,
    domain: DomainOption,
    digits: Digits = None,
    bits: Annotated[int | None, option("With mpmath: round every operation to P bits.", "P", BITS)],
    steps: Annotated[int | None, option("Let the model continue the input by at most T tokens.", "T", STEPS)],
    then: Annotated[str | None, option("Check in one pass that the model continues with these tokens.", "TOKENS")],
    trace: Annotated[bool, option("Show the residual stream after each sublayer.")],
    picture: Annotated[
        str | None, option("Draw the trace: the residual stream, and where each head looks.", "FILE", None, "--svg")
    ],
    dark: Annotated[bool, option("With --svg: draw for a dark background.")],
    force: Annotated[bool, option("With --svg: replace an existing file.")],
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    as_json: bool,
) -> int | None:
    """Run a model on one input; with --inputs run it on each string of a language, one line each.

    The values are exact. Where no exact values exist, they are rigorous intervals, and the answer says so.

    --domain chooses another number system.

    With --bits P the answer names the proved theorems about runs in P bits, each with the length up to which it covers
    every string.

    With --steps the model is a decoder: it reads its own outputs, at most T tokens. The exit code is 0 if a token ends
    the run before that, else 3. With --json each token is one document on one line, with its position; the last
    document has the output and the reason why the run stopped. With --trace each token shows where each head looked.

    A Turing machine runs in integers if --domain is not given, and shows its tapes. Compiled with --theorem 2, it shows
    the tapes that the table of the machine gives. In floats, or in mpmath with --bits P, the answer names the first
    wrong token of a compiled decoder.
    """
    from symcook.report.run import text
    from symcook.run import run as answered

    wanted_digits = digits_of(digits, domain, bits)
    # --inputs: one line for each string of a language.
    language = asked_of(inputs, sample, seed, positions)
    if language:
        if inputs is None:
            raise BadInput("--positions must come with --inputs", f"--positions {positions} alone", "give --inputs too")
        alone = {"--input": word, "--tokens": tokens, "--rows": rows, "--steps": steps, "--then": then}
        drawing = {"--trace": trace, "--svg": picture, "--dark": dark, "--force": force}
        for option_name, value in (alone | drawing).items():
            if value not in (None, False):
                raise BadInput(f"--inputs must be used without {option_name}", option_name, "leave one out")
        return _each_string(name, settings, language, domain, wanted_digits, bits, as_json)
    # --steps and --then: a decoder continues its input.
    if steps is not None or then is not None:
        drawing = {"--svg": picture, "--dark": dark, "--force": force}
        return _decoded(name, settings, word, tokens, rows, steps, then, domain, digits, bits, trace, as_json, drawing)
    # Otherwise: one pass over one input, whose trace may be drawn.
    if picture is None and (dark or force):
        raise BadInput("--dark and --force must go with --svg", "no --svg", "give --svg FILE")
    chosen, file = choose(name, settings), None
    if chosen.model.program is not None and chosen.model.program.kind == "tm" and tokens is None:
        raise BadInput(
            "a Turing machine needs the number of steps that it is run", "no --steps", "give for example --steps 100"
        )
    if picture is not None:
        from symcook.report.picture import target

        file = target(picture, force)
    sequence = need_input(chosen, read_input(chosen, word, tokens, rows), "run")
    need_values(chosen)
    options: dict[str, Any] = {"values": chosen.values, "digits": wanted_digits, "bits": bits}
    options["trace"] = trace or file is not None
    domain = in_balls(domain, chosen.model)

    def asked(numbers: Any) -> Any:
        return answered(chosen.model, sequence, numbers, **options)

    answer, why = exact_or_balls(domain, asked)
    within = in_region(chosen, answer)
    if file is not None:
        from symcook.report.figure import write_files

        write_files({file: answer.svg(dark).encode()}, force)
        if not trace:  # the picture needed the trace, but the answer must not show it
            answer = replace(answer, result=replace(answer.result, steps=()))
    theorems = None if bits is None else _theorems(chosen, bits)
    if as_json:
        added = ({} if within is None else {"in_region": within}) | ({} if file is None else {"svg": str(file)})
        added |= {} if theorems is None else {"theorems": theorems}
        print_json(answer.to_json() | added)
    else:
        say(text(answer, line_width()))
        if why:
            say(f"  {why}")
        if chosen.model.program is not None and chosen.model.program.kind == "dfa":
            say(f"  these are the scores of the next token; for the verdict give --steps {len(sequence) + 2}")
        what = "string" if chosen.model.alphabet else "input"
        for line in () if theorems is None else _covered(theorems, present(bits), len(sequence), what):
            say(f"  {line}")
        if within is False:
            say(f"  outside the region where it is {exact_where(chosen)}")
        if file is not None:
            say(f"wrote {file}")
    if answer.undecided:
        string = answer.given or EMPTY_STRING
        numbers = answer.result.domain.name
        raise Undecided(f"the verdict on {string} was undecided in {numbers} numbers; try --domain exact.")


def _theorems(chosen: Chosen, bits: int) -> list[dict[str, Any]]:
    """The theorems about runs of the model in so many bits."""
    from symcook.export.provedbits import in_bits

    return in_bits(chosen.model, chosen.values, bits)


def _covered(theorems: list[dict[str, Any]], bits: int, length: int, what: str) -> Iterator[str]:
    """Lines on the theorems about runs in so many bits: up to which length they cover inputs, and whether they cover
    one of this length; `what` is how an input is called."""
    from symcook.export.provedbits import LONGEST_SHOWN, covered_lengths

    if not theorems:
        yield f"no proved theorem covers runs of this model in {bits} bits"
    for theorem in theorems:
        if theorem["length"] is None:
            yield f"{theorem['id']} covers no {what} in {bits} bits"
            continue
        where = f" where {' and '.join(theorem['where'])}" if theorem["where"] else ""
        this = f"; this {what} has length {length:,}" if length > theorem["length"] else ""
        end = "" if theorem["length"] >= LONGEST_SHOWN else f", and no longer ones{this}"
        yield f"{theorem['id']} covers {what}s {covered_lengths(theorem)} in {bits} bits{where}{end}"


def _each_string(
    name: str,
    settings: tuple[str, ...],
    language: dict[str, Any],
    domain: str | None,
    digits: int,
    bits: int | None,
    as_json: bool,
) -> int:
    """``run --inputs``: print the answers to all strings of a finite language; return the exit code."""
    from symcook.report.document import columns
    from symcook.report.run import answer_text, answers_that_count
    from symcook.run import run
    from symcook.words.inputs import LISTED, finite

    chosen = choose(name, settings)
    if not chosen.model.alphabet:
        raise BadInput(
            "--inputs must be chosen only for a model that reads strings",
            f"{name}, which reads numbers",
            "leave --inputs out",
        )
    need_values(chosen)
    strings = finite(chosen.model, **language)
    if strings.count > LISTED:
        raise BadInput(f"the inputs must be at most {LISTED} strings", strings.says, "give --sample 1000")
    # In JSON a row is the document of a run without the recipe, which is the same for all; in text it is (string,
    # answer).
    number_system, bound, rows = in_balls(domain, chosen.model), strings.counted(chosen.model.bind(chosen.values)), []
    extent = strings.extent(chosen.model, chosen.values)
    undecided, answer_of = None, answer_text if strings.positions is None else answers_that_count
    with Progress(f"running {name}") as progress:
        for n in strings.lengths:
            for string in strings.each(n):
                ask: Any = partial(run, bound, string, digits=digits, bits=bits)
                answer, _ = exact_or_balls(number_system, ask)
                undecided = undecided or (answer if answer.undecided else None)
                if as_json:
                    rows.append({key: value for key, value in answer.to_json().items() if key != "recipe"})
                else:
                    rows.append((answer.given or EMPTY_STRING, answer_of(answer)))
                progress(len(rows), strings.count)
    if as_json:
        print_json({"recipe": chosen.model.name, **strings.to_json(), **extent.to_json(), "answers": rows})
    else:
        say(f"{name} on {strings.says}{extent.at_values}")
        say(columns(rows, "  "))
    # The whole table is printed before an undecided string makes the command fail.
    if undecided is not None:
        raise Undecided(f"the verdict on {undecided.given or EMPTY_STRING} is undecided; try --domain exact.")
    return 0


def _decoded(
    name: str,
    settings: tuple[str, ...],
    word: str | None,
    tokens: str | None,
    rows: str | None,
    steps: int | None,
    then: str | None,
    domain: str | None,
    digits: int | None,
    bits: int | None,
    trace: bool,
    as_json: bool,
    others: Mapping[str, object],
) -> int:
    """``run --steps`` and ``run --then``: run a decoder; return the exit code. Raises BadInput if one of the options
    `others` has a value."""
    from symcook.cli.steps import run_steps, run_then

    decoder_option = "--steps" if then is None else "--then"
    if steps is not None and then is not None:
        raise BadInput("--steps and --then must not be used together", "both", "leave one out")
    chosen, wanted_digits = choose(name, settings), digits_of(digits, domain, bits)
    program = chosen.model.program
    for option_name, value in others.items():
        if value:
            raise BadInput(
                f"{decoder_option} must be used without {option_name}", option_name, f"leave {option_name} out"
            )
    # --then is one pass, without steps to trace. A Turing machine reads symbols, and its tapes have no rounded numbers.
    is_machine = program is not None and program.kind == "tm"
    tapes = is_machine and trace and then is None and domain is None
    clashes = [("--rows", rows, decoder_option if then is not None or is_machine else "")]
    clashes += [("--trace", trace or None, "--then" if then is not None else "")]
    clashes += [("--bits", bits, "--then" if then is not None else "--trace" if tapes else "")]
    # The steps of a machine are integers, or labels in which no digit is printed.
    program_steps = is_machine and then is None and (tapes or not present(program).theorem)
    clashes += [("--digits", digits, decoder_option if program_steps else "")]
    for option_name, value, other in clashes:
        if value is not None and other:
            raise BadInput(f"{other} must be used without {option_name}", option_name, f"leave {option_name} out")
    if then is not None:
        return run_then(chosen, word, tokens, then, domain, wanted_digits, as_json)
    steps = present(steps)
    # A Turing machine that was compiled without --theorem: its tokens are steps of the machine.
    if is_machine and not present(program).theorem:
        from symcook.cli.machines import run_machine

        return run_machine(chosen, word, tokens, steps, domain, bits, trace, as_json)
    # The decoder of --theorem 2: its tokens are rows of the transition table, which the trace uses.
    if tapes:
        from symcook.cli.machines import trace_rows

        return trace_rows(chosen, word, tokens, steps, as_json)
    # Any other decoder.
    return run_steps(chosen, word, tokens, rows, steps, domain, wanted_digits, bits, trace, as_json)


def in_region(chosen: Chosen, answer: Run) -> bool | None:
    """Whether the input is in the region where the recipe is known to be exact; None for strings, for the user's own
    models, and for irrational numbers."""
    if chosen.info is None or chosen.model.embedding.inputs is None:
        return None
    from symcook.recipes import inside

    try:
        return inside(chosen.name, chosen.arguments, answer.result.sequence, chosen.model.values(chosen.values))
    except BadInput:  # only for rational numbers it is decided whether they are in the region
        return None


def exact_where(chosen: Chosen) -> str:
    """The region of a recipe, in words that say whether it is the largest region where the recipe is exact."""
    return f"{'exact' if chosen.info.largest else 'known to be exact'}: {_region(chosen)}"


@declare("derive", "symcook derive first-position --input 01")
def derive(
    *,
    name: Name,
    word: WordOption,
    tokens: Tokens,
    rows: RowsOption,
    settings: Settings,
    cases: Annotated[bool, option("Split where a comparison is undecided: one closed form for each case.")],
    latex: Latex,
    document: Complete,
    target: Annotated[
        str | None, option("Write a certificate of the closed forms that hold at every length.", "FILE", None, "-o")
    ],
    force: Force,
    seconds: Seconds = 60,
    as_json: bool,
) -> int:
    """Derive closed forms of the outputs; parameters that are not set stay symbols.

    Without an input the closed forms hold at every length. Exit code 3: a closed form is not proved.

    For a feed-forward recipe the closed forms are in its inputs. A model of sequences takes one input. Without an
    input, the intermediate coordinates have closed forms too. symcook finds them from the weights and then proves them;
    -o writes the certificate, and the answer names each closed form that is not proved.

    With --cases, and where a comparison depends on the values, the answer is a list of at most 64 closed forms whose
    conditions cover all values. A family without its parameters has closed forms for all parameter values.
    """
    check_latex(latex, document, as_json)
    if force and target is None:
        raise BadInput("--force must come with -o FILE", "none", "leave --force out")
    # A family without its sizes: for all parameter values.
    family = None if any(option is not None for option in (word, tokens, rows)) else _whole_family(name, settings)
    if family is not None:
        if cases:
            raise BadInput(
                "--cases must be used with a model, not with a family", name, "give the family's sizes by --set"
            )
        if latex:
            raise BadInput(
                "LaTeX closed forms are written for a model, not for a family", name, "give the family's sizes by --set"
            )
        from symcook.cli.families import derive_family

        return derive_family(family, target, force, seconds, as_json)
    # A model of sequences without an input: at every length.
    chosen = choose(name, settings)
    given = read_input(chosen, word, tokens, rows)
    if given is None and not chosen.pointwise:
        if latex:
            raise BadInput("a closed form in LaTeX must be for one input", "none", input_hint(chosen))
        if cases:
            raise BadInput("--cases must be used with one input", "none", input_hint(chosen))
        return _every_length(chosen, target, force, seconds, as_json)
    # One input, or a feed-forward recipe.
    if target is not None:
        raise BadInput(
            "a certificate is written only for closed forms that hold at every length, not for one input",
            "one input",
            "leave -o out",
        )
    recommendation = "set its parameters" if chosen.pointwise else "give a shorter input"
    with within(seconds, f"no closed form of {chosen.name} was found", recommendation):
        answers, cases = _answers(chosen, given, cases)
    if as_json:
        documents = [answer.to_json() for answer in answers]
        print_json(documents if cases else documents[0])
    elif latex:
        from symcook.report import markup
        from symcook.report.derivation import displays

        say(markup.latex([display for answer in answers for display in displays(answer)], document))
    else:
        say("\n\n".join(answer.text() for answer in answers))
    return 0


def _whole_family(name: str, settings: Sequence[str]) -> Family | None:
    """The family NAME with its choices, if it has sizes or tables and none of them is set; else None."""
    family = whole_family(name, settings)
    return family if family is not None and {*family.sizes, *family.tables} else None


def _every_length(chosen: Chosen, target: str | None, force: bool, seconds: int, as_json: bool) -> int:
    """Print the closed forms at every length with their proof; return the exit code, which is 3 if one is not
    proved."""
    from symcook.closed import every_length
    from symcook.report import closed

    # `seconds` is the time for the search for forms and for their proof together.
    to, begun = None if target is None else own.files(target, force), time.monotonic()
    with within(seconds, f"no closed form of {chosen.name} was found", "give --input"):
        forms = every_length(chosen.model, chosen.values)
    recommendation = "take a smaller model"
    with Progress(f"proving the forms of {chosen.name}"), within(seconds, "no proof was found", recommendation, begun):
        forms = forms.prove(seconds)
    proof = forms.proof
    proof = present(proof)
    written = None
    # If there is no certificate, no form was proved, and nothing is written.
    if to is not None and proof.certificate is not None and proof.statement is not None:
        from symcook.proof.statements.proving import write

        write(to, proof.statement, proof.certificate)
        written = target
    if as_json:
        print_json(forms.to_json(written))
    else:
        say(closed.text(forms, written))
    return 0 if proof.whole else 3


def _answers(chosen: Chosen, given: object, cases: bool) -> tuple[tuple[Derivation, ...], bool]:
    """The closed forms, and whether there is one for each case.

    With `cases`, and if a comparison depends on the values, the answer is by cases.
    """
    from symcook.derivation import derive as derived

    try:
        if not cases:
            with Progress(f"deriving {chosen.name}"):
                answer = derived(chosen.model, given, values=chosen.values)
                return tuple(answer.cases), len(answer.cases) > 1
    except Undecided as error:
        if not chosen.model.alphabet:
            raise
        raise Undecided(f"{error.sentence.rstrip('.')}; leave --input out for the forms at every length.") from None
    return _by_cases(chosen, given), True


def _by_cases(chosen: Chosen, given: object) -> tuple[Derivation, ...]:
    """One closed form for each case of the open comparisons."""
    from symcook.derivation import derive_cases

    with Progress(f"cases of {chosen.name}") as progress:
        return derive_cases(
            chosen.model,
            given,
            values=chosen.values,
            progress=lambda found, most: progress(f"{found} (at most {most} are given)"),
        )


@declare("check", "symcook check dyck-1 --max-length 12")
def check(
    *,
    name: Name,
    max_length: MaxLength,
    spec: Annotated[str | None, option("A function that returns the right answer, or a Fold.", "FILE.py:FUNCTION")],
    domain: DomainOption,
    digits: Digits = None,
    settings: Settings,
    tokens: Annotated[str | None, option('The names of the tokens 0, 1, .. of a family: "( ) [ ]".', "TOKENS")] = None,
    resume: Annotated[str | None, option("Save progress in this file, and resume from it.", "FILE")] = None,
    workers: Annotated[int | None, option("Use up to K processes (fewer for a small check).", "K", WORKERS)] = None,
    scheduler: Annotated[
        str | None, option("Use the Dask cluster whose scheduler has this address.", "ADDRESS")
    ] = None,
    yes: Annotated[bool, option("Allow a check of more than an hour, or of more than 2^34 strings.")],
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    as_json: bool,
) -> int:
    """Compare a model with its specification on every input up to a length.

    Exit code 1: they differ, and the smallest counterexample is shown; 3: some answers are undecided.

    A model of strings is run on every string of length at most N, and on the empty string if it accepts that as an
    input. A feed-forward recipe is evaluated on a stated grid and takes no length. The numbers are exact, or rigorous
    intervals where no exact numbers exist.

    From 2^20 strings on, symcook first tries to decide the question for every length, or to group strings with the same
    answer. Otherwise, and with --resume, --workers or --scheduler, it runs every string. To continue an interrupted
    check, give the same --resume again.
    """
    from symcook.report.check import proved

    chosen, wanted_digits = choose(name, settings, tokens), digits_of(digits, domain)
    # Options that do not fit this kind of model.
    if chosen.inputs:
        raise BadInput(
            "symcook check chooses the inputs itself, so none must be set",
            f"--set {next(iter(chosen.inputs))}",
            "leave --set out",
        )
    if chosen.pointwise and max_length is not None:
        raise BadInput(
            "--max-length must not be given for a feed-forward recipe: its inputs have no length",
            max_length,
            "leave --max-length out",
        )
    if not chosen.pointwise and max_length is None and inputs is None:
        raise BadInput(
            f"a check of {name} must have a maximum length", "none", f"give --max-length {_quick_length(chosen)}"
        )
    if not chosen.pointwise:
        need_values(chosen)  # a feed-forward recipe is checked at several values of such a symbol
    with contextlib.ExitStack() as stack:
        sweep: dict[str, Any] = {"resume": resume, "workers": workers, "yes": yes}
        sweep |= asked_of(inputs, sample, seed, positions)
        if scheduler is not None:
            from symcook.verify.workers import cluster

            if workers is not None:
                raise BadInput("--scheduler must be used without --workers", workers, "leave --workers out")
            # The cluster stays connected while the check runs.
            sweep["executor"], sweep["workers"] = stack.enter_context(cluster(scheduler))
        domain = in_balls(domain, chosen.model)
        result, why = exact_or_balls(
            domain, lambda numbers: run_check(chosen, max_length, spec, numbers, wanted_digits, **sweep)
        )
    # The stored proofs are about the recipe's own specification.
    proofs = {} if chosen.info is None or spec is not None else proved(chosen.model, chosen.info.claims)
    with whole_numbers():
        say_or_json(
            as_json,
            lambda: result.to_json() | {"proved": list(proofs)},
            lambda: check_text(chosen, result, proofs) + (f"\n  {why}" if why else ""),
        )
    if result.undecided and not result.differs:
        raise Undecided(
            f"some answers were undecided in {result.domain} numbers; try more --digits or another --domain."
        )
    return 0 if result.holds else 1


@contextlib.contextmanager
def whole_numbers() -> Iterator[None]:
    """A context in which integers of any number of digits can be printed, such as numbers of strings."""
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(digits)


def _quick_length(chosen: Chosen) -> int:
    """A maximum length with which a check takes seconds: 12 for two symbols (8 for a decoder), less for more symbols, 3
    for rows."""
    if not chosen.model.alphabet:
        return 3
    from symcook.programs.running import decodes, speech_of

    letters = max(2, len(speech_of(chosen.model).letters) - chosen.model.embedding.added)
    most_strings = 2**8 if decodes(chosen.model) else 2**12  # a decoder makes many forward passes for each string
    return max(n for n in range(1, 13) if n == 1 or letters**n <= most_strings)


def run_check(
    chosen: Chosen,
    max_length: int | None,
    spec: str | None = None,
    domain: str = "exact",
    digits: int = 30,
    **sweep: Any,
) -> Any:
    """The check of a model against `spec`, else against its program or its recipe's specification; `sweep`: further
    options of `check`. Raises BadInput for a model file that has none of them."""
    from symcook.verify.stated import check_recipe
    from symcook.verify.sweep import check

    with SweepProgress(f"checking {chosen.name}") as progress:
        how: Any = {"values": chosen.values, "progress": progress, "domain": domain, "digits": digits, **sweep}
        how["tell"] = progress.tell
        if spec is not None:
            # What the user's specification prints goes to stderr, not into the answer.
            with contextlib.redirect_stdout(sys.stderr):
                return check(chosen.model, made(spec), max_length, region=_region(chosen), **how)
        # The specification of a compiled model is its program. A recipe has one, other model files have none.
        if chosen.model.program is not None:
            return check(chosen.model, None, max_length, **how)
        if chosen.info is None:
            raise BadInput(
                "a model file must be checked against a specification", "none", "give --spec FILE.py:FUNCTION"
            )
        return check_recipe(chosen.name, max_length, chosen.arguments, **how)


def _region(chosen: Chosen) -> str | None:
    """The region in which a recipe is exact; None for a user's own model."""
    if chosen.info is None:
        return None
    from symcook.recipes import region

    return region(chosen.name, **chosen.arguments)


def check_text(chosen: Chosen, result: Check, theorems: Mapping[str, str] | None = None) -> str:
    """The outcome of a check in words; `theorems` are proved theorems about the model's language, {id: formula}."""
    from symcook.report.check import document

    return document(result, chosen.name, partial(chosen.command, "run"), theorems).text()


def made(spec: str) -> Made:
    """The specification FILE.py:FUNCTION as a call that loads it, and that other processes can repeat."""
    from symcook.verify.workers import Made

    file, _, function = spec.rpartition(":")
    if not os.path.isfile(file):
        return Made(partial(load_spec, spec), None)  # the call raises BadInput
    path = os.path.abspath(file)
    return Made(partial(load_spec, f"{path}:{function}"), function, path)


def load_spec(spec: str) -> Callable[[Any], Any]:
    """The function FUNCTION of the Python file FILE.py, imported by path. Raises BadInput if this fails.

    The file is executed in each call, and its module replaces the one that an earlier call left in `sys.modules`.
    """
    file, colon, name = spec.rpartition(":")
    if not colon or not file or not name:
        raise BadInput(
            "a specification must be written FILE.py:FUNCTION", spec or "nothing", "for example my.py:accepts"
        )
    from symcook.alarm import raise_real

    path = Path(file)
    if not path.is_file():
        do = f"write {file}.py:{name}" if Path(f"{file}.py").is_file() else None
        raise BadInput("the file of a specification must exist", spec, do)
    content(path, "the file of a specification")  # raises BadInput if it cannot be read, instead of Python's error
    # The module is in `sys.modules` before it is executed: dataclasses in the file require this.
    loader = importlib.util.spec_from_file_location(f"symcook_spec_{path.stem}", path)
    if loader is None or loader.loader is None:
        raise BadInput("the file of a specification must be Python and end in .py", file, "for example my.py:accepts")
    module = importlib.util.module_from_spec(loader)
    sys.modules[loader.name] = module
    try:
        loader.loader.exec_module(module)
    except BaseException as error:
        raise_real(error)
        raise BadInput(
            f"the file {file} must import without an error", f"{type(error).__name__}: {error}", "repair the file"
        ) from error
    # The name must be that of a function in the file.
    function = getattr(module, name, None)
    if function is None:
        public = [n for n, value in vars(module).items() if callable(value) and not n.startswith("_")]
        raise unknown(f"function of {file}", name, public)
    if not callable(function):
        raise BadInput(
            f"{name} of {file} must be a function", type(function).__name__, "write the name of a function in the file"
        )
    return function
