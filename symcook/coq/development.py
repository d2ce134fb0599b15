"""A Coq development: the files of proofs/coq (by hand), the definitions, stored models, statements, and a Makefile.

A file holds one statement, or several: loading the real numbers takes half a second, as long as most proofs. Those
stand together whose lemmas are in files before, each in a module with its name; so a statement is called the same from
outside either way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from symcook.coq.checker import certificates
from symcook.coq.models import model_module, model_proofs, model_said, model_theorems, models_of
from symcook.coq.reading import definitions_text
from symcook.coq.ring import Lemmas
from symcook.coq.statement import (
    StatementProof,
    lemma_text,
    lemmas_of,
    module_name,
    proof_module,
    said_text,
    sense,
    statement_part,
    theorems_of,
    with_lemmas,
)
from symcook.errors import BadInput
from symcook.proof.replay import proofs_directory
from symcook.proof.runrel import stored_model

PRELUDE = (
    *("Meaning", "Tree", "Conditions", "Laws", "Identities", "Taylor", "Erf"),
    *("Enclosures", "Intermediate", "Sines", "Model"),
)
TOGETHER = 300_000  # characters of the certificates that stand in one file; a longer one has its own

# OCaml's heap for coqc: the minor one is small, the major one is collected less often; it saves a quarter of the time.
HEAP = "s=2M,o=400"
MANY = 40  # lemmas that are said, or supposed, in one file
VERDICT = 250  # statements and models of which one file says what has been proved
SHARED = re.compile(r"(Statements|Statements_given|Proofs|Lemmas)_[0-9]+")
OURS = re.compile(rf"{SHARED.pattern}|Verdict_[0-9]+|stored_\w+", re.ASCII)  # the names of other files
MODEL = 10  # characters of a certificate that take as long as one of a stored model


class Development:
    """The texts of a development by file name, each after those that it needs: what is said of statements and models,
    the proofs, and what the judge says has been proved. `alone`: without the lemmas of `ids`, which are axioms where
    they are used. `together`: several statements may share a file. `models`: stored models, by default those whose run
    the statements suppose.

    Raises BadInput where two files would have one name."""

    def __init__(
        self, ids: Iterable[str], alone: bool = False, together: bool = False, models: Iterable[str] | None = None
    ) -> None:
        self.alone, asked = alone, list(ids)
        self.ids = [name for name in with_lemmas(asked) if not alone or name in asked]
        supposed = (n for name in self.ids for n in models_of(name))
        self.models = {model_module(n): n for n in (supposed if models is None else models)}
        self.groups = self.grouped() if together else {proof_module(name): [name] for name in self.ids}
        self.place = {name: file for file, names in self.groups.items() for name in names}
        own = [name for name in asked if name in self.ids] if not together else []
        self.said = {module_name(name): [name] for name in own}
        lemmas = list(dict.fromkeys(one for name in self.ids for one in lemmas_of(name))) if alone else []
        self.given = {f"Lemmas_{k // MANY}": lemmas[k : k + MANY] for k in range(0, len(lemmas), MANY)}
        if together:  # those whose proofs stand together
            self.said = {file.replace("Proofs", "Statements"): names for file, names in self.groups.items()}
        known = {name for names in self.said.values() for name in names}
        rest = [name for name in dict.fromkeys([*self.ids, *lemmas]) if name not in known]
        self.said |= {f"Statements_given_{k // MANY}": rest[k : k + MANY] for k in range(0, len(rest), MANY)}
        self.spoken = {name: file for file, names in self.said.items() for name in names}
        self.supposed = {name: file for file, names in self.given.items() for name in names}
        taken = Counter(
            m for name in dict.fromkeys([*self.ids, *lemmas]) for m in (module_name(name), proof_module(name))
        )
        for module, count in taken.items():
            if count > 1 or module in (*PRELUDE, "Definitions", "Given") or OURS.fullmatch(module):
                must = "each id must have names of its own in Coq"
                raise BadInput(must, f"two for {module}.v", "give it another id")

    def grouped(self) -> dict[str, list[str]]:
        """Ids by file. Those of a file have the same level, one more than the highest of their lemmas, and either all
        use enclosures or none does, which are slow to load; long certificates first."""
        level: dict[str, int] = {}
        kinds: dict[tuple[int, bool], list[tuple[int, str]]] = {}
        for name in self.ids:
            level[name] = 0 if self.alone else 1 + max((level[one] for one in lemmas_of(name)), default=0)
            text = str(certificates().get(name))
            kinds.setdefault((level[name], "'interval'" in text), []).append((len(text), name))
        out: list[list[str]] = []
        for (_, _), rows in sorted(kinds.items()):
            full, group = TOGETHER, []
            for size, name in sorted(rows, reverse=True):
                if full + size > TOGETHER:
                    group, full = [], 0
                    out.append(group)
                group.append(name)
                full += size
        return {f"Proofs_{number}": names for number, names in enumerate(out)}

    def apart(self, file: str) -> list[str]:
        """Give the proof of each statement of `file` a file of its own; their names."""
        names = self.groups.pop(file)
        self.groups |= {proof_module(name): [name] for name in names}
        self.place |= {name: proof_module(name) for name in names}
        return [proof_module(name) for name in names]

    def below(self, file: str) -> list[str]:
        """The files that must be there before `file`."""
        if file in self.models:
            return ["Meaning", "Model", "Definitions"]
        if file in self.model_proofs:
            return ["Meaning", "Laws", "Model", "Definitions", self.model_proofs[file]]
        if file in self.said:
            return ["Meaning", "Tree", "Definitions"]
        if file in self.groups:
            names = self.groups[file]
            lemmas = [one for name in names for one in lemmas_of(name)]
            return [*PRELUDE, "Definitions", *self.speaking(names), *self.places(lemmas)]
        return required(self.text(file))

    def size(self, file: str) -> int:
        """How long its check takes, roughly: in characters of certificates."""
        if file in self.groups:
            return sum(len(str(certificates().get(name))) for name in self.groups[file])
        return MODEL * len(str(stored_model(self.models[one]))) if (one := self.model_proofs.get(file)) else 0

    @property
    def model_proofs(self) -> dict[str, str]:
        """The files of proofs about stored models, and those that say what is proved."""
        return {f"{file}_proof": file for file in self.models}

    def files(self) -> list[str]:
        """All files but those of `verdicts`."""
        before = [*PRELUDE, "Definitions", *self.said, *self.models, *self.model_proofs]
        return [*before, *(["Given"] if self.given else []), *self.given, *self.groups]

    def text(self, file: str) -> str:
        """The text of a file; statements are translated when they are asked for; those of a file share lemmas."""
        if file in PRELUDE:
            return (proofs_directory() / "coq" / f"{file}.v").read_text(encoding="utf-8")
        if file == "Definitions":
            return definitions_file()
        if file in self.models:
            return model_said(self.models[file])
        if file in self.model_proofs:
            return model_proofs(self.models[self.model_proofs[file]])
        if file in self.said:
            return said_file({name: said_text(name) for name in self.said[file]}, file)
        if file == "Given":
            return self.axioms()
        if file in self.given:
            needed = [*self.speaking(self.given[file]), "Given"]
            return "\n".join([*loaded([], needed), *map(lemma_text, self.given[file])])
        names, lemmas = self.groups[file], Lemmas()
        parts = [statement_part(name, lemmas=lemmas) for name in names]
        below = [*self.speaking(names), *self.places(one for n in names for one in lemmas_of(n))]
        return file_of(parts, file, below)

    def speaking(self, names: Iterable[str]) -> list[str]:
        """The files that say these statements."""
        return list(dict.fromkeys(self.spoken[name] for name in names))

    def places(self, names: Iterable[str]) -> list[str]:
        """The files that prove these statements, or suppose them."""
        of = self.supposed if self.alone else self.place
        return list(dict.fromkeys(of[name] for name in names))

    def module(self, name: str) -> str:
        """The module that says a statement, with its whole name."""
        file = self.spoken[name]
        return f"Symcook.{file}" if file == module_name(name) else f"Symcook.{file}.{module_name(name)}"

    def axioms(self) -> str:
        """The file that supposes the lemmas: that the tree of each holds."""
        lines = [f"From Symcook Require Tree {' '.join(self.speaking(self.supposed))}."]
        # Coq looks through the type of an axiom, but not into this
        lines.append("Inductive supposed (P : Prop) : Prop := Suppose (holds : P).")
        for name in self.supposed:
            if sense(name) != "proved":
                raise BadInput("a lemma must be proved", f"{name}, which is refuted")
            says = f"supposed (Symcook.Tree.holds {self.module(name)}.Source.tree)"
            lines.append(f"Axiom {module_name(name)} : {says}.")
        return "\n".join([*lines, ""])

    def allowed(self) -> set[str]:
        """The axioms of that file."""
        return {f"Symcook.Given.{module_name(name)}" for name in self.supposed}

    def verdicts(self, names: Iterable[str], models: Iterable[str]) -> dict[str, str]:
        """Files that name what has been proved, of these statements and models. What a theorem must say is written here
        by the whole names of what is said: a file with proofs cannot put anything else in its place."""
        rows: list[tuple[set[str], list[str]]] = []
        for name in names:
            file, said = self.place[name], self.module(name)
            proof = f"Symcook.{file}" if file == proof_module(name) else f"Symcook.{file}.{proof_module(name)}"
            rows.append(
                (
                    {self.spoken[name], file},
                    [
                        f"Definition {module_name(name)}_{one} : {says} := @{proof}.{one}."
                        for one, says in theorems_of(name, said).items()
                    ],
                )
            )
        for file in models:
            rows.append(
                (
                    {file, f"{file}_proof"},
                    [
                        f"Definition {one} : Symcook.{file}.{one}_says := @Symcook.{file}_proof.{one}."
                        for one in model_theorems(self.models[file])
                    ],
                )
            )
        out = {}
        for start in range(0, len(rows), VERDICT):
            some = rows[start : start + VERDICT]
            files = sorted(set().union(*(needed for needed, _ in some)))
            lines = [line for _, lines in some for line in lines]
            head = ["From Symcook Require Tree Conditions.", *(f"From Symcook Require {file}." for file in files)]
            out[f"Verdict_{start // VERDICT}"] = "\n".join([*head, *lines, ""])
        return out

    def project(self, folder: Path) -> None:
        """Write what `make` needs besides the files themselves."""
        folder.mkdir(parents=True, exist_ok=True)
        verdicts = self.verdicts(self.ids, self.models)
        files = [*self.files(), *verdicts]
        put(folder / "_CoqProject", "-Q . Symcook\n" + "".join(f"{file}.v\n" for file in files))
        below = {file: self.below(file) for file in self.files()} | {f: required(t) for f, t in verdicts.items()}
        rules = [f"{file}.vo: {file}.v {' '.join(f'{f}.vo' for f in below[file])}" for file in files]
        goals = " ".join(f"{file}.vo" for file in files)
        modules = " ".join(f"-norec Symcook.{file}" for file in files)
        put(folder / "Makefile", MAKEFILE.format(heap=HEAP, goals=goals, modules=modules, rules="\n".join(rules)))
        for file, text in verdicts.items():
            put(folder / f"{file}.v", text)

    def write(self, folder: Path) -> None:
        """Write all files. Raises BadInput where a certificate is refused by the second checker; nothing is written
        then."""
        texts = {file: self.text(file) for file in self.files()}
        self.project(folder)
        for file, text in texts.items():
            put(folder / f"{file}.v", text)


def need(file: str) -> str:
    """How a file of statements is asked for: one that holds several is imported, so that their names are known."""
    return f"From Symcook Require {'Import ' if SHARED.fullmatch(file) else ''}{file}."


def loaded(files: Iterable[str], needed: Iterable[str]) -> list[str]:
    """How a file with proofs begins."""
    return [
        "From Coq Require Import Reals ZArith Lra ClassicalEpsilon Classical.",
        f"From Symcook Require Import {' '.join(['Meaning', 'Tree', 'Laws', 'Identities', *files])}.",
        "From Symcook Require Conditions Definitions.",
        *map(need, needed),
        "Open Scope R_scope.",
        "",
    ]


def said_file(texts: Mapping[str, str], file: str) -> str:
    """A file that says these statements; one that has the name of the file needs no module."""
    lines = [
        "From Coq Require Import Reals ZArith.",
        "From Symcook Require Import Meaning Tree.",
        "From Symcook Require Definitions.",
        "Open Scope R_scope.",
        "",
    ]
    for name, text in texts.items():
        module = module_name(name)
        lines += [text] if module == file else [f"Module {module}.", text, f"End {module}.\n"]
    return "\n".join(lines)


def file_of(parts: list[StatementProof], file: str, below: Iterable[str] = ()) -> str:
    """A file with these proofs; `below` are the files that say the statements, and those of their lemmas."""
    lines = loaded([one for one in PRELUDE if any(one in part.files for part in parts)], below)
    for part in parts:
        module = proof_module(part.name)
        lines.append(part.lemmas)
        lines += [part.theorems] if module == file else [f"Module {module}.", part.theorems, f"End {module}."]
    return "\n".join(lines)


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


MAKEFILE = """\
# make -j2 lets coqc check every theorem; make check lets coqchk look at all of it again, and say what it rests on.
export OCAMLRUNPARAM ?= {heap}
all: {goals}

%.vo: %.v
\tcoqc -q -w none -noglob -Q . Symcook $<

check: all
\tcoqchk -silent -o -bytecode-compiler yes -Q . Symcook {modules}

.PHONY: all check

{rules}
"""


def put(path: Path, text: str) -> None:
    """Write a file, unless it holds this text."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
