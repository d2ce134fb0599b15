"""The rules of operators that look at other positions, in formulas and S-RASP programs. A rule proves what a head
writes from what it reads. Nothing here is trusted.

`RULES` has the rule of each operator; a line with another operator is proved by cases. The rules of programs are in
`selections` and `linerules`, those of formulas are here. A rule for line k of a formula adds the fact B<k>: the truth
of the line is a bit, and the coordinate of its head holds this bit. The fact is an instance of a lemma of the library.
The lemma's premises are facts about what the head reads (P<k>, by cases over the symbol and bits) and the head's
equation.

A count takes two heads: one for the mean of a line over the positions on a side, and one that looks up the count
without the position itself. The value of a softmax head has an error, which must be at most what the next feed-forward
layer tolerates (`room`). One fact says that the head's gamma gives such an error, another what its scores are at all
pairs of positions. With "soft, tau 1" the head of `prev` looks up position i - 1, or itself at position 1; the truth of
the line is the bit that it finds and that there is a position before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.compilers.soft import ROOM
from symcook.model import expr
from symcook.model.expr import Tree, parse_formula
from symcook.programs.formula import Count, FormulaLine
from symcook.proof.definitions import DefinedRun, SoftRow
from symcook.proof.programs.linerules import ComparisonRule, MeanRule, PrefixSumRule, WidthRule
from symcook.proof.programs.pointwise import Pointwise
from symcook.proof.programs.proofsteps import (
    Node,
    bit,
    both,
    combined,
    have,
    here,
    hyp,
    intro,
    rewrite,
    rewritten,
    told,
    use,
)
from symcook.proof.programs.selections import selection
from symcook.proof.runvalues import Score

if TYPE_CHECKING:
    from symcook.compilers.formula import CountHead, FormulaHead, Packed
    from symcook.proof.programs.formulas import FormulaFacts
    from symcook.proof.programs.linefacts import ProgramFacts

LATER = "later"
"""The coordinate that says whether there is a position before."""


class ScoredHead(NamedTuple):
    """A softmax head in the run: its score, the text of it at positions i and l, and the label of its equation."""

    score: Score
    scores: str
    label: str


def scored_heads(run: DefinedRun) -> dict[str, ScoredHead]:
    """The softmax heads of a run, by what they write; l is the key's position, since counts are sums over j."""
    heads: dict[str, ScoredHead] = {}
    first = len(run.parts) - len(run.definitions) - len(run.after) + 1
    for number, definition in enumerate(run.definitions, first):
        if isinstance(definition.row, SoftRow) and isinstance(definition.row.score, Score):
            scores = expr.show(expr.parse_term(definition.row.score.at("l")))
            label = f"{definition.function}_is" if definition.row.seen.empty is None else f"part{number}"
            heads[definition.function] = ScoredHead(definition.row.score, scores, label)
    return heads


def room(packed: Packed, name: str) -> Fraction | None:
    """The maximum error of a coordinate from the bit or number that it holds; None for an exact coordinate."""
    head = packed.soft.get(name)
    return None if head is None else ROOM / max(head.load, 1)


# --- Operators on other positions -------------------------------------------------------------------------------------


def neighbour(facts: FormulaFacts, k: int) -> None:
    """prev and next: the truth of a line at the neighbouring position."""
    line, head = facts.formula.lines[k - 1], facts.packed.heads.get(k - 1)
    x = f"z{line.left + 1}"
    facts.by_cases(f"P{k}", f"{x}(i) = 0" if head is None else f"bit({x}(i)) & {head.value}(i) = {x}(i)")
    if head is None:
        facts.lemma(k, f"{line.op}_nowhere", f"n; {x}; z{k}", [f"P{k}", f"m{k}"])
    elif head.name in facts.packed.soft:
        _soft(facts, k, head, x)
    else:
        terms = f"n; {x}; {head.value}; {head.name}; z{k}"
        facts.lemma(k, f"{line.op}_head", terms, [f"P{k}", f"{head.name}_is", f"m{k}"])


