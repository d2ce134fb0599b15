"""The commands that write and compare files: ``export``, ``verify-export``, ``diff`` and ``report``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, cast

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
from symcook.run import prepare

if TYPE_CHECKING:
    from symcook.model.choices import DtypeWord, FormatWord
    from symcook.model.transformer import Transformer

KINDS = ("npz", "safetensors", "torch", "onnx", "transformerlens")
"""The formats of exported weights."""
TYPES = ("float64", "float32", "float16", "bfloat16")
"""The float types of exported weights."""
FILES = (".pdf", ".svg", ".png", ".jpg", ".csv", ".txt", ".md", ".tex", ".json", ".xhtml", ".ipynb")
"""Endings of files: a target of `report` with one of these is not meant as a folder for figures."""


@declare("export", "symcook export dyck-1 -o dyck-1.npz")
def export(
    *,
    name: Name,
    kind: Annotated[
        str | None,
        option(
            "The format; by default symcook takes it from the ending of FILE.", None, OneOf("format", KINDS), "--format"
        ),
    ],
    target: Annotated[str, option("The file for the weights.", "FILE", None, "-o", "--output")],
    dtype: Annotated[str, option("The float type.", None, OneOf("dtype", TYPES))] = "float64",
    max_length: Annotated[
        int | None,
        option(
            "The maximum length of strings, in input symbols, for weights and certificate (16).",
            "N",
            Whole("the maximum length", 1, MAX_LENGTH),
        ),
    ],
    steps: Annotated[
        int | None,
        option(
            "For a decoder: guarantee the T tokens that follow each string; by default as many as possible, at "
            "most 100.",
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
    """Write float weights and their certificate: m.npz and m.certificate.json.

    The formats are npz (.npz), safetensors (.safetensors), torch (.pt), onnx (.onnx) and transformerlens (.pth).

    The certificate of m.onnx is m.onnx.certificate.json; torch and transformerlens also have code in a .py file. The
    certificate states the lengths at which every decision is guaranteed in any runtime of the floating-point error
    model, for both orders in which attention may divide. It also states the maximum length at which the float weights
    gave the exact answer on every input when they were exported. With --inputs it is about the strings of that language
    alone.

    For a decoder (compile dfa, compile tm) the certificate states the maximum number of steps after each string that
    any runtime gets right. The script that comes with the weights decodes that many steps and refuses more.
    """
    from symcook.export import export as exported
    from symcook.export.files import by_ending, targets

    chosen = choose(name, settings)
    if chosen.inputs:
        raise BadInput("an export takes no inputs", f"--set {next(iter(chosen.inputs))}", "leave --set out")
    need_values(chosen)
    # The names of the files are checked before the work.
    kind = kind or by_ending(target)
    targets(target, force=force, kind=kind)
    built = {} if chosen.info is None else {"recipe": chosen.name, "arguments": chosen.arguments}
    with Progress(f"certifying {chosen.name} by length") as progress:
        document = exported(
            chosen.model,
            target,
            format=cast("FormatWord", kind),
            dtype=cast("DtypeWord", dtype),
            max_length=max_length,
            steps=steps,
            **asked_of(inputs, sample, seed, positions),
            values=chosen.values,
            claims=chosen.info.claims if chosen.info is not None else (),
            built=built,
            force=force,
            progress=progress,
        )
    say_or_json(as_json, document.to_json, document.text)


@declare("verify-export", "symcook verify-export dyck-1.npz")
def verify_export(*, file: Annotated[str, argument()], as_json: bool) -> None:
    """Compute the certificate of exported weights again; FILE has the weights or the certificate.

    Exit code 1: something differs, and the answer says what.

    Every byte of both files must be unchanged, the weights must be those of the model in the certificate, and
    everything that the certificate states is computed again. Three things may differ, and are listed as not checked:
    claims that no recipe names, their statuses on the day of the export, and the largest difference of values that
    numpy gave then.
    """
    from symcook.export.verify import verify_export as verified

    with Progress("computing the certificate again") as progress:
        certificate = verified(file, progress=progress)
    say_or_json(as_json, certificate.to_json, certificate.text)


READ_BACK = {".npz": "npz", ".safetensors": "safetensors", ".onnx": "onnx"}
"""{ending: format} of exports that symcook can read back."""


@declare("diff", "symcook diff dyck-1 dyck-1.npz")
def diff(
    *,
    first: Annotated[str, argument(metavar="A")],
    second: Annotated[str, argument(metavar="B")],
    max_length: Annotated[
        int | None,
        option("The maximum length of inputs, in input symbols (6).", "N", Whole("the maximum length", 1, COMPARED)),
    ] = None,
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    tolerance: Annotated[str, option("Numbers that differ by at most T count as equal.", "T")] = "0",
    settings: Settings,
    as_json: bool,
) -> int:
    """Find where two models differ; A and B are recipes, model files, or exports (.npz, .safetensors, .onnx).

    Exit code 1: they differ; 3: undecided.

    The answer lists the coordinates, tokens and sublayers that differ. It shows the first input, layer, position and
    coordinate at which the two residual streams differ, with both values. Settings apply to each recipe or model file.
    If one of the two is a family, they apply to the family alone, which then uses the tokens of the other. Exit code 3
    means that no difference is known and something is undecided.
    """
    from symcook.export.diff import LENGTH
    from symcook.export.diff import diff as compared

    first_model, second_model = _models(first, second, settings)
    if settings and PurePath(first).suffix in READ_BACK and PurePath(second).suffix in READ_BACK:
        raise BadInput(
            "weights that are read from a file have no parameters to set", f"--set {settings[0]}", "leave --set out"
        )
    # The greatest length that both models take, in input symbols; `limits` has the model for each maximum length.
    limits = {
        m.max_length - m.embedding.added: name
        for m, name in ((first_model, first), (second_model, second))
        if m.max_length
    }
    wanted = LENGTH if max_length is None else max_length
    most = min(limits, default=wanted)
    length = max(1, min(wanted, most))
    rows_alone = first_model.pointwise or second_model.pointwise  # each of their inputs is one row
    asked = asked_of(inputs, sample, seed, positions)
    # A language without --max-length is compared as a whole.
    with Progress("comparing runs") as progress:
        to = max_length if rows_alone or (inputs is not None and max_length is None) else length
        difference = compared(first_model, second_model, to, **asked, tolerance=tolerance, progress=progress)
    if as_json:
        print_json(difference.to_json())
    else:
        say(difference.text())
        if length < wanted and not rows_alone and inputs is None:
            say(f"  up to length {length}, not {wanted}: {limits[most]} takes no longer inputs")
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
    models = model, family_model.with_defaults()
    return models if family[1] else (models[1], models[0])


def _model(name: str, settings: tuple[str, ...]) -> Transformer:
    """A recipe, a model file or an export as a model whose parameters have the values that are set as defaults."""
    kind = READ_BACK.get(PurePath(name).suffix)
    if PurePath(name).suffix in (".pt", ".pth"):
        do = "export it as one of these too; verify-export compares its weights with the model"
        raise BadInput(
            f"only exports of some formats are read back: the file must end in one of {', '.join(READ_BACK)}", name, do
        )
    if kind is None:
        return choose(name, settings).with_defaults()
    from symcook.export.reading import from_file

    return from_file(name, kind)


@declare("report", "symcook report dyck-1 --input '(())' -o dyck-1.html")
def report(
    *,
    name: Name,
    target: Annotated[
        str,
        option("The page of a model (FILE.html), or the folder for figures.", "FILE.html|DIR", None, "-o", "--output"),
    ],
    word: WordOption,
    tokens: Tokens,
    rows: RowsOption,
    settings: Settings,
    longest: Annotated[
        int | None,
        option(
            "With -o DIR: the maximum length on the axes of figures (1000).",
            "N",
            Whole("the maximum length", 3, 10**6),
            "--max-length",
        ),
    ],
    force: Force,
    as_json: bool,
) -> int:
    """Write a page of a model (-o FILE.html), or the figures of a paper (-o DIR).

    The page shows coordinates, data flow, every matrix and a run to step through. It needs no network.

    Where all values are rational, the page computes the run in exact fractions. It starts with the input of --input,
    --tokens or --rows, and with the parameters of --set.

    There are figures of Chiang and Cholak 2022 (parity, first), of the Cookbook (Figure 1: by-gelu, Figure 2: dyck-1),
    and of Yang and others 2026 (tie-break). For a comparator of the Cookbook (gtzero, gezero or eqzero, also with
    -input) the inexact region is grey. Every point is a rigorous interval, in a CSV file, and with matplotlib as SVG
    and PNG. For a compiled Turing machine the figures show tokens, operations and space of its runs on strings up to
    length 64, against the steps of the machine.
    """
    for_page = {"--input": word, "--tokens": tokens, "--rows": rows, "--set": settings or None}
    if PurePath(target).suffix.lower() in (".html", ".htm"):
        if longest is not None:
            raise BadInput(
                "--max-length must be used only when figures are drawn", f"the page {target}", "leave --max-length out"
            )
        return _page(choose(name, settings), target, (word, tokens, rows), force, as_json)
    if PurePath(target).suffix.lower() in FILES and not Path(target).is_dir():
        raise BadInput(
            "the target must be FILE.html for a page, or a folder for figures", target, "write for example -o page.html"
        )
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
        page, about = model_page(
            chosen.model, first, recipe=chosen.info, arguments=chosen.arguments, values=chosen.values
        )
        write(file, page, force)
    document = {"recipe": chosen.name, "files": [str(file)], **about}
    why = about["why"]
    runs = f"{about['runs']} run{'s' * (about['runs'] != 1)} precomputed"
    how = "the page computes its runs in the browser" if why is None else f"{runs}: {why}"
    say_or_json(as_json, lambda: document, lambda: f"wrote {file}\n  {how}")
    return 0


def _figures(name: str, folder: str, max_length: int | None, force: bool, as_json: bool) -> int:
    """Write the figures of a paper, or those of a compiled Turing machine; return the exit code."""
    from symcook.papers.drawing import figures, of_lengths, write
    from symcook.papers.merrill2024.figures import of_machine
    from symcook.report.figure import MISSING

    machine = PurePath(name).suffix == ".json"
    model = choose(name, ()).model if machine else None
    if model is not None and (model.program is None or model.program.kind != "tm" or model.program.theorem):
        must = "a model whose figures are drawn must be compiled from a Turing machine, without --theorem"
        raise BadInput(must, model.name, "give -o PAGE.html for its page")
    makes = () if model is None else of_machine(model)
    has_lengths = machine or name in of_lengths()
    if max_length is not None and not has_lengths and name in figures():
        must = f"--max-length must be used with figures over lengths, those of {', '.join(of_lengths())}"
        raise BadInput(must, f"{name}, whose figures have fixed lengths or none", "leave --max-length out")
    longest = max_length or (64 if machine else 1000)
    with Progress("report") as progress:
        title = PurePath(name).stem if machine else name
        files = write(title, folder, longest, makes=makes, force=force, done=progress)
    written = [str(file) for file in files]
    document = {"recipe": name, "max_length": longest if has_lengths else None, "files": written}
    say_or_json(as_json, lambda: document, lambda: "\n  ".join(["wrote", *written]))
    if find_spec("matplotlib") is None:
        print(MISSING, file=sys.stderr)
    return 0
