"""Coq as the judge: statements as they are read, trees and hashes, and what coqc accepts and refuses."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import site_pages
from accepted_by_coq import files_by_hand, needs_coqc, take_over
from coqfiles import misjudged
from proof.short import short_statements
from shared import call
from shared import refused as refuse
from test_judge import made_once as made_once  # a fixture

import symcook as sc
from symcook.coq import judge as judging
from symcook.coq import record
from symcook.coq.checker import certificates, checker, deep, statements
from symcook.coq.chk import VERSION
from symcook.coq.development import PRELUDE, Development, loaded
from symcook.coq.judge import Judge, fresh, judge, verdict
from symcook.coq.layout import laid_out
from symcook.coq.models import model_file
from symcook.coq.own import development_of
from symcook.coq.reading import definitions, definitions_text, parsed, statement_text
from symcook.coq.record import added, coq_hash, stale, stale_models
from symcook.coq.statement import lemmas_of, module_name, said_text, statement_part, with_lemmas
from symcook.errors import BadInput
from symcook.proof.audit import seals
from symcook.proof.files import proofs_directory
from symcook.proof.statements import certify

PROOFS = Path(__file__).parent.parent.parent / "proofs"

# a proof of each shape: sums by induction, a rewrite, squares; a refutation with D; a claim with D and H
SAMPLE = ("lem.square_le", "lem.sum_ext", "merrill2024.def6", "yang2026.lemma29.step", "cookbook.s9.2.dyck1_examples")


@cache
def development() -> Development:
    return Development(SAMPLE, alone=True)


def statement_file(name: str, data: Any = None) -> str:
    """What is said of a statement and what is proved of it, in one file, for a folder with the sample."""
    part, module = statement_part(name, data), module_name(name)
    said = f"Module {module}.\n{said_text(name)}\nEnd {module}."
    below = development().places(lemmas_of(name))
    return "\n".join([*loaded(part.files, below), said, part.lemmas, part.theorems])


# --- Without coqc ----------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_statements_are_read_as_a_person_would_write_them() -> None:
    assert statement_text("cookbook.s5.3.3.lh_gap") == (
        "forall (n m : Z) (g h : R), 2 <= n /\\ n < m /\\ leasthash g n /\\ leasthash h m -> h < g"
    )
    assert statement_text("lem.square_le") == "forall x y : R, 0 <= y -> x ^ 2 <= y ^ 2 -> x <= y"
    assert "Definition bracket (a : Z) : R :=\n  ind (a = 0) - ind (a = 1)." in definitions_text()
    assert (
        "Definition rhardmax (s : Z -> R) (n j : Z) : R :=\n"
        "  ind (maximal s n j /\\ (forall k : Z, 1 <= k <= n -> maximal s n k -> k <= j))."
    ) in definitions_text()


def test_no_definition_hides_a_name_of_the_forward_pass() -> None:
    """A stored model's file reads the definitions after Model.v."""
    text = (PROOFS / "coq" / "Model.v").read_text(encoding="utf-8")
    names = set(re.findall(r"^(?:Definition|Fixpoint|Inductive|Record|Lemma) (\w+)|^  (\w+) :", text, re.MULTILINE))
    ours = {one or two for one, two in names}
    assert {"stage", "after", "typed", "is_word"} <= ours
    assert not ours & set(re.findall(r"^(?:Definition|Fixpoint) (\w+)", definitions_text(), re.MULTILINE))


@pytest.mark.sweep
def test_a_long_statement_is_broken_where_it_falls_apart() -> None:
    assert laid_out(statement_text("merrill2024.lemma3"), 2) == (
        "forall (n : Z) (h : Z -> Z) (i : Z),\n"
        "    1 <= n\n"
        "    -> n < i\n"
        "    -> 1 <= h i <= n\n"
        "       <-> (forall c : Z,\n"
        "              1 <= c <= 4\n"
        "              -> sum 1 (i - 1) (fun j => hardmax (fun l : Z => inputscore 1 n h i l) (i - 1) j"
        " * inputkey n h j c)\n"
        "                 = inputkey n h i c)"
    )
    assert "ahatlayer (Q t) (K t) (V t) (W t) (b t)" in statement_text("yang2026.lemma25")
    for name in short_statements():  # nothing but white space changes
        assert laid_out(statement_text(name), 2).split() == statement_text(name).split()


@pytest.mark.sweep
def test_statements_have_a_text() -> None:
    for name in short_statements():
        text = statement_text(name)
        assert text.count("(") == text.count(")"), name


