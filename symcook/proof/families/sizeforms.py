"""Closed forms of a family, with its sizes and tables as names: one form for every length and every size.

`familyrel` gives the family's equations. Each equation is substituted into the later ones, from the embedding to the
readout. A value has no form if its equation alone does not determine it (a head whose scores may tie, a layer that
repeats), or if it reads such a value, or if the form would be longer than `LONG`. The forms are not trusted: a form is
proved when the checker accepts its proof.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.model.expr import Tree, parse_formula, show
from symcook.present import present
from symcook.proof.definitions import RunDefinition
from symcook.proof.families.smallruns import FamilyRuns
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.replay import Statement
from symcook.proof.search import elaborate, prooftext
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify
from symcook.proof.statements.trees import apart, mentioned, replaced
from symcook.proof.statements.vocabulary import named

if TYPE_CHECKING:
    from symcook.model.family import Family

LONG = 400
"""The maximum number of characters in a form. A longer form tells a reader nothing."""
SECONDS = 5.0
"""The time limit, in seconds, for one attempt to prove a line. All lines together have 60 s by default."""


@dataclass(frozen=True)
class FamilyForm:
    """One value of the run: ``left = value`` at all indices in `ranges`, by the equation `text`.

    A value without a form has `value` None, and `why` is the reason."""

    function: str
    text: str
    ranges: str
    left: Tree
    value: Tree | None
    why: str = ""

    @property
    def head(self) -> str:
        """The left side as text."""
        return show(self.left)

    @property
    def formula(self) -> str:
        """The equation ``left = value``, quantified over its indices."""
        return f"({self.ranges}{self.head} = {show(present(self.value))})"


@dataclass
class FamilyProof:
    """The certificate for some of a family's forms; `missing` has the reason for each other function."""

    statement: Statement | None
    certificate: dict[str, Any] | None
    missing: dict[str, str]

    @property
    def whole(self) -> bool:
        """Whether all forms are proved."""
        return self.certificate is not None and not self.missing


