"""The group of commands, made with click, and how answers are printed.

Modules of commands are imported when they are needed. Usage errors get symcook's own messages. Answers are printed to
stdout, as text or one JSON document; progress is printed to stderr.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import click

from symcook import __version__
from symcook.alarm import TimeUp, waiting
from symcook.cli.commands import COMMANDS, THREE_THINGS, help_text
from symcook.errors import BadInput, Undecided, unknown
from symcook.questions import QUESTIONS
from symcook.report.document import WIDE

if TYPE_CHECKING:
    from collections.abc import Mapping


def say(text: str = "") -> None:
    """Print to stdout. On a terminal, lines are broken to its width, and verdicts are coloured."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = fitted(text, line_width())
    print(coloured(text) if colours() else text)


def fitted(text: str, width: int) -> str:
    """The text with lines of at most `width` characters, continuation lines indented; a longer word and a command to
    paste are not broken.

    >>> print(fitted("  some words that are long", 20))
      some words that
        are long
    """
    import textwrap

    lines: list[str] = []
    kept: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}  # an option stays on its line
    for line in text.split("\n"):
        words = line.lstrip()
        indent = " " * (len(line) - len(words) + 2)
        long = len(line) > width and not words.startswith("symcook ")
        lines += textwrap.wrap(line, width, subsequent_indent=indent, **kept) if long else [line]
    return "\n".join(lines)


VERDICTS = {
    "32": r"PROVED|EQUAL|DECIDED|(?<=: )accept$|agrees with its specification",
    "31": r"REFUTED|DIFFERENT|FALSE|(?<=: )reject$|differs from its specification",
    "33": r"CORRECTED|OPEN|REFUSED|UNDECIDED|(?<=: )undecided$",
}
"""{colour code of the terminal (green, red, yellow): pattern of the words in this colour}."""


def colours() -> bool:
    """Whether stdout is a terminal with colours, and NO_COLOR is not set (https://no-color.org)."""
    if sys.stdout is None or not sys.stdout.isatty() or os.name == "nt":
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def coloured(text: str) -> str:
    """The text with its verdicts in colours.

    >>> coloured("PROVED  x").replace(chr(27), "ESC")
    'ESC[32mPROVEDESC[0m  x'
    """
    import re

    for colour, words in VERDICTS.items():
        text = re.sub(rf"(?m)(?<![\w.])(?:{words})(?!\w)", rf"\033[{colour}m\g<0>\033[0m", text)
    return text


def say_line(text: str) -> None:
    """Print a line to stdout without buffering, so that a pipe gets it at once."""
    print(text, flush=True)


_answered = False
"""Whether this command has printed its JSON document."""


def begin() -> None:
    """Reset `_answered` at the start of a command."""
    global _answered
    _answered = False


def print_json(document: object) -> None:
    """Print one JSON document; infinite floats and nan become texts."""
    global _answered
    import json

    print(json.dumps(_finite(document), indent=2, allow_nan=False))
    _answered = True


def say_or_json(as_json: bool, data: Callable[[], object], text: Callable[[], str]) -> None:
    """Print an answer: `data()` as JSON, or `text()`."""
    if as_json:
        print_json(data())
    else:
        say(text())


def failed(error: Mapping[str, object], line: bool = False) -> None:
    """Print a failure as the JSON document of a command, unless the command has printed its document already.

    A command does so, for example, for an undecided answer. With `line` the failure is printed in any case and is one
    line, for commands that print one document on each line.
    """
    if line:
        import json

        say_line(json.dumps({"error": error}))
    elif not _answered:
        print_json({"error": error})


