"""The changes that mutants.py makes: which they are, what they leave alone, and that they are known again."""

import ast

import mutants

MODULE = '''\
"""Docstring with 1 + 1."""

from symcook.errors import BadInput

LIMIT = 3
Kind = int | None


def area(width: int = 2, *, deep: bool = True) -> int | None:
    """3 < 4."""
    if width < 0 and deep:
        raise BadInput("a width must be positive", width + 1)
    return max(width, LIMIT) - len(f"{width + 1}"[1:])
'''


def found(tmp_path, text=MODULE, name="a.py"):
    path = tmp_path / name
    path.write_text(text)
    return mutants.changes(path, name)


def test_each_change_is_one_edit(tmp_path):
    changes = found(tmp_path)
    assert [(c.name, c.old, c.new) for c in changes if c.line <= 9] == [
        ("", "3", "4"),
        ("", "3", "(2)"),
        ("area", "True", "False"),
        ("area", "2", "3"),
        ("area", "2", "(1)"),
    ]
    assert {(c.old, c.new) for c in changes if c.line == 11} == {
        ("width < 0 and deep", "(width < 0 or deep)"),
        ("width < 0 and deep", "(deep)"),
        ("width < 0 and deep", "(width < 0)"),
        ("width < 0", "(width <= 0)"),
        ("width < 0", "(width >= 0)"),
        ("0", "1"),
        ("0", "(-1)"),
    }
    last = {(c.old, c.new) for c in changes if c.line == 13}
    assert {("max", "min"), ("max(width, LIMIT)", "(max(LIMIT, width))")} < last
    assert {c.new for c in changes if c.old.startswith("max(width, LIMIT) -")} == {
        "(max(width, LIMIT) + len(f'{width + 1}'[1:]))",
        "(max(width, LIMIT))",
        "(len(f'{width + 1}'[1:]))",
        "(len(f'{width + 1}'[1:]) - max(width, LIMIT))",
    }


def test_messages_annotations_and_docstrings_stay(tmp_path):
    texts = MODULE.splitlines()
    for change in found(tmp_path):
        assert change.line in (5, 9, 11, 13), texts[change.line - 1]
        assert "int" not in change.old


def test_every_change_is_python_that_says_something_else(tmp_path):
    text = MODULE.encode()
    for change in found(tmp_path):
        new = mutants.changed(text, change)
        assert new is not None and ast.dump(ast.parse(new)) != ast.dump(ast.parse(text)), change


def test_a_change_is_known_again_after_moves(tmp_path):
    moved = found(tmp_path, MODULE.replace("LIMIT = 3", "LIMIT = 3\nÜ = 'ü'\n"), "b.py")
    assert {c.digest for c in found(tmp_path)} <= {c.digest for c in moved}


def test_the_seed_decides_the_order():
    one, again, more = (mutants.choose(["model/space.py"], 5, n) for n in (5, 5, 9))
    assert one == again == more[:5] and len(more) == 9
    assert one != mutants.choose(["model/space.py"], 6, 5)


def test_the_tests_of_a_change_are_those_that_ran_its_line(tmp_path):
    """Of a constant outside functions those that ran anything of the module; the quickest file comes first."""
    part = {
        "seconds": {"tests/test_a.py::one": 3.0, "tests/test_a.py::two": 1.0},
        "lines": {
            "": {"a.py": [5, 9]},
            "tests/test_a.py::one": {"a.py": [11, 13]},
            "tests/test_a.py::two": {"a.py": [11]},
        },
    }
    other = {"seconds": {"tests/test_b.py::three": 0.5}, "lines": {"tests/test_b.py::three": {"a.py": [13]}}}
    lines = mutants.Map({"test_a.py": ("x", part), "test_b.py": ("y", other)})
    by_line = {c.line: c for c in found(tmp_path)}
    assert lines.tests(by_line[5]) == {*part["seconds"], "tests/test_b.py::three"}
    assert lines.tests(by_line[11]) == set(part["seconds"])
    assert lines.plan(by_line[13], 60) == ([["tests/test_b.py::three"], ["tests/test_a.py::one"]], 3.5, False)
    assert lines.plan(by_line[13], 1) == ([["tests/test_b.py::three"]], 0.5, True)