class FamilyForms:
    """The closed forms of a family, in the order of its run."""

    def __init__(self, family: Family, relation: FamilyRelation | None = None) -> None:
        self.family, self.relation = family, relation or FamilyRelation(family)
        self.forms: dict[str, FamilyForm] = {}
        for definition in self.relation.definitions:
            form = self._form(definition)
            if form is None:
                continue
            repeated = form.function in self.forms  # one equation before the first round, one for each round
            self.forms[form.function] = _lost(form, "it is given round by round") if repeated else form

    @property
    def outputs(self) -> dict[str, FamilyForm]:
        """The forms of the values that the readout reads, without constants; a `FamilyForm` without a value is kept."""
        readout, final = self.family.readout, self.relation.held
        names_read = {declared.name for declared in readout.reads} | mentioned(readout.score)
        forms = {f: self.forms[f] for name in final if name in names_read and (f := final[name][0]) in self.forms}
        return {f: form for f, form in forms.items() if form.value is None or form.value[0] != "num"}

    def _form(self, definition: RunDefinition) -> FamilyForm | None:
        """The form of a defined function; None for an equation that adds nothing to an earlier one."""
        # After the ranges of its indices, the equation must be ``f(indices) = value``.
        function, text = definition.function, definition.everywhere
        tree, ranges = parse_formula(text), ""
        while tree[0] == "all in":
            ranges += f"all {tree[1]} in {show(tree[2])}..{show(tree[3])}. "
            tree = tree[4]
        functions = self.relation.functions.keys()
        defined = tree[1] if tree[0] == "=" else ("name", "")
        # The equation of a head is (f(i) - before)*count = sum, which does not give f(i) by itself.
        if defined[0] not in ("call", "name") or defined[1] != function:
            why = "its head may have several largest scores"
            if function in self.forms:  # the function has an earlier equation, which has the reason already
                return None
            return FamilyForm(function, text, ranges, _call_of(tree, function), None, why)
        # No form for a value that depends on itself, or on a value without a form.
        form = FamilyForm(function, text, ranges, defined, None)
        reads = mentioned(tree[2]) & functions
        if function in reads or any(index[0] != "name" for index in _arguments(defined)):
            return _lost(form, "it is given round by round")
        inputs = {declared.name for declared in self.family.inputs}
        for f in sorted(reads - inputs):
            if f not in self.forms or self.forms[f].value is None:
                return _lost(form, f"it reads {self.forms[f].head if f in self.forms else f}")
        # Substitute the forms of the values that it reads.
        calls = {f: _unfold(self.forms[f]) for f in reads if f in self.forms}
        value = apart(shorter(replaced(tree[2], {}, calls)), frozenset())
        if len(show(value)) > LONG:
            return _lost(form, "the form is long")
        return FamilyForm(function, text, ranges, defined, value)

    # --- proofs ---

    def prove(self, seconds: float = 60.0) -> FamilyProof:
        """Prove the forms of the outputs; `missing` of the result names those that are not proved in time, or
        that have no form."""
        until, proof = Until(seconds), FamilyProof(None, None, {})
        forms = [form for form in self.outputs.values() if form.value is not None]
        while forms and proof.certificate is None:  # again without the forms that were not proved
            attempt = FormLines(self, forms, until, self.claim(forms))
            made = attempted(attempt.certificate)
            if isinstance(made, Failed):
                unproved = dict.fromkeys((form.function for form in forms), made.why)
            else:
                (proof.certificate, unproved), proof.statement = made, attempt.statement
            proof.missing |= unproved
            forms = [form for form in forms if form.function not in proof.missing]
        proof.missing |= {form.function: form.why for form in self.outputs.values() if form.value is None}
        return proof

    def claim(self, forms: list[FamilyForm]) -> Statement:
        """The statement that the family computes these forms."""
        relation, reads_string = self.relation, self.family.vocabulary is not None
        conclusion = " & ".join(form.formula for form in forms)
        leading = ", ".join([*["n:Int"] * (not relation.pointwise), *["w:Int->Int"] * reads_string, *relation.names])
        hypotheses = f"{'' if relation.pointwise else '1 <= n & '}{relation.premises()}"
        text = (
            f"all {leading}. {hypotheses} -> {f'({relation.word()}) -> ' if reads_string else ''}"
            f"({relation.run()}) -> ({conclusion})"
        )
        return Statement(named(self.family.name), text, note=conclusion, known=certify.definitions())

    def needed(self, forms: list[FamilyForm]) -> list[FamilyForm]:
        """These forms and all forms that their equations read, in the order of the run."""
        wanted = {form.function for form in forms}
        for form in reversed(self.forms.values()):
            if form.function in wanted:
                wanted |= mentioned(parse_formula(form.text)) & self.forms.keys()
        return [form for form in self.forms.values() if form.function in wanted]


