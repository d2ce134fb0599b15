"""Closes the goals of a bridge: each holds by computation at every value of every index. Nothing here is trusted.

A bridge proves that a model is its family at given sizes. Its goals are the family's equations, in which the model's
values stand for the family's functions. `Computed.settle` takes such a goal apart by its shape, sets each index to each
of its numbers, and then looks up the equation of the model that has the same normal form. If there is none, the model
is not the family at these sizes, and an error that names the difference is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from symcook.model.rationals import quotient
from symcook.proof import normal
from symcook.proof.bridges.distinct import distinct
from symcook.proof.bridges.sharedvalues import shortened, swapped
from symcook.proof.normal import FALSE, TRUE, fkey, nf
from symcook.proof.search import automation
from symcook.proof.search.ranges import at_number, numbered_range
from symcook.proof.search.tactics import Goal, Stuck, try_each
from symcook.proof.statements.exactvalues import cancelled, divided, enclosed, reduced, whole_term
from symcook.proof.terms import flatten, instantiate, loose, num, opened, replace, subterms, var

if TYPE_CHECKING:
    from symcook.proof.terms import Term

MANY = 64
"""The number of witnesses that are tried for an existential quantifier: 0, 1, .. Each is an attempt at a proof."""
FEW = 3
"""A range of at most so many numbers is split into cases without shortening the goal first. Shortening is a proof of
its own."""
ROOTED = (divided, cancelled, partial(enclosed, near=()))
"""The tactics for a comparison of numbers with roots."""


class Computed:
    """Closes goals that are true by computation or equal a fact up to normal forms, at each value of each index."""

    def __init__(
        self,
        differs: Callable[[Term], Exception],
        facts: Mapping[Term, str],
        searching: bool = False,
        long: bool = False,
    ) -> None:
        """`facts` has the label of each fact by its normal form. `differs` makes the error for a goal that equals no
        fact. With `searching` the automation tries such a goal: it may be about ties between the numbers of an input.
        With `long` a goal is shortened before it is split."""
        self.differs, self.keys, self.searching, self.long = differs, dict(facts), searching, long
        self.by_name: dict[str | None, str] = {}  # by function: the label of its equation
        self.words: list[str] = []  # the labels of the facts about the tokens of a string
        self.one_of: dict[str, tuple[str, int]] = {}  # by label of an instance: the general fact's label, and the index
        self.aside: set[str] = set()  # labels of facts that say nothing about where a position is
        self.count = 0  # how many names of indices and premises have been made

    def spread(self, fact: Term, label: str) -> None:
        """Record the instances of a fact ``all x in a..b. F`` with numbers a and b. They are derived when needed."""
        for x in numbered_range(fact) or ():
            instance = at_number(fact, x)
            label_at_x = f"{label}_{x}"
            self.one_of[label_at_x] = label, x
            self.keys.setdefault(fkey(instance), label_at_x)
            if (name := left_of(instance)) is not None:
                self.by_name[name] = label_at_x

    def _given(self, g: Goal, label: str) -> str:
        """The label, after the fact with it is made available: a recorded instance is derived if it is not in `g`."""
        if label in self.one_of and label not in g.facts:
            general, x = self.one_of[label]
            g.use(general, str(x), label=label, premises=1)
        return label

    def settle(self, g: Goal) -> None:
        """Close the goal, by its shape; raises the error of `differs` if it does not follow by computation. With
        `searching` it raises Stuck for a goal that the automation does not close."""
        if g.goal[0] == "&":  # before the normal form is computed: that of a whole run is long
            for part in g.split():
                self.settle(part)
            return
        if numbered_range(g.goal) is not None:
            if not (self.long and (distinct(g, halved) or (self.searching and swapped(g, self.settle)))):
                self._index(g)
            return
        # Two formulas are the same after computation if their normal forms are.
        key = fkey(g.goal)
        if key == TRUE:
            g.true()
        elif key in self.keys:
            g.hyp(self._given(g, self.keys[key]))
        elif g.goal[0] == "->":  # the premise is a fact until its conclusion is closed
            keys_before, self.count = dict(self.keys), self.count + 1
            premise = f"h{self.count}"
            if _close_vacuous(g, premise):
                return
            self.keys[fkey(g.goal[2][0])] = premise
            g.intro(premise)
            self.settle(g)
            self.keys = keys_before
        elif g.goal[0] == "ex":
            self._exists(g)
        elif g.goal[0] == "all":
            self._index(g)
        elif g.goal[0] == "|":
            self.settle(g.pick("left" if fkey(g.goal[2][0]) == TRUE else "right"))
        elif self.searching:
            has_roots = any(t[:2] == ("fn", "sqrt") for t in subterms(g.goal))
            if not (has_roots and try_each(g, *ROOTED, _nested, _close_without_relus)):
                automation.prove(g)
        else:
            raise self.differs(g.goal)

    def _exists(self, g: Goal) -> None:
        """Close ``ex x. F`` by the first number at which F is true by computation."""
        for value in range(MANY):
            if fkey(instantiate(g.goal[2][0], (num(value),))) == TRUE:
                self.settle(g.witness(str(value)))
                return
        raise self.differs(g.goal)

    def _index(self, g: Goal) -> None:
        """Close ``all x in a..b. F``: case by case if a and b are numbers, else as an equation at a position x."""
        body = g.goal[2][0]
        if g.goal[1] != "Int" or body[0] != "->" or body[2][0][0] != "&":
            raise self.differs(g.goal)
        self.count += 1
        x, low, high = f"x{self.count}_", f"l{self.count}", f"u{self.count}"
        g.intro(f"{x} ({low} {high})")
        ends = [normal.constant(nf(g.facts[k][2][side])) for k, side in ((low, 0), (high, 1))]
        if None in ends and g.goal[0] == "&" and g.goal[2][0][0] == "->":
            # An answer at each position: F is ``A <-> B``, which is two implications.
            for part in g.split():
                self.settle(part)
            return
        if None in ends:  # a range of positions
            if not (self.long and shortened(g, lambda h: self._position(h, x, low, high))):
                self._position(g, x, low, high)
            return

        # A range of numbers: a case for each, with the number in the place of x.
        def leaf(h: Goal, value: int, equal: str) -> None:
            h.rewrite(equal) if _occurs(h.goal, x) else None
            self.settle(h)

        def by_cases(branch: Goal) -> None:
            halved(branch, x, int(ends[0] or 0), int(ends[1] or 0), low, high, leaf)

        is_wide = (ends[1] or 0) - (ends[0] or 0) >= FEW
        if not (self.long and is_wide and shortened(g, by_cases)):
            by_cases(g)

    def _position(self, g: Goal, position: str, low: str, high: str) -> None:
        """Close an equation of the embedding at a position: one case for each token that may be there. The facts `low`
        and `high` are the range of the position."""
        equation = self.by_name.get(left_of(g.goal))
        typed = next((k for k in self.words if g.facts[k][0] == "all"), None)
        if typed is None:
            raise self.differs(g.goal)
        # The model's equation at this position. It may be the goal already, for every token.
        if equation is not None:
            self._given(g, equation)
            g.use(equation, position, lambda h: pair(h, low, high), label=f"{equation}_at", premises=0)
            if self.long and fkey(g.facts[f"{equation}_at"]) == fkey(g.goal):
                g.hyp(f"{equation}_at")
                return
        # If not all positions have typed tokens: a case for the position of each added token (BOS, EOS) comes first.
        ends = flatten("&", instantiate(g.facts[typed][2][0], (var(position, "Int"),))[2][0])
        all_typed = [fkey(end) for end in ends] == [fkey(g.facts[low]), fkey(g.facts[high])]
        for k in self.words if not all_typed else ():
            if g.facts[k][0] == "=":  # an added token: either it is here, or `g` goes on where it is not
                added_position, token = g.facts[k][2][0][2][1], g.facts[k][2][1]
                here, g = g.em(f"{position} = {g.text(added_position)}", f"{k}_here", f"{k}_not")

                def added(h: Goal, k: str = k) -> None:
                    h.rewrite(f"{k}_here").hyp(k)

                here.have(f"w({position}) = {here.text(token)}", "token", added)
                self._tokens(here, equation)
        # Then the typed tokens. The position is one of theirs: it is in the range and not that of an added token.
        about_position = [low, high, *(k for k in g.facts if k.endswith("_not"))]
        equations = {*self.by_name.values(), *self.aside}

        def in_typed_range(h: Goal) -> None:
            h.facts = {k: f for k, f in h.facts.items() if k in about_position or k not in equations}
            automation.prove(h, (), foreground=about_position)

        close_range = (lambda h: pair(h, low, high)) if all_typed else in_typed_range
        g.use(typed, position, close_range, label="token", premises=0)
        self._tokens(g, equation)

    def _tokens(self, g: Goal, equation: str | None) -> None:
        """Close the goal in each case of the fact `token`, which says what the token is: by computation, else by the
        model's equation with the label `equation`."""
        for branch in g.cases("token", "token_is") if g.facts["token"][0] == "|" else [g]:
            token_equation = "token_is" if branch is not g else "token"
            if _mentions_word(branch.goal):
                branch.rewrite(token_equation)
            key = fkey(branch.goal)
            if key == TRUE:
                branch.true()
                continue
            if equation is None:
                raise self.differs(branch.goal)
            branch.rewrite(token_equation, f"{equation}_at", f"{equation}_here")
            if fkey(branch.facts[f"{equation}_here"]) != key:
                raise self.differs(branch.goal)
            branch.hyp(f"{equation}_here")


