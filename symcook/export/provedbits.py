"""Stored theorems about the runs of a model that rounds, and up to which length a number of bits meets their premises.

A theorem is ``all n:Int, u:Real, ... . premises -> run(rounded-NAME; u) -> F`` or the same in floats. Of a recogniser
F is ``accept(rounded-NAME) <-> ..``; else F is about values of the run. The premises on n and u hold at all lengths
up to some n where they compare sums and products of n and u with a number, so that they grow with n.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from symcook.claims import DATA
from symcook.domains.rounding import RUNTIMES
from symcook.export.archive import Archive, reach
from symcook.export.members import named_alike, size_of_member
from symcook.export.ranges import bits_kept, inputs_in_range, longest_in_range
from symcook.model.expr import Tree, names, parse_formula, show
from symcook.model.meaning import called
from symcook.model.modelfile import numbered_hash, to_document
from symcook.model.rationals import rational
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.proof import prove, records
from symcook.proof.audit.statementfiles import statement_files
from symcook.proof.files import proofs_directory
from symcook.proof.replay import statements

MOST_LENGTH = 2**80
"""No greater length is looked for."""
FAILS = "with any number of bits some run is wrong, where sums of whole numbers need not be exact"
"""The note on a theorem that some run fails at each precision."""
_RUN, _WORD, _ACCEPT = ("run_of_it", "word_of_it", "accept_of_it")
"""Names that replace words about the model, so that a statement can be read without its equations."""


@dataclass(frozen=True)
class RoundedTheorem:
    """A stored theorem about each run of a model on a machine that rounds."""

    id: str
    statement: str
    floats: bool
    """Whether it is about floats that keep whole numbers."""
    accepts: str | None
    """The formula that is true of the strings that are accepted; None if the theorem is about values of the run."""
    states: str
    """Its conclusion."""
    only: tuple[str, ...]
    """Its premises besides those on the length and the error."""
    member: str | None
    """The family that it is about, with the sizes at which the family is the model; None if it is about the model."""
    limits: tuple[Tree, ...]
    """Its premises on n and u, each of which holds from some length on, or up to some length."""

    @property
    def shortest(self) -> int:
        """The least n that meets the premises on n alone."""
        ends = [(rational(t[1]), t[0]) for t in self.limits if t[2] == ("name", "n")]
        return max((int(end // 1) + 1 if sign == "<" else -int(-end // 1) for end, sign in ends), default=1)

    @property
    def every_length(self) -> bool:
        """Whether it holds at every length from `shortest` on, if it holds at one: no premise limits n from above."""
        return not any("n" in names(premise[1]) for premise in self.limits)

    def where(self, added: int) -> list[str]:
        """Its premises on the input, in input symbols, for a model that adds so many tokens to each string."""
        symbols = self.shortest - added
        least = f"the input has at least {symbols} symbol{'s' * (symbols > 1)}"
        return [*[least] * (self.shortest > max(added, 1)), *self.only]

    def longest(self, bits: int) -> int | None:
        """The greatest n that meets all premises at u = 2^-bits, as numbers are rounded to nearest; None if there is
        none. It counts the tokens that the model adds."""
        return self.longest_at(Fraction(1, 2**bits))

    def longest_at(self, u: Fraction) -> int | None:
        """The same for a relative error u."""
        least = self.shortest
        if not self._holds(least, u):
            return None
        low, high = least, least + 1
        while self._holds(high, u) and high < MOST_LENGTH:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._holds(middle, u) else (low, middle)
        return low

    def _holds(self, n: int, u: Fraction) -> bool:
        """Whether all premises hold."""
        return all(_compared(premise, {"n": Fraction(n), "u": u}) for premise in self.limits)


def _grows(tree: Tree) -> bool:
    """Whether it is a sum or product of n, u and numbers, which grows with n and u."""
    if tree[0] in ("num", "name"):
        return tree[0] == "num" or tree[1] in ("n", "u")
    if tree[0] == "^":
        return _grows(tree[1]) and tree[2][0] == "num"
    return tree[0] in ("+", "*") and all(map(_grows, tree[1:]))


def _limit(premise: Tree) -> bool:
    """Whether it is a premise on n and u that holds from some length on, or up to some length."""
    if premise[0] not in ("<", "<=") or not names(premise) <= {"n", "u"}:
        return False
    below, above = premise[1:]
    return (below[0] == "num" and above in (("name", "n"), ("name", "u"))) or (_grows(below) and above[0] == "num")


def _read(name: str, written: str, sizes: Mapping[str, int] | None = None) -> RoundedTheorem | None:
    """A statement as a theorem of this form; None if it has another form. `sizes`: those of the family that it is
    about, None if it is about a model."""
    calls = [call for call in records.ROUNDED_CALL.finditer(written) if call[1] == "run"]
    if len(calls) != 1 or calls[0][3].startswith("family-") is (sizes is None):
        return None
    text = records.LIST.sub("values_of_it:Real", written)
    text = records.ROUNDED_CALL.sub(lambda call: f"{_RUN if call[1] == 'run' else _ACCEPT} = 1", text)
    text = records.MODEL_CALL.sub(lambda call: f"{_ACCEPT if call[1] == 'accept' else _WORD} = 1", text)
    text = records.FAMILY_CALL.sub(lambda call: f"{_ACCEPT if call[1] == 'accept' else _WORD} = 1", text)
    tree, premises = parse_formula(text), list[Tree]()
    if sizes:
        from symcook.model.family import renamed

        tree = renamed(tree, {size: ("num", value, 1) for size, value in sizes.items()})
    run: Tree = ("=", ("name", _RUN), ("num", 1, 1))
    while tree[0] == "->" or (tree[0] == "all" and run not in premises):
        premises += [] if tree[0] == "all" else _parts(tree[1])
        tree = tree[-1]
    accept: Tree = ("=", ("name", _ACCEPT), ("num", 1, 1))
    accepts = show(tree[2]) if tree[:2] == ("<->", accept) else None
    if run not in premises or any(_ACCEPT in names(one) for one in premises):
        return None
    if accepts is None and (names(tree) <= {"n", "u"} or names(tree) & {_RUN, _WORD, _ACCEPT}):
        return None
    premises = [one for one in premises if _compared(one, {}) is not True]
    others = [one for one in premises if not _limit(one) and not names(one) & {_RUN, _WORD}]
    limits, states = tuple(filter(_limit, premises)), show(tree) if accepts is None else f"accept <-> {accepts}"
    member = None if sizes is None else f"{calls[0][3]} at {', '.join(f'{size} = {n}' for size, n in sizes.items())}"
    only = tuple(map(show, others))
    return RoundedTheorem(name, written, calls[0][2] == "floats", accepts, states, only, member, limits)


def _words(tree: Tree) -> set[str]:
    """All words of a formula: names and functions."""
    return names(tree) | called(tree)


def _parts(tree: Tree) -> list[Tree]:
    """The parts of a conjunction."""
    return [part for one in tree[1:] for part in _parts(one)] if tree[0] == "&" else [tree]


@cache
def _statements_by_name() -> dict[str, tuple[str, ...]]:
    """The statements about rounded runs, by the name that the statements have for the model or family."""
    found = dict[str, tuple[str, ...]]()
    for name, text in statement_files(proofs_directory()).texts.items():
        if call := records.ROUNDED_CALL.search(text):
            found[call[3]] = (*found.get(call[3], ()), name)
    return found


@cache
def _rounded_statements() -> dict[str, tuple[str, ...]]:
    """The statements about rounded runs of stored models, by the hash of the model with the numbers of its tokens, as
    the statements have them."""
    found = dict[str, tuple[str, ...]]()
    for model, ids in _statements_by_name().items():
        file = proofs_directory() / "models" / f"{model}.json"
        if file.is_file():
            by_numbers = numbered_hash(json.loads(file.read_bytes()))
            found[by_numbers] = (*found.get(by_numbers, ()), *ids)
    return found


def _about(model: Transformer) -> tuple[str, ...]:
    """The statements about rounded runs of this model: of a stored model with the same weights, whose tokens have the
    same numbers."""
    return _rounded_statements().get(numbered_hash(to_document(model)), ())


def theorems(model: Transformer) -> Iterator[RoundedTheorem]:
    """The proved theorems about each rounded run of this model: which strings it accepts, or which values it has. If no
    statement is about the model itself, those about a family of which it is a member. A run of a model with a maximum
    length has no greater n."""
    found = [_read(name, statements()[name].written) for name in _about(model)]
    for key, ids in _statements_by_name().items() if not any(found) else ():
        family = key.removeprefix("family-")
        sizes = None if family == key else size_of_member(model, family)
        for name in () if sizes is None else ids:
            theorem = _read(name, statements()[name].written, sizes)
            told = () if theorem is None else (theorem.states, *theorem.only)
            mentioned = set[str]().union(*(_words(parse_formula(text)) for text in told))
            if theorem is not None and named_alike(model, family, sizes or {}, mentioned):
                found.append(theorem)
    at_most: tuple[Tree, ...] = ()
    if model.max_length is not None:
        at_most = (("<=", ("name", "n"), ("num", model.max_length, 1)),)
    for theorem in found:
        if theorem is not None and prove(theorem.id)[0].status == "PROVED":
            yield replace(theorem, limits=(*theorem.limits, *at_most))


def failing(model: Transformer) -> list[str]:
    """The proved theorems that with any number of bits some run of this model within the errors is wrong."""
    with (DATA / "precision.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    fails = {row["theorem"] for row in rows if (row["says"], row["bits"]) == ("fails", "any")}
    return [name for name in _about(model) if name in fails and prove(name)[0].status == "PROVED"]


def _compared(tree: Tree, values: Mapping[str, Fraction]) -> bool | None:
    """Whether a comparison of numbers and named values holds; None if it speaks of something else."""
    if tree[0] not in ("<", "<=", "=", "!=") or not names(tree) <= set(values):
        return None
    a, b = (rational(side, values) for side in tree[1:])
    return {"<": a < b, "<=": a <= b, "=": a == b, "!=": a != b}[tree[0]]


def covering(
    model: Transformer, values: Mapping[str, Exact] | None = None, every: bool = False
) -> list[RoundedTheorem]:
    """The theorems about a model whose parameters have these values, without the premises on parameters that hold.
    A parameter without a value has its default; with `every` it has any value of its interval."""
    has = model.values(values, require=not every)
    given = {name: Fraction(str(value)) for name, value in has.items() if value.is_Rational}
    free = [parse_formula(parameter.region) for parameter in model.parameters if parameter.name not in has]
    region = {show(part) for interval in free for part in _parts(interval)}
    found = list[RoundedTheorem]()
    for theorem in theorems(model):
        said = {one: one in region or _compared(parse_formula(one), given) for one in theorem.only}
        if False not in said.values():
            found.append(replace(theorem, only=tuple(premise for premise, holds in said.items() if holds is None)))
    return found


def cited(
    model: Transformer, values: Mapping[str, Exact] | None, m: Archive, roundings: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The theorems whose premises the float arrays `m` of a model meet, as a certificate cites them: "id", "accepts"
    (the strings that are accepted, as a formula; None if the theorem is about values), "states" (what it proves),
    "where" (further premises on the input), "divided_last" (whether attention must normalise after summing),
    "bits" (the p of its u = 2^-p), and "length": the greatest number of tokens, or rows of inputs, that it covers. A
    theorem about a family has "member" too: the family with its sizes.

    The number of bits is that of the type, or smaller where a weight has a larger error. At the lengths no operation
    overflows or underflows, so that unlimited exponents are no premise.
    """
    format, _ = RUNTIMES[str(m["dtype"])]
    bits, found = bits_kept(roundings, format.bits), list[dict[str, Any]]()
    for theorem in covering(model, values):
        longest = (theorem.longest(bits) if bits else None) or 0
        longest, told = min(longest, reach(m) or longest), _told(theorem, model)
        longest = longest_in_range(m, longest, theorem.floats) if longest else 0
        if longest < max(theorem.shortest, model.embedding.added + 1):
            continue
        if model.embedding.inputs:
            k = inputs_in_range(m, longest, theorem.floats)
            told["where"].append(f"each input is 0 or a number of {m['dtype']} of a size from 2^-{k} to 2^{k}")
        found.append(told | {"divided_last": theorem.floats, "bits": bits, "length": longest})
    return found


