"""What is printed fits the line, can be pasted, and says the same in two places."""

from __future__ import annotations

import contextlib
import io
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

import symcook as sc
from symcook.__main__ import main
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.transformer import Transformer
from symcook.verify import stated


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert code in (0, 1), err
    return out


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize("width", [70, 80, 118])
def test_lines_keep_to_the_terminal(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for given in (
        ["run", "dyck-1", "--input", "((()))(())()", "--trace"],
        ["prove", "dyck-1", "average", "lem.sum_one"],
    ):
        for line in printed(capsys, *given).splitlines():
            longest = max(map(len, line.split()), default=0)  # no word is cut
            assert len(line) <= width or longest > 24, line


def test_a_table_of_proofs_has_no_long_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook.cli.prove import document
    from symcook.proof.replay import Verdict

    monkeypatch.delenv("COLUMNS", raising=False)
    verdict = Verdict(
        "cookbook.some.claim", "PROVED", 3, tuple(f"lem.number_{k}" for k in range(120)), (), (), None, 0.1
    )
    lines = document([verdict] * 5, []).text().splitlines()
    assert max(map(len, lines)) <= 118 and len(lines) > 50
    assert sum("lem.number_" in word for line in lines for word in line.split()) == 5 * 120


def test_the_tour_shows_what_the_command_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Each section of the tour that names a command ends with what that command prints."""
    tour = printed(capsys, "tour")
    for command in ("prove dyck-1", "check dyck-1 --max-length 12", "derive eqzero"):
        assert f"symcook {command}\n\n{printed(capsys, *shlex.split(command))}" in tour


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("place", ["..", ".", "examples"])
def test_the_commands_of_own_model_work_from_any_folder(
    place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = tmp_path / "root's copy"
    (root / "examples").mkdir(parents=True)
    (root / "examples" / "own_model.py").write_bytes((ROOT / "examples" / "own_model.py").read_bytes())
    monkeypatch.chdir(root / place)
    file = root / "examples" / "own_model.py"
    runpy.run_path(str(file), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("  symcook ")]
    assert len(commands) == 2
    for command in commands:
        printed(capsys, *command)


def test_the_example_that_runs_an_archive_is_the_one_in_the_package() -> None:
    assert (ROOT / "examples" / "run_npz.py").read_bytes() == (ROOT / "symcook/export/run_npz.py").read_bytes()


def archive(*given: str) -> subprocess.CompletedProcess[str]:
    """What run_npz.py does as a script, in this process."""
    line, code = [str(ROOT / "symcook" / "export" / "run_npz.py"), *given], 0
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", line)
        try:
            runpy.run_path(line[0], run_name="__main__")
        except SystemExit as end:  # with a message, where a byte has changed, else with a code
            code = end.code if isinstance(end.code, int) else 1
            if code == 1:
                print(end.code, file=err)
    return subprocess.CompletedProcess(line, code, out.getvalue(), err.getvalue())


@pytest.mark.sweep
def test_the_line_that_export_prints_runs_the_archive(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = {"CLS": {"x": 1}, "up": {"x": 2}, "d": {"x": -3}}
    model = Transformer("t", Embedding(Space(("x",)), words, before="CLS"), (), Readout("sign", "last", ("x",), [1]))
    model.save(tmp_path / "m.json")
    target = str(tmp_path / "my weights.npz")
    out = printed(capsys, "export", str(tmp_path / "m.json"), "-o", target, "--max-length", "3")
    line = next(part for part in out.splitlines() if "numpy only" in part).partition(": ")[2]
    words_of = shlex.split(line)
    assert words_of == ["python", "-m", "symcook.export.run_npz", target, "TOKEN ..."]
    done = subprocess.run([sys.executable, *words_of[1:4], "up d"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, archive(target, "up d").stdout)
    assert archive(target, "up d").stdout.startswith("reject") and archive(target, "d up").stdout.startswith("accept")
    assert archive(target, "").stdout.startswith("accept")  # CLS alone
    for given, text in (("CLS", "one of up d: CLS"), ("up x", "one of up d: x"), ("up up up", "at most 3")):
        done = archive(target, given)
        if text == "at most 3":
            assert done.returncode == 0  # no table depends on the length here
            continue
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr
    for bad in (archive(target), archive(str(tmp_path), "a"), archive(str(tmp_path / "m.json"), "a")):
        assert bad.returncode == 2 and bad.stderr.count("\n") == 1 and "Traceback" not in bad.stderr
    average = str(tmp_path / "a.npz")
    out = printed(capsys, "export", "lookup-quadratic", "-o", average, "--max-length", "3")
    assert '"query,value" (rows with ; between)' in out
    assert archive(average, "2,10;1,20").stdout.split() == ["found", "20.0", "10.0"]
    for given, text in (("1", "must have 2 numbers"), ("a,b", "numbers: a,b"), ("1,1;" * 3 + "1,1", "at most 3")):
        done = archive(average, given)
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("check dyck-1", "give --max-length 12"),
        ("check induction-most-frequent", "give --max-length 6"),
        ("check lookup-quadratic", "give --max-length 3"),
        ("run clip", "give --set x=VALUE --set delta=VALUE"),
        ("derive modulo-angle --input ab", "given: cos(2*pi/m); set m (as --set m=3)"),
        ("explain 5.4", "symcook list --search 5.4 finds recipes by section"),
        ("show §9.2.1", "symcook list --search 9.2.1 finds recipes by section"),
        ("export dyck-1 --format lens -o m.pth", "did you mean transformerlens?"),
        ("export dyck-1 -o m.gguf", "-o m.npz, m.safetensors, m.pt, m.onnx or m.pth"),
    ],
)
def test_a_hint_is_what_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, hint: str
) -> None:
    monkeypatch.setattr(stated, "MOST", 100)  # on how many inputs `check` evaluates what a recipe says of itself
    assert main(line.split()) == 2
    assert hint in capsys.readouterr().err
    if line.startswith("check"):
        printed(capsys, *line.split(), *hint.split()[1:])


def test_a_reference_of_positions_is_told_to_return_a_list(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    builder = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    builder.readout("sign", "each", ["v"], weights=[1])
    builder.build("letters").save(tmp_path / "letters.json")
    asked = ["check", str(tmp_path / "letters.json"), "--max-length", "3", "--spec"]
    spec = tmp_path / "spec.py"
    spec.write_text("def seven(word):\n    return 7\n\ndef listed(word):\n    return [x == 'a' for x in word]\n")
    assert main([*asked, f"{spec}:seven"]) == 2
    must = "the specification must give 1 answer, one a position; given: 7 (int) on a; "
    assert f"{must}let it return a list with an answer for each position" in capsys.readouterr().err
    assert main([*asked, f"{spec}:listed"]) == 0  # what it says to do, done


def test_json_alone_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 2
    assert "given: --json before the command; write symcook COMMAND --json." in capsys.readouterr().err
    assert main(["--json", "list"]) == 2
    assert "write symcook list --json." in capsys.readouterr().err


def test_what_is_no_model_file_says_how_it_becomes_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "dyck-1", "-o", "d.npz", "--max-length", "3"]) == 0
    Path("mine.py").write_text("import symcook as sc\n", encoding="utf-8")
    Path("other.bin").write_bytes(b"\xff\xfe")
    for name, hint in (
        ("d.npz", "symcook.from_npz reads an export"),
        ("mine.py", "when it is run first: python mine.py"),
        ("other.bin", "must be text in UTF-8; given: other.bin"),
    ):
        capsys.readouterr()
        assert main(["run", name, "--input", "()"]) == 2
        err = capsys.readouterr().err
        assert hint in err and err.count("\n") == 1, err


@pytest.mark.sweep
def test_a_form_that_is_out_of_reach_names_the_rule_and_the_command_that_may_answer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import symcook as sc

    b = sc.Builder(words={"a": {"one": 1}, "b": {"one": -1}}, positions={"p": "floor(i/2)"})
    b.add(sc.head(value={"value": "p"}, weighting="average"))
    b.readout("sign", "last", "value", weights=[1])
    b.build("steps").save(tmp_path / "steps.json")
    for name, why in (
        (str(tmp_path / "steps.json"), "logit: a position function needs a rule for floor(i/2); "),
        ("dyck-k-d", "active: a head needs a position that is chosen by what heads found at chosen positions; "),
    ):
        assert main(["derive", name]) == 2
        err = capsys.readouterr().err
        assert why in err and "for one string: --input STRING; to compare with a language" in err, err


def test_compile_says_which_letters_a_model_reads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A comma is a letter where blanks say so; and one head is a head."""
    for letters, said in (("ab", "a b"), ("a , b", "a , b"), ("yes no", "yes no"), ("abcdefghijklm", "a b c .. m")):
        word = letters[0] if letters[0] == "a" else "yes"
        target = str(tmp_path / "m.json")
        out = printed(capsys, "compile", "ltl", f"once Q_{word}", "--alphabet", letters, "-o", target, "--force")
        assert out == f"wrote {target}: 1 layer, width 3, 1 head, 1 operator, symbols {said}\n", out


def test_a_long_fraction_in_a_table_is_a_decimal_and_exact_in_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Weights that were floats make fractions of a hundred digits; the table stays one that is read."""
    import json

    import symcook as sc

    top = 3**40
    b = sc.Builder(words={"a": {"x": f"{top}/{2**70}"}, "b": {"x": "-1/3"}})
    b.readout("sign", "last", "x", weights=[1])
    b.build("long").save(tmp_path / "long.json")
    lines = printed(capsys, "margin", str(tmp_path / "long.json"), "--max-length", "1").splitlines()
    given = json.loads(printed(capsys, "margin", str(tmp_path / "long.json"), "--max-length", "1", "--json"))
    assert "≈0.01029794321" in lines[2] and f"{top}" not in lines[2], lines  # 3^40 * 10^15 // 2^70 is 10297943205516
    assert f"{top}/{2**70}" in json.dumps(given)


def test_a_closed_form_of_sinusoids_has_the_modulus_set(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "derive", "modulo-angle", "--input", "ab", "--set", "m=3")
    assert "position 1: cosines = -1/2" in out and "position 1: sines = sqrt(3)/2" in out
