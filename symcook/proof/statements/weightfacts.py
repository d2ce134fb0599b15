"""Lines of a proof about the attention weights that a statement names, ``weight(L, H, i, j)``.

| label | line |
| --- | --- |
| ``part'NAME`` | the weight is the position's part of the sum of the weights; it is from 0 to 1, and not 0 with softmax |
| ``whole'NAME`` | the weights of a row add up to 1 |
| ``order'NAME`` | the order of scores is the order of weights, and equal scores have equal weights (softmax) |
| ``top'NAME`` | a position of positive weight has the greatest score (all other heads) |
| ``one'NAME`` | one position has the weight 1 (leftmost and rightmost heads) |

NAME is a coordinate that the head writes; the lines are about the rows that see a position. They are untrusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.proof import grammar
from symcook.proof.statements.facts import HERE, THERE
from symcook.proof.terms import Term, instantiate, loose, replace, subterms, var

if TYPE_CHECKING:
    from symcook.proof.statements.heads import AttentionHead, HeadFacts

show = grammar.show


def weighted_heads(facts: HeadFacts, said: Sequence[Term]) -> list[tuple[AttentionHead, list[Term]]]:
    """The heads whose weights are named in the formulas `said`, each once for each equal pair of weight and range, with
    the rows that they are named at."""
    named = [x for f in said for x in subterms(f) if _is_weight(x)]
    found: list[tuple[AttentionHead, list[Term]]] = []
    seen: list[tuple[Term, ...]] = []
    for head in facts.heads.values():
        key = (head.low, head.high, head.weight)
        if head.kind in ("uniform", "place") or key in seen:
            continue
        rows = [row for x in named if (row := _row(x, head, facts)) is not None]
        if rows:
            seen.append(key)
            found.append((head, list(dict.fromkeys(rows))))
    return found


def _is_weight(t: Term) -> bool:
    """Whether a term is sum(k, low, high, I[k = place]*..)."""
    if t[0] != "sum" or t[2][2][0] != "*" or t[2][2][2][0][0] != "ind":
        return False
    return t[2][2][2][0][2][0][0] == "="


def _row(named: Term, head: AttentionHead, facts: HeadFacts) -> Term | None:
    """The row at which a statement names the weight of a head, if it does."""
    low, high, body = named[2]
    share = instantiate(body[2][1], (THERE,))
    one_position = head.kind in ("leftmost", "rightmost")
    weight = share if one_position else share[2][0] if share[0] == "/" else None
    if weight is None:
        return None
    rows = [var(name, "Int") for name in facts.conclusion.names]
    rows += [x[2][1] for x in subterms(named) if x[0] == "app" and not loose(x[2][1])]
    for row in dict.fromkeys(rows):
        at_row = [replace(t, HERE, row) for t in (head.low, head.high, head.weight)]
        if at_row == [low, high, weight]:
            return row
    return None


def weight_lines(facts: HeadFacts, head: AttentionHead) -> str:
    """The lines about the weights of a head."""
    name, r, q, k = head.name, facts.row, facts.seen_at, facts.third
    low, high = facts.text(head.low, r), facts.text(head.high, r)
    weight, score = facts.text(head.weight, r, q), facts.text(head.score or THERE, r, q)
    total = f"sum({k}, {low}, {high}, {facts.text(head.weight, r, k)})"
    every = f"all {r} in {head.first}..{head.last}."
    given = f"  given {r} (low' high')\n"
    function = f"{q}. {weight}; {low}; {high}"
    weighs = f"  weighs': all {q} in {low}..{high}. 0 <= {weight} by weigh'{name}({r}), low', high'\n"
    sums = f"  sums': 0 < sum({q}, {low}, {high}, {weight}) by total'{name}({r}), low', high'\n"

    def share(place: str) -> str:
        """The weight of a position, as a statement has it."""
        part = facts.text(head.weight, r, k)
        part = part if head.kind in ("leftmost", "rightmost") else f"({part})/({total.replace(k, f'{k}_')})"
        return f"sum({k}, {low}, {high}, I[{k} = {place}]*({part}))"

    lines = ""
    if head.kind in ("softmax", "average"):
        bounds = f"0 <= {share(q)} & {share(q)} <= 1"
        positive = f" & 0 < {share(q)}" if head.kind == "softmax" else ""
        at = f"{share(q)} = {weight}/{total}"
        lines += (
            f"part'{name}: {every} all {q} in {low}..{high}. {at} & {bounds}{positive}\n"
            f"  given {r} (low' high') {q} (from' to')\n{weighs}{sums}"
            f"  take (is' least' most' more' none') from attended_share({function}; {q})[weighs', sums'] by from', to'\n"
            f"  more: 0 < {weight} -> 0 < {share(q)} by is', more'\n"
            f"  qed by is', least', most', more, exp_pos\n"
            f"whole'{name}: {every} sum({q}, {low}, {high}, {share(q)}) = 1\n{given}{sums}"
            f"  qed by attended_shares({function})[sums']\n"
        )
    other = facts.text(head.score or THERE, r, k)
    if head.kind == "softmax":
        s, t = (facts.text(head.score or THERE, r, x) for x in (q, facts.fourth))
        pairs = " & ".join(
            f"({s} {sign} {t} <-> {share(q)} {sign} {share(facts.fourth)})" for sign in ("<=", "<", "=")
        )
        here, there = (facts.text(head.weight, r, x) for x in (q, facts.fourth))
        lines += (
            f"order'{name}: {every} all {q} in {low}..{high}. all {facts.fourth} in {low}..{high}. {pairs}\n"
            f"  given {r} (low' high') {q} (from' to') {facts.fourth} (from2' to2')\n"
            f"  positive': 0 < {total} by total'{name}({r}), low', high'\n"
            f"  first': {share(q)} = {here}/{total} by part'{name}({r}), low', high', from', to'\n"
            f"  second': {share(facts.fourth)} = {there}/{total} by part'{name}({r}), low', high', from2', to2'\n"
            f"  take (weak' less' equal') from attended_order({here}; {there}; {total})[positive']\n"
            f"  take (weak2' less2' equal2') from exp_order({s}; {t})\n"
            f"  qed by first', second', weak', less', equal', weak2', less2', equal2'\n"
        )
    elif head.kind == "average":
        best = f"all {k} in {low}..{high}. {other} <= {score}"
        lines += (
            f"top'{name}: {every} all {q} in {low}..{high}. 0 < {share(q)} -> {best}\n"
            f"  given {r} (low' high') {q} (from' to') some'\n{weighs}{sums}"
            f"  suppose off': ~({best})\n  zero': {weight} = 0 by off'\n"
            f"  take (is' _ _ _ none') from attended_share({function}; {q})[weighs', sums'] by from', to'\n"
            f"  qed by is', none', zero', some'\n"
        )
    else:
        lemma = f"{head.kind}_one"
        tied = f"{k} < {q}" if head.kind == "leftmost" else f"{q} < {k}"
        best = f"all {k} in {low}..{high}. {other} <= {score} & ({tied} -> {other} < {score})"
        scores = f"{q}. {score}; {low}; {high}"
        indicator = facts.text(head.weight, r, q)
        lines += (
            f"part'{name}: {every} all {q} in {low}..{high}. {share(q)} = {indicator}\n"
            f"  given {r} (low' high') {q} (from' to')\n"
            f"  qed by sum_delta({q}. {indicator}; {low}; {high}; {q}), from', to'\n"
            f"whole'{name}: {every} sum({q}, {low}, {high}, {share(q)}) = 1\n{given}"
            f"  total': sum({q}, {low}, {high}, {indicator}) = 1 by total'{name}({r}), low', high'\n"
            f"  parts': all {q} in {low}..{high}. {share(q)} = {indicator} by part'{name}({r}), low', high'\n"
            f"  qed by total', sum_ext({q}. {share(q)}; {q}. {indicator}; {low}; {high})[parts']\n"
            f"top'{name}: {every} all {q} in {low}..{high}. 0 < {share(q)} -> {best}\n"
            f"  given {r} (low' high') {q} (from' to') some'\n"
            f"  is': {share(q)} = {indicator} by part'{name}({r}), low', high', from', to'\n"
            f"  suppose off': ~({best})\n  zero': {indicator} = 0 by off'\n  qed by is', zero', some'\n"
            f"one'{name}: {every} ex {q} in {low}..{high}. {share(q)} = 1\n{given}  some': {low} <= {high} by low', high'\n"
            f"  obtain {facts.fourth} (pl' ph' top' is') from {lemma}({scores})[some']\n"
            f"  here': {share(facts.fourth)} = {facts.text(head.weight, r, facts.fourth)}"
            f" by part'{name}({r}), low', high', pl', ph'\n"
            f"  unit': {facts.text(head.weight, r, facts.fourth)} = 1 by is'({facts.fourth}), pl', ph'\n"
            f"  value': {share(facts.fourth)} = 1 by here', unit'\n  qed by value', pl', ph'\n"
        )
    return lines
