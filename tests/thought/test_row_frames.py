"""``run --trace`` of decoders of ``--theorem 2``: tapes and heads are those of the interpreter in `symcook.spec`, what
a head retrieved is what the weights look at, and the gap that of all scores by their formula."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from machine_examples import COPY, NOT, STAYS, played
from mpmath import mp, mpf, sqrt
from shared import call

import symcook as sc
from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.programs.turing import TuringMachine, TuringRow, read_turing, written
from symcook.spec import turing
from symcook.thought.rows import RowRun, changes, machine_of_table, row_run
from symcook.thought.rowtext import lines

LIMIT = 40
MACHINES = 30


def by_chance(seed: int) -> TuringMachine:
    """One or two work tapes, two letters; heads move, or stay."""
    draw = Random(seed)
    tapes, cells = draw.choice((1, 2)), "_ab"
    rows = {}
    for state, reads in product("pq", product(cells, repeat=tapes + 1)):
        writes = tuple(draw.choice(cells) for _ in range(tapes))
        moves = tuple(draw.choice((1, 1, -1, 0)) for _ in range(tapes + 1))
        rows[state, reads] = TuringRow(draw.choice("pppqqqh"), writes, moves)
    return TuringMachine(("a", "b"), ("a", "b"), "p", ("h",), 1, rows, tapes)


def held_symbols(tape: dict[int, str]) -> dict[int, str]:
    return {cell: symbol for cell, symbol in tape.items() if symbol != "_"}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("ahead", [False, True])
def test_tapes_and_heads_are_those_of_the_interpreter(ahead: bool) -> None:
    """Of machines by chance, with words that their heads leave on both sides; the text marks the cells of the heads."""
    left = 0
    for seed in range(MACHINES):
        machine, draw = by_chance(seed), Random(-1 - seed)
        for size in range(ahead, 5):
            word = "".join(draw.choices("ab", k=size))
            run, wanted = RowRun(machine, word, LIMIT, ahead), list(played(machine, word, LIMIT + 1))
            frames = 0
            for frame, (tapes, heads) in zip(run.frames(), wanted, strict=False):
                assert (list(frame.heads), list(map(held_symbols, frame.tapes))) == (
                    heads,
                    list(map(held_symbols, tapes)),
                )
                frames += 1
                left += heads[0] < 1
                if not isinstance(frame.done, str) or not frame.label:
                    told = lines(run, frame).splitlines()[1 : len(heads) + 1]
                    under = [tape.get(head, "_") for tape, head in zip(tapes, heads, strict=True)]
                    assert [f"[{symbol}]" in line and f"reads {symbol}:" in line
                            for line, symbol in zip(told, under, strict=True)] == [True] * len(heads)  # fmt: skip
            truth = turing.execute(machine, word, LIMIT + 1)
            assert frames == min(len(wanted), LIMIT + 1) and run.ended == (truth.ended and len(wanted) <= LIMIT)
            if run.ended:
                assert run.last == {"stopped": "end", "output": truth.output}
    assert left > 20


@pytest.mark.parametrize("ahead", [False, True])
def test_the_runner_up_is_that_of_all_scores(ahead: bool) -> None:
    """Of every column that says something of a tape the score by the formula of the family, in 60 digits: the greatest
    is what was retrieved, and the next one the runner-up, or as high as it; none where the head stays."""
    stayed = 0
    for seed in range(6):
        machine, word = by_chance(seed), "abba"[seed % 3 :]
        run = RowRun(machine, word, 16, ahead)
        heads = [one for _, one in played(machine, word, LIMIT + 1)]
        for at, (frame, document) in enumerate(zip(run.frames(), changes(run), strict=True)):
            if "looked" not in document:
                continue
            position, b = frame.position, int(ahead)
            letters = {j: j - 1 - b for j in range(1 + b, min(len(word), position - 1) + 1)}
            steps = range(len(word) + 1, position)
            wrote = [{p: heads[p - len(word) - 1][k] for p in steps} for k in range(machine.tapes + 1)]
            asked = [(letters, frame.heads[0] - 1, document["looked"][0])]
            if ahead:
                copies = {p: cell - 1 for p, cell in wrote[0].items()}
                further = {one["name"]: one["looked"] for one in document["further"]}
                asked = [(letters, frame.heads[0] - 1, further["ahead"]), (copies, frame.heads[0] - 1, further["copy"])]
            for k in range(1, machine.tapes + 1):
                asked.append((wrote[k], frame.heads[k], document["looked"][k]))
            stays = [ahead and frame.stays(0), *(frame.stays(k) for k in range(1, machine.tapes + 1))]
            for still, (cells, head, looked) in zip([False] * ahead + stays, asked, strict=True):
                if still:  # what the token wrote itself
                    assert looked is None
                    stayed += 1
                    continue
                scores = by_formula(cells, head, position - b, b)
                if not scores:
                    assert looked is None
                    continue
                first, *others = sorted(scores, key=lambda j: -scores[j])
                assert looked is not None and looked["position"] == first, (seed, at)
                if not others:
                    assert looked["rival"] is None and looked["gap"] is None
                    continue
                assert scores[looked["rival"]] == scores[others[0]]
                assert abs(mpf(looked["gap"]) / (scores[first] - scores[others[0]]) - 1) < 0.01
    assert stayed > 5


def by_formula(cells: dict[int, int], head: int, i: int, b: int) -> dict[int, Any]:
    """The scores of all columns that one at i sees, by their positions."""
    if i == 0:
        return {}
    with mp.workdps(60):
        small = (1 - 1 / sqrt(1 + mpf(1) / i**2)) / 2
        tie = 1 - 1 / sqrt(1 + small**2)
        found = {b: 1 - tie}
        for j, cell in cells.items():
            cosine = (head * cell + 1) / sqrt(mpf((head * head + 1) * (cell * cell + 1)))
            found[j] = cosine - tie / sqrt(mpf((j - b) ** 2 + 1))
        return found


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("text", "variant", "words"),
    [
        (NOT, "strict", ("", "a", "ba", "bbab")),
        (COPY, "strict", ("aa",)),
        (COPY, "no-start", ("a", "aa", "aaaa")),
        (STAYS, "strict", ("", "a", "aa")),
        (STAYS, "no-start", ("a", "aa")),
    ],
)
def test_what_is_retrieved_is_what_the_weights_look_at(text: str, variant: str, words: tuple[str, ...]) -> None:
    machine, model = read_turing(text), sc.compile("tm", text, theorem="2", variant=variant)
    ahead, compared = variant == "no-start", 0
    assert written(machine_of_table(model)) == written(machine)
    for word in words:
        run = row_run(model, machine, word, LIMIT)
        assert run.ahead == ahead
        behind = [one.label for one in run.whole[: len(run.whole) - run.ended]]
        steps = forward(model, model.tokens((*word, *behind)), make_domain("ball"), trace=True, weights=True).steps
        weights = [step.attention[0] for step in steps if step.attention][3 if ahead else 1 :]
        assert len(weights) == machine.tapes + 1 + ahead
        for one in changes(run):
            if "looked" not in one:
                continue
            looked = one["looked"]
            if ahead:
                copied, letter = (head["looked"] for head in one["further"])
                assert looked[0] in (None, copied)
                looked = [letter, copied, *looked[1:]]
            moves = one["move"] or ["R"] * (machine.tapes + 1)
            stays = [False, *(move == "S" for move in (moves if ahead else moves[1:]))]
            for still, retrieved, of_head in zip(stays, looked, weights, strict=True):
                seen = [j for j, shares in enumerate(of_head) if shares[one["position"] - ahead] != 0]
                found = [0 + ahead] if still else []  # a head that stays finds $, or what stands in its place
                assert [j + ahead for j in seen] == ([retrieved["position"]] if retrieved else found), (word, one)
                compared += bool(seen)
    assert compared > 10


@pytest.mark.sweep
def test_a_run_is_traced_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Step 0 is the last letter; the network's own looks are still had, and other weights are refused."""
    (tmp_path / "not.tm").write_text(NOT, encoding="utf-8")
    file = tmp_path / "not.json"
    assert call(capsys, "compile", "tm", tmp_path / "not.tm", "--theorem", "2", "-o", file)[0] == 0
    asked = ("--input", "ba", "--steps", "20", "--trace")
    code, out, _ = call(capsys, "run", file, *asked)
    assert code == 0 and out.endswith(f"ended; output: {turing.execute(read_turing(NOT), 'ba', 20).output}\n")
    assert out.startswith(
        "position 2  step 0  go  token the last symbol, a\n"
        "  input   cell   1   _  _ [b] a  _   reads b: from token 1; next best token 0, 0.000407 below\n"
        "  work 1  cell   0   _ [_] _   reads _: from token 0, as no earlier one says what is there\n"
        "position 3  step 1  go  token go(b,_)\n"
    )
    assert "looked at" in call(capsys, "run", file, *asked, "--domain", "ball")[1]
    made = json.loads(file.read_text())
    made["program"]["source"] = NOT.replace("go   b R L", "go   b R R")
    file.write_text(json.dumps(made))
    code, _, why = call(capsys, "run", file, *asked)
    assert code == 2 and "must have the weights that symcook compile gives the machine" in why and why.count("\n") == 1


