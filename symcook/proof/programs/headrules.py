"""The rules of operators that look at other positions, in formulas and S-RASP programs. A rule proves what a head
writes from what it reads. Nothing here is trusted.

`RULES` has the rule of each operator; a line with another operator is proved by cases. The rules of programs are in
`selections` and `linerules`, those of formulas are here. A rule for line k of a formula adds the fact B<k>: the truth
of the line is a bit, and the coordinate of its head holds this bit. The fact is an instance of a lemma of the library.
The lemma's premises are facts about what the head reads (P<k>, by cases over the symbol and bits) and the head's
equation.

A count of positions takes two heads. One gives the mean of a line over the positions on a side; the other looks up the
count without position i itself. The value of a softmax head has an error, which must be at most what the next
feed-forward layer tolerates (`room`). For such a head, one fact states that its gamma gives an error this small, and
another states its scores at all pairs of positions. With "soft, tau 1" the head of `prev` looks up position i - 1, or
position 1 if i = 1. The line is then true if there is a position before i and the bit that the head retrieves is 1.

In this module k is the number of a line, from 1; `z5` is the truth function of line 5, and `m5` the fact that defines
it. A function with the label of a fact as an argument adds this fact; some functions return the label.
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
"""The coordinate that is 1 at positions from 2 on, and 0 at position 1."""


class ScoredHead(NamedTuple):
    """A softmax head in the run."""

    score: Score
    scores: str  # the score at positions i and l, as text
    label: str  # the label of the head's equation


def scored_heads(run: DefinedRun) -> dict[str, ScoredHead]:
    """The softmax heads of a run, by the coordinate that they write. The key's position is l, since counts are sums
    over j."""
    heads: dict[str, ScoredHead] = {}
    # The number of the first definition among the parts of the run, since labels of parts have these numbers.
    first = len(run.parts) - len(run.definitions) - len(run.after) + 1
    for number, definition in enumerate(run.definitions, first):
        if isinstance(definition.row, SoftRow) and isinstance(definition.row.score, Score):
            scores = expr.show(expr.parse_term(definition.row.score.at("l")))
            label = f"{definition.function}_is" if definition.row.seen.empty is None else f"part{number}"
            heads[definition.function] = ScoredHead(definition.row.score, scores, label)
    return heads


def room(packed: Packed, name: str) -> Fraction | None:
    """The maximum distance of a coordinate from the bit or number that it holds; None for an exact coordinate."""
    head = packed.soft.get(name)
    return None if head is None else ROOM / max(head.load, 1)


# --- Operators on other positions -------------------------------------------------------------------------------------


def neighbour(facts: FormulaFacts, k: int) -> None:
    """Add the fact B<k> for `prev` or `next`: the truth of another line at the neighbouring position."""
    line, head = facts.formula.lines[k - 1], facts.packed.heads.get(k - 1)
    x = f"z{line.left + 1}"
    facts.by_cases(f"P{k}", f"{x}(i) = 0" if head is None else f"bit({x}(i)) & {head.value}(i) = {x}(i)")
    if head is None:
        facts.lemma(k, f"{line.op}_nowhere", f"n; {x}; z{k}", [f"P{k}", f"m{k}"])
    elif head.name in facts.packed.soft:
        _soft_operator(facts, k, head, x)
    else:
        terms = f"n; {x}; {head.value}; {head.name}; z{k}"
        facts.lemma(k, f"{line.op}_head", terms, [f"P{k}", f"{head.name}_is", f"m{k}"])


def chain(facts: FormulaFacts, k: int) -> None:
    """Add the fact B<k> for `since` or `until`. The head finds the nearest position at which the left side is false or
    the right side is true."""
    line, head = facts.formula.lines[k - 1], facts.packed.heads.get(k - 1)
    x, y = f"z{line.left + 1}", f"z{line.right + 1}"
    bits = f"bit({x}(i)) & bit({y}(i))"
    # Without a head the line is never true, or true exactly where both of its sides are.
    if head is None:
        never = facts.packed.values[k - 1] is False
        facts.by_cases(f"P{k}", f"{bits} & ({x}(i) = 0 | {y}(i) = {0 if never else 1})")
        facts.lemma(k, f"{line.op}_{'never' if never else 'now'}", f"n; {x}; {y}; z{k}", [f"P{k}", f"m{k}"])
        return
    soft = head.name in facts.packed.soft
    stops = f"{'' if soft else 'one(i) = 1 & '}{head.stop}(i) = I[{x}(i) = 0 | {y}(i) = 1]"
    facts.by_cases(f"P{k}", f"{bits} & {stops} & {head.value}(i) = I[{x}(i) = 1 & {y}(i) = 1]")
    if soft:
        _soft_operator(facts, k, head, f"{x}; {y}; {head.stop}")
    else:
        terms = f"n; {x}; {y}; one; {head.stop}; {head.value}; {head.name}; z{k}"
        facts.lemma(k, f"{line.op}_head", terms, [f"P{k}", f"{head.name}_is", f"m{k}"])


def _soft_operator(facts: FormulaFacts, k: int, head: FormulaHead, read: str) -> None:
    """Add the fact B<k> for a softmax head of prev, next, since or until. `read` has the terms that the head reads, in
    the order in which the lemma takes them."""
    # The scores at positions i and l: gamma*l or -gamma*l, plus 2*gamma*n where the head must stop. If all heads have
    # the same mask (`single_mask`), prev looks up a position, and the scores of since depend on 1/l.
    op, name = facts.formula.lines[k - 1].op, head.name
    single_mask = facts.packed.scores is not None and facts.packed.scores.plain
    gamma, error_fact = _gamma(facts, name)
    sign = gamma if op in ("prev", "since") else -gamma
    stops = "" if head.stop is None else f"2*{gamma}*n*{head.stop}(l)"
    value, rule = f"{sign}*l{stops and ' + '}{stops}", f"soft_{op}_head"
    if looked_up(facts.packed, k - 1):
        value, rule = f"{gamma}*(2*(i - 1)*l - l^2)", "soft_prev_looked"
    elif op == "since" and single_mask:
        value, rule = f"{gamma}*i^2*({head.stop}(l) - 1/l)", "soft_since_squared"
    scores = _scores(facts, f"A{k}", name, value, head.stop, (sign, f"2*{gamma}*{head.stop}(l)" if stops else "0"))
    terms = f"n; {read}; {head.value}; {gamma}; {room(facts.packed, name)}; {scores}; {name}; z{k}"
    premises = [f"P{k}", error_fact, f"A{k}", facts.rows[name].label, f"m{k}"]
    if looked_up(facts.packed, k - 1):
        terms, premises = f"{terms}; {LATER}", [*premises, f"{LATER}_is"]
    facts.lemma(k, rule, terms, premises)


def looked_up(packed: Packed, number: int) -> bool:
    """Whether a line, numbered from 0, is a `prev` whose head looks up position i - 1 (see the module's text)."""
    single_mask = packed.scores is not None and packed.scores.plain
    return single_mask and packed.formula.lines[number].op == "prev" and number in packed.heads


def bit_before(facts: FormulaFacts, k: int) -> str:
    """The bit that the head of a `prev` retrieves if it looks up a position: the truth at i - 1, or at 1 if i = 1."""
    x = f"z{facts.formula.lines[k - 1].left + 1}"
    return f"I[2 <= i & {x}(i - 1) = 1 | i = 1 & {x}(1) = 1]"


def truth_before(facts: FormulaFacts, k: int) -> str:
    """The truth of a `prev` whose head looks up a position: there is a position before, and the head retrieves 1."""
    return f"I[{LATER}(i) = 1 & {bit_before(facts, k)} = 1]"


def later() -> list[Node]:
    """The nodes that prove that the coordinate `LATER` is a bit at i."""
    proof = [rewrite("later_at"), *bit("2 <= i")]
    return [here("later_is", "later_at"), have(f"b{LATER}", f"bit({LATER}(i))", proof)]


# --- Counts -----------------------------------------------------------------------------------------------------------


def _count_text(count: Count) -> str:
    """A count at position i as text: the sum of its line's truths on one side."""
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
    """Add the fact B<k> for a comparison: a sum of counts, with factors, is at least a number. A comparison without
    counts needs no fact.

    Several counts may have the same head, if their lines are true at the same positions. Then the value of the head is
    used once, with the sum of their factors.
    """
    line = facts.formula.lines[k - 1]
    if not line.counts:
        return
    # By coordinate that a head writes: the index of the first count that uses it, and the sum of its counts' factors.
    # `line_factors`: by side and line, the sum of the factors.
    name, heads = facts.packed.heads[k - 1].name, facts.packed.counting[k - 1]
    first_count = dict[str, int]()
    factors = dict[str, int]()
    line_factors = dict[tuple[str, int], int]()
    for t, (head, count) in enumerate(zip(heads, line.counts, strict=True)):
        (retrieved,) = head.found
        first_count.setdefault(retrieved, t)
        factors[retrieved] = factors.get(retrieved, 0) + count.factor
        line_factors[count.side, count.line] = line_factors.get((count.side, count.line), 0) + count.factor
    # By side and line of a count that uses the head of another line: the fact that the two counts are equal.
    equal_counts = dict[tuple[str, int], str]()
    for t, (head, count) in enumerate(zip(heads, line.counts, strict=True)):
        head_count = line.counts[first_count[head.found[0]]]
        if count.line != head_count.line and line_factors[count.side, count.line]:
            equal_counts.setdefault((count.side, count.line), _counts_equal(facts, head_count, count, f"{k}_{t + 1}"))
    # The facts at i: which counts are equal, and that each coordinate is its count, or near its count with softmax.
    used = [retrieved for retrieved in first_count if factors[retrieved]]
    soft = any(retrieved in facts.packed.soft for retrieved in used)
    nodes = [here(alike_label, f"other{t}") for t, alike_label in enumerate(equal_counts.values(), 1)]
    for t, retrieved in enumerate(used, 1):
        at = first_count[retrieved]
        count_fact = _count_of_head(facts, heads[at], line.counts[at], f"{k}_{at + 1}")
        nodes.append(here(count_fact, [f"least{t}", f"most{t}"] if soft else f"near{t}"))
    # `s` is the sum of the counts with their factors. `q` is the same sum by coordinates, where the part of position i
    # itself is added to each coordinate.
    s = expr.show(counts_summed(line.counts, [expr.parse_term(_count_text(count)) for count in line.counts]))
    own_parts = [_own_part(facts, heads[first_count[retrieved]]) for retrieved in used]
    summands = [
        f"{factors[name_used]}*({name_used}(i) + {own})" for name_used, own in zip(used, own_parts, strict=True)
    ]
    q = " + ".join(summands) or "0"

    def equal_count_terms(sign: int) -> list[tuple[str, str]]:
        """The equations between counts, with their factors times a sign, for `combined`."""
        return [(str(sign * line_factors[other_count]), f"other{t}") for t, other_count in enumerate(equal_counts, 1)]

    # The fact C<k>: q = s, or |q - s| <= 1/4 with softmax. Then `slack` is 1/4 less the errors of all heads, and `ends`
    # has the facts for each of the two inequalities.
    if soft:
        slack, ends = Fraction(1, 4), (list[tuple[str, str]](), list[tuple[str, str]]())
        for t, retrieved in enumerate(used, 1):
            factor = factors[retrieved]
            slack -= abs(factor) * (room(facts.packed, retrieved) or 0)
            for end, label in zip(ends, [f"least{t}", f"most{t}"][:: 1 if factor > 0 else -1], strict=True):
                end.append((str(abs(factor)), label))
        statement_text = f"{s} - 1/4 <= {q} & {q} <= {s} + 1/4"
        slack_part = [(str(slack), "")] if slack else []
        nodes += both(
            *(combined(equal_count_terms(sign), [*slack_part, *end]) for sign, end in zip((1, -1), ends, strict=True))
        )
    else:
        statement_text = f"{q} = {s}"
        count_fact = [(str(factors[retrieved]), f"near{t}") for t, retrieved in enumerate(used, 1)]
        nodes += combined([*count_fact, *equal_count_terms(-1)])
    facts.each(f"C{k}", statement_text, nodes)
    terms = f"n; i. {s}; i. {q}; {line.bound}; {name}; z{k}"
    facts.lemma(k, f"{'soft_' * soft}compared", terms, [f"C{k}", f"{name}_is", f"m{k}"])


def _counts_equal(facts: FormulaFacts, count: Count, other: Count, label: str) -> str:
    """Add the fact E<label> that two counts are equal, since their lines are true at the same positions; returns its
    label."""
    x, y = f"z{count.line + 1}", f"z{other.line + 1}"
    facts.by_cases(f"Q{label}", f"{y}(i) = {x}(i)")
    facts.cite(f"E{label}", f"{count.side}_counts", f"n; {x}; {y}", [f"Q{label}"])
    return f"E{label}"


def _count_of_head(facts: FormulaFacts, head: CountHead, count: Count, label: str) -> str:
    """Add the fact N<label>: a count is the value that its head retrieves plus the part of position i itself, within
    the error of a softmax head. Returns its label."""
    # `others` is the count without position i itself: the head looks it up.
    count_text, (retrieved,), others = _count_text(count), head.found, f"{_count_text(count)} - z{count.line + 1}(i)"
    share_fact = _share_of_head(facts, head, count, label)
    nodes = [here(f"P{label}", ["bit", "same"])]
    _lookup(facts, f"F{label}", head, others, retrieved, "before", share_fact)
    if (error := room(facts.packed, retrieved)) is not None:
        found_plus_own = f"{retrieved}(i) + {_own_part(facts, head)}"
        statement_text = f"{count_text} - {error} <= {found_plus_own} & {found_plus_own} <= {count_text} + {error}"
        nodes.append(here(f"F{label}", ["least", "most"]))
        nodes += both(combined([("-1", "same")], [("1", "least")]), combined([("1", "same")], [("1", "most")]))
    else:
        statement_text = f"{retrieved}(i) = {count_text} - {_own_part(facts, head)}"
        nodes += [here(share_fact, ["warm", "cut", "least", "most"]), here(f"F{label}", "found"),
                  use("before_is", [f"{others} + 1", both(hyp("least"), hyp("most"))], "held"),
                  *combined([("1", "found"), ("1", "held"), ("1", "same")])]  # fmt: skip
    facts.each(f"N{label}", statement_text, nodes)
    return f"N{label}"


def _share_of_head(facts: FormulaFacts, head: CountHead, count: Count, label: str) -> str:
    """Add the fact S<label>: the coordinate `less` of a head is the count without position i itself, divided by the
    number of positions on the side. Returns its label."""
    x = f"z{count.line + 1}"
    facts.by_cases(f"P{label}", f"bit({x}(i)) & {_own_part(facts, head)} = {x}(i)")
    inverse, mean, less = head.inverse, head.mean, head.less
    terms = f"n; {x}; i. {_own_part(facts, head)}; {inverse}; {mean}; {less}"
    facts.cite(f"S{label}", f"{head.side}_share", terms, [f"P{label}", f"{inverse}_is", f"{mean}_is", f"{less}_is"])
    return f"S{label}"


def _own_part(facts: FormulaFacts, head: CountHead) -> str:
    """What position i itself adds to a count, as text. It is 0 if its coordinate is not in the run: a coordinate that
    is always 0 is left out."""
    return f"{head.own}(i)" if head.own in facts.run else "0"


def _lookup(
    facts: FormulaFacts, label: str, head: CountHead, position_less_1: str, retrieved: str, table: str, share_fact: str
) -> str:
    """Add a fact: at i the coordinate `retrieved` has the value that the coordinate `table` has at the position that is
    1 more than `position_less_1`, within the error of a softmax head. Returns its label.

    `share_fact` is the fact that the head's query is `position_less_1` divided by the number of positions.
    """
    # A head with hard attention finds the position exactly.
    if retrieved not in facts.packed.soft:
        terms = f"n; i. {position_less_1}; {head.inverse}; {head.less}; {retrieved}; index; square; {table}"
        facts.cite(label, "count_found", terms, [share_fact, "index_is", "square_is", f"{retrieved}_is"])
        return label
    # A softmax head: the error that its gamma gives, the number of positions on the side, and its scores.
    (gamma, error_fact), is_number, width = _gamma(facts, retrieved), table == "before", f"W{head.inverse}"
    facts.cite(width, f"{head.side}_width", f"n; {head.inverse}", [f"{head.inverse}_is"])
    value = f"{gamma}*n*{head.inverse}(i)*(2*({position_less_1} + 1)*l - l^2)"
    scores = _scores(facts, f"A{label}", retrieved, value, None, share_fact=share_fact)
    # The table has numbers or truths, each with its own lemma.
    places = f"{head.inverse}; {head.less}; {gamma}; {room(facts.packed, retrieved)}"
    of_table = "before_is" if is_number else f"b{table}"
    premises = [width, share_fact, error_fact, f"A{label}", of_table, facts.rows[retrieved].label]
    rule = f"soft_{'number' if is_number else 'truth'}_found"
    facts.cite(label, rule, f"n; i. {position_less_1}; {places}; {scores}; {table}; {retrieved}", premises)
    return label


# --- Predicates -------------------------------------------------------------------------------------------------------


def _condition(line: FormulaLine, number: str) -> str:
    """The condition that a predicate, which is a remainder or a table, puts on a number, both as text."""
    if line.op == "remainder":
        return f"ex q in 0..{number}. {number} = {line.divisor}*q + {line.bound}"
    return (
        " | ".join(f"{number} = {place}" for place, digit in enumerate(line.table) if digit == "1") or f"{number} < 0"
    )


def predicate(facts: FormulaFacts, k: int) -> None:
    """Add the fact B<k> for a predicate. The embedding has the truth of a predicate of the position; heads look up the
    truth of a predicate of a count in tables."""
    # In both cases: the position function of the predicate is its truth (T<k>), and this truth is a bit (U<k>).
    line, name = facts.formula.lines[k - 1], facts.packed.heads[k - 1].name
    condition_at_k = _condition(line, "k")
    _position_function(facts, k, line)
    facts.write(have(f"U{k}", f"all k:Int. bit(I[{condition_at_k}])", [intro(["k"]), *bit(condition_at_k)]))
    if not line.counts:
        truth = _table(facts, k, line, name, "i")
        facts.lemma(k, "predicate_here", f"n; {name}; k. I[{condition_at_k}]; z{k}", [truth, f"U{k}", f"m{k}"])
        return
    # A count: two heads look up the truths for both values, 0 and 1, of what position i adds to the count. That value
    # then selects one of the two truths.
    (head,), (count,) = facts.packed.counting[k - 1], line.counts
    count_text = _count_text(count)
    x = f"z{count.line + 1}"
    share_fact = _share_of_head(facts, head, count, str(k))
    errors = [error for retrieved in head.found if (error := room(facts.packed, retrieved)) is not None]
    table_facts, lookup_facts = list[str](), list[str]()
    for end, of, retrieved, table in zip("hf", ("i - 1", "i"), head.found, head.tables, strict=True):
        table_facts.append(_table(facts, k, line, table, of))
        if errors:
            nodes = [here(table_facts[-1], "held"), rewrite("held"), *bit(_condition(line, f"({of})"))]
            facts.each(f"b{table}", f"bit({table}(i))", nodes)
        lookup_facts.append(_lookup(facts, f"F{k}{end}", head, f"{count_text} - {x}(i)", retrieved, table, share_fact))
    places = [
        head.inverse,
        head.less,
        *head.tables,
        *head.found,
        name,
        f"k. I[{condition_at_k}]",
        f"z{k}",
        *map(str, errors),
    ]
    terms = f"n; i. {count_text}; {x}; i. {_own_part(facts, head)}; {'; '.join(places)}"
    premises = [
        f"P{k}",
        share_fact,
        *table_facts,
        f"U{k}",
        *lookup_facts,
        f"{name}_is",
        f"m{k}",
        *("!" for _ in errors[:1]),
    ]
    facts.lemma(k, f"{'soft_' * bool(errors)}table_found", terms, premises)


def _table(facts: FormulaFacts, k: int, line: FormulaLine, table: str, number: str) -> str:
    """Add the fact V<table>: at each position i, the coordinate `table` is the truth of a predicate about a number,
    which is the text "i" or "i - 1". Returns its label."""
    is_natural = combined([], [("1", ""), ("1", "low")] if number == "i" else [("1", "low")])
    nodes = [
        use("range", [], ["low", "high"]),
        here(f"{table}_is", "held"),
        use(f"T{k}", [number, is_natural], "known"),
    ]
    equations = [("1", "held"), ("1", "known")]
    if line.divisor == 2 and number != "i":  # the table is given by (-1)^i, the condition is about i - 1
        nodes.append(use("ax:pow_step", ["-1", number, is_natural], "turned"))
        equations.append(("1/2" if line.bound else "-1/2", "turned"))
    statement_text = f"{table}(i) = I[{_condition(line, number if number == 'i' else f'({number})')}]"
    facts.each(f"V{table}", statement_text, [*nodes, *combined(equations)])
    return f"V{table}"


def _position_function(facts: FormulaFacts, k: int, line: FormulaLine) -> None:
    """Add the fact T<k>: the position function of a predicate is its truth for each number from 0 on."""
    # `form`, the position function: it is given by (-1)^k for a remainder modulo 2, else by a sum of indicators.
    m, remainder = line.divisor, line.bound
    ones = [place for place, digit in enumerate(line.table) if digit == "1"]
    form = " + ".join(f"I[k = {place}]" for place in ones) or "0"
    condition = _condition(line, "k")
    if line.op == "remainder":
        form = (
            f"(1 {'-' if remainder else '+'} pow(-1, k))/2" if m == 2 else f"sum(q, 0, k, I[k = {m}*q + {remainder}])"
        )
    statement_text = f"{form} = I[{condition}]"
    if line.op == "remainder":
        hint = ("even_number", "odd_number")[remainder] if m == 2 else f"remainder_sum(k; {m}; {remainder})"
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
    """The gamma of a softmax head, and the label of the fact that its error is at most `room`. Heads with the same
    gamma and load share the fact."""
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
    share_fact: str | None = None,
) -> str:
    """Add the fact that the scores of the head that writes `name` are `value` at all positions i and l. Returns the
    scores as a function of i and l.

    For the head of an operator, `parts` has the factor of l and the term that is added to it, and `stop` is the
    coordinate that stops the head. For a head that looks up a count, `share_fact` is the fact that gives its query.
    """
    # The equations of the coordinates that the scores read, at i and l.
    score, scores, _ = facts.rows[name]
    known = {*facts.packed.positions, "one"}
    sides = ((side, at) for pair in score.products for side, at in zip(pair, "il", strict=True))
    coordinates = [
        (coordinate, at)
        for coordinate, at in dict.fromkeys((coordinate, at) for side, at in sides for coordinate in side.reads())
        if coordinate in known
    ]
    nodes = [
        use(f"{coordinate}_is", [at, "#range" if at == "i" else "#place"], f"{coordinate}_{at}")
        for coordinate, at in coordinates
    ]
    labels = [f"{coordinate}_{at}" for coordinate, at in coordinates]
    if share_fact is not None:
        nodes = [here(share_fact, ["warm", "cut", "least", "most"]), *nodes, *rewritten(["cut", *labels])]
    elif "share" in {*score.keys()}:
        factor, share = (f"{function}_{at}" for function, at in coordinates if function != stop)
        premise = both(hyp("some"), hyp(factor), hyp(share))
        rule = "length" if factor == "length_i" else "share"
        arguments = ["n", str(parts[0]), f"{factor[:-2]}(i)", "share(l)", parts[1], "l", premise]
        nodes += [use(f"lem:score_{rule}", arguments, "it"), *hyp("it")]
    else:
        nodes += rewritten(labels)
    # The names and labels in the order of the quantifiers: each position, then its range.
    ends = [intro([bound_label]) for bound_label in ("i", "range", "l", "place")]
    facts.write(have(label, f"all i in 1..n. all l in 1..n. {scores} = {value}", [*ends, *nodes]))
    return f"i l. {scores}"


# --- Lines of programs ------------------------------------------------------------------------------------------------


def aggregate(facts: ProgramFacts, number: int) -> None:
    """Add the facts about an `aggregate`: for symbols the value at the one selected position, for numbers a mean."""
    (selection if facts.program.types[number] == "letter" else MeanRule.of)(facts, number)


RULES: Mapping[str, Callable[[Any, int], None]] = {
    "prev": neighbour, "next": neighbour, "since": chain, "until": chain,
    "at least": comparison, "remainder": predicate, "table": predicate,
    "left": selection, "right": selection, "aggregate": aggregate,
    "psum": PrefixSumRule.of, "width": WidthRule.of, "compare": ComparisonRule.of,
}  # fmt: skip
"""By operator, the function that adds the facts about a line. It takes the facts of the proof and the number of the
line; lines have numbers from 1 in formulas, from 0 in programs."""
