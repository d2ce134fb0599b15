"""names(NAME) and runs with a name of their own: what is written out, what stays the same, and what is refused."""

from __future__ import annotations

import json
import re

import pytest
from checkout import TESTS

import symcook as sc
from symcook.errors import BadInput, Rejected
from symcook.model.modelfile import to_document
from symcook.proof import replay, runrel
from symcook.proof.replay import Statement, statements

KNOWN = next(iter(statements().values())).known
HASHES = json.loads((TESTS / "proof" / "statement_hashes.json").read_text(encoding="utf-8"))
CAUSAL = (
    "all n:Int, m:Int, v:Int->Int, w:Int->Int. 1 <= m & m <= n -> all A:run(dyck-1, v). all B:run(dyck-1, w). "
    "(all i in 1..m. v(i) = w(i)) -> A.total(m) = B.total(m)"
)


def read(text: str) -> str:
    """The hash of a statement, which only its meaning enters."""
    return Statement("a", text, known=KNOWN).digest


def test_every_statement_that_names_a_run_has_the_hash_that_it_had_written_out():
    """The hashes were recorded when each name stood in each statement; one that is restated leaves the file."""
    named = {name: s.digest for name, s in statements().items() if "names(" in s.written}
    assert len(HASHES) > 100 and {name: named.get(name) for name in HASHES} == HASHES
    stored = replay.library().root / "certificates"
    for name in HASHES:
        for path in stored.glob(f"{name}.json"):
            assert json.loads(path.read_text(encoding="utf-8"))["statement"] == HASHES[name]


def test_names_are_written_out_and_nothing_else():
    short = "all n:Int, w:Int->Int, names(dyck-1). 1 <= n -> word(dyck-1) -> run(dyck-1) -> accept(dyck-1)"
    long = "token:Int->Real, balance:Int->Real, error:Int->Real, total:Int->Real"
    assert runrel.named(short) == short.replace("names(dyck-1)", long)
    assert Statement("a", short).text == short.replace("names(dyck-1)", long) and Statement("a", short).written == short
    assert runrel.named("ex names(identity). run(identity)") == "ex x:Real, out:Real. run(identity)"


def test_the_names_are_those_of_the_equations_in_their_order():
    """Found here by reading the equations: each is for the name that stands first in it and is not yet known."""
    for path in sorted((replay.library().root / "models").glob("*.json")):
        relation = runrel.Relation(runrel.stored_model(path.stem))
        known = list(relation.embedding["inputs"] or ())
        for text in relation.equations:
            left = re.match(r"\(?\(?([A-Za-z_]\w*)", text)
            assert left is not None
            known.append(left[1])
        assert list(relation.sorts()) == known, path.stem
        assert len(set(known)) == len(known)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("all names(dyck-7). 1 = 1", "must name a stored model"),
        ("all n:Int. names(dyck-1) -> 1 = 1", "names(NAME) must stand in a quantifier"),
        ("all n:Int. n = names(dyck-1)", "names(NAME) must stand in a quantifier"),
        ("all n:Int, names(dyck-1):Real. 1 = 1", "names(NAME) must stand in a quantifier"),
        ("all n:Int, names(dyck-1, w). 1 = 1", "its names as in all names(NAME). F"),
        ("all names(dyck-1). ex names(dyck-1). 1 = 1", "the name 'token' is bound twice"),
        ("all names(dyck-1), names(dyck-1). 1 = 1", "the name 'token' is bound twice"),
        ("all token:Real. all names(dyck-1). 1 = 1", "the name 'token' is bound twice"),
        ("all names(dyck-1). sum(error, 1, 2, 1) = 2", "the name 'error' is bound twice"),
    ],
)
def test_names_that_mean_something_else_are_refused(text: str, said: str):
    with pytest.raises(Rejected, match=re.escape(said)):
        read(text)


def test_a_record_is_the_run_with_its_names_in_front():
    written = (
        "all n:Int, w:Int->Int. 1 <= n -> all R_token:Int->Real, R_balance:Int->Real, R_error:Int->Real, "
        "R_total:Int->Real. (all i in 1..n. R_token(i) = I[w(i) = 0] + -I[w(i) = 1])"
        " & (all i in 1..n. R_balance(i) = sum(j, 1, i, R_token(j))/i)"
        " & (all i in 1..n. R_error(i) = relu(-R_balance(i)))"
        " & (all i in 1..n. R_total(i) = sum(j, 1, i, R_error(j))/i)"
        " -> (all i in 1..n. w(i) = 0 | w(i) = 1) -> (R_total(n) = 0 & R_balance(n) = 0 <-> dyck(w, n))"
    )
    for run in ("run(dyck-1)", "run(dyck-1, w)"):
        record = f"all n:Int, w:Int->Int. 1 <= n -> all R:{run}. word(R) -> (accept(R) <-> dyck(w, n))"
        assert read(record) == read(written)
        letters = read(record.replace("R:", "x:").replace("(R)", "(x)"))
        assert letters == read(written)  # the name of a bound variable does not enter


def test_a_record_that_exists():
    written = "all n:Int, w:Int->Int. 1 <= n -> ex names(dyck-1). run(dyck-1) & 0 <= total(n)"
    assert read("all n:Int, w:Int->Int. 1 <= n -> ex R:run(dyck-1, w). 0 <= R.total(n)") == read(written)
    assert read("all n:Int, w:Int->Int. 1 <= n -> (ex R:run(dyck-1). 0 <= R.total(n)) & 1 = 1") == read(
        written.replace("ex", "(ex", 1) + ") & 1 = 1"
    )


