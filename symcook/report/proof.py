"""All that a reader of one id needs: the paper's words, the statement, a short proof, what it rests on.

Verdicts of `symcook.proof.replay` go in. Out comes what ``symcook prove`` prints, as a document of `report.document`,
as LaTeX, or as JSON; and the counterexample of a stored refutation (`witness`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import unknown
from symcook.model.answers import grouped
from symcook.model.expr import parse_formula
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


MOST_STATED = 4  # with so few verdicts the statements are shown too
_GOOD = ("PROVED", "DECIDED", "REFUTED", "CORRECTED")


def paper_words(name: str) -> str:
    """Where the claim stands and what it says in our words; empty for a lemma."""
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
    """The stored certificate that gave a verdict: the refutation where there is one."""
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
    """The lists of names and the definitions that a statement uses, one a line."""
    from symcook.proof.runrel import named

    lists = dict.fromkeys(re.findall(r"\bnames\(.*?\)", statement.written))
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
    meant = definitions_text(statement)
    where = [Document("where", [PlainLines(meant, "  ")])] if meant else []
    return [PlainLines([statement.written], ""), *where]


def table(verdicts: Sequence[Verdict], without: Sequence[str], width: int) -> Table:
    """A line for each id: its status, and what its proof used."""
    from symcook.claims import ledger

    rows = []
    for verdict in verdicts:
        words = [f"assuming {', '.join(verdict.assuming)}"] if verdict.assuming else []
        words += [f"{grouped(verdict.nodes)} nodes"] if verdict.nodes else []
        words += [f"uses {', '.join(verdict.lemmas)}"] if verdict.lemmas else []
        words += [f"false at {witness(verdict.id)}"] if verdict.status in ("REFUTED", "CORRECTED") else []
        words += [verdict.reason] if verdict.reason else []
        rows.append((verdict.status, verdict.id, "; ".join(words)))
    claims_by_id = {row.id: row for row in ledger(names=without)} if without else {}
    rows += [_unproved(name, claims_by_id.get(name)) for name in without]
    return Table(rows, width=width)


def _unproved(name: str, row: Claim | None) -> tuple[str, str, str]:
    """The line of an id without a stored proof: a definition is a test's, what is cited somebody else's."""
    if row is None or (row.status in ("OPEN", "PROVED", "CORRECTED", "REFUTED") and not (row.same or row.corrected)):
        status_text = "" if row is None or row.status == "OPEN" else f", though the ledger says {row.status}"
        return "OPEN", name, f"no stored proof{status_text}"
    what = {"DEFINED": "a definition: "}.get(row.status, "")
    return row.status, name, f"{what}{row.reason or 'no stored proof'}"


def document(verdicts: Sequence[Verdict], without: Sequence[str], width: int, full: bool = False) -> Document:
    """What ``symcook prove`` prints: a line for each id, then one id whole, or the statements where they are few, then
    how many were reproduced."""
    from symcook.claims import DEFINITION, inventory
    from symcook.proof.replay import statements

    sections: list[PlainLines | Table | Document] = []
    # Several ids: the statements, where they are few. One id: all about it, or its statement where no proof is stored.
    if len(verdicts) + len(without) != 1:
        few = verdicts if len(verdicts) <= MOST_STATED else ()
        for name in (name for verdict in few for name in (verdict.id, *corrections(verdict.id))):
            sections.append(Document(name, [PlainLines([statements()[name].written], "")]))
    elif verdicts:
        sections += proof(verdicts[0], full)
    elif (name := without[0]) in statements():
        words = paper_words(name)
        sections += [Document("Paper", [PlainLines([words], "")])] if words else []
        sections.append(Document("Statement, not proved", stated(name)))
    # How many were reproduced; a definition needs no proof and does not count as a claim without one.
    good = sum(verdict.status != "OPEN" for verdict in verdicts)
    total = f"{good} of {len(verdicts)} stored proofs reproduced"
    claims = [name for name in without if name not in inventory() or inventory()[name].kind != DEFINITION]
    if claims:
        total += f"; {len(claims)} {'claim has' if len(claims) == 1 else 'claims have'} none yet"
    if not (verdicts or without):
        return Document("no stored proof yet")
    first = table(verdicts, without, width)
    return Document("", [first, *sections, PlainLines([total])], apart="\n\n" if sections else "\n")


def example_of(statement: Statement, certificate: Mapping[str, Any]) -> str:
    """The values at which the stored proof meets the hypotheses; empty where it takes none in front."""
    from symcook.proof import grammar

    steps = certificate.get("inhabited", [])
    while steps and steps[0]["by"] == "split":
        steps = steps[0]["proofs"][0]
    values = [node["term"] for node in steps if node["by"] == "witness"]
    names = grammar.leading_names(statement.expanded)
    if not values or len(values) < len(names):
        return ""
    return ", ".join(f"{n} = {v}" for n, v in zip(names, values, strict=False))


def proof(verdict: Verdict, full: bool = False) -> list[PlainLines | Table | Document]:
    """The report on one id: paper's words, statement, proof, what it used and what has to be trusted."""
    from symcook.proof.replay import statements

    # What is claimed: in the paper, formally, and corrected where it is false as printed.
    statement = statements()[verdict.id]
    words = paper_words(verdict.id)
    out: list[PlainLines | Table | Document] = [Document("Paper", [PlainLines([words], "")])] if words else []
    out.append(Document("Statement", stated(verdict.id)))
    corrected = corrections(verdict.id) if verdict.status == "CORRECTED" else []
    out += [Document(f"Corrected: {name}", stated(name)) for name in corrected]
    if verdict.status in _GOOD:
        out += _proof_part(verdict, statement, full)
    # What the proof used and what it assumes.
    rows = []
    if verdict.nodes:
        rows.append(("Nodes", str(verdict.nodes)))
    if verdict.status in _GOOD:
        rows.append(("Lemmas", ", ".join(verdict.lemmas) or "none"))
        own, through = _axioms(verdict)
        rows += [("Axioms", own), *([("in lemmas", through)] if through else [])]
        assumed = [f"named.{n}" for n in verdict.named] + [f"oracle.{n}" for n in verdict.oracles]
        rows += [("Assumes", f"{n}: {statements()[n].written}") for n in assumed] or [("Assumes", "nothing")]
    rows += [("Not checked", words) for words in _unasked(verdict, statement, corrected)]
    # What must be trusted: the first checker, or the second one instead. The line ends with the hash of the statement.
    if verdict.status != "OPEN":
        words, _, digest = trust_line(verdict).rpartition("; statement sha256 ")
        first, _, second = words.partition("; or instead ")
        rows += [("Trust", first), *([("or trust", second)] if second else []), ("Details", "symcook prove --trust")]
        rows.append(("Hash", f"sha256 {digest}"))
    if verdict.certificate is not None:
        rows.append(("File", f"certificates/{Path(verdict.certificate).name}"))
    return [*out, Table([*rows, ("Seconds", f"{verdict.seconds:.3f}")], width=WIDTH)]


