"""Stored models for Coq: the matrices as a constant of type `model` (proofs/coq/Model.v), and the theorem that its run
satisfies the relation run(NAME) that statements suppose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, reduce
from typing import TYPE_CHECKING, Any

from symcook.coq.equations import Equations
from symcook.coq.reading import Defined, Reading, definitions, parsed, spelled
from symcook.coq.statement import known_ids
from symcook.coq.term import Untranslatable
from symcook.model.expr import names, parse_term
from symcook.proof.records import MODEL_CALL
from symcook.proof.replay import library
from symcook.proof.runrel import Relation, _readable, stored_model

if TYPE_CHECKING:
    from symcook.proof.rows import Right
    from symcook.proof.runrel import Model

MASKS = {
    "none": "everything",
    "future": "future",
    "strict-future": "strict_future",
    "past": "past",
    "strict-past": "strict_past",
}
ACTIVATIONS = {"relu": "relu_units", "step": "step_units", "gelu": "gelu_units"}


class Traced(Relation):
    """A run relation that remembers where the run has each name: the parts that are done, and the coordinate; or the
    mean or deviation that a norm takes of the parts before it. What a norm in front of a block is of stands beside the
    coordinates, under the name of what it makes of that."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.block, self.ahead, self.places = -1, False, {}
        self.sequence: list[
            tuple[str, Any, Mapping[str, str]]
        ] = []  # the parts for Coq, and what a block reads for a name
        self.over: dict[int, list[str]] = {}  # the coordinates that a norm is of, by its identity
        self.statistics: dict[str, tuple[str, int, Any]] = {}
        self.heads: dict[str, tuple[int, int, str]] = {}  # what one of several heads adds to a coordinate
        self.awaited: list[tuple[str, int, Any]] = []  # what the next names are
        super().__init__(model)

    def _define(self, fresh: str, text: str) -> str:
        name = super()._define(fresh, text)
        if found := re.fullmatch(r"z[0-9]+_([0-9]+)_(.*?)_*", fresh):
            self.heads[name] = (self.block, int(found[1]) - 1, found[2])
        if self.awaited:
            self.statistics[name] = self.awaited.pop(0)
        return name

    def _part(self, number: int, blocks: list[Model], norms: list[Model], placement: str) -> None:
        self.ahead, self.block = placement not in ("none", "post"), len(self.sequence)
        view: dict[str, str] = {}
        if self.ahead:
            self.block += 2 * len(norms)
        elif blocks:
            self.sequence.append(("block", blocks, view))
        super()._part(number, blocks, norms, placement)
        if self.ahead:
            for norm in norms:
                view |= zip(norm["writes"], self.over[id(norm)], strict=True)
            self.sequence.append(("block", blocks, view))

    def _norm(self, number: int, norm: Mapping[str, Any]) -> dict[str, str]:
        if self.ahead:
            self.sequence.append(("beside", norm, {}))
        self.awaited = [(kind, len(self.sequence), norm) for kind in ("mean", "deviation")]
        made = super()._norm(number, norm)
        self.sequence.append(("norm", norm, {}))
        self.over[id(norm)] = [*made.values()] if self.ahead else norm["reads"]
        self.places |= {new: (len(self.sequence), new if self.ahead else name) for name, new in made.items()}
        return made

    def _write(self, name: str, number: int, right: Right) -> None:
        super()._write(name, number, right)
        self.places[self.held[name]] = (self.block + 1, name)


def listed(parts: Iterable[str]) -> str:
    return "[" + "; ".join(parts) + "]"


def joined_right(proofs: list[str]) -> str:
    """The proof of a conjunction that ends with True."""
    return reduce(lambda rest, one: f"(conj {one} {rest})", reversed(proofs), "I")


def quoted(words: Iterable[str]) -> str:
    return listed(f'"{word}"' for word in words)


