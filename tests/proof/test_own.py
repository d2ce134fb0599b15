"""Claims about models of one's own: what is true is proved without a text, what is false is not, bad input is said."""

import json
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from checkout import ROOT
from families import together

from symcook.__main__ import main
from symcook.errors import BadInput, Rejected
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import kernel, replay
from symcook.proof.search import prooftext
from symcook.proof.search.elaborate import StepGap
from symcook.proof.statements import certify


def model(readout: str, mask: str = "future", position: str = "last") -> dict:
    """The mean of +1 for a and -1 for b."""
    space = Space(("vote", "mean"))
    embedding = Embedding(space, words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    head = Head(reads=("vote",), writes=("mean",), Q=[[0]], K=[[0]], V=[[1]], mask=mask)
    weights = {"weights": [1]} if readout == "sign" else {}
    made = Transformer(
        "votes", embedding, (Layer(SelfAttention((head,))),), Readout(readout, position, ("mean",), **weights)
    )
    return json.loads(modelfile.dumps(made))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("readout", "mask", "sentence"),
    [
        ("sign", "future", "accept <-> count(a) > count(b)"),
        ("sign", "none", "accept <-> count(a) > count(b)"),
        ("zero", "future", "accept <-> count(a) = count(b)"),
        ("sign", "future", "count(a) = 0 -> ~accept"),
    ],
)
def test_what_is_true_is_proved(readout, mask, sentence):
    statement = certify.claim(model(readout, mask), sentence)
    certificate = certify.prove(statement)
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    assert replay.judge(statement, certificate, lemmas)[0] == "PROVED"
    other = certify.claim(model(readout, mask), sentence.replace("count(a)", "count(c)"))
    with pytest.raises(Rejected):  # the certificate is for this statement alone
        replay.judge(other, certificate, lemmas)


@pytest.mark.sweep
@pytest.mark.parametrize("sentence", [pytest.param("accept", marks=pytest.mark.campaign), "count(a) + count(b) = n"])
def test_what_is_false_is_not_proved(sentence):
    with pytest.raises(StepGap) as caught:
        certify.prove(certify.claim(model("sign"), sentence))
    assert "still to show" in str(caught.value) or "ended" in str(caught.value)


def labelled(mask: str = "none", position: str = "last", labels: int = 3) -> dict:
    """Answers by the mean of +1 for a and -1 for b; the first of the largest scores, so a tie answers "more a"."""
    space = Space(("vote", "mean"))
    embedding = Embedding(space, words={"a": {"vote": 1}, "b": {"vote": -1}, "(": {}})
    head = Head(reads=("vote",), writes=("mean",), Q=[[0]], K=[[0]], V=[[1]], mask=mask)
    scores: dict = {"weights": [[1], [-1], [0]][:labels], "labels": ("more a", "more_b", "tie")[:labels]}
    readout = Readout("largest", position, ("mean",), **scores)
    return json.loads(modelfile.dumps(Transformer("labels", embedding, (Layer(SelfAttention((head,))),), readout)))


@together(
    ("sentence", "true"),
    [
        ('answer("more a") <-> count(a) >= count(b)', True),
        ('answer("more a") <-> count(a) > count(b)', False),
        ("answer(more_b) <-> count(a) < count(b)", True),
        ("~answer(tie)", True),
        ("all i in 1..n. at(a, i) -> first(a) <= i & i <= last(a)", True),
        ("all i in 1..n. at(a, i) -> first(a) < i", False),
        ("(count(a) = 0 <-> first(a) = n + 1) & (count(a) = 0 <-> last(a) = 0)", True),
        ("count(a) = 1 <-> first(a) = last(a)", True),
        ("count(a) <= 1 <-> first(a) = last(a)", False),
        ("0 < count(b) -> at(b, first(b)) & at(b, last(b))", True),
        ('count("(") = 0 -> first("(") = n + 1', True),
        ('count(a) + count(b) = n <-> first("(") = n + 1', True),
        ("all i in 1..n. all j in 1..n. at(a, i) & at(b, j) -> first(a) + first(b) <= i + j", True),
    ],
)
def test_words_of_a_sentence_mean_what_they_say(sentence, true):
    """All words up to length 3: 39 of them, with the run of each."""
    statement = certify.claim(labelled(), sentence)
    if true:
        assert statement.evaluated(3) > 0
    else:
        with pytest.raises(Rejected):
            statement.evaluated(3)


