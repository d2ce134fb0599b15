"""The commands that say what there is: ``list``, ``show``, ``explain``, ``claims``, ``lemmas``, and ``completion``."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.listing import print_list
from symcook.cli.options import (
    Complete,
    Latex,
    Name,
    OneOf,
    Settings,
    argument,
    check_latex,
    choose,
    completes,
    option,
    papers,
    setting_text,
    whole_family,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, say, say_or_json
from symcook.errors import BadInput
from symcook.present import present

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from symcook.cli.options import Chosen
    from symcook.model.transformer import Transformer
    from symcook.recipes.operations import Operation


@declare("list", "symcook list --search bracket")
def list_(
    *,
    text: Annotated[str | None, argument(required=False)],
    search: Annotated[str | None, option("Only entries with this text in section, name or summary.", "TEXT")],
    as_json: bool,
) -> int:
    """List recipes and functions by section of the Cookbook, then families and programs, each with a summary.

    With --json the key "kind" says which each is. The exit code is 1 if nothing fits.
    """
    if text is not None and search is not None:
        raise BadInput(
            "the text to search for must be given once, either alone or with --search",
            f"{text} and --search {search}",
            "leave one out",
        )
    return print_list(as_json, text or search or "")


@declare("show", "symcook show dyck-1")
def show(*, name: Name, settings: Settings, latex: Latex = False, document: Complete = False, as_json: bool) -> None:
    """Show the matrices, coordinates, parameters and region of a recipe or a model file.

    A family without its parameters is shown as a paper would define it, with its theorems for all parameter values. Its
    JSON document also has the equations of a run, which the theorems are about. The JSON document of a model is the
    model file.
    """
    check_latex(latex, document, as_json)
    # A family for all sizes: its definition and theorems.
    if (family := whole_family(name, settings)) is not None:
        from symcook.cli.families import proved_of
        from symcook.report import definition

        proved = proved_of(family)
        if latex:
            say(definition.latex(family, proved, document))
        else:
            say_or_json(as_json, lambda: definition.document(family, proved), lambda: definition.text(family, proved))
        return
    # A single model: with --json its file, else its matrices, and its plan and region if it has them.
    chosen = choose(name, settings)
    model = chosen.bound()
    if as_json:
        from symcook.model.modelfile import dumps

        say(dumps(model).rstrip("\n"))
        return
    if latex:
        say(model.latex(document))
        return
    say(shown(chosen, model))


def shown(chosen: Chosen, model: Transformer) -> str:
    """The matrices of a model; its plan if it was compiled, and for a recipe where it is exact."""
    lines = [model.text()]
    if model.program is not None:
        from symcook.report.program import plan_text

        lines.append(f"\n{plan_text(model)}")
    if chosen.info is not None:
        from symcook.recipes import error, region

        error_bound, where_text = (ask(chosen.name, **chosen.arguments) for ask in (error, region))
        where = "where" if chosen.info.largest or where_text == "true" else "at least where"
        exact = error_bound == "0"
        lines.append(f"Exact {where}: {where_text}" if exact else f"Within {error_bound} where: {where_text}")
    return "\n".join(lines)


@declare("explain", "symcook explain gtzero")
def explain(*, name: Name, settings: Settings, as_json: bool) -> None:
    """Explain what a recipe computes, where it is exact and which paper it comes from; or show a program.

    NAME may be a language: ltl, c-rasp, srasp, dfa, tm, statements, fold, grammar. It may be a command, as in `symcook
    explain prove`; then the whole text about the command is printed.
    """
    facts, text = explained(name, settings)
    say_or_json(as_json, lambda: facts, lambda: text)


def explained(name: str, settings: Sequence[str]) -> tuple[dict[str, Any], str]:
    """The facts about a name as JSON has them, and as text. Five kinds of names: a language, a command, a shipped
    program, a function of the library, and a recipe or model file."""
    from symcook.cli.pages import page
    from symcook.report.recipe import document

    text = None if os.path.isfile(name) else page(name)
    if text is not None:
        _require_unset(settings, f"{name} is a language or a command")
        return {"name": name, "page": f"{text}\n"}, text
    from symcook.programs.shipped import facts as program_facts
    from symcook.programs.shipped import is_shipped
    from symcook.recipes.operations import operation

    if is_shipped(name) and not os.path.isfile(name):
        _require_unset(settings, f"{name} is a program")
        program = program_facts(name)
        return program, "{name}\n\n{words}\n\n{text}".format(**program).rstrip()
    function = operation(name)
    if function is None and not os.path.isfile(name) and (claim := _claim_hint(name)) is not None:
        raise BadInput("the name must be that of a recipe, a function, a language or a command", name, claim)
    if function is not None:
        _require_unset(settings, f"{name} is a function")
        facts = _function_facts(function)
    else:
        chosen = choose(name, settings)
        if unread := {**chosen.values, **chosen.inputs}:
            key, value = next(iter(unread.items()))
            must = "--set must name an argument of a recipe, since explain is about all values of parameters and inputs"
            raise BadInput(must, setting_text(key, value), "leave --set out, or type symcook show")
        facts = _recipe_facts(chosen)
    return facts, document(facts).text()


def _require_unset(settings: Sequence[str], what: str) -> None:
    """Raise BadInput if there are settings, which would change nothing; `what` says what kind of name it is."""
    if settings:
        raise BadInput(f"{what}, and has no argument to set", settings[0], "leave --set out")


def _claim_hint(name: str) -> str | None:
    """The command that shows a claim of a paper, where `name` is its id or a name such as "Lemma 5.3"; else None."""
    from symcook.claims import PAPERS

    if re.fullmatch(r"(?i)(lemma|theorem|proposition|corollary|claim|definition|section|equation|remark)\s+\w.*", name):
        return f'write symcook claims --search "{name}"'
    if re.fullmatch(rf"({'|'.join(PAPERS)})\.\w[\w.-]*", name):
        return f"write symcook claims {name}"
    return None


def _function_facts(operation: Operation) -> dict[str, Any]:
    """The facts about a function of the library: how it is called, its docstring without examples, and the claims about
    it."""
    module, attribute = operation.name.rsplit(".", 1)
    function = getattr(importlib.import_module(module), attribute)
    namespace = operation.short.partition(".")[0]
    docstring = inspect.getdoc(function) or ""
    details = "\n\n".join(part for part in docstring.split("\n\n") if not part.startswith((">>>", "Example:")))
    return {
        "name": operation.short,
        "kind": "function",
        "summary": operation.summary,
        "words": f"In Python: from symcook import {namespace}; {operation.short}{_signature(function)}."
        + (f"\n\nOn the command line: {operation.command}." if operation.command else ""),
        "details": details,
        "source": f"Cookbook, Section {operation.section}",
        "claims": list(operation.claims),
    }


def _signature(function: Callable[..., object]) -> str:
    """The signature of a function as text, without types."""
    parameters = inspect.signature(function).parameters.values()
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain))


def _model_facts(model: Transformer) -> dict[str, Any]:
    """The facts about a user's own model: its sizes, inputs and outputs, and its sublayers or its program."""
    from symcook.report.model import parts
    from symcook.report.program import origin

    symbols = [{"name": p.name, "region": p.region, "default": _text(p.default)} for p in model.parameters]
    facts: dict[str, Any] = {"name": model.name, "summary": _summary(model), "source": model.source, "symbols": symbols}
    program = model.program
    if program is None:
        facts["parts"] = parts(model)
        return facts
    # The source of the program is shown if it is short; then the command that shows more.
    short = program.source if len(program.source) <= 80 and program.source.isprintable() else ""
    plan = model.plan
    does = "To see its plan: symcook show FILE" if plan else "To compare the two: symcook check FILE"
    facts["words"] = f"{origin(model, plan)}{f': {short}' if short else ''}. {does}"
    return facts


