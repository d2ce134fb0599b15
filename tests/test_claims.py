"""The inventory of claims against its files, and a ledger that only replay can move."""

from __future__ import annotations

import ast
import functools
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from families import together
from proof import stored

from symcook import claims, recount
from symcook.errors import BadInput, SymcookError
from symcook.proof import familyrel, files, replay, runrel
from symcook.proof.audit import seals
from symcook.proof.audit.statementfiles import statement_files
from symcook.recount import recompute, status_of

TABLES = ROOT / "symcook" / "data" / "claims"
COUNTS = {"cookbook": 298, "chiang2022": 92, "merrill2024": 132, "yang2026": 158}
PROVED = "cookbook.s4.4.min"
WRONG = "cookbook.s6.4.clip"
UNTREATED = "yang2026.s6.conjecture"
LISTED = "cookbook.s2.1.notation"
OTHER = "cookbook.s4.5.add"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data and proofs copied to a place where a test may change them."""
    shutil.copytree(ROOT / "symcook" / "data", tmp_path / "data")
    for part in ("statements", "models", "certificates", "remarks"):
        shutil.copytree(ROOT / "proofs" / part, tmp_path / "proofs" / part)
    monkeypatch.setattr(claims, "DATA", tmp_path / "data")
    for module in (files, replay):
        monkeypatch.setattr(module, "proofs_directory", lambda: tmp_path / "proofs")
    return tmp_path


def store(own: Path, rows: dict[str, dict[str, object]]) -> None:
    seals.write(own / "data" / claims.LEDGER, (json.dumps({"id": name} | row) for name, row in rows.items()))


def remarks_of(own: Path) -> Path:
    """A file of its own, read after all others, so that what it says of a row counts."""
    return own / "proofs" / "remarks" / "zz.json"


def row(name: str) -> claims.Claim:
    return next(claim for claim in claims.ledger() if claim.id == name)


# --- The inventory ----------------------------------------------------------------------------------------------------


def cells(paper: str) -> list[list[str]]:
    lines = (TABLES / f"{paper}.tsv").read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == ""
    return [line.split("\t") for line in lines]


def test_the_inventory_has_every_row_of_the_tables_once() -> None:
    assert sorted(path.stem for path in TABLES.iterdir()) == sorted(COUNTS)
    expected = []
    for paper, many in COUNTS.items():
        header, *rows = cells(paper)
        assert header == ["id", "location", "kind", "statement", "parameters", "test_form"]
        assert len(rows) == many
        assert {len(r) for r in rows} == {6}
        expected += [(r[0], paper, r[1], r[2], r[3]) for r in rows]
    found = [(c.id, c.paper, c.location, c.kind, c.statement) for c in claims.inventory().values()]
    assert found == expected
    assert len(found) == len({name for name, *_ in found}) == sum(COUNTS.values())
    assert all(name.startswith(f"{paper}.") for name, paper, *_ in found)


def test_the_inventory_has_no_status_of_its_own() -> None:
    assert {c.status for c in claims.inventory().values()} == {"OPEN"}
    assert {c.note for c in claims.inventory().values()} == {"not yet treated", "cited"}


def test_a_claim_by_id() -> None:
    assert claims.claim(PROVED).location == "§4.4"
    with pytest.raises(BadInput, match=r"cookbook\.s4\.4\.min"):
        claims.claim("cookbook.s4.4.mim")


# --- Selection --------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_select_by_paper_status_and_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "ledger", functools.cache(claims.ledger))  # read once
    everything = claims.select()
    assert len(everything) == sum(COUNTS.values())
    assert Counter(c.paper for c in everything) == COUNTS
    for paper, many in COUNTS.items():
        assert len(claims.select(paper=paper)) == many
    by_status = [claims.select(status=word) for word in claims.STATUSES]
    assert sum(map(len, by_status)) == sum(COUNTS.values())
    assert claims.select(status="open") == claims.select(status="OPEN")
    for word, rows in zip(claims.STATUSES, by_status, strict=True):
        assert all(claims.word(c.status) == word for c in rows)
    clip = claims.select(search="CLIP_delta: r -> R")
    assert [c.id for c in clip] == [WRONG]
    assert claims.select(paper="yang2026", search="CLIP_delta: r -> R") == []
    assert claims.select(search="no claim says this") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"paper": "cookbok"}, "cookbook"),
        ({"paper": ""}, "paper"),
        ({"status": "PROVEN"}, "PROVED"),
        ({"status": "CHECKED five"}, "CHECKED"),
        ({"status": "PROVED 5"}, "PROVED"),
        ({"search": "  "}, "must not be empty"),
        ({"search": ""}, "must not be empty"),
    ],
)
def test_a_bad_selection_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        claims.select(**given)


def test_checked_stands_for_every_length() -> None:
    found = {PROVED: claims.Known("CHECKED 14", "x"), WRONG: claims.Known("PROVED", "x")}
    assert [c.id for c in claims.select(status="checked", found=found)] == [PROVED]


def test_one_entry_of_the_json_answer() -> None:
    keys = ["id", "paper", "location", "kind", "statement", "status", "corrected", "assuming", "lemmas", "gaps"]
    keys += [
        "tried",
        "note",
        "slip",
        "same",
        "test",
        "reason",
        "printed",
        "counterexample",
        "repair",
        "numbers",
        "objects",
        "error_type",
    ]
    for claim in claims.select(paper="cookbook"):
        document = claim.to_json()
        assert list(document) == keys
        assert json.loads(json.dumps(document)) == document


def test_false_statements_are_counted_by_error_type() -> None:
    slips = ["boundary", "wrong", None, "boundary", "missing hypothesis"]
    rows = [replace(claims.claim(PROVED), slip=slip) for slip in slips]
    assert claims.by_error_type(rows) == "1 false statement, 1 missing hypothesis, 2 boundary cases"
    assert claims.by_error_type([claims.claim(PROVED)]) == ""
    assert [row.to_json()["error_type"] for row in rows[:3]] == ["boundary case", "false statement", None]


# --- A stale row ------------------------------------------------------------------------------------------------------


def sealed(name: str, status: str = "PROVED") -> str:
    """The digest of the row that says no more than this."""
    return claims.Known(status, claims.row_digest(name)).sealed(name)


LEMMAS = {
    row["id"]: row.get("lemmas", [])
    for row in map(json.loads, (ROOT / "symcook" / "data" / claims.LEDGER).read_text(encoding="utf-8").splitlines())
}
"""The lemmas of each row as it is shipped."""


def whole(name: str, status: str = "PROVED", **more: Any) -> dict[str, Any]:
    """A row with the lemmas of the shipped one, sealed."""
    lemmas = LEMMAS.get(name, [])
    digest = claims.Known(status, claims.row_digest(name), lemmas=tuple(lemmas), **more).sealed(name)
    return {"status": status, "digest": digest, **({"lemmas": lemmas} if lemmas else {}), **more}


def test_a_row_with_its_digest_is_read(own: Path) -> None:
    store(own, {ABOUT: whole(ABOUT)})
    found = row(ABOUT)
    assert (found.status, list(found.lemmas), found.corrected) == ("PROVED", LEMMAS[ABOUT], None) and found.lemmas
    assert row(UNTREATED).status == "OPEN"


def test_a_row_with_another_digest_is_open_and_stale(own: Path) -> None:
    right = sealed(PROVED)
    others = (claims.row_digest(PROVED), sealed(WRONG), sealed(PROVED, "REFUTED"))
    for digest in ("0" * 64, right.upper(), right[:-1], "", *others):
        store(own, {PROVED: {"status": "PROVED", "digest": digest}})
        found = row(PROVED)
        assert found.status == "OPEN"
        assert found.note.startswith("stale")
        assert (found.lemmas, found.corrected) == ((), None)


ABOUT = "cookbook.s9.2.1.accept"  # names a model and a definition that names others, and has lemmas that are claims
CHANGES = [
    ("statements/cookbook.txt", "(accept(dyck-1) <-> dyck(w, n))", "(accept(dyck-1) -> dyck(w, n))", True),
    ("statements/cookbook.txt", "[cookbook.s9.2.1.accept]\n", "[cookbook.s9.2.1.accept]\n# A comment.\n", False),
    ("statements/cookbook.txt", "run(min) -> out = x - relu", "run(min) -> out = y - relu", False),
    ("statements/definitions.txt", "dyck(w, n) := ", "dyck(w, n) := 0 = 0 & ", True),
    ("statements/definitions.txt", "bracket(a) := I[a = 0]", "bracket(a) := 2*I[a = 0]", True),  # by height
    ("statements/definitions.txt", "odd(n) := ex m", "odd(n) := 0 = 0 & ex m", False),
    ("models/dyck-1.json", "{", "{ ", True),
    ("models/min.json", "{", "{ ", False),
    (f"certificates/{ABOUT}.json", "{", "{ ", True),
    ("certificates/cookbook.s9.2.1.balance.json", "{", "{ ", True),  # a lemma
    (f"certificates/{PROVED}.json", "{", "{ ", False),
    ("remarks/cookbook.json", "{", "{ ", False),
]


@together(("file", "old", "new", "matters"), CHANGES)
def test_a_changed_file_makes_the_rows_stale_that_rest_on_it(
    own: Path, file: str, old: str, new: str, matters: bool
) -> None:
    store(own, {ABOUT: whole(ABOUT)})
    assert row(ABOUT).status == "PROVED"
    path = own / "proofs" / file
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new, 1), encoding="utf-8")
    statement_files.cache_clear()
    found = row(ABOUT)
    path.write_text(before, encoding="utf-8")
    statement_files.cache_clear()
    assert (found.status, found.note.startswith("stale")) == (("OPEN", True) if matters else ("PROVED", False))


@pytest.mark.sweep
def test_what_a_statement_is_written_with_is_all_that_the_checker_reads_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every statement: the words of its text with models written out, and the files of models and families that are
    read for it, are among what it names."""
    root = files.proofs_directory()
    written = statement_files(root)
    read: set[str] = set()

    def noted(real: Any) -> Any:
        def reading(path: Path, *arguments: Any, **more: Any) -> Any:
            prefix = {"models": "(", "families": "(family-"}.get(path.parent.name)
            read.update([] if prefix is None else [prefix + path.stem])
            return real(path, *arguments, **more)

        return reading

    assert len(written.texts) == len(replay.statements()) > 1500
    meant = {name: written.meant(text) for name, text in written.texts.items()}
    for way in ("read_text", "read_bytes"):
        monkeypatch.setattr(Path, way, noted(getattr(Path, way)))
    for name, statement in replay.read_statements(root / "statements").items():
        read.clear()
        for cached in (runrel.stored_model, runrel._stored_relation, familyrel.at_values):
            cached.cache_clear()
        needed = {*re.findall(r"\w+", statement.expanded), *read} & written.parts.keys()
        assert {written.parts[part] for part in needed} <= {*meant[name]}, name


