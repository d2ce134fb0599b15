"""Turns a proof text into the nodes that the kernel checks. Nothing here is trusted: the kernel checks the result.

The input is the lines of a part of a proof text, as `prooftext.read` returns them, and the formula to prove. The result
is the nodes of the certificate. `Elaborator` has one method for each kind of line, with the name ``_`` and the kind
(`prooftext` describes the language); `_calc` also reads the further steps of a chain. A method reads its line in the
scope of the goal, and changes the goal or closes it; the automation proves what the line leaves out. A line that does
not fit raises BadProof with its place. A line that does not follow raises StepGap.

Letters: `g` and `h` are goals (`h` also a hint), `k` is a label, `f` a formula, `t` a term.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.present import present
from symcook.proof import grammar
from symcook.proof.normal import fkey
from symcook.proof.search import automation, equations
from symcook.proof.search.automation import Hint
from symcook.proof.search.equations import OWN
from symcook.proof.search.prooftext import BadProof, HintText, Place, ProofText, TextLine, read
from symcook.proof.search.tactics import Citable, Goal, Stuck, intro_one
from symcook.proof.terms import FALSE, Term, flatten, instantiate, negation, spoken, var, variables

Short = tuple[tuple[str, ...], Tree]
"""What a name of `let` stands for: the names of its arguments, and the term."""

KINDS = ("lem", "ax", "named", "oracle")
"""The kinds of facts of a library. A text may leave out the kind before the name of a fact."""
MOST_FACTS = 60
"""The maximum number of facts in scope that are listed if a line does not follow. More do not fit on a screen."""
MOST_READ = 2000
"""With more formulas than this, `_READ` is emptied. The cache saves time only; 21 proof texts in one process had 193
formulas."""


_READ: dict[Any, tuple[Term, Any]] = {}
"""A cache of formulas, since the same line is often run again. The key has the text, the scope and the identity of the
definitions; the value has the formula, and the definitions so that their identity is not used again."""


class StepGap(Rejected):
    """A step that does not follow: its place, `what` does not follow, and `why`, with the goal that was left."""

    def __init__(self, place: Place, what: str, why: str) -> None:
        self.place = place
        super().__init__(f"line {place.line}, column {place.column}: {what}\n{why}")


def nodes(
    library: Citable, goal: Term, lines: Sequence[TextLine], idle: list[tuple[Place, str]] | None = None
) -> list[dict[str, Any]]:
    """The nodes by which the lines of a part prove a closed formula. BadProof or StepGap if they do not.

    Hints that the proof does not use are appended to `idle`.
    """
    g = Goal(library, goal, {}, {})
    elaborator = Elaborator()
    elaborator.block(g, lines, Place(1, 1))
    if idle is not None:
        idle += sorted(key for key, serves in elaborator.cited.items() if not serves)
    return g.nodes


def part(
    library: Citable, text: ProofText, name: str, goal: Term, idle: list[tuple[Place, str]] | None = None
) -> list[dict[str, Any]]:
    """The nodes of one part of a file, as `nodes`. If the file lacks the part, the automation proves it."""
    return nodes(library, goal, text.parts.get(name, ()), idle)


def written(g: Goal, lines: Sequence[str | Callable[[Goal], None]]) -> None:
    """Run lines of a proof text on a goal, and between them functions that add nodes to it. The goal is closed only if
    the lines or functions close it."""
    # Lines are collected up to the next function, since a line and its blocks must be read together.
    elaborator, collected = Elaborator(), list[str]()
    for line in [*lines, None]:
        if isinstance(line, str):
            collected.append(line)
            continue
        if collected:
            for read_line in read("\n".join(["proof lines", *collected, ""])).parts["proof"]:
                elaborator.line(g, read_line)
            collected = []
        if line is not None:
            line(g)


class Elaborator:
    """Runs lines on goals. One elaborator is for one part of a proof, since it remembers names and hints.

    `cited` has, for each hint with its place, whether a proof uses it. `lets` has the names of `let`, and `obtained`
    the names of the last `obtain`, for ``..`` in a witness.
    """

    def __init__(self, levels: Sequence[automation.Level] = automation.LEVELS) -> None:
        self.levels = levels
        self.cited: dict[tuple[Place, str], bool] = {}
        self.lets: dict[str, Short] = {}
        self.obtained: tuple[str, ...] = ()

    def block(self, g: Goal, lines: Sequence[TextLine], place: Place) -> None:
        """Close `g` by lines; the automation proves what is left after the last line."""
        for line in lines:
            if g.closed:
                raise BadProof(line.place, "expected no line after the end of this block", line.kind)
            self.line(g, line)
            place = line.place
        if not g.closed:
            self.automatic(g, TextLine("qed", place=place), "the remaining goal does not follow")

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        """Close `g` by the automation with `hints`, or with the hints of the line. StepGap with `what` if it fails."""
        read_hints = [self.hint(g, h) for h in (line.hints if hints is None else hints)]
        start = len(g.nodes)
        try:
            automation.prove(g, read_hints, self.levels)
        except Stuck as error:
            raise StepGap(line.place, what, _with_facts(str(error), g)) from None
        # A hint is used if its label occurs in the new nodes; if a line has several goals, in those of one of them.
        used = set(_labels(g.nodes[start:]))
        for h, hint_used in zip(line.hints if hints is None else hints, read_hints, strict=True):
            if hint_used.label:
                key = (line.place, h.text)
                self.cited[key] = self.cited.get(key, False) or hint_used.label in used

    # --- Texts in the scope of a goal ------------------------------------------------------------------------------

    def label(self, g: Goal, name: str) -> str | None:
        """The label of a fact in scope or of the library. `name` may leave out its kind. None if there is no such
        fact."""
        for full in (name, *(f"{kind}:{name}" for kind in KINDS)):
            if full in g.facts or full in g.library.facts:
                return full
        return None

    def hint(self, g: Goal, h: HintText) -> Hint:
        """A hint of a text, for the automation: a fact with terms and premises; if there is no such fact, a term or a
        formula. BadProof for a text that is none of these."""
        label = self.label(g, h.name) if h.name else None
        if label is not None:  # a fact is preferred to a term of the same name
            h = self.filled(g, label, h)
            for text in h.terms or ():
                if text != "_":
                    self.tree(text, h.place, g)
            terms = None if h.terms is None else tuple(self.expanded(g, t) for t in h.terms)
            premises = tuple(self.hint(g, p) if p.name != "_" else Hint("_") for p in h.premises)
            return Hint(label, terms, premises)
        if not h.premises:
            for read in (g.term, g.formula):
                try:
                    return Hint("", term=read(self.expanded(g, h.text)))
                except (Rejected, BadInput):
                    pass
        name = h.name or h.text
        suggestion = _near(name, [*g.facts, *(k.partition(":")[2] for k in g.library.facts)])
        raise BadProof(h.place, "expected a fact in scope, a lemma or a term", name, suggestion)

    def filled(self, g: Goal, label: str, h: HintText) -> HintText:
        """A hint in which ``..``, as the last term, is replaced by the names that the fact itself quantifies."""
        if not h.terms or h.terms[-1] != OWN:
            return h
        names_of_fact, _ = equations.own(g.library.texts(label))
        # The terms before ``..`` take the first quantifiers; from the others, names are taken while they are in scope.
        following = itertools.takewhile(lambda n: n in g.scope, names_of_fact[len(h.terms) - 1 :])
        names = [*names_of_fact[: len(h.terms) - 1], *following]
        if len(names) < len(h.terms):
            raise BadProof(h.place, "expected a statement whose names '..' can abbreviate", h.text)
        return replace(h, terms=(*h.terms[:-1], *names[len(h.terms) - 1 :]))

    def tree(self, text: str, place: Place, g: Goal) -> None:
        """BadProof, with the place of the text, if it is not an expression."""
        try:
            expr.parse_term(f"f({text})", expr.MAX_STATEMENT)
        except BadInput as error:
            raise BadProof(place, "expected a term", text, _first(error)) from None

    def expanded(self, g: Goal, text: str) -> str:
        """A text with terms in place of the names of `let`, and with new names for bound names that are in scope."""
        # Most texts have no name of either kind, so that they need not be parsed.
        words = set(re.findall(r"\w+", text))
        if words.isdisjoint(self.lets) and words.isdisjoint(g.scope):
            return text
        try:
            tree = expr.parse_term(f"f({text})", expr.MAX_STATEMENT)[2][0]
        except BadInput:
            return text
        if words.isdisjoint(self.lets) and _bound(tree).isdisjoint(g.scope):
            return text
        return expr.show(_apart(_put(tree, self.lets), {*g.scope, *g.library.definitions, *words}, {}))

    def formula(self, g: Goal, line: TextLine) -> tuple[str, Term]:
        """The formula of a line, as text without the names of `let`, and as a term. BadProof, with the place of the
        error, if it cannot be read."""
        # `line.where` has the place in the file of each character of the formula, for the messages.
        try:
            expr.parse_formula(line.formula)
        except BadInput as error:
            character_number = re.search(r"at character (\d+)", str(error))
            k = min(int(character_number[1]) - 1, len(line.where) - 1) if character_number else 0
            raise BadProof(
                line.where[k] if line.where else line.inner, "expected a formula", line.formula, _first(error)
            ) from None
        # Read the formula in this scope, or take it from the cache of formulas that were read in the same scope.
        text = self.expanded(g, line.formula)
        key = (text, tuple(g.scope.items()), id(g.library.definitions))
        try:
            if key not in _READ:
                if len(_READ) > MOST_READ:
                    _READ.clear()
                _READ[key] = (g.formula(text), g.library.definitions)
            return text, _READ[key][0]
        except Rejected as error:  # the place is that of the unknown name, else that of the first character
            name = re.search(r"the name '([^']+)' is (?:unknown|bound)", str(error))
            k = 0
            if name is not None:
                match = re.search(rf"\b{name[1]}\b", line.formula)
                k = match.start() if match else 0
            place = line.where[k] if line.where else line.inner
            raise BadProof(place, "expected a formula over the names in scope", line.formula, str(error)) from None

    # --- Lines ----------------------------------------------------------------------------------------------------

    def line(self, g: Goal, line: TextLine) -> None:
        """Run one line, which changes `g` or closes it."""
        try:
            getattr(self, f"_{line.kind}")(g, line)
        except Stuck as error:
            raise BadProof(line.place, f"expected a line that fits here: {error}", line.kind) from None
        except Rejected as error:
            if isinstance(error, StepGap):
                raise
            raise BadProof(
                line.inner if line.inner.line else line.place, f"'{line.kind}' does not fit", None, str(error)
            ) from None

    def check_unused(self, g: Goal, line: TextLine, labels: Sequence[str | tuple[str, ...]]) -> None:
        """BadProof if a label is in use already, or occurs twice."""
        labels_seen: set[str] = set()
        for label in [x for k in labels for x in ([k] if isinstance(k, str) else k)]:
            if label in g.facts or label in labels_seen:
                raise BadProof(line.place, "expected a label that is not in use", label)
            labels_seen.add(label)

    def _given(self, g: Goal, line: TextLine) -> None:
        """``given n s p (low high)``: names for the quantifiers of the goal, and labels for its premises."""
        labels = [*line.labels]
        while labels:
            sorts, label = variables(g.goal), labels[0]
            # Quantifiers: names for all of them in one step, where ``..`` stands for the names of the statement.
            if sorts and isinstance(label, str):
                labels[:1] = self.names(g, line, len(sorts)) if label == OWN else [label]
                named = itertools.takewhile(lambda name: isinstance(name, str) and name != OWN, labels[: len(sorts)])
                g.intro(self.unused(g, line, [*map(str, named)]), apart=True)
                labels = labels[len(sorts) - len(variables(g.goal)) :]
                continue
            # A premise: one label, or one for each part of a conjunction.
            labels, tag = labels[1:], g.goal[0]
            if tag in ("->", "~"):
                label = self.spread(label, g.goal[2][0])
                self.check_unused(g, line, [label])
                parts = flatten("&", g.goal[2][0])
                if not isinstance(label, str) and len(parts) != len(label):
                    must = f"expected {len(parts)} labels for {len(parts)} parts of {g.text(g.goal[2][0])[:200]}"
                    raise BadProof(line.inner, must, " ".join(label))
                g.intro(label if isinstance(label, str) else f"({' '.join(label)})")
            else:
                given_text = label if isinstance(label, str) else " ".join(label)
                what = "a name" if tag == "all" else "nothing to introduce"
                raise BadProof(
                    line.inner, f"expected {what}: what is to be shown is {g.text(g.goal)[:200]}", given_text
                )

    def names(self, g: Goal, line: TextLine, count: int) -> Sequence[str]:
        """The first `count` names that the statement quantifies, for ``..``, without names that are in scope. If the
        statement quantifies none, the names of the part that is the goal."""
        text = g.library.texts("")
        names = [n for n in equations.own(text)[0] or equations.of_part(text, g.goal) if n not in g.scope]
        if len(names) < count:
            raise BadProof(line.inner, "expected a statement whose names '..' can abbreviate", OWN)
        return names[:count]

    def unused(self, g: Goal, line: TextLine, names: Sequence[str]) -> Sequence[str]:
        """The names themselves. BadProof if a name is in use or not valid."""
        for k, name in enumerate(names):
            if name in g.scope or name in g.library.definitions or name in names[:k] or not expr.valid_name(name):
                raise BadProof(line.inner, "expected a name that is not in use", name)
        return names

    def spread(self, label: str | tuple[str, ...], f: Term) -> str | tuple[str, ...]:
        """A label, or labels in which ``..`` is replaced by labels for the equations of `f`."""
        return label if isinstance(label, str) else equations.spread(label, f)

    def _fact(self, g: Goal, line: TextLine) -> None:
        """``label: FORMULA by HINTS``, or with a block of lines that proves the formula, which becomes a fact."""
        text, f = self.formula(g, line)
        (labels,) = line.labels
        self.check_unused(g, line, [labels])
        if not isinstance(labels, str) and len(flatten("&", f)) != len(labels):
            raise BadProof(line.place, f"expected {len(flatten('&', f))} labels", " ".join(labels))
        # Without a block, a formula that is true at once needs no hint: then all hints are unused. Else the names that
        # the formula quantifies are introduced, unless the block begins with a line that introduces them.
        fact_goal = g.branch(f)
        if not line.blocks and automation.immediate(fact_goal):
            self.cited |= {(line.place, h.text): False for h in line.hints}
        elif not line.blocks or line.blocks[0][0].kind not in ("given", "induct"):
            self.named(fact_goal, text)
        if line.blocks:  # names of `let` and `obtain` in the block are not known after it
            names_before = (dict(self.lets), self.obtained)
            self.block(fact_goal, line.blocks[0], line.place)
            self.lets, self.obtained = names_before
        elif not fact_goal.closed:
            self.automatic(fact_goal, line, f"{line.formula[:200]} does not follow")
        spec = labels if isinstance(labels, str) else list(labels)
        g.add({"by": "have", "show": text, "proof": fact_goal.nodes, "as": spec}, f)

    def _calc(self, g: Goal, line: TextLine) -> None:
        """``calc label: a = b``, ``_ <= c``, ``_ < d``: each step is a fact, and a < d follows from all steps."""
        steps = (line, *line.blocks[0])
        first, _, last = line.terms[0], *steps[-1].terms[1:]
        step_parts = [step.terms[1] for step in steps]
        strongest = next(sign for sign in ("<", "<=", "=") if sign in step_parts)  # the relation of the two ends
        facts: list[TextLine] = []
        left_side = first
        for k, step in enumerate(steps, 1):
            _, sign, right = step.terms
            label = f"{''.join(map(str, line.labels))}_step{k}"
            text = f"{left_side} {sign} {right}"
            facts.append(replace(step, kind="fact", labels=(label,), formula=text, where=(), blocks=()))
            left_side = right
        # If the chain has a label, the steps are the block of one fact; else they close the goal.
        hints = tuple(HintText(str(fact.labels[0]), str(fact.labels[0])) for fact in facts)
        block = (*facts, TextLine("qed", hints=hints, place=steps[-1].place))
        if line.labels:
            fact = replace(
                facts[0], labels=line.labels, formula=f"{first} {strongest} {last}", hints=(), blocks=(block,)
            )
            self._fact(g, fact)
        else:
            self.block(g, block, line.place)

    def named(self, g: Goal, text: str) -> None:
        """Introduce the quantifiers of the goal, which is the formula `text`, under the names that the text has."""
        for name in grammar.leading_names(text):
            while g.goal[0] == "->":
                intro_one(g)
            if g.goal[0] != "all":
                return
            g.intro(name if name not in g.scope and name not in g.library.definitions else g.fresh(name))

    def _take(self, g: Goal, line: TextLine) -> None:
        """``take (a b) from FACT(TERM)[PREMISE]``: an instance of a fact, under one label or a label for each part."""
        (labels,) = line.labels
        label, arguments, f = self.instance(g, line, present(line.source))
        labels = self.spread(labels, f)
        self.check_unused(g, line, [labels])
        if not isinstance(labels, str) and len(flatten("&", f)) != len(labels):
            raise BadProof(
                line.place, f"expected {len(flatten('&', f))} labels for {g.text(f)[:200]}", " ".join(labels)
            )
        spec = labels if isinstance(labels, str) else list(labels)
        g.add({"by": "use", "fact": label, "with": arguments, "as": spec}, f)

    def instance(self, g: Goal, line: TextLine, source: HintText) -> tuple[str, list[Any], Term]:
        """An instance of the fact `source`: the label of the fact, the arguments of the node ``use`` for its
        quantifiers and premises, and the formula of the instance."""
        hint = self.hint(g, source)
        if not hint.label:
            raise BadProof(line.inner, "expected a fact", source.text)
        source = self.filled(g, hint.label, source)
        f = g.fact(hint.label)
        arguments: list[Any] = []
        terms, premises = list(hint.terms or ()), list(source.premises)
        while f[0] in ("all", "->") and (f[0] == "->" or terms):
            if f[0] == "all":
                text = terms.pop(0)
                try:
                    value = g.term(text, f[1])
                except (Rejected, BadInput) as error:
                    raise BadProof(line.inner, f"expected {spoken(f[1])}", text, _first(error)) from None
                arguments.append(text)
                f = instantiate(f[2][0], (value,))
                continue
            # A premise: the automation proves it from the fact that the text has for it and from the line's hints.
            premise_hint = [premises.pop(0)] if premises else []
            premise_goal = g.branch(f[2][0])
            what = f"a premise of {source.name} does not follow: {g.text(f[2][0])[:200]}"
            self.automatic(premise_goal, line, what, [*[h for h in premise_hint if h.name != "_"], *line.hints])
            arguments.append(premise_goal.nodes)
            f = f[2][1]
        if terms or premises:
            raise BadProof(line.inner, "expected fewer terms or facts", source.text)
        return hint.label, arguments, f

    def _qed(self, g: Goal, line: TextLine) -> None:
        self.automatic(g, line, "the remaining goal does not follow")

    def _cases(self, g: Goal, line: TextLine) -> None:
        self.blocks(self.goals(g, line), line, "a case")

    def _split(self, g: Goal, line: TextLine) -> None:
        self.blocks(self.goals(g, line), line, "a part")

    def _induct(self, g: Goal, line: TextLine) -> None:
        self.blocks(self.goals(g, line), line, "the induction")

    def goals(self, g: Goal, line: TextLine) -> list[Goal]:
        """The goals for the blocks of a line `split`, `induct` or `cases`; `g` is closed by the proofs of these
        goals."""
        if line.kind == "split":
            if g.goal[0] != "&":
                raise BadProof(
                    line.place, f"expected a conjunction to split; what is to be shown is {g.text(g.goal)[:200]}"
                )
            return g.split()
        if line.kind == "induct":
            self.check_unused(g, line, line.labels)
            low, step = (str(k) for k in line.labels)
            return g.induct(line.name, low, step)
        # ``cases a, b from FACT``: a goal for each part of a disjunction, with one label for all parts or one for each.
        labels = list(line.labels)
        if line.source is not None:
            source = self.taken(g, line)
            parts = flatten("|", g.fact(source))
            if len(parts) < 2:
                raise BadProof(line.inner, "expected a fact that is a disjunction", g.text(g.fact(source))[:200])
            labels = labels * len(parts) if len(labels) == 1 else labels
            if len(labels) != len(parts):
                raise BadProof(line.place, f"expected one label or {len(parts)}", len(labels))
            for part_labels, part in zip(labels, parts, strict=True):
                self.check_labels(g, line, part_labels, part)
            return g.cases(source, *[_spec(k) for k in labels])
        # ``cases a, b: FORMULA``: the formula holds, or its negation does.
        text, f = self.formula(g, line)
        labels = labels * 2 if len(labels) == 1 else labels
        for part_labels, part in zip(labels, (f, negation(f)), strict=True):
            self.check_labels(g, line, part_labels, part)
        return g.em(text, _spec(labels[0]), _spec(labels[1]))

    def check_labels(self, g: Goal, line: TextLine, label: str | tuple[str, ...], f: Term) -> None:
        """BadProof if a label for the case `f` is in use, or if the number of labels is not that of its parts."""
        self.check_unused(g, line, [label])
        if not isinstance(label, str) and len(flatten("&", f)) != len(label):
            raise BadProof(line.place, f"expected {len(flatten('&', f))} labels for {g.text(f)[:200]}", " ".join(label))

    def blocks(self, goals: Sequence[Goal], line: TextLine, what: str) -> None:
        """Run one block for each goal. If there are fewer blocks, they are for the goals that the automation does not
        close; without blocks the automation must close all goals."""
        total = len(goals)
        if 0 < len(line.blocks) < total:
            goals = [h for h in goals if not self.closed(h)]
        if line.blocks and len(line.blocks) != len(goals):
            if_closed = f", or {len(goals)} for what the automation leaves" if len(goals) < total else ""
            raise BadProof(line.place, f"expected {total} blocks that begin with '-'{if_closed}", len(line.blocks))
        for k, h in enumerate(goals):
            if line.blocks:
                names_before = (dict(self.lets), self.obtained)
                block = line.blocks[k]
                self.block(h, block, block[0].place if block else line.place)
                self.lets, self.obtained = names_before
            else:
                self.automatic(h, line, f"{what} does not follow (number {k + 1})")

    def closed(self, g: Goal) -> bool:
        """Close a goal by the two lowest levels of the automation, without hints; whether it did."""
        trial = g.branch()
        try:
            automation.prove(trial, (), self.levels[:2])
        except Stuck:
            return False
        g.take(trial)
        return True

    def taken(self, g: Goal, line: TextLine) -> str:
        """The label of the fact after ``from``. If it is an instance of a fact, or an implication whose premises are
        proved, the resulting fact is added under a new label."""
        source = line.source
        source = present(source)
        if source.terms is None and not source.premises:
            label = self.source(g, line, source.name or source.text)
            if g.fact(label)[0] != "->":
                return label
        label, arguments, f = self.instance(g, line, source)
        instance_label = g.fresh("from_")
        g.add({"by": "use", "fact": label, "with": arguments, "as": instance_label}, f)
        return instance_label

    def source(self, g: Goal, line: TextLine, name: str) -> str:
        """The label of the fact `name`. BadProof if there is no such fact."""
        label = self.label(g, name)
        if label is None:
            raise BadProof(line.inner, "expected a fact in scope", name, _near(name, list(g.facts)))
        return label

    def _left(self, g: Goal, line: TextLine) -> None:
        self._pick(g, line, "left")

    def _right(self, g: Goal, line: TextLine) -> None:
        self._pick(g, line, "right")

    def _pick(self, g: Goal, line: TextLine, side: str) -> None:
        if g.goal[0] != "|":
            raise BadProof(line.place, f"expected a disjunction; what is to be shown is {g.text(g.goal)[:200]}")
        g.pick(side)

    def _obtain(self, g: Goal, line: TextLine) -> None:
        """``obtain x y (a b) from FACT``: names for what exists, and labels for the facts about it."""
        (labels,) = line.labels
        source = self.taken(g, line)
        names = line.terms
        if OWN in names:  # ``..`` stands for the names in the text of the lemma
            if line.source is None:
                raise RuntimeError("line.source must be set here")
            label = self.label(g, line.source.name)
            existing_names = equations.own(g.library.texts(label) if label else None)[1]
            at = names.index(OWN)
            names = (*names[:at], *existing_names[at : len(existing_names) - (len(names) - at - 1)], *names[at + 1 :])
            if not names or at > len(existing_names):
                raise BadProof(line.inner, "expected a lemma that states that something exists", line.source.text)
        # One node for each name. Each node but the last gives another existence, which has a new label.
        *first_names, last = names
        for name in first_names:
            next_label = g.fresh("from_")
            g.obtain(source, name, next_label)
            source = next_label
        f = g.fact(source)
        if f[0] == "ex" and OWN in labels:
            labels = self.spread(labels, instantiate(f[2][0], (var(last, f[1]),)))
        self.check_unused(g, line, [labels])
        g.obtain(source, last, _spec(labels))
        self.obtained = names

    def _witness(self, g: Goal, line: TextLine) -> None:
        """``witness TERM; TERM``, or ``witness each``: each function is given by its equation in the goal."""
        if line.name:  # each
            names = equations.own(g.library.texts(""))[1]
            remaining_lines = [*(line.blocks[0] if line.blocks else ())]

            def follow(unknown: Sequence[str]) -> None:
                """Run the lines of the block up to the first line that names a function which is still unknown."""
                while remaining_lines and not {*re.findall(r"\w+", remaining_lines[0].formula)} & {*unknown}:
                    self.line(g, remaining_lines.pop(0))

            try:
                equations.exists(g, names, [self.hint(g, h) for h in line.hints], self.levels, follow)
            except Stuck as error:
                raise StepGap(line.place, "no equations define the values that must exist", str(error)) from None
            return
        if OWN in line.terms and not self.obtained:
            raise BadProof(line.inner, "expected names that were obtained before, which '..' abbreviates", OWN)
        remaining_terms = [
            t for text in line.terms for t in (self.obtained if text == OWN else [self.expanded(g, text)])
        ]
        self.witnesses(g, remaining_terms, line)
        if remaining_terms:
            raise BadProof(line.inner, f"expected {len(line.terms) - len(remaining_terms)} terms", len(line.terms))

    def witnesses(self, g: Goal, remaining_terms: list[str], line: TextLine) -> None:
        """Give terms for the existences of the goal, and then for those of its parts, which are closed. Terms that are
        used are removed from `remaining_terms`; if they are used up, the next part takes the same terms again."""
        # The existences at the front of the goal. A number as a function is the same value for all arguments.
        remaining_goal, texts = g.goal, list[str]()
        while remaining_goal[0] == "ex" and remaining_terms:
            sort, remaining_goal = remaining_goal[1], remaining_goal[2][0]
            try:
                if not isinstance(sort, str) and re.fullmatch(
                    r"-?\d+(/\d+)?", remaining_terms[0]
                ):  # the same value everywhere
                    free = (name for k in itertools.count(1) if (name := f"x{k}") not in g.scope)
                    names = itertools.islice(free, len(sort[1]))
                    remaining_terms[0] = f"{' '.join(names)}. {remaining_terms[0]}"
                g.term(remaining_terms[0], sort)
            except (Rejected, BadInput) as error:
                raise BadProof(line.inner, f"expected {spoken(sort)}", remaining_terms[0], _first(error)) from None
            texts.append(remaining_terms.pop(0))
        g.witness(*texts)
        # If the rest of the goal is a conjunction, its parts may have further existences.
        if g.goal[0] == "&" and remaining_terms:
            terms_before = [*remaining_terms]
            for part in g.split():
                if not remaining_terms and part.goal[0] == "ex" and not self.closed(part):
                    remaining_terms += terms_before  # all terms are used: the next part has the same terms again
                if not part.closed:
                    self.witnesses(part, remaining_terms, line)
                if not part.closed:
                    self.automatic(part, line, "a condition does not follow", ())

    def _suppose(self, g: Goal, line: TextLine) -> None:
        """``suppose no: FORMULA``: the negation of the goal becomes a fact, and the goal is a contradiction."""
        self.check_unused(g, line, line.labels)
        if line.formula:
            _, f = self.formula(g, line)
            if f != negation(g.goal) and fkey(f) != fkey(negation(g.goal)):
                must = f"expected the opposite of what is to be shown: {g.text(negation(g.goal))[:200]}"
                raise BadProof(line.inner, must, line.formula)
        if g.goal == FALSE:
            raise BadProof(line.place, "expected a goal whose opposite can be supposed", "a contradiction")
        g.contra(str(line.labels[0]))

    def _rewrite(self, g: Goal, line: TextLine) -> None:
        """``rewrite FACT``: one side of an equation replaces the other in the goal, or in the fact after ``in``."""
        h = line.hints[0]
        hint = self.hint(g, h)
        if not hint.label:
            raise BadProof(h.place, "expected a fact that is an equation", h.text)
        label = hint.label
        if hint.terms is not None:  # an instance of an equation becomes a fact first
            label = g.fresh("e")
            g.use(hint.label, *hint.terms, label=label)
        if g.fact(label)[0] != "=":
            raise BadProof(h.place, "expected a fact that is an equation", g.text(g.fact(label))[:200])
        before = g.goal
        if line.terms:
            self.check_unused(g, line, line.labels)
            g.rewrite(label, self.source(g, line, line.terms[0]), _spec(line.labels[0]), rev=bool(line.name))
            return
        g.rewrite(label, rev=bool(line.name))
        if g.goal == before:
            raise BadProof(h.place, "expected an equation whose side occurs in what is to be shown", h.text)

    def _let(self, g: Goal, line: TextLine) -> None:
        """``let f(j) = TERM``: a name that later lines may use; the certificate has the term in its place."""
        if (
            line.name in g.scope
            or line.name in g.library.definitions
            or line.name in self.lets
            or not expr.valid_name(line.name)
        ):
            raise BadProof(line.place, "expected a name that is not in use", line.name)
        try:
            tree = expr.parse_term(f"f({line.formula})", expr.MAX_STATEMENT)[2][0]
        except BadInput as error:
            raise BadProof(line.inner, "expected a term", line.formula, _first(error)) from None
        if len(set(line.terms)) < len(line.terms) or set(line.terms) & self.lets.keys():
            raise BadProof(line.place, "expected names that are not in use", ", ".join(line.terms))
        self.lets[line.name] = (line.terms, _put(tree, self.lets))


def _with_facts(why: str, g: Goal) -> str:
    """The message of a search, with the facts in scope that it does not list."""
    listed = {line.strip().partition(":")[0] for line in why.split("\n")}
    others = [k for k in g.facts if k not in listed]
    lines = [f"    {k}: {g.text(g.facts[k])[:300]}" for k in others[-MOST_FACTS:]]
    if len(others) > MOST_FACTS:
        lines.insert(0, f"    ({len(others) - MOST_FACTS} earlier ones)")
    return "\n".join([why, *(["    and known here:", *lines] if lines else [])])


def _labels(nodes: object) -> Iterator[str]:
    """All texts in nodes, without the ``#`` before labels."""
    if isinstance(nodes, str):
        yield nodes.removeprefix("#")
    elif isinstance(nodes, list | dict):
        for part in nodes.values() if isinstance(nodes, dict) else nodes:
            yield from _labels(part)