def _summary(model: Transformer) -> str:
    """The numbers of layers and coordinates, the inputs, special tokens and outputs of a model, in one line."""
    kind = "rows of " + ", ".join(model.embedding.inputs or ())
    if model.alphabet:
        kind = f"strings over {' '.join(letters)}" if (letters := model.input_symbols) else "the empty string"
    layers, coordinates = len(model.layers), len(model.space)
    summary = f"{layers} layer{'s' * (layers != 1)}, {coordinates} coordinate{'s' * (coordinates != 1)}, reads {kind}"
    ends = zip(model.embedding.ends, ("before the input", "after the input"), strict=True)
    summary += "".join(f", adds {token} {where}" for tokens, where in ends for token in tokens)
    if model.readout.labels:
        choice = "the largest of" if model.readout.labelled else "a distribution over"
        summary += f", gives {choice} {', and of '.join(' '.join(part) for part in model.readout.parts)}"
    return summary


def _recipe_facts(chosen: Chosen) -> dict[str, Any]:
    """The facts that `explain` prints about a recipe or a model file, with the keys of its JSON document."""
    info = chosen.info
    if info is None:
        return _model_facts(chosen.model)
    from symcook.recipes.words import meanings
    from symcook.report.recipe import promise

    facts: dict[str, Any] = {key: getattr(info, key) for key in ("name", "kind", "summary", "words")}
    facts |= promise(info, chosen.arguments) | {"where": meanings(info, chosen.model.decides)}
    facts |= {key: getattr(info, key) for key in ("uniformity", "source")}
    facts["claims"] = list(info.claims)
    document = info.to_json()
    return facts | {
        "arguments": document["arguments"],
        "symbols": document["symbols"],
        "details": info.details,
    }


