"""Random sentences about random models whose coordinates are called like everything else, against the exact run.

    python tests/attacks/sentences.py COUNT [SEED]

A sentence is made together with a Python function of a word and the trace of its run; `certify.claim` must give a
statement with the same truth on every word. Quotes are put where they are needed and often where they are not.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symcook.domains.exact import Exact
from symcook.errors import Rejected
from symcook.forward import forward
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof.statements import certify

NAMES = tuple(
    re.findall(
        r"\w+",
        """
        odd dyck height bit brackets bracket sm hardmax maximal gelu evenbit laynorm relu abs min max exp log sqrt sin
        cos erf sinh cosh tanh pow floor mod sign accept answer at count first last word run here e z1_v z1_odd mu1 dev1
        y1_v v x length iff and i1 first_ odd_ place
        """,
    )
)
TOKENS = ("a b", "( )", "0 1", "all ex", "n i", "' \"", "v count", "é 日", "@ ,")
BOUND = ("i", "j", "k", "x", "odd", "run", "first_", "i1", "word", "m")


@dataclass
class Run:
    """A word, its first position, and the values of each coordinate by stage and position."""

    word: tuple[str, ...]
    low: int
    values: dict[tuple[str, str], list[Fraction]]
    accepts: Any  # a verdict, or one for each position


Number = tuple[str, Callable[[Run, dict[str, int]], Fraction | int]]
Position = tuple[str, Callable[[Run, dict[str, int]], int]]
Formula = tuple[str, Callable[[Run, dict[str, int]], bool]]


def model(random: random.Random) -> Transformer:
    names = tuple(random.sample(NAMES, random.randint(2, 4)))
    tokens = random.choice(TOKENS).split()
    some = lambda: random.randint(-2, 2)  # noqa: E731
    words = {t: {name: some() for name in names if random.random() < 0.6} for t in tokens}
    layers = []
    for _ in range(random.randint(1, 2)):
        heads = []
        for _ in range(random.randint(0, 2)):
            reads, writes = random.choice(names), random.choice(names)
            mask = random.choice(("none", "future", "strict-future", "past"))
            kind = random.choice(("average", "leftmost", "rightmost") if mask == "none" else ("leftmost", "rightmost"))
            query = 0 if kind == "average" else some()  # an average over ties is no equation that `evaluated` solves
            head = Head((reads,), (writes,), Q=[[query]], K=[[some()]], V=[[some()]], mask=mask, weighting=kind)
            heads.append(head)
        block = None
        if random.random() < 0.6 or not heads:
            block = FeedForward(
                (random.choice(names),), (random.choice(names),), W1=[[some()]], b1=[some()], W2=[[some()]], b2=[some()]
            )
        layers.append(Layer(SelfAttention(tuple(heads)) if heads else None, block))
    place = random.choice(("last", "first", "each", "all"))
    weights = {"weights": [[random.choice((-1, 1, 2))]]}
    readout = Readout("sign", place, (random.choice(names),), **weights)  # type: ignore[arg-type]
    embedding = Embedding(Space(names), words=words, start=random.choice((0, 1)))
    return Transformer("any", embedding, tuple(layers), readout)


def stages(made: Transformer) -> list[str]:
    """How a sentence says what the steps of a trace are, in their order; the last value has no stage."""
    out = ["@0"]
    for number, layer in enumerate(made.layers, 1):
        both = layer.attention is not None and layer.feedforward is not None
        out += [f"@{number}.attention"] if both else []
        out += [f"@{number}"]
    return out


class Maker:
    """Sentences about one model."""

    def __init__(self, random: random.Random, made: Transformer) -> None:
        self.random, self.made, self.stages = random, made, [*stages(made), ""]
        self.tokens = list(made.embedding.words or ())

    def position(self, scope: list[str]) -> Position:
        last = "n" if self.made.embedding.start == 1 else "n - 1"
        if scope and self.random.random() < 0.8:
            name = self.random.choice(scope)
            return name, lambda run, env: env[name]
        return last, lambda run, env: len(run.word) - 1 + run.low

    def token(self) -> tuple[str, str]:
        token = self.random.choice(self.tokens)
        return token, f"'{token}'" if token == '"' else f'"{token}"'

    def number(self, scope: list[str], deep: int = 2) -> Number:
        kind = self.random.choice(("value", "value", "value", "count", "first", "last", "number", "sum", "plus"))
        token, quoted = self.token()
        if kind == "value":
            name = self.random.choice(list(self.made.space))
            stage = self.random.choice(self.stages)
            text, at = self.position(scope)
            quotes = self.random.choice("\"'")
            return f"{quotes}{name}{quotes}{stage}({text})", lambda run, env: run.values[name, stage][
                at(run, env) - run.low
            ]
        if kind == "count":
            return f"count({quoted})", lambda run, env: run.word.count(token)
        if kind == "first":
            return f"first({quoted})", lambda run, env: run.low + [*run.word, token].index(token)
        if kind == "last":
            back = lambda run: [*reversed(run.word), token].index(token)  # noqa: E731
            return f"last({quoted})", lambda run, env: run.low + len(run.word) - 1 - back(run)
        if kind == "sum" and deep:
            name, (low, high) = self.bound(scope), self.ends()
            text, inner = self.number([*scope, name], deep - 1)
            return f"sum({name}, {low}, {high}, {text})", lambda run, env: sum(
                inner(run, {**env, name: i}) for i in range(run.low, run.low + len(run.word))
            )
        if kind == "plus" and deep:
            (one, f), (two, g) = self.number(scope, deep - 1), self.number(scope, deep - 1)
            return f"({one} - {two})", lambda run, env: f(run, env) - g(run, env)
        value = self.random.randint(-2, 3)
        return str(value) if value >= 0 else f"({value})", lambda run, env: value

    def bound(self, scope: list[str]) -> str:
        return self.random.choice([x for x in BOUND if x not in scope and x not in self.made.space])

    def ends(self) -> tuple[str, str]:
        return ("1", "n") if self.made.embedding.start == 1 else ("0", "n - 1")

    def formula(self, scope: list[str], deep: int = 3) -> Formula:
        kind = self.random.choice(("compare", "compare", "accept", "at", "not", "and", "or", "implies", "all", "ex"))
        if kind == "accept":
            if self.made.readout.position != "each":
                return "accept", lambda run, env: run.accepts
            text, at = self.position(scope)
            return f"accept({text})", lambda run, env: run.accepts[at(run, env) - run.low]
        if kind == "at":
            token, quoted = self.token()
            text, at = self.position(scope)
            return f"at({quoted}, {text})", lambda run, env: run.word[at(run, env) - run.low] == token
        if deep and kind == "not":
            text, f = self.formula(scope, deep - 1)
            return f"~({text})", lambda run, env: not f(run, env)
        if deep and kind in ("and", "or", "implies"):
            (one, f), (two, g) = self.formula(scope, deep - 1), self.formula(scope, deep - 1)
            if kind == "and":
                return f"({one}) & ({two})", lambda run, env: f(run, env) and g(run, env)
            if kind == "or":
                return f"({one}) | ({two})", lambda run, env: f(run, env) or g(run, env)
            return f"(({one}) -> ({two}))", lambda run, env: not f(run, env) or g(run, env)
        if deep and kind in ("all", "ex"):
            name, (low, high) = self.bound(scope), self.ends()
            text, f = self.formula([*scope, name], deep - 1)
            whole = all if kind == "all" else any
            return f"({kind} {name} in {low}..{high}. {text})", lambda run, env: whole(
                f(run, {**env, name: i}) for i in range(run.low, run.low + len(run.word))
            )
        (one, f), (two, g) = self.number(scope), self.number(scope)
        sign = self.random.choice(("<", "<=", "=", ">", ">=", "!="))
        compare = {
            "<": lambda a, b: a < b,
            "<=": lambda a, b: a <= b,
            "=": lambda a, b: a == b,
            ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b,
            "!=": lambda a, b: a != b,
        }[sign]
        return f"{one} {sign} {two}", lambda run, env: compare(f(run, env), g(run, env))


def traced(made: Transformer, word: tuple[str, ...]) -> Run:
    result = forward(made, word, Exact(), trace=True)
    names = [*stages(made), ""]
    steps = [*result.steps, result.steps[-1]]
    values = {
        (name, stage): [Fraction(str(x)) for x in step.columns.get(name, [0] * len(word))]  # 0 where nothing is written
        for stage, step in zip(names, steps, strict=True)
        for name in made.space
    }
    accepts = [bool(v) for v in result.verdicts] if made.readout.position == "each" else bool(result.accept)  # type: ignore
    return Run(word, made.embedding.start, values, accepts)


def tried(seed: int) -> tuple[int, str]:
    """How many words were compared for one model and sentence, and what differs; empty where nothing does."""
    chance = random.Random(seed)
    made = model(chance)
    maker = Maker(chance, made)
    sentence, meaning = maker.formula([])
    document = json.loads(modelfile.dumps(made))
    quotes = {t: f"'{t}'" if t == '"' else f'"{t}"' for t in maker.tokens}
    count = 0
    for length in (1, 2, 3):
        for word in itertools.product(maker.tokens, repeat=length):
            run = traced(made, word)
            where = [f"at({quotes[t]}, {i})" for i, t in enumerate(word, made.embedding.start)]
            says = f"{' & '.join([f'n = {length}', *where])} -> "
            says += f"({sentence}) & n = {length}" if meaning(run, {}) else f"~({sentence})"  # no premise of its own
            try:  # of the words to this length the premises hold of this one
                held = certify.claim(document, says).evaluated(length) > 0
            except Rejected as error:
                held = "false" in str(error) and None
            if not held:
                return count, f"seed {seed}: {word}: {'false' if held is None else 'undecided'}: {says}"
            count += 1
    return count, ""


PIECES = re.findall(
    r"\S+",
    """