def changed(own: Path, name: str, column: str, words: str) -> None:
    """One cell of the inventory changed."""
    path = own / "data" / "claims" / f"{name.partition('.')[0]}.tsv"
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    (line,) = (line for line in lines if line[0] == name)
    assert line[claims.COLUMNS.index(column)] != words
    line[claims.COLUMNS.index(column)] = words
    path.write_text("\n".join("\t".join(line) for line in lines), encoding="utf-8")
    claims.table.cache_clear()
    claims.inventory.cache_clear()


@pytest.fixture
def tables() -> Iterator[None]:
    """The inventory is read again after the test."""
    yield
    claims.table.cache_clear()
    claims.inventory.cache_clear()


@together(
    ("name", "status", "column", "words"),
    [
        (PROVED, "PROVED", "statement", "P = NP, and every transformer computes PARITY with one layer"),
        (PROVED, "PROVED", "location", "Theorem 1"),
        (PROVED, "PROVED", "kind", "theorem"),
        (PROVED, "PROVED", "parameters", "all of them"),
        (PROVED, "PROVED", "test_form", "none"),
        ("chiang2022.appA.even.alpha", "PROVED", "statement", "P = NP"),
        (WRONG, "CORRECTED", "statement", "P = NP"),
        (LISTED, "DEFINED", "statement", "P = NP"),
    ],
)
def test_a_changed_word_of_the_paper_makes_its_row_stale(
    own: Path, tables: None, name: str, status: str, column: str, words: str
) -> None:
    shutil.copy(ROOT / "proofs" / "reviewed.json", own / "proofs" / "reviewed.json")
    more = {"corrected": f"{WRONG}.corrected"} if name == WRONG else {}
    store(own, {name: whole(name, status, **more), OTHER: whole(OTHER)})

    def now(name: str) -> tuple[str, bool]:
        (found,) = claims.ledger(names=(name,))
        return found.status, found.note.startswith("stale")

    assert (now(name), now(OTHER)) == ((status, False), ("PROVED", False))
    changed(own, name, column, words)
    assert (now(name), now(OTHER)) == (("OPEN", True), ("PROVED", False))
    path = own / "data" / "claims" / f"{name.partition('.')[0]}.tsv"
    shutil.copy(TABLES / path.name, path)
    claims.table.cache_clear()
    claims.inventory.cache_clear()
    assert now(name) == (status, False)


