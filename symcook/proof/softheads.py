"""Softmax heads in the proofs of compiled formulas: a bit or number that one retrieves is within an error. Nothing here
is trusted.

The error is what the next network has room for; that gamma gives it is a fact of its own, and so is what the scores
are at all pairs of positions: then the lemma of the head is cited. Under the one mask of "soft, tau 1" previous looks
up the position before, and at position 1 itself: the line's truth is the bit that it finds where there is a position
before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from symcook.compilers.soft import ROOM
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof.steps import Node, have, hyp, rewritten

if TYPE_CHECKING:
    from symcook.compilers.formula import CountHead, FormulaHead, Packed
    from symcook.programs.formula import Count
    from symcook.proof.formulas import ProofLines

LATER = "later"
"""The coordinate that says whether there is a position before."""


class SoftRow(NamedTuple):
    """A softmax head in the run: the scores at positions i and l, and the label of its equation."""

    scores: str
    label: str


def equations(run: str) -> dict[str, str]:
    """The equations of a run, by what they are for."""
    parts = _parts(expr.parse_formula(run))
    return {named: expr.show(part) for part in parts if (named := _named(part)) is not None}


def rows(run: str) -> dict[str, SoftRow]:
    """The softmax heads of a run, by what they write."""
    found: dict[str, SoftRow] = {}
    for number, part in enumerate(_parts(expr.parse_formula(run)), 1):
        scores = next((one[2][0] for one in _within(part) if one[:2] == ("call", "exp")), None)
        named = _named(part)
        if scores is not None and named is not None:
            found[named] = SoftRow(expr.show(_keyed(scores)), f"{named}_is" if part[-1][0] == "=" else f"part{number}")
    return found


def _named(equation: Tree) -> str | None:
    """The function that an equation is for: the one on the left."""
    return next((one[1] for one in _within(equation) if one[:1] == ("call",)), None)


def _parts(tree: Tree) -> list[Tree]:
    return [one for part in tree[1:] for one in _parts(part)] if tree[0] == "&" else [tree]


def _within(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree:
        if isinstance(part, tuple):
            yield from _within(part)


def _keyed(tree: Tree) -> Tree:
    """Scores with l for the key's position, since counts are sums over j."""
    return ("name", "l") if tree == ("name", "j") else tuple(_keyed(x) if isinstance(x, tuple) else x for x in tree)


def room(packed: Packed, name: str) -> Fraction | None:
    """How far a coordinate may be off from the bit or number that it holds; None for one that is exact."""
    found = packed.soft.get(name)
    return None if found is None else ROOM / max(found.load, 1)


def looked(packed: Packed, number: int) -> bool:
    """Whether a line is a previous one that is looked up."""
    plain = packed.scores is not None and packed.scores.plain
    return plain and packed.formula.lines[number].op == "prev" and number in packed.heads


def before(text: ProofLines, k: int) -> str:
    """The bit that a line finds which is looked up: what is true one before, at position 1 there."""
    x = f"z{text.formula.lines[k - 1].left + 1}"
    return f"I[2 <= i & {x}(i - 1) = 1 | i = 1 & {x}(1) = 1]"


def near(packed: Packed, found: str, value: str, name: str) -> str:
    """That what the coordinate `name` gives is a value, or near to it."""
    error = room(packed, name)
    return f"{found} = {value}" if error is None else f"{value} - {error} <= {found} & {found} <= {value} + {error}"


def gamma(text: ProofLines, name: str) -> tuple[int, str]:
    """The gamma of a head, and the fact that its error is small enough: one for all heads that have the same."""
    head, error = text.packed.soft[name], room(text.packed, name)
    number = head.constant.denominator > 1
    label = f"G{head.gamma}_{head.load}{'_number' * number}"
    positive = f"{int(number)} {'<=' if number else '<'} {head.gamma}"
    text.once(label, f"{positive} & {head.constant}*exp(-{head.gamma}) <= {error}")
    return head.gamma, label