class WrittenModel:
    """The constant and the theorem of one model."""

    def __init__(self, name: str) -> None:
        self.name, self.model = name, stored_model(name)
        self.module = spelled(name.replace("-", "_"))
        self.run = f"run_{name.replace('-', '_')}"
        self.symbols = [s["name"] for s in self.model["symbols"]]
        self.sorts = {**dict.fromkeys(self.symbols, "Real"), "i": "Int", "n": "Int"}
        self.relation = Traced(self.model)
        self.x = "x"  # the stages of the run
        while self.x in self.relation.used:
            self.x += "_"
        self.numbers: dict[str, str] = {}

    def number(self, text: str) -> str:
        if text not in self.numbers:  # most entries of a matrix are 0 or 1
            self.numbers[text] = Reading(definitions()).term(parsed(_readable(text)), self.sorts, "R")
        return self.numbers[text]

    def matrix(self, rows: Iterable[Sequence[str]]) -> str:
        return listed(self.vector(row) for row in rows)

    def vector(self, row: Iterable[str]) -> str:
        return listed(map(self.number, row))

    def part(self, blocks: Sequence[Mapping[str, Any]], view: Mapping[str, str]) -> str:
        def reads(block: Mapping[str, Any]) -> str:
            return quoted(view.get(name, name) for name in block["reads"])

        if "mask" not in blocks[0]:
            (net,) = blocks
            one = [self.matrix(net["W1"]), self.vector(b for (b,) in net["b1"])]
            two = [self.matrix(net["W2"]), self.vector(b for (b,) in net["b2"]), ACTIVATIONS[net["activation"]]]
            return f"Network {reads(net)} {quoted(net['writes'])} {' '.join([*one, *two])}"
        heads = []
        for head in blocks:
            rows = [self.matrix(head[key]) for key in ("Q", "K", "V")]
            given = [reads(head), quoted(head["writes"]), *rows, MASKS[head["mask"]], self.weighting(head)]
            heads.append(f"({', '.join(given)})")
        return f"Attention {listed(heads)}"

    def weighting(self, head: Mapping[str, str]) -> str:
        if head["weighting"] != "softmax":
            return f"alike {head['weighting']}"
        both = [head["scale"], head["temperature"]]
        scale, temperature = map(self.number, both)
        free = [names(parse_term(text)) for text in both]
        if "i" not in free[0] | free[1]:
            return f"alike (softmax ({scale}) ({temperature}))"
        if free[1] and "i" not in free[1]:
            raise Untranslatable("a scale that depends on i, and a temperature that does not")
        return f"softmax_by (fun i : Z => ({scale} : R)) (fun i : Z => ({temperature} : R))"

    def names(self, norm: Mapping[str, Any]) -> str:
        """The coordinates that a norm is over, as the name of their list: long lists slow Coq down."""
        known = list(dict.fromkeys(map(quoted, self.relation.over.values())))
        return f"{self.module}_norm{known.index(quoted(self.relation.over[id(norm)])) or ''}"

    def lists(self) -> str:
        """Definitions of the lists of `names`."""
        norms = {self.names(norm): norm for kind, norm, _ in self.relation.sequence if kind == "norm"}
        lists = ((name, quoted(self.relation.over[id(norm)])) for name, norm in norms.items())
        return "".join(f"Definition {name} : list string := {names}.\n" for name, names in lists)

    def parts(self) -> list[str]:
        out = []
        for kind, one, view in self.relation.sequence:
            if kind == "block":
                out.append(self.part(one, view))
            elif kind == "beside":
                of = one["projection"] or [["01"[a == b] for b in one["reads"]] for a in one["writes"]]
                out.append(f"Beside {quoted(one['reads'])} {self.names(one)} {self.matrix(of)}")
            else:
                numbers = [self.vector(x for (x,) in one[key]) for key in ("gain", "bias")]
                refuses = "true" if one["zero_variance"] == "refuse" else "false"
                out.append(f"Norm {self.names(one)} {' '.join(numbers)} ({self.number(one['epsilon'])}) {refuses}")
        return out

    def possible(self, facts: dict[str, str]) -> str:
        """The proof that each part has what it needs, from the parts of the relation that say so, by their text."""
        out, roots = "I", {number: root for root, number in self.deviations.items()}
        for number, (kind, one, _) in enumerate(self.relation.sequence):
            need = "I"
            if kind == "block" and "mask" in one[0]:
                need = joined_right([self.warm(head, facts) for head in one])
            elif kind == "norm" and roots[number] in self.refused:
                need = f"(proj1 {self.everywhere} {facts[roots[number]]})"
            elif kind == "norm" and one["zero_variance"] == "refuse":
                need = f"(fun i _ => {self.above(one)})"
            out = f"(conj {out} {need})"
        return out

    @property
    def everywhere(self) -> str:
        """The lemma that all positions are the same by the numbers of the relation and by those of the model."""
        return f"(positions_from_{'zero' if self.relation.low == '0' else 'one'} n _)"

    def warm(self, head: Mapping[str, str], facts: dict[str, str]) -> str:
        """The proof that the temperature of a head is above zero; that of a constant one needs no fact."""
        if head["weighting"] != "softmax":
            return "I"
        text = self.number(head["temperature"])
        if not self.weighting(head).startswith("softmax_by"):
            return facts.get(text, f"(ltac:(lra) : 0 < {text})")
        return f"(proj1 {self.everywhere} {facts[text]})" if text in facts else f"(fun i _ => ltac:(lra) : 0 < {text})"

    def needed(self) -> list[tuple[str, str, str]]:
        """What the relation says besides equations: what it is about (a temperature, a deviation, or "" for the
        length), the formula, and its proof from `ran`, that there is a run."""
        out = [("", "", "(proj1 ran)")] if self.model["max_length"] is not None else []
        for number, (kind, one, _) in enumerate(self.relation.sequence):
            for place, head in enumerate(one if kind == "block" and "mask" in one[0] else ()):
                text, free = self.number(head["temperature"]), names(parse_term(head["temperature"]))
                if free and head["weighting"] == "softmax" and text not in {one for one, *_ in out}:
                    proof = f"(proj2 ran {number}%nat _ eq_refl)"
                    for _ in range(place):
                        proof = f"(proj2 {proof})"
                    if "i" in free:
                        formula, proof = (
                            f"forall i : Z, {self.range} -> 0 < {text}",
                            f"(proj2 {self.everywhere} (proj1 {proof}))",
                        )
                    else:
                        formula, proof = f"0 < {text}", f"(proj1 {proof})"
                    out.append((text, formula, proof))
        place_of = dict(zip(self.defined().params, self.places(self.defined()), strict=True))
        for root in self.refused:
            proof = f"(proj2 {self.everywhere} (proj2 ran {self.deviations[root]}%nat _ eq_refl))"
            out.append((root, f"forall i : Z, {self.range} -> 0 < {place_of[root]} i", proof))
        return out

    def constant(self) -> str:
        embedding = self.model["embedding"]
        words = (
            f"({index}%Z, {listed(f'({chr(34)}{c}{chr(34)}, {self.number(v)})' for c, v in row.items() if v != '0')})"
            for index, row in enumerate((embedding["words"] or {}).values())
        )
        positions = [f'("{c}", fun i : Z => ({self.number(v)} : R))' for c, v in embedding["positions"].items()]
        most = self.model["max_length"]
        parts, given = self.parts(), "".join(f" {name}" for name in (*self.symbols, "n"))
        fields = [
            f"start := {embedding['start']}",
            f"longest := {'None' if most is None else f'Some {most}%Z'}",
            f"words := {listed(words)}",
            *self.alphabet(),
            f"inputs := {quoted(embedding['inputs'] or [])}",
            f"positions := {listed(positions)}",
            f"parts := {listed(f'{self.module}_part{k}{given}' for k in range(len(parts)))}",
            f"readout := {self.readout()}",
        ]
        named = f" ({' '.join(self.symbols)} : R) (n : Z)" if self.symbols else " (n : Z)"
        lines = [f"Definition {self.module}_part{k}{named} : part :=\n  {part}." for k, part in enumerate(parts)]
        whole = f"Definition {self.module}{named} : model := {{|\n  " + ";\n  ".join(fields) + "\n|}."
        return "\n".join([*lines, whole])

    def alphabet(self) -> list[str]:
        """The words that may be typed, and those that the model adds."""
        embedding = self.model["embedding"]
        index = {token: number for number, token in enumerate(embedding["words"] or {})}
        added = [embedding[key] for key in ("before", "after")]
        typed = (f"{number}%Z" for token, number in index.items() if token not in added)
        before, after = ("None" if one is None else f"Some {index[one]}%Z" for one in added)
        return [f"typed := {listed(typed)}", f"before := {before}", f"after_last := {after}"]

    def readout(self) -> str:
        """The decision and where it is taken; None for a model that has values instead."""
        readout = self.model["readout"]
        place = {"first": "at_first", "last": "at_last", "all": "everywhere"}.get(readout["position"])
        if place is None or readout["kind"] not in ("zero", "sign"):
            return "None"
        names = quoted(readout["reads"])
        (weights,) = readout["weights"] or [[]]
        decision = f"all_zero {names}" if readout["kind"] == "zero" else f"positive {self.vector(weights)} {names}"
        return f"Some ({decision}, {place})"

    def defined(self) -> Defined:
        """The definition of the relation; that of a model that no statement names is made here."""
        definitions().with_models(f"run({self.name})")
        one = definitions().all[self.run]
        if not one.uses:
            number = "Real" if self.relation.pointwise else ("fun", ("Int",), "Real")
            known = {**self.sorts, "w": ("fun", ("Int",), "Int")}
            one.sorts = {param: known.get(param, number) for param in one.params}
        return one

    def relation_text(self) -> str:
        """The definition of the relation where no statement names it."""
        one = self.defined()
        return "" if one.uses else Reading(definitions()).definition(one) + "\n\n"

    def premise(self, symbol: Mapping[str, str]) -> str:
        """What is supposed of a symbol: that it is not zero, or where zero is allowed, that it is not negative."""
        least = symbol["lower"] == "0" and not symbol["lower_open"]
        return f"0 <= {symbol['name']}" if least else f"{symbol['name']} <> 0"

    def places(self, one: Defined) -> list[str]:
        """The arguments of a relation: each name in the place where the run has it."""
        arguments = []
        for param in one.params:
            if param in ("n", "w") or param in self.symbols:
                arguments.append(spelled(param))
                continue
            if param in self.relation.statistics:
                kind, done, norm = self.relation.statistics[param]
                epsilon = f" ({self.number(norm['epsilon'])})" if kind == "deviation" else ""
                value = f"{kind} {self.names(norm)}{epsilon} ({self.x} {done}%nat)"
            elif param in self.relation.heads:
                done, head, coordinate = self.relation.heads[param]
                value = f'contribution ({self.called}) n {done} {head} ({self.x} {done}%nat) "{coordinate}"'
            else:
                done, coordinate = self.relation.places.get(param, (0, param))
                value = f'{self.x} {done}%nat "{coordinate}"'
            arguments.append(f"({value} i)" if self.relation.pointwise else f"({value})")
        return arguments

    @property
    def called(self) -> str:
        return " ".join([self.module, *self.symbols, "n"])

    @cached_property
    def values(self) -> list[str]:
        """The coordinates and statistics that the relation is about."""
        return [param for param in self.defined().params if param not in ("n", "w", *self.symbols)]

    @property
    def range(self) -> str:
        return f"{self.relation.low} <= i <= {self.relation.high}"

    @cached_property
    def refused(self) -> list[str]:
        """The deviations that must not be zero."""
        return [text.partition("(")[0] for text in self.relation.deviations]

    @cached_property
    def sure(self) -> dict[str, str]:
        """The deviations of norms that would refuse zero, and never see it, since their epsilon is above zero; why."""
        statistics = self.relation.statistics.items()
        norms = {v: norm for v, (kind, _, norm) in statistics if kind == "deviation" and v not in self.refused}
        return {v: self.above(norm) for v, norm in norms.items() if norm["zero_variance"] == "refuse"}

    def above(self, norm: Mapping[str, Any]) -> str:
        """The proof that a deviation at i is above zero, by its epsilon."""
        epsilon = self.number(norm["epsilon"])
        return f"deviation_above {self.names(norm)} ({epsilon}) _ i ltac:(lra) ltac:(discriminate)"

    @cached_property
    def deviations(self) -> dict[str, int]:
        """All deviations, and the number of the part that each belongs to."""
        statistics = self.relation.statistics.items()
        return {v: done for v, (kind, done, _) in statistics if kind == "deviation"}

    @property
    def given(self) -> list[str]:
        """The values that a run takes from outside."""
        embedding = self.model["embedding"]
        inputs = {*(embedding["inputs"] or [])} - {*embedding["positions"]}
        return [name for name in self.values if name in inputs]

    @property
    def bound(self) -> str:
        """What a run is of."""
        symbols = "".join(f" ({s} : R)" for s in self.symbols)
        return f"(n : Z) (w : Z -> Z) (given : stream){symbols}{' (i : Z)' if self.relation.pointwise else ''}"

    @property
    def premises(self) -> str:
        return "".join(f"{self.premise(s)} -> " for s in self.model["symbols"])

    @property
    def stream(self) -> str:
        return f"let {self.x} := stage ({self.called}) n w given in"

    def converse(self, one: Defined) -> str:
        """That run(NAME) has no other solution: what satisfies it is what the run has, if the inputs are the same."""
        place = dict(zip(one.params, self.places(one), strict=True))
        if self.relation.pointwise:
            sort, every, at = "R", "", ""
        else:
            sort, every, at = "Z -> R", f"forall i : Z, {self.range} -> ", " i"
        inputs = [f"({every}{spelled(v)}{at} = {place[v]}{at})" for v in self.given]
        same = " /\\ ".join(f"{spelled(v)}{at} = {place[v]}{at}" for v in self.values)
        arguments = " ".join(map(spelled, one.params))
        supposed = "".join(f"{condition} -> " for condition in inputs)
        values = " ".join(map(spelled, self.values))
        return (
            f"{self.module}_only : forall {self.bound} ({values} : {sort}), {self.premises}\n"
            f"  forall holds : {one.name} {arguments},\n  {self.stream}\n  {supposed}{every}{same}"
        )

    def theorems(self) -> list[str]:
        """That the run satisfies run(NAME) where there is one, and only there, and is its only solution; and where
        statements use them, what word(NAME) and accept(NAME) say. Before them the lemmas by which that is proved."""
        one = self.defined()
        if self.relation.pointwise and (self.model["max_length"] is not None or self.refused):
            raise Untranslatable("a model of one position that refuses inputs")
        equations = Equations(self, one)
        runs = f"{self.module}_runs : forall {self.bound}, {self.premises}\n  {self.stream}\n"
        runs += f"  {self.run} {' '.join(self.places(one))}\n  <-> has_run ({self.called}) n w given"
        out = [equations.text]
        for statement, proof in zip((runs, self.converse(one)), equations.proofs, strict=True):
            out.append(f"Theorem {statement}.\nProof.\n  {proof}\nQed.")
        word, accept = (definitions().all.get(f"{kind}_{self.run[4:]}") for kind in ("word", "accept"))
        if word is not None and word.uses:
            symbols = f" {' '.join(self.symbols)}" if self.symbols else ""
            bound = f"(n : Z) (w : Z -> Z){''.join(f' ({s} : R)' for s in self.symbols)}"
            out.append(
                f"Theorem {self.module}_words : forall {bound}, {word.name} {' '.join(word.params)} <-> "
                f"is_word ({self.module}{symbols} n) n w.\nProof. words {word.name} {self.module}. Qed."
            )
        if accept is not None and accept.uses:
            last = f"({self.x} {len(self.parts())}%nat)"
            out.append(
                f"Theorem {self.module}_accepts : forall {self.bound},\n  {self.stream}\n"
                f"  {accept.name} {' '.join(self.places(accept))} <-> accepts ({self.called}) n {last}.\n"
                f"Proof. decided {accept.name} {self.module}. Qed."
            )
        return out


