"""Run exported weights with numpy alone: ``python run_npz.py m.npz "(())"``, rows of numbers as ``"1,2; 3,4"``."""

import sys

import numpy as np

m = np.load(sys.argv[1])
names, vocabulary = list(m["coordinates"]), list(m["vocabulary"])
if vocabulary:
    tokens = list(sys.argv[2]) if max(map(len, vocabulary)) == 1 else sys.argv[2].split()
    z = m["embedding"][[vocabulary.index(t) for t in tokens]]
else:
    rows = np.array([[float(v) for v in row.split(",")] for row in sys.argv[2].split(";")])
    z = np.zeros((len(rows), len(names)), dtype=str(m["dtype"]))
    z[:, [names.index(c) for c in m["inputs"]]] = rows
n = len(z)
z = z + m["positions"][n - 1, :n] if "positions" in m else z
for layer in (f"layer{k}." for k in range(1, int(m["layers"]) + 1)):
    if layer + "V" in m:
        seen = np.tri(n, dtype=bool) if m[layer + "mask"] == "future" else np.ones((n, n), dtype=bool)
        s = (z @ m[layer + "Q"].T) @ (z @ m[layer + "K"].T).T
        s = s * m[layer + "factor"][n - 1, :n, None] if layer + "factor" in m else s
        top = np.where(seen, s, -np.inf).max(axis=1, keepdims=True)
        a = np.exp(np.minimum(s - top, 0)) * seen if m[layer + "weighting"] == "softmax" else (s == top) & seen
        z = z + a.astype(z.dtype) @ (z @ m[layer + "V"].T) / a.sum(axis=1, keepdims=True)
    if layer + "W1" in m:
        z = z + np.maximum(z @ m[layer + "W1"].T + m[layer + "b1"], 0) @ m[layer + "W2"].T + m[layer + "b2"]
reads, kind, position = [names.index(c) for c in m["readout.reads"]], m["readout.kind"], m["readout.position"]
shown = {"first": z[:1], "last": z[-1:], "each": z, "all": z}[str(position)]
if kind != "value":
    yes = shown @ m["readout.weights"] > 0 if kind == "sign" else (shown[:, reads] == 0).all(axis=1)
    print(", ".join("accept" if y else "reject" for y in ([yes.all()] if position == "all" else yes)))
for c in reads:
    print(f"  {names[c]}", *shown[:, c].tolist())