all ex in i j n w v vote y odd relu count first last at accept answer a b c "a" "(" 'b' "odd" vote@0 y@1 y@1.attention
vote@9 1 2 0 1.5 1/2 ( ) [ ] , . .. : + - * / ^ = < <= > >= != -> <-> & | ~ sum prod if I true false Int Real pi exp pow
max dyck height maximal => == % ! iff and not mod é ∀ ; # @ " '
""",
)
WHOLE = (
    "accept <-> count(a) > count(b)",
    "all i in 1..n. vote(i) <= 1 & at(a, i)",
    "sum(j, 1, n, y@0(j)) = 0",
    'odd(count(a)) -> first(b) <= last("c")',
    "maximal(vote, n, 1)",
    "if(accept, 1, 2) = I[1 <= n]",
)


def garbled(chance: random.Random) -> str:
    """Pieces of sentences in any order, or a sentence in which up to three pieces are changed."""
    if chance.random() < 0.5:
        return " ".join(chance.choice(PIECES) for _ in range(chance.randint(1, 9)))
    parts = re.findall(r"\w+|\W", chance.choice(WHOLE))
    for _ in range(chance.randint(1, 3)):
        parts[chance.randrange(len(parts))] = chance.choice((*PIECES, ""))
    return "".join(parts)


def main(arguments: list[str]) -> int:
    many, first = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    words, wrong = 0, []
    for seed in range(first, first + many):
        count, what = tried(seed)
        words += count
        wrong += [what] if what else []
    print(f"{many} models and sentences, {words} words, {len(wrong)} differ", *wrong[:20], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