def test_an_answer_is_that_of_the_model_itself():
    """The condition of each label holds where the model, run exactly, answers with it."""
    document = labelled()
    made = modelfile.loads(json.dumps(document))
    for word in ["a", "b", "(", "ab", "aab", "abb", "(b", "((", "ba(a"]:
        (answer,) = made.run(word).outputs
        for label in ("more a", "more_b", "tie"):
            a, b = word.count("a"), word.count("b")
            where = f"n = {len(word)} & count(a) = {a} & count(b) = {b}"
            says = f'{where} -> {"" if label == answer else "~"}answer("{label}")'
            assert certify.claim(document, says).evaluated(len(word)) > 0


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("answer(more_b) <-> count(a) < count(b)", ""),
        (
            'answer("more a") <-> count(a) >= count(b)',
            "  given n w vote mean some string (vote_is mean_is)\n"
            "  votes: sum(j, 1, n, vote(j)) = sum(i, 1, n, I[w(i) = 0]) - sum(i, 1, n, I[w(i) = 1])"
            " by vote_is, sum_ext\n"
            "  mean_now: mean(n)*n = sum(j, 1, n, vote(j)) by mean_is(n)\n  qed by votes, mean_now\n",
        ),
        (
            "at(a, 1) -> first(a) = 1",
            "  given n w vote mean some string run is\n"
            "  each: all i in 1..n. I[all j in 1..i. w(j) != 0] = 0 by is\n"
            "  qed by sum_ext(i. I[all j in 1..i. w(j) != 0]; i. 0; 1; n)[each]\n",
        ),
    ],
)
def test_claims_about_labels_and_positions_are_proved(sentence, text):
    statement = certify.claim(labelled(), sentence)
    certificate = certify.prove(statement, prooftext.read(f"proof own.labels\n{text}"))
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    assert replay.judge(statement, certificate, lemmas)[0] == "PROVED"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("labels", [2, 3])
def test_a_claim_is_proved_where_comparing_sums_by_their_terms_does_not_help(labels):
    statement = certify.claim(labelled(labels=labels), 'count(a) >= count(b) <-> answer("more a")')
    certificate = certify.prove(statement)
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    assert replay.judge(statement, certificate, lemmas)[0] == "PROVED"


def at_each(kind: str) -> dict:
    """The mean of +1 for a and -1 for b up to each position, and an answer there."""
    return labelled("future", "each") if kind == "largest" else model(kind, position="each")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("kind", ["largest", "sign", "zero"])
def test_an_answer_at_each_position_is_that_of_the_model_itself(kind):
    """For the words of 1 to 3 letters a and b, at each position, against the exact run."""
    document = at_each(kind)
    made = modelfile.loads(json.dumps(document))
    for word in ("a", "b", "ab", "ba", "bba", "aab", "abb"):
        letters = " & ".join(f"at({letter}, {i})" for i, letter in enumerate(word, 1))
        for i, answer in enumerate(made.run(word).outputs, 1):
            if kind == "largest":
                says = " & ".join(
                    f'{"" if label == answer else "~"}answer("{label}", {i})' for label in ("more a", "more_b", "tie")
                )
            else:
                says = f"{'' if answer else '~'}accept({i})"
            assert certify.claim(document, f"n = {len(word)} & {letters} -> {says}").evaluated(len(word)) > 0


@pytest.mark.sweep
def test_a_claim_about_each_position_is_proved():
    statement = certify.claim(at_each("sign"), "all i in 1..n. accept(i) -> 0 < sum(j, 1, i, vote(j))")
    certificate = certify.prove(statement)
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    assert replay.judge(statement, certificate, lemmas)[0] == "PROVED"


@pytest.mark.sweep
def test_where_the_search_ends_the_names_are_those_of_the_model():
    with pytest.raises(StepGap) as caught:
        certify.prove(certify.claim(model("sign"), "count(a) = 0 -> accept"))  # which is false
    assert "mean_is: all" in str(caught.value) and "k1" not in str(caught.value)
    assert "still to show" in str(caught.value) or "ended" in str(caught.value)


@pytest.mark.parametrize("sentence", ["accept", "accept()"])
def test_a_readout_at_each_position_is_asked_at_the_last_without_one(sentence):
    document = at_each("sign")
    assert certify.claim(document, sentence).text == certify.claim(document, "accept(n)").text


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("answer(more_c)", "did you mean more_b"),
        ("accept", "accept needs a readout zero or sign; given: largest"),
        ("answer(tie, n)", "no position, since the readout decides once"),
        ("at(a)", "at takes a token and a position"),
        ("first(a, 1) = 1", "first takes one name"),
        ("last(d) = 1", "known: a, b, ("),
        ("at(a, (1 + 2", "close its brackets"),
    ],
)
def test_words_of_a_sentence_that_do_not_fit_are_refused(sentence, said):
    with pytest.raises(BadInput) as caught:
        certify.claim(labelled(), sentence)
    assert said in str(caught.value)


def test_a_coordinate_that_is_called_like_a_word_is_quoted():
    document = json.loads(json.dumps(labelled()).replace('"mean"', '"first"'))
    assert certify.claim(document, '"first"(n) <= 1').text.endswith("(first_(n) <= 1)")


