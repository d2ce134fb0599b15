"""Statements as a person reads them: Coq propositions with the names and definitions of the source.

This text is not trusted: Coq proves that it means the same as the tree whose hash is in the certificate. A definition
of the source becomes a Definition of Coq, which needs the sorts of its parameters. `Definitions` finds them from the
uses of the definition. `Reading` writes terms and formulas with as few brackets as Coq's notations allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from symcook.coq.checker import checker, deep, uncollected
from symcook.coq.layout import laid_out
from symcook.coq.term import FUNCTIONS, Untranslatable
from symcook.errors import BadInput
from symcook.proof.records import MODEL_CALL
from symcook.proof.replay import library
from symcook.proof.runrel import Relation, stored_model

if TYPE_CHECKING:
    from symcook.model.expr import Tree
    from symcook.proof.terms import Sort

Sorts = Mapping[str, Any]
"""The sort of each name in scope: "Int", "Real", or ("fun", sorts of the arguments, sort of the result)."""
# The strength of Coq's notations: a smaller number binds more tightly.
ATOM, APPLIED, POWER, MINUS, TIMES, PLUS, RELATION, NOT, AND, OR, ARROW, QUANTIFIER = range(12)
OPERATORS = {"+": PLUS, "-": PLUS, "*": TIMES, "/": TIMES, "=": RELATION, "<=": RELATION, "<": RELATION}
"""The strength of each operator and comparison."""
CONNECTIVES = {"&": ("/\\", AND), "|": ("\\/", OR), "->": ("->", ARROW), "<->": ("<->", ARROW)}
"""Coq's sign of each connective, and its strength."""
# Names that Coq or Laws.v has already.
TAKEN = frozenset(
    [
        "as",
        "at",
        "cofix",
        "else",
        "end",
        "exists",
        "exists2",
        "fix",
        "for",
        "forall",
        "fun",
        "if",
        "in",
        "let",
        "match",
        "mod",
        "return",
        "Set",
        "Prop",
        "SProp",
        "Type",
        "then",
        "where",
        "with",
        "using",
        "by",
        "R",
        "Z",
        "nat",
        "real",
        "sum",
        "prod",
        "ind",
        "relu",
        "power",
        "PI",
        "IZR",
        "ln",
        "Rabs",
        "Rmin",
        "Rmax",
        "ind_Z",
        "relu_Z",
        "sum_Z",
        "prod_Z",
        "INR",
        "tree",
        "up",
        "C",
    ]
)
QUANTIFIERS = ("all", "ex", "all in", "ex in")
"""The kinds of trees of quantifiers: over a sort, and over a range of integers."""
HYPERBOLIC = ("tanh", "sinh", "cosh")
"""Functions whose names in Coq are those of the grammar."""


def spelled(name: str) -> str:
    """A name of the source in Coq, with an underscore appended if Coq or Laws.v has the same name, or if it begins with
    an underscore."""
    return f"{name}_" if name in TAKEN or name.startswith("_") else name


def parsed(text: str) -> Any:
    """The syntax tree of proofs/checker.py for an expression."""
    parser = checker().Parser(text)
    return parser.whole(parser.argument)


def sort_text(sort: Sort) -> str:
    """A sort as a type of Coq."""
    if isinstance(sort, tuple):
        return " -> ".join(sort_text(s) for s in (*sort[1], sort[2]))
    return {"Int": "Z", "Real": "R"}[sort]


class Defined:
    """A definition of the source. The sorts of its parameters are found by `Definitions`."""

    def __init__(self, name: str, params: Sequence[str], body: Tree) -> None:
        self.name, self.params, self.body = name, list(params), body
        self.sorts: dict[str, Any] = {}
        self.uses: list[list[Any]] = []  # the sorts of the arguments at each use; None for a function "j. t"


