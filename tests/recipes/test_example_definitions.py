"""The definitions of the Cookbook's Section 9 and the library's objects; `proofs/reviewed.json` names these tests.

Expected values are the printed words and formulas, written out here; each test also sees a wrong object.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.recipes import build, reference
from symcook.verify.sweep import check

F = Fraction
EXAMPLE = "ACABDACDCA"
"""The word of Section 9.1 as all lines but those with P have it."""


def strings(alphabet: str, most: int) -> list[str]:
    return ["".join(w) for n in range(1, most + 1) for w in itertools.product(alphabet, repeat=n)]


def embedded(model: Transformer, words: Mapping[str, Mapping[str, Any]]) -> Transformer:
    """The model with other word vectors."""
    old = model.embedding
    return replace(model, embedding=Embedding(old.space, words=words, positions=old.positions))


def table(model: Transformer) -> dict[str, dict[str, Any]]:
    assert model.embedding.words is not None
    return {token: dict(vector) for token, vector in model.embedding.words.items()}


# --- Section 9.1: induction heads -------------------------------------------------------------------------------------


def rightmost(word: str) -> str:
    """Right after the last earlier occurrence of w_i; w_i itself if there is none."""
    answer = ""
    for i, symbol in enumerate(word):
        earlier = [j for j in range(i) if word[j] == symbol]
        answer += word[max(earlier) + 1] if earlier else symbol
    return answer


def frequent(alphabet: str) -> Callable[[str], str]:
    """What most often followed w_i up to i, the first of the alphabet of several; w_i if it did not occur before."""

    def induct(word: str) -> str:
        answer = ""
        for i, symbol in enumerate(word):
            counts = [sum(word[j : j + 2] == symbol + after for j in range(i)) for after in alphabet]
            answer += alphabet[counts.index(max(counts))] if any(counts) else symbol
        return answer

    return induct


WEIGHTINGS = [("rightmost", 6), ("average", 6), ("softmax", 4)]


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(("weighting", "most"), WEIGHTINGS)
def test_most_recent_induction(weighting: str, most: int) -> None:
    """cookbook.s9.1.1.rightmost_def, with the last answer of the text: C behind the second-to-last A."""
    for alphabet in ("ab", "#x0"):
        model = build("induction-most-recent", alphabet=alphabet, weighting=weighting)
        assert check(model, rightmost, most - len(alphabet) // 3).holds
        spec: Any = reference("induction-most-recent", {"alphabet": alphabet})
        assert all("".join(spec(word)) == rightmost(word) for word in strings(alphabet, 5))
    found: Any = build("induction-most-recent", weighting=weighting).run(EXAMPLE).outputs
    assert "".join(found) == rightmost(EXAMPLE) == "ACCBDBAADC"


def test_another_induction_is_seen() -> None:
    model = build("induction-most-recent", alphabet="ab")
    first = SelfAttention(tuple(replace(h, weighting="leftmost") for h in model.layers[-1].attention.heads))
    wrong = replace(model, layers=(*model.layers[:-1], Layer(first, model.layers[-1].feedforward)))
    assert not check(wrong, rightmost, 6).holds
    assert not check(build("induction-most-frequent", alphabet="ab"), rightmost, 6).holds
    assert not check(model, frequent("ab"), 6).holds
    assert not check(build("induction-most-frequent", alphabet="ba"), frequent("ab"), 6).holds


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("weighting", "most"), WEIGHTINGS)
def test_most_frequent_induction(weighting: str, most: int) -> None:
    """cookbook.s9.1.2.frequent_def, with the last answer of the text: C, as AC occurs twice and AB once."""
    for alphabet in ("ab", "ba", "#x0"):
        model = build("induction-most-frequent", alphabet=alphabet, weighting=weighting)
        assert check(model, frequent(alphabet), most - len(alphabet) // 3).holds
        spec: Any = reference("induction-most-frequent", {"alphabet": alphabet})
        assert all("".join(spec(word)) == frequent(alphabet)(word) for word in strings(alphabet, 5))
    found: Any = build("induction-most-frequent", weighting=weighting).run(EXAMPLE).outputs
    assert "".join(found) == frequent("ABCD")(EXAMPLE) == "ACCBDBAAAC"


# --- Section 9.2.2: Dyck-1-2 ------------------------------------------------------------------------------------------

O = {"(": 1, ")": -1}  # noqa: E741, the paper's letter
BOTH = ("average", "unique")


def follows_45(model: Transformer) -> bool:
    """Whether the first five coordinates at each position are Eq. (45), and all others the constant 1 or 0."""
    for word in strings("()", 5):
        first = model.run(word, trace=True).result.steps[0]
        assert first.part == "embedding"
        for i, symbol in enumerate(word):
            vector = [first.columns[name][i] if name in first.columns else 0 for name in model.embedding.space.names]
            if vector != [O[symbol], 1, 0, 0, F(i + 1, len(word)), 1, 0, 0, 0]:
                return False
    return True


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("weighting", BOTH)
def test_the_embedding_of_dyck_1_2(weighting: str) -> None:
    """cookbook.s9.2.2.embedding: token o_i, active bit 1, scratch 0 and 0, share i/n."""
    model = build("dyck-1-2", weighting=weighting)
    assert model.embedding.space.names[:5] == ("token", "active", "left", "right", "share")
    assert follows_45(model)
    old = table(model)
    assert not follows_45(embedded(model, {**old, ")": {**old[")"], "active": 0}}))
    assert not follows_45(embedded(model, {"(": old[")"], ")": old["("]}))
    late = Embedding(model.embedding.space, words=old, positions={"share": "1/i", "one": 1})
    assert not follows_45(replace(model, embedding=late))


def rounds(model: Transformer, layers: int) -> Transformer:
    """The active bit at each position behind so many layers; a round is two."""
    return replace(model, layers=model.layers[:layers], readout=Readout("value", "each", ("active",)))


def bits(values: list[int]) -> list[dict[str, int]]:
    return [{"active": value} for value in values]


def rule_47(word: str) -> list[dict[str, int]]:
    o = [0, *(O[symbol] for symbol in word), 0]  # o_0 = o_{n+1} = 0
    return bits(
        [
            0 if (o[i] == 1 and o[i + 1] == -1) or (o[i] == -1 and o[i - 1] == 1) else 1
            for i in range(1, len(word) + 1)
        ]
    )  # fmt: skip


def rule_49(word: str) -> list[dict[str, int]]:
    """By the Intuition: mark adjacent pairs, filter them out, mark adjacent pairs of what is left."""
    left = list(range(len(word)))
    for _ in range(2):
        pairs = [(p, q) for p, q in itertools.pairwise(left) if word[p] + word[q] == "()"]
        left = [p for p in left if all(p not in pair for pair in pairs)]
    return bits([int(p in left) for p in range(len(word))])


def rule_49_by_stack(word: str) -> list[dict[str, int]]:
    """By partners: in a match of depth 1 nothing else is matched, in one of depth 2 only those of depth 1."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for q, symbol in enumerate(word):
        if symbol == "(":
            stack.append(q)
        elif stack:
            partner[stack.pop()] = q

    def depth(p: int) -> int:
        return 1 + max((depth(r) for r in range(p + 1, partner[p]) if r in partner), default=0)

    matched = {end for p, q in partner.items() if depth(p) <= 2 for end in (p, q)}
    return bits([int(p not in matched) for p in range(len(word))])


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("weighting", BOTH)
def test_depth_1_matches(weighting: str) -> None:
    """cookbook.s9.2.2.step1_rule: Eq. (47) at every position of every word, both ends and n = 1 among them."""
    model = build("dyck-1-2", weighting=weighting)
    assert check(rounds(model, 2), rule_47, 9).holds
    old = table(model)
    assert not check(rounds(embedded(model, {"(": old[")"], ")": old["("]}), 2), rule_47, 9).holds
    assert not check(rounds(model, 4), rule_47, 9).holds


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("weighting", BOTH)
def test_depth_2_matches(weighting: str) -> None:
    """cookbook.s9.2.2.step2_rule: what is marked behind two rounds, in any word; all of (()), not all of ((()))."""
    assert rule_49("(())") == bits([0] * 4) and rule_49("((()))") == bits([1, 0, 0, 0, 0, 1])
    assert all(rule_49(word) == rule_49_by_stack(word) for word in strings("()", 8))
    model = build("dyck-1-2", weighting=weighting)
    assert check(rounds(model, 4), rule_49, 8).holds
    assert not check(rounds(model, 2), rule_49, 8).holds
    deeper = build("dyck-k-d", k=1, D=3, weighting=weighting)
    assert not check(rounds(deeper, 6), rule_49, 8).holds