def temporal(text: ProofLines, k: int, op: str, found: FormulaHead) -> None:
    """The fact B<k> about an operator on other positions, from what its scores are."""
    line, name = text.formula.lines[k - 1], found.name
    g, small = gamma(text, name)
    x, y = f"z{line.left + 1}", f"z{line.right + 1}"
    stops = "" if found.stop is None else f" + 2*{g}*n*{found.stop}(l)"
    value, rule = f"{'' if op in ('prev', 'since') else '-'}{g}*l{stops}", f"soft_{op}_head"
    if looked(text.packed, k - 1):
        value, rule = f"{g}*(2*(i - 1)*l - l^2)", "soft_prev_looked"
    elif op == "since" and text.packed.scores is not None and text.packed.scores.plain:
        value, rule = f"{g}*i^2*({found.stop}(l) - 1/l)", "soft_since_squared"
    scores = _scored(text, f"A{k}", name, value, g if op in ("prev", "since") else -g, found.stop)
    parts = f"{x}; {y}; {found.stop}" if found.stop else x
    terms = f"n; {parts}; {found.value}; {g}; {room(text.packed, name)}; {scores}; {name}; z{k}"
    premises = [f"P{k}", small, f"A{k}", text.rows[name].label, f"m{k}"]
    if looked(text.packed, k - 1):
        terms, premises = f"{terms}; {LATER}", [*premises, f"{LATER}_is"]
    text.lemma(k, rule, terms, premises)


def retrieved(text: ProofLines, head: CountHead, found: str, table: str, count: str, shares: str, label: str) -> None:
    """The fact F<label> that a head which looks up the position of a count and one finds nearly that number, or what
    the bits of a table are there; `count` is a term in i."""
    g, small = gamma(text, found)
    number, inverse = table == "before", f"{head.inverse}(i)"
    factor, seen = f"{g}*n*{inverse}", "i" if head.side == "left" else "(n - i + 1)"
    text.lines += f"""\
  M{label}: all i in 1..n. {g} <= {factor} & 0 <= {count} & {count} + 1 <= n
    given i (low high)
    take (warm cut least most) from {shares}(i) by low, high
    width: {seen}*{inverse} = 1 by {head.inverse}_is(i), low, high
    wide: 0 <= (n - {seen})*{inverse} by warm, low, high
    - qed by width, wide
    - qed by least
    - qed by most""".split("\n")
    scores = _scores(text, f"A{label}", found, f"{factor}*(2*({count} + 1)*l - l^2)", head.inverse, f"{shares}(i)")
    terms = f"n; i. {count}; i. {factor}; {g}; {room(text.packed, found)}; {scores}; {table}; {found}"
    value = count if number else f"{table}({count} + 1)"
    text.lines.append(
        f"  F{label}: all i in 1..n. {near(text.packed, f'{found}(i)', value, found)} by "
        f"soft_{'number' if number else 'truth'}_found({terms})"
        f"[M{label}, {small}, A{label}, {'before_is' if number else f'V{table}'}, {text.rows[found].label}]"
    )


def compared(text: ProofLines, k: int, total: str, found: str, sums: Sequence[str]) -> None:
    """The fact B<k> about a comparison, of a sum of counts and what was found of it, which the facts `sums` say."""
    bound, name = text.formula.lines[k - 1].bound, text.packed.heads[k - 1].name
    step = f"2*relu({found} - ({bound - 1}) - 1/4) - 2*relu({found} - ({bound - 1}) - 3/4)"
    text.lines += f"""\
  B{k}: all i in 1..n. bit(z{k}(i)) & {name}(i) = z{k}(i)
    given i (low high)
    truth: z{k}(i) = I[{bound} <= {total}] by m{k}(i), low, high
    now: {name}(i) = {step} by {name}_is(i), low, high
    close: abs({found} - ({total})) <= 1/4 by {", ".join(f"{one}(i)" for one in sums)}, low, high
    step: {step} = I[{bound - 1} < {total}] by comparison_rounded({found}; {total}; {bound - 1}), close
    cases more, less: {bound} <= {total}
      - qed by truth, now, step, more
      - qed by truth, now, step, less""".split("\n")


