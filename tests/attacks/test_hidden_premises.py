"""A third round of attacks: checks and refutations at undefined places, hidden premises, dropped arguments, ledgers.

Each attack that an earlier version fell for says so. Whatever both checkers can be asked, they are both asked.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from families import together
from proof.conditions_text import inhabited

from symcook import claims
from symcook.errors import Rejected
from symcook.proof import conditions, grammar, kernel, normal, replay
from symcook.proof.instances import Instances
from symcook.proof.replay import Library, Statement, make_certificate
from symcook.proof.terms import TRUE
from symcook.recount import rows

ROOT = replay.library().root
CLAIM = [{"by": "true"}]


def second() -> Any:
    """The second checker as a module."""
    spec = importlib.util.spec_from_file_location("checker_for_attacks", ROOT / "checker.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CHECKER = second()


def folder(tmp_path: Path, statements: str, certificates: dict[str, Any], definitions: str = "") -> Path:
    """A folder of statements and certificates; a certificate is text or an object, by file name."""
    (tmp_path / "statements").mkdir(exist_ok=True)
    (tmp_path / "certificates").mkdir(exist_ok=True)
    (tmp_path / "statements" / "definitions.txt").write_text(definitions, encoding="utf-8", newline="")
    (tmp_path / "statements" / "a.txt").write_text(statements, encoding="utf-8", newline="")
    for name, made in certificates.items():
        text = made if isinstance(made, str) else json.dumps(made)
        (tmp_path / "certificates" / name).write_text(text, encoding="utf-8")
    return tmp_path


def verdicts(root: Path) -> dict[str, str]:
    """What the first checker says, by id."""
    return {v.id: v.words for v in Library(root).replay()}


def said(root: Path, definitions: str = "") -> str:
    """What the second checker prints, run alone on the same folder."""
    lines = [f"define: {line}" for line in definitions.splitlines() if line]
    text = (root / "statements" / "a.txt").read_bytes().decode()
    (root / "all.txt").write_bytes(("\n".join(lines) + "\n\n" + text).encode())
    command = [sys.executable, "-I", str(ROOT / "checker.py"), str(root / "all.txt"), str(root / "certificates")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stderr == "", done.stderr
    return done.stdout


def refuted(statement: Statement, proof: list[Any]) -> dict[str, Any]:
    return make_certificate(statement, proof, sense="refuted")


def one(name: str, text: str, **more: Any) -> Statement:
    return Statement(name, text, **more)


# --- CHECKED ----------------------------------------------------------------------------------------------------------

WORDS = "all n:Int, w:Int->Int. 1 <= n -> (all i in 1..n. w(i) = 0 | w(i) = 1) -> "


def evaluated(text: str, length: int = 4, nontrivial: str | None = None) -> int:
    return Statement("a.b", text, nontrivial).evaluated(length)


@together(
    ("text", "count"),
    [
        (WORDS + "0 <= sum(i, 1, n, w(i)) & sum(i, 1, n, w(i)) <= n", 2 + 4 + 8 + 16),
        ("all n:Int. 0 <= n -> sum(i, 1, n, i) = n*(n + 1)/2", 5),
        (
            "all n:Int, f:Int->Int. 1 <= n -> (all i in 1..n. f(i) = 2*i) -> sum(i, 1, n, f(i)) = n*(n + 1)",
            4,
        ),
        ("all n:Int, f:Int->Int. 1 <= n -> f(1) = f(1) -> (all i in 1..n. f(i) = i) -> f(n) = n", 0),
        ("all n:Int, x:Int. 1 <= n -> x = n/2 -> 2*x = n", 2),  # only even lengths have such an integer
        ("all n:Int. 1 <= n -> all i in 1..2*n. i <= 2*n", 4),
        ("all n:Int, k:Int. 1 <= n -> 1 <= k -> k <= 2*n -> k <= 2*n", 0),  # two sizes
        ("all n:Int, x:Real. 1 <= n -> x = x -> 0 <= n", 0),
        ("all n:Int. 1 <= n -> all x:Real. x = x", 0),
        ("all n:Int, f:Int->Real. 1 <= n -> (all i in 1..n. f(i) = i) -> f(n + 1) = n + 1", 0),  # no value there
        ("all n:Int. 1 <= n -> 1/(n - 2) = 1/(n - 2)", 0),
        ("all n:Int. 1 <= n -> n = 2 | 1/(n - 2) < 5", 4),
        ("all n:Int. 1 <= n -> (ex i in 1..n. i = 1 & 1/i = 1 | 1/(i - 2) = 1)", 0),
        ("all n:Int. 1 <= n -> exp(n) = exp(n)", 0),
        ("all n:Int. 1 <= n -> n < n -> 0 = 1", 0),  # no instance
        ("all n:Int. 1 <= n -> pow(n, 1 - n) <= 1", 0),
        ("all n:Int. 1 <= n -> n <= 3", 0),
    ],
)
def test_a_check_evaluates_the_statement(text: str, count: int) -> None:
    """0: refused, because it is false, undefined, empty or not determined by its premises."""
    if count:
        assert evaluated(text) == count
    else:
        with pytest.raises(Rejected):
            evaluated(text)


def test_the_nontrivial_condition_of_a_check_is_met() -> None:
    assert evaluated("all n:Int. 1 <= n -> n = n", 4, "4 <= n") == 4
    with pytest.raises(Rejected, match="nontrivially"):
        evaluated("all n:Int. 1 <= n -> n = n", 4, "5 <= n")


def test_a_check_of_a_false_formula_is_refused(tmp_path: Path) -> None:
    """`... -> 0 = 1` used to read CHECKED 6: nobody looked at the formula."""
    head = "all n:Int, w:Int->Int, token:Int->Real, balance:Int->Real, error:Int->Real, total:Int->Real."
    for end, want in (("0 = 1", "OPEN"), ("total(n) = 0 & balance(n) = 0 <-> dyck(w, n)", "CHECKED 4")):
        text = f"[a.b]\nstatement: {head} 1 <= n -> word(dyck-1) -> run(dyck-1) -> ({end})\n"
        shared = (ROOT / "statements" / "definitions.txt").read_text(encoding="utf-8")
        root = folder(tmp_path, text, {}, shared)
        made = {"grammar": 1, "id": "a.b", "statement": Library(root).statements["a.b"].digest}
        made["check"] = {"recipe": "dyck-1", "max_length": 4, "strings": 30}
        folder(tmp_path, text, {"a.b.json": made}, shared)
        assert verdicts(root) == {"a.b": want}


# --- Refutations ------------------------------------------------------------------------------------------------------

OVER_ZERO = "all x:Real. x*(1/x) = 1"


def test_no_refutation_where_the_statement_is_undefined(tmp_path: Path) -> None:
    """x*(1/x) = 1 used to be refuted at x = 0, where 1/x means nothing."""
    s = one("a.b", OVER_ZERO)
    assert grammar.show(s.refutation) == "ex x:Real. ~(x = 0) & ~(x*(1/x) = 1)"
    old = [{"by": "intro", "as": ["all"]}, {"by": "use", "fact": "all", "with": ["0"], "as": "w"}]
    old.append({"by": "absurd", "of": "w"})
    at_zero = [{"by": "witness", "term": "0"}, {"by": "split", "proofs": [CLAIM, CLAIM]}]
    for proof in (old, at_zero):
        root = folder(tmp_path, f"[a.b]\nstatement: {OVER_ZERO}\n", {"a.b.json": refuted(s, proof)})
        assert verdicts(root) == {"a.b": "OPEN"}
        assert "0 REFUTED" in said(root)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("all x:Real. 0 < x -> 1/x < 5", "ex x:Real. 0 < x & ~(x = 0) & ~(1/x < 5)"),
        ("all x:Real. 1/x < 5 -> x = 1", "ex x:Real. (1/x < 5 & ~(x = 0)) & ~(x = 1)"),
        ("all i in 1..3. sqrt(i - 2) = 0", "ex j:Int. (1 <= j & j <= 3) & 0 <= j - 2 & ~(sqrt(j - 2) = 0)"),
        ("0 = 1", "~(0 = 1)"),
        ("ex x:Real. x*x < 0", "~(ex x:Real. x*x < 0)"),
        ("all x:Real. x = 0 & 1/x = 1", "ex x:Real. (x = 0 -> ~(x = 0)) & ~(x = 0 & 1/x = 1)"),
        ("all x:Real. ex y:Real. log(y) = x", "ex x:Real. (all y:Real. 0 < y) & ~(ex y:Real. log(y) = x)"),
    ],
)
def test_what_a_refutation_must_prove(text: str, goal: str) -> None:
    formula = grammar.read_formula(text, {}, {})
    assert conditions.refutation(formula) == grammar.read_formula(goal, {}, {})
    other = CHECKER.refutation(CHECKER.Reader({}, {}).formula(text))
    assert CHECKER.digest(other) == grammar.digest(conditions.refutation(formula))


def test_a_refutation_excludes_the_statement() -> None:
    """R(S) & S is a contradiction for all stored statements that are refuted: S used at the witness."""
    text = "all x:Real, n:Int. 1 <= n -> x < n -> x*n < 7"
    formula = grammar.read_formula(text, {}, {})
    both = ("->", None, (conditions.refutation(formula), ("~", None, (formula,))))
    proof = [
        {"by": "intro", "as": ["r", "s"]},
        {"by": "obtain", "fact": "r", "name": "x", "as": "r1"},
        {"by": "obtain", "fact": "r1", "name": "n", "as": ["a", "b", "no"]},
        {"by": "use", "fact": "s", "with": ["x", "n", "#a", "#b"], "as": "yes"},
        {"by": "absurd", "of": "yes", "not": "no"},
    ]
    assert kernel.check(both, proof).nodes == 5


def test_the_printed_witness_is_the_one_of_the_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoy, the statement used elsewhere, was printed beside the counterexample; now only witnesses are."""
    from symcook.report.proof import witness

    s = one("a.b", "all x:Real. 0 <= x -> x < 5")
    decoy = {"by": "have", "show": "ex y:Real. y = 3", "proof": [{"by": "witness", "term": "3"}, *CLAIM], "as": "d"}
    parts = [CLAIM, [{"by": "intro", "as": ["w"]}, {"by": "absurd", "of": "w"}]]
    proof = [decoy, {"by": "witness", "term": "7"}, {"by": "split", "proofs": parts}]
    root = folder(tmp_path, f"[a.b]\nstatement: {s.text}\n", {"a.b.json": refuted(s, proof)})
    home = Library(root)
    monkeypatch.setattr(replay, "library", lambda: home)
    assert verdicts(root) == {"a.b": "REFUTED"} and witness("a.b") == "x = 7"
    assert "1 REFUTED" in said(root)


