"""``compile tm --theorem 2``: instances of the families turing and turing-no-start, against the interpreter, and the
theorem about those of turing."""

import json
import shlex
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from machine_examples import COPY, STAYS
from shared import call

import symcook as sc
from symcook.compilers import genuine, tables
from symcook.decode import stream
from symcook.errors import BadInput, Rejected
from symcook.export.machine_steps import ProgramRun, program_run
from symcook.model.modelfile import save
from symcook.programs.running import speech_of
from symcook.programs.turing import read_turing
from symcook.spec import turing
from symcook.thought.running import machine_of
from symcook.verify.decoded import check_decoded

NOT = """\
input: a b
work symbols: a b
start: go
halt: done
head: 1
go   a * -> done b R L
go   b * -> go   a R R
go   _ * -> done . L L
"""


BOTH_STAY = """\
input: a b
work symbols: a b
start: go
halt: done
head: 1
go   a * -> back b S S
go   b * -> go   a R S
go   _ * -> done . L S
back * b -> back a S S
back * a -> go   . R R
back * _ -> back a L R
"""
"""Both heads stay, together and alone, twice in a row, and where the output is read."""


ONCE = "input: a\nwork symbols: a\nstart: s\nhalt: h\ns * * -> h a S S\n"
"""One step."""


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("text", "variant"),
    [(COPY, "strict"), (NOT, "strict"), (COPY, "no-start"), (NOT, "no-start")],
)
def test_it_runs_the_machine(text: str, variant: str) -> None:
    machine = read_turing(text)
    model = sc.compile("tm", text, theorem="2", variant=variant)
    assert genuine(model) and {line[0] for line in model.plan} == set(model.space)
    for word in ("", "a", "aa") if text == COPY else ("", "ba"):
        if not word and variant == "no-start":
            with pytest.raises(BadInput, match="at least one symbol"):
                program_run(model, word, 20)
            continue
        truth = turing.execute(machine, tuple(word), 30)
        behind = list(stream(model, word, 20, "ball"))
        output = [one[1:] for one in behind if one.startswith("=")]
        assert output == [*truth.output, "_"] and len(behind) - len(output) == truth.steps
        assert speech_of(model).output(behind) == truth.output
        assert program_run(model, word, 20) == ProgramRun(tuple(word), tuple(behind), True)
    assert check_decoded(model, 1).mismatches == 0


@pytest.mark.layer_one(5)
@pytest.mark.parametrize(
    ("text", "words", "variant"),
    [
        (BOTH_STAY, ("", "a", "ba"), "strict"),
        (BOTH_STAY.replace("go   b * -> go   a R S", "go   b * -> go   . R S"), ("ba",), "strict"),  # on what was read
        (BOTH_STAY.replace("head: 1", "head: 0"), ("", "ab"), "strict"),
        (BOTH_STAY.replace("head: 1", "head: -1"), ("", "ab"), "strict"),
        (STAYS, ("a", "aaa"), "no-start"),
        ("1RB1LB_1LA1RZ", ("",), "strict"),
    ],
)
def test_heads_may_stay_and_begin_left_of_the_input(text: str, words: tuple[str, ...], variant: str) -> None:
    """In balls, beside the interpreter: the same output, and a token more for each cell to the first letter."""
    machine = read_turing(text)
    model = sc.compile("tm", text, theorem="2", variant=variant)
    assert genuine(model) and {line[0] for line in model.plan} == set(model.space)
    for word in words:
        truth = turing.execute(machine, tuple(word), 40)
        assert truth.ended
        behind = list(stream(model, word, 40, "ball"))
        puts = [one[1:] for one in behind if one.startswith("=")]
        assert puts == [*truth.output, machine.blank]
        assert len(behind) - len(puts) == truth.steps + (1 - machine.head if machine.input else 0)
        assert program_run(model, word, 40) == ProgramRun(tuple(word), tuple(behind), True)


