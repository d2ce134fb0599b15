"""``symcook list``."""

from __future__ import annotations

from symcook.cli.listing import print_list
from symcook.cli.options import command as declare


@declare("list")
def command(as_json: bool) -> None:
    """List the recipes by section of the Cookbook: name and summary."""
    print_list(as_json)
