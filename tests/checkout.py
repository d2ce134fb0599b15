"""Where things lie in a checkout, for tests that read them; and which cases of the long families are run today."""

from hashlib import sha256
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def in_sample(name: str, count: int, day: int) -> bool:
    """Whether a case is among the one in `count` that run on a day of the year."""
    return (int(sha256(name.encode()).hexdigest()[:8], 16) + day) % count == 0
