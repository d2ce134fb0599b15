"""The page of a model: its sections, made from the model and from what is proved about it.

`model_page` takes a model, and its recipe if it has one, and returns HTML that loads nothing. The page contains one
JSON document for its script: the model for the evaluator in the browser, or runs that were computed beforehand. A
computation that may take long (the automaton, closed forms, softmax attention) is stopped after a few seconds.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symcook.alarm import TimeUp, alarm
from symcook.errors import BadInput, SymcookError
from symcook.files import exists, ordinary, put, vacant
from symcook.model.answers import EMPTY_STRING
from symcook.model.expr import parse_formula, parse_term
from symcook.model.extent import Extent
from symcook.model.meaning import subtrees
from symcook.model.parts import AnyHead, SelfAttention
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.symbols import Exact
from symcook.model.typedtext import text_of_tokens
from symcook.report.model import readout_text
from symcook.report.page import diagram
from symcook.report.page.describe import described, unfit
from symcook.report.page.html import Markup, element, embedding, page, section, table, weights
from symcook.report.page.machine import MachineRuns, controls, machine_runs, options, program_automaton
from symcook.report.page.runs import (
    Softness,
    TypedInput,
    as_rational,
    beforehand,
    first_input,
    first_values,
    inputs,
    rational_on,
    softness,
    stops,
    typed,
)

if TYPE_CHECKING:
    from symcook.claims import Claim
    from symcook.decide.automata import Automaton
    from symcook.model.transformer import Parameter, Transformer
    from symcook.recipes import Recipe

READS = PartsRead("the page of a model", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

Found = TypeVar("Found")
SECONDS = 3
"""The time limit for each of these: the automaton, closed forms, softmax attention."""
LATE = "not found in the time that a page may take"
"""The answer of a computation that was stopped."""
SAMPLES = 6
"""The number of inputs on which `model_page` tests whether all values are rational."""
JUDGED = ("PROVED", "DECIDED", "CORRECTED", "REFUTED", "CHECKED", "OPEN")
"""The statuses of statements that can be true or false, in the order in which the head of a page counts them."""
UNDRAWN = frozenset({"all", "ex"})
"""Trees with these tags are shown as text, not drawn as formulas."""
WRITTEN = 80
"""A formula with more characters is printed as text, which can be broken into lines; the screen shows it drawn."""
FORMS = 8
"""More cases of closed forms than this are folded."""
CHIPS = 24
"""With more symbols than this the field for a string has no button for each symbol."""
LONGEST_TYPED, MOST_TYPED = 200, 2000
"""The greatest number of symbols of a string, and of tokens of a run, in `stepper.js`."""
LONGEST_STATEMENT = 6_000
"""A formal statement with more characters is left out of the table of claims."""
MOST_STATES = 200
"""The greatest number of states in the table of an automaton."""


def target(place: str, force: bool) -> Path:
    """The file that a page is written to. Raises BadInput if its folder does not exist, or without `force` if it exists
    itself."""
    path = ordinary(place, "the target of a page", "-o page.html")
    if not path.parent.is_dir():
        raise BadInput("the folder for a page must exist", path.parent, "make this folder first")
    vacant(path, force)
    return path


def write(file: Path, page: str, force: bool) -> None:
    """Write the page, completely or not at all. Raises BadInput if the file exists and `force` is not given, or if its
    folder is not writable."""
    try:
        put({file: page.encode()}, force=force)
    except FileExistsError:
        raise exists(file) from None
    except OSError as error:
        raise BadInput(
            "the target of a page must be writable",
            f"{file} ({error.strerror})",
            "give another name, or make the folder writable",
        ) from error


def model_page(
    model: Transformer,
    given: TypedInput | Mapping[str, object] | None = None,
    *,
    recipe: Recipe | None = None,
    arguments: Mapping[str, object] | None = None,
    values: Mapping[str, Exact] | None = None,
) -> tuple[str, dict[str, Any]]:
    """The page as HTML, and {"evaluator", "why", "runs"}: "exact" if the page computes runs itself, else "precomputed"
    with the reason, and the number of runs in it.

    `given` is the input that the page shows first, as `symcook.run` takes it. `arguments` are those with which `recipe`
    built the model. `values` are values of parameters in place of their defaults.
    """
    start = first_values(model, values or {})
    bound = model.bind(start)
    first = first_input(model, start) if given is None else given
    first = [first] if isinstance(first, Mapping) else first
    numbers = {name: as_rational(value) for name, value in start.items()}
    # `why` says why the browser cannot compute runs of this model itself; the page then has runs made here.
    machine = machine_runs(bound, first)
    if machine is not None:
        compiled = bound.program is not None and bound.program.kind == "dfa"
        why = f"the model runs {'an automaton' if compiled else 'a Turing machine'}"
        runs: list[Any] = [run_document.pop("trace", None) for run_document in machine["runs"]]
    else:
        why = unfit(model, numbers)
        # The root in a layer norm may be irrational on some inputs: a few inputs are tested.
        if not why and any(step.norms for step in READS.of(model).sublayers):
            why = rational_on(bound, first, islice(inputs(model), SAMPLES))
        runs = beforehand(bound, first) if why else []
    data = _script_data(model, bound, first, numbers, why, runs, machine)
    # A compiled automaton is drawn with the states that its author named. For other models the minimal automaton is
    # searched.
    automaton, undecided = (program_automaton(model), "") if machine is not None else _automaton(bound)
    if automaton is not None and machine is None:
        automaton = _with_own_names(automaton, model)
    if automaton is not None:
        data["automaton"] = {
            "alphabet": automaton.alphabet, "moves": automaton.moves, "names": automaton.names,
            "at": Extent(values=start).at_values,
        }  # fmt: skip
    # The parts of the page from top to bottom.
    theorems = _theorems(recipe)
    body = [
        element("a", "Skip to the run", href="#run", class_="skip"),
        _head(model, recipe, arguments or {}, theorems),
        element(
            "main",
            _run(model, start, data, why, automaton),
            _softness_section(data["soft"], start),
            *([_forms(model, recipe, arguments or {})] if machine is None else []),
            _diagram(model),
            embedding(model),
            weights(model),
            *([_states(automaton, undecided, start)] if machine is None else []),
            _program(model),
            _claims(theorems),
        ),
        _foot(why),
    ]
    about = {"evaluator": "precomputed" if why else "exact", "why": why or None, "runs": len(data["runs"])}
    typed_words = machine is not None and machine["table"] is not None
    return page(f"{model.name} · symcook", body, {"data": data}, typed_words), about


def _script_data(
    model: Transformer,
    bound: Transformer,
    first: TypedInput,
    numbers: Mapping[str, Fraction | None],
    why: str,
    runs: Sequence[Any],
    machine: MachineRuns | None,
) -> dict[str, Any]:
    """The JSON document for the script of the page; `model_page` adds the automaton.

    bound: the model with values for its parameters. first: the input that the page shows first. numbers: the values of
    the parameters, None if not rational. why: why the browser computes no runs, "" if it does. runs: the precomputed
    runs. machine: the runs of a machine.
    """
    return {
        "model": None if why else described(model, numbers),
        "runs": runs,
        "first": typed(model, first),
        "inputs": None if model.embedding.inputs is None else list(model.embedding.inputs),
        "ends": list(map(len, model.embedding.ends)),
        "start": model.embedding.start,
        "decides": model.decides,
        "each": model.readout.each,
        "rule": _readout_rule(model),
        "reads": list(model.readout.reads),
        "labels": list(model.readout.labels),
        "heads": {
            str(step.layer): list(map(_caption, step.block.heads))
            for step in READS.of(model).sublayers
            if isinstance(step.block, SelfAttention)
        },
        "parts": [[column.name, list(column.reads), list(column.writes)] for column in diagram.columns(model)],
        "soft": None if machine is not None else _in_time(lambda: softness(bound, first)),
        "automaton": None,
        "machine": machine,
    }


def _readout_rule(model: Transformer) -> str | None:
    """The rule of the readout if the verdict depends on all positions; None if one position decides."""
    every = model.readout.together
    return readout_text(model.readout) if model.decides and every else None


def _in_time(ask: Callable[[], Found]) -> Found | str | None:
    """The result of `ask`; `LATE` if it takes longer than SECONDS, None if it raises an error of symcook."""
    try:
        with alarm(SECONDS):
            return ask()
    except TimeUp:
        return LATE
    except SymcookError:
        return None


def _formula(text: str) -> Markup:
    """A formula in MathML; as text if the grammar does not have it. On paper a long formula is text too."""
    from symcook.report.mathml import lines, math

    for parse, drawn in ((parse_term, math), (parse_formula, lines)):
        try:
            tree = parse(text)
        except SymcookError:
            continue
        if not any(part[0] in UNDRAWN for part in subtrees(tree) if isinstance(part, tuple)):
            formula = Markup(drawn(tree))
            if len(text) <= WRITTEN:
                return formula
            plain = element("code", text, class_="printed", aria_hidden="true")
            return Markup(f'<span class="drawn">{formula}</span>{plain}')
    return element("code", text)


def _caption(head: AnyHead) -> str:
    """The caption of a head: what it writes, its weighting, and the positions that its mask lets through."""
    window = {
        "none": "all positions",
        "future": "the positions up to its own",
        "strict-future": "the positions before its own",
        "past": "the positions from its own on",
        "strict-past": "the positions after its own",
    }[head.mask]
    how, without_scores = {
        "average": ("the mean over the largest scores among", "the mean over"),
        "leftmost": ("the first largest score among", "the first of"),
        "rightmost": ("the last largest score among", "the last of"),
        "softmax": ("softmax over", "the mean over"),
        "softmax-plus-one": ("softmax with a one below over", "the sum over one more than the number of"),
    }[head.weighting]
    return f"writes {', '.join(head.writes)}: {without_scores if head.uniform else how} {window}"


def _head(
    model: Transformer, recipe: Recipe | None, arguments: Mapping[str, object], theorems: Sequence[Claim]
) -> Markup:
    """The head of the page: the name of the model, what it computes, its source and size, and what is proved about
    it."""
    # What it computes and for which inputs, from the recipe.
    facts: list[tuple[str, object]] = []
    if recipe is not None:
        from symcook.report.recipe import labels_of, promise

        promised = promise(recipe, arguments)
        labels = labels_of(promised)
        shown = [key for key in ("formula", "error", "region") if promised.get(key, "true") != "true"]
        facts += [(labels[key], _formula(promised[key])) for key in shown]
    if model.source:
        facts.append(("source", model.source))
    # The inputs: strings, after which a compiled machine generates tokens that are not input symbols; or rows of
    # numbers.
    symbols = model.input_symbols
    input_text = (
        (f"strings over {' '.join(symbols)}" if symbols else "the empty string")
        if model.embedding.inputs is None
        else f"rows of {', '.join(model.embedding.inputs) or 'nothing'}"
    )
    if len(symbols) < len(model.alphabet):
        of_decoder = len(model.alphabet) - len(symbols)
        input_text += f", and after {'them' if symbols else 'it'} {of_decoder} tokens of its own"
    # The size, the theorems about this model, and the number of the papers' statements with each status.
    layers, coordinates = len(model.layers), len(model.space)
    size = f"{layers} layer{'s' * (layers != 1)}, {coordinates} coordinate{'s' * (coordinates != 1)}"
    limit = f", at most {model.max_length} positions" if model.max_length is not None else ""
    facts += [("reads", input_text), ("size", size + limit)]
    if recipe is not None:
        facts += [("PROVED", _proved(formula, names)) for formula, names in _proved_languages(model, recipe).items()]
    if theorems:
        counts = Counter(row.status.split()[0] for row in theorems)
        counts_text = ", ".join(f"{counts[status]} {status}" for status in JUDGED if counts[status])
        facts += [("theorems", element("a", counts_text, href="#claims"))] * bool(counts_text)
    rows = [part for name, value in facts for part in (element("dt", name), element("dd", value))]
    lead = [] if recipe is None else [element("p", recipe.summary, class_="lead"), element("p", recipe.words)]
    return element("header", element("h1", model.name), *lead, element("dl", *rows))


def _run(
    model: Transformer, start: Mapping[str, str], data: Mapping[str, Any], why: str, automaton: Automaton | None
) -> Markup:
    """The section in which an input is run: its controls, and the places where the script draws the trace.

    `why` says why the browser does not compute runs ("" if it does). There are three cases: the model runs a machine,
    the page has only precomputed runs, or the browser computes. In each case `words` explain where the values come
    from, and `asked` are the controls by which an input is chosen or typed.
    """
    machine: MachineRuns | None = data["machine"]
    runs: Sequence[Mapping[str, object]] = data["runs"]
    rows = model.embedding.inputs
    # The label of the field: how an input is typed.
    what = "A string" if rows is None else f"Rows of {', '.join(rows)}: one a position, with ; between"
    if rows is not None and model.pointwise:
        what = f"{', '.join(rows) or 'No inputs'}{', with commas between' * (len(rows) > 1)}"
    if rows is None and not model.embedding.spelled:
        what = "Symbols, with spaces between"
    asked: list[object] = []
    # A machine: a menu of its runs, and a field for another string if the page has the table of the machine.
    if machine is not None:
        count = len(machine["runs"])
        several = f"{count} runs" if count != 1 else "A run"
        words = f"{several} that symcook computed when it wrote this page. The model itself generated every token."
        chosen = element("select", *options(machine, runs), id="known")
        if machine["table"] is None:
            asked += [element("label", "A string", chosen)]
        else:
            words += (
                " On any other string your browser runs the machine from which the weights were compiled. "
                f"A string has at most {LONGEST_TYPED} symbols, and a run stops after {MOST_TYPED:,} tokens."
            )
            first = text_of_tokens(machine["runs"][0]["input"], model.input_symbols)
            asked += _field("A string", first, model.input_symbols)
            asked += [element("label", "or one that was computed, with the model's values", chosen)]
    elif why:  # the browser cannot compute: a choice among the runs made here
        known = [
            element("option", run["typed"] or EMPTY_STRING, value=k, selected=k == 0) for k, run in enumerate(runs)
        ]
        words = (
            f"This page shows {len(known)} precomputed runs and computes none, because {why}. Short values are exact. "
            "Longer values are rigorous intervals (midpoint ± radius) that contain the exact value."
        )
        asked += [element("label", "An input", element("select", *known, id="known"))]
    else:  # any input may be typed
        words = (
            "Your browser computes the run in exact rational arithmetic. Only the colours are rounded. "
            + ("" if rows is None else "Numbers are written like 3, -1/2 or 0.25. ")
            + ("If a layer norm needs an irrational root, the page says so." if model.normed else "")
        )
        asked += _field(what, data["first"], model.alphabet if rows is None else ())
    # Parameters of the model can be changed only if the browser computes.
    sliders = [] if why else [_slider(parameter, start[parameter.name]) for parameter in model.parameters]
    fixed = [f"{name} = {value}" for name, value in start.items()] if why else []
    return section(
        "Run it",
        "run",
        element("p", words, id="how"),
        *([element("p", f"With {', '.join(fixed)}.")] if fixed else []),
        element("form", *asked, id="form"),
        *sliders,
        element("p", "", id="said", role="alert"),
        element("p", "", id="answer", aria_live="polite"),
        *([controls(machine, _picture(automaton))] if machine is not None else []),
        element("div", "", id="trace"),
        element("noscript", element("p", "To step through a run, allow scripts. The rest works without scripts.")),
    )


def _field(what: str, first: str, alphabet: Sequence[str]) -> list[object]:
    """The field for an input with its button, and a button for each symbol if there are at most CHIPS."""
    field = element(
        "input", id="word", type="text", value=first, autocomplete="off", autocapitalize="off", spellcheck="false",
        aria_describedby="said",
    )  # fmt: skip
    controls_list: list[object] = [element("label", what, field), element("button", "Run", id="go", type="submit")]
    if 0 < len(alphabet) <= CHIPS:
        keys = [
            element("button", token, type="button", class_="key", data_token=token, aria_label=f"add {token}")
            for token in alphabet
        ]
        erase = element("button", "⌫", type="button", class_="key", id="erase", aria_label="remove the last symbol")
        controls_list.append(element("span", *keys, erase, class_="keys", role="group", aria_label="symbols"))
    return controls_list


def _slider(parameter: Parameter, value: str) -> Markup:
    """The controls of a parameter: a slider over some of its values, and a field for any other value."""
    stop_texts = stops(parameter, value)
    selected = next((k for k, stop in enumerate(stop_texts) if as_rational(stop) == as_rational(value)), 0)
    name = f"symbol-{parameter.name}"
    region = "any value" if parameter.region == "true" else parameter.region
    return element(
        "div",
        element("label", parameter.name, for_=name),
        element(
            "input", type="range", min=0, max=max(0, len(stop_texts) - 1), value=selected, id=f"{name}-slider",
            aria_label=f"{parameter.name}, slider", aria_valuetext=value, data_symbol=parameter.name,
            data_stops=" ".join(stop_texts),
        ),
        element("input", type="text", id=name, value=value, data_symbol=parameter.name, size=10, spellcheck="false"),
        element("span", f"valid: {region}", class_="note"),
        class_="slider",
    )  # fmt: skip


def _softness_section(softness_table: Softness | str | None, start: Mapping[str, str]) -> Markup:
    """The section that compares softmax with hard attention, with sliders for temperature and length."""
    # Nothing to compare (None), or no answer in time (LATE).
    if softness_table is None:
        return Markup("")
    if isinstance(softness_table, str):
        explanation = (
            f"{LATE}: symcook temperature prints the largest softmax temperature with the same decisions".capitalize()
        )
        return section("Softmax against hard attention", "soft", element("p", explanation))
    explanation = (
        "For each head that has scores, the table compares softmax at temperature tau with hard attention. The values "
        "are precomputed rigorous intervals (midpoint ± radius) that contain the exact values."
    )
    if softness_table["ties"]:
        explanation += (
            " If unique-hard attention breaks a tie, softmax attention does not approach it at any temperature."
        )
    if softness_table["own"]:
        explanation += (
            " This model has softmax heads. Here tau multiplies their temperature, so tau = 1 is the model itself."
        )
    if start:
        explanation += f" In the table, {', '.join(f'{name} = {value}' for name, value in start.items())}."
    # The sliders choose a row and a column of the table, which the script draws. tau = 1 and the longest input come
    # first.
    temperatures, rows = softness_table["temperatures"], softness_table["rows"]
    sliders = [
        element(
            "div",
            element("label", name, for_=key),
            element("input", type="range", id=key, min=0, max=most, value=initial, aria_describedby="soft-said"),
            element("output", "", id=f"{key}-value", for_=key),
            class_="slider",
        )
        for name, key, most, initial in (
            ("tau", "tau", len(temperatures) - 1, temperatures.index("1")),
            ("n", "length", len(rows) - 1, len(rows) - 1),
        )
    ]
    return section(
        "Softmax against hard attention",
        "soft",
        element("p", explanation),
        *sliders,
        element("p", "", id="soft-said", aria_live="polite"),
        element("div", "", id="soft-table"),
        element("div", "", id="soft-plot"),
    )


def _proved_languages(model: Transformer, recipe: Recipe) -> dict[str, list[str]]:
    """{formula: ids of theorems} for the formulas of which it is proved that this model accepts exactly the strings
    that satisfy them."""
    from symcook.report.check import proved

    names_of: dict[str, list[str]] = {}
    for name, formula in proved(model, recipe.claims).items():
        names_of.setdefault(formula, []).append(name)
    return names_of


def _proved(formula: str, names: Sequence[str]) -> Markup:
    """The theorem that the model accepts exactly the strings that satisfy the formula, on one line, with its ids."""
    drawn = _formula(f"accept <-> {formula}")
    note = element("span", f"for strings of every length ({', '.join(names)})", class_="note")
    return Markup(f"{drawn} {note}")


def _forms(model: Transformer, recipe: Recipe | None, arguments: Mapping[str, object]) -> Markup:
    """The section with the closed forms at every length; empty if there are none."""
    from symcook.closed import every_length
    from symcook.report.closed import cases

    # Three outcomes: closed forms, none (None), or no answer in time (a text).
    closed_forms = _in_time(lambda: every_length(model)) if model.alphabet else None
    if closed_forms is None:
        return Markup("")
    if isinstance(closed_forms, str):
        caption = f"{LATE}: symcook derive, without an input, looks longer".capitalize()
        return section("At every length", "forms", element("p", caption))
    count = len(closed_forms.forms)
    caption = "The answers of the model at every length, as formulas" + (f" in {count} cases" if count > 1 else "")
    html = Markup(cases(closed_forms))
    drawn = element("div", html, class_="frame", tabindex="0", role="group", aria_label=caption)
    inside = drawn if count <= FORMS else element("details", element("summary", f"all {count} cases"), drawn)
    # For which parameters they hold, what is proved of the language, and how to search for a proof.
    names = [parameter.name for parameter in model.parameters]
    several = "s" * (len(names) > 1)
    note = f" They hold for all valid values of the parameter{several} {', '.join(names)}." if names else ""
    known = {} if recipe is None else _proved_languages(model, recipe)
    proved = [element("p", "PROVED: ", _proved(formula, names)) for formula, names in known.items()]
    settings = [part for key, value in arguments.items() for part in ("--set", f"{key}={value}")]
    command = shlex.join(["symcook", "derive", "MODEL.json" if recipe is None else recipe.name, *settings])
    search = element("p", element("code", command), " searches for a proof of these formulas.")
    return section("At every length", "forms", element("p", f"{caption}.{note}"), inside, *proved, search)


def _diagram(model: Transformer) -> Markup:
    """The section with the data flow between sublayers, as a picture and as a table for readers who cannot see it."""
    drawn = diagram.svg(model)
    rows = [
        (
            name,
            Markup(f"<td>{element('ul', *(element('li', f'{what}, from {by}') for what, by in reads))}</td>")
            if reads
            else "nothing",
            writes,
        )
        for name, reads, writes in diagram.sentences(model)
    ]
    # A model with very many coordinates or sublayers has no picture (`drawn` is empty), so that it needs no legend.
    flow_table = table("data flow", ("part", "reads", "writes"), rows, class_="words")
    legend = (
        "Each line is a coordinate. A ring on a line marks a sublayer that reads the coordinate (q, k, v: as query, "
        "key or value). A square marks a sublayer that writes to the coordinate."
    )
    picture = (
        [
            element("p", legend, class_="note"),
            element("div", Markup(drawn), class_="frame", tabindex="0", role="group", aria_label="diagram"),
        ]
        if drawn
        else [element("p", "This model has too many coordinates or sublayers to draw. The table lists all of them.")]
    )
    return section("Data flow", "diagram", *picture, element("details", element("summary", "As a table"), flow_table))


def _automaton(model: Transformer) -> tuple[Automaton | None, str]:
    """The minimal automaton of a model and ""; or None and why there is none ("" if the model does not read strings, or
    its readout gives no answer). An error of the search is reported as if time had run out."""
    from symcook.decide.decision import decide

    if not model.alphabet or not model.readout.answers:
        return None, ""
    decision = _in_time(lambda: decide(model))
    if decision is None or isinstance(decision, str):
        return None, f"{LATE}: symcook decide looks longer"
    return decision.automaton, "" if decision.automaton is not None else decision.why or ""


def _with_own_names(automaton: Automaton, model: Transformer) -> Automaton:
    """The automaton with states named S0, S1, .., not q0, q1: these may be coordinates of a compiled formula.

    If a coordinate or token begins with S, the states have another prefix.
    """
    names_taken = (*model.space, *model.alphabet)
    letter = next(
        prefix for prefix in ("S", "state ", "state no. ") if not any(name.startswith(prefix) for name in names_taken)
    )
    return replace(automaton, names=tuple(f"{letter}{k}" for k in range(len(automaton))))


def _states(automaton: Automaton | None, why: str, start: Mapping[str, str]) -> Markup:
    """The section on the automaton, as a picture and a table; the reasons if none was found; empty if there was no
    search. It is the automaton at the values `start` of the parameters."""
    from symcook.decide.drawing import rows

    if automaton is None and not why:
        return Markup("")
    if automaton is None:
        words = element("p", "symcook found no finite automaton for this model. Reasons:")
        return section(
            "Automaton", "automaton", words, element("ul", *(element("li", reason) for reason in why.split("; ")))
        )
    count = (
        f"A finite automaton gives the same answers on strings of every length{Extent(values=start).at_values}. "
        f"The smallest one has {len(automaton)} states."
    )
    header, *body = rows(automaton)
    state_table = table("the automaton", header, body[:MOST_STATES], class_="words")
    folded = element("details", element("summary", "As a table"), state_table)
    return section("Automaton", "automaton", element("p", count), _picture(automaton), folded)


def _picture(automaton: Automaton | None) -> Markup:
    """The place where the script shows the states on a string, and the drawing of the automaton if it is small."""
    from symcook.decide.drawing import MOST, svg

    if automaton is None:
        return Markup("")
    path = element("p", "", id="path")
    if len(automaton) > MOST:
        return path
    drawn = svg(automaton).replace("<svg ", '<svg role="img" aria-label="the states of the automaton" ', 1)
    style = drawn[drawn.index("<style>") : drawn.index("</style>") + len("</style>")]
    picture = Markup(drawn.replace(style, ""))
    frame = element("div", picture, class_="frame states", tabindex="0", role="group", aria_label="automaton")
    return Markup(path + frame)


def _program(model: Transformer) -> Markup:
    """The section with the program of a compiled model and its plan; empty for other models."""
    from symcook.report.program import HEADS, origin

    program = model.program
    if program is None:
        return Markup("")
    plan = model.plan
    return section(
        "Program",
        "program",
        element("p", f"{origin(model, plan)}:"),
        element("pre", program.source, tabindex="0"),
        element("p", "This model has no plan. The command symcook check compares it with the program.")
        if not plan
        else table("plan: what each coordinate holds", HEADS[: len(plan[0])], plan, class_="words"),
    )


def _theorems(recipe: Recipe | None) -> list[Claim]:
    """The ledger entries of the papers' statements about a recipe."""
    from symcook.claims import ledger

    return [] if recipe is None or not recipe.claims else list(ledger(names=recipe.claims))


