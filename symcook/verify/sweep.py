"""Comparison of a model with a reference that shares no code with it.

A word model meets every word of every length up to N, and the empty word where the model takes it; a recipe over rows
meets every sequence over a stated set of rows; a feed-forward recipe meets a stated rational grid
(`symcook.verify.grid`). Nothing is sampled, but where a sweep is refused. Without a named domain nothing is rounded
either: the batch domain does the work, and a model that it cannot hold (softmax) runs input by input in the exact
domain. In another domain every input runs by itself. Where balls leave an answer open, as they must where a value lies
on its threshold, the exact domain is asked; what neither decides is counted as open, never as right or wrong.

Words are swept chunk by chunk (`chunks`), here or in other processes (`workers`), and what is done can stay in a file
(`checkpoint`). The strings of all chunks add up to the number of words, or there is no answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from os import PathLike, cpu_count, fspath
from typing import TYPE_CHECKING, Any

from symcook import __version__
from symcook.alarm import TimeUp, alarm
from symcook.door import door
from symcook.errors import BadInput, Unmerged
from symcook.model.answers import Shown
from symcook.model.expr import Tree, parse_term, show
from symcook.model.modelfile import model_hash
from symcook.model.symbols import Exact, fraction
from symcook.model.transformer import Transformer
from symcook.verify.answers import Reference, region_tree, rows
from symcook.verify.chunks import TRIAL_FROM, Chunk, Plan, TooMuch, check_count, plan, rate
from symcook.verify.comparison import DIGITS, Comparison, Counterexample, LengthCount, Numbers, Tally
from symcook.verify.workers import Made, Results, Task, processes, spread

if TYPE_CHECKING:
    from symcook.verify.checkpoint import Checkpoint

MAX_LENGTH = 1_000_000
WAYS = ("decided", "merged", "exhaustive", "random")
"""How a check is done, in the order in which they are tried. Random words can only show that model and reference
differ."""
AT_ONCE_FROM = 2**20
"""From how many words on it is decided, or words are merged, where that is possible; fewer are run one and all, which
takes seconds."""
DECIDE_SECONDS = 10
HOUR = 3600
RANDOM_SECONDS = 1.0

Progress = Callable[[int, int], None]
"""Called after each block with the number of inputs done and the number in all."""


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """What a check found. `strings` counts the inputs of length 1 and more that were compared, `mismatches` those that
    differ, `open` those whose answer the domain leaves open.

    The empty word is counted in none of them: `empty_word` says how it came out, "agrees", "differs" or "open"; None
    where it is no input of the model. It can be the counterexample (input "").
    """

    REPORT = "check"

    recipe: str
    max_length: int | None
    strings: int
    mismatches: int
    counterexample: Counterexample | None
    method: str
    seconds: float
    domain: str = "exact"
    open: int = 0
    first_open: str | None = None
    empty_word: str | None = None
    against: str = "its reference"
    stated: int = 0
    """On how many inputs the recipe's `formula` and `computes` were evaluated too, where these agree."""
    way: str = "exhaustive"
    """How it was found out, out of `WAYS`."""
    by_length: tuple[LengthCount, ...] = ()
    """Where all words are compared, for each length how many there are and how many the model accepts."""

    @property
    def differs(self) -> bool:
        """Whether model and reference differ on an input."""
        return self.mismatches > 0 or self.empty_word == "differs"

    @property
    def undecided(self) -> bool:
        """Whether the answer to an input stayed open."""
        return self.open > 0 or self.empty_word == "open"

    @property
    def holds(self) -> bool:
        """Whether model and reference agree on everything that was compared."""
        return not self.differs and not self.undecided

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook check --json``."""
        first = self.counterexample
        return {
            "recipe": self.recipe,
            "max_length": self.max_length,
            "strings": self.strings,
            "mismatches": self.mismatches,
            "counterexample": None if first is None else first.input,
            "method": self.method,
            "domain": self.domain,
            "open": self.open,
            "first_open": self.first_open,
            "empty_word": self.empty_word,
            "against": self.against,
            "stated": self.stated,
            "way": self.way,
            "by_length": [count._asdict() for count in self.by_length],
            "got": None if first is None else first.got,
            "expected": None if first is None else first.expected,
        }


@door(reference="give a function of an input; that of a recipe is recipes.reference(NAME)")
def check(
    model: Transformer,
    reference: Reference | Made,
    max_length: int | None = None,
    *,
    values: Mapping[str, Exact] | None = None,
    region: str | Tree | None = None,
    progress: Progress | None = None,
    domain: str = "exact",
    digits: int = DIGITS,
    error: str | None = None,
    resume: str | PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    yes: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Check:
    """Compare `model` with `reference` on every input up to `max_length`, exactly unless another `domain` is named.

    `values` sets declared symbols. A feed-forward recipe takes no length and is compared on the grid of
    `symcook.verify.grid`. `region` is a formula (text or tree) over inputs, symbols and n in which model and reference
    should agree; it restricts the inputs of both kinds of model over numbers. `digits` is for ball and mpmath. In
    floats a value may lie `TOLERANCE` away from the reference's. `error` is a number, or for a feed-forward recipe
    a term over inputs and symbols, by which a value may differ from the reference's in every domain.

    From AT_ONCE_FROM words on it is decided for every length, or words are merged, where that is possible, which
    `way` of the answer says; else, and with `resume`, `workers` or `executor`, every word is run. `resume` names a file
    that holds what is done, and is made where there is none: the same call goes on after any interruption. `workers` is
    a number of processes, or how many workers an `executor` has, which is any `concurrent.futures.Executor`. `yes`
    allows more than an hour, or LIMIT words. `tell` is given a sentence as soon as a word is found on which both
    differ; the smallest stands in the answer.

    Raises BadInput for a length below 1 or above the model's, for more than LIMIT inputs, for a sweep of more than an
    hour, for a file that holds another sweep, and for a reference that fails or returns something of the wrong type;
    NotExact where the exact domain has no value.
    """
    numbers = Numbers(domain, digits)
    within = None if error is None else parse_term(error)
    made = reference if isinstance(reference, Made) else Made.of(reference)
    if not model.alphabet and (resume, workers, executor) != (None, None, None):
        must = "a sweep that is interrupted or divided must be of a model that reads words"
        raise BadInput(must, model.name, "leave --resume and --workers out")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise BadInput("the number of workers must be an integer of at least 1", workers, "give --workers 2")
    if model.pointwise:
        if max_length is not None:
            raise BadInput("a feed-forward recipe is checked on a grid and has no length", max_length, "leave it out")
        from symcook.verify.grid import check_grid

        return check_grid(model, made.make(), region, values=values, progress=progress, numbers=numbers, within=within)
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= MAX_LENGTH:
        must = f"the greatest length must be an integer from 1 to {MAX_LENGTH}"
        raise BadInput(must, max_length, "give --max-length N")
    model.check_length(max_length + model.embedding.added)
    bound = model.bind(values)
    start = time.perf_counter()
    if bound.embedding.inputs is not None:
        task = Comparison(bound, made.make(), numbers, within=within)
        source = rows(bound, max_length, region_tree(region))
        tick = None if progress is None else lambda done: progress(done, source.total)
        tally = task.compare(source.parts(), tick)
        method = f"{numbers.text}, {source.text}; {task.way(tally)}"
        return found([(task, tally)], model.name, max_length, method, time.perf_counter() - start)
    sweep = WordSweep(bound, made, numbers, within, max_length)
    divided = (resume, workers, executor) != (None, None, None)
    answer = None if divided else sweep.at_once(progress)
    answer = answer or sweep.answer(resume, workers, executor, yes, progress, tell)
    return replace(answer, seconds=time.perf_counter() - start)


class WordSweep:
    """All words of a model to a length, compared with a reference."""

    def __init__(self, model: Transformer, made: Made, numbers: Numbers, within: Tree | None, max_length: int) -> None:
        self.model, self.made, self.numbers, self.within, self.max_length = model, made, numbers, within, max_length
        self.comparison = Comparison(model, made.make(), numbers, within=within)
        self.unmerged: Unmerged | None = None

    def answer(
        self,
        resume: str | PathLike[str] | None,
        workers: int | None,
        executor: Executor | None,
        yes: bool,
        progress: Progress | None,
        tell: Callable[[str], None] | None,
    ) -> Check:
        """What is found; see `check`."""
        empty, nothing = self.comparison.empty_word() if self.model.embedding.added else (None, Tally())
        with ExitStack() as stack:
            try:
                if not yes:
                    check_count(self.model, self.max_length)
                whole, speed = plan(self.model, self.max_length), None
                if whole.total >= TRIAL_FROM or resume is not None:  # what is not exact says so before there is a file
                    speed = rate(whole, lambda part: self.comparison.compare([part]))
                    whole = plan(self.model, self.max_length, speed)
                saved = None
                if resume is not None:
                    saved = self.checkpoint(resume, whole)
                    stack.callback(saved.close)
                    whole = saved.plan
                before = sum(saved.done.values(), Tally()) if saved else Tally()
                if speed is not None and not yes:
                    many = 1 if executor is None and workers is None else workers or cpu_count() or 1
                    check_time((whole.total - before.strings) / speed / many)
            except TooMuch as refusal:
                return self.at_random(refusal)
            elsewhere, many = None, workers or cpu_count() or 1
            if executor is not None or (workers or 1) > 1:
                task = Task.of(whole, self.made, self.numbers, self.within)
                executor = executor or stack.enter_context(processes(many, task))
                elsewhere = partial(spread, task, executor, 2 * many)
            tally = self.sweep(whole, before, saved, elsewhere, progress, tell)
        if tally.strings != whole.total:
            raise AssertionError(f"{tally.strings} strings were compared, and there are {whole.total}")
        what = f"exhaustive, {self.numbers.text}: all words of length 1 to {self.max_length}"
        what = what if empty is None else f"{what}, and the empty word"
        tally += nothing
        method = f"{what}; {self.comparison.way(tally)}"
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, method, 0.0, empty)
        return replace(answer, by_length=self.comparison.by_length(tally, self.max_length))

    def at_once(self, progress: Progress | None) -> Check | None:
        """What is found where words are so many that they are not run one and all: decided for words of every length,
        or merged, which counts too."""
        letters, few = len(self.model.alphabet), AT_ONCE_FROM.bit_length()
        strings = sum(letters**n for n in range(1, min(self.max_length, few if letters > 1 else AT_ONCE_FROM) + 1))
        if strings < AT_ONCE_FROM or self.numbers.domain != "exact" or self.comparison.within is not None:
            return None
        decided = self.decided()
        if decided is not None and decided.by_length:
            return decided
        counted = self.merged(progress)
        if decided is None or counted is None:
            return counted or decided
        if decided.holds is not counted.holds:
            raise AssertionError(f"{decided.method}, and {counted.method}: one says that they agree, one does not")
        return replace(counted, method=f"{counted.method}; {decided.method}")

    def decided(self) -> Check | None:
        """What is known of words of every length, said of those to the greatest one; None where that stays open."""
        from symcook.decide import decide

        fold = self.comparison.expected.fold
        if fold is None:
            return None
        try:
            with alarm(DECIDE_SECONDS):
                decision = decide(self.model, fold.fold)
        except TimeUp:
            return None
        if decision.verdict not in ("equal", "different") or decision.word == ():
            return None
        empty, tally = self.comparison.empty_word() if self.model.embedding.added else (None, Tally())
        letters, word, automaton = len(self.model.alphabet), decision.word, decision.automaton
        method, counts = f"decided for words of every length: {decision.why}", ()
        if word is not None and len(word) <= self.max_length:
            first = self.comparison.rank(self.model.embedding.surround(word))
            before = sum((place + 1) * letters**k for k, place in enumerate(reversed(first[0][1:])))
            method = "decided: all words up to the smallest on which they differ; those behind it were not compared"
            tally += Tally(before, 1, first=first)
        else:
            if word is not None:
                method = f"decided: the smallest word on which they differ has length {len(word)}"
            strings = [letters**n for n in range(1, self.max_length + 1)]
            tally += Tally(sum(strings))
            if automaton is not None and self.model.decides:
                accepted = automaton.counts(self.max_length)[1:]
                counts = tuple(map(LengthCount, range(1, self.max_length + 1), strings, accepted))
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, method, 0.0, empty)
        return replace(answer, way="decided", by_length=counts)

    def merged(self, progress: Progress | None) -> Check | None:
        """What is found where words can be merged; else why they cannot is kept."""
        from symcook.verify.merged import merged

        try:
            whole = merged(self.model, self.comparison.expected.reference, self.max_length, progress=progress)
        except Unmerged as why:
            self.unmerged = why
            return None
        empty, tally = self.comparison.empty_word() if self.model.embedding.added else (None, Tally())
        first = None if whole.smallest is None else self.comparison.rank(self.model.embedding.surround(whole.smallest))
        tally = Tally(whole.covered, whole.wrong, first=first) + tally
        what = f"{whole.how}; exact: all words of length 1 to {self.max_length}"
        what = what if empty is None else f"{what}, and the empty word"
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, what, 0.0, empty)
        return replace(answer, way="merged", by_length=whole.by_length)

    def sweep(
        self,
        whole: Plan,
        tally: Tally,
        saved: Checkpoint | None,
        elsewhere: Callable[[Iterable[Chunk]], Results] | None,
        progress: Progress | None,
        tell: Callable[[str], None] | None,
    ) -> Tally:
        """`tally`, of the chunks that are done, and what is found on the others."""
        done = saved.done if saved else {}
        chunks = (chunk for chunk in whole if chunk not in done)
        try:
            results = elsewhere(chunks) if elsewhere else self.here(whole, chunks, tally.strings, progress)
            for chunk, more in results:
                if saved is not None:
                    saved.add(chunk, more)
                known, tally = tally.first, tally + more
                if progress is not None:
                    progress(tally.strings, whole.total)
                if tell is not None and tally.first not in (None, known) and tally.strings < whole.total:
                    word = self.comparison.text(tally.first[1])
                    tell(f"{self.model.name} differs on {word}, the smallest so far; a smaller one may follow")
        except KeyboardInterrupt:
            if saved is None:
                raise
            kept = f"{tally.strings} of {whole.total} strings are done and stay in {saved.file}"
            raise KeyboardInterrupt(f"interrupted; {kept}: the same command goes on from there") from None
        return tally

    def here(self, whole: Plan, chunks: Iterable[Chunk], done: int, progress: Progress | None) -> Results:
        """Chunk by chunk what is found, in this process."""
        for chunk in chunks:
            tick = None if progress is None else partial(_tick, progress, done, whole.total)
            found = self.comparison.compare(whole.parts(chunk), tick)
            yield chunk, found
            done += found.strings

    def checkpoint(self, file: str | PathLike[str], whole: Plan) -> Checkpoint:
        """The file that holds what is done."""
        from symcook.verify.checkpoint import Checkpoint

        if self.made.name is None:
            raise BadInput("a sweep that can go on must have a reference from a file", "one that no file defines")
        about = {
            "version of symcook": __version__,
            "model": f"{self.model.name} {model_hash(self.model)[:16]}",
            "reference": self.made.name,
            "numbers": f"{self.numbers.text}, {self.numbers.digits} digits",
            "error": "0" if self.within is None else show(self.within),
            "greatest length": str(self.max_length),
        }
        return Checkpoint(fspath(file), about, whole, self.comparison.rank)

    def at_random(self, refusal: TooMuch) -> Check:
        """A word on which both differ, out of random ones: without one, nothing is known, and the refusal says so."""
        chance, letters, start, tried = random.Random(0), self.model.alphabet, time.perf_counter(), 0
        while time.perf_counter() - start < RANDOM_SECONDS:
            typed = chance.choices(letters, k=chance.randint(1, self.max_length))
            sequence, tried = self.model.embedding.surround(typed), tried + 1
            if self.comparison.agree(sequence) is False:
                tally = Tally(tried, 1, batched=False, first=self.comparison.rank(sequence))
                what = (
                    f"random, {self.numbers.text}: {tried} words of length 1 to {self.max_length}, until one differed"
                )
                answer = found([(self.comparison, tally)], self.model.name, self.max_length, what, 0.0)
                return replace(answer, way="random")
        do = f"{refusal.do} (on {tried} random words both agree)"
        if self.unmerged is not None:
            do += f"; words are not merged: {self.unmerged.given}"
        raise TooMuch(refusal.must, refusal.given, do) from refusal


def _tick(progress: Progress, before: int, total: int, done: int) -> None:
    progress(before + done, total)


def check_time(seconds: float) -> None:
    """TooMuch for a sweep that will take more than an hour."""
    if seconds > HOUR:
        do = "give --yes, with --resume FILE so that it can be interrupted, or a smaller --max-length"
        raise TooMuch("a sweep must take less than an hour unless more is allowed", f"about {duration(seconds)}", do)


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(50), duration(7000), duration(4 * 10**5), duration(10**9)
    ('50 seconds', '117 minutes', '111 hours', '31.7 years')
    """
    for size, unit in ((1, "second"), (60, "minute"), (3600, "hour"), (86400, "day")):
        count = round(seconds / size)
        if count < 120:
            return f"{count} {unit}{'s' * (count != 1)}"
    years = seconds / (365 * 86400)
    return f"{count} days" if years < 2 else f"{years:.3g} years"


