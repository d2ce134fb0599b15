"""The page of a model, as a user meets it: what the command writes, what stands there, and what happens in a browser
when words are typed, steps are taken and sliders are moved."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import page_models
import pytest
from browser import browser, complaints, visit
from families import in_parts

import symcook as sc
from symcook.__main__ import main
from symcook.closed import every_length
from symcook.recipes import info, names
from symcook.report.page.html import element
from symcook.report.page.modelpage import model_page

HOSTILE = '<img src=x onerror="document.title=1">'


@cache
def by_default(name: str) -> tuple[str, dict[str, Any], float]:
    """The page of a recipe, what is said of it, and how long it took."""
    started = time.process_time()
    document, about = model_page(sc.build(name), recipe=info(name))
    return document, about, time.process_time() - started


def page(name: str, given: Any = None, **values: Any) -> str:
    if given is None and not values:
        return by_default(name)[0]
    return model_page(sc.build(name), given, recipe=info(name), values=values)[0]


@pytest.mark.parametrize(
    ("name", "arguments", "label"),
    [
        ("boolean", {"table": "1000"}, "formula by default"),
        ("boolean", {"table": "0110"}, "formula"),
        ("multiply-gelu", {}, "error at most"),
        ("by-gelu", {"f": "min"}, "for all where"),
    ],
)
def test_the_formula_of_the_default_arguments_is_not_said_of_other_arguments(
    name: str, arguments: dict[str, str], label: str
) -> None:
    document, _ = model_page(sc.build(name, **arguments), recipe=info(name), arguments=arguments)
    assert label in re.findall("<dt>(.*?)</dt>", document)


def test_the_command_for_a_proof_has_the_arguments_of_the_model() -> None:
    document, _ = model_page(sc.build("count", alphabet="abc"), recipe=info("count"), arguments={"alphabet": "abc"})
    assert "symcook derive count --set alphabet=abc" in document


def data(document: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', document)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture(scope="module")
def made() -> Iterator[Any]:
    with browser() as found:
        yield found


def text_of(made: Any, key: str) -> str:
    return made.execute_script("return document.getElementById(arguments[0]).textContent", key)


def type_in(made: Any, key: str, text: str) -> None:
    """As a user does, and without the keys that a driver cannot send."""
    made.execute_script(
        "const f = document.getElementById(arguments[0]); f.value = arguments[1]; f.dispatchEvent(new Event('input'))",
        key,
        text,
    )


# --- The command ---


def test_the_command_writes_one_file_that_asks_for_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.html"
    assert main(["report", "dyck-1", "--input", "(())", "-o", str(target)]) == 0
    assert str(target) in capsys.readouterr().out
    document = target.read_text(encoding="utf-8")
    assert document.startswith("<!DOCTYPE html>") and [one.name for one in tmp_path.iterdir()] == ["page.html"]
    assert data(document)["first"] == "(())"
    outside = [one for one in re.findall(r"""https?://[^\s"'<]+""", document) if "w3.org" not in one]
    assert (
        outside == []
        and "src=" not in document
        and "@import" not in document
        and "url(" not in document.replace("url(#", "")
    )
    assert "default-src 'none'" in unescape(document)


