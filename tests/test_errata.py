"""The page notes/errata.md: what it counts is what the ledger has, and what it says of examples is computed again."""

from __future__ import annotations

import json
import re

import pytest
from proof import stored

from symcook import claims
from symcook.cli.claims import claims_text
from symcook.proof import replay

errata = stored.load_module("errata")


@pytest.fixture(scope="module")
def rows() -> list[claims.Claim]:
    """The ledger by what is replayed once in a run."""
    with pytest.MonkeyPatch.context() as patch:
        verdicts = list(stored.verdicts().values())
        patch.setattr(replay, "replay", lambda *_, **__: verdicts)
        return claims.ledger(claims.recompute())


@pytest.fixture(scope="module")
def page(rows: list[claims.Claim]) -> str:
    return errata.page(rows)


def test_header_table_entries_and_the_ledger_count_the_same(rows: list[claims.Claim], page: str) -> None:
    """No definition is CORRECTED: what it says of its object is a claim."""
    found = claims.counts(rows)
    expected = found["CORRECTED"] + found["REFUTED"]
    assert f"\n| CORRECTED | {expected} |\n" in stored.load_module("ledger").ledger_page(rows)
    shown = [re.split(r"\s{2,}", line.strip()) for line in claims_text(rows).splitlines()]
    column = shown[0].index("CORRECTED")
    assert sum(int(line[column]) for line in shown if line and line[0] in claims.PAPERS) == expected
    head = page.split("\n| paper |")[0]
    said = [int(number) for number in re.findall(r"(\d+) (?:statements|definitions|steps|slips)", head)]
    assert said[0] == expected == page.count("\n- **Counterexample**: ")
    table = re.findall(r"^\| [A-Z][^|]+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    assert [sum(map(int, column)) for column in zip(*table, strict=True)] == said
    assert len(table) == len(claims.PAPERS)
    assert said[1:3] == [page.count("\n  - Printed: "), page.count("\n  - Step: ")]
    assert said[3] == sum(line.startswith("| ") and "(`" in line for line in page.splitlines())


def test_the_page_lists_what_is_false_and_only_that(rows: list[claims.Claim], page: str) -> None:
    for row in rows:
        false = row.status in ("CORRECTED", "REFUTED") and row.same is None
        assert (f"\n- `{row.id}`, {row.slip}. Check: " in page) == false, row.id
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
    entries = page.split("\n#### ")[1:]
    labels = [re.findall(r"^- \*\*(\w+)\*\*: \S", entry, re.MULTILINE) for entry in entries]
    assert all(found == ["Printed", "Objection", "Counterexample", "Repair"] for found in labels)
    assert max(map(len, page.splitlines())) < 700
    assert not re.search(r"Int->|Real\. |\bof from_1\b|\bof made\b", page)
    assert not re.search(r"\b(Eps|Epsilon|Alpha|Beta|Gamma|Tau|Lh|Pe|Log)\b(?!\^\{)", page)


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
    text = claims_text([row])
    places = [text.index(f"\n  {word}: ") for word in ("Printed", "Slip", "Counterexample", "Repair", "Formally")]
    assert places == sorted(places)
    definition = next(row for row in rows if row.id == "chiang2022.eq2")
    assert "\n  Also proved: " in claims_text([definition]) and "Formally" not in claims_text([definition])
