"""Families: the relation at all sizes, its instances and their bridges.

What an instance computes satisfies two relations, that of the family at its sizes and the instance's own, which are
made by different walks; neither holds of anything near it. 2,000 runs by a command:

    python tests/proof/test_family_relation.py 2000 [SEED]
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from proof.family_cases import NAMES, OWN, SHIPPED, case, chosen, family
from proof.statement_truth import CONTEXT, evaluate, texts, truth
from proof.test_runrel import Recorded, conjuncts, environment, mentioned, programs

from symcook.errors import NoRun
from symcook.model.expr import parse_formula
from symcook.model.family import Family
from symcook.model.instance import Instance, instance, label
from symcook.model.modelfile import to_document
from symcook.proof.bridges.correspondence import RecordedFamily
from symcook.spec.languages import dyck_bounded


def ended(name: str, cell: tuple[int, ...]) -> str:
    """The model's name of a cell: of two norms in a layer that write one name the second has a _ behind."""
    plain = name.rstrip("_")
    return label(plain, cell) + name.removeprefix(plain)


class Run:
    """One instance with what forward computes on an input, in the words of both relations."""

    def __init__(self, read: Family, values: Mapping[str, Any], given: Any) -> None:
        self.family, self.at = read, Instance(read, values)
        self.model = instance(read, values)
        self.own = Recorded(to_document(self.model))
        self.far = RecordedFamily(read)
        trees = [parse_formula(one.everywhere) for one in self.far.definitions]
        self.written = [(tree, mentioned(tree)) for tree in trees]
        self.parts = cache(lambda text: [*conjuncts(parse_formula(text))])
        self.near, _, self.accept = environment(self.model, self.own, given)
        self.place = [()] if self.own.pointwise else [(i,) for i in self.near[next(iter(self.own.streams[0].values()))]]
        self.made: dict[str, dict[tuple[int, ...], Any]] = {fn: {} for fn in self.far.functions}
        self.called: dict[tuple[str, tuple[int, ...]], str] = {}
        self._streams()
        self._others()
        sizes = {size: self.at.env[size] for size in read.sizes}
        tables = {name: (lambda *at, f=f: f(*at)) if callable(f := self.at.env[name]) else f for name in read.tables}
        kept = {key: value for key, value in self.near.items() if key in ("n", "w") or callable(value)}
        self.env = {**kept, **sizes, **tables}

    def _value(self, own: str | None, place: tuple[int, ...]) -> Any:
        if own is None:
            return Fraction(0)
        return self.near[own][place[0]] if place else self.near[own]

    def _put(self, fn: str, key: tuple[int, ...], own: str | None) -> None:
        for place in self.place:
            value = self._value(own, place)
            assert self.made[fn].setdefault((*key, *place), value) == value, (fn, key)
        if own is not None:
            self.called[fn, key] = own

    def _streams(self) -> None:
        """The residual stream after each block, where a repetition has its rounds one after the other."""
        k, snaps = 0, []
        while k < len(self.far.streams):
            loop = self.far.streams[k][0]
            many = [held for over, held in self.far.streams[k:] if over is loop] if loop else [self.far.streams[k][1]]
            rounds = [{one.name: Fraction(t) for one, t in zip(loop, at, strict=True)} for at in self.at._cells(loop)]
            snaps += [(held, env) for env in rounds for held in many]
            k += len(many)
        assert len(snaps) == len(self.own.streams)
        for (held, env), names in zip(snaps, self.own.streams, strict=True):
            for x, (fn, first) in held.items():
                start = tuple(int(self.at.number(part, {**self.at.env, **env})) for part in first)
                for cell in self.at.cells[x]:
                    self._put(fn, (*start, *cell), names.get(label(x, cell)))
        for x, (fn, first), old in self.far.starts:
            at, was = (
                [int(self.at.number(p, self.at.env)) for p in held[1]] if held else [] for held in ((fn, first), old)
            )
            for cell in self.at.cells[x]:
                for place in self.place:
                    self.made[fn][*at, *cell, *place] = self.made[old[0]][*was, *cell, *place] if old else Fraction(0)

    def _others(self) -> None:
        """Values inside a layer, by their names: norms, and what one head adds."""
        for fn, sort in self.far.functions.items():
            many = sort.count("Int") - (not self.own.pointwise)
            if self.made[fn] or any(fn == held[0] for _, view in self.far.streams for held in view.values()):
                continue
            for cell in self._cells(fn, many):
                start, _, rest = fn.partition("_")
                head, _, name = rest.partition("_")
                own = ended(fn, cell)
                if start[0] == "z" and head.isdigit():  # what one head adds; of one head alone the stream has the value
                    many_heads = self.far_indices(fn) == "h"
                    before = int(self.at.env.get("H", 1)) - 1 if int(head) > 1 else 0
                    k, at = (cell[0], cell[1:]) if many_heads else (int(head) + before, cell)
                    own = f"{start}_{k}_{label(name, at)}"
                    own = own if own in self.near else label(name, at)
                self._put(fn, cell, self._norm(fn, cell) or own)

    def _norm(self, fn: str, cell: tuple[int, ...]) -> str | None:
        """Mean, deviation or value of a norm, which go by its layer: in a repetition, and behind one, by all rounds."""
        found = re.fullmatch(r"(mu|dev|y)(\d+)(_*|_.*)", fn)
        means = {one for one in self.far.functions if re.fullmatch(r"mu\d+", one)}
        rounds = {int(one[2:]): self._cells(one, 1) for one in means if self.far.functions[one].startswith("Int*Int")}
        if found is None or f"mu{found[2]}" not in means or not rounds:
            return None
        kind, number, rest = found[1], int(found[2]), found[3]
        if number in rounds:
            number, cell = number + len(rounds) * rounds[number].index(cell[:1]), cell[1:]
        elif number > max(rounds):
            number += len(rounds) * (len(rounds[max(rounds)]) - 1)
        return f"{kind}{number}{ended(rest, cell)}"

    def far_indices(self, fn: str) -> str:
        texts = [one.everywhere for one in self.far.definitions]
        equation = next(e for e in texts if f" {fn}(" in e.partition("=")[0] or f". {fn}(" in e)
        return equation.partition(" in ")[0][5:]

    def _cells(self, fn: str, many: int) -> list[tuple[int, ...]]:
        tree = next(tree for tree, names in self.written if fn in names)
        ranges = []
        while tree[0] == "all in" and len(ranges) < many:
            ranges.append(tree[1:4])
            tree = tree[4]
        cells: list[tuple[int, ...]] = [()]
        for _, low, high in ranges:
            ends = [int(self.at.number(end, self.at.env)) for end in (low, high)]
            cells = [(*cell, value) for cell in cells for value in range(ends[0], ends[1] + 1)]
        return cells

    def both(self, made: Mapping[str, Any], near: Mapping[str, Any], changed: tuple[str, str] | None = None) -> Any:
        """The truth of the family's relation and of the instance's."""
        out = []
        for text, env, name in (
            (self.far.run(), {**self.env, **made}, changed and changed[0]),
            (self.own.run(), {**near}, changed and changed[1]),
        ):
            which = [part for part in self.parts(text) if name is None or name in mentioned(part)]
            out.append(all(made(env, {}, None, None) for made in programs(which, env)))
        return tuple(out)

    def functions(self, made: Mapping[str, Any]) -> dict[str, Any]:
        return {fn: cells[()] if cells.keys() == {()} else _single(cells) for fn, cells in made.items()}


