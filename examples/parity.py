"""PARITY, built by name: softmax attention, CLS, and a sharpness c that stays a symbol. Run it, then use parity.json.

k is the number of ones, positions count from 0 at CLS, n counts CLS. Source: Chiang and Cholak 2022, Section 3.2.
"""

import os
import shlex

import symcook as sc

signs = {"even": "(-1)^i", "odd": "-(-1)^i", "place": "i/n"}
b = sc.Builder(words={"0": {}, "1": {"one": 1}, "CLS": {"start": 1}}, positions=signs, start=0, before="CLS")
c = b.symbol("c", default=1, lower=0)

# What every position learns of the whole word: the share of ones k/n, and 1/n.
b.add(sc.head(value={"ones": "one", "unit": "start"}))

# I[i = k]/n, by three ReLUs.
b.add(sc.feedforward(hit="relu(ones - place - unit) - 2*relu(ones - place) + relu(ones - place + unit)"))

# One head looks at odd positions, one at even ones; CLS sees which of them holds position k.
b.add(sc.head({("start", "odd"): c}, {"odd_share": "hit"}, weighting="softmax"))
b.add(sc.head({("start", "even"): c}, {"even_share": "hit"}, weighting="softmax"))

b.readout("sign", "first", ("odd_share", "even_share"), weights=[1, -1])
model = b.build("my-parity", source="Chiang and Cholak 2022, Section 3.2")


def odd(word):
    """The reference for `symcook check`: is the number of ones odd?"""
    return word.count("1") % 2 == 1


if __name__ == "__main__":
    model.save("parity.json", force=True)
    print("saved parity.json; now try")
    print("  symcook run parity.json --input 0110")
    print(f"  symcook check parity.json --spec {shlex.quote(os.path.relpath(__file__))}:odd --max-length 6")
