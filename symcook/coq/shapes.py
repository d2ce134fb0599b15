"""Closed lemmas that open or close many quantifiers, or many parts of a conjunction, at once.

Each single `destruct`, `exists` or `split` writes the rest of the formula into the proof again. A run has two hundred
functions and a body of forty thousand characters. In these lemmas the body is a variable, so it is written once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symcook.coq.ring import Lemmas
from symcook.coq.term import Term, conjuncts, sort_text

if TYPE_CHECKING:
    from symcook.proof.terms import Sort

MANY = 5  # quantifiers or parts; fewer are taken one by one


def obtained(lemmas: Lemmas, sorts: Sequence[Sort]) -> str:
    """(exists x0 .. xn, F x0 .. xn) -> (forall x0 .. xn, F x0 .. xn -> G) -> G"""
    names, every_formula, bound, body = _quantified(sorts)
    opening_pattern = "[" + " [".join(names) + " h" + "]" * len(names)
    statement = f"{every_formula}, forall G : Prop, {_some(sorts, body)} -> (forall {bound}, {body} -> G) -> G"
    return lemmas.name(statement, f"intros F G {opening_pattern} g. exact (g {' '.join(names)} h).", "open")


def witnessed(lemmas: Lemmas, sorts: Sequence[Sort]) -> str:
    """F x0 .. xn -> exists x0 .. xn, F x0 .. xn"""
    names, every_formula, bound, body = _quantified(sorts)
    tactic = f"intros F {' '.join(names)} h. exact ({_chain('ex_intro _ ', names)})."
    return lemmas.name(f"{every_formula} {bound}, {body} -> {_some(sorts, body)}", tactic, "some")


def parted(lemmas: Lemmas, f: Term) -> str:
    """The conjunction -> (A0 -> .. -> An -> G) -> G, for the brackets of `f`"""
    shape, pattern, names = _conjunction(f)
    tactic = f"intros {names} G {pattern} g. exact (g {names.replace('A', 'h')})."
    return lemmas.name(f"forall {names} G : Prop, {shape} -> ({' -> '.join(names.split())} -> G) -> G", tactic, "parts")


def joined(lemmas: Lemmas, f: Term) -> str:
    """A0 -> .. -> An -> the conjunction, for the brackets of `f`"""
    shape, _, names = _conjunction(f)
    hypotheses = names.replace("A", "h")
    tactic = f"intros {names} {hypotheses}. exact {_conj(f, iter(hypotheses.split()))}."
    return lemmas.name(f"forall {names} : Prop, {' -> '.join([*names.split(), shape])}", tactic, "all")


def function(sorts: Sequence[Sort], names: Sequence[str], body: str) -> str:
    """The function of these variables with this body."""
    bound = " ".join(f"({name} : {sort_text(sort)})" for name, sort in zip(names, sorts, strict=True))
    return f"(fun {bound} => {body})"


def in_a_row(proof: Sequence[Any], place: int) -> Sequence[Any]:
    """The node at `place` and those after it that one lemma can replace: a row of witnesses, or a row of `obtain` in
    which each opens the fact of the one before, if no later step uses such a fact."""
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
    """Variables x0 .. xn of these sorts, "forall F" for a predicate of them, their binders, and F applied to them."""
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
    """The conjunction of A0 .. An, the pattern that takes it apart, and these names."""
    count = iter(range(len(conjuncts("&", f))))

    def parts(t: Term) -> tuple[str, str]:
        """The text and the pattern of a part."""
        if t.op != "&":
            here = next(count)
            return f"A{here}", f"h{here}"
        (a, p), (b, q) = parts(t.kids[0]), parts(t.kids[1])
        return f"({a} /\\ {b})", f"[{p} {q}]"

    shape, pattern = parts(f)
    return shape, pattern, " ".join(f"A{i}" for i in range(len(conjuncts("&", f))))


def _conj(f: Term, names: Iterator[str]) -> str:
    """The proof of a conjunction with the brackets of `f` from the proofs of its parts."""
    if f.op != "&":
        return next(names)
    return f"(conj {_conj(f.kids[0], names)} {_conj(f.kids[1], names)})"
