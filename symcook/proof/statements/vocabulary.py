"""The meaning of the names in a statement about a model, and the translation of the statement into a formula.

The input is a model's document and the text of a statement, as a user writes it: ``x@1(i)``, ``count(a)``,
``accept(n)``. The output is a tree of the proof language, whose functions are those of the run's equations
(`ModelMeaning.relation`):

- a coordinate, with a stage or without one, becomes the function that holds it there;
- a keyword (`WORDS` of the reader: at, count, first, accept, holds, ..) is written out as a formula or term;
- a definition of the library stays as it is.

`ModelMeaning` belongs to the model, and `Sentence` to one statement. Errors quote the part of the text that is wrong.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn

from symcook.errors import BadInput, Rejected, unknown
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.model.parts import KINDS
from symcook.model.spelled import spelled
from symcook.present import present
from symcook.programs.regular import regular_table
from symcook.proof import grammar
from symcook.proof.attention import AttendedHead
from symcook.proof.definitions import HeadRow, Row
from symcook.proof.grammar import Definition
from symcook.proof.holds import Truths
from symcook.proof.replay import ID
from symcook.proof.rounded import ROUNDED, RoundedTerms, words
from symcook.proof.runrel import Relation
from symcook.proof.runtext import joined, readable, times
from symcook.proof.statements import attended, invariance, places
from symcook.proof.statements.reader import ATTENDED, HINTS, UNNAMED, WORDS, YIELDING, SentenceReader, own_word
from symcook.proof.statements.secondrun import (
    OTHER,
    PERMUTED,
    OtherModel,
    SecondRun,
    other_strings,
    parted,
    place_parts,
    place_text,
    second_runs,
    typed,
    unquoted,
)
from symcook.proof.statements.trees import mentioned, replaced
from symcook.proof.terms import Sort, Term, sort_of, var

if TYPE_CHECKING:
    from symcook.proof.grammar import Env

MOST_STATES = 60
"""The maximum number of states, and of symbols, of the automaton of a regular expression. The table has a fact for each
state and symbol. 24 claims of an unseen set had at most 7 states."""
HERE_NAME = "here"
"""The name of the position in the texts of keywords and of the readout's conditions; `written` replaces it."""
# By function: an example of its use, for error messages.
_ROUNDED_AS = {"mod": "mod(n, 2)", "floor": "floor(n/2)", "sign": "sign(i - 2)"}
OWN_NAMES = frozenset({"n", "w", "run", "word", "names", HERE_NAME})
"""Names that have a meaning in every formal statement, so that no coordinate may have them there."""
INDICES = frozenset({"i", "j", "k"})
"""Names that the equations of a run bind: a symbol that is called so has another name there."""
NUMBERS = {"words", "positions", "weights"}.union(
    *((name for name, form in kind.FIELDS.items() if form != "word") for kind in KINDS.values())
)
"""The keys of a model's document under which texts are numbers."""


SCORED = ("sign", "largest", "distribution", "groups")
"""The kinds of readouts that compute logits: one, or one for each label."""


class _Layers(Relation):
    """A relation that also records which function holds each coordinate after a sublayer. The keys of `after` are the
    number of the layer (0 is the embedding) and "attention", or "" for its feed-forward sublayer (and the
    embedding). `heads` has the heads by the number of their layer, None for one that writes nothing."""

    def __init__(self, model: Mapping[str, object]) -> None:
        self.after: dict[tuple[int, str], dict[str, str]] = {}
        self.heads: dict[int, list[AttendedHead | None]] = {}
        self.number = 0
        super().__init__(model)

    def _embed(self) -> None:
        super()._embed()
        self.after[0, ""] = dict(self.held)

    def _part(self, number: int, blocks: list[Any], norms: list[Any], placement: str) -> None:
        self.number = number
        super()._part(number, blocks, norms, placement)
        part = "attention" if blocks and "mask" in blocks[0] else ""
        self.after[number, part] = dict(self.held)

    def logit(self, label: str | None, at: str | None = None) -> str:
        """The logit of a readout "sign" (`label` is None), or the score of a label, as a term: where the readout looks,
        or at the position `at` where it looks at each position or at all."""
        kind, position = self.looks
        if kind not in SCORED:
            raise BadInput(
                f"logit needs a readout {', '.join(SCORED[:-1])} or {SCORED[-1]}",
                kind,
                "state accept, or a value at a position",
            )
        if (at is None) is (position in ("each", "all")):
            must = "no position, since the model answers once" if at else "a position, since the model answers at each"
            raise BadInput(f"logit takes {must}", at or "none", "write logit" if at else "write logit(n), for example")
        place = at or {"first": self.low, "last": self.high}[position]
        if label is not None:
            which, scores = self._scores(label, place)
            return scores[which]
        readout = self.model["readout"]
        weighted = zip(readout["weights"][0], (self._at(name, place) for name in readout["reads"]), strict=True)
        return joined(times(weight, value) for weight, value in weighted if value)

    def _added(self, block: Any, view: Any) -> list[tuple[str, Row]]:
        added = super()._added(block, view)
        if "mask" in block:
            factor = readable(block["scale"], self.used), readable(block["temperature"], self.used)
            rows = [AttendedHead(row, factor, self.call) for _, row in added if isinstance(row, HeadRow)]
            self.heads.setdefault(self.number, []).append(next(iter(rows), None))
        return added


