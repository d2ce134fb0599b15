"""The claims of the papers: their inventory, and the ledger of statuses that replay computed.

A status is never written by hand. `symcook.recount` replays every certificate. ``proofs/ledger.py`` writes the results
to ``symcook/data/ledger.jsonl``, one row on each line, with a digest of everything that the status depends on. `ledger`
reads that file; a row whose digest has changed is stale, and so OPEN. Reading the ledger replays no proof.

Facts that replay cannot find are in ``proofs/reviewed.json``. It has an entry for a claim, with the reason ("why") and:

- "kind": the kind of the row, if the word in the table is misleading;
- "test": the test of a definition, which shows that the library's object is the one that the paper defines;
- "cited": the source of a sentence that the paper only cites;
- "empirical": that a sentence reports a measurement;
- "no claim": that a sentence asserts nothing that could be proved or refuted;
- "same": the row with the same statement in other words;
- for a sentence that is false as stated: its error type ("slip"), the paper's words ("printed"), the smallest
  counterexample in words ("counterexample"), and what holds instead ("repair"). The reason is then the objection.

An entry states facts; the status follows from them by a rule (`status_of`). A stored status must be the one that
follows from the senses of the stored certificates and from the entry. What people have said of each row, in the tables,
entries and remarks, has a digest of its own in ``symcook/data/words.txt``, by which a row with other words is named.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from symcook import recipes
from symcook.errors import BadInput, SymcookError, unknown
from symcook.proof.audit.certificatefile import certificate
from symcook.proof.audit.seals import digest, judge_digest, read
from symcook.proof.audit.senses import StatusOfSenses, said
from symcook.proof.audit.statementfiles import statement_files

DATA = Path(__file__).parent / "data"
LEDGER = "ledger.jsonl"
WORDS = "words.txt"
PAPERS = ("cookbook", "chiang2022", "merrill2024", "yang2026")
STATUSES = ("PROVED", "DECIDED", "CHECKED", "REFUTED", "CORRECTED", "DEFINED", "CITED", "EMPIRICAL", "NO CLAIM", "OPEN")
ERROR_TYPES = {
    "wrong": ("false statement", "false statements"),
    "missing hypothesis": ("missing hypothesis", "missing hypotheses"),
    "misprint": ("misprint", "misprints"),
    "boundary": ("boundary case", "boundary cases"),
}
"""{error type of a statement that is false as stated, as `Claim.slip` has it: its name for a reader, and the plural}.

misprint: false as printed, but other passages (a proof, an example) show which statement is meant. boundary: false only
in a boundary case (n = 1, the empty string, 0). missing hypothesis: true under a condition that is not stated. wrong:
false in other cases too."""
SLIPS = tuple(ERROR_TYPES)
ASIDES = ("typo", "reading")
"""The types of remarks on statements that are true in their plain reading.

