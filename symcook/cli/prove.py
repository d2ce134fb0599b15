"""``symcook prove``: prove or refute a statement about a model, or check stored proofs again.

`prove` reads the options and chooses one of five tasks: a file of statements (`symcook.cli.claims`), one statement
(`symcook.cli.own`), the certificates next to a model file (`_model_alone`), what has to be trusted (--trust alone), or
stored proofs of the papers' claims and of lemmas.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.options import SECONDS, Settings, argument, completes, is_path, option, papers, path_of
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, line_width, print_json, say
from symcook.errors import BadInput, Rejected, unknown
from symcook.files import content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcook.claims import Claim
    from symcook.proof.replay import Statement, Verdict


def _completions() -> list[str]:
    """The recipes, and the ids with a stored proof, for the completion of the shell."""
    from symcook import recipes
    from symcook.proof.replay import library

    return [*recipes.names(), *library().certificates()]


OWN = ("--proof", "--set", "--seconds", "--force", "--with", "--explain")
"""Options about a model and a statement of the user, which stored proofs do not have."""


def _require_none(clash: Sequence[str], name: str) -> None:
    """Raise BadInput if there are options in `clash`, which were used but must not be used with the option `name`."""
    if clash:
        raise BadInput(f"{clash[0]} must not be used with {name}", " ".join(clash), f"leave {clash[0]} out")


@declare("prove", "symcook prove cookbook.s5.7.lemma5.3")
def prove(
    *,
    ids: Annotated[
        tuple[str, ...], argument(nargs=-1, metavar="[ID]... | NAME", shell_complete=completes(_completions))
    ],
    paper: Annotated[
        str | None, option("Check every stored proof of one paper's claims.", "P", shell_complete=completes(papers))
    ],
    everything: Annotated[bool, option("Check every stored proof, also those of lemmas.", None, None, "--all")],
    full: Annotated[bool, option("Show all lines of a proof, even a long one.")],
    trust: Annotated[bool, option("Show what you have to trust: the checker's files and lines, axioms, assumptions.")],
    latex: Annotated[bool, option("Print statement and proof as LaTeX (packages amsmath and amssymb).")],
    breaking: Annotated[
        bool, option("Change the statement in small ways; its proof must be rejected each time.", None, None, "--break")
    ],
    coq: Annotated[bool, option("Write a Coq development into the folder coq; coqc must be installed and checks it.")],
    statement: Annotated[str | None, option("A statement to prove or refute: accept <-> count(a) > count(b).", "S")],
    claims: Annotated[str | None, option("A file of statements to prove or refute, one a line.", "FILE")],
    other: Annotated[
        str | None, option("A second model; the statement calls its values other.NAME(i).", "MODEL", None, "--with")
    ],
    rounded: Annotated[
        str | None, option("Prove the statement for every run whose operations have relative errors up to U.", "U")
    ],
    proof: Annotated[
        str | None, option("A proof script for the statement; without one, symcook searches for a proof.", "FILE")
    ],
    settings: Settings,
    seconds: Annotated[int | None, option("With --statement: the time limit in seconds (60).", "S", SECONDS)],
    bundle: Annotated[
        str | None, option("Make a new folder with statement, certificate, cited lemmas and the checker.", "DIR")
    ],
    explain: Annotated[bool, option("If a statement is undecided, show what each prover answered.")],
    force: Annotated[bool, option("Replace an existing certificate.")],
    as_json: bool,
) -> int:
    """Prove or refute a statement about a model (NAME --statement S).

    With an ID of a claim or a lemma, or with a NAME alone, check stored proofs again. Exit code 1: a statement is
    refuted; 3: undecided.

    With --statement, NAME is a model file or a recipe. symcook evaluates the statement on short strings, then proves or
    refutes it for strings of every length. It writes the certificate as MODEL.proof.json, and for the next statement as
    MODEL.2.proof.json. A statement with a valid certificate is "already PROVED". The exit code is 0 if the statement is
    proved, 1 if it is refuted, 3 if it is undecided, also if it is decided true without a certificate. `symcook explain
    statements` shows the language.

    With --claims each line of a file is a statement, answered by one line; # begins a comment. The exit code is 0 if
    all are proved, else 1 if one is refuted, else 3. With --with the statement is about two models on one string:
    other.accept and other.NAME(i) are about the second model. For a family file without --set the statement is about
    all sizes, which it may name.

    With --rounded U the statement is about every run with relative errors up to U, such as 2^-11, for strings up to the
    length that a stored theorem about the model gives. It may speak of accept and of the string. The exit code is 3 if
    no such theorem covers it.

    With --bundle DIR the statement, its certificate, the lemmas that it cites and the checker are written as a new
    folder. One command, in its README.txt, checks the proof with Python alone.

    With an ID, or the NAME of a recipe, which means its claims and the stored check of its model, the stored proofs are
    checked again. One ID is shown with its statement, a short proof and the lemmas that it uses; several are shown as a
    table. The exit code is 0 if every stored proof is reproduced. REFUTED is a result too: a proof of the negation.

    With MODEL.json alone, its certificates are checked again, for the model as it is now. The exit code is 3 if one
    does not hold, or is of the model before a change. If an instance of a family has no certificate, symcook makes one
    that it is that instance, and prints the family's theorem for all parameter values. With --coq the certificates of
    the model are given to Coq.
    """
    by_option = {
        "--paper": paper is not None, "--all": everything, "--statement": statement is not None,
        "--proof": proof is not None, "--set": bool(settings), "--seconds": seconds is not None, "--force": force,
        "--with": other is not None, "--full": full, "--trust": trust, "--latex": latex, "--break": breaking,
        "--coq": coq, "--json": as_json, "--bundle": bundle is not None, "--explain": explain,
        "--rounded": rounded is not None,
    }  # fmt: skip
    used = [name for name, on in by_option.items() if on]
    for name in ids:
        _require_no_certificate(name)
    # A file of statements about one model.
    if claims is not None:
        allowed = {"--set", "--seconds", "--force", "--with", "--json"}
        _require_none([name for name in used if name not in allowed], "--claims")
        from symcook.cli.claims import prove_claims

        return prove_claims(_one_model(ids, "--claims"), claims, force, as_json, settings, seconds or 60, other)
    # One statement about the runs of one model that round.
    if rounded is not None:
        if statement is None:
            raise BadInput("--rounded must be used with --statement", rounded, "give the statement")
        allowed = {"--statement", "--rounded", "--set", "--seconds", "--force", "--json"}
        _require_none([name for name in used if name not in allowed], "--rounded")
        from symcook.cli.rounded import prove_rounded

        model = _one_model(ids, "--rounded")
        return prove_rounded(model, statement, rounded, force, as_json, settings, seconds or 60)
    # One statement about one model. LaTeX can be --full, and cannot be JSON.
    if statement is not None:
        allowed = {*OWN, "--statement", "--bundle", "--latex", "--full" if latex else "--json"}
        clash = [name for name in used if name not in allowed]
        _require_none(clash, "--latex" if clash == ["--json"] else "--statement")
        from symcook.cli.own import prove_own

        model = _one_model(ids, "--statement")
        limit = seconds or 60
        return prove_own(model, statement, proof, force, as_json, settings, limit, latex, full, other, bundle, explain)
    # A model file alone.
    if len(ids) == 1 and paper is None and not everything and _is_model(ids[0]):
        allowed = {"--set", "--with", "--coq"} if coq else {"--set", "--with", "--json"}
        if clash := [name for name in used if name not in allowed]:
            must = "a model file without a statement must be used alone, or with --set or --coq"
            raise BadInput(must, " and ".join(clash), "give --statement, or leave the others out")
        return _model_alone(ids[0], settings, other, coq, as_json)
    # Stored proofs, or the checker itself, in one form of answer.
    if clash := [name for name in used if name in OWN]:
        must = "--proof, --set, --seconds, --force, --with and --explain must be used with --statement"
        raise BadInput(must, " and ".join(clash), "give the statement")
    form = _form({name: by_option[name] for name in ("--trust", "--latex", "--break", "--coq")}, full, as_json)
    if bundle is not None:
        return _write_bundle(ids, bundle, [name for name in used if name != "--bundle"])
    if trust and not ids and paper is None and not everything:
        return _print_trust(as_json)
    names, without = selected(ids, paper, everything)
    if full and not latex and (len(names) != 1 or without):
        given_ids = f"{len(names)} proofs" + f", and {len(without)} statements without one" * bool(without)
        raise BadInput("--full must be used with one stored proof, or with --latex", given_ids, "leave --full out")
    if coq:
        return _develop_in_coq(names, without)
    verdicts = replayed(names)
    _print_verdicts(form, names, verdicts, without, full, as_json)
    # The exit code: 1 for a requested id without a proof, a certificate that is rejected, or one that is open.
    without_proof = bool(ids) and (not verdicts or any(name in ids for name in without))
    problems = _problems(verdicts, everything)
    if problems and not as_json:
        say()
        for line in problems:
            say(line)
    return 1 if without_proof or problems or any(verdict.status == "OPEN" for verdict in verdicts) else 0


def _write_bundle(ids: Sequence[str], folder: str, clash: Sequence[str]) -> int:
    """Write the bundle of one stored proof. Returns the exit code."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library
    from symcook.proof.statements.bundle import vacant_folder, write_bundle

    _require_none(clash, "--bundle")
    if len(ids) != 1:
        raise BadInput(
            "--bundle must be used with exactly one proof", " ".join(ids) or "none", "give an ID, or --statement"
        )
    (name, *others), _ = selected(tuple(ids), None, False)
    if others:
        raise BadInput(
            "--bundle must be used with exactly one proof", ids[0], f"give one of {name}, {', '.join(others)}"
        )
    path, home = vacant_folder(folder), library()
    certificate = load_json((home.root / "certificates" / f"{name}.json").read_bytes())
    if "sense" not in certificate:
        raise BadInput(
            "a bundle must be of a claim with a stored proof",
            f"{name}, which is checked by a computation",
            "symcook prove checks it again",
        )
    say(f"Bundle       {path}: {' '.join(write_bundle(path, home.statements[name], certificate))}")
    return 0


