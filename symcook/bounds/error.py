"""How far a small error in the residual stream can grow in a given model, by layer and by coordinate.

There are two ways to a bound: to run all strings of a length in a domain that tracks derivatives
(`symcook.bounds.moved`), or to multiply constants of the sublayers (`symcook.bounds.growth`). The result has the better
bound, and that by the constants of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

import flint
from flint import arb

from symcook.bounds.arguments import Bound, count, decided, rational_positive, read_model, shown, written
from symcook.bounds.growth import Growth, GrowthPart, part_name
from symcook.bounds.moved import Moved, Off
from symcook.domains.rounding import RUNTIMES, Format
from symcook.door import check_digits
from symcook.errors import BadInput, Undecided, unknown
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.answers import EMPTY_STRING
from symcook.model.extent import Extent
from symcook.model.symbols import symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.balls import Ball, ball, bits_for
from symcook.present import present
from symcook.words import every

GUARD_BITS = 128
"""Bits of precision added to those that the requested digits need."""
SHOWN = 6
"""Digits of the further values, in `extra`."""
PartErrors = Callable[[], list[GrowthPart]]
"""A function that returns the errors after the embedding and after each sublayer, by constants, at flint's
precision."""


def error_propagation(
    model: str | Transformer,
    delta: str | int | Fraction | None = None,
    n: int | str | None = None,
    values: str | Mapping[str, object] | None = None,
    digits: int | str = 30,
    dtype: str | None = None,
    constants: bool = False,
) -> Bound:
    """How far an error in the embedding of a model, or float rounding, can move each coordinate, over all strings.

    The value bounds the L1 norm of the change of the residual stream at every position after the last layer. It is an
    upper bound; it is not claimed that some error attains it. With n, and if the strings of length n can be gone
    through, the bound is made string by string (`symcook.bounds.moved`). Otherwise, and for errors in the embedding
    only, it is made of constants of the sublayers (`symcook.bounds.growth`). Give at least one of delta and dtype.

    Arguments:
        model: str or Transformer. A recipe, a family, a model file or a model.
        delta: exact (None). The L1 norm of the error in the embedding at every position; a positive rational number.
        n: int or None (None). The length; required with dtype, and for heads whose scores are not all zero.
        values: {name: exact} or str (None). Arguments of the recipe and values of parameters, also as "eps=1/8".
        digits: int (30). Decimal digits of both rigorous intervals.
        dtype: str (None). Weights and operations are rounded to "float64", "float32", "float16" or "bfloat16", in any
            order of sums.
        constants: bool (False). Bound how much each sublayer enlarges an error by one constant for all strings.

    Returns: Bound. `claimed` has the papers' constants, and is None where they do not apply. With n, `extra` has the
    bound of each coordinate and score, with its position and string.

    Raises: BadInput: delta or n out of range, a parameter without a value, or a model that neither way can bound: an
    activation other than relu, a layer norm with epsilon = 0, a hard head whose score gap is absent or can be closed by
    the error, rows of inputs where scores matter, or, without n, an error above 1 before softmax (Lemma 31).

    Example:

    >>> error_propagation("dyck-1", delta="1/1000", n=4, digits=4).holds
    True

    Source: yang2026, Lemmas 28 to 33; Cookbook, Section 7.2.
    """
    wanted = check_digits(digits)
    chosen, name, of_model = read_model(model, values)
    # 1. Check the arguments: an error must be given, and with a type of floats a length. `Growth` asks for a length if
    # a head has scores.
    if delta is None and dtype is None:
        raise BadInput(
            "an error bound needs the size of the errors, or a float type whose rounding causes the errors",
            "none",
            "give --delta 1/1000, --dtype float32, or both",
        )
    if dtype is not None and dtype not in FLOATS:
        raise unknown("type of floats", dtype, list(FLOATS))
    start = None if delta is None else rational_positive(delta, "delta")
    length = None if n is None else count(n, "n")
    if length is not None and chosen.pointwise and length != 1:
        raise BadInput(f"{name} is a feed-forward recipe, which has no length", f"n = {length}", "leave --n out")
    if length is not None:
        chosen.check_length(length + chosen.embedding.added)
    if dtype is not None and length is None and not chosen.pointwise:
        raise BadInput("a bound for a float type needs the length n of the strings", "none", "give for example --n 6")
    if dtype is not None and chosen.embedding.words is None:
        raise BadInput(
            f"{name} must read strings for a bound with a float type: rows of numbers have no bound",
            dtype,
            "give --delta in place of --dtype",
        )
    if constants and dtype is not None:
        raise BadInput(
            "the papers' constants are only for errors in the embedding (delta)",
            "a float type (dtype)",
            "give delta alone",
        )
    # 2. By strings, if a length is given and its strings are few enough: run all of them.
    reached, refused = (
        (None, "") if constants else _by_words(chosen, length, start, dtype, bits_for(wanted) + GUARD_BITS)
    )
    # 3. By constants of the sublayers. It is an error if they do not apply and step 2 gave no bound either.
    parts: PartErrors = list
    if start is not None and dtype is None:
        try:
            parts = _once_per_precision(Growth(chosen, name, start, length).parts)
            parts()
        except BadInput as error:
            if reached is None:
                raise
            parts, refused = list, f"{error.must}; given: {error.given}" if error.given else error.must
    elif reached is None:
        raise BadInput(
            "the errors must be too small to change which positions a hard head selects",
            refused,
            "give a smaller error, or a wider float type",
        )
    # 4. The bounds by constants after each sublayer, and the better final bound.
    table = [_balls(parts, k, wanted) for k in range(len(parts()))]
    value, claimed, holds = _ends(parts, table, reached, wanted)
    shown_parameters: dict[str, int | bool | str] = {"model": name}
    shown_parameters |= {} if start is None else {"delta": written(start)}
    shown_parameters |= {} if length is None else {"n": length}
    shown_parameters |= {} if dtype is None else {"dtype": dtype}
    return Bound(
        kind="error",
        parameters=shown_parameters,
        value=value,
        claimed=claimed,
        holds=holds,
        attained=False,
        where="an upper bound for every such change",
        source="yang2026, Lemmas 28 to 33; Cookbook, Section 7.2",
        labels=("our constants" if reached is None else "our bound", "papers' constants"),
        proofs=tuple(dict.fromkeys(proof for part in parts() for proof in part.proofs)),
        extra=_further_values([part.label for part in parts()], table, reached, refused),
        extent=Extent(values=of_model),
    )


def _by_words(
    model: Transformer, length: int | None, delta: Fraction | None, dtype: str | None, bits: int
) -> tuple[Moves | None, str]:
    """(changes over all strings of length n, ""), or (None, the reason why there are none); without a length the
    reason is empty."""
    n = 1 if model.pointwise else length
    if n is None:
        return None, ""
    if not few_enough(model, n, delta):
        return None, f"the strings of length {n} are too many to go through each"
    try:
        return moves(model, n, delta, dtype, bits + (0 if delta is None else delta.denominator.bit_length())), ""
    except Undecided as error:
        return None, str(error).rstrip(".")


def _once_per_precision(compute: PartErrors) -> PartErrors:
    """The same function, which computes once for each precision."""
    by_precision = cache(lambda bits: compute())
    return lambda: by_precision(flint.ctx.prec)


def _balls(parts: PartErrors, k: int, wanted: int) -> tuple[Ball, Ball]:
    """The errors after the k-th entry of `parts`, by our constants and by the papers'."""
    return (
        shown(lambda: arb(parts()[k].error.ours), wanted, "a bound"),
        shown(lambda: arb(parts()[k].error.papers), wanted, "a bound"),
    )


