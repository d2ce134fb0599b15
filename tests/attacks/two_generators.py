"""Decisions and claims about random models, beside interpreters that share nothing with symcook.

    python tests/attacks/two_generators.py weights|programs [--seed S] [--from K] [--count N] [--claims EVERY]

Generator `weights` draws a model file as JSON, and `by_weights` computes with its numbers as fractions. Generator
`programs` draws a program of features (a letter, the feature before, the last place where another one holds, a mean, a
gate), which the Builder makes a model of; `by_program` computes what the program means and sees no weight. Each model
is decided alone and against rivals: an expression, which Python's `re` reads; its own automaton, perhaps with a change;
a table at random; a majority. Of every EVERY-th model (3) a sentence is claimed. A verdict must hold of all short
words, also where a sentence is decided true without a proof; a string must be the smallest that differs. Exit 1 where
one does not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import symcook as sc
from symcook.alarm import TimeUp, alarm
from symcook.decide.automata import Automaton
from symcook.decide.decision import decide
from symcook.model.modelfile import loads
from symcook.spec.fold import Fold

SECONDS, WORDS = 5, 400
REFUSED = (sc.BadInput, sc.Undecided, sc.NotExact, TimeUp)
LETTERS = (("0", "1"), ("p", "q"), ("<", ">"), ("n", "i"), ("x", "y", "z"), ("7", "8", "9"), ("accept", "at"))
NAMES = ("u", "k1", "S1", "here", "z_1", "step", "w2", "e", "last", "accept", "odd", "mod", "tau", "q_", "x1", "I_")


class Drawn(NamedTuple):
    """A model, and its meaning: from the tokens, with the added ones, to the answer at each position and the values of
    each coordinate."""

    model: sc.Transformer
    means: Callable[[Sequence[str]], tuple[list[Any], dict[str, list[Fraction]]]]


# --- Generator 1: weights ---------------------------------------------------------------------------------------------

PLACES: dict[str, Callable[[int, int], Fraction]] = {
    "1": lambda i, n: Fraction(1),
    "(-1)^i": lambda i, n: Fraction((-1) ** i),
    "I[i = n]": lambda i, n: Fraction(i == n),
    "i/n": lambda i, n: Fraction(i, n),
    "1/(i + 1)": lambda i, n: Fraction(1, i + 1),
}
SEES: dict[str, Callable[[int, int], bool]] = {
    "none": lambda i, j: True,
    "future": lambda i, j: j <= i,
    "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i,
    "strict-past": lambda i, j: j > i,
}


def drawn_weights(chance: random.Random) -> Drawn:
    """A model file whose numbers are drawn, read by symcook."""
    space = chance.sample(NAMES, chance.choice([2, 3, 4]))
    pool = ["0", "0", "0", "1", "1", "-1", "2", "1/2", "-3/2"]

    def rows(m: int, n: int) -> list[list[str]]:
        return [[chance.choice(pool) for _ in range(n)] for _ in range(m)]

    def head() -> dict[str, Any]:
        reads, writes = chance.sample(space, chance.randint(1, len(space))), chance.sample(space, 1)
        d = chance.choice([1, 1, 2])
        plain = chance.random() < 0.4
        scores = [[["0"] * len(reads)] * d if plain else rows(d, len(reads)) for _ in "QK"]
        weighting, mask = chance.choice(["average", "leftmost", "rightmost", "rightmost"]), chance.choice([*SEES])
        return {"reads": reads, "writes": writes, "Q": scores[0], "K": scores[1], "V": rows(1, len(reads)),
                "mask": mask, "weighting": weighting, "temperature": "1", "scale": "1"}  # fmt: skip

    def network() -> dict[str, Any]:
        reads, writes, h = chance.sample(space, chance.randint(1, len(space))), chance.sample(space, 1), 2
        return {"reads": reads, "writes": writes, "W1": rows(h, len(reads)), "b1": rows(h, 1), "W2": rows(1, h),
                "b2": rows(1, 1), "activation": chance.choice(["relu", "step"])}  # fmt: skip

    def layer() -> dict[str, Any]:
        heads = [head() for _ in range(chance.choice([0, 1, 1, 2]))]
        block = network() if not heads or chance.random() < 0.5 else None
        return {"attention": heads or None, "feedforward": block, "placement": "none", "attention_norms": [],
                "feedforward_norms": []}  # fmt: skip

    letters = chance.choice(LETTERS)
    before, after = chance.choice([(None, None)] * 3 + [("CLS", None), (None, "EOS"), ("BOS", "EOS")])
    tokens = [*letters, *(t for t in (before, after) if t)]
    words = {t: {name: chance.choice(pool) for name in space if chance.random() < 0.7} for t in tokens}
    places = {name: chance.choice([*PLACES]) for name in space if chance.random() < 0.2}
    kind = chance.choice(["sign", "sign", "zero", "largest"])
    position = chance.choice(["last", "last", "first", "each", *(["all"] if kind != "largest" else [])])
    reads = chance.sample(space, chance.randint(1, len(space)))
    labels = ["yes", "no", "n"] if kind == "largest" else []
    weights = None if kind == "zero" else rows(len(labels) or 1, len(reads))
    document = {
        "symcook": 1, "name": "drawn", "source": "drawn", "space": space,
        "embedding": {"words": words, "inputs": None, "positions": places, "start": chance.choice([0, 1, 1]),
                      "before": before, "after": after},
        "layers": [layer() for _ in range(chance.choice([1, 1, 2, 3]))],
        "readout": {"kind": kind, "position": position, "reads": reads, "weights": weights, "labels": labels},
        "final_norm": None, "symbols": [], "max_length": None,
    }  # fmt: skip
    return Drawn(loads(json.dumps(document)), lambda tokens: by_weights(document, tokens))


def times(matrix: list[list[str]], vector: Sequence[Fraction]) -> list[Fraction]:
    return [sum((Fraction(w) * x for w, x in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


def by_weights(document: dict[str, Any], tokens: Sequence[str]) -> tuple[list[Any], dict[str, list[Fraction]]]:
    """The answers at each position and the values of each coordinate, with the numbers of a model file."""
    embedding, n = document["embedding"], len(tokens)
    stream = []
    for at, token in enumerate(tokens):
        i = at + embedding["start"]
        row = {name: Fraction(embedding["words"][token].get(name, 0)) for name in document["space"]}
        for name, text in embedding["positions"].items():
            row[name] += PLACES[text](i, n)
        stream.append(row)
    for layer in document["layers"]:
        added = [dict.fromkeys(document["space"], Fraction(0)) for _ in tokens]
        for head in layer["attention"] or ():
            read = [[row[name] for name in head["reads"]] for row in stream]
            queries, keys = ([times(head[part], row) for row in read] for part in "QK")
            for i in range(n):
                seen = [j for j in range(n) if SEES[head["mask"]](i, j)]
                scores = {j: sum(q * k for q, k in zip(queries[i], keys[j], strict=True)) for j in seen}
                best = [j for j in seen if scores[j] == max(scores.values())]
                best = {"leftmost": best[:1], "rightmost": best[-1:], "average": best}[head["weighting"]]
                for row, name in enumerate(head["writes"]):
                    values = [times(head["V"], read[j])[row] for j in best]
                    added[i][name] += sum(values, Fraction(0)) / len(values) if values else 0
        stream = [{name: row[name] + more[name] for name in row} for row, more in zip(stream, added, strict=True)]
        if (block := layer["feedforward"]) is not None:
            for row in stream:
                hidden = times(block["W1"], [row[name] for name in block["reads"]])
                hidden = [h + Fraction(b) for h, (b,) in zip(hidden, block["b1"], strict=True)]
                hidden = [max(h, Fraction(0)) if block["activation"] == "relu" else Fraction(h > 0) for h in hidden]
                for name, value, (bias,) in zip(block["writes"], times(block["W2"], hidden), block["b2"], strict=True):
                    row[name] += value + Fraction(bias)
    readout = document["readout"]
    answers = [answered(readout, [row[name] for name in readout["reads"]]) for row in stream]
    return answers, {name: [row[name] for row in stream] for name in document["space"]}


def answered(readout: dict[str, Any], values: Sequence[Fraction]) -> Any:
    if readout["kind"] == "zero":
        return not any(values)
    scores = times(readout["weights"], values)
    return scores[0] > 0 if readout["kind"] == "sign" else readout["labels"][scores.index(max(scores))]


# --- Generator 2: programs --------------------------------------------------------------------------------------------


def drawn_program(chance: random.Random) -> Drawn:
    """A program of features that are 0 or 1, perhaps with a mean at the end, as the Builder makes a model of it."""
    letters = chance.choice(LETTERS)
    before, after = chance.choice([(None, None)] * 3 + [("CLS", None), (None, "EOS")])
    names = [*chance.sample(NAMES, len(NAMES))]
    program: list[tuple[str, str, list[str]]] = [(names.pop(), "letter", [t]) for t in letters[:-1]]
    words = {t: {name: 1 for name, _, (of,) in program if of == t} for t in (*letters, before, after) if t}
    b = sc.Builder(words=words, before=before, after=after, start=chance.choice([0, 1]), positions={"one": "1"})
    for _ in range(chance.choice([1, 2, 3, 4])):
        kind, new = chance.choice(["before", "after", "first", "since", "ever", "and", "or", "xor", "not"]), names.pop()
        f, g = (chance.choice(program)[0] for _ in "fg")
        masks = {"before": "strict-future", "after": "strict-past"}
        if kind in masks:
            b.add(sc.head(None, {new: f}, mask=masks[kind], weighting="rightmost" if kind == "before" else "leftmost"))
        elif kind == "first":
            b.add(sc.head(None, {new: f}, mask="none", weighting="leftmost"))
        elif kind in ("since", "ever"):  # g at the last place so far where f is; whether f was anywhere so far
            b.add(sc.head({("one", f): 3}, {new: g if kind == "since" else f}, mask="future", weighting="rightmost"))
        elif f == g and kind != "not":
            continue
        else:
            gates = {"and": f"relu({f} + {g} - one)", "or": f"step({f} + {g})", "not": f"step(one - {f})",
                     "xor": f"relu({f} - {g}) + relu({g} - {f})"}  # fmt: skip
            b.add(sc.feedforward({new: gates[kind]}))
        program.append((new, kind, [f, g]))
    if chance.random() < 0.4:  # how often f less how often g, as a mean
        f, g, new = chance.choice(program)[0], chance.choice(program)[0], names.pop()
        if f != g:
            b.add(sc.head(None, {new: f"{f} - {g}"}, mask="future", weighting="average"))
            program.append((new, "mean", [f, g]))
    read, position = program[-1][0], chance.choice(["last", "last", "each", "all", "first"])
    zero = chance.random() < 0.3
    b.readout("zero" if zero else "sign", position, [read], **({} if zero else {"weights": [2]}))  # type: ignore[arg-type]
    model = b.build("program")
    return Drawn(model, lambda tokens: by_program(program, zero, tokens))


def by_program(
    program: list[tuple[str, str, list[str]]], zero: bool, tokens: Sequence[str]
) -> tuple[list[Any], dict[str, list[Fraction]]]:
    """What a program means."""
    known: dict[str, list[Any]] = {}
    for name, kind, of in program:
        f, g = (known.get(part, []) for part in (of[0], of[-1]))
        n = range(len(tokens))
        known[name] = {
            "letter": lambda of=of: [int(t == of[0]) for t in tokens],
            "before": lambda f=f: [0, *f[:-1]],
            "after": lambda f=f: [*f[1:], 0],
            "first": lambda f=f, n=n: [f[0] for _ in n],
            "since": lambda f=f, g=g, n=n: [g[max([j for j in range(i + 1) if f[j]], default=i)] for i in n],
            "ever": lambda f=f, n=n: [int(any(f[: i + 1])) for i in n],
            "and": lambda f=f, g=g: [a & b for a, b in zip(f, g, strict=True)],
            "or": lambda f=f, g=g: [a | b for a, b in zip(f, g, strict=True)],
            "xor": lambda f=f, g=g: [a ^ b for a, b in zip(f, g, strict=True)],
            "not": lambda f=f: [1 - a for a in f],
            "mean": lambda f=f, g=g, n=n: [Fraction(sum(f[: i + 1]) - sum(g[: i + 1]), i + 1) for i in n],
        }[kind]()  # type: ignore[no-untyped-call]
    last = known[program[-1][0]]
    return [v == 0 if zero else v > 0 for v in last], {k: list(map(Fraction, v)) for k, v in known.items()}


# --- What is asked ----------------------------------------------------------------------------------------------------


class Wrong(AssertionError):
    """An answer that short words contradict."""


def need(condition: Any, *what: Any) -> None:
    if not condition:
        raise Wrong(" ".join(map(str, what)))


class Short:
    """All short words of a model with their right answers, the shortest first, in the order of the alphabet."""

    def __init__(self, drawn: Drawn) -> None:
        embedding, self.model, self.means = drawn.model.embedding, drawn.model, drawn.means
        self.before, self.after = [t for t in [embedding.before] if t], [t for t in [embedding.after] if t]
        self.words: list[tuple[str, ...]] = [] if not (self.before or self.after) else [()]
        for length in itertools.count(1):
            if len(self.words) + len(drawn.model.alphabet) ** length > WORDS:
                break
            self.words += itertools.product(drawn.model.alphabet, repeat=length)
        self.right = {word: self.answer(word) for word in self.words}

    def answer(self, word: Sequence[str]) -> Any:
        answers = self.means([*self.before, *word, *self.after])[0]
        at = self.model.readout.position
        if at == "each":  # at the typed symbols
            return answers[len(self.before) :][: len(word)]
        return all(answers) if at == "all" else answers[0 if at == "first" else -1]


def rivals(short: Short, chance: random.Random, own: Automaton | None) -> Iterator[tuple[object, Callable[..., Any]]]:
    """References with what they answer to a word; None where they have no answer."""
    model = short.model
    letters, labels = model.alphabet, model.readout.labels or (True, False)
    each = model.readout.each

    def along(start: Any, step: Callable[..., Any], answer: Callable[..., Any]) -> Callable[[Sequence[str]], Any]:
        """What a fold answers, step by step: at each position of an input that has answers at each one."""

        def run(word: Sequence[str]) -> Any:
            state, answers = start, []
            for letter in word:
                state = step(state, letter)
                answers.append(answer(state))
            return answers if each else answer(state)

        return run

    if own is not None:
        moves, answers = [list(row) for row in own.moves], list(own.answers)
        for _ in range(chance.choice([0, 1])):
            state = chance.randrange(len(moves))
            if chance.random() < 0.5:
                answers[state] = chance.choice(labels)
            else:
                moves[state][chance.randrange(len(letters))] = chance.randrange(len(moves))
        table = Automaton(own.alphabet, tuple(map(tuple, moves)), tuple(answers), own.names)
        rows = dict(enumerate(moves))
        yield table, along(0, lambda s, t: rows[s][own.alphabet.index(t)], lambda s: answers[s])
    size = chance.choice([1, 2, 3])
    steps = {(s, t): chance.randrange(size) for s in range(size) for t in letters}
    ends = {s: chance.choice(labels) for s in range(size)}
    step, answer = lambda s, t: steps[s, t], lambda s: ends[s]
    yield Fold(0, step, answer, each=each), along(0, step, answer)
    if labels == (True, False):
        votes, least = {t: chance.choice([-1, 0, 1]) for t in letters}, chance.choice([0, 0, 1])
        counts, most = (lambda s, t: s + votes[t]), (lambda s: s > least)
        yield Fold(0, counts, most, each=each), along(0, counts, most)
        if all(len(t) == 1 and t.isalnum() for t in letters) and not each:
            text = expression(letters, chance, 3)
            yield text, lambda word: re.fullmatch(text, "".join(word)) is not None


def expression(letters: Sequence[str], chance: random.Random, deep: int) -> str:
    """An expression that symcook and Python's `re` read alike."""
    if not deep or chance.random() < 0.2:
        return chance.choice(letters)
    one, other = (expression(letters, chance, deep - 1) for _ in "12")
    return chance.choice([f"({one}|{other})", f"{one}{other}", f"({one})*", f"({one})+{other}", f"({one})?{other}"])


