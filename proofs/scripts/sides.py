"""Further witnesses for H: places where a side of an equivalence holds, where the first witnesses do not show one."""

from __future__ import annotations

from collections.abc import Mapping

from places import finite

from symcook.proof.search.tactics import Further

CLOSING = ("i. -1", "i. sum(j, 1, i, -1)/i", "i. relu(-(sum(j, 1, i, -1)/i))")
CLOSING += ("i. sum(j, 1, i, relu(-(sum(k, 1, j, -1)/j)))/i",)
"""What the equations of dyck-1 give for words of closing brackets."""

TOKEN, LEVEL = "(I[{0} = 1] - I[{0} = 2])", "(sum(j, 1, {0}, I[j = 1] - I[j = 2])/{0})"
TOTAL = "(sum(m, 1, {0}, relu(-(sum(j, 1, m, I[j = 1] - I[j = 2])/m)))/{0})"
PAIR = ("2", "i. I[i = 2]", f"i. {TOKEN.format('i')}", f"i. {LEVEL.format('i')}")
PAIR += (f"i. relu(-{LEVEL.format('i')})", f"i. {TOTAL.format('i')}")
"""The word (), with the values that the equations of dyck-1 give."""

FIRST, SECOND = (
    f"(4*relu({x} + 1/4) - 8*relu({x}) + 4*relu({x} - 1/4))" for x in map(str.format, (TOTAL, LEVEL), "ii")
)
SHARP = (f"i. {FIRST}", f"i. {SECOND}", f"i. relu({FIRST}) - relu(-{FIRST}) - relu({FIRST} - {SECOND})")

LAYERS = (
    "t c i. I[c = 1]*bracket(I[i = 2]) + I[1 <= t]*I[c = 2]*sum(j, 1, i, hardmax(l. 0, i, j)*bracket(I[j = 2]))"
    " + I[2 <= t]*I[c = 3]*relu(-sum(j, 1, i, hardmax(l. 0, i, j)*bracket(I[j = 2])))"
    " + I[3 <= t]*I[c = 4]*sum(j, 1, i, hardmax(l. 0, i, j)*relu(-sum(k, 1, j, hardmax(m. 0, j, k)*bracket(I[k = 2]))))"
)

FURTHER: Mapping[str, Further] = {
    "chiang2022.prop2.c.corrected": (("1/2", "4", "-1/sqrt(4/2)*log(exp(1/2) - 1)", "1"), None),
    "cookbook.s4.8.pm_dot": (("1", "j. 1", "j. 1"), None),
    "cookbook.s5.3.4.argmax": (("3", "2", "2"), None),
    "cookbook.s9.2.1.violation": (("1", "i. 1", *CLOSING, "1"), finite),
    "cookbook.s9.2.1.aggregate": (("1", "i. 1", *CLOSING), finite),
    "cookbook.s9.2.1.accept": (PAIR, finite),
    "cookbook.t3.dyck1": (PAIR, finite),
    "cookbook.s9.2.1.nonuniform": (("2", "1/4", *PAIR, *SHARP), finite),
    "cookbook.s9.2.1.two_layers": (("2", "i. I[i = 2]", LAYERS), finite),
    "merrill2024.lemma3.corrected": (("1", "j. 1", "4"), None),
    "merrill2024.s3.1.direct": (("1", "1", "1", "1"), None),
    "merrill2024.thm1.schedule": (("i k. 1", "j. 1", "j. 0", "j. 1", "j. 1", "3"), None),
}
"""By id: witnesses, and what closes the conditions where it is not the leaf of the script."""
