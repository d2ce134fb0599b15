"""What Sphinx asks of these pages: sources before it reads, links that fit, formulas without a script, the ledger."""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import errata
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from pages import api, bits, commands, gallery, glossary, landing, ledger, links, notebooks, precision, recipes
from pages.mathematics import mathml
from symcook import claims

DOCS = Path(__file__).resolve().parent.parent
ROOT = DOCS.parent
MADE = (
    "reference/recipes",
    "reference/commands",
    "reference/api",
    "errata",
    "notes",
    "glossary",
    "notebooks",
    "gallery",
    "reference/precision",
)
"""The folders of pages that are made; git ignores them."""
_LINK = re.compile(r"`[^`\n]*`|(!?)\[((?:[^\[\]`]|`[^`\n]*`)+)\]\(([^()\s]+)\)")
"""A link, or code, in which there is none."""
_INCLUDED = re.compile(r"^```\{include\} (\S+)", re.MULTILINE)
_HERE = re.compile(r'<li class="(toctree-l\d) current current-page"><a class="current reference internal" href="#">')
"""The entry of a page in the tree of all pages that stands beside it."""
workers: list[Executor] = []
"""What makes recipes' pages and the ledger, beside Sphinx, in as many processes as there are processors."""
making: list[Future[int]] = []
"""The ledger, while it is made."""
trees: dict[str, str] = {}
"""The tree of all pages beside those of a folder, before one is marked as the one that is read."""
log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """What `docs/conf.py` loads."""
    app.connect("builder-inited", written)
    app.connect("source-read", _read)
    app.connect("include-read", _included)
    app.connect("html-page-context", _tree_asked, priority=400)
    app.connect("html-page-context", _tree_marked, priority=600)  # the theme's own stands between them
    app.connect("build-finished", finished)
    app.add_role("claim", _claim)
    app.add_directive("statuses", landing.Statuses)
    app.add_directive("concepts", landing.Concepts)
    app.add_directive("bits", bits.Bits)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": False, "parallel_write_safe": True}


# --- Sources ----------------------------------------------------------------------------------------------------------


def written(app: Sphinx) -> None:
    """The sources that are made of data; the making of the ledger begins."""
    gc.set_threshold(100_000, 20, 50)
    trees.clear()
    pool = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"))
    workers[:] = [pool]
    made: dict[str, Callable[[Path], Iterable[tuple[str, str]]]] = {
        MADE[0]: lambda folder: recipes.pages(folder, pool),
        MADE[1]: lambda folder: commands.pages(),
        MADE[2]: lambda folder: api.pages(),
        MADE[3]: lambda folder: _letters(),
        MADE[4]: lambda folder: _notes(),
        MADE[5]: lambda folder: [("index", glossary.page())],
        MADE[6]: lambda folder: notebooks.pages(),
        MADE[7]: gallery.pages,
        MADE[8]: lambda folder: precision.pages(),
    }
    for place, pages in made.items():
        started, folder = time.monotonic(), Path(app.srcdir) / place
        folder.mkdir(parents=True, exist_ok=True)
        names = set()
        for name, text in pages(folder):
            names.add(f"{name}.md")
            target = folder / f"{name}.md"
            if not target.is_file() or target.read_text(encoding="utf-8") != text:
                target.write_text(text, encoding="utf-8", newline="\n")
        for old in folder.glob("*.md"):
            if old.name not in names:
                old.unlink()
        log.info("%s: %d pages in %.1f s", place, len(names), time.monotonic() - started)
    making[:] = [pool.submit(ledger.write, Path(app.outdir) / "ledger")] if app.builder.format == "html" else []


def _notes() -> Iterable[tuple[str, str]]:
    """A page a note, which holds the note."""
    for path in sorted((ROOT / "notes").glob("*.md")):
        yield path.stem, f"```{{include}} ../../notes/{path.name}\n```\n"


def _letters() -> Iterable[tuple[str, str]]:
    """The errata by paper; names of rows become links to their pages."""
    rows = claims.ledger()
    known = {row.id for row in rows}

    def one(found: re.Match[str]) -> str:
        return f"{{claim}}{found[0]}" if found[1] in known else found[0]

    def linked(text: str) -> str:
        return re.sub(rf"`((?:{'|'.join(claims.PAPERS)})\.[\w.]*\w)`", one, text)

    yield "index", errata.head(rows) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(errata.PAPERS) + "\n```\n"
    for paper in errata.PAPERS:
        yield paper, linked(errata.letter(paper, rows))


