"""The changes that mutants.py makes: which they are, what they leave alone, and that they are known again."""

import ast
import gc
import importlib.util
import sys
from types import FunctionType

import mutants
import pytest

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
    assert ("max", "min") in last and ("max(width, LIMIT)", "(max(LIMIT, width))") not in last
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


def test_what_is_put_together_for_messages_stays(tmp_path):
    """A name that something else takes too does not; nor the lists of a sum of products, whichever comes first."""
    text = """\
from symcook.errors import BadInput


def area(rows, most):
    given = rows[0] if rows else most - 1
    known = most + 2
    if known > most:
        raise BadInput("rows must be few", given, known)
    return sum(a * b for a, b in zip(rows, most, strict=True)) + sum(a * a for a, b in zip(rows, most))
"""
    changes = {(c.line, c.old) for c in found(tmp_path, text)}
    assert {line for line, _ in changes} == {6, 7, 9}
    assert {old for line, old in changes if old.startswith("zip")} == {"zip(rows, most)"}
    assert {"a * b", "a * a"} <= {old for _, old in changes}


def test_what_alters_no_answer_stays(tmp_path):
    """Assertions, the strictness of zip, limits of search and their edges; what is beside them changes."""
    text = """\
MOST = 2_000
SOME = 20


def area(rows, most):
    assert most > 3
    if len(rows) > MOST or len(rows) > most:
        return 0
    return [a - b for a, b in zip(rows, most, strict=True)]
"""
    changes = {(c.line, c.old, c.new) for c in found(tmp_path, text)}
    assert {line for line, _, _ in changes} == {2, 7, 8, 9}
    assert {new for line, old, new in changes if old == "len(rows) > MOST"} == {"(len(rows) <= MOST)"}
    assert {new for line, old, new in changes if old == "len(rows) > most"} == {
        "(len(rows) >= most)", "(len(rows) <= most)"
    }  # fmt: skip
    assert {old for line, old, _ in changes if line == 9} == {"a - b", "zip(rows, most, strict=True)"}
    assert {new for line, old, new in changes if old.startswith("zip")} == {"(zip(most, rows, strict=True))"}


def test_what_another_change_shows_as_well_stays(tmp_path):
    """Progress and clocks, messages by functions of the module, first entries, equalities, operators called by name."""
    text = """\
def refuse(part: str) -> NoReturn:
    raise ValueError(part)


def area(rows, op, bits):
    progress(len(rows) + 1)
    if bits is not None:
        tick(3 + bits)
    Clock.spend(bits + 1)
    if rows[0] == bits or bits > 1_000:
        refuse("a" + "b")
    return op("Add", rows, bits) or op("Sub", rows, bits) or max(rows, default=3) * 1_000 or add(bits, rows)
"""
    changes = {(c.line, c.old, c.new) for c in found(tmp_path, text)}
    assert {line for line, _, _ in changes} == {10, 12}
    assert {new for line, old, new in changes if line == 10 and old.isdigit()} == {"1"}
    assert {new for line, old, new in changes if old == "rows[0] == bits"} == {"(rows[0] != bits)"}
    assert {new for line, old, new in changes if old == "bits > 1_000"} == {"(bits <= 1000)"}
    assert not any(old.startswith("add(") for _, old, _ in changes)
    assert {old for line, old, _ in changes if old.startswith("op(") and old.endswith("bits)")} == {
        'op("Sub", rows, bits)'
    }
    assert {new for line, old, new in changes if old == "1_000"} == {"1001", "(999)"}
    assert any("default" in old for _, old, _ in changes) and not any(new == "(max(rows))" for *_, new in changes)


LOADED = """\
class Square:
    def __init__(self, side=1):
        self.side = side

    @property
    def area(self):
        def power(n):
            return (
                self.side
                ** n
            )
        return power(2)

    @staticmethod
    def two():
        return 2


made = Square().two
"""


def test_a_change_is_put_into_what_is_loaded(tmp_path, monkeypatch):
    """Into functions, methods and what is defined in them, wherever they are held; not into defaults of arguments."""
    (tmp_path / "symcook").mkdir()
    place = tmp_path / "symcook" / "loaded_here.py"
    place.write_text(LOADED)
    spec = importlib.util.spec_from_file_location("symcook.loaded_here", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "symcook.loaded_here", module)
    loaded = object.__new__(mutants.Loaded)
    functions = [f for f in gc.get_objects() if isinstance(f, FunctionType) and f.__code__.co_filename == str(place)]
    loaded.functions = {str(place): functions}

    def put(name, old):
        place.write_text(LOADED)
        change = next(c for c in mutants.changes(place, "loaded_here.py") if (c.name, c.old[:9]) == (name, old))
        return mutants.body_of(LOADED.encode(), change) is not None and loaded.put_in(tmp_path, change)

    square = module.Square(3)
    assert (square.area, module.made()) == (9, 2)
    assert not put("Square.__init__", "1")
    assert put("Square.area.power", "self.side") and (square.area, module.made()) == (6, 2)
    assert put("Square.two", "2") and module.made() == 3


def test_a_function_is_accepted_as_a_whole(tmp_path, monkeypatch, capsys):
    """By its digest, or under the name of the function around it; a change that is noticed is not accepted."""
    changes = found(tmp_path)
    results = mutants.Results(tmp_path / "results.json", {})
    for change in changes:
        results.put(change, "noticed" if change.line == 9 else "unnoticed", "", "")
    (tmp_path / "accepted.json").write_text('{"a.py area": "Speed only."}')
    monkeypatch.setattr(mutants, "ACCEPTED", tmp_path / "accepted.json")
    assert mutants.summary(changes, results) == 1
    *shown, last = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("accepted") for line in shown) == sum(c.line > 9 for c in changes) > 3
    assert sum(line.startswith("unnoticed") for line in shown) == 2 and last.endswith("2 unnoticed")


def test_every_change_is_python_that_says_something_else(tmp_path):
    text = MODULE.encode()
    for change in found(tmp_path):
        new = mutants.changed(text, change)
        assert new is not None and ast.dump(ast.parse(new)) != ast.dump(ast.parse(text)), change


def test_a_change_is_known_again_after_moves(tmp_path):
    moved = found(tmp_path, MODULE.replace("LIMIT = 3", "LIMIT = 3\nÜ = 'ü'\n"), "b.py")
    assert {c.digest for c in found(tmp_path)} <= {c.digest for c in moved}


@pytest.mark.sweep
def test_the_seed_decides_the_order():
    one, again, more = (mutants.choose(["model/checks.py"], 5, n) for n in (5, 5, 9))
    assert one == again == more[:5] and len(more) == 9
    assert one != mutants.choose(["model/checks.py"], 6, 5)


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


def test_which_of_two_is_subtracted_matters_but_in_squares_and_sizes(tmp_path):
    changes = found(tmp_path, "def area(a, b, c):\n    return (a - b) ** 2, abs(b - c), c - a, open(a, encoding=b)\n")
    assert {c.new for c in changes if c.new.count(" - ") == 1 and len(c.new) == 7} == {"(a - c)"}
    assert not any(c.new == "(open(a))" for c in changes)
