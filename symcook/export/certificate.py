"""The certificate of exported weights: what they are, and to which length they were compared with exact values.

`prepared` makes the arrays of an export; `compare` runs them in numpy and the model exactly on all inputs of each
length; `certificate` puts both into one document, together with what `symcook.export.guarantee` proves of any runtime.
The same functions write a certificate and compute it again when it is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from symcook.door import Progress
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.export import archive
from symcook.export.archive import text
from symcook.export.lens import WHY
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.parts import Head
from symcook.model.rationals import quotient
from symcook.model.symbols import from_sympy
from symcook.model.transformer import Transformer
from symcook.run import run
from symcook.verify.comparison import TOLERANCE

if TYPE_CHECKING:
    import numpy as np

    from symcook.domains.batch import Grid, Listed, Words
    from symcook.export.archive import Archive
    from symcook.model.symbols import Exact, Number
    from symcook.words.inputs import Strings

FORMAT = "symcook certificate 4"
BATCHED = 2**18
"""The largest number of inputs compared where exact batches hold the model."""
SINGLE = 300
"""The same where the exact domain takes them one by one."""
MOST_ROWS = {BATCHED: 4096, SINGLE: 100}
"""How many sequences of one length a grid of rows makes at most, where two values for each input are not more."""
BLOCK = 2**13
SHOWN = 64
"""The largest length whose position values a certificate writes out."""
GRID = tuple(Fraction(v) for v in ("0", "1", "-1", "2", "1/2", "-2", "-1/2", "1/3", "1/7", "-1/1000"))


def compare(
    model: Transformer, m: Archive, n_max: int, progress: Progress | None = None, asked: Strings | None = None
) -> dict[str, Any]:
    """Run the archive's arrays and the exact model on the same inputs, length by length, until they part.

    Where the readout decides or picks a label, every answer must be the same; where it shows values, each must be
    within `TOLERANCE` (by dtype) times max(1, |exact|). Lengths count the tokens that the model adds. What the exact
    domain does not hold is compared with balls of 30 digits.

    Where `asked` names strings, and answers that count, these alone are compared. Inputs on which the exact model has
    no run (`symcook.errors.NoRun`) have nothing to compare.

    The answer has "greatest_length" (0 where the smallest length already fails), "inputs" (how many were compared, all
    of them to that length that have a run), "no_run" (how many have none, and the first), "largest_difference" (None
    for answers), "first_difference" (the first input on which they part, or None), "complete" (whether all lengths to
    n_max were compared), "ends" (why not, or None) and "method".
    """
    from symcook.export.guarantee import weights

    inputs_compared, greatest, largest_difference = 0, 0, 0.0
    exact_method, first_difference = "batches of exact integers", None
    ends: str | None = None
    no_runs = _NoRuns()
    limit, added, weight_count = BATCHED, model.embedding.added, weights(model)
    # Length by length, from the shortest input that the model takes.
    for n in range(added or 1, n_max + 1):
        if ends := _no_room(model, weight_count, n, inputs_compared, limit, asked):
            break
        try:
            try:
                first_difference, difference = _length(model, m, n, limit, no_runs, asked)
            except NotExact:
                # From here on exact batches do not hold the model: inputs one by one, and fewer of them.
                exact_method = "exact arithmetic (or rigorous intervals where it has no value), one input at a time"
                limit = SINGLE
                if ends := _no_room(model, weight_count, n, inputs_compared, limit, asked):
                    break
                first_difference, difference = _length(model, m, n, limit, no_runs, asked)
        except Undecided:  # what is certified ends before this length
            ends = f"neither exact arithmetic nor rigorous intervals settle an answer at length {n - added}"
            break
        if first_difference is not None:
            ends = "the first input with another answer"
            break
        inputs_compared, greatest = inputs_compared + _size(model, n, limit, asked), n
        largest_difference = max(largest_difference, difference)
        # Inputs without a run count only at lengths that were compared to the end.
        no_runs.keep()
        if progress is not None:
            progress(n, n_max)
    if asked and no_runs.inputs:
        raise BadInput("every string of the inputs must have a run", f"{no_runs.first}, which has none", "leave it out")
    # The method in words.
    inputs_text = (
        "every string" if model.embedding.inputs is None else "every sequence of rows over a grid of rational values"
    )
    if asked:
        inputs_text = f"each string of {asked.text}"
    if model.pointwise:
        inputs_text = "every point of a rational grid"
    condition_text = "answers must be equal"
    if not model.readout.answers:
        condition_text = f"values must agree within {float(tolerance(str(m['dtype'])))} * max(1, |exact|)"
    return {
        "greatest_length": greatest,
        "inputs": inputs_compared - no_runs.inputs,
        "no_run": {"inputs": no_runs.inputs, "first": no_runs.first},
        "largest_difference": None if model.readout.answers else largest_difference,
        "first_difference": first_difference,
        "complete": greatest == n_max,
        "ends": ends,
        "method": f"numpy evaluation of the stored arrays against {exact_method}, on {inputs_text} of each length from "
        f"{0 if added else 1}: {condition_text}",
    }


class _NoRuns:
    """The inputs without a run, length by length: those of a length count when it has been compared to its end."""

    def __init__(self) -> None:
        self.inputs, self.first, self._new = 0, None, list[str]()

    def add(self, name: str) -> None:
        """Note an input of the length that is being compared."""
        self._new.append(name)

    def keep(self) -> None:
        """Count the inputs noted since the last call: their length has been compared to its end."""
        if self.first is None and self._new:
            self.first = self._new[0]
        self.inputs += len(self._new)
        self._new = []


def tolerance(dtype: str) -> Fraction:
    """How far a value may be from the exact one, times max(1, |exact|)."""
    return TOLERANCE.get(dtype, Fraction(1, 10))


def _options(model: Transformer, n: int, limit: int) -> Iterator[Any]:
    """The rows that may stand at one position of an input of length `n`."""
    names = model.embedding.inputs or ()
    for values in product(GRID[: _values(len(names), n, limit)], repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _values(inputs: int, n: int, limit: int) -> int:
    """How many grid values each input takes, so that sequences of length `n` stay few."""
    fitting = [k for k in range(2, len(GRID) + 1) if k ** (inputs * n) <= MOST_ROWS[limit]]
    return max(fitting, default=2)


def _size(model: Transformer, n: int, limit: int, asked: Strings | None = None) -> int:
    """How many inputs of length `n` there are to compare."""
    if asked:
        return asked.many(n - model.embedding.added)
    if model.embedding.inputs is None:
        return len(model.alphabet) ** (n - model.embedding.added)
    inputs = len(model.embedding.inputs)
    return _values(inputs, n, limit) ** (inputs * n)


def _no_room(
    model: Transformer, weight_count: int, n: int, count: int, limit: int, asked: Strings | None = None
) -> str | None:
    """Why length `n` is not compared behind `count` inputs: it has too many, or takes too many products with the
    `weight_count` weights."""
    from symcook.export.guarantee import LARGE, MOST_PRODUCTS

    size, typed = _size(model, n, limit, asked), n - model.embedding.added
    if count + size > limit:
        how = "in exact batches" if limit == BATCHED else "one by one, as exact batches do not hold this model"
        return f"length {typed} has {size} more inputs, and at most {limit} are compared {how}"
    # One batch multiplies arrays, beside which Python counts little.
    least = n * weight_count * (1 if limit == BATCHED else size)
    if weight_count > LARGE or least > MOST_PRODUCTS:
        return f"the model has {weight_count} weights, too many for length {typed}"
    return None


def _length(
    model: Transformer, m: Archive, n: int, limit: int, no_runs: _NoRuns, asked: Strings | None = None
) -> tuple[str | None, float]:
    """The first input of length `n` on which floats and exact values part, and the largest difference of values."""
    from symcook.domains.batch import Grid, Words, nth

    inputs: Any
    batched = limit == BATCHED
    if model.embedding.inputs is None:
        inputs = Words(model.alphabet, n, *model.embedding.ends)
    else:
        inputs = Grid(tuple(list(_options(model, n, limit)) for _ in range(n)))
    worst = 0.0
    blocks = inputs.blocks(BLOCK if batched else SINGLE) if asked is None else _chosen(model, asked, n, batched)
    for block in blocks:
        code, difference = _block(model, m, block, n, batched, no_runs, asked)
        worst = max(worst, difference)
        if code is not None:
            return _name(model, nth(block, code)), worst
    return None, worst


def _chosen(model: Transformer, asked: Strings, n: int, batched: bool) -> Iterator[Listed]:
    """The strings of a length that are asked about, block by block."""
    from symcook.domains.batch import Listed

    words = asked.each(n - model.embedding.added)
    while block := tuple(islice(words, BLOCK if batched else SINGLE)):
        yield Listed(tuple(map(model.embedding.surround, block)))


def _name(model: Transformer, sequence: Sequence[Any]) -> str:
    """An input as a user types it: a word, tokens with spaces, or rows of numbers."""
    if model.embedding.inputs is None:
        return model.embedding.written(model.embedding.typed(sequence))
    return "; ".join(",".join(map(quotient, row.values())) for row in sequence)


def _block(
    model: Transformer,
    m: Archive,
    block: Words | Grid | Listed,
    n: int,
    batched: bool,
    no_runs: _NoRuns,
    asked: Strings | None = None,
) -> tuple[int | None, float]:
    """The number of the first input of a block on which they part, and the largest relative difference of values."""
    import numpy as np

    from symcook.domains.batch import nth

    # What the floats give, for all inputs of the block.
    with np.errstate(all="ignore"):
        if model.embedding.inputs is None:
            number = {token: k for k, token in enumerate(model.embedding.words or ())}
            z = archive.embed(m, _spread(block, lambda token: number[token]))
        else:
            names = model.embedding.inputs
            z = archive.place(m, _spread(block, lambda row: [float(row[name]) for name in names]))
        z = archive.evaluate(m, z, refuse=False)  # the exact run says which inputs have none
    # What the exact model gives: all at once, or one by one.
    has_run = np.ones(block.size, dtype=bool)
    if batched:
        try:
            exact_values = _batched(model, block, n)
        except NoRun:  # a temperature, which depends on the length alone
            for sequence in block:
                no_runs.add(_name(model, sequence))
            return None, 0.0
    else:
        # Where an input has no run any answer stands in; `has_run` leaves it out below.
        single_answers = [_single(model, sequence, n) for sequence in block]
        has_run = np.array([own_answer is not None for own_answer in single_answers])
        for code in np.flatnonzero(~has_run).tolist():
            no_runs.add(_name(model, nth(block, code)))
        if not has_run.any():
            return None, 0.0
        any_answer = next(own_answer for own_answer in single_answers if own_answer is not None)
        exact_values = np.array([any_answer if own_answer is None else own_answer for own_answer in single_answers])
    # Which answers count, by input and position.
    counts = np.ones((block.size, 1), dtype=bool)
    if asked and asked.positions not in (None, "all"):
        counts = _counted(asked, model, block, n)
    # Answers must be equal; values must be within the tolerance.
    if model.readout.answers:
        return _first(
            ((archive.verdicts(m, z) != exact_values).reshape(block.size, -1) & counts).any(axis=1) & has_run
        ), 0.0
    shown_values = archive.shown(m, z)[:, model.readout.answered(n)].astype(float)
    difference = (np.abs(shown_values - exact_values) / np.maximum(1, np.abs(exact_values)) * counts[:, :, None]).max(
        axis=(1, 2)
    )
    first = _first(~(difference <= float(tolerance(str(m["dtype"])))) & has_run)  # not a number is a difference too
    return first, float(difference[has_run].max())


def _counted(asked: Strings, model: Transformer, block: Any, n: int) -> Any:
    """At which positions answers count: for each string of a block, each position."""
    import numpy as np

    readout, every = asked.counted(model).readout, range(n)
    counts = np.zeros((block.size, n), dtype=bool)
    for row, sequence in enumerate(block):
        counts[row, [*(readout.counted(sequence, every) if readout.everywhere else [n - 1])]] = True
    return counts if model.readout.each else np.ones((block.size, 1), dtype=bool)


def _spread(block: Words | Grid | Listed, made: Callable[[Any], object]) -> Any:
    """What is made of each token or row of a block's inputs, as an array (B, n, ...) in the order of the block."""
    import numpy as np

    from symcook.domains.batch import Listed, digits

    own = block.digits() if isinstance(block, Listed) else digits(block, np.arange(block.size))
    columns = zip(block.choices(), own, strict=True)
    return np.stack([np.array([made(option) for option in options])[digit] for options, digit in columns], axis=1)


