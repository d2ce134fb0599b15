"""A certificate's proof as a script of Coq: one method for each kind of node, without any search.

Facts are hypotheses h_LABEL, names are variables v_NAME. `Script.goal` is the goal that Coq has at this place, up to
conversion. Steps that compute (`pos`, `hyp`, `true`, ...) become `exact` with a proof term that normal.py makes. A new
fact is called hh in Coq until it gets its label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from symcook.coq.alike import Alike
from symcook.coq.checker import checker
from symcook.coq.enclosures import boxes, enclosure
from symcook.coq.ring import Lemmas, shown, trans
from symcook.coq.shapes import MANY, function, in_a_row, joined, obtained, parted, witnessed
from symcook.coq.term import (
    FALSE,
    Term,
    Untranslatable,
    cast,
    conjuncts,
    elaborate,
    elaborate_value,
    formula,
    gap,
    label_text,
    name_text,
    negation,
    numeral,
    real,
    rebuild,
    substitute,
    text,
    variable,
)

if TYPE_CHECKING:
    from symcook.proof.search import nodes
    from symcook.proof.terms import Sort


@cache
def axiom(name: str) -> Term:
    """An axiom of the checker as a formula."""
    return elaborate(checker().axioms()[name], "P")


class Script:
    """The script of one proof. `outside` has, by label, the lemmas and premises that it may use; `known` has the
    definitions of the source."""

    def __init__(self, outside: Mapping[str, tuple[Term, str]], known: Mapping[str, Any], lemmas: Lemmas) -> None:
        self.outside, self.known, self.lemmas = outside, known, lemmas  # outside: label -> (formula, name in Coq)
        self.goal = FALSE
        self.facts: dict[str, Term] = {}
        self.scope: dict[str, Any] = {}
        self.forms = Alike(lemmas)
        self.lines: list[str] = []
        self.indent = 0
        self.asserted = 0

    def write(self, line: str) -> None:
        """Add a line to the script."""
        self.lines.append("  " * self.indent + line)

    @contextmanager
    def braces(self, goal: Term):
        """{ ... } around the proof of a goal; facts and names that it introduces are gone afterwards."""
        before, facts, scope = self.goal, dict(self.facts), dict(self.scope)
        self.goal = goal
        self.write("{")
        self.indent += 1
        yield
        self.indent -= 1
        self.write("}")
        self.goal, self.facts, self.scope = before, facts, scope

    def prove(self, goal: Term, proof: nodes.Proof) -> None:
        """Write the proof of a goal in braces."""
        with self.braces(goal):
            self.nodes(proof)

    def nodes(self, proof: nodes.Proof) -> None:
        """The steps of a proof in order; many quantifiers in a row are taken by one lemma of shapes.py."""
        place = 0
        while place < len(proof):
            row = in_a_row(proof, place)
            if len(row) >= MANY:
                getattr(self, f"many_{row[0]['by']}")(row)
            else:
                for node in row:
                    getattr(self, f"by_{node['by']}")(node)
            if row[0]["by"] == "witness":
                self.show()
            place += len(row)

    def fact(self, label: str) -> tuple[Term, str]:
        """A fact and its name in Coq."""
        if label in self.facts:
            return self.facts[label], label_text(label)
        kind, _, axiom_name = label.partition(":")
        if kind == "ax":
            return axiom(axiom_name), f"ax_{axiom_name}"
        return self.outside[label]

    def formula(self, source: str) -> Term:
        """The formula that a node writes, with the names in scope."""
        return elaborate(checker().Reader(self.scope, self.known).formula(source), "P")

    def value(self, source: str, sort: Sort) -> Term:
        """The term or function that a node writes, where a value of this sort is wanted."""
        return elaborate_value(checker().Reader(self.scope, self.known).value(source, sort), sort)

    def pattern(self, label: nodes.Labels, fact: Term) -> str:
        """Note new facts, and return the pattern of Coq that gives them their names; a list of labels takes a
        conjunction apart."""
        if not isinstance(label, list):
            self.facts[label] = fact
            return label_text(label)
        self.facts.update(zip(label, conjuncts("&", fact), strict=True))
        names = iter(map(label_text, label))

        def taken_apart(f: Term) -> str:
            return f"[{taken_apart(f.kids[0])} {taken_apart(f.kids[1])}]" if f.op == "&" else next(names)

        return taken_apart(fact)

    def named(self, label: nodes.Labels, fact: Term) -> None:
        """The hypothesis hh gets its label."""
        pattern = self.pattern(label, fact)
        apart = pattern.startswith("[")  # one label may stand in a list
        self.write(f"destruct hh as {pattern}." if apart else f"rename hh into {pattern}.")

    def apart(self, labels: nodes.Labels, fact: Term) -> None:
        """The hypothesis hh, a conjunction, gets these labels."""
        if not isinstance(labels, list) or len(conjuncts("&", fact)) < MANY:
            self.named(labels, fact)
            return
        parts = conjuncts("&", fact)
        self.facts.update(zip(labels, parts, strict=True))
        self.write(f"refine ({parted(self.lemmas, fact)} {'_ ' * len(parts)}_ hh _); clear hh.")
        self.write(f"intros {' '.join(map(label_text, labels))}.")

    def opened(self, name: str, pattern: str) -> None:
        """Take a copy of a fact apart; `destruct` of the fact itself would clear it."""
        self.write(f"pose proof {name} as hh; destruct hh as {pattern}.")

    def show(self) -> None:
        """Restate the goal, as Coq does not reduce it after some steps."""
        self.write(f"change {text(self.goal)}.")

    # Nodes after which the proof of the goal goes on.

    def by_intro(self, node: nodes.Intro) -> None:
        """Introduce the variables of `all`, the premises of -> and what ~ denies, under these names."""
        labels: Sequence[Any] = node["as"]
        for label in labels:
            goal = self.goal
            if goal.op == "all":
                self.scope[label] = goal.data
                self.goal = substitute(goal.kids[0], [variable("var", (label, goal.data))])
                self.write(f"intros {name_text(label)}.")
            else:
                if isinstance(label, list) and len(label) >= MANY:
                    self.write("intros hh.")
                    self.apart(label, goal.kids[0])
                else:
                    self.write(f"intros {self.pattern(label, goal.kids[0])}.")
                self.goal = goal.kids[1] if goal.op == "->" else FALSE

    def by_pick(self, node: nodes.Pick) -> None:
        """Prove one side of a disjunction."""
        if node["side"] not in ("left", "right"):
            raise Untranslatable("a side is left or right")
        self.write(f"{node['side']}.")
        self.goal = self.goal.kids[0 if node["side"] == "left" else 1]

    def by_witness(self, node: nodes.Witness) -> None:
        """Give the witness of an existence."""
        value = self.value(node["term"], self.goal.data)
        self.write(f"exists {text(value)}.")
        self.goal = substitute(self.goal.kids[0], [value])

    def many_witness(self, chain: Sequence[nodes.Witness]) -> None:
        """Several witnesses at once."""
        sorts, values, body = [], [], self.goal
        for node in chain:
            sorts.append(body.data)
            values.append(self.value(node["term"], body.data))
            body = body.kids[0]
        names = [f"k{i}" for i in range(len(chain))]
        # The body as a function of all of them, so that Coq has it once.
        predicate = function(sorts, names, text(body, names[::-1]))
        self.write(f"refine ({witnessed(self.lemmas, sorts)} {predicate} {' '.join(map(text, values))} _).")
        self.goal = substitute(body, values[::-1])

    def by_obtain(self, node: nodes.Obtain) -> None:
        """Name what an existence asserts, and the fact about it."""
        fact, name = self.fact(node["fact"])
        self.scope[node["name"]] = fact.data
        body = substitute(fact.kids[0], [variable("var", (node["name"], fact.data))])
        if isinstance(node["as"], list) and len(node["as"]) >= MANY:
            self.opened(name, f"[{name_text(node['name'])} hh]")
            self.apart(node["as"], body)
        else:
            self.opened(name, f"[{name_text(node['name'])} {self.pattern(node['as'], body)}]")

    def many_obtain(self, chain: Sequence[nodes.Obtain]) -> None:
        """Open several existences at once."""
        fact, name = self.fact(chain[0]["fact"])
        sorts, values = [], []
        for node in chain:
            sorts.append(fact.data)
            values.append(variable("var", (node["name"], fact.data)))
            self.scope[node["name"]] = fact.data
            fact = fact.kids[0]
        fact = substitute(fact, values[::-1])
        names = [name_text(node["name"]) for node in chain]
        body = function(sorts, names, text(fact))
        self.write(f"refine ({obtained(self.lemmas, sorts)} {body} _ {name} _).")
        self.write(f"intros {' '.join(names)} hh.")
        self.apart(chain[-1]["as"], fact)

    def by_contra(self, node: nodes.Contra) -> None:
        """Assume the negation of the goal; a negated comparison is turned around."""
        goal = self.goal
        if goal.op == "~":
            self.write("intros hh.")
        else:
            self.write("apply NNPP; intros hh.")
            if goal.op in ("<=", "<"):
                self.write(f"apply {'not_le' if goal.op == '<=' else 'not_lt'} in hh.")
        self.named(node["as"], negation(goal))
        self.goal = FALSE

    def by_have(self, node: nodes.Have) -> None:
        """Prove a formula, then go on with it as a fact."""
        claimed = self.formula(node["show"])
        self.write(f"assert (hh : {text(claimed)}).")
        self.prove(claimed, node["proof"])
        self.named(node["as"], claimed)

    def same(self, f: Term, g: Term, name: str) -> str:
        """A proof of g from the proof `name` of f, which has the same normal form; Coq must know g at this place."""
        proof = self.forms.closed(f, g, self.forms.alike(f, g))
        return name if proof is None else f"(through {name} {proof})"

    def computed(self, f: Term) -> str:
        """A proof of a formula that is true by computation."""
        proof = self.forms.formula_proof(f, ())
        return "I" if proof is None else f"(proj2 {proof} I)"

    def by_use(self, node: nodes.Use) -> None:
        """Instantiate a fact with values and premises. A premise is another fact (by its label), true by computation
        ("!"), or proved here."""
        fact, name = self.fact(node["fact"])
        arguments = []
        how: Sequence[Any] = node["with"]
        for argument in how:
            # A variable of the fact: a value.
            if fact.op == "all":
                value = self.value(argument, fact.data)
                arguments.append(text(value))
                fact = substitute(fact.kids[0], [value])
                continue
            premise = fact.kids[0]
            # A premise with a proof of its own, which gets a name.
            if isinstance(argument, list):
                self.asserted += 1
                arguments.append(f"premise{self.asserted}")
                self.write(f"assert ({arguments[-1]} : {text(premise)}).")
                self.prove(premise, argument)
            elif argument == "!":
                arguments.append(self.computed(premise))
            else:
                other_fact, its_name = self.fact(argument[1:])
                arguments.append(self.same(other_fact, premise, its_name))
            fact = fact.kids[1] if fact.op == "->" else FALSE
        self.write(f"assert (hh : {text(fact)}) by exact ({' '.join([name, *arguments])}).")
        self.named(node["as"], fact)

    def by_ind(self, node: nodes.Indicator) -> None:
        """The two cases of an indicator: the formula with 1, or its negation with 0."""
        f = self.formula(node["of"])
        with_one, with_zero = (formula("=", real("ind", f), numeral(c)) for c in (1, 0))
        fact = formula("|", formula("&", f, with_one), formula("&", negation(f), with_zero))
        law = {"<=": "ind_le", "<": "ind_lt", "~": "ind_not"}.get(f.op, "ind_cases")
        operands = f.kids if f.op in ("<=", "<", "~") else (f,)
        self.write(f"assert (hh : {text(fact)}) by exact ({' '.join([law, *map(text, operands)])}).")
        self.named(node["as"], fact)

    def by_rewrite(self, node: nodes.Rewrite) -> None:
        """Replace one side of an equation by the other, in the goal or in a fact."""
        equation, name = self.fact(node["eq"])
        left, right = equation.kids
        if node.get("rev"):
            left, right, name = right, left, f"(eq_sym {name})"
        before, proof = self.fact(node["in"]) if "in" in node else (self.goal, "")
        places: dict[Term, Term] = {}  # each form in which the left side occurs: a variable for it

        def leaf(part: Term, _: int) -> Term | None:
            """A variable for a part that is the left side."""
            if part.loose or part.level not in ("R", "Z") or part.plain != left.plain:
                return None
            sort = "Real" if part.level == "R" else "Int"
            return places.setdefault(part, variable("var", (f"z{len(places)}", sort)))

        # Every part with the checker's text of the left side, also where it has other casts, which Coq distinguishes.
        pattern = rebuild(before, leaf)

        def put(values: Mapping[Term, Term]) -> Term:
            return rebuild(pattern, lambda part, _: values.get(part))

        # One form after the other: `motive` has the forms that are done already, and a variable for this one.
        state = {place: part for part, place in places.items()}
        for part, place in places.items():
            if part.level == "R":
                new, same = right, trans(self.forms.equal(part, left), name)
            else:  # an equation of integers, from that of real numbers
                new = elaborate(right.plain, "Z")
                ends = self.forms.equal(cast(part), left), self.forms.equal(right, cast(new))
                same = f"(eq_IZR {text(part)} {text(new)} {trans(ends[0], trans(name, ends[1]))})"
            motive = put({k: x for k, x in state.items() if k != place})
            function = f"(fun {text(place)}:{place.level} => {text(motive)})"
            if "in" in node:
                proof = f"(eq_ind {text(part)} {function} {proof} {text(new)} {same})"
            else:
                self.write(f"refine (@eq_ind_r {place.level} {text(new)} {function} _ {text(part)} {same}).")
            state[place] = new
        after = put(state)
        if "in" in node:
            self.write(f"assert (hh : {text(after)}) by exact {proof}.")
            self.named(node["as"], after)
        else:
            self.goal = after
            self.show()

    # Nodes that close the goal.

    def by_split(self, node: nodes.Split) -> None:
        """Prove the parts of a conjunction, one after the other."""
        proofs = iter(node["proofs"])
        if len(parts_of_goal := conjuncts("&", self.goal)) >= MANY:
            self.write(f"refine ({joined(self.lemmas, self.goal)}{' _' * 2 * len(parts_of_goal)}).")
            for conjunct, proof in zip(parts_of_goal, proofs, strict=True):
                with self.braces(conjunct):
                    self.nodes(proof)
            return

        def parts(f: Term) -> None:
            """Split a formula along its brackets, and prove the parts."""
            if f.op != "&":
                self.nodes(next(proofs))
                return
            self.write("split.")
            for k in f.kids:
                with self.braces(k):
                    parts(k)

        parts(self.goal)

    def by_hyp(self, node: nodes.Hyp) -> None:
        """Close the goal by a fact with the same normal form."""
        fact, name = self.fact(node["of"])
        self.write(f"exact {self.same(fact, self.goal, name)}.")

    def by_true(self, node: nodes.Closing) -> None:
        """Close a goal that is true by computation."""
        self.write(f"exact {self.computed(self.goal)}.")

    def by_absurd(self, node: nodes.Absurd) -> None:
        """Close the goal by a fact that is false, or by two facts of which one denies the other."""
        fact, name = self.fact(node["of"])
        if "not" in node:
            denying, denial = self.fact(node["not"])
            denied = formula("~", fact)
            self.write(f"exact (False_ind _ (({self.same(denying, denied, denial)} : {text(denied)}) {name})).")
        else:
            proof = self.forms.formula_proof(fact, ())
            self.write(f"exact (False_ind _ {name if proof is None else f'(proj1 {proof} {name})'}).")

    def each(self, cases: Sequence[Term], node: nodes.Cases | nodes.ExcludedMiddle) -> None:
        """Prove the goal in each of these cases."""
        for case, label, proof in zip(cases, node["as"], node["proofs"], strict=True):
            with self.braces(self.goal):
                self.named(label, case)
                self.nodes(proof)

    def by_cases(self, node: nodes.Cases) -> None:
        """Prove the goal in each case of a disjunction."""
        fact, name = self.fact(node["fact"])

        def pattern(f: Term) -> str:
            return f"[{pattern(f.kids[0])}|{pattern(f.kids[1])}]" if f.op == "|" else "hh"

        self.opened(name, pattern(fact))
        self.each(conjuncts("|", fact), node)

    def by_em(self, node: nodes.ExcludedMiddle) -> None:
        """The two cases of a formula: it holds, or its negation does."""
        f = self.formula(node["formula"])
        # A tree of cases that ends in enclosures is one computation of Coq.
        if (box_tree := boxes(node, self.formula)) is not None:
            return self.by_interval(box_tree)
        law = {"<=": "Rle_or_lt", "<": "Rlt_or_le", "~": "not_or"}.get(f.op, "classic")
        operands = f.kids if f.op in ("<=", "<", "~") else (f,)
        self.write(f"destruct ({' '.join([law, *map(text, operands)])}) as [hh|hh].")
        self.each([f, negation(f)], node)

    def by_antisym(self, node: nodes.Antisym) -> None:
        """Prove a = b by a <= b and b <= a."""
        a, b = self.goal.kids
        self.write("apply Rle_antisym.")
        self.prove(formula("<=", a, b), node["left"])
        self.prove(formula("<=", b, a), node["right"])

    def by_induct(self, node: nodes.Induct) -> None:
        """Induction over the integers from a start: the base at it, and the step from k to k + 1 for k at or above
        it."""
        premise, body = self.goal.kids[0].kids
        start = premise.kids[0]
        first = elaborate(start.plain, "Z")
        self.write(f"refine (induction_at {text(first)} {text(start)} (fun k0:Z => {text(body, ('k0',))}) ")
        self.write(f"  {shown(self.forms.equal(cast(first), start))} _ _).")
        with self.braces(substitute(body, [first])):
            self.show()
            self.nodes(node["base"])
        k = variable("var", (node["name"], "Int"))
        hypothesis = substitute(body, [k])
        with self.braces(substitute(body, [Term("+", None, (k, numeral(1, "Z")), "Z")])):
            self.scope[node["name"]] = "Int"
            self.facts[node["ge"]] = formula("<=", start, cast(k))
            self.write(f"intros {text(k)} {label_text(node['ge'])} hh.")
            self.write(f"change {text(hypothesis)} in hh.")
            self.named(node["as"], hypothesis)
            self.show()
            self.nodes(node["step"])

    def by_pos(self, node: nodes.Pos) -> None:
        """b - a = (sum of products that are not negative) + (sum of multiples of equations), by the normal form."""
        goal, forms = self.goal, self.forms
        # The products, and the proof that their sum is positive (strict) or not negative.
        total, positive, strict = numeral(0), "(Rle_refl 0)", False
        for place, entry in enumerate(node.get("sum", [])):
            summand, proof, firm = self.product(entry)
            if place == 0:
                total, positive, strict = summand, proof, firm
                continue
            law = {(True, True): "Rplus_lt_0_compat", (True, False): "add_lt_le", (False, True): "add_le_lt"}
            positive = f"({law.get((strict, firm), 'add_le')} _ _ {positive} {proof})"
            total, strict = real("+", total, summand), strict or firm
        # The multiples of equations, whose sum is zero.
        equations, zero = numeral(0), "eq_refl"
        for place, (multiplier, label) in enumerate(node.get("eq", [])):
            fact, name = self.fact(label)
            value = self.value(multiplier, "Real")
            proof = f"(mul_zero {text(value)} _ (gap_eq _ _ {name}))"
            summand = real("*", value, gap(fact))
            equations, zero = (
                (summand, proof) if place == 0 else (real("+", equations, summand), f"(add_zero _ _ {zero} {proof})")
            )
        # The identity that the normal form proves.
        left = numeral(0) if goal.op == "false" else gap(goal)
        right = equations if goal.op == "=" else real("+", total, equations)
        identity = f"({shown(forms.closed(left, right, forms.equal(left, right)))} : {text(left)} = {text(right)})"
        if goal.op == "=":
            self.write(f"exact (pos_eq _ _ _ {zero} {identity}).")
            return
        if goal.op == "<=" and strict:
            positive = f"(Rlt_le _ _ {positive})"
        law = {"<=": "pos_le _ _", "<": "pos_lt _ _", "false": "pos_false"}[goal.op]
        self.write(f"exact ({law} {text(total)} {text(equations)} {positive} {zero} {identity}).")

    def product(self, entry: nodes.Product) -> tuple[Term, str, bool]:
        """A summand of `pos`: c * (product of gaps of facts) * sq^2; a proof that it is not negative, or positive; and
        which of the two (True: positive)."""
        facts = [self.fact(label) for label in entry["of"]]
        strict = "sq" not in entry and all(fact.op == "<" for fact, _ in facts)
        c = checker().coefficient(entry["c"])
        # The factors of the summand, each with its sign.
        rows: list[tuple[Term, str]] = []
        if c != 1 or not (facts or "sq" in entry):
            rows.append((numeral(c), self.forms.nonnegative(c, strict)))
        for fact, name in facts:
            proof = f"(gap_{'lt' if fact.op == '<' else 'le'} _ _ {name})"
            rows.append((gap(fact), f"(Rlt_le _ _ {proof})" if fact.op == "<" and not strict else proof))
        if "sq" in entry:
            root = self.value(entry["sq"], "Real")
            rows.append((real("*", root, root), f"(Rle_0_sqr {text(root)})"))
        out, proof = rows[0]
        for factor, its_proof in rows[1:]:
            law = "Rmult_lt_0_compat" if strict else "Rmult_le_pos"
            out, proof = real("*", out, factor), f"({law} _ _ {proof} {its_proof})"
        return out, proof, strict

    def by_interval(self, node: nodes.IntervalNode) -> None:
        """Bound the gap of the goal by interval arithmetic in Coq."""
        goal, wanted = self.goal, gap(self.goal)
        form, proof = wanted, None
        if re.search(r"\b(sum|prod|power) ", text(goal)):  # the tactic does not know these: their skeleton has none
            form, proof = self.forms.skeleton(wanted, ())
        tactic = enclosure(self, node, form, goal.op == "<")
        self.write(f"assert (hh : 0 {goal.op} {text(form)}) by ({tactic}).")
        value = "hh" if proof is None else f"(eq_ind_r (fun z => 0 {goal.op} z) hh {proof})"
        self.write(f"exact ({'le' if goal.op == '<=' else 'lt'}_of_gap _ _ {value}).")
