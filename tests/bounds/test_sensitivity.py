"""bound sensitivity against all words by brute force, for models that are not symmetric, and C by its definition."""

import itertools
import random
import re
from dataclasses import replace
from fractions import Fraction

import dense
import mpmath
import pytest

from symcook.bounds import sensitivity
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.recipes import build

F = Fraction
NAMES = ("s", "t", "m", "p")
SEES = {
    "none": lambda i, n: range(n),
    "future": lambda i, n: range(i + 1),
    "strict-future": lambda i, n: range(i),
    "past": lambda i, n: range(i, n),
    "strict-past": lambda i, n: range(i + 1, n),
}


def model(readout, *layers, before=None, after=None, words=None, positions=None):
    words = words or {"x": {"s": 1, "t": F(-1, 2)}, "y": {"s": F(1, 3), "t": 2}, "z": {"t": F(1, 4)}}
    extra = {token: {"s": F(5), "p": F(7, 2)} for token in (before, after) if token}
    embedding = Embedding(
        Space(NAMES), words={**words, **extra}, positions=positions or {"p": "i"}, before=before, after=after
    )
    return Transformer("made", embedding, layers, readout)


def mean(reads, writes, V, mask="none"):
    return Head(reads, writes, Q=[[0] * len(reads)], K=[[1] * len(reads)], V=V, mask=mask)


NET = FeedForward(
    ("s", "m"), ("t", "m"), W1=[[1, -2], [F(1, 2), 3]], b1=[F(-1, 4), 0], W2=[[1, F(-1, 3)], [0, 2]], b2=[1, 0]
)
READOUTS = {
    "sign": Readout("sign", "last", ("t", "m"), weights=[[2, F(-1, 3)]]),
    "sign first": Readout("sign", "first", ("m",), weights=[[-3]]),
    "value": Readout("value", "last", ("m", "t")),
    "each": Readout("value", "each", ("m", "t")),
    "zero all": Readout("zero", "all", ("m",)),
    "largest": Readout("largest", "last", ("m", "t"), weights=[[1, 0], [F(1, 2), -2], [0, 3]], labels=("a", "b", "c")),
}
MASKS = list(SEES)


def layers(mask, mask2):
    one = SelfAttention((mean(("s", "t"), ("m",), [[1, F(-3, 2)]], mask), mean(("t",), ("m", "p"), [[2], [1]], mask2)))
    return Layer(one, NET), Layer(SelfAttention((mean(("m", "t"), ("m",), [[F(1, 2), 1]], mask2),)), None)


def shown(made, word):
    """For each position what the readout shows there, by the plain pass of the tests."""
    stream = dense.run(made, dense.typed(made, list(word)), dense.rational)
    readout = made.readout
    rows = []
    for row in stream:
        values = [F(str(row[c])) for c in readout.reads]
        if readout.weights is not None:
            rows_of = [[F(str(w)) for w in readout.weights[r, :]] for r in range(readout.weights.shape[0])]
            values = [sum(w * v for w, v in zip(weights, values, strict=True)) for weights in rows_of]
        rows.append(values)
    return rows


def brute(made, n, inside=lambda word: True):
    """The greatest change, for each and all the greatest at the changed position; one of the strings is `inside`."""
    before = made.embedding.before is not None
    each = made.readout.position in ("each", "all")
    table = {word: shown(made, word) for word in itertools.product(made.alphabet, repeat=n)}
    best = own = F(0)
    for one, two in itertools.combinations(table, 2):
        differ = [p for p in range(n) if one[p] != two[p]]
        if len(differ) != 1 or not (inside(one) or inside(two)):
            continue
        length = len(table[one])
        places = range(length) if each else [0 if made.readout.position == "first" else length - 1]
        for place in places:
            change = max(abs(a - b) for a, b in zip(table[one][place], table[two][place], strict=True))
            if each and place == differ[0] + before:
                own = max(own, change)
            else:
                best = max(best, change)
    return best, own