class Definitions:
    """All definitions of the source in their order (`all`), then the relations of the stored models that statements
    name; and the trees of all statements (`statements`). A definition that no statement needs has no `uses`, and its
    parameters have no sorts."""

    def __init__(self) -> None:
        # Both checkers must know the same definitions. Their order is that of the expanded text.
        source = next(iter(library().statements.values())).known
        order = re.findall(
            r"^define: (\w+)", (library().root / "expanded.txt").read_text(encoding="utf-8"), re.MULTILINE
        )
        expanded = next(iter(checked_statements().values())).known
        assert set(order) == set(source) == set(expanded)
        self.all = {name: Defined(name, expanded[name].params, expanded[name].body) for name in order}
        self.statements = {name: parsed(self.with_models(s.text)) for name, s in library().statements.items()}
        # The sorts of a definition depend on its uses in statements and in later definitions. So the statements are
        # looked through first, then the definitions from the last to the first.
        for tree in self.statements.values():
            self.look(tree, {})
        for definition in reversed(list(self.all.values())):
            if definition.uses:
                self.find_sorts(definition)
                self.look(definition.body, definition.sorts)

    def with_models(self, text: str) -> str:
        """run(NAME), word(NAME) and accept(NAME) as calls of definitions."""

        def call(match: re.Match[str]) -> str:
            """The call that replaces a match. The first call for a model adds its relation as a definition."""
            kind, model = match[1], match[2]
            name = f"{kind}_{model.replace('-', '_')}"
            if name not in self.all:
                body = parsed(getattr(Relation(stored_model(model)), kind)())
                self.all[name] = Defined(name, sorted(free(body), key=lambda x: (x != "n", x != "w", x)), body)
            return f"{name}({', '.join(self.all[name].params)})" if self.all[name].params else name

        return MODEL_CALL.sub(call, text)

    # Sorts.

    def sort(self, tree: Tree, sorts: Sorts) -> Any:
        """The sort of a term; "Bool" for a formula; None for a function "j. t"."""
        kind = tree[0]
        if kind == "num":
            return "Int" if tree[2] == 1 else "Real"
        if kind == "lam":
            return None
        if kind == "ind":
            return "Int"
        if kind in ("neg", "sum", "prod"):
            inner = {**sorts, tree[1]: "Int"} if kind != "neg" else sorts
            return self.sort(tree[-1], inner)
        # A conditional, and a sum, difference or product, is an integer if both parts are.
        if kind == "if":
            return "Int" if {self.sort(t, sorts) for t in tree[2:]} == {"Int"} else "Real"
        if kind == "op" and tree[1] in ("+", "-", "*"):
            return "Int" if {self.sort(t, sorts) for t in tree[2:]} == {"Int"} else "Real"
        if kind == "op" and tree[1] == "^":
            return self.sort(tree[2], sorts) if tree[3][0] == "num" else "Real"
        if kind == "op" and tree[1] == "/":
            return "Real"
        if kind in ("name", "call"):
            name, arguments = tree[1], tree[2] if kind == "call" else ()
            # A variable; a definition of the source, by its body; a function of the grammar.
            if name in sorts:
                return sorts[name][2] if arguments else sorts[name]
            if name in self.all:
                definition = self.all[name]
                actual = {p: self.sort(a, sorts) for p, a in zip(definition.params, arguments, strict=True)}
                if self.is_formula(definition.body):
                    return "Bool"
                return self.sort(definition.body, self.filled(definition, actual))
            keeps_integers = name in checker().WHOLE and all(self.sort(t, sorts) == "Int" for t in arguments)
            return "Int" if keeps_integers else "Real"
        return "Bool"

    def filled(self, definition: Defined, actual: Sorts) -> Sorts:
        """The sorts `actual` of arguments, with None, the sort of an argument "j. t", replaced by that of a function
        with real values."""
        return {p: s if s is not None else ("fun", (), "Real") for p, s in actual.items()}

    def is_formula(self, tree: Tree) -> bool:
        """Whether a tree is a formula, not a number."""
        kind = tree[0]
        if kind in ("name", "call"):
            return tree[1] in self.all and self.is_formula(self.all[tree[1]].body)
        return kind in (*QUANTIFIERS, "~", "true", "false") or (
            kind == "op" and tree[1] not in ("+", "-", "*", "/", "^")
        )

    def look(self, tree: Tree, sorts: Sorts) -> None:
        """Record the uses of definitions in `tree`."""
        for part, inner in walked(tree, sorts):
            if part[0] in ("name", "call") and part[1] in self.all and part[1] not in inner:
                arguments = part[2] if part[0] == "call" else ()
                self.all[part[1]].uses.append([self.sort(a, inner) for a in arguments])

    def find_sorts(self, definition: Defined) -> None:
        """Set the sorts of a definition's parameters from its uses. A number is an integer if all arguments are."""
        for place, param in enumerate(definition.params):
            argument_sorts = {use[place] for use in definition.uses} - {None}
            # A parameter that is a function takes an integer where at least one of the functions given does.
            functions = [s for s in argument_sorts if isinstance(s, tuple)]
            if functions:
                sorts = tuple(
                    "Int" if "Int" in column else "Real" for column in zip(*[s[1] for s in functions], strict=True)
                )
                result = "Int" if {s[2] for s in functions} == {"Int"} else "Real"
                definition.sorts[param] = ("fun", sorts, result)
            elif argument_sorts:
                definition.sorts[param] = "Int" if argument_sorts == {"Int"} else "Real"
        for param in definition.params:
            # A parameter for which only functions "j. t" are given: its sort follows from an application in the body.
            if param not in definition.sorts:
                body_sorts = {**self.filled(definition, dict.fromkeys(definition.params)), **definition.sorts}
                for part, inner in walked(definition.body, body_sorts):
                    if part[0] == "call" and part[1] == param:
                        definition.sorts[param] = ("fun", tuple(self.sort(a, inner) for a in part[2]), "Real")
                        break
                else:
                    raise Untranslatable(f"the sort of {param} in {definition.name}")


