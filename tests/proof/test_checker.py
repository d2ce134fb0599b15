"""The second checker, proofs/checker.py, against the first: one reading of every text, one verdict on every proof.

The attacks on the first checker ask the second one as well (both.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import random
import re
import subprocess
import sys
import types
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from attacks import mutate, test_forgeries
from families import every, together
from proof import short, stored
from proof import test_fuzz_normal as fuzz
from proof.both import STRICTER, Both, definitions, frames, other, second

from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.proof import grammar, kernel, replay
from symcook.proof.grammar import read_value
from symcook.proof.normal import freeze, nf

HOME = replay.library()
STATEMENTS = HOME.statements
STORED = sorted((HOME.root / "certificates").glob("*.json"))
expand = stored.load_module("expand")


# --- The stored statements and certificates -------------------------------------------------------------------------


@functools.cache
def read_expanded() -> Any:
    with frames():
        return second.read_statements(expand.text(HOME.root))


@pytest.mark.sweep
def test_the_same_formula() -> None:
    """Of the others the second checker compares the hashes when CI asks it about every certificate."""
    second.Clock.start(600)
    with frames():
        every(short.short_statements(), same_formula)


def same_formula(name: str) -> None:
    """And of a claim the same D, H and R."""
    s, other = STATEMENTS[name], read_expanded()[name]
    assert (other.digest, other.claim, other.corrects) == (s.digest, s.claim, s.corrects)
    for goal in ("defined", "inhabited", "refutation") if s.claim else ():
        assert second.digest(other.goal(goal)) == grammar.digest(getattr(s, goal))


def test_the_same_statements() -> None:
    assert list(read_expanded()) == list(STATEMENTS)


def test_the_same_axioms() -> None:
    with frames():
        other = {name: second.digest(f) for name, f in second.axioms().items()}
    assert other == {name: grammar.digest(f) for name, f in kernel.axioms().items()}


def test_the_same_nodes() -> None:
    for by, (must, may) in kernel.NODES.items():
        left, _, right = second.NODES[by].partition("|")
        assert (set(left.split()), set(right.split())) == (must, may), by
    assert set(second.NODES) == set(kernel.NODES)


@pytest.mark.sweep
def test_the_same_verdict_on_every_certificate(tmp_path: Path) -> None:
    """CI asks the second checker about all of them before the tests. Where it has not, the smallest are judged that
    together have each kind of step, inside each kind that it is found in."""
    path = tmp_path / "expanded.txt"
    path.write_text(expand.text(HOME.root), encoding="utf-8")
    if (lines := stored.second_lines(path)) is None:
        for name in short.short_proofs():
            whole = short.certificate(name)
            lemmas = {lemma: STATEMENTS[lemma] for lemma in whole["lemmas"]}
            assert Both.judge(STATEMENTS[name], whole, lemmas)[0] == whole["sense"].upper(), name
        return
    said = {(word, name) for word, name, *_ in (line.split() for line in lines[:-1])}
    wanted = set()
    for one in STORED:
        data = json.loads(one.read_text(encoding="utf-8"))
        word = "skipped" if "check" in data else data["sense"].upper()
        wanted.add((word, data["id"]))
    assert said == wanted
    for verdict in stored.verdicts().values():
        word = {"CORRECTED": "REFUTED"}.get(verdict.status, verdict.status.split()[0])
        assert ("skipped" if word == "CHECKED" else word, verdict.id) in said, verdict
        line = next(x for x in lines if x.split()[:2] == [word, verdict.id]) if word != "CHECKED" else ""
        assert all(f"named:{name}" in line for name in verdict.named)


def test_it_imports_the_standard_library_only() -> None:
    code = (
        "import sys, runpy\n"
        f"runpy.run_path({str(HOME.root / 'checker.py')!r})\n"
        "print([m for m in sys.modules if m.split('.')[0] not in sys.stdlib_module_names and m != '__main__'])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.sweep
@pytest.mark.parametrize("batch", range(10))
@pytest.mark.layer_two(every=5)
def test_mutations(batch: int) -> None:
    """A damaged certificate is rejected by both, or is still a proof for both."""
    names = short.short_proofs()
    for seed in range(7_000 + batch * 10, 7_000 + (batch + 1) * 10):
        whole = short.certificate(names[seed % len(names)])
        lemmas = {n: STATEMENTS[n] for n in whole["lemmas"]}
        damaged = mutate.mutate(whole, seed)
        with contextlib.suppress(Rejected):
            Both.judge(STATEMENTS[whole["id"]], damaged, lemmas, seconds=5)


# --- Random terms ---------------------------------------------------------------------------------------------------


class Value:
    """Evaluation of the second checker's normal forms, with the model of exp of test_fuzz_normal."""

    def poly(self, p: Any, env: Any, bound: tuple[Fraction, ...]) -> Fraction:
        out = Fraction(0)
        for (factors, exponent), c in p:
            value = Fraction(c) * fuzz.elementary("exp", [self.poly(exponent.parts[0], env, bound)])
            for key, k in factors:
                value *= self.atom(key, env, bound) ** k
            out += value
        return out

    def atom(self, key: Any, env: Any, bound: tuple[Fraction, ...]) -> Fraction:
        kind, parts = key.kind, key.parts
        if kind == "var":
            return env[key.data[0]]
        if kind == "bound":
            return bound[key.data]
        if kind == "app":
            return env[parts[0].data[0]](*(self.poly(p, env, bound) for p in parts[1:]))
        if kind == "fn":
            return fuzz.elementary(key.data, [self.poly(p, env, bound) for p in parts])
        if kind == "inv":
            value = self.poly(parts[0], env, bound)
            return 1 / value if value else Fraction(0)
        if kind == "ind":
            return Fraction(self.formula(parts[0], env, bound))
        low, high = (int(self.poly(p, env, bound)) for p in parts[:2])
        out = Fraction(kind == "prod")
        for k in range(low, high + 1):
            v = self.poly(parts[2], env, (Fraction(k), *bound))
            out = out + v if kind == "sum" else out * v
        return out

    def formula(self, key: Any, env: Any, bound: tuple[Fraction, ...]) -> bool:
        kind, parts = key.kind, key.parts
        if kind in ("true", "false"):
            return kind == "true"
        if kind in ("=", "<=", "<"):
            return fuzz.compare(kind, self.poly(parts[0], env, bound))
        if kind == "~":
            return not self.formula(parts[0], env, bound)
        if kind in ("all", "ex"):
            rows = [self.formula(parts[0], env, (v, *bound)) for v in fuzz.DOMAIN[key.data]]
            return all(rows) if kind == "all" else any(rows)
        a, b = (self.formula(p, env, bound) for p in parts)
        return {"&": a and b, "|": a or b, "->": b or not a}[kind]


