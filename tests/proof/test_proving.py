"""`Transformer.prove`: its three answers, what it refuses, and that the command gives the same."""

import json
from dataclasses import replace

import pytest
from test_own_words import MODELS

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput, NoRun
from symcook.proof.statements import certify
from symcook.proof.statements.proving import ProofAnswer

TELESCOPE = "sum(j, 1, n, 1/(j*(j + 1))) = n/(n + 1)"
"""True, and the automation, which knows no induction, does not find a proof."""


@pytest.fixture(scope="module")
def votes() -> sc.Transformer:
    return MODELS["votes"]()


def test_a_true_statement(votes, tmp_path, capsys):
    """The certificate that is saved is the one that the command checks again."""
    answer = votes.prove("accept <-> count(a) > count(b)")
    assert (answer.status, answer.counterexample, answer.word, answer.why) == ("PROVED", None, None, None)
    strings = "for every string of at least one symbol"
    assert repr(answer) == f"<ProofAnswer PROVED: accept <-> count(a) > count(b), {strings}>"
    assert answer.certificate is not None and answer.method == "fragment B: counts and linear arithmetic"
    votes.save(tmp_path / "votes.json")
    certificate, statement = answer.save(tmp_path / "votes.proof.json")
    assert statement.name == "votes.statement.txt" and json.loads(certificate.read_bytes()) == answer.certificate
    assert main(["prove", str(tmp_path / "votes.json")]) == 0
    assert "checked again" in capsys.readouterr().out
    with pytest.raises(BadInput, match="force=True"):
        answer.save(tmp_path / "votes.proof.json")
    assert answer.save(certificate, force=True) == (certificate, statement)


@pytest.mark.parametrize(
    ("name", "statement", "counterexample", "word"),
    [
        ("votes", "count(a) <= 1", "aa", ("a", "a")),
        ("equal with CLS", "accept <-> count(a) < count(b)", "", ()),
    ],
)
def test_a_false_statement_has_the_smallest_string(name, statement, counterexample, word):
    """Read off by hand: two a's are the least number above one, and the empty string has as many a's as b's."""
    answer = MODELS[name]().prove(statement)
    assert (answer.status, answer.counterexample, answer.word) == ("REFUTED", counterexample, word)
    assert answer.certificate is not None and answer.certificate["sense"] == "refuted"
    assert repr(answer) == f"<ProofAnswer REFUTED: {statement} is false of {counterexample or 'the empty string'}>"



@pytest.mark.parametrize(("temperature", "runs"), [("2 - n", False), ("n", True)])
def test_strings_without_a_run_are_left_out_in_words(temperature: str, runs: bool) -> None:
    """With the temperature 2 - n there are runs on strings of one symbol alone, which the statement is about."""
    built = sc.Builder(words={"a": {"x": 1, "one": 1}, "b": {"one": 1}})
    mean = built.add(sc.head({("one", "x"): 1}, {"m": "x"}, weighting="softmax", temperature=temperature))
    built.readout("sign", "last", mean, weights=[1])
    model = built.build("means")
    answer = model.prove("x(n) <= 1")
    assert answer.status == "PROVED"
    that_run = "" if runs else " that has a run"
    assert repr(answer).endswith(f", for every string of at least one symbol{that_run}>")
    assert ("Strings      those that have a run" in answer.text()) is not runs
    if not runs:
        with pytest.raises(NoRun):
            model.run("ab")


