"""More attacks: tables under interrupts and threads, names of models, vacuity that H does not see, assumptions, bombs.

As in test_forgeries.py, "was poisoned" names what an earlier version did.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Container, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from attacks import proofs
from attacks.test_forgeries import attempt, library, model, status, whole
from attacks.test_forgeries import intro as introduce
from attacks.test_forgeries import statement as block
from checkout import ROOT
from families import in_parts, together
from proof import statement_truth, test_fuzz_normal
from proof.adequacy import ENTRIES, load_claims
from proof.conditions_text import defined, inhabited

from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.proof import kernel, normal, replay
from symcook.proof.grammar import leading_names, read_formula, read_value
from symcook.proof.replay import Statement, judge
from symcook.proof.runrel import Relation, expand
from symcook.proof.terms import TRUE, Term, neg

load_claims()
HOME = replay.library()
Q = Fraction
ONE = {"by": "true"}


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < 180


# --- Tables -----------------------------------------------------------------------------------------------------------

FUNCTION = ("fun", ("Int",), "Real")


def interrupted(action: Callable[[], Any], line: int) -> bool:
    """Run `action` with an interrupt at the given line of the functions that hand out numbers."""
    seen = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal seen
        inside = frame.f_code.co_name in ("_number", "_exponent")
        if inside and event == "line":
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return trace if inside else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_leaves_every_number_with_its_own_atom() -> None:
    """Was poisoned: after Ctrl-C between two lines the tables were out of step, and q4(1) was read as q5(1)."""
    scope = {f"q{k}": FUNCTION for k in range(200)}
    for k in range(200):
        term = read_value(f"q{k}(1) + exp(q{k}(2))", "Real", scope, {})
        if not interrupted(lambda term=term: normal.nf(term), k + 1):
            break
    else:
        raise AssertionError("always interrupted")
    assert k > 10
    assert all(normal._keys[number] == key for key, number in normal._numbers.items())
    assert all(normal.freeze(normal._exponents[n]) == key for key, n in normal._exponent_numbers.items())
    assert all(normal._depends[n] == normal._scan(key)[0] for key, n in list(normal._numbers.items())[-50:])
    # The test of test_forgeries.py counts entries: what was left over is dropped.
    for table in (normal._keys, normal._depends, normal._tall):
        for number in set(table) - set(normal._numbers.values()):
            del table[number]
    for number in set(normal._exponents) - set(normal._exponent_numbers.values()):
        del normal._exponents[number]


def test_two_threads_give_no_number_twice() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    scope = {f"t{k}": FUNCTION for k in range(40)}
    terms = [read_value(f"t{k}({j}) + exp(t{k}({j}))", "Real", scope, {}) for k in range(40) for j in range(10)]
    start = threading.Barrier(4)
    forms: list[list[Any]] = [[] for _ in range(4)]

    def work(place: int) -> None:
        start.wait()
        forms[place] = [normal.freeze(normal._nf(t)) for t in (terms if place % 2 else terms[::-1])]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(before)
    assert len(set(normal._numbers.values())) == len(normal._numbers)
    assert all(normal._keys[number] == key for key, number in normal._numbers.items())
    assert len(set(forms[1])) == len(terms)
    used = set(normal._numbers.values())
    for table in (normal._keys, normal._depends, normal._tall):
        for number in set(table) - used:
            del table[number]
    for number in set(normal._exponents) - set(normal._exponent_numbers.values()):
        del normal._exponents[number]


# --- Names ------------------------------------------------------------------------------------------------------------


@together("name", ["#0", "#1", "x#0", "unnamed0#", "x@0", "true", "I", "sum", "", "x.y", "x:y", "\u00b5"])
def test_a_proof_cannot_use_the_names_of_opened_variables(name: str) -> None:
    goal = "all n:Int. sum(j, 1, n, n - j) = 0"
    with pytest.raises(Rejected):
        attempt(goal, [introduce(name), {"by": "pos"}])
    with pytest.raises(Rejected):
        attempt("(ex x:Real. x = 1) -> 0 < 0", [introduce("h"), {"by": "obtain", "fact": "h", "name": name, "as": "g"}])


MODELS = sorted(p.stem for p in (HOME.root / "models").glob("*.json"))


@pytest.mark.sweep
@together("name", MODELS)
def test_no_definition_has_the_name_of_a_part_of_a_model(name: str) -> None:
    """Else a coordinate that a statement forgets to quantify would be read as the definition."""
    document = json.loads((HOME.root / "models" / f"{name}.json").read_text(encoding="utf-8"))
    relation = Relation(document)
    known = {d for s in HOME.statements.values() for d in s.known}
    assert not known & ({*document["space"], *relation.used, *relation.held.values()} | {"i", "j", "k", "n", "w"})


@pytest.mark.parametrize("missing", ["x", "out", "n"])
def test_a_coordinate_that_is_not_quantified_is_refused(missing: str) -> None:
    sorts = {"x": "Int->Real", "out": "Int->Real", "z1_out": "Int->Real", "n": "Int"}
    names = ", ".join(f"{k}:{s}" for k, s in sorts.items() if k != missing)
    with pytest.raises(Rejected):
        read_formula(expand(f"all {names}. run(m) -> 0 = 0", lambda _: model()), {}, {})


@pytest.mark.parametrize("name", ["i", "j", "k"])
def test_a_name_of_the_relation_cannot_be_bound_around_it(name: str) -> None:
    text = f"all {name}:Int, n:Int, x:Int->Real, out:Int->Real, z1_out:Int->Real. run(m) -> 0 = 0"
    with pytest.raises(Rejected, match="bound twice"):
        read_formula(expand(text, lambda _: model(head={"Q": [["1"]], "K": [["1"]]})), {}, {})


@pytest.mark.parametrize("taken", ["mu1", "dev1", "y1_x", "y1_out", "z1_x"])
def test_what_a_norm_makes_has_no_name_of_a_coordinate(taken: str) -> None:
    norm = {"reads": ["x", taken], "writes": ["x", taken], "gain": [["1"], ["1"]], "bias": [["0"], ["0"]]}
    norm |= {"epsilon": "0", "projection": None, "zero_variance": "zero"}
    network = {"reads": ["x"], "writes": ["x"], "W1": [["1"]], "b1": [["0"]], "W2": [["1"]], "b2": [["0"]]}
    layer = {"attention": None, "attention_norms": [], "feedforward": {**network, "activation": "relu"}}
    layer |= {"feedforward_norms": [norm], "placement": "pre"}
    document = model(space=["x", taken], layers=[layer], embedding={"inputs": ["x", taken]}, readout={"reads": ["x"]})
    relation = Relation(document)
    heads = [e.split(" = ")[0] for e in relation.equations]
    assert relation.held[taken] == taken and taken not in heads and len(set(heads)) == len(heads)
    for place in ("gain", "bias"):
        with pytest.raises(BadInput):
            Relation({**document, "layers": [{**layer, "feedforward_norms": [{**norm, place: [["1) & (x"], ["1"]]}]}]})
    for place in ("epsilon", "projection"):
        for bad in ("i", [["mu1", "1"]]):
            with pytest.raises((BadInput, TypeError)):
                Relation({**document, "layers": [{**layer, "feedforward_norms": [{**norm, place: bad}]}]})


def test_a_refutation_file_is_not_read_for_another_id(tmp_path: Path) -> None:
    """``a.refuted.json`` belongs to `a` and to `a.refuted`: the id inside decides."""
    false, true = "all x:Real. x = 0", "all x:Real. x = x"
    made = replay.make_certificate(Statement("a.refuted", true), [introduce("x"), ONE], [ONE], [ONE])
    home = library(tmp_path, block("a", false) + block("a.refuted", true), {"a.refuted": made})
    assert status(home, "a.refuted") != "REFUTED" and status(home, "a") == "OPEN"


# --- Vacuity ----------------------------------------------------------------------------------------------------------


def premises(tree: Any, positive: bool = True) -> Iterator[Any]:
    """The implications and equivalences that a formula says, wherever they stand."""
    tag = tree[0]
    if tag == "->" and positive:
        yield tree
    if tag in ("->", "~"):
        yield from premises(tree[1], not positive)
    if tag == "<->" and positive:
        yield tree
    elif tag in ("&", "|"):
        yield from premises(tree[1], positive)
    if tag in ("&", "|", "->"):
        yield from premises(tree[2], positive)
    if tag in ("all", "ex"):
        yield from premises(tree[3], positive)
    if tag in ("all in", "ex in"):
        yield from premises(tree[4], positive)


def unmet(text: str, instances: Any) -> list[str]:
    """The implications whose premise holds at none of the instances, and equivalences whose sides are never true, or
    never false."""
    tree = statement_truth.tree_of(text)
    wanted: dict[int, tuple[Any, set[bool]]] = {
        id(t): (t, {True, False} if t[0] == "<->" else {True}) for t in premises(tree)
    }

    def seen(t: Any, left: bool) -> None:
        if id(t) in wanted:
            wanted[id(t)][1].discard(left)

    for instance in instances:
        if not any(left for _, left in wanted.values()):
            break
        statement_truth.evaluate(text, instance, seen)
    return [expr.show(t) for t, left in wanted.values() if left]


ELSEWHERE = {
    "cookbook.t5.almost_orth": "a family of N > 1 vectors is met at the instances of s5.3.2.ao_lookup",
    "chiang2022.s3.2.period": "a period of a sine at all reals: its own third part has f = 1 and P = 2*pi",
}
"""Statements with a premise that their own instances do not meet, and where it is met."""


@pytest.mark.layer_one(0)
@in_parts(16, "name", [n for n, e in ENTRIES.items() if not e.false and n not in ELSEWHERE])
def test_every_premise_is_met_somewhere(name: str) -> None:
    """H asks this of all premises but those behind an existence, and of one side of an equivalence; here, of all."""
    assert unmet(statement_truth.texts()[name], ENTRIES[name].instances) == []


HIDDEN = [
    "all x:Real. ex y:Real. y < y -> x = 5",
    "all x:Real. ex y:Real. y = x & (y < y -> x = 5)",
]
ONCE_HIDDEN = [
    "all x:Real. (x < x -> x = 5) | x < 0 & 0 < x",
    "all x:Real. (x < x -> 1 < 0) & (1 < 0 -> x < x)",
    "all x:Real. x < x <-> 1 < 0",
    "all x:Real. ~~(x < x -> x = 5)",
    "all x:Real. x = x -> (x < x -> x = 5) | x < 0 & 0 < x",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_a_premise_that_nothing_meets_is_found_where_h_does_not_look(text: str) -> None:
    h = inhabited(read_formula(text, {}, {}), leading_names(text), None, {})
    kernel.check(h, [{"by": "witness", "term": "0"}, ONE])  # H says nothing: the premise is not in front
    assert unmet(text, [{"x": [Q(0), Q(5), Q(-1)], "y": lambda env: [env["x"]]}]) != []


@together(
    "text",
    [
        *ONCE_HIDDEN,
        "all x:Real. (x < x -> x = 5) & (x = 5 -> x < x) & (x < x -> x = 6)",
        "all x:Real. (x < x -> x = 5) & (x = 5 -> x = 5)",
        "all x:Real. (all y:Real. y < x & x < y -> x = 5) & (x = 5 -> x = 5)",
        "all x:Real. 0 <= x -> (0 <= x & (x < 0 -> x = 5))",
        "all n:Int. all j in 1..0. j = n",
    ],
)
def test_what_only_looks_like_an_equivalence_must_be_met(text: str) -> None:
    h = inhabited(read_formula(text, {}, {}), leading_names(text), None, {})
    for proof in ([ONE], *([{"by": "witness", "term": t}, ONE] for t in ("0", "5"))):
        with pytest.raises(Rejected):
            kernel.check(h, proof)


def test_a_definition_or_function_hides_no_denominator() -> None:
    known: dict[str, Any] = {}
    for text in ("total(f, lo, hi) := sum(j, lo, hi, f(j))", "share(a, b) := a/b", "big(a) := ex y:Real. 1/y = a"):
        made = kernel.read_formula and replay.grammar.define(text, known)
        known[made.name] = made
    for text in (
        "all n:Int. total(k. 1/k, 0, n) = total(k. 1/k, 0, n)",
        "all x:Real. share(1, x) = share(1, x)",
        "all x:Real. big(x) -> big(x)",
        "all x:Real. I[share(1, x) = 0] = I[share(1, x) = 0]",
    ):
        d = defined(read_formula(text, {}, known))
        assert d != TRUE
        for proof in ([ONE], [introduce("u"), ONE]):
            with pytest.raises(Rejected):
                kernel.check(d, proof)


# --- Assumptions ------------------------------------------------------------------------------------------------------


def test_the_assumptions_are_those_that_are_tested_here() -> None:
    assert {n for n, s in HOME.statements.items() if s.assumed} <= {"named.erf_tail", "named.intermediate_value"}


def test_the_tail_of_erf_at_many_points() -> None:
    """1 - erf(x) <= exp(-x^2), as an assumption or a lemma."""
    with mpmath.workdps(200):
        points = [mpmath.mpf(k) / 16 for k in range(16 * 16)] + [mpmath.mpf(10) ** -k for k in range(1, 100)]
        for x in points:
            assert mpmath.erfc(x) <= mpmath.exp(-x * x)
            assert x == 0 or 1 - mpmath.erf(x) < mpmath.exp(-x * x)
        assert not mpmath.erfc(mpmath.mpf(1)) <= mpmath.exp(mpmath.mpf(-1)) / 3  # a stronger form is false


def test_the_intermediate_value_theorem_at_random_functions() -> None:
    """Piecewise linear functions, whose least slope bound and whose crossings are computed exactly."""
    text = " ".join(HOME.statements["named.intermediate_value"].text.split())
    between = "f(lo) <= mid & mid <= f(hi) | f(hi) <= mid & mid <= f(lo)"
    assert text.endswith(f"-> {between} -> ex x:Real. lo <= x & x <= hi & f(x) = mid")
    assert "lo <= hi ->" in text and "abs(f(u) - f(v)) <= steep*abs(u - v)" in text
    draw = random.Random(0)
    for _ in range(1000):
        knots = sorted({Q(draw.randint(-20, 20), draw.randint(1, 5)) for _ in range(draw.randint(1, 6))})
        values = [Q(draw.randint(-6, 6), draw.randint(1, 3)) for _ in knots]
        lowest, highest = sorted((values[0], values[-1]))
        mid = lowest + (highest - lowest) * Q(draw.randint(0, 4), 4)
        crossings = [a for a, u in zip(knots, values, strict=True) if u == mid]
        for (a, u), (b, v) in itertools.pairwise(zip(knots, values, strict=True)):
            if u != v and 0 <= (mid - u) / (v - u) <= 1:
                crossings.append(a + (b - a) * (mid - u) / (v - u))
        assert any(knots[0] <= x <= knots[-1] for x in crossings)


def outline(formula: Term) -> Any:
    """The connectives and quantifiers of a formula with the kinds of its comparisons, as a normal form has them where
    no comparison is decided: of a denied order the reversed one, of what is denied twice the thing itself."""
    tag, data, kids = formula
    if tag == "~":
        inside = outline(kids[0])
        if inside in ("<=", "<"):
            return "<" if inside == "<=" else "<="
        return inside[1] if inside[0] == "~" else ("~", inside)
    if tag in ("=", "<=", "<"):
        return tag
    return (tag, str(data), *map(outline, kids))


def contradictory(stated: Mapping[str, Term]) -> list[list[str]]:
    """The names of the formulas, those together of which one may be the denial of another."""
    said: dict[Any, list[str]] = {}
    for name, formula in stated.items():
        said.setdefault(outline(formula), []).append(name)
    found = []
    while said:
        _, names = said.popitem()
        if others := said.pop(outline(neg(stated[names[0]])), None):
            found.append([*names, *others])
    return found


DEFINITIONS = (ROOT / "proofs" / "statements" / "definitions.txt").read_text(encoding="utf-8")
QUANTIFIED = dict(re.findall(r"^(\w+)\(.*?:=([\s(]*all \w+:.*)", DEFINITIONS, re.MULTILINE))
"""The definitions that begin with a quantifier over all values."""


def in_front(text: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a statement begins with a negation, and the sorts of the quantifiers over all values that follow."""
    signs, sorts = re.match(r"[\s(~]*", text)[0], list[str]()  # type: ignore[index]
    text = text[len(signs) :]
    while begin := re.match(r"[\s(]*all ([^.]*)\.", text):
        unbounded = [*itertools.takewhile(lambda one: " in " not in one, begin[1].split(","))]
        sorts += [re.sub(r"\s", "", one.partition(":")[2]) for one in unbounded]
        text = text[begin.end() :] if unbounded == begin[1].split(",") else ""
    if defined := re.match(r"[\s(]*(\w+)\(", text):
        sorts += in_front(QUANTIFIED.get(defined[1], ""))[1]
    return signs.count("~") % 2 == 1, tuple(sorts)