# --- H behind <->, | and ~ --------------------------------------------------------------------------------------------

NEVER = "x < 0 & 0 < x"


@together(
    "text",
    [
        f"all x:Real. ({NEVER} <-> {NEVER} & x = 5)",
        f"all x:Real. ~({NEVER}) | 0 = 1",
        f"all x:Real. ~(({NEVER}) & ~(0 = 1))",
        f"all x:Real. (({NEVER}) -> 0 = 1) | x = 7",
        f"all x:Real. 0 = 1 | (({NEVER}) -> 0 = 1)",
        f"all x:Real. ~(ex y:Real. y = y & ~(({NEVER}) -> 0 = 1))",
        f"all x:Real. x = x & (x = 7 | (x = 8 & (({NEVER}) -> 0 = 1)))",
        f"~(ex x:Real. ~~(({NEVER}) & ~(0 = 1)))",
        f"all x:Real. all y:Real. (y = y & ({NEVER}) <-> ({NEVER}))",
    ],
)
def test_premises_that_never_hold_are_seen(text: str) -> None:
    """H of these used to be true by computation, or to ask for x = x only."""
    formula = grammar.read_formula(text, {}, {})
    h = inhabited(formula, ("x",), None, {})
    assert h != TRUE and normal.fkey(h) != normal.TRUE
    assert CHECKER.digest(CHECKER.inhabited(CHECKER.Reader({}, {}).formula(text), None)) == grammar.digest(h)
    # H asks for something that implies x < 0 & 0 < x for some x (or that 7 or 8 is such an x).
    shown = grammar.show(h)
    assert "< 0" in shown and "0 <" in shown


