"""The report on a proved statement: the paper's words, the statement, a short proof, and what the proof depends on.

The functions take verdicts of `symcook.proof.replay`. They return what ``symcook prove`` prints, as a document of
`report.document`, as LaTeX or as JSON; `witness` returns the counterexample of a stored refutation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import unknown
from symcook.model.answers import grouped
from symcook.model.expr import parse_formula
from symcook.proof import records
from symcook.proof.audit.folded import statement_tree, text_of, used_definitions
from symcook.proof.audit.neighbours import Neighbour
from symcook.proof.audit.source import unasked, unasked_words
from symcook.report.document import WIDTH, Document, PlainLines, Table, filled
from symcook.report.latex import statement_latex
from symcook.report.markup import PACKAGES, escaped
from symcook.report.outline import MOST_LINES, outline, outline_latex, outline_text
from symcook.report.trust import axioms_used, below, trust_line

if TYPE_CHECKING:
    from symcook.claims import Claim
    from symcook.proof.replay import Statement, Verdict
    from symcook.proof.search.tactics import Node


MOST_STATED = 4
"""The greatest number of verdicts whose statements are shown too."""
_GOOD = ("PROVED", "DECIDED", "REFUTED", "CORRECTED")
"""The statuses of a verdict with a stored certificate that was replayed."""


def paper_words(name: str) -> str:
    """The place of the claim in its paper and what it says in our words; for a correction, those of the claim that it
    corrects; "" for a lemma."""
    from symcook import claims
    from symcook.proof.replay import statements

    inventory = claims.inventory()
    if name in inventory:
        return f"{inventory[name].paper}, {inventory[name].location}: {inventory[name].statement}"
    corrects = statements()[name].corrects
    if corrects in inventory:
        row = inventory[corrects]
        return f"corrects {corrects} ({row.paper}, {row.location}): {row.statement}"
    return ""


def corrections(name: str) -> list[str]:
    """The statements that correct a claim."""
    from symcook.proof.replay import statements

    return [s.id for s in statements().values() if s.corrects == name]


def certificate_of(verdict: Verdict) -> dict[str, Any]:
    """The stored certificate that gave a verdict: the refutation of a claim that is REFUTED or CORRECTED, else the
    proof. At least one certificate of the claim must be stored."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library

    folder = library().root / "certificates"
    stored: list[dict[str, Any]] = []
    for path in (folder / f"{verdict.id}{end}.json" for end in ("", ".refuted")):
        if path.is_file():
            stored.append(load_json(path.read_bytes()))
    wanted = "refuted" if verdict.status in ("REFUTED", "CORRECTED") else "proved"
    return next((c for c in stored if c.get("sense") == wanted), stored[0])


def definitions_text(statement: Statement) -> list[str]:
    """The lists of names and the definitions that a statement uses, one on each line."""
    from symcook.proof.runrel import named

    # names(MODEL) stands for the quantified variables of a model; [4:-6] takes away "all " and ". true".
    lists = dict.fromkeys(one[0] for one in records.LIST.finditer(statement.written))
    out = [f"{name_list} := {named(f'all {name_list}. true')[4:-6]}" for name_list in lists]
    for name in used_definitions([statement_tree(statement.text)], statement.known):
        definition = statement.known[name]
        head = f"{name}({', '.join(definition.params)})" if definition.params else name
        out.append(f"{head} := {text_of(definition.tree)}")
    return out


def stated(name: str) -> list[PlainLines | Document]:
    """A statement with the definitions that it uses."""
    from symcook.proof.replay import statements

    statement = statements()[name]
    definitions = definitions_text(statement)
    where = [Document("where", [PlainLines(definitions, "  ")])] if definitions else []
    return [PlainLines([statement.written], ""), *where]