UNUSED = "an argument that a function does not use"


def second_form(text: str, sort: str) -> tuple[Any, Any]:
    """The normal form of a text, None where it has none within the limits; and what made it."""
    known = definitions(fuzz.KNOWN)

    def read() -> Any:
        forms = second.Normal()
        reader = second.Reader(fuzz.SCOPE, known)
        if sort == "Bool":
            return forms.formula(reader.formula(text)), forms
        return frozenset(forms.poly(reader.value(text, sort)).items()), forms

    made, why = other(read, 2)
    if why is not None and UNUSED in why:
        with pytest.raises((BadInput, Rejected), match=UNUSED):
            grammar.read_formula(text, fuzz.SCOPE, fuzz.KNOWN) if sort == "Bool" else read_value(
                text, sort, fuzz.SCOPE, fuzz.KNOWN
            )
        return None, None
    assert made is not None or any(s in str(why) for s in (*STRICTER, "division by zero")), (text, why)
    return made or (None, None)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(6))
def test_a_normal_form_has_the_value_of_its_term(seed: int) -> None:
    rng, compared = random.Random(500 + seed), 0
    for _ in range(200):
        maker, formula = fuzz.Maker(rng), rng.random() < 0.4
        text = maker.formula(3, [], []) if formula else maker.term(rng.choice([2, 3, 4, 5]), [], [])
        made, _ = second_form(text, "Bool" if formula else "Real")
        if made is None:
            continue
        tree = expr.parse_formula(text) if formula else expr.parse_term(text)
        look, find = (fuzz.Text.formula, Value.formula) if formula else (fuzz.Text.term, Value.poly)
        compared += fuzz.agreeing(
            rng,
            text,
            lambda env, look=look, tree=tree: look(fuzz.Text(), tree, env),
            lambda env, find=find, made=made: find(Value(), made, env, ()),
        )
    assert compared > 250


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(4))
def test_both_normal_forms_identify_the_same_terms(seed: int) -> None:
    """Pairs a small edit apart, and pairs equal by the ring laws: what one form identifies, the other does."""
    rng, same, apart = random.Random(600 + seed), 0, 0
    for _ in range(250):
        a, b, c = (fuzz.Maker(rng).term(rng.choice([1, 2, 3]), [], []) for _ in range(3))
        b, c = (re.sub(r"\bb(\d)", rf"{letter}\1", text) for letter, text in (("d", b), ("e", c)))
        again = re.sub(r"\bb(\d)", r"h\1", a)
        pairs = [(f"({a} + {b})*{c}", f"{c}*{b} + {again}*{c}"), (f"{a}*{b}", f"{b}*{again}"), (f"{a} - {b}", b)]
        left, right = rng.choice(pairs)
        first_forms = fuzz.normal_or_none(
            lambda pair=(left, right): [freeze(nf(read_value(t, "Real", fuzz.SCOPE, fuzz.KNOWN))) for t in pair]
        )
        if first_forms is None:
            continue

        def both(pair: tuple[str, str] = (left, right)) -> Any:
            forms = second.Normal()
            read = second.Reader(fuzz.SCOPE, definitions(fuzz.KNOWN))
            return [frozenset(forms.poly(read.value(t, "Real")).items()) for t in pair]

        forms, why = other(both, 5)
        if forms is None:
            assert any(s in str(why) for s in (*STRICTER, "division by zero")), why
            continue
        assert (forms[0] == forms[1]) == (first_forms[0] == first_forms[1]), (left, right)
        same += forms[0] == forms[1]
        apart += forms[0] != forms[1]
    assert same > 35 and apart > 35


