"""Code tokens of symcook/ by storey and by package, from the ground up. It is a table, and no limit.

    python .ci/size.py

Counted are the tokens of Python without comments, docstrings and line ends; an f-string counts as one token, as Python
before 3.12 reads it. A package is a folder of symcook/, or a file at its top; a storey has what may not import each
other (`LAYERS` in .ci/layers.py).
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Mapping

from layers import LAYERS
from package import Modules, read

LAYOUT = {tokenize.ENCODING, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
LAYOUT |= {tokenize.COMMENT}


def docstrings(source: str) -> set[tuple[int, int]]:
    """Where strings begin that stand alone as a statement: line, and column in bytes."""
    alone = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    return {(n.lineno, n.col_offset) for n in alone if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def code_tokens(source: str) -> int:
    """The tokens of code of a file."""
    lines, skipped = source.split("\n"), docstrings(source)
    count = depth = 0
    inside_docstring = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if token.type in LAYOUT or token.string == ";":
            inside_docstring = inside_docstring and token.type in (tokenize.NL, tokenize.COMMENT)
            continue
        if kind.endswith("STRING_END"):
            depth -= 1
            continue
        if depth:  # inside of an f-string
            depth += kind.endswith("STRING_START")
            continue
        row, column = token.start
        begins = (row, len(lines[row - 1][:column].encode())) in skipped
        inside_docstring = begins or (inside_docstring and token.type == tokenize.STRING)  # "a" "b" is one string
        depth += kind.endswith("STRING_START")
        count += not inside_docstring
    return count


def counts(modules: Modules) -> Counter[str]:
    """The tokens of each package."""
    found: Counter[str] = Counter()
    for module in modules.values():
        found[module.part] += code_tokens(module.text)
    return found


def table(found: Mapping[str, int]) -> str:
    """A line a storey, with its packages."""
    rows = [f"{'storey':>8}{'tokens':>11}  packages"]
    placed = [[name for name in names if name in found] for names in LAYERS]
    placed.append(sorted(found.keys() - {name for names in LAYERS for name in names}))
    for storey, names in enumerate(placed, 1):
        if names:
            each = ", ".join(f"{name} {found[name]:,}" for name in names)
            rows.append(f"{storey:>8}{sum(found[name] for name in names):>11,}  {each}")
    return "\n".join([*rows, f"{'all':>8}{sum(found.values()):>11,}"])


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("usage: python .ci/size.py")
    print(table(counts(read())))
