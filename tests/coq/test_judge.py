"""Developments that must not be accepted: faults of the writer, stranger's certificates, files changed meanwhile. Each
would have been accepted, or recorded, as resting on nothing."""

from __future__ import annotations

import hashlib
import re
import runpy
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from accepted_by_coq import files_by_hand, needs_coqc

from symcook.coq import development, record
from symcook.coq import judge as judging
from symcook.coq.checker import certificates, checker, statements
from symcook.coq.chk import CLASSICAL, axioms_named, foreign
from symcook.coq.development import Development
from symcook.coq.judge import Judge, verdict
from symcook.coq.reading import definitions
from symcook.coq.said import not_said
from symcook.coq.statement import said_text, statement_part
from symcook.coq.term import Untranslatable
from symcook.errors import BadInput
from symcook.proof.audit import seals
from symcook.proof.files import proofs_directory

PROOFS = Path(__file__).parent.parent.parent / "proofs"
COMMAND = runpy.run_path(str(PROOFS / "coq.py"))["main"]
LEMMA, CLAIM, MODEL = "lem.square_le", "merrill2024.thm2.update", "dyck-1"
Change = Callable[[str, str], str]


class Written(Development):
    """A development as a writer with a fault writes it."""

    change: Change

    def text(self, file: str) -> str:
        return self.change(file, super().text(file))


def written(change: Change, ids: tuple[str, ...] = (LEMMA,), models: tuple[str, ...] = ()) -> Written:
    made = Written(ids, alone=True, models=models)
    made.change = change
    return made


def only(name: str, change: Callable[[str], str]) -> Change:
    return lambda file, text: change(text) if file == name else text


PROVED = "lem_square_le_proof"


@pytest.fixture(scope="module", autouse=True)
def made_once() -> Iterator[None]:
    """The file of definitions, which nothing here changes, is written once: each development writes it twice. And
    coqchk, which has to read the real numbers first, is started once a verdict, not twice. All statements are read
    here, so that no test is charged for it."""
    definitions()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(development, "definitions_file", cache(development.definitions_file))
        patch.setattr(judging, "JOBS", 1)
        yield


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coq") / "honest"
    files_by_hand(folder)
    said: list[str] = []
    found, axioms, good = verdict(written(lambda _, text: text, models=(MODEL,)), folder, said.append)
    assert good and found.accepted == [LEMMA], said
    assert axioms >= CLASSICAL
    return folder


@pytest.fixture
def asked(honest: Path, tmp_path: Path) -> Callable[[Development], tuple[bool, list[str]]]:
    """Whether a development is accepted in a copy of the folder where the honest one was, and what is said."""

    def ask(development: Development) -> tuple[bool, list[str]]:
        said: list[str] = []
        shutil.copytree(honest, tmp_path / "copy", dirs_exist_ok=True)
        return verdict(development, tmp_path / "copy", said.append)[2], said

    return ask


def without_check(kind: str, script: str) -> str:
    """A proof of False with a check switched off, put before the theorems."""
    return f"Unset {kind} Checking.\n{script}\nSet {kind} Checking.\n"


BOOM = {
    "guard": without_check("Guard", "Fixpoint boom (n : nat) : False := boom n.\nDefinition bad : False := boom O."),
    "positivity": without_check(
        "Positivity",
        "Inductive odd_one := Odd (f : odd_one -> False).\n"
        "Definition no (x : odd_one) : False := match x with Odd f => f x end.\nDefinition bad : False := no (Odd no).",
    ),
    "universes": without_check("Universe", "Definition small : Type := (forall T : Type, T).\nAxiom bad : False."),
    "axiom": "Axiom bad : False.\n",
    "parameter": "Module PrimInt63. Parameter bad : False. End PrimInt63. Import PrimInt63.\n",
    "admitted": "Lemma bad : False. Admitted.\n",
    "accent": "Axiom évil : False.\nDefinition bad := évil.\n",
    "name of a lemma": "Module Evil_lem_square_le_proof. Axiom proof : False. End Evil_lem_square_le_proof.\n"
    "Definition bad := Evil_lem_square_le_proof.proof.\n",
    "sealed": "Module Type T. Axiom bad : False. End T.\nDeclare Module M : T. Definition bad := M.bad.\n",
}
AXIOMS = {
    "axiom": "bad", "parameter": "PrimInt63.bad", "admitted": "bad", "accent": "évil",
    "name of a lemma": "Evil_lem_square_le_proof.proof", "sealed": "M.bad",
}  # fmt: skip
"""By which name coqchk tells of each, in a module of its own."""