def test_two_runs_of_one_model_are_over_two_words():
    text = runrel.expand(CAUSAL)
    assert "A_token(i) = I[v(i) = 0] + -I[v(i) = 1]" in text and "B_token(i) = I[w(i) = 0] + -I[w(i) = 1]" in text
    assert text.endswith("(all i in 1..m. v(i) = w(i)) -> A_total(m) = B_total(m)))")
    assert read(CAUSAL) != read(CAUSAL.replace("dyck-1, v", "dyck-1, w"))  # a record forgets no word


def test_a_record_has_the_numbers_of_a_model_over_rows():
    assert read("all R:run(min). R.out = min(R.x, R.y)") == read("all names(min). run(min) -> out = min(x, y)")


def test_a_field_is_the_last_value_of_a_coordinate():
    """As in a claim of one's own."""
    model = sc.Transformer(
        "twice",
        sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"a": -2, "b": 1}}),
        (sc.Layer(None, sc.FeedForward(("a",), ("a",), [[1]], [0], [[3]], [0])),
         sc.Layer(None, sc.FeedForward(("b",), ("b",), [[1]], [0], [[1]], [0]))),
        sc.Readout("sign", "last", ("a",), [[1]]),
    )  # fmt: skip
    document = to_document(model)
    text = runrel.expand("all R:run(twice). R.a(n) = R.b(n) -> accept(R)", lambda name: document)
    first, last = "R_a(i) = I[w(i) = 0] + -2*I[w(i) = 1]", "R_z1_a(i) = R_a(i) + 3*relu(R_a(i))"
    assert first.replace("-2*", "(-2)*") in text and last in text
    assert text.endswith("-> (R_z1_a(n) = R_z2_b(n) -> (0 < R_z1_a(n)))")
    assert runrel.expand("all R:run(twice). R.z1_a(n) = 0", lambda name: document).endswith("-> (R_z1_a(n) = 0)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("all R:run(dyck-1, w). R.height(n) = 0", "a known name; given: R.height"),
        ("all w:run(dyck-1). w.total(n) = 0", "a name other than i, j, k, n, w"),
        ("all exp:run(dyck-1). exp.total(n) = 0", "a name other than i, j, k, n, w"),
        ("all v:run(dyck-1, v). v.total(n) = 0", "the run v must be used in its quantifier"),
        ("all n:Int, w:Int->Int, x:Real. all x:run(dyck-1). x.total(n) = 0", "the run x must be used in its"),
        ("all R:run(dyck-1). sum(R, 1, n, 1) = n", "the run R must be used in its quantifier"),
        ("(all R:run(dyck-1). R.total(n) = 0) & R.total(1) = 0", "the run R must be used in its quantifier"),
        ("(all R:run(dyck-1). R.total(n) = 0) & accept(R)", "the run R must be used in its quantifier"),
        ("all R:run(dyck-1). all R:run(dyck-1). R.total(n) = 0", "the run R must be used in its quantifier"),
        ("all R:run(dyck-1). R = R", "the run R must be used in its quantifier"),
        ("all R:run(dyck-1). run(R) & R.total(n) = 0", "the run R must be used in its quantifier"),
        ("all R_total:Real. all R:run(dyck-1). R.total(n) = R_total", "no name may be that of a field of the run R"),
        ("all R:run(dyck-1). all R_total:Real. R.total(n) = 0", "no name may be that of a field of the run R"),
        ("all R:run(dyck-1). accept(S)", "must name a stored model"),
        ("all R:run(dyck-1). accept(R.total)", "name"),
        ("all R:run(dyck-1). accept(R, n)", "the run R must be used in its quantifier"),
        ("all R:run(min). accept(R)", "accept needs a readout"),
        ("all R:run(min). word(R)", "needs a model with an alphabet"),
        ("all R:run(min, w). R.out = 0", "a model with an alphabet"),
        ("all R:run(dyck-7, w). R.total(n) = 0", "must name a stored model"),
        ("all R:run(dyck-1, u). R.total(n) = 0", "u"),
        ("all n:Int, R:run(dyck-1, w). R.total(n) = 0", "a run must be named as in all R:run(NAME, w). F"),
        ("all R:run(dyck-1, w) R.total(n) = 0", "a run must be named as in all R:run(NAME, w). F"),
        ("all R:run(dyck-1, w(1)). R.total(n) = 0", "a run must be named as in all R:run(NAME, w). F"),
        ("all R:run(dyck-1, n). R.total(n) = 0", "the wrong number of arguments"),
        ("all R:run(dyck-1, i). R.total(n) = 0", "the wrong number of arguments"),
        ("S.total(n) = 0", "must follow the grammar"),
    ],
)
def test_records_that_could_mean_something_else_are_refused(text: str, said: str):
    whole = text if text.startswith("all n:Int") else f"all n:Int, w:Int->Int. {text}"
    with pytest.raises(Rejected, match=re.escape(said)):
        read(whole)


def test_the_second_checker_reads_the_written_out_text():
    block = Statement("a", CAUSAL, known=KNOWN).block
    assert "run(" not in block and "A." not in block and "A_total(m) = B_total(m)" in block
    with pytest.raises(BadInput):
        runrel.expand("all R:run(dyck-1). R = 0")
