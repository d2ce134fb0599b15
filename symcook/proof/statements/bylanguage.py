"""A statement about a model with finitely many values, by the language that the model accepts.

`decide` makes the smallest automaton of such a model. The *bridge* states that the model accepts the strings of this
automaton: ``accept <-> matches("R")``, for an expression R with the same automaton. In the statement, the state of the
automaton then takes the place of what the model answers: ``accept -> count(a) <= count(b) + 1`` becomes a claim about
the counts in each state. Both are proved by automata and counts; a function of the states exists, by induction.

Nothing here is trusted: the kernel checks the proof that `prove` returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.alarm import Until
from symcook.errors import BadInput
from symcook.programs.regular import SIGNS, regular_table
from symcook.proof import grammar
from symcook.proof.claims.bycounts.problem import LETTERS, Problem, introduce, problem
from symcook.proof.claims.decision import Decider, decide
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck
from symcook.proof.statements import certify, languages
from symcook.proof.statements.transfer import Transfer, by_labels, rewrite_used
from symcook.proof.terms import COMPARISONS, Term, abstract, conj, imp, instantiate, num, subterms, var

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.programs.automata import Automaton

LONGEST = 400
"""The greatest length of an expression, in characters: its automaton is made again in each proof. The expression of an
unseen claim has 25; that for a run of 8 b's, with 10 states, 144; that for the last symbol but two, 1,000 and more."""
WRITTEN = 20
"""States are eliminated as long as all expressions together have at most this many times `LONGEST` characters. The
automaton of an unseen claim had 34 characters."""
LAST, PLACE = var("last_", "Int"), var("place_", "Int")
"""The last position of the states in the induction, and a position."""


# --- The expression ---------------------------------------------------------------------------------------------------


def expression(automaton: Automaton, answer: object) -> str | None:
    """An expression for the strings to which an automaton gives an answer, by elimination of states; None for one that
    is too long, or whose letters have signs that cannot be written."""
    states = len(automaton)
    if any(set(letter) & {*'"{} '} for letter in automaton.alphabet):
        return None
    begin, end = states, states + 1
    between = dict[tuple[int, int], str]()

    def add(source: int, to: int, text: str) -> None:
        """Another way from one state to another."""
        known = between.get((source, to))
        between[source, to] = text if known is None else f"{known}|{text}"

    for state in range(states):
        for letter, to in zip(automaton.alphabet, automaton.moves[state], strict=True):
            add(state, to, f"\\{letter} " if set(letter) & set(SIGNS) else f"{letter} ")
        if automaton.answers[state] == answer:
            add(state, end, "()")
    add(begin, automaton.initial, "()")
    for state in sorted(range(states), key=lambda k: (len(automaton.moves[k]), -k)):
        loop = between.pop((state, state), None)
        around = "" if loop is None else f"({loop})*"
        sources = [one for one, to in between if to == state]
        targets = [to for one, to in between if one == state]
        into = {one: between.pop((one, state)) for one in sources}
        out = {to: between.pop((state, to)) for to in targets}
        for one, first in into.items():
            for to, last in out.items():
                add(one, to, "".join(f"({part})" if "|" in part else part for part in (first, around, last) if part))
        if sum(map(len, between.values())) > WRITTEN * LONGEST:
            return None
    text = between.get((begin, end), "[]").replace("()(", "(")
    if all(len(letter) == 1 for letter in automaton.alphabet):
        text = text.replace(" ", "")
    return text if len(text) <= LONGEST and _same(text, automaton, answer) else None


def _same(text: str, automaton: Automaton, answer: object) -> bool:
    """Whether an expression has the strings to which an automaton gives an answer."""
    try:
        table = regular_table(text, automaton.alphabet)
    except BadInput:
        return False
    pairs, todo = {(0, 0)}, [(0, 0)]
    while todo:
        one, two = todo.pop()
        if table.answers[one] is not (automaton.answers[two] == answer):
            return False
        following = {*zip(table.moves[one], automaton.moves[two], strict=True)} - pairs
        pairs |= following
        todo += following
    return True


# --- The bridge -------------------------------------------------------------------------------------------------------


class LanguageBridge(NamedTuple):
    """What a model answers at the end (`ours`) is a formula about a state (`theirs`)."""

    statement: Statement
    whole: Problem
    ours: Term
    theirs: Term

    @property
    def premises(self) -> list[Term]:
        """The premises of the bridge, before its claim."""
        formula, premises = self.statement.formula, list[Term]()
        for name, sort in self.whole.names.items():
            formula = instantiate(formula[2][0], (var(name, sort),))
        while formula != self.whole.claim:
            if formula[0] != "->":
                raise Stuck("a statement of another shape")
            premises.append(formula[2][0])
            formula = formula[2][1]
        return premises

    def said(self, claim: Term) -> Statement:
        """Another claim with the names and premises of the bridge."""
        names = self.statement.expanded.partition(". ")[0]
        chain = " -> ".join(f"({grammar.show(part)})" for part in (*self.premises, claim))
        return Statement(self.statement.id, f"{names}. {chain}", known=self.statement.known, claim=False)


