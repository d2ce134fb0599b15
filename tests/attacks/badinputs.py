"""Command lines that nobody should type: bad, huge, empty and strange values for every option of every command."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import click

NUMBERS = (
    "0", "1", "2", "3", "-1", "-0", "+1", "1.5", ".5", "1e3", "1e400", "1e-400", "9" * 5000, "1/" + "7" * 5000, "1/0",
    "0/0", "nan", "inf", "-inf", "0x10", "1_000", "١٢", "²", "½", "1,000", "10^4300", "2^13999", "2^99999", "9^9^9",
    "(9^9999)^9999",
)  # fmt: skip
TERMS = (
    "x", "pi", "sqrt(2)", "sqrt(-1)", "log(0)", "log(-1)", "1/(1-1)", "1/log(1)", "exp(10^9)", "exp(-10^9)",
    "sin(10^30)", "sum(j, 1, 3, j)", "sum(j, 1, 10^9, j)", "sum(j, 2, 0, j)", "prod(j, 1, 3000, 9)",
    "if(1 < 2, 1, 0)", "if(1", "I[x = 1]", "min()", "max(1)", "abs(1, 2)", "foo(1)", "1 +", "+", "((((",
    "(" * 3000 + "1" + ")" * 3000, "-" * 5000 + "1", "1+" * 3000 + "1", "__import__('os')", "lambda: 0", "1 2",
    "x = 1", "true", "all x:Real. x = x", "i", "n", "eps", "relu(relu(x))", "0^0", "0^-1", "2^(1/2)", "(-8)^(1/3)",
    "10^-4400", "erf(1)", "tanh(1000)", "1/3", "1/1000000",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "\n", "\r\n", "\x1b[31m", "\x07", "\udcff", "\ud800", "é", "ﬁ", "💥", "\u2028", "\u202e", "\ufeff",
    "a" * 10_000, "-", "--", "---", "-h", "--help=1", "--json", "=", "==", "x=", "=1", "x=1", "x==1", "x=1=2", "*",
    "'", '"', "\\", "%s", "{0}", "()", "(())", "())(", "ab", "01", "1;2", "1,2;3,4", ";", ",", ";;", "1,", "0,0;1,1",
    "0110", "011", "2", "a b", "( )", "None", "True", "null", "[]", "{}", "~", "$HOME", "`ls`",
)  # fmt: skip
PLACES = (
    "/", ".", "..", "/dev/null", "/dev/full", "/dev/zero", "missing", "missing/x.npz", "folder", "folder/",
    "folder.npz", "new.npz", "./new.npz", ".npz", "there.npz", "m.json", "m.json/x.npz", "broken.json", "empty.json",
    "binary.json", "deep.json", "huge.json", "wrong.json", "new", "new.json", "x" * 300 + ".npz", "a\nb.npz",
    "spec.py:right", "spec.py:raises", "spec.py:missing", "spec.py", "spec.py:", ":right", "spec.py:constant",
    "spec.py:huge", "spec.py:leaves", "folder:right", "m.json:right", "bad.py:right", "loop.py:right", "symcook",
    "/proc/self/mem", "weird.json",
)  # fmt: skip
SETTINGS = (
    "eps", "N", "n", "d", "x", "y", "p", "c", "k", "tau", "table", "points", "inputs", "", "é", "__class__", "gamma",
    "q",
)  # fmt: skip
RANGES = (
    "n=1:8:3", "n=1:8", "n=8:1", "n=1:1", "gamma=1:2:3", "n", "n=", "=1:2", "n=1:2:3:4", "n=a:b", "n=1:2:0",
    "n=1:10^400:3",
)  # fmt: skip
SPEC = """
constant = 3
def right(given):
    return len(given) % 2 == 0
def raises(given):
    raise RuntimeError("no\\nsuch \\x1b[31m word")
def huge(given):
    return {"out": 10**5000}
