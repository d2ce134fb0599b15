"""Lines of a proof about the attention weights that a statement names, ``weight(L, H, i, j)``.

| label | line |
| --- | --- |
| ``part'NAME`` | a weight is a part of the sum of all; it is from 0 to 1, and positive with softmax |
| ``whole'NAME`` | the weights of a row add up to 1 |
| ``top'NAME`` | a position of positive weight has the greatest score (all other heads) |
| ``one'NAME`` | one position has the weight 1 (leftmost and rightmost heads) |
| ``seen'1NAME``, .. | these where the statement names weights; with softmax also their order, by scores |

NAME is a coordinate that the head writes; these lines are about the rows that see a position. They are untrusted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.proof import grammar
from symcook.proof.statements.facts import HERE, THERE
from symcook.proof.terms import Term, flatten, instantiate, loose, replace, subterms, var

if TYPE_CHECKING:
    from symcook.proof.statements.heads import AttentionHead, HeadFacts

show = grammar.show


def weighted_heads(facts: HeadFacts, said: Sequence[Term]) -> list[tuple[AttentionHead, list[Term]]]:
    """The heads whose weights are named in the formulas `said`, each once for each equal pair of weight and range, with
    the rows that they are named at."""
    named = [x for f in said for x in subterms(f) if is_weight(x)]
    found: list[tuple[AttentionHead, list[Term]]] = []
    seen: list[tuple[Term, ...]] = []
    for head in facts.heads.values():
        key = (head.low, head.high, head.weight)
        if head.kind in ("uniform", "place") or key in seen:
            continue
        rows = [row for x in named if (row := row_of(x, head, facts)) is not None]
        if rows:
            seen.append(key)
            found.append((head, list(dict.fromkeys(rows))))
    return found


def is_weight(t: Term) -> bool:
    """Whether a term is sum(k, low, high, I[k = place]*..)."""
    if t[0] != "sum" or t[2][2][0] != "*" or t[2][2][2][0][0] != "ind":
        return False
    return t[2][2][2][0][2][0][0] == "="


def row_of(named: Term, head: AttentionHead, facts: HeadFacts) -> Term | None:
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


def weight_at(facts: HeadFacts, head: AttentionHead, row: str, place: str) -> str:
    """The weight that a row gives to a position, as a statement has it."""
    k, low, high = facts.third, facts.text(head.low, row), facts.text(head.high, row)
    part = facts.text(head.weight, row, k)
    if head.kind not in ("leftmost", "rightmost"):
        part = f"({part})/(sum({facts.fifth}, {low}, {high}, {facts.text(head.weight, row, facts.fifth)}))"
    return f"sum({k}, {low}, {high}, I[{k} = {place}]*({part}))"


MOST_PLACES = 3
"""The lines about single positions are for at most so many of those that a statement names. Each has as many lines as
there are heads."""


def lines_at_rows(facts: HeadFacts, head: AttentionHead, rows: Sequence[Term], said: Sequence[Term]) -> dict[str, str]:
    """By label: the lines about the weights of a head at the rows and positions that a statement names."""
    name, q, k = head.name, facts.seen_at, facts.third
    places = [
        show(x[2][2][2][0][2][0][2][1])
        for f in said
        for x in subterms(f)
        if is_weight(x) and not loose(x[2][2][2][0][2][0][2][1])
    ]
    places = list(dict.fromkeys(places))[:MOST_PLACES]
    within = ", ".join([*facts.conclusion.ranges, *facts.conclusion.premises, "some"])
    lines: dict[str, str] = {}

    def add(formula: str, kind: str, row: str) -> None:
        """Add the line of `formula`, by the line of this kind about the head."""
        label = f"seen'{len(lines) + 1}{name}"
        lines[label] = f"{label}: {formula} by {kind}'{name}({row}), {within}\n"

    for row in map(show, rows):
        low, high = facts.text(head.low, row), facts.text(head.high, row)
        add(f"sum({q}, {low}, {high}, {weight_at(facts, head, row, q)}) = 1", "whole", row)
        if head.kind in ("leftmost", "rightmost"):
            add(f"ex {q} in {low}..{high}. {weight_at(facts, head, row, q)} = 1", "one", row)
        for place in places:
            weight = weight_at(facts, head, row, place)
            if head.kind in ("softmax", "average"):
                add(f"0 {'<' if head.kind == 'softmax' else '<='} {weight} & {weight} <= 1", "part", row)
            if head.kind != "softmax":
                scores = [facts.text(head.score or THERE, row, at) for at in (k, place)]
                add(f"0 < {weight} -> all {k} in {low}..{high}. {' <= '.join(scores)}", "top", row)
        for first, second in itertools.permutations(places, 2) if head.kind == "softmax" else ():
            scores = [facts.text(head.score or THERE, row, at) for at in (first, second)]
            weights = [weight_at(facts, head, row, at) for at in (first, second)]
            hints = [*scores_at(facts, head, row, (first, second)), *facts.conclusion.premises]
            lemma = f"attended_soft({q}. {facts.text(head.score or THERE, row, q)}; {low}; {high}; {first}; {second})"
            said_signs = {f[0] for f in flatten("&", said[0])}
            for sign, fact in (("<=", "weak'"), ("<", "less'"), ("=", "equal'")):
                if sign not in said_signs:
                    continue
                label = f"seen'{len(lines) + 1}{name}"
                lines[label] = (
                    f"{label}: {f' {sign} '.join(weights)}\n"
                    f"  ranked': {f' {sign} '.join(scores)} by {', '.join([*hints, *facts.conclusion.ranges])}\n"
                    f"  take (weak' less' equal') from {lemma} by {within}\n  qed by {fact}, ranked'\n"
                )
    return lines


def scores_at(facts: HeadFacts, head: AttentionHead, row: str, places: Sequence[str]) -> list[str]:
    """The labels of the equations in the scores that a row gives to these positions."""
    labels = [
        label
        for place in places
        for label in [*facts.below(head.score or THERE, row, place), *facts.letters(place)]
    ]
    return list(dict.fromkeys(labels))


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
        return weight_at(facts, head, r, place)

    lines = ""
    if head.kind in ("softmax", "average"):
        bounds = f"0 <= {share(q)} & {share(q)} <= 1"
        positive = f" & 0 < {share(q)}" if head.kind == "softmax" else ""
        at = f"{share(q)} = {weight}/{total}"
        parted = f"attended_share({function}; {q})[weighs', sums'] by from', to'"
        lines += (
            f"part'{name}: {every} all {q} in {low}..{high}. {at} & {bounds}{positive}\n"
            f"  given {r} (low' high') {q} (from' to')\n{weighs}{sums}"
            f"  take (is' least' most' more' none') from {parted}\n"
            f"  more: 0 < {weight} -> 0 < {share(q)} by is', more'\n"
            f"  qed by is', least', most', more, exp_pos\n"
            f"whole'{name}: {every} sum({q}, {low}, {high}, {share(q)}) = 1\n{given}{sums}"
            f"  qed by attended_shares({function})[sums']\n"
        )
    other = facts.text(head.score or THERE, r, k)
    if head.kind == "average":
        best = f"all {k} in {low}..{high}. {other} <= {score}"
        lines += (
            f"top'{name}: {every} all {q} in {low}..{high}. 0 < {share(q)} -> {best}\n"
            f"  given {r} (low' high') {q} (from' to') some'\n{weighs}{sums}"
            f"  suppose off': ~({best})\n  zero': {weight} = 0 by off'\n"
            f"  take (is' _ _ _ none') from attended_share({function}; {q})[weighs', sums'] by from', to'\n"
            f"  qed by is', none', zero', some'\n"
        )
    elif head.kind in ("leftmost", "rightmost"):
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
            f"one'{name}: {every} ex {q} in {low}..{high}. {share(q)} = 1\n{given}"
            f"  some': {low} <= {high} by low', high'\n"
            f"  obtain {facts.fourth} (pl' ph' top' is') from {lemma}({scores})[some']\n"
            f"  here': {share(facts.fourth)} = {facts.text(head.weight, r, facts.fourth)}"
            f" by part'{name}({r}), low', high', pl', ph'\n"
            f"  unit': {facts.text(head.weight, r, facts.fourth)} = 1 by is'({facts.fourth}), pl', ph'\n"
            f"  value': {share(facts.fourth)} = 1 by here', unit'\n  qed by value', pl', ph'\n"
        )
    return lines
