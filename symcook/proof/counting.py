"""Counts in the proofs of compiled formulas: how their lines are said, facts about their heads. Nothing is trusted.

A count is found by the mean of a line over the positions on a side, and by a lookup at the number that is left without
the position itself: `lem.left_share`, `lem.count_found`, then `lem.at_least` or `lem.table_found`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.model import expr
from symcook.model.expr import Tree
from symcook.programs.formula import Count, FormulaLine
from symcook.proof import softheads

if TYPE_CHECKING:
    from symcook.compilers.formula import CountHead
    from symcook.proof.formulas import ProofLines


def number(count: Count) -> str:
    """A count at position i, by the truths of its line."""
    ends = "1, i" if count.side == "left" else "i, n"
    return f"sum(j, {ends}, z{count.line + 1}(j))"


def total(line: FormulaLine) -> str:
    """The sum of counts of a comparison."""
    return expr.show(_summed(line, [expr.parse_term(number(one)) for one in line.counts]))


def _summed(line: FormulaLine, counts: Sequence[Tree]) -> Tree:
    """Counts with the factors of a comparison."""
    total: Tree = ()
    for one, count in zip(line.counts, counts, strict=True):
        part = count if abs(one.factor) == 1 else ("*", ("num", abs(one.factor), 1), count)
        minus = one.factor < 0
        total = ("-" if minus else "+", total, part) if total else ("neg", part) if minus else part
    return total or ("num", 0, 1)


def functional(line: FormulaLine, trees: Sequence[Tree]) -> Tree:
    """A line about counts in the form that `symcook.proof.holds` reads; `trees` are the lines before it."""
    counts = tuple(("call", one.side, (trees[one.line],)) for one in line.counts)
    if line.op == "at least":
        bound: Tree = ("num", abs(line.bound), 1)
        return ("<=", ("neg", bound) if line.bound < 0 else bound, _summed(line, counts))
    numbers = map(int, line.table) if line.op == "table" else (line.divisor, line.bound)
    name = "TABLE" if line.op == "table" else "MOD"
    return ("call", name, (*(("num", one, 1) for one in numbers), *counts))


def condition(line: FormulaLine, of: str) -> str:
    """When a predicate is true of a number."""
    if line.op == "remainder":
        return f"ex q in 0..{of}. {of} = {line.divisor}*q + {line.bound}"
    return " | ".join(f"{of} = {place}" for place, bit in enumerate(line.table) if bit == "1") or f"{of} < 0"


def facts(text: ProofLines, k: int, line: FormulaLine) -> None:
    """The lines that show of line k of the formula that it is a bit, and that its coordinate has it: fact B<k>."""
    heads = text.packed.counting[k - 1]
    name = text.packed.heads[k - 1].name
    if line.op == "at least":
        sums = [
            _sum(text, head, one, f"{k}_{t}") for t, (head, one) in enumerate(zip(heads, line.counts, strict=True), 1)
        ]
        s, b = total(line), line.bound
        if any(one in text.packed.soft for head in heads for one in head.found):
            softheads.compared(text, k, s, _found(text, line), sums)
            return
        text.lines += [f"  B{k}: all i in 1..n. bit(z{k}(i)) & {name}(i) = z{k}(i)", "    given i (low high)",
                       f"    truth: z{k}(i) = I[{b} <= {s}] by m{k}(i), low, high",
                       f"    now: {name}(i) = relu({s} - {b} + 1) - relu({s} - {b}) by {name}_is(i), "
                       + ", ".join(f"{one}(i)" for one in sums) + ", low, high",
                       f"    step: relu({s} - {b} + 1) - relu({s} - {b}) = I[{b} <= {s}] by at_least({s}; {b})",
                       f"    cases more, less: {b} <= {s}",
                       "      - qed by truth, now, step, more", "      - qed by truth, now, step, less"]  # fmt: skip
        return
    _predicate(text, k, line)
    if not line.counts:
        truth = condition(line, "i")
        text.lines += [f"  B{k}: all i in 1..n. bit(z{k}(i)) & {name}(i) = z{k}(i)", "    given i (low high)",
                       f"    truth: z{k}(i) = I[{truth}] by m{k}(i), low, high",
                       f"    now: {name}(i) = I[{truth}] by {name}_is(i), T{k}(i), low, high",
                       f"    cases yes, no: {truth}", "      - qed by truth, now, yes",
                       "      - qed by truth, now, no"]  # fmt: skip
        return
    (head,), (one,) = heads, line.counts
    c, x = number(one), f"z{one.line + 1}"
    shares = _share(text, head, one, str(k))
    if head.found[0] in text.packed.soft:
        softheads.chosen(text, k, head, one, (c, x, _own(text, head), condition(line, "_k_")), shares)
        return
    for end, found, table in zip("hf", head.found, head.tables, strict=True):
        rule = f"{_lookup(head, c, x, found, table)}[{shares}, index_is, square_is, {found}_is]"
        text.lines.append(f"  F{k}{end}: all i in 1..n. {found}(i) = {table}({c} - {x}(i) + 1) by {rule}")
    here, after = head.found
    p = f"{c} - {x}(i)"
    theta = f"I[{condition(line, '_k_')}]"
    text.lines += [f"  W{k}: all i in 1..n. {here}(i) = {theta.replace('_k_', f'({p})')} & "
                   f"{after}(i) = {theta.replace('_k_', f'({p} + 1)')}",
                   "    given i (low high)", f"    take (warm cut least most) from {shares}(i) by low, high",
                   f"    - qed by F{k}h(i), {head.tables[0]}_is({p} + 1), T{k}({p}), least, most, low, high",
                   f"    - qed by F{k}f(i), {head.tables[1]}_is({p} + 1), T{k}({p} + 1), least, most, low, high",
                   f"  U{k}: all k:Int. bit({theta.replace('_k_', 'k')})", "    given k",
                   f"    cases yes, no: {condition(line, 'k')}", "      - qed by yes", "      - qed by no",
                   f"  B{k}: all i in 1..n. bit(z{k}(i)) & {name}(i) = z{k}(i) by table_found(n; i. {c}; {x}; "
                   f"i. {_own(text, head)}; {here}; {after}; {name}; k. {theta.replace('_k_', 'k')}; z{k})"
                   f"[P{k}, W{k}, U{k}, {name}_is, m{k}]"]  # fmt: skip


def _found(text: ProofLines, line: FormulaLine) -> str:
    """The sum of a comparison as it was found, with the own parts."""
    terms = []
    for head, one in zip(text.packed.counting[text.formula.lines.index(line)], line.counts, strict=True):
        terms.append(f"{'-' if one.factor < 0 else '+'} {abs(one.factor)}*({head.found[0]}(i) + {_own(text, head)})")
    return f"0 {' '.join(terms)}"


def _share(text: ProofLines, head: CountHead, one: Count, label: str) -> str:
    """The fact that a count without the position's own part, over the number of positions, stands in `less`."""
    x, c = f"z{one.line + 1}", number(one)
    text.by_cases(f"P{label}", f"bit({x}(i)) & {_own(text, head)} = {x}(i)", [one.line])
    inverse, mean, less = head.inverse, head.mean, head.less
    rule = f"{head.side}_share(n; {x}; i. {_own(text, head)}; {inverse}; {mean}; {less})"
    text.lines.append(
        f"  S{label}: all i in 1..n. 0 < {inverse}(i) & {less}(i) = {inverse}(i)*({c} - {x}(i)) & 0 <= {c} - {x}(i) & "
        f"{c} - {x}(i) + 1 <= n by {rule}[P{label}, {inverse}_is, {mean}_is, {less}_is]"
    )
    return f"S{label}"


