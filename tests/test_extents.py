"""Sentences of answers name the strings, positions and parameter values that were compared, and no more.

Each expected sentence is by hand, from what the models below compute on short strings.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from shared import call, document

import symcook as sc
from symcook.errors import BadInput
from symcook.model.extent import Extent
from symcook.proof.statements import certify
from symcook.proof.statements.proving import ProofAnswer, document_of
from symcook.proof.statements.shortruns import Tried
from symcook.report import check as check_report
from symcook.report import decision as decision_report
from symcook.report.question import figure

ENDS_IN_A = sc.Fold(False, lambda state, letter: letter == "a", lambda state: state)


def ends_in_a(position: Literal["last", "each"] = "last", **parameter: Any) -> sc.Transformer:
    """The logit is c at an a and -1 at a b: with c = 1 it accepts the strings that end in a, with c = -1 none."""
    built = sc.Builder(words={"a": {"x": 1}, "b": {"y": 1}})
    weight = built.symbol("c", **parameter) if parameter else 1
    built.readout("sign", position, ["x", "y"], weights=[weight, -1])
    return built.build("ends")


def with_default(position: Literal["last", "each"] = "last") -> sc.Transformer:
    """The same with the parameter c from -2 to 2, which is 1 by default."""
    return ends_in_a(position, default=1, lower=-2, upper=2)


def test_at_another_value_the_answers_are_others() -> None:
    """So a comparison at the default says nothing of other values; prove, which is about all of them, refutes it."""
    model = with_default()
    assert (model.run("a").accept, model.bind(c=-1).run("a").accept) == (True, False)
    assert model.prove("accept <-> at(a, n)").status == "REFUTED"


def reads_numbers() -> sc.Transformer:
    """The logit is the last of its numbers."""
    built = sc.Builder(inputs=["u"])
    built.readout("sign", "last", ["u"], weights=[1])
    return built.build("last")


def cools() -> sc.Transformer:
    """With the temperature 2 - n there are runs on strings of one symbol alone."""
    built = sc.Builder(words={"a": {"x": 1, "one": 1}, "b": {"one": 1}})
    mean = built.add(sc.head({("one", "x"): 1}, {"m": "x"}, weighting="softmax", temperature="2 - n"))
    built.readout("sign", "last", mean, weights=[1])
    return built.build("cools")


PLAIN, OPEN, NUMBERS, COOLS = ends_in_a, with_default, reads_numbers, cools
DECISIONS: list[tuple[Any, dict[str, Any], str, str]] = [
    (PLAIN, {}, "(a|b)*a", "EQUAL: ends answers as R does, on every string of at least one symbol"),
    (OPEN, {}, "(a|b)*a", "EQUAL: ends answers as R does, on every string of at least one symbol, with c = 1"),
    (OPEN, {"values": {"c": "-1"}}, "[]",
     "EQUAL: ends answers as R does, on every string of at least one symbol, with c = -1"),
    (OPEN, {}, "[]", "DIFFERENT: ends and R, with c = 1"),
    (PLAIN, {"inputs": "(a|b)*"}, "(a|b)*a",
     "EQUAL: ends answers as R does, on every string of (a|b)* of at least one symbol"),
    (PLAIN, {"inputs": "b*a"}, "(a|b)*a", "EQUAL: ends answers as R does, on every string of b*a"),
    (OPEN, {"inputs": "b*a"}, "(a|b)*a", "EQUAL: ends answers as R does, on every string of b*a, with c = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "how", "against", "said"), DECISIONS)
def test_decide(make: Any, how: dict[str, Any], against: str, said: str) -> None:
    answer = make().decide(against, name="R", **how)
    assert answer.text().splitlines()[0] == said
    values = {"c": "1", **how.get("values", {})} if make is OPEN else None
    assert answer.to_json().get("values") == values


def test_decide_says_at_which_values_the_specification_stands() -> None:
    answer = ends_in_a().decide(with_default(), name="R")
    first = "EQUAL: ends answers as R does, on every string of at least one symbol, with c = 1 in the specification"
    assert answer.text().splitlines()[0] == first
    assert answer.to_json()["against_values"] == {"c": "1"} and "values" not in answer.to_json()


def test_the_smallest_string_is_one_of_the_inputs() -> None:
    """Model and specification differ on b already, which is no input."""
    answer = ends_in_a().decide("(a|b)*", inputs="bbb*")
    assert "smallest string of the inputs: bb\n" in answer.text()
    assert "smallest string: b\n" in ends_in_a().decide("(a|b)(a|b)*").text()


def test_a_certificate_is_checked_at_the_same_values(tmp_path: Path) -> None:
    from symcook.decide.certificate import document
    from symcook.decide.decision import recheck

    model = with_default()
    checked = recheck(document(model.decide("(a|b)*a")), model, "(a|b)*a", name="")
    assert checked.text().splitlines()[0].endswith(" of at least one symbol, with c = 1")


@pytest.mark.parametrize(("make", "length", "how", "said"), [
    (PLAIN, 3, {}, "ends agrees with its specification on 14 inputs of 14"),
    (OPEN, 3, {}, "ends agrees with its specification on 14 inputs of 14, with c = 1"),
    (OPEN, 40, {}, "ends agrees with its specification on 2,199,023,255,550 inputs of 2,199,023,255,550, with c = 1"),
    (OPEN, 3, {"inputs": "b*a"}, "ends agrees with its specification on 3 inputs of 3, with c = 1"),
    (OPEN, 3, {"positions": "last"}, "ends agrees with its specification on 14 inputs of 14, with c = 1"),
    (OPEN, 3, {"values": {"c": "-1"}}, "ends differs from its specification on 7 inputs of 14, with c = -1"),
])  # fmt: skip
def test_check(make: Any, length: int, how: dict[str, Any], said: str) -> None:
    """Of the 14 strings of one to three symbols 7 end in a."""
    # Positions are chosen of a model that answers at each.
    each = "positions" in how
    fold = sc.Fold(ENDS_IN_A.start, ENDS_IN_A.step, ENDS_IN_A.answer, each=each)
    answer = make("each" if each else "last").check(fold, length, **how)
    assert answer.text().splitlines()[0] == said
    assert answer.to_json().get("values") == ({"c": "1", **how.get("values", {})} if make is OPEN else None)


@pytest.mark.parametrize(("extent", "every"), [
    (Extent(), "every string"),
    (Extent(shortest=1), "every string of at least one symbol"),
    (Extent(longest=5), "every string up to length 5"),
    (Extent(shortest=1, longest=5), "every string of length 1 to 5"),
    (Extent("a*", 1), "every string of a* of at least one symbol"),
    (Extent("a*", longest=2, positions="last", values={"c": "1"}, against={"d": "1/2"}),
     "every string of a* up to length 2, answers at positions: last, with c = 1, with d = 1/2 in the specification"),
])  # fmt: skip
def test_words_of_an_extent(extent: Extent, every: str) -> None:
    assert extent.every == every


def means() -> sc.Transformer:
    """The share of a's less a third where the string ends in a: of b's alone the numbers are 0."""
    built = sc.Builder(words={"a": {"x": 1}, "b": {"y": 1}})
    built.attention("share", "x")
    built.readout("sign", "last", ["share", "x"], weights=[1, "-1/3"])
    return built.build("means")


def test_tables_name_the_values_of_parameters() -> None:
    """The margin of a is 1 with c = 1, and 3/2 with c = 3/2."""
    for values, said in (({}, ", with c = 1"), ({"c": "3/2"}, ", with c = 3/2")):
        model = with_default()
        for answer in (model.margin(2, values=values), model.temperature(2, values=values),
                       model.precision(2, formats=[], values=values)):  # fmt: skip
            assert answer.text().splitlines()[0] == f"{answer.kind} of ends{said}"
            assert answer.to_json()["values"] == {"c": said.rpartition(" ")[2]}
            assert figure(answer).title.endswith(said)
    assert "values" not in ends_in_a().margin(1).to_json()


def test_bits_that_are_enough_are_enough_for_the_inputs() -> None:
    """One bit is enough for b's alone, and not for ab, where the logit is 1/2."""
    few, every = means().precision(2, inputs="b*", formats=["float16"]), means().precision(2, formats=["float16"])
    assert (few.rows[1]["enough"], every.rows[1]["enough"]) == (1, 3)
    assert "enough: bits that suffice for every string of the inputs in every runtime" in few.text()
    assert "float16: answers to the inputs guaranteed up to n = 2" in few.text()
    assert "enough: bits that suffice for every string in every runtime" in every.text()