@pytest.mark.parametrize(
    ("text", "h"),
    [
        ("all x:Real. x <= 0 | 0 <= x", "ex x:Real. true"),
        ("all x:Real. 0 < x <-> ~(x <= 0)", "ex x:Real. 0 < x | ~(x <= 0)"),
        ("all x:Real. ~(x = 1) | 0 < x", "ex x:Real. x = 1"),
        ("all x:Real. ~(x = 1 & x = 2)", "ex x:Real. true"),
        ("all x:Real. ~(x = 1 & ~(0 < x))", "ex x:Real. x = 1"),
        ("all x:Real. x = 0 | (0 < x -> 0 <= x)", "ex x:Real. ~(x = 0) & 0 < x"),
        ("all x:Real. ex y:Real. y = x -> 0 = 1", "ex x:Real. true"),  # behind ex the proof has the choice
    ],
)
def test_what_h_asks(text: str, h: str) -> None:
    formula = grammar.read_formula(text, {}, {})
    assert inhabited(formula, ("x",), None, {}) == grammar.read_formula(h, {}, {})


# --- Definitions that drop an argument --------------------------------------------------------------------------------

DROPS = [
    ("const(a) := 0", "const(1/0) = 0"),
    ("const(a) := 0", "const(3) = 0"),
    ("keep(f) := f(1)", "(all x:Real. x = x) -> keep(j. 1/0) = 0"),
    ("first(a, b) := a", "first(1, log(0)) = 1"),
    ("apply(f, a) := f(a)", "apply(j. 0, 1/0) = 0"),
    ("apply(f, a) := f(a)", "all g:Int->Real. apply(j. 0, g(1/2)) = 0"),
    ("apply(f, a) := f(a)", "all g:Int->Real. apply(j. 0, g) = 0"),
    ("apply(f, a) := f(a)", "apply(j. 0, 0 = 0) = 0"),
    ("apply(f, a) := f(a)", "apply(j. 0, sqrt(-1)) = 0"),
    ("two(f, a, b) := f(a, b)", "two(j k. j, 1, 1/0) = 1"),
    ("apply(f, a) := f(a)\nagain(f, a) := apply(f, a)", "again(j. 0, 1/0) = 0"),
    ("weird(a) := sum(name, 1, 1, 0)", "weird(1/0) = 0"),
    ("weird(b) := b.  0", "weird(1) = 0"),
]


