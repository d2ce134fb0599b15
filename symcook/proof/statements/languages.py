"""Statements about languages: what `decide` knows of a model and of the string becomes the answer to a statement.

Such a statement joins, by connectives, what the model answers (`accept`, `answer(L)`, also of a second model) and
conditions that a fold reads from the string: `matches("R")`, linear comparisons and remainders of counts and of n, the
first and the last symbol, and formulas about the symbols at all positions. `LanguageSentence` reads it; `decided`
compares the model with the folds, for strings of every length:

- a model with finitely many values is an automaton, of which all pairs of states are visited;
- a model that counts is a machine whose equality with a fold is proved by invariants;
- a second model becomes a fold in the same way.

For each possible answer of the model, a reference states on which strings the model must not give it, and is silent on
all others. The result is untrusted: a string is run before it refutes the statement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any, NamedTuple

from symcook.alarm import Until
from symcook.errors import BadInput
from symcook.model import expr, modelfile
from symcook.model.expr import Tree
from symcook.model.transformer import Transformer
from symcook.programs.automata import Automaton
from symcook.programs.regular import regular_table
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.opengoal import NoResult
from symcook.proof.statements import certify
from symcook.proof.statements.reader import WORDS, SentenceReader
from symcook.proof.statements.secondrun import OTHER, parted, unquoted
from symcook.proof.statements.trees import mapped
from symcook.proof.statements.vocabulary import ModelMeaning
from symcook.spec.automata import language
from symcook.spec.fold import Fold

MOST_ROWS = 4096
"""The greatest number of rows of a statement's truth table. That is twelve different parts; 24 claims of an unseen set
had at most three."""
BINDERS = ("all", "ex", "all in", "ex in")
"""The tags of quantified formulas."""
AUTOMATA, INVARIANTS = "automata of the model and of the strings", "invariants of the model's counters"
"""What decided a statement, by the kind of the model."""


class NoLanguage(NoResult):
    """The statement is not one about languages, or the model is not one that `decide` reads; the text says why."""


class StringPart(NamedTuple):
    """A condition on the string, or the answer of the second model: a fold, and its possible answers."""

    fold: Fold
    answers: tuple[Any, ...]


TruthOf = Callable[[Any, tuple[Any, ...]], bool]
"""The truth of a formula, from the answer of the model and those of the parts."""


@dataclass(frozen=True)
class LanguageVerdict:
    """What was found out: the statement is true of all strings, or false of `word`, a smallest string."""

    by: str
    word: tuple[str, ...] | None = None


class LanguageSentence:
    """A statement as a truth table: `truth` is a function of the model's answer and of those of the `parts`.

    `typed` are the first and the last position of a typed symbol, as trees."""

    def __init__(self, tree: Tree, model: Transformer, other: Transformer | None, typed: tuple[Tree, Tree]) -> None:
        self.model, self.other, self.typed = model, other, typed
        embedding = model.embedding
        self.letters, self.added = embedding.alphabet, embedding.added
        self.parts: dict[Any, StringPart] = {}
        self.absent: list[Any] = []
        """The keys of the parts about a symbol at a position that the empty string does not have."""
        self.labels: list[Any] = []
        """The labels of the model's answer that the statement names."""
        self.truth = self._formula(self._at_the_end(tree))

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def _at_the_end(self, tree: Tree) -> Tree:
        """A formula about each typed position i as the formula about the last position, which is then asked of each
        string: what a causal model answers at i is its answer to the prefix up to i. Any other formula unchanged."""
        if tree[0] != "all in" or (tree[2], tree[3]) != self.typed or ("name", "n") in _names(tree[4]):
            return tree
        if not all(_is_causal(model) for model in (self.model, self.other) if model is not None):
            return tree
        # Each part of the formula must be about the prefix up to i.
        calls = [tree[4]]
        while calls:
            part = calls.pop()
            if part[0] == "call" and ("name", tree[1]) not in part[2]:
                return tree
            calls += [] if part[0] == "call" else expr.children(part)
        return _placed(tree[4], tree[1], tree[3])

    def _formula(self, tree: Tree) -> TruthOf:
        """The truth of a formula."""
        if tree[0] in ("=", "<=", "<") and (sides := _with_sides(tree)) is not None:
            return self._formula(sides)
        match tree:
            case ("true",):
                return lambda answer, values: True
            case ("false",):
                return lambda answer, values: False
            case ("~", inner):
                truth = self._formula(inner)
                return lambda answer, values: not truth(answer, values)
            case ("&" | "|" | "->" | "<->" as tag, left, right):
                return _joined(tag, self._formula(left), self._formula(right))
            case ("call", name, arguments):
                return self._call(name, arguments)
            case ("=" | "<=" | "<" as tag, left, right):
                return self._part(*self._compared(tag, ("-", right, left)))
            case ("ex", name, "Int", ("=", left, right)):
                return self._part(*self._remainder(name, ("-", left, right)))
            case ("all in" | "ex in" as tag, name, low, high, body) if (low, high) == self.typed:
                return self._part(*self._somewhere(tag, name, body))
        raise NoLanguage(
            "the statement quantifies over more than the symbol at one position"
            if tree[0] in BINDERS
            else f"decide does not know the sign {tree[0]}"
        )

    def _part(self, key: Any, fold: Fold) -> TruthOf:
        """The truth of a condition on the string, which becomes a part unless an equal one is a part already."""
        number = self._number(key, StringPart(fold, (True, False)))
        return lambda answer, values: values[number]

    def _number(self, key: Any, part: StringPart) -> int:
        """The number of a part."""
        self.parts.setdefault(key, part)
        return [*self.parts].index(key)

    def _call(self, name: str, arguments: tuple[Tree, ...]) -> TruthOf:
        """The truth of a keyword: what a model answers, a regular expression, or a symbol at an end of the string."""
        prefix, word = parted(name)
        given = [unquoted(one[1]) for one in arguments if one[0] == "given"]
        places = [one for one in arguments if one[0] != "given"]
        if word in ("accept", "answer") and prefix in ("", OTHER) and places in ([], [self._last_position(prefix)]):
            return self._answer(prefix, given[0] if given else True)
        if name == "matches" and places in ([], [self._last_position("")]):
            table = regular_table(given[0], self.letters)
            return self._part(("matches", given[0]), language(table))
        if name == "at" and places and places[0] in self.typed:
            is_last = places[0] == self.typed[1]
            # Without a typed symbol, the last position is that of a token before the string; the first is not there.
            if not is_last or self.model.embedding.ends[1]:
                self.absent.append((is_last, given[0]))
            return self._part((is_last, given[0]), (_last if is_last else _first)(self._typed(given[0])))
        raise NoLanguage(f"decide does not know the name {name} in a statement")

    def _last_position(self, prefix: str) -> Tree | None:
        """The last position of the run of the model, or of the second one, where n is the length of the first run: with
        a token after the string, it is not that of the last symbol. None without a second model."""
        model = self.model if prefix == "" else self.other
        if model is None:
            return None
        more = model.embedding.added - self.added + model.embedding.start - 1
        return expr.parse_term(f"n {'-' if more < 0 else '+'} {abs(more)}" if more else "n")

    def _answer(self, prefix: str, label: object) -> TruthOf:
        """That the model, or the second one, gives the answer `label`."""
        model = self.model if prefix == "" else self.other
        if model is None:
            raise NoLanguage("the statement is about a second model, and none was given")
        labels: tuple[Any, ...] = model.readout.labels or (True, False)
        if label not in labels:
            raise NoLanguage(f"the label {label} is not one of the labels of the model")
        if prefix == "":
            self.labels += [label] if label not in self.labels else []
            return lambda answer, values: answer == label
        # The empty string is an input only of a model that adds tokens; any other gives it no answer.
        answers = labels if model.embedding.added else (*labels, None)
        number = self._number(OTHER, StringPart(_folded(model), answers))
        return lambda answer, values: values[number] == label

    # --- Conditions on the string ------------------------------------------------------------------------------------

    def _typed(self, letter: str) -> str:
        """A symbol that the user types."""
        if letter not in self.letters:
            raise NoLanguage(f"{letter} is a token that the model adds, not a symbol of the string")
        return letter

    def _linear(self, tree: Any) -> tuple[dict[str, Fraction], Fraction]:
        """A term as a sum over the symbols of the string and a constant: how much each symbol adds."""
        match tree:
            case ("num", p, q):
                return {}, Fraction(p, q)
            case ("name", "n"):
                return dict.fromkeys(self.letters, Fraction(1)), Fraction(self.added)
            case ("call", "count", (("given", token), *places)) if places in ([], [self.typed[1]]):
                return {self._typed(unquoted(token)): Fraction(1)}, Fraction(0)
            case ("neg", inner):
                return _scaled(self._linear(inner), Fraction(-1))
            case ("+" | "-" as tag, left, right):
                (one, constant), (two, subtracted) = self._linear(left), self._linear(right)
                sign = 1 if tag == "+" else -1
                factors = {k: one.get(k, Fraction(0)) + sign * two.get(k, Fraction(0)) for k in {**one, **two}}
                return factors, constant + sign * subtracted
            case ("*", ("num", p, q), inner) | ("*", inner, ("num", p, q)):
                return _scaled(self._linear(inner), Fraction(p, q))
            case ("/", inner, ("num", p, q)) if p:
                return _scaled(self._linear(inner), Fraction(q, p))
        raise NoLanguage("a term of the statement is not linear in n and the symbol counts")

    def _integral(self, tree: Tree) -> tuple[dict[str, int], int]:
        """A term as `_linear` gives it, times the least number that makes it integral."""
        factors, constant = self._linear(tree)
        scale = lcm(constant.denominator, *(x.denominator for x in factors.values()))
        return {k: int(factors.get(k, 0) * scale) for k in self.letters}, int(constant * scale)

    def _compared(self, tag: str, difference: Tree) -> tuple[Any, Fold]:
        """The fold of 0 = d, 0 <= d or 0 < d."""
        factors, constant = self._integral(difference)
        return ("compared", tag, tuple(factors.items()), constant), _counting(factors, constant, tag)

    def _remainder(self, name: str, difference: Tree) -> tuple[Any, Fold]:
        """The fold of the condition that d = 0 for an integer q, which d contains linearly."""
        body, divisor = _without(difference, name)
        factors, constant = self._integral(body)
        if (
            divisor == 0
            or self._linear(body)[1] != constant
            or any(factors[k] != x for k, x in self._linear(body)[0].items())
        ):
            raise NoLanguage("the statement takes the remainder of a term that is not always an integer")
        return ("remainder", divisor, tuple(factors.items()), constant), _modular(factors, constant, divisor)

    def _somewhere(self, tag: str, name: str, body: Tree) -> tuple[Any, Fold]:
        """The fold of a condition on the symbol at each (or some) position alone."""
        true = tuple(letter for letter in self.letters if self._at(body, name, letter))
        return (tag, true), _everywhere(true) if tag == "all in" else _anywhere(true)

    def _at(self, body: Tree, name: str, letter: str) -> bool:
        """The truth of a formula about the symbol at the position `name` alone, where this is `letter`."""
        match body:
            case ("~", inner):
                return not self._at(inner, name, letter)
            case ("&" | "|" | "->" | "<->" as tag, left, right):
                sides = self._at(left, name, letter), self._at(right, name, letter)
                return _joined(tag, lambda a, v: v[0], lambda a, v: v[1])(None, sides)
            case ("call", "at", (("given", token), ("name", place))) if place == name:
                return unquoted(token) == letter
        raise NoLanguage("a quantified formula is about more than the symbol at one position")

    # --- The references ----------------------------------------------------------------------------------------------

    def references(self, answers: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], Fold]]:
        """For the possible answers of the model, the folds that state where it must not give them: each answers False
        there, and None elsewhere. Answers that the statement does not name go together. Answers that are right
        everywhere are left out."""
        unnamed = tuple(answer for answer in answers if answer not in self.labels)
        groups = [*((label,) for label in self.labels), *([unnamed] if unnamed else [])]
        if prod(len(part.answers) for part in self.parts.values()) > MOST_ROWS:
            raise NoLanguage("the statement has too many conditions")
        rows = [*product(*(part.answers for part in self.parts.values()))]
        silent = {row: None for row in rows if None in row}
        asked = [row for row in rows if row not in silent]
        tables = [
            (group, silent | {row: None if self.truth(group[0], row) else False for row in asked}) for group in groups
        ]
        return [(group, self._fold(table)) for group, table in tables if False in table.values()]

    def true_of_the_empty_string(self, answer: Any) -> bool:
        """Whether the statement is true of the empty string, to which the model gives this answer, whatever symbols are
        at positions that it does not have."""
        values = {key: part.fold.answer(part.fold.start) for key, part in self.parts.items()}
        absent = [key for key in self.parts if key in self.absent]
        at_absent = [dict(zip(absent, row, strict=True)) for row in product((True, False), repeat=len(absent))]
        return all(self.truth(answer, tuple({**values, **own}.values())) for own in at_absent)

    def _fold(self, table: Mapping[tuple[Any, ...], bool | None]) -> Fold:
        """The fold that answers by a truth table of the parts."""
        joined = Fold((), _stays, _nothing)
        for part in self.parts.values():
            joined = _beside(joined, part.fold)
        own_answer, rows = joined.answer, dict(table)
        return Fold(joined.start, joined.step, lambda state: rows[own_answer(state)])


