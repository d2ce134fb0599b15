"""The checker: whether a proof proves a closed formula, and from which axioms and lemmas.

A proof is a list of nodes, JSON objects with a "by" and exactly the keys that `NODES` gives for it. Every node but the
last changes the state (goal, facts by label, names with sorts) and hands it on to the next. The last one closes the
goal; some kinds do it with proofs of their own. A proof does not contain its statement: the caller gives the goal to
`check`. Facts are passed down, never up, and every fact that a node looks at is a well-sorted formula within the limits
of `terms`. Whatever is not accepted raises Rejected and no other exception.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from symcook.errors import Rejected
from symcook.model.expr import valid_name
from symcook.proof import normal
from symcook.proof.grammar import Definition, read_formula, read_value
from symcook.proof.terms import (
    FALSE,
    TRUE,
    Sort,
    Term,
    conj,
    flatten,
    formula,
    free,
    instantiate,
    neg,
    negation,
    num,
    opened,
    replace,
    value_for,
    var,
)

Node: TypeAlias = "dict[str, object]"
MAX_NODES = 200_000
MAX_DIGITS = 2_000
MAX_COPIES = 5_000_000
SECONDS = 60.0

AXIOMS: Mapping[str, str] = {
    "relu_pos": "all x:Real. 0 <= x -> relu(x) = x",
    "relu_neg": "all x:Real. x <= 0 -> relu(x) = 0",
    "abs_pos": "all x:Real. 0 <= x -> abs(x) = x",
    "abs_neg": "all x:Real. x <= 0 -> abs(x) = -x",
    "min_left": "all x:Real, y:Real. x <= y -> min(x, y) = x",
    "min_right": "all x:Real, y:Real. y <= x -> min(x, y) = y",
    "max_left": "all x:Real, y:Real. y <= x -> max(x, y) = x",
    "max_right": "all x:Real, y:Real. x <= y -> max(x, y) = y",
    "inv": "all x:Real. x != 0 -> x*(1/x) = 1",
    "sqrt": "all x:Real. 0 <= x -> 0 <= sqrt(x) & sqrt(x)*sqrt(x) = x",
    "exp_pos": "all x:Real. 0 < exp(x)",
    "exp_ge": "all x:Real. 1 + x <= exp(x)",
    "exp_log": "all x:Real. 0 < x -> exp(log(x)) = x",
    "exp_lower": "all x:Real, k:Int. 0 <= k -> sum(j, 0, 2*k + 1, pow(x, j)/prod(i, 1, j, i)) <= exp(x)",
    "exp_upper": "all x:Real, k:Int. 0 <= k -> x <= 0 -> exp(x) <= sum(j, 0, 2*k, pow(x, j)/prod(i, 1, j, i))",
    "int_lt": "all a:Int, b:Int. a < b -> a + 1 <= b",
    "archimedes": "all x:Real. ex n:Int. 1 <= n & x <= n",
    "sum_empty": "all f:Int->Real, a:Int, b:Int. b < a -> sum(j, a, b, f(j)) = 0",
    "sum_step": "all f:Int->Real, a:Int, b:Int. a <= b -> sum(j, a, b, f(j)) = sum(j, a, b - 1, f(j)) + f(b)",
    "prod_empty": "all f:Int->Real, a:Int, b:Int. b < a -> prod(j, a, b, f(j)) = 1",
    "prod_step": "all f:Int->Real, a:Int, b:Int. a <= b -> prod(j, a, b, f(j)) = prod(j, a, b - 1, f(j))*f(b)",
    "pow_zero": "all x:Real. pow(x, 0) = 1",
    "pow_step": "all x:Real, n:Int. 0 <= n -> pow(x, n + 1) = pow(x, n)*x",
    "pi": "3.141592653589793 < pi & pi < 3.141592653589794",
    "erf_odd": "all x:Real. erf(-x) = -erf(x)",
    "erf_range": "all x:Real. 0 <= x -> 0 <= erf(x) & erf(x) <= 1",
    "erf_tail": "all x:Real. 0 <= x -> 1 - erf(x) <= exp(-x^2)",
    "erf_lower": "all x:Real, k:Int. 0 <= k -> 0 <= x -> "
    "2/sqrt(pi)*sum(j, 0, 2*k + 1, pow(-1, j)*pow(x, 2*j + 1)/(prod(i, 1, j, i)*(2*j + 1))) <= erf(x)",
    "erf_upper": "all x:Real, k:Int. 0 <= k -> 0 <= x -> "
    "erf(x) <= 2/sqrt(pi)*sum(j, 0, 2*k, pow(-1, j)*pow(x, 2*j + 1)/(prod(i, 1, j, i)*(2*j + 1)))",
    "sin_add": "all x:Real, y:Real. sin(x + y) = sin(x)*cos(y) + cos(x)*sin(y)",
    "cos_add": "all x:Real, y:Real. cos(x + y) = cos(x)*cos(y) - sin(x)*sin(y)",
    "sin_cos": "all x:Real. sin(x)^2 + cos(x)^2 = 1",
    "sin_pi": "sin(pi) = 0",
    "sin_bounds": "all x:Real. 0 <= x -> x - x^3/6 <= sin(x) & sin(x) <= x",
}

# by: (keys that must be there, keys that may be there)
NODES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    by: (frozenset(must.split()), frozenset(may.split()))
    for by, must, may in (
        ("intro", "as", ""),
        ("split", "proofs", ""),
        ("pick", "side", ""),
        ("witness", "term", ""),
        ("obtain", "fact name as", ""),
        ("hyp", "of", ""),
        ("true", "", ""),
        ("absurd", "of", "not"),
        ("contra", "as", ""),
        ("have", "show proof as", ""),
        ("use", "fact with as", ""),
        ("cases", "fact as proofs", ""),
        ("em", "formula as proofs", ""),
        ("ind", "of as", ""),
        ("rewrite", "eq", "rev in as"),
        ("antisym", "left right", ""),
        ("induct", "name ge as base step", ""),
        ("pos", "", "sum eq"),
        ("interval", "on prec", ""),
    )
}
_KEYS = {by: (must | {"by"}, must | may | {"by"}) for by, (must, may) in NODES.items()}


@dataclass(frozen=True)
class Accepted:
    """What an accepted proof rests on: the number of its nodes, and the axioms, lemmas and assumptions that it used."""

    nodes: int
    axioms: tuple[str, ...]
    lemmas: tuple[str, ...]
    named: tuple[str, ...]
    oracles: tuple[str, ...]


@cache
def axioms() -> Mapping[str, Term]:
    """The axioms as formulas."""
    return {name: read_formula(text, {}, {}) for name, text in AXIOMS.items()}


def check(
    goal: Term,
    proof: object,
    *,
    lemmas: Mapping[str, Term] | None = None,
    known: Mapping[str, Definition] | None = None,
    seconds: float = SECONDS,
) -> Accepted:
    """Check that `proof` proves the closed formula `goal`; Rejected where it does not.

    `lemmas` gives the formulas that may be used, by label: ``lem:ID``, ``named:NAME`` or ``oracle:NAME``. `known` gives
    the definitions that texts in the proof may use. The caller answers for the truth of the lemmas.
    """
    checker = _Checker(lemmas or {}, known or {})
    try:
        with normal.Clock(seconds):
            if free(formula(goal)):
                raise Rejected("a statement must be closed")
            checker.run(goal, proof)
    except RecursionError:
        raise Rejected("a formula is nested too deep") from None
    used = {p: tuple(sorted(u.partition(":")[2] for u in checker.used if u.startswith(p + ":"))) for p in _OUTSIDE}
    return Accepted(checker.nodes, used["ax"], used["lem"], used["named"], used["oracle"])


_LABEL = re.compile(r"\w[\w.']{0,99}", re.ASCII)
_OUTSIDE = ("ax", "lem", "named", "oracle")


def _need(condition: bool, why: str) -> None:
    if not condition:
        raise Rejected(why)


def _text(x: object, what: str) -> str:
    if not isinstance(x, str):
        raise Rejected(f"{what} must be a string")
    return x


def _list(x: object, what: str, length: int | None = None) -> list[Any]:
    if not isinstance(x, list) or (length is not None and len(x) != length):
        raise Rejected(f"{what} must be a list" + (f" of {length}" if length is not None else ""))
    return x


class _Opened:
    """A formula without its first quantifiers, whose variables are to be replaced by `values`. This is done when the
    formula is needed, so that a chain of quantifiers is opened in one pass."""

    __slots__ = ("done", "left", "values", "whole")

    def __init__(self, whole: Term, left: Term | None = None, values: tuple[Term, ...] = ()) -> None:
        self.whole, self.values = whole, values
        self.left = whole if left is None else left  # `whole` without the quantifiers: its head is that of the formula
        self.done = None if values else whole

    def open(self, value: Term) -> _Opened:
        return _Opened(self.whole, self.left[2][0], (*self.values, value))

    def formula(self) -> Term:
        if self.done is None:
            self.done = formula(opened(self.whole, self.values))
        return self.done


class _State:
    """One open branch of a proof: its goal, its facts and its names. A branch is never shared."""

    def __init__(self, goal: Term, facts: dict[str, _Opened], scope: dict[str, Sort], proof: object) -> None:
        self.open, self.facts, self.scope, self.proof = _Opened(goal), facts, scope, proof

    @property
    def goal(self) -> Term:
        return self.open.formula()

    @goal.setter
    def goal(self, goal: Term) -> None:
        self.open = _Opened(goal)

    def fact(self, label: str) -> Term:
        return self.facts[label].formula()

    def bind(self, label: Any, fact: Term | _Opened) -> None:
        """Give a fact a new label, or the parts of a conjunction a list of labels."""
        whole = fact if isinstance(fact, _Opened) else _Opened(formula(fact))
        parts = [whole]
        if isinstance(label, list):
            parts = [_Opened(formula(part)) for part in flatten("&", whole.formula())]
            _need(len(label) == len(parts), f"a conjunction of {len(parts)} needs as many labels")
        for part_label, part in zip(label if isinstance(label, list) else [label], parts, strict=True):
            _need(_LABEL.fullmatch(_text(part_label, "a label")) is not None, "a label is not valid")
            if part_label in self.facts:
                raise Rejected(f"the label '{part_label}' is in use")
            self.facts[part_label] = part


class _Checker:
    def __init__(self, lemmas: Mapping[str, Term], known: Mapping[str, Definition]) -> None:
        self.lemmas, self.known = lemmas, known
        self.nodes = 0
        self.used: set[str] = set()
        self.copies = 0  # of facts, in the branches opened so far
        self.open: list[_State] = []

    def run(self, goal: Term, proof: object) -> None:
        """Check a proof; open branches wait on a stack, so that its depth costs no recursion."""
        self.open = [_State(goal, {}, {}, proof)]
        while self.open:
            state = self.open.pop()
            steps = _list(state.proof, "a proof")
            _need(bool(steps), "a proof must not be empty")
            for place, node in enumerate(steps):
                self.nodes += 1
                normal.Clock.spend(5)
                if self.nodes > MAX_NODES:
                    raise Rejected(f"a proof exceeds {MAX_NODES} nodes")
                by = node.get("by") if isinstance(node, dict) else None
                if not isinstance(by, str) or by not in _KEYS:
                    raise Rejected(f"an unknown kind of node: {str(by)[:40]}")
                must, all_keys = _KEYS[by]
                if not must <= node.keys() <= all_keys:
                    raise Rejected(f"'{by}' needs the keys {', '.join(sorted(NODES[by][0])) or 'none'}")
                closed = getattr(self, f"_{by}")(state, node)
                last = place == len(steps) - 1
                if closed != last:
                    raise Rejected(f"'{by}' cannot be the last node" if last else f"a node follows '{by}'")

    def branch(self, state: _State, goal: Term, proof: object) -> _State:
        """A new open branch with the facts and names of `state`."""
        self.copies += len(state.facts) + len(state.scope)
        if self.copies > MAX_COPIES:
            raise Rejected(f"the branches of a proof copy more than {MAX_COPIES} facts")
        new = _State(formula(goal), dict(state.facts), dict(state.scope), proof)
        self.open.append(new)
        return new

    def fact(self, state: _State, label: object) -> Term:
        return self.opened(state, label).formula()

    def opened(self, state: _State, label: object) -> _Opened:
        # A fact of the branch, or an axiom or lemma from outside, which is noted as used.
        label = _text(label, "a label")
        if label in state.facts:
            return state.facts[label]
        kind, colon, outside_name = label.partition(":")
        statement = axioms().get(outside_name) if kind == "ax" else self.lemmas.get(label)
        if not colon or kind not in _OUTSIDE or statement is None:
            raise Rejected(f"there is no fact '{label[:80]}' here")
        self.used.add(label)
        return _Opened(statement)

    def name(self, state: _State, name: Any, sort: Sort) -> Term:
        """Bring a new name into scope."""
        _need(len(_text(name, "a name")) <= 100 and valid_name(name), "a name is not valid")
        if name in state.scope or name in self.known:
            raise Rejected(f"the name '{name}' is in use")
        state.scope[name] = sort
        return var(name, sort)

    def formula(self, state: _State, text: object) -> Term:
        return read_formula(_text(text, "a formula"), state.scope, self.known)

    def value(self, state: _State, text: object, sort: Sort) -> Term:
        return read_value(_text(text, "a term"), sort, state.scope, self.known)

    # Logic. Each method returns whether it closes the goal.

    def _intro(self, state: _State, node: Node) -> bool:
        # Each label introduces a variable (all), a premise (->), or what ~ denies.
        for label in _list(node["as"], "'as'"):
            tag, sort, _ = state.open.left
            if tag == "all":
                state.open = state.open.open(self.name(state, label, sort))
                continue
            _need(tag in ("->", "~"), "nothing to introduce in this goal")
            kids = state.goal[2]
            state.bind(label, kids[0])
            state.goal = kids[1] if tag == "->" else FALSE
        return False

    def _split(self, state: _State, node: Node) -> bool:
        parts = flatten("&", state.goal)
        _need(len(parts) > 1, "'split' needs a conjunction")
        for part, proof in zip(parts, _list(node["proofs"], "'proofs'", len(parts)), strict=True):
            self.branch(state, part, proof)
        return True

    def _pick(self, state: _State, node: Node) -> bool:
        _need(state.goal[0] == "|", "'pick' needs a disjunction")
        _need(node["side"] in ("left", "right"), "a side is left or right")
        state.goal = state.goal[2][node["side"] == "right"]
        return False

    def _witness(self, state: _State, node: Node) -> bool:
        tag, sort, _ = state.open.left
        _need(tag == "ex", "'witness' needs an existential goal")
        state.open = state.open.open(self.value(state, node["term"], sort))
        return False

    def _obtain(self, state: _State, node: Node) -> bool:
        fact = self.opened(state, node["fact"])
        tag, sort, _ = fact.left
        _need(tag == "ex", "'obtain' needs an existential fact")
        state.bind(node["as"], fact.open(self.name(state, node["name"], sort)))
        return False

    def _hyp(self, state: _State, node: Node) -> bool:
        _need(_same(self.fact(state, node["of"]), state.goal), "a fact is not the goal")
        return True

    def _true(self, state: _State, node: Node) -> bool:
        _need(normal.fkey(state.goal) == normal.TRUE, "the goal is not true by computation")
        return True

    def _absurd(self, state: _State, node: Node) -> bool:
        fact = self.fact(state, node["of"])
        if "not" in node:
            _need(_same(neg(fact), self.fact(state, node["not"])), "two facts do not contradict each other")
        else:
            _need(normal.fkey(fact) == normal.FALSE, "a fact is not false by computation")
        return True

    def _contra(self, state: _State, node: Node) -> bool:
        state.bind(node["as"], negation(state.goal))
        state.goal = FALSE
        return False

    def _have(self, state: _State, node: Node) -> bool:
        claim = self.formula(state, node["show"])
        self.branch(state, claim, node["proof"])
        state.bind(node["as"], claim)
        return False

    def _use(self, state: _State, node: Node) -> bool:
        # Instantiate a fact: a value for each `all`, and for each premise a proof, "!" (true by computation) or
        # "#label".
        fact = self.opened(state, node["fact"])
        for argument in _list(node["with"], "'with'"):
            tag, sort, _ = fact.left
            if tag == "all":
                fact = fact.open(self.value(state, argument, sort))
                continue
            _need(tag in ("->", "~"), "a fact takes no more arguments")
            kids = fact.formula()[2]
            if isinstance(argument, list):
                self.branch(state, kids[0], argument)
            elif _text(argument, "an argument") == "!":
                _need(normal.fkey(kids[0]) == normal.TRUE, "a premise is not true by computation")
            else:
                _need(argument.startswith("#"), "a premise needs '#label', '!' or a proof")
                _need(_same(self.fact(state, argument[1:]), kids[0]), "a fact is not the premise")
            fact = _Opened(kids[1] if tag == "->" else FALSE)
        state.bind(node["as"], fact)
        return False

    def either(self, state: _State, parts: Sequence[Term], node: Node) -> bool:
        # The same goal in each of the cases.
        labels = _list(node["as"], "'as'", len(parts))
        proofs = _list(node["proofs"], "'proofs'", len(parts))
        for part, label, proof in zip(parts, labels, proofs, strict=True):
            self.branch(state, state.goal, proof).bind(label, part)
        return True

    def _cases(self, state: _State, node: Node) -> bool:
        return self.either(state, flatten("|", self.fact(state, node["fact"])), node)

    def _em(self, state: _State, node: Node) -> bool:
        case = self.formula(state, node["formula"])
        return self.either(state, (case, negation(case)), node)

    def _ind(self, state: _State, node: Node) -> bool:
        case = self.formula(state, node["of"])
        with_one, with_zero = (("=", None, (("ind", None, (case,)), num(c))) for c in (1, 0))
        state.bind(node["as"], ("|", None, (conj(case, with_one), conj(negation(case), with_zero))))
        return False

    def _rewrite(self, state: _State, node: Node) -> bool:
        # Replace one side of an equation by the other, in the goal or in a fact.
        tag, _, sides = self.fact(state, node["eq"])
        _need(tag == "=", "'rewrite' needs an equation")
        _need(isinstance(node.get("rev", False), bool), "'rev' is true or false")
        _need(("in" in node) == ("as" in node), "'in' and 'as' go together")
        old, new = reversed(sides) if node.get("rev", False) else sides
        before = self.fact(state, node["in"]) if "in" in node else state.goal
        after = formula(replace(before, old, new))
        _need(after != before, "there is nothing to rewrite")
        if "in" in node:
            state.bind(node["as"], after)
        else:
            state.goal = after
        return False

    def _antisym(self, state: _State, node: Node) -> bool:
        _need(state.goal[0] == "=", "'antisym' needs an equation as goal")
        a, b = state.goal[2]
        self.branch(state, ("<=", None, (a, b)), node["left"])
        self.branch(state, ("<=", None, (b, a)), node["right"])
        return True

    def _induct(self, state: _State, node: Node) -> bool:
        # all k:Int. a <= k -> P follows from P at a, and from P at k + 1 given a <= k and P at k.
        tag, sort, kids = state.goal
        _need((tag, sort) == ("all", "Int") and kids[0][0] == "->", "'induct' needs all k:Int. a <= k -> P")
        premise, body = kids[0][2]
        _need(premise[0] == "<=" and premise[2][1] == ("bound", (0, "Int"), ()), "'induct' needs a <= k as the premise")
        start = value_for(instantiate(premise[2][0], ()), "Int")  # rejected where it contains k
        self.branch(state, instantiate(body, (start,)), node["base"])
        step = self.branch(state, TRUE, node["step"])
        k = self.name(step, node["name"], "Int")
        step.bind(node["ge"], ("<=", None, (start, k)))
        step.bind(node["as"], instantiate(body, (k,)))
        step.goal = formula(instantiate(body, (("+", None, (k, num(1))),)))
        return True

    # Arithmetic.

    def _pos(self, state: _State, node: Node) -> bool:
        """For a goal a <= b (or <, or =): b - a is a sum of c > 0 times facts times squares, plus multiples of
        equations, as normal forms."""
        tag, _, kids = state.goal
        _need(tag in ("<=", "<", "=", "false"), "'pos' needs a comparison as goal")
        wanted = _gap(state.goal) if kids else {}
        total: normal.Poly = {}
        strict = False
        # Each summand is at least 0, and above 0 if it is a product of strict facts without a square.
        for entry in _list(node.get("sum", []), "'sum'"):
            _need(tag != "=", "an equation follows from equations only")
            _need(isinstance(entry, dict) and {"c", "of"} <= set(entry) <= {"c", "of", "sq"}, "a summand has c, of, sq")
            term: normal.Poly = {normal.ONE: _coefficient(entry["c"])}
            firm = "sq" not in entry
            for label in _list(entry["of"], "'of'"):
                fact = self.fact(state, label)
                if fact[0] not in ("<=", "<"):
                    raise Rejected(f"'{label}' is not an inequality")
                firm = firm and fact[0] == "<"
                term = normal.mul(term, _gap(fact))
            if "sq" in entry:
                root = normal.nf(self.value(state, entry["sq"], "Real"))
                term = normal.mul(term, normal.mul(root, root))
            strict = strict or firm
            total = normal.add(total, term)
        # A multiple of an equation is 0.
        for entry in _list(node.get("eq", []), "'eq'"):
            multiplier, label = _list(entry, "a multiplier with its equation", 2)
            fact = self.fact(state, label)
            _need(fact[0] == "=", f"'{label}' is not an equation")
            total = normal.add(total, normal.mul(normal.nf(self.value(state, multiplier, "Real")), _gap(fact)))
        # Equal normal forms: b - a is this sum at all values of the names.
        _need(strict or tag in ("<=", "="), "a strict goal needs a strict summand")
        _need(total == wanted, "the sum is not the difference of the two sides")
        return True

    def _interval(self, state: _State, node: Node) -> bool:
        """For a goal a <= b (or <): the enclosure of b - a, over the box of numeric bounds on its names, decides it."""
        from symcook.proof import enclose

        tag, _, kids = state.goal
        _need(tag in ("<=", "<"), "'interval' needs an inequality as goal")
        prec: Any = node["prec"]
        _need(isinstance(prec, int) and not isinstance(prec, bool) and 16 <= prec <= 4096, "prec is from 16 to 4096")
        low: dict[Term, Fraction] = {}
        high: dict[Term, Fraction] = {}
        # Each fact bounds one name by a number; the tightest bounds count.
        for label in _list(node["on"], "'on'"):
            fact = self.fact(state, label)
            _need(fact[0] in ("<=", "<"), f"'{label}' is not a bound")
            a, b = fact[2]
            if a[0] == "var" and (c := normal.constant(normal.nf(b))) is not None:
                high[a] = min(high.get(a, Fraction(c)), Fraction(c))
            elif b[0] == "var" and (c := normal.constant(normal.nf(a))) is not None:
                low[b] = max(low.get(b, Fraction(c)), Fraction(c))
            else:
                raise Rejected(f"'{label}' is not a numeric bound on a name")
        # All values of the names that the facts allow are in the box.
        box: dict[Term, tuple[Fraction, Fraction]] = {}
        for v in free(state.goal):
            _need(v in low and v in high, f"'{v[1][0]}' needs a bound on both sides")
            _need(low[v] <= high[v], f"the bounds of '{v[1][0]}' contradict each other")
            box[v] = (low[v], high[v])
        sign = enclose.least_sign(("-", None, (kids[1], kids[0])), box, prec)
        _need(sign is not None and (sign > 0 or (sign == 0 and tag == "<=")), "the enclosure does not decide the goal")
        return True


def _same(a: Term, b: Term) -> bool:
    return a == b or normal.fkey(a) == normal.fkey(b)


def _gap(comparison: Term) -> normal.Poly:
    """Right side minus left side."""
    a, b = comparison[2]
    return normal.add(normal.nf(b), normal.nf(a), -1)


def _coefficient(c: object) -> Fraction | int:
    match = re.fullmatch(r"([0-9]+)(?:/([0-9]+))?", c, re.ASCII) if isinstance(c, str) else None
    if match is None or len(match.group()) > MAX_DIGITS:
        raise Rejected("a coefficient must be a positive rational in digits")
    p, q = int(match[1]), int(match[2] or 1)
    _need(p > 0 and q > 0, "a coefficient must be positive")
    return p if q == 1 else Fraction(p, q)