@together(("definition", "text"), DROPS)
def test_a_dropped_argument_is_refused(definition: str, text: str) -> None:
    """`const(1/0) = 0` was PROVED, and g(1/2) passed the sorts of the first checker."""

    def first() -> Any:
        known: dict[str, Any] = {}
        for line in definition.split("\n"):
            made = grammar.define(line, known)
            known[made.name] = made
        formula = grammar.read_formula(text, {}, known)
        return normal.fkey(conditions.defined(formula)) == normal.TRUE

    def other() -> Any:
        known: dict[str, Any] = {}
        for line in definition.split("\n"):
            made = CHECKER.Definition(line, known)
            known[made.name] = made
        formula = CHECKER.Reader({}, known).formula(text)
        return CHECKER.Normal().formula(CHECKER.defined(formula)).kind == "true"

    for ask in (first, other):
        try:
            assert ask() is False  # read, but then D asks for what cannot be proved
        except (Rejected, CHECKER.Rejected, Exception) as error:
            assert type(error).__name__ in ("Rejected", "BadInput"), error


def test_constant_functions_are_allowed() -> None:
    known = {"total": grammar.define("total(f, n) := sum(j, 1, n, f(j))", {})}
    assert normal.fkey(grammar.read_formula("total(j. 2, 3) = 6", {}, known)) == normal.TRUE
    other = {"total": CHECKER.Definition("total(f, n) := sum(j, 1, n, f(j))", {})}
    assert CHECKER.Normal().formula(CHECKER.Reader({}, other).formula("total(j. 2, 3) = 6")).kind == "true"


