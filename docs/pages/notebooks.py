"""The notebooks of examples/notebooks as pages, with the outputs that they are stored with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pages.markdown import code

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "notebooks"


def pages() -> Iterator[tuple[str, str]]:
    """The file name and the text of each page, and of their index."""
    lines = [
        "# Notebooks",
        "",
        "Each notebook is a file in `examples/notebooks`. The pages show the notebooks with their outputs.",
        "",
    ]
    names = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        title, _, first = _source(cells[0]).partition("\n\n")
        lines.append(f"- [{title.removeprefix('# ')}]({path.stem}.md): {first.partition('. ')[0].rstrip('.')}.")
        names.append(path.stem)
        yield path.stem, "\n\n".join(part for cell in cells for part in _cell(cell)) + "\n"
    yield "index", "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *names, "```", ""])


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    """The parts of a page that a cell becomes: its text, or its code and what that shows."""
    if cell["cell_type"] == "markdown":
        yield _source(cell)
        return
    yield code(_source(cell), "python")
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            html = "".join(data["text/html"]).replace("\n\n", "\n")
            div = '<div class="matrices" tabindex="0" role="group" aria-label="Output">'
            yield f"```{{raw}} html\n{div}\n{html}\n</div>\n```"
        else:
            yield code("".join(data.get("text/plain", output.get("text", ""))), "")
