"""The decoder of a Turing machine in integers: the heads by a theorem, the feed-forward layers as they are.

The theorem. A step at position j writes on a cell h with |h| <= j - 1 =: H, as heads move at most one cell per token.
For integers h != h' with |h| <= H the cosine of their hashes is at most 1 - 1/(2((H^2 + H + 1)^2 + 1)): the nearest
other cell is the next one towards 0 or away from it, at an angle of tangent at least 1/(1 + H(H + 1)), and 1 - 1/sqrt(1
+ y) >= y/(2(1 + y)). For j >= 2 the cosine is at least 1/(2 j^4) below 1, while the tie-break is T_j <= 1/(64 j^4), by
1 - 1/sqrt(1 + y) <= y/2 used twice; for j = 1 the two are 1/4 and T_1 < 1/64. A step on another cell has T >= 0. So if
some step wrote on the cell of the query, the last such step has the maximum score, since T decreases. In columns where
no step did (a fresh cell, or no step at all) the retrieved value is multiplied by zero.

On the input tape the candidates are cells 0..n+1, where `$` and the start stand for the two blanks at the ends, and the
nearest candidate by angle is the nearest cell. Without `$` the candidates are cells 1..n+1. If the head's cell is then
not positive, a hidden unit makes the head read a blank; and the j above is the number of tokens before, which is at
least 1. Uniform heads compute sums of moves divided by one denominator, which are exact in integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from symcook.compilers.turing import MachineDecoder
from symcook.programs.steps import END, START, MachineToken, OutputToken, StepToken
from symcook.programs.turing import TuringMachine


class IntegerStep(NamedTuple):
    """One token that the decoder generates. The input tape comes first in each tuple, then the work tapes."""

    token: MachineToken
    heads: tuple[int, ...]
    """By tape: the cell of the head when the token was generated."""
    seen: tuple[int | None, ...]
    """By tape: the position of the token that the head retrieved; None if it had nothing to retrieve."""


Pattern = tuple[MachineToken | str, str, tuple["MachineToken | None", ...]]
"""What determines the next token: the last token or input symbol, the symbol under the input head, and for each work
tape the token that its head retrieved."""


class IntegerDecoder:
    """The decoder of a machine, computed in integers."""

    def __init__(self, machine: TuringMachine) -> None:
        self.machine, self.network = machine, MachineDecoder(machine)
        self._answers: dict[Pattern, MachineToken | str] = {}

    def answer(self, token: MachineToken | str, read: str, got: tuple[MachineToken | None, ...]) -> MachineToken | str:
        """The next token, or END, as the feed-forward layers compute it from the last `token`, the symbol `read` under
        the input head, and the tokens `got` that the work heads retrieved. Cached."""
        key = token, read, got
        next_token = self._answers.get(key)
        if next_token is None:
            next_token = self._answers[key] = self._computed_answer(token, read, got)
        return next_token

    def _computed_answer(
        self, token: MachineToken | str, read: str, got: tuple[MachineToken | None, ...]
    ) -> MachineToken | str:
        """As `answer`, computed anew. RuntimeError if the feed-forward layers do not give one token."""
        network = self.network
        # The coordinates that are 1 in the residual stream after the heads: bits of the token, of the symbol that is
        # read, and of the tokens that were retrieved.
        bits = set(network.bits(token))
        if read in network.letters:
            bits.add(f"read_{network.letters[read]}")
        for tape, cell_token in zip(network.tapes, got, strict=True):
            retrieved_bits = set() if cell_token is None else set(network.bits(cell_token))
            bits.update(
                retrieved_bit
                for own_bit, retrieved_bit in zip(network.own(tape), network.got(tape), strict=True)
                if own_bit in retrieved_bits
            )
        # The feed-forward layers of layers 2 and 3. The results must be 0 or 1 in every coordinate.
        selected = network.selection.values(bits)
        next_bits = network.transition.values(bits | set(selected))
        next_token = network.token({name.removeprefix("next_") for name in next_bits})
        if next_token is None or not {*selected.values(), *next_bits.values()} <= {1}:
            raise RuntimeError(f"no single token follows {token} with {read} and {got}: {next_bits}")
        return next_token

    def run(self, word: Sequence[str], limit: int) -> Iterator[IntegerStep]:
        """The tokens that are generated after the input `word`, at most `limit`; fewer if the model ends by itself."""
        for count, step in enumerate(self.steps(word)):
            if count == limit:
                return
            yield step

    def steps(self, word: Sequence[str]) -> Iterator[IntegerStep]:
        """The tokens that are generated after the input `word`, one by one, until the end."""
        blank, n = self.machine.blank, len(word)
        tapes = self.machine.tapes
        # The token or symbol of the last column, and what its heads retrieve; at first the column at the end of the
        # input. `wrote` has, for each work tape, the position of the last token that wrote on a cell.
        column: MachineToken | str = word[-1] if word else START
        heads = [0] * (tapes + 1)
        wrote: list[dict[int, int]] = [{} for _ in range(tapes)]
        generated: list[MachineToken] = []  # the tokens so far, from position n + 1 on
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
            generated.append(token)
            column = token
            before = heads
            if isinstance(token, OutputToken):
                heads = [*heads[:-1], heads[-1] + 1]
            else:
                heads = [head + move for head, move in zip(heads, token.moves, strict=True)]
            # The input head retrieves the candidate nearest to its cell: 0 to n, and n + 1 once the token at that
            # position is an earlier one.
            cell = min(max(heads[0], 0), n + 1 if position > n + 1 else n)
            read = word[cell - 1] if 1 <= cell <= n else blank
            places = [wrote[k].get(heads[k + 1]) for k in range(tapes)]
            retrieved = tuple([None if place is None else generated[place - n - 1] for place in places])
            retrieved_positions = (cell, *places)
            # Masks are strict: only later columns can retrieve this token.
            if isinstance(token, StepToken):
                for k in range(tapes):
                    wrote[k][before[k + 1]] = position