@pytest.mark.sweep
@pytest.mark.parametrize("name", SAMPLE)
def test_the_tree_in_a_file_has_the_hash_of_the_certificate(name: str) -> None:
    source = said_text(name)
    (line,) = re.findall(r"^Definition tree : json :=\n(.*)\n\.$", source, re.MULTILINE)
    assert hashlib.sha256(line.encode()).hexdigest() == certificates()[name]["statement"]
    assert certificates()[name]["statement"] in source.split("Module Reading")[0]


@pytest.mark.sweep
@pytest.mark.parametrize("name", SAMPLE)
def test_trees_with_names_are_those_of_what_is_proved(name: str) -> None:
    source = statement_part(name).theorems.partition("Module Trees.")[2].partition("End Trees.")[0]
    known: dict[str, str] = {}
    for one, text in re.findall(r"^Definition (\w+) : json :=\s(.*?)\n?\.$", source, re.MULTILINE):
        known[one] = re.sub(r"\bt[0-9]+\b", lambda found: known[found[0]], text)
    wanted = {"defined", "inhabited"} if statements()[name].claim else set()
    assert known.keys() >= ({"refutation"} if certificates()[name]["sense"] == "refuted" else wanted)
    for part in known.keys() & {"defined", "inhabited", "refutation"}:
        assert json.loads(known[part]) == json.loads(statements()[name].goal(part).text())


