"""Speed as ratios: both sides of each line run interleaved in this one process, so that the machine cancels out.

    python benchmarks/run.py [OUT.json]

Prints a table and writes it as JSON to OUT.json. Every line is the best of a few runs of each side; a side that gives
another answer than its partner stops the run. Nothing here is a test with a time limit.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LENGTH = 16
DERIVED = 32


def best(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[float, float, Any, Any]:
    """Least seconds of both, run in turn, and their last results."""
    times: list[list[float]] = [[], []]
    results: list[Any] = [None, None]
    for _ in range(repeats):
        for side, run in enumerate((first, second)):
            start = time.perf_counter()
            results[side] = run()
            times[side].append(time.perf_counter() - start)
    return min(times[0]), min(times[1]), *results


def exact_sweep() -> list[Any]:
    """Verdicts of dyck-1 on all words of each length 1..LENGTH, by exact batches."""
    from symcook.domains.batch import Batch, Words
    from symcook.forward import forward
    from symcook.recipes import build

    model = build("dyck-1")
    verdicts = []
    for n in range(1, LENGTH + 1):
        domain = Batch()
        verdicts.append(domain.full(forward(model, Words(model.alphabet, n), domain).accept))
    return verdicts


def tokens(n: int) -> Any:
    """All words of length n as a (2^n, n) array of +1 and -1, the first position most significant."""
    import numpy as np

    codes = np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1)[None, :]
    return 1.0 - 2.0 * (codes & 1)


def dense_floats() -> list[Any]:
    """The same with the batch that a user writes: float64 (batch, n, d), masked softmax, matrix products."""
    import numpy as np

    value = [np.zeros((4, 4)), np.zeros((4, 4))]
    value[0][1, 0] = value[1][3, 2] = 1.0
    query = key = np.zeros((1, 4))
    into, out = np.array([[0.0, -1.0, 0.0, 0.0]]), np.array([[0.0], [0.0], [1.0], [0.0]])
    verdicts = []
    for n in range(1, LENGTH + 1):
        hidden = np.where(np.tril(np.ones((n, n))) > 0, 0.0, -np.inf)
        parts = []
        for x in np.array_split(tokens(n), max(1, 2**n // 4096)):
            z = np.zeros((len(x), n, 4))
            z[:, :, 0] = x
            for layer in range(2):
                scores = (z @ query.T) @ np.swapaxes(z @ key.T, 1, 2) + hidden
                weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
                weights /= weights.sum(axis=-1, keepdims=True)
                z = z + weights @ (z @ value[layer].T)
                if layer == 0:
                    z = z + np.maximum(z @ into.T, 0.0) @ out.T
            parts.append((np.abs(z[:, -1, 3]) < 1e-9) & (np.abs(z[:, -1, 1]) < 1e-9))
        verdicts.append(np.concatenate(parts))
    return verdicts


def lean_floats() -> list[Any]:
    """The same operations as the exact batch in float64: live coordinates only, running sums, no shared prefixes."""
    import numpy as np

    verdicts = []
    for n in range(1, LENGTH + 1):
        index = np.arange(1, n + 1)
        balance = np.cumsum(tokens(n), axis=1) / index
        total = np.cumsum(np.maximum(-balance, 0.0), axis=1) / index
        verdicts.append((np.abs(total[:, -1]) < 1e-9) & (np.abs(balance[:, -1]) < 1e-9))
    return verdicts


def same(first: list[Any], second: list[Any]) -> None:
    if any((a != b).any() for a, b in zip(first, second, strict=True)):
        raise SystemExit("the two sides disagree: no ratio of them means anything")


def sweeps() -> list[dict[str, Any]]:
    from symcook.verify.sweep import check_recipe

    what = f"dyck-1, all words to length {LENGTH}"
    ours, theirs, first, second = best(exact_sweep, dense_floats, 3)
    same(first, second)
    lines = [line(f"{what}: exact batch against the float64 batch that a user writes", ours, theirs)]
    ours, theirs, first, second = best(exact_sweep, lean_floats, 5)
    same(first, second)
    lines.append(line(f"{what}: exact batch against running sums in float64", ours, theirs))
    whole, theirs, found, _ = best(lambda: check_recipe("dyck-1", LENGTH), dense_floats, 2)
    if not found.holds:
        raise SystemExit("dyck-1 differs from its reference")
    lines.append(line(f"{what}: check with its reference against the float64 batch without one", whole, theirs))
    return lines


def starts() -> list[dict[str, Any]]:
    def call(*arguments: str) -> Callable[[], int]:
        return lambda: (
            subprocess.run(
                [sys.executable, *arguments], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ).returncode
        )

    lines = []
    for command in ("--help", "list"):
        what = f"symcook {command} against python -c pass (at most 5 wanted)"
        if call("-m", "symcook", command)() != 0:
            lines.append({"what": what, "skipped": f"symcook {command} does not run here"})
            continue
        ours, floor, _, _ = best(call("-m", "symcook", command), call("-c", "pass"), 7)
        lines.append(line(what, ours, floor, inverse=True))
    return lines


def plain_sympy() -> Any:
    """The nonuniform Dyck-1 recogniser on one word with sympy matrices and symbolic eps, written straight down."""
    import sympy as sp

    eps = sp.Symbol("eps", positive=True)
    word = "()" * (DERIVED // 2)
    n = len(word)
    names = ("token", "balance", "error", "total", "unviolated", "level", "accepted")
    stream = sp.zeros(n, 7)
    for i, letter in enumerate(word):
        stream[i, 0] = 1 if letter == "(" else -1
    average = sp.Matrix(n, n, lambda i, j: sp.Rational(1, i + 1) if j <= i else 0)

    def attend(z: Any, source: str, target: str) -> Any:
        value = sp.zeros(7, 7)
        value[names.index(source), names.index(target)] = 1
        return z + average * z * value

    def feed(z: Any, reads: list[Any], into: Any, bias: Any, out: Any, writes: list[str]) -> Any:
        hidden = z.extract(list(range(n)), [names.index(r) for r in reads]) * into.T
        hidden = sp.Matrix(n, hidden.shape[1], lambda i, h: sp.Max(0, hidden[i, h] + bias[h]))
        added = hidden * out.T
        result = z.as_mutable()
        for column, name in enumerate(writes):
            for i in range(n):
                result[i, names.index(name)] += added[i, column]
        return result

    stream = attend(stream, "token", "balance")
    stream = feed(stream, ["balance"], sp.Matrix([[-1]]), [0], sp.Matrix([[1]]), ["error"])
    stream = attend(stream, "error", "total")
    into = sp.Matrix([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    out = sp.Matrix([[1, -2, 1, 0, 0, 0], [0, 0, 0, 1, -2, 1]]) / eps
    stream = feed(stream, ["total", "balance"], into, [eps, 0, -eps] * 2, out, ["unviolated", "level"])
    both = sp.Matrix([[1, 0], [-1, 0], [1, -1]])
    stream = feed(stream, ["unviolated", "level"], both, [0, 0, 0], sp.Matrix([[1, -1, -1]]), ["accepted"])
    return stream[n - 1, 6]


def derivations() -> list[dict[str, Any]]:
    what = f"derive dyck-1-nonuniform, n = {DERIVED}, symbolic eps, against sympy matrices"
    try:
        from symcook.derive import derive
    except ImportError as error:
        return [{"what": what, "skipped": str(error)}]
    from symcook.recipes import build

    model = build("dyck-1-nonuniform", N=DERIVED)
    derive(model, "()")  # imports
    word = "()" * (DERIVED // 2)
    ours, theirs, found, plain = best(lambda: derive(model, word), plain_sympy, 3)
    if found.accept is not True:
        raise SystemExit("the derivation does not accept a member of the language")
    return [line(what, ours, theirs) | {"ours_decided": True, "theirs_decided": plain.is_positive is True}]


def line(what: str, ours: float, theirs: float, inverse: bool = False) -> dict[str, Any]:
    """One row: the ratio is theirs/ours (how many times faster), or with `inverse` ours/theirs (how much longer)."""
    ratio = ours / theirs if inverse else theirs / ours
    return {
        "what": what,
        "seconds": ours,
        "other": theirs,
        "ratio": ratio,
        "ratio_is": "longer" if inverse else "faster",
    }


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: python benchmarks/run.py [OUT.json]", file=sys.stderr)
        return 2
    lines = []
    for part in (starts, sweeps, derivations):
        for row in part():
            lines.append(row)
            if "skipped" in row:
                print(f"    skipped  {row['what']}: {row['skipped']}", flush=True)
            else:
                shown = f"{row['ratio']:8.2f}x {row['ratio_is']}"
                print(f"{shown}  {row['what']} ({row['seconds']:.4f} s, {row['other']:.4f} s)", flush=True)
    if arguments:
        document = {"python": platform.python_version(), "processor": platform.machine(), "rows": lines}
        Path(arguments[0]).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
