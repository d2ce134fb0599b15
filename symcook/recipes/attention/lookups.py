"""The value at the position that a query names: Cookbook, Section 5.3."""

from __future__ import annotations

from random import Random

from symcook.errors import BadInput
from symcook.model.choices import WeightingWord
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import fraction, integer, one_of
from symcook.recipes.attention import (
    LONGEST,
    POSITION,
    READ,
    WEIGHTING,
    encoded,
    lookup_region,
    over_rows,
    recipe,
    sharpened,
)


@recipe(
    summary="the value at the position that a query names, by one-hot positions",
    source="Cookbook, Section 5.3.1, Eq. (36)",
    formula="value(query(i))",
    computes=READ,
    score="max(0, 1 - abs(query(i) - j))",
    region=POSITION,
    largest=False,
    uniformity="The width is 2 N + 1 for the maximum length N, without the query.",
    claims="t2.index_lookup t5.onehot s5.3.lookup_spec s3.2.onehot_width s5.3.1.onehot s5.3.1.gap s5.3.1.width",
    reference="symcook.spec.attention:lookup",
    arguments=(Argument("N", "8", "the greatest length", integer(1, 128)), WEIGHTING),
    region_of=lookup_region,
)
def lookup_one_hot(this: Recipe, N: int, weighting: WeightingWord) -> kit.Transformer:
    """The query becomes a one-hot vector, whose product with the one-hot vector of position j is 1 at the position
    asked for and 0 elsewhere.

    found_i = value at position query_i, with W^(Q) = [I 0 0], W^(K) = [0 I 0] and W^(V) = [0 0 1] as printed.

    N: the greatest length, 1 to 128. weighting: average, leftmost, rightmost, or softmax with temperature 1/log(8 N)
    and the rounding of Section 5.7 (the gap is 1). Inputs: query and value, one row a position. The paper takes the
    vector e_q as given; here a first feed-forward part makes it, entry k by relu(q - k + 1) - 2 relu(q - k) + relu(q -
    k - 1).
    """
    if weighting != "softmax":
        return this.of_family(
            "lookup-one-hot", {"N": N}, names={f"hot{k}": f"query{k}" for k in range(1, N + 1)}, ties=weighting
        )
    places = {f"at{k}": f"I[i = {k}]" for k in range(1, N + 1)}
    hot = {f"query{k}": {k: 1} for k in range(1, N + 1)}
    score = {(f"query{k}", f"at{k}"): 1 for k in range(1, N + 1)}
    layers = [encoded(hot, N), sharpened(score, "value", "found", weighting, N)]
    return over_rows(this, ("query", "value"), places, layers, "found", max_length=N)


MOST_COORDINATES = 512
"""The maximum dimension of the vectors of positions."""
MOST_SIGNS = 4096
"""The maximum number of random signs; each is a case of a position function."""


NEAR = "sum(m, 1, 8, max(0, 1 - abs(query(i) - m))*if(m = j, 1, I[floor((m - 1)/5) != floor((j - 1)/5)]/5))"
"""The score for N = 8 and epsilon = 1/4. The vector of a query between two positions is the linear interpolation of
their vectors. The product of the vectors of positions m and j is 1 for m = j; 0 if their polynomials differ by a
constant; else 1/5, since p = 5."""


def _small(given: object, name: str) -> kit.Fraction:
    """The reader of the argument epsilon."""
    value = fraction(given, name)
    if not 0 <= 2 * value < 1:
        raise BadInput(f"{name} must be at least 0 and less than 1/2, so that there is a gap", value, "give 1/4")
    return value


