"""A Coq development: the files of proofs/coq (by hand) and one file for each statement, with its Makefile.

Each file shows the statement as it is read, the tree whose sha256 the certificate names, and the theorems: that the
statement holds (or fails), as it is read and as the tree means, and D and H where the certificate has them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from symcook.coq.checker import certificates, checker, statements
from symcook.coq.models import model_file, model_module, models_of
from symcook.coq.reading import definitions_text, statement_text, unfolded
from symcook.coq.ring import Lemmas
from symcook.coq.steps import Script
from symcook.coq.term import Term, elaborate, formula, text
from symcook.errors import BadInput
from symcook.proof.replay import proofs_directory

PRELUDE = ("Meaning", "Tree", "Laws", "Taylor", "Erf", "Enclosures", "Intermediate", "Model")
ASSUMED = {"named.intermediate_value": "Intermediate.intermediate_value"}  # what the kernel assumes and Coq proves


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
        if name not in statements():
            raise BadInput("an id must be that of a statement", name, "symcook prove --list shows them")
        if name not in certificates() and name not in ASSUMED:
            raise BadInput("an id must have a proof, not a computation and not none", name)
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
    return json.dumps(term.tree(), separators=(",", ":"))


def statement_file(name: str, data: Mapping[str, Any] | None = None, alone: bool = False) -> str:
    """The text of the file of one statement, from its certificate, or `data` in its place. `alone`: its lemmas are
    axioms in the file, so that nothing else has to be checked before."""
    statement = statements()[name]
    if name in ASSUMED:
        data = {"lemmas": {}, "sense": "proved", "proof": None}
    data = certificates()[name] if data is None else data
    checker().Clock.start(3600)
    refuted = data["sense"] == "refuted"
    lemmas, theorems, outside = Lemmas(), [], lemma_names(data)
    trees = {"tree": tree_text(statement.formula)}  # the statement's first
    for part in ("refutation" if refuted else "proof", "defined", "inhabited"):
        nodes = data.get("proof" if part == "refutation" else part)
        if part in ("defined", "inhabited") and nodes is None:
            continue
        term = statement.goal(part)
        if part != "proof":
            trees[part] = tree_text(term)
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
        theorems.append(theorem("proof", plain, falsity(statement.formula)))
    as_read = "proof" if read == plain else Script(outside, statement.known, lemmas).same(plain, read, "proof")
    whole = "\n".join([*lemmas.lines, *theorems])
    libraries = ["Coq Require Import Reals ZArith Lra ClassicalEpsilon Classical"]
    libraries += ["Coquelicot Require Import Coquelicot"] if "enclose" in whole or "erf_number" in whole else []
    libraries.append(f"Symcook Require Import {' '.join(['Meaning', 'Tree', 'Laws', *used_files(whole)])}")
    libraries.append(
        f"Symcook Require {' '.join(['Definitions', *([] if alone else map(module_name, data['lemmas']))])}"
    )
    stubs = (
        [lemma_stub(name, f) for name, (f, _) in zip(data["lemmas"], outside.values(), strict=True)] if alone else []
    )
    last = [(tree, "fails" if refuted and tree == "tree" else "holds") for tree in trees]
    sense = {"proved": "PROVED", "refuted": "REFUTED: its negation is proved"}[data["sense"]]
    return "\n".join(
        [
            f"(* {name}: {sense}. Written by proofs/coq.py; sha256 of the tree of the statement:",
            f"   {statement.digest} *)",
            *[f"From {line}." for line in libraries],
            "Open Scope R_scope.\n",
            *stubs,
            "Module Reading.",
            "Import Meaning.Reading Definitions.",
            f"Definition statement : Prop :=\n  {statement_text(name)}.",
            "End Reading.\n",
            "Module Source.",
            "Import Tree.Text.",
            "Local Open Scope json_lists. Local Open Scope json_numbers. Local Open Scope json_strings.",
            *[f"Definition {tree} : json :=\n{trees[tree]}\n." for tree in trees],
            "End Source.\n",
            whole,
            "",
            f"Theorem statement : {'~ ' if refuted else ''}Reading.statement.\nProof. exact_no_check {as_read}. Qed.",
            *[
                f"Theorem {tree}_{verb} : {verb} Source.{tree}.\n"
                f"Proof. exact_no_check (fun _ : unknown => {'proof' if tree == 'tree' else tree}). Qed."
                for tree, verb in last
            ],
            f"Definition everything := ({', '.join(['statement', *[f'{tree}_{verb}' for tree, verb in last]])}).\n",
        ]
    )


def theorem(name: str, goal: Term, script: str) -> str:
    return f"Theorem {name} : {text(goal)}.\nProof.\n{script}\nQed."


def falsity(t: Any) -> str:
    """The script of ~t from the theorem `refutation`: somewhere the premises of t hold and what they lead to fails."""
    ck, lines = checker(), ["intros s. pose proof refutation as r."]
    while t.op in ("all", "->"):
        if t.op == "all":
            lines.append(f"destruct r as [x{len(lines)} r]. specialize (s x{len(lines)}).")
        else:
            premise = t.kids[0]
            given = ck.both(premise, ck.defined(premise))
            if given == ck.TRUE:
                lines.append("specialize (s I).")
            else:
                lines.append(
                    f"destruct r as [a r]. specialize (s {'a' if given == premise else '(proj1 a)'}). clear a."
                )
        t = t.kids[-1]
    lines.append("exact (r s)." if ck.defined(t) == ck.TRUE else "exact (proj2 r s).")
    return "\n".join(lines)


def used_files(whole: str) -> list[str]:
    """The files of PRELUDE that a file uses beyond the first three."""
    marks = {
        "Taylor": r"\bax_exp_(lower|upper)\b",
        "Erf": r"\b(ax_erf_\w+|erf_between)\b",
        "Enclosures": r"\b(enclose|erf_number|ax_pi)\b",
        "Intermediate": r"\bIntermediate\.",
    }
    return [name for name, mark in marks.items() if re.search(mark, whole)]


def definitions_file() -> str:
    return f"""(* The definitions that statements use, as the source has them. Written by proofs/coq.py. *)
