"""``symcook completion``."""

from __future__ import annotations

import click

from symcook.cli.options import OneOf
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say

SHELLS = ("bash", "zsh", "fish")


@declare("completion")
@click.argument("shell", type=OneOf("shell", SHELLS))
def command(shell: str, as_json: bool) -> None:
    """Print a completion script: eval "$(symcook completion bash)"."""
    from click.shell_completion import get_completion_class

    from symcook.cli.group import group

    found = get_completion_class(shell)
    assert found is not None, shell
    script = found(group, {}, "symcook", "_SYMCOOK_COMPLETE")
    # Not `script.source()`, which for bash starts bash to ask its version.
    text = script.source_template % script.source_vars()
    if as_json:
        print_json({"shell": shell, "script": text})
    else:
        say(text)
