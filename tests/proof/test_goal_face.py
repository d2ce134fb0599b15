"""The public face of a goal: a dozen documented methods of its state, one for each rule of the kernel, two searches.

No private method is used from another file.
"""

from __future__ import annotations

import inspect
import re

import pytest
from checkout import ROOT

from symcook.proof.kernel import NODES
from symcook.proof.search.opengoal import OpenGoal, Stuck
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.terms import FALSE, TRUE

FACE = "add branch close declare fact formula fresh stuck suppose take term text"
FILES = {"symcook/proof/search/opengoal.py", "symcook/proof/search/tactics.py"}


def test_an_open_goal_has_a_dozen_documented_methods() -> None:
    methods = dict(inspect.getmembers(OpenGoal, inspect.isfunction))
    public = [name for name in methods if not name.startswith("_")]
    assert public == FACE.split()
    assert not [name for name in public if not inspect.getdoc(methods[name])]


def test_a_goal_adds_a_documented_method_for_each_rule_and_two_searches() -> None:
    own = {name: method for name, method in vars(Goal).items() if not name.startswith("_")}
    assert set(own) == {*NODES, "auto", "easy"}
    assert not [name for name, method in own.items() if not inspect.getdoc(method)]


def test_no_other_file_uses_a_private_name_of_a_goal() -> None:
    private = {name for kind in (OpenGoal, Goal) for name in vars(kind) if name[0] == "_" and name[:2] != "__"}
    # `self._facts` is a name of the class around it, which is no goal outside of these files.
    use = re.compile(rf"(?<!\bself)\.({'|'.join(sorted(private))})\b")
    files = [file for file in (ROOT / "symcook").rglob("*.py") if file.relative_to(ROOT).as_posix() not in FILES]
    used = {file.name: found for file in files if (found := use.findall(file.read_text(encoding="utf-8")))}
    assert private and not used


def test_a_closed_goal_takes_no_node_and_a_label_has_one_fact() -> None:
    goal = Goal(Citable(), TRUE, {}, {})
    goal.suppose("given", FALSE)
    with pytest.raises(Stuck, match="the label given is in use"):
        goal.suppose("given", TRUE)
    trial = goal.branch()
    trial.close({"by": "true"})
    assert not goal.closed and not goal.nodes
    goal.take(trial)
    assert goal.closed and goal.nodes == [{"by": "true"}]
    with pytest.raises(Stuck, match="this goal is closed"):
        goal.add({"by": "true"})