# --- Limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_definitions_that_double_are_stopped() -> None:
    """d40 used to be expanded 2^40 times."""
    known: dict[str, Any] = {"d0": grammar.define("d0(x) := x", {})}
    other: dict[str, Any] = {"d0": CHECKER.Definition("d0(x) := x", {})}
    for k in range(1, 60):
        text = f"d{k}(x) := d{k - 1}(d{k - 1}(x))"
        known[f"d{k}"], other[f"d{k}"] = grammar.define(text, known), CHECKER.Definition(text, other)
    start = time.process_time()
    with pytest.raises(Rejected, match="expand to too much"):
        grammar.read_formula("d59(1) = 1", {}, known)
    with pytest.raises(CHECKER.Rejected):
        CHECKER.Reader({}, other).formula("d59(1) = 1")
    assert time.process_time() - start < 60


def test_renaming_keeps_to_the_time_limit() -> None:
    """A text of 133 characters ran for 31 s: each level was renamed once for each of its occurrences."""
    body = "x"
    for _ in range(12):
        body = f"h(({body} + 1)^9)"
    scope = {"n": "Int", "h": ("fun", ("Real",), "Real")}
    formula = grammar.read_formula(f"prod(x, 1, n, sum(y, 0, 0, {body})) = 0", scope, {})
    start = time.process_time()
    try:
        with normal.Clock(2):
            normal.fkey(formula)
    except Rejected:
        pass
    assert time.process_time() - start < 20


# --- Files ------------------------------------------------------------------------------------------------------------

GOOD = "[a.b]\nstatement: all x:Real. 0 < x -> 0 <= x\n"


MARKS = ["\u2028", "\u2029", "\x85", "\f", "\v", "\r", "\x1c", "\x1d", "\x1e", "\t", "\0", "\u202e", "\xa0", "\ufeff"]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("place", ["statement", "comment", "start", "definition"])
def test_a_visible_line_is_one_line(tmp_path: Path, mark: str, place: str) -> None:
    """A comment that went on behind U+2028 used to be a statement for the program and a comment for the reader."""
    text = {
        "statement": f"[a.b]\nstatement: all x:Real.{mark} 0 < x -> 0 <= x\n",
        "comment": f"# A comment.{mark}[a.c]\n\n{GOOD}",
        "start": f"[a.b]\nstatement: all x:Real.\n{mark}0 < x -> 0 <= x\n",
        "definition": GOOD,
    }[place]
    shared = f"# shared{mark}zero := 0\n" if place == "definition" else ""
    with pytest.raises(Rejected, match="printable"):
        Library(folder(tmp_path, text, {}, shared))
    with pytest.raises(CHECKER.Rejected, match="printable"):
        CHECKER.read_statements(shared.replace("zero", "define: zero") + "\n\n" + text)


def certificate(root: Path, name: str = "a.b", **more: Any) -> dict[str, Any]:
    s = Library(root).statements[name]
    proof = [{"by": "intro", "as": ["x", "p"]}, {"by": "pos", "sum": [{"c": "1", "of": ["p"]}]}]
    h = [{"by": "witness", "term": "1"}, {"by": "true"}]
    return make_certificate(s, proof, CLAIM, h) | more


def test_what_is_rejected_beside_a_good_certificate_is_told(tmp_path: Path) -> None:
    root = folder(tmp_path, GOOD, {})
    good = certificate(root)
    folder(tmp_path, GOOD, {"a.b.json": good, "a.b.refuted.json": good | {"sense": "refuted"}})
    (verdict,) = Library(root).replay()
    assert verdict.status == "PROVED" and verdict.rejected[0].startswith("a.b.refuted.json: ")
    assert "1 rejected" in said(root)


STRAY = ["a.c.json", "a.b.JSON", "A.b.json", "a.b.refuted.refuted.json", "\u0430.b.json", "notes.txt"]


