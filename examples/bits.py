"""How many bits a lookup needs: what is proved, and the first position whose lookup goes wrong, for 8 to 60 bits."""

from math import isqrt

import mpmath


def quadratic(query, j):
    """The score 2*query*j - j^2, each operation rounded."""
    return 2 * mpmath.mpf(query) * j - mpmath.mpf(j) ** 2


def norm(a, b):
    """The layer norm of (a, b, -a, -b)."""
    entries = [mpmath.mpf(x) for x in (a, b, -a, -b)]
    deviation = mpmath.sqrt(sum(x**2 for x in entries) / 4)
    return [x / deviation for x in entries]


def hashed(query, j):
    """The product of the norms of (query, 1) and (1, 1/j)."""
    return sum(q * k for q, k in zip(norm(query, 1), norm(1, 1 / mpmath.mpf(j)), strict=True))


def first_wrong(score, bits, start):
    """The first position from `start` on whose own score is not above those of both neighbours."""
    query = start
    with mpmath.workprec(bits):
        while all(score(query, j) < score(query, query) for j in (query - 1, query + 1) if j > 0):
            query += 1
    return query


def proved(bits):
    """The greatest n of the two theorems: 96*n^2 <= 2^bits, and 1024*n^4 <= 2^bits."""
    return isqrt(2**bits // 96), isqrt(isqrt(2**bits // 1024))


BITS = (8, 11, 16, 24, 32, 40, 48, 60)


def table():
    """For each number of bits: proved and first wrong for the quadratic lookup, and for the one by hashes."""
    for bits in BITS:
        square, fourth = proved(bits)
        # Up to 2^(bits/2) the numbers of the quadratic lookup are exact; up to a proved length no lookup is wrong.
        quadratic_wrong = first_wrong(quadratic, bits, isqrt(2**bits) - 1)
        yield bits, square, quadratic_wrong, fourth, first_wrong(hashed, bits, max(1, fourth))


if __name__ == "__main__":
    print("bits   quadratic: proved   first wrong   hashes: proved   first wrong")
    for bits, *lengths in table():
        print(f"{bits:4}{lengths[0]:20,}{lengths[1]:14,}{lengths[2]:17,}{lengths[3]:14,}")