@recipe(
    summary="the value at the position that a query names, by almost orthogonal vectors",
    source="Cookbook, Section 5.3.2, Eqs. (37) and (38)",
    formula="value(query(i))",
    computes=READ,
    score=NEAR,
    region=POSITION,
    largest=False,
    uniformity="The width is 2 m + 1 beside the query itself, where the dimension m grows with the logarithm of the "
    "greatest length N for random signs, and with log(N)^2/log(log(N))^2 at most for polynomials.",
    claims="t2.index_lookup t5.almost_orth s5.3.lookup_spec s5.3.2.ao_def s5.3.2.ao_lookup s5.3.2.ao_dimension "
    "s5.3.2.ao_probability s5.3.2.ao_gap s5.3.1.width",
    reference="symcook.spec.attention:lookup",
    arguments=(
        Argument("N", "8", "the greatest length", integer(1, 4096)),
        Argument("epsilon", "1/4", "the most that products of different vectors may be, below 1/2", _small),
        Argument("family", "polynomials", "polynomials, or signs drawn at random", one_of("polynomials", "signs")),
        Argument("m", "48", "the dimension, with signs", integer(1, MOST_COORDINATES), ("family", "signs")),
        Argument("seed", "1", "what random signs are drawn from", integer(0, 10**9), ("family", "signs")),
        WEIGHTING,
    ),
    region_of=lookup_region,
)
def lookup_almost_orthogonal(
    this: Recipe, N: int, epsilon: kit.Fraction, family: str, m: int, seed: int, weighting: WeightingWord
) -> kit.Transformer:
    """Positions are vectors whose products are 1 with themselves and at most epsilon with each other; the query becomes
    the vector of the position asked for.

    found_i = value at position query_i, by scores x_q . x_j over a family x_1, ..., x_N that satisfies Eq. (37).

    family polynomials: for a prime p and degrees below k, position i is the polynomial over the integers modulo p whose
    coefficients are the digits of i - 1 in base p; its vector has p^2 entries, 1 at (a, b) where its value at a is b
    and else 0, over sqrt(p). Two polynomials agree at k - 1 places at most, so products of different vectors are at
    most (k - 1)/p <= epsilon, and the product with itself is 1; p is the least prime for which this holds with p^k >=
    N. family signs: entries 1/sqrt(m) or -1/sqrt(m), drawn by random.Random(seed) of Python; that it satisfies Eq. (37)
    is checked, and it is refused where it does not. The factors 1/sqrt(p) and 1/sqrt(m) of both vectors stand in W^(K)
    as 1/p and 1/m, so that all numbers are rational. Eq. (38) asks for m = ceil(12 k log(2 N)/epsilon^2), which is far
    more than is needed. weighting softmax: the rounding of Section 5.7 at temperature 1/(p log(8 N)) or 1/(m log(8 N)),
    which is colder than the gap of 1 - epsilon asks for, and leaves all numbers rational. Inputs: query and value; the
    vector of the query is made by a first feed-forward part.
    """
    if family == "signs":
        vectors, places, size = _signs(N, epsilon, m, seed)
    else:
        vectors, places, size = _polynomials(N, epsilon)
    queries = {f"query{c}": dict(enumerate(entries, 1)) for c, entries in enumerate(zip(*vectors, strict=True), 1)}
    names = [f"at{c}" for c in range(1, len(places) + 1)]
    score = {(query, entry_name): f"1/{size}" for query, entry_name in zip(queries, names, strict=True)}
    layers = [encoded(queries, N), sharpened(score, "value", "found", weighting, N, gap=f"1/{size}")]
    return over_rows(this, ("query", "value"), dict(zip(names, places, strict=True)), layers, "found", max_length=N)


PositionVectors = tuple[list[list[int]], list[str], int]
"""The vectors of positions 1 to N with integer entries, the position function of each entry, and the squared length of
every vector."""


