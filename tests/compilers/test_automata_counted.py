"""``compile dfa --theorem 1``: instances of families with |x| + 1 tokens, against a walk, and the theorems of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from automata_examples import FILES, LANGUAGES, letters, walked
from shared import call, document, refused, words

import symcook as sc
from symcook.compilers import genuine
from symcook.compilers.automaton import counted_at
from symcook.decode import extended, recognizes
from symcook.errors import BadInput
from symcook.export.machine_steps import program_run
from symcook.model.expr import parse_term, show
from symcook.model.modelfile import to_document
from symcook.programs import VARIANTS
from symcook.programs.running import read_source, tokens_of
from symcook.proof.bridges import bridge
from symcook.proof.bridges.bridge import Bridge
from symcook.proof.bridges.indexedequations import summed
from symcook.proof.bridges.tableterms import table_function
from symcook.run import run

THEOREMS = {
    "strict": ("automaton", "merrill2024.thm1"),
    "nonstrict": ("automaton-nonstrict", "merrill2024.thm1.nonstrict"),
    "no-start": ("automaton-no-start", "merrill2024.thm1.nodollar.corrected"),
}


@pytest.mark.layer_one(11)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.layer_two(every=5)
def test_behind_a_word_come_the_states_but_for_the_first_and_the_verdict(file: Path, variant: str) -> None:
    text = file.read_text()
    model, table = sc.compile("dfa", text, theorem="1", variant=variant), read_source(text)
    shown = dict(zip(tokens_of(table)[1 + len(table.alphabet) :], (*table.names, "no", "yes"), strict=True))
    for word in words(3, "".join(letters(file)), 1 if variant == "no-start" else 0):
        wanted = walked(file, word)[1:]
        if variant != "nonstrict" and len(word) == 1:  # one letter is answered at once
            wanted = wanted[-1:] * 2
        behind = extended(model, list(word), len(word) + 1)[len(word) :]  # a state may be called as a word is
        assert [shown[one] for one in behind] == wanted, word
        assert recognizes(model, list(word), lambda n: n + 1, "yes") is LANGUAGES[file.stem](word), word
    assert genuine(model) and {line[0] for line in model.plan} == set(model.space)


@pytest.mark.sweep
@pytest.mark.parametrize("variant", [pytest.param("strict", marks=pytest.mark.campaign), "nonstrict", "no-start"])
@pytest.mark.layer_two(every=2)
def test_the_program_stays_in_the_file(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words by their letters, the run to its end, beside the program, at all lengths, and as a page runs it."""
    odd = next(file for file in FILES if file.stem == "odd-ones")
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "dfa", odd, "--theorem", "1", "--variant", variant, "-o", file)[0] == 0
    for word in ("0110", "1"):
        wanted = walked(odd, word)[1:] if variant == "nonstrict" or len(word) > 1 else walked(odd, word)[-1:]
        code, out, _ = call(capsys, "run", file, "--input", word, "--steps", "20")
        assert code == 0 and [line.split()[1] for line in out.splitlines()[:-1]] == wanted
        assert call(capsys, "run", file, "--input", word, "--then", " ".join(wanted))[0] == 0
        assert program_run(sc.load(file), word, 20).ended
    assert "agrees with its program on 30 inputs of 30" in call(capsys, "check", file, "--max-length", "4")[1]
    code, said, _ = call(capsys, "decide", file, "--against", "0*1(0|10*1)*")
    assert (code, said[:4]) == ((3, "OPEN") if variant == "no-start" else (0, "EQUA"))
    made = json.loads(file.read_text())
    made["program"]["source"] = made["program"]["source"].replace('["odd"]', '["even"]')
    file.write_text(json.dumps(made))
    assert "differs from its program" in call(capsys, "check", file, "--max-length", "2")[1]
    assert "must be what its weights were compiled from" in refused(capsys, "prove", file)


def with_weight(made: dict[str, Any]) -> None:
    made["layers"][-1]["feedforward"]["W2"][3][0] = "2"


def with_mask(made: dict[str, Any]) -> None:
    head = made["layers"][0]["attention"][0]
    head["mask"] = {"future": "strict-future", "strict-future": "future"}[head["mask"]]


def with_table(made: dict[str, Any]) -> None:
    made["source"] = made["source"].replace("delta = 1 2 2 1", "delta = 2 2 2 1")


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    r"given: 2 where the family has 1, at layers \d feedforward W2 4 1": with_weight,
    r"the mask of head 1 of layer 1, \S+ where the family has (strict-)?future": with_mask,
    r"given: 1 where the family has 0, at layers \d feedforward W2": with_table,
}