def bridges(model: Transformer, document: Mapping[str, Any], claim: Term) -> list[LanguageBridge]:
    """The bridges for the answers of the model that occur in a claim; Stuck where the model is no automaton."""
    automaton = languages.automaton(model)
    if isinstance(automaton, Failed):
        raise Stuck(f"the model is no automaton: {automaton.why}")
    found = list[LanguageBridge]()
    for answer in model.readout.labels or (True,):
        text = expression(automaton, answer)
        if text is None:
            continue
        said = "accept" if answer is True else f'answer("{answer}")'
        statement = certify.claim(document, f'{said} <-> matches("{text}")')
        whole = problem(statement)
        if whole.claim[0] != "&" or whole.claim[2][0][0] != "->":
            continue
        ours, theirs = whole.claim[2][0][2]
        if len(whole.truths) == 1 and ours in subterms(claim):
            found.append(LanguageBridge(statement, whole, ours, theirs))
    return found


class AtTheEnd(Transfer):
    """Proves a claim from the claim with the formula `theirs` in the place of `ours`, by the facts ``forth`` and
    ``back`` that each implies the other."""

    def __init__(self, ours: Term, theirs: Term) -> None:
        super().__init__(())
        self.ours, self.theirs = ours, theirs

    def other(self, t: Term) -> Term:
        if t == self.ours:
            return self.theirs
        if t[0] in COMPARISONS or not t[2]:
            return t
        kids = tuple(map(self.other, t[2]))
        return t if kids == t[2] else (t[0], t[1], kids)

    def close(self, g: Goal, label: str, back: bool = False) -> None:
        """Close a goal f by the fact `label`, which is `other` of f; with `back` the fact is f."""
        own = g.fact(label) if back else g.goal
        if g.fact(label) == g.goal:
            g.hyp(label)
        elif own == self.ours:
            g.use("forth" if back else "back", f"#{label}", label=(answer := g.fresh("answer")))
            g.hyp(answer)
        else:
            super().close(g, label, back)


# --- The proof --------------------------------------------------------------------------------------------------------


def prove(
    home: Citable, statement: Statement, seconds: float, model: Transformer, document: Mapping[str, Any],
    decider: Decider | None = None,
) -> Goal | Failed:  # fmt: skip
    """The goal of a statement with a proof by the language of the model, found within `seconds`; or why there is
    none. `decider` decides the bridge, which is about the model; `decide` without one."""
    until = Until(seconds)

    def search() -> Goal:
        """The goal; NoResult without a proof."""
        whole = problem(statement)
        if whole.truths:
            raise NoResult("the statement is about states already")
        for bridge in bridges(model, document, whole.claim):
            transfer = AtTheEnd(bridge.ours, bridge.theirs)
            said = bridge.said(transfer.other(whole.claim))
            proof_said = _decided(home, said, until)
            proof_bridge = None if proof_said is None else _decided(home, bridge.statement, until, decider)
            if proof_said is not None and proof_bridge is not None:
                g = Goal(home, statement.formula, {}, {})
                _compose(g, whole, bridge, transfer, (said, proof_said, proof_bridge))
                return g
        raise NoResult("the claim about the states of its automaton is not proved")

    return attempted(search, until)


def _decided(
    home: Citable, statement: Statement, until: Until, decider: Decider | None = None
) -> list[Node] | None:
    """The proof of a statement by automata and counts."""
    decision = (decider or decide)(statement, home, Until(until.left), least=False)
    return None if decision.proved is None else decision.proved.nodes


def _compose(
    g: Goal, whole: Problem, bridge: LanguageBridge, transfer: AtTheEnd, said: tuple[Statement, list[Node], list[Node]]
) -> None:
    """Close the goal of the statement, from the bridge and the claim `said` about the states, with their proofs."""
    statement, proof_said, proof_bridge = said
    for label, lemma, nodes in (("bridge", bridge.statement, proof_bridge), ("said", statement, proof_said)):
        g.add({"by": "have", "show": lemma.expanded, "proof": nodes, "as": label}, lemma.formula)
    introduce(whole, g)
    (line,) = bridge.whole.truths
    new = [name for name in bridge.whole.names if name not in whole.names]
    if len(new) != 1 or bridge.whole.names[new[0]] != LETTERS:
        raise Stuck("a bridge with other names")
    _exists(g, line, new[0])
    arguments: list[Any] = [*bridge.whole.names]
    premise = partial(by_labels, labels={fact: label for label, fact in g.facts.items()})
    arguments += [premise] * len(bridge.premises)
    for label, made in (("bridge", "forth back"), ("said", "then")):
        g.use(label, *arguments, label=made, premises=0)
    transfer.close(g, "then")


