"""What Chiang and Cholak 2022 print, typed from the paper without symcook, and a comparison of all domains with it.

`python tests/recipes/chiang2022.py 12` compares every recipe in every domain with these formulas on all words to 12.
"""

import itertools
import sys
from fractions import Fraction

import mpmath
import sympy

DIGITS = 50


def words(most, least=0):
    for length in range(least, most + 1):
        yield from ("".join(bits) for bits in itertools.product("01", repeat=length))


def parity_logit(n, k, c, e=sympy.exp):
    """Appendix A, with sinh(2c) in the last line, where the paper has cosh(2c). c and e: any numbers and their exp."""
    if n % 2 == 0:
        return (-1) ** (k + 1) * 2 * (e(c) - e(-c)) / (e(c) + e(-c)) / n**2
    Z1 = (n - 1) * e(c) / 2 + (n + 1) * e(-c) / 2
    Z2 = (n + 1) * e(c) / 2 + (n - 1) * e(-c) / 2
    sinh = (e(2 * c) - e(-2 * c)) / 2
    return (-(n - 1) * sinh if k % 2 == 0 else (n + 1) * sinh) / (n * Z1 * Z2)


def first_logit(n, starts, c, e=sympy.exp):
    """Eq. (1), and 0 for the empty string."""
    return 0 if n == 1 else e(c) / (e(c) + n - 1) * (2 * starts - 1) / 2


def flawed_logit(n, k, starts, c, e=sympy.exp):
    """Section 5.2."""
    return ((e(c) - 1) * (2 * starts - 1) / 2 + k - sympy.Rational(n, 2)) / (e(c) + n - 1)


def norm_factors(squares, added, epsilon):
    """Appendix B by position: what two norms, one before and one behind a feed-forward part, multiply a vector by.

    `squares` is the sum of its squares over the number of coordinates, and `added` the same of what the part adds,
    before any scaling.
    """
    C = 1 / mpmath.sqrt(squares + epsilon)
    A = 1 / mpmath.sqrt(C**2 * (squares + added) + epsilon)
    return A * C


def parity_norm_logit(n, k, c, epsilon):
    """Section 4.1 for PARITY: the factors of Appendix B depend on the position, and are taken so."""
    n_, k_ = mpmath.mpf(n), mpmath.mpf(k)
    hit = [mpmath.mpf(int(i == k)) / n_ for i in range(n)]
    before = [(1 + (i / n_) ** 2 + 1 + (k_ / n_) ** 2 + 1 / n_**2) / 9 for i in range(n)]
    factor = [norm_factors(before[i], hit[i] ** 2 / 9, epsilon) for i in range(n)]
    scores = [c * factor[0] * factor[i] * (-1) ** i for i in range(n)]
    Z1, Z2 = mpmath.fsum(mpmath.exp(-t) for t in scores), mpmath.fsum(mpmath.exp(t) for t in scores)
    s = factor[k] * hit[k] * (mpmath.exp(-scores[k]) / Z1 - mpmath.exp(scores[k]) / Z2)
    squares = factor[0] ** 2 * (before[0] + hit[0] ** 2 / 9) + s**2 / 9
    return s * norm_factors(squares, 0, epsilon)


def first_norm_logit(n, starts, c, epsilon):
    """Section 4.1 for FIRST, at n >= 2; `c` is c log n where attention is scaled."""
    if n == 1:
        return mpmath.mpf(0)
    cls = norm_factors(mpmath.mpf(1) / 6, 0, epsilon)
    one = norm_factors(mpmath.mpf(2) / 6, mpmath.mpf(int(starts)) / 6, epsilon)
    s = mpmath.exp(c * cls * one) / (mpmath.exp(c * cls * one) + n - 1) * one * (starts - mpmath.mpf(1) / 2)
    return s * norm_factors((cls**2 + s**2) / 6, 0, epsilon)


def number(value):
    return mpmath.mpf(value.numerator) / value.denominator