def asked_decisions(short: Short, chance: random.Random, counts: Counter[str]) -> None:
    """The model alone, then against each rival."""
    own: Any = None
    with alarm(SECONDS):
        alone = decide(short.model)
    counts[f"alone {alone.verdict}"] += 1
    if alone.verdict == "decided":
        own = alone.automaton
        for word, right in short.right.items():
            state, said = own.initial, []
            for letter in word:
                state = own.step(state, letter)
                said.append(own.answer(state))
            need((said if short.model.readout.each else own.answer(state)) == right, "automaton", word, right)
    for reference, run in rivals(short, chance, own):
        try:
            with alarm(SECONDS):
                found = decide(short.model, reference)
        except REFUSED as error:
            counts[f"{type(reference).__name__} {type(error).__name__}"] += 1
            continue
        counts[f"{type(reference).__name__} {found.verdict}"] += 1
        differing = next((w for w, right in short.right.items() if differ(right, run(w))), None)
        what = (type(reference).__name__, reference, found.verdict, found.word, "by words:", differing)
        if found.verdict == "equal":
            need(differing is None, *what)
        if found.verdict == "different":
            word: Any = found.word
            need(differ(short.answer(word), run(word)), *what)
            need(word not in short.right or word == differing, *what)
            need(word in short.right or differing is None, *what)


