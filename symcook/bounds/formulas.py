"""Bounds with names in place of numbers: the claimed and the tight value as sympy expressions.

`FORMULAS` has the kinds whose two values are formulas. The functions that give these values as balls, in
`symcook.bounds.softmax`, `falling` and `sums`, have the derivations; they share no code with the formulas here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import sympy as sp

from symcook.bounds.kinds import KINDS
from symcook.door import check_digits
from symcook.errors import BadInput, unknown
from symcook.model.answers import Reply
from symcook.model.expr import names, parse_formula, parse_term, valid_name
from symcook.model.rationals import number_of, plain
from symcook.model.symbols import exact, to_sympy
from symcook.numbers.named import BoundVariable, ModelSymbol, SympySum

COUNTS = ("n",)
"""The arguments that are counts: a name in them is a positive integer. A name in any other argument is a positive
number."""
TightAndClaimed = tuple[sp.Expr, sp.Expr]
"""(tight value, claimed value)."""


@dataclass(frozen=True)
class BoundFormula:
    """The formulas of a kind of bound."""

    values: Callable[..., TightAndClaimed]
    """The tight and the claimed value, from the arguments by name."""
    arguments: tuple[str, ...]
    """The arguments that the formulas need."""
    optional: tuple[str, ...]
    """The arguments that they may have besides."""
    premise: str
    """What must hold of the arguments, as a formula of the grammar."""
    labels: tuple[str, str]
    """What the tight and the claimed value are called."""
    row: str
    """The row of the ledger that states the claimed bound; "{variant}" stands for the argument of this name. "" where
    no row states it for all these arguments."""
    source: str


@dataclass(frozen=True, repr=False)
class SymbolicBound(Reply):
    """A claimed bound and the tight value, as formulas in the names that were given."""

    REPORT = "formula"

    kind: str
    """The name of the kind, a key of `symcook.bounds.KINDS`."""
    parameters: Mapping[str, Any]
    """The arguments: sympy expressions and numbers, or the text of a choice."""
    value: sp.Expr
    """The tight value."""
    claimed: sp.Expr
    """The paper's bound."""
    premise: str
    """What must hold of the arguments, as a formula of the grammar."""
    premise_holds: bool | None
    """Whether it holds for all values of the names; None if that depends on them. A bare name stands for a value at
    which it holds."""
    labels: tuple[str, str]
    """What `value` and `claimed` are called."""
    row: str
    """The row of the ledger that states the claimed bound for all arguments; "" where no row does."""
    source: str
    """Where the papers claim it."""

    @cached_property
    def status(self) -> str:
        """The status of `row` in the ledger, such as "PROVED"; "OPEN" without a row, and where the premise depends on
        the values of the names."""
        return self.claim_status if self.premise_holds else "OPEN"

    @cached_property
    def claim_status(self) -> str:
        """The status of `row` in the ledger, which is about all arguments with `premise`; "OPEN" without a row."""
        from symcook.claims import ledger

        if not self.row:
            return "OPEN"

        (claim,) = ledger(names=[self.row])
        return claim.status

    @property
    def why(self) -> str | None:
        """The reason where the premise depends on the values of the names; else None."""
        if self.premise_holds:
            return None
        where = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.claim_status} where {self.premise}, which depends on the names in {where}"

    @property
    def symbols(self) -> Mapping[str, Any]:
        """{name: symbol} for the names in the formulas."""
        free: dict[str, Any] = {str(s): s for formula in (self.value, self.claimed) for s in formula.free_symbols}
        return MappingProxyType(dict(sorted(free.items())))

    @property
    def holds(self) -> bool | None:
        """True where the ledger has the claimed bound as PROVED, and its premise holds; else None."""
        return True if self.status == "PROVED" and self.premise_holds else None

    def to_json(self) -> dict[str, Any]:
        """{"kind", "parameters", "value", "claimed", "premise", "row", "status", "holds"}; expressions are text as
        sympy prints it."""
        return {
            "kind": self.kind,
            "parameters": {name: str(value) for name, value in self.parameters.items()},
            "value": str(self.value),
            "claimed": str(self.claimed),
            "premise": self.premise,
            "row": self.row,
            "status": self.status,
            "holds": self.holds,
        }


