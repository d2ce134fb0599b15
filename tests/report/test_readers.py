"""What a reader is shown: formulas folded back, proofs in words, LaTeX, what is trusted, near misses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from families import every, together
from proof.short import certificate, short_proofs, short_statements
from proof.stored import verdict as checked
from shared import call, document, refused

from symcook.__main__ import dispatch
from symcook.errors import SymcookError
from symcook.model.expr import parse_formula, parse_term
from symcook.proof import CHECKER, grammar
from symcook.proof.audit.falsify import falsify
from symcook.proof.audit.folded import Folder, statement_tree, text_of, used_definitions
from symcook.proof.audit.neighbours import Neighbour, broken, changes
from symcook.proof.replay import Statement, library, proofs_directory, replay, statements
from symcook.report import outline as outlines
from symcook.report import trust
from symcook.report.latex import latex, statement_latex
from symcook.report.markup import escaped
from symcook.report.proof import break_text, certificate_of, definitions_text, proof_latex
from symcook.report.proof import document as whole

LEMMA = "cookbook.s5.7.lemma5.3"
FALSE = "cookbook.s6.4.clip"
MACROS = frozenset(
    re.findall(
        r"\w+",
        """begin end left right mathbb mathit mathrm operatorname text frac sqrt sum prod quad in forall exists le ne
        land lor lnot Rightarrow Leftrightarrow dots to times colon mapsto cdot noindent min max log sin cos sinh cosh
        tanh alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau varphi chi
        psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""",
    )
)
TEXT_MACROS = MACROS | set(
    re.findall(
        r"\w+",
        """paragraph texttt emph par hangindent hangafter hspace ldots S textbar textless textgreater usepackage
        textasciicircum textasciitilde textbackslash""",
    )
)


# --- Formulas folded back ---------------------------------------------------------------------------------------------


def signed(t: Any) -> Any:
    """A minus before a number as part of it: f(-x) at x = 0 has a -0 that no text keeps apart from 0."""
    tag, data, kids = t[0], t[1], tuple(map(signed, t[2]))
    return ("num", (-kids[0][1][0], kids[0][1][1]), ()) if tag == "neg" and kids[0][0] == "num" else (tag, data, kids)


def drawn_again(statement: Statement, formula: Any) -> bool:
    tree = statement_tree(statement.text)
    folder = Folder(statement.known, used_definitions([tree], statement.known))
    again = grammar.read_formula(folder.text(statement.formula), {}, statement.known)
    same = grammar.digest(again) == grammar.digest(formula) or signed(again) == signed(formula)
    return statement_tree(text_of(tree)) == tree and same


@pytest.mark.sweep
def test_a_statement_drawn_from_the_kernels_formula_is_the_same_statement() -> None:
    read = {name: statements()[name] for name in short_statements()}
    assert [name for name, statement in read.items() if not drawn_again(statement, statement.formula)] == []


def test_another_statement_is_not_drawn() -> None:
    statement = statements()[LEMMA]
    assert drawn_again(statement, statement.formula)
    changed = replace(statement, written=statement.text.replace("0 < gamma", "0 <= gamma"))
    assert changed.digest != statement.digest and not drawn_again(changed, statement.formula)


def test_definitions_are_folded_and_ranges_put_back() -> None:
    statement = statements()[LEMMA]
    folder = Folder(statement.known, used_definitions([statement_tree(statement.text)], statement.known))
    shown = folder.text(statement.formula)
    assert "hardmax(f, j, i) - sm(f, j, i)" in shown
    assert "all i in 1..j. i != k -> " in shown
    assert "exp(f" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "x != y",
        "~(x = y & a = b)",
        "~~(x = y)",
        "x - (y - z) != 1 & 0 < I[x != 0]",
        "run(dyck-1) -> word(min)",
        "a = -b",
    ],
)
def test_text_reads_back(text: str) -> None:
    tree = statement_tree(text)
    assert statement_tree(text_of(tree)) == tree


def test_what_looks_like_a_definition_but_differs_stays_written_out() -> None:
    known = statements()[LEMMA].known
    scope = {"s": ("fun", ("Int",), "Real"), "t": ("fun", ("Int",), "Real"), "n": "Int", "p": "Int"}
    mixed = grammar.read_value("exp(s(p))/sum(k, 1, n, exp(t(k)))", "Real", scope, known)
    short = grammar.read_value("exp(s(p))/sum(k, 2, n, exp(s(k)))", "Real", scope, known)
    right = grammar.read_value("exp(s(p))/sum(k, 1, n, exp(s(k)))", "Real", scope, known)
    folder = Folder(known, ["sm"])
    assert [folder.text(t).startswith("sm(") for t in (mixed, short, right)] == [False, False, True]


# --- LaTeX ------------------------------------------------------------------------------------------------------------


def well_formed(text: str, macros: frozenset[str] | set[str]) -> None:
    """Balanced braces, environments, \\left with \\right and $; and no macro outside `macros`."""
    plain = re.sub(r"\\[{}$%&#_\\]", "", text)
    depth = 0
    for c in plain:
        depth += {"{": 1, "}": -1}.get(c, 0)
        assert depth >= 0
    assert depth == 0
    assert plain.count("$") % 2 == 0
    assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text))
    for word in ("aligned", "cases"):
        assert text.count(rf"\begin{{{word}}}") == text.count(rf"\end{{{word}}}")
    assert text.count(r"\[") == text.count(r"\]")
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= macros
    for display in re.findall(r"\\\[(.*?)\\\]", text, re.DOTALL):
        assert "\n\n" not in display
        assert display.isascii()


@pytest.mark.sweep
def test_every_statement_has_latex() -> None:
    every(short_statements(), lambda name: well_formed(statement_latex(statements()[name]), MACROS))


@together(
    ("text", "drawn"),
    [
        ("sum(j, 1, n, s(j)) <= 2*n*exp(-gamma)", r"\sum_{j=1}^{n} s_{j} \le 2\,n\,\mathrm{e}^{-\gamma}"),
        ("1 <= p & p <= n & 0 < eps", r"1 \le p \le n \land 0 < \varepsilon"),
        ("relu(x) = I[0 < x]*x", r"\mathrm{ReLU}\left(x\right) = \mathbb{1}[0 < x]\,x"),
        ("all n:Int, s:Int->Real. n != 0", r"\forall n \in \mathbb{Z},\ s \colon \mathbb{Z} \to \mathbb{R}.\ n \ne 0"),
        ("all j in 1..n. x1 = y(j, k)", r"\forall j \in \{1,\dots,n\}.\ x_{1} = y_{j,k}"),
        ("a - (b - c) = a + -b", r"a - \left(b - c\right) = a - b"),
        ("(a + b)^2 = pow(a + b, n)", r"\left(a + b\right)^{2} = \left(a + b\right)^{n}"),
        ("a -> (b <-> c)", None),
        ("1/2 = (x + 1)/sqrt(abs(x))", r"\frac{1}{2} = \frac{x + 1}{\sqrt{\left|x\right|}}"),
        ("balance(n) = 0 | z1_x = 0", r"\mathit{balance}_{n} = 0 \lor \mathit{z1\_x} = 0"),
        ("sum(j, 1, n, x + 1) = 0", r"\sum_{j=1}^{n} \left(x + 1\right) = 0"),
    ],
)
def test_formulas_as_latex(text: str, drawn: str | None) -> None:
    if drawn is None:
        text = "a = 0 -> (b = 0 <-> c = 0)"
        drawn = r"a = 0 \Rightarrow \left(b = 0 \Leftrightarrow c = 0\right)"
    assert latex(parse_formula(text)) == drawn


def test_a_choice_is_drawn_as_cases() -> None:
    well_formed(latex(parse_term("if(0 < x, 1, y)")), MACROS)


def test_definitions_stand_after_where() -> None:
    text = statement_latex(statements()[LEMMA])
    statement, _, meant = text.partition("where")
    assert r"\operatorname{hardmax}(s, n, j) - \operatorname{sm}(s, n, j)" in statement
    assert r"\operatorname{sm}(s, n, j) &:= \frac{\mathrm{e}^{s_{j}}}{\sum_{k=1}^{n} \mathrm{e}^{s_{k}}}" in meant
    model = statement_latex(statements()["cookbook.s4.4.min"])
    assert r"\operatorname{run}(\text{min}) &:= \mathit{out}" in model


def test_a_quantifier_before_an_implication_has_brackets() -> None:
    assert r"\land\ (\forall j \in \{1,\dots,n\}.\ j \ne p \Rightarrow s_{j} < s_{p} - \gamma) \\" in statement_latex(
        statements()[LEMMA]
    )


def test_plain_words_are_escaped() -> None:
    well_formed(escaped("100% of {x_1} & #2 < $3 ^ ~ \\ | § ≤"), TEXT_MACROS)


@pytest.mark.sweep
@together("name", [LEMMA, FALSE, "lem.sum_mono", "cookbook.s4.4.min"])
@together("full", [False, True])
def test_a_proof_as_latex(name: str, full: bool) -> None:
    verdict = checked(name)
    text = proof_latex(verdict, full)
    well_formed(re.sub(r"^%.*$", "", text, flags=re.MULTILINE), TEXT_MACROS)
    assert "amsmath" in text
    assert ("hidden" in text) == (name in (LEMMA, "cookbook.s4.4.min", "lem.sum_mono") and not full)


# --- Proofs in words --------------------------------------------------------------------------------------------------


def steps_of(name: str) -> list[outlines.OutlineStep]:
    verdict = checked(name)
    return outlines.outline(statements()[name], certificate_of(verdict))


@pytest.mark.sweep
def test_every_proof_can_be_told() -> None:
    every(short_proofs(), told)
    lines = [outlines.outline_text(outlines.outline(statements()[n], certificate(n))) for n in short_proofs()]
    assert 5 < sum("lines are hidden" in text for text in lines) < len(lines) - 5


def told(name: str) -> None:
    steps = outlines.outline(statements()[name], certificate(name))
    total = sum(s.size() for s in steps)
    long = [re.match(r" *([0-9]+)  ", line) for line in outlines.outline_text(steps, None).splitlines()]
    numbers = [int(match[1]) for match in long if match]
    assert numbers == list(range(1, total + 1))
    short = outlines.outline_text(steps)
    shown = [line for line in short.splitlines() if re.match(r" *[0-9]+  ", line)]
    assert len(shown) == min(total, outlines.MOST_LINES)
    below = [int(n) for n in re.findall(r"\(([0-9]+) lines? below\)$", short, re.MULTILINE)]
    gaps = [int(n) for n in re.findall(r"^ *\.\.\. ([0-9]+) lines? \.\.\.$", short, re.MULTILINE)]
    hidden = total - len(shown)
    assert ("lines are hidden" in short) == bool(hidden)
    assert len(below) + len(gaps) <= hidden
    assert sum(gaps) <= hidden


def test_a_proof_reads_as_one() -> None:
    text = outlines.outline_text(steps_of("lem.sum_one"), None)
    for words in ("By induction on b from a - 1.", "Base: sum(j, a, a - 1, 1) = a - 1 - a + 1. True by computation."):
        assert words in " ".join(text.split())
    text = outlines.outline_text(steps_of(LEMMA), None)
    assert "Suppose 1 <= n [some]; 1 <= p [low]" in text
    assert "By hardmax_unique at s; n; p" in text
    assert '"by"' not in text
    assert "exp(s(k))" not in text  # definitions stay folded


def test_a_refutation_shows_the_values() -> None:
    text = " ".join(outlines.outline_text(steps_of("cookbook.t1.conditional"), None).split())
    assert "Take 1" in text


def test_an_enclosure_without_bounds_names_none() -> None:
    text = outlines.outline_text(steps_of("yang2026.thm26.tau"), None)
    assert "By interval enclosure (64 bits)." in text
    assert "the bounds ." not in text


@pytest.mark.sweep
def test_one_id_is_shown_with_all_that_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", LEMMA)
    assert code == 0
    for words in (
        "PROVED",
        "§5.7 Lemma 5.3",
        "hardmax(s, n, j) :=",
        "hard:     all j in 1..n. hardmax(s, n, j) = I[j = p]",
        "by hardmax_unique, apart",
        "Axioms",
        "abs_neg",
        "Nodes",
        "Seconds",
    ):
        assert words in out
    assert statements()[LEMMA].digest in out
    assert f"{trust.checker_lines():,} lines of code" in " ".join(out.split())
    assert len(out.splitlines()) < 90
    _, full, _ = call(capsys, "prove", LEMMA, "--full")
    assert "witness 2; j. 3*I[j = 1]; 1; 1" in full
    assert "The hypotheses are satisfiable" in full
    assert len(full.splitlines()) > len(out.splitlines())
    _, several, _ = call(capsys, "prove", LEMMA, "lem.sum_one")
    assert "Suppose" not in several
    assert "2 of 2 stored proofs reproduced" in several


def test_a_refuted_claim_is_shown_with_its_counterexample_and_correction(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", FALSE)
    assert code == 0
    for words in ("CORRECTED", "Refutation: the statement is false at delta = 1", f"Corrected: {FALSE}.corrected"):
        assert words in out
    _, out, _ = call(capsys, "prove", f"{FALSE}.corrected")
    assert f"corrects {FALSE}" in out


def test_an_id_without_a_proof_is_shown_as_open(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", "yang2026.s6.conjecture")
    assert (code, "no stored proof" in out) == (1, True)


def test_a_check_says_what_it_rests_on() -> None:
    verdict = checked("model.first-position")
    text = " ".join(whole([verdict], [], 118).text().split())
    assert f"at all instances up to length {verdict.status.split()[1]}, and a run of the stored model" in text
    assert "not the kernel" in text


# --- What is trusted --------------------------------------------------------------------------------------------------


def test_lines_of_code_are_lines_with_code() -> None:
    source = '"""Words\nof a module."""\n\nimport os  # why\n\n\ndef f(x):\n    "doc"\n    # nothing\n'
    source += "    return (\n        x\n    )\n"
    assert trust.code_lines(source) == 5
    assert trust.code_lines("") == 0
    assert trust.code_lines('x = """a\n\nb"""\n') == 3


@pytest.mark.parametrize("source, count", [
    ('def f(): "doc"; return 1\n', 1), ('class A: "doc"\n', 1), ('x = 1; "words"\n', 1), ('"words"; x = 1\n', 1),
    ('def f():\n    """doc\n    more"""; return "text"\n', 2), ('é = "é"; "é"; y = (\n    "text"\n)\n', 3),
    ('def f():\n    "doc"\n\n    "more"\n', 1), ('"a" \\\n"b"\n', 0), ('if x:\n    "a"\nelse:\n    "b"\n', 2),
])  # fmt: skip
def test_code_beside_a_docstring_is_counted(source: str, count: int) -> None:
    assert trust.code_lines(source) == count


def test_the_trusted_files_are_all_that_the_checker_imports() -> None:
    import ast

    package = Path(trust.__file__).parent.parent
    for name in CHECKER:
        for node in ast.walk(ast.parse((package / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symcook"):
                inside = (node.module or "").split(".")[1:]
                files = ["/".join(inside) + ".py"] if inside else []
                if not (package / "/".join(inside)).with_suffix(".py").is_file():
                    files = ["/".join([*inside, alias.name]) + ".py" for alias in node.names]
                for file in files:
                    assert file in CHECKER or file == "verify/recheck.py", (name, file)


def test_trust_prints_the_files_the_axioms_and_the_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.proof import kernel

    code, out, err = call(capsys, "prove", "--trust")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    for one in trust.first_checker():
        assert f"{one.lines} {one.path}" in words
    assert f"{trust.checker_lines()} in all" in words
    for name, text in kernel.AXIOMS.items():
        assert f"{name} {text}" in words
    assert "You need not trust the proof search" in words
    assert "Assumptions without a proof here" in words
    second = trust.second_checker()
    assert (second is None) == (not (proofs_directory() / trust.SECOND).is_file())
    assert ("needs Python only" in words) == (second is not None)


def test_trust_of_one_id_names_its_axioms_only(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", "lem.sum_one", "--trust")
    assert code == 0
    assert "Axioms used here (1 of" in out
    assert "sum_step" in out
    assert "erf_odd" not in out


def test_the_axioms_used_are_those_of_the_replay() -> None:
    names = trust.below([LEMMA])
    assert {"lem.sm_sum", "lem.sum_split"} <= set(names)
    found = {axiom for verdict in replay(names) for axiom in verdict.axioms}
    assert set(trust.axioms_used(names)) == found


def test_the_trust_line_names_assumptions_and_enclosures() -> None:
    texts = {path.stem: path.read_text() for path in (library().root / "certificates").glob("cookbook.*.json")}
    stored = [n for n, text in texts.items() if '"interval"' in text and '"named.' in text and n in statements()]
    if not stored:
        pytest.skip("no stored proof uses an enclosure and an assumption")
    (verdict,) = replay(stored[:1])
    line = trust.trust_line(verdict)
    assert "python-flint for its enclosures" in line
    assert "and the assumption" in line
    assert "assuming named." in whole([verdict], [], 118).text()


def test_assumptions_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    from symcook.proof import replay as replays

    (tmp_path / "statements").mkdir()
    (tmp_path / "certificates").mkdir()
    text = "[named.fact]\nstatement: 0 < 1\nclaim: no\n\n[lem.a]\nstatement: 0 < 2\nclaim: no\n"
    (tmp_path / "statements" / "a.txt").write_text(text)
    home = replays.Library(tmp_path)
    monkeypatch.setattr(replays, "library", lambda: home)
    used = home.statements["named.fact"]
    certificate = replays.make_certificate(home.statements["lem.a"], [{"by": "true"}], lemmas=[used])
    (tmp_path / "certificates" / "lem.a.json").write_text(json.dumps(certificate))
    assert trust.assumptions() == {"named.fact": ["lem.a"]}
    escaped = json.dumps(certificate).replace("named.fact", r"\u006eamed\u002efact")
    (tmp_path / "certificates" / "lem.a.json").write_text(escaped)
    assert trust.assumptions() == {"named.fact": ["lem.a"]}


# --- Near misses ------------------------------------------------------------------------------------------------------


@cache
def near_misses(name: str) -> list[Neighbour]:
    return list(broken(statements()[name], certificate(name)))


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "name", ["cookbook.s4.4.min", "cookbook.s4.7.gtzero", "lem.sum_mono", LEMMA, f"{FALSE}.corrected"]
)
def test_near_misses_that_are_false_are_rejected(name: str) -> None:
    tried = near_misses(name)
    assert tried
    assert [t for t in tried if t.accepted and t.instance] == []
    assert any(t.instance for t in tried)
    assert all(t.accepted or t.reason for t in tried)
    assert all("hash" not in t.reason for t in tried)  # refused for what it says, not for what it is called


def test_the_kinds_of_changes() -> None:
    text = "all n:Int, f:Int->Real. 1 <= n & 0 < f(n) -> sum(j, 1, n, f(j)) <= 2 + min(f(1), -n)"
    kinds = {change.kind for change in changes(statement_tree(text))}
    assert kinds == {
        "number lowered", "number raised", "made strict", "hypothesis loosened", "hypothesis dropped", "sign turned",
        "min turned", "range longer", "range shorter",
    }  # fmt: skip
    for change in changes(statement_tree(text)):
        assert statement_tree(text_of(change.tree)) == change.tree


@pytest.mark.sweep
def test_a_near_miss_that_is_proved_is_called_so() -> None:
    """0 < gamma is stronger than what the proof of Lemma 5.3 needs."""
    tried = near_misses(LEMMA)
    accepted = [t.change for t in tried if t.accepted]
    assert [c.after for c in accepted if c.before == "0 < gamma"] == ["0 <= gamma"]
    text = "\n".join(break_text(LEMMA, tried))
    assert "it says more, so the statement is not tight here" in text
    assert "whether it is true was not decided" in text


def test_a_false_neighbour_that_is_accepted_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.proof import replay as replays

    monkeypatch.setattr(replays, "judge", lambda *a: ("PROVED", None))
    with pytest.raises(SymcookError, match="defect of the checker"):
        list(broken(statements()["cookbook.s4.4.min"], certificate("cookbook.s4.4.min")))


@pytest.mark.sweep
def test_no_instance_is_found_against_a_proved_statement() -> None:
    proved = library().certificates()
    every([name for name in short_statements() if name in proved and re.match(r"cookbook\.s[49]", name)], not_falsified)


def not_falsified(name: str) -> None:
    found = falsify(statements()[name], 40_000)
    assert found == "" or checked(name).status in ("REFUTED", "CORRECTED")


@together(
    ("text", "found"),
    [
        ("all x:Real. 0 <= x", "x = -"),
        ("all x:Real, y:Real. y = x*x -> y != 4", "x = "),
        ("all f:Int->Real, n:Int. 1 <= n -> 0 < sum(j, 1, n, f(j))", "f("),
        ("all n:Int, f:Int->Real. 1 <= n -> (all i in 1..n. f(i) = i) -> sum(j, 1, n, f(j)) = n", "n = "),
        ("all x:Real. exp(x) < 20", "x = "),
        ("(all x:Real. x = x) & (all y:Real. 1 <= y -> y < 2)", "y = "),
        ("all x:Real. 1/x*x = 1", ""),  # 1/0 is left open, and elsewhere it is true
        ("all x:Real. exp(x)*exp(-x) = 1", ""),  # balls never decide an equation to hold
        ("all x:Real. ex y:Real. x + 1000 = y", ""),
        ("all n:Int. 0 < n -> 10^6 < n -> false", ""),  # out of reach
    ],
)
def test_falsify(text: str, found: str) -> None:
    answer = falsify(Statement("x", text))
    assert answer.startswith(found) if found else answer == ""
    assert falsify(Statement("x", text)) == answer


def test_falsify_finds_the_refuted_claims() -> None:
    assert falsify(statements()[FALSE]).startswith("delta = ")
    assert "y = " in falsify(statements()["cookbook.t1.conditional"])
    wrong = replace(statements()[LEMMA], written=statements()[LEMMA].text.replace("0 < gamma", "gamma < 0"))
    assert isinstance(falsify(wrong), str)


# --- The command line -------------------------------------------------------------------------------------------------


def test_break(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", "cookbook.s4.4.min", "--break")
    assert code == 0
    assert "min turned: out = min(x, y)  =>  out = max(x, y)" in out
    assert "it is false at x = " in out
    assert "false at an instance, all of them rejected" in out
    code, out, _ = call(capsys, "prove", FALSE, "--break")
    assert code == 0
    assert f"{FALSE} is refuted; these are mutated statements of {FALSE}.corrected" in out


def test_break_without_a_certificate_is_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "prove", "yang2026.s6.conjecture", "--break")
    assert (code, "no stored proof, so nothing to break" in out) == (1, True)


def test_latex(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "prove", "lem.sum_one", "--latex")
    assert (code, err) == (0, "")
    assert out.startswith(r"% needs \usepackage{amsmath,amssymb}")
    assert r"\sum_{j=a}^{b} 1 = b - a + 1" in out


@together(
    ("line", "said"),
    [
        ("prove lem.sum_one --latex --json", "--latex and --json"),
        ("prove lem.sum_one --trust --break", "--trust and --break"),
        ("prove lem.sum_one --break --full", "--full"),
        ("prove lem.sum_oen --latex", "did you mean lem.sum_one?"),
        ("prove lem.sum_one --brake", "did you mean --break?"),
        ("prove --latex", "one of them"),
        ("prove --break", "one of them"),
        ("claims cookbook.s4.4.mim", "did you mean cookbook.s4.4.min?"),
        (["claims", "--status", "CHECKED x"], "did you mean CHECKED?"),
        ("--json list", "write symcook list --json"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], line: str | list[str], said: str) -> None:
    assert said in refused(capsys, *(line.split() if isinstance(line, str) else line))


@pytest.mark.sweep
def test_a_claim_by_id(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "claims", LEMMA)
    assert [row["id"] for row in rows] == [LEMMA]
    _, out, _ = call(capsys, "claims", LEMMA)
    words = " ".join(out.split())
    for part in (
        "§5.7 Lemma 5.3",
        "all n:Int, s:Int->Real",
        "Where sm(s, n, j) :=",
        "Tested: ",
        f"symcook prove {LEMMA}",
    ):
        assert part in words


def test_definitions_are_shown_with_a_claim() -> None:
    assert [line.split("(")[0] for line in definitions_text(statements()[LEMMA])] == ["sm", "maximal", "hardmax"]


@pytest.mark.sweep
def test_checked_up_to_a_length(capsys: pytest.CaptureFixture[str]) -> None:
    for status in ("CHECKED 16", "checked  16", "CHECKED"):
        code, out, _ = call(capsys, "claims", "--status", status, "--json")
        assert code == (0 if json.loads(out) else 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"symcook": "1"}', "must be the number 1, not text"),
        ('{"symcook": 2}', "version 1"),
        ("{}", "the key symcook"),
        ("[]", "an object"),
        ("{", "complete JSON"),
    ],
)
def test_an_error_in_a_model_file_names_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "mine.json").write_text(text)
    answer = refused(capsys, "show", tmp_path / "mine.json")
    assert "mine.json: " in answer
    assert said in answer


def test_break_and_trust_as_documents(capsys: pytest.CaptureFixture[str]) -> None:
    """The same as the text says: files and axioms, and what became of each near miss."""
    assert dispatch(["prove", "cookbook.s4.4.min", "--trust", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"model/expr.py", "proof/kernel.py"} <= {file["path"].removeprefix("symcook/") for file in found["files"]}
    assert {"relu_pos", "relu_neg"} <= set(found["axioms"]) and found["assumptions"] == {}
    assert [verdict["status"] for verdict in found["verdicts"]] == ["PROVED"]
    assert dispatch(["prove", "--trust", "--json"]) == 0
    assert "named.intermediate_value" in json.loads(capsys.readouterr().out)["assumptions"]
    assert dispatch(["prove", "cookbook.s4.4.min", "--break", "--json"]) == 0
    (broken,) = json.loads(capsys.readouterr().out)
    assert broken["statement"] == "cookbook.s4.4.min" and len(broken["near_misses"]) == 3
    assert all(one["accepted"] or one["reason"] for one in broken["near_misses"])
    assert not any(one["accepted"] and one["false_at"] for one in broken["near_misses"])
    assert any(one["false_at"] for one in broken["near_misses"])