def _one_model(ids: Sequence[str], option_name: str) -> str:
    """The model of a statement, for the option `option_name`. Raises BadInput unless exactly one name is given."""
    if len(ids) != 1:
        raise BadInput(
            f"{option_name} must be used with one model", " ".join(ids) or "none", "give the name or file of one model"
        )
    return ids[0]


def _print_trust(as_json: bool) -> int:
    """Print what has to be trusted to believe any verdict. Returns the exit code."""
    from symcook.report.trust import trust_json, trust_text

    if as_json:
        print_json(trust_json())
    else:
        say(trust_text())
    return 0


def _form(forms: Mapping[str, bool], full: bool, as_json: bool) -> str:
    """The form of answer that is chosen, an option such as "--latex", or "" for text and for --json. Raises BadInput
    for two forms, and for --full where no proof is shown."""
    chosen = [name for name, on in forms.items() if on]
    if as_json and (forms["--latex"] or forms["--coq"]):
        chosen.append("--json")
    if len(chosen) > 1:
        raise BadInput("only one output format must be chosen", " and ".join(chosen), "use one of them")
    if full and as_json:
        raise BadInput(
            "--full must be used only where the proof is printed as text", "--full and --json", "leave --full out"
        )
    if full and chosen not in ([], ["--latex"]):
        raise BadInput(
            "--full must be used only where the proof is printed as text", f"--full and {chosen[0]}", "leave --full out"
        )
    return chosen[0] if chosen else ""


