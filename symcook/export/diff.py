"""Where two models differ: the first input, layer, position and coordinate at which their residual streams differ.

`diff` runs both models on the same inputs, in rigorous intervals, and compares the residual streams after each
sublayer. Differences that need no run (names, lengths, kinds of sublayers) come from `symcook.model.structure`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from symcook.door import Progress, door
from symcook.errors import BadInput, Undecided
from symcook.export import COMPARED
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.answers import Reply
from symcook.model.extent import Extent, values_of
from symcook.model.rationals import quotient
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.structure import differences
from symcook.model.symbols import Exact, exact, fraction
from symcook.model.transformer import Transformer
from symcook.words.inputs import Language, Strings, longest, strings

if TYPE_CHECKING:
    from flint import arb, fmpq

    from symcook.domains.protocol import Domain

READS = StepsRead("the comparison of exports", **STEP_WORDS)

INPUTS, MOST = 500, 100_000
"""The greatest number of inputs on which two models are run: of all strings, and of the strings of a language."""
LENGTH = 6
"""The length to which two models are compared where the user gives none."""
BITS = 256
"""The precision of the rigorous intervals."""
CLOSE_DIGITS = 20
"""The number of decimals of `CLOSE`."""
CLOSE = Fraction(1, 10**CLOSE_DIGITS)
"""How close values must be to count as close, where their intervals prove neither that they differ nor that they agree
within the tolerance. If even this is not proved, the comparison is undecided."""


@dataclass(frozen=True, repr=False)
class Diff(Reply):
    """The result of `diff`.

    `structure` has sentences on what differs without a run (coordinates, tokens, positions, lengths, sublayers), and
    `undecided` has those on position functions that may differ. Where a tolerance is given, differences in the first
    position and the maximum length are in `limits` and do not count, since an export takes them from its tables.

    `first` is the first difference in a run: input, layer, part, position (from 1), coordinate, and both values; None
    where there is none. If the models make sequences of different lengths of an input, the part is "length", the values
    are the lengths, and position and coordinate are None. `inputs` counts the inputs that were run, `different` those
    on which the models differ, and `answers` those on which all values agree and only the answers differ (the part
    "answer"). Answers are not compared where the `shapes` of the two readouts differ.

    `open` counts the inputs on which a choice, or whether two values differ, is undecided in intervals, before any
    difference; so `first` is then only the first difference that is known. `close` counts the inputs on which nothing
    differs or is undecided, but some values are only known to agree within `CLOSE` beyond the tolerance.
    """

    REPORT = "diff"

    models: tuple[str, str]
    structure: tuple[str, ...]
    first: dict[str, Any] | None
    inputs: int
    max_length: int
    tolerance: str
    open: int = 0
    different: int = 0
    close: int = 0
    undecided: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    shapes: tuple[str, str] = ("", "")
    answers: int = 0
    asked: Strings | None = None
    """The strings that were compared; None for models of rows."""
    first_answer: dict[str, Any] | None = None
    """The first input whose verdicts or labels differ, {"input", "first", "second"} with answers as text; None where
    there is none, and where the readouts give other answers than these."""
    alike_to: int | None = None
    """Where prefixes were grouped in hulls, since the strings are more than were run: the greatest length such that
    verdicts or labels are equal on all strings of the lengths from 1 to it. None in other comparisons."""
    stopped: str | None = None
    """Where hulls left an answer open first, and by how much; None where they left none open, and in other
    comparisons."""
    values: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})
    """The values of the parameters of each model, its defaults, as text."""

    @property
    def named(self) -> tuple[str, str]:
        """What the two models are called in sentences."""
        first, second = self.models
        return (f"{first} (first)", f"{second} (second)") if first == second else (first, second)

    @property
    def extent(self) -> Extent:
        """The strings up to `alike_to`, the positions and the values that the comparison is about."""
        language = None if self.asked is None or self.asked.language is None else self.asked.text
        positions = None if self.asked is None else self.asked.positions
        return Extent(language, 1, self.alike_to, False, positions, *self.values, second=self.named[1])

    @property
    def same(self) -> bool | None:
        """Whether structure and values are the same (`close` counts as the same). None where no difference is known and
        something is undecided."""
        if self.first is not None or self.structure:
            return False
        return None if self.open or self.undecided or self.stopped is not None else True

    @property
    def holds(self) -> bool | None:
        """Whether the two models are the same: `same`."""
        return self.same

    @property
    def status(self) -> str:
        """SAME, DIFFERENT or OPEN (undecided)."""
        return {True: "SAME", False: "DIFFERENT", None: "OPEN"}[self.same]

    @property
    def counterexample(self) -> str | None:
        """The input of `first`; None if the models differ in their structure alone, or no difference is known."""
        return None if self.first is None else self.first["input"]

    @property
    def why(self) -> str | None:
        """What differs in the structure, or what is undecided; None if there is neither."""
        undecided = [f"{self.open} of {self.inputs} inputs are undecided"] if self.open and self.same is None else []
        stopped = [self.stopped] if self.stopped is not None and self.same is None else []
        return "; ".join([*self.structure, *self.undecided, *undecided, *stopped]) or None

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook diff --json``."""
        return (
            {
                "models": list(self.models),
                "same": self.same,
                "structure": [*self.structure, *self.limits],
                "undecided": list(self.undecided),
                "first": self.first,
                "first_answer": self.first_answer,
                "inputs": self.inputs,
                "different": self.different,
                "different_answers_only": self.answers if len(set(self.shapes)) == 1 else None,
                "max_length": self.max_length,
                "open": self.open,
                "close": self.close,
                "close_within": f"1e-{CLOSE_DIGITS}",
                "tolerance": self.tolerance,
                **({} if self.alike_to is None else {"alike_to": self.alike_to, "stopped": self.stopped}),
            }
            | ({} if self.asked is None else self.asked.to_json())
            | self.extent.to_json()
        )


