"""Runs of decoders compiled from Turing machines, token by token, in any number system."""

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
    wrong: int | None = None
    """Of a run in rounded numbers the position of the first token that is not the machine's: there it stops."""

    @property
    def output(self) -> str:
        """The symbols that were put out, joined, as far as the tokens are right."""
        right = self.tokens if self.wrong is None else self.tokens[: self.wrong - len(self.word) - 1]
        return "".join(token.symbol for token in right if isinstance(token, OutputToken))

    @property
    def documents(self) -> list[dict[str, object]]:
        """The tokens as ``run --steps --json`` prints them."""
        first = len(self.word) + 1
        return [{"position": first + k, **document(token)} for k, token in enumerate(self.tokens)]

    @property
    def last(self) -> dict[str, object]:
        """The last line of ``run --steps --json``."""
        stopped = "wrong" if self.wrong is not None else "end" if self.ended else "limit"
        return {"stopped": stopped, "output": self.output}


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
    """The tokens of a run as they come; then `ended` says whether the model ended by itself. In numbers that are
    rounded it stops at the first token, or the end, that is not the machine's: `wrong` is its position."""

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
        self.ended, self.wrong = False, None
        self.rounded = bits is not None or domain in FORMATS
        self.tokens: list[MachineToken] = []
        self.steps: list[IntegerStep] = []
        if domain == INTEGERS and not genuine(model):
            must = "a run in integers must have the weights that compile gives to the machine"
            raise BadInput(must, "other weights", "give --domain ball")

    def __iter__(self) -> Iterator[MachineToken]:
        exact = IntegerDecoder(self.machine).steps(self.word) if self.rounded else None
        for token in self._integers() if self.domain == INTEGERS else self._labels():
            if len(self.tokens) == self.limit:
                return
            self.tokens.append(token)
            yield token
            # The first token that the exact decoder does not output: the rest would be of no machine.
            if exact is not None and ((step := next(exact, None)) is None or step.token != token):
                self.wrong = len(self.word) + len(self.tokens)
                return
        # The model has ended, and the machine goes on.
        if exact is not None and self.wrong is None and next(exact, None) is not None:
            self.wrong = len(self.word) + len(self.tokens) + 1
        self.ended = self.wrong is None

    @property
    def run(self) -> MachineRun:
        """What has come so far."""
        tokens, steps = tuple(self.tokens), tuple(self.steps)
        return MachineRun(self.machine, self.word, self.domain, tokens, self.ended, steps, self.least, self.wrong)

    def _integers(self) -> Iterator[MachineToken]:
        """The tokens of the decoder in integers, whose steps are kept up to the limit."""
        self.model.tokens(self.word)  # BadInput where nothing stands in front of the first token
        for step in IntegerDecoder(self.machine).steps(self.word):
            if len(self.steps) < self.limit:
                self.steps.append(step)
            yield step.token

    def _labels(self) -> Iterator[MachineToken]:
        """The tokens that the model outputs, until the end; in rounded numbers until one that is no token of a
        machine."""
        named = {name: token for token, name in labels(self.machine).items()}
        for label in self._said():
            if label == END:
                return
            if label not in named and self.rounded:
                self.wrong = len(self.word) + len(self.tokens) + 1
                return
            if label not in named:
                must = "a run must output what the machine in the model file may do"
                raise BadInput(must, label, "the weights are not those of that machine: compile it again")
            yield named[label]

    def _said(self) -> Iterator[str]:
        """The labels that the model outputs, in floats or in another number system."""
        if self.domain in FORMATS:
            return FloatDecoder(self.model, self.domain).decode(self.word)
        from symcook.decode import stream

        return stream(self.model, self.word, self.limit + 1, self.domain, bits=self.bits)
