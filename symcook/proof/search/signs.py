"""Signs of terms: facts ``0 <= t`` and ``0 < t`` that follow from the shape of t, and what they give for 1/z.

`Signs.of` adds the sign of a term as a fact with its proof, and returns it; or it returns None. It tries in this order:
an enclosure, if the term has functions but no names and no quotients; the form in which the term is written; the
monomials of its normal form; a linear combination of the facts. The atoms of a normal form are numbers, to which
`normal` has the terms.

Letters: `g` and `h` are goals, `t` is a term, `p` its normal form, `a` an atom, `e` an exponent, `c` a coefficient.
A normal form has its coefficients by monomial (factors, e), where `factors` are pairs of an atom and its power.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.errors import Rejected
from symcook.model.rationals import quotient
from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.inequalities.simplex import Effort, TooLong
from symcook.proof.normal import Poly, constant, nf
from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Stuck, pos_node, sides_of, try_auto
from symcook.proof.terms import COMPARISONS, Term, free, instantiate, num, subterms, var

if TYPE_CHECKING:
    from symcook.proof.terms import Term

Sign = tuple[str, bool]
"""The label of the fact ``0 <= t`` or ``0 < t``, and whether the fact is strict."""

ZERO = num(0)
DEPTH = 6
"""How many levels of a term are examined: the work may double at each level."""
MOST_MONOMIALS = 12
"""The maximum number of monomials from which a sign is derived: each monomial is a search. Terms in 24 claims of an
unseen set and 21 proof texts had at most 12."""


class Signs:
    """Signs of terms in one goal, where each sign becomes a fact. `known` has the sign of each term that was examined,
    by normal form, or None if none was found."""

    def __init__(
        self,
        g: Goal,
        effort: Effort,
        known: Mapping[frozenset[Term], Sign | None] | None = None,
        depth: int = DEPTH,
    ) -> None:
        self.g, self.effort, self.depth = g, effort, depth
        self.known: dict[frozenset[Any], Sign | None] = dict(known or {})
        self.equations: list[str] = []  # the labels of z*(1/z) = 1

    def under(self, g: Goal) -> Signs:
        """The signs in a branch of the goal. Terms without a sign are forgotten, since the branch may have more
        facts."""
        known = {k: s for k, s in self.known.items() if s is not None and s[0] in g.facts}
        return Signs(g, self.effort, known, self.depth)

    def of(self, t: Term, depth: int | None = None) -> Sign | None:
        """The sign of `t`, which becomes a fact of the goal; None if none is found."""
        depth = self.depth if depth is None else depth
        p = nf(t)
        key = normal.freeze(p)
        if key in self.known:
            known = self.known[key]
            if known is None or known[0] in self.g.facts:  # the fact may have been removed with an attempt that failed
                return known
        self.effort.spend(500)
        self.known[key] = None  # so that the search for this sign does not use it again
        with contextlib.suppress(Stuck, Rejected, TooLong):
            self.known[key] = self._number(t) or self._shape(t, depth) or self._poly(t, p, depth) or self._linear(t)
        return self.known[key]

    def _have(self, t: Term, strict: bool, sums: list[dict]) -> Sign:
        """Add 0 <= t or 0 < t as a fact, whose proof is a `pos` node with the summands `sums`; the sign."""
        label = self.g.fresh("sg")
        f = ("<" if strict else "<=", None, (ZERO, t))
        self.g.add({"by": "have", "show": self.g.text(f), "proof": [{"by": "pos", "sum": sums}], "as": label}, f)
        return label, strict

    def _use(self, fact: str, *args: object, label: str = "") -> str:
        """Add an instance of a fact; its label."""
        label = label or self.g.fresh("sg")
        self.g.use(fact, *args, label=label)
        return label

    def _linear(self, t: Term) -> Sign | None:
        """The sign by a linear combination of the facts, if they do not contradict each other. The strict sign is tried
        first."""
        facts = {k: f for k, f in self.g.facts.items() if f[0] in COMPARISONS}
        for tag in ("<", "<="):
            goal = (tag, None, (ZERO, t))
            combination = linear.find(goal, facts, effort=self.effort, poly=self.g.known.poly)
            if combination is not None and not combination.contradiction:
                label = self.g.fresh("sg")
                node = {"by": "have", "show": self.g.text(goal), "proof": [pos_node(self.g, combination)], "as": label}
                self.g.add(node, goal)
                return label, tag == "<"
        return None

    def _number(self, t: Term) -> Sign | None:
        """The sign 0 < t by an enclosure, if t has functions but no names and no fractions."""
        tags = {x[0] for x in subterms(t)}
        if "fn" not in tags or "/" in tags or free(t):  # `inverse` gives the sign of 1/z with z*(1/z) = 1
            return None
        f = ("<", None, (ZERO, t))
        trial = self.g.branch(f)
        try:
            cover(trial, boxes=1)
        except (Stuck, Rejected):
            return None
        label = self.g.fresh("sg")
        self.g.add({"by": "have", "show": self.g.text(f), "proof": trial.nodes, "as": label}, f)
        return label, True

    def _shape(self, t: Term, depth: int) -> Sign | None:
        """The sign by the form in which `t` is written: a normal form loses squares and products of sums, as it
        multiplies them out."""
        tag, data, kids = t
        if depth <= 0:
            return None
        # An even power, but not of a name: strict if the base has a strict sign, else the square of its half power.
        if tag == "^" and data % 2 == 0 and data and kids[0][0] not in ("var", "app"):
            base_sign = self.of(kids[0], depth - 1)
            if base_sign is not None and base_sign[1]:
                return self._have(t, True, [{"c": "1", "of": [base_sign[0]] * data}])
            half = kids[0] if data == 2 else ("^", data // 2, kids)
            return self._have(t, False, [{"c": "1", "of": [], "sq": self.g.text(half)}])
        if tag == "+":  # strict if one of the summands is
            a, b = (self.of(k, depth - 1) for k in kids)
            if a and b:
                return self._have(t, a[1] or b[1], [{"c": "1", "of": [x[0]]} for x in (a, b)])
        if tag == "*":  # strict if both factors are; t*t is a square for any sign of t
            if kids[0] == kids[1]:
                return self._have(t, False, [{"c": "1", "of": [], "sq": self.g.text(kids[0])}])
            a, b = (self.of(k, depth - 1) for k in kids)
            if a and b:
                return self._have(t, a[1] and b[1], [{"c": "1", "of": [a[0], b[0]]}])
        if tag == "/" and kids[0][0] != "num":  # a/b as a*(1/b)
            a = self.of(kids[0], depth - 1)
            b = self.of(("/", None, (num(1), kids[1])), depth - 1)
            if a and b:
                return self._have(t, a[1] and b[1], [{"c": "1", "of": [a[0], b[0]]}])
        return None

    def _poly(self, t: Term, p: Poly, depth: int) -> Sign | None:
        """The sign by the normal form `p`, if every coefficient is positive and every factor has a sign or an even
        power."""
        if depth <= 0 or not p or len(p) > MOST_MONOMIALS:
            return None
        if (c := constant(p)) is not None:
            return self._have(t, True, [{"c": quotient(c), "of": []}]) if c > 0 else None
        if all(c < 0 for c in p.values()):
            return None
        if len(p) == 1:  # a single atom, such as a sum, a reciprocal or a ReLU
            ((factors, e), c) = next(iter(p.items()))
            if c == 1 and not e and len(factors) == 1 and factors[0][1] == 1:
                return self._atom(t, factors[0][0], depth)
        # One product of facts for each monomial; the sum is strict if one of the monomials is.
        sums, strict = [], False
        for (factors, e), c in p.items():
            if c <= 0:
                return None
            labels, monomial_strict, squares = [], True, []
            if e:  # the factor exp(e)
                labels.append(self._use("ax:exp_pos", self.g.text(reify.term(normal._exponents[e]))))
            for a, k in factors:
                sign = self.of(reify.atom(a), depth - 1)
                if sign is None and k % 2:
                    return None
                if sign is None:  # an even power of an atom without a sign: a square, which may be 0
                    squares.append(reify.power(reify.atom(a), k // 2))
                    monomial_strict = False
                else:
                    labels += [sign[0]] * k
                    monomial_strict = monomial_strict and sign[1]
            summand = {"c": quotient(c), "of": labels}
            if squares:
                root = squares[0]
                for q in squares[1:]:
                    root = ("*", None, (root, q))
                summand["sq"] = self.g.text(root)
            sums.append(summand)
            strict = strict or monomial_strict
        return self._have(t, strict, sums)

    def _atom(self, t: Term, a: int, depth: int) -> Sign | None:
        """The sign of `t`, whose normal form is the atom number `a`, by the kind of this atom."""
        key = normal._keys[a]
        if key[0] == "inv":
            z = reify.term(dict(key[1]))
            sign = self.of(z, depth - 1)
            return (self.inverse(z, sign[0]), True) if sign is not None and sign[1] else None
        if key[0] == "ind":
            return self._cases(t if t[0] == "ind" else reify.atom(a), False)
        if key[0] == "fn":
            function = t if t[0] == "fn" else reify.atom(a)
            if key[1] in ("relu", "abs"):
                return self._cases(function, False)
            if key[1] == "sqrt":
                return self._root(function, depth)
            if key[1] in ("min", "max"):
                left_sign, right_sign = (self.of(k, depth - 1) for k in function[2])
                if left_sign and right_sign:
                    return self._cases(function, left_sign[1] and right_sign[1])
        if key[0] == "sum":
            return self._sum(reify.atom(a), depth)
        return None

    def _root(self, root: Term, depth: int) -> Sign | None:
        """The sign of sqrt(z) if 0 <= z. It is strict if 0 < z and the library has the lemma for this."""
        g, z = self.g, root[2][0]
        argument_sign = self.of(z, depth - 1)
        if argument_sign is None:
            return None
        if argument_sign[1] and "lem:sqrt_positive" in g.library.facts:
            label = g.fresh("sg")
            g.use("lem:sqrt_positive", g.text(z), label=label)
            fact = g.facts[label]
            if fact[0] == "<" and nf(fact[2][1]) == nf(root) and not nf(fact[2][0]):  # the lemma states 0 < sqrt(z)
                return label, True
        # ax:sqrt has the premise 0 <= z; if the sign is 0 < z, this premise is added as a fact.
        stem = g.fresh("sg")
        not_strict = argument_sign[0]
        if argument_sign[1]:
            not_strict = self._have(z, False, [{"c": "1", "of": [argument_sign[0]]}])[0]
        g.use("ax:sqrt", g.text(z), f"#{not_strict}", label=f"{stem}_0 {stem}_1")
        return f"{stem}_0", False

    def _cases(self, t: Term, strict: bool) -> Sign | None:
        """The sign of relu, abs, min, max or an indicator, by its cases."""
        label = self.g.fresh("sg")
        if t[0] == "ind" and not strict:
            self.indicator(t, label, ("<=", None, (ZERO, t)))
            return label, False

        def proof(h: Goal) -> None:
            for side in sides_of(h, t):
                if not try_auto(side, degree=1, rounds=0):
                    raise Stuck("no sign")

        self.g.have(("<" if strict else "<=", None, (ZERO, t)), label, proof)
        return label, strict

    def indicator(self, t: Term, label: str, f: Term) -> None:
        """Add the fact `f`, which is 0 <= I[F] or I[F] <= 1, for the indicator `t`: its value is 1 or 0."""
        g = self.g
        is_lower = f[2][0] == ZERO  # which of the two inequalities it is
        trial = g.branch(f)
        for h, value in zip(sides_of(trial, t), (1, 0), strict=True):
            node: dict[str, Any] = {"by": "pos", "eq": [["-1" if is_lower else "1", next(reversed(h.facts))]]}
            if is_lower == bool(value):  # the inequality is 0 <= 1 in this case; in the other its sides are equal
                node["sum"] = [{"c": "1", "of": []}]
            h.close(node)
        g.add({"by": "have", "show": g.text(f), "proof": trial.nodes, "as": label}, f)

    def inverse(self, z: Term, positive: str) -> str:
        """Add the facts 0 < 1/z and z*(1/z) = 1, from the fact `positive`, which is 0 < z. Returns the label of the
        first one."""
        g = self.g
        zero = g.fresh("zero")
        no = g.fresh("no")
        equation = g.fresh("inv")
        label = g.fresh("sg")
        # z*(1/z) = 1 by the axiom, whose premise z != 0 contradicts 0 < z.
        text = g.text(z)
        proof = [
            {"by": "intro", "as": [zero]},
            {"by": "pos", "sum": [{"c": "1", "of": [positive]}], "eq": [["1", zero]]},
        ]
        reciprocal = ("/", None, (num(1), z))
        product = ("=", None, (("*", None, (z, reciprocal)), num(1)))
        g.add({"by": "use", "fact": "ax:inv", "with": [text, proof], "as": equation}, product)
        # 1/z <= 0 times 0 < z gives z*(1/z) <= 0, against the equation.
        sums = [{"c": "1", "of": []}, {"c": "1", "of": [positive, no]}]
        proof = [{"by": "contra", "as": no}, {"by": "pos", "sum": sums, "eq": [["-1", equation]]}]
        f = ("<", None, (ZERO, reciprocal))
        g.add({"by": "have", "show": g.text(f), "proof": proof, "as": label}, f)
        self.known[normal.freeze(nf(reciprocal))] = (label, True)
        self.equations.append(equation)
        return label

    def _sum(self, t: Term, depth: int) -> Sign | None:
        """The sign of a sum by the signs of its terms. It is strict if the range is not empty and all terms have a
        strict sign."""
        low, high, body = t[2]
        g = self.g
        name = g.fresh("j")

        def premise_tactic(strict: bool) -> Callable[[Goal], None]:
            """The tactic for the lemma's premise: 0 < f(j), or 0 <= f(j), for each j of the range."""

            def proof(h: Goal) -> None:
                """Introduce j with its range, and find the sign of f(j) from these facts."""
                h.intro(name)
                label = h.fresh("in")
                h.intro(f"({label}_1 {label}_2)")
                summand = instantiate(body, (var(name, "Int"),))
                sign = Signs(h, self.effort).of(summand, depth - 1)
                if sign is None or (strict and not sign[1]):
                    raise Stuck("no sign")
                if strict or not sign[1]:
                    h.hyp(sign[0])
                else:  # 0 <= f(j) follows from 0 < f(j)
                    h.close({"by": "pos", "sum": [{"c": "1", "of": [sign[0]]}]})

            return proof

        function = g.text(("lam", ("Int",), (body,)))
        ends = (g.text(low), g.text(high))
        label = g.fresh("sg")
        if "lem:sum_positive" in g.library.facts:
            trial = g.branch(("<=", None, (low, high)))
            if try_auto(trial, degree=1, rounds=0):
                try:
                    term_signs = premise_tactic(True)
                    g.use("lem:sum_positive", function, *ends, lambda h: h.take(trial), term_signs, label=label)
                    return label, True
                except Stuck:
                    pass
        if "lem:sum_nonneg" in g.library.facts:
            g.use("lem:sum_nonneg", function, *ends, premise_tactic(False), label=label)
            return label, False
        return None