def renamed(document: Mapping[str, Any], taken: Collection[str]) -> tuple[Mapping[str, Any], dict[str, str]]:
    """The document with new names for the coordinates whose name is `taken`; and by coordinate, its name there, which
    is the old one if it is not `taken`."""
    norms = [
        norm for layer in document["layers"] for key in ("attention", "feedforward") for norm in layer[f"{key}_norms"]
    ]
    own = dict.fromkeys([*document["space"], *(name for norm in norms for name in norm["writes"])])
    new_names: dict[str, str] = {}
    for name in own:
        new = name
        # Underscores are added until the name is free; a new name must not be that of another coordinate either.
        while new in taken or (new != name and (new in own or new in new_names.values())):
            new += "_"
        new_names[name] = new

    def walk(part: object, key: str) -> Any:
        """The part of the document under `key`, with the new names."""
        if isinstance(part, dict):
            # Rows of an embedding have coordinates as keys; "words" has one row for each token.
            has_coordinates = key in ("positions", "row")
            return {
                new_names[k] if has_coordinates else k: walk(v, "row" if key == "words" else k) for k, v in part.items()
            }
        if isinstance(part, list):
            lists_coordinates = key in ("space", "inputs", "reads", "writes")
            return [new_names[x] if lists_coordinates else walk(x, key) for x in part]
        return part

    return walk(document, ""), new_names


def with_symbols(document: Mapping[str, Any], called: Mapping[str, str]) -> Mapping[str, Any]:
    """The document with the names `called` for its symbols; the document itself if all keep theirs."""
    new: dict[str, Tree] = {old: ("name", name) for old, name in called.items() if old != name}
    if not new:
        return document

    def walk(part: object, number: bool) -> Any:
        """The part of the document with the new names; `number` says whether texts in it are numbers."""
        if isinstance(part, dict):
            return {key: walk(value, number or key in NUMBERS) for key, value in part.items()}
        if isinstance(part, list):
            return [walk(value, number) for value in part]
        return expr.show(replaced(expr.parse_term(part), new, {})) if number and isinstance(part, str) else part

    declared = [{**symbol, "name": called[symbol["name"]]} for symbol in document["symbols"]]
    return {**walk({**document, "symbols": []}, False), "symbols": declared}


def split(name: str) -> tuple[str, str]:
    """For a name in a statement, such as ``v``, ``"v"`` or ``v@1``: the coordinate and the stage of its value, "" for
    the last.

    >>> split("v@1.attention"), split('"odd"')
    (('v', '@1.attention'), ('odd', ''))
    """
    quoted = name[:1] in ('"', "'")
    # Where the coordinate ends: after its closing quote, at the @, or at the end of the name.
    end = name.index(name[0], 1) + 1 if quoted else name.find("@") if "@" in name else len(name)
    return name[1 : end - 1] if quoted else name[:end], name[end:]


def free(taken: Collection[str], name: str, *others: str) -> str:
    """A name that is not `taken`: `name` itself, else one of `others` (by default those of `BOUND`), else `name` with a
    number."""
    pool = itertools.chain((name, *(others or BOUND)), (f"{name}{number}" for number in itertools.count(1)))
    return next(x for x in pool if x not in taken)


BOUND = ("i", "j", "k")
"""The names that the texts of keywords bind."""
BoundNames = Mapping[str, str]
"""The names that are bound around a part of a statement, with their names in the formula."""


def rebuilt(
    tree: Tree, scope: BoundNames, walk: Callable[[Tree, BoundNames], Tree], fresh: Callable[[str, BoundNames], str]
) -> Tree:
    """A tree that is neither a name nor a call, with each part changed by `walk` and each bound name by `fresh`. Both
    functions take the `scope`: the names that are bound around the part."""
    tag = tree[0]
    if tag in ("num", "true", "false"):
        return tree
    if tag not in ("sum", "prod", "all in", "ex in", "all", "ex", "lambda"):
        return (tag, *(walk(part, scope) for part in tree[1:]))
    # A binder: only its body is in the scope of its names, not the ends of its range.
    inner = dict(scope)
    for name in tree[1] if tag == "lambda" else (tree[1],):
        inner[name] = fresh(name, inner)
    if tag == "lambda":
        return (tag, tuple(inner[name] for name in tree[1]), walk(tree[2], inner))
    if tag in ("all", "ex"):
        return (tag, inner[tree[1]], tree[2], walk(tree[3], inner))
    return (tag, inner[tree[1]], *(walk(part, scope) for part in tree[2:4]), walk(tree[4], inner))


def written(tree: Tree, here: Tree | None, taken: Collection[str]) -> Tree:
    """The `tree` of a keyword's text, with the position `here` in place of `HERE_NAME`, and with bound names that are
    not `taken`."""

    def walk(part: Tree, scope: BoundNames) -> Tree:
        if part[0] == "name":
            return here if here is not None and part[1] == HERE_NAME else ("name", scope.get(part[1], part[1]))
        if part[0] == "call":
            return ("call", part[1], tuple(walk(a, scope) for a in part[2]))
        return rebuilt(part, scope, walk, lambda name, inner: free({*taken, *inner.values()}, name))

    return walk(tree, {})


def about_brackets(known: Mapping[str, Definition]) -> set[str]:
    """The names of the definitions that take token 0 for an opening and token 1 for a closing bracket."""
    about = {"bracket", "brackets"}
    for name, definition in known.items():  # a definition only uses earlier definitions
        if about & mentioned(definition.tree):
            about.add(name)
    return about


def named(name: str) -> str:
    """The id of statements about a model of this name: ``own.NAME``, with a hyphen for characters that no id may have.

    >>> named("votes"), named("my model"), named("")
    ('own.votes', 'own.my-model', 'own.model')
    """
    safe_name = name if ID.fullmatch(name) else re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
    return f"own.{safe_name or 'model'}"