def constant(made, n):
    """C/n by its definition: ranges of the embedding, means over what is seen, |W2| |W1|, |readout|."""
    before, readout = int(made.embedding.before is not None), made.readout
    length = n + made.embedding.added
    rows = [{c: F(str(made.embedding.words[w].get(c, 0))) for c in NAMES} for w in made.alphabet]
    spread = {c: max(r[c] for r in rows) - min(r[c] for r in rows) for c in NAMES}
    size = lambda value: abs(F(str(value)))  # noqa: E731
    best = F(0)
    for changed in range(before, before + n):
        at = [dict(spread) if i == changed else dict.fromkeys(NAMES, F(0)) for i in range(length)]
        for layer in made.layers:
            new = [dict(row) for row in at]
            for head in layer.attention.heads:
                for i in range(length):
                    seen = list(SEES[head.mask](i, length))
                    for r, c in itertools.product(range(len(head.writes)), range(len(head.reads))):
                        total = sum((at[j][head.reads[c]] for j in seen), F(0))
                        new[i][head.writes[r]] += size(head.V[r, c]) * total / max(len(seen), 1)
            at = new
            if layer.feedforward is not None:
                net, new = layer.feedforward, [dict(row) for row in at]
                for i, h, r in itertools.product(range(length), range(net.hidden), range(len(net.writes))):
                    moved = sum((size(net.W1[h, c]) * at[i][name] for c, name in enumerate(net.reads)), F(0))
                    new[i][net.writes[r]] += size(net.W2[r, h]) * moved
                at = new
        each = readout.position in ("each", "all")
        places = range(length) if each else [0 if readout.position == "first" else length - 1]
        for place in places:
            if each and place == changed:
                continue
            values = [at[place][c] for c in readout.reads]
            if readout.weights is not None:
                weights = readout.weights
                values = [
                    sum((size(weights[r, c]) * v for c, v in enumerate(values)), F(0)) for r in range(weights.shape[0])
                ]
            best = max(best, *values)
    return best


def check(made, n):
    found = sensitivity(made, n)
    best, own = brute(made, n)
    assert found.extra["value times n"] == str(best * n)
    assert found.extra["C"] == str(constant(made, n) * n)
    assert found.holds is True
    if made.readout.position in ("each", "all"):
        assert found.extra["at the changed position"] == str(own)
    twice = constant(made, 2 * n) * 2 * n
    said = found.extra.get("C grows with n")
    assert said == (f"it is {twice} for n = {2 * n}" if twice > constant(made, n) * n else None)
    named(made, found, best)
    return found


def named(made, found, best):
    """The words that the answer names show the change, in a coordinate or score of that name."""
    if best == 0:
        assert found.where == "no symbol changes an output"
        return
    name, words = found.where.removeprefix("by ").split(" between ")
    one, two = (w.split() if " " in w else list(w) for w in words.split(" and "))
    names = {"sign": ("logit",), "largest": made.readout.labels}.get(made.readout.kind, made.readout.reads)
    pair = [shown(made, w) for w in (one, two)]
    assert sum(a != b for a, b in zip(one, two, strict=True)) == 1
    k = list(names).index(name)
    assert best in {abs(a[k] - b[k]) for a, b in zip(*pair, strict=True)}


@pytest.mark.layer_one(0, 27)
@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize(
    ("mask", "mask2", "before", "after"),
    [
        ("none", "none", None, None),
        ("future", "strict-future", "BOS", None),
        ("past", "strict-past", None, "EOS"),
        ("strict-past", "future", "BOS", "EOS"),
        ("strict-future", "past", None, None),
    ],
)
def test_the_change_and_the_constant_by_brute_force(readout, mask, mask2, before, after):
    check(model(READOUTS[readout], *layers(mask, mask2), before=before, after=after), 3)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("readout", ["sign", "value", "each"])
def test_the_change_from_a_string_of_a_language_by_brute_force(readout):
    """The other string is any one."""
    language = "yx(x|z)"
    made = model(READOUTS[readout], *layers("future", "none"))
    found = sensitivity(made, 3, inputs=language)
    best, own = brute(made, 3, lambda word: re.fullmatch(language, "".join(word)))
    assert found.extra["value times n"] == str(best * 3) and best < brute(made, 3)[0]
    assert readout != "each" or found.extra["at the changed position"] == str(own)
    named(made, found, best)


@pytest.mark.parametrize("before", [None, "BOS"])
@pytest.mark.parametrize("position", ["each", "all"])
def test_one_symbol_alone(position, before):
    """n = 1: at the changed position nothing counts; BOS is another position, and without one there is none."""
    kind = "value" if position == "each" else "zero"
    head = mean(("s", "t"), ("m",), [[1, -1]])
    made = model(Readout(kind, position, ("m",)), Layer(SelfAttention((head,)), None), before=before)
    if before is None:
        with pytest.raises(BadInput, match="a position other than that of the changed symbol; given: made with n = 1"):
            sensitivity(made, 1)
    else:
        found = check(made, 1)
        assert found.extra["value times n"] != "0" and found.labels[0] == "largest change at the other positions"


