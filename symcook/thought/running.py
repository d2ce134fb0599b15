"""Runs of models that were compiled from Turing machines, token by token, in any numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from symcook.compilers import genuine
from symcook.domains import RUNNABLE
from symcook.errors import BadInput, require_known
from symcook.model.transformer import Transformer
from symcook.programs.steps import END, MachineToken, OutputToken, document, labels
from symcook.programs.turing import TuringMachine, read_turing
from symcook.thought.floats import FORMATS, FloatDecoder
from symcook.thought.integers import IntegerDecoder, IntegerStep

INTEGERS = "integers"
MACHINE_DOMAINS = (INTEGERS, *RUNNABLE)


@dataclass(frozen=True)
class MachineRun:
    """The tokens of a run, at most a limit of them; `ended` where the model ends by itself behind them."""

    machine: TuringMachine
    word: tuple[str, ...]
    domain: str
    tokens: tuple[MachineToken, ...]
    ended: bool
    steps: tuple[IntegerStep, ...] = ()
    """The same with heads and what they retrieved, where the run is in integers."""
    least: int = 0
    """The least cell of the input for which a token stands: 0, or 1 where the model has no $ in front."""

    @property
    def output(self) -> str:
        """The symbols that were put out, joined."""
        return "".join(token.symbol for token in self.tokens if isinstance(token, OutputToken))

    @property
    def documents(self) -> list[dict[str, object]]:
        """The tokens as ``run --steps --json`` prints them."""
        first = len(self.word) + 1
        return [{"position": first + k, **document(token)} for k, token in enumerate(self.tokens)]

    @property
    def last(self) -> dict[str, object]:
        """The last line of ``run --steps --json``."""
        return {"stopped": "end" if self.ended else "limit", "output": self.output}


def machine_of(model: Transformer) -> TuringMachine:
    """The machine that a model was compiled from. BadInput where there is none, and for the decoder of a theorem, whose
    tokens are others."""
    if model.program is None or model.program.kind != "tm":
        raise BadInput("a model must be compiled from a Turing machine", model.name, "symcook compile tm makes one")
    if model.program.theorem:
        must = "a model that is followed by tapes must be compiled from a Turing machine without --theorem"
        raise BadInput(must, f"{model.name}, of --theorem {model.program.theorem}", "symcook.decode.stream runs it")
    return _read(model.program.source)


_read = lru_cache(maxsize=16)(read_turing)


def run_machine(
    model: Transformer, word: str | Sequence[str], limit: int, domain: str = INTEGERS, bits: int | None = None
) -> MachineRun:
    """The run of a compiled machine behind `word`, to at most `limit` tokens.

    In integers, where the weights are those of the compiler; in floats by numpy with a cache, right or wrong; in any
    other domain by the forward pass, with mpmath rounded to `bits` at every operation where they are given. Raises
    BadInput for a foreign symbol or a blank in the word, and for integers where a weight was changed; Undecided.
    """
    stream = MachineStream(model, word, limit, domain, bits)
    for _ in stream:
        pass
    return stream.run


class MachineStream:
    """The tokens of a run as they come; then `ended` says whether the model ended by itself."""

    def __init__(
        self,
        model: Transformer,
        word: str | Sequence[str],
        limit: int,
        domain: str = INTEGERS,
        bits: int | None = None,
    ) -> None:
        require_known("number system", domain, MACHINE_DOMAINS)
        if bits is not None and domain != "mpmath":
            raise BadInput("a number of bits must go with the number system mpmath", domain, "add --domain mpmath")
        if type(limit) is not int or limit < 0:
            raise BadInput("the maximum number of tokens must be an integer of at least 0", limit)
        self.model, self.limit, self.domain, self.bits = model, limit, domain, bits
        self.machine = machine_of(model)
        self.word = self.machine.word(word)
        self.least = int(not model.embedding.added)
        self.ended = False
        self.tokens: list[MachineToken] = []
        self.steps: list[IntegerStep] = []
        if domain == INTEGERS and not genuine(model):
            must = "a run in integers must have the weights that compile gives to the machine"
            raise BadInput(must, "other weights", "give --domain ball")

    def __iter__(self) -> Iterator[MachineToken]:
        for token in self._integers() if self.domain == INTEGERS else self._labels():
            if len(self.tokens) == self.limit:
                return
            self.tokens.append(token)
            yield token
        self.ended = True

    @property
    def run(self) -> MachineRun:
        """What has come so far."""
        return MachineRun(
            self.machine, self.word, self.domain, tuple(self.tokens), self.ended, tuple(self.steps), self.least
        )

    def _integers(self) -> Iterator[MachineToken]:
        self.model.tokens(self.word)  # BadInput where nothing stands in front of the first token
        for step in IntegerDecoder(self.machine).steps(self.word):
            if len(self.steps) < self.limit:
                self.steps.append(step)
            yield step.token

    def _labels(self) -> Iterator[MachineToken]:
        named = {name: token for token, name in labels(self.machine).items()}
        for label in self._said():
            if label == END:
                return
            if label not in named:
                must = "a run must output what the machine in the model file may do"
                do = "the weights are not those of that machine: compile it again"
                if self.bits is not None or self.domain in FORMATS:
                    do = "where the weights are those of that machine, rounding makes it: give more bits"
                raise BadInput(must, label, do)
            yield named[label]

    def _said(self) -> Iterator[str]:
        if self.domain in FORMATS:
            return FloatDecoder(self.model, self.domain).decode(self.word)
        from symcook.decode import stream

        return stream(self.model, self.word, self.limit + 1, self.domain, bits=self.bits)

    def first_wrong(self) -> int | None:
        """The position of the first token that is not the machine's; None where all are (and the end, if it came)."""
        exact = IntegerDecoder(self.machine).steps(self.word)
        first = len(self.word) + 1
        for position, token in enumerate(self.tokens, first):
            step = next(exact, None)
            if step is None or step.token != token:
                return position
        return first + len(self.tokens) if self.ended and next(exact, None) is not None else None
