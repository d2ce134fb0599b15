"""That a machine that rounds is inside `run(rounded-NAME; u)`, as theorems of Coq (rounding.v and rounded_runs.v)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from accepted_by_coq import LEFT, needs_coqc, take_over
from coqfiles import compiled, misjudged, said

from symcook.coq.chk import CLASSICAL
from symcook.coq.reading import Definitions, Reading, parsed
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import expand, named

HERE = Path(__file__).parent
FILES = ("rounding", "rounded_runs")
NEEDED = ("Meaning", "Laws", "Taylor", "Erf")
RULES = ("relative_error_rounds", "higham", "higham_positive", "any_brackets")
CONTROLS = (
    *("one_rounding_less_fails", "size_of_the_sum_fails", "stored_as_exact_fails"),
    "one_rounding_less_is_not_met",
)
BLOCKS = (
    *("tree_stated", "added_stated", "mean_stated", "residual_stated", "hard_stated", "single_stated"),
    *("exponential_stated", "shares_stated", "shares_positive", "gelu_computes"),
    *("norm_mean_stated", "norm_variance_stated", "norm_deviation_stated", "norm_entry_stated"),
)
MODELS = {
    "majority": ("u:Real, n:Int, w:Int->Int", "majority", "(i + 2)", "(i + 1)"),
    "first": ("c:Real, u:Real, n:Int, w:Int->Int", "first", "(n + 3)", "(n + 2)"),
    "lookup-quadratic": ("u:Real, n:Int", "lookup", ")) + 2) - 1)", ")) + 1) - 1)"),
    "max": ("u:Real", "max", "(1 - u)) 2 - 1)", "(1 - u)) 1 - 1)"),
    "max-by-gelu": ("c:Real, u:Real", "gelu", "(1 - u)) 13 - 1)", "(1 - u)) 12 - 1)"),
    "sign-norm": ("u:Real", "sign_norm", "(1 - u)) 7 - 1)", "(1 - u)) 6 - 1)"),
}
"""Stored models, with what is quantified before their names, their theorem, and a count with one less."""
OPENING = """\
From Coq Require Import Reals ZArith.
From Symcook Require Import Meaning rounding rounded_runs.
Open Scope R_scope.
"""


class Nothing(Definitions):
    """No definitions, which take seconds to read: a run that is written out uses none."""

    def __init__(self) -> None:
        self.all = {}


def stated(name: str) -> tuple[list[str], str, str]:
    """The names, their binders, and the run of a stored model as statements have it in Coq."""
    free = MODELS[name][0]
    tree = parsed(expand(named(f"all {free}, names(rounded-{name}). run(rounded-{name}; u)")))
    binders, _, run = Reading(Nothing()).formula(tree, {}).removeprefix("forall ").partition(", ")
    names: list[str] = re.findall(r"\w+", " ".join(re.findall(r"([\w ]+) :", binders)))
    return names, binders, run


def asked(name: str, old: str = "", new: str = "") -> str:
    """That a machine of the model is inside the run, for Coq."""
    names, binders, run = stated(name)
    theorem = MODELS[name][1]
    assert old in run
    machine = f"{theorem}_machine {' '.join(names)}"
    run = run.replace(old, new, 1)
    goal = f"Goal forall {binders}, 0 <= u < 1 -> {machine} -> ({run})."
    proof = f"Proof. intros. now eapply {theorem}_inside. Qed."
    return f"{OPENING}Module Stated.\nImport Reading.\n{goal}\n{proof}\nEnd Stated.\n"


def test_the_files_about_machines_suppose_nothing() -> None:
    """Each theorem is there, and nothing is left unproved."""
    text = "".join((HERE / f"{name}.v").read_text(encoding="utf-8") for name in FILES)
    for theorem in (*RULES, *CONTROLS, *BLOCKS, *(f"{one[1]}_inside" for one in MODELS.values())):
        assert len(re.findall(rf"^(?:Theorem|Lemma) {theorem} ", text, re.MULTILINE)) == 1, theorem
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Unset|Guard|bypass_check)\b", text)
    assert text.count("Hypothesis") == text.count("Hypothesis unit_range : 0 <= u < 1.") == 3


@pytest.fixture(scope="module")
def rounded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both files and what they require, compiled."""
    folder = tmp_path_factory.mktemp("coq") / "files"
    if LEFT.is_dir():
        take_over(LEFT, folder)
    folder.mkdir(exist_ok=True)
    for name, place in ((one, proofs_directory() / "coq" if one in NEEDED else HERE) for one in (*NEEDED, *FILES)):
        if not (folder / f"{name}.vo").is_file():
            (folder / f"{name}.v").write_bytes((place / f"{name}.v").read_bytes())
            assert compiled(folder, name)
    return folder


@needs_coqc
def test_machines_are_inside_by_coq(rounded: Path) -> None:
    """With the inequalities that symcook writes; the theorem does not prove those with one rounding less."""
    wrong = [asked(name, old, new) for name, (_, _, old, new) in MODELS.items()]
    assert misjudged(rounded, map(asked, MODELS), wrong) is None


@needs_coqc
def test_machines_rest_on_the_axioms_of_real_numbers(rounded: Path) -> None:
    theorems = (*RULES, *CONTROLS, *BLOCKS, *(f"{one[1]}_inside" for one in MODELS.values()))
    together = ", ".join(f"@{name}" for name in theorems)
    lines = f"Definition together := ({together}).\nPrint Assumptions together.\n"
    (rounded / "assumed.v").write_text(f"From Symcook Require Import rounding rounded_runs.\n{lines}")
    code, text = said(rounded, "assumed")
    assert code == 0 and text.count("Axioms:") == 1
    found = set(re.findall(r"^([\w.]+)(?= :|\n  :)", text, re.MULTILINE)) - {"Axioms"}
    allowed = {one.rpartition(".")[2] for one in CLASSICAL}
    assert found and {one.rpartition(".")[2] for one in found} <= allowed
