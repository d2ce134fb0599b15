"""S-RASP programs compiled: answers on words against closures that the draw builds beside the text, and languages
against loops of their own."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused, words
from srasp_at_random import Draw

import symcook as sc
from symcook.errors import BadInput
from symcook.model.parts import SelfAttention
from symcook.programs.shipped import shipped_program
from symcook.programs.srasp_reading import read_srasp
from symcook.spec.programs import reference
from symcook.spec.srasp import answers, columns

DYCK_1 = """
alphabet ( );
opens(i) = psum j [j <= i] map(in(j); "(": 1, else: 0)
closes(i) = psum j [j <= i] map(in(j); ")": 1, else: 0)
wrong(i) = closes(i) > opens(i)
ok(i) = right j [j <= i, wrong(j)] false : true
out(i) = ok(i) & opens(i) = closes(i)
"""


def balanced(word: str, pairs: str = "()") -> list[bool]:
    """Whether each prefix is balanced."""
    stack, fine, result = [], True, []
    for letter in word:
        place = pairs.index(letter)
        if place % 2 == 0:
            stack.append(place)
        elif fine and stack and stack[-1] == place - 1:
            stack.pop()
        else:
            fine = False
        result.append(fine and not stack)
    return result


@pytest.mark.sweep
def test_dyck_1_from_text_to_outputs_and_a_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, file = tmp_path / "dyck.srasp", tmp_path / "dyck.json"
    source.write_text(DYCK_1)
    made = document(capsys, "compile", "srasp", source, "-o", file)
    assert made["verdict"] is None and made["layers"] >= 3 and made["operators"] > 5
    for word in words(7):
        shown = document(capsys, "run", file, "--input", word) if len(word) in (1, 7) else None
        assert sc.load(file).run(word).outputs == balanced(word), word
        assert shown is None or shown["outputs"] == [str(int(one)) for one in balanced(word)]
    assert document(capsys, "check", file, "--max-length", 8)["mismatches"] == 0
    code, out, _ = call(capsys, "show", file)
    assert code == 0 and "Plan" in out and "out(i)" in out
    refused(capsys, "decide", file)


REFUSED = ("must be in the alphabet", "joined by & only", "a head has one mask")
"""A letter that a value can never be; and what one head cannot select."""


@pytest.mark.layer_one(11)
@pytest.mark.parametrize("rasp", [False, True])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.layer_two(every=3)
def test_programs_drawn_at_random(seed: int, rasp: bool) -> None:
    """Interpreter, by words and by blocks, and model, on all words to length 5 and some longer ones; five a case."""
    for more in range(5):
        draw = Draw(100 * seed + more, 3 + (seed + more) % 7, rasp)
        try:
            program = read_srasp(draw.text, "ab")
            model = sc.compile("srasp", draw.text, alphabet="ab")
        except BadInput as error:
            assert any(one in error.must for one in REFUSED), error
            continue
        table = columns(program, ["ab", "ba", "b", "ab"])
        for number, letters in enumerate(product("ab", "ba", "b", "ab")):
            found = [[value for value, bits in column.items() if bits >> number & 1] for column in table]
            assert found == [[value] for value in answers(program, letters)], (draw.text, letters)
        r = random.Random(seed)
        for word in [*words(3 if more else 5, "ab"), *("".join(r.choices("ab", k=k)) for k in (5, 8, 13))]:
            want = draw.answers(word)
            assert answers(program, word) == want, (draw.text, word)
            got: Any = model.run(word).outputs
            assert (list(map(Fraction, got)) if draw.kind not in ("letter", "truth") else got) == want, (
                draw.text,
                word,
            )


def changed(model: sc.Transformer, change: Any) -> sc.Transformer:
    """The model with a change made in each of its heads."""
    layers = tuple(
        layer
        if layer.attention is None
        else replace(layer, attention=SelfAttention(tuple(map(change, layer.attention.heads))))
        for layer in model.layers
    )
    return replace(model, layers=layers)


def moved(model: sc.Transformer, **positions: str) -> sc.Transformer:
    """The model with other position functions."""
    return replace(model, embedding=replace(model.embedding, positions={**model.embedding.positions, **positions}))


def with_source(model: sc.Transformer, words: dict[str, str]) -> sc.Transformer:
    """The model of a source with other words, as if it were that of the right one."""
    assert model.program is not None
    source = model.program.source
    for old, new in words.items():
        assert old in source
        source = source.replace(old, new)
    return replace(sc.compile("srasp", source), program=model.program)


SAME_COUNT = """
alphabet a b;
c(i) = psum j [j < i] map(in(j); "a": 1, else: 0)
x(i) = right j [j < i, c(j) = c(i)] 1 : 0
"""
IN_DYCK = ("tie", "index", "mask of a count", "average", "square", "count 0", "default of a truth")
PLANTED: dict[str, Any] = {
    "mask": lambda m: changed(
        m, lambda h: replace(h, mask="future") if h.mask == "strict-future" and not h.uniform else h
    ),
    "mask of a count": lambda m: changed(
        m, lambda h: replace(h, mask="future") if h.mask == "strict-future" and h.uniform else h
    ),
    "tie": lambda m: changed(m, lambda h: replace(h, weighting="leftmost") if h.weighting == "rightmost" else h),
    "average": lambda m: changed(m, lambda h: replace(h, weighting="average") if h.weighting == "rightmost" else h),
    "index": lambda m: moved(m, before="i"),
    "square": lambda m: moved(m, before_square="(i - 1)^2 + I[i = 2]"),
    "count 0": lambda m: moved(m, inverse_before="1/i"),
    "first position": lambda m: moved(m, later="1"),
    "default": lambda m: with_source(m, {"1 : 0": "1 : 2"}),
    "default of a truth": lambda m: with_source(m, {"false : true": "true : false"}),
}


@pytest.mark.layer_one(0, 7, 8)
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_error_is_found(fault: str) -> None:
    model = sc.compile("srasp", shipped_program("dyck-2.srasp") if fault in IN_DYCK else SAME_COUNT)
    assert model.program is not None
    wanted = reference(model.program)
    assert model.check(wanted, 5).holds
    found = PLANTED[fault](model).check(wanted, 5)
    assert not found.holds and found.counterexample is not None


def test_words_of_one_letter() -> None:
    """Nothing before, nothing behind: counts are 0, selections give the default, means are of one."""
    source = """
    alphabet a b;
    before(i) = psum j [j < i] 1
    here(i) = psum j [j >= i] map(in(j); "a": 1, else: 0)
    last(i) = right j [j < i, before(j) = before(i)] in(j) : "-"
    own(i) = left j [true, here(j) = here(i)] in(j) : "-"
    mean = aggregate(select(tokens, tokens, !=), indices, 7)
    width = selector_width(select(here, here, ==))
    """
    wanted = {"before": ["0"], "here": ["1"], "last": ["-"], "own": ["a"], "mean": ["7"], "width": ["1"]}
    lines = [line for line in source.strip().split("\n") if line]
    for name, outputs in wanted.items():
        chosen = "\n".join([*lines, f"out(i) = {name}(i)"])
        assert sc.compile("srasp", chosen).run("a").to_json()["outputs"] == outputs, name


def test_outputs_are_letters_truths_and_fractions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source, outputs in (
        ("x = aggregate(select(indices, indices, <=), tokens == 'a', 0)", ["1", "1/2", "2/3"]),
        ("x = 0 - indices", ["0", "-1", "-2"]),
        ("x = tokens == 'a'", ["1", "0", "1"]),
        ("x(i) = if in(i) = 'a' then 'yes' else 'no'", ["yes", "no", "yes"]),
    ):
        document(capsys, "compile", "srasp", source, "--alphabet", "ab", "--force", "-o", tmp_path / "m.json")
        assert document(capsys, "run", tmp_path / "m.json", "--input", "aba")["outputs"] == outputs
        assert sc.load(tmp_path / "m.json") == sc.compile("srasp", source, alphabet="ab")


def test_no_proof_is_made_and_the_model_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, source = tmp_path / "m.json", "x = aggregate(select(tokens, tokens, ==), indices)"
    code, out, _ = call(capsys, "compile", "srasp", source, "--alphabet", "ab", "--prove", "-o", file)
    assert code == 3 and "PROVED" not in out and file.exists()
    refused(capsys, "decide", file)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["sort.srasp", "dyck-1.srasp", "histogram.srasp"])
def test_a_compiled_program_in_a_runtime(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, weights = tmp_path / "m.json", tmp_path / "m.npz"
    document(capsys, "compile", "srasp", name, "-o", file)
    made = document(capsys, "export", file, "-o", weights, "--max-length", 4)
    assert made["guaranteed"]["ranges"] == [[1, 4]]
    assert made["compared"]["complete"] and made["compared"]["first_difference"] is None


LARGE = {
    "histogram": "h = selector_width(select(tokens, tokens, ==))",
    "sort": shipped_program("sort.srasp").partition(";\n")[2].replace('map(tokens; "a": 0, "b": 1, "c": 2)', "tokens"),
    "two that are read": shipped_program("3-hop.srasp").partition(";\n")[2]
    + "x(i) = hop3(i) = hop1(i) | hop2(i) < in(i)",
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", LARGE)
def test_an_alphabet_of_26_letters(name: str) -> None:
    """Nothing is exponential in the letters; and what is read comes after what reads it is made."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    program, model = read_srasp(LARGE[name], letters), sc.compile("srasp", LARGE[name], alphabet=letters)
    r = random.Random(3)
    for n in (1, 4, 20):
        word = "".join(r.choices(letters[:3] + letters[-2:], k=n))
        assert list(map(str, model.run(word).outputs or ())) == list(map(str, answers(program, word))), word


@pytest.mark.sweep
def test_a_selector_of_too_many_cases_is_refused() -> None:
    source = (
        'r(i) = right j [j < i, true] in(j) : "?"\nx = selector_width(select(r, r, ==) and select(tokens, tokens, ==))'
    )
    with pytest.raises(BadInput, match="at most 256 cases"):
        sc.compile("srasp", source, alphabet="abcdefghijklmnopqrstuvwxyz")
    assert sc.compile("srasp", source, alphabet="abcdefgh").run("abab").outputs == [1, 2, 1, 2]