typo: an error that cannot be read as printed, since it has no meaning (a lost index, a wrong reference), or since the
words or the display next to it have the right form. reading: something that the words leave to the reader (for example
that a tolerance is positive)."""
DEFINITION = "definition"
"""The kind of a row that is a definition."""
BY_PEOPLE = {"DEFINED": "test", "CITED": "cited", "EMPIRICAL": "empirical", "NO CLAIM": "no claim"}
"""{status: the fact in ``proofs/reviewed.json`` that it needs}. The other statuses, except OPEN, need a certificate."""
COLUMNS = ("id", "location", "kind", "statement", "parameters", "test_form")
"""The columns of the tables of claims, ``symcook/data/claims/PAPER.tsv``."""
_STALE = "stale: something that the status rests on has changed since it was computed"


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, in our words, and what is known about it."""

    id: str
    paper: str
    location: str
    """The place in the paper."""
    kind: str
    """The kind of statement, such as theorem, equation or `DEFINITION`."""
    statement: str
    status: str = "OPEN"
    """One of STATUSES, or "CHECKED N"."""
    corrected: str | None = None
    """The id of the corrected statement, which is proved."""
    assuming: tuple[str, ...] = ()
    """The ids of statements without a proof on which the status depends, also through lemmas and the correction."""
    lemmas: tuple[str, ...] = ()
    """The lemmas that the proof or the refutation uses, and those that the proof of the correction uses."""
    gaps: tuple[dict[str, str], ...] = ()
    """Steps of the paper's proof that do not follow, and places where the print differs from what is meant: {"step",
    "why", "repair"}; the latter also have a "class", one of SLIPS or ASIDES."""
    tried: tuple[str, ...] = ()
    """The attempts to refute the claim before it was proved."""
    note: str = "not yet treated"
    slip: str | None = None
    """For a claim that is false as stated: its error type, one of SLIPS."""
    same: str | None = None
    """Another row with the same statement."""
    test: str | None = None
    """For DEFINED: the test."""
    reason: str | None = None
    """For a claim that is false as stated: the objection. Else the reason for DEFINED, CITED, EMPIRICAL or NO CLAIM."""
    printed: str | None = None
    """For a claim that is false as stated: the paper's words."""
    counterexample: str | None = None
    """For a claim that is false as stated: the smallest counterexample, in words."""
    repair: str | None = None
    """For a claim that is false as stated: what holds instead."""

    def to_json(self) -> dict[str, Any]:
        """One entry of ``symcook claims --json``: the fields, "numbers", as "objects" the recipes and functions that
        the claim is about, and "error_type"."""
        document = asdict(self) | {"numbers": self.numbers, "objects": recipes.of_claim(self.id)}
        document |= {"error_type": self.error_type}
        return document | {name: list(document[name]) for name in ("assuming", "lemmas", "gaps", "tried", "objects")}

    @property
    def words(self) -> str:
        """The status with its assumptions: ``PROVED assuming named.x``."""
        return self.status + (f" assuming {', '.join(self.assuming)}" if self.assuming else "")

    @property
    def error_type(self) -> str | None:
        """The error type of a claim that is false as stated (`slip`), by its name for a reader; else None."""
        return ERROR_TYPES[self.slip][0] if self.slip else None

    @property
    def numbers(self) -> str:
        """The numbers over which a proof or a refutation holds; "" for other statuses."""
        return "exact reals" if self.status in ("PROVED", "REFUTED", "CORRECTED") else ""

    @property
    def counted(self) -> bool:
        """Whether the row counts as a claim: it is not a definition and does not repeat another row."""
        return self.kind != DEFINITION and self.same is None


@dataclass(frozen=True)
class Known:
    """What replay found about one claim, as the ledger file stores it. Except `rests`, the fields are those of `Claim`
    with the same names."""

    status: str
    rests: str
    """The digest of everything that the status depends on (`row_digest`); "" if there is nothing."""
    corrected: str | None = None
    assuming: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    same: str | None = None

    def sealed(self, name: str) -> str:
        """The digest that the ledger stores with the row of the claim `name`; "" if `rests` is "".

        It covers the row itself and `rests`, so that a changed word in the row is noticed.
        """
        words = [name, self.status, self.corrected, self.assuming, self.lemmas, self.same, self.rests]
        return digest(json.dumps(words)) if self.rests else ""


@cache
def table() -> dict[str, dict[str, str]]:
    """{id: {column: cell}} of every row of the inventory: the statements of the papers, in our words.

    Each row also has the key "paper". Raises SymcookError for an invalid table and for an id that occurs twice.
    """
    rows: dict[str, dict[str, str]] = {}
    for paper in PAPERS:
        head, *lines = (DATA / "claims" / f"{paper}.tsv").read_bytes().decode("utf-8").rstrip("\n").split("\n")
        if tuple(head.split("\t")) != COLUMNS:
            raise SymcookError(f"the inventory of {paper} must have the columns {', '.join(COLUMNS)}")
        for line in lines:
            cells = line.split("\t")
            if len(cells) != len(COLUMNS) or not "".join(cells).isprintable():
                must = f"must have one printable cell for each of the {len(COLUMNS)} columns"
                raise SymcookError(f"a row of the inventory of {paper} {must}: {ascii(line)[:80]}")
            if cells[0] in rows:
                raise SymcookError(f"the inventory lists {cells[0]} twice")
            rows[cells[0]] = {"paper": paper, **dict(zip(COLUMNS, cells, strict=True))}
    return rows