def _close_vacuous(g: Goal, label: str) -> bool:
    """Close ``A -> B`` if a conjunct of A is false by computation, perhaps at one index only. Returns whether one is.
    `label` is the label of the fact A, or the stem of the labels of its conjuncts."""
    parts = flatten("&", g.goal[2][0])
    for k, part in enumerate(parts):
        if fkey(part) != FALSE and (failing_index := _failing_index(part)) is None:
            continue
        labels = [f"{label}_{m}" for m in range(len(parts))] if len(parts) > 1 else [label]
        g.intro(group(labels))
        g.contra(g.fresh("no"))
        false_fact = labels[k]
        if fkey(part) != FALSE:
            false_fact = g.fresh("wrong")
            g.use(labels[k], str(failing_index), "!", label=false_fact)
        g.absurd(false_fact)
        return True
    return False


def _failing_index(f: Term) -> int | None:
    """The first number at which ``all x in a..b. F`` is false by computation; None without one."""
    return next((x for x in numbered_range(f) or () if fkey(at_number(f, x)) == FALSE), None)


def _nested(g: Goal) -> None:
    """Close a comparison after its roots are simplified.

    A root of a term that is rational after computation becomes the root of that number, and a root that is a rational
    multiple of an earlier one becomes this multiple."""
    goal, radicands, facts = g.goal, list[Fraction](), list[str]()
    replaced = goal
    for t in _roots(goal):
        inside, number = t[2][0], normal.constant(reduced(nf(t[2][0])))
        if number is None or number <= 0:
            continue
        # sqrt(number) = ratio*sqrt(radicand), with an earlier radicand if there is one with a rational ratio.
        matches = ((old, ratio) for old in radicands if (ratio := _rational_root(Fraction(number) / old)) is not None)
        radicand, ratio = next(matches, (Fraction(number), Fraction(1)))
        if radicand not in radicands:
            radicands.append(radicand)
            if normal.constant(nf(inside)) is not None:  # it is the root of a rational number as it stands
                continue
        facts.append(g.fresh("root"))
        multiple = f"{quotient(ratio)}*sqrt({quotient(radicand)})"
        g.use("lem:sqrt_equals", g.text(inside), multiple, partial(enclosed, near=()), cancelled, label=facts[-1])
        replaced = replace(replaced, t, g.term(multiple, "Real"))
    if not facts:
        raise Stuck("no root of a number with roots")
    facts.append(g.fresh("plain"))
    g.have(replaced, facts[-1], _close_plain)
    g.auto(facts)


