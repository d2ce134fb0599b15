"""Statements about two models on one string: other.accept, other.NAME(i), by --with."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from proof.statement_truth import program
from shared import call, document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs

WAYS = {  # how two models of a and b number positions and tokens: order, start, before, after, the symbol that counts 2
    "plain": ("ab", 1, None, None),
    "order": ("ba", 1, None, None),
    "zero": ("ab", 0, None, None),
    "cls": ("ab", 0, "^", None),
    "eos": ("ba", 1, None, "$"),
    "both": ("ab", 1, "^", "$"),
}


def model(way: str, b: int = -1, mask: str = "none", **more: Any) -> sc.Transformer:
    """a counts 1 and b counts `b`; `both` accepts where the mean is above 0."""
    order, start, before, after = WAYS[way]
    words: dict[str, dict[str, Any]] = {} if before is None else {before: {}}
    words |= {symbol: {"x": 1 if symbol == "a" else b} for symbol in order}
    words |= {} if after is None else {after: {}}
    embedding = sc.Embedding(sc.Space(("x", "m")), words=words, start=start, before=before, after=after)
    head = sc.head({}, {"m": "x"}, mask=mask)
    readout = sc.Readout("sign", "last", ("m",), weights=[1])
    return sc.Transformer(way, embedding, (sc.Layer(sc.SelfAttention((head,))),), readout, **more)


def claim(first: sc.Transformer, sentence: str, second: sc.Transformer) -> Any:
    return certify.claim(to_document(first), sentence, other=to_document(second))


def values(told: sc.Transformer, word: str, stem: str) -> dict[str, Any]:
    """What the model's run has at its positions, by the names that the statement has for them."""
    tokens, start = list(told.embedding.words or ()), told.embedding.start
    before, after = told.embedding.before, told.embedding.after
    typed = [*([before] if before else []), *word, *([after] if after else [])]
    x = [Fraction(str((told.embedding.words or {})[token].get("x", 0))) for token in typed]
    columns = {} if stem else {"w": [Fraction(tokens.index(token)) for token in typed]}
    columns |= {"x": x, "m": [sum(x) / max(1, len(x))] * len(x)}
    made = {f"{stem}{name}": dict(enumerate(column, start)) for name, column in columns.items()}
    return made | ({} if stem else {"n": Fraction(len(typed))})


@pytest.mark.parametrize("first, second", list(product(WAYS, WAYS)))
def test_the_premises_are_the_runs_of_both_and_nothing_near_them(first: str, second: str) -> None:
    """On all strings to length 3: the premises hold of both runs, the conclusion is what the models answer; with one
    value of the second changed a premise fails."""
    one, two = model(first), model(second, b=-2)
    text = claim(one, "accept <-> other.accept", two).text.partition(". ")[2]
    *premises, said = text.split(" -> ")
    for word in ("".join(w) for n in range(4) for w in product("ab", repeat=n)):
        given = values(one, word, "") | values(two, word, "other_")
        both = all(len(given[name]) for name in ("x", "other_x"))
        names = tuple(sorted(given))

        def true(part: str, env: Any, names: Any = names) -> bool:
            return program(parse_formula(part), names)(env, {}, None, None)

        assert all(true(part, given) for part in premises) is both, word
        if both:
            accepted = [told.run(word).accept for told in (one, two)]
            assert true(said, given) is (accepted[0] is accepted[1])
            for name in ("other_x", "other_m"):
                for i in given[name]:
                    changed = given | {name: given[name] | {i: given[name][i] + 3}}
                    assert not all(true(part, changed) for part in premises), (word, name, i)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("first, second, sentence, status, word", [
    (model("plain"), model("plain", mask="future"), "accept <-> other.accept", "PROVED", None),
    (model("plain"), model("order"), "m(n) = other.m(n)", "PROVED", None),
    (model("plain"), model("plain", b=-2), "accept <-> other.accept", "REFUTED", ("a", "a", "b")),
    (sc.build("dyck-1"), sc.build("dyck-1"), "accept <-> other.accept", "PROVED", None),
    (model("cls"), model("eos"), "other.n = n & (2 <= n -> other.x(1) = x(1))", "PROVED", None),
    (model("both"), model("plain"), "n - 2 = other.n", "PROVED", None),
    (model("both"), model("order", b=-3), "x(2) = other.x(1)", "REFUTED", ("b",)),
    (model("plain"), model("zero"), "all i in 1..n. x(i) = other.x(i - 1)", "PROVED", None),
    (model("plain"), model("cls", b=0), "m(n) - other.m@1(n) <= 1/4", "REFUTED", ("a",)),
])  # fmt: skip
@pytest.mark.layer_two(every=8)
def test_statements_about_two_models(
    first: sc.Transformer, second: sc.Transformer, sentence: str, status: str, word: Any
) -> None:
    """The smallest string is one on which both models have a run that says so."""
    found = first.prove(sentence, other=second)
    assert (found.status, found.word) == (status, word)
    assert found.certificate is not None


