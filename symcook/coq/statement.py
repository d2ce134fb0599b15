"""What Coq is given of one statement: the statement as it is read, the tree whose sha256 the certificate names, and the
theorems: that it holds (or fails), as it is read and as the tree means, and D and H where the certificate has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from symcook.coq.checker import certificates, checker, deep, statements, uncollected
from symcook.coq.layout import laid_out
from symcook.coq.reading import statement_text, unfolded
from symcook.coq.ring import Lemmas
from symcook.coq.shapes import function, obtained
from symcook.coq.steps import Script
from symcook.coq.term import Term, elaborate, formula, occurrences, substitute, text, variable
from symcook.errors import BadInput
from symcook.proof.replay import proofs_directory

if TYPE_CHECKING:
    from symcook.coq.term import Checked

ASSUMED = {"named.intermediate_value": "Intermediate.intermediate_value"}  # what the kernel assumes and Coq proves

NAMED = 10  # characters of a part of a tree, if it occurs twice and has a name of its own


def module_name(name: str) -> str:
    """The module of a statement: its id with underscores."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


def proof_module(name: str) -> str:
    """The module of the proof of a statement."""
    return f"{module_name(name)}_proof"


def known_ids() -> list[str]:
    """The ids that have a proof, each after its lemmas."""
    return [*ASSUMED, *certificates()]


def lemmas_of(name: str) -> list[str]:
    return list(certificates()[name]["lemmas"]) if name in certificates() else []


def with_lemmas(ids: Iterable[str]) -> list[str]:
    """`ids` and what they rest on, in order. Raises BadInput for an id without a proof."""
    wanted, todo = set(), list(ids)
    while todo:
        name = todo.pop()
        if name not in certificates() and name not in ASSUMED:
            computed = (proofs_directory() / "certificates" / f"{name}.json").is_file()
            raise BadInput("an id must have a stored proof", f"{name}, which is {'CHECKED' if computed else 'OPEN'}")
        if name not in wanted:
            wanted.add(name)
            todo += lemmas_of(name)
    return [name for name in known_ids() if name in wanted]


def lemma_names(data: Mapping[str, Any]) -> dict[str, tuple[Term, str]]:
    """The lemmas of a certificate by label: their formulas and their theorems in Coq."""
    found = [(name, statements()[name]) for name in data["lemmas"]]
    return {s.label: (elaborate(s.formula, "P"), f"{proof_module(name)}.proof") for name, s in found}


@deep()
@uncollected()
def lemma_text(name: str) -> str:
    """A lemma that is only supposed to hold, as what its tree means (Given.v), in the words in which proofs use it."""
    checker().Clock.start(3600)
    formula = text(elaborate(statements()[name].formula, "P"))
    proof = f"let (h) := Given.{module_name(name)} in h (Build_unknown True 0%Z 0%R)"
    return f"Module {proof_module(name)}.\n{proved_by('proof', formula, proof)}\nEnd {proof_module(name)}.\n"


@deep()
def refuse_unchecked(name: str, data: Mapping[str, Any]) -> None:
    """BadInput where the second checker refuses a certificate, or a lemma of it has none that proves it before: only
    what our own checkers accept is written for Coq, names and labels in particular."""
    ck = checker()
    one = ck.Checker({lemma: statements()[lemma] for lemma in (name, *data.get("lemmas", ())) if lemma in statements()})
    before = {*before_it(name)}
    one.proved |= {lemma: set() for lemma in data.get("lemmas", ()) if lemma in before and sense(lemma) == "proved"}
    try:
        one.judge(dict(data))
    except ck.Rejected as error:
        must = "a certificate must be accepted by proofs/checker.py before it is written for Coq"
        raise BadInput(must, f"{name}: {error}") from None
    finally:
        ck.Clock.start(3600)


def before_it(name: str) -> Iterator[str]:
    """The ids with a proof that come before one, each after its lemmas; so a statement is no lemma of itself, by
    however many steps."""
    return takewhile(lambda one: one != name, known_ids())


def sense(name: str) -> str:
    """Whether a statement is "proved" or "refuted" by its certificate."""
    return "proved" if name in ASSUMED else certificates()[name]["sense"]


def tree_text(term: Any) -> str:
    """The text that is hashed."""
    return term.text()


def shared_trees(trees: Mapping[str, Any]) -> list[str]:
    """Definitions of trees that are not hashed: what occurs in them more than once has a name, t0, t1, ..."""
    texts: dict[Any, str] = {}
    lines: list[str] = []
    for term, count in occurrences(trees.values()).items():
        head = json.dumps([term.op, term.data], separators=(",", ":"))
        made = f"{head[:-1]},[{','.join([texts[k] for k in term.kids])}]]"
        if count > 1 and len(made) > NAMED:
            lines.append(f"Definition t{len(lines)} : json := {made}.")
            made = f"t{len(lines) - 1}"
        texts[term] = made
    return [*lines, *[f"Definition {part} : json :=\n{texts[term]}\n." for part, term in trees.items()]]


