"""A family of small cases in few tests: pytest takes longer for a test than many of them do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def every(cases: Iterable[Any], check: Callable[..., None]) -> None:
    """`check` of each case, a tuple or one value; where some fail, all of these are named with what they say."""
    many, wrong = 0, []
    for case in cases:
        many += 1
        try:
            check(*(case if isinstance(case, tuple) else (case,)))
        except (Exception, pytest.fail.Exception) as error:
            wrong.append(f"{case!r:.200}: {type(error).__name__}: {str(error)[:500]}")
    assert many, "no cases"
    assert not wrong, f"{len(wrong)} of {many} cases fail:\n" + "\n".join(wrong)


def together(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What `pytest.mark.parametrize` makes many tests of as one test, for cases of which each takes next to nothing.

    What else the function asks for (fixtures) all cases share.
    """
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    all_cases = [(case,) if isinstance(names, str) and len(given) == 1 else tuple(case) for case in cases]

    def made(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        rest = [p for name, p in signature.parameters.items() if name not in given]
        assert len(rest) + len(given) == len(signature.parameters), given

        def whole(**fixtures: Any) -> None:
            def check(*case: Any) -> None:
                test(**dict(zip(given, case, strict=True)), **fixtures)

            every(all_cases, check)

        whole.__name__, whole.__qualname__, whole.__doc__ = test.__name__, test.__qualname__, test.__doc__
        whole.__module__ = test.__module__
        whole.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return whole

    return made
