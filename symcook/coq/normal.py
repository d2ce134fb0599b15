"""Coq proofs that a term equals its normal form, and that a formula is equivalent to its normal form.

The checker only computes normal forms; Coq needs a proof. It has two steps. First `skeleton` returns a canonical term
(ring.py) and a proof that the term equals it: functions, folds, quotients and casts are normalised by the laws of
proofs/coq/Laws.v, but sums and products stay as they were written. Then one closed ring lemma leads to the normal form.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.coq.checker import checker
from symcook.coq.ring import (
    RING,
    Around,
    Canonical,
    Proof,
    binders,
    congruent,
    inside,
    operation,
    shown,
    sym,
    trans,
)
from symcook.coq.term import (
    COMPARISONS,
    CONNECTIVES,
    FUNCTIONS,
    Term,
    Untranslatable,
    cast,
    formula,
    gap,
    integer_text,
    name_text,
    numeral,
    numeral_text,
    real,
    shift,
    sort_text,
    substitute,
)

if TYPE_CHECKING:
    from symcook.coq.ring import Key, Lemmas, Mono
    from symcook.proof.terms import Sort

SHARED = 300
"""A proof term with more characters becomes a lemma of its own."""
SAME = "(iff_refl _)"
"""The proof of f <-> f."""


class Justified(Canonical):
    """Normal forms with proofs. In all methods `around` has the binders around the term, innermost first, and the proof
    None means reflexivity.

    `cache` has the results, by (a word for the method, the term or terms, the binders).
    """

    def __init__(self, lemmas: Lemmas) -> None:
        super().__init__(lemmas)
        self.cache: dict[Any, Any] = {}

    def poly(self, t: Term) -> Any:
        """The normal form of a term, as a polynomial."""
        return self.normal.poly(t.plain)

    def number(self, t: Term) -> Fraction | None:
        """The number that `t` equals if its normal form is constant, else None."""
        c = self.normal.constant(self.poly(t))
        return None if c is None else Fraction(c)

    def skeleton(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """A canonical term and a proof that `t` equals it."""
        cache_key = ("skeleton", t, around)
        if cache_key not in self.cache:
            out, proof = self._skeleton(t, around)
            self.cache[cache_key] = out, self.share(t, around, "=", out, proof)
        return self.cache[cache_key]

    def normalized(self, t: Term, around: Around) -> Proof:
        """A proof that `t` equals its normal form."""
        cache_key = ("normal", t, around)
        if cache_key not in self.cache:
            out, proof = self.skeleton(t, around)
            target = self.polynomial(self.poly(t), around, t.level)
            proof = trans(proof, self.identity(out, target, around))
            self.cache[cache_key] = self.share(t, around, "=", target, proof)
        return self.cache[cache_key]

    def equal(self, a: Term, b: Term, around: Around = ()) -> Proof:
        """A proof of a = b, for terms with the same normal form."""
        if a == b:
            return None
        first_form, p = self.skeleton(a, around)
        second_form, q = self.skeleton(b, around)
        return trans(p, trans(self.identity(first_form, second_form, around), sym(q)))

    def share(self, t: Term, around: Around, relation: str, target: Term, proof: Proof, longest: int = SHARED) -> Proof:
        """`proof` of the statement "t relation target". If it has more than `longest` characters, it becomes a lemma,
        quantified over the names in the statement, and the result is an instance of that.

        Inside the lemma there are no facts in scope, so that Coq infers implicit arguments faster."""
        if proof is None or len(proof) <= longest:
            return proof
        statement = f"{self.text(t, around)} {relation} {self.text(target, around)}"
        # The lemma is quantified over the free names of both sides, then over the bound variables that they use.
        names = [(name_text(n), s) for n, s in sorted(free_names(t) | free_names(target), key=str)]
        names += [x for i, x in enumerate(around) if uses(t, i) or uses(target, i)][::-1]
        if not names:
            return self.lemmas.name(statement, f"exact {proof}.", "normal")
        arguments = " ".join([n for n, _ in names])
        lemma = self.lemmas.name(
            f"forall {binders(names)}, {statement}", f"intros {arguments}. exact {proof}.", "normal"
        )
        return f"({lemma} {arguments})"

    def _skeleton(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """The skeleton without the cache, by the operation of the term."""
        op, kids, level = t.op, t.kids, t.level
        if op in ("num", "var", "bound"):
            return t, None
        if op == "cast":
            return self.cast(t, around)
        if op in RING:
            # In a long sum ((a + b) + c) + .. the summands are cached, but not its initial parts a + b, ...
            chain = kids[0].op == op and len(kids) == 2
            inner = [self._skeleton(k, around) if chain and k is kids[0] else self.skeleton(k, around) for k in kids]
            return Term(op, t.data, [s for s, _ in inner], level), congruent(operation(t), [p for _, p in inner])
        # a / b is a times 1/b, whose skeleton is that of the inverse.
        if op == "/":
            (above, p), (below, q) = self.skeleton(kids[0], around), self.inverse(kids[1], around)
            out = real("*", above, below)
            return out, f"({congruent('Rmult', [p, shown(q)])} : {self.text(t, around)} = {self.text(out, around)})"
        if op == "inv":
            return self.inverse(kids[0], around)
        # The arguments of a function variable are compared as a whole, in normal form.
        if op == "app":
            out = self.polynomial(self.poly(t), around, level)
            return out, congruent(self.text(kids[0], around), [self.normalized(k, around) for k in kids[1:]])
        # An indicator is 0 or 1 if its formula has the normal form false or true.
        if op == "ind":
            suffix = "_Z" if level == "Z" else ""
            key, proof = self.normal.formula(kids[0].plain), self.formula_proof(kids[0], around)
            if key in (self.normal.true, self.normal.false):
                value = numeral(int(key is self.normal.true), level)
                return value, f"(ind{suffix}_{key.kind} _ {proof or SAME})"
            out = Term("ind", None, [self.formula(key, around)], level)
            return out, proof and f"(ind{suffix}_ext _ _ {proof})"
        if op in ("sum", "prod"):
            return self.whole_fold(t, around) if level == "Z" else self.fold(t, around)
        if op == "fn":
            return self.function(t, around)
        raise Untranslatable(f"no normal form of {op}")

    def cast(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """The skeleton of IZR z: the cast moves to the leaves of z."""
        z = t.kids[0]
        if z.op in ("var", "bound"):
            return t, None
        if z.op == "app":
            out, proof = self.skeleton(z, around)
            return cast(out), congruent("IZR", [proof])
        new, law = self.cast_inwards(z, around)
        out, proof = self.skeleton(new, around)
        return out, trans(law, proof)

    def cast_inwards(self, z: Term, around: Around) -> tuple[Term, str]:
        """IZR z with the cast moved one step inwards, and a proof that IZR z equals it."""
        op, kids = z.op, z.kids
        folds = op in ("sum", "prod")
        arguments = "" if folds else " ".join([self.text(k, around) for k in kids])
        if op in RING:
            law = {"+": "plus_IZR", "-": "minus_IZR", "*": "mult_IZR", "neg": "opp_IZR", "^": "IZR_pow"}[op]
            new = real(op, *map(cast, kids), data=z.data)
            arguments += f" {z.data}" if op == "^" else ""
        elif op == "ind":
            law, new = "IZR_ind", real("ind", *kids)
        elif op == "fn":
            law, new = f"IZR_{z.data}", real("fn", *map(cast, kids), data=z.data)
        elif folds:
            law, new = f"IZR_{op}", real(op, kids[0], kids[1], cast(kids[2]))
            here = inside(around, "Int")
            arguments = f"{self.text(kids[0], around)} {self.text(kids[1], around)} {self.under(kids[2], here)}"
        else:
            raise Untranslatable(f"a cast of {op}")
        return new, f"({law} {arguments})"

    def function(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """The skeleton of a function value. Where the checker computes the value, a law of Laws.v or a new lemma proves
        it."""
        name, level = t.data, t.level
        out = self.polynomial(self.poly(t), around, level)
        if name not in FUNCTIONS[level]:
            raise Untranslatable(f"{name} of integers")
        # First the arguments are replaced by their normal forms, which gives `with_normal_arguments`, ...
        proof = congruent(FUNCTIONS[level][name], [self.normalized(k, around) for k in t.kids])
        if level == "Z":
            if self.number(t) is not None:
                raise Untranslatable("an integer function of numbers")
            return out, proof
        values = [self.poly(k) for k in t.kids]
        arguments = [self.polynomial(v, around, k.level) for v, k in zip(values, t.kids, strict=True)]
        last = self.number(t.kids[-1]) if values else None
        with_normal_arguments = Term("fn", name, arguments, level)
        # ... then that by its value, if the checker computes one. `known_value` is the value with a proof.
        known_value = None
        if name == "exp":
            known_value = None if values[0] else (numeral(1), "exp_0")
            out = with_normal_arguments
        elif name in ("min", "max"):
            known_value = self.extreme(with_normal_arguments, values, around)
        elif name == "log":
            known_value = self.logarithm(values[0], around)
        elif last is not None:
            known_value = self.at_number(with_normal_arguments, last, around)
        if known_value is None:
            return out, proof
        value, law = known_value
        return value, trans(proof, law)

    def extreme(self, t: Term, values: list[Any], around: Around) -> tuple[Term, str] | None:
        """The value of min or max of two terms that differ by a constant, with its proof; else None."""
        difference = self.normal.constant(checker().add(values[0], values[1], -1))
        if difference is None:
            return None
        first = (difference <= 0) == (t.data == "min")  # whether the value is the first of the two
        low, high = t.kids if difference <= 0 else reversed(t.kids)
        zero = self.identity(real("-", high, low), numeral(abs(difference)), around)
        size = self.nonnegative(abs(difference))
        order = f"(le_of_gap _ _ (eq_ind_r (Rle 0) {size} {shown(zero)}))"
        arguments = " ".join([self.text(x, around) for x in t.kids])
        return t.kids[0 if first else 1], f"(ax_{t.data}_{'left' if first else 'right'} {arguments} {order})"

    def logarithm(self, p: Any, around: Around) -> tuple[Term, str] | None:
        """The value of the logarithm of a polynomial p, with its proof: ln 1 = 0 and ln (exp x) = x. None for other
        arguments."""
        if len(p) != 1:
            return None
        # p must be a monomial with coefficient 1 and no factors except an exponential.
        ((factors, exponent),) = p
        if factors or p[factors, exponent] != 1:
            return None
        if not exponent.parts[0]:
            return numeral(0), "ln_1"
        inner = self.polynomial(exponent.parts[0], around)
        return inner, f"(ln_exp {self.text(inner, around)})"

    def at_number(self, t: Term, c: Fraction, around: Around) -> tuple[Term, str] | None:
        """The value of a function whose last argument is the number `c`, with its proof; None if it is not computed."""
        name = t.data
        # relu and abs, by the axiom for the sign of c.
        if name in ("relu", "abs"):
            value = max(c, Fraction(0)) if name == "relu" else abs(c)
            tactic = f"rewrite ax_{name}_{'pos' if c >= 0 else 'neg'}; lra."
            return numeral(value), self.computed(t, value, tactic, around)
        # pow with a natural number is the power of rings.
        if name == "pow" and c >= 0 and c.denominator == 1:
            power = real("^", t.kids[0], data=int(c))
            return power, f"(eq_refl : {self.text(t, around)} = {self.text(power, around)})"
        # The root of a square of a rational number.
        if name == "sqrt" and c >= 0:
            root = Fraction(math.isqrt(c.numerator), math.isqrt(c.denominator))
            if root * root == c:
                return numeral(root), self.computed(t, root, "apply sqrt_lem_1; [lra | lra | field].", around)
        return None

    def computed(self, t: Term, value: Fraction, tactic: str, around: Around) -> str:
        """A lemma, proved by `tactic`, that a term equals a number."""
        return self.lemmas.name(f"{self.text(t, around)} = {numeral_text(value)}", tactic, "num")

    def under(self, body: Term, here: Around) -> str:
        """The body of a sum as a Coq function; `here` begins with its variable."""
        return f"(fun {here[0][0]}:Z => {self.text(body, here)})"

    def fold(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """The skeleton of a sum or product of real numbers."""
        low, high, body = t.kids
        # If the number of terms is known and small, the terms are written out.
        length = self.number(Term("-", None, (high, low), "Z"))
        if length is not None and length.denominator == 1 and length < checker().MAX_RANGE:
            return self.written_out(t, int(length) + 1, around)
        # Else the fold stays. Its ends get their normal forms, and its body its skeleton.
        here = inside(around, "Int")
        ends = [self.polynomial(self.poly(k), around, "Z") for k in (low, high)]
        before = [self.text(low, around), self.text(high, around), *[self.text(k, around) for k in ends]]
        proofs = [self.normalized(low, around), self.normalized(high, around)]
        inner, inner_proof = self.skeleton(body, here)

        def extended(new: Term) -> Proof:
            """A proof that the fold equals the one with ends in normal form and the body `new`."""
            proof = trans(inner_proof, self.identity(inner, new, here))
            if not any((*proofs, proof)):
                return None
            functions = f"{self.under(body, here)} {self.under(new, here)}"
            end_proofs = " ".join(map(shown, proofs))
            return f"({t.op}_ext {' '.join(before)} {functions} {end_proofs} (fun {here[0][0]} => {shown(proof)}))"

        p = self.poly(body)
        if t.op == "prod":
            # A product of ones is 1; another product keeps its body in normal form, as no factor moves out of it.
            if self.normal.constant(p) == 1:
                proof = trans(inner_proof, self.identity(inner, numeral(1), here))
                ones = f"{before[0]} {before[1]} {self.under(body, here)}"
                return numeral(1), f"(prod_one {ones} (fun {here[0][0]} => {shown(proof)}))"
            new = self.polynomial(p, here)
            return real("prod", *ends, new), extended(new)
        # A sum: in each monomial of the body, the part that does not depend on the bound variable moves out.
        rows = [self.moved_out(m, c, around, here) for m, c in self.ordered(p, here)]
        # A sum of zeros is 0.
        if not rows:
            proof = trans(inner_proof, self.identity(inner, numeral(0), here))
            fold_arguments = f"{before[0]} {before[1]} {self.under(body, here)}"
            return numeral(0), f"(sum_nil {fold_arguments} (fun {here[0][0]} => {shown(proof)}))"
        if len(rows) == 1 and rows[0][1] == numeral(1):  # the only monomial stays inside as a whole
            return real("sum", *ends, rows[0][2]), extended(rows[0][2])
        new_body, out, law = self.taken_apart(rows, ends, around, here)
        return out, trans(extended(new_body), law)

    def taken_apart(
        self, rows: list[tuple[Term, Term, Term]], ends: list[Term], around: Around, here: Around
    ) -> tuple[Term, Term, str]:
        """For the `rows` of `moved_out`, with the factor f that moves out and the rest r: the body, a sum of f r; the
        sum of f times (fold of r); and a proof that the fold of the body equals this sum."""
        # All three are built from the last monomial to the first; the proof is a chain of `sum_cons`.
        body, out = numeral(0), numeral(0)
        first, last = (self.text(k, around) for k in ends)
        chain = f"(sum_nil {first} {last} {self.under(numeral(0), here)} (fun {here[0][0]} => eq_refl))"
        for factor_in, factor, staying in reversed(rows):
            body = real("+", real("*", factor_in, staying), body)
            out = real("+", real("*", factor, real("sum", *ends, staying)), out)
            parts = f"{self.text(factor, around)} {self.under(staying, here)}"
            # An equation 0 = -p has the same normal form as 0 = p. Inside and outside of the sum the checker may have
            # chosen different signs, so that the factors may differ as texts.
            same = congruent("Rplus", [congruent("Rmult", [self.equal(factor_in, shift(factor, 1), here), None]), None])
            chain = f"(sum_cons _ _ _ {parts} _ _ (fun {here[0][0]} => {shown(same)}) {chain})"
        return body, out, f"({chain} : {self.text(real('sum', *ends, body), around)} = {self.text(out, around)})"

    def moved_out(self, m: Mono, c: Fraction | int, around: Around, here: Around) -> tuple[Term, Term, Term]:
        """The parts of a monomial c m under a sum: the factor that moves out, as a term inside the sum and as a term
        outside; and the factor that stays."""
        # Bit 0 of `loose` says whether the variable of the sum occurs.
        factors, exponent = m
        staying = frozenset([x for x in factors if x[0].loose & 1])
        staying_exponent = frozenset([x for x in exponent.parts[0] if checker().loose_in([x]) & 1])
        outer = (factors - staying, self.normal.key("exp", None, exponent.parts[0] - staying_exponent))
        staying_term = self.monomial((staying, self.normal.key("exp", None, staying_exponent)), 1, here)
        return self.monomial(outer, c, here), self.monomial(self.normal.lower_mono(outer), c, around), staying_term

    def whole_fold(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """The skeleton of a sum or product of integers. Between two numerals it is written out: Coq computes it. Any
        other is in normal form, and equal since the same real numbers are equal."""
        low, high, body = t.kids
        count = high.data[0] - low.data[0] + 1 if (low.op, high.op) == ("num", "num") else None
        if count is None or count > checker().MAX_RANGE:
            out = self.polynomial(self.poly(t), around, "Z")
            proof = self.equal(cast(t), cast(out), around)
            return out, proof and f"(eq_IZR _ _ {proof})"
        out = numeral(int(t.op == "prod"), "Z")
        for k in range(count):
            value = substitute(body, [numeral(low.data[0] + k, "Z")])
            out = Term("+" if t.op == "sum" else "*", None, (out, value), "Z")
        shown_out = f"({self.text(out, around)})%Z"
        first = f"(@eq_refl Z {shown_out} : @eq Z ({self.text(t, around)})%Z {shown_out})"
        canonical, proof = self.skeleton(out, around)
        return canonical, trans(first, proof)

    def written_out(self, t: Term, count: int, around: Around) -> tuple[Term, Proof]:
        """The skeleton of a sum or product with a known number of terms, written out."""
        op, (low, high, body) = t.op, t.kids
        arguments = f"{self.text(low, around)} {self.text(high, around)} {self.under(body, inside(around, 'Int'))}"
        unit = numeral(1, "Z")
        length = Term("+", None, (Term("-", None, (high, low), "Z"), unit), "Z")
        proof = shown(self.equal(length, numeral(count, "Z"), around))
        # An empty range: 0 or 1.
        if count <= 0:
            n = integer_text(count)
            proof = f"(eq_ind_r (fun z => (z <= 0)%Z) (ltac:(discriminate) : ({n} <= 0)%Z) {proof})"
            return numeral(int(op == "prod")), f"({op}_0 {arguments} {proof})"
        out = numeral(int(op == "prod"))
        # Substitute low, low + 1, .. in the body. The law `sum_n` or `prod_n` proves the equation, since Coq unfolds it
        # by computation.
        for i in range(count):
            step = numeral(i, "Z")
            index_term = numeral(low.data[0] + i, "Z") if low.op == "num" else Term("+", None, (low, step), "Z")
            out = real("+" if op == "sum" else "*", out, substitute(body, [index_term]))
        first = f"({op}_n {count} {arguments} {proof} : {self.text(t, around)} = {self.text(out, around)})"
        canonical, proof = self.skeleton(out, around)
        return canonical, trans(first, proof)

    def inverse(self, t: Term, around: Around) -> tuple[Term, Proof]:
        """A canonical term and a proof that 1/t equals it.

        t is the product of its content, the factors that all its monomials share, and the rest; each factor is inverted
        separately."""
        p = self.poly(t)
        if not p:
            raise Untranslatable("a division by zero")
        rows = self.inverses(p, around)
        # t = 1.
        if not rows:
            canonical, proof = self.skeleton(t, around)
            proof = trans(proof, self.identity(canonical, numeral(1), around))
            return numeral(1), f"(eq_trans (f_equal Rinv {shown(proof)}) Rinv_1)"
        # 1/(x y) = (1/x) (1/y), factor by factor.
        product_form, inverse, proof = rows[0]
        for factor, factor_inverse, factor_proof in rows[1:]:
            proof = f"(inv_mul _ _ _ _ {shown(proof)} {shown(factor_proof)})"
            product_form, inverse = real("*", product_form, factor), real("*", inverse, factor_inverse)
        canonical, first = self.skeleton(t, around)
        return inverse, trans(congruent("Rinv", [trans(first, self.identity(canonical, product_form, around))]), proof)

    def factored(self, p: Any) -> tuple[Fraction, dict[Any, int], Any]:
        """A polynomial as a product of three: a number (its content, with a sign), the factors that all its monomials
        share with their smallest powers, and the remaining polynomial."""
        common = dict(next(iter(p))[0])
        for factors, _ in p:
            powers = dict(factors)
            common = {k: min(n, powers[k]) for k, n in common.items() if k in powers}
        primitive: dict[Any, Any] = {}
        for (factors, exponent), c in p.items():
            remaining = [(k, n - common.get(k, 0)) for k, n in factors if n > common.get(k, 0)]
            primitive[frozenset(remaining), exponent] = c
        unit = Fraction(checker().content(primitive))
        if (primitive.get(self.normal.one) or sum(primitive.values())) < 0:
            unit = -unit
        return unit, common, checker().scale(primitive, 1 / unit)

    def inverses(self, p: Any, around: Around) -> list[tuple[Term, Term, Proof]]:
        """The factors of a polynomial other than 1, each with its inverse and the proof that it is the inverse."""
        unit, common, primitive = self.factored(p)
        rows: list[tuple[Term, Term, Proof]] = []
        if unit != 1:
            statement = f"(/ {numeral_text(unit)}) = {numeral_text(1 / unit)}"
            rows.append((numeral(unit), numeral(1 / unit), self.lemmas.name(statement, "field.", "num")))
        # Several monomials: the inverse stays as it is, an atom.
        if len(primitive) > 1:
            product_form = self.polynomial(primitive, around)
            rows.append((product_form, real("inv", product_form), None))
        else:
            # One monomial: all its factors are in `common`, so at most an exponential remains, and 1/exp x = exp (-x).
            ((_, exponent),) = primitive
            if exponent.parts[0]:
                e = self.exp(exponent.parts[0], around)
                opposite = self.exp([(m, -c) for m, c in exponent.parts[0]], around)
                proof = self.identity(real("neg", e.kids[0]), opposite.kids[0], around)
                rows.append((e, opposite, f"(inv_exp _ _ {shown(proof)})"))
        for key, n in sorted(common.items(), key=lambda x: x[0].serial):
            factor = self.atom(key, around)
            # 1/(1/x) = x.
            if key.kind == "inv":
                inverse = self.polynomial(key.parts[0], around)
                proof = f"(Rinv_inv {self.text(inverse, around)})"
            else:
                inverse, proof = real("inv", factor), None
            if n > 1:
                proof = f"(inv_pow {self.text(factor, around)} _ {n} {shown(proof)})"
                factor, inverse = real("^", factor, data=n), real("^", inverse, data=n)
            rows.append((factor, inverse, proof))
        return rows

    # Formulas.

    def formula_proof(self, f: Term, around: Around) -> Proof:
        """A proof of f <-> its normal form; None if both have the same text."""
        cache_key = ("formula", f, around)
        if cache_key not in self.cache:
            proof = self._formula_proof(f, around)
            if proof is not None:
                proof = self.share(f, around, "<->", self.formula(self.normal.formula(f.plain), around), proof)
            self.cache[cache_key] = proof
        return self.cache[cache_key]

    def _formula_proof(self, f: Term, around: Around) -> Proof:
        """The proof without the cache, by the connective of the formula."""
        op = f.op
        if op in ("true", "false"):
            return None
        if op in COMPARISONS:
            return self.comparison(f, around)
        if op in ("all", "ex"):
            return self.quantified(f, around)
        keys = [self.normal.formula(k.plain) for k in f.kids]
        proofs = [self.formula_proof(k, around) or SAME for k in f.kids]
        return self.denied(f, keys[0], proofs[0], around) if op == "~" else self.connected(f, keys, proofs, around)

    def comparison(self, f: Term, around: Around) -> Proof:
        """`formula_proof` for a comparison. Its gap, right side minus left side, is a number or a multiple of the gap
        of the normal form."""
        op, key = f.op, self.normal.formula(f.plain)
        sides = " ".join([self.text(k, around) for k in f.kids])
        p = self.normal.gap(f.plain)
        c = self.normal.constant(p)
        # A constant gap: the comparison is true or false.
        if c is not None:
            e = shown(self.equal(gap(f), numeral(c), around))
            truth = key.kind.capitalize()
            end = "[exact I | lra]" if truth == "True" else "lra"
            statement = f"forall a b, b - a = {numeral_text(c)} -> (a {op} b <-> {truth})"
            return f"({self.lemmas.name(statement, f'intros; split; intros; {end}.', 'compare')} {sides} {e})"
        # Else the gap is its content times the normal form; an equation may have the opposite sign.
        c = Fraction(checker().content(p))
        if op == "=" and key.parts[0] != frozenset(checker().scale(p, 1 / c).items()):
            c = -c
        target = self.polynomial(key.parts[0], around)
        canonical, proof = self.skeleton(gap(f), around)
        e = shown(trans(proof, self.identity(canonical, real("*", numeral(c), target), around)))
        number = numeral_text(c)
        side = self.lemmas.name(f"{number} <> 0", "lra.", "num") if op == "=" else self.nonnegative(c, True)
        law = {"<=": "le_gap", "<": "lt_gap", "=": "eq_gap"}[op]
        return f"({law} {sides} {number} {self.text(target, around)} {side} {e})"

    def quantified(self, f: Term, around: Around) -> Proof:
        """`formula_proof` for `all` and `ex`. A quantifier over a constant truth value is dropped."""
        here = inside(around, f.data)
        name, sort = here[0][0], sort_text(f.data)
        proof, key = self.formula_proof(f.kids[0], here), self.normal.formula(f.kids[0].plain)
        before = f"(fun {name}:{sort} => {self.text(f.kids[0], here)})"
        if key in (self.normal.true, self.normal.false):
            truth = key.kind.capitalize()
            return f"({f.op}_const {sort} {inhabitant(f.data)} {before} {truth} (fun {name} => {proof or SAME}))"
        if proof is None:
            return None
        after = f"(fun {name}:{sort} => {self.text(self.formula(key, here), here)})"
        return f"({f.op}_iff {sort} {before} {after} (fun {name} => {proof}))"

    def denied(self, f: Term, inner: Key, proof: str, around: Around) -> Proof:
        """`formula_proof` for a negation `f` = ~g; `inner` is the key of g, and `proof` proves g <-> its normal
        form."""
        key, here = self.normal.deny(inner), self.text(f.kids[0], around)
        # The cases: a constant; a comparison <= or <, whose negation is the opposite comparison; a double negation; any
        # other formula, such as an equation.
        if inner in (self.normal.true, self.normal.false):
            return f"(not_{inner.kind}_iff _ {proof})"
        if inner.kind in ("<=", "<"):
            before, after = (self.polynomial(k.parts[0], around) for k in (inner, key))
            e = shown(self.identity(real("neg", before), after, around))
            texts = f"{here} {self.text(before, around)} {self.text(after, around)}"
            return f"(not_{'le' if inner.kind == '<=' else 'lt'}_iff {texts} {proof} {e})"
        if inner.kind == "~":
            return f"(nn_iff {here} {self.text(self.formula(key, around), around)} {proof})"
        return None if proof == SAME else f"(not_iff _ _ {proof})"

    def connected(self, f: Term, keys: list[Key], proofs: list[str], around: Around) -> Proof:
        """`formula_proof` for f & g, f | g and f -> g, by a closed lemma of propositional logic. `keys` and `proofs`
        are those of both sides."""
        sign, key = CONNECTIVES[f.op], self.normal.formula(f.plain)
        truths = [k.kind.capitalize() if k in (self.normal.true, self.normal.false) else "" for k in keys]
        if not any(truths) and proofs == [SAME, SAME]:
            return None
        left, right = truths[0] or "A", truths[1] or "B"
        premises = f"forall P Q A B : Prop, (P <-> {left}) -> (Q <-> {right}) -> "
        if f.op == "->" and truths[1] == "False" and not truths[0]:  # f -> false is ~f
            denied = self.formula_proof(formula("~", f.kids[0]), around) or SAME
            lemma = self.lemmas.name(
                "forall P Q A C : Prop, (P <-> A) -> (Q <-> False) -> (~ P <-> C) -> ((P -> Q) <-> C)",
                "tauto.",
                "logic",
            )
            return f"({lemma} _ _ _ _ {proofs[0]} {proofs[1]} {denied})"
        # `result` is the right side of the lemma: a constant, both sides, or the side that is not constant.
        if key in (self.normal.true, self.normal.false):
            result = key.kind.capitalize()
        else:
            result = f"(A {sign} B)" if not any(truths) else "B" if truths[0] else "A"
        lemma = self.lemmas.name(f"{premises}((P {sign} Q) <-> {result})", "tauto.", "logic")
        texts = [self.text(k, around) for k in f.kids] + [self.text(self.formula(k, around), around) for k in keys]
        return f"({lemma} {' '.join(texts)} {' '.join(proofs)})"


def inhabitant(sort: Sort) -> str:
    """A Coq term of this sort."""
    if isinstance(sort, tuple):
        return f"(fun {' '.join('_' for _ in sort[1])} => {inhabitant(sort[2])})"
    return "0%Z" if sort == "Int" else "0"


_names: dict[Term, frozenset[Any]] = {}
"""The results of `free_names`."""
_uses: dict[Any, bool] = {}
"""The results of `uses`, by (term, index)."""


def free_names(t: Term) -> frozenset[Any]:
    """The free names of a term, with their sorts."""
    if t not in _names:
        inner = [free_names(k) for k in t.kids]
        _names[t] = frozenset([t.data]) if t.op == "var" else frozenset().union(*inner)
    return _names[t]


def uses(t: Term, index: int) -> bool:
    """Whether the variable of the binder with this index around t (0 is the innermost) occurs in t."""
    if t.loose <= index:
        return False
    if t.op == "bound":
        return t.data[0] == index
    if (t, index) not in _uses:
        _uses[t, index] = any(uses(k, index + t.binds(n)) for n, k in enumerate(t.kids))
    return _uses[t, index]
