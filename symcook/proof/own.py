"""A claim of one's own: a model file and a sentence make a statement; a proof text, or the automation, its certificate.

What a sentence may say is in `ownwords`, what its names mean in `ownnames`. The statement says that it holds for every
word: the names are quantified, and the word and the run's equations are premises (see `runrel`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.model import modelfile
from symcook.model.rationals import quotient
from symcook.proof import kernel, replay
from symcook.proof.instances import Instances
from symcook.proof.ownnames import Meaning, named
from symcook.proof.ownwords import MUST
from symcook.proof.replay import Statement
from symcook.proof.search import automation, elaborate, prooftext
from symcook.proof.search.elaborate import Elaborator
from symcook.proof.search.prooftext import BadProof, Line, Place, ProofText
from symcook.proof.search.tactics import Goal, Library
from symcook.proof.terms import Term, flatten, instantiate, var

LENGTH = 3
"""Words up to this length are tried as witnesses that the premises can be met."""


def claim(document: Mapping[str, Any], sentence: str) -> Statement:
    """The statement that `sentence` makes about the model of a document; BadInput where it makes none.

    It carries the sentence as its note, and the hash of the model.
    """
    sentence = sentence.translate(dict.fromkeys(map(ord, "\t\r\n"), " ")).strip()
    meaning = Meaning(document, _definitions())
    text = meaning.text(sentence)
    names = ", ".join(["n:Int", "w:Int->Int", *(f"{name}:Int->Real" for name in meaning.functions)])
    whole = f"all {names}. 1 <= n -> ({meaning.word}) -> {meaning.run} -> ({text})"
    model = modelfile.document_hash(document)
    statement = Statement(named(document["name"]), whole, note=sentence, known=_definitions(), model=model)
    try:
        statement.formula  # noqa: B018
    except Rejected as error:
        raise BadInput(MUST, sentence, str(error)) from None
    return statement


def _definitions() -> Mapping[str, Any]:
    return next(iter(replay.statements().values())).known if replay.statements() else {}


class _Facts(Mapping[str, Term]):
    """The axioms, and the formulas of statements, each read when it is asked for: most proofs cite few."""

    def __init__(self, known: Mapping[str, Statement]) -> None:
        self.axioms, self.known = {f"ax:{k}": f for k, f in kernel.axioms().items()}, known

    def __getitem__(self, label: str) -> Term:
        return self.axioms[label] if label in self.axioms else self.known[label].formula

    def __contains__(self, label: object) -> bool:
        return label in self.axioms or label in self.known

    def __iter__(self) -> Iterator[str]:
        return itertools.chain(self.axioms, self.known)

    def __len__(self) -> int:
        return len(self.axioms) + len(self.known)


def library(statement: Statement, known: Mapping[str, Statement]) -> Library:
    """What a search for a proof of `statement` may use: the axioms, and the lemmas and claims `known` by label."""
    texts = {**known, "": statement}
    return Library(statement.known, _Facts(known), texts=lambda k: texts[k].expanded if k in texts else None)


def prove(statement: Statement, text: ProofText | None = None) -> dict[str, Any]:
    """The certificate; Gap with what was left to show where the proof has one, BadProof for a text that is none."""
    if text is not None and text.id != statement.id:
        raise BadProof(Place(1, 1), f"expected a text of {statement.id}", text.id)
    stored = {s.label: s for s in replay.statements().values()}
    home = library(statement, stored)
    text = text or prooftext.read(f"proof own.claim\n  given .. some word {_equations(statement)}\n  qed\n")
    if text.refutes:
        parts = {"proof": elaborate.part(home, text, "proof", statement.refutation)}
    else:
        parts = {
            "proof": elaborate.part(home, text, "proof", statement.formula),
            "defined": elaborate.part(home, text, "defined", statement.defined),
            "inhabited": (
                elaborate.part(home, text, "inhabited", statement.inhabited)
                if "inhabited" in text.parts
                else inhabited(home, statement)
            ),
        }
    labels = {x for nodes in parts.values() for x in _used(nodes)}
    lemmas = [stored[label] for label in labels if label in stored]
    sense = "refuted" if text.refutes else "proved"
    certificate = replay.make_certificate(
        statement, parts["proof"], parts.get("defined"), parts.get("inhabited"), lemmas, sense
    )
    replay.judge(statement, certificate, {s.id: s for s in lemmas})
    return certificate


def _equations(statement: Statement) -> str:
    """How a text names the premise that is the run: each equation by its function where there are several."""
    f = statement.formula
    while f[0] == "all":
        f = f[2][0]
    f = f[2][1][2][1]  # behind 1 <= n and the word
    return "(..)" if f[2][0][0] == "&" else "run"


def _used(proof: Any) -> Iterator[str]:
    if isinstance(proof, str):
        if proof.startswith(("lem:", "#lem:", "named:", "#named:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict | list):
        for value in proof.values() if isinstance(proof, dict) else proof:
            yield from _used(value)


def below(certificate: Mapping[str, Any]) -> list[str]:
    """The stored statements that a certificate rests on, lemmas of lemmas too, in the order of the files."""
    folder = replay.library().root / "certificates"
    found: set[str] = set()
    todo = [*certificate["lemmas"]]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            path = folder / f"{name}.json"
            todo += replay.load_json(path.read_bytes())["lemmas"] if path.is_file() else []
    return [name for name in replay.statements() if name in found]


def expanded(statement: Statement, certificate: Mapping[str, Any]) -> str:
    """Definitions, lemmas and the statement in the form that the second checker, proofs/checker.py, reads."""
    lines = (replay.library().root / "statements" / "definitions.txt").read_text(encoding="utf-8").split("\n")
    blocks = ["\n".join(f"define: {x.strip()}" for x in lines if x.strip() and not x.lstrip().startswith("#"))]
    blocks += [one.block for one in [*(replay.statements()[name] for name in below(certificate)), statement]]
    return "\n\n".join(blocks) + "\n"


def inhabited(home: Library, statement: Statement) -> list[dict[str, Any]]:
    """H by words that are tried: the run on each gives the values."""
    g = Goal(home, statement.inhabited, {}, {})
    for part in g.split() if g.goal[0] == "&" else [g]:
        for terms in witnesses(part, statement):
            if part.first(lambda h, terms=terms: served(h, terms)):
                break
        else:
            Elaborator().automatic(
                part, Line("qed", place=Place(1, 1)), "no word shows that the premises can be met"
            )
    return g.nodes


def served(g: Goal, terms: Sequence[str]) -> None:
    """Close `g` with these witnesses."""
    for term in terms:
        g.witness(term)
    automation.prove(g, (), automation.LEVELS[:3])


def witnesses(g: Goal, statement: Statement) -> Iterator[list[str]]:
    """Values of the leading names at words on which what `g` asks for is true."""
    found: dict[Term, Any] = {}
    names = list(expr_names(statement))
    body = g.goal
    for name, sort in names:
        if body[0] != "ex" or body[1] != sort:
            return
        v = var(name, sort)
        found[v] = None if isinstance(sort, str) else {}
        body = instantiate(body[2][0], (v,))
    if body[0] == "ex":
        return
    for length in range(1, LENGTH + 1):
        tried = Instances([n for n, _ in names], length)
        tried.values = {v: None if x is None else {} for v, x in found.items()}
        premises = [p for p in flatten("&", body)]
        try:
            for _ in tried.meeting(premises):
                yield [_value(x) for x in tried.values.values()]
        except Rejected:
            return


def expr_names(statement: Statement) -> Iterator[tuple[str, Any]]:
    """The leading names with their sorts."""
    t = statement.formula
    from symcook.proof.grammar import leading_names

    for name in leading_names(statement.text):
        if t[0] != "all":
            return
        yield name, t[1]
        t = t[2][0]


def _value(x: Any) -> str:
    if not isinstance(x, dict):
        return quotient(x)
    parts = [f"I[j = {i}]" + ("" if v == 1 else f"*({quotient(v)})") for i, v in sorted(x.items()) if v]
    return "j. " + (" + ".join(parts) or "0")
