"""Statements and certificates on disk: what the loader takes, what the replay says, and what it refuses."""

import json
import sys
from dataclasses import replace
from functools import partial

import pytest
from families import together
from proof import nodes
from proof.nodes import intro, pos

from symcook.errors import BadInput, Rejected, SymcookError
from symcook.proof import replay
from symcook.proof.conditions import defined
from symcook.proof.grammar import digest
from symcook.proof.replay import Library, Statement, judge, load_json, make_certificate

use = partial(nodes.use, name="u")

TRUE = [{"by": "true"}]
DEFINITIONS = "# shared\ndouble(a) := a + a\nsmall(a) :=\n  a < 10\n"
STATEMENTS = """
# A comment.
[lem.double]
statement: all x:Real.
    double(x) = 2*x
claim: no

[demo.positive]
# A comment inside.
statement: all x:Real. 0 < x -> 0 < 1/x + double(x)
nontrivial: 2 <= x
note: positive

[demo.false]
statement: all x:Real. small(x)

[demo.false.corrected]
statement: all x:Real. x < 1 -> small(x)
nontrivial: 0 < x
corrects: demo.false

[demo.local]
define: triple(a) := double(a) + a
statement: triple(1) = 3

[demo.checked]
statement: all n:Int, w:Int->Int. 1 <= n -> word(dyck-1) -> w(1) = 0 | w(1) = 1

[named.big]
statement: all x:Real. ex y:Real. x < y
"""


NONZERO = [intro("x", "h", "z"), pos(["1", "h"], eq=[["1", "z"]])]
POSITIVE = [
    intro("x", "h"),
    use("lem:double", "x", name="d"),
    use("ax:inv", "x", [intro("z"), pos(["1", "h"], eq=[["1", "z"]])], name="i"),
    {
        "by": "have",
        "show": "0 < 1/x",
        "proof": [
            {"by": "contra", "as": "c"},
            {"by": "pos", "sum": [{"c": "1", "of": ["h", "c"]}, {"c": "1", "of": []}], "eq": [["-1", "i"]]},
        ],
        "as": "p",
    },
    pos(["1", "p"], ["2", "h"]),
]


@pytest.fixture
def home(tmp_path):
    (tmp_path / "statements").mkdir()
    (tmp_path / "certificates").mkdir()
    (tmp_path / "statements" / "definitions.txt").write_text(DEFINITIONS)
    (tmp_path / "statements" / "demo.txt").write_text(STATEMENTS)
    return tmp_path


def store(home, certificate, name=None):
    path = home / "certificates" / f"{name or certificate['id']}.json"
    path.write_text(json.dumps(certificate))


def full(home):
    """All certificates of the demonstration, stored."""
    s = Library(home).statements
    store(home, make_certificate(s["lem.double"], [intro("x"), pos()]))
    inhabited = [
        {"by": "witness", "term": "2"},
        {"by": "split", "proofs": [TRUE, TRUE]},
    ]
    store(home, make_certificate(s["demo.positive"], POSITIVE, NONZERO, inhabited, [s["lem.double"]]))
    wrong = [{"by": "witness", "term": "10"}, intro("h"), {"by": "absurd", "of": "h"}]
    store(home, make_certificate(s["demo.false"], wrong, sense="refuted"))
    small = [{"by": "witness", "term": "1/2"}, {"by": "split", "proofs": [TRUE, TRUE]}]
    store(home, make_certificate(s["demo.false.corrected"], [intro("x", "h"), pos(["1", "h"], ["9"])], TRUE, small))
    store(home, make_certificate(s["demo.local"], TRUE, TRUE, TRUE))
    return s


def words(home, *ids):
    return {v.id: v.status for v in Library(home).replay(ids or None)}


def one(home, name):
    (verdict,) = Library(home).replay([name])
    return verdict


