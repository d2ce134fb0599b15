"""``symcook prove MODEL --statement``: its options, its answers, its exit codes."""

import json
import re
import time

import pytest
from test_own_words import MODELS, mean

import symcook as sc
from symcook.__main__ import main
from symcook.alarm import Until
from symcook.model import modelfile
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs, WordsSpent


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("votes", "equal with CLS"):
        model = MODELS[name]()
        (tmp_path / f"{model.name}.json").write_text(modelfile.dumps(model), encoding="utf-8")
    return tmp_path


def said(capsys, *words: str) -> tuple[int, str, str]:
    code = main(["prove", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_a_false_sentence(home, capsys):
    code, out, _ = said(capsys, "equal.json", "--statement", "accept <-> count(a) < count(b)")
    assert code == 1 and out.startswith("REFUTED  accept <-> count(a) < count(b)\nFalse of     the empty string\n")
    code, out, _ = said(capsys, "votes.json", "--statement", "count(a) <= 1", "--json")
    document = json.loads(out)
    assert (code, document["status"], document["word"], document["tried"]) == (1, "REFUTED", ["a", "a"], 1)


@pytest.mark.sweep
def test_what_is_true_so_far_says_to_which_length(home, capsys):
    """The automation knows no induction: a telescoping sum stays open."""
    telescope = "sum(j, 1, n, 1/(j*(j + 1))) = n/(n + 1)"
    code, out, err = said(capsys, "votes.json", "--statement", telescope)
    assert code == 3 and not err and len(out.splitlines()) <= 6
    assert re.match(r"OPEN  sum.*  \(true of all strings with at most [0-9]+ positions\)\n", out)
    assert "\nNext         write intermediate steps" in out and "from:" not in out
    code, out, _ = said(capsys, "votes.json", "--statement", telescope, "--explain")
    assert code == 3 and "the automation found no proof" in out and "automata and counts" in out and "from:" in out


@pytest.mark.sweep
def test_a_statement_of_pages_is_cut_and_stands_whole_beside_it(home, capsys):
    """Of a trained model it has ten thousand characters and more."""
    words = "ab"
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    for k in range(40):
        b.add(sc.feedforward({f"y{k}": f"relu(x + {k})"}))
    b.readout("sign", "last", "y0", weights=[1])
    b.build("wide").save(home / "wide.json")
    code, out, _ = said(capsys, "wide.json", "--statement", "accept")
    line = next(one for one in out.splitlines() if one.startswith("Statement"))
    assert code == 1 and "False of     b" in out and words
    assert len(line) < 2200 and line.endswith("characters in wide.statement.txt") and " ... " in line
    code, out, _ = said(capsys, "wide.json", "--statement", "accept", "--force", "--json")
    assert "y39" in (home / "wide.statement.txt").read_text(encoding="utf-8")


@pytest.mark.sweep
def test_symbols_take_values(home, capsys):
    sc.build("parity").save(home / "free.json")
    code, out, _ = said(capsys, "free.json", "--statement", "1 <= n")
    assert code == 0 and "c:Real" in out and "0 < c" in out  # without a value: every c of the region
    code, out, _ = said(capsys, "free.json", "--statement", "accept -> 1 <= n", "--set", "c=1")
    assert code == 0 and out.startswith("PROVED  accept -> 1 <= n, with c = 1\n")
    code, _, err = said(capsys, "free.json", "--statement", "1 <= n", "--set", "d=1", "--force")
    assert code == 2 and "d" in err


@pytest.mark.sweep
def test_a_limit_of_time(home, capsys):
    hard = "0 < prod(j, 1, 4000, 1 + abs(vote(n)))"
    code, out, _ = said(capsys, "votes.json", "--statement", hard, "--seconds", "2", "--explain")
    assert code == 3 and "no proof was found within 2 seconds" in out and "--seconds" in out
    assert "still to show: " in out and "from:" in out  # the goal and the facts, when time ends too


def deep(layers: int) -> sc.Transformer:
    """Softmax over softmax over one symbol: short to run, and each value an exponential of the values below it."""
    names = ("x", "y")
    embedding = sc.Embedding(sc.Space(names), words={"a": {"x": 1}}, positions={"y": "i"})
    head = sc.Head(names, ("x",), [[1, 0]], [[1, "1/3"]], [["1/2", "1/3"]], weighting="softmax")
    readout = sc.Readout("sign", "last", ("x",), weights=[[1]])
    return sc.Transformer("deep", embedding, (sc.Layer(head),) * layers, readout)


@pytest.mark.sweep
def test_values_that_take_too_long_to_write():
    """The word is known at once, its certificate would take minutes, in steps that are long; the limit ends it."""
    document = modelfile.to_document(deep(4))
    statement = certify.claim(document, "n <= 1")
    runs = Runs(statement, document)
    assert runs.tried().word == ("a", "a")
    start = time.process_time()
    assert certify.refute(statement, runs, Until(1)) == (None, None)
    assert time.process_time() - start < 15


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize("more", [0, 1, 10, 100, 300, 3000, 10000])
def test_the_work_may_end_anywhere_behind_the_word(home, capsys, monkeypatch, more):
    """That a word is false stays; its certificate is found or not."""
    deep(1).save("deep.json")
    monkeypatch.setattr(certify, "decide", lambda *given, **more: ClaimDecision())  # so that strings are tried
    tried = Runs.tried

    def with_so_much_left(runs, *given):
        found, whole, spend, begun = tried(runs, *given), runs.work, runs.spend, []

        def spent(symbols=1):
            begun.append(symbols)
            if sum(begun) > more:
                raise WordsSpent
            spend(symbols)

        monkeypatch.setattr(runs, "spend", spent)
        assert whole
        return found

    monkeypatch.setattr(Runs, "tried", with_so_much_left)
    code, out, _ = said(capsys, "deep.json", "--statement", "n <= 2", "--json")
    document = json.loads(out)
    assert (document["word"], document["status"], code) == (["a", "a", "a"], "REFUTED", 1)
    assert (document["certificate"] is not None) is (more > 1000)


def test_time_that_is_spent_on_words_is_no_limit_for_the_certificate(home, capsys, monkeypatch):
    """Words have a quarter of the time; the certificate of the word that they show has what is left."""
    deep(1).save("deep.json")
    monkeypatch.setattr(certify, "decide", lambda *given, **more: ClaimDecision())  # so that strings are tried
    tried = Runs.tried

    def just_in_time(runs, *given):
        found = tried(runs, *given)
        runs.until = Until(-1)
        return found

    monkeypatch.setattr(Runs, "tried", just_in_time)
    code, out, _ = said(capsys, "deep.json", "--statement", "n <= 5")
    assert code == 1 and out.startswith("REFUTED")


def test_latex_of_a_claim_of_ones_own(home, capsys):
    code, out, _ = said(capsys, "votes.json", "--statement", "vote(n) <= 1", "--latex")
    assert code == 0 and out.startswith("% needs") and "own.votes: PROVED" in out
    assert r"\mathit{vote}_{n} \le 1" in out and "Proof, step by step" in out and "statement sha256" in out
    code, out, _ = said(capsys, "votes.json", "--statement", "count(a) = 1", "--latex", "--force")
    assert code == 1 and "REFUTED" in out and "Refutation" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("votes.json", "--statement", "1 <= n", "--trust"), "--trust must not be used with --statement"),
        (("votes.json", "--statement", "1 <= n", "--latex", "--json"), "--json must not be used with --latex"),
        (("votes.json", "equal.json", "--statement", "1 <= n"), "--statement must be used with one model"),
        (("lem.sum_ext", "--set", "c=1"), "given: --set"),
        (("lem.sum_ext", "--seconds", "9"), "given: --seconds"),
        (("votes.json", "--statement", "1 <= n", "--seconds", "0"), "must be an integer from 1"),
    ],
)
def test_options_that_clash_are_named(home, capsys, words, message):
    code, _, err = said(capsys, *words)
    assert code == 2 and message in err


