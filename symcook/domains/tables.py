"""Tables of guarded cells: what a coordinate is at a generic position of a word of any length.

A guard says, of a position and of the counts of a word, what letter stands there (a set of letters), the residue of a
number (a set of residues), or in which integer interval a linear form lies, such as i - k or 2*p - i. A cell has a
guard and a value, a rational function of `symcook.domains.field`. The guards of a table exclude each other and cover
everything that can be. Inside of a cell a form that is known to be one number is put into the value, the letter and
the residue, so that equal values are written alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, floor, gcd
from typing import Any

import sympy
from flint import fmpq, fmpq_mpoly

from symcook.domains.field import ZERO, Field, Function, Value, polynomial_of

Form = tuple[tuple[str, int], ...]
"""A linear form without constant: names with integer coefficients, the first positive, without common factor."""
Atom = tuple[Any, ...]
"""("letter", place), ("mod", name, m), ("form", Form), or ("some", name): whether a sum of terms >= 0 is not 0."""
Guard = Mapping[Atom, Any]
Bounds = tuple[int | None, int | None]
Linear = tuple[dict[str, Fraction], Fraction]
MOST_CELLS = 400
MOST_LOOSE = 6


LOG = sympy.log(sympy.Symbol("n", real=True))
"""The one function of n besides rational ones and powers of e; it is positive for n >= 2."""


class NoRule(Exception):
    """What a coordinate would need that these tables cannot say."""


@dataclass(frozen=True)
class GuardedCell:
    """A guard and the value where it holds."""

    guard: Guard
    value: Value


@dataclass(frozen=True)
class NamedSum:
    """The sum over low <= j <= high of cells in j, 0 elsewhere; `kept` says that no term is negative."""

    cells: tuple[GuardedCell, ...]
    low: Linear
    high: Linear
    kept: bool


class World:
    """What is known of positions and counts: the facts behind all guards, and the field of the values.

    `letters` are those that are typed; the last of them is not counted, since the others and the position give it.
    """

    def __init__(self, letters: Sequence[str], start: int, before: str | None, after: str | None, most: int | None):
        self.letters, self.start, self.before, self.after, self.most = tuple(letters), start, before, after, most
        self.tokens = tuple(t for t in (before, *letters, after) if t is not None)
        self.field = Field()
        self.fewest = max(1, (before is not None) + (after is not None))
        self.added = (before is not None) + (after is not None)
        self.last = "n" if start == 1 else "n - 1"
        self.positive: dict[str, tuple[Fraction | None, bool, Fraction | None]] = {}
        """By symbol of the model: its lower end, whether that is excluded, and its upper end."""
        self.sums: dict[str, NamedSum] = {}
        self._sums: dict[Any, str] = {}
        self.named: dict[str, tuple[Value, set[int]]] = {}
        """Long values by their names, with their signs."""
        self._known: dict[Any, bool] = {}
        self._cells: dict[str, Value] = {}

    # --- Values ---------------------------------------------------------------------------------------------------

    def name(self, name: str) -> Value:
        """The value of a name: i, j, n, k:LETTER (its count), p:LETTER:i (its count to i), or a symbol."""
        if name not in self._cells:
            self._cells[name] = self.field.symbol(sympy.Symbol(name, real=True))
        return self._cells[name]

    def linear(self, terms: Mapping[str, int | Fraction], constant: int | Fraction = 0) -> Value:
        """The value of a linear form."""
        out: Value = fmpq(Fraction(constant).numerator, Fraction(constant).denominator)
        for name, c in terms.items():
            out = out + self.name(name) * fmpq(Fraction(c).numerator, Fraction(c).denominator)
        return out

    def sum(self, one: NamedSum) -> Value:
        """The name of a sum without a rule, or its negative."""
        if not one.kept and all(not isinstance(c.value, fmpq) and _negative(c.value) for c in one.cells):
            cells = tuple(GuardedCell(c.guard, -c.value) for c in one.cells)
            kept = all(-1 not in self.signs(c.value, c.guard) for c in cells)
            return -self.sum(NamedSum(cells, one.low, one.high, kept))
        cells = frozenset((frozenset(c.guard.items()), self.field.key(c.value)) for c in one.cells)
        ends = ((tuple(sorted(terms.items())), c) for terms, c in (one.low, one.high))
        name = self._sums.setdefault((cells, *ends), f"S{len(self.sums) + 1}")
        if name in self.sums:
            return self.name(name)
        self.sums[name] = one
        return self.name(name)

    def short(self, value: Value, guard: Guard, most: int) -> Value:
        """The value itself, or where it is long a name for it; what it is negative of is named alike."""
        if isinstance(value, fmpq) or self.field.size(value) <= most or "i" in self.names_in(value):
            return value
        self.field.lift(value)
        sign = fmpq(-1 if value.num.leading_coefficient() < 0 else 1)
        for name, (other, _) in self.named.items():
            if other == value * sign:
                return self.name(name) * sign
        name = f"r{len(self.named) + 1}"
        signs = self.signs(value * sign, guard)
        self.named[name] = value * sign, signs
        if -1 not in signs:
            self.positive[name] = (Fraction(0), 0 not in signs, None)
        return self.name(name) * sign

    def moved_sums(self, value: Value, name: str, place: Linear) -> dict[str, Value]:
        """The sums in a value that depend on a position, with another place for it."""
        return {
            s: self.moved_sum(s, name, place)
            for s in sorted(self.names_in(value) & set(self.sums))
            if self.depends(s, name)
        }

    def depends(self, one: str, name: str) -> bool:
        found = self.sums[one]
        inside = {v for c in found.cells for v in self.names_in(c.value)}
        inside |= {
            v for c in found.cells for a in c.guard for v in ([x for x, _ in a[1]] if a[0] == "form" else [a[1]])
        }
        inside |= {*found.low[0], *found.high[0]}
        return any(v == name or str(v).endswith(f":{name}") for v in inside)

    def moved_sum(self, one: str, name: str, place: Linear) -> Value:
        """A sum with another place for a position."""
        found = self.sums[one]
        cells = CellTable(self, found.cells).at(name, place).cells
        ends = []
        for terms, c in (found.low, found.high):
            factor = terms.get(name, Fraction(0))
            moved = {v: x for v, x in terms.items() if v != name}
            for v, x in place[0].items():
                moved[v] = moved.get(v, Fraction(0)) + factor * x
            ends.append((moved, c + factor * place[1]))
        return self.sum(NamedSum(cells, ends[0], ends[1], found.kept))

    @cached_property
    def end(self) -> Linear:
        """The last position."""
        return {"n": Fraction(1)}, Fraction(self.start - 1)

    def names_in(self, value: Value) -> set[str]:
        """All symbols in a value, those inside of exponentials and roots too."""
        if isinstance(value, fmpq):
            return set()
        self.field.lift(value)
        found: set[str] = set()
        for polynomial in (value.num, value.den):
            for g, degree in enumerate(polynomial.degrees()):
                if degree:
                    found |= self._names_of(g)
        return found

    def _inside(self, argument: object) -> set[str]:
        if isinstance(argument, sympy.Basic):
            return {str(s) for s in argument.free_symbols}
        return self.names_in(argument)  # type: ignore[arg-type]

    def put(self, value: Value, new: Mapping[str, Value]) -> Value:
        """The value with others in place of some names."""
        if isinstance(value, fmpq) or not new or not self.names_in(value) & set(new):
            return value
        moved: dict[int, Value] = {}
        for polynomial in (value.num, value.den):
            for g, degree in enumerate(polynomial.degrees()):
                if degree and g not in moved and self._names_of(g) & set(new):
                    moved[g] = self._moved(g, new)
        self.field.lift(value)
        below = self._at(value.den, moved)
        if isinstance(below, fmpq) and below == 0:
            raise NoRule("a value behind a division by zero")
        return self._at(value.num, moved) / below

    def _names_of(self, g: int) -> set[str]:
        one = self.field.generators[g]
        return {one.argument.name} if one.kind == "symbol" else self._inside(one.argument)

    def _at(self, polynomial: fmpq_mpoly, moved: Mapping[int, Value]) -> Value:
        parts: dict[tuple[int, ...], dict[Any, Any]] = {}
        for monomial, c in polynomial.terms():
            key = tuple(int(monomial[g]) for g in moved)
            rest = tuple(0 if g in moved else e for g, e in enumerate(monomial))
            parts.setdefault(key, {})[rest] = c
        ready = [(key, polynomial_of(self.field, self.field.ctx.from_dict(part))) for key, part in parts.items()]
        out: Value = ZERO
        for key, term in ready:
            for e, value in zip(key, moved.values(), strict=True):
                if e:
                    term = term * value**e
            out = out + term
        return out

    def _moved(self, g: int, new: Mapping[str, Value]) -> Value:
        one = self.field.generators[g]
        if one.kind == "symbol":
            return new.get(one.argument.name, self.field.generator(g))
        if one.kind == "constant" and one.argument == LOG and isinstance(number := new.get("n"), fmpq):
            return self.number(("call", "log", (("num", int(number.p), int(number.q)),)))
        if one.kind == "constant" and isinstance(one.argument, sympy.Basic):
            if {str(s) for s in one.argument.free_symbols} & set(new):
                raise NoRule(f"{one.argument} at another place")
            return self.field.generator(g)
        inside = self.put(one.argument, new)
        if one.kind == "exp":
            return self.exponential(inside * fmpq(1, self.field.roots[g]))
        if one.kind == "sqrt":
            return self.root(inside)
        return self.field.function(one.kind, inside)

    exponential: Callable[[Value], Value]
    root: Callable[[Value], Value]
    number: Callable[[Any], Value]
    of_symbols: Callable[[fmpq_mpoly], set[int]]
    """The signs of a polynomial in symbols of the model alone."""

    # --- Facts and guards -----------------------------------------------------------------------------------------

    def domain(self, atom: Atom) -> Any:
        """All that an atom may be."""
        if atom[0] == "letter":
            if isinstance(atom[1], int):
                ends = [self.before] if self.before is not None and atom[1] == self.start else self.letters
                return frozenset([*ends, *([self.after] if self.after is not None and atom[1] != self.start else [])])
            return frozenset(self.tokens)
        if atom[0] == "mod":
            return frozenset(range(atom[2]))
        return (None, None) if atom[0] == "form" else frozenset((False, True))

    def facts(self, names: set[str]) -> list[Linear]:
        """Linear forms that are not negative, for some names."""
        todo, seen, out = [*sorted(names), "n"], set(), []
        while todo:
            v = todo.pop()
            if v in seen:
                continue
            seen.add(v)
            if v == "n":
                out.append(({"n": Fraction(1)}, Fraction(-self.fewest)))
                if self.most is not None:
                    out.append(({"n": Fraction(-1)}, Fraction(self.most + self.added)))
            elif v in ("i", "j"):
                out += [({v: Fraction(1)}, Fraction(-self.start)), ({"n": Fraction(1), v: Fraction(-1)}, self.end[1])]
            elif v[:2] == "k:":
                out.append(({v: Fraction(1)}, Fraction(0)))
                others = {w: Fraction(-1) for w in names | seen if w[:2] == "k:"}
                out.append(({"n": Fraction(1), **others}, Fraction(-self.added)))
            elif v[:2] == "p:":
                _, letter, at = v.split(":", 2)
                todo += [f"k:{letter}", at]
                out.append(({v: Fraction(1)}, Fraction(0)))
                out.append(({f"k:{letter}": Fraction(1), v: Fraction(-1)}, Fraction(0)))
                rest = {"n": Fraction(1), at: Fraction(-1), f"k:{letter}": Fraction(-1), v: Fraction(1)}
                out.append((rest, self.end[1]))
                others = {w: Fraction(-1) for w in names | seen if w[:2] == "p:" and w.endswith(f":{at}")}
                out.append(({at: Fraction(1), **others}, Fraction(1 - self.start - (self.before is not None))))
            elif v in self.positive:
                low, _, high = self.positive[v]
                out += [({v: Fraction(1)}, -low)] if low is not None else []
                out += [({v: Fraction(-1)}, high)] if high is not None else []
        return out

    def constraints(self, guard: Guard) -> list[Linear]:
        """The guard as linear forms that are not negative, with the facts of the names in it."""
        out: list[Linear] = []
        for atom, held in guard.items():
            if atom[0] == "form":
                low, high = held
                form = {v: Fraction(c) for v, c in atom[1]}
                out += [(form, Fraction(-low))] if low is not None else []
                out += [({v: -c for v, c in form.items()}, Fraction(high))] if high is not None else []
            elif atom[0] == "letter" and atom[1] != "n" and not isinstance(atom[1], int):
                v = atom[1]
                first, last = (
                    ({v: Fraction(1)}, Fraction(-self.start)),
                    ({"n": Fraction(1), v: Fraction(-1)}, self.end[1]),
                )
                if self.before is not None and self.before not in held:
                    out.append((first[0], first[1] - 1))
                elif held == frozenset((self.before,)):
                    out.append(({v: Fraction(-1)}, Fraction(self.start)))
                if self.after is not None and self.after not in held:
                    out.append((last[0], last[1] - 1))
                elif held == frozenset((self.after,)):
                    out.append(({"n": Fraction(-1), v: Fraction(1)}, -self.end[1]))
                if len(held) == 1 and (letter := next(iter(held))) in self.letters[:-1]:
                    out.append(({f"p:{letter}:{v}": Fraction(1)}, Fraction(-1)))
                elif held == frozenset((self.letters[-1],)):
                    others = {f"p:{a}:{v}": Fraction(-1) for a in self.letters[:-1]}
                    out.append(({v: Fraction(1), **others}, Fraction(-self.start - (self.before is not None))))
            elif atom[0] == "mod":
                named = str(atom[1])
                low = self.fewest if named == "n" else 0 if named[1:2] == ":" else self.start
                first_ = min(r if r >= low else r + atom[2] for r in held) if low <= atom[2] else low
                out.append(({named: Fraction(1)}, Fraction(-first_)))
            elif atom[0] == "letter" and atom[1] != "n":
                out.append(({"n": Fraction(1)}, Fraction(self.start - 1 - int(atom[1]))))
        return out

    def possible(self, guard: Guard, *more: Linear) -> bool:
        """Whether a guard, and further linear forms that are not negative, may hold; False is sure."""
        key = (frozenset(guard.items()), *((tuple(sorted(t.items())), c) for t, c in more))
        if key not in self._known:
            self._known[key] = self._parities(guard) and self._possible(guard, more)
        return self._known[key]

    def _possible(self, guard: Guard, more: Sequence[Linear]) -> bool:
        forms = [*self.constraints(guard), *more]
        if any(held == frozenset() for atom, held in guard.items() if atom[0] != "form"):
            return False
        return consistent([*forms, *self.facts({v for t, _ in forms for v in t})])

    def _parities(self, guard: Guard) -> bool:
        """Whether residues agree with forms that are known."""
        for atom, held in guard.items():
            if atom[0] != "form" or held[0] is None or held[0] != held[1]:
                continue
            for m in {a[2] for a in guard if a[0] == "mod"}:
                known = [guard.get(("mod", v, m)) for v, c in atom[1] if c % m]
                if all(x is not None and len(x) == 1 for x in known):
                    total = sum(c * next(iter(guard["mod", v, m])) for v, c in atom[1] if c % m)
                    if (total - held[0]) % m:
                        return False
        return True

    def met(self, first: Guard, second: Guard) -> Guard | None:
        """Both guards; None where they cannot both hold."""
        out = dict(first)
        for atom, held in second.items():
            if atom not in out:
                out[atom] = held
            elif atom[0] == "form":
                low = max((x for x in (out[atom][0], held[0]) if x is not None), default=None)
                high = min((x for x in (out[atom][1], held[1]) if x is not None), default=None)
                if low is not None and high is not None and low > high:
                    return None
                out[atom] = (low, high)
            else:
                out[atom] = out[atom] & held
                if not out[atom]:
                    return None
        for atom, held in list(out.items()):
            if atom[0] == "form" and len(atom[1]) == 1:
                for m in [a[2] for a in out if a[:2] == ("mod", atom[1][0][0])]:
                    left = out["mod", atom[1][0][0], m]
                    low, high = held
                    while low is not None and low % m not in left:
                        low += 1
                    while high is not None and high % m not in left:
                        high -= 1
                    if low is not None and high is not None and low > high:
                        return None
                    out[atom] = held = low, high
        return out if self.possible(out) else None

    def complement(self, atom: Atom, held: Any) -> list[Any]:
        """What an atom may be besides."""
        if atom[0] != "form":
            rest = self.domain(atom) - held
            return [rest] if rest else []
        low, high = held
        return [*([(None, low - 1)] if low is not None else []), *([(high + 1, None)] if high is not None else [])]

    def implied(self, guard: Guard, atom: Atom, held: Any) -> bool:
        """Whether a guard says what an atom says; not of a letter at a position that is not there."""
        return self.met(guard, {atom: held}) is not None and not any(
            self.met(guard, {atom: other}) is not None for other in self.complement(atom, held)
        )

    def loosened(self, guard: Guard, atom: Atom) -> Any:
        """An interval with the integers beyond its ends that the rest of a guard leaves out anyway."""
        held = guard[atom]
        if atom[0] != "form" or held[0] == held[1]:
            return held
        low, high = held
        for _ in range(MOST_LOOSE):
            if low is None or self.possible({**guard, atom: (low - 1, low - 1)}):
                break
            low -= 1
        for _ in range(MOST_LOOSE):
            if high is None or self.possible({**guard, atom: (high + 1, high + 1)}):
                break
            high += 1
        return low, high

    def shortened(self, guard: Guard) -> Guard:
        """A guard without what the rest of it says."""
        for atom in sorted(guard, key=lambda a: (a[0] != "mod", a[0] != "letter")):
            rest = {a: h for a, h in guard.items() if a != atom}
            if self.implied(rest, atom, guard[atom]):
                guard = rest
        return guard

    def equalities(self, guard: Guard) -> dict[str, Value]:
        """What a guard says that names are: forms that are one number, solved for the innermost of their names."""
        new: dict[str, Value] = {}
        for atom, held in guard.items():
            if atom[0] == "form" and held[0] is not None and held[0] == held[1]:
                names = [v for v, c in atom[1] if abs(c) == 1 and v not in new]
                one = (
                    next((v for v in ("j", "i") if v in names), None)
                    or next((v for v in names if v[:2] == "p:"), None)
                    or (names[0] if names else None)
                )
                if one is None:
                    continue
                c = dict(atom[1])[one]
                rest = self.linear({v: Fraction(-d, c) for v, d in atom[1] if v != one}, Fraction(held[0], c))
                rest = self.put(rest, new)
                if one not in self.names_in(rest):
                    new = {v: self.put(x, {one: rest}) for v, x in new.items()} | {one: rest}
            elif atom[0] == "letter" and isinstance(atom[1], str) and held == frozenset((self.before,)):
                new.setdefault(atom[1], fmpq(self.start))
            elif atom[0] == "some" and held == frozenset((False,)):
                new[atom[1]] = ZERO
        if new.get("n") == fmpq(self.added):  # a word without letters
            new |= {f"{x}{a}{y}": ZERO for a in self.letters[:-1] for x, y in (("k:", ""), ("p:", ":i"), ("p:", ":j"))}
        for v in ("i", "j"):  # counts to a position that is known
            if v in new:
                at = linear_form(self, new[v])
                if at is not None and at == self.end:
                    new |= {f"p:{a}:{v}": self.name(f"k:{a}") for a in self.letters[:-1]}
        return new

    def tidy(self, guard: Guard, value: Value) -> Value:
        """The value with what the guard says that names are."""
        return value if isinstance(value, fmpq) else self.put(value, self.equalities(guard))

    # --- Signs ----------------------------------------------------------------------------------------------------

    def signs(self, value: Value, guard: Guard) -> set[int]:
        """The signs that a value may have where a guard holds; more than there are, if that is not known."""
        if isinstance(value, fmpq):
            return {(value > 0) - (value < 0)}
        self.field.lift(value)
        out = {1}
        for polynomial in (value.num, value.den):
            lead, factors = self.field.factored(polynomial)
            out = {s * (1 if lead > 0 else -1) for s in out}
            for factor, power in factors:
                one = self._signs(factor, guard)
                out = {s * t ** int(power) for s in out for t in one if polynomial is value.num or t}
        return out

    def _signs(self, polynomial: fmpq_mpoly, guard: Guard) -> set[int]:
        value = polynomial_of(self.field, polynomial)
        form = linear_form(self, value)
        if form is not None:
            terms, c = form
            whole = all(self.whole(v) for v in terms)
            steps = {s: _unit(terms, s * c) if whole else Fraction(0) for s in (1, -1)}
            out = {s for s, step in steps.items() if self._may(guard, terms, c, s, step)}
            zero = ({v: -x for v, x in terms.items()}, -c)
            if (not whole or _integral(terms, c)) and self.possible(guard, form, zero):
                out.add(0)
            if whole:
                return out
        return self._shifted(polynomial, guard)

    def _may(self, guard: Guard, terms: dict[str, Fraction], c: Fraction, sign: int, step: Fraction) -> bool:
        return self.possible(guard, ({v: sign * x for v, x in terms.items()}, sign * c - step))

    def whole(self, name: str) -> bool:
        """Whether a name is an integer: a position, a length or a count."""
        return name in ("i", "j", "n") or name[:2] in ("k:", "p:")

    def least(self, name: str, guard: Guard) -> tuple[Fraction, bool] | None:
        """A lower end of a name, and whether it is excluded."""
        if name in self.positive:
            low, strict, _ = self.positive[name]
            return None if low is None else (low, strict)
        if name in self.sums:
            if not self.sums[name].kept:
                return None
            return Fraction(0), guard.get(("some", name)) == frozenset((True,))
        if not self.whole(name):
            return None
        low = {"n": self.fewest, "i": self.start, "j": self.start}.get(name, 0)
        held = guard.get(("form", ((name, 1),)), (None, None))[0]
        low = low if held is None else max(low, held)
        while low < 3 and not self.possible(guard, ({name: Fraction(-1)}, Fraction(low))):
            low += 1
        return Fraction(low), False

    def _shifted(self, polynomial: fmpq_mpoly, guard: Guard) -> set[int]:
        """By the coefficients, each variable being counted from a lower end."""
        if self.unknown(polynomial):
            return {-1, 0, 1}
        best = {-1, 0, 1}
        used = {v for g, degree in enumerate(polynomial.degrees()) if degree for v in self._names_of(g)}
        if used <= set(self.positive) - set(self.named):
            best = self.of_symbols(polynomial)
        if len(best) == 1:
            return best
        for far in (False, True):
            moved, strict = self._from_ends(polynomial, guard, far)
            if moved is None:
                continue
            coefficients = dict(moved.terms())
            for sign in (1, -1):
                if all(sign * c >= 0 for c in coefficients.values()):
                    sure = any(all(g in strict for g, e in enumerate(m) if e) for m in coefficients)
                    best &= {sign} if sure else {0, sign}
        return best

    def unknown(self, polynomial: fmpq_mpoly) -> bool:
        kinds = ("symbol", "exp", "sqrt", "constant")
        return any(self.field.generators[g].kind not in kinds for g, e in enumerate(polynomial.degrees()) if e)

    def _from_ends(self, polynomial: fmpq_mpoly, guard: Guard, far: bool) -> tuple[fmpq_mpoly | None, set[int]]:
        gens, strict = [*self.field.ctx.gens()], set()
        for g, degree in enumerate(polynomial.degrees()):
            if not degree:
                continue
            one = self.field.generators[g]
            if one.kind == "symbol":
                low = self.least(one.argument.name, guard)
                if low is None:
                    return None, strict
                gens[g] = gens[g] + fmpq(low[0].numerator, low[0].denominator)
                strict |= {g} if low[1] else set()
            elif one.kind == "constant" and not (one.argument.is_positive or one.argument == LOG):
                return None, strict
            else:  # exponentials and roots are positive; e^u is above 1 where u is positive
                grown = one.argument != LOG or not self.possible(guard, ({"n": Fraction(-1)}, Fraction(1)))
                strict |= {g} if grown else set()
                if far and one.kind == "exp" and self.signs(one.argument, guard) == {1}:
                    gens[g] = gens[g] + 1
        return polynomial.compose(*gens, ctx=self.field.ctx), strict

    def split(self, value: Value, guard: Guard) -> list[tuple[int, Guard]]:
        """The guard cut up so that the sign of the value is known on each part, with that sign."""
        known = self.signs(value, guard)
        if len(known) == 1:
            return [(next(iter(known)), guard)]
        assert isinstance(value, Function)
        for polynomial in (value.num, value.den):
            for factor, _ in self.field.factored(polynomial)[1]:
                if len(self._signs(factor, guard)) > 1:
                    return [part for one in self.parts(factor, guard) for part in self.split(value, one)]
        raise NoRule(f"the sign of {self.field.to_sympy(value)}")

    def parts(self, factor: fmpq_mpoly, guard: Guard) -> list[Guard]:
        """The guard cut up by the sign of a linear factor, or by whether a sum is zero."""
        value = polynomial_of(self.field, factor)
        inside = self.names_in(value) & set(self.sums)
        if inside:
            name = min(inside)
            if ("some", name) not in guard:
                return [{**guard, ("some", name): frozenset((x,))} for x in (False, True)]
        form = linear_form(self, value)
        if form is None or not all(self.whole(v) for v in form[0]):
            raise NoRule(f"the sign of {self.field.to_sympy(value)}")
        atom, below, above = _thresholds(*form)
        halves: list[Bounds] = [(None, below), (above, None)]
        if above - below == 2:
            halves.append((below + 1, below + 1))
        found = (self.met(guard, {atom: half}) for half in halves)
        return [one for one in found if one is not None]


def _negative(value: Function) -> bool:
    value.field.lift(value)
    return value.num.leading_coefficient() < 0


def _unit(terms: Mapping[str, Fraction], c: Fraction) -> Fraction:
    """The least positive value that an integer combination may have."""
    unit = reduce(
        lambda a, b: Fraction(
            gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
        ),
        terms.values(),
    )
    unit = abs(unit)
    rest = c / unit
    return unit * (rest - floor(rest)) if rest != floor(rest) else unit


def _integral(terms: Mapping[str, Fraction], c: Fraction) -> bool:
    """Whether the form may be zero as far as divisors say."""
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), [*terms.values(), c], 1)
    whole = [int(x * scale) for x in terms.values()]
    return int(c * scale) % reduce(gcd, whole) == 0


def _thresholds(terms: Mapping[str, Fraction], c: Fraction) -> tuple[Atom, int, int]:
    """The atom of a form, and below and from which integer on it is not zero."""
    atom, factor = form_atom(terms)
    zero = -c / factor
    return atom, ceil(zero) - 1, floor(zero) + 1


def form_atom(terms: Mapping[str, Fraction]) -> tuple[Atom, Fraction]:
    """The atom of a linear form without constant, and by what that is multiplied."""
    ordered = sorted(terms.items())
    scale = reduce(lambda a, b: a * b.denominator // gcd(a, b.denominator), terms.values(), 1)
    whole = [int(c * scale) for _, c in ordered]
    common = abs(reduce(gcd, whole)) * (1 if whole[0] > 0 else -1)
    return ("form", tuple((v, w // common) for (v, _), w in zip(ordered, whole, strict=True))), Fraction(common, scale)


def linear_form(world: World, value: Value) -> Linear | None:
    """The linear form that a value is; None where it is none."""
    if isinstance(value, fmpq):
        return {}, Fraction(int(value.p), int(value.q))
    world.field.lift(value)
    if not value.den.is_constant() or value.num.total_degree() > 1:
        return None
    terms, constant = {}, Fraction(0)
    for monomial, c in value.num.terms():
        g = next((g for g, e in enumerate(monomial) if e), None)
        number = Fraction(int(c.p), int(c.q))
        if g is None:
            constant = number
        elif world.field.generators[g].kind != "symbol":
            return None
        else:
            terms[world.field.generators[g].argument.name] = number
    return terms, constant


def consistent(forms: Iterable[Linear]) -> bool:
    """Whether linear forms may all be not negative, over the rationals: one name after the other is eliminated."""
    rows: set[tuple[tuple[tuple[str, Fraction], ...], Fraction]] = set()
    for terms, c in forms:
        terms = {v: x for v, x in terms.items() if x}
        if not terms:
            if c < 0:
                return False
            continue
        rows.add((tuple(sorted(terms.items())), c))
    while rows:
        uses: dict[str, list[int]] = {}
        for terms, _ in rows:
            for v, x in terms:
                uses.setdefault(v, [0, 0])[x > 0] += 1
        v = min(uses, key=lambda name: (uses[name][0] * uses[name][1], name))
        below, above, kept = [], [], set()
        for terms, c in rows:
            x = dict(terms).get(v)
            if x is None:
                kept.add((terms, c))
            else:
                (above if x > 0 else below).append((dict(terms), c, abs(x)))
        for up, c, x in above:
            for down, d, y in below:
                joined = {w: up.get(w, Fraction(0)) / x + down.get(w, Fraction(0)) / y for w in {*up, *down}}
                joined = {w: z for w, z in joined.items() if z}
                constant = c / x + d / y
                if not joined:
                    if constant < 0:
                        return False
                    continue
                scale = abs(next(iter(sorted(joined.items())))[1])
                kept.add((tuple(sorted((w, z / scale) for w, z in joined.items())), constant / scale))
        rows = kept
    return True


class CellTable:
    """Cells of one world. Sums, products and quotients are taken cell by cell."""

    __slots__ = ("cells", "world")

    def __init__(self, world: World, cells: Iterable[GuardedCell]) -> None:
        self.world, self.cells = world, tuple(cells)
        if len(self.cells) > MOST_CELLS:
            raise NoRule(f"more than {MOST_CELLS} cells")

    @staticmethod
    def of(world: World, value: Value) -> CellTable:
        """The same value everywhere."""
        return CellTable(world, [GuardedCell({}, value)])

    @staticmethod
    def cases(world: World, atom: Atom, values: Iterable[tuple[Any, Value]]) -> CellTable:
        """A value for each part of what an atom may be."""
        cells = ((g, v) for held, v in values if world.possible(g := {atom: held}))
        return CellTable(world, [GuardedCell(g, world.tidy(g, v)) for g, v in cells]).merged()

    def join(self, other: CellTable, each: Callable[[Value, Value], Value]) -> CellTable:
        """Both tables on their common guards."""
        out = []
        for a in self.cells:
            for b in other.cells:
                guard = self.world.met(a.guard, b.guard)
                if guard is not None:
                    out.append(GuardedCell(guard, self.world.tidy(guard, each(a.value, b.value))))
        return CellTable(self.world, out).merged()

    def __add__(self, other: CellTable) -> CellTable:
        return self.join(other, lambda x, y: x + y)

    def __mul__(self, other: CellTable) -> CellTable:
        return self.join(other, lambda x, y: x * y)

    def __truediv__(self, other: CellTable) -> CellTable:
        for cell in other.cells:
            if 0 in self.world.signs(cell.value, cell.guard):
                raise NoRule("a division by what may be zero")
        return self.join(other, lambda x, y: x / y)

    def map(self, each: Callable[[Value], Value]) -> CellTable:
        """A function of each value."""
        return CellTable(self.world, [GuardedCell(c.guard, each(c.value)) for c in self.cells]).merged()

    def split(self, each: Callable[[int, Value], Value]) -> CellTable:
        """A function of each value and its sign, the cells being cut up so that it is known."""
        world = self.world
        parts = [(c, s, g) for c in self.cells for s, g in world.split(c.value, c.guard)]
        return CellTable(world, [GuardedCell(g, world.tidy(g, each(s, c.value))) for c, s, g in parts]).merged()

    def beside(self, other: CellTable) -> CellTable:
        """The common guards of both tables, with the values of this one; cells are not put together."""
        met = ((self.world.met(a.guard, b.guard), a.value) for a in self.cells for b in other.cells)
        return CellTable(self.world, [GuardedCell(g, v) for g, v in met if g is not None])

    def value_at(self, guard: Guard) -> Value:
        """The value on a part of one of its cells."""
        found = [c for c in self.cells if self.world.met(c.guard, guard) is not None]
        return self.world.tidy(guard, found[0].value)

    def under(self, guard: Guard) -> CellTable:
        """The part of the table where a guard holds."""
        cells = ((self.world.met(c.guard, guard), c.value) for c in self.cells)
        return CellTable(self.world, [GuardedCell(g, self.world.tidy(g, v)) for g, v in cells if g is not None])

    def at(self, name: str, place: Linear) -> CellTable:
        """The table with a linear form in place of a position's name. Parts of it that cannot be are left out."""
        world = self.world
        out = []
        for cell in self.cells:
            moved = moved_guard(world, cell.guard, name, place)
            if moved is not None and (not moved or world.possible(moved)):
                new = replaced(world, name, place) | world.moved_sums(cell.value, name, place)
                value = world.put(cell.value, {v: x for v, x in new.items() if v in world.names_in(cell.value)})
                if any(v.startswith("p:") and v.endswith(f":{name}") for v in world.names_in(value)):
                    raise NoRule("a count at another position")
                out.append(GuardedCell(moved, world.tidy(moved, value)))
        return CellTable(world, out).merged()

    def merged(self) -> CellTable:
        """With cells put together that differ in one atom and have one value."""
        cells = [part for cell in self.cells for part in self._points(cell)]
        for alike in (True, False):  # first those whose values are written alike
            a = 0
            while a < len(cells):
                for b in range(len(cells)):
                    one = self._one(cells[a], cells[b], alike) if a != b else None
                    if one is not None:
                        cells[min(a, b)] = one
                        del cells[max(a, b)]
                        a = -1
                        break
                a += 1
        return CellTable(self.world, cells)

    def _points(self, cell: GuardedCell) -> list[GuardedCell]:
        """A cell in which a form has two values as two, so that each may go where it belongs."""
        if isinstance(cell.value, fmpq):
            return [cell]
        world = self.world
        for atom, (low, high) in [x for x in cell.guard.items() if x[0][0] == "form" and x[1][0] != x[1][1]]:
            if low is None and high is not None and not world.possible({**cell.guard, atom: (None, high - 2)}):
                low = high - 1
            if high is None and low is not None and not world.possible({**cell.guard, atom: (low + 2, None)}):
                high = low + 1
            if low is not None and high is not None and high - low == 1:
                guards = (world.met(cell.guard, {atom: (x, x)}) for x in (low, high))
                return [GuardedCell(g, world.tidy(g, cell.value)) for g in guards if g is not None]
        return [cell]

    def _one(self, a: GuardedCell, b: GuardedCell, alike: bool) -> GuardedCell | None:
        """The two cells as one. Unless values must be written alike, b may be at a single value of a form."""
        if equal(a.value, b.value) is not alike:
            return None
        shared = [x for x in a.guard if x in b.guard and a.guard[x] != b.guard[x]]
        alone = [x for x in dict.fromkeys((*a.guard, *b.guard)) if (x in a.guard) != (x in b.guard)]
        if len(shared) > 1 or (not shared and not alone):
            return None
        value = a.value
        if not alike:
            fixed = [x for x in b.guard if x in shared or x in alone]
            if not (len(fixed) == 1 and fixed[0][0] == "form" and len({*b.guard[fixed[0]]}) == 1):
                return None
            if (held := a.guard.get(fixed[0])) is None or held[0] == held[1]:
                return None
            try:
                if not equal(self.world.tidy(b.guard, a.value), b.value):
                    return None
            except NoRule:  # it has a pole there
                return None
            if not isinstance(a.value, fmpq):
                below = polynomial_of(self.world.field, a.value.den)
                if 0 in self.world.signs(below, b.guard):  # or may have one
                    return None
        first, second = dict(a.guard), dict(b.guard)
        for atom in alone:  # what the other guard says by its rest
            has, lacks = (first, second) if atom in first else (second, first)
            held = has[atom] = self.world.loosened(has, atom)
            if self.world.implied(lacks, atom, held):
                lacks[atom] = held
            elif shared:
                return None
            else:
                shared, lacks[atom] = [atom], self.world.domain(atom)
        if not shared:
            return GuardedCell(a.guard, value) if len(a.guard) <= len(b.guard) else GuardedCell(b.guard, value)
        atom = shared[0]
        guard = {x: held for x, held in first.items() if x != atom}
        both, gap = union(atom, first[atom], second[atom])
        if gap is not None and self.world.met(guard, {atom: gap}) is not None:
            return None
        if both != self.world.domain(atom) and not self.world.implied(guard, atom, both):
            guard[atom] = both
        for x in [x for x in guard if x in alone]:
            rest = {y: held for y, held in guard.items() if y != x}
            if self.world.implied(rest, x, guard[x]):
                guard = rest
        return GuardedCell(guard, value)

    def __repr__(self) -> str:
        return "; ".join(f"{dict(c.guard)}: {c.value}" for c in self.cells)