def test_statuses_and_order(home):
    full(home)
    verdicts = Library(home).replay()
    assert {v.id: v.status for v in verdicts} == {
        "lem.double": "PROVED",
        "demo.positive": "PROVED",
        "demo.false": "CORRECTED",
        "demo.false.corrected": "PROVED",
        "demo.local": "PROVED",
    }
    order = [v.id for v in verdicts]
    assert order.index("lem.double") < order.index("demo.positive")
    positive = one(home, "demo.positive")
    assert positive.lemmas == ("double",) or positive.lemmas == ("lem.double",)
    assert positive.axioms == ("inv",) and positive.nodes > 8 and positive.certificate is not None


@pytest.mark.sweep
def test_several_processes_say_the_same(home):
    """A proof, a refutation with its correction, a damaged lemma and what rests on it, an id without a proof."""
    full(home)
    changed(home, "lem.double", proof=[intro("x"), {"by": "hyp", "of": "x"}])
    ids = ["demo.local", "demo.positive", "demo.false", "demo.checked"]
    told: list[str] = []
    alone, split = (Library(home).replay(ids, told.append, processes) for processes in (1, 3))
    assert [replace(v, seconds=0) for v in split] == [replace(v, seconds=0) for v in alone]
    assert [v.status for v in sorted(split, key=lambda v: ids.index(v.id))] == ["PROVED", "OPEN", "CORRECTED", "OPEN"]
    assert any("not proved" in v.reason for v in split) and any(v.reason == "no stored proof" for v in split)
    assert {line.split()[1] for line in told} == set(ids) and len(told) == 2 * len(ids)
    # what another process accepted rests on the lemmas as they are here
    again = Library(home)
    again.replay(["lem.double"])
    assert [v.status for v in again.replay(["demo.positive"], None, 2)] == ["OPEN"]


def test_without_a_proof_or_a_name(home):
    assert one(home, "demo.positive").reason == "no stored proof"
    with pytest.raises(BadInput, match=r"did you mean demo\.positive"):
        Library(home).replay(["demo.positve"])


def test_refuted_without_a_correction(home):
    full(home)
    (home / "certificates" / "demo.false.corrected.json").unlink()
    assert words(home)["demo.false"] == "REFUTED"


@pytest.mark.parametrize("key", ["defined", "inhabited"])
def test_a_claim_needs_all_three_proofs(home, key):
    s = full(home)
    path = home / "certificates" / "demo.positive.json"
    certificate = json.loads(path.read_text())
    certificate[key] = TRUE
    store(home, certificate)
    assert one(home, "demo.positive").status == "OPEN" and one(home, "demo.positive").reason.startswith(key)
    del certificate[key]
    store(home, certificate)
    assert "defined and not vacuous" in one(home, "demo.positive").reason
    assert s["lem.double"].claim is False


def changed(home, name, **entries):
    path = home / "certificates" / f"{name}.json"
    store(home, {**json.loads(path.read_text()), **entries}, name)
    return one(home, name)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"statement": "0" * 64}, "another statement"),
        ({"id": "demo.local"}, "another id"),
        ({"grammar": 2}, "grammar"),
        ({"grammar": True}, "grammar"),
        ({"sense": "true"}, "sense"),
        ({"sense": "refuted"}, "proof"),
        ({"extra": 1}, "keys"),
        ({"lemmas": []}, "object"),
        ({"lemmas": {"demo.positive": "0" * 64}}, "own lemma"),
        ({"lemmas": {"lem.other": "0" * 64}}, "unknown"),
        ({"lemmas": {"lem.double": "0" * 64}}, "changed"),
        ({"lemmas": {}}, "no fact"),
        ({"proof": [{"by": "auto"}]}, "unknown kind"),
    ],
)
def test_certificates_that_are_refused(home, entries, reason):
    full(home)
    verdict = changed(home, "demo.positive", **entries)
    assert verdict.status == "OPEN" and reason in verdict.reason


