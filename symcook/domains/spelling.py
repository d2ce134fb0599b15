"""Text in the grammar for the names, values and guards of a world (`symcook.domains.world`).

`Spelling` writes for a reader, with short names, such as k for the number of 1s, and their meanings.
`StatementSpelling` writes for the prover, for which a count is a sum over the input and a token is a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly

from symcook.domains.field import Value, polynomial_of
from symcook.domains.lengths import Lengths
from symcook.domains.linear import Affine, Guard, LinearAtom
from symcook.domains.world import GuardedCell
from symcook.model.expr import valid_name
from symcook.model.symbols import from_sympy


class Spelling:
    """Writes names, values and guards of a world in the grammar, for a reader.

    `defined` maps the text of a sum or long value to its name, and is filled in by `name`; None leaves such names as
    they are in the world. The two worlds of one answer share it, so that a name has the same meaning in both.
    """

    def __init__(self, domain: Lengths, defined: dict[str, str] | None = None) -> None:
        self.domain, self.world, self.defined = domain, domain.world, defined
        # `short` maps names of the world to those of the text: counts k (or k1, k2, ...), and p for counts up to i.
        counted = self.world.letters[:-1]
        several = len(counted) > 1
        self.short = {f"k:{a}": f"k{x}" if several else "k" for x, a in enumerate(counted, 1)}
        self.short |= {f"p:{a}:{v}": f"{'p' + str(x) if several else 'p'}" + ("" if v == "i" else f"_{v}")
                       for x, a in enumerate(counted, 1) for v in ("i", "j")}  # fmt: skip

    # --- Names ----------------------------------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """A name as text; `meanings` explains it."""
        if name in self.world.slots and name not in self.short:
            self.short[name] = self.slot(name)
        if self.defined is not None and name not in self.short and (text := self.definition(name)) is not None:
            number = 1 + sum(defined_name[0] == name[0] for defined_name in self.defined.values())
            self.short[name] = self.defined.setdefault(text, f"{name[0]}{number}")
        return self.short.get(name, name)

    def slot(self, name: str) -> str:
        """The short name of an input number at a place; at position i it is the name of the input."""
        given_name, (terms, constant) = self.world.slots[name]
        position_name = next(iter(terms)) if len(terms) == 1 and not constant and set(terms.values()) == {1} else None
        if position_name == "i":
            return given_name
        if position_name is not None and (terms, constant) != self.world.end:
            return f"{given_name}_{self.name(position_name)}"
        neighbour = {1: "after", -1: "before"}.get(int(constant)) if terms == {"i": 1} else None
        if (terms, constant) == self.world.end or neighbour is not None:
            return f"{given_name}_{neighbour or 'last'}"
        return f"{given_name}_{constant}" if not terms else f"{given_name}_at{len(self.short)}"

    def letter(self, place: str, tokens: Sequence[str]) -> str:
        """The formula that one of the tokens is at a place."""
        return " | ".join(f"w({place}) = {self.token(t)}" for t in tokens)

    def token(self, token: str) -> str:
        """A token as an argument of a formula, in quotes unless it is a valid name or digits."""
        return token if token.isdigit() or valid_name(token) else f'"{token}"'

    def residue(self, name: str, m: int, residue: int) -> str:
        """The formula that a number has a residue modulo m."""
        return f"mod({self.name(name)}, {m}) = {residue}"

    def meanings(self, used: set[str]) -> Iterator[str]:
        """A sentence for each of the names `used` that need an explanation."""
        for name in sorted(used):
            if name[:2] == "k:":
                yield f"{self.name(name)} is the number of {_plural(name[2:])}"
            elif name[:2] == "p:":
                letter, at = name[2:].rsplit(":", 1)
                yield f"{self.name(name)} is the number of {_plural(letter)} up to position {at}"
            elif name in self.world.slots:
                given_name, place = self.world.slots[name]
                yield f"{self.name(name)} is the {given_name} given at position {self.linear(*place)}"
            elif (text := self.definition(name)) is not None:
                yield f"{self.name(name)} = {text}"

    def definition(self, name: str) -> str | None:
        """The text of a sum without a rule or of a long value; None for another name."""
        if name in self.world.sums:
            return self.sum(name)
        return self.value(self.world.named[name][0]) if name in self.world.named else None

    # --- Terms ----------------------------------------------------------------------------------------------------

    def value(self, value: Value) -> str:
        """A value as a term of the grammar."""
        if isinstance(value, fmpq):
            return str(Fraction(int(value.p), int(value.q)))
        self.world.field.lift(value)
        numerator, denominator = self.polynomial(value.num), self.polynomial(value.den)
        if denominator == "1":
            return numerator
        return f"{_in_brackets_if_needed(numerator, '*')}/{_in_brackets_if_needed(denominator, '^')}"

    def polynomial(self, polynomial: fmpq_mpoly) -> str:
        """A polynomial as a sum of terms, with + and - between them."""
        out = ""
        for monomial, c in polynomial.terms():
            factors = [self.power(g, int(e)) for g, e in enumerate(monomial) if e]
            number = Fraction(int(c.p), int(c.q))
            number_text = str(abs(number))
            term = "*".join([*([] if number_text == "1" and factors else [number_text]), *factors])
            out += (" - " if number < 0 else " + ") + term if out else ("-" if number < 0 else "") + term
        return out or "0"

    def power(self, g: int, exponent: int) -> str:
        """A power of a generator; a power of an exponential is written as one exponential."""
        generator, field_ = self.world.field.generators[g], self.world.field
        if generator.kind == "exp":
            inside = self.value(generator.argument * fmpq(exponent, field_.roots[g]))
            return f"exp({inside})"
        if generator.kind == "symbol":
            base = self.name(generator.argument.name)
        elif generator.kind == "constant":
            base = f"({from_sympy(generator.argument)})"
        else:
            base = f"{generator.kind}({self.value(generator.argument)})"
        return base if exponent == 1 else f"{_in_brackets_if_needed(base, '^')}^{exponent}"

    def linear(self, terms: Mapping[str, int | Fraction], constant: int | Fraction = 0) -> str:
        """A linear form as a term."""
        return self.value(self.world.linear(terms, constant))

    def sum(self, name: str) -> str:
        """A sum without a rule as a term `sum(j, ...)`."""
        named_sum = self.world.sums[name]
        body = self.indicators(named_sum.cells, "j")
        return f"sum(j, {self.linear(*named_sum.low)}, {self.linear(*named_sum.high)}, {body})"

    def indicators(self, cells: Sequence[GuardedCell], at: str) -> str:
        """A sum of terms, one for each cell, that is the value of the cell which holds."""
        parts = []
        for cell in cells:
            if isinstance(cell.value, fmpq) and cell.value == 0:
                continue
            guards = [g for atom, allowed in cell.guard.items() for g in self.atom(atom, allowed)]
            test, value = " & ".join(map(in_brackets, guards)), self.value(cell.value)
            parts.append(self.where(test, value, self.infinite(cell)) if test else value)
        return " + ".join(parts) or "0"

    def where(self, test: str, value: str, infinite: bool) -> str:
        """A term that is `value` where the formula `test` holds, else 0. `infinite` says that `value` may have a pole
        where the formula does not hold."""
        if infinite:
            return f"if({test}, {value}, 0)"
        return f"I[{test}]" if value == "1" else f"I[{test}]*({value})"

    def infinite(self, cell: GuardedCell) -> bool:
        """Whether a cell's value may have a pole where the cell does not hold."""
        if isinstance(cell.value, fmpq) or not self.world.names_in(cell.value):
            return False
        self.world.field.lift(cell.value)
        return self.world.signs(polynomial_of(self.world.field, cell.value.den), {}) not in ({1}, {-1})

    # --- Guards ---------------------------------------------------------------------------------------------------

    def guard(self, guard: Guard) -> tuple[str, ...]:
        """A guard as formulas that must all hold. One of them says that a fixed position exists if the guard has its
        token."""
        formulas = [text for atom, allowed in guard.items() for text in self.atom(atom, allowed)]
        fixed = [a[1] for a in guard if a[0] == "letter" and isinstance(a[1], int)]
        least = max(fixed, default=0) + 1 - self.world.start
        if fixed and least > self.world.fewest and ("form", (("n", 1),)) not in guard:
            formulas.insert(0, f"{least} <= n")
        return tuple(formulas)

    def case(self, guard: Guard, text: str) -> str:
        """The formula that `text` holds where the guard holds."""
        test = " & ".join(map(in_brackets, self.guard(guard)))
        return f"({test} -> {text})" if test else text

    def everywhere(self, text: str, name: str = "i") -> str:
        """The formula that `text` holds at every position, with `name` as the bound variable."""
        return f"all {name} in {self.world.start}..{self.world.last}. {text}"

    def atom(self, atom: LinearAtom, held: Any) -> list[str]:
        """The condition that an atom has one of the values `held`, as formulas that must all hold; none if it always
        holds."""
        if atom[0] == "letter":
            order = [t for t in (self.world.before, *self.world.letters, self.world.after) if t in held]
            place = self.world.last if atom[1] == "n" else str(atom[1])
            return [self.letter(place, order)]  # type: ignore[arg-type]
        if atom[0] == "mod":
            return [" | ".join(self.residue(atom[1], atom[2], r) for r in sorted(held))]
        if atom[0] == "some":
            return [f"0 < {self.name(atom[1])}" if True in held else f"{self.name(atom[1])} = 0"]
        if atom[0] == "sign":
            return self.signed(dict(atom[1]), atom[2], held)
        low, high = held
        # Leave out lower bounds that always hold; an upper bound equal to the least value is an equation.
        least_values = {"i": self.world.start, "j": self.world.start, "n": self.world.fewest}
        if len(atom[1]) == 1 and atom[1][0][0] in least_values:
            end = least_values[atom[1][0][0]]
            low = end if high == end else None if low is not None and low <= end else low
        # Write negative terms on the other side of the relation.
        negative = {v: -c for v, c in atom[1] if c < 0}
        positive = {v: c for v, c in atom[1] if c > 0}
        if low is not None and low == high:
            return [self.compared(positive, negative, low, "=")]
        out = []
        if low is not None:
            out.append(self.compared(negative, positive, -low, "<="))
        if high is not None:
            out.append(self.compared(positive, negative, high, "<="))
        return out

    def signed(self, terms: Mapping[str, int], constant: Fraction, held: frozenset[int]) -> list[str]:
        """The formula that a form has one of the signs `held`, which must be one or two of the three."""
        (minus_negative, positive) = sides(({v: Fraction(c) for v, c in terms.items()}, constant))
        left_text, right_text = self.linear(*minus_negative), self.linear(*positive)
        # The form is the positive part minus the negated negative part, here the right text minus the left one.
        comparisons = {
            (1,): f"{left_text} < {right_text}",
            (-1,): f"{right_text} < {left_text}",
            (0,): f"{right_text} = {left_text}",
            (0, 1): f"{left_text} <= {right_text}",
            (-1, 0): f"{right_text} <= {left_text}",
            (-1, 1): f"~({right_text} = {left_text})",
        }
        return [comparisons[tuple(sorted(held))]]

    def compared(self, less: Mapping[str, int], more: Mapping[str, int], by: int, sign: str) -> str:
        """The formula `less SIGN more + by`. An inequality is written as strict where that is shorter."""
        if sign == "<=" and by == -1 and less and more:
            return f"{self.linear(less)} < {self.linear(more)}"
        if by < 0 and more and less:
            return f"{self.linear(less, -by)} {sign} {self.linear(more)}"
        if not less:
            return f"{-by} {sign} {self.linear(more)}"
        return f"{self.linear(less)} {sign} {self.linear(more, by)}"