@door()
def diff(
    first: Transformer,
    second: Transformer,
    max_length: int | None = None,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    tolerance: Exact = 0,
    progress: Progress | None = None,
) -> Diff:
    """The first input on which two models differ, and all differences of their coordinates.

    Both models are run on the same inputs, shortest first. Every coordinate that both have is compared after each
    sublayer; where their layers are not alike, at the end only. Answers are compared where both readouts have the
    same shape. The inputs are all strings up to `max_length` symbols, at most `INPUTS`; for models over numbers,
    rows over 0, 1, -1 and 1/2. Of two dense models, such as trained ones, verdicts and labels are compared on all
    strings where hulls over prefixes decide them, and values on the first `INPUTS` strings only. Values differ where
    their intervals of 256 bits prove that they are more than `tolerance` apart, and are equal where the intervals
    prove that they are not. Otherwise they are close, or it is undecided (`Diff`). Parameters have their defaults.

    Arguments:
        second: Transformer. The other model.
        max_length: int or None (None). The maximum length; 6 by default, or the longest of finitely many `inputs`.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). At which positions values are compared.
        tolerance: exact number (0). Values that are at most so far apart are equal.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Diff with `.holds` (True: no difference), `.counterexample`.

    Raises: BadInput: the two models take different inputs.

    Example:

    >>> from symcook.recipes import build
    >>> diff(build("dyck-1"), build("dyck-1"), 2).holds
    True
    """
    first_model, second_model = first.bind(), second.bind()  # symbols take their defaults
    near = fraction(exact(tolerance))
    if near < 0:
        raise BadInput("a tolerance must not be negative", quotient(near), "give for example --tolerance 1/1000")
    max_length = _common_length(first_model, second_model, max_length, inputs)
    # The strings that are run, and the positions at which they are compared.
    asked = None
    if first_model.alphabet:
        # The empty string is an input only where both models have a position at it.
        shortest = max(model.embedding.shortest for model in (first_model, second_model))
        asked = strings(first_model, range(shortest, max_length + 1), inputs, sample, seed, positions)
        first_model, second_model = asked.counted(first_model), asked.counted(second_model)
    elif positions is not None:
        raise BadInput(
            "positions must be chosen only for models that read strings",
            f"{first_model.name}, which reads numbers",
            "leave --positions out",
        )
    # Of more strings than are run, hulls compare the answers, where that is possible.
    hulls, most = None, INPUTS
    if asked is not None and asked.count > (INPUTS if asked.language is None else MOST):
        if _shape(first_model) == _shape(second_model):
            from symcook.export.answers_in_hulls import answers_alike

            hulls = answers_alike(first_model, second_model, asked)
        if asked.language is not None and hulls is None:
            raise BadInput(f"two models must be compared on at most {MOST:,} strings", asked.says, "give --sample 500")
    elif asked is not None and asked.language is not None:
        most = asked.count
    # Run both models, and count inputs that differ, that are only close, and that are undecided.
    count = opened = different = close = answers = 0
    first_difference = first_answer = None
    first_inputs = list(islice(_inputs(first_model, max_length, asked), most))
    if hulls is not None and hulls.different is not None:
        text, tokens = first_model.embedding.written(hulls.different), first_model.tokens(hulls.different)
        first_inputs += [] if any(text == earlier for earlier, _ in first_inputs) else [(text, tokens)]
    most = len(first_inputs)
    for input_text, tokens in first_inputs:
        count += 1
        if progress is not None:
            progress(count, most)
        try:
            results = _results(first_model, second_model, tokens)
            difference, known = _compared(*results, near, positions)
        except Undecided:
            opened += 1
            continue
        opened += known is None
        if difference is not None:
            different += 1
            answers += difference.get("part") == "answer"
            first_difference = first_difference or {"input": input_text, **difference}
            if first_answer is None and (changed := _changed_answer(*results)) is not None:
                first_answer = {"input": input_text, "first": changed[0], "second": changed[1]}
        elif known is False:
            close += 1
    # What differs without a run. With a tolerance, differences in the maximum length and in the first position are
    # limits.
    apart = list(differences(first.bind(), second.bind(), near=near))
    limits = [entry for entry in apart if entry.limit and near]
    others = [entry for entry in apart if entry not in limits]
    structure = tuple(str(entry) for entry in others if entry.decided)
    undecided = tuple(str(entry) for entry in others if not entry.decided)
    return Diff(
        models=(first.name, second.name),
        structure=structure,
        first=first_difference,
        inputs=count,
        max_length=max_length,
        tolerance=quotient(near),
        open=opened,
        different=different,
        close=close,
        undecided=undecided,
        limits=tuple(map(str, limits)),
        shapes=(_shape(first_model), _shape(second_model)),
        answers=answers,
        asked=asked,
        first_answer=first_answer,
        alike_to=None if hulls is None else hulls.to,
        stopped=None if hulls is None else hulls.stopped,
        values=(values_of(first), values_of(second)),
    )


