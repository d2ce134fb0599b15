"""The closed lemmas of a file, and canonical forms of the checker's polynomials, whose identities `ring` decides.

A canonical form is a term of numerals, +, -, *, neg and ^ over atoms. The equality of two such terms becomes a closed
lemma, forall x0 .. xn, e1 = e2, with variables for the atoms, so that each identity is proved once. Its proof is the
tactic `identity` (Identities.v), or `ring` or `field` if it is about integers or has premises about exponentials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from symcook.coq.checker import checker
from symcook.coq.term import (
    COMPARISONS,
    Term,
    Untranslatable,
    at_level,
    formula,
    level_of,
    numeral,
    numeral_text,
    real,
    sort_text,
    text,
    variable,
)

if TYPE_CHECKING:
    from symcook.proof.terms import Sort

RING = ("+", "-", "*", "neg", "^")
"""The operations of canonical terms; all other terms except numerals are atoms."""
Around = tuple[tuple[str, Any], ...]
"""The names and sorts of the variables of the binders around a term, innermost first."""
Proof = str | None
"""A proof term of Coq for an equality or an equivalence; None if both sides have the same text."""


class Key(Protocol):
    """The key of an atom or a formula in the checker's normal forms."""

    kind: str
    data: Any
    parts: tuple[Any, ...]
    loose: int


Mono = tuple[frozenset[tuple[Key, int]], Key]
"""A monomial: atoms with their powers, and the key of an exponential, whose part 0 is the exponent."""
Poly = dict[Mono, Fraction | int] | Iterable[tuple[Mono, Fraction | int]]
"""A polynomial: monomials with their coefficients."""


class Lemmas:
    """The closed lemmas of one file. Equal statements are proved once.

    names: {statement: name}. lines: the text of each lemma. taken: how many lines `new` has returned already.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.lines: list[str] = []
        self.taken = 0

    def new(self) -> list[str]:
        """The lines added since the last call."""
        before, self.taken = self.taken, len(self.lines)
        return self.lines[before:]

    def name(self, statement: str, tactic: str, kind: str = "ring") -> str:
        """The name of the lemma with this statement. A new lemma is added, with `tactic` as its proof; its name begins
        with `kind`."""
        if statement not in self.names:
            self.names[statement] = f"{kind}_{len(self.names)}"
            self.lines.append(f"Lemma {self.names[statement]} : {statement}.\nProof. {tactic} Qed.\n")
        return self.names[statement]


def trans(a: Proof, b: Proof) -> Proof:
    """The proof of x = z from proofs of x = y and y = z."""
    return b if a is None else a if b is None else f"(eq_trans {a} {b})"


def sym(a: Proof) -> Proof:
    """The proof of y = x from a proof of x = y."""
    return None if a is None else f"(eq_sym {a})"


def shown(a: Proof) -> str:
    """A proof as text; None becomes eq_refl."""
    return a or "eq_refl"


def congruent(function: str, proofs: Sequence[Proof]) -> Proof:
    """The proof of f x1 .. xn = f y1 .. yn from proofs of the equalities xi = yi."""
    if not any(proofs):
        return None
    count = "" if len(proofs) == 1 else str(len(proofs))
    return f"(f_equal{count} {function} {' '.join(map(shown, proofs))})"


OPERATIONS = {
    "R": {"+": "Rplus", "-": "Rminus", "*": "Rmult", "neg": "Ropp"},
    "Z": {"+": "Z.add", "-": "Z.sub", "*": "Z.mul", "neg": "Z.opp"},
}
"""Coq's functions for the operations of RING except powers, by level."""


def operation(t: Term) -> str:
    """Coq's function for the operation of a canonical term."""
    if t.op == "^":
        return f"(fun z => z ^ {t.data})" + ("%Z" if t.level == "Z" else "")
    return OPERATIONS[t.level][t.op]


def joined(op: str, terms: Sequence[Term], level: str) -> Term:
    """The sum or product of terms."""
    if not terms:
        return numeral(0 if op == "+" else 1, level)
    out = terms[0]
    for summand in terms[1:]:
        out = Term(op, None, (out, summand), level)
    return out


def over_atoms(t: Term, leaf: Callable[[Term], Term]) -> Term:
    """The canonical term `t` with each atom replaced by `leaf(atom)`."""
    if t.op in RING:
        return Term(t.op, t.data, [over_atoms(k, leaf) for k in t.kids], t.level)
    return t if t.op == "num" else leaf(t)


