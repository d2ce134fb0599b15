"""Questions inside an input language, against the strings themselves: languages from `re`, values from plain loops."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import dense
import pytest
from asked import dyck, induction, shown
from hypothesis import given, settings
from test_crosscheck import QUICK, models

import symcook as sc
from symcook.errors import BadInput
from symcook.programs.regular import letters_of, regular_table
from symcook.words.inputs import strings


def expression(rng: random.Random, letters: str, deep: int) -> tuple[str, str]:
    """An expression as symcook reads it, and as `re` does."""
    kind = rng.randrange(7 if deep else 2)
    if kind == 0:
        return (".", ".") if rng.random() < 0.3 else (lambda one: (one, re.escape(one)))(rng.choice(letters))
    if kind == 1:
        some = "".join(rng.sample(letters, rng.randint(1, len(letters))))
        return f"[{some}]", f"[{re.escape(some)}]"
    if kind in (2, 3):
        parts = [expression(rng, letters, deep - 1) for _ in range(2)]
        sign = "" if kind == 2 else "|"
        return f"({sign.join(own for own, _ in parts)})", f"(?:{sign.join(far for _, far in parts)})"
    own, far = expression(rng, letters, deep - 1)
    sign = rng.choice(["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "{0}"])
    return f"({own}){sign}", f"(?:{far}){sign}"


def inside(pattern: str, letters: str, n: int) -> list[str]:
    found = re.compile(pattern)
    return [w for w in map("".join, itertools.product(letters, repeat=n)) if found.fullmatch(w)]


@pytest.mark.parametrize("seed", range(30))
def test_an_expression_has_the_strings_that_re_finds(seed: int) -> None:
    rng = random.Random(seed)
    own, far = expression(rng, "abc", 3)
    table = regular_table(own, "abc")
    for n in range(6):
        for word in itertools.product("abc", repeat=n):
            state = 0
            for letter in word:
                state = table.moves[state]["abc".index(letter)]
            assert table.answers[state] == bool(re.fullmatch(far, "".join(word))), (own, word)


def test_ranges_and_repetitions() -> None:
    assert [*strings(sc.build("parity"), range(4, 5), "[0-1]{2}1{2}").each(4)] == [
        ("0", "0", "1", "1"), ("0", "1", "1", "1"), ("1", "0", "1", "1"), ("1", "1", "1", "1")]  # fmt: skip
    assert letters_of("[a-c]x{2,3}") == ("a", "b", "c", "x")
    table = regular_table("{{2}}", "{2}")  # braces that are letters repeat nothing
    assert table.answers[0] is False and any(table.answers)
    for nothing in ("((){999}){999}", "(a{0}()*){99999}", "((){999}b{0}){9,}"):  # each reads its operand once
        assert regular_table(nothing, "ab").moves == regular_table("()", "ab").moves
    for wrong in ("a{3,2}", "[b-a]", "(a{999}){999}"):
        with pytest.raises(BadInput):
            regular_table(wrong, "ab")


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("placement", ["none", "post"])
@pytest.mark.parametrize("kind", ["zero", "sign", "largest"])
def test_classes_inside_a_language_hold_its_strings(placement: str, kind: str) -> None:
    """Each string is in one class; its representative is the smallest, and has the same numbers."""
    rng = random.Random(f"{placement} {kind}")

    @settings(QUICK, max_examples=12)
    @given(models(placement=placement, kind=kind))
    def run(model: sc.Transformer) -> None:
        letters = "".join(model.alphabet)
        if any(len(letter) > 1 for letter in model.alphabet):
            return
        own, far = expression(rng, letters, 2)
        lengths = range(0 if model.embedding.added else 1, 5)
        words = {n: inside(far, letters, n) for n in lengths}
        if not any(words.values()):
            with pytest.raises(BadInput):
                strings(model, lengths, own)
            return
        listed = [word for some in words.values() for word in some]
        for source in (own, listed):
            asked = strings(model, lengths, source)
            assert asked.lengths == [n for n in lengths if words[n]] and asked.count == len(listed)
            for n in asked.lengths:
                assert ["".join(word) for word in asked.each(n)] == words[n]
                stands = [*asked.cover(n, model)]
                assert sum(stand.words for stand in stands) == len(words[n]) == asked.many(n)
                assert {"".join(stand.word) for stand in stands} <= {*words[n]}
                whole = {stand.word: stand for stand in strings(model, lengths).cover(n, model)}
                assert len(stands) <= len(whole)

    run()


LANGUAGES = [
    (r"\(.*", r"\(.*"), (r"(\(\))*\(?", r"(?:\(\))*\(?"), (r".{3}\).*", r".{3}\).*"), (r".*\)\).?", r".*\)\).?"),
    (r"[\(\)]{2}\)*", r"[()]{2}\)*"), (r"(\(.)+", r"(?:\(.)+"),
]  # fmt: skip


@pytest.mark.parametrize(("own", "far"), LANGUAGES)
def test_the_margin_of_merged_prefixes_is_that_of_the_strings(own: str, far: str) -> None:
    found = sc.build("dyck-1").margin(9, inputs=own)
    assert "grouped" in found.notes["method"]
    rows = {row["n"]: row for row in found.rows}
    for n in range(1, 10):
        sizes = {word: dyck(word) for word in inside(far, "()", n)}
        assert (n in rows) == bool(sizes)
        if n in rows:
            wanted = min((size for size in sizes.values() if size is not None), default=None)
            assert rows[n]["margin"] == wanted
            assert wanted is None or sizes[rows[n]["word"]] == wanted
    assert found.to_json()["count"] == sum(len(inside(far, "()", n)) for n in range(1, 10))
    assert found.to_json()["inputs"] == own


def test_the_margin_of_a_list_is_that_of_its_strings() -> None:
    model = induction()
    rng = random.Random(5)
    words = {"".join(rng.choices("01", k=rng.randint(1, 7))) for _ in range(30)}
    for row in model.margin(7, inputs=[*words, *words]).rows:
        logits = {w: shown(model, w, dense.rational)[0]["logit"] for w in words if len(w) == row["n"]}
        assert row["margin"] == min(map(abs, logits.values())) == abs(logits[row["word"]])


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("own", ["1*0?", "0.*", "(01)*", ".*11.*"])
def test_other_questions_inside_a_language(own: str) -> None:
    """The least over classes inside a language is the least over its strings, each asked for by itself."""
    model, words = sc.build("first-flawed"), [w for n in (2, 3, 4) for w in inside(own, "01", n)]
    alone = {w: {"tau": model.temperature(4, inputs=[w]).rows[0]["tau"]} for w in words}
    for row in model.temperature(4, min_length=2, inputs=own).rows:
        here = [one["tau"] for w, one in alone.items() if len(w) == row["n"]]
        finite = [tau for tau in here if tau is not None]
        assert (row["tau"] is None) == (not finite)
        if finite:
            assert str(row["tau"]) == str(min(finite, key=float))
    free, model = "L2.ff.b1[1]", sc.build("dyck-1-nonuniform", N=8)
    far = {"1*0?": r"\(*\)?", "0.*": r"\).*", "(01)*": r"(\)\()*", ".*11.*": r".*\(\(.*"}[own]
    words = [w for n in (2, 3, 4) for w in inside(far.replace("(\\)\\()", "(?:\\)\\()"), "()", n)]
    for row in model.tolerance(free, 4, min_length=2, inputs=far).rows:
        for side, best in (("low", max), ("high", min)):
            ends = [model.tolerance(free, 4, inputs=[w]).rows[0][side] for w in words if len(w) == row["n"]]
            known = [end for end in ends if end is not None]
            assert str(row[side]) == str(best(known) if known else None)  # type: ignore[operator]


@pytest.mark.sweep
def test_precision_and_entropy_inside_a_language() -> None:
    model = sc.build("parity")
    whole, part = model.precision(4), model.precision(4, inputs="0*")
    assert all(a["enough"] >= b["enough"] for a, b in zip(whole.rows, part.rows, strict=True))  # type: ignore[operator]
    alone = model.precision(4, inputs=["0000"]).rows[0]
    assert alone["enough"] == part.rows[-1]["enough"] and alone["n"] == 4
    assert [row["n"] for row in model.precision(4, inputs=".{4}", formats=()).rows] == [4]
    spread = model.entropy(4, head="L1.head1", inputs="1*")
    assert {row["word"] for row in spread.rows} == {"1", "11", "111", "1111"}


def test_a_sample_is_one_of_the_strings_asked_for() -> None:
    model = sc.build("dyck-1")
    for source in (r"(\(\))*|\(*", [w for n in range(1, 6) for w in inside(".*", "()", n)]):
        asked = strings(model, range(1, 40), source)
        drawn = [strings(model, range(1, 40), source, 12, seed) for seed in (1, 1, 2)]
        words = [[word for n in one.lengths for word in one.each(n)] for one in drawn]
        assert words[0] == words[1] != words[2] and all(len({*some}) == 12 for some in words)
        assert all(word in {*asked.each(len(word))} for some in words for word in some)
    assert strings(model, range(1, 4), ".*", 100).count == 14  # there are no more
    counts = dict.fromkeys(map("".join, itertools.product("()", repeat=3)), 0)
    for seed in range(400):  # each with the same chance
        (word,) = strings(model, range(3, 4), ".*", 1, seed).each(3)
        counts["".join(word)] += 1
    assert all(20 <= many <= 85 for many in counts.values())


def test_files_of_strings_and_automata(tmp_path: Path) -> None:
    model, path = sc.build("parity"), tmp_path / "strings.txt"
    path.write_text("01\n\n01\n111\n")
    found = model.margin(3, inputs=path)
    assert found.to_json()["count"] == 3 and [row["n"] for row in found.rows] == [0, 2, 3]
    assert model.margin(3, inputs=str(path)).to_json()["rows"] == found.to_json()["rows"]
    automaton = {"states": ["a", "b"], "input_symbols": ["1"], "transitions": {"a": {"1": "b"}, "b": {"1": "a"}},
                 "initial_state": "a", "final_states": ["b"]}  # fmt: skip
    (tmp_path / "odd.json").write_text(json.dumps(automaton))
    odd = model.margin(5, inputs=tmp_path / "odd.json")
    assert [row["word"] for row in odd.rows] == ["1", "111", "11111"]  # no string with a 0: it is not read


def refusals(tmp_path: Path) -> list[tuple[Any, int | None, str]]:
    (tmp_path / "foreign.txt").write_text("()\n(x\n")
    (tmp_path / "empty.txt").write_text("()\n\n")
    (tmp_path / "far.json").write_text(
        '{"states": ["a"], "input_symbols": ["x"], "transitions": {"a": {"x": "a"}}, "initial_state": "a",'
        ' "final_states": ["a"]}'
    )
    return [
        ("[]", None, "must have a string of length 1 to 6"),
        (r"\({9}", None, "must have a string of length 1 to 6"),
        ("x*", None, "symbols of the model"),
        (tmp_path / "foreign.txt", None, "line 2"),
        (tmp_path / "empty.txt", None, "at least one symbol"),
        (tmp_path / "far.json", None, "over the alphabet ( )"),
        (tmp_path / "nothing.txt", None, "must be readable"),
        (".*", 0, "a sample must have"),
        (3, None, "must be given as a language"),
        ([("(", 3)], None, "every symbol must be in the alphabet"),
    ]


def test_what_is_no_language_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for source, sample, must in refusals(tmp_path):
        with pytest.raises(BadInput, match=re.escape(must)) as error:
            sc.build("dyck-1").margin(6, inputs=source, sample=sample)
        assert str(error.value).count("\n") == 0


@pytest.mark.parametrize("name", ["dyck-1", "parity"])
def test_a_check_of_a_language_meets_its_strings_alone(name: str) -> None:
    """A reference that is wrong of one string is found out where that string is asked for, and there alone."""
    model, right = sc.build(name), sc.recipes.reference(name)
    letters = "".join(model.alphabet)
    odd = letters[0] * 3 + letters[1] * 2

    def wrong(word: str) -> bool:
        return right(word) != (word == odd)

    for own, met in ((f"[{re.escape(letters)}]*", True), (re.escape(letters[0]) + "*" + re.escape(letters[1]), False)):
        found = model.check(wrong, 6, inputs=own)
        strings_of = [w for n in range(1, 7) for w in inside(own, letters, n)]
        assert found.differs is met and found.mismatches == met
        assert found.strings == len(strings_of)
        assert found.counterexample is None or found.first.input == odd
        document = found.to_json()
        assert document["inputs"] == own and document["count"] - len(strings_of) == (name == "parity" and met)
    assert model.check(right, 30, inputs=".*", sample=20).holds
    for more in ({"workers": 2}, {"resume": "x.db"}):
        with pytest.raises(BadInput, match="with one worker, not resumed"):
            model.check(right, 6, inputs=".*", **more)  # type: ignore[arg-type]


@pytest.mark.layer_one(0, 3, 6)
@pytest.mark.parametrize("seed", range(10))
def test_decisions_inside_a_language_are_those_of_its_strings(seed: int) -> None:
    """The smallest string of the language on which model and expression differ, or none: by `re`, to length 7."""
    rng = random.Random(f"decide {seed}")
    model, letters = sc.build("dyck-1-2"), "()"
    own, against = (expression(rng, "ab", 2)[0].replace("a", r"\(").replace("b", r"\)") for _ in range(2))
    found = model.decide(against, inputs=own) if any(strings_exist(model, own)) else None
    if found is None or found.verdict not in ("equal", "different"):
        return
    listed = [w for n in range(1, 8) for w in map("".join, strings(model, range(1, 8), own).each(n))]
    table = regular_table(against, letters)

    def says(word: str) -> bool:
        state = 0
        for letter in word:
            state = table.moves[state][letters.index(letter)]
        return bool(table.answers[state])

    wrong = [w for w in listed if model(w).accept != says(w)]
    if found.verdict == "equal":
        assert not wrong
    elif found.word is not None and len(found.word) <= 7:
        assert "".join(found.word) == wrong[0]
    assert found.to_json()["inputs"] == own


def strings_exist(model: sc.Transformer, own: str) -> list[int]:
    try:
        return strings(model, range(1, 8), own).lengths
    except BadInput:
        return []


def test_decisions_of_models_that_count_end_where_the_language_does() -> None:
    model = sc.build("dyck-1")
    reference = sc.recipes.reference("dyck-1")
    finite = model.decide(reference, inputs=".{4}")
    assert finite.verdict == "equal" and finite.to_json()["count"] == 16 and finite.certificate is None
    found = model.decide(r"(\(\))*", inputs=r"(\(\))*|(\(\(\)\))*\)")
    assert found.verdict != "different"  # each string gets one answer from both
    wrong = model.decide(r"(\(\))*", inputs=[r"()", r"(())", r"((()))"])
    assert wrong.verdict == "different" and wrong.word == tuple("(())") and wrong.to_json()["count"] == 3
    with pytest.raises(BadInput, match="needs a specification"):
        model.decide(inputs=".{4}")