@together("sign", ["\u2028", "\x0b", "\x85", "\u202e", "\r"])
def test_no_sign_hides_words_of_a_row(own: Path, tables: None, sign: str) -> None:
    changed(own, PROVED, "statement", f"min(x, y){sign}and P = NP")
    with pytest.raises(SymcookError, match="must have one printable cell"):
        claims.inventory()


def test_a_changed_corrected_certificate_makes_its_claim_stale(own: Path) -> None:
    before = claims.row_digest(WRONG)
    path = own / "proofs" / "certificates" / f"{WRONG}.corrected.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert claims.row_digest(WRONG) != before


def test_a_changed_certificate_of_a_claim_that_serves_as_lemma_makes_a_row_stale(own: Path) -> None:
    name, below = "cookbook.s4.8.boolean_ffn", "cookbook.s4.8.hidden_indicator"
    before = {n: claims.row_digest(n) for n in (name, below, PROVED)}
    path = own / "proofs" / "certificates" / f"{below}.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert {n for n, digest in before.items() if claims.row_digest(n) != digest} == {name, below}


def test_a_row_without_any_certificate_is_stale(own: Path) -> None:
    for path in (own / "proofs" / "remarks").glob("*.json"):
        path.unlink()
    assert claims.row_digest(UNTREATED) == ""
    for digest in ("", "0" * 64, sealed(PROVED), sealed(UNTREATED)):
        store(own, {UNTREATED: {"status": "PROVED", "digest": digest}})
        assert (row(UNTREATED).status, row(UNTREATED).note.startswith("stale")) == ("OPEN", True)


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize(
    ("name", "status"), [(UNTREATED, "PROVED"), (UNTREATED, "CORRECTED"), (UNTREATED, "CITED"), (PROVED, "NO CLAIM")]
)
def test_a_sealed_status_that_nothing_stands_for_is_stale(own: Path, name: str, status: str) -> None:
    """A line as the public code seals it, of a row without a certificate, or without what people must have said."""
    remarks_of(own).write_text(json.dumps({name: {"tried": []}}), encoding="utf-8")
    store(own, {name: {"status": status, "digest": sealed(name, status)}})
    assert (row(name).status, row(name).note.startswith("stale")) == ("OPEN", True)


