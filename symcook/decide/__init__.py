"""Models decided against a reference for words of every length: `decide`."""

from symcook.decide.decision import Decision, decide

__all__ = ["Decision", "decide"]
