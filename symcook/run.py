"""Running a model on one input: the number system, the increasing precision, and the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symcook.declaration import load
from symcook.domains import RUNNABLE, make_domain
from symcook.door import check_digits, door
from symcook.errors import BadInput, Undecided, unknown
from symcook.forward import Result, forward, rounds
from symcook.locks import PRECISION
from symcook.model.answers import Reply
from symcook.model.choices import DomainWord
from symcook.model.extent import Extent, values_of
from symcook.model.symbols import Exact, from_sympy
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from symcook.questions.attribution import Attribution


def domains_for(name: str, digits: int, bits: int | None = None) -> Any:
    """The number systems to try one after the other until the answer has `digits` digits: a list of one, but for balls
    an iterator over several, which can be read once.

    `bits` is only for mpmath: every operation is rounded to so many bits. Raises BadInput for `bits` with another one.
    """
    if bits is not None and name != "mpmath":
        raise BadInput("a number of bits must go with the number system mpmath", name, "add --domain mpmath")
    if name == "mpmath":
        from symcook.domains.mp import check_bits, digits_of
        from symcook.numbers.balls import bits_for

        if bits is None:
            return [make_domain(name, bits=bits_for(digits))]
        return [make_domain(name, bits=check_bits(bits), digits=digits_of(bits), simulates=True)]
    if name != "ball":
        return [make_domain(name)]
    from symcook.domains.ball import LIMIT_BITS
    from symcook.numbers.balls import bits_for, ladder

    first = bits_for(digits)
    return (make_domain("ball", bits=bits) for bits in ladder(first, max(LIMIT_BITS, 4 * first)))


NUMERAL = re.compile(r"-?\d+(?:/\d+)?")
"""A rational number as text."""


@dataclass(frozen=True, repr=False)
class Run(Reply):
    """The answer of a model on one input."""

    REPORT = "run"

    result: Result
    """The result of the forward pass."""
    digits: int
    """The number of digits of shown values."""
    given: str
    """The input as text."""
    numeric: bool = False
    """Whether symbols of the input were given as numbers, so that symbols of the answer are numbers too."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of the parameters of the model, given or by default, as text."""

    @property
    def extent(self) -> Extent:
        """The values that the run is about; its one input is named elsewhere."""
        return Extent(values=self.values)

    @property
    def accept(self) -> bool | None:
        """The verdict; None if the model decides nothing, if the answer is undecided, or if no answer counts
        (`symcook.words.positions`)."""
        return self.result.accept if self.result.places else None

    def _advice(self, name: str) -> str | None:
        """Advice for a logit, and for a coordinate."""
        if name in ("logit", "score", "scores"):
            return "write run.logits"
        return f'write run.array("{name}")' if name in self.result.model.space else None

    @property
    def undecided(self) -> bool:
        """Whether an answer of the model remained undecided at the limit of precision."""
        return None in self.result.answers

    @property
    def holds(self) -> bool | None:
        """Whether the model accepts: `accept`."""
        return self.accept

    @property
    def status(self) -> str:
        """ACCEPT, REJECT, OPEN (undecided), or COMPUTED for a model whose answer is no verdict."""
        if self.undecided:
            return "OPEN"
        return {True: "ACCEPT", False: "REJECT", None: "COMPUTED"}[self.accept]

    @property
    def why(self) -> str | None:
        """The reason why the answer is undecided; None if it is decided."""
        return "an answer is undecided at the largest working precision" if self.undecided else None

    @property
    def simulates(self) -> bool:
        """Whether the answer is that of a runtime with the same rounding, which may be wrong."""
        return rounds(self.result.domain) and self.result.domain.simulates

    @property
    def output(self) -> dict[str, Any]:
        """{name: value} at the readout's position, as in JSON; {} if no answer counts."""
        return self.shown(self.result.place) if self.result.places else {}

    @property
    def outputs(self) -> list[Any] | None:
        """For a readout at each position, the answers: each is a verdict, a label, a value, or {coordinate: value}.

        For a readout that accepts iff every position does, these are the values at the positions. For a readout at one
        position it is a list of the label, or None if it gives no label. An undecided answer is None.

        Numbers are numbers for a compiled program: an int or a Fraction where it outputs numbers, and an int for a
        label that is a numeral if the input was given as numbers. Other values are as in JSON (`outputs_shown`).

        Example:
            >>> import symcook as sc
            >>> sc.compile("srasp", "out(i) = 2*indices(i)", alphabet="ab").run("abb").outputs
            [0, 2, 4]
        """
        shown, readout = self.outputs_shown, self.result.model.readout
        if shown is None or not (self.numeric if readout.labelled else self.result.model.program is not None):
            return shown
        if readout.each and self.result.verdicts is not None and not readout.labelled:
            return shown
        return [_number(one) for one in shown]

    @property
    def outputs_shown(self) -> list[Any] | None:
        """The answers as JSON and reports have them: numbers as text. None as for `outputs`."""
        result, readout = self.result, self.result.model.readout
        if readout.labelled:
            return [result.label(place) for place in result.answered]
        if not readout.everywhere:
            return None
        if readout.each and result.verdicts is not None:
            return result.answers
        rows = [self.shown(place) for place in result.places]
        return [row[readout.reads[0]] for row in rows] if len(result.columns()) == 1 else rows

    @property
    def trace(self) -> list[dict[str, Any]]:
        """The residual stream after each sublayer, {coordinate: values by position}; [] for a run without a trace.

        After an attention sublayer, "attention" has for each head a row of weights for each query position, [] for a
        head that writes nothing. Inputs of more than `symcook.forward.MOST_WEIGHTS` positions have no weights.
        """
        system = self.result.domain
        documents = []
        with PRECISION, system.context():
            places = self.result.everywhere

            def shown(column: object) -> list[Any]:
                """The values of a column at all positions, as in JSON."""
                return [system.show(system.read(column, place), self.digits) for place in places]

            for step in self.result.steps:
                columns = {name: shown(column) for name, column in step.columns.items()}
                document = {"layer": step.layer, "part": step.part, "coordinates": columns}
                if step.attention:
                    # A head has a column of weights for each key position; the document has a row for each query
                    # position.
                    heads = (list(map(shown, head)) for head in step.attention)
                    document["attention"] = [list(map(list, zip(*head, strict=True))) for head in heads]
                documents.append(document)
        return documents

    def shown(self, place: int) -> dict[str, Any]:
        """{name: value} that the readout shows at the index `place`, as in JSON."""
        with PRECISION, self.result.domain.context():
            values = self.result.values(place)
            return {name: self.result.domain.show(value, self.digits) for name, value in values.items()}

    @cached_property
    def _activations(self) -> Any:
        """The numbers of the run at every position (`symcook.questions.activations`)."""
        return load("symcook.questions.activations:Activations")(self)

    @door(name='give a coordinate, as in run.array("balance")')
    def array(self, name: str, *, exact: bool = False) -> NDArray[Any]:
        """The values of a coordinate at every position, after the last layer.

        Arguments:
            name: a coordinate of the model.
            exact: exact numbers of sympy in place of the nearest floats; for a run in the number system exact.

        Returns: a float64 array of shape (positions,); special tokens such as BOS are positions too. With `exact` an
        array of objects.

        Raises BadInput, with the nearest name, for a name that is no coordinate.
        Example:
            >>> from symcook.recipes import build
            >>> build("dyck-1").run("())(").array("balance").round(3).tolist()
            [1.0, 0.0, -0.333, 0.0]
        """
        return self._activations.coordinate(name, exact)

    @door(layer="give layer=1", head="give head=1")
    def attention(self, layer: int, head: int, *, exact: bool = False) -> NDArray[Any]:
        """The weights of a head: a row for each position that attends, a column for each position that is attended to.

        Arguments:
            layer: the layer, counted from 1.
            head: the head of the layer, counted from 1.
            exact: exact numbers of sympy in place of the nearest floats.

        Returns: a float64 array of shape (positions, positions). A row that sees nothing is zero.

        Raises BadInput, with the heads that there are, for a head that the model does not have.
        Example:
            >>> from symcook.recipes import build
            >>> build("dyck-1").run("())").attention(1, 1, exact=True)[1].tolist()
            [1/2, 1/2, 0]
        """
        return self._activations.attention(layer, head, exact)

    @property
    def logits(self) -> NDArray[Any]:
        """The scores of the output layer, before any softmax, as a float64 array: (positions,) for a sign readout, else
        (positions, labels). Raises BadInput for an output layer without scores."""
        return self._activations.logits()

    @door(label="give a label of the output layer", position="give a position, as traces count it")
    def attribution(self, label: str | None = None, *, position: int | None = None) -> Attribution:
        """What each part adds to a logit, directly: the embedding, each head, each hidden unit.

        Arguments:
            label: the label whose score it is; by default the one that is answered.
            position: the position i, as statements and traces count it: from 0 in a model whose CLS is at 0
                (`embedding.start`), else from 1. By default the one that the output layer reads, or the last.

        Returns: an `Attribution`, whose `parts` are {part: contribution}, exact for a run in exact numbers. Their sum
        is the logit. A final norm is taken at the factor of this run, which the answer says.

        Raises BadInput for a model without logits, and for one with a norm after a block.
        Example:
            >>> from symcook.recipes import build
            >>> build("first").run("10").attribution().parts["L2.head1"]
            E/(2*(2 + E))
        """
        return load("symcook.questions.attribution:attribution")(self, label, position)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The activations with a name of TransformerLens, as a float64 array; blocks and heads count from 0.

        See `symcook.questions.hooks` for the names and the shapes. Raises BadInput for any other name.

        Example:
            >>> from symcook.recipes import build
            >>> build("dyck-1").run("())")["blocks.0.attn.hook_pattern"].shape
            (1, 3, 3)
        """
        return load("symcook.questions.hooks:hooked")(self._activations, name)

    def svg(self, dark: bool = False) -> str:
        """A picture of the trace as an SVG document, with `dark` for a dark page; see `symcook.report.picture.svg`."""
        return self._report().svg(self, dark)

    def plot(self) -> Figure:
        """The residual stream of a traced run as a matplotlib figure.

        Each row is a coordinate, under the sublayer that changed it; each column is a position, with its exact value.
        Needs matplotlib (`pip install 'symcook[plots]'`). Raises BadInput as `svg` does, and without matplotlib.
        Example: `sc.build("dyck-1").run("())(", trace=True).plot().savefig("run.pdf")`
        """
        return self._report().plot(self)

    def plot_attention(self) -> Figure:
        """The attention pattern of each head of a traced run as a matplotlib figure, with the exact weights.

        A row is the position that attends, a column the position that it attends to. Needs matplotlib as `plot` does.
        Raises BadInput as `plot` does, and where no head writes anything.
        Example: `sc.build("dyck-1").run("())(", trace=True).plot_attention().savefig("heads.pdf")`
        """
        return self._report().attention(self)

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook run --json``."""
        model = self.result.model
        document: dict[str, Any] = {"recipe": model.name, "input": self.given, "domain": self.result.domain.name}
        document |= self.extent.to_json()
        if model.decides:
            document["accept"] = self.accept
        if self.simulates:
            document["reliable"] = self.result.reliable
        document["output"] = self.output
        if self.outputs_shown is not None:
            document["outputs"] = self.outputs_shown
            # A compiled program outputs tokens: verdicts are the texts "0" and "1" here.
            if model.program is not None and model.decides:
                document["outputs"] = [None if bit is None else str(int(bit)) for bit in self.outputs_shown or ()]
        if self.result.steps:
            document["trace"] = self.trace
        return document


