"""What a bound says beside its numbers, for every kind: what was asked, whether the supremum is reached, where, whose
bound it is set against, and its further values by name. And the numbers of kinds with a formula, by mpmath."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
from families import every

import symcook as sc
from symcook import bounds
from symcook.bounds import KINDS, arguments, bound
from symcook.errors import BadInput

MP = mpmath.mp.clone()
MP.dps = 60

SLOPES = "ties on the one side, a gap of 1 on the other"
FLOATS = ("float16", "bfloat16", "float32", "float64")
BELOW = "all others exactly gamma below it"
SAID: list[tuple[str, dict[str, Any], dict[str, Any], bool, str, dict[str, str]]] = [
    ("softmax-hardmax", {"n": 4, "gamma": 2}, {"n": 4, "gamma": "2", "ties": False}, True,
     f"by one maximal score and {BELOW}", {"error of a value in [0, 1]": ""}),
    ("softmax-hardmax", {"n": 1, "gamma": "1/2", "ties": True}, {"n": 1, "gamma": "1/2", "ties": True}, True,
     "by any one score", {"error of a value in [0, 1]": "0"}),
    ("softmax", {"scores": "3, 1/2, 0"}, {"scores": "3, 1/2, 0", "n": 3, "gamma": "1"}, True, "by these scores",
     {"score gap": "5/2", "maximal scores": "1", "for x = e^-gamma": "2*(x^(5/2) + x^3)/(1 + x^(5/2) + x^3)"}),
    ("softmax", {"scores": [1, 1, 0, 0], "gamma": "1/2"}, {"scores": "1, 1, 0, 0", "n": 4, "gamma": "1/2"}, True,
     "by these scores",
     {"score gap": "1", "maximal scores": "2", "for x = e^-gamma": "2*(2*x)/(2 + 2*x)"}),
    ("softmax", {"scores": "1, 1"}, {"scores": "1, 1", "n": 2, "gamma": "1"}, True, "by these scores",
     {"score gap": "none: all scores are equal", "maximal scores": "2", "for x = e^-gamma": "0"}),
    ("softmax", {"scores": "j*n", "n": 3}, {"scores": "j*n", "n": 3, "gamma": "1"}, True, "by these scores",
     {"score gap": "3", "maximal scores": "1", "for x = e^-gamma": "2*(x^3 + x^6)/(1 + x^3 + x^6)"}),
    ("lookup", {"gamma": 1}, {"gamma": "1"}, False, "approached as n grows, q in the middle", {"free of n": ""}),
    ("lookup", {"gamma": 1, "n": 5}, {"gamma": "1", "n": 5}, True, "at q = 3", {"free of n": "", "2 n e^-gamma": ""}),
    ("lookup", {"gamma": 1, "n": 5, "q": 2}, {"gamma": "1", "n": 5, "q": 2}, True, "at q = 2",
     {"free of n": "", "2 n e^-gamma": ""}),
    ("ziggurat", {"gamma": 1}, {"gamma": "1"}, False, "approached as n grows", {"p at an end": ""}),
    ("ziggurat", {"gamma": 1, "n": 4}, {"gamma": "1", "n": 4}, True, "with the maximum at p = 2 and slopes of gamma",
     {"p at an end": ""}),
    ("ziggurat", {"gamma": 1, "n": 1}, {"gamma": "1", "n": 1}, True, "with the maximum at p = 1 and slopes of gamma",
     {"p at an end": "0"}),
    ("table-lookup", {"gamma": 1}, {"gamma": "1"}, False, "approached as n grows, t at an end",
     {"3/2 suffices from gamma": "", "best for gamma >= 1": "1, approached as gamma grows"}),
    ("table-lookup", {"gamma": 1, "n": 1}, {"gamma": "1", "n": 1}, True, "at t = 1 and t = n",
     {"3/2 suffices from gamma": "", "best for gamma >= 1": "1, approached as gamma grows"}),
    ("tie-break", {"variant": "a", "gamma": 1, "n": 3}, {"variant": "a", "gamma": "1", "n": 3}, True,
     f"with scores gamma n^2 (s_j - 1/j), rightmost; {SLOPES}", {}),
    ("tie-break", {"variant": "b", "gamma": 1, "n": 2}, {"variant": "b", "gamma": "1", "n": 2}, True,
     f"with scores 2 gamma n (s_j + j/(2 n)), rightmost; {SLOPES}", {}),
    ("tie-break", {"variant": "c", "gamma": 1, "n": 1}, {"variant": "c", "gamma": "1", "n": 1}, True,
     f"with scores 2 gamma n (s_j - j/(2 n)), leftmost; {SLOPES}", {}),
    ("layernorm-hash", {"n": 4}, {"n": 4}, True, "by q = n and k = n - 1",
     {"Cookbook's scale": "", "gap times 2 n^4": ""}),
    ("layernorm-hash", {"n": 4, "tie_break": True, "search": True}, {"n": 4, "tie_break": True, "search": True}, True,
     "by q = n and k = n - 1",
     {"Cookbook's scale": "", "gap times 2 n^4": "", "tie-breaking term": "", "what it leaves": "",
      "smallest precision": "10 bits"}),
    ("lipschitz", {"model": "gtzero", "values": "eps=1/8"}, {"model": "gtzero", "norm": "max"}, True,
     "between points of one linear piece", {"homogeneous": "no: f(2 x) is not 2 f(x) at x = 1"}),
    ("layer-norm", {"d": 3, "epsilon": "1/4"}, {"d": 3, "epsilon": "1/4", "gain": "1"}, False,
     "approached by two vectors with nearly equal entries",
     {"sum of entries, smallest": "", "sum of entries, proved": "", "largest entry, smallest": "",
      "largest entry, proved": "", "homogeneous": "no; of degree 0 with epsilon = 0"}),
    ("layer-norm", {"d": 2, "epsilon": "1/4", "gain": "1, 2"}, {"d": 2, "epsilon": "1/4", "gain": "1, 2"}, False,
     "approached by two vectors with nearly equal entries",
     {"sum of entries, smallest": "", "sum of entries, proved": "", "largest entry, smallest": "",
      "largest entry, proved": "", "homogeneous": "no; of degree 0 with epsilon = 0"}),
    ("gelu-multiply", {"form": "tanh"}, {"form": "tanh"}, True, "at x = y, and x = y negated", {"at x = y": ""}),
    ("gelu-relu", {"c": 3}, {"c": "3", "form": "erf"}, True, "at two places x = u/c and -u/c", {"u": ""}),
    ("temperature", {"n": 4, "gamma": 1}, {"n": 4, "gamma": "1", "error": "1/4"}, True,
     f"with one maximal score and {BELOW}",
     {"slack": "", "error at the rule": "", **{f"hard in {f}": "" for f in FLOATS}}),
    ("temperature", {"n": 4, "gamma": 1, "error": "1/3", "bits": 5},
     {"n": 4, "gamma": "1", "error": "1/3", "bits": 5}, True, f"with one maximal score and {BELOW}",
     {"slack": "", "error at the rule": "", "hard in 5 fractional bits": "",
      **{f"hard in {f}": "" for f in FLOATS}}),
    ("error", {"model": "gtzero", "delta": "1/1000", "values": "eps=1/8"},
     {"model": "gtzero", "delta": "1/1000"}, False, "an upper bound for every such change",
     {"after embedding": "", "after layer 1 feed-forward": "", "coordinate x": "", "coordinate out": "",
      "words": "1, each by itself"}),
    ("error", {"model": "dyck-1", "n": 2, "dtype": "float32"}, {"model": "dyck-1", "n": 2, "dtype": "float32"}, False,
     "an upper bound for every such change",
     {**{f"after {p}": "0" for p in ("embedding", "layer 1 attention", "layer 1 feed-forward", "layer 2 attention")},
      **{f"coordinate {c}": "at most 0" for c in ("token", "balance", "error", "total")},
      "words": "4, each by itself"}),
    ("sensitivity", {"model": "dyck-1", "n": 3}, {"model": "dyck-1", "n": 3}, True, "by total between ()) and )))",
     {"value times n": "8/3", "C": "11/3", "C grows with n": "it is 49/10 for n = 6"}),
    ("sensitivity", {"model": "parity-layernorm", "n": 2}, {"model": "parity-layernorm", "n": 2}, True,
     "by logit between 00 and 10",
     {"value times n": "", "no proved C/n": "the model has a layer norm in layer 1"}),
]  # fmt: skip


LABELS = {
    "softmax-hardmax": ("supremum", "2 n e^-gamma"), "softmax": ("L1 distance", "2 n e^(-gamma gap)"),
    "lookup": ("supremum", "4 e^-gamma"), "lookup at q": ("L1 distance", "4 e^-gamma"),
    "ziggurat": ("supremum", "4 e^-gamma"), "table-lookup": ("largest error", "(3/2) e^-gamma"),
    "tie-break": ("supremum", "4 e^-gamma"), "layernorm-hash": ("smallest gap", "1/(2 n^4)"),
    "lipschitz": ("smallest constant", "||W2|| ||W1||"), "layer-norm": ("smallest constant", "max|gain|/sqrt(epsilon)"),
    "gelu-multiply": ("smallest K", "claimed K"), "gelu-relu": ("largest difference", "8499/50000/c"),
    "temperature": ("largest tau", "gamma/log(2 n/error)"), "error": ("our bound", "papers' constants"),
    "sensitivity": ("largest change", "proved C/n"),
}  # fmt: skip


def said(kind: str, given: dict[str, Any], parameters: dict[str, Any], attained: bool, where: str, extra: Any) -> None:
    found = bound(kind, digits=6, **given)
    assert dict(found.parameters) == parameters and found.attained is attained and found.where == where
    assert set(found.extra) == set(extra)
    for name, text in extra.items():
        assert not text or str(found.extra[name]) == text, name
    document = found.to_json()
    assert document["parameters"] == parameters and document["attained"] is attained and document["kind"] == kind
    assert set(document["extra"]) == set(extra) and document["holds"] is found.holds
    assert (document["claimed"] is None) is (found.claimed is None) is (found.holds is None)
    assert found.source and found.labels == LABELS["lookup at q" if "q" in given else kind]
    assert set(document["proofs"]) == set(found.proofs) == set(document["statements"])


@pytest.mark.sweep
def test_beside_the_numbers() -> None:
    every(SAID, said)
    assert {kind for kind, *_ in SAID} == set(KINDS) - {"cross-entropy"}


def number(ball: Any) -> Any:
    return MP.mpf(ball.mid)


def exact(text: Any) -> Any:
    return MP.mpf(Fraction(text).numerator) / Fraction(text).denominator


def near(found: Any, expected: Any, what: Any) -> None:
    assert abs(number(found) - expected) <= MP.mpf(10) ** -24 * abs(expected), what


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("gamma", ["1/7", "1", "5/2", "40"])
def test_numbers_by_their_formulas(gamma: str) -> None:
    """Suprema over finitely many scores, each by the softmax of the worst row and over all places of the maximum."""
    g = exact(gamma)
    x = MP.exp(-g)

    def apart(*exponents: Any) -> Any:
        """The L1 distance of softmax to one hard maximum, the others that far below."""
        mass = sum(MP.exp(-g * e) for e in exponents)
        return 2 * mass / (1 + mass)

    for n in (1, 2, 3, 6):
        rest = n - 1
        one = bound("softmax-hardmax", n=n, gamma=gamma, digits=25)
        near(one.value, apart(*[1] * rest), n)
        near(one.claimed, 2 * n * x, n)
        near(one.extra["error of a value in [0, 1]"], apart(*[1] * rest) / 2, n)
        rows = {p: [abs(j - p) for j in range(1, n + 1) if j != p] for p in range(1, n + 1)}
        one = bound("ziggurat", gamma=gamma, n=n, digits=25)
        near(one.value, max(apart(*row) for row in rows.values()), n)
        near(one.claimed, 4 * x, n)
        near(one.extra["p at an end"], apart(*rows[1]), n)
        one = bound("lookup", gamma=gamma, n=n, digits=25)
        near(one.value, max(apart(*[e * e for e in row]) for row in rows.values()), n)
        near(one.claimed, 4 * x, n)
        near(one.extra["2 n e^-gamma"], 2 * n * x, n)
        near(one.extra["free of n"], 4 * x / (1 + 2 * x - x**3), n)
        for q in range(1, n + 1):
            near(bound("lookup", gamma=gamma, n=n, q=q, digits=25).value, apart(*[e * e for e in rows[q]]), (n, q))
        one = bound("table-lookup", gamma=gamma, n=n, digits=25)
        errors = []
        for t in range(1, n + 1):
            weights = [MP.exp(-g * (j - t) ** 2) for j in range(1, n + 1)]
            errors.append(abs(sum(w * j for j, w in enumerate(weights, 1)) / sum(weights) - t))
        near(one.value, max(errors), n)
        near(one.claimed, 3 * x / 2, n)
        assert one.holds is bool(max(errors) <= 3 * x / 2)
        for variant in "abc":
            one = bound("tie-break", variant=variant, gamma=gamma, n=n, digits=25)
            worst = []
            for p in range(1, n + 1):
                low, high = range(1, p), range(p + 1, n + 1)
                if variant == "a":
                    row = [MP.mpf(n * n) * (p - j) / (j * p) for j in low]
                    row += [n * n - MP.mpf(n * n) * (j - p) / (j * p) for j in high]
                elif variant == "b":
                    row = [p - j for j in low] + [2 * n - (j - p) for j in high]
                else:
                    row = [j - p for j in high] + [2 * n - (p - j) for j in low]
                worst.append(apart(*row))
            near(one.value, max(worst), (variant, n))
            near(one.claimed, 4 * x, (variant, n))
        assert bound("ziggurat", gamma=gamma, n=n).holds is bound("lookup", gamma=gamma, n=n).holds is True
    near(bound("ziggurat", gamma=gamma, digits=25).value, 4 * x / (1 + x), "all n")
    near(bound("ziggurat", gamma=gamma, digits=25).extra["p at an end"], 2 * x, "all n")
    squares = [k * k for k in range(1, 60) for _ in range(2)]
    near(bound("lookup", gamma=gamma, digits=25).value, apart(*squares), "all n")
    weights = [MP.exp(-g * k * k) for k in range(60)]
    near(bound("table-lookup", gamma=gamma, digits=25).value,
         sum(k * w for k, w in enumerate(weights)) / sum(weights), "all n")  # fmt: skip


@pytest.mark.parametrize(("n", "gamma", "error"), [(2, "1", "1/4"), (5, "3/2", "1/10"), (100, "1/3", "1/2")])
def test_temperatures_by_their_formulas(n: int, gamma: str, error: str) -> None:
    one, g, e = bound("temperature", n=n, gamma=gamma, error=error, bits=7, digits=25), exact(gamma), exact(error)
    sharp, rule = g / MP.log((n - 1) * (1 - e) / e), g / MP.log(2 * n / e)
    near(one.value, sharp, "value")
    near(one.claimed, rule, "claimed")
    near(one.extra["slack"], sharp / rule, "slack")
    others = (n - 1) * MP.exp(-g / rule)
    near(one.extra["error at the rule"], others / (1 + others), "error")
    least = {"float16": 24, "bfloat16": 133, "float32": 149, "float64": 1074, "7 fractional bits": 7}
    for name, k in least.items():
        near(one.extra[f"hard in {name}"], g / ((k + 1) * MP.log(2)), name)
    assert one.holds is True


@pytest.mark.parametrize("gain", [["1"], ["3", "3"], ["1", "2"], ["1", "-2", "1/2"], ["1/3", "5", "2", "2", "0"]])
@pytest.mark.parametrize("epsilon", ["1/4", "1/100000"])
def test_constants_of_layer_norm(gain: list[str], epsilon: str) -> None:
    """The least one is the greatest stretch of gain times a vector of mean 0; the proved ones are formulas."""
    d = len(gain) if len(gain) > 1 else 4
    g, e = [exact(x) for x in (gain * d if len(gain) == 1 else gain)], exact(epsilon)
    one = bound("layer-norm", d=d, epsilon=epsilon, gain=", ".join(gain), digits=25)
    mean = MP.matrix(d, d)
    for r in range(d):
        for c in range(d):
            mean[r, c] = (MP.mpf(r == c) - MP.mpf(1) / d) * g[c]
    stretch = max(MP.eigsy(mean * mean.T, eigvals_only=True))
    near(one.value, MP.sqrt(stretch / e), "least")
    near(one.claimed, max(map(abs, g)) / MP.sqrt(e), "claimed")
    near(one.extra["sum of entries, proved"], MP.sqrt(MP.mpf(d - 1) / d * sum(x * x for x in g) / e), "sum")
    near(one.extra["largest entry, proved"], MP.sqrt(d - 1) * max(map(abs, g)) / MP.sqrt(e), "greatest")
    for norm in ("sum of entries", "largest entry"):
        assert number(one.extra[f"{norm}, smallest"]) <= number(one.extra[f"{norm}, proved"]) * (1 + MP.mpf(10) ** -20)
    assert one.holds is True


@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_gaps_of_the_hash_by_all_pairs(n: int) -> None:
    codes = [[MP.mpf(k), 1, -MP.mpf(k), -1] for k in range(1, n + 1)]
    codes = [[v / MP.sqrt(2 * c[0] ** 2 + 2) for v in c] for c in codes]
    least = min(1 - sum(a * b for a, b in zip(p, q, strict=True)) for p in codes for q in codes if p is not q)
    one = bound("layernorm-hash", n=n, tie_break=True, digits=25)
    near(one.value, least, n)
    near(one.claimed, MP.mpf(1) / (2 * n**4), n)
    near(one.extra["Cookbook's scale"], 4 * least, n)
    near(one.extra["gap times 2 n^4"], least * 2 * n**4, n)
    term = MP.mpf(1) / 1000 - MP.mpf(n) / 10**10 if n <= 4 else MP.mpf(6) / (100 * n * (n - 1) * (n - 2) * (n - 3))
    near(one.extra["tie-breaking term"], term, n)
    near(one.extra["what it leaves"], least - term, n)


@pytest.mark.parametrize("kind", ["gelu", "gelu-tanh", "gelu-sigmoid"])
def test_slopes_of_gelus_by_derivatives(kind: str) -> None:
    """A small change of one entry moves the other by the derivative of the activation."""
    factors = {
        "gelu": MP.ncdf,
        "gelu-tanh": lambda x: (1 + MP.tanh(MP.sqrt(2 / MP.pi) * (x + MP.mpf("0.044715") * x**3))) / 2,
        "gelu-sigmoid": lambda x: 1 / (1 + MP.exp(-MP.mpf("1.702") * x)),
    }
    for place in ("-3", "-1", "-1/5", "0", "1/3", "1", "5/2"):
        network = sc.FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], kind)
        embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": place}})
        model = sc.Transformer("slope", embedding, (sc.Layer(None, network),), sc.Readout("value", "last", ("b",)))
        slope = MP.diff(lambda x: x * factors[kind](x), exact(place))
        delta = MP.mpf(10) ** -12
        found = number(bound("error", model=model, delta="1/10^12", n=1, digits=10).value)
        assert (
            delta * (1 + abs(slope)) * (1 - MP.mpf(10) ** -9) <= found <= delta * (1 + abs(slope)) * (1 + delta * 10)
        ), place


@pytest.mark.parametrize("gamma", ["1/7", "1", "5/2", "40"])
@pytest.mark.parametrize("n", [None, 1, 2, 3, 8])
@pytest.mark.parametrize("kind", ["lookup", "ziggurat"])
def test_what_decides_a_claim_is_the_difference(
    kind: str, n: int | None, gamma: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is (claimed - value) (1 + S), of the ziggurat times (1 - x)/(2 x), where the value is 2 S/(1 + S)."""
    asked: list[Any] = []
    monkeypatch.setattr(arguments, "decided", lambda difference, digits, what: asked.append(difference) or True)
    places = [None, *range(1, n + 1)] if kind == "lookup" and n else [None]
    found: Any = bounds.quadratic_lookup if kind == "lookup" else bounds.ziggurat
    if kind == "ziggurat" and n == 1:
        return
    for q in places:
        b = found(gamma, n, q, digits=60) if kind == "lookup" else found(gamma, n, digits=60)
        with flint.ctx.workprec(400):
            got = asked.pop()()
            value, claimed = (flint.arb(x.mid, x.rad) for x in (b.value, b.claimed))
            x = (-flint.arb(flint.fmpq(Fraction(gamma).numerator, Fraction(gamma).denominator))).exp()
            wanted = (claimed - value) * 2 / (2 - value) * (1 if kind == "lookup" else (1 - x) / (2 * x))
            assert got.overlaps(wanted) and got.rad() < 1e-50 and wanted.rad() < 1e-20 * (1 + abs(wanted)), (n, q)


@pytest.mark.parametrize("text", ["=3", "N=", "N", "N=4, =1", "N=4,, c=1", "N=4, N=5", ""])
def test_settings_that_name_nothing_or_a_name_twice(text: str) -> None:
    with pytest.raises(BadInput, match="NAME=VALUE, each name once"):
        arguments.settings(text)
    assert arguments.settings("N = 4, eps=1/16") == {"N": "4", "eps": "1/16"} and arguments.settings(None) == {}