def equal(a: Value, b: Value) -> bool:
    """Whether two values are written alike."""
    if isinstance(a, fmpq) or isinstance(b, fmpq):
        return isinstance(a, fmpq) and isinstance(b, fmpq) and a == b
    return a == b


def union(atom: Atom, a: Any, b: Any) -> tuple[Any, Bounds | None]:
    """What holds where one of two parts of an atom does, and what lies between them if that is not nothing."""
    if atom[0] != "form":
        return a | b, None
    (low, high), (least, most) = sorted((a, b), key=lambda x: (x[0] is not None, x[0] or 0))
    hull = low, None if high is None or most is None else max(high, most)
    return hull, (high + 1, least - 1) if high is not None and least is not None and least > high + 1 else None


def replaced(world: World, name: str, place: Linear) -> dict[str, Value]:
    """What stands for a position's name, and for the counts to it, at another place."""
    terms, constant = place
    new = {name: world.linear(terms, constant)}
    counted = world.letters[:-1]
    if place == world.end:
        new |= {f"p:{a}:{name}": world.name(f"k:{a}") for a in counted}
    elif len(terms) == 1 and constant == 0 and next(iter(terms)) in ("i", "j"):
        new |= {f"p:{a}:{name}": world.name(f"p:{a}:{next(iter(terms))}") for a in counted}
    elif not terms and constant == world.start and world.before is not None:
        new |= {f"p:{a}:{name}": ZERO for a in counted}
    return new