def _first(wrong: np.ndarray) -> int | None:
    return int(wrong.argmax()) if wrong.any() else None


def _batched(model: Transformer, block: Words | Grid | Listed, n: int) -> Any:
    """Exact answers (B) or (B, n), or exact values (B, places, shown) rounded once to float64."""
    import numpy as np

    from symcook.domains.batch import Batch

    domain: Any = Batch()
    result: Result = forward(model, block, domain)
    if model.readout.answers:
        answers = [domain.full(answer) for answer in result.answers]
        return np.stack(answers, axis=1) if model.readout.each else answers[0]
    cells = [list(result.values(place).values()) for place in result.answered]
    values = [[_rounded(domain.show(cell, 30)) for cell in row] for row in cells]
    return np.array(values).transpose(2, 0, 1)


def _rounded(shown: list[str]) -> Any:
    """Shown values of all inputs as floats, each different one read once."""
    import numpy as np

    known = {text: _float(text) for text in set(shown)}
    return np.array([known[text] for text in shown])


def _single(model: Transformer, sequence: Sequence[object], n: int) -> Any:
    """The answer or the values of one input, from the exact domain or, where it has none, from balls; None where the
    input has no run."""
    typed_input = sequence if model.embedding.inputs is not None else model.embedding.typed(sequence)
    try:
        try:
            answered = run(model, typed_input, "exact")
        except NotExact:
            answered = run(model, typed_input, "ball")
    except NoRun:
        return None
    if answered.undecided:
        raise Undecided(f"the answer to {answered.given} was undecided in rigorous intervals; there is no exact one.")
    result = answered.result
    if model.readout.answers:
        return result.answers if model.readout.each else result.answers[0]
    with PRECISION, result.domain.context():
        rows = [result.values(place).values() for place in result.answered]
        return [[_float(result.domain.show(value, 30)) for value in row] for row in rows]