def _own(text: ProofLines, head: CountHead) -> str:
    """The position's own part; a coordinate that is always 0 is in no run."""
    return f"{head.own}(i)" if head.own in text.run else "0"


def _lookup(head: CountHead, c: str, x: str, found: str, table: str) -> str:
    return f"count_found(n; i. {c} - {x}(i); {head.inverse}; {head.less}; {found}; index; square; {table})"


def _sum(text: ProofLines, head: CountHead, one: Count, label: str) -> str:
    """The fact that what is found and the position's own part are a count."""
    x, c, (found,) = f"z{one.line + 1}", number(one), head.found
    shares = _share(text, head, one, label)
    if found in text.packed.soft:
        softheads.retrieved(text, head, found, "before", f"{c} - {x}(i)", shares, label)
        near = softheads.near(text.packed, f"{found}(i) + {_own(text, head)}", c, found)
        by = f"F{label}(i), P{label}(i), low, high"
        text.lines += [f"  N{label}: all i in 1..n. {near}", "    given i (low high)", f"    qed by {by}"]
        return f"N{label}"
    text.lines += [
        f"  F{label}: all i in 1..n. {found}(i) = before({c} - {x}(i) + 1) by "
        f"{_lookup(head, c, x, found, 'before')}[{shares}, index_is, square_is, {found}_is]",
        f"  N{label}: all i in 1..n. {found}(i) + {_own(text, head)} = {c}",
        "    given i (low high)",
        f"    take (warm cut least most) from {shares}(i) by low, high",
        f"    qed by F{label}(i), before_is({c} - {x}(i) + 1), P{label}(i), least, most, low, high",
    ]
    return f"N{label}"


def _predicate(text: ProofLines, k: int, line: FormulaLine) -> None:
    """The fact T<k> that the position function of a predicate is its truth, of each number from 0 on."""
    m, r = line.divisor, line.bound
    head = f"  T{k}: all k:Int. 0 <= k -> "
    if line.op == "remainder":
        form = f"(1 {'-' if r else '+'} pow(-1, k))/2" if m == 2 else f"sum(q, 0, k, I[k = {m}*q + {r}])"
        rule = f"{('even_number', 'odd_number')[r]}(k)" if m == 2 else f"remainder_sum(k; {m}; {r})"
        text.lines += [f"{head}{form} = I[{condition(line, 'k')}]", "    given k low", f"    qed by {rule}[low]"]
        return
    ones = [place for place, bit in enumerate(line.table) if bit == "1"]
    form = " + ".join(f"I[k = {place}]" for place in ones) or "0"
    text.lines += [f"{head}{form} = I[{condition(line, 'k')}]", "    given k low", *_cases(ones, "    ", ["low"])]


def _cases(ones: Sequence[int], indent: str, known: Sequence[str]) -> list[str]:
    """Cases over which of the numbers k is."""
    if not ones:
        return [f"{indent}qed by {', '.join(known)}"]
    first, *rest = ones
    inner = _cases(rest, indent + "      ", [*known, f"no{first}"])
    inner[0] = f"{indent}    - {inner[0].lstrip()}"
    return [f"{indent}cases is{first}, no{first}: k = {first}", f"{indent}    - qed by is{first}", *inner]
