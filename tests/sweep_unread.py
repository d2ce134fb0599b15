"""Every call with every invention, and each engine alone: what `test_unread` tries with a few."""

import io
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from invented import INVENTIONS, calls, engines, invented
from test_unread import refused

from symcook.errors import BadInput, SymcookError
from symcook.model.reads import PartsRead


def test_every_engine_is_reached_by_a_call_and_each_call_answers_without_an_invention(tmp_path: Path) -> None:
    """Else a refusal would say nothing."""
    reached = set()

    def asked(name: str) -> Any:
        original = getattr(PartsRead, name)

        def noted(self: PartsRead, *given: Any) -> Any:
            reached.add(self.engine)
            return original(self, *given)

        return patch.object(PartsRead, name, noted)

    with asked("_check"), asked("parts"), redirect_stdout(io.StringIO()):
        for number, (make, ask) in enumerate(calls().values()):
            folder = tmp_path / str(number)
            folder.mkdir()
            ask(make(), folder)
    assert len(engines()) > 40
    assert reached == {*engines()}


@pytest.mark.parametrize("invention", INVENTIONS)
def test_every_call_refuses_every_invention(invention: str, tmp_path: Path) -> None:
    sentences = [refused(call, invention, tmp_path) for call in calls()]
    assert any(text is not None for text in sentences)


@pytest.mark.parametrize("engine", engines())
@pytest.mark.layer_two(every=7)
def test_an_engine_refuses_a_field_that_all_others_read(engine: str, tmp_path: Path) -> None:
    """Each is the guard of itself: it does not rest on another one that is asked before. (Where it refuses, another one
    that reads the field may answer.)"""
    refusals: list[str] = []

    def alone(name: str) -> Any:
        original = getattr(PartsRead, name)

        def ask(self: PartsRead, given: Any) -> None:
            if self.engine == engine:
                try:
                    original(self, given)
                except BadInput as error:
                    refusals.append(str(error))
                    raise

        return patch.object(PartsRead, name, ask)

    for make, ask in calls().values():
        for invention in ("field Head", "field FeedForward", "field LayerNorm"):
            model = make()
            with invented(invention, model) as there, redirect_stdout(io.StringIO()):
                if there:
                    # What happens after it is the matter of others.
                    with alone("parts"), alone("_check"), alone("kind"), suppress(SymcookError, TypeError):
                        ask(model, tmp_path)
            if any(engine in text for text in refusals):
                return
    pytest.fail(f"{engine} refused nothing")
