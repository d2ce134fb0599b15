"""A model as text, HTML and LaTeX: every matrix with the names of its coordinates, or one line for each part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.model.answers import brief
from symcook.model.choices import shown_word
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula, show
from symcook.model.parts import (
    NORMS,
    AnyHead,
    AnyNorm,
    BiasedHead,
    FeedForward,
    GatedUnits,
    Head,
    Layer,
    LayerNorm,
    Part,
    RMSNorm,
    RotaryHead,
    SelfAttention,
)
from symcook.model.rationals import quotient
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.symbols import at, from_sympy, lowered, symbol, tree_from_sympy
from symcook.model.transformer import Parameter
from symcook.report.document import WIDTH, Drawn, abridged, room, table, wrapped
from symcook.report.latex import latex
from symcook.report.markup import Display, array, page, paragraph, section, upright, words
from symcook.report.markup import table as html_table

if TYPE_CHECKING:
    import sympy

    from symcook.model.transformer import Transformer

READS = PartsRead("the report of a model", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)


TIES = {
    "average": "",
    "softmax": "",
    "softmax-plus-one": " (1 more in the denominator)",
    "leftmost": " (the first of the largest scores)",
    "rightmost": " (the last of the largest scores)",
}
"""What a weighting selects when several scores are largest."""


def line(shown: object) -> str:
    """A model or one of its parts in one line: the repr."""
    return brief(f"<{type(shown).__name__} {_summary(shown)}>")


def _summary(shown: Any) -> str:
    """What the repr says of a model or of one of its parts."""
    if isinstance(shown, Part):
        return f"{_short_kind(shown)}: {_flow(shown)}"
    if isinstance(shown, SelfAttention):
        return f"{_count(len(shown.heads), 'head')}: {'; '.join(map(_flow, shown.heads))}"
    if isinstance(shown, Layer):
        parts = [_count(len(shown.attention.heads), "head")] if shown.attention is not None else []
        parts += [_short_kind(shown.feedforward)] if shown.feedforward is not None else []
        norms = [] if shown.placement == "none" else [f"norms {shown.placement}"]
        return ", ".join([*parts, *norms])
    if isinstance(shown, Embedding):
        return f"{_count(len(shown.space), 'coordinate')}, {_input_text(shown)}"
    if isinstance(shown, Readout):
        return readout_text(shown)
    size = f"{_count(len(shown.layers), 'layer')}, {_count(len(shown.space), 'coordinate')}"
    parameter_text = f", parameters {', '.join(p.name for p in shown.parameters)}" if shown.parameters else ""
    return f"{brief(shown.name, 40)}: {size}, {brief(_input_text(shown.embedding), 40)}{parameter_text}"


def _input_text(embedding: Embedding) -> str:
    """The inputs or the alphabet of the model."""
    if embedding.inputs is not None:
        return f"inputs {', '.join(embedding.inputs)}"
    return f"alphabet {' '.join(embedding.alphabet)}"


def _flow(part: Part) -> str:
    """The coordinates that a sublayer reads and writes."""
    return f"{', '.join(part.reads) or 'nothing'} -> {', '.join(part.writes) or 'nothing'}"


def _short_kind(part: Part) -> str:
    """A block in few words: the weighting and mask of a head, the units of a feed-forward sublayer, the epsilon of a
    norm."""
    match part:
        case Head() | BiasedHead() | RotaryHead():
            masked = "" if part.mask == "none" else f", mask {shown_word(part.mask)}"
            return f"{part.weighting}{masked}"
        case LayerNorm() | RMSNorm():
            return _kind(part)
        case FeedForward():
            return _count(part.hidden, part.activation + " unit")
        case GatedUnits():
            return f"{_count(part.hidden, 'unit')} gated by {part.activation}"
        case _:
            READS.refuse(type(part))


def document(model: Transformer) -> Drawn:
    """Text, HTML and LaTeX of a model."""
    return Drawn(lambda: text(model), lambda: html(model), lambda: displays(model))


def text(model: Transformer) -> str:
    """All parts of a model with their matrices, in the order of the forward pass."""
    # Name, size and parameters.
    lines = wrapped(_headline(model), "  ")
    if model.parameters:
        lines.append(table(*_parameter_table(model)))
    # The embedding: a row for each token with the coordinates that some token sets, or the inputs; then the special
    # tokens and the position functions.
    lines.append("\nEmbedding")
    embedding = model.embedding
    if embedding.words is not None:
        used = [c for c in model.space if any(c in values for values in embedding.words.values())]
        rows = [[token, *(abridged(from_sympy(v.get(c, 0))) for c in used)] for token, v in embedding.words.items()]
        lines.append(table(["token", *used], rows))
    else:
        lines.append(f"  {_inputs(embedding)}")
    lines += [f"  {added}" for added in _added(model)]
    for name, value in embedding.positions.items():
        lines += _position_lines(model, name, value)
    # The sublayers with their matrices. A layer norm replaces the coordinates that it writes, the others add to them.
    for title, part in blocks(model):
        lines.append(f"\n{title}")
        verb = "gives" if isinstance(part, NORMS) else "adds to"
        lines += wrapped(f"  reads {', '.join(part.reads) or 'nothing'}; {verb} {', '.join(part.writes)}", "    ")
        lines += [grid(m, rows, columns, name) for name, m, rows, columns in matrices(part)]
    lines.append(f"\nReadout: {readout_text(model.readout)}")
    if model.readout.labels:
        lines.append(grid(model.readout.weights, model.readout.labels, model.readout.reads, "score"))
    return "\n".join(lines)


def parts(model: Transformer) -> list[dict[str, str]]:
    """A row {"part", "does"} for each block in the order of the forward pass and for the readout: the coordinates that
    the block reads and writes, without matrices."""
    rows = []
    for title, part in blocks(model):
        verb = "gives" if isinstance(part, NORMS) else "adds to"
        rows.append({"part": title, "does": f"reads {_named(part.reads)}; {verb} {_named(part.writes)}"})
    return [*rows, {"part": "Readout", "does": readout_text(model.readout)}]


def _named(names: Sequence[str], most: int = 12) -> str:
    """The names of coordinates; of more than `most` the first ones and the number of the others."""
    unnamed = len(names) - most
    return f"{', '.join(names[:most])}{f' and {unnamed} more' * (unnamed > 0)}" or "nothing"


def _position_lines(model: Transformer, name: str, value: sympy.Expr) -> list[str]:
    """A position function as a formula. If it is a table (nested cases on i, with a maximum length): its values."""
    first_position, formula = model.embedding.start, from_sympy(value)
    if model.max_length is None or formula.count("if(") < 2 or value.free_symbols != {symbol("i")}:
        return [f"  {name} at position i of n: {abridged(formula)} (i counts from {first_position})"]
    # From here: a function of i alone with at least two cases, at finitely many positions.
    formula_tree: Any = lowered(value)
    values = [at(formula_tree, {"i": first_position + k}) for k in range(model.max_length)]
    value_list = ", ".join(abridged(quotient(v) if isinstance(v, Fraction) else show(v)) for v in values)
    return wrapped(
        f"  {name} at the positions {first_position} to {first_position + model.max_length - 1}: {value_list}", "    "
    )


def grid(matrix: sympy.MatrixBase, rows: Sequence[str], columns: Sequence[str], title: str) -> str:
    """A labelled matrix; transposed if it is too wide for a line; only its size if the transpose is too wide too."""
    if not rows:
        return f"  {title}: no rows"
    texts = [[abridged(from_sympy(v)) for v in matrix[r, :]] for r in range(len(rows))]
    body = [[name, *line] for name, line in zip(rows, texts, strict=True)]
    if _width([[title, *columns], *body]) <= room(WIDTH):
        return table([title, *columns], body)
    turned = [[name, *line] for name, line in zip(columns, zip(*texts, strict=True), strict=True)]
    if _width([[f"{title}^T", *rows], *turned]) <= room(WIDTH):
        return table([f"{title}^T", *rows], turned)
    return f"  {title}: {len(rows)} x {len(columns)} (too large to draw; --json has it)"


def _width(rows: list[list[str]]) -> int:
    """The width in characters of a table with these rows."""
    return sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True)) + 2


def _added(model: Transformer) -> list[str]:
    """The special tokens, in words."""
    ends = zip(model.embedding.ends, ("before", "after"), strict=True)
    what = "every input; lengths and positions count it"
    return [f"the model adds {token} {where} {what}" for tokens, where in ends for token in tokens]


def _parameter_table(model: Transformer) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the table of parameters."""
    rows = [[p.name, p.region, "none" if p.default is None else from_sympy(p.default)] for p in model.parameters]
    return ["parameter", "valid where", "default"], rows


