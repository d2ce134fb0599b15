"""One entry for what is generated: a sentence and the lines of a proof give a certificate, or nothing."""

import json

import pytest
from shared import second_checker

from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.recipes import build

UP, DOWN = "sum(j, 1, i, I[w(j) = 0])", "sum(j, 1, i, I[w(j) = 1])"
ERROR = f"all i in 1..n. error(i) = max(0, ({DOWN} - {UP})/i)"
LINES = f"""balance: all i in 1..n. balance(i) = ({UP} - {DOWN})/i by token_is, balance_is
qed by balance, error_is
"""


@pytest.fixture(scope="module")
def dyck():
    return json.loads(modelfile.dumps(build("dyck-1").bind({})))


def test_generated_lines_give_a_certificate_that_both_checkers_accept(dyck, tmp_path):
    found = certify.certified(dyck, ERROR, LINES)
    assert found is not None and (found.verdict.status, found.verdict.assuming) == ("PROVED", ())
    assert found.certificate["model"] == modelfile.document_hash(dyck)
    done = second_checker(tmp_path, found.statement, found.certificate)
    assert done.returncode == 0 and "PROVED" in done.stdout, done.stdout + done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        (ERROR.replace("max(0", "max(1"), LINES),  # false
        (ERROR, LINES.replace(f"{UP} - {DOWN}", f"{DOWN} - {UP}")),  # a line that does not follow
        (ERROR, "qed by nothing_of_this_name\n"),
        (ERROR, "balance: all i in 1..n. balance(i) = 0\n"),  # the label is a name of the model, the line is wrong
        ("accept & ~accept -> n = 5", "qed\n"),  # no word meets the premise
    ],
)
@pytest.mark.layer_two(every=4)
def test_what_does_not_follow_gives_nothing(dyck, sentence, lines):
    assert certify.certified(dyck, sentence, lines, seconds=20) is None


@pytest.mark.sweep
def test_a_whole_text_and_none_at_all(dyck):
    sentence = f"all i in 1..n. balance(i) = ({UP} - {DOWN})/i"
    assert certify.certified(dyck, sentence) is not None
    text = (
        "proof own.dyck-1\n  given n w token balance error total some string (token_is balance_is error_is total_is)\n"
    )
    assert certify.certified(dyck, sentence, text + "  qed by token_is, balance_is\n") is not None
    assert certify.certified(dyck, sentence, text.replace("own.dyck-1", "own.other") + "  qed\n") is None
    assert certify.certified(dyck, sentence, "qed\n", seconds=0) is None


def test_what_is_no_sentence_is_bad_input(dyck):
    with pytest.raises(BadInput, match="unknown here"):
        certify.certified(dyck, "levels(n) = 0", "qed\n")
