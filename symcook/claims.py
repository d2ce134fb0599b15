"""The claims of the papers: their inventory, and the ledger of statuses that replay computed.

A status is never written by hand. `symcook.recount` replays every certificate; ``proofs/ledger.py`` writes what it
finds to ``symcook/data/ledger.jsonl``, a row a line, with a digest of everything that the status rests on; `ledger`
reads that file and calls a row stale, and so OPEN, where the digest no longer fits. To read it no proof is looked into.

What no replay can find out stands in ``proofs/reviewed.json``, an entry a claim with its reason ("why"): which kind a
row is where the table's word misleads ("kind"), the test that shows that the library's object is the one that a
definition means ("test"), where a sentence that the paper only cites comes from ("cited"), that a sentence reports a
measurement ("empirical"), why one asserts nothing that could be proved or refuted ("no claim"), which row says the same
in other words ("same"), and of what is false as printed which kind of slip it is ("slip"), with that paper's words
("printed"), the smallest counterexample as a person would write it ("counterexample") and what holds in its place
("repair"); the reason is the objection. An entry states facts; the
status follows by a rule.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from symcook import recipes
from symcook.errors import BadInput, SymcookError, unknown
from symcook.proof.audit.certificatefile import certificate
from symcook.proof.audit.seals import digest, judge_digest, read
from symcook.proof.audit.statementfiles import statement_files

DATA = Path(__file__).parent / "data"
LEDGER = "ledger.jsonl"
PAPERS = ("cookbook", "chiang2022", "merrill2024", "yang2026")
STATUSES = ("PROVED", "DECIDED", "CHECKED", "REFUTED", "CORRECTED", "DEFINED", "CITED", "EMPIRICAL", "NO CLAIM", "OPEN")
SLIPS = ("misprint", "boundary", "missing hypothesis", "wrong")
"""Classes of errata: false, though what is meant is clear; false at an edge (n = 1, the empty word, 0); true under a
condition that is not printed; false where it matters. A misprint can be read as printed, and is then false: only other
passages (a proof, an example) show what is meant."""
ASIDES = ("typo", "reading")
"""Remarks that leave a statement true in its plain reading: a slip of the pen, and what the words leave to the reader
(a tolerance is positive). A typo cannot be read as printed: it means nothing there (a lost index, a wrong reference),
or the words or the display next to it have the right form."""
DEFINITION = "definition"
BY_PEOPLE = {"DEFINED": "test", "CITED": "cited", "EMPIRICAL": "empirical", "NO CLAIM": "no claim"}
"""The fact of ``proofs/reviewed.json`` that a row with such a status has; all others but OPEN have a certificate."""
COLUMNS = ("id", "location", "kind", "statement", "parameters", "test_form")
_STALE = "stale: something that the status rests on has changed since it was computed"


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, in our words, and what is known about it.

    `corrected` is the id of a proved corrected statement; `assuming` lists the ids of the statements without a proof
    that the status rests on, through lemmas and the correction as well; `gaps` lists steps of the printed proof that do
    not follow, and places where the print deviates from what is meant ({"step", "why", "repair"}; the latter have a
    "class", one of SLIPS or ASIDES); `tried` says what was attempted against the claim before it was proved. Of a
    claim that is false as printed `slip` is one of SLIPS, `printed` the paper's words, `reason` the objection,
    `counterexample` the smallest, in words, and `repair` what holds. `same` is an earlier row with the same statement.
    Of other rows `reason` is why they are DEFINED (by the test `test`), CITED, EMPIRICAL or NO CLAIM.
    """

    id: str
    paper: str
    location: str
    kind: str
    statement: str
    status: str = "OPEN"
    corrected: str | None = None
    assuming: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    gaps: tuple[dict[str, str], ...] = ()
    tried: tuple[str, ...] = ()
    note: str = "not yet treated"
    slip: str | None = None
    same: str | None = None
    test: str | None = None
    reason: str | None = None
    printed: str | None = None
    counterexample: str | None = None
    repair: str | None = None

    def to_json(self) -> dict[str, Any]:
        """One entry of ``symcook claims --json``; "objects" are the recipes and functions that the claim is about."""
        document = asdict(self) | {"numbers": self.numbers, "objects": recipes.of_claim(self.id)}
        return document | {name: list(document[name]) for name in ("assuming", "lemmas", "gaps", "tried", "objects")}

    @property
    def words(self) -> str:
        """The status with what it assumes: ``PROVED assuming named.x``."""
        return self.status + (f" assuming {', '.join(self.assuming)}" if self.assuming else "")

    @property
    def numbers(self) -> str:
        """Over which numbers a status with a proof or a refutation holds; empty for the others."""
        return "exact reals" if self.status in ("PROVED", "REFUTED", "CORRECTED") else ""

    @property
    def counted(self) -> bool:
        """Whether the row counts as a claim: it is no definition, and no earlier row says the same."""
        return self.kind != DEFINITION and self.same is None


