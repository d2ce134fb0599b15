"""Selection over one-hot groups, against plain Python on all short words; and x beside -x under layer norm."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import pytest

import symcook as sc
from symcook.compose import paired
from symcook.domains import make_domain
from symcook.forward import forward

WORDS = ["".join(w) for n in range(1, 6) for w in itertools.product("abc", repeat=n)]


def test_reverse_is_three_lines() -> None:
    b = sc.Builder(words="abc")
    b.position("mirror", "n + 1 - i")
    b.readout("largest", "each", b.lookup(("out_a", "out_b", "out_c"), "mirror", b.tokens), labels="abc")
    model = b.build("reverse")
    for word in WORDS:
        assert model(word).outputs == list(reversed(word))


def test_histogram_is_two_lines() -> None:
    b = sc.Builder(words="abc")
    b.readout("value", "each", b.count("same", b.tokens, b.tokens))
    model = b.build("histogram")
    for word in WORDS:
        assert model(word).outputs == [str(Fraction(word.count(t), len(word))) for t in word]


def test_sort_is_three_lines() -> None:
    b = sc.Builder(words="abc", positions={"place": "(i - 1/2)/n"})
    s = b.attention(("na", "nb", "nc"), b.tokens)
    b.add(sc.feedforward(
        la=f"-relu(place - {s[0]})",
        lb=f"-relu({s[0]} - place) - relu(place - {s[0]} - {s[1]})",
        lc=f"-relu({s[0]} + {s[1]} - place)",
    ))  # fmt: skip
    b.readout("largest", "each", ("la", "lb", "lc"), labels="abc")
    model = b.build("sort")
    for word in WORDS:
        assert model(word).outputs == sorted(word)


@pytest.mark.layer_one(0, 2)
@pytest.mark.parametrize("relation", ["=", "!=", "<", "<=", ">", ">=", lambda q, k: (q + k) % 2 == 0])
@pytest.mark.parametrize("mask", ["none", "future", "strict-past"])
def test_count_and_aggregate_select_by_the_relation(relation: object, mask: str) -> None:
    """Query unlike key, a value beside the token, rows that select nothing or see nothing."""
    plain = {
        "=": lambda q, k: q == k, "!=": lambda q, k: q != k, "<": lambda q, k: q < k, "<=": lambda q, k: q <= k,
        ">": lambda q, k: q > k, ">=": lambda q, k: q >= k,
    }.get(relation, relation)  # type: ignore[call-overload]  # fmt: skip
    words = {t: {f"is_{t}": 1, "value": v} for t, v in zip("abc", (2, -3, "1/7"), strict=True)}
    hot = ("is_a", "is_b", "is_c")
    b = sc.Builder(words=words)
    b.count("share", hot, hot, relation, mask=mask)  # type: ignore[arg-type]
    b.aggregate("mean", hot, hot, "value", relation, mask=mask)  # type: ignore[arg-type]
    b.readout("value", "each", ("share", "mean"))
    model = b.build("m")
    number = dict(zip("abc", (Fraction(2), Fraction(-3), Fraction(1, 7)), strict=True))
    for word in WORDS[:120]:
        for i, row in enumerate(model(word).outputs or []):
            places = (
                range(i + 1, len(word)) if mask == "strict-past" else range(i + 1 if mask == "future" else len(word))
            )
            seen = [word[j] for j in places]
            chosen = [t for t in seen if plain("abc".index(word[i]), "abc".index(t))]
            mean = chosen or seen
            assert row["share"] == str(Fraction(len(chosen), max(len(seen), 1)))
            assert row["mean"] == str(sum((number[t] for t in mean), Fraction(0)) / max(len(mean), 1))


def test_bad_selections_are_refused() -> None:
    b = sc.Builder(words="abc")
    with pytest.raises(sc.BadInput, match="relation"):
        b.count("c", b.tokens, b.tokens, "==")
    with pytest.raises(sc.BadInput, match="that are written and read"):
        b.aggregate("c", b.tokens, b.tokens, b.tokens)
    with pytest.raises(sc.BadInput, match='give words="abc"'):
        _ = sc.Builder(words={"a": {"x": 2}}).tokens
    with pytest.raises(sc.BadInput, match="Head or a FeedForward"):
        b.add("relu(x)")  # type: ignore[arg-type]


def _pair_source() -> sc.Transformer:
    """Two layers, the first without attention; Q unlike K, CLS, a bias."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"y": -2}, "CLS": {"one": 1}}, before="CLS", start=0)
    b.add(sc.feedforward(u="2*relu(x - 1/3) - relu(y) + 1/5"))
    b.add(sc.head({("x", "u"): 2, ("one", "y"): -1}, {"v": "u - y"}, weighting="softmax"))
    b.readout("value", "each", ("v", "u"))
    return b.build("source")


def test_a_paired_model_only_scales() -> None:
    """The source's own steps written out with mpmath, each followed by a division by sqrt(mean square + epsilon)."""
    epsilon = Fraction(1, 7)
    model = paired(_pair_source(), epsilon)
    assert all(layer.attention and layer.feedforward and layer.placement == "post" for layer in model.layers)
    assert len(model.space) == 2 * len(_pair_source().space)

    def relu(x: mpmath.mpf) -> mpmath.mpf:
        return max(x, mpmath.mpf(0))

    def normed(z: dict[str, mpmath.mpf]) -> dict[str, mpmath.mpf]:
        root = mpmath.sqrt(sum(x * x for x in z.values()) / len(z) + mpmath.mpf(1) / 7)
        return {c: x / root for c, x in z.items()}

    with mpmath.workdps(40):
        words = {"a": {"x": 1}, "b": {"y": -2}, "CLS": {"one": 1}}
        for word in ("", "a", "ab", "bba"):
            stream = [{c: mpmath.mpf(words[t].get(c, 0)) for c in _pair_source().space} for t in ("CLS", *word)]
            stream = [normed(z) for z in stream]  # after the attention that adds zero
            for z in stream:
                z["u"] += 2 * relu(z["x"] - mpmath.mpf(1) / 3) - relu(z["y"]) + mpmath.mpf(1) / 5
            stream = [normed(z) for z in stream]
            added = []
            for z in stream:
                scores = [2 * z["x"] * other["u"] - z["one"] * other["y"] for other in stream]
                weights = [mpmath.exp(score) for score in scores]
                total = sum(w * (z["u"] - z["y"]) for w, z in zip(weights, stream, strict=True))
                added.append(total / sum(weights))
            for z, v in zip(stream, added, strict=True):
                z["v"] += v
            stream = [normed(normed(z)) for z in stream]  # after the attention, and after the network that adds zero
            for row, z in zip(model.run(word, "ball", digits=20).outputs or [], stream, strict=True):
                for name in ("u", "v"):
                    assert abs(mpmath.mpf(row[name]["mid"]) - z[name]) < mpmath.mpf(10) ** -18


def test_in_a_paired_model_every_partner_is_the_negative() -> None:
    model = paired(_pair_source(), 0)
    system = make_domain("mpmath", bits=200)
    result = forward(model, model.tokens("ab"), system, trace=True, weights=False)
    for step in result.steps:
        for one in _pair_source().space:
            plus, minus = (step.columns.get(c) for c in (one, f"{one}_minus"))
            assert (plus is None) == (minus is None)
            if plus is not None:
                assert all(abs(a + b) < mpmath.mpf(10) ** -50 for a, b in zip(plus, minus, strict=True))


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(sc.BadInput, match="must have no layer norm"):
        paired(paired(_pair_source(), 1))
    with pytest.raises(sc.BadInput, match="takes inputs"):
        paired(sc.build("min"))