def test_rows_that_cannot_be_used_are_left_out() -> None:
    """A work tape on which nothing is written is read as blank alone; a state that nothing enters has no row."""
    text = BOTH_STAY.replace("back a S S", "back _ S S") + "never * * -> done . S S\n"
    model = sc.compile("tm", "input: a\nwork symbols: a\nstart: go\nhalt: done\ngo * * -> done . R S\n", theorem="2")
    assert model.alphabet == ("a", "go(a,_)", "go(_,_)", "=_", "=a")
    assert not any("never" in one for one in sc.compile("tm", text, theorem="2").alphabet)


@pytest.mark.sweep
def test_a_row_that_is_left_out_may_be_called_like_one_that_is_used() -> None:
    """go reads a,b and c, or a and b,c, which is written nowhere: go(a,b,c) is the first."""
    rows = [["go", ["*", "*"], "done", ["c"], ["R", "S"]], ["go", ["a,b", "_"], "go", ["c"], ["S", "S"]],
            ["go", ["a", "b,c"], "go", ["_"], ["L", "S"]]]  # fmt: skip
    names = {"input": ["a,b", "a"], "work symbols": ["c", "b,c"], "start": "go", "halt": ["done"]}
    for variant in ("strict", "no-start"):
        model = sc.compile("tm", json.dumps(names | {"rows": rows}), theorem="2", variant=variant)
        assert check_decoded(model, 1).mismatches == 0
    rows.append(["go", ["a", "_"], "go", ["b,c"], ["S", "S"]])
    with pytest.raises(BadInput, match="different names"):
        sc.compile("tm", json.dumps(names | {"rows": rows}), theorem="2")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("theorem", ["", "2"])
def test_the_alphabet_in_the_file_is_that_of_the_machine(theorem: str, tmp_path: Path) -> None:
    """Weights and source do not say it, and no theorem is answered of a file that has another."""
    save(sc.compile("tm", COPY, theorem=theorem), tmp_path / "m.json")
    made = json.loads((tmp_path / "m.json").read_text())
    made["program"]["alphabet"][0] = "zz"
    (tmp_path / "m.json").write_text(json.dumps(made))
    with pytest.raises(BadInput, match="the alphabet of its compiler"):
        sc.load(tmp_path / "m.json")


@pytest.mark.sweep
def test_the_program_stays_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words by their letters, the run to its end, and beside the program; other rows are told."""
    (tmp_path / "not.tm").write_text(NOT, encoding="utf-8")
    file = tmp_path / "not.json"
    assert call(capsys, "compile", "tm", tmp_path / "not.tm", "--theorem", "2", "-o", file)[0] == 0
    code, out, _ = call(capsys, "run", file, "--input", "ba", "--steps", "20")
    assert code == 0 and out.endswith("ended; output: ab\n") and "go(b,_)" in out
    code, out, _ = call(capsys, "check", file, "--max-length", "2")
    assert code == 0 and "not.json agrees with its program on 6 inputs of 6" in out
    with pytest.raises(BadInput, match="followed by tapes"):
        machine_of(sc.load(file))
    made = json.loads(file.read_text())
    made["program"]["source"] = NOT.replace("done b R L", "done b R R")
    file.write_text(json.dumps(made))
    assert "differs from its program" in call(capsys, "check", file, "--max-length", "2")[1]


@pytest.mark.sweep
def test_without_a_start_the_rows_say_what_was_read_ahead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """COPY on aa goes right with a letter held, then back over what it copied; a row of the table with another next
    letter is another program."""
    (tmp_path / "copy.tm").write_text(COPY, encoding="utf-8")
    file = tmp_path / "copy.json"
    asked = ("compile", "tm", tmp_path / "copy.tm", "--theorem", "2", "--variant", "no-start", "-o", file)
    assert call(capsys, *asked)[0] == 0
    code, out, _ = call(capsys, "run", file, "--input", "aa", "--steps", "20")
    rows = ["go(a,_)>a", "go(a,_)>_", "go(_,_)>_", "back(a,a)>_@_", "back(a,a)>a@_", "back(_,_)>_", "=a", "=a", "=_"]
    assert code == 0 and out.endswith("ended; output: aa\n")
    assert [line.split()[1] for line in out.splitlines()[: len(rows)]] == rows
    assert call(capsys, "run", file, "--input", "", "--steps", "20")[0] == 2
    code, out, _ = call(capsys, "check", file, "--max-length", "2")
    assert code == 0 and "copy.json agrees with its program on 2 inputs of 2" in out
    made = json.loads(file.read_text())
    made["program"]["source"] = COPY.replace("back . L L", "back a L L")
    file.write_text(json.dumps(made))
    assert not genuine(sc.load(file))
    assert "differs from its program" in call(capsys, "check", file, "--max-length", "2")[1]


READ = "input: a b\nwork symbols: a b x\nstart: go\nhalt: done\nhead: 1\ngo a * -> go x R L\ngo b x -> no x L L\n"
READ += "go b * -> go a R R\ngo _ * -> done . L R\nno * * -> no . L L\n"


def ahead_table(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table of a machine and that of the one which reads ahead, as the families have them: sizes, and for each
    table of rows its numbers, by tape where it has tapes."""
    found = []
    for variant in ("strict", "no-start"):
        one: dict[str, Any] = {name: [*map(int, value.split())] for name, value in
                               tables.settings(read_turing(text), variant).items()}  # fmt: skip
        one |= {name: one[name][0] for name in "QSGKR"}
        for name in ("read", "print", "move"):
            one[name] = [one[name][k * one["R"] : (k + 1) * one["R"]] for k in range(one["K"] + 1)]
        found.append(one)
    return found[0], found[1]