class FormLines:
    """A proof of a statement about a family, made line by line: some of its forms, then what follows from them."""

    def __init__(self, family_forms: FamilyForms, forms: list[FamilyForm], until: Until, statement: Statement) -> None:
        # All forms of the family, and those that are to be proved.
        self.family_forms, self.forms, self.until = family_forms, forms, until
        self.family, self.relation = family_forms.family, family_forms.relation
        self.statement = statement
        self.library = certify.library(self.statement, certify.citable())
        self.g, self.elaborator = Goal(self.library, self.statement.formula, {}, {}), elaborate.Elaborator()
        self.equations: dict[str, list[str]] = {}

    def run_labels(self) -> list[str]:
        """Labels for the conjuncts of the run, in order; `equations` keeps those of each function. To be called
        once."""
        run, counts = self.relation.whole, dict[str, int]()
        functions = [definition.function for definition in run.definitions]
        needs = len(run.parts) - len(functions) - len(run.after)
        for function in functions:
            counts[function] = counts.get(function, 0) + 1
            label = f"{function}_is" if counts[function] == 1 else f"{function}_is_{counts[function]}"
            self.equations.setdefault(function, []).append(label)
        remaining = {function: iter(labels) for function, labels in self.equations.items()}
        labels = [next(remaining[function]) for function in functions]
        return [*(f"need{k}" for k in range(needs)), *labels, *(f"after{k}" for k in range(len(run.after)))]

    def proved(self) -> tuple[dict[str, str], dict[str, str]]:
        """By function: the labels of the forms that are proved, and the reasons why the others are not. To be called
        once, since the lines are added to the proof."""
        premises = "some " if self.relation.premises() != "true" or not self.relation.pointwise else ""
        string = "word " if self.family.vocabulary is not None else ""
        labels = self.run_labels()
        run = labels[0] if len(labels) == 1 else f"({' '.join(labels)})"
        # The first line introduces the names and premises; if it fails, so does every other line.
        why = self.line(f"given .. {premises}{string}{run}")
        proved, missing = dict[str, str](), dict[str, str]()
        # Each form follows from its equation and the forms that it reads; a sum term by term, or with relu(x) taken
        # together with relu(-x).
        for form in self.family_forms.needed(self.forms):
            hints = [*self.equations[form.function]]
            hints += [proved[f] for f in proved if f in mentioned(parse_formula(form.text))]
            label = f"{form.function}_form"
            by_sums = "sum(" in form.text and len(hints) > 1
            for cited in ([*hints, "sum_ext"], hints) if by_sums else (hints, self.sides(form)):
                why = self.line(f"{label}: {form.formula} by {', '.join(cited)}")
                if why is None:
                    proved[form.function] = label
                    break
            missing |= {form.function: why} if why is not None else {}
        return proved, missing

    def certificate(self) -> tuple[dict[str, Any] | None, dict[str, str]]:
        """The certificate that the family has these forms; without one, the reason for each form that is not proved."""
        proved, missing = self.proved()
        if missing:
            first = next(iter(missing.values()))
            return None, {f.function: missing.get(f.function, first) for f in self.forms if f.function not in proved}
        why = self.line(f"qed by {', '.join(proved[form.function] for form in self.forms)}")
        if why is not None:
            return None, dict.fromkeys((form.function for form in self.forms), why)
        names = {name: name for name in (declared.partition(":")[0] for declared in self.relation.names)}
        subject = certify.Subject(
            lambda until: FamilyRuns(self.statement, self.family, names, until), certify.automatic
        )
        return certify.certificate_of(self.statement, {"proof": lambda g: g.take(self.g)}, subject, self.until)[0], {}

    def counts(self, proved: Mapping[str, str]) -> Iterator[str]:
        """The labels of bounds that are proved: a count is at most the number of its positions, and a share at most
        1."""
        for function, label in proved.items():
            form = self.family_forms.forms[function]
            # The form is a count sum(i, a, b, I[F]), or its share of a total.
            share = present(form.value)[0] == "/"
            count = present(form.value)[1] if share else present(form.value)
            if count[0] != "sum" or count[4][0] != "ind":
                continue
            total, places = show(count), show(("sum", *count[1:4], ("num", 1, 1)))
            most = f"{show(count[3])} - ({show(count[2])}) + 1"
            divided = f", inv({show(present(form.value)[2])})" if share else ""
            lines = [
                f"{function}_most: {form.ranges}{form.head} <= {'1' if share else most}",
                *(f"  given {argument[1]} in_{argument[1]}" for argument in _arguments(form.left)),
                f"  terms: {total} <= {places} by sum_mono",
                f"  places: {places} = {most} by sum_one",
                f"  qed by terms, places, {label}{divided}",
            ]
            if self.line("\n  ".join(lines)) is None:
                yield f"{function}_most"

    def sides(self, form: FamilyForm) -> Iterator[str]:
        """The labels to cite for a form: its equations, then relu(x) - relu(-x) = x for each relu(-x) in them.

        The second kind is proved only for values without indices."""
        yield from self.equations[form.function]
        negated = dict.fromkeys(re.findall(r"\brelu\(-(\w+)\)", form.text)) if not form.ranges else {}
        for x in negated:
            if self.line(f"sides_{x}: relu({x}) - relu(-{x}) = {x}") is None:
                yield f"sides_{x}"

    def line(self, text: str) -> str | None:
        """Add a line to the proof. Returns None, or the reason why the line does not follow."""
        if self.until.left <= 0:
            return "the time is over"

        def proved() -> None:
            """The line, or an error."""
            for node in prooftext.read(f"proof {self.statement.id}\n  {self.relation._put(text)}\n").parts["proof"]:
                self.elaborator.line(self.g, node)

        failed = attempted(proved, Until(min(SECONDS, self.until.left)))
        return None if failed is None else failed.why