def symbolic(kind: str, arguments: Mapping[str, object]) -> SymbolicBound | None:
    """The bound as formulas, where an argument of it has names; None where all of them are numbers.

    Raises BadInput for a kind without formulas, and for an argument that the formulas do not have.
    """
    formula = FORMULAS.get(kind)
    numeric = formula.arguments + formula.optional if formula else [a for a in KINDS[kind].names if a in _NUMERIC]
    if not any(_has_names(arguments[name]) for name in numeric if name in arguments and name not in _CHOICES):
        return None
    if formula is None:
        given = ", ".join(f"{name} = {arguments[name]}" for name in numeric if _has_names(arguments.get(name)))
        must = f"a bound with names in place of numbers must be one of {', '.join(FORMULAS)}"
        raise BadInput(must, f"{kind} with {given}", "give numbers")
    for name, value in arguments.items():
        if name != "digits" and name not in numeric and value not in (None, False):
            raise unknown(f"argument of the formulas of {kind}", name, numeric)
    missing = [name for name in formula.arguments if name not in arguments]
    if missing:
        must = f"{kind} must have {' and '.join(formula.arguments)}"
        raise BadInput(must, f"no {missing[0]}", f"give {missing[0]}={_CHOICES.get(missing[0], ('5',))[0]}")
    check_digits(arguments.get("digits", 30))  # type: ignore[arg-type]
    given = {name: arguments[name] for name in numeric if arguments.get(name) is not None}
    symbols = _symbols(given)
    read = {name: _read(name, value, symbols) for name, value in given.items()}
    premise = _with_counts(formula.premise, read)
    # An optional argument that is left out has the value that the formulas take for it.
    holds = _premise(premise, {**{name: _DEFAULTS[name] for name in formula.optional if name in _DEFAULTS}, **read})
    value, claimed = formula.values(**read)
    return SymbolicBound(
        kind=kind,
        parameters=MappingProxyType(read),
        value=value,
        claimed=claimed,
        premise=premise,
        premise_holds=holds,
        labels=formula.labels,
        row=formula.row.format(**{name: read[name] for name in _CHOICES if name in read}),
        source=formula.source,
    )


_NUMERIC = ("n", "gamma", "error", "q", "delta", "d", "c", "epsilon")
"""The names of arguments that are numbers, in kinds without formulas."""
_CHOICES = {"variant": ("a", "b", "c")}
"""Arguments that are words, with the words."""


_DEFAULTS = {"error": sp.Rational(1, 4)}
"""The values of arguments that are left out."""


def _with_counts(premise: str, arguments: Mapping[str, Any]) -> str:
    """The premise of a formula, with the parts that each count is at least 1 and an integer, where neither the formula
    has it nor the argument is a bare name or a number."""
    parts = premise.split(" & ")
    for name in COUNTS:
        value = arguments.get(name)
        if value is None:
            continue
        if not any(part.endswith(f"<= {name}") for part in parts):
            parts.append(f"1 <= {name}")
        if not _is_name(value) and not _as_names(value, {free.name for free in _free(value)}).is_integer:
            parts.append(f"{name} = floor({name})")
    return " & ".join(parts)


def _has_names(value: object) -> bool:
    """Whether a value is an expression with free symbols, or text of one."""
    if isinstance(value, sp.Basic):
        return bool(value.free_symbols)
    if not isinstance(value, str):
        return False
    try:
        return bool(names(parse_term(plain(value))) - {"pi"})
    except BadInput:
        return False  # the function of the numbers says what is wrong with it


def _names_in(value: Any) -> set[str]:
    """The names in an argument: a number, text, or an expression of sympy."""
    if isinstance(value, sp.Basic):
        return {free.name for free in value.free_symbols if isinstance(free, sp.Symbol)}
    return names(parse_term(plain(value))) if isinstance(value, str) and _has_names(value) else set()


def _premise(premise: str, arguments: Mapping[str, Any]) -> bool | None:
    """Whether the premise holds for the arguments. BadInput where it fails for all values of their names."""
    named = {name: value for name, value in arguments.items() if name not in _CHOICES}
    counts = {free.name for name in COUNTS for free in _free(named.get(name))}
    # A bare name stands for an admissible value; n, gamma and error in a premise are then the names themselves.
    holds = True
    for part in premise.split(" & "):
        used = {name: named[name] for name in named if name in names(parse_formula(part))}
        if all(map(_is_name, used.values())) and len({*used.values()}) == len(used):
            continue
        truth = _decided(part, {name: _as_names(value, counts) for name, value in used.items()})
        if truth == sp.false:
            shown = ", ".join(f"{name} = {value}" for name, value in used.items())
            raise BadInput(f"the arguments must satisfy {part}", shown, "give other values")
        holds = holds and truth == sp.true
    return True if holds else None


def _is_name(value: Any) -> bool:
    """Whether a value is a bare name: a symbol of this module, or one of sympy without declared assumptions."""
    declared = isinstance(value, sp.Symbol) and value.assumptions0 != {"commutative": True}
    return isinstance(value, sp.Symbol) and (isinstance(value, ModelSymbol) or not declared)


