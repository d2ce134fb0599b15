"""What a command says when it fails: one sentence, with --json a document as well; and suggestions that are near."""

from __future__ import annotations

import difflib
import json
import time
from pathlib import Path

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.cli import output
from symcook.cli.commands import COMMANDS
from symcook.cli.output import CommandTable, group
from symcook.errors import unknown

FAILURES = [  # the command, and its exit code
    ("run dyck-1 --input x", 2),
    ("run nothere --input x", 2),
    ("run dyck-1", 2),
    ("run", 2),
    ("nothere", 2),
    ("run dyck-1 --nothere", 2),
    ("show nothere.json", 2),
    ("export dyck-1 -o nowhere/m.npz", 2),
    ("bound softmax-hardmax --n 64", 2),
    ("diff dyck-1 first", 2),
    ("verify-export changed.npz", 1),
    ("derive max-min --cases --seconds 0", 2),
    ("derive parity --input 01 --set nothere=1", 2),
    ("check dyck-1", 2),
    ("prove --paper nothere", 2),
    ("claims --status nothere", 2),
    ("explain nothere", 2),
    ("completion nothere", 2),
    ("report nothere -o x", 2),
]


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize(("line", "code"), FAILURES, ids=[line for line, _ in FAILURES])
def test_a_failure_is_a_document(
    line: str, code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sc.build("dyck-1").export("changed.npz", max_length=2)
    Path("changed.npz").write_bytes(Path("changed.npz").read_bytes()[:-1] + b"x")
    plain = call(capsys, *line.split())
    got, out, err = call(capsys, *line.split(), "--json")
    assert got == plain[0] == code and plain[1] == "" and err == plain[2]
    found = json.loads(out)
    assert list(found) == ["error"] and list(found["error"]) == ["must", "given", "do"]
    said = [found["error"]["must"], found["error"]["do"]]
    assert found["error"]["must"] and all(part is None or " ".join(part.split()) in err for part in said)


@pytest.mark.sweep
def test_what_stays_open_and_a_defect_are_documents_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = dense_model()
    trained.save("trained.json")
    found = document(capsys, "derive", "trained.json", "--input", "abab", "--seconds", "1", code=3)
    assert found["error"]["must"] == "no closed form of trained.json was found within 1 second"
    found = document(capsys, "tolerance", "trained.json", "--free", "L1.head1.V[1,1]", "--max-length", "5",
                     "--seconds", "1", code=3)  # fmt: skip
    assert "--seconds" in found["error"]["do"]
    monkeypatch.setattr("symcook.cli.runs.choose", lambda *_: 1 / 0)
    found = document(capsys, "derive", "gtzero", code=4)
    assert "a defect of symcook" in found["error"]["must"] and "ZeroDivisionError" in found["error"]["must"]


def test_an_answer_that_stays_open_is_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The run is printed, and that it is open is said on stderr: one document, not two."""
    code, out, err = call(capsys, "run", "first-flawed", "--input", "0", "--domain", "ball", "--digits", "5", "--json")
    assert "error" not in json.loads(out) and (code == 0 or "open" in err)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def dense_model() -> sc.Transformer:
    """A layer of random float32 weights with norms, as torch trains them."""
    import numpy as np

    draw, d, h = np.random.default_rng(3), 8, 16
    shapes = {"embedding.weight": (2, d), "positions.weight": (6, d), "norm.weight": (d,), "norm.bias": (d,),
              "output.weight": (2, d), "layers.0.self_attn.in_proj_weight": (3 * d, d),
              "layers.0.self_attn.out_proj.weight": (d, d), "layers.0.linear1.weight": (h, d),
              "layers.0.linear1.bias": (h,), "layers.0.linear2.weight": (d, h), "layers.0.linear2.bias": (d,),
              "layers.0.norm1.weight": (d,), "layers.0.norm1.bias": (d,), "layers.0.norm2.weight": (d,),
              "layers.0.norm2.bias": (d,)}  # fmt: skip
    state = {name: draw.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    return sc.from_state_dict(state, vocabulary="ab", heads=1, norm="pre", activation="relu", name="trained.json")


def test_a_table_of_positions_is_shown_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    trained = dense_model()
    trained.save("trained.json")
    _, out, _ = call(capsys, "show", "trained.json")
    assert "if(" not in out and "x0 at the positions 1 to 6: " in out and max(map(len, out.splitlines())) < 200


def test_a_limit_of_time_ends_and_leaves_no_timer() -> None:
    started = time.process_time()
    with pytest.raises(sc.Undecided, match="nothing within 1 second; wait, or give more time with seconds"):  # noqa: SIM117
        with output.within(1, "nothing", "wait"):
            while True:
                try:
                    sum(range(1000))
                except Exception:  # what takes every error for an open answer does not take this one
                    pytest.fail("the limit was taken for an error")
    assert time.process_time() - started < 5
    with output.within(1, "nothing", "wait"):
        pass
    time.sleep(1.2)


OPTIONS = ["--set", "--n", "-o", "--version", "--section", "--steps", "--yes", "--workers", "--scheduler", "--soft",
           "--alphabet", "--theorem", "--against", "--prove", "--verbose", "--quiet", "--out", "--file", "--jsn",
           "--maxlength", "--inptu", "--digts"]  # fmt: skip


@pytest.mark.parametrize("command", list(COMMANDS))
def test_suggestions_are_near(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An independent measure: what is suggested shares most of its letters, dashes aside, or one begins the other."""
    ctx = group.make_context("symcook", [command], resilient_parsing=True)
    assert isinstance(group, CommandTable)
    found = group.get_command(ctx, command)
    assert found is not None
    known = {name for p in found.get_params(ctx) for name in p.opts}
    for option in set(OPTIONS) - known:
        if option.startswith("-o"):
            continue
        said = refused(capsys, command, option)
        if "did you mean" in said:
            near = said.partition("did you mean ")[2].strip(" ?\n").lstrip("-")
            given = option.lstrip("-")
            alike = difflib.SequenceMatcher(None, given, near).ratio()
            assert alike >= 0.6 or near.startswith(given) or given.startswith(near), said
        else:
            assert f"see symcook {command} --help" in said


def test_a_sentence_ends_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The current folder is written with a full stop, and so may be what was given."""
    for line in ("show ./", "bound lookup --gamma 3. --q ."):
        assert not refused(capsys, *line.split()).endswith("..\n")
    assert str(sc.BadInput("a must be b", "..")) == "a must be b; given: .."
    assert str(sc.BadInput("a must be b", "i", "page 3 shows it.")) == "a must be b; given: i; page 3 shows it."


def test_typing_errors_are_still_answered() -> None:
    names = ["--json", "--set", "--input", "--max-length", "--digits"]
    for given, meant in (("--jsn", "--json"), ("--inptu", "--input"), ("--max", "--max-length"), ("--maxlength",) * 2):
        assert (meant if meant != "--maxlength" else "--max-length") in str(unknown("option", given, names).do)
    for given in ("--n", "--version", "--section", "--yes"):
        assert "did you mean" not in str(unknown("option", given, names))
