"""Stored models for Coq: the matrices as a constant of type `model` (proofs/coq/Model.v), and the theorem that its run
satisfies the relation run(NAME) that statements suppose."""

from __future__ import annotations

from typing import Any

from symcook.coq.reading import MODEL_CALL, Reading, definitions, parsed, spelled
from symcook.coq.term import Untranslatable
from symcook.proof.replay import library
from symcook.proof.runrel import Relation, _readable, stored_model

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
    mean or deviation that a norm takes of the parts before it."""

    def __init__(self, model: Any) -> None:
        self.done, self.places = 0, {}
        self.statistics: dict[str, tuple[str, int, Any]] = {}
        self.awaited: list[tuple[str, int, Any]] = []  # what the next names are
        super().__init__(model)

    def _define(self, fresh: str, text: str) -> str:
        name = super()._define(fresh, text)
        if self.awaited:
            self.statistics[name] = self.awaited.pop(0)
        return name

    def _part(self, number: int, blocks: Any, norms: Any, placement: str) -> None:
        self.done += bool(blocks)
        super()._part(number, blocks, norms, placement)

    def _norm(self, number: int, norm: Any) -> dict[str, str]:
        self.awaited = [(kind, self.done, norm) for kind in ("mean", "deviation")]
        self.done += 1
        made = super()._norm(number, norm)
        self.places |= {new: (self.done, name) for name, new in made.items()}
        return made

    def _write(self, name: str, number: int, right: Any) -> None:
        super()._write(name, number, right)
        self.places[self.held[name]] = (self.done, name)


def listed(parts: Any) -> str:
    return "[" + "; ".join(parts) + "]"


def quoted(names: Any) -> str:
    return listed(f'"{n}"' for n in names)


class Written:
    """The constant and the theorem of one model."""

    def __init__(self, name: str) -> None:
        self.name, self.model = name, stored_model(name)
        self.module = spelled(name.replace("-", "_"))
        self.run = f"run_{name.replace('-', '_')}"
        self.symbols = [s["name"] for s in self.model["symbols"]]
        self.sorts = {**dict.fromkeys(self.symbols, "Real"), "i": "Int", "n": "Int"}
        self.relation = Traced(self.model)

    def number(self, text: str) -> str:
        return Reading(definitions()).term(parsed(_readable(text)), self.sorts, "R")

    def matrix(self, rows: Any) -> str:
        return listed(self.vector(row) for row in rows)

    def vector(self, row: Any) -> str:
        return listed(map(self.number, row))

    def part(self, blocks: Any) -> str:
        if "mask" not in blocks[0]:
            (net,) = blocks
            one = [self.matrix(net["W1"]), self.vector(b for (b,) in net["b1"])]
            two = [self.matrix(net["W2"]), self.vector(b for (b,) in net["b2"]), ACTIVATIONS[net["activation"]]]
            return f"Network {quoted(net['reads'])} {quoted(net['writes'])} {' '.join([*one, *two])}"
        heads = []
        for head in blocks:
            how = head["weighting"]
            if how == "softmax":
                how = f"softmax ({self.number(head['scale'])}) ({self.number(head['temperature'])})"
            rows = [self.matrix(head[key]) for key in ("Q", "K", "V")]
            given = [quoted(head["reads"]), quoted(head["writes"]), *rows, MASKS[head["mask"]], how]
            heads.append(f"({', '.join(given)})")
        return f"Attention {listed(heads)}"

    def parts(self) -> list[str]:
        out = []
        for _, blocks, norms, placement in self.relation.parts:
            if placement not in ("none", "post"):
                raise Untranslatable(f"the placement {placement}")
            if blocks:
                out.append(self.part(blocks))
            for norm in norms:
                if norm["projection"] is not None:
                    raise Untranslatable("a projected norm")
                numbers = [self.vector(x for (x,) in norm[key]) for key in ("gain", "bias")]
                out.append(f"Norm {quoted(norm['reads'])} {' '.join(numbers)} ({self.number(norm['epsilon'])})")
        return out

    def constant(self) -> str:
        embedding = self.model["embedding"]
        words = (
            f"({index}%Z, {listed(f'({chr(34)}{c}{chr(34)}, {self.number(v)})' for c, v in row.items() if v != '0')})"
            for index, row in enumerate((embedding["words"] or {}).values())
        )
        positions = [f'("{c}", fun i : Z => ({self.number(v)} : R))' for c, v in embedding["positions"].items()]
        fields = [
            f"start := {embedding['start']}",
            f"words := {listed(words)}",
            f"inputs := {quoted(embedding['inputs'] or [])}",
            f"positions := {listed(positions)}",
            "parts :=\n    [ " + ";\n      ".join(self.parts()) + " ]",
        ]
        given = f" ({' '.join(self.symbols)} : R)" if self.symbols else ""
        return f"Definition {self.module}{given} (n : Z) : model := {{|\n  " + ";\n  ".join(fields) + "\n|}."

    def premise(self, symbol: Any) -> str:
        """What is supposed of a symbol: that it is not zero, or where zero is allowed, that it is not negative."""
        least = symbol["lower"] == "0" and not symbol["lower_open"]
        return f"0 <= {symbol['name']}" if least else f"{symbol['name']} <> 0"

    def theorem(self) -> str:
        """run(NAME) with each name in the place where the run has it."""
        one = definitions().all[self.run]
        constant = " ".join([self.module, *self.symbols, "n"])
        arguments = []
        for param in one.params:
            if param in ("n", "w") or param in self.symbols:
                arguments.append(spelled(param))
                continue
            if param in self.relation.statistics:
                kind, done, norm = self.relation.statistics[param]
                epsilon = f" ({self.number(norm['epsilon'])})" if kind == "deviation" else ""
                value = f"{kind} {quoted(norm['reads'])}{epsilon} (stage ({constant}) n w given {done})"
            else:
                done, coordinate = self.relation.places.get(param, (0, param))
                value = f'stage ({constant}) n w given {done} "{coordinate}"'
            arguments.append(f"({value} i)" if self.relation.pointwise else f"({value})")
        bound = "".join(f" ({s} : R)" for s in self.symbols)
        at = " (i : Z)" if self.relation.pointwise else ""
        premises = "".join(f"{self.premise(s)} -> " for s in self.model["symbols"])
        return (
            f"Theorem {self.module}_runs : forall (n : Z) (w : Z -> Z) (given : stream){bound}{at}, "
            f"{premises}{self.run} {' '.join(arguments)}.\nProof. runs {self.run} {self.module}. Qed."
        )


def models_of(name: str) -> list[str]:
    """The stored models whose run the statement `name` supposes."""
    return sorted({found[2] for found in MODEL_CALL.finditer(library().statements[name].text) if found[1] == "run"})


def model_module(name: str) -> str:
    return f"stored_{name.replace('-', '_')}"


def model_file(name: str) -> str:
    written = Written(name)
    return f"""(* {name}: its matrices, and its run. Written by proofs/coq.py from proofs/models/{name}.json. *)
From Coq Require Import Reals ZArith Lra List String.
From Symcook Require Import Meaning Laws Model Definitions.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

{written.constant()}

{written.theorem()}
"""
