"""The page of a model that runs a machine, as a user meets it: from a machine's file to its run in a browser. What the
run must be comes from the interpreters in `symcook.spec`, which share no code with it."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser import browser, complaints
from checkout import ROOT
from machine_examples import COPY, played

from symcook.__main__ import main
from symcook.programs.automata import read_table
from symcook.programs.turing import read_turing
from symcook.spec import automata, turing

MACHINES, AUTOMATA = ROOT / "examples" / "machines", ROOT / "examples" / "automata"
ODD = """input: 1
work symbols: <i> &
start: go
halt: done
go 1 * -> go <i> R R
go _ * -> done & S S
"""
"""A machine whose symbols are HTML."""


def data(document: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', document)
    assert found is not None
    return json.loads(found[1])


@cache
def written(kind: str, source: Path | str, word: str, options: tuple[str, ...]) -> str:
    """A page as a user makes it: compile, then report."""
    with tempfile.TemporaryDirectory() as folder:
        model, target = Path(folder) / "machine.json", Path(folder) / "page.html"
        assert main(["compile", kind, str(source), "-o", str(model), *options]) == 0
        assert main(["report", str(model), "--input", word, "-o", str(target)]) == 0
        return target.read_text(encoding="utf-8")


def page(folder: Path, kind: str, source: Path | str, word: str, *options: str) -> Path:
    target = folder / "page.html"
    target.write_text(written(kind, source, word, options), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def made() -> Iterator[Any]:
    with browser() as found:
        yield found


def key(made: Any, name: str) -> None:
    """A key pressed where the focus is."""
    from selenium.webdriver.common.keys import Keys

    made.switch_to.active_element.send_keys(getattr(Keys, name))


def choose(made: Any, name: str, value: int, event: str) -> None:
    """A slider that is moved, or an entry that is chosen."""
    script = "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
    made.execute_script(f"{script} f.dispatchEvent(new Event(arguments[2]))", name, value, event)


def text_of(made: Any, name: str) -> str:
    return made.execute_script("return document.getElementById(arguments[0]).textContent", name)


def strips(made: Any) -> list[list[str]]:
    """Of each tape its caption, the number and the symbol of the marked cell, and its symbols without blanks around."""
    return made.execute_script("""return [...document.querySelectorAll('#strips table')].map((one) => {
      const heads = [...one.querySelectorAll('thead th')].slice(1).map((cell) => cell.textContent);
      const cells = [...one.querySelectorAll('td')].map((cell) => cell.textContent);
      const here = [...one.querySelectorAll('td')].findIndex((cell) => cell.classList.contains('here'));
      return [one.caption.textContent, heads[here], cells[here], cells.join('').replace(/^_+|_+$/g, '')];
    });""")


def expected(source: Path, word: str) -> Iterator[list[list[str]]]:
    """The same behind each token, by the interpreter's documents played on dictionaries."""
    machine = read_turing(source.read_text(encoding="utf-8"))
    for tapes, heads in played(machine, word, 400):
        shown = []
        for k, (tape, head) in enumerate(zip(tapes, heads, strict=True)):
            cells = [tape.get(cell, "_") for cell in range(head - 8, head + 9)]
            caption = f"{f'work tape {k}' if k else 'input tape'}, head at cell {head}"
            shown.append([caption, str(head), tape.get(head, "_"), "".join(cells).strip("_")])
        yield shown


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "word"), [("palindromes.tm", "aba"), ("increment.tm", "1011"), ("copy.tm", "")])
@pytest.mark.layer_two(every=3)
def test_a_machine_is_stepped_with_the_keyboard(name: str, word: str, made: Any, tmp_path: Path) -> None:
    """Tapes and heads behind every token, against the interpreter; what a head retrieved is the token that says it."""
    file = page(tmp_path, "tm", MACHINES / name, word)
    assert file.stat().st_size < 2_000_000
    made.get_log("browser")
    made.get(file.as_uri())
    made.execute_script("document.getElementById('token').focus()")
    wanted = list(expected(MACHINES / name, word))
    for at, tapes in enumerate(wanted):
        assert strips(made) == tapes, at
        key(made, "ARROW_RIGHT")
    assert text_of(made, "token-said").endswith(f"position {len(word) + len(wanted)}.")  # the last one stays
    key(made, "HOME")
    assert strips(made) == wanted[0]
    key(made, "END")
    assert strips(made) == wanted[-1]
    assert complaints(made) == []


