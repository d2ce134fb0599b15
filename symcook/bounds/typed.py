"""Each kind of bound as a user types it: what the command says about it, and its options.

The first paragraph is the summary. Then each argument that is not described in `symcook.declaration.COMMON` has a line,
and more paragraphs may follow. The docstrings of the functions are written for Python.
"""

from __future__ import annotations

TEXTS = {
    "softmax-hardmax": """The largest L1 distance between softmax and hardmax over n scores, against 2 n e^-gamma
(Cookbook, Lemma 5.3).

ties: Allow score vectors whose maximum is not unique.

Every score is the maximum, or at least gamma below the maximum. Without ties exactly one score is the maximum. With
ties several scores may be, and hardmax gives each of them the same weight.
""",
    "softmax": """The L1 distance between softmax of gamma times the given scores and their hardmax, against
2 n e^(-gamma gap) (Cookbook, Lemma 5.3).

scores S: The scores as a list '3, 1/2, 0', or the score of position j as an expression in j and n.

Scores are rational. Hardmax gives the same weight to each maximal score. For scores with ties, and at the gap itself,
the bound is the one of Lemma 32 of yang2026, with tau = 1/gamma.
""",
    "lookup": """The L1 distance between softmax of the scores gamma (2 q j - j^2) and the position q, against
4 e^-gamma (Cookbook, Section 5.3.4; yang2026, Lemma 6).

q Q: The position that is looked up (by default one with the largest distance).

Without a length the value is the supremum over all lengths. The error does not grow with n, whereas Lemma 5.3 gives
2 n e^-gamma.
""",
    "ziggurat": """The largest L1 distance for scores that fall by gamma a step from their maximum, against 4 e^-gamma
(yang2026, Lemma 6).

The scores satisfy s_j <= s_p - gamma |j - p| for some position p. Without a length the value is the supremum over all
lengths. If values are at most v_max in size, the error of the retrieved value is at most v_max times this distance.
""",
    "table-lookup": """The largest error of a position that softmax attention looks up with the scores
gamma (2 t j - j^2), against (3/2) e^-gamma (yang2026, Lemma 7).

The answer also has the smallest gamma from which the factor 3/2 suffices. Without a length the value is the supremum
over all lengths.
""",
    "tie-break": """The largest L1 distance to leftmost-hard or rightmost-hard attention after scores are changed to
break ties, against 4 e^-gamma (yang2026, Lemma 8).

variant V: The part of Lemma 8 of yang2026: a, b or c.

The scores s have gap at least 1. Part a uses gamma n^2 (s_j - 1/j), part b 2 gamma n (s_j + j/(2 n)), both for the
rightmost maximum; part c uses 2 gamma n (s_j - j/(2 n)) for the leftmost maximum.
""",
    "layernorm-hash": """The smallest score gap of the layer-norm hash over positions up to n, against 1/(2 n^4)
(Cookbook, Section 5.3.3; merrill2024, Lemma 8).

tie_break: Also show the tie-breaking term of merrill2024.
search: Also show how many bits are enough for the right argmax.

The hash of x is (x, 1, -x, -1)/sqrt(2 x^2 + 2), a vector of norm 1 (merrill2024, Definition 3). The hash of the
Cookbook is twice as long, so that its gaps are 4 times these.
""",
    "lipschitz": """The smallest Lipschitz constant of a feed-forward layer, against ||W2|| ||W1||, and whether the
layer is positively homogeneous (Cookbook, Section 6.1).

norm M: The norm of a vector: max, its largest absolute entry, or sum, the sum of the absolute entries.

The model has one feed-forward layer with relu. The residual connection is left out.
""",
    "layer-norm": """The smallest Lipschitz constant of layer norm for the Euclidean norm, against
max|gain|/sqrt(epsilon) (Cookbook, Sections 6.1 and 6.4).

d D: The number of entries that the layer norm reads.
epsilon E: The positive number that layer norm adds to the variance.
gain G: One gain for all entries, or a list: '1, 2, 1/2'.

No two vectors attain the constant; vectors with nearly equal entries come near it.
""",
    "gelu-multiply": """The smallest K such that the product by GELU has an error of at most K (|x| + |y|)^3, against
K = 1/4 (Cookbook, Section 4.6).

form F: The form of GELU: erf (Eq. 24) or tanh (Eq. 25).

The product x y is approximated by sqrt(pi/2) (gelu(x + y) - gelu(x) - gelu(y)).
""",
    "gelu-relu": """The largest difference between GELU(c x)/c and ReLU(x), against a proved bound (Cookbook, Eq. 27).

c C: The factor in GELU(c x)/c.
form F: The form of GELU: erf (Eq. 24) or tanh (Eq. 25).

The paper gives no rate. Stored proofs give 0.16998/c for erf and 0.17005/c for tanh.
""",
    "temperature": """The largest temperature that keeps the error of retrieved values below a target, against
gamma/log(2 n/error) (Cookbook, Section 5.7).

error E: The largest error of a retrieved value in [0, 1].
bits P: With temperature: also answer for fixed point with P fractional bits.

One score is the maximum, and every other score is at least gamma below it. The answer also has, for each float format,
the temperature below which all other weights round to zero.
""",
    "error": """How far an error in the embedding of a model, or float rounding, can move each coordinate, over all
strings of n symbols (yang2026, Lemmas 28 to 33; Cookbook, Section 7.2).

delta D: The L1 norm of the embedding's error at each position.
dtype T: Round weights and operations to float64, float32, float16 or bfloat16.
constants: With error: bound how much each sublayer enlarges an error by one constant for all strings.

Give at least one of delta and dtype. The value is an upper bound; it is not claimed that some error attains it.
""",
    "sensitivity": """The largest change of a model's output when one of n symbols changes, against a proved C/n
(chiang2022, Section 1; Cookbook, Section 6.4).

With --inputs the first string is in the language, and the second string may be any string. An answer counts if it
counts in the first string.

The constant C exists for models whose heads average uniformly, with relu and rational numbers. For any other model the
largest change is enclosed, without a bound. If the readout answers at every position, the answer at the changed
position is left out and shown apart.
""",
    "cross-entropy": """The mean cross-entropy in bits over all strings of n symbols, against the worst possible, 1 bit
(chiang2022, Figure 2).

weight P: In parity and parity-layernorm, the weight that Figure 3 of chiang2022 varies.
sample M: The mean over M random strings in place of all.
seed S: With --sample: the seed of the random draw (0).

The models are parity, first, first-flawed and their variants with layer norm. The mean is that of -log2 of the
probability of the right answer. n is at most 1000 for parity-layernorm and 10^5 for first-flawed.
""",
}
"""{kind: text}."""