def _single(cells: Mapping[tuple[int, ...], Any]) -> dict[Any, Any]:
    return {key[0] if len(key) == 1 else key: value for key, value in cells.items()}


def agrees(name: str, rng: random.Random, changes: int = 3) -> int | None:
    """Both relations hold of a run at random, and neither with a value changed; how many changes were made, or None
    where a norm refuses the input."""
    read = family(name, chosen(name, rng))
    values, make = case(name, rng)
    try:
        run = Run(read, values, make())
    except NoRun:
        return None
    made = run.functions(run.made)
    assert run.both(made, run.near) == (True, True), (name, values, run.far.run())
    assert truth(parse_formula(run.far.premises()), run.env, {})
    if read.vocabulary is not None:
        assert truth(parse_formula(run.far.word()), run.env, {})
    if run.accept is not None and read.readout.position != "each":
        assert truth(parse_formula(run.far.accept()), {**run.env, **made}, {}) == run.accept
    fixed = {one.name for one in read.inputs}
    known = [(fn, key, own) for (fn, key), own in run.called.items() if fn not in fixed]
    done = 0
    for fn, key, own in rng.sample(known, min(changes, len(known))):
        place = rng.choice(run.place)
        value = run._value(own, place)
        near = value + (Fraction(1, 97) if isinstance(value, Fraction) else CONTEXT.mpf(1) / 97)
        cells = run.functions({fn: {**run.made[fn], (*key, *place): near}})
        other = {**run.near, own: near if not place else {**run.near[own], place[0]: near}}
        assert run.both({**made, **cells}, other, (fn, own)) == (False, False), (name, values, fn, key, own)
        done += 1
    return done


