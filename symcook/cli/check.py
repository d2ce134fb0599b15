"""``symcook check``."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from symcook.cli.options import (
    DIGITS,
    LENGTH,
    Chosen,
    choose,
    domain_option,
    exact_or_balls,
    name_argument,
    need_values,
    settings_option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput, Undecided, unknown


@declare("check", "symcook check dyck-1 --max-length 12")
@name_argument
@click.option("--max-length", type=LENGTH, metavar="N", help="The greatest length of a word or sequence.")
@click.option("--spec", metavar="FILE.py:FUNCTION", help="Your own reference: a function of inputs, or a Fold.")
@domain_option
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of ball and mpmath (30).")
@settings_option
@click.option("--tokens", metavar="WORDS", help='The names of a family\'s tokens, in their order: "( ) [ ]".')
def command(
    name: str,
    max_length: int | None,
    spec: str | None,
    domain: str | None,
    digits: int,
    settings: tuple[str, ...],
    tokens: str | None,
    as_json: bool,
) -> int:
    """Compare a model with its reference on every input: exactly, or in balls where there are no exact values.

    A word model meets every word to length N, and the empty word where it takes it; a feed-forward recipe meets a
    stated grid and takes no length. Exit 1 with the smallest counterexample where they differ, exit 3 where they differ
    nowhere but some answers stay open.
    """
    chosen = choose(name, settings, tokens)
    if chosen.inputs:
        raise BadInput("a check chooses its inputs itself", f"--set {next(iter(chosen.inputs))}", "leave it out")
    if chosen.pointwise and max_length is not None:
        raise BadInput("a feed-forward recipe must be checked without --max-length", max_length, "leave it out")
    if not chosen.pointwise and max_length is None:
        raise BadInput(f"a check of {name} must have a greatest length", "none", f"give --max-length {_quick(chosen)}")
    if not chosen.pointwise:
        need_values(chosen)  # a feed-forward recipe is checked at several values of such a symbol
    found, why = exact_or_balls(domain, lambda numbers: run_check(chosen, max_length, spec, numbers, digits))
    if as_json:
        print_json(found.to_json())
    else:
        say(check_text(chosen, found) + (f"\n  {why}" if why else ""))
    if found.undecided and not found.differs:
        raise Undecided(f"some answers stayed open in {found.domain} numbers; try more --digits or another --domain.")
    return 0 if found.holds else 1


def _quick(chosen: Chosen) -> int:
    """A length to which a check takes seconds: 12 over two symbols, less over more, 3 where rows are the inputs."""
    if not chosen.model.alphabet:
        return 3
    letters = max(2, len(chosen.model.alphabet) - chosen.model.embedding.added)
    return max(n for n in range(1, 13) if n == 1 or letters**n <= 2**12)


def run_check(
    chosen: Chosen, max_length: int | None, spec: str | None = None, domain: str = "exact", digits: int = 30
) -> Any:
    """The check of a chosen model against its recipe's reference, or against `spec`."""
    from symcook.verify.sweep import check, check_recipe

    with Progress(f"checking {chosen.name}") as progress:
        how: Any = {"values": chosen.values, "progress": progress, "domain": domain, "digits": digits}
        if spec is not None:
            # What the user's code prints must not stand in the answer.
            with contextlib.redirect_stdout(sys.stderr):
                function = load_spec(spec)
                return check(chosen.model, function, max_length, region=_region(chosen), **how)
        if chosen.info is None:
            raise BadInput("a model file must be checked against a reference", "none", "give --spec FILE.py:FUNCTION")
        return check_recipe(chosen.name, max_length, chosen.arguments, **how)


def _region(chosen: Chosen) -> str | None:
    """Where a recipe promises its answer; a model of the user's own promises it everywhere."""
    if chosen.info is None:
        return None
    from symcook.recipes import region

    return region(chosen.name, **chosen.arguments)


def check_text(chosen: Chosen, found: Any) -> str:
    """The outcome in words, about the model as it was chosen."""
    from symcook.report.check import document

    return document(found, chosen.name, partial(chosen.command, "run")).text()


def load_spec(spec: str) -> Callable[[Any], Any]:
    """The function FUNCTION of the Python file FILE.py, imported by path. BadInput where that fails."""
    file, colon, name = spec.rpartition(":")
    if not colon or not file or not name:
        raise BadInput("a reference must be written FILE.py:FUNCTION", spec or "nothing", "for example my.py:accepts")
    path = Path(file)
    if not path.is_file():
        raise BadInput("the file of a reference must exist", file)
    loader = importlib.util.spec_from_file_location(f"symcook_spec_{path.stem}", path)
    if loader is None or loader.loader is None:
        raise BadInput("the file of a reference must be Python and end in .py", file)
    module = importlib.util.module_from_spec(loader)
    sys.modules[loader.name] = module
    try:
        loader.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(f"the file {file} must import without an error", f"{type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if function is None:
        public = [n for n, value in vars(module).items() if callable(value) and not n.startswith("_")]
        raise unknown(f"function of {file}", name, public)
    if not callable(function):
        raise BadInput(f"{name} of {file} must be a function", type(function).__name__)
    return function
