"""Counts in the proofs of compiled formulas: how their lines are said, facts about their heads. Nothing is trusted.

A count is found by the mean of a line over the positions on a side, and by a lookup at the number that is left without
the position itself: `lem.left_share`, `lem.count_found`, then `lem.at_least` or `lem.table_found`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.model import expr
from symcook.model.expr import Tree, parse_formula
from symcook.programs.formula import Count, FormulaLine
from symcook.proof import softheads
from symcook.proof.pointwise import Pointwise
from symcook.proof.steps import (
    Node,
    bit,
    both,
    combined,
    each,
    have,
    here,
    hyp,
    intro,
    rewrite,
    rewritten,
    told,
    use,
)

if TYPE_CHECKING:
    from symcook.compilers.formula import CountHead
    from symcook.proof.formulas import ProofLines


def number(count: Count) -> str:
    """A count at position i, by the truths of its line."""
    ends = "1, i" if count.side == "left" else "i, n"
    return f"sum(j, {ends}, z{count.line + 1}(j))"


def total(line: FormulaLine) -> str:
    """The sum of counts of a comparison."""
    return expr.show(_summed(line.counts, [expr.parse_term(number(one)) for one in line.counts]))


def _summed(counts: Sequence[Count], terms: Sequence[Tree]) -> Tree:
    """Counts, given as terms, with their factors."""
    total: Tree = ()
    for one, count in zip(counts, terms, strict=True):
        part = count if abs(one.factor) == 1 else ("*", ("num", abs(one.factor), 1), count)
        minus = one.factor < 0
        total = ("-" if minus else "+", total, part) if total else ("neg", part) if minus else part
    return total or ("num", 0, 1)


def functional(line: FormulaLine, trees: Sequence[Tree]) -> Tree:
    """A line about counts in the form that `symcook.proof.holds` reads; `trees` are the lines before it."""
    counts = tuple(("call", one.side, (trees[one.line],)) for one in line.counts)
    if line.op == "at least":
        bound: Tree = ("num", abs(line.bound), 1)
        return ("<=", ("neg", bound) if line.bound < 0 else bound, _summed(line.counts, counts))
    numbers = map(int, line.table) if line.op == "table" else (line.divisor, line.bound)
    name = "TABLE" if line.op == "table" else "MOD"
    return ("call", name, (*(("num", one, 1) for one in numbers), *counts))


def condition(line: FormulaLine, of: str) -> str:
    """When a predicate is true of a number."""
    if line.op == "remainder":
        return f"ex q in 0..{of}. {of} = {line.divisor}*q + {line.bound}"
    return " | ".join(f"{of} = {place}" for place, one in enumerate(line.table) if one == "1") or f"{of} < 0"


def facts(text: ProofLines, k: int, line: FormulaLine) -> None:
    """The lines that show of line k of the formula that it is a bit, and that its coordinate has it: fact B<k>."""
    heads = text.packed.counting[k - 1]
    name = text.packed.heads[k - 1].name
    if line.op == "at least":
        _compared(text, k, line)
        return
    _predicate(text, k, line)
    if not line.counts:
        truth = _table(text, k, line, name, "i")
        bits(text, k, condition(line, "i"), [here(f"m{k}", "truth"), here(truth, "now")], [("1", "now")])
        return
    (head,), (one,) = heads, line.counts
    c, x, every = number(one), f"z{one.line + 1}", condition(line, "k")
    shares = _share(text, head, one, str(k))
    text.step(have(f"U{k}", f"all k:Int. bit(I[{every}])", [intro(["k"]), *bit(every)]), f"U{k}")
    errors = [softheads.room(text.packed, found) for found in head.found]
    soft = None not in errors
    truths, looked = list[str](), list[str]()
    for end, of, found, table in zip("hf", ("i - 1", "i"), head.found, head.tables, strict=True):
        truths.append(_table(text, k, line, table, of))
        if soft:
            there = condition(line, f"({of})")
            text.once(f"b{table}", *each(f"bit({table}(i))", [here(truths[-1], "held"), rewrite("held"), *bit(there)]))
        looked.append(_lookup(text, f"F{k}{end}", head, f"{c} - {x}(i)", found, table, shares))
    places = f"{head.inverse}; {head.less}; {'; '.join(head.tables)}; {'; '.join(head.found)}"
    terms = f"n; i. {c}; {x}; i. {_own(text, head)}; {places}; {name}; k. I[{every}]; z{k}"
    premises = [f"P{k}", shares, *truths, f"U{k}", *looked, f"{name}_is", f"m{k}"]
    if soft:
        terms, premises = "; ".join([terms, *map(str, errors)]), [*premises, "!"]
    text.lemma(k, f"{'soft_' * soft}table_found", terms, premises)


def _compared(text: ProofLines, k: int, line: FormulaLine) -> None:
    """The fact B<k> about a comparison: by the counts that are looked up, each once, with the factor that it has in
    all. Lines that are true at the same positions have one head."""
    name, b, s = text.packed.heads[k - 1].name, line.bound, total(line)
    first, factors, lines = dict[str, int](), dict[str, int](), dict[tuple[str, int], int]()
    for t, (head, one) in enumerate(zip(text.packed.counting[k - 1], line.counts, strict=True)):
        (found,) = head.found
        first.setdefault(found, t)
        factors[found] = factors.get(found, 0) + one.factor
        lines[one.side, one.line] = lines.get((one.side, one.line), 0) + one.factor
    heads = {found: text.packed.counting[k - 1][t] for found, t in first.items() if factors[found]}
    counts = [line.counts[first[found]]._replace(factor=factors[found]) for found in heads]
    others = dict[tuple[str, int], str]()  # counts with the head of another line, and the facts that they are alike
    for t, (head, one) in enumerate(zip(text.packed.counting[k - 1], line.counts, strict=True)):
        this = line.counts[first[head.found[0]]]
        if one.line != this.line and lines[one.side, one.line]:
            others.setdefault((one.side, one.line), _alike(text, head, this, one, f"{k}_{t + 1}"))
    sums = {
        found: _sum(text, head, one, f"{k}_{first[found] + 1}")
        for (found, head), one in zip(heads.items(), counts, strict=True)
    }
    nodes = [here(f"m{k}", "truth"), here(f"{name}_is", "now")]
    nodes += [here(one, f"other{t}") for t, one in enumerate(others.values(), 1)]
    s_found = expr.show(_summed(counts, [expr.parse_term(number(one)) for one in counts]))
    equations = [("1", "now"), ("1", "step")]
    if others:
        puts = rewritten(f"other{t}" for t in range(1, len(others) + 1))
        nodes.append(have("same", f"I[{b} <= {s}] = I[{b} <= {s_found}]", puts))
        equations.append(("-1", "same"))
    puts = list[Node]()
    if any(found in text.packed.soft for found in heads):
        there = " + ".join(f"{factors[found]}*({found}(i) + {_own(text, heads[found])})" for found in heads)
        within = [(factors[found], softheads.room(text.packed, found) or 0, sums[found]) for found in heads]
        nodes += softheads.compared(b, s_found, there, within)
    else:
        nodes += [here(one, f"near{t}") for t, one in enumerate(sums.values(), 1)]
        nodes.append(use("lem:at_least", [s_found, str(b)], "step"))
        puts = [rewrite(one) for one in ("now", *(f"near{t}" for t in range(1, len(sums) + 1)))]
        equations = equations[1:]
    bits(text, k, f"{b} <= {s}", nodes, equations, puts)


def _alike(text: ProofLines, head: CountHead, this: Count, other: Count, label: str) -> str:
    """The fact that the count `other` is the count `this`, of another line with the head of this one."""
    x, y = f"z{this.line + 1}", f"z{other.line + 1}"
    text.by_cases(f"Q{label}", f"{y}(i) = {x}(i)")
    text.cite(f"E{label}", f"{this.side}_counts", f"n; {x}; {y}", [f"Q{label}"])
    return f"E{label}"


def bits(
    text: ProofLines,
    k: int,
    condition: str,
    nodes: list[Node],
    equations: list[tuple[str, str]],
    puts: Sequence[Node] = (),
) -> None:
    """The fact B<k>: line k is a bit, as its truth I[condition] is, and its coordinate has it, by these equations once
    others are put in."""
    said = f"bit(z{k}(i)) & {text.packed.heads[k - 1].name}(i) = z{k}(i)"
    held = [*puts, *combined([*equations, ("-1", "truth")])]
    text.step(have(f"B{k}", *each(said, [*nodes, *both([rewrite("truth"), *bit(condition)], held)])), f"B{k}")


def _table(text: ProofLines, k: int, line: FormulaLine, table: str, of: str) -> str:
    """The fact that a coordinate has the truth of a predicate at each position, of its number `of`: i or i - 1."""
    least = combined([], [("1", ""), ("1", "low")] if of == "i" else [("1", "low")])
    nodes = [use("range", [], ["low", "high"]), here(f"{table}_is", "held"), use(f"T{k}", [of, least], "known")]
    equations = [("1", "held"), ("1", "known")]
    if line.divisor == 2 and of != "i":  # the table has the sign of i
        nodes.append(use("ax:pow_step", ["-1", of, least], "turned"))
        equations.append(("1/2" if line.bound else "-1/2", "turned"))
    said = f"{table}(i) = I[{condition(line, of if of == 'i' else f'({of})')}]"
    text.once(f"V{table}", *each(said, [*nodes, *combined(equations)]))
    return f"V{table}"


def _share(text: ProofLines, head: CountHead, one: Count, label: str) -> str:
    """The fact that a count without the position's own part, over the number of positions, stands in `less`."""
    x = f"z{one.line + 1}"
    text.by_cases(f"P{label}", f"bit({x}(i)) & {_own(text, head)} = {x}(i)")
    inverse, mean, less = head.inverse, head.mean, head.less
    terms = f"n; {x}; i. {_own(text, head)}; {inverse}; {mean}; {less}"
    text.cite(f"S{label}", f"{head.side}_share", terms, [f"P{label}", f"{inverse}_is", f"{mean}_is", f"{less}_is"])
    return f"S{label}"