def maybe_denied(texts: Mapping[str, str], refuted: Container[str]) -> list[str]:
    """Those of which one may be the denial of another, by how they begin: with the same quantifiers, where one is
    affirmed and the other denied. No other formula has to be read."""
    begun = {name: in_front(text) for name, text in texts.items()}
    seen = {((name in refuted) != denied, sorts) for name, (denied, sorts) in begun.items()}
    return [name for name, (_, sorts) in begun.items() if {(True, sorts), (False, sorts)} <= seen]


@pytest.mark.sweep
def test_no_two_stored_proofs_contradict_each_other() -> None:
    """Also under different ids, up to normal forms."""
    texts = {name: proofs.STATEMENTS[name].text for name in proofs.stored()}
    chosen = maybe_denied(texts, {name for name in texts if proofs.refuted(name)})
    kinds = contradictory({name: proofs.shown(name) for name in chosen})
    assert len(texts) > 1_600 and len(chosen) > 600 and len(kinds) > 20
    assert proofs.contradiction([], [name for alike in kinds for name in alike]) is None
    for name in ("lem.square_le", "merrill2024.def6", "cookbook.s4.6.mul_ffn"):  # each would be seen with its denial
        for other, refuted in ((texts[name], {"x"}), (f"~(({texts[name]}))", set[str]())):
            assert maybe_denied({name: texts[name], "x": other, "y": texts[name]}, refuted) == [name, "x", "y"]
        assert maybe_denied({name: texts[name], "x": texts[name]}, ()) == []
        stated = proofs.shown(name)
        assert [sorted((name, "x"))] == [*map(sorted, contradictory({name: stated, "x": neg(stated)}))]