def _spec(label: str | tuple[str, ...]) -> str:
    """Labels as the methods of `Goal` take them: separated by spaces."""
    return label if isinstance(label, str) else " ".join(label)


def _put(tree: Tree, lets: Mapping[str, Short]) -> Any:
    """A tree in which the names of `lets` are replaced by their terms. No name of `lets` is bound in the tree."""
    if not isinstance(tree, tuple):
        return tree
    if tree[:1] == ("name",) and tree[1] in lets:  # a name without arguments: the term, or a lambda
        names, body = lets[tree[1]]
        return ("lambda", names, body) if names else body
    if tree[:1] == ("call",) and tree[1] in lets and len(lets[tree[1]][0]) == len(tree[2]):
        names, body = lets[tree[1]]
        # A call: its arguments replace the names in the term. Names that the term binds are renamed first, if they
        # occur in an argument.
        arguments = [_put(t, lets) for t in tree[2]]
        body = _apart(body, set().union(*map(_words, arguments)), {})
        return _put(body, {n: ((), t) for n, t in zip(names, arguments, strict=True)})
    return tuple([_put(t, lets) for t in tree])


def _words(tree: object) -> set[str]:
    """All texts in a tree, names among them."""
    return {tree} if isinstance(tree, str) else set().union(*map(_words, tree)) if isinstance(tree, tuple) else set()


