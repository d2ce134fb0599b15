"""The page of a model that runs a Turing machine or an automaton.

It shows the tokens that the model generates after a string, with the tapes and what each head retrieved, or with the
states of the automaton; and the values inside the model on the string followed by these tokens. `machine_runs` makes
the document that the script of the page reads. `controls`, `told` and `options` make parts of the page. `machine_word`
and `program_automaton` read what a model was compiled from.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from symcook.errors import SymcookError
from symcook.model.answers import EMPTY_STRING
from symcook.present import present
from symcook.programs.turing import LETTERS
from symcook.report.page.html import Markup, element, table
from symcook.report.page.runs import TypedInput, inputs, traced

if TYPE_CHECKING:
    from symcook.decide.automata import Automaton
    from symcook.model.transformer import Transformer
    from symcook.words import Word

ToldRun = tuple[dict[str, Any], list[str]]
"""A run as a JSON document, and the labels of its tokens in the model."""
MachineRuns = dict[str, Any]
"""A JSON document with these keys:

`kind`: "tm" or "dfa". `first`: the position of the first column. `apart`: `first` minus the model's own first position.
`runs`: each a document of `symcook.thought.frames.differences` (for Theorem 2 of `symcook.thought.rows.document`; for
an automaton without heads), with "typed", and with a "trace" if the page has the values inside the model. `table`: the
table by which the page runs a string that is typed, or None."""
RUNS, TOKENS, SECONDS = 12, 400, 8
"""The greatest number of runs on a page, of tokens (of each run, and of all runs together), and of processor
seconds."""
POSITIONS = 40
"""The greatest number of positions, of all runs together, at which the page shows the values inside the model. The
string of the first run is always shown whole, and may be longer."""
ROWS = 4000
"""The greatest number of rows of a machine's table that is on the page, so that the page runs it on any string."""


def machine_runs(model: Transformer, first: TypedInput) -> MachineRuns | None:
    """The runs that the model generates after the string `first` and after the shortest strings.

    None if the model runs no machine, if its weights are not those of its machine, or if no run can be made. `model`
    has values for all its parameters.
    """
    if model.program is None or model.program.kind not in ("tm", "dfa"):
        return None
    runner_of = (
        _automaton_runner if model.program.kind == "dfa" else _row_runner if model.program.theorem else _machine_runner
    )
    # The runner checks that the weights are those of the machine.
    try:
        run_on = runner_of(model)
    except SymcookError:
        return None
    documents: dict[str, dict[str, Any]] = {}
    positions_left, tokens_left, end = POSITIONS, TOKENS, time.process_time() + SECONDS
    for symbols in itertools.chain([first], inputs(model)):
        word = tuple(map(str, symbols))
        typed = " ".join(word)
        if typed in documents:
            continue
        try:
            document, labels = run_on(word)
        except SymcookError:
            continue
        # The run of the first string is always shown, the others only while all runs together have few enough tokens.
        tokens_left -= len(document["tokens"])
        if documents and tokens_left < 0:
            break
        document["typed"] = typed
        # The values inside the model, if they fit into what is left of POSITIONS; of a long first run only the
        # beginning.
        extended = (*word, *labels)
        if extended and (len(extended) + model.embedding.added <= positions_left or not documents):
            with suppress(SymcookError):
                document["trace"] = traced(model, extended[: max(len(word), positions_left)])
                positions_left -= len(extended)
        documents[typed] = document
        if len(documents) == RUNS or time.process_time() > end:
            break
    if not documents:
        return None
    first_position = 1 - model.embedding.added  # a special token before the string is at position 0
    shared = {"kind": model.program.kind, "first": first_position, "apart": first_position - model.embedding.start}
    return shared | {"runs": list(documents.values()), "table": _table(model)}


def _table(model: Transformer) -> dict[str, Any] | None:
    """The table of the machine as `stepper.js` reads it, by which the page runs any string of at least "least" symbols.

    The weights of the model must be those that the compiler makes. None if the machine has no input symbols, or more
    than ROWS rows; for an automaton, a row is a transition.
    """
    from symcook.compilers.automaton import variant_of

    if model.program is None:
        raise RuntimeError("model.program must be set here")
    least_symbols = {"least": model.embedding.shortest}
    # An automaton: its transitions, and whether the model reads them in one step.
    if model.program.kind == "dfa":
        automaton = program_automaton(model)
        automaton = present(automaton)
        size = len(automaton) * len(automaton.alphabet)
        if not 0 < size <= ROWS:
            return None
        fields = least_symbols | {"alphabet": automaton.alphabet, "moves": automaton.moves, "names": automaton.names}
        counted = bool(model.program.theorem)
        fields |= {"counted": counted, "at_once": counted and variant_of(model) != "nonstrict"}
        return fields | {"answers": automaton.answers}
    from symcook.programs.turing import read_turing

    # A Turing machine: for each state and symbols read the next state, the symbols written, and the moves as letters.
    machine = read_turing(model.program.source)
    if not machine.input or len(machine.rows) > ROWS:
        return None
    rows = {
        " ".join((state, *reads)): (row.state, row.writes, [LETTERS[move] for move in row.moves])
        for (state, reads), row in machine.rows.items()
    }
    names = least_symbols | {
        "input": machine.input,
        "symbols": machine.symbols,
        "blank": machine.blank,
        "start": machine.start,
        "halt": machine.halt,
    }
    theorem = bool(model.program.theorem)
    return names | {"head": machine.head, "tapes": machine.tapes, "theorem": theorem, "rows": rows}