@pytest.mark.sweep
@pytest.mark.parametrize("options", [(), ("--variant", "no-start")])
def test_decoders_of_theorem_2_are_stepped_too(options: tuple[str, ...], made: Any, tmp_path: Path) -> None:
    """With $ and without: tapes and heads are those of the machine that was given, token by token; without $ two rows
    more say what the machine inside has copied and read ahead, and the network's column is the token's own."""
    source = tmp_path / "copy.tm"
    source.write_text(COPY, encoding="utf-8")
    file = page(tmp_path, "tm", source, "aaa", "--theorem", "2", *options)
    made.get_log("browser")
    made.get(file.as_uri())
    assert ("reads its input one symbol ahead" in text_of(made, "machine")) == bool(options)
    made.execute_script("document.getElementById('token').focus()")
    for at, tapes in enumerate(expected(source, "aaa")):
        assert strips(made) == tapes, at
        rows = made.execute_script("""return [...document.querySelectorAll('#lookups tbody tr')].map((row) =>
          [...row.children].map((cell) => cell.textContent));""")
        heads = [row[0] for row in rows]
        more = ["copy of the input", "one cell ahead on the input"] if options and rows else []
        assert not rows or heads == ["input tape", "work tape 1", *more]
        assert [row[1] for row in rows[:2]] == [tape[2] for tape in tapes[: len(rows)]]
        column = made.execute_script("return document.querySelector('#places [aria-pressed=true]')?.textContent")
        assert column is None or column.startswith(f"{3 + at - bool(options)}: ")
        key(made, "ARROW_RIGHT")
    assert complaints(made) == []


@pytest.mark.sweep
def test_what_a_head_retrieved_is_said_with_the_gap(made: Any, tmp_path: Path) -> None:
    """Of each token the table of heads says what `symcook run --trace` says; the symbol is the marked cell's."""
    made.get(page(tmp_path, "tm", MACHINES / "palindromes.tm", "aba").as_uri())
    said = []
    for at in range(9):
        choose(made, "token", at, "input")
        rows = made.execute_script("""return [...document.querySelectorAll('#lookups tbody tr')].map((row) =>
          [...row.children].map((cell) => cell.textContent));""")
        assert [row[1] for row in rows] == [tape[2] for tape in strips(made)]
        said.append(rows)
    # The trace of this run stands in the tests of machines; here some of its lines, as they are printed there.
    assert said[0] == [
        ["input tape", "a", "position 1: a", "position 2: b", "0.0513"],
        ["work tape 1", "_", "no token: a cell never visited", "", ""],
        ["work tape 2", "_", "no token: a cell never visited", "", ""],
    ]
    assert said[1][2] == ["work tape 2", "_", "no token: what it wrote itself", "", ""]
    assert said[4][1] == ["work tape 1", "a", "position 7: go", "position 6: go", "0.0513"]


@pytest.mark.sweep
def test_symbols_that_are_html_are_text(made: Any, tmp_path: Path) -> None:
    source = tmp_path / "odd.tm"
    source.write_text(ODD, encoding="utf-8")
    made.get(page(tmp_path, "tm", source, "11").as_uri())
    made.execute_script("document.getElementById('token').focus()")
    key(made, "ARROW_RIGHT")
    assert strips(made)[1][3] == "<i>"
    assert made.execute_script("return document.querySelectorAll('main i').length") == 0
    assert complaints(made) == []


