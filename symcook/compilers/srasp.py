"""Compiler from S-RASP programs to transformers with average-hard, leftmost and rightmost attention, exact at every
length.

Each line of the program becomes a truth, letter or number (`values`), or a selector (`selection`); heads and
feed-forward layers are added where a line needs them, and those that the output does not need are dropped at the end.
Source: Strobl et al. (2025), and Yang et al. (2026), Appendix D. The layers are not those of the printed construction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symcook.compilers.formula import plan_of, read_labels
from symcook.compilers.numbers import Form
from symcook.compilers.rasp import Aggregates
from symcook.compilers.selection import SelectorCases
from symcook.compilers.values import Look, ProgramValue, Truth, holds
from symcook.compose.builder import Builder
from symcook.errors import BadInput
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Program, Transformer
from symcook.programs.srasp import Srasp, SraspLine, constant_text

MOST_BITS = 2000
"""The maximum number of bits of a number in a program's value, numerator and denominator together."""


def compiled(program: Srasp, source: str, name: str) -> Transformer:
    """The model of a program, with an answer at each position: a letter, a verdict for a truth, a number."""
    return Compiled(program).model(source, name)


class Compiled(Aggregates):
    """A compiled program: `lines` has the value or selector of each line, in terms of coordinates."""

    def __init__(self, program: Srasp) -> None:
        super().__init__(program)
        self.lines: list[Any] = []
        named = {line: name for name, line in reversed(program.names)}
        for number, line in enumerate(program.lines):
            self.now = number
            try:
                self.lines.append(self._line(number, line, [self.lines[k] for k in line.reads]))
            except BadInput as error:
                if not program.places:
                    raise
                row, column = program.places[number]
                raise type(error)(f"{error.must} (line {row}, column {column})", error.given, error.do) from None
            if isinstance(self.lines[-1], Form):
                self._require_short(self.lines[-1], number)
            if number in named:
                self._title(self.lines[-1], f"{named[number]}(i)")

    def _require_short(self, value: Form, number: int) -> None:
        """Raise BadInput if a number of a line is too long for a model file: repeated squares double its length."""
        numbers = (*value.table, *value.bits.values(), *value.atoms.values())
        bits = max(q.numerator.bit_length() + q.denominator.bit_length() for q in numbers)
        if bits > MOST_BITS:
            where_text = f" in line {self.program.places[number][0]}" if self.program.places else ""
            raise BadInput(
                f"each number of a program must have at most {MOST_BITS:,} bits",
                f"{bits:,}{where_text}",
                "use smaller numbers, or fewer squares of squares",
            )

    def _line(self, number: int, line: SraspLine, reads: Any) -> ProgramValue | SelectorCases:
        """The value or selector of a line; `reads` has those of the lines that it reads."""
        op, line_text = line.op, self.program.text(number)
        # Inputs and constants.
        if op == "in":
            return {letter: frozenset((letter,)) for letter in self.program.alphabet}
        if op == "indices":
            return self.position("before", "left")
        if op == "length":
            return self.position("last", "both").plus(self.number(1))
        if op == "constant":
            return self._constant(line.value)
        # Operations on the values at one position.
        if op == "sum":
            return reads[0].plus(reads[1])
        if op == "times":
            return reads[0].times(line.value)
        if op == "product":
            return self._product_of(*reads, shown=line_text)
        if op in ("not", "and", "or"):
            return self.negation(reads[0]) if op == "not" else (self.both if op == "and" else self.either)(*reads)
        if op == "compare":
            return self._compared(line.value, *reads, shown=line_text)
        if op == "if":
            return self.pick(*reads)
        # Operations that need a head, or a selector for one.
        if op == "psum":
            return self.psum(line.value, reads[0], line_text)
        if op in ("left", "right"):
            return self.nearest(op, line.value, *reads, shown=line_text)
        if op == "select":
            return self._select(line, *reads)
        if op in ("key", "query"):
            return self.key(reads[0]) if op == "key" else self.query(reads[0])
        if op == "pair not":
            return self.complement(reads[0])
        if op.startswith("pair"):
            return self.joined(op.removeprefix("pair "), *reads)
        selector = self.program.text(line.reads[0])
        return self.aggregate(*reads, shown=selector) if op == "aggregate" else self.width(reads[0], selector)

    def _title(self, value: Any, name: str) -> None:
        """Set the meaning of the coordinates that will hold a value, to `name` or for a letter to `name` = letter."""
        if isinstance(value, dict):
            for letter, truth in value.items():
                self._title(truth, f"{name} = {constant_text(letter)}")
        # Otherwise only a decision diagram, (variable, low, high), has a coordinate; a selector is a tuple of cases.
        elif not isinstance(value, (Form, bool, frozenset)) and isinstance(value[0], int):
            self.titles.setdefault(value, name)

    def _constant(self, value: Any) -> ProgramValue:
        """A constant at every position: a truth, a letter or a number."""
        if isinstance(value, bool):
            return self.truth(value)
        return {value: self.every} if isinstance(value, str) else self.number(value)

    def _product_of(self, a: Form, b: Form, shown: str) -> Form:
        """The product a b; one of the two must have finitely many values, or BadInput is raised."""
        for form, factor in ((a, b), (b, a)):
            # a b = sum over the values v of a: v times (b where a is v, else 0).
            values = self.values_of(form)
            if values is not None:
                result = self.number(0)
                for value, truth in values:
                    result = result.plus(self.gate(truth, factor), value)
                return result
        raise BadInput(
            "one side of a product must have a finite range",
            f"{shown}, a product of two numbers that grow",
            "multiply by a sequence with finitely many values, or by a number",
        )

    def _compared(self, sign: str, a: Any, b: Any, shown: str) -> Truth:
        """Where the relation `sign` holds between two numbers, letters or truths."""
        if isinstance(a, Form):
            return self.compare(sign, a, b)
        if isinstance(a, dict):
            # Letters: for each letter of a, the letters of b that satisfy the relation. != is the negation of =, which
            # has fewer cases.
            same = "=" if sign == "!=" else sign
            fits = [(here, [b[y] for y in b if holds(same, x, y)]) for x, here in a.items()]
            equal = self.disjoint(
                [self.both(here, self.disjoint(there, shown)) for here, there in fits if there], shown
            )
        else:
            equal = self.choose(a, b, self.negation(b))
        return self.negation(equal) if sign == "!=" else equal

    def _select(self, line: SraspLine, key: Any, query: Any) -> SelectorCases:
        """The selector of a comparison of keys and queries, by their type."""
        if isinstance(key, Form):
            both_texts = self.program.text(line.reads[0]), self.program.text(line.reads[1])
            return self.numbers_meet(line.value, key, query, both_texts)
        if isinstance(key, dict):
            return self.letters_meet(line.value, key, query)
        return self.truths_meet(line.value, key, query)

    # The model

    def model(self, source: str, name: str, kind: str = "srasp") -> Transformer:
        """The model, with its plan. Coordinates that the output does not need are left out."""
        # What the readout reads: a number, a bit for each letter of the output, or one bit.
        answer = self.lines[self.program.output]
        labels: tuple[str, ...] = ()
        if isinstance(answer, Form):
            reads = (self._shown(answer),)
        elif isinstance(answer, dict):
            labels = tuple(letter for letter, truth in answer.items() if self.truth(truth) != frozenset())
            reads = tuple(self.hold(self.node(answer[letter])) for letter in labels)
        else:
            reads = (self.hold(self.node(answer)),)
        # The embedding has only the coordinates that the readout or a needed step reads.
        steps = self._needed(reads)
        needed = set(reads).union(*(step.reads for step in steps))
        rows: dict[str, dict[str, Any]] = {
            a: {name: 1 for name, letters in self.sets.items() if a in letters and name in needed}
            for a in self.program.alphabet
        }
        for table, values in self.tables.items():
            for a, value in zip(self.program.alphabet, values, strict=True):
                if table in needed and value:
                    rows[a][table] = value
        positions = {name: text for name, text in self.positions.items() if name in needed}
        for constant in ("one", "zero"):
            if constant in needed:
                positions[constant] = "1" if constant == "one" else "0"
        # A space must have a coordinate.
        if not positions and not any(rows.values()):
            positions["zero"] = "0"
        builder = Builder(words=rows, positions=positions)
        for step in steps:
            builder.add(step)
        if labels:
            read_labels(builder, reads, labels)
        elif isinstance(answer, Form):
            builder.readout("value", "each", reads)
        else:
            builder.readout("sign", "each", reads, weights=[1])
        model = builder.build(name, source="Strobl et al. (2025): a compiled S-RASP program")
        return replace(model, program=Program(kind, source, self.program.alphabet, plan_of(model, self.meanings)))

    def _shown(self, form: Form) -> str:
        """A coordinate that holds a number, for the readout."""
        # A number that is a coordinate already needs no network.
        row = self.linear(form)
        if len(row) == 1 and list(row.values()) == [1] and "" not in row:
            return next(iter(row))
        from symcook.compilers.numbers import text

        row_text = text(row)
        # x = relu(x) where it is never negative, else relu(x) - relu(-x).
        if form.span()[0] >= 0 and not form.atoms:
            return self.network("number", row_text, f"relu({row_text})")
        return self.network("number", row_text, f"relu({row_text}) - relu({text({k: -q for k, q in row.items()})})")

    def _needed(self, reads: tuple[str, ...]) -> list[Head | FeedForward]:
        """The heads and feed-forward layers that `reads` depends on, in order. A head keeps only the values that are
        read: the others are deleted from the `Look` in `looks`."""
        needed, needed_steps = set(reads), []
        # From the last step back: a step is needed if something later reads what it writes.
        for step in reversed(self.looks):
            if isinstance(step, Look):
                step.values = {name: row for name, row in step.values.items() if name in needed}
                block: Any = step.made() if step.values else None
            else:
                block = step if needed & set(step.writes) else None
            if block is not None:
                needed.update(block.reads)
                needed_steps.append(block)
        return needed_steps[::-1]