# --- Section 9.2.3: Dyck-k-D ------------------------------------------------------------------------------------------


def derived(pairs: str, most: int) -> set[str]:
    """What S -> empty | (_i S )_i S derives, to length `most`."""
    words = {0: {""}}
    for n in range(2, most + 1, 2):
        words[n] = {
            pairs[t] + inner + pairs[t + 1] + rest
            for t in range(0, len(pairs), 2)
            for m in range(0, n, 2)
            for inner in words[m]
            for rest in words[n - 2 - m]
        }
    return {word for group in words.values() for word in group}


def unclosed(word: str, pairs: str) -> int:
    """The greatest number of unclosed brackets at any point."""
    signs = [1 if symbol in pairs[::2] else -1 for symbol in word]
    return max(sum(signs[:end]) for end in range(len(word) + 1))


@pytest.mark.layer_one(0, 4, 8)
@pytest.mark.parametrize("weighting", BOTH)
@pytest.mark.parametrize(("k", "D", "most"), [(1, 1, 8), (1, 3, 8), (2, 1, 4), (2, 2, 6), (3, 2, 4)])
def test_dyck_k_d_by_its_grammar(k: int, D: int, most: int, weighting: str) -> None:
    """cookbook.s9.2.3.dyckkD_def: the words of the grammar with at most D unclosed brackets at any point."""
    pairs = "()[]{}"[: 2 * k]
    members = {word for word in derived(pairs, most) if unclosed(word, pairs) <= D}
    assert {word for word in members if len(word) == 2} == {pairs[t : t + 2] for t in range(0, 2 * k, 2)}
    spec: Any = reference("dyck-k-d", {"k": k, "D": D})
    assert {word for word in ["", *strings(pairs, most)] if spec(word)} == members
    model = build("dyck-k-d", k=k, D=D, weighting=weighting)
    assert check(model, lambda word: word in members, most).holds
    if most > 2 * D:
        deeper = build("dyck-k-d", k=k, D=D + 1, weighting=weighting)
        assert not check(deeper, lambda word: word in members, most).holds


