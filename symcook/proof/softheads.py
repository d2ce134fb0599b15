"""Softmax heads in the proofs of compiled formulas: a bit or number that one retrieves is within an error. Nothing here
is trusted.

The error is what the next network has room for; that gamma gives it is a fact of its own, and so is what the scores
are at all pairs of positions: then the lemma of the head is cited. Under the one mask of "soft, tau 1" previous looks
up the position before, and at position 1 itself: the line's truth is the bit that it finds where there is a position
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from symcook.compilers.soft import ROOM
from symcook.model import expr
from symcook.proof.definitions import DefinedRun, SoftRow
from symcook.proof.runvalues import Score
from symcook.proof.steps import (
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
    use,
)

if TYPE_CHECKING:
    from symcook.compilers.formula import CountHead, FormulaHead, Packed
    from symcook.proof.formulas import ProofLines

LATER = "later"
"""The coordinate that says whether there is a position before."""


class ScoredHead(NamedTuple):
    """A softmax head in the run: its score, the text of it at positions i and l, and the label of its equation."""

    score: Score
    scores: str
    label: str


def heads(run: DefinedRun) -> dict[str, ScoredHead]:
    """The softmax heads of a run, by what they write; l is the key's position, since counts are sums over j."""
    found: dict[str, ScoredHead] = {}
    first = len(run.parts) - len(run.definitions) - len(run.after) + 1
    for number, one in enumerate(run.definitions, first):
        if isinstance(one.row, SoftRow) and isinstance(one.row.score, Score):
            scores = expr.show(expr.parse_term(one.row.score.at("l")))
            label = f"{one.function}_is" if one.row.seen.empty is None else f"part{number}"
            found[one.function] = ScoredHead(one.row.score, scores, label)
    return found


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


def there(text: ProofLines, k: int) -> str:
    """The truth of a line that is looked up: the bit that it finds, where there is a position before."""
    return f"I[{LATER}(i) = 1 & {before(text, k)} = 1]"


def later() -> list[Node]:
    """The nodes that show that the coordinate which says whether there is a position before is a bit at i."""
    proof = [rewrite("later_at"), *bit("2 <= i")]
    return [here("later_is", "later_at"), have(f"b{LATER}", f"bit({LATER}(i))", proof)]


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
    """The fact that a head which looks up the position of a count and one finds nearly that number, or what the bits of
    a table are there; `count` is a term in i."""
    (g, small), number, width = gamma(text, found), table == "before", f"W{head.inverse}"
    if width not in text.said:
        text.said.add(width)
        text.cite(width, f"{head.side}_width", f"n; {head.inverse}", [f"{head.inverse}_is"])
    scores = _scores(text, f"A{label}", found, f"{g}*n*{head.inverse}(i)*(2*({count} + 1)*l - l^2)", shares)
    places = f"{head.inverse}; {head.less}; {g}; {room(text.packed, found)}"
    terms = f"n; i. {count}; {places}; {scores}; {table}; {found}"
    premises = [width, shares, small, f"A{label}", "before_is" if number else f"b{table}", text.rows[found].label]
    text.cite(label, f"soft_{'number' if number else 'truth'}_found", terms, premises)


def compared(bound: int, total: str, found: str, sums: Sequence[tuple[int, Fraction | int, str]]) -> list[Node]:
    """The nodes of `step`, what a network makes of a sum of counts as it was found: I[bound <= total]. `sums` has for
    each count its factor, its error and the fact that it is near."""
    nodes, slack = [here(one, [f"least{t}", f"most{t}"]) for t, (_, _, one) in enumerate(sums, 1)], Fraction(1, 4)
    ends: tuple[list[tuple[str, str]], ...] = ([], [])
    for t, (factor, error, _) in enumerate(sums, 1):
        slack -= abs(factor) * error
        for side, label in zip(ends, [f"least{t}", f"most{t}"][:: 1 if factor > 0 else -1], strict=True):
            side.append((str(abs(factor)), label))
    near = both(*(combined([], [*([(str(slack), "")] if slack else []), *side]) for side in ends))
    return [*nodes, use("lem:at_least_rounded", [found, total, str(bound), near], "step")]


def _scored(text: ProofLines, label: str, name: str, value: str, g: int, stop: str | None) -> str:
    """The fact that the scores of an operator's head are `value` at all i and l; the scores as a function of both."""
    score, scores, _ = text.rows[name]
    told, nodes = {*text.packed.positions, "one"}, list[Node]()
    sides = ((side, at) for pair in score.products for side, at in zip(pair, "il", strict=True))
    read = [(one, at) for one, at in dict.fromkeys((f, at) for side, at in sides for f in side.reads()) if one in told]
    for one, at in read:
        given = [at, "#range" if at == "i" else "#place"]
        nodes.append(use(f"{one}_is", given, f"{one}_{at}"))
    labels = [f"{one}_{at}" for one, at in read]
    if "share" in {*score.keys()}:
        factor, share = (f"{one}_{at}" for one, at in read if one != stop)
        premise = both(hyp("some"), hyp(factor), hyp(share))
        rule = "length" if factor == "length_i" else "share"
        given = ["n", str(g), f"{factor[:-2]}(i)", "share(l)", f"2*{abs(g)}*{stop}(l)" if stop else "0", "l", premise]
        nodes += [use(f"lem:score_{rule}", given, "it"), *hyp("it")]
    else:
        nodes += rewritten(labels)
    ends = [intro([one]) for one in ("i", "range", "l", "place")]
    text.step(have(label, f"all i in 1..n. all l in 1..n. {scores} = {value}", [*ends, *nodes]), label)
    return f"i l. {scores}"


def _scores(text: ProofLines, label: str, found: str, value: str, shares: str) -> str:
    """The fact that the scores of a head that looks up a count are `value` at all i and l; the scores as a function of
    both."""
    score, scores, _ = text.rows[found]
    read = dict.fromkeys(score.keys())
    nodes: list[Node] = [intro([one]) for one in ("i", "range", "l", "place")]
    nodes.append(here(shares, ["warm", "cut", "least", "most"]))
    nodes += [use(f"{one}_is", ["l", "#place"], f"{one}_l") for one in read]
    nodes += rewritten([*(f"{one}_l" for one in read), "cut"])
    text.step(have(label, f"all i in 1..n. all l in 1..n. {scores} = {value}", nodes), label)
    return f"i l. {scores}"
