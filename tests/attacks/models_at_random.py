"""Random models through every question, export and own claims, against all words by an independent forward pass.

    python tests/attacks/models_at_random.py [--seed 1] [--from 0] [--count 100] [--only margin,export] [--seconds 30]
                                             [--save FOLDER] [--log FILE]

Model number K of a seed is the same whatever else runs. What fails is printed with the model file that was kept in
FOLDER and the line that runs it again; exit 1 if anything did. With --log each model's result becomes a line of FILE at
once, models that have a line are not asked again, and what is said at the end is of all lines: what was compared and
what was refused, by the first words of the sentence.

The models and the oracle over all words of at most 4 symbols are those of `drawn_models`, runs in floats those of
`runtimes`. Of symcook itself only what is asked is used, and what puts a number in place of a weight or makes attention
soft.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import dense
import mpmath
import sympy
from attacks.drawn_models import DIGITS, Oracle, answer_of, answers, decimal, drawn, holds, pass_of
from runtimes import FORMATS, ORDERS, Runtime

import symcook as sc
from symcook.__main__ import main as command
from symcook.compose.cooling import harden
from symcook.numbers.balls import Ball
from symcook.questions.tolerance import free

WORDS, SECONDS = 100, 5
MET = (sc.BadInput, sc.Undecided, sc.NotExact)  # what may be said in place of an answer

# --- What is asked ----------------------------------------------------------------------------------------------------


class Wrong(AssertionError):
    """An answer that is not what the words say."""


def need(condition: Any, *what: Any) -> None:
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def ask_runs(model: sc.Transformer, oracle: Oracle, _: random.Random) -> int:
    """Every word: the answer and what is shown, with and without a trace; what has no run is refused."""
    count = 0
    for word in itertools.chain(*oracle.words.values()):
        rows = oracle.read(word)
        found = []
        for trace in (False, True):
            try:
                try:
                    found.append(model.run(word, "exact", trace=trace))
                except sc.NotExact:
                    found.append(model.run(word, "ball", digits=20, trace=trace))
            except sc.BadInput:
                found.append(None)
        if rows is None:
            need(found == [None, None], word, "has no run")
            continue
        place = 0 if model.readout.position == "first" else -1
        for run in found:
            need(run is not None, word, "has a run")
            if model.decides and model.readout.position != "each":
                need(run.accept in (None, oracle.answer(word)) and (run.accept is not None or run.undecided), word)
            elif model.decides or model.readout.kind == "largest":
                labels = model.readout.labels
                said = [labels[a] if labels else a for a in ([a for _, a in rows] if model.readout.position == "each"
                                                             else [rows[place][1]])]  # fmt: skip
                need(all(s in (None, t) for s, t in zip(run.outputs, said, strict=True)), word, run.outputs, said)
            for name, value in run.output.items():
                need(holds(value, rows[place][0][name]), word, name, value)
        count += 1
    return count


def distance(model: sc.Transformer, rows: Any) -> Any:
    """How far a word's decision is from its threshold, as `symcook margin` says it; None where nothing is near."""
    sizes, place = [], {"first": slice(0, 1), "last": slice(-1, None)}.get(model.readout.position, slice(None))
    for shown, answer in rows[place]:
        if model.readout.kind == "sign":
            sizes.append((answer, abs(shown["logit"])))
        elif model.readout.kind == "zero":
            sizes.append((answer, None if answer else max(abs(v) for v in shown.values())))
        else:
            first, second, *_ = sorted(shown.values(), key=decimal, reverse=True)
            sizes.append((True, first - second))
    if model.readout.position == "all" and not all(answer for answer, _ in sizes):
        return max((size for answer, size in sizes if not answer), key=decimal)
    known = [size for _, size in sizes if size is not None]
    return min(known, key=decimal) if known else None