def _close_plain(g: Goal) -> None:
    """Close a comparison by the tactics for roots, else by the automation."""
    if not try_each(g, *ROOTED):
        automation.prove(g)


def _roots(f: Term) -> list[Term]:
    """The square roots in a formula that contain no bound variable."""
    return [t for t in dict.fromkeys(subterms(f)) if t[:2] == ("fn", "sqrt") and not loose(t)]


def _rational_root(q: Fraction) -> Fraction | None:
    """The square root of a positive rational number; None if it is irrational."""
    root = normal.constant(nf(("fn", "sqrt", (num(q.numerator, q.denominator),))))
    return None if root is None else Fraction(root)


def _close_without_relus(g: Goal) -> None:
    """Close a comparison after each relu of a number with roots is replaced: by the number if it is at least 0, else
    by 0."""
    facts, replaced = [], g.goal
    for t in dict.fromkeys(subterms(g.goal)):
        if t[:2] != ("fn", "relu") or loose(t) or normal.constant(nf(t)) is not None:
            continue
        inside = whole_term(nf(t[2][0]))
        for axiom, ends, value in (
            ("ax:relu_pos", (num(0), inside), inside), ("ax:relu_neg", (inside, num(0)), num(0)),
        ):  # fmt: skip
            # 0 <= t or t <= 0, by rigorous intervals or as an equation.
            trial = g.branch(("<=", None, ends))
            if try_each(trial, partial(enclosed, near=()), _close_equal):
                facts.append(g.fresh("relu"))
                g.use(axiom, g.text(inside), partial(Goal.take, trial=trial), label=facts[-1])
                replaced = replace(replaced, t, value)
                break
    if not facts:
        raise Stuck("no relu of a number with roots")
    facts.append(g.fresh("opened"))
    g.have(replaced, facts[-1], _close_rooted)
    g.auto(facts)


