"""Random models with hard heads over tokens: ranks of scores, chosen positions and means, beside exact runs."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import forms_said
import pytest
from test_lengths import compared

import symcook as sc
from symcook.closed import every_length
from symcook.domains.exact import Exact
from symcook.forward import forward
from symcook.model.transformer import Transformer

MASKS = ["none", "future", "strict-future", "past", "strict-past"]
PLACES = ["1", "(-1)^i", "i", "i/n", "I[i = 1]", "1/i", "i^2"]


def drawn(seed: int) -> Transformer:
    """Two layers of hard heads whose scores are products of numbers of tokens, of places and of what heads found, with
    CLS, BOS or EOS, positions from 0 or 1, queries unlike keys, several heads, and steps."""
    rng = random.Random(seed)
    letters, start = rng.choice(["ab", "abc", "()"]), rng.choice([0, 1])
    ends = rng.choice([{}, {}, {"before": "CLS"}, {"before": "BOS"}, {"after": "EOS"}])
    numbers = {t: {"x": rng.randint(-1, 2), "y": rng.randint(0, 1)} for t in [*letters, *ends.values()]}
    # The place is 1/(i + 1) where positions count from 0.
    place = rng.choice(PLACES).replace("1/i", "1/i" if start else "1/(i + 1)")
    space, layers = ["x", "y", "p", "one"], []
    for layer in (1, 2):
        heads, reads = [], [*space]
        for h in range(rng.randint(1, 2)):
            new, how = f"h{layer}{h}", {"mask": rng.choice(MASKS)}
            pairs: dict[Any, Any] = {(rng.choice(["one", "one", *reads]), rng.choice(reads)): rng.choice([1, -1, 2])}
            if rng.random() < 0.4:
                pairs["one", rng.choice(reads)] = rng.choice([1, -1])
            weighting = rng.choice(["average", "leftmost", "rightmost"])
            heads.append(sc.head(pairs, {new: rng.choice(reads)}, weighting=weighting, **how))
            space.append(new)
        unit = f"relu({rng.choice([1, -1, 2])}*{space[-1]} + {rng.choice([0, 0, 1, -1])}*{rng.choice(reads)})"
        layers.append((heads, {f"u{layer}": unit}))
        space.append(f"u{layer}")
    positions = {"p": place, "one": "1"}
    embedding = sc.Embedding(sc.Space(tuple(space)), words=numbers, positions=positions, start=start, **ends)
    parts = tuple(sc.Layer(sc.SelfAttention(tuple(heads)), sc.feedforward(units)) for heads, units in layers)
    return sc.Transformer(f"hard-{seed}", embedding, parts, sc.Readout("value", "each", (space[-1],)))


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("seed", range(40))
def test_hard_heads_over_tokens(seed: int) -> None:
    model = drawn(seed)
    compared(model, 3 if len(model.alphabet) == 2 else 2)


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize("ends", [{"before": "BOS"}, {"after": "EOS"}, {"before": "BOS", "after": "EOS"}])
@pytest.mark.parametrize("mask", ["strict-causal", "strict-anti-causal"])
def test_the_neighbour_may_be_an_added_token(mask: str, ends: dict[str, str]) -> None:
    """The case that the neighbour is an added token and the case that it is a symbol are apart: the second one needs a
    longer string."""
    words = {"u": {"a": 5}, "v": {"a": -2}, "BOS": {"a": 1}, "EOS": {"a": 3}}
    given = {token: row for token, row in words.items() if len(token) == 1 or token in ends.values()}
    b = sc.Builder(words=given, positions={"x": "1/(i + 1)"}, **ends)
    weighting = "rightmost" if mask == "strict-causal" else "leftmost"
    b.add(sc.head(value={"p": "a + 2*x"}, mask=mask, weighting=weighting))  # type: ignore[arg-type]
    b.readout("value", "last" if "before" in ends else "first", "p")
    assert forms_said.compared(every_length(b.build("neighbour")), 4)[0] >= 30


def test_one_text_in_two_passes_is_two_names() -> None:
    """A model is passed over at position i and at the readout. In both, the head's position was "q 1", of i and of no
    position, and sympy had one symbol for this text: the statements for the prover could not be written."""
    words = {"u": {"a": 1}, "v": {"b": 1}, "CLS": {"a": 1, "c": 1}}
    b = sc.Builder(words=words, before="CLS", start=0, positions={"p": "i"})
    b.add(sc.head({("b", "p"): -1}, {"found": "a"}, mask="causal", weighting="rightmost"))
    b.readout("sign", "last", "found", weights=[1])
    model = b.build("chosen")
    found = every_length(model)
    assert found.each.coordinates  # the other pass
    answer = forms_said.Answer(found)
    # After the one sublayer, a value is that at the end of the run.
    sentences = [sentence.replace("@1.attention", "") for sentence in answer.sentences]
    for given in answer.strings(4):
        run = forward(model, model.tokens(given), Exact(), trace=True)
        verdicts = {None: run.accept}
        for sentence in sentences:
            tree = forms_said.read(sentence, answer.space, answer.symbols)
            assert answer.at(given, None, 0, run, verdicts).formula(tree), (sentence, given)
    assert forms_said.compared(found, 4)[0] == 31


def test_where_a_position_is_looked_for_may_be_a_formula() -> None:
    """A head looks up to the position that another head has chosen. Its ends, written out, have ".." in them, at which
    the text of the choice was cut."""
    model = drawn(155)
    answer = forms_said.Answer(every_length(model))
    assert all(answer.compare(letter) > 40 for letter in model.alphabet)


def test_outputs_with_too_many_common_cases_are_refused() -> None:
    """Each of the two has a closed form, and both together have more cases than are shown."""
    model = replace(drawn(184), readout=sc.Readout("zero", "each", ("h11", "h21")))
    with pytest.raises(sc.BadInput, match="all outputs together: more than 400 cells"):
        every_length(model)
