"""From a user's sentence about a family to a statement about all its sizes and tables, which the sentence may name.

In: a family and a sentence such as ``count(K - 1) <= n``. Out: a `Statement` whose premises are the family's equations
(`claim`). The equations are those of `familyrel`, as in the library's own theorems about families. Tokens and labels
are numbers, given as terms: ``count(K - 1)``, ``at(2*c, i)``. A coordinate takes its indices and then the position, as
in ``share(c, i)``, and means the coordinate's last value. An earlier value has its name in the equations, such as
``z1_left(t, i)``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.errors import BadInput, Rejected
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.grammar import Definition
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search import automation
from symcook.proof.search.attempts import attempted
from symcook.proof.search.elaborate import Elaborator
from symcook.proof.search.prooftext import Place, TextLine
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify
from symcook.proof.statements.reader import ATTENDED, PLACES, WORDS, YIELDING, SentenceReader, wrong
from symcook.proof.statements.trees import replaced
from symcook.proof.statements.vocabulary import OWN_NAMES, BoundNames, ModelMeaning, Sentence, free, named, written

if TYPE_CHECKING:
    from symcook.model.plainfamily import PlainFamily

NUMBERED = ("at", "count", "first", "last", "answer")
"""The words that take a token or a label, which is a number here."""
GIVEN = "given__"
"""The name that stands for this number in the definition of a word."""
PLACE = "here__"
"""The name that stands for the position in the definition of a word."""
ROUNDS_SECONDS = 10.0
"""The time limit for the proof that a repetition cannot have a negative number of rounds. There is one proof for each
repetition."""
MARKERS = (PLACE, GIVEN)
"""The names that stand for a position and a number: neither a family nor a sentence may use them."""
PROSE = ("name", "summary", "source", "meanings")
"""The parts of a family's document that are text for readers, in which no name is used."""
ONE_SIZE = "this depends on the alphabet; fix the size, for example --set {}=2"
"""The end of a message on a word that needs one size; {} is the name of a size."""


class FamilyReader(SentenceReader):
    """The reader of a sentence in which tokens and labels are terms."""

    def word(self, name: str) -> Tree:
        """The call of a word, after its name was read; the arguments of a word about a token or label are terms."""
        if name not in NUMBERED:
            return super().word(name)
        begin = self.at - 1
        self.take("(")
        if self.tokens[self.at][1][:1] in ('"', "'"):
            raise self.wrong("the tokens and labels of a family are numbers", self.tokens[self.at][2], None)
        arguments = [self.tree(0)]
        while self.peek() == ",":
            self.take()
            arguments.append(self.tree(0))
        self.take(")")
        if len(arguments) - 1 not in PLACES.get(name, (0,)):
            raise self.misused(name, begin)
        return ("call", name, tuple(arguments))


