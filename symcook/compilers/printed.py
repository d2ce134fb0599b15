"""Formulas to the soft-attention transformers of printed proofs: instances of families, a line of the formula a round.

What is proved of a family holds of each of them (`symcook prove FILE`: the bridge, and the theorem at its sizes).
Source: Yang et al. (2026), Theorems 15 and 16; (a) by temperature, (b) with a factor in the queries.
"""

from __future__ import annotations

from dataclasses import replace

from symcook.errors import BadInput
from symcook.model.transformer import Program, Transformer
from symcook.programs.formula import BINARY, Formula, letters_text

FAMILIES = {"15a": ("since-until", 0), "15b": ("since-until", 1), "16a": ("since", 0), "16b": ("since", 1)}
"""The theorems, each by the family that its proof describes, and whether a factor stands for the temperature."""
NUMBERS = {"letters": 0, "not": 1, "and": 2, "or": 3, "since": 4, "until": 5}
"""The operators in the tables of these families."""


def printed(formula: Formula, theorem: str, source: str, name: str) -> Transformer:
    """The model of a formula by the construction of a theorem. Its outputs are the truths of all lines, the formula's
    last; BadInput for an operator that the theorem does not cover, and for several outputs."""
    from symcook.model.family import load, shipped
    from symcook.recipes.models import instance_of, said

    family_name, scaled = FAMILIES[theorem]
    if formula.labels:
        raise BadInput("a formula for --theorem must have one truth, not outputs", ", ".join(formula.labels))
    rows = table(formula, theorem)
    given = {"L": str(len(rows)), "S": str(len(formula.alphabet)), "scaled": str(scaled)}
    for place, key in enumerate(("op", "letter", "left", "right")):
        given[key] = " ".join(str(row[place]) for row in rows)
    family = load(shipped(family_name))
    at = instance_of(family, given)
    model = at.model(list(formula.alphabet), name)
    names = model.readout.reads
    shown = (
        "{letter}",
        "~{left}",
        "{left} & {right}",
        "{left} | {right}",
        "{left} since {right}",
        "{left} until {right}",
    )
    plan = []
    for turn, (op, letter, left, right) in enumerate(rows, 1):
        parts = {"letter": letters_text([formula.alphabet[letter]], formula.alphabet)}
        meaning = shown[op].format(**parts, left=names[left - 1], right=names[right - 1])
        plan.append((names[turn - 1], f"round {turn}" if op else "embedding", meaning))
    program = Program("ltl", source, formula.alphabet, tuple(plan), theorem)
    return replace(model, source=f"{family.source}; {said(family, at.values)}", program=program)


def table(formula: Formula, theorem: str) -> list[tuple[int, int, int, int]]:
    """The lines of a family: operator, letter, and the lines read (1 where none is). A set of letters is a disjunction
    of letters; true is a letter or not it."""
    rows: list[tuple[int, int, int, int]] = []
    places: dict[tuple[int, int, int, int], int] = {}
    of_line: list[int] = []

    def add(op: int, letter: int, left: int, right: int) -> int:
        key = (op, letter, left, right)
        if key not in places:
            rows.append(key)
            places[key] = len(rows)
        return places[key]

    covered = {"since", "until"} if theorem.startswith("15") else {"since"}
    for number, line in enumerate(formula.lines):
        if line.op not in ("letters", "not", "and", "or", *covered):
            must = f"a formula for Theorem {theorem} must be without {line.op}"
            raise BadInput(must, formula.text(number), "leave --theorem out")
        if line.op == "letters":
            chosen = [k for k, a in enumerate(formula.alphabet) if a in line.letters]
            made = [add(0, k, 1, 1) for k in chosen or [0]]
            whole = len(chosen) in (0, len(formula.alphabet))
            if whole:
                op = NUMBERS["or" if chosen else "and"]
                place = add(op, 0, made[0], add(1, 0, made[0], 1))
            else:
                place = made[0]
                for other in made[1:]:
                    place = add(3, 0, place, other)
        else:
            left = of_line[line.left]
            place = add(NUMBERS[line.op], 0, left, of_line[line.right] if line.op in BINARY else 1)
        of_line.append(place)
    last = of_line[formula.outputs[0][1]]
    if last < len(rows):  # the truth of the whole formula stands last
        rows.append((2, 0, last, last))
    return rows