def _text(value: object) -> str | None:
    """A default value as text; None if there is no default."""
    from symcook.model.symbols import from_sympy

    return None if value is None else from_sympy(value)


def _statuses() -> tuple[str, ...]:
    """The values of ``--status``, for the completion of the shell."""
    from symcook.claims import STATUSES

    return STATUSES


def _ids() -> list[str]:
    """The ids of all claims, for the completion of the shell."""
    from symcook.claims import inventory

    return list(inventory())


@declare("claims", "symcook claims --search softmax")
def claims(
    *,
    ids: Annotated[tuple[str, ...], argument(nargs=-1, metavar="[ID]...", shell_complete=completes(_ids))],
    paper: Annotated[
        str | None,
        option(
            "Only claims of one paper: cookbook, chiang2022, merrill2024 or yang2026.",
            "P",
            shell_complete=completes(papers),
        ),
    ],
    status: Annotated[
        str | None,
        option(
            "Only claims with this status: PROVED, DECIDED, CHECKED, REFUTED, CORRECTED, DEFINED, CITED, EMPIRICAL, NO "
            "CLAIM, OPEN; 'CHECKED 8' for claims that were checked up to length 8.",
            "S",
            shell_complete=completes(_statuses),
        ),
    ],
    search: Annotated[str | None, option("Only claims with this text in id, place, statement or note.", "TEXT")],
    recompute: Annotated[bool, option("Replay every stored proof instead of reading the shipped ledger.")],
    as_json: bool,
) -> int:
    """Show what the papers state, with the status of each statement.

    An ID names a claim, or a section or table with all its claims: cookbook.s5.3, cookbook.t5.

    In full, a claim has its formal statement, what was tried, gaps of the printed proof, and how to check it. The exit
    code is 1 if no claim fits. It is 1 too, with the ids, where the ledger was computed from something else than what
    is there now: a proof, a statement, or what people wrote about a row.
    """
    from symcook.claims import reworded, select
    from symcook.report.claim import document

    ids = tuple(claim_id for name in ids for claim_id in _claim_ids(name))
    if recompute:
        from symcook.recount import recompute as replayed

        select(paper, status, search)  # refuses bad options before the long computation
        with Progress("replaying") as progress:
            ledger = replayed(progress=progress)
        rows = select(paper, status, search, ledger)
    else:
        rows = select(paper, status, search)
    if ids:
        rows = [row for row in rows if row.id in ids]
    say_or_json(as_json, lambda: [row.to_json() for row in rows], lambda: document(rows).text())
    stale = [] if recompute else [row.id for row in rows if row.note.startswith("stale")]
    changed = reworded(row.id for row in rows)
    if rows and not recompute and not as_json:
        say(f"\n{len(stale)} stale." if stale else "\nThese statuses were recorded earlier; no proof was replayed now.")
        say("To replay all proofs: symcook claims --recompute")
    for names, what in ((stale, "stale"), (changed, "with other words than when the ledger was computed")):
        if names:
            print(f"symcook: {what}: {_some(names)}", file=sys.stderr)
    return 1 if stale or changed or not rows else 0