def fraction(x: tuple[int, int]) -> Fraction:
    return Fraction(x[0]) * Fraction(2) ** x[1]


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "erf", "pi"])
def test_enclosures_against_an_independent_engine(name: str) -> None:
    """At random points and precisions the two ends lie around the value, closely."""
    rng = random.Random(700)
    for _ in range(60):
        bits = rng.choice([20, 64, 200])
        top = 10**6 // (200 if name == "exp" else 1)
        m, e = rng.randint(-top, top), -rng.choice([0, 3, 10, 20, 40])
        more = rng.choice([0, 0, 100])  # digits behind, as rounded numbers have
        x = ((m << more) + rng.randrange(1 << more), e - more)
        x = (abs(x[0]) + 1, x[1]) if name in ("log", "sqrt") else x
        q = fraction(x)
        low, high = map(fraction, second.pi_at(bits) if name == "pi" else second.INCREASING[name](x, bits))
        with mpmath.workprec(20_000 if name == "exp" else 3_000):
            x = mpmath.mpf(q.numerator) / q.denominator
            value = +mpmath.pi if name == "pi" else getattr(mpmath, name)(x)
            assert mpmath.mpf(low.numerator) / low.denominator <= value, (q, bits)
            assert value <= mpmath.mpf(high.numerator) / high.denominator, (q, bits)
        assert high - low <= Fraction(max(abs(high), 1)) / 2 ** (bits - 8), (q, bits)


