"""The scripts of .ci: code tokens, the checks of text, and the changelog from its pieces."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from checkout import ROOT

sys.path.insert(0, str(ROOT / ".ci"))  # they import each other
layers, names, package, portable, size, texts, changelog = map(
    importlib.import_module, ("layers", "names", "package", "portable", "size", "texts", "changelog")
)


@pytest.mark.parametrize(
    ("source", "tokens"),
    [
        ("", 0),
        ("x = 1\n", 3),
        ("# a comment\n\nx = 1  # another\n", 3),
        ('"""What it is."""\n\nx = 1\n', 3),
        ('def f():\n    """What\n    it does."""\n    return "text"\n', 7),
        ('A = "ä"; "alone"; B = 2\n', 6),
        ('"a docstring" "in two parts"\nx = 1\n', 3),
        ('x = f"{a:{b}} {c!r}"\n', 3),  # an f-string is one token in each version of Python
        ("x = [\n    1,  # one\n\n    2,\n]\n", 8),
    ],
)
def test_code_is_counted_and_words_are_not(source: str, tokens: int) -> None:
    assert size.code_tokens(source) == tokens


def test_sizes_are_a_table_by_storey() -> None:
    texts = {"model/x.py": "x = 1\n" * 40, "numbers/y.py": "y = 2\n", "cli/z.py": "z"}
    found = package.given({f"symcook/{path}": text for path, text in texts.items()})
    lines = size.table(size.counts(found)).splitlines()
    assert [line.split(maxsplit=2)[1:] for line in lines[1:-1]] == [["123", "model 120, numbers 3"], ["1", "cli 1"]]
    assert lines[-1].split() == ["all", "124"]


WRONG = {
    "imports_to_the_left": ("model/x.py", "import os\nfrom symcook.forward import run", 2),
    "imports_to_the_left ": ("recipes/x.py", "def f():\n    import symcook.cli.output", 2),
    "imports_to_the_left  ": ("newcomer/x.py", "", 1),
    "heavy_is_lazy": ("forward.py", "try:\n    import numpy\nexcept ImportError:\n    pass", 2),
    "heavy_is_lazy ": ("model/x.py", "class A:\n    import mpmath", 2),
    "heavy_is_lazy  ": ("domains/x.py", "import rich", 1),
    "heavy_is_lazy   ": ("report/x.py", "import click", 1),
    "heavy_is_lazy    ": ("cli/x.py", "from . import output", 1),
    "apart": ("spec/x.py", "from symcook.recipes import models", 1),
    "apart ": ("proof/kernel.py", "import flint", 1),
    "apart  ": ("proof/claims/bycounts/x.py", "def f():\n    import symcook.proof.claims.byautomata.y", 2),
    "few_ask_a_readout": ("words/x.py", "def f(m):\n    return m.readout.kind == 'sign'", 2),
    "few_ask_a_readout ": ("words/x.py", "if embedding.before is None: ...", 1),
    "proofs_in_order": ("proof/kernel.py", "def f():\n    from symcook.proof.search import tactics", 2),
    "no_circles": ("words/x.py", "def f():\n    import symcook.words.x\n    from symcook.words import y", None),
    "parameters_have_types": ("words/x.py", "\ndef f(a): ...", 2),
    "files_are_the_same_on_each_system": ("words/x.py", "from pathlib import Path\nopen(Path('x'))", 2),
    "files_are_the_same_on_each_system ": ("words/x.py", "p.write_text('', encoding='utf-8')", 1),
    "files_are_the_same_on_each_system  ": ("words/x.py", "p.open('w', encoding='utf-8')", 1),
    "files_are_the_same_on_each_system   ": ("words/x.py", "subprocess.run(x, text=True)", 1),
    "what_was_given_is_no_option": ("words/x.py", "raise BadInput('m', f'--n {3}')", 1),
    "what_was_given_is_no_option ": ("words/x.py", "raise NotExact('m', given='--n')", 1),
    "a_name_means_one_thing": ("words/x.py", "class A: ...\ndef f():\n    class A: ...", 3),
    "a_name_means_one_thing ": ("words/x.py", "class Ab: ...\nAb: TypeAlias = int", 2),
}


@pytest.mark.layer_one(*(number for number, name in enumerate(WRONG) if not name.endswith(" ")))
@pytest.mark.parametrize("name", WRONG)
def test_a_check_of_text_names_file_and_line(name: str) -> None:
    """And passes over what is lazy, or for types alone."""
    path, text, line = WRONG[name]
    check = next(vars(one)[name.strip()] for one in (layers, names, portable) if name.strip() in vars(one))
    modules = package.given({f"symcook/{path}": text, "symcook/words/y.py": "import symcook.words.x" * (line is None)})
    found = list(check(modules))
    assert found and all(one.startswith(f"symcook/{path}:{line or 1}: ") or line is None for one in found), found
    fine = "if TYPE_CHECKING:\n    import sympy, symcook.cli\ndef f(a: int):\n    import sympy\nopen(x, 'rb')"
    assert list(check(package.given({"symcook/model/x.py": fine}))) == []


def test_any_is_known_in_other_modules_too() -> None:
    modules = package.given({
        "symcook/a.py": "from typing import Any\nValue = Any\nPair = tuple[Any, int]\ndef f(x: Pair): ...",
        "symcook/b.py": "from symcook.a import Value as Number\nclass A:\n    def g(self, a: Number, b: str): ...",
    })  # fmt: skip
    assert names.loose_parameters(modules) == ["symcook/b.py:3: g(a)"]


@pytest.mark.parametrize(
    "text",
    [
        "from typing import Any\nLoose = Any\n\ndef f(a: 'list[Loose]'): ...",
        "\n\nimport typing\ndef f(*a: int | typing.Any): ...",
    ],
)
def test_what_is_counted_without_a_limit_is_found(text: str) -> None:
    modules = package.given({"symcook/words/x.py": f"{text}\none = 1"})
    assert names.loose_parameters(modules) == ["symcook/words/x.py:4: f(a)"]
    assert names.vague_variables(modules) == ["symcook/words/x.py:5: one"]


def test_the_checks_of_text_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """The checks themselves are a step of .ci/run, which begins with them."""
    assert texts.main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(texts.checks({})) >= 18
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.index(" .ci/texts.py") < script.index("pip install")


CHANGES = "# Changelog\n\nWords.\n\n## Unreleased\n\n- Before,\n  in two lines.\n\n## 0.2.0 - 2026-11-24\n\n- Old.\n"
PIECES = {"a": "First.\n", "b": "- Second.\n", "c": "**Breaks:** `x` is `y`.\n", "d": "More; *Breaks*: `z` is gone.\n"}
UNRELEASED = """\
### Breaks

