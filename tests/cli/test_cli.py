"""The command line's contract: JSON documents, exit codes, one-sentence errors, nearest names, completion."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import ROOT
from families import together
from proof import stored
from shared import call, document, refused

from symcook import claims
from symcook.proof import replay

EXAMPLES = ROOT / "examples"
SPEC = """
def majority(string):
    return string.count("a") > string.count("b")

def wrong(string):
    return len(string) < 3 and majority(string)

def raises(string):
    raise ValueError("no")

def leaves(string):
    raise SystemExit(7)

def number(string):
    return 3

def prints(string):
    print("noise")
    return majority(string)

constant = 3
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's own model and reference, saved as a user would."""
    import runpy

    runpy.run_path(str(EXAMPLES / "own_model.py"))["build"]().save(tmp_path / "mine.json")
    (tmp_path / "spec.py").write_text(SPEC)
    return tmp_path


# --- documents ---------------------------------------------------------------------------------------------------


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "list")
    assert {tuple(row) for row in rows} == {("name", "kind", "summary", "source", "section", "arguments", "symbols")}
    names = {row["name"] for row in rows}
    stable = (
        "identity zero min max add subtract scale gtzero gezero eqzero gtzero-input gezero-input eqzero-input boolean "
        "if cpwl cancel-residual clip round average prefix-average first-position lookup-quadratic dyck-1 "
        "dyck-1-nonuniform"
    )
    assert set(stable.split()) <= names
    code, out, _ = call(capsys, "list")
    assert code == 0
    assert all(name in out for name in names)
    titles = ("4  Feed-Forward Layers", "\u00a75.3.2", "\u00a78.2", "Chiang and Cholak 2022")
    places = [out.index(title) for title in titles]
    assert places == sorted(places)


def test_show_prints_the_model_file(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.model.modelfile import loads
    from symcook.recipes import build

    code, out, _ = call(capsys, "show", "dyck-1", "--json")
    assert code == 0
    assert loads(out) == build("dyck-1")
    code, out, _ = call(capsys, "show", "gtzero")
    assert code == 0
    assert "x <= 0 | eps <= x" in out
    assert "1/eps" in out


def test_show_with_settings_binds_them(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "show", "gtzero", "--set", "eps=1/7")
    assert "1/eps" not in out
    assert "-1/7" in out


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(capsys, "explain", "dyck-1-nonuniform", "--set", "N=8")
    assert facts["arguments"][0]["name"] == "N"
    assert "Section 9.2.1" in facts["source"]
    code, out, _ = call(capsys, "explain", "cpwl")
    assert code == 0
    assert "Cookbook" in out


@pytest.mark.parametrize(
    ("word", "accept"), [("(())", True), ("()", True), (")(", False), ("(", False), ("())(", False)]
)
def test_run_decides(capsys: pytest.CaptureFixture[str], word: str, accept: bool) -> None:
    for domain in ("exact", "ball", "float64"):
        answer = document(capsys, "run", "dyck-1", "--input", word, "--domain", domain)
        assert answer["accept"] is accept
        assert (answer["recipe"], answer["input"], answer["domain"]) == ("dyck-1", word, domain)
        assert set(answer["output"]) == {"total", "balance"}


def test_run_forms_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("run", "gtzero", "--set", "x=0.1", "--set", "eps=0.3")
    assert document(capsys, *given)["output"] == {"out": "1/3"}
    assert document(capsys, *given, "--domain", "float64")["output"]["out"] == pytest.approx(1 / 3)
    ball = document(capsys, *given, "--domain", "ball", "--digits", 50)["output"]["out"]
    assert ball["mid"].startswith("0." + "3" * 49)
    assert "accept" not in document(capsys, *given)


def test_run_rows_and_answers_by_position(capsys: pytest.CaptureFixture[str]) -> None:
    answer = document(capsys, "run", "prefix-average", "--rows", "1/2; 1; max(1, 3)")
    assert answer["outputs"] == ["1/2", "3/4", "3/2"]
    assert answer["output"] == {"mean": "3/2"}
    assert document(capsys, "run", "lookup-quadratic", "--rows", "2,10; 1,20")["outputs"] == ["20", "10"]


def test_run_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "run", "dyck-1", "--tokens", "( )")["accept"] is True