def _some(names: Sequence[str]) -> str:
    """The first ten names, and how many others there are."""
    others = len(names) - 10
    return ", ".join(names[:10]) + (f" and {others} others" if others > 0 else "")


def _claim_ids(name: str) -> list[str]:
    """The ids of the claims that `name` names: itself if it is the id of a claim, else all ids below it.

    For example cookbook.t4 names cookbook.t4.zero_one and the others of that table. Raises BadInput for a recipe or a
    lemma, with the command that shows it, and for an unknown name.
    """
    from symcook import recipes
    from symcook.claims import claim, inventory
    from symcook.proof.replay import statements

    ids_below = [claim_id for claim_id in inventory() if claim_id.startswith(f"{name}.")]
    if name not in inventory() and ids_below:
        return ids_below
    if name not in inventory() and (name in statements() or recipes.exists(name)):
        what = "a recipe" if recipes.exists(name) else "a stored statement, but not a claim of a paper"
        raise BadInput(
            "symcook claims takes ids of claims, such as those that symcook claims lists",
            f"{name}, {what}",
            f"see symcook prove {name}",
        )
    return [claim(name).id]


@declare("lemmas", "symcook lemmas --search sign")
def lemmas(
    *, search: Annotated[str | None, option("Only lemmas with this text in name or statement.", "TEXT")], as_json: bool
) -> None:
    """Show what a proof may cite: the axioms, and the lemmas of the library with their statements.

    In a proof script, write the name of a lemma after `by` to use it.
    """
    from symcook.report.claim import lemmas as shown

    rows = _axioms_and_lemmas(search or "")
    say_or_json(as_json, lambda: rows, lambda: shown(rows, search is None).text())


def _axioms_and_lemmas(search: str) -> list[dict[str, str]]:
    """The axioms and lemmas with `search` in their name or statement, in upper or lower case."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    rows = [{"name": name, "kind": "axiom", "statement": text} for name, text in kernel.AXIOMS.items()]
    for name, stored in statements().items():
        if name.startswith("lem."):
            rows.append({"name": name.removeprefix("lem."), "kind": "lemma", "statement": stored.text})
    search_text = search.casefold()
    return [row for row in rows if search_text in row["name"].casefold() or search_text in row["statement"].casefold()]


SHELLS = ("bash", "zsh", "fish")
"""The shells for which ``completion`` prints a script."""


@declare("completion")
def completion(*, shell: Annotated[str, argument(type=OneOf("shell", SHELLS))], as_json: bool) -> None:
    """Print a completion script: eval "$(symcook completion bash)"."""
    from click.shell_completion import get_completion_class

    from symcook.cli.output import group

    script = present(get_completion_class(shell))(group, {}, "symcook", "_SYMCOOK_COMPLETE")
    # `script.source()` would return the same text, but for bash it would start bash to read its version.
    text = script.source_template % script.source_vars()
    say_or_json(as_json, lambda: {"shell": shell, "script": text}, lambda: text)
