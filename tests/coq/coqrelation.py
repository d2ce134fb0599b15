"""A file for Coq with the theorem that the run of a family's model has the family's relation, at all sizes and tables.

The relation is the text of `symcook.proof.familyrel`, the model the function that coqfamily.py prints. Each part of the
model is a step with a stream before and behind it, and each equation of the relation is about one step: this writes
which, and the tactics of relations.v find the rest. Coq judges it, so that nothing here is trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from coqfamily import WEIGHTINGS, Function, name

from symcook.coq import reading
from symcook.coq.models import MASKS
from symcook.model.family import Family, load, shipped
from symcook.model.plainfamily import Declared, FamilyLayer, Norm, PlainFamily, Repeat
from symcook.proof.familyrel import FamilyRelation, Held, before_first

MAKES = {"network": "network_of", "attention": "attention_of", "norm": "norm_of"}
INPUTS = "change (inputs the_model) with the_inputs; unfold the_inputs; apply input_missed; missed"
POSITIONS = "change (positions the_model) with the_positions; unfold the_positions; "


class Equation(NamedTuple):
    """A function of the relation, and what its equation is about."""

    function: str
    kind: str  # embed, begin (before the first round), block, normed, mean, deviation
    step: int
    coordinate: str
    rounds: bool
    indices: int


class Recorded(FamilyRelation):
    """The relation of a family, with the step that each equation is about."""

    def __init__(self, family: PlainFamily) -> None:
        self.at, self.kind, self.about = 0, "embed", ""
        self.recorded: list[Equation] = []
        self.carried: dict[str, str] = {}  # functions that carry coordinates from round to round
        super().__init__(family)

    def _equation(self, name: str, over: Any, text: str, before: Any = None) -> Held:
        held = super()._equation(name, over, text, before)
        kind = self.kind
        if kind == "normed" and re.fullmatch(r"(mu|dev)\d+_*", name):
            kind = "mean" if name.startswith("mu") else "deviation"
        self.recorded.append(Equation(name, kind, self.at, self.about or name, bool(self.rounds), len(over)))
        return held

    def _repeat(self, part: Repeat, number: int) -> int:
        self.kind = "begin"
        return super()._repeat(part, number)

    def _part(self, number: int, blocks: Sequence[object], norms: Sequence[object], placement: str) -> None:
        self.kind = ""
        super()._part(number, blocks, norms, placement)
        self.about = ""
        self.carried |= {function: one for one, function in self.done.items()} if self.rounds else {}

    def _norm(self, number: int, norm: Any) -> dict[str, Held]:
        self.at, self.kind, self.about = self.at + 1, "normed", ""
        return super()._norm(number, norm)

    def _added(self, block: Any, view: Any) -> Any:
        self.at, self.kind = self.at + (self.kind != "block"), "block"
        return super()._added(block, view)

    def _write(self, name: str, number: int, right: Any) -> None:
        self.about = name
        super()._write(name, number, right)


class Step(NamedTuple):
    """A network, the heads of a layer, or a norm with what it is of."""

    kind: str
    around: str
    made: str  # what is written, or the heads
    numbers: str  # of a norm
    epsilon: str
    writes: list[str]
    rounds: bool
    number: str = ""  # of the layer, where it is no numeral and norms stand in it

    @property
    def refuses(self) -> bool:
        return self.numbers.endswith("true")

    @property
    def parts(self) -> int:
        return 2 if self.kind == "norm" else 1


class Stepped(Function):
    """The function of a family, by its steps."""

    def numbers(self) -> Iterator[tuple[FamilyLayer, bool, str]]:
        """Each layer, whether it is in rounds, and the number that the model gives it."""
        fixed, more = 0, ""
        for part in self.family.layers:
            each, lasting = len(part.layers), ""
            if part.over:
                index, low = name(part.over[0].name), self.integer(part.over[0].low)
                lasting = f"{each} * Z.to_nat ({self.integer(part.over[0].high)} - {low} + 1)"
            for layer in part.layers:
                fixed += 1
                if part.over:
                    yield layer, True, f"({fixed} + {each} * ({index} - {low}))"
                else:
                    yield layer, False, f"(Z.of_nat ({fixed} + {more}))" if more else f"{fixed}"
            if part.over:
                fixed, more = fixed - each, lasting

    def steps(self) -> Iterator[Step]:
        for place, (layer, rounds, called) in enumerate(self.numbers(), 1):
            for heads, norms in ((True, layer.attention_norms), (False, layer.feedforward_norms)):
                made = [w.to.name for one in norms for w in one.writes]
                quoted = "; ".join(f'"{one}"' for one in made)
                number = called if made and not called.isdecimal() else ""
                around = f"{{| space := coordinates; layer := {number or place}; made := [{quoted}] |}}"
                step = partial(Step, around=around, rounds=rounds, number=number)
                for one in norms:
                    yield self.of_norm(one, step, place)
                self.made = made
                if heads and layer.heads:
                    texts = [self.head(one).replace("a_head a ", "a_head around ") for one in layer.heads]
                    writes = [w.to.name for one in layer.heads for w in one.writes]
                    text = "; ".join(f"({one})" for one in texts)
                    yield step("attention", made=text, numbers="", epsilon="", writes=writes)
                elif not heads and layer.feedforward:
                    writes = [w.to.name for w in layer.feedforward]
                    text = self.written(layer.feedforward, self.form)
                    yield step("network", made=text, numbers="", epsilon="", writes=writes)
                self.made = []

    def of_norm(self, norm: Norm, step: Callable[..., Step], place: int) -> Step:
        numbers = [self.rational(one) for one in (norm.gain, norm.bias, norm.epsilon)]
        refuses = "true" if norm.zero == "refuse" else "false"
        names = [f"y{place}_{w.to.name}" for w in norm.writes]
        text = self.written(norm.writes, self.form)
        said = " ".join([*numbers, refuses])
        return step("norm", made=text, numbers=said, epsilon=numbers[2], writes=names)


class Theorem:
    """What Coq is asked of a family with these choices. `relation` is another family's in its place, if given."""

    def __init__(self, family: Family, choices: Mapping[str, str], relation: PlainFamily | None = None) -> None:
        self.family, self.function = family, Stepped(family)
        self.relation = Recorded(PlainFamily(family.document, choices))
        self.text = (Recorded(relation) if relation else self.relation).run()
        self.steps = list(self.function.steps())
        self.chosen = {}
        for key, many in family.choices.items():
            said = choices.get(key, many[0])
            self.chosen[key] = MASKS[said] if self.function.masks(many) else WEIGHTINGS[said]
        loops = [part.over[0] for part in family.layers if part.over]
        if len(loops) > 1:
            raise ValueError("rounds behind rounds")
        self.loop = loops[0] if loops else None
        self.round = name(self.loop.name) if self.loop else ""
        self.low = self.function.integer(self.loop.low) if self.loop else ""
        self.high = self.function.integer(self.loop.high) if self.loop else ""
        inside = [k for k, step in enumerate(self.steps, 1) if step.rounds]
        self.ahead = inside[0] - 1 if inside else len(self.steps)  # steps before the rounds
        self.last = inside[-1] if inside else len(self.steps)  # and the last of them
        self.start, self.end = family.start, "n" if family.start else "(n - 1)"
        self.name = f"{family.name.replace('-', '_')}_relation"
        self.sorts = self._sorts()

    def _sorts(self) -> dict[str, Any]:
        pairs = [("n", "Int"), ("w", "Int->Int")] if re.search(r"\bn\b", self.text) else []
        pairs += [(one, sort) for one, _, sort in (each.partition(":") for each in self.relation.names)]
        sorts: dict[str, Any] = {}
        for one, sort in pairs:
            arguments, arrow, value = sort.rpartition("->")
            sorts[one] = ("fun", tuple(arguments.split("*")), value) if arrow else sort
        return sorts

    # --- what is said ---

    def defined(self, called: str, text: str, sorts: Mapping[str, Any]) -> str:
        head = " ".join(f"({reading.spelled(one)} : {reading.sort_text(sort)})" for one, sort in sorts.items())
        formula = reading.Reading(reading.definitions()).formula(reading.parsed(text), self.sorts)
        return f"Definition {called} {head} : Prop := {formula}."

    @property
    def warm(self) -> list[str]:
        """That temperatures are above zero."""
        texts = dict.fromkeys(premise.text for premise in self.relation.premises_before)
        return [one for one in texts if not one.startswith("n <=")]

    def said(self) -> list[str]:
        family = self.family
        fixed = {k: s for k, s in self.sorts.items() if k in ("n", "w", *family.sizes, *family.tables)}
        warm = [self.defined(f"warm_{k}", one, fixed) for k, one in enumerate(self.warm)]
        relation = self.defined(self.name, self.text, self.sorts)
        return ["Module Said.", "Import Meaning.Reading.", "Open Scope R_scope.", relation, *warm, "End Said."]

    @property
    def given(self) -> list[str]:
        """What the relation is about: length, word, sizes and tables."""
        made = ["n", "w"] if "n" in self.sorts else []
        made += map(name, self.family.sizes)
        for key, table in self.family.tables.items():
            indices = [f"k{k}" for k in range(len(table.over))]
            entry = " ".join([name(key), *indices])
            bound = f"fun {' '.join(f'({k} : Z)' for k in indices)} => " if indices else ""
            made.append(name(key) if table.sort == "Int" else f"({bound}real ({entry}))")
        return made

    def related(self, stream: Callable[[int, str], str]) -> str:
        """The relation of the values that a stream has behind each step."""
        family, relation = self.family, self.relation
        equations = {one.function: one for one in relation.recorded}
        values = []
        for function in relation.functions:
            indices = len(family.space[function]) if function in family.space else 0
            one = equations.get(function, Equation(function, "embed", 0, function, False, indices))
            at = one.step
            if one.kind in ("mean", "deviation"):
                more = f" {self.steps[at - 1].epsilon}" * (one.kind == "deviation")
                of, bound = self.around(at, "t_"), "(t_ : Z) " * one.rounds
                before = self.before(at, "t_", stream)
                values.append(f"(fun {bound}(i : Z) => norm_{one.kind} {of}{more} {before} i)")
                continue
            carried = function in relation.carried
            coordinate = relation.carried.get(function, one.coordinate)
            spot = f'"{coordinate}"'
            if one.kind == "normed":
                again = re.sub(r"(y\d+_)(\w+)_", r"\1again_\2", coordinate)  # as the function calls it
                spot = self.spot(at, again, "t_")
            arguments = [f"k{k}" for k in range(one.indices)]
            bound = [*["t_"] * (carried or one.rounds), *arguments, *["i"] * (not family.pointwise)]
            body = f"get {stream(self.last if carried else at, 't_')} {spot} [{'; '.join(arguments)}] i"
            values.append(f"(fun {' '.join(f'({k} : Z)' for k in bound)} => {body})" if bound else f"({body})")
        return f"{'forall i : Z, ' * family.pointwise}{' '.join([self.name, *self.given, *values])}"

    # --- steps and streams ---

    def behind(self, step: int, at: str = "") -> str:
        """The stream behind a step."""
        if not self.ahead < step <= self.last:
            return f"stream{step}"
        return f"({'behind' if step == self.last else f'inner{step}'} {at or self.round})"

    def before(self, step: int, at: str = "", stream: Callable[[int, str], str] | None = None) -> str:
        """The stream before a step."""
        stream, at = stream or self.behind, at or self.round
        if self.loop and step == self.ahead + 1:
            return stream(self.last, f"({at} - 1)")
        return stream(step - 1, self.high if self.loop and step == self.last + 1 else at)

    def around(self, k: int, at: str = "") -> str:
        """The names around a norm, and what it is of."""
        step, at = self.steps[k - 1], at or self.round
        around = f"(around{k} {at})" if step.number and step.rounds else f"around{k}"
        return f"{around} (writes{k} {at})" if step.rounds else f"{around} writes{k}"

    def spot(self, k: int, called: str, at: str = "") -> str:
        """The coordinate of a step that the relation calls so."""
        number = self.steps[k - 1].number
        if not number or not (made := re.fullmatch(r"y\d+_(\w+)", called)):
            return f'"{called}"'
        if self.steps[k - 1].rounds:
            number = re.sub(rf"\b{self.round}\b", at or self.round, number)
        return f'(mark {number} "{made[1]}")'

    def count(self, first: int, last: int) -> int:
        return sum(step.parts for step in self.steps[first - 1 : last])

    def stage(self, step: int, at: str = "") -> str:
        """The same stream as the stage of the run that it is."""
        at, first = at or self.round, self.count(1, self.ahead)
        each = self.count(self.ahead + 1, self.last)
        if step <= self.ahead:
            number = f"{self.count(1, step)}"
        elif step > self.last:
            more = self.count(self.last + 1, step)
            number = f"({first} + {each} * Z.to_nat ({self.high} - ({self.low} - 1)) + {more})"
        elif step == self.last:
            number = f"({first} + {each} * Z.to_nat ({at} - ({self.low} - 1)))"
        else:
            number = f"({first} + {each} * Z.to_nat ({at} - {self.low}) + {self.count(self.ahead + 1, step)})"
        return f"(stage the_model n w given {number})"

    def of(self, k: int) -> str:
        """What a step makes its part of."""
        step = self.steps[k - 1]
        made = "heads" if step.kind == "attention" else "writes"
        around = self.around(k).rpartition(" ")[0] if not step.rounds else self.around(k).partition(" (writes")[0]
        return f"{MAKES[step.kind]} {around} ({made}{k}{f' {self.round}' * step.rounds}) {step.numbers}"

    def rounds(self, k: int) -> str:
        between = f"forall {self.round} : Z, {self.low} <= {self.round} <= {self.high} -> "
        return between if self.steps[k - 1].rounds else ""

    def above(self, k: int, stream: str) -> str:
        deviation = f"norm_deviation {self.around(k)} {self.steps[k - 1].epsilon} {stream} i"
        return f"above{k} : {self.rounds(k)}forall i : Z, {self.start} <= i <= {self.end} -> (0 < {deviation})%R"

    def definitions(self) -> Iterator[str]:
        f, family = self.function, self.function.family
        sizes = [f"({name(size)} : Z)" for size in family.sizes]
        for key, table in family.tables.items():
            sizes.append(f"({name(key)} : {'Z -> ' * len(table.over)}{'Z' if table.sort == 'Int' else 'Q'})")
        yield f"Variables {' '.join(sizes)} (n : Z)."
        space = [Declared(one, over) for one, over in family.space.items()]
        yield f"Definition coordinates : list spot := {f.cells(space, '{}')}."
        own = [re.match(r"\((\w+)", one)[1] for one in sizes]  # type: ignore[index]
        yield f"Definition the_model : model := {' '.join([f.called, *own, *self.chosen.values(), 'n'])}."
        yield f"Definition the_words (w : Z) : list (spot * Q) := {f.written(family.words, f.rational)}."
        yield f"Definition the_inputs : list string := {f.cells(family.inputs, 'label {}')}."
        positions = f.written(family.positions, f.open, "(label {}, fun i : Z => value {form})")
        yield f"Definition the_positions : list (string * (Z -> R)) := {positions}."
        for k, step in enumerate(self.steps, 1):
            at = f"({self.round} : Z) " * (step.rounds and bool(step.number))
            yield f"Definition around{k} {at}: around := {step.around}."
            at = f"({self.round} : Z) " * step.rounds
            if step.kind == "attention":
                around = f"(around{k} {self.round})" if step.rounds and step.number else f"around{k}"
                text = re.sub(r"\baround\b", around, step.made)
                for key, value in self.chosen.items():
                    text = re.sub(rf"\b{key}\b", value, text)
                yield f"Definition heads{k} {at}: list head := [{text}]."
            else:
                yield f"Definition writes{k} {at}: writes := {step.made}."
            yield f"Definition step{k} {at}: list part := {self.of(k)}."
        if self.loop:
            yield f"Definition round ({self.round} : Z) : list part := {self.joined(self.ahead + 1, self.last)}."
        yield "Variables (w : Z -> Z) (given : stream)."

    def joined(self, first: int, last: int) -> str:
        """The parts of some steps."""
        made = [f"step{k}{f' {self.round}' * self.steps[k - 1].rounds}" for k in range(first, last + 1)]
        return f"({' ++ '.join([*made, 'nil'])})%list"

    # --- hypotheses, and what is kept ---

    @property
    def most(self) -> str:
        vocabulary = self.family.vocabulary
        return "(0 - 1)" if vocabulary is None else f"({self.function.integer(vocabulary)} - 1)"

    def supposed(self) -> Iterator[str]:
        """Of rounds with steps behind them, of the word and of temperatures."""
        if self.last < len(self.steps):
            yield f"Hypothesis least : {self.low} - 1 <= {self.high}."
        if self.family.vocabulary is not None:
            yield f"Hypothesis typed : forall i : Z, {self.start} <= i <= {self.end} -> 0 <= w i <= {self.most}."
        for k in range(len(self.warm)):
            yield f"Hypothesis warm{k} : warm_{k} {' '.join(self.given)}."

    def streams(self) -> Iterator[str]:
        yield f"Variables ({' '.join(f'stream{k}' for k in range(self.ahead + 1))} : stream)."
        yield "Hypothesis made0 : stream0 = embedded the_model w given."
        if self.loop:
            inner = [f"inner{k}" for k in range(self.ahead + 1, self.last)]
            yield f"Variables ({' '.join([*inner, 'behind'])} : Z -> stream)."
            first = self.function.integer(before_first(self.loop.low))
            yield f"Hypothesis begun : behind {first} = stream{self.ahead}."
        if behind := [f"stream{k}" for k in range(self.last + 1, len(self.steps) + 1)]:
            yield f"Variables ({' '.join(behind)} : stream)."
        for k, step in enumerate(self.steps, 1):
            made = f"step ({self.of(k)}) {self.start} {self.end} {self.before(k)}"
            yield f"Hypothesis made{k} : {self.rounds(k)}{self.behind(k)} = {made}."
            if step.refuses:
                yield f"Hypothesis {self.above(k, self.before(k))}."
        if self.family.longest is not None:
            yield f"Hypothesis fits : n <= {self.function.integer(self.family.longest)}."
        yield from self.supposed()

    def kept(self) -> Iterator[str]:
        """Where a coordinate is not written, it stays; where nothing has written it, it is zero."""
        family, space = self.family, self.family.space
        embedded = {w.to.name for w in (*family.words, *family.positions)} | {one.name for one in family.inputs}
        words = f"change (words the_model) with (map (fun t : Z => (t, word_row (the_words t))) (upto 0 {self.most}))"
        for one in (one for one in space if one not in embedded):
            yield f'Lemma zero_{one} : get stream0 "{one}" = fun _ _ => 0%R.'
            yield (
                "Proof. apply functional_extensionality; intros k; apply functional_extensionality; intros i. "
                "eapply eq_trans; [eapply (embedded_get the_model w given); [exact made0 | "
                f"{words}; apply words_missed; intro; unfold the_words; missed | {INPUTS} | "
                f"{POSITIONS}apply position_missed; missed] | ring]. Qed."
            )
            yield f"Hint Rewrite zero_{one} : kept."
        looped = {one for step in self.steps if step.rounds for one in step.writes}
        made = [
            (one, k, step.around) for k, step in enumerate(self.steps, 1) if step.kind == "norm" for one in step.writes
        ]
        for k, step in enumerate(self.steps, 1):
            proof = f"unfold {'heads' if step.kind == 'attention' else 'writes'}{k}; "
            proof = f"discriminate | {proof}heads_missed" if step.kind == "attention" else f"{proof}missed"
            here = f"apply made{k}; assumption" if step.rounds else f"exact made{k}"
            for one in [*space, *(one for one, at, around in made if at < k and around == step.around)]:
                if one in step.writes:
                    continue
                spot = f'"{one}"' if one in space else self.spot(k, one)
                same = f"get {self.behind(k)} {spot} = get {self.before(k)} {spot}"
                yield f"Lemma kept{k}_{one} : {self.rounds(k)}{same}."
                yield f"Proof. intros. eapply {step.kind}_kept; [{here} | {proof}]. Qed."
                if not step.rounds:
                    yield f"Hint Rewrite kept{k}_{one} : kept."
                elif one in looped or k < self.last:
                    yield f"Hint Rewrite kept{k}_{one} using (first [assumption | lia]) : kept."
        for one in (one for one in space if self.loop and one not in looped):
            same = f'get (behind {self.round}) "{one}" = get stream{self.ahead} "{one}"'
            between = f"{self.low} - 1 <= {self.round} <= {self.high}"
            yield f"Lemma still_{one} : forall {self.round} : Z, {between} -> {same}."
            each = [f"rewrite kept{k}_{one} by assumption." for k in range(self.last, self.ahead, -1)]
            yield f"Proof. apply unchanged; [exact begun|]. intros. {' '.join(each)} reflexivity. Qed."
            yield f"Hint Rewrite still_{one} using lia : kept."

    # --- proofs ---

    def proof(self, one: Equation) -> str:
        k, writes = one.step, f"unfold writes{one.step}; "
        made = f"(made{k} round_ within_)" if one.rounds else f"made{k}"
        at = f"get {self.behind(k, 'round_')} ?s ?k ?i"
        if one.kind == "begin":
            return "rewrite begun. viewed; agree."
        if one.kind == "embed":
            words = "instantiate (1 := 0%R); reflexivity"
            if self.family.vocabulary is not None:
                token = f"apply (from_words_value the_words 0 {self.most}); apply typed; inside"
                words = f"eapply eq_trans; [{token} | unfold the_words; worded]"
            begun = "try rewrite begun. autorewrite with kept. " if self.loop else ""
            value = f"[exact made0 | {words} | {INPUTS} | {POSITIONS}positioned]"
            value = f"[eapply (embedded_get the_model w given); {value} | viewed; agree]"
            return f"{begun}first [solve [cbv beta; reflexivity] | eapply eq_trans; {value}]."
        if one.kind in ("mean", "deviation"):
            value = f"apply ({one.kind}_is {self.around(k, 'round_')}); [{writes}aparted | {writes}summed]"
            return f"eapply eq_trans; [{value} | viewed; rewrite ?real_whole, ?Rplus_0_r; agree]."
        if one.kind == "normed":
            return (
                f"lazymatch goal with |- context [{at}] => eapply (norm_then _ _ _ _ _ _ _ _ _ _ _ _ s k _ _ i) end; "
                f"[exact {made} | {writes}picked | cbn [snd]; meant | rewrite ?real_whole; lra | number_ | number_ "
                "| viewed; agree | viewed; agree]."
            )
        if self.steps[k - 1].kind == "network":
            value = f"eapply network_at; [exact {made} | {writes}picked | cbn [snd]; meant]"
            return f"autorewrite with kept. eapply eq_trans; [{value} | viewed; agree]."
        plain = at.replace("?", "")
        found = f"bounded {self.start} {self.end} i; pattern ({plain})"
        value = f"exact {made} | discriminate | unfold heads{k}; attended_ | seen_heads; viewed; headed"
        found = f"autorewrite with kept. lazymatch goal with |- context [{at}] => {found} end."
        return f"{found} eapply attention_then; [{value}]."

    def proofs(self) -> Iterator[str]:
        """The theorem for streams."""
        yield f"Theorem holds : {self.related(self.behind)}."
        yield f"Proof using All.\n{'intros i. ' * self.family.pointwise}unfold {self.name}."
        yield "repeat match goal with |- _ /\\ _ => split end."
        if self.family.longest is not None:
            yield "- apply IZR_le; exact fits."
        yield from (f"- exact warm{k}." for k in range(len(self.warm)))
        for one in self.relation.recorded:
            inside = f"assert (within_ : {self.low} <= round_ <= {self.high}) by inside. "
            begin = f"intros round_. taken. {inside}" if one.rounds else "taken. "
            yield f"- {begin}{self.proof(one)} (* {one.function} *)"
        for k, step in enumerate(self.steps, 1):
            if step.refuses:
                yield f"- {'intros round_. ' * step.rounds}taken. apply above{k}; inside."
        yield "Qed."

    def run(self) -> Iterator[str]:
        """The theorem for the run: its stages are such streams."""
        yield "Hypothesis run : has_run the_model n w given."
        yield from self.supposed()
        a, last = self.ahead, len(self.steps)
        flat = f"flat_map round (upto ({self.low}) ({self.high}))"
        post = self.joined(self.last + 1, last) if last > self.last else "nil"
        if self.loop:
            yield f"Lemma parts_are : parts the_model = ({self.joined(1, a)} ++ {flat} ++ {post})%list."
            yield f"Proof.\n  unfold the_model, {self.function.called}. cbv zeta. cbn [parts]. rewrite numbered_one."
            named = {step.number for step in self.steps}
            layers = [number for _, rounds, number in self.function.numbers() if rounds]
            said = ""  # the numbers of the round's layers, the last first
            for j, number in reversed([*enumerate(layers)]):
                if number in named:
                    at = re.sub(rf"\b{self.round}\b", "t_", number)
                    said += f"replace (Z.of_nat {'(S ' * j}r_{')' * j}) with {at} by lia; "
            lemma = f"{'numbered_rounds' if last > self.last else 'numbered_last'} _ round {len(layers)}"
            yield f"  cbn [numbered_from app]. rewrite ({lemma}) by"
            yield f"    (first [intros; reflexivity | intros t_ r_ e_; cbn [numbered_from]; {said}reflexivity])."
            yield "  rewrite ?app_nil_r. reflexivity.\nQed."
        yield f"Theorem runs : {self.related(self.stage)}.\nProof."
        for k, step in enumerate(self.steps, 1):
            if k > a:
                yield from self.staged(k, post)
                continue
            rest = self.joined(k + 1, a) if not self.loop else f"({self.joined(k + 1, a)} ++ {flat} ++ {post})%list"
            made = f"{self.stage(k)} = step step{k} {self.start} {self.end} {self.stage(k - 1)}"
            parts = "exact parts_are" if self.loop else "reflexivity"
            yield f"  assert (made{k} : {made}) by (apply (next_stage _ _ _ _ {self.joined(1, k - 1)} step{k} {rest}); "
            yield f"    [{parts} | reflexivity | reflexivity | reflexivity | lia])."
            if step.refuses:
                norm = f"around{k} writes{k} {step.epsilon} {self.count(1, k - 1)} _ _ _ {self.start} {self.end}"
                yield f"  assert ({self.above(k, self.stage(k - 1))})"
                yield f"    by (intros; eapply (above_from the_model n w given {norm});"
                given = "rewrite parts_are; reflexivity" if self.loop else "reflexivity"
                yield f"    [exact run | {given} | {given} | reflexivity | lia | lia])."
        terms = ["holds", *(self.stage(k) for k in range(a + 1)), "eq_refl"]
        if self.loop:
            terms += [f"(fun {self.round} : Z => {self.stage(k)})" for k in range(a + 1, self.last + 1)] + ["eq_refl"]
            terms += [self.stage(k) for k in range(self.last + 1, last + 1)]
        for k, step in enumerate(self.steps, 1):
            terms += [f"made{k}"] + [f"above{k}"] * step.refuses
        terms += ["(le_IZR _ _ (proj1 run))"] * (self.family.longest is not None)
        terms += ["least"] * (last > self.last)
        terms += ["typed"] * (self.family.vocabulary is not None) + [f"warm{k}" for k in range(len(self.warm))]
        yield f"  exact ({' '.join(terms)}).\nQed."

    def staged(self, k: int, post: str) -> Iterator[str]:
        """A step of a round, or behind the rounds."""
        step, a, t, first = self.steps[k - 1], self.ahead, self.round, self.count(1, self.ahead)
        each, n = self.count(a + 1, self.last), "stage the_model n w given"
        before = self.before(k, t, self.stage)
        made = f"{self.stage(k)} = step (step{k}{f' {t}' * step.rounds}) {self.start} {self.end} {before}"
        low, high = (a + 1, self.last) if step.rounds else (self.last + 1, len(self.steps))
        inside = f"{self.joined(low, k - 1)} (step{k}{f' {t}' * step.rounds}) {self.joined(k + 1, high)}"
        numbers = f"{self.count(low, k - 1)} {self.count(low, k)} {self.start} {self.end}"
        loop = f"{self.joined(1, a)} round ({self.low}) ({self.high}) {post} {each} {first}"
        quick, within = "ltac:(reflexivity)", f"{t} within_ " if step.rounds else ""
        yield f"  assert (made{k} : {self.rounds(k)}{made})."
        yield f"  {{ intros {within}." if step.rounds else "  {"
        at = f"{t} " * step.rounds
        part = "round" if step.rounds else "behind"
        yield f"    assert (made_ := {part}_stage the_model n w given {loop} {at}{inside}"
        yield f"      {numbers} parts_are ltac:(intros; reflexivity) {quick}{' within_' * step.rounds} {quick} {quick}"
        yield f"      {quick} {quick} ltac:(lia))."
        yield "    refine (eq_trans _ (eq_trans made_ _)); [f_equal; lia | f_equal; f_equal; lia]. }"
        if not step.refuses:
            return
        turn = f"Z.to_nat ({t} - {self.low})" if step.rounds else f"Z.to_nat ({self.high} - ({self.low} - 1))"
        number = f"({first} + {each} * {turn} + {self.count(low, k - 1)})"
        given = f"apply ({part}_part _ {self.joined(1, a)} {post} round {self.low} {self.high}); "
        bounds = " exact within_ |" * step.rounds
        given += f"[exact parts_are | intros; reflexivity | reflexivity |{bounds} reflexivity]"
        next_ = f"rewrite <- Nat.add_succ_r; {given}"
        yield f"  assert ({self.above(k, before)})."
        yield f"  {{ intros {within}i place_."
        yield f"    replace {before} with ({n} {number}) by (f_equal; lia)."
        yield f"    eapply (above_from the_model n w given {self.around(k)} {step.epsilon} {number} _ _ _"
        yield f"      {self.start} {self.end}); [exact run | {given} | {next_} | reflexivity | lia | lia]. }}"

    def file(self) -> str:
        lines = [
            "From Coq Require Import Reals ZArith QArith Lia Lra List String FunctionalExtensionality.",
            "From Symcook Require Import Meaning Laws Model functions relations.",
            "Import ListNotations.",
            *self.said(),
            "Import Said.\nOpen Scope string_scope.\nOpen Scope Z_scope.",
            self.function.text(),
            "Section Sizes.",
            *self.definitions(),
            "Section Streams.",
            *self.streams(),
            *self.kept(),
            *self.proofs(),
            "End Streams.",
            *self.run(),
            "End Sizes.",
        ]
        return "\n".join(lines) + "\n"


def cases() -> Iterator[tuple[str, dict[str, str]]]:
    """Each family that ships, with each of its choices."""
    for path in sorted(shipped("max").parent.glob("*.json")):
        choices = load(path).choices
        yield from ((path.stem, dict(zip(choices, one, strict=True))) for one in product(*choices.values()))


def key(family: str, choices: Mapping[str, str]) -> str:
    return ", ".join([family, *(f"{one} = {value}" for one, value in choices.items())])
