"""Models of finitely many values, for words of every length: against loops, references, and numbers known before."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from math import comb
from typing import Any

import hard_models
import numpy as np
import pytest

import symcook as sc
from symcook.decide import decide, streams
from symcook.decide.finite import Finite, OutOfReach
from symcook.domains.cells import Array
from symcook.errors import BadInput
from symcook.spec.automata import language
from symcook.spec.languages import dyck1, dyck_bounded, most_recent


@pytest.mark.layer_one(0, 6, 8)
@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_random_models_agree_with_loops_on_all_words(seed: int) -> None:
    outcome = hard_models.compared(hard_models.drawn(random.Random(seed)))
    assert outcome == "agrees" or outcome.startswith("refused")


STATES = {
    ("dyck-1-2", ()): 5, ("dyck-k-d", (1, 2)): 5, ("dyck-k-d", (1, 4)): 7, ("dyck-k-d", (2, 2)): 9,
    ("dyck-k-d", (2, 3)): 17, ("dyck-k-d", (2, 4)): 33, ("dyck-k-d", (3, 3)): 42, ("dyck-k-d", (2, 5)): 65,
}  # fmt: skip


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize(("name", "sizes"), STATES)
def test_bounded_brackets_are_their_automaton(name: str, sizes: tuple[int, ...]) -> None:
    k, depth = sizes or (1, 2)
    model = sc.build(name, **dict(zip("kD", sizes, strict=False)))
    found = decide(model, dyck_bounded("()[]{}"[: 2 * k], depth))
    assert found.verdict == "equal" and found.automaton is not None
    # A stack for each word of at most `depth` opening brackets, one where nothing helps, and the start.
    assert len(found.automaton) == STATES[name, sizes] == sum(k**d for d in range(depth + 1)) + 2
    if (k, depth) == (1, 2):
        assert found.automaton.counts(100)[100] == 2**49
    if depth == 5:  # up to length 10 the depth is no bound: Catalan numbers, times the kinds of the pairs
        pairs = [comb(2 * m, m) // (m + 1) * k**m for m in range(1, 6)]
        assert found.automaton.counts(10)[2::2] == pairs
    assert all("only breaks ties" in note for note in found.notes) and found.notes


def test_a_depth_that_is_one_too_large_is_told_apart_by_the_shortest_word() -> None:
    found = decide(sc.build("dyck-k-d", k=2, D=3), dyck_bounded("()[]", 4))
    assert found.verdict == "different" and found.word == tuple("(((())))") and found.accepts == "reference"
    found = decide(sc.build("dyck-1-2"), dyck1)
    assert found.to_json() == {
        "verdict": "different",
        "word": "((()))",
        "accepts": "reference",
        "formula": None,
        "states": 5,
        "why": None,
    }


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize(("alphabet", "states"), [("AB", 7), ("ABC", 43), ("ABCD", 393), ("ABCDE", 4721)])
def test_induction_is_its_fold(alphabet: str, states: int) -> None:
    found = decide(sc.build("induction-most-recent", alphabet=alphabet), most_recent(alphabet))
    assert found.verdict == "equal" and found.automaton is not None and len(found.automaton) == states


def test_the_forward_pass_agrees_with_the_automaton() -> None:
    """The exact check runs every word through the model, with the automaton as its reference."""
    for name, longest in (("dyck-1-2", 12), ("dyck-k-d", 7), ("induction-most-recent", 6)):
        model = sc.build(name)
        fold = language(Finite(model.bind({})).automaton())
        found = model.check(replace(fold, each=model.readout.each), longest)
        assert found.holds and found.strings == sum(len(model.alphabet) ** n for n in range(1, longest + 1)), name
        wrong = replace(fold, answer=lambda state, right=fold.answer: not right(state)) if model.decides else None
        assert wrong is None or model.check(wrong, 2).differs


def one_head(**change: Any) -> sc.Transformer:
    """Accepts where what the head brings to the last position is positive: a is 1, b is -1, and c is 0 in keys."""
    space = sc.Space(("value", "key", "one", "share", "got"))
    words = {"a": {"value": 1, "key": 1}, "b": {"value": -1, "key": 1}, "c": {"value": 1}}
    place, beta = change.pop("place", "i/n"), change.pop("beta", "1/2")
    embedding = sc.Embedding(space, words=words, positions={"one": 1, "share": place}, start=change.pop("start", 1))
    head = sc.head({("one", "key"): 1, ("one", "share"): beta}, {"got": "value"}, **change)
    return sc.Transformer("head", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("got",), [[1]]))


def shows(model: sc.Transformer, longest: int = 6) -> dict[str, bool]:
    words = ["".join(w) for n in range(1, longest + 1) for w in itertools.product(model.alphabet, repeat=n)]
    return {word: model.run(word).accept for word in words}


PLACES = ("i/n", "-i/n", "1/i", "3 - 1/i")


@pytest.mark.parametrize("many", [1, pytest.param(4, marks=pytest.mark.campaign)])
@pytest.mark.sweep
def test_a_position_term_breaks_ties_in_its_own_direction(many: int) -> None:
    """The last a or b decides with +, the first with -; without either the position itself, or the last c. Each two of
    beta, mask and place are together in a model; all three in the campaign `cases`."""
    masks = ("none", "future", "past", "strict-future")
    for k, (beta, mask) in enumerate(itertools.product(("1", "1/2", "-1/2", "-1"), masks)):
        for place in (PLACES * 3)[k % 4 + k // 4 :][:many]:
            model = one_head(beta=beta, mask=mask, place=place)
            automaton = Finite(model).automaton()
            assert {word: automaton(word) for word in shows(model, 4)} == shows(model, 4), (beta, mask, place)
    found = decide(one_head(beta=1), ".*a.*|c+")
    assert found.verdict == "different" and found.word == ("a", "b") and found.accepts == "reference"
    assert decide(one_head(beta=1), ".*ac*|c+").verdict == "equal"
    assert decide(one_head(beta=-1), "c*a.*|c+").verdict == "equal"
    assert decide(one_head(beta=1, mask="strict-future"), ".*ac*.|c+c|.").word == ("a",)
    assert decide(one_head(beta=1, mask="strict-future"), ".*ac*.|c+.").verdict == "equal"  # n = 1 sees nothing


def test_a_position_term_that_may_outweigh_a_score_is_refused_with_head_and_reason() -> None:
    """At 10/9 beside 1 every word to length 9 is as if it broke ties; at length 10 it is not."""
    near = one_head(beta="10/9")
    assert shows(near, 5) == shows(one_head(beta=1), 5)
    found = decide(near, ".*ac*|c+")
    assert found.verdict == "refused" and "head 1 of layer 1 has scores that differ by 1" in found.why
    word = "b" + "c" * 10  # the c at the end has 10/9 * (1 - 1/11) > 1 more than the b
    assert near.run(word).accept is True and one_head(beta=1).run(word).accept is False
    # i has no end of differences: refused beside any two scores, and taken where all are alike.
    assert decide(one_head(beta=1, place="i")).verdict == "refused"
    alike = sc.Transformer(
        "last",
        near.embedding,
        (sc.Layer(sc.head({("one", "share"): 1}, {"got": "value"}, mask="future")),),
        near.readout,
    )
    assert decide(alike, ".*(a|c)").verdict == "equal"
    # 1/(i + 1) spreads less than 1/2 from position 1 on, and less than 1 from 0 on.
    assert decide(one_head(beta=2, place="1/(i + 1)")).verdict == "decided"
    assert decide(one_head(beta=2, place="1/(i + 1)", start=0)).verdict == "refused"


@pytest.mark.parametrize("weighting", ["average", "leftmost"])
def test_what_is_somewhere_is_found_by_a_head_that_looks_for_it(weighting: str) -> None:
    """No letter follows itself: the share of the places where one does is 0, and a mean of what is nowhere below 0 is 0
    iff all of it is."""
    b = sc.Builder(words={"a": {"vote": 1, "one": 1}, "b": {"vote": -1, "one": 1}})
    b.add(sc.head(value={"before": "vote"}, mask="strict-future", weighting="rightmost"))
    b.add(sc.feedforward(bad="relu(before + vote - 1) + relu(-before - vote - 1)"))
    score = None if weighting == "average" else {("one", "bad"): 1}
    b.add(sc.head(score, {"some": "bad"}, weighting=weighting))
    b.readout("zero", "last", "some")
    found = b.build("alternates").decide("(ab)*a?|(ba)*b?")
    assert found.verdict == "equal"


@pytest.mark.parametrize("score", [("one", "mean"), ("mean", "t")])
def test_means_of_which_the_sign_alone_is_known_are_no_scores(score: tuple[str, str]) -> None:
    """Two means above 0 are not the same score, in a key and in a query: bbba looks at the third b."""
    b = sc.Builder(words={"a": {"t": 1, "v": 1}, "b": {"t": 2, "v": -1}, "^": {}}, positions={"one": 1}, before="^")
    b.add(sc.head(value={"mean": "t"}, mask="causal"))
    b.add(sc.head({score: 1}, {"found": "v"}, mask="causal", weighting="rightmost"))
    b.readout("sign", "last", "found", weights=[1])
    model = b.build("scores")
    assert not model.run("bbba").accept and model.run("ba").accept is (score[0] == "one")
    found = model.decide("(a|b)*a")
    assert found.verdict == "refused" and "an average of different values to the coordinate mean" in found.why


def test_what_has_infinitely_many_values_is_named() -> None:
    expected = {
        "dyck-1-zero-one": "head 1 of layer 1 counts, because it writes an average of different values to the "
        "coordinate balance",
        "induction-most-frequent": "head 1 of layer 2 counts, because it writes an average of different values to the "
        "coordinate count_1_1",
        "parity": "head 1 of layer 1 counts, because it writes an average",
        "parity-layernorm": "a layer norm divides by a root",
    }
    for name, why in expected.items():
        with pytest.raises(OutOfReach) as error:
            Finite(sc.build(name).bind({"epsilon": 1} if "layernorm" in name else {})).automaton()
        assert why in str(error.value), (name, str(error.value))
    # softmax weights are positive, and the mean of one symbol's value and zeros has its sign
    assert sc.build("first").decide("1.*").verdict == "equal"
    share = sc.Builder(words={"a": {"x": 1}, "b": {}}, positions={"share": "i/n"})
    share.readout("sign", "last", ("share",), weights=[1])
    with pytest.raises(OutOfReach, match="the readout reads share, in which i/n has infinitely many values"):
        Finite(share.build("share")).automaton()
    odd = sc.Builder(words={"a": {"x": 1}, "b": {}}, positions={"place": "i^3"})
    odd.readout("sign", "last", ("place",), weights=[1])
    with pytest.raises(OutOfReach, match=r"the position function of place must be periodic, or a sum of .*: i"):
        Finite(odd.build("odd")).automaton()


def test_a_stream_that_is_not_what_it_was_made_of_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: states merged that are not alike, pairs of states left out, a scan that begins elsewhere."""
    model = sc.build("dyck-1-2")
    classes, product, scan = streams._classes, streams._product, streams.scan

    def coarse(moves: Array, rows: Array) -> tuple[Array, Array]:
        own, member = classes(moves, rows)
        return np.minimum(own, 1), member[:2]

    def fewer(first: Array, second: Array) -> tuple[Array, Array, Array]:
        moves, x, y = product(first, second)
        return np.minimum(moves, max(0, len(moves) - 2)), x, y

    for name, wrong in (("_classes", coarse), ("_product", fewer)):
        with monkeypatch.context() as planted:
            planted.setattr(streams, name, wrong)
            with pytest.raises((RuntimeError, AssertionError)):
                assert decide(model, dyck_bounded("()", 2)).verdict == "equal"
    given, table = streams.letters([0, 1]), np.array([[0, 1], [1, 2], [2, 0]])
    found = scan(given, 0, lambda state, value: (state + value) % 3)
    lefts = np.zeros(len(found.left), dtype=int)
    assert found.values == [0, 1, 2] and streams._continues(given, found, lefts, table)
    assert not streams._continues(given, found, lefts, table[:, ::-1])
    assert not streams._continues(given, replace(found, out=(found.out + 1) % 3), lefts, table)


def test_the_references_of_other_kinds() -> None:
    model = sc.build("dyck-1-2")
    assert decide(model, model).verdict == "equal"
    assert decide(model, sc.build("dyck-k-d", k=1, D=3)).word == tuple("((()))")
    assert decide(model).verdict == "decided"
    assert decide(model, sc.build("dyck-1")).word == tuple("((()))")
    with pytest.raises(BadInput, match="must be over the alphabet"):
        decide(model, sc.build("dyck-k-d"))
    with pytest.raises(BadInput, match="or once for each string"):
        decide(model, most_recent("()"))
    with pytest.raises(BadInput, match="must answer True or False"):
        decide(model, sc.Fold(0, lambda s, t: s, lambda s: "x"))
    with pytest.raises(BadInput, match="a plain function cannot be decided for every length"):
        decide(model, lambda word: True)