@dataclass(frozen=True)
class Known:
    """What replay found about one claim, as the ledger file keeps it.

    `rests` is the digest of the files that the status rests on (`row_digest`); the digest that is stored covers the
    row itself as well, so that a changed word is noticed.
    """

    status: str
    rests: str
    corrected: str | None = None
    assuming: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    same: str | None = None

    def sealed(self, name: str) -> str:
        """sha256 of the row of the claim `name`: its words and what they rest on; empty where they rest on nothing."""
        words = [name, self.status, self.corrected, self.assuming, self.lemmas, self.same, self.rests]
        return digest(json.dumps(words)) if self.rests else ""


@cache
def table() -> dict[str, dict[str, str]]:
    """The cells of every row of the inventory, by id: what the papers say, in our words."""
    rows: dict[str, dict[str, str]] = {}
    for paper in PAPERS:
        head, *lines = (DATA / "claims" / f"{paper}.tsv").read_bytes().decode("utf-8").rstrip("\n").split("\n")
        if tuple(head.split("\t")) != COLUMNS:
            raise SymcookError(f"the inventory of {paper} has other columns than {', '.join(COLUMNS)}")
        for line in lines:
            cells = line.split("\t")
            if len(cells) != len(COLUMNS) or not "".join(cells).isprintable():
                raise SymcookError(f"a row of the inventory of {paper} has other cells or signs: {ascii(line)[:80]}")
            if cells[0] in rows:
                raise SymcookError(f"the inventory lists {cells[0]} twice")
            rows[cells[0]] = {"paper": paper, **dict(zip(COLUMNS, cells, strict=True))}
    return rows


@cache
def inventory() -> dict[str, Claim]:
    """Every claim of the four papers by id, in the papers' order, none with a status yet."""
    claims: dict[str, Claim] = {}
    for name, cells in table().items():
        note = "cited" if "(cited" in cells["statement"] else Claim.note
        claims[name] = Claim(name, cells["paper"], cells["location"], cells["kind"], cells["statement"], note=note)
    return claims


def word(status: str) -> str:
    """The status without its number: CHECKED of CHECKED N."""
    return "CHECKED" if status.startswith("CHECKED ") else status


def _place(name: str) -> str | None:
    """What to ask where `name` is a place of a paper, as 9.2.1 or thm12, or a word of ids; None where it is in none."""
    for id_known in inventory():
        for inside in (f".s{name}.", f".{name}."):
            if inside in f"{id_known}.":
                return f"did you mean {id_known[: f'{id_known}.'.index(inside)]}{inside[:-1]}?"
    if any(name.casefold() in id_known for id_known in inventory()):
        return f"see symcook claims --search {shlex.quote(name)}"
    return None


def claim(name: str) -> Claim:
    """One claim by id; BadInput with the nearest id where there is none."""
    if name not in inventory():
        raise unknown("claim", name, list(inventory()), _place(name))
    return inventory()[name]


def remarks() -> dict[str, dict[str, Any]]:
    """What was tried against a claim, gaps of its printed proof, and notes, by claim id; written by people."""
    from symcook.proof.files import proofs_directory

    files = sorted((proofs_directory() / "remarks").glob("*.json"))
    return _said(tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files))


@cache
def _said(files: tuple[tuple[Path, int, int], ...]) -> dict[str, dict[str, Any]]:
    """What `remarks` reads; once as long as the files stay as they are."""
    out: dict[str, dict[str, Any]] = {}
    for path, _, _ in files:
        out |= json.loads(path.read_text(encoding="utf-8"))
    return out


_ERRATUM = ("printed", "counterexample", "repair")
_FACTS = frozenset({"kind", "test", "cited", "empirical", "no claim", "same", "slip", *_ERRATUM})


def reviewed() -> dict[str, dict[str, str]]:
    """The entries of ``proofs/reviewed.json`` by claim id. SymcookError where one has another shape."""
    from symcook.proof.files import proofs_directory

    path = proofs_directory() / "reviewed.json"
    if not path.is_file():
        return {}
    at = path.stat()
    return _entries(path, at.st_mtime_ns, at.st_size)


