"""A page a recipe: what its commands print, run when the page is made, its matrices, a picture, its claims."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import cache
from hashlib import sha256
from itertools import repeat
from pathlib import Path

import symcook
from pages.markdown import cell, code, plain, table
from symcook import claims, recipes
from symcook.__main__ import main
from symcook.model.answers import brief
from symcook.recipes import Recipe
from symcook.report.recipe import CHAPTERS, KEYS

FOLDER = "reference/recipes"
MOST_HTML = 60_000
"""Matrices that take more characters are shown as text, where they are abridged."""
MOST_LINES = 60
MOST_SHOWN = 90
"""A longer form is abridged in the table of all recipes."""
LATE = re.compile(r"^not proved: .*the time is over$")
"""What says something of the machine that made the page, and nothing of the model."""
SOURCES = (Path(__file__).resolve().parent, Path(__file__).resolve().parents[2] / "proofs" / "statements")
KINDS = (".py", ".json", ".md", ".txt", ".lark", ".js", ".css")
"""The kinds of files that say what a page shows."""
SHADES = ("light", "dark")
INSIDE = {"query": "121", "score": "010", "p": "101", "q": "010", "r": "100"}
"""Inputs that must lie in a range, by position; all others are 1, 0 and 3."""


def printed(*arguments: str) -> tuple[int, str]:
    """Exit code and output of a command, or what it says of its failure."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    return code, (out.getvalue() or err.getvalue()).rstrip()


def shown(*arguments: str) -> str:
    """A command with what it prints, as a block; ValueError where it fails."""
    code_, text = printed(*arguments)
    if code_ not in (0, 1):
        raise ValueError(f"symcook {' '.join(arguments)}: {text}")
    return _console(arguments, text)


def _console(arguments: Sequence[str], text: str) -> str:
    typed = " ".join(f"'{one}'" if re.search(r"[^\w./=:,-]", one) else one for one in arguments)
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... ({len(lines) - MOST_LINES} more lines)"]
    return code("\n".join([f"$ symcook {typed}", *lines]), "console")


def example(found: Recipe) -> list[str]:
    """The options that give a small input."""
    model = found.build({})
    free = [part for p in model.parameters if p.default is None for part in ("--set", f"{p.name}=1/2")]
    inputs = model.embedding.inputs
    if inputs is None:
        letters = [model.alphabet[k % len(model.alphabet)] for k in (0, 1, 0, 1)]
        several = any(len(one) > 1 for one in letters)
        return ["--tokens" if several else "--input", (" " if several else "").join(letters), *free]
    columns = {one: INSIDE.get(one, "103") for one in inputs}
    if model.pointwise:
        return [part for one, values in columns.items() for part in ("--set", f"{one}={values[0]}")] + free
    return ["--rows", "; ".join(",".join(values[k] for values in columns.values()) for k in range(3)), *free]


def page(name: str, rows: dict[str, claims.Claim]) -> str:
    """The page of one recipe, in Markdown."""
    found = recipes.info(name)
    given = example(found)
    lines = [f"# {name}", "", plain(found.summary[:1].upper() + found.summary[1:]) + ".", ""]
    lines += [plain(found.words), ""] if found.words else []
    facts = {key: getattr(found, key) for key in KEYS if getattr(found, key, "")}
    code_like = ("formula", "computes", "error", *(["region"] if found.region != "true" else []))
    facts["region"] = facts["region"] if found.region != "true" else "everywhere"
    lines += table([], [(KEYS[key], f"`{one}`" if key in code_like else plain(one)) for key, one in facts.items()])
    lines += ["", "## Run it", "", shown("run", name, *given), ""]
    lines += [] if found.build({}).pointwise else picture(name, name, given)
    code_, text = printed("derive", name, "--seconds", "6")
    if code_ == 0 or (code_ == 3 and not text.startswith("symcook: ")):  # 3 where a form is not proved
        told = "\n".join(line for line in text.split("\n") if not LATE.search(line))
        lines += ["## Closed form", "", _console(["derive", name], told.rstrip()), ""]
    lines += ["## Matrices", "", *_matrices(found), ""]
    if found.details:
        lines += ["## Details", ""]
        lines += [part for one in found.details.split("\n\n") for part in (plain(" ".join(one.split())), "")]
    choices = [(f"`{a.name}`", f"`{a.default}`", plain(a.description)) for a in found.arguments]
    choices += [(f"`{s.name}`", f"`{s.default}`" if s.default else "none", plain(s.description)) for s in found.symbols]
    if choices:
        lines += ["## Arguments and symbols", "", *table(["name", "default", "what it is"], choices), ""]
    own = [rows[one] for one in found.claims if one in rows]
    if own:
        cells = [(f"{{claim}}`{one.id}`", plain(one.location), one.words, cell(one.statement)) for one in own]
        lines += ["## Claims", "", *table(["claim", "place", "status", "what it says"], cells), ""]
    length = " --max-length 6" if found.build({}).embedding.inputs is None else ""
    more = [f"symcook check {name}{length}", f"symcook explain {name}", f"symcook export {name} -o weights.npz"]
    more.append(f"symcook report {name} -o {name}.html")
    lines += ["## More", "", code("\n".join(more), ""), ""]
    return "\n".join(lines)


