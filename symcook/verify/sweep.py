"""Comparison of a model with a reference that shares no code with it.

A model that reads strings is compared on every string of every length up to N, and on the empty string if the model
takes it; a recipe over rows on every sequence over a stated set of rows; a feed-forward recipe on a rational grid
(`symcook.verify.grid`). All inputs are tried, or many strings are decided or grouped together. Only where a check is
too large are random strings tried instead. Numbers are exact unless a number system is named: the batch domain does the
work, and a model that it cannot hold (softmax) runs input by input in the exact domain. In another number system every
input runs by itself. Intervals must leave an answer open if a value lies on its threshold; then the exact domain is
asked. What neither decides is counted as open, never as right or wrong.

Strings are compared chunk by chunk (`chunks`), here or in other processes (`workers`), and progress can be saved in a
file (`checkpoint`). If the strings of all chunks do not add up to the number of strings, there is no answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import islice
from os import PathLike, cpu_count, fspath
from typing import TYPE_CHECKING

from symcook import __version__
from symcook.alarm import TimeUp, alarm
from symcook.door import Progress, door
from symcook.errors import BadInput, Unmerged
from symcook.model.answers import EMPTY_STRING
from symcook.model.expr import Tree, parse_term, show
from symcook.model.extent import values_of
from symcook.model.modelfile import model_hash
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold
from symcook.verify.answers import BLOCK, InputPart, Reference, region_tree, rows
from symcook.verify.chunks import TRIAL_FROM, Chunk, Plan, TooMuch, check_count, plan, rate
from symcook.verify.comparison import DIGITS, Comparison, LengthCount, Numbers, Tally
from symcook.verify.findings import Check, duration, found
from symcook.verify.grid import check_grid
from symcook.verify.identity import identity
from symcook.verify.workers import Made, Results, Task, of_program, processes, spread
from symcook.words.positions import at_positions, reference_at

if TYPE_CHECKING:
    from symcook.decide.automata import Automaton
    from symcook.decide.decision import Decision
    from symcook.verify.checkpoint import Checkpoint
    from symcook.words import Word
    from symcook.words.inputs import Language, Strings

MAX_LENGTH = 1_000_000
"""The greatest `max_length` of a check."""
AT_ONCE_FROM = 2**20
"""From this number of strings on, a check first tries to decide all lengths and to group strings. Fewer strings are all
run, which takes seconds."""
EACH = 2**26
"""Up to so many strings of a dense model are run one by one where hulls leave some open."""
DECIDE_SECONDS = 10
"""The time limit of a decision, in seconds."""
HOUR = 3600
"""The greatest estimated time of a check, in seconds, that needs no consent."""
AGAIN, AGAIN_SECONDS = 100, 2.0
"""How many recorded strings of a checkpoint, and how many random strings, are run again at most, and for about how
many seconds of the processor at most."""
A_CORE = 4
"""The greatest number of processes for each processor core."""
RANDOM_SECONDS = 1.0
"""How many seconds of processor time random strings are tried."""


@door(reference="give a function of an input; that of a recipe is recipes.reference(NAME)")
def check(
    model: Transformer,
    reference: Reference | Made | None = None,
    max_length: int | None = None,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
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
    """Whether the model gives the answers of a specification on every input up to a length.

    Where the specification answers None, any answer is right; such inputs are counted as `free`. A feed-forward
    model takes no length and is compared on the grid of `symcook.verify.grid`. In floats a value may differ by
    `TOLERANCE`.

    From AT_ONCE_FROM strings on, all lengths are decided or strings are grouped, where that is possible;
    `Check.way` names the method. In balls, prefixes of a dense causal model are grouped in hulls for a Fold, and
    `Check.right_to` is the certified length. Otherwise, and with `resume`, `workers` or `executor`, every string is
    run.

    Arguments:
        reference: function of an input, Fold, or None (None). The specification; a compiled model has its program
            as the default, and a compiled decoder is compared with it token by token.
        max_length: int or None (None). The maximum length of a string; all strings of a finite list of `inputs`.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        region: str or tree (None). A formula over inputs, parameters and n in which both should agree; it restricts
            inputs of numbers.
        progress: function (None). Called with the work done and the total (None if unknown).
        domain: str ("exact"). The number system, as in `run`.
        digits: int (30). Decimal digits, for ball and mpmath.
        error: str (None). A number, or for a feed-forward model a term over inputs and parameters, by which a value
            may differ.
        resume: path (None). A file in which progress is saved; after an interruption the same call resumes.
        workers: int or None (None). A number of processes, or how many workers `executor` has.
        executor: concurrent.futures.Executor (None). Where the work is done.
        yes: bool (False). Allow more than an hour, or more than LIMIT strings.
        tell: function (None). Called with a sentence as soon as a string is found on which both differ.

    Returns: Check with `.holds`, `.counterexample` (the smallest), `.count`, `.way`.

    Raises: BadInput: a length below 1 or above the model's; more than LIMIT inputs or an hour without `yes`; a file
    that holds another check; a specification that fails or returns something of the wrong type. NotExact: the exact
    number system has no value.

    Example:

    >>> import symcook as sc
    >>> answer = sc.build("dyck-1").check(lambda string: string.count("(") == string.count(")"), max_length=3)
    >>> answer.holds, answer.counterexample
    (False, ')(')
    """
    from symcook.words.inputs import longest, require_sample, strings

    # Check the arguments first, so that none is refused after a long run.
    numbers = Numbers(domain, digits)
    within = None if error is None else parse_term(error)
    require_sample(sample, seed)
    if executor is not None and not callable(getattr(executor, "submit", None)):
        must = "an executor must be a concurrent.futures.Executor"
        raise BadInput(must, type(executor).__name__, "leave it out, or give the number of workers")
    if reference is None and _decodes(model):
        from symcook.verify.decoded import check_decoded

        others = {"resume": resume, "workers": workers, "executor": executor, "inputs": inputs}
        others |= {"sample": sample, "positions": positions}
        for option, given in others.items():
            if given is not None:
                must = f"a check of generated tokens must be used without --{option}"
                raise BadInput(must, model.name, f"leave --{option} out")
        return check_decoded(model, max_length, domain, digits, progress)
    maker = _of_model(model) if reference is None else Made.of(reference)
    divided = (resume, workers, executor) != (None, None, None)
    chosen = (inputs, sample) != (None, None)
    _check_ways(model, divided, chosen, positions, workers)
    # Some positions only: model and reference are wrapped, so that they answer only at these positions.
    original = model
    if positions is not None:
        given = maker.make()
        # A fold with one answer is about the last position already, and keeps its states.
        last_alone = positions == "last" and isinstance(given, Fold) and not given.each
        maker = Made.of(given if last_alone else reference_at(model, given, positions))
        model = at_positions(model, "last" if positions == "last" else None)
    # A feed-forward recipe reads one vector and not a sequence: a grid of inputs, no length.
    if model.pointwise:
        if max_length is not None:
            raise BadInput(
                "a feed-forward recipe is checked on a grid and has no length", max_length, "leave --max-length out"
            )
        ask = maker.make()
        return check_grid(model, ask, region, values=values, progress=progress, numbers=numbers, within=within)
    if max_length is None and inputs is not None:
        max_length = longest(model, inputs, 0) or None  # a finite language is compared as a whole
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= MAX_LENGTH:
        must = f"the maximum length must be an integer from 1 to {MAX_LENGTH:,}"
        raise BadInput(must, max_length, "give --max-length N")
    model.check_length(max_length + model.embedding.added)
    bound = model.bind(values)
    start = time.perf_counter()
    # Three kinds of input: sequences over a set of rows, the strings of a language, and all strings.
    if bound.embedding.inputs is not None:
        task = Comparison(bound, maker.make(), numbers, within=within)
        answer = _of_rows(task, max_length, region, progress)
    elif chosen:
        asked = strings(original, _lengths(original, max_length), inputs, sample, seed, positions)
        comparison = Comparison(bound, maker.make(), numbers, within=within, positions=positions)
        answer = of_strings(comparison, asked, progress)
    else:
        sweep = WordSweep(bound, maker, numbers, within, max_length, positions)
        # Only an exhaustive check can be resumed or divided among workers; a decision or grouping cannot.
        at_once = None if divided else sweep.at_once(progress)
        if at_once is None and not divided:
            at_once = sweep.in_hulls(progress)
        answer = at_once if at_once is not None else sweep.answer(resume, workers, executor, yes, progress, tell)
        if positions is not None:
            answer = _of_positions(answer, original, max_length, positions)
    return replace(answer, seconds=time.perf_counter() - start, values=values_of(original, values))


def _check_ways(model: Transformer, divided: bool, chosen: bool, positions: str | None, workers: object) -> None:
    """BadInput where the options of a check do not go together, or the model does not allow them. `divided`: the check
    can be resumed or has workers. `chosen`: it is on the strings of a language."""
    if not model.alphabet and divided:
        must = "a check that can resume, or has several workers, must be of a model that reads strings"
        raise BadInput(must, model.name, "leave --resume and --workers out")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise BadInput("the number of workers must be an integer of at least 1", workers, "give --workers 2")
    if positions is not None:
        at_positions(model, positions)
        if divided:
            must = "a check of chosen positions must run without a checkpoint file and with one worker"
            raise BadInput(must, "a file to resume, or workers", "leave --resume and --workers out")
    if chosen and (not model.alphabet or divided):
        refused = f"{model.name}, which reads numbers" if not model.alphabet else "a file to resume, or workers"
        raise BadInput(
            "a check of chosen strings must be of a model that reads strings, with one worker, not resumed",
            refused,
            "leave --workers and --resume out",
        )


def _lengths(model: Transformer, max_length: int) -> range:
    """The lengths of the strings that a model takes: 0 too where it adds tokens of its own."""
    return range(model.embedding.shortest, max_length + 1)


def _of_rows(task: Comparison, max_length: int, region: str | Tree | None, progress: Progress | None) -> Check:
    """The check of a model over rows, on every sequence over a set of rows."""
    source = rows(task.model, max_length, region_tree(region))
    tick = None if progress is None else lambda done: progress(done, source.total)
    tally = task.compare(source.parts(), tick)
    method = f"{task.numbers.text}, {source.text}; {task.way(tally)}"
    return found([(task, tally)], task.model.name, max_length, method, 0.0)


def _of_positions(answer: Check, original: Transformer, max_length: int, positions: str) -> Check:
    """The result of a check, with the positions whose answers were compared. `original` is the model as it was
    given."""
    from symcook.words.inputs import strings

    asked = strings(original, _lengths(original, max_length), positions=positions)
    method = f"{answer.method}; answers at positions: {positions}"
    # With a readout at each position, acceptance is the last answer, which need not be among those that count.
    by_length = answer.by_length if positions == "last" or not original.readout.each else ()
    return replace(answer, inputs=asked, method=method, by_length=by_length)


def of_strings(task: Comparison, asked: Strings, progress: Progress | None) -> Check:
    """The check of a model on the strings of a language, in batches of strings of one length."""
    from symcook.domains.batch import Listed
    from symcook.words.inputs import LISTED

    if (grouped := in_hulls(task, asked, 0 in asked.lengths, progress)) is not None:
        return replace(grouped, inputs=asked)
    if asked.count > LISTED:
        grouping = "--domain ball with a Fold, which groups prefixes, or " if task.model.dense else ""
        must = f"a check must have at most {LISTED} strings of a language"
        raise BadInput(must, asked.says, f"give {grouping}--sample 10000")
    surround = task.model.embedding.surround
    empty, tally = task.empty_word() if 0 in asked.lengths else (None, Tally())
    # A batch has strings of one length from 1 on; the empty string was compared above.
    parts = (
        InputPart(Listed(tuple(map(surround, block))))
        for n in asked.lengths
        if n
        for block in iter(partial(_block, asked.each(n)), ())
    )
    tick = None if progress is None else lambda done: progress(done, asked.count)
    tally += task.compare(parts, tick)
    method = f"exhaustive, {task.numbers.text}: {asked.says}; {task.way(tally)}"
    answer = found([(task, tally)], task.model.name, asked.longest, method, 0.0, empty)
    return replace(answer, inputs=asked)


def in_hulls(task: Comparison, asked: Strings, empty_too: bool, progress: Progress | None) -> Check | None:
    """The check of a dense model on very many strings, whose prefixes are grouped in hulls, and with `empty_too` on the
    empty string; None where that is not tried."""
    from symcook.verify.hulled import by_hulls

    hulled = by_hulls(task, asked, progress)
    if hulled is None:
        return None
    empty, tally = task.empty_word() if empty_too else (None, Tally())
    method = f"exhaustive, {task.numbers.text}: {asked.says}; {hulled.method}"
    answer = found([(task, hulled.tally + tally)], task.model.name, asked.longest, method, 0.0, empty)
    right_to = hulled.right_to if empty in (None, "agrees") else 0  # the empty string is shorter than all others
    return replace(answer, way="merged", right_to=right_to, stopped=hulled.stopped)


def _block(words: Iterator[Word]) -> tuple[Word, ...]:
    """The next strings, as many as a batch has at most."""
    return tuple(islice(words, BLOCK))


def _decodes(model: Transformer) -> bool:
    """Whether a model is a compiled decoder."""
    from symcook.programs.running import decodes

    return decodes(model)


def _of_model(model: Transformer) -> Made:
    """The program of a compiled model as its reference; BadInput for another model."""
    if model.program is None:
        do = "give a function of an input; that of a recipe is recipes.reference(NAME)"
        raise BadInput("a model that is not compiled must be checked against a specification", "none", do)
    return of_program(model.program)


class WordSweep:
    """The check of a model on all strings up to a length: decided at once, grouped, or exhaustive."""

    def __init__(
        self,
        model: Transformer,
        made: Made,
        numbers: Numbers,
        within: Tree | None,
        max_length: int,
        positions: str | None = None,
    ) -> None:
        self.model, self.made, self.numbers, self.within, self.max_length = model, made, numbers, within, max_length
        self.comparison = Comparison(model, made.make(), numbers, within=within, positions=positions)
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
        """The result of an exhaustive check; see `check` for the arguments. If it is too large or too long and `yes` is
        not given, random strings are tried instead."""
        # The content of the specification is read before its first call, which may fill a cache of its own.
        divided = executor is not None or (workers or 1) > 1
        content = None
        if (resume is not None or divided) and self.made.file is not None:
            content = identity(self.comparison.expected.reference)
        empty, empty_tally = self.on_empty()
        with ExitStack() as stack:
            try:
                chunk_plan, speed = self.planned(yes, resume is not None)
                if executor is None and workers is not None:
                    workers = min(workers, A_CORE * (cpu_count() or 1))
                saved = None
                if resume is not None:
                    saved = self.checkpoint(resume, chunk_plan, content)
                    stack.callback(saved.close)
                    chunk_plan = saved.plan  # the chunks of the first call, which may have measured another speed
                before = sum(saved.done.values(), Tally()) if saved else Tally()
                rechecked = 0 if saved is None else self.asked_again(saved)
                # An executor does not say how many workers it has: without `workers`, one a core is assumed.
                worker_count = 1 if executor is None and workers is None else workers or cpu_count() or 1
                if speed is not None and not yes:
                    check_time((chunk_plan.total - before.strings) / speed / worker_count)
            except TooMuch as refusal:
                return self.at_random(refusal)
            elsewhere = None
            if divided:
                task = Task.of(chunk_plan, self.made, self.numbers, self.within, content)
                if executor is None:
                    # A process for which no chunk is left would have nothing to do.
                    undone = (chunk for chunk in chunk_plan if saved is None or chunk not in saved.done)
                    worker_count = sum(1 for _ in islice(undone, worker_count)) or 1
                    executor = stack.enter_context(processes(worker_count, task))
                # Two chunks per worker are submitted ahead, so that no worker waits for its next one.
                elsewhere = partial(spread, task, executor, 2 * worker_count)
            tally = self.sweep(chunk_plan, before, saved, elsewhere, progress, tell)
        # The guarantee of an exhaustive check: no chunk was lost, and none counted twice.
        if tally.strings != chunk_plan.total:
            raise AssertionError(f"{tally.strings} strings were compared, and there are {chunk_plan.total}")
        tally += empty_tally
        method = f"exhaustive, {self.numbers.text}: {self.all_strings(empty)}; {self.comparison.way(tally)}"
        if saved is not None and before.strings:
            method += f"; {before.strings} of them from {saved.file} ({rechecked} of these were run again)"
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, method, 0.0, empty)
        return replace(answer, by_length=self.comparison.by_length(tally, self.max_length))

    def planned(self, yes: bool, saved: bool) -> tuple[Plan, float | None]:
        """The chunks, and the measured number of strings compared in a second (None where it was not measured).

        Measuring comes before a checkpoint is made, so that a model without exact values is refused first. TooMuch for
        too many strings, unless `yes`.
        """
        if not yes:
            check_count(self.model, self.max_length)
        chunk_plan = plan(self.model, self.max_length)
        if chunk_plan.total < TRIAL_FROM and not saved:
            return chunk_plan, None
        speed = rate(chunk_plan, lambda part: self.comparison.compare([part]))
        return plan(self.model, self.max_length, speed), speed

    def on_empty(self) -> tuple[str | None, Tally]:
        """The result on the empty string, and its tally; (None, an empty tally) where it is not an input of the
        model."""
        return self.comparison.empty_word() if self.model.embedding.added else (None, Tally())

    def all_strings(self, empty: object) -> str:
        """The strings that are compared, in words; with the empty string if the model takes it."""
        text = f"all strings of length 1 to {self.max_length}"
        return text if empty is None else f"{text}, and the empty string"

    def at_once(self, progress: Progress | None) -> Check | None:
        """The check of AT_ONCE_FROM strings or more without running each: decided for all lengths, by classes of
        strings, or both. None where there are fewer strings, or neither way works."""
        # Lengths are summed only until there are certainly enough strings; the whole sum may be huge.
        letters, few = len(self.model.alphabet), AT_ONCE_FROM.bit_length()
        strings = sum(letters**n for n in range(1, min(self.max_length, few if letters > 1 else AT_ONCE_FROM) + 1))
        if strings < AT_ONCE_FROM or self.numbers.domain != "exact" or self.comparison.within is not None:
            return None
        decided = self.decided()
        if decided is not None and decided.by_length:
            return decided
        counted = self.merged(progress)
        if decided is None:
            return counted
        if counted is None:
            return decided
        if decided.holds is not counted.holds:
            raise AssertionError(f"{decided.method}, and {counted.method}: one says that they agree, one does not")
        return replace(counted, method=f"{counted.method}; {decided.method}")

    def in_hulls(self, progress: Progress | None) -> Check | None:
        """The check of a dense model by prefixes in hulls; None where that is not tried, or leaves strings open of so
        few that each can be run."""
        from symcook.words.inputs import strings

        if self.numbers.domain != "ball":
            return None
        asked = strings(self.model, range(1, self.max_length + 1))
        answer = in_hulls(self.comparison, asked, bool(self.model.embedding.added), progress)
        return None if answer is not None and answer.open and asked.count <= EACH else answer

    def decided(self) -> Check | None:
        """The check by a decision for strings of every length. None where it is undecided, or the reference is not a
        fold."""
        fold = self.comparison.expected.fold
        decision = None if fold is None else self.decision(fold.fold)
        if fold is None or decision is None:
            return None
        empty, tally = self.on_empty()
        letters, smallest, automaton = len(self.model.alphabet), decision.word, decision.automaton
        strings = [letters**n for n in range(1, self.max_length + 1)]
        method, counts = f"decided for strings of every length: {decision.why}", ()
        # The smallest string on which they differ may be longer than the maximum length.
        within = smallest is not None and len(smallest) <= self.max_length
        different = self.differing(automaton, fold.fold) if within and automaton is not None else None
        ranked = self.comparison.rank(self.model.embedding.surround(smallest)) if within and smallest else None
        # Three cases. All strings up to the maximum length are covered: all agree, or the different ones are counted.
        # Else they differ on the empty string. Else only the strings up to the smallest difference are covered.
        if smallest is None or not within or different is not None:
            if different is not None:
                method = "decided: the product of two automata counts the strings with different answers"
            elif smallest is not None:
                method = f"decided: the smallest string with different answers has length {len(smallest)}"
            tally += Tally(sum(strings), sum(different or ()), first=ranked)
            if automaton is not None and self.model.decides:
                accepted = automaton.counts(self.max_length)[1:]
                counts = tuple(map(LengthCount, range(1, self.max_length + 1), strings, accepted))
        elif ranked is None:
            method = "decided: the answers to the empty string differ; no other string was compared"
        else:
            # How many strings there are up to the smallest difference, shorter ones first: its symbols as digits from
            # 1 on, to the base of the alphabet's size.
            before = sum((place + 1) * letters**k for k, place in enumerate(reversed(ranked[0][1:])))
            method = "decided: all strings up to the smallest with different answers; longer strings were not compared"
            tally += Tally(before, 1, first=ranked)
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, method, 0.0, empty)
        return replace(answer, way="decided", by_length=counts)

    def decision(self, fold: Fold) -> Decision | None:
        """Whether the model and a fold agree on strings of every length; None if that is undecided, takes longer than
        DECIDE_SECONDS, or if the code of the fold is not such that it can be decided."""
        from symcook.decide import decide
        from symcook.decide.allowed import NotAllowed

        try:
            with alarm(DECIDE_SECONDS):
                decision = decide(self.model, fold)
        except (TimeUp, NotAllowed):
            return None
        return decision if decision.verdict in ("equal", "different") else None

    def differing(self, automaton: Automaton, fold: Fold) -> list[int] | None:
        """On how many strings of each length from 1 on the automaton and a fold differ. None where this is not counted:
        for answers at each position, for too many pairs of states, and after DECIDE_SECONDS."""
        from symcook.decide.automata import differing
        from symcook.decide.decision import PAIRS, Decision, recogniser

        reference = recogniser(self.model, fold)
        if self.model.readout.each or isinstance(reference, Decision):
            return None
        try:
            with alarm(DECIDE_SECONDS):
                counts = differing(automaton, reference, self.model.alphabet, self.max_length, PAIRS)
        except TimeUp:
            return None
        return None if counts is None else counts[1:]

    def merged(self, progress: Progress | None) -> Check | None:
        """The check by classes of strings; None where strings cannot be grouped, with the reason in `unmerged`."""
        from symcook.verify.merged import merged

        try:
            counted = merged(self.model, self.comparison.expected.reference, self.max_length, progress=progress)
        except Unmerged as why:
            self.unmerged = why
            return None
        # Grouping covers lengths from 1 on; the empty string is added.
        empty, tally = self.on_empty()
        first = (
            None if counted.smallest is None else self.comparison.rank(self.model.embedding.surround(counted.smallest))
        )
        tally = Tally(counted.covered, counted.wrong, first=first) + tally
        method = f"{counted.how}; exact: {self.all_strings(empty)}"
        answer = found([(self.comparison, tally)], self.model.name, self.max_length, method, 0.0, empty)
        return replace(answer, way="merged", by_length=counted.by_length)

    def sweep(
        self,
        whole: Plan,
        tally: Tally,
        saved: Checkpoint | None,
        elsewhere: Callable[[Iterable[Chunk]], Results] | None,
        progress: Progress | None,
        tell: Callable[[str], None] | None,
    ) -> Tally:
        """`tally`, of the chunks that are done already, plus the findings on all other chunks."""
        done = saved.done if saved else {}
        chunks = (chunk for chunk in whole if chunk not in done)
        try:
            results = elsewhere(chunks) if elsewhere else self.here(whole, chunks, tally.strings, progress)
            for chunk, chunk_tally in results:
                if saved is not None:
                    saved.add(chunk, chunk_tally)
                smallest_before, tally = tally.first, tally + chunk_tally
                if progress is not None:
                    progress(tally.strings, whole.total)
                # Report a new smallest difference, if there are still strings to compare.
                if tell is not None and tally.first not in (None, smallest_before) and tally.strings < whole.total:
                    word = self.comparison.text(tally.first[1])
                    tell(f"{self.model.name} differs on {word}, the smallest so far; a smaller one may follow")
        except KeyboardInterrupt:
            if saved is None:
                raise
            saved_text = f"{tally.strings:,} of {whole.total:,} strings are done; progress is saved in {saved.file}"
            raise KeyboardInterrupt(f"interrupted; {saved_text}; run the same command to resume") from None
        return tally

    def here(self, whole: Plan, chunks: Iterable[Chunk], done: int, progress: Progress | None) -> Results:
        """Each chunk with its tally, computed in this process."""
        for chunk in chunks:
            tick = None if progress is None else partial(_tick, progress, done, whole.total)
            chunk_tally = self.comparison.compare(whole.parts(chunk), tick)
            yield chunk, chunk_tally
            done += chunk_tally.strings

    def checkpoint(self, file: str | PathLike[str], whole: Plan, content: str | None) -> Checkpoint:
        """The checkpoint in `file`; `content` is the identity of a specification that its name does not identify.
        BadInput where the specification has no name."""
        from symcook.verify.checkpoint import Checkpoint

        reference = self.made.name
        if reference is None:
            raise BadInput(
                "a check that can resume must have a specification from a file",
                "one that no file defines",
                "give the specification as FILE.py:FUNCTION",
            )
        if content is not None:
            reference = (
                f"{self.made.called} with the content {sha256(f'{reference} {content}'.encode()).hexdigest()[:16]}"
            )
        about = {
            "version of symcook": __version__,
            "model": f"{self.model.name} {model_hash(self.model)[:16]}",
            # The hash leaves out their order, which decides which string is the smallest.
            "symbols": " ".join(self.model.alphabet),
            "reference": reference,
            "numbers": f"{self.numbers.text}, {self.numbers.digits} digits",
            "error": "0" if self.within is None else show(self.within),
            "maximum length": str(self.max_length),
        }
        return Checkpoint(fspath(file), about, whole, self.comparison.rank)

    def asked_again(self, saved: Checkpoint) -> int:
        """Compare some strings of a checkpoint again: the smallest differences and open strings of chunks, and random
        strings, at least one if there is a chunk. Returns how many; BadInput where a result contradicts the file."""
        chance, tried = random.Random(len(saved.done)), 0
        start, chunks = time.process_time(), list(saved.done.items())
        # The recorded strings first, then random strings of random chunks.
        recorded = ((tally, one) for _, tally in chunks for one in (tally.first, tally.first_open))
        smallest = [(tally, one[1]) for tally, one in recorded if one is not None][:AGAIN]
        chunks_drawn = chance.choices(chunks, k=AGAIN) if chunks else []
        drawn = ((tally, self.drawn(chunk, chance)) for chunk, tally in chunks_drawn)
        for tally, sequence in (*smallest, *drawn):
            if tried and time.process_time() - start > AGAIN_SECONDS:
                break
            tried += 1
            agree, ranked = self.comparison.agree(sequence), self.comparison.rank(sequence)
            # The file is wrong if it calls this very string a mismatch or open, or the whole chunk a mismatch; or if it
            # misses a difference that is smaller than its smallest. An undecided answer (None) contradicts nothing.
            if agree is not None and ranked == tally.first_open:
                contradicted = True
            elif agree:
                contradicted = ranked == tally.first or tally.mismatches == tally.strings
            else:
                contradicted = agree is False and (tally.first is None or ranked < tally.first)
            if contradicted:
                how = "agree" if agree else "differ"
                contradiction = (
                    f"{saved.file}; asked again, they {how} on {self.comparison.text(sequence) or EMPTY_STRING}"
                )
                do = "something that the specification reads has changed: remove the file to begin anew"
                raise BadInput(
                    "the answers in a checkpoint must be those of the model and its specification", contradiction, do
                )
        return tried

    def drawn(self, chunk: Chunk, chance: random.Random) -> Sequence[str]:
        """A random string of a chunk, with the tokens that the model adds."""
        length = chance.randint(chunk.first, chunk.last)
        word = (*chunk.prefix, *chance.choices(self.model.alphabet, k=length - len(chunk.prefix)))
        return self.model.embedding.surround(word)

    def at_random(self, refusal: TooMuch) -> Check:
        """The check on random strings until model and reference differ; TooMuch, from `refusal`, where no difference is
        found in RANDOM_SECONDS."""
        chance, letters, start, tried = random.Random(0), self.model.alphabet, time.process_time(), 0
        # Random strings until one differs: a counterexample is an answer even where the sweep is too large.
        while time.process_time() - start < RANDOM_SECONDS:
            typed = chance.choices(letters, k=chance.randint(1, self.max_length))
            sequence, tried = self.model.embedding.surround(typed), tried + 1
            if self.comparison.agree(sequence) is False:
                tally = Tally(tried, 1, batched=False, first=self.comparison.rank(sequence))
                what = (
                    f"random, {self.numbers.text}: {tried} strings of length 1 to {self.max_length}, until one differed"
                )
                answer = found([(self.comparison, tally)], self.model.name, self.max_length, what, 0.0)
                return replace(answer, way="random")
        # No random string differs, which proves nothing.
        do = f"{refusal.do} ({tried:,} random strings agree)"
        if self.unmerged is not None:
            do += f"; strings cannot be grouped: {self.unmerged.given}"
        raise TooMuch(refusal.must, refusal.given, do) from refusal


def _tick(progress: Progress, before: int, total: int, done: int) -> None:
    """Report progress inside a chunk, where `before` strings were compared before it."""
    progress(before + done, total)


def check_time(seconds: float) -> None:
    """TooMuch for a check that will take more than an hour."""
    if seconds > HOUR:
        do = "give --yes, with --resume FILE so that it can be interrupted, or a smaller --max-length"
        raise TooMuch("a check must take less than an hour unless more is allowed", f"about {duration(seconds)}", do)
