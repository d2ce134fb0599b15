"""Automata compiled to decoders: their tokens beside a walk over the same file, and beside what the language is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from automata_examples import FILES, LANGUAGES, letters, walked
from shared import call, document, refused, words

import symcook as sc
from symcook.decode import continued, extended, generate, recognizes, stream
from symcook.errors import BadInput
from symcook.model.modelfile import dumps, loads
from symcook.programs.running import program_table, speech_of, tokens_of

ODD = {
    "states": ["even", "odd"], "input_symbols": ["0", "1"],
    "transitions": {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    "initial_state": "even", "final_states": ["odd"],
}  # fmt: skip


def lines(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[Any]]:
    code, out, _ = call(capsys, *arguments, "--json")
    return code, [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    assert call(capsys, "compile", "dfa", tmp_path / "odd.json", "-o", tmp_path / "model.json")[0] == 0
    return tmp_path / "model.json"


@pytest.mark.layer_one(0, 1, 2, 3, 4)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("length", [0, 1, 3])
def test_each_token_is_the_state_of_a_walk(file: Path, length: int) -> None:
    model = sc.compile("dfa", file.read_text())
    said = speech_of(model)
    for word in words(length, "".join(letters(file)), length):
        names = [said.said(token)["token"] for token in stream(model, word, 2 * length + 9)]
        assert names == walked(file, word), word
        assert (names[-1] == "yes") is LANGUAGES[file.stem](word), word


@pytest.mark.sweep
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.layer_two(every=3)
def test_all_words_to_length_5(file: Path) -> None:
    """In one exact pass each: every position answers the next token. That is longer than any path to a new state."""
    model = sc.compile("dfa", file.read_text())
    for word in words(5, "".join(letters(file)), 0):
        tokens = speech_of(model).heard(walked(file, word))
        assert continued(model, word, tokens, "exact").agrees, word
        assert (walked(file, word)[-1] == "yes") is LANGUAGES[file.stem](word), word


def test_tokens_come_one_a_line_with_their_positions(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = lines(capsys, "run", odd, "--input", "011", "--steps", "9")
    assert code == 0 and found == [
        *({"position": 4 + k, "token": name} for k, name in enumerate(["even", "even", "odd", "even", "no"])),
        {"stopped": "end", "output": "no"},
    ]
    assert lines(capsys, "run", odd, "--input", "1", "--steps", "3")[1][-1] == {"stopped": "end", "output": "yes"}
    code, found = lines(capsys, "run", odd, "--input", "1", "--steps", "2")
    assert code == 3 and found[-1] == {"stopped": "limit", "output": None} and len(found) == 3
    assert lines(capsys, "run", odd, "--input", "1", "--steps", "0") == (3, [{"stopped": "limit", "output": None}])
    assert [one.get("token") for one in lines(capsys, "run", odd, "--input", "", "--steps", "5")[1]] == [
        "even", "no", None]  # fmt: skip


def test_a_failure_is_one_line(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["--input", "012"], ["--input", "odd"], ["--input", "0", "--svg", "x.svg"], ["--rows", "1"]):
        code, found = lines(capsys, "run", odd, *given, "--steps", "5")
        assert code == 2 and len(found) == 1 and set(found[0]) == {"error"}, given
    for steps in ("-1", "x", ""):
        code, found = lines(capsys, "run", odd, "--input", "0", "--steps", steps)
        assert code == 2 and len(found) == 1 and set(found[0]) == {"error"}, steps


def test_text_says_the_end_and_the_limit(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", odd, "--input", "1", "--steps", "5")
    assert code == 0 and out.split() == ["2", "even", "3", "odd", "4", "yes", "ended", "with", "yes"]
    code, out, _ = call(capsys, "run", odd, "--input", "1", "--steps", "1")
    assert code == 3 and "limit of 1" in out


def test_a_trace_says_where_the_heads_looked(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second head looks at letter k + 1 for the state behind k letters, and at the first state for the verdict."""
    _, found = lines(capsys, "run", odd, "--input", "011", "--steps", "9", "--trace")
    looked = [next(one["at"] for one in line["looks"] if one["layer"] == 2) for line in found[1:-1]]
    assert looked == [[1], [2], [3], [4]]
    assert [one["at"] for one in found[0]["looks"] if one["layer"] == 1] == [[0, 1, 2]]
    out = call(capsys, "run", odd, "--input", "011", "--steps", "9", "--trace")[1]
    assert "layer 2, head 1: looked at 3 (1)" in out and "looked at 4 (even)" in out
    refused(capsys, "run", odd, "--input", "0", "--then", "even", "--trace")