# --- Folds, whose code consists of what `decide` follows -------------------------------------------------------------


def _stays(state: Any, letter: str) -> Any:
    """The same state after each symbol."""
    return state


def _nothing(state: Any) -> Any:
    """No answers."""
    return ()


def _beside(one: Fold, two: Fold) -> Fold:
    """Both folds on the same string: the answers of `one`, then that of `two`."""
    one_step, two_step, one_answer, two_answer = one.step, two.step, one.answer, two.answer

    def step(state: Any, letter: str) -> Any:
        """Both states after one more symbol."""
        return one_step(state[0], letter), two_step(state[1], letter)

    def answer(state: Any) -> Any:
        """The answers."""
        return (*one_answer(state[0]), two_answer(state[1]))

    return Fold((one.start, two.start), step, answer)


def _counting(factors: Mapping[str, int], constant: int, tag: str) -> Fold:
    """Whether a sum over the symbols and a constant is 0, not negative, or positive."""
    adds = dict(factors)
    answers: dict[str, Callable[[Any], Any]] = {
        "=": lambda total: total == 0,
        "<=": lambda total: total >= 0,
        "<": lambda total: total > 0,
    }
    return Fold(constant, lambda total, letter: total + adds[letter], answers[tag])


def _modular(factors: Mapping[str, int], constant: int, divisor: int) -> Fold:
    """Whether a divisor divides a sum over the symbols and a constant."""
    moves = {(rest, letter): (rest + x) % divisor for rest in range(divisor) for letter, x in factors.items()}
    return Fold(constant % divisor, lambda rest, letter: moves[rest, letter], lambda rest: rest == 0)


