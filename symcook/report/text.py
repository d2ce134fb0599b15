"""Models and tables as text, LaTeX and HTML. Rows and columns carry the names of coordinates."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from symcook.model.symbols import from_sympy, symbol

if TYPE_CHECKING:
    from symcook.model.blocks import FeedForward, Head, LayerNorm, Transformer

    Part = FeedForward | Head | LayerNorm

WIDTH = 100


def table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """A table of at most `WIDTH` characters in a line, without colours, so that it reads the same in a file."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="")
    for name in header:
        drawn.add_column(Text(name), overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    out = io.StringIO()
    Console(file=out, width=WIDTH, color_system=None, force_terminal=False, legacy_windows=False).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines() if line.strip())


def grid(matrix: Any, rows: Sequence[str], columns: Sequence[str], title: str) -> str:
    """A labelled matrix; transposed where it is too wide for a line, only described where that does not help."""
    if not rows:
        return f"  {title}: no rows"
    texts = [[from_sympy(v) for v in matrix[r, :]] for r in range(len(rows))]
    body = [[name, *line] for name, line in zip(rows, texts, strict=True)]
    if _width([[title, *columns], *body]) <= WIDTH:
        return table([title, *columns], body)
    turned = [[name, *line] for name, line in zip(columns, zip(*texts, strict=True), strict=True)]
    if _width([[f"{title}^T", *rows], *turned]) <= WIDTH:
        return table([f"{title}^T", *rows], turned)
    return f"  {title}: {len(rows)} x {len(columns)} (too large to draw; --json has it)"


def _width(rows: list[list[str]]) -> int:
    """The characters that a drawn table of these rows needs."""
    return sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True)) + 2


def _lines(text: str, indent: str) -> list[str]:
    """Text over lines of at most WIDTH characters, those after the first indented."""
    return [line for one in text.split("\n") for line in textwrap.wrap(one, WIDTH, subsequent_indent=indent) or [""]]


def model_text(model: Transformer) -> str:
    """Everything that a model is made of, in the order of the forward pass."""
    lines = _lines(_headline(model), "  ")
    if model.parameters:
        rows = [[p.name, p.region, "none" if p.default is None else from_sympy(p.default)] for p in model.parameters]
        lines.append(table(["symbol", "valid where", "default"], rows))
    lines.append("\nEmbedding")
    embedding = model.embedding
    if embedding.words is not None:
        used = [c for c in model.space if any(c in values for values in embedding.words.values())]
        rows = [[token, *(from_sympy(v.get(c, 0)) for c in used)] for token, v in embedding.words.items()]
        lines.append(table(["token", *used], rows))
    else:
        lines.append(f"  inputs: {', '.join(embedding.inputs or ())}, one row a position")
    for token, where in ((embedding.before, "in front of"), (embedding.after, "behind")):
        if token is not None:
            lines.append(f"  the model adds {token} {where} every input; lengths and positions count it")
    for name, value in embedding.positions.items():
        lines.append(f"  {name} at position i of n: {from_sympy(value)} (i counts from {embedding.start})")
    for title, part in _blocks(model):
        lines.append(f"\n{title}")
        verb = "gives" if _is_norm(part) else "adds to"
        lines += _lines(f"  reads {', '.join(part.reads) or 'nothing'}; {verb} {', '.join(part.writes)}", "    ")
        lines += [grid(m, rows, columns, name) for name, m, rows, columns in matrices(part)]
    lines.append(f"\nReadout: {readout_text(model)}")
    if model.readout.labels:
        lines.append(grid(model.readout.weights, model.readout.labels, model.readout.reads, "score"))
    return "\n".join(lines)