def found(
    tasks: Sequence[tuple[Comparison, Tally]],
    name: str,
    max_length: int | None,
    method: str,
    seconds: float,
    empty_word: str | None = None,
) -> Check:
    """What comparisons of a model found together: one, or on a grid one for each setting of the symbols."""
    wrong = [task.counterexample(tally.first[1]) for task, tally in tasks if tally.first is not None][:1]
    unclear = [task.text(tally.first_open[1]) for task, tally in tasks if tally.first_open is not None][:1]
    return Check(
        name,
        max_length,
        sum(tally.strings for _, tally in tasks),
        sum(tally.mismatches for _, tally in tasks),
        wrong[0] if wrong else None,
        method,
        seconds,
        tasks[0][0].numbers.domain,
        sum(tally.open for _, tally in tasks),
        unclear[0] if unclear else None,
        empty_word,
    )


def recheck(stored: Mapping[str, Any], progress: Progress | None = None) -> bool:
    """Run the check that a certificate names again: whether it finds no mismatch on the same number of inputs.

    `stored` has "recipe", "max_length" and "strings", and where needed "arguments" (of the recipe) and "values" (of its
    symbols). Raises BadInput where an entry is missing or of the wrong type.
    """
    for key, kind in (("recipe", str), ("strings", int)):
        if not isinstance(stored.get(key), kind):
            raise BadInput(f"a stored check must have the entry {key}", stored.get(key))
    found = check_recipe(
        stored["recipe"], stored.get("max_length"), stored.get("arguments"), stored.get("values"), progress=progress
    )
    return found.holds and found.strings == stored["strings"]