STATUSES = [*(word for word in claims.STATUSES if word != "CHECKED"), "CHECKED 5"]


def forged(name: str, **changes: Any) -> claims.Known | None:
    """What is read of the shipped row of a claim with other words, whose digest is made anew."""
    (stored,) = claims.stored_rows()[name]
    row = {key: value for key, value in (stored | changes).items() if value is not None}
    keys = {key: row.get(key) for key in ("corrected", "same")}
    keys |= {key: tuple(row.get(key, ())) for key in ("assuming", "lemmas")}
    digest = claims.Known(row["status"], claims.row_digest(name, row.get("same")), **keys).sealed(name)
    return claims.current(name, row | {"digest": digest})


def test_a_status_that_is_not_that_of_the_certificates_is_refused_with_every_digest_made_anew() -> None:
    """Each status in place of each, and a row that repeats another one by its word alone."""
    by_status = {rows[0]["status"]: name for name, rows in claims.stored_rows().items()}
    assert len(by_status) >= 7
    for was, name in by_status.items():
        assert (known := forged(name)) is not None and known.status == was
        for status in STATUSES:
            if status != was:
                assert forged(name, status=status) is None, (name, was, status)
    assert forged(WRONG, corrected=None) is forged(WRONG, corrected=PROVED) is None
    assert forged(PROVED, corrected=f"{WRONG}.corrected") is forged(PROVED, assuming=["named.x"]) is None
    assert forged("cookbook.s4.6.gelu_taylor", assuming=[]) is None
    assert forged(by_status["OPEN"], same=PROVED) is None
    # An assumption once, and a row that people say is another one is that one.
    assert forged("cookbook.s4.6.gelu_taylor", assuming=["named.intermediate_value"] * 2) is None
    assert forged("yang2026.s1.hahn") is not None and forged("yang2026.s1.hahn", same=None) is None
    # The lemmas are those that the certificates list.
    assert LEMMAS[ABOUT] and forged(ABOUT) is not None
    for lemmas in (LEMMAS[ABOUT][1:], [*LEMMAS[ABOUT], "sum_ext"], LEMMAS[ABOUT][::-1], ["x"], None):
        assert forged(ABOUT, lemmas=lemmas) is None
    assert forged(WRONG, lemmas=["sum_ext"]) is forged(by_status["CITED"], lemmas=["sum_ext"]) is None


