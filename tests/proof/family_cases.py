"""Families for the tests: those that ship, and small ones that have what those do not: norms, softmax, heads by index,
added tokens, positions from 0, repetitions after one another, tables of two arguments. Each with sizes, tables and
inputs at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symcook.model.family import Family, load
from symcook.proof.files import proofs_directory

FAMILIES = proofs_directory() / "families"
SHIPPED = tuple(sorted(path.stem for path in FAMILIES.glob("*.json")))
UNSTORED = {"turing-no-start"}
"""Families without a stored instance: the smallest has so many values that a statement of its `run` nests too deep.
Their bridge is that of an instance as a user makes it, of which the norms are functions of a number."""
Case = tuple[dict[str, Any], Callable[[], Any]]
"""Values of sizes and tables, and what makes an input."""


def document(name: str, **parts: Any) -> dict[str, Any]:
    usual = {"symcook family": 1, "name": name, "sizes": {"S": "0 <= S"}, "tables": {}}
    return {**usual, **parts}


def numbers(*inputs: str, positions: dict[str, str] | None = None) -> dict[str, Any]:
    return {"vocabulary": None, "inputs": list(inputs), "words": None, "positions": positions or {}}


OWN: dict[str, dict[str, Any]] = {
    "soft": document(
        "soft",
        space=["x", "all c in 1..S. p(c)", "y", "one"],
        embedding=numbers("x", positions={"all c in 1..S. p(c)": "I[i = c]", "one": "1"}),
        layers=[{"attention": [{
            "score": "sum(c, 1, S, p(c)*p(c)) + one*(2*one)", "mask": "future", "weighting": "softmax",
            "temperature": "1/(n + S)", "scale": "1/2", "writes": {"y": "x"},
        }]}],
        readout={"kind": "value", "position": "each", "reads": ["y"]},
    ),
    "before": document(
        "before", sizes={"S": "1 <= S"},
        space=["x", "all c in 1..S. p(c)", "y"],
        embedding=numbers("x", positions={"all c in 1..S. p(c)": "I[i = c] + c"}),
        layers=[{
            "placement": "multi pre",
            "attention": [{"score": "u(1)*v", "mask": "none", "weighting": "average", "writes": {"y": "v"}}],
            "attention_norms": [
                {"writes": {"all c in 1..S. u(c)": "p(c) + x"}, "epsilon": "1/4", "zero_variance": "refuse"},
                {"writes": {"v": "x", "v2": "2*x - p(1)"}, "epsilon": "1", "zero_variance": "zero", "gain": "2"}]}],
        readout={"kind": "value", "position": "last", "reads": ["y"]},
    ),
    "behind": document(
        "behind", sizes={"S": "1 <= S"},
        space=["x", "all c in 1..S. p(c)"],
        embedding=numbers("x", positions={"all c in 1..S. p(c)": "I[i = c] + c"}),
        layers=[{"placement": "post", "feedforward": {"all c in 1..S. p(c)": "relu(p(c)) - 2*relu(x - p(c))"},
                 "feedforward_norms": [{"epsilon": "1/9", "zero_variance": "zero", "bias": "1/2"}]}],
        readout={"kind": "value", "position": "last", "reads": ["all c in 1..S. p(c)"]},
    ),
    "heads": document(
        "heads", sizes={"H": "0 <= H"},
        tables={"all h in 1..H. slope(h)": {"values": "Real"}},
        space=["x", "one", "y", "all h in 1..H. z(h)"],
        embedding=numbers("x", positions={"one": "1"}),
        layers=[
            {"attention": [{"for": "h in 1..H", "score": "one*(slope(h)*x)", "mask": "past", "weighting": "average",
                            "writes": {"y": "h*x"}},
                           {"score": "0", "mask": "strict-past", "weighting": "leftmost", "writes": {"y": "x"}}]},
            {"attention": [{"score": "one*(slope(h)*x)", "mask": "none", "weighting": "rightmost",
                            "writes": {"all h in 1..H. z(h)": "x + y"}}]},
        ],
        readout={"kind": "value", "position": "each", "reads": ["y", "all h in 1..H. z(h)"]},
    ),
    "ends": document(
        "ends", sizes={"S": "1 <= S"},
        space=["all c in 1..S. a(c)", "mark", "seen", "total"],
        embedding={"vocabulary": "S + 2", "inputs": None, "start": 0, "before": "S", "after": "S + 1",
                   "words": {"all c in 1..S. a(c)": "I[w = c - 1]", "mark": "I[w = S]"},
                   "positions": {"seen": "1/(i + 1)"}},
        layers=[{"attention": [{"score": "0", "mask": "future", "weighting": "average",
                                "writes": {"total": "sum(c, 1, S, c*a(c)) - mark"}}],
                 "feedforward": {"total": "relu(total) - relu(-seen) - 1/3"}}],
        readout={"kind": "sign", "position": "last", "score": "2*total - seen"},
    ),
    "rounds": document(
        "rounds", sizes={"D": "1 <= D", "E": "0 <= E"},
        space=["x", "y", "z"],
        embedding=numbers("x"),
        layers=[
            {"feedforward": {"z": "relu(x)"}},
            {"for": "t in 1..D", "layers": [
                {"attention": [{"score": "x*z", "mask": "strict-future", "weighting": "average",
                                "writes": {"y": "x", "z": "t*x"}}], "feedforward": {"y": "relu(y - z)"}}]},
            {"for": "r in 1..E", "layers": [{"feedforward": {"y": "relu(r*y) - relu(z + 1/2)"}}]},
            {"feedforward": {"z": "relu(y)"}},
        ],
        readout={"kind": "value", "position": "each", "reads": ["y", "z"]},
    ),
    "table": document(
        "table", sizes={"Q": "1 <= Q", "S": "1 <= S"},
        tables={"all q in 1..Q. all a in 1..S. delta(q, a)": {
            "values": "Int", "where": ["all q in 1..Q. all a in 1..S. 1 <= delta(q, a) & delta(q, a) <= Q"]}},
        space=["all a in 1..S. is(a)", "all q in 1..Q. state(q)", "all q in 1..Q. next(q)"],
        embedding={"vocabulary": "S", "inputs": None, "words": {"all a in 1..S. is(a)": "I[w = a - 1]"},
                   "positions": {"all q in 1..Q. state(q)": "I[q = 1]"}},
        layers=[{"feedforward": {
            "all q in 1..Q. next(q)":
                "sum(p, 1, Q, sum(a, 1, S, I[delta(p, a) = q]*relu(state(p) + is(a) - 1)))"}}],
        readout={"kind": "largest", "position": "each", "scores": "all q in 1..Q. next(q)"},
    ),
}  # fmt: skip
NAMES = (*SHIPPED, *OWN)
OPERATORS = {"since": range(5), "since-until": range(6), "temporal": range(8), "temporal-past": (0, 1, 2, 3, 4, 6)}
"""The operators of a family of formulas."""
COUNTING = {
    "counting": (0, 1, 2, 3, 8, 9, 10, 11),
    "counting-past": (0, 1, 2, 3, 8, 9, 11),
    "logic": range(12),
    "logic-past": (0, 1, 2, 3, 4, 6, 8, 9, 11),
}
"""Those of a family of formulas that count."""


def family(name: str, choices: dict[str, str] | None = None) -> Family:
    return Family(OWN[name], choices) if name in OWN else load(FAMILIES / f"{name}.json", choices)


def chosen(name: str, rng: random.Random) -> dict[str, str]:
    return {key: rng.choice(many) for key, many in family(name).choices.items()}


def case(name: str, rng: random.Random) -> Case:
    """Values and inputs at random."""

    def number(most: int = 6) -> Fraction:
        return Fraction(rng.randint(-most, most), rng.choice([1, 1, 2, 3]))

    def rows(*inputs: str, length: int = 0) -> Callable[[], Any]:
        def made() -> Any:
            n = length or rng.randint(1, 4)
            return [{one: number() for one in inputs} for _ in range(n)]

        return made

    def word(letters: int) -> Callable[[], Any]:
        return lambda: [str(rng.randrange(letters)) for _ in range(rng.randint(1, 5))]

    if name == "dyck-k-d":
        values: dict[str, Any] = {"K": rng.randint(1, 3), "D": rng.randint(1, 3)}

        def brackets() -> list[str]:
            """A word of brackets, mostly nested, mostly not too deep."""
            stack, out = [], []
            while len(out) < 6 and (not out or stack or rng.random() < 0.5):
                if stack and rng.random() < 0.6:
                    out.append(stack.pop() + 1)
                else:
                    stack.append(2 * rng.randrange(values["K"]))
                    out.append(stack[-1])
            out += [one + 1 for one in reversed(stack)]
            if rng.random() < 0.3:
                out[rng.randrange(len(out))] = rng.randrange(2 * values["K"])
            return [str(one) for one in out]

        return values, brackets
    if name == "count" or name.startswith("induction-"):
        values = {"S": rng.randint(1, 3)}
        if name == "induction-by-term":
            values |= {"term": rng.choice([0, 1]), "beta": rng.choice(["1/2", 1, 7])}
        return values, word(values["S"])
    if name.startswith("lookup-"):
        most = rng.randint(1, 5)

        def asked() -> Any:
            n = rng.randint(1, most)
            return [{"query": rng.choice([Fraction(rng.randint(1, n)), number()]), "value": number()} for _ in range(n)]

        if name == "lookup-quadratic":
            return {"gamma": rng.choice(["1/2", 1, 3])}, asked
        if name == "lookup-almost-orthogonal":  # orthogonal ones of any lengths
            codes = [[(a == p) * rng.choice([-1, 1]) for p in range(most)] for a in range(most)]
            return {"N": most, "m": most, "c": rng.choice([1, 2]), "eps": "1/3", "X": codes}, asked
        return {"N": most}, asked
    if name in ("boolean", "boolean-signs"):
        m = rng.randint(1, 3)
        table = rng.sample([tuple(b >> c & 1 for c in range(m)) for b in range(2**m)], rng.randint(0, 2**m))
        values = {"m": m, "M": len(table), "xi": table, "phi": [rng.randint(0, 1) for _ in table]}
        return values, lambda: {f"p{c}": rng.choice([Fraction(0), Fraction(1), number()]) for c in range(1, m + 1)}
    if name in ("identity", "copies", "network"):
        d, h, e = rng.randint(1, 3), rng.randint(0, 3), rng.randint(1, 2)
        sizes = {"identity": {"d": d}, "copies": {"d": d, "h": h}, "network": {"d": d, "h": h, "e": e}}[name]
        tables = {key: h for key in "WbV"} if name == "copies" else {"W": h * d, "b": h, "V": e * h, "c": e}
        filled = {} if name == "identity" else {key: [number() for _ in range(many)] for key, many in tables.items()}
        x = "z" if name == "network" else "x"
        return sizes | filled, lambda: {f"{x}{c}": number() for c in range(1, d + 1)}
    if name == "relu-network":
        deep, m = rng.randint(1, 3), rng.randint(1, 3)
        tables = {"A": m, "W": (deep - 1) * m * m, "b": deep * m, "V": m, "c": 1}
        filled = {key: [number() for _ in range(many)] for key, many in tables.items()}
        return {"L": deep, "m": m} | filled, lambda: {"x": number()}
    if name in ("attention-identity", "tie-break"):
        d, h = rng.randint(1, 2), rng.randint(1, 2)
        values = {"d": d, "h": h} | {key: [number() for _ in range(d * h)] for key in "QW"}
        if name == "attention-identity":
            return values, rows(*(f"x{c}" for c in range(1, d + 1)))
        values |= {"gamma": rng.choice(["1/2", 1, 2]), "side": rng.choice([1, -1])}
        return values, rows(*(f"z{c}" for c in range(1, d + 1)), "value")
    if name == "cpwl":
        many = rng.randint(2, 4)
        xs, ys = sorted(rng.sample(range(-9, 10), many + 1)), [rng.randint(-5, 5) for _ in range(many + 1)]
        slopes = [Fraction(ys[k + 1] - ys[k], xs[k + 1] - xs[k]) for k in range(many)]
        return {"P": many, "xs": xs, "ys": ys, "m": slopes}, lambda: {"x": number(9)}
    if name in ("max", "min"):
        k = rng.randint(1, 4)
        return {"K": k}, lambda: {f"x{c}": number() for c in range(1, k + 1)}
    if name in ("since", "since-until", "temporal", "temporal-past"):
        lines = range(1, rng.randint(1, 4) + 1)
        values = {
            "L": len(lines), "S": 2, "scaled": rng.randint(0, 1),
            "op": [rng.choice(OPERATORS[name]) if f > 1 else 0 for f in lines],
            **{side: [rng.randint(1, max(f - 1, 1)) for f in lines] for side in ("left", "right")},
            "letter": [rng.randint(0, 1) for _ in lines],
        }  # fmt: skip
        return values, word(2)
    if name in COUNTING:
        many, longest = rng.randint(1, 4), rng.randint(1, 3)
        lines, ops = range(1, many + 1), COUNTING[name]
        pairs = [(f, e) for f in lines for e in lines]
        values = {
            "L": many, "S": 2, "N": longest, "op": [rng.choice(ops if f > 1 else (0, 8)) for f in lines],
            **{side: [rng.randint(1, max(f - 1, 1)) for f in lines] for side in ("left", "right")},
            "letter": [rng.randint(0, 1) for _ in lines], "bound": [rng.randint(-2, 2) for _ in lines],
            "theta": [rng.randint(0, 1) for _ in lines for _ in range(longest * (longest + 2) + 1)],
            "lam": [rng.randint(-2, 2) for _ in pairs],
        }  # fmt: skip
        if 10 in ops:
            values |= {"scaled": rng.randint(0, 1), "rho": [rng.randint(-1, 1) for _ in pairs]}
        values["Lambda"] = 3 * many
        return values, lambda: [str(rng.randrange(2)) for _ in range(rng.randint(1, longest))]
    if name == "soft":
        return {"S": rng.randint(0, 3)}, rows("x")
    if name in ("before", "behind"):  # of one position, since sums of several roots have no exact value
        return {"S": rng.randint(1, 3)}, rows("x", length=1)
    if name == "heads":
        many = rng.randint(0, 3)
        return {"H": many, "slope": [number() for _ in range(many)]}, rows("x")
    if name == "rounds":
        return {"D": rng.randint(1, 2), "E": rng.randint(0, 2)}, rows("x")
    if name == "ends":
        values = {"S": rng.randint(1, 3)}
        return values, word(values["S"])
    if name.startswith("automaton"):  # one token at most: scores of two irrational hashes have no exact value
        k, s, least = rng.randint(1, 2), rng.randint(1, 2), int(name == "automaton-no-start")
        values = {
            "K": k, "S": s, "first": rng.randint(1, k),
            "R": 4 if name == "automaton" and k + s > 2 else rng.choice([3, 4]),
            "final": [rng.randint(0, 1) for _ in range(k)],
            "delta": [[rng.randint(1, k) for _ in range(s)] for _ in range(k)],
        }  # fmt: skip
        return values, lambda: [str(rng.randint(1, s + k + 2 - least)) for _ in range(rng.randint(least, 1))]
    if name.startswith("turing"):  # $ or one letter: behind it the tie-breaking term is a root of a root
        rows_, states, symbols = rng.randint(1, 2), rng.randint(2, 3), rng.randint(1, 2)
        reads = rng.sample([[a, b] for a in range(symbols + 1) for b in range(symbols + 1)], rows_)
        values = {
            "Q": states, "S": 1, "G": symbols, "K": 1, "R": rows_,
            "first": rng.randint(1, states) if name == "turing" else [rng.randint(1, states)],
            "final": [0] * (states - 1) + [1], "from": [1] * rows_,
            "to": [rng.randint(1, states) for _ in range(rows_)],
            "read": [[one[t] for one in reads] for t in range(2)],
            "print": [[rng.randint(0, symbols) for _ in range(rows_)] for _ in range(2)],
            "move": [[rng.choice([1, 0, -1]) for _ in range(rows_)] for _ in range(2)],
        }  # fmt: skip
        return values, list if name == "turing" else lambda: ["1"]
    assert name == "table", name
    q, s = rng.randint(1, 3), rng.randint(1, 3)
    return {"Q": q, "S": s, "delta": [[rng.randint(1, q) for _ in range(s)] for _ in range(q)]}, word(s)
