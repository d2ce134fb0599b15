"""A stored proof in words: numbered lines, nested, each with the fact that a step gives and what it rests on.

`outline` takes a statement and its certificate and returns steps, which `outline_text` and `outline_latex` print. The
steps are followed by the checker's own methods, so that what is shown as a fact is what the checker sees. Nothing here
decides whether a proof is right: `replay` has done that before.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof.audit.folded import Folder, names_in, statement_tree, text_of, used_definitions
from symcook.report.latex import latex
from symcook.report.markup import escaped
from symcook.report.saying import Said

if TYPE_CHECKING:
    from symcook.proof import kernel
    from symcook.proof.replay import Statement
    from symcook.proof.search import nodes
    from symcook.proof.terms import Sort, Term

MOST_LINES = 30
WIDTH = 100
MOST_GIVEN = 40  # characters of an argument
LONG = 150  # characters of a formula that an abridged line shows


@dataclass
class OutlineStep:
    """A line: words and formulas in turn, and the lines below it."""

    pieces: list[Said]
    inner: list[OutlineStep] = field(default_factory=list)

    def text(self, most: int | None = None) -> str:
        """The line as plain text; formulas of more than `most` characters are cut."""
        return "".join(p if isinstance(p, str) else _cut(text_of(p), most) for p in self.pieces)

    def latex(self, known: Iterable[str], most: int | None = None) -> str:
        """The line for text mode of LaTeX."""
        out = []
        for piece in self.pieces:
            if isinstance(piece, str):
                out.append(escaped(piece))
            elif most is not None and len(text_of(piece)) > most:
                out.append(r"(a long formula)")
            else:
                out.append(f"${latex(piece, known)}$")
        return "".join(out)

    def size(self) -> int:
        """The lines of this step and of those below it."""
        return 1 + sum(s.size() for s in self.inner)


def _cut(text: str, most: int | None) -> str:
    return text if most is None or len(text) <= most else f"{text[: most - 30]} ... {text[-20:]}"


def outline(statement: Statement, certificate: Mapping[str, Any], part: str = "proof") -> list[OutlineStep]:
    """The steps of one part of a certificate that replay has accepted: proof, defined or inhabited."""
    from symcook.proof.grammar import leading_names
    from symcook.proof.replay import statements

    # The goal of this part: the statement or its negation, that all terms are defined, or that the hypotheses can hold.
    used = [statements()[name] for name in certificate["lemmas"]]
    goal = getattr(statement, {"proof": "formula"}.get(part, part))
    if part == "proof" and certificate["sense"] == "refuted":
        goal = statement.refutation
    # Formulas are shown with the definitions folded that the statement and the cited lemmas use.
    trees = [statement_tree(s.text) for s in (statement, *used)]
    folder = Folder(statement.known, used_definitions(trees, statement.known))
    names = leading_names(statement.expanded)
    return _Narrator(statement, {s.label: s for s in used}, folder, names).tell(goal, certificate[part])


def outline_text(steps: list[OutlineStep], most: int | None = MOST_LINES) -> str:
    """Numbered, indented lines; with `most`, an abridged proof says how many lines it hides where."""
    total = sum(s.size() for s in steps)
    visible = _visible(steps, total if most is None else most)
    digits = len(str(total))
    lines: list[str] = []
    for number, depth, step, hidden in _walk(steps, visible):
        if step is None:  # a run of hidden lines
            lines.append(f"{'':{digits}}  {'  ' * depth}... {_many(hidden, 'line')} ...")
            continue
        text = step.text(LONG if most is not None else None) + (f" ({_many(hidden, 'line')} below)" if hidden else "")
        head = f"{number:>{digits}}  {'  ' * depth}"
        lines.append(
            textwrap.fill(
                text,
                WIDTH + 2 * depth,
                initial_indent=head,
                subsequent_indent=" " * (len(head) + 2),
                break_on_hyphens=False,
                break_long_words=False,
            )
        )
    if len(visible) < total:
        lines.append(f"{total - len(visible)} of {total} lines are hidden; --full shows them.")
    return "\n".join(lines)


def outline_latex(steps: list[OutlineStep], known: Iterable[str], most: int | None = MOST_LINES) -> str:
    """The same lines as paragraphs of LaTeX, set in by depth."""
    total = sum(s.size() for s in steps)
    visible = _visible(steps, total if most is None else most)
    rows = []
    for number, depth, step, hidden in _walk(steps, visible):
        indent = 2 + 1.2 * depth
        if step is None:
            text = rf"\ldots{{}} {_many(hidden, 'line')} \ldots{{}}"
        else:
            text = f"{number}. {step.latex(known, LONG if most is not None else None)}"
            text += f" ({_many(hidden, 'line')} below)" if hidden else ""
        rows.append(rf"\noindent\hangindent={indent + 1.5:.1f}em\hangafter=1\hspace*{{{indent:.1f}em}}{text}\par")
    if len(visible) < total:
        rows.append(rf"\noindent {total - len(visible)} of {total} lines are hidden.\par")
    return "\n".join(rows)


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _visible(steps: list[OutlineStep], most: int) -> set[int]:
    """The lines to show, by identity: the outer ones first, as many as there is room for."""
    level, visible, room = list(steps), set[int](), most
    while level and room > 0:
        if len(level) > room and not visible:  # even the outermost do not fit: their beginning and their end
            level = [*level[: room - 5], *level[-5:]]
        visible |= {id(s) for s in level[:room]}
        room -= len(level)
        level = [s for step in level for s in step.inner]
    return visible


def _walk(steps: list[OutlineStep], visible: set[int]) -> Iterator[tuple[int, int, OutlineStep | None, int]]:
    """(number, depth, line, lines hidden below it); line None stands for a run of hidden lines."""
    number = 0  # of the line in the whole proof: hidden lines count

    def visit(siblings: list[OutlineStep], depth: int) -> Iterator[tuple[int, int, OutlineStep | None, int]]:
        nonlocal number
        hidden = 0
        for step in siblings:
            if id(step) not in visible:
                hidden += step.size()
                number += step.size()
                continue
            if hidden:
                yield number, depth, None, hidden
                hidden = 0
            number += 1
            # Where all below a line is hidden this is said on the line itself, not on a line of its own.
            if step.inner and not any(id(s) in visible for s in step.inner):
                below = step.size() - 1
                yield number, depth, step, below
                number += below
            else:
                yield number, depth, step, 0
                yield from visit(step.inner, depth + 1)
        if hidden:
            yield number, depth, None, hidden

    yield from visit(steps, 0)


@dataclass
class Taken:
    """A step that the checker has taken: the state after it, its new facts, and the branches that it opens."""

    state: kernel._State
    fresh: list[tuple[str, Term]]
    opened: list[kernel._State]


class _Narrator:
    """Follows a proof with the checker's own steps and puts each in words."""

    def __init__(
        self, statement: Statement, lemmas: Mapping[str, Statement], folder: Folder, names: Sequence[str]
    ) -> None:
        from symcook.proof import kernel

        self.lemmas, self.folder = lemmas, folder
        self.whole, self.names = statement.formula, names
        formulas = {label: s.formula for label, s in lemmas.items()}
        self.checker = kernel._Checker(formulas, statement.known)

    def tell(self, goal: Term, proof: nodes.Proof) -> list[OutlineStep]:
        from symcook.proof import kernel

        return self.branch(kernel._State(goal, {}, {}, proof))

    def show(self, t: Term) -> Tree:
        """A formula; the statement itself, which a refutation supposes, with its own names."""
        return self.folder.tree(t, self.names if t == self.whole else ())

    def cite(self, label: str) -> str:
        """A fact's name as a reader meets it."""
        kind, colon, axiom = label.partition(":")
        if not colon:
            return label
        return f"axiom {axiom}" if kind == "ax" else self.lemmas[label].id.removeprefix("lem.")

    def branch(self, state: kernel._State) -> list[OutlineStep]:
        """The steps of one open branch, those of the branches it opens nested in them."""
        out: list[OutlineStep] = []
        introduced: list[tuple[str, Sort | Term]] = []  # names and hypotheses just introduced
        for node in cast("nodes.Proof", state.proof):
            by, goal = node["by"], state.goal
            # The checker takes the step. What it adds to the facts and to the open branches is what the step gave.
            known, names = set(state.facts), set(state.scope)
            waiting = len(self.checker.open)
            getattr(self.checker, f"_{by}")(state, node)
            opened = self.checker.open[waiting:]
            del self.checker.open[waiting:]
            fresh = [(label, state.fact(label)) for label in state.facts if label not in known]
            if by == "intro":  # consecutive introductions become one sentence
                introduced += [(name, state.scope[name]) for name in state.scope if name not in names]
                introduced += [(label, fact) for label, fact in fresh]
                continue
            out += self.introduced(introduced, goal)
            introduced = []
            out += getattr(self, f"on_{by}")(node, Taken(state, fresh, opened))
        return out

    def introduced(self, introductions: list[tuple[str, Sort | Term]], goal: Term) -> list[OutlineStep]:
        """Let ..., suppose ..., and what is then to be shown."""
        names: list[Said] = []
        out: list[OutlineStep] = []
        facts: list[tuple[str, Term]] = []

        def flush() -> None:
            nonlocal names, facts
            if names:
                out.append(OutlineStep(["Let ", *_listed(names), "."]))
            if facts:
                out.append(OutlineStep(["Suppose ", *self.facts(facts), "."]))
            names, facts = [], []

        # Names first, then facts: a name after a fact begins a new sentence. A sort is text or ("fun", ..).
        for name, meaning in introductions:
            if isinstance(meaning, str) or meaning[0] == "fun":
                if facts:
                    flush()
                names.append(("member", name, meaning))
            else:
                facts.append((name, cast("Term", meaning)))
        flush()
        if introductions:
            out.append(OutlineStep(["To show: ", self.show(goal), "."]))
        return out

    def facts(self, facts: list[tuple[str, Term]]) -> list[Said]:
        """formula [label]; formula [label]."""
        out: list[Said] = []
        for label, fact in facts:
            out += ["; " if out else "", self.show(fact), f" [{label}]"]
        return out

    def below(self, opened: Sequence[kernel._State], heads: list[list[Said]]) -> list[OutlineStep]:
        """Each opened branch under its heading; one that closes at once stands on the heading's line."""
        out: list[OutlineStep] = []
        for state, head in zip(opened, heads, strict=True):
            inner = self.branch(state)
            if len(inner) == 1 and not inner[0].inner:
                out.append(OutlineStep([*head, " ", *inner[0].pieces]))
            else:
                out.append(OutlineStep(head, inner))
        return out

    # One method a kind of node; each returns the lines that it makes.

    def on_split(self, node: nodes.Split, at: Taken) -> list[OutlineStep]:
        heads: list[list[Said]] = [["Show ", self.show(branch.goal), "."] for branch in at.opened]
        return self.below(at.opened, heads)

    def on_pick(self, node: nodes.Pick, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Of the two, show ", self.show(at.state.goal), "."])]

    def on_witness(self, node: nodes.Witness, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Take ", _argument(node["term"]), ". To show: ", self.show(at.state.goal), "."])]

    def on_obtain(self, node: nodes.Obtain, at: Taken) -> list[OutlineStep]:
        return [
            OutlineStep(
                [
                    f"By {self.cite(node['fact'])} there is ",
                    ("name", node["name"]),
                    " with ",
                    *self.facts(at.fresh),
                    ".",
                ]
            )
        ]

    def on_hyp(self, node: nodes.Hyp, at: Taken) -> list[OutlineStep]:
        return [OutlineStep([f"This is {self.cite(node['of'])}."])]

    def on_true(self, node: nodes.Closing, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["True by computation."])]

    def on_absurd(self, node: nodes.Absurd, at: Taken) -> list[OutlineStep]:
        if "not" in node:
            return [OutlineStep([f"{self.cite(node['of'])} contradicts {self.cite(node['not'])}."])]
        return [OutlineStep([f"{self.cite(node['of'])} is false by computation: this case cannot be."])]

    def on_contra(self, node: nodes.Contra, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Suppose it fails: ", *self.facts(at.fresh), "."])]

    def on_have(self, node: nodes.Have, at: Taken) -> list[OutlineStep]:
        return self.below(at.opened, [["Claim ", *self.facts(at.fresh), "."]])

    def on_use(self, node: nodes.Use, at: Taken) -> list[OutlineStep]:
        # "with" lists terms for the quantified names, "#label" for a premise that is a known fact, "!" for one that is
        # true by computation, and proofs of the other premises.
        terms = [g for g in node["with"] if isinstance(g, str) and g[:1] not in ("#", "!")]
        premises = [g[1:] for g in node["with"] if isinstance(g, str) and g.startswith("#")]
        head: list[Said] = [f"{'By' if ':' in node['fact'] else 'From'} {self.cite(node['fact'])}"]
        if terms:
            head += [" at ", *_listed([_argument(g) for g in terms], "; ")]
        if premises:
            head.append(f", with {names_in(premises)}")
        heads: list[list[Said]] = [["It needs ", self.show(branch.goal), "."] for branch in at.opened]
        return [OutlineStep([*head, ": ", *self.facts(at.fresh), "."], self.below(at.opened, heads))]

    def on_cases(self, node: nodes.Cases, at: Taken) -> list[OutlineStep]:
        return [OutlineStep([f"By cases of {self.cite(node['fact'])}."], self.either(at))]

    def on_em(self, node: nodes.ExcludedMiddle, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Two cases."], self.either(at))]

    def either(self, at: Taken) -> list[OutlineStep]:
        heads: list[list[Said]] = []
        for branch in at.opened:
            fresh = [(label, branch.fact(label)) for label in branch.facts if label not in at.state.facts]
            heads.append(["Case ", *self.facts(fresh), "."])
        return self.below(at.opened, heads)

    def on_ind(self, node: nodes.Indicator, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["An indicator is 1 or 0: ", *self.facts(at.fresh), "."])]

    def on_rewrite(self, node: nodes.Rewrite, at: Taken) -> list[OutlineStep]:
        if "in" in node:
            return [
                OutlineStep([f"Put {self.cite(node['eq'])} into {self.cite(node['in'])}: ", *self.facts(at.fresh), "."])
            ]
        return [OutlineStep([f"Put {self.cite(node['eq'])} in. To show: ", self.show(at.state.goal), "."])]

    def on_antisym(self, node: nodes.Antisym, at: Taken) -> list[OutlineStep]:
        heads: list[list[Said]] = [["Show ", self.show(branch.goal), "."] for branch in at.opened]
        return [OutlineStep(["Equal, since each side is at most the other."], self.below(at.opened, heads))]

    def on_induct(self, node: nodes.Induct, at: Taken) -> list[OutlineStep]:
        base, step = at.opened
        facts = [(label, step.fact(label)) for label in step.facts if label not in at.state.facts]
        name = node["name"]
        first = facts[0][1][2][0]  # the first fact of the step is start <= name
        heads: list[list[Said]] = [
            ["Base: ", self.show(base.goal), "."],
            [
                "Step: let ",
                ("member", name, "Int"),
                " with ",
                *self.facts(facts),
                ". To show: ",
                self.show(step.goal),
                ".",
            ],
        ]
        pieces: list[Said] = ["By induction on ", ("name", name), " from ", self.show(first), "."]
        return [OutlineStep(pieces, self.below(at.opened, heads))]

    def on_pos(self, node: nodes.Pos, at: Taken) -> list[OutlineStep]:
        sums, equations = node.get("sum", []), node.get("eq", [])
        # Linear: each summand is a fact or a product of none, and each equation is multiplied by a number.
        labels = [self.cite(x) for entry in sums for x in entry["of"]] + [self.cite(label) for _, label in equations]
        labels = list(dict.fromkeys(labels))
        plain = all(len(entry["of"]) <= 1 and "sq" not in entry for entry in sums)
        plain = plain and all(_numeral(times) for times, _ in equations)
        kind = "Linear arithmetic" if plain else "Arithmetic with products" if labels else "Sums of squares"
        if not sums and not equations:
            return [OutlineStep(["Both sides have the same normal form."])]
        return [OutlineStep([kind + (f" from {names_in(labels)}" if labels else "") + "."])]

    def on_interval(self, node: nodes.IntervalNode, at: Taken) -> list[OutlineStep]:
        over = f" over the bounds {names_in(node['on'])}" if node["on"] else ""
        return [OutlineStep([f"By interval enclosure ({node['prec']} bits){over}."])]


def _numeral(text: str) -> bool:
    return not any(c.isalpha() for c in text)


def _argument(text: str) -> Said:
    """What a step puts for a name: a term, or ``j. term``; a long one is left out."""
    if len(text) > MOST_GIVEN:
        return "..."
    return expr.parse_term(f"f({text})")[2][0]


def _listed(pieces: list[Said], between: str = ", ") -> list[Said]:
    out: list[Said] = []
    for piece in pieces:
        out += [between, piece] if out else [piece]
    return out