def _float(shown: Any) -> float:
    """The float nearest to a shown value: a rational rounded once, another exact text to 30 digits by balls before, a
    ball of many digits by its middle."""
    from symcook.model.expr import MAX_STATEMENT, parse_term
    from symcook.model.rationals import rational
    from symcook.numbers.balls import refine
    from symcook.numbers.evaluate import evaluate

    if isinstance(shown, dict):
        return float(Fraction(shown["mid"]))
    tree = parse_term(shown, MAX_STATEMENT)
    try:
        return float(rational(tree))
    except BadInput:
        return float(refine(lambda: evaluate(tree), 30, relative=True, what="an exact value"))


@dataclass(frozen=True)
class Prepared:
    """What an export is of, before anything is run: the model, with values in place of its symbols in `bound`, the
    arrays with their roundings, and what a decoder promises."""

    model: Transformer
    values: Mapping[str, Any]
    kind: str
    dtype: str
    max_length: int
    bound: Transformer
    arrays: Archive
    roundings: Mapping[str, object]
    decoding: dict[str, Any] | None
    asked: Strings | None = None
    """The strings that the certificate is about; None for all inputs."""


def prepared(
    model: Transformer,
    values: Mapping[str, Exact] | None,
    kind: str,
    dtype: str,
    max_length: int,
    steps: int | None = None,
    strictly: bool = True,
    asked: Strings | None = None,
) -> Prepared:
    """The arrays of an export to words of `max_length` typed symbols; `steps` that are not certain are refused, if
    `strictly`. Raises BadInput for what cannot be exported so."""
    if model.pointwise and max_length != 1:
        raise BadInput("a feed-forward recipe must be exported without --max-length", max_length, "leave it out")
    positions = max_length + model.embedding.added
    model.check_length(positions)
    # The model with its symbols replaced by their values.
    known = model.values(values)
    bound = model.bind(known)
    if bound.readout.groups:
        must = "an export must have one score for each answer, whose largest a runtime takes"
        raise BadInput(must, "a readout by groups", "give a readout largest, with the sums as scores")
    if steps is not None:
        from symcook.programs.running import decodes

        if not decodes(bound):
            must = "an export with steps must be of a decoder that was compiled from an automaton or a Turing machine"
            raise BadInput(must, f"--steps {steps}", "leave it out")
    # The arrays, and what of a decoder goes into them.
    roundings: dict[str, Any] = {}
    arrays = archive.arrays(bound, dtype, positions, roundings)
    decoded = None
    if bound.program is not None:
        from symcook.export.decoding import decoding, stored
        from symcook.programs.running import decodes

        if asked and decodes(bound):
            must = "the certificate of a decoder must be about all strings"
            raise BadInput(must, asked.text, "leave --inputs and --positions out")
        decoded = decoding(bound, arrays, dtype, max_length, steps, strictly)
        arrays |= stored(bound, decoded)
    return Prepared(model, known, kind, dtype, max_length, bound, arrays, roundings, decoded, asked)


