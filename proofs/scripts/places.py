"""D at the place of a counterexample: what is left of a statement there has no denominator that vanishes."""

from __future__ import annotations

from symcook.errors import Rejected
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Term, num, subterms

LINEAR = {"degree": 1, "rounds": 0}


def at_a_place(g: Goal) -> None:
    """Close each part of D by what its terms are made of."""
    g.leaves("", leaf)


def leaf(h: Goal) -> None:
    if h.try_contradiction() or h.try_auto(**LINEAR):
        return
    if h.goal[0] in ("<", "<="):
        strict = h.goal[0] == "<"
        target = h.goal[2][1]
        h.hyp(positive(h, target)) if strict else h.auto(above(h, target), **LINEAR)
        return
    failed = None
    for label, fact in reversed(list(h.facts.items())):
        if fact[0] == "=" and fact[2][1] == num(0):
            try:
                h.auto([positive(h, fact[2][0]), label], **LINEAR)
                return
            except (Stuck, Rejected) as error:
                failed = failed or error
    raise failed or Stuck(f"no denominator is seen:\n{h.show()}")


def positive(h: Goal, t: Term) -> str:
    """The label of 0 < t."""
    label = h.fresh("pos")
    wanted: Term = ("<", None, (num(0), t))

    def proof(e: Goal) -> None:
        tag, name, kids = t
        if e.try_auto(**LINEAR):
            return
        if tag == "fn" and name == "exp":
            e.use("ax:exp_pos", e.text(kids[0]), label="done").hyp("done")
        elif tag == "fn" and name == "sqrt":
            inner = positive(e, kids[0])
            stem = e.fresh("root")
            e.use("lem:sqrt_positive", e.text(kids[0]), f"#{inner}", label=" ".join(f"{stem}_{k}" for k in range(4)))
            e.auto([f"{stem}_{k}" for k in range(4)], **LINEAR)
        elif tag == "sum" and any(s[0] == "fn" and s[1] == "exp" for s in [kids[2]]):
            terms = e.text(("lam", ("Int",), (kids[2],)))
            every = lambda x: x.intro_all().use("ax:exp_pos", x.text(x.goal[2][1][2][0]), label="done").hyp("done")  # noqa: E731
            e.use("lem:sum_positive", terms, e.text(kids[0]), e.text(kids[1]), None, every, label="total").auto("total", **LINEAR)
        elif tag == "sum" and kids[2][0] == "ind":
            scores = e.text(("lam", ("Int",), (kids[2][2][0][2][0][2][1][2][0],)))
            e.use("lem:hm_count", scores, e.text(kids[1]), label="total").auto("total", **LINEAR)
        elif tag in ("*", "+"):
            labels = [positive(e, k) for k in kids]
            e.auto(labels)
        else:
            squared(e, t)

    h.have(wanted, label, proof)
    return label


def squared(e: Goal, t: Term) -> None:
    atoms = {e.text(s) for s in subterms(t) if s[0] in ("app", "var") and closed(s) and sort(s)}
    e.auto(squares=sorted(atoms)[:6])


def above(h: Goal, t: Term) -> list[str]:
    """Labels from which 0 <= t follows."""
    return [positive(h, t)]


def sort(s: Term) -> bool:
    return s[0] == "app" or isinstance(s[1][1], str)


def closed(s: Term) -> bool:
    return all(x[0] != "bound" for x in subterms(s))