def test_a_lemma_must_itself_replay(home):
    full(home)
    assert changed(home, "lem.double", proof=[intro("x"), {"by": "hyp", "of": "x"}]).status == "OPEN"
    assert "not proved" in one(home, "demo.positive").reason


def test_a_refuted_claim_is_no_lemma(home):
    s = full(home)
    proof = [intro("x", "h"), use("lem:demo.false", "x"), {"by": "hyp", "of": "u"}]
    small = [{"by": "witness", "term": "1/2"}, {"by": "split", "proofs": [TRUE, TRUE]}]
    store(home, make_certificate(s["demo.false.corrected"], proof, TRUE, small, [s["demo.false"]]))
    assert "not proved" in one(home, "demo.false.corrected").reason


def test_lemmas_cannot_go_round(home):
    s = full(home)
    store(
        home,
        make_certificate(s["demo.local"], [{"by": "hyp", "of": "lem:demo.positive"}], TRUE, TRUE, [s["demo.positive"]]),
    )
    changed(home, "demo.positive", lemmas={x: s[x].digest for x in ("lem.double", "demo.local")})
    found = words(home)
    assert found["demo.local"] == "OPEN" and found["demo.positive"] == "OPEN" and found["lem.double"] == "PROVED"


def test_assumptions_are_named(home):
    s = full(home)
    used = [use("named:big", "0"), *TRUE]
    store(home, make_certificate(s["demo.local"], used, TRUE, TRUE, [s["named.big"]]))
    verdict = one(home, "demo.local")
    assert verdict.status == "PROVED" and verdict.named == ("big",)
    proof = [use("lem:demo.local"), *POSITIVE]
    certificate = json.loads((home / "certificates" / "demo.positive.json").read_text())
    certificate["lemmas"]["demo.local"] = s["demo.local"].digest
    store(home, {**certificate, "proof": proof})
    assert one(home, "demo.positive").named == ("big",)


def test_an_oracle_is_not_a_proof(home):
    (home / "statements" / "oracle.txt").write_text("[oracle.sum]\nstatement: 1 + 1 = 2\n")
    s = full(home)
    store(home, make_certificate(s["demo.local"], [use("oracle:sum"), *TRUE], TRUE, TRUE, [s["oracle.sum"]]))
    assert (one(home, "demo.local").status, one(home, "demo.local").oracles) == ("DECIDED", ("sum",))


def test_a_claim_and_its_negation_stop_everything(home, monkeypatch):
    s = full(home)
    both = make_certificate(s["demo.local"], TRUE, sense="refuted")
    store(home, both, "demo.local.refuted")
    assert one(home, "demo.local").status == "PROVED"  # the false one is refused
    monkeypatch.setattr(replay.kernel, "check", lambda *a, **k: replay.kernel.Accepted(1, (), (), (), ()))
    with pytest.raises(SymcookError, match="defect") as caught:
        one(home, "demo.local")
    assert caught.value.exit_code == 4


def test_checks_are_run_again(home, monkeypatch):
    s = full(home)
    from symcook.verify import recheck

    asked = {"recipe": "dyck-1", "max_length": 6, "strings": 126}
    head = {"grammar": 1, "id": "demo.checked", "statement": s["demo.checked"].digest}
    store(home, {**head, "check": asked})
    monkeypatch.setattr(recheck, "recheck", lambda given: given == asked)
    assert one(home, "demo.checked").status == "CHECKED 6"
    monkeypatch.setattr(recheck, "recheck", lambda given: False)
    assert one(home, "demo.checked").status == "OPEN"
    monkeypatch.setattr(recheck, "recheck", lambda given: True)
    store(home, {**head, "check": {**asked, "recipe": "average"}})
    assert "does not mention" in one(home, "demo.checked").reason
    for bad in ({}, [], {"recipe": "dyck-1", "max_length": 0}, {"recipe": "dyck-1", "max_length": True}):
        store(home, {**head, "check": bad})
        assert "max_length" in one(home, "demo.checked").reason
    store(home, {**head, "check": asked, "proof": TRUE})
    assert "keys" in one(home, "demo.checked").reason


