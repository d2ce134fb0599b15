"""What the run relations of a stored model (`runrel`) and of a family (`familyrel`) share: positions, the blocks of a
layer, norms, and what is asked of a word and of a readout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.plainfamily import Range
from symcook.proof.definitions import (
    DefinedRun,
    HeadBlock,
    NormDeviation,
    NormEntries,
    NormMean,
    PartsRow,
    Premise,
    Row,
    RunDefinition,
)
from symcook.proof.runvalues import ValueAt, at_once, at_position

Right = Row
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
"""The placements of norms: with "none" a layer has no norm, with "post" its norms come after the block."""


class RunEquations:
    """What the relations of a model and of a family share: positions, the blocks of a layer, norms, and what is asked
    of a word and of a readout. Which of them it is says how a function is defined and how its value is written."""

    def __init__(self, start: int, pointwise: bool, readout: tuple[str, str], longest: str | None) -> None:
        """Positions are numbered from `start`; `readout` has its kind and its position; `longest` is the greatest
        length."""
        self.low, self.high, self.pointwise, self.looks = str(start), "n" if start else "n - 1", pointwise, readout
        self.call = at_once if pointwise else at_position
        self.definitions: list[RunDefinition] = []
        self.premises_before: list[Premise] = []  # what must hold before the equations can
        if longest is not None:
            self.premises_before.append(Premise("length", f"n <= {longest}"))
        self.deviations: list[str] = []  # those that must not be zero
        self.premises_after: list[Premise] = []  # that they are not
        self.held: dict[str, Any] = {}
        self.used: set[str] = set()  # names that are taken
        self.head_block: HeadBlock | None = None  # the head whose values are defined
        ends = (parse_term(end) for end in (self.low, self.high))
        self.positions = () if pointwise else (Range("i", *ends),)

    @property
    def whole(self) -> DefinedRun:
        """The run as a list of typed definitions."""
        return DefinedRun(tuple(self.premises_before), tuple(self.definitions), tuple(self.premises_after))

    def _fresh(self, wanted: str) -> str:
        """A name like `wanted` that nothing has."""
        while wanted in self.used:
            wanted += "_"
        self.used.add(wanted)
        return wanted

    def everywhere(self, text: str) -> str:
        """A formula at every position."""
        return text if self.pointwise else f"(all i in {self.low}..{self.high}. {text})"

    def _always(self, text: str) -> str:
        """The same in every round."""
        return self.everywhere(text)

    def _spelled(self, before: str | None, after: str | None, typed: str) -> str:
        """w(i) is typed at every position, but for the tokens that are added at the ends."""
        added = [] if before is None else [f"w({self.low}) = {before}"]
        added += [] if after is None else [f"w({self.high}) = {after}"]
        added += ["2 <= n"] if len(added) == 2 else []
        low = self.low if before is None else str(int(self.low) + 1)
        high = self.high if after is None else f"n - {2 - int(self.low)}"
        return " & ".join([*added, f"(all i in {low}..{high}. {typed})"])

    def _place(self, word: str, kinds: tuple[str, ...], at: str | None) -> str:
        """Where the readout looks."""
        kind, position = self.looks
        if kind not in kinds:
            raise BadInput(f"{word} needs a readout {' or '.join(kinds)}", kind)
        if (at is None) is (position == "each"):
            must = "no position, since the readout decides once" if at else "a position, one of each that is read"
            raise BadInput(f"{word} takes {must}", at or "none")
        return at or {"first": self.low, "last": self.high, "all": "i"}[position]

    def _accepts(self, condition: str) -> str:
        return f"all i in {self.low}..{self.high}. {condition}" if self.looks[1] == "all" else condition

    def positive(self, value: Callable[[str], str], at: str | None = None) -> str:
        """A readout of the kind "sign": what `value` writes at the position where it looks is above zero."""
        return self._accepts(f"0 < {value(self._place('accept', ('sign',), at))}")

    def _part(self, number: int, blocks: Sequence[object], norms: Sequence[object], placement: str) -> None:
        """The heads or the feed-forward block of a layer: all of it reads one view, then it is added to the stream."""
        if placement not in PLACEMENTS or (placement == "none" and norms):
            raise BadInput("a run relation must know where the norms of a layer are", placement)
        # "pre" placements read the normed values, the others the stream itself.
        view = dict(self.held)
        if placement not in ("none", "post"):
            view = {name: made for norm in norms for name, made in self._norm(number, norm).items()}
        added = [(h, block, *output) for h, block in enumerate(blocks, 1) for output in self._added(block, view)]
        # One block that writes a coordinate is added at once; of several each has a function of its own.
        for name in dict.fromkeys(name for _, _, name, _ in added):
            own = [(h, block, right) for h, block, written, right in added if written == name]
            if len(own) == 1 and not self._many(own[0][1]):
                self.head_block = HeadBlock(number, own[0][0], self._over(own[0][1]))
                self._write(name, number, own[0][2])
            else:
                heads: list[ValueAt] = []
                for h, block, right in own:
                    self.head_block = HeadBlock(number, h, self._over(block))
                    heads.append(self._apart(f"z{number}_{h}_{name}", name, block, right))
                self.head_block = None
                self._write(name, number, PartsRow(heads=tuple(heads)))
        self.head_block = None
        if placement == "post":
            for norm in norms:
                self.held |= self._norm(number, norm)

    def _deviation(
        self, number: int, entries: NormEntries, epsilon: Sequence[str], refuse: bool
    ) -> tuple[ValueAt, ValueAt]:
        """The mean and the deviation of the entries of a norm."""
        mean = self._value(self._define(f"mu{number}", NormMean(entries=entries)))
        row = NormDeviation(entries=entries, mean=mean, epsilon=tuple(epsilon))
        return mean, self._root(f"dev{number}", row, refuse)

    def _root(self, fresh: str, row: Row, refuse: bool) -> ValueAt:
        """The root that a norm divides by, which must not be zero where the norm refuses that."""
        root = self._value(function := self._define(fresh, row))
        if refuse:
            self.deviations.append(self._text(function))
            self.premises_after.append(Premise("deviation", self._always(f"0 < {self._text(function)}")))
        return root

    def _warm(self, head: str, positive: str, free: Iterable[str]) -> None:
        """The temperature of a softmax is above zero."""
        if head == "softmax" and free:
            text = self.everywhere(f"0 < {positive}") if "i" in free else f"0 < {positive}"
            self.premises_before.append(Premise("temperature", text))

    def _text(self, held: Any) -> str:
        """The value of a function at i."""
        return self._value(held).at("i", self.call)

    def _value(self, held: Any) -> ValueAt:
        """The value of a function, as definitions read it."""
        raise NotImplementedError

    def _define(self, fresh: str, text: Any) -> Any:
        """A definition of a new function like `fresh` by a `Row`. Whoever overrides this hands `text` on unread."""
        raise NotImplementedError

    def _norm(self, number: int, norm: object) -> dict[str, Any]:
        """Equations of a layer norm; what it makes, by what it writes."""
        raise NotImplementedError

    def _added(self, block: object, view: Mapping[str, object]) -> list[tuple[str, Right]]:
        """What a head or a feed-forward block adds to each coordinate."""
        raise NotImplementedError

    def _over(self, block: object) -> tuple[Range, ...]:
        """The indices around a block: of rounds, and of a head that stands for several."""
        return ()

    def _many(self, block: object) -> bool:
        """Whether it stands for several heads."""
        return False

    def _apart(self, fresh: str, name: str, block: object, row: Row) -> ValueAt:
        """What one of several heads adds."""
        raise NotImplementedError

    def _write(self, name: str, number: int, right: Right) -> None:
        """An equation for the next value of a coordinate."""
        raise NotImplementedError