@pytest.mark.sweep
def test_a_text_is_used():
    statement = certify.claim(model("sign"), "accept <-> count(a) > count(b)")
    lines = "given n w vote mean many word (votes means)\n"
    text = prooftext.read("proof own.votes\n  " + lines + "  total: mean(n) = sum(j, 1, n, vote(j))/n by means\n")
    assert certify.prove(statement, text)["sense"] == "proved"
    wrong = prooftext.read("proof own.votes\n  " + lines + "  total: mean(n) = sum(j, 1, n, vote(j)) by means\n")
    with pytest.raises(StepGap, match="line 3, column 3"):
        certify.prove(statement, wrong)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("accept <-> count(d) = 0", "the token must be a known name; given: d"),
        ("accept <-> count(a) >", "a statement must be a formula over the model's run"),
        ("accept <-> 0 < depth(n)", "the name 'depth' is unknown here"),
        ("count(a)", "a statement must be a formula over the model's run"),
    ],
)
def test_a_sentence_that_is_none(sentence, said):
    with pytest.raises(BadInput) as caught:
        certify.claim(model("sign"), sentence)
    assert said in str(caught.value)


@pytest.mark.sweep
def test_the_command_writes_the_certificate(tmp_path, capsys):
    from symcook.cli.own import prove_own

    path = tmp_path / "votes.json"
    path.write_text(modelfile.dumps(modelfile.loads(json.dumps(model("sign")))), encoding="utf-8")
    assert prove_own(str(path), "accept <-> count(a) > count(b)", None, False, False) == 0
    assert capsys.readouterr().out.startswith("PROVED  accept <-> count(a) > count(b)\n")
    certificate = replay.load_json((tmp_path / "votes.proof.json").read_bytes())
    statement = certify.claim(model("sign"), "accept <-> count(a) > count(b)")
    kernel.check(
        statement.formula,
        certificate["proof"],
        lemmas={replay.statements()[n].label: replay.statements()[n].formula for n in certificate["lemmas"]},
        known=statement.known,
    )
    folder = replay.library().root
    proofs = [str(folder / "certificates" / f"{n}.json") for n in certify.below(certificate)]
    asked = [sys.executable, "-I", str(folder / "checker.py"), str(tmp_path / "votes.statement.txt"), *proofs]
    done = subprocess.run([*asked, str(tmp_path / "votes.proof.json")], capture_output=True, text=True)
    assert done.returncode == 0 and f"{len(proofs) + 1} PROVED, 0 REFUTED" in done.stdout, done.stdout
    assert prove_own(str(path), "accept <-> count(a) > count(b)", None, False, False) == 0
    assert capsys.readouterr().out.startswith("already PROVED  accept <-> count(a) > count(b)\n")
    assert prove_own(str(path), "accept", None, True, False) == 1
    assert capsys.readouterr().out.startswith("REFUTED  accept\nFalse of     b\n")


@pytest.mark.sweep
def test_the_page_from_a_model_to_a_theorem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """docs/guides/statements.md: its model, its first sentence, and the text that guides the search."""
    page = (ROOT / "docs" / "guides" / "statements.md").read_text(encoding="utf-8")
    page = re.sub(r"^```\w*\n(.*?)^```\n", lambda block: textwrap.indent(block[1], "    "), page, flags=re.M | re.S)
    code = page[page.index("    import symcook") : page.index("Any file")]
    text = re.search(r"    proof own\.votes\n(?: {6}.*\n)+", page)
    commands = [shlex.split(line) for line in page.splitlines() if line.startswith("    symcook prove votes.json")]
    with_text = next(command for command in commands if "--proof" in command)
    assert text
    monkeypatch.chdir(tmp_path)
    exec(textwrap.dedent(code), {})
    (tmp_path / "votes.proof").write_text(textwrap.dedent(text[0]), encoding="utf-8")
    for command in (commands[0], with_text):
        assert main(command[1:]) == 0
        assert capsys.readouterr().out.startswith("PROVED")
    false = next(command for command in commands if "<= count" in command[4])
    assert main(false[1:]) == 1
    assert "    " + capsys.readouterr().out.replace("\n", "\n    ", 1).partition("\nStatement")[0] in page
    (numbers,) = [shlex.split(line) for line in page.splitlines() if line.startswith("    symcook prove max")]
    assert main(numbers[1:]) == 0
    assert capsys.readouterr().out.startswith("PROVED  out = max(x, y)\n")
    refutation = re.search(r"    refutation own\.votes\n(?: {6}.*\n)+", page)
    assert refutation
    (tmp_path / "votes.proof").write_text(textwrap.dedent(refutation[0]), encoding="utf-8")
    assert main([*false[1:], "--proof", "votes.proof"]) == 1
    assert capsys.readouterr().out.startswith("REFUTED")