def planted(*kinds: str) -> Written:
    """The statement is proved by the first of these, which stand before everything else, each in a module."""
    before = "".join(f"Module K{k}. {BOOM[kind]}End K{k}.\n" for k, kind in enumerate(kinds))

    def change(text: str) -> str:
        place = text.index("Theorem proof")
        end = "Proof. exact_no_check (proof). Qed."
        assert end in text
        return text[:place] + before + text[place:].replace(end, "Proof. destruct K0.bad. Qed.", 1)

    return written(only(PROVED, change))


SWITCHED = {
    "guard and positivity": (("guard", "positivity"), ("unsafe (co)fixpoints", "positivity is assumed")),
    "universes": (("universes",), ()),
}
"""Which checks are switched off in one file, and what coqchk tells of each."""
TOLD = r"{}:\n +Symcook\.lem_square_le_proof\.K{}\."


@needs_coqc
@pytest.mark.parametrize("which", SWITCHED)
def test_what_switches_a_check_off_is_refused(which: str, asked: Any, tmp_path: Path) -> None:
    kinds, told = SWITCHED[which]
    made = planted(*kinds)
    good, said = asked(made)
    assert not good
    if not told:  # nor when the folder is taken up again
        assert not verdict(made, tmp_path / "copy", lambda _: None)[2]
    assert any("coqchk:" in line or "not allowed: Symcook." in line for line in said), said
    for k, one in enumerate(told):
        assert any(re.search(TOLD.format(re.escape(one), k), line) for line in said), said


@needs_coqc
def test_what_assumes_is_refused(asked: Any, tmp_path: Path) -> None:
    """All at once, as each is refused by its own name."""
    made = planted(*AXIOMS)
    good, said = asked(made)
    assert not good and not verdict(made, tmp_path / "copy", lambda _: None)[2]
    named = {f"not allowed: Symcook.{PROVED}.K{k}.{axiom}" for k, axiom in enumerate(AXIOMS.values())}
    assert AXIOMS.keys() | {one for kinds, _ in SWITCHED.values() for one in kinds} == BOOM.keys() and named <= {
        *said
    }, said


SHADOW = """Module Fake. Module lem_square_le. Module Reading. Definition statement := True. End Reading.
Module Source. Import Tree.Text. Local Open Scope json_lists. Local Open Scope json_strings.
Definition tree : json := ["true",null,[]]. End Source. End lem_square_le. End Fake. Import Fake.
Theorem statement : lem_square_le.Reading.statement. exact I. Qed.
Theorem same : forall u : unknown, lem_square_le.Reading.statement <-> prop u nil lem_square_le.Source.tree.
Proof. exact (fun u => iff_refl True). Qed.
Theorem tree_holds : holds lem_square_le.Source.tree. Proof. exact (fun u => I). Qed.
"""


def ended(by: str) -> Callable[[str], str]:
    """The file with nothing but this in the place of lemmas and theorems."""
    return lambda text: text[: text.index("Open Scope R_scope.")] + "Open Scope R_scope.\n" + by


@needs_coqc
@pytest.mark.parametrize("by", [SHADOW, "Definition everything := I.\n"], ids=["shadow", "nothing"])
def test_theorems_of_another_statement_are_refused(by: str, asked: Any, tmp_path: Path) -> None:
    good, said = asked(written(only(PROVED, ended(by))))
    assert not good
    assert Judge(tmp_path / "copy").record[PROVED]["accepted"]  # Coq is right: the file itself is accepted
    assert any("Verdict_0.v, which names what is proved" in line for line in said), said


def admitted(text: str) -> str:
    return re.sub(r"Proof\..*?Qed\.", "Admitted.", text, flags=re.DOTALL)