@pytest.mark.sweep
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.layer_two(every=3)
def test_each_variant_is_proved_and_each_change_is_named(
    variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = next(file for file in FILES if file.stem == "odd-ones")
    file, (family, theorem) = tmp_path / "m.json", THEOREMS[variant]
    asked = ("compile", "dfa", odd, "--theorem", "1", "--variant", variant, "--prove", "-o", file)
    code, said, _ = call(capsys, *asked)
    assert code == 0 and "4 operators" in said
    assert f"as the automaton says ({theorem})" in said and ("with a symbol" in said) is (variant == "no-start")
    found = document(capsys, "prove", file)
    assert (found["family"], found["bridge"]) == (family, "PROVED")
    assert [(one["id"], one["status"]) for one in found["theorems"]] == [(theorem, "PROVED")]
    assert (tmp_path / "m.proof.json").exists()
    named, change = list(CHANGES.items())[VARIANTS.index(variant)]
    made = json.loads(file.read_text())
    change(made)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(made))
    assert re.search(named, refused(capsys, "prove", other)), named


def test_a_change_of_the_table_is_another_model() -> None:
    """The weights of a neighbour, one transition or one final state off, are others."""
    text = next(file for file in FILES if file.stem == "odd-ones").read_text()
    for variant in VARIANTS:
        made = [
            sc.compile("dfa", one, name="m", theorem="1", variant=variant)
            for one in (text, text.replace('"1": "odd"', '"1": "even"'), text.replace('["odd"]', '["even"]'))
        ]
        assert made[0].layers != made[1].layers and made[0].layers != made[2].layers


@pytest.mark.sweep
def test_a_run_of_many_states_is_found() -> None:
    """Of 32 states, with more names than may stand one below the other: each equation is read by itself."""
    names, letters = [f"s{k}" for k in range(32)], "01"
    rows = {q: {c: names[(2 * k + int(c)) % 32] for c in letters} for k, q in enumerate(names)}
    text = json.dumps({"states": names, "input_symbols": [*letters], "transitions": rows, "initial_state": "s0",
                       "final_states": ["s5"]})  # fmt: skip
    model = sc.compile("dfa", text, theorem="1", variant="nonstrict")
    at, tokens = counted_at(read_source(text), "nonstrict")
    length, word, values = Bridge(at.family, at, to_document(model))._solved()
    assert (length, [tokens[k] for k in word]) == (2, ["$", "0"])
    scored = [token for k, token in enumerate(tokens) if values[f"o{k}"][1] != "0"]
    assert scored == [run(model, "0").result.label(-1)] == ["s0"]


@pytest.mark.parametrize(("kind", "theorem", "message"), [
    ("dfa", "2", "the theorem about automata must be 1,"),
    ("dfa", "12a", "the theorem about automata must be 1,"),
    ("ltl", "1", "the theorem must be a known name"),
])  # fmt: skip
def test_other_theorems_are_refused(kind: str, theorem: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        sc.compile(kind, {"dfa": "a*", "ltl": "Q_a"}[kind], alphabet="a", theorem=theorem)


@pytest.mark.sweep
def test_a_bridge_with_norms_by_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where they are many: fewer names, sums over numbers, and accepted; both ways of writing are of one model."""
    from symcook.cli.families import candidates

    odd = next(file for file in FILES if file.stem == "odd-ones")
    model = sc.compile("dfa", odd.read_text(encoding="utf-8"), theorem="1")
    (family, at), *_ = candidates(model, model.name)[0]
    plain = bridge.Bridge(family, at, to_document(model))
    monkeypatch.setattr(bridge, "MANY_NAMES", 0)
    made = bridge.Bridge(family, at, to_document(model))
    assert len(made.runs) < len(plain.runs) / 2 and "sum(v__, " in made.text
    assert bridge.checked(made)[1].status == "PROVED"


def test_tables_and_sums_in_few_symbols() -> None:
    """A table as a function, against its entries; only neighbours with one sign become one sum."""
    random = Random(33)
    for many in (1, 2, 3):
        entries = {at: Fraction(random.choice((-1, 0, 1, 2))) for at in product(range(1, 5), repeat=many)}
        names, _, body = table_function(entries).partition(". ")
        text = body.replace("I[", "I(").replace("]", ")").replace(" & ", " and ").replace(" = ", " == ")
        for at, value in entries.items():
            assert eval(text, {"I": int} | dict(zip(names.split(), at, strict=True))) == value
    terms = " + ".join(f"-y({k}, i)" for k in range(1, 6))
    alike = summed(parse_term(f"relu({terms} + y(6, i))"))
    assert show(alike) == "relu(sum(v__, 1, 5, -y(v__, i)) + y(6, i))"
    for kept in ("3*y(1, i) + y(2, i) + y(3, i) + y(4, i) + y(5, i)*z", "x - y(1, i) + y(2, i) + y(3, i) + y(4, i)"):
        assert show(summed(parse_term(kept))) == kept