def _ends(
    parts: PartErrors, table: list[tuple[Ball, Ball]], reached: Moves | None, wanted: int
) -> tuple[Ball, Ball | None, bool | None]:
    """(our bound, the papers' bound, whether ours is at most theirs) after the last sublayer. Both latter are None if
    the constants do not apply."""
    with PRECISION, flint.ctx.workprec(bits_for(wanted) + GUARD_BITS):
        stream = None if reached is None else reached.stream.upper()
        # Use the bound by strings if it is smaller, or the only one.
        better = stream is not None and (not table or bool(stream < arb(parts()[-1].error.ours)))
    ours, papers = table[-1] if table else (None, None)
    if better:
        stream = present(stream)
        ours = ball(stream, wanted, relative=True)

    def less() -> arb:
        """The papers' bound minus ours."""
        last = parts()[-1].error
        return arb(last.papers - (stream if better and stream is not None else last.ours))

    return present(ours), papers, decided(less, wanted, "our bound <= the papers' bound") if table else None


def _further_values(
    labels: list[str], table: list[tuple[Ball, Ball]], reached: Moves | None, refused: str
) -> dict[str, Ball | str]:
    """The further values of the result: the bounds after the embedding and after each sublayer; if strings were run,
    those of each coordinate and score, and the number of strings; and the reason `refused`, if there is one."""
    pairs = [(ours.mid, papers.mid) for ours, papers in table]
    extra_entries: dict[str, Ball | str] = {
        f"after {label}": f"{ours} (papers {papers})" for label, (ours, papers) in zip(labels, pairs, strict=True)
    }
    if reached is not None:
        # By strings: each sublayer with the constants in brackets, then coordinates and scores with position and
        # string.
        constants_texts = [f" (constants {ours}; papers {papers})" for ours, papers in pairs] or [""] * len(
            reached.parts
        )
        for (label, size), constants_text in zip(reached.parts, constants_texts, strict=True):
            extra_entries[f"after {label}"] = f"{_short_ball(size)}{constants_text}"
        for what, entries in (("coordinate ", reached.coordinates), ("", reached.scores)):
            for name, (size, place, word) in entries.items():
                where = "" if size.is_zero() else f", at position {place} of {word or EMPTY_STRING}"
                extra_entries[f"{what}{name}"] = f"at most {_short_ball(size)}{where}"
        extra_entries["words"] = f"{reached.words}, each by itself"
    if refused:
        extra_entries["not shown" if reached is None else "papers' constants"] = refused
    return extra_entries