def _unasked(verdict: Verdict, statement: Statement, corrected: Iterable[str]) -> list[str]:
    """What is said of the premises inside I[...] of what a verdict says holds; nothing of a lemma, which has no H."""
    from symcook.proof.replay import statements

    holds = [statement] if verdict.status == "PROVED" else [statements()[name] for name in corrected]
    return [
        unasked_words(premises)
        for proved_statement in holds
        if proved_statement.claim and (premises := unasked(proved_statement))
    ]


def _axioms(verdict: Verdict) -> tuple[str, str]:
    """Those of a proof, and those of its lemmas besides."""
    own = set(verdict.axioms)
    through = [name for name in axioms_used(below([verdict.id])) if name not in own]
    return ", ".join(verdict.axioms) or "none", ", ".join(through)


def _proof_part(verdict: Verdict, statement: Statement, full: bool) -> Iterator[Document]:
    """The proof as it was written, or as an outline of the certificate; then what else was proved."""
    from symcook.proof.audit.source import built_from
    from symcook.proof.replay import library, statements
    from symcook.proof.search import prooftext

    certificate = certificate_of(verdict)
    most = None if full else MOST_LINES
    refuted = certificate["sense"] == "refuted"
    title = f"Refutation: the statement is false at {witness(verdict.id)}" if refuted else "Proof"
    written, why = built_from(library().root, verdict.id, statements())

    def steps(part: str) -> PlainLines:
        """The author's lines; where there is no text, an outline of the certificate."""
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

    words = paper_words(verdict.id)
    head = [rf"Paper: {escaped(words)}"] if words else []
    corrected = []
    for name in corrections(verdict.id) if verdict.status == "CORRECTED" else ():
        corrected += [rf"\noindent Corrected (\texttt{{{escaped(name)}}}):", statement_latex(statements()[name])]
    certificate = certificate_of(verdict) if verdict.status in _GOOD else None
    return _latex(statements()[verdict.id], verdict, certificate, head, corrected, full)


