"""Bridges: a certificate that a model is an instance of its family, refused for whatever is none."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest
from checkout import ROOT
from proof.family_cases import COUNTING, FAMILIES, OPERATORS, OWN, SHIPPED, UNSTORED, case, family
from proof.stored import second, verdict

from symcook.errors import BadInput, Rejected
from symcook.model.family import MASKS, WEIGHTINGS, Family
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.proof import kernel, replay, terms
from symcook.proof.bridges.bridge import Bridge, Unbridged, checked
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import Relation, stored_model
from symcook.proof.search import limits
from symcook.proof.search.tactics import Stuck
from symcook.proof.statements import certify

SIZES: dict[str, dict[str, Any]] = {
    "boolean": {"m": 2, "M": 3, "xi": "0 0 0 1 1 1", "phi": "1 1 1"},
    "cpwl": {"P": 3, "xs": "1 2 3 5", "ys": "2 3 2 5", "m": "1 -1 3/2"},
    "dyck-k-d": {"K": 2, "D": 2},
    "induction-most-recent": {"S": 3},
    "induction-most-frequent": {"S": 2},
    "lookup-one-hot": {"N": 3},
    "max": {"K": 3},
    "since-until": {
        "L": 4,
        "S": 2,
        "scaled": 0,
        "op": "0 0 4 5",
        "letter": "1 0 1 0",
        "left": "1 1 1 2",
        "right": "1 1 2 3",
    },
    # of this one some weights may be others: a decoder of one state never reads them
    "automaton": {"K": 1, "S": 1, "first": 1, "R": 3, "delta": "1", "final": "1"},
    "automaton-run": {"K": 1, "S": 1, "first": 1, "R": 3, "delta": "1", "final": "1"},
    "automaton-nonstrict": {"K": 1, "S": 1, "first": 1, "R": 3, "delta": "1", "final": "1"},
    "automaton-no-start": {"K": 1, "S": 1, "first": 1, "R": 2, "delta": "1", "final": "1"},
    "since": {"L": 3, "S": 2, "scaled": 1, "op": "0 0 4", "letter": "0 1 0", "left": "1 1 2", "right": "1 1 1"},
    "temporal": {"L": 3, "S": 2, "scaled": 1, "op": "0 7 6", "letter": "1 0 0", "left": "1 1 2", "right": "1 1 1"},
    "temporal-past": {"L": 2, "S": 2, "scaled": 0, "op": "0 6", "letter": "1 0", "left": "1 1", "right": "1 1"},
    "counting": {
        "L": 2,
        "S": 2,
        "N": 1,
        "Lambda": 2,
        "scaled": 1,
        "op": "0 10",
        "letter": "1 0",
        "left": "1 1",
        "right": "1 1",
        "theta": "0 0 0 0 0 0 1 1",
        "lam": "0 0 1 0",
        "rho": "0 0 -1 0",
        "bound": "0 0",
    },
    "counting-past": {
        "L": 2,
        "S": 2,
        "N": 1,
        "Lambda": 1,
        "op": "8 11",
        "letter": "1 0",
        "left": "1 1",
        "right": "1 1",
        "theta": "0 0 0 1 0 0 0 0",
        "lam": "0 0 1 0",
        "bound": "0 -1",
    },
    "logic": {
        "L": 2,
        "S": 2,
        "N": 1,
        "Lambda": 1,
        "scaled": 1,
        "op": "0 6",
        "letter": "1 0",
        "left": "1 1",
        "right": "1 1",
        "theta": "0 0 0 0 0 0 0 0",
        "lam": "0 0 0 0",
        "rho": "0 0 0 0",
        "bound": "0 0",
    },
    "logic-past": {
        "L": 2,
        "S": 2,
        "N": 1,
        "Lambda": 1,
        "op": "0 4",
        "letter": "1 0",
        "left": "1 1",
        "right": "1 1",
        "theta": "0 0 0 0 0 0 0 0",
        "lam": "0 0 0 0",
        "bound": "0 0",
    },
    "min": {"K": 3},
    "identity": {"d": 2},
    "network": {"d": 2, "h": 2, "e": 1, "W": "1 2 -1 3", "b": "1 -2", "V": "2 -1", "c": "1"},
    "relu-network": {"L": 2, "m": 2, "A": "1 -2", "W": "3 1 -1 2", "b": "0 1 -1 1/2", "V": "2 -1", "c": "1"},
    "copies": {"d": 2, "h": 2, "W": "1 -2", "b": "3 1", "V": "2 -1"},
    "boolean-signs": {"m": 3, "M": 2, "xi": "0 0 1 1 0 1", "phi": "1 1"},
    "count": {"S": 2},
    "attention-identity": {"d": 2, "h": 1, "Q": "1 2", "W": "3 -1"},
    "lookup-quadratic": {"gamma": "1/2"},
    "lookup-almost-orthogonal": {"N": 2, "m": 2, "c": 2, "eps": "1/4", "X": "1 0 0 1"},
    "induction-by-term": {"S": 2, "term": "1", "beta": "2"},
    "tie-break": {"d": 2, "h": 1, "gamma": "1/3", "side": 1, "Q": "1 2", "W": "3 -1"},
    "turing": {
        "Q": 2,
        "S": 1,
        "G": 1,
        "K": 1,
        "R": 2,
        "first": 1,
        "final": "0 1",
        "from": "1 1",
        "to": "1 2",
        "read": "1 0 0 0",
        "print": "0 0 1 1",
        "move": "1 1 1 -1",
    },
    "turing-no-start": {
        "Q": 2,
        "S": 1,
        "G": 1,
        "K": 1,
        "R": 1,
        "first": "1",
        "final": "0 1",
        "from": "1",
        "to": "2",
        "read": "0 0",
        "print": "0 1",
        "move": "1 -1",
    },
}


def bridge(read: Family, values: dict[str, Any], document: Any = None, name: str = "bridge.tried") -> Bridge:
    return Bridge(read, Instance(read, values), document or to_document(instance(read, values)), name)


OWN_SIZES: dict[str, dict[str, Any]] = {
    "soft": {"S": 2},
    "ends": {"S": 2},
    "rounds": {"D": 2, "E": 1},
    "table": {"Q": 2, "S": 2, "delta": "1 2 2 1"},
    "before": {"S": 2},
    "behind": {"S": 2},
    "heads": {"H": 2, "slope": "1 2"},
}


@cache
def usual_bridge(name: str) -> tuple[dict[str, Any], Any]:
    """The certificate of the instance above, and its verdict."""
    return checked(bridge(family(name), (SIZES | OWN_SIZES)[name]))


@pytest.mark.layer_one(0, 9, 17, 26, 27, 28)
@pytest.mark.parametrize("name", sorted(SIZES | OWN_SIZES))
@pytest.mark.layer_two(every=11)
def test_an_instance_is_bridged_to_its_family(name: str) -> None:
    certificate, verdict = usual_bridge(name)
    assert verdict.status == "PROVED" and {"defined", "inhabited"} <= certificate.keys()
    assert all(lemma.startswith("lem.") for lemma in certificate["lemmas"])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("induction-most-recent", lambda r: r["weights"][0].__setitem__(1, "-1")),
        ("induction-most-recent", lambda r: r.update(reads=r["reads"][::-1])),
        ("induction-most-recent", lambda r: r.update(labels=r["labels"][::-1])),
        ("rounds", lambda r: r.update(reads=r["reads"][:1])),
        ("rounds", lambda r: r.update(position="last")),
        ("ends", lambda r: r["weights"][0].__setitem__(0, "3")),
        ("dyck-k-d", lambda r: r.update(reads=["left"])),
    ],
)
def test_a_model_that_answers_otherwise_has_no_bridge(name: str, change: Any) -> None:
    read, values = family(name), (SIZES | OWN_SIZES)[name]
    document = copy.deepcopy(to_document(instance(read, values)))
    change(document["readout"])
    with pytest.raises(Unbridged):
        bridge(read, values, document).certificate()


def test_what_more_than_computation_would_show_is_said() -> None:
    """A head whose score is zero at these values is written without scores in the instance."""
    with pytest.raises(Unbridged, match=r"heads at H = 2, slope = 0 2 must have equations .* by computation alone;"):
        bridge(family("heads"), {"H": 2, "slope": "0 2"}).certificate()


def test_a_relation_that_is_too_long_for_the_checker_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_SIZE", 600)
    with pytest.raises(BadInput, match=r"at S = 4 must have equations that the checker accepts; given: .*exceeds 600"):
        bridge(family("induction-most-recent"), {"S": 4}).certificate()


@pytest.mark.sweep
def test_a_long_relation_has_a_bridge_whose_equations_are_merged() -> None:
    made = bridge(family("induction-most-recent"), {"S": 62})  # the smallest with so many equations
    assert made.long and len(made.text) < 5_000 and checked(made)[1].status == "PROVED"


def test_a_bridge_may_take_longer_than_a_certificate_that_was_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the processor: hours may pass by the clock while other programs are at work."""
    made = bridge(family("dyck-k-d"), {"K": 3, "D": 2})
    with pytest.raises(Rejected, match="exceeds the time limit"):
        limits.judged(made.statement, made.certificate(), 0.0)
    hours = count(0, 3600)
    monkeypatch.setattr(terms, "time", SimpleNamespace(monotonic=lambda: next(hours)))
    assert checked(made)[1].status == "PROVED" and next(hours) > 3 * 3600 and limits.JUDGING > kernel.SECONDS