@cache
def stored_models() -> tuple[str, ...]:
    """The stored models that statements with a proof suppose."""
    return tuple(sorted({model for name in known_ids() for model in models_of(name)}))


@cache
def models_of(name: str) -> tuple[str, ...]:
    """The stored models whose run the statement `name` supposes."""
    text = library().statements[name].text
    return tuple(sorted({found[2] for found in MODEL_CALL.finditer(text) if found[1] == "run"}))


def model_module(name: str) -> str:
    return f"stored_{name.replace('-', '_')}"


@cache
def model_text(name: str) -> str:
    """What Coq is told of a stored model: its matrices with what is to be proved of them, and the relation that
    statements suppose. How that is proved is not in it."""
    return model_said(name) + Reading(definitions()).definition(written(name).defined())


@cache
def written(name: str) -> WrittenModel:
    return WrittenModel(name)


THEOREM = re.compile(r"^Theorem (\w+) : (.*?)\.\nProof\.", re.MULTILINE | re.DOTALL)


@cache
def model_theorems(name: str) -> dict[str, str]:
    """The theorems about the run of a model, and what they say."""
    return {found[1]: found[2] for found in THEOREM.finditer("\n\n".join(written(name).theorems()))}


def model_file(name: str) -> str:
    """All about a model in one file."""
    proofs = opening("Lra ", "Laws ") + "\n" + said_of(name) + "\n\n".join(written(name).theorems())
    return f"(* {name}: its matrices, and its run. *)\n{proofs}\n"


def opening(more: str, needed: str, said: str = "") -> str:
    return f"""From Coq Require Import Reals ZArith {more}List String.
From Symcook Require Import Meaning {needed}Model Definitions{said}.
Import ListNotations Meaning.Reading.
Open Scope string_scope.
Open Scope R_scope.
"""


def said_of(name: str) -> str:
    model = written(name)
    says = "".join(f"Definition {one}_says : Prop :=\n  {text}.\n\n" for one, text in model_theorems(name).items())
    return f"{model.lists()}{model.constant()}\n\n{model.relation_text()}{says}"


@cache
def model_said(name: str) -> str:
    """What is said of a model, without any proof: its matrices, and the theorems about its run as propositions."""
    return f"""(* {name}: its matrices, and what is proved of its run. Written by proofs/coq.py.
   The model is proofs/models/{name}.json. *)
{opening("", "")}
{said_of(name)}"""


@cache
def model_proofs(name: str) -> str:
    theorems = "\n\n".join(written(name).theorems())
    said = model_module(name)
    return f"(* {name}: that its run is what {said}.v says. *)\n{opening('Lra ', 'Laws ', f' {said}')}\n{theorems}\n"