def _close_rooted(g: Goal) -> None:
    """Close a comparison by the tactics for roots."""
    if not try_each(g, *ROOTED):
        raise Stuck("no comparison of numbers with roots")


def _close_equal(g: Goal) -> None:
    """Close a <= b for two equal numbers with roots."""
    label = g.fresh("same")
    g.have(("=", None, g.goal[2]), label, cancelled)
    g.auto([label])


def halved(g: Goal, x: str, a: int, b: int, low: str, high: str, leaf: Callable[..., None]) -> None:
    """Close `g` by cases over the integer x, halving its range: fact `low` is a <= x, fact `high` is x <= b.

    `leaf` closes one case; its arguments are the goal, the value, and the label of the equation ``x = value``."""
    if b < a:  # no value: a <= x <= b contradicts b < a
        g.have(f"{a} <= {b}", "none", lambda h: h.close({"by": "pos", "sum": [
            {"c": "1", "of": [low]}, {"c": "1", "of": [high]}]}))  # fmt: skip
        g.absurd("none")
        return
    if a == b:  # one value: x = a by antisymmetry
        equal = g.fresh("eq")
        g.have(f"{x} = {a}", equal, lambda h: h.close({"by": "antisym", "left": [{"by": "hyp", "of": high}],
                                                         "right": [{"by": "hyp", "of": low}]}))  # fmt: skip
        leaf(g, a, equal)
        return
    # More values: x is in the lower or in the upper half. For the upper half, mid < x gives mid + 1 <= x for integers.
    mid = (a + b) // 2
    below_mid, above_mid, from_mid = g.fresh("to"), g.fresh("over"), g.fresh("from")
    left, right = g.em(f"{x} <= {mid}", below_mid, above_mid)
    halved(left, x, a, mid, low, below_mid, leaf)
    right.use("ax:int_lt", str(mid), x, f"#{above_mid}", label=from_mid)
    halved(right, x, mid + 1, b, from_mid, high, leaf)