def walked(tree: Tree, sorts: Sorts) -> Iterator[tuple[Any, Sorts]]:
    """All parts of a syntax tree, each with the sorts of the names in scope; the variables of "j. t" count as Int."""
    todo = [(tree, sorts)]
    while todo:
        tree, sorts = todo.pop()
        yield tree, sorts
        kind = tree[0]
        if kind in ("num", "name", "true", "false"):
            continue
        # The parts of a tree, and the names that it binds, are at places that depend on its kind.
        if kind in ("all", "ex"):
            parts = [(tree[3], {**sorts, tree[1]: tree[2]})]
        elif kind in ("all in", "ex in", "sum", "prod"):
            parts = [(tree[2], sorts), (tree[3], sorts), (tree[4], {**sorts, tree[1]: "Int"})]
        elif kind == "lam":
            parts = [(tree[2], {**sorts, **dict.fromkeys(tree[1], "Int")})]
        elif kind == "call":
            parts = [(t, sorts) for t in tree[2]]
        else:
            parts = [(t, sorts) for t in tree[2 if kind == "op" else 1 :]]
        todo += reversed(parts)


def free(tree: Tree) -> set[str]:
    """The free names of a relation, other than functions of the grammar."""
    names = {part[1] for part, inner in walked(tree, {}) if part[0] in ("name", "call") and part[1] not in inner}
    return names - set(checker().BUILTIN)


@cache
def checked_statements() -> Any:
    """The statements as proofs/checker.py reads them."""
    from symcook.coq.checker import statements

    return statements()


@cache
@deep()
@uncollected()
def definitions() -> Definitions:
    """The definitions, made once."""
    return Definitions()