def own_latex(
    statement: Statement, verdict: Verdict, certificate: Mapping[str, object], sentence: str, full: bool = False
) -> str:
    """The same of a claim about a model of one's own, with the sentence as it was given."""
    head = [rf"\noindent Claim: \texttt{{{escaped(sentence)}}}."]
    return _latex(statement, verdict, certificate, head, [], full, (statement, certificate))


def _latex(
    statement: Statement,
    verdict: Verdict,
    certificate: Mapping[str, object] | None,
    head: list[str],
    behind: list[str],
    full: bool,
    own: tuple[Statement, Mapping[str, object]] | None = None,
) -> str:
    """`head`, the statement, what stands `behind` it, and the outline of its proof."""
    rows = [f"% needs \\usepackage{{{','.join(PACKAGES)}}}; {verdict.id}: {verdict.words}"]
    rows.append(rf"\paragraph{{\texttt{{{escaped(verdict.id)}}}}} {escaped(verdict.words)}.")
    rows += [*head, statement_latex(statement), *behind]
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


def break_target(verdict: Verdict) -> str | None:
    """The statement whose neighbours are tried: the id itself, what corrects it, or none."""
    if verdict.status in ("PROVED", "DECIDED"):
        return verdict.id
    return corrections(verdict.id)[0] if verdict.status == "CORRECTED" else None


def break_json(tried: Iterable[Neighbour]) -> list[dict[str, Any]]:
    """What became of each near miss: the change, whether the stored proof proves it too, else why it was rejected and
    an instance at which it is false (null where none was found). "stronger" says that it claims more."""
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
    """What became of each near miss, as lines, and the counts at the end."""
    # Counts: false at an instance, rejected but undecided, proved too and stronger, proved too and perhaps weaker.
    false = open_ = sharp = weak = 0
    for neighbour in tried:
        change = neighbour.change
        yield filled(f"{change.kind}: {change.before}  =>  {change.after}", hang="    ")
        if neighbour.accepted:
            sharp += change.stronger
            weak += not change.stronger
            words = "accepted: the stored proof proves this too"
            words += "; it says more, so the statement is not tight here" if change.stronger else " (it may say less)"
        elif neighbour.instance:
            false += 1
            words = f"rejected: {neighbour.reason}; it is false at {neighbour.instance}"
        else:
            open_ += 1
            words = f"rejected: {neighbour.reason}; whether it is true was not decided"
        yield filled(words, "    ", "  ")
    yield ""
    yield f"{false + open_ + sharp + weak} mutated statements of {name}:"
    yield f"  {false} false at an instance, all of them rejected with the stored proof"
    yield f"  {open_} rejected; no instance found at which they are false, so only this proof does not prove them"
    if sharp:
        yield f"  {sharp} accepted although they say more: the statement is not tight there"
    if weak:
        yield f"  {weak} accepted, and they are proved: the statement's own proof covers them"