def _print_verdicts(
    form: str, names: list[str], verdicts: list[Any], without: list[str], full: bool, as_json: bool
) -> None:
    """Print the verdicts on stored proofs in the form `form`; `without` are the ids without a stored proof."""
    from symcook.report.verdict import verdict_json

    if as_json and form == "--trust":
        from symcook.report.trust import trust_json

        print_json(trust_json(names) | {"verdicts": [verdict_json(v) for v in verdicts]})
    elif as_json:
        print_json(_mutations_json(verdicts) if form == "--break" else [verdict_json(v) for v in verdicts])
    elif form == "--latex":
        _print_latex(verdicts, without, full)
    elif form == "--break":
        _print_mutations(verdicts, without)
    else:
        say(document(verdicts, without, full).text())
    if form == "--trust" and not as_json:
        from symcook.report.trust import trust_text

        say()
        say(trust_text(names))


def _model_alone(name: str, settings: Sequence[str], other: str | None, coq: bool, as_json: bool) -> int:
    """Check the certificates next to a model file again; without certificates, prove that the model is an instance of a
    family. Returns the exit code."""
    from symcook.cli.families import prove_instance
    from symcook.cli.own import check_own, numbered

    beside = numbered(Path(name))
    if coq and not all(file.is_file() for file in beside):
        must = "for --coq, the files of a model's certificate and statement must be next to the model file"
        raise BadInput(must, name, "prove a --statement about it first")
    # An instance certificate is checked against the family; without a certificate one is made.
    bridge = _is_bridge(beside[0])
    code = None
    if bridge or not beside[0].is_file():
        if other is not None:
            must = "--with must be used with --statement, or with the certificate of a statement about two models"
            raise BadInput(must, f"{name}, which has no such certificate", "leave --with out")
        code = prove_instance(name, as_json, settings, beside if bridge else None)
    if bridge and code is None:
        must = "the certificate next to a model must be about the model as it is now"
        raise BadInput(must, beside[0].name, "prove the model again, or move the file away")
    # Certificates of statements. (Without one, the model is not of a family either: the message says what is missing.)
    if code is None:
        code = check_own(name, as_json, settings, other)
    return _check_with_coq(name) if coq and code == 0 else code