class Reading:
    """The text of terms and formulas in Coq.

    In all methods `sorts` has the names in scope, and `strength` is the weakest notation that needs no brackets at this
    place, as one of the numbers ATOM to QUANTIFIER.
    """

    def __init__(self, known: Definitions) -> None:
        self.known = known

    def put(self, text: str, has: int, strength: int, mark: str = "") -> str:
        """`text` for a place of this strength: in brackets if its own strength `has` is too weak there. With `mark`, a
        scope such as %Z, that is appended, and only an atom needs no brackets."""
        if has > strength or (mark and has > ATOM):
            return f"({text}){mark}"
        return text + mark

    def definition(self, defined: Defined) -> str:
        """A definition of the source as one of Coq."""
        parameters = grouped([(spelled(p), defined.sorts[p]) for p in defined.params])
        result, level = ("Prop", "P") if self.known.is_formula(defined.body) else ("R", "R")
        head = " ".join(["Definition", defined.name, *parameters])
        return f"{head} : {result} :=\n  {laid_out(self.text(defined.body, defined.sorts, level), 2)}."

    def text(self, tree: Tree, sorts: Sorts, level: str, strength: int = QUANTIFIER) -> str:
        """The text of a formula (`level` "P") or of a number."""
        return self.formula(tree, sorts, strength) if level == "P" else self.term(tree, sorts, level, strength)

    def formula(self, tree: Tree, sorts: Sorts, strength: int = QUANTIFIER) -> str:
        """A formula in Coq's notation."""
        kind = tree[0]
        if kind in ("true", "false"):
            return kind.capitalize()
        # Coq writes ~ (a = b) as a <> b.
        if kind == "~":
            if tree[1][0] == "op" and tree[1][1] == "=":
                sides = [self.term(t, sorts, "R", PLUS) for t in tree[1][2:]]
                return self.put(f"{sides[0]} <> {sides[1]}", RELATION, strength)
            return self.put(f"~ {self.formula(tree[1], sorts, NOT)}", NOT, strength)
        if kind in QUANTIFIERS:
            return self.quantified(tree, sorts, strength)
        if kind in ("name", "call"):
            return self.applied(tree, sorts, "P", strength)
        op, left, right = tree[1:]
        if op in OPERATORS:
            sides = [self.term(t, sorts, "R", PLUS) for t in (left, right)]
            return self.put(f"{sides[0]} {op} {sides[1]}", RELATION, strength)
        if op == "&" and chained(left, right):  # a <= b & b <= c
            sides = [self.term(t, sorts, "R", PLUS) for t in (*left[2:], right[3])]
            return self.put(f"{sides[0]} {left[1]} {sides[1]} {right[1]} {sides[2]}", RELATION, strength)
        # The connectives & | -> are right-associative: only the left side needs brackets around the same connective.
        # <-> is not associative. A quantifier may be on the right of -> without brackets.
        sign, has = CONNECTIVES[op]
        if op == "<->":
            left_text, right_text = self.formula(left, sorts, OR), self.formula(right, sorts, OR)
        else:
            last = QUANTIFIER if op == "->" and right[0] in QUANTIFIERS else has
            left_text, right_text = self.formula(left, sorts, has - 1), self.formula(right, sorts, last)
        return self.put(f"{left_text} {sign} {right_text}", has, strength)

    def quantified(self, tree: Tree, sorts: Sorts, strength: int) -> str:
        """A quantifier with its body. Directly nested quantifiers of the same kind, unless they are over ranges, share
        one forall or exists."""
        word = "forall" if tree[0].startswith("all") else "exists"
        bound, body = [], tree
        while body[0] == tree[0] and body[0] in ("all", "ex"):
            bound.append((spelled(body[1]), body[2]))
            sorts = {**sorts, body[1]: body[2]}
            body = body[3]
        if bound:
            text = self.formula(body, sorts)
        else:
            # A bounded quantifier: its range becomes a premise (forall), or the first part of a conjunction (exists).
            _, name, low, high, inner = tree
            bound = [(spelled(name), "Int")]
            ends = [self.term(t, sorts, "R", PLUS) for t in (low, high)]
            within = f"{ends[0]} <= {spelled(name)} <= {ends[1]}"
            sorts = {**sorts, name: "Int"}
            sign, has = ("->", ARROW) if word == "forall" else ("/\\", AND)
            last = QUANTIFIER if inner[0] in QUANTIFIERS else has
            text = f"{within} {sign} {self.formula(inner, sorts, last)}"
        return self.put(f"{word} {' '.join(grouped(bound, bare=True))}, {text}", QUANTIFIER, strength)

    def term(self, tree: Tree, sorts: Sorts, level: str, strength: int = QUANTIFIER) -> str:
        """The text of a number. `level` "R": a real number is required. "Z" and "%Z": an integer is required; in "Z"
        Coq already reads numerals as integers, in "%Z" the text needs the mark %Z."""
        kind, mark = tree[0], "%Z" if level == "%Z" else ""
        # `here` is the level of this term. A mark %Z applies to the whole term, so that its parts have level "Z".
        here, integer, level = level, level != "R", "R" if level == "R" else "Z"
        if integer and self.known.sort(tree, sorts) != "Int":
            raise Untranslatable("a real number where an integer is expected")
        if kind == "num":
            return self.numeral(Fraction(tree[1], tree[2]), strength, mark)
        if kind == "neg" and tree[1][0] == "num":
            return self.numeral(-Fraction(tree[1][1], tree[1][2]), strength, mark)
        if kind == "neg":
            return self.put(f"- {self.term(tree[1], sorts, level, MINUS)}", MINUS, strength, mark)
        if kind == "ind":
            suffix = "_Z" if integer else ""
            return self.put(f"ind{suffix} ({self.formula(tree[1], sorts)})", APPLIED, strength)
        if kind in ("sum", "prod"):
            _, name, low, high, body = tree
            ends = [self.term(t, sorts, "Z", ATOM) for t in (low, high)]
            inner = self.term(body, {**sorts, name: "Int"}, level)
            suffix = "_Z" if integer else ""
            text = f"{kind}{suffix} {ends[0]} {ends[1]} (fun {spelled(name)} => {inner})"
            return self.put(text, APPLIED, strength)
        # if F then a else b is 1[F] a + (1 - 1[F]) b.
        if kind == "if":
            test = ("ind", tree[1])
            otherwise = ("op", "*", ("op", "-", ("num", 1, 1), test), tree[3])
            return self.term(("op", "+", ("op", "*", test, tree[2]), otherwise), sorts, here, strength)
        if kind in ("name", "call"):
            return self.applied(tree, sorts, level, strength)
        _, op, left, right = tree
        if op == "^":
            # Coq's ^ takes natural numbers, so a negative exponent becomes a quotient.
            if right[0] == "neg":
                return self.term(("op", "/", ("num", 1, 1), ("op", "^", left, right[1])), sorts, here, strength)
            return self.put(f"{self.term(left, sorts, level, APPLIED)} ^ {right[1]}", POWER, strength, mark)
        has = OPERATORS[op]
        sides = self.term(left, sorts, level, has), self.term(right, sorts, level, has - 1)
        return self.put(f"{sides[0]} {op} {sides[1]}", has, strength, mark)

    def numeral(self, c: Fraction, strength: int, mark: str) -> str:
        """A numeral; a fraction is a quotient of two."""
        if c.denominator != 1:
            return self.put(f"{c.numerator} / {c.denominator}", TIMES, strength)
        return self.put(str(c), MINUS if c < 0 else ATOM, strength, mark)

    def applied(self, tree: Tree, sorts: Sorts, level: str, strength: int) -> str:
        """The text of a name or a call."""
        name, arguments = tree[1], tree[2] if tree[0] == "call" else ()
        # The head is a variable, a definition of the source, or a function of the grammar. `wanted` has the sorts of
        # the arguments. An integer argument of a variable needs the mark %Z; for definitions Coq knows the types.
        if name in sorts:
            wanted, head, integer = sorts[name][1] if arguments else (), spelled(name), "%Z"
        elif name in self.known.all:
            definition = self.known.all[name]
            integer = "Z"
            if level == "Z":
                raise Untranslatable(f"{name} where an integer is expected")
            wanted, head = [definition.sorts[p] for p in definition.params], name
        else:
            integer = "Z"
            wanted = ("Real", "Int") if name == "pow" else ["Int" if level == "Z" else "Real"] * len(arguments)
            head = name if name in HYPERBOLIC else FUNCTIONS["Z" if level == "Z" else "R"][name]
        texts = [self.argument(a, sorts, s, integer) for a, s in zip(arguments, wanted, strict=True)]
        return self.put(" ".join([head, *texts]), APPLIED, strength) if texts else head

    def argument(self, tree: Tree, sorts: Sorts, sort: Sort, integer: str) -> str:
        """The text of an argument of the sort `sort`; `integer` is the level of an integer argument, "Z" or "%Z"."""
        if not isinstance(sort, tuple):
            return self.term(tree, sorts, integer if sort == "Int" else "R", ATOM)
        _, wanted, result = sort
        level = "%Z" if result == "Int" else "R"
        # A function "j. f(x, j)" is written as the partial application f x.
        if tree[0] == "lam" and (partial := partially(tree, sorts, sort)) is not None:
            name, arguments = partial
            texts = [self.argument(a, sorts, s, "%Z") for a, s in zip(arguments, sorts[name][1], strict=False)]
            return self.put(" ".join([spelled(name), *texts]), APPLIED, ATOM) if texts else spelled(name)
        if tree[0] == "lam":
            names = list(zip(tree[1], wanted, strict=True))
            bound = " ".join(grouped([(spelled(n), s) for n, s in names], bare=True))
            return f"(fun {bound} => {self.term(tree[2], {**sorts, **dict(names)}, level)})"
        # A function variable of the right sort is written as its name; one of other sorts is wrapped in a fun.
        if sorts[tree[1]] == sort:
            return spelled(tree[1])
        names = [(f"k{i}", s) for i, s in enumerate(wanted)]
        call = ("call", tree[1], tuple([("name", n) for n, _ in names]))
        return f"(fun {' '.join(grouped(names, bare=True))} => {self.term(call, {**sorts, **dict(names)}, level)})"