def _number(shown: Any) -> Any:
    """Text of a rational number as an int or a Fraction, also within {coordinate: text}; anything else as it is."""
    if isinstance(shown, Mapping):
        return {name: _number(value) for name, value in shown.items()}
    if not isinstance(shown, str) or not NUMERAL.fullmatch(shown):
        return shown
    number = Fraction(shown)
    return int(number) if number.denominator == 1 else number


class SeveralRuns(list[Run]):
    """The runs of `run_many`, a list in the order of the inputs. Arrays of all runs have one more axis, the first."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """AttributeError which says how to ask each of the runs."""
            do = f"; write [run.{name} for run in runs]" if hasattr(Run, name) else ""
            raise AttributeError(f"the list of runs has no attribute {name!r}{do}")

    @door(name='give a coordinate, as in runs.array("balance")')
    def array(self, name: str, *, pad: bool = False) -> NDArray[Any]:
        """The values of a coordinate in each run: float64, shape (runs, positions).

        Arguments:
            name: a coordinate of the model.
            pad: fill shorter inputs with nan at their end. Without it, inputs of different lengths are refused.
        """
        return _stacked([one.array(name) for one in self], pad)

    @door(layer="give layer=1", head="give head=1")
    def attention(self, layer: int, head: int, *, pad: bool = False) -> NDArray[Any]:
        """The weights of a head in each run: float64, shape (runs, positions, positions); `pad` as in `array`."""
        return _stacked([one.attention(layer, head) for one in self], pad)

    def logits(self, *, pad: bool = False) -> NDArray[Any]:
        """The scores of the output layer in each run: float64, shape (runs, positions) or (runs, positions, labels);
        `pad` as in `array`."""
        return _stacked([one.logits for one in self], pad)


def _stacked(arrays: Sequence[NDArray[Any]], pad: bool) -> NDArray[Any]:
    """Arrays of several runs in one; with `pad` shorter ones are filled with nan at the end of each axis."""
    import numpy as np

    lengths = sorted({len(one) for one in arrays})
    if not lengths:
        raise BadInput("activations must be read from at least one run", "none", "give an input")
    if len(lengths) > 1 and not pad:
        given = f"lengths from {lengths[0]} to {lengths[-1]}"
        raise BadInput(
            "inputs that are returned as one array must all have the same length",
            given,
            "write pad=True to fill with nan",
        )
    shape = tuple(max(one.shape[axis] for one in arrays) for axis in range(arrays[0].ndim))
    filled = np.full((len(arrays), *shape), np.nan)
    for one, place in zip(arrays, filled, strict=True):
        place[tuple(map(slice, one.shape))] = one
    return filled


def show_rows(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of inputs as text, for answers that contain their input."""
    return "; ".join(", ".join(f"{name}={from_sympy(value)}" for name, value in row.items()) for row in rows)


