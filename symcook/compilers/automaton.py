"""Compiler from automata to decoders that output their run, the states and then the verdict, one token at a time.

The result is an instance of the family automaton-run, with names for its tokens; with `--theorem 1`, of one of the
families that leave out the first state. So a theorem about the family holds for each compiled automaton: an instance
certificate connects the weights with the family (`symcook.proof.bridges.decoders`).
Source: Merrill and Sabharwal (2024), Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import TypeVar

from symcook.model.checks import MAX_LABEL, Space
from symcook.model.family import load, shipped
from symcook.model.instance import Instance
from symcook.model.parts import Head, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.transformer import Program, Transformer
from symcook.programs import AUTOMATA
from symcook.programs.automata import Automaton
from symcook.programs.running import START, VERDICTS, tokens_of
from symcook.recipes.models import instance_of, said

READS = PartsRead("the compiler of automata")

FAMILY = "automaton-run"
"""The family of the decoders that output the first state too."""
COUNTED = {"strict": "automaton", "nonstrict": "automaton-nonstrict", "no-start": "automaton-no-start"}
"""The families of the decoders with |x| + 1 tokens, by variant."""
MASK = "strict-future"
"""The mask of all heads but in the variant "nonstrict"."""
HALF = Fraction(1, 2)
T = TypeVar("T")
"""The type of the tokens of a run."""


def settings(table: Automaton, entries: int = 0) -> dict[str, str]:
    """The sizes and tables of the family whose instance is the decoder of this automaton. The size R is the least with
    R^2 >= `entries`, which is the number of tokens if not given."""
    states, letters = len(table.moves), len(table.alphabet)
    entries = entries or states + letters + 3
    return {
        "K": str(states),
        "S": str(letters),
        "first": "1",
        "R": str(isqrt(entries - 1) + 1),  # the least whose square is at least so great
        "delta": " ".join(str(to + 1) for row in table.moves for to in row),
        "final": " ".join(str(int(answer is True)) for answer in table.answers),
    }


def compiled(table: Automaton, source: str, name: str, variant: str = "strict") -> Transformer:
    """The decoder of an automaton: the instance of FAMILY, or a variant of that (`nonstrict`, `without_start`)."""
    model = _instance(table, source, name)
    if variant == "strict":
        return model
    varied = nonstrict(model) if variant == "nonstrict" else without_start(model)
    if model.program is None:
        raise RuntimeError("model.program must be set here")
    plan = tuple(line for line in (*model.program.plan, *_others(variant)) if line[0] in varied.space)
    plan = tuple({line[0]: line for line in plan}.values())  # for each coordinate the last line, that of the variant
    source = f"{model.source.partition('; ')[0]}; {variant}"  # not the text of an instance, which a variant is not
    return replace(varied, source=source, program=replace(model.program, plan=plan))


def counted(table: Automaton, source: str, name: str, variant: str = "strict") -> Transformer:
    """The decoder of Theorem 1, an instance of a family: after a string x it outputs all states but the first, then the
    verdict as token |x| + 1, and repeats the verdict.

    `no-start` requires a nonempty string. With strict masks the decoder answers a string of one symbol with the verdict
    at once, twice.
    """
    family_instance, tokens = counted_at(table, variant)
    program = Program("dfa", source, table.alphabet, _counted_plan(table, variant, tokens), AUTOMATA)
    source_text = f"{family_instance.family.source}; {said(family_instance.family, family_instance.values)}"
    return replace(family_instance.model(tokens, name), source=source_text, program=program)


def counted_at(table: Automaton, variant: str) -> tuple[Instance, tuple[str, ...]]:
    """The instance of the family of a variant (`COUNTED`) at an automaton's table, and its tokens."""
    tokens = tokens_of(table)
    if variant == "no-start":
        tokens = (tokens[-2], *tokens[1:-2], tokens[-1])  # no is token 0, where $ was
    entries = len(table.moves) + 3 * len(table.alphabet) + 3 if variant == "strict" else len(tokens)
    return instance_of(load(shipped(COUNTED[variant])), settings(table, entries)), tokens


def put_out(model: Transformer, run: Sequence[T]) -> Sequence[T]:
    """The part of a full run (states, then the verdict) that a decoder outputs: all of it, or with --theorem 1 all but
    the first state. After a single letter that decoder outputs the verdict alone, unless its masks include the token
    itself."""
    if model.program is None or not model.program.theorem:
        return run
    return run[-1:] if len(run) == 3 and variant_of(model) != "nonstrict" else run[1:]


