"""Exact comparison of a model with a reference that shares no code with it.

A word model meets every word of every length up to N; a recipe over rows meets every sequence over a stated set of
rows; a feed-forward recipe meets a stated rational grid (`symcook.verify.grid`). The batch domain does the work; a
model that it cannot hold (softmax) runs word by word in the exact domain. Nothing here is sampled or rounded.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.blocks import Transformer, fraction
from symcook.errors import BadInput, NotExact, SymcookError, Undecided
from symcook.forward import Result, forward, make_domain
from symcook.rationals import quotient
from symcook.verify.inputs import Part, ends, region_tree, rows, words

if TYPE_CHECKING:
    from symcook.domains.batch import Grid, Words

Reference = Callable[[Any], Any]
"""A word (text; a tuple where tokens are longer than one character) to a bool, a label of the readout or numbers, or a
list with an answer for each position of the model; rows ({input: Fraction}, ...) to a number or a list; for a
feed-forward recipe {input or symbol: Fraction} to {coordinate: Fraction}."""
Progress = Callable[[int, int], None]
"""Called after each block with the number of inputs done and the number in all."""


@dataclass(frozen=True)
class Counterexample:
    """The first input, in order of length and then of the alphabet, on which model and reference differ."""

    input: str
    got: Any
    expected: Any
    replay: tuple[str, ...]
    """Options of ``symcook run NAME`` that show what the model says."""


@dataclass(frozen=True)
class Check:
    """What a check found. `strings` counts the inputs that were compared, `mismatches` those that differ."""

    recipe: str
    max_length: int | None
    strings: int
    mismatches: int
    counterexample: Counterexample | None
    method: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether model and reference agree on everything that was compared."""
        return self.mismatches == 0

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook check --json``."""
        return {
            "recipe": self.recipe,
            "max_length": self.max_length,
            "strings": self.strings,
            "mismatches": self.mismatches,
            "counterexample": None if self.counterexample is None else self.counterexample.input,
            "method": self.method,
        }


def check(
    model: Transformer,
    reference: Reference,
    max_length: int | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    region: Any = None,
    progress: Progress | None = None,
) -> Check:
    """Compare `model` with `reference` on every input up to `max_length`, exactly.

    `values` sets declared symbols. A feed-forward recipe takes no length and is compared on the grid of
    `symcook.verify.grid`. `region` is a formula (text or tree) over inputs, symbols and n in which model and reference
    should agree; it restricts the inputs of both kinds of model over numbers.

    Raises BadInput for a length below 1 or above the model's, for more than LIMIT inputs, and for a reference that
    fails or returns something of the wrong type; Undecided where the exact domain leaves a verdict open.
    """
    if model.pointwise:
        if max_length is not None:
            raise BadInput("a feed-forward recipe is checked on a grid and has no length", max_length, "leave it out")
        from symcook.verify.grid import check_grid

        return check_grid(model, reference, region, values=values, progress=progress)
    if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 1:
        raise BadInput("the greatest length must be an integer of at least 1", max_length, "give --max-length N")
    model.check_length(max_length + model.embedding.added)
    bound = model.bind(values)
    if bound.embedding.inputs is None:
        source: Any = words(bound, max_length)
        what = f"exhaustive, exact: all words of length 1 to {max_length}"
    else:
        source = rows(bound, max_length, region_tree(region))
        what = source.text
    total, parts = source.total, source.parts()
    start = time.perf_counter()
    count, wrong, first, way = sweep(bound, reference, parts, total, progress, _see)
    return Check(model.name, max_length, count, wrong, first, f"{what}; {way}", time.perf_counter() - start)


def _see(model: Transformer, sequence: Sequence[Any]) -> Any:
    """What a reference is given for one input."""
    if model.embedding.inputs is not None:
        return sequence
    typed = _typed(model, sequence)
    return "".join(typed) if all(len(t) == 1 for t in model.alphabet) else tuple(typed)


def _typed(model: Transformer, sequence: Sequence[Any]) -> Sequence[Any]:
    """What a user types: without the tokens that the model adds."""
    before, after = ends(model)
    return sequence[len(before) : len(sequence) - len(after)]


def sweep(
    model: Transformer,
    reference: Reference,
    parts: Iterable[Part],
    total: int,
    progress: Progress | None,
    see: Callable[[Transformer, Sequence[Any]], Any],
    options: tuple[str, ...] = (),
    done: int = 0,
) -> tuple[int, int, Counterexample | None, str]:
    """Compare part by part: inputs compared, mismatches, the smallest of them, and how the model was run."""
    compare, way = _compare_batch, "batches of integers over static denominators"
    count = wrong = 0
    first: tuple[tuple[int, ...], tuple[Any, ...]] | None = None
    for part in parts:
        try:
            found = compare(model, reference, part, see)
        except NotExact:
            if compare is _compare_each:
                raise
            compare, way = _compare_each, "one by one in the exact domain"
            found = compare(model, reference, part, see)
        count += part.size
        wrong += sum(len(codes) for _, codes in found)
        for block, codes in found:
            if codes:
                sequence = _nth(block, codes[0])
                rank = _rank(model, sequence)
                if first is None or rank < first[0]:
                    first = rank, sequence
        if progress is not None:
            progress(done + count, total)
    shown = None if first is None else _counterexample(model, reference, first[1], see, options)
    return count, wrong, shown, way


def _nth(block: Words | Grid, code: int) -> tuple[Any, ...]:
    """The input with number `code`: mixed radix, the first position most significant."""
    result: list[Any] = []
    for options in reversed(block.choices()):
        code, digit = divmod(code, len(options))
        result.append(options[digit])
    return tuple(reversed(result))


def _rank(model: Transformer, sequence: Sequence[Any]) -> tuple[int, ...]:
    """Order by length and then by the alphabet; rows of one length come in their order anyway."""
    if model.embedding.inputs is not None:
        return (len(sequence),)
    return len(sequence), *(model.alphabet.index(token) for token in _typed(model, sequence))


Found = list[tuple["Words | Grid", list[int]]]
"""For each piece of a part the numbers of the inputs on which model and reference differ, ascending."""


def _compare_batch(model: Transformer, reference: Reference, part: Part, see: Any) -> Found:
    """One pass over all inputs of a part, and its answers compared piece by piece."""
    from symcook.domains.batch import Batch

    domain = Batch()
    result = forward(model, part.block, domain)
    return [(piece, _differences(model, reference, piece, length, result, see)) for length, piece in part.pieces]


def _differences(
    model: Transformer, reference: Reference, piece: Words | Grid, length: int, result: Result, see: Any
) -> list[int]:
    """Where the answers for inputs of one length differ; `result` may go on to longer ones."""
    import numpy as np

    domain: Any = result.domain
    readout, verdicts = model.readout, result.verdicts
    each = readout.position == "each"
    places = range(length) if each else [0 if readout.position == "first" else length - 1]
    asked = (_ask(model, reference, see(model, sequence), length) for sequence in piece)
    if verdicts is not None and not each:
        answer = verdicts[places[0]]
        if readout.position == "all":
            answer = functools.reduce(domain.both, verdicts[:length])
        entries = domain.full(answer, length)
        expected = np.fromiter((answers[0] for answers in asked), dtype=entries.dtype, count=piece.size)
        return np.flatnonzero(entries != expected).tolist()
    columns: list[tuple[list[Any], int]] = []  # for each position and name: numerators and their denominator
    for place in places:
        if verdicts is not None:
            columns.append((domain.full(verdicts[place], length).tolist(), 1))
        else:
            cells = [column[place] for column in result.columns().values()]
            columns.extend((domain.full(cell.numerators, length).tolist(), cell.denominator) for cell in cells)
    codes = []
    for code, answers in enumerate(asked):
        flat = answers if verdicts is not None else itertools.chain.from_iterable(answers)
        for (numerators, denominator), answer in zip(columns, flat, strict=True):
            if numerators[code] * answer.denominator != answer.numerator * denominator:
                codes.append(code)
                break
    return codes


def _compare_each(model: Transformer, reference: Reference, part: Part, see: Any) -> Found:
    """The same as `_compare_batch`, one input after the other in the exact domain."""
    return [(piece, _differences_each(model, reference, piece, see)) for _, piece in part.pieces]


def _differences_each(model: Transformer, reference: Reference, piece: Words | Grid, see: Any) -> list[int]:
    from symcook.symbols import exact

    codes = []
    sequence: Any
    for code, sequence in enumerate(piece):
        domain = make_domain("exact")
        given = tuple({k: exact(v) for k, v in row.items()} for row in sequence) if model.embedding.inputs else sequence
        result = forward(model, given, domain)
        answers = _ask(model, reference, see(model, sequence), domain.length)
        each = model.readout.position == "each"
        verdicts: list[Any]
        if result.verdicts is not None:
            got = list(result.verdicts) if each else [result.accept if model.decides else result.verdicts[result.place]]
            verdicts = [None if v is None else v == a for v, a in zip(got, answers, strict=True)]
        else:
            verdicts = []
            places = range(domain.length) if each else [result.place]
            with domain.context():
                for place, answer in zip(places, answers, strict=True):
                    for column, value in zip(result.columns().values(), answer, strict=True):
                        difference = domain.linear([(column, exact(1))], exact(-value))
                        verdicts.append(domain.zero(difference)[place])
        if False in verdicts:
            codes.append(code)
        elif None in verdicts:
            raise Undecided(f"the exact domain leaves open whether model and reference agree on {_text(sequence)}.")
    return codes


def _ask(model: Transformer, reference: Reference, given: Any, length: int) -> Sequence[Any]:
    """The reference's answer for each position that the readout shows: a bool, the index of a label, or a tuple of
    numbers, one a name."""
    try:
        answer = reference(given)
    except SymcookError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error} on {_text(given)}"
        raise BadInput("the reference must answer every input", text, "repair the reference") from error
    if model.readout.position != "each":
        return (_checked(model, answer, given),)
    labels = model.readout.kind == "largest" and isinstance(answer, str)  # labels of one character may come as text
    if (isinstance(answer, (str, Mapping)) and not labels) or not isinstance(answer, Sequence) or len(answer) != length:
        own = ", those of the tokens that the model adds too" if model.embedding.added else ""
        raise BadInput(f"the reference must give {length} answers, one a position{own}", _returned(answer, given))
    return [_checked(model, part, given) for part in answer]


def _checked(model: Transformer, answer: Any, given: Any) -> Any:
    if model.readout.kind == "largest":
        if answer not in model.readout.labels:
            must = f"the reference must return one of {', '.join(model.readout.labels)}"
            raise BadInput(must, _returned(answer, given))
        return model.readout.labels.index(answer)
    if model.decides:
        if answer is True or answer is False:
            return answer
        if type(answer).__name__ == "bool":  # numpy's
            return bool(answer)
        raise BadInput("the reference must return True or False", _returned(answer, given))
    reads = model.readout.labels or model.readout.reads
    if isinstance(answer, Mapping):
        missing = [name for name in reads if name not in answer]
        if missing:
            raise BadInput(f"the reference must give the coordinate {missing[0]}", _returned(answer, given))
        parts = [answer[name] for name in reads]
    elif len(reads) == 1:
        parts = [answer]
    else:
        must = f"the reference must return a mapping with the coordinates {', '.join(reads)}"
        raise BadInput(must, _returned(answer, given))
    return tuple(_number(part, given) for part in parts)


def _number(value: Any, given: Any) -> Fraction:
    if type(value) is Fraction:
        return value
    if getattr(value, "is_Rational", False):
        return fraction(value)
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise BadInput("the reference must return exact numbers", _returned(value, given), "use int or Fraction")


def _returned(answer: Any, given: Any) -> str:
    return f"{answer!r} ({type(answer).__name__}) on {_text(given)}"


def _text(given: Any) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return ", ".join(f"{name}={value}" for name, value in given.items())
    if any(isinstance(row, Mapping) for row in given):
        return "; ".join(_text(row) for row in given)
    return ("" if all(len(t) == 1 for t in given) else " ").join(given)


def _counterexample(
    model: Transformer, reference: Reference, sequence: Sequence[Any], see: Any, options: tuple[str, ...]
) -> Counterexample:
    """What model and reference say about one input, and how to see it again."""
    from symcook.domains.batch import Batch, Grid, Listed

    answers = _ask(model, reference, see(model, sequence), len(sequence))
    words = model.embedding.inputs is None
    try:
        domain: Any = Batch()
        result = forward(model, Listed((tuple(sequence),)) if words else Grid(tuple([r] for r in sequence)), domain)
    except NotExact:
        from symcook.symbols import exact

        domain = make_domain("exact")
        given = sequence if words else tuple({k: exact(v) for k, v in row.items()} for row in sequence)
        result = forward(model, given, domain)

    def one(value: Any) -> Any:
        shown = domain.show(value, 30)
        return shown[0] if isinstance(shown, list) else shown

    readout = model.readout
    each = readout.position == "each"
    places = range(len(sequence)) if each else [result.place]
    got: list[Any]
    expected: list[Any]
    if result.verdicts is not None:
        verdicts = [result.accept if model.decides else result.verdicts[result.place]]
        verdicts = list(result.verdicts) if each else verdicts
        kind: Any = bool if model.decides else readout.labels.__getitem__
        got = [kind(v if isinstance(v, (bool, int)) or v is None else v[0]) for v in verdicts]
        expected = [kind(answer) for answer in answers]
    else:
        with domain.context():
            got = [{name: one(column[place]) for name, column in result.columns().items()} for place in places]
        names = readout.labels or readout.reads
        expected = [{name: quotient(v) for name, v in zip(names, answer, strict=True)} for answer in answers]
    typed = _typed(model, sequence)
    if words:
        single = all(len(t) == 1 for t in typed)
        replay = ("--input", "".join(typed)) if single else ("--tokens", " ".join(typed))
    elif model.pointwise:
        replay = tuple(part for name, value in sequence[0].items() for part in ("--set", f"{name}={value}"))
    else:
        replay = ("--rows", "; ".join(",".join(str(v) for v in row.values()) for row in sequence))
    text = _text(typed if not model.pointwise else sequence[0])
    if options:
        text = ", ".join((text, *options[1::2]))
    return Counterexample(text, got if each else got[0], expected if each else expected[0], (*replay, *options))


def recheck(stored: Mapping[str, Any], progress: Progress | None = None) -> bool:
    """Run the check that a certificate names again: whether it finds no mismatch on the same number of inputs.

    `stored` has "recipe", "max_length" and "strings", and where needed "arguments" (of the recipe) and "values" (of its
    symbols). Raises BadInput where an entry is missing or of the wrong type.
    """
    for key, kind in (("recipe", str), ("strings", int)):
        if not isinstance(stored.get(key), kind):
            raise BadInput(f"a stored check must have the entry {key}", stored.get(key))
    found = check_recipe(
        stored["recipe"], stored.get("max_length"), stored.get("arguments"), stored.get("values"), progress=progress
    )
    return found.holds and found.strings == stored["strings"]


def check_recipe(
    name: str,
    max_length: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    *,
    progress: Progress | None = None,
) -> Check:
    """Build the recipe `name` with its `arguments` and check it against its own reference; see `check`."""
    from symcook import recipes

    arguments = dict(arguments or {})
    model = recipes.build(name, **arguments)
    reference: Reference
    if model.pointwise:
        inputs = model.embedding.inputs or ()
        made: dict[tuple[Fraction, ...], Reference] = {}

        def at_point(point: Mapping[str, Fraction]) -> Any:
            symbols = {key: value for key, value in point.items() if key not in inputs}
            key = tuple(symbols.values())
            if key not in made:
                made[key] = recipes.reference(name, arguments, symbols)
            return made[key]({key: point[key] for key in inputs})

        reference = at_point
    else:
        numbers = {key: fraction(value) for key, value in model.values(values).items()}
        reference = recipes.reference(name, arguments, numbers)
    region = recipes.region(name, **arguments)
    return check(model, reference, max_length, values=values, region=region, progress=progress)