From Coq Require Import Reals ZArith.
From Symcook Require Import Meaning.
Import Meaning.Reading.
Open Scope R_scope.

{definitions_text()}
"""


def required(source: str) -> list[str]:
    """The files of a development that a file of it needs."""
    found = re.findall(r"^From Symcook Require (?:Import )?(.*)\.$", source, re.MULTILINE)
    return [name for line in found for name in line.split()]


class Development:
    """The texts of a development by file name, each after those that it needs. `alone`: without the lemmas of `ids`."""

    def __init__(self, ids: Iterable[str], alone: bool = False) -> None:
        self.alone, ids = alone, list(ids)
        self.ids = [name for name in with_lemmas(ids) if not alone or name in ids]
        self.files: dict[str, str] = {}
        for name in PRELUDE:
            self.files[name] = (proofs_directory() / "coq" / f"{name}.v").read_text(encoding="utf-8")
        self.files["Definitions"] = definitions_file()
        if len({module_name(name) for name in self.ids}) != len(self.ids):
            raise AssertionError("two ids have the same module")

        self.models = {model_module(n): n for name in self.ids for n in models_of(name)}

    def text(self, module: str) -> str:
        """A file of the development; statements are translated when they are asked for."""
        if module in self.models:
            return model_file(self.models[module])
        if module not in self.files:
            (name,) = [i for i in self.ids if module_name(i) == module]
            self.files[module] = statement_file(name, alone=self.alone)
        return self.files[module]

    def modules(self) -> list[str]:
        return [*PRELUDE, "Definitions", *self.models, *[module_name(name) for name in self.ids]]

    def short_first(self) -> list[str]:
        """The files of models and statements, those of short certificates first."""
        size = {name: len(str(certificates().get(name))) for name in self.ids}
        return [*self.models, *[module_name(name) for name in sorted(self.ids, key=lambda name: size[name])]]

    def forget(self, module: str) -> None:
        """Let go of the text of a statement."""
        if module not in (*PRELUDE, "Definitions"):
            self.files.pop(module, None)

    def project(self, folder: Path) -> None:
        """Write what `make` needs besides the files of the statements."""
        folder.mkdir(parents=True, exist_ok=True)
        modules = self.modules()
        put(folder / "_CoqProject", "-Q . Symcook\n" + "".join(f"{m}.v\n" for m in modules))
        before = {m: required(self.text(m)) for m in (*PRELUDE, "Definitions")}
        before |= {module: ["Meaning", "Laws", "Model", "Definitions"] for module in self.models}
        for name in self.ids:
            lemmas = [] if self.alone else lemmas_of(name)
            before[module_name(name)] = [*PRELUDE, "Definitions", *map(module_name, lemmas)]
        rules = [f"{m}.vo: {m}.v {' '.join(f'{r}.vo' for r in needed)}" for m, needed in before.items()]
        put(folder / "Makefile", MAKEFILE.format(goals=" ".join(f"{m}.vo" for m in modules), rules="\n".join(rules)))
        put(folder / "Assumptions.v", assumptions_file(map(module_name, self.ids)))

    def write(self, folder: Path) -> None:
        self.project(folder)
        for module in self.modules():
            put(folder / f"{module}.v", self.text(module))
            self.forget(module)


MAKEFILE = """\
# make -j2 lets coqc check every theorem; make assumptions says what all of them together rest on.
all: {goals}

%.vo: %.v
\tcoqc -q -w none -Q . Symcook $<

assumptions: all
\tcoqc -q -w none -Q . Symcook Assumptions.v

.PHONY: all assumptions

{rules}
"""


def assumptions_file(modules: Iterable[str]) -> str:
    """What the theorems of these files rest on together."""
    names = list(modules)
    everything = ", ".join(f"{m}.everything" for m in names)
    return (
        f"From Symcook Require {' '.join(names)}.\n"
        f"Definition everything := ({everything}).\nPrint Assumptions everything.\n"
    )


def put(path: Path, text_: str) -> None:
    """Write a file, unless it holds this text."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text_:
        path.write_text(text_, encoding="utf-8")


def sha256(text_: str) -> str:
    return hashlib.sha256(text_.encode()).hexdigest()
