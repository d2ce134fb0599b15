"""Which tests a change touches: by the imports of a package of a few files."""

from __future__ import annotations

from pathlib import Path

import affected
import pytest

MODULES = affected.given({
    "symcook/__init__.py": "",
    "symcook/model/parts.py": "from symcook.errors import BadInput",
    "symcook/model/answers.py": "def f():\n    from symcook.report import lines",
    "symcook/errors.py": "",
    "symcook/domains/exact.py": "def f():\n    import symcook.model.parts",
    "symcook/report/lines.py": "from symcook.domains import exact",
})  # fmt: skip
TESTS = affected.given({
    "tests/shared.py": "import symcook",
    "tests/test_front.py": "import symcook as sc",
    "tests/test_text.py": "import re",
    "tests/model/test_parts.py": "from symcook.model.parts import Head",
    "tests/domains/test_exact.py": "import symcook as sc\nfrom shared import relu",
    "tests/domains/sweep_exact.py": "",
    "tests/domains/cases.py": "",
    "tests/report/test_lines.py": "from domains.cases import some",
    "tests/words/test_cells.py": "from symcook.domains.exact import Exact",
})  # fmt: skip
EVERY = sorted(path for path in TESTS if "/test_" in path or "/sweep_" in path)
DOMAINS = ["tests/domains/sweep_exact.py", "tests/domains/test_exact.py"]


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        (["symcook/report/lines.py"], ["tests/report/test_lines.py", "tests/test_front.py"]),
        (
            ["symcook/domains/exact.py"],
            [*DOMAINS, "tests/report/test_lines.py", "tests/test_front.py", "tests/words/test_cells.py"],
        ),
        (["symcook/errors.py"], [path for path in EVERY if path != "tests/test_text.py"]),
        (["tests/shared.py"], ["tests/domains/test_exact.py"]),
        (["tests/domains/cases.py"], ["tests/report/test_lines.py"]),
        (["tests/test_text.py"], ["tests/test_text.py"]),
        (["symcook/domains/gone.py"], DOMAINS),
        (["README.md"], ["tests/test_front.py", "tests/test_text.py"]),
        (["pyproject.toml"], EVERY),
        (["changes/x.md"], []),
    ],
)  # fmt: skip
def test_what_imports_the_change_is_chosen(changed: list[str], chosen: list[str]) -> None:
    assert affected.tests_of(changed, MODULES, TESTS) == chosen


def test_a_base_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="BASE must be a commit"):
        affected.changed("no-such-commit", tmp_path)
    assert affected.main(["a", "b"]) == 2
