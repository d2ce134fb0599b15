"""The built site in a browser: nothing in the console, filters that are quick, and what axe says of accessibility.

CI builds the site and names it in SYMCOOK_SITE; without it, or without a browser, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from families import in_parts

from symcook.claims import ledger

PAGES = (
    "index.html",
    "tutorials/first.html",
    "howto/tracr.html",
    "reference/recipes/dyck-1.html",
    "reference/commands/check.html",
    "reference/api/Transformer.html",
    "errata/cookbook.html",
    "explanation/trust.html",
    "ledger/index.html",
    "ledger/cookbook.s5.7.lemma5.3.html",
    "ledger/yang2026.lemma25.html",
)
KNOWN = {"region"}
"""What axe says of every page of the theme, for a list of icons outside of its landmarks; it is not ours to mend."""
ASK = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
  (found) => done(JSON.stringify(found.violations.map((one) => [one.id, one.nodes.map((node) => node.target)]))));
"""


pytestmark = pytest.mark.tools  # the site, which sphinx has built


@pytest.fixture(scope="module")
def site() -> Path:
    place = os.environ.get("SYMCOOK_SITE")
    if not place:
        pytest.skip("SYMCOOK_SITE names no built site")
    return Path(place)


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(argument)
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


def as_seen(browser: Any, dark: bool) -> None:
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@in_parts(3, "page", PAGES)
def test_nothing_is_in_the_console_and_axe_is_content(site: Path, browser: Any, dark: bool, page: str) -> None:
    axe = pytest.importorskip("axe_selenium_python", reason="needs axe-selenium-python")
    script = (Path(axe.__file__).parent / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    as_seen(browser, dark)
    browser.get((site / page).as_uri())
    assert browser.get_log("browser") == []
    browser.execute_script(script)
    found = json.loads(browser.execute_async_script(ASK))
    assert [one for one in found if one[0] not in KNOWN] == []


def test_pages_fit_a_phone(site: Path, browser: Any) -> None:
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for page in PAGES:
            browser.get((site / page).as_uri())
            assert browser.execute_script("return document.documentElement.scrollWidth") <= 390, page
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_filters_show_the_rows_that_they_name(site: Path, browser: Any) -> None:
    """Each filter against the ledger; a search does not stop the page (on a free machine it takes less than 100 ms)."""
    rows = ledger()
    address = (site / "ledger" / "index.html").as_uri()

    def shown() -> list[str]:
        names = "[...document.querySelectorAll('#rows tbody tr:not([hidden]) th a')].map((one) => one.textContent)"
        return browser.execute_script(f"return {names}")

    browser.get(address)
    assert shown() == [row.id for row in rows]
    browser.get(f"{address}?paper=yang2026")
    assert shown() == [row.id for row in rows if row.paper == "yang2026"]
    browser.get(f"{address}?status=DEFINED&paper=cookbook")
    assert shown() == [row.id for row in rows if row.paper == "cookbook" and row.status == "DEFINED"]
    browser.get(f"{address}?search=lemma5.3")
    assert "cookbook.s5.7.lemma5.3" in shown()
    typed = """
        const box = document.getElementById("search"), begun = performance.now();
        box.value = arguments[0];
        box.dispatchEvent(new Event("input", {bubbles: true}));
        document.body.offsetHeight;  // so that the page is laid out again
        return performance.now() - begun;
    """
    for text in ("softmax", "s", "no such row", ""):
        assert browser.execute_script(typed, text) < 2000, text
    assert shown() == [row.id for row in rows]


def test_the_tree_beside_a_page_leads_to_all_pages_and_marks_this_one(site: Path) -> None:
    """It is made once for the pages of a folder: each is compared with that of the folder's index, made by itself."""

    def tree(page: Path) -> tuple[set[str], list[str]]:
        """Where it leads, the page itself by its name, and which entries it marks as the page."""
        text = page.read_text(encoding="utf-8").partition('<div class="sidebar-tree">')[2].partition("</div>")[0]
        links = {page.name if link == "#" else link for link in re.findall(r'internal" href="([^"]+)"', text)}
        return links, re.findall(r'current-page"><a class="current reference internal" href="([^"]+)"', text)

    folders = [path.parent for path in sorted(site.rglob("index.html")) if path.parent not in (site, site / "ledger")]
    assert {"api", "commands", "recipes", "howto", "errata"} <= {folder.name for folder in folders}
    for folder in folders:
        whole, marked = tree(folder / "index.html")
        assert marked == ["#"] and len(whole) > 150
        for page in sorted(folder.glob("*.html")):
            assert tree(page) == (whole, ["#"]), page


def test_file_names_differ_by_more_than_case(site: Path) -> None:
    """On many disks `Head.html` and `head.html` would be one file."""
    names = [path.relative_to(site).as_posix() for path in site.rglob("*")]
    assert len(names) > 500 and len({name.lower() for name in names}) == len(names)
