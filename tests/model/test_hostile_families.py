"""Bad family files and bad values, more than a hundred: each refused in one sentence by every command that reads it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proof.family_cases import FAMILIES, OWN, SHIPPED
from shared import call

from symcook.errors import BadInput
from symcook.model.family import Family, loads
from symcook.model.plainfamily import PlainFamily
from symcook.proof.familyrel import FamilyRelation

BASE: dict[str, Any] = {
    "symcook family": 1, "name": "base", "sizes": {"S": "1 <= S", "D": "0 <= D"}, "longest": "8",
    "tables": {"all q in 1..S. all a in 1..S. next(q, a)": {
        "values": "Int", "where": ["all q in 1..S. all a in 1..S. 1 <= next(q, a) & next(q, a) <= S"]}},
    "choices": {"ties": ["leftmost", "rightmost"]},
    "space": ["all c in 1..S. is(c)", "all c in 1..S. before(c)", "one", "sum_"],
    "embedding": {"vocabulary": "S", "words": {"all c in 1..S. is(c)": "I[w = c - 1]"}, "positions": {"one": "1"}},
    "layers": [
        {"attention": [{"score": "sum(e, 1, S, is(e)*before(e))", "mask": "strict-future", "weighting": "ties",
                        "writes": {"all c in 1..S. before(c)": "sum(a, 1, S, I[next(c, a) = c]*is(a))"}}]},
        {"for": "t in 1..D", "layers": [{"feedforward": {"sum_": "relu(sum(c, 1, S, before(c)) - t) - 2*relu(sum_)"}}]},
    ],
    "readout": {"kind": "largest", "position": "each", "scores": "all c in 1..S. before(c)"},
}  # fmt: skip
SETTINGS = {"S": "2", "D": "1", "next": "1 2 2 1"}
OTHERS: tuple[Any, ...] = (
    None, True, 7, -1, "", " ", "x y", "1 +", [], [[]], [1], {}, {"a": 1}, "all", "n", "is", "1/0", "é", "x" * 300,
)  # fmt: skip


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document."""
    if isinstance(document, (dict, list)):
        for key, part in document.items() if isinstance(document, dict) else enumerate(document):
            yield (*path, key)
            yield from places(part, (*path, key))


def put(document: Any, path: tuple[Any, ...], value: Any, remove: bool = False) -> Any:
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


def files() -> Iterator[tuple[str, Any]]:
    """Each place of the file left out, filled with something of another kind, or with a key beside it."""
    for path in places(BASE):
        yield f"no {path}", put(BASE, path, None, remove=True)
        for other in OTHERS:
            yield f"{path} {other!r:.40}", put(BASE, path, other)
        if isinstance(path[-1], str):
            yield f"{path} twice", put(BASE, (*path[:-1], path[-1] + " "), 1)


def test_every_place_of_a_file_may_hold_anything() -> None:
    """A family, or one sentence; and where it is a family, so are its relation and its text."""
    refused = families = 0
    for what, made in files():
        try:
            read = Family(made)
        except BadInput as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 600, what
            assert "; given: " in str(error), (what, str(error))
            continue
        families += 1
        assert FamilyRelation(read).run(), what
    assert refused > 800 and families > 40, (refused, families)


BEYOND = 10**5000  # Python writes no integer of so many digits
IN_PYTHON: list[tuple[str, tuple[Any, ...], Any]] = [
    ("a form must be text; given: a float", ("embedding", "positions", "one"), 0.5),
    ("the space must be a list; given: a tuple", ("space",), ("x",)),
    ("a family must have version 1; given: a float", ("symcook family",), 1.0),
    ("a family must have version 1; given: a number", ("symcook family",), BEYOND),
    ("a whole number in a family must have at most 18 digits; given: a number with too many", ("longest",), BEYOND),
    ("positions must be numbered from 0 or 1; given: null", ("embedding", "start"), None),
    ("a head must have a mask of none, future,", ("layers", 0, "attention", 0, "mask"), BEYOND),
    ("the position of a readout largest must be one of first, last, each; given: a n", ("readout", "position"), BEYOND),
    ("a key of what is written must be text; given: a number", ("embedding", "words", 7), "1"),
    ("a key of a family must be text; given: null", (None,), "1"),
]  # fmt: skip