def _short_ball(size: arb) -> Ball:
    """A ball around a size, in `SHOWN` digits."""
    return ball(size, SHOWN, relative=True)


MOST_WORK = 2_000_000
"""If `work` is more, strings are not run, and only the constants of the sublayers give a bound."""
FLOATS: Mapping[str, Format] = {name: stored for name, (stored, _) in RUNTIMES.items()}
"""The types of floats in which weights are stored and every operation is rounded."""


@dataclass
class Moves:
    """The largest changes over the strings that were run."""

    parts: list[tuple[str, arb]] = field(default_factory=list)
    """For the embedding and each sublayer: its name, and the largest L1 norm of the change of the residual stream at a
    position."""
    coordinates: dict[str, tuple[arb, int, str]] = field(default_factory=dict)
    """For each coordinate after the last sublayer: the largest change, its position, and its string."""
    scores: dict[str, tuple[arb, int, str]] = field(default_factory=dict)
    """The same for each score of the readout."""
    words: int = 0
    """The number of strings that were run."""

    @property
    def stream(self) -> arb:
        """The largest L1 norm of the change of the residual stream after the last sublayer."""
        return self.parts[-1][1]


def work(model: Transformer, length: int, delta: Fraction | None) -> int:
    """The number of strings times their length times the number of sources of error plus 8: the time of `moves` grows
    with it. From length 64 on, the number of strings is taken at length 64."""
    entries = len(model.space) if delta else 0
    return max(1, len(model.alphabet)) ** min(length, 64) * length * ((length + model.embedding.added) * entries + 8)