@together(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": 1.5}',
        '{"a": 1e9}',
        "",
        "{",
        "nul",
        "'a'",
        "[" * 6000 + "]" * 6000,
        '{"a":' * 6000 + "1" + "}" * 6000,
        "[" * 100000,
        b"\xff\xfe",
        "[1,]",
        '{"a": 01}',
        "[" + "9" * 5000 + "]",
        '{"x": {"b": 1, "c": {"d": 1, "d": 1}}}',
    ],
)
def test_strict_json(text):
    with pytest.raises(Rejected):
        load_json(text)


def test_strict_json_reads_what_it_should():
    assert load_json('{"a": ["[[[", {"b": "\\"}"}], "c": [1, true, null]}') == {
        "a": ["[[[", {"b": '"}'}],
        "c": [1, True, None],
    }


@pytest.mark.parametrize(
    "text",
    [
        "statement: 1 = 1",
        "[a b]\nstatement: 1 = 1",
        "[a]\nclaim: no",
        "[a]\nstatement: 1 = 1\nstatement: 2 = 2",
        "[a]\nproof: x",
        "[a]\nstatement: 1 = 1\nclaim: maybe",
        "[a]\nstatement: 1 = 1\n\n[a]\nstatement: 1 = 1",
        "[a]\nstatement: 1 = 1\ncorrects: b",
        "[a]\nstatement",
        "[x]\nstatement: 1 = 1\n\n[lem.x]\nstatement: 1 = 1",
        "[../a]\nstatement: 1 = 1",
    ],
)
def test_statement_files_that_are_refused(home, text):
    (home / "statements" / "other.txt").write_text(text)
    with pytest.raises(Rejected):
        Library(home)


def test_a_statement_that_does_not_parse_is_open(home):
    (home / "statements" / "other.txt").write_text(
        "[bad.one]\nstatement: all x:Real. x <\n\n[bad.two]\nstatement: run(nothing) -> 1 = 1"
    )
    for name in ("bad.one", "bad.two"):
        store(home, {"grammar": 1, "id": name, "statement": "", "lemmas": {}, "sense": "proved", "proof": TRUE})
        assert one(home, name).status == "OPEN" and one(home, name).reason


def test_definitions_are_part_of_the_hash(home):
    before = Library(home).statements["demo.positive"].digest
    (home / "statements" / "definitions.txt").write_text(DEFINITIONS.replace("a + a", "a + a + 1"))
    assert Library(home).statements["demo.positive"].digest != before


def test_without_files():
    given = Statement("t", "all x:Real. 0 < x -> 0 < 2*x", "1 < x")
    h = [{"by": "witness", "term": "2"}, {"by": "split", "proofs": [TRUE, TRUE]}]
    certificate = make_certificate(given, [intro("x", "h"), pos(["2", "h"])], TRUE, h)
    assert judge(given, certificate)[0] == "PROVED"
    assert judge(given, load_json(json.dumps(certificate)))[1].nodes == 7
    for text, nontrivial in (("all x:Real. 0 < x -> 0 < 2*x + 1", "1 < x"), (given.text, "3 < x")):
        with pytest.raises(Rejected):
            judge(Statement("t", text, nontrivial), certificate)


def test_deep_statements_do_not_crash():
    for text in (
        "~" * 3000 + "(1 = 1)",
        "all x:Real. " + " + ".join(["x"] * 3000) + " = 0",
        "(" * 3000 + "1 = 1" + ")" * 3000,
    ):
        with pytest.raises(Rejected):
            Statement("t", text).formula  # noqa: B018
    long = Statement("t", " & ".join(["1 = 1"] * 150))
    assert len(long.digest) == 64 and digest(defined(long.formula))


def test_the_project_has_its_folder():
    assert (replay.proofs_directory() / "statements").is_dir()
    assert sys.getrecursionlimit() >= 1000
