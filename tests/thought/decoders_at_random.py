"""Automata and Turing machines at random, each from its own file through compile, run, export and report.

    PYTHONPATH=tests python tests/thought/decoders_at_random.py automata 200
    PYTHONPATH=tests python tests/thought/decoders_at_random.py machines 200

A third argument is the first seed. Names are drawn from a pool in which states and letters may be alike; machines may
halt at once, write blanks between symbols, and have no letter. Each prints what was met, and whatever was wrong.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from machines_at_random import drawn

from symcook.__main__ import main
from symcook.programs.turing import written
from symcook.spec.turing import execute

NAMES = ("a", "b", "0", "1", "$", "yes", "no", "end", "q0", "ab", "ß", "a'", "(", "q1(start)")
LIMIT = 24


def call(*given: object) -> tuple[int, str, str]:
    """A command's exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(map(str, given)))
    return code, out.getvalue(), err.getvalue()


def automaton(seed: int) -> dict[str, Any]:
    """A complete automaton: 1 to 5 states, 1 to 3 letters, one letter in a third of them."""
    draw = random.Random(seed)
    states = draw.sample(NAMES, draw.randint(1, 5))
    letters = draw.sample(NAMES, 1 if seed % 3 == 0 else draw.randint(2, 3))
    table = {state: {letter: draw.choice(states) for letter in letters} for state in states}
    final = [state for state in states if draw.random() < 0.5]
    return {"states": states, "input_symbols": letters, "transitions": table, "initial_state": draw.choice(states),
            "final_states": final}  # fmt: skip


def walked(given: dict[str, Any], word: list[str]) -> list[str]:
    states = [given["initial_state"]]
    for letter in word:
        states.append(given["transitions"][states[-1]][letter])
    return [*states, "yes" if states[-1] in given["final_states"] else "no"]


def streamed(model: Path, word: list[str], steps: int, letters: list[str]) -> tuple[int, list[Any]]:
    typed = "".join(word) if all(len(letter) == 1 for letter in letters) else " ".join(word)
    code, out, _ = call("run", model, f"--input={typed}", "--steps", steps, "--json")
    return code, [json.loads(line) for line in out.splitlines()]


def tried(kind: str, seed: int, folder: Path, met: Counter[str]) -> list[str]:
    """What is wrong of one program."""
    draw, wrong = random.Random(-seed - 1), list[str]()
    source, model, weights = folder / f"{kind}.txt", folder / "m.json", folder / "m.npz"
    given: Any = automaton(seed) if kind == "automata" else drawn(seed, small=True)
    if kind == "automata":
        source.write_text(json.dumps(given))
        letters, words = given["input_symbols"], [[]]
    else:
        source.write_text(written(given))
        letters, words = list(given.input), [[]]
    words += [[draw.choice(letters) for _ in range(draw.randint(1, 4))] for _ in range(2)]
    code, _, err = call("compile", "dfa" if kind == "automata" else "tm", source, "-o", model, "--force")
    if code:
        return [f"compile: {code} {err}"]
    for word in words:
        if kind == "automata":
            wanted: list[Any] = walked(given, word)
            ended, output = True, wanted[-1]
        else:
            book = execute(given, tuple(word), LIMIT)
            wanted, ended, output = list(book.documents), book.ended, book.output
            met["halted at once"] += given.start in given.halt
            left = sum(symbol != "_" for symbol in book.tapes[-1].values())
            met["symbols after a blank that ends the output"] += ended and left > len(book.output)
        code, lines = streamed(model, word, LIMIT, letters)
        found = [line["token"] for line in lines[:-1]] if kind == "automata" else lines[:-1]
        if found != wanted or code != (0 if ended else 3) or (output is not None and lines[-1]["output"] != output):
            wrong.append(f"run {word}: {code} {found} instead of {wanted}")
        met["runs"] += 1
        met["tokens"] += len(found)
        met["empty words"] += not word
    if kind == "machines" and seed % 4:  # an export of a machine takes seconds
        return wrong + paged(model, words[1], letters, folder)
    wide = draw.choice(("float64", "float32", "float16"))
    code, out, err = call("export", model, "-o", weights, "--dtype", wide, "--max-length", 1, "--force", "--json",
                          *(["--steps", LIMIT] if wide == "float64" else []))  # fmt: skip
    if code == 2 and wide == "float64" and "which any runtime gets right" in json.loads(out)["error"]["must"]:
        met["refused steps in float64"] += 1
    elif code:
        wrong.append(f"export: {code} {out} {err}")
    else:
        promised = json.loads(out)["decoding"]
        met[f"exports in {wide}"] += 1
        for each in promised["lengths"]:
            if each["first_wrong"] is not None:
                met[f"errs in {wide}"] += 1
                if each["first_wrong"] <= each["steps"]:
                    wrong.append(f"export promises {each}")
        if seed % 10 == 0:
            word = words[0]
            steps = min(promised["lengths"][0]["steps"], LIMIT)
            start = [sys.executable, "-m", "symcook.export.run_npz", str(weights), "", "--steps", str(steps)]
            done = subprocess.run(start, capture_output=True, text=True, check=False)
            shown = [line.split(None, 1)[1] for line in done.stdout.splitlines()]
            if kind == "automata" and shown != walked(given, [])[:steps]:
                wrong.append(f"script: {shown} {done.stderr}")
            if done.returncode not in (0, 3) or "Traceback" in done.stderr:
                wrong.append(f"script: {done.returncode} {done.stderr}")
            met["scripts"] += 1
    return wrong + paged(model, words[1], letters, folder)


def paged(model: Path, word: list[str], letters: list[str], folder: Path) -> list[str]:
    """What is wrong of the page of a model."""
    typed, page = "".join(word) if all(len(letter) == 1 for letter in letters) else " ".join(word), folder / "m.html"
    code, out, err = call("report", model, f"--input={typed}", "-o", page, "--force")
    whole = not code and page.read_text(encoding="utf-8").startswith("<!")
    return [] if whole else [f"report: {code} {out} {err}"]


def tried_all(kind: str, count: int, first: int = 0) -> None:
    start, met, bad = time.process_time(), Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            for what in tried(kind, seed, Path(folder), met):
                bad += 1
                print(f"seed {seed}: {what}", flush=True)
    print(f"{kind}: {count}, {', '.join(f'{many} {what}' for what, many in met.items())}; {bad} wrong")
    print(f"processor time {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    tried_all(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:]))
