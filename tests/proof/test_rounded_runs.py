"""Runs that round: what a statement gets for them, what is refused, and machines whose runs are inside."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from checkout import ROOT
from proof.roundedfamilies import FamilyMachine
from proof.roundedruns import drawn, in_format, outside, related, stored
from proof.roundingmachine import Bits, Machine, Style, evaluated
from proof.stored import load_module

import symcook as sc
from symcook.errors import BadInput, Rejected
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof import grammar, replay, roundedterms
from symcook.proof.audit.statementfiles import statement_files
from symcook.proof.roundedterms import CountSum, ErrorRules, NearTerm, absolute
from symcook.proof.roundings import RoundedRun
from symcook.proof.runrel import Relation, expand, named
from symcook.proof.search import equations
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.tactics import Stuck
from symcook.proof.terms import instantiate, var

# --- The text -----------------------------------------------------------------


def document(model: sc.Transformer) -> dict[str, Any]:
    return json.loads(json.dumps(to_document(model)))


def pointwise(weights: list[Any], bias: Any, readout: list[Any], **more: Any) -> dict[str, Any]:
    """A model over numbers x and y whose z is a ReLU of their weighted sum."""
    net = sc.FeedForward(("x", "y"), ("z",), [weights], [[bias]], [[1]], [[0]], **more)
    embedding = sc.Embedding(sc.Space(("x", "y", "z")), inputs=("x", "y"))
    reads = ("x", "y", "z")[: len(readout)]
    return document(
        sc.Transformer("mine", embedding, (sc.Layer(None, net),), sc.Readout("sign", "last", reads, [readout]))
    )


def text(model: dict[str, Any]) -> str:
    return RoundedRun(Relation(model)).text


def test_a_run_is_written_out() -> None:
    assert expand("run(rounded-majority; u)") == (
        "((all i in 1..n. vote(i) = I[w(i) = 0] + -I[w(i) = 1])"
        " & (all i in 1..n. abs(mean(i) - sum(j, 1, i, vote(j))/i)"
        " <= (pow(1/(1 - u), i + 2) - 1)*(sum(j, 1, i, abs(vote(j)))/i)))"
    )
    assert named("names(rounded-majority)") == "vote:Int->Real, mean:Int->Real"
    assert expand("accept(rounded-majority)") == expand("accept(majority)") == "(0 < mean(n))"


def test_the_numbers_of_a_score_are_not_multiplied_to_one() -> None:
    """Q = 1/3 and K = 3: two weights are stored, two products and the score are rounded."""
    head = sc.Head(("x",), ("z",), [["1/3"]], [[3]], [[1]], mask="future", weighting="softmax")
    embedding = sc.Embedding(sc.Space(("x", "z")), words={"a": {"x": 1}}, start=1)
    model = sc.Transformer("mine", embedding, (sc.Layer(head, None),), sc.Readout("value", "each", ("z",)))
    score = next(part for part in RoundedRun(Relation(document(model))).parts if "score" in part)
    assert "pow(1/(1 - u), 5) - 1)*(1/3*abs(x(i))*(3*abs(x(j))))" in score


@pytest.mark.parametrize(
    ("weights", "bias", "error"),
    [
        ([1, -1], 0, "(pow(1/(1 - u), 1) - 1)*abs(x + -y)"),  # one rounding of the exact sum
        ([2, "-1/2"], 0, "(pow(1/(1 - u), 1) - 1)*abs(2*x + (-1/2)*y)"),
        ([1, -1], "1/4", "(pow(1/(1 - u), 2) - 1)*(abs(x) + abs(y) + 1/4)"),  # the bias may be added before y
        ([1, 3], 0, "(pow(1/(1 - u), 3) - 1)*(abs(x) + 3*abs(y))"),
        ([1, 0], "1/3", "(pow(1/(1 - u), 2) - 1)*(abs(x) + 1/3)"),
    ],
)
def test_a_sum_and_its_bias(weights: list[Any], bias: Any, error: str) -> None:
    assert error in text(pointwise(weights, bias, [0, 0, 1]))


def test_a_bias_that_is_added_first() -> None:
    """x = 1, y = 1 and a bias below the spacing of floats at 1: a kernel that begins with the bias loses it."""
    model = pointwise([1, -1], "1/64", [0, 0, 1])

    class Ones(random.Random):
        def randint(self, a: int, b: int) -> int:
            return 1

        def choice(self, seq: Any) -> Any:
            return seq[0]

    machine = Machine(model, Bits(3, "nearest", Ones()), Style(fused=True), 1, Ones())
    (unit,) = machine.kept["unit", 1, 0].values()
    assert unit == 0  # 1/64 over the numbers
    relation = RoundedRun(Relation(model))
    (name,) = relation.new
    near = parse_formula(next(part for part in relation.parts if name in part))
    held = {"x": 1, "y": 1, name: int(unit), "u": machine.of.unit}
    assert evaluated(near, held)
    assert not evaluated(
        parse_formula(f"abs({name} - (x - y + 1/64)) <= (pow(1/(1 - u), 2) - 1)*(abs(x - y) + 1/64)"), held
    )


def test_a_readout_of_more_than_two_numbers_has_a_name() -> None:
    for weights, sign in (([1, 1, 1], False), ([1, 2], True), (["1/3"], True), ([1, "1/3"], False)):
        run = RoundedRun(Relation(pointwise([1, 1], 0, weights)))
        assert ("logit" in run.new) is not sign
        assert (run.accept() == Relation(pointwise([1, 1], 0, weights)).accept()) is sign
    run = RoundedRun(Relation(pointwise([1, 1], 0, [1, 1, 1])))
    assert run.accept() == "0 < logit"
    assert "abs(logit - (x + y + z)) <= (pow(1/(1 - u), 2) - 1)*(abs(x) + abs(y) + abs(z))" in run.text


def test_a_row_that_sees_nothing_keeps_its_value() -> None:
    run = expand("run(rounded-predecessor-strict-average; u)")
    assert "(i != 1 -> abs(" in run and "& (i = 1 -> " in run


def test_underflow() -> None:
    exact, lost = (
        RoundedRun(Relation(pointwise([1, 3], 0, [0, 0, 1])), errors).text
        for errors in ((), (("name", "u"), ("name", "v")))
    )
    assert "pow(1/(1 - u), 3)*(abs(x) + (3 + v)*abs(y)" not in exact
    assert "<= pow(1/(1 - u), 3)*(abs(x) + (3 + v)*abs(y)" in lost.replace("((3 + v)", "(3 + v)")


def test_floats() -> None:
    """Whole numbers are summed exactly as long as the sum of their sizes is at most 1/u, and then divided."""
    assert (
        "& ((all j in 1..i. ex k:Int. vote(j) = k) & sum(j, 1, i, abs(vote(j)))*u <= 1"
        " -> abs(mean(i) - sum(j, 1, i, vote(j))/i) <= (pow(1/(1 - u), 3) - 1)*abs(sum(j, 1, i, vote(j))/i))"
    ) in expand("run(floats-majority; u)")
    unit = RoundedRun(Relation(pointwise([1, 3], 2, [0, 0, 1])), floats=True).parts[0]
    whole = "((ex k:Int. x = k) & (ex k:Int. y = k)) & (abs(x) + 3*abs(y) + 2)*u <= 1 -> unit = x + 3*y + 2"
    assert unit.endswith(f"& ({whole})")
    assert "ex k:Int" not in RoundedRun(Relation(pointwise([1, "1/3"], 2, [0, 0, 1])), floats=True).parts[0]


def test_families() -> None:
    """At all sizes, and at values of them, with the prefix before all names that are left."""
    general = expand("run(rounded-family-lookup-quadratic; u)")
    assert "all i in" in general and "pow(1/(1 - u)" in general
    names = named("names(rounded-family-dyck-k-d; ; g_)")
    assert "g_unit:" in names and " unit:" not in names
    sizes = next(iter(json.loads((ROOT / "proofs/families/lookup-one-hot.json").read_text())["sizes"]))
    at = expand(f"run(rounded-family-lookup-one-hot; u; {sizes} = 3)")
    assert re.search(rf"\b{sizes}\b", at) is None and "3" in at


def test_all_stored_models_and_families_have_rounded_runs() -> None:
    """Each part is a formula of the grammar; of the models a few in layer one."""
    for name in ("parity-layernorm", "turing-step", "max-by-gelu", "family-turing"):
        parse_formula(expand(f"run(rounded-{name}; eps0)"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("run(rounded-majority)", "must have its relative error"),
        ("run(rounded-majority; 3/2)", "must be a name, or a number between 0 and 1"),
        ("run(rounded-majority; 0)", "must be a name, or a number between 0 and 1"),
        ("run(rounded-majority; u, v, w)", "at most an absolute one after it"),
        ("run(rounded-majority; 2*u)", "must be a name, or a number between 0 and 1"),
        ("run(rounded-majority; n)", "must have a name that the run has not; given: n"),
        ("run(rounded-automaton-run-parity; u)", "must have a name that the run has not; given: u"),
        ("run(rounded-first; share)", "must have a name that the run has not; given: share"),
        ("run(rounded-majority; u; K = 2)", "must have no arguments but its errors"),
        ("run(floats-majority; u, v)", "a run in floats must have a relative error only"),
        ("run(rounded-nothing; u)", "must name a stored model"),
        ("run(rounded-family-nothing; u)", "must name a stored family"),
    ],
)
def test_bad_input(given: str, message: str) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        expand(given)


def test_what_a_block_has_no_rule_for() -> None:
    run = RoundedRun(Relation(pointwise([1, 1], 0, [0, 0, 1])))
    with pytest.raises(BadInput, match="must have a rule for each activation; given: tanh"):
        run.activated("tanh", 0, roundedterms.held(("name", "x")), ())
    with pytest.raises(BadInput, match="must have a rule for each term"):
        run.walk(("call", "exp", (("name", "x"),)), ())


def test_a_statement_rests_on_the_model_that_it_rounds() -> None:
    """So `built.txt` notices a model that has changed."""
    files = statement_files(ROOT / "proofs")
    for name, model in (("lem.rounded_majority", "majority"), ("lem.rounded_lookup_needs", "lookup-quadratic")):
        assert files.parts[f"({model}"] in files.meant(files.texts[name])
    assert files.parts["(family-max"] in files.meant("run(rounded-family-max; u)")


def test_the_words_about_models_are_in_one_table() -> None:
    """Patterns for run(NAME) and the like stand in `records`; elsewhere in two files that read longer forms of text."""
    files = (ROOT / "symcook").rglob("*.py")
    with_patterns = {
        path.name for path in files if re.search(r"run\|word|\\brun\\\(|names\\\(", path.read_text(encoding="utf-8"))
    }
    assert with_patterns == {"records.py", "existing.py", "check.py"}


def test_labels_of_inequalities() -> None:
    """``..`` names the inequality of each value, also of one that is guarded."""
    of = "rounded-predecessor-strict-average"
    run = grammar.read_formula(expand(f"all n:Int, u:Real, names({of}). run({of}; u)"), {}, {})
    for name in ("n", "u", "value", "one", "share", "out", "score"):
        run = instantiate(run[2][0], (var(name, run[1]),))
    assert equations.spread(("..",), run) == ("one_is", "share_is", "score_is", "out_is")


# --- Machines -----------------------------------------------------------------

SMALL = (
    "first",
    "lookup-quadratic",
    "predecessor-quadratic",
    "majority",
    "max-by-gelu",
    "induction-by-term",
    "dyck-1-2",
)


@pytest.mark.parametrize("name", SMALL)
def test_machines_are_inside(name: str) -> None:
    """However a machine of three bits or more rounds, and in whatever order it computes."""
    for seed in range(3):
        assert outside(drawn(name, seed), stored(name)) == []


@pytest.mark.parametrize("name", ["majority", "dyck-1", "flip-flop"])
def test_floats_are_inside(name: str) -> None:
    for seed in range(3):
        assert outside(drawn(name, seed, divided_last=True), stored(name, floats=True)) == []


def test_an_instance_of_a_family_is_inside() -> None:
    for name in ("lookup-one-hot", "ends"):
        assert FamilyMachine(name, 1).outside() == []


def test_a_mean_that_is_divided_first_is_not_one_of_floats() -> None:
    """Three thirds, each rounded, are not one: of equally many brackets the balance need not be zero."""
    draws = (drawn("dyck-1", seed) for seed in range(40))
    first = [machine for machine in draws if machine.style.divided_first]
    assert any(outside(machine, stored("dyck-1", floats=True)) for machine in first)


def test_numpy_is_inside() -> None:
    for name, kind in (("first", "float32"), ("lookup-quadratic", "float16"), ("majority", "float16")):
        machine = in_format(name, 1, kind)
        assert machine is not None and outside(machine, stored(name, underflow=True)) == []


def fewer(self: ErrorRules, term: NearTerm) -> NearTerm:
    """A sum with one rounding less."""
    out = COMPUTED(self, term)
    return out if term.leaves == CountSum(1) else out._replace(count=out.count.plus(CountSum(-1)))


def smaller(self: ErrorRules, term: NearTerm) -> NearTerm:
    """The size of a sum of three as if no partial sum was larger."""
    out = COMPUTED(self, term)
    return out._replace(size=absolute(out.value)) if term.leaves == CountSum(3) else out


def as_exact(self: ErrorRules, tree: Any, size: Any, exact: bool = False) -> NearTerm:
    """A stored weight without its rounding."""
    return ENTRY(self, tree, size, True)


COMPUTED, ENTRY = ErrorRules.computed, ErrorRules.entry


@pytest.mark.parametrize(
    ("method", "wrong", "name", "seed"),
    [("computed", fewer, "first", 0), ("computed", smaller, "multiply-gelu", 1), ("entry", as_exact, "tie-break", 0)],
)
def test_a_wrong_relation_is_noticed(
    method: str, wrong: Any, name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = drawn(name, seed)
    assert outside(machine, stored(name)) == []
    monkeypatch.setattr(ErrorRules, method, wrong)
    assert outside(machine, related(name))


def test_underflow_needs_its_error() -> None:
    """A run in a format of 8 bits that is outside without v, and inside with it."""
    machine = in_format("parity", 0, "e4m3")
    assert machine is not None and machine.of.underflow
    assert outside(machine, stored("parity"))
    assert outside(machine, stored("parity", underflow=True)) == []


# --- The theorems -------------------------------------------------------------

NEAR = [
    ("lem.rounded_quadratic_score", "96*n^2*u", "24*n^2*u"),
    ("lem.rounded_lookup_needs", "3*n^2*u", "96*n^2*u"),
    ("lem.rounded_majority", "2*n*(n + 2)*u", "n*(n + 2)*u"),
    ("lem.rounded_majority", "!=", "<="),
    ("lem.rounded_winner", "s(j) < s(q)", "s(j) <= s(q)"),
    ("lem.floats_majority", "n*u <= 1", "n*u <= 2"),
    ("lem.rounding_errors", "- 1 <= 2*m*u", "- 1 <= m*u"),
    ("lem.rounded_first", "8*(n + 3)*u", "(n + 3)*u"),
    ("lem.rounded_lookup_quadratic", "<= 1/4", "<= 1/2"),
    ("lem.rounded_lookup_quadratic", "96*n^2*u", "48*n^2*u"),
    ("lem.rounded_winner", "u), 3)", "u), 2)"),
    ("lem.rounded_lookup_one_hot", "832*N*u", "8*N*u"),
    ("lem.floats_dyck", "4*(n + 2)*u", "(n + 2)*u"),
    ("lem.rounded_dyck_fails", "0 < u", "0 <= u"),
    ("lem.floats_induction", "u <= 1", "u <= 2"),
    ("lem.rounded_hat", "52*(u*N)", "26*(u*N)"),
    ("lem.rounded_code_score", "2*D +", "D +"),
    ("lem.rounded_lookup_hash", "1024*n^4*u", "512*n^4*u"),
    ("lem.rounded_lookup_hash", "1024*n^4*u", "1024*n^3*u"),
    ("lem.hash_scores_needed", "1 <= 8*n^4*u", "1 <= 16*n^4*u"),  # one bit more
    ("lem.hash_scores_needed", "8*n^4*u", "8*n^5*u"),
    pytest.param("lem.hash_scores_needed", "u), 4)", "u), 3)", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_lookup_hash_needs", "8*n^4*u", "16*n^4*u", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_lookup_hash_needs", "found(1) = 0", "found(1) = 1", marks=pytest.mark.campaign),
    ("lem.hash_product_sizes", "0 <= 4 - 4", "0 <= 3 - 4"),
    ("lem.rounded_hash_product", "220*u", "110*u"),
    ("lem.rounded_share_chosen", "19*u", "9*u"),
    ("lem.rounded_frequent", "16*i*(S + 4)^2*u", "8*i*(S + 4)^2*u"),
    pytest.param("lem.rounded_frequent", "M(d) < M(c)", "M(d) <= M(c)", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_induction_fails", "0 < u", "0 <= u", marks=pytest.mark.campaign),  # as dyck fails
    ("lem.rounded_lookup_almost_orthogonal", "1024*B*N^3*u", "128*B*N^3*u"),
    ("lem.rounded_lookup_almost_orthogonal", "1024*B*N^3*u", "1024*B*N^2*u"),
    pytest.param("lem.rounded_lookup_hash", "u), 3)", "u), 2)", marks=pytest.mark.campaign),
    ("lem.floats_induction_frequent", "16*n*(S + 4)^2*u", "n*(S + 4)^2*u"),
    ("lem.floats_induction_stored", "u <= 1", "u <= 2"),
    ("lem.rounded_code_deviation", "9*(R^2*u)", "2*(R^2*u)"),
    ("lem.rounded_code_norm", "256*(R^2*u)", "128*(R^2*u)"),
    ("lem.rounded_mean", "+ 2*E*u*", "+ E*u*"),
    ("merrill2024.s3.1.precision", "+ 11 <= p", "+ 10 <= p"),
    ("merrill2024.s3.1.precision", "4*log(n)", "3*log(n)"),
    pytest.param("lem.rounded_code_entry", "14*(R^2*u)*x", "7*(R^2*u)*x", marks=pytest.mark.campaign),
    ("lem.near_hash", "8*e*(m + 2)^4", "4*e*(m + 2)^4"),
    ("lem.near_quotient", "t*e <= 1/32", "t*e <= 1/16"),
    ("lem.rounded_root", "<= 16*(h*L)", "<= 8*(h*L)"),
    ("lem.rounded_pair_product", "57*h", "28*h"),
    ("lem.rounded_pair_score", "<= 256*h", "<= 128*h"),
    ("lem.rounded_query_place", "33*(R^2*h*t)", "16*(R^2*h*t)"),
    ("lem.rounded_automaton_scores", "2048*((", "1024*(("),  # one bit less
    ("lem.rounded_automaton_scores", ") + 1 -> all j in", ") + 2 -> all j in"),
    ("lem.decoder_scores_needed", "8*(p + 1)^4*h", "16*(p + 1)^4*h"),  # one bit more
    ("lem.hash_of_gap", "1 - hashgap(q, j)", "1 - 2*hashgap(q, j)"),
    pytest.param("lem.decoder_scores_needed", "s(0) <= 1/2", "s(0) <= 1", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_automaton_needs", "p in 1..i - 2", "p in 1..i - 1", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_automaton_needs", "8*(p + 1)^4*h", "16*(p + 1)^4*h", marks=pytest.mark.campaign),
    ("lem.rounded_automaton_lookup", "16*(R^2*h)", "13*(R^2*h)"),
    pytest.param("lem.rounded_automaton_first", "256*((R^2 + n)", "128*((R^2 + n)", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_automaton_first", "16*(R^2*h)", "8*(R^2*h)", marks=pytest.mark.campaign),
]


@pytest.mark.layer_one(0, 1, 2, 6)
@pytest.mark.parametrize(("name", "old", "new"), NEAR)
@pytest.mark.layer_two(every=12)
def test_a_near_miss_has_no_proof(name: str, old: str, new: str) -> None:
    """With fewer bits, one rounding less, a tie or a worse query the text of a theorem proves nothing."""
    build, known = load_module("build"), replay.statements()
    changed = replace(known[name], written=known[name].written.replace(old, new))
    assert changed.written != known[name].written
    with pytest.raises((Stuck, BadProof, Rejected, BadInput)):
        build.build(name, build.script_of(name), {**known, name: changed})