class ModelMeaning:
    """The meaning of names in statements about the model of a document.

    `run` has the run's equations as one formula, and `parts` one by one. `word` is the premise about the string, None
    for a model that reads numbers. `functions` are the names of the run's functions, `sorts` the sorts of all names
    that a statement quantifies, `tokens` the number of each token, `taken` the names that a bound name must not have.
    `names` has, for each coordinate, its name in the formula."""

    def __init__(
        self,
        document: Mapping[str, Any],
        known: Mapping[str, Definition],
        other: Mapping[str, Any] | None = None,
    ) -> None:
        """`known` are the definitions of the library. `other` is the document of a second model that a statement may be
        about.

        A statement may contain the names of symbols of the model, which are reals. BadInput for an `other` model with
        symbols."""
        if other is not None and other["symbols"]:
            must, names = "a second model must have values for its symbols", [s["name"] for s in other["symbols"]]
            raise BadInput(must, ", ".join(names), "save it with values, and give that file")
        self.known, self.space = known, tuple(document["space"])
        declared_names = [declared["name"] for declared in document["symbols"]]
        words = WORDS.keys() - (YIELDING & {*self.space, *declared_names})
        self.taken = {*known, *expr.RESERVED, *words, *OWN_NAMES}
        # By symbol of the model, its name in the formula.
        self.symbols: dict[str, str] = {}
        for name in declared_names:
            own_names = {*self.space, *declared_names, *self.symbols.values()} - {name}
            self.symbols[name] = free({*self.taken, *INDICES, *own_names}, name, f"{name}_")
        self.taken |= {*self.symbols.values()}
        self.given = document, other
        self.document, self.names = renamed(with_symbols(document, self.symbols), self.taken)
        self.relation = _Layers(self.document)
        self.run, self.parts, self.word = self.relation.run(), self.relation.whole.parts, None
        words = document["embedding"]["words"]
        if words is not None:
            self.word = self.relation.word()
        self.functions = list(self.relation.sorts())  # with the inputs, if the model reads numbers
        self.taken |= set(self.functions)
        self.tokens: dict[str, int] = {token: number for number, token in enumerate(words or ())}
        self.truths: Truths | None = None  # the truth functions of the temporal formulas in the statement
        # The names that a statement quantifies, in this order: the length, symbols, tokens, functions.
        self.sorts = {} if self.relation.pointwise else {"n": "Int"}
        self.sorts |= dict.fromkeys(self.symbols.values(), "Real")
        self.sorts |= {} if words is None else {"w": "Int->Int"}
        self.sorts |= dict.fromkeys(self.functions, "Real" if self.relation.pointwise else "Int->Real")
        self.others: dict[str, OtherModel] = {}  # the second runs, by the prefix of their names
        self.places: dict[str, str] = {}  # by name of a changed position in the statement: its name in the formula
        self.add_runs("")  # the second model, which has no text in parentheses

    def add_runs(self, sentence: str) -> None:
        """Add each second run in `sentence`, and that of the second model, to `others`; and its equations and functions
        to those of the first run. Rejected for an invalid prefix or position, BadInput for a second model that
        does not fit."""
        for run in second_runs(sentence, *self.given):
            same = next((second_run for second_run in self.others.values() if second_run.of.same(run)), None)
            if same is not None:  # the same run, written differently
                self.others[run.prefix] = same
                continue
            second_meaning = ModelMeaning(run.document, self.known)
            places = [self.place(run, place) for place in run.places]
            self.others[run.prefix] = second = OtherModel(self, second_meaning, run, places)
            self.parts = [*second.parts, *self.parts]
            self.run = " & ".join([*second.parts, self.run])
            self.functions += second.sorts
            self.taken |= {*second.sorts}
            self.sorts |= second.sorts

    def place(self, run: SecondRun, given: str) -> str:
        """A position in the prefix of a run, as it is written in the formula: with a number, n, or a new name, which is
        added to `places`. Rejected for a name that already has a meaning."""
        name, _ = place_parts(given)
        if name not in run.named or name in self.places:
            return place_text(given, self.places.get(name, name))
        if name in {*self.space, *self.symbols, *self.taken, *self.tokens} or not expr.valid_name(name):
            raise Rejected(f"{name!r} has a meaning in statements; call the position by another name")
        bound = mentioned(tuple(expr.parse_formula(part) for part in (*self.parts, present(self.word))))
        self.places[name] = new = free({*self.taken, *bound, *BOUND}, name)
        self.sorts[new] = "Int"
        self.taken.add(new)
        return place_text(given, new)

    @property
    def least(self) -> list[str]:
        """The premises that each run has a position, and that changed positions are in range; empty for a model without
        positions."""
        if self.relation.pointwise:
            return []
        of_others = [condition for second in self.others.values() for condition in second.least]
        return [*dict.fromkeys(["1 <= n", *of_others])]

    @property
    def typed_places(self) -> tuple[str, str]:
        """The first and the last position of a typed symbol."""
        before, after = (self.document["embedding"][key] for key in ("before", "after"))
        low, high = int(self.relation.low) + (before is not None), self.relation.high
        return str(low), high if after is None else expr.show(expr.parse_term(f"{high} - 1"))

    @property
    def typed(self) -> list[str]:
        """The symbols that may be typed."""
        return typed(self) if self.tokens else []

    @property
    def integers(self) -> dict[str, bool]:
        """The names of integers, each with whether it is never negative, which is true of all."""
        return {"n": True, **dict.fromkeys(self.places.values(), True)}

    @property
    def regions(self) -> list[str]:
        """The formulas that state the bounds of the model's symbols."""
        formulas = []
        for declared in self.document["symbols"]:
            name, lower, upper = declared["name"], declared["lower"], declared["upper"]
            if lower is not None:
                formulas.append(f"{lower} {'<' if declared['lower_open'] else '<='} {name}")
            if upper is not None:
                formulas.append(f"{name} {'<' if declared['upper_open'] else '<='} {upper}")
        return formulas

    def text(self, sentence: str) -> str:
        """The text of the formula for a statement; BadInput for an invalid statement. For temporal formulas, as in
        ``holds(F, i)``, this sets `truths` to their truth functions, and adds the sorts of these to `sorts`. For second
        runs, as in ``changed(p, a).accept``, it adds their equations, functions and positions (see `add_runs`)."""
        return expr.show(Sentence(self, sentence).made)

    def truths_for(self, sentence: Sentence) -> Truths:
        """An empty record of truth functions, for the temporal formulas of a statement over the typed symbols."""
        low, high = self.typed_places
        letters = {token: self.tokens[token] for token in self.typed}
        return Truths(letters, int(low), high, {*self.taken, *sentence.reader.names}, sentence.fail)

    def stages(self, name: str) -> dict[str, str | None]:
        """By stage, ``@0`` (the embedding), ``@1.attention``, ``@1``, ..: the function that gives the values of the
        coordinate at that stage; None while it is 0."""
        after, inner = self.relation.after, self.names[name]
        out = {"@0": after[0, ""].get(inner)}
        for number in range(1, len(self.document["layers"]) + 1):
            last = out[f"@{number - 1}"]  # the stage of the layer before, if this layer has no sublayer
            if (number, "attention") in after:
                out[f"@{number}.attention"] = last = after[number, "attention"].get(inner)
            out[f"@{number}"] = after[number, ""].get(inner) if (number, "") in after else last
        return out

    def listed(self) -> list[str]:
        """The coordinates as a statement writes them, then ``NAME@STAGE`` for each earlier value that differs."""
        earlier = []
        for name in self.space:
            functions_seen = {None, self.relation.held.get(self.names[name])}
            for stage, function in self.stages(name).items():
                if function not in functions_seen:
                    earlier.append(f"{name}{stage}")
                    functions_seen.add(function)
        return [name if self.names[name] == name else f'"{name}"' for name in self.space] + earlier