def test_rounding_goes_outward() -> None:
    rng = random.Random(800)
    for _ in range(500):
        x, y = [(rng.randint(-(10**20), 10**20), rng.randint(-99, 99)) for _ in range(2)]
        p, q = sorted(map(fraction, (x, y)))
        x, y = (x, y) if fraction(x) == p else (y, x)
        box = second.Enclosure({}, {}, 16)
        low, high = map(fraction, box.outward(x, x))
        assert low <= p <= high and high - low <= abs(p) / 2**30
        power = rng.randint(0, 6)
        low, high = map(fraction, box.power((x, y), power))
        assert low <= p**power <= high and low <= q**power <= high
        for op, exact in (("+", p + p), ("-", p - q), ("*", p * q), ("/", p / q if q else None)):
            if exact is not None:
                low, high = map(fraction, box.combine(op, (x, x), (x, x) if op == "+" else (y, y)))
                assert low <= exact <= high and high - low <= max(abs(p), abs(q), abs(exact)) / 2**30
        ends = [a * b for a in (p, q) for b in (p, q)]
        low, high = map(fraction, box.combine("*", (x, y), (x, y)))
        assert low <= min(ends) and max(ends) <= high
        assert high - low <= max(ends) - min(ends) + max(map(abs, ends)) / 2**30


def test_units_and_ratios_lie_around_the_number() -> None:
    rng = random.Random(900)
    for _ in range(500):
        (m, e), (n, f) = [(rng.randint(1, 10**9), rng.randint(-60, 20)) for _ in range(2)]
        m, w = rng.choice([m, -m, 0]), rng.randint(0, 60)
        x, y = fraction((m, e)), fraction((n, f))
        low, high = second.scaled((m, e), w)
        assert low <= x * 2**w <= high <= low + 1
        low, high = map(fraction, second.ratio((m, e), (n, f), 50))
        assert low <= x / y <= high and high - low <= abs(x / y) / 2**47


def test_an_enclosure_of_erf_stays_within_its_range() -> None:
    """Where the series is still asked, and its upper end rounds to more than 1."""
    for x in range(1, 20):
        for bits in (16, 41, 100):
            assert fraction(second.erf_at((x, 0), bits)[1]) <= 1 and fraction(second.erf_at((-x, 0), bits)[0]) >= -1


def test_what_is_nearly_nothing_or_huge_in_an_enclosure() -> None:
    box, least = second.Enclosure({}, {}, 16), Fraction(1, 2**second.MAX_MAGNITUDE)
    for m in (1, -1, 10**9, -(10**9)):
        low, high = map(fraction, box.outward((m, -second.MAX_MAGNITUDE - 50), (m, -second.MAX_MAGNITUDE - 50)))
        assert (low, high) == ((0, least) if m > 0 else (-least, 0))
        with pytest.raises(second.Rejected):
            box.outward((m, second.MAX_MAGNITUDE + 1), (m, second.MAX_MAGNITUDE + 1))
    assert fraction(box.outward((0, 10**6), (0, 10**6))[1]) == 0


def test_a_series_adds_what_it_leaves_out() -> None:
    """In units of which the terms are whole numbers, rounding does not hide the remainder."""
    for w in range(1, 12):
        low, high = second.series(1, 1, w, itertools.count(1))
        with mpmath.workprec(100):
            assert low <= mpmath.exp(mpmath.mpf(2) ** -w) * 2**w <= high


TRUE = [{"by": "true"}]
STEPS = {"by": "induct", "name": "m", "ge": "g", "as": "p", "base": TRUE, "step": TRUE}
# True statements with proofs of a wrong shape.
MISSHAPEN = [
    ("all k:Int. k <= k -> k = k", [STEPS]),
    ("all k:Int. 0 < k -> k = k", [STEPS]),
    ("all k:Real. 0 <= k -> k = k", [STEPS]),
    ("all k:Int. 1/2 <= k -> k = k", [STEPS]),
    ("all k:Int. k <= 0 -> k = k", [STEPS]),
    ("0 = 0 -> 0 = 0 -> 0 = 0", [{"by": "intro", "as": ["h", "h"]}, *TRUE]),
    ("all x:Real, y:Real. x = x", [{"by": "intro", "as": ["x", "x"]}, *TRUE]),
    ("0 = 0 -> 0 = 0", [{"by": "intro", "as": ["ax:inv"]}, *TRUE]),
    ("0 = 0", [*TRUE, *TRUE]),
    ("0 = 0", [{"by": "contra", "as": "c"}]),
    ("0 = 0 & 1 = 1", [{"by": "split", "proofs": [TRUE]}]),
    ("0 = 0 & 1 = 1", [{"by": "split", "proofs": [TRUE, TRUE, TRUE]}]),
    ("0 <= 0", [{"by": "pos", "sum": [], "note": 1}]),
    ("0 <= 0", [{"by": "pos", "sum": [{"c": "0", "of": []}]}]),
    ("0 < 1", [{"by": "interval", "on": [], "prec": 15}]),
]


