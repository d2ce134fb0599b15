"""Words merged into classes, with a reference in the state, against loops, closed counts and planted faults."""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import agreement
import pytest
from families import in_parts, together

import symcook as sc
from symcook.decide.automata import explored
from symcook.domains.exact import Exact
from symcook.errors import BadInput, Unmerged
from symcook.forward import forward
from symcook.spec.fold import Fold
from symcook.spec.languages import dyck1, dyck_bounded, first, parity
from symcook.spec.programs import reference
from symcook.verify import sweep
from symcook.verify.merged import Merged, ReadBeside, _by_prefixes, merged
from symcook.verify.sweep import check

COUNTER = Fold(0, lambda q, t: (q + (t == "x")) % 3, lambda q: q == 0)


def built(name: str, **arguments: Any) -> sc.Transformer:
    return sc.build(name, **arguments).bind()


def catalan(n: int) -> int:
    return 0 if n % 2 else math.comb(n, n // 2) // (n // 2 + 1)


def right(found: Merged, most: int, letters: int, accepted: Callable[[int], int | None]) -> None:
    assert found.wrong == 0 and found.smallest is None
    assert found.by_length == tuple((n, letters**n, accepted(n)) for n in range(1, most + 1))
    assert found.covered == sum(letters**n for n in range(1, most + 1))


def looped(model: sc.Transformer, fold: Fold, most: int) -> None:
    """Against the exact domain word by word."""
    found, accepted, wrong = merged(model, fold, most), dict.fromkeys(range(1, most + 1), 0), []
    for word in (word for n in accepted for word in itertools.product(model.alphabet, repeat=n)):
        result = forward(model, model.tokens(word), Exact())
        accepted[len(word)] += result.accept is True
        if result.accept is not fold(word):
            wrong.append(word)
    assert [count.accepted for count in found.by_length] == list(accepted.values())
    assert (found.wrong, found.smallest) == (len(wrong), wrong[0] if wrong else None)


@pytest.mark.sweep
@pytest.mark.layer_two(0, 1)  # each kind, with three seeds
@in_parts(4, "kind, seed", list(itertools.product(agreement.KINDS, range(12))))
def test_random_models_agree_with_loops(kind: str, seed: int) -> None:
    result = agreement.outcome(kind, seed, 5)
    assert result == "agree" or (kind == "softmax" and result.startswith("open")), result


@pytest.mark.sweep
@in_parts(3, "kind, seed", list(itertools.product(("uniform", "hard"), range(10))))
def test_one_length_alone_is_what_it_is_among_all(kind: str, seed: int) -> None:
    """Shorter words are then merged without answers, but with all that is summed on the way."""
    model = agreement.drawn(kind, seed).bind()
    fold = agreement.reader(model, seed)
    every, alone = merged(model, fold, 6), merged(model, fold, range(6, 7))
    assert alone.by_length == every.by_length[-1:]
    assert alone.wrong == every.wrong - merged(model, fold, 5).wrong


# --- Counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", ["dyck-1", "dyck-1-zero-one"])
def test_dyck_1_accepts_catalan_many(name: str) -> None:
    right(merged(built(name), dyck1, 60), 60, 2, catalan)


def test_dyck_1_nonuniform_to_its_length() -> None:
    right(merged(built("dyck-1-nonuniform", N=40), dyck1, 40), 40, 2, catalan)


@pytest.mark.parametrize(("name", "fold"), [("parity", parity), ("first", first)])
def test_parity_and_first_accept_half(name: str, fold: Fold) -> None:
    found = merged(built(name), fold, range(30, 31))
    assert found.by_length == ((30, 2**30, 2**29),) and "by counts" in found.how
    right(merged(built(name), fold, 9), 9, 2, lambda n: 2 ** (n - 1))


def test_labels_and_values_at_each_position() -> None:
    """No verdict, so that nothing is accepted or not."""
    model = built("induction-most-recent")
    right(merged(model, sc.recipes.reference("induction-most-recent"), 7), 7, 4, lambda n: None)
    right(merged(built("first-position"), sc.recipes.reference("first-position"), 50), 50, 2, lambda n: None)
    modulo = built("modulo")
    assert merged(modulo, sc.recipes.reference("modulo"), 20).wrong == 0


def test_an_automaton_is_a_reference() -> None:
    class Even:
        initial = 0

        def step(self, state: Any, token: str) -> int:
            return state ^ (token == "1")

        def accepts(self, state: Any) -> bool:
            return bool(state == 1)

    assert merged(built("parity"), Even(), 12).wrong == 0  # type: ignore[arg-type]
    ends = explored(Fold(0, lambda _, t: int(t == "1"), lambda q: q == 1), ("0", "1"))
    model = built("parity")
    found = merged(model, ends, 8)
    assert found.smallest == ("1", "0") and found.wrong == sum(2 ** (n - 1) for n in range(2, 9))


# --- Planted faults ---------------------------------------------------------------------------------------------------


def test_a_stack_that_is_too_small_is_found_with_its_shortest_word() -> None:
    """Dyck-1 against one of depth at most 20: they differ first at length 42, on one word."""
    model = built("dyck-1")
    right(merged(model, dyck_bounded("()", 20), 41), 41, 2, catalan)
    found = merged(model, dyck_bounded("()", 20), 44)
    assert found.smallest == ("(",) * 21 + (")",) * 21
    deep = [word_count(44, 20), word_count(42, 20)]
    assert found.wrong == catalan(44) - deep[0] + catalan(42) - deep[1] and catalan(42) - deep[1] == 1


def word_count(n: int, depth: int) -> int:
    """Well-nested words of length n and depth at most `depth`, height by height."""
    heights = [1] + [0] * depth
    for _ in range(n):
        heights = [(heights[h - 1] if h else 0) + (heights[h + 1] if h < depth else 0) for h in range(depth + 1)]
    return heights[0]


def test_a_stack_that_saturates_is_found_with_its_shortest_word() -> None:
    full = Fold(0, lambda d, t: d if d < 0 else min(d + 1, 20) if t == "(" else d - 1, lambda d: d == 0)
    for name in ("dyck-1", "dyck-1-zero-one"):
        found = merged(built(name), full, 42)
        assert found.smallest == ("(",) * 21 + (")",) * 20


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("layer", "mask", "word"), [(0, "strict-future", "("), (1, "past", ")(")])
def test_another_mask_is_found(layer: int, mask: str, word: str) -> None:
    model = built("dyck-1")
    layers = list(model.layers)
    attention = layers[layer].attention
    assert attention is not None
    heads = tuple(replace(head, mask=mask) for head in attention.heads)
    layers[layer] = replace(layers[layer], attention=sc.SelfAttention(heads))
    other = replace(model, layers=tuple(layers))
    looped(other, dyck1, 8)
    assert merged(other, dyck1, 30).smallest == tuple(word)