@cache
def inventory() -> dict[str, Claim]:
    """Every claim of the four papers by id, in the order of `PAPERS` and of their tables; all have the status OPEN."""
    claims: dict[str, Claim] = {}
    for name, cells in table().items():
        note = "cited" if "(cited" in cells["statement"] else Claim.note
        claims[name] = Claim(name, cells["paper"], cells["location"], cells["kind"], cells["statement"], note=note)
    return claims


def word(status: str) -> str:
    """The status without its number: CHECKED for CHECKED N."""
    return "CHECKED" if status.startswith("CHECKED ") else status


def _hint(name: str) -> str | None:
    """A hint for an unknown id `name` that is a place of a paper, such as 9.2.1 or thm12, or a part of ids; else
    None."""
    for id_known in inventory():
        for inside in (f".s{name}.", f".{name}."):
            if inside in f"{id_known}.":
                return f"did you mean {id_known[: f'{id_known}.'.index(inside)]}{inside[:-1]}?"
    if any(name.casefold() in id_known for id_known in inventory()):
        return f"see symcook claims --search {shlex.quote(name)}"
    return None


def claim(name: str) -> Claim:
    """The claim with the id `name`. Raises BadInput, with the nearest id, for an unknown id."""
    if name not in inventory():
        raise unknown("claim", name, list(inventory()), _hint(name))
    return inventory()[name]


def remarks() -> dict[str, dict[str, Any]]:
    """{claim id: remarks}, written by people: attempts to refute the claim ("tried"), gaps in the paper's proof
    ("gaps"), and notes ("note")."""
    from symcook.proof.files import proofs_directory

    files = sorted((proofs_directory() / "remarks").glob("*.json"))
    return _read_remarks(tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files))


@cache
def _read_remarks(files: tuple[tuple[Path, int, int], ...]) -> dict[str, dict[str, Any]]:
    """The content of `remarks`, which is read again only if a file has changed: `files` are (path, time, size)."""
    out: dict[str, dict[str, Any]] = {}
    for path, _, _ in files:
        out |= json.loads(path.read_text(encoding="utf-8"))
    return out


_ERRATUM = ("printed", "counterexample", "repair")
"""The facts that an entry with an error type ("slip") must have."""
_FACTS = frozenset({"kind", "test", "cited", "empirical", "no claim", "same", "slip", *_ERRATUM})


def reviewed() -> dict[str, dict[str, str]]:
    """The entries of ``proofs/reviewed.json`` by claim id, {} without this file. Raises SymcookError for an invalid
    entry."""
    from symcook.proof.files import proofs_directory

    path = proofs_directory() / "reviewed.json"
    if not path.is_file():
        return {}
    at = path.stat()
    return _read_reviewed(path, at.st_mtime_ns, at.st_size)


@cache
def _read_reviewed(path: Path, changed: int, size: int) -> dict[str, dict[str, str]]:
    """The content of `reviewed`, which is read again only if the file's time or size has changed."""
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
    """A digest of everything that the row of the claim `name` depends on; "" without certificate, entry and remark.

    It covers the cells of the table; the checker's files; the statements and certificates of the row and of all lemmas
    below its proof, each with its corrections; the statement of the row `same`, which it repeats; its entry in
    ``proofs/reviewed.json``; and the remarks on it.
    """
    from symcook.proof.files import proofs_directory

    root = proofs_directory()
    written, stored = statement_files(root), _certificates(root)
    entry, remark = reviewed().get(name), remarks().get(name)
    # For the id and each lemma below its proof: a digest of the statement, its corrections, and the certificates.
    digests: dict[str, str] = {}
    pending = [name]
    while pending:
        id_below = pending.pop()
        if id_below not in digests:
            related = [id_below, *_corrections(root).get(id_below, ())]
            proofs = [certificate(path) for other in related for path in stored.get(other, ())]
            digests[id_below] = digest(*(written.digest(other) for other in related), *(sha256 for sha256, _ in proofs))
            pending += [lemma for _, lemmas in proofs for lemma in lemmas]
            if id_below == name and not proofs and entry is None and remark is None:
                return ""
    words = json.dumps([table().get(name), entry, remark, same, same and written.digest(same)], sort_keys=True)
    return digest(judge_digest("kernel"), words, *(f"{id_below} {digests[id_below]}" for id_below in sorted(digests)))