def test_no_file_admits_or_assumes() -> None:
    words = r"\b(Axioms?|Admitted|Parameters?|Conjecture|admit|Unset \w+ Checking|Declare ML|Redirect|Extraction)\b"
    for name in SAMPLE:
        assert not re.search(words, statement_file(name))
    root = Path(__file__).parent.parent.parent / "proofs" / "coq"
    for name in PRELUDE:
        source = re.sub(r"\(\*.*?\*\)", "", (root / f"{name}.v").read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(words, source)


REFUSED = {
    "model.first-position": "an id must have a stored proof; given: model.first-position, which is CHECKED.",
    "cookbook.s2.3.uniformity": "an id must have a stored proof; given: cookbook.s2.3.uniformity, which is OPEN.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_ids_without_a_proof_are_refused(name: str) -> None:
    with pytest.raises(BadInput) as error:
        with_lemmas([name])
    assert str(error.value) == REFUSED[name]


COMMAND = runpy.run_path(str(PROOFS / "coq.py"))["main"]


def test_what_the_command_refuses_is_one_sentence_and_exit_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def coq(*arguments: str) -> tuple[int, str, str]:
        code = COMMAND(arguments)
        return code, *capsys.readouterr()

    other = tmp_path / "bin"
    other.mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    target = str(tmp_path / "out")
    unknown = "the statement must be a known name; given: lem.square_leq; did you mean lem.square_le?\n"
    started = subprocess.run(
        [sys.executable, str(PROOFS / "coq.py"), "-o", target, "lem.square_leq"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (started.returncode, started.stdout, started.stderr) == (2, "", unknown)
    assert coq("-o", target, "model.first-position") == (2, "", REFUSED["model.first-position"] + "\n")
    for arguments, path, said in (
        (["-o", str(tmp_path / "mine"), "lem.square_le"], None, "the target must be empty, or a development"),
        (["-o", target, "lem.square_le", "--check"], other, "coqc must be installed, with Coquelicot and"),
        (
            ["-o", target, "lem.square_le", "--all"],
            None,
            "ids, --all, --changed or --sample must be given, and one of them",
        ),
        (["-o", target, "lem.square_le", "--record"], None, "--record must be used with --check"),
        (["-o", target, "--sample", "0"], None, "a sample must be a positive number of seconds; given: 0"),
    ):
        with monkeypatch.context() as patch:
            if path:
                patch.setenv("PATH", str(path))
            code, out, error = coq(*arguments)
        assert (code, out, error.count("\n")) == (2, "", 1), error
        assert error.startswith(said)
    (other / "coqc").write_text("#!/bin/sh\necho 8.20.0 5.1\n")
    (other / "coqc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{other}:/bin")
    code, _, error = coq("-o", target, "lem.square_le", "--check")
    assert (code, error.count("\n")) == (2, 1) and error.startswith("coqc must be of version 8.16; given: 8.20.0")


def test_lemmas_come_first() -> None:
    ids = with_lemmas(["cookbook.s5.3.3.lh_gap"])
    assert ids[-1] == "cookbook.s5.3.3.lh_gap"
    for place, name in enumerate(ids):
        assert set(certificates()[name]["lemmas"]) <= set(ids[:place])


def test_a_target_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    fresh(tmp_path / "new")
    fresh(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="the target must be empty"):
        fresh(tmp_path)
    with pytest.raises(BadInput, match="the target must be a folder"):
        fresh(tmp_path / "notes.txt")


def test_a_missing_coqc_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match=r"coqc must be installed.*apt-get install coq"):
        judging.coqc()


def test_another_version_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "coqc"
    other.write_text("#!/bin/sh\necho 8.20.0 5.1\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(BadInput, match=r"version 8\.16; given: 8\.20\.0"):
        judging.coqc()


CLASSIC, MACHINE = "Coq.Logic.Classical_Prop.classic", "Coq.Numbers.Cyclic.Int63.PrimInt63.add"


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[str]], None]:
    """Puts a record in the place of the stored one; none at first."""

    def put(lines: Iterable[str]) -> None:
        known = frozenset(lines)
        monkeypatch.setattr(record, "stored", lambda: known)

    put([])
    return put


def test_the_record_counts_only_for_the_certificate_of_today(
    recorded: Callable[[Iterable[str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = with_lemmas(["cookbook.s5.3.3.lh_gap"])
    today = {name: statements()[name].digest for name in ids}
    top, lemma = ids[-1], ids[0]
    assert lemma in certificates()[top]["lemmas"] or len(ids) > 2
    full = added(dict.fromkeys(ids, True), {}, [CLASSIC, "Coq.Logic.A"])
    assert record.named("axiom", frozenset(full)) == ("Coq.Logic.A", CLASSIC)
    full -= {"axiom Coq.Logic.A"}

    def shown(lines: Iterable[str]) -> str:
        recorded(lines)
        return coq_hash(top, today[top])

    def line(name: str, statement: str | None = None, **changed: str) -> str:
        """The line of another statement or certificate."""
        path = proofs_directory() / "certificates" / f"{name}.json"
        told = {"certificate": hashlib.sha256(path.read_bytes()).hexdigest(), "sense": "proved"} | changed
        parts = (seals.judge_digest("coq"), VERSION, statement or today[name], *told.values())
        return f"theorem {name} {seals.digest(*parts)}"

    def without(name: str) -> set[str]:
        return {one for one in full if not one.startswith(f"theorem {name} ")}

    assert line(top, certificates()[top]["statement"]) in full and shown(full) == today[top]
    for other in (
        without(top),  # never seen
        without(top) | {line(top, "0" * 64)},  # another statement
        without(top) | {line(top, certificate="0" * 64)},
        without(top) | {line(top, sense="refuted")},
        without(lemma) | {line(lemma, certificate="0" * 64)},
        without(lemma),
        set(),
    ):
        assert shown(other) == ""
    assert shown([*full, line(top, "0" * 64)]) == today[top]  # what another branch has recorded has no effect
    monkeypatch.setattr(seals, "judge_digest", lambda judge: "0" * 32)  # another meaning of trees, or another judge
    assert shown(full) == ""


def test_a_claim_about_a_model_counts_only_with_the_model_of_today(
    recorded: Callable[[Iterable[str]], None],
) -> None:
    name = "cookbook.s9.2.1.balance"
    digest = statements()[name].digest
    full = added(dict.fromkeys(with_lemmas([name]), True), {"dyck-1": True}, [])
    recorded(full)
    assert coq_hash(name, digest) == digest
    for model in (set(), {f"model dyck-1 {'0' * 32}"}):
        recorded({line for line in full if not line.startswith("model ")} | model)
        assert coq_hash(name, digest) == ""
        assert stale_models(["dyck-1"]) == ["dyck-1"]


def test_a_later_run_adds_to_the_record(
    recorded: Callable[[Iterable[str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["lem.sum_ext", "lem.square_le", "lem.sum_split"]

    def named(lines: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return record.named("theorem", frozenset(lines)), record.named("model", frozenset(lines))

    first = added(dict.fromkeys(names[:2], True), {"max": True, "min": True}, [CLASSIC])
    kept = {line for line in first if "lem.square_le" not in line}
    recorded(kept | {f"theorem {name} {'0' * 32}" for name in ("lem.square_le", "lem.no_more")})
    assert stale(names) == ["lem.square_le", "lem.sum_split"]
    second = added({"lem.sum_split": True}, {"max": False}, [MACHINE])
    assert named(second) == (("lem.sum_ext", "lem.sum_split"), ("min",))
    assert record.named("axiom", frozenset(second)) == (CLASSIC, MACHINE)
    recorded(second)
    assert named(added({"lem.sum_ext": False}, {}, []))[0] == ("lem.sum_split",)  # refused now
    with monkeypatch.context() as patch:
        patch.setattr(record, "VERSION", "8.20")
        assert named(added({"lem.sum_ext": True}, {}, []))[0] == ("lem.sum_ext",)  # another Coq
    monkeypatch.setattr(seals, "judge_digest", lambda judge: "0" * 32)
    assert stale(names) == names
    assert added({}, {}, []) == set()


@site_pages.drawn
def test_the_ledger_shows_what_coq_has_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = site_pages.load("ledger")
    seen, corrected = {"merrill2024.lemma3", "cookbook.s5.3.3.lh_gap"}, "merrill2024.lemma3.corrected"
    monkeypatch.setattr(ledger, "coq_hash", lambda name, digest: digest * (name in seen))
    for name in ("cookbook.s5.3.3.lh_gap", "merrill2024.lemma3"):
        assert ledger.judged(name) == statements()[name].digest == ledger.checked(name, "proof").coq
    assert ledger.judged(corrected) == "" == ledger.checked(corrected, "proof").coq  # the correction was not seen
    seen.add(corrected)
    assert ledger.checked(corrected, "proof").coq == statements()[corrected].digest


def test_a_stored_model_shows_its_matrices_and_its_run() -> None:
    source = model_file("dyck-1")
    assert 'words := [(0%Z, [("token", 1)]); (1%Z, [("token", -1)])]' in source
    assert 'Attention [(["token"], ["balance"], [[0]], [[0]], [[1]], future, alike average)].' in source
    assert 'Network ["balance"] ["error"] [[-1]] [0] [[1]] [0] relu_units.' in source
    assert "run_dyck_1 n w" in source
    norm = model_file("sign-norm")
    assert 'Definition sign_norm_norm : list string := ["x"; "y"].' in norm
    assert "Norm sign_norm_norm [1; 1] [0; 0] (0)" in norm
    assert "let x_ := stage (sign_norm n) n w given in" in norm  # x is a coordinate
    assert "run_sign_norm (deviation sign_norm_norm (0) (x_ 1%nat) i) (mean sign_norm_norm (x_ 1%nat) i)" in norm


def test_what_ci_has_checked_is_taken_over(tmp_path: Path) -> None:
    take_over(tmp_path / "none", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    left = tmp_path / "left"
    left.mkdir()
    rows = {file: {"stamp": file, "accepted": file != "Laws", "seconds": 1.0} for file in ("Meaning", "Laws", "lem_x")}
    (left / judging.RECORD).write_text(json.dumps(rows))
    for end in (".v", ".vo"):
        (left / f"Meaning{end}").touch()
    take_over(left, tmp_path / "new")
    fresh(tmp_path / "new")
    assert json.loads((tmp_path / "new" / judging.RECORD).read_text()) == {"Meaning": rows["Meaning"]}


# --- With coqc -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A development with the files by hand and the sample, each with its lemmas as axioms."""
    made_in = tmp_path_factory.mktemp("coq") / "development"
    files_by_hand(made_in)
    said: list[str] = []
    _, _, good = verdict(development(), made_in, said.append)
    assert good, said
    return made_in


def refused(folder: Path, module: str, source: str) -> str:
    """What coqc says where it refuses a file."""
    (folder / f"{module}.v").write_text(source)
    accepted, message, _ = Judge(folder).run(module)
    assert not accepted, f"coqc accepted {module}"
    return message


@needs_coqc
def test_coq_accepts_the_sample_and_takes_it_up_again(folder: Path) -> None:
    again = judge(development(), folder, print)
    assert sorted(again.accepted) == sorted(SAMPLE)


def generated(model: sc.Transformer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a certificate that closed forms generate; known to the translation as a stored one is."""
    proof = sc.derive(model).prove(120).proof
    assert proof.whole, proof.missing
    name = proof.statement.id
    with deep():
        known = checker().read_statements(certify.expanded(proof.statement, proof.certificate))
    monkeypatch.setitem(statements(), name, known[name])
    monkeypatch.setitem(certificates(), name, proof.certificate)
    monkeypatch.setitem(definitions().statements, name, parsed(proof.statement.text))
    return name


def majority() -> sc.Transformer:
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.readout("sign", "last", b.add(sc.head(value={"mean": "vote"}, mask="future")), weights=[1])
    return b.build("more-a")


GENERATED = {
    "a user's majority": majority,
    "predecessor-strict": lambda: sc.build("predecessor-strict"),
    "lookup-quadratic": lambda: sc.build("lookup-quadratic"),
    "first-position": lambda: sc.build("first-position"),
    "modulo 3": lambda: sc.build("modulo", m=3),
}


@needs_coqc
@pytest.mark.parametrize(
    "models", [("a user's majority", "first-position"), pytest.param([*GENERATED], marks=pytest.mark.campaign)], ids=len
)
def test_coq_accepts_certificates_that_closed_forms_generate(
    models: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one development, whose files Coq looks at together, the long one of modulo 3 in a file of its own; each is
    accepted or refused by itself."""
    names = [generated(GENERATED[one](), monkeypatch) for one in models]
    assert len({*names}) == len(models)
    said: list[str] = []
    found, _, good = verdict(Development(names, alone=True, together=True, models=[]), folder, said.append)
    assert good and sorted(found.accepted) == sorted(names), said


OTHERS = [
    ("[[-1]] [0] [[1]] [0] relu_units", "[[1]] [0] [[1]] [0] relu_units"),
    ('(1%Z, [("token", -1)])', '(1%Z, [("token", 1)])'),
    ("future, alike average)", "strict_future, alike average)"),
    ("typed := [0%Z; 1%Z]", "typed := [0%Z]"),
    ("before := None", "before := Some 1%Z"),
    ('all_zero ["total"; "balance"], at_last', 'all_zero ["total"], at_last'),
    ('all_zero ["total"; "balance"], at_last', 'all_zero ["total"; "balance"], at_first'),
    ('total i = (x 3%nat "total") i', 'total i = (x 2%nat "total") i'),  # that the relation has no other solution
]


@needs_coqc
def test_the_run_of_a_stored_model_satisfies_its_relation(folder: Path) -> None:
    found = judge(Development(["cookbook.s9.2.1.balance"], alone=True), folder, print)
    assert found.files["stored_dyck_1_proof"]["accepted"]


def with_models(folder: Path) -> Judge:
    """A judge in a folder where what stored models need is checked."""
    inspector = Judge(folder)
    inspector.check("Model", (PROOFS / "coq" / "Model.v").read_text(encoding="utf-8"))
    return inspector


@needs_coqc
def test_the_run_of_another_model_does_not(folder: Path) -> None:
    source = model_file("dyck-1")
    assert all(entry in source for entry, _ in OTHERS)
    with_models(folder)
    assert not misjudged(folder, [source], [source.replace(entry, other) for entry, other in OTHERS])


PARTS = [
    ("lookup-quadratic", "[0; 0; 2; 0; 0]", "[0; 0; 1; 0; 0]"),  # heads whose scores differ
    ("lookup-quadratic", "[0; 0; 2; 0; 0]", "[0; 1; 2; 0; 0]"),  # a weight that was 0
    ("lookup-quadratic", "everything, alike average)", "everything, alike (softmax 1 1))"),
    ("first", "softmax (sqrt 6 / 6) (1)", "softmax (sqrt 6 / 5) (1)"),
    ("predecessor", "future, alike rightmost)", "future, alike leftmost)"),
    ("sign-norm", "[1; 1] [0; 0] (0)", "[1; 2] [0; 0] (0)"),  # a layer norm
    ("sign-norm", "[1; 1] [0; 0] (0)", "[1; 1] [0; 0] (1)"),
]


@needs_coqc
def test_a_changed_head_or_norm_does_not_satisfy_the_relation(folder: Path) -> None:
    sources = {name: model_file(name) for name, *_ in PARTS}
    assert all(entry in sources[name] for name, entry, _ in PARTS)
    with_models(folder)
    assert not misjudged(folder, sources.values(), [sources[name].replace(*change, 1) for name, *change in PARTS])


@needs_coqc
@pytest.mark.parametrize(
    ("name", "changes", "theorem"),
    [
        # the lemmas hold of another model, but its equations are not those of the relation
        ("dyck-1", [('["error"] [[-1]]', '["error"] [[1]]'), ("relu (- a1 i)", "relu (a1 i)")], "dyck_1_runs"),
        ("sign-norm", [("[1; 1] [0; 0] (0)", "[2; 2] [0; 0] (0)"), ("a2 - a3", "2 * (a2 - a3)")], "sign_norm_runs"),
        # a statement that does not follow from the lemmas
        ("dyck-1", [('/\\ total i = (x 3%nat "total") i', '/\\ total i = (x 2%nat "total") i')], "dyck_1_only"),
        ("dyck-1", [("1 <= i <= n -> balance i =", "1 <= i -> balance i =")], "dyck_1_only"),
    ],
)
def test_lemmas_of_other_equations_do_not_make_the_theorem(
    folder: Path, name: str, changes: list[tuple[str, str]], theorem: str
) -> None:
    source = model_file(name)
    for entry, other in changes:
        assert entry in source
        source = source.replace(entry, other)  # the statement stands at the judge's place and before its proof
    before, proof = source.split(f"Theorem {theorem} ")
    with_models(folder)
    message = refused(folder, "other_model", f"{before}Theorem {theorem} {proof}")
    line = re.search(r'File "./other_model.v", line (\d+)', message)
    assert line and int(line[1]) > before.count("\n"), message  # the lemmas are accepted


@needs_coqc
@pytest.mark.parametrize("name", ["lem.square_le", "cookbook.s4.9.conditional", "merrill2024.def6"])
def test_a_damaged_certificate_is_refused(folder: Path, name: str) -> None:
    data = deepcopy(certificates()[name])
    coefficients = []

    def look(part: object) -> None:
        if isinstance(part, dict) and "c" in part:
            coefficients.append(part)
        for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            look(one)

    look(data)
    coefficients[-1]["c"] = "7/3"
    assert refused(folder, "damaged", statement_file(name, data))


@needs_coqc
def test_a_false_neighbour_by_hand_is_refused(folder: Path) -> None:
    source = statement_file("lem.square_le")
    assert "-> x <= y." in source
    assert refused(folder, "neighbour", source.replace("-> x <= y.", "-> x < y."))  # as it is read
    tree = '["<=",null,[["bound",[1,"Real"],[]],["bound",[0,"Real"],[]]]]]]]]]]'
    assert source.count(tree) == 1
    assert refused(folder, "neighbour", source.replace(tree, tree.replace('"<="', '"<"')))  # as it is hashed
    goal = re.search(r"^Theorem proof : .*$", source, re.MULTILINE)
    assert goal is not None
    weaker = goal[0][: goal[0].rindex("<=")] + "<" + goal[0][goal[0].rindex("<=") + 2 :]
    assert refused(folder, "neighbour", source.replace(goal[0], weaker))  # as it is proved


@needs_coqc
def test_the_tree_of_another_statement_is_refused(folder: Path) -> None:
    line = re.compile(r"^Definition tree : json :=\n(.*)\n\.$", re.MULTILINE)
    source, other = (statement_file(name) for name in SAMPLE[:2])
    assert refused(folder, "other", line.sub(lambda _: line.search(other)[0], source))


SENSELESS = [
    '["something",null,[]]',  # an unknown word
    '["<=",null,[["num",[1,1],[]],["fn","sine",[["num",[1,1],[]]]]]]',  # an unknown function
    '["all","Complex",[["true",null,[]]]]',  # an unknown sort
    '["=",null,[["bound",[0,"Int"],[]],["num",[0,1],[]]]]',  # a variable of no quantifier
    '["all","Int",[["=",null,[["bound",[-7,"Int"],[]],["bound",[0,"Int"],[]]]]]]',
    '["=",null,[["^",-3,[["num",[5,1],[]]]],["num",[1,1],[]]]]',  # a negative power
    '["=",null,[["num",[1,0],[]],["num",[0,1],[]]]]',  # a denominator that is not positive
]
TREE = """Module {name}.
Import Tree.Text.
Local Open Scope json_lists. Local Open Scope json_numbers. Local Open Scope json_strings.
Definition tree : json :=
{tree}
.
End {name}.
"""
GOAL = """Goal {theorem} {name}.tree.
Proof. {attempt} [intros [p z r]; cbv -[Rle Rlt IZR Rplus]; intuition (try lra; auto)]. {end}.
"""


@needs_coqc
def test_nothing_follows_from_a_tree_without_meaning(folder: Path) -> None:
    """What proves a tree that is true, and refutes one that is false, does neither to these. One file for all."""
    source = """From Coq Require Import Reals ZArith Lra.
From Symcook Require Import Meaning Tree.
Open Scope R_scope.
"""
    for name, tree, theorem in (("Right", '["true",null,[]]', "holds"), ("Wrong", '["false",null,[]]', "fails")):
        source += TREE.format(name=name, tree=tree) + GOAL.format(
            name=name, theorem=theorem, attempt="solve", end="Qed"
        )
    for number, tree in enumerate(SENSELESS):
        name = f"Senseless_{number}"
        source += TREE.format(name=name, tree=tree)
        for theorem in ("holds", "fails"):
            source += GOAL.format(name=name, theorem=theorem, attempt="Fail solve", end="Abort")
    (folder / "meaningless.v").write_text(source)
    accepted, message, _ = Judge(folder).run("meaningless")
    assert accepted, message
    weaker = source.replace("Fail solve", "solve", 1)  # one of them is proved after all
    assert refused(folder, "meaningless", weaker)


# --- Identities by computation, and lemmas that statements share -----------------------------------------------------

IDENTITY = """From Coq Require Import Reals ZArith.
From Symcook Require Import Laws Identities.
Open Scope R_scope.
"""
IDENTITIES = {  # one that holds, and its neighbour that does not
    "(x0 + x1) ^ 2 = ((x0 ^ 2) + (_2 * (x0 * x1))) + (x1 ^ 2)": "(x0 + x1) ^ 2 = ((x0 ^ 2) + (x0 * x1)) + (x1 ^ 2)",
    "(((IZR (-1)%Z) / _2) * (x0 - x1)) = ((_1 / _2) * x1) - (x0 * (_1 / _2))": (
        "(((IZR (-1)%Z) / _2) * (x0 - x1)) = ((_1 / _2) * x1) + (x0 * (_1 / _2))"
    ),
    "(- (- x1)) * (x0 ^ 0) = x1 ^ 1": "(- (- x1)) * (x0 ^ 0) = x0 ^ 1",
    "((_1 / _6) + (_1 / _3)) + (x0 - x0) = _2 / _4": "((_1 / _6) + (_1 / _3)) + (x0 - x1) = _2 / _4",
    "x0 = (_1 * x0) + _0": "x0 = (_1 * x1) + _0",
}


def identity(sides: str) -> str:
    return f"Goal forall x0 x1 : R, {sides}.\nProof. identity. Qed.\n"


@needs_coqc
def test_identities_that_hold_are_accepted_and_their_neighbours_are_not(folder: Path) -> None:
    (folder / "identities.v").write_text(IDENTITY + "".join(map(identity, IDENTITIES)))
    accepted, message, _ = Judge(folder).run("identities")
    assert accepted, message
    wrong = [identity(one).replace("Qed.", "Fail Qed. Abort.") for one in IDENTITIES.values()]
    (folder / "neighbours.v").write_text(IDENTITY + "".join(wrong))
    accepted, message, _ = Judge(folder).run("neighbours")
    assert accepted, message
    assert "Polynomials.same" in refused(folder, "neighbour", IDENTITY + identity(next(iter(IDENTITIES.values()))))
    assert "no polynomial" in refused(folder, "neighbour", IDENTITY + identity("exp x0 = exp x0"))


def test_statements_of_a_file_share_closed_lemmas() -> None:
    names = ["merrill2024.def6", "yang2026.lemma29.step"]
    development = Development(names, alone=True, together=True)
    ((file, group),) = development.groups.items()
    assert sorted(group) == sorted(names)
    lemmas = re.findall(r"^Lemma (?!\w+_tree )\w+ : (.*)\.$", development.text(file), re.MULTILINE)
    assert len(lemmas) == len(set(lemmas)) > 0
    alone = [re.findall(r"^Lemma \w+ : (.*)\.$", statement_part(name).lemmas, re.MULTILINE) for name in names]
    assert set(lemmas) == set().union(*alone)
    assert len(lemmas) < sum(map(len, alone))


# --- Enclosures by computation: values of erf from tables -----------------------------------------------------------

BOX = """From Coq Require Import Reals ZArith List.
From Symcook Require Import Meaning.
From Symcook Require Import Enclosures.
Import ListNotations Boxes.
Open Scope R_scope.
Goal forall x : R, 1 / 2 <= x -> x <= 3 -> {statement}.
Proof.
  intros x a b. refine (boxed 64 {strict} 1 [x] [(false, 0%nat, Div (Num 1) (Num 2)); (true, 0%nat, Num 3)]
    {term} {cases} (conj a (conj b I)) _).
  vm_cast_no_check (eq_refl true).
Qed.
"""
HOLD = {  # 0 < or <= a value, the value as Enclosures.v has it, and the cases
    "0 < erf 1 - 8427007 / 10000000": ("(Sub (Erf (Num 1)) (Div (Num 8427007) (Num 10000000)))", "Leaf"),
    "0 < 8427008 / 10000000 - erf 1": ("(Sub (Div (Num 8427008) (Num 10000000)) (Erf (Num 1)))", "Leaf"),
    "0 < erf (-1) + 8427008 / 10000000": ("(Add (Erf (Num (-1))) (Div (Num 8427008) (Num 10000000)))", "Leaf"),
    "0 < erf 6 - 999999 / 1000000": ("(Sub (Erf (Num 6)) (Div (Num 999999) (Num 1000000)))", "Leaf"),
    "0 <= erf 0": ("(Erf (Num 0))", "Leaf"),
    "0 < erf x - x / 3 + 1 / 20": (
        "(Add (Sub (Erf (Var 0)) (Div (Var 0) (Num 3))) (Div (Num 1) (Num 20)))",
        "(Split 0 (Num 1) Leaf (Split 0 (Num 2) Leaf Leaf))",
    ),
    "0 < Rmin x 1 - Rmax (1 / 4) (relu (- x))": (
        "(Sub (Min (Var 0) (Num 1)) (Max (Div (Num 1) (Num 4)) (Relu (Neg (Var 0)))))",
        "Leaf",
    ),
    "0 < / x + ln x - sqrt 2 + exp 1 - Rabs (- x) + PI": (
        "(Add (Sub (Add (Sub (Add (Inv (Var 0)) (Ln (Var 0))) (Sqrt (Num 2))) (Exp (Num 1))) (Abs (Neg (Var 0)))) Pi)",
        "Leaf",
    ),
}
FAIL = {
    "0 < erf 1 - 8427008 / 10000000": ("(Sub (Erf (Num 1)) (Div (Num 8427008) (Num 10000000)))", "Leaf"),
    "0 < 8427007 / 10000000 - erf 1": ("(Sub (Div (Num 8427007) (Num 10000000)) (Erf (Num 1)))", "Leaf"),
    "0 < erf (-1) + 8427007 / 10000000": ("(Add (Erf (Num (-1))) (Div (Num 8427007) (Num 10000000)))", "Leaf"),
    "0 < erf 6 - 1": ("(Sub (Erf (Num 6)) (Num 1))", "Leaf"),
    "0 < erf 0": ("(Erf (Num 0))", "Leaf"),
    "0 < erf x - x / 3": (  # at 3 it is less than 0
        "(Sub (Erf (Var 0)) (Div (Var 0) (Num 3)))",
        "(Split 0 (Num 1) Leaf (Split 0 (Num 2) Leaf Leaf))",
    ),
    "0 < Rmin x 1 - 1 / 2": ("(Sub (Min (Var 0) (Num 1)) (Div (Num 1) (Num 2)))", "Leaf"),
    "0 < erf x": ("(Erf (Num 1))", "Leaf"),  # the value is of something else
}


def box(statement: str, term: str, cases: str) -> str:
    return BOX.format(statement=statement, strict=str("0 < " in statement).lower(), term=term, cases=cases)


def compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A compiled formula with its certificate beside it."""
    file = tmp_path / "mine.json"
    assert call(capsys, "compile", "ltl", "Q_a since Q_b", "--alphabet", "a b", "-o", file, "--prove")[0] == 0
    return file


def test_the_certificate_of_a_model_is_written_for_coq(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files and what is to be done with them, also where Coq is missing; nothing where the weights are others."""
    file = compiled(tmp_path, capsys)
    certificate = json.loads((tmp_path / "mine.proof.json").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    code, out, err = call(capsys, "prove", file, "--coq")
    assert code == 2 and "coqc must be installed" in err and "make -j2 -C coq check" in out
    said = module_name(certificate["id"])
    (line,) = re.findall(r"^Definition tree : json :=\n(.*)\n\.$", Path("coq", f"{said}.v").read_text(), re.MULTILINE)
    assert hashlib.sha256(line.encode()).hexdigest() == certificate["statement"]
    assert f"{said}_proof.v" in Path("coq/_CoqProject").read_text() and Path("coq", f"{said}_proof.v").is_file()
    assert certificate["id"] not in {*statements(), *certificates(), *definitions().statements}
    shutil.rmtree("coq")
    assert "--json" in refuse(capsys, "prove", file, "--coq", "--json")
    model = json.loads(file.read_text())
    model["readout"]["weights"] = [["7"]]
    file.write_text(json.dumps(model))
    assert call(capsys, "prove", file, "--coq")[0] != 0 and not Path("coq").exists()
    Path("mine.proof.json").unlink()
    assert "prove a --statement" in refuse(capsys, "prove", file, "--coq")


@needs_coqc
def test_coq_accepts_the_certificate_of_a_compiled_model(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same, checked in a copy of the folder where the files by hand were; another statement is refused."""
    shutil.copytree(folder, tmp_path / "coq")
    compiled(tmp_path, capsys)
    certificate = json.loads((tmp_path / "mine.proof.json").read_text())
    text = (tmp_path / "mine.statement.txt").read_text()
    for source, wanted in ((text, True), (text.replace("I[w(i) = 0]", "I[w(i) = 1]"), False)):
        said: list[str] = []
        with development_of(certificate, source) as one:
            assert verdict(one, tmp_path / "coq", said.append)[2] == wanted, said


@pytest.fixture(scope="module")
def enclosing(folder: Path) -> Path:
    """The folder with what Enclosures.v needs, all accepted."""
    inspector = Judge(folder)
    for file in PRELUDE[: PRELUDE.index("Enclosures") + 1]:
        assert inspector.check(file, (PROOFS / "coq" / f"{file}.v").read_text(encoding="utf-8"))["accepted"]
    return folder


@needs_coqc
def test_enclosures_that_hold_are_accepted(enclosing: Path) -> None:
    files = [box(statement, *given) for statement, given in HOLD.items()]
    source = files[0] + "".join(file[file.index("Goal") :] for file in files[1:])
    (enclosing / "enclosures.v").write_text(source)
    accepted, message, _ = Judge(enclosing).run("enclosures")
    assert accepted, message


@needs_coqc
def test_enclosures_that_do_not_hold_are_refused(enclosing: Path) -> None:
    """The last one by cases that are too coarse."""
    coarse = "0 < erf x - x / 3 + 1 / 20"
    wrong = [*(box(statement, *given) for statement, given in FAIL.items()), box(coarse, HOLD[coarse][0], "Leaf")]
    assert not misjudged(enclosing, [box(coarse, *HOLD[coarse])], wrong)