def test_other_words_of_people_are_named_also_where_the_row_is_sealed_again(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A false counterexample, a changed sign, a repair that is taken back: stale; after the seal, still named."""
    from shared import call

    path = own / "proofs" / "reviewed.json"
    shutil.copy(ROOT / "proofs" / "reviewed.json", path)
    entries = json.loads(path.read_text(encoding="utf-8"))
    assert claims.reworded([WRONG, PROVED]) == []
    for fact, words in (("counterexample", "n = 0"), ("repair", "No repair is needed."), ("printed", "1 + 1 = 3")):
        path.write_text(json.dumps(entries | {WRONG: entries[WRONG] | {fact: words}}), encoding="utf-8")
        claims._read_reviewed.cache_clear()
        assert claims.reworded([WRONG, PROVED]) == [WRONG]
        assert row(WRONG).note.startswith("stale")
        code, out, err = call(capsys, "claims", WRONG)
        assert (
            code == 1
            and f"stale: {WRONG}" in err
            and f"with other words than when the ledger was computed: {WRONG}" in err
        )
        more: Any = {"corrected": f"{WRONG}.corrected"}
        store(own, {WRONG: whole(WRONG, "CORRECTED", **more)})
        code, out, err = call(capsys, "claims", WRONG, "--json")
        assert code == 1 and json.loads(out)[0]["status"] == "CORRECTED" and WRONG in err and "stale" not in err
    claims._read_reviewed.cache_clear()


@pytest.mark.sweep
def test_the_words_of_all_rows_are_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    from shared import call

    assert claims.reworded(claims.inventory()) == []
    assert call(capsys, "claims", PROVED)[0] == 0


def test_the_checker_is_part_of_the_digest(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(own, {PROVED: {"status": "PROVED", "digest": sealed(PROVED)}})
    monkeypatch.setattr(claims, "judge_digest", lambda judge: f"another {judge}")
    assert row(PROVED).status == "OPEN"


def test_lines_say_which_statement_corrects_which_as_the_checker_reads_them() -> None:
    root = files.proofs_directory()
    read = {name: statement.corrects for name, statement in replay.read_statements(root / "statements").items()}
    assert statement_files(root).corrects == read and len(set(read.values())) > 50


def test_no_ledger_file_means_that_everything_is_open(own: Path) -> None:
    (own / "data" / claims.LEDGER).unlink()
    assert {c.status for c in claims.ledger()} == {"OPEN"}


# --- Remarks ----------------------------------------------------------------------------------------------------------


def test_remarks_cannot_give_a_status(own: Path) -> None:
    forged = {"status": "PROVED", "corrected": "x", "lemmas": ["y"], "id": "z", "digest": "0", "statement": "true"}
    words = {"tried": ["one instance"], "gaps": [{"step": "a", "why": "b", "repair": "c"}], "note": "said"}
    names = (UNTREATED, PROVED)
    said = []
    for own_words in (words, words | forged):
        remarks_of(own).write_text(json.dumps({name: own_words for name in names}), encoding="utf-8")
        store(own, {PROVED: {"status": "PROVED", "digest": sealed(PROVED)}})
        said.append(claims.ledger())
    plain = said[0]
    assert said[1] == plain
    some = ("cookbook.s4.4.min", plain[-1].id)
    assert claims.ledger(names=some) == [row for row in plain if row.id in some]
    assert [row(name).status for name in names] == ["OPEN", "PROVED"]
    assert row(UNTREATED).note == row(PROVED).note == "said"
    assert row(UNTREATED).tried == ("one instance",)
    assert row(UNTREATED).statement == claims.inventory()[UNTREATED].statement


@pytest.mark.parametrize("name", [PROVED, UNTREATED])
def test_a_changed_remark_makes_its_row_stale(own: Path, name: str) -> None:
    """A gap that is taken out or called a reading too, of a row with a proof or of an open one."""
    gap = {"step": "a", "why": "b", "repair": "c"}
    remarks_of(own).write_text(json.dumps({name: {"tried": [], "gaps": [gap]}}), encoding="utf-8")
    status = "PROVED" if name == PROVED else "OPEN"
    store(own, {name: {"status": status, "digest": sealed(name, status)}})
    assert row(name).status == status and not row(name).note.startswith("stale")
    for gaps in ([], [gap | {"class": "reading"}]):
        remarks_of(own).write_text(json.dumps({name: {"tried": [], "gaps": gaps}}), encoding="utf-8")
        assert (row(name).status, row(name).note.startswith("stale")) == ("OPEN", True)


def test_a_remark_about_a_stale_row_does_not_hide_that_it_is_stale(own: Path) -> None:
    store(own, {PROVED: {"status": "PROVED", "digest": "0"}})
    remarks_of(own).write_text(json.dumps({PROVED: {"note": "all is well"}}), encoding="utf-8")
    assert row(PROVED).note.startswith("stale")


def test_the_stored_remarks_are_about_treated_claims_and_keep_their_shape() -> None:
    parts = [json.loads(p.read_text(encoding="utf-8")) for p in (ROOT / "proofs" / "remarks").glob("*.json")]
    said = claims.remarks()
    assert len(said) == sum(len(part) for part in parts)
    treated = {name for name in replay.statements() if name in claims.inventory()}
    assert treated <= set(said) <= set(claims.inventory())
    for name, words in said.items():
        assert {"tried"} <= set(words) <= {"tried", "gaps", "note", "no_run"}, name
        assert words["tried"] or name not in treated
        assert all(isinstance(text, str) and text for text in words["tried"])
        for gap in words.get("gaps", []):
            assert list(gap) in (["step", "why", "repair"], ["step", "why", "repair", "class"]), name
            assert all(gap.values())
            assert gap.get("class", claims.SLIPS[0]) in claims.SLIPS + claims.ASIDES
            assert gap["why"].endswith((".", ".)"))
            assert gap["repair"].endswith(".")


def test_what_is_false_as_printed_is_not_proved() -> None:
    """A PROVED row carries remarks about steps of the printed proof, silent readings and slips of the pen alone."""
    for row in claims.ledger():
        classes = {gap["class"] for gap in row.gaps if "class" in gap}
        if row.status.startswith(("PROVED", "CHECKED", "DECIDED")):
            assert classes <= set(claims.ASIDES), row.id
        if row.status in ("REFUTED", "CORRECTED"):
            assert row.slip in claims.SLIPS and row.reason, row.id


# --- What people have reviewed ----------------------------------------------------------------------------------------


@together(
    ("kind", "found", "entry", "status"),
    [
        ("definition", "OPEN", {}, "OPEN"),
        ("definition", "OPEN", {"test": "t"}, "DEFINED"),
        ("definition", "PROVED", {"test": "t"}, "DEFINED"),
        ("definition", "CORRECTED", {"test": "t"}, "CORRECTED"),
        ("definition", "REFUTED", {"test": "t"}, "REFUTED"),
        ("identity", "PROVED", {"cited": "c"}, "PROVED"),
        ("identity", "CHECKED 8", {"empirical": "e"}, "CHECKED 8"),
        ("identity", "OPEN", {"cited": "c"}, "CITED"),
        ("figure", "OPEN", {"empirical": "e"}, "EMPIRICAL"),
        ("figure", "OPEN", {"kind": "figure"}, "OPEN"),
        ("theorem", "OPEN", {"same": "x"}, "OPEN"),
        ("theorem", "OPEN", {"no claim": "x"}, "NO CLAIM"),
        ("theorem", "PROVED", {"no claim": "x"}, "PROVED"),
    ],
)
def test_the_status_follows_from_replay_and_the_list(kind: str, found: str, entry: dict[str, str], status: str) -> None:
    assert status_of(kind, found, entry) == status


@together(
    "entry",
    [
        {"why": "no fact"},
        {"test": "tests/test_claims.py::x"},
        {"test": "tests/test_claims.py::x", "why": " "},
        {"status": "DEFINED", "why": "a status is no fact"},
        {"slip": "typo", "why": "no such kind", "printed": "x", "counterexample": "x", "repair": "x"},
        {"slip": "wrong", "why": "neither the strings nor a counterexample nor a repair"},
        {"slip": "wrong", "why": "no counterexample", "printed": "x", "repair": "x"},
        {"printed": "x", "counterexample": "x", "repair": "x", "why": "no slip"},
        {"same": "cookbook.s2.1.notation", "why": "itself"},
        {"same": "cookbook.s0", "why": "unknown"},
        {"kind": "identity", "test": "tests/test_claims.py::x", "why": "no definition"},
    ],
)
def test_a_bad_entry_of_the_list_is_refused(own: Path, entry: dict[str, str]) -> None:
    (own / "proofs" / "reviewed.json").write_text(json.dumps({LISTED: entry}), encoding="utf-8")
    with pytest.raises(SymcookError):
        claims.reviewed()


def test_a_changed_entry_makes_its_row_stale(own: Path) -> None:
    path = own / "proofs" / "reviewed.json"
    path.write_text(json.dumps({LISTED: {"test": "tests/a.py::b", "why": "one"}}), encoding="utf-8")
    known = claims.Known("DEFINED", claims.row_digest(LISTED))
    store(own, {LISTED: {"status": "DEFINED", "digest": known.sealed(LISTED)}})
    assert (row(LISTED).status, row(LISTED).test, row(LISTED).reason) == ("DEFINED", "tests/a.py::b", "one")
    path.write_text(json.dumps({LISTED: {"test": "tests/a.py::b", "why": "another"}}), encoding="utf-8")
    assert (row(LISTED).status, row(LISTED).note.startswith("stale")) == ("OPEN", True)
    path.unlink()
    assert row(LISTED).status == "OPEN"


SKIPPED = {"skip", "skipif", "xfail"}


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@together("name", [n for n, entry in claims.reviewed().items() if "test" in entry])
def test_a_definition_names_a_test_that_is_there_and_runs(name: str) -> None:
    """The function stands at top level of a module that pytest collects, has a body, and is never skipped."""
    file, _, function = claims.reviewed()[name]["test"].partition("::")
    path = ROOT / file
    assert path.name.startswith("test_") and path.is_file() and path.is_relative_to(ROOT / "tests")
    tree = parsed(path)
    assert "pytestmark" not in {t.id for node in tree.body if isinstance(node, ast.Assign) for t in names(node)}
    (found,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    assert found.name.startswith("test_")
    used = {node.attr for one in found.decorator_list for node in ast.walk(one) if isinstance(node, ast.Attribute)}
    assert not used & SKIPPED
    assert not {node.attr for node in ast.walk(found) if isinstance(node, ast.Attribute)} & {"skip", "importorskip"}
    assert any(isinstance(node, ast.Assert | ast.Call) for node in ast.walk(found))


def names(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def test_a_case_of_a_definition_is_among_the_cases() -> None:
    """Of the tests that run over a list of cases: the claim has one there."""
    from test_definitions import CASES

    over = {n for n, e in claims.reviewed().items() if e.get("test") == "tests/test_definitions.py::test_definition"}
    assert over <= {case.claim for case in CASES}


@pytest.mark.sweep
@pytest.mark.usefixtures("replayed")
def test_no_definition_is_proved_and_every_slip_has_its_kind() -> None:
    rows = claims.ledger(recompute())
    defined = {r.status for r in rows if r.kind == claims.DEFINITION}
    assert defined <= {"DEFINED", "CITED", "REFUTED", "CORRECTED", "OPEN"}
    assert {r.kind for r in rows if r.status == "DEFINED"} == {claims.DEFINITION}
    assert all(r.test for r in rows if r.status == "DEFINED")
    alike = {r.id for r in rows if "same" in claims.reviewed().get(r.id, {})}  # with the status of the other row
    wrong = {r.id for r in rows if r.status in ("REFUTED", "CORRECTED")} - alike
    told = {n for n, entry in claims.reviewed().items() if "slip" in entry}
    assert told - alike == wrong
    assert {r.id for r in errata_again(rows)} == told & alike  # in each letter with that paper's own words
    assert all(r.slip in claims.SLIPS and r.reason for r in rows if r.id in wrong)
    assert {r.status for r in rows if r.reason} == {"DEFINED", "CITED", "EMPIRICAL", "NO CLAIM", "CORRECTED"}
    for r in rows:
        if r.same is not None:
            assert r.same in claims.inventory()
            earlier = next(one for one in rows if one.id == r.same)
            assert earlier.same is None
            assert r.status in (earlier.status, "OPEN") or "DEFINED" in (r.status, earlier.status)


def errata_again(rows: list[claims.Claim]) -> list[claims.Claim]:
    return [row for row in stored.load_module("errata").false_as_printed(rows) if row.same]


@pytest.mark.sweep
@pytest.mark.usefixtures("replayed")
def test_the_counts_leave_out_definitions_and_repeated_rows() -> None:
    rows = claims.ledger(recompute())
    found = claims.counts(rows)
    definitions = [r for r in rows if r.kind == "definition"]
    repeated = [r for r in rows if r.kind != "definition" and r.same]
    assert found.total() + len(definitions) + len(repeated) == sum(COUNTS.values())
    assert "DEFINED" not in found
    types = [int(number) for number in re.findall(r"\d+", claims.by_error_type(r for r in rows if r.counted))]
    assert len(types) == 4 and sum(types) == found["CORRECTED"] + found["REFUTED"]
    assert found["PROVED assuming"] == sum(bool(r.assuming) and r.status == "PROVED" for r in rows if r.counted)
    texts = {n: s.digest for n, s in replay.statements().items() if n in claims.inventory()}
    counted = [texts[r.id] for r in rows if r.counted and r.id in texts]
    assert len(counted) == len(set(counted))


# --- The shipped ledger -----------------------------------------------------------------------------------------------


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is replayed once in a run, in place of a replay."""
    verdicts = list(stored.verdicts().values())  # before the patch: where nothing is replayed yet, this replays
    monkeypatch.setattr(replay, "replay", lambda *_, **__: verdicts)


@pytest.mark.sweep
@pytest.mark.usefixtures("replayed")
def test_the_committed_ledger_is_what_replay_gives() -> None:
    found = recompute()
    assert not stored.load_module("ledger").other_rows(recount.rows(found))
    ledger = {c.id: c for c in claims.ledger()}
    alike = {
        name: ledger[known.same or ""].status for name, known in found.items() if known.same and known.status == "OPEN"
    }
    said = {name: known.status for name, known in found.items()} | alike
    assert {name: c.status for name, c in ledger.items() if name in found} == said
    assert {c.status for name, c in ledger.items() if name not in found} <= {"OPEN"}
    for name, known in found.items():
        assert (known.status == "CORRECTED") == (known.corrected == f"{name}.corrected")
        assert name in replay.statements() or known.status in ("DEFINED", "CITED", "EMPIRICAL", "NO CLAIM", "OPEN")


@pytest.mark.sweep
@pytest.mark.usefixtures("replayed")
def test_what_is_refuted_is_corrected_and_nothing_else() -> None:
    found = recompute()
    certificates = (
        json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "proofs" / "certificates").glob("*.json")
    )
    refuted = {certificate["id"] for certificate in certificates if certificate.get("sense") == "refuted"}
    assert {name for name, known in found.items() if known.status == "CORRECTED"} == refuted
    assert len(refuted) > 40
    assert "REFUTED" not in {known.status for known in found.values()}