def partially(tree: Tree, sorts: Sorts, sort: Sort) -> Any:
    """The name f and the arguments x if the function `tree` of the sort `sort` has the form "j. f(x, j)", where f is a
    variable; else None."""
    _, bound, body = tree
    if body[0] != "call" or body[1] in bound or body[1] not in sorts:
        return None
    # The last arguments of the call must be the bound variables, which must not occur in the others.
    arguments, bound_variables = body[2], [("name", name) for name in bound]
    start = len(arguments) - len(bound_variables)
    _, wanted, result = sorts[body[1]]
    fits = (wanted[start:], result) == (tuple(sort[1]), sort[2]) and list(arguments[start:]) == bound_variables
    if start < 0 or not fits or any(set(bound) & free(argument) for argument in arguments[:start]):
        return None
    return body[1], arguments[:start]


def chained(left: Tree, right: Tree) -> bool:
    """Whether two comparisons are a chain a <= b < c."""
    signs = ("<=", "<")
    both = left[0] == right[0] == "op" and left[1] in signs and right[1] in signs
    return both and left[3] == right[2]


def grouped(bound: Sequence[tuple[str, Sort]], bare: bool = False) -> list[str]:
    """The texts of binders, in which neighbours of the same sort share a group. With `bare` a single group has no
    brackets."""
    groups: list[tuple[list[str], Any]] = []
    for name, sort in bound:
        if groups and groups[-1][1] == sort:
            groups[-1][0].append(name)
        else:
            groups.append(([name], sort))
    texts = [f"{' '.join(names)} : {sort_text(sort)}" for names, sort in groups]
    return texts if bare and len(texts) == 1 else [f"({t})" for t in texts]


