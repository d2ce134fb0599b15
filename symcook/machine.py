"""A model as a machine: a state, and a step that takes one symbol more, in any number system that runs an input.

Where no mask looks ahead and no number knows the length of the input, what a model computes at a position rests on
what stands up to there. So a word is followed from left to right: a state holds, for each head, the keys and values
of the positions so far, and a step runs the new position alone, by the one `forward`, at a cost linear in what was
seen. What it answers is what `forward` answers on the whole prefix, refusals and all.
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
    """A machine behind the symbols of `word`, which does not count what the model adds."""

    word: tuple[Any, ...]
    memory: Memory
    error: BadInput | Undecided | None = None
    """Why the word has no answer, where a longer one may have one."""


class Machine:
    """A model that is followed symbol by symbol (or row by row of inputs) in one number system.

    A batch takes in place of a symbol the tuple of those that may stand there, and runs all words at once. Raises
    BadInput where a model cannot be followed (`Transformer.unfollowed`) or a number system runs whole inputs only.

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
            must = "a model that is followed from left to right must not depend on what follows"
            raise BadInput(must, why, "run whole strings instead")
        if not follows(domain):
            must = "a model is followed in a number system whose comparisons do not branch"
            raise BadInput(must, domain.name, "ask derive for the closed form of a whole string")
        self.model, self.domain, self.block = model, domain, getattr(domain, "block", tuple)

    def start(self) -> State:
        """The state behind nothing but the token that the model puts in front. In balls, irrational numbers of words
        that are followed from here are not known to be those of words that another start began."""
        self.domain.begin(self.block(()), self.model.embedding.start)
        before, nothing = self.model.embedding.ends[0], State((), Memory())
        return self._passed(before, nothing) if before else nothing

    def advance(self, state: State, symbol: object) -> State:
        """The state behind one symbol more. Raises BadInput for a foreign symbol or too long a word, NoRun where no
        run goes on from here; Undecided (NotExact) where a choice that what follows rests on stays open (has no exact
        value)."""
        word = (*state.word, self._checked(symbol))
        self.model.check_length(len(word) + self.model.embedding.added)
        return self._passed((*self.model.embedding.ends[0], *word), replace(state, word=word))

    def result(self, state: State) -> Result:
        """What `forward` says of the word behind which the state is: with the token that the model adds behind it.
        Raises what it raises."""
        if self.model.embedding.ends[1]:
            state = self._passed(self.model.embedding.surround(state.word), state, ends=True)
        if state.error is not None:
            raise state.error
        if state.memory.result is None:
            raise BadInput("an input must have at least one symbol", "the empty string")
        return state.memory.result

    def step(self, state: State, symbol: object) -> tuple[State, Result]:
        """One symbol more: the state behind it, and what the model says of the word so far."""
        state = self.advance(state, symbol)
        return state, self.result(state)

    def _checked(self, symbol: Any) -> Any:
        """A symbol, a row of inputs, or for a batch several, as the model reads them."""
        several = isinstance(symbol, tuple) and hasattr(self.domain, "block")
        ask: Any = self.model.tokens if self.model.embedding.inputs is None else self.model.rows
        read = [self.model.embedding.typed(ask((entry,)))[0] for entry in (symbol if several else (symbol,))]
        return tuple(read) if several else read[0]

    def _passed(self, sequence: tuple[object, ...], state: State, ends: bool = False) -> State:
        """The state behind the last position of a sequence, before which `state` is. Where that is no input yet, or the
        readout does not look at this position, nothing is answered."""
        # A readout at the first position answers once, then; without end tokens each position may be the last.
        block, first = self.block(sequence), self.model.readout.first
        answers = not state.memory.seen if first else ends or not self.model.embedding.ends[1]
        error = state.error if first else None
        try:
            try:
                result = forward(self.model, block, self.domain, after=state.memory, answers=answers)
            except NoRun:
                raise
            # No answer here, but a longer word may have one: the state goes on with the error in it.
            except (BadInput, Undecided) as why:
                error = error or why
                result = forward(self.model, block, self.domain, after=state.memory, answers=False)
        except NoRun:  # said of the whole word, with the token that the model adds behind it
            forward(self.model, self.block(self.model.embedding.surround(state.word)), copy(self.domain))
            raise
        return State(state.word, present(result.memory), error)


def follower(model: Transformer, domain: Domain) -> Callable[[Sequence[Any]], Result]:
    """What `forward` says of one word after the other: a word that goes on from the last one is followed from there.
    Of whole words where the model cannot be followed."""
    if model.unfollowed() is not None or not follows(domain):
        return lambda word: forward(model, model.tokens(word), domain)
    machine, state = Machine(model, domain), None

    def result(word: Sequence[str]) -> Result:
        """What `forward` says of one word."""
        nonlocal state
        try:
            # Another word than the last one, with more: begin anew.
            if state is None or state.word != tuple(word[: len(state.word)]):
                state = machine.start()
            for symbol in word[len(state.word) :]:
                state = machine.advance(state, symbol)
            return machine.result(state)
        except (BadInput, Undecided):  # perhaps of a prefix: a whole pass says it of the word
            return forward(model, model.tokens(word), copy(domain))

    return result
