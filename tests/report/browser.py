"""A browser without a window for tests of pages, and node for the evaluator by itself. Where one is missing, its name
is in the reason why a test is skipped."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT

EVALUATOR = ROOT / "symcook" / "report" / "page" / "evaluator.js"
ASK = """
const answers = (Symcook, all) => all.map(({model, inputs}) => {
  let bound;
  return inputs.map((text) => {
    try { bound ??= Symcook.bind(model); return Symcook.document(Symcook.run(bound, text)); }
    catch (error) {
      if (error instanceof Symcook.Refusal) return {refused: error.kind, says: error.message};
      throw error;
    }
  });
});
"""
"""What asks the evaluator for runs of several models."""


@cache
def started() -> Any:
    """The one browser of this process: to start it costs more than most pages. It ends with the process."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        missing = "chromium" if program is None else "chromedriver"
        pytest.skip(f"{missing} is not installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    atexit.register(made.quit)
    return made


@contextmanager
def browser(dark: bool = False, width: int = 1200, height: int = 900) -> Iterator[Any]:
    """A browser of selenium with an empty page; the test is skipped where there is none. In its place, behind it, is
    what was there before: light, and as wide as usual."""
    made = started()
    look(made, dark, width, height)
    try:
        yield made
    finally:
        look(made)


def look(made: Any, dark: bool = False, width: int = 1200, height: int = 900) -> None:
    """An empty page in a window of this size and colour, whatever a test has set; the console is empty too."""
    made.get("about:blank")
    made.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else ""}
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [feature]})
    made.set_window_size(width, height)
    made.get_log("browser")


def visit(made: Any, page: str, folder: Path) -> None:
    """Open a page from a file."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    made.get_log("browser")
    made.get(file.as_uri())


def complaints(made: Any) -> list[str]:
    """What the browser's console says, but for what is only information."""
    return [line["message"] for line in made.get_log("browser") if line["level"] != "INFO"]


def by_node(asked: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The runs of `asked` ({"model", "inputs"} each) by the evaluator in node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    script = f"{ASK}\nconst Symcook = require({json.dumps(str(EVALUATOR))});\n"
    script += (
        'process.stdout.write(JSON.stringify(answers(Symcook, JSON.parse(require("fs").readFileSync(0, "utf8")))));'
    )
    done = subprocess.run([node, "-e", script], input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_browser(made: Any, asked: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The same in a browser that shows a page, which has the evaluator."""
    text = made.execute_script(
        f"{ASK}\nreturn JSON.stringify(answers(Symcook, JSON.parse(arguments[0])));", json.dumps(asked)
    )
    return json.loads(text)
