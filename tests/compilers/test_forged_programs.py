"""A model file whose program is not what its weights were compiled from, as each command meets it; and that weights
which a compiler made are known again, with every option that it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.compilers import genuine, require_genuine
from symcook.errors import BadInput
from symcook.programs import rasp
from symcook.verify.decoded import check_decoded

COPY = """input: 0 1
work symbols: 0 1
start: q
halt: h
q 0 * -> q 0 R R
q 1 * -> q 1 R R
q _ * -> b . S L
b * * -> b . S L
b * _ -> h . S R
"""
FLIP = COPY.replace("-> q 0", "-> q x").replace("-> q 1", "-> q 0").replace("-> q x", "-> q 1")
COMPILED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "formula": ("ltl", "prev Q_a | Q_b", {"alphabet": "ab"}),
    "letters longer than a sign": ("ltl", "prev Q_aa | Q_b", {"alphabet": "aa b"}),
    "alphabet in the text": ("ltl", "alphabet a b;\nprev Q_a", {}),
    "labels": ("ltl", "output x = Q_a; output y = true;", {"alphabet": "ab"}),
    "counts": ("count", "#left[Q_a] > #left[Q_b]", {"alphabet": "ab"}),
    "cold": ("ltl", "prev Q_a | Q_b", {"alphabet": "ab", "soft": True}),
    "cold, tau 1": ("ltl", "prev Q_a | Q_b", {"alphabet": "ab", "soft": True, "tau": 1}),
    "theorem 12a": ("ltl", "prev Q_a | Q_b", {"alphabet": "ab", "theorem": "12a"}),
    "theorem 15b": ("ltl", "Q_a since Q_b", {"alphabet": "ab", "theorem": "15b"}),
    "theorem 20a": ("count", "#left[Q_a] > #left[Q_b]", {"alphabet": "ab", "theorem": "20a"}),
    "srasp": ("srasp", "out(i) = in(i) = \"a\"", {"alphabet": "ab"}),
    "rasp, as text": ("srasp", "reverse(i) = aggregate(select(indices, length - indices - 1, ==), tokens, \"a\")",
                      {"alphabet": "ab"}),
    "expression": ("dfa", "(aa)*", {}),
    "expression, letters turned round": ("dfa", "(ab)*", {"alphabet": "ba"}),
    "Theorem 1 of automata": ("dfa", "(ab)*", {"theorem": "1"}),
    "Theorem 1, without $": ("dfa", "(ab)*", {"theorem": "1", "variant": "no-start"}),
    "Theorem 2 of machines": ("tm", COPY.replace("start: q", "start: q\nhead: 1").replace("S", "R"), {"theorem": "2"}),
    "machine": ("tm", COPY, {}),
    "machine, by place": ("tm", COPY, {"weighting": "rightmost"}),
    "code": ("tm", "1RB1LB_1LA1RZ", {"name": "beaver"}),
    "code, by place": ("tm", "1RB1LB_1LA1RZ", {"weighting": "rightmost"}),
}  # fmt: skip


@pytest.mark.layer_one(0, 1, 2, 3, 6)
@pytest.mark.parametrize("name", COMPILED)
def test_what_a_compiler_made_is_known_again(name: str, tmp_path: Path) -> None:
    """From its file too, under another name, and with a note of the user's in its source."""
    kind, source, options = COMPILED[name]
    model = sc.compile(kind, source, **options)
    model.save(tmp_path / "m.json")
    stored = sc.load(tmp_path / "m.json")
    for one in (model, stored, replace(stored, name="mine"), replace(stored, source="from my talk")):
        assert genuine(one)
    require_genuine(stored)
    assert not genuine(replace(stored, program=None))
    require_genuine(replace(stored, program=None))


def test_objects_of_rasp_are_known_again() -> None:
    assert genuine(sc.compile("srasp", rasp.tokens == "a", alphabet="ab"))


@pytest.mark.layer_one(0, 1, 2, 3, 4, 5, 6, 10, 11)
@pytest.mark.parametrize("name", COMPILED)
def test_other_weights_are_not(name: str) -> None:
    """A change of one entry of the last network, or of the readout where there is none."""
    kind, source, options = COMPILED[name]
    model = sc.compile(kind, source, **options)
    part = model.layers[-1].feedforward if model.layers else None
    if part is not None:
        other = replace(model, layers=(*model.layers[:-1], replace(model.layers[-1], feedforward=replace(
            part, b2=[entry + 1 for entry in part.b2]))))  # fmt: skip
    else:
        other = replace(model, max_length=7)
    assert not genuine(other)
    with pytest.raises(BadInput, match="must be what its weights were compiled from"):
        require_genuine(other)