def chain(facts: FormulaFacts, k: int) -> None:
    """since and until: the head finds the nearest position at which the left side fails or the right one holds."""
    line, head = facts.formula.lines[k - 1], facts.packed.heads.get(k - 1)
    x, y = f"z{line.left + 1}", f"z{line.right + 1}"
    bits = f"bit({x}(i)) & bit({y}(i))"
    # Without a head the line is never true, or true where its right side is.
    if head is None:
        never = facts.packed.values[k - 1] is False
        facts.by_cases(f"P{k}", f"{bits} & ({x}(i) = 0 | {y}(i) = {0 if never else 1})")
        facts.lemma(k, f"{line.op}_{'never' if never else 'now'}", f"n; {x}; {y}; z{k}", [f"P{k}", f"m{k}"])
        return
    soft = head.name in facts.packed.soft
    stops = f"{'' if soft else 'one(i) = 1 & '}{head.stop}(i) = I[{x}(i) = 0 | {y}(i) = 1]"
    facts.by_cases(f"P{k}", f"{bits} & {stops} & {head.value}(i) = I[{x}(i) = 1 & {y}(i) = 1]")
    if soft:
        _soft(facts, k, head, f"{x}; {y}; {head.stop}")
    else:
        terms = f"n; {x}; {y}; one; {head.stop}; {head.value}; {head.name}; z{k}"
        facts.lemma(k, f"{line.op}_head", terms, [f"P{k}", f"{head.name}_is", f"m{k}"])


def _soft(facts: FormulaFacts, k: int, head: FormulaHead, read: str) -> None:
    """The fact B<k> for a softmax head of prev, next, since or until. `read` has the terms for what the head reads, as
    the lemma takes them."""
    # The scores at positions i and l: gamma*l or -gamma*l, plus 2*gamma*n where the head must stop. If all heads have
    # one mask (`plain`), prev looks up a position, and since has scores by 1/l.
    op, name = facts.formula.lines[k - 1].op, head.name
    plain = facts.packed.scores is not None and facts.packed.scores.plain
    g, small = _gamma(facts, name)
    sign = g if op in ("prev", "since") else -g
    stops = "" if head.stop is None else f"2*{g}*n*{head.stop}(l)"
    value, rule = f"{sign}*l{stops and ' + '}{stops}", f"soft_{op}_head"
    if looked_up(facts.packed, k - 1):
        value, rule = f"{g}*(2*(i - 1)*l - l^2)", "soft_prev_looked"
    elif op == "since" and plain:
        value, rule = f"{g}*i^2*({head.stop}(l) - 1/l)", "soft_since_squared"
    scores = _scores(facts, f"A{k}", name, value, head.stop, (sign, f"2*{g}*{head.stop}(l)" if stops else "0"))
    terms = f"n; {read}; {head.value}; {g}; {room(facts.packed, name)}; {scores}; {name}; z{k}"
    premises = [f"P{k}", small, f"A{k}", facts.rows[name].label, f"m{k}"]
    if looked_up(facts.packed, k - 1):
        terms, premises = f"{terms}; {LATER}", [*premises, f"{LATER}_is"]
    facts.lemma(k, rule, terms, premises)


def looked_up(packed: Packed, number: int) -> bool:
    """Whether a line is a `prev` whose head looks up position i - 1 (see above)."""
    plain = packed.scores is not None and packed.scores.plain
    return plain and packed.formula.lines[number].op == "prev" and number in packed.heads


def bit_before(facts: FormulaFacts, k: int) -> str:
    """The bit that the head of a `prev` finds if it looks up: the truth at i - 1, or at 1 if i = 1."""
    x = f"z{facts.formula.lines[k - 1].left + 1}"
    return f"I[2 <= i & {x}(i - 1) = 1 | i = 1 & {x}(1) = 1]"


def truth_before(facts: FormulaFacts, k: int) -> str:
    """The truth of a `prev` that is looked up: there is a position before, and the head finds 1."""
    return f"I[{LATER}(i) = 1 & {bit_before(facts, k)} = 1]"


def later() -> list[Node]:
    """The nodes that prove that the coordinate `LATER` is a bit at i."""
    proof = [rewrite("later_at"), *bit("2 <= i")]
    return [here("later_is", "later_at"), have(f"b{LATER}", f"bit({LATER}(i))", proof)]


# --- Counts -----------------------------------------------------------------------------------------------------------


def _count(count: Count) -> str:
    """A count at position i, as the sum of the truths of its line."""
    ends = "1, i" if count.side == "left" else "i, n"
    return f"sum(j, {ends}, z{count.line + 1}(j))"


