"""Signs of terms: facts ``0 <= t`` and ``0 < t`` that follow from the shape of t, and what they give for 1/z."""

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
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, Term, free, instantiate, num, subterms, var

if TYPE_CHECKING:
    from symcook.proof.terms import Term

Sign = tuple[str, bool]
"""The label of ``0 <= t`` or ``0 < t``, and whether it is strict."""

ZERO = num(0)
DEPTH = 6


class Signs:
    """Signs of terms in one goal; what is found becomes a fact there and is found again."""

    def __init__(
        self,
        g: Goal,
        effort: Effort,
        known: Mapping[frozenset[Term], Sign | None] | None = None,
        depth: int = DEPTH,
    ) -> None:
        self.g, self.effort, self.depth = g, effort, depth
        self.found: dict[frozenset[Any], Sign | None] = dict(known or {})
        self.equations: list[str] = []  # the labels of z*(1/z) = 1

    def under(self, g: Goal) -> Signs:
        """The same in a branch: what was not found may be found there."""
        known = {k: s for k, s in self.found.items() if s is not None and s[0] in g.facts}
        return Signs(g, self.effort, known, self.depth)

    def of(self, t: Term, depth: int | None = None) -> Sign | None:
        depth = self.depth if depth is None else depth
        p = nf(t)
        key = normal.freeze(p)
        if key in self.found:
            known = self.found[key]
            if known is None or known[0] in self.g.facts:
                return known
        self.effort.spend(500)
        self.found[key] = None  # while it is looked for
        with contextlib.suppress(Stuck, Rejected, TooLong):
            self.found[key] = self._number(t) or self._shape(t, depth) or self._poly(t, p, depth) or self._linear(t)
        return self.found[key]

    def _have(self, t: Term, strict: bool, sums: list[dict]) -> Sign:
        label = self.g.fresh("sg")
        f = ("<" if strict else "<=", None, (ZERO, t))
        self.g._emit({"by": "have", "show": self.g.text(f), "proof": [{"by": "pos", "sum": sums}], "as": label})
        self.g._bind(label, f)
        return label, strict

    def _use(self, fact: str, *args: object, label: str = "") -> str:
        label = label or self.g.fresh("sg")
        self.g.use(fact, *args, label=label)
        return label

    def _linear(self, t: Term) -> Sign | None:
        facts = {k: f for k, f in self.g.facts.items() if f[0] in COMPARISONS}
        for tag in ("<", "<="):
            goal = (tag, None, (ZERO, t))
            combination = linear.find(goal, facts, effort=self.effort, poly=self.g.known.poly)
            if combination is not None and not combination.contradiction:
                label = self.g.fresh("sg")
                node = {"by": "have", "show": self.g.text(goal), "proof": [self.g._pos(combination)], "as": label}
                self.g._emit(node)
                self.g._bind(label, goal)
                return label, tag == "<"
        return None

    def _number(self, t: Term) -> Sign | None:
        """0 < t by an enclosure, where t has no names."""
        tags = {x[0] for x in subterms(t)}
        if "fn" not in tags or "/" in tags or free(t):  # 1/z comes with z*(1/z) = 1 elsewhere
            return None
        f = ("<", None, (ZERO, t))
        inner = self.g._branch(f)
        try:
            cover(inner, boxes=1)
        except (Stuck, Rejected):
            return None
        label = self.g.fresh("sg")
        self.g._emit({"by": "have", "show": self.g.text(f), "proof": inner.nodes, "as": label})
        self.g._bind(label, f)
        return label, True

    def _shape(self, t: Term, depth: int) -> Sign | None:
        """From the way in which `t` is written: what a normal form would take apart."""
        tag, data, kids = t
        if depth <= 0:
            return None
        if tag == "^" and data % 2 == 0 and data and kids[0][0] not in ("var", "app"):
            inner = self.of(kids[0], depth - 1)
            if inner is not None and inner[1]:
                return self._have(t, True, [{"c": "1", "of": [inner[0]] * data}])
            half = kids[0] if data == 2 else ("^", data // 2, kids)
            return self._have(t, False, [{"c": "1", "of": [], "sq": self.g.text(half)}])
        if tag == "+":
            a, b = (self.of(k, depth - 1) for k in kids)
            if a and b:
                return self._have(t, a[1] or b[1], [{"c": "1", "of": [x[0]]} for x in (a, b)])
        if tag == "*":
            if kids[0] == kids[1]:
                return self._have(t, False, [{"c": "1", "of": [], "sq": self.g.text(kids[0])}])
            a, b = (self.of(k, depth - 1) for k in kids)
            if a and b:
                return self._have(t, a[1] and b[1], [{"c": "1", "of": [a[0], b[0]]}])
        if tag == "/" and kids[0][0] != "num":
            a, b = self.of(kids[0], depth - 1), self.of(("/", None, (num(1), kids[1])), depth - 1)
            if a and b:
                return self._have(t, a[1] and b[1], [{"c": "1", "of": [a[0], b[0]]}])
        return None

    def _poly(self, t: Term, p: Poly, depth: int) -> Sign | None:
        """Each monomial has a positive coefficient, and each factor a sign or an even power."""
        if depth <= 0 or not p or len(p) > 12:
            return None
        if (c := constant(p)) is not None:
            return self._have(t, True, [{"c": quotient(c), "of": []}]) if c > 0 else None
        if all(c < 0 for c in p.values()):
            return None
        if len(p) == 1:
            ((factors, e), c) = next(iter(p.items()))
            if c == 1 and not e and len(factors) == 1 and factors[0][1] == 1:
                return self._atom(t, factors[0][0], depth)
        sums, strict = [], False
        for (factors, e), c in p.items():
            if c <= 0:
                return None
            labels, firm, squares = [], True, []
            if e:
                labels.append(self._use("ax:exp_pos", self.g.text(reify.term(normal._exponents[e]))))
            for a, k in factors:
                sign = self.of(reify.atom(a), depth - 1)
                if sign is None and k % 2:
                    return None
                if sign is None:
                    squares.append(reify.power(reify.atom(a), k // 2))
                    firm = False
                else:
                    labels += [sign[0]] * k
                    firm = firm and sign[1]
            entry = {"c": quotient(c), "of": labels}
            if squares:
                root = squares[0]
                for q in squares[1:]:
                    root = ("*", None, (root, q))
                entry["sq"] = self.g.text(root)
            sums.append(entry)
            strict = strict or firm
        return self._have(t, strict, sums)

    def _atom(self, t: Term, a: int, depth: int) -> Sign | None:
        key = normal._keys[a]
        g = self.g
        if key[0] == "inv":
            z = reify.term(dict(key[1]))
            sign = self.of(z, depth - 1)
            return (self.inverse(z, sign[0]), True) if sign is not None and sign[1] else None
        if key[0] == "ind":
            return self._cases(t if t[0] == "ind" else reify.atom(a), False)
        if key[0] == "fn":
            shown_term = t if t[0] == "fn" else reify.atom(a)
            if key[1] in ("relu", "abs"):
                return self._cases(shown_term, False)
            if key[1] == "sqrt":
                inner = self.of(shown_term[2][0], depth - 1)
                if inner is None:
                    return None
                if inner[1] and "lem:sqrt_positive" in g.library.facts:
                    label = g.fresh("sg")
                    g.use("lem:sqrt_positive", g.text(shown_term[2][0]), label=label)
                    root_fact = g.facts[label]
                    if root_fact[0] == "<" and nf(root_fact[2][1]) == nf(shown_term) and not nf(root_fact[2][0]):
                        return label, True
                stem = g.fresh("sg")
                weak = inner[0]
                if inner[1]:
                    weak = self._have(shown_term[2][0], False, [{"c": "1", "of": [inner[0]]}])[0]
                g.use("ax:sqrt", g.text(shown_term[2][0]), f"#{weak}", label=f"{stem}_0 {stem}_1")
                return f"{stem}_0", False
            if key[1] in ("min", "max"):
                a_, b_ = (self.of(k, depth - 1) for k in shown_term[2])
                if a_ and b_:
                    return self._cases(shown_term, a_[1] and b_[1])
        if key[0] == "sum":
            return self._sum(reify.atom(a), depth)
        return None

    def _cases(self, t: Term, strict: bool) -> Sign | None:
        """By the cases of relu, abs, min, max or I."""
        label = self.g.fresh("sg")
        if t[0] == "ind" and not strict:
            self.indicator(t, label, ("<=", None, (ZERO, t)))
            return label, False

        def proof(h: Goal) -> None:
            for side in h.sides(t):
                if not side.try_auto(degree=1, rounds=0):
                    raise Stuck("no sign")

        self.g.have(("<" if strict else "<=", None, (ZERO, t)), label, proof)
        return label, strict

    def indicator(self, t: Term, label: str, f: Term) -> None:
        """0 <= I[F] or I[F] <= 1 as a fact: the value is 1 or 0."""
        g = self.g
        low = f[2][0] == ZERO
        inner = g._branch(f)
        for h, value in zip(inner.sides(t), (1, 0), strict=True):
            node: dict[str, Any] = {"by": "pos", "eq": [["-1" if low else "1", next(reversed(h.facts))]]}
            if low == bool(value):
                node["sum"] = [{"c": "1", "of": []}]
            h._emit(node, True)
        g._emit({"by": "have", "show": g.text(f), "proof": inner.nodes, "as": label})
        g._bind(label, f)

    def inverse(self, z: Term, positive: str) -> str:
        """0 < 1/z from ``0 < z``; z*(1/z) = 1 becomes a fact as well."""
        g = self.g
        zero, no, e, label = g.fresh("zero"), g.fresh("no"), g.fresh("inv"), g.fresh("sg")
        text = g.text(z)
        proof = [
            {"by": "intro", "as": [zero]},
            {"by": "pos", "sum": [{"c": "1", "of": [positive]}], "eq": [["1", zero]]},
        ]
        g._emit({"by": "use", "fact": "ax:inv", "with": [text, proof], "as": e})
        reciprocal = ("/", None, (num(1), z))
        g._bind(e, ("=", None, (("*", None, (z, reciprocal)), num(1))))
        sums = [{"c": "1", "of": []}, {"c": "1", "of": [positive, no]}]
        proof = [{"by": "contra", "as": no}, {"by": "pos", "sum": sums, "eq": [["-1", e]]}]
        f = ("<", None, (ZERO, reciprocal))
        g._emit({"by": "have", "show": g.text(f), "proof": proof, "as": label})
        g._bind(label, f)
        self.found[normal.freeze(nf(reciprocal))] = (label, True)
        self.equations.append(e)
        return label

    def _sum(self, t: Term, depth: int) -> Sign | None:
        low, high, body = t[2]
        g = self.g
        name = g.fresh("j")
        outcome: list[bool] = []

        def inside(strict: bool) -> Callable[[Goal], None]:
            def proof(h: Goal) -> None:
                h.intro(name)
                label = h.fresh("in")
                h.intro(f"({label}_1 {label}_2)")
                at = instantiate(body, (var(name, "Int"),))
                sign = Signs(h, self.effort).of(at, depth - 1)
                if sign is None or (strict and not sign[1]):
                    raise Stuck("no sign")
                outcome.append(sign[1])
                if strict or not sign[1]:
                    h.hyp(sign[0])
                else:
                    h._emit({"by": "pos", "sum": [{"c": "1", "of": [sign[0]]}]}, True)

            return proof

        function = g.text(("lam", ("Int",), (body,)))
        ends = (g.text(low), g.text(high))
        label = g.fresh("sg")
        if "lem:sum_positive" in g.library.facts:
            trial = g._branch(("<=", None, (low, high)))
            if trial.try_auto(degree=1, rounds=0):
                try:
                    g.use("lem:sum_positive", function, *ends, lambda h: h.take(trial), inside(True), label=label)
                    return label, True
                except Stuck:
                    pass
        if "lem:sum_nonneg" in g.library.facts:
            g.use("lem:sum_nonneg", function, *ends, inside(False), label=label)
            return label, False
        return None