@pytest.mark.sweep
def test_a_formula_and_its_negation_stop_an_attack(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    a, b = (read_formula(t, {}, {}) for t in ("all x:Real. 0 <= x*x + 1", "~(all y:Real. -1 <= y^2)"))
    some = ("lem.square_le", "merrill2024.def6")
    assert proofs.contradiction([a], some) is None and proofs.contradiction([b], some) is None
    assert proofs.contradiction([a, b], some) is not None
    assert proofs.contradiction([neg(proofs.shown("lem.square_le"))], some) is not None
    monkeypatch.setattr(proofs, "contradiction", lambda proved: "a and b")
    assert proofs.main(["proofs", "--count", "2"]) == 1
    assert "A DEFECT" in capsys.readouterr().out


# --- Numbers and enclosures -------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_coefficients_of_two_thousand_digits() -> None:
    nines, more = "9" * 999, "9" * 1000
    goal = "all x:Real. 0 <= x -> 0 <= x"
    good = {"c": f"{nines}/{nines}", "of": ["h"]}
    attempt(goal, [introduce("x", "h"), {"by": "pos", "sum": [good]}])
    for c in (
        f"{nines}/{more}",
        "9" * 2001,
        f"{'9' * 1000}/{'8' * 1000}",
        f"{nines}/{'0' * 999}",
        f"{'0' * 999}/{nines}",
    ):
        with pytest.raises(Rejected) as caught:
            attempt(goal, [introduce("x", "h"), {"by": "pos", "sum": [{"c": c, "of": ["h"]}]}])
        assert len(str(caught.value)) < 200
    # Long coefficients in a long product: refused or compared, in time, and never accepted.
    many = [{"c": f"{'7' * 900}/{'3' * 900 + str(k)}", "of": ["h"] * 40} for k in range(40)]
    with pytest.raises(Rejected):
        attempt("all x:Real. 1 <= x -> x <= 0", [introduce("x", "h"), {"by": "pos", "sum": many}])


ENCLOSED = [
    ("all x:Real. 30 <= x -> x <= 40 -> 1 <= erf(x)", 4096),
    ("all x:Real. 1000000000 <= x -> x <= 1000000001 -> 1 <= erf(x)", 4096),
    ("all x:Real. 10 <= x -> x <= 11 -> erf(x) < 1 - 1/10^44", 4096),
    ("all x:Real. 10 <= x -> x <= 11 -> erf(x) < 1 - 1/10^44", 16),
    ("all x:Real. -1/10^300 <= x -> x <= 1/10^300 -> 0 <= erf(x)", 4096),
    ("all x:Real. 0 <= x -> x <= 10^40 -> erf(x) <= 1 - exp(-x*x)", 64),
    ("all x:Real. 0 <= x -> x <= 1 -> 0 < exp(-1/x)", 64),
    ("all x:Real. 0 <= x -> x <= 1 -> 0 <= log(x)*x + 1", 64),
    ("all x:Real. 0 <= x -> x <= 1 -> 0 < 0*exp(exp(exp(exp(exp(x))))) + x", 64),
    ("all x:Real. 0 <= x -> x <= 1 -> 0 <= max(-1, exp(exp(exp(exp(x*100)))) - exp(exp(exp(exp(100)))))", 64),
    ("all x:Real. 1/3 <= x -> x <= 1/3 -> x < 0.3333333333333333333333333", 16),
    ("all x:Real. 1/3 <= x -> x <= 1/3 -> x < 1/3", 4096),
    ("all x:Real. 2 <= x -> x <= 2 -> sqrt(x)^2 < 2", 4096),
    ("all x:Real. 2 <= x -> x <= 2 -> 2 <= sqrt(x)^2", 4096),
    ("all x:Real. -1 <= x -> x <= 1 -> x^0 <= 0", 64),
    ("all x:Real. -1 <= x -> x <= 1 -> 0 < x^2", 64),
    ("all x:Real. -1 <= x -> x <= 1 -> 0 <= x^3", 64),
    ("all x:Real. 0 <= x -> x <= 1 -> min(x, log(0 - 1)) <= 1", 64),
]


@together(("goal", "prec"), ENCLOSED)
def test_enclosures_at_their_ends(goal: str, prec: int) -> None:
    with pytest.raises(Rejected):
        attempt(goal, [introduce("x", "a", "b"), {"by": "interval", "on": ["a", "b"], "prec": prec}])


# --- Bombs ------------------------------------------------------------------------------------------------------------

LONG = {
    "a sum": "0 = " + "x + " * 400_000 + "x",
    "minus": "x = " + "-" * 1_500_000 + "x",
    "arguments": "x = f(" + "x," * 800_000 + "x)",
    "a chain": "x < " * 400_000 + "x",
    "too long": "0 = 0" + " " * 2_000_000,
}


@pytest.mark.sweep
@pytest.mark.parametrize("what", LONG)
@pytest.mark.layer_two(every=2)
def test_texts_of_two_million_characters_in_a_proof(what: str) -> None:
    start = time.process_time()
    with pytest.raises(Rejected) as caught:
        node = {"by": "have", "show": LONG[what], "proof": [ONE], "as": "h"}
        attempt("all x:Real. x = x", [introduce("x"), node, ONE])
    assert time.process_time() - start < 30 and len(str(caught.value)) < 400


@pytest.mark.sweep
@together(
    "change",
    [
        {"lemmas": {f"lem.a{k}": "0" * 64 for k in range(100_000)}},
        {"lemmas": {"x" * 1_000_000: "0"}},
        {"id": "x" * 1_000_000},
        {"proof": [{"by": "x" * 1_000_000}]},
        {"proof": [introduce("x", "h"), {"by": "hyp", "of": "y" * 1_000_000}]},
        {"proof": [introduce("x" * 1_000_000)]},
        {"proof": [{"by": "true", "k" * 100_000: 1}]},
        {"proof": [introduce(*["x"] * 100_000)]},
        {"proof": [introduce("x", ["h"] * 100_000)]},
        {"proof": [introduce("x", "h"), {"by": "pos", "sum": [{"c": "1", "of": ["h"] * 100_000}]}]},
        {"proof": [introduce("x", "h"), {"by": "pos", "eq": [["x", "h"]] * 100_000}]},
        {"proof": [introduce("x", "h"), {"by": "interval", "on": ["h"] * 100_000, "prec": 64}]},
        {"grammar": 10**4000},
    ],
)
def test_long_things_in_a_certificate_are_refused_shortly(change: dict[str, Any]) -> None:
    with pytest.raises(Rejected) as caught:
        judge(Statement("claim.plain", "all x:Real. 0 <= x -> 0 <= 2*x"), {**whole(), **change}, seconds=5)
    assert len(str(caught.value)) < 1000


# --- D against an evaluation that stops where something is undefined --------------------------------------------------


class Undefined(Exception):
    """A division by zero, a root or logarithm out of range, a negative exponent."""


class Strict(test_fuzz_normal.Text):
    """Evaluation from left to right; connectives stop where they are decided, quantifiers and ranges do not."""

    def term(self, t: Any, env: Any) -> Fraction:
        if t[0] == "/" or (t[0] == "^" and t[2][0] == "neg"):
            self.term(t[1], env)
            if self.term(t[2 if t[0] == "/" else 1], env) == 0:
                raise Undefined
        if t[0] == "if":
            test, yes, no = self.formula(t[1], env), self.term(t[2], env), self.term(t[3], env)
            return yes if test else no
        if t[0] == "call" and t[1] in ("log", "sqrt", "pow"):
            last = [self.term(a, env) for a in t[2]][-1]
            if last < 0 or (last == 0 and t[1] == "log"):
                raise Undefined
        return super().term(t, env)

    def formula(self, t: Any, env: Any) -> bool:
        if t[0] in ("&", "|", "->"):
            left = self.formula(t[1], env) != (t[0] == "->")
            return left if left != (t[0] == "&") else self.formula(t[2], env)
        return super().formula(t, env)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(4))
def test_d_holds_exactly_where_nothing_is_undefined(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(test_fuzz_normal.DOMAIN, "Int", [Fraction(k) for k in range(-9, 13)])
    rng, compared, undefined = random.Random(500 + seed), 0, 0
    for _ in range(175):
        text = test_fuzz_normal.Maker(rng).formula(rng.choice([2, 3, 4]), [], [])
        if "twice" in text:  # a definition that does not use its argument takes what is undefined there away
            continue
        d = defined(read_formula(text, test_fuzz_normal.SCOPE, test_fuzz_normal.KNOWN))
        key = test_fuzz_normal.normal_or_none(lambda d=d: normal.fkey(d))
        if key is None:
            continue
        tree = expr.parse_formula(text)
        for _ in range(4):
            env = test_fuzz_normal.assignment(rng)
            try:
                holds = test_fuzz_normal.Form().key(key, env)
                Strict().formula(tree, env)
                fine = True
            except Undefined:
                fine = False
            except test_fuzz_normal.Skip:
                continue
            compared, undefined = compared + 1, undefined + (not fine)
            assert holds == fine, text
    assert compared > 200 and undefined > 12
