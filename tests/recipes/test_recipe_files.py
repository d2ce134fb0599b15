"""The files of recipes: imports at the top, one file imported for one recipe, and each fact said once."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from families import together

import symcook.recipes
from symcook.recipes import build, exists, info, kit, names

RECIPES = Path(symcook.recipes.__file__).parent
FILES = sorted(RECIPES.glob("*/*.py"))


def late(source: str) -> list[str]:
    """The imports of a module that do not stand at its top."""
    tree = ast.parse(source)
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return [ast.unparse(node) for node in found if node not in tree.body]


def repeated(source: str) -> list[str]:
    """What the file of a recipe says twice."""
    found, tree = [], ast.parse(source)
    for function in tree.body:
        calls = [one for one in getattr(function, "decorator_list", []) if isinstance(one, ast.Call)]
        for call in calls:
            facts = {one.arg: ast.unparse(one.value) for one in call.keywords}
            text = " ".join(f"{ast.get_docstring(tree) or ''} {ast.get_docstring(function) or ''}".split())
            if facts.get("formula") == facts.get("computes"):
                found.append("computes")
            own = ast.get_docstring(function) or ""
            found += [said.lower() for said in ("Source", "Region") if re.search(rf"\b{said}\b[^.]*:", own)]
            if "summary" in facts and facts["summary"][1:-1] in text:
                found.append("summary")
    return found


def test_imports_stand_at_the_top() -> None:
    assert {str(path): found for path in FILES if (found := late(path.read_text()))} == {}


def test_each_fact_is_said_once() -> None:
    assert sum(path.read_text().count("@recipe(") for path in FILES) == len(names())
    assert {str(path): found for path in FILES if (found := repeated(path.read_text()))} == {}


@together(
    ("source", "where"),
    [
        ("if TYPE_CHECKING:\n    import sympy", late),
        ("def f():\n    from symcook.model.checks import Space", late),
        ("@recipe(formula='x', computes='x', source='A')\ndef f(this): ...", repeated),
        ("@recipe(formula='x', source='A, Section 4')\ndef f():\n    '''Source: A,\n    Section 5.'''", repeated),
        ("@recipe(formula='x', source='A, Section 4')\ndef f():\n    '''Region where it is x: all.'''", repeated),
        ("@recipe(formula='x', source='A', summary='x, twice')\ndef f():\n    '''It gives x, twice.'''", repeated),
        ("'''f: x, twice.'''\n@recipe(formula='x', source='A', summary='x, twice')\ndef f(): ...", repeated),
    ],
)  # fmt: skip
def test_the_two_tests_above_see_a_violation(source: str, where: object) -> None:
    assert callable(where) and where(source)


def loaded(code: str) -> set[str]:
    """The files of recipes that are imported once `code` ran, as chapter.file."""
    command = f"import sys; from symcook.recipes import *; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    here = (one.removeprefix("symcook.recipes.") for one in done.stdout.split() if one.startswith("symcook.recipes."))
    return {one for one in here if "." in one}


@pytest.mark.layer_one(3)
@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("build('gtzero')", {"feedforward.comparators"}),
        ("build('dyck-1-2')", {"languages.dyck"}),
        ("build('first-layernorm')", {"chiang2022.recognisers"}),
        ("info('attention-identity'), region('clip')", {"attention.averages", "feedforward.linear"}),
    ],
)
def test_one_recipe_imports_its_file_alone(code: str, files: set[str]) -> None:
    assert loaded(code) == files


def test_a_recipe_whose_name_is_not_its_function_s_is_found_too() -> None:
    assert build("if").name == "if" and info("if").make.__name__ == "conditional"
    assert (
        loaded("build('if')")
        == loaded("info('max'), build('round')") - {"feedforward.linear"}
        == {"feedforward.comparators"}
    )
    assert not exists("conditional") and exists("if") and not exists("vector")


@pytest.mark.sweep
def test_the_order_of_names_does_not_depend_on_what_was_imported_first() -> None:
    code = "from symcook.recipes import *; build('sinusoidal'); build('modulo-angle'); build('if'); print(*names())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(names())


def test_the_idea_is_the_first_paragraph_and_the_details_are_the_others() -> None:
    found = info("gtzero")
    assert found.words == "Two ReLUs make a ramp from 0 to 1 of width eps, to the right of zero."
    assert found.details.strip() == "out = 0 for x <= 0, x/eps for 0 < x < eps, 1 for x >= eps."
    assert info("scale").details.startswith("out = c relu(x) - c relu(-x) = c x.\n\nc: any real number, a symbol")
    assert all(info(name).words for name in names())


def test_computes_is_the_formula_where_it_is_left_out() -> None:
    assert info("count").computes == info("count").formula == "C(n)/n"
    assert info("add").computes == "relu(x) - relu(-x) + relu(y) - relu(-y)" and info("add").formula == "x + y"


def test_the_kit_has_what_files_of_recipes_use() -> None:
    used = {name for path in FILES for name in re.findall(r"\bkit\.(\w+)", path.read_text())}
    assert {name for name in used if not hasattr(kit, name)} == set()
    assert {"Transformer", "head", "Layer"} <= used and not hasattr(kit, "Nothing")


def test_recipes_are_named_without_sympy_and_their_package_without_a_model() -> None:
    loaded = "print(*(m for m in ('sympy', 'symcook.model.transformer', 'symcook.recipes.kit') if m in sys.modules))"
    call = f"import sys; from symcook import recipes; {loaded}; recipes.names(); {loaded}"
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["", "symcook.model.transformer symcook.recipes.kit"]
