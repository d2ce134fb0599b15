"""A machine's page runs any word that is typed: in a real browser against the library's own runs, token by token with
heads, retrievals and gaps, and against the interpreters in `symcook.spec`; by keyboard, on a phone, for who listens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from browser import browser, complaints
from checkout import ROOT
from machine_examples import COPY, NOT, STAYS

import symcook as sc
from symcook.compilers.turing import MachineDecoder
from symcook.decode import stream
from symcook.domains import make_domain
from symcook.forward import forward
from symcook.model.typedtext import tokens_of_text
from symcook.programs.automata import read_table
from symcook.programs.running import read_source, speech_of
from symcook.programs.steps import at_first_letter
from symcook.programs.turing import read_turing
from symcook.report.page.html import own
from symcook.report.page.modelpage import LONGEST_TYPED, MOST_TYPED, model_page
from symcook.spec import automata, turing
from symcook.thought import rows
from symcook.thought.frames import differences
from symcook.thought.integers import IntegerDecoder
from symcook.thought.running import INTEGERS, MachineRun

MACHINES, AUTOMATA = ROOT / "examples" / "machines", ROOT / "examples" / "automata"
WORDS = 4
"""The words for each machine."""


@pytest.fixture(scope="module")
def made() -> Iterator[Any]:
    with browser() as found:
        yield found


@cache
def paged(kind: str, source: str) -> tuple[sc.Transformer, str]:
    model = sc.compile(kind, source)
    return model, model_page(model)[0]


def opened(made: Any, kind: str, source: str, folder: Path) -> sc.Transformer:
    model, text = paged(kind, source)
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    return model


def by_page(made: Any, words: list[str]) -> list[dict[str, Any]]:
    """What the page's own script says of words, by the table that the page has."""
    table = "JSON.parse(document.getElementById('data').textContent).machine.table"
    asked = f"const table = {table}; return JSON.stringify(arguments[0].map((w) => SymcookMachine.run(table, w)));"
    return json.loads(made.execute_script(asked, words))


def library(source: str, word: tuple[str, ...], limit: int, least: int = 0) -> dict[str, Any]:
    """The same by the library's run in integers, as JSON; `least` 1 without $."""
    machine = read_turing(source)
    decoder = IntegerDecoder(machine)
    steps = tuple(islice(decoder.steps(word), limit + 1))
    ended, steps = len(steps) <= limit, steps[:limit]
    run = MachineRun(machine, word, INTEGERS, tuple(step.token for step in steps), ended, steps, least)
    found = json.loads(json.dumps(differences(run)))
    return {key: value for key, value in found.items() if key != "domain"}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", sorted(file.name for file in MACHINES.glob("*.tm")))
@pytest.mark.layer_two(every=5)
def test_words_of_machines_are_run_as_the_library_runs_them(name: str, made: Any, tmp_path: Path) -> None:
    """Tokens, heads, what each head retrieves, the runner-up and three digits of the gap."""
    source = (MACHINES / name).read_text(encoding="utf-8")
    machine, random = read_turing(source), Random(name)
    opened(made, "tm", source, tmp_path)
    if not machine.input:
        assert made.execute_script("return document.getElementById('word')") is None
        return
    words = [tuple(random.choices(machine.input, k=random.randrange(9))) for _ in range(WORDS)]
    for word, said in zip(words, by_page(made, ["".join(word) for word in words]), strict=True):
        assert said.pop("typed") == " ".join(word)
        assert said == library(source, word, MOST_TYPED), word
        told = turing.execute(machine, word, MOST_TYPED)
        keys = ("position", "token", "write", "move")
        assert [{key: one[key] for key in keys if key in one} for one in said["tokens"]] == list(told.documents)
    assert complaints(made) == []


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("source", [*sorted(AUTOMATA.glob("*.json")), "(ab|ba)*c?", "()", "(aa)*"], ids=str)
@pytest.mark.layer_two(every=2)
def test_words_of_automata_are_run_as_the_model_runs_them(source: Path | str, made: Any, tmp_path: Path) -> None:
    text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
    if text == "()":
        model = sc.compile("dfa", text, alphabet="ab")
        (tmp_path / "page.html").write_text(model_page(model)[0], encoding="utf-8")
        made.get((tmp_path / "page.html").as_uri())
        table = read_source(text, "ab")
    else:
        model = opened(made, "dfa", text, tmp_path)
        table = read_source(text) if isinstance(source, str) else read_table(text)
    random, speech = Random(text), speech_of(model)
    words = [tuple(random.choices(table.alphabet, k=random.randrange(12))) for _ in range(WORDS)]
    for word, said in zip(words, by_page(made, [" ".join(word) for word in words]), strict=True):
        assert [one["token"] for one in said["tokens"]] == automata.tokens(table, word)
        assert [one["position"] for one in said["tokens"]] == [*range(len(word) + 1, 2 * len(word) + 3)]
        assert (said["output"], said["stopped"]) == (automata.tokens(table, word)[-1], "end")
    word = words[-1]  # one of them by the model's own weights
    own_tokens = [speech.text(token) for token in stream(model, word, 40)]
    assert own_tokens == automata.tokens(table, word)