@pytest.mark.sweep
def test_a_run_without_a_start_says_what_its_machine_has_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "copy.tm").write_text(COPY, encoding="utf-8")
    file = tmp_path / "copy.json"
    made = ("compile", "tm", tmp_path / "copy.tm", "--theorem", "2", "--variant", "no-start", "-o", file)
    assert call(capsys, *made)[0] == 0
    asked = ("--input", "aa", "--steps", "20", "--trace")
    code, out, _ = call(capsys, "run", file, *asked)
    assert code == 0 and out.startswith("The machine inside reads its input one symbol ahead: ")
    assert "  input   cell   1   _  _ [a] a  _   reads a: held in the state\n" in out
    assert "  ahead   cell   2  finds a: the symbol of this token; from token 1, as no earlier one says" in out
    code, out, _ = call(capsys, "run", file, *asked, "--json")
    first, *others, last = map(json.loads, out.splitlines())
    assert code == 0 and last == {"stopped": "end", "output": "aa"} and first["given"] and first["held"] == "a"
    documents = turing.execute(read_turing(COPY), "aa", 20).documents[1:]
    keys = ("position", "token", "write", "move")
    said = [{key: one[key] for key in keys if key in one} for one in others]
    assert said == [one | {"position": 2 + k} for k, one in enumerate(documents, 1)]
    code, out, _ = call(capsys, "run", file, "--input", "aa", "--steps", "1", "--trace")
    assert code == 3 and "stopped at the limit of 1 tokens" in out
    assert call(capsys, "run", file, "--steps", "2", "--trace")[0] == 2


def test_other_models_have_no_table() -> None:
    model = sc.compile("tm", NOT)
    with pytest.raises(BadInput, match="must be compiled from a Turing machine by"):
        machine_of_table(model)
    with pytest.raises(BadInput, match="must be compiled from a Turing machine by"):
        machine_of_table(replace(model, program=None))