class Sentence:
    """One statement about the model of a `ModelMeaning`. `made` is its formula, as a tree."""

    READER = SentenceReader
    """The class that reads the text. `FamilySentence` has another one."""

    def __init__(self, meaning: ModelMeaning, text: str) -> None:
        """BadInput for an invalid statement."""
        self.meaning, self.text = meaning, text
        second = meaning.others.get(OTHER)
        second_names = [] if second is None else [f"{OTHER}{name}" for name in second.meaning.space]
        own = [*meaning.space, *meaning.symbols]
        ends = (meaning.relation.low, meaning.relation.high)
        self.reader = self.READER(text, [*meaning.space, *second_names], second is not None, meaning.symbols, ends)
        tree = self.tree = self.reader.whole()
        # The runs on other strings, as in ``changed(p, a).accept``.
        for prefix, begin in other_strings(text, own).items():
            try:
                meaning.add_runs(prefix)
            except Rejected as error:
                raise self.reader.wrong(str(error), begin, begin + len(prefix) - 1) from None
            if prefix == f"{PERMUTED}." and (why := invariance.refused(tree, meaning)) is not None:
                raise self.reader.wrong(why, begin, begin + len(prefix) - 1)
        # ``all p in a..b`` at the top for a changed position p: the formula quantifies p anyway; this is a premise.
        ranges, used = dict[str, Tree](), set[str]()
        while tree[0] == "all in" and tree[1] in meaning.places and tree[1] not in ranges:
            place, low, high, body = ("name", tree[1]), *tree[2:]
            used |= mentioned(low) | mentioned(high)
            if tree[1] in used:
                raise self.fail(tree, f"the name '{tree[1]}' stands in a range before it is bound")
            ranges[tree[1]] = ("&", ("<=", low, place), ("<=", place, high))
            tree = body
        for premise in reversed(ranges.values()):
            tree = ("->", premise, tree)
        try:
            self.formulas(tree)
            self.made = self.rounded(self.walk(tree, meaning.places))
            self._require_formula(tree)
            self._require_positions(tree)
        except RecursionError:
            raise self.fail(tree, "the statement nests too deep") from None
        except Rejected as error:  # from a keyword or a definition
            raise self.fail(tree, str(error)) from None

    def _require_positions(self, tree: Tree) -> None:
        """BadInput for a term at a position that no string has."""
        if not self.meaning.relation.pointwise and (found := places.absent(tree, self.meaning)) is not None:
            raise self.fail(*found)

    def _require_formula(self, tree: Tree) -> None:
        """BadInput if a part of the formula `made` has a wrong sort, or if all of it is a number. `tree` is the tree of
        the statement, for the position of the error."""
        env = {name: var(name, _sort(sort)) for name, sort in self.meaning.sorts.items()}
        if sort_of(_Builder(self).build(self.made, env, self.meaning.known)) != "Bool":
            raise self.fail(tree, "the statement is a number; compare the number with something")

    def rounded(self, tree: Tree) -> Tree:
        """`tree` with floor, mod and sign written out."""
        own = {*self.meaning.functions, *self.meaning.known}
        if not mentioned(tree) & ROUNDED.keys() - own:
            return tree

        def fail(part: Tree, what: str) -> BadInput:
            return self.fail(part, f"{what}; for another number a write ex m:Int. m <= a & a < m + 1")

        return RoundedTerms({*self.meaning.taken, *words(tree)}, fail, own).put(tree, self.meaning.integers)

    def fail(self, tree: Tree, what: str) -> BadInput:
        """The error `what` about the part `tree` of the statement. If this part has a name that is a coordinate, but
        has another meaning, the error says how to write the coordinate."""
        _, begin, end = self.reader.spans.get(id(tree), (tree, 0, len(self.text)))
        for name in self.meaning.space:
            if self.meaning.names[name] != name and re.search(rf"(?<![\"'\w]){name}\b", self.text[begin:end]):
                what += f'; the coordinate {name} is written "{name}"(i)'
        return self.reader.wrong(what, begin, end)

    def unknown(self, tree: Tree, name: str) -> BadInput:
        """The error about an unknown name. It has advice for a common mistake, a token, an unbound variable, or a name
        that is similar to a known one."""
        listed = self.meaning.listed()
        ends = "..".join(self.reader.ends)
        advice = f"bind it: all {name} in {ends}. F" if tree[0] == "name" and len(name) == 1 else None
        if name in self.meaning.tokens:
            advice = f"{name} is a token: write at({name}, i) for w(i) = {name}, count({name}) for how often it occurs"
        near = unknown("name", name, [*WORDS, *(word for word in HINTS if word.isalpha())]).do or ""
        if advice is None and len(name) > 2 and near.startswith("did you mean"):
            meant = near.removeprefix("did you mean ").removesuffix("?")
            advice = self.reader.advice(meant) if meant in HINTS else near
            advice = None if (unknown("name", name, listed).do or "").startswith("did you mean") else advice
        advice = (self.reader.advice(name) if name in HINTS else advice) or unknown("name", name, listed).do
        return self.fail(tree, f"the name '{name}' is unknown here; {advice}")

    def formulas(self, tree: Tree) -> None:
        """Name the truth functions of all temporal formulas and regular expressions in a statement. This is done before
        the translation, so that no bound name gets the name of a truth function."""
        todo, truth_calls = [tree], []
        while todo:
            part = todo.pop(0)
            is_truth_call = part[0] == "call" and part[1] in ("holds", "matches")
            truth_calls += [part] if is_truth_call else []
            # The first argument of such a call is a formula or expression in another language: do not look into it.
            todo = [*(part[2][1:] if is_truth_call else expr.children(part)), *todo]
        if truth_calls:
            if "w" not in self.meaning.sorts:
                raise self.absent(truth_calls[0], truth_calls[0][1])
            self.meaning.truths = truths = self.meaning.truths_for(self)
            for part in truth_calls:
                if part[1] == "holds":
                    truths.of(part[2][0])
                else:
                    self.automaton(part)
            self.meaning.taken |= {*truths.lines.values()}
            self.meaning.sorts |= dict.fromkeys(truths.lines.values(), "Int->Int")

    def automaton(self, tree: Tree) -> tuple[str, list[int]]:
        """For ``matches(EXPRESSION, ..)``: the name of the function that gives the state of the expression's automaton,
        "" if the automaton has only one state; and the numbers of the accepting states."""
        truths, meaning = present(self.meaning.truths), self.meaning
        try:
            table = regular_table(unquoted(tree[2][0][1]), tuple(truths.letters))
        except BadInput as error:
            raise self.fail(tree, "; ".join(filter(None, (error.must, f"given: {error.given}", error.do)))) from None
        if max(len(table.moves), len(table.alphabet)) > MOST_STATES:
            raise self.fail(tree, f"its automaton must have at most {MOST_STATES} states and symbols")
        after = meaning.document["embedding"]["after"]
        ends = [] if after is None else [meaning.tokens[after]]
        name = truths.state(table.moves, meaning.relation.high, ends) if len(table.moves) > 1 else ""
        return name, [state for state, accepts in enumerate(table.answers) if accepts]

    # The translation from the names of the statement to those of the formula. Each new part gets the position in the
    # text of the part that it replaces.

    def walk(self, tree: Tree, scope: BoundNames) -> Tree:
        """`tree` in the names of the formula. `scope` has the names that are bound around it."""
        tag = tree[0]
        if tag == "name":
            translated = self.name(tree, scope)
        elif tag == "call":
            translated = self.call(tree, scope)
        else:
            translated = rebuilt(tree, scope, self.walk, lambda name, inner: self.fresh(tree, name, inner))
        span = self.reader.spans.get(id(tree))
        if span is not None:
            self.reader.spans[id(translated)] = (translated, *span[1:])
        return translated

    def fresh(self, tree: Tree, name: str, scope: BoundNames) -> str:
        """The name in the formula for a `name` that a quantifier or sum binds. BadInput if it is already bound, or is a
        coordinate."""
        if name in scope:
            each = f"; the statement is about each position {name}, so begin it with all {name} in 1..n."
            raise self.fail(tree, f"the name '{name}' is bound twice{each if name in self.meaning.places else ''}")
        if name in self.meaning.space or name in self.meaning.symbols:
            what = "coordinate" if name in self.meaning.space else "symbol of the model"
            raise self.fail(tree, f"the statement binds '{name}', which is a {what}; take another name")
        return free({*self.meaning.taken, *scope.values()}, name)

    def name(self, tree: Tree, scope: BoundNames) -> Tree:
        """The tree of a name without arguments."""
        name, meaning = tree[1], self.meaning
        if name in scope:
            return ("name", scope[name])
        if parted(name)[0]:
            return self.of_other(tree, [], scope)
        base, stage = split(name)
        if name in ("n", "w") and name not in meaning.sorts:
            raise self.absent(tree, name)
        is_other_function = name in meaning.functions and name not in meaning.space
        if name in ("n", "w", "pi") or is_other_function:
            return ("name", name)
        if base in meaning.symbols and not stage:
            return ("name", meaning.symbols[base])
        if base not in meaning.space:
            raise self.unknown(tree, name)
        function = self.held(tree, base, stage)
        if function is not None:
            return ("name", function)
        # A coordinate to which nothing was written: the number 0, or the function that is 0 everywhere.
        if meaning.relation.pointwise:
            return ("num", 0, 1)
        return ("lambda", (free({*meaning.taken, *scope.values()}, "j"),), ("num", 0, 1))

    def call(self, tree: Tree, scope: BoundNames) -> Tree:
        """The tree of a name with arguments: a keyword, a name of a second run, w, a bound name, a function or
        definition of the language, or a coordinate at a position, in this order."""
        _, name, arguments = tree
        if self.reader.is_word(name):
            return self.word(tree, scope)
        if parted(name)[0]:
            return self.of_other(tree, [self.walk(a, scope) for a in arguments], scope)
        if name == "w" and name not in self.meaning.sorts:
            raise self.absent(tree, name)
        base, stage = split(name)
        # An unknown name is refused before its arguments, which may be unknown too.
        has_meaning = name in {*scope, *self.meaning.functions, *ROUNDED} or base in self.meaning.space
        if not has_meaning and (base != name or not self.language(name, len(arguments))):
            raise self.unknown(tree, name)
        values = tuple(self.walk(a, scope) for a in arguments)
        if name in scope:
            return ("call", scope[name], values)
        kind_in_language = self.language(name, len(values)) if base == name else ""
        is_coordinate = base in self.meaning.space
        if is_coordinate and kind_in_language == "number":  # both would be numbers: nothing tells them apart
            second_meaning = "the token at a position" if name == "w" else "a function as well"
            raise self.fail(tree, f"{name} has two meanings here, since it is {second_meaning}")
        if kind_in_language:
            self.brackets(tree)
            return ("call", name, values)
        if not is_coordinate and name in self.meaning.functions:
            return ("call", name, values)
        if not is_coordinate and name in ROUNDED:
            arity = ("one number", "two numbers")[ROUNDED[name] - 1]
            raise self.fail(tree, f"{name} takes {arity}, as {_ROUNDED_AS[name]}")
        if not is_coordinate:
            raise self.unknown(tree, name)
        # A coordinate: it takes one position.
        if self.meaning.relation.pointwise:
            raise self.fail(tree, f"this model has no positions; its values are numbers, {base}")
        if len(values) != 1:
            word = f"; this model has a coordinate {base}, so that {base}(L, H, i, j) is not available" * (
                base in YIELDING
            )
            raise self.fail(tree, f"a coordinate takes one position, {base}(i){word}")
        function = self.held(tree, base, stage)
        return ("num", 0, 1) if function is None else self.at_place(function, values[0], scope)

    def at_place(self, function: str, place: Tree, scope: BoundNames) -> Tree:
        """The value of a coordinate's function at a place. A place that is a real number, such as ``v(q(i))``, is a
        position or it is none: the value is written as a sum over the positions that equal it, 0 if none does."""
        if not self.real(place):
            return ("call", function, (place,))
        relation, names = self.meaning.relation, {*self.meaning.taken, *scope.values(), *mentioned(place)}
        position: Tree = ("name", free(names, "j"))
        bit: Tree = ("ind", ("=", place, position))
        ends = (expr.parse_term(relation.low), expr.parse_term(relation.high))
        return ("sum", position[1], *ends, ("*", bit, ("call", function, (position,))))

    def real(self, tree: Tree) -> bool:
        """Whether a term in the names of the formula has a part that makes it a real number: a value of a coordinate, a
        symbol, or a function of the grammar."""
        tag, sorts = tree[0], self.meaning.sorts
        if tag in ("name", "call"):
            sort = sorts.get(tree[1], "Real" if tag == "call" and tree[1] in expr.ARITY else "")
            return sort.endswith("Real") or (tag == "call" and tree[1] not in sorts and any(map(self.real, tree[2])))
        return tag != "ind" and any(map(self.real, expr.children(tree)))

    def absent(self, tree: Tree, name: str) -> BadInput:
        """The error about a name that has no meaning for this kind of model."""
        what = "has no positions" if name == "n" else "takes numbers, no string"
        return self.fail(tree, f"this model {what}, so the name {name} is not available")

    def of_other(self, tree: Tree, values: Sequence[Tree], scope: BoundNames) -> Tree:
        """The tree of a name of a second run: its length n, or a coordinate. `values` has the position of the
        coordinate, and is empty for the coordinate as a function."""
        prefix, name = parted(tree[1])
        second = self.meaning.others[prefix]
        base, stage = split(name)
        if base == "n" and tree[0] == "name":
            return second.length
        if base not in second.meaning.space:
            listed = [f"{prefix}{coordinate}" for coordinate in second.meaning.listed()]
            raise self.fail(tree, f"the name '{tree[1]}' is unknown here; {unknown('name', tree[1], listed).do}")
        if tree[0] == "call" and len(values) != 1:
            raise self.fail(tree, f"a coordinate takes one position, {prefix}{base}(i)")
        own_function = self.held(tree, base, stage, second.meaning)
        if own_function is None:  # nothing is written to it: 0, or the function that is 0 everywhere
            zero: Tree = ("num", 0, 1)
            return zero if values else ("lambda", (free({*self.meaning.taken, *scope.values()}, "j"),), zero)
        function = second.called.get(own_function, own_function)
        return ("call", function, tuple(values)) if values else ("name", function)

    def held(self, tree: Tree, base: str, at: str, meaning: ModelMeaning | None = None) -> str | None:
        """The function that gives the values of a coordinate at the stage `at` ("" for the last); None if nothing has
        been written to the coordinate by then."""
        meaning = meaning or self.meaning
        if not at:
            return meaning.relation.held.get(meaning.names[base])
        stages = meaning.stages(base)
        if at not in stages:
            listed = ", ".join(f"{base}{stage}" for stage in stages)
            raise self.fail(tree, f"{base} has no value {at}; its values are {listed}, and the last is {base}")
        return stages[at]

    def language(self, name: str, arity: int) -> str:
        """What NAME(..) with `arity` arguments is in the proof language: "number", "formula", or "" if the language
        does not have it. It is "" also if a coordinate has this name and the language's NAME takes another number of
        arguments: then the coordinate is meant."""
        known = self.meaning.known
        is_coordinate = name in self.meaning.space
        if name == "w":
            return "number" if arity == 1 else ""
        if name in ROUNDED and not is_coordinate and name not in known:
            return "number" if arity == ROUNDED[name] else ""
        if name in expr.ARITY:
            return "number" if not is_coordinate or expr.ARITY[name] == arity else ""
        if name not in known or (is_coordinate and len(known[name].params) != arity):
            return ""
        tree = known[name].tree
        while tree[0] == "call" and tree[1] in known:
            tree = known[tree[1]].tree
        return "formula" if expr.is_formula(tree) else "number"

    def brackets(self, tree: Tree) -> None:
        """BadInput if `tree` applies a definition about brackets to w, although tokens 0 and 1 of the model are not
        ( and ), which the definition takes them for."""
        _, name, arguments = tree
        if "w" not in mentioned(arguments) or name not in about_brackets(self.meaning.known):
            return
        tokens = list(self.meaning.tokens)
        if tokens[:2] != ["(", ")"]:
            here = " and ".join(f"{token!r}" for token in tokens[:2])
            raise self.fail(tree, f"{name} takes tokens 0 and 1 for ( and ), here they are {here}; use at and count")
        if name != "bracket" and self.meaning.relation.low != "1":
            why = f"{name} needs positions that begin with 1; in this model they begin with 0; use at and count"
            raise self.fail(tree, why)

    def word(self, tree: Tree, scope: BoundNames) -> Tree:
        """The tree of a keyword with its arguments, written out as a formula or term."""
        _, word, arguments = tree
        kind = own_word(word)
        if word == "holds" and self.meaning.truths is not None:
            truth = ("call", self.meaning.truths.of(arguments[0]), (self.walk(arguments[1], scope),))
            return ("=", truth, ("num", 1, 1))
        if word == "matches":
            return self.matched(tree, scope)
        if kind == "logit":
            return self.logit(tree, scope)
        # The first argument is a token or label, unless the keyword takes neither; the others are positions.
        first_argument = "" if kind in UNNAMED else arguments[0][1]
        places = [self.walk(a, scope) for a in (arguments if kind in UNNAMED else arguments[1:])]
        name = unquoted(first_argument)
        # count(n) for a coordinate `count`: its value at n, or how often the token n occurs?
        ambiguous = not places and name == first_argument and (name in scope or name == "n" or name.isdigit())
        if kind in self.meaning.space and kind in ("count", "first", "last") and ambiguous:
            raise self.fail(tree, f'{kind} has two meanings here; of the token it is {kind}("{name}")')
        if kind in ATTENDED:
            return self.attended(tree, kind, places)
        if kind in ("accept", "answer", "probability"):
            answer_tree = self.answered(tree, kind, name, bool(places))
            return written(answer_tree, next(iter(places), None), scope.values())
        if "w" not in self.meaning.sorts:
            raise self.absent(tree, kind)
        if kind == "decoded":
            try:
                text = self.meaning.relation.decoded(HERE_NAME)
            except BadInput as error:
                raise self.fail(tree, error.must) from None
            return written(expr.parse_formula(text), places[0], scope.values())
        return self.of_token(word, name, places, scope)

    def attended(self, tree: Tree, kind: str, places: Sequence[Tree]) -> Tree:
        """The tree of the weight or score that a head gives to one position at another."""
        second = self.meaning.others.get(parted(tree[1])[0])
        meaning = self.meaning if second is None else second.meaning
        try:
            return attended.made(self.tree, tree, kind, places, meaning, second)
        except Rejected as error:
            raise self.fail(tree, str(error)) from None

    def of_token(self, word: str, token: str, places: Sequence[Tree], scope: BoundNames) -> Tree:
        """The tree of a keyword about a token: at, count, first or last, of the first string or of a second one."""
        meaning, kind = self.meaning, own_word(word)
        if token not in meaning.tokens:
            raise unknown("token", token, list(meaning.tokens))
        number, low, high = meaning.tokens[token], meaning.relation.low, meaning.relation.high
        second = meaning.others.get(parted(word)[0])
        high = high if second is None else expr.show(replaced(expr.parse_term(high), {"n": second.length}, {}))
        if kind == "at" and second is None:
            return ("=", ("call", "w", tuple(places)), ("num", number, 1))
        if kind == "at" and second is not None:
            return written(expr.parse_formula(second.stands(token, HERE_NAME)), places[0], scope.values())
        # The first position of a token is `low` plus the number of positions i such that the token is not in low..i;
        # the last position is found in the same way from the end.
        absent_at_j = f"w(j) != {number}" if second is None else f"~({second.stands(token, 'j')})"
        bit = f"I[w(i) = {number}]" if second is None else second.bit(token, "i")
        here = next(iter(places), None)
        texts = {
            "count": f"sum(i, {low}, {high if here is None else HERE_NAME}, {bit})",
            "first": f"{low} + sum(i, {low}, {high}, I[all j in {low}..i. {absent_at_j}])",
            "last": f"{high} - sum(i, {low}, {high}, I[all j in i..{high}. {absent_at_j}])",
        }
        return written(expr.parse_term(texts[kind]), here, {*scope.values(), *mentioned(here)})

    def logit(self, tree: Tree, scope: BoundNames) -> Tree:
        """The tree of the logit, or of the score of a label, at a position if one is given. What may be a label or a
        position is a label where the readout has labels."""
        _, word, arguments = tree
        second = self.meaning.others.get(parted(word)[0])
        meaning = self.meaning if second is None else second.meaning
        labels = meaning.document["readout"].get("labels") or []
        given = [a for a in arguments if a[0] == "given"]
        if given and not labels:
            (_, text), *others = arguments
            if others or unquoted(text) != text:
                raise self.fail(tree, "logit takes a position only, because the readout has no labels")
            place = ("num", int(text), 1) if text.isdigit() else ("name", text)
            arguments = (self.reader.stands(place, tree),)
        elif labels and not given:
            raise self.fail(tree, "logit takes a label first, since the readout has one score for each")
        label = unquoted(given[0][1]) if labels else None
        places = [self.walk(a, scope) for a in arguments if a[0] != "given"]
        logit = self.answered(tree, "logit", label, bool(places))
        return written(logit, next(iter(places), None), {*scope.values(), *mentioned(tuple(places))})

    def matched(self, tree: Tree, scope: BoundNames) -> Tree:
        """The formula that the automaton of a regular expression accepts the string up to a position, or all of it."""
        name, accepting = self.automaton(tree)
        if not name or not accepting:
            return ("true",) if accepting else ("false",)
        place = self.walk(tree[2][1], scope) if len(tree[2]) > 1 else expr.parse_term(self.meaning.relation.high)
        at_states = [("=", ("call", name, (place,)), ("num", state, 1)) for state in accepting]
        return reduce(lambda left, right: ("|", left, right), at_states)

    def answered(self, tree: Tree, kind: str, label: str | None, placed: bool) -> Tree:
        """The tree of what the readout computes: that it accepts, that its answer is `label`, the probability or the
        logit of `label`, or the only logit (`label` is None). With `placed` this is at the position `HERE_NAME`, else
        at the position that the readout reads."""
        second = self.meaning.others.get(parted(tree[1])[0])
        meaning, here = (self.meaning if second is None else second.meaning), HERE_NAME if placed else None
        labels = meaning.document["readout"].get("labels") or []
        if kind != "accept" and labels and label not in labels:
            raise self.fail(tree, f"the label {label!r} is unknown; {unknown('label', str(label), list(labels)).do}")
        if here is None and meaning.relation.looks[1] == "each":
            here = meaning.relation.high
        try:
            text = getattr(meaning.relation, kind)(*[label] * (kind != "accept"), here)
        except BadInput as error:
            advice = "" if error.given in (HERE_NAME, "none") else f"; given: {error.given}"
            if "needs a readout" in error.must and (labels or meaning.relation.looks[0] in ("sign", "zero")):
                advice += f"; write {f'answer({spelled(str(labels[0]))})' if labels else 'accept'}"
            raise self.fail(tree, error.must + advice) from None
        answer = (expr.parse_term if kind in ("probability", "logit") else expr.parse_formula)(text)
        return answer if second is None else second.renamed(answer)


