"""The normal form: what the kernel computes about terms and formulas by itself.

A term becomes a polynomial ``{monomial: coefficient}`` with rational coefficients. A monomial is ``(factors, e)``:
``factors`` a sorted tuple of ``(atom, power >= 1)`` and ``e`` the number of a polynomial p that stands for the factor
e^p. An atom is the number of a key: a free name, an application, a function or sum of normal forms, or an inverse.
Numbers are handed out once for a process, so equal numbers mean equal keys.

The rules, all of them: ring laws; exp(a)*exp(b) = exp(a+b), exp(0) = 1, log(exp(a)) = a; 1/(a*b) = 1/a * 1/b
and 1/(1/a) = a (true for 1/0 = 0 as well; x*(1/x) is never cancelled); numerals under relu, abs, sqrt of squares, and
min and max of two terms that differ by a numeral; pow with a numeral exponent >= 0; I[F] where F is decided; sums and
products over ranges of known length; sums are linear. Formulas: comparisons up to a positive factor, a = b is b = a,
~(a <= b) is b < a, and true and false under the connectives.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from symcook.errors import Rejected
from symcook.proof.terms import Clock, Sort, Term, instantiate, num, subterms, var

Number = int | Fraction
Mono = tuple[tuple[tuple[int, int], ...], int]
Poly = dict[Mono, Number]
Key = tuple[Any, ...]

MAX_MONOMIALS = 4_000
MAX_POWER = 4_096
MAX_RANGE = 4_096
MAX_BITS = 200_000
MAX_FACTORS = 1_000_000
MAX_CACHE = 500_000  # monomials in the cache

ONE: Mono = ((), 0)
TRUE: Key = ("true",)
FALSE: Key = ("false",)
_BINDERS = frozenset({"sum", "prod", "all", "ex"})

_numbers: dict[Hashable, int] = {}
_keys: dict[int, Key] = {}  # by atom
_depends: dict[int, frozenset[str]] = {}  # by atom: the opened bound variables that occur in it
_tall: dict[int, int] = {}  # by atom: how many binders nest in it
_exponents: dict[int, Poly] = {0: {}}
_exponent_numbers: dict[frozenset[Any], int] = {frozenset(): 0}
_cache: dict[Term, Poly] = {}
_fresh = itertools.count(1)  # no number is given twice, not even to two threads


def forget() -> None:
    """Number atoms from the beginning again: searches follow the numbers, and must not depend on earlier work."""
    global _fresh
    for table in (_numbers, _keys, _depends, _tall, _exponents, _exponent_numbers, _cache):
        table.clear()
    _Cached.monomials = 0
    _exponents[0] = {}
    _exponent_numbers[frozenset()] = 0
    _fresh = itertools.count(1)


def _atom(key: Key) -> Poly:
    return {(((_number(key), 1),), 0): 1}


def _number(key: Key) -> int:
    if key not in _numbers:
        names, tall = _scan(key)  # first: an error in here must leave the tables as they are
        new = next(_fresh)
        _keys[new], _depends[new], _tall[new] = key, names, tall
        return _numbers.setdefault(key, new)  # last: an interrupt before, or another thread, does no harm
    return _numbers[key]


def _scan(part: object) -> tuple[frozenset[str], int]:
    """The opened bound variables in a part of a key, and how many binders nest in it."""
    if isinstance(part, str):
        return (frozenset({part}) if part[:1] == "#" else frozenset()), 0
    names: set[str] = set()
    tall = 0
    if isinstance(part, frozenset):  # a frozen polynomial, or the pair of them in the key of an equation
        scans = [_scan(x) if isinstance(x, frozenset) else _scan_mono(x[0]) for x in part]
    else:
        scans = [_scan(x) for x in part] if isinstance(part, tuple) else []
    for inner_names, height in scans:
        names |= inner_names
        tall = max(tall, height)
    if isinstance(part, tuple) and part and part[0] in _BINDERS:
        return frozenset(names - {part[1]}), max(tall, int(part[1][1:]) + 1)
    return frozenset(names), tall


def _scan_mono(m: Mono) -> tuple[frozenset[str], int]:
    # The same for a monomial: its atoms, and the monomials of its exponent.
    names: set[str] = set()
    tall = 0
    for a, _ in m[0]:
        names |= _depends[a]
        tall = max(tall, _tall[a])
    for inner in _exponents[m[1]]:
        inner_names, height = _scan_mono(inner)
        names |= inner_names
        tall = max(tall, height)
    return frozenset(names), tall


def _rename(part: object, old: str, new: str, done: dict[int, int]) -> Any:
    """A part of a key with the opened variable `old` called `new`; no binder inside has either name.

    `done` has the atoms that were renamed already, with what they became: they may occur in many places.
    """
    Clock.spend(1)
    if isinstance(part, str):
        return new if part == old else part
    if isinstance(part, tuple):
        return tuple([_rename(x, old, new, done) for x in part])
    if not isinstance(part, frozenset):
        return part
    return frozenset(
        _rename(x, old, new, done) if isinstance(x, frozenset) else (_rename_mono(x[0], old, new, done), x[1])
        for x in part
    )


def _rename_mono(m: Mono, old: str, new: str, done: dict[int, int]) -> Mono:
    factors = []
    for a, k in m[0]:
        if old in _depends[a] and a not in done:
            done[a] = _number(_rename(_keys[a], old, new, done))
        factors.append((done.get(a, a), k))
    e = _exponent({_rename_mono(x, old, new, done): c for x, c in _exponents[m[1]].items()})
    return (tuple(sorted(factors)), e)


def _exponent(p: Poly) -> int:
    frozen = freeze(p)
    if frozen not in _exponent_numbers:
        new = next(_fresh)
        _exponents[new] = p
        return _exponent_numbers.setdefault(frozen, new)
    return _exponent_numbers[frozen]


def freeze(p: Poly) -> frozenset[Any]:
    """`p` as a value that can be compared and hashed."""
    return frozenset(p.items())


def constant(p: Poly) -> Number | None:
    """The number that `p` is, or None."""
    if not p:
        return 0
    return p[ONE] if len(p) == 1 and ONE in p else None


def add(a: Poly, b: Poly, times: Number = 1) -> Poly:
    """a + times*b."""
    out = dict(a)
    for m, c in b.items():  # neither 1*c nor 0 + c is computed: an operation on fractions takes long
        part = c if times == 1 else -c if times == -1 else times * c
        total = out[m] + part if m in out else part
        if total:
            out[m] = total
            _short(total)
        else:
            del out[m]
    if len(out) > 4 * MAX_MONOMIALS:
        raise Rejected(f"a sum exceeds {4 * MAX_MONOMIALS} monomials")
    return out


def _short(c: Number) -> None:
    """Rejected where `c` is too long; long numbers cost time, and are counted."""
    bits = c.bit_length() if isinstance(c, int) else c.numerator.bit_length() + c.denominator.bit_length()
    if bits > 1_000:
        if bits > MAX_BITS:
            raise Rejected("a number in a normal form is too long")
        Clock.spend(bits >> 7)


def scale(p: Poly, c: Number) -> Poly:
    """c*p."""
    return {m: _whole(c * x) for m, x in p.items()} if c else {}


def mul(a: Poly, b: Poly) -> Poly:
    """a*b; Rejected where the product has too many monomials or too long coefficients."""
    out: Poly = {}
    longest = max((len(m[0]) for m in a), default=0) + max((len(m[0]) for m in b), default=0)
    if min(len(a) * len(b), MAX_MONOMIALS) * longest > MAX_FACTORS:
        raise Rejected(f"a normal form may exceed {MAX_FACTORS} factors")
    for ma, ca in a.items():
        Clock.spend(len(b) + 1)
        for mb, cb in b.items():
            m = _mono(ma, mb)
            part = ca * cb
            total = out[m] + part if m in out else part
            if total:
                out[m] = total
                _short(total)
            else:
                del out[m]
        if len(out) > MAX_MONOMIALS:
            raise Rejected(f"a normal form exceeds {MAX_MONOMIALS} monomials")
    return out


def _mono(a: Mono, b: Mono) -> Mono:
    # a*b: exponents of e add up, and so do the powers of equal atoms.
    (fa, ea), (fb, eb) = a, b
    e = ea if not eb else eb if not ea else _exponent(add(_exponents[ea], _exponents[eb]))
    if not fa or not fb:
        return (fa or fb, e)
    powers = dict(fa)
    for atom, k in fb:
        powers[atom] = powers.get(atom, 0) + k
    return (tuple(sorted(powers.items())), e)


def power(p: Poly, k: int) -> Poly:
    """p^k for k >= 0."""
    size = max((c.numerator.bit_length() + c.denominator.bit_length() for c in p.values()), default=0)
    if k > MAX_POWER or size * k > MAX_BITS:
        raise Rejected("a power is too large")
    out: Poly = {ONE: 1}
    for bit in bin(k)[2:]:
        out = mul(out, out)
        if bit == "1":
            out = mul(out, p)
    return out


def inverse(p: Poly) -> Poly:
    """1/p: the content and common factors are pulled out, a single monomial is inverted factor by factor."""
    if not p:
        raise Rejected("a division by zero")
    content = _content(p)
    # The factors that all monomials share, with the least power of each.
    common = dict(next(iter(p))[0])
    for factors, _ in p:
        powers = dict(factors)
        common = {a: min(k, powers[a]) for a, k in common.items() if a in powers}
    primitive: Poly = {}
    for (factors, e), c in p.items():
        remaining = tuple([(a, k - common.get(a, 0)) for a, k in factors if k > common.get(a, 0)])
        primitive[remaining, e] = _whole(c / content)
    # Of p and -p one is chosen, where this tells them apart, so that 1/p and -1/(-p) get the same atom.
    if (primitive.get(ONE) or sum(primitive.values())) < 0:
        content, primitive = -content, scale(primitive, -1)
    # One monomial: only e^p is left, whose inverse is e^-p. More monomials: an atom.
    if len(primitive) == 1:
        ((_, e),) = primitive
        out = {((), _exponent(scale(_exponents[e], -1))): _whole(1 / (primitive[(), e] * content))}
    else:
        out = scale(_atom(("inv", freeze(primitive))), 1 / content)
    # 1/(1/x) is x again.
    for a, k in common.items():
        key = _keys[a]
        inverted = dict(key[1]) if key[0] == "inv" else _atom(("inv", freeze({(((a, 1),), 0): 1})))
        out = mul(out, power(inverted, k))
    return out


def _content(p: Poly) -> Fraction:
    """The positive rational c for which p/c has integer coefficients without a common factor."""
    over = 1
    for c in p.values():
        over = math.lcm(over, c.denominator)
        _short(over)
    return Fraction(math.gcd(*(int(c * over) for c in p.values())), over)


def _primitive(p: Poly) -> Poly:
    """p/c for the content c of p."""
    integers = [c for c in p.values() if isinstance(c, int)]
    if len(integers) < len(p):
        return scale(p, 1 / _content(p))
    common = math.gcd(*integers)
    return p if common == 1 else {m: c // common for m, c in p.items()}


def _whole(c: Number) -> Number:
    return c.numerator if c.denominator == 1 else c


class _Cached:
    monomials = 0


def nf(t: Term) -> Poly:
    """The normal form of a well-sorted term without loose indices. The caller must not change the result."""
    known = _cache.get(t)
    if known is None:
        Clock.spend(1)
        known = _nf(t)
        _Cached.monomials += len(known)
        if len(_cache) > 50_000 or _Cached.monomials > MAX_CACHE:
            _cache.clear()
            _Cached.monomials = len(known)
        _cache[t] = known
    return known


def _nf(t: Term) -> Poly:
    # By the tag; functions and folds have their own rules below.
    tag, data, kids = t
    if tag == "num":
        return {ONE: data[0] if data[1] == 1 else Fraction(*data)} if data[0] else {}
    if tag == "var":
        return _atom(("var", *data))
    if tag in ("+", "-"):
        return add(nf(kids[0]), nf(kids[1]), 1 if tag == "+" else -1)
    if tag == "neg":
        return scale(nf(kids[0]), -1)
    if tag == "*":
        return mul(nf(kids[0]), nf(kids[1]))
    if tag == "/":
        return mul(nf(kids[0]), inverse(nf(kids[1])))
    if tag == "^":
        return power(nf(kids[0]), data)
    if tag == "app":
        return _atom(("app", *kids[0][1], *[freeze(nf(k)) for k in kids[1:]]))
    if tag == "ind":
        key = fkey(kids[0])
        return {ONE: 1} if key == TRUE else {} if key == FALSE else _atom(("ind", key))
    if tag in ("sum", "prod"):
        return _fold(t)
    if tag == "fn":
        return _function(data, [nf(k) for k in kids])
    raise Rejected(f"'{tag}' has no normal form")


def _function(name: str, args: list[Poly]) -> Poly:
    # The value where it is known, by the rules in the docstring of the module; else an atom.
    if name == "exp":
        return {((), _exponent(args[0])): 1}
    if name in ("min", "max"):
        c = constant(add(args[0], args[1], -1))
        if c is not None:
            return args[0] if (c <= 0) == (name == "min") else args[1]
    c = constant(args[-1]) if args else None
    if c is not None and name in ("relu", "abs"):
        value = max(c, 0) if name == "relu" else abs(c)
        return {ONE: value} if value else {}
    if name == "pow" and c is not None and c.denominator == 1 and c >= 0:
        return power(args[0], int(c))
    if name == "sqrt" and c is not None and c >= 0:
        p, q = math.isqrt(c.numerator), math.isqrt(c.denominator)
        if p * p == c.numerator and q * q == c.denominator:
            return {ONE: _whole(Fraction(p, q))} if p else {}
    if name == "log" and len(args[0]) == 1:
        ((factors, e), c) = next(iter(args[0].items()))
        if not factors and c == 1:
            return _exponents[e]
    return _atom(("fn", name, *map(freeze, args)))


def height(t: Term) -> int:
    """How many binders nest in `t`."""
    best = 0
    for k in t[2]:
        best = max(best, height(k))
    return best + (t[0] in ("sum", "prod", "all", "ex"))


def _fold(t: Term) -> Poly:
    """A sum or product: written out where its length is known, else an atom; a sum is taken apart into monomials."""
    tag, _, (low, high, body) = t
    lo, hi = nf(low), nf(high)
    length = constant(add(hi, lo, -1))
    # With a binder in `low`, what is put into the body would nest deeper than `height` says: names would not differ.
    if length is not None and length < MAX_RANGE and (length < 0 or height(low) == 0):
        size = sum(1 for _ in subterms(body))
        out: Poly = {} if tag == "sum" else {ONE: 1}
        for k in range(int(length) + 1):
            Clock.spend(1 + (size >> 4))
            at = num(low[1][0] + k) if low[0] == "num" else ("+", None, (low, num(k)))
            value = nf(instantiate(body, (at,)))
            out = add(out, value) if tag == "sum" else mul(out, value)
        return out
    # An opened variable is named by how many binders nest below it: names inside are then always different.
    name = f"#{height(body)}"
    inner = nf(instantiate(body, (var(name, "Int"),)))
    ends = (freeze(lo), freeze(hi))
    if tag == "prod":
        return {ONE: 1} if constant(inner) == 1 else _atom(_bind("prod", name, *ends, freeze(inner)))
    # A sum is linear: what does not contain the variable moves out of it, monomial by monomial, e^p part by part.
    out = {}
    for (factors, e), c in inner.items():
        under = tuple([f for f in factors if name in _depends[f[0]]])
        outside = tuple([f for f in factors if name not in _depends[f[0]]])
        moving = {m: x for m, x in _exponents[e].items() if name in _scan_mono(m)[0]}
        fixed = {m: x for m, x in _exponents[e].items() if m not in moving}
        atom = _atom(_bind("sum", name, *ends, freeze({(under, _exponent(moving)): 1})))
        out = add(out, mul({(outside, _exponent(fixed)): c}, atom))
    return out


def _bind(tag: str, name: str, *parts: object) -> Key:
    """The key of a binder over the last of `parts`, its variable named after what is left below it."""
    new = f"#{_scan(parts[-1])[1]}"
    return (tag, new, *parts[:-1], parts[-1] if new == name else _rename(parts[-1], name, new, {}))


def fkey(f: Term) -> Key:
    """A value equal for formulas that are the same up to normal forms; TRUE or FALSE where that decides the formula."""
    tag, _, kids = f
    if tag in ("true", "false"):
        return (tag,)
    if tag in ("=", "<=", "<"):
        return _compare(tag, add(nf(kids[1]), nf(kids[0]), -1))
    if tag == "~":
        return _not(fkey(kids[0]))
    if tag in ("all", "ex"):  # a chain of quantifiers is opened in one pass
        chain: list[tuple[str, Sort]] = []
        while f[0] == tag:
            chain.append((f"#{height(f[2][0])}", f[1]))
            f = f[2][0]
        inner = fkey(instantiate(f, [var(*one) for one in reversed(chain)]))
        for name, sort in reversed(chain):
            inner = inner if inner in (TRUE, FALSE) else _bind(tag, name, sort, inner)
        return inner
    a, b = fkey(kids[0]), fkey(kids[1])
    if tag == "->":
        if a == FALSE or b == TRUE:
            return TRUE
        return b if a == TRUE else _not(a) if b == FALSE else ("->", a, b)
    unit, zero = (TRUE, FALSE) if tag == "&" else (FALSE, TRUE)
    if zero in (a, b):
        return zero
    return b if a == unit else a if b == unit else (tag, a, b)


def _compare(tag: str, p: Poly) -> Key:
    """The key of 0 = p, 0 <= p or 0 < p."""
    c = constant(p)
    if c is not None:
        return TRUE if (c == 0 if tag == "=" else c >= 0 if tag == "<=" else c > 0) else FALSE
    frozen = freeze(_primitive(p))
    return (tag, frozenset({frozen, freeze(scale(dict(frozen), -1))}) if tag == "=" else frozen)


def _not(key: Key) -> Key:
    if key in (TRUE, FALSE):
        return FALSE if key == TRUE else TRUE
    if key[0] in ("<=", "<"):
        return ("<" if key[0] == "<=" else "<=", freeze(scale(dict(key[1]), -1)))
    return key[1] if key[0] == "~" else ("~", key)