def _matrices(found: Recipe) -> Iterator[str]:
    model = found.build({})
    html = model._repr_html_()
    if len(html) <= MOST_HTML:
        role = f'tabindex="0" role="group" aria-label="Matrices of {found.name}"'
        yield from ("```{raw} html", f'<div class="matrices" {role}>')
        yield from (html.replace("\n\n", "\n"), "</div>", "```")
    else:
        yield shown("show", found.name)


def picture(model: str, name: str, given: Sequence[str], folder: Path = Path()) -> list[str]:
    """The trace of a run, drawn into a folder for light and for dark pages; nothing where a picture cannot hold it."""
    out = []
    for shade in SHADES:
        place = f"{name}-{shade}.svg"
        arguments = ["run", model, *given, "--svg", str(folder / place), "--force", *(["--dark"] * (shade == "dark"))]
        if printed(*arguments)[0] not in (0, 1):
            return []
        out += image(place, shade, f"What each part of {name} writes, position by position, and where its heads look")
    return out


def image(place: str, shade: str, words: str) -> list[str]:
    """A picture that a page shows in light or in dark alone."""
    return [f"```{{image}} {place}", f":class: only-{shade}", f":alt: {words}", "```", ""]


def by_chapter() -> dict[str, list[Recipe]]:
    """All recipes under the chapter of the Cookbook that they are of, or their paper."""
    chapters: dict[str, list[Recipe]] = {}
    for name in recipes.names():
        one = recipes.info(name)
        title = f"{one.section[:1]} {CHAPTERS.get(one.section[:1], '')}" if one.paper == recipes.COOKBOOK else one.paper
        chapters.setdefault(title, []).append(one)
    return chapters


def index() -> str:
    """The list of all recipes by section, with the pages as a tree."""
    chapters = by_chapter()
    lines = ["# Recipes", "", "Each page is made from the object: its commands were run when this site was built.", ""]
    for title, own in chapters.items():
        lines += [f"## {title}", "", *table(["recipe", "what it computes"], [
            (f"[{one.name}]({one.name}.md)", plain(one.summary)) for one in own]), ""]  # fmt: skip
    names = [one.name for own in chapters.values() for one in own]
    return "\n".join([*lines, *forms(chapters), "```{toctree}", ":hidden:", "", *names, "```", ""])


SMALLER = {"dyck-k-d": ("--set", "D=2")}
"""The choices that give a form to a recipe that has none by default."""


def forms(chapters: dict[str, list[Recipe]]) -> Iterator[str]:
    """The table of all recipes with what `derive` gives: the form, the number of cases, or why there is none."""
    yield from ("## Closed forms", "", "What `symcook derive NAME` gives: at every length, or for every input.", "")
    rows = [(f"[{one.name}]({one.name}.md)", *form(one)) for own in chapters.values() for one in own]
    yield from (*table(["recipe", "form", "holds for all", "cases"], rows), "")


def form(found: Recipe) -> tuple[str, str, str]:
    """The form of a recipe, its region, and its number of cases; or why it has none, and what has one."""
    try:
        forms_found = found.build({}).derive()
    except symcook.BadInput as error:
        option = " ".join(SMALLER.get(found.name, example(found)[:1]))
        return f"none: {plain(error.shown or error.must)}; there is one with `{option}`", "", ""
    first = forms_found.cases[0]
    said = "; ".join(f"{name} = {value}" for name, value in first.output.items())
    case = f" if {' & '.join(first.conditions)}" if first.conditions else ""
    return f"`{brief(said + case, MOST_SHOWN)}`", f"`{forms_found.region}`", str(len(forms_found.cases))


@cache
def _rows() -> dict[str, claims.Claim]:
    return {row.id: row for row in claims.ledger()}


def _made(name: str, folder: Path) -> str:
    with contextlib.chdir(folder):
        return page(name, _rows())


def pages(folder: Path, workers: Executor) -> Iterator[tuple[str, str]]:
    """The name and the text of each page; pictures are drawn into `folder`. Pages are kept with a digest of all that
    they are made of, and made again by `workers` where it is another one: proofs are looked for on them."""
    seal, own, names = folder / ".made", _digest(), recipes.names()
    every = (*names, "index")
    kept = seal.is_file() and seal.read_text(encoding="ascii") == own
    if kept and all((folder / f"{name}.md").is_file() for name in every):
        yield from ((name, (folder / f"{name}.md").read_text(encoding="utf-8")) for name in every)
    else:
        seal.unlink(missing_ok=True)
        yield from zip(names, workers.map(_made, names, repeat(folder)), strict=True)
        yield "index", index()
        seal.write_text(own, encoding="ascii", newline="\n")


def _digest() -> str:
    """Of the package, of the statements that pages cite, and of this folder."""
    found = sha256()
    places = (*SOURCES, Path(symcook.__file__).parent)
    for path in sorted(path for place in places for path in place.rglob("*") if path.suffix in KINDS):
        found.update(str(path).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