LONG = """{"states": ["even", "odd"], "input_symbols": ["1", "0", "10"], "transitions":
 {"even": {"1": "odd", "0": "even", "10": "odd"}, "odd": {"1": "even", "0": "odd", "10": "even"}},
 "initial_state": "even", "final_states": ["odd"]}"""
"""An automaton with a symbol that is a text of two others."""


@pytest.mark.sweep
def test_the_field_shows_a_single_long_symbol_as_it_is_read() -> None:
    model = sc.compile("dfa", LONG)
    shown = re.search(r'id="word" type="text" value="([^"]*)"', model_page(model, ("10",))[0])
    assert shown is not None and shown[1] == "10 "
    assert tokens_of_text(shown[1], model.input_symbols) == ("10",)


@pytest.mark.sweep
def test_the_field_of_each_run_is_read_as_its_symbols(made: Any, tmp_path: Path) -> None:
    """By the menu, by a key, and by the key that takes a symbol away."""
    opened(made, "dfa", LONG, tmp_path)
    read = "JSON.stringify(SymcookMachine.run(data.machine.table, document.getElementById('word').value).input)"
    data = "const data = JSON.parse(document.getElementById('data').textContent);"
    data = f"{data} const known = document.getElementById('known');"
    runs = made.execute_script(f"{data} return data.machine.runs.map((run) => JSON.stringify(run.input))")
    assert '["10"]' in runs
    for k, symbols in enumerate(runs):
        if symbols != "[]":
            chosen = "known.value = arguments[0]; known.dispatchEvent(new Event('change'));"
            assert made.execute_script(f"{data} {chosen} return {read};", k) == symbols
    empty = "const field = document.getElementById('word'); field.value = '';"
    press = "for (const key of document.querySelectorAll('button.key')) if (key.dataset.token === '10') key.click();"
    assert made.execute_script(f"{data} {empty} {press} return {read};") == '["10"]'
    assert made.execute_script(f"{data} {press} return {read};") == '["10","10"]'
    assert made.execute_script(f"{data} document.getElementById('erase').click(); return {read};") == '["10"]'
    assert complaints(made) == []


