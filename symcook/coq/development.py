"""A Coq development: the files of proofs/coq (by hand), the definitions, stored models, statements, and a Makefile.

A file holds one statement, or several: loading the real numbers takes half a second, as long as most proofs. Those
stand together whose lemmas are in files before, each in a module with its name; so a statement is called the same from
outside either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from symcook.coq.checker import certificates
from symcook.coq.models import model_file, model_module, models_of
from symcook.coq.reading import definitions_text
from symcook.coq.ring import Lemmas
from symcook.coq.statement import Part, lemmas_of, module_name, statement_part, with_lemmas
from symcook.proof.replay import proofs_directory
from symcook.proof.runrel import stored_model

PRELUDE = (
    *("Meaning", "Tree", "Laws", "Identities", "Taylor", "Erf"),
    *("Enclosures", "Intermediate", "Sines", "Model"),
)
TOGETHER = 300_000  # characters of the certificates that stand in one file; a longer one has its own

# OCaml's heap for coqc: the minor one is small, the major one is collected less often; it saves a quarter of the time.
HEAP = "s=2M,o=400"
MODEL = 10  # characters of a certificate that take as long as one of a stored model


class Development:
    """The texts of a development by file name, each after those that it needs. `alone`: without the lemmas of `ids`,
    which are axioms where they are used. `together`: several statements may share a file. `models`: stored
    models, by default those whose run the statements suppose."""

    def __init__(
        self, ids: Iterable[str], alone: bool = False, together: bool = False, models: Iterable[str] | None = None
    ) -> None:
        self.alone, ids = alone, list(ids)
        self.ids = [name for name in with_lemmas(ids) if not alone or name in ids]
        if len({module_name(name) for name in self.ids}) != len(self.ids):
            raise AssertionError("two ids have the same module")
        supposed = (n for name in self.ids for n in models_of(name))
        self.models = {model_module(n): n for n in (supposed if models is None else models)}
        self.groups = self.grouped() if together else {module_name(name): [name] for name in self.ids}
        self.place = {name: file for file, names in self.groups.items() for name in names}

    def grouped(self) -> dict[str, list[str]]:
        """Ids by file. Those of a file have the same level, one more than the highest of their lemmas, and either all
        use enclosures or none does, which are slow to load; long certificates first."""
        level: dict[str, int] = {}
        kinds: dict[tuple[int, bool], list[tuple[int, str]]] = {}
        for name in self.ids:
            level[name] = 0 if self.alone else 1 + max((level[one] for one in lemmas_of(name)), default=0)
            text = str(certificates().get(name))
            kinds.setdefault((level[name], "'interval'" in text), []).append((len(text), name))
        out: dict[str, list[str]] = {}
        for (_, _), rows in sorted(kinds.items()):
            full, group = TOGETHER, []
            for size, name in sorted(rows, reverse=True):
                if full + size > TOGETHER:
                    group, full = [], 0
                    out[f"Statements_{len(out)}"] = group
                group.append(name)
                full += size
        return {module_name(names[0]) if len(names) == 1 else file: names for file, names in out.items()}

    def apart(self, file: str) -> list[str]:
        """Give each statement of `file` a file of its own; their names."""
        names = self.groups.pop(file)
        self.groups |= {module_name(name): [name] for name in names}
        self.place |= {name: module_name(name) for name in names}
        return [module_name(name) for name in names]

    def below(self, file: str) -> list[str]:
        """The files that must be there before `file`."""
        if file in self.models:
            return ["Meaning", "Laws", "Model", "Definitions"]
        if file in self.groups:
            lemmas = [one for name in self.groups[file] for one in lemmas_of(name)]
            return [*PRELUDE, "Definitions", *self.places(lemmas)]
        return required(self.text(file))

    def size(self, file: str) -> int:
        """How long its check takes, roughly: in characters of certificates."""
        if file in self.groups:
            return sum(len(str(certificates().get(name))) for name in self.groups[file])
        return MODEL * len(str(stored_model(self.models[file]))) if file in self.models else 0

    def files(self) -> list[str]:
        return [*PRELUDE, "Definitions", *self.models, *self.groups]

    def text(self, file: str) -> str:
        """The text of a file; statements are translated when they are asked for; those of a file share lemmas."""
        if file in PRELUDE:
            return (proofs_directory() / "coq" / f"{file}.v").read_text(encoding="utf-8")
        if file == "Definitions":
            return definitions_file()
        if file in self.models:
            return model_file(self.models[file])
        names, lemmas = self.groups[file], Lemmas()
        parts = [statement_part(name, alone=self.alone, lemmas=lemmas) for name in names]
        return file_of(parts, self.places(one for n in names for one in lemmas_of(n)))

    def places(self, names: Iterable[str]) -> list[str]:
        """The files that hold these statements."""
        return [] if self.alone else list(dict.fromkeys(self.place[name] for name in names))

    def project(self, folder: Path) -> None:
        """Write what `make` needs besides the files themselves."""
        folder.mkdir(parents=True, exist_ok=True)
        put(folder / "_CoqProject", "-Q . Symcook\n" + "".join(f"{file}.v\n" for file in self.files()))
        rules = [f"{file}.vo: {file}.v {' '.join(f'{f}.vo' for f in self.below(file))}" for file in self.files()]
        goals = " ".join(f"{file}.vo" for file in self.files())
        put(folder / "Makefile", MAKEFILE.format(heap=HEAP, goals=goals, rules="\n".join(rules)))
        put(folder / "Assumptions.v", self.assumptions(self.ids))

    def write(self, folder: Path) -> None:
        self.project(folder)
        for file in self.files():
            put(folder / f"{file}.v", self.text(file))

    def assumptions(self, names: Iterable[str]) -> str:
        """A file that asks what the theorems of these statements rest on together."""
        names = list(names)
        everything = ", ".join(f"{module_name(name)}.everything" for name in names)
        files = dict.fromkeys(self.place[name] for name in names)
        return (
            "".join(f"{need(file)}\n" for file in files)
            + f"Definition everything := ({everything}).\nPrint Assumptions everything.\n"
        )


def need(file: str) -> str:
    """How a file of statements is asked for: one that holds several is imported, so that their names are known."""
    return f"From Symcook Require {'Import ' if re.fullmatch('Statements_[0-9]+', file) else ''}{file}."


def file_of(parts: list[Part], places: Iterable[str] = ()) -> str:
    """A file with these statements; `places` are the files of their lemmas."""
    files = [file for file in PRELUDE if any(file in part.files for part in parts)]
    lines = ["From Coq Require Import Reals ZArith Lra ClassicalEpsilon Classical."]
    lines.append(f"From Symcook Require Import {' '.join(['Meaning', 'Tree', 'Laws', 'Identities', *files])}.")
    lines += ["From Symcook Require Definitions.", *map(need, places), "Open Scope R_scope.", ""]
    if len(parts) == 1:
        return "\n".join([*lines, parts[0].says, parts[0].lemmas, parts[0].theorems])
    for part in parts:
        module = module_name(part.name)
        lines += [part.lemmas, f"Module {module}.", part.says, part.theorems, f"End {module}."]
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
# make -j2 lets coqc check every theorem; make assumptions says what all of them together rest on.
export OCAMLRUNPARAM ?= {heap}
all: {goals}

%.vo: %.v
\tcoqc -q -w none -noglob -Q . Symcook $<

assumptions: all
\tcoqc -q -w none -noglob -Q . Symcook Assumptions.v

.PHONY: all assumptions

{rules}
"""


def put(path: Path, text: str) -> None:
    """Write a file, unless it holds this text."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