def _require_no_certificate(name: str) -> None:
    """Raise BadInput if NAME is the file of a certificate or statement instead of the model that it is about."""
    match = re.fullmatch(r"(.+?)(\.\d+)?\.((?:proof|certificate)\.json|statement\.txt)", name)
    if match is not None:
        must = "a certificate must be checked by giving its model file, which is next to it"
        raise BadInput(must, name, f"symcook prove {match[1]}.json")


def _is_bridge(certificate: Path) -> bool:
    """Whether a file is an instance certificate of a model, as compile --prove writes it for the construction of a
    theorem and for an automaton."""
    from symcook.proof.files import load_json

    try:
        stored = load_json(content(certificate, "a certificate"))
    except (BadInput, Rejected):
        return False
    return isinstance(stored, dict) and str(stored.get("id")).startswith("bridge.")


def _is_model(name: str) -> bool:
    """Whether NAME is a model file or a family, and not a claim or a stored statement."""
    from symcook import claims
    from symcook.proof.replay import statements

    is_stored = name in claims.inventory() or name in statements()
    return (is_path(name) or path_of(name) is not None) and not is_stored


def _problems(verdicts: Sequence[Verdict], everything: bool) -> list[str]:
    """Lines about certificates that are rejected while another one of the same id is accepted; with --all also about
    certificates that belong to no statement."""
    from symcook.proof.replay import library

    refused = [f"rejected  {problem}" for v in verdicts if v.status != "OPEN" for problem in v.rejected]
    return refused + (library().problems() if everything else [])


def selected(ids: tuple[str, ...], paper: str | None, everything: bool) -> tuple[list[str], list[str]]:
    """The requested ids with a stored proof, and those without one. Raises BadInput for an unknown name, and unless
    exactly one of the three ways to name proofs is used."""
    from symcook import claims, recipes
    from symcook.proof.replay import library

    # Exactly one of the three ways to name proofs must be used.
    sources = [
        *(["ids"] if ids else []),
        *(["--paper"] if paper is not None else []),
        *(["--all"] if everything else []),
    ]
    if len(sources) != 1:
        must = "prove must have ids, a recipe, --paper or --all, and only one of them"
        raise BadInput(
            must, " and ".join(sources) or "none", "leave out the others" if sources else "see symcook prove --help"
        )
    stored = library().certificates()
    if everything:
        return stored, []
    inventory = claims.inventory()
    if paper is not None:
        if paper not in claims.PAPERS:
            raise unknown("paper", paper, claims.PAPERS)
        statements = library().statements
        return [i for i in stored if _paper_of(inventory, statements, i) == paper], []
    requested: list[str] = []
    # The id of a claim or lemma names itself; a recipe names its claims and the stored check of its model.
    for name in ids:
        if name in inventory or name in library().statements:
            requested.append(name)
        elif recipes.exists(name):
            requested += [*recipes.info(name).claims, *(i for i in stored if i == f"model.{name}")]
        else:
            known = [*recipes.names(), *inventory, *stored]
            raise recipes.near_file("id or recipe", name) or unknown("id or recipe", name, known)
    requested = list(dict.fromkeys(requested))
    return [i for i in requested if i in stored], [i for i in requested if i not in stored]


def _paper_of(inventory: Mapping[str, Claim], statements: Mapping[str, Statement], name: str) -> str | None:
    """The paper of a claim, or of the claim that a statement corrects."""
    claim = inventory.get(name) or inventory.get(statements[name].corrects or "")
    return claim.paper if claim else None