@cache
def _entries(path: Path, changed: int, size: int) -> dict[str, dict[str, str]]:
    """What `reviewed` reads; once as long as the file stays as it is."""
    from symcook.proof.files import load_json

    entries = load_json(path.read_bytes())
    for name, entry in entries.items():
        facts = set(entry) - {"why"}
        if name not in inventory() or not facts or not facts <= _FACTS or not all(map(str.strip, entry.values())):
            raise SymcookError(f"reviewed.json must say facts out of {sorted(_FACTS)} of {name}, and no more")
        if "why" not in entry:
            raise SymcookError(f"the entry of {name} in reviewed.json gives no reason")
        if "test" in entry and entry.get("kind", inventory()[name].kind) != DEFINITION:
            raise SymcookError(f"{name} is no definition, so that no test can make it DEFINED")
        if entry.get("slip", SLIPS[0]) not in SLIPS:
            raise SymcookError(f"the error type of {name} must be one of {', '.join(SLIPS)}")
        if {"slip", *_ERRATUM} & set(entry) not in (set(), {"slip", *_ERRATUM}):
            raise SymcookError(
                f"the error type of {name} must come with {', '.join(_ERRATUM)}, and these with an error type"
            )
        if entry.get("same", name) not in inventory() or entry.get("same") == name:
            raise SymcookError(f"the row that {name} repeats must be another claim")
    return entries


def row_digest(name: str, same: str | None = None) -> str:
    """A digest of all that a row says and rests on: the words of the table, the checker's files, statements and
    certificates of the row, of what corrects it and of all lemmas below, the statement of the row that says the `same`,
    its entry among the reviewed rows, and the remarks on it.

    Empty where there is no certificate, no entry and no remark: then a ledger's row rests on nothing.
    """
    from symcook.proof.files import proofs_directory

    root = proofs_directory()
    written, stored = statement_files(root), _certificates(root)
    entry, remark = reviewed().get(name), remarks().get(name)
    # A digest for the id and for each lemma below its proof: of the statement, what corrects it, and the certificates.
    below: dict[str, str] = {}
    todo = [name]
    while todo:
        id_below = todo.pop()
        if id_below not in below:
            related = [id_below, *_corrections(root).get(id_below, ())]
            proofs = [certificate(path) for other in related for path in stored.get(other, ())]
            below[id_below] = digest(*(written.digest(other) for other in related), *(sha256 for sha256, _ in proofs))
            todo += [lemma for _, lemmas in proofs for lemma in lemmas]
            if id_below == name and not proofs and entry is None and remark is None:
                return ""
    words = json.dumps([table().get(name), entry, remark, same, same and written.digest(same)], sort_keys=True)
    return digest(judge_digest("kernel"), words, *(f"{id_below} {below[id_below]}" for id_below in sorted(below)))


@cache
def _certificates(root: Path) -> dict[str, list[Path]]:
    """The stored certificates of each id: its proof, and its refutation."""
    stored = {path.name for path in (root / "certificates").glob("*.json")}
    names = {name: [f"{name}.json", f"{name}.refuted.json"] for name in statement_files(root).texts}
    return {
        name: [root / "certificates" / file_name for file_name in own if file_name in stored]
        for name, own in names.items()
    }


@cache
def _corrections(root: Path) -> dict[str, list[str]]:
    """The ids of the statements that correct an id."""
    correcting: dict[str, list[str]] = {}
    for name, corrects in statement_files(root).corrects.items():
        if corrects is not None:
            correcting.setdefault(corrects, []).append(name)
    return correcting


def ledger(found: dict[str, Known] | None = None, names: Collection[str] | None = None) -> list[Claim]:
    """Every claim, or those of `names`, with its status: from `found`, else from the shipped ledger (OPEN where a
    digest no longer fits). A row that says the same as another one and has no statement has that one's status."""
    stale = set()
    notes, entries = remarks(), reviewed()
    wanted = None if names is None else {*names, *(entries.get(name, {}).get("same") for name in names)}
    # The verdicts of the shipped ledger, as far as what they rest on is unchanged.
    if found is None:
        found = {}
        for name, lines in stored_rows().items():
            if wanted is None or name in wanted:
                of_today = [known for line in lines if (known := current(name, line)) is not None]
                if len(of_today) == 1:
                    found[name] = of_today[0]
                else:  # none, or two that say different things: replay never wrote both
                    stale.add(name)
    rows = []
    for name, row in inventory().items():
        if wanted is not None and name not in wanted:
            continue
        # What people wrote about the claim; the verdict; what a misprint is; who vouches where no proof does.
        remark = notes.get(name, {})
        entry, columns = entries.get(name, {}), {key: tuple(remark.get(key, ())) for key in ("gaps", "tried")}
        row = replace(row, **columns, kind=entry.get("kind", row.kind))
        if name in stale:
            row = replace(row, note=_STALE)
        elif name in found:
            known = found[name]
            columns = {k: getattr(known, k) for k in ("status", "corrected", "assuming", "lemmas", "same")}
            row = replace(row, **columns, note=remark.get("note", row.note if known.status == "OPEN" else ""))
            if row.status in ("REFUTED", "CORRECTED"):
                row = replace(row, **_erratum(entry))
            if row.status in BY_PEOPLE:
                row = replace(row, test=entry.get("test"), reason=entry.get(row.status.lower(), entry.get("why")))
        elif "note" in remark:
            row = replace(row, note=remark["note"])
        rows.append(row)
    # Last the rows that repeat another one, whose status is known by now.
    found_rows = {row.id: row for row in rows}
    rows = [_as_the_other(row, found_rows.get(row.same or ""), entries.get(row.id, {})) for row in rows]
    return [row for row in rows if names is None or row.id in names]