# --- Links ------------------------------------------------------------------------------------------------------------


def notes() -> dict[Path, str]:
    """The page that includes each note."""
    found = {}
    for page in sorted(DOCS.rglob("*.md")):
        for name in _INCLUDED.findall(page.read_text(encoding="utf-8")):
            found.setdefault((page.parent / name).resolve(), page.relative_to(DOCS).as_posix())
    return found


def resolved(text: str, source: Path, page: str) -> str:
    """The text of a file with its links as the page needs them: to pages of the site, else the file's name.

    A link that leads to no file of the checkout is left, so that Sphinx warns of it.
    """
    pages = notes()

    def one(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if target is None:
            return found[0]
        name, hash_, place = target.partition("#")
        if "://" in target or not name or target.startswith("mailto:"):
            return found[0]
        path = (source.parent / name).resolve()
        if not path.exists():
            return found[0]
        if path in pages:
            inside = pages[path]
        elif DOCS in path.parents and path.is_file():
            inside = path.relative_to(DOCS).as_posix()
        else:
            shown = path.relative_to(ROOT).as_posix() if ROOT in path.parents else name
            return words if words.strip("`") == shown else f"{words} (`{shown}`)"
        up = Path(os.path.relpath(inside, Path(page).parent)).as_posix()
        return f"{mark}[{words}]({up}{hash_}{place})"

    parts = re.split(r"(^```.*?^```[ ]*$)", text, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [_LINK.sub(one, part) for part in parts[::2]]
    return "".join(parts)


def _read(app: Sphinx, docname: str, content: list[str]) -> None:
    content[0] = resolved(content[0], DOCS / f"{docname}.md", docname)


def _included(app: Sphinx, path: Path, parent: str, content: list[str]) -> None:
    """`parent` is the including page without its folder, so that it is asked of the environment."""
    content[0] = resolved(content[0], (Path(app.srcdir) / path).resolve(), app.env.docname)


def _claim(name: str, raw: str, text: str, line: int, inliner: Any, *_: object) -> tuple[list[nodes.Node], list[Any]]:
    """{claim}`id`: a link to the page of a row of the ledger."""
    if text not in claims.inventory():
        return [], [inliner.reporter.warning(f"the ledger has no row {text}", line=line)]
    above = "../" * inliner.document.settings.env.docname.count("/")
    return [nodes.reference(raw, "", nodes.literal(text, text), refuri=f"{above}ledger/{text}.html")], []


# --- The tree of all pages beside each page ---------------------------------------------------------------------------


def _tree_asked(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Sphinx and the theme make the tree for one page of a list; for the others `_tree_marked` writes it."""
    if _list(app, page) in trees:
        context["toctree"] = lambda **options: ""


def _tree_marked(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """The pages of a list have one tree, with one entry marked: where the reader is."""
    if (own := _list(app, page)) is None:
        return
    if own not in trees:
        trees[own] = _HERE.sub(
            rf'<li class="\1"><a class="reference internal" href="{page[len(own) :]}.html">',
            context["furo_navigation_tree"],
        )
    entry = rf'<li class="(toctree-l\d)"><a class="reference internal" href="{re.escape(page[len(own) :])}\.html">'
    here = r'<li class="\1 current current-page"><a class="current reference internal" href="#">'
    context["furo_navigation_tree"] = re.sub(entry, here, trees[own])


def _list(app: Sphinx, page: str) -> str | None:
    """The folder whose index lists the page, if it lists nothing itself."""
    below, folder = app.env.toctree_includes, page[: page.rfind("/") + 1]
    return folder if page in below.get(f"{folder}index", ()) and not below.get(page) else None


# --- Formulas ---------------------------------------------------------------------------------------------------------


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(f'<div class="math" tabindex="0" role="group">{mathml(node.astext(), display=True)}</div>')
    raise nodes.SkipNode


# --- The ledger -------------------------------------------------------------------------------------------------------


def finished(app: Sphinx, failure: Exception | None) -> None:
    """The pages of the ledger are there beside those of Sphinx."""
    started = time.monotonic()
    sizes = [one.result() for one in making if failure is None]
    for pool in workers:
        pool.shutdown(cancel_futures=True)
    if failure is None and app.builder.format == "html":
        log.info("ledger: %.1f MB, waited for %.1f s", sum(sizes) / 1e6, time.monotonic() - started)
        landing.live(Path(app.outdir))
        if found := links.problems(Path(app.outdir)):
            raise ExtensionError("links that lead nowhere, or to a network:\n" + "\n".join(found))
