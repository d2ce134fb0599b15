"""Answers for all lengths, decided, merged and in closed form, against words run one and all, in processor time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from timing import Row, best, faster, longer, same

from symcook.closed import every_length
from symcook.decide.decision import Decision, decide
from symcook.derivation import derive_cases
from symcook.recipes import build, reference
from symcook.verify.findings import Check
from symcook.verify.sweep import check

DECIDED: tuple[tuple[str, dict[str, object], int, dict[str, float]], ...] = (
    ("dyck-k-d", {"k": 2, "D": 5}, 4, {"limit": 0.15}),
    ("dyck-1-2", {}, 9, {}),
    ("induction-most-recent", {"alphabet": "abcde"}, 4, {"limit": 1}),
    ("induction-most-recent", {}, 4, {}),
    ("dyck-1", {}, 9, {}),
    ("dyck-k-d", {"k": 2, "D": 8}, 4, {"limit": 4}),
)
"""Recipes with their arguments, the length to which their words are run one and all, and the seconds wanted."""
CHECKED = (("dyck-1", 100, 9), ("parity", 60, 9), ("dyck-1-zero-one", 60, 9))
"""Recipes, the length to which `check` goes by merged words, and that to which it runs them one and all."""
FORMS = ("dyck-1", "dyck-1-nonuniform", "first-position", "first", "first-flawed", "parity", "modulo", "count",
         "lookup-quadratic", "predecessor")  # fmt: skip
PROVED = ("dyck-1", "first-position", "count", "lookup-quadratic", "predecessor-strict")


def decided(name: str, arguments: dict[str, object], short: int) -> tuple[float, float, Decision, Check]:
    """Seconds of both: whether a recipe is its reference at every length, and all words to a length one by one."""
    model, fold = build(name, **arguments), reference(name, arguments)
    return best(lambda: decide(model, fold), lambda: check(model, fold, short), 3, time.process_time)


def checked(name: str, far: int, short: int) -> tuple[float, float, Check, Check]:
    """Seconds of both: all words to a length merged, with the reference beside them, and to a short one by one."""
    model, fold = build(name), reference(name)
    return best(lambda: check(model, fold, far), lambda: check(model, fold, short), 1, time.process_time)


def rows() -> Iterator[Row]:
    for name, arguments, short, limit in DECIDED:
        given = "".join(f", {key} = {value}" for key, value in arguments.items())
        what = f"decide {name}{given}, every length, against all words to length {short} run one and all"
        ours, other, found, swept = decided(name, arguments, short)
        same(found.verdict == "equal" and swept.holds is True and swept.way == "exhaustive", what)
        yield faster(what, ours, other, None, **limit)
    for name, far, short in CHECKED:
        what = f"check {name} to length {far}, against to length {short} one and all"
        ours, other, long, swept = checked(name, far, short)
        right = long.by_length[:short] == swept.by_length and (long.way, swept.way) == ("merged", "exhaustive")
        same(right and long.holds is True and swept.holds is True, what)
        yield faster(what, ours, other, None)
    models = [build(name) for name in FORMS]
    what = "ten closed forms at every length, against those of eight of them on one word of length 4"
    forms = [every_length(model) for model in models]  # imports
    typed = [(model, [model.alphabet[0]] * 4) for model in models if model.alphabet]
    ours, other, again, _ = best(
        lambda: [every_length(model) for model in models],
        lambda: [derive_cases(model, word) for model, word in typed],
        3,
        time.process_time,
    )
    same([[f.output for f in one.forms] for one in forms] == [[f.output for f in one.forms] for one in again], what)
    yield faster(what, ours, other, None, limit=0.05)
    for name in PROVED:
        what = f"the forms of {name} proved, against found"
        found = every_length(build(name))
        ours, other, done, _ = best(lambda f=found: f.prove(), lambda n=name: every_length(build(n)), 1)
        same(done.proof is not None and done.proof.whole, what)
        yield longer(what, ours, other, None, limit=2)
