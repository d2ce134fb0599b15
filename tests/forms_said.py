"""What the printed closed forms of a model say of one string: lines and JSON, read by the reader of statements and
evaluated as the grammar says, by an evaluator of its own: the words of statements are looked up in exact runs. Both
sides of a connective are evaluated, and each term must have a value; but what an implication concludes only where its
premise holds.

A token or a coordinate at a place that the string does not have may be anything: everything is evaluated with two
fillings, which must agree.
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
from symcook.model.expr import KEYWORDS, MAX_TEXT, Tree
from symcook.model.meaning import Meaning
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
    """The fold of statements at one string. `run` is an exact run that shows each position, `accepts` has the verdicts
    by index, None for that of the whole string."""

    start = 1
    tokens: Sequence[str] = ()
    rows: Sequence[Mapping[str, Any]] = ()
    space: Sequence[str] = ()
    fill = 0
    run: Any = None
    model: Any = None
    accepts: Mapping[int | None, bool | None] = {}

    def number(self, p: int, q: int) -> Number:
        return Number(Fraction(p, q))

    @property
    def length(self) -> int:
        return len(self.tokens) + len(self.rows)

    def name(self, name: str) -> Number:
        name = name.strip("\"'")  # a symbol that is called like a word is in quotes
        if name in self.values:
            return self.values[name] if isinstance(self.values[name], Number) else Number(self.values[name])
        return Number(self.length if name == "n" else {"pi": MP.pi}[name])  # a KeyError: a name without a meaning

    def place(self, value: Number) -> int:
        assert isinstance(value.value, Fraction)
        return int(value.value) - self.start if value.value.denominator == 1 else -1

    def term(self, tree: Tree) -> Number:
        if tree[0] == "call" and tree[1] == "count":
            place = self.place(self.term(tree[2][1])) if len(tree[2]) > 1 else self.length - 1
            assert 0 <= place < self.length, "counts go up to a position of the string"
            return Number(sum(token == unquoted(tree[2][0]) for token in self.tokens[: place + 1]))
        if tree[0] == "call" and tree[1] in ("logit", "probability") and tree[1] not in self.space:
            return self.score(tree)
        coordinate, stage = split(tree[1]) if tree[0] == "call" else ("", "")
        if coordinate in self.space and tree[1] not in ("max", "min"):
            place = self.place(self.term(tree[2][0]))
            if not 0 <= place < self.length:
                return Number(Fraction(7 - 16 * self.fill))
            assert stage in ("", "@0") and (not stage or coordinate in self.rows[0])
            if stage:
                return Number(Fraction(self.rows[place][coordinate]))
            column = self.run.stream.get(coordinate)
            return Number(0) if column is None else number(self.run.domain.read(column, place))
        return super().term(tree)

    def readout(self, given: Sequence[Tree]) -> int:
        """The index at which the readout looks: of the position that is given where it looks at each."""
        looks = self.model.readout
        if not looks.everywhere:
            assert not given
            return 0 if looks.first else self.length - 1
        (place,) = given
        return self.place(self.term(place))

    def score(self, tree: Tree) -> Number:
        labels, given = self.model.readout.labels, list(tree[2])
        label = unquoted(given.pop(0)) if labels else "logit"
        given = [("name", text[1]) if text[0] == "given" else text for text in given]
        place = self.readout(given)
        assert 0 <= place < self.length
        return number(self.run.domain.read(self.run.scores[label], place))

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
        if tree[0] == "->" and not self.formula(tree[1]):
            return True
        if tree[0] == "call" and tree[1] == "at":
            place = self.place(self.term(tree[2][1]))
            return self.tokens[place] == unquoted(tree[2][0]) if 0 <= place < self.length else bool(self.fill)
        if tree[0] == "call" and tree[1] == "accept":
            accept = self.accepts[self.readout(tree[2]) if tree[2] else None]
            assert accept is not None
            return accept
        if tree[0] == "call" and tree[1] == "answer":
            return self.run.label(self.readout(tree[2][1:])) == unquoted(tree[2][0])
        if tree[0] == "ex":  # what the reader makes of a remainder
            return any(self.under(tree[1], q).formula(tree[3]) for q in range(-40, 41))
        return super().formula(tree)


def unquoted(given: Tree) -> str:
    text = given[1]
    return text[1:-1] if text[:1] in ("'", '"') else text


def split(name: str) -> tuple[str, str]:
    """A coordinate, and the stage of its value."""
    found = re.fullmatch(r"""("[^"]*"|'[^']*'|\w+)(@.*)?""", name)
    return (unquoted(("given", found[1])), found[2] or "") if found else ("", "")


@lru_cache(maxsize=50_000)
def read(text: str, space: tuple[str, ...], symbols: tuple[str, ...]) -> Tree:
    return SentenceReader(text, space, symbols=symbols).whole()


def number(value: Any) -> Number:
    """A value of an exact run."""
    if isinstance(value, (int, Fraction, str)):
        return Number(Fraction(value))
    with flint.ctx.workprec(200):
        return Number(MP.mpf(value.ball().str(45, radius=False)))


