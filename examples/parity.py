"""PARITY, built by name: softmax attention, CLS, a sharpness c that stays a symbol. Run it, then use parity.json.

Source: Chiang and Cholak 2022, Section 3.2, without layer norm. k is the number of ones, positions count from 0 at CLS.
"""

from pathlib import Path

import symcook as sc

signs = {"even": "(-1)^i", "odd": "-(-1)^i", "place": "i/n"}  # cos(i pi), its negative, i/n
b = sc.Builder(words={"0": {}, "1": {"one": 1}, "CLS": {"start": 1}}, positions=signs, start=0, before="CLS")
c = b.symbol("c", default=1, lower=0)

# First layer: what every position learns of the whole word: k/n and 1/n.
b.add(sc.head(value={"ones": "one", "unit": "start"}))

# I[i = k]/n, by three ReLUs.
b.add(sc.feedforward(
    hit="relu(ones - place - unit) - 2*relu(ones - place) + relu(ones - place + unit)"
))  # fmt: skip

# Second layer: one head looks at odd positions, one at even ones; CLS sees which of them holds the k-th position.
b.add(sc.head({("start", "odd"): c}, {"odd_share": "hit"}, weighting="softmax"))
b.add(sc.head({("start", "even"): c}, {"even_share": "hit"}, weighting="softmax"))

b.readout("sign", "first", ("odd_share", "even_share"), weights=[1, -1])  # accept iff the number of ones is odd
model = b.build("my-parity", source="Chiang and Cholak 2022, Section 3.2")


def odd(word):
    """The reference for `symcook check`: is the number of ones odd?"""
    return word.count("1") % 2 == 1


if __name__ == "__main__":
    model.save("parity.json", force=True)
    print(f"saved {Path('parity.json')}; now try\n  symcook run parity.json --input 0110")
