"""A plain dense forward pass for tests: full matrices, loops, nothing shared with symcook.forward or the domains.

`number` makes a number from a sympy number: `rational` for exact runs without softmax, `decimal(digits)` (mpmath) for
all others.
"""

from fractions import Fraction

import mpmath
import sympy


def rational(value):
    value = sympy.nsimplify(value) if isinstance(value, str) else sympy.sympify(value)
    assert value.is_Rational, value
    return Fraction(int(value.p), int(value.q))


def decimal(digits):
    def number(value):
        with mpmath.workdps(digits):
            return sympy.sympify(value)._to_mpmath(mpmath.mp.prec) + mpmath.mpf(0)

    return number


def _full(matrix, rows, columns, size, number):
    full = [[number(0)] * size for _ in range(size)]
    for r, row in enumerate(rows):
        for c, column in enumerate(columns):
            full[row][column] = number(matrix[r, c])
    return full


def _apply(matrix, vector):
    return [sum((w * x for w, x in zip(row, vector, strict=True)), 0 * vector[0]) for row in matrix]


def _exponential(x):
    return mpmath.exp(x)


def _hardmax(scores):
    best = max(scores)
    count = sum(1 for s in scores if s == best)
    return [
        (s == best) / Fraction(count) if isinstance(s, Fraction) else (s == best) / mpmath.mpf(count) for s in scores
    ]


def _softmax(scores):
    shift = max(scores)
    weights = [_exponential(s - shift) for s in scores]
    return [w / sum(weights) for w in weights]


def run(model, sequence, number=rational):
    """The residual stream after the last layer: a list of {coordinate: number}, one a position."""
    names = list(model.embedding.space)
    at = {name: k for k, name in enumerate(names)}
    n, start = len(sequence), model.embedding.start
    stream = []
    for j, item in enumerate(sequence):
        row = dict(model.embedding.words[item]) if model.embedding.words is not None else dict(item)
        vector = [number(row.get(name, 0)) for name in names]
        for name, expression in model.embedding.positions.items():
            here = {s: {"i": j + start, "n": n}[s.name] for s in expression.free_symbols}
            vector[at[name]] += number(expression.subs(here))
        stream.append(vector)
    for layer in model.layers:
        for head in layer.attention.heads if layer.attention else ():
            reads, writes = [at[name] for name in head.reads], [at[name] for name in head.writes]
            d = range(head.Q.shape[0])
            Q = _full(head.Q, d, reads, max(len(names), len(d)), number)
            K = _full(head.K, d, reads, max(len(names), len(d)), number)
            V = _full(head.V, writes, reads, len(names), number)
            pad = [number(0)] * (len(Q) - len(names))
            q = [_apply(Q, z + pad) for z in stream]
            k = [_apply(K, z + pad) for z in stream]
            v = [_apply(V, z) for z in stream]
            new = []
            for i in range(n):
                keys = range(i + 1) if head.mask == "future" else range(n)
                scores = [sum((a * b for a, b in zip(q[i], k[j], strict=True)), number(0)) for j in keys]
                if head.weighting == "softmax":
                    factor = head.scale / head.temperature
                    here = {s: {"i": i + start, "n": n}[s.name] for s in factor.free_symbols}
                    weights = _softmax([number(factor.subs(here)) * s for s in scores])
                else:
                    weights = _hardmax(scores)
                new.append(
                    [
                        z + sum((a * v[j][c] for a, j in zip(weights, keys, strict=True)), number(0))
                        for c, z in enumerate(stream[i])
                    ]
                )
            stream = new
        block = layer.feedforward
        if block is not None:
            new = []
            for z in stream:
                inside = [z[at[name]] for name in block.reads]
                hidden = []
                for h in range(block.b1.shape[0]):
                    value = number(block.b1[h, 0])
                    for c, x in enumerate(inside):
                        value += number(block.W1[h, c]) * x
                    hidden.append(value if value > 0 else number(0))
                z = list(z)
                for r, name in enumerate(block.writes):
                    z[at[name]] += number(block.b2[r, 0]) + sum(
                        (number(block.W2[r, h]) * y for h, y in enumerate(hidden)), number(0)
                    )
                new.append(z)
            stream = new
    return [{name: z[at[name]] for name in names} for z in stream]
