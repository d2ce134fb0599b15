"""Write the model files that statements name: proofs/models/NAME.json, each equal to its recipe (a test compares them).
The constructions below are recipes with other arguments, without a greatest length, or behind another layer.

python proofs/models.py [RECIPE]...

writes again what is stored, and stores the recipes named, which a statement can then name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from symcook.compose import confident
from symcook.compose.builder import Builder
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.family import load
from symcook.model.instance import instance
from symcook.model.modelfile import save
from symcook.model.parts import Layer
from symcook.model.transformer import Parameter, Transformer
from symcook.model.weights import feedforward, head
from symcook.recipes import build

MODELS = Path(__file__).resolve().parent / "models"


def variant(name: str, recipe: str, **arguments: object) -> Callable[[], Transformer]:
    """A recipe with other arguments than its defaults, stored under a name of its own."""
    return lambda: replace(build(recipe, **arguments), name=name)


def converter(given: str, wanted: str) -> Callable[[], Transformer]:
    """convert-boolean from one row of Table 4 to another."""
    return variant(f"convert-{given}-{wanted}", "convert-boolean", given=given, wanted=wanted)


def endless(name: str, recipe: str) -> Callable[[], Transformer]:
    """A recipe without its greatest length, for what holds of the same network at every length."""
    return lambda: replace(build(recipe), name=name, max_length=None)


def surer(name: str, recipe: str) -> Callable[[], Transformer]:
    """A recipe behind the layer of Chiang and Cholak's Proposition 2, whose answers have the logits 1 and -1."""
    return lambda: replace(confident(build(recipe), 1), name=name)


def between() -> Transformer:
    """The conditional of Section 4.9 for numbers of any interval from low to high."""
    block = feedforward(
        out="relu((high - low)*p + x - high) + relu((low - high)*p + y - low) + low", symbols=("low", "high")
    )
    embedding = Embedding(Space(("p", "x", "y", "out")), inputs=("p", "x", "y"))
    return Transformer(
        "if-between", embedding, (Layer(None, block),), Readout("value", "last", ("out",)),
        source="Cookbook, Section 4.9", parameters=(Parameter("low"), Parameter("high")),
    )  # fmt: skip


def defaulted() -> Transformer:
    """The predecessor of Section 5.4 with any number e from 0 to 1 at the first position."""
    model = build("predecessor")
    out = "relu(first + e - 1) + relu(pred - first)"
    last = feedforward(reads=("first", "pred"), out=out, symbols=("e",))
    return replace(
        model, name="predecessor-default", layers=(*model.layers[:-1], Layer(None, last)),
        parameters=(Parameter("e", lower=0, upper=1, lower_open=False),),
    )  # fmt: skip