def _told(theorem: RoundedTheorem, model: Transformer) -> dict[str, Any]:
    """What every list of theorems has of a theorem about a model."""
    where = theorem.where(model.embedding.added)
    of_family = {} if theorem.member is None else {"member": theorem.member}
    return {"id": theorem.id, "accepts": theorem.accepts, "states": theorem.states, "where": where} | of_family


LONGEST_SHOWN = 2**64
"""A length from which on the greatest length of a theorem is not told."""


def until(length: int) -> str:
    """A length up to which a theorem holds, as text."""
    return "2^64 and more" if length >= LONGEST_SHOWN else f"{length:,}"


def covered_lengths(theorem: Mapping[str, Any]) -> str:
    """The lengths that a theorem covers, one of `within` whose "length" is not None, as text after "strings"."""
    return "of every length" if theorem["every_length"] else f"up to length {until(theorem['length'])}"


def in_bits(model: Transformer, values: Mapping[str, Exact] | None, bits: int) -> list[dict[str, Any]]:
    """The theorems that cover runs in which each operation is rounded to nearest to `bits` bits, with unlimited
    exponents: "id", "accepts", "states", "where" (further premises on the input), "floats" (whether whole numbers must
    be kept), "length": the greatest number of input symbols that is covered, None if there is none, and "every_length":
    whether no length is too large. Then "length" is a number above 2^64."""
    return within(model, values, Fraction(1, 2**bits))