IN_TREES = (
    "Import Tree.Text.\nLocal Open Scope json_lists. Local Open Scope json_numbers. Local Open Scope json_strings."
)


@deep()
@uncollected()
def said_text(name: str) -> str:
    """What is said of a statement, without any proof: how it is read, and the tree that is hashed."""
    checker().Clock.start(3600)
    statement = statements()[name]
    meant = {"proved": "PROVED", "refuted": "REFUTED: its negation is proved"}[sense(name)]
    extra = "" if condition(name) is None else f"Definition nontrivial : json :=\n{tree_text(condition(name))}\n.\n"
    return f"""(* {name}: {meant}. Written by proofs/coq.py; sha256 of the tree of the statement:
   {statement.digest} *)
Module Reading.
Import Meaning.Reading Definitions.
Definition statement : Prop :=
  {laid_out(statement_text(name), 2)}.
End Reading.

Module Source.
{IN_TREES}
Definition tree : json :=
{tree_text(statement.formula)}
.
{extra}End Source.
"""


@deep()
@uncollected()
def condition(name: str) -> Any:
    """The condition that H asks besides what the statement supposes; None where there is none."""
    statement = statements()[name]
    if statement.nontrivial is None or sense(name) == "refuted" or name in ASSUMED:
        return None
    ck = checker()
    ck.Clock.start(3600)
    parser = ck.Parser(statement.text)
    names = ck.leading(statement.formula, parser.whole(parser.formula))
    return ck.Reader({}, statement.known).formula(statement.nontrivial, names)


def theorems_of(name: str, said: str) -> dict[str, str]:
    """The theorems that a statement must have and what they must say, where `said` is the module that says it. These
    are written by the judge where it names the theorems, never taken over from the file that proves them."""
    tree, no = f"{said}.Source.tree", "~ " if sense(name) == "refuted" else ""
    whole = "Symcook." if said.startswith("Symcook.") else ""
    prop, holds = f"{whole}Tree.prop", f"{whole}Tree.holds"
    out = {
        "statement": f"{no}{said}.Reading.statement",
        "same": f"forall u : {whole}Tree.unknown, {said}.Reading.statement <-> {prop} u nil {tree}",
    }
    if no:
        out["tree_fails"] = f"{whole}Tree.fails {tree}"
        out["refutation_holds"] = f"{holds} ({whole}Conditions.refutation {tree})"
        return out
    out["tree_holds"] = f"{holds} {tree}"
    if statements()[name].claim:
        extra = "None" if condition(name) is None else f"(Some {said}.Source.nontrivial)"
        out["defined_holds"] = f"{holds} ({whole}Conditions.defined {tree})"
        out["inhabited_holds"] = f"{holds} ({whole}Conditions.inhabited {tree} {extra})"
    return out


@dataclass(frozen=True)
class StatementProof:
    """The proof of one statement in Coq: its closed lemmas, its theorems, and which files by hand it needs besides
    those that each one needs. The lemmas may stand before, where others use them too."""

    name: str
    lemmas: str
    theorems: str
    files: tuple[str, ...]