@pytest.mark.sweep
def test_names_that_letters_have_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = {"a": {"$": "yes", "a": "$"}, "$": {"$": "a", "a": "yes"}, "yes": {"$": "no", "a": "no"},
             "no": {"$": "q 1", "a": "a"}, "q 1": {"$": "q 1", "a": "q 1"}}  # fmt: skip
    (tmp_path / "x.json").write_text(json.dumps({
        "states": list(table), "input_symbols": ["a", "$"], "transitions": table, "initial_state": "a",
        "final_states": ["no", "a"]}))  # fmt: skip
    assert call(capsys, "compile", "dfa", tmp_path / "x.json", "-o", tmp_path / "m.json")[0] == 0
    for word in words(3, "a$", 0):
        code, found = lines(capsys, "run", tmp_path / "m.json", "--input", word, "--steps", "9")
        assert code == 0 and [line["token"] for line in found[:-1]] == walked(tmp_path / "x.json", word), word


@pytest.mark.sweep
def test_a_given_continuation_in_one_pass(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "run", odd, "--input", "11", "--then", "even odd even no")["agrees"] is True
    found = document(capsys, "run", odd, "--input", "11", "--then", "even odd odd no", code=1)
    assert found == {"agrees": False, "domain": "exact", "position": 5, "expected": "odd", "answer": "even"}
    in_floats = ("run", odd, "--input", "11", "--then", "even odd even no", "--domain", "float32")
    assert "in one pass in float32, continues so: 4 tokens" in call(capsys, *in_floats)[1]
    assert document(capsys, *in_floats)["domain"] == "float32"
    assert "at least one token" in refused(capsys, "run", odd, "--input", "11", "--then", " ")
    nothing = call(capsys, "run", odd, "--input", "11", "--steps", "0", "--domain", "float32")
    assert nothing[0] == 3 and "every token" not in nothing[1]
    assert "0" in refused(capsys, "run", odd, "--input", "11", "--then", "even 0")
    model = sc.load(odd)
    assert continued(model, "1", []).agrees
    for word in words(4, "01", 0):
        made = generate(model, word, 20)
        assert continued(model, word, [*made.appended, made.end or ""]).agrees
        wrong = [*made.appended, "yes" if made.end == "no" else "no"]
        assert continued(model, word, wrong).first == len(word) + 1


@pytest.mark.sweep
def test_the_extension_by_k_steps_and_recognition() -> None:
    model = sc.compile("dfa", json.dumps(ODD))
    for word in words(3, "01", 0):
        for k in range(6):
            longer = extended(model, word, k)
            assert len(longer) == len(word) + k and longer[: len(word)] == tuple(word)
            assert k == 0 or longer[:-1] == extended(model, word, k - 1)
        assert recognizes(model, word, lambda n: n + 2, "yes") is (word.count("1") % 2 == 1)
        assert recognizes(model, word, lambda n: 2 * n + 4, "yes") is (word.count("1") % 2 == 1)  # it stays at that
        assert not recognizes(model, word, lambda n: n + 1, "yes")
    with pytest.raises(BadInput, match="must be at least 1"):
        recognizes(model, "", lambda n: n, "yes")


@pytest.mark.sweep
def test_expressions_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = sc.compile("dfa", "(a|b)*abb")
    assert model.program is not None and model.program.alphabet == ("a", "b")
    again = loads(dumps(model))
    assert again == model and again.program == model.program
    for word in words(5, "ab", 0):
        assert (generate(again, word, 20).end == "yes") is word.endswith("abb")
    over = sc.compile("dfa", "()", alphabet="ab")
    assert [generate(over, word, 9).end for word in ("", "a", "ba")] == ["yes", "no", "no"]
    wide = sc.compile("dfa", "left right*", alphabet="right left")
    assert generate(wide, ("left", "right"), 9).end == "yes"
    assert json.loads(call(capsys, "compile", "dfa", "a*", "-o", tmp_path / "m.json", "--json")[1]) == {
        "file": str(tmp_path / "m.json"), "layers": 2, "width": 14, "heads": 2, "operators": 1,
        "certificate": None, "verdict": None}  # fmt: skip
    assert "a symbol a" in call(capsys, "show", tmp_path / "m.json")[1].replace("is", "a")