def _lost(form: FamilyForm, why: str) -> FamilyForm:
    """The same value without a form, for the reason `why`."""
    return FamilyForm(form.function, form.text, form.ranges, form.left, None, why)


# --- trees ---


def _arguments(left: Tree) -> tuple[Tree, ...]:
    """The indices of a left side; none of a name."""
    return left[2] if left[0] == "call" else ()


def _call_of(tree: Tree, function: str) -> Tree:
    """The first use of a function in a tree; () if there is none."""
    if tree[0] in ("call", "name") and tree[1] == function:
        return tree
    # A part of a tree is a tree, a tuple of trees (the arguments of a call), or no tuple at all.
    for part in tree[1:]:
        if isinstance(part, tuple) and part:
            for subtree in [part] if isinstance(part[0], str) else part:
                if call := _call_of(subtree, function):
                    return call
    return ()


def _unfold(form: FamilyForm) -> Callable[[tuple[Tree, ...]], Tree]:
    """The form's value as a function of its indices."""
    indices = [index[1] for index in _arguments(form.left)]

    def at(args: tuple[Tree, ...]) -> Tree:
        return replaced(present(form.value), dict(zip(indices, args, strict=True)), {})

    return at


def shorter(tree: Tree) -> Tree:
    """The tree with each relu(x) - relu(-x) replaced by x."""
    tag = tree[0]
    if tag in ("num", "name"):
        return tree
    if tag == "call":
        return (tag, tree[1], tuple(shorter(part) for part in tree[2]))
    tree = (tag, *(shorter(part) if isinstance(part, tuple) else part for part in tree[1:]))
    if tag not in ("+", "-"):
        return tree
    # Two matching summands become one, at the place of the first; then again, until no two match.
    terms = _terms(tree, 1)
    for k, m in itertools.combinations(range(len(terms)), 2):
        if (combined := _both_sides(terms[k], terms[m])) is not None:
            others = [term for at, term in enumerate(terms) if at not in (k, m)]
            return shorter(_summed([*others[:k], combined, *others[k:]]))
    return tree


Signed = tuple[int, Tree]
"""A summand with its sign, 1 or -1."""


def _terms(tree: Tree, sign: int) -> list[Signed]:
    """The summands of a tree, all multiplied by `sign`."""
    if tree[0] in ("+", "-"):
        return [*_terms(tree[1], sign), *_terms(tree[2], sign if tree[0] == "+" else -sign)]
    return _terms(tree[1], -sign) if tree[0] == "neg" else [_split(tree, sign)]


def _split(tree: Tree, sign: int) -> Signed:
    """A term with its sign; (-a)*b becomes the negative of a*b."""
    if tree[0] == "*" and tree[1][0] == "neg":
        return -sign, ("*", tree[1][1], tree[2])
    return sign, tree


def _both_sides(a: Signed, b: Signed) -> Signed | None:
    """c*x if the two summands are c*relu(x) and -c*relu(-x), in either order; else None."""
    for (s, x), (t, y) in ((a, b), (b, a)):
        # Each summand as (c, relu(..)), with None for a factor that is not there.
        factors = [(None, z) if z[0] == "call" else (z[1], z[2]) for z in (x, y) if z[0] == "call" or z[0] == "*"]
        if s != -t or len(factors) != 2 or factors[0][0] != factors[1][0]:
            continue
        (c, f), (_, g) = factors
        if all(z[0] == "call" and z[1] == "relu" for z in (f, g)) and g[2][0] == ("neg", f[2][0]):
            return s, f[2][0] if c is None else ("*", c, f[2][0])
    return None


def _summed(terms: list[Signed]) -> Tree:
    """The sum of these summands."""
    (sign, total), *further = terms
    total = total if sign > 0 else ("neg", total)
    for sign, term in further:
        total = ("+" if sign > 0 else "-", total, term)
    return total