def _finite(value: object) -> Any:
    """The document with infinite floats and nan as texts, since JSON does not have them."""
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return repr(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def line_width() -> int:
    """The greatest number of characters in a line: the terminal's width, or `WIDE` without a terminal; at least 40."""
    import shutil

    return max(40, shutil.get_terminal_size((WIDE, 0)).columns)


def _progress_width() -> int:
    """The number of characters in the line of progress: one less than the width of the terminal, at most 78."""
    try:
        return max(1, min(78, os.get_terminal_size(sys.stderr.fileno()).columns - 1))
    except (OSError, ValueError):
        return 78


class Progress:
    """A context that shows the progress of a computation: a line on stderr that is redrawn in place, and removed at the
    end. It prints nothing in the first second, and nothing if stderr is not a terminal. While the computation tells
    nothing, the line has the elapsed time."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.started = self.last = time.monotonic()
        self.drawn = False
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._wait, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        self.clear()

    def clear(self) -> None:
        """Remove the line."""
        if self.drawn:
            print("\r" + " " * _progress_width() + "\r", end="", file=sys.stderr, flush=True)

    def __call__(self, done: object, total: object = None) -> None:
        """Draw the progress `done` of `total`, at most five times a second and not in the first second."""
        self.draw(f"{done}" + (f" of {total}" if total is not None else ""))

    def draw(self, text: str) -> None:
        """Draw a line with `text`, at most five times a second and not in the first second."""
        now = time.monotonic()
        if now - self.started < 1 or now - self.last < 0.2 or sys.stderr is None or not sys.stderr.isatty():
            return
        self.last, self.drawn = now, True
        room = _progress_width()
        print(f"\r{f'{self.what}: {text}'[:room]:<{room}}", end="", file=sys.stderr, flush=True)

    def _wait(self) -> None:
        """Draw the elapsed time when nothing has been drawn for a second."""
        while not self.over.wait(0.5):
            if time.monotonic() - self.last >= 1:
                self.draw(f"{time.monotonic() - self.started:.0f} s")


class SweepProgress(Progress):
    """Progress of an exhaustive check, with the strings per second and the remaining time. `tell` prints a
    counterexample at once, even if stderr is not a terminal."""

    before: int | None = None
    """The number of strings that were done at the first call; a resumed check begins with some."""

    def __call__(self, done: Any, total: Any = None) -> None:
        """Draw the progress with the rate and the remaining time; the first call only notes where the check began."""
        from symcook.verify.findings import duration

        if self.before is None:
            self.before, self.started = done, time.monotonic()
        new_strings, seconds = done - self.before, time.monotonic() - self.started
        if not new_strings or not seconds:
            return
        remaining = duration((total - done) * seconds / new_strings)
        super().__call__(done, f"{total}, {new_strings / seconds:.2g} a second, {remaining} left")

    def tell(self, sentence: str) -> None:
        """Remove the line of progress, and print a sentence on its own line."""
        self.clear()
        print(sentence, file=sys.stderr, flush=True)


@contextmanager
def within(seconds: int, what: str, do: str, begun: float | None = None) -> Iterator[None]:
    """A context that raises Undecided if its computation takes longer than `seconds` of real time.

    The message begins with `what` and recommends `do`. With `begun` (of `time.monotonic`) the time counts from that
    moment, so that several steps of a command share it.
    """
    spent = 0.0 if begun is None else time.monotonic() - begun
    try:
        with waiting(max(seconds - spent, 0.0)):
            yield
    except TimeUp:
        plural = "s" * (seconds != 1)
        must = f"{what} within {seconds} second{plural}; {do}, or give more time with --seconds"
        raise Undecided(f"{must}.") from None


HOMES = {
    "about": ("list", "show", "explain", "claims", "lemmas", "completion"),
    "families": ("new",),
    "imports": ("import",),
    "files": ("export", "verify-export", "diff", "report"),
    "runs": ("run", "derive", "check"),
}
"""{module: its commands}, for modules with several commands.

Commands of `QUESTIONS` are made by the module `question`. Each other command is in the module of its name."""


class CommandTable(click.Group):
    """The group of commands, which imports the module of a command when it is needed. The names are in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, from its module."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in QUESTIONS:
            return importlib.import_module("symcook.cli.question").command_of(cmd_name)
        home = next((module for module, names in HOMES.items() if cmd_name in names), cmd_name)
        function = f"{cmd_name}_" if cmd_name in ("list", "import") else cmd_name.replace("-", "_")
        return getattr(importlib.import_module(f"symcook.cli.{home}"), function)

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
    cls=CommandTable,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="symcook %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Transformers with exact weights: run them, derive closed forms, prove statements, export floats."""
    if ctx.invoked_subcommand is None:
        click.echo(THREE_THINGS)


def invoke(arguments: list[str]) -> int:
    """Run the command of a command line; return its exit code. Usage errors are raised as BadInput; errors of the
    command are raised as they are."""
    # The shell asks for completions by an environment variable.
    instruction = os.environ.get("_SYMCOOK_COMPLETE")
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "symcook", "_SYMCOOK_COMPLETE", instruction)
    begin()
    from symcook.report import document

    document.SCREEN = line_width() if sys.stdout is not None and sys.stdout.isatty() else None
    try:
        # `group.main` is not called: it would handle Ctrl-C and errors itself.
        with group.make_context("symcook", list(arguments)) as ctx:
            code = group.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption) and error.option_name == "--json" and arguments[:1] == ["--json"]:
            correct = " ".join([*(arguments[1:] or ["COMMAND"]), "--json"])
            raise BadInput(
                "--json must follow the command", "--json before the command", f"write symcook {correct}"
            ) from None
        raise _bad_input(error) from None
    return code if isinstance(code, int) else 0


def _bad_input(error: click.UsageError) -> BadInput:
    """A usage error of click as BadInput, with what must hold, what was given, and what to do."""
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
        parameter = param.opts[-1] if param.param_type_name == "option" else (param.name or "").upper()
        return BadInput(f"{command} must have {parameter}", "none", hint)
    return BadInput("the command must be used as its help says", error.format_message().rstrip("."), hint)