def _common_length(first: Transformer, second: Transformer, max_length: int | None, inputs: Language | None) -> int:
    """The length to which two models are compared; BadInput where they take other inputs, or none of this length."""
    if inputs is not None and not first.alphabet:
        raise BadInput(
            "inputs must be chosen only for models that read strings",
            f"{first.name}, which reads numbers",
            "leave --inputs out",
        )
    pointwise = next((model.name for model in (first, second) if model.pointwise), None)
    if pointwise is not None and max_length is not None:
        must = "--max-length must be used with models that read sequences"
        raise BadInput(must, f"{pointwise}, which reads a single row of numbers", "leave --max-length out")
    if max_length is None:
        max_length = LENGTH if inputs is None else longest(first, inputs, LENGTH)
    if not 1 <= max_length <= COMPARED:
        raise BadInput(
            f"the maximum length must be an integer from 1 to {COMPARED}", max_length, "give for example --max-length 6"
        )
    if pointwise is not None:
        max_length = 1  # a feed-forward recipe takes one row
    for model in (first, second):
        model.check_length(max_length + model.embedding.added)
    if first.alphabet != second.alphabet or first.embedding.inputs != second.embedding.inputs:
        inputs_taken = " and ".join(f"{_takes(model)} for {model.name}" for model in (first, second))
        raise BadInput(
            "two models that are compared must read the same inputs",
            inputs_taken,
            "compare two models over one alphabet",
        )
    return max_length


