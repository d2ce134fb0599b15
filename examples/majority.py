"""A model of one's own: accept a word over a, b where more than the share t (default one half) is a.

    python examples/majority.py
    symcook derive majority.json --input aab
    symcook check majority.json --max-length 10 --spec examples/majority.py:majority
"""

from symcook.blocks import Embedding, FeedForward, Head, Layer, Parameter, Readout, Space, Transformer

space = Space(("a", "share", "excess"))
average = Head(("a",), ("share",), Q=[[0]], K=[[0]], V=[[1]])
above = FeedForward(("share",), ("excess",), W1=[[1]], b1=["-t"], W2=[[1]], b2=[0])
model = Transformer(
    "majority",
    Embedding(space, words={"a": {"a": 1}, "b": {}}),
    (Layer(average, above),),
    Readout("sign", "last", ("excess",), weights=[[1]]),
    parameters=(Parameter("t", default="1/2", lower=0, upper=1),),
)


def majority(word: str) -> bool:
    """What the model should say where t = 1/2."""
    return word.count("a") > word.count("b")


if __name__ == "__main__":
    print("wrote", model.save("majority.json"))
