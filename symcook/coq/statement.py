"""What Coq is given of one statement: the statement as it is read, the tree whose sha256 the certificate names, and the
theorems: that it holds (or fails), as it is read and as the tree means, and D and H where the certificate has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from symcook.coq.checker import certificates, checker, deep, statements, uncollected
from symcook.coq.layout import laid_out
from symcook.coq.reading import statement_text, unfolded
from symcook.coq.ring import Lemmas
from symcook.coq.shapes import function, obtained
from symcook.coq.steps import Script
from symcook.coq.term import Term, elaborate, formula, occurrences, substitute, text, variable
from symcook.errors import BadInput
from symcook.proof.replay import proofs_directory

ASSUMED = {"named.intermediate_value": "Intermediate.intermediate_value"}  # what the kernel assumes and Coq proves

NAMED = 10  # characters of a part of a tree, if it occurs twice and has a name of its own


def module_name(name: str) -> str:
    """The module of a statement: its id with underscores."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


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
    return {s.label: (elaborate(s.formula, "P"), f"{module_name(name)}.proof") for name, s in found}


def lemma_stub(name: str, f: Term) -> str:
    return f"Module {module_name(name)}. Axiom proof : {text(f)}. End {module_name(name)}."


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


@dataclass(frozen=True)
class Part:
    """One statement in Coq: what it says, its closed lemmas, its theorems, and which files by hand it needs besides
    those that each one needs. The lemmas may stand before, where others use them too."""

    name: str
    says: str
    lemmas: str
    theorems: str
    files: tuple[str, ...]


@deep()
@uncollected()
def statement_part(
    name: str, data: Mapping[str, Any] | None = None, alone: bool = False, lemmas: Lemmas | None = None
) -> Part:
    """The text of one statement, from its certificate, or `data` in its place. `alone`: its lemmas are axioms in it, so
    that nothing else has to be checked before. `lemmas`: the closed lemmas of the statements before it in a file."""
    statement = statements()[name]
    if name in ASSUMED:
        data = {"lemmas": {}, "sense": "proved", "proof": None}
    data = certificates()[name] if data is None else data
    checker().Clock.start(3600)
    refuted = data["sense"] == "refuted"
    lemmas, theorems, outside = Lemmas() if lemmas is None else lemmas, [], lemma_names(data)
    trees = {"tree": statement.formula}  # the statement's first
    for part in ("refutation" if refuted else "proof", "defined", "inhabited"):
        nodes = data.get("proof" if part == "refutation" else part)
        if part in ("defined", "inhabited") and nodes is None:
            continue
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
        plain, read = formula("~", plain), formula("~", read)
        opposite = elaborate(statement.goal("refutation"), "P")
        theorems.append(theorem("proof", plain, falsity(statement.formula, opposite, lemmas)))
    as_read = "proof" if read == plain else "as_read"
    if read != plain:  # casts stand elsewhere where Coq unfolds definitions
        script = f"exact {Script(outside, statement.known, lemmas).same(plain, read, 'proof')}."
        theorems.append(theorem(as_read, read, script))
    closed, proved = "\n".join(lemmas.new()), "\n".join(theorems)
    stubs = [lemma_stub(n, f) for n, (f, _) in zip(data["lemmas"], outside.values(), strict=True)] if alone else []
    last = [(tree, "fails" if refuted and tree == "tree" else "holds") for tree in trees]
    sense = {"proved": "PROVED", "refuted": "REFUTED: its negation is proved"}[data["sense"]]
    says = [
        f"(* {name}: {sense}. Written by proofs/coq.py; sha256 of the tree of the statement:",
        f"   {statement.digest} *)",
        *stubs,
        "Module Reading.",
        "Import Meaning.Reading Definitions.",
        f"Definition statement : Prop :=\n  {laid_out(statement_text(name), 2)}.",
        "End Reading.\n",
        "Module Source.",
        "Import Tree.Text.",
        "Local Open Scope json_lists. Local Open Scope json_numbers. Local Open Scope json_strings.",
        f"Definition tree : json :=\n{tree_text(statement.formula)}\n.",
        *shared_trees({part: term for part, term in trees.items() if part != "tree"}),
        "End Source.\n",
    ]
    ends = [
        f"Theorem statement : {'~ ' if refuted else ''}Reading.statement.\nProof. exact_no_check {as_read}. Qed.",
        *[
            f"Theorem {tree}_{verb} : {verb} Source.{tree}.\n"
            f"Proof. exact_no_check (fun _ : unknown => {'proof' if tree == 'tree' else tree}). Qed."
            for tree, verb in last
        ],
        f"Definition everything := ({', '.join(['statement', *[f'{tree}_{verb}' for tree, verb in last]])}).\n",
    ]
    return Part(name, "\n".join(says), closed, "\n".join([proved, "", *ends]), tuple(used_files(closed + proved)))


def theorem(name: str, goal: Term, script: str) -> str:
    return f"Theorem {name} : {text(goal)}.\nProof.\n{script}\nQed."


def falsity(t: Any, opposite: Term, lemmas: Lemmas) -> str:
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
