"""Text for the names, values and guards of a world (`symcook.domains.world`), in the words of statements.

`Texts` makes the texts of one answer. `Spelling` writes what `derive` prints; long values have names there, which the
statement defines behind itself. `StatementSpelling` writes for the prover.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly

from symcook.domains.field import Generator, Value
from symcook.domains.lengths import Lengths
from symcook.domains.linear import Guard, LinearAtom
from symcook.domains.names import (
    CHOSEN,
    COUNT,
    INPUT,
    KEY,
    LENGTH,
    LONG,
    PLACE,
    POSITION,
    PREFIX,
    SUM,
    SYMBOL,
    Affine,
    FormName,
    I,
    J,
    N,
    name_of,
    place_of,
)
from symcook.domains.world import GuardedCell, PositionChoice
from symcook.errors import BadInput
from symcook.model.expr import MAX_TEXT, RESERVED
from symcook.model.meaning import ROUNDED
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.spelled import bare, quoted
from symcook.model.symbols import from_sympy
from symcook.model.transformer import Transformer

READS = StepsRead("the texts of a closed form", **STEP_WORDS)
WORDS = frozenset(
    {"accept", "answer", "at", "count", "decoded", "first", "holds", "last", "logit", "matches", "probability"}
    | {"score", "w", "weight"}
)
"""The words of statements, besides those of the grammar: no name of a form is one of them."""
OWN_NAMES = frozenset({"here", "n", "names", "run", "w", "word"})
"""The names that have a meaning in every formal statement."""


class Texts:
    """The texts of the names in one answer: the one place where they are made.

    What statements have a word for is written in this word: symbols and coordinates of the model, counts, tokens. Each
    other text is fresh: it is no word of the grammar, nothing that the model names, and no earlier text.
    """

    def __init__(self, model: Transformer, reserved: Collection[str] = ()) -> None:
        """`reserved` are further words of statements: a coordinate that is called so is written in quotes."""
        embedding, readout = model.embedding, model.readout
        tokens = (*(embedding.words or ()), *embedding.alphabet)
        self.written = {name for step in READS.of(model).sublayers for part in step.all_parts for name in part.writes}
        """The coordinates that are written: an input of this name is the coordinate after the embedding."""
        self.symbols = frozenset(p.name for p in model.parameters)
        self.coordinates = frozenset((*model.space, *self.written))
        self.words = frozenset((*RESERVED, *WORDS, *OWN_NAMES))
        """What a symbol is written in quotes for."""
        self.reserved = frozenset((*self.words, *reserved, *self.symbols))
        """What a coordinate is written in quotes for."""
        names = (*self.reserved, *ROUNDED, *self.coordinates)
        self.taken = {*names, *tokens, *readout.labels, "i", "n"}
        self.texts: dict[Any, str] = {}
        self.numbered: dict[str, int] = {}
        """Stem of numbered names -> how many there are."""
        self.definitions: dict[str, tuple[str, str]] = {}
        """Name of a long value -> how it is called, with the variables that it depends on; and what it stands for."""

    def fresh(self, key: object, preferred: str) -> str:
        """The text of what has this key: the `preferred` one, with underscores until it is new."""
        if key not in self.texts:
            while preferred in self.taken:
                preferred += "_"
            self.taken.add(preferred)
            self.texts[key] = preferred
        return self.texts[key]

    def defined(self, definition: str, variables: Sequence[str] = (), stem: str = "r") -> str:
        """The name of a long value, ``r1``, with the next new number, and the variables on which it depends:
        ``r1(i)``. The same definition has the same name."""
        if definition not in self.texts:
            number = self.numbered[stem] = self.numbered.get(stem, 0) + 1
            while f"{stem}{number}" in self.taken:
                number += 1
            name = self.fresh(definition, f"{stem}{number}")
            called = f"{name}({', '.join(variables)})" if variables else name
            self.definitions[name] = called, definition
        return self.definitions[self.texts[definition]][0]

    def bound(self, name: str) -> str:
        """The text of a bound variable."""
        return self.fresh(("bound", name), name)

    def token(self, token: str) -> str:
        """A token as a statement has it: in quotes if it is no name, or also names something else. Undecided for a
        token that a statement cannot have."""
        elsewhere = {*self.symbols, *self.coordinates, *RESERVED, *WORDS, "i", "n"}
        return token if bare(token) and token not in elsewhere else quoted(token)

    def symbol(self, name: str) -> str:
        """A symbol of the model as a statement has it."""
        return quoted(name) if name in self.words else name

    def with_symbols(self, text: str) -> str:
        """A text that has the names of symbols, with these as a statement has them."""
        names = "|".join(self.symbols & self.words)
        return re.sub(rf"(?<![\w\"'])({names})\b(?![\"'(])", lambda match: quoted(match[1]), text) if names else text

    def coordinate(self, name: str, stage: str = "") -> str:
        """A coordinate as a statement has it, with the stage of its value."""
        return f"{quoted(name) if name in self.reserved else name}{stage}"

    def needed(self, *texts: str) -> list[str]:
        """The definitions ``r1 := ..`` that some texts need, also those that other definitions need, in order."""
        found, todo = set[str](), list(texts)
        while todo:
            words = {*re.findall(r"\w+", todo.pop())}
            new = [name for name in self.definitions if name in words and name not in found]
            found.update(new)
            todo += (self.definitions[name][1] for name in new)
        return [f"{called} := {text}" for name, (called, text) in self.definitions.items() if name in found]

    def where(self, statement: str) -> str:
        """A statement with the definitions that it needs behind it."""
        needed = self.needed(statement)
        return f"{statement} where {', '.join(needed)}" if needed else statement


class Spelling:
    """Writes names, values and guards of a world in the words of statements. The two worlds of one answer share their
    `texts`, so that a text has the same meaning in both."""

    def __init__(self, domain: Lengths, texts: Texts) -> None:
        self.domain, self.world, self.texts = domain, domain.world, texts
        self.indices: list[str] = []
        """The texts of the positions j of the sums that are being written, the innermost last."""
        self.known: dict[FormName, str] = {}
        """The texts of names of long values so far."""

    # --- Names ----------------------------------------------------------------------------------------------------

    def name(self, name: FormName) -> str:
        """A name as a term of a statement: a long value by a name of its own, which `Texts.definitions` has."""
        if name in self.known:
            return self.known[name]
        if name.kind == SYMBOL:
            return self.texts.symbol(name.of)
        if name.kind in (POSITION, LENGTH):
            return name.kind
        if name.kind == PLACE:
            return self.linear(*place_of(name))
        if name.kind == KEY and name.number:  # each chosen position has a variable of its own
            return self.texts.bound("t" if name.number == 1 else f"t{name.number}")
        if name.kind == KEY:
            return self.indices[-1] if self.indices else self.texts.bound("j")
        if name.kind in (COUNT, PREFIX):
            upto = "" if name.kind == COUNT else f", {self.name(name.at)}"
            return f"count({self.texts.token(name.of)}{upto})"
        if name.kind == INPUT:
            return self.input(name, self.linear(*place_of(name)))
        if name.kind == SUM:
            return self.sum(name)
        if name.kind == CHOSEN:
            variables = [self.name(place) for place in name.at]
            self.known[name] = self.texts.defined(self.position(name), [v for v in variables if v != LENGTH], "q")
        else:
            self.known[name] = self.texts.defined(self.value(self.world.named[name][0]))
        return self.known[name]

    def input(self, name: FormName, place: str) -> str:
        """An input number at a place: the coordinate, after the embedding if it is written to later."""
        return f"{self.texts.coordinate(name.of, '@0' * (name.of in self.texts.written))}({place})"

    def letter(self, place: str, tokens: Sequence[str]) -> str:
        """The formula that one of the tokens is at a place."""
        return " | ".join(f"at({self.texts.token(t)}, {place})" for t in tokens)

    def residue(self, name: FormName, m: int, residue: int) -> str:
        """The formula that a number has a residue modulo m."""
        number = self.name(name)
        return f"{number} mod {m} = {residue}" if "mod" in self.texts.coordinates else f"mod({number}, {m}) = {residue}"

    def chosen(self, name: FormName) -> str:
        """The position that a head chooses, in words: the first or last one at which a formula holds, and the first one
        of the string where it holds nowhere."""
        choice = self.world.choices[name]
        low, high = self.linear(*choice.low), self.linear(*choice.high)
        which = "last" if choice.last else "first"
        place = f"the {which} position {self.name(choice.key)} in {low}..{high} with {self.chosen_where(choice)}"
        return f"{place} ({self.world.start} if there is none)"

    def chosen_where(self, choice: PositionChoice) -> str:
        """The formula that holds at the positions from which one is chosen."""
        guards = [conjunction(self.guard(guard)) or "true" for guard in choice.guards]
        return " | ".join(f"({g})" if len(guards) > 1 and "&" in g else g for g in guards)

    def position(self, name: FormName) -> str:
        """A chosen position as a term: a sum with one summand that is not 0, or the first position if there is none."""
        key, low, high, condition, alone = self.choice(name)
        chosen = f"sum({key}, {low}, {high}, I[({condition}) & ({alone}) & (true)]*{key})"
        nowhere = f"I[all {key} in {low}..{high}. ~({condition})]"
        return f"({chosen} + {nowhere})" if self.world.start else chosen

    def selected(self, name: FormName, what: str) -> str:
        """"t in LOW..HIGH. FORMULA" which says that a position t is the chosen one, and `what`, a formula about t."""
        key, low, high, condition, alone = self.choice(name)
        return f"{key} in {low}..{high}. ({condition}) & ({alone}) & ({what})"

    def choice(self, name: FormName) -> tuple[str, str, str, str, str]:
        """Of a chosen position: its variable, the two ends of where it is looked for, the formula that the variable is
        a position from which one is chosen, and the formula that no nearer one is."""
        choice = self.world.choices[name]
        key, condition = self.name(choice.key), self.chosen_where(choice)
        other = self.texts.bound(f"other_{key}")
        low, high = self.linear(*choice.low), self.linear(*choice.high)
        # The same formula about another position: no text that was made of the first one is used.
        outside, self.known = self.known, {choice.key: other}
        nearer = f"{key} + 1..{high}" if choice.last else f"{low}..{key} - 1"
        alone = f"all {other} in {nearer}. ~({self.chosen_where(choice)})"
        self.known = outside
        return key, low, high, condition, alone

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

    def size(self, value: Value, most: int) -> int:
        """The number of terms of a value as it is written, with those in its sums, functions and named values; a lower
        bound of that number where it is above `most`. The work is no more than about `most` steps."""
        if isinstance(value, fmpq):
            return 1
        generators, out = self.world.field.generators, 0
        self.world.field.lift(value)
        for polynomial in (value.num, value.den):
            for monomial in polynomial.monoms():
                out += 1
                for generator in (generators[g] for g, exponent in enumerate(monomial) if exponent):
                    for inside in self._inside(generator):
                        if out > most:
                            return out
                        out += self.size(inside, most - out)
        return out

    def _inside(self, generator: Generator) -> list[Value]:
        """The values that are written inside a generator."""
        if generator.kind == "constant":
            return []
        if generator.kind != "symbol":
            return [generator.argument]
        name = name_of(generator.argument)
        if name in self.world.sums:
            return [cell.value for cell in self.world.sums[name].cells]
        return [self.world.named[name][0]] if name in self.world.named and name.kind != CHOSEN else []

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
            base = self.name(name_of(generator.argument))
        elif generator.kind == "constant":
            base = f"({from_sympy(generator.argument)})"
        else:
            inside = self.value(generator.argument)
            whole = {"max": f"max(0, {inside})", "step": f"I[0 < {inside}]"}
            base = whole.get(generator.kind, f"{generator.kind}({inside})")
        return base if exponent == 1 else f"{_in_brackets_if_needed(base, '^')}^{exponent}"

    def linear(self, terms: Mapping[FormName, int | Fraction], constant: int | Fraction = 0) -> str:
        """A linear form as a term."""
        return self.value(self.world.linear(terms, constant))

    def sum(self, name: FormName) -> str:
        """A sum without a rule as a term `sum(j, ...)`."""
        named_sum = self.world.sums[name]
        low, high = self.linear(*named_sum.low), self.linear(*named_sum.high)
        index = self.texts.bound(f"j{len(self.indices) or ''}")
        self.indices.append(index)
        body = self.indicators(named_sum.cells)
        self.indices.pop()
        return f"sum({index}, {low}, {high}, {body})"

    def indicators(self, cells: Sequence[GuardedCell]) -> str:
        """A sum of terms, one for each cell, that is the value of the cell which holds."""
        parts = []
        for cell in cells:
            if isinstance(cell.value, fmpq) and cell.value == 0:
                continue
            guards = [g for atom, allowed in cell.guard.items() for g in self.atom(atom, allowed)]
            test, value = conjunction(guards), self.value(cell.value)
            parts.append(self.where(test, value, not self.world.sign.defined(cell.value, {})) if test else value)
        return " + ".join(parts) or "0"

    def where(self, test: str, value: str, partial: bool) -> str:
        """A term that is `value` where the formula `test` holds, else 0. `partial` says that `value` may be undefined
        where the formula does not hold."""
        if partial:
            return f"if({test}, {value}, 0)"
        return f"I[{test}]" if value == "1" else f"I[{test}]*({value})"

    def total(self, value: Value, guard: Guard, around: Guard | None, default: int) -> str:
        """A value that exists where `guard` holds; with `around`, as a term that has a value wherever this holds: it
        may have the `default` where `guard` does not hold."""
        text = self.value(value)
        if around is None or self.world.sign.defined(value, around):
            return text
        return f"if({conjunction(self.guard(guard))}, {text}, {default})"

    # --- Guards ---------------------------------------------------------------------------------------------------

    def guard(self, guard: Guard) -> tuple[str, ...]:
        """A guard as formulas that must all hold. One of them says that a fixed position exists if the guard has its
        token."""
        formulas = [text for atom, allowed in guard.items() for text in self.atom(atom, allowed)]
        fixed = [a[1] for a in guard if a[0] == "letter" and isinstance(a[1], int)]
        least = max(fixed, default=0) + 1 - self.world.start
        if fixed and least > self.world.fewest and ("form", ((N, 1),)) not in guard:
            formulas.insert(0, f"{least} <= n")
        return tuple(formulas)

    def case(self, guard: Guard, text: str) -> str:
        """The formula that `text` holds where the guard holds."""
        test = conjunction(self.guard(guard))
        return f"({test} -> {text})" if test else text

    def quantified(self, text: str) -> str:
        """A formula as it may stand by itself; a hook for `StatementSpelling`."""
        return text

    def everywhere(self, text: str, name: str = "i") -> str:
        """The formula that `text` holds at every position, with `name` as the bound variable."""
        return f"all {name} in {self.world.start}..{self.world.last}. {text}"

    def atom(self, atom: LinearAtom, held: Any) -> list[str]:
        """The condition that an atom has one of the values `held`, as formulas that must all hold; none if it always
        holds."""
        if atom[0] == "letter":
            order = [t for t in (self.world.before, *self.world.letters, self.world.after) if t in held]
            at = atom[1]
            place = str(at) if isinstance(at, int) else self.world.last if at == N else self.name(at)
            return [self.letter(place, order)]  # type: ignore[arg-type]
        if atom[0] == "mod":
            return [" | ".join(self.residue(atom[1], atom[2], r) for r in sorted(held))]
        if atom[0] == "some":
            return [f"0 < {self.name(atom[1])}" if True in held else f"{self.name(atom[1])} = 0"]
        if atom[0] == "sign":
            return self.signed(dict(atom[1]), atom[2], held)
        low, high = held
        # Leave out lower bounds that always hold; an upper bound equal to the least value is an equation.
        least_values = {I: self.world.start, J: self.world.start, N: self.world.fewest}
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

    def signed(self, terms: Mapping[FormName, int], constant: Fraction, held: frozenset[int]) -> list[str]:
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

    def compared(self, less: Mapping[FormName, int], more: Mapping[FormName, int], by: int, sign: str) -> str:
        """The formula `less SIGN more + by`. An inequality is written as strict where that is shorter."""
        if sign == "<=" and by == -1 and less and more:
            return f"{self.linear(less)} < {self.linear(more)}"
        if by < 0 and more and less:
            return f"{self.linear(less, -by)} {sign} {self.linear(more)}"
        if not less:
            return f"{-by} {sign} {self.linear(more)}"
        return f"{self.linear(less)} {sign} {self.linear(more, by)}"


class StatementSpelling(Spelling):
    """Writes names, values and guards for the prover: long values and positions that are input numbers written out, and
    residues as the rules of the prover have them."""

    def __init__(self, domain: Lengths, texts: Texts) -> None:
        super().__init__(domain, texts)
        self.queries: dict[FormName, str] = {}
        """The input numbers used as positions since the last call of `quantified`, each with its bound variable."""
        self.inside = False
        """Whether a place is being written, in which an input number is its bound variable."""

    def name(self, name: FormName) -> str:
        """A name as a term: an input number as its name at a place, a long value written out."""
        if self.inside and name in self.queries:
            return self.queries[name]
        if name.kind == INPUT:
            place = place_of(name)
            for inner in place[0]:
                if inner.kind == INPUT and inner not in self.queries:
                    self.name(inner)  # gives the numbers in its own place their variables first
                    self.queries[inner] = self.texts.bound(f"q{len(self.queries) + 1}")
            outside, self.inside = self.inside, True
            at, self.inside = self.linear(*place), outside
            return self.input(name, at)
        if name.kind == LONG:
            if name not in self.known:
                self.known[name] = f"({self.value(self.world.named[name][0])})"
            if len(self.known[name]) > MAX_TEXT:  # values inside of values: written out, they grow fast
                must = f"a statement must have at most {MAX_TEXT:,} characters"
                raise BadInput(must, f"more, for {name}", "give smaller sizes")
            return self.known[name]
        if name.kind == CHOSEN:
            return self.position(name)
        return super().name(name)

    def atom(self, atom: LinearAtom, held: Any) -> list[str]:
        if atom[0] == "letter" and isinstance(atom[1], FormName) and atom[1].kind == CHOSEN:
            (there,) = super().atom(("letter", self.world.choices[atom[1]].key), held)
            return [f"(ex {self.selected(atom[1], there)})"]
        return super().atom(atom, held)

    def quantified(self, text: str) -> str:
        """The formula that `text` holds for all positions that equal the queries in it. It empties `queries`."""
        for name, query in reversed(self.queries.items()):
            text = f"({self.everywhere(f'{self.name(name)} = {query} -> {text}', query)})"
        self.queries = {}
        return text

    def total(self, value: Value, guard: Guard, around: Guard | None, default: int) -> str:
        """The value alone: the checkers prove that it is defined where its condition holds."""
        return self.value(value)

    def where(self, test: str, value: str, partial: bool) -> str:
        """As `Spelling.where`, but always a product, like the sums of a run. The checkers prove that it is defined."""
        return super().where(test, value, False)

    def residue(self, name: FormName, m: int, residue: int) -> str:
        if m == 2:
            return f"pow(-1, {self.name(name)}) = {'-1' if residue else '1'}"
        bound = self.texts.bound("q")
        return f"(ex {bound}:Int. {self.name(name)} = {m}*{bound} + {residue})"

    def equation(self, head: str, value: Value, cleared: bool = False) -> str:
        """The equation of the term `head` and a value. If `cleared`, it is multiplied by the denominator, and the
        formula also says that the denominator is positive."""
        if cleared and not isinstance(value, fmpq):
            self.world.field.lift(value)
            if not value.den.is_constant():
                numerator, denominator = self.polynomial(value.num), self.polynomial(value.den)
                return f"0 < {denominator} & {head}*({denominator}) = {numerator}"
        return f"{head} = {self.value(value)}"


_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")


def in_brackets(text: str) -> str:
    """A formula with brackets if it needs them in a conjunction."""
    return f"({text})" if "|" in text else text


def conjunction(formulas: Sequence[str]) -> str:
    """The formula that all of some formulas hold; "" for none."""
    return " & ".join(map(in_brackets, formulas))


def _in_brackets_if_needed(text: str, beside: str) -> str:
    """A term with brackets if it needs them before or after the operator `beside`."""
    depth = 0
    for k, x in enumerate(_QUOTED.sub("a", text)):  # a quoted token may be a bracket or an operator
        depth += (x in "([") - (x in ")]")
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