def test_a_hard_model_beside_a_soft_one() -> None:
    """Within eps on strings of every length: scores are 0, so that softmax is the mean."""
    soft = sc.Transformer(
        "soft",
        model("plain").embedding,
        (sc.Layer(sc.SelfAttention((sc.head({}, {"m": "x"}, mask="none", weighting="softmax"),))),),
        sc.Readout("distribution", "last", ("m",), weights=[[1], [0]], labels=("more", "less")),
    )
    assert model("plain").prove("abs(m(n) - other.m(n)) <= 1/100", other=soft).status == "PROVED"
    found = model("plain").prove("accept -> 3/4 <= other.probability(more)", seconds=20, other=soft)
    assert (found.status, found.word) == ("REFUTED", ("a",))


def test_strings_without_a_run_of_both_satisfy_nothing() -> None:
    """The second model refuses strings without a b: its norm has no variance. The third reads at most two symbols."""
    norm = sc.LayerNorm(("x", "m"), zero_variance="refuse")
    embedding = sc.Embedding(sc.Space(("x", "m")), words={"a": {"x": 1, "m": 1}, "b": {"x": 1}})
    readout = sc.Readout("sign", "last", ("x",), weights=[1])
    refuses = sc.Transformer("refuses", embedding, (), readout, final_norm=norm)
    first = to_document(model("plain"))
    runs = Runs(claim(model("plain"), "count(b) = n | other.x(1) = 5", refuses), first, other=to_document(refuses))
    assert [runs.word for length in (1, 2) for ready in runs.at(length) if ready and runs.runs()] == [
        ("b",),
        ("b", "b"),
    ]
    short = model("plain", max_length=2)
    assert model("plain").prove("n <= 2 | other.x(1) = 5", seconds=20, other=short).status == "PROVED"
    assert model("plain").prove("n <= 1 | other.x(1) = 5", seconds=20, other=short).word == ("a", "a")


def test_names_of_the_two_do_not_meet() -> None:
    """Coordinates called other_x and q; a remainder in the second; what is quoted, and what nothing was written to."""
    b = sc.Builder(words={"a": {"other_x": 1, "q": 1}, "b": {"other_x": -1}})
    b.readout("sign", "last", "other_x", weights=[1])
    c = sc.Builder(words={"a": {"x": 1, "at": 2}, "b": {"x": -1}}, positions={"p": "mod(i, 2)"})
    c.add(sc.head(value={"m": "x"}, mask="future"))
    c.readout("sign", "last", "x", weights=[1])
    one, two = b.build("one"), c.build("two")
    for sentence, status in {
        "all i in 1..n. other_x(i) = other.x(i) & other.m@0(i) = 0": "PROVED",
        'q(n) = 1 <-> other."at"(n) = 2': "PROVED",
        "other.p(n) = mod(other.n, 2)": "PROVED",
        'other.x@0(n) = 1 <-> matches(".*b")': "REFUTED",
    }.items():
        assert one.prove(sentence, other=two).status == status, sentence