def test_brackets_of_one_kind_for_another_are_seen() -> None:
    model = build("dyck-k-d", k=2, D=1)
    old = table(model)
    wrong = embedded(model, {**old, "[": old["("], "]": old[")"]})
    assert not check(
        wrong, lambda word: word in {one for one in derived("()[]", 4) if unclosed(one, "()[]") < 2}, 4
    ).holds


KINDS = {"(": 1, ")": -1, "[": 2, "]": -2, "{": 3, "}": -3, "<": 4, ">": -4}


def encodes(model: Transformer, k: int) -> bool:
    """Whether token is +t for the opening and -t for the closing bracket of kind t, at any place, and all are there."""
    tokens = table(model)
    wanted = {one: KINDS[one] if k <= 4 else int(one[1:]) * O[one[0]] for one in tokens}
    alone = "token" not in (model.embedding.positions or {})
    return alone and all(tokens[one]["token"] == wanted[one] for one in tokens) and (
        sorted(wanted.values()) == [*range(-k, 0), *range(1, k + 1)]
    )  # fmt: skip


def test_the_encoding_of_brackets() -> None:
    """cookbook.s9.2.3.encoding: o_i in {-k, ..., -1, +1, ..., +k}, the sign open or closed, the size the kind."""
    for k in (1, 2, 3, 4, 5, 12, 100):
        model = build("dyck-k-d", k=k, D=1)
        assert encodes(model, k)
        old = table(model)
        tokens = sorted(old)
        assert not encodes(embedded(model, {**old, tokens[0]: old[tokens[-1]]}), k)
        assert not encodes(embedded(model, {one: {**v, "token": -v["token"]} for one, v in old.items()}), k)
    numbers = build("dyck-k-d", k=6, D=2).run(["(3", "(6", ")6", ")1"], trace=True).result.steps[0].columns["token"]
    assert numbers == [3, 6, -6, -1]