def test_the_second_checker_accepts_a_bridge_of_ones_own(tmp_path: Path) -> None:
    made = bridge(family("dyck-k-d"), {"K": 3, "D": 2}, name="bridge.own")
    certificate, _ = checked(made)
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "bridge.own.json").write_text(json.dumps(certificate))
    (tmp_path / "expanded.txt").write_text(certify.expanded(made.statement, certificate))
    assert any("PROVED" in line for line in second(tmp_path / "expanded.txt", tmp_path / "certificates"))


def test_a_bridge_says_that_the_words_are_the_same() -> None:
    """A model with two kinds of brackets is a run of the family with three, as words with fewer letters are words: only
    word(F) -> word(M) fixes the size."""
    made = bridge(family("dyck-k-d"), {"K": 2, "D": 2})
    word = r"\(all i in 1\.\.n\. 0 <= w\(i\) & w\(i\) <= 2\*2 - 1\)"
    assert re.search(word + r" -> \(all i in 1\.\.n\. w\(i\) = 0 \| ", made.statement.text)
    document = to_document(instance(family("dyck-k-d"), {"K": 2, "D": 2}))
    with pytest.raises(Unbridged, match=r"at K = 3, D = 2 must have 6 tokens; given: 4 in dyck-k-d\."):
        bridge(family("dyck-k-d"), {"K": 3, "D": 2}, document)
    with pytest.raises(Unbridged, match=r"at K = 2, D = 3 must have 9 blocks; given: 6 in dyck-k-d\."):
        bridge(family("dyck-k-d"), {"K": 2, "D": 3}, document)