@together("number", range(len(MISSHAPEN)))
def test_a_proof_of_the_wrong_shape_is_rejected_by_both(number: int) -> None:
    text, proof = MISSHAPEN[number]
    with pytest.raises(Rejected):
        Both.check(grammar.read_formula(text, {}, {}), proof)
    assert second.Reader({}, {}).formula(text)


# --- The command line -----------------------------------------------------------------------------------------------

ONE = "[claim.one]\nstatement: all x:Real. 0 <= x -> 0 <= 2*x\n\n[lem.no]\nstatement: 0 < 0\nclaim: no\n"


def one(folder: Path, **changes: Any) -> dict[str, Any]:
    """A certificate of claim.one, changed."""
    (folder / "statements.txt").write_text(ONE, encoding="utf-8")
    made = test_forgeries.whole(test_forgeries.Statement("claim.one", "all x:Real. 0 <= x -> 0 <= 2*x"))
    return {**made, **changes}


def judged(folder: Path, certificate: dict[str, Any], code: int) -> str:
    (folder / "one.json").write_text(json.dumps(certificate), encoding="utf-8")
    lines = stored.second(folder / "statements.txt", folder / "one.json", code=code)
    assert len(lines) == 2
    return lines[0]


def rejected(folder: Path, certificates: Sequence[str | bytes | dict[str, Any]], why: str = "") -> None:
    """Each in one line, by one run of the checker."""
    paths = [folder / f"{number:02}.json" for number in range(len(certificates))]
    for path, certificate in zip(paths, certificates, strict=True):
        text = json.dumps(certificate) if isinstance(certificate, dict) else certificate
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    lines = stored.second(folder / "statements.txt", *paths, code=1)
    assert len(lines) == len(paths) + 1
    wrong = [p.name for p, line in zip(paths, lines, strict=False) if not line.startswith(f"rejected {p.name}: {why}")]
    assert not wrong, (wrong, [line[:200] for line in lines])


def test_one_certificate_and_its_refusals(tmp_path: Path) -> None:
    assert judged(tmp_path, one(tmp_path), 0).startswith("PROVED   claim.one")
    assert judged(tmp_path, one(tmp_path, proof=[]), 1).startswith("rejected one.json: ")
    rejected(tmp_path, [one(tmp_path, **changes) for changes in test_forgeries.FORGED.values()])


def test_bad_files_are_rejected_in_one_line_each(tmp_path: Path) -> None:
    one(tmp_path)
    rejected(tmp_path, test_forgeries.BAD_JSON)


@pytest.mark.sweep
def test_hostile_files_are_rejected_in_one_line_each(tmp_path: Path) -> None:
    one(tmp_path)
    nested = ["[" * 100_000, '{"a":' * 100_000]
    rejected(tmp_path, [*nested, '"' + "\\u0000\\ud800\\n" * 9 + '"', "[" + "0," * 4_000_000 + "0]"])