def differ(right: Any, other: Any) -> bool:
    """Whether two answers, or two lists of answers, are different; None is no answer."""
    if isinstance(right, list):
        return any(differ(*pair) for pair in zip(right, other, strict=True))
    return other is not None and right is not None and right != other


def sentences(short: Short, chance: random.Random) -> Iterator[tuple[str, Callable[..., bool]]]:
    """Sentences, each with what it says of (tokens, answers, values)."""
    letter, start = chance.choice(short.model.alphabet), short.model.embedding.start
    first, last = ("1", "n") if start else ("0", "n - 1")
    bound = chance.randint(0, 2)
    decides = short.model.readout.kind != "largest"
    values = short.means([*short.before, *short.words[-1], *short.after])[1]
    name = chance.choice([*values])
    level = chance.choice(values[name])
    yield f'"{name}"({last}) <= {level}', lambda t, a, v: v[name][-1] <= level
    yield f'all i in {first}..{last}. "{name}"(i) <= {level}', lambda t, a, v: max(v[name]) <= level
    yield f'ex i in {first}..{last}. at("{letter}", i)', lambda t, a, v: letter in t
    if decides and short.model.readout.position != "each":
        yield f'accept -> count("{letter}") <= {bound}', lambda t, a, v: not a or t.count(letter) <= bound
        yield f'accept <-> at("{letter}", {last})', lambda t, a, v: a == (t[-1] == letter)
        yield f'count("{letter}") = {bound} -> ~accept', lambda t, a, v: t.count(letter) != bound or not a
    elif decides:
        yield f'accept({last}) -> at("{letter}", {first})', lambda t, a, v: not a[-1] or t[0] == letter