def _inputs(embedding: Embedding) -> str:
    """The inputs of a model of real inputs, in words."""
    return f"inputs: {', '.join(embedding.inputs or ())}, one row a position"


def _headline(model: Transformer) -> str:
    """The name, the size with the coordinates, the maximum length and the source, each on a line."""
    size = f"{_count(len(model.layers), 'layer')}, {_count(len(model.space), 'coordinate')}: {', '.join(model.space)}"
    limit = f"\nMaximum length: {model.max_length}" if model.max_length is not None else ""
    return f"{model.name}\n{size}{limit}" + (f"\nSource: {model.source}" if model.source else "")


def _count(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def blocks(model: Transformer) -> Iterator[tuple[str, Part]]:
    """(title, part) for each part with matrices, in the order of the forward pass; the title says where it is."""
    for step in READS.of(model).sublayers:
        if step.block is None:  # the last step has no block, only the final norm
            if step.after is None:
                raise RuntimeError("step.after must be set here")
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


def _kind(part: Part) -> str:
    """A block in words: its activation, its epsilon, or its mask, weighting, scale and temperature."""
    READS.parts((part,))
    match part:
        case FeedForward():
            return f"feed-forward, {part.activation}"
        case GatedUnits():
            return f"feed-forward, units gated by {part.activation}"
        case LayerNorm():
            undefined = {"refuse": "undefined", "zero": "0"}[part.zero_variance]
            zero = "" if part.epsilon != 0 else f", {undefined} at zero variance"
            return f"epsilon {from_sympy(part.epsilon)}{zero}"
        case RMSNorm():
            undefined = {"refuse": "undefined", "zero": "0"}[part.zero_square]
            zero = "" if part.epsilon != 0 else f", {undefined} where all entries are zero"
            return f"RMS, epsilon {from_sympy(part.epsilon)}{zero}"
        case Head() | BiasedHead() | RotaryHead():
            return _head_kind(part)
        case _:
            READS.refuse(type(part))


def _head_kind(part: AnyHead) -> str:
    """A head in words: its mask, weighting, slope, scale and temperature."""
    texts = [f"attention, mask {shown_word(part.mask)}, weighting {part.weighting}{TIES[part.weighting]}"]
    if isinstance(part, BiasedHead) and part.slope != 0:
        texts.append(f"slope {from_sympy(part.slope)} by the distance")
    if isinstance(part, RotaryHead) and part.q_gain is not None:
        texts.append(f"norms of queries and keys with epsilon {from_sympy(part.qk_epsilon)}")
    for name in ("scale", "temperature"):
        if getattr(part, name) != 1:
            texts.append(f"{name} {from_sympy(getattr(part, name))}")
    return ", ".join(texts)


def matrices(part: Part) -> Iterator[tuple[str, Any, list[str], list[str]]]:
    """(name, matrix, names of rows, names of columns) for each matrix of a block; a bias is an additional column."""
    READS.parts((part,))
    reads, writes = list(part.reads), list(part.writes)
    if isinstance(part, NORMS) and part.projection is not None:
        yield "P", part.projection, writes, reads
    match part:
        case FeedForward():
            hidden = [f"h{k}" for k in range(1, part.hidden + 1)]
            yield "W1", part.W1.row_join(part.b1), hidden, [*reads, "b1"]
            yield "W2", part.W2.row_join(part.b2), writes, [*hidden, "b2"]
        case GatedUnits():
            hidden = [f"h{k}" for k in range(1, part.hidden + 1)]
            yield "gate", part.gate.row_join(part.gate_bias), hidden, [*reads, "gate_bias"]
            yield "up", part.up.row_join(part.up_bias), hidden, [*reads, "up_bias"]
            yield "down", part.down.row_join(part.down_bias), writes, [*hidden, "down_bias"]
        case LayerNorm():
            yield "norm", part.gain.row_join(part.bias), writes, ["gain", "bias"]
        case RMSNorm():
            yield "norm", part.gain, writes, ["gain"]
        case BiasedHead() | RotaryHead():
            for name in ("Q", "K", "V"):
                matrix, bias = getattr(part, name), getattr(part, f"{name.lower()}_bias")
                rows = writes if name == "V" else [f"{name.lower()}{d}" for d in range(1, matrix.shape[0] + 1)]
                yield name, matrix.row_join(bias), rows, [*reads, f"{name.lower()}_bias"]
            if isinstance(part, RotaryHead) and part.angles is not None:
                yield "angles", part.angles, [f"pair {k}" for k in range(1, part.angles.shape[0] + 1)], ["angle"]
            if isinstance(part, RotaryHead) and part.q_gain is not None:
                dimensions = [f"dimension {k}" for k in range(1, part.Q.shape[0] + 1)]
                yield "norms", part.q_gain.row_join(part.k_gain), dimensions, ["q_gain", "k_gain"]
        case Head():
            for name in ("Q", "K"):
                matrix = getattr(part, name)
                yield name, matrix, [f"{name.lower()}{d}" for d in range(1, matrix.shape[0] + 1)], reads
            yield "V", part.V, writes, reads
        case _:
            READS.refuse(type(part))


def readout_text(readout: Readout) -> str:
    """What the readout reads, at which position, and when the model accepts, or how it chooses a label."""
    where = readout.where
    if readout.kind == "value":
        return f"{', '.join(readout.reads)} {where}"
    if readout.kind == "largest":
        return f"the label with the largest score, the first one in a tie, {where}: {', '.join(readout.labels)}"
    if readout.groups:
        parts = "; ".join(", ".join(part) for part in readout.parts)
        return f"of each group the label with the largest score, the first one in a tie, {where}: {parts}"
    if readout.kind == "distribution":
        return f"the softmax of the scores {where}, a probability for each of {', '.join(readout.labels)}"
    if readout.kind == "zero":
        return f"accept iff {' = '.join(readout.reads)} = 0 {where}"
    readout.choice("positive")
    logit = sum(w * symbol(c) for w, c in zip(readout.weights, readout.reads, strict=True))
    return f"accept iff logit > 0 {where}, with logit = {from_sympy(logit)}"


def html(model: Transformer) -> str:
    """The model as HTML tables, the matrices of a block side by side. It has no script."""
    # Name, size and parameters.
    first, *lines = _headline(model).split("\n")
    parts = [paragraph(first, *lines, bold=True)]
    if model.parameters:
        parts.append(section("Parameters", html_table(*_parameter_table(model), words=True)))
    # The embedding of tokens, or the inputs; the position functions; the special tokens.
    embedding, names = model.embedding, list(model.space)
    if embedding.words is not None:
        token_rows = [[token, *map(from_sympy, _values(values, names))] for token, values in embedding.words.items()]
        parts.append(section("Embedding", html_table(["token", *names], token_rows)))
    else:
        parts.append(section("Embedding", paragraph(_inputs(embedding))))
    places = [[c, from_sympy(v)] for c, v in embedding.positions.items()]
    if places:
        header = ["coordinate", f"at position i of n (i counts from {embedding.start})"]
        parts.append(section("Position functions", html_table(header, places, words=True)))
    parts += map(paragraph, _added(model))
    # The sublayers with their matrices, and the output layer.
    for title, part in blocks(model):
        drawn = [
            html_table(["", *columns], [[label, *map(from_sympy, m[r, :])] for r, label in enumerate(labels)], name)
            for name, m, labels, columns in matrices(part)
        ]
        parts.append(section(title, *drawn))
    readout = model.readout
    if readout.labels:
        rows = [[label, *map(from_sympy, readout.weights[r, :])] for r, label in enumerate(readout.labels)]
        parts.append(section("Scores", html_table(["", *readout.reads], rows)))
    parts.append(paragraph(f"Readout: {readout_text(readout)}"))
    return page(*parts)


def displays(model: Transformer) -> list[Display]:
    """The model as formulas: the embedding, and an equation for each block with the coordinates that it changes."""
    first, *lines = _headline(model).split("\n")
    result = [Display(". ".join([first, *lines, *(added[0].upper() + added[1:] for added in _added(model))]))]
    if model.parameters:
        result.append(Display("Parameters", tuple(map(_symbol_row, model.parameters))))
    embedding, names = model.embedding, list(model.space)
    # The embedding: one array for all tokens, and a line for each coordinate that depends on the position.
    rows = []
    if embedding.words is not None:
        token_rows = [[words(token), *map(_entry, _values(v, names))] for token, v in embedding.words.items()]
        rows.append("&" + array([["", *map(upright, names)], *token_rows], "l|" + "c" * len(names)))
    elif embedding.inputs:
        rows.append(rf"& {', '.join(map(upright, embedding.inputs))} \ {words('are given at each position')}")
    rows += [rf"{upright(c)}_i &= {_entry(v)}" for c, v in embedding.positions.items()]
    result.append(Display("Embedding", tuple(rows)))
    result += [Display(title, tuple(_block_rows(part))) for title, part in blocks(model)]
    readout = model.readout
    scores = ()
    if readout.labels:
        weights = _matrix(readout.weights)
        scores = (rf"{_column(map(words, readout.labels))} &= {weights} {_column(map(upright, readout.reads))}",)
    result.append(Display(f"Readout: {readout_text(readout)}", scores))
    return result


def _symbol_row(parameter: Parameter) -> str:
    """A parameter with the region in which it is valid and its default, as a row of a display."""
    name = latex(("name", parameter.name))
    region = words("any") if parameter.region == "true" else latex(parse_formula(parameter.region))
    if parameter.default is None:
        return rf"& {name} \colon {region}"
    return rf"& {name} \colon {region},\quad {words('by default ')} {name} = {_entry(parameter.default)}"


def _values(values: Mapping[str, object], names: Sequence[str]) -> list[Any]:
    """The values of the coordinates `names`; 0 for those that have none."""
    return [values.get(name, 0) for name in names]


def _entry(value: object) -> str:
    """An entry of a matrix as LaTeX."""
    return latex(tree_from_sympy(value))


def _matrix(matrix: sympy.MatrixBase) -> str:
    """A matrix as LaTeX; a zero matrix as 0, and a single entry in brackets only if it is a sum."""
    if matrix.is_zero_matrix:
        return "0"
    if matrix.shape == (1, 1):
        return rf"\left({_entry(matrix[0])}\right)" if matrix[0].is_Add else _entry(matrix[0])
    rows = [[_entry(v) for v in matrix[r, :]] for r in range(matrix.shape[0])]
    return array(rows, "c" * matrix.shape[1], brackets=True)


def _column(names: Iterable[str]) -> str:
    """A column vector of LaTeX names."""
    rows = [[name] for name in names]
    return rows[0][0] if len(rows) == 1 else array(rows, "c", brackets=True)


def _plus(matrix: sympy.MatrixBase) -> str:
    """A matrix that is added; nothing for a zero matrix."""
    return "" if matrix.is_zero_matrix else f" + {_matrix(matrix)}"


def _times(matrix: sympy.MatrixBase, factor: str) -> str:
    """The product of a matrix and the LaTeX text `factor`; the matrix (1) is left out."""
    return factor if matrix.shape == (1, 1) and matrix[0] == 1 else rf"{_matrix(matrix)}\, {factor}"


_FUNCTIONS = {
    "relu": r"\mathrm{ReLU}",
    "gelu": r"\mathrm{GELU}",
    "gelu-tanh": r"\mathrm{GELU}_{\tanh}",
    "gelu-sigmoid": r"\mathrm{GELU}_{\sigma}",
    "step": r"\mathrm{step}",
    "silu": r"\mathrm{SiLU}",
}


def _block_rows(part: Part) -> Iterator[str]:
    """The equations of a block at position i of the residual stream, with its matrices."""
    READS.parts((part,))
    written, read = (_column(map(upright, names)) for names in (part.writes, part.reads))
    match part:
        case FeedForward():
            active = rf"{_FUNCTIONS[part.activation]}\left({_times(part.W1, read)}{_plus(part.b1)}\right)"
            yield rf"{written} &\mathrel{{+}}= {_times(part.W2, active)}{_plus(part.b2)}"
        case GatedUnits():
            gate = rf"{_FUNCTIONS[part.activation]}\left({_times(part.gate, read)}{_plus(part.gate_bias)}\right)"
            units = rf"\left({gate} \odot \left({_times(part.up, read)}{_plus(part.up_bias)}\right)\right)"
            yield rf"{written} &\mathrel{{+}}= {_times(part.down, units)}{_plus(part.down_bias)}"
        case LayerNorm():
            yield from _norm_rows(part, written, read, r"x - \bar x", r"\mathrm{var}(x)", _plus(part.bias))
        case RMSNorm():
            yield from _norm_rows(part, written, read, "x", r"\overline{x^2}", "")
        case BiasedHead() | RotaryHead():
            value = _times(part.V, rf"{read}_j") + _plus(part.v_bias)
            value = value if part.v_bias.is_zero_matrix else rf"\left({value}\right)"
            yield rf"{written}_i &\mathrel{{+}}= \sum_j \alpha_{{ij}}\, {value}"
            yield _score_row(part, read)
        case Head():
            value = _times(part.V, rf"{read}_j")
            yield rf"{written}_i &\mathrel{{+}}= \sum_j \alpha_{{ij}}\, {value}"
            yield rf"Q &= {_matrix(part.Q)}, \quad K = {_matrix(part.K)}"
        case _:
            READS.refuse(type(part))


def _score_row(part: BiasedHead | RotaryHead, read: str) -> str:
    """The equation of the scores of a head with biases: products of turned or normed sides, and a slope."""
    sides = []
    for matrix, bias, index, gain in (("Q", "q_bias", "i", "q_gain"), ("K", "k_bias", "j", "k_gain")):
        product = _times(getattr(part, matrix), f"{read}_{index}")
        side = rf"\left({product}{_plus(getattr(part, bias))}\right)"
        if isinstance(part, RotaryHead) and part.q_gain is not None:
            root = rf"\mathrm{{rms}}_{{{_entry(part.qk_epsilon)}}}"
            side = rf"{_matrix(getattr(part, gain))} \odot {root}{side}"
        if isinstance(part, RotaryHead) and part.angles is not None:
            side = rf"R({index}\, {_matrix(part.angles)})\, \left({side}\right)"
        sides.append(side)
    scale = "" if part.scale == 1 else rf"{_entry(part.scale)}\, "
    terms = [rf"{scale}{sides[0]} \cdot {sides[1]}"] if part.Q.shape[0] else []
    if isinstance(part, BiasedHead) and part.slope != 0:
        terms.append(rf"\left({_entry(part.slope)}\right)(j - i)")
    score = " + ".join(terms) or "0"
    if part.temperature != 1:
        score = rf"\frac{{{score}}}{{{_entry(part.temperature)}}}"
    return rf"s_{{ij}} &= {score}"


def _norm_rows(part: AnyNorm, written: str, read: str, entries: str, square: str, bias: str) -> Iterator[str]:
    """The equations of a norm: its gain times `entries` over the root of their mean square, plus a bias."""
    root = square if part.epsilon == 0 else rf"{square} + {_entry(part.epsilon)}"
    gain = "" if all(v == 1 for v in part.gain) else rf"{_matrix(part.gain)} \odot "
    yield rf"{written} &= {gain}\frac{{{entries}}}{{\sqrt{{{root}}}}}{bias}"
    yield rf"x &= {read if part.projection is None else _times(part.projection, read)}"