MISSING = dict(ODD, transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd"}})
REFUSED: list[tuple[str, str]] = [
    (json.dumps(MISSING, indent=1), "none from odd by 1 in line 15"),
    (json.dumps(ODD, indent=1).replace('"0": "even",', '"0": "even",\n "0": "odd",'), "by 0 in line 12 and in line 13"),
    (json.dumps(dict(ODD, input_symbols=[])), "input_symbols"),
    (json.dumps(dict(ODD, states=[])), "states"),
    (json.dumps(dict(ODD, input_symbols=["0", "0"])), "must not repeat a name"),
    (json.dumps(dict(ODD, initial_state="x")), "initial state"),
    (json.dumps(dict(ODD, final_states=["x"])), "final state"),
    (json.dumps(dict(ODD, final_states="odd")), "list"),
    (json.dumps(dict(ODD, input_symbols=["0", "1", "2"])), "none from even by 2"),
    (json.dumps(dict(ODD, input_symbols=["0"])), "1 in the state even"),
    (json.dumps({k: v for k, v in ODD.items() if k != "final_states"}), "final_states"),
    (json.dumps({k: v for k, v in ODD.items() if k != "states"}), "states"),
    (json.dumps(ODD | {"answers": {"even": "x", "odd": "y"}}), "final_states or answers"),
    (json.dumps({k: ODD[k] for k in ODD if k != "final_states"} | {"answers": {"even": "x", "odd": "y"}}), "accept"),
    ("{", "JSON"), ("{}", "JSON object"), ("[a", "close"), ("", "alphabet"), ("()", "--alphabet"), ("a)", "brackets"),
    ("no-such-file.json", "exist"),
]  # fmt: skip


@pytest.mark.parametrize("source, words_", REFUSED)
def test_what_is_no_automaton_is_refused(
    source: str, words_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    given = source
    if source[:1] == "{":
        file.write_text(source)
        given = str(file)
    said = refused(capsys, "compile", "dfa", given, "-o", tmp_path / "m.json")
    assert words_ in said and not (tmp_path / "m.json").exists(), said


def test_alphabets_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "alphabet" in refused(capsys, "compile", "dfa", "ab", "--alphabet", "", "-o", tmp_path / "m.json")
    assert "ac" in refused(capsys, "compile", "dfa", "ac", "--alphabet", "ab", "-o", tmp_path / "m.json")
    said = refused(capsys, "compile", "dfa", json.dumps(ODD), "--alphabet", "ab", "-o", tmp_path / "m.json")
    assert "over the alphabet a b" in said
    with pytest.raises(BadInput, match="the theorem about automata must be 1, "):
        sc.compile("dfa", "a", theorem="15a")


def test_tokens_are_told_apart() -> None:
    model = sc.compile("dfa", json.dumps(ODD))
    assert model.program is not None and model.embedding.words is not None
    assert tokens_of(program_table(model.program)) == tuple(model.embedding.words)
    assert model.embedding.before == "$" and model.alphabet == ("0", "1", "even", "odd", "no", "yes")


@pytest.mark.layer_one(8)
@pytest.mark.parametrize("variant", ["nonstrict", "no-start"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.layer_two(every=2)
def test_variants_put_out_the_same(file: Path, variant: str) -> None:
    """Footnotes 7 and 8: with masks by which a column sees itself, and without $, on all words to length 3."""
    model = sc.compile("dfa", file.read_text(), variant=variant)
    heads = [head for layer in model.layers if layer.attention is not None for head in layer.attention.heads]
    assert {head.mask for head in heads} == {"future" if variant == "nonstrict" else "strict-future"}
    assert model.embedding.before == ("$" if variant == "nonstrict" else None)
    assert ("$" in (model.embedding.words or ())) == (variant == "nonstrict")
    said = speech_of(model)
    for length in range(0 if variant == "nonstrict" else 1, 4):
        for word in words(length, "".join(letters(file)), length):
            assert [said.said(one)["token"] for one in stream(model, word, length + 9)] == walked(file, word), word
            assert continued(model, word, said.heard(walked(file, word)), "ball").agrees
    from symcook.compilers import genuine

    assert genuine(loads(dumps(model))) and [line[0] for line in model.plan] != []
    assert {line[0] for line in model.plan} == set(model.space)


def test_a_run_ends_at_a_token_that_is_no_symbol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As rounding may put one out: here $ has the greatest score wherever q1 should be said."""
    model = sc.compile("dfa", "(aa)*")
    weights = [[2 * one for one in row] for row in model.readout.weights.tolist()]
    weights[0] = [2 * one for one in weights[model.readout.labels.index("q1")]]
    forged = replace(model, readout=replace(model.readout, weights=weights))
    assert list(stream(model, "aa")) == ["q0", "q1", "q0", "yes"]
    assert list(stream(forged, "aa")) == ["q0", "$"] == list(stream(forged, "aa", 9, "mpmath", bits=20))
    forged.save(str(tmp_path / "forged.json"))
    run = ("run", tmp_path / "forged.json", "--input", "aa", "--steps", 9, "--domain", "float32")
    code, found = lines(capsys, *run)
    assert code == 3 and found[-1] == {"stopped": "no symbol", "output": None, "first_wrong": 4}
    code, out, _ = call(capsys, *run)
    assert code == 3 and "stopped at $, which the model does not read" in out


@pytest.mark.sweep
def test_commands_take_a_variant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    for variant in ("nonstrict", "no-start"):
        file = tmp_path / f"{variant}.json"
        assert call(capsys, "compile", "dfa", tmp_path / "odd.json", "-o", file, "--variant", variant)[0] == 0
        code, found = lines(capsys, "run", file, "--input", "011", "--steps", 9)
        assert code == 0 and found[-1] == {"stopped": "end", "output": "no"}
        assert document(capsys, "check", file, "--max-length", 3)["mismatches"] == 0
        assert document(capsys, "decide", file, "--against", "(0|1)*", code=1)["word"] == (
            "" if file.stem == "nonstrict" else "0"
        )
        assert call(capsys, "decide", file)[0] == 3  # only with --theorem 1 is anything proved of a variant
        promised = document(capsys, "export", file, "-o", tmp_path / "m.npz", "--max-length", 2, "--force")["decoding"]
        assert promised["steps"] == 100 and promised["words_to"] == 2
        assert call(capsys, "report", file, "--input", "01", "-o", tmp_path / f"{variant}.html")[0] == 0
        asked = ("compile", "dfa", "a*", "-o", tmp_path / "p.json", "--variant", variant, "--prove", "--force")
        code, _, said = call(capsys, *asked)
        assert code == 3 and f"no proof is made of the variant {variant} without --theorem 1;" in said
        typed = f"compile dfa 'a*' --alphabet a --variant {variant} --theorem 1 --prove"
        assert typed in refused(capsys, "prove", tmp_path / "p.json")
    assert "at least one token" in refused(capsys, "run", file, "--input", "", "--steps", 3)
    assert "before the input" in refused(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", file, "--variant", "no-start")
    refused(capsys, "compile", "dfa", "a*", "-o", file, "--variant", "other", "--force")


def test_python_shows_states_by_their_own_names_as_the_command_line_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """States that are called as the verdicts have private tokens (no'), which no answer shows."""
    table = {
        "states": ["yes", "no"], "input_symbols": ["a"], "transitions": {"yes": {"a": "no"}, "no": {"a": "yes"}},
        "initial_state": "no", "final_states": ["no"],
    }  # fmt: skip
    model = sc.compile("dfa", json.dumps(table))
    decoded = generate(model, "aa", 20)
    assert decoded.appended == ("no", "yes", "no") and decoded.end == "yes" and decoded.ended
    assert decoded.tokens == ("a", "a", "no", "yes", "no")
    (tmp_path / "m.json").write_text(dumps(model))
    code, found = lines(capsys, "run", tmp_path / "m.json", "--input", "aa", "--steps", 20, "--json")
    assert code == 0 and [line["token"] for line in found if "token" in line] == ["no", "yes", "no", "yes"]


def test_states_called_yes_and_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of `--then yes` the one token was read as the verdict: "outputs yes at position 3, not yes"."""
    moves = {"yes": {"a": "no"}, "no": {"a": "yes"}}
    table = {"states": ["yes", "no"], "input_symbols": ["a"], "transitions": moves}
    source = json.dumps(table | {"initial_state": "yes", "final_states": ["yes"]})
    sc.compile("dfa", source).save(tmp_path / "yn.json")
    for then, code, said in (
        ("yes", 0, "continues so: 1 token"),
        ("yes no yes", 0, "continues so: 3 tokens"),
        ("yes no yes yes", 0, "continues so: 4 tokens"),
        ("yes no yes no", 1, "outputs yes at position 6, not no"),
        ("yes no yes yes yes", 1, "outputs yes, which ends the run, at position 6, not yes"),
    ):
        found = call(capsys, "run", tmp_path / "yn.json", "--input", "aa", "--then", then)
        assert (found[0], said in found[1]) == (code, True), found