def numbers_of(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the weights of a document stand."""
    if isinstance(document, (dict, list)):
        for key, part in document.items() if isinstance(document, dict) else enumerate(document):
            if key in ("symcook", "name", "source", "space", "reads", "writes", "mask", "weighting", "labels", "kind"):
                continue
            yield from numbers_of(part, (*path, key))
    elif isinstance(document, str) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", document) and "scale" not in path:
        yield path


TURING = {"turing", "turing-no-start"}
SLOW = {
    "since-until", "since", "temporal", "temporal-past", "counting", "counting-past", "logic", "logic-past", "turing",
    "turing-no-start",
}  # fmt: skip
"""Many near misses of these files take minutes."""


def weight(document: Any, path: tuple[Any, ...]) -> str:
    for key in path:
        document = document[key]
    return document


def looks_for_nothing(document: Any, path: tuple[Any, ...]) -> bool:
    """Whether a weight is of the scores of a head that adds nothing: one of a line that has no use for it."""
    if "attention" not in path or path[-3] not in ("Q", "K"):
        return False
    values = weight(document, path[:-3])["V"]  # type: ignore[index]
    return all(number == "0" for row in values for number in row)


@pytest.mark.layer_one(10)
@pytest.mark.parametrize("name", sorted((SIZES | OWN_SIZES).keys() - TURING))  # test_turing_family.py has its own
@pytest.mark.layer_two(every=6)
def test_each_changed_weight_is_named(name: str) -> None:
    read, values = family(name), (SIZES | OWN_SIZES)[name]
    document = to_document(instance(read, values))
    places = [p for p in numbers_of(document) if p[0] in ("embedding", "layers") and p[-1] != "temperature"]
    if name in SLOW:  # of the many weights those that are there
        places = [p for p in places if weight(document, p) != "0" and not looks_for_nothing(document, p)]
    assert len(places) > 3
    said = Relation(document).run()
    for path in places[:: max(1, len(places) // (3 if name in SLOW or name.startswith("automaton") else 6))]:
        edited = copy.deepcopy(document)
        at = edited
        for key in path[:-1]:
            at = at[key]
        sign = 1 if path[-1] == "epsilon" else -1
        at[path[-1]] = str(sign * (int(at[path[-1]].partition("/")[0]) + 3))  # hard scores times 2 are the same
        if Relation(edited).run() == said:  # a query of a head without keys
            continue
        start = time.process_time()
        with pytest.raises(Unbridged) as error:
            bridge(read, values, edited).certificate()
        assert time.process_time() - start < 3, path
        assert "must have its weights" in str(error.value) and "where the family has" in str(error.value)
        assert str(path[-1] + 1 if isinstance(path[-1], int) else path[-1]) in str(error.value)


INDEX = re.compile(r"(?<!sum)(?:\(|, |= )[a-z](?=[,)\]])")
"""An index in the place of an argument, or at the end of a comparison."""
END = re.compile(r"sum\(\w+, [^,]+, ([^,]+),")
"""The end of a sum."""


PREDICATES = ("sum(p, 0", "sum(p, 0, N*(N + 2")
"""The ends of a sum over a table of predicates may be further in, or out: n*(N + 1) + i and one less are never 0, nor
more than N*(N + 2)."""


def near_misses(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The family's file with one thing changed: a mask, a weighting, a number, a sign, an activation, an index (one
    further), the end of a range."""
    whole = OWN[name] if name in OWN else json.loads((FAMILIES / f"{name}.json").read_text())

    def texts(part: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if isinstance(part, (dict, list)):
            for key, one in part.items() if isinstance(part, dict) else enumerate(part):
                yield from texts(one, (*path, key))
        elif isinstance(part, str):
            yield path

    def with_text(path: tuple[Any, ...], text: str) -> dict[str, Any]:
        made = copy.deepcopy(whole)
        at = made
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = text
        return made

    for top in ("embedding", "layers"):
        for path in texts(whole[top], (top,)):
            at: Any = whole
            for key in path:
                at = at[key]
            if path[-1] in ("placement", "zero_variance"):
                continue
            if path[-1] in ("mask", "weighting"):
                options = MASKS if path[-1] == "mask" else WEIGHTINGS
                usual = whole.get("choices", {}).get(at, [at])[0]
                head: Any = whole
                for key in path[:-1]:
                    head = head[key]
                for other in options:
                    alike = head["score"] == "0" and {usual, other} == {"average", "softmax"}  # both are the mean
                    if other != usual and not alike:
                        yield f"{path} {other}", with_text(path, other)
            elif path[-1] != "for":
                for number in re.finditer(r"\b[0-9]+\b", at):
                    a, b = number.span()
                    if at[:b].endswith(PREDICATES):
                        continue
                    yield f"{path} {at} at {a}", with_text(path, at[:a] + str(int(number[0]) + 1) + at[b:])
                for found in INDEX.finditer(at):
                    a, b = found.span()
                    yield f"{path} {at} at {a}", with_text(path, f"{at[:b]} + 1{at[b:]}")
                for found in END.finditer(at):
                    a, b = found.span(1)
                    yield f"{path} {at} at {a}", with_text(path, f"{at[:a]}({found[1]} - 1){at[b:]}")
                for found in re.finditer(r"relu\(-?", at):  # twice as much, and the other side
                    a, b = found.span()
                    yield f"{path} {at} at {a}", with_text(path, f"{at[:a]}2*{at[a:]}")
                    other = "relu(" if "-" in found[0] else "relu(-1*"
                    yield f"{path} {at} at {b}", with_text(path, f"{at[:a]}{other}{at[b:]}")
                for sign in re.finditer(r" [-+] ", at):
                    a, b = sign.span()
                    other = " - " if "+" in sign[0] else " + "
                    yield f"{path} {at} at {a}", with_text(path, at[:a] + other + at[b:])


def relation(read: Family) -> str:
    made = FamilyRelation(read)
    return made.run() + ("" if read.vocabulary is None else made.word())


def test_every_family_that_ships_is_here() -> None:
    assert {*SHIPPED} <= {*SIZES} and {*OWN} == {*OWN_SIZES}


def readable(misses: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, Family]]:
    """Those near misses that are files of a family, with what was changed."""
    for what, changed in misses:
        try:
            other = Family(changed)
        except BadInput:
            continue
        yield what, other


AUTOMATA = ("automaton", "automaton-no-start", "automaton-nonstrict", "automaton-run")
"""Whose files have most in common: of the bridges of near misses each has a sixteenth, another one each. Of the other
files with many near misses every second one is tried."""


@pytest.mark.layer_one(10, 15)
@pytest.mark.parametrize("name", sorted((SIZES | OWN_SIZES).keys() - SLOW))
@pytest.mark.layer_two(every=10)
def test_a_near_miss_of_a_file_has_another_relation_and_no_bridge(name: str) -> None:
    read, values = family(name), (SIZES | OWN_SIZES)[name]
    document, said = to_document(instance(read, values)), relation(read)
    misses, wrong = [*readable(near_misses(name))], list[str]()
    wrong += [f"the same relation: {what}" for what, other in misses if relation(other) == said]
    for what, other in misses[AUTOMATA.index(name) :: 16] if name in AUTOMATA else misses[:: 1 + (len(misses) > 40)]:
        try:
            checked(bridge(other, values, document))
            wrong.append(f"bridged: {what}")
        except (BadInput, Rejected, Stuck):
            pass
    assert len(misses) >= 3 and not wrong, wrong


ROWS: dict[str, Any] = {
    "L": 3,
    "letter": "1 0 1",
    "theta": "0 0 1 1 0 1 1 0 0 1 0 1",
    "lam": "0 0 0 2 1 0 1 -1 2",
    "rho": "0 0 0 1 2 0 -1 1 1",
    "bound": "2 -1 1",
    "Lambda": 4,
}
"""Tables of three lines of which no row is on a line: the function of one that is has no end, so that where it has the
same value at each number an index one further is not noticed."""
CHAIN = {"left": "3 1 1", "right": "1 1 2"}
"""The operands: of the second line the first, twice, of the third both. Nothing reads those of a first line that is a
letter, but a table of one value would hide an index one further."""


def programs(name: str) -> list[dict[str, Any]]:
    """Instances of a family of programs in which each operator and each kind of score occurs: no formula and no machine
    uses all of them. Two operators each: every operator stands in a line whose operands are one line, in another
    instance in one whose operands are two."""
    usual = SIZES[name]
    if name in TURING:
        rng = random.Random(name)
        return [usual, *(case(name, rng)[0] for _ in range(5))]
    first = [usual | {"scaled": k} for k in (0, 1)] if "scaled" in usual else [usual]
    rows = usual | {key: row for key, row in ROWS.items() if key in usual}
    ops = [*(COUNTING | OPERATORS)[name]]
    pairs = [*zip(ops, [*ops[1:], ops[0]], strict=True)]
    return [*first, *(rows | CHAIN | {"op": f"0 {one} {two}"} for one, two in [*pairs[::2], *pairs[1::2]])]


@cache
def document_of(name: str, number: int) -> Any:
    return to_document(instance(family(name), programs(name)[number]))


@cache
def bridged(name: str, number: int) -> tuple[dict[str, Any], Any] | None:
    """One of these instances with its model, where it has a bridge to the family itself."""
    values = programs(name)[number]
    try:
        if values == SIZES[name]:
            usual_bridge(name)
        else:
            checked(bridge(family(name), values, document_of(name, number)))
    except (BadInput, Rejected, Stuck):
        return None
    return values, document_of(name, number)


def likely(name: str, what: str, other: Family) -> Iterator[int]:
    """All numbers of instances: first those whose weights a near miss changes, of these first those with the operator
    that is named before the change."""
    text, _, place = what.partition("') ")[2].rpartition(" at ")
    named = [one[1] for one in re.finditer(r"op\(f\) = (\d+)", text) if one.start() <= int(place)]

    def without(number: int) -> bool:
        return not named or named[-1] not in programs(name)[number].get("op", "").split()

    later = []
    for number in sorted(range(len(programs(name))), key=without):
        try:
            same = to_document(instance(other, programs(name)[number])) == document_of(name, number)
        except BadInput:
            same = True
        if same:
            later.append(number)
        else:
            yield number
    yield from later


def stays(name: str, what: str, changed: dict[str, Any]) -> str | None:
    """What is wrong where a near miss has the same relation, or a bridge from each of the instances."""
    try:
        other = Family(changed)
    except BadInput:
        return None
    if relation(other) == relation(family(name)):
        return f"the same relation: {what}"
    many = 0
    for number in likely(name, what, other):
        if (made := bridged(name, number)) is None:
            continue
        try:
            checked(bridge(other, *made))
            many += 1
        except (BadInput, Rejected, Stuck):
            return None
    return f"bridged from {many} instances: {what}"


ALIKE = {"0", "1", "2", "3"}
"""A letter and the connectives, which both files of logic write alike."""
PROGRAMS = [
    (name, number)
    for name in sorted(SLOW - TURING)
    for number in range(len(programs(name)) // 2 + 1)
    if number == 0
    or name == "logic"
    or (name == "logic-past" and not ALIKE.issuperset(programs(name)[number]["op"].split()))
]
"""In half of the instances that have two operators each there is every operator once. The two files of logic have all
operators, as the others write them."""


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "number"), PROGRAMS)
@pytest.mark.layer_two(every=15)
def test_each_of_these_instances_has_a_bridge(name: str, number: int) -> None:
    """So that no operator is left out, whose changes would go unnoticed."""
    assert bridged(name, number)


