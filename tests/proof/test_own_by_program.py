"""Statements about compiled models that are proved by the theorem that the model computes its program."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model.choices import LanguageWord
from symcook.model.modelfile import to_document
from symcook.proof import grammar, kernel
from symcook.proof.programs import byprogram, compiledprograms
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements import certify, proving
from symcook.proof.statements.bundle import write_bundle
from symcook.proof.statements.proving import ProofAnswer
from symcook.proof.statements.transfer import AnswerAgreement, Transfer, place_in

SCOPE = {"n": "Int", "i": "Int", "k": "Int", "a": ("fun", ("Int",), "Real"), "b": ("fun", ("Int",), "Real")}


def term(text: str) -> grammar.Term:
    return grammar.read_value(text, "Real", SCOPE, {})


def formula(text: str) -> grammar.Term:
    return grammar.read_formula(text, SCOPE, {})


TRUTH = AnswerAgreement(formula("0 < a(i)"), term("I[b(i) = 1]"))
BIT = AnswerAgreement(formula("0 < a(i)"), term("b(i)"))
NUMBER = AnswerAgreement(term("a(i)"), term("b(i)"))
SPLIT = AnswerAgreement(formula("0 < a(i) & a(i) < 2"), term("I[b(i) = 1 | b(i) = 2]"))
FORMULAS = (
    "{n}", "~{n}", "{n} -> 1 <= n", "n <= 1 -> {n}", "{n} <-> n = 2", "{n} & 1 <= n", "n = 3 & ({1} & n <= 4)",
    "n = 3 | {n} | {1}", "({n} | n = 3) & ~({1} & {n})", "all j in 1..n. {j} -> {n}", "ex j in 1..n. 2 <= j & ~{j}",
    "all j in 2..n. {j - 1} | ~{j}", "1 <= sum(j, 1, n, I[{j}])", "sum(j, 1, n, j*I[{j} & 2 <= j]) = n + I[{n}]",
    "all j in 1..n. 2*sum(m, 1, j, I[~{m} -> {j}]) <= n*I[~{1}]", "I[all j in 1..n. {j}] = I[ex j in 1..n. {j}]",
)  # fmt: skip


@pytest.mark.parametrize("agreement", [TRUTH, BIT, SPLIT], ids=["truth", "bit", "split"])
@pytest.mark.parametrize("said", FORMULAS)
def test_a_formula_about_one_side_is_proved_from_that_about_the_other(agreement: AnswerAgreement, said: str) -> None:
    """The kernel accepts the proof of ``.. agreement -> other of f -> f``."""
    def of(answer: grammar.Term) -> str:
        text = grammar.show(answer)
        return re.sub(r"\{(.*?)\}", lambda match: f"({re.sub(r'[(]i[)]', f'({match[1]})', text)})", said)

    equation = f"I[{grammar.show(agreement.ours)}] = {grammar.show(agreement.theirs)}"
    premises = f"1 <= n -> (all i in 1..n. {equation}) -> ({of(agreement.instead)})"
    goal = grammar.read_formula(
        f"all n:Int, a:Int->Real, b:Int->Real. {premises} -> ({of(agreement.ours)})", {}, {}
    )
    home = certify.library(next(iter(certify.citable().values())), certify.citable())
    g = Goal(home, goal, {}, {})
    g.intro(["n", "a", "b", "some", "agrees", "told"])
    transfer = Transfer([agreement])
    assert transfer.other(g.goal) == g.fact("told")
    transfer.state(g, ["agrees"])
    transfer.close(g, "told")
    kernel.check(goal, g.nodes, lemmas={"lem:sum_ext": home.facts["lem:sum_ext"]})


def test_a_number_is_replaced() -> None:
    goal = grammar.read_formula(
        "all n:Int, a:Int->Real, b:Int->Real. 1 <= n -> (all i in 1..n. a(i) = b(i)) -> "
        "(all j in 1..n. b(j) <= 2*b(n)) & 1 <= sum(j, 1, n, b(j)^2)"
        " -> (all j in 1..n. a(j) <= 2*a(n)) & 1 <= sum(j, 1, n, a(j)^2)", {}, {}
    )  # fmt: skip
    home = certify.library(next(iter(certify.citable().values())), certify.citable())
    g = Goal(home, goal, {}, {})
    g.intro(["n", "a", "b", "some", "agrees", "told"])
    transfer = Transfer([NUMBER])
    transfer.state(g, ["agrees"])
    transfer.close(g, "told")
    kernel.check(goal, g.nodes, lemmas={"lem:sum_ext": home.facts["lem:sum_ext"]})


def test_a_place_outside_of_the_string_is_not_replaced() -> None:
    goal = grammar.read_formula(
        "all n:Int, a:Int->Real, b:Int->Real. 1 <= n -> (all i in 1..n. a(i) = b(i)) -> b(0) = 1 -> a(0) = 1", {}, {}
    )
    g = Goal(certify.library(next(iter(certify.citable().values())), certify.citable()), goal, {}, {})
    g.intro(["n", "a", "b", "some", "agrees", "told"])
    transfer = Transfer([NUMBER])
    transfer.state(g, ["agrees"])
    with pytest.raises(Stuck):
        transfer.close(g, "told")


def test_the_place_of_an_answer() -> None:
    assert place_in(formula("0 < a(i) - b(i)"), formula("0 < a(n - 1) - b(n - 1)")) == term("n - 1")
    assert place_in(formula("0 < a(i) - b(i)"), formula("0 < a(n - 1) - b(n)")) is None
    with pytest.raises(Stuck):
        Transfer([AnswerAgreement(formula("all j in 1..n. a(j) <= a(i)"), term("b(i)"))])


BALANCE, SINCE = "#left[Q_a] >= 2*#left[Q_b] - 1", "~Q_b since Q_a"
AFTER_A = "historically (Q_b -> prev Q_a)"
CLAIMS = [
    ("c-rasp", BALANCE, "accept <-> 2*count(b) - 1 <= count(a)", "PROVED", None),
    ("c-rasp", BALANCE, "all i in 1..n. accept(i) <-> 2*count(b, i) - 1 <= count(a, i)", "PROVED", None),
    pytest.param(
        *("c-rasp", BALANCE, "accept & at(b, n) & n >= 2 -> accept(n - 1)", "PROVED", None), marks=pytest.mark.campaign
    ),
    ("c-rasp", BALANCE, "accept <-> 2*count(b) <= count(a)", "REFUTED", "ab"),
    ("ltl", SINCE, "accept <-> (ex j in 1..n. at(a, j) & (all k in j..n. ~at(b, k)))", "PROVED", None),
    ("ltl", SINCE, 'accept <-> matches(".*a[ac]*")', "PROVED", None),
    ("ltl", SINCE, "accept -> at(a, n)", "REFUTED", "ac"),
    ("ltl", AFTER_A, 'accept <-> matches("(a|c|ab)*")', "PROVED", None),
    ("ltl", AFTER_A, 'accept <-> matches("(a|c|ab|ba)*")', "REFUTED", "ba"),
]


@pytest.mark.layer_one(2)
@pytest.mark.parametrize(("kind", "source", "claim", "status", "string"), CLAIMS)
@pytest.mark.layer_two(every=6)
def test_a_claim_about_a_compiled_formula(
    kind: LanguageWord, source: str, claim: str, status: str, string: str | None, tmp_path: Path
) -> None:
    model = sc.compile(kind, source, alphabet="ab" if source == BALANCE else "abc")
    answer = model.prove(claim)
    assert (answer.status, answer.counterexample) == (status, string), answer.why
    if status == "PROVED":
        assert answer.method is not None and answer.method.startswith("theorem of the program, fragment ")
        accepted_by_second(answer, tmp_path / "bundle")


def accepted_by_second(answer: ProofAnswer, folder: Path) -> None:
    """Ask proofs/checker.py for the proof, in a folder of its own."""
    assert answer.certificate is not None
    words = write_bundle(folder, answer.claim, answer.certificate)
    found = subprocess.run([sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 0 and f"PROVED   {answer.claim.id}" in found.stdout, found


LAST_A = 'alphabet a b; f(i) = right j [j < i, in(j) = "a"] in(j) : "b"; g(i) = f(i) = "a"'
FIRST = 'alphabet a b; f(i) = left j [j <= i, in(j) = in(i)] in(j) : "b"; g(i) = f(i) = "a"'
REPEAT = "alphabet a b c; repeat(i) = right j [j < i, in(j) = in(i)] true : false"
PROGRAMS = [
    (LAST_A, "all i in 1..n. accept(i) <-> (ex j in 1..i - 1. at(a, j))"),
    (FIRST, "accept <-> at(a, n)"),
    (REPEAT, "all i in 1..n. accept(i) <-> (ex j in 1..i - 1. w(i) = w(j))"),
    (REPEAT, "at(a, n) & 2 <= count(a) -> accept"),
    ("majority.srasp", 'accept <-> count("0") < count("1")'),
    pytest.param("histogram.srasp", "at(a, n) -> number1(n) = count(a)", marks=pytest.mark.campaign),
    ("most-frequent.srasp", "answer(a) <-> count(b) <= count(a) & count(c) <= count(a)"),
]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("source", "claim"), PROGRAMS)
def test_a_claim_about_a_compiled_program(source: str, claim: str, tmp_path: Path) -> None:
    answer = sc.compile("srasp", source).prove(claim)
    assert answer.status == "PROVED", answer.why
    if source != LAST_A:  # in layer one, the second checker is asked about formulas only
        accepted_by_second(answer, tmp_path / "bundle")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("claim", "string"),
    [("at(a, n) & 1 <= count(a) -> accept", "a"), ("at(a, n) & 2 <= count(b) -> accept", "bba")],
)
def test_a_near_miss_about_a_search_for_an_equal_symbol(claim: str, string: str) -> None:
    answer = sc.compile("srasp", REPEAT).prove(claim)
    assert (answer.status, answer.counterexample) == ("REFUTED", string)


@pytest.mark.sweep
def test_counts_in_the_states_of_a_compiled_formula(tmp_path: Path) -> None:
    """The bridge from the model to its automaton is proved by the theorem of the program."""
    model = sc.compile("ltl", AFTER_A, alphabet="abc")
    answer = model.prove("accept -> count(b) <= count(a)", seconds=30)
    assert answer.status == "PROVED", answer.why
    accepted_by_second(answer, tmp_path / "bundle")
    miss = model.prove("accept -> count(b) + 1 <= count(a)", seconds=30)
    assert (miss.status, miss.counterexample) == ("REFUTED", "c")


def test_the_theorem_of_the_program_is_proved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read from the certificate of the theorem, and from that of a statement that was proved by it."""
    model = sc.compile("c-rasp", BALANCE, alphabet="ab")
    document = to_document(model)
    statement, settled = compiledprograms.prove(model)
    assert settled.certificate is not None
    proving.write((tmp_path / "m.proof.json", tmp_path / "m.statement.txt"), statement, settled.certificate)
    model.prove("count(b) = 0 -> accept").save(tmp_path / "m.2.proof.json")
    other = sc.compile("c-rasp", "#left[Q_a] >= 3*#left[Q_b]", alphabet="ab")
    with monkeypatch.context() as patched:
        patched.setattr(compiledprograms, "nodes_of", None)
        for name in ("m.proof.json", "m.2.proof.json"):
            byprogram.forget()
            by_program = byprogram.ByProgram(model, document, [tmp_path / name])
            assert by_program.proved().nodes and by_program.recalled
            with pytest.raises(TypeError):  # nothing is known of another model
                byprogram.ByProgram(other, to_document(other), [tmp_path / name]).proved()
    byprogram.forget()