def test_a_document_of_python_is_refused_as_a_file_is() -> None:
    """What no file can hold: floats, tuples, keys that are no text, integers of thousands of digits."""
    for sentence, path, value in IN_PYTHON:
        with pytest.raises(BadInput) as error:
            Family(put(BASE, path, value))
        assert str(error.value).startswith(sentence), str(error.value)


def texts(pairs: dict[str, Any], *path: Any) -> list[tuple[str, Any]]:
    return [(sentence, put(BASE, path, value)) for sentence, value in pairs.items()]


HEAD = ("layers", 0, "attention", 0)
SENTENCES: list[tuple[str, Any]] = [
    *texts({"the name of a family must be of letters, digits and -; given: nothing": "",
            "the name of a family must be of letters, digits and -; given: a b": "a b",
            "the name of a family must be of letters, digits and -; given: ../x": "../x"}, "name"),
    *texts({"layers must not be empty": [], "layers must be a list; given: an object": {}}, "layers"),
    *texts({"the space must not be empty": [], "a declaration must be text; given: a number": [1]}, "space"),
    ('a family must have the key "space"; given: symcook family, name, sizes,', put(BASE, ("space",), 0, remove=True)),
    ("the key of a family must be a known name; given: spaces; did you mean space?", {**BASE, "spaces": []}),
    ("a range must not be empty for all parameter values; given: all c in 2..1. more(c)",
     put(BASE, ("space",), [*BASE["space"], "all c in 2..1. more(c)"])),
    ("a range must not be empty for all parameter values; given: t in 1..0",
     put(BASE, ("layers", 1, "for"), "t in 1..0")),
    ("the layers of a repetition must not be empty", put(BASE, ("layers", 1, "layers"), [])),
    ("an index, end or weight must not read a coordinate; given: 1 <= S & one = 3",
     put(BASE, ("sizes", "S"), "1 <= S & one = 3")),
    ("an index, end or weight must not read a coordinate; given: 8*one", put(BASE, ("longest",), "8*one")),
    ("a weight must use sizes, tables, indices and coordinates; given: i", put(BASE, (*HEAD, "scale"), "i")),
    ("a weight must use sizes, tables, indices and coordinates; given: w", put(BASE, (*HEAD, "temperature"), "w")),
    ("an index, end or weight must not read a coordinate", put(BASE, (*HEAD, "temperature"), "one")),
    ("a choice must be of masks", put(BASE, ("choices", "ties"), ["leftmost", "future"])),
    ("a choice must be of masks", put(BASE, ("choices", "ties"), ["nearest"])),
    ("the choice ties must not be empty", put(BASE, ("choices", "ties"), [])),
    ("a weight must use functions of the grammar and declared tables; given: floor(i/2); give it as a table",
     put(BASE, ("embedding", "positions", "one"), "floor(i/2)")),
    ("a weight must use functions of the grammar and declared tables; given: next(c)",
     put(BASE, (*HEAD, "writes"), {"all c in 1..S. before(c)": "next(c)*is(c)"})),
    ("a form must be linear; given: one*sum_", put(BASE, (*HEAD, "writes"), {"all c in 1..S. before(c)": "one*sum_"})),
    ("a whole number in a family file must have at most 18 digits", 10**30),
    ("a write must name the indices of a coordinate as the declaration in the space does; given: all e in 1..S. before",
     put(BASE, (*HEAD, "writes"), {"all e in 1..S. before(e)": "sum(c, 1, S, is(c))"})),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(SENTENCES)))
def test_the_sentence_names_what_is_wrong(case: int) -> None:
    sentence, made = SENTENCES[case]
    with pytest.raises(BadInput) as error:
        loads(json.dumps(made))
    assert str(error.value).startswith(sentence), str(error.value)