def _machine_runner(model: Transformer) -> Callable[[Word], ToldRun]:
    """A function from a string to the run of the Turing machine on it, computed with integers.

    Raises BadInput if the weights are not those of the machine.
    """
    from symcook.programs.steps import labels
    from symcook.thought.frames import differences
    from symcook.thought.integers import IntegerDecoder
    from symcook.thought.running import INTEGERS, MachineRun, MachineStream

    stream = MachineStream(model, (), 0)
    machine, least = stream.machine, stream.least
    decoder, token_labels = IntegerDecoder(machine), labels(machine)

    def run_on(word: Word) -> ToldRun:
        model.tokens(word)  # raises BadInput for the empty string if no special token is before it
        steps = tuple(itertools.islice(decoder.steps(word), TOKENS + 1))
        ended, steps = len(steps) <= TOKENS, steps[:TOKENS]
        run = MachineRun(machine, word, INTEGERS, tuple(step.token for step in steps), ended, steps, least)
        return dict(differences(run)), [token_labels[token] for token in run.tokens]

    return run_on


def _row_runner(model: Transformer) -> Callable[[Word], ToldRun]:
    """The function of `_machine_runner` for a decoder whose tokens are the rows of the machine's table (`--theorem
    2`)."""
    from symcook.thought.rows import document, machine_of_table, row_run

    machine = machine_of_table(model)
    return lambda word: document(row_run(model, machine, word, TOKENS))


def _automaton_runner(model: Transformer) -> Callable[[Word], ToldRun]:
    """A function from a string to the run of the automaton on it: the states that the model generates, then its
    verdict.

    Raises BadInput if the weights are not those of the automaton.
    """
    from symcook.compilers import require_genuine
    from symcook.decode import stream
    from symcook.programs.running import speech_of

    require_genuine(model)
    speech = speech_of(model)

    def run_on(word: Word) -> ToldRun:
        labels = list(stream(model, word, min(TOKENS, len(word) + 2)))
        tokens = [{"position": len(word) + 1 + k, **speech.said(label)} for k, label in enumerate(labels)]
        ended = bool(labels) and labels[-1] in speech.ends
        document = {"input": list(word), "tokens": tokens, "stopped": "end" if ended else "limit"}
        return document | {"output": speech.output(labels)}, labels

    return run_on


def machine_word(model: Transformer, text: str) -> tuple[str, ...] | None:
    """The symbols of the text `text`, by the alphabet of the machine that a model runs; None for any other model."""
    if model.program is None or model.program.kind not in ("tm", "dfa"):
        return None
    from symcook.programs.running import speech_of

    return speech_of(model).word(text)


def controls(machine_runs_data: MachineRuns, picture: Markup) -> Markup:
    """The controls to step through a run of the machine, the places where the script draws it, and a table of
    tokens."""
    from symcook.thought.rows import AHEAD

    run = machine_runs_data["runs"][0]
    last = max(0, len(run["tokens"]) - 1)
    what = "tapes" if machine_runs_data["kind"] == "tm" else "states"
    drawn = "what each head reads, and from which token" if machine_runs_data["kind"] == "tm" else "its state"
    # The explanation, with a note if tokens contain what the heads will read, and a note if positions are shown from 1.
    explanation = (
        f"After the string the model continues with its own answers, a token a step. The {what} below say {drawn}."
    )
    explanation += f" {AHEAD}." if any("held" in token for token in run["tokens"]) else ""
    explanation += " Inside the transformer positions count from 0, here from 1." * machine_runs_data["apart"]
    stepper = element(
        "div",
        element("button", "◀ token", type="button", id="token-back"),
        element("button", "token ▶", type="button", id="token-on"),
        element("label", "token", for_="token"),
        element("input", type="range", id="token", min=0, max=last, value=0, aria_describedby="token-said"),
        element("span", "or the arrow keys ← →, Home and End", class_="note"),
        class_="stepper",
    )
    return element(
        "div",
        element("p", explanation),
        stepper,
        element("p", "", id="token-said", aria_live="polite"),
        element("div", "", id="strips"),
        picture,
        element("div", "", id="lookups"),
        element("details", element("summary", "All its tokens"), element("div", told(run), id="tokens-told")),
        element("h3", "Inside the transformer"),
        id="machine",
    )


def told(run: Mapping[str, Any]) -> Markup:
    """The tokens of a run as a table, for readers without scripts."""
    rows = [
        (token["position"], token["token"], " ".join(token.get("write", ())), " ".join(token.get("move", ())))
        for token in run["tokens"]
        if not token.get("given")
    ]
    header, caption = ("position", "state or output", "writes", "moves"), f"tokens after {run['typed'] or EMPTY_STRING}"
    width = 4 if any("move" in token for token in run["tokens"]) else 2
    return table(caption, header[:width], [row[:width] for row in rows], class_="words")


def options(machine_data: MachineRuns, traces: Sequence[object]) -> Iterator[Markup]:
    """The options of the menu of inputs; one without a trace says that the page has only its tokens."""
    for k, (run, trace) in enumerate(zip(machine_data["runs"], traces, strict=True)):
        note = " (its tokens alone)" * (trace is None)
        yield element("option", f"{run['typed'] or EMPTY_STRING}{note}", value=k, selected=k == 0)


def program_automaton(model: Transformer) -> Automaton | None:
    """The automaton that a model was compiled from; None for any other model."""
    if model.program is None or model.program.kind != "dfa":
        return None
    from symcook.programs.running import program_table

    return program_table(model.program)