class StatementSpelling(Spelling):
    """Writes names, values and guards for a statement about the model: counts as sums, tokens as their numbers."""

    def __init__(self, domain: Lengths, tokens: Mapping[str, int], overwritten: Collection[str] = ()) -> None:
        """`tokens` maps each token to its number. `overwritten` has the inputs whose coordinate has another value at
        the end of the run, so that the text must say that the value before the first layer is meant."""
        super().__init__(domain)
        self.tokens, self.overwritten = tokens, overwritten
        self.queries: list[str] = []
        """The input numbers used as positions in the text since the last call of `quantified`, which names them q1, q2,
        ..."""

    def name(self, name: str) -> str:
        """A name as a term of a statement: an input number as its name at a place, counts and sums written out."""
        low, high = self.world.start, self.world.last
        if name in self.world.slots:
            given, place = self.world.slots[name]
            # A place that contains an input number is a query: the text has a bound variable instead of the number.
            for inner in place[0]:
                if inner in self.world.slots and self.name(inner) not in self.queries:
                    self.queries.append(self.name(inner))
            at = self.linear(*place)
            for k, query in enumerate(self.queries, 1):
                at = at.replace(query, f"q{k}")
            return f'"{given}"@0({at})' if given in self.overwritten else f"{given}({at})"
        if name[:2] == "k:":
            return f"sum(l, {low}, {high}, I[w(l) = {self.tokens[name[2:]]}])"
        if name[:2] == "p:":
            token, at = name[2:].rsplit(":", 1)
            return f"sum(l, {low}, {at}, I[w(l) = {self.tokens[token]}])"
        return self.sum(name) if name in self.world.sums else name

    def quantified(self, text: str) -> str:
        """The formula that `text` holds for all positions q1, q2, .. that equal the queries in it. It empties
        `queries`."""
        for k, query in reversed([*enumerate(self.queries, 1)]):
            text = f"({self.everywhere(f'{query} = q{k} -> {text}', f'q{k}')})"
        self.queries = []
        return text

    def token(self, token: str) -> str:
        return str(self.tokens[token])

    def where(self, test: str, value: str, infinite: bool) -> str:
        """As `Spelling.where`, but always a product, like the sums of a run. The checkers prove that it is defined."""
        return super().where(test, value, False)

    def residue(self, name: str, m: int, residue: int) -> str:
        if m == 2:
            return f"pow(-1, {self.name(name)}) = {'-1' if residue else '1'}"
        return f"(ex q:Int. {self.name(name)} = {m}*q + {residue})"

    def equation(self, head: str, value: Value, cleared: bool = False) -> str:
        """The equation of the term `head` and a value. If `cleared`, it is multiplied by the denominator, and the
        formula also says that the denominator is positive."""
        if cleared and not isinstance(value, fmpq):
            self.world.field.lift(value)
            if not value.den.is_constant():
                numerator, denominator = self.polynomial(value.num), self.polynomial(value.den)
                return f"0 < {denominator} & {head}*({denominator}) = {numerator}"
        return f"{head} = {self.value(value)}"


def _plural(letter: str) -> str:
    """The plural of a token, for 'the number of ...'."""
    if letter.isdigit():
        return f"{letter}s"
    return f"{letter}'s" if letter.isalpha() and len(letter) == 1 else f'"{letter}"'


def in_brackets(text: str) -> str:
    """A formula with brackets if it needs them in a conjunction."""
    return f"({text})" if "|" in text else text


def _in_brackets_if_needed(text: str, beside: str) -> str:
    """A term with brackets if it needs them before or after the operator `beside`."""
    depth = 0
    for k, x in enumerate(text):
        depth += (x == "(") - (x == ")")
        if depth == 0 and (x in "+-" or (beside == "^" and x in "*/^")):
            return f"({text})"
        if k == 0 and x == "-":
            return f"({text})"
    return text


def sides(form: Affine) -> tuple[Affine, Affine]:
    """(minus the negative part of a form, its positive part): two forms with positive terms whose difference, second
    minus first, is the form."""
    terms, c = form
    minus_negative = {v: -x for v, x in terms.items() if x < 0}
    positive = {v: x for v, x in terms.items() if x > 0}
    return (minus_negative, max(-c, Fraction(0))), (positive, max(c, Fraction(0)))