@pytest.mark.sweep
def test_json_says_how_the_page_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "dyck-1", "-o", str(tmp_path / "a.html"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "recipe": "dyck-1", "files": [str(tmp_path / "a.html")], "evaluator": "exact", "why": None, "runs": 0,
    }  # fmt: skip
    assert main(["report", "parity", "-o", str(tmp_path / "b.html"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["evaluator"] == "precomputed" and said["runs"] >= 20 and "softmax" in said["why"]


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("kind", "source", "why"), [
    ("dfa", "(aa)*", "the model runs an automaton"), ("tm", "1RB1LB_1LA1RZ", "the model runs a Turing machine"),
])  # fmt: skip
def test_the_page_says_what_the_model_runs(kind: str, source: str, why: str) -> None:
    assert model_page(sc.compile(kind, source))[1]["why"] == why


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["dyck-1", "-o", "there.html"], "must not exist yet"),
        (["dyck-1", "-o", "folder.html", "--force"], "must be a file, not a folder"),
        (["dyck-1", "-o", "none/page.html"], "the folder for a page must exist"),
        (["dyck-1", "-o", "/proc/page.html"], "the target of a page must be writable"),
        (["dyck-1", "-o", "there.html/x.html"], "the folder for a page must exist"),
        (["dyck-1", "-o", "new.html", "--input", "(x"], "every symbol must be in the alphabet"),
        (["dyck-1", "-o", "new.html", "--rows", "1"], "dyck-1 must be given a string"),
        (["average", "-o", "new.html", "--input", "ab"], "average must be given numbers"),
        (["dyck-1", "-o", "new.html", "--set", "nothing=1"], "nothing"),
        (["dyck-1", "-o", "new.html", "--max-length", "9"], "--max-length must be used only when figures are drawn"),
        (["first", "-o", "figures", "--input", "01"], "--input must go with a page"),
        (["dyck-1", "-o", "page.pdf"], "FILE.html for a page, or a folder for figures; given: page.pdf"),
        (["nothing-like-it", "-o", "new.html"], "nothing-like-it"),
    ],
)
def test_bad_input_of_the_command(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.html").write_text("mine")
    Path("folder.html").mkdir()
    assert main(["report", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err and said.err.count("\n") == 1 and said.out == ""
    assert Path("there.html").read_text() == "mine" and not Path("new.html").exists()


def test_force_replaces_a_page(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine")
    assert main(["report", "dyck-1", "-o", str(target), "--force"]) == 0
    assert "<!DOCTYPE html>" in target.read_text()


def test_a_model_file_has_a_page_too(tmp_path: Path) -> None:
    model = sc.build("dyck-1-2")
    model.save(tmp_path / "mine.json")
    assert main(["report", str(tmp_path / "mine.json"), "-o", str(tmp_path / "mine.html")]) == 0
    assert data((tmp_path / "mine.html").read_text())["model"]["space"] == list(model.space)


# --- What stands there ---


@pytest.mark.sweep
@in_parts(4, "name", names())
@pytest.mark.layer_two(every=2)
def test_every_recipe_has_a_small_page_soon(name: str) -> None:
    """Under 2 MB each, and none takes for ever (on a free machine all take less than 5 s); which compute is known."""
    document, about, seconds = by_default(name)
    assert seconds < 60
    assert len(document.encode()) < 2_000_000
    computes = name in page_models.recipes() and name != "lookup-layernorm-hash"
    assert (about["evaluator"] == "exact") is computes
    assert ("precomputed" in document.partition('id="how"')[2][:600]) is not computes


def test_names_are_shown_and_not_run() -> None:
    words = {HOSTILE.replace(" ", "_"): {"x": 1}, "</script>": {"x": 0}}
    space = sc.Space(("x",))
    model = sc.Transformer(
        f"{HOSTILE} model",
        sc.Embedding(space, words),
        (),
        sc.Readout("sign", "last", ("x",), [[1]]),
        source="a <b> & c",
    )
    document, _ = model_page(model)
    assert "<img" not in document and "a &lt;b&gt; &amp; c" in document
    assert document.count("</script>") == 3  # the data, the evaluator, the page's own
    assert list(data(document)["model"]["tables"]["x"]) == list(words)


def test_an_element_escapes_what_is_no_markup() -> None:
    assert element("p", "<b>", element("i", "&"), title='"') == '<p title="&quot;">&lt;b&gt;<i>&amp;</i></p>'


def test_who_reads_whom() -> None:
    """Of dyck-1, as its paper has it: balances from tokens, errors from balances, totals from errors."""
    from symcook.report.page.diagram import sentences

    assert sentences(sc.build("dyck-1")) == [
        ("embedding", [], "token"),
        ("layer 1, head", [("token (values)", "embedding")], "balance"),
        ("layer 1, feed-forward", [("balance", "layer 1, head")], "error"),
        ("layer 2, head", [("error (values)", "layer 1, feed-forward")], "total"),
        ("readout", [("total", "layer 2, head"), ("balance", "layer 1, head")], "nothing"),
    ]


@pytest.mark.sweep
def test_every_entry_of_every_matrix_stands_there() -> None:
    from symcook.model.symbols import from_sympy

    for name in ("dyck-1-2", "parity", "max-min"):
        model = sc.build(name)
        cells = re.findall(
            r'<td class="(?:nil|plus|minus|open)"(?: style="--s:[^"]*")?(?: title="([^"]*)")?>([^<]*)</td>', page(name)
        )
        shown = {whole or text for whole, text in cells}
        for step in model.sublayers:
            for part in step.all_parts:
                for matrix in part.matrices().values():
                    assert {from_sympy(v) for v in matrix} <= shown, name


def test_what_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the page is there all the same."""
    from symcook.report.page import modelpage

    monkeypatch.setattr(modelpage, "SECONDS", 1e-3)
    document = page("dyck-1-2", "(())")
    assert document.lower().count(modelpage.LATE) >= 3 and 'id="trace"' in document


# --- In a browser ---


def test_a_word_is_run_and_stepped_through(made: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(made, page("dyck-1", "(())"), tmp_path)
    assert text_of(made, "answer").startswith("accept")
    field = made.find_element(By.ID, "word")
    field.clear()
    field.send_keys("())(" + Keys.ENTER)
    assert text_of(made, "answer").startswith("reject")
    assert text_of(made, "where") == "Step 2 of 4, after layer 1, attention; position 4: ("
    made.find_element(By.CSS_SELECTOR, "#places button").click()
    made.find_element(By.CSS_SELECTOR, "#steps button").click()
    ActionChains(made).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN).perform()
    assert text_of(made, "where") == "Step 2 of 4, after layer 1, attention; position 3: )"
    did = [one.text for one in made.find_elements(By.CSS_SELECTOR, "#did li")]
    assert did == ["balance: 0 → -1/3", "the head looks with 1/3 each at 1: (, 2: ), 3: )"]
    rows = made.find_elements(By.CSS_SELECTOR, "#tables .frame:first-child tbody tr")
    assert [one.text for one in rows] == ["token 1 -1 -1 1", "balance 1 0 -1/3 0"]
    ActionChains(made).send_keys(Keys.END, Keys.ARROW_RIGHT).perform()
    assert text_of(made, "where").startswith("Step 4 of 4, after layer 2, attention")
    assert made.find_elements(By.CSS_SELECTOR, "td.read") and not made.find_element(By.ID, "on").is_enabled()
    assert complaints(made) == []


def test_arrows_step_on_a_fresh_page(made: Any, tmp_path: Path) -> None:
    """It opens where a head looks somewhere, at the position that the readout reads; nothing has the focus."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    visit(made, page("dyck-1", "(())"), tmp_path)
    seen = [text_of(made, "where")]
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_LEFT):
        ActionChains(made).send_keys(key).perform()
        seen.append(text_of(made, "where"))
    assert seen == [
        "Step 2 of 4, after layer 1, attention; position 4: )",
        "Step 3 of 4, after layer 1, feed-forward; position 4: )",
        "Step 3 of 4, after layer 1, feed-forward; position 3: )",
        "Step 2 of 4, after layer 1, attention; position 3: )",
    ]
    made.execute_script("document.getElementById('word').focus()")  # there they move the cursor
    ActionChains(made).send_keys(Keys.ARROW_RIGHT).perform()
    assert text_of(made, "where") == seen[-1]
    made.set_window_size(600, 300)
    made.execute_script("document.activeElement.blur(); window.scrollTo(0, 1e6)")  # out of sight, down scrolls
    ActionChains(made).send_keys(Keys.ARROW_DOWN).perform()
    assert text_of(made, "where") == seen[-1]
    made.set_window_size(1200, 900)
    assert complaints(made) == []


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "given"), [("dyck-1", "(())"), ("parity", "0110")])
def test_the_pattern_of_each_head_is_drawn_with_its_exact_weights(
    name: str, given: Any, made: Any, tmp_path: Path
) -> None:
    """One picture a head that writes something, a square a pair, and behind it what `run` says of the pair."""
    document = page(name, given)
    visit(made, document, tmp_path)
    model = sc.build(name)
    values = {one.name: one.default for one in model.parameters if one.default is not None}
    trace = model.run(given, trace=True, values=values).trace
    weights = [head for step in trace for head in step.get("attention", ()) if head]
    drawn = made.execute_script("""const all = (inside, what) => [...inside.querySelectorAll(what)];
      return all(document, '#patterns figure').map((one) =>
        all(one, '.asks').map((row) => all(row, 'title').map((cell) => cell.textContent)));""")
    assert len(drawn) == len(weights) > 0
    for picture, head in zip(drawn, weights, strict=True):
        assert [len(row) for row in picture] == [len(head)] * len(head)
        for row, exact in zip(picture, head, strict=True):
            for said, weight in zip(row, exact, strict=True):
                assert said.startswith("from ") and (said.endswith(f": {weight}") or "±" in said)
    captions = [one.text for one in made.find_elements("css selector", "#patterns figcaption")]
    assert all("writes " in one and "layer " in one for one in captions)
    assert complaints(made) == []


def test_the_page_says_what_is_proved(made: Any) -> None:
    """From the ledger: for every string, and how many statements have which status."""
    document = page("dyck-1")
    text = unescape(re.sub(r"<[^>]*>", "", document))
    assert "PROVEDaccept <-> dyck(w, n) for strings of every length (cookbook.t3.dyck1, cookbook.s9.2.1.accept)" in text
    assert "theorems7 PROVED, 1 CORRECTED" in text
    assert "no proof was asked for" not in text and "symcook derive dyck-1 searches for a proof" in text


def test_one_name_means_one_thing() -> None:
    """q1 is a coordinate of this formula; rows of Q, hidden units and states have other names."""
    document = model_page(sc.compile("ltl", "Q_b & prev Q_a", alphabet="ab"))[0]
    headers = re.findall(r'<th scope="row">([^<]*)</th>', document)
    assert "query 1" in headers and "key 1" in headers and "unit 1" in headers and "S0" in headers
    assert not {"k1", "h1", "q0"} & {*headers}
    assert data(document)["automaton"]["names"][:2] == ["S0", "S1"]
    tables = re.findall(r"<caption>Q</caption>.*?</table>", document)
    assert tables and all('<th scope="row">q1</th>' not in one for one in tables)


def test_what_the_model_does_not_take_is_said(made: Any, tmp_path: Path) -> None:
    visit(made, page("dyck-1"), tmp_path)
    type_in(made, "word", f"({HOSTILE}")
    assert text_of(made, "said") == "every symbol must be in the alphabet ( ); given: <."
    assert text_of(made, "trace") == "" and text_of(made, "answer") == ""
    type_in(made, "word", "()" * 40)
    assert text_of(made, "said") == "a page shows at most 64 positions; given: 80; use symcook run."
    type_in(made, "word", "()")
    assert text_of(made, "said") == "" and text_of(made, "answer").startswith("accept")
    assert made.title.endswith("symcook") and complaints(made) == []


def test_tokens_that_are_html_are_text(made: Any, tmp_path: Path) -> None:
    token = HOSTILE.replace(" ", "_")
    model = sc.Transformer(
        "odd", sc.Embedding(sc.Space(("x",)), {token: {"x": 1}, "b": {}}), (),
        sc.Readout("largest", "each", ("x",), [[1], [0]], ("<b>yes</b>", "no")),
    )  # fmt: skip
    visit(made, model_page(model)[0], tmp_path)
    type_in(made, "word", f"{token} b")
    assert f"1: {token} → <b>yes</b>" in text_of(made, "answer")
    assert made.execute_script("return document.querySelectorAll('img, #answer b, #trace b').length") == 0
    assert complaints(made) == []


def test_a_symbol_has_a_slider_and_a_field(made: Any, tmp_path: Path) -> None:
    """gtzero is x/eps between 0 and eps: the page and the library say the same at each value."""
    visit(made, page("gtzero", {"x": "1/16"}), tmp_path)
    model = sc.build("gtzero")
    stops = made.execute_script("return document.getElementById('symbol-eps-slider').dataset.stops").split(" ")
    assert len(stops) > 10
    for k in (0, len(stops) // 2, len(stops) - 1):
        type_in(made, "symbol-eps-slider", str(k))
        [(name, value)] = model.run({"x": "1/16"}, values={"eps": stops[k]}).output.items()
        assert text_of(made, "answer").strip() == f"{name} = {value}", stops[k]
        assert made.execute_script("return document.getElementById('symbol-eps').value") == stops[k]
    type_in(made, "symbol-eps", "3/32")
    assert text_of(made, "answer").strip().endswith(" = 2/3")
    type_in(made, "symbol-eps", "-1")
    assert text_of(made, "said") == "eps must satisfy 0 < eps; given: -1."
    assert complaints(made) == []


@pytest.mark.sweep
def test_soft_attention_beside_hard(made: Any, tmp_path: Path) -> None:
    """The values are those that the library gives for the softened and the hardened model; radii stand there."""
    document = page("dyck-1-2", "(())")
    visit(made, document, tmp_path)
    soft = data(document)["soft"]
    type_in(made, "length", "3")
    type_in(made, "tau", str(soft["temperatures"].index("1/4")))
    model = sc.build("dyck-1-2")
    found = model.soften("t").run("(())", "ball", values={"t": "1/4"}, digits=10)
    ball = found.shown(len("(())") - 1)["active"]
    script = "return [...document.querySelectorAll('#soft-table tbody td')].map((one) => one.textContent)"
    cells = made.execute_script(script)
    assert cells[0] == "0" and cells[1] == f"{ball['mid']} ± {ball['rad']}"
    assert "hard: accept, soft: reject, not the same" in text_of(made, "soft-said")
    assert made.execute_script("return document.querySelectorAll('#soft-plot circle').length") == len(
        soft["temperatures"]
    )
    assert complaints(made) == []


@pytest.mark.sweep
def test_runs_that_were_computed_before(made: Any, tmp_path: Path) -> None:
    """Of a model with softmax each run stands there as the library says it."""
    document = page("parity", "011")
    visit(made, document, tmp_path)
    assert "precomputed" in text_of(made, "how")
    runs = data(document)["runs"]
    assert [one["typed"] for one in runs][:3] == ["011", "", "0"] and len({one["typed"] for one in runs}) == len(runs)
    model = sc.build("parity")
    for k, one in enumerate(runs[:6]):
        assert one["accept"] is model.run(one["typed"], "ball").accept is (one["typed"].count("1") % 2 == 1)
        made.execute_script(
            "const f = document.getElementById('known'); f.value = arguments[0]; f.dispatchEvent(new Event('change'))",
            k,
        )
        assert text_of(made, "answer").startswith("accept" if one["accept"] else "reject")
    assert complaints(made) == []


@pytest.mark.sweep
def test_the_automaton_follows_the_word(made: Any, tmp_path: Path) -> None:
    visit(made, page("dyck-1-2", "(())"), tmp_path)
    path = text_of(made, "path").removeprefix("On the string that is run: ").split(" → ")
    automaton = sc.build("dyck-1-2").decide().automaton
    state, wanted = 0, ["S0"]
    for letter in "(())":
        state = automaton.step(state, letter)
        wanted.append(f"S{state}")
    assert path == wanted and len(set(path)) > 2


def longest_input(model: sc.Transformer) -> str:
    """Twelve positions, or as many as there may be."""
    most = min(12, model.max_length or 12) - model.embedding.added
    if model.embedding.inputs is None:
        return model.embedding.written(tuple(model.alphabet[k % len(model.alphabet)] for k in range(most)))
    count = 1 if model.pointwise else most
    return "; ".join(
        ", ".join(str((k + j) % 4 + 1) for j, _ in enumerate(model.embedding.inputs)) for k in range(count)
    )


STEPS = """
const done = [];
for (const one of document.querySelectorAll("#steps button")) {
  const began = performance.now();
  one.click();
  document.getElementById("tables").getBoundingClientRect();
  done.push(performance.now() - began);
}
return done;
"""
"""How long each step takes until it is laid out, in milliseconds."""


@in_parts(4, "name", names())
@pytest.mark.sweep
@pytest.mark.layer_two(every=2)
def test_every_page_is_quiet_and_steps_are_quick(name: str, made: Any, tmp_path: Path) -> None:
    """No message on any console, and no step stops the page (at length 12, alone on a machine, 22 ms): the least of
    two tries of each counts, since the machine does other things too."""
    document = page(name)
    visit(made, document, tmp_path)
    if data(document)["model"] is not None:
        type_in(made, "word", longest_input(sc.build(name)))
        assert text_of(made, "said") == "" or "rational" in text_of(made, "said")
    tries = [made.execute_script(STEPS) for _ in range(2)]
    assert tries[0] and max(map(min, zip(*tries, strict=True))) < 1000
    assert complaints(made) == []


def test_the_judges_can_fail(made: Any, tmp_path: Path) -> None:
    """What the tests of the console and of accessibility look at does find faults."""
    axe = pytest.importorskip("axe_selenium_python", reason="pip install axe-selenium-python")
    visit(made, "<html lang=en><title>t</title><img src='data:,'><script>console.error('oh')</script>", tmp_path)
    assert any("oh" in line for line in complaints(made))
    judge = axe.Axe(made)
    judge.inject()
    assert "image-alt" in [one["id"] for one in judge.run()["violations"]]


@pytest.mark.sweep
def test_a_verdict_of_all_positions_says_its_rule(made: Any, tmp_path: Path) -> None:
    """And no value of one position, as if that decided."""
    visit(made, page("dyck-1-2", "(()"), tmp_path)
    said = text_of(made, "answer")
    assert said.startswith("reject") and said.endswith("accept iff active = 0 at every position")
    shown = made.execute_script("return [...document.querySelectorAll('#answer .each')].map((one) => one.textContent)")
    outputs = sc.build("dyck-1-2").run("(()").to_json()["outputs"]
    assert shown == [f"{k}: {token} → {one}" for k, (token, one) in enumerate(zip("(()", outputs, strict=True), 1)]


def test_every_value_has_its_plot(made: Any, tmp_path: Path) -> None:
    visit(made, page("modulo", "abaab"), tmp_path)
    titles = made.execute_script(
        "return [...document.querySelectorAll('#soft-plot .start')].map((one) => one.textContent)"
    )
    assert titles == [f"{name}: dashed hard, points soft" for name in ("0", "1")]
    points = made.execute_script(
        "return [...document.querySelectorAll('#soft-plot polyline')].map((one) => one.getAttribute('points'))"
    )
    assert len(set(points)) == 2


def test_what_is_wider_than_its_frame_says_so(tmp_path: Path) -> None:
    seen = {}
    for width in (380, 1300):
        with browser() as made:
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 400}
            made.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            visit(made, page("dyck-1", "(())"), tmp_path)
            made.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            seen[width] = made.execute_script("""const frame = document.querySelector('svg.diagram').closest('.frame');
              return [frame.hasAttribute('data-more'), frame.scrollWidth > frame.clientWidth + 1];""")
            cut = """return [...document.querySelectorAll('#forms ~ .frame td, #forms ~ .frame div')]
              .filter((one) => one.scrollWidth > one.clientWidth + 1).length"""
            assert made.execute_script(cut) == 0, width  # the verdict breaks into lines
    assert seen == {380: [True, True], 1300: [False, False]}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.sweep
def test_accessibility(dark: bool, tmp_path: Path) -> None:
    """axe finds nothing to complain of, in light and dark, on a page that computes and on one that does not."""
    axe = pytest.importorskip("axe_selenium_python", reason="pip install axe-selenium-python")
    with browser(dark=dark) as made:
        for name in ("dyck-1-2", "gtzero", "parity", "max")[: 2 if dark else 4]:  # the colours of all pages
            visit(made, page(name), tmp_path)
            made.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            judge = axe.Axe(made)
            judge.inject()
            found = judge.run()
            told = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found["violations"]]
            assert found["passes"] and told == [], (name, told)