VALUES: list[dict[str, str]] = [
    {}, {"S": "2"}, {**SETTINGS, "S": "0"}, {**SETTINGS, "S": "-1"}, {**SETTINGS, "S": "two"}, {**SETTINGS, "S": "2.5"},
    {**SETTINGS, "S": "1/2"}, {**SETTINGS, "S": ""}, {**SETTINGS, "S": "9" * 30}, {**SETTINGS, "S": "9" * 17},
    {**SETTINGS, "D": "9" * 17}, {**SETTINGS, "D": "100000000"}, {**SETTINGS, "S": "3000"}, {**SETTINGS, "next": "1 2"},
    {**SETTINGS, "next": "1 2 2 3"}, {**SETTINGS, "next": "1 2 2 0"}, {**SETTINGS, "next": "1 2 2 1/2"},
    {**SETTINGS, "next": "1 2 2 x"}, {**SETTINGS, "next": ""}, {**SETTINGS, "next": "1 2 2 1 1"},
    {**SETTINGS, "next": "nothere.json"}, {**SETTINGS, "next": "1 2 2 " + "9" * 5000}, {**SETTINGS, "Q": "3"},
    {**SETTINGS, "ties": "average"}, {**SETTINGS, "ties": ""}, {**SETTINGS, "i": "1"}, {**SETTINGS, "before": "1"},
]  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("command", ["new", "run", "check", "prove", "show"])
def test_values_that_it_does_not_have_are_one_sentence_in_every_command(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "base.json"
    file.write_text(json.dumps(BASE))
    ends = {"new": ("-o", tmp_path / "m.json"), "run": ("--input", "0"), "check": ("--max-length", "2")}
    for values in VALUES:
        given = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
        if not given and command in ("prove", "show"):
            continue  # these are about all sizes
        code, out, err = call(capsys, command, file, *given, *ends.get(command, ()))
        assert code == 2 and not out and err.count("\n") == 1 and "defect" not in err, (values, code, err)
    code, _, err = call(capsys, "new", file, *[p for k, v in SETTINGS.items() for p in ("--set", f"{k}={v}")],
                        "-o", tmp_path / "m.json")  # fmt: skip
    assert code == 0, err


TABLES = ["{", "1", '"x"', "[1, 2]", "[[1, 2], [2, 0.5]]", '{"1": 1}', '{"1, 1": 1}', '{"a, b": 1}',
          "[[1, 2], [2, null]]", "[[1, 2], [2, true]]", "[" * 5000,
          '{"1, 1": 1, "1, 2": 1, "2, 1": 1, "2, 2": {}}']  # fmt: skip


@pytest.mark.parametrize("text", TABLES)
def test_tables_in_files_that_are_none(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, table = tmp_path / "base.json", tmp_path / "next.json"
    file.write_text(json.dumps(BASE))
    table.write_text(text)
    code, out, err = call(capsys, "run", file, "--set", "S=2", "--set", "D=1", "--set", f"next={table}", "--input", "0")
    assert code == 2 and not out and err.count("\n") == 1 and "defect" not in err, err


KINDER: list[tuple[str, Callable[[dict[str, Any]], Any], Callable[[dict[str, Any]], Any]]] = [
    ("usual values left out", lambda d: None,
     lambda d: (d.update(tables={}, choices={}), d["embedding"].update(words=None, vocabulary=None))),
    ("a condition without a list",
     lambda d: d.update(tables={"all r in 1..S. g(r)": {"values": "Int", "where": "0 = 0"}}),
     lambda d: d.update(tables={"all r in 1..S. g(r)": {"values": "Int", "where": ["0 = 0"]}})),
    ("a table by its sort", lambda d: d.update(tables={"all r in 1..S. g(r)": "Real"}),
     lambda d: d.update(tables={"all r in 1..S. g(r)": {"values": "Real"}})),
    ("numbers as numbers", lambda d: (d.update(longest=8), d["layers"][0]["attention"][0].update(scale=2)),
     lambda d: (d.update(longest="8"), d["layers"][0]["attention"][0].update(scale="2"))),
    ("one head without a list", lambda d: d["layers"][0].update(attention=d["layers"][0]["attention"][0]),
     lambda d: None),
    ("other indices than those of the declaration",
     lambda d: (d["space"].append("all c in 1..S. many(c)"), d["layers"][0]["attention"][0].update(
         writes={"all e in 1..S. many(e)": "e*x"}, score="x*(e*x)")),
     lambda d: (d["space"].append("all c in 1..S. many(c)"), d["layers"][0]["attention"][0].update(
         writes={"all c in 1..S. many(c)": "c*x"}, score="x*(c*x)"))),
    ("a constant in a form", lambda d: d["layers"][0]["attention"][0]["writes"].update(seen="x - 1/2"),
     lambda d: d["layers"][0]["attention"][0]["writes"].update(seen="x - 1/2*one")),
    ("a constant in a factor", lambda d: d["layers"][0]["attention"][0].update(score="x*(x + S)"),
     lambda d: d["layers"][0]["attention"][0].update(score="x*(x + S*one)")),
    ("a constant in a score", lambda d: d["layers"][0]["attention"][0].update(score="x*x - 3"),
     lambda d: d["layers"][0]["attention"][0].update(score="x*x - one*(3*one)")),
    ("a score of one form", lambda d: d["layers"][0]["attention"][0].update(score="x"),
     lambda d: d["layers"][0]["attention"][0].update(score="one*x")),
    ("a factor of a score", lambda d: d["layers"][0]["attention"][0].update(score="2*(x*x - x*one)/S"),
     lambda d: d["layers"][0]["attention"][0].update(score="2*(x/S)*x - 2*(x/S)*one")),
]  # fmt: skip
SMALL: dict[str, Any] = {
    "symcook family": 1, "name": "small", "sizes": {"S": "1 <= S"}, "space": ["x", "one", "seen"],
    "embedding": {"inputs": ["x"], "positions": {"one": "1"}},
    "layers": [{"attention": [{"score": "x*x", "mask": "none", "weighting": "softmax", "writes": {"seen": "x"}}]}],
    "readout": {"kind": "value", "position": "each", "reads": ["seen"]},
}  # fmt: skip


@pytest.mark.parametrize("case", range(len(KINDER)))
def test_a_kinder_spelling_is_the_plain_one(case: int) -> None:
    what, kind, plain = KINDER[case]
    made = [copy.deepcopy(SMALL), copy.deepcopy(SMALL)]
    kind(made[0])
    plain(made[1])
    first, second = (FamilyRelation(Family(one)) for one in made)
    assert (first.run(), first.premises()) == (second.run(), second.premises()), what
    assert first.run() == FamilyRelation(PlainFamily(Family(made[0]).document)).run()


def test_shipped_families_are_written_plainly() -> None:
    """Theorems read them without the kinder spellings."""
    for name in SHIPPED:
        document = json.loads((FAMILIES / f"{name}.json").read_text())
        plain, read = FamilyRelation(PlainFamily(document)), FamilyRelation(Family(document))
        assert (plain.run(), plain.premises(), plain.names) == (read.run(), read.premises(), read.names), name
    assert all(Family(one).document for one in OWN.values())


def test_a_score_that_sums_over_the_index_of_its_writes_is_refused() -> None:
    document = {
        "symcook family": 1, "name": "twice", "sizes": {"N": "0 <= N"}, "tables": {},
        "space": ["one", "all c in 1..N. x(c)", "all c in 1..N. y(c)"],
        "embedding": {"vocabulary": "N + 1", "words": {"all c in 1..N. x(c)": "I[w = c - 1]"},
                      "positions": {"one": "1"}},
        "layers": [{"attention": [{"score": "sum(c, 1, N, one*x(c))", "mask": "future", "weighting": "average",
                                   "writes": {"all c in 1..N. y(c)": "x(c)"}}]}],
        "readout": {"kind": "value", "position": "last", "reads": ["all c in 1..N. y(c)"]},
    }  # fmt: skip
    with pytest.raises(BadInput, match=r"must sum over an index of its own.*; given: c in sum\(c, 1, N"):
        Family(document)
    document["layers"][0]["attention"][0]["score"] = "sum(d, 1, N, one*x(d))"  # type: ignore[index]
    assert Family(document).name == "twice"