@pytest.mark.parametrize("word", ["", "0110", "1", "0101011"])
@pytest.mark.sweep
def test_an_automaton_is_drawn_and_its_run_followed(word: str, made: Any, tmp_path: Path) -> None:
    source = AUTOMATA / "odd-ones.json"
    table = read_table(source.read_text(encoding="utf-8"), str(source))
    made.get_log("browser")
    made.get(page(tmp_path, "dfa", source, word).as_uri())
    made.execute_script("document.getElementById('token').focus()")
    for at, token in enumerate(automata.tokens(table, word)):
        marked = made.execute_script("""return [
          document.querySelector('#strips td.here').textContent,
          ...[...document.querySelectorAll('circle.now')].map((one) => one.dataset.state)]""")
        state = table.names[sum(letter == "1" for letter in word[:at]) % 2]
        assert marked == [token, str(table.names.index(state))], at
        key(made, "ARROW_RIGHT")
    assert text_of(made, "path").endswith(f"answers {automata.tokens(table, word)[-1]}.")
    assert complaints(made) == []


@pytest.mark.sweep
def test_another_word_is_chosen(made: Any, tmp_path: Path) -> None:
    """Every word that the page has: its output is the interpreter's."""
    file = page(tmp_path, "tm", MACHINES / "increment.tm", "111")
    machine = read_turing((MACHINES / "increment.tm").read_text(encoding="utf-8"))
    made.get(file.as_uri())
    runs = data(file.read_text(encoding="utf-8"))["machine"]["runs"]
    assert runs[0]["typed"] == "1 1 1" and len(runs) > 4
    traces = data(file.read_text(encoding="utf-8"))["runs"]
    listed = made.execute_script("return [...document.getElementById('known').options].map((one) => one.textContent)")
    assert [one.endswith(" (its tokens alone)") for one in listed] == [trace is None for trace in traces]
    for k, run in enumerate(runs):
        choose(made, "known", k, "change")
        output = turing.execute(machine, run["input"], 400).output
        shown = made.execute_script("return document.querySelector('#answer strong').textContent")
        assert shown == (output or "nothing"), run["input"]
    assert complaints(made) == []


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("kind", "source", "word"), [("tm", MACHINES / "increment.tm", "2"), ("dfa", "(ab)*", "c")])
def test_a_symbol_that_the_machine_does_not_read_is_refused(
    kind: str, source: Path | str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "machine.json"
    assert main(["compile", kind, str(source), "-o", str(model)]) == 0
    capsys.readouterr()
    assert main(["report", str(model), "--input", word, "-o", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "every symbol must be" in said and said.count("\n") == 1 and not (tmp_path / "page.html").exists()


@pytest.mark.sweep
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    machine = page(tmp_path, "tm", MACHINES / "palindromes.tm", "aba").rename(tmp_path / "machine.html")
    automaton = page(tmp_path, "dfa", AUTOMATA / "dyck-to-depth-3.json", "(()())")
    with browser() as narrow:
        for width in (380, 1200):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 400}
            narrow.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            for file in (machine, automaton):
                narrow.get(file.as_uri())
                assert narrow.execute_script("return document.documentElement.scrollWidth") <= width, file


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.sweep
def test_accessibility(dark: bool, tmp_path: Path) -> None:
    """axe finds nothing to complain of, on the page of a machine and of an automaton in the middle of a run; in dark
    colours, which are the same on both, of the automaton."""
    axe = pytest.importorskip("axe_selenium_python", reason="pip install axe-selenium-python")
    with browser(dark=dark) as shown:
        shown.set_script_timeout(120)
        for kind, source, word in (("dfa", AUTOMATA / "odd-ones.json", "01"), ("tm", "1RB1LB_1LA1RZ", ""))[: 2 - dark]:
            shown.get(page(tmp_path, kind, source, word).as_uri())
            choose(shown, "token", 2, "input")
            judge = axe.Axe(shown)
            judge.inject()
            found = judge.run()
            told = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found["violations"]]
            assert found["passes"] and told == [], (kind, told)
