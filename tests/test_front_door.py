"""`import symcook as sc`: every name is there, each is the thing that it names, and the import itself costs nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from families import together

import symcook as sc
from symcook import recipes


@together("name", sc.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(sc, name).__module__.startswith("symcook.")
    assert name in dir(sc)


def test_no_name_is_hidden_by_a_module_of_that_name() -> None:
    for name in sc.__all__:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"symcook.{name}")


@pytest.mark.parametrize("name", ["nope", "nope.x", "model.nope", "model.parts", "errors.x", "", ".", "a b", "_x.y"])
def test_what_is_no_name_is_not_there(name: str) -> None:
    assert not hasattr(sc, name)
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(sc, name)


def test_packages_are_reached_by_attribute() -> None:
    assert sc.compose.paired is importlib.import_module("symcook.compose").paired
    with pytest.raises(AttributeError, match="nonsense"):
        _ = sc.nonsense


def test_the_import_loads_nothing_heavy() -> None:
    code = "import sys, symcook; print(sorted({'sympy', 'numpy', 'mpmath', 'flint', 'click'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_model_answers_by_its_verbs() -> None:
    model = sc.build("dyck-1")
    assert model("(())").accept is True and model.run("(()").accept is False
    assert [run.accept for run in model.run_many(["()", ")("])] == [True, False]
    assert model.derive("()").output == {"total": "0", "balance": "0"}
    found = model.check(lambda word: word in ("()", "(())", "()()"), 4)
    assert found.holds and found.strings == 30
    assert not model.check(lambda word: word in ("()", "(())"), 4).holds


def test_run_many_binds_symbols_once() -> None:
    model = sc.build("gtzero")
    runs = model.run_many([{"x": 1}, {"x": "1/4"}], values={"eps": "1/2"})
    assert [run.output for run in runs] == [{"out": "1"}, {"out": "1/2"}]


def test_bound_names_the_nearest_argument() -> None:
    with pytest.raises(sc.BadInput, match="gamma"):
        sc.bound("softmax-hardmax", n=4, gama=5)
    with pytest.raises(sc.BadInput, match="softmax-hardmax"):
        sc.bound("softmax-hardmx", n=4, gamma=5)


def test_a_model_is_exported_with_its_certificate(tmp_path: Path) -> None:
    document = sc.build("dyck-1").export(tmp_path / "m.npz", max_length=4)
    assert document["greatest_length"] == 4 and (tmp_path / "m.certificate.json").exists()
    with pytest.raises(sc.BadInput, match="must not exist yet"):
        sc.build("dyck-1").export(tmp_path / "m.npz", max_length=4)


def test_a_recipe_that_is_imported_alone_hides_no_other() -> None:
    code = "from symcook.recipes.feedforward import linear; from symcook.recipes import names; print(*names())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(recipes.names())