def squared(g: Goal) -> None:
    """Close ``0 <= t`` where t is a sum of squares with positive factors and divisors; Stuck for another t."""
    if g.goal[0] != "<=" or normal.constant(nf(g.goal[2][0])) != 0 or (squares := _squares_in(g.goal[2][1])) is None:
        raise Stuck("no sum of squares")
    terms = [{"c": quotient(c), "of": [], **({} if base is None else {"sq": g.text(base)})} for c, base in squares if c]
    g.close({"by": "pos", "sum": terms})


def _squares_in(t: Term) -> list[tuple[Fraction, Term | None]] | None:
    """The squares of a sum of squares, as pairs (factor, base) for factor*base^2; base None stands for 1. None if t is
    not such a sum."""
    tag, data, kids = t
    value = normal.constant(nf(t))
    if value is not None:
        return [(Fraction(value), None)] if value >= 0 else None
    if tag == "^" and data == 2:
        return [(Fraction(1), kids[0])]
    if tag == "+" or tag == "sum":
        terms = list(kids)
        if tag == "sum":  # between numbers: its terms one by one
            ends = [normal.constant(nf(end)) for end in kids[:2]]
            if None in ends:
                return None
            terms = [instantiate(kids[2], (num(k),)) for k in range(int(ends[0] or 0), int(ends[1] or 0) + 1)]
        by_term = [_squares_in(term) for term in terms]
        return None if None in by_term else [square for squares in by_term for square in squares or ()]
    if tag in ("*", "/"):  # a positive factor on either side, or a positive divisor on the right
        for factor, base in ((kids[1], kids[0]), (kids[0], kids[1]))[: 1 + (tag == "*")]:
            number = normal.constant(nf(factor))
            if number is not None and number > 0 and (squares := _squares_in(base)) is not None:
                number = Fraction(number) if tag == "*" else 1 / Fraction(number)
                return [(number * square_factor, square_base) for square_factor, square_base in squares]
    return None


def group(labels: Sequence[str]) -> str:
    """The labels of the parts of a conjunction as `intro` expects them: in parentheses, unless there is only one."""
    return f"({' '.join(labels)})" if len(labels) > 1 else labels[0]


def pair(h: Goal, low: str, high: str) -> None:
    """Close a conjunction of two formulas by the facts `low` and `high`."""
    for part, fact in zip(h.split(), (low, high), strict=True):
        part.hyp(fact)


def witnessed(g: Goal, texts: Sequence[str]) -> Term:
    """Give the goal the witnesses of all its leading existential quantifiers at once. Returns the formula below these
    quantifiers, in which their variables are loose."""
    values, formula = [], g.goal
    for text in texts:
        if formula[0] != "ex":
            raise Stuck("a witness is for 'ex'")
        values.append(g.term(text, formula[1]))
        g.nodes.append({"by": "witness", "term": text})
        formula = formula[2][0]
    g.goal = opened(g.goal, values)
    return formula


def left_of(f: Term) -> str | None:
    """The name of the only function or variable in the left side of an equation, after computation; None if there is
    no single one, or for a formula without an equation."""
    while f[0] in ("all", "->", "&"):  # below quantifiers and premises, the first part
        f = instantiate(f[2][0], (var("#", f[1]),)) if f[0] == "all" else f[2][f[0] == "->"]
    if f[0] != "=":
        return None
    # The atoms of the left side. A function of a number, and perhaps a position, has the number in its name: "f(3)".
    keys = [normal._keys[a] for m in nf(f[2][0]) for a, _ in m[0]]
    numbered = {key: normal.constant(dict(key[3])) if len(key) > 4 else None for key in keys}
    names = {key[1] + (f"({numbered[key]})" if len(key) > 4 else "") for key in keys if key[0] in ("app", "var")}
    return next(iter(names)) if len(names) == 1 else None


def _occurs(t: Term, name: str) -> bool:
    """Whether a variable is in a term."""
    return (t[0] == "var" and t[1][0] == name) or any(_occurs(k, name) for k in t[2] if isinstance(k, tuple))


def _mentions_word(t: Term) -> bool:
    """Whether the tokens w are in a term."""
    return _occurs(t, "w")