def counts_summed(counts: Sequence[Count], terms: Sequence[Tree]) -> Tree:
    """The sum of `terms`, each with the factor of its count."""
    total: Tree = ()
    for count, term in zip(counts, terms, strict=True):
        part = term if abs(count.factor) == 1 else ("*", ("num", abs(count.factor), 1), term)
        minus = count.factor < 0
        total = ("-" if minus else "+", total, part) if total else ("neg", part) if minus else part
    return total or ("num", 0, 1)


def comparison(facts: FormulaFacts, k: int) -> None:
    """A comparison: a sum of counts is at least a number.

    Several counts may have the same head, if their lines are true at the same positions: then its value is used once,
    with the sum of their factors.
    """
    line = facts.formula.lines[k - 1]
    if not line.counts:
        return
    # By coordinate that a head finds: its first count and the sum of the factors. `lines`: the factor of each line.
    name, heads = facts.packed.heads[k - 1].name, facts.packed.counting[k - 1]
    first, factors, lines = dict[str, int](), dict[str, int](), dict[tuple[str, int], int]()
    for t, (head, count) in enumerate(zip(heads, line.counts, strict=True)):
        (retrieved,) = head.found
        first.setdefault(retrieved, t)
        factors[retrieved] = factors.get(retrieved, 0) + count.factor
        lines[count.side, count.line] = lines.get((count.side, count.line), 0) + count.factor
    # Counts with the head of another line: by side and line, the fact that the two counts are equal.
    others = dict[tuple[str, int], str]()
    for t, (head, count) in enumerate(zip(heads, line.counts, strict=True)):
        this = line.counts[first[head.found[0]]]
        if count.line != this.line and lines[count.side, count.line]:
            others.setdefault((count.side, count.line), _alike(facts, this, count, f"{k}_{t + 1}"))
    # The facts at i: which counts are equal, and that each coordinate found is its count, or near it with softmax.
    looked = [retrieved for retrieved in first if factors[retrieved]]
    soft = any(retrieved in facts.packed.soft for retrieved in looked)
    nodes = [here(alike_label, f"other{t}") for t, alike_label in enumerate(others.values(), 1)]
    for t, retrieved in enumerate(looked, 1):
        at = first[retrieved]
        near = _sum(facts, heads[at], line.counts[at], f"{k}_{at + 1}")
        nodes.append(here(near, [f"least{t}", f"most{t}"] if soft else f"near{t}"))
    # `s` is the sum of the counts, `q` that of the coordinates, each with the position's own part.
    s = expr.show(counts_summed(line.counts, [expr.parse_term(_count(count)) for count in line.counts]))
    q = (
        " + ".join(
            f"{factors[retrieved]}*({retrieved}(i) + {_own(facts, heads[first[retrieved]])})" for retrieved in looked
        )
        or "0"
    )

    def alike(sign: int) -> list[tuple[str, str]]:
        return [(str(sign * lines[other_count]), f"other{t}") for t, other_count in enumerate(others, 1)]

    # The fact C<k>: q = s, or |q - s| <= 1/4 with softmax, where `slack` is what the errors leave of 1/4.
    if soft:
        slack, ends = Fraction(1, 4), (list[tuple[str, str]](), list[tuple[str, str]]())
        for t, retrieved in enumerate(looked, 1):
            factor = factors[retrieved]
            slack -= abs(factor) * (room(facts.packed, retrieved) or 0)
            for end, label in zip(ends, [f"least{t}", f"most{t}"][:: 1 if factor > 0 else -1], strict=True):
                end.append((str(abs(factor)), label))
        statement_text = f"{s} - 1/4 <= {q} & {q} <= {s} + 1/4"
        slack_part = [(str(slack), "")] if slack else []
        nodes += both(*(combined(alike(sign), [*slack_part, *end]) for sign, end in zip((1, -1), ends, strict=True)))
    else:
        statement_text = f"{q} = {s}"
        near = [(str(factors[retrieved]), f"near{t}") for t, retrieved in enumerate(looked, 1)]
        nodes += combined([*near, *alike(-1)])
    facts.each(f"C{k}", statement_text, nodes)
    terms = f"n; i. {s}; i. {q}; {line.bound}; {name}; z{k}"
    facts.lemma(k, f"{'soft_' * soft}compared", terms, [f"C{k}", f"{name}_is", f"m{k}"])


