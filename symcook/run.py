"""Running a model on one input: the number system, the increasing precision, and the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symcook.domains import RUNNABLE, make_domain
from symcook.door import check_digits, door
from symcook.errors import BadInput, Undecided, unknown
from symcook.forward import Result, forward, rounds
from symcook.locks import PRECISION
from symcook.model.answers import Reply
from symcook.model.symbols import Exact, from_sympy
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    @property
    def accept(self) -> bool | None:
        """The verdict; None if the model decides nothing, if the answer is undecided, or if no answer counts
        (`symcook.words.positions`)."""
        return self.result.accept if self.result.places else None

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
        """
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
        if model.decides:
            document["accept"] = self.accept
        if self.simulates:
            document["reliable"] = self.result.reliable
        document["output"] = self.output
        if self.outputs is not None:
            document["outputs"] = self.outputs
            # A compiled program outputs tokens: verdicts are the texts "0" and "1" here.
            if model.program is not None and model.decides:
                document["outputs"] = [None if bit is None else str(int(bit)) for bit in self.outputs]
        if self.result.steps:
            document["trace"] = self.trace
        return document


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


@door()
def run(
    model: Transformer,
    given: object,
    domain: str = "exact",
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

    Raises: BadInput: an input that the model does not take. Undecided: a comparison is not known within the limit.
    NotExact: the exact number system has no such number.

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
    last_run, last_error = None, None
    # Several number systems, each more precise than the one before, exist only for balls.
    for system in domains_for(domain, digits, bits):
        try:
            result = forward(bound, sequence, system, trace=trace)
        except Undecided as error:
            last_error = error
            continue
        last_run = Run(result, digits, text)
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
        do = "use --domain ball" if domain == "mpmath" else "ask for fewer"
        raise Undecided(f"the values of {text} have fewer than {digits} digits at the largest working precision; {do}.")
    return last_run


@door()
def run_many(
    model: Transformer,
    inputs: Iterable[object],
    domain: str = "exact",
    *,
    values: Mapping[str, Exact] | None = None,
    **options: Any,
) -> list[Run]:
    """The runs of the model on several inputs, in turn.

    Arguments:
        inputs: iterable. The inputs, each as `run` takes it.
        domain: str ("exact"). The number system, as in `run`.
        values: {parameter: exact value} (None). Set once for all runs.
        options: any. Further arguments of `run`: `digits`, `bits`, `trace`.

    Returns: list of Run.

    Raises: as `run`.

    Example:

    >>> import symcook as sc
    >>> sc.build("dyck-1").run_many(["()", "("])
    [<Run dyck-1 on (): accept>, <Run dyck-1 on (: reject>]
    """
    bound = model.bind(values)
    return [run(bound, given, domain, **options) for given in inputs]
