"""bound error and bound sensitivity against a forward pass written here, and against constants by hand."""

import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import pytest
from families import together

from symcook.__main__ import dispatch
from symcook.bounds import error_propagation, sensitivity
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import symbol
from symcook.model.transformer import Transformer
from symcook.recipes import build

F = Fraction
DIGITS = 40


def mp(value):
    q = F(str(value)) if not isinstance(value, F) else value
    return mpmath.mpf(q.numerator) / q.denominator


@cache
def entries(matrix):
    """A matrix at the digits in force, which are DIGITS wherever this is asked."""
    return [[mp(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def times(rows, x):
    return [mpmath.fdot(row, x) for row in rows]


@cache
def factor_at(head, i, n):
    return mp(head.scale / head.temperature.subs({symbol("i"): i, symbol("n"): n}))


SEEN = {
    "none": lambda i, n: range(n),
    "future": lambda i, n: range(i + 1),
    "strict-future": lambda i, n: range(i),
    "past": lambda i, n: range(i, n),
}


def weights(head, scores, i, n):
    """The weights of the visible positions; the temperature is that of position i + 1 of n."""
    top = max(scores)
    best = [k for k, s in enumerate(scores) if s == top]
    if head.weighting == "softmax":
        factor = factor_at(head, i + 1, n)
        raw = [mpmath.exp(factor * (s - top)) for s in scores]
        return [w / mpmath.fsum(raw) for w in raw]
    keep = {"average": best, "leftmost": best[:1], "rightmost": best[-1:]}[head.weighting]
    return [mpmath.mpf(int(k in keep)) / len(keep) for k in range(len(scores))]


def attend(head, stream):
    n = len(stream)
    Q, K, V = (entries(m) for m in (head.Q, head.K, head.V))
    reads = [[row[c] for c in head.reads] for row in stream]
    out = []
    for i in range(n):
        seen = list(SEEN[head.mask](i, n))
        if not seen:
            out.append([mpmath.mpf(0)] * len(head.writes))
            continue
        scores = [mpmath.fsum(a * b for a, b in zip(times(Q, reads[i]), times(K, reads[j]), strict=True)) for j in seen]
        alpha = weights(head, scores, i, n)
        values = [times(V, reads[j]) for j in seen]
        out.append([mpmath.fsum(a * v[r] for a, v in zip(alpha, values, strict=True)) for r in range(len(head.writes))])
    return out


def feed(block, row):
    inside = [
        a + b[0]
        for a, b in zip(times(entries(block.W1), [row[c] for c in block.reads]), entries(block.b1), strict=True)
    ]
    return [
        a + b[0] for a, b in zip(times(entries(block.W2), [max(h, 0) for h in inside]), entries(block.b2), strict=True)
    ]


def normalised(norm, row):
    x = [row[c] for c in norm.reads]
    mean = mpmath.fsum(x) / len(x)
    below = mpmath.sqrt(mpmath.fsum((a - mean) ** 2 for a in x) / len(x) + mp(norm.epsilon))
    return {
        c: (a - mean) / below * mp(norm.gain[k]) + mp(norm.bias[k])
        for k, (c, a) in enumerate(zip(norm.reads, x, strict=True))
    }


def passed(model, stream):
    """The stream after the last layer, from the stream after the embedding, by Definition 2.2 and Section 6.2."""
    stream = [dict(row) for row in stream]
    for layer in model.layers:
        for block, norms in layer.blocks():
            view = [normalised(norms[0], row) for row in stream] if layer.placement == "pre" else stream
            added = []
            if isinstance(block, FeedForward):
                added = [dict(zip(block.writes, feed(block, row), strict=True)) for row in view]
                adds = [added]
            else:
                adds = [[dict(zip(h.writes, row, strict=True)) for row in attend(h, view)] for h in block.heads]
            for part in adds:
                for row, more in zip(stream, part, strict=True):
                    for c, v in more.items():
                        row[c] += v
            if layer.placement == "post":
                stream = [normalised(norms[0], row) for row in stream]
    return stream


def embedded(model, word):
    n = len(word)
    rows = []
    for i, token in enumerate(word, 1):
        values = model.embedding.words[token]
        rows.append(
            {
                c: mp(values.get(c, 0))
                + mp(
                    model.embedding.positions[c].subs({symbol("i"): i, symbol("n"): n})
                    if c in model.embedding.positions
                    else F(0)
                )
                for c in model.space
            }
        )
    return rows


def distance(one, two):
    return max(mpmath.fsum(abs(a[c] - b[c]) for c in a) for a, b in zip(one, two, strict=True))


def disturbed(stream, delta, rng):
    """A change of L1 norm delta at each position: along one coordinate, or spread."""
    result = []
    for row in stream:
        names = list(row)
        chosen = rng.sample(names, rng.choice([1, 1, len(names)]))
        shares = [rng.randint(1, 9) for _ in chosen]
        change = {c: rng.choice([-1, 1]) * delta * s / sum(shares) for c, s in zip(chosen, shares, strict=True)}
        result.append({c: v + change.get(c, 0) for c, v in row.items()})
    return result


def worst(model, word, delta, tries=60):
    rng = random.Random(5)
    with mpmath.workdps(DIGITS):
        start = embedded(model, word)
        clean = passed(model, start)
        return max(distance(clean, passed(model, disturbed(start, mp(delta), rng))) for _ in range(tries))


SPACE = Space(("a", "b", "c"))
WORDS = {"x": {"a": 1, "b": F(-1, 2)}, "y": {"a": F(1, 2), "c": 1}}
NET = FeedForward(("a", "b"), ("c",), W1=[[1, -2], [F(1, 2), 1]], b1=[F(1, 4), 0], W2=[[1, -3]], b2=[F(1, 2)])


def model(*layers, positions=None, final_norm=None):
    embedding = Embedding(SPACE, words=WORDS, positions=positions or {})
    return Transformer("made", embedding, layers, Readout("value", "last", ("c",)), final_norm=final_norm)


def only(head):
    return SelfAttention((head,))


def soft(temperature="1", mask="none"):
    return Head(
        ("a", "b"), ("c",), Q=[[1, 0]], K=[[1, 1]], V=[[1, 2]], mask=mask, weighting="softmax", temperature=temperature
    )


def hard(weighting="average"):
    """Position i looks for the greatest i: unique."""
    return Head(("a", "b"), ("c",), Q=[[0, 1]], K=[[0, 1]], V=[[1, 0]], weighting=weighting)


NORM = LayerNorm(("a", "b", "c"), gain=[1, 2, 1], bias=[0, 1, 0], epsilon=F(1, 4))
MODELS = {
    "network": model(Layer(None, NET)),
    "uniform": model(Layer(only(Head(("a", "c"), ("b",), Q=[[0, 0]], K=[[0, 0]], V=[[2, -1]], mask="future")), NET)),
    "softmax": model(Layer(only(soft()), NET)),
    "cold": model(Layer(only(soft("1/n", "future")), None)),
    "two layers": model(Layer(only(soft("1/2")), NET), Layer(only(soft("i")), None)),
    "two heads": model(Layer(SelfAttention((soft(), soft("2"))), None)),
    "post": model(Layer(None, NET, (), (NORM,), "post")),
    "pre": model(Layer(None, NET, (), (NORM,), "pre")),
}


def middle(ball):
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(ball.mid)


def within(reached, found):
    """Positive and at most the bound, but for the rounding of the runs."""
    with mpmath.workdps(DIGITS):
        return 0 < reached <= middle(found.value) * (1 + mpmath.mpf(10) ** -20)


@pytest.mark.layer_one(0, 8)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 100)])
@pytest.mark.layer_two(every=2)
def test_no_change_exceeds_the_bound(name, delta):
    made = MODELS[name]
    if name == "two layers":
        delta /= 10**10  # the papers ask for an error of at most 1 before the second layer
    found = error_propagation(made, delta, n=4)
    assert found.holds is True
    for word in ("xyyx", "yyyy", "xxxy"):
        reached = worst(made, word, delta)
        assert within(reached, found), word