def test_pictures_name_the_inputs() -> None:
    """With the weight 2/3 the answer to ba changes, which is an input; that to a changes with 1/3 already."""
    few = means().tolerance("readout[share]", 2, min_length=2, inputs="b*a")
    drawn = figure(few)
    assert drawn.title == "means: readout[share] with every string of the inputs right"
    assert [curve.label for curve in drawn.curves] == ["smallest weight with every string of the inputs right"]


def test_soft_models_name_the_values_of_parameters() -> None:
    built = sc.Builder(words={"a": {"x": 1}, "b": {"y": 1}})
    scale = built.symbol("c", default=1, lower=0, upper=2)
    built.attention("share", "x")
    built.readout("sign", "last", ["share"], weights=[scale])
    soft = built.build("share").hardsoft("1/2", max_length=2, values={"c": "1/2"})
    assert soft.text().splitlines()[0].endswith("checked on every string of length 1 to 2 (CHECKED 2), with c = 1/2")
    assert soft.to_json()["values"] == {"c": "1/2"}


def test_two_models_differ_at_the_values_of_their_parameters() -> None:
    """Both are equal at c = 1, and differ on a at c = -1."""
    answer = with_default().diff(with_default(), 2)
    said = "ends (first) and ends (second) do not differ, on 6 inputs, with c = 1, with c = 1 in ends (second)"
    assert answer.text().splitlines()[0] == said
    assert answer.to_json()["values"] == answer.to_json()["against_values"] == {"c": "1"}
    assert with_default().diff(with_default().bind(c=-1), 2).holds is False


