"""A stored proof in words: numbered, nested lines, each with the fact that a step proves and the facts it uses.

`outline` takes a statement and its certificate and returns steps, which `outline_text` and `outline_latex` print. The
checker's own methods take the steps, so that the facts shown are those that the checker has. This module does not
decide whether a proof is right: `replay` has accepted the certificate before.
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

# The greatest numbers of lines and characters.
MOST_LINES = 30  # lines of an abridged proof
WIDTH = 100  # characters in a line of plain text, without its indentation
MOST_GIVEN = 40  # characters of a term that a step substitutes; a longer one is shown as "..."
LONG = 150  # characters of a formula in an abridged proof


@dataclass
class OutlineStep:
    """A line of the outline: its words and formulas, in order, and the lines nested below it (`inner`)."""

    pieces: list[Said]
    inner: list[OutlineStep] = field(default_factory=list)

    def text(self, most: int | None = None) -> str:
        """The line as plain text; formulas of more than `most` characters are cut."""
        return "".join(p if isinstance(p, str) else _cut(text_of(p), most) for p in self.pieces)

    def latex(self, known: Iterable[str], most: int | None = None) -> str:
        """The line for text mode of LaTeX; "(a long formula)" stands for a formula of more than `most` characters."""
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
        """The number of lines of this step, with those nested below it."""
        return 1 + sum(s.size() for s in self.inner)


def _cut(text: str, most: int | None) -> str:
    """The text; of a text longer than `most` the first `most` - 30 and the last 20 characters."""
    return text if most is None or len(text) <= most else f"{text[: most - 30]} ... {text[-20:]}"


def outline(statement: Statement, certificate: Mapping[str, Any], part: str = "proof") -> list[OutlineStep]:
    """The steps of one part of a certificate that replay has accepted: proof, defined or inhabited."""
    from symcook.proof.grammar import leading_names
    from symcook.proof.replay import statements

    # The goal of this part. proof: the statement or its negation; defined: that all its terms are defined; inhabited:
    # that its hypotheses can hold together.
    cited = [statements()[name] for name in certificate["lemmas"]]
    goal = getattr(statement, {"proof": "formula"}.get(part, part))
    if part == "proof" and certificate["sense"] == "refuted":
        goal = statement.refutation
    # Definitions that the statement and the cited lemmas use are shown by their names, not written out.
    trees = [statement_tree(s.text) for s in (statement, *cited)]
    folder = Folder(statement.known, used_definitions(trees, statement.known))
    names = leading_names(statement.expanded)
    return _Narrator(statement, {s.label: s for s in cited}, folder, names).tell(goal, certificate[part])


def outline_text(steps: list[OutlineStep], most: int | None = MOST_LINES) -> str:
    """The steps as numbered, indented lines of plain text. At most `most` of them are shown (None: all); an abridged
    proof says where it hides lines, and how many. Unless `most` is None, formulas longer than `LONG` are cut too."""
    total = sum(s.size() for s in steps)
    visible = _visible(steps, total if most is None else most)
    digits = len(str(total))
    lines: list[str] = []
    for number, depth, step, hidden in _walk(steps, visible):
        if step is None:  # a run of hidden lines
            lines.append(f"{'':{digits}}  {'  ' * depth}... {_counted(hidden, 'line')} ...")
            continue
        text = step.text(LONG if most is not None else None) + (
            f" ({_counted(hidden, 'line')} below)" if hidden else ""
        )
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
    """The lines of `outline_text` as paragraphs of LaTeX, indented by depth."""
    total = sum(s.size() for s in steps)
    visible = _visible(steps, total if most is None else most)
    rows = []
    for number, depth, step, hidden in _walk(steps, visible):
        indent = 2 + 1.2 * depth  # in em
        if step is None:
            text = rf"\ldots{{}} {_counted(hidden, 'line')} \ldots{{}}"
        else:
            text = f"{number}. {step.latex(known, LONG if most is not None else None)}"
            text += f" ({_counted(hidden, 'line')} below)" if hidden else ""
        rows.append(rf"\noindent\hangindent={indent + 1.5:.1f}em\hangafter=1\hspace*{{{indent:.1f}em}}{text}\par")
    if len(visible) < total:
        rows.append(rf"\noindent {total - len(visible)} of {total} lines are hidden.\par")
    return "\n".join(rows)


def _counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _visible(steps: list[OutlineStep], most: int) -> set[int]:
    """The id() of each line to show: outer lines go before the lines nested in them, at most `most` lines in all."""
    level, visible, lines_left = list(steps), set[int](), most
    while level and lines_left > 0:
        if len(level) > lines_left and not visible:  # the outermost lines alone are too many: the first and the last 5
            level = [*level[: lines_left - 5], *level[-5:]]
        visible |= {id(s) for s in level[:lines_left]}
        lines_left -= len(level)
        level = [s for step in level for s in step.inner]
    return visible


def _walk(steps: list[OutlineStep], visible: set[int]) -> Iterator[tuple[int, int, OutlineStep | None, int]]:
    """(number, depth, line, number of hidden lines below it) for each visible line.

    A line that is None stands for consecutive lines at this depth that are hidden, with those below them.
    """
    number = 0  # the number of the line in the whole proof: hidden lines count

    def visit(siblings: list[OutlineStep], depth: int) -> Iterator[tuple[int, int, OutlineStep | None, int]]:
        """The lines of the steps `siblings` at this depth, and of those below them."""
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
            # If all lines below a line are hidden, the line itself has their number, and no None follows.
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
    """A step that the checker has taken."""

    state: kernel._State
    """The branch of the step after it."""
    fresh: list[tuple[str, Term]]
    """The new facts of this branch: (label, formula)."""
    opened: list[kernel._State]
    """The new branches that the step opens."""


class _Narrator:
    """Takes a proof's steps with the checker, and writes each in words.

    lemmas: the cited statements by label; folder: writes formulas with definitions folded; names: those of the
    statement's own bound variables.
    """

    def __init__(
        self, statement: Statement, lemmas: Mapping[str, Statement], folder: Folder, names: Sequence[str]
    ) -> None:
        """Make a checker that knows the formulas of the lemmas; `branch` takes the steps with it."""
        from symcook.proof import kernel

        self.lemmas, self.folder = lemmas, folder
        self.whole, self.names = statement.formula, names
        formulas = {label: s.formula for label, s in lemmas.items()}
        self.checker = kernel._Checker(formulas, statement.known)

    def tell(self, goal: Term, proof: nodes.Proof) -> list[OutlineStep]:
        """The lines of a whole proof of `goal`."""
        from symcook.proof import kernel

        return self.branch(kernel._State(goal, {}, {}, proof))

    def show(self, t: Term) -> Tree:
        """A formula as a tree. The statement itself, which a refutation supposes, keeps its own variable names."""
        return self.folder.tree(t, self.names if t == self.whole else ())

    def cite(self, label: str) -> str:
        """The name of a fact in a sentence: axiom X, the id of a lemma, or the label of a fact of this proof."""
        kind, colon, axiom = label.partition(":")
        if not colon:
            return label
        return f"axiom {axiom}" if kind == "ax" else self.lemmas[label].id.removeprefix("lem.")

    def branch(self, state: kernel._State) -> list[OutlineStep]:
        """The lines of one open branch, whose steps the checker takes, which changes `state`; the branches that a step
        opens are nested below its line."""
        out: list[OutlineStep] = []
        introductions: list[tuple[str, Sort | Term]] = []  # names and hypotheses just introduced
        for node in cast("nodes.Proof", state.proof):
            by, goal = node["by"], state.goal
            # The checker takes the step: its method adds facts and names to `state` and puts new branches on its list
            # `open`. They are compared with those before, and the new branches are taken off the list again.
            known, names = set(state.facts), set(state.scope)
            waiting = len(self.checker.open)
            getattr(self.checker, f"_{by}")(state, node)
            opened = self.checker.open[waiting:]
            del self.checker.open[waiting:]
            fresh = [(label, state.fact(label)) for label in state.facts if label not in known]
            if by == "intro":  # consecutive introductions become one sentence
                introductions += [(name, state.scope[name]) for name in state.scope if name not in names]
                introductions += [(label, fact) for label, fact in fresh]
                continue
            out += self.introduced(introductions, goal)
            introductions = []
            out += getattr(self, f"on_{by}")(node, Taken(state, fresh, opened))
        return out

    def introduced(self, introductions: list[tuple[str, Sort | Term]], goal: Term) -> list[OutlineStep]:
        """Sentences for introduced names and hypotheses, "Let ..." and "Suppose ...", then "To show: ..." with the
        goal."""
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

        # An introduction is a name with its sort, which is text or ("fun", ..), or a hypothesis with its formula. A
        # name after a hypothesis begins a new sentence.
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
        """The facts as "formula [label]; formula [label]"."""
        out: list[Said] = []
        for label, fact in facts:
            out += ["; " if out else "", self.show(fact), f" [{label}]"]
        return out

    def below(self, opened: Sequence[kernel._State], heads: list[list[Said]]) -> list[OutlineStep]:
        """The opened branches, each nested below its heading; a branch of one line is on the line of its heading."""
        out: list[OutlineStep] = []
        for state, head in zip(opened, heads, strict=True):
            inner = self.branch(state)
            if len(inner) == 1 and not inner[0].inner:
                out.append(OutlineStep([*head, " ", *inner[0].pieces]))
            else:
                out.append(OutlineStep(head, inner))
        return out

    # One method for each kind of proof step, on_KIND; each returns the lines of the step. `at` is the step as the
    # checker has taken it.

    def on_split(self, node: nodes.Split, at: Taken) -> list[OutlineStep]:
        heads: list[list[Said]] = [["Show ", self.show(branch.goal), "."] for branch in at.opened]
        return self.below(at.opened, heads)

    def on_pick(self, node: nodes.Pick, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Of the two, show ", self.show(at.state.goal), "."])]

    def on_witness(self, node: nodes.Witness, at: Taken) -> list[OutlineStep]:
        return [OutlineStep(["Take ", _argument(node["term"]), ". To show: ", self.show(at.state.goal), "."])]

    def on_obtain(self, node: nodes.Obtain, at: Taken) -> list[OutlineStep]:
        """A name for the object that an existential fact claims, with the new facts about it."""
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
        """A fact, lemma or axiom at some terms: what follows, and below it the premises that need a proof."""
        # "with" has an entry for each quantified name, a term, and an entry for each premise: "#label" if it is a fact,
        # "!" if it is true by computation, else a proof of it.
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
        """The opened branches, each below "Case ..." with the facts that are new in it."""
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
        """An induction over integers from a start on: its base and its step, each with its proof below."""
        base, step = at.opened
        facts = [(label, step.fact(label)) for label in step.facts if label not in at.state.facts]
        name = node["name"]
        # The first of the facts is start <= name, as (label, ("<=", None, (start, name))).
        start = facts[0][1][2][0]
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
        pieces: list[Said] = ["By induction on ", ("name", name), " from ", self.show(start), "."]
        return [OutlineStep(pieces, self.below(at.opened, heads))]

    def on_pos(self, node: nodes.Pos, at: Taken) -> list[OutlineStep]:
        """A step of arithmetic in one line: its kind and the facts that it uses."""
        sums, equations = node.get("sum", []), node.get("eq", [])
        # The step is linear if no summand is a square or a product of facts, and each equation is multiplied by a
        # number.
        labels = [self.cite(x) for entry in sums for x in entry["of"]] + [self.cite(label) for _, label in equations]
        labels = list(dict.fromkeys(labels))
        linear = all(len(entry["of"]) <= 1 and "sq" not in entry for entry in sums)
        linear = linear and all(_has_no_name(times) for times, _ in equations)
        kind = "Linear arithmetic" if linear else "Arithmetic with products" if labels else "Sums of squares"
        if not sums and not equations:
            return [OutlineStep(["Both sides have the same normal form."])]
        return [OutlineStep([kind + (f" from {names_in(labels)}" if labels else "") + "."])]

    def on_interval(self, node: nodes.IntervalNode, at: Taken) -> list[OutlineStep]:
        over = f" over the bounds {names_in(node['on'])}" if node["on"] else ""
        return [OutlineStep([f"By interval enclosure ({node['prec']} bits){over}."])]


def _has_no_name(text: str) -> bool:
    """Whether the text of a term contains no name."""
    return not any(c.isalpha() for c in text)


def _argument(text: str) -> Said:
    """The term, or the function ``j. term``, that a step substitutes for a name; "..." if it is long."""
    if len(text) > MOST_GIVEN:
        return "..."
    return expr.parse_term(f"f({text})")[2][0]


def _listed(pieces: list[Said], between: str = ", ") -> list[Said]:
    """The pieces with the text `between` each two of them."""
    out: list[Said] = []
    for piece in pieces:
        out += [between, piece] if out else [piece]
    return out
