"""A Boolean program and a recogniser, step by step from recipes, and two models side by side. Run this file."""

from symcook.compose import Builder, parallel, reverse
from symcook.model.transformer import Transformer
from symcook.recipes import build


def program() -> Transformer:
    """(p & q) | ~(q & r): the two ands stand side by side, so four steps take three layers."""
    b = Builder(inputs=("p", "q", "r"))
    b.recipe("left", "boolean", table="0001", reads={"p1": "p", "p2": "q"})
    b.recipe("right", "boolean", table="0001", reads={"p1": "q", "p2": "r"})
    b.recipe("negated", "boolean", table="10", reads={"p1": "right"})
    b.recipe("either", "boolean", table="0111", reads={"p1": "left", "p2": "negated"})
    b.readout("value", "last", "either")
    return b.build("program")


def brackets(longest: int) -> Transformer:
    """Well-nested brackets up to a length: no prefix closes more than it opens, and the whole word closes all."""
    b = Builder(words={"(": {"token": 1}, ")": {"token": -1}}, max_length=longest)
    b.symbol("eps", f"1/{longest**2}", lower=0, upper=f"1/{longest**2}")
    b.attention("balance", "token", mask="future")
    b.feedforward("error", "balance", W1=[[-1]], b1=[0], W2=[[1]])
    b.attention("total", "error", mask="future")
    b.recipe("unviolated", "eqzero", reads={"x": "total"}, values={"eps": "eps"})
    b.recipe("level", "eqzero", reads={"x": "balance"}, values={"eps": "eps"})
    b.recipe("accepted", "min", reads={"x": "unviolated", "y": "level"})
    b.readout("sign", "last", "accepted", weights=[1])
    return b.build("brackets")


def balanced(word: str) -> bool:
    """What `brackets` should answer."""
    while "()" in word:
        word = word.replace("()", "")
    return word == ""


if __name__ == "__main__":
    bits = {"p": 0, "q": 1, "r": 1}
    print(f"program: {len(program().layers)} layers, on {bits} it gives {program().run(bits).output}")
    model = brackets(16)
    for word in ("(())", "())("):
        print(f"brackets: {len(model.layers)} layers, {word} is {'accepted' if model.run(word).accept else 'rejected'}")
    print(f"its mirror image: )( is {'accepted' if reverse(model).run(')(').accept else 'rejected'}")
    both = parallel(build("min"), build("max"))
    print(
        f"min and max side by side: {len(both.layers)} layer, on 3 and 5 it gives {both.run({'x': 3, 'y': 5}).output}"
    )
    model.save("brackets.json", force=True)
    print("saved brackets.json; now try")
    print("  symcook check brackets.json --spec compose.py:balanced --max-length 10")
