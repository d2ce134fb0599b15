"""Compiler from formulas to the soft-attention transformers of printed proofs: instances of families, with one round
for each line of the formula.

A theorem about a family holds of each instance (`symcook prove FILE` gives the bridge, and the theorem at the
instance's sizes). Theorems 20 to 23, about counting, have their construction in `counted`; whether they cover a formula
is checked here.
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
"""The operators that each theorem covers, besides symbols and Booleans. A theorem that covers "#left" covers predicates
of the position too."""
MASKED = {"13", "16", "18", "21", "23"}
"""The theorems whose heads see only the position itself and positions to its left."""
FUTURE = {"next", "until", "#right"}
"""The operators that look to the right."""
FAMILIES = {"12": "temporal", "13": "temporal-past", "15": "since-until", "16": "since", "17": "temporal",
            "18": "temporal-past"}  # fmt: skip
"""The family of each theorem that is about one."""
NUMBERS = {"letters": 0, "not": 1, "and": 2, "or": 3, "since": 4, "until": 5, "prev": 6, "next": 7}
"""The code of each operator in the tables of these families, from 0 in order."""
SHOWN = ("{letter}", "~{left}", "{left} & {right}", "{left} | {right}", "{left} since {right}", "{left} until {right}",
         "prev {left}", "next {left}")  # fmt: skip
"""How the operator of each code is written in a plan."""


def printed(formula: Formula, theorem: str, source: str, name: str, kind: str) -> Transformer:
    """The model of a formula by the construction of a theorem. Its answer at each position is the formula's truth
    there.

    Raises BadInput for an operator that the theorem does not cover, and for a formula with labelled outputs."""
    check_covered(formula, theorem)
    theorem_number, scaled = theorem[:2], int(theorem.endswith("b"))  # "12b": Theorem 12, variant (b)
    # Theorems that count have a construction of their own; the others are instances of a family.
    if theorem_number not in FAMILIES:
        from symcook.compilers.counted import CountedConstruction

        return CountedConstruction(formula, theorem).model(source, name, kind)
    from symcook.model.family import load, shipped
    from symcook.recipes.models import instance_of, said

    rows = table(formula)
    # The family's parameters: the sizes L and S, and an array for each column of the table.
    settings = {"L": str(len(rows)), "S": str(len(formula.alphabet)), "scaled": str(scaled)}
    for column, key in enumerate(("op", "letter", "left", "right")):
        settings[key] = " ".join(str(row[column]) for row in rows)
    family = load(shipped(FAMILIES[theorem_number]))
    instance = instance_of(family, settings)
    model = instance.model(list(formula.alphabet), name)
    names = [f"c{line}" for line in range(1, len(rows) + 1)]
    # Line k is written to the coordinate ck in round k, or stands in the embedding if it is a letter.
    plan = []
    for number_of_line, (op, letter, left, right) in enumerate(rows, 1):
        parts = {"letter": letters_text([formula.alphabet[letter]], formula.alphabet)}
        meaning = SHOWN[op].format(**parts, left=names[left - 1], right=names[right - 1])
        plan.append((names[number_of_line - 1], f"round {number_of_line}" if op else "embedding", meaning))
    program = Program(kind, source, formula.alphabet, tuple(plan), theorem)
    return replace(model, source=f"{family.source}; {said(family, instance.values)}", program=program)


def operators(formula: Formula) -> Set[str]:
    """The operators of a formula that look at other positions, its counts, as "#left" or "#right", and "predicate" if
    it has a predicate of the position, or a comparison without counts."""
    used = {line.op for line in formula.lines if line.op in FUTURE | {"prev", "since"}}
    for line in formula.lines:
        if line.op in COUNTING:
            used |= {f"#{count.side}" for count in line.counts} or {"predicate"}
    return used


def check_covered(formula: Formula, theorem: str) -> None:
    """BadInput where the theorem does not cover the formula, with a theorem that does in the message, and for a formula
    with labelled outputs."""
    if formula.labels:
        raise BadInput(
            "a formula for --theorem must have one truth value, and no named outputs",
            ", ".join(formula.labels),
            "leave --theorem out",
        )
    used = operators(formula)

    def outside(number: str) -> list[str]:
        """The operators of the formula that Theorem `number` does not cover."""
        counts = "#left" in COVERED[number]
        return sorted(op for op in used if op not in COVERED[number] and not (op == "predicate" and counts))

    not_covered = outside(theorem[:2])
    if not not_covered:
        return
    # Some theorem covers the formula: 22 has all operators.
    fits = [covering for covering in COVERED if not outside(covering)]
    # Theorems 21 and 23 have no variants (a) and (b); for the others the variant that was asked for is kept.
    variant = theorem[2:] or "a"
    names = [f"{covering}{'' if covering in ('21', '23') else variant}" for covering in fits]
    do = f"--theorem {names[0]} covers it"
    # One message for operators that look to the right where heads see only the left, another for all other cases.
    ahead = sorted(FUTURE & set(not_covered))
    if ahead and theorem[:2] in MASKED:
        must = f"a formula for Theorem {theorem}, whose heads see earlier positions only, must not contain {ahead[0]}"
        raise BadInput(must, ", ".join(ahead), do)
    excluded = "predicates of the position" if not_covered[0] == "predicate" else not_covered[0]
    raise BadInput(f"a formula for Theorem {theorem} must not contain {excluded}", ", ".join(sorted(used)), do)


def table(formula: Formula) -> list[tuple[int, int, int, int]]:
    """The table of a family's instance: rows (operator code, symbol, left row, right row), with rows counted from 1,
    and 1 where none is read. A set of symbols becomes a disjunction of symbols, the set of all a | ~a, the empty set
    a & ~a. The last row is the whole formula."""
    # Equal rows are shared. row_numbers: row -> its number; of_line: for each line of the formula, its row's number.
    rows: list[tuple[int, int, int, int]] = []
    row_numbers: dict[tuple[int, int, int, int], int] = {}
    of_line: list[int] = []

    def add(op: int, letter: int, left_row: int, right_row: int) -> int:
        """The number of this row, which is added unless the table has it."""
        key = (op, letter, left_row, right_row)
        if key not in row_numbers:
            rows.append(key)
            row_numbers[key] = len(rows)
        return row_numbers[key]

    for line in formula.lines:
        if line.op == "letters":
            chosen = [k for k, a in enumerate(formula.alphabet) if a in line.letters]
            letter_rows = [add(0, k, 1, 1) for k in chosen or [0]]
            constant = len(chosen) in (0, len(formula.alphabet))
            # No symbol, or all of them: a & ~a, or a | ~a.
            if constant:
                op = NUMBERS["or" if chosen else "and"]
                row = add(op, 0, letter_rows[0], add(NUMBERS["not"], 0, letter_rows[0], 1))
            else:
                # Otherwise a disjunction, symbol by symbol.
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
