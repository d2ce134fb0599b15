"""A model of your own: are there more a than b? Run this file, then try the commands that it prints."""

import os
import shlex

import symcook as sc


def build() -> sc.Transformer:
    """Average +1 for a and -1 for b over the prefix; at the last position the mean is positive iff a wins."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = b.add(sc.head(value={"mean": "vote"}, mask="future"))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("majority")


def majority(word: str) -> bool:
    """What the model should answer."""
    return word.count("a") > word.count("b")


if __name__ == "__main__":
    build().save("mine.json", force=True)
    print("saved mine.json; now try")
    print("  symcook run mine.json --input abcaa")
    print(f"  symcook check mine.json --spec {shlex.quote(os.path.relpath(__file__))}:majority --max-length 10")
