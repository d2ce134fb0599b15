"""The ledger as static HTML: an index with filters, and a page with a permanent address for each row.

Everything is read from what the ledger and the proofs say today; what a page shows as PROVED is what replay has found
(`symcook.claims`). `write` puts all of it into a folder; no page needs a script, and none reads from a network.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import constructions  # the scripts beside the proofs
import errata
import inventory
import jinja2
import ledger as record

from pages import prooftext
from pages.mathematics import mathml, pieces, row
from symcook import claims
from symcook.claims import Claim
from symcook.coq.record import coq_hash
from symcook.proof import kernel
from symcook.proof.audit.folded import statement_tree
from symcook.proof.audit.source import built_from, unasked, unasked_words
from symcook.proof.replay import Statement, library, statements
from symcook.proof.terms import Term
from symcook.recipes import exists
from symcook.report.latex import formula_rows, where

HERE = Path(__file__).resolve().parent
MOST_MEANT = 16
"""A definition or model of more lines stands on its own page, once, and is not repeated below each statement."""
MOST_PATHS = 8
"""The second checker is given so many certificates by name; where a proof rests on more, their folder."""
WORDS = {
    "PROVED": "The stored proof is accepted, with all quantifiers as they stand, over exact real numbers.",
    "CORRECTED": "False as printed: its refutation is accepted, and so is the proof of what holds in its place.",
    "REFUTED": "False as printed: its refutation is accepted.",
    "DECIDED": "Decided from the weights, for words of every length.",
    "CHECKED": "Evaluated at all instances to a length; no proof.",
    "DEFINED": "A definition: a test shows that the library's object is the one that is meant.",
    "CITED": "The paper cites it; where from is said below. It is not proved here.",
    "EMPIRICAL": "The paper reports a measurement.",
    "NO CLAIM": "The sentence asserts nothing that could be proved or refuted.",
    "OPEN": "Neither proved nor refuted here.",
}
"""What each status says, in a sentence."""


@dataclass(frozen=True)
class Stated:
    """A formal statement as it is drawn: rows of mathematics, what its words mean, and its text."""

    name: str
    rows: Sequence[tuple[int, str]]
    meant: Sequence[Meaning]
    elsewhere: Sequence[Meaning]
    models: Sequence[str]
    text: str
    unasked: str


@dataclass(frozen=True)
class Meaning:
    """A definition, or the equations of a stored model; `place` is its address on the page of definitions."""

    name: str
    rows: Sequence[tuple[int, str]] = field(repr=False)

    @property
    def place(self) -> str:
        return re.sub(r"[^\w-]", "-", self.name)


@dataclass(frozen=True)
class Checked:
    """A proof: what it shows, its idea and its lines, and the certificates that it rests on."""

    name: str
    what: str
    idea: str
    html: str
    lines: int
    commands: Sequence[tuple[str, str]]
    coq: str


def display(lines: Iterable[str]) -> list[tuple[int, str]]:
    return [row(line) for line in lines]


@cache
def meanings(name: str) -> tuple[Meaning, ...]:
    """What the words of a statement mean, each once, in the order in which it is defined."""
    found = statements()[name]
    out: list[tuple[str, list[tuple[int, str]]]] = []
    for depth, tex in where(statement_tree(found.text), found.known):
        if r" &:= " in tex:
            out.append((_plain(tex.partition(r" &:= ")[0]), []))
        out[-1][1].append((depth, pieces(mathml(re.sub(r"^&| &(?=:=)", " ", tex).strip()))))
    return tuple(Meaning(head, rows) for head, rows in out)


def _plain(tex: str) -> str:
    """The left side of a definition as plain text: run(dyck-1), height(w, i)."""
    text = re.sub(r"\\(?:operatorname|text|mathit)\{([^{}]*)\}", r"\1", tex)
    return re.sub(r"[{}\\]", "", text).replace("\\_", "_")


def _premises(t: Term, within: bool = False) -> bool:
    """Whether something inside I[...] is more than comparisons and "and": only there premises can go unasked."""
    if within and t[0] in ("->", "<->", "|", "~", "all", "ex"):
        return True
    return any(_premises(kid, within or t[0] == "ind") for kid in t[2])


def stated(name: str, holds: bool) -> Stated:
    """A statement of the library, drawn; where it `holds`, with what is not asked of it."""
    found = statements()[name]
    meant = meanings(name)
    tree = statement_tree(found.text)
    said = unasked(found) if holds and found.claim and _premises(found.formula) else []
    return Stated(
        name,
        display(formula_rows(tree, found.known)),
        [one for one in meant if len(one.rows) <= MOST_MEANT],
        [one for one in meant if len(one.rows) > MOST_MEANT],
        sorted(model for model in constructions.models_of(tree, ("run", "word", "accept")) if exists(model)),
        found.written,
        unasked_words(said) if said else "",
    )


def certificates(name: str) -> list[Path]:
    """The files of the stored proof and refutation of an id, as far as there are any."""
    folder = library().root / "certificates"
    return [path for end in ("", ".refuted") if (path := folder / f"{name}{end}.json").is_file()]


@cache
def _mentioned(name: str) -> frozenset[str]:
    """The axioms that the certificates of one id mention."""
    texts = [path.read_text(encoding="utf-8") for path in certificates(name)]
    found = re.findall(r'"#?ax:(\w+)"', " ".join(texts))
    return frozenset(found) & frozenset(kernel.AXIOMS)


@cache
def resting(name: str) -> tuple[str, ...]:
    """All that the stored proof of an id rests on, itself last."""
    found: dict[str, None] = {}
    for one in library().lemmas(name):
        if one in library().statements and one not in found:
            found |= dict.fromkeys(resting(one))
    return (*found, name)


def commands(name: str) -> list[tuple[str, str]]:
    """How to check the proof of an id oneself: what says so, and the command."""
    below = resting(name)
    paths = [f"proofs/certificates/{path.name}" for one in below for path in certificates(one)]
    given = " ".join(paths) if len(paths) <= MOST_PATHS else "proofs/certificates"
    return [
        ("the kernel that the library has", f"symcook prove {name}"),
        ("a second checker, one file", f"python -I -S proofs/checker.py proofs/expanded.txt {given}"),
        ("Coq 8.16", f"python proofs/coq.py -o from-coq {name} --check"),
    ]


def checked(name: str, what: str) -> Checked | None:
    """The stored proof of an id; None where there is none."""
    if not certificates(name):
        return None
    text, why = built_from(library().root, name, statements())
    if text is None:
        html = f"<p>{why or 'The certificate was found by a script, and has no text.'} The command below shows it.</p>"
        return Checked(name, what, "", html, 0, commands(name), judged(name))
    lines = sum(bool(line.strip()) for line in text.split("\n")) - 1
    return Checked(name, what, prooftext.idea(text), prooftext.html(text), lines, commands(name), judged(name))


def judged(name: str) -> str:
    """The hash of the statement that Coq has accepted with the proofs of today; empty where it has not."""
    return coq_hash(name, statements()[name].digest)


class Ledger:
    """The rows, with what a page says of one beside what the row itself has."""

    def __init__(self, rows: Sequence[Claim]) -> None:
        self.rows = rows
        self.known = {one.id: one for one in rows}

    @cached_property
    def sentences(self) -> Mapping[str, list[inventory.Sentence]]:
        """The sentences of the papers that each row covers."""
        found: dict[str, list[inventory.Sentence]] = {}
        for paper in claims.PAPERS:
            for line in inventory.sentences(paper):
                for name in line.rows:
                    found.setdefault(name, []).append(line)
        return found

    @cached_property
    def users(self) -> Mapping[str, list[str]]:
        """The rows whose proofs cite a statement, by the name that proofs have for it."""
        found: dict[str, list[str]] = {}
        for one in self.rows:
            for lemma in one.lemmas:
                found.setdefault(lemma, []).append(one.id)
        return found

    def section(self, one: Claim) -> str:
        """The section in which the row stands, as the inventory has it; else its place."""
        own = [line.section for line in self.sentences.get(one.id, ()) if line.section]
        return own[0] if own else one.location

    def address(self, lemma: str) -> str:
        """Where a name that a row cites has its page."""
        corrected = lemma.removesuffix(".corrected")
        if lemma in self.known:
            return f"{lemma}.html"
        return f"{corrected}.html" if corrected in self.known else f"lemmas.html#{lemma}"

    def parts(self, one: Claim) -> tuple[list[Stated], list[Checked]]:
        """The statements of a row and their proofs: its own, and the one that corrects it."""
        names = [name for name in (one.id, one.corrected) if name and name in statements()]
        false = one.status in ("CORRECTED", "REFUTED")
        titles = {one.id: "Why it fails as printed" if false else "Why it holds"}
        titles |= {one.corrected or "": "Why the repair holds"}
        proofs = [checked(name, titles[name]) for name in names]
        holds = one.corrected or (one.id if one.status not in ("OPEN", "REFUTED") else "")
        return [stated(name, name == holds) for name in names], [proof for proof in proofs if proof is not None]

    def axioms(self, one: Claim) -> list[str]:
        """The axioms under the stored proofs of a row, lemmas included, in the kernel's order."""
        names = {name for top in (one.id, one.corrected) if top for name in resting(top)}
        found = frozenset().union(*map(_mentioned, names))
        return [name for name in kernel.AXIOMS if name in found]

    def sizes(self, one: Claim) -> str:
        """Of a row about a family: for which sizes it holds, and at which a model is stored."""
        return constructions.of_families(one)