def expected(name, word, c, epsilon, scaled):
    """The logit of a recipe without eta, at DIGITS digits."""
    n, k, starts = len(word) + 1, word.count("1"), word[:1] == "1"
    c = number(c) * (mpmath.log(n) if scaled else 1)
    epsilon = number(epsilon)
    if name == "parity":
        return mpmath.mpf(parity_logit(n, k, c, mpmath.exp))
    if name == "first":
        return mpmath.mpf(first_logit(n, starts, c, mpmath.exp))
    if name == "first-flawed":
        return ((mpmath.exp(c) - 1) * (starts - mpmath.mpf(1) / 2) + k - mpmath.mpf(n) / 2) / (mpmath.exp(c) + n - 1)
    if name == "parity-layernorm":
        return parity_norm_logit(n, k, c, epsilon)
    return first_norm_logit(n, starts, c, epsilon)


PLAIN = ("parity", "first", "first-flawed")
NORMED = ("parity-layernorm", "first-layernorm")
DOMAINS = ("exact", "symbolic", "ball", "mpmath", "float64")


def shown(text):
    """An exact value as it is printed, at DIGITS digits."""
    from symcook.model.symbols import exact

    return exact(text).evalf(DIGITS)._to_mpmath(mpmath.mp.prec)


def agrees(bound, word, domain, wanted):
    """Whether a domain gives the logit `wanted` and its sign; None where it says that it cannot."""
    from symcook.errors import NotExact, Undecided

    near = mpmath.mpf(10) ** (6 - DIGITS) * max(1, abs(wanted))
    sign = bool(wanted > near)
    try:
        if domain == "symbolic":
            found = bound.derive(word)
            return found.accept is sign and abs(shown(found.output["logit"]) - wanted) < near
        run = bound.run(word, domain)
    except (NotExact, Undecided):
        return None
    value = run.output["logit"]
    if domain == "exact":
        return run.accept is sign and abs(shown(value) - wanted) < near
    if run.accept is None:  # balls and rounded numbers do not see that a sum is exactly 0
        return None if abs(wanted) < near else False
    if domain == "ball":
        return run.accept is sign and abs(mpmath.mpf(value["mid"]) - wanted) <= mpmath.mpf(value["rad"]) + near
    if domain == "mpmath":
        return run.accept is sign and abs(mpmath.mpf(value) - wanted) < mpmath.mpf(10) ** -28 * max(1, abs(wanted))
    return (run.accept is sign or wanted == 0) and abs(value - wanted) < 1e-12 * max(1, abs(wanted))


SETTINGS = [
    (name, scaled, c, epsilon)
    for name in (*PLAIN, *NORMED)
    for scaled in (False, True)
    for c in (Fraction(1), Fraction(3))
    for epsilon in ((Fraction(0), Fraction(1, 100000), Fraction(1, 2)) if name in NORMED else (Fraction(0),))
]


def compare(setting, domains, given):
    """How often each domain agreed with the paper's formula, and could not say; AssertionError where it does not."""
    from symcook.recipes import build

    name, scaled, c, epsilon = setting
    model = build(name, scaled=scaled).bind({"c": c} | ({"epsilon": epsilon} if name in NORMED else {}))
    counts = {domain: [0, 0] for domain in domains}
    with mpmath.workdps(DIGITS):
        for word in given:
            wanted = expected(name, word, c, epsilon, scaled)
            for domain in domains:
                same = agrees(model, word, domain, wanted)
                assert same is not False, (setting, domain, word, wanted)
                counts[domain][same is None] += 1
    return counts


def main(most):
    for setting in SETTINGS:
        name, scaled, c, epsilon = setting
        print(f"{name} scaled={scaled} c={c} epsilon={epsilon}: agreed, could not say")
        for domain in DOMAINS:
            limit = min(most, 3) if name in NORMED and domain in ("exact", "symbolic") else most
            print(f"  {domain} to length {limit}: {compare(setting, (domain,), words(limit))[domain]}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
