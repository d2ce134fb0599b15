"""Decides a statement about a compiled model by the theorem that the model computes its program.

The theorem says what the answer of the model is, in functions of the lines of the program. So a statement about the
answer is one about these functions, without the model's coordinates: the *reduced* statement, which the decision
procedures read like any other. A proof of it is turned into a proof of the statement itself, which contains the theorem
with its proof. So the theorem is about the weights, whatever the model names as its program. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.errors import BadInput, Rejected
from symcook.model.modelfile import document_hash
from symcook.proof import grammar
from symcook.proof.claims import decision
from symcook.proof.claims.bycounts.problem import HERE, VALUES, N, W, everywhere, is_about_truths
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.files import load_json
from symcook.proof.grammar import leading_names
from symcook.proof.programs import compiledprograms, lettervalues, onlyplace
from symcook.proof.programs.chosen import selection, shown
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted, result_of
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.transfer import AnswerAgreement, Transfer, by_labels
from symcook.proof.terms import Sort, Term, abstract, conj, flatten, free, imp, num, opened, var, variables

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

RUN = 3
"""The number of premises on the length, the string and the run."""
PROGRAM = "theorem of the program, "
"""What is put before the name of the procedure that decides the reduced statement."""
FOR_LOOKUPS = 2.0
"""The time for a proof by lookups of one place, in seconds; of less time than 8 s it takes a quarter.
Of 21 searches for claims of an unseen set, the proof took 0.12 s, and those that failed at most 0.7 s; proofs of the
tests take 0.1 to 0.3 s."""
FOR_SHORTER = 4.0
"""The time for the statement without the lines that symbols determine, in seconds. Of 13 claims of an unseen set,
the two proofs took 0.2 and 0.4 s; those of the tests take 0.3 to 2 s."""
MOST = 64
"""The number of theorems that are kept. This bounds memory."""


@dataclass(frozen=True)
class ProgramTheorem:
    """The theorem that a model computes its program, with the nodes of its proof."""

    statement: Statement
    nodes: list[Node] = field(repr=False)


_theorems: dict[str, ProgramTheorem] = {}
"""By the hash of the model: the theorems that were proved, or read from files, in this process."""


def remember(model: str, theorem: ProgramTheorem) -> None:
    """Keep a theorem for the model with this hash."""
    while len(_theorems) >= MOST:
        del _theorems[next(iter(_theorems))]
    _theorems[model] = theorem


def forget() -> None:
    """Forget all theorems, as a new process does."""
    _theorems.clear()


@dataclass(frozen=True)
class Chain:
    """A formula as a chain: names that it quantifies and premises, in order, and the conclusion behind them. Names
    behind a premise are those of functions."""

    steps: tuple[tuple[str, Term], ...]
    """("name", the name as a variable) or ("premise", the formula)."""
    conclusion: Term

    @property
    def names(self) -> list[Term]:
        """The names, as variables."""
        return [step for kind, step in self.steps if kind == "name"]

    @property
    def premises(self) -> list[Term]:
        """The premises."""
        return [step for kind, step in self.steps if kind == "premise"]


def chain(statement: Statement, theorem: bool = False) -> Chain:
    """The formula of a statement about a model as a chain, with the names that it has in the text.

    The premises are those on length, string and run, then those on truth functions; what follows is the claim. The
    `theorem` of a program has premises until its conclusion about each position."""
    steps, left, names = list[tuple[str, Term]](), statement.formula, iter(leading_names(statement.expanded))
    functions, premises = set[str](), 0
    while left[0] in ("all", "->"):
        if left[0] == "->":
            if premises >= RUN and not theorem and not is_about_truths(left[2][0], functions):
                break
            premises += 1
            steps.append(("premise", left[2][0]))
            left = left[2][1]
            continue
        if premises and isinstance(left[1], str):
            break  # a position: the conclusion begins
        # Names in a row are put in together, since each substitution goes over the whole formula.
        opened_names = [var(next(names), sort) for sort in variables(left)]
        functions |= {name[1][0] for name in opened_names if name[1][1] not in ("Int", "Real", VALUES) and name != W}
        steps += [("name", name) for name in opened_names]
        left = opened(left, opened_names)
    return Chain(tuple(steps), left)


@dataclass(frozen=True)
class ProgramLine:
    """A line of a program: its function, and the value of this function at `HERE`."""

    name: Term
    value: Term
    selected: bool = False
    """Whether the theorem states the line as a selection, by two formulas in place of the equation."""


@dataclass(frozen=True)
class TheoremParts:
    """What the theorem of a program says: the premises on model and string, the lines, and what agrees."""

    chain: Chain
    premises: tuple[Term, ...]
    """The parts of the premises that are not about lines."""
    lines: tuple[ProgramLine, ...]
    agreements: tuple[AnswerAgreement, ...]


def read(statement: Statement) -> TheoremParts | None:
    """The theorem of a program, as `compiledprograms.prove` states it; None for one of another shape."""
    stated = chain(statement, theorem=True)
    ours = {name for name in stated.names if name[1][1] in ("Int", VALUES) or name == W}
    behind_premise = False
    for kind, step in stated.steps:
        behind_premise = behind_premise or kind == "premise"
        if kind == "name" and behind_premise:
            ours.discard(step)
    others, lines = list[Term](), list[ProgramLine]()
    for part in (part for premise in stated.premises for part in flatten("&", premise)):
        defined = {name for name in free(part) if name in stated.names} - ours
        if not defined:
            others.append(part)
            continue
        line = _line(part)
        if line is None or line.name in ours:
            return None
        lines.append(line)
    conclusion = everywhere(stated.conclusion)
    if conclusion is None or {line.name for line in lines} != {*stated.names} - ours:
        return None
    agreements = [_agreement(part) for part in flatten("&", conclusion[1])]
    if None in agreements:
        return None
    return TheoremParts(stated, tuple(others), tuple(lines), tuple(filter(None, agreements)))


def _line(part: Term) -> ProgramLine | None:
    """The line of a premise ``all i in 1..n. f(i) = value``, or of one that is a selection."""
    at_here = everywhere(part)
    if at_here is None:
        return None
    if (chosen := selection(at_here[1])) is not None:
        return ProgramLine(chosen.name, chosen.value, True)
    if at_here[1][0] != "=":
        return None
    left, right = at_here[1][2]
    if left[0] != "app" or left[2][1:] != (HERE,):
        return None
    return ProgramLine(left[2][0], right)


def _agreement(part: Term) -> AnswerAgreement | None:
    """The agreement of an equation ``I[answer] = value`` or ``number = value`` at `HERE`."""
    if part[0] != "=":
        return None
    left, right = part[2]
    return AnswerAgreement(left[2][0] if left[0] == "ind" else left, right)


@dataclass(frozen=True)
class Reduced:
    """A statement about a compiled model, reduced to one about the lines of its program."""

    statement: Statement
    """The reduced statement."""
    whole: Chain
    """The statement itself."""
    theorem: TheoremParts
    lines: tuple[ProgramLine, ...]
    """All lines of the program, with the names that they have beside those of the statement."""
    kept: tuple[ProgramLine, ...]
    """The lines that the reduced statement has as premises."""
    transfer: Transfer


def reduced(statement: Statement, theorem: TheoremParts) -> Reduced | str:
    """The reduced statement, or the reason why there is none."""
    whole = chain(statement)
    names = {name[1][0] for name in whole.names}
    premise_parts = [part for premise in whole.premises for part in flatten("&", premise)]
    if not {*theorem.premises} <= {*premise_parts}:
        return "it is about another run"
    # The lines get names that the statement does not have.
    taken, new = set(names), dict[Term, Term]()
    for line in theorem.lines:
        name = line.name[1][0]
        while name in taken:
            name += "_"
        taken.add(name)
        new[line.name] = var(name, line.name[1][1])
    lines = tuple(replace(line, name=new[line.name], value=_renamed(line.value, new)) for line in theorem.lines)
    agreements = [AnswerAgreement(a.ours, _renamed(a.theirs, new)) for a in theorem.agreements]
    transfer = attempted(lambda: Transfer(agreements))
    if isinstance(transfer, Failed):
        return transfer.why
    claim = transfer.other(whole.conclusion)
    # Of the run, the reduced statement has no more than the string. All else in the claim must have a line.
    run = {name for name in whole.names if name[1][1] == VALUES}
    needed, kept = free(claim), list[ProgramLine]()
    for line in reversed(lines):
        if line.name in needed:
            kept.insert(0, line)
            needed |= free(line.value)
    if not kept:
        return "it says nothing of the answer"
    # Premises of the statement that are about its own functions, such as those of `holds`, stay; those of the run go.
    own = [premise for premise in whole.premises if not free(premise) & run]
    if lost := sorted(name[1][0] for name in needed & run):
        return f"it is about {lost[0]}, a coordinate of the model"
    length, word, *truths = own
    sorts = [f"{name[1][0]}:{_sort(name[1][1])}" for name in whole.names if name not in run]
    sorts += [f"{line.name[1][0]}:Int->Real" for line in kept]
    equations = " & ".join(f"(all i in 1..n. {line.name[1][0]}(i) = {grammar.show(line.value)})" for line in kept)
    parts = [*(f"({grammar.show(part)})" for part in (length, word)), equations]
    parts += [f"({grammar.show(part)})" for part in (*truths, claim)]
    text = f"all {', '.join(sorts)}. {' -> '.join(parts)}"
    stated = Statement(statement.id, text, note=statement.note, known=statement.known, claim=False)
    return Reduced(stated, whole, theorem, lines, tuple(kept), transfer)


def _renamed(t: Term, new: Mapping[Term, Term]) -> Term:
    """A term with other names."""
    if t in new:
        return new[t]
    return (t[0], t[1], tuple(_renamed(kid, new) for kid in t[2])) if t[2] else t


def _sort(sort: Sort) -> str:
    """The text of a sort."""
    return sort if isinstance(sort, str) else f"{'*'.join(map(_sort, sort[1]))}->{_sort(sort[2])}"


def lifted(reduction: Reduced, nodes: list[Node], theorem: ProgramTheorem, g: Goal) -> None:
    """Close the goal of a statement by the proof `nodes` of its reduced statement and the theorem."""
    stated = reduction.whole
    # First the two closed lemmas: the theorem of the program, and the reduced statement.
    for label, lemma, proof in (
        ("theorem.program", theorem.statement, theorem.nodes), ("theorem.claim", reduction.statement, nodes),
    ):  # fmt: skip
        g.add({"by": "have", "show": lemma.expanded, "proof": proof, "as": label}, lemma.formula)
    # The names and premises of the statement; the parts of each premise have labels.
    labels, count = list[Any](), 0
    for kind, step in stated.steps:
        if kind == "name":
            labels.append(step[1][0])
            continue
        parts = flatten("&", step)
        count += 1
        labels.append([f"given{count}_{k}" for k in range(1, len(parts) + 1)] if len(parts) > 1 else f"given{count}")
    g.intro(labels)
    # The lines of the program exist.
    defined_by = dict[str, str]()
    by_formula = {fact: label for label, fact in g.facts.items()}
    for line in reduction.lines:
        name = line.name[1][0]
        exists, defined = g.fresh("exists"), g.fresh("line")
        value = grammar.show(("lam", ("Int",), (abstract(line.value, (HERE,)),)), g.scope)
        bound = var("f#", line.name[1][1])
        body = abstract(_equation(ProgramLine(bound, line.value)), (bound,))

        def witnessed(h: Goal, value: str = value) -> None:
            h.witness(value)
            h.true()

        g.have(("ex", line.name[1][1], (body,)), exists, witnessed)
        g.obtain(exists, name, defined)
        by_formula[g.fact(defined)] = defined
        defined_by[name] = defined
    # The theorem at the run and these lines.
    new = {old.name: line.name for old, line in zip(reduction.theorem.lines, reduction.lines, strict=True)}
    arguments: list[Any] = []
    for kind, step in reduction.theorem.chain.steps:
        if kind == "name":
            arguments.append(new.get(step, step)[1][0])
        else:
            arguments.append(partial(_premise, labels=by_formula, lines=defined_by))
    agrees = g.fresh("agrees")
    g.use("theorem.program", *arguments, label=agrees, premises=0)
    equations = list[str]()
    for agreement in reduction.transfer.agreements:
        equations.append(g.fresh("equation"))
        left = ("ind", None, (agreement.ours,)) if agreement.truth else agreement.ours
        text = f"all i in 1..n. {g.text(left)} = {g.text(agreement.theirs)}"
        g.have(text, equations[-1], partial(_part_of, label=agrees, number=len(equations) - 1))
    reduction.transfer.state(g, equations)
    # The reduced statement at the string and these lines.
    arguments = []
    for kind, step in chain(reduction.statement).steps:
        arguments.append(step[1][0] if kind == "name" else partial(by_labels, labels=by_formula))
    then = g.fresh("reduced")
    g.use("theorem.claim", *arguments, label=then, premises=0)
    reduction.transfer.close(g, then)


def _equation(line: ProgramLine) -> Term:
    """The formula ``all i in 1..n. f(i) = value``."""
    at_here = equals(("app", None, (line.name, HERE)), line.value)
    inside = conj(at_most(num(1), HERE), at_most(HERE, N))
    return ("all", "Int", (abstract(imp(inside, at_here), (HERE,)),))


def _premise(g: Goal, labels: Mapping[Term, str], lines: Mapping[str, str]) -> None:
    """Close a goal that is a premise of the theorem of a program. `lines` has the label of the equation of each line,
    by the name of its function."""
    for part in g.split() if g.goal[0] == "&" else [g]:
        at_here = everywhere(part.goal)
        chosen = None if at_here is None else selection(at_here[1])
        if chosen is None:
            by_labels(part, labels)
        else:
            shown(part, lines[chosen.name[1][0]])


def _part_of(g: Goal, label: str, number: int) -> None:
    """Close a goal about each position by one part of the conjunction that a fact says of each position."""
    name, inside, here = (g.fresh(stem) for stem in ("k", "in", "here"))
    g.intro([name, inside])
    count = len(flatten("&", everywhere_body(g, label)))
    labels = [f"{here}_{k}" for k in range(count)]
    g.use(label, name, f"#{inside}", label=" ".join(labels))
    g.hyp(labels[number])


def everywhere_body(g: Goal, label: str) -> Term:
    """What a fact says of each position."""
    at_here = everywhere(g.fact(label))
    if at_here is None:
        raise Stuck("a fact of another shape")
    return at_here[1]


def stored_proof(file: Path, model: str, statement: Statement) -> list[Node] | None:
    """The proof of the theorem of a program in the file of a certificate about the model with this hash: of the theorem
    itself, as `compile --prove` writes it, or of a statement that was proved by it. None if the file has none. No
    checker has seen it as it is now."""
    try:
        certificate = load_json(file.read_bytes())
    except (OSError, BadInput, Rejected):
        return None
    if not isinstance(certificate, dict) or certificate.get("model") != model or certificate.get("sense") != "proved":
        return None
    proof = certificate.get("proof")
    if not isinstance(proof, list):
        return None
    if certificate.get("statement") == statement.digest:
        return proof
    stated = {"by": "have", "show": statement.expanded, "as": "theorem.program"}
    inner = (node.get("proof") for node in proof if isinstance(node, dict) and stated.items() <= node.items())
    return next(inner, None)


class ByProgram:
    """Decides statements about a compiled model, by the theorem of its program where that helps."""

    def __init__(self, model: Transformer, document: Mapping[str, Any], beside: Sequence[Path] = ()) -> None:
        """`beside` are files of certificates, in which the theorem may stand with its proof. Raises BadInput or
        Undecided if the model has no program for which there is such a theorem."""
        self.model, self.hash, self.beside = model, document_hash(document), beside
        self.statement = compiledprograms.theorem_of(model)
        self.theorem = read(self.statement)
        self.recalled = False  # whether the proof of the theorem is from a file

    def proved(self) -> ProgramTheorem:
        """The theorem with its proof: one that is known in this process, or stored in a file beside the model, or a new
        one. Raises Undecided or Rejected without a proof."""
        known = _theorems.get(self.hash)
        if known is None or known.statement.expanded != self.statement.expanded:
            stored = filter(None, (stored_proof(file, self.hash, self.statement) for file in self.beside))
            nodes = next(stored, None)
            self.recalled = nodes is not None
            known = ProgramTheorem(self.statement, nodes or compiledprograms.nodes_of(self.model, self.statement))
            remember(self.hash, known)
        return known

    def reduction(self, statement: Statement) -> Reduced | None:
        """A statement about the model as one about the lines of the program; None where there is none."""
        reduction = None if self.theorem is None else reduced(statement, self.theorem)
        return reduction if isinstance(reduction, Reduced) else None

    def decide(
        self,
        statement: Statement,
        library: Citable,
        until: Until | None = None,
        least: bool = True,
        for_cases: Until | None = None,
    ) -> ClaimDecision:
        """The result of the decision procedures for a statement about the model, as `decision.decide` has it: of the
        reduced statement, or of the statement itself if there is none, or if they decide nothing of it."""
        reduction, lines = self.reduction(statement), ClaimDecision()
        if reduction is not None:
            seconds = FOR_LOOKUPS if until is None else min(FOR_LOOKUPS, until.left / 4)
            nodes = onlyplace.search(reduction.statement, seconds)
            if nodes is not None:
                looked = Goal(library, reduction.statement.formula, {}, {})
                looked.nodes, looked.closed = nodes, True
                lines = ClaimDecision(onlyplace.LOOKUPS, proved=looked)
            else:
                lines = decision.decide(reduction.statement, library, until, least, for_cases)
                if lines.proved is None:
                    limit = FOR_SHORTER if until is None else min(FOR_SHORTER, until.left)
                    lines = self._without_letter_lines(reduction, library, limit) or lines
            if lines.proved is not None:
                goal = self._lifted(statement, reduction, library, lines.proved.nodes)
                if isinstance(goal, str):
                    lines = replace(lines.unconfirmed, outside=goal)
                else:
                    lines = replace(lines, proved=goal, by=PROGRAM)
            if lines.true or lines.proved is not None or (lines.string is not None and lines.shortest):
                return lines
        # A string by counts is only perhaps one on which the statement is false.
        model = decision.decide(statement, library, until, least, for_cases)
        return lines if lines.string is not None and not model.true and model.proved is None else model

    def _without_letter_lines(self, reduction: Reduced, library: Citable, seconds: float) -> ClaimDecision | None:
        """The decision on a reduced statement by a proof of the same statement without the lines that symbols
        determine, found within `seconds`; None without one."""
        shorter = lettervalues.without_letter_lines(reduction.statement)
        if shorter is None:
            return None
        found = decision.decide(shorter.statement, library, Until(seconds), least=False)
        if found.proved is None:
            return None
        nodes = result_of(attempted(partial(lettervalues.lifted, shorter, library, found.proved.nodes)))
        if nodes is None:
            return None
        goal = Goal(library, reduction.statement.formula, {}, {})
        goal.nodes, goal.closed = nodes, True
        return replace(found, proved=goal)

    def search(self, library: Citable, statement: Statement, seconds: float) -> list[Node] | None:
        """The proof of a statement about the model, by the automation for the reduced statement within `seconds`; None
        if it finds none."""
        reduction = self.reduction(statement)
        if reduction is None:
            return None
        if self.recalled:  # the checkers may have refused what was stored: prove the theorem again
            del _theorems[self.hash]
            self.recalled, self.beside = False, ()
            if (again := self.decide(statement, library, Until(seconds))).proved is not None:
                return again.proved.nodes
        home = certify.library(reduction.statement, certify.citable())
        nodes = result_of(attempted(partial(certify.automatic, home, reduction.statement), Until(seconds)))
        if nodes is None:
            return None
        goal = self._lifted(statement, reduction, library, nodes)
        return None if isinstance(goal, str) else goal.nodes

    def _lifted(self, statement: Statement, reduction: Reduced, library: Citable, nodes: list[Node]) -> Goal | str:
        """The goal of a statement, closed by the proof of its reduced statement; or why it is not: the theorem has no
        proof, or a place in the statement may be no position."""
        g = Goal(library, statement.formula, {}, {})
        failed = attempted(lambda: lifted(reduction, nodes, self.proved(), g))
        return g if failed is None else f"the theorem of the program was not used: {failed.why}"