def within(
    model: Transformer, values: Mapping[str, Exact] | None, u: Fraction, every: bool = False
) -> list[dict[str, Any]]:
    """The same for runs with relative errors up to u; with `every` at all values of parameters without a value."""
    found, added = list[dict[str, Any]](), model.embedding.added
    for theorem in covering(model, values, every):
        longest = theorem.longest_at(u)
        length = None if longest is None or longest < max(added, 1) else longest - added
        no_limit = length is not None and theorem.every_length
        found.append(_told(theorem, model) | {"floats": theorem.floats, "length": length, "every_length": no_limit})
    return found


def noted(model: Transformer, bits: Mapping[str, int]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Notes on the theorems about a model, and the same for JSON: by format, the greatest length of typed symbols that
    its number of bits gives. Exponents are unlimited in a theorem."""
    notes, listed = dict[str, str](), list[dict[str, Any]]()
    for theorem in theorems(model):
        added = model.embedding.added
        lengths = {p: None if (n := theorem.longest(p)) is None else n - added for p in sorted({*bits.values()})}
        each = [
            f"{p} bits {'at every length' if theorem.every_length else f'up to n = {until(n)}'}"
            for p, n in lengths.items()
            if n is not None and n > 0
        ]
        told = _told(theorem, model)
        where = [*told["where"], *["floats keep whole numbers"] * theorem.floats, "exponents are unlimited"]
        notes[f"PROVED {theorem.id}"] = (
            f"{theorem.states}, where {' and '.join(where)}: {'; '.join(each) or 'no length'}"
        )
        listed.append(told | {"floats": theorem.floats, "lengths": {str(p): n for p, n in lengths.items()}})
    for name in failing(model):
        notes[f"PROVED {name}"] = FAILS
    return notes, listed