def _as_names(value: Any, counts: Collection[str]) -> Any:
    """The value with the positive number, or the count, for each symbol without declared assumptions."""
    return value.xreplace({s: _positive(s.name, s.name in counts) for s in _free(value) if _is_name(s)})


def _decided(text: str, symbols: Mapping[str, Any]) -> Any:
    """A comparison of the grammar as sympy decides it."""
    tag, left, right = parse_formula(text)
    if tag == "=":
        return None  # that a count is an integer, which its expression does not show
    strict = tag == "<"
    difference = to_sympy(right, symbols) - to_sympy(left, symbols)
    known = difference.is_positive if strict else difference.is_nonnegative
    return sp.true if known else sp.false if known is False else None


def _symbols(arguments: Mapping[str, Any]) -> dict[str, sp.Symbol]:
    """The one symbol of each name in the arguments: the first symbol of sympy that was given, else a positive number. A
    name is a count in all arguments if it is one in any. BadInput for a name that sympy has for a number."""
    used = {name: _names_in(value) for name, value in arguments.items() if name not in _CHOICES}
    counts = {free for name in COUNTS for free in used.get(name, ())}
    symbols: dict[str, sp.Symbol] = {}
    for value in arguments.values():
        for own in _free(value):
            symbols.setdefault(own.name, own)
    for free in sorted(set().union(*used.values()) - {*symbols}):
        number = getattr(sp, free, None)
        if isinstance(number, sp.Basic) and number.is_number:
            write = "exp(1)" if number is sp.E else "another name"
            raise BadInput("a symbolic argument must not have the name of a number", free, f"write {write}")
        if valid_name(free):
            symbols[free] = _positive(free, free in counts)
    return symbols


def _free(value: Any) -> list[Any]:
    """The symbols of sympy in an argument, in the order of their names."""
    return sorted((s for s in getattr(value, "free_symbols", ()) if isinstance(s, sp.Symbol)), key=lambda s: s.name)