# --- Pitfalls ---------------------------------------------------------------------------------------------------------


def hard(weighting: str, mask: str = "future", positions: Any = None, added: Any = (None, None)) -> sc.Transformer:
    """A head whose score is the token's b, times 0 at the token x: keys with different values are tied there."""
    names = ("a", "b", "c", "d")
    words: dict[str, Any] = {"x": {"a": 1}, "y": {"a": 2, "b": 1, "d": 1}, "z": {"a": -3, "b": 2, "d": 1}}
    words |= {one: {"a": 5, "b": 3} for one in added if one}
    head = sc.Head(names, ("c",), [[0, 0, 0, 1]], [[0, 1, 0, 0]], [[1, 0, 0, 0]], mask, weighting)
    before, after = added
    embedding = sc.Embedding(sc.Space(names), words=words, positions=positions or {}, before=before, after=after)
    return sc.Transformer("ties", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("c",), [[1]])).bind()


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("mask", ["future", "strict-future"])
@pytest.mark.parametrize("weighting", ["leftmost", "rightmost", "average"])
def test_tied_keys_with_different_values(weighting: str, mask: str) -> None:
    """Of tied keys the one decides that came first, or last, or how often each did; and rows that see nothing."""
    for added in ((None, None), ("CLS", None), (None, "EOS")):
        looped(hard(weighting, mask, added=added), COUNTER, 5)


def test_a_function_is_asked_about_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wrong on a word that stands for no others: it is not asked about representatives."""
    monkeypatch.setattr(sweep, "AT_ONCE_FROM", 10)
    wrong = tuple("())(((")
    model = sc.build("dyck-1")
    found = check(model, lambda word: tuple(word) == wrong or dyck1(word), 7)
    assert found.way == "exhaustive" and found.mismatches == 1 and found.counterexample is not None
    with pytest.raises(Unmerged, match="must be a Fold or an automaton"):
        merged(model.bind(), lambda word: dyck1(word), 7)
    assert check(model, dyck1, 7).way == "merged"


def test_all_words_are_in_the_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where some are lost, there is no answer."""
    from symcook.words import exact

    merge = exact.Prefixes.merge

    def losing(self: Any, level: Any) -> None:
        merge(self, level)
        self.counts[-1] -= 1

    monkeypatch.setattr(exact.Prefixes, "merge", losing)
    with pytest.raises(AssertionError, match="strings of length"):
        merged(built("dyck-1"), dyck1, 5)


