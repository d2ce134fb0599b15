"""Compiler from formulas to the soft-attention transformers of printed proofs: instances of families, with one round
for each line of the formula.

A theorem about a family holds of each instance (`symcook prove FILE` gives the bridge, and the theorem at the
instance's sizes). Theorems about counting are in `counted`.
Source: Yang et al. (2026), Theorems 12, 13, 15 and 16, Corollaries 17 and 18; variant (a) uses a temperature, (b) a
factor in the queries.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from symcook.errors import BadInput
from symcook.model.transformer import Program, Transformer
from symcook.programs.formula import BINARY, COUNTING, Formula, letters_text

COVERED = {
    "12": {"prev", "next"},
    "13": {"prev"},
    "15": {"since", "until"},
    "16": {"since"},
    "17": {"prev", "next", "since", "until"},
    "18": {"prev", "since"},
    "20": {"#left", "#right"},
    "21": {"#left"},
    "22": {"prev", "next", "since", "until", "#left", "#right"},
    "23": {"prev", "since", "#left"},
}
"""The operators of each theorem beside letters and Booleans; predicates of the position go with counts."""
MASKED = {"13", "16", "18", "21", "23"}
"""The theorems whose heads see what stands to the left alone."""
FUTURE = {"next", "until", "#right"}
FAMILIES = {"12": "temporal", "13": "temporal-past", "15": "since-until", "16": "since", "17": "temporal",
            "18": "temporal-past"}  # fmt: skip
"""The theorems that are about a family."""
NUMBERS = {"letters": 0, "not": 1, "and": 2, "or": 3, "since": 4, "until": 5, "prev": 6, "next": 7}
"""The operators in the tables of these families."""
SHOWN = ("{letter}", "~{left}", "{left} & {right}", "{left} | {right}", "{left} since {right}", "{left} until {right}",
         "prev {left}", "next {left}")  # fmt: skip


def printed(formula: Formula, theorem: str, source: str, name: str, kind: str) -> Transformer:
    """The model of a formula by the construction of a theorem. It answers at each position with the formula's truth;
    BadInput for an operator that the theorem does not cover, and for several outputs."""
    check_covered(formula, theorem)
    number, scaled = theorem[:2], int(theorem.endswith("b"))  # "12b": Theorem 12, variant (b)
    # Theorems that count have a construction of their own; the others are instances of a family.
    if number not in FAMILIES:
        from symcook.compilers.counted import CountedConstruction

        return CountedConstruction(formula, theorem).model(source, name, kind)
    from symcook.model.family import load, shipped
    from symcook.recipes.models import instance_of, said

    rows = table(formula)
    # The family's parameter arrays: one column of the table each.
    settings = {"L": str(len(rows)), "S": str(len(formula.alphabet)), "scaled": str(scaled)}
    for place, key in enumerate(("op", "letter", "left", "right")):
        settings[key] = " ".join(str(row[place]) for row in rows)
    family = load(shipped(FAMILIES[number]))
    at = instance_of(family, settings)
    model = at.model(list(formula.alphabet), name)
    names = [f"c{line}" for line in range(1, len(rows) + 1)]
    # Line k is written to the coordinate ck in round k, or stands in the embedding if it is a letter.
    plan = []
    for number_of_line, (op, letter, left, right) in enumerate(rows, 1):
        parts = {"letter": letters_text([formula.alphabet[letter]], formula.alphabet)}
        meaning = SHOWN[op].format(**parts, left=names[left - 1], right=names[right - 1])
        plan.append((names[number_of_line - 1], f"round {number_of_line}" if op else "embedding", meaning))
    program = Program(kind, source, formula.alphabet, tuple(plan), theorem)
    return replace(model, source=f"{family.source}; {said(family, at.values)}", program=program)


def operators(formula: Formula) -> Set[str]:
    """The operators of a formula on other positions, and its counts; "predicate" is one of the position."""
    used = {line.op for line in formula.lines if line.op in FUTURE | {"prev", "since"}}
    for line in formula.lines:
        if line.op in COUNTING:
            used |= {f"#{count.side}" for count in line.counts} or {"predicate"}
    return used


def check_covered(formula: Formula, theorem: str) -> None:
    """Refuse what a theorem does not cover, with one that does."""
    if formula.labels:
        raise BadInput("a formula for --theorem must have one truth, not outputs", ", ".join(formula.labels))
    used = operators(formula)

    def outside(number: str) -> list[str]:
        counts = "#left" in COVERED[number]
        return sorted(op for op in used if op not in COVERED[number] and not (op == "predicate" and counts))

    wrong = outside(theorem[:2])
    if not wrong:
        return
    # Some theorem covers the formula: 22 has all operators.
    fits = [covering for covering in COVERED if not outside(covering)]
    letter = theorem[2:] or "a"
    names = [f"{covering}{'' if covering in ('21', '23') else letter}" for covering in fits]
    do = f"--theorem {names[0]} covers it"
    # An operator to the right under masks that only see the left, or any other one.
    ahead = sorted(FUTURE & set(wrong))
    if ahead and theorem[:2] in MASKED:
        must = f"a formula for Theorem {theorem}, whose heads see what stands to the left, must be without {ahead[0]}"
        raise BadInput(must, ", ".join(ahead), do)
    excluded = "predicates of the position" if wrong[0] == "predicate" else wrong[0]
    raise BadInput(f"a formula for Theorem {theorem} must be without {excluded}", ", ".join(sorted(used)), do)


def table(formula: Formula) -> list[tuple[int, int, int, int]]:
    """The lines of a family: operator, letter, and the lines read (1 where none is). A set of letters is a disjunction
    of letters; true is a letter or not it."""
    rows: list[tuple[int, int, int, int]] = []
    places: dict[tuple[int, int, int, int], int] = {}
    of_line: list[int] = []

    def add(op: int, letter: int, left_row: int, right: int) -> int:
        key = (op, letter, left_row, right)
        if key not in places:
            rows.append(key)
            places[key] = len(rows)
        return places[key]

    for line in formula.lines:
        if line.op == "letters":
            chosen = [k for k, a in enumerate(formula.alphabet) if a in line.letters]
            letter_rows = [add(0, k, 1, 1) for k in chosen or [0]]
            constant = len(chosen) in (0, len(formula.alphabet))
            # No letter of them, or every letter: a & ~a, or a | ~a.
            if constant:
                op = NUMBERS["or" if chosen else "and"]
                row = add(op, 0, letter_rows[0], add(NUMBERS["not"], 0, letter_rows[0], 1))
            else:
                # Else a disjunction, letter by letter.
                row = letter_rows[0]
                for letter_row in letter_rows[1:]:
                    row = add(NUMBERS["or"], 0, row, letter_row)
        else:
            left_row = of_line[line.left]
            row = add(NUMBERS[line.op], 0, left_row, of_line[line.right] if line.op in BINARY else 1)
        of_line.append(row)
    last = of_line[formula.outputs[0][1]]
    if last < len(rows):  # the truth of the whole formula stands last
        rows.append((NUMBERS["and"], 0, last, last))
    return rows