class FamilyMeaning(ModelMeaning):
    """What a sentence means for the models of a family, at all sizes. `names` maps the family's names to those in the
    statement, `indices` has the number of indices of each coordinate, and `sorts` the kind of each name."""

    def __init__(self, family: PlainFamily, known: Mapping[str, Definition]) -> None:
        # `ModelMeaning.__init__` reads the document of one model, so its attributes are set here instead. A sentence
        # about a family has no second model and no changed positions.
        self.known, self.family, self.others, self.places, self.truths = known, family, {}, {}, None
        _unmarked(family)
        relation = FamilyRelation(family)
        self.indices = {name: len(over) for name, over in family.space.items()}  # how many each coordinate has
        kinds = dict(declared.split(":") for declared in relation.names)
        self.space = tuple(dict.fromkeys([*kinds, *family.space]))
        # A name of the family that has another meaning in sentences gets underscores in the statement; a sentence must
        # write it in quotation marks.
        words = WORDS.keys() - (YIELDING & kinds.keys())
        reserved = {*known, *expr.RESERVED, *words, *OWN_NAMES, *MARKERS}
        self.names = dict[str, str]()
        for name in kinds:
            new = name
            while new in reserved or (new != name and (new in kinds or new in self.names.values())):
                new += "_"
            self.names[name] = new
        relation.put |= self.names
        self.relation: Any = relation
        # What the statement is about: the run, the string if there are tokens, and the sorts of all its names.
        self.sizes = [self.names[size] for size in family.sizes]
        self.symbols, self.tokens = {}, {}  # tokens are numbers in the sentence itself
        self.run = relation.run()
        self.word = None if family.vocabulary is None else relation.word()
        self.sorts = {} if relation.pointwise else {"n": "Int"}
        self.sorts |= {} if self.word is None else {"w": "Int->Int"}
        self.sorts |= {self.names[name]: kind for name, kind in kinds.items()}
        self.functions = [*self.sorts]
        self.taken = {*reserved, *self.functions}

    def add_runs(self, sentence: str) -> None:
        """Refuse a sentence that names a second run."""
        size = next(iter(self.family.sizes), "K")
        raise Rejected(f"the statement names a second run, which has no meaning for all sizes; {ONE_SIZE.format(size)}")

    @property
    def least(self) -> list[str]:
        """The premise that there is a position."""
        return [] if self.relation.pointwise else ["1 <= n"]

    @property
    def regions(self) -> list[str]:
        """The premises on sizes and tables."""
        premises = self.relation.premises()
        return [] if premises == "true" else [premises]

    @property
    def integers(self) -> dict[str, bool]:
        return {"n": True, **dict.fromkeys(self.sizes, False)}

    def text(self, sentence: str) -> str:
        """The sentence as a formula; BadInput where it uses a marker."""
        for name in MARKERS:
            if (at := word_at(sentence, name)) is not None:
                raise wrong(sentence, at, name, "symcook reserves this name; use another one")
        return expr.show(FamilySentence(self, sentence).made)

    def listed(self) -> list[str]:
        """The family's names as a sentence writes them, in quotation marks where needed."""
        return [name if self.names.get(name, name) == name else f'"{name}"' for name in self.space]


_OF_ONE_SIZE = ("holds", "matches", "decoded", "probability", "logit")
"""Words that need the alphabet or the labels of one size."""


