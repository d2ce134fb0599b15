"""``symcook report``: figures of the papers about a recipe, with CSV."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import click

from symcook.cli.options import Whole
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say


@declare("report", "symcook report first -o figures")
@click.argument("name", metavar="NAME")
@click.option(
    "-o", "--output", "folder", required=True, metavar="DIR", help="The folder that the files are written to."
)
@click.option(
    "--max-length", "longest", type=Whole("the greatest length", 3, 10**6), default=1000, metavar="N",
    help="The greatest length on the axes (1000).",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace existing files.")
def command(name: str, folder: str, longest: int, force: bool, as_json: bool) -> int:
    from symcook.papers.drawing import write
    from symcook.report.figure import MISSING

    with Progress("report") as progress:
        files = write(name, folder, longest, force=force, done=progress)
    shown = [str(file) for file in files]
    if as_json:
        print_json({"recipe": name, "max_length": longest, "files": shown})
    else:
        say("wrote\n" + "\n".join(f"  {file}" for file in shown))
    if find_spec("matplotlib") is None:
        print(MISSING, file=sys.stderr)
    return 0


command.help = (
    "Draw the figures of Chiang and Cholak 2022 about parity or first, those of the Cookbook (Figure 1 by by-gelu, "
    "Figure 2 by dyck-1), or a comparator of the Cookbook (gtzero, gezero or eqzero, also with -input) with the region "
    "where it is not exact in grey: every point a ball, in a CSV file, and with matplotlib as SVG and PNG."
)
