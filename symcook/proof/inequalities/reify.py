"""From normal forms back to terms: a term whose normal form is the given polynomial.

In a polynomial of `normal` an atom (a name, a reciprocal, a function value, an indicator, a sum) is a number, of which
`normal` keeps a key. The terms here do not depend on these numbers, so that the same proof gives the same text.

Letters: `p` is a polynomial ``{monomial: coefficient}``, `m` a monomial, `a` the number of an atom, `k` a power, `c` a
coefficient. A monomial is a pair: its factors ((atom, power), ...), and the number of the exponent `e` of exp.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.proof import normal
from symcook.proof.normal import Mono, Poly
from symcook.proof.terms import FALSE, TRUE, Term, abstract, num, var

if TYPE_CHECKING:
    from symcook.proof.normal import Key


def term(p: Poly) -> Term:
    """A term with normal form `p`; the order of its parts does not depend on the numbers of atoms."""
    out: Term | None = None
    # Positive parts first, in the order of their text.
    parts = sorted(((product(m, Fraction(abs(c))), c > 0) for m, c in p.items()), key=lambda q: (not q[1], repr(q[0])))
    for part, positive in parts:
        if out is None:
            out = part if positive else num(-part[1][0], part[1][1]) if part[0] == "num" else ("neg", None, (part,))
        else:
            out = ("+" if positive else "-", None, (out, part))
    return out or num(0)


def product(m: Mono, c: Fraction = Fraction(1)) -> Term:
    """c times the monomial, for c > 0."""
    factors, e = m
    parts = sorted((power(atom(a), k) for a, k in factors), key=repr)
    if e:
        parts.append(("fn", "exp", (term(normal._exponents[e]),)))
    if c != 1 or not parts:
        parts.insert(0, num(c.numerator, c.denominator))
    out = parts[0]
    for q in parts[1:]:
        out = ("*", None, (out, q))
    return out


def power(t: Term, k: int) -> Term:
    """A term to a power of at least 1."""
    return t if k == 1 else ("^", k, (t,))


_atoms: dict[int, tuple[Key, Term]] = {}
"""Number of an atom -> its key and its term. The stored key shows whether the number still stands for the same atom."""


def atom(a: int) -> Term:
    """The term that atom number `a` stands for."""
    key = normal._keys[a]
    if _atoms.get(a, FALSE)[0] is not key:
        _atoms[a] = key, _atom(key)
    return _atoms[a][1]


def _atom(key: Key) -> Term:
    """The term of an atom by its key, whose parts after the kind are names, sorts and normal forms."""
    tag = key[0]
    if tag == "var":
        return var(key[1], key[2])
    if tag == "app":
        return ("app", None, (var(key[1], key[2]), *[term(dict(k)) for k in key[3:]]))
    if tag == "inv":
        return ("/", None, (num(1), term(dict(key[1]))))
    if tag == "fn":
        return ("fn", key[1], tuple([term(dict(k)) for k in key[2:]]))
    if tag == "ind":
        return ("ind", None, (formula(key[1]),))
    if tag in ("sum", "prod"):
        low, high, inner = (term(dict(k)) for k in key[2:5])
        return (tag, None, (low, high, abstract(inner, (var(key[1], "Int"),))))
    raise ValueError(f"unknown atom {key}")


def formula(key: Key) -> Term:
    """The formula that `key` of `normal.fkey` stands for."""
    tag = key[0]
    if tag in ("true", "false"):
        return TRUE if tag == "true" else FALSE
    if tag == "=":
        return tag, None, (num(0), min((term(dict(k)) for k in key[1]), key=repr))
    if tag in ("<=", "<"):
        return (tag, None, (num(0), term(dict(key[1]))))
    if tag in ("all", "ex"):
        return (tag, key[2], (abstract(formula(key[3]), (var(key[1], key[2]),)),))
    return (tag, None, tuple([formula(k) for k in key[1:]]))
