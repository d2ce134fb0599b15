"""What a forward pass must compute for its readout, and when balls have settled: models where only a part is shown."""

from fractions import Fraction

import dense
import pytest
from families import together

from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.run import run

NAMES = ("x", "y", "z")


@together("reads", ["x", "y", "z"])
@together("placement", ["post", "pre", "none"])
def test_a_norm_over_the_stream_needs_all_of_it(reads, placement):
    """A post-norm behind a head that writes z, then a part without norm; the readout reads one coordinate."""
    head = Head(("x",), ("z",), Q=[[0]], K=[[0]], V=[[3]], mask="future")
    norm = LayerNorm(NAMES, epsilon=1, gain=[1, 2, 3], bias=[0, 1, -1])
    block = FeedForward(("x",), ("x",), [[1]], [1], [[2]], [0])
    normed = Layer(SelfAttention((head,)), attention_norms=() if placement == "none" else (norm,), placement=placement)
    model = Transformer(
        "normed",
        Embedding(Space(NAMES), inputs=("x", "y")),
        (normed, Layer(None, block), Layer(None, FeedForward(("z",), ("z",), [[1]], [0], [[1]], [0]))),
        Readout("value", "each", (reads,)),
    )
    rows = [{"x": Fraction(1), "y": Fraction(-2)}, {"x": Fraction(4), "y": Fraction(1, 3)}]
    expected = dense.run(model, rows, dense.decimal(40))
    shown = run(model, rows, "ball", digits=30).outputs
    for state, ball in zip(expected, shown, strict=True):
        assert abs(float(state[reads]) - float(Fraction(ball["mid"]))) < 1e-12
    if placement == "post":
        assert model.live[1] == set(NAMES)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_balls_settle_at_every_position_of_an_each_readout(place):
    """10^60 + sqrt(2) - 10^60 at one position needs 60 digits more than zero at the others."""
    model = Transformer(
        "each",
        Embedding(Space(("x", "y", "one", "z")), inputs=("x", "y"), positions={"one": 1}),
        (Layer(None, FeedForward(("x", "y"), ("z",), [[1, -1]], [0], [[1]], [0])),),
        Readout("value", "each", ("z",)),
    )
    rows = [{"x": "10^60 + sqrt(2)", "y": "10^60"} if p == place else {"x": 0, "y": 0} for p in range(3)]
    answer = run(model, rows, "ball", digits=30).outputs
    assert Fraction(answer[place]["rad"]) <= Fraction(1, 10**30)
    assert answer[place]["mid"].startswith("1.41421356237309504880168872420")
