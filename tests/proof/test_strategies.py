"""The driver that asks the strategies for a proof: their order, what each returns, and what remains of a decision."""

from __future__ import annotations

from functools import cache

import pytest

import symcook as sc
from symcook.proof.statements import proving, strategies
from symcook.proof.statements.strategies import DecidedTrue, Ended, Failed


@cache
def votes() -> sc.Transformer:
    """Accepts strings with more a's than b's."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[1])
    return b.build("votes")


def _with(monkeypatch: pytest.MonkeyPatch, *table: tuple[str, strategies.Strategy]) -> None:
    monkeypatch.setattr(strategies, "STRATEGIES", table)


def test_the_first_strategy_that_ends_the_search_is_the_last_one_asked(monkeypatch):
    asked = []

    def first(question):
        asked.append("first")
        return Failed("not mine")

    def last(question):
        raise AssertionError("it is asked after the end")

    _with(monkeypatch, ("first", first), ("counts", strategies.by_fragments), ("last", last))
    assert votes().prove("accept <-> count(a) > count(b)").status == "PROVED" and asked == ["first"]


def test_what_is_decided_true_without_a_certificate_stays_open(monkeypatch):
    """OPEN with the method that decided it; the search goes on, and has its say in the reason."""
    _with(monkeypatch, ("oracle", lambda _: DecidedTrue("an oracle", "it keeps no record")),
          ("search", lambda q: Ended(q.settled) if q.settled else Failed("nothing")))  # fmt: skip
    answer = votes().prove("accept <-> count(a) > count(b)")
    assert (answer.status, answer.method, answer.holds) == ("OPEN", "an oracle", None)
    assert (answer.why or "").startswith("decided true by an oracle, without a certificate (it keeps no record)")


def test_each_strategy_has_a_name_of_its_own():
    names = [name for name, _ in strategies.STRATEGIES]
    assert len({*names}) == len(names) and names[-1] == "search"


@pytest.mark.sweep
def test_seconds_are_those_of_the_processor(monkeypatch):
    """A strategy that waits spends nothing; one that computes is ended."""
    import time

    def waits(question):
        time.sleep(1.2)
        return strategies.by_fragments(question)

    def computes(question):
        while True:
            pass

    _with(monkeypatch, ("waits", waits))
    model = votes()
    proving.prove(model, "accept <-> count(a) > count(b)")  # what a process does at its first proof only is done
    assert proving.prove(model, "accept <-> count(a) > count(b)", seconds=1).status == "PROVED"
    _with(monkeypatch, ("computes", computes))
    answer = proving.prove(model, "accept <-> count(a) > count(b)", seconds=1)
    assert answer.status == "OPEN" and 0.9 < answer.seconds < 3