def _own(text: ProofLines, head: CountHead) -> str:
    """The position's own part; a coordinate that is always 0 is in no run."""
    return f"{head.own}(i)" if head.own in text.run else "0"


def _lookup(text: ProofLines, label: str, head: CountHead, p: str, found: str, table: str, shares: str) -> str:
    """The fact that a head which looks up the position of a number p and one finds what a table has there."""
    if found in text.packed.soft:
        softheads.retrieved(text, head, found, table, p, shares, label)
    else:
        terms = f"n; i. {p}; {head.inverse}; {head.less}; {found}; index; square; {table}"
        text.cite(label, "count_found", terms, [shares, "index_is", "square_is", f"{found}_is"])
    return label


def _sum(text: ProofLines, head: CountHead, one: Count, label: str) -> str:
    """The fact that what is found and the position's own part are a count."""
    x, c, (found,) = f"z{one.line + 1}", number(one), head.found
    shares, p = _share(text, head, one, label), f"{c} - {x}(i)"
    nodes = [here(f"P{label}", ["bit", "same"])]
    _lookup(text, f"F{label}", head, p, found, "before", shares)
    if found in text.packed.soft:
        near = softheads.near(text.packed, f"{found}(i) + {_own(text, head)}", c, found)
        nodes.append(here(f"F{label}", ["least", "most"]))
        nodes += both(combined([("-1", "same")], [("1", "least")]), combined([("1", "same")], [("1", "most")]))
    else:
        near = f"{found}(i) = {c} - {_own(text, head)}"
        nodes += [here(shares, ["warm", "cut", "least", "most"]), here(f"F{label}", "found"),
                  use("before_is", [f"{p} + 1", both(hyp("least"), hyp("most"))], "held"),
                  *combined([("1", "found"), ("1", "held"), ("1", "same")])]  # fmt: skip
    text.step(have(f"N{label}", *each(near, nodes)), f"N{label}")
    return f"N{label}"


