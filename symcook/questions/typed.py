"""Each question as a user types it: what the command says about itself, its example, and its options.

The paragraphs before "For example:" are the text of the command. After it each argument that is not described in
`symcook.declaration.COMMON` has a line. The docstrings of the functions are written for Python.
"""

from __future__ import annotations

TEXTS = {
    "margin": """The distance of decisions from their threshold, by length.

The margin of a decision is its distance from the threshold. For each length a string with this margin is shown.

The margin is exact where it is rational, else a rigorous interval. Strings with the same answer are one class, so a
length of 100 is possible for dyck-1 or parity. A model that distinguishes all strings is limited to short lengths.
For a trained model, prefixes are grouped in hulls; the note "hulls stop" says from where on the margin is an interval.

For example: symcook margin parity --max-length 20 --plot margin

digits D: Significant digits of values that are not rational.
""",
    "tolerance": """How far one weight can change before a decision changes, by length.

For each length: the largest interval of the weight in which every string keeps its answer.

The answer names the strings whose answers change at the ends. The ends are exact where answers are rational functions
of the weight; otherwise they are enclosed.

For example: symcook tolerance dyck-1-nonuniform --set N=8 --free 'L2.ff.b1[1]' --max-length 6

weights --free WEIGHT: The weight that moves, such as L1.head1.V[ones,one], L2.ff.W1[3,total] or readout[s].
  Repeated: these weights move together, and a weight after a minus sign moves the opposite way.
digits D: Decimal digits of ends of the interval that are not rational.
""",
    "temperature": """The largest softmax temperature with the decisions of hard attention, by length.

Below this temperature, softmax attention decides as hard attention does.

If NAME has softmax attention, it is compared with the model that has average-hard attention in its place. The table
also has the paper's gamma/log(8 n), at which the weights of a row of scores are
within 1/4 of those of hard attention.

For example: symcook temperature first-flawed --max-length 6

digits D: Significant digits of the temperatures.
""",
    "hardsoft": """Softmax attention in place of hard attention, within an error that you give.

Exit code 1: --gap is larger than the score gap of some string.

First, leftmost-hard and rightmost-hard heads become average-hard, by a tie-breaking term in i/n that is smaller than
their score gap. Then the model with hard attention is run exactly on all strings of up to N symbols. The runs give the
smallest score gap, the largest entries before each layer, and the constants of Lemmas 25 and 28 to 33 of Yang et al.
(2026).

For each length three temperatures are shown: that of Theorem 26, that by constants of the layers, which the model with
softmax gets, and the largest that works. The error of the model with softmax is certified in rigorous intervals.

For example: symcook hardsoft induction-most-recent --error 1/4 --max-length 4 -o soft.json

error EXPR: Maximum L1 error of the final residual stream at each position; an expression in n, the number of symbols.
gap EXPR: A lower bound on the score gap, an expression in n; it replaces the one that symcook computes.
max_length N: The maximum length of the strings that are run; by default 6, or the longest of --inputs.
file -o/--output FILE: Write the model with softmax.
""",
    "precision": """How many bits are enough, by length and by float format.

"enough" bits decide every string of the length correctly; at "fails" bits some string is decided wrongly.

"enough" bits are proved for every string and every order of sums. Each float format has a length up to which all
decisions are guaranteed, and a longer string that it decides wrongly, where one is found.

For example: symcook precision parity --max-length 6 --format float16

formats --format float16|bfloat16|float32|float64: Only this float format (all). Repeatable.
beyond N: Search up to length N for a string that the float format decides wrongly.
""",
    "entropy": """The entropy of each head's attention in bits, by length.

It is 0 bits if all the weight is on one position, and log2 k bits for equal weights on k positions.

For each length and each head: the smallest and the largest entropy over all strings. Strings with the same weights are
one class, so lengths up to 31 are possible where scores do not depend on the symbols.

For example: symcook entropy parity --max-length 8 --plot entropy

head HEAD: Only this head, such as L2.head1 (all).
position I: The position that attends, in the model's numbering, or each; by default the one that answers.
digits D: Decimal places.
""",
}
"""{question: its text}."""
