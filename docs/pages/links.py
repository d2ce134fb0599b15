"""Every link inside of a built site leads to a page, and to a place in it; no page loads anything from a network."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

_TAG = re.compile(r"<(a|link|script|img|source|iframe)\b[^>]*?\s(href|src)=\"([^\"]*)\"[^>]*>")
_ID = re.compile(r"\s(?:id|name)=\"([^\"]+)\"")
_CODE = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)
LOADS = ("link", "script", "img", "source", "iframe")
"""What a browser fetches by itself."""


@cache
def _places(page: Path) -> frozenset[str]:
    return frozenset(map(unescape, _ID.findall(page.read_text(encoding="utf-8"))))


def problems(site: Path) -> list[str]:
    """What is wrong with the links of the pages in a folder, one line each; empty where nothing is."""
    _places.cache_clear()
    found = []
    for page in sorted(site.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        scripts = "".join(re.findall(r"<script\b[^>]*>", text))
        for tag, _, link in _TAG.findall(_CODE.sub("", text) + scripts):
            parts = urlsplit(unescape(link))
            where = f"{page.relative_to(site)}: {link}"
            if parts.scheme in ("http", "https") or parts.netloc:
                found += [f"{where} is loaded from a network"] if tag in LOADS else []
            elif not parts.scheme:
                target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                target = target / "index.html" if target.is_dir() else target
                if not target.is_file():
                    found.append(f"{where} leads to no file")
                elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in _places(target):
                    found.append(f"{where} leads to no place in that page")
    return sorted(set(found))
