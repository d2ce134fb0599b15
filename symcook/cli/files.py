"""The commands that write and compare files: ``export``, ``verify-export``, ``diff`` and ``report``."""

from __future__ import annotations

import shlex
import sys
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.options import (
    Chosen,
    Force,
    InputsOption,
    Name,
    OneOf,
    PositionsOption,
    RowsOption,
    Sample,
    Seed,
    Settings,
    Tokens,
    Whole,
    WordOption,
    argument,
    asked_of,
    choose,
    need_input,
    need_values,
    option,
    path_of,
    read_input,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say, say_or_json
from symcook.errors import BadInput
from symcook.export import COMPARED, MAX_LENGTH, MAX_STEPS
from symcook.model.answers import EMPTY_STRING, grouped
from symcook.model.rationals import consecutive
from symcook.run import prepare

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

KINDS = ("npz", "safetensors", "torch", "onnx", "transformerlens")
"""The formats of exported weights."""
TYPES = ("float64", "float32", "float16", "bfloat16")
"""The float types of exported weights."""
ENDINGS = {".npz": "npz", ".safetensors": "safetensors", ".pt": "torch", ".onnx": "onnx", ".pth": "transformerlens"}
"""{ending of a file: its format}, for an export without --format."""
FILES = (".pdf", ".svg", ".png", ".jpg", ".csv", ".txt", ".md", ".tex", ".json", ".xhtml", ".ipynb")
"""Endings of files: a target of `report` with one of these is not meant as a folder for figures."""
RUNS = {  # {format: how to run or read the exported weights}
    "npz": "to run it with numpy alone: python -m symcook.export.run_npz {file} {input}",
    "safetensors": "sc.from_safetensors reads it back as an exact model",
    "torch": "to run it with torch alone: python {code} {input}",
    "transformerlens": "to run it with TransformerLens: python {code} {input}, or load() in that file",
    "onnx": "to run it with onnxruntime: inputs tokens or rows; outputs stream, scores and answer",
}


@declare("export", "symcook export dyck-1 -o dyck-1.npz")
def export(
    *,
    name: Name,
    kind: Annotated[
        str | None, option(f"{', '.join(KINDS)} (by the ending of FILE).", None, OneOf("format", KINDS), "--format")
    ],
    target: Annotated[str, option("The file for the weights.", "FILE", None, "-o", "--output")],
    dtype: Annotated[str, option("The float type.", None, OneOf("dtype", TYPES))] = "float64",
    max_length: Annotated[
        int | None,
        option(
            "Tables and certificate for strings of N input symbols (16).",
            "N",
            Whole("the maximum length", 1, MAX_LENGTH),
        ),
    ],
    steps: Annotated[
        int | None,
        option(
            "A decoder: certify T tokens after each string, or refuse (as far as 100).",
            "T",
            Whole("the number of steps", 0, MAX_STEPS),
        ),
    ],
    force: Force,
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Write float weights and their certificate: m.npz and m.certificate.json, or m.onnx and m.onnx.certificate.json.

    The certificate states the lengths at which every decision is guaranteed in any runtime of the floating-point error
    model, for both orders in which attention may divide. It also states the maximum length at which the float weights
    gave the exact answer on every input when they were exported. For a decoder (compile dfa, compile tm) it states the
    maximum number of steps after each string that any runtime gets right. The script that comes with the weights
    decodes that many steps and refuses more. With --inputs the certificate is about the strings of that language alone,
    and names it.

    Formats: npz (.npz), safetensors (.safetensors), torch (.pt with code in a .py), onnx (.onnx), transformerlens (.pth
    with code in a .py).
    """
    from symcook.export import export as exported
    from symcook.export.decoding import lines
    from symcook.export.files import targets

    chosen = choose(name, settings)
    if chosen.inputs:
        raise BadInput("an export takes no inputs", f"--set {next(iter(chosen.inputs))}", "leave it out")
    need_values(chosen)
    # The names of the files are checked before the work.
    kind = kind or ENDINGS.get(PurePath(target).suffix, "npz")
    weights, beside = targets(target, force=force, kind=kind)
    built = {} if chosen.info is None else {"recipe": chosen.name, "arguments": chosen.arguments}
    with Progress(f"certifying {chosen.name} by length") as progress:
        document = exported(
            chosen.model,
            target,
            format=kind,
            dtype=dtype,
            max_length=max_length,
            steps=steps,
            **asked_of(inputs, sample, seed, positions),
            values=chosen.values,
            claims=chosen.info.claims if chosen.info is not None else (),
            built=built,
            force=force,
            progress=progress,
        )
    if as_json:
        print_json({"weights": str(weights), "certificate": str(beside), **document})
        return
    # What was written, how the float weights compare with the exact model, the guarantee, and how to run them. A
    # decoder's guarantee says all that the comparison does, unless there is a difference.
    say(f"wrote {', '.join(str(weights.parent / file) for file in document['files'])} and {beside}")
    compared, decoded = document["compared"], document["decoding"]
    if not decoded or compared["first_difference"] is not None:
        say(f"  {dtype}, {_comparison(chosen, document)}")
    if not decoded and compared["first_difference"] is None and compared["ends"] is not None:
        say(f"    {compared['ends']}")
    if compared["first_difference"] is not None:
        say(f"  first input with another answer: {compared['first_difference'] or EMPTY_STRING}")
    guarantee = lines(decoded, dtype) if decoded else guaranteed(document["guaranteed"])
    for line in [*within_language(document), *guarantee]:
        say(f"  {line}")
    file, code = (shlex.quote(str(path)) for path in (weights, weights.with_suffix(".py")))
    input_text = (
        f"STRING --steps {decoded['steps']}" if decoded and kind in ("npz", "torch") else _input_placeholder(chosen)
    )
    say(f"  {RUNS[kind].format(file=file, code=code, input=input_text)}")


def _comparison(chosen: Chosen, document: dict[str, Any]) -> str:
    """The comparison of the float weights with the exact model at their export, in words."""
    compared = document["compared"]
    worst, inputs = compared["largest_difference"], grouped(compared["inputs"])
    if chosen.pointwise:
        how = "answers are compared" if worst is None else f"largest difference {worst:.3g}"
        return f"compared at {inputs} points, {how}"
    if not compared["inputs"]:
        return "no input compared"
    agreement = "exact answers" if worst is None else "values that agree with the exact ones"
    longest = document["greatest_length"] - chosen.model.embedding.added
    no_run = compared["no_run"]
    no_run_text = f"; {no_run['inputs']} have no run, as {no_run['first'] or EMPTY_STRING}" if no_run["inputs"] else ""
    return f"{agreement} up to length {longest} ({inputs} inputs compared{no_run_text})"


def within_language(document: dict[str, Any], kept: str = "") -> list[str]:
    """A line on the strings and positions that a certificate is about; [] if it is about all of them.

    `kept` is added to the name of the language: its file may have changed since the certificate was written.
    """
    about = []
    if "inputs" in document:
        count = document["count"]
        about.append(f"{grouped(count)} string{'s' * (count != 1)} of {document['inputs']}{kept}")
    if "positions" in document:
        about.append(f"answers at positions: {document['positions']}")
    return [f"inputs: the {', '.join(about)}"] if about else []


def guaranteed(guarantee: dict[str, Any]) -> list[str]:
    """The guarantee of a certificate, in lines: for attention that normalises after summing, and for attention that
    normalises the weights first ("divided_first") if this differs.

    The lengths in the certificate count the special tokens (`added`); the lengths in the lines do not.
    """
    first, added = guarantee["divided_first"], guarantee["added_tokens_counted"]
    if guarantee["length"] is None:
        return _guaranteed_values(guarantee, first, added)
    # A model that decides: the lengths at which every decision is guaranteed, and why the next one is not.
    same_ranges = first["ranges"] == guarantee["ranges"]
    which = " in any runtime" if same_ranges else ", if attention is normalised after summing: (sum w v)/(sum w)"
    lengths_text, first_lengths_text = _guaranteed_lengths(guarantee, added), _guaranteed_lengths(first, added)
    lines = [f"decisions guaranteed for strings of length {lengths_text}{which}" if lengths_text else
             "no length at which all decisions are guaranteed"]  # fmt: skip
    lines += (
        [_unguaranteed(each, added) for each in guarantee["open"]] if guarantee["open"] else [f"  {guarantee['why']}"]
    )
    lines += _not_asked(guarantee, added)
    # If the other order has other guaranteed lengths: the same lines for it, without those that would be repeated.
    if not same_ranges:
        where = f"for strings of length {first_lengths_text}" if first_lengths_text else "at no length"
        lines.append(f"decisions guaranteed {where}, if the weights are normalised first: softmax(scores) @ values")
        open_lengths = [each["length"] for each in guarantee["open"]]
        new_failures = [each for each in first["open"] if each["length"] not in open_lengths]
        lines.append(f"  {_unguaranteed(new_failures[0], added)}" if new_failures else f"  {first['why']}")
        lines += [f"  {line}" for line in _not_asked(first, added) if first["not_asked"] != guarantee["not_asked"]]
        lines += [f"  {help}" for help in first["help"].split("; ")]
    return lines


def _guaranteed_values(guarantee: dict[str, Any], first: dict[str, Any], added: int) -> list[str]:
    """The lines of `guaranteed` for a model whose answers are numbers: bounds on the error of its values."""
    errors, first_errors = (
        [each["error"] for each in part["lengths"] if "error" in each] for part in (guarantee, first)
    )
    if not errors:
        return [f"no bound on the error of values: {guarantee['why']}"]
    until = guarantee["lengths"][-1]["length"] - added
    lines = [f"every value within {max(errors, key=Decimal)} of the exact one up to length {until}"]
    if first_errors != errors:
        greatest = max(first_errors, key=Decimal, default=None)
        until = f"{greatest} up to length {first['lengths'][-1]['length'] - added}" if first_errors else "no bound"
        lines.append(f"  where attention normalises after summing; {until} where it normalises the weights first")
    return [*lines, f"  {guarantee['why']}"] if guarantee["why"] else lines


def _not_asked(guarantee: dict[str, Any], added: int) -> list[str]:
    """A line on the lengths after a failing length that were not tested; [] without a failing length: then "why" says
    it."""
    if not guarantee["open"] or guarantee["not_asked"] is None:
        return []
    low, high = (n - added for n in guarantee["not_asked"]["lengths"])
    lengths = f"lengths {low} to {high} were" if low < high else f"length {low} was"
    return [f"{lengths} not tested: {guarantee['not_asked']['why']}"]


def _guaranteed_lengths(guarantee: dict[str, Any], added: int) -> str:
    """The guaranteed lengths as text, such as "1 to 12, 14", without lengths at which a language has no string."""
    ranges = consecutive(each["length"] - added for each in guarantee["lengths"] if each["runs"])
    return ", ".join(f"{low} to {high}" if low < high else str(low) for low, high in ranges)


def _unguaranteed(failure: dict[str, Any], added: int) -> str:
    """A line on a length at which some decision is not guaranteed, with a string on which it is not."""
    alone = "" if failure["alone"] else " (with others)"
    outputs = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in failure["outputs"].items())
    exact = (failure["exact"] or {}).get("logit")
    outputs += f", exactly {exact}" if exact is not None and len(exact) <= 40 else ""
    open_ = "a choice open" if failure["runs"] else "which has no run"
    return f"length {failure['length'] - added} fails: on {failure['input'] or EMPTY_STRING}{alone}, {outputs or open_}"


def _input_placeholder(chosen: Chosen) -> str:
    """The placeholder of an input in a command line."""
    if chosen.model.alphabet:
        return "STRING" if chosen.model.embedding.spelled else '"TOKEN ..."'
    return f'"{",".join(chosen.model.embedding.inputs or ())}"' + ("" if chosen.pointwise else " (rows with ; between)")


@declare("verify-export", "symcook verify-export dyck-1.npz")
def verify_export(*, file: Annotated[str, argument()], as_json: bool) -> None:
    """Compute the certificate of exported weights again: FILE is the weights, or their certificate.

    Every byte of both files must be unchanged, the weights must be those of the model in the certificate, and
    everything the certificate states is computed again. Exit code 1 where something differs, with what it is. Three
    things may differ, and are listed as not checked: claims that no recipe names, their statuses on the day of the
    export, and the largest difference of values that numpy gave there.
    """
    from symcook.export.verify import verify_export as verified

    with Progress("computing the certificate again") as progress:
        certificate = verified(file, progress=progress)
    if as_json:
        print_json({"verified": True, **certificate})
        return
    files = ", ".join(certificate["files"])
    say(f"the certificate holds: {files} has the unchanged {certificate['dtype']} weights of {certificate['model']}")
    from symcook.export.decoding import lines

    decoded = certificate.get("decoding")
    guarantee = lines(decoded, certificate["dtype"]) if decoded else guaranteed(certificate["guaranteed"])
    for line in [*within_language(certificate, " as the certificate has them"), *guarantee]:
        say(f"  {line}")
    for name, why in certificate["not_checked"].items():
        claims = (
            ", ".join(f"{each['id']} {each['status']}" for each in certificate["claims"]) if name == "claims" else None
        )
        say(f"  not checked: {name}{f' ({claims})' if claims else ''}: {why}")


READ_BACK = {".npz": "npz", ".safetensors": "safetensors", ".onnx": "onnx"}
"""{ending: format} of exports that symcook can read back."""


@declare("diff", "symcook diff dyck-1 dyck-1.npz")
def diff(
    *,
    first: Annotated[str, argument(metavar="A")],
    second: Annotated[str, argument(metavar="B")],
    max_length: Annotated[
        int | None,
        option("Inputs up to length N (6), in input symbols.", "N", Whole("the maximum length", 1, COMPARED)),
    ] = None,
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    tolerance: Annotated[str, option("What is at most T apart counts as equal.", "T")] = "0",
    settings: Settings,
    as_json: bool,
) -> int:
    """Where two models differ: A and B are recipes, model files, or exports (.npz, .safetensors, .onnx).

    The answer lists the coordinates, tokens and sublayers that differ, and the first input, layer, position and
    coordinate at which the two residual streams differ, with both values. Settings apply to each recipe or model file;
    where one of the two is a family, to the family alone, which then uses the tokens of the other. Exit code 0 where
    nothing differs, 1 where something does, 3 where no difference is known and something is undecided.
    """
    from symcook.export.diff import LENGTH
    from symcook.export.diff import diff as compared

    first_model, second_model = _models(first, second, settings)
    if settings and PurePath(first).suffix in READ_BACK and PurePath(second).suffix in READ_BACK:
        raise BadInput("weights in a file have nothing to set", f"--set {settings[0]}", "leave it out")
    # The greatest length that both models take, in input symbols; `limits` has the model for each maximum length.
    limits = {
        m.max_length - m.embedding.added: name
        for m, name in ((first_model, first), (second_model, second))
        if m.max_length
    }
    wanted = LENGTH if max_length is None else max_length
    most = min(limits, default=wanted)
    length = 1 if first_model.pointwise else max(1, min(wanted, most))
    asked = asked_of(inputs, sample, seed, positions)
    # A language without --max-length is compared as a whole.
    with Progress("comparing runs") as progress:
        to = None if inputs is not None and max_length is None else length
        difference = compared(first_model, second_model, to, **asked, tolerance=tolerance, progress=progress)
    if as_json:
        print_json(difference.to_json())
    else:
        say(difference.text())
        if length < wanted and not first_model.pointwise and inputs is None:
            say(f"  up to length {length}, not {wanted}: {limits[most]} takes nothing longer")
    return {True: 0, False: 1, None: 3}[difference.same]


def _models(first: str, second: str, settings: tuple[str, ...]) -> tuple[Transformer, Transformer]:
    """Both models. If exactly one is a family, it alone gets the settings, and the tokens of the other model."""
    names = (first, second)
    family = [path_of(name) is not None for name in names]
    if family[0] is family[1]:
        return _model(first, settings), _model(second, settings)
    model = _model(names[family[0]], ())
    words = model.embedding.words
    family_model = choose(names[family[1]], settings, None if words is None else " ".join(words))
    models = model, family_model.model.bind(family_model.values)
    return models if family[1] else (models[1], models[0])


def _model(name: str, settings: tuple[str, ...]) -> Transformer:
    """A recipe, a model file or an export as a model with values in place of its parameters."""
    kind = READ_BACK.get(PurePath(name).suffix)
    if PurePath(name).suffix in (".pt", ".pth"):
        do = "export it as one of these too; verify-export compares its weights with the model"
        raise BadInput(f"an export that is read back must end in one of {', '.join(READ_BACK)}", name, do)
    if kind is None:
        chosen = choose(name, settings)
        return chosen.model.bind(chosen.values)
    from symcook.export.reading import from_file

    return from_file(name, kind)


@declare("report", "symcook report dyck-1 --input '(())' -o dyck-1.html")
def report(
    *,
    name: Name,
    target: Annotated[
        str,
        option("A page of the model (FILE.html), or the folder for figures.", "FILE.html|DIR", None, "-o", "--output"),
    ],
    word: WordOption,
    tokens: Tokens,
    rows: RowsOption,
    settings: Settings,
    longest: Annotated[
        int | None,
        option(
            "Figures: the maximum length on the axes (1000).",
            "N",
            Whole("the maximum length", 3, 10**6),
            "--max-length",
        ),
    ],
    force: Force,
    as_json: bool,
) -> int:
    """A page of a model, or the figures of a paper.

    With -o FILE.html: a recipe or model file as one page for a browser, which works without a network connection. It
    shows the coordinates, the data flow, every matrix, and a run to step through. Where all values are rational the
    page computes the run in exact fractions. It starts with the input of --input, --tokens or --rows, and with the
    parameters of --set.

    With -o DIR: the figures of Chiang and Cholak 2022 (parity, first), of the Cookbook (Figure 1: by-gelu, Figure 2:
    dyck-1), of Yang and others 2026 (tie-break), or a comparator of the Cookbook (gtzero, gezero or eqzero, also with
    -input), where the inexact region is grey. Every point is a rigorous interval, in a CSV file, and with matplotlib as
    SVG and PNG. For a compiled Turing machine: tokens, operations and space of its runs on strings up to length 64,
    against the steps of the machine.
    """
    for_page = {"--input": word, "--tokens": tokens, "--rows": rows, "--set": settings or None}
    if PurePath(target).suffix.lower() in (".html", ".htm"):
        if longest is not None:
            raise BadInput("--max-length must go with figures", f"the page {target}", "leave it out")
        return _page(choose(name, settings), target, (word, tokens, rows), force, as_json)
    if PurePath(target).suffix.lower() in FILES and not Path(target).is_dir():
        raise BadInput("the target must be FILE.html for a page, or a folder for figures", target)
    for option_, value in for_page.items():
        if value is not None:
            raise BadInput(f"{option_} must go with a page", f"the folder {target}", "give -o FILE.html")
    return _figures(name, target, longest, force, as_json)


def _page(
    chosen: Chosen, place: str, given: tuple[str | None, str | None, str | None], force: bool, as_json: bool
) -> int:
    """Write the page of a model; return the exit code."""
    from symcook.report.page.machine import machine_word
    from symcook.report.page.modelpage import model_page, target, write

    file = target(place, force)
    # For a Turing machine the page runs the decoder on the machine's input.
    word = machine_word(chosen.model, given[0]) if given[0] is not None and given[1:] == (None, None) else None
    first = read_input(chosen, *given) if word is None else word
    if first is not None:
        need_input(chosen, first, "report")
        prepare(chosen.model, first)  # refuses a bad input before the long computation
    with Progress("report"):
        page, about = model_page(chosen.model, first, recipe=chosen.info, values=chosen.values)
        write(file, page, force)
    document = {"recipe": chosen.name, "files": [str(file)], **about}
    why = about["why"]
    runs = f"{about['runs']} run{'s' * (about['runs'] != 1)} precomputed"
    how = "the page computes its runs in the browser" if why is None else f"{runs}: {why}"
    say_or_json(as_json, lambda: document, lambda: f"wrote {file}\n  {how}")
    return 0


def _figures(name: str, folder: str, max_length: int | None, force: bool, as_json: bool) -> int:
    """Write the figures of a paper, or those of a compiled Turing machine; return the exit code."""
    from symcook.papers.drawing import write
    from symcook.papers.merrill2024.figures import of_machine
    from symcook.report.figure import MISSING

    machine = PurePath(name).suffix == ".json"
    model = choose(name, ()).model if machine else None
    if model is not None and (model.program is None or model.program.kind != "tm" or model.program.theorem):
        must = "a model whose figures are drawn must be compiled from a Turing machine, without --theorem"
        raise BadInput(must, model.name, "give -o PAGE.html for its page")
    makes = () if model is None else of_machine(model)
    longest = max_length or (64 if machine else 1000)
    with Progress("report") as progress:
        title = PurePath(name).stem if machine else name
        files = write(title, folder, longest, makes=makes, force=force, done=progress)
    written = [str(file) for file in files]
    document = {"recipe": name, "max_length": longest, "files": written}
    say_or_json(as_json, lambda: document, lambda: "\n  ".join(["wrote", *written]))
    if find_spec("matplotlib") is None:
        print(MISSING, file=sys.stderr)
    return 0
