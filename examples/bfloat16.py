"""Runs in bfloat16 without a library that has it: float32 numbers, each rounded to 8 bits after every operation."""

import numpy as np


def rounded(x):
    """The number of bfloat16 next to x, a float32; the even one in a tie."""
    bits = np.asarray(x, dtype=np.float32).reshape(-1).view(np.uint32)
    bits = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return float((bits & np.uint32(0xFFFF0000)).view(np.float32)[0])


def averages(values):
    """The mean of the values up to each position: a running sum, divided by the position."""
    total, means = 0.0, []
    for i, value in enumerate(values, 1):
        total = rounded(total + value)
        means.append(rounded(total / rounded(i)))
    return means


def balanced(string):
    """What dyck-1 answers: the last balance is zero, and so is the mean of the errors."""
    balance = averages([1.0 if symbol == "(" else -1.0 for symbol in string])
    error = [max(-mean, 0.0) for mean in balance]
    return balance[-1] == 0 and averages(error)[-1] == 0


def retrieved(query, n):
    """The position among 1 to n where the score 2*query*j - j^2 is largest; the later one in a tie."""
    scores = [rounded(rounded(2 * rounded(query) * rounded(j)) - rounded(rounded(j) ** 2)) for j in range(1, n + 1)]
    return max(range(1, n + 1), key=lambda j: (scores[j - 1], j))


if __name__ == "__main__":
    print("brackets   one nested string   pairs in a row")
    for n in (62, 510, 512, 514):
        answers = (balanced("(" * (n // 2) + ")" * (n // 2)), balanced("()" * (n // 2)))
        nested, pairs = ("accepted" if answer else "rejected" for answer in answers)
        print(f"{n:8}   {nested:17}   {pairs}")
    print("query   retrieved")
    for query in (1, 8, 15, 16):
        print(f"{query:5}   {retrieved(query, 20)}")
