"""Proves statements about the runs on a string and on an edited string, by terms of the first run alone.

Such a statement reads values such as ``appended_mean(n + 1)``. The equations of the second run give each of them as a
term of the first run (`editedterms`): ``appended_mean(n + 1)`` is ``(sum(j, 1, n, vote(j)) + 1)/(n + 1)``. A formula
about all positions of the second string becomes one about its segments (`editedquantified`). With these terms in the
place of the values, the statement is about the first run, and the decision procedures read it. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from symcook.alarm import Until
from symcook.proof import grammar
from symcook.proof.claims import decision
from symcook.proof.claims.bycounts.problem import Problem, problem
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.editedplaces import KINDS, EditedPlaces, Untranslated
from symcook.proof.statements.editedquantified import Quantified, offset_of
from symcook.proof.statements.editedterms import SecondRunTerms, closed_sums
from symcook.proof.statements.secondrun import OtherModel
from symcook.proof.terms import TRUE, Sort, Term, abstract, flatten, free, instantiate, subterms, var

METHOD = "terms of the first run, "
"""What is put before the name of the procedure that proves the statement about the first run."""
UNDECIDED = "the decision procedures do not decide what it states of the first run"


def _introduced(parsed: Problem, g: Goal) -> list[str]:
    """Introduce the names and premises of a statement, with the labels of `Problem`; the labels of the premises about n
    and positions."""
    some = flatten("&", parsed.some)
    labels: list[Any] = [*parsed.names]
    for stem, parts in (("some", some), ("word", flatten("&", parsed.word)), ("run", parsed.run)):
        if parts and [*parts] != [TRUE]:
            names = [f"{stem}.{k}" for k in range(len(parts))]
            labels.append(names if len(names) > 1 else names[0])
    g.intro(labels)
    orders = [f"word.{k}" for k, part in enumerate(flatten("&", parsed.word)) if part[0] in ("<=", "<")]
    return [*(f"some.{k}" for k in range(len(some))), *orders]


def _place(second: OtherModel, text: str, parsed: Problem) -> Term:
    """The position in the prefix of an edit as a term."""
    scope: dict[str, Sort] = {name: sort for name, sort in parsed.names.items() if sort == "Int"}
    return grammar.read_value(text, "Int", scope, {})


def _show(parts: Sequence[Term]) -> str:
    """Formulas as the text of premises, each with the arrow after it."""
    joined = " & ".join(f"({grammar.show(part)})" for part in parts)
    return f"({joined}) -> " if parts else ""


def serves(sentence: str) -> bool:
    """Whether a statement may be about an edited string of another length."""
    return any(f"{kind}(" in sentence for kind in KINDS)


def decided(
    statement: Statement, document: Mapping[str, Any], library: Citable, seconds: float
) -> ClaimDecision | Failed:
    """A proof of a statement about edited strings, not yet checked: the decision procedures prove what it becomes for
    the first run. Without one, the reason."""
    until = Until(seconds)
    found = attempted(lambda: _proof(statement, document, library, until, search=False), until)
    return found if isinstance(found, Failed) else ClaimDecision(found[1], proved=found[0], by=METHOD)


def searched(document: Mapping[str, Any], library: Citable, statement: Statement, seconds: float) -> list[Node] | None:
    """The nodes of such a proof where the automation proves what the statement becomes; None if there is none."""
    until = Until(seconds)
    found = attempted(lambda: _proof(statement, document, library, until, search=True), until)
    return None if isinstance(found, Failed) else found[0].nodes


def _proof(
    statement: Statement, document: Mapping[str, Any], library: Citable, until: Until, search: bool
) -> tuple[Goal, str | None]:
    """The closed goal of a statement, found until the moment `until`, and the procedure that proved what it becomes for
    the first run, None for the automation. Raises NoResult."""
    parsed, meaning = problem(statement), certify.meaning(document, statement.note or "")
    seconds = [second for second in meaning.others.values() if second.of.kind in KINDS]
    if not seconds:
        raise Untranslated("the statement is not about an edited string of another length")
    g = Goal(library, statement.formula, {}, {})
    some = _introduced(parsed, g)
    names = {name for second in seconds for name in second.called.values()}
    asked = _peeled(g, names)
    some += [label for _, labels in asked for label in labels]
    runs = list[SecondRunTerms]()
    for second in seconds:
        place = _place(second, second.of.places[0], parsed) if second.of.places else None
        places = EditedPlaces.of(second.of.kind, len(second.of.symbols), place, parsed)
        first = {name: own for own, name in second.called.items()}
        runs.append(terms := SecondRunTerms(parsed, first, places, g, some))
        for read in terms.reads(g.goal):
            g.rewrite(terms.read(g, read)[0])
        for total in closed_sums(g.goal):
            if any(True for _ in terms.values_in(total)):
                g.rewrite(terms.total(g, total))
    quantified = Quantified(runs, g)
    claim = quantified.reduced(g.goal)
    # The statement about the first run.
    kept = {name: sort for name, sort in parsed.names.items() if name not in names}
    run = [k for k, line in enumerate(parsed.run) if not any(name[1][0] in names for name in free(line))]
    leading = ", ".join(f"{name}:{_sort(sort)}" for name, sort in kept.items())
    word = [] if parsed.word == TRUE else flatten("&", parsed.word)
    premises = [flatten("&", parsed.some), word, [parsed.run[k] for k in run]]
    for formula, _ in reversed(asked):
        binds = formula[0] == "var"
        claim = ("all", "Int", (abstract(claim, (formula,)),)) if binds else ("->", None, (formula, claim))
    text = f"all {leading}. {''.join(map(_show, premises))}({grammar.show(claim)})"
    reduced = Statement(statement.id, text, known=statement.known, claim=False)
    found = decision.decide(reduced, library, Until(until.left / 2))
    if found.proved is not None:
        nodes = found.proved.nodes
    elif found.string is None and search:
        nodes = certify.automatic(library, reduced)
    else:
        raise Untranslated(f"not decided for the first run, since {found.outside}" if found.outside else UNDECIDED)
    goal = Goal(library, statement.formula, {}, {})
    arguments = [*kept, *(None for parts in premises if parts)]
    arguments += [formula[1][0] if formula[0] == "var" else None for formula, _ in asked]
    goal.nodes, goal.closed = _joined(reduced, nodes, g, arguments, quantified), True
    return goal, found.fragment if found.proved is not None else None


def _peeled(g: Goal, names: Collection[str]) -> list[tuple[Term, list[str]]]:
    """Introduce the positions and premises with which the claim begins, if these are not about the functions `names`:
    for a position its name, for a premise the formula and the labels of its parts. A formula about each position of a
    second string stays (`Quantified`)."""
    asked = list[tuple[Term, list[str]]]()
    while g.goal[:2] == ("all", "Int") or (g.goal[0] == "->" and not any(f[1][0] in names for f in free(g.goal[2][0]))):
        if g.goal[0] == "all":
            place = g.fresh("at")
            if _about_each(instantiate(g.goal[2][0], (var(place, "Int"),)), var(place, "Int"), names):
                break
            g.intro(place)
            asked.append((var(place, "Int"), []))
            continue
        premise = g.goal[2][0]
        labels = [f"asked{len(asked)}.{k}" for k in range(len(flatten("&", premise)))]
        g.intro([labels if len(labels) > 1 else labels[0]])
        asked.append((premise, labels))
    return asked


def _about_each(f: Term, place: Term, names: Collection[str]) -> bool:
    """Whether all positions that depend on `place` and at which a formula reads functions are `place` + c."""
    calls = (t[2] for t in subterms(f) if t[0] == "app" and t[2][0][1][0] in names)
    places = {at for _, at in calls if place in free(at)}
    return bool(places) and offset_of(places, place) is not None


def _joined(
    reduced: Statement, nodes: list[Node], g: Goal, arguments: Sequence[str | None], quantified: Quantified
) -> list[Node]:
    """The proof of a statement by the proof `nodes` of the statement about the first run, and by `g`, which has
    rewritten the claim; `quantified` has what is left to rewrite. `arguments` has, in the order of the reduced
    statement, its names, and None for a premise."""
    label, then = "first.run", g.fresh("then")
    lemma: Node = {"by": "have", "show": reduced.expanded, "proof": nodes, "as": label}
    g.facts[label] = reduced.formula

    def premise(h: Goal) -> None:
        """Close a premise, whose parts are facts."""
        for part in h.split() if h.goal[0] == "&" else [h]:
            fact = next((k for k, fact in part.facts.items() if fact == part.goal), None)
            if fact is None:
                raise Stuck("a premise that is no fact")
            part.hyp(fact)

    g.use(label, *(premise if name is None else name for name in arguments), label=then, premises=0)
    quantified.carry(g, then)
    return [lemma, *g.nodes]


def _sort(sort: Sort) -> str:
    """The text of a sort."""
    return sort if isinstance(sort, str) else f"{'*'.join(map(_sort, sort[1]))}->{_sort(sort[2])}"