def test_what_is_not_zero_stays_so() -> None:
    """A sum of numbers that no multiple of a grid comes near is positive, and a sum of zeros is zero."""
    tiny = Fraction(1, 10**40)
    for value in (tiny, -tiny, 0):
        b = sc.Builder(words={"x": {"a": value}, "y": {"a": 0}})
        b.add(sc.head(value={"m": "a"}, mask="future"))
        b.add(sc.feedforward(h="relu(m)"))
        t = b.add(sc.head(value={"t": "h"}, mask="future"))
        for kind in ("sign", "zero"):
            model = replaced(b, kind, t)
            looped(model, COUNTER, 5)
            not_zero = 2**50 - 1 if value > 0 else 0
            accepted = merged(model, COUNTER, range(50, 51)).by_length[0].accepted
            assert accepted == (not_zero if kind == "sign" else 2**50 - not_zero)


def replaced(b: sc.Builder, kind: str, read: Any) -> sc.Transformer:
    b.readout(kind, "last", read, weights=[1] if kind == "sign" else None)
    return b.build("tiny").bind()


def test_a_unit_that_ends_leave_open_is_decided_by_the_sum_itself() -> None:
    """|t - c| as two units is never 0, where t is a mean behind an attention and c none of its values: but t lies on
    both sides of c in words that are merged at first, where two units that are on cancel."""
    b = sc.Builder(words={"x": {"a": 1, "one": 1}, "y": {"a": -1, "one": 1}})
    b.add(sc.head(value={"m": "a"}, mask="future"))
    b.add(sc.feedforward(h="relu(m)"))
    b.add(sc.head(value={"t": "h"}, mask="future"))
    z = b.add(sc.feedforward(z="relu(t - 0.1303*one) + relu(0.1303*one - t) - relu(0.00001*one)"))
    looped(replaced(b, "sign", z), COUNTER, 8)


def test_numbers_outgrow_the_machine() -> None:
    """Weights and sums beyond 64 bits, over large denominators: the sign of #x p - #y q, counted by hand."""
    p, q = Fraction(2**61 - 1, 3**25), Fraction(2**59 + 7, 5**17)
    b = sc.Builder(words={"x": {"a": p}, "y": {"a": -q}})
    m = b.add(sc.head(value={"m": "a"}, mask="future"))
    model = replaced(b, "sign", m)
    wanted = [sum(math.comb(n, k) for k in range(n + 1) if k * p > (n - k) * q) for n in range(1, 81)]
    assert [count.accepted for count in merged(model, COUNTER, 80).by_length] == wanted


def test_counts_are_kept_where_ties_need_them_alone() -> None:
    """Two states a prefix sum for dyck-1-zero-one, though its heads are tied: not a state for each pair of counts."""
    assert "at most 198 classes" in merged(built("dyck-1-zero-one"), dyck1, 100).how


@pytest.mark.sweep
def test_a_tie_that_positions_break_is_no_tie() -> None:
    """b + i/n: each position has a key of its own. Words are merged by prefixes where these are few, else refused."""
    for positions in ({"b": "i/n"}, {"b": "-i/n"}):
        for mask in ("future", "strict-future"):
            model = hard("average", mask, positions)
            looped(model, COUNTER, 5)
            with pytest.raises(Unmerged, match=r"prefixes of .* symbols stay apart"):
                merged(model, COUNTER, 100)
    b = sc.Builder(words={"x": {"one": 1}}, positions={"p": "1/i"})
    s = b.add(sc.head({("one", "p"): 1}, {"s": "one"}, mask="future"))
    with pytest.raises(Unmerged, match="more than 64 different keys: head 1 of layer 1"):
        _by_prefixes(model := replaced(b, "sign", s), ReadBeside(model, COUNTER), range(1, 100), None)


def test_positions_count_the_token_in_front_or_not() -> None:
    for start in (0, 1):
        for added in ((None, None), ("CLS", None), ("BOS", "EOS")):
            model = hard("rightmost", added=added, positions={"a": "sign(i - 2)"})
            looped(replace(model, embedding=replace(model.embedding, start=start)).bind(), COUNTER, 4)


# --- Refusals, and the command ----------------------------------------------------------------------------------------