@pytest.mark.sweep
def test_each_operator_of_a_family_is_in_such_an_instance() -> None:
    for name, ops in (COUNTING | OPERATORS).items():
        last, taken = programs(name)[-1], set()
        for op in range(20):
            with contextlib.suppress(BadInput):
                taken |= {op} if Instance(family(name), last | {"op": f"0 0 {op}"}) else set()
        used = {int(op) for values in programs(name) for op in values["op"].split()}
        assert taken == used == {*ops}, name


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(SLOW))
@pytest.mark.layer_two(every=3)
def test_a_near_miss_of_a_file_of_programs_has_no_bridge_from_every_instance(name: str) -> None:
    """One of each file; all by `python tests/proof/test_bridges.py`."""
    assert bridged(name, 0)
    assert not stays(name, *random.Random(name).choice(list(near_misses(name))))


@cache
def own_misses() -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The near misses of the files of programs, each of the first file that has the changed text at a place of that
    kind: what the files say alike, FamilyRelation reads alike."""
    seen, out = set(), {}
    for name in sorted(SLOW, key=lambda name: (not name.startswith("logic"), name)):
        out[name] = []
        for what, changed in near_misses(name):
            place, _, text = what.partition(") ")
            if (kind := (re.sub(r"[0-9]+", "", place), text)) not in seen:
                seen.add(kind)
                out[name].append((what, changed))
    return out


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(SLOW))
@pytest.mark.layer_two(every=4)
def test_a_near_miss_of_a_file_of_programs_has_another_relation(name: str) -> None:
    """Every third of those that no file before it has; all by `python tests/proof/test_bridges.py`."""
    read, misses = relation(family(name)), own_misses()[name][::3]
    made = [(what, other) for what, other in readable(misses) if relation(other) == read]
    assert len(misses) >= 18 and not made, made


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "values", "equations"),
    [
        ("dyck-k-d", {"K": 2, "D": 4}, 48),
        ("dyck-k-d", {"K": 100, "D": 2}, 26),
        ("dyck-k-d", {"K": 2, "D": 20}, 224),
        ("lookup-one-hot", {"N": 64}, 129),
    ],
)
@pytest.mark.layer_two(every=2)
def test_large_bridges_take_seconds(name: str, values: dict[str, Any], equations: int) -> None:
    made = bridge(family(name), values)
    assert len(made.own.equations) == equations
    start = time.process_time()
    assert checked(made)[1].status == "PROVED"
    assert time.process_time() - start < (2 if equations <= 50 and values.get("K") == 2 else 10) * 3  # a busy machine


@pytest.mark.sweep
def test_a_theorem_about_a_family_has_a_bridge_to_a_stored_model() -> None:
    """Else its family might have no instance at all."""
    made = {one.id: one for one in replay.statements().values() if one.id.startswith("bridge.")}
    theorems = [
        one for one in replay.statements().values() if one.claim and one.id not in made and "(family-" in one.written
    ]
    false = {one.id for one in theorems if f"{one.id}.corrected" in replay.statements()}
    assert len(theorems) - len(false) >= 9
    for one in (one for one in theorems if one.id not in false):
        more = re.match(r"all [^.]*names\(family-", one.written) is None  # a part of a row that says more
        assert one.nontrivial or more, one.id
        of = set(re.findall(r"\brun\(family-([\w-]+)", one.written))
        assert more or len(of) == 1, one.id
        for name in of:
            sizes = family(name).sizes
            assert more or all(re.search(rf"\b{size}\b", one.nontrivial or "") for size in sizes), one.id
            assert name in UNSTORED or any(f"run(family-{name};" in other.written for other in made.values()), one.id
    assert {verdict(name).status for name in made} == {"PROVED"}
    assert {verdict(one.id).status for one in theorems if one.id not in false} == {"PROVED"}
    assert {verdict(name).status for name in false} <= {"CORRECTED"}


@pytest.mark.sweep
def test_the_stored_bridges_are_those_that_the_generator_makes(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.syspath_prepend(str(proofs_directory() / "scripts"))
    made = run_path(str(ROOT / "proofs" / "scripts" / "bridges.py"))
    for name, (of, model, values) in made["BRIDGES"].items():
        stated = replay.statements()[name]
        assert re.sub(r"\s+", " ", stated.written) == made["made"](name).text
        read = family(of)
        assert to_document(Instance(read, values).model(None, None))["layers"]
        assert stored_model(model)["name"] == model
    assert {of for of, _, _ in made["BRIDGES"].values()} == {*SHIPPED} - UNSTORED


def main(each: int = 1, seed: int = 0, *, names: Sequence[str] = ()) -> None:
    """Every so many near misses of these files (of all those of programs)."""
    for name in names or sorted(SLOW):
        start, misses = time.process_time(), list(near_misses(name))[seed::each]
        wrong = [said for miss in misses if (said := stays(name, *miss)) is not None]
        seconds = time.process_time() - start
        print(
            f"{name}: {len(misses)} mutated statements, {len(wrong)} of them bridged, {seconds:.0f} s",
            *wrong,
            sep="\n  ",
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), names=sys.argv[3:])
