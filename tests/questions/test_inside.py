"""Each question inside random languages, at random positions, on random models, against plain loops over the strings.

`python test_inside.py FIRST LAST` runs more seeds than the test and counts what was compared.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import inf
from operator import eq
from typing import Any

import dense
import pytest

import symcook as sc
from symcook.bounds import sensitivity
from symcook.errors import BadInput, NotExact, SymcookError
from symcook.export.archive import arrays
from symcook.export.certificate import compare
from symcook.export.guarantee import guarantee
from symcook.words.inputs import strings

N = 4
"""The greatest length."""
NAMES = ("a", "b", "one", "u", "v")


def model(r: random.Random, kind: str = "", hard: bool = False) -> sc.Transformer:
    """One or two layers of one or two heads, with or without tokens around, a start, and a readout of any kind."""
    before, after = (token if r.random() < 0.3 else None for token in ("^", "$"))
    words = {"x": {"a": 1, "one": 1}, "y": {"b": r.choice([1, 2]), "one": 1}}
    words |= {token: {"one": 1, "u": 1} for token in (before, after) if token}
    place = r.choice([{}, {"u": "i"}, {"v": "1/(i + 1)"}])
    embedding = sc.Embedding(sc.Space(NAMES), words=words, positions=place, start=r.choice([0, 1]),
                             before=before, after=after)  # fmt: skip
    layers = []
    for _ in range(r.choice([1, 1, 2])):
        heads = tuple(head(r, hard) for _ in range(r.choice([1, 2])))
        unit = sc.FeedForward(("u", "v"), ("u",), [[1, r.choice([-1, 1])]], [r.choice([0, "-1/2"])], [[1]], [0])
        layers.append(sc.Layer(sc.SelfAttention(heads), unit if r.random() < 0.5 else None))
    kind = kind or r.choice(["sign", "sign", "zero", "largest"])
    position = r.choice(["each", "each", "last", "first"] if kind == "largest" else ["each", "all", "last", "first"])
    reads = ("u", "v", "one") if kind != "zero" else ("v",)
    row = [r.choice([1, -1, 2]), r.choice([1, -1]), r.choice(["-1/3", 0, "1/7"])]
    weights: Any = {"sign": [row], "zero": None, "largest": [row, [0, 1, 0], [1, 0, "1/5"]]}[kind]
    labels = ("p", "q", "r") if kind == "largest" else ()
    readout = sc.Readout(kind, position, reads, weights, labels)
    return sc.Transformer("drawn", embedding, tuple(layers), readout)


def head(r: random.Random, hard: bool) -> sc.Head:
    mask = r.choice(["future", "future", "none", "strict-future", "past"])
    value = [[r.choice([1, -1, 0]), r.choice([-1, 1]), 0, 0, 0]]
    if hard or r.random() < 0.3:
        query, key = [[0, 0, 1, 0, 0]], [[r.choice([1, 0]), r.choice([0, 2]), 0, r.choice([0, 1]), 0]]
        return sc.Head(
            NAMES,
            ("v",),
            query,
            key,
            value,
            mask=mask,
            weighting=r.choice(["average", "average" if hard else "leftmost"]),
        )
    nothing = [[0] * 5]
    return sc.Head(NAMES, (r.choice(["u", "v"]),), nothing, nothing, value, mask=mask)


def expression(r: random.Random, depth: int) -> str:
    kind = r.randrange(6) if depth else r.randrange(2)
    if kind < 2:
        return r.choice(["x", "y", ".", "[xy]"])
    one, other = expression(r, depth - 1), expression(r, depth - 1)
    return {2: f"(?:{one}|{other})", 3: f"{one}{other}", 4: f"(?:{one})*", 5: f"(?:{one}){{0,2}}{other}"}[kind]


class Case:
    """A model, a language, which of its answers count, and all of it by loops."""

    def __init__(self, seed: int, kind: str = "", hard: bool = False) -> None:
        self.seed, self.r = seed, random.Random(f"inside {seed}")
        self.model = model(self.r, kind, hard)
        text = expression(self.r, 3)
        self.own = text.replace("?:", "")
        least = 0 if self.model.embedding.added else 1
        every = ["".join(word) for n in range(least, N + 1) for word in product("xy", repeat=n)]
        self.words = [word for word in every if re.fullmatch(text, word)]
        if self.words and self.r.random() < 0.3:
            self.words = sorted(self.r.sample(self.words, -(-len(self.words) // 2)), key=lambda w: (len(w), w))
            self.inputs: Any = self.words
        else:
            self.inputs = self.own
        readout = self.model.readout
        self.positions = None
        if readout.everywhere:
            self.positions = self.r.choice([None, "last", "all", "after:x", "after:^"][: 3 + 2 * readout.each])
            if self.positions == "after:^" and self.model.embedding.before is None:
                self.positions = "after:y"

    def counted(self, word: str) -> list[int]:
        """The places of the answers that count."""
        tokens = dense.typed(self.model, tuple(word))
        places = {"first": [0], "last": [len(tokens) - 1]}.get(self.model.readout.position, [*range(len(tokens))])
        if self.positions == "last":
            return places[-1:]
        if self.positions and self.positions.startswith("after:"):
            symbol = self.positions[6:]
            return [p for p in places if symbol in tokens[:p]]
        return places

    def answers(self, word: str) -> list[tuple[dict[str, Fraction], Any]]:
        """What the readout reads, and says, at each place that counts."""
        read = dense.read(self.model, dense.typed(self.model, tuple(word)), dense.rational)
        if not self.model.readout.everywhere:
            return read[:1] if self.model.readout.position == "first" else read[-1:]
        return [read[p] for p in self.counted(word)]

    def said(self, word: str) -> Any:
        """One answer, or the list of them."""
        verdicts = [verdict for _, verdict in self.answers(word)]
        each = self.model.readout.each and self.positions != "last"
        return verdicts if each else all(verdicts) if self.model.readout.position == "all" else verdicts[-1]

    def distances(self, word: str) -> list[Fraction]:
        """How far each decision that counts is from its threshold; of all accepted ones, or the farthest refusal."""
        found: list[tuple[Any, Any]] = []
        for row, verdict in self.answers(word):
            if self.model.readout.labels:
                scores = sorted(row.values())
                size: Any = scores[-1] - scores[-2]
            else:
                size = abs(row["logit"] if self.model.readout.signed else row["v"])
                size = None if size == 0 and not self.model.readout.signed else size
            found.append((verdict, size))
        if self.model.readout.position == "all" and self.positions != "last":
            no = [size for verdict, size in found if not verdict and size is not None]
            if no:
                return [max(no)]
        return [size for _, size in found if size is not None]

    @property
    def how(self) -> dict[str, Any]:
        return {"inputs": self.inputs, "positions": self.positions}

    def lengths(self) -> dict[int, list[str]]:
        return {n: [w for w in self.words if len(w) == n] for n in sorted({len(w) for w in self.words})}


def margins(case: Case) -> str:
    found = case.model.margin(N, **case.how)
    rows = {row["n"]: row for row in found.rows}
    assert list(rows) == [*case.lengths()] and found.to_json()["count"] == len(case.words)
    for n, words in case.lengths().items():
        sizes = {w: min(case.distances(w), default=None) for w in words}
        least = min((size for size in sizes.values() if size is not None), default=None)
        assert rows[n]["margin"] == least, (n, rows[n], sizes)
        assert least is None or sizes[rows[n]["word"]] == least
    return "margin, grouped" if "grouped" in found.notes["method"] else "margin"


def checks(case: Case) -> str:
    """A reference that is wrong, or that has no answer, on some strings drawn by a seed."""
    free = {w for w in case.words if case.r.random() < 0.3}
    wrong = {w for w in case.words if case.r.random() < 0.2}
    if len(free) == len(case.words):
        return ""
    labels = case.model.readout.labels

    def reference(word: str) -> Any:
        whole = Case.__new__(Case)
        whole.__dict__ |= case.__dict__ | ({"positions": None} if case.model.readout.each else {})
        right = whole.said(word)

        def told(answer: Any) -> Any:
            if word in free:
                return None
            return labels[(answer + (word in wrong)) % 3] if labels else answer != (word in wrong)

        return [told(one) for one in right] if case.model.readout.each else told(right)

    differ = [w for w in case.words if w in wrong - free and case.counted(w)]
    none = [w for w in case.words if w in free or not case.counted(w)]
    try:
        found = case.model.check(reference, N, **case.how)
    except BadInput as error:
        assert "an answer for at least one input" in error.must and len(none) == len(case.words)
        return "check, all free"
    first = found.first
    assert (first.input if first else None) == (differ[0] if differ else None), (first, differ)
    assert found.free == len(none) and found.to_json()["count"] == len(case.words)
    assert found.mismatches + (found.empty_word == "differs") == len(differ)
    return "check"


def flips(case: Case) -> str:
    """Sensitivity: one of two strings in the language, and the answer counted there."""
    n = case.r.choice([*case.lengths()])
    if n == 0 or case.model.readout.labels or (n + case.model.embedding.added == 1 and case.model.readout.everywhere):
        return ""
    found = sensitivity(case.model, n, **case.how)
    each, before, best = (
        case.model.readout.everywhere and case.positions != "last",
        len(case.model.embedding.ends[0]),
        0,
    )
    for word in case.lengths()[n]:
        whole = Case.__new__(Case)
        whole.__dict__ |= case.__dict__ | {"positions": None}
        for p in range(n):
            other = word[:p] + ("y" if word[p] == "x" else "x") + word[p + 1 :]
            rows = [whole.answers(w) for w in (word, other)]
            places = case.counted(word)
            if not case.model.readout.everywhere:
                places = [0]
            for place in places:
                if each and place == p + before:
                    continue
                one, two = rows[0][place][0], rows[1][place][0]
                names = ["logit"] if case.model.readout.signed else ["v"]
                best = max([best, *(abs(one[name] - two[name]) for name in names)])
    assert float(found.value.mid) == pytest.approx(float(best)), (found, best)
    return "sensitivity"


def alone(
    case: Case,
    ask: Callable[..., Any],
    read: Callable[[Any], Any],
    least: Callable[[list[Any]], Any],
    fits: Callable[[Any, Any], bool] = eq,
) -> None:
    """That the answer to a language fits, by length, the least of the answers to its strings by themselves."""
    rows = {row["n"]: read(row) for row in ask(**case.how).rows}
    assert list(rows) == [n for n in case.lengths() if n in rows]
    for n, words in case.lengths().items():
        if n in rows:
            each = [read(ask(inputs=[w], positions=case.positions).rows[0]) for w in words]
            assert fits(rows[n], least(each)), (n, rows[n], each)


def tolerances(case: Case) -> str:
    if not case.model.readout.signed:
        return ""

    def least(ends: list[Any]) -> Any:
        low, high = ([end[k] for end in ends if end[k] is not None] for k in (0, 1))
        return max(low, default=None), min(high, default=None)

    def read(row: Any) -> Any:
        return tuple(end if end is None or isinstance(end, Fraction) else round(float(end.mid), 9)
                     for end in (row["low"], row["high"]))  # fmt: skip

    alone(case, lambda **how: case.model.tolerance("readout[one]", N, min_length=0, **how), read, least)
    return "tolerance"


def precisions(case: Case) -> str:
    def least(bits: list[Any]) -> Any:
        return None if None in bits else max(bits)

    ask = lambda **how: case.model.precision(N, min_length=0, formats=(), **how)  # noqa: E731
    # Merged strings may show that fewer bits are enough; `test_few_bits` compares those with runs.
    alone(case, ask, lambda row: row["enough"], least, lambda bits, each: bits == each or bits < (each or inf))
    return "precision"


def temperatures(case: Case) -> str:
    case = Case(case.seed, hard=True)
    if not case.words:
        return ""

    def least(taus: list[Any]) -> Any:
        return min((tau for tau in taus if tau is not None), default=None)

    def read(row: Any) -> Any:
        tau = row["tau"]
        return tau if tau is None or isinstance(tau, Fraction) else round(float(tau.mid), 6)

    alone(case, lambda **how: case.model.temperature(N, min_length=0, **how), read, least)
    return "temperature"


def softened(case: Case) -> str:
    """The gaps, and the temperatures by layer, are the least of those of single strings."""
    case = Case(case.seed, hard=True)
    words = [w for w in case.words if w]
    if not words:
        return ""
    found = case.model.hardsoft("1/4", max_length=N, **case.how)
    assert found.to_json()["count"] == len(words)
    for row in found.rows:
        each = [one for w in case.lengths()[row.n] for one in case.model.hardsoft("1/4", max_length=N, inputs=[w]).rows]
        gaps = [one.gamma for one in each if one.gamma is not None]
        assert row.gamma == min(gaps, default=None), (row, gaps)
    return "hardsoft"


def differences(case: Case) -> str:
    """Two models whose answers alone differ."""
    if not case.model.readout.signed:
        return ""
    other = sc.Readout("sign", case.model.readout.position, ("u", "v", "one"), [[1, 1, "1/2"]])
    from dataclasses import replace

    second = replace(case.model, readout=other)
    found = sc.Transformer.diff(case.model, second, N, **case.how)
    twin = Case.__new__(Case)
    twin.__dict__ |= case.__dict__ | {"model": second}

    def logits(of: Case, word: str) -> list[Fraction]:
        return [row["logit"] for row, _ in of.answers(word)]

    rows = [w for w in case.words if logits(case, w) != logits(twin, w)]
    if (case.model.readout.everywhere and case.positions is None) or not case.model.readout.everywhere:
        assert (found.first or {"input": None})["input"] == (rows[0] if rows else None)
    else:
        assert (found.first is None) == (not rows)
    assert found.to_json()["count"] == len(case.words)
    return "diff"


def decisions(case: Case) -> str:
    """A model with an automaton against another one: the smallest string, or prefix, on which answers differ."""
    from symcook.decide.finite import Finite, OutOfReach

    try:
        Finite(case.model).automaton()
    except OutOfReach:
        return ""
    letters = case.r.sample("xy", 1)
    label = case.model.readout.labels[:2] or (True, False)
    parity = sc.Fold(False, lambda odd, t: odd != (t in letters), lambda odd: label[odd], case.model.readout.each)
    found = case.model.decide(parity, **case.how)
    prefixes = {w[:k] for w in case.words for k in range(0 if case.model.embedding.added else 1, len(w) + 1)}
    asked = sorted(prefixes if case.model.readout.each and case.positions != "last" else set(case.words),
                   key=lambda w: (len(w), w))  # fmt: skip
    ends = Case.__new__(Case)
    ends.__dict__ |= case.__dict__
    differ = []
    for w in asked:
        if case.model.readout.each and len(w) - 1 + len(case.model.embedding.ends[0]) not in case.counted(w):
            continue
        whole = parity(w)
        want = whole[-1] if case.model.readout.each else whole
        got = case.answers(w)
        verdict = case.said(w)
        last = verdict[-1] if isinstance(verdict, list) else verdict
        if got and (case.model.readout.labels[last] if case.model.readout.labels else last) != want:
            differ.append(w)
    if found.verdict == "different" and len(found.word or ()) <= N and isinstance(case.inputs, list):
        assert "".join(found.word or ()) == differ[0]
    elif found.verdict == "equal":
        assert not differ
    elif differ:
        assert len(found.word or ()) <= N and "".join(found.word or ()) == differ[0], (found, differ)
    return f"decide, {found.verdict}"


def certificates(case: Case) -> str:
    """What an export is compared with, and guarantees: what it does of all strings, and no more than of each."""
    n_max = N + case.model.embedding.added
    m = arrays(case.model, "float64", n_max)

    def asked(inputs: Any) -> Any:
        lengths = range(0 if case.model.embedding.added else 1, N + 1)
        return strings(case.model, lengths, inputs, positions=case.positions)

    def certain(inputs: Any) -> set[int]:
        sure = guarantee(case.model, "float64", n_max, m=m, asked=asked(inputs))
        return {n - case.model.embedding.added for low, high in sure["ranges"] for n in range(low, high + 1)}

    found = compare(case.model, m, n_max, None, asked(case.inputs))
    assert found["inputs"] == len(case.words) or found["first_difference"] is not None
    own = certain(case.inputs)
    assert certain(None) <= own | {n for n in range(N + 1) if n not in case.lengths()}
    word = case.r.choice(case.words)
    assert len(word) not in own or len(word) in certain([word])
    return f"export, {'certain' if own else 'open'}"


QUESTIONS = (
    margins, checks, flips, tolerances, precisions, temperatures, softened, differences, decisions, certificates
)  # fmt: skip


def compared(seeds: range) -> Iterator[str]:
    """What was compared for each seed and question."""
    for seed in seeds:
        for question in QUESTIONS:
            case = Case(seed)
            if not case.words:
                with pytest.raises(BadInput, match="the language of inputs must contain at least one string"):
                    case.model.margin(N, **case.how)
                yield "empty language"
                break
            try:
                yield question(case)
            except NotExact as error:
                yield f"{question.__name__}: {type(error).__name__}"
            except SymcookError as error:
                yield f"{question.__name__}: {error.sentence.partition(';')[0][:60]}"
            except Exception as error:
                error.add_note(f"seed {seed}, {question.__name__}, {case.own}, {case.positions}")
                raise


@pytest.mark.sweep
def test_questions_inside_languages() -> None:
    found = Counter(compared(range(5)))
    assert found["margin"] > 2 and found["check"] > 2 and found["diff"] > 0, found


if __name__ == "__main__":
    counts = Counter(compared(range(int(sys.argv[1]), int(sys.argv[2]))))
    for what, many in counts.most_common():
        print(many, what)