def _last(wanted: str) -> Fold:
    """Whether the last symbol is `wanted`."""
    return Fold(False, lambda last, letter: letter == wanted, lambda last: last)


def _first(wanted: str) -> Fold:
    """Whether the first symbol is `wanted`."""

    def step(first: Any, letter: str) -> Any:
        """The first symbol, once there is one."""
        return letter if first is None else first

    return Fold(None, step, lambda first: first == wanted)


def _everywhere(letters: tuple[str, ...]) -> Fold:
    """Whether all symbols are among `letters`."""
    return Fold(True, lambda true, letter: true and letter in letters, lambda true: true)


def _anywhere(letters: tuple[str, ...]) -> Fold:
    """Whether some symbol is among `letters`."""
    return Fold(False, lambda true, letter: true or letter in letters, lambda true: true)


# --- Trees and truth -------------------------------------------------------------------------------------------------


def _joined(tag: str, left: TruthOf, right: TruthOf) -> TruthOf:
    """The truth of two formulas joined by a connective."""
    tests: dict[str, Callable[[bool, bool], bool]] = {
        "&": lambda a, b: a and b,
        "|": lambda a, b: a or b,
        "->": lambda a, b: b or not a,
        "<->": lambda a, b: a == b,
    }
    test = tests[tag]
    return lambda answer, values: test(left(answer, values), right(answer, values))


