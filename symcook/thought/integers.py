"""The decoder of a Turing machine in integers: the result of each head by a theorem, the networks as they are.

The theorem. A step at position j writes on a cell h with |h| <= j - 1 =: H, as heads move at most one cell per token.
For integers h != h' with |h| <= H the cosine of their hashes is at most 1 - 1/(2((H^2 + H + 1)^2 + 1)): the nearest
other cell is the next one towards 0 or away from it, at an angle of tangent at least 1/(1 + H(H + 1)), and 1 - 1/sqrt(1
+ y) >= y/(2(1 + y)). For j >= 2 the cosine is at least 1/(2 j^4) below 1, while the tie-break is T_j <= 1/(64 j^4), by
1 - 1/sqrt(1 + y) <= y/2 used twice; for j = 1 the two are 1/4 and T_1 < 1/64. A step on another cell has T >= 0. So if
some step wrote on the cell of the query, the last such step has the maximum score, since T decreases. In columns where
no step did (a fresh cell, or no step at all) the retrieved value is multiplied by zero.

On the input tape the candidates are cells 0..n+1, where `$` and the start stand for the two blanks at the ends, and the
nearest in angle is the nearest cell. Without `$` they are cells 1..n+1; if the head's cell is not positive, a unit
makes it read a blank, and the j above counts the tokens before, of which there is at least one. Uniform heads give sums
of moves over one denominator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from symcook.compilers.turing import MachineDecoder
from symcook.programs.steps import END, START, MachineToken, OutputToken, StepToken
from symcook.programs.turing import TuringMachine


class IntegerStep(NamedTuple):
    """A token, where the heads were when it was put out, and the positions of the tokens that each retrieved: that of
    the input, then of each work tape, None where it had nothing to retrieve."""

    token: MachineToken
    heads: tuple[int, ...]
    seen: tuple[int | None, ...]


Pattern = tuple[MachineToken | str, str, tuple["MachineToken | None", ...]]


class IntegerDecoder:
    """What the model of a machine does, in integers."""

    def __init__(self, machine: TuringMachine) -> None:
        self.machine, self.network = machine, MachineDecoder(machine)
        self._answers: dict[Pattern, MachineToken | str] = {}

    def answer(self, token: MachineToken | str, read: str, got: tuple[MachineToken | None, ...]) -> MachineToken | str:
        """The next token, or END: what the networks make of a token, of the symbol under the input head, and of the
        tokens that the work heads retrieved."""
        key = token, read, got
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._through(token, read, got)
        return known

    def _through(
        self, token: MachineToken | str, read: str, got: tuple[MachineToken | None, ...]
    ) -> MachineToken | str:
        """The token that the two networks give for these inputs. RuntimeError where they give none."""
        network = self.network
        # What the layers before leave in the residual stream: bits of the token, of the symbol read, of what was
        # retrieved.
        bits = set(network.bits(token))
        if read in network.letters:
            bits.add(f"read_{network.letters[read]}")
        for tape, cell_token in zip(network.tapes, got, strict=True):
            retrieved_bits = set() if cell_token is None else set(network.bits(cell_token))
            bits.update(
                there for own, there in zip(network.own(tape), network.got(tape), strict=True) if own in retrieved_bits
            )
        # The networks of layer 2 and layer 3; every bit must come out as 0 or 1.
        here = network.selection.values(bits)
        nexts = network.transition.values(bits | set(here))
        next_token = network.token({name.removeprefix("next_") for name in nexts})
        if next_token is None or not {*here.values(), *nexts.values()} <= {1}:
            raise RuntimeError(f"no single token follows {token} with {read} and {got}: {nexts}")
        return next_token

    def run(self, word: Sequence[str], limit: int) -> Iterator[IntegerStep]:
        """At most `limit` tokens behind a word; fewer where the model ends by itself."""
        for count, step in enumerate(self.steps(word)):
            if count == limit:
                return
            yield step

    def steps(self, word: Sequence[str]) -> Iterator[IntegerStep]:
        """The tokens behind a word, as they come, until the end."""
        blank, n = self.machine.blank, len(word)
        tapes = self.machine.tapes
        # The last column, and what its heads retrieve: at first that of the input's end.
        column: MachineToken | str = word[-1] if word else START
        heads = [0] * (tapes + 1)
        wrote: list[dict[int, int]] = [{} for _ in range(tapes)]
        known: list[MachineToken] = []
        position = n
        read, retrieved = blank, (None,) * tapes
        retrieved_positions: tuple[int | None, ...] = (None,) * (tapes + 1)
        while True:
            token = self.answer(column, read, retrieved)
            if isinstance(token, str):
                if token != END:
                    raise RuntimeError(f"the text {token} is not the end")
                return
            yield IntegerStep(token, tuple(heads), retrieved_positions)
            position += 1
            known.append(token)
            column = token
            before = heads
            if isinstance(token, OutputToken):
                heads = [*heads[:-1], heads[-1] + 1]
            else:
                heads = [head + move for head, move in zip(heads, token.moves, strict=True)]
            # The input head finds the candidate nearest to its cell: 0 to n, and n + 1 once the first step stands
            # there.
            cell = min(max(heads[0], 0), n + 1 if position > n + 1 else n)
            read = word[cell - 1] if 1 <= cell <= n else blank
            places = [wrote[k].get(heads[k + 1]) for k in range(tapes)]
            retrieved = tuple([None if place is None else known[place - n - 1] for place in places])
            retrieved_positions = (cell, *places)
            # Masks are strict: what this token writes is found by later columns only.
            if isinstance(token, StepToken):
                for k in range(tapes):
                    wrote[k][before[k + 1]] = position