def test_what_does_not_merge_says_which_head() -> None:
    b = sc.Builder(words={"x": {"a": 1, "one": 1}, "y": {"b": 1, "one": 1}}, positions={"b": "1/(i + 1)"})
    b.add(sc.head(value={"m": "a"}, mask="future"))
    s = b.add(sc.head({("one", "b"): 1}, {"s": "a"}, mask="future", weighting="softmax"))
    with pytest.raises(Unmerged, match="softmax over scores: head 2 of layer 1"):
        merged(replaced(b, "sign", s), COUNTER, 100)
    with pytest.raises(Unmerged, match=r"attends to later p.*; by counts too many classes at length 60"):
        merged(built("dyck-1-2"), sc.recipes.reference("dyck-1-2"), 60)
    with pytest.raises(Unmerged, match="no exact batch of layer norm"):
        merged(built("first-layernorm"), first, 60)


def test_a_fold_that_fails() -> None:
    model = built("dyck-1")
    changing = itertools.count()
    unhashable: Any = [], lambda q, t: [*q, t], lambda q: True
    for fold, said in (
        (Fold(*unhashable), "unhashable"),
        (Fold(0, lambda q, t: 1 // 0, lambda q: True), "ZeroDivisionError"),
        (Fold(0, lambda q, t: next(changing), lambda q: True), "the same"),
        (Fold(0, lambda q, t: q, lambda q: "yes"), "True or False"),
    ):
        with pytest.raises(BadInput, match=said):
            merged(model, fold, 40)


@pytest.mark.sweep
def test_the_command_counts_by_length(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.__main__ import main

    assert main(["check", "dyck-1", "--max-length", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["way"] == "merged" and found["strings"] == 2**201 - 2
    assert found["by_length"] == [{"n": n, "strings": 2**n, "accepted": catalan(n)} for n in range(1, 201)]
    assert main(["check", "dyck-1", "--max-length", "200"]) == 0
    assert "grouped by prefixes that the model cannot tell apart, at most 299 classes" in capsys.readouterr().out


@pytest.mark.sweep
def test_numbers_of_many_digits_are_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """2^2200 has more digits than Python is allowed to write here."""
    from symcook.__main__ import main

    digits = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        assert main(["check", "first-position", "--max-length", "2200", "--json"]) == 0
        said = capsys.readouterr().out
        assert sys.get_int_max_str_digits() == 640  # what is read elsewhere keeps its limit
        sys.set_int_max_str_digits(0)
        assert json.loads(said)["by_length"][-1]["strings"] == 2**2200
        sys.set_int_max_str_digits(640)
        assert main(["check", "first-position", "--max-length", "2200"]) == 0
        assert "inputs of 3.689" in capsys.readouterr().out
    finally:
        sys.set_int_max_str_digits(digits)


@pytest.mark.sweep
def test_the_command_shows_the_smallest_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook.__main__ import main

    file = tmp_path / "mine.py"
    file.write_text("from symcook.spec.languages import dyck_bounded\nshallow = dyck_bounded('()', 20)\n")
    assert main(["check", "dyck-1", "--max-length", "43", "--spec", f"{file}:shallow"]) == 1
    shown = capsys.readouterr().out
    assert "smallest counterexample: " + "(" * 21 + ")" * 21 in shown
    assert "must be reject; the model gives accept" in shown
    monkeypatch.setattr(sweep.WordSweep, "decided", lambda self: None)
    assert main(["check", "dyck-1-2", "--max-length", "100"]) == 2
    assert "head 2 of layer 1, which attends to later positions" in capsys.readouterr().err


@together("formula", ["Q_b & prev Q_a", "Q_a since prev Q_b", "~prev true"])
@together("many", [5, 13])
def test_words_that_a_model_with_an_answer_at_each_position_accepts_at_the_last_are_counted(
    formula: str, many: int
) -> None:
    """One by one, in batches, and merged or decided where there are many."""
    model = sc.compile("ltl", formula, alphabet="ab")
    truth = {
        "Q_b & prev Q_a": lambda w: w.endswith("ab"),
        "Q_a since prev Q_b": lambda w: re.search("ba+$", w) is not None,
        "~prev true": lambda w: len(w) == 1,
    }[formula]
    expected = [sum(truth("".join(w)) for w in itertools.product("ab", repeat=n)) for n in range(1, many + 1)]
    for how in ({}, {"domain": "ball"} if many < 9 else {}, {"workers": 1}):
        found = check(model, reference(model.program), many, **how)
        assert found.holds and [one.accepted for one in found.by_length] == expected, (how, found.way)