def _with_sides(comparison: Tree) -> Tree | None:
    """A comparison with abs, min or max as the same comparison with the argument that applies, by two cases; None for
    a comparison without one."""
    call = _first_sided(comparison)
    if call is None:
        return None
    _, name, arguments = call
    one, two = (arguments[0], ("neg", arguments[0])) if name == "abs" else arguments
    order: Tree = ("<=", two, one) if name != "min" else ("<=", one, two)
    first, second = (_exchanged(comparison, call, side) for side in (one, two))
    return ("|", ("&", order, first), ("&", ("~", order), second))


def _first_sided(tree: Tree) -> Tree | None:
    """The first innermost call of abs, min or max in a comparison of terms; None without one."""
    inner = next((found for part in expr.children(tree) if (found := _first_sided(part)) is not None), None)
    return tree if inner is None and tree[0] == "call" and tree[1] in ("abs", "min", "max") else inner


def _exchanged(tree: Tree, part: Tree, new: Tree) -> Tree:
    """A tree with another tree in the place of a part."""
    return new if tree == part else mapped(tree, lambda inner: _exchanged(inner, part, new))


def _scaled(term: tuple[dict[str, Fraction], Fraction], factor: Fraction) -> tuple[dict[str, Fraction], Fraction]:
    """A multiple of a linear form."""
    return {k: factor * x for k, x in term[0].items()}, factor * term[1]


