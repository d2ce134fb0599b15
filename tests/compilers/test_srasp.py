"""S-RASP programs compiled: answers on words against closures that the draw builds beside the text, and languages
against loops of their own."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused, words
from srasp_at_random import Draw

import symcook as sc
from symcook.errors import BadInput
from symcook.programs.srasp_reading import read_srasp
from symcook.spec.srasp import answers

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


@pytest.mark.parametrize("seed", range(60))
def test_programs_drawn_at_random(seed: int) -> None:
    """Interpreter and model, on all words to length 5 and some longer ones; a program a size, five a case."""
    for more in range(5):
        draw = Draw(100 * seed + more, 3 + (seed + more) % 7)
        try:
            program = read_srasp(draw.text, "ab")
        except BadInput as error:
            assert "known name" in error.must  # a letter that the value can never be
            continue
        model = sc.compile("srasp", draw.text, alphabet="ab")
        r = random.Random(seed)
        for word in [*words(3 if more else 5, "ab"), *("".join(r.choices("ab", k=k)) for k in (5, 8, 13))]:
            want = draw.answers(word)
            assert answers(program, word) == want, (draw.text, word)
            got: Any = model.run(word).outputs
            assert (list(map(Fraction, got)) if draw.kind in ("number", "grows") else got) == want, (draw.text, word)
