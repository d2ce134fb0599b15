"""The certificate of exported weights: what they encode, and to which length they were compared with exact values.

`prepared` makes the arrays of an export; `compare` runs them in numpy and the model exactly on all inputs of each
length; `certificate` puts both into one document, together with what `symcook.export.guarantee` proves of any runtime.
Verification computes a certificate again with the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from symcook.door import Progress
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.export import archive, provedbits
from symcook.export.archive import text
from symcook.export.lens import WHY
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.parts import HEADS
from symcook.model.rationals import quotient
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
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

READS = PartsRead("the certificate", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

FORMAT = "symcook certificate 5"
BATCHED = 2**18
"""The greatest number of inputs, of all lengths together, that are compared where the exact model runs in batches. The
argument `limit` below is this number, `SINGLE` or `FLOATS`, and so also says which of the three modes is used."""
SINGLE = 300
"""The greatest number of inputs that are compared where the exact model runs on one input at a time."""
FLOATS = 2**16
"""The greatest number of inputs that are compared where a dense model runs in floats with certified errors."""
MOST_ROWS = {BATCHED: 4096, SINGLE: 100}
"""For each value of `limit`, the greatest number of sequences of rows of one length. Each number in a row takes at
least two values, even where that makes more sequences."""
BLOCK = 2**13
"""How many inputs run together where the exact model runs in batches."""
SHOWN = 64
"""The greatest number of positions for which a certificate lists the values of position functions."""
GRID = tuple(Fraction(v) for v in ("0", "1", "-1", "2", "1/2", "-2", "-1/2", "1/3", "1/7", "-1/1000"))
"""The values that a number in a row takes: the first few of these, or all (`_grid_values`)."""


def compare(
    model: Transformer, arrays: Archive, n_max: int, progress: Progress | None = None, asked: Strings | None = None
) -> dict[str, Any]:
    """Run the archive's arrays and the exact model on the same inputs, length by length, until they differ.

    Where the readout decides or picks a label, every answer must be the same; where it shows values, each must be
    within `TOLERANCE` (by dtype) times max(1, |exact|). Lengths count the tokens that the model adds. Where the exact
    domain cannot hold a value, rigorous intervals of 30 digits are compared with; NotExact where there are none either.

    Where `asked` names strings, and the positions whose answers count, only those strings and positions are compared.
    An input on which the exact model has no run (`symcook.errors.NoRun`) is not compared; BadInput if it is one of
    `asked`.

    The answer has "greatest_length" (0 where the smallest length already fails), "inputs" (how many were compared: all
    up to that length that have a run), "no_run" (how many inputs have no run, and the first of them),
    "largest_difference" (None where the readout answers), "first_difference" (the first input on which arrays and exact
    model differ, or None), "complete" (whether all lengths to n_max were compared), "ends" (why not, or None) and
    "method" (how, in words).
    """
    from symcook.export.guarantee import weights

    inputs_compared, greatest, largest_difference = 0, 0, 0.0
    exact_method, first_difference = "batches of exact integers", None
    ends: str | None = None
    no_runs = _NoRuns()
    limit, added, weight_count = BATCHED, model.embedding.added, weights(model)
    # Length by length, from the shortest input that the model accepts. The loop ends at the first length at which an
    # input differs or not all inputs can be compared, and `ends` says why. `greatest` and the counts do not include
    # that length.
    for n in range(added or 1, n_max + 1):
        if ends := _no_room(model, weight_count, n, inputs_compared, limit, asked):
            break
        try:
            try:
                first_difference, difference = _compare_length(model, arrays, n, limit, no_runs, asked)
            except NotExact:
                # Exact batches cannot hold this model at this length: from here on inputs run one by one, and fewer of
                # them. The length is compared again from its first input.
                exact_method = "exact arithmetic (or rigorous intervals where it has no value), one input at a time"
                limit = SINGLE
                if model.dense and model.readout.answers:
                    exact_method = "floats with certified errors (or rigorous intervals where these decide nothing)"
                    limit = FLOATS
                if ends := _no_room(model, weight_count, n, inputs_compared, limit, asked):
                    break
                first_difference, difference = _compare_length(model, arrays, n, limit, no_runs, asked)
        except Undecided:  # the certificate ends before this length
            ends = f"neither exact arithmetic nor rigorous intervals settle an answer at length {n - added}"
            break
        if first_difference is not None:
            ends = "the first input with another answer"
            break
        inputs_compared, greatest = inputs_compared + _input_count(model, n, limit, asked), n
        largest_difference = max(largest_difference, difference)
        # Inputs without a run count only at lengths that were compared completely.
        no_runs.keep()
        if progress is not None:
            progress(n, n_max)
    if asked and no_runs.inputs:
        raise BadInput(
            "the model must be defined on every string of the inputs",
            f"{no_runs.first}, on which the model has no run",
            "leave this string out",
        )
    return {
        "greatest_length": greatest,
        "inputs": inputs_compared - no_runs.inputs,
        "no_run": {"inputs": no_runs.inputs, "first": no_runs.first},
        "largest_difference": None if model.readout.answers else largest_difference,
        "first_difference": first_difference,
        "complete": greatest == n_max,
        "ends": ends,
        "method": f"numpy evaluation of the stored arrays against {exact_method}, on {_inputs_text(model, asked)} "
        f"of each length from {0 if added else 1}: {_condition_text(model, arrays)}",
    }


def _inputs_text(model: Transformer, asked: Strings | None) -> str:
    """The inputs of each length that are compared, in words."""
    if model.pointwise:
        return "every point of a rational grid"
    if asked:
        return f"each string of {asked.text}"
    return "every string" if model.embedding.inputs is None else "every sequence of rows over a grid of rational values"


def _condition_text(model: Transformer, arrays: Archive) -> str:
    """What must hold on each input, in words."""
    if model.readout.answers:
        return "answers must be equal"
    return f"values must agree within {float(tolerance(str(arrays['dtype'])))} * max(1, |exact|)"


class _NoRuns:
    """The inputs without a run. Inputs of one length are counted when the whole length has been compared.

    `inputs` is the number of those counted and `first` the first of them; `_new` has those of the length being
    compared. `exact` is False once exact arithmetic had no value for an input.
    """

    def __init__(self) -> None:
        self.inputs, self.first, self._new = 0, None, list[str]()
        self.exact = True

    def add(self, name: str) -> None:
        """Note an input without a run, of the length being compared."""
        self._new.append(name)

    def keep(self) -> None:
        """Count the inputs noted since the last call: the whole length has been compared."""
        if self.first is None and self._new:
            self.first = self._new[0]
        self.inputs += len(self._new)
        self._new = []


def tolerance(dtype: str) -> Fraction:
    """How far a value in this dtype may be from the exact one, in units of max(1, |exact|)."""
    return TOLERANCE.get(dtype, Fraction(1, 10))


def _grid_rows(model: Transformer, n: int, limit: int) -> Iterator[Any]:
    """The rows {name: value} that one position of an input of length `n` may have."""
    names = model.embedding.inputs or ()
    for values in product(GRID[: _grid_values(len(names), n, limit)], repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _grid_values(inputs: int, n: int, limit: int) -> int:
    """How many values of `GRID` each of the `inputs` numbers of a row takes: as many as make at most `MOST_ROWS`
    sequences of length `n`, but at least 2."""
    fitting = [count for count in range(2, len(GRID) + 1) if count ** (inputs * n) <= MOST_ROWS[limit]]
    return max(fitting, default=2)


def _input_count(model: Transformer, n: int, limit: int, asked: Strings | None = None) -> int:
    """How many inputs of length `n`, added tokens included, are compared."""
    if asked:
        return asked.many(n - model.embedding.added)
    if model.embedding.inputs is None:
        return len(model.alphabet) ** (n - model.embedding.added)
    inputs = len(model.embedding.inputs)
    return _grid_values(inputs, n, limit) ** (inputs * n)


def _no_room(
    model: Transformer, weight_count: int, n: int, count: int, limit: int, asked: Strings | None = None
) -> str | None:
    """Why length `n` is not compared after `count` inputs, or None where it can be: it has too many inputs, or
    needs too many products with the `weight_count` weights."""
    from symcook.export import infloats
    from symcook.export.guarantee import LARGE, most_products

    size, typed = _input_count(model, n, limit, asked), n - model.embedding.added
    if count + size > limit:
        how = "in exact batches" if limit == BATCHED else "one by one, as exact batches do not hold this model"
        how = "in floats with certified errors" if limit == FLOATS else how
        return f"length {typed} has {size} more inputs, and at most {limit} are compared {how}"
    # In a batch the cost of a run counts once, since whole arrays are multiplied; run one by one, it counts for each
    # input.
    least = n * weight_count * (1 if limit == BATCHED else size)
    if weight_count > LARGE or least > (infloats.MOST_PRODUCTS if limit == FLOATS else most_products(model)):
        return f"the model has {weight_count} weights, too many for length {typed}"
    return None


def _compare_length(
    model: Transformer, arrays: Archive, n: int, limit: int, no_runs: _NoRuns, asked: Strings | None = None
) -> tuple[str | None, float]:
    """The first input of length `n` on which floats and exact model differ, as a user types it, or None, and the
    largest difference of values so far, in units of max(1, |exact|)."""
    from symcook.domains.batch import Grid, Words, nth

    # All inputs of the length: strings of tokens, or rows with values of the grid.
    inputs: Any
    batched = limit == BATCHED
    if model.embedding.inputs is None:
        inputs = Words(model.alphabet, n, *model.embedding.ends)
    else:
        inputs = Grid(tuple(list(_grid_rows(model, n, limit)) for _ in range(n)))
    worst = 0.0
    size = SINGLE if limit == SINGLE else BLOCK
    blocks = inputs.blocks(size) if asked is None else _asked_blocks(model, asked, n, size)
    for block in blocks:
        index, difference = _compare_block(model, arrays, block, n, batched, no_runs, asked)
        worst = max(worst, difference)
        if index is not None:
            return _typed_name(model, nth(block, index)), worst
    return None, worst


def _asked_blocks(model: Transformer, asked: Strings, n: int, size: int) -> Iterator[Listed]:
    """The strings of `asked` that have `n` tokens with the added ones, block by block."""
    from symcook.domains.batch import Listed

    strings = asked.each(n - model.embedding.added)
    while block := tuple(islice(strings, size)):
        yield Listed(tuple(map(model.embedding.surround, block)))


def _typed_name(model: Transformer, sequence: Sequence[Any]) -> str:
    """An input as a user types it: a string, tokens with spaces between, or rows of numbers."""
    if model.embedding.inputs is None:
        return model.embedding.written(model.embedding.typed(sequence))
    return "; ".join(",".join(map(quotient, row.values())) for row in sequence)


def _compare_block(
    model: Transformer,
    arrays: Archive,
    block: Words | Grid | Listed,
    n: int,
    batched: bool,
    no_runs: _NoRuns,
    asked: Strings | None = None,
) -> tuple[int | None, float]:
    """The index in `block` of the first input on which floats and exact model differ, or None, and the largest
    difference of values in units of max(1, |exact|) (0 where the readout answers)."""
    import numpy as np

    from symcook.domains.batch import nth

    # The stored arrays in floats, on all inputs of the block at once.
    with np.errstate(all="ignore"):
        if model.embedding.inputs is None:
            token_ids = {token: k for k, token in enumerate(model.embedding.words or ())}
            stream = archive.embed(arrays, _array_of(block, lambda token: token_ids[token]))
        else:
            names = model.embedding.inputs
            stream = archive.place(arrays, _array_of(block, lambda row: [float(row[name]) for name in names]))
        stream = archive.evaluate(arrays, stream, refuse=False)  # the exact run says which inputs have none
    # The exact model: on all inputs at once, or one by one.
    exact_values, has_run = _exact_values(model, block, n, batched, no_runs)
    for index in np.flatnonzero(~has_run).tolist():
        no_runs.add(_typed_name(model, nth(block, index)))
    if not has_run.any():
        return None, 0.0
    # Which answers count: a row for each input, a column for each answer, or one column for all.
    counts = np.ones((block.size, 1), dtype=bool)
    if asked and asked.positions not in (None, "all"):
        counts = _counted(asked, model, block, n)
    # Comparison. Answers must be equal; values must be within the tolerance.
    if model.readout.answers:
        wrong_answers = (archive.verdicts(arrays, stream) != exact_values).reshape(block.size, -1) & counts
        return _first_true(wrong_answers.any(axis=1) & has_run), 0.0
    # The largest difference of each input, relative to max(1, |exact|), over the values that count.
    shown_values = archive.shown(arrays, stream)[:, model.readout.answered(n)].astype(float)
    relative = np.abs(shown_values - exact_values) / np.maximum(1, np.abs(exact_values))
    difference = (relative * counts[:, :, None]).max(axis=(1, 2))
    # `~ <=` and not `>`, so that NaN is a difference too.
    allowed = float(tolerance(str(arrays["dtype"])))
    first_wrong = _first_true(~(difference <= allowed) & has_run)
    return first_wrong, float(difference[has_run].max())


def _exact_values(
    model: Transformer, block: Words | Grid | Listed, n: int, batched: bool, no_runs: _NoRuns
) -> tuple[Any, Any]:
    """The answers or values of the exact model on a block, and which of its inputs have a run. An input without a run
    has the answer of another input, to fill the array; if a batch has no run at all, there are no answers (None)."""
    import numpy as np

    from symcook.export import infloats

    if batched:
        try:
            return _batched(model, block, n), np.ones(block.size, dtype=bool)
        except NoRun:  # the fault is a temperature: it depends on the length only, so no input has a run
            return None, np.zeros(block.size, dtype=bool)
    answers: list[Any] = [None] * block.size
    if model.dense and model.readout.answers:
        strings: Any = [*block]
        answers = infloats.certified(model, strings)
    answers = [
        _single(model, sequence, no_runs) if answer is None else answer
        for sequence, answer in zip(block, answers, strict=True)
    ]
    filler = next((answer for answer in answers if answer is not None), 0)
    has_run = np.array([answer is not None for answer in answers])
    return np.array([filler if answer is None else answer for answer in answers]), has_run


def _counted(asked: Strings, model: Transformer, block: Any, n: int) -> Any:
    """Which answers count: a row for each string of the block, a column for each answer that it has."""
    import numpy as np

    readout, positions = asked.counted(model).readout, range(n)
    counts = np.zeros((block.size, n), dtype=bool)
    for row, sequence in enumerate(block):
        counts[row, [*(readout.counted(sequence, positions) if readout.everywhere else [n - 1])]] = True
    # A model with one answer to an input has one column, whose answer always counts.
    return counts if model.readout.each else np.ones((block.size, 1), dtype=bool)


def _array_of(block: Words | Grid | Listed, convert: Callable[[Any], object]) -> Any:
    """`convert` of each token, or each row of numbers, of a block's inputs: an array (B, n, ...) in the order of the
    block."""
    import numpy as np

    from symcook.domains.batch import Listed, digits

    option_numbers = block.digits() if isinstance(block, Listed) else digits(block, np.arange(block.size))
    # For each position the tokens (or rows) that may be there, and for each input the index of its own among them.
    columns = zip(block.choices(), option_numbers, strict=True)
    return np.stack([np.array([convert(option) for option in options])[chosen] for options, chosen in columns], axis=1)


def _first_true(wrong: np.ndarray) -> int | None:
    """The index of the first True, or None."""
    return int(wrong.argmax()) if wrong.any() else None


def _batched(model: Transformer, block: Words | Grid | Listed, n: int) -> Any:
    """The exact model on a block of B inputs, in one batch: answers, an array (B) or, at each position, (B, n); or
    values rounded once to float64, an array (B, positions, coordinates)."""
    import numpy as np

    from symcook.domains.batch import Batch

    domain: Any = Batch()
    result: Result = forward(model, block, domain)
    if model.readout.answers:
        answers = [domain.full(answer) for answer in result.answers]  # an entry for each input
        return np.stack(answers, axis=1) if model.readout.each else answers[0]
    columns = [list(result.values(position).values()) for position in result.answered]
    values = [[_nearest_floats(domain.show(column, 30)) for column in row] for row in columns]
    return np.array(values).transpose(2, 0, 1)


def _nearest_floats(shown: list[str]) -> Any:
    """The nearest floats of exact values, given as texts. Equal texts are evaluated once."""
    import numpy as np

    floats = {text: _nearest_float(text) for text in set(shown)}
    return np.array([floats[text] for text in shown])


def _single(model: Transformer, sequence: Sequence[object], no_runs: _NoRuns) -> Any:
    """The answer or the values of one input, from exact arithmetic or, where that has no value, from rigorous
    intervals; None where the input has no run.

    Once exact arithmetic had no value for an input, answers are looked for in intervals first, since it would have none
    for most later inputs."""
    typed_input = sequence if model.embedding.inputs is not None else model.embedding.typed(sequence)
    answer: Any = None
    try:
        if not no_runs.exact and model.readout.answers:
            with suppress(Undecided):
                answer = run(model, typed_input, "ball")
        if answer is None or answer.undecided:
            try:
                answer = run(model, typed_input, "exact")
            except NotExact:
                no_runs.exact = False
                answer = run(model, typed_input, "ball") if answer is None else answer
    except NoRun:
        return None
    if answer.undecided:
        raise Undecided(f"the answer to {answer.given} was undecided in rigorous intervals; it has no exact value.")
    result = answer.result
    if model.readout.answers:
        return result.answers if model.readout.each else result.answers[0]
    with PRECISION, result.domain.context():
        rows = [result.values(position).values() for position in result.answered]
        return [[_nearest_float(result.domain.show(value, 30)) for value in row] for row in rows]


def _nearest_float(shown: Any) -> float:
    """The float nearest to a value as a domain shows it.

    A rational is rounded once. Another exact expression is first evaluated to 30 digits, and a rigorous interval
    (a dict) stands for its midpoint.
    """
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
    """An export before anything is run: the model, its arrays, and what is stated of a decoder."""

    model: Transformer
    """The model as given, which may have symbols."""
    values: Mapping[str, Any]
    """The value of each symbol."""
    kind: str
    """The kind of the exported file, such as "transformerlens"."""
    dtype: str
    """The number type of the arrays."""
    max_length: int
    """The greatest number of typed symbols; the added tokens are not among them."""
    bound: Transformer
    """The model with values in place of its symbols."""
    arrays: Archive
    """The arrays of `bound`."""
    roundings: Mapping[str, object]
    """Which weights were rounded when they were stored."""
    decoding: dict[str, Any] | None
    """What the certificate states of the steps of a decoder; None for other models."""
    asked: Strings | None = None
    """The strings that the certificate covers; None for all inputs."""


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
    """The arrays of an export for strings of at most `max_length` typed symbols. Raises BadInput for a model that
    cannot be exported so and, if `strictly`, where the arrays are not certain to decode as many `steps` correctly."""
    if model.pointwise and max_length != 1:
        raise BadInput(
            "--max-length must not be given for a feed-forward recipe: its inputs have no length",
            max_length,
            "leave --max-length out",
        )
    positions = max_length + model.embedding.added
    model.check_length(positions)
    # The model with its symbols replaced by their values.
    symbol_values = model.values(values)
    bound = model.bind(symbol_values)
    if bound.readout.groups:
        must = "an export must have one score for each answer, so that a runtime can take the argmax"
        raise BadInput(
            must, "a readout by groups", "give a readout of the kind largest, whose scores are the sums of the groups"
        )
    if steps is not None:
        from symcook.programs.running import decodes

        if not decodes(bound):
            must = "an export with steps must be of a decoder that was compiled from an automaton or a Turing machine"
            raise BadInput(must, f"{steps} steps", "leave --steps out")
    # The arrays, and with a decoder also the arrays that its generation needs.
    roundings: dict[str, Any] = {}
    arrays = archive.arrays(bound, dtype, positions, roundings)
    decoder = None
    if bound.program is not None:
        from symcook.export.decoding import decoding, stored
        from symcook.programs.running import decodes

        if asked and decodes(bound):
            must = "the certificate of an exported decoder must be about all strings"
            raise BadInput(must, asked.text, "leave --inputs and --positions out")
        decoder = decoding(bound, arrays, dtype, max_length, steps, strictly)
        arrays |= stored(bound, decoder)
    return Prepared(
        model=model,
        values=symbol_values,
        kind=kind,
        dtype=dtype,
        max_length=max_length,
        bound=bound,
        arrays=arrays,
        roundings=roundings,
        decoding=decoder,
        asked=asked,
    )


def certificate(
    made: Prepared,
    claims: Sequence[str] = (),
    built: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The document of the certificate, without its entries on the files (`symcook.export.files.told`) and its own hash
    (`symcook.export.files.sealed`).

    `built` names the recipe and its arguments, where a recipe built the model. `claims` are ids of claims; where there
    is a recipe, they must be among its claims.

    `export` writes this document, and `verify_export` computes it again and compares every key. Raises BadInput for
    other claims, NotExact where no exact values can be computed.
    """
    from symcook.export.guarantee import guarantee, parted
    from symcook.model.modelfile import document_hash, to_document

    model, bound, dtype = made.model, made.bound, made.dtype
    built = _checked_recipe(model, built) if built else _recipe(model)
    recipe, n_max = built.get("recipe"), made.max_length + bound.embedding.added
    statuses = _statuses(claims, recipe)
    # First the comparison that was run: the arrays against exact values.
    try:
        compared = compare(bound, made.arrays, n_max, progress, made.asked)
    except NotExact as error:
        must = "an export must be compared with exact values"
        raise NotExact(f"{must}, but {error.must}", error.given, "export a model whose values are exact") from None
    model_document = to_document(bound)
    # Then what is proved of any runtime. It must not cover a length at which a difference was observed.
    outside = WHY if made.kind == "transformerlens" else None
    certain = guarantee(bound, dtype, n_max, progress, outside, made.arrays, made.asked)
    if bound.readout.answers and compared["first_difference"] is not None:
        length = max(compared["greatest_length"] + 1, bound.embedding.added, 1)
        certain = parted(certain, length, n_max, compared["first_difference"])
    # The theorems about rounded runs that cover these arrays, if no difference was observed.
    cites = outside is None and made.asked is None and compared["first_difference"] is None
    theorems = provedbits.cited(model, made.values, made.arrays, made.roundings) if cites else []
    return {
        "decoding": made.decoding,
        "format": FORMAT,
        "model": bound.name,
        "model_hash": document_hash(model_document),
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
        "theorems": theorems,
        "compared": compared,
        "roundings": dict(made.roundings),
        "position_tables": _tables(bound, n_max),
        "model_file": model_document,
    } | ({} if made.asked is None else made.asked.to_json() | {"language": made.asked.document()})


