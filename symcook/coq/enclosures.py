"""The step `interval` of a certificate as an interval computation in Coq (`Boxes.boxed` of Enclosures.v), which also
supports erf.

If a tree of cases v <= c or v < c has only such steps at its leaves, the whole tree is one computation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from symcook.coq.term import Term, Untranslatable, occurrences, text

if TYPE_CHECKING:
    from symcook.coq.steps import Script
    from symcook.proof.search import nodes

OPERATIONS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "neg": "Neg", "inv": "Inv"}
"""The constructors of Enclosures.v for operations."""
FUNCTIONS = {
    "pi": "Pi",
    "sqrt": "Sqrt",
    "exp": "Exp",
    "log": "Ln",
    "abs": "Abs",
    "relu": "Relu",
    "min": "Min",
    "max": "Max",
    "erf": "Erf",
}
"""The constructors of Enclosures.v for functions."""

Splits: TypeAlias = "tuple[()] | tuple[Term, Term, Splits, Splits]"
"""A tree of cases v <= c or v < c: (v, c, the tree where it holds, the tree where it does not); () at a leaf."""


def boxes(node: nodes.ExcludedMiddle, formula: Callable[[str], Term]) -> Any:
    """A node `interval` for a whole tree of cases, with the tree under "cases". None if `node` is not a tree of cases
    on bounds whose leaves are all `interval` nodes."""
    outside: dict[str, None] = {}
    precisions: list[int] = []

    def cases(case_node: Any, inside: frozenset[str]) -> Any:
        """The tree of cases below a node. `inside` has the labels of facts that the cases around it assume. LookupError
        if there is another kind of step."""
        if case_node["by"] == "interval":
            outside.update(dict.fromkeys(label for label in case_node["on"] if label not in inside))
            precisions.append(case_node["prec"])
            return ()
        # Otherwise the node must be a case whose two proofs have one node each.
        if case_node["by"] != "em" or any(len(proof) != 1 for proof in case_node["proofs"]):
            raise LookupError
        f = formula(case_node["formula"])
        # The case must be v <= c or v < c for a variable v.
        if f.op not in ("<=", "<") or f.kids[0].op != "var":
            raise LookupError
        # The facts that cases assume belong to the tree; only facts from outside (`outside`) are passed to it.
        parts = (
            cases(proof[0], inside | {label}) for label, proof in zip(case_node["as"], case_node["proofs"], strict=True)
        )
        return (*f.kids, *parts)

    try:
        tree = cases(node, frozenset())
    except LookupError:
        return None
    return {"by": "interval", "on": list(outside), "prec": max(precisions), "cases": tree}


class Written:
    """Terms as Enclosures.v has them; `variables` has the index of each variable, in the order of first use."""

    def __init__(self) -> None:
        self.variables: dict[Term, int] = {}

    def place(self, variable: Term) -> int:
        """The index of a variable, a new one if necessary."""
        return self.variables.setdefault(variable, len(self.variables))

    def term(self, t: Term, shared: Sequence[Term] = ()) -> str:
        """`t` as it is written inside a Let for each of the terms `shared`, the last one innermost."""
        if t in shared:
            return f"(Boxes.Var {len(shared) - 1 - shared.index(t)})"
        if t.op == "var" and t.level == "R":
            return f"(Boxes.Var {len(shared) + self.place(t)})"
        if t.op == "num":
            c = Fraction(*t.data)
            above = f"(Boxes.Num ({c.numerator}))"
            return above if c.denominator == 1 else f"(Boxes.Div {above} (Boxes.Num {c.denominator}))"
        inner = "".join(f" {self.term(k, shared)}" for k in t.kids)
        if t.op == "^":
            return f"(Boxes.Pow{inner} {t.data})"
        name = FUNCTIONS.get(t.data) if t.op == "fn" else OPERATIONS.get(t.op)
        if name is None:
            raise Untranslatable(f"{t.op} {t.data} in an enclosure")
        return f"(Boxes.{name}{inner})"

    def with_lets(self, t: Term) -> str:
        """`t` with a Let for each function value and quotient that occurs more than once, so that each is computed
        once."""
        shared = [x for x, n in occurrences([t]).items() if n > 1 and x.kids and x.op in ("fn", "/", "inv")]
        lets = [f"(Boxes.Let {self.term(x, shared[:i])} " for i, x in enumerate(shared)]
        return "".join(lets) + self.term(t, shared) + ")" * len(shared)

    def cases(self, tree: Splits) -> str:
        """A tree of cases as Enclosures.v has it."""
        if not tree:
            return "Boxes.Leaf"
        variable, end, *parts = tree
        return f"(Boxes.Split {self.place(variable)} {self.term(end)} {' '.join(map(self.cases, parts))})"


def enclosure(script: Script, node: nodes.IntervalNode, form: Term, strict: bool) -> str:
    """A tactic that proves 0 < form (`strict`) or 0 <= form, from the tightest bounds among the facts that the node
    lists under "on"."""
    # {(variable, whether it is an upper bound): (bound, the bound as a term, proof)}
    best: dict[tuple[Term, bool], tuple[Fraction, Term, str]] = {}
    for label in node["on"]:
        fact, name = script.fact(label)
        a, b = fact.plain.kids
        # x <= c is an upper bound of x, c <= x a lower one.
        up = a.op == "var"
        x, end = fact.kids if up else reversed(fact.kids)
        c = Fraction(script.forms.normal.constant(script.forms.normal.poly(b if up else a)))
        proof = name if fact.op == "<=" else f"(Rlt_le _ _ {name})"
        # The smallest upper and the greatest lower bound of each variable.
        if (x, up) not in best or (c < best[x, up][0] if up else c > best[x, up][0]):
            best[x, up] = (c, end, proof)
    return computation(best, node["prec"], form, strict, node.get("cases", ()))


def computation(
    bounds: Mapping[tuple[Term, bool], tuple[Fraction, Term, str]], bits: int, form: Term, strict: bool, cases: Splits
) -> str:
    """The call of `Boxes.boxed` with variables, bounds, form, cases and the proofs of the bounds."""
    if type(bits) is not int:
        raise Untranslatable("a precision must be an integer")
    written, bounds_text, bound_proofs = Written(), "", "I"
    for (x, up), (_, end, _) in bounds.items():
        bounds_text += f"({str(up).lower()}, {written.place(x)}%nat, {written.term(end)}) :: "
    # A right-nested conjunction of the bounds, as `Boxes.boxed` takes it.
    for _, _, proof in reversed(list(bounds.values())):
        bound_proofs = f"(conj {proof} {bound_proofs})"
    let_form, tree = written.with_lets(form), written.cases(cases)
    values = "".join(f"{text(x)} :: " for x in written.variables)
    arguments = f"({values}nil)%list ({bounds_text}nil)%list {let_form} {tree} {bound_proofs}"
    return (
        f"refine (Boxes.boxed {bits} {str(strict).lower()} {len(written.variables)} {arguments} _); "
        "vm_cast_no_check (eq_refl true)"
    )
