"""The commands with their lines of help, and the texts that symcook prints without importing click."""

from __future__ import annotations

COMMANDS = {
    "tour": "one model from coordinates to weights, with a check and a proof",
    "list": "the recipes",
    "show": "matrices, coordinates, parameters and region of a recipe or model file",
    "new": "a model of a family, at parameters of your own",
    "compile": "a formula, program, automaton or machine to a transformer",
    "explain": "its formula and source in words",
    "derive": "closed forms of the outputs",
    "run": "one input",
    "check": "a model against its specification, exhaustive and exact",
    "decide": "a model against a specification, for strings of every length",
    "prove": "prove or refute a statement about a model; re-check stored proofs",
    "claims": "what the papers state, with the status of each statement",
    "lemmas": "what a proof may cite",
    "bound": "a paper's bound and the tight value, as rigorous intervals",
    "entropy": "how widely each head looks, in bits, by length",
    "margin": "decision margin, by length",
    "tolerance": "how far one weight may move, by length",
    "temperature": "the largest softmax temperature with the decisions of hard attention, by length",
    "hardsoft": "softmax attention in place of hard, within an error that you give",
    "precision": "how many bits are enough, by length and by float format",
    "report": "a page of a model to step through, or the figures of a paper",
    "export": "float weights with a certificate",
    "verify-export": "compute the certificate of exported weights again",
    "diff": "where two models, or a model and its export, part",
    "completion": "a completion script for bash, zsh or fish",
}
"""{command: its line of help}, in the order of ``symcook --help``."""

THREE_THINGS = """\
symcook: transformers built by hand, as exact mathematical objects.

Three things to try:
  symcook tour                          one model from coordinates to weights
  symcook run dyck-1 --input "(())"     run a model on one string, exactly
  symcook list                          what else there is

symcook --help shows every command."""

HELP = """\
Usage: symcook [--debug] COMMAND [ARGS]...

  Transformers built by hand: derived, run, checked, proved, bounded and exported, exactly.

Options:
  --version   Show the version and exit.
  --debug     Show the traceback of an error.
  -h, --help  Show this message and exit.

Commands:
{commands}

Each command has --help, and --json for one JSON document on stdout.
Exit codes: 0 done or yes, 1 no, 2 bad input, 3 undecided, 4 a defect of ours, 130 interrupted."""


def help_text() -> str:
    """The text of ``symcook --help``."""
    return HELP.format(commands="\n".join(f"  {name:<13}  {line}" for name, line in COMMANDS.items()))
