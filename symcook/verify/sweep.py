"""Exact comparison of a model with a reference that shares no code with it.

A word model meets every word of every length up to N; a recipe over rows meets every sequence over a stated set of
rows; a feed-forward recipe meets a stated rational grid (`symcook.verify.grid`). The batch domain does the work; a
model that it cannot hold (softmax) runs word by word in the exact domain. Nothing here is sampled or rounded.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.blocks import Transformer, fraction
from symcook.errors import BadInput, NotExact, SymcookError, Undecided
from symcook.forward import forward, make_domain
from symcook.verify.inputs import region_tree, rows, words

if TYPE_CHECKING:
    from symcook.domains.batch import Grid, Words

Reference = Callable[[Any], Any]
"""A word (text; a tuple where tokens are longer than one character) to a bool, or a list with an answer for each
position; rows ({input: Fraction}, ...) to a number or a list; for a feed-forward recipe {input or symbol: Fraction} to
{coordinate: Fraction}."""
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
    model.check_length(max_length)
    bound = model.bind(values)
    if bound.embedding.inputs is None:
        source: Any = words(bound, max_length)
        what = f"exhaustive, exact: all words of length 1 to {max_length}"
    else:
        source = rows(bound, max_length, region_tree(region))
        what = source.text
    total, blocks = source.total, source.blocks()
    start = time.perf_counter()
    count, wrong, first, way = sweep(bound, reference, blocks, total, progress, _see)
    return Check(model.name, max_length, count, wrong, first, f"{what}; {way}", time.perf_counter() - start)


def _see(model: Transformer, sequence: Sequence[Any]) -> Any:
    """What a reference is given for one input."""
    if model.embedding.inputs is not None:
        return sequence
    return "".join(sequence) if all(len(t) == 1 for t in model.alphabet) else tuple(sequence)


def sweep(
    model: Transformer,
    reference: Reference,
    blocks: Iterable[Words | Grid],
    total: int,
    progress: Progress | None,
    see: Callable[[Transformer, Sequence[Any]], Any],
    options: tuple[str, ...] = (),
    done: int = 0,
) -> tuple[int, int, Counterexample | None, str]:
    """Compare block by block: inputs compared, mismatches, the first of them, and how the model was run."""
    compare, way = _compare_batch, "batches of integers over static denominators"
    count = wrong = 0
    first: Counterexample | None = None
    for block in blocks:
        try:
            codes = compare(model, reference, block, see)
        except NotExact:
            if compare is _compare_each:
                raise
            compare, way = _compare_each, "one by one in the exact domain"
            codes = compare(model, reference, block, see)
        count += block.size
        wrong += len(codes)
        if len(codes) and first is None:
            first = _counterexample(model, reference, _nth(block, int(codes[0])), see, options)
        if progress is not None:
            progress(done + count, total)
    return count, wrong, first, way


def _nth(block: Words | Grid, code: int) -> tuple[Any, ...]:
    """The input with number `code`: mixed radix, the first position most significant."""
    result: list[Any] = []
    for options in reversed(block.choices()):
        code, digit = divmod(code, len(options))
        result.append(options[digit])
    return tuple(reversed(result))


def _compare_batch(model: Transformer, reference: Reference, block: Words | Grid, see: Any) -> Sequence[int]:
    """The numbers of the inputs on which a batch and the reference differ."""
    import numpy as np

    from symcook.domains.batch import Batch

    domain = Batch()
    result = forward(model, block, domain)
    each = model.readout.position == "each"
    if model.decides and not each:
        accept = domain.full(result.accept)
        answers = (_ask(model, reference, see(model, sequence), domain.length) for sequence in block)
        expected = np.fromiter((answer[0] for answer in answers), dtype=bool, count=block.size)
        return np.flatnonzero(accept != expected).tolist()
    places = range(domain.length) if each else [result.place]
    entries: list[tuple[list[Any], int]] = []  # for each position and coordinate: numerators and their denominator
    for place in places:
        if model.decides:
            assert result.verdicts is not None
            entries.append((domain.full(result.verdicts[place]).tolist(), 1))
        else:
            cells = [result.stream[name][place] for name in model.readout.reads]
            entries.extend((domain.full(cell.numerators).tolist(), cell.denominator) for cell in cells)
    codes = []
    for code, sequence in enumerate(block):
        answers = _ask(model, reference, see(model, sequence), domain.length)
        flat = answers if model.decides else itertools.chain.from_iterable(answers)
        for (numerators, denominator), answer in zip(entries, flat, strict=True):
            if numerators[code] * answer.denominator != answer.numerator * denominator:
                codes.append(code)
                break
    return codes


def _compare_each(model: Transformer, reference: Reference, block: Words | Grid, see: Any) -> Sequence[int]:
    """The same as `_compare_batch`, one input after the other in the exact domain."""
    from symcook.symbols import exact

    codes = []
    sequence: Any
    for code, sequence in enumerate(block):
        domain = make_domain("exact")
        given = tuple({k: exact(v) for k, v in row.items()} for row in sequence) if model.embedding.inputs else sequence
        result = forward(model, given, domain)
        answers = _ask(model, reference, see(model, sequence), domain.length)
        each = model.readout.position == "each"
        places = range(domain.length) if each else [result.place]
        verdicts: list[Any]
        if model.decides:
            verdicts = [result.accept] if not each else list(result.verdicts or ())
            verdicts = [None if v is None else v == a for v, a in zip(verdicts, answers, strict=True)]
        else:
            verdicts = []
            with domain.context():
                for place, answer in zip(places, answers, strict=True):
                    for name, value in zip(model.readout.reads, answer, strict=True):
                        difference = domain.linear([(result.stream[name], exact(1))], exact(-value))
                        verdicts.append(domain.zero(difference)[place])
        if False in verdicts:
            codes.append(code)
        elif None in verdicts:
            raise Undecided(f"the exact domain leaves open whether model and reference agree on {_text(sequence)}.")
    return codes


def _ask(model: Transformer, reference: Reference, given: Any, length: int) -> Sequence[Any]:
    """The reference's answer for each position that the readout shows: a bool, or a tuple of numbers, one a name."""
    try:
        answer = reference(given)
    except SymcookError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error} on {_text(given)}"
        raise BadInput("the reference must answer every input", text, "repair the reference") from error
    if model.readout.position != "each":
        return (_typed(model, answer, given),)
    if isinstance(answer, (str, Mapping)) or not isinstance(answer, Sequence) or len(answer) != length:
        raise BadInput(f"the reference must give {length} answers, one a position", _returned(answer, given))
    return [_typed(model, part, given) for part in answer]