def table(verdicts: Sequence[Verdict], without: Sequence[str], width: int) -> Table:
    """A row for each id: its status, the id, and what its proof used; the ids `without` a stored proof come last."""
    from symcook.claims import ledger

    rows = []
    for verdict in verdicts:
        notes = [f"assuming {', '.join(verdict.assuming)}"] if verdict.assuming else []
        notes += [f"{grouped(verdict.nodes)} nodes"] if verdict.nodes else []
        notes += [f"uses {', '.join(verdict.lemmas)}"] if verdict.lemmas else []
        notes += [f"false at {witness(verdict.id)}"] if verdict.status in ("REFUTED", "CORRECTED") else []
        notes += [verdict.reason] if verdict.reason else []
        rows.append((verdict.status, verdict.id, "; ".join(notes)))
    claims_by_id = {row.id: row for row in ledger(names=without)} if without else {}
    rows += [_unproved(name, claims_by_id.get(name)) for name in without]
    return Table(rows, width=width)


def _unproved(name: str, row: Claim | None) -> tuple[str, str, str]:
    """The row of an id without a stored proof: OPEN, or the status and reason that the ledger has for it."""
    # The ledger's status counts only if it needs no proof of its own, as that of a definition or of a repeated claim.
    if row is None or (row.status in ("OPEN", "PROVED", "CORRECTED", "REFUTED") and not (row.same or row.corrected)):
        status_text = "" if row is None or row.status == "OPEN" else f", though the ledger says {row.status}"
        return "OPEN", name, f"no stored proof{status_text}"
    what = {"DEFINED": "a definition: "}.get(row.status, "")
    return row.status, name, f"{what}{row.reason or 'no stored proof'}"


def document(verdicts: Sequence[Verdict], without: Sequence[str], width: int, full: bool = False) -> Document:
    """What ``symcook prove`` prints: a row for each id; then the full report on a single id, or the statements of a few
    ids; then the number of proofs that were reproduced."""
    from symcook.claims import DEFINITION, inventory
    from symcook.proof.replay import statements

    sections: list[PlainLines | Table | Document] = []
    # Several ids: the statements, if they are few. One id: its full report, or its statement if no proof is stored.
    if len(verdicts) + len(without) != 1:
        few = verdicts if len(verdicts) <= MOST_STATED else ()
        for name in (name for verdict in few for name in (verdict.id, *corrections(verdict.id))):
            sections.append(Document(name, [PlainLines([statements()[name].written], "")]))
    elif verdicts:
        sections += proof(verdicts[0], full)
    elif (name := without[0]) in statements():
        paper_text = paper_words(name)
        sections += [Document("Paper", [PlainLines([paper_text], "")])] if paper_text else []
        sections.append(Document("Statement, not proved", stated(name)))
    # The number of reproduced proofs. A definition needs no proof and does not count as a claim without a proof.
    reproduced = sum(verdict.status != "OPEN" for verdict in verdicts)
    total = f"{reproduced} of {len(verdicts)} stored proofs reproduced"
    claims = [name for name in without if name not in inventory() or inventory()[name].kind != DEFINITION]
    if claims:
        total += f"; {len(claims)} {'claim has' if len(claims) == 1 else 'claims have'} none yet"
    if not (verdicts or without):
        return Document("no stored proof yet")
    first = table(verdicts, without, width)
    return Document("", [first, *sections, PlainLines([total])], apart="\n\n" if sections else "\n")


def example_of(statement: Statement, certificate: Mapping[str, Any]) -> str:
    """The values of the leading variables at which the stored proof satisfies the hypotheses; "" if it gives none."""
    from symcook.proof import grammar

    nodes = certificate.get("inhabited", [])
    while nodes and nodes[0]["by"] == "split":
        nodes = nodes[0]["proofs"][0]
    values = [node["term"] for node in nodes if node["by"] == "witness"]
    names = grammar.leading_names(statement.expanded)
    if not values or len(values) < len(names):
        return ""
    return ", ".join(f"{n} = {v}" for n, v in zip(names, values, strict=False))