@needs_coqc
def test_a_model_with_admitted_theorems_is_refused(asked: Any) -> None:
    def change(file: str, text: str) -> str:
        if file == "stored_dyck_1":
            assert "[[-1]] [0]" in text
            return text.replace("[[-1]] [0]", "[[5]] [7]")
        return admitted(text) if file == "stored_dyck_1_proof" else text

    good, said = asked(written(change, (), (MODEL,)))
    assert not good
    assert "not allowed: Symcook.stored_dyck_1_proof.dyck_1_runs" in said


@needs_coqc
def test_a_model_without_its_theorems_is_refused(asked: Any) -> None:
    good, said = asked(written(only("stored_dyck_1_proof", ended("Definition everything := I.\n")), (), (MODEL,)))
    assert not good
    assert any("Verdict_0.v" in line and "dyck_1_runs" in line for line in said), said


@needs_coqc
def test_a_reading_that_says_less_is_refused(asked: Any) -> None:
    """Both the reading and the tree hold, but they are not the same."""

    def change(file: str, text: str) -> str:
        if file == "lem_square_le":
            return re.sub(r"(Definition statement : Prop :=\n).*?\.\nEnd", r"\1  True.\nEnd", text, flags=re.DOTALL)
        return text.replace("exact_no_check (proof)", "exact I", 1) if file == PROVED else text

    good, said = asked(written(change))
    assert not good and any(f"refused  {PROVED}" in line for line in said), said


@needs_coqc
def test_another_tree_and_more_than_definitions_are_refused(asked: Any) -> None:
    """At once, as the judge says each by itself."""

    def change(text: str) -> str:
        return text.replace('["<=",null', '["<",null', 1).replace(
            "Module Source.", "Axiom x : False.\nModule Source.", 1
        )

    good, said = asked(written(only("lem_square_le", change)))
    assert not good
    for why in ("must say the tree with the hash of lem_square_le", "must hold nothing but definitions: Axiom x"):
        assert any(why in line for line in said), said


@pytest.mark.sweep
@pytest.mark.parametrize(
    "more",
    [
        'Notation "x <= y" := True.',
        "Definition statement : Prop := ltac:(exact True).",
        "#[global] Unset Guard Checking.",
        "Definition other := True. Import Fake.",
        'Redirect "x" Print nat.',
        "Local Notation tree := True.",
        "Theorem x : True.",
        '(* " *) Axiom x : False. (* " *)',
        "Coercion f : R >-> Z.",
    ],
)
def test_what_is_said_is_definitions(more: str) -> None:
    text = said_text(LEMMA)
    assert not_said(text) is None
    assert not_said(f"{more}\n{text}") is not None
    assert not_said(f"{text}\n{more}\n") is not None