def _takes(model: Transformer) -> str:
    """The inputs that a model takes, for a message."""
    return " ".join(model.alphabet or model.embedding.inputs or ())


def _inputs(model: Transformer, max_length: int, asked: Strings | None) -> Iterator[tuple[str, Any]]:
    """Inputs as text and as `forward` takes them."""
    embedding = model.embedding
    if asked is not None:
        for n in asked.lengths:
            for word in asked.each(n):
                yield embedding.written(word), model.tokens(word)
        return
    from symcook.run import show_rows

    # Models that read numbers: all rows over four values.
    for n in range(1, 2 if model.pointwise else max_length + 1):
        for values in product(("0", "1", "-1", "1/2"), repeat=n * len(embedding.inputs or ())):
            size = len(embedding.inputs or ())
            rows = [dict(zip(embedding.inputs or (), values[k * size :], strict=False)) for k in range(n)]
            checked = model.rows(rows)
            yield show_rows(checked), checked


def _shape(model: Transformer) -> str:
    """What a readout gives, in words."""
    readout = model.readout
    shown = (
        f"{'probabilities' if readout.normalized else 'values'} of {', '.join(sorted(readout.labels or readout.reads))}"
    )
    what = "a verdict" if readout.decides else "a label" if readout.labelled else shown
    ends = " and ".join(token for end in model.embedding.ends for token in end)
    return what + (" at each position" + (f" with {ends}" if ends else "")) * readout.each


def _answers(result: Result) -> dict[str, Sequence[object]]:
    """What a readout gives: for each name the values at `answered`; verdicts and labels as text, None where open."""
    readout = result.model.readout
    if readout.labelled:
        return {"label": [result.label(place) for place in result.answered]}
    if readout.decides:
        verdicts = {True: "accept", False: "reject"}
        return {"verdict": [verdicts.get(answer) for answer in result.answers]}
    return {name: [column[place] for place in result.answered] for name, column in result.columns().items()}


def _results(first_model: Transformer, second_model: Transformer, tokens: Sequence[Any]) -> tuple[Result, Result]:
    """The traced runs of both models, each with the tokens that it adds itself."""
    results = []
    for model in (first_model, second_model):
        side_tokens = tokens
        if model.embedding.inputs is None:
            side_tokens = model.embedding.surround(first_model.embedding.typed(tokens))
        results.append(_traced(model, side_tokens))
    return results[0], results[1]


def _changed_answer(a: Result, b: Result) -> tuple[str, str] | None:
    """The answers of both runs as text, where both are verdicts or labels that are known and differ; else None."""
    if _shape(a.model) != _shape(b.model) or not (a.model.decides or a.model.readout.labelled):
        return None
    pair = [next(iter(_answers(side).values())) for side in (a, b)]
    if pair[0] == pair[1] or any(answer is None for answers in pair for answer in answers):
        return None
    first, second = (", ".join(map(str, answers)) for answers in pair)
    return first, second


