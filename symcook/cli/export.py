"""``symcook export``."""

from __future__ import annotations

import shlex

import click

from symcook.cli.options import Chosen, OneOf, Whole, choose, name_argument, need_values, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput
from symcook.report.values import EMPTY_WORD


@declare("export", "symcook export dyck-1 -o dyck-1.npz")
@name_argument
@click.option("--format", "kind", type=OneOf("format", ["npz"]), default="npz", help="The format (npz).")
@click.option("-o", "--output", "target", required=True, metavar="FILE", help="The file for the weights.")
@click.option(
    "--dtype", type=OneOf("dtype", ["float64", "float32"]), default="float64", help="The float type (float64)."
)
@click.option(
    "--max-length", type=Whole("the greatest length", 1, 256), metavar="N", help="Tables and comparison to N (16)."
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@settings_option
def command(
    name: str,
    kind: str,
    target: str,
    dtype: str,
    max_length: int | None,
    force: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write float weights, and beside them a certificate: m.npz and m.certificate.json.

    The certificate names the greatest length to which the float weights gave the exact answer on every input.
    """
    from symcook.export import export
    from symcook.export.files import targets

    chosen = choose(name, settings)
    if chosen.inputs:
        raise BadInput("an export takes no inputs", f"--set {next(iter(chosen.inputs))}", "leave it out")
    need_values(chosen)
    weights, beside = targets(target, force=force)
    progress = Progress(f"comparing {chosen.name} by length")
    try:
        document = export(
            chosen.model,
            target,
            dtype=dtype,
            max_length=max_length,
            values=chosen.values,
            claims=chosen.info.claims if chosen.info is not None else (),
            force=force,
            progress=progress,
        )
    finally:
        progress.close()
    if as_json:
        print_json({"weights": str(weights), "certificate": str(beside), **document})
        return
    compared = document["compared"]
    if chosen.pointwise:
        verdict = f"compared at {compared['inputs']} points, largest difference {compared['largest_difference']:.3g}"
    else:
        what = "exact answers" if compared["largest_difference"] is None else "values that agree with the exact ones"
        verdict = f"{what} to length {document['greatest_length']} ({compared['inputs']} inputs compared)"
    say(f"wrote {weights} and {beside}")
    say(f"  {dtype}, {verdict}")
    if compared["first_difference"] is not None:
        say(f"  first input with another answer: {compared['first_difference'] or EMPTY_WORD}")
    say(f"  numpy alone runs it: python -m symcook.export.run_npz {shlex.quote(str(weights))} {_input(chosen)}")


def _input(chosen: Chosen) -> str:
    """What stands for an input in a command line."""
    if chosen.model.alphabet:
        return "WORD" if chosen.model.embedding.spelled else '"TOKEN ..."'
    return f'"{",".join(chosen.model.embedding.inputs or ())}"' + ("" if chosen.pointwise else " (rows with ; between)")