def ask_margin(model: sc.Transformer, oracle: Oracle, _: random.Random) -> int:
    for row in (found := model.margin(oracle.most(3))).rows:
        with mpmath.workdps(DIGITS):
            sizes = {w: distance(model, oracle.read(w)) for w in oracle.runs(row["n"])}
        known = {w: s for w, s in sizes.items() if s is not None}
        need((row["margin"] is None) == (not known), "margin", row)
        if known:
            with mpmath.workdps(DIGITS):
                least = min(known.values(), key=decimal)
            need(holds(row["margin"], least), "margin", row, least)
            need(holds(row["margin"], known[tuple(model.embedding.typed(model.tokens(row["word"])))]), "word", row)
    return len(found.rows)


def weights_of(model: sc.Transformer) -> Iterator[str]:
    for k, layer in enumerate(model.layers, 1):
        for h, head in enumerate(layer.attention.heads if layer.attention else (), 1):
            yield from (
                f"L{k}.head{h}.V[{r + 1},{c + 1}]" for r in range(head.V.shape[0]) for c in range(len(head.reads))
            )
        if layer.feedforward is not None:
            yield from (f"L{k}.ff.W1[1,{c + 1}]" for c in range(len(layer.feedforward.reads)))
    if model.readout.kind == "sign":
        yield from (f"readout[{name}]" for name in model.readout.reads)