@cache
@deep()
def definitions_text() -> str:
    """The text of all definitions that statements use."""
    all_definitions = definitions()
    reading = Reading(all_definitions)
    return "\n".join(
        reading.definition(used_definition) for used_definition in all_definitions.all.values() if used_definition.uses
    )


def reader() -> Any:
    """A reader of the checker that expands definitions as Coq unfolds them.

    The two differ in the place of casts. If a parameter is an integer in Coq, an integer expression given for it is
    cast as a whole, such as IZR (i - 1); the term "whole" marks that. Otherwise casts are moved inwards: IZR i - 1.
    """
    known, ck = definitions(), checker()

    def wrapped(value: Any, sort: Any) -> Any:
        """A value given for a parameter of this sort. A compound integer gets the mark "whole". A function gets the
        sort as an attribute, which `call` uses."""
        if isinstance(value, ck.Function):
            value.sort = sort
            return value
        term, depth = value
        compound = sort == "Int" and term.sort == "Int" and term.op not in ("num", "var", "bound", "app", "whole")
        return (ck.Term("whole", None, term), depth) if compound else value

    class Unfolding(ck.Reader):
        """The checker's reader, but it expands each definition with its arguments `wrapped`."""

        def argument(self, tree: Tree, meaning: Any, scope: Any, depth: int) -> Any:
            """As in the checker's reader, except that a definition is expanded with its arguments `wrapped`."""
            name = tree[1] if tree[0] in ("name", "call") else None
            if name is None or name in meaning or name not in known.all:
                return super().argument(tree, meaning, scope, depth)
            definition = known.all[name]
            arguments = [self.argument(a, meaning, scope, depth) for a in (tree[2] if tree[0] == "call" else ())]
            values = {p: wrapped(v, definition.sorts[p]) for p, v in zip(definition.params, arguments, strict=True)}
            return self.argument(definition.body, values, scope, depth)

        def call(self, function: Any, values: Any, depth: int) -> Any:
            """As in the checker's reader, except that a function with the attribute `sort` gets its arguments
            `wrapped`, and so does its result."""
            sort = getattr(function, "sort", None)
            if sort is None:
                return super().call(function, values, depth)
            out = super().call(function, [wrapped(v, s) for v, s in zip(values, sort[1], strict=True)], depth)
            return wrapped((out, depth), sort[2])[0]

    return Unfolding({}, {name: None for name in known.all})


@deep()
def unfolded(name: str) -> Any:
    """The formula that Coq gets when it unfolds the definitions in `statement_text`. It is that of the checker, except
    for the places of casts."""
    tree = definitions().statements[name]
    return reader().term(tree, {}, {}, 0)


@deep()
def statement_text(name: str) -> str:
    """The proposition of a statement. Untranslatable if only the expanded text can be written in Coq."""
    try:
        return Reading(definitions()).formula(definitions().statements[name], {})
    except (KeyError, BadInput) as error:
        raise Untranslatable(str(error)) from None
