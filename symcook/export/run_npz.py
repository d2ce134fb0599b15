"""Run exported weights with numpy alone: ``python run_npz.py m.npz "(())"``, rows of numbers as ``"1,2; 3,4"``.

The same file is symcook/export/run_npz.py, so that ``python -m symcook.export.run_npz m.npz "(())"`` runs it too; it
needs nothing of symcook.
"""

import hashlib
import json
import math
import re
import sys
import zipfile
from pathlib import Path


def check(path):
    """A warning, or None; an end with a message where a byte of the archive or of its certificate has changed."""
    certificate = Path(path).with_suffix(".certificate.json")
    data = Path(path).read_bytes()
    if not certificate.exists():
        return f"no certificate beside {path}: nothing says that its weights are as they were written"
    text = certificate.read_bytes()
    own = re.search(rb'"certificate_sha256": "([0-9a-f]{64})"\n}\n\Z', text)
    if not own or hashlib.sha256(text[: own.start(1)] + b"0" * 64 + text[own.end(1) :]).hexdigest() != own[1].decode():
        sys.exit(f"{certificate} has been changed since it was written")
    if hashlib.sha256(data).hexdigest() != json.loads(text)["weights_sha256"]:
        sys.exit(f"{path} has been changed, or is not the file that {certificate} speaks of")
    return None


def main(path, given):
    """Print what the model says about one input, as ``symcook run --domain float64`` does."""
    import numpy as np

    try:
        warning = check(path)
        m = np.load(path)
        names, vocabulary = list(m["coordinates"]), list(m["vocabulary"])
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile) as error:
        sys.exit(f"{path} is no archive of an export: {error}")
    if warning:
        print(warning, file=sys.stderr)

    def one_of(kinds, name):
        """kinds[name], or an end with a message."""
        return kinds[str(name)] if str(name) in kinds else sys.exit(f"unknown name in the archive: {name}")

    def at_length(table, axes):
        return table[:n] if table.ndim == axes else table[n - 1, :n]  # with more axes: a part for each length

    def norm(key, z):
        x = z @ m[key + "P"].T if key + "P" in m else z
        x = x - x.mean(axis=1, keepdims=True)
        total = (x * x).mean(axis=1, keepdims=True) + m[key + "epsilon"]
        if (total == 0).any() and one_of({"refuse": True, "zero": False}, m[key + "zero_variance"]):
            must = "a layer norm with epsilon = 0 must meet a variance above zero"
            sys.exit(f"{must}; given: zero at index {(total == 0).argmax()}; set an epsilon above 0.")
        return x / np.sqrt(np.where(total == 0, 1, total)) * m[key + "gain"] + m[key + "bias"]

    def attend(head, x):
        i, j = np.arange(len(x))[:, None], np.arange(len(x))[None, :]
        masks = {"none": i == i, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}
        seen = one_of(masks, m[head + "mask"]) & (j == j)
        s = (x @ m[head + "Q"].T) @ (x @ m[head + "K"].T).T
        factor = at_length(m[head + "factor"], 1)[:, None] if head + "factor" in m else np.ones((1, 1))
        if (factor < 0).any() or np.isinf(factor).any():  # 0 is an infinite temperature
            sys.exit(f"a temperature must be positive; given: at length {n} it is not.")
        s = s * factor if head + "factor" in m else s
        top = np.where(seen, s, -np.inf).max(axis=1, keepdims=True)
        best = (s == top) & seen
        kinds = {"average": best, "leftmost": best & (best.cumsum(axis=1) == 1)}
        kinds["rightmost"] = best & (best[:, ::-1].cumsum(axis=1)[:, ::-1] == 1)
        kinds["softmax"] = np.where(seen, np.exp(np.minimum(np.where(seen, s - top, 0), 0)), 0)
        a = one_of(kinds, m[head + "weighting"]).astype(x.dtype)
        return (
            a @ (x @ m[head + "V"].T) / np.maximum(a.sum(axis=1, keepdims=True), 1e-30)
        )  # a row that sees nothing is 0

    def activate(kind, x):
        kinds = {
            "relu": lambda: np.maximum(x, 0),
            "step": lambda: (x > 0).astype(x.dtype),
            "gelu": lambda: x * 0.5 * np.vectorize(math.erfc, otypes=[float])(-x / math.sqrt(2)),
            "gelu-tanh": lambda: x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
            "gelu-sigmoid": lambda: x / (1 + np.exp(-1.702 * x)),
        }
        return one_of(kinds, kind)()

    if vocabulary:
        typed = [t for t in vocabulary if t not in (str(m["before"]), str(m["after"]))]
        tokens = list(given) if max(map(len, typed)) == 1 else given.split()
        foreign = [t for t in tokens if t not in typed]
        if foreign:
            sys.exit(f"every symbol must be one of {' '.join(typed)}: {foreign[0]}")
        tokens = [t for t in [str(m["before"]), *tokens, str(m["after"])] if t]
        if not tokens:
            sys.exit("an input must have at least one symbol")
        z = m["embedding"][[vocabulary.index(t) for t in tokens]]
    else:
        try:
            rows = np.array([[float(v) for v in row.split(",")] for row in given.split(";")])
        except ValueError:
            sys.exit(f"every row must have the same number of numbers: {given}")
        if rows.shape[1] != len(m["inputs"]):
            sys.exit(f"every row must have {len(m['inputs'])} numbers: {', '.join(m['inputs'])}")
        z = np.zeros((len(rows), len(names)), dtype=str(m["dtype"]))
        z[:, [names.index(c) for c in m["inputs"]]] = rows
    n = len(z)
    longest = min((len(m[key]) for key in m if key == "positions" or key.endswith(".factor")), default=n)
    if n > longest:
        sys.exit(f"an input must have length at most {longest}: the archive has tables to there")
    z = z + at_length(m["positions"], 2) if "positions" in m else z
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        norms = [norm(key, z) for key in (f"{step}before{k}." for k in range(1, 1000)) if key + "gain" in m]
        x = np.concatenate(norms, axis=1) if norms else z
        if step + "head1.V" in m:
            z = z + sum(attend(f"{step}head{h}.", x) for h in range(1, 1000) if f"{step}head{h}.V" in m)
        if step + "W1" in m:
            z = z + activate(m[step + "activation"], x @ m[step + "W1"].T + m[step + "b1"]) @ m[step + "W2"].T
            z = z + m[step + "b2"]
        z = norm(step + "after.", z) if step + "after.gain" in m else z
    reads, kind, position = [names.index(c) for c in m["readout.reads"]], str(m["readout.kind"]), m["readout.position"]
    shown = one_of({"first": z[:1], "last": z[-1:], "each": z, "all": z}, position)
    if kind in ("largest", "distribution"):
        scores = shown @ m["readout.weights"].T
        if kind == "largest":
            print(", ".join(m["readout.labels"][scores.argmax(axis=1)]))
        else:
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores = scores / scores.sum(axis=1, keepdims=True)
        for label, column in zip(m["readout.labels"], scores.T, strict=True):
            print(f"  {label}", *column.tolist())
        return
    if kind in ("sign", "zero"):
        yes = shown @ m["readout.weights"] > 0 if kind == "sign" else (shown[:, reads] == 0).all(axis=1)
        print(", ".join("accept" if y else "reject" for y in ([yes.all()] if position == "all" else yes)))
    elif kind != "value":
        sys.exit(f"unknown name in the archive: {kind}")
    for c in reads:
        print(f"  {names[c]}", *shown[:, c].tolist())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("give the archive and one input: run_npz.py m.npz WORD")
    main(*sys.argv[1:])
