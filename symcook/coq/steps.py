"""A certificate's proof as a script of Coq: one method for each kind of node, without any search.

Facts are hypotheses h_LABEL, names are variables v_NAME. `Script.goal` is Coq's current goal, up to conversion. Steps
that compute (`pos`, `hyp`, `true`, ...) become `exact` with a proof term that normal.py makes. A new fact is called hh
in Coq until it gets its label.
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
    """The script of one proof.

    outside: {label: (formula, name in Coq)} of the lemmas and premises that the proof may use. known: the definitions
    of the source. goal: the current goal. facts, scope: the facts by label, and the sorts of names, that are available
    at the current place. lines: the script so far. asserted: how many premises have been named.
    """

    def __init__(self, outside: Mapping[str, tuple[Term, str]], known: Mapping[str, Any], lemmas: Lemmas) -> None:
        self.outside, self.known, self.lemmas = outside, known, lemmas
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
        """{ ... } around the proof of a goal. Afterwards the goal, the facts and the names are those from before."""
        outer_goal, outer_facts, outer_scope = self.goal, dict(self.facts), dict(self.scope)
        self.goal = goal
        self.write("{")
        self.indent += 1
        yield
        self.indent -= 1
        self.write("}")
        self.goal, self.facts, self.scope = outer_goal, outer_facts, outer_scope

    def prove(self, goal: Term, proof: nodes.Proof) -> None:
        """Write the proof of a goal in braces."""
        with self.braces(goal):
            self.nodes(proof)

    def nodes(self, proof: nodes.Proof) -> None:
        """Write the steps of a proof in order. A lemma of shapes.py replaces many steps on quantifiers in a row."""
        start = 0
        while start < len(proof):
            row = in_a_row(proof, start)
            if len(row) >= MANY:
                getattr(self, f"many_{row[0]['by']}")(row)
            else:
                for node in row:
                    getattr(self, f"by_{node['by']}")(node)
            if row[0]["by"] == "witness":
                self.show()
            start += len(row)

    def fact(self, label: str) -> tuple[Term, str]:
        """A fact and its name in Coq."""
        if label in self.facts:
            return self.facts[label], label_text(label)
        kind, _, axiom_name = label.partition(":")
        if kind == "ax":
            return axiom(axiom_name), f"ax_{axiom_name}"
        return self.outside[label]

    def formula(self, source: str) -> Term:
        """The formula with this text in the certificate."""
        return elaborate(checker().Reader(self.scope, self.known).formula(source), "P")

    def value(self, source: str, sort: Sort) -> Term:
        """The term or function with this text in the certificate, as a value of this sort."""
        return elaborate_value(checker().Reader(self.scope, self.known).value(source, sort), sort)

    def pattern(self, label: nodes.Labels, fact: Term) -> str:
        """Record a new fact, and return the pattern that names it in Coq. A list of labels names the parts of a
        conjunction."""
        if not isinstance(label, list):
            self.facts[label] = fact
            return label_text(label)
        self.facts.update(zip(label, conjuncts("&", fact), strict=True))
        names = iter(map(label_text, label))

        def taken_apart(f: Term) -> str:
            """The pattern for a part, which takes the labels in order."""
            return f"[{taken_apart(f.kids[0])} {taken_apart(f.kids[1])}]" if f.op == "&" else next(names)

        return taken_apart(fact)

    def named(self, label: nodes.Labels, fact: Term) -> None:
        """Rename the hypothesis hh to its label, or take it apart."""
        pattern = self.pattern(label, fact)
        # A list with one label gives no bracket.
        is_conjunction = pattern.startswith("[")
        self.write(f"destruct hh as {pattern}." if is_conjunction else f"rename hh into {pattern}.")

    def apart(self, labels: nodes.Labels, fact: Term) -> None:
        """The same as `named` for a conjunction that may have many parts, which one lemma then takes apart."""
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
        """Restate the goal, since after some steps Coq leaves it unreduced."""
        self.write(f"change {text(self.goal)}.")

    # Nodes after which the proof of the goal continues.

    def by_intro(self, node: nodes.Intro) -> None:
        """Introduce the variables of `all`, the premises of ->, and the formula under ~, with these names."""
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
            raise Untranslatable("a side must be left or right")
        self.write(f"{node['side']}.")
        self.goal = self.goal.kids[0 if node["side"] == "left" else 1]

    def by_witness(self, node: nodes.Witness) -> None:
        """Give the witness of an existence."""
        value = self.value(node["term"], self.goal.data)
        self.write(f"exists {text(value)}.")
        self.goal = substitute(self.goal.kids[0], [value])

    def many_witness(self, chain: Sequence[nodes.Witness]) -> None:
        """A row of `witness` steps, by one lemma."""
        sorts, values, body = [], [], self.goal
        for node in chain:
            sorts.append(body.data)
            values.append(self.value(node["term"], body.data))
            body = body.kids[0]
        names = [f"k{i}" for i in range(len(chain))]
        # The body is given once, as a function of all witnesses.
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
        """A row of `obtain` steps, by one lemma."""
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
        """Assume the negation of the goal. The negation of a comparison <= or < is written as the opposite comparison,
        that of ~f as f."""
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
        """Prove a formula, which then is a fact."""
        claimed = self.formula(node["show"])
        self.write(f"assert (hh : {text(claimed)}).")
        self.prove(claimed, node["proof"])
        self.named(node["as"], claimed)

    def same(self, f: Term, g: Term, name: str) -> str:
        """A proof of g from the proof `name` of f, if both have the same normal form. Coq must know g at this place."""
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
        given_arguments: Sequence[Any] = node["with"]
        for argument in given_arguments:
            # A variable of the fact: a value.
            if fact.op == "all":
                value = self.value(argument, fact.data)
                arguments.append(text(value))
                fact = substitute(fact.kids[0], [value])
                continue
            premise = fact.kids[0]
            # A premise that is proved here is asserted first, under a new name.
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
        # Coq distinguishes occurrences of the left side that have casts at different places; the checker does not.
        # `variable_of_form` has a variable for each such form, which replaces it in `pattern`.
        variable_of_form: dict[Term, Term] = {}

        def leaf(part: Term, _: int) -> Term | None:
            """The variable for a part that is the left side, up to casts; None for any other part."""
            if part.loose or part.level not in ("R", "Z") or part.plain != left.plain:
                return None
            sort = "Real" if part.level == "R" else "Int"
            return variable_of_form.setdefault(part, variable("var", (f"z{len(variable_of_form)}", sort)))

        pattern = rebuild(before, leaf)

        def put(values: Mapping[Term, Term]) -> Term:
            """The pattern with values for its variables."""
            return rebuild(pattern, lambda part, _: values.get(part))

        # One form after the other. `state` has for each variable its form, or if that is done, its replacement.
        # `motive` is the pattern with a variable for the current form only.
        state = {form_variable: part for part, form_variable in variable_of_form.items()}
        for part, form_variable in variable_of_form.items():
            if part.level == "R":
                new, same = right, trans(self.forms.equal(part, left), name)
            else:  # the equation of integers follows from that of real numbers
                new = elaborate(right.plain, "Z")
                ends = self.forms.equal(cast(part), left), self.forms.equal(right, cast(new))
                same = f"(eq_IZR {text(part)} {text(new)} {trans(ends[0], trans(name, ends[1]))})"
            motive = put({k: x for k, x in state.items() if k != form_variable})
            function = f"(fun {text(form_variable)}:{form_variable.level} => {text(motive)})"
            if "in" in node:
                proof = f"(eq_ind {text(part)} {function} {proof} {text(new)} {same})"
            else:
                self.write(f"refine (@eq_ind_r {form_variable.level} {text(new)} {function} _ {text(part)} {same}).")
            state[form_variable] = new
        after = put(state)
        if "in" in node:
            self.write(f"assert (hh : {text(after)}) by exact {proof}.")
            self.named(node["as"], after)
        else:
            self.goal = after
            self.show()

    # Nodes that close the goal.

    def by_split(self, node: nodes.Split) -> None:
        """Prove the parts of a conjunction: many by one lemma, few by nested `split`."""
        proofs = iter(node["proofs"])
        if len(parts_of_goal := conjuncts("&", self.goal)) >= MANY:
            self.write(f"refine ({joined(self.lemmas, self.goal)}{' _' * 2 * len(parts_of_goal)}).")
            for conjunct, proof in zip(parts_of_goal, proofs, strict=True):
                with self.braces(conjunct):
                    self.nodes(proof)
            return

        def parts(f: Term) -> None:
            """Split a formula at its outermost &, and prove its parts."""
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
        """Close the goal by a fact that is false, or by a fact and its negation."""
        fact, name = self.fact(node["of"])
        if "not" in node:
            denying, denial = self.fact(node["not"])
            denied = formula("~", fact)
            self.write(f"exact (False_ind _ (({self.same(denying, denied, denial)} : {text(denied)}) {name})).")
        else:
            proof = self.forms.formula_proof(fact, ())
            self.write(f"exact (False_ind _ {name if proof is None else f'(proj1 {proof} {name})'}).")

    def each(self, cases: Sequence[Term], node: nodes.Cases | nodes.ExcludedMiddle) -> None:
        """Write the proofs of the goal in each of these cases."""
        for case, label, proof in zip(cases, node["as"], node["proofs"], strict=True):
            with self.braces(self.goal):
                self.named(label, case)
                self.nodes(proof)

    def by_cases(self, node: nodes.Cases) -> None:
        """Prove the goal in each case of a disjunction."""
        fact, name = self.fact(node["fact"])

        def pattern(f: Term) -> str:
            """The pattern of Coq for the cases of a disjunction, each with the hypothesis hh."""
            return f"[{pattern(f.kids[0])}|{pattern(f.kids[1])}]" if f.op == "|" else "hh"

        self.opened(name, pattern(fact))
        self.each(conjuncts("|", fact), node)

    def by_em(self, node: nodes.ExcludedMiddle) -> None:
        """The two cases of a formula: it holds, or its negation does."""
        f = self.formula(node["formula"])
        # If all cases, also nested ones, are bounds of variables and are closed by interval arithmetic, the whole tree
        # is one computation of Coq.
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
        """Induction over the integers from `start`: the base for k = start, and the step from k to k + 1 for k >=
        start."""
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
        """Prove a <= b, a < b or a = b from an identity: b - a is a sum of nonnegative products plus a sum of multiples
        of equations, whose gaps are 0. For a = b there are only multiples of equations. For the goal false, 0 is such a
        sum with a positive part."""
        goal, forms = self.goal, self.forms
        # `total` is the sum of the products; `positive` proves that it is positive (if `strict`) or nonnegative.
        total, positive, strict = numeral(0), "(Rle_refl 0)", False
        for number, entry in enumerate(node.get("sum", [])):
            summand, proof, firm = self.product(entry)
            if number == 0:
                total, positive, strict = summand, proof, firm
                continue
            law = {(True, True): "Rplus_lt_0_compat", (True, False): "add_lt_le", (False, True): "add_le_lt"}
            positive = f"({law.get((strict, firm), 'add_le')} _ _ {positive} {proof})"
            total, strict = real("+", total, summand), strict or firm
        # `equations` is the sum of the multiples of equations; `zero` proves that it is 0.
        equations, zero = numeral(0), "eq_refl"
        for number, (multiplier, label) in enumerate(node.get("eq", [])):
            fact, name = self.fact(label)
            value = self.value(multiplier, "Real")
            proof = f"(mul_zero {text(value)} _ (gap_eq _ _ {name}))"
            summand = real("*", value, gap(fact))
            equations, zero = (
                (summand, proof) if number == 0 else (real("+", equations, summand), f"(add_zero _ _ {zero} {proof})")
            )
        # The identity, which is proved by normal forms.
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
        """A summand of `pos`, which is c * (product of gaps of facts) * sq^2; a proof that it is nonnegative or
        positive; and whether the proof is that it is positive."""
        facts = [self.fact(label) for label in entry["of"]]
        strict = "sq" not in entry and all(fact.op == "<" for fact, _ in facts)
        c = checker().coefficient(entry["c"])
        # The factors of the summand, each with the proof of its sign. The factor c = 1 is left out if there are others.
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
        # The computation does not know sums, products and `pow`. The skeleton of the gap has those written out whose
        # number of terms, or whose exponent, is a number.
        if re.search(r"\b(sum|prod|power) ", text(goal)):
            form, proof = self.forms.skeleton(wanted, ())
        tactic = enclosure(self, node, form, goal.op == "<")
        self.write(f"assert (hh : 0 {goal.op} {text(form)}) by ({tactic}).")
        value = "hh" if proof is None else f"(eq_ind_r (fun z => 0 {goal.op} z) hh {proof})"
        self.write(f"exact ({'le' if goal.op == '<=' else 'lt'}_of_gap _ _ {value}).")
