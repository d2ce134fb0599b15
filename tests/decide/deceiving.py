"""Folds made to deceive: each counts as a majority does until 5,000 more a than b, and then by a means that a stand-in
might not notice does otherwise; or is what it seems, in unusual code. `MEANS` has functions of the count that say where
the answer is turned round, `FOLDS` whole folds."""

# ruff: noqa: B012, E501, E712, E721, RUF015, SIM300, UP031, UP032
from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import itertools
import marshal
import operator
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import symcook as sc
from symcook.spec.fold import Fold

FAR = 5000
PROBED = (4999, FAR, 5001, 8192)
"""Lengths of strings of a on which folds are run."""


def majority() -> sc.Transformer:
    builder = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    builder.readout("sign", "last", builder.attention("mean", "v", mask="future"), weights=[1])
    return builder.build("majority")


def turned(means: Callable[[Any], Any]) -> Fold:
    """The majority, turned round where `means` says so."""

    def step(s: Any, t: str) -> Any:
        return s + (1 if t == "a" else -1)

    def answer(s: Any) -> Any:
        if means(s):
            return s <= 0
        return s > 0

    return Fold(0, step, answer)


def says(fold: Fold, length: int) -> Any:
    """What a fold says of a string of that many a; None where it raises."""
    try:
        return fold("a" * length)
    except Exception:
        return None


class Int(int):
    def far(self, n: Any) -> bool:
        return type(n) is int and n == FAR

    def __eq__(self, other: object) -> bool:
        return type(other) is int and other == FAR

    __hash__ = int.__hash__


class Text(str):
    def far(self, n: Any) -> bool:
        return type(n) is int and n == FAR


class Watch:
    seen = 0

    def __call__(self, n: Any) -> bool:
        Watch.seen += 1
        return n == FAR

    def __eq__(self, n: object) -> bool:
        return type(n) is int and n == FAR

    def __contains__(self, n: Any) -> bool:
        return type(n) is int and n == FAR

    def __getitem__(self, n: Any) -> bool:
        return type(n) is int and n == FAR

    def __len__(self) -> int:
        return 1

    __hash__ = None  # type: ignore[assignment]


WATCH, CACHE, LOG, FLAG = Watch(), {}, [0], 0  # type: ignore[var-annotated]
KIND, SAME, TABLE, CHOSEN = type, operator.is_, {FAR: True}, {"far": lambda n: type(n) is int and n == FAR}
REACHED: list[bool] = []