def test_a_second_model_or_a_greatest_length_leaves_strings_out_in_words() -> None:
    """The statements are about strings that both models take: of up to three symbols, or such without a b, as
    the norm refuses two equal numbers."""
    words = {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 1}}

    def made(norm: bool = False, longest: int | None = None) -> sc.Transformer:
        norms = (sc.LayerNorm(("x", "y"), ("c", "d"), projection=[[1, 0], [0, 1]]),) * norm
        head = sc.SelfAttention((sc.head(value={"m": "c" if norm else "x"}, mask="causal"),))
        layer = sc.Layer(head, attention_norms=norms, placement="projected pre" if norm else "none")
        embedding = sc.Embedding(sc.Space(("x", "y", "m")), words=words)
        readout = sc.Readout("sign", "last", ("x",), weights=[1])
        return sc.Transformer("m", embedding, (layer,), readout, max_length=longest)

    every, short, normed = made(), made(longest=3), made(norm=True)
    ended = replace(every, embedding=replace(every.embedding, words={**words, "!": {}}, after="!"))
    empty = "a model that adds no token has no run on the empty string"
    assert repr(every.prove("accept")).endswith(", for every string of at least one symbol>")
    both = ended.prove("2 <= n | other.x(1) = 5", other=every)
    assert repr(both).endswith(", for every string of at least one symbol>") and "Strings  " not in both.text()
    assert repr(ended.prove("1 <= n")).endswith(", for every string>")
    for answer, why in (
        (short.prove("n <= 3"), "a model takes at most 3 positions"),
        (short.prove("accept -> appended(a).accept"), "a model takes at most 3 positions"),
        (every.prove("n <= 3 & other.accept", other=short), "a model takes at most 3 positions"),
        (every.prove("2 <= n | deleted(p).x(1) = 5"), empty),
        (every.prove("other.accept -> accept", other=normed), "a norm or a temperature may leave a string without one"),
    ):
        assert answer.status == "PROVED" and repr(answer).endswith("at least one symbol that has a run>")
        assert f"Strings      those that have a run: {why}" in answer.text()


def test_a_false_statement_about_numbers():
    """The counterexample is a row of inputs, here one with x < y."""
    answer = sc.build("max").prove("out <= x")
    assert (answer.status, answer.counterexample) == ("REFUTED", "x=0, y=1")


@pytest.mark.sweep
def test_what_is_undecided(votes, capsys):
    answer = votes.prove(TELESCOPE)
    assert (answer.status, answer.counterexample, answer.certificate) == ("OPEN", None, None)
    assert "the automation found no proof" in answer.why and "still to show" in answer.remaining
    assert "; true of all strings with at most " in repr(answer) and len(repr(answer)) <= 118
    with pytest.raises(BadInput, match="only an answer with a certificate can be saved"):
        answer.save("nowhere.json")


def test_a_refutation_without_a_certificate_is_one(votes, monkeypatch, tmp_path, capsys):
    """A run shows the counterexample; that no proof of the negation was found does not make it undecided."""
    monkeypatch.setattr(certify, "refute", lambda *given: (None, None))
    answer = votes.prove("count(a) <= 1")
    assert (answer.status, answer.counterexample, answer.certificate) == ("REFUTED", "aa", None)
    assert answer.why == "no proof of the negation was found" and answer.method == "fragment A: automata over positions"
    monkeypatch.chdir(tmp_path)
    votes.save("votes.json")
    assert main(["prove", "votes.json", "--statement", "count(a) <= 1"]) == 1
    first, second, end = capsys.readouterr().out.split("\n")
    assert (first, end) == ("REFUTED  count(a) <= 1  (false of aa)", "")
    assert second == "No proof     no proof of the negation was found: an exact run shows it"
    assert [file.name for file in tmp_path.iterdir()] == ["votes.json"]


