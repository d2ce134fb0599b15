"""The elements of the page of a model, and the page as one HTML document. The page makes no request, and runs no script
except its own."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.model.symbols import from_sympy
from symcook.report.document import near
from symcook.report.model import blocks, matrices, readout_text

if TYPE_CHECKING:
    import sympy

    from symcook.model.transformer import Transformer

LARGE = 2_000
"""The greatest number of entries of a matrix that is drawn; of a larger one, the nonzero entries are listed."""
LISTED = 4_000
"""The greatest number of entries in such a list."""
OPEN = 300
"""The greatest number of entries in the matrices of a sublayer that is unfolded at first."""
SHOWN = 14
"""The greatest number of characters of an entry in a table; the pointer shows a longer one in full."""


class Markup(str):
    """Text that is HTML already. `element` and `joined` escape any other text."""

    __slots__ = ()


def element(name: str, /, *inside: object, **attributes: object) -> Markup:
    """An element. Attributes: `class_` and `for_` lose the _, other _ become -; None and False are left out.

    >>> element("p", "1 < 2", class_="note", hidden=True)
    '<p class="note" hidden>1 &lt; 2</p>'
    """
    attribute_text = "".join(
        f" {key.removesuffix('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{attribute_text}>{joined(inside)}" + ("" if name in ("input", "meta") else f"</{name}>"))


def joined(parts: Iterable[object]) -> Markup:
    """The parts joined; parts that are not `Markup` are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts))


def table(caption: str, header: Sequence[object], rows: Iterable[Sequence[object]], **attributes: object) -> Markup:
    """A table with a caption, in a frame that scrolls if it is too wide; the first cell of a row is its heading."""
    head = element("tr", *(element("th", name, scope="col") if name else element("td") for name in header))
    body = [
        element(
            "tr",
            element("th", first, scope="row"),
            *(cell if isinstance(cell, Markup) and cell.startswith("<td") else element("td", cell) for cell in cells),
        )
        for first, *cells in rows
    ]
    drawn = element("table", element("caption", caption), element("thead", head), element("tbody", *body), **attributes)
    return element("div", drawn, class_="frame", tabindex="0", role="group", aria_label=caption)


def entry(text: str, most: float) -> Markup:
    """An entry of a matrix, text in the grammar, as a cell that is shaded by its absolute value as a share of `most`.
    The class of the cell gives its sign, which the style sheet colours."""
    number = 0.0 if text == "0" else near(text)
    share = 0.0 if not number or not most else round(min(abs(number) / most, 1) ** 0.5, 3)
    kind = "nil" if text == "0" else "plus" if (number or 0) > 0 else "minus" if (number or 0) < 0 else "open"
    short = brief(text, SHOWN)
    shade = f"--s:{share:g}" if share else None
    return element("td", short, class_=kind, style=shade, title=text if short != text else None)


def heat(name: str, matrix: sympy.MatrixBase, rows: Sequence[str], columns: Sequence[str]) -> Markup:
    """A matrix as a heat map with its exact entries; one with more than LARGE entries as a folded list of those that
    are not 0."""
    count = len(rows) * len(columns)
    if count > LARGE:  # a folded list of the nonzero entries
        listed = [
            (row, column, from_sympy(value))
            for row, entries in zip(rows, matrix.tolist(), strict=True)
            for column, value in zip(columns, entries, strict=True)
            if value != 0
        ]
        listed_note = f", the first {LISTED} of them" if len(listed) > LISTED else ""
        caption = f"{name}: {len(rows)} x {len(columns)}, {len(listed)} entries that are not zero{listed_note}"
        return element(
            "details", element("summary", caption), table(caption, ("row", "column", "entry"), listed[:LISTED])
        )
    texts = [[from_sympy(value) for value in entries] for entries in matrix.tolist()]
    most = max((abs(near(text) or 0) for row in texts for text in row if text != "0"), default=0)
    body = [[label, *(entry(text, most) for text in row)] for label, row in zip(rows, texts, strict=True)]
    return table(name, ("", *columns), body, class_="heat")


def section(title: str, key: str, *inside: object) -> Markup:
    """A section whose heading has the id `key` for links."""
    return element("section", element("h2", title, id=key), *inside, aria_labelledby=key)