def moves(model: Transformer, length: int, delta: Fraction | None, dtype: str | None, bits: int) -> Moves:
    """The largest changes over all strings of `length` input symbols (over all rows, if the model reads numbers).

    Raises Undecided if the errors may change a choice (the maximum score of hard attention, a step, the sign of a
    divisor, the root of a variance), or if a bound is not finite.
    """
    names = [f"moved{k}" for k in range(len(model.space))] if delta else []
    opened = _with_error_symbols(model, names)
    collected = Moves()
    for word, sequence in _inputs(model, length):
        domain = Moved(bits, names, delta or Fraction(0), None if dtype is None else FLOATS[dtype])
        result = forward(opened, sequence, domain, trace=True, weights=False)
        with PRECISION, domain.context():
            _collect(collected, result, domain, word)
        collected.words += 1
    return collected


def _with_error_symbols(model: Transformer, names: Sequence[str]) -> Transformer:
    """The model with a new symbol, one of `names`, added to each coordinate of the embedding at all positions. `Moved`
    takes it as an error of its own at each position."""
    if not names:
        return model
    embedding = model.embedding
    positions = {c: embedding.positions.get(c, 0) + symbol(name) for c, name in zip(model.space, names, strict=True)}
    parameters = (*model.parameters, *(Parameter(name) for name in names))
    return replace(model, embedding=replace(embedding, positions=positions), parameters=parameters)


def _inputs(model: Transformer, length: int) -> Iterator[tuple[str, Any]]:
    """(text of an input, the sequence to run) for each input of a length; rows of numbers are one input "any", all
    0."""
    if not model.alphabet:
        yield "any", tuple(dict.fromkeys(model.embedding.inputs or (), 0) for _ in range(length))
        return
    for word in every(model.alphabet, length):
        yield model.embedding.written(word), model.tokens(word)


def _collect(collected: Moves, result: Result, domain: Moved, word: str) -> None:
    """Update `collected` with the changes in the run of one string. Raises Undecided if a change has no bound."""
    labels = ["embedding", *map(part_name, result.model.sublayers)]
    # For the embedding and each sublayer: the L1 norm of the change, at the position where it is largest.
    for k, (label, step) in enumerate(zip(labels, result.steps, strict=True)):
        largest = arb(0)
        for place in range(domain.length):
            entries = [column[place] for column in step.columns.values() if isinstance(column[place], Off)]
            largest = largest.max(_require_finite(domain.total_size(entries)))
        if k == len(collected.parts):
            collected.parts.append((label, largest))
        else:
            collected.parts[k] = (label, collected.parts[k][1].max(largest))
    # Each coordinate after the last sublayer, and each score that the readout shows.
    for name, column in result.steps[-1].columns.items():
        for place, entry in enumerate(column):
            _update_largest(collected.coordinates, name, entry, place + result.model.embedding.start, word)
    start, places = result.model.embedding.start, result.model.readout.places(domain.length)
    for name, column in result.scores.items():
        for place in places:
            _update_largest(collected.scores, name, column[place], place + start, word)


def _update_largest(table: dict[str, tuple[arb, int, str]], name: str, entry: Off, place: int, word: str) -> None:
    """Put the change of one number into the table if it is the largest so far."""
    size = _require_finite(entry.moved)
    if name not in table or size > table[name][0]:
        table[name] = (size, place, word)


def _require_finite(x: arb) -> arb:
    """x itself; Undecided unless it is finite."""
    if not x.is_finite():
        raise Undecided("the change has no bound")
    return x


def few_enough(model: Transformer, length: int, delta: Fraction | None) -> bool:
    """Whether the strings of a length are few enough to run all of them."""
    return work(model, length, delta) <= MOST_WORK
