"""What the printed closed forms of a model say of one string: text and JSON, read by the reader of statements and
evaluated as the grammar says, strictly: both sides of a connective are evaluated, and each term must have a value.

A token or an input at a place that the string does not have may be anything: everything is evaluated with two fillings,
which must agree.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
import mpmath

import symcook as sc
from symcook.closed import EveryLength
from symcook.domains.exact import Exact
from symcook.forward import forward
from symcook.model.expr import KEYWORDS, Tree
from symcook.model.meaning import Meaning
from symcook.numbers.expsum import ExpSum
from symcook.proof.statements.reader import SentenceReader

MP = mpmath.mp.clone()
MP.dps = 40
TINY = MP.mpf(10) ** -25


def wide(x: Any) -> Any:
    return MP.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


class Number:
    """A fraction, or a number of 40 digits."""

    def __init__(self, value: Any) -> None:
        self.value = Fraction(value) if isinstance(value, int) else value

    def of(self, other: Number, operation: Any) -> Number:
        a, b = self.value, other.value
        both = isinstance(a, Fraction) and isinstance(b, Fraction)
        return Number(operation(a, b) if both else operation(wide(a), wide(b)))

    def __add__(self, other: Number) -> Number:
        return self.of(other, lambda a, b: a + b)

    def __sub__(self, other: Number) -> Number:
        return self.of(other, lambda a, b: a - b)

    def __mul__(self, other: Number) -> Number:
        return self.of(other, lambda a, b: a * b)

    def __neg__(self) -> Number:
        return Number(-self.value)

    @property
    def sign(self) -> int:
        x = self.value
        if isinstance(x, Fraction):
            return (x > 0) - (x < 0)
        return 0 if abs(x) < TINY else 1 if x > 0 else -1


FUNCTIONS = {name: getattr(MP, name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf")}


class Said(Meaning[Number, bool]):
    """The fold of the grammar at one string. `macros` are the names behind `where`, with their definitions."""

    start = 1
    tokens: Sequence[str] = ()
    rows: Sequence[Mapping[str, Any]] = ()
    macros: Mapping[str, Any] = {}
    space: Sequence[str] = ()
    fill = 0

    def number(self, p: int, q: int) -> Number:
        return Number(Fraction(p, q))

    @property
    def length(self) -> int:
        return len(self.tokens) + len(self.rows)

    def name(self, name: str) -> Number:
        if name in self.values:
            return self.values[name] if isinstance(self.values[name], Number) else Number(self.values[name])
        if name == "n":
            return Number(self.length)
        if name == "pi":
            return Number(MP.pi)
        kind, *more = self.macros[name]  # a KeyError: a name that nothing explains
        if kind == "term":
            return self.term(more[0])
        if kind == "chosen":
            return Number(self.chosen(*more))
        place = self.place(self.term(more[1])) if more[1] is not None else self.length - 1
        if kind == "count":
            assert 0 <= place < self.length, "counts go up to a position of the string"
            return Number(sum(token == more[0] for token in self.tokens[: place + 1]))
        return Number(Fraction(self.rows[place][more[0]]) if 0 <= place < self.length else Fraction(7 - 16 * self.fill))

    def chosen(self, last: bool, variable: str, low: Tree, high: Tree, formula: Tree) -> int:
        """The first or last position of a range at which a formula holds; the first one of the string, if none."""
        here = range(self.end(low, low), self.end(high, high) + 1)
        places = [q for q in here if self.under(variable, q).formula(formula)]
        return self.start if not places else places[-1] if last else places[0]

    def place(self, value: Number) -> int:
        assert isinstance(value.value, Fraction) and value.value.denominator == 1
        return int(value.value) - self.start

    def divide(self, a: Number, b: Number, tree: Tree) -> Number:
        if b.sign == 0:
            raise ZeroDivisionError
        return a.of(b, lambda x, y: x / y)

    def power(self, a: Number, b: Number, tree: Tree) -> Number:
        if isinstance(b.value, Fraction) and b.value.denominator == 1:
            return Number(a.value ** int(b.value))
        if a.sign < 0 or (a.sign == 0 and b.sign <= 0):
            raise ZeroDivisionError
        return Number(MP.power(wide(a.value), wide(b.value)))

    def call(self, name: str, arguments: list[Number], tree: Tree) -> Number:
        a, *b = (x.value for x in arguments)
        if name in ("mod", "floor"):
            assert isinstance(a, Fraction)
            return Number(a - b[0] * (a // b[0]) if b else Fraction(a // 1))
        if name == "sign":
            return Number(arguments[0].sign)
        if name in ("max", "min"):
            return Number((max if name == "max" else min)(a, *b, key=wide))
        if name in ("abs", "relu"):
            return Number(abs(a) if name == "abs" else a if arguments[0].sign > 0 else Fraction(0))
        if (name == "sqrt" and arguments[0].sign < 0) or (name == "log" and arguments[0].sign <= 0):
            raise ZeroDivisionError
        if name == "sqrt":
            return Number(MP.sqrt(abs(wide(a))))
        return Number(Fraction(1) if name == "exp" and a == 0 else FUNCTIONS[name](wide(a)))

    def compare(self, tag: str, a: Number, b: Number, tree: Tree) -> bool:
        sign = (a - b).sign
        return sign == 0 if tag == "=" else sign < 0 if tag == "<" else sign <= 0

    def truth(self, known: bool) -> bool:
        return known

    def negation(self, a: bool) -> bool:
        return not a

    def both(self, a: bool, b: bool) -> bool:
        return a and b

    def choose(self, truth: bool, yes: Tree, no: Tree) -> Number:
        return self.term(yes if truth else no)

    def end(self, tree: Tree, whole: Tree) -> int:
        return self.place(self.term(tree)) + self.start

    def formula(self, tree: Tree) -> bool:
        if tree[0] == "call" and tree[1] == "at":
            place = self.place(self.term(tree[2][1]))
            text = tree[2][0][1]
            token = text[1:-1] if text[:1] in ("'", '"') else text
            return self.tokens[place] == token if 0 <= place < self.length else bool(self.fill)
        if tree[0] == "ex":  # what the reader makes of a remainder
            return any(self.under(tree[1], q).formula(tree[3]) for q in range(-40, 41))
        return super().formula(tree)


@lru_cache(maxsize=50_000)
def read(text: str, space: tuple[str, ...]) -> Tree:
    return SentenceReader(text, space).whole()


def macros(where: Sequence[str], space: tuple[str, ...]) -> dict[str, Any]:
    """The names behind `where`. What is not understood is an error."""
    out: dict[str, Any] = {}
    for text in where:
        if re.match(r"n = length|n is at (most|least) \d+$|i is a position from", text):
            continue
        counted = re.fullmatch(r"(\w+) is the number of (.*?)(?: up to position (\w+))?", text, re.DOTALL)
        given = re.fullmatch(r"(\w+) is the (\w+) given at position (.*)", text)
        place = r"\w+ is the (first|last) position (\w+) in (.*?)\.\.(.*?) with (.*) \(\d if there is none\)"
        chosen = re.fullmatch(place, text)
        name, meaning = re.split(" = | is ", text, maxsplit=1)
        if counted:
            many, upto = counted[2], counted[3]
            token = many[1:-1] if many[0] in "'\"" else many[:-2] if many.endswith("'s") else many[:-1]
            found: Any = ("count", token, None if upto is None else read(upto, space))
        elif given:
            found = ("input", given[2], read(given[3], space))
        elif chosen:
            which, variable, *parts = chosen.groups()
            found = ("chosen", which == "last", variable, *(read(part, space) for part in parts))
        else:
            found = ("term", read(meaning, space))
        assert name not in out, (name, "is explained twice")
        out[name] = found
    return out


def number(value: Any) -> Number:
    """A value of an exact run."""
    if not isinstance(value, ExpSum):
        return Number(Fraction(value))
    with flint.ctx.workprec(200):
        return Number(MP.mpf(value.ball().str(45, radius=False)))


class Answer:
    """The closed forms of a model, read from their JSON and compared with exact runs."""

    def __init__(self, found: EveryLength, values: Mapping[str, Any] | None = None) -> None:
        self.found, self.model = found, found.model
        self.values = {name: Number(Fraction(value)) for name, value in (values or {}).items()}
        self.documents = found.to_json()
        self.space = tuple(self.model.space)
        self.cases = [macros(document["where"], self.space) for document in self.documents]
        self.way = macros(self.documents[0]["way_where"], self.space)
        self.least = max(
            (int(m[1]) for d in self.documents for m in [re.search(r"n is at least (\d+)", " ".join(d["where"]))] if m),
            default=0,
        )
        self.compared = 0

    def names(self) -> None:
        """No two things have one text, and no thing has two."""
        model = self.model
        own = {*self.space, *(p.name for p in model.parameters)}
        said: dict[str, Any] = {}
        for told in (*self.cases, self.way):
            for name, meaning in told.items():
                assert said.setdefault(name, meaning) == meaning, (name, meaning, said[name])
        written = {name for step in model.sublayers for part in step.all_parts for name in part.writes}
        for name, meaning in said.items():
            itself = meaning[0] == "input" and meaning[1] == name and meaning[2] == ("name", "i")
            assert (itself and name not in written) or name not in own, (name, meaning)
            assert name not in model.readout.labels and name not in ("i", "n") and name not in KEYWORDS
        meanings = [str(meaning) for meaning in said.values()]
        assert len(set(meanings)) == len(meanings), said
        texts = " ".join(str(document) for document in self.documents)
        bare = {*re.findall(r"\bat\((\w+),", texts)}
        assert not bare & {*said, *own, "i", "n"}, bare & {*said, *own, "i", "n"}

    def at(self, told: Mapping[str, Any], given: Any, i: int | None, fill: int) -> Said:
        embedding = self.model.embedding
        here = {"start": embedding.start, "macros": told, "space": self.space, "fill": fill}
        here |= {"rows": given} if embedding.inputs else {"tokens": embedding.surround(tuple(given))}
        kind = type("SaidHere", (Said,), here)
        return kind({**self.values, **({} if i is None else {"i": Number(i)})})

    def true(self, texts: Sequence[str], told: Mapping[str, Any], given: Any, i: int | None) -> bool:
        """Whether all formulas hold. Each is evaluated, with both fillings."""
        answers = {
            all([self.at(told, given, i, fill).formula(read(text, self.space)) for text in texts]) for fill in (0, 1)
        }
        assert len(answers) == 1, (texts, "depends on what is not there")
        return answers.pop()

    def value(self, text: str, told: Mapping[str, Any], given: Any, i: int | None) -> Number:
        one, two = (self.at(told, given, i, fill).term(read(text, self.space)) for fill in (0, 1))
        assert (one - two).sign == 0, (text, "depends on what is not there")
        return one

    def strings(self, longest: int, numbers: Sequence[Any] = (0, 1, 2)) -> Iterator[Any]:
        model = self.model
        for n in range(0 if model.embedding.added else 1, longest + 1):
            if model.embedding.inputs:
                rows = [
                    dict(zip(model.embedding.inputs, row, strict=True))
                    for row in itertools.product(numbers, repeat=len(model.embedding.inputs))
                ]
                yield from itertools.product(rows, repeat=n)
            else:
                yield from itertools.product(model.alphabet, repeat=n)

    def compare(self, given: Any) -> int:
        """The values that are compared at one string; none where an assumption does not hold, or n is too small."""
        model, readout, before = self.model, self.model.readout, self.compared
        length = len(given) + model.embedding.added
        if length < self.least:
            return 0
        bound = model.bind({name: value.value for name, value in self.values.items()})
        shown = replace(bound, readout=replace(readout, position="each")) if not readout.everywhere else bound
        sequence = bound.rows(list(given)) if model.embedding.inputs else bound.tokens(given)
        run = forward(shown, sequence, Exact(), trace=True)
        places = range(model.embedding.start, model.embedding.start + length)
        assumed = self.documents[0]["assumptions"]
        if not self.true(assumed, self.cases[0], given, None):
            return 0
        at = range(length) if readout.everywhere else [0 if readout.first else length - 1]
        for k in at:
            self.at_case(given, k, places[k] if readout.everywhere else None, run, bound)
        if not self.true(self.documents[0]["way_assumptions"], self.way, given, None):
            return self.compared - before
        for name, cases in self.documents[0]["way"].items():
            if cases[0]["value"] is not None:
                for k, i in enumerate(places):
                    held = [c for c in cases if self.true(c["conditions"], self.way, given, i)]
                    assert len(held) == 1, (given, i, name, cases)
                    theirs = run.domain.read(run.stream[name], k) if name in run.stream else Fraction(0)
                    self.same(self.value(held[0]["value"], self.way, given, i), theirs, (given, i, name))
        return self.compared - before

    def at_case(self, given: Any, k: int, i: int | None, run: Any, bound: Any) -> None:
        """The outputs and the answer in the one case that holds."""
        readout = self.model.readout
        theirs = {name: run.domain.read(column, k) for name, column in run.watched.items()}
        held = [
            (document, told)
            for document, told in zip(self.documents, self.cases, strict=True)
            if self.true(document["conditions"], told, given, i)
        ]
        assert len(held) == 1, (given, i, [document["conditions"] for document in self.documents])
        ((document, told),) = held
        for name, text in document["output"].items():
            self.same(self.value(text, told, given, i), theirs[name], (given, i, name))
        if readout.decides:
            accept = document["accept"]
            if accept is None:
                accept = self.true([document["accepts"]], told, given, i)
            wanted = self.verdict(theirs) if not (readout.everywhere and not readout.each) else run.accept
            assert accept == wanted, (given, i, document)
            self.compared += 1
        if readout.labelled and document["label"] is not None:
            assert document["label"] == run.label(k), (given, i, document)
            self.compared += 1

    def verdict(self, values: Mapping[str, Any]) -> bool:
        signs = [number(value).sign for value in values.values()]
        return signs[0] > 0 if self.model.readout.kind == "sign" else not any(signs)

    def same(self, mine: Number, theirs: Any, where: Any) -> None:
        assert (mine - number(theirs)).sign == 0, (*where, mine.value, theirs)
        self.compared += 1


def compared(found: EveryLength, longest: int, values: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """(strings, values) that were compared: everything that the answer says of each string up to a length."""
    answer, strings = Answer(found, values), 0
    answer.names()
    for given in answer.strings(longest):
        strings += bool(answer.compare(given))
    return strings, answer.compared


def majority(**tokens: int) -> sc.Transformer:
    """The sign of the mean vote of the tokens."""
    b = sc.Builder(words={token: {"vote": vote} for token, vote in tokens.items()})
    b.readout("sign", "last", b.add(sc.head(value={"mean": "vote"}, mask="future")), weights=[1])
    return b.build("majority")