def embedding(model: Transformer) -> Markup:
    """The section on the embedding: what tokens or inputs and positions set before the first layer."""
    embedding_part, parts = model.embedding, []
    if embedding_part.words is not None:
        used = [name for name in model.space if name in embedding_part.tables]
        rows = [(token, *(values.get(name, 0) for name in used)) for token, values in embedding_part.words.items()]
        # A large alphabet: a folded list of the coordinates that each token sets. A small one: a shaded matrix.
        if len(rows) * len(used) > LARGE:
            token_rows = [
                (token, ", ".join(f"{name} = {from_sympy(v)}" for name, v in values.items() if v) or "nothing")
                for token, values in embedding_part.words.items()
            ]
            first_alone = f": the first {LISTED}" if len(token_rows) > LISTED else ""
            words = f"{len(token_rows)} tokens, and what each sets{first_alone}"
            token_table = table(words, ("token", "sets"), token_rows[:LISTED], class_="words")
            parts.append(element("details", element("summary", words), token_table))
        elif used:
            texts = [(token, [from_sympy(value) for value in row]) for token, *row in rows]
            most = max((abs(near(text) or 0) for _, row in texts for text in row), default=0)
            body = [(token, *(entry(text, most) for text in row)) for token, row in texts]
            parts.append(table("tokens", ("token", *used), body, class_="heat"))
    else:
        parts.append(element("p", f"Inputs, one row a position: {', '.join(embedding_part.inputs or ()) or 'none'}."))
    if embedding_part.positions:
        rows = [(name, element("code", brief(from_sympy(v), 300))) for name, v in embedding_part.positions.items()]
        parts.append(
            table("position functions", ("coordinate", f"at position i of n, from {embedding_part.start}"), rows)
        )
    added = [
        f"The model adds {token} {where} every input. Lengths and positions count {token} too."
        for tokens, where in zip(embedding_part.ends, ("before", "after"), strict=True)
        for token in tokens
    ]
    return section("Embedding", "embedding", *parts, *(element("p", words) for words in added))


def _labels(name: str, rows: Sequence[str], columns: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the rows and columns of a matrix on the page.

    A row of Q is "query 1" here, since "q1" may be a coordinate of a compiled formula; a hidden unit is "unit 1".
    """
    if name in ("Q", "K"):
        return [f"{'query' if name == 'Q' else 'key'} {k}" for k in range(1, len(rows) + 1)], columns
    if name in ("W1", "gate", "up"):
        return [f"unit {k}" for k in range(1, len(rows) + 1)], columns
    if name in ("W2", "down"):
        return rows, [*(f"unit {k}" for k in range(1, len(columns))), columns[-1]]
    return rows, columns


def weights(model: Transformer) -> Markup:
    """The section on the weights: all matrices, under the title of their sublayer."""
    parts = []
    for title, part in blocks(model):
        verb = "writes" if title.partition("norm")[1] else "adds to"
        flow = f"This sublayer reads {', '.join(part.reads) or 'nothing'}. It {verb} {', '.join(part.writes)}."
        drawn = [heat(name, m, *_labels(name, rows, columns)) for name, m, rows, columns in matrices(part) if rows]
        size = sum(m.shape[0] * m.shape[1] for _, m, _, _ in matrices(part))
        parts.append(
            element(
                "details",
                element("summary", title),
                element("p", flow, class_="note"),
                element("div", *drawn, class_="side"),
                open=size <= OPEN,
            )
        )
    readout = model.readout
    if readout.weights is not None:
        labels = readout.labels or ("logit",)
        parts.append(heat("readout", readout.weights, labels, readout.reads))
    return section("Weights", "weights", *parts, element("p", f"Readout: {readout_text(readout)}."))


def payload(key: str, document: object) -> Markup:
    """A JSON document for the scripts of the page, escaped so that no text in it can end its element."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json" id="{key}">{text}</script>')


def own(name: str) -> str:
    """The text of a file in the folder of this module."""
    return files("symcook.report.page").joinpath(name).read_text(encoding="utf-8").strip()


def page(title: str, body: Sequence[object], documents: Mapping[str, object], stepper: bool = False) -> str:
    """The whole HTML file, with `documents` for its scripts. The scripts are the evaluator, with `stepper` the script
    that runs the table of a machine, and the page's own script; a policy with their hashes allows no other script."""
    scripts = own("evaluator.js"), *([own("stepper.js")] if stepper else []), own("page.js")
    hashes = " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashes}; img-src data:; base-uri 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="symcook"),
        element("title", title),
        Markup(f"<style>{own('page.css')}</style>"),
    )
    data = [payload(key, document) for key, document in documents.items()]
    script_elements = [Markup(f"<script>{text}</script>") for text in scripts]
    return f"<!DOCTYPE html>\n{element('html', head, element('body', *body, *data, *script_elements), lang='en')}\n"
