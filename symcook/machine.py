"""A model as a state machine: a state, and a step that reads one more symbol.

The number system must be able to leave positions out (`symcook.forward.follows`). If no mask lets later positions
through, and no number depends on the length of the input, the values at a position depend only on the symbols up to
that position. So a string can be run from left to right. A state has, for each head, the keys
and values of the positions so far. A step runs `forward` on the new position alone, at a cost linear in the number of
positions before it. Its answers and errors are those of `forward` on the whole prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from symcook.domains.protocol import Domain
from symcook.errors import BadInput, NoRun, Undecided
from symcook.forward import Memory, Result, follows, forward
from symcook.model.transformer import Transformer
from symcook.present import present


@dataclass(frozen=True)
class State:
    """The state of a machine after a string."""

    word: tuple[Any, ...]
    """The symbols of the string, without special tokens."""
    memory: Memory
    """The keys and values of its positions, and the result of the pass."""
    error: BadInput | Undecided | None = None
    """Why the string has no answer; a longer one may have an answer."""


class Machine:
    """A model that is run symbol by symbol (or row by row of inputs) in one number system.

    In a number system for batches, a tuple of symbols takes the place of a symbol, and all strings with one of these
    symbols there are run at once. Raises BadInput if the answers may depend on later symbols
    (`Transformer.unfollowed`), or if the number system runs only whole inputs.

    >>> from symcook.domains.exact import Exact
    >>> from symcook.recipes import build
    >>> machine = Machine(build("dyck-1"), Exact())
    >>> state, result = machine.step(machine.start(), "(")
    >>> result.accept, machine.step(state, ")")[1].accept
    (False, True)
    """

    def __init__(self, model: Transformer, domain: Domain) -> None:
        why = model.unfollowed()
        if why is not None:
            must = "a model that is run symbol by symbol from left to right must not depend on later symbols"
            raise BadInput(must, why, "run whole strings instead")
        if not follows(domain):
            must = (
                "to run a model symbol by symbol, the number system must answer each comparison with yes or no, and "
                "not with a case for each"
            )
            raise BadInput(must, domain.name, "use derive for the closed form of a whole string")
        self.model, self.domain, self.block = model, domain, getattr(domain, "block", tuple)

    def start(self) -> State:
        """The state after the special tokens before the input, and no symbol.

        In balls, irrational numbers in runs from one start are not recognised as equal to those in runs from another.
        """
        self.domain.begin(self.block(()), self.model.embedding.start)
        before, empty_state = self.model.embedding.ends[0], State((), Memory())
        return self._passed(before, empty_state) if before else empty_state

    def advance(self, state: State, symbol: object) -> State:
        """The state after one more symbol.

        Raises BadInput for an unknown symbol or too long a string, NoRun if the string has no run; Undecided or
        NotExact if a choice that later positions need is open or has no exact value.
        """
        word = (*state.word, self._checked(symbol))
        self.model.check_length(len(word) + self.model.embedding.added)
        return self._passed((*self.model.embedding.ends[0], *word), replace(state, word=word))

    def result(self, state: State) -> Result:
        """The result of `forward` on the string of the state, with the special tokens after it. Raises what `forward`
        raises."""
        if self.model.embedding.ends[1]:
            state = self._passed(self.model.embedding.surround(state.word), state, ends=True)
        if state.error is not None:
            raise state.error
        if state.memory.result is None:
            raise BadInput("an input must have at least one symbol", "the empty string", "give at least one symbol")
        return state.memory.result

    def step(self, state: State, symbol: object) -> tuple[State, Result]:
        """The state after one more symbol, and the result of the model on the string so far."""
        state = self.advance(state, symbol)
        return state, self.result(state)

    def _checked(self, symbol: Any) -> Any:
        """A symbol or a row of inputs, or for a batch a tuple of them, checked and in the form that the model reads."""
        is_batch = isinstance(symbol, tuple) and hasattr(self.domain, "block")
        read_as_model: Any = self.model.tokens if self.model.embedding.inputs is None else self.model.rows
        read = [self.model.embedding.typed(read_as_model((entry,)))[0] for entry in (symbol if is_batch else (symbol,))]
        return tuple(read) if is_batch else read[0]

    def _passed(self, sequence: tuple[object, ...], state: State, ends: bool = False) -> State:
        """The state after the last position of a sequence. `state` has the memory before this position, and already the
        string of the new state.

        No answer is computed if the sequence is not a whole input (`ends`: the special tokens after the input are
        in it), or if the readout does not read this position.
        """
        # A readout at the first position answers once, at that position. Without special tokens after the input, each
        # position may be the last one.
        block, first = self.block(sequence), self.model.readout.first
        answers = not state.memory.seen if first else ends or not self.model.embedding.ends[1]
        error = state.error if first else None
        try:
            try:
                result = forward(self.model, block, self.domain, after=state.memory, answers=answers)
            except NoRun:
                raise
            # This string has no answer, but a longer one may have an answer: the state keeps the error.
            except (BadInput, Undecided) as why:
                error = error or why
                result = forward(self.model, block, self.domain, after=state.memory, answers=False)
        except NoRun:  # a pass over the whole string raises it again, with the whole string in the message
            forward(self.model, self.block(self.model.embedding.surround(state.word)), copy(self.domain))
            raise
        return State(state.word, present(result.memory), error)


def follower(model: Transformer, domain: Domain) -> Callable[[Sequence[Any]], Result]:
    """A function from a string to the result of `forward` on it. A string that extends the one before is run from its
    end.

    If the model cannot be run symbol by symbol, each string is run as a whole.
    """
    if model.unfollowed() is not None or not follows(domain):
        return lambda word: forward(model, model.tokens(word), domain)
    machine, state = Machine(model, domain), None

    def result(word: Sequence[str]) -> Result:
        """The result of `forward` on one string."""
        nonlocal state
        try:
            # A string that does not extend the last one is run from the start.
            if state is None or state.word != tuple(word[: len(state.word)]):
                state = machine.start()
            for symbol in word[len(state.word) :]:
                state = machine.advance(state, symbol)
            return machine.result(state)
        except (BadInput, Undecided):  # perhaps about a prefix: a pass over the whole string raises the right error
            return forward(model, model.tokens(word), copy(domain))

    return result