- `x` is `y`.
- More; *Breaks*: `z` is gone.

### Changes

- Before, in two lines.
- First.
- Second.
"""


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    for name, text in PIECES.items():
        write(tmp_path, f"changes/{name}.md", text)
    write(tmp_path, "CHANGELOG.md", CHANGES)
    return tmp_path


def test_pieces_are_gathered_in_order_and_go(changes: Path) -> None:
    assert changelog.main(["--check"], changes) == 0
    assert changelog.breaks(changes).count("\n") == 1
    assert changelog.main([], changes) == 0
    text = CHANGES.replace("- Before,\n  in two lines.\n", UNRELEASED)
    assert (changes / "CHANGELOG.md").read_text() == text
    assert list((changes / "changes").iterdir()) == []
    assert changelog.main([], changes) == 0  # nothing is there, and nothing changes
    assert (changes / "CHANGELOG.md").read_text() == text
    assert changelog.breaks(changes).startswith("- `x` is `y`.")


def test_a_release_takes_all_and_leaves_room_for_the_next(changes: Path) -> None:
    assert changelog.main(["0.3.0"], changes) == 0
    text = (changes / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.3.0 - 20")
    assert f"\n\n{UNRELEASED}\n## 0.2.0 - 2026-11-24\n\n- Old.\n" in text
    assert changelog.breaks(changes) == ""
    write(changes, "changes/c.md", "Third.")
    assert changelog.main([], changes) == 0
    assert "## Unreleased\n\n### Changes\n\n- Third.\n\n## 0.3.0 - " in (changes / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("text", ["", "- One.\n- Two.\n"])
def test_a_piece_is_one_line(changes: Path, text: str) -> None:
    write(changes, "changes/a.md", text)
    with pytest.raises(SystemExit, match=r"changes/a\.md must be one line"):
        changelog.main(["--check"], changes)
    assert (changes / "CHANGELOG.md").read_text() == CHANGES


def test_the_pieces_of_this_project_can_be_gathered() -> None:
    assert changelog.main(["--check"]) == 0