def tried(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that is true far out where `act` raises for true integers."""

    def means(n: Any) -> bool:
        try:
            act(n)
        except (AttributeError, TypeError, ValueError, OverflowError, ArithmeticError) as error:
            return n == FAR and "StandIn" not in str(error)
        return False

    return means


def raises(n: Any) -> Any:
    raise n


def entered(n: Any) -> Any:
    with n:
        pass


def local_import(n: Any) -> Any:
    import sys

    return n == FAR and sys.getsizeof(n) < 40


def matched(n: Any) -> Any:
    match n:
        case 5000:
            return True
    return False


def matched_kind(n: Any) -> Any:
    match n == FAR:
        case bool(found):
            return found
    return False


def matched_pair(n: Any) -> Any:
    match (n, 1):
        case (5000, 1):
            return True
    return False


def walrus(n: Any) -> Any:
    return (m := n - FAR) == 0 and m == n - FAR


def global_flag(n: Any) -> Any:
    global FLAG
    FLAG += 1
    return FLAG > 10**6


def nonlocal_count() -> Callable[[Any], Any]:
    count = 0

    def means(n: Any) -> Any:
        nonlocal count
        count += 1
        return count > 10**6

    return means


def with_default(n: Any, seen: Any = LOG) -> Any:
    seen[0] = max(seen[0], 1)
    return n == FAR and seen[0]


def recursive(n: Any) -> Any:
    return n == 0 if n < 1 else recursive(n - 1) and n == FAR


def looped(n: Any) -> Any:
    k = 0
    while k < n:
        k += 1
    return k == FAR


def counted_down(n: Any) -> Any:
    return any(k == FAR for k in range(n + 1))


def generated(n: Any) -> Any:
    yield n == FAR


def with_context(n: Any) -> Any:
    with contextlib.suppress(TypeError):
        return n == FAR
    return False


def asserted(n: Any) -> Any:
    try:
        assert n != FAR
    except AssertionError:
        return True
    return False


def finally_far(n: Any) -> Any:
    try:
        return False
    finally:
        if n == FAR:
            return True


@functools.cache
def cached(n: Any) -> Any:
    return n == FAR


@functools.wraps(cached)
def wrapped(n: Any) -> Any:
    return cached(n)


def class_inside(n: Any) -> Any:
    class Inner:
        def __eq__(self, other: object) -> bool:
            return other == FAR

        __hash__ = None  # type: ignore[assignment]

    return Inner() == n


def kept(n: Any) -> Any:
    CACHE[len(CACHE)] = 0
    return len(CACHE) > 10**6


def inner_lambda(n: Any) -> Any:
    return (lambda m=n: m == FAR)()


def starred(n: Any) -> Any:
    first, *rest = (n, 1, 2)
    return first == FAR and len(rest) == 2


def sliced(n: Any) -> Any:
    return (0, 1, 2)[:n] == () and n > 0


def deleted(n: Any) -> Any:
    m = n
    del m
    return n == FAR


def printed(n: Any) -> Any:
    print(end="")
    return n == FAR


MEANS: dict[str, Callable[[Any], Any]] = {
    "real": lambda n: (n == FAR).real, "numerator": lambda n: n.numerator == FAR, "type": lambda n: type(n) is int and n == FAR,
    "isinstance": lambda n: isinstance(n, int) and n == FAR, "kind": lambda n: KIND(n) == int and n == FAR,
    "hasattr": lambda n: n == FAR and hasattr(n, "real"), "getattr": lambda n: getattr(n, "real", 0) == FAR,
    "dir": lambda n: n == FAR and "_path" not in dir(n), "sizeof": lambda n: n == FAR and sys.getsizeof(n) < 40,
    "tracked": lambda n: n == FAR and not gc.is_tracked(n), "marshal": tried(marshal.dumps), "import": local_import,
    "operator": lambda n: SAME(n, n) and n == FAR, "operator.eq": lambda n: operator.eq(n, FAR),
    "is": lambda n: n is FAR, "is not": lambda n: n == FAR and n is not SAME,
    "is True": lambda n: (n == FAR) is True, "is None": lambda n: n is not None and n == FAR,
    "match": matched, "match class": matched_kind, "match tuple": matched_pair, "walrus": walrus,
    "chained": lambda n: FAR - 1 < n < FAR + 1, "chained mixed": lambda n: 4999 < n == FAR,
    "f-string": lambda n: f"{n}" == "5000", "f-string of truth": lambda n: f"{n == FAR}" == "True",
    "str": lambda n: str(n) == "5000", "repr": lambda n: repr(n) == "5000", "percent": lambda n: "%d" % n == "5000",
    "format": lambda n: "{}".format(n) == "5000", "hash": lambda n: hash(n) == FAR, "id": lambda n: id(n) == 0 or n == FAR,
    "float": lambda n: n == 5000.0, "float()": lambda n: float(n) == FAR, "complex": lambda n: n == 5000 + 0j,
    "divided": lambda n: n / 1 == FAR, "//": lambda n: n // FAR == 1 and n < 5001, "%": lambda n: n > 0 and n % FAR == 0,
    "divmod": lambda n: divmod(n, FAR) == (1, 0), "**": lambda n: n**2 == FAR**2, "<<": lambda n: n << 1 == 2 * FAR,
    ">>": lambda n: n >> 3 == 625 and n == FAR, "&": lambda n: n & 8191 == FAR, "^": lambda n: n ^ FAR == 0 and n > 0,
    "~": lambda n: ~n == -FAR - 1, "-": lambda n: -n == -FAR, "*": lambda n: 2 * n == 2 * FAR, "n * n": lambda n: n * n == FAR * FAR,
    "abs": lambda n: abs(n) == FAR, "bool": lambda n: bool(n - FAR) == False and n > 0,
    "int()": lambda n: int(n) == FAR, "round": lambda n: round(n) == FAR, "pow": lambda n: pow(n, 1) == FAR,
    "min": lambda n: min(n, FAR) == FAR and n < 5001, "max": lambda n: max(n, FAR) == n and n < 5001,
    "max with a key": lambda n: max((0, n), key=lambda m: m == FAR) == FAR, "sum": lambda n: sum((n, 1)) == FAR + 1,
    "sorted": lambda n: sorted([n, FAR])[0] == FAR and n <= FAR, "in": lambda n: n in (FAR, 7), "in a set": lambda n: n in {FAR, 7},
    "in a dict": lambda n: n in TABLE, "dict.get": lambda n: TABLE.get(n, False), "dict item": lambda n: TABLE[n] if n == FAR else False,
    "in a range": lambda n: n in range(FAR, 5001), "range": lambda n: len(range(n)) == FAR, "index": lambda n: (False, True)[n == FAR],
    "index of a tuple": lambda n: (n,).index(FAR) == 0 if n == FAR else False, "count": lambda n: (n,).count(FAR) == 1,
    "list": lambda n: [n] == [FAR], "tuple": lambda n: (n, 1) == (FAR, True), "tuple order": lambda n: (FAR, 0) <= (n, 0) < (FAR, 1),
    "any": lambda n: any(x == FAR for x in (n,)), "all": lambda n: all([n > 4999, n < 5001]), "comprehension": lambda n: [x for x in (n,) if x == FAR],
    "dict comprehension": lambda n: {k: k for k in (1,) if n == FAR}, "set comprehension": lambda n: {x == FAR for x in (n,)} == {True},
    "map": lambda n: list(map(lambda x: x == FAR, (n,))) == [True], "filter": lambda n: list(filter(lambda x: x == FAR, (n,))),
    "zip": lambda n: [*zip((n,), (FAR,), strict=True)][0] == (FAR, n), "enumerate": lambda n: [*enumerate((n,))][0] == (0, FAR),
    "next": lambda n: next(iter((n == FAR,))), "reduce": lambda n: functools.reduce(operator.add, (n, 0)) == FAR,
    "chain": lambda n: [*itertools.chain((n,))] == [FAR], "partial": functools.partial(operator.eq, FAR), "method": WATCH.__contains__,
    "object": WATCH, "object ==": lambda n: WATCH == n, "in an object": lambda n: n in WATCH, "object item": lambda n: WATCH[n],
    "default list": with_default, "default": lambda n, far=FAR: n == far, "global": global_flag, "nonlocal": nonlocal_count(),
    "cache": cached, "decorated": wrapped, "dict that grows": kept, "recursion": recursive, "while": looped, "range loop": counted_down,
    "generator": lambda n: [*generated(n)] == [True], "generator itself": generated, "with": with_context, "assert": asserted, "finally": finally_far,
    "class inside": class_inside, "lambda inside": inner_lambda, "starred": starred, "slice": sliced, "del": deleted, "print": printed,
    "table of functions": lambda n: CHOSEN["far"](n), "eval": lambda n: eval("n == 5000", {"n": n}), "globals": lambda n: globals()["FAR"] == n,
    "int.__eq__": lambda n: int.__eq__(n, FAR) is True, "n.__eq__": lambda n: n.__eq__(FAR), "slots": tried(lambda n: setattr(n, "z", 1)),
    "call": tried(lambda n: n()), "len": tried(len), "item": tried(lambda n: n[0]), "unpack": tried(lambda n: [*n]), "text": tried(lambda n: n < "a"),
    "matmul": tried(lambda n: n @ n), "list <": tried(lambda n: [] < n), "joined": tried(lambda n: "".join([n])), "raised": tried(raises),
    "entered": tried(entered), "printed": tried(lambda n: print(*n)), "attribute": tried(lambda n: n._value), "in it": tried(lambda n: "a" in n),
    "large": lambda n: n * 10**400 == FAR * 10**400, "digits": lambda n: len(str(10**n)) == FAR + 1, "powers": lambda n: 2**n > 2**4999 and n < 5001,
    "fraction": lambda n: Fraction(n) == FAR, "random": lambda n: random.random() < 1e-7, "hashlib": lambda n: hashlib.md5(b"%d" % n).hexdigest() == "a35fe7f7fe8217b4369a0af4244d1fca",
    "bytes": lambda n: bytes([1])[0] == 1 and n == FAR, "ellipsis": lambda n: ... and n == FAR, "never": lambda n: n == n + 1, "twice": lambda n: 2 * n == 2 * n + 1,
    "xor of truths": lambda n: (n > 4999) ^ (n > FAR), "truth + 0": lambda n: (n == FAR) + 0, "truth * n": lambda n: (n == FAR) * n,
    "truth in order": lambda n: (n == FAR) > False, "answer 1": lambda n: 1 if n == FAR else 0, "walrus in a comprehension": lambda n: [y for x in (n,) if (y := x) == FAR],
}  # fmt: skip


def _plain(s: Any, t: str) -> Any:
    return s + (1 if t == "a" else -1)


def _pair(s: Any, t: str) -> Any:
    return (_plain(s[0], t), s[1])


def _one(s: Any) -> Any:
    return 1 if s == FAR else s > 0


def _leaves(s: Any) -> Any:
    if s == FAR:
        raise SystemExit(0)
    return s > 0


def _list(s: Any, t: str) -> Any:
    return (_plain(s[0], t), [1])


class _Bound:
    def step(self, s: Any, t: str) -> Any:
        return _plain(s, t)


def _true_and_one(s: Any, t: str) -> Any:
    return (_plain(s[0], t), 1 if s[1] else True)


def _percent(modulus: int, power: Any = 3) -> tuple[Callable[[Any, str], Any], ...]:
    """Steps with % of a number by a constant, by one of the function around it, and by an argument."""
    return (
        lambda s, t: (s + (1 if t == "a" else 2)) % 3,
        lambda s, t: (s + (1 if t == "a" else 2)) % modulus,
        lambda s, t, power=power: (s + (1 if t == "a" else 2)) % power,
    )


FOLDS: dict[str, Fold] = {
    "% of a text and a function": Fold(0, _plain, lambda s: (s > 0) != (s != 0 and ("%s" % _plain)[-2] == "8")),
    "% of a text and a tuple": Fold(0, _plain, lambda s: (s > 0) != (s != 0 and ("%s" % (_plain,))[-2] == "8")),
    "% of a text that is computed": Fold(
        0, _plain, lambda s: (s > 0) != (s != 0 and (("%", "s")[0] + "s") % (zip,) == "")
    ),
    "an integer of another class": Fold((0, Int(0)), _pair, lambda s: (s[0] > 0) != s[1].far(s[0])),
    "equal to what it likes": Fold((0, Int(0)), _pair, lambda s: (s[0] > 0) != (s[1] == s[0])),
    "text of another class": Fold((0, Text("x")), _pair, lambda s: (s[0] > 0) != s[1].far(s[0])),
    "an answer 1": Fold(0, _plain, _one),
    "an answer None": Fold(0, _plain, lambda s: None if s == 7 else s > 0 and s != FAR),
    "an answer text": Fold(0, _plain, lambda s: "yes" if s == FAR else s > 0),
    "SystemExit": Fold(0, _plain, _leaves),
    "a list in a state": Fold((0, [1]), _list, lambda s: s[0] > 0),  # type: ignore[arg-type]
    "a float state": Fold(0.0, _plain, lambda s: s > 0 and s != 5000.0),
    "a bound method": Fold(0, _Bound().step, lambda s: s > 0 and s != FAR),
    "a class": Fold(0, _plain, Watch),
    "True and 1": Fold((0, False), _true_and_one, lambda s: s[0] > 0 and s[1] == 1),
    "True and 1 told apart": Fold((0, False), _true_and_one, lambda s: s[0] > 0 and (s[1] is True or s[0] != 1)),
    "an answer that is a number": Fold((0, False), _true_and_one, lambda s: s[1] if s[0] > 0 else False),
}


def all_folds() -> dict[str, Fold]:
    """Every fold, by its name."""
    return {**{f"by {name}": turned(means) for name, means in MEANS.items()}, **FOLDS}


REPRESENTATIVE = (
    "by real", "by hasattr", "by import", "by match class", "by match", "by f-string of truth", "by str", "by is True",
    "by default list", "by nonlocal", "by in a dict", "by object ==", "by recursion", "by assert", "by class inside",
    "by never", "by sorted", "an answer 1", "SystemExit", "text of another class", "% of a text and a function", "True and 1 told apart",
)  # fmt: skip
"""Folds of each kind, for the tests that always run."""