def _recipe(model: Transformer) -> dict[str, Any]:
    """{"recipe": name} where the recipe of the model's name, without arguments, builds this very model; else empty."""
    from symcook.recipes import build, exists

    return {"recipe": model.name} if exists(model.name) and build(model.name) == model else {}


def _checked_recipe(model: Transformer, built: Mapping[str, Any]) -> Mapping[str, Any]:
    """`built`, which names a recipe and its arguments. BadInput where they do not build this very model, so that nobody
    could compute the certificate again."""
    from symcook.model.modelfile import numbered_hash, to_document
    from symcook.recipes import build

    if more := built.keys() - {"recipe", "arguments"}:
        raise BadInput("built must have only the keys recipe and arguments", sorted(more)[0], "leave the key out")
    name, arguments = built.get("recipe"), built.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise BadInput("the arguments of built must be {name: value}", type(arguments).__name__, "leave built out")
    # Their documents are compared: to compare entries would load sympy.
    if numbered_hash(to_document(build(str(name), **arguments))) != numbered_hash(to_document(model)):
        must = "built must name the recipe that built the model, with its arguments"
        raise BadInput(must, f"{name}, which builds another model", "leave built out")
    return built


def _statuses(claims: Sequence[str], recipe: str | None) -> list[dict[str, str]]:
    """The claims with these ids, and their statuses. BadInput where an id is no claim, or no claim of the recipe."""
    if isinstance(claims, str):
        raise BadInput("claims must be a list of ids of claims", claims, f"give [{claims!r}]")
    if not claims:
        return []
    from symcook.claims import claim, ledger
    from symcook.recipes import info

    names = [claim(name).id for name in claims]
    foreign = [name for name in names if recipe is not None and name not in info(recipe).claims]
    if foreign:
        raise BadInput(
            f"the claims of an export of {recipe} must be those that the recipe names",
            foreign[0],
            "leave the claim out",
        )
    statuses = {row.id: row.words for row in ledger(names=names)}
    return [{"id": name, "status": statuses[name]} for name in names]


def _tables(model: Transformer, n_max: int) -> dict[str, Any]:
    """The position functions and the factors of scores, with their exact values at each length up to `SHOWN`."""
    start, written_lengths = model.embedding.start, min(n_max, SHOWN)
    tables = {
        name: {"expression": from_sympy(term), "values": _texts(archive.position_table(term, start, written_lengths))}
        for name, term in model.embedding.positions.items()
    }
    # Factors that depend on the length or the position.
    for s, sublayer in enumerate(READS.of(model).sublayers, 1):
        for h, head in enumerate(sublayer.parts, 1):
            if isinstance(head, HEADS) and getattr(head.factor, "free_symbols", ()):
                table = _texts(archive.position_table(head.factor, start, written_lengths))
                tables[f"step{s}.head{h}.factor"] = {"expression": from_sympy(head.factor), "values": table}
    return {"start": start, "N": n_max, "tables": tables}


def _texts(table: list[list[Number]]) -> list[list[str]]:
    """A table of exact numbers, each as text."""
    return [[text(value) for value in row] for row in table]