@pytest.mark.parametrize(("values", "said"), [
    ({}, "ends on a, with c = 1: accept"), ({"c": "-1/2"}, "ends on a, with c = -1/2: reject"),
])  # fmt: skip
def test_a_run_names_the_values_of_parameters(values: dict[str, str], said: str) -> None:
    run = with_default().run("a", values=values)
    assert run.text().splitlines()[0] == said and repr(run) == f"<Run {said}>"
    assert run.to_json()["values"] == {"c": "1", **values} and said in run._repr_html_()
    assert "values" not in ends_in_a().run("a").to_json()


def test_an_export_names_the_values_in_its_weights(tmp_path: Path) -> None:
    file = tmp_path / "ends.npz"
    written = with_default().export(file, max_length=2, values={"c": "-1"})
    assert "float64, exact answers up to length 2 (6 inputs compared), with c = -1\n" in written.text()
    said = "the certificate holds: ends.npz has the unchanged float64 weights of ends, with c = -1"
    assert sc.verify_export(file).text().splitlines()[0] == said


def test_the_automaton_of_a_page_is_that_of_the_values_of_parameters() -> None:
    """The reader may set c to -1, where another automaton has the answers."""
    from symcook.report.page.modelpage import model_page

    page, _ = model_page(with_default())
    assert "A finite automaton gives the same answers on strings of every length, with c = 1." in page
    assert '"at":", with c = 1"' in page.replace('": "', '":"')
    assert "on strings of every length. The smallest" in model_page(ends_in_a())[0]


@pytest.mark.parametrize(("make", "true_of"), [
    (PLAIN, "all strings with at most 7 positions"),
    (OPEN, "all strings with at most 7 positions at the tried values of c"),
    (NUMBERS, "all rows of 0, 1, -1, 2, 1/2 with at most 7 positions"),
    (COOLS, "all strings that have a run with at most 7 positions"),
])  # fmt: skip
def test_an_open_statement_says_of_what_it_is_true(make: Any, true_of: str) -> None:
    """Of OPEN, logit*logit*logit != 343/1000 is true at the values of c that are tried, and false of a at c = 7/10."""
    answer = make().prove("0 = 0")
    unknown = replace(answer, status="OPEN", tried=Tried(None, 7), certificate=None, verdict=None, method=None)
    assert unknown.text().splitlines()[0] == f"OPEN  0 = 0  (true of {true_of})"
    assert f"; true of {true_of}>" in repr(unknown)
    assert "true" not in repr(replace(unknown, tried=Tried(None, 0)))


