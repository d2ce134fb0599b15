"""What each head of a machine's decoder retrieves, and by how much: scores as rigorous intervals (balls), with the
runner-up.

After the token at i a work head looks for its cell h among the steps j < i. A step on h has the score 1 - T_j, a step
on another cell h' the cosine of the hashes minus its T. The match must be told apart from steps on neighbouring cells,
and from the step before on the same cell, whose T is larger. The smallest of these gaps determines how many bits are
needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from symcook.locks import PRECISION
from symcook.programs.steps import StepToken
from symcook.thought.running import MachineRun

if TYPE_CHECKING:
    from flint import arb

BITS = 256


class Looked(NamedTuple):
    """A retrieval: the position of the token that a head found, that of the runner-up, and how much less its score is
    (as text with three digits; None where no other token can be found)."""

    position: int
    rival: int | None
    gap: str | None
    size: arb | None = None
    """The gap as a ball."""


def cosine(h: int, k: int) -> arb:
    """The cosine of the hashes of two cells, (hk + 1)/sqrt((h^2 + 1)(k^2 + 1)), as a ball."""
    from flint import arb

    return arb(h * k + 1) / (arb(h * h + 1) * arb(k * k + 1)).sqrt()


def tie_break(j: int) -> arb:
    """T_j = F(F(1/j)) with F(x) = (1 - 1/sqrt(1 + x^2))/2, as a ball; written without cancellation."""
    from flint import arb

    x = arb(1) / j
    for _ in range(2):
        root = (1 + x * x).sqrt()
        x = x * x / (2 * root * (1 + root))
    return x


def lookups(run: MachineRun) -> Iterator[tuple[Looked | None, ...]]:
    """For each token of a run in integers what the heads look up behind it, that of the input first; None where a head
    needs no token: on a fresh cell, after a move of 0, in front of the input where there is no $, and in the output all
    heads but the last."""
    import flint

    n, tapes = len(run.word), run.machine.tapes
    before: list[dict[int, list[int]]] = [{} for _ in range(tapes)]
    for count, step in enumerate(run.steps):
        position = n + 1 + count
        looked_up: list[Looked | None] = [None] * (tapes + 1)
        with PRECISION, flint.ctx.workprec(BITS):
            if isinstance(step.token, StepToken):
                heads = [head + move for head, move in zip(step.heads, step.token.moves, strict=True)]
                looked_up[0] = _input(heads[0], n, position, run.least)
                for k in range(tapes):
                    if not step.token.fresh[k] and step.token.moves[k + 1]:
                        looked_up[k + 1] = _work(heads[k + 1], before[k], run.least)
                    before[k].setdefault(step.heads[k + 1], []).append(position)
            elif not step.token.rightmost:
                looked_up[-1] = _work(step.heads[-1] + 1, before[-1], run.least)
        yield tuple(looked_up)


def _input(head: int, n: int, position: int, least: int) -> Looked | None:
    """The input head: the candidates are cells from `least` to n, and n + 1 where the start has been put out. None in
    front of the input where no token stands for cell 0."""
    if head < least == 1:
        return None
    last = n + 1 if position > n + 1 else n
    cell = min(max(head, least), last)
    rivals = [cell_number for cell_number in (cell - 1, cell + 1) if least <= cell_number <= last]
    if not rivals:
        return Looked(cell, None, None)
    best = cosine(head, cell)
    gap, rival = min(
        ((best - cosine(head, rival_cell), rival_cell) for rival_cell in rivals), key=lambda pair: float(pair[0])
    )
    return Looked(cell, rival, _short(gap), gap)


def _work(head: int, cells: dict[int, list[int]], least: int) -> Looked:
    """A work head, among the positions that wrote on each cell: the last one on its own, beside the last one on each
    neighbouring cell that was visited, and the last but one on its own. The tie-break is of the tokens before: without
    $ one less."""
    own = cells[head]
    score = 1 - tie_break(own[-1] - least)
    rivals = [(score - (cosine(head, neighbour) - tie_break(cells[neighbour][-1] - least)), cells[neighbour][-1])
              for neighbour in (head - 1, head + 1) if neighbour in cells]  # fmt: skip
    if len(own) > 1:
        rivals.append((tie_break(own[-2] - least) - tie_break(own[-1] - least), own[-2]))
    if not rivals:
        return Looked(own[-1], None, None)
    gap, rival = min(rivals, key=lambda pair: float(pair[0]))
    return Looked(own[-1], rival, _short(gap), gap)


def compared(scores: Sequence[tuple[arb, int]]) -> Looked:
    """The position of the greatest of several scores, and the next one."""
    ordered = list(scores)
    # Two rounds of selection sort: sorting needs an order, which balls that overlap do not have.
    for k in range(len(ordered[:2])):
        best = k
        for rank in range(k + 1, len(ordered)):
            best = rank if ordered[rank][0] > ordered[best][0] else best
        ordered[k], ordered[best] = ordered[best], ordered[k]
    if len(ordered) == 1:
        return Looked(ordered[0][1], None, None)
    gap = ordered[0][0] - ordered[1][0]
    return Looked(ordered[0][1], ordered[1][1], _short(gap), gap)


def _short(gap: arb) -> str:
    """Three digits of a positive ball."""
    return gap.str(3, radius=False)