@cache
def _certificates(root: Path) -> dict[str, list[Path]]:
    """{id: the files of its stored certificates}: a proof, a refutation, or both."""
    stored = {path.name for path in (root / "certificates").glob("*.json")}
    names = {name: [f"{name}.json", f"{name}.refuted.json"] for name in statement_files(root).texts}
    return {
        name: [root / "certificates" / file_name for file_name in own_files if file_name in stored]
        for name, own_files in names.items()
    }


@cache
def _corrections(root: Path) -> dict[str, list[str]]:
    """{id: the ids of the statements that correct it}."""
    correcting: dict[str, list[str]] = {}
    for name, corrects in statement_files(root).corrects.items():
        if corrects is not None:
            correcting.setdefault(corrects, []).append(name)
    return correcting


def ledger(found: dict[str, Known] | None = None, names: Collection[str] | None = None) -> list[Claim]:
    """The claims with their statuses: all of them, or those of `names`.

    The statuses are those of `found`, else of the shipped ledger (OPEN if the digest of a row has changed). A row that
    repeats another row, and has no status of its own, gets the status of that row.
    """
    stale = set()
    notes, entries = remarks(), reviewed()
    requested = None if names is None else {*names, *(entries.get(name, {}).get("same") for name in names)}
    # The rows of the shipped ledger whose digests have not changed.
    if found is None:
        found = {}
        for name, lines in stored_rows().items():
            if requested is None or name in requested:
                current_rows = [known for line in lines if (known := current(name, line)) is not None]
                if len(current_rows) == 1:
                    found[name] = current_rows[0]
                else:  # none; or several different rows, which one replay never writes
                    stale.add(name)
    rows = []
    for name, row in inventory().items():
        if requested is not None and name not in requested:
            continue
        # The remarks and the kind; then the status, with the facts about an error, or the reason for a status without
        # a proof.
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
    # Last the rows that repeat another one: the status of the other row is known now.
    found_rows = {row.id: row for row in rows}
    rows = [_with_status_of(row, found_rows.get(row.same or ""), entries.get(row.id, {})) for row in rows]
    return [row for row in rows if names is None or row.id in names]


def _with_status_of(row: Claim, other: Claim | None, entry: dict[str, str]) -> Claim:
    """A row without a status of its own, with the status of the row that it repeats (`other`); any other row unchanged.

    In the same paper it gets the facts about an error, the reason and the note too. For a row of another paper these
    are in its own entry and remarks, since the words differ.
    """
    if other is None or row.status != "OPEN":
        return row
    keys = ("status", "corrected", "assuming", "lemmas", "test")
    if row.paper == other.paper:
        keys += ("slip", *_ERRATUM, "reason", "note")
    columns = {"note": row.note.replace(Claim.note, "")} | {key: getattr(other, key) for key in keys}
    return replace(row, **columns | _erratum(entry))


def _erratum(entry: dict[str, str]) -> dict[str, str]:
    """The facts in an entry about a statement that is false as stated; {} if it is about something else."""
    return {key: entry[key] for key in ("slip", *_ERRATUM)} | {"reason": entry["why"]} if "slip" in entry else {}


def stored_rows() -> dict[str, list[dict[str, Any]]]:
    """{id: rows of the ledger file}. A merge of branches may leave several rows of an id, of which at most one is
    current. Invalid rows are left out."""
    from symcook.proof.files import load_json

    rows_by_id: dict[str, list[dict[str, Any]]] = {}
    for line in sorted(read(DATA / LEDGER)):
        try:
            row = load_json(line)
            rows_by_id.setdefault(row["id"], []).append(row)
        except (SymcookError, KeyError, TypeError):  # an invalid row: its claim has no status
            continue
    return rows_by_id


def current(name: str, row: dict[str, Any]) -> Known | None:
    """The content of a stored row; None if its form is invalid, its status has no certificate or entry, or something
    that it depends on has changed."""
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
    same = row.get("same")
    if same is not None and (not isinstance(same, str) or same not in inventory()):
        return None
    # The status is what the senses of the certificates and the facts of the entry give.
    entry, found = reviewed().get(name, {}), senses(name)
    if row["status"] != status_of(entry.get("kind", inventory()[name].kind), found.status, entry):
        return None
    if row.get("corrected") not in (found.corrections or (None,)) or assuming != sorted(found.assuming):
        return None
    if tuple(lemmas) != found.lemmas:
        return None
    if "same" in entry if same is None else not _repeats(name, same, entry):
        return None
    # The digest covers statements, certificates and entries: it differs as soon as one of them has changed.
    known = Known(row["status"], row_digest(name, same), row.get("corrected"), tuple(assuming), tuple(lemmas), same)
    return known if row["digest"] and row["digest"] == known.sealed(name) else None