def _compared(a: Result, b: Result, near: Fraction, positions: str | None) -> tuple[dict[str, Any] | None, bool | None]:
    """The first difference that is known on an input, and what is known of all values before it: True if all are equal,
    False if some are only close, None if some are undecided."""
    first_model, second_model = a.model, b.model
    domain: Any = a.domain
    # Inputs of different length have no positions in common.
    if len(a.everywhere) != len(b.everywhere):
        place = {"layer": 0, "part": "length", "position": None, "coordinate": None}
        return {**place, "first": str(len(a.everywhere)), "second": str(len(b.everywhere))}, True
    # What is compared, in this order: the residual stream after each sublayer (or only at the end, where the sublayers
    # are not alike), what the readout shows, and the answers.
    depth = len(READS.of(first_model).layers)
    if [(s.layer, s.part) for s in a.steps] == [(s.layer, s.part) for s in b.steps]:
        pairs = [(s.layer, s.part, s.columns, t.columns) for s, t in zip(a.steps, b.steps, strict=True)]
    else:
        pairs = [(depth, "the end", a.stream, b.stream)]
    if first_model.readout.rule == second_model.readout.rule or (
        first_model.readout.labelled and second_model.readout.labelled
    ):
        first_columns, second_columns = (
            {name: side.scores[name] for name in a.scores if name in b.scores} for side in (a, b)
        )
        pairs.append((depth, "readout", first_columns, second_columns))
    if _shape(first_model) == _shape(second_model):
        pairs.append((depth, "answer", _answers(a), _answers(b)))
    known: bool | None = True
    # The first difference ends the search; `known` is the second part of the result.
    for layer, part, first_columns, second_columns in pairs:
        names = (
            first_columns
            if part in ("readout", "answer")
            else [n for n in first_model.space if n in second_model.space]
        )
        places = range(len(a.answered)) if part == "answer" else a.everywhere if positions is None else a.places
        for place in places:
            for name in names:
                x, y = _entry(first_columns, name, place), _entry(second_columns, name, place)
                match _apart(domain, x, y, near):
                    case "different":
                        first, second = (
                            v if isinstance(v, str) else domain.show(_ball(domain, v), 30)["mid"] for v in (x, y)
                        )
                        at = a.answered[place] if part == "answer" else place
                        where = {
                            "layer": layer,
                            "part": part,
                            "position": at % len(a.everywhere) + 1,
                            "coordinate": name,
                        }
                        return {**where, "first": first, "second": second}, known
                    case "close":
                        known = known and False
                    case "open":
                        known = None
    return None, known


def _traced(model: Transformer, given: object) -> Result:
    """The run of a model in rigorous intervals, with the residual stream after each sublayer."""
    from symcook.domains import make_domain

    return forward(model, given, make_domain("ball", bits=BITS), trace=True, weights=False)


def _entry(columns: Mapping[str, Sequence[object]], name: str, place: int) -> Any:
    """The entry of a column; 0 where a model does not compute the coordinate."""
    from flint import fmpq

    return columns[name][place] if name in columns else fmpq(0)


def _ball(domain: Domain, x: object) -> Any:
    """A value as the domain reads it."""
    return domain.read([x], 0)


def _apart(domain: Domain, x: fmpq | arb | str | None, y: fmpq | arb | str | None, near: Fraction) -> str:
    """How two values compare: "equal" (within `near`) or "different" where one of the two is proved, else "close" or
    "open". An answer of None is open."""
    from flint import arb, fmpq

    if x is None or y is None:
        return "open"
    if isinstance(x, str) or isinstance(y, str):
        return "equal" if x == y else "different"
    most = fmpq(near.numerator, near.denominator)
    if isinstance(x, fmpq) and isinstance(y, fmpq):
        return "different" if abs(x - y) > most else "equal"
    with PRECISION, domain.context():
        distance = abs(arb(x) - arb(y))
        if distance > arb(most):
            return "different"
        if distance <= arb(most):
            return "equal"
        return "close" if distance <= arb(most + fmpq(CLOSE.numerator, CLOSE.denominator)) else "open"