def test_logit_of_a_sign_readout(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "run", "dyck-1-nonuniform", "--input", "()")["output"]["logit"] == "1"


def test_derive(capsys: pytest.CaptureFixture[str]) -> None:
    answer = document(capsys, "derive", "identity")
    assert answer["output"] == {"out": "x"}
    answer = document(capsys, "derive", "dyck-1-nonuniform", "--input", "(())")
    assert answer["output"]["logit"] == "1"
    assert answer["accept"] is True
    assert answer["symbols"] == ["eps"]


def test_derive_by_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """Eq. (29): three cases, whose conditions exclude one another and together cover all x."""
    cases = document(capsys, "derive", "gtzero", "--cases")
    found = {case["output"]["out"]: case["conditions"] for case in cases}
    assert found == {"1": ["0 < x", "0 < -eps + x"], "x/eps": ["0 < x", "-eps + x <= 0"], "0": ["x <= 0"]}


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "check", "dyck-1", "--max-length", 8)
    assert (found["max_length"], found["strings"], found["mismatches"], found["counterexample"]) == (8, 510, 0, None)
    found = document(capsys, "check", "gtzero")
    assert found["max_length"] is None
    assert found["mismatches"] == 0
    assert found["strings"] > 10


def test_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    every = document(capsys, "lemmas")
    assert {row["kind"] for row in every} == {"axiom", "lemma"}
    stored = {path.stem for path in (ROOT / "proofs" / "certificates").glob("lem.*.json")}
    assert {f"lem.{row['name']}" for row in every if row["kind"] == "lemma"} == stored
    (square,) = document(capsys, "lemmas", "--search", "square_le")
    assert square == {
        "name": "square_le",
        "kind": "lemma",
        "statement": "all x:Real, y:Real. 0 <= y -> x^2 <= y^2 -> x <= y",
    }
    found = document(capsys, "lemmas", "--search", "HARDMAX(")
    assert found and all("hardmax(" in row["name"] + row["statement"] for row in found)
    code, out, _ = call(capsys, "lemmas", "--search", "square_le")
    assert (code, out.splitlines()[0]) == (0, "square_le (lemma)")
    assert call(capsys, "lemmas", "--search", "qqqqzzzz")[:2] == (0, "no lemma fits\n")
    assert str(len(every)) in call(capsys, "lemmas")[1]


@pytest.mark.sweep
def test_claims(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "claims")
    keys = ["id", "paper", "location", "kind", "statement", "status", "corrected", "assuming"]
    keys += ["lemmas", "gaps", "tried", "note", "slip", "same", "test", "reason"]
    keys += ["printed", "counterexample", "repair", "numbers", "objects", "error_type"]
    assert all(list(row) == keys for row in rows)
    folder = ROOT / "symcook" / "data" / "claims"
    ids = [line.split("\t")[0] for file in folder.glob("*.tsv") for line in file.read_text().splitlines()[1:]]
    assert sorted(row["id"] for row in rows) == sorted(ids)
    some = document(capsys, "claims", "--paper", "cookbook", "--search", "s4.7.gtzero")
    assert "cookbook.s4.7.gtzero" in {row["id"] for row in some}
    assert all("s4.7.gtzero" in row["id"] for row in some)
    assert call(capsys, "claims", "--search", "gtzero")[0] == 0
    assert document(capsys, "claims", "--search", "qqqqzzzz", code=1) == []
    assert call(capsys, "claims", "--search", "qqqqzzzz")[:2] == (1, "no claim fits\n")


def test_prove(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "prove", "cookbook.s4.7.gtzero")
    assert [row["status"] for row in rows] == ["PROVED"]
    keys = ["id", "status", "nodes", "lemmas", "named", "oracles", "certificate", "seconds"]
    assert list(rows[0])[: len(keys)] == keys  # the contract; more may follow
    assert document(capsys, "prove", "gtzero")
    assert call(capsys, "prove", "lem.sum_one")[0] == 0