def settled(kind: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, where a name that is the name of an argument stands for that argument: with n = 64, the argument
    log(8*n) is log(512).

    BadInput where that argument has names itself, other than this one.
    """
    formula = FORMULAS.get(kind)
    numeric = formula.arguments + formula.optional if formula else _NUMERIC
    given = {name: value for name, value in arguments.items() if name in numeric and value is not None}
    settled_arguments = dict(arguments)
    for name, value in given.items():
        meant = sorted((_names_in(value) & {*given}) - {name})
        meant = [argument for argument in meant if argument not in _names_in(given[argument])]
        for argument in meant:
            if _names_in(given[argument]) or number_of(given[argument]) is None:
                shown = f"{argument} = {given[argument]}, and {name} = {value}"
                do = f"write {name} with the names that {argument} has, or call {argument} of {name} otherwise"
                raise BadInput(f"{argument} must have one value wherever it occurs in the arguments", shown, do)
        if meant:
            expression = value if isinstance(value, sp.Basic) else exact(value)
            values = {s: exact(given[s.name]) for s in _free(expression) if s.name in meant}
            settled_arguments[name] = expression.subs(values)
    return settled_arguments


def _read(name: str, value: Any, symbols: Mapping[str, sp.Symbol]) -> Any:
    """An argument as sympy has it, with the symbol of each name."""
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise unknown(name, str(value), _CHOICES[name])
        return value
    if isinstance(value, sp.Expr):
        expression: Any = value.xreplace({s: symbols[s.name] for s in _free(value)})
        if value.has(sp.Float, sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
            raise BadInput(f"{name} must be exact and finite", str(value), "write Rational(p, q)")
    elif isinstance(value, str):
        expression = to_sympy(parse_term(plain(value)), symbols)
    else:
        expression = exact(value)
    wrong = expression.is_positive is False or (name in COUNTS and expression.is_integer is False)
    if wrong:
        must = "a positive integer" if name in COUNTS else "positive"
        do = f"give a positive number such as {name}=5, or a name, which stands for all of them"
        raise BadInput(f"{name} must be {must}", str(value), do)
    return expression


def _positive(name: str, count: bool) -> ModelSymbol:
    """The symbol for a name in an argument."""
    return ModelSymbol(name, positive=True, **({"integer": True} if count else {"real": True}))


def _distance(others: Any, best: sp.Expr | int = 1) -> sp.Expr:
    """The L1 distance of a softmax from weight 1 on one position, where this position has the weight `best` and all
    others together have the weight `others`."""
    return 2 * others / (best + others)


def _softmax(n: sp.Expr, gamma: sp.Expr) -> TightAndClaimed:
    return _distance((n - 1) * sp.exp(-gamma)), 2 * n * sp.exp(-gamma)


def _index(*terms: Any) -> sp.Symbol:
    """The variable of a sum: k, or a name after it that none of `terms` has."""
    taken = {s.name for term in terms if term is not None for s in term.free_symbols}
    name = "k"
    while name in taken:
        name += "_"
    return BoundVariable(name, integer=True, positive=True)


def _squares(gamma: sp.Expr, last: sp.Expr, moment: int = 0) -> Any:
    """The sum of k^moment e^(-gamma k^2) over k = 1..last."""
    k = _index(gamma, last)
    return SympySum(k**moment * sp.exp(-gamma * k**2), (k, 1, last))


def _lookup(gamma: sp.Expr, n: sp.Expr | None = None) -> TightAndClaimed:
    sides = (sp.oo, sp.oo) if n is None else (sp.ceiling(n / 2) - 1, sp.floor(n / 2))
    return _distance(sum(_squares(gamma, side) for side in sides)), 4 * sp.exp(-gamma)


def _ziggurat(gamma: sp.Expr, n: sp.Expr | None = None) -> TightAndClaimed:
    x = sp.exp(-gamma)
    ends = 0 if n is None else x ** sp.floor((n - 1) / 2) + x ** sp.floor(n / 2)
    return _distance(x * (2 - ends), 1 - x), 4 * x


def _table_lookup(gamma: sp.Expr, n: sp.Expr | None = None) -> TightAndClaimed:
    last = sp.oo if n is None else n - 1
    return _squares(gamma, last, 1) / (1 + _squares(gamma, last)), sp.Rational(3, 2) * sp.exp(-gamma)


def _tie_break(variant: str, gamma: sp.Expr, n: sp.Expr) -> TightAndClaimed:
    x, k = sp.exp(-gamma), _index(gamma, n)
    if variant == "a":
        return _distance(SympySum(sp.exp(-gamma * n * k / (n - k)), (k, 1, n - 1))), 4 * x
    return _distance(x * (1 - x ** (n - 1)), 1 - x), 4 * x


def _layernorm_hash(n: sp.Expr) -> TightAndClaimed:
    root = sp.sqrt((n**2 + 1) * ((n - 1) ** 2 + 1))
    return 1 / (root * (root + n * (n - 1) + 1)), 1 / (2 * n**4)


def _temperature(n: sp.Expr, gamma: sp.Expr, error: sp.Expr | None = None) -> TightAndClaimed:
    error = _DEFAULTS["error"] if error is None else error
    return gamma / sp.log((n - 1) * (1 - error) / error), gamma / sp.log(2 * n / error)


FORMULAS = {
    "softmax-hardmax": BoundFormula(
        _softmax, ("n", "gamma"), (), "1 <= n & 0 < gamma", ("supremum", "2 n e^-gamma"),
        "cookbook.s5.7.lemma5.3", "Cookbook, Lemma 5.3",
    ),
    "lookup": BoundFormula(
        _lookup, ("gamma",), ("n",), "0 < gamma", ("supremum", "4 e^-gamma"),
        "yang2026.lemma6", "Cookbook, Section 5.3.4; yang2026, Lemma 6",
    ),
    "ziggurat": BoundFormula(
        _ziggurat, ("gamma",), ("n",), "0 < gamma", ("supremum", "4 e^-gamma"), "yang2026.lemma6", "yang2026, Lemma 6",
    ),
    "table-lookup": BoundFormula(
        _table_lookup, ("gamma",), ("n",), "1 <= gamma", ("largest error", "(3/2) e^-gamma"),
        "yang2026.lemma7", "yang2026, Lemma 7",
    ),
    "tie-break": BoundFormula(
        _tie_break, ("variant", "gamma", "n"), (), "1 <= n & 0 < gamma", ("supremum", "4 e^-gamma"),
        "yang2026.lemma8{variant}", "yang2026, Lemma 8",
    ),
    "layernorm-hash": BoundFormula(
        _layernorm_hash, ("n",), (), "2 <= n", ("smallest gap", "1/(2 n^4)"),
        "merrill2024.lemma8", "Cookbook, Section 5.3.3; merrill2024, Lemma 8",
    ),
    "temperature": BoundFormula(
        _temperature, ("n", "gamma"), ("error",), "2 <= n & 0 < gamma & 0 < error & error < (n - 1)/n",
        ("largest tau", "gamma/log(2 n/error)"), "", "Cookbook, Section 5.7",
    ),
}  # fmt: skip
"""The kinds of bounds that are formulas in their arguments."""
