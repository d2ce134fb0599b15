"""What `check` prints can be pasted: each replay command runs, and says what the check said, for generated models.

CLS, BOS and EOS, tokens of one and of several characters and of both, characters that a shell reads in its own way,
leading dashes, options as tokens, the empty string, every readout, and domains.
"""

from __future__ import annotations

import json
import math
import random
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.transformer import Parameter, Transformer
from symcook.run import run
from symcook.verify.sweep import check

SHORT = ["a", "b", "-", "'", '"', "$", "`", "\\", "*", "é", "(", ")", "=", "#", "!", "~", ";", "&", "|", "%", "0", "Ω"]
LONG = [
    "--json",
    "-h",
    "--",
    "up",
    "down",
    "it's",
    '"q"',
    "$HOME",
    "a=b",
    "`ls`",
    "\\n",
    "*.py",
    "--input",
    "日本",
    "a,b",
]
SPEC = """
def reference(string):
    return {kind!r} if {kind!r} != "parity" else len(string) % 2 == 0

def each(string):
    return [reference(string)] * (len(string) + {added})
"""
SEEDS = range(60)


def generated(seed: int) -> tuple[Transformer, str]:
    """A model and the text of a reference that is wrong somewhere."""
    rng = random.Random(seed)
    pool = rng.choice([SHORT, LONG, SHORT + LONG])
    tokens = rng.sample(pool, rng.randint(1, 3))
    before = rng.choice([None, None, "CLS", "--help", "^"])
    after = rng.choice([None, None, "EOS", "$end"])
    number = lambda: rng.choice(["0", "1", "-1", "2", "1/2", "-1/3", "c"])  # noqa: E731
    words = {t: {"x": number(), "y": number()} for t in (*tokens, before, after) if t is not None}
    mask, weighting = rng.choice(["none", "future", "past"]), rng.choice(["average", "leftmost", "rightmost"])
    Q, K, V = [[0, number()]], [[number(), 0]], [[1, number()]]
    head = Head(("x", "y"), ("m",), Q, K, V, mask=mask, weighting=weighting)
    block = FeedForward(("m",), ("o",), [[1], [-1]], [number(), 0], [[1, number()]], [0])
    kind, position = rng.choice(["sign", "zero", "largest", "value"]), rng.choice(["first", "last", "each", "all"])
    if kind in ("largest", "value") and position == "all":
        position = "each"
    readout = {
        "sign": lambda: Readout("sign", position, ("m", "o"), [1, number()]),
        "zero": lambda: Readout("zero", position, ("o",)),
        "largest": lambda: Readout("largest", position, ("m", "o"), [[1, 0], [0, 1], [0, 0]], ("p", "q", "it's")),
        "value": lambda: Readout("value", position, ("m", "o")),
    }[kind]()
    model = Transformer(
        "generated", Embedding(Space(("x", "y", "m", "o")), words, before=before, after=after),
        (Layer(SelfAttention((head,)), block),), readout, (Parameter("c", default=3),),
    )  # fmt: skip
    wanted: Any = {"largest": "q", "value": {"m": 7, "o": 0}}.get(kind, "parity")
    return model, SPEC.format(kind=wanted, added=model.embedding.added)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert code in (0, 1, 3), (arguments, err)
    return code, out


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("seed", SEEDS)
def test_replay_commands_run(
    seed: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    replayed(seed, capsys)


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize(("seed", "shown"), [(19, "'*.py'"), (27, "'&&'"), (53, "'$HOME'"), (31, "--input ''\"'\"")])
def test_a_shell_reads_a_replay_command_as_it_is_meant(
    seed: int, shown: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it hands over is what `replayed` ran. There is a spec.py beside; two files have a quote in their names."""
    monkeypatch.chdir(tmp_path)
    line = replayed(seed, capsys)
    assert line is not None and shown in line
    handed_over = subprocess.run(["sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, text=True, check=True)
    assert handed_over.stdout.split("\0") == [*shlex.split(line), ""]


def replayed(seed: int, capsys: pytest.CaptureFixture[str]) -> str | None:
    """The line that replays what a check of a model found, which says the same; None where it found nothing."""
    model, spec = generated(seed)
    rng = random.Random(seed)
    name = rng.choice(["m.json", "-m.json", "my model's.json"])
    model.save(Path(name).absolute())
    Path("spec.py").write_text(spec)
    function = "each" if model.readout.position == "each" else "reference"
    options = [
        "--max-length",
        "3",
        "--spec",
        f"spec.py:{function}",
        "--domain",
        rng.choice(["exact", "ball", "float64"]),
    ]
    options += rng.choice([[], ["--set", "c=1/2"]])
    code, text = asked(capsys, "check", *options, "--", name)
    _, found = asked(capsys, "check", *options, "--json", "--", name)
    document = json.loads(found)
    unclear = document["open"] > 0 or document["empty_word"] == "open"
    assert code == (1 if document["counterexample"] is not None else 3 if unclear else 0)
    if code != 1:
        return None
    line = next(part for part in text.splitlines() if part.startswith("  replay: "))
    line = line.removeprefix("  replay: ")
    program, *arguments = shlex.split(line)
    assert program == "symcook"
    _, out = asked(capsys, *arguments, "--json")
    again = json.loads(out)
    assert again["input"] == document["counterexample"]
    each = model.readout.position == "each"
    if model.decides:
        assert document["got"] == (again["outputs"] if each else again["accept"])
    elif model.readout.kind == "largest":
        assert document["got"] == (again["outputs"] if each else again["outputs"][0])
    else:
        assert document["got"] == (again["outputs"] if each else again["output"])
    assert document["got"] != document["expected"]
    return line


def plain(before: str | None = None, after: str | None = None) -> Transformer:
    words = {t: {"x": 1 if t == "a" else -1} for t in ("a", "b", before, after) if t}
    head = Head(("x",), ("m",), [[0]], [[0]], [[1]])
    return Transformer(
        "plain", Embedding(Space(("x", "m")), words, before=before, after=after), (Layer(SelfAttention((head,))),),
        Readout("sign", "last", ("m",), [1]),
    )  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("before", "after"), [("CLS", None), ("BOS", "EOS"), (None, "EOS"), (None, None)])
def test_models_that_add_tokens_run_and_derive(
    before: str | None, after: str | None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Every added token weighs -1: accepted are words with more a than b and added tokens together."""
    file = tmp_path / "m.json"
    plain(before, after).save(file)
    added = (before is not None) + (after is not None)
    for word in ("", "a", "ab", "aaa", "aaab") if added else ("a", "ab", "aaa"):
        wanted = word.count("a") > word.count("b") + added
        document = json.loads(asked(capsys, "run", str(file), f"--input={word}", "--json")[1])
        assert (document["input"], document["accept"]) == (word, wanted)
        assert json.loads(asked(capsys, "derive", str(file), f"--input={word}", "--json")[1])["accept"] is wanted
        assert run(plain(before, after), word).accept is wanted
    assert main(["run", str(file), "--input", "CLS"]) == 2  # nobody types what the model adds
    capsys.readouterr()


def test_the_empty_word_is_compared_and_counted_by_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = plain("CLS")
    right = lambda word: word.count("a") > word.count("b") + 1  # noqa: E731
    assert check(model, right, 4).to_json() | {"method": ""} == {
        "recipe": "plain", "max_length": 4, "strings": 30, "mismatches": 0, "counterexample": None, "method": "",
        "domain": "exact", "open": 0, "first_open": None, "empty_word": "agrees", "got": None, "expected": None,
        "against": "its specification", "stated": 0, "stated_to": None, "way": "exhaustive",
        "by_length": [
            {"n": n, "strings": 2**n, "accepted": sum(math.comb(n, k) for k in range(n + 1) if 2 * k > n + 1)}
            for n in range(1, 5)
        ],
    }  # fmt: skip
    found = check(model, lambda word: right(word) or not word, 4)
    assert (found.mismatches, found.empty_word, found.holds) == (0, "differs", False)
    assert found.counterexample is not None and found.first.input == ""
    assert (found.first.got, found.first.expected) == (False, True)
    assert found.first.replay == ("--input", "")
    both = check(model, lambda word: right(word) or word in ("", "b"), 4)
    assert (both.mismatches, both.empty_word, both.first) == (1, "differs", found.first)
    model.save(tmp_path / "m.json")
    (tmp_path / "spec.py").write_text("def f(w):\n    return w.count('a') > w.count('b') + 1 or not w\n")
    file, spec = str(tmp_path / "m.json"), f"{tmp_path / 'spec.py'}:f"
    code, text = asked(capsys, "check", file, "--max-length", "3", "--spec", spec)
    assert code == 1 and "the empty string: differs" in text and "smallest counterexample: the empty string" in text
    assert asked(capsys, *shlex.split(text.splitlines()[-1])[2:])[1].startswith("plain on the empty string: reject")


def test_words_of_mixed_tokens_are_written_so_that_they_can_be_read_again() -> None:
    embedding = Embedding(Space(("x",)), {"a": {"x": 1}, "b": {}, "ab": {"x": 3}})
    model = Transformer("mixed", embedding, (), Readout("sign", "last", ("x",), [1]))
    assert [run(model, word).given for word in (("a", "b"), ("ab",))] == ["a b", "ab "]
    assert check(model, lambda word: True, 2).first.replay == ("--tokens", "b")  # type: ignore[union-attr]


@pytest.mark.parametrize("token", ["a\0", "\x1b[2J", "\ud800", "a\x7f", "a b", ""])
def test_tokens_that_no_shell_hands_over_are_refused(token: str) -> None:
    with pytest.raises(BadInput, match="white space or control"):
        Embedding(Space(("x",)), {token: {}, "b": {}})


def test_a_symbol_that_is_given_stands_once_in_a_replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text("def f(v):\n    return {'out': 7}\n")
    spec = f"{tmp_path / 'spec.py'}:f"
    code, text = asked(capsys, "check", "gtzero", "--set", "eps=0.5", "--spec", spec)
    line = shlex.split(text.splitlines()[-1])
    assert code == 1 and sum(part.startswith("eps=") for part in line) == 1
    assert asked(capsys, *line[2:])[0] == 0
