"""Decisions whether a model and a reference agree on strings of every length: `decide`."""

from symcook.decide.decision import Decision, decide

__all__ = ["Decision", "decide"]