def witness(name: str) -> str:
    """The counterexample in a stored refutation: the witnesses for the leading quantifiers of the statement.

    They are the nodes by which the proof closes "there are values at which it fails", so no others can be shown. An
    object that the proof has from an existential fact is named by that fact. Where cases have witnesses of their own,
    they are joined by "or". A statement without leading quantifiers is refuted as it stands; then the values are shown
    at which the proof uses what it supposes, or the stored models that the statement denies something of.
    """
    from symcook.proof.files import load_json
    from symcook.proof.grammar import leading_names
    from symcook.proof.replay import library

    home = library()
    for path in (home.root / "certificates" / f"{name}{end}.json" for end in (".refuted", "")):
        certificate = load_json(path.read_bytes()) if path.is_file() else {}
        if certificate.get("sense") == "refuted":
            tree, claimed = parse_formula(home.statements[name].expanded), list[str]()
            while tree[0] == "ex":  # what it says to exist does not
                claimed, tree = [*claimed, tree[1]], tree[-1]
            if claimed:
                return f"all {', '.join(claimed)}"
            # With leading universal quantifiers: the values that the proof of the negation gives for them.
            names, witnesses = leading_names(home.statements[name].expanded), _values(certificate["proof"], {})
            if not names:
                used = dict.fromkeys(_uses(certificate["proof"]))
                models = dict.fromkeys(re.findall(r"\brun\(([\w-]+)\)", home.statements[name].text))
                return " and ".join(used or (f"the stored model {model}" for model in models))
            value_texts = (", ".join(_said(n, v) for n, v in zip(names, at, strict=False)) for at in witnesses)
            return " or ".join(dict.fromkeys(filter(None, value_texts)))
    raise unknown("refuted claim", name, [])


def _said(name: str, value: str) -> str:
    """NAME = VALUE, of a function NAME(a, b) = ...; a multiple of indicators as its value where they hold."""
    if value.startswith("of "):
        return f"{name} {value}"
    function = re.fullmatch(r"(\w+(?: \w+)*)\. (.*)", value)
    if function is not None:
        name, value = f"{name}({', '.join(function[1].split())})", function[2]
    if multiple := re.fullmatch(r"(-?)(?:([\d/]+)\*)?((?:I\[[^][]*\]\*?)+)(?<!\*)", value):
        condition = " and ".join(re.findall(r"I\[([^][]*)\]", multiple[3]))
        value = f"{multiple[1]}{multiple[2] or 1} if {condition}, else 0"
    return f"{name} = {value}"


def _values(proof: Sequence[Node], origin: Mapping[str, str]) -> Iterator[list[str]]:
    """The terms of the witness nodes on the way to the end of the goal: of a conjunction its last part leads there."""
    known = dict(origin)
    values: list[str] = []
    for node in proof:
        by = node["by"]
        if by == "obtain":
            source = known.get(node["fact"], f"of {node['fact']}")
            known |= {label: source for label in (node["name"], node["as"]) if isinstance(label, str)}
        elif by == "witness":
            term = str(node["term"])
            values.append(known.get(term, term))
        elif by == "split":
            yield from ([*values, *later] for later in _values(node["proofs"][-1], known))
            return
        elif by in ("cases", "em"):
            for part in node["proofs"]:
                yield from ([*values, *later] for later in _values(part, known))
            return
    yield values


def _uses(proof: Sequence[Node]) -> Iterator[str]:
    """The terms at which a proof uses facts that it has from what it supposes first."""
    while proof and proof[0]["by"] in ("have", "split"):
        proof = proof[1:] if proof[0]["by"] == "have" else proof[0]["proofs"][-1]
    if not proof or proof[0]["by"] != "intro":
        return
    labels = set(_flat(proof[0]["as"]))
    for node in proof[1:]:
        if node["by"] in ("obtain", "use") and node["fact"] in labels:
            labels |= set(_flat([node["as"]]))
            terms = [x for x in node.get("with", ()) if isinstance(x, str) and x[:1] not in ("#", "!")]
            if terms:
                yield ", ".join(terms)


def _flat(labels: list[Any]) -> Iterator[str]:
    """The labels, those of nested lists too."""
    for label in labels:
        yield from label if isinstance(label, list) else [label]