class FamilySentence(Sentence):
    """One sentence about a family."""

    READER = FamilyReader
    """The class that reads the text of a sentence."""
    meaning: FamilyMeaning

    def formulas(self, tree: Tree) -> None:
        """Refuse words that need the alphabet or the labels of one size."""
        todo = [tree]
        while todo:
            part = todo.pop()
            if part[0] == "call" and part[1] in (*_OF_ONE_SIZE, *ATTENDED) and self.reader.is_word(part[1]):
                size = next(iter(self.meaning.family.sizes), "K")
                raise self.fail(part, f"{part[1]} has no meaning for all sizes; {ONE_SIZE.format(size)}")
            todo += [child for child in expr.children(part) if child]

    def _require_positions(self, tree: Tree) -> None:
        """Nothing to do: a coordinate has indices before its position, and names of sizes are integers too."""

    def brackets(self, tree: Tree) -> None:
        """Nothing to do: tokens are numbers here, which the definitions take."""

    def fresh(self, tree: Tree, name: str, scope: BoundNames) -> str:
        """The name in the statement for one that the sentence binds, which must not be a name of the family."""
        if name in self.meaning.space and name not in scope:
            raise self.fail(tree, f"the quantified name '{name}' is a name of the family; use another name")
        return super().fresh(tree, name, scope)

    def name(self, tree: Tree, scope: BoundNames) -> Tree:
        """A name without arguments: a bound name, a size, or a coordinate as a function of the position alone."""
        name = tree[1].strip("\"'")
        if tree[1] in scope or tree[1] in ("n", "w", "pi") or name not in self.meaning.space:
            return super().name(tree, scope)
        arity = self.arity(name)
        if arity == 0 or (arity == 1 and not self.meaning.relation.pointwise):
            # A function f of the position itself where the value is f(j), else ``j. value``.
            argument_names = () if arity == 0 else (free({*self.meaning.taken, *scope.values()}, "j"),)
            value = self.valued(name, tuple(("name", own_name) for own_name in argument_names))
            if argument_names and value[0] == "call" and value[2] == (("name", argument_names[0]),):
                return ("name", value[1])
            return ("lambda", argument_names, value) if argument_names else value
        raise self.fail(tree, f"{name} takes {self.takes(name)}")

    def call(self, tree: Tree, scope: BoundNames) -> Tree:
        """A name with arguments: a coordinate, a table, or a function of the equations by its own name."""
        _, name, arguments = tree
        base = name.strip("\"'")
        quoted = base != name
        if self.reader.is_word(name) or name in scope or base not in self.meaning.space:
            return super().call(tree, scope)
        if not quoted and self.language(name, len(arguments)):
            return super().call(tree, scope)
        # A coordinate takes its indices and a position; a function of the equations has its own number of arguments.
        values = tuple(self.walk(argument, scope) for argument in arguments)
        functions = self.meaning.relation.functions
        if len(values) == self.arity(base):
            return self.valued(base, values)
        if base in functions and len(values) == functions[base].partition("->")[0].count("Int"):
            return ("call", self.meaning.names[base], values)
        raise self.fail(tree, f"{base} takes {self.takes(base)}")

    def arity(self, name: str) -> int:
        """How many arguments a name of the family takes in a sentence."""
        meaning = self.meaning
        if name in meaning.indices:
            return meaning.indices[name] + (not meaning.relation.pointwise)
        kind = meaning.sorts[meaning.names[name]]
        return kind.partition("->")[0].count("Int") if "->" in kind else 0

    def takes(self, name: str) -> str:
        """The arguments of a name in words, for a message."""
        count = self.arity(name)
        place = name in self.meaning.indices and not self.meaning.relation.pointwise
        indices = count - place
        parts = [f"{indices} {'index' if indices == 1 else 'indices'}"] * bool(indices) + ["a position"] * place
        return " and ".join(parts) or "no argument"

    def valued(self, name: str, values: tuple[Tree, ...]) -> Tree:
        """A size, a table, or the last value of a coordinate; 0 where nothing is written to it."""
        meaning, function, first = self.meaning, name, tuple[Tree, ...]()
        if name in meaning.indices:
            function_at = meaning.relation.held.get(name)
            if function_at is None:
                return ("num", 0, 1)
            function, first = function_at
        arguments = (
            *(replaced(start, {k: ("name", v) for k, v in meaning.names.items()}, {}) for start in first),
            *values,
        )
        return ("call", meaning.names[function], arguments) if arguments else ("name", meaning.names[function])

    def word(self, tree: Tree, scope: BoundNames) -> Tree:
        """What a word means for a family: the answer and acceptance from its equations, counts and places as sums."""
        _, word, arguments = tree
        meaning, relation = self.meaning, self.meaning.relation
        if word not in (*NUMBERED, "accept"):
            return super().word(tree, scope)
        label_argument, *places = arguments if word != "accept" else (None, *arguments)
        label = None if label_argument is None else self.walk(label_argument, scope)
        place = self.walk(places[0], scope) if places else None
        if word in ("accept", "answer"):
            try:
                label_marker = [GIVEN] * (word == "answer")
                text = getattr(relation, word)(*label_marker, PLACE if places else None)
            except BadInput as error:
                raise self.fail(tree, error.must) from None
            return self.filled(expr.parse_formula(text), place, label, scope)
        # The other words are about the string; a family that reads numbers has none.
        if "w" not in meaning.sorts:
            raise self.absent(tree, word)
        low, high = relation.low, relation.high
        if word == "at":
            return ("=", ("call", "w", (place,)), label)
        texts = {
            "count": f"sum(i, {low}, {PLACE if places else high}, I[w(i) = {GIVEN}])",
            "first": f"{low} + sum(i, {low}, {high}, I[all j in {low}..i. w(j) != {GIVEN}])",
            "last": f"{high} - sum(i, {low}, {high}, I[all j in i..{high}. w(j) != {GIVEN}])",
        }
        return self.filled(expr.parse_term(texts[word]), place, label, scope)

    def filled(self, tree: Tree, place: Tree | None, label: Tree | None, scope: BoundNames) -> Tree:
        """The definition of a word with its markers replaced by its position and its number. Bound names of the
        definition are renamed, so that they do not capture a name in the position or the number."""
        answer = written(tree, None, {*self.meaning.taken, *scope.values(), *names_in(place), *names_in(label)})
        marked = {PLACE: place, GIVEN: label}
        return replaced(
            answer, {name: replacement for name, replacement in marked.items() if replacement is not None}, {}
        )


