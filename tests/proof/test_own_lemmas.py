"""What a proof of one's own may rest on: proved lemmas, assumptions by name, and nothing else."""

import json
from dataclasses import replace

import pytest
from checkout import ROOT
from test_own import model

from symcook.__main__ import main
from symcook.errors import BadInput, Rejected
from symcook.proof import replay
from symcook.proof.replay import Library, make_certificate
from symcook.proof.search import prooftext
from symcook.proof.statements import certify

LIE = "l. I[l = 4] + I[l = 5]; l. I[l = 1] + I[l = 3] + I[l = 4] + I[l = 6]"


def text(lines: str):
    body = "".join(f"  {line}\n" for line in ["given .. some string (..)", *lines.split("\n")])
    return prooftext.read(f"proof own.votes\n{body}")


@pytest.mark.parametrize(
    ("sentence", "lines", "said"),
    [
        (
            "count(a) = 17",
            f"take lie from lem:cookbook.s9.2.dyck1_examples({LIE})\nqed by lie",
            "dyck1_examples, which",
        ),
        ("0 = 1", f"take lie from cookbook.s9.2.dyck1_examples({LIE})\nqed by lie", "dyck1_examples, which"),
        (
            "count(a) = 17",
            "take lie from cookbook.s5.3.3.lh_scale(0; 1; 1)\nno: 0 = 1 by lie\nqed by no",
            "lh_scale, which",
        ),
        ("vote(n) <= 1", "take x from model.first-position\nqed by x, vote_is(n)", "which is CHECKED"),
    ],
    ids=["refuted", "refuted, false by itself", "refuted, another", "checked only"],
)
def test_a_lemma_that_is_not_proved_is_refused(sentence, lines, said):
    with pytest.raises(
        BadInput, match="a lemma that a proof cites must be a statement with the status PROVED"
    ) as caught:
        certify.prove(certify.claim(model("sign"), sentence), text(lines))
    assert said in str(caught.value)


IVT = "take ivt from named:intermediate_value(x. x; 0; 1; 1; 1)\nknown: ex y:Real. 0 <= y & y <= 1 & y = 1 by ivt"
IVT += "\nobtain y (lo hi is) from known\na: vote(n) <= y by is, vote_is(n)\nqed by a, hi"


def test_an_assumption_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.json").write_text(json.dumps(model("sign")), encoding="utf-8")
    lines = "".join(f"  {line}\n" for line in ["given .. some string (..)", *IVT.split("\n")])
    (tmp_path / "named.proof").write_text(f"proof own.votes\n{lines}", encoding="utf-8")
    asked = ["prove", "votes.json", "--statement", "vote(n) <= 1", "--proof", "named.proof", "--force"]
    assert main(asked) == 0
    assert capsys.readouterr().out.startswith("PROVED assuming named.intermediate_value  vote(n) <= 1\n")
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["assuming"] == ["named.intermediate_value"]


@pytest.mark.sweep
def test_the_library_judges_what_is_not_stored_only_with_lemmas_that_hold(monkeypatch):
    """Every stored claim that is refuted, as a lemma of 0 = 1: the certificate follows, the verdict does not."""
    library = replay.library()
    false = [i for i in library.certificates() if (library.root / "certificates" / f"{i}.refuted.json").is_file()]
    false += [i for i in library.certificates() if _sense(i) == "refuted"]
    assert len(set(false)) > 50
    for name in sorted(set(false))[::12]:
        stored = library.statements[name]
        same = replay.Statement("own.same", stored.text, stored.nontrivial, claim=False, known=stored.known)
        certificate = make_certificate(same, [{"by": "hyp", "of": stored.label}], lemmas=[stored])
        assert replay.judge(same, certificate, {name: stored})[0] == "PROVED"  # as if its lemmas held
        with pytest.raises(Rejected, match="unknown or not proved"):
            library.judged(same, certificate)


def _sense(name: str) -> str:
    path = ROOT / "proofs" / "certificates" / f"{name}.json"
    return json.loads(path.read_bytes()).get("sense", "") if path.is_file() else ""


def test_a_stored_id_is_not_judged_as_ones_own():
    library = replay.library()
    stored = library.statements["lem.sum_ext"]
    certificate = json.loads((ROOT / "proofs" / "certificates" / "lem.sum_ext.json").read_bytes())
    with pytest.raises(Rejected, match="that of a stored statement"):
        library.judged(stored, certificate)


def test_a_text_alone_takes_no_lemmas():
    """`judge` without lemmas has no library that could say whether one holds."""
    stored = replay.statements()["cookbook.s6.4.clip"]
    own = replay.Statement("own.clip", stored.text, known=stored.known, claim=False)
    certificate = make_certificate(own, [{"by": "hyp", "of": stored.label}], lemmas=[stored])
    with pytest.raises(Rejected, match="unknown or not proved"):
        replay.judge(own, certificate)


def test_bounds_and_exports_say_what_is_assumed(monkeypatch):
    """A status that is shown elsewhere has the assumptions too."""
    from symcook import claims
    from symcook.bounds import bound
    from symcook.export.certificate import _statuses

    shown = bound("softmax-hardmax", n=8, gamma=3)
    assert shown.proofs
    assumed = replay.Verdict(shown.proofs[0], "PROVED", named=("x",))
    monkeypatch.setattr(
        replay, "replay", lambda ids, *_: [assumed, *(replay.Verdict(i, "PROVED") for i in shown.proofs[1:])]
    )
    assert shown.verdicts()[shown.proofs[0]] == "PROVED assuming named.x"
    row = replace(claims.ledger(names=["cookbook.s6.4.clip"])[0], status="PROVED", assuming=("named.x",))
    monkeypatch.setattr(claims, "ledger", lambda names: [row])
    assert _statuses([row.id], None) == [{"id": row.id, "status": "PROVED assuming named.x"}]


def test_a_library_of_ones_own_settles_in_order(tmp_path):
    """A lemma without a certificate, and one whose own lemma is missing, are no lemmas."""
    (tmp_path / "statements").mkdir()
    (tmp_path / "certificates").mkdir()
    (tmp_path / "statements" / "definitions.txt").write_text("", encoding="utf-8")
    (tmp_path / "statements" / "a.txt").write_text(
        "[lem.open]\nstatement: 0 = 1\nclaim: no\n\n[lem.on_it]\nstatement: 1 = 2\nclaim: no\n", encoding="utf-8"
    )
    home = Library(tmp_path)
    top, below = home.statements["lem.on_it"], home.statements["lem.open"]
    made = make_certificate(top, [{"by": "absurd", "of": "lem:open"}], lemmas=[below])
    (tmp_path / "certificates" / "lem.on_it.json").write_text(json.dumps(made), encoding="utf-8")
    mine = replay.Statement("own.mine", "1 = 2", claim=False)
    for lemma in (top, below):
        with pytest.raises(Rejected, match="unknown or not proved"):
            home.judged(mine, make_certificate(mine, [{"by": "absurd", "of": lemma.label}], lemmas=[lemma]))


@pytest.mark.sweep
def test_stored_forms_name_statements_that_are_proved():
    """Those that the closed forms at every length are compared with."""
    from stored_forms import FORMS

    ids = {form.proof for forms in FORMS.values() for form in forms[2]}
    assert len(ids) > 8
    assert {verdict.words for verdict in replay.replay(sorted(ids))} == {"PROVED"}