def prepare(model: Transformer, given: Any) -> tuple[Any, str]:
    """The checked input with special tokens, and its text without them. `given` is a string (text or tokens) or rows.

    All inputs are checked and completed here before a run.
    """
    if model.embedding.inputs is None:
        tokens = model.tokens(given)
        return tokens, model.embedding.written(model.embedding.typed(tokens))
    rows = model.rows([given] if isinstance(given, Mapping) else given)
    return rows, show_rows(rows)


@door(given='write run("ab") for a string, run({"x": 1}) for numbers')
def run(
    model: Transformer,
    given: object,
    domain: DomainWord = "exact",
    *,
    values: Mapping[str, Exact] | None = None,
    digits: int = 30,
    bits: int | None = None,
    trace: bool = False,
) -> Run:
    """The run of the model on one input: its answer, and every coordinate at every position.

    In the number system mpmath the working precision follows `digits`, and so many digits of shown values must be
    correct in spite of rounding. For balls the precision doubles until every shown value has radius at most
    10^-digits max(1, |mid|) and the verdict is decided; if the limit comes first, the run says so (`Run.undecided`)
    or raises Undecided.

    Arguments:
        given: str, a sequence of tokens, or rows {input: value}. A feed-forward model takes a single row.
        domain: str ("exact"). The number system: "exact", "ball", "mpmath", "float64", "float32" or "float16".
        values: {parameter: exact value} (None). A parameter without a value has its default.
        digits: int (30). Decimal digits, for ball and mpmath.
        bits: int or None (None). With mpmath: every operation is rounded to so many bits.
        trace: bool (False). Record the residual stream after each sublayer.

    Returns: Run with `.accept` (None for a model that does not decide), `.output`, `.outputs`, `.trace`.

    Raises: BadInput: an input that the model does not take. Undecided: a comparison is still
    unknown with 16,384 bits. NotExact: the exact number system has no such number.

    Example:

    >>> import symcook as sc
    >>> sc.build("dyck-1").run("(())").accept
    True
    """
    if domain not in RUNNABLE:
        raise unknown("number system", domain, list(RUNNABLE))

    digits = check_digits(digits)
    bound = model.bind(values)
    sequence, text = prepare(bound, given)
    if bound.embedding.inputs is not None and any(v.free_symbols for row in sequence for v in row.values()):
        raise BadInput("inputs must be numbers", text, "use derive for symbols")
    if model.program is not None:
        from symcook.spec.programs import refuse_uncovered

        refuse_uncovered(model.program, sequence)
    numeric = isinstance(given, Sequence) and any(isinstance(symbol, int) for symbol in given)
    last_run, last_error = None, None
    # Several number systems, each more precise than the one before, exist only for balls.
    for system in domains_for(domain, digits, bits):
        try:
            result = forward(bound, sequence, system, trace=trace)
        except Undecided as error:
            last_error = error
            continue
        last_run = Run(result, digits, text, numeric, values_of(model, values))
        # For rounded numbers, the intervals that bound their errors say whether the digits are right.
        interval_run = result.bounded or result
        with PRECISION, interval_run.domain.context():
            digits_known = all(
                interval_run.domain.settled(v, digits)
                for place in result.places
                for v in interval_run.values(place).values()
            )
        if digits_known and not last_run.undecided:
            return last_run
    # No number system was precise enough. An undecided verdict is an answer; the other two cases raise Undecided: no
    # result, or unknown digits.
    if last_run is None:
        raise last_error or Undecided("the run stayed undecided")
    if not last_run.undecided:
        do = "use --domain ball (rigorous intervals)" if domain == "mpmath" else "ask for fewer"
        raise Undecided(f"the values of {text} have fewer than {digits} digits at the largest working precision; {do}.")
    return last_run


@door(inputs='write the inputs as a list: run_many(["ab", "b"])')
def run_many(
    model: Transformer,
    inputs: Iterable[object],
    domain: DomainWord = "exact",
    *,
    values: Mapping[str, Exact] | None = None,
    **options: Any,
) -> SeveralRuns:
    """The runs of the model on several inputs, in turn.

    Arguments:
        inputs: iterable. The inputs, each as `run` takes it.
        domain: str ("exact"). The number system, as in `run`.
        values: {parameter: exact value} (None). Set once for all runs.
        options: any. Further arguments of `run`: `digits`, `bits`, `trace`.

    Returns: SeveralRuns, a list of Run, with `array` and `attention` of all of them.

    Raises: BadInput: text, which is one input; and as `run`.

    Example:

    >>> import symcook as sc
    >>> sc.build("dyck-1").run_many(["()", "("])
    [<Run dyck-1 on (): accept>, <Run dyck-1 on (: reject>]
    """
    bound = model.bind(values)
    return SeveralRuns(run(bound, given, domain, **options) for given in inputs)