def test_one_weighting_of_a_machine_is_not_the_other() -> None:
    average, rightmost = (sc.compile("tm", COPY, weighting=one) for one in ("average", "rightmost"))
    assert not genuine(replace(average, layers=rightmost.layers)) and not genuine(replace(rightmost, layers=()))


def forged(file: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    found = json.loads(file.read_text())
    change(found["program"])
    file.write_text(json.dumps(found))
    return file


def compiled(capsys: pytest.CaptureFixture[str], folder: Path, *line: str) -> Path:
    code, _, err = call(capsys, "compile", *line, "-o", folder / "m.json")
    assert code == 0, err
    return folder / "m.json"


AB = ("--alphabet", "ab")
FORGERIES = {
    "ltl": (("ltl", "prev Q_a | Q_b", *AB), "Q_a"),
    "count": (("count", "#left[Q_a] > #left[Q_b]", *AB), "#left[Q_b] > #left[Q_a]"),
    "soft": (("ltl", "prev Q_a | Q_b", *AB, "--soft"), "prev Q_a | Q_a"),
    "tau": (("ltl", "prev Q_a | Q_b", *AB, "--soft", "--tau", "1"), "prev Q_a | Q_a"),
    "theorem": (("ltl", "prev Q_a | Q_b", *AB, "--theorem", "12a"), "prev Q_b | Q_b"),
    "srasp": (("srasp", 'out(i) = in(i) = "a"', *AB), 'out(i) = in(i) = "b"'),
    "aggregate": (
        ("srasp", "out = aggregate(select(indices, length - 1, ==), tokens, '?')", *AB),
        "out = aggregate(select(indices, length - 2, ==), tokens, '?')",
    ),
    "dfa": (("dfa", "(aa)*"), "a(aa)*"),
    "tm": (("tm", COPY), FLIP),
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("kind", FORGERIES)
@pytest.mark.layer_two(every=4)
def test_prove_refuses_a_forged_program(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where a certificate of the model as it was lies beside it."""
    line, other = FORGERIES[kind]
    file = compiled(capsys, tmp_path, *line, *(["--prove"] if kind in ("ltl", "count", "aggregate", "dfa") else []))
    forged(file, lambda program: program.update(source=other))
    said = refused(capsys, "prove", file)
    assert "program" in said and str(file) in said


@pytest.mark.sweep
def test_prove_of_a_proved_automaton_works_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = compiled(capsys, tmp_path, "dfa", "(aa)*", "--prove")
    code, out, _ = call(capsys, "prove", file)
    assert code == 0 and "automaton-run at K = 2" in out and out.count("PROVED") == 2
    assert f"{file.with_suffix('.proof.json')}, checked again" in out
    assert document(capsys, "prove", file)["bridge"] == "PROVED"


@pytest.mark.sweep
def test_a_damaged_bridge_is_not_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands beside the file is what is judged: exit 3 where it is not the proof any more."""
    file = compiled(capsys, tmp_path, "dfa", "(aa)*", "--prove")
    beside = file.with_suffix(".proof.json")
    found = json.loads(beside.read_text())
    beside.write_text(json.dumps(found | {"proof": found["proof"][:1]}))
    code, out, err = call(capsys, "prove", file)
    assert code == 3 and "PROVED" not in out + err and str(beside) in out
    assert document(capsys, "prove", file, code=3)["bridge"] == "OPEN"
    beside.write_text(json.dumps(found))
    file.with_suffix(".statement.txt").write_text("id: nothing\n")
    assert "is not the statement of this model" in call(capsys, "prove", file)[1]
    assert call(capsys, "compile", "dfa", "a*", "-o", file, "--force")[0] == 0
    code, out, _ = call(capsys, "prove", file)
    assert code == 3 and "stale: the model has changed since it was made" in out


@pytest.mark.sweep
def test_a_claim_of_ones_own_about_an_automaton_is_found_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands beside the file is that claim, not the bridge, and is what is checked."""
    file = compiled(capsys, tmp_path, "dfa", "(aa)*")
    claim = "all i in 1..n. i <= n"
    assert call(capsys, "prove", file, "--statement", claim)[0] == 0
    code, out, _ = call(capsys, "prove", file)
    assert code == 0 and claim in out and "checked again" in out


DAMAGE: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "language": (FORGERIES["ltl"][0], {"kind": "foo"}, "known: ltl, count, srasp, dfa, tm"),
    "text": (FORGERIES["ltl"][0], {"source": "Q_a &"}, "column 6"),
    "theorem": (FORGERIES["theorem"][0], {"theorem": "99"}, "theorem"),
    "theorem of no formula": (FORGERIES["dfa"][0], {"theorem": "12a"}, "theorem"),
    "attention": (FORGERIES["soft"][0], {"attention": "cold"}, "attention"),
    "expression": (FORGERIES["dfa"][0], {"source": "(aaa"}, "close each"),
    "rows": (FORGERIES["tm"][0], {"source": "garbage"}, "row"),
    "a state more": (FORGERIES["dfa"][0], {"source": "(aaa)*"}, "must be that of its program"),
    "another machine": (FORGERIES["tm"][0], {"source": COPY.replace("-> b", "-> c").replace("b *", "c *")},
                        "the alphabet of a compiled model must be that of its program"),
}  # fmt: skip


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("what", DAMAGE)
def test_every_command_refuses_a_program_that_cannot_be_read(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence that names the file, whatever the command; a library call too."""
    line, changes, says = DAMAGE[what]
    file = forged(compiled(capsys, tmp_path, *line), lambda program: program.update(changes))
    for command in (
        ("run", file, "--input", ""), ("show", file), ("explain", file), ("decide", file), ("prove", file),
        ("check", file, "--max-length", "2"), ("report", file, "-o", tmp_path / "p.html"),
        ("export", file, "-o", tmp_path / "m.npz"), ("diff", file, file),
    ):  # fmt: skip
        said = refused(capsys, *command)
        assert says in said and str(file) in said, command
    with pytest.raises(BadInput):
        sc.load(file)


def test_an_automaton_of_other_states_is_refused_as_an_object_too() -> None:
    model, other = sc.compile("dfa", "(aa)*"), sc.compile("dfa", "(aaa)*")
    with pytest.raises(BadInput, match="the alphabet of a compiled model must be that of its program"):
        check_decoded(replace(model, program=other.program), 2)


@pytest.mark.layer_one(5)
@pytest.mark.parametrize("kind", FORGERIES)
@pytest.mark.layer_two(every=4)
def test_show_has_no_plan_of_other_weights(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is shown is the plan of the compiler, whatever stands in the file; and none where the weights are others."""
    line, other = FORGERIES[kind]
    file = compiled(capsys, tmp_path, *line)
    plan = call(capsys, "show", file)[1].partition("\nPlan\n")[2]
    assert plan
    lines = json.loads(file.read_text())["program"]["plan"]
    forged(file, lambda program: program.update(plan=[[lines[0][0], "nowhere", "nothing", *lines[0][3:]]]))
    assert call(capsys, "show", file)[1].partition("\nPlan\n")[2] == plan
    assert [list(line) for line in sc.load(file).plan] == lines
    forged(file, lambda program: program.update(source=other))
    code, out, _ = call(capsys, "show", file)
    assert code == 0 and "\nPlan\n" not in out and "symcook check" in out and "nothing" not in out
    said = document(capsys, "explain", file)["words"]
    assert "names a program whose compilation has other weights" in said and "Compiled" not in said
    page = tmp_path / "page.html"
    assert call(capsys, "report", file, "-o", page)[0] == 0
    text = page.read_text()
    assert "names a program whose compilation has other weights" in text and "nowhere" not in text
    assert "Compiled from" not in text and 'id="machine"' not in text
    assert sc.load(file).plan == ()


def test_a_forged_machine_runs_by_its_weights_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Same tokens, other rows: in integers, which run the program, it is refused; in balls the weights answer."""
    file = compiled(capsys, tmp_path, *FORGERIES["tm"][0])
    forged(file, lambda program: program.update(source=FLIP))
    run = ("run", file, "--input", "011", "--steps", "20")
    assert "other weights" in refused(capsys, *run) and "wrote" not in call(capsys, *run)[1]
    code, out, _ = call(capsys, *run, "--domain", "ball")
    assert code == 0 and out.endswith("ended; output: 011\n")


def test_a_token_that_the_machine_does_not_have_is_bad_input() -> None:
    """The weights of another machine behind the tokens of this one."""
    from symcook.thought.running import run_machine

    model, other = sc.compile("tm", "1RB1LB_1LA1RZ"), sc.compile("tm", "1RB1LC_1RC1RB_1RZ0LA")
    with pytest.raises(BadInput, match="must be a step that the machine in the model file can take"):
        run_machine(replace(other, program=model.program), "", 5, "ball")


def test_the_file_says_what_it_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The keys of "program" are those of before."""
    file = compiled(capsys, tmp_path, *FORGERIES["tm"][0])
    assert set(json.loads(file.read_text())["program"]) == {"kind", "source", "alphabet", "plan", "theorem"}
    assert document(capsys, "show", file)["program"]["kind"] == "tm"