def _without(tree: Tree, name: str) -> tuple[Tree, int]:
    """A sum without its multiple of `name`, and the number with which this is multiplied, without its sign."""
    if ("name", name) not in _names(tree):
        return tree, 0
    match tree:
        case ("*", ("num", p, 1), ("name", own)) if own == name:
            return ("num", 0, 1), abs(p)
        case ("name", own) if own == name:
            return ("num", 0, 1), 1
        case ("+" | "-", left, right):
            (one, first), (two, second) = _without(left, name), _without(right, name)
            if not (first and second):
                return (tree[0], one, two), first + second
    raise NoLanguage("the statement has a quantifier over integers")


def _names(tree: Tree) -> list[Tree]:
    """The names in a term, as trees."""
    return [tree] if tree[0] == "name" else [name for part in expr.children(tree) for name in _names(part)]


def _placed(tree: Tree, name: str, place: Tree) -> Tree:
    """A formula with `place` in the place of the name of a position."""
    if tree == ("name", name):
        return place
    if tree[0] == "call":
        return (*tree[:2], tuple(_placed(one, name, place) for one in tree[2]))
    return tuple(_placed(part, name, place) if isinstance(part, tuple) else part for part in tree)


# --- Deciding --------------------------------------------------------------------------------------------------------


def _at_the_last(model: Transformer) -> Transformer:
    """The model with its answer at the last position alone."""
    return replace(model, readout=replace(model.readout, position="last")) if model.readout.each else model


def automaton(model: Transformer) -> Automaton | Failed:
    """The smallest automaton of what a model answers; the reason for a model that is none."""
    from symcook.decide.finite import Finite, Missing, OutOfReach

    try:
        return Finite(_at_the_last(model)).automaton()
    except (Missing, OutOfReach, BadInput) as error:
        return Failed(str(error))


def _is_causal(model: Transformer) -> bool:
    """Whether the answer of a model at each position depends on the string up to there alone."""
    from symcook.compilers import genuine
    from symcook.programs import FORMULAS
    from symcook.programs.reading import formula_of

    if not model.readout.each or model.embedding.ends[1]:
        return False
    if model.unfollowed() is None:
        return True
    # A compiled formula may look back although its heads do not.
    program = model.program
    if program is None or program.kind not in FORMULAS or not genuine(model):
        return False
    return not any(
        line.op in ("next", "until", "table") or any(count.side == "right" for count in line.counts)
        for line in formula_of(program).lines
    )


def _folded(model: Transformer) -> Fold:
    """The second model as a fold; NoLanguage where it is neither an automaton nor a machine that counts."""
    from symcook.decide.automata import folded
    from symcook.decide.counting import Counting
    from symcook.decide.decision import counting
    from symcook.decide.finite import Finite, Missing, OutOfReach

    last = _at_the_last(model)
    try:
        return folded(Finite(last).automaton())
    except Missing as error:
        raise NoLanguage(str(error)) from None
    except OutOfReach:
        pass
    try:
        machine = counting(last)
    except OutOfReach as error:
        raise NoLanguage(f"{model.name}: {error}") from None
    return machine.fold() if isinstance(machine, Counting) else machine.fold


def decided(
    text: str,
    document: Mapping[str, Any],
    other: Mapping[str, Any] | None = None,
    with_programs: Sequence[Transformer | None] = (),
    until: Until | None = None,
) -> LanguageVerdict | Failed:
    """The verdict on the statement `text` about the model of a document, and perhaps about a second model, found before
    the moment `until`; or the reason why there is none. `with_programs` are the models of the documents, with their
    programs if they have one."""
    return attempted(lambda: _decided(text, document, other, with_programs), until)


