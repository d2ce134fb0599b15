"""The site: `sphinx-build -W docs build/site`, in an environment with the extra `docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "proofs")]

import symcook  # noqa: E402  (the scripts beside the proofs are found by the line above)

project = "symcook"
author = "The symcook authors"
release = version = symcook.__version__
extensions = ["myst_parser", "pages.extension"]
exclude_patterns = ["pages"]
root_doc = "index"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_math_renderer = "mathml"
html_title = "symcook"
html_static_path = ["pages/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
nitpicky = True