def test_a_row_that_says_the_same_has_the_status_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no statement of its own, and falls open with the other."""
    entries = {"cookbook.s9.2.2.accept": {"same": PROVED, "why": "a plant"}}
    monkeypatch.setattr(claims, "reviewed", lambda: entries)
    same = {"cookbook.s9.2.2.accept": claims.Known("OPEN", "x", same=PROVED)}

    def status(found: dict[str, claims.Known]) -> str:
        return next(row.status for row in claims.ledger(found) if row.id == "cookbook.s9.2.2.accept")

    assert status(same | {PROVED: claims.Known("PROVED", "x")}) == "PROVED"
    assert status(same | {PROVED: claims.Known("CORRECTED", "x", corrected="a")}) == "CORRECTED"
    assert status(same) == "OPEN"
    assert claims.ledger(same, ["cookbook.s9.2.2.accept"])[0].id == "cookbook.s9.2.2.accept"


def test_what_is_said_of_another_papers_sentence_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its words nor its note; of an earlier sentence of the same paper both are."""
    other, same, apart = "cookbook.s8.3.serial", "cookbook.t3.serial", "yang2026.s1.layernorm"
    entries = claims.reviewed() | {apart: {"same": other, "why": "a plant"}}
    monkeypatch.setattr(claims, "reviewed", lambda: entries)
    found = {name: claims.Known("OPEN", "x", same=other) for name in (same, apart)}
    found[other] = claims.Known("CORRECTED", "x", corrected=f"{other}.corrected")
    rows = {row.id: row for row in claims.ledger(found, [other, same, apart])}
    said = [
        (row.status, row.slip, row.printed, row.reason, row.note) for row in map(rows.get, (other, same, apart)) if row
    ]
    assert said[0] == said[1] and all(said[0])
    assert said[2] == ("CORRECTED", None, None, None, "")


def test_a_faulty_entry_is_found_before_anything_is_replayed(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "replay", lambda *_, **__: pytest.fail("replayed"))
    (own / "proofs" / "reviewed.json").write_text(json.dumps({LISTED: {"why": "no fact"}}), encoding="utf-8")
    with pytest.raises(SymcookError, match=LISTED):
        recompute()