def _alike(facts: FormulaFacts, this: Count, other: Count, label: str) -> str:
    """The fact that the count `other` is equal to the count `this`, as their lines are true at the same positions."""
    x, y = f"z{this.line + 1}", f"z{other.line + 1}"
    facts.by_cases(f"Q{label}", f"{y}(i) = {x}(i)")
    facts.cite(f"E{label}", f"{this.side}_counts", f"n; {x}; {y}", [f"Q{label}"])
    return f"E{label}"


def _sum(facts: FormulaFacts, head: CountHead, count: Count, label: str) -> str:
    """The fact N<label>: a count is the value found by its head plus the position's own part, within the error of a
    softmax head."""
    # `p` is the count without the position itself, which the head looks up.
    c, (retrieved,), p = _count(count), head.found, f"{_count(count)} - z{count.line + 1}(i)"
    shares = _share(facts, head, count, label)
    nodes = [here(f"P{label}", ["bit", "same"])]
    _lookup(facts, f"F{label}", head, p, retrieved, "before", shares)
    if (error := room(facts.packed, retrieved)) is not None:
        there = f"{retrieved}(i) + {_own(facts, head)}"
        statement_text = f"{c} - {error} <= {there} & {there} <= {c} + {error}"
        nodes.append(here(f"F{label}", ["least", "most"]))
        nodes += both(combined([("-1", "same")], [("1", "least")]), combined([("1", "same")], [("1", "most")]))
    else:
        statement_text = f"{retrieved}(i) = {c} - {_own(facts, head)}"
        nodes += [here(shares, ["warm", "cut", "least", "most"]), here(f"F{label}", "found"),
                  use("before_is", [f"{p} + 1", both(hyp("least"), hyp("most"))], "held"),
                  *combined([("1", "found"), ("1", "held"), ("1", "same")])]  # fmt: skip
    facts.each(f"N{label}", statement_text, nodes)
    return f"N{label}"


def _share(facts: FormulaFacts, head: CountHead, count: Count, label: str) -> str:
    """The fact S<label>: the coordinate `less` of a head is the count without the position's own part, divided by the
    number of positions on the side."""
    x = f"z{count.line + 1}"
    facts.by_cases(f"P{label}", f"bit({x}(i)) & {_own(facts, head)} = {x}(i)")
    inverse, mean, less = head.inverse, head.mean, head.less
    terms = f"n; {x}; i. {_own(facts, head)}; {inverse}; {mean}; {less}"
    facts.cite(f"S{label}", f"{head.side}_share", terms, [f"P{label}", f"{inverse}_is", f"{mean}_is", f"{less}_is"])
    return f"S{label}"


def _own(facts: FormulaFacts, head: CountHead) -> str:
    """The position's own part of a count; 0 if its coordinate is not in the run, as one that is always 0 is not."""
    return f"{head.own}(i)" if head.own in facts.run else "0"


def _lookup(facts: FormulaFacts, label: str, head: CountHead, p: str, found: str, table: str, shares: str) -> str:
    """The fact that the coordinate `found` has what the coordinate `table` has at position p + 1, within the error of a
    softmax head. `p` is a number, `shares` the fact that the head's query is p by the number of positions."""
    if found not in facts.packed.soft:
        terms = f"n; i. {p}; {head.inverse}; {head.less}; {found}; index; square; {table}"
        facts.cite(label, "count_found", terms, [shares, "index_is", "square_is", f"{found}_is"])
        return label
    (g, small), is_number, width = _gamma(facts, found), table == "before", f"W{head.inverse}"
    facts.cite(width, f"{head.side}_width", f"n; {head.inverse}", [f"{head.inverse}_is"])
    scores = _scores(facts, f"A{label}", found, f"{g}*n*{head.inverse}(i)*(2*({p} + 1)*l - l^2)", None, shares=shares)
    places = f"{head.inverse}; {head.less}; {g}; {room(facts.packed, found)}"
    premises = [width, shares, small, f"A{label}", "before_is" if is_number else f"b{table}", facts.rows[found].label]
    rule = f"soft_{'number' if is_number else 'truth'}_found"
    facts.cite(label, rule, f"n; i. {p}; {places}; {scores}; {table}; {found}", premises)
    return label


