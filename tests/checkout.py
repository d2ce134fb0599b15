"""Where things lie in a checkout, for tests that read them; and which cases of the long families are run today."""

from hashlib import sha256
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def in_sample(family: str, number: int, count: int, day: int) -> bool:
    """Whether the case of that number in a family is among the one in `count` that run on a day of the year.

    They take turns, so that each day has its share; families begin on different days.
    """
    return (int(sha256(family.encode()).hexdigest()[:8], 16) + number + day) % count == 0