def atoms(terms: Iterable[Term]) -> list[Term]:
    """The atoms of terms in the order of their first occurrence."""
    atoms_in_order: dict[Term, None] = {}

    def walk(t: Term) -> None:
        """Add the atoms of `t`."""
        if t.op in RING:
            for k in t.kids:
                walk(k)
        elif t.op != "num":
            atoms_in_order.setdefault(t)

    for t in terms:
        walk(t)
    return list(atoms_in_order)


def fractional(t: Term) -> bool:
    """Whether a numeral in a canonical term is a fraction."""
    return any(map(fractional, t.kids)) if t.op in RING else t.op == "num" and t.data[1] != 1


def is_exp(t: Term) -> bool:
    """Whether an atom is an exponential."""
    return t.op == "fn" and t.data == "exp"


class Canonical:
    """The canonical terms for the normal forms that the checker's `Normal` computes; `orders` has the results of
    `rank`."""

    def __init__(self, lemmas: Lemmas) -> None:
        self.normal = checker().Normal()
        self.lemmas = lemmas
        self.orders: dict[Any, str] = {}

    def rank(self, key: Key, depth: int) -> str:
        """A text by which keys are ordered; `depth` is the number of binders around the key.

        The order of factors and summands must not change when a factor is moved out of a binder whose variable it does
        not use. So a bound variable is ranked by the depth of its binder, counted from outside, in three digits.
        """
        order = self.orders.get((key, depth))
        if order is None:
            if key.kind == "var":
                order = f"v{key.data[0]}"
            elif key.kind == "bound":
                order = f"b{depth - 1 - key.data:03d}"
            else:
                inner = depth + (key.kind in ("sum", "prod", "all", "ex"))
                last = len(key.parts) - 1
                order = f"{key.kind}|{key.data}|" + "|".join(
                    [self.rank_part(part, inner if i == last else depth) for i, part in enumerate(key.parts)]
                )
            self.orders[key, depth] = order
        return order

    def rank_part(self, part: Any, depth: int) -> str:
        """`rank` for a part of a key, which is a key or a polynomial."""
        if isinstance(part, checker().Key):
            return self.rank(part, depth)
        return "+".join(sorted(f"{self.rank_monomial(m, depth)}*{c}" for m, c in part))

    def rank_monomial(self, m: Mono, depth: int) -> str:
        """`rank` for a monomial."""
        return "*".join(sorted(f"{self.rank(k, depth)}^{n}" for k, n in m[0])) + "e" + self.rank(m[1], depth)

    def ordered(self, p: Poly, around: Around) -> list[Any]:
        """The monomials and coefficients of a polynomial, in the order of `rank`."""
        return sorted(p.items() if isinstance(p, dict) else p, key=lambda x: self.rank_monomial(x[0], len(around)))

    # Terms.

    def monomial(self, m: Mono, c: Fraction | int, around: Around, level: str = "R") -> Term:
        """The canonical term of the monomial c m: the absolute value of c unless it is 1, the factors in order, the
        exponential; a negative c gives a `neg` around the product."""
        factors, exponent = m
        c = Fraction(c)
        parts = [] if abs(c) == 1 and (factors or exponent.parts[0]) else [numeral(abs(c), level)]
        for key, n in sorted(factors, key=lambda f: (self.rank(f[0], len(around)), f[1])):
            atom = self.atom(key, around, level)
            parts.append(atom if n == 1 else Term("^", n, (atom,), level))
        if exponent.parts[0]:
            parts.append(self.exp(exponent.parts[0], around))
        out = joined("*", parts, level)
        return Term("neg", None, (out,), level) if c < 0 else out

    def polynomial(self, p: Poly, around: Around, level: str = "R") -> Term:
        """The canonical term of a polynomial, with its monomials in order."""
        return joined("+", [self.monomial(m, c, around, level) for m, c in self.ordered(p, around)], level)

    def exp(self, p: Poly, around: Around) -> Term:
        """The exponential of a polynomial."""
        return real("fn", self.polynomial(p, around), data="exp")

    def atom(self, key: Key, around: Around, level: str = "R") -> Term:
        """The canonical term of an atom, with its arguments in normal form."""
        kind = key.kind
        if kind in ("var", "bound"):
            return at_level(self.variable(key, around), level)
        if kind == "app":
            head = self.variable(key.parts[0], around)
            _, sorts, result = head.data[1]
            arguments = [self.polynomial(p, around, level_of(s)) for p, s in zip(key.parts[1:], sorts, strict=True)]
            return at_level(Term("app", None, [head, *arguments], level_of(result)), level)
        if kind == "ind":
            return Term("ind", None, [self.formula(key.parts[0], around)], level)
        if kind == "inv":
            return real("inv", self.polynomial(key.parts[0], around))
        if kind in ("sum", "prod"):
            ends = [self.polynomial(p, around, "Z") for p in key.parts[:2]]
            return Term(kind, None, [*ends, self.polynomial(key.parts[2], inside(around, "Int"), level)], level)
        if kind == "fn":
            levels = ("R", "Z") if key.data == "pow" else (level, level)
            arguments = [self.polynomial(p, around, x) for p, x in zip(key.parts, levels, strict=False)]
            return Term("fn", key.data, arguments, level)
        raise Untranslatable(f"an atom {kind}")

    def variable(self, key: Key, around: Around) -> Term:
        """The term of a name or of a bound variable, whose sort is that of its binder."""
        return variable(key.kind, key.data if key.kind == "var" else (key.data, around[key.data][1]))

    def formula(self, key: Key, around: Around) -> Term:
        """The formula for a key of formulas. A comparison has the form 0 op polynomial."""
        kind = key.kind
        if kind in COMPARISONS:
            return formula(kind, numeral(0), self.polynomial(key.parts[0], around))
        if kind in ("all", "ex"):
            return formula(kind, self.formula(key.parts[0], inside(around, key.data)), data=key.data)
        return formula(kind, *[self.formula(part, around) for part in key.parts])

    def text(self, t: Term, around: Around) -> str:
        """The text of a term under these binders."""
        return text(t, tuple([name for name, _ in around]))

    # Identities.

    def value(self, t: Term, opaque: bool) -> Any:
        """The polynomial of a canonical term. With `opaque` exponentials are atoms like others, else the product of two
        exponentials is one exponential."""
        if t.op == "num":
            return self.normal.numeral(Fraction(*t.data))
        if t.op not in RING:
            return self.normal.atom("opaque", t) if opaque and is_exp(t) else self.normal.poly(t.plain)
        values = [self.value(k, opaque) for k in t.kids]
        if t.op == "neg":
            return checker().scale(values[0], -1)
        if t.op == "^":
            return self.normal.power(values[0], t.data)
        if t.op == "*":
            return self.normal.mul(*values)
        return checker().add(*values, 1 if t.op == "+" else -1)

    def identity(self, a: Term, b: Term, around: Around) -> Proof:
        """A proof of a = b, for canonical terms with the same polynomial."""
        if a == b:
            return None
        # The exponentials matter only if a and b differ as polynomials with opaque exponentials.
        atoms_of_both = atoms((a, b))
        if not any(map(is_exp, atoms_of_both)) or self.value(a, True) == self.value(b, True):
            return self.ring_lemma(a, b, atoms_of_both, [], around)
        return self.with_exponentials(a, b, [x for x in atoms_of_both if is_exp(x)], around)

    def ring_lemma(
        self, a: Term, b: Term, atoms_of_both: list[Term], pairs: list[tuple[Term, Term]], around: Around
    ) -> str:
        """A proof of a = b as an instance of a closed lemma with variables for the atoms. For each pair of atoms exp(x)
        and exp(-x) in `pairs` the lemma has the premise that their product is 1."""
        name = {atom: f"x{i}" for i, atom in enumerate(atoms_of_both)}
        first_text, second_text = (text(over_atoms(t, lambda x: raw(name[x], x.level))) for t in (a, b))
        exp_premises = "".join(f"{name[x]} * {name[y]} = 1 -> " for x, y in pairs)
        bound = f"forall {' '.join(name.values())} : {a.level}, " if name else ""
        facts = [f"H{i}" for i in range(len(pairs))]
        intros = f"intros {' '.join([*name.values(), *facts])}; "
        # `identity` decides real equations without premises. For others `ring`, or with fractional numerals `field`,
        # which cannot use premises, so that y is first replaced by 1/x.
        if a.level == "R" and not pairs:
            tactic = "identity."
        elif not (fractional(a) or fractional(b)):
            tactic = f"{intros}ring [{' '.join(facts)}]." if pairs else f"{intros}ring."
        else:
            steps = [f"inverse_of {name[x]} {name[y]} {h}; " for h, (x, y) in zip(facts, pairs, strict=True)]
            tactic = intros + "".join(steps) + "field" + ("; repeat split; assumption." if pairs else ".")
        lemma = self.lemmas.name(f"{bound}{exp_premises}{first_text} = {second_text}", tactic)
        products = [f"(exp_product {self.text(x.kids[0], around)})" for x, _ in pairs]
        return "(" + " ".join([lemma, *[self.text(x, around) for x in atoms_of_both], *products]) + ")"

    def with_exponentials(self, a: Term, b: Term, exps: list[Term], around: Around) -> Proof:
        """A proof of a = b if products of exponentials matter. Each exponential exp(p) in `exps` is written as a
        product of powers of exp(m/d) and exp(-m/d), for the monomials m of p, where d is a common denominator of the
        coefficients of m."""
        # For each monomial m the least common denominator d of its coefficients in all exponents.
        contents = {e: self.ordered(self.normal.poly(e.kids[0].plain), around) for e in exps}
        common: dict[Any, int] = {}
        for content in contents.values():
            for m, c in content:
                common[m] = math.lcm(common.get(m, 1), Fraction(c).denominator)

        def unit(m: Mono, positive: bool) -> Term:
            """exp(m/d), or exp(-m/d)."""
            z = self.monomial(m, Fraction(1, common[m]), around)
            return real("fn", z if positive else real("neg", z), data="exp")

        # exp(p) is the product of exp(m/d)^k over the monomials of p; for k < 0 that is a power of exp(-m/d).
        powers, proofs = {}, {}
        for e, content in contents.items():
            parts = []
            for m, c in content:
                k = int(Fraction(c) * common[m])
                x = unit(m, k > 0)
                parts.append(x if abs(k) == 1 else real("^", x, data=abs(k)))
            powers[e] = joined("*", parts, "R")
            proofs[e] = self.power_lemma(e, powers[e], around)

        def congruence(t: Term) -> Proof:
            """A proof that `t` equals itself with its exponentials replaced by `powers`."""
            if t.op in RING:
                return congruent(operation(t), [congruence(k) for k in t.kids])
            return proofs.get(t)

        # In the new atoms the identity follows from the ring laws and exp(m/d) exp(-m/d) = 1.
        new = [over_atoms(t, lambda x: powers.get(x, x)) for t in (a, b)]
        new_atoms = atoms(new)
        ordered = sorted(common, key=lambda m: self.rank_monomial(m, len(around)))
        pairs = [(unit(m, True), unit(m, False)) for m in ordered]
        pairs = [(x, y) for x, y in pairs if x in new_atoms and y in new_atoms]
        middle = self.ring_lemma(new[0], new[1], new_atoms, pairs, around)
        return trans(congruence(a), trans(middle, sym(congruence(b))))

    def power_lemma(self, e: Term, power: Term, around: Around) -> str:
        """A proof that the exponential e equals its `power`, exp(m/d)^k * ..., as an instance of a closed lemma."""
        own_atoms = atoms([e.kids[0]])
        name = {atom: f"x{i}" for i, atom in enumerate(own_atoms)}

        def closed(t: Term) -> Term:
            """An exponent with variables for its atoms."""
            return over_atoms(t, lambda x: raw(name[x], "R"))

        def closed_exp(t: Term) -> Term:
            """An exponential with variables for the atoms of its exponent."""
            return real("fn", closed(t.kids[0]), data="exp")

        bound = f"forall {' '.join(name.values())} : R, " if name else ""
        statement = f"{bound}{text(closed_exp(e))} = {text(over_atoms(power, closed_exp))}"
        lemma = self.lemmas.name(statement, "intros; exp_powers.", "exp")
        return "(" + " ".join([lemma, *[self.text(x, around) for x in own_atoms]]) + ")"

    # Small facts about numerals.

    def nonnegative(self, c: Fraction | int, strict: bool = False) -> str:
        """The name of the lemma that a number is at least 0, or positive (`strict`)."""
        return self.lemmas.name(f"0 {'<' if strict else '<='} {numeral_text(c)}", "lra.", "num")


def raw(name: str, level: str) -> Term:
    """A variable of a closed lemma."""
    return Term("raw", name, (), level)


def inside(around: Around, sort: Sort) -> Around:
    """The binders around the body of one more binder, whose variable has this sort."""
    return ((f"k{len(around)}", sort), *around)


def binders(names: Sequence[tuple[str, Sort]]) -> str:
    """The binders of these names and sorts."""
    return " ".join(f"({n} : {sort_text(s)})" for n, s in names)