def replayed(names: list[str]) -> list[Any]:
    """The verdicts on the stored proofs `names`, with progress on stderr."""
    from symcook.proof.replay import replay

    if not names:
        return []
    # One process for each 40 proofs, but no more than there are processor cores.
    with Progress("checking") as progress:
        return replay(names, progress, min(os.cpu_count() or 1, len(names) // 40 + 1))


def document(verdicts: Sequence[Verdict], without: list[str], full: bool = False) -> Any:
    """The report on one id in full, on several as a table, for the width of this terminal."""
    from symcook.report.proof import document as drawn

    return drawn(verdicts, without, line_width(), full)


def _develop_in_coq(names: list[str], without: list[str]) -> int:
    """Write the Coq development of these ids to the folder coq, and check it with coqc; return the exit code.

    Raises BadInput if coqc is not installed.
    """
    from symcook.coq.development import Development
    from symcook.coq.judge import coqc, fresh, verdict
    from symcook.coq.statement import module_name

    folder = Path("coq")
    fresh(folder)
    development = Development([*names, *without])
    development.write(folder)
    for name in names:
        say(f"{folder / module_name(name)}.v")
    coqc()
    _, _, good = verdict(development, folder, say)
    return 0 if good else 1


def _check_with_coq(name: str) -> int:
    """Check the certificates next to a model file with Coq: for each, coqc checks a development in a folder (coq, then
    coq.2, ...).

    Returns the exit code. Raises BadInput if coqc is not installed.
    """
    from symcook.cli.own import places
    from symcook.coq.judge import coqc, fresh, verdict
    from symcook.coq.own import development_of
    from symcook.coq.statement import module_name
    from symcook.proof.files import load_json

    good = True
    for number, (certificate, statement) in enumerate(places(name), 1):
        folder = Path("coq" if number == 1 else f"coq.{number}")
        fresh(folder)
        data: Any = load_json(content(certificate, "a certificate"))
        with development_of(data, content(statement, "a statement").decode("utf-8", "replace")) as development:
            development.write(folder)
            module = module_name(data["id"])
            say(f"Coq          {folder / f'{module}.v'} says it, {folder / f'{module}_proof.v'} proves it; "
                f"make -j2 -C {folder} check")  # fmt: skip
            coqc()
            good &= verdict(development, folder, say)[2]
    return 0 if good else 1


def _print_latex(verdicts: Sequence[Verdict], without: list[str], full: bool) -> None:
    """Print the proofs as LaTeX, one after the other; an id without a stored proof is printed as a comment."""
    from symcook.report.proof import proof_latex

    for verdict in _with_progress(verdicts):
        say(proof_latex(verdict, full))
        say()
    for name in without:
        say(f"% {name}: no stored proof")


def _with_progress(verdicts: Sequence[Verdict]) -> Iterator[Any]:
    """The verdicts one after the other, with progress on stderr if stdout is a file or a pipe."""
    quiet = sys.stdout is None or sys.stdout.isatty()
    with Progress("writing") as progress:
        for place, verdict in enumerate(verdicts, 1):
            if not quiet:
                progress(place, len(verdicts))
            yield verdict


def _mutations_json(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """For each id the mutated statements of the statement that is proved: its own, or the one that corrects it."""
    from symcook.proof.audit.neighbours import broken
    from symcook.proof.replay import statements
    from symcook.report.proof import break_json, break_target, certificate_of

    documents = []
    for verdict in _with_progress(verdicts):
        target = break_target(verdict)
        proved = verdict if target in (None, verdict.id) else replayed([target])[0]
        tried = [] if target is None else break_json(broken(statements()[target], certificate_of(proved)))
        documents.append({"id": verdict.id, "status": verdict.status, "statement": target, "near_misses": tried})
    return documents


def _print_mutations(verdicts: Sequence[Verdict], without: list[str]) -> None:
    """Print the mutated statements of each proved statement, each when it has been tried."""
    from symcook.proof.audit.neighbours import broken
    from symcook.proof.replay import statements
    from symcook.report.document import Document
    from symcook.report.proof import break_target, break_text, certificate_of, stated

    done: set[str] = set()
    for verdict in _with_progress(verdicts):
        target = break_target(verdict)
        if target in done:
            continue
        # Nothing is proved, so there is no statement to mutate.
        if target is None:
            why = verdict.reason or "mutated statements are made of a statement that is proved"
            say(f"{verdict.id}: {verdict.status}; {why}")
            continue
        done.add(target)
        # A refuted claim has a corrected statement, which is mutated in its place.
        if target != verdict.id:
            say(f"{verdict.id} is refuted; these are mutated statements of {target}, the corrected statement.")
        say(f"{Document(target, stated(target)).text()}\n")
        proved = verdict if target == verdict.id else replayed([target])[0]
        for line in break_text(target, broken(statements()[target], certificate_of(proved))):
            say(line)
        say()
    for name in without:
        say(f"{name}: OPEN; no stored proof, so nothing to break")
