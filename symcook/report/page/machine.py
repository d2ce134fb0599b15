"""The page of a model that runs a machine: what it generates after a string, token by token, with the tapes and what
each head retrieved, or with the states of an automaton; and the model's values on the string followed by these tokens.

`machine_runs` makes the document that the script of the page reads; the other public functions make parts of the page.
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
"""A run as a document, and its tokens as the model calls them."""
MachineRuns = dict[str, Any]
"""`kind` ("tm" or "dfa"); `first`, the position of the first column, and `apart`, by how much that is above the
network's own; `runs`, each a document of `symcook.thought.frames.differences`, or of an automaton the same without
heads, with a "trace" where the network's own pass is there too; and `table`, by which the page runs a word that is
typed, or None."""
RUNS, TOKENS, SECONDS = 12, 400, 2
"""At most so many runs on a page, so many tokens in each and in all together, and so many processor seconds."""
POSITIONS = 40
"""The positions of all runs together of which the network's values are shown."""
ROWS = 4000
"""The rows of a machine that a page takes, so that it can be run on any word there."""


def machine_runs(model: Transformer, first: TypedInput) -> MachineRuns | None:
    """The model's own runs behind `first` and behind the shortest words. None for a model that runs no machine, and for
    one whose weights are not those of its machine. `model` has values for all its symbols."""
    if model.program is None or model.program.kind not in ("tm", "dfa"):
        return None
    runner_of = _states if model.program.kind == "dfa" else _rows if model.program.theorem else _tapes
    # The runner checks that the weights are those of the machine.
    try:
        run_on = runner_of(model)
    except SymcookError:
        return None
    documents: dict[str, dict[str, Any]] = {}
    room, tokens, end = POSITIONS, TOKENS, time.process_time() + SECONDS
    for symbols in itertools.chain([first], inputs(model)):
        word = tuple(map(str, symbols))
        typed = " ".join(word)
        if typed in documents:
            continue
        try:
            document, labels = run_on(word)
        except SymcookError:
            continue
        # The first string is shown however long its run is; the others only while there is room for them.
        tokens -= len(document["tokens"])
        if documents and tokens < 0:
            break
        document["typed"] = typed
        # The values inside the model, where there is room; of a long first run the beginning alone.
        extended = (*word, *labels)
        if extended and (len(extended) + model.embedding.added <= room or not documents):
            with suppress(SymcookError):
                document["trace"] = traced(model, extended[: max(len(word), room)])
                room -= len(extended)
        documents[typed] = document
        if len(documents) == RUNS or time.process_time() > end:
            break
    if not documents:
        return None
    begins = 1 - model.embedding.added  # a token before the string stands at position 0
    shared = {"kind": model.program.kind, "first": begins, "apart": begins - model.embedding.start}
    return shared | {"runs": list(documents.values()), "table": _table(model)}


def _table(model: Transformer) -> dict[str, Any] | None:
    """The table by which the page runs any word of `least` symbols or more, as `stepper.js` reads it, of a machine of
    which the weights are the compiler's: None where there are no letters to type, or too many rows."""
    from symcook.compilers.automaton import variant_of

    if model.program is None:
        raise RuntimeError("model.program must be set here")
    least = {"least": int(not model.embedding.added)}
    # An automaton: its transitions, and whether the model reads them in one step.
    if model.program.kind == "dfa":
        automaton = program_automaton(model)
        automaton = present(automaton)
        size = len(automaton) * len(automaton.alphabet)
        if not 0 < size <= ROWS:
            return None
        fields = least | {"alphabet": automaton.alphabet, "moves": automaton.moves, "names": automaton.names}
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
    names = least | {"input": machine.input, "blank": machine.blank, "start": machine.start, "halt": machine.halt}
    theorem = bool(model.program.theorem)
    return names | {"head": machine.head, "tapes": machine.tapes, "theorem": theorem, "rows": rows}