def moved_guard(world: World, guard: Guard, name: str, place: Linear) -> dict[Atom, Any] | None:
    """A guard with a linear form in place of a position's name; None where it cannot hold."""
    out: Guard = {}
    for atom, held in guard.items():
        new: Guard | None
        if atom[0] == "letter" and atom[1] == name:
            new = _letter_at(world, held, place)
        elif atom[0] == "mod" and atom[1] == name:
            new = _residue_at(world, atom[2], held, place)
        elif atom[0] == "some" and world.depends(atom[1], name):
            moved = world.moved_sum(atom[1], name, place)
            (other,) = world.names_in(moved) or {""}
            new = {("some", other): held} if other else {} if False in held else None
        elif atom[0] == "form" and (name in dict(atom[1]) or any(v.endswith(f":{name}") for v, _ in atom[1])):
            value = world.put(world.linear(dict(atom[1])), replaced(world, name, place))
            form = linear_form(world, value)
            if form is None or any(v.endswith(f":{name}") and v[:2] == "p:" for v in form[0]):
                raise NoRule("a count at another position")
            new = within(form, held)
        else:
            new = {atom: held}
        merged = None if new is None else world.met(out, new)
        if merged is None:
            return None
        out = merged
    return dict(out)


def within(form: Linear, held: Bounds) -> Guard | None:
    """The guard that a linear form lies between two integers; None where it cannot."""
    terms, c = form
    low, high = held
    if not terms:
        return {} if (low is None or c >= low) and (high is None or c <= high) else None
    atom, factor = form_atom(terms)
    ends = [None if x is None else (x - c) / factor for x in ((low, high) if factor > 0 else (high, low))]
    return {atom: (None if ends[0] is None else ceil(ends[0]), None if ends[1] is None else floor(ends[1]))}