def _headline(model: Transformer) -> str:
    size = f"{_count(len(model.layers), 'layer')}, {_count(len(model.space), 'coordinate')}: {', '.join(model.space)}"
    limit = f"\nGreatest length: {model.max_length}" if model.max_length is not None else ""
    return f"{model.name}\n{size}{limit}" + (f"\nSource: {model.source}" if model.source else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _blocks(model: Transformer) -> Iterator[tuple[str, Part]]:
    """Everything with matrices in the order of the forward pass, each with its title: where it is and what."""
    for step in model.sublayers:
        if step.block is None:
            assert step.after is not None
            yield f"Final norm, {_kind(step.after)}", step.after
            continue
        for k, norm in enumerate(step.before, 1):
            which = f"norm {k} of {len(step.before)}" if len(step.before) > 1 else "norm"
            yield f"Layer {step.layer}, {which} before the {step.kind} part, {_kind(norm)}", norm
        for h, part in enumerate(step.parts, 1):
            which = f", head {h} of {len(step.parts)}" if len(step.parts) > 1 else ""
            yield f"Layer {step.layer}{which}, {_kind(part)}", part
        if step.after is not None:
            yield f"Layer {step.layer}, norm after the {step.kind} part, {_kind(step.after)}", step.after


def _is_norm(part: Any) -> bool:
    return hasattr(part, "epsilon")


def _kind(part: Any) -> str:
    """A block in words: its activation, its epsilon, or its mask, weighting, scale and temperature."""
    if hasattr(part, "W1"):
        return f"feed-forward, {part.activation}"
    if _is_norm(part):
        zero = "" if part.epsilon != 0 else f", zero variance: {part.zero_variance}"
        return f"epsilon {from_sympy(part.epsilon)}{zero}"
    words = [f"attention, mask {part.mask}, weighting {part.weighting}"]
    for name in ("scale", "temperature"):
        if getattr(part, name) != 1:
            words.append(f"{name} {from_sympy(getattr(part, name))}")
    return ", ".join(words)


def matrices(part: Any) -> Iterator[tuple[str, Any, list[str], list[str]]]:
    """Each matrix of a block with the names of its rows and columns; biases stand as one more column."""
    if hasattr(part, "W1"):
        hidden = [f"h{k}" for k in range(1, part.hidden + 1)]
        yield "W1", part.W1.row_join(part.b1), hidden, [*part.reads, "b1"]
        yield "W2", part.W2.row_join(part.b2), list(part.writes), [*hidden, "b2"]
        return
    if _is_norm(part):
        if part.projection is not None:
            yield "P", part.projection, list(part.writes), list(part.reads)
        yield "norm", part.gain.row_join(part.bias), list(part.writes), ["gain", "bias"]
        return
    for name in ("Q", "K"):
        matrix = getattr(part, name)
        yield name, matrix, [f"{name.lower()}{d}" for d in range(1, matrix.shape[0] + 1)], list(part.reads)
    yield "V", part.V, list(part.writes), list(part.reads)


def readout_text(model: Transformer) -> str:
    """What is read, where, and when the model accepts."""
    readout = model.readout
    where = {
        "first": "at the first position",
        "last": "at the last position",
        "each": "at each position",
        "all": "at every position",
    }[readout.position]
    if readout.kind == "value":
        return f"{', '.join(readout.reads)} {where}"
    if readout.kind == "largest":
        return f"the label of the largest score (the first of several) {where}: {', '.join(readout.labels)}"
    if readout.kind == "distribution":
        return f"the softmax of the scores {where}, a probability for each of {', '.join(readout.labels)}"
    if readout.kind == "zero":
        return f"accept iff {' = '.join(readout.reads)} = 0 {where}"
    logit = sum(w * symbol(c) for w, c in zip(readout.weights, readout.reads, strict=True))
    return f"accept iff logit > 0 {where}, with logit = {from_sympy(logit)}"


_FUNCTIONS = {
    "relu": r"\mathrm{ReLU}",
    "gelu": r"\mathrm{GELU}",
    "gelu-tanh": r"\mathrm{GELU}_{\tanh}",
    "gelu-sigmoid": r"\mathrm{GELU}_{\sigma}",
    "step": r"\mathrm{step}",
}


def _escaped(text: str) -> str:
    """Plain text inside \\text of LaTeX."""
    table = {"\\": r"\textbackslash ", "^": r"\textasciicircum "} | {c: "\\" + c for c in "_%&#$"}
    return "".join(table.get(c, c) for c in text)


def model_latex(model: Transformer) -> str:
    """The model as an aligned display: position functions, each matrix with the coordinates it reads and adds to."""
    import sympy

    def name(text: str) -> str:
        escaped = text.replace("\\", r"\textbackslash ").replace("_", r"\_")
        return rf"\mathrm{{{escaped}}}"

    def names(many: Sequence[str]) -> str:
        return r"\begin{pmatrix}" + r"\\".join(map(name, many)) + r"\end{pmatrix}"

    def drawn(matrix: Any) -> str:
        return sympy.latex(matrix, mat_delim="(")

    rows = [rf"{name(c)}_i &= {sympy.latex(v)}" for c, v in model.embedding.positions.items()]
    for title, part in _blocks(model):
        where = rf"\text{{{_escaped(title[0].lower() + title[1:])}}}"
        if hasattr(part, "W1"):
            inner = rf"{drawn(part.W1)} {names(part.reads)} + {drawn(part.b1)}"  # type: ignore[union-attr]
            act = _FUNCTIONS[part.activation]  # type: ignore[union-attr]
            w2, b2 = drawn(part.W2), drawn(part.b2)  # type: ignore[union-attr]
            rows.append(rf"{names(part.writes)} &\mathrel{{+}}= {w2}\,{act}\left({inner}\right) + {b2} && {where}")
        elif _is_norm(part):
            x = names(part.reads)
            if part.projection is not None:  # type: ignore[union-attr]
                x = drawn(part.projection) + x  # type: ignore[union-attr]
            gain, bias = drawn(part.gain), drawn(part.bias)  # type: ignore[union-attr]
            rows.append(
                rf"{names(part.writes)} &= {gain} \odot \frac{{x - \bar x}}"
                rf"{{\sqrt{{\mathrm{{var}}(x) + {sympy.latex(part.epsilon)}}}}} + {bias},"  # type: ignore[union-attr]
                rf" \; x = {x} && {where}"
            )
        else:
            q, k, v = (drawn(m) for m in (part.Q, part.K, part.V))  # type: ignore[union-attr]
            rows.append(
                rf"{names(part.writes)} &\mathrel{{+}}= \textstyle\sum_j \alpha_{{ij}} {v} {names(part.reads)}_j,"
                rf" \; Q = {q},\; K = {k} && {where}"
            )
    body = " \\\\\n".join(rows) or name(model.name)
    return "$\\displaystyle \\begin{aligned}\n" + body + "\n\\end{aligned}$"


_CELL = "border:1px solid #bbb;padding:2px 8px;text-align:right"
_HEAD = "border:1px solid #bbb;padding:2px 8px;background:#f2f2f2;color:#222"
_BLOCK = "display:inline-block;vertical-align:top;margin:0 1.5em 0.6em 0"


def model_html(model: Transformer) -> str:
    """The model as HTML tables, the matrices of a block side by side; every text escaped, with no script."""
    from html import escape

    def cell(text: str, style: str, tag: str = "td") -> str:
        return f'<{tag} style="{style}">{escape(text)}</{tag}>'

    def draw(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        head = "".join(cell(text, _HEAD, "th") for text in header)
        body = ""
        for label, *values in rows:
            body += "<tr>" + cell(label, _HEAD, "th") + "".join(cell(text, _CELL) for text in values) + "</tr>"
        caption = f"<div><i>{escape(name)}</i></div>" if name else ""
        table = f'<table style="border-collapse:collapse"><tr>{head}</tr>{body}</table>'
        return f'<div style="{_BLOCK}">{caption}{table}</div>'

    def section(title: str, *tables: str) -> str:
        return f'<div style="margin-top:0.6em"><b>{escape(title)}</b></div>' + "".join(tables)

    def entries(matrix: Any, labels: Sequence[str]) -> list[list[str]]:
        return [[label, *(from_sympy(v) for v in matrix[r, :])] for r, label in enumerate(labels)]

    name, *lines = (escape(line) for line in _headline(model).split("\n"))
    parts = [f"<p>{'<br>'.join([f'<b>{name}</b>', *lines])}</p>"]
    if model.embedding.words is not None:
        rows = [[token, *(from_sympy(v.get(c, 0)) for c in model.space)] for token, v in model.embedding.words.items()]
        parts.append(section("Embedding", draw("", ["token", *model.space], rows)))
    rows = [[c, from_sympy(v)] for c, v in model.embedding.positions.items()]
    if rows:
        parts.append(section("Position functions", draw("", ["coordinate", "at position i of n"], rows)))
    for token, where in ((model.embedding.before, "in front of"), (model.embedding.after, "behind")):
        if token is not None:
            parts.append(f"<p>The model adds {escape(token)} {where} every input.</p>")
    for title, part in _blocks(model):
        shown = [draw(name, ["", *columns], entries(m, labels)) for name, m, labels, columns in matrices(part)]
        parts.append(section(title, *shown))
    readout = model.readout
    if readout.labels:
        parts.append(section("Scores", draw("", ["", *readout.reads], entries(readout.weights, readout.labels))))
    parts.append(f"<p>Readout: {escape(readout_text(model))}</p>")
    return "\n".join(parts)
