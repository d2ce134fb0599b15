"""``symcook export``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from symcook.cli.options import Chosen, OneOf, Whole, choose, name_argument, need_values, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput, NotExact
from symcook.report.values import EMPTY_WORD

DEFAULT_LENGTH = 16


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
    from symcook.export.files import targets

    chosen = choose(name, settings)
    if chosen.inputs:
        raise BadInput("an export takes no inputs", f"--set {next(iter(chosen.inputs))}", "leave it out")
    need_values(chosen)
    weights, beside = targets(target, force=force)
    document = write_export(chosen, weights, beside, dtype, max_length, force)
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


def write_export(chosen: Chosen, weights: Path, beside: Path, dtype: str, max_length: int | None, force: bool) -> dict:
    """Build, compare and write; the certificate's document."""
    from symcook.export import npz
    from symcook.export.certificate import certificate, compare
    from symcook.export.files import write

    model = chosen.model
    if chosen.pointwise:
        if max_length is not None:
            raise BadInput("a feed-forward recipe must be exported without --max-length", max_length, "leave it out")
        max_length = 1
    if max_length is None:
        max_length = min(DEFAULT_LENGTH, model.max_length or DEFAULT_LENGTH)
    model.check_length(max_length)
    if max_length < max(1, model.embedding.added):
        least = model.embedding.added
        raise BadInput(f"the greatest length must be at least {least}, the tokens that the model adds", max_length)
    values = model.values(chosen.values)
    bound = model.bind(values)
    arrays = npz.arrays(bound, dtype, max_length)
    progress = Progress(f"comparing {chosen.name} by length")
    try:
        compared = compare(bound, arrays, max_length, progress)
    except NotExact as error:
        must = "an export must be compared with exact values"
        raise NotExact(f"{must}, but {error.must}", error.given, "there is no export without them") from None
    finally:
        progress.close()
    document = certificate(bound, values, dtype, max_length, compared, _statuses(chosen))
    write(weights, beside, arrays, document, force=force)
    return document


def _statuses(chosen: Chosen) -> list[dict[str, str]]:
    if chosen.info is None:
        return []
    from symcook.claims import ledger

    known = {row.id: row.status for row in ledger()}
    return [{"id": name, "status": known[name]} for name in chosen.info.claims if name in known]
