"""Parts lower to steps; code that reads steps names every field of each, and refuses what it does not know."""

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model import steps
from symcook.model.parts import Part
from symcook.model.reads import StepsRead
from symcook.model.steps import LOWERINGS, fixed_numbers, placed_numbers, steps_of

SIZES = {name: len(fields(kind)) for name, kind in vars(steps).items() if isinstance(kind, type) and is_dataclass(kind)}
"""The steps, and how many fields each has."""


def wrong_matches(source: str) -> Iterator[str]:
    """The lines where a case leaves out a field of a step, or a match on steps has no refusal at its end."""
    tree = ast.parse(source)
    after = {}
    for node in ast.walk(tree):
        for block in (value for _, value in ast.iter_fields(node) if isinstance(value, list)):
            after |= {id(one): following for one, following in zip(block, block[1:], strict=False)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Match):
            continue
        patterns = [one for case in node.cases for one in ast.walk(case.pattern) if isinstance(one, ast.MatchClass)]
        known = [one for one in patterns if isinstance(one.cls, ast.Name) and one.cls.id in SIZES]
        for pattern in known:
            if len(pattern.patterns) + len(pattern.kwd_patterns) != SIZES[ast.unparse(pattern.cls)]:
                yield f"{pattern.lineno} leaves out a field: {ast.unparse(pattern)}"
        last = node.cases[-1]
        catches = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        end = last.body[-1] if catches else after.get(id(node))
        if known and not (end is not None and ast.unparse(end).startswith(("unknown_step(", "raise "))):
            yield f"{node.lineno} does not end with a refusal"


def test_each_case_names_every_field_and_each_match_ends_with_a_refusal() -> None:
    root, wrong, read = Path(sc.__file__).parent, [], 0
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "symcook.model.steps import" in text or path.name == "steps.py":
            read += 1
            wrong += [f"{path.relative_to(root)}:{line}" for line in wrong_matches(text)]
    assert not wrong
    assert read > 4


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("match s:\n case LinearMap(of, matrix):\n  pass\n case _:\n  unknown_step('x', s)", "leaves out a field"),
        ("match s:\n case Activate(LinearMap(Read(), _), kind):\n  pass\nunknown_step('x', s)", "leaves out a field"),
        ("match s:\n case Read():\n  pass", "does not end"),
        ("match s:\n case Read():\n  pass\n case _:\n  pass", "does not end"),
        ("match s:\n case Read():\n  pass\nf(s)", "does not end"),
        ("match s:\n case Read():\n  pass\n case _ if s:\n  raise E", "does not end"),
    ],
)
def test_the_reading_of_the_code_notices(source: str, part: str) -> None:
    assert [part in line for line in wrong_matches(source)] == [True]


KINDS = [(kind, cls) for cls in Part.__subclasses__() if cls.__module__ == "symcook.model.parts" for kind in [cls.KIND]]


@pytest.mark.parametrize(("kind", "cls"), KINDS)
def test_the_steps_of_a_kind_name_each_number_of_its_table(kind: str, cls: type[Part]) -> None:
    """A lowering that overlooked a field would make every engine overlook it."""
    part = dict.fromkeys(cls.FIELDS, "a word")
    step = steps_of(part | ({"kind": kind} if kind != cls.PLACE else {}), cls.PLACE)
    words = {name for name, form in cls.FIELDS.items() if form == "word"}
    assert fixed_numbers(step) | {*placed_numbers(step)} == {*cls.FIELDS} - words
    for name in words:  # another word, another expression
        assert LOWERINGS[cls.PLACE][kind](part | {name: "another"}) != step


def test_the_kind_of_a_part_is_one_that_may_stand_there() -> None:
    with pytest.raises(BadInput, match="the kind of a part must be norm or rms-norm; given: gated"):
        steps_of({"kind": "gated"}, "norm")
    assert steps_of({"activation": "relu"}, "network") == LOWERINGS["network"]["network"]({"activation": "relu"})


def test_steps_compute_nothing() -> None:
    """The file is trusted reading: no arithmetic, and nothing of the library but its errors."""
    tree = ast.parse(Path(steps.__file__).read_text(encoding="utf-8"))
    operations = [node.op for node in ast.walk(tree) if isinstance(node, ast.BinOp)]
    assert {type(one) for one in operations} == {ast.BitOr}  # unions of types and of sets
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections.abc", "dataclasses", "typing", "symcook.errors"}


@pytest.mark.parametrize(("kind", "cls"), KINDS)
def test_an_engine_by_steps_reads_what_the_steps_name(kind: str, cls: type[Part]) -> None:
    """A field that the steps of a kind do not name is refused, also by an engine that knows no kind by name."""
    by_steps = StepsRead("an engine of this test")
    try:
        by_steps.kind(cls)
        more, must = {**cls.FIELDS, "invented": "number"}, "must have only fields that an engine of .* given: invented"
        with patch.object(cls, "FIELDS", more), pytest.raises(BadInput, match=must):
            by_steps.kind(cls)
    finally:
        del StepsRead.engines["an engine of this test"]
