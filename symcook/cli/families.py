"""Families on the command line. A family is named by its file or its name, and ``--set`` gives its sizes and tables.

``new`` writes an instance as a model file. ``prove MODEL`` finds the family of a model (`candidates`), makes or checks
an instance certificate (the "bridge"), and prints the family's theorems (`prove_instance`). ``derive`` prints the
closed forms of a family (`derive_family`), and ``show`` its theorems (`proved_of`).
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli import own
from symcook.cli.options import Name, Settings, is_path, option, path_of, read_settings
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say, say_or_json, within
from symcook.cli.unproved import refused
from symcook.errors import BadInput, Rejected
from symcook.files import content
from symcook.model.answers import grouped
from symcook.model.family import shipped
from symcook.proof.families.storedtheorems import theorems_of
from symcook.recipes.models import SHIPPED, instance_of, model_of, no_family, read, said, ships, told
from symcook.report.document import WIDE

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.instance import Instance
    from symcook.model.transformer import Transformer
    from symcook.proof.bridges.bridge import Bridge
    from symcook.proof.replay import Statement, Verdict
    from symcook.report.theorems import Theorem


@declare("new", "symcook new family-dyck-k-d --set K=3 --set D=5 -o mine.json")
def new(
    *,
    name: Name,
    settings: Settings,
    tokens: Annotated[str | None, option('The names of the tokens 0, 1, .., in this order: "( ) [ ]".', "TOKENS")],
    target: Annotated[str, option("The model file to write.", "FILE", None, "-o")],
    force: Annotated[bool, option("Replace an existing file.")],
    as_json: bool,
) -> None:
    """Write the model of a family at the sizes that you give.

    A family is one definition of models of all sizes. NAME is a family file or a family of symcook (symcook list).

    Each size is given by --set, and each table by --set NAME=FILE.json or by its entries row by row. The source of the
    model names the family, so that `symcook prove` finds the family's theorem.
    """
    from symcook.model.modelfile import save

    # A family by its file or its name; an unknown name gets its own message.
    path, settings_given = path_of(name), read_settings(settings)
    if path is None and name.startswith(SHIPPED) and not is_path(name):
        raise no_family(name)
    if path is None:
        raise BadInput("the name must be that of a family or a family file", name, "symcook list shows those that ship")
    family = read(path, settings_given)
    # All sizes and tables must be given.
    wanted = {**dict.fromkeys(family.sizes, "2"), **dict.fromkeys(family.tables, "FILE.json")}
    missing = [f"--set {key}={value}" for key, value in wanted.items() if key not in settings_given]
    if missing:
        given_names = ", ".join(key for key in wanted if key in settings_given) or "none"
        raise BadInput(f"every parameter of {name} must be given", given_names, f"give {' '.join(missing)}")
    values = instance_of(family, settings_given).values
    model, _ = model_of(family, settings_given, tokens)
    source = f"{family.source}; {said(family, values)}".lstrip("; ")
    file = save(replace(model, source=source), target, force=force)
    document = {"file": str(file), "family": family.name, "values": values, "width": len(model.space)}
    say_or_json(
        as_json,
        lambda: document,
        lambda: (
            f"wrote {file}: {family.name} at {values or 'its only size'}, {len(model.space)} coordinates, "
            f"{len(model.layers)} layers"
        ),
    )


MOST = 40
"""The greatest size at which `candidates` looks for the instance of a model that does not name its family; three times
as much for a family with a single size."""


def prove_instance(
    name: str, as_json: bool, settings: Sequence[str] = (), stored: tuple[Path, Path] | None = None
) -> int | None:
    """Prove by an instance certificate that a model is an instance of a family, and print the family's theorems; return
    the exit code, or None if the model is an instance of none of its `candidates`. For a family without sizes, print
    its theorems alone.

    `stored`: a certificate and its statement, which are checked again instead of making one. Raises Unbridged if the
    model names its family but is not an instance of it.
    """
    from symcook.cli.options import choose, read_settings
    from symcook.compilers import require_genuine
    from symcook.model.modelfile import to_document
    from symcook.proof.bridges.bridge import Bridge, Unbridged, checked

    path, chosen_settings = path_of(name), read_settings(settings)
    of_user, file = False, path
    # A model: the instances that it may be. `sure`: the model itself names its family.
    if path is None:
        chosen = choose(name, settings)
        instances, sure = candidates(chosen.model, name)
        file, _ = told(chosen.model.source, Path(name).parent, name) or (None, {})
        if not sure:  # if it is sure, the certificate names the weight that differs
            require_genuine(chosen.model, name)
        of_user = sure and not ships(instances[0][0])
    # A family: if at most choices are given, only its theorems are shown; otherwise the model is its instance.
    else:
        family = read(path, chosen_settings)
        of_user = not ships(family)
        if family.sizes and chosen_settings.keys() <= family.choices.keys():
            return _print_theorems(family, [] if of_user else theorems_of(family), as_json, {"family": family.name})
        chosen = choose(name, settings)
        sizes = {key: value for key, value in chosen_settings.items() if key in chosen.arguments}
        instances, sure = [(family, instance_of(family, sizes))], True
    # The first family whose instance certificate is accepted.
    document = to_document(chosen.bound()) if instances else {}
    for family, at in instances:
        start = time.monotonic()
        try:
            bridge = Bridge(family, at, document)
            verdict = checked(bridge)[1] if stored is None else _verdict_on_stored(bridge, *stored)
        except Unbridged:
            if sure:
                raise
            continue
        except Rejected as error:
            if stored is None:
                failure = f"no instance certificate from {name} to {family.name} was made"
                raise refused(error, failure, chosen.model) from None
            if as_json:
                print_json({"family": family.name, "bridge": "OPEN", "reason": str(error), "theorems": []})
            else:
                say(f"OPEN  {stored[0]}: {error}")
            return 3
        if path is None:
            require_genuine(chosen.model, name)
        if not as_json:
            # A user's family may have the name of one that ships.
            family_name = f"the family {family.name} of {file}" if of_user else family.name
            say(f"{verdict.words}  {name} is {family_name} at {at.values}: the same strings, runs and answers")
            how = "made and checked" if stored is None else f"{stored[0]}, checked again"
            say(f"        by an instance certificate: {grouped(verdict.nodes)} nodes, "
                f"{len(bridge.own.definitions)} equations, "
                f"{how} in {time.monotonic() - start:.1f} s")  # fmt: skip
        facts = {"family": family.name, "values": at.values, "bridge": verdict.words}
        facts |= {"file": str(file)} if of_user else {}
        return _print_theorems(family, [] if of_user else theorems_of(family), as_json, facts)
    return None


def _verdict_on_stored(bridge: Bridge, certificate: Path, statement: Path) -> Verdict:
    """The checker's verdict on a stored instance certificate, from its two files.

    Raises Rejected if it is not valid for the model as it is now, or if the statement next to it is another one.
    """
    from symcook.proof.files import load_json
    from symcook.proof.search import limits
    from symcook.proof.statements import certify

    stored = load_json(content(certificate, "a certificate"))
    if not isinstance(stored, dict) or stored.get("id") != bridge.statement.id:
        raise Rejected("stale: the model has changed since it was made")
    verdict = limits.judged(bridge.statement, stored)
    expanded = certify.expanded(bridge.statement, stored).encode()
    if not statement.is_file() or content(statement, "a statement") != expanded:
        raise Rejected(f"{statement} is not the statement of this model and certificate")
    return verdict


def _print_theorems(family: Family, theorems: Sequence[Statement], as_json: bool, said: Mapping[str, str]) -> int:
    """Print the theorems of a family with their verdicts; return the exit code: 0 if there is a theorem and all are
    proved, else 3. `said` has further entries of the JSON document."""
    verdicts = verdicts_of(theorems)
    if as_json:
        rows = [{"id": v.id, "status": v.words, "statement": theorem.written}
                 for v, theorem in zip(verdicts, theorems, strict=True)]  # fmt: skip
        print_json({**said, "theorems": rows})
        return 0 if verdicts and all(verdict.status in ("PROVED", "CORRECTED") for verdict in verdicts) else 3
    for verdict, theorem in zip(verdicts, theorems, strict=True):
        say(f"{verdict.words}  {theorem.id}, for all parameter values of the family:")
        whole: dict[str, Any] = {"initial_indent": " " * 8, "subsequent_indent": " " * 8, "break_on_hyphens": False}
        say(textwrap.fill(theorem.written, WIDE, **whole))
    if not theorems:
        say(no_theorem(family))
    return 0 if verdicts and all(verdict.status in ("PROVED", "CORRECTED") for verdict in verdicts) else 3


def derive_family(family: Family, target: str | None, force: bool, seconds: int, as_json: bool) -> int:
    """Print the closed forms of a family at every length, for all parameter values, with their proof, and the
    conclusions of its theorems; return the exit code, which is 3 if a form is not proved."""
    from symcook.proof.families.sizeforms import FamilyForms
    from symcook.report.family import forms_document, forms_text
    from symcook.report.theorems import conclusions

    # The files are checked before the work.
    to = None if target is None else own.files(target, force)
    forms = FamilyForms(family)
    with Progress(f"forms of {family.name}"), within(seconds, "no proof was found", "take a smaller family"):
        proof = forms.prove(seconds)
    written = None
    if to is not None and proof.certificate is not None and proof.statement is not None:
        from symcook.proof.statements.proving import write

        write(to, proof.statement, proof.certificate)
        written = target
    # Stored theorems are about families that ship, not about a changed copy.
    theorems = theorems_of(family) if ships(family) else []
    verdicts = verdicts_of(theorems)
    document = forms_document(forms, proof) | {"certificate": written}
    document["theorems"] = [{"id": v.id, "status": v.words} for v in verdicts]
    if as_json:
        print_json([document])
        return 0 if proof.whole else 3
    say(forms_text(forms, proof, written))
    for theorem, verdict in zip(theorems, verdicts, strict=True):
        say(f"\n{verdict.words}  {theorem.id}, under its hypotheses, for all parameter values:")
        for text in conclusions(theorem.written, family):
            say(textwrap.fill(text, WIDE, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False))
    return 0 if proof.whole else 3


def proved_of(family: Family) -> list[Theorem]:
    """The stored theorems about a run of a shipped family; [] for any other family.

    For each list of theorems with other choices, an entry in place of a theorem says which choices these are, and how
    to show the theorems.
    """
    from symcook.proof.replay import statements
    from symcook.report.theorems import Theorem, theorems

    if not ships(family):
        return []
    # Lemmas with the name of the family in them. `theorems` takes only those about a run of it.
    further = (
        statement
        for statement in statements().values()
        if not statement.claim and f"family-{family.name}" in statement.written
    )
    lines = theorems(family, [statement for statement in (*theorems_of(family), *further) if _has_proof(statement)])
    ids_to_choices = dict[tuple[str, ...], list[dict[str, str]]]()
    # Other choices with the same theorems share a line, with the command that shows them.
    for choice, about in _other_choices(family):
        ids_to_choices.setdefault(tuple(statement.id for statement in about), []).append(choice)
    for ids, choices in ids_to_choices.items():
        choice_texts = [
            ", ".join(f"{key} = {value}" for key, value in choice.items() if value != family.chosen[key])
            for choice in choices
        ]
        line = "".join(
            f" --set {key}=.." for key in family.choices if any(f"{key} = " in text for text in choice_texts)
        )
        lines.append(Theorem(ids, (), (" or ".join(choice_texts),), f"symcook show family-{family.name}{line}"))
    return lines


def _has_proof(statement: Statement) -> bool:
    """Whether a proof of exactly this statement is stored; it is not replayed."""
    from symcook.proof.files import load_json, proofs_directory

    path = proofs_directory() / "certificates" / f"{statement.id}.json"
    stored = load_json(path.read_bytes()) if path.is_file() else None
    recorded = (stored.get("sense"), stored.get("statement")) if isinstance(stored, dict) else None
    return recorded == ("proved", statement.digest)


def _other_choices(family: Family) -> list[tuple[dict[str, str], list[Statement]]]:
    """(choices, theorems) for the other choices of a family that have theorems."""
    from symcook.model.family import Family

    choices = [dict(zip(family.choices, choice, strict=True)) for choice in product(*family.choices.values())]
    with_theorems = [
        (choice, theorems_of(Family(family.document, choice))) for choice in choices if choice != family.chosen
    ]
    return [(choice, about) for choice, about in with_theorems if about]


def verdicts_of(theorems: Sequence[Statement]) -> list[Verdict]:
    """The checker's verdict on each of these theorems."""
    from symcook.proof import replay

    return [replay.library().replay([theorem.id])[0] for theorem in theorems]