@deep()
@uncollected()
def statement_part(name: str, data: Mapping[str, Any] | None = None, lemmas: Lemmas | None = None) -> StatementProof:
    """The proof of one statement, from its certificate, or `data` in its place, which is not looked at before it is
    written. `lemmas`: the closed lemmas of the statements before it in a file."""
    statement = statements()[name]
    if data is None and name not in ASSUMED:
        data = certificates()[name]
        refuse_unchecked(name, data)
    if data is None:
        data = {"lemmas": {}, "sense": "proved", "proof": None}
    checker().Clock.start(3600)
    refuted = data["sense"] == "refuted"
    lemmas, theorems, outside = Lemmas() if lemmas is None else lemmas, [], lemma_names(data)
    trees: dict[str, Any] = {}
    for part in ("refutation" if refuted else "proof", "defined", "inhabited"):
        if part not in ("proof", "refutation") and part not in data:
            continue
        nodes = data["proof" if part == "refutation" else part]
        term = statement.goal(part)
        if part != "proof":
            trees[part] = term
        goal = elaborate(term, "P")
        if name in ASSUMED:
            script = f"exact {ASSUMED[name]}."
        else:
            proof = Script(outside, statement.known, lemmas)
            proof.prove(goal, nodes)
            script = "\n".join(proof.lines)
        theorems.append(theorem(part, goal, script))
    plain, read = (elaborate(t, "P") for t in (statement.formula, unfolded(name)))
    if refuted:
        opposite = elaborate(statement.goal("refutation"), "P")
        theorems.append(theorem("proof", formula("~", plain), falsity(statement.formula, opposite, lemmas)))
    said = module_name(name)
    alike, shown = f"iff_refl {said}.Reading.statement", "proof"
    if read != plain:  # casts stand elsewhere where Coq unfolds definitions
        forms = Script(outside, statement.known, lemmas).forms
        proof = forms.closed(plain, read, forms.alike(plain, read)) or "(iff_refl _)"
        theorems.append(f"Theorem alike : {text(plain)} <-> {text(read)}.\nProof. exact {proof}. Qed.")
        alike, shown = "iff_sym alike", "(fun s => proof (proj2 alike s))" if refuted else "(proj1 alike proof)"
    named = theorems_of(name, said)
    ends = [
        proved_by("statement", named["statement"], shown),
        proved_by("same", named["same"], f"(fun _ : unknown => {alike})"),
    ]
    if refuted:
        by = "(fun u s => statement (proj2 (same u) s))"
        ends.append(f"Theorem tree_fails : {named['tree_fails']}.\nProof. exact {by}. Qed.")
    else:
        by = "(fun u => proj1 (same u) statement)"
        ends.append(f"Theorem tree_holds : {named['tree_holds']}.\nProof. exact {by}. Qed.")
    if trees:
        ends += ["Module Trees.", IN_TREES, *shared_trees(trees), "End Trees."]
    for part in trees:
        says = named.get(f"{part}_holds", "True")
        computed = says.partition(" ")[2]
        ends += [
            f"Lemma {part}_tree : {computed} = Trees.{part}.\nProof. vm_cast_no_check (eq_refl Trees.{part}). Qed.",
            proved_by(f"{part}_meant", f"holds Trees.{part}", f"(fun _ : unknown => {part})"),
            f"Theorem {part}_holds : {says}.\nProof. exact (eq_ind_r holds {part}_meant {part}_tree). Qed.",
        ]
    closed, proved = "\n".join(lemmas.new()), "\n".join(theorems)
    return StatementProof(name, closed, "\n".join([proved, "", *ends, ""]), tuple(used_files(closed + proved)))


def proved_by(name: str, says: str, proof: str) -> str:
    """A theorem from a term whose type Coq compares with it once, when it is closed."""
    return f"Theorem {name} : {says}.\nProof. exact_no_check ({proof}). Qed."


def theorem(name: str, goal: Term, script: str) -> str:
    return f"Theorem {name} : {text(goal)}.\nProof.\n{script}\nQed."


def falsity(t: Checked, opposite: Term, lemmas: Lemmas) -> str:
    """The script of ~t from the theorem `refutation`, which proves `opposite`: somewhere the premises of t hold and
    what they lead to fails."""
    ck, lines = checker(), ["intros s. pose proof refutation as r."]
    while t.op in ("all", "->"):
        if t.op == "all":
            found: list[Term] = []
            while t.op == "all":
                found.append(variable("var", (f"x{len(lines)}_{len(found)}", t.data)))
                t, opposite = t.kids[0], opposite.kids[0]
            opposite, sorts, names = substitute(opposite, found[::-1]), [x.data[1] for x in found], [*map(text, found)]
            opened = f"{obtained(lemmas, sorts)} {function(sorts, names, text(opposite))}"
            given = " ".join(names)
            lines.append(f"refine ({opened} _ r _). clear r. intros {given} r. specialize (s {given}).")
            continue
        premise = t.kids[0]
        given = ck.both(premise, ck.defined(premise))
        if given == ck.TRUE:
            lines.append("specialize (s I).")
        else:
            opposite = opposite.kids[1]
            lines.append(f"destruct r as [a r]. specialize (s {'a' if given == premise else '(proj1 a)'}). clear a.")
        t = t.kids[1]
    lines.append("exact (r s)." if ck.defined(t) == ck.TRUE else "exact (proj2 r s).")
    return "\n".join(lines)


def used_files(whole: str) -> list[str]:
    """The files of PRELUDE that a file uses beyond the first four."""
    marks = {
        "Taylor": ("ax_exp_lower", "ax_exp_upper"),
        "Erf": ("ax_erf_",),
        "Enclosures": ("Boxes.", "ax_pi"),
        "Intermediate": ("Intermediate.",),
        "Sines": ("ax_sin_", "ax_cos_"),
    }
    return [name for name, some in marks.items() if any(mark in whole for mark in some)]
