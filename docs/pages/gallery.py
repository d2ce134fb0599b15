"""The gallery: a thumbnail of each recipe and each program, and a page a program."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import symcook as sc
from pages import recipes
from pages.markdown import code, plain
from symcook.model.transformer import Transformer
from symcook.programs import shipped
from symcook.report.page.diagram import svg

HEAD = """\
---
hide-toc: true
---

# Gallery

Each picture shows a model. It has the values of a small run, with the attention weights of the heads next to them.
For a model that maps numbers to numbers, the picture shows the data flow: each line is a coordinate, a ring marks a
layer that reads the coordinate, and a square marks a layer that writes to it. A click on the name opens the page of
the model. In Python, `run.plot()` and `run.plot_attention()` draw such pictures with matplotlib.
"""


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """The gallery, and a page a program; pictures of programs are drawn into `folder`."""
    lines, names = [HEAD], []
    for title, own in recipes.by_chapter().items():
        cards = (
            _card(one.name, f"../{recipes.FOLDER}/{one.name}", one.build({}), one.summary, folder.parent) for one in own
        )
        lines += _section(title, cards)
    cards = []
    for name, summary in shipped.summaries():
        name = name.replace("dyck-k", "dyck-2")
        place = name.replace(".", "-")
        kind: Any = name.rpartition(".")[2]
        model = sc.compile(kind, name)
        yield place, _page(name, place, summary, model, folder.resolve())
        cards.append(_card(name, place, model, summary.partition(".")[0], folder.parent))
        names.append(place)
    lines += _section("Programs", cards)
    yield "index", "\n".join([*lines, "```{toctree}", ":hidden:", "", *names, "```", ""])


def _section(title: str, cards: Iterable[list[str]]) -> list[str]:
    return [f"## {title}", "", "::::{container} gallery", *(line for card in cards for line in card), "::::", ""]


def _card(name: str, page: str, model: Transformer, summary: str, docs: Path) -> list[str]:
    """A picture, and a line that leads to its page; the data flow where a run has no picture."""
    drawn: list[str] = []
    for shade in recipes.SHADES:
        place = f"{page}-{shade}.svg"
        if (docs / "gallery" / place).is_file():
            drawn += recipes.image(place, shade, f"A run of {name}")
    if not drawn and (flow := svg(model)):
        drawn = ["```{raw} html", flow, "```", ""]
    return [":::{container} thumbnail", *drawn, f"[{plain(name)}]({page}.md): {plain(summary)}", ":::"]


def _page(name: str, place: str, summary: str, model: Transformer, folder: Path) -> str:
    """What a program computes, its text, and what its model does with a small input."""
    language, file = name.rpartition(".")[2], f"{name.rpartition('.')[0]}.json"
    given = ["--input", "".join(model.alphabet[k % len(model.alphabet)] for k in (0, 1, 0, 1))]
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        compiled = recipes.shown("compile", language, name, "-o", file)
        run = recipes.shown("run", file, *given)
        picture = recipes.picture(file, place, given, folder)
    text = code(shipped.shipped_program(name).rstrip(), "")
    return "\n".join([f"# {name}", "", plain(summary), "", text, "", compiled, "", run, "", *picture])