# --- Predicates -------------------------------------------------------------------------------------------------------


def _condition(line: FormulaLine, of: str) -> str:
    """The condition that a predicate (a remainder or a table) puts on the number `of`."""
    if line.op == "remainder":
        return f"ex q in 0..{of}. {of} = {line.divisor}*q + {line.bound}"
    return " | ".join(f"{of} = {place}" for place, digit in enumerate(line.table) if digit == "1") or f"{of} < 0"


def predicate(facts: FormulaFacts, k: int) -> None:
    """A predicate of the position, whose truth is in the embedding, or of a count, by lookups in tables of truths."""
    # For either: the position function of the predicate is its truth (T<k>), and that truth is a bit (U<k>).
    line, name = facts.formula.lines[k - 1], facts.packed.heads[k - 1].name
    every = _condition(line, "k")
    _position_function(facts, k, line)
    facts.write(have(f"U{k}", f"all k:Int. bit(I[{every}])", [intro(["k"]), *bit(every)]))
    if not line.counts:
        truth = _table(facts, k, line, name, "i")
        facts.lemma(k, "predicate_here", f"n; {name}; k. I[{every}]; z{k}", [truth, f"U{k}", f"m{k}"])
        return
    # Of a count: two heads look up the truths for both values of the position's own part, which selects one of them.
    (head,), (count,) = facts.packed.counting[k - 1], line.counts
    c, x, shares = _count(count), f"z{count.line + 1}", _share(facts, head, count, str(k))
    errors = [error for retrieved in head.found if (error := room(facts.packed, retrieved)) is not None]
    truths, looked = list[str](), list[str]()
    for end, of, retrieved, table in zip("hf", ("i - 1", "i"), head.found, head.tables, strict=True):
        truths.append(_table(facts, k, line, table, of))
        if errors:
            nodes = [here(truths[-1], "held"), rewrite("held"), *bit(_condition(line, f"({of})"))]
            facts.each(f"b{table}", f"bit({table}(i))", nodes)
        looked.append(_lookup(facts, f"F{k}{end}", head, f"{c} - {x}(i)", retrieved, table, shares))
    places = [head.inverse, head.less, *head.tables, *head.found, name, f"k. I[{every}]", f"z{k}", *map(str, errors)]
    terms = f"n; i. {c}; {x}; i. {_own(facts, head)}; {'; '.join(places)}"
    premises = [f"P{k}", shares, *truths, f"U{k}", *looked, f"{name}_is", f"m{k}", *("!" for _ in errors[:1])]
    facts.lemma(k, f"{'soft_' * bool(errors)}table_found", terms, premises)


def _table(facts: FormulaFacts, k: int, line: FormulaLine, table: str, of: str) -> str:
    """The fact V<table>: the coordinate `table` is the truth of a predicate about the number `of` (i or i - 1) at each
    position i."""
    least = combined([], [("1", ""), ("1", "low")] if of == "i" else [("1", "low")])
    nodes = [use("range", [], ["low", "high"]), here(f"{table}_is", "held"), use(f"T{k}", [of, least], "known")]
    equations = [("1", "held"), ("1", "known")]
    if line.divisor == 2 and of != "i":  # the table is by (-1)^i, the condition about i - 1
        nodes.append(use("ax:pow_step", ["-1", of, least], "turned"))
        equations.append(("1/2" if line.bound else "-1/2", "turned"))
    statement_text = f"{table}(i) = I[{_condition(line, of if of == 'i' else f'({of})')}]"
    facts.each(f"V{table}", statement_text, [*nodes, *combined(equations)])
    return f"V{table}"