def certificate(
    made: Prepared,
    claims: Sequence[str] = (),
    built: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The certificate's document, but for what it says of the files (`symcook.export.files.told`). `built` names the
    recipe and its arguments where there is one; `claims` are ids, those of the recipe or some of them where there is
    one.

    It is what `export` writes, and what `verify_export` compares, with no key apart. Raises BadInput for other claims,
    NotExact where there is nothing exact to compare with.
    """
    from symcook.export.guarantee import guarantee, parted
    from symcook.model.modelfile import document_hash, to_document

    model, bound, dtype = made.model, made.bound, made.dtype
    built = built or _recipe(model)
    recipe, n_max = built.get("recipe"), made.max_length + bound.embedding.added
    statuses = _statuses(claims, recipe)
    # First what was observed: arrays against exact values.
    try:
        compared = compare(bound, made.arrays, n_max, progress, made.asked)
    except NotExact as error:
        must = "an export must be compared with exact values"
        raise NotExact(f"{must}, but {error.must}", error.given, "there is no export without them") from None
    known = to_document(bound)
    # Then what is guaranteed. An observed difference cuts the guarantee short.
    outside = WHY if made.kind == "transformerlens" else None
    certain = guarantee(bound, dtype, n_max, progress, outside, made.arrays, made.asked)
    if bound.readout.answers and compared["first_difference"] is not None:
        length = max(compared["greatest_length"] + 1, bound.embedding.added, 1)
        certain = parted(certain, length, n_max, compared["first_difference"])
    return {
        "decoding": made.decoding,
        "format": FORMAT,
        "model": bound.name,
        "model_hash": document_hash(known),
        "recipe": recipe,
        "arguments": dict(built.get("arguments", {})),
        "symbols": {name: from_sympy(value) for name, value in made.values.items()},
        "model_with_symbols": to_document(model) if recipe is None and made.values else None,
        "kind": made.kind,
        "dtype": dtype,
        "source": bound.source,
        "claims": statuses,
        "greatest_length": compared["greatest_length"] if not bound.pointwise else None,
        "guaranteed": certain,
        "compared": compared,
        "roundings": dict(made.roundings),
        "position_tables": _tables(bound, n_max),
        "model_file": known,
    } | ({} if made.asked is None else made.asked.to_json() | {"language": made.asked.document()})


def _recipe(model: Transformer) -> dict[str, Any]:
    """The recipe that builds this model by its name alone, where there is one."""
    from symcook.recipes import build, exists

    return {"recipe": model.name} if exists(model.name) and build(model.name) == model else {}


def _statuses(claims: Sequence[str], recipe: str | None) -> list[dict[str, str]]:
    """The claims of these ids with their statuses; BadInput where one is no claim, or none of the recipe's."""
    if isinstance(claims, str):
        raise BadInput("claims must be a list of ids", claims, f"give [{claims!r}]")
    if not claims:
        return []
    from symcook.claims import claim, ledger
    from symcook.recipes import info

    names = [claim(name).id for name in claims]
    foreign = [name for name in names if recipe is not None and name not in info(recipe).claims]
    if foreign:
        raise BadInput(f"the claims of an export of {recipe} must be those that the recipe names", foreign[0])
    known = {row.id: row.words for row in ledger(names=names)}
    return [{"id": name, "status": known[name]} for name in names]


def _tables(model: Transformer, n_max: int) -> dict[str, Any]:
    """The position functions and factors of scores, with their exact values at each length to `SHOWN`."""
    start, written_lengths = model.embedding.start, min(n_max, SHOWN)
    tables = {
        name: {"expression": from_sympy(e), "values": _texts(archive.position_table(e, start, written_lengths))}
        for name, e in model.embedding.positions.items()
    }
    for s, step in enumerate(model.sublayers, 1):
        for h, part in enumerate(step.parts, 1):
            if isinstance(part, Head) and getattr(part.factor, "free_symbols", ()):
                table = _texts(archive.position_table(part.factor, start, written_lengths))
                tables[f"step{s}.head{h}.factor"] = {"expression": from_sympy(part.factor), "values": table}
    return {"start": start, "N": n_max, "tables": tables}


def _texts(table: list[list[Number]]) -> list[list[str]]:
    return [[text(value) for value in row] for row in table]
