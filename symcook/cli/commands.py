"""The commands with their lines of help, and the texts that symcook prints without importing click."""

from __future__ import annotations

COMMANDS = {
    "new": "write the model of a family at the sizes that you give",
    "compile": "compile a formula, program, automaton or machine to a transformer",
    "import": "read published weights as an exact model",
    "list": "list recipes, families and programs",
    "show": "show the matrices, coordinates and parameters of a model",
    "explain": "explain a recipe, a program, a language or a command",
    "run": "run a model on one input",
    "derive": "derive closed forms of the outputs",
    "report": "write a page of a model to step through, or the figures of a paper",
    "tour": "show one model from coordinates to weights, with a check and a proof",
    "check": "compare a model with its specification on every string up to a length",
    "decide": "compare a model with a specification, for strings of every length",
    "prove": "prove or refute a statement about a model; re-check stored proofs",
    "claims": "show what the papers state, with the status of each statement",
    "lemmas": "show what a proof may cite",
    "bound": "enclose a paper's bound and the tight value in rigorous intervals",
    "margin": "the distance of decisions from their threshold, by length",
    "tolerance": "how far one weight can change before a decision changes, by length",
    "temperature": "the largest softmax temperature with the decisions of hard attention, by length",
    "hardsoft": "softmax attention in place of hard attention, within an error that you give",
    "precision": "how many bits are enough, by length and by float format",
    "entropy": "the entropy of each head's attention in bits, by length",
    "export": "write float weights with a certificate",
    "verify-export": "compute the certificate of exported weights again",
    "diff": "find where two models, or a model and its export, differ",
    "completion": "print a completion script for bash, zsh or fish",
}
"""{command: its line of help}, in the order of ``symcook --help``."""

GROUPS = {
    "Build": ("new", "compile", "import", "list", "show", "explain"),
    "Run": ("run", "derive", "report", "tour"),
    "Verify": ("check", "decide", "prove"),
    "Papers": ("claims", "lemmas", "bound"),
    "Robustness": ("margin", "tolerance", "temperature", "hardsoft", "precision", "entropy"),
    "Export": ("export", "verify-export", "diff"),
    "Shell": ("completion",),
}
"""{group: its commands}."""

SEE_ALSO = {
    "compile": ("explain ltl", "explain c-rasp", "explain srasp", "explain dfa", "explain tm"),
    "prove": ("explain statements", "decide", "lemmas"),
    "check": ("explain fold", "decide"),
    "decide": ("explain fold", "explain dfa", "check", "prove"),
    "derive": ("explain grammar", "prove"),
    "run": ("explain grammar", "derive"),
    "import": ("check", "margin", "export"),
    "new": ("list", "explain grammar"),
    "list": ("explain", "show"),
    "tour": ("list", "run"),
    "report": ("run", "list"),
    "claims": ("prove", "lemmas"),
    "completion": ("list",),
}
"""{command: what to read after its help}; for all others it is the other commands of the group."""


def see_also(name: str) -> list[str]:
    """The commands to read about after the help of the command `name`, first the one that explains it in full."""
    group = next(names for names in GROUPS.values() if name in names)
    others = SEE_ALSO.get(name) or tuple(one for one in group if one != name)
    return [f"explain {name}", *others]


THREE_THINGS = """\
symcook: transformers built by hand, as exact mathematical objects.

Three things to try:
  symcook tour                          one model from coordinates to weights
  symcook run dyck-1 --input "(())"     run a model on one string, exactly
  symcook list                          what else there is

symcook --help shows every command."""

HELP = """\
Usage: symcook [--debug] COMMAND [ARGS]...

  Transformers with exact weights: run them, derive closed forms, prove statements, export floats.

Options:
  --version   Show the version and exit.
  --debug     Show the traceback of an error.
  -h, --help  Show this message and exit.

{commands}

Each command has --help, and --json for one JSON document on stdout.
Languages: symcook explain ltl, c-rasp, srasp, dfa, tm, statements, fold, grammar.
Exit codes: 0 done or yes, 1 no, 2 bad input, 3 undecided, 4 a defect of ours, 130 interrupted."""


def help_text() -> str:
    """The text of ``symcook --help``."""
    rows = {name: f"  {name:<13}  {line}" for name, line in COMMANDS.items()}
    groups = ["\n".join([f"{group}:", *(rows[name] for name in names)]) for group, names in GROUPS.items()]
    return HELP.format(commands="\n\n".join(groups))