class Answer:
    """The closed forms of a model, read from their JSON and compared with exact runs."""

    def __init__(self, found: EveryLength, values: Mapping[str, Any] | None = None) -> None:
        self.found, self.model = found, found.model
        self.values = {name: Number(Fraction(value)) for name, value in (values or {}).items()}
        self.documents = found.to_json()
        self.space, self.symbols = tuple(self.model.space), tuple(p.name for p in self.model.parameters)
        self.lines = [*dict.fromkeys(line for document in self.documents for line in document["lines"])]
        self.lines += self.documents[0]["way_lines"]
        definitions = [text for document in self.documents for text in (*document["where"], *document["way_where"])]
        self.definitions = [*dict.fromkeys(text for text in definitions if " := " in text)]
        self.least = max(
            (int(m[1]) for d in self.documents for m in [re.search(r"n is at least (\d+)", " ".join(d["where"]))] if m),
            default=0,
        )
        self.compared = 0

    def names(self) -> None:
        """No two things have one text, and no thing has two."""
        names = [re.split(r"\(| := ", text)[0] for text in self.definitions]
        meanings = [text.partition(" := ")[2] for text in self.definitions]
        assert len({*names}) == len(names) and len({*meanings}) == len(meanings), self.definitions
        readout = self.model.readout
        tokens = (*(self.model.embedding.words or ()), *readout.labels)
        assert not {*names} & {*self.space, *self.symbols, *tokens, *KEYWORDS, "i", "n"}
        for line in self.lines:  # made-up names end with the answer
            assert not re.search(r"\b(k\d*|p\d*(_j)?|S\d+) is ", line)
        for sentence in self.sentences:
            if len(sentence) <= MAX_TEXT:  # longer ones are refused, whatever they say
                read(sentence, self.space, self.symbols)

    @property
    def sentences(self) -> list[str]:
        """What `prove` is asked to prove."""
        return [one.text for kinds in self.found.sentences() for one in kinds]

    def defined(self, text: str) -> str:
        """A term or formula of the JSON document with the definitions that it needs."""
        needed, todo = set[str](), [text]
        while todo:
            words = {*re.findall(r"\w+", todo.pop())}
            new = [d for d in self.definitions if re.split(r"\(| := ", d)[0] in words and d not in needed]
            needed.update(new)
            todo += new
        definitions = [d for d in self.definitions if d in needed]
        return f"{text} where {', '.join(definitions)}" if definitions else text

    def at(self, given: Any, i: int | None, fill: int, run: Any = None, accepts: Any = None) -> Said:
        embedding = self.model.embedding
        here = {"start": embedding.start, "space": self.space, "fill": fill, "model": self.model, "run": run}
        here |= {"rows": given} if embedding.inputs else {"tokens": embedding.surround(tuple(given))}
        kind = type("SaidHere", (Said,), {**here, "accepts": accepts or {}})
        return kind({**self.values, **({} if i is None else {"i": Number(i)})})

    def read(self, text: str) -> Tree:
        return read(self.defined(text), self.space, self.symbols)

    def true(self, texts: Sequence[str], given: Any, i: int | None, run: Any) -> bool:
        """Whether all formulas hold. Each is evaluated, with both fillings."""
        answers = {all([self.at(given, i, fill, run).formula(self.read(text)) for text in texts]) for fill in (0, 1)}
        assert len(answers) == 1, (texts, "depends on what is not there")
        return answers.pop()

    def value(self, text: str, given: Any, i: int | None, run: Any) -> Number:
        # A term is read as a side of a comparison, since a statement is a formula.
        one, two = (self.at(given, i, fill, run).term(self.read(f"0 = {text}")[2]) for fill in (0, 1))
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
        self.true_lines(given, run, bound, sequence)
        assumed = self.documents[0]["assumptions"]
        if not self.true(assumed, given, None, run):
            return 0
        at = range(length) if readout.everywhere else [0 if readout.first else length - 1]
        for k in at:
            self.at_case(given, k, places[k] if readout.everywhere else None, run, bound)
        if not self.true(self.documents[0]["way_assumptions"], given, None, run):
            return self.compared - before
        for name, cases in self.documents[0]["way"].items():
            if cases[0]["value"] is not None:
                for k, i in enumerate(places):
                    held = [c for c in cases if self.true(c["conditions"], given, i, run)]
                    assert len(held) == 1, (given, i, name, cases)
                    theirs = run.domain.read(run.stream[name], k) if name in run.stream else Fraction(0)
                    self.same(self.value(held[0]["value"], given, i, run), theirs, (given, i, name))
        return self.compared - before

    def true_lines(self, given: Any, run: Any, bound: Any, sequence: Any) -> None:
        """Each line is true of the string, whatever is where it has no position."""
        readout, accepts = self.model.readout, dict[int | None, bool | None]()
        if readout.decides and readout.each:
            accepts = {k: run.domain.verdict(run.verdicts, k) for k in range(len(sequence))}
        elif readout.decides:
            accepts = {None: forward(bound, sequence, Exact()).accept}
        for line in self.lines:
            tree = read(line, self.space, self.symbols)  # as it is printed: with its own definitions
            for fill in (0, 1):
                assert self.at(given, None, fill, run, accepts).formula(tree), (line, given)
            self.compared += 1

    def at_case(self, given: Any, k: int, i: int | None, run: Any, bound: Any) -> None:
        """The outputs and the answer in the one case that holds."""
        readout = self.model.readout
        theirs = {name: run.domain.read(column, k) for name, column in run.watched.items()}
        held = [document for document in self.documents if self.true(document["conditions"], given, i, run)]
        assert len(held) == 1, (given, i, [document["conditions"] for document in self.documents])
        (document,) = held
        for name, text in document["output"].items():
            self.same(self.value(text, given, i, run), theirs[name], (given, i, name))
        if readout.decides:
            accept = document["accept"]
            if accept is None:
                accept = self.true([document["accepts"]], given, i, run)
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
