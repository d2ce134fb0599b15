"""What each head of a machine's decoder retrieves, and the gap between its score and the next best score, as a rigorous
interval (ball).

After the token at i a work head looks for its cell h among the steps j < i. A step on h has the score 1 - T_j; a step
on another cell h' has the cosine of the two hashes minus its T. The last step on h must be told apart from steps on
neighbouring cells, and from the step before it on the same cell, whose T is larger. The smallest of these gaps
determines how many bits are needed.
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
"""The precision of the balls, in bits."""


class Looked(NamedTuple):
    """A retrieval by one head. If there is no other token to retrieve, `rival`, `gap` and `size` are None."""

    position: int
    """The position of the token that the head retrieves."""
    rival: int | None
    """The position of the token with the next best score."""
    gap: str | None
    """By how much the score of the rival is lower, as text with three digits."""
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
    """For each token of a run in integers: what the heads retrieve after it, the input head first. It is None for a
    head that needs no token: on a fresh cell, after a move of 0, before the input if there is no $, and after an output
    token for all heads but the last, and for the last one too if the output came from the rightmost cell."""
    import flint

    n, tapes = len(run.word), run.machine.tapes
    before: list[dict[int, list[int]]] = [{} for _ in range(tapes)]  # by work tape and cell: the positions of its steps
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
    """What the input head retrieves on the cell `head`. The candidates are the cells from `least` to n; and n + 1, if
    the start token is before `position`. None before the input, if no token stands for cell 0 (`least` is 1)."""
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
    """What a work head retrieves on the cell `head`, where `cells` has the positions that wrote on each cell: the last
    position of its own cell. The rivals are the last position of each neighbouring cell, if it was visited, and the
    last but one of its own cell. The tie-break depends on the number of tokens before, which is one less without $."""
    own_positions = cells[head]
    score = 1 - tie_break(own_positions[-1] - least)
    rivals = [(score - (cosine(head, neighbour) - tie_break(cells[neighbour][-1] - least)), cells[neighbour][-1])
              for neighbour in (head - 1, head + 1) if neighbour in cells]  # fmt: skip
    if len(own_positions) > 1:
        rivals.append((tie_break(own_positions[-2] - least) - tie_break(own_positions[-1] - least), own_positions[-2]))
    if not rivals:
        return Looked(own_positions[-1], None, None)
    gap, rival = min(rivals, key=lambda pair: float(pair[0]))
    return Looked(own_positions[-1], rival, _short(gap), gap)


def compared(scores: Sequence[tuple[arb, int]]) -> Looked:
    """The retrieval among one or more positions with their scores: the position of the largest score, with the second
    largest as its rival. Of scores whose balls overlap, any may count as the larger one."""
    ordered = list(scores)
    # Two rounds of selection sort; `sorted` would need a total order, which balls that may overlap do not have.
    for rank_so_far in range(len(ordered[:2])):
        best = rank_so_far
        for rank in range(rank_so_far + 1, len(ordered)):
            best = rank if ordered[rank][0] > ordered[best][0] else best
        ordered[rank_so_far], ordered[best] = ordered[best], ordered[rank_so_far]
    if len(ordered) == 1:
        return Looked(ordered[0][1], None, None)
    gap = ordered[0][0] - ordered[1][0]
    return Looked(ordered[0][1], ordered[1][1], _short(gap), gap)


def _short(gap: arb) -> str:
    """Three digits of a positive ball."""
    return gap.str(3, radius=False)
