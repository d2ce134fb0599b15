"""The command line: a table of commands, each in a module that is imported when the command is invoked.

What needs no more than the table (help, version, list) is answered here, before click is imported: a shell waits for
it, and click's import alone takes four times as long as Python's own start.
"""

from __future__ import annotations

from symcook.cli.commands import COMMANDS, THREE_THINGS, help_text

__all__ = ["COMMANDS", "dispatch"]


def dispatch(arguments: list[str]) -> int:
    """Parse and invoke; the exit code that the command answers. Bad usage is BadInput."""
    import os

    if not os.environ.get("_SYMCOOK_COMPLETE"):
        if arguments == []:
            print(THREE_THINGS)
            return 0
        if arguments in (["--help"], ["-h"]):
            print(help_text())
            return 0
        if arguments in (["list"], ["list", "--json"]):
            from symcook.cli.listing import print_list

            print_list(as_json=len(arguments) == 2)
            return 0
    from symcook.cli.output import invoke

    return invoke(arguments)