def senses(name: str) -> StatusOfSenses:
    """What the stored certificates of a claim say, without a replay."""
    from symcook.proof.files import proofs_directory

    root = proofs_directory()
    return said(name, _certificates(root), _corrections(root))


def _repeats(name: str, same: str, entry: dict[str, str]) -> bool:
    """Whether a row without a status of its own repeats the row `same`: by its entry, or since the statements are
    equal."""
    if entry.get("same") == same:
        return True
    from symcook.proof.replay import statements

    stated = statements()
    try:
        return name in stated and same in stated and stated[name].digest == stated[same].digest
    except SymcookError:  # a statement that cannot be read is equal to none
        return False


def status_of(kind: str, found: str, entry: Mapping[str, str]) -> str:
    """The status of a row: from its kind, the status that its certificates have (`found`), and its `entry` in
    ``proofs/reviewed.json``.

    A refuted row remains refuted. A definition, which cannot be proved, is DEFINED if the entry has a test. Any other
    row has the status of its certificates; without a proof it may be CITED, EMPIRICAL or NO CLAIM by its entry.
    """
    if found in ("REFUTED", "CORRECTED"):
        return found
    if kind == DEFINITION and "test" in entry:
        return "DEFINED"
    if found != "OPEN":
        return found
    facts = (word for word in ("CITED", "EMPIRICAL", "NO CLAIM") if word.lower() in entry)
    return next(facts, "OPEN")


def words_of(name: str) -> str:
    """The line of ``words.txt`` about a claim: a digest of its cells in the table, its entry and the remarks on it."""
    words = [table()[name], reviewed().get(name), remarks().get(name)]
    return f"{name} {digest(json.dumps(words, sort_keys=True))}"


def reworded(names: Iterable[str]) -> list[str]:
    """Those of the claims about which people have said something else since the ledger was computed."""
    recorded = read(DATA / WORDS)
    return [name for name in names if words_of(name) not in recorded]


def counts(rows: Iterable[Claim]) -> Counter[str]:
    """{status: number of claims}, where "PROVED assuming" is another status; without definitions and repeated rows."""
    return Counter(row.status + (" assuming" if row.assuming else "") for row in rows if row.counted)


def by_error_type(rows: Iterable[Claim]) -> str:
    """How many of these rows are false as stated by each error type, as "2 misprints, 1 boundary case"; "" if none."""
    found = Counter(row.slip for row in rows if row.slip)
    return ", ".join(f"{found[slip]} {words[found[slip] > 1]}" for slip, words in ERROR_TYPES.items() if slip in found)


def select(
    paper: str | None = None,
    status: str | None = None,
    search: str | None = None,
    found: dict[str, Known] | None = None,
) -> list[Claim]:
    """The rows of the ledger (see `ledger`) with this paper, status and text; CHECKED includes every CHECKED N.

    Raises BadInput for an unknown paper or status, and for an empty text.
    """
    if paper is not None and paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    wanted_status = None if status is None else " ".join(status.upper().split())
    if (
        wanted_status is not None
        and wanted_status not in STATUSES
        and re.fullmatch(r"CHECKED [1-9][0-9]*", wanted_status) is None
    ):
        raise unknown("status", str(status), STATUSES)
    if search is not None and not search.strip():
        raise BadInput(
            "the text to search for in the claims must not be empty",
            repr(search),
            "write a part of the statement, for example softmax",
        )
    rows = ledger(found)
    if paper is not None:
        rows = [row for row in rows if row.paper == paper]
    if wanted_status is not None:
        rows = [row for row in rows if wanted_status in (row.status, word(row.status))]
    if search is not None:
        text = re.sub(r"^(?:section|sec\.?)\s+(?=[\w.]*\d)", "§", search.strip().lower())  # as places are written
        rows = [row for row in rows if text in f"{row.id} {row.location} {row.statement} {row.note}".lower()]
    return rows