@pytest.mark.sweep
def test_prove_all(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says of every stored proof what the replay said of it; as documents, which ask what each leaves
    unasked and so take long, of those of one paper."""
    verdicts = stored.verdicts()
    monkeypatch.setattr(replay, "replay", lambda names, *_: [verdicts[name] for name in names])
    rows = {row["id"]: row["status"] for row in document(capsys, "prove", "--paper", "merrill2024")}
    wanted = {name: one.status for name, one in verdicts.items() if name.startswith("merrill2024.")}
    assert rows == wanted and len(rows) > 20
    code, out, _ = call(capsys, "prove", "--all")
    assert (code, out.splitlines()[-1]) == (0, f"{len(verdicts)} of {len(verdicts)} stored proofs reproduced")
    monkeypatch.setitem(verdicts, "lem.sum_one", replace(verdicts["lem.sum_one"], status="OPEN", reason="changed"))
    assert call(capsys, "prove", "--all")[0] == 1


@pytest.mark.sweep
def test_many_claims_are_counted_and_say_how_to_see_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook import claims

    assert "To see all of them: --json" in call(capsys, "claims")[1]
    rows = [replace(row, note=claims._STALE) for row in claims.select("cookbook", None, "s4.4.min")]
    monkeypatch.setattr(claims, "select", lambda *_: rows)
    code, out, err = call(capsys, "claims")
    assert f"{len(rows)} stale.\nTo replay all proofs: symcook claims --recompute" in out
    assert code == 1 and err == "symcook: stale: cookbook.s4.4.min\n"
    assert isinstance(document(capsys, "claims", code=1), list)


def test_progress_shows_the_time_while_nothing_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from symcook.cli import output

    class Told(output.Progress):
        def draw(self, text: str) -> None:
            said.append(text)

    said: list[str] = []
    before = threading.active_count()
    with Told("quick"):
        pass
    assert said == [] and capsys.readouterr().err == ""
    with Told("slow") as progress:
        progress(1, 3)
        end = time.monotonic() + 60  # after a second, or later where a machine is busy
        while len(said) < 2 and time.monotonic() < end:
            time.sleep(0.05)
    assert said[0] == "1 of 3" and said[1].endswith(" s")
    assert threading.active_count() == before


def test_long_latex_shows_progress_where_it_goes_to_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook.cli import prove

    seen = []

    class Seen:
        def __init__(self, what: str) -> None:
            self.what = what

        def __call__(self, done: object, total: object = None) -> None:
            seen.append((self.what, done, total))

        def __enter__(self) -> object:
            return self

        def __exit__(self, *_: object) -> None:
            seen.append((self.what, "closed", None))

    monkeypatch.setattr(prove, "Progress", Seen)
    assert call(capsys, "prove", "lem.sum_one", "lem.sum_mono", "--latex")[0] == 0
    assert seen[-3:] == [("writing", 1, 2), ("writing", 2, 2), ("writing", "closed", None)]


def test_a_claim_without_a_proof_is_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", "yang2026.s6.conjecture")
    assert (code, "no stored proof" in out) == (1, True)


def test_a_ledger_that_claims_a_proof_which_is_not_stored_is_not_repeated(capsys, monkeypatch) -> None:
    row = replace(claims.ledger(names=["yang2026.s6.conjecture"])[0], status="PROVED")
    monkeypatch.setattr(claims, "ledger", lambda **_: [row])
    code, out, _ = call(capsys, "prove", "yang2026.s6.conjecture")
    assert (code, out.split()[0]) == (1, "OPEN")
    assert "no stored proof, though the ledger says PROVED" in " ".join(out.split())


def test_bound(capsys: pytest.CaptureFixture[str]) -> None:
    answer = document(capsys, "bound", "softmax-hardmax", "--n", 64, "--gamma", 5, "--digits", 50)
    assert answer["holds"] is True
    assert answer["claimed"]["mid"].startswith("0.8624572158829397883694141981629983038527")  # 128 e^-5 by bc -l
    ties = document(capsys, "bound", "softmax-hardmax", "--n", 2, "--gamma", "log(8*2)", "--ties")
    assert set(ties) >= {"kind", "parameters", "value", "claimed", "holds"}


def test_tour(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "tour")
    assert (code, err) == (0, "")
    for part in ("balance", "accept", "reject", "8190 inputs of 8190", "What to try next"):
        assert part in out
    assert "\x1b" not in out
    tour = document(capsys, "tour")
    assert tour["stream"]["coordinates"]["balance"] == ["1", "1", "1/3", "0"]


def test_alone_it_prints_three_things(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys)
    assert code == 0
    assert len([line for line in out.splitlines() if line.startswith("  symcook ")]) == 3
    assert call(capsys, "--version")[1].startswith("symcook 0.")
    from symcook.cli.commands import COMMANDS

    code, out, _ = call(capsys, "--help")
    assert all(f"\n  {name} " in out for name in COMMANDS)


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.cli.commands import COMMANDS

    for name in COMMANDS:
        code, out, err = call(capsys, name, "--help")
        assert (code, err) == (0, "")
        assert f"symcook {name}" in out
        assert "--json" in out


@pytest.mark.sweep
def test_the_examples_in_the_help_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook.cli.commands import COMMANDS

    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "brackets", tmp_path / "my-gpt2")  # which the example of `import` reads
    for name in [one for one in COMMANDS if one not in ("tour", "list", "completion")]:  # export before what reads it
        _, out, _ = call(capsys, name, "--help")
        line = out.partition("For example:")[2].partition("\n\n")[0].strip()
        program, *arguments = shlex.split(line)
        assert (program, arguments[0]) == ("symcook", name)
        assert call(capsys, *arguments)[0] == 0, line


@together(
    ("line", "said"),
    [
        (["run", "dyck-1", "--input"], "see symcook run --help."),
        (["run", "dyck-1", "--input", " "], "given: white space."),
        (["bound", "softmax-hardmax", "--gamma", "1", "--n", ""], "given: nothing;"),
        (["run", "", "--input", "()"], "given: nothing;"),
        (["claims", "cookbook.s4.4.mim"], "did you mean cookbook.s4.4.min?"),
        (["list", "x", "y"], "symcook list must have no further argument; given: y; see symcook list --help."),
        (
            ["run", "dyck-1", "(())"],
            "symcook run must have no further argument; given: (()); give a string with --input.",
        ),
        (["claims", "--status", "provd"], "did you mean PROVED?"),
        (["run", "DYCK-1", "--input", "()"], "did you mean dyck-1?"),
    ],
)
def test_what_was_given_and_what_to_do(capsys: pytest.CaptureFixture[str], line: list[str], said: str) -> None:
    assert said in refused(capsys, *line)


def test_no_command_names_an_option_that_it_lacks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.parts import Head, Layer, SelfAttention
    from symcook.model.transformer import Parameter, Transformer

    def model(value: object, **options: object) -> Transformer:
        embedding = Embedding(Space(("v", "m")), words={"a": {"v": value}, "b": {}})
        head = Head(("v",), ("m",), [[1]], [[1]], [[1]], **options)
        symbols = (Parameter("tau", lower=0),) if options else ()
        return Transformer(
            "m", embedding, (Layer(SelfAttention((head,))),), Readout("sign", "last", ("m",), [1]), symbols
        )

    monkeypatch.chdir(tmp_path)
    model("log(2)").save("root.json")
    model(1, weighting="softmax", temperature="tau").save("soft.json")
    Path("spec.py").write_text("def yes(word):\n    return True\n")
    check = ("--max-length", "2", "--spec", "spec.py:yes")
    sentence = refused(capsys, "check", "root.json", *check, "--domain", "exact")
    assert "use --domain ball (rigorous intervals)." in sentence
    code, out, _ = call(capsys, "check", "root.json", *check)
    assert code == 1  # the word b gives 0, and the reference says yes
    assert "rigorous intervals, not exact numbers: numbers must be rational" in out
    assert call(capsys, "export", "root.json", "-o", "m.npz")[0] == 0  # compared with balls
    assert json.loads(Path("m.certificate.json").read_text())["greatest_length"] == 7  # 254 of at most 300 inputs
    assert "give --set tau=VALUE with 0 < tau." in refused(capsys, "check", "soft.json", *check)


# --- a user's own model --------------------------------------------------------------------------------------------


def test_own_model_through_every_command(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    file = mine / "mine.json"
    assert "majority" in call(capsys, "show", file)[1]
    said = call(capsys, "explain", file)[1]
    assert "majority" in said and "mask causal, weighting average: reads " in said and "adds to mean" in said
    assert "Readout: accept iff logit > 0 at the last position, with logit = mean" in said
    assert document(capsys, "derive", file, "--input", "aab")["recipe"] == "majority"
    assert document(capsys, "run", file, "--input", "aab")["output"] == {"mean": "1/3", "logit": "1/3"}
    assert document(capsys, "run", file, "--input", "abc")["accept"] is False
    found = document(capsys, "check", file, "--max-length", 6, "--spec", f"{EXAMPLES}/own_model.py:majority")
    assert (found["strings"], found["mismatches"]) == (3 + 9 + 27 + 81 + 243 + 729, 0)
    assert call(capsys, "export", file, "--format", "npz", "-o", mine / "m.npz")[0] == 0
    assert json.loads((mine / "m.certificate.json").read_text())["greatest_length"] >= 10


def test_a_wrong_model_is_refuted_by_the_smallest_counterexample(
    capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    spec = f"{mine}/spec.py:wrong"
    found = document(capsys, "check", mine / "mine.json", "--max-length", 5, "--spec", spec, code=1)
    words = (word for n in (3, 4, 5) for word in itertools.product("abc", repeat=n))
    assert found["mismatches"] == sum(word.count("a") > word.count("b") for word in words)
    assert found["counterexample"] == "aaa"
    code, out, _ = call(capsys, "check", mine / "mine.json", "--max-length", 5, "--spec", spec)
    assert code == 1
    assert "smallest counterexample: aaa" in out
    replay = out.split("replay: symcook ")[1].strip()
    import shlex

    assert document(capsys, *shlex.split(replay))["accept"] is True


def test_what_a_reference_prints_stays_out_of_the_document(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    spec = f"{mine}/spec.py:prints"
    assert document(capsys, "check", mine / "mine.json", "--max-length", 2, "--spec", spec)["mismatches"] == 0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("spec.py:raises", "ValueError"),
        ("spec.py:leaves", "SystemExit"),
        ("spec.py:number", "True or False"),
        ("spec.py:majorty", "did you mean majority?"),
        ("spec.py:constant", "must be a function"),
        ("nothere.py:f", "must exist"),
        ("spec.py", "FILE.py:FUNCTION"),
        ("broken.py:f", "SyntaxError"),
        ("mine.json:f", "must be Python"),
    ],
)
def test_bad_references(capsys: pytest.CaptureFixture[str], mine: Path, spec: str, said: str) -> None:
    (mine / "broken.py").write_text("def f(:\n")
    file = str(mine / "mine.json")
    assert said in refused(capsys, "check", file, "--max-length", 3, "--spec", f"{mine}/{spec}")


# --- bad input: one sentence, exit 2 -------------------------------------------------------------------------------

BAD = [
    # names
    ("run dyk-1 --input ()", "did you mean dyck-1?"),
    ("show gtzer", "did you mean gtzero?"),
    ("lst", "did you mean list?"),
    ("run dyck-1 --inptu ()", "did you mean --input?"),
    ("run dyck-1 --input () --domain exat", "did you mean exact?"),
    ("run gtzero --set x=1 --set epsilom=1", "did you mean"),
    ("prove cookbook.s4.7.gtzeroo", "did you mean cookbook.s4.7.gtzero?"),
    ("claims --paper cookbok", "did you mean cookbook?"),
    ("claims --status PROVD", "did you mean PROVED?"),
    ("bound softmax-hardma --n 2 --gamma 1", "did you mean softmax-hardmax?"),
    ("completion bsh", "did you mean bash?"),
    ("export dyck-1 --format npy -o m.npz", "did you mean npz?"),
    ("export dyck-1 --dtype float46 -o m.npz", "did you mean float64?"),
    ("run dyck-1 --input () --trail", "--tra"),
    ("run dyck-1 --input () --domain mpmth", "did you mean mpmath?"),
    ("run dyck-1 --input () --domain mpmath --bits 0", "from 1"),
    ("derive dyck-1 --length 4", "--length"),
    ("check dyck-1 --max-length 3 --threads 2", "--threads"),
    ("prove --all --trus", "did you mean --trust?"),
    ("settle dyck-1", "settle"),
    # inputs
    (["run", "dyck-1", "--input", ""], "at least one symbol"),
    (["run", "dyck-1", "--tokens", "  "], "at least one symbol"),
    ("run dyck-1 --input (]", "alphabet"),
    ("run dyck-1 --input (\u202e", "alphabet"),
    ("run dyck-1", "--input"),
    ("run dyck-1 --input () --tokens ()", "--input and --tokens"),
    ("run dyck-1 --rows 1", "must be given a string"),
    ("run average --input ab", "--rows"),
    ("run average", "--rows"),
    ("run average --set x=1", "--rows"),
    (["run", "average", "--rows", "1;;2"], "empty row"),
    (["run", "average", "--rows", ""], "empty row"),
    (["run", "lookup-quadratic", "--rows", "1,2; 3"], "2 values"),
    (["run", "average", "--rows", "1; y"], "numbers"),
    ("run add --set x=1", "--set y=VALUE"),
    ("run add", "--set x=VALUE"),
    ("run add --set x=1 --set y=z", "numbers"),
    ("run dyck-1-nonuniform --set N=3 --input (())", "at most 3"),
    # symbols and arguments
    ("run gtzero --set x=1", "--set eps=VALUE"),
    ("run dyck-1 --input () --set eps=1", "has no argument"),
    ("run gtzero --set x=1 --set eps=0", "0 < eps"),
    ("run gtzero --set x=1 --set eps=-1/2", "0 < eps"),
    ("run dyck-1-nonuniform --input () --set eps=1", "eps <= 1/4096"),
    ("show gtzero --set eps=0", "0 < eps"),
    ("run dyck-1-nonuniform --input () --set N=0", "N must be"),
    ("run dyck-1-nonuniform --input () --set N=1.5", "N must be an integer"),
    ("run gtzero --set x=1/0 --set eps=1", "zero"),
    ("run gtzero --set x=1e5.5 --set eps=1", "given"),
    (["run", "gtzero", "--set", "x=__import__('os')", "--set", "eps=1"], "symcook"),
    ("run gtzero --set x=((9^9999)^9999)^9999 --set eps=1", "symcook"),
    ("run gtzero --set x=1 --set x=2 --set eps=1", "once"),
    ("run gtzero --set x", "NAME=VALUE"),
    ("run gtzero --set =1", "NAME=VALUE"),
    ("run gtzero --set x=", "x=VALUE"),
    ("run boolean --set table=012 --set x=1", "2^m bits"),
    ("check gtzero --set x=1", "inputs"),
    # digits, also where they are ignored
    ("run dyck-1 --input () --digits 0", "digits"),
    ("run dyck-1 --input () --digits -3", "digits"),
    ("run dyck-1 --input () --domain ball --digits 0", "digits"),
    ("run dyck-1 --input () --domain float64 --digits -1", "digits"),
    ("run dyck-1 --input () --digits many", "digits"),
    ("run dyck-1 --input () --digits 1_0", "digits"),
    ("bound softmax-hardmax --n 2 --gamma 1 --digits 0", "digits"),
    # bounds
    ("bound softmax-hardmax --n 0 --gamma 1", "at least 1"),
    ("bound softmax-hardmax --n 2 --gamma 0", "positive"),
    ("bound softmax-hardmax --n 2 --gamma -1", "positive"),
    ("bound softmax-hardmax --n 2 --gamma foo(1)", "foo"),
    ("bound softmax-hardmax --n 2", "--gamma"),
    ("bound", "KIND"),
    ("bound softmax-hardmax --n 10^5 --gamma 1", "write the integer in digits"),
    (f"bound softmax-hardmax --n 1{'0' * 4250} --gamma 1", "below 2^14000"),
    (["bound", "softmax-hardmax", "--n", "2", "--gamma", ""], "gamma must be a number"),
    ("bound softmax --scores 1,,2", "each score must be a number"),
    ("bound softmax --scores 1,nan", "each score must be a number without names; given: nan"),
    ("bound softmax --scores sqrt(2),1", "each score must be rational"),
    (["bound", "softmax", "--scores", "j^", "--n", "3"], "an expression in j and n"),
    ("bound tie-break --tie-break --variant a --gamma 1 --n 5", "given: --tie-break; leave this option out"),
    ("bound softmax-hardmax --n 5 --over gama=1:2 --plot p", "did you mean gamma?"),
    # lengths
    ("check dyck-1", "--max-length"),
    ("check dyck-1 --max-length 0", "from 1"),
    ("check dyck-1 --max-length 2000000", "from 1 to 1,000,000"),
    ("check gtzero --max-length 3", "--max-length must not be given"),
    ("check dyck-1-nonuniform --max-length 9 --set N=4", "at most 4"),
    ("derive tie-break", "--rows"),
    # options without a value, arguments too many or too few
    ("run dyck-1 --input", "must have a value"),
    ("run dyck-1 --input --json", "must have a value"),
    ("run dyck-1 --input () --digits", "must have a value"),
    ("run", "NAME"),
    ("run dyck-1 extra --input ()", "extra"),
    ("list some extra", "extra"),
    ("list --json=1", "must not have a value"),
    ("prove", "one of them; given: none; see symcook prove --help"),
    ("prove --all --paper cookbook", "given: --paper and --all; leave out the others"),
    ("prove dyck-1 --all", "given: ids and --all"),
    ("claims lem.sum_one", "see symcook prove lem.sum_one"),
    ("claims dyck-1", "see symcook prove dyck-1"),
    (["claims", "--search", " "], "empty"),
    # files
    ("show nothere.json", "nothere.json"),
    ("export dyck-1", "-o"),
    ("export dyck-1 -o m.txt", ".npz"),
    ("export dyck-1 -o nowhere/m.npz", "folder"),
    ("export dyck-1 -o .npz", ".npz"),
    ("export gtzero -o m.npz", "--set eps=VALUE"),
    ("export gtzero -o m.npz --set eps=1 --max-length 3", "--max-length"),
    ("export dyck-1 -o m.npz --max-length 0", "from 1"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=[str(a) for a, _ in BAD])
def test_bad_input(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str | list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = arguments.split() if isinstance(arguments, str) else arguments
    assert said in refused(capsys, *words)
    assert list(tmp_path.iterdir()) == []


def hostile(name: str) -> str:
    """A model file that must be refused."""
    from symcook.model.modelfile import dumps
    from symcook.recipes import build

    text = dumps(build("dyck-1"))
    return {
        "truncated": text[: len(text) // 2],
        "empty": "",
        "not an object": "[]",
        "another version": json.dumps({**json.loads(text), "format": "symcook model 999", "version": 999}),
        "nested": "[" * 10_000 + "]" * 10_000,
        "nested expression": text.replace('"-1"', '"' + "(" * 10_000 + "1" + ")" * 10_000 + '"'),
        "huge number": text.replace('"-1"', '"9^9^9^9"'),
        "huge digits": text.replace('"-1"', '"' + "9" * 100_000 + '"'),
        "code": text.replace('"-1"', "\"__import__('os').system('touch owned')\""),
        "a float": text.replace('"-1"', "-1.5"),
    }[name]


@pytest.mark.parametrize(
    "name",
    [
        "truncated",
        "empty",
        "not an object",
        "another version",
        "nested",
        "nested expression",
        "huge number",
        "huge digits",
        "code",
        "a float",
    ],
)
def test_hostile_model_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text(hostile(name))
    refused(capsys, "run", "bad.json", "--input", "()")
    assert [p.name for p in tmp_path.iterdir()] == ["bad.json"]


def test_a_binary_model_file_and_a_folder_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(bytes(range(256)))
    (tmp_path / "folder.json").mkdir()
    refused(capsys, "show", tmp_path / "bad.json")
    refused(capsys, "show", tmp_path / "folder.json")


# --- other exit codes ----------------------------------------------------------------------------------------------


def test_an_undecided_ball_is_exit_3(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two softmax weights that are equal but written differently: no precision separates them from equality."""
    from symcook.domains import ball
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.parts import Head, Layer
    from symcook.model.transformer import Transformer

    monkeypatch.setattr(ball, "LIMIT_BITS", 256)
    space = Space(("one", "mean", "part"))
    half = Head(("one",), ("mean",), Q=[[0]], K=[[0]], V=[["sqrt(2)"]])
    other = Head(("one",), ("part",), Q=[[0]], K=[[0]], V=[["sqrt(8)"]])
    model = Transformer(
        "equal", Embedding(space, words={"a": {"one": 1}}), (Layer(half), Layer(other)),
        Readout("sign", "last", ("mean", "part"), weights=[[2, -1]]),
    )  # fmt: skip
    model.save(tmp_path / "equal.json")
    answer = document(capsys, "run", tmp_path / "equal.json", "--input", "aa", "--domain", "ball", code=3)
    assert answer["accept"] is None
    code, out, err = call(capsys, "run", tmp_path / "equal.json", "--input", "aa", "--domain", "ball")
    assert code == 3
    assert "undecided" in out
    assert err.startswith("symcook: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), MemoryError(), RecursionError("deep"), KeyError("k")])
def test_a_defect_is_exit_4(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    import symcook.run

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(symcook.run, "run", broken)
    code, out, err = call(capsys, "run", "dyck-1", "--input", "()")
    assert (code, out) == (4, "")
    assert "please report" in err
    assert err.count("\n") == 1
    for arguments in (["--debug", "run", "dyck-1"], ["run", "--debug", "dyck-1"]):
        code, _, err = call(capsys, *arguments, "--input", "()")
        assert code == 4
        assert "Traceback" in err


def test_debug_is_an_ordinary_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "run", "dyck-1", "--input", "()", "--debug")[0] == 0


def test_a_key_press_is_exit_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import symcook.run

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(symcook.run, "run", interrupted)
    assert call(capsys, "run", "dyck-1", "--input", "()") == (130, "", "symcook: interrupted\n")


@pytest.mark.sweep
def test_ctrl_c_stops_a_long_check_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text("def f(string):\n    open('begun', 'w').close()\n    return 'a' == ''\n")
    command = [sys.executable, "-m", "symcook", "check", "dyck-1", "--max-length", "30", "--spec", "spec.py:f"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    for _ in range(1000):
        if (tmp_path / "begun").exists():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "symcook: interrupted"
    assert "Traceback" not in err


def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "symcook", "list", "--json"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_terminal_without_unicode_gets_escapes() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "symcook", "list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii() and "\\xa7" in done.stdout


# --- completion ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    code, out, err = call(capsys, "completion", shell)
    assert (code, err) == (0, "")
    assert "_SYMCOOK_COMPLETE" in out


COMPLETED = [
    ("symcook ch", "check"),
    ("symcook run dyck-1-n", "dyck-1-nonuniform"),
    ("symcook run --dom", "--domain"),
    ("symcook run --domain flo", "float64"),
    ("symcook completion z", "zsh"),
    ("symcook prove cookbook.s5.7.l", "cookbook.s5.7.lemma5.3"),
    ("symcook prove dyck-1-n", "dyck-1-nonuniform"),
    ("symcook prove --paper co", "cookbook"),
    ("symcook claims --status PR", "PROVED"),
    ("symcook claims --paper y", "yang2026"),
]


def test_completions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for line, found in COMPLETED:
        words = line.split()
        monkeypatch.setenv("_SYMCOOK_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        _, out, err = call(capsys)
        assert f"plain,{found}" in out.split(), line
        assert err == "", line


def test_a_completion_as_a_shell_asks_for_it() -> None:
    asked = {"_SYMCOOK_COMPLETE": "bash_complete", "COMP_WORDS": "symcook ch", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "symcook"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["plain,check"], "")