def _predicate(text: ProofLines, k: int, line: FormulaLine) -> None:
    """The fact T<k> that the position function of a predicate is its truth, of each number from 0 on."""
    m, r = line.divisor, line.bound
    ones = [place for place, one in enumerate(line.table) if one == "1"]
    form, whole = " + ".join(f"I[k = {place}]" for place in ones) or "0", condition(line, "k")
    if line.op == "remainder":
        form = f"(1 {'-' if r else '+'} pow(-1, k))/2" if m == 2 else f"sum(q, 0, k, I[k = {m}*q + {r}])"
    said = f"{form} = I[{whole}]"
    if line.op == "remainder":
        hint = ("even_number", "odd_number")[r] if m == 2 else f"remainder_sum(k; {m}; {r})"
        text.once(f"T{k}", f"all k:Int. 0 <= k -> {said} by {hint}")
        return
    if ones:
        nodes = Pointwise(None, ("name", "k")).by_symbol(parse_formula(said), ones)
    else:
        never = [{"by": "contra", "as": "no"}, *combined([], [("1", "low"), ("1", "is")])]
        nodes = told(whole, never, [rewrite("zero"), {"by": "true"}])
    text.step(have(f"T{k}", f"all k:Int. 0 <= k -> {said}", [intro(["k"]), intro(["low"]), *nodes]), f"T{k}")