_BINDS = {"sum": 1, "prod": 1, "all": 1, "ex": 1, "all in": 1, "ex in": 1, "lambda": 1}
"""The tags of trees that bind a name, which is their part number 1, in their last part."""


def _bound(tree: object) -> set[str]:
    """The names that a tree binds."""
    if not isinstance(tree, tuple):
        return set()
    bound_names = set().union(*map(_bound, tree)) if tree else set()
    if tree and isinstance(tree[0], str) and tree[0] in _BINDS:
        bound_names |= {tree[1]} if isinstance(tree[1], str) else set(tree[1])
    return bound_names


def _apart(tree: object, taken: set[str], names: Mapping[str, str]) -> Any:
    """The tree with new names for the bound names that are among `taken`. `names` has the new name of each name that is
    renamed already."""
    if not isinstance(tree, tuple) or not tree:
        return tree
    tag = tree[0]
    if tag == "name":
        return (tag, names.get(tree[1], tree[1]))
    if tag == "call":
        return (tag, names.get(tree[1], tree[1]), tuple([_apart(t, taken, names) for t in tree[2]]))
    if isinstance(tag, str) and tag in _BINDS:
        old_names = (tree[1],) if isinstance(tree[1], str) else tree[1]
        new_names: list[str] = []
        for n in old_names:
            fresh = (f"{n}{k}" for k in itertools.count(1))
            new_names.append(next(m for m in fresh if m not in taken and m not in new_names) if n in taken else n)
        renamed = {**names, **dict(zip(old_names, new_names, strict=True))}
        bound_name = new_names[0] if isinstance(tree[1], str) else tuple(new_names)
        taken_inside = {*taken, *new_names}
        body = _apart(tree[-1], taken_inside, renamed)
        return (tag, bound_name, *(_apart(t, taken, names) for t in tree[2:-1]), body)
    return tuple([_apart(t, taken, names) for t in tree])


def _near(name: str, valid: Sequence[str]) -> str | None:
    """A question for the message: the valid name that is most like `name`; None if no name is like it."""
    import difflib

    closest = difflib.get_close_matches(name, valid, n=1, cutoff=0.5)
    return f"did you mean {closest[0]}?" if closest else None


def _first(error: Exception) -> str:
    """The first line of a message."""
    return str(error).partition("\n")[0]