def _as_the_other(row: Claim, other: Claim | None, entry: dict[str, str]) -> Claim:
    """A row without a verdict of its own, with that of the row that says the same. What is said of the sentence is the
    other row's in the same paper alone; of another paper's sentence it is in this row's entry and remarks."""
    if other is None or row.status != "OPEN":
        return row
    keys = ("status", "corrected", "assuming", "lemmas", "test")
    if row.paper == other.paper:
        keys += ("slip", *_ERRATUM, "reason", "note")
    columns = {"note": row.note.replace(Claim.note, "")} | {key: getattr(other, key) for key in keys}
    return replace(row, **columns | _erratum(entry))


def _erratum(entry: dict[str, str]) -> dict[str, str]:
    """What an entry says of a sentence that is false as printed."""
    return {key: entry[key] for key in ("slip", *_ERRATUM)} | {"reason": entry["why"]} if "slip" in entry else {}


def stored_rows() -> dict[str, list[dict[str, Any]]]:
    """The lines of the ledger by id, each as it is; a merge may leave several of one id, of which one is of today."""
    from symcook.proof.files import load_json

    rows_by_id: dict[str, list[dict[str, Any]]] = {}
    for line in sorted(read(DATA / LEDGER)):
        try:
            row = load_json(line)
            rows_by_id.setdefault(row["id"], []).append(row)
        except (SymcookError, KeyError, TypeError):  # no row: the claim that was meant has no status
            continue
    return rows_by_id


def current(name: str, row: dict[str, Any]) -> Known | None:
    """What a stored row says; None where it has another form, a status that nothing stands for, or something that it
    rests on has changed."""
    from symcook.proof.files import proofs_directory

    # The form: these keys, lists of ids, a known status, and an id that exists.
    keys = {"id", "status", "digest", "corrected", "assuming", "lemmas", "same"}
    if not {"id", "status", "digest"} <= set(row) <= keys or name not in inventory():
        return None
    assuming, lemmas = (row.get(key, []) for key in ("assuming", "lemmas"))
    if not all(
        isinstance(id_list, list) and all(isinstance(x, str) for x in id_list) for id_list in (assuming, lemmas)
    ):
        return None
    if re.fullmatch(rf"{'|'.join(STATUSES)}|CHECKED [1-9][0-9]*", str(row["status"])) is None:
        return None
    twin = row.get("same")
    if twin is not None and twin not in inventory():
        return None
    # What the status rests on: a certificate, or for a status given by people the entry that says so.
    if (fact := BY_PEOPLE.get(row["status"])) is None:
        grounded = row["status"] == "OPEN" or _certificates(proofs_directory()).get(name)
    else:
        grounded = fact in reviewed().get(name, {})
    if not grounded:
        return None
    # The digest covers statements, certificates and entries: it differs as soon as one of them has changed.
    known = Known(row["status"], row_digest(name, twin), row.get("corrected"), tuple(assuming), tuple(lemmas), twin)
    return known if row["digest"] and row["digest"] == known.sealed(name) else None


def counts(rows: Iterable[Claim]) -> Counter[str]:
    """How many claims have each status, PROVED assuming apart; definitions and repeated rows are left out."""
    return Counter(row.status + (" assuming" if row.assuming else "") for row in rows if row.counted)


def select(
    paper: str | None = None,
    status: str | None = None,
    search: str | None = None,
    found: dict[str, Known] | None = None,
) -> list[Claim]:
    """Rows of the ledger (see `ledger`) by paper, status and text; CHECKED stands for every CHECKED N."""
    if paper is not None and paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    wanted = None if status is None else " ".join(status.upper().split())
    if wanted is not None and wanted not in STATUSES and re.fullmatch(r"CHECKED [1-9][0-9]*", wanted) is None:
        raise unknown("status", str(status), STATUSES)
    if search is not None and not search.strip():
        raise BadInput("the text to search for must not be empty", repr(search))
    rows = ledger(found)
    if paper is not None:
        rows = [row for row in rows if row.paper == paper]
    if wanted is not None:
        rows = [row for row in rows if wanted in (row.status, word(row.status))]
    if search is not None:
        text = search.lower()
        rows = [row for row in rows if text in f"{row.id} {row.location} {row.statement} {row.note}".lower()]
    return rows
