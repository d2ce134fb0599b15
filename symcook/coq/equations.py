"""The two theorems about the run of a stored model: it satisfies the model's equations (`runs`), and it is their only
solution (`only`). There is one lemma for each equation.

Each lemma is proved by a tactic of Model.v (`holds_in_run`, `determined`) without the other equations; in a single
proof, every step would have a hundred of them in scope. The theorems only combine the lemmas. Equations that differ
only in names share one proposition, so that the lemma that the equation determines its value is proved once for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symcook.coq.reading import Defined, Reading, definitions, parsed, sort_text, spelled
from symcook.coq.ring import Lemmas
from symcook.coq.shapes import joined, parted
from symcook.coq.term import Term, Untranslatable, conjuncts, formula
from symcook.model.steps import (
    Activate,
    Attend,
    Centre,
    DivideByRms,
    LinearMap,
    PartStep,
    Products,
    Read,
    ScaleEntries,
)

if TYPE_CHECKING:
    from symcook.coq.models import WrittenModel
    from symcook.model.expr import Tree
    from symcook.proof.definitions import RunDefinition


def _in_coq(step: PartStep) -> None:
    """Untranslatable for a part for which proofs/coq/Model.v has no constructor."""
    match step:
        case Attend(Products(queries, keys, _, _), values, _, _):
            sides = [isinstance(one, LinearMap) and one.bias is None for one in (queries, keys, values)]
            if all(sides):
                return
        case LinearMap(Activate(LinearMap(Read(), _, _), "relu" | "step" | "gelu"), _, _):
            return
        case ScaleEntries(DivideByRms(Centre(Read() | LinearMap(Read(), _, None)), _, _), _, _):
            return
    raise Untranslatable("a model in Coq may have heads, layer norms, and feed-forward layers with relu, step or gelu")


class Equations:
    """The lemmas of the model of `written`, and the proofs of its theorems from them. `definition` is the relation of
    the model as a definition of the source.

    pointwise: the model reads numbers and works on each position by itself, so that its relation is about one position
    and values are numbers; else values are functions of the position. place: the term of the run for each value. known,
    supposed: the variables and hypotheses with which all lemmas begin. of: the binders of the length, the input and the
    symbols, with which all propositions begin. shapes: {body of a proposition: its name}. equations: the proposition
    and values of each equation. holds_lemmas: for each equation the proof that it holds in the run. brackets: the
    conjunction that the relation is, without its parts. text: the propositions and lemmas, as Coq has them. proofs: the
    results of `runs` and `only`.
    """

    def __init__(self, written: WrittenModel, definition: Defined) -> None:
        self.written, self.definition, self.relation = written, definition, written.relation
        for step in self.relation.steps.values():
            _in_coq(step)
        self.pointwise, self.symbols = written.relation.pointwise, list(written.symbols)
        self.place = dict(zip(definition.params, written.places(definition), strict=True))
        self.sort = "Real" if self.pointwise else ("fun", ("Int",), "Real")
        self.of = f"(n : Z) (w : Z -> Z){''.join(f' ({s} : R)' for s in self.symbols)}"
        self.supposed = [f"given{k}" for k in range(len(self.symbols))]
        self.known = ["n", "w", "given", *self.symbols, *(["i"] if self.pointwise else [])]
        self.lemmas, self.shapes = Lemmas(), dict[str, str]()
        self.equations = [self.equation(definition) for definition in self.relation.definitions]
        self.holds_lemmas = [self.holds(shape, value_names) for shape, value_names in self.equations]
        self.brackets = skeleton(definition.body)
        runs, only = self.runs(), self.only()
        shape_texts = [f"Definition {name} {body}.\n" for body, name in self.shapes.items()]
        self.text, self.proofs = "".join([*shape_texts, *self.lemmas.lines]), (runs, only)

    def equation(self, definition: RunDefinition) -> tuple[str, list[str]]:
        """An equation of the model: the name of its proposition, which is about values a0, a1, .., and the names of the
        model's values to which these correspond. The first is the value that the equation defines."""
        # With the names a0, a1, .. equations that differ only in names get the same proposition.
        value_names = [name for name in (definition.function, *definition.reads()) if name in self.written.values]
        new = {name: f"a{k}" + "_" * (f"a{k}" in self.symbols) for k, name in enumerate(value_names)}
        text = definition.spelled(lambda function, place: self.relation.call(new.get(function, function), place))
        if not self.pointwise:
            text = f"all i in {self.relation.low}..{self.relation.high}. {text}"
        sorts = {**self.written.sorts, "w": ("fun", ("Int",), "Int"), **dict.fromkeys(new.values(), self.sort)}
        head = f"{self.of} ({' '.join(new.values())} : {sort_text(self.sort)}) : Prop"
        body = f"{head} :=\n  {Reading(definitions()).formula(parsed(text), sorts)}"
        return self.shapes.setdefault(body, f"{self.written.module}_equation{len(self.shapes)}"), value_names

    def said(self, shape: str, values: Sequence[str]) -> str:
        """The proposition `shape` applied to these values, as text."""
        return " ".join([shape, "n", "w", *self.symbols, *values])

    def holds(self, shape: str, value_names: Sequence[str]) -> str:
        """The lemma that an equation holds in the run, applied to its arguments."""
        written = self.written
        statement = f"forall {written.bound}, {written.premises}\n  {written.stream}\n  "
        statement += self.said(shape, [self.place[name] for name in value_names])
        name = self.lemmas.name(statement, f"holds_in_run {shape} {written.module}.", f"{written.module}_run")
        return f"({' '.join([name, *self.known, *self.supposed])})"

    def determines(self, shape: str, value_names: Sequence[str]) -> str:
        """The lemma that an equation determines its value: if two values satisfy it, together with equal other values,
        they are equal. The lemma assumes that the deviations that it reads are positive, where a norm rejects zero
        variance or the deviation is sure to be positive."""
        written = self.written
        above = {*written.refused, *written.sure}
        first_values, second_values = ([f"{letter}{k}_" for k in range(len(value_names))] for letter in "ab")
        same = [self.everywhere(f"{a}@ = {b}@") for a, b in zip(first_values, second_values, strict=True)]
        positive_steps = [
            self.everywhere(f"0 < {a}@")
            for a, name in zip(first_values[1:], value_names[1:], strict=True)
            if name in above
        ]
        steps = [*same[1:], *positive_steps, self.said(shape, first_values), self.said(shape, second_values), same[0]]
        bound = f"{self.of} ({' '.join([*first_values, *second_values])} : {sort_text(self.sort)})"
        statement = f"forall {bound}, {written.premises}{' -> '.join(steps)}"
        return self.lemmas.name(statement, f"determined {shape}.", f"{written.module}_same")

    def everywhere(self, text: str) -> str:
        """A formula about values, for all positions, or the only one; `text` has @ in place of the position."""
        if self.pointwise:
            return text.replace("@", "")
        return f"(forall i : Z, {self.written.range} -> {text.replace('@', ' i')})"

    def split(self, number: int) -> bool:
        """Whether an equation is two parts of the relation: in a pointwise model that of a norm is a conjunction."""
        return self.pointwise and parsed(self.relation.equations[number])[:2] == ("op", "&")

    def runs(self) -> str:
        """The proof that the relation holds of the run if and only if there is a run."""
        needed = self.written.needed()
        # The order of the parts: the conditions for a run, the equations, the conditions of norms that reject zero
        # variance.
        before = [f"need{k}" for k, (about, *_) in enumerate(needed) if about not in self.written.refused]
        proofs = list(before)
        for number, holds_proof in enumerate(self.holds_lemmas):
            proofs += [f"(proj1 {holds_proof})", f"(proj2 {holds_proof})"] if self.split(number) else [holds_proof]
        proofs += [f"need{k}" for k in range(len(before), len(needed))]
        names = " ".join([*self.known, *self.supposed, self.written.x])
        joined_lemma = joined(self.lemmas, self.brackets)
        steps = [
            f"assert (need{k} : {text}) by exact {proof}" if text else f"assert (need{k} := {proof})"
            for k, (_, text, proof) in enumerate(needed)
        ]
        last = f"exact ({parts_of(joined_lemma, self.brackets)} {' '.join(proofs or ['I'])})"
        return f"intros {names}. split; [{self.has_run()} | intros ran]. {'. '.join([*steps, last])}."

    def has_run(self) -> str:
        """The proof that there is a run if the relation holds."""
        count, needed = len(conjuncts("&", self.brackets)), self.written.needed()
        first = len(needed) - len(self.written.refused)
        places = [*range(first), *range(count - len(self.written.refused), count)]
        facts = {about: f"part{place}" for (about, *_), place in zip(needed, places, strict=True)}
        opened = f"refine ({parts_of(parted(self.lemmas, self.brackets), self.brackets)} _ holds _); clear holds"
        labels = " ".join(f"part{k}" for k in range(count))
        start = (
            f"intros holds; unfold {self.definition.name} in holds; {opened}; intros {labels}" if needed else "intros _"
        )
        everywhere = f"apply possible_all; exact {self.written.possible(facts)}"
        return f"{start}; split; [exact {facts.get('', 'I')} | {everywhere}]"

    def only(self) -> str:
        """The proof that the relation has no other solution: one value after the other equals that of the run."""
        written = self.written
        names = [*self.known, *map(spelled, written.values), *self.supposed, "holds", written.x]
        names += [f"same_{v}" for v in written.given]
        # The hypothesis is taken apart into part0, part1, ...; equations begin after the conditions for a run.
        opened = parts_of(parted(self.lemmas, self.brackets), self.brackets)
        count = len(conjuncts("&", self.brackets))
        steps = [
            f"intros {' '.join(names)}",
            f"unfold {self.definition.name} in holds; refine ({opened} _ holds _); clear holds",
            f"intros {' '.join(f'part{k}' for k in range(count))}",
        ]
        place = len(written.needed()) - len(written.refused)
        positive_of = {v: f"part{count - len(written.refused) + k}" for k, v in enumerate(written.refused)}
        # Each value is determined by its equation and by earlier values, for which equality is proved already.
        for number, (shape, value_names) in enumerate(self.equations):
            part = f"(conj part{place} part{place + 1})" if self.split(number) else f"part{place}"
            place += 1 + self.split(number)
            arguments = [
                *self.symbols,
                *map(spelled, value_names),
                *(self.place[name] for name in value_names),
                *self.supposed,
            ]
            known_facts = [
                *(f"same_{v}" for v in value_names[1:]),
                *(positive_of[v] for v in value_names[1:] if v in positive_of),
            ]
            lemma = [
                self.determines(shape, value_names),
                "n",
                "w",
                *arguments,
                *known_facts,
                part,
                self.holds_lemmas[number],
            ]
            steps.append(f"assert (same_{value_names[0]} := {' '.join(lemma)})")
            # A deviation that is positive in the run is positive in any solution; later equations divide by it.
            if value_names[0] in written.sure:
                positive_of[value_names[0]] = f"above_{value_names[0]}"
                positivity = written.sure[value_names[0]]
                proof = f"above_same _ _ _ same_{value_names[0]} (fun i => {positivity})"
                if self.pointwise:
                    proof = f"eq_ind_r (fun above => 0 < above) ({positivity}) same_{value_names[0]}"
                steps.append(f"assert (above_{value_names[0]} := {proof})")
        # The conclusion: all values are the same, as a conjunction.
        chain = skeleton(in_a_chain(len(written.values)))
        at = "" if self.pointwise else " i within"
        same = " ".join(f"(same_{v}{at})" for v in written.values)
        last = f"exact ({parts_of(joined(self.lemmas, chain), chain)} {same})"
        return ".\n  ".join([*steps, last if self.pointwise else f"intros i within. {last}"]) + "."


def skeleton(tree: Tree) -> Term:
    """The structure of a conjunction: a formula with the same brackets and `true` for each part."""
    return formula("&", *map(skeleton, tree[2:])) if tree[:2] == ("op", "&") else formula("true")


def in_a_chain(count: int) -> Any:
    """The tree of a right-nested conjunction of `count` parts."""
    return ("op", "&", ("true",), in_a_chain(count - 1)) if count > 1 else ("true",)


def parts_of(lemma: str, shape: Term) -> str:
    """A lemma about a conjunction of this structure, applied to a placeholder for each part, which Coq fills in."""
    return " ".join([lemma, *"_" * len(conjuncts("&", shape))])
