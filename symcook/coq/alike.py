"""Proofs that two terms or formulas with the same normal form are equal, by congruence down to the parts that differ.

Only the parts that differ need a proof by normal forms (normal.py), so that the proof is short. proofs/coq/Laws.v has a
congruence law for each operation above these parts. Coq knows the two sides from the goal, so no term is written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symcook.coq.checker import checker
from symcook.coq.normal import SAME, Justified
from symcook.coq.ring import (
    RING,
    Around,
    Proof,
    atoms,
    congruent,
    inside,
    operation,
    over_atoms,
    shown,
    sym,
    trans,
)
from symcook.coq.term import COMPARISONS, FUNCTIONS, Term, gap, numeral, numeral_text, real

LAWS = {"<=": "le", "<": "lt", "=": "eq", "&": "and", "|": "or", "->": "imp", "~": "not", "all": "all", "ex": "ex"}
"""For each operation the prefix of its laws in Laws.v: le_both, le_scaled, ..."""
BRIEF = 100
"""In `Alike.closed`, a proof term with more characters becomes a lemma of its own."""
COUNTS = {1: "one", 2: "two", 3: "three"}
"""The prefix of the laws one_both, two_both, three_both, by number of arguments."""


class Alike(Justified):
    """Normal forms and congruence."""

    def alike(self, a: Term, b: Term, around: Around = ()) -> Proof:
        """A proof of a = b (numbers) or of a <-> b (formulas), for a place where Coq knows a and b. None if both have
        the same text."""
        if a == b:
            return None
        cache_key = ("alike", a, b, around)
        if cache_key not in self.cache:
            relation = "<->" if a.level == "P" else "="
            self.cache[cache_key] = self.share(a, around, relation, b, self._alike(a, b, around))
        return self.cache[cache_key]

    def closed(self, a: Term, b: Term, proof: Proof) -> Proof:
        """`proof` of a = b or a <-> b, as a lemma of its own unless it is very short. With many facts in scope, Coq is
        slow to infer the implicit arguments of a proof term."""
        return self.share(a, (), "<->" if a.level == "P" else "=", b, proof, BRIEF)

    def _alike(self, a: Term, b: Term, around: Around) -> Proof:
        """The proof of `alike` without the cache: by congruence if all parts correspond, else as a multiple, else by
        normal forms."""
        if not self.corresponding(a, b):
            return self.scaled(a, b, around) or self.by_normal_forms(a, b, around)
        pairs = enumerate(zip(a.kids, b.kids, strict=True))
        proofs = [self.part(a, place, k, x, around) for place, (k, x) in pairs if k.level != "F"]
        proof_text = " ".join(proofs)
        if a.level == "P":
            return f"({LAWS[a.op]}_both {proof_text})"
        # Laws.v has a law `.._both` for indicators, sums and products, and one for all functions with the same number
        # of arguments.
        suffix = "_Z" if a.level == "Z" else ""
        if a.op == "ind":
            return f"(ind{suffix}_both {proof_text})"
        if a.op in ("sum", "prod"):
            return f"({a.op}_both {proof_text})"
        head = {"cast": "IZR", "inv": "Rinv", "/": "Rdiv"}.get(a.op) or self.head(a, around)
        return f"({COUNTS[len(proofs)]}_both {head} {proof_text})"

    def head(self, t: Term, around: Around) -> str:
        """The Coq function that a term applies."""
        if t.op == "app":
            return self.text(t.kids[0], around)
        return FUNCTIONS[t.level][t.data] if t.op == "fn" else operation(t)

    def part(self, t: Term, place: int, a: Term, b: Term, around: Around) -> str:
        """The proof for part number `place` of `t`, which is `a`, and the corresponding part `b`. If `t` binds a
        variable there, the proof is a function of it."""
        same = SAME if a.level == "P" else "eq_refl"
        if not t.binds(place):
            return self.alike(a, b, around) or same
        here = inside(around, t.data if t.op in ("all", "ex") else "Int")
        return f"(fun {here[0][0]} => {self.alike(a, b, here) or same})"

    def corresponding(self, a: Term, b: Term) -> bool:
        """Whether a and b have the same operation, and parts with the same normal forms, so that congruence applies."""
        if (a.op, a.data, a.level, len(a.kids)) != (b.op, b.data, b.level, len(b.kids)) or not a.kids:
            return False
        if a.op in ("sum", "prod") and a.level == "Z":
            return False
        if a.op == "app" and (a.kids[0] != b.kids[0] or len(a.kids) > 4):
            return False
        return all(self.agree(k, x) for k, x in zip(a.kids, b.kids, strict=True))

    def agree(self, a: Term, b: Term) -> bool:
        """Whether two parts have the same normal form; function variables must be the same."""
        if a.level != b.level or a.level == "F":
            return a == b
        if a.plain == b.plain:
            return True
        if a.level == "P":
            return self.normal.formula(a.plain) is self.normal.formula(b.plain)
        return self.poly(a) == self.poly(b)

    def scaled(self, a: Term, b: Term, around: Around) -> Proof:
        """A proof of a <-> b for two comparisons if the gap of one is a multiple of the other's, and is no constant;
        else None."""
        if a.op != b.op or a.op not in COMPARISONS:
            return None
        p, q = self.poly(gap(a)), self.poly(gap(b))
        if self.normal.constant(p) is not None:
            return None
        # k is the only factor that can make the gaps equal; for an equation -k is possible too.
        k = Fraction(checker().content(q)) / Fraction(checker().content(p))
        if a.op == "=" and checker().scale(p, k) != q:
            k = -k
        if checker().scale(p, k) != q:
            return None
        side = self.lemmas.name(f"{numeral_text(k)} <> 0", "lra.", "num") if a.op == "=" else self.nonnegative(k, True)
        proof = self.equal(gap(b), real("*", numeral(k), gap(a)), around)
        return f"({LAWS[a.op]}_scaled {numeral_text(k)} {side} {shown(proof)})"

    # Equations of numbers.

    def equal(self, a: Term, b: Term, around: Around = ()) -> Proof:
        """A proof of a = b, for terms with the same normal form: if possible by ring laws over their atoms unchanged,
        else by the normal forms of the atoms."""
        if a == b:
            return None
        cache_key = ("equal", a, b, around)
        if cache_key not in self.cache:
            proof = self.by_ring_laws(a, b, around) or super().equal(a, b, around)
            self.cache[cache_key] = self.share(a, around, "=", b, proof)
        return self.cache[cache_key]

    def by_ring_laws(self, a: Term, b: Term, around: Around) -> Proof:
        """A proof of a = b by ring laws, after atoms with the same normal form have been replaced by the first of them,
        or by an integer that they equal. None if a and b still differ as polynomials in their atoms."""
        (first_surface, p), (second_surface, q) = self.surface(a, around), self.surface(b, around)
        classes: dict[Any, Term] = {}
        chosen: dict[Term, Term] = {}
        for t in atoms((first_surface, second_surface)):
            number = self.number(t)
            same = numeral(number, t.level) if number is not None and number.denominator == 1 else t
            chosen[t] = classes.setdefault((t.level, frozenset(self.poly(t).items())), same)
        # If a replaces b or the reverse, the proof of the replacement would need a = b itself.
        if (a, b) in chosen.items() or (b, a) in chosen.items():
            return None
        new = [over_atoms(t, lambda x: chosen[x]) for t in (first_surface, second_surface)]
        if self.value_of(new[0]) != self.value_of(new[1]):
            return None
        # The chain: a = surface of a = that with chosen atoms = that of b = surface of b = b.
        p = trans(p, self.changed(first_surface, chosen, around))
        q = trans(q, self.changed(second_surface, chosen, around))
        middle = None if new[0] == new[1] else self.ring_lemma(new[0], new[1], atoms(new), [], around)
        return trans(p, trans(middle, sym(q))) or "eq_refl"

    def changed(self, t: Term, chosen: Mapping[Term, Term], around: Around) -> Proof:
        """A proof that `t` equals itself with its atoms replaced by `chosen`."""
        if t.op in RING:
            return congruent(operation(t), [self.changed(k, chosen, around) for k in t.kids])
        new = chosen.get(t, t)
        if new == t:
            return None
        if new.op == "num":
            return self.normalized(t, around)
        return f"({self.alike(t, new, around)} : {self.text(t, around)} = {self.text(new, around)})"

    def value_of(self, t: Term) -> Any:
        """The polynomial of a term in its atoms, each taken as an unknown."""
        if t.op == "num":
            return self.normal.numeral(Fraction(*t.data))
        if t.op not in RING:
            return self.normal.atom("opaque", t)
        values = [self.value_of(k) for k in t.kids]
        if t.op == "neg":
            return checker().scale(values[0], -1)
        if t.op == "^":
            return self.normal.power(values[0], t.data)
        return self.normal.mul(*values) if t.op == "*" else checker().add(*values, 1 if t.op == "+" else -1)

    def surface(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """`t` with casts moved into sums and products and with quotients as products, and a proof that `t` equals it.
        Atoms are unchanged."""
        if t.op in RING:
            inner = [self.surface(k, around) for k in t.kids]
            return Term(t.op, t.data, [s for s, _ in inner], t.level), congruent(operation(t), [p for _, p in inner])
        # IZR (x + y) becomes IZR x + IZR y, as the polynomial of the checker has it.
        if t.op == "cast" and t.kids[0].op in RING:
            new, law = self.cast_inwards(t.kids[0], around)
            out, proof = self.surface(new, around)
            return out, trans(law, proof)
        if t.op == "/":
            (above, p), (_, below) = self.surface(t.kids[0], around), t.kids
            inverse, q = real("inv", below), None
            # A division by a number is a multiplication by its inverse.
            if below.op == "num" and below.data[0]:
                inverse = numeral(1 / Fraction(*below.data))
                statement = f"{self.text(real('inv', below), ())} = {self.text(inverse, ())}"
                q = self.lemmas.name(statement, "field.", "num")
            out = real("*", above, inverse)
            proof = congruent("Rmult", [p, q]) or "eq_refl"
            return out, f"({proof} : {self.text(t, around)} = {self.text(out, around)})"
        return t, None

    def by_normal_forms(self, a: Term, b: Term, around: Around) -> Proof:
        """A proof through the common normal form of both."""
        if a.level != "P":
            return self.equal(a, b, around)
        first_proof, second_proof = self.formula_proof(a, around), self.formula_proof(b, around)
        if second_proof is None:
            return first_proof
        back = f"(iff_sym {second_proof})"
        return back if first_proof is None else f"(iff_trans {first_proof} {back})"
