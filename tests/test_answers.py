"""How answers show themselves: one line, HTML and LaTeX with every text escaped, and the attention of a traced run."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import mpmath
import pytest
from families import together

import symcook as sc
from symcook.__main__ import main
from symcook.bounds import softmax_hardmax
from symcook.forward import MOST_WEIGHTS
from symcook.model.answers import Several, brief
from symcook.model.parts import MASKS, WEIGHTINGS
from symcook.proof import replay
from symcook.recipes import names
from symcook.report.document import near, value_latex
from symcook.report.markup import escaped

CORRECTED = ("chiang2022.appB.A2",)
HOSTILE = ("<b>", "$&_", "\\x^~", "{}#%", "--", "]]>", "字", "&amp;")


def hostile() -> sc.Transformer:
    """A CLS, two heads with Q unlike K, a softmax and a mask, a symbol, and names that no markup should believe."""
    space = sc.Space(("a", "b_1", "one", "cls", "mix", "seen"))
    soft = sc.Head(
        ("a", "b_1", "cls"), ("mix",), Q=[[1, 0, 1], [0, 1, "1/2"]], K=[[1, -1, 0], [0, 2, 1]], V=[[1, -1, 0]],
        weighting="softmax",
    )  # fmt: skip
    hard = sc.Head(("a", "one"), ("seen",), Q=[[0, 1]], K=[[1, 0]], V=[["1/3", 1]], mask="strict-future")
    network = sc.FeedForward(("mix", "seen"), ("one",), [[1, "1/2"], ["-c", 1]], [0, "-1/3"], [[1, "c"]], [0])
    words = {token: {("a", "b_1")[k % 2]: 1, "one": 1} for k, token in enumerate(HOSTILE)}
    embedding = sc.Embedding(
        space, words | {"CLS": {"cls": 1, "one": 1}}, positions={"seen": "1/(i+1)"}, start=0, before="CLS"
    )
    readout = sc.Readout("sign", "first", ("mix", "one"), [[1, "-1/4"]])
    layer = sc.Layer(sc.SelfAttention((soft, hard)), network)
    name = "<i>two</i> & $heads$_1"
    return sc.Transformer(name, embedding, (layer,), readout, (sc.Parameter("c", 1, 0, 2),), source="<made> & up")


def labelled() -> sc.Transformer:
    space = sc.Space(("x", "y"))
    readout = sc.Readout("largest", "each", ("x", "y"), [[1, 0], [0, 1]], ("<u>", "v$"))
    head = sc.Head(("x",), ("y",), [[0]], [[0]], [[1]])
    return sc.Transformer(
        "labels", sc.Embedding(space, {"p": {"x": 1}, "q": {"y": 1}}), (sc.Layer(sc.SelfAttention((head,))),), readout
    )


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    model, word = hostile(), HOSTILE[:3]
    return [
        model,
        *(model.run(word, domain, trace=True) for domain in ("exact", "ball", "float64", "mpmath")),
        model.run(HOSTILE),
        labelled().run("pqq", trace=True),
        sc.build("prefix-average").run([{"x": 1}, {"x": "1/3"}], trace=True),
        sc.build("max").run({"x": 1, "y": 2}, trace=True),
        model.derive(word),
        sc.derive_cases(sc.build("gtzero")),
        sc.prove("cookbook.s5.7.lemma5.3", *CORRECTED),
        *sc.derive_cases(sc.build("gtzero")),
        *sc.prove("cookbook.s5.7.lemma5.3", *CORRECTED),
        sc.build("first-position").derive("010"),
        softmax_hardmax(n=64, gamma=5),
        model.check(lambda word: True, 2),
        sc.build("dyck-1").check(lambda word: word.count("(") == word.count(")"), 4),
    ]


class Page(HTMLParser):
    """What a browser reads: tags that are closed, the attributes that are allowed, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        drawn = ("math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msub", "msqrt")
        assert tag in ("p", "b", "i", "br", "div", "table", "tr", "th", "td", *drawn), tag
        assert {name for name, _ in attrs} <= {"style", "title", "scope", "class", "mathvariant", "displaystyle"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.mark.sweep
def test_html_is_escaped_and_balanced(answers: list[Any]) -> None:
    for answer in answers:
        page = answer._repr_html_()
        assert "script" not in page and page.startswith('<div class="mathjax_ignore')
        Page(page)


def test_html_shows_every_coordinate_token_and_position() -> None:
    model = hostile()
    words = Page(model._repr_html_()).words
    assert {*model.space, *HOSTILE, "CLS", model.name, "c", "0 < c & c <= 2"} <= set(words)
    run = model.run(HOSTILE, trace=True)
    words = Page(run._repr_html_()).words
    for step in run.trace:
        assert all(words.count(name) >= 1 for name in step["coordinates"])
    assert words.count("seen") == len(run.trace) and words.count("mix") == len(run.trace)  # once more as an output
    assert all(f"{place}: {token}" in words for place, token in enumerate(("CLS", *HOSTILE)))
    assert [w for w in words if w.startswith("attention weights")] == [
        "attention weights of head 1 of 2", "attention weights of head 2 of 2"
    ]  # fmt: skip


def test_a_heat_map_shades_by_weight_and_keeps_exact_fractions() -> None:
    page = sc.build("dyck-1").run("())", trace=True)._repr_html_()
    for text, covered in (("1", "0.55"), ("1/2", "0.389"), ("1/3", "0.318"), ("0", "0.0")):  # 0.55 sqrt(weight)
        assert f'background:rgba(31,119,180,{covered})">{text}</td>' in page
    soft = hostile().run(HOSTILE[:1], trace=True)
    exact = soft.trace[1]["attention"][0][0][0]
    assert exact == "1/(exp(1/2) + 1)"  # CLS asks (1, 1/2) of CLS (0, 1), a score of 1/2, and of <b> (1, 0)
    assert f'title="{exact}">≈0.378</td>' in soft._repr_html_()


@pytest.mark.sweep
def test_latex_escapes_and_matches(answers: list[Any]) -> None:
    for answer in answers:
        for text in (answer.latex(), answer.latex(document=True), answer._repr_latex_()):
            plain = text.replace("\\\\", "").replace(r"\{", "").replace(r"\}", "")
            assert plain.count("{") == plain.count("}")
            assert text.count(r"\begin{") == text.count(r"\end{")
        assert answer._repr_latex_().startswith("$") and answer._repr_latex_().endswith("$")
        assert answer.latex(document=True).startswith("\\documentclass")
    text = hostile().latex()
    for wrong in ("$&_", "b_1", "<b>", "{}#%", "\\x^~"):
        assert wrong not in text
    assert r"\text{\$\&\_}" in text and r"\mathrm{b\_1}" in text and r"\text{-{}-}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_documents_compile(answers: list[Any], tmp_path: Path) -> None:
    for k, answer in enumerate([*answers, sc.build("identity", d=60)]):
        (tmp_path / f"{k}.tex").write_text(answer.latex(document=True), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{k}.tex"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=600)
        assert found.returncode == 0, (answer, found.stdout[-2000:])
        assert b"Overfull" not in found.stdout, answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", r"a\_b"),
        ("100% & more", r"100\% \& more"),
        ("---", "-{}-{}-"),
        ("\\{$}", r"\textbackslash{}\{\$\}"),
        ("a^~b", r"a\textasciicircum{}\textasciitilde{}b"),
        ("§9.2", r"\S{}9.2"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_values_in_latex() -> None:
    assert value_latex("-1/3") == r"-\frac{1}{3}"
    assert value_latex({"mid": "0.5", "rad": "2e-33"}) == r"0.5 \pm 2\cdot 10^{-33}"
    assert value_latex(1e-300) == r"1\cdot 10^{-300}"
    assert value_latex(float("inf")) == r"\text{inf}" and value_latex("a label") == r"\text{a label}"
    assert near("exp(1)") == pytest.approx(2.718281828) and near("a label") is None and near(float("nan")) is None
    for text in ("1/3", "-2/7", "0", "12345678901234567890/3", "1/" + "9" * 300, "9" * 300):
        assert near(text) == float(Fraction(text))
    assert near("9" * 400) is None and near("1/0") is None  # above the largest float; without a value


# One line


def parts(model: sc.Transformer) -> list[Any]:
    found: list[Any] = [model, model.embedding, model.readout, *model.layers]
    for layer, step in itertools.product(model.layers, model.sublayers):
        found += [part for part in (layer.attention, layer.feedforward) if part is not None]
        found += step.all_parts
    return found


def test_a_repr_is_a_line(answers: list[Any]) -> None:
    shown = [
        *(one for one in answers if not isinstance(one, tuple)),
        *parts(hostile()),
        *(part for name in names() for part in parts(sc.build(name))),
    ]
    shown += parts(sc.build("identity", d=60))
    long = "x" * 2000
    table = {f"{long[:1500]}{k}": {"x": 1} for k in range(3)}
    embedding = sc.Embedding(sc.Space(("x",)), table)
    head = sc.Head(("x",), (), [[1]], [[1]], [])
    shown.append(
        sc.Transformer(
            long, embedding, (sc.Layer(sc.SelfAttention((head,))),), sc.Readout("value", "each", ("x",)), source=long
        )
    )
    shown.append(shown[-1].run(list(table)))
    shown += parts(shown[-2])
    for one in shown:
        assert repr(one).startswith(f"<{type(one).__name__.removeprefix('Shown')} ") and repr(one).endswith(">")
        assert len(repr(one)) < 120 and repr(one).isprintable()


def test_what_a_repr_says() -> None:
    dyck = sc.build("dyck-1")
    assert repr(dyck) == "<Transformer dyck-1: 2 layers, 4 coordinates, alphabet ( )>"
    assert repr(dyck.layers[0]) == "<Layer 1 head, 1 relu unit>"
    assert repr(dyck.layers[0].attention) == "<SelfAttention 1 head: token -> balance>"
    assert repr(list(dyck.layers[0].parts())) == (
        "[<Head average, mask causal: token -> balance>, <FeedForward 1 relu unit: balance -> error>]"
    )
    assert repr(dyck("(()")) == "<Run dyck-1 on ((): reject>"
    assert repr(sc.build("max").run({"x": 1, "y": 2})) == "<Run max on x=1, y=2: out = 2>"
    assert repr(sc.build("gtzero").derive()) == "<Derivation gtzero on x: out = (max(0, x) - max(0, -eps + x))/eps>"
    assert repr(softmax_hardmax(n=64, gamma=5)) == (
        "<Bound softmax-hardmax: n = 64, gamma = 5, ties = false: 0.5959…41533 against 0.8624…98163, holds>"
    )
    agrees = dyck.check(lambda word: dyck(word).accept is True, 3)
    assert repr(agrees) == "<Check dyck-1 agrees with its specification on 14 inputs of 14>"


def test_several_answers_show_each_of_them() -> None:
    cases = sc.derive_cases(sc.build("min"))
    assert repr(cases) == (
        "(<Derivation min on x, y: out = y if 0 < x - y>,\n <Derivation min on x, y: out = x if x - y <= 0>)"
    )
    assert repr(cases[:1]) == "(<Derivation min on x, y: out = y if 0 < x - y>,)"  # a tuple as any other
    assert cases.text() == "\n\n".join(case.text() for case in cases)
    for case in cases:
        assert case._repr_html_() in cases._repr_html_()
        assert case.latex().partition("\n")[2] in cases.latex()
    many = Several([cases[0]] * 1000)
    assert repr(many).count("\n") < 50 and "... 961 more" in repr(many)
    assert repr(Several([cases[0]])) == f"({cases[0]!r},)" and repr(Several()) == "()"


def test_a_verdict_shows_no_path_of_this_machine() -> None:
    (verdict,) = found = sc.prove("cookbook.s5.7.lemma5.3")
    assert repr(verdict) == "<Verdict cookbook.s5.7.lemma5.3: PROVED, 152 nodes, by 9 lemmas>"
    assert repr(found) == f"({verdict!r},)"
    for shown in (found._repr_html_(), found.latex(), found.text(), repr(found), verdict._repr_html_()):
        assert str(Path(__file__).resolve().parent.parent) not in shown  # "/check" alone stands in proofs/checker.py
    words = Page(found._repr_html_()).words
    assert "cookbook.s5.7.lemma5.3: PROVED" in words and "cookbook.s5.7.lemma5.3.json" in words
    assert replay.statements()["cookbook.s5.7.lemma5.3"].text in words
    assert verdict.certificate is not None and Path(verdict.certificate).is_file()  # for who asks
    for name in CORRECTED:
        assert f"{name}: CORRECTED" in " ".join(Page(sc.prove(name)._repr_html_()).words)


def test_a_long_line_is_cut_in_its_middle() -> None:
    assert brief("a" * 50 + "b" * 50, 11) == "aaaaa…bbbbb"
    assert brief("short\n text") == "short text"


# Attention of a traced run


def seen(mask: str, i: int, j: int) -> bool:
    return {"none": True, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}[mask]


def expected_weights(mask: str, weighting: str, queries: Any, keys: Any) -> list[list[Any]]:
    """The definition, over mpmath numbers for softmax and Fractions for the others."""
    rows = []
    for i, query in enumerate(queries):
        row: list[Any] = [Fraction(0)] * len(keys)
        scores = {j: sum(a * b for a, b in zip(query, key, strict=True)) for j, key in enumerate(keys)
                  if seen(mask, i, j)}  # fmt: skip
        if scores:
            best = [j for j in scores if scores[j] == max(scores.values())]
            chosen = {"leftmost": best[:1], "rightmost": best[-1:], "average": best}.get(weighting, [])
            for j in chosen:
                row[j] = Fraction(1, len(chosen))
            if weighting == "softmax":
                total = sum(mpmath.exp(mpmath.mpf(s.numerator) / s.denominator) for s in scores.values())
                for j, s in scores.items():
                    row[j] = mpmath.exp(mpmath.mpf(s.numerator) / s.denominator) / total
        rows.append(row)
    return rows


VALUES = {"p": (1, 0), "q": (Fraction(-1, 2), 2), "r": (0, 1), "END": (2, Fraction(1, 3))}
Q = [[1, Fraction(-1, 2)], [0, 1]]
K = [[0, 2], [1, 1]]


def one_head(mask: str, weighting: str) -> sc.Transformer:
    space = sc.Space(("x", "y", "out"))
    words = {token: {"x": x, "y": y} for token, (x, y) in VALUES.items()}
    head = sc.Head(("x", "y"), ("out",), Q, K, [[1, 3]], mask, weighting)
    embedding = sc.Embedding(space, words, after="END")
    return sc.Transformer(
        "one head", embedding, (sc.Layer(sc.SelfAttention((head,))),), sc.Readout("value", "each", ("out",))
    )


def times(matrix: Any, vector: Any) -> tuple[Fraction, ...]:
    return tuple(sum((Fraction(a) * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix)


@together(("mask", "weighting"), list(itertools.product(MASKS, WEIGHTINGS)))
def test_weights_are_those_of_the_definition(mask: str, weighting: str) -> None:
    model = one_head(mask, weighting)
    for word in ("", "p", "qr", "ppq", "rqpr"):
        run = model.run(word, trace=True)
        vectors = [VALUES[token] for token in (*word, "END")]
        wanted = expected_weights(mask, weighting, [times(Q, v) for v in vectors], [times(K, v) for v in vectors])
        (shown,) = run.trace[1]["attention"]
        (columns,) = run.result.steps[1].attention
        for i, row in enumerate(wanted):
            exact = [column[i] for column in columns]
            assert sum(exact[1:], exact[0]) == int(any(row))
            values = [x + 3 * y for x, y in vectors]  # what the head adds is the mean of the values by these weights
            mean = sum((weight * value for weight, value in zip(exact, values, strict=True)), Fraction(0))
            assert mean == run.result.steps[1].columns["out"][i] if "out" in run.result.steps[1].columns else mean == 0
            if weighting == "softmax":
                for text, weight in zip(shown[i], row, strict=True):
                    assert near(text) == pytest.approx(float(weight), rel=1e-12)
            else:
                assert [Fraction(text) for text in shown[i]] == row


@together("weighting", WEIGHTINGS)
@together("domain", ["ball", "mpmath", "float64", "float32"])
def test_weights_in_other_numbers(domain: str, weighting: str) -> None:
    model = one_head("future", weighting)
    exact, other = (model.run("qpr", d, trace=True).trace[1]["attention"] for d in ("exact", domain))
    close = 1e-6 if domain == "float32" else 1e-14

    def numbers(heads: Any) -> list[float | None]:
        return [near(value) for rows in heads for row in rows for value in row]

    assert numbers(other) == pytest.approx(numbers(exact), rel=close)


def test_heads_in_order_and_one_that_writes_nothing() -> None:
    space = sc.Space(("x", "y"))
    first = sc.Head(("x",), ("y",), [[1]], [[1]], [[1]], "none", "leftmost")
    dead = sc.Head(("x",), ("y",), [[1]], [[1]], [[0]])
    last = sc.Head(("x",), ("y",), [[0]], [[0]], [[1]])
    layers = (sc.Layer(sc.SelfAttention((first, dead, last))), sc.Layer(sc.SelfAttention((last,))))
    model = sc.Transformer("heads", sc.Embedding(space, {"a": {"x": 1}}), layers, sc.Readout("value", "last", ("y",)))
    steps = model.run("aa", trace=True).trace
    half = [["1/2", "1/2"], ["1/2", "1/2"]]
    assert steps[1]["attention"] == [[["1", "0"], ["1", "0"]], [], half] and steps[2]["attention"] == [half]
    assert "head 2 of 3 writes nothing" in model.run("aa", trace=True)._repr_html_()


def test_long_inputs_and_runs_without_trace_keep_no_weights() -> None:
    model = sc.build("dyck-1")
    assert "attention" in model.run("(" * MOST_WEIGHTS, trace=True).trace[1]
    assert "attention" not in model.run("(" * (MOST_WEIGHTS + 1), trace=True).trace[1]
    assert "attention" not in model.run("()", trace=True).trace[2]  # a feed-forward part
    assert model.run("()").trace == []


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("domain", ["float64", "float32", "float16"])
def test_a_trace_does_not_change_how_floats_are_rounded(domain: str) -> None:
    model = one_head("none", "softmax")
    for word in map("".join, itertools.product("pqr", repeat=4)):
        assert model.run(word, domain, trace=True).outputs == model.run(word, domain).outputs


# Commands


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_latex_of_the_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    hostile().save(file)
    assert call(capsys, "show", str(file), "--latex") == (0, hostile().latex() + "\n", "")
    code, out, _ = call(capsys, "derive", "gtzero", "--latex")
    assert code == 0 and r"\mathrm{out} &= \frac{\max\left(0, x\right) - \max\left(0, -\varepsilon + x\right)}" in out
    code, out, _ = call(capsys, "derive", "gtzero", "--cases", "--latex", "--document")
    assert code == 0 and out.count(r"\noindent gtzero on x") == 3 and out.count(r"\begin{document}") == 1
    assert out.rstrip().endswith(r"\end{document}")


@pytest.mark.parametrize("command", [("show", "gtzero"), ("derive", "gtzero")])
@pytest.mark.parametrize("options", [("--document",), ("--latex", "--json"), ("--document", "--json")])
def test_forms_that_do_not_fit(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    code, out, err = call(capsys, *command, *options)
    assert code == 2 and "must" in err and "Traceback" not in err
    assert (out == "") == ("--json" not in options)