def _tapes(model: Transformer) -> Callable[[Word], ToldRun]:
    """What gives the run of a Turing machine behind a word, in integers, and its tokens as the model calls them.
    BadInput where the weights are not those of the machine."""
    from symcook.programs.steps import labels
    from symcook.thought.frames import differences
    from symcook.thought.integers import IntegerDecoder
    from symcook.thought.running import INTEGERS, MachineRun, MachineStream

    stream = MachineStream(model, (), 0)
    machine, least = stream.machine, stream.least
    decoder, named = IntegerDecoder(machine), labels(machine)

    def ask(word: Word) -> ToldRun:
        model.tokens(word)  # BadInput for the empty word where nothing stands in front
        steps = tuple(itertools.islice(decoder.steps(word), TOKENS + 1))
        ended, steps = len(steps) <= TOKENS, steps[:TOKENS]
        run = MachineRun(machine, word, INTEGERS, tuple(step.token for step in steps), ended, steps, least)
        return dict(differences(run)), [named[token] for token in run.tokens]

    return ask


def _rows(model: Transformer) -> Callable[[Word], ToldRun]:
    """The same for a decoder whose tokens are the rows of the table (`--theorem 2`)."""
    from symcook.thought.rows import document, machine_of_table, row_run

    machine = machine_of_table(model)
    return lambda word: document(row_run(model, machine, word, TOKENS))


def _states(model: Transformer) -> Callable[[Word], ToldRun]:
    """What gives the run of an automaton: the states that the model writes behind the word, then its verdict. BadInput
    where the weights are not those of the automaton."""
    from symcook.compilers import require_genuine
    from symcook.decode import stream
    from symcook.programs.running import speech_of

    require_genuine(model)
    speech = speech_of(model)

    def ask(word: Word) -> ToldRun:
        labels = list(stream(model, word, min(TOKENS, len(word) + 2)))
        tokens = [{"position": len(word) + 1 + k, **speech.said(label)} for k, label in enumerate(labels)]
        ended = bool(labels) and labels[-1] in speech.ends
        document = {"input": list(word), "tokens": tokens, "stopped": "end" if ended else "limit"}
        return document | {"output": speech.output(labels)}, labels

    return ask


def machine_word(model: Transformer, text: str) -> tuple[str, ...] | None:
    """What is typed as one word, by the letters of the machine that a model runs; None for any other model."""
    if model.program is None or model.program.kind not in ("tm", "dfa"):
        return None
    from symcook.programs.running import speech_of

    return speech_of(model).word(text)


def controls(machine_runs_data: MachineRuns, picture: Markup) -> Markup:
    """The stepper of a machine's own run, where it is drawn, and its tokens as a table."""
    from symcook.thought.rows import AHEAD

    run = machine_runs_data["runs"][0]
    last = max(0, len(run["tokens"]) - 1)
    what = "tapes" if machine_runs_data["kind"] == "tm" else "states"
    drawn = "what each head reads, and from which token" if machine_runs_data["kind"] == "tm" else "its state"
    # What is seen, with a note where tokens hold what the heads will read, and one where positions are shown from 1.
    words = f"After the string the model continues with its own answers, a token a step. The {what} below say {drawn}."
    words += f" {AHEAD}." if any("held" in token for token in run["tokens"]) else ""
    words += " Inside the transformer positions count from 0, here from 1." * machine_runs_data["apart"]
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
        element("p", words),
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
    """The tokens of a run as a table, for who has no scripts."""
    rows = [
        (token["position"], token["token"], " ".join(token.get("write", ())), " ".join(token.get("move", ())))
        for token in run["tokens"]
        if not token.get("given")
    ]
    header, caption = ("position", "state or output", "writes", "moves"), f"tokens after {run['typed'] or EMPTY_STRING}"
    width = 4 if any("move" in token for token in run["tokens"]) else 2
    return table(caption, header[:width], [row[:width] for row in rows], class_="words")


def options(found: MachineRuns, traces: Sequence[object]) -> Iterator[Markup]:
    """The inputs to choose from; of those without a trace it is said that the page has their tokens alone."""
    for k, (run, trace) in enumerate(zip(found["runs"], traces, strict=True)):
        note = " (its tokens alone)" * (trace is None)
        yield element("option", f"{run['typed'] or EMPTY_STRING}{note}", value=k, selected=k == 0)


def program_automaton(model: Transformer) -> Automaton | None:
    """The automaton that a model was compiled from; None for any other model."""
    if model.program is None or model.program.kind != "dfa":
        return None
    from symcook.programs.running import program_table

    return program_table(model.program)