def proof(verdict: Verdict, full: bool = False) -> list[PlainLines | Table | Document]:
    """The report on one id: the paper's words, statement, proof, what the proof used and what must be trusted."""
    from symcook.proof.replay import statements

    # The statement: in the paper, formally, and its correction if it is false as stated.
    statement = statements()[verdict.id]
    words = paper_words(verdict.id)
    out: list[PlainLines | Table | Document] = [Document("Paper", [PlainLines([words], "")])] if words else []
    out.append(Document("Statement", stated(verdict.id)))
    corrected = corrections(verdict.id) if verdict.status == "CORRECTED" else []
    out += [Document(f"Corrected: {name}", stated(name)) for name in corrected]
    if verdict.status in _GOOD:
        out += _proof_sections(verdict, statement, full)
    # What the proof used and what it assumes.
    rows = []
    if verdict.nodes:
        rows.append(("Nodes", str(verdict.nodes)))
    if verdict.status in _GOOD:
        rows.append(("Lemmas", ", ".join(verdict.lemmas) or "none"))
        own_axioms, through_lemmas = _axioms(verdict)
        rows += [("Axioms", own_axioms), *([("in lemmas", through_lemmas)] if through_lemmas else [])]
        assumed = [f"named.{n}" for n in verdict.named] + [f"oracle.{n}" for n in verdict.oracles]
        rows += [("Assumes", f"{n}: {statements()[n].written}") for n in assumed] or [("Assumes", "nothing")]
    rows += [("Not checked", words) for words in _unasked(verdict, statement, corrected)]
    # What must be trusted: the first checker, or instead the second one. `trust_line` ends with the statement's hash.
    if verdict.status != "OPEN":
        words, _, digest = trust_line(verdict).rpartition("; statement sha256 ")
        first, _, second = words.partition("; or instead ")
        rows += [("Trust", first), *([("or trust", second)] if second else []), ("Details", "symcook prove --trust")]
        rows.append(("Hash", f"sha256 {digest}"))
    if verdict.certificate is not None:
        rows.append(("File", f"certificates/{Path(verdict.certificate).name}"))
    return [*out, Table([*rows, ("Seconds", f"{verdict.seconds:.3f}")], width=WIDTH)]


def _unasked(verdict: Verdict, statement: Statement, corrected: Iterable[str]) -> list[str]:
    """The premises inside I[...] whose satisfiability was not checked, in words, for each statement that holds.

    That is the proved statement or the corrections of a refuted one. Lemmas are left out: nothing checks that their
    hypotheses are satisfiable.
    """
    from symcook.proof.replay import statements

    holds = [statement] if verdict.status == "PROVED" else [statements()[name] for name in corrected]
    return [
        unasked_words(premises)
        for proved_statement in holds
        if proved_statement.claim and (premises := unasked(proved_statement))
    ]


def _axioms(verdict: Verdict) -> tuple[str, str]:
    """The axioms that a proof uses itself, and the further axioms that its lemmas use."""
    own_axioms = set(verdict.axioms)
    through_lemmas = [name for name in axioms_used(below([verdict.id])) if name not in own_axioms]
    return ", ".join(verdict.axioms) or "none", ", ".join(through_lemmas)