@pytest.mark.sweep
@pytest.mark.parametrize("variant", ["strict", "nonstrict", "no-start"])
def test_words_of_decoders_of_theorem_1(variant: str, made: Any, tmp_path: Path) -> None:
    """Without the first state, and the page says behind which letter the automaton is."""
    model = sc.compile("dfa", (AUTOMATA / "odd-ones.json").read_text(), theorem="1", variant=variant)
    speech, file = speech_of(model), tmp_path / "page.html"
    file.write_text(model_page(model, tuple("0110"))[0], encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    words = ["", "0", "1", "11", "0110", "10100"][variant == "no-start" :]
    for word, said in zip(words, by_page(made, words), strict=True):
        assert [one["token"] for one in said["tokens"]] == [speech.text(one) for one in stream(model, word, 40)]
    made.execute_script("document.getElementById('token-on').click()")
    said = made.execute_script("return document.getElementById('path').textContent")
    assert said == "Now in odd, after the symbol 1."
    assert complaints(made) == []


@pytest.mark.sweep
@pytest.mark.parametrize("theorem", ["", "1"])
def test_words_of_automata_without_a_start(theorem: str, made: Any, tmp_path: Path) -> None:
    """Every word with a letter, by the model's own weights; the empty one is refused in a sentence."""
    model, file = sc.compile("dfa", "(ab|ba)*c?", theorem=theorem, variant="no-start"), tmp_path / "page.html"
    file.write_text(model_page(model)[0], encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    words, speech = ["a", "c", "ab", "abba", "bac", "abbac", "ca", "bab"], speech_of(model)
    for word, said in zip(words, by_page(made, words), strict=True):
        assert [one["token"] for one in said["tokens"]] == [speech.text(one) for one in stream(model, word, 40)], word
        assert said["tokens"][0]["position"] == len(word) + 1 and said["stopped"] == "end"
        write(made, word)
        assert shown(made, "answer") == f"It outputs {said['output']} and ends, with {len(said['tokens'])} tokens."
    write(made, "")
    assert "must have at least one symbol" in shown(made, "said")
    assert complaints(made) == []


@pytest.mark.sweep
def test_words_of_machines_without_a_start(made: Any, tmp_path: Path) -> None:
    """Of the default decoder without $, whose head also goes in front of the word: by page, library and interpreter."""
    source = NOT.replace("go   _ * -> back . L L", "go   _ * -> back . S L").replace("head: 1", "head: -1")
    machine, model, file = read_turing(source), sc.compile("tm", source, variant="no-start"), tmp_path / "page.html"
    file.write_text(model_page(model)[0], encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    words = ["a", "b", "ba", "bbab", "aabba", "bbbbbb"]
    for word, said in zip(words, by_page(made, words), strict=True):
        assert said.pop("typed") == " ".join(word)
        assert said == library(source, tuple(word), MOST_TYPED, least=1), word
        assert said["output"] == turing.execute(machine, word, MOST_TYPED).output
    write(made, "")
    assert "must have at least one symbol" in shown(made, "said")
    assert complaints(made) == []


@pytest.mark.sweep
@pytest.mark.parametrize(("source", "variant", "front"), [(NOT, "strict", 1), (COPY, "no-start", 3)])
def test_words_of_decoders_of_theorem_2(source: str, variant: str, front: int, made: Any, tmp_path: Path) -> None:
    """Rows of the table: by the page, by the library and by the interpreter; what the heads retrieve is what the
    model's own attention is on, and the gap that of all scores by their formula. The last letter is step 0. Behind
    `front` layers of attention stand those of the heads; without $ the second is on the copy of the input."""
    from mpmath import mp, mpf, sqrt

    machine, model = read_turing(source), sc.compile("tm", source, theorem="2", variant=variant)
    ahead, words = variant == "no-start", ["", "a", "b", "ba", "bbab", "aabba", "bbbbbb"]
    words = ["a" * k for k in range(1, 8)] if ahead else words
    file = tmp_path / "page.html"
    file.write_text(model_page(model, tuple(words[3]))[0], encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    for word, said in zip(words, by_page(made, words), strict=True):
        assert said.pop("typed") == " ".join(word)
        wanted, labels = rows.document(rows.RowRun(machine, word, MOST_TYPED, ahead))
        assert said == json.loads(json.dumps(wanted)), word
        told = turing.execute(machine, word, MOST_TYPED)
        first, *others = said["tokens"]
        keys = ("position", "token", "write", "move")
        assert [{key: one[key] for key in keys if key in one} for one in others] == [
            one | {"position": len(word) + k} for k, one in enumerate(told.documents[1:], 1)
        ]
        assert (first["position"], first["given"], said["output"]) == (len(word), True, told.output)
        steps = forward(model, model.tokens((*word, *labels)), make_domain("ball"), trace=True, weights=True).steps
        weights = [step.attention[0] for step in steps if step.attention][front:]
        for one in said["tokens"]:
            by_head = one.get("looked", [])
            if ahead and by_head:
                copied, letter = (head["looked"] for head in one["further"])
                by_head = [letter, copied, *by_head[1:]]
            for looked, of_head in zip(by_head, weights, strict=False):
                seen = [j + ahead for j, shares in enumerate(of_head) if shares[one["position"] - ahead] != 0]
                assert seen == ([] if looked is None else [looked["position"]]), (word, one)
    with mp.workdps(60):
        i, keys = 6, {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}  # the first letter is sought, behind aabbaa
        small = (1 - 1 / sqrt(1 + mpf(1) / i**2)) / 2
        tie = 1 - 1 / sqrt(1 + small**2)
        scores = [1 / sqrt(1 + h * h) - tie / sqrt(j * j + 1) for j, h in keys.items()]
        first, second = sorted([*scores, 1 - tie])[:-3:-1]
        looked = rows.document(rows.RowRun(read_turing(NOT), "aabbaa", 9))[0]["tokens"][0]["looked"][0]
        assert looked == {"position": 1, "rival": 0, "gap": looked["gap"]}
        assert abs(mpf(looked["gap"]) / (first - second) - 1) < 0.01
    made.execute_script("document.getElementById('token-on').click()")
    assert shown(made, "token-said") == f"Step 1, state go, position {len(words[3]) + 1}."
    word = words[-1] + words[-1]  # no run of it was computed beforehand
    write(made, word)
    told = turing.execute(machine, word, MOST_TYPED)
    assert shown(made, "answer") == f"It outputs {told.output} and ends, with {len(told.documents) - 1} tokens."
    made.execute_script("document.getElementById('token-on').click()")
    assert ("held in the state" in shown(made, "lookups")) == ahead
    write(made, "")
    assert ("must have at least one symbol" in shown(made, "said")) == ahead
    assert complaints(made) == []


@pytest.mark.sweep
def test_heads_that_stay_by_rows(made: Any, tmp_path: Path) -> None:
    """A head that stays retrieves nothing, as the library has it; and a step takes the machine to the first letter."""
    model = sc.compile("tm", STAYS.replace("head: 1", "head: 0").replace("done . L S", "done . S S"), theorem="2")
    machine, file = rows.machine_of_table(model), tmp_path / "page.html"
    file.write_text(model_page(model, ("a", "a"))[0], encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())
    words = ["", "a", "aa", "aaa"]
    for word, said in zip(words, by_page(made, words), strict=True):
        assert said.pop("typed") == " ".join(word)
        wanted = json.loads(json.dumps(rows.document(rows.RowRun(machine, word, MOST_TYPED))[0]))
        assert said == wanted and said["tokens"][1]["token"] == "go"
        assert any(one["looked"][1] is None for one in said["tokens"][1:] if one.get("move", "")[1:] == ["S"])
    assert complaints(made) == []


def random_machine(random: Random) -> str:
    """A machine of two states and two tapes by chance, as text; it may run for ever."""
    lines = ["input: 0 1", "work symbols: x y", "start: p", "halt: h", f"head: {random.choice((-1, 0, 1))}"]
    for state in "pq":
        for read in "01_":
            for one in "xy_":
                for two in "xy_":
                    moves = " ".join(random.choice("LSR") for _ in range(3))
                    to = random.choice("ppqqqh")
                    lines.append(
                        f"{state} {read} {one} {two} -> {to} {random.choice('xy_')} {random.choice('xy')} {moves}"
                    )
    return "\n".join(lines)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("theorem", [False, True])
@pytest.mark.parametrize("least", [0, 1])
def test_machines_by_chance(least: int, theorem: bool, made: Any) -> None:
    """Heads that leave the word, cells left of zero, heads that stay, runs that do not end: against the library to 60
    tokens, with $ and without (`least`), of both decoders."""
    from symcook.report.page import machine as pages

    random = Random(34)
    made.get("about:blank")
    made.execute_script(own("stepper.js").replace("const SymcookMachine", "window.SymcookMachine", 1))
    for _ in range(8):
        source = random_machine(random)
        read = at_first_letter(read_turing(source)) if theorem else read_turing(source)
        MachineDecoder(read)
        kept = {" ".join((state, *reads)): (row.state, row.writes, [pages.LETTERS[m] for m in row.moves])
                for (state, reads), row in read.rows.items()}  # fmt: skip
        ends = {"start": read.start, "halt": read.halt, "head": read.head, "tapes": read.tapes}
        table = {"input": read.input, "symbols": read.symbols, "blank": read.blank, **ends,
                 "rows": kept, "least": least, "theorem": theorem}  # fmt: skip
        for _ in range(4):
            word = tuple(random.choices("01", k=random.randrange(least, 6)))
            said = json.loads(made.execute_script(
                "return JSON.stringify(SymcookMachine.run(arguments[0], arguments[1]))", table, "".join(word)
            ))  # fmt: skip
            if theorem:
                wanted = json.loads(json.dumps(list(rows.changes(rows.RowRun(read, word, 60, bool(least))))))
            else:
                wanted = library(source, word, 60, least)["tokens"]
            assert said["tokens"][: len(wanted)] == wanted, (source, word)
            assert len(wanted) >= 60 or len(said["tokens"]) == len(wanted)


def write(made: Any, text: str) -> None:
    """Typed with the keys of a keyboard."""
    from selenium.webdriver.common.keys import Keys

    field = made.find_element("id", "word")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text or Keys.DELETE)


def shown(made: Any, name: str) -> str:
    return made.execute_script("return document.getElementById(arguments[0]).textContent", name)


@pytest.mark.sweep
def test_a_word_is_typed_and_stepped(made: Any, tmp_path: Path) -> None:
    source = (MACHINES / "palindromes.tm").read_text(encoding="utf-8")
    opened(made, "tm", source, tmp_path)
    word = "abbabbabba"
    assert word not in made.execute_script("return document.getElementById('known').textContent").replace(" ", "")
    write(made, word)
    told = turing.execute(read_turing(source), word, 500)
    assert shown(made, "answer") == f"It outputs {told.output} and ends, with {len(told.documents)} tokens."
    assert "short runs" in shown(made, "trace") and shown(made, "said") == ""
    made.execute_script("document.getElementById('token').focus()")
    from selenium.webdriver.common.keys import Keys

    made.switch_to.active_element.send_keys(Keys.END)
    assert shown(made, "token-said").endswith(f"position {len(word) + len(told.documents)}.")
    live = made.execute_script("""return ['answer', 'token-said', 'said'].map((id) => {
      const one = document.getElementById(id); return one.getAttribute('aria-live') ?? one.getAttribute('role'); })""")
    assert live == ["polite", "polite", "alert"]
    # one that was computed beforehand has the network's values, and the list follows what is typed
    first = made.execute_script("return document.getElementById('known').options[0].textContent")
    spelled = first.replace(" ", "")
    write(made, spelled)
    assert made.execute_script("return document.querySelector('#trace #tables') !== null")
    assert made.execute_script("return document.getElementById('known').selectedOptions[0].textContent") == first
    made.find_element("css selector", "button.key[data-token=b]").click()
    assert made.execute_script("return document.getElementById('word').value") == f"{spelled}b"
    made.find_element("id", "erase").click()
    assert made.execute_script("return document.getElementById('word').value") == spelled
    assert complaints(made) == []


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "source"), [("tm", "palindromes.tm"), ("dfa", "(ab)*")])
def test_another_symbol_is_refused_in_a_sentence(kind: str, source: str, made: Any, tmp_path: Path) -> None:
    """Also one that is HTML, which is shown; and a word that is too long. What was there before is gone."""
    text = (MACHINES / source).read_text(encoding="utf-8") if kind == "tm" else source
    opened(made, kind, text, tmp_path)
    for typed, given in (("abx", "x"), ("a<b>", "<"), ("A", "A"), ("é", "é")):
        write(made, typed)
        assert shown(made, "said") == f"every symbol must be in the alphabet a b; given: {given}."
        assert shown(made, "answer") == "" and not made.find_element("id", "machine").is_displayed()
    made.execute_script("const f = document.getElementById('word'); f.value = 'a'.repeat(201);"
                        "f.dispatchEvent(new Event('input'))")  # fmt: skip
    assert f"at most {LONGEST_TYPED} symbols; given: 201" in shown(made, "said")
    write(made, "ab")
    assert shown(made, "said") == "" and made.find_element("id", "machine").is_displayed()
    write(made, "")
    assert shown(made, "said") == "" and shown(made, "answer").startswith("It outputs ")
    assert complaints(made) == []


def test_a_run_without_an_end_stops_at_a_limit_that_is_said(made: Any, tmp_path: Path) -> None:
    source = "input: a b\nwork symbols: x\nstart: p\nhalt: h\np a * -> h . S S\np * * -> p x R R\n"
    opened(made, "tm", source, tmp_path)
    assert f"stops after {MOST_TYPED:,} tokens" in shown(made, "how")
    write(made, "bbbbbbbbbbb")
    assert shown(made, "answer").startswith(f"{MOST_TYPED} tokens, and goes on; so far nothing")
    assert complaints(made) == []


@pytest.mark.sweep
def test_a_table_that_is_too_large_is_not_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says nothing of typing then, and has the runs that were computed; also where weights were changed, so
    that the table is not what the model does."""
    model = sc.compile("dfa", "(ab)*")
    there = model_page(model)[0]
    assert 'id="word"' in there and "On any other string your browser runs the machine" in there
    monkeypatch.setattr("symcook.report.page.machine.ROWS", 3)
    document = model_page(model)[0]
    assert (
        'id="word"' not in document
        and 'id="known"' in document
        and "On any other string your browser runs the machine" not in document
    )
    monkeypatch.undo()
    changed = replace(model, program=sc.compile("dfa", "(ba)*").program)
    assert 'id="word"' not in model_page(changed)[0]


@pytest.mark.sweep
def test_it_fits_a_phone_and_axe_is_content(tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_selenium_python", reason="pip install axe-selenium-python")
    with browser() as phone:
        phone.set_script_timeout(120)
        size = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        phone.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        opened(phone, "dfa", "(ab|ba)*", tmp_path)
        for typed in ("abba" * 9, "", "abx"):
            write(phone, typed)
            assert phone.execute_script("return document.documentElement.scrollWidth") <= 380
        judge = axe.Axe(phone)  # while a symbol is refused
        judge.inject()
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in judge.run()["violations"]] == []