def test_numbers_that_are_not_rational():
    """The embedding, the readout's weight or V holds a root; by hand, and no C/n is claimed."""
    head = mean(("s",), ("m",), [[1]])
    plain = Layer(SelfAttention((head,)), None)
    for words, weight, layer, change in (
        ({"x": {"s": 1}, "y": {"s": 2}}, "sqrt(2)", plain, mpmath.sqrt(2)),
        ({"x": {"s": 1}, "y": {"s": "sqrt(2)"}}, 1, plain, mpmath.sqrt(2) - 1),
        (
            {"x": {"s": 1}, "y": {"s": 3}},
            1,
            Layer(SelfAttention((mean(("s",), ("m",), [["pi"]]),)), None),
            2 * mpmath.pi,
        ),
    ):
        made = model(Readout("sign", "last", ("m",), [[weight]]), layer, words=words)
        for n in (1, 2):
            found = sensitivity(made, n, digits=12)
            assert abs(mpmath.mpf(found.value.mid) - change / n) < mpmath.mpf(10) ** -11
            assert found.claimed is None and found.holds is None
            assert found.extra["no proved C/n"] == "the model has numbers that are not rational"


def test_position_0_is_the_most_sensitive():
    """Only position 0 sees much of what changes behind it: it sees position 1, the others the positions before them."""
    words = {"x": {"s": 1}, "y": {"s": 4}}
    head = mean(("s",), ("m",), [[1]], "strict-past")
    made = model(Readout("value", "each", ("m",)), Layer(SelfAttention((head,)), None), words=words)
    assert check(made, 2).extra["value times n"] == "6"


@pytest.mark.sweep
def test_random_models():
    rng = random.Random(9)
    for _ in range(12):
        readout = READOUTS[rng.choice(list(READOUTS))]
        added = rng.choice([(None, None), ("BOS", None), (None, "EOS"), ("BOS", "EOS")])
        made = model(readout, *layers(rng.choice(MASKS), rng.choice(MASKS)), before=added[0], after=added[1])
        check(made, rng.randint(1, 3))


@pytest.mark.sweep
def test_strings_with_the_same_outputs_count_once(monkeypatch):
    """Where symbols at some positions may be exchanged: by brute force, and in balls as by each string alone."""
    words = {"x": {"s": 1, "t": -1}, "y": {"s": F(1, 3), "t": 1}}
    cases = [
        ("sign", {"words": words}),
        ("value", {"words": words, "before": "BOS"}),
        ("largest", {"words": words, "after": "EOS", "positions": {"p": "i/n"}}),
        ("sign", {"words": {"x": {"s": 1}, "y": {"s": 1}}}),  # rows that are equal
    ]
    made = [model(READOUTS[readout], *layers("none", "none"), **more) for readout, more in cases]
    with monkeypatch.context() as context:
        context.setattr("symcook.bounds.flips.words_of_length", None)  # all of them are not gone through
        for one in made:
            check(one, 6)
        found = sensitivity(build("parity").bind(), 7, digits=12).to_json()
    monkeypatch.setattr("symcook.bounds.flips._by_classes", lambda *_: None)
    assert found == sensitivity(build("parity").bind(), 7, digits=12).to_json()
    with pytest.raises(BadInput, match=r"at most 4096 strings.*2\^40"):
        sensitivity(build("parity").bind(), 40)


def test_long_tokens_are_named_apart():
    words = {"go": {"s": 1}, "stop": {"s": 2}}
    head = mean(("s",), ("m",), [[1]])
    made = model(Readout("value", "last", ("m",)), Layer(SelfAttention((head,)), None), words=words)
    found = sensitivity(made, 2)
    assert found.where == "by m between go go and stop go"
    words = {"a": {"s": 1}, "b": {"s": 2}, "stop": {"s": "3/2"}}  # and in a word that has none, as it must be typed
    made = model(Readout("value", "last", ("m",)), Layer(SelfAttention((head,)), None), words=words)
    assert sensitivity(made, 2).where == "by m between a a and b a"


def test_the_constant_grows_where_the_symbol_itself_is_read():
    """Without attention a symbol moves the output by the same at every n: C is n times that."""
    made = model(Readout("value", "last", ("t",)), Layer(None, NET))
    found = sensitivity(made, 3)
    assert found.extra["C grows with n"] == f"it is {2 * F(found.extra['C'])} for n = 6"


def test_numbers_of_many_digits():
    """Beyond what Python writes of an integer."""
    tiny = F(1, 10**5000 + 1)
    words = {"x": {}, "y": {"s": tiny}}
    head = mean(("s",), ("m",), [[1]])
    made = model(Readout("value", "last", ("m",)), Layer(SelfAttention((head,)), None), words=words)
    found = sensitivity(made, 2)
    assert found.extra["C"] == found.extra["value times n"] == "1/1" + "0" * 4999 + "1"
    assert found.value.mid == "5e-5001"


