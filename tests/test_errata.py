"""The letters of errata: what they count is what the ledger has, and what they say of examples is computed again."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from proof import claims_surer, stored

from symcook import claims
from symcook.proof import replay
from symcook.report.claim import document

errata, quotations = stored.load_module("errata"), stored.load_module("quotations")


@pytest.fixture(scope="module")
def rows() -> list[claims.Claim]:
    """The ledger as it is committed; that it is what replay gives is a sweep of test_claims.py."""
    return claims.ledger()


@pytest.fixture(scope="module")
def page(rows: list[claims.Claim]) -> str:
    return errata.page(rows)


def test_header_table_entries_and_the_ledger_count_the_same(rows: list[claims.Claim], page: str) -> None:
    """No definition is CORRECTED: what it says of its object is a claim. A row with the words of another paper counts
    once in the ledger, and stands in both letters."""
    found = claims.counts(rows)
    expected = found["CORRECTED"] + found["REFUTED"]
    again = [row.id for row in errata.false_as_printed(rows) if row.same]
    assert {"yang2026.s1.hahn", "yang2026.lemma9.cpwl"} <= {*again}
    shown = [re.split(r"\s{2,}", line.strip()) for line in document(rows).text().splitlines()]
    column = shown[0].index("CORRECTED")
    assert sum(int(line[column]) for line in shown if line and line[0] in claims.PAPERS) == expected
    head = page.split("\n| paper |")[0]
    said = [int(number) for number in re.findall(r"(\d+) (?:statements|definitions|steps|slips)", head)]
    assert said[0] == expected + len(again) == page.count("\n- **Counterexample**: ")
    table = re.findall(r"^\| \[[A-Z][^|]+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    assert [sum(map(int, column)) for column in zip(*table, strict=True)] == said
    assert len(table) == len(claims.PAPERS)
    assert said[1:3] == [page.count("\n  - Printed: "), page.count("\n  - Step: ")]
    types = [f"{page.count(f'`, {name}. Check: ')} {plural}" for name, plural in claims.ERROR_TYPES.values()]
    assert f"by error type: {', '.join(types)}." in head
    assert said[3] == sum(line.startswith("| ") and "(`" in line for line in page.splitlines())


def test_the_page_lists_what_is_false_and_only_that(rows: list[claims.Claim], page: str) -> None:
    for row in rows:
        false = row in errata.false_as_printed(rows)
        assert (f"\n- `{row.id}`, {row.error_type}. Check: " in page) == false, row.id
        if false:
            assert all((row.printed, row.reason, row.counterexample, row.repair)), row.id
        else:
            assert row.same is not None or not any((row.printed, row.counterexample, row.repair)), row.id
        on_page = {gap.get("class") for gap in row.gaps} - {"reading"}
        assert on_page == set() or f"`{row.id}`" in page or f"(`{row.id}`," in page, row.id


def test_a_gap_with_the_class_of_a_slip_stands_at_a_definition(rows: list[claims.Claim]) -> None:
    """A statement that is false in one of these ways is CORRECTED; what is left are steps, without a class."""
    for row in rows:
        for gap in row.gaps:
            slip = gap.get("class") in claims.SLIPS
            assert slip == (row.kind == claims.DEFINITION and gap.get("class") not in claims.ASIDES), row.id


def test_entries_are_for_a_reader(page: str) -> None:
    """Four labelled lines in their order, no formal text, symbols with their case, no dump of a witness."""
    entries = page.split("\n### ")[1:]
    labels = [re.findall(r"^- \*\*(\w+)\*\*: \S", entry, re.MULTILINE) for entry in entries]
    assert all(found == ["Printed", "Objection", "Counterexample", "Repair"] for found in labels)
    assert max(map(len, page.splitlines())) < 700
    assert not re.search(r"Int->|Real\. |\bof from_1\b|\bof made\b", page)
    assert not re.search(r"\b(Eps|Epsilon|Alpha|Beta|Gamma|Tau|Lh|Pe|Log)\b(?!\^\{)", page)


def own_words(text: str) -> str:
    """What stands outside of quotation marks, and of `code`."""
    return re.sub(r'"[^"]*"|`[^`]*`', " | ", text)


def on_page(rows: list[claims.Claim]) -> list[tuple[str, dict[str, str]]]:
    """The definitions, steps and slips of the pen that the page has, with the name of their row."""
    return [(row.id, gap) for kind in errata.KINDS[1:] for row, gap in errata.gaps(rows, kind)]


def test_words_of_the_papers_stand_in_double_quotation_marks(rows: list[claims.Claim]) -> None:
    """So that a sentence can be found: what is printed is quoted or a formula, not told in other words."""
    for name, gap in on_page(rows):
        assert not re.search(r"(?:\b[a-z]{2,}\b[ ,;:]+){3}", own_words(gap["step"])), (name, gap["step"])
    said = [(row.id, row.printed) for row in errata.false_as_printed(rows)]
    for name, text in [*said, *((name, gap["step"]) for name, gap in on_page(rows))]:
        assert not re.search(r"(?<!\w)'[^']+ [^']+'(?!\w)", own_words(text or "")), (name, text)


def test_every_quotation_was_found_in_its_own_paper(rows: list[claims.Claim], monkeypatch: pytest.MonkeyPatch) -> None:
    """By the digests that stand for the papers' texts; not one of another paper, place or wording."""
    assert quotations.unrecorded(rows) == []
    row = next(row for row in rows if row.id == "yang2026.lemma9.cpwl")
    other = next(row for row in rows if row.id == row.same or row.id == "cookbook.t1.cpwl")
    for printed in ((row.printed or "").replace("finite number", "small number"), other.printed):
        assert quotations.unrecorded([replace(row, printed=printed)])
    monkeypatch.setattr(quotations, "recorded", dict)
    assert quotations.unrecorded([row])