def _others(variant: str) -> tuple[tuple[str, str, str], ...]:
    """The plan's lines for coordinates that a variant has in addition to the decoder of the family, or that hold
    something else there."""
    if variant == "nonstrict":
        return (
            ("other", "embedding", "1"),
            ("u", "layer 1", "1/(i + 1) at position i; the hash of (1 - u, u) is the key of a position"),
            ("d", "layer 1", "k/(i + 1), with k states to position i: with u, the query of position k"),
        )
    return (
        ("other", "embedding", "1"),
        ("later", "layer 1", "0 at position 0, 1 after it"),
        ("u", "layer 2", "1/i at position i, 0 at position 0"),
        ("d", "layer 2", "k/i, with k states before position i: with u, the query of position k"),
    )


def _counted_plan(table: Automaton, variant: str, tokens: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """The plan of a decoder of Theorem 1. The heads y and z find symbols: each has a coordinate for each symbol."""
    # The layer of u and d is the first, but without $ the second: then an additional layer marks the first position.
    first, start = 1 + (variant == "no-start"), next(iter(tokens_of(table)))
    last = f"layer {first + 1}"
    states = dict(zip(tokens[1 + len(table.alphabet) :], table.names, strict=False))
    described = [f"state {states[token]}" if token in states else token for token in tokens]
    marks = {
        "strict": (("other", "embedding", f"-1 at {start}, 1 elsewhere: with u, the key of a position"),),
        "nonstrict": (("one", "embedding", "1"),),
        "no-start": (("one", "embedding", "1"), ("later", "layer 1", "0 at the first position, 1 later")),
    }[variant]
    over = {"strict": "i", "nonstrict": "(i + 1)", "no-start": "i"}[variant]
    # The number of the symbol that the heads y and z find after k states; the variant nonstrict has only the head z.
    y_place, z_place = {"strict": ("k + 1", "k + 2"), "nonstrict": ("", "k + 1"), "no-start": ("1", "k + 2")}[variant]
    letters = list(enumerate(table.alphabet, 1))
    return (
        *((f"t{number}", "embedding", f"the token is {what}") for number, what in enumerate(described)),
        *marks,
        ("u", f"layer {first}", f"1/{over} at position i"),
        ("d", f"layer {first}", f"k/{over}, with k states to there"),
        *((f"y{c}", f"{last}, attention", f"symbol {y_place} is {symbol}") for c, symbol in letters if y_place),
        *((f"z{c}", f"{last}, attention", f"symbol {z_place} is {symbol}") for c, symbol in letters),
        *((f"o{number}", f"{last}, feed-forward", f"score of {what}") for number, what in enumerate(described)),
    )


def variant_of(model: Transformer) -> str:
    """The variant of a decoder of an automaton or Turing machine, found from its token before the string ($ or none)
    and the masks of its heads."""
    if not model.embedding.ends[0]:
        return "no-start"
    heads = (head for layer in READS.of(model).layers if layer.attention is not None for head in layer.attention.heads)
    return "nonstrict" if any(head.sees.here for head in heads) else "strict"


def nonstrict(model: Transformer) -> Transformer:
    """The decoder whose masks include the position itself (footnote 7), so that means are over i + 1 tokens.

    So u is 1/(i + 1) at every position i >= 0, and d is k/(i + 1) with k states up to position i. The key of position i
    is the hash of (1 - u, u), which equals the hash of (i, 1). The query is the hash of (d, u), which equals that of
    (k, 1). So after the k-th state the head finds the next symbol, as before, and no two positions have the same key.
    """
    first, second = READS.of(model).layers
    words = {
        token: {name: 1 if name == "other" else value for name, value in row.items() if name != "u"}
        for token, row in (model.embedding.words or {}).items()
    }
    query, key, *others = second.attention_norms
    query = replace(query, projection=_hashed(1, 0))
    key = replace(key, projection=_hashed(1, -1))
    layers = (_seeing(first, first.attention_norms), _seeing(second, (query, key, *others)))
    return replace(model, embedding=replace(model.embedding, words=words), layers=layers)


def without_start(model: Transformer) -> Transformer:
    """The decoder without $, for nonempty strings (footnote 8). Position j computes I[j = 0] as 1 minus the mean of
    ones over the tokens before it; at j = 0 that mean is 0, as there are none.

    Symbol number c is at position c - 1. The key of position j is the hash of ([j > 0], u), with u = 1 at position 0
    and 1/j elsewhere. The query is the hash of (d, u), with d = k/j: after k states the head finds position k, which
    has the next symbol.
    """
    first, second = READS.of(model).layers
    start = next(iter(model.embedding.ends[0]))
    # Embeddings without $ and without u, which layer 2 computes.
    words = {
        token: {name: value for name, value in row.items() if name != "u"}
        for token, row in (model.embedding.words or {}).items()
        if token != start
    }
    # A first layer: later = the mean of ones over the positions before, which is 0 only at the first position.
    constant = LayerNorm(("other",), ("one", "minus"), projection=[[1], [-1]])
    zero = Layer(Head(("one",), ("later",), [[0]], [[0]], [[1]], MASK), None, (constant,), (), "projected pre")
    # The means of layer 2 count that first position (lead) in place of $.
    bits = LayerNorm(
        ("other", "later"), ("lead", "behind"), gain=[HALF] * 2, bias=[HALF] * 2, projection=[[1, -1], [0, 1]]
    )
    (head,) = first.attention.heads
    means = replace(head, reads=tuple("lead" if name == "v0" else name for name in head.reads))
    first = replace(first, attention=SelfAttention((means,)), attention_norms=(*first.attention_norms, bits))
    query, key, *others = second.attention_norms
    # The hashes of layer 3: ([j > 0], u) for keys and (d, u) for queries, where u is 1 at the first position. The
    # coordinate u is 0 there, so the u of the hash is the sum u + other - later.
    share = [1, 1, -1]
    minus = [-1, -1, 1]
    reads = ("u", "other", "later")
    query = replace(query, reads=("d", *reads), projection=[[1, 0, 0, 0], [0, *share], [-1, 0, 0, 0], [0, *minus]])
    key = replace(key, reads=reads, projection=[[0, 0, 1], share, [0, 0, -1], minus])
    second = replace(second, attention_norms=(query, key, *others))
    space = Space((*model.space, "later"))
    embedding = replace(model.embedding, space=space, words=words, before=None)
    # $ is never an answer.
    kept_labels = [k for k, label in enumerate(model.readout.labels) if label != start]
    readout = replace(
        model.readout,
        weights=[list(model.readout.weights[k, :]) for k in kept_labels],
        labels=tuple(model.readout.labels[k] for k in kept_labels),
    )
    return replace(model, embedding=embedding, layers=(zero, first, second), readout=readout)


def _seeing(layer: Layer, norms: Sequence[LayerNorm]) -> Layer:
    """The layer with these attention norms and with masks that include the position itself."""
    heads = tuple(replace(head, mask="future") for head in layer.attention.heads)
    return replace(layer, attention=SelfAttention(heads), attention_norms=tuple(norms))


def _hashed(own: int, factor: int) -> list[list[int]]:
    """The projection of (x, y) to (a, y, -a, -y) with a = own x + factor y: the layer norm of that is a hash."""
    return [[own, factor], [0, 1], [-own, -factor], [0, -1]]


def _instance(table: Automaton, source: str, name: str) -> Transformer:
    """The instance of FAMILY for an automaton, with its program and plan. Its source names the instance if that text is
    short enough."""
    family = load(shipped(FAMILY))
    family_instance = instance_of(family, settings(table))
    model = family_instance.model(tokens_of(table), name)
    program = Program("dfa", source, table.alphabet, _plan(table))
    source_text = f"{family.source}; {said(family, family_instance.values)}"
    return replace(model, source=source_text if len(source_text) <= MAX_LABEL else family.source, program=program)


def _plan(table: Automaton) -> tuple[tuple[str, str, str], ...]:
    """The plan of an instance of FAMILY: (coordinate, where it is written, what it holds)."""
    described = [START, *(f"symbol {a}" for a in table.alphabet), *(f"state {name}" for name in table.names), *VERDICTS]
    letters = len(table.alphabet)
    return (
        *((f"t{number}", "embedding", f"the token is {what}") for number, what in enumerate(described)),
        ("other", "embedding", f"-1 at {START}, 1 elsewhere: with u, the key of a position"),
        ("u", "embedding and layer 1", "1/i at position i, 1 at position 0"),
        ("d", "layer 1", "k/i, with k states before position i: with u, the query of position k + 1"),
        *((f"z{c}", "layer 2, attention", f"at position k + 1 there is {described[c]}") for c in range(1, letters + 1)),
        *((f"o{number}", "layer 2, feed-forward", f"score of {what}") for number, what in enumerate(described)),
    )
