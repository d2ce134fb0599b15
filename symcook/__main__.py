"""The entry of the command line: exit codes and one-sentence errors. Nothing heavy is imported before `main` runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing it from `typing` would take as long as everything else here together
if TYPE_CHECKING:
    from symcook.errors import SymcookError

# Exit codes; those of errors are in `symcook.errors`.
INTERRUPTED = 130
BROKEN_PIPE = 141
DEFECT = 4


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; see the table of exit codes in the manual.

    Every error is one sentence on stderr, except a broken pipe, which prints nothing; `--debug` adds the traceback.
    Without `argv` this is the whole program: it takes its arguments from the command line, and handles Ctrl-C even
    where Python would drop it. After it, Ctrl-C ends the process at once.
    """
    try:
        try:
            if argv is None:
                sys.unraisablehook = _unraisable
                _remember_interrupts()
            return _run(list(sys.argv[1:] if argv is None else argv))
        finally:
            if argv is None:
                _end_quietly()
    except KeyboardInterrupt as stopped:
        return _say(str(stopped) or f"interrupted{_written()}", INTERRUPTED)


def _written() -> str:
    """The end of the message of an interrupted command: the files that it had written completely."""
    files = sys.modules.get("symcook.files")
    names = ", ".join(map(str, files.finished)) if files is not None else ""
    return f"; these files were written before: {names}" if names else ""


interrupts: list[int] = []
"""The interruptions of this process, as numbers of signals."""


def _interrupt(number: int, frame: object) -> None:
    """What Python does at a Ctrl-C, which is remembered too."""
    interrupts.append(number)
    raise KeyboardInterrupt


def _remember_interrupts() -> None:
    """Let a Ctrl-C be remembered. Nothing changes if another handler of the signal was set."""
    # `signal`, which is written in Python, would take as long to import as everything else here together.
    import _signal  # pyright: ignore[reportMissingImports]

    _handle_interrupts(_interrupt, _signal.default_int_handler)


def _handle_interrupts(handler: object, *present: object) -> None:
    """Set the handler of Ctrl-C in place of one of `present`. Nothing changes if another one is set."""
    import _signal  # pyright: ignore[reportMissingImports]

    if _signal.getsignal(_signal.SIGINT) in present:
        try:
            _signal.signal(_signal.SIGINT, handler)
        except ValueError:  # only the main thread may set a handler
            return


def _end_quietly() -> None:
    """Let a Ctrl-C end the program at once from here on, as it ends a program in C.

    The answer has been given. Python would print a traceback if a Ctrl-C came during its shutdown. Nothing changes if
    another handler of the signal was set.
    """
    import _signal  # pyright: ignore[reportMissingImports]

    _handle_interrupts(_signal.SIG_DFL, _signal.default_int_handler, _interrupt)


def _run(arguments: list[str]) -> int:
    """Run a command; return its exit code, also if it fails. Only an interruption is raised."""
    import gc

    if (files := sys.modules.get("symcook.files")) is not None:
        files.finished.clear()  # files of an earlier command in this process
    # Terms are many small tuples without cycles: with fewer garbage collections `prove --all` takes a quarter less
    # time.
    gc.set_threshold(100_000, 20, 50)
    try:
        if sys.flags.optimize > 1:
            from symcook.present import without_docstrings

            raise without_docstrings()
        _open_streams()
        code = dispatch(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        raise
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except BaseException as error:
        if _by_interrupt(error):
            raise KeyboardInterrupt from None
        return _failed(error, arguments)


def dispatch(arguments: list[str]) -> int:
    """Parse the arguments and run the command; return its exit code. Raises BadInput for bad usage.

    No arguments, ``--help``, and ``list`` without a search are answered here, before click is imported: its import
    alone takes four times as long as Python's own start. Shell completion always needs click.
    """
    import os

    from symcook.cli.commands import THREE_THINGS, help_text

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


def _by_interrupt(error: BaseException | None) -> bool:
    """Whether a Ctrl-C caused an error: a compiled module that is interrupted while it loads raises another error,
    which may tell no cause."""
    for _ in range(100):
        if error is None or isinstance(error, KeyboardInterrupt):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or bool(interrupts)


def _open_streams() -> None:
    """Make stdout and stderr usable. Raises BadInput if stdout is closed: nobody would see the answer."""
    if sys.stderr is None:
        import os

        sys.stderr = open(os.devnull, "w", encoding="utf-8", newline="\n")  # noqa: SIM115
    if sys.stdout is None:
        from symcook.errors import BadInput

        raise BadInput("the standard output must be open", "a closed one", "use > /dev/null to see no answer")
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show is printed as an escape, instead of a traceback.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _unraisable(unraisable: object) -> None:
    """Repeat a Ctrl-C that Python drops inside some callbacks, where it would print a traceback and continue.

    The Ctrl-C comes again after 10 ms, when the callback has ended.
    """
    if not isinstance(getattr(unraisable, "exc_value", None), KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)  # type: ignore[arg-type]
        return
    import _thread
    import threading

    threading.Timer(0.01, _thread.interrupt_main).start()


def _failed(error: BaseException, arguments: list[str]) -> int:
    """Print the sentence of an error that ended a command; return the exit code.

    With ``--json`` a document is printed too, unless the command has printed one already. A SystemExit prints nothing;
    its exit code is `DEFECT` unless it has an integer.
    """
    debug = "--debug" in arguments
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else DEFECT
    from symcook.errors import BadInput, SymcookError

    # Errors of symcook have their own exit codes; errors of files and streams are bad input; all others are defects.
    if isinstance(error, SymcookError) and type(error) is not SymcookError:
        printed_error, code = error, error.exit_code
    elif isinstance(error, OSError) and error.errno is not None:
        _drop_stdout_if_full()
        where = f"{error.filename or 'standard output or input'} ({error.strerror})"
        printed_error, code = (
            BadInput(
                "a file must be readable or writable", where, "give another file, or allow it to be read and written"
            ),
            2,
        )
    else:
        hint = "" if debug else " and add --debug to see where"
        what = f"{type(error).__name__}: {error if str(error) else 'no message'}"
        printed_error, code = SymcookError(f"a defect of symcook, please report it{hint}: {what}"), DEFECT
    # `run --steps --json` prints one document on each line, so that its error must be one line too.
    if "--json" in arguments:
        streamed = any(option == "--steps" or option.startswith("--steps=") for option in arguments)
        _document(printed_error, streamed)
    return _say(printed_error.sentence, code)


def _document(error: SymcookError, line: bool) -> None:
    """Print an error as one JSON document, unless stdout is closed or has one already; with `line` as one line."""
    import contextlib

    from symcook.cli.output import failed

    if sys.stdout is not None:
        with contextlib.suppress(OSError):
            failed(error.to_json(), line)
            sys.stdout.flush()


def _say(sentence: str, code: int) -> int:
    """Print an error as one line on stderr; return the exit code."""
    import contextlib

    with contextlib.suppress(OSError):
        print(f"symcook: {' '.join(sentence.split())}", file=sys.stderr, flush=True)
    return code


def _drop_stdout_if_full() -> None:
    """Discard buffered output that cannot be written (a full disk): the interpreter would raise again at its exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_stdout()


def _drop_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter's last flush does not fail too."""
    import contextlib
    import os

    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