class _Builder(grammar.TermBuilder):
    """Builds the term of a formula, and checks the sort of every part, so that an error is about the smallest part with
    a wrong sort."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence.meaning.known)
        self.sentence = sentence

    def build(self, tree: Tree, env: Env, known: Mapping[str, Definition]) -> Term:
        """The term of a tree; BadInput for a part with a wrong sort, and for a function where a value is needed."""
        try:
            term = super().build(tree, env, known)
            sort = sort_of(term)
        except Rejected as error:
            if id(tree) not in self.sentence.reader.spans:
                raise
            why = "a number stands where true or false is needed, or true or false where a number is needed"
            raise self.sentence.fail(tree, why if "wrong sort" in str(error) else str(error)) from None
        if not isinstance(sort, str):
            _, begin, end = self.sentence.reader.spans.get(id(tree), (tree, 0, 0))
            name, last = self.sentence.text[begin:end].strip() or "NAME", self.sentence.reader.ends[1]
            what = f"{name} is a function; its value at the last position is written {name}({last})"
            raise self.sentence.fail(tree, what)
        return term

    def refuse(self, why: str, tree: Tree) -> NoReturn:
        raise Rejected(why)


def _sort(written: str) -> Sort:
    """The sort for its text, such as ``Int*Int->Real``."""
    arguments, arrow, value = written.partition("->")
    return ("fun", tuple(arguments.split("*")), value) if arrow else written