LARGE = {"turing", "turing-no-start", "logic", "logic-past", "counting", "temporal"}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.layer_two(every=3)
def test_an_instance_satisfies_both_relations_and_nothing_near_it_does(name: str) -> None:
    rng = random.Random(f"families {name}")
    assert sum(agrees(name, rng) or 0 for _ in range(1 if name in LARGE else 3)) >= (1 if name in LARGE else 3)


def offered(run: Run) -> dict[str, Any]:
    """What a statement about the family is evaluated at: sizes, tables, and what forward computes."""
    out: dict[str, Any] = {"n": [run.near["n"]]}
    if "w" in run.near:
        out["w()"] = [run.near["w"]]
    out |= {size: [run.at.env[size]] for size in run.family.sizes}
    for name, table in run.family.tables.items():
        cells = run.at._cells(table.over)
        out[f"{name}()" if table.over else name] = [
            _single({at: run.at.entry(name, at) for at in cells}) if table.over else run.at.entry(name, ())
        ]
    for fn, cells in run.functions(run.made).items():
        out[f"{fn}()" if isinstance(cells, dict) else fn] = [cells]
    return out


WRONG = {
    "lem.one_hot_lookup": ("= value(q)", "= value(q) + 1"),
    "family.lookup_one_hot_rightmost": ("= value(q)", "= value(i)"),
    "family.lookup_one_hot_leftmost": ("query(i) = q", "query(i) < q"),
    "lem.any_dyck": (", n, D)", ", n, D - 1)"),
    "cookbook.t3.induction": ("I[a = c]", "I[a = 1]"),
    "yang2026.thm16": ("left, right, f i", "right, left, f i"),
    "yang2026.thm20": ("c(L, f, i)", "c(L - 1, f, i)"),
    "yang2026.thm21.corrected": ("theta, N, lam", "theta, N - 1, lam"),
    "yang2026.cor22": ("c(L, f, i)", "c(L - 1, f, i)"),
    "yang2026.cor23.corrected": ("theta, N, lam", "theta, N - 1, lam"),
    "yang2026.thm15": ("left, right, f i", "right, left, f i"),
    "family.induction_most_frequent": ("inductoften(w, 0, S - 1, i, y - 1)", "inductright(w, i, y - 1)"),
    "family.max": ("x(c) <= z2_out(K)", "x(c) < z2_out(K)"),
    "family.min": ("z2_out(K) = x(c)", "z2_out(K) = x(1)"),
    "lem.relu_network": ("z2_h(l, u) = relu(", "z2_h(l, u) = relu(1/5 + "),
}
"""Theorems about one family each, with a change that makes them false. Rows that say more have their own instances."""


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", sorted(WRONG))
@pytest.mark.layer_two(every=3)
def test_a_theorem_holds_of_what_instances_compute_and_a_wrong_one_does_not(name: str) -> None:
    text, rng = texts()[name], random.Random(name)
    of = re.search(r"\brun\(family-([\w-]+)(?:; ties = (\w+))?\)", text)
    assert of is not None
    read = family(of[1], {"ties": of[2]} if of[2] else None)
    old, new = WRONG[name]
    assert text.count(old) >= 1
    met, failed = 0, False
    enough = 4 if name.startswith("yang2026") else 20  # programs are large
    for _ in range(60):
        if met >= enough and failed:
            break
        values, make = case(of[1], rng)
        given = make()
        run = Run(read, values, given)
        true, found = evaluate(text, offered(run))
        assert true, (values, given)
        met += found
        failed = failed or not evaluate(text.replace(old, new), offered(run))[0]
        if name == "lem.any_dyck":
            brackets = [str(v) for v in range(2 * values["K"])]
            assert run.accept == dyck_bounded(brackets, values["D"])(given)
    assert met >= enough and failed


def main(count: int, seed: int = 2026) -> None:
    """`count` runs of the families that ship, as many of each, and as often those of the tests."""
    rng, runs, changes, none = random.Random(seed), Counter[str](), Counter[str](), 0
    while sum(runs[name] for name in SHIPPED) < count:
        for name in NAMES:
            found = agrees(name, rng)
            none += found is None
            runs[name] += found is not None
            changes[name] += found or 0
    for which, names in (("that ship", SHIPPED), ("of the tests", tuple(OWN))):
        least, most = min(runs[name] for name in names), max(runs[name] for name in names)
        made = sum(changes[name] for name in names)
        print(
            f"{sum(runs[name] for name in names)} runs of {len(names)} families {which} ({least} to {most} each), "
            f"{made} changes of a value (at least {min(changes[name] for name in names)} each): no disagreement"
        )
    print(f"{none} inputs without a run; {time.process_time():.0f} s of processor time")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
