"""``symcook verify-export``."""

from __future__ import annotations

import click

from symcook.cli.export import guaranteed
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say


@declare("verify-export", "symcook verify-export dyck-1.npz")
@click.argument("file")
def command(file: str, as_json: bool) -> None:
    """Compute the certificate of exported weights again: FILE is the weights, or the certificate beside them.

    Every byte of both must be as it was written, the weights must be those of the model in the certificate, and all
    that the certificate says must come out again. Exit code 1 where something does not, with what it is.
    """
    from symcook.export.verify import verify_export

    with Progress("computing the certificate again") as progress:
        known = verify_export(file, progress=progress)
    if as_json:
        print_json({"verified": True, **known})
        return
    files = ", ".join(known["files"])
    say(f"the certificate holds: {files} are the weights of {known['model']} in {known['dtype']}, unchanged")
    for line in guaranteed(known["guaranteed"]):
        say(f"  {line}")