def chosen(text: ProofLines, k: int, head: CountHead, one: Count, says: tuple[str, str, str, str], shares: str) -> None:
    """The fact B<k> about a predicate of a count: `says` has the count, its line's truth, the own part, and when the
    predicate holds of ``_k_``."""
    count, x, own, condition = says
    name, p = text.packed.heads[k - 1].name, f"{count} - {x}(i)"
    for end, moved, found, table in zip("hf", ("i - 1", "i"), head.found, head.tables, strict=True):
        here = condition.replace("_k_", f"({moved})")
        text.once(f"V{table}", f"all i in 1..n. bit({table}(i))", "given i (low high)",
                  f"is: {table}(i) = I[{here}] by {table}_is(i), T{k}({moved}), low, high",
                  f"cases yes, no: {here}", "  - qed by is, yes", "  - qed by is, no")  # fmt: skip
        retrieved(text, head, found, table, p, shares, f"{k}{end}")
    (this, after), (low, high) = head.found, head.tables
    first, second, any_ = (f"I[{condition.replace('_k_', at)}]" for at in (f"({p})", f"({p} + 1)", "k"))
    text.lines += f"""\
  W{k}: all i in 1..n. {_within_room(first, this)} & {_within_room(second, after)}
    given i (low high)
    take (warm cut least most) from {shares}(i) by low, high
    one: {low}({p} + 1) = {first} by {low}_is({p} + 1), T{k}({p}), least, most
    two: {high}({p} + 1) = {second} by {high}_is({p} + 1), T{k}({p} + 1), least, most
    - qed by F{k}h(i), one, low, high
    - qed by F{k}h(i), one, low, high
    - qed by F{k}f(i), two, low, high
    - qed by F{k}f(i), two, low, high
  U{k}: all k:Int. bit({any_})
    given k
    cases yes, no: {any_[2:-1]}
      - qed by yes
      - qed by no""".split("\n")
    terms = f"n; i. {count}; {x}; i. {own}; {this}; {after}; {name}; k. {any_}; z{k}"
    text.lines.append(f"  take B{k} from soft_table_found({terms})[P{k}, W{k}, U{k}, {name}_is, m{k}]")


def _within_room(value: str, found: str) -> str:
    return f"{value} - {ROOM} <= {found}(i) & {found}(i) <= {value} + {ROOM}"


def _scored(text: ProofLines, label: str, name: str, value: str, g: int, stop: str | None) -> str:
    """The fact that the scores of an operator's head are `value` at all i and l; the scores as a function of both."""
    scores = text.rows[name].scores
    told, nodes = {*text.packed.positions, "one"}, list[Node]()
    read = [one for one in dict.fromkeys(re.findall(r"(\w+)\(([il])\)", scores)) if one[0] in told]
    for one, at in read:
        given = [at, "#range" if at == "i" else "#place"]
        nodes.append({"by": "use", "fact": f"{one}_is", "with": given, "as": f"{one}_{at}"})
    labels = [f"{one}_{at}" for one, at in read]
    if "share(l)" in scores:
        factor, share = (f"{one}_{at}" for one, at in read if one != stop)
        premise = [{"by": "split", "proofs": [hyp("some"), hyp(factor), hyp(share)]}]
        rule = "length" if factor == "length_i" else "share"
        given = ["n", str(g), f"{factor[:-2]}(i)", "share(l)", f"2*{abs(g)}*{stop}(l)" if stop else "0", "l", premise]
        nodes += [{"by": "use", "fact": f"lem:score_{rule}", "with": given, "as": "it"}, *hyp("it")]
    else:
        nodes += rewritten(labels)
    ends = [{"by": "intro", "as": [one]} for one in ("i", "range", "l", "place")]
    text.step(have(label, f"all i in 1..n. all l in 1..n. {scores} = {value}", [*ends, *nodes]), label)
    return f"i l. {scores}"


def _scores(text: ProofLines, label: str, name: str, value: str, kept: str = "", *by: str) -> str:
    """The fact that the scores of a head are `value` at all i and l, where `kept` stands as it is; the scores as a
    function of both."""
    scores = text.rows[name].scores
    calls = dict.fromkeys(one for one in _within(expr.parse_term(scores)) if one[:1] == ("call",))
    told = {*text.packed.positions, "one"} - {kept}
    known = [f"{one[1]}_is({one[2][0][1]})" for one in calls if one[1] in told]
    if scores.endswith("/(1/n)"):
        text.once("rate", "1/(1/n) = n")
        known.append("rate")
    text.lines += [f"  {label}: all i in 1..n. all l in 1..n. {scores} = {value}",
                   "    given i (low high) l (from to)",
                   f"    qed by {', '.join([*known, *by])}, low, high, from, to"]  # fmt: skip
    return f"i l. {scores}"