def no_theorem(family: Family) -> str:
    """The sentence that no theorem is stored, with the choices for which there are theorems."""
    words = ", ".join(f"{key} = {value}" for key, value in family.chosen.items())
    line = f"No theorem about {family.name}{f' with {words}' if words else ''} is stored"
    if not ships(family):
        return f"{line}: theorems are about families that ship."
    choices = [choice for choice, _ in _other_choices(family)]
    others_text = "; or ".join(", ".join(f"{key} = {value}" for key, value in choice.items()) for choice in choices)
    return f"{line}; there is one with {others_text}." if choices else f"{line}."


def candidates(model: Transformer, name: str) -> tuple[list[tuple[Family, Instance]], bool]:
    """The instances that a model may be, and whether this is sure, since the model names the instance by its source or
    its program.

    Otherwise the instances are guesses: shipped families without tables, and instances with a stored certificate, at
    sizes with the model's numbers of coordinates, tokens and layers.
    """
    from symcook.compilers import tables

    if (named := told(model.source, Path(name).parent, name)) is not None:
        family = read(*named)
        return [(family, instance_of(family, named[1]))], True
    if (table := tables.told(model)) is not None:
        return [table], True
    counted = (pair for path in sorted(shipped("").parent.glob("*.json")) for pair in _instances_by_size(path, model))
    return [*counted, *_stored_instances(model)], False