@pytest.mark.parametrize("name", STRAY)
def test_a_file_of_no_statement_is_told(tmp_path: Path, name: str) -> None:
    root = folder(tmp_path, GOOD, {})
    folder(tmp_path, GOOD, {"a.b.json": certificate(root), name: certificate(root)})
    assert Library(root).problems() == [f"certificates/{name} belongs to no statement"]
    assert verdicts(root) == {"a.b": "PROVED"}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "change",
    [
        {"id": "a.c"},
        {"id": "\u0430.b"},
        {"statement": "0" * 64},
        {"grammar": 2},
        {"grammar": True},
        {"sense": "PROVED"},
        {"lemmas": {"a.b": "x"}},
        {"lemmas": []},
        {"more": 1},
        {"defined": []},
        {"inhabited": [{"by": "witness", "term": "-1"}, {"by": "true"}]},
        {"proof": [{"by": "true"}]},
    ],
)
def test_a_changed_certificate_is_rejected_by_both(tmp_path: Path, change: dict[str, Any]) -> None:
    root = folder(tmp_path, GOOD, {})
    folder(tmp_path, GOOD, {"a.b.json": certificate(root) | change})
    assert verdicts(root) == {"a.b": "OPEN"}
    assert "1 rejected" in said(root)


@pytest.mark.parametrize(
    "text",
    [
        GOOD + "\n" + GOOD,
        GOOD + "\n[a.b]\nstatement: 0 = 1\n",
        GOOD + "statement: 0 = 1\n",
        GOOD.replace("[a.b]", "[\u0430.b]"),
        GOOD.replace("all x", "all \u0445"),
        GOOD.replace("0 < x", "0 \uff1c x"),
        GOOD + "claim: no\n",
        GOOD + "corrects: a.c\n",
        GOOD.replace("[a.b]", "[a..b]"),
        GOOD.replace("[a.b]", "[a.b] "),
    ],
)
def test_statements_that_look_alike_are_refused_or_the_same(tmp_path: Path, text: str) -> None:
    root = folder(tmp_path, text, {})
    try:
        formulas = {name: s.digest for name, s in Library(root).statements.items()}
    except Rejected:
        formulas = {}
    assert formulas in ({}, {"a.b": grammar.digest(grammar.read_formula("all x:Real. 0 < x -> 0 <= x", {}, {}))})
    try:
        found = {name: s.digest for name, s in CHECKER.read_statements(text).items()}
    except CHECKER.Rejected:
        found = {}
    assert found == formulas


def test_a_symbolic_link_changes_nothing(tmp_path: Path) -> None:
    """A certificate that is a link to another is read as that file, and is then for another id."""
    text = GOOD + "\n[a.c]\nstatement: all x:Real. x < 0 -> x <= 0\n"
    root = folder(tmp_path, text, {})
    folder(tmp_path, text, {"a.b.json": certificate(root)})
    (root / "certificates" / "a.c.json").symlink_to(root / "certificates" / "a.b.json")
    assert verdicts(root) == {"a.b": "PROVED", "a.c": "OPEN"}
    assert "1 PROVED" in said(root) and "1 rejected" in said(root)


# --- Assumptions ------------------------------------------------------------------------------------------------------

ASSUMING = """[named.big]
statement: all x:Real. x < 5

[a.use]
statement: all x:Real. 0 < x -> x < 5

[a.false]
statement: all x:Real. x < 4

[a.false.corrected]
statement: all x:Real. 0 < x -> x < 6
corrects: a.false
"""


def assuming(tmp_path: Path, with_refutation: bool) -> Path:
    root = folder(tmp_path, ASSUMING, {})
    known = Library(root).statements
    big = known["named.big"]
    use = [{"by": "intro", "as": ["x", "p"]}, {"by": "use", "fact": "named:big", "with": ["x"], "as": "u"}]
    h = [{"by": "witness", "term": "1"}, {"by": "true"}]
    below = [*use, {"by": "pos", "sum": [{"c": "1", "of": ["u"]}]}]
    wider = [*use, {"by": "pos", "sum": [{"c": "1", "of": ["u"]}, {"c": "1", "of": []}]}]
    no = [{"by": "intro", "as": ["w"]}, {"by": "absurd", "of": "w"}]
    made = {
        "a.use.json": make_certificate(known["a.use"], below, CLAIM, h, [big]),
        "a.false.json": refuted(known["a.false"], [{"by": "witness", "term": "4"}, *no]),
        "a.false.corrected.json": make_certificate(known["a.false.corrected"], wider, CLAIM, h, [big]),
    }
    if with_refutation:
        made["named.big.json"] = refuted(big, [{"by": "witness", "term": "7"}, *no])
    return folder(tmp_path, ASSUMING, made)