@pytest.mark.sweep
def test_a_stored_theorem_that_the_checker_refuses_is_proved_again(tmp_path: Path) -> None:
    model = sc.compile("c-rasp", BALANCE, alphabet="ab")
    statement, settled = compiledprograms.prove(model)
    assert settled.certificate is not None
    damaged = {**settled.certificate, "proof": settled.certificate["proof"][:-1]}
    proving.write((tmp_path / "m.proof.json", tmp_path / "m.statement.txt"), statement, damaged)
    byprogram.forget()
    claim = certify.claim(to_document(model), "count(b) = 0 -> accept")
    answer = proving.settle(model, claim, to_document(model), beside=[tmp_path / "m.proof.json"])
    assert answer.status == "PROVED", answer.why


def test_a_program_that_is_not_that_of_the_weights_gives_no_theorem() -> None:
    model = sc.compile("c-rasp", BALANCE, alphabet="ab")
    other = sc.compile("c-rasp", "#left[Q_a] >= 3*#left[Q_b]", alphabet="ab")
    with pytest.raises(BadInput, match="must be unchanged since it was compiled"):
        byprogram.ByProgram(replace(other, program=model.program), to_document(other))


def test_a_program_whose_model_numbers_its_tokens_otherwise() -> None:
    """The lines of an S-RASP program have the numbers of its alphabet: in a file that lists b first, 0 is b. So the
    program's theorem is not about this model, and decides nothing of it."""
    model = sc.compile("srasp", 'out(i) = in(i) = "a"', alphabet="ab")
    words = dict(reversed(model.embedding.words.items()))
    other = replace(model, embedding=replace(model.embedding, words=words))
    assert [*other.embedding.words] == ["b", "a"] and other == model
    with pytest.raises(sc.BadInput, match="must list its tokens in the order of the program's alphabet; given: b, a"):
        byprogram.ByProgram(other, to_document(other))
    assert byprogram.ByProgram(model, to_document(model)).theorem is not None