def majority() -> Transformer:
    """The model of the README: more a's than b's."""
    builder = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = builder.add(head(value={"mean": "vote"}, mask="future"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("majority")


def flip_flop() -> Transformer:
    """The flip-flop language by average-hard attention with a gap of 1/n: instructions w, r and i and bits in turn, a w
    first, and after each r the bit that was written last."""
    words = {"w": {"write": 1}, "r": {"read": 1}, "i": {}, "0": {"data": 1}, "1": {"data": 1, "digit": 1}}
    positions = {"one": 1, "sign": "(-1)^i", "share": "i/n", "first": "I[i = 1]"}
    instruction = head({("one", "sign"): -1, ("one", "share"): 1}, {"wrote": "write", "asked": "read"}, mask="future")
    marks = feedforward(
        saved="relu(wrote + data - 1)", uneven="relu(-sign)",
        wrong="relu(data - sign - 1) + relu(sign - data) + relu(first - write)",
    )  # fmt: skip
    latest = head({("one", "saved"): 1, ("one", "share"): 1}, {"kept": "digit"}, mask="future")
    differs = feedforward(
        differs="relu(asked + data + digit - kept - 2) + relu(asked + data + kept - digit - 2)",
    )
    total = head(value={"flaws": "wrong", "errors": "differs"}, mask="future")
    added = ("wrote", "asked", "saved", "uneven", "wrong", "kept", "differs", "flaws", "errors")
    space = Space(("write", "read", "data", "digit", *positions, *added))
    return Transformer(
        "flip-flop", Embedding(space, words=words, positions=positions),
        (Layer(instruction, marks), Layer(latest, differs), Layer(total)),
        Readout("zero", "last", ("flaws", "errors", "uneven")),
        source="Yang et al., Section 6",
    )  # fmt: skip


class OfFamily(NamedTuple):
    """An instance of a family, stored under a name of its own; its bridge has these values too (scripts/bridges.py)."""

    name: str
    family: str
    tokens: Sequence[str] | None
    values: dict[str, str]

    def __call__(self) -> Transformer:
        return instance(load(MODELS.parent / "families" / f"{self.family}.json"), self.values, self.tokens, self.name)


def of_family(name: str, family: str, tokens: Sequence[str] | None = None, **values: object) -> OfFamily:
    return OfFamily(name, family, tokens, {key: str(value) for key, value in values.items()})


PARITY = {"K": 2, "S": 2, "first": 1, "delta": "1 2 2 1", "final": "0 1"}
"""The automaton of the words over a and b with an odd number of b, without the root R of its codes."""

OTHERS: dict[str, Callable[[], Transformer]] = {
    "if-between": between,
    "flip-flop": flip_flop,
    "majority": majority,
    "predecessor-default": defaulted,
    "predecessor-strict-average": variant("predecessor-strict-average", "predecessor-strict", weighting="average"),
    "first-position-softmax": variant("first-position-softmax", "first-position", weighting="softmax"),
    "first-position-leftmost": variant("first-position-leftmost", "first-position", weighting="leftmost"),
    "multiply-gelu": variant("multiply-gelu", "multiply-gelu"),
    "max-by-gelu": variant("max-by-gelu", "by-gelu", f="max"),
    "parity-scaled": variant("parity-scaled", "parity", scaled="yes"),
    "first-scaled": variant("first-scaled", "first", scaled="yes"),
    "first-flawed-scaled": variant("first-flawed-scaled", "first-flawed", scaled="yes"),
    "first-layernorm-scaled": variant("first-layernorm-scaled", "first-layernorm", scaled="yes"),
    "first-layernorm-surer": surer("first-layernorm-surer", "first-layernorm"),
    "parity-layernorm-surer": surer("parity-layernorm-surer", "parity-layernorm"),
    "dyck-1-nonuniform-endless": endless("dyck-1-nonuniform-endless", "dyck-1-nonuniform"),
    "average-softmax": variant("average-softmax", "average", weighting="softmax"),
    "prefix-average-softmax": variant("prefix-average-softmax", "prefix-average", weighting="softmax"),
    "positional-encoding-share": variant("positional-encoding-share", "positional-encoding", kind="share"),
    "positional-encoding-powers": variant("positional-encoding-powers", "positional-encoding", kind="powers", powers=3),
    "tie-break-leftmost": variant("tie-break-leftmost", "tie-break", term="1/j"),
    "tie-break-rightmost-n": variant("tie-break-rightmost-n", "tie-break", term="j/n"),
    "tie-break-leftmost-n": variant("tie-break-leftmost-n", "tie-break", term="-j/n"),
    "tie-break-table-2": variant("tie-break-table-2", "tie-break", term="-1/(j + 1)"),
    "tie-break-leftmost-table-2": variant("tie-break-leftmost-table-2", "tie-break", term="1/(j + 1)"),
    "max-of-three": of_family("max-of-three", "max", K=3),
    "min-of-three": of_family("min-of-three", "min", K=3),
    "network-of-three": of_family(
        "network-of-three", "network", d=2, h=3, e=2, W="1 0 1 -1 0 2", b="0 1 -1/2", V="1 -1 0 0 2 1", c="0 1"
    ),
    "sawtooth-of-three": of_family(  # 1 where 8 x is 1, 3, 5, 7, and 0 where it is 0, 2, 4, 6, 8
        "sawtooth-of-three",
        "relu-network",
        L=3,
        m=2,
        A="1 1",
        W="2 -4 2 -4 2 -4 2 -4",
        b="0 -1/2 0 -1/2 0 -1/2",
        V="2 -4",
        c="0",
    ),
    "abs-of-two": of_family("abs-of-two", "copies", d=2, h=2, W="1 -1", b="0 0", V="1 1"),
    "boolean-signs": of_family("boolean-signs", "boolean-signs", m=2, M=4, xi="0 0 0 1 1 0 1 1", phi="0 1 1 0"),
    "count-of-two": of_family("count-of-two", "count", S=2),
    "automaton-parity": of_family(  # the words over a and b with an odd number of b, by states p and q
        "automaton-parity",
        "automaton",
        ("$", "a", "b", "p", "q", "no", "yes"),
        R=4,
        **PARITY,
    ),
    "automaton-run-parity": of_family(  # the same words, with the state that it begins with
        "automaton-run-parity",
        "automaton-run",
        ("$", "a", "b", "p", "q", "no", "yes"),
        R=3,
        **PARITY,
    ),
    "automaton-nonstrict-parity": of_family(  # the same words, by a decoder whose columns see themselves
        "automaton-nonstrict-parity",
        "automaton-nonstrict",
        ("$", "a", "b", "p", "q", "no", "yes"),
        R=3,
        **PARITY,
    ),
    "automaton-no-start-parity": of_family(  # the same words, without $
        "automaton-no-start-parity",
        "automaton-no-start",
        ("no", "a", "b", "p", "q", "yes"),
        R=3,
        **PARITY,
    ),
    "turing-step": of_family(  # one row: the letter under the head of the input is written, and the machine halts there
        "turing-step",
        "turing",
        ("$", "a", "step", "end", "A"),
        **{"Q": 2, "S": 1, "G": 1, "K": 1, "R": 1, "first": 1, "final": "0 1", "from": "1"},
        to="2",
        read="1 0",
        print="0 1",
        move="1 0",
    ),
    "since-formula": of_family(  # not since(a, b)
        "since-formula",
        "since",
        "ab",
        L=4,
        S=2,
        scaled=0,
        op="0 0 4 1",
        letter="0 1 0 0",
        left="1 1 1 3",
        right="1 1 2 3",
    ),
    "temporal-formula": of_family(  # since(prev a, next a)
        "temporal-formula",
        "temporal",
        "ab",
        L=4,
        S=2,
        scaled=0,
        op="0 6 7 4",
        letter="0 0 0 0",
        left="1 1 1 2",
        right="1 1 1 3",
    ),
    "temporal-past-formula": of_family(  # since(prev a, b)
        "temporal-past-formula",
        "temporal-past",
        "ab",
        L=4,
        S=2,
        scaled=1,
        op="0 0 6 4",
        letter="0 1 0 0",
        left="1 1 1 3",
        right="1 1 1 2",
    ),
    "counting-formula": of_family(  # more a to the left than to the right
        "counting-formula",
        "counting",
        "ab",
        L=2,
        S=2,
        N=2,
        Lambda=2,
        scaled=0,
        op="0 11",
        letter="0 0",
        left="1 1",
        right="1 1",
        theta="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        lam="0 0 1 0",
        rho="0 0 -1 0",
        bound="0 0",
    ),
    "counting-past-formula": of_family(  # at how many positions up to here has there been an a: once
        "counting-past-formula",
        "counting-past",
        "ab",
        L=3,
        S=2,
        N=2,
        Lambda=2,
        op="0 11 9",
        letter="0 0 0",
        left="1 1 2",
        right="1 1 1",
        theta="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 1 0",
        lam="0 0 0 2 0 0 0 0 0",
        bound="0 1 0",
    ),
    "logic-formula": of_family(  # more a behind an a up to here than a from here on
        "logic-formula",
        "logic",
        "ab",
        L=3,
        S=2,
        N=2,
        Lambda=2,
        scaled=0,
        op="0 6 11",
        letter="0 0 0",
        left="1 1 1",
        right="1 1 1",
        theta="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        lam="0 0 0 0 0 0 0 1 0",
        rho="0 0 0 0 0 0 -1 0 0",
        bound="0 0 0",
    ),
    "logic-past-formula": of_family(  # one a more up to here than before: here is one
        "logic-past-formula",
        "logic-past",
        "ab",
        L=3,
        S=2,
        N=2,
        Lambda=2,
        op="0 6 11",
        letter="0 0 0",
        left="1 1 1",
        right="1 1 1",
        theta="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        lam="0 0 0 0 0 0 1 -1 0",
        bound="0 0 0",
    ),
    "attention-identity": of_family("attention-identity", "attention-identity", d=2, h=1, Q="1 0", W="0 1"),
    "lookup-tetrahedron": of_family(
        "lookup-tetrahedron",
        "lookup-almost-orthogonal",
        N=4,
        m=3,
        c="1/3",
        eps="1/3",
        X="1 1 -1 -1 1 -1 1 -1 1 -1 -1 1",
    ),
    "tie-break-of-a-head": of_family(
        "tie-break-of-a-head", "tie-break", d=2, h=1, gamma="1/2", side=-1, Q="1 0", W="0 1"
    ),
    "induction-by-term": of_family("induction-by-term", "induction-by-term", "ABCD", S=4, term=1, beta=1),
    "since-until-formula": of_family(  # until(not a, since(a, b))
        "since-until-formula",
        "since-until",
        "ab",
        L=5,
        S=2,
        scaled=0,
        op="0 0 1 4 5",
        letter="0 1 0 0 0",
        left="1 1 1 1 3",
        right="1 1 1 2 4",
    ),
    **{
        f"convert-{given}-{wanted}": converter(given, wanted)
        for given, wanted in (
            *product(("zero-one", "signs", "zero-or-more", "pair"), ("zero-one", "signs", "pair")),
            *product(("open", "pair-delta"), ("open", "pair-delta")),
        )
    },
}
"""Stored models that are a recipe with other arguments, or behind another layer. Of the converters one for each
network: what makes zero-one of a row of Table 4 with a gap gives closed and zero-or-more too, signs open, pair
pair-delta; from the others what keeps the sign makes open and closed."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", metavar="RECIPE")
    given = parser.parse_args().recipes
    MODELS.mkdir(exist_ok=True)
    stored = {path.stem for path in MODELS.glob("*.json")} - set(OTHERS)
    try:
        made = {name: build(name) for name in sorted(stored | set(given))}
    except BadInput as error:
        print(error.sentence, file=sys.stderr)
        return error.exit_code
    for name, model in (made | {name: make() for name, make in OTHERS.items()}).items():
        save(model, MODELS / f"{name}.json", force=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