@pytest.mark.sweep
def test_it_shows_itself(votes):
    proved, refuted, undecided = (votes.prove(s) for s in ("1 <= n", "count(a) <= 1", TELESCOPE))
    for answer, expected in ((proved, "PROVED"), (refuted, "REFUTED"), (undecided, "OPEN")):
        assert answer.text().startswith(f"{expected}  {answer.statement}")
        html = answer._repr_html_()
        assert expected in html and html.count("<table") == html.count("</table>") == 1
        assert r"\forall n \in \mathbb{Z}" in answer.latex()
    assert ">aa</td>" in refuted._repr_html_()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "prove must be given statement"),
        ({"statement": 3}, "must be text"),
        ({"statement": "count(z) = 0"}, "given: z"),
        ({"statement": "count(a)"}, "a statement must be a formula"),
        ({"statement": "1 <= n", "seconds": 0}, "the time limit must be at least 1 second"),
        ({"statement": "1 <= n", "seconds": 0.5}, "must be an integer or None"),
        ({"statement": "1 <= n", "proof": "qed"}, "expected"),
        ({"statement": "1 <= n", "values": {"c": 1}}, "c"),
    ],
)
def test_bad_input_is_one_sentence(votes, given, message):
    with pytest.raises(BadInput) as caught:
        votes.prove(**given)
    assert message in str(caught.value)


@pytest.mark.sweep
def test_a_symbol_without_a_value_is_every_real_of_its_region():
    """A default would make a theorem about one value look like one about all."""
    answer = sc.build("parity").prove("accept -> 1 <= n")
    assert answer.status == "PROVED" and "c:Real" in answer.claim.written and "0 < c" in answer.claim.written
    with pytest.raises(BadInput, match=r"given: d; known: c"):
        sc.build("parity").prove("1 <= n", values={"d": 1})
    assert sc.build("parity").prove("accept -> 1 <= n", values={"c": 1}).status == "PROVED"


def test_a_proof_script(votes):
    script = "proof own.votes\n  given .. some word (..)\n  qed by some\n"
    answer = votes.prove("1 <= n", proof=script)
    assert (answer.status, answer.method) == ("PROVED", "proof script")
    gap = script.replace("qed by some", "qed")
    assert votes.prove("vote(n) <= 0", proof=gap).status == "REFUTED"  # strings are tried before the script


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("statement", "code", "status"),
    [
        ("1 <= n", 0, "PROVED"),
        ("count(a) <= 1", 1, "REFUTED"),
        pytest.param(TELESCOPE, 3, "OPEN", marks=pytest.mark.campaign),
    ],
)
def test_the_command_gives_the_same(votes, tmp_path, monkeypatch, capsys, statement, code, status):
    """Its exit code, and its JSON, which has the keys of an answer in a file of claims too."""
    monkeypatch.chdir(tmp_path)
    votes.save("votes.json")
    assert main(["prove", "votes.json", "--statement", statement, "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    answer: ProofAnswer = votes.prove(statement)
    assert document["status"] == answer.status == status
    assert {"id", "statement", "word", "tried", "method", "seconds", "certificate", "why"} <= {*document}
    assert document["word"] == (None if answer.word is None else list(answer.word))
    assert (document["certificate"] is None) is (answer.certificate is None)
    assert document["why"] == answer.why


def test_a_model_that_was_compiled():
    """The lines made for its program are tried, as the command does."""
    model = sc.compile("ltl", "Q_b & prev Q_a", alphabet="ab", name="ends")
    answer = model.prove("all i in 1..n. accept(i) <-> holds(Q_b & prev(Q_a), i)")
    assert answer.status == "PROVED" and answer.certificate is not None


@pytest.mark.layer_two(0, 2, 3)
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "code"), [("dyck-1", 0), ("first-layernorm", 3), ("family-count", 0), ("family-max", 3)]
)
def test_derive_tells_what_is_not_proved_by_its_exit_code(name, code, capsys):
    """The certificate of dyck-1 covers each form that was found, not the root of a norm."""
    assert main(["derive", name]) == code
    assert ("\nnot proved: " in capsys.readouterr().out) is (code == 3)
    if name == "first-layernorm":  # whose search takes as long again
        return
    assert main(["derive", name, "--json"]) == code
    assert {form["proved"] for form in json.loads(capsys.readouterr().out)} == {code == 0}


def test_with_an_input_derive_ends_as_before(capsys):
    assert main(["derive", "first-layernorm", "--input", "10"]) == 0
