"""Proofs at one string: of a formula ``ex NAMES. F``, by the values that a run on this string gives to the names.

The refutation of a statement is such a formula. H (the hypotheses of a statement can be satisfied) is one, or a
conjunction of several. The functions here close a goal by the present string of `Runs`, or raise Stuck. The proof
follows the truth of F as `Runs` computes it: it picks the true side of a disjunction and a number for an existence; it
goes through all places of a range; it takes the place at which a universal fact is false, and the value of each I[...].
This leaves comparisons of numbers, which the automation proves. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial

from symcook.errors import Rejected
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import constant, fkey, nf
from symcook.proof.replay import Statement
from symcook.proof.search import automation
from symcook.proof.search.tactics import Citable, Goal, Stuck, try_contradiction, try_each
from symcook.proof.statements.exactvalues import cancelled, divided, enclosed
from symcook.proof.statements.reader import terms
from symcook.proof.statements.shortruns import FOR_ONE, OPEN, Runs, WordsSpent
from symcook.proof.terms import (
    FALSE,
    MAX_SIZE,
    Term,
    flatten,
    free,
    instantiate,
    loose,
    negation,
    num,
    opened,
    subterms,
    var,
)

LEVELS = automation.LEVELS[:3]
"""The levels of the automation for comparisons of numbers."""
MOST_INDICATORS = 200
"""The maximum number of indicators in one comparison whose values are proved. Each is a proof of its own; 24 claims of
an unseen set had at most 6."""
WAYS = ((True, 8, 16), (False, 3, None), (True, 8, None))
"""The searches for a string, in order. Each says whether the values must all be rational (True) or must not all be
(False), how many strings that satisfy the hypotheses are tried, and after how many strings of the other kind the search
ends (None: no limit). With a softmax hardly any string has only rational values, so the first search ends early."""


def shown_inhabited(
    home: Citable, statement: Statement, runs: Runs, strings: Sequence[Sequence[int]] = ()
) -> Goal | None:
    """The goal H, closed: each part by a string that satisfies it. The `strings` are tried first, then short strings by
    the searches of `WAYS`. None if a part stays open."""
    g = Goal(home, statement.inhabited, {}, {})
    parts = g.split() if g.goal[0] == "&" else [g]  # those that are still open
    for letters in strings:
        with suppress(WordsSpent, *OPEN):
            if any(holds and runs.runs() for holds in runs.on(letters)):
                parts = [part for part in parts if not _tried_here(part, runs)]
    for way in WAYS:
        parts = _still_open(parts, runs, *way)
    return None if parts else g


def _still_open(parts: Sequence[Goal], runs: Runs, rational: bool, most: int, others: int | None) -> list[Goal]:
    """Try to close each of the `parts` of H by the first string on which it is true and a proof is found; returns the
    parts that stay open.

    Only strings count whose values are all rational (or, if `rational` is false, not all). Each string is run once for
    all parts. A part is given up after `most` strings on which it is true but not proved, or when its work is spent.
    All parts are given up after more than `others` strings of the other kind."""
    # Each open part, with the number of strings that it may still try and the work spent on it.
    open_parts, given_up, run_work, passed = [(part, most, 0) for part in parts], list[Goal](), 0, 0
    bodies = {id(part): _without_names(part.goal, runs) for part in parts}
    for length in range(1, runs.longest + 1):
        strings = runs.at(length)
        while open_parts:
            # The work for runs is shared by all parts.
            runs.limit, began = runs.work + runs.budget - run_work, runs.work
            try:
                is_run = next(strings, None)
            except (WordsSpent, *OPEN):
                return [*given_up, *(part for part, _, _ in open_parts)]
            run_work += runs.work - began
            if is_run is None:  # no further string of this length
                break
            if not is_run or runs.rational is not rational:
                passed += 1
                if others is not None and passed > others:
                    return [*given_up, *(part for part, _, _ in open_parts)]
                continue
            # The values are rational or not, as required: try each open part on this string.
            tried, open_parts = open_parts, []
            for part, tries, part_work in tried:
                runs.limit, began = runs.work + runs.budget - run_work - part_work, runs.work
                try:
                    true_here = _true_at(bodies[id(part)], runs) and runs.runs()
                    part_work += runs.work - began
                    if true_here and _closed_here(part, runs, bodies[id(part)]):
                        continue
                    tries -= true_here
                except (WordsSpent, *OPEN):
                    tries = 0
                if tries:
                    open_parts.append((part, tries, part_work))
                else:
                    given_up.append(part)
    return [*given_up, *(part for part, _, _ in open_parts)]


def _tried_here(part: Goal, runs: Runs) -> bool:
    """Close the part of H by the present string if it is true there; returns whether it is closed. Where the work is
    spent, or a value is open, it is not."""
    body = _without_names(part.goal, runs)
    try:
        return _true_at(body, runs) and _closed_here(part, runs, body)
    except (WordsSpent, *OPEN):
        return False


def _closed_here(part: Goal, runs: Runs, body: Term | None) -> bool:
    """Close the part of H by the present string, in one of the `ways` to write its values; returns whether one does."""
    runs.outside = {}
    return try_each(part, *(partial(at_word, runs=runs, by_equations=way, body=body) for way in ways(runs)))


def _without_names(whole: Term, runs: Runs) -> Term | None:
    """The F of ``ex NAMES. F``, with variables for the names; None if the names are not those of the runs."""
    body = whole
    for v in runs.order:
        if body[0] != "ex" or body[1] != v[1][1]:
            return None
        body = body[2][0]
    return opened(whole, runs.order)


def _true_at(body: Term | None, runs: Runs) -> bool:
    """Whether the body of a part (see `_without_names`) is true on the present string; False if that is left open."""
    try:
        return body is not None and _is_true(body, runs)
    except OPEN:
        return False


def ways(runs: Runs) -> tuple[bool, ...]:
    """The values of `by_equations` with which `at_word` is to be tried on the present string."""
    return (False,) if runs.rational else (False, True)


def at_word(g: Goal, runs: Runs, by_equations: bool = False, body: Term | None = None) -> None:
    """Close a goal ``ex NAMES. F`` by the values of the names on the present string; Stuck or an error of `OPEN` if
    that fails. With `by_equations` the values are written by their equations (see `reader.terms`). `body` is F with
    variables for the names, if the caller has it."""
    runs.limit = runs.work + FOR_ONE * runs.budget
    try:
        _proved_at(g, runs, by_equations, body or _without_names(g.goal, runs))
    except WordsSpent:
        raise Stuck("the values at this string, or the proof there, take too much work") from None


def _proved_at(g: Goal, runs: Runs, by_equations: bool, body: Term | None) -> None:
    """Close the goal as `at_word` does; WordsSpent if that takes too much work."""
    if body is None:  # a refutation may have conditions of definedness between its names
        raise Stuck("a name follows a condition")
    for term in terms(runs, by_equations):
        g.witness(term)
    if sum(1 for _ in subterms(g.goal)) > MAX_SIZE:
        raise Stuck("the values at this string are too long for the checker")
    runs.strict = False
    _close_true(g, body, runs)


def _is_true(body: Term, runs: Runs) -> bool:
    """The truth of a formula on the present string. Unlike `Runs.truth`, it tries numbers for an existence without a
    range."""
    runs.strict = False
    if body[0] == "&":
        return all(_is_true(part, runs) for part in flatten("&", body))
    if body[0] == "|":
        return any(_is_true(part, runs) for part in body[2])
    if body[0] == "ex":
        return next(_true_numbers(body, runs), None) is not None
    return runs.truth(body, ())


def _true_numbers(body: Term, runs: Runs) -> Iterator[Term]:
    """The numbers k, among those that are tried, for which the F of ``ex k. F`` (`body`) is true."""
    if body[1] not in ("Int", "Real"):
        raise Rejected("no value for a function is tried")
    # Comparisons in the body may bound an integer; else try the positions and their neighbours.
    bounded = runs.among(body[2][0], ()) if body[1] == "Int" else None
    for k in range(-1, runs.length + 2) if bounded is None else bounded:
        try:
            if _is_true(instantiate(body[2][0], (num(k),)), runs):
                yield num(k)
        except OPEN:
            continue


# --- True goals -----------------------------------------------------------------------------------------------------
# In these functions `body` is the goal, or the fact, with variables for the leading names where the goal has the terms
# for their values. The run computes its truth.


def _close_true(g: Goal, body: Term, runs: Runs) -> None:
    """Close a goal that is true on the present string."""
    if automation.immediate(g):
        return
    tag, kids = body[0], body[2]
    if tag == "&":
        for part, f in zip(g.split(), flatten("&", body), strict=True):
            _close_true(part, f, runs)
    elif tag == "ex":
        k = next(_true_numbers(body, runs), None)
        if k is None:
            raise Stuck("no number serves")
        g.witness(str(k[1][0]))
        _close_true(g, instantiate(kids[0], (k,)), runs)
    elif tag == "|":
        side = "left" if _is_true(kids[0], runs) else "right"
        g.pick(side)
        _close_true(g, kids[side == "right"], runs)
    elif tag == "~":  # ~A: suppose A, which is false
        label = g.fresh("if")
        g.intro(label)
        _close_by_false(g, label, kids[0], runs)
    elif tag == "->":  # A -> B: either B is true, or A is false
        label = g.fresh("if")
        g.intro(label)
        if _is_true(kids[0], runs):
            _close_true(g, kids[1], runs)
        else:
            g.contra(g.fresh("no"))
            _close_by_false(g, label, kids[0], runs)
    elif tag == "all" and (ranged := _ranged(body, "->", runs)) is not None:  # one case for each place
        places, inner = ranged
        name, low, high = g.fresh("k"), g.fresh("low"), g.fresh("high")
        g.intro(f"{name} ({low} {high})")
        _case_by_case(
            g, name, low, places, lambda h, at: _close_at(h, at, instantiate(inner, (h.fact(at)[2][1],)), runs)
        )
    else:
        _close_comparison(g, (), runs)


def _close_at(g: Goal, equation: str, body: Term, runs: Runs) -> None:
    """Close the goal for one place of a range: the fact `equation` gives the bound name the value of this place."""
    if g.fact(equation)[2][0] in free(g.goal):
        g.rewrite(equation)
    _close_true(g, body, runs)


def _ranged(body: Term, joint: str, runs: Runs) -> tuple[list[int], Term] | None:
    """For a quantifier over a range: the places of the range, and the formula about each place. None for any other
    quantifier. `joint` connects range and formula: ``->`` after ``all``, ``&`` after ``ex``."""
    inner: Term = body[2][0]
    if body[1] != "Int" or inner[0] != joint:
        return None
    places = runs.range(inner[2][0], ())
    return None if places is None else (places, inner[2][1])


def _case_by_case(
    g: Goal, name: str, low: str, places: Sequence[int], close: Callable[[Goal, str], None], labels: Sequence[str] = ()
) -> None:
    """Close `g` by one case for each value of the integer `name`, which is in the range `places`. The fact `low` is its
    lower bound. `close` closes the case ``name = value``, given the label of this equation. The facts `labels`, or else
    a contradiction among the facts, exclude values above the last place."""
    v = var(name, "Int")
    for place in places:
        # If name <= place, the value is `place`, by the lower bound `low`. Otherwise place < name, and `low` is
        # place + 1 <= name for the next place.
        side = g.fresh("side")
        here, beyond = g.em(("<=", None, (v, num(place))), side)
        at = here.fresh("at")
        ends = [side, low]
        here.have(("=", None, (v, num(place))), at, lambda h, ends=ends: h.auto(ends))
        close(here, at)
        low = beyond.fresh("up")
        beyond.use("ax:int_lt", beyond.text(num(place)), beyond.text(v), f"#{side}", label=low)
        g = beyond
    if labels:
        automation.prove(g, (), LEVELS, [low, *labels])
    elif not try_contradiction(g):
        raise Stuck("a range goes on")


# --- False facts ----------------------------------------------------------------------------------------------------


def _close_by_false(g: Goal, label: str, body: Term, runs: Runs) -> None:
    """Close the goal ``false`` by the fact `label`, which is false on the present string."""
    if g.goal != FALSE:
        raise RuntimeError("a false fact is used up where the goal is another one than false")
    if fkey(g.fact(label)) == NFALSE:
        g.absurd(label)
        return
    tag, kids = body[0], body[2]
    if tag == "&":  # one of its parts is false
        parts = flatten("&", body)
        stem = g.fresh("part")
        g.use(label, label=" ".join(f"{stem}_{k}" for k in range(len(parts))))
        k = next(k for k, part in enumerate(parts) if not _is_true(part, runs))
        _close_by_false(g, f"{stem}_{k}", parts[k], runs)
    elif tag == "|":  # each of its parts is false
        parts = flatten("|", body)
        stem = g.fresh("case")
        for k, h in enumerate(g.cases(label, *(f"{stem}_{k}" for k in range(len(parts))))):
            _close_by_false(h, f"{stem}_{k}", parts[k], runs)
    elif tag == "~":  # ~A is false: A is proved
        _prove_as(g, g.fact(label)[2][0], kids[0], proved := g.fresh("yes"), runs)
        g.absurd(proved, label)
    elif tag == "->":  # A -> B is false: A is proved, so B follows, which is false
        new = g.fresh("so")
        g.use(label, lambda h: _close_true(h, kids[0], runs), label=new)
        _close_by_false(g, new, kids[1], runs)
    elif tag == "all" and (ranged := _ranged(body, "->", runs)) is not None:  # false at one place
        places, inner = ranged
        false_place = next(p for p in places if not _is_true(instantiate(inner, (num(p),)), runs))
        new = g.fresh("so")
        g.use(label, str(false_place), lambda h: h.easy(), label=new, premises=1)
        _close_by_false(g, new, instantiate(inner, (num(false_place),)), runs)
    elif tag == "ex" and (ranged := _ranged(body, "&", runs)) is not None:  # false at each place of the range
        places, inner = ranged
        name, low, high, claim_label = (g.fresh(stem) for stem in ("k", "low", "high", "said"))
        labels = _part_labels(claim_label, inner)
        g.obtain(label, name, " ".join([low, high, *labels]))
        _case_by_case(g, name, low, places, lambda h, at: _false_at(h, at, labels, inner, runs))
    elif tag == "ex" and body[1] == "Int" and (places := runs.among(kids[0], ())) is not None:
        # No range, but comparisons in the body bound the integer. First case: it is below the first place, which
        # contradicts the comparisons.
        name, low, side, claim_label = (g.fresh(stem) for stem in ("k", "low", "side", "said"))
        labels = _part_labels(claim_label, kids[0])
        g.obtain(label, name, " ".join(labels))
        v, before = var(name, "Int"), num(places.start - 1)
        here, beyond = g.em(("<=", None, (v, before)), side)
        automation.prove(here, (), LEVELS, [side, *labels])
        # Second case: the body is false at each place, and above the last place the comparisons are contradicted.
        beyond.use("ax:int_lt", beyond.text(before), name, f"#{side}", label=low)
        _case_by_case(beyond, name, low, places, lambda h, at: _false_at(h, at, labels, kids[0], runs), labels)
    else:
        _close_comparison(g, (label,), runs)


def _part_labels(stem: str, f: Term) -> list[str]:
    """Labels for the parts of a conjunction; only `stem` for a formula that is not a conjunction."""
    count = len(flatten("&", f))
    return [stem] if count == 1 else [f"{stem}_{k}" for k in range(count)]


def _false_at(g: Goal, equation: str, labels: Sequence[str], inner: Term, runs: Runs) -> None:
    """Close the goal ``false`` by the facts `labels`, which are the parts of `inner` for a bound name. The fact
    `equation` gives this name a value, for which one of the parts is false."""
    place = g.fact(equation)[2][1]
    parts = flatten("&", instantiate(inner, (place,)))
    k = next(k for k, part in enumerate(parts) if not _is_true(part, runs))
    here = labels[k]
    if g.fact(equation)[2][0] in free(g.fact(here)):
        g.rewrite(equation, here, here := g.fresh("here"))
    _close_by_false(g, here, parts[k], runs)


def _prove_as(g: Goal, f: Term, body: Term, label: str, runs: Runs) -> None:
    """Prove `f`, which is true on the present string, as the fact `label`."""
    sub = g.branch(f)
    _close_true(sub, body, runs)
    g.add({"by": "have", "show": g.text(f), "proof": sub.nodes, "as": label}, f)


# --- Comparisons ----------------------------------------------------------------------------------------------------


def _close_comparison(g: Goal, near: Sequence[str], runs: Runs) -> None:
    """Close a goal that is a true comparison of numbers; or, if `near` has the label of a false comparison, the goal
    ``false``."""
    # Cheap ways first: cancelling, rigorous intervals, and the first level of the automation.

    def automatic(h: Goal) -> None:
        automation.prove(h, (), LEVELS[:1], near)

    if try_each(g, divided, cancelled, partial(enclosed, near=near), automatic):
        return
    # Then simplify the argument of a root or an exponential and begin again. If there is none to simplify, prove the
    # value of each I[...] in the comparison.
    if _simplify_argument(g, runs):
        return _close_comparison(g, near, runs)
    indicators: dict[object, Term] = {}
    for f in (g.goal, *(g.fact(k) for k in near)):
        _indicators(f, indicators)
    labels = [_prove_indicator(g, f, runs) for f in indicators.values()]
    automation.prove(g, (), LEVELS, [*near, *labels])


def _simplify_argument(g: Goal, runs: Runs) -> bool:
    """Replace the argument of one square root or exponential in the goal by a number, if the argument contains roots
    and its value is rational. Returns whether there was one."""
    for t in subterms(g.goal):
        if t[0] != "fn" or t[1] not in ("sqrt", "exp") or loose(t):
            continue
        (inside,) = t[2]
        under = {x[2][0] for x in subterms(inside) if x[:2] == ("fn", "sqrt") and not loose(x)}
        roots = {g.text(q): q for q in under if constant(nf(q)) is not None}
        value = runs.value(inside, ()) if roots else None
        if not isinstance(value, int | Fraction) or constant(nf(inside)) is not None:
            continue
        # The equation ``argument = number`` follows from sqrt(q)*sqrt(q) = q, the second part of the axiom.
        squares = []
        for q in sorted(roots):
            stem = g.fresh("root")
            g.use("ax:sqrt", q, label=f"{stem}_0 {stem}_1")
            squares.append(f"{stem}_1")
        at = g.fresh("at")
        number = Fraction(value)
        equation = ("=", None, (inside, num(number.numerator, number.denominator)))
        g.have(equation, at, partial(_prove_by, labels=squares))
        g.rewrite(at)
        return True
    return False


def _prove_by(g: Goal, labels: Sequence[str]) -> None:
    """Close the goal by the automation, which uses the facts `labels` first."""
    automation.prove(g, (), LEVELS, labels)


def _indicators(t: Term, formulas_by_form: dict[object, Term]) -> None:
    """Add to `formulas_by_form`, by its normal form, the formula F of each I[F] in a term, unless the normal form
    already decides F. An I[F] in a sum is added for each place of the sum, if the ends of the sum are numbers, else not
    at all; one below a quantifier is left out. Stuck if there are more than `MOST_INDICATORS`."""
    if len(formulas_by_form) > MOST_INDICATORS:
        raise Stuck("too many indicators")
    tag, _, kids = t
    if tag in ("sum", "prod"):
        low, high = (constant(nf(k)) for k in kids[:2])
        if low is None or high is None:
            return
        for i in range(int(low), int(high) + 1):
            _indicators(instantiate(kids[2], (num(i),)), formulas_by_form)
    elif tag == "ind":
        key = fkey(kids[0])
        if key not in (NTRUE, NFALSE):
            formulas_by_form.setdefault(key, kids[0])
    elif tag not in ("all", "ex"):
        for k in kids:
            _indicators(k, formulas_by_form)


def _prove_indicator(g: Goal, f: Term, runs: Runs) -> str:
    """Prove I[f] = 1 or I[f] = 0, whichever is true, for a closed formula f; returns the label of the fact."""
    true = _is_true(f, runs)
    value = ("=", None, (("ind", None, (f,)), num(int(true))))
    holds, fails = (f, negation(f)) if true else (negation(f), f)
    sub = g.branch(value)
    known = sub.fresh("known")
    _prove_as(sub, holds, holds, known, runs)
    before = set(sub.facts)
    # Two cases: F with I[F] = 1, and ~F with I[F] = 0. In each the new facts are the parts of F or ~F, and the value.
    for h, is_so in zip(sub.ind(f, f"{sub.fresh('is')} {sub.fresh('value')}"), (True, False), strict=True):
        *parts, last = [k for k in h.facts if k not in before and h.facts[k][0] != "|"]
        if is_so is true:  # the case that holds has the equation as a fact
            h.hyp(last)
            continue
        # The other case contradicts the fact `known`. First its parts are joined into one formula, `fails`.
        label = h.fresh("all")
        proofs = [[{"by": "hyp", "of": k}] for k in parts]
        h.contra(h.fresh("no"))
        h.add(
            {
                "by": "have",
                "show": h.text(fails),
                "proof": proofs[0] if len(proofs) == 1 else [{"by": "split", "proofs": proofs}],
                "as": label,
            },
            fails,
        )
        h.absurd(*((known, label) if true else (label, known)))
    label = g.fresh("value")
    g.add({"by": "have", "show": g.text(value), "proof": sub.nodes, "as": label}, value)
    return label