@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
def test_hard_heads_keep_their_maxima(weighting):
    made = model(Layer(only(hard(weighting)), None), positions={"b": "i"})
    made_bound = error_propagation(made, F(1, 100), n=3)
    assert made_bound.value.mid.startswith("0.02")
    assert within(worst(made, "xyx", F(1, 100)), made_bound)
    with pytest.raises(BadInput, match="keep their maxima; given: a gap of"):
        error_propagation(made, F(1, 10), n=3)


def test_a_head_without_a_gap_is_refused():
    tied = model(Layer(only(Head(("a",), ("c",), Q=[[1]], K=[[1]], V=[[1]])), None))
    with pytest.raises(BadInput, match="must have a score gap"):
        error_propagation(tied, F(1, 100), n=2)


def test_constants_by_hand():
    dyck = error_propagation("dyck-1", "1/1000")
    assert (dyck.value.mid[:5], dyck.claimed.mid[:5]) == ("0.008", "0.425")
    # d = 4 (the space), p = 1: (dp + 1)(d^2 p^2 + 1)(dp + 1) = 425; ours: two means, |W2||W1| = 1: 2 * 2 * 2
    network = error_propagation(MODELS["network"], 1)
    # |W2||W1| = (1*1 + 3/2, 2 + 3) = (5/2, 5): 1 + 5; d = 3, p = 3: 81 + 1
    assert (middle(network.value), middle(network.claimed)) == (6, 82)
    post = error_propagation(MODELS["post"], F(1, 100))
    # 6/100; (1 - 1/3)(1 + 4 + 1)/(1/4) = 4^2; the papers' 82/100, then 2*3*4*2/(1/2) = 96
    assert (post.value.mid, post.claimed.mid) == ("0.24", "78.72")


