"""Runs of decoders compiled from Turing machines, token by token, in any number system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from symcook.compilers import genuine
from symcook.domains import RUNNABLE
from symcook.errors import BadInput, NoRun, require_known
from symcook.model.transformer import Transformer
from symcook.programs.steps import END, MachineToken, OutputToken, document, labels
from symcook.programs.turing import TuringMachine, read_turing
from symcook.thought.floats import FORMATS, FloatDecoder
from symcook.thought.integers import IntegerDecoder, IntegerStep

INTEGERS = "integers"
"""The number system of `IntegerDecoder`, which computes heads by a theorem."""
MACHINE_DOMAINS = (INTEGERS, *RUNNABLE)
"""The number systems of runs of a compiled machine."""


@dataclass(frozen=True)
class MachineRun:
    """A run of a compiled machine, up to a limit of tokens."""

    machine: TuringMachine
    word: tuple[str, ...]
    """The input."""
    domain: str
    """The number system, one of `MACHINE_DOMAINS`."""
    tokens: tuple[MachineToken, ...]
    """The tokens that were generated."""
    ended: bool
    """Whether the model ended by itself after these tokens, and in rounded numbers the machine did too."""
    steps: tuple[IntegerStep, ...] = ()
    """For a run in integers: the same tokens, with the heads and what they retrieved."""
    least: int = 0
    """The smallest cell of the input tape that a token stands for: 0 for a model with $ before the input, else 1. So it
    is also the position of the first token."""
    wrong: int | None = None
    """For a run in rounded numbers: the position of the first wrong token or wrong end, at which the run stops. None if
    all tokens are those of the machine. A wrong token that the machine does not have is not among `tokens`."""

    @property
    def output(self) -> str:
        """The output symbols as one text (`TuringMachine.output_text`), without those of wrong tokens."""
        right = self.tokens if self.wrong is None else self.tokens[: self.wrong - len(self.word) - 1]
        return self.machine.output_text([token.symbol for token in right if isinstance(token, OutputToken)])

    @property
    def documents(self) -> list[dict[str, object]]:
        """The tokens as ``run --steps --json`` prints them."""
        first = len(self.word) + 1
        return [{"position": first + k, **document(token)} for k, token in enumerate(self.tokens)]

    @property
    def last(self) -> dict[str, object]:
        """The last line of ``run --steps --json``: how the run stopped, and its output."""
        stopped = "wrong" if self.wrong is not None else "end" if self.ended else "limit"
        return {"stopped": stopped, "output": self.output}


def machine_of(model: Transformer) -> TuringMachine:
    """The machine that a model was compiled from. BadInput if there is none, and for a decoder of `--theorem`, whose
    tokens are of another kind."""
    if model.program is None or model.program.kind != "tm":
        raise BadInput("a model must be compiled from a Turing machine", model.name, "symcook compile tm makes one")
    if model.program.theorem:
        must = "a model that is followed by tapes must be compiled from a Turing machine without --theorem"
        raise BadInput(must, f"{model.name}, of theorem {model.program.theorem}", "symcook.decode.stream runs it")
    return _read(model.program.source)


_read = lru_cache(maxsize=16)(read_turing)
"""The machine for its text, cached."""


def run_machine(
    model: Transformer, word: str | Sequence[str], limit: int, domain: str = INTEGERS, bits: int | None = None
) -> MachineRun:
    """The run of a compiled machine on the input `word`, with at most `limit` tokens.

    In integers it needs the weights of the compiler. In floats it uses numpy and a cache, and tokens may be wrong. In
    any other number system it uses the forward pass; mpmath rounds to `bits` at every operation, if they are given.
    Raises BadInput for an unknown symbol or a blank in `word`, and in integers for changed weights; Undecided if a
    choice of hard attention stays open.
    """
    stream = MachineStream(model, word, limit, domain, bits)
    for _ in stream:
        pass
    return stream.run


class MachineStream:
    """The tokens of a run, as they are generated; to be iterated once. Afterwards `ended` says whether the model ended
    by itself within the limit, with no wrong token.

    In rounded numbers, each token is compared with that of `IntegerDecoder`. The run stops at the first wrong token or
    wrong end, and `wrong` is its position."""

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
            raise BadInput(
                "the maximum number of tokens must be an integer of at least 0", limit, "give for example 100"
            )
        self.model, self.limit, self.domain, self.bits = model, limit, domain, bits
        self.machine = machine_of(model)
        self.word = self.machine.word(word)
        self.least = model.embedding.shortest
        self.ended, self.wrong = False, None
        self.rounded = bits is not None or domain in FORMATS
        self.tokens: list[MachineToken] = []
        self.steps: list[IntegerStep] = []
        if domain == INTEGERS and not genuine(model):
            must = "the fast run in integers must have the weights that symcook compile gives the machine"
            raise BadInput(must, "other weights", "give --domain ball (rigorous intervals)")

    def __iter__(self) -> Iterator[MachineToken]:
        """The tokens, at most `limit`; each is in `tokens` before it is given. A first wrong token is given too."""
        exact = IntegerDecoder(self.machine).steps(self.word) if self.rounded else None
        for token in self._integers() if self.domain == INTEGERS else self._labels():
            if len(self.tokens) == self.limit:
                return
            if token is None:
                self.wrong = len(self.word) + len(self.tokens) + 1
                return
            self.tokens.append(token)
            yield token
            # Stop at the first token that differs from the exact decoder's: later tokens would have no meaning.
            if exact is not None and ((step := next(exact, None)) is None or step.token != token):
                self.wrong = len(self.word) + len(self.tokens)
                return
        # The model has ended, but the exact decoder has a further token: the end is wrong.
        if exact is not None and self.wrong is None and next(exact, None) is not None:
            self.wrong = len(self.word) + len(self.tokens) + 1
        self.ended = self.wrong is None

    @property
    def run(self) -> MachineRun:
        """The run up to the present token."""
        tokens, steps = tuple(self.tokens), tuple(self.steps)
        return MachineRun(self.machine, self.word, self.domain, tokens, self.ended, steps, self.least, self.wrong)

    def _integers(self) -> Iterator[MachineToken]:
        """The tokens of the decoder in integers. Its steps are kept in `steps`, up to the limit."""
        self.model.tokens(self.word)  # BadInput for an empty input, if the model adds no $
        for step in IntegerDecoder(self.machine).steps(self.word):
            if len(self.steps) < self.limit:
                self.steps.append(step)
            yield step.token

    def _labels(self) -> Iterator[MachineToken | None]:
        """The tokens that the model generates, until the end. A label that is no token of the machine is None in
        rounded numbers, and an error in any other, if it is within the limit."""
        token_of_label = {name: token for token, name in labels(self.machine).items()}
        for label in rounded_labels(self._generated()) if self.rounded else self._generated():
            if label == END:
                return
            if label not in token_of_label and not self.rounded and len(self.tokens) < self.limit:
                must = "every output of a run must be a step that the machine in the model file can take"
                raise BadInput(must, label, "the weights are not those of that machine: compile it again")
            yield None if label is None else token_of_label.get(label)

    def _generated(self) -> Iterator[str]:
        """The labels that the model generates, in floats or in another number system."""
        if self.domain in FORMATS:
            return FloatDecoder(self.model, self.domain).decode(self.word)
        from symcook.decode import stream

        return stream(self.model, self.word, self.limit + 1, self.domain, bits=self.bits)


def rounded_labels(generated: Iterator[str]) -> Iterator[str | None]:
    """The labels of a run in rounded numbers, then None where rounding leaves no run: a norm meets a root of zero."""
    try:
        yield from generated
    except NoRun:
        yield None