def lemmas() -> Iterator[tuple[str, Statement, list[str]]]:
    """What proofs cite beside the rows: name, statement, and what it rests on."""
    for name, found in statements().items():
        if name not in claims.inventory() and found.corrects is None:
            yield name.removeprefix("lem."), found, [one.removeprefix("lem.") for one in library().lemmas(name)]


def environment() -> jinja2.Environment:
    """Templates whose every value is escaped, and that refuse a name that nobody gives."""
    loader = jinja2.FileSystemLoader(HERE / "templates")
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"papers": errata.PAPERS, "said": WORDS}
    made.filters["word"] = claims.word
    return made


def write(folder: Path, rows: Sequence[Claim] | None = None) -> int:
    """The pages of the ledger, into a folder that is made; the number of their bytes."""
    home = Ledger(claims.ledger() if rows is None else rows)
    pages = environment()
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / "static").iterdir()):
        shutil.copyfile(path, folder / path.name)

    def put(name: str, template: str, **values: object) -> None:
        text = pages.get_template(template).render(home=home, **values)
        (folder / name).write_text(re.sub(r"\n\s*\n+", "\n", text), encoding="utf-8", newline="\n")

    long: dict[str, Meaning] = {}
    for place, one in enumerate(home.rows):
        formal, proofs = home.parts(one)
        long |= {meant.name: meant for said in formal for meant in said.elsewhere}
        around = [home.rows[at].id if 0 <= at < len(home.rows) else "" for at in (place - 1, place + 1)]
        put(f"{one.id}.html", "row.html", row=one, formal=formal, proofs=proofs, around=around)
    found = claims.counts(home.rows)
    put(
        "index.html",
        "index.html",
        found={word: found[word] for word in record.ordered(found)},
        sections=_sections(home),
        slips={slip: words[0] for slip, words in claims.ERROR_TYPES.items()},
        types=claims.by_error_type(one for one in home.rows if one.counted),
        stale=sum(one.note.startswith("stale") for one in home.rows),
    )
    put("lemmas.html", "lemmas.html", lemmas=list(lemmas()))
    put("definitions.html", "definitions.html", long=sorted(long.values(), key=lambda meant: meant.name))
    return sum(path.stat().st_size for path in folder.iterdir())


def _sections(home: Ledger) -> dict[str, list[str]]:
    """The sections of each paper in its order, as far as rows stand in them."""
    found: dict[str, list[str]] = {}
    for paper in claims.PAPERS:
        order = list(dict.fromkeys(line.section for line in inventory.sentences(paper)))
        own = dict.fromkeys(home.section(one) for one in home.rows if one.paper == paper)
        found[paper] = sorted(own, key=lambda name: order.index(name) if name in order else len(order))
    return found