def _typed(model: Transformer, answer: Any, given: Any) -> Any:
    if model.decides:
        if answer is True or answer is False:
            return answer
        if type(answer).__name__ == "bool":  # numpy's
            return bool(answer)
        raise BadInput("the reference must return True or False", _returned(answer, given))
    reads = model.readout.reads
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
    from symcook.domains.batch import Batch, Grid, Words

    answers = _ask(model, reference, see(model, sequence), len(sequence))
    words = model.embedding.inputs is None
    block = Words(model.alphabet, len(sequence), tuple(sequence)) if words else Grid(tuple([r] for r in sequence))
    try:
        domain: Any = Batch()
        result = forward(model, block, domain)
    except NotExact:
        from symcook.symbols import exact

        domain = make_domain("exact")
        given = sequence if words else tuple({k: exact(v) for k, v in row.items()} for row in sequence)
        result = forward(model, given, domain)

    def one(value: Any) -> Any:
        shown = domain.show(value, 30)
        return shown[0] if isinstance(shown, list) else shown

    each = model.readout.position == "each"
    places = range(len(sequence)) if each else [result.place]
    if model.decides:
        verdicts = [result.accept] if not each else list(result.verdicts or ())
        got = [bool(v if isinstance(v, bool) or v is None else v[0]) for v in verdicts]
        expected: list[Any] = list(answers)
    else:
        reads = model.readout.reads
        with domain.context():
            got = [{name: one(result.stream[name][place]) for name in reads} for place in places]
        expected = [{name: str(v) for name, v in zip(reads, answer, strict=True)} for answer in answers]
    if words:
        single = all(len(t) == 1 for t in sequence)
        replay = ("--input", "".join(sequence)) if single else ("--tokens", " ".join(sequence))
    elif model.pointwise:
        replay = tuple(part for name, value in sequence[0].items() for part in ("--set", f"{name}={value}"))
    else:
        replay = ("--rows", "; ".join(",".join(str(v) for v in row.values()) for row in sequence))
    text = _text(sequence if not model.pointwise else sequence[0])
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
