"""What does not hold as printed, a letter a paper, so that it could be sent to its authors.

`letter` and `head` become pages of the site (docs/pages). Statements that are false as printed come
from the ledger and the list of reviewed rows; definitions, steps of proofs and slips of the pen are the gaps among the
remarks (`claims.Claim.gaps`): one with a class of `claims.SLIPS` stands at a definition, one without a class is a step.
What is a silent reading, or a limit of a statement of ours, is not on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from symcook import claims

PAPERS = {
    "cookbook": (
        "The Transformer Cookbook",
        "Andy Yang, Christopher Watson, Anton Xue, Satwik Bhattamishra, Jose Llarena, William Merrill, "
        "Emile Dos Santos Ferreira, Anej Svete and David Chiang, 2025 (the text reviewed on OpenReview)",
    ),
    "chiang2022": (
        "Overcoming a Theoretical Limitation of Self-Attention",
        "David Chiang and Peter Cholak, 2022",
    ),
    "merrill2024": (
        "The Expressive Power of Transformers with Chain of Thought",
        "William Merrill and Ashish Sabharwal, 2024",
    ),
    "yang2026": (
        "Simulating Hard Attention Using Soft Attention",
        "Andy Yang, David Chiang, Lena Strobl and Dana Angluin, 2026",
    ),
}
KINDS = ("statements", "definitions", "steps", "slips of the pen")


def false_as_printed(rows: Iterable[claims.Claim]) -> list[claims.Claim]:
    """The rows of the first kind: corrected or refuted, each statement once in each paper that prints it."""
    false = [row for row in rows if row.status in ("CORRECTED", "REFUTED")]
    return [row for row in false if row.same is None or claims.inventory()[row.same].paper != row.paper]


def gaps(rows: Iterable[claims.Claim], kind: str) -> list[tuple[claims.Claim, dict[str, str]]]:
    """The gaps of the other kinds, with their rows."""
    return [(row, gap) for row in rows for gap in row.gaps if _kind(gap) == kind]


def _kind(gap: dict[str, str]) -> str | None:
    if "class" not in gap:
        return "steps"
    return {"typo": "slips of the pen", "reading": None}.get(gap["class"], "definitions")


def counted(rows: Iterable[claims.Claim]) -> dict[str, int]:
    """How many entries of each kind the page has for these rows."""
    rows = list(rows)
    return {KINDS[0]: len(false_as_printed(rows))} | {kind: len(gaps(rows, kind)) for kind in KINDS[1:]}


def place(row: claims.Claim) -> str:
    """Where the row stands in its paper, in words."""
    words = row.location.replace("(ref §", "(Section ").replace("§", "Section ")
    words = re.sub(r"(?<=[\d)]) (?=eq|Def |Lemma |Prop )", ", ", words)
    return re.sub(r"eq(\d[\d-]*)", r"Eq. (\1)", words).replace("Def ", "Definition ").replace("Prop ", "Proposition ")


def _order(row: claims.Claim) -> tuple[bool, str]:
    """Appendices after the text, in their order; the inventory has the rows of a proof beside the theorem."""
    found = re.match(r"App\. (\S+)", row.location)
    return (found is not None, found[1] if found else "")


def page(rows: list[claims.Claim]) -> str:
    """All of it, as one text."""
    return "\n".join([head(rows), *(letter(paper, rows) for paper in PAPERS)])


def own(paper: str, rows: Iterable[claims.Claim]) -> list[claims.Claim]:
    """The rows of a paper in the order of a letter."""
    return sorted((row for row in rows if row.paper == paper), key=_order)


def head(rows: list[claims.Claim]) -> str:
    """What the letters list, counted, and how to check it."""
    many = list(counted(rows).values())
    types = claims.by_error_type(false_as_printed(rows))
    lines = [
        "# Errata",
        "",
        f"Listed are {many[0]} statements of four papers that are false as printed, each with a small counterexample",
        f"and with what holds in its place; {many[1]} definitions with a slip; {many[2]} steps of printed proofs and",
        f"constructions that are missing or do not follow; and {many[3]} slips of the pen. A repair is given for each.",
        f"The statements by error type: {types}.",
        "What a reader supplies without noticing (a tolerance is positive) is not listed, and neither is a statement",
        "that nobody has settled.",
        "",
        "| paper | " + " | ".join(KINDS) + " |",
        "| --- |" + " --- |" * len(KINDS),
    ]
    for paper, (title, _) in PAPERS.items():
        numbers = map(str, counted(own(paper, rows)).values())
        lines.append(f"| [{title}]({paper}.md) | " + " | ".join(numbers) + " |")
    lines += [
        "",
        "How to check: of each statement of the first kind a formal version with its refutation, and the proof of what",
        "holds in its place, are stored and were checked by two programs; the last line of an entry has the commands.",
        "The counterexample is the one of the refutation, or a plainer one. The error type of a statement is one of:",
        "*misprint* (what is meant is clear), *boundary case* (false at an edge only, such as the empty string),",
        "*missing hypothesis* (true under a condition that is not printed), or *false statement* (false in other cases",
        "too). A misprint can be read as printed, and",
        "is then false; a slip of the pen cannot: it means nothing as printed, or the words next to it have the right",
        "form. Definitions, steps and slips of the pen were found by reading, and carry the name of the row under",
        "which `symcook claims` shows them (*open* where that row as a whole is not settled). Quotation marks in what",
        "is printed enclose words of the papers, in a repair words that could stand there; formulas are set in plain",
        "text. `symcook prove NAME` shows the statement and proof of a name in a text. The texts were taken from the",
        "pages by a program, and an entry says so where that may be the cause.",
    ]
    return "\n".join(lines) + "\n"


def letter(paper: str, rows: Iterable[claims.Claim]) -> str:
    """What could be sent to the authors of one paper."""
    title, authors = PAPERS[paper]
    found = own(paper, rows)
    said = ", ".join(f"{count} {kind}" for kind, count in counted(found).items() if count)
    types = claims.by_error_type(false_as_printed(found))
    lines = [f"# {title}", "", f"To {authors}.", ""]
    lines += [
        f"In reading every sentence of the paper, and in proving what it states, we met {said}.",
        *([f"The statements by error type: {types}."] if types else []),
        "Each entry says what is printed, why we object, the smallest counterexample that we know, and a repair. We",
        "may have misread; each name leads to a formal statement that can be checked without us.",
    ]
    lines += _section("Statements that are false as printed", map(_statement, false_as_printed(found)))
    lines += _section("Definitions with a slip", (_gap("Printed", *one) for one in gaps(found, "definitions")))
    lines += _section("Steps that are missing or do not follow", (_gap("Step", *one) for one in gaps(found, "steps")))
    slips = [_slip(*one) for one in gaps(found, "slips of the pen")]
    header = ["| place | printed | meant | why |", "| --- | --- | --- | --- |"]
    lines += _section("Slips of the pen", [[*header, *slips]] if slips else [])
    return "\n".join(lines) + "\n"


def _section(title: str, entries: Iterable[list[str]]) -> list[str]:
    found = [line for entry in entries for line in ("", *entry)]
    return ["", f"## {title}", *found] if found else []


def _statement(row: claims.Claim) -> list[str]:
    checks = f"`symcook prove {row.id}` (that it fails)"
    if row.corrected:
        checks += f", `symcook prove {row.corrected}` (what holds)"
    return [
        f"### {_text(place(row))}",
        "",
        f"- **Printed**: {_text(row.printed)}",
        f"- **Objection**: {_text(row.reason)}",
        f"- **Counterexample**: {_text(row.counterexample)}",
        f"- **Repair**: {_text(row.repair)}",
        f"- `{row.id}`, {row.error_type}. Check: {checks}.",
    ]


def _gap(word: str, row: claims.Claim, gap: dict[str, str]) -> list[str]:
    kind = f", {gap['class']}" if "class" in gap else ", open" if row.status == "OPEN" else ""
    return [
        f"- {_text(place(row))} (`{row.id}`{kind})",
        f"  - {word}: {_text(gap['step'])}",
        f"  - Objection: {_text(gap['why'])}",
        f"  - Repair: {_text(gap['repair'])}",
    ]


def _slip(row: claims.Claim, gap: dict[str, str]) -> str:
    cells = (f"{_text(place(row))} (`{row.id}`)", _text(gap["step"]), _text(gap["repair"]), _text(gap["why"]))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _text(words: str | None) -> str:
    """Words as they stand, with the signs escaped that Markdown would read; nothing inside of `code` changes."""
    parts = (words or "").split("`")
    parts[::2] = [re.sub(r"([*$~]|<(?=[A-Za-z/]))", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