def test_constants_of_softmax_by_another_formula():
    delta, n = F(1, 100), 4
    found = error_propagation(MODELS["cold"], delta, n=n, digits=30, constants=True)
    with mpmath.workdps(50):
        # M = K^T Q has entries 1, 0, 1, 0; X = 3/2; V has column sum 2; the factor is 4
        e, X = mp(delta), mpmath.mpf(3) / 2
        T = 4 * (2 * X * e + e * e)
        ours = e + 2 * (X * 2 * mpmath.tanh(T / 2) + e)
        d, p = 3, 2
        papers = e + d * p * (d * X * 4 * (4 * 3 * d**2 * p**2 * X * e) + e)
        assert abs(middle(found.value) - ours) < mpmath.mpf(10) ** -30
        assert abs(middle(found.claimed) - papers) < mpmath.mpf(10) ** -25 * papers


def test_smaller_constants_are_beaten():
    """Without the residual connection's 1, and with half the column sum, some change passes the bound."""
    reached = worst(MODELS["network"], "xyyx", F(1, 10**6))
    assert reached > mpmath.mpf("5e-6")
    # two positions whose scores move by e and -e: the weights move by 2 tanh(e/2)
    with mpmath.workdps(30):
        e = mpmath.mpf(1) / 7
        first = [1 / (1 + mpmath.exp(-e)), 1 / (1 + mpmath.exp(e))]
        second = first[::-1]
        moved = mpmath.fsum(abs(a - b) for a, b in zip(first, second, strict=True))
        assert abs(moved - 2 * mpmath.tanh(e / 2)) < mpmath.mpf(10) ** -25


