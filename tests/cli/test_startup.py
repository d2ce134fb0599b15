"""What a shell waits for: the quick commands import nothing heavy, and importing symcook costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from families import in_parts, together

from symcook.cli import listing
from symcook.compilers import compile
from symcook.model.modelfile import save
from symcook.recipes import build

HEAVY = ("sympy", "numpy", "mpmath", "flint", "symcook.model.transformer")
SCRIPT = """
import json, sys
code = 0
if {arguments!r} is not None:
    from symcook.__main__ import main
    code = main({arguments!r})
else:
    import symcook, symcook.__main__
print(json.dumps([code, sorted(m for m in sys.modules if m in {names!r})]), file=sys.stderr)
"""


def loaded(arguments: list[str] | None, names: tuple[str, ...] = HEAVY) -> list[str]:
    """Which of `names` are imported after a command, which must succeed."""
    script = SCRIPT.format(arguments=arguments, names=names)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, found = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return found


@pytest.mark.sweep
@together(
    "arguments",
    [None, [], ["--help"], ["--version"], ["list"], ["list", "--json"], ["run", "--help"], ["completion", "bash"]],
)
def test_nothing_heavy_is_imported(arguments: list[str] | None) -> None:
    assert loaded(arguments) == []


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("arguments", [None, [], ["--help"], ["list"]], ids=str)
def test_not_even_click(arguments: list[str] | None) -> None:
    assert loaded(arguments, ("click",)) == []


def test_claims_need_no_sympy() -> None:
    assert loaded(["claims", "--json"], ("sympy", "numpy", "mpmath")) == []


@pytest.mark.sweep
def test_a_run_reads_exact_entries_without_sympy(tmp_path: Path) -> None:
    exact = ("sympy", "numpy", "mpmath")
    assert loaded(["run", "dyck-1", "--input", "(())"], exact) == []
    stored, compiled = tmp_path / "dyck.json", tmp_path / "formula.json"
    save(build("dyck-1-zero-one"), stored)
    save(compile("ltl", "Q_a & prev Q_b", alphabet="ab"), compiled)
    assert loaded(["run", str(stored), "--input", "(())"], exact) == []
    assert loaded(["run", str(compiled), "--input", "ba"], exact) == []
    assert loaded(["run", "lookup-quadratic", "--help"], exact) == []
    assert "sympy" in loaded(["run", "dyck-1-nonuniform", "--input", "()"], exact)  # eps is a symbol


def test_the_test_sees_an_import() -> None:
    assert loaded(["run", "--help"], ("click", *HEAVY)) == ["click"]
    assert [name for name in HEAVY if find_spec(name) is None] == []  # these are the names of what is imported


def cpu(*arguments: str) -> float:
    """The least CPU seconds of seven runs of Python."""
    resource = pytest.importorskip("resource")
    times = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


@pytest.mark.sweep
def test_a_list_takes_three_times_as_long_as_python_alone() -> None:
    listing.store()  # as when it is installed: a recipe may have been added since
    assert cpu("-m", "symcook", "list") <= 3 * cpu("-c", "pass")


def test_the_stored_list_is_what_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    made = listing.page()
    listing.store()
    assert Path(listing.STORED).read_text(encoding="utf-8") == made
    _, text, document = made.split(listing.APART)
    for as_json, shown in ((False, text), (True, document)):
        listing.print_list(as_json)
        assert capsys.readouterr().out == f"{shown}\n"
    assert "symcook.recipes" not in loaded(["list"], ("symcook.recipes", "symcook.recipes"))


def test_a_list_that_is_out_of_date_is_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for text in (None, "", f"00000000{listing.APART}wrong{listing.APART}wrong"):
        monkeypatch.setattr(listing, "STORED", str(tmp_path / "list.txt"))
        if text is not None:
            (tmp_path / "list.txt").write_text(text)
        listing.print_list(as_json=False)
        assert capsys.readouterr().out.startswith("The Transformer Cookbook, by section\n\n3  Basic Ingredients\n")


@in_parts(
    2,
    "arguments",
    [
        ["show", "dyck-1", "--json"],
        ["explain", "dyck-1"],
        ["decide", "dyck-1", "--against", "dyck-1"],
        ["check", "dyck-1", "--max-length", "3"],
        ["margin", "dyck-1", "--max-length", "3"],
        ["precision", "dyck-1", "--max-length", "3"],
        ["entropy", "dyck-1", "--max-length", "3"],
        ["export", "dyck-1", "--max-length", "3", "-o"],
    ],
)
@pytest.mark.sweep
def test_a_rational_model_needs_no_sympy(arguments: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    file = [str(tmp_path_factory.mktemp("export") / "m.npz")] if arguments[0] == "export" else []
    assert loaded([*arguments, *file], ("sympy",)) == []