def _proof_sections(verdict: Verdict, statement: Statement, full: bool) -> Iterator[Document]:
    """The proof as its author wrote it, or an outline of the certificate; then what the certificate also proves."""
    from symcook.proof.audit.source import built_from
    from symcook.proof.replay import library, statements
    from symcook.proof.search import prooftext

    certificate = certificate_of(verdict)
    most = None if full else MOST_LINES
    refuted = certificate["sense"] == "refuted"
    title = f"Refutation: the statement is false at {witness(verdict.id)}" if refuted else "Proof"
    written, why = built_from(library().root, verdict.id, statements())

    def steps(part: str) -> PlainLines:
        """The author's lines for a part of the certificate; without a proof script, an outline of this part."""
        if written is None:
            return PlainLines([outline_text(outline(statement, certificate, part), most)])
        return PlainLines([prooftext.shown(written, part) or "Found by the automation."])

    # `why` says why the stored proof script is not the one from which the certificate was built.
    notes = [PlainLines([f"These are the steps of the certificate: {why}."], "")] if why else []
    yield Document(title, [*notes, steps("proof")])
    if "defined" in certificate and not refuted:
        example = example_of(statement, certificate)
        words = "Also proved: its hypotheses are satisfiable"
        where = f", for example at {example}." if example else "."
        yield Document("", [PlainLines(["Also proved: every term in it is defined.", words + where], "")])
        if full:
            yield Document("Everything is defined", [steps("defined")])
            yield Document("The hypotheses are satisfiable", [steps("inhabited")])


def proof_latex(verdict: Verdict, full: bool = False) -> str:
    """The statement and the outline of its proof as a fragment of LaTeX."""
    from symcook.proof.replay import statements

    paper_text = paper_words(verdict.id)
    head = [rf"Paper: {escaped(paper_text)}"] if paper_text else []
    corrected = []
    for name in corrections(verdict.id) if verdict.status == "CORRECTED" else ():
        corrected += [rf"\noindent Corrected (\texttt{{{escaped(name)}}}):", statement_latex(statements()[name])]
    certificate = certificate_of(verdict) if verdict.status in _GOOD else None
    return _latex(statements()[verdict.id], verdict, certificate, head, corrected, full)


def own_latex(
    statement: Statement, verdict: Verdict, certificate: Mapping[str, object], sentence: str, full: bool = False
) -> str:
    """The statement about a user's model and its proof as LaTeX, with the `sentence` that the user gave."""
    head = [rf"\noindent Claim: \texttt{{{escaped(sentence)}}}."]
    return _latex(statement, verdict, certificate, head, [], full, (statement, certificate))


def _latex(
    statement: Statement,
    verdict: Verdict,
    certificate: Mapping[str, object] | None,
    head: list[str],
    after_statement: list[str],
    full: bool,
    own: tuple[Statement, Mapping[str, object]] | None = None,
) -> str:
    """LaTeX of `head`, the statement, the lines `after_statement`, the outline of its proof, and what must be trusted.

    `own` is a statement and certificate that are not in the library.
    """
    rows = [f"% needs \\usepackage{{{','.join(PACKAGES)}}}; {verdict.id}: {verdict.words}"]
    rows.append(rf"\paragraph{{\texttt{{{escaped(verdict.id)}}}}} {escaped(verdict.words)}.")
    rows += [*head, statement_latex(statement), *after_statement]
    if certificate is not None:
        rows.append(r"\noindent\emph{Refutation.}\par" if certificate["sense"] == "refuted" else PROOF_HEAD)
        steps = outline(statement, certificate)
        rows.append(outline_latex(steps, statement.known, None if full else MOST_LINES))
    trusted = "not proved" if certificate is None and verdict.status == "OPEN" else trust_line(verdict, own)
    corrected = corrections(verdict.id) if verdict.status == "CORRECTED" else []
    rows += [rf"\noindent Not checked: {escaped(words)}.\par" for words in _unasked(verdict, statement, corrected)]
    rows.append(rf"\noindent Trust: {escaped(trusted)}.\par")
    return "\n".join(rows)


PROOF_HEAD = r"\noindent\emph{Proof, step by step.}\par"
"""The LaTeX heading of a proof."""


def break_target(verdict: Verdict) -> str | None:
    """The id of the statement to mutate: the verdict's, or its correction; None if nothing was proved."""
    if verdict.status in ("PROVED", "DECIDED"):
        return verdict.id
    return corrections(verdict.id)[0] if verdict.status == "CORRECTED" else None


