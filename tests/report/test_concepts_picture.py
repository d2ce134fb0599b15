"""The picture of the page *Concepts*: its texts fit into their boxes, and its number is the ledger's."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from checkout import ROOT
from site_pages import load

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.sweep
def test_the_picture_has_the_boxes_of_the_data_apart_from_one_another() -> None:
    made = load("concepts")
    root = ElementTree.fromstring(made.svg())
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    sides = ("x", "y", "width", "height")
    boxes = [tuple(float(one.attrib[side]) for side in sides) for one in root.iter(f"{SVG}rect")]
    assert len(boxes) == len(made.QUESTIONS) + 3
    for k, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
        for other_x, other_y, other_w, other_h in boxes[:k]:
            assert x + w < other_x or other_x + other_w < x or y + h < other_y or other_y + other_h < y
    texts = [one.text or "" for one in root.iter(f"{SVG}text")]
    assert texts.count("Prove") == 1 and len([text for text in texts if text.endswith(" statements,")]) == 1


@pytest.mark.sweep
def test_its_number_of_statements_is_that_of_the_readme() -> None:
    number = re.search(r"\[ledger\]\S* lists the (\d+) mathematical statements", (ROOT / "README.md").read_text())
    assert number is not None and f"{number[1]} statements," in load("concepts").svg()


@pytest.mark.tools("matplotlib")
@pytest.mark.sweep
def test_each_text_is_narrower_than_its_box() -> None:
    """Measured by the outlines of a wide font, DejaVu Sans, which browsers take where they have no other."""
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    made = load("concepts")
    for box in (made.SOURCES, made.MODEL, *made.QUESTIONS, made.ledger_box()):
        lines = [(line, made.LINE, "normal") for line in box.lines]
        for text, size, weight in ((box.title, made.TITLE, "bold"), *lines):
            font = FontProperties(family="DejaVu Sans", weight=weight)  # type: ignore[arg-type]
            outline = TextPath((0, 0), text, size=size, prop=font).get_extents()
            assert outline.width <= box.width - made.PAD, text