def ask_tolerance(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> int:
    """The answers of all words of a length at weights inside the interval, and of its word beyond each end."""
    names = list(weights_of(model))
    rng.shuffle(names)
    name, moved, value = next((name, *found) for name in names if (found := free(model, [name]))[1].is_Rational)
    symbol = moved.parameters[-1].name
    row = model.tolerance(name, n := oracle.most(2), min_length=n).row(n)
    words, near = oracle.words[n], Fraction(1, 10**7)
    now = answers(model, words)

    def at(weight: Fraction, which: Any = words) -> list[Any]:
        return answers(moved.bind({symbol: exactly(weight)}), which)

    start, ends = Fraction(int(value.p), int(value.q)), {}
    for side, key in ((-1, "low"), (1, "high")):
        end = row[key]
        inner = outer = start + side * (rng.choice([1, 10, 100]) + Fraction(1, 7))
        if end is not None:
            middle, width = (Fraction(end.mid), Fraction(end.rad)) if isinstance(end, Ball) else (Fraction(end), 0)
            inner, outer = middle - side * (width + near), middle + side * (width + near)
            need(side * (middle + side * width - start) >= 0, key, row)
            word = [tuple(model.embedding.typed(model.tokens(row[f"{key}_word"])))]
            reached = [outer] if isinstance(end, Ball) or row[f"{key}_in"] else [middle, outer]
            there = moved.bind({symbol: exactly(middle)})
            need(
                any(at(w, word) != answers(model, word) for w in reached) or meets_zero(there, word[0]), name, key, row
            )
            if row[f"{key}_in"] and not isinstance(end, Ball):
                need(at(middle) == now, name, key, row, "at the end")
        ends[key] = inner if side * (inner - start) > 0 else start
    for weight in (ends["low"], ends["high"], ends["low"] + (ends["high"] - ends["low"]) * Fraction(rng.random())):
        need(at(weight) == now, name, weight, "inside", row)
    return 1


def ask_temperature(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> int:
    """Below the temperature the softened model decides each word as the hard one; its word not, just above."""
    hard, soft = harden(model), model.soften("tau")  # tau times the temperature that a softmax has
    found = model.temperature(oracle.most(2))
    for row in found.rows:
        words, tau = oracle.words[row["n"]], row["tau"]
        expected = answers(hard, words)
        middle, width = (Fraction(tau.mid), Fraction(tau.rad)) if isinstance(tau, Ball) else (tau, Fraction(0))
        top = Fraction(50) if tau is None else middle - width
        for part in (Fraction(999999, 10**6), Fraction(rng.randint(20, 99), 100)) if top > 0 else ():
            need(answers(soft.bind({"tau": exactly(top * part)}), words) == expected, "below", row, part)
        if tau is not None and row["word"] is not None:
            word = [tuple(model.embedding.typed(model.tokens(row["word"])))]
            above = [middle + width + Fraction(1, 10**6) * (1 + middle), middle + width + Fraction(1, 10**3)]
            if middle > 0:
                other = any(answers(soft.bind({"tau": exactly(t)}), word) != answers(hard, word) for t in above)
                need(other or meets_zero(soft.bind({"tau": exactly(middle)}), word[0]), row)
    return len(found.rows)


def meets_zero(model: sc.Transformer, word: Sequence[str]) -> bool:
    """Whether a readout that asks for 0 sees it nearly: at an irrational end it may be 0 at the end alone."""
    rows = Oracle(model, 0).read(word) if model.readout.kind == "zero" else None
    return any(all(abs(decimal(value)) < 1e-6 for value in shown.values()) for shown, _ in rows or ())


def exactly(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def ask_precision(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> int:
    """With the bits that are enough, and in formats to the guaranteed length, no runtime decides a word otherwise."""
    found = model.precision(oracle.most(3), formats=("bfloat16", "float32"))

    def right(dtype: str, n: int) -> None:
        for word in oracle.runs(n):
            for seed in range(2):
                said = Runtime(dtype, "behind", rng.randrange(10**6) + seed).answer(model, word)
                need(said == oracle.answer(word), "precision", dtype, word)

    for row in found.rows:
        if row["enough"] is not None:
            FORMATS["bits"] = (row["enough"], -(10**5))
            if row["enough"] < 50:
                right("bits", row["n"])
        if row["fails"] is not None:
            word = tuple(model.embedding.typed(model.tokens(row["word"])))
            with contextlib.suppress(*MET):
                said = model.run(word, "mpmath", bits=row["fails"])
                need((said.accept if model.decides and model.readout.position != "each" else said.outputs) !=
                     oracle.answer(word), "fails", row)  # fmt: skip
    for dtype, one in found.extra["formats"].items():
        for n in range(1, (one["guaranteed"] or 0) + 1):
            right(dtype, n)
    return len(found.rows)


def attention(model: sc.Transformer, tokens: Sequence[str], number: Any) -> list[list[Any]]:
    """The weights of every head, in order, at the readout's position."""
    found, plain = [], dense._weights
    rows: list[Any] = []

    def watched(scores: Any, head: Any, factor: Any, number: Any) -> Any:
        weights = plain(scores, head, factor, number)
        rows.append((id(head), len(rows), weights))
        return weights

    heads = [head for layer in model.layers if layer.attention for head in layer.attention.heads]
    dense._weights = watched
    try:
        dense.run(model, tokens, number)
    finally:
        dense._weights = plain
    place, left = 0 if model.readout.position == "first" else len(tokens) - 1, iter(rows)
    for head in heads:
        sees = [any(dense.SEES[head.mask](i, j) for j in range(len(tokens))) for i in range(len(tokens))]
        every = [next(left)[2] if see else [] for see in sees]
        found.append(every[place])
    return found


def ask_entropy(model: sc.Transformer, oracle: Oracle, _: random.Random) -> int:
    names = [f"L{k}.head{h}" for k, layer in enumerate(model.layers, 1) if layer.attention
             for h in range(1, len(layer.attention.heads) + 1)]  # fmt: skip
    rows = model.entropy(oracle.most(3)).rows
    for n in range(1, 1 + oracle.most(3)):
        seen: dict[str, list[Any]] = {name: [] for name in names}
        for word in oracle.runs(n):
            with mpmath.workdps(DIGITS):
                for name, weights in zip(names, pass_of(model, word, attention), strict=True):
                    if weights:
                        seen[name].append(-mpmath.fsum(w * mpmath.log(w, 2) for w in map(decimal, weights) if w > 0))
        for row in rows:
            if row["n"] == n and seen[row["head"]] and "least" in row:  # without it: it writes nothing
                need(holds(row["least"], min(seen[row["head"]])), "least", row, min(seen[row["head"]]))
                need(holds(row["greatest"], max(seen[row["head"]])), "greatest", row, max(seen[row["head"]]))
    return len(rows)


def ask_export(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> int:
    """Each guarantee on words in runtimes that divide behind the sums, and where it is given before them."""
    dtype, added, count = rng.choice(["float32", "float64"]), model.embedding.added, 0
    longest = oracle.most(6)
    with tempfile.TemporaryDirectory() as folder:
        document = model.export(Path(folder) / "m.npz", dtype=dtype, max_length=longest)
    for order, part in zip(ORDERS, (document["guaranteed"], document["guaranteed"].get("divided_first")), strict=True):
        for each in part["lengths"] if part is not None and "lengths" in part else ():
            n = each["length"] - added
            words = oracle.words.get(n) or [tuple(rng.choices(model.alphabet, k=n)) for _ in range(WORDS // 3)]
            inside = any(low <= each["length"] <= high for low, high in part["ranges"])
            for word in rng.sample(words, min(len(words), WORDS // 3)):
                rows = oracle.read(word)
                if rows is None:
                    continue
                floats = Runtime(dtype, order, rng.randrange(10**9)).read(model, word)
                if inside and model.readout.kind != "value":
                    need(answer_of(model, floats) == oracle.answer(word), order, dtype, word, "of length", n)
                one = "last" if "running sums" in str(part["method"]) else model.readout.position  # a step a length
                places = {"first": slice(0, 1), "last": slice(-1, None)}.get(one, slice(None))
                for (shown, _), (kept, _) in zip(rows[places], floats[places], strict=True):
                    for name, (low, high) in each["outputs"].items():
                        with mpmath.workdps(DIGITS):
                            ends, slack = [mpmath.mpf(end) for end in (low, high)], mpmath.mpf(10) ** -30
                            for value in (decimal(shown[name]), kept[name]):
                                held = ends[0] - slack <= value <= ends[1] + slack
                                need(held, order, dtype, word, name, value, each)
                count += 1
    return count


def sentences(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Sentences with what they say of a word."""
    one = rng.choice(model.alphabet)
    stands, decides = f'count("{one}")', model.decides and model.readout.position != "each"
    name, place = rng.choice(list(model.space)), "n" if model.embedding.start else "n - 1"

    def value(word: Sequence[str]) -> Any:
        with mpmath.workdps(DIGITS):
            return decimal(pass_of(model, word, dense.run)[-1][name])

    known = [value(w) for n in oracle.words for w in oracle.runs(n)]
    if known:  # a coordinate is its last value, which `run` shows; quoted it is never a word
        with mpmath.workdps(DIGITS):
            top = int(mpmath.ceil(max(known)))
        for bound in (top, top - 1):
            yield f'"{name}"({place}) <= {bound}', lambda w, bound=bound: bool(value(w) <= bound)
    if decides:
        yield "accept", oracle.answer
        yield f"accept -> 0 < {stands}", lambda w: not oracle.answer(w) or one in w
        yield f"{stands} = 0 -> ~accept", lambda w: one in w or not oracle.answer(w)
    yield "n <= 2", lambda w: len(dense.typed(model, w)) <= 2
    yield f"{stands} <= n", lambda w: True


def ask_claims(model: sc.Transformer, oracle: Oracle, rng: random.Random) -> int:
    """What is PROVED holds of all words to length 4 that have a run; what is REFUTED is false of a word that runs."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.json"
        model.save(path)
        for sentence, holds_of in rng.sample(every := list(sentences(model, oracle, rng)), min(2, len(every))):
            out, err = io.StringIO(), io.StringIO()
            line = ["prove", str(path), "--statement", sentence, "--force", "--json", "--seconds", str(SECONDS)]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = command(line)
            need(code in (0, 1, 2, 3), sentence, "exit", code, err.getvalue())
            need("must be a formula" not in err.getvalue(), sentence, err.getvalue())  # every name has its meaning
            if code > 1:
                REFUSED[f"claims: {err.getvalue().strip().rpartition('symcook: ')[2][:60]}"] += 1
                continue
            said = json.loads(out.getvalue())
            if said["status"] == "PROVED":
                wrong = [w for n in oracle.words for w in oracle.runs(n) if not holds_of(w)]
                need(not wrong, "PROVED", sentence, "false of", wrong[:1])
            elif said["status"] == "REFUTED" or code == 1:  # 1: false of a word, by its run, without a certificate
                word = said.get("word")
                need(word is not None and oracle.read(word) is not None, "REFUTED", sentence, "by", word, "without run")
                need(not holds_of(tuple(word)), "REFUTED", sentence, "by", word, "of which it is true")
            count += 1
    return count


ASKED: dict[str, Callable[[sc.Transformer, Oracle, random.Random], int]] = {
    "runs": ask_runs, "margin": ask_margin, "tolerance": ask_tolerance, "temperature": ask_temperature,
    "precision": ask_precision, "entropy": ask_entropy, "export": ask_export, "claims": ask_claims,
}  # fmt: skip
REFUSED: Counter[str] = Counter()


class Late(BaseException):
    """One question has taken its processor time."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Late is raised behind so many seconds of processor time; 0: never."""

    def late(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def attack(
    seed: int, number: int, only: Sequence[str] = tuple(ASKED), seconds: float = 0
) -> tuple[Counter[str], list[str]]:
    """How many answers of each kind were compared, and what is wrong; each question has so many seconds."""
    counts, wrong = Counter[str](), []
    try:
        model = drawn(seed, number)
    except sc.BadInput as error:
        REFUSED[f"model: {str(error)[:60]}"] += 1
        return counts, wrong
    oracle = Oracle(model)
    for name in only:
        try:
            with within(seconds):
                counts[name] += ASKED[name](model, oracle, random.Random(f"{seed} {number} {name}"))
        except Late:
            REFUSED[f"{name}: not within {seconds:g} s of processor time"] += 1
        except MET as error:
            REFUSED[f"{name}: {str(error)[:60]}"] += 1
        except Wrong as error:
            wrong.append(f"{name}: {error}")
        except Exception as error:  # a defect is what is looked for
            wrong.append(f"{name}: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-6)}")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Random models against all short strings.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default=",".join(ASKED))
    parser.add_argument("--seconds", type=float, default=30, help="of processor time for a question of a model (30)")
    parser.add_argument("--save", type=Path, default=Path(tempfile.gettempdir()) / "models-at-random")
    parser.add_argument("--log", type=Path, help="the results so far, to go on with (none)")
    args = parser.parse_args()
    only, began = args.only.split(","), time.time()
    rows = [json.loads(line) for line in args.log.read_text().splitlines()] if args.log and args.log.exists() else []
    done = {(row["seed"], row["model"]) for row in rows}
    for number in range(args.first, args.first + args.count):
        if (args.seed, number) in done:
            continue
        REFUSED.clear()
        found, wrong = attack(args.seed, number, only, args.seconds)
        row = {"seed": args.seed, "model": number, "compared": found, "refused": dict(REFUSED), "wrong": wrong}
        rows.append(row)
        if args.log:
            with args.log.open("a") as out:
                print(json.dumps(row), file=out)
        for text in wrong:
            args.save.mkdir(parents=True, exist_ok=True)
            path = args.save / f"{args.seed}-{number}.json"
            drawn(args.seed, number).save(path, force=True)
            kind = text.partition(":")[0]
            print(f"{path}\n  {text}\n  again: --seed {args.seed} --from {number} --count 1 --only {kind}", flush=True)
        if len(rows) % 25 == 0:
            failed = sum(bool(row["wrong"]) for row in rows)
            print(f"{len(rows)} models, {failed} fail, {time.time() - began:.0f} s", flush=True)
    counts, refused = Counter[str](), Counter[str]()
    for row in rows:
        counts += Counter(row["compared"])
        refused += Counter(row["refused"])
    failed = sum(bool(row["wrong"]) for row in rows)
    print("compared:", dict(counts))
    for text, many in refused.most_common(40):
        print(f"{many:5} refused {text}")
    print(f"{len(rows)} models, {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