SOFT = Head(("s", "t"), ("m",), Q=[[1, 0]], K=[[1, 2]], V=[[1, 1]], mask="future", weighting="softmax", temperature="i")
NORM = LayerNorm(NAMES, gain=[1, 2, 1, 1], bias=[0, 1, 0, 0], epsilon=F(1, 4))
IRREGULAR = {
    "softmax": model(READOUTS["sign"], Layer(SelfAttention((SOFT,)), NET), before="CLS"),
    "norm": model(READOUTS["value"], Layer(None, NET, (), (NORM,), "post")),
    "each": model(READOUTS["each"], Layer(SelfAttention((SOFT,)), None), after="EOS"),
    "gelu": model(READOUTS["sign"], Layer(None, FeedForward(("s",), ("m",), [[1]], [0], [[1]], [0], "gelu"))),
    "final norm": replace(model(READOUTS["value"], Layer(None, NET)), final_norm=NORM),
    "unique": model(
        READOUTS["value"], Layer(SelfAttention((replace(SOFT, weighting="leftmost", temperature=1),)), None)
    ),
    "probabilities": model(
        Readout("distribution", "last", ("s", "m"), [[1, 0], [0, 2], [1, 1]], ("u", "v", "w")), Layer(None, NET)
    ),
    "parity": build("parity").bind(),
    "first-layernorm": build("first-layernorm").bind(),
}


WHY = {
    "softmax": "scores or a unique choice in layer 1", "unique": "scores or a unique choice in layer 1",
    "norm": "a layer norm in layer 1", "final norm": "a final norm", "gelu": "gelu in layer 1",
    "probabilities": "probabilities of a softmax", "each": "scores or a unique choice in layer 1",
}  # fmt: skip


@pytest.mark.layer_one(0, 3, 5, 6)
@pytest.mark.parametrize("name", IRREGULAR)
def test_scores_and_norms_by_brute_force(name):
    """The greatest difference of two words that differ in one symbol, in the plain pass at 50 digits."""
    made, n, number = IRREGULAR[name], 3, dense.decimal(50)
    each = made.readout.position == "each"
    shown, best, own = {}, 0, 0
    for word in itertools.product(made.alphabet, repeat=n):
        rows = [values for values, _ in dense.read(made, dense.typed(made, word), number)]
        if made.readout.kind == "sign":
            rows = [{"logit": row["logit"]} for row in rows]
        shown[word] = rows if each else [rows[0 if made.readout.position == "first" else -1]]
    with mpmath.workdps(50):
        for one, other in itertools.combinations(shown, 2):
            changed = [k for k in range(n) if one[k] != other[k]]
            if len(changed) != 1:
                continue
            for place, (a, b) in enumerate(zip(shown[one], shown[other], strict=True)):
                here = max(abs(a[key] - b[key]) for key in a)
                if each and place == changed[0] + (made.embedding.before is not None):
                    own = max(own, here)
                else:
                    best = max(best, here)
        found = sensitivity(made, n, digits=20)
        assert abs(mpmath.mpf(found.value.mid) - best) < mpmath.mpf(10) ** -18
        assert found.claimed is None and found.holds is None and WHY.get(name, "") in found.extra["no proved C/n"]
        assert abs(mpmath.mpf(found.extra["value times n"].mid) - n * best) < mpmath.mpf(10) ** -17
        key, words = found.where.removeprefix("by ").split(" between ")  # two words that show the change
        one, other = (tuple(w.split()) if " " in w else tuple(w) for w in words.split(" and "))
        changed = [k for k in range(n) if one[k] != other[k]]
        pairs = zip(shown[one], shown[other], strict=True)
        moved = {place: abs(a[key] - b[key]) for place, (a, b) in enumerate(pairs)}
        if each:
            moved.pop(changed[0] + (made.embedding.before is not None))
        assert len(changed) == 1 and abs(max(moved.values()) - best) < mpmath.mpf(10) ** -30
        if each:
            assert abs(mpmath.mpf(found.extra["at the changed position"].mid) - own) < mpmath.mpf(10) ** -18


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize(("words", "n"), [({"x": {"s": 1, "t": 2}}, 30), (None, 2)])
def test_where_no_symbol_changes_an_output(soft, words, n):
    """One letter has one word of each length, and a coordinate that positions alone write is the same for all words."""
    parts = SOFT if soft else mean(("s", "t"), ("m",), [[1, -1]])
    seen = "m" if words else "p"
    found = sensitivity(
        model(Readout("value", "last", (seen,)), Layer(SelfAttention((parts,)), None), words=words), n, digits=5
    )
    assert found.value.mid == "0" and found.where == "no symbol changes an output"
    assert found.extra["no proved C/n" if soft else "C"] == (f"the model has {WHY['softmax']}" if soft else "0")