def _position_function(facts: FormulaFacts, k: int, line: FormulaLine) -> None:
    """The fact T<k>: the position function of a predicate is its truth for each number from 0 on."""
    # The position function: by (-1)^k for a remainder modulo 2, else a sum of indicators.
    m, r = line.divisor, line.bound
    ones = [place for place, digit in enumerate(line.table) if digit == "1"]
    form, condition = " + ".join(f"I[k = {place}]" for place in ones) or "0", _condition(line, "k")
    if line.op == "remainder":
        form = f"(1 {'-' if r else '+'} pow(-1, k))/2" if m == 2 else f"sum(q, 0, k, I[k = {m}*q + {r}])"
    statement_text = f"{form} = I[{condition}]"
    if line.op == "remainder":
        hint = ("even_number", "odd_number")[r] if m == 2 else f"remainder_sum(k; {m}; {r})"
        facts.line(f"T{k}", f"all k:Int. 0 <= k -> {statement_text} by {hint}")
        return
    if ones:
        nodes = Pointwise(None, ("name", "k")).by_symbol(parse_formula(statement_text), ones)
    else:
        never = [{"by": "contra", "as": "no"}, *combined([], [("1", "low"), ("1", "is")])]
        nodes = told(condition, never, [rewrite("zero"), {"by": "true"}])
    facts.write(have(f"T{k}", f"all k:Int. 0 <= k -> {statement_text}", [intro(["k"]), intro(["low"]), *nodes]))


# --- Softmax ----------------------------------------------------------------------------------------------------------


def _gamma(facts: FormulaFacts, name: str) -> tuple[int, str]:
    """The gamma of a softmax head, and the fact that its error is at most `room`; heads with the same gamma and load
    share the fact."""
    head, error = facts.packed.soft[name], room(facts.packed, name)
    is_number = head.constant.denominator > 1
    label = f"G{head.gamma}_{head.load}{'_number' * is_number}"
    positive = f"{int(is_number)} {'<=' if is_number else '<'} {head.gamma}"
    facts.line(label, f"{positive} & {head.constant}*exp(-{head.gamma}) <= {error}")
    return head.gamma, label


def _scores(
    facts: FormulaFacts,
    label: str,
    name: str,
    value: str,
    stop: str | None,
    parts: tuple[int, str] = (0, ""),
    shares: str | None = None,
) -> str:
    """The fact that the scores of a head are `value` at all i and l. Returns the scores as a function of both.

    For the head of an operator, `parts` has the factor of l and the term that is added. For a head that looks up a
    count, `shares` is the fact that gives its query.
    """
    # The equations of the coordinates that the scores read, at i and l.
    score, scores, _ = facts.rows[name]
    known = {*facts.packed.positions, "one"}
    sides = ((side, at) for pair in score.products for side, at in zip(pair, "il", strict=True))
    read = [(f, at) for f, at in dict.fromkeys((f, at) for side, at in sides for f in side.reads()) if f in known]
    nodes = [use(f"{f}_is", [at, "#range" if at == "i" else "#place"], f"{f}_{at}") for f, at in read]
    labels = [f"{f}_{at}" for f, at in read]
    if shares is not None:
        nodes = [here(shares, ["warm", "cut", "least", "most"]), *nodes, *rewritten(["cut", *labels])]
    elif "share" in {*score.keys()}:
        factor, share = (f"{function}_{at}" for function, at in read if function != stop)
        premise = both(hyp("some"), hyp(factor), hyp(share))
        rule = "length" if factor == "length_i" else "share"
        arguments = ["n", str(parts[0]), f"{factor[:-2]}(i)", "share(l)", parts[1], "l", premise]
        nodes += [use(f"lem:score_{rule}", arguments, "it"), *hyp("it")]
    else:
        nodes += rewritten(labels)
    # The labels of what is introduced: the two positions and their ranges.
    ends = [intro([bound_label]) for bound_label in ("i", "range", "l", "place")]
    facts.write(have(label, f"all i in 1..n. all l in 1..n. {scores} = {value}", [*ends, *nodes]))
    return f"i l. {scores}"


# --- Lines of programs ------------------------------------------------------------------------------------------------


def aggregate(facts: ProgramFacts, number: int) -> None:
    """aggregate: for symbols the value at the one selected position, for numbers a mean."""
    (selection if facts.program.types[number] == "letter" else MeanRule.of)(facts, number)


RULES: Mapping[str, Callable[[Any, int], None]] = {
    "prev": neighbour, "next": neighbour, "since": chain, "until": chain,
    "at least": comparison, "remainder": predicate, "table": predicate,
    "left": selection, "right": selection, "aggregate": aggregate,
    "psum": PrefixSumRule.of, "width": WidthRule.of, "compare": ComparisonRule.of,
}  # fmt: skip
"""By operator, the function that adds the facts about a line. It takes the number of the line, which counts from 1 in
formulas and from 0 in programs."""