def leaves(given):
    import sys
    sys.exit(3)
"""


def prepare(folder: Path) -> None:
    """The files that the command lines name."""
    from symcook.recipes import build

    (folder / "folder").mkdir()
    (folder / "folder.npz").mkdir()
    (folder / "there.npz").write_bytes(b"mine")
    (folder / "spec.py").write_text(SPEC)
    (folder / "bad.py").write_text("def (:\n")
    (folder / "loop.py").write_text("raise KeyError('no')\n")
    build("dyck-1").save(folder / "m.json")
    text = (folder / "m.json").read_text()
    (folder / "broken.json").write_text(text[: len(text) // 2])
    (folder / "empty.json").write_text("")
    (folder / "binary.json").write_bytes(bytes(range(256)))
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "huge.json").write_text(text.replace('"1"', '"' + "9" * 5000 + '"'))
    (folder / "weird.json").write_text(text.replace('"1"', "1" * 5000))
    (folder / "wrong.json").write_text('{"format": 3, "layers": null}')


GOOD = {
    "max_length": ("1", "2", "3"), "digits": ("1", "5", "30"), "bits": ("2", "24"),
    "target": ("new.npz", "there.npz"),
    "place": ("new",), "spec": ("spec.py:right", "spec.py:huge", "spec.py:raises"), "over": RANGES,
    "n": ("1", "4", "64"),
    "word": ("()", "(())", "ab", "01", ""), "tokens": ("( )", "", "a b"),
    "rows": ("1", "1,2", "1/2,0; 1,3", "1,1;2,2", "sqrt(2)"),
    "tie_break": ("1/2",), "variant": ("a", "b", "c"), "form": ("erf", "tanh"),
    "scores": ("1,2,3", "0, 1/2"), "text": ("eps",),
}  # fmt: skip


def _value(rng: random.Random, param: Any, names: list[str], ids: list[str]) -> str:
    """A value for an option or argument: three in four times one of its kind."""
    name, good = param.name or "", rng.random() < 0.75
    if name == "settings":
        return f"{rng.choice(SETTINGS)}={rng.choice(rng.choice([NUMBERS, TERMS] if good else [TEXTS]))}"
    if good and isinstance(getattr(param.type, "choices", None), list):
        return rng.choice(param.type.choices)
    if good:
        return rng.choice({"name": names, "model": names, "ids": ids}.get(name) or GOOD.get(name) or NUMBERS)
    return rng.choice(rng.choice([NUMBERS, TERMS, TEXTS, PLACES]))


def command_line(seed: int) -> list[str]:
    """One command line."""
    from symcook import recipes
    from symcook.cli.output import CommandTable, group
    from symcook.proof.replay import library

    rng = random.Random(seed)
    names, ids = [*recipes.names(), "m.json"], library().certificates()
    assert isinstance(group, CommandTable)
    verb = rng.choice([name for name in group.list_commands(click.Context(group)) if name not in ("tour", "claims")])
    found = group.get_command(click.Context(group), verb)
    assert found is not None
    line = [rng.choice(TEXTS) if rng.random() < 0.02 else verb]
    for param in found.params:
        if param.name == "debug" or "--debug" in param.opts:  # asks for a traceback
            continue
        if isinstance(param, click.Argument):
            line += [_value(rng, param, names, ids) for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]))]
            continue
        chance = 0.9 if param.required or param.name == "max_length" else 0.5 if param.multiple else 0.3
        while rng.random() < chance:
            option = rng.choice(param.opts)
            if getattr(param, "is_flag", False):
                line.append(option)
            else:
                value = _value(rng, param, names, ids)
                line += [f"{option}={value}"] if option.startswith("--") and rng.random() < 0.5 else [option, value]
            chance *= 0.4
    if rng.random() < 0.05:
        line.insert(rng.randrange(len(line) + 1), rng.choice(TEXTS))
    return [part.replace("\0", "") for part in line]
