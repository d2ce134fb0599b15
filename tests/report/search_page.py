"""The evaluator of a model's page in node against the library, over so many parts of 200 inputs from a first seed on:
``PYTHONPATH=tests:tests/report python tests/report/search_page.py PARTS [SEED]``."""

from __future__ import annotations

import sys

from test_evaluator import asked, by_node, compare


def main() -> None:
    parts, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    count = 0
    for seed in range(first, first + parts):
        models, expected = asked(seed)
        compare(by_node(models), expected)
        count += sum(map(len, expected))
    print(f"{count} inputs, none differs")


if __name__ == "__main__":
    main()