@needs_coqc
def test_files_that_are_changed_afterwards_are_judged_again(asked: Any, honest: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(honest, copy)
    path, source = copy / "lem_square_le.v", (honest / "lem_square_le.v").read_text()
    path.write_text(source.replace("x <= y", "x < y"))
    compiled = copy / f"{PROVED}.vo"
    before = compiled.read_bytes()
    compiled.write_bytes((copy / "Sines.vo").read_bytes())
    said: list[str] = []
    assert verdict(written(lambda _, text: text), copy, said.append)[2], said
    assert path.read_text() == source
    assert compiled.read_bytes() != (copy / "Sines.vo").read_bytes() and len(compiled.read_bytes()) == len(before)


@needs_coqc
def test_a_file_that_is_exchanged_before_coqc_reads_it_is_refused(honest: Path, tmp_path: Path) -> None:
    shutil.copytree(honest, tmp_path / "copy")

    class Watched(Judge):
        def run(self, file: str) -> tuple[bool, str, float]:
            (self.folder / f"{file}.v").write_text("Definition x := 0.\n")
            return super().run(file)

    made = Watched(tmp_path / "copy").check("other", "Definition x := 1.\n")
    assert not made["accepted"] and made["message"] == "the file was changed while coqc read it"


# --- Certificates ----------------------------------------------------------------------------------------------------


def put(patch: pytest.MonkeyPatch, name: str, **changed: Any) -> dict[str, Any]:
    data = {key: value for key, value in (certificates()[name] | changed).items() if value is not None}
    patch.setitem(certificates(), name, data)
    return data


INJECTED = "x. Abort. Unset Guard Checking. Fixpoint boom (n : nat) : False := boom n"


def damaged(patch: pytest.MonkeyPatch, kind: str) -> str:
    """A statement whose certificate is changed so."""
    if kind == "refuted lemma":
        put(patch, LEMMA, lemmas={"cookbook.s6.4.clip": statements()["cookbook.s6.4.clip"].digest})
    elif kind == "own lemma":
        label = [{"by": "hyp", "of": statements()[LEMMA].label}]
        put(patch, LEMMA, lemmas={LEMMA: statements()[LEMMA].digest}, proof=label)
    elif kind == "circle":
        put(patch, LEMMA, lemmas={"lem.sum_ext": statements()["lem.sum_ext"].digest})
        put(patch, "lem.sum_ext", lemmas={LEMMA: statements()[LEMMA].digest})
        return "lem.sum_ext" if [*certificates()].index("lem.sum_ext") < [*certificates()].index(LEMMA) else LEMMA
    elif kind == "another lemma":
        put(patch, LEMMA, lemmas={"lem.sum_ext": "0" * 64})
    elif kind == "name":
        put(patch, LEMMA, proof=[{"by": "intro", "as": [INJECTED]}, *certificates()[LEMMA]["proof"][1:]])
    elif kind == "side":
        put(patch, LEMMA, proof=[{"by": "pick", "side": "left. Abort"}])
    elif kind == "no D":
        put(patch, CLAIM, defined=None)
        return CLAIM
    elif kind == "no H":
        put(patch, CLAIM, inhabited=None)
        return CLAIM
    return LEMMA


REASONS = {
    "refuted lemma": "the lemma 'cookbook.s6.4.clip' is not proved",
    "own lemma": "the lemma 'lem.square_le' is not proved",
    "circle": "is not proved",
    "another lemma": "the hash of the lemma 'lem.sum_ext' differs",
    "name": "a name is not valid",
    "side": "",
    "no D": "a claim needs proofs of D and H",
    "no H": "a claim needs proofs of D and H",
}


@pytest.mark.sweep
@pytest.mark.parametrize("kind", REASONS)
def test_certificates_that_are_refused_are_not_written(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = damaged(monkeypatch, kind)
    with pytest.raises(BadInput) as error:
        statement_part(name)
    must = "a certificate must be accepted by proofs/checker.py before it is written for Coq; given: "
    assert str(error.value).startswith(f"{must}{name}: ") and REASONS[kind] in str(error.value)
    if kind not in ("own lemma", "circle"):
        with pytest.raises(BadInput):
            Development([name], alone=True).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["name", "side"])
def test_the_writer_itself_takes_names_and_sides_only(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(monkeypatch, kind)
    data = certificates()[LEMMA]
    if kind == "side":
        goal = {"by": "have", "show": "0 = 0 | 0 = 1", "proof": data["proof"], "as": "a"}
        data = data | {"proof": [*[{"by": "intro", "as": [x]} for x in ("a", "b", "p", "q")], goal]}
    with pytest.raises(Untranslatable, match=r"not a valid name|a side must be left or right"):
        statement_part(LEMMA, data)


@needs_coqc
def test_the_writer_cannot_leave_out_what_a_claim_needs(tmp_path: Path) -> None:
    """Whether D and H are proved is asked by the judge, whatever the file with the proofs has."""
    for one in ("defined_holds", "inhabited_holds"):
        assert f"_{one} : Symcook.Tree.holds (" in "".join(
            Development([CLAIM], alone=True).verdicts([CLAIM], []).values()
        )
    assert "defined_holds" not in "".join(Development([LEMMA], alone=True).verdicts([LEMMA], []).values())


@needs_coqc
def test_nothing_refused_is_recorded(
    monkeypatch: pytest.MonkeyPatch, honest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the folder where the honest one was recorded; each certificate that is refused begins there again. A lemma and
    a claim: that the others are not written is asked above."""
    first, path = tmp_path / "first", tmp_path / "coq.txt"
    shutil.copytree(honest, first)
    monkeypatch.setitem(COMMAND.__globals__, "PATH", path)
    monkeypatch.setitem(COMMAND.__globals__, "stale", lambda names: [name])
    monkeypatch.setitem(COMMAND.__globals__, "stale_models", lambda names: [])
    monkeypatch.setattr(record, "stored", lambda: frozenset([theorem("lem.log_two")]))
    name = LEMMA
    assert COMMAND(["-o", str(first), "--changed", "--check", "--record"]) == 0
    assert "nothing is recorded" not in capsys.readouterr().out
    for number, kind in enumerate(("own lemma", "no D")):
        path.unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            name = damaged(patch, kind)
            shutil.copytree(first, folder := tmp_path / str(number))
            assert COMMAND(["-o", str(folder), "--changed", "--check", "--record"]) in (1, 2)
        assert not path.exists() or name not in record.named("theorem", seals.read(path)), kind


@needs_coqc
def test_one_that_is_refused_keeps_nothing_else_from_the_record(
    monkeypatch: pytest.MonkeyPatch, honest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is accepted is recorded, the statement and the model beside it; the refused one is named, and leaves the
    record."""
    other = "lem.log_two"
    shutil.copytree(honest, tmp_path / "copy")
    path = tmp_path / "coq.txt"
    monkeypatch.setitem(COMMAND.__globals__, "PATH", path)
    monkeypatch.setitem(COMMAND.__globals__, "stale", lambda names: [LEMMA, other])
    monkeypatch.setitem(COMMAND.__globals__, "stale_models", lambda names: [MODEL])
    monkeypatch.setattr(record, "stored", lambda: frozenset([theorem(other)]))
    whole = Development.text

    def refused(self: Development, file: str) -> str:
        """A proof of the other one that does not close."""
        text = whole(self, file)
        if f"Module {other.replace('.', '_')}_proof." in text or file == f"{other.replace('.', '_')}_proof":
            return text.replace("Theorem proof", "Lemma wrong : 0 = 1. Proof. reflexivity. Qed.\nTheorem proof", 1)
        return text

    monkeypatch.setattr(Development, "text", refused)
    assert COMMAND(["-o", str(tmp_path / "copy"), "--changed", "--check", "--record"]) == 1
    said = capsys.readouterr().out
    assert f"not accepted: {other}\n" in said and "recorded; " in said
    made = seals.read(path)
    assert record.named("theorem", made) == (LEMMA,) and record.named("model", made) == (MODEL,)


def test_ids_that_take_the_name_of_a_file_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Laws", "stored_x", "Verdict_0", "Given", "Lemmas.3", "lem.square-le"):
        with monkeypatch.context() as patch:
            patch.setitem(certificates(), name, certificates()[LEMMA])
            patch.setitem(statements(), name, statements()[LEMMA])
            with pytest.raises(BadInput, match=r"each id must have names of its own in Coq; given: two for "):
                Development([name, LEMMA], models=[])


# --- What coqchk says ------------------------------------------------------------------------------------------------

NOTHING = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative
  
* Axioms: <none>
  
* Constants/Inductives relying on type-in-type: <none>
  
* Constants/Inductives relying on unsafe (co)fixpoints: <none>
  
* Inductives whose positivity is assumed: <none>
  
"""  # noqa: W293


def test_only_whole_messages_are_understood() -> None:
    assert axioms_named(NOTHING) == set()
    listed = NOTHING.replace("Axioms: <none>", "Axioms:\n    Symcook.X.évil\n    Coq.Logic.Classical_Prop.classic")
    assert axioms_named(listed) == {"Symcook.X.évil", "Coq.Logic.Classical_Prop.classic"}
    assert foreign(axioms_named(listed) or ()) == ["Symcook.X.évil"]
    for wrong in (
        "",
        "Closed under the global context",
        NOTHING.replace("predicative", "impredicative"),
        NOTHING.replace("type-in-type: <none>", "type-in-type:\n    Symcook.X.y"),
        NOTHING.replace("fixpoints: <none>", "fixpoints:\n    Symcook.X.y"),
        NOTHING.replace("assumed: <none>", "assumed:\n    Symcook.X.y"),
        NOTHING + "more",
        "more" + NOTHING,
        NOTHING.replace("Axioms: <none>", "Axioms: évil : False"),
        NOTHING.replace("Axioms: <none>", "Axioms:"),
    ):
        assert axioms_named(wrong) is None


def test_names_are_taken_whole() -> None:
    allowed = {"Symcook.Given.lem_x"}
    assert foreign([*CLASSICAL, *allowed, "Coq.Numbers.Cyclic.Int63.PrimInt63.add"], allowed) == []
    for name in (
        "Symcook.Evil.Given.lem_x",
        "Symcook.X.PrimInt63.add",
        "Symcook.X.Classical_Prop.classic",
        "Classical_Prop.classic",
        "Coq.Logic.Eqdep.Eq_rect_eq.eq_rect_eq",
        "Symcook.Coq.Logic.Classical_Prop.classic",
    ):
        assert foreign([name], allowed) == [name]


# --- The record ------------------------------------------------------------------------------------------------------


def theorem(name: str) -> str:
    return record.theorem_line(name, statements()[name].digest)


JUDGING = ("coq/Laws.v", "coq/Enclosures.v", "coq/Intermediate.v", "coq/Tree.v", "coq/Meaning.v", "coq/Model.v")
JUDGING += ("coq/Conditions.v", "proofs/checker.py", "statement.py", "models.py", "judge.py", "chk.py", "said.py")
OTHERS = ("symcook/coq/steps.py", "symcook/coq/ring.py", "proof/search/automation.py", "symcook/report/proof.py")


@pytest.mark.parametrize(("file", "judges"), [*((file, True) for file in JUDGING), *((file, False) for file in OTHERS)])
def test_an_edit_of_what_judges_makes_rows_stale_and_no_other(
    file: str, judges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = frozenset([theorem(LEMMA), record.model_line(MODEL)])
    monkeypatch.setattr(record, "stored", lambda: known)
    digest = statements()[LEMMA].digest
    assert record.stale([LEMMA]) == [] == record.stale_models([MODEL])
    assert record.coq_hash(LEMMA, digest) == digest
    original = Path.read_bytes
    found = [one for one in seals.judging("coq") if str(one).endswith((f"/{file}", f"/_{file}"))]  # as installed
    assert len(found) == judges

    def edited(self: Path) -> bytes:
        comment = b"(* a comment *)" if self.suffix == ".v" else b"# a comment"
        return original(self) + (comment if str(self).endswith((f"/{file}", f"/_{file}")) else b"")

    monkeypatch.setattr(Path, "read_bytes", edited)
    monkeypatch.setattr(seals, "judge_digest", seals.judge_digest.__wrapped__)
    assert record.stale([LEMMA]) == [LEMMA][:judges] and record.stale_models([MODEL]) == [MODEL][:judges]
    assert record.coq_hash(LEMMA, digest) == ("" if judges else digest)


def test_the_files_that_judge_are_those_by_hand_and_what_they_are_asked_with() -> None:
    """All files of Coq, and what the judge imports of this package but for what writes proofs."""
    named = seals.judging("coq")
    assert set((proofs_directory() / "coq").glob("*.v")) <= set(named) and all(path.is_file() for path in named)
    writers = {"reading", "ring", "shapes", "steps", "term", "layout", "equations"}  # Coq sees what they write
    for path in named:
        if path.suffix == ".py":
            imported = re.findall(r"^from symcook\.coq\.(\w+) import", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert {*imported} - writers <= {one.stem for one in named}, path


@pytest.mark.parametrize("changed", ["version", "axiom"])
def test_the_version_and_the_assumptions_are_looked_at(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = frozenset([theorem(LEMMA), *(f"axiom {name}" for name in CLASSICAL)])
    digest = statements()[LEMMA].digest
    monkeypatch.setattr(record, "stored", lambda: known)
    assert record.coq_hash(LEMMA, digest) == digest
    if changed == "version":
        monkeypatch.setattr(record, "VERSION", "8.20")
    else:
        monkeypatch.setattr(record, "stored", lambda: known | {"axiom Symcook.X.evil"})
    assert record.coq_hash(LEMMA, digest) == ""


def test_no_row_stands_by_itself_or_by_what_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (LEMMA, "lem.sum_ext", "lem.sum_split")
    digests = {name: statements()[name].digest for name in names}
    lemmas: dict[str, list[str]] = {}
    senses: dict[str, str] = {}
    monkeypatch.setattr(
        record, "certificate_of", lambda n: ("0" * 64, {one: digests[one] for one in lemmas.get(n, ())})
    )
    monkeypatch.setattr(record, "sense_of", lambda name: senses.get(name, "proved"))

    def shown(**more: Any) -> bool:
        known = frozenset(map(theorem, names))
        monkeypatch.setattr(record, "stored", lambda: known)
        return record.coq_hash(LEMMA, digests[LEMMA]) != ""

    lemmas[LEMMA] = ["lem.sum_ext", "lem.sum_split"]
    assert shown()
    lemmas["lem.sum_ext"] = ["lem.sum_split"]
    assert shown()
    lemmas["lem.sum_split"] = ["lem.sum_ext"]
    assert not shown()
    del lemmas["lem.sum_split"]
    senses["lem.sum_split"] = "refuted"
    assert not shown()
    senses = {LEMMA: "refuted"}
    assert shown()
    lemmas[LEMMA] = [LEMMA]
    assert not shown()


@pytest.mark.sweep
def test_the_samples_of_all_turns_have_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """All turns at once: what each certificate and model is as text, which is asked for its length, is made once."""
    sample, ids, models = (COMMAND.__globals__[one] for one in ("sample", "known_ids", "stored_models"))
    texts = {name: str(one) for name, one in certificates().items()}
    sizes = {name: str(COMMAND.__globals__["stored_model"](name)) for name in models()}
    monkeypatch.setitem(COMMAND.__globals__, "certificates", lambda: texts)
    monkeypatch.setitem(COMMAND.__globals__, "stored_model", sizes.__getitem__)
    *_, turns = sample(120, 0)
    drawn = [sample(120, turn) for turn in range(turns)]
    assert sorted(name for some, _, _ in drawn for name in some) == sorted(ids())  # each once
    assert sorted(name for _, some, _ in drawn for name in some) == sorted(models())
    assert sample(120, 3) == sample(120, 3 + turns)
    work = [sum(len(texts.get(name, "")) for name in some) for some, _, _ in drawn]
    assert turns > 30 and max(work) < 120 * 5_000 + 100_000  # none has two of the longest


# --- What a stranger reads -------------------------------------------------------------------------------------------


def test_what_has_to_be_read_is_as_long_as_the_notes_say() -> None:
    """Lines with text, of the files that notes/coq.md names."""
    notes = (PROOFS.parent / "notes" / "coq.md").read_text(encoding="utf-8")
    for name in ("Meaning", "Tree", "Conditions"):
        text = (PROOFS / "coq" / f"{name}.v").read_text(encoding="utf-8")
        lines = len([line for line in text.splitlines() if line.strip()])
        assert f"| `{name}.v` | {lines} |" in notes, (name, lines)


@needs_coqc
def test_coq_computes_d_and_h_as_the_checkers_do(honest: Path, tmp_path: Path) -> None:
    """The trees that Conditions.v gives, of claims of all kinds, in one file."""
    from symcook.coq.statement import IN_TREES, condition, shared_trees

    checker().Clock.start(600)
    lines = ["From Coq Require Import ZArith.", "From Symcook Require Import Tree Conditions.", IN_TREES]
    chosen = [name for name in sorted(certificates()) if statements()[name].claim]
    chosen.sort(key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    for number, name in enumerate(chosen[:60]):
        statement, refuted = statements()[name], certificates()[name]["sense"] == "refuted"
        parts = ("refutation",) if refuted else ("defined", "inhabited")
        trees = {"tree": statement.formula} | {part: statement.goal(part) for part in parts}
        extra = condition(name)
        trees |= {} if extra is None else {"nontrivial": extra}
        lines += [f"Module M{number}.", *shared_trees(trees)]
        more = {"inhabited": " None" if extra is None else " (Some nontrivial)"}
        for part in parts:
            says = f"Conditions.{part} tree{more.get(part, '')} = {part}"
            lines.append(f"Goal {says}. vm_cast_no_check (eq_refl {part}). Qed.")
        lines.append(f"End M{number}.")
    copy = tmp_path / "copy"
    shutil.copytree(honest, copy)
    (copy / "conditions.v").write_text("\n".join(lines) + "\n")
    accepted, message, _ = Judge(copy).run("conditions")
    assert accepted, message