def _stored_instances(model: Transformer) -> Iterator[tuple[Family, Instance]]:
    """The instances of families with tables, in the statements of stored instance certificates, with the model's
    numbers of coordinates, tokens and layers."""
    from symcook.proof.records import FAMILY_CALL
    from symcook.proof.replay import statements

    for name, statement in statements().items():
        call = FAMILY_CALL.search(statement.written) if name.startswith("bridge.") else None
        if call is None:
            continue
        # The first call is names(family; NAME = VALUE, ..; ..), or the same with word. The second part has
        # sizes, tables and choices.
        path, values = shipped(call[2]), call[3].split(";")[1].split(",")
        assigned = {key.strip(): " ".join(value.split()) for key, _, value in (part.partition("=") for part in values)}
        family = read(path, assigned)
        sizes_and_tables = {key: value for key, value in assigned.items() if key not in family.choices}
        if family.tables and (family.vocabulary is None) is (model.embedding.words is None):
            at = _instance_at(family, sizes_and_tables, model)
            if at is not None:
                yield family, at


def _instances_by_size(path: Path, model: Transformer) -> Iterator[tuple[Family, Instance]]:
    """The instances of a family without tables at the smallest sizes with the model's numbers of coordinates, tokens
    and layers: one for each combination of its choices. Nothing if no sizes up to `MOST` have these numbers."""
    family = read(path)
    if family.tables or (family.vocabulary is None) is (model.embedding.words is not None):
        return
    most = 3 * MOST if len(family.sizes) == 1 else MOST  # with a single size there are few instances
    for sizes in product(range(most + 1), repeat=len(family.sizes)):
        at = _instance_at(family, dict(zip(family.sizes, sizes, strict=True)), model)
        if at is not None:
            for choices in product(*family.choices.values()):
                choice = dict(zip(family.choices, choices, strict=True))
                chosen = read(path, choice) if choice else family
                yield chosen, instance_of(chosen, {k: str(v) for k, v in zip(family.sizes, sizes, strict=True)})
            return


def _instance_at(family: Family, sizes: Mapping[str, object], model: Transformer) -> Instance | None:
    """The instance at these sizes, if its numbers of coordinates, layers and tokens are the model's; else None."""
    try:
        at = instance_of(family, {key: str(value) for key, value in sizes.items()})
    except BadInput:
        return None
    layers = sum(len(part.layers) * len(list(at._cells(part.over))) for part in family.layers)
    tokens = 0 if family.vocabulary is None else int(at.number(family.vocabulary, at.env))
    sizes_of_model = (len(model.space), len(model.layers), len(model.embedding.words or ()))
    return at if sizes_of_model == (len(at.space), layers, tokens) else None