def reads_ahead(own: dict[str, Any], ahead: dict[str, Any]) -> bool:
    """Whether the second table has the sizes of lem.machine_table, and a row for each triple of `machineahead`."""
    S, K = own["S"], own["K"]
    letter = own["read"][0]
    size = (S + 1) * sum(1 if g == 0 else S + 2 if g <= S else 0 for g in letter)
    if [ahead[one] for one in "QSGKR"] != [own["Q"] * (S + 1), S, own["G"], K + 1, max(1, size)]:
        return False
    if ahead["first"] != [(own["first"][0] - 1) * (S + 1) + c + 1 for c in range(1, S + 1)]:
        return False
    if ahead["final"] != [bit for bit in own["final"] for _ in range(S + 1)]:
        return False
    columns = [*zip(ahead["from"], ahead["to"], *ahead["read"], *ahead["print"][1:], *ahead["move"], strict=True)]
    if len({(one[0], one[2 : 4 + K]) for one in columns}) < len(columns):
        return False
    wanted = set()
    for r, g in enumerate(letter):
        for b, j in product(range(S + 1), range(S + 2)):
            if g <= S and (g or not j):
                right = own["move"][0][r]
                state = (own["from"][r] - 1) * (S + 1) + (j if j <= S else g) + 1
                to = (own["to"][r] - 1) * (S + 1) + (b if right == 1 else 0) + 1
                tapes = [[own[name][t][r] for t in range(1, K + 1)] for name in ("read", "print", "move")]
                wanted.add((state, to, b, g if j <= S else 0, *tapes[0], g, *tapes[1], right, right, *tapes[2]))
    return set(columns) == wanted


@pytest.mark.parametrize("text", [COPY, NOT, READ])
def test_the_table_that_reads_ahead_is_that_of_the_lemma(text: str) -> None:
    """`lem.machine_table` says that there is one with these sizes; the compiler makes it. Another move is another."""
    own, ahead = ahead_table(text)
    assert reads_ahead(own, ahead)
    ahead["move"][1][0] *= -1
    assert not reads_ahead(own, ahead)
    assert not reads_ahead(own, ahead | {"R": ahead["R"] + 1})


