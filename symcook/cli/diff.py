"""``symcook diff``."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from symcook.cli.options import Whole, choose, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput
from symcook.export.diff import MAX_LENGTH

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

FILES = {".npz": "npz", ".safetensors": "safetensors", ".onnx": "onnx"}


@declare("diff", "symcook diff dyck-1 dyck-1.npz")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--max-length",
    type=Whole("the greatest length", 1, MAX_LENGTH),
    default=6,
    metavar="N",
    help="Inputs to length N (6), in typed symbols.",
)
@click.option("--tolerance", default="0", metavar="T", help="What is at most T apart counts as equal (0).")
@settings_option
def command(first: str, second: str, max_length: int, tolerance: str, settings: tuple[str, ...], as_json: bool) -> int:
    """Where two models part: A and B are recipes, model files, or exports (.npz, .safetensors, .onnx).

    Says which coordinates, tokens and steps are not alike, and the first input, layer, position and coordinate at which
    the two streams differ, with both values. Settings are those of a recipe or model file, in both where both are; of a
    family alone where one of them is a family, whose tokens are then called like those of the other.
    Exit code 0 where nothing differs, 1 where something does.
    """
    from symcook.export.diff import diff

    one, other = _models(first, second, settings)
    if settings and PurePath(first).suffix in FILES and PurePath(second).suffix in FILES:
        raise BadInput("weights in a file have nothing to set", f"--set {settings[0]}", "leave it out")
    limits = {m.max_length - m.embedding.added: name for m, name in ((one, first), (other, second)) if m.max_length}
    most = min(limits, default=max_length)
    length = 1 if one.pointwise else max(1, min(max_length, most))
    with Progress("comparing runs") as progress:
        found = diff(one, other, length, tolerance=tolerance, progress=progress)
    if as_json:
        print_json(found.to_json())
    else:
        say(found.text())
        if length < max_length and not one.pointwise:
            say(f"  to length {length}, not {max_length}: {limits[most]} takes nothing longer")
    return 0 if found.same else 1


def _models(first: str, second: str, settings: tuple[str, ...]) -> tuple[Transformer, Transformer]:
    from symcook.cli.families import path_of

    names = (first, second)
    family = [path_of(name) is not None for name in names]
    if family[0] is family[1]:
        return _model(first, settings), _model(second, settings)
    other = _model(names[family[0]], ())
    words = other.embedding.words
    made = choose(names[family[1]], settings, None if words is None else " ".join(words))
    both = other, made.model.bind(made.values)
    return both if family[1] else (both[1], both[0])


def _model(name: str, settings: tuple[str, ...]) -> Transformer:
    """A recipe, a model file or an export as a model with values in place of its symbols."""
    kind = FILES.get(PurePath(name).suffix)
    if PurePath(name).suffix in (".pt", ".pth"):
        do = "export it as one of these too; verify-export compares its weights with the model"
        raise BadInput(f"an export that is read back must end in one of {', '.join(FILES)}", name, do)
    if kind is None:
        chosen = choose(name, settings)
        return chosen.model.bind(chosen.values)
    from symcook.export.reading import from_file

    return from_file(name, kind)