def check_recipe(
    name: str,
    max_length: int | None = None,
    arguments: Mapping[str, object] | None = None,
    values: Mapping[str, Exact] | None = None,
    *,
    progress: Progress | None = None,
    domain: str = "exact",
    digits: int = DIGITS,
    **sweep: Any,
) -> Check:
    """Build the recipe `name` with its `arguments` and check it against its own reference; see `check`, for which
    `sweep` is.

    With the default arguments, in exact numbers, what the recipe says of itself is evaluated too (`verify.grid`):
    where that differs from the model, the answer is about it.
    """
    from symcook import recipes

    arguments = dict(arguments or {})
    model = recipes.build(name, **arguments)
    reference: Reference | Made
    if model.pointwise:
        inputs = model.embedding.inputs or ()
        made: dict[tuple[Fraction, ...], Reference] = {}

        def at_point(point: Mapping[str, Fraction]) -> Any:
            symbols = {key: value for key, value in point.items() if key not in inputs}
            key = tuple(symbols.values())
            if key not in made:
                made[key] = recipes.reference(name, arguments, symbols)
            return made[key]({key: point[key] for key in inputs})

        reference = at_point
    else:
        numbers = {key: fraction(value) for key, value in model.values(values).items()}
        said = ", ".join(f"{key}={value}" for key, value in {**arguments, **numbers}.items())
        reference = Made(partial(recipes.reference, name, arguments, numbers), f"{name} ({said})" if said else name)
    region = recipes.region(name, **arguments)
    how: Any = {"region": region, "progress": progress, "domain": domain, "digits": digits, **sweep}
    if (error := recipes.error(name, **arguments)) != "0":
        how |= {"error": error, "domain": "ball" if domain == "exact" else domain}
    found = check(model, reference, max_length, values=values, **how)
    info = recipes.info(name)
    if not found.holds or domain != "exact" or info.read(arguments) != info.read({}):
        return found
    from symcook.verify.grid import LENGTH, MOST, check_facts

    stated = check_facts(name, min(max_length or LENGTH, LENGTH), values, MOST)
    wrong = [one for one in stated if not one.holds]
    return wrong[0] if wrong else replace(found, stated=stated[0].strings)
