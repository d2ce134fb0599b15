"""What several tests use: functions as the papers write them, all words up to a length, commands, a model of one head.

The functions are oracles: plain loops over the numbers that they are given, nothing of symcook in them.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mpmath
import pytest
from checkout import ROOT

from symcook.__main__ import main
from symcook.cli.commands import COMMANDS
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from symcook.proof.replay import Statement

# --- Functions and words ----------------------------------------------------------------------------------------------


def relu(x: Any) -> Any:
    """max(x, 0), in the number system of x."""
    return max(x, x * 0)


def softmax(scores: Sequence[Any], exp: Callable[[Any], Any]) -> list[Any]:
    """exp(s_j) / sum of exp(s_k)."""
    powers = [exp(s) for s in scores]
    total = sum(powers)
    return [power / total for power in powers]


def mpf(q: Fraction | int) -> Any:
    """A rational as mpmath's number, at the precision in force."""
    q = Fraction(q)
    return mpmath.mpf(q.numerator) / q.denominator


def words(longest: int, letters: str = "()", shortest: int = 1) -> Iterator[str]:
    """Every word of these lengths, shorter ones first."""
    for length in range(shortest, longest + 1):
        yield from map("".join, itertools.product(letters, repeat=length))


# --- Commands ---------------------------------------------------------------------------------------------------------


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints on stdout and stderr."""
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> Any:
    """The one JSON document that a command prints."""
    got, out, err = call(capsys, *arguments, "--json")
    assert got == code, err
    return json.loads(out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of bad input, exit 2, with nothing on stdout; with --json the same as a document there."""
    code, out, err = call(capsys, *arguments)
    assert code == 2 and (out == "") == ("--json" not in arguments), (code, out, err)
    if out:
        (error,) = json.loads(out).values()
        assert set(error) == {"must", "given", "do"} and err.startswith(f"symcook: {error['must']}"), (out, err)
    assert err.startswith("symcook: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert len(err) < 500
    assert misadvised(str(arguments[0]), err) == [], err
    return err


def misadvised(command: str, sentence: str) -> list[str]:
    """The options that the advice in a sentence names though its command has none such, nor one that it names by
    "symcook COMMAND"; where it advises to leave an option out, whatever that is."""
    advice = sentence.rstrip().rpartition("; ")[2]
    if "given: " in advice or advice.startswith("leave "):
        return []
    named = {command, *re.findall(r"symcook ([a-z-]+)", advice)}
    has = {one for name in named for one in options(name)}
    return [one for one in re.findall(r"(?<![\w-])--[a-z][a-z-]*", advice) if one not in has]


@cache
def options(command: str) -> frozenset[str]:
    """The options of a command, empty where there is none of that name."""
    import click

    from symcook.cli.output import group

    found = group.get_command(click.Context(group), command) if command in COMMANDS else None
    return frozenset(() if found is None else (one for p in found.get_params(click.Context(found)) for one in p.opts))


# --- A model of one head ----------------------------------------------------------------------------------------------


def rows(**columns: Sequence[Any]) -> list[dict[str, Any]]:
    """A sequence of rows from its columns."""
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def lookup(weighting: str = "softmax", mask: str = "none", temperature: Any = 1) -> Transformer:
    """out = attention with score q * key and value v, all inputs."""
    head = Head(("q", "key", "v"), ("out",), [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], mask, weighting, temperature)
    embedding = Embedding(Space(("q", "key", "v", "out")), inputs=("q", "key", "v"))
    return Transformer("lookup", embedding, (Layer(SelfAttention((head,))),), Readout("value", "each", ("out",)))


# --- The second checker -----------------------------------------------------------------------------------------------


def second_checker(
    folder: Path, statement: Statement, certificate: Mapping[str, Any]
) -> subprocess.CompletedProcess[str]:
    """What `proofs/checker.py` says of a statement and its certificate, written to `folder`, and of lemmas below."""
    from symcook.proof.statements import certify

    (folder / "s.txt").write_text(certify.expanded(statement, certificate))
    (folder / "c.json").write_text(json.dumps(certificate))
    below = [ROOT / "proofs" / "certificates" / f"{name}.json" for name in certify.below(certificate)]
    command = [sys.executable, ROOT / "proofs" / "checker.py", folder / "s.txt", folder / "c.json", *below]
    return subprocess.run(command, capture_output=True, text=True, check=False)