@pytest.mark.sweep
def test_a_certificate_beyond_a_limit_of_the_checker_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A formula of the bridge is too long when values are put in: exit 3, and the model is there."""

    def refused(_: object) -> None:
        raise Rejected("inhabited: a formula exceeds 60000 symbols")

    monkeypatch.setattr("symcook.proof.bridges.bridge.checked", refused)
    (tmp_path / "once.tm").write_text(ONCE, encoding="utf-8")
    file = tmp_path / "once.json"
    code, out, err = call(capsys, "compile", "tm", tmp_path / "once.tm", "--theorem", "2", "--prove", "-o", file)
    assert code == 3 and file.exists() and "PROVED" not in out
    assert "the model is written, and no proof was found: a formula exceeds 60000 symbols" in err
    code, _, err = call(capsys, "prove", file)
    assert code == 3 and "was made: a formula exceeds 60000 symbols; check compares" in err


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("text", [NOT, BOTH_STAY, "1RB1LB_1LA1RZ"])
def test_without_the_theorem_it_is_said_how_a_proof_is_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    code, out, err = call(capsys, "compile", "tm", text, "--prove", "-o", tmp_path / "m.json")
    assert code == 3 and out.startswith("wrote ")
    assert "no proof is made of a Turing machine without --theorem 2; compile it with --theorem 2 for one, or " in err
    assert call(capsys, "compile", "tm", text, "--theorem", "2", "-o", tmp_path / "other.json")[0] == 0


@pytest.mark.sweep
def test_the_command_that_is_told_gives_the_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By compile --prove and by prove of the model; what is in the way of an instance is said instead."""
    source, file = tmp_path / "a Turing machine.tm", tmp_path / "m.json"
    source.write_text(ONCE, encoding="utf-8")
    code, _, said = call(capsys, "compile", "tm", source, "--prove", "-o", file)
    made = said.partition("; type: ")[2].strip()
    assert code == 3 and made == f"symcook compile tm '{source}' --theorem 2 --prove -o {file} --force"
    code, _, said = call(capsys, "prove", file)
    assert code == 2 and "type symcook compile tm FILE --theorem 2 --prove" in said and said.count("\n") == 1
    code, out, _ = call(capsys, *shlex.split(made)[1:])
    assert code == 0 and "PROVED  on every string it outputs the machine's steps, then its output" in out
    assert "4 operators" in out and "merrill2024.thm2" in out and file.with_suffix(".proof.json").exists()
    code, out, _ = call(capsys, "prove", file)
    assert code == 0 and out.startswith(f"PROVED  {file} is turing at Q = 2, S = 1, G = 1, K = 1, R = ")
    assert "PROVED  merrill2024.thm2, for all parameter values of the family:" in out
    assert call(capsys, "compile", "tm", source, "-o", file, "--force")[0] == 0  # and the old certificate beside it
    code, _, said = call(capsys, "prove", file)
    assert code == 2 and "must be about the model as it is now" in said and said.count("\n") == 1
    file = tmp_path / "large.json"
    monkeypatch.setattr("symcook.model.instance.Instance._few.__defaults__", (1_000,))
    code, _, said = call(capsys, "compile", "tm", ONCE, "--variant", "no-start", "--prove", "-o", file)
    assert code == 3 and "gives no proof for this machine: an instance must have at most 1,000 weights" in said
    code, _, said = call(capsys, "prove", file)
    assert code == 2 and "and --theorem 2 gives no proof for this machine" in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (COPY, {"weighting": "rightmost"}, "is fixed by the construction"),
        (COPY, {"variant": "nonstrict"}, "must be of the variant strict or no-start; given: variant nonstrict"),
        (
            "1RB1LB_1LA1RZ",
            {"variant": "no-start"},
            "the variant for nonempty strings must have a Turing machine with input symbols; given: none",
        ),
        (COPY, {"theorem": "20a"}, "the theorem about machines must be 2,"),
    ],
)
def test_what_the_theorem_does_not_cover(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        sc.compile("tm", text, **{"theorem": "2", **options})


def test_the_theorem_of_machines_is_not_one_of_formulas() -> None:
    with pytest.raises(BadInput, match="theorem"):
        sc.compile("ltl", "Q_a", alphabet="ab", theorem="2")
