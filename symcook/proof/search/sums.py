"""What the automation knows about sums without hints.

`facts` adds equations for sums, products and powers that occur, by lemmas and axioms of the library: for a sum of a
constant, for a sum in which one index is selected, and for the last term or factor. `pointwise` reduces a comparison of
sums over the same range to a comparison of their terms.

Letters: `g` is a goal, `a` is the number of an atom, `e` that of an exponent, `p` a normal form.
A normal form has its coefficients by monomial (factors, e), where `factors` are pairs of an atom and its power.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from symcook.proof import normal
from symcook.proof.inequalities import linear, reify
from symcook.proof.normal import ONE, Poly, add, scale
from symcook.proof.search.ranges import ANY, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import COMPARISONS, Term, abstract, instantiate, num, sort_of, var

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node
    from symcook.proof.terms import Term

Provable = Callable[[Goal], bool]
"""A function that tries to close a goal, and returns whether it did."""


def facts(g: Goal, atoms: list[int], done: set[object], provable: Provable) -> None:
    """Add facts about the sums, products and powers among `atoms` to `g`. `done` has a mark for each that was
    treated."""
    # The key of a sum or product: its kind, the name of its index, and the normal forms of both ends and of the body.
    keys = [(a, normal._keys[a]) for a in atoms if normal._keys[a][0] in ("sum", "prod")]
    for a, key in keys:
        if ("sum", a) in done:
            continue
        done.add(("sum", a))
        tag, name, low, high, body_form = key
        lo, hi = reify.term(dict(low)), reify.term(dict(high))
        if tag == "sum":
            ((factors, e), _) = next(iter(dict(body_form).items()))
            if not factors and not e:  # the body is a number
                _use(g, "lem:sum_one", (lo, hi), provable)
            for k, (atom, power) in enumerate(factors):
                if normal._keys[atom][0] == "ind" and power == 1:
                    _delta(g, name, lo, hi, dict(body_form), k, provable)
    # Two sums of the same terms, of which the first ends one index later than the second: they differ by one term.
    for a, (tag, name, low, high, body_form) in keys:
        for b, (other_tag, _, other_low, other_high, other_body) in keys:
            same_terms = a != b and tag == other_tag and low == other_low and body_form == other_body
            if same_terms and ("step", a) not in done and add(dict(high), dict(other_high), -1) == {ONE: 1}:
                done.add(("step", a))
                lo, hi = reify.term(dict(low)), reify.term(dict(high))
                body = _function(reify.term(dict(body_form)), name)
                axiom = "ax:sum_step" if tag == "sum" else "ax:prod_step"
                _use(g, axiom, (body, lo, hi), provable)
    # In the same way, z^(k + 1) and z^k differ by the factor z. The key of a power has its base and its exponent.
    powers = [(a, normal._keys[a][2:]) for a in atoms if normal._keys[a][:2] == ("fn", "pow")]
    for a, (base, exponent) in powers:
        for _, (other_base, less) in powers:
            if base == other_base and add(dict(exponent), dict(less), -1) == {ONE: 1} and ("step", a) not in done:
                done.add(("step", a))
                _use(g, "ax:pow_step", (reify.term(dict(base)), reify.term(dict(less))), provable)


def _function(body: Term, name: str) -> Term:
    """`body` as a function of the integer `name`."""
    return ("lam", ("Int",), (abstract(body, (var(name, "Int"),)),))


def _use(g: Goal, label: str, terms: tuple[Term, ...], provable: Provable) -> None:
    """Add an instance of a lemma or axiom, if the library has it, its integers are given as integers, and `provable`
    closes each premise."""
    from symcook.proof.search.matching import opened, with_values

    if label not in g.library.facts:
        return
    rule = opened(g.fact(label))
    if any(meta[1][1] == "Int" != sort_of(t) for meta, t in zip(rule.metas, terms, strict=True)):
        return
    matched = dict(zip(rule.metas, terms, strict=True))
    proofs: list[Any] = []
    for q in rule.premises:
        trial = g.branch(with_values(q, matched))
        parts = trial.split() if trial.goal[0] == "&" else [trial]
        if not all(provable(p) for p in parts):
            return
        proofs.append(trial.nodes)
    name = g.fresh("su")
    node = {"by": "use", "fact": label, "with": [*map(g.text, terms), *proofs], "as": name}
    g.add(node, with_values(rule.end, matched))


def _delta(g: Goal, name: str, lo: Term, hi: Term, body_form: Poly, k: int, provable: Provable) -> None:
    """Add sum(j, lo, hi, I[j = p]*f(j)) = f(p), where factor number `k` of the body is that indicator, and `name` is
    the index j."""
    ((factors, e), c) = next(iter(body_form.items()))
    formula = normal._keys[factors[k][0]][1]
    if formula[0] != "=":
        return
    # The indicator's equation is solved for j, whose coefficient must be 1 or -1. The value must not depend on j, and
    # its coefficients must be integers.
    equation_form = dict(next(iter(sorted(formula[1], key=repr))))
    index_monomial = (((normal._number(("var", name, "Int")), 1),), 0)
    own_monomial = next(((m, x) for m, x in equation_form.items() if m == index_monomial), None)
    if own_monomial is None or abs(own_monomial[1]) != 1:
        return
    index_value = scale(add(equation_form, {own_monomial[0]: own_monomial[1]}, -1), -own_monomial[1])
    if any(name in normal._scan_mono(m)[0] for m in index_value):
        return
    if any(x.denominator != 1 for x in index_value.values()):
        return
    other_factors = tuple([f for n, f in enumerate(factors) if n != k])
    body = _function(reify.term({(other_factors, e): c}), name)
    _use(g, "lem:sum_delta", (body, lo, hi, reify.term(index_value)), provable)


def pointwise(g: Goal) -> tuple[Term, Term, Term, str, Callable[[list[Any]], None]] | None:
    """How to prove a goal 0 <= c or 0 = c term by term, where c is a combination of sums over one range.

    Returns the terms as a function of the index, the two ends of the range, the tag of the comparison, and a function
    that closes the goal, given the nodes that prove the comparison for each term. None for another goal.
    """
    if g.goal[0] not in COMPARISONS or g.goal[0] == "<":
        return None
    p = linear.poly(g.goal)
    ends: tuple[Any, Any] | None = None
    name = "#9"  # a name that no text has, for the index of all sums
    summed: Poly = {}
    # Each monomial must be one sum times other factors. These factors are moved into the sum, and the bodies are added.
    for (factors, e), c in p.items():
        sum_factors = [(a, k) for a, k in factors if normal._keys[a][0] == "sum"]
        if len(sum_factors) != 1 or sum_factors[0][1] != 1:
            return None
        _, inside, low, high, body_form = normal._keys[sum_factors[0][0]]
        if ends not in (None, (low, high)):
            return None
        ends = (low, high)
        renamed = dict(normal._rename(body_form, inside, name, {})) if inside != name else dict(body_form)
        outside = tuple([f for f in factors if f != sum_factors[0]])
        summed = add(summed, normal.mul({(outside, e): c}, renamed))
    if ends is None:
        return None
    lo, hi = (reify.term(dict(x)) for x in ends)
    function = _function(reify.term(summed), name)
    label = "lem:sum_nonneg" if g.goal[0] == "<=" else "lem:sum_ext"
    if label not in g.library.facts:
        return None

    def close(nodes: list[Node]) -> None:
        """Close the goal by the lemma; `nodes` prove its premise about the terms."""
        fact = g.fresh("pw")
        zero_function = "j. 0" if "j" not in g.scope else g.text(_function(num(0), name))
        zero_argument = [] if g.goal[0] == "<=" else [zero_function]
        arguments = [g.text(function), *zero_argument, g.text(lo), g.text(hi), nodes]
        g.add({"by": "use", "fact": label, "with": arguments, "as": fact})
        closing = {"sum": [{"c": "1", "of": [fact]}]} if g.goal[0] == "<=" else {"eq": [["-1", fact]]}
        g.close({"by": "pos", **closing})

    return function, lo, hi, g.goal[0], close


def below(function: Term, low: Term, high: Term, tag: str) -> Term:
    """The formula ``all j in low..high. 0 <= f(j)``, which is the premise of sum_nonneg; or with ``f(j) = 0``, the
    premise of sum_ext."""
    body = instantiate(function[2][0], (ANY,))
    return ranged(low, high, (tag, None, (num(0), body) if tag == "<=" else (body, num(0))), ANY)