def _claims(theorems: Sequence[Claim]) -> Markup:
    """The section with these statements as a table, each with the command that replays its proof."""
    from symcook.proof.replay import statements

    if not theorems:
        return Markup("")
    rows = []
    for row in theorems:
        # For a claim that is false as stated, the corrected statement is proved.
        name = row.corrected or row.id
        stored = statements().get(name)
        formal = (
            [element("details", element("summary", "formally"), element("code", stored.text))]
            if stored is not None and len(stored.text) < LONGEST_STATEMENT
            else []
        )
        # The note of an open claim says what is known about it.
        open_note = [element("p", row.note, class_="note")] if row.status == "OPEN" and row.note else []
        statement_cell = element("td", f"{row.location}: {row.statement}", *open_note, *formal)
        proved = row.status.split()[0] in ("PROVED", "REFUTED", "CORRECTED")
        check = element("td", element("code", f"symcook prove {name}")) if proved else ""
        rows.append((row.id, element("td", row.status, class_="status"), statement_cell, check))
    explanation = (
        "The statuses are computed from proofs. PROVED means that the checker has replayed a proof. "
        "The command in the last column replays the proof."
    )
    claim_table = table(
        "claims of the papers about it", ("claim", "status", "what it says", "check"), rows, class_="words"
    )
    return section("Claims and proofs", "claims", element("p", explanation), claim_table)


def _foot(why: str) -> Markup:
    """The foot of the page: what computed its numbers, and so what must be trusted."""
    computed = (
        "symcook computed all numbers on this page when it wrote the page."
        if why
        else "The script in this file computes the traces. A test compares the script with symcook's own forward pass. "
        "symcook computed everything else when it wrote the page."
    )
    return element("footer", element("p", computed + " The page loads nothing from a network."))