def test_an_assumption_is_named_with_the_status(tmp_path: Path) -> None:
    """Behind CORRECTED, that is in the correction's proof, it used to vanish."""
    found = verdicts(assuming(tmp_path, False))
    assert found["a.use"] == "PROVED assuming named.big"
    assert found["a.false"] == "CORRECTED assuming named.big"
    assert "a.use  (" in said(tmp_path) and said(tmp_path).count("assuming named:big") == 2


def test_a_refuted_assumption_proves_nothing(tmp_path: Path) -> None:
    found = verdicts(assuming(tmp_path, True))
    assert found == {"named.big": "REFUTED", "a.use": "OPEN", "a.false": "REFUTED", "a.false.corrected": "OPEN"}
    assert "0 PROVED, 2 REFUTED, 0 skipped, 2 rejected" in said(tmp_path)


def test_an_assumption_that_is_refuted_by_what_rests_on_it(tmp_path: Path) -> None:
    """named.odd proves a lemma, the lemma refutes named.odd: nothing that rests on it stays proved."""
    text = "[named.odd]\nstatement: all x:Real. x < 5\n\n[lem.six]\nclaim: no\nstatement: 6 < 5\n"
    root = folder(tmp_path, text, {})
    known = Library(root).statements
    use = [{"by": "use", "fact": "named:odd", "with": ["6"], "as": "u"}, {"by": "hyp", "of": "u"}]
    no = [{"by": "witness", "term": "7"}, {"by": "use", "fact": "lem:six", "with": [], "as": "six"}]
    no.append({"by": "absurd", "of": "six"})
    made = {
        "lem.six.json": make_certificate(known["lem.six"], use, lemmas=[known["named.odd"]]),
        "named.odd.json": make_certificate(known["named.odd"], no, lemmas=[known["lem.six"]], sense="refuted"),
    }
    folder(tmp_path, text, made)
    assert "PROVED" not in verdicts(root)["lem.six"]
    out = said(root)
    assert "rejected" in out and not out.rstrip().endswith("0 rejected")


# --- The ledger -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ledger() -> dict[str, Any]:
    """A ledger as it would be written, for three claims; digests are computed, statuses are taken as given."""
    names = ["cookbook.s4.6.gelu_taylor", "cookbook.t1.conditional", "cookbook.s5.7.lemma5.3"]
    words = [("PROVED", ("named.intermediate_value",)), ("CORRECTED", ()), ("PROVED", ())]
    found = {
        n: claims.Known(
            s, claims.row_digest(n), f"{n}.corrected" if s == "CORRECTED" else None, a, claims.senses(n).lemmas
        )
        for n, (s, a) in zip(names, words, strict=True)
    }
    return {row["id"]: row for row in map(json.loads, rows(found))}


def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: str | dict[str, Any]) -> dict[str, str]:
    text = found if isinstance(found, str) else "\n".join(map(json.dumps, found.values()))
    (tmp_path / claims.LEDGER).write_text(text, encoding="utf-8")
    if not (tmp_path / "claims").exists():
        (tmp_path / "claims").symlink_to(claims.DATA / "claims")
    claims.inventory()
    monkeypatch.setattr(claims, "DATA", tmp_path)
    return {row.id: row.words for row in claims.ledger() if row.status != "OPEN"}


def test_a_sealed_row_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ledger: Any) -> None:
    assert shown(monkeypatch, tmp_path, ledger) == {
        "cookbook.s4.6.gelu_taylor": "PROVED assuming named.intermediate_value",
        "cookbook.t1.conditional": "CORRECTED",
        "cookbook.s5.7.lemma5.3": "PROVED",
    }


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("cookbook.t1.conditional", {"status": "PROVED"}),
        ("cookbook.t1.conditional", {"status": "REFUTED"}),
        ("cookbook.t1.conditional", {"corrected": "cookbook.s6.4.clip.corrected"}),
        ("cookbook.t1.conditional", {"status": "CHECKED 99"}),
        ("cookbook.t1.conditional", {"status": "TRUE"}),
        ("cookbook.s4.6.gelu_taylor", {"assuming": []}),
        ("cookbook.s4.6.gelu_taylor", {"assuming": ["named.other"]}),
        ("cookbook.s4.6.gelu_taylor", {"assuming": "named.intermediate_value"}),
        ("cookbook.s5.7.lemma5.3", {"lemmas": ["lem.no_such_lemma"]}),
        ("cookbook.s5.7.lemma5.3", {"digest": ""}),
        ("cookbook.s5.7.lemma5.3", {"digest": None}),
        ("cookbook.s5.7.lemma5.3", {"more": 1}),
    ],
)
def test_an_edited_row_is_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ledger: Any, name: str, change: dict[str, Any]
) -> None:
    """One edited word used to make CORRECTED read PROVED."""
    assert name not in shown(monkeypatch, tmp_path, ledger | {name: ledger[name] | change})