@together(
    ("given", "message"),
    [
        ({"delta": 0}, "delta must be positive"),
        ({"delta": -1}, "delta must be positive"),
        ({"delta": 0.1}, "delta must be an exact rational"),
        ({"delta": 1, "n": 0}, "n must be an integer of at least 1"),
        ({"delta": 1, "digits": 0}, "number of digits"),
        ({"model": "dyk-1", "delta": 1}, "dyck-1"),
        ({"model": "gtzero", "delta": 1}, "must have a value here"),
        ({"model": MODELS["softmax"], "delta": 1}, "needs the length n of the strings"),
        ({"model": MODELS["two layers"], "delta": "1/2", "n": 4, "constants": True}, "at most 1"),
        ({"model": "lookup-quadratic", "delta": 1, "n": 4}, "must read strings"),
        ({"model": "lookup-quadratic", "delta": 1}, "must read strings"),
        ({"model": "min", "delta": 1, "n": 4}, "leave n out"),
        (
            {"model": "gtzero", "delta": 1},
            "parameter eps must have a value here; given: none; give values=..eps.: VALUE",
        ),
        ({"model": "gtzero", "delta": 1, "values": "epz=1"}, "did you mean eps"),
        ({"delta": "sqrt(2)"}, "delta must be rational; .* write it as p/q"),
        ({"delta": ""}, "delta must be a number; given: nothing"),
        ({"values": "eps", "delta": 1}, "NAME=VALUE"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(BadInput, match=message):
        error_propagation(**({"model": "dyck-1"} | given))


def test_layer_norm_without_epsilon_is_refused():
    bare = LayerNorm(("a", "b", "c"), epsilon=0)
    with pytest.raises(BadInput, match="epsilon > 0"):
        error_propagation(model(Layer(None, NET, (), (bare,), "post")), 1)


def outputs(made, word):
    result = made.run(word).result
    columns = result.columns()
    if made.readout.kind == "sign":
        columns = {"logit": columns["logit"]}
    return [result.domain.read(column, result.place) for column in columns.values()]


@pytest.mark.parametrize(("name", "n"), [("dyck-1", 1), ("dyck-1", 2), ("dyck-1", 5), ("dyck-1-nonuniform", 4)])
def test_sensitivity_is_the_greatest_change(name, n):
    values = "N=4" if name != "dyck-1" else None
    made = build(name, N=4).bind() if values else build(name)
    table = {"".join(w): outputs(made, "".join(w)) for w in itertools.product("()", repeat=n)}
    best = max(
        abs(a - b)
        for one, two in itertools.combinations(table, 2)
        if sum(p != q for p, q in zip(one, two, strict=True)) == 1
        for a, b in zip(table[one], table[two], strict=True)
    )
    found = sensitivity(name, n, values)
    assert found.extra["value times n"] == str(best * n)
    assert found.holds is True


def dyck_change(n):
    """Of total, from ())... to )))..., by the definition of the balance: the change that the answer names."""

    def total(word):
        heights = list(itertools.accumulate(1 if c == "(" else -1 for c in word))
        return sum((max(F(-h, i), F(0)) for i, h in enumerate(heights, 1)), F(0)) / n

    return max(
        abs(total("(" + rest) - total(")" + rest)) for rest in map("".join, itertools.product("()", repeat=n - 1))
    )


def test_the_mask_makes_the_change_larger_than_a_constant_over_n():
    """C/n with C = 2 H_n + ... under a future mask: value times n grows without a bound like log n."""
    times_n = [F(str(sensitivity("dyck-1", n).extra["value times n"])) for n in (4, 8, 16)]
    assert times_n == [dyck_change(n) * n for n in (4, 8)] + times_n[2:]
    assert times_n[1] - times_n[0] > 1 and times_n[2] - times_n[1] > 1


def test_sensitivity_at_each_position():
    made = Transformer(
        "each",
        Embedding(Space(("t", "m")), words={"0": {}, "1": {"t": 1}}),
        (Layer(only(Head(("t",), ("m",), Q=[[0]], K=[[0]], V=[[3]])), None),),
        Readout("value", "each", ("t", "m")),
    )
    found = sensitivity(made, 6)
    assert (found.extra["value times n"], found.extra["C"], found.extra["at the changed position"]) == ("3", "3", "1")
    assert found.holds is True


CARRIED = replace(soft(mask="future"), writes=("a",))
"""What a head finds behind it depends on the order of the symbols."""
MEAN = replace(MODELS["uniform"].layers[0].attention.heads[0], writes=("a",))
NORMED = Layer(only(MEAN), NET, (NORM,), (NORM,), "post")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "average", "n": 4}, "reads strings"),
        ({"model": "dyck-1", "n": 17}, "at most 65536 strings"),
        ({"model": "dyck-1", "n": 0}, "n must be"),
        (
            {"model": model(Layer(only(CARRIED)), Layer(only(soft(mask="future")))), "n": 13},
            "at most 4096 strings .* scores",
        ),
        ({"model": model(Layer(only(MEAN)), NORMED), "n": 13}, "at most 4096 strings .* layer norm"),
    ],
)
def test_sensitivity_bad_input(given, message):
    with pytest.raises(BadInput, match=message):
        sensitivity(**given)


def test_a_thousand_digits():
    found = error_propagation(MODELS["two layers"], F(1, 10**9), n=5, digits=1000, constants=True)
    assert len(found.value.mid) > 1000 and found.holds is True


def test_command_line(capsys):
    assert dispatch(["bound", "error", "dyck-1", "--delta", "1/1000", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["holds"] is True and set(answer["proofs"].values()) == {"PROVED"}
    assert answer["extra"]["after layer 1 attention"].startswith("0.002")
    assert dispatch(["bound", "sensitivity", "dyck-1", "--n", "6", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["attained"] is True and set(answer["proofs"].values()) == {"PROVED"}
    with pytest.raises(BadInput, match="name of a model"):
        dispatch(["bound", "error", "--delta", "1"])


def test_outputs_that_nothing_changes_are_said_so():
    found = sensitivity("first-position", 3)
    assert (found.value.mid, found.attained, found.where) == ("0", True, "no symbol changes an output")


def test_the_two_constants_have_names():
    lines = error_propagation("dyck-1", "1/10").text().splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == ["bound", "our constants", "papers' constants"]