@pytest.mark.parametrize("name", ["cookbook.s5.3.lookup_spec", "merrill2024.lemma2", "chiang2022.def.input"])
def test_a_gap_that_is_taken_out_or_called_a_reading_is_not_that_of_the_record(name: str) -> None:
    """With a class, with none, and of a definition."""
    (row,) = claims.ledger(names=(name,))
    assert row.gaps and not quotations.unrecorded([row])
    for gaps in ((), tuple(gap | {"class": "boundary"} for gap in row.gaps)):
        assert quotations.unrecorded([replace(row, gaps=gaps)])


@pytest.mark.sweep
def test_a_ledger_without_a_gap_or_with_a_new_fact_is_not_sealed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What people said is not found by replay, so that only the record of it can tell: nothing is written."""
    ledger = stored.load_module("ledger")
    found = {name: known for name, (line, *_) in claims.stored_rows().items() if (known := claims.current(name, line))}
    for name, value in (("recompute", lambda _: found), ("ignored", list), ("ROOT", tmp_path)):
        monkeypatch.setattr(ledger, name, value)
    for name in ("constructions", "errata", "inventory", "quotations"):
        monkeypatch.setitem(sys.modules, name, stored.load_module(name))
    monkeypatch.setattr(sys.modules["inventory"], "page", lambda *_: "")  # an installed symcook has no notes
    monkeypatch.setattr(claims, "DATA", tmp_path)
    said, facts = claims.remarks(), claims.reviewed()
    less = {key: value for key, value in said["merrill2024.lemma2"].items() if key != "gaps"}
    cited = {"merrill2024.thm3": {"cited": "a book", "why": "it is known"}}
    for remarks, entries in ((said | {"merrill2024.lemma2": less}, facts), (said, facts | cited), (said, facts)):
        monkeypatch.setattr(claims, "remarks", lambda remarks=remarks: remarks)
        monkeypatch.setattr(claims, "reviewed", lambda entries=entries: entries)
        changed = (remarks, entries) != (said, facts)
        assert ledger.main([]) == int(changed)
        assert (tmp_path / claims.LEDGER).exists() is not changed
        assert ("must be those of quotations.txt" in capsys.readouterr().out) == changed


def test_a_quotation_is_looked_for_word_by_word() -> None:
    text = quotations.words(r"Let $\mathbf{x}$ be any **vector**. The $\gamma$ *minimum* gap is\ $1$ between them.")
    for quoted, there in (
        ('"be any vector. The gamma minimum gap"', [1]),
        ('"any vector ... between them"', [1, 1]),
        ('"any minimum vector"', [0]),
    ):
        assert [len(list(quotations.places(part, text))) for part in quotations.quoted(quoted)] == there


def test_what_the_page_says_is_written_in_sentences(rows: list[claims.Claim]) -> None:
    said = [(row.id, text) for row in errata.false_as_printed(rows) for text in (row.reason, row.counterexample)]
    said += [(name, gap["why"]) for name, gap in on_page(rows)]
    fixes = [(row.id, row.repair) for row in errata.false_as_printed(rows)]
    fixes += [(name, gap["repair"]) for name, gap in on_page(rows)]
    symbol = r"(?:sinh|log|tau|gamma|alpha|eta|phi|epsilon)\b"
    for name, text in [*said, *fixes]:
        assert text and not re.match(rf"(?!{symbol})[a-z]{{2,}},? [a-z]", text), (name, text)
        assert text.endswith((".", ".)", '."')), (name, text)


def test_symbols_are_written_alike(page: str) -> None:
    """epsilon by its name, products by juxtaposition: the signs of statements stay in statements."""
    assert not re.search(r"\beps(?:_|\b)(?!ilon)", page)
    assert not re.search(r"[\w)|]\\\*[\w(|]", page)


def test_names_on_the_page_are_code_and_known(page: str) -> None:
    """A reader can give them to `symcook prove` or `symcook claims`."""
    text = re.sub(r"\]\(\w+\.md\)", "]", page)  # the head leads to a letter a paper
    names = r"\b(?:lem|cookbook|chiang2022|merrill2024|yang2026)\.[\w.-]*\w"
    assert not re.findall(names, own_words(text))
    assert not re.findall(r"\blemmas? [a-z]+_[a-z_]+", own_words(text))
    known = {*replay.statements(), *claims.inventory()}
    assert set(re.findall(names, text)) <= known


def test_classes_of_one_error_agree() -> None:
    entries = claims.reviewed()
    one_error = [f"chiang2022.appB.{name}" for name in ("scalars", "logits", "parity", "first")]
    assert {entries[name]["slip"] for name in one_error} == {"wrong"}


# --- The running example of Section 9.1, computed again ---------------------------------------------------------------

PRINTED, MEANT = "ACABDACPDA", "ACABDACDCA"


def followers(word: str, i: int) -> str:
    return "".join(word[j + 1] for j in range(i) if word[j] == word[i])


def recent(word: str) -> str:
    return "".join((followers(word, i) or word[i])[-1] for i in range(len(word)))


def frequent(word: str) -> str:
    found = [(followers(word, i), word[i]) for i in range(len(word))]
    return "".join(min(seen, key=lambda a: (-seen.count(a), a)) if seen else own for seen, own in found)


def test_what_the_entries_say_of_the_example_of_section_9_1() -> None:
    entries = {name.removeprefix("cookbook.s9.1."): entry for name, entry in claims.reviewed().items()}
    right, often = entries["1.rightmost_example"], entries["2.frequent_example"]
    assert recent(MEANT) == "ACCBDBAADC" and recent(MEANT) in right["repair"]
    assert recent(PRINTED) == "ACCBDBAPAC" and recent(PRINTED) in right["counterexample"]
    assert frequent(PRINTED) == "ACCBDBAPAC" and frequent(PRINTED) in often["counterexample"]
    assert f"Induct_frequent({PRINTED}) = {frequent(MEANT)}" == often["printed"]
    said = [e["printed"] for name, e in entries.items() if name[:2] in ("1.", "2.", "we") and PRINTED in json.dumps(e)]
    assert len(said) == 6  # seven displays: that of WE is printed twice
    vectors = {"we_example": MEANT, "1.pred_example": "0" + MEANT[:-1], "1.retrieve_example": recent(MEANT)}
    for name, letters in vectors.items():
        shown = ", ".join("0" if letter == "0" else f"e_{letter}" for letter in letters)
        assert f"({PRINTED}) = {shown}" in entries[name]["printed"], name


def test_the_command_labels_the_same_four_things(rows: list[claims.Claim]) -> None:
    row = next(row for row in rows if row.id == "cookbook.t1.conditional")
    text = document([row]).text()
    places = [text.index(f"\n  {word}: ") for word in ("Printed", "Error type", "Counterexample", "Repair", "Formally")]
    assert places == sorted(places)
    definition = next(row for row in rows if row.id == "chiang2022.eq2")
    assert "\n  Also proved: " in document([definition]).text() and "Formally" not in document([definition]).text()


# --- Numbers in counterexamples, computed again in plain Python -------------------------------------------------------


def softmax(scores: Sequence[float]) -> list[float]:
    powers = [math.exp(s - max(scores)) for s in scores]
    return [x / sum(powers) for x in powers]


def mean(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(a * v for a, v in zip(weights, values, strict=True))


def first_on_1(scale: float) -> tuple[float, float, float, float]:
    """FIRST with its four norms on the string 1 at epsilon = 1: the factors p and q of the first layer at CLS and at
    position 1, the last factor A_2 at CLS, and the logit."""

    def norm(x: list[float]) -> tuple[list[float], float]:
        factor = 1 / math.sqrt(sum(a * a for a in x) / len(x) + 1)  # pairs x, -x have mean 0 and this variance
        return [a * factor for a in x], factor

    cls, one = [0.0, 0, 1, 0, 0, 0], [0.0, 1, 0, 1, 0, 0]
    (cls, p), (one, q) = norm(cls), norm(one)
    one[4] += max(0.0, one[3] - one[0] - one[2])
    (cls, p_), (one, q_) = norm(cls), norm(one)
    share = softmax([0, scale * cls[2] * one[3]])[1]
    cls[5] += share * (one[4] - one[3] / 2)
    out, _ = norm(cls)
    out, last = norm(out)
    return p * p_, q * q_, last, out[5]


def numbers() -> dict[str, list[str]]:
    """What the entries must show, by row."""
    p, q, last, logit = first_on_1(1)
    by_one = [math.exp(t) / (math.exp(t) + 1) * t / 2 * first_gain(p, q) for t in (p, q)]
    scaled = first_on_1(math.log(2))[3]
    root = math.sqrt(18 / 5)
    aba = softmax([math.log(32) * s for s in (-1, 1 / 2, -1 / 3, 3 / 4)])
    found = mean(softmax([3 * (2 * j - j * j) / 2 * 4 / math.sqrt(2) for j in (1, 2)]), (1, 2))
    return {
        "chiang2022.s3.3.first": [f"{1 / (1 + math.exp(-math.e / (math.e + 1) / 2)):.3f}"],
        "chiang2022.appB.first": [f"{x:.4f}" for x in (p, q, logit, *by_one)],
        "chiang2022.appB.A2": [f"{last:.3f}"],
        "chiang2022.prop3.lnlogit": [f"{scaled:.4f}", f"{1 / 3 / math.sqrt((1 + 1 / 9) / 6 + 1):.4f}"],
        "chiang2022.prop3.lnbound": [f"{scaled:.4f}", f"{1 / 4 / math.sqrt(5 / 24 + 1):.4f}"],
        "chiang2022.appB.parity": [f"{math.tanh(root**2):.4f}", f"{math.tanh(root):.4f}"],
        "chiang2022.appA.odd.kodd": [f"{math.sinh(2):.2f}", f"{math.cosh(2):.2f}"],
        "cookbook.s9.1.1.soft": [f"{aba[1]:.2f}"],
        "yang2026.thm20.positive": [f"{found - 1:.4f}", f"{4 * math.exp(-6):.4f}"],
        "yang2026.lemma7.onesided": [f"{softmax([3, 4])[0]:.2f}"],
        "yang2026.lemma25": [f"{softmax([0, -1])[1]:.2f}"],
        "yang2026.thm26.tau": [f"{2 * (2 * math.log(2) - 1):.4f}"],
    }


def first_gain(p: float, q: float) -> float:
    """C_2 at CLS on the string 1 at epsilon = 1, by the variance of what the third norm reads."""
    power = math.exp(p * q)
    s = power / (power + 1) * q / 2
    return 1 / math.sqrt((p * p + s * s) / 6 + 1)


def test_numbers_of_counterexamples() -> None:
    entries = claims.reviewed()
    for name, shown in numbers().items():
        for number in shown:
            assert number in entries[name]["counterexample"], (name, number)


def test_the_gap_of_dot_products_is_too_small_for_the_temperature() -> None:
    """cookbook.s5.7.tau: one-hot codes, gamma = 1, n = N = 4, scores with the factor 1/sqrt(d_key)."""
    gap = claims.remarks()["cookbook.s5.7.tau"]["gaps"][-1]
    others = {n: 1 - softmax([math.log(8 * n) / math.sqrt(n), *[0] * (n - 1)])[0] for n in (3, 4)}
    assert others[3] < 1 / 4 < others[4] and f"{others[4]:.2f}" in gap["why"] and "N = 4" in gap["why"]


def test_the_string_1_costs_more_with_norms_at_epsilon_1() -> None:
    """FIRST and PARITY, with and without: runs in 60 digits, and the formulas without norms."""
    one, e = Fraction(1), math.exp(1)
    normed = (claims_surer.normed_run, claims_surer.parity_with_norms)
    costs = [claims_surer.bits_lost(abs(run((1,), one, one)["y2_s_()"][0])) for run in normed]
    plain = [math.log2(1 + math.exp(-logit)) for logit in (e / (2 * (e + 1)), math.tanh(1) / 2)]
    text = claims.reviewed()["chiang2022.fig2.eps1e-5"]["counterexample"]
    shown = [float(x) for x in re.findall(r"(0\.\d\d) bits", text)]
    assert shown == [round(float(x), 2) for x in (costs[0], plain[0], costs[1], plain[1])]


def test_two_hashes_under_one_norm_find_another_position() -> None:
    """cookbook.s5.3.3.selective_ln: queries 1, keys j, one norm over all eight components."""
    scores = [(2 * j + 2) / (math.sqrt((4 + 2 * (j * j + 1)) / 8)) for j in (1, 2, 3)]  # times what i alone gives
    hashes = [(2 * j + 2) / math.sqrt(2 * (j * j + 1)) for j in (1, 2, 3)]
    assert scores.index(max(scores)) == 2 and hashes.index(max(hashes)) == 0
    repair = claims.reviewed()["cookbook.s5.3.3.selective_ln"]["repair"]
    assert "for n = 3 and q = (1, 1, 1) every position then attends to position 3, not to 1" in repair


def test_numbers_of_steps_and_of_small_networks() -> None:
    """Exact ones in fractions, the others to the printed places."""
    entries, said = claims.reviewed(), claims.remarks()
    shifted = [4 * x - 3 for x in (1, 2, 0, 0)]  # the printed hash of i = 2 less its mean, times 4 sqrt(10)
    assert shifted == [1, 5, -3, -3] and "(1, 5, -3, -3)" in entries["merrill2024.thm1.select"]["counterexample"]
    moves = {2: 0, 3: 1}  # the decoding tokens before i = 4, where n = 1
    head = [Fraction(sum(moves.values()), count) for count in (len(moves), len(moves) + 1, 4)]
    text = entries["merrill2024.thm2.head"]["counterexample"]
    assert [text.index(str(x)) for x in head] == sorted(text.index(str(x)) for x in head)
    weights = softmax([math.log(16) * s / math.sqrt(4) for s in (0, 1)])
    text = entries["cookbook.s9.1.1.soft_average"]["counterexample"]
    assert [str(Fraction(w).limit_denominator(9)) in text for w in (*weights, 1 - weights[1] + weights[0])] == [
        True
    ] * 3
    third = math.sqrt(math.pi / 2) / 6
    for numerator, denominator in ((10, 8), (2, 1)):
        assert f"{third * numerator / denominator:.3f}" in said["cookbook.s4.6.mul_error"]["gaps"][0]["why"]
    assert 1 / math.sqrt(5) - 1 / 2 < -1 / 19 and 1 / math.sqrt(4) - 1 / 2 > -1 / 19  # five symbols, and not four
    low = "sqrt(5) - 1/2, which is less than the -1/19"
    assert low in entries["cookbook.s9.1.1.tiebreak"]["why"]
    assert max(range(3), key=[-1, 1 / math.sqrt(100) - 1 / 2, -1 / 3].__getitem__) == 2
    own = [Fraction("ABA"[j - 1] == "A") - Fraction(1, j) for j in (1, 2, 3)]  # W^(Q) for the keys
    assert own[2] == max(own) and ", ".join(map(str, own[:2])) in entries["cookbook.s9.1.1.tiebreak"]["counterexample"]
    grid = [Fraction(k, 20) for k in range(21)]
    most = max(abs(x * y - max(0, x + y - 1)) for x in grid for y in grid)
    assert f"at most {most}." in entries["cookbook.s4.6.mul_needs_curvature"]["counterexample"]