def break_json(tried: Iterable[Neighbour]) -> list[dict[str, Any]]:
    """The mutated statements that were tried, as JSON.

    "accepted" says whether the stored proof proves the mutated statement too. "reason" says why it was rejected, and
    "false_at" has an instance at which it is false (null if none was found). "stronger": it claims more.
    """
    return [
        {
            "kind": neighbour.change.kind,
            "before": neighbour.change.before,
            "after": neighbour.change.after,
            "stronger": neighbour.change.stronger,
            "accepted": neighbour.accepted,
            "reason": neighbour.reason or None,
            "false_at": neighbour.instance or None,
        }
        for neighbour in tried
    ]


def break_text(name: str, tried: Iterable[Neighbour]) -> Iterator[str]:
    """The mutated statements that were tried and their outcomes, as lines, with the counts at the end."""
    # Counts: false at an instance, rejected but undecided, proved too and stronger, proved too and perhaps weaker.
    false = open_ = sharp = weak = 0
    for neighbour in tried:
        change = neighbour.change
        yield filled(f"{change.kind}: {change.before}  =>  {change.after}", hang="    ")
        if neighbour.accepted:
            sharp += change.stronger
            weak += not change.stronger
            outcome = "accepted: the stored proof proves this too"
            outcome += "; it says more, so the statement is not tight here" if change.stronger else " (it may say less)"
        elif neighbour.instance:
            false += 1
            outcome = f"rejected: {neighbour.reason}; it is false at {neighbour.instance}"
        else:
            open_ += 1
            outcome = f"rejected: {neighbour.reason}; whether it is true was not decided"
        yield filled(outcome, "    ", "  ")
    yield ""
    yield f"{false + open_ + sharp + weak} mutated statements of {name}:"
    yield f"  {false} false at an instance, all of them rejected with the stored proof"
    yield f"  {open_} rejected; no instance found at which they are false, so only this proof does not prove them"
    if sharp:
        yield f"  {sharp} accepted although they state more: the statement is not tight there"
    if weak:
        yield f"  {weak} accepted, and they are proved: the statement's own proof covers them"


def witness(name: str) -> str:
    """The counterexample in a stored refutation: the witnesses for the leading quantifiers of the statement.

    The refutation proves "there are values at which the statement fails"; the witnesses are the values in this proof.
    An object that the proof obtains from an existential fact is named by that fact. Witnesses of several cases are
    joined by "or". A statement that claims existence is false at all values, which the text says. For a statement
    without leading quantifiers, the text has the values at which the proof uses the hypothesis that it assumes, or else
    the stored models in the statement. Raises BadInput if no refutation is stored.
    """
    from symcook.proof.files import load_json
    from symcook.proof.grammar import leading_names
    from symcook.proof.replay import library

    proofs = library()
    for path in (proofs.root / "certificates" / f"{name}{end}.json" for end in (".refuted", "")):
        certificate = load_json(path.read_bytes()) if path.is_file() else {}
        if certificate.get("sense") == "refuted":
            tree, claimed_names = parse_formula(proofs.statements[name].expanded), list[str]()
            while tree[0] == "ex":  # the statement claims existence: it is false at all values
                claimed_names, tree = [*claimed_names, tree[1]], tree[-1]
            if claimed_names:
                return f"all {', '.join(claimed_names)}"
            # With leading universal quantifiers: the values that the proof of the negation gives for them.
            names, witnesses = leading_names(proofs.statements[name].expanded), _witnesses(certificate["proof"], {})
            if not names:
                used_terms = dict.fromkeys(_hypothesis_uses(certificate["proof"]))
                calls = records.MODEL_CALL.finditer(proofs.statements[name].text)
                models = dict.fromkeys(call[2] for call in calls if call[1] == "run")
                return " and ".join(used_terms or (f"the stored model {model}" for model in models))
            value_texts = (", ".join(_assignment(n, v) for n, v in zip(names, at, strict=False)) for at in witnesses)
            return " or ".join(dict.fromkeys(filter(None, value_texts)))
    raise unknown("refuted claim", name, [])