HOSTILE = [
    [{"by": "have", "show": "(" * 200_000, "proof": [], "as": "h"}],
    [{"by": "have", "show": "~" * 500_000 + "0 = 0", "proof": [], "as": "h"}],
    [{"by": "have", "show": "1" + " + 1" * 100_000 + " = 0", "proof": [], "as": "h"}],
    [{"by": "have", "show": test_forgeries.SHORT_CHAIN + " = 0", "proof": [], "as": "h"}],
    [{"by": "have", "show": "\ud800\n\u202e", "proof": [], "as": "h"}],
    [{"by": "use", "fact": "lem:\ud800\nPROVED", "with": [], "as": "h"}],
    [{"by": "intro", "as": ["x", ["h"]]}, {"by": "prove"}],
    [{"by": "__init__"}],
    [{"by": ["pos"]}],
    [{"by": "pos", "sum": {}, "eq": 1}],
    [{"by": "interval", "on": [], "prec": True}],
    {"by": "true"},
    "true",
]


@pytest.mark.sweep
def test_hostile_proofs_are_rejected_in_one_line_each(tmp_path: Path) -> None:
    rejected(tmp_path, [one(tmp_path, proof=proof) for proof in HOSTILE], "proof: ")


@pytest.mark.sweep
def test_wrong_usage(tmp_path: Path) -> None:
    one(tmp_path)
    (tmp_path / "bad.txt").write_text("[a]\nstatement: 0 = 0\n[a]\n", encoding="utf-8")
    (tmp_path / "lax.txt").write_text("[a]\nstatement: 0 = 0\nclaim: no\n", encoding="utf-8")
    (tmp_path / "none").mkdir()
    known = tmp_path / "statements.txt"
    for arguments in ([], [known], ["--help"], [tmp_path / "no.txt", known], [known, tmp_path / "none"]):
        assert len(stored.second(*arguments, code=2)) == 1
    for name in ("bad.txt", "lax.txt"):
        assert len(stored.second(tmp_path / name, known, code=2)) == 1


def test_lemmas_in_a_circle_and_lemmas_without_proof_are_not_used(tmp_path: Path) -> None:
    names = ("lem.a", "lem.b")
    (tmp_path / "s.txt").write_text("".join(f"[{n}]\nstatement: 0 < 0\nclaim: no\n\n" for n in names), encoding="utf-8")
    with frames():
        same = second.digest(second.Reader({}, {}).formula("0 < 0"))
    paths = []
    for name, used in (names, names[::-1]):
        proof = [{"by": "hyp", "of": f"lem:{used[4:]}"}]
        head = {"grammar": 1, "id": name, "statement": same, "lemmas": {used: same}, "sense": "proved"}
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps({**head, "proof": proof}), encoding="utf-8")
    for given in (paths, paths[:1], paths[1:], paths[::-1]):
        assert stored.second(tmp_path / "s.txt", *given, code=1)[-1].startswith("0 PROVED")


def test_a_lemma_with_another_hash_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("[lem.a]\nstatement: 0 = 0\nclaim: no\n\n[lem.b]\nstatement: 0 < 1\nclaim: no\n")
    with frames():
        hashes = {
            n: second.digest(second.Reader({}, {}).formula(t)) for n, t in (("lem.a", "0 = 0"), ("lem.b", "0 < 1"))
        }
    for wanted, code in ((hashes["lem.a"], 0), (hashes["lem.b"], 1), ("", 1), (None, 1)):
        for name, lemmas in (("lem.a", {}), ("lem.b", {"lem.a": wanted})):
            head = {"grammar": 1, "id": name, "statement": hashes[name], "lemmas": lemmas, "sense": "proved"}
            (tmp_path / f"{name}.json").write_text(json.dumps({**head, "proof": TRUE}))
        assert len(stored.second(tmp_path / "s.txt", tmp_path / "lem.b.json", tmp_path / "lem.a.json", code=code)) == 3


def test_a_statement_and_its_negation_stop_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No such pair is known; the second proof is let through here."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps(one(tmp_path)), encoding="utf-8")
    other_path = tmp_path / "two.json"
    other_path.write_text(json.dumps({**one(tmp_path), "sense": "refuted"}), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, frames():
        patch.setattr(second, "check", lambda *_: types.SimpleNamespace(nodes=1, used=set()))
        assert second.main([str(tmp_path / "statements.txt"), str(path), str(other_path)]) == 1
    assert "DEFECT" in capsys.readouterr().out