def _exists(g: Goal, line: Term, name: str) -> None:
    """Add the fact ``states``, a premise of the bridge: `name` is the function of its states. It exists, by induction
    over the last position."""
    inner = line[2][0]
    place = PLACE
    bounds, equation = instantiate(inner, (place,))[2]
    low, high = bounds[2][0][2][0], bounds[2][1][2][1]
    function = var(name, LETTERS)
    right = equation[2][1]

    def up_to(last: Term) -> Term:
        """The line up to another last position."""
        inside = conj(at_most(low, place), at_most(place, last))
        return ("all", "Int", (abstract(imp(inside, equation), (place,)),))

    def there_is(last: Term) -> Term:
        """The formula that such a function exists."""
        return ("ex", LETTERS, (abstract(up_to(last), (function,)),))

    show = ("all", "Int", (abstract(imp(at_most(low, LAST), there_is(LAST)), (LAST,)),))
    g.have(show, "functions", partial(_induction, low=low, right=right, function=function, place=place))
    g.use("functions", g.text(high), partial(Goal.auto, use=["some"]), label="function", premises=1)
    g.obtain("function", name, "states")


def _induction(g: Goal, low: Term, right: Term, function: Term, place: Term) -> None:
    """Close ``all last. low <= last -> ex f. all j in low..last. f(j) = right``, for a right side in f(j - 1)."""
    base, step = g.induct("last", "ge", "before")
    base.witness("j. 0")
    base.intro(["k", ["from", "to"]])
    base.have(equals(var("k", "Int"), low), "same", lambda h: h.auto(["from", "to"], degree=1))
    base.rewrite("same")
    base.true()
    step.obtain("before", function[1][0], "now")
    last = var("last", "Int")
    next_ = ("+", None, (last, num(1)))
    value = instantiate(abstract(right, (place,)), (next_,))
    bit: Term = ("ind", None, (at_most(place, last),))
    here = ("app", None, (function, place))
    body: Term = ("+", None, (
        ("*", None, (bit, here)), ("*", None, (("-", None, (num(1), bit)), value)),
    ))  # fmt: skip
    step.witness(step.text(("lam", ("Int",), (abstract(body, (place,)),))))
    step.intro(["k", ["from", "to"]])
    k = var("k", "Int")
    before = ("-", None, (k, num(1)))

    def at(t: Term) -> Term:
        """The new function at a position."""
        return instantiate(abstract(body, (place,)), (t,))

    def shown(h: Goal, t: Term, known: Sequence[str], old: Term, inside: bool) -> str:
        """The label of the fact that the new function is `old` at t, where t is at most the last position, or not."""
        label = h.fresh("value")

        def by_bit(m: Goal) -> None:
            """By the indicator that t is at most the last position; its other value contradicts what is known."""
            yes, no = m.ind(at_most(t, last), "is bit")
            for case, holds in ((yes, True), (no, False)):
                if holds is inside:
                    case.rewrite("bit")
                    if not inside:
                        case.have(equals(t, next_), "same", lambda h: h.auto(["is", *known], degree=1))
                        case.rewrite("same")
                    case.true()
                else:
                    case.contra("no")
                    case.auto(["is", *known], degree=1)

        h.have(equals(at(t), old), label, by_bit)
        return label

    def applied(t: Term) -> Term:
        """The function before the step, at a position."""
        return ("app", None, (function, t))

    there, beyond = step.em(at_most(k, last), "side")
    labels = [shown(there, k, ["side"], applied(k), True), shown(there, before, ["side"], applied(before), True)]
    rewrite_used(there, labels)

    def inside(h: Goal) -> None:
        for part, label in zip(h.split(), ("from", "side"), strict=True):
            part.hyp(label)

    there.use("now", "k", inside, label="is_now")
    there.hyp("is_now")
    beyond.use("ax:int_lt", "last", "k", "#side", label="after")
    beyond.have(equals(k, next_), "same_k", lambda h: h.auto(["after", "to"], degree=1))
    labels = [shown(beyond, k, ["after", "to"], value, False), shown(beyond, before, ["to"], applied(before), True)]
    rewrite_used(beyond, labels)
    beyond.rewrite("same_k")
    beyond.true()