def _decided(
    text: str,
    document: Mapping[str, Any],
    other: Mapping[str, Any] | None,
    with_programs: Sequence[Transformer | None],
) -> LanguageVerdict:
    """What `decided` returns; raises NoLanguage where there is no verdict."""
    from symcook.decide.counting import StateTable
    from symcook.decide.decision import counting, decodes
    from symcook.decide.finite import Finite, Missing, OutOfReach

    models = [modelfile.loads(json.dumps(one)) for one in (document, other) if one is not None]
    for k, (one, model) in enumerate(zip((document, other), with_programs, strict=False)):
        if one is not None and model is not None and modelfile.to_document(model) == one:
            models[k] = model  # a document has no program
    for one in models:
        if one.parameters or one.embedding.words is None or decodes(one):
            raise NoLanguage("the model has parameters, reads numbers, or generates its answer token by token")
    if len({tuple(sorted(one.alphabet)) for one in models}) > 1:
        raise NoLanguage("the two models read different symbols")
    own, second = _at_the_last(models[0]), models[1] if len(models) > 1 else None
    meaning = ModelMeaning(document, certify.definitions(), other)
    if WORDS.keys() & {*meaning.space, *(() if second is None else second.space.names)}:
        raise NoLanguage("a coordinate of the model has the name of a keyword of statements")
    tree = SentenceReader(text, meaning.space, second is not None, meaning.symbols).whole()
    first, last = map(expr.parse_term, meaning.typed_places)
    try:
        sentence = LanguageSentence(tree, models[0], second, (first, last))
        # The model: an automaton or, where it has not finitely many values, a machine that counts.
        machine: Any
        try:
            states: Any = Finite(own).automaton()
            machine, by = StateTable(states), AUTOMATA
        except OutOfReach:
            machine = states = counting(own)
            by = INVARIANTS
        return _verdict(sentence, machine, states, by, own)
    except (Missing, OutOfReach, BadInput) as error:
        raise NoLanguage(str(error)) from None


def _verdict(sentence: LanguageSentence, machine: Any, states: Any, by: str, model: Transformer) -> LanguageVerdict:
    """The verdict on a sentence, from the references for all possible answers of the model: the smallest of the strings
    on which one of them is violated."""
    words = list[tuple[str, ...]]()
    answers: tuple[Any, ...] = model.readout.labels or (True, False)
    for group, reference in sentence.references(answers):
        word = _violated(*_asked_for(group, machine, states), reference, sentence.letters)
        words += [] if word is None else [word]
    has_absent = not words and bool(sentence.added and sentence.absent)
    if has_absent and not sentence.true_of_the_empty_string(states.answer(states.initial)):
        raise NoLanguage("the statement names a position that the empty string does not have")
    order = {letter: number for number, letter in enumerate(sentence.letters)}
    smallest = min(words, key=lambda word: (len(word), [order[letter] for letter in word]), default=None)
    return LanguageVerdict(by, smallest)


def _asked_for(group: tuple[Any, ...], machine: Any, states: Any) -> tuple[Any, Any]:
    """The machine of a model, and its recogniser, with the answer whether its own answer is in a group."""
    from symcook.decide.counting import Counting, StateTable
    from symcook.decide.invariants import Programmed

    if isinstance(states, Automaton):
        automaton = replace(states, answers=tuple(None if one is None else one in group for one in states.answers))
        return StateTable(automaton), automaton
    if isinstance(machine, Programmed):
        fold, own_answer = machine.fold, machine.fold.answer
        labels = group

        def answer(state: Any) -> Any:
            """Whether the answer is in the group."""
            own = own_answer(state)
            return None if own is None else own in labels

        programmed = Programmed(replace(fold, answer=answer))
        return programmed, programmed
    if not isinstance(machine, Counting):
        raise NoLanguage("the model is neither a finite automaton nor one with counters")
    counting = copy(machine)
    counting.cases = {
        last: [(when, None if one is None else one in group) for when, one in cases]
        for last, cases in machine.cases.items()
    }
    return counting, counting


def _violated(machine: Any, states: Any, reference: Fold, letters: tuple[str, ...]) -> tuple[str, ...] | None:
    """A smallest string on which the model does not give the answer of a reference; None where it always does."""
    from symcook.decide.automata import Asked, parted
    from symcook.decide.decision import PAIRS, SOON
    from symcook.decide.following import Lost
    from symcook.decide.invariants import Invariants, invariants
    from symcook.proof.inequalities.simplex import TooLong

    asked = Asked(reference)
    comparison = parted(states, asked, letters, SOON)
    if comparison.word is not None or comparison.length is None:
        return comparison.word
    try:
        evidence = invariants(machine, reference, letters)
    except (Lost, TooLong) as error:
        raise NoLanguage(f"no invariants of the counters were found: {error}") from None
    if isinstance(evidence, Invariants):
        return None
    comparison = parted(states, asked, letters, PAIRS)
    if comparison.word is None and comparison.length is not None:
        raise NoLanguage(f"{evidence}; no string up to length {comparison.length} violates it")
    return comparison.word