@pytest.mark.parametrize("sentence, said", [
    ("accept -> other.acept(n) = 1", "column 11, 'other.acept(n)': the name 'other.acept' is unknown here"),
    ("other.y(1) = 0", "did you mean other."),
    ("other.count(a) = 1", "count is about the string, which both models read"),
    ("other.answer(yes)", "column 1, 'other.answer(yes)': answer needs a readout largest"),
    ("other.accept(n)", "accept takes no position"),
    ("other.x@7(n) = 0", "x has no value @7"),
    ("other.x(n, n) = 0", "takes one position, other.x(i)"),
    ("all other.x in 1..n. accept", "binds no name"),
])  # fmt: skip
def test_mistakes_get_a_sentence_with_the_column(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        claim(model("plain"), sentence, model("order"))
    assert said in str(caught.value)


def test_one_model_alone_and_other_alphabets_are_refused() -> None:
    with pytest.raises(BadInput, match="about a second model: give"):
        certify.claim(to_document(model("plain")), "accept <-> other.accept")
    third = sc.compile("ltl", "Q_a", alphabet="abc")
    with pytest.raises(BadInput, match="over the same symbols; given: a b and a b c"):
        claim(model("plain"), "accept", third)
    with pytest.raises(BadInput, match="over the same symbols; given: a b and numbers"):
        claim(model("plain"), "accept", sc.build("max"))


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The certificate names both models, and is checked again with both."""
    monkeypatch.chdir(tmp_path)
    for told in (model("plain"), model("order")):
        told.save(f"{told.name}.json")
    both = ("prove", "plain.json", "--with", "order.json")
    code, out, _ = call(capsys, *both, "--statement", "accept <-> other.accept")
    assert code == 0 and out.startswith("PROVED  accept <-> other.accept\n")
    assert len(json.loads(Path("plain.proof.json").read_text())["model"].split()) == 2
    assert call(capsys, *both)[0] == 0
    code, out, _ = call(capsys, *both[:2])
    assert code == 3 and "is about two models" in out
    found = document(capsys, *both, "--statement", "other.accept", "--force", code=1)
    assert (found["status"], found["word"]) == ("REFUTED", ["b"])
    Path("claims.txt").write_text("m(n) = other.m(n)\n~other.accept # false of a\n")
    found = document(capsys, *both, "--claims", "claims.txt", code=1)["claims"]
    assert [(one["status"], one["word"]) for one in found] == [("PROVED", None), ("REFUTED", ["a"])]
    model("order", b=-2).save("order.json", force=True)
    assert "one of the models has changed" in call(capsys, *both)[1]
    refused(capsys, "prove", "cookbook.prop3.1", "--with", "order.json")


def test_a_model_that_has_other_positions_does_not_decide_which_positions_the_string_has() -> None:
    """The equations of the second model came first, with its positions: each statement was decided true."""
    one = sc.Embedding(sc.Space(("v",)), {"a": {"v": 1}, "b": {}}, start=0)
    two = sc.Embedding(sc.Space(("v",)), {"a": {}, "b": {"v": 1}, "BOS": {}, "EOS": {}}, before="BOS", after="EOS")
    models = [sc.Transformer("m", e, (), sc.Readout("sign", "last", ("v",), [[1]])) for e in (one, two)]
    for first, second, statement, word in (
        (*models, "accept | other.v(1) = 5", "b"),
        (*models, "all i in 0..n - 1. v(i) = other.v(i + 2)", "a"),
        (*models, "all i in 0..n - 1. v(i) + other.v(i + 1) <= 1", "ba"),
        (*models[::-1], "(all i in 1..n. v(i) = 0) | other.v(0) = 5", "b"),
        (*models, "all i in 0..n - 1. other.v(i) = 0", "baa"),
    ):
        found = first.prove(statement, seconds=8, other=second)
        assert (found.status, found.counterexample) == ("REFUTED", word), (statement, found.counterexample, found.why)


@pytest.mark.sweep
def test_of_a_position_without_an_equation_nothing_is_decided() -> None:
    """A formula has its truth at typed symbols: at BOS `~holds` was decided true, by a proof that was rejected."""
    embedding = sc.Embedding(sc.Space(("v",)), {"a": {"v": 1}, "b": {}, "BOS": {}}, before="BOS")
    model = sc.Transformer("m", embedding, (), sc.Readout("sign", "last", ("v",), [[1]]))
    for statement in ("holds(Q_a, 1)", "~holds(Q_a, 1)", "all i in 1..n. holds(Q_a, i) -> at(a, i)"):
        assert model.prove(statement, seconds=60).status == "REFUTED", statement
    assert model.prove("all i in 2..n. holds(Q_a, i) <-> at(a, i)", seconds=8).status == "PROVED"