def test_blocks_that_are_not_set_in_say_how_deep(home, capsys):
    (home / "flat.proof").write_text(
        "proof own.votes\n  given .. some string (..)\n  cases a, b: n = 1\n  - qed by a\n  - qed by b\n",
        encoding="utf-8",
    )
    code, _, err = said(capsys, "votes.json", "--statement", "1 <= n", "--proof", "flat.proof")
    assert code == 2 and "line 4, column 3: expected what belongs to 'cases' to be set in deeper" in err
    assert "from column 5" in err


def test_a_line_that_fails_lists_hypotheses_and_cases(home, capsys):
    (home / "gap.proof").write_text(
        "proof own.votes\n  given .. some string (..)\n  cases one, more: n = 1\n    - qed by one\n"
        "    - bad: 2*vote(n) <= 1 by vote_is(n)\n      qed by bad\n",
        encoding="utf-8",
    )
    code, _, err = said(capsys, "votes.json", "--statement", "vote(n) <= 1", "--proof", "gap.proof")
    assert code == 3
    for fact in ("some: 1 <= n", "string: all", "vote_is: all", "mean_is: all"):
        assert fact in err
    assert "one: n = 1" in err or "more: ~(n = 1)" in err


def test_a_recipe_stands_for_its_model(home, capsys):
    code, out, _ = said(capsys, "dyck-1", "--statement", "1 <= n")
    assert code == 0 and (home / "dyck-1.proof.json").is_file() and out.startswith("PROVED  1 <= n\n")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "sentence",
    ["all i in 1..n. i = n -> at(a, i) -> at(a, n)", "all j in 1..n. at(a, j) -> j != 1 -> 0 - 1 <= vote(j - 1)"],
)
def test_equations_go_into_arguments_and_integers_step(home, capsys, sentence):
    code, out, _ = said(capsys, "votes.json", "--statement", sentence)
    assert code == 0 and out.startswith("PROVED")


def test_mean_of_votes_is_what_the_tests_speak_of():
    assert mean("x").run("ab").accept is True and mean("x").run("aab").accept is False


@pytest.mark.sweep
def test_what_decide_knows_is_the_first_line(home, capsys):
    """Exit code 3 and the status OPEN, with the method; below at most five lines."""
    statement = 'accept -> ~matches("(\\(|\\))*\\(")'
    code, out, _ = said(capsys, "dyck-1", "--statement", statement, "--seconds", "8")
    first, *below = out.splitlines()
    assert code == 3 and len(below) <= 5
    assert first == f"TRUE, NO CERTIFICATE YET  {statement}  (decided by invariants of the model's counters)"
    code, out, _ = said(capsys, "dyck-1", "--statement", statement, "--seconds", "8", "--json")
    document = json.loads(out)
    assert (code, document["status"], document["method"]) == (3, "OPEN", "invariants of the model's counters")
    assert document["why"].startswith("decided true") and document["certificate"] is None