def asked_claims(short: Short, chance: random.Random, counts: Counter[str]) -> None:
    """One sentence: PROVED holds of every short word, REFUTED is false of its string."""
    sentence, says = chance.choice([*sentences(short, chance)])
    try:
        found = short.model.prove(sentence, 2)
    except REFUSED as error:
        counts[f"claim {type(error).__name__}"] += 1
        return
    # A statement may be decided true although no certificate is found.
    decided_true = found.status == "OPEN" and found.to_json()["method"] is not None
    counts[f"claim {'decided true' if decided_true else found.status}"] += 1

    def holds(word: Sequence[str]) -> bool:
        tokens = [*short.before, *word, *short.after]
        answers, values = short.means(tokens)
        each = short.model.readout.position == "each"  # then a sentence speaks of added tokens too
        return says(tokens, answers if each else short.answer(word), values)

    if found.status == "PROVED" or decided_true:
        need(all(map(holds, short.words)), sentence, "decided true" if decided_true else "PROVED")
    if found.status == "REFUTED":
        word = found.to_json()["word"]
        need(not holds(word), sentence, "REFUTED", word)


GENERATORS = {"weights": drawn_weights, "programs": drawn_program}


def attack(generator: str, seed: int, number: int, claims: int = 3) -> tuple[Counter[str], str]:
    """What was asked about a model, and what is wrong ("" where nothing is)."""
    chance, counts = random.Random(f"{generator} {seed} {number}"), Counter[str]()
    try:
        drawn = GENERATORS[generator](chance)
    except sc.BadInput:
        return Counter({"not made": 1}), ""
    short = Short(drawn)
    counts["models"] += 1
    try:
        for word in chance.sample(short.words, 3):
            need(run_of(drawn.model, word) in (short.right[word], None), "run", word)
        try:
            asked_decisions(short, chance, counts)
        except REFUSED as error:
            counts[f"alone {type(error).__name__}"] += 1
        if number % claims == 0:
            asked_claims(short, chance, counts)
    except Exception as error:  # a defect is what is looked for
        return counts, f"{generator} --seed {seed} --from {number} --count 1: {type(error).__name__}: {error}"
    return counts, ""


def run_of(model: sc.Transformer, word: Sequence[str]) -> Any:
    """What `run` answers."""
    found: Any = model.run(list(word))
    if model.readout.position != "each" and model.readout.kind != "largest":
        return found.accept
    added = int(model.embedding.before is not None)
    return [*found.outputs[added:][: len(word)]] if model.readout.position == "each" else found.outputs[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Decisions and claims about random models.")
    parser.add_argument("generator", choices=GENERATORS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--claims", type=int, default=3)
    args = parser.parse_args()
    total, wrong = Counter[str](), 0
    for number in range(args.first, args.first + args.count):
        counts, what = attack(args.generator, args.seed, number, args.claims)
        total += counts
        if what:
            wrong += 1
            print("WRONG", what, flush=True)
        if number % 100 == 99:
            print(number + 1, dict(total), flush=True)
    print(dict(sorted(total.items())), f"{wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