QUANTIFIERS = ("every string", "all strings", "smallest string", "smallest prefix", "of at least one symbol")
BY_HAND = {"the recipe's formula covers no string up to length "}
"""Texts of these reports with a quantifier that is not from the extent."""


@pytest.mark.parametrize("report", [decision_report, check_report])
def test_reports_take_quantifiers_from_the_extent(report: Any) -> None:
    """No text that is printed has a quantifier of its own."""
    tree = ast.parse(Path(report.__file__).read_text(encoding="utf-8"))
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
    ]
    found = {text for text in texts if any(words in text for words in (*QUANTIFIERS, "no string"))}
    assert found == (BY_HAND if report is check_report else set())


def test_a_proof_names_its_strings_and_the_values_that_were_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With c = 1 the model accepts what ends in a; no empty string has a run, and another value another answer."""
    model, said = with_default(), "accept <-> at(a, n)"
    proved = model.prove(said, values={"c": 1})
    assert repr(proved) == f"<ProofAnswer PROVED: {said}, for every string of at least one symbol, with c = 1>"
    assert proved.text().startswith(f"PROVED  {said}, with c = 1\n") and proved.to_json()["fixed"] == {"c": "1"}
    model.save(tmp_path / "m.json")
    line = ("prove", tmp_path / "m.json", "--statement", said, "--set", "c=1")
    assert document(capsys, *line)["fixed"] == document(capsys, *line)["fixed"] == {"c": "1"}  # also when asked again
    (tmp_path / "claims.txt").write_text(said)
    listed = ("prove", tmp_path / "m.json", "--claims", tmp_path / "claims.txt", "--set", "c=1")
    assert call(capsys, *listed)[1].startswith(f"already PROVED   {said}, with c = 1  (")
    false = model.prove("accept -> at(b, n)", values={"c": 1})
    assert repr(false) == "<ProofAnswer REFUTED: accept -> at(b, n) is false of a, with c = 1>"
    # Without a value the statement is about all of them, and a few are tried.
    other = model.prove("at(a, n) -> accept")
    assert other.counterexample == "a" and other.limits == "the smallest at the values of c that were tried"
    assert "fixed" not in other.to_json()


def test_open_statements_name_no_value_that_was_given() -> None:
    """`Tried` names the parameters of which a few values were tried: those that were given none."""
    model = with_default()
    claim = certify.claim(document_of(model, {}), "accept | ~accept")
    tried = Tried(None, 2)
    opened = [ProofAnswer(model, "S", "OPEN", None, 0, claim, tried, fixed=fixed) for fixed in ({}, {"c": "1"})]
    assert [answer.true_of for answer in opened] == [
        "all strings with at most 2 positions at the tried values of c", "all strings with at most 2 positions",
    ]  # fmt: skip


def test_a_second_model_that_is_not_named_leaves_no_string_out() -> None:
    """It takes one symbol at most, so that 'n <= 1' was proved of a model that takes all strings."""
    short = replace(ends_in_a(), max_length=1)
    with pytest.raises(BadInput, match="must name the second one"):
        ends_in_a().prove("n <= 1", other=short)
    assert ends_in_a().prove("n <= 1 | other.accept", other=short).status == "PROVED"
    quoted = sc.Builder(words={"other.": {"x": 1}})
    quoted.readout("sign", "last", ["x"], weights=[1])
    model = quoted.build("quoted")
    with pytest.raises(BadInput, match="must name the second one"):
        model.prove('count("other.") = n', other=model)


def test_contributions_name_the_values() -> None:
    answer = with_default().run("ba", values={"c": 2}).attribution()
    assert answer.text().splitlines()[0] == "direct contributions to the logit of ends on ba at position 2, with c = 2"
    assert answer.to_json()["values"] == {"c": "2"}
    assert "values" not in ends_in_a().run("ba").attribution().to_json()


def test_any_answer_is_right_counts_the_empty_string_where_it_says_so() -> None:
    """Of the 7 strings to length 2 the even ones, 5 with the empty one, have no wanted answer."""

    def reference(word: str) -> bool | None:
        return word == "a" if len(word) % 2 else None

    model = ends_in_a()
    assert "any answer is right: 4 inputs of 6\n" in model.check(reference, 2).text()
    words = {**model.embedding.words, "!": {"x": 1}}
    ended = replace(model, embedding=replace(model.embedding, words=words, after="!"))
    assert "any answer is right: 5 inputs of 7, the empty string included\n" in ended.check(reference, 2).text()


def test_a_bound_beyond_the_premise_of_its_lemma_says_so() -> None:
    beyond = sc.bound("table-lookup", gamma="1/100")
    assert beyond.holds is False and "premise of Lemma 7       gamma >= 1, which fails" in beyond.text()
    assert "premise" not in sc.bound("table-lookup", gamma=1).text()


def test_values_that_are_set_on_a_command_line_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("diff", "first", "first-flawed", "--set", "c=2", "--max-length", 1)
    found = document(capsys, *asked, code=1)
    assert (found["values"], found["against_values"]) == ({"c": "2"}, {"c": "2"})
    assert "with c = 2, with c = 2 in first-flawed" in call(capsys, *asked)[1]
    asked = ("run", "first", "--set", "c=2", "--inputs", "1|0")
    assert document(capsys, *asked)["values"] == {"c": "2"}
    assert ", with c = 2\n" in call(capsys, *asked)[1]


def test_a_parameter_may_have_the_name_of_a_key() -> None:
    b = sc.Builder(words={"a": {"vote": 1}}, parameters=[sc.Parameter("max_length", default="1/2")])
    b.readout("sign", "last", ["vote"], weights=["max_length"])
    document_of_margin = b.build("named").margin(max_length=2).to_json()
    assert document_of_margin["parameters"] == {"max_length": 2}
    assert document_of_margin["values"] == {"max_length": "1/2"}


def test_values_of_a_model_are_not_asked_for_its_specification() -> None:
    with pytest.raises(sc.BadInput, match="none for c of ends; save the model with a value"):
        ends_in_a(default=1).decide(ends_in_a(default=None), values={"c": 1})


def test_bounds_name_the_values_of_parameters() -> None:
    """From a to b the logit changes from c to -1."""
    for values, change, said in (({}, "2", "1"), ({"c": 2}, "3", "2")):
        bound = sc.bound("sensitivity", model=with_default(), n=1, values=values)
        assert bound.value.mid == change and bound.to_json()["values"] == {"c": said}
        assert bound.text().splitlines()[0].endswith(f"sensitivity: model = ends, n = 1, with c = {said}")
    swept = sc.bounds.sweeps.sweep("sensitivity", "n=1:2:2", model=with_default())
    assert swept.text().splitlines()[0] == "sensitivity: model = ends, with c = 1"
    assert swept.to_json()["values"] == {"c": "1"}
    assert "values" not in sc.bound("sensitivity", model=ends_in_a(), n=1).to_json()


def ended(model: sc.Transformer) -> sc.Transformer:
    """The model with a token after each string, so that it answers on the empty string."""
    words = {**model.embedding.words, "!": {"x": 1}}
    return replace(model, embedding=replace(model.embedding, words=words, after="!"))


def test_two_models_differ_on_strings_at_which_both_have_a_position() -> None:
    """One adds a token, so that it alone has a run on the empty string."""
    model, longer = ends_in_a(), ended(ends_in_a())
    for first, second in ((longer, model), (model, longer)):
        assert first.diff(second, 2).inputs == 6
    assert longer.diff(longer, 2).inputs == 7


def test_json_says_which_strings_a_proof_leaves_out() -> None:
    """It is about strings that have a run."""
    model = ends_in_a()
    statement = "accept <-> at(a, n)"
    proved = model.prove(statement).to_json()
    assert proved["status"] == "PROVED" and "without_runs" not in proved
    short = replace(model, max_length=3).prove(statement).to_json()
    assert short["without_runs"] == "a model takes at most 3 positions"


def test_a_check_that_fails_on_the_empty_string_alone_says_so() -> None:
    found = ended(ends_in_a()).check(lambda word: word != "", max_length=2)
    assert "differs from its specification on the empty string" in found.text() and found.mismatches == 0