def _polynomials(N: int, epsilon: kit.Fraction) -> PositionVectors:
    """The vectors of polynomials over the integers modulo p, for the least prime p that suffices; see
    `lookup_almost_orthogonal`. BadInput if the dimension p^2 is too large."""
    # k is the number of base-p digits of N positions. Products of different vectors are at most (k - 1)/p.
    p = 2
    while True:
        k = 1
        while p**k < N:
            k += 1
        if k - 1 <= epsilon * p:
            break
        p = next(q for q in range(p + 1, 2 * p + 2) if all(q % d for d in range(2, q)))
    if p * p > MOST_COORDINATES:
        must = f"the dimension must be at most {MOST_COORDINATES}, for each of the two vectors"
        raise BadInput(must, f"{p * p} for N = {N}, epsilon = {epsilon}", "give a larger epsilon or a smaller N")
    # Position i is the polynomial whose coefficients are the digits of i - 1 in base p. Its vector has a 1 for each
    # pair (a, value at a). Two different polynomials of degree below k agree at fewer than k points a.
    digits = [[(i // p**t) % p for t in range(k)] for i in range(N)]
    pairs = [(a, b) for a in range(p) for b in range(p)]
    vectors = [
        [int(sum(c * a**t for t, c in enumerate(coefficients)) % p == b) for a, b in pairs] for coefficients in digits
    ]
    terms = [f"mod(floor((i - 1)/{p**t}), {p})" for t in range(k)]
    values = [" + ".join(f"{a**t}*{term}" for t, term in enumerate(terms) if a**t) for a in range(p)]
    return vectors, [f"I[mod({values[a]}, {p}) = {b}]" for a, b in pairs], p


def _signs(N: int, epsilon: kit.Fraction, m: int, seed: int) -> PositionVectors:
    """The vectors with m random signs for each position. BadInput if the normalised product of two of them is greater
    than epsilon or less than -epsilon, or if N m is more than MOST_SIGNS."""
    if N * m > MOST_SIGNS:
        must = f"N times m must be at most {MOST_SIGNS} with signs"
        raise BadInput(must, f"{N} times {m}", "give a smaller N, or family=polynomials")
    # Random signs have small products only with high probability, so all products are checked.
    drawn = Random(seed)
    vectors = [[1 if drawn.random() < 0.5 else -1 for _ in range(m)] for _ in range(N)]
    for i, first_vector in enumerate(vectors):
        for j, second_vector in enumerate(vectors[:i]):
            product = kit.Fraction(sum(a * b for a, b in zip(first_vector, second_vector, strict=True)), m)
            if abs(product) > epsilon:
                must = f"the vectors drawn must have products of at most {epsilon} with each other"
                raise BadInput(
                    must, f"{product} for positions {j + 1} and {i + 1}", "give another seed, or a greater m"
                )
    # Each entry as a function of the position: -1 at the listed positions, 1 at all others.
    columns = zip(*vectors, strict=True)
    places = []
    for entries in columns:
        negative = [f"i = {i}" for i, entry in enumerate(entries, 1) if entry < 0]
        places.append(f"1 - 2*I[{' | '.join(negative)}]" if negative else "1")
    return vectors, places, m


@recipe(
    summary="the value at the position that a query names, by layer-norm hashes",
    source="Cookbook, Section 5.3.3",
    formula="value(query(i))",
    computes=READ,
    score="(query(i)*j + 1)*abs(query(i)*j + 1)/(j^2 + 1)",
    region=POSITION,
    largest=False,
    uniformity="No weight depends on the length; the position function 1/i is bounded.",
    claims="t2.index_lookup t5.lnhash s3.3.integer_reps s5.3.lookup_spec s5.3.3.lh s5.3.3.lh_scale "
    "s5.3.3.lh_from_ratio s5.3.3.lh_key s5.3.3.lh_argmax s5.3.3.lh_gap s5.3.3.selective_ln",
    reference="symcook.spec.attention:lookup_hash",
    arguments=(WEIGHTING, LONGEST),
    region_of=lookup_region,
)
def lookup_layernorm_hash(this: Recipe, weighting: WeightingWord, N: int) -> kit.Transformer:
    """Layer norm of (x, 1, -x, -1), applied to four components alone, is a vector of one length for every x; the
    product of two is greatest where they are equal.

    found_i = value at position query_i, by scores lh(query_i) . lh(j) with lh(x) = LN([x; 1; -x; -1]), epsilon = 0.

    Two norms with projections, W_N x = (q, 1, -q, -1) and (1, 1/j, -1, -1/j), see four components each; a feed-forward
    part copies what they give, lh(q_i) and lh(j), into the stream, and the head has W^(Q) = [I 0 0], W^(K) = [0 I 0]
    and W^(V) = [0 0 1] as printed. lh does not change with the scale, so that a query q_i/i beside 1/i would do as well
    as q_i beside 1. weighting: average, leftmost or rightmost; softmax with temperature 2/(N^4 log(8 N)) to length N
    and the rounding of Section 5.7, as two of these scores differ by 2/N^4 or more (`symcook bound layernorm-hash`,
    times 4 as lh has length 2). Any query reads the position whose direction (j, 1) is nearest to that of (q, 1).
    """
    query_norm = kit.LayerNorm(
        ("query", "one"), ("a1", "a2", "a3", "a4"), projection=[[1, 0], [0, 1], [-1, 0], [0, -1]]
    )
    position_norm = kit.LayerNorm(
        ("one", "inverse"), ("b1", "b2", "b3", "b4"), projection=[[1, 0], [0, 1], [-1, 0], [0, -1]]
    )
    copies = {f"query{c}": f"relu(a{c}) - relu(-a{c})" for c in range(1, 5)}
    copies |= {f"at{c}": f"relu(b{c}) - relu(-b{c})" for c in range(1, 5)}
    hashes = kit.Layer(None, kit.feedforward(copies), (), (query_norm, position_norm), "multi pre")
    score = {(f"query{c}", f"at{c}"): 1 for c in range(1, 5)}
    look = sharpened(score, "value", "found", weighting, N, gap=f"2/{N**4}")
    return over_rows(
        this,
        ("query", "value"),
        {"one": 1, "inverse": "1/i"},
        [hashes, look],
        "found",
        max_length=N if weighting == "softmax" else None,
    )


@recipe(
    summary="at every position the value at the position that its query names",
    source="Cookbook, Section 5.3.4",
    formula="value(query(i))",
    computes=READ,
    score="2*query(i)*j - j^2",
    region=POSITION,
    largest=False,
    uniformity="No weight depends on the length, but the temperature of softmax does; i and i^2 are not bounded.",
    claims="t2.index_lookup t5.quadmax s5.3.lookup_spec s5.3.4.quadmax s5.3.4.argmax s5.3.4.gap",
    arguments=(WEIGHTING, LONGEST),
    region_of=lookup_region,
)
def lookup_quadratic(this: Recipe, weighting: WeightingWord, N: int) -> kit.Transformer:
    """The score 2 q j - j^2 is greatest at j = q, so average-hard attention reads the value there.

    found_i = value at position query_i, by scores 2 query_i j - j^2 = query_i^2 - (query_i - j)^2.

    Inputs: query and value, one row a position; the embedding adds one = 1, index = i and square = i^2. Scale 1: the
    printed scores leave out the factor 1/sqrt(d_key) = 1/sqrt(2) of Definition 2.3, which moves no maximum. A query
    that is no position reads the nearest one, or the mean of two equally near. weighting softmax: temperature 1/log(8
    N), the gap being 1, and the rounding of Section 5.7, to length N for values 0 and 1.
    """
    look = sharpened({("query", "index"): 2, ("one", "square"): -1}, "value", "found", weighting, N)
    return over_rows(
        this,
        ("query", "value"),
        {"one": 1, "index": "i", "square": "i^2"},
        [look],
        "found",
        order=("query", "one", "index", "square", "value"),
        max_length=N if weighting == "softmax" else None,
    )
