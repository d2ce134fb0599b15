"""The click group: commands imported when they are needed, and errors of usage in our words."""

from __future__ import annotations

import importlib
import os
from typing import Any

import click

from symcook import __version__
from symcook.cli import COMMANDS, THREE_THINGS, help_text
from symcook.cli.output import begin
from symcook.errors import BadInput, unknown
from symcook.questions import QUESTIONS

HOMES = {
    "about": ("list", "show", "explain", "claims", "lemmas", "completion"),
    "families": ("new",),
    "files": ("export", "verify-export", "diff", "report"),
    "runs": ("run", "derive", "check"),
}
"""The modules that have several commands; another one is in the module of its name."""


class Table(click.Group):
    """The group of commands: names from `COMMANDS`, modules when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in QUESTIONS:
            from symcook.cli.question import command_of

            return command_of(QUESTIONS[cmd_name])
        home = next((module for module, names in HOMES.items() if cmd_name in names), cmd_name)
        own = "list_" if cmd_name == "list" else cmd_name.replace("-", "_")
        return getattr(importlib.import_module(f"symcook.cli.{home}"), own)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if not ctx.resilient_parsing and args[0] not in COMMANDS:
            raise unknown("command", args[0], list(COMMANDS))
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        return help_text()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]


@click.group(
    "symcook",
    cls=Table,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="symcook %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Transformers built by hand: derived, run, checked, proved, bounded and exported, exactly."""
    if ctx.invoked_subcommand is None:
        click.echo(THREE_THINGS)


def invoke(arguments: list[str]) -> int:
    """Parse and invoke; the exit code that the command answers. Errors of usage become BadInput."""
    instruction = os.environ.get("_SYMCOOK_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "symcook", "_SYMCOOK_COMPLETE", instruction)
    begin()
    try:
        # Not `group.main`, which would answer Ctrl-C and errors itself.
        with group.make_context("symcook", list(arguments)) as ctx:
            code = group.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption) and error.option_name == "--json" and arguments[:1] == ["--json"]:
            rest = " ".join([*arguments[1:], "--json"])
            raise BadInput("--json must follow the command", "it came first", f"write symcook {rest}") from None
        raise _sentence(error) from None
    return code if isinstance(code, int) else 0


def _sentence(error: click.UsageError) -> BadInput:
    """A usage error of click in our words: what must hold, what was given, what to do."""
    ctx = error.ctx or click.Context(group, info_name="symcook")
    command, options = ctx.command_path, [p for p in ctx.command.get_params(ctx) if isinstance(p, click.Option)]
    hint = f"see {command} --help"
    if isinstance(error, click.NoSuchOption):
        return unknown("option", error.option_name, [n for p in options for n in p.opts if n[:2] == "--"], hint)
    if isinstance(error, click.BadOptionUsage):
        if any(p.is_flag for p in options if error.option_name in p.opts):
            return BadInput(f"the option {error.option_name} must not have a value", "one", hint)
        return BadInput(f"the option {error.option_name} must have a value", "none", hint)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        param = error.param
        what = param.opts[-1] if param.param_type_name == "option" else (param.name or "").upper()
        return BadInput(f"{command} must have {what}", "none", hint)
    return BadInput("the command must be used as its help says", error.format_message().rstrip("."), hint)