def _assignment(name: str, value: str) -> str:
    """The text "NAME = VALUE", or "NAME(a, b) = VALUE" for a function.

    A multiple of indicators is written "NUMBER if CONDITION, else 0", a sum of multiples of indicators of one position
    each as the list of its values.
    """
    if value.startswith("of "):
        return f"{name} {value}"
    function = re.fullmatch(r"(\w+(?: \w+)*)\. (.*)", value)
    if function is not None:
        if (listed := _listed(function[1], function[2])) is not None:
            return f"{name} = {listed}"
        name, value = f"{name}({', '.join(function[1].split())})", function[2]
    if multiple := re.fullmatch(r"(-?)(?:([\d/]+)\*)?((?:I\[[^][]*\]\*?)+)(?<!\*)", value):
        condition = " and ".join(re.findall(r"I\[([^][]*)\]", multiple[3]))
        value = f"{multiple[1]}{multiple[2] or 1} if {condition}, else 0"
    return f"{name} = {value}"


def _listed(variable: str, value: str) -> str | None:
    """A sum of numbers at single positions, such as 2*I[i = 1] + 3*I[i = 2], as the list of its values from position 1;
    None for another term."""
    terms = [re.fullmatch(rf"(?:(-?[\d/]+)\*)?I\[{re.escape(variable)} = (\d+)\]", term) for term in value.split(" + ")]
    places = {int(term[2]): term[1] or "1" for term in terms if term is not None}
    if len(places) < 2 or len(places) < len(terms) or min(places) < 1 or max(places) > 100:
        return None
    return f"({', '.join(places.get(k, '0') for k in range(1, max(places) + 1))}) and then 0"


def _witnesses(proof: Sequence[Node], origin: Mapping[str, str]) -> Iterator[list[str]]:
    """The terms of the witness nodes of a proof, one list for each case. `origin`: {label: fact it was obtained from}.

    In a conjunction only the proof of the last part is followed: the goal ends there.
    """
    origins = dict(origin)
    values: list[str] = []
    for node in proof:
        by = node["by"]
        if by == "obtain":
            source = origins.get(node["fact"], f"of {node['fact']}")
            origins |= {label: source for label in (node["name"], node["as"]) if isinstance(label, str)}
        elif by == "witness":
            term = str(node["term"])
            values.append(origins.get(term, term))
        elif by == "split":
            yield from ([*values, *later] for later in _witnesses(node["proofs"][-1], origins))
            return
        elif by in ("cases", "em"):
            for part in node["proofs"]:
                yield from ([*values, *later] for later in _witnesses(part, origins))
            return
    yield values


def _hypothesis_uses(proof: Sequence[Node]) -> Iterator[str]:
    """The terms at which a proof uses facts that it has from its first hypothesis."""
    # The first `intro`: the facts before it, and all but the last part of a conjunction, are skipped.
    while proof and proof[0]["by"] in ("have", "split"):
        proof = proof[1:] if proof[0]["by"] == "have" else proof[0]["proofs"][-1]
    if not proof or proof[0]["by"] != "intro":
        return
    # `labels` are the facts from the hypothesis. A term in "with" that begins with # or ! is not a value.
    labels = set(_flat(proof[0]["as"]))
    for node in proof[1:]:
        if node["by"] in ("obtain", "use") and node["fact"] in labels:
            labels |= set(_flat([node["as"]]))
            terms = [x for x in node.get("with", ()) if isinstance(x, str) and x[:1] not in ("#", "!")]
            if terms:
                yield ", ".join(terms)


def _flat(labels: list[Any]) -> Iterator[str]:
    """All labels in nested lists."""
    for label in labels:
        yield from label if isinstance(label, list) else [label]