@pytest.mark.sweep
def test_nothing_is_wider_than_a_phone(tmp_path: Path) -> None:
    """What is too wide scrolls inside of its frame; the page does not."""
    with browser(width=500, height=900) as made:
        made.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": True}
        )
        for name in ("dyck-1-2", "parity", "induction-most-frequent", "gtzero"):
            visit(made, page(name), tmp_path)
            made.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            wide = made.execute_script("return document.documentElement.scrollWidth")
            assert wide <= 360, (name, wide)


def test_forms_that_name_letters_outside_of_the_grammar() -> None:
    """A condition on the letter ( at an end is drawn as statements say it; the pointer shows its text."""
    b = sc.Builder(words={"(": {"t": 1}, "<b>": {"t": -1}})
    b.readout("sign", "first", "t", weights=[1])
    found = every_length(b.build("first"))
    shown = found._repr_html_()
    assert "at(&quot;(&quot;, 1)" in shown and "at(&quot;&lt;b&gt;&quot;, 1)" in shown
    assert r'\operatorname{at}(\mathit{"("}, 1)' in found._repr_latex_()


def test_on_paper_nothing_is_wider_than_paper(made: Any, tmp_path: Path) -> None:
    """A wide table is cut into columns beneath one another, each value once, and stands as it was behind the print; of
    a long one the first rows are printed, and that is said."""
    letters = [f"letter{k}" for k in range(90)]
    model = sc.Transformer(
        "wide",
        sc.Embedding(sc.Space(tuple(f"coordinate{k}" for k in range(20))),
                     words={a: {f"coordinate{k % 20}": k + 1} for k, a in enumerate(letters)}),
        (), sc.Readout("value", "last", ("coordinate0",)),
    )  # fmt: skip
    visit(made, model_page(model)[0], tmp_path)
    count = "return document.querySelectorAll('table').length"
    before = made.execute_script(count)
    made.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    size = {"width": 700, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    made.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        wide = "return [...document.querySelectorAll('main table')].filter((one) => one.offsetWidth > 700).length"
        assert made.execute_script(wide) == 0
        seen = made.execute_script("""const rows = [...document.querySelectorAll('table:not([hidden]) tbody tr')]
          .filter((row) => row.offsetParent !== null && row.cells[0].textContent === 'letter7');
          return rows.flatMap((row) => [...row.cells].slice(1).map((one) => one.textContent));""")
        assert seen.count("8") == 1 and seen.count("0") == 19
        text = made.execute_script("return document.querySelector('main').innerText")
        assert (
            "the first 80 of 90 rows" in text and "letter79" in text and "letter80" not in text.split("Embedding")[-1]
        )
    finally:
        made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        made.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    made.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert made.execute_script(count) == before
    assert made.execute_script("return document.querySelectorAll('[data-cut], [data-late], table[hidden]').length") == 0


@pytest.mark.sweep
def test_a_long_formula_is_text_on_paper(made: Any, tmp_path: Path) -> None:
    """A drawn one is not broken into lines, and would be cut there."""
    visit(made, page("dyck-k-d"), tmp_path)
    shown = "return ['.drawn', '.printed'].map((one) => document.querySelector(one).checkVisibility())"
    assert made.execute_script(shown) == [True, False]
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert made.execute_script(shown) == [False, True]
    said = made.execute_script("return document.querySelector('.printed').textContent")
    assert said == info("dyck-k-d").formula
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