def names_in(tree: object) -> set[str]:
    """The names in a tree, bound ones too."""
    if not isinstance(tree, tuple):
        return {tree} if isinstance(tree, str) else set()
    return set[str]().union(*map(names_in, tree))


def word_at(text: str, name: str) -> int | None:
    """The index at which a name first occurs in a text as a whole word, or None."""
    at = text.find(name)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if not any(character.isalnum() or character == "_" for character in around):
            return at
        at = text.find(name, at + 1)
    return None


def _unmarked(family: PlainFamily) -> None:
    """BadInput where a name in the family's document is a marker."""
    without_prose = {key: value for key, value in family.document.items() if key not in PROSE}
    for name in MARKERS:
        if any(word_at(text, name) is not None for text in _texts(without_prose)):
            must = "a family in a statement about all sizes must not use a reserved name"
            raise BadInput(must, name, "rename it in the family's file")


def _texts(part: object) -> Iterator[str]:
    """All texts in a part of a document, its keys too."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _texts(value)


def repeated(family: PlainFamily, meaning: FamilyMeaning) -> None:
    """BadInput unless the conditions on sizes and tables imply LOW - 1 <= HIGH for each repetition LOW..HIGH.

    In the equations, the value after the repetition has the index HIGH and the value before it the index LOW - 1, which
    would be wrong for LOW - 1 > HIGH. The automation must prove the condition with its first two levels.
    """
    relation = meaning.relation
    names = [meaning.names[name] for name in (*family.sizes, *family.tables)]
    sorts = ", ".join(f"{name}:{meaning.sorts[name]}" for name in names)
    for low, high in {index[1:]: None for part in family.layers for index in part.over}:
        first, last = (replaced(end, {k: ("name", v) for k, v in meaning.names.items()}, {}) for end in (low, high))
        premise = expr.show(("<=", ("-", first, ("num", 1, 1)), last))
        text = f"{relation.premises()} -> {premise}"
        statement = Statement("own.rounds", f"all {sorts}. {text}" if sorts else text, known=meaning.known)
        goal = Goal(certify.library(statement, {}), statement.formula, {}, {})
        line = TextLine("qed", place=Place(1, 1))
        prove = partial(Elaborator(automation.LEVELS[:2]).automatic, goal, line, "the rounds")
        if attempted(prove, Until(ROUNDS_SECONDS)) is not None:
            # The message proposes a condition that suffices.
            must = "each repetition of a family must have low - 1 <= high for all its sizes"
            least = low[1] - 1 if low[0] == "num" and low[2] == 1 else f"{expr.show(low)} - 1"
            size = next((name for name in family.sizes if name in expr.names(high)), next(iter(family.sizes), "K"))
            do = f'add the condition to "sizes", as "{size}": "{least} <= {expr.show(high)}"'
            raise BadInput(must, f"{expr.show(low)}..{expr.show(high)}", do)


def digest(family: PlainFamily) -> str:
    """The hash of a family with its choices, which a certificate names."""
    text = json.dumps([family.document, family.chosen], sort_keys=True)
    return f"family:{hashlib.sha256(text.encode()).hexdigest()}"


@certify.deeper()
def claim(family: PlainFamily, sentence: str) -> Statement:
    """The statement of a sentence about all models of a family; BadInput where the sentence has no such meaning."""
    sentence = certify.one_line(sentence)
    meaning = FamilyMeaning(family, certify.definitions())
    repeated(family, meaning)
    conditions = [*meaning.least, *meaning.regions]
    text = certify.stated(meaning.sorts, conditions, meaning.word, f"({meaning.run})", f"({meaning.text(sentence)})")
    return certify.read_statement(
        Statement(named(family.name), text, note=sentence, known=certify.definitions(), model=digest(family))
    )


def again(family: PlainFamily, certificate: Any, text: str) -> tuple[str, Verdict]:
    """Check a certificate again, with its other statements, for the family as it is now, as `certify.again` does for a
    model. Returns the sentence and the verdict."""
    sentence = certify.sentence_of(certificate, text)
    why = None
    if certificate["model"] != digest(family):
        why = "it is about one size (give that by --set), or the family has changed since it was made"
    return sentence, certify.judged_again(named(family.name), partial(claim, family, sentence), certificate, text, why)