def _letter_at(world: World, held: frozenset[str], place: Linear) -> Guard | None:
    terms, constant = place
    if held == world.domain(("letter", "i")):
        return {}
    if world.after is None and held == frozenset(world.letters):
        return within((terms, constant), (world.start + 1, None))
    if world.after is None and held == frozenset((world.before,)):
        return within((terms, constant), (world.start, world.start))
    if terms and place != world.end and not (len(terms) == 1 and constant == 0 and next(iter(terms)) in ("i", "j")):
        raise NoRule("the letter at a position that is a count")
    if place == world.end:
        if world.after is not None:
            return {} if world.after in held else None
        return {("letter", "n"): held}
    atom = ("letter", next(iter(terms)) if terms else int(constant))
    left = held & world.domain(atom)
    return {} if left == world.domain(atom) else {atom: left} if left else None


def _residue_at(world: World, m: int, held: frozenset[int], place: Linear) -> Guard | None:
    terms, constant = place
    if not terms:
        return {} if int(constant) % m in held else None
    if any(c.denominator != 1 for c in terms.values()):
        raise NoRule("a residue of a fraction")
    rest = {v: int(c) % m for v, c in terms.items() if int(c) % m}
    if len(rest) != 1:
        raise NoRule("a residue of a sum")
    ((v, c),) = rest.items()
    fits = frozenset(r for r in range(m) if (c * r + int(constant)) % m in held)
    return {("mod", v, m): fits} if fits else None