def test_a_row_of_another_claim_is_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ledger: Any) -> None:
    other = ledger["cookbook.s5.7.lemma5.3"]
    forged = {name: other | {"id": name} for name in ("cookbook.t1.conditional", "cookbook.no_such")}
    found = shown(monkeypatch, tmp_path, ledger | forged | {"cookbook.s6.4.clip": 7})
    assert set(found) == {"cookbook.s4.6.gelu_taylor", "cookbook.s5.7.lemma5.3"}


@pytest.mark.parametrize("text", ["", "[]", "{", "7", '{"id": []}', '{"id": "cookbook.s6.4.clip"}', '{"id": NaN}'])
def test_a_broken_ledger_shows_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    assert shown(monkeypatch, tmp_path, text) == {}


def test_a_key_that_comes_twice_shows_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ledger: Any) -> None:
    text = "\n".join(json.dumps(row).replace('"digest"', '"digest": "", "digest"') for row in ledger.values())
    assert shown(monkeypatch, tmp_path, text) == {}


def test_of_two_rows_of_one_claim_that_of_today_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ledger: Any
) -> None:
    """Branches that both write a row are merged to two lines. A status that does not follow from the certificates is
    forged, and does not count."""
    name = "cookbook.s5.7.lemma5.3"
    earlier = ledger[name] | {"digest": "0" * 32}
    assert name in shown(monkeypatch, tmp_path, ledger | {"before": earlier})
    refuted = claims.Known("REFUTED", claims.row_digest(name))
    forged = {"id": name, "status": "REFUTED", "digest": refuted.sealed(name)}
    assert name not in shown(monkeypatch, tmp_path, {"alone": forged})
    assert shown(monkeypatch, tmp_path, ledger | {"beside": forged})[name] == "PROVED"


# --- The evaluator against brute force --------------------------------------------------------------------------------


def test_the_evaluator_agrees_with_brute_force() -> None:
    """Sums, minima, indicators and quantifiers over words of length 1 to 5, computed in Python beside it."""
    import itertools
    from fractions import Fraction

    text = (
        "all n:Int, w:Int->Int. 1 <= n -> (all i in 1..n. w(i) = -1 | w(i) = 0 | w(i) = 2) -> "
        "sum(i, 1, n, w(i)*i/(i + 1)) + min(w(1), w(n)) + I[ex i in 1..n. w(i) = 2] + prod(i, 1, n, 1 + relu(w(i))) "
        "<= BOUND"
    )
    most = None
    for n in range(1, 6):
        for word in itertools.product((-1, 0, 2), repeat=n):
            value = sum(Fraction(x * i, i + 1) for i, x in enumerate(word, 1)) + min(word[0], word[-1])
            product = 1
            for x in word:
                product *= 1 + max(x, 0)
            value += (2 in word) + product
            most = value if most is None else max(most, value)
    assert evaluated(text.replace("BOUND", str(most)), 5) == sum(3**n for n in range(1, 6))
    with pytest.raises(Rejected, match="false at n = 5"):
        evaluated(text.replace("BOUND", str(most - Fraction(1, 10**9))), 5)


def test_the_work_of_a_check_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symcook.proof.instances.MAX_WORK", 1000)
    with pytest.raises(Rejected, match="steps"):
        evaluated(WORDS + "0 <= sum(i, 1, n, w(i))", 12)
    assert Instances(["n"], 3).size is None
