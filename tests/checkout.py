"""Where things lie in a checkout, for tests that read them."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
