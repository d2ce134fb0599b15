"""Closed lemmas that introduce or eliminate many quantifiers, or many parts of a conjunction, at once.

Every `destruct`, `exists` or `split` repeats the rest of the formula in the proof term. The formula of a run can have
two hundred quantifiers and a body of forty thousand characters. In these lemmas the body is a variable, so that it is
written once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.coq.ring import Lemmas
from symcook.coq.term import Term, conjuncts, sort_text

if TYPE_CHECKING:
    from symcook.proof.terms import Sort

MANY = 5
"""From this number of quantifiers or parts on, such a lemma is used; fewer are handled one by one."""


def obtained(lemmas: Lemmas, sorts: Sequence[Sort]) -> str:
    """The name of the lemma (exists x0 .. xn, F x0 .. xn) -> (forall x0 .. xn, F x0 .. xn -> G) -> G."""
    names, every_formula, bound, body = _quantified(sorts)
    opening_pattern = "[" + " [".join(names) + " h" + "]" * len(names)
    statement = f"{every_formula}, forall G : Prop, {_some(sorts, body)} -> (forall {bound}, {body} -> G) -> G"
    return lemmas.name(statement, f"intros F G {opening_pattern} g. exact (g {' '.join(names)} h).", "open")


def witnessed(lemmas: Lemmas, sorts: Sequence[Sort]) -> str:
    """The name of the lemma F x0 .. xn -> exists x0 .. xn, F x0 .. xn."""
    names, every_formula, bound, body = _quantified(sorts)
    tactic = f"intros F {' '.join(names)} h. exact ({_chain('ex_intro _ ', names)})."
    return lemmas.name(f"{every_formula} {bound}, {body} -> {_some(sorts, body)}", tactic, "some")


def parted(lemmas: Lemmas, f: Term) -> str:
    """The name of the lemma C -> (A0 -> .. -> An -> G) -> G, where C is the conjunction of A0 .. An with the brackets
    of `f`."""
    shape, pattern, names = _conjunction(f)
    tactic = f"intros {names} G {pattern} g. exact (g {names.replace('A', 'h')})."
    return lemmas.name(f"forall {names} G : Prop, {shape} -> ({' -> '.join(names.split())} -> G) -> G", tactic, "parts")


def joined(lemmas: Lemmas, f: Term) -> str:
    """The name of the lemma A0 -> .. -> An -> C, where C is the conjunction of A0 .. An with the brackets of `f`."""
    shape, _, names = _conjunction(f)
    hypotheses = names.replace("A", "h")
    tactic = f"intros {names} {hypotheses}. exact {_conj(f, iter(hypotheses.split()))}."
    return lemmas.name(f"forall {names} : Prop, {' -> '.join([*names.split(), shape])}", tactic, "all")


def function(sorts: Sequence[Sort], names: Sequence[str], body: str) -> str:
    """The function of these variables with this body."""
    bound = " ".join(f"({name} : {sort_text(sort)})" for name, sort in zip(names, sorts, strict=True))
    return f"(fun {bound} => {body})"


def in_a_row(proof: Sequence[Any], place: int) -> Sequence[Any]:
    """The node at `place`, with the nodes after it that the same lemma can replace: a row of `witness` nodes, or a row
    of `obtain` nodes each of which opens the fact of the node before; a node of another kind comes alone.

    The facts in between do not exist in the lemma's version: where a later step uses one of them, a row of `obtain`
    nodes that is long enough for the lemma is cut to its first node.
    """
    end, kind = place + 1, proof[place]["by"]
    if kind == "witness":
        while end < len(proof) and proof[end]["by"] == kind:
            end += 1
    elif kind == "obtain":
        while end < len(proof) and proof[end]["by"] == kind and proof[end]["fact"] == proof[end - 1]["as"]:
            end += 1
        if end - place >= MANY:
            later = {word.removeprefix("#") for word in _words(proof[end:])}
            if any(node["as"] in later for node in proof[place : end - 1]):
                end = place + 1
    return proof[place:end]


def _words(nodes: object) -> Iterator[str]:
    """All strings in the nodes of a proof."""
    if isinstance(nodes, str):
        yield nodes
    elif isinstance(nodes, Mapping):
        for value in nodes.values():
            yield from _words(value)
    elif isinstance(nodes, Iterable):
        for value in nodes:
            yield from _words(value)


def _quantified(sorts: Sequence[Sort]) -> tuple[list[str], str, str, str]:
    """The texts for a predicate F of variables of these sorts: the variables x0 .. xn, "forall F", the binders of the
    variables, and F applied to them."""
    names = [f"x{i}" for i in range(len(sorts))]
    bound = " ".join(f"({name} : {sort_text(sort)})" for name, sort in zip(names, sorts, strict=True))
    every_formula = f"forall (F : {' -> '.join([*map(sort_text, sorts), 'Prop'])})"
    return names, every_formula, bound, f"F {' '.join(names)}"


def _some(sorts: Sequence[Sort], body: str) -> str:
    """exists x0 .. xn, body."""
    bound = "".join(f"(exists x{i} : {sort_text(sort)}, " for i, sort in enumerate(sorts))
    return f"{bound}{body}" + ")" * len(sorts)


def _chain(head: str, names: Sequence[str]) -> str:
    """head x0 (head x1 (.. h))."""
    return "(".join(f"{head}{name} " for name in names) + "h" + ")" * (len(names) - 1)


def _conjunction(f: Term) -> tuple[str, str, str]:
    """The conjunction of A0 .. An with the brackets of `f`, the pattern that takes it apart, and the names A0 .. An."""
    count = iter(range(len(conjuncts("&", f))))

    def parts(t: Term) -> tuple[str, str]:
        """The text and the pattern for a part of `f`."""
        if t.op != "&":
            here = next(count)
            return f"A{here}", f"h{here}"
        (a, p), (b, q) = parts(t.kids[0]), parts(t.kids[1])
        return f"({a} /\\ {b})", f"[{p} {q}]"

    shape, pattern = parts(f)
    return shape, pattern, " ".join(f"A{i}" for i in range(len(conjuncts("&", f))))


def _conj(f: Term, names: Iterator[str]) -> str:
    """The proof of a conjunction with the brackets of `f`, from the proofs `names` of its parts."""
    if f.op != "&":
        return next(names)
    return f"(conj {_conj(f.kids[0], names)} {_conj(f.kids[1], names)})"
