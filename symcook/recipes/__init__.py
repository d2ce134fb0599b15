"""Descriptions of the recipes, and the functions that build models from them.

Each file of a chapter declares its recipes with `recipe(...)`. It is imported only when one of its recipes, or the list
of all, is needed. To keep imports quick, this module loads no model code, and the files of recipes load no sympy: they
import what they build with from `kit`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.door import door
from symcook.errors import BadInput, unknown
from symcook.present import without_docstrings
from symcook.recipes.operations import OPERATIONS, ids

if TYPE_CHECKING:
    from symcook.model.expr import Tree
    from symcook.model.symbols import Exact
    from symcook.model.transformer import Transformer

__all__ = [
    "Argument", "Recipe", "Symbol", "build", "error", "exists", "info", "inside", "names", "of_claim", "reference",
    "region",
]  # fmt: skip


class Argument(NamedTuple):
    """An argument of a recipe: its name, its default as text, a description, and its reader.

    `read(given, name)` takes text or a value, and the argument's name for messages. It returns the value, or raises
    BadInput. `only` is another argument and its value, if the argument is read with that value alone.
    """

    name: str
    default: str
    description: str
    read: Callable[[Any, str], Any]
    only: tuple[str, str] | None = None


class Symbol(NamedTuple):
    """A symbol that stays in the model: its name, its default as text (None if there is none), the region of its valid
    values, and a description."""

    name: str
    default: str | None
    region: str
    description: str


class Recipe(NamedTuple):
    """The description of a recipe.

    The texts `formula`, `computes`, `region`, `error` and `score` are in the grammar, over the model's inputs and
    symbols, and hold for the default arguments. In texts about several outputs, k is the number of the output.
    """

    name: str
    kind: str
    """The group of the recipe: feed-forward, attention, layer norm, representation or language."""
    summary: str
    source: str
    """The paper, then sections and equations."""
    formula: str
    """What the paper says the model returns."""
    computes: str
    """What the weights return everywhere. It may use score(j), an abbreviation of `score`."""
    uniformity: str
    """How weights and sizes depend on the length, in words."""
    claims: tuple[str, ...]
    """The ids of the claims of papers about this recipe."""
    reference: str
    """The specification, a function of `symcook.spec`, as "module:function"."""
    make: Callable[..., Transformer]
    """The function that builds the model. It is called with the Recipe and then the arguments."""
    region: str = "true"
    """Where `formula` is exact."""
    arguments: tuple[Argument, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    adapt: Callable[[Callable[..., Any], Mapping[str, Any]], Callable[..., Any]] | None = None
    """Makes a function of one input from the reference and {argument or symbol: value}. Needed where `asked` and
    `by_position` do not suffice."""
    region_of: Callable[..., str] | None = None
    """Gives `region` for other arguments."""
    largest: bool = True
    """Whether `formula` is wrong, or has no meaning, at every point outside `region`. Otherwise it may be exact in a
    larger region."""
    error: str = ""
    """A bound on the difference from the reference in the region; empty if there is no difference."""
    error_of: Callable[..., str] | None = None
    """Gives `error` for other arguments."""
    score: str = ""
    """The attention score of positions i and j, for texts that use score(j)."""

    @property
    def words(self) -> str:
        """The idea of the construction: the first paragraph of its function's docstring."""
        return " ".join(self._text().partition("\n\n")[0].split())

    @property
    def details(self) -> str:
        """The other paragraphs of that docstring: coordinates, arguments, and corrections to the paper."""
        return inspect.cleandoc(self._text()).partition("\n\n")[2]

    def _text(self) -> str:
        """The docstring of the function that builds the model."""
        if self.make.__doc__ is None:
            raise without_docstrings()
        return self.make.__doc__

    @property
    def paper(self) -> str:
        """The paper that the source names first."""
        return self.source.partition(",")[0]

    @property
    def section(self) -> str:
        """The first section that the source names, such as 5.3.4; empty if it names none."""
        match = re.search(r"Section ([0-9.]*[0-9])", self.source)
        return match[1] if match else ""

    def argument(self, name: str) -> Argument:
        """The declaration of the argument `name`. BadInput, with the nearest name, if there is none."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        raise unknown(f"argument of {self.name}", name, [a.name for a in (*self.arguments, *self.symbols)])

    def read(self, given: Mapping[str, object]) -> dict[str, Any]:
        """The checked values of all arguments: from `given` (exact values or text), else the defaults. BadInput for an
        argument that is not read with the others."""
        for name in given:
            self.argument(name)
        values = {a.name: a.read(given.get(a.name, a.default), a.name) for a in self.arguments}
        for a in self.arguments:
            if a.name in given and a.only is not None and values[a.only[0]] != a.only[1]:
                must = f"{a.name} of {self.name} must be given only with {a.only[0]} = {a.only[1]}"
                raise BadInput(must, f"{a.only[0]} = {values[a.only[0]]}", f"leave {a.name} out")
        return values

    def model(self, *parts: Any, **more: Any) -> Transformer:
        """A Transformer with this recipe's name and source (unless `more` has another source), from its parts."""
        from symcook.model.transformer import Transformer

        return Transformer(self.name, *parts, **{"source": self.source, **more})

    def of_family(
        self, family: str, values: Mapping[str, object], tokens: Sequence[str] | None = None,
        names: Mapping[str, str] | None = None, **choices: str,
    ) -> Transformer:  # fmt: skip
        """An instance of a shipped family, with this recipe's name and source. `names` renames coordinates."""
        from symcook.compose.routing import rename
        from symcook.model.family import load, shipped
        from symcook.model.instance import instance

        family_model = instance(load(shipped(family), choices), values, tokens, self.name)
        return replace(rename(family_model, names) if names else family_model, source=self.source)

    @property
    def vocabulary(self) -> dict[str, tuple[str, str, str]]:
        """The words that the texts may use in addition to the grammar: `WORDS`, and score(j) if there is a score."""
        from symcook.recipes.words import WORDS

        return WORDS | ({"score": ("j", self.score, self.score)} if self.score else {})

    def text(self, kind: str, decides: bool) -> Tree:
        """The tree of the text `kind`: `formula`, `computes` or `score`. For a model that decides (`decides`), the text
        is parsed as a formula; a score, and the texts of other models, as a term."""
        from symcook.model.expr import parse_formula, parse_term

        return (parse_formula if decides and kind != "score" else parse_term)(getattr(self, kind), 100_000)

    def build(self, given: Mapping[str, object]) -> Transformer:
        """The model for these arguments, with the values that `given` has for its parameters. BadInput for a wrong
        argument or value; without either, also for a text of the recipe that cannot be evaluated."""
        named = {argument.name for argument in self.arguments}
        values = {s.name: given[s.name] for s in self.symbols if s.name in given and s.name not in named}
        model = self.make(self, **self.read({name: value for name, value in given.items() if name not in values}))
        if not given:
            self._check_texts(model)
        return model.bind(values, require=False) if values else model  # type: ignore[arg-type]

    def _check_texts(self, model: Transformer) -> None:
        """Raise BadInput for a text that uses an undefined name. A text may use the inputs, symbols and arguments, the
        grammar and the vocabulary; `computes` also the model's coordinates."""
        from symcook.model.expr import ARITY, names
        from symcook.model.meaning import ROUNDED, called

        # The names with a value: in all texts i, n, k, symbols and arguments; in addition, by text, `columns`.
        numbers = {
            "i",
            "n",
            "k",
            *(named_symbol.name for named_symbol in (*self.symbols, *self.arguments, *model.parameters)),
        }
        inputs = set(model.embedding.inputs or ())
        columns = {"formula": inputs, "computes": inputs.union(model.space.names), "score": {*inputs, "j"}}
        for kind in ("formula", "computes", "score") if self.score else ("formula", "computes"):
            tree = self.text(kind, model.decides)
            free = names(tree) - numbers - columns[kind]
            functions = called(tree) - {*ARITY, *ROUNDED, *self.vocabulary, *columns[kind]}
            if free := free | {f"{name}(..)" for name in functions}:
                raise BadInput(
                    f"`{kind}` of the recipe {self.name} must use only names of inputs and arguments, and functions "
                    "that symcook has",
                    getattr(self, kind),
                    f"declare or replace {', '.join(sorted(free))}",
                )

    def to_json(self) -> dict[str, Any]:
        """The entry of ``symcook list --json``."""
        return {
            "name": self.name,
            "kind": self.kind,
            "summary": self.summary,
            "source": self.source,
            "section": self.section,
            "arguments": [{"name": a.name, "default": a.default, "description": a.description} for a in self.arguments],
            "symbols": [s._asdict() for s in self.symbols],
        }


COOKBOOK = "Cookbook"
"""The beginning of the source of a recipe of the Transformer Cookbook."""
OTHER = "Other"
"""The beginning of the source of a recipe that is in no paper: "Other, by whom"."""
_RECIPES: dict[str, Recipe] = {}
"""The recipes of the files imported so far, by name."""


def recipe(name: str = "", **facts: Any) -> Callable[[Callable[..., Transformer]], Callable[..., Transformer]]:
    """Declare the decorated function as the builder of a recipe; `facts` are the fields of `Recipe`.

    Defaults: the name is that of the function, with - for _; `computes` is `formula`; `reference` is the function of
    the same name in the module of `symcook.spec` that has the name of the chapter. `claims` is a text of ids separated
    by spaces, which may leave out the paper if it is that of the source.
    """

    def declare(make: Callable[..., Transformer]) -> Callable[..., Transformer]:
        """Store the recipe that `make` builds in `_RECIPES`; return `make` itself."""
        recipe_name = name or make.__name__.replace("_", "-")
        same_name = f"symcook.spec.{make.__module__.split('.')[-2]}:{make.__name__}"
        fields: dict[str, Any] = {
            "name": recipe_name, "make": make, "computes": facts["formula"], "reference": same_name, **facts,
        }  # fmt: skip
        fields["claims"] = ids(fields.get("claims", ""), fields["source"])
        _RECIPES[recipe_name] = Recipe(**fields)
        return make

    return declare


@cache
def _modules() -> dict[str, str]:
    """{module of recipes: its source text}: the files in the chapters, except their `__init__.py`. Chapters are the
    packages next to this file."""
    here, texts = os.path.dirname(__file__), {}
    for chapter in sorted(entry.name for entry in os.scandir(here) if os.path.exists(f"{entry.path}/__init__.py")):
        for file in sorted(os.listdir(os.path.join(here, chapter))):
            if file.endswith(".py") and file != "__init__.py":
                with open(os.path.join(here, chapter, file), encoding="utf-8") as stream:
                    texts[f"{__package__}.{chapter}.{file[:-3]}"] = stream.read()
    return texts


@cache
def _all() -> dict[str, Recipe]:
    """Every recipe by name, in the order in which recipes are listed."""
    for module in _modules():
        importlib.import_module(module)
    return {declared.name: declared for declared in sorted(_RECIPES.values(), key=_place)}


def exists(name: str) -> bool:
    """Whether there is a recipe of this name. Only files in which the name looks like that of a recipe are imported: a
    function or a declaration has it."""
    declaration = re.compile(
        rf'^def {re.escape(name.replace("-", "_"))}\(|@recipe\(\s*"{re.escape(name)}"', re.MULTILINE
    )
    for module, text in _modules().items():
        if name not in _RECIPES and declaration.search(text):
            importlib.import_module(module)
    return name in _RECIPES


def _place(declared: Recipe) -> tuple[Any, ...]:
    """The sort key of a recipe: the Cookbook first, then other papers, then recipes of no paper; within a paper by the
    first section and equation that the source names, then by chapter and name."""
    equation = re.search(r"Eqs?\. \(([0-9]+)\)", declared.source)
    section_numbers = tuple(int(part) for part in declared.section.split(".") if part)
    equation_number = int(equation[1]) if equation else 0
    return (
        declared.paper != COOKBOOK,
        declared.paper == OTHER,
        declared.paper,
        section_numbers,
        equation_number,
        declared.make.__module__.split(".")[-2],
        declared.name,
    )


def names() -> tuple[str, ...]:
    """The names of all recipes, in the order of the Cookbook's table of contents; then those of other papers; then
    recipes of no paper.

    >>> "dyck-1" in names()
    True
    """
    return tuple(_all())


def no_recipe(name: str) -> BadInput:
    """The error for a name that no recipe has: with the file of this name, or NAME.json, if there is one, else with the
    nearest name."""
    section = re.fullmatch(r"§?s?([1-9][0-9.]*)", name)
    do = f"symcook list --search {section[1]} finds recipes by section" if section else None
    return near_file("recipe", name) or unknown("recipe", name, list(_all()), do)


def near_file(kind: str, name: str) -> BadInput | None:
    """The error for a name that is none of this kind, where a model's file has it, with or without its ending."""
    for file in (name, f"{name}.json"):
        if file.endswith(".json") and os.path.isfile(file):
            do = f'write load("{file}")' if file == name else f"did you mean the file {file}?"
            return BadInput(f"the {kind} must be a known name", name, do)
    return None


def info(name: str) -> Recipe:
    """The description of the recipe `name`. BadInput, with the nearest name, if there is none."""
    if not exists(str(name)):
        raise no_recipe(str(name))
    return _RECIPES[name]


def named(
    name: str, given: Mapping[str, str], tokens: str | None = None
) -> tuple[Recipe | None, dict[str, Any], Transformer]:
    """The recipe of this name (None for a family or a model file), the settings of `given` that built the model, and
    the model. Other settings in `given` are not checked here, except for a family. `tokens` names the tokens of a
    family. BadInput, with the nearest name, if nothing has this name."""
    if tokens is None and exists(name):
        recipe = info(name)
        arguments = {key: value for key, value in given.items() if key in [a.name for a in recipe.arguments]}
        return recipe, arguments, recipe.build(arguments)
    from symcook.recipes.models import of_file

    if (of_path := of_file(name, given, tokens)) is None:
        raise no_recipe(name)
    return None, *of_path


def of_claim(claim: str) -> tuple[str, ...]:
    """The names of the recipes and functions that a claim is about, by id.

    >>> of_claim("cookbook.t5.quadmax"), of_claim("cookbook.t3.routing")
    (('lookup-quadratic',), ('symcook.compose.route',))
    """
    recipes = [recipe.name for recipe in _all().values() if claim in recipe.claims]
    return (*recipes, *(function.name for function in OPERATIONS if claim in function.claims))


@door()
def build(name: str, **arguments: object) -> Transformer:
    """The model of a recipe.

    Arguments:
        name: str. The recipe; `symcook list` shows all.
        arguments: exact numbers, or expressions as text. The recipe's arguments and values of its parameters; a
            parameter without a value stays a symbol.

    Returns: Transformer.

    Raises: BadInput: an unknown recipe or argument, and a value of the wrong type or out of range.

    Example:

    >>> build("identity", d=2).space.names
    ('x1', 'x2', 'out1', 'out2')
    >>> build("gtzero", eps="1/4").layers[0].feedforward.W2
    Matrix([[4, -4]])
    """
    return info(name).build(arguments)


def region(name: str, **arguments: object) -> str:
    """The region in which the recipe with these arguments is exact, as a formula over its inputs and symbols.

    >>> region("gtzero")
    'x <= 0 | eps <= x'
    """
    declared = info(name)
    values = declared.read(arguments)
    return declared.region if declared.region_of is None else declared.region_of(**values)


def error(name: str, **arguments: object) -> str:
    """The bound on the error of the recipe with these arguments, over its inputs and symbols; "0" where it is exact.

    >>> error("multiply-gelu"), error("max")
    ('(abs(x) + abs(y))^3/12', '0')
    """
    declared = info(name)
    values = declared.read(arguments)
    return (declared.error or "0") if declared.error_of is None else declared.error_of(**values)


def inside(
    name: str, arguments: Mapping[str, object], rows: Sequence[Mapping[str, object]], values: Mapping[str, object]
) -> bool:
    """Whether rows of inputs, with values of the symbols (all sympy numbers), lie in the region of the recipe.

    The region is asked for each row, with n the number of rows. Raises NotExact for a number that is not rational.

    >>> import sympy
    >>> inside("gtzero", {}, [{"x": sympy.Rational(1, 3)}], {"eps": sympy.Integer(1)})
    False
    """
    from fractions import Fraction

    from symcook.model.expr import parse_formula
    from symcook.model.rationals import truth
    from symcook.model.symbols import fraction

    tree = parse_formula(region(name, **arguments))
    fixed = {symbol: fraction(value) for symbol, value in values.items()} | {"n": Fraction(len(rows))}
    return all(truth(tree, fixed | {input_name: fraction(value) for input_name, value in row.items()}) for row in rows)


def reference(
    name: str, arguments: Mapping[str, object] | None = None, values: Mapping[str, Exact] | None = None
) -> Callable[[Any], Any]:
    """What the recipe should answer, from symcook.spec: a function of one input.

    `arguments` are those of `build`; `values` sets the recipe's symbols to Fractions (else their defaults count; a
    language ignores `values`). The function maps, for a recipe over one row of numbers, {input: Fraction} to
    {output: Fraction}; for a recipe with values at each position, rows {input: Fraction} (or a string) to a list of
    {output: Fraction}, one a position; for a recipe with labels, a string to a label or to a list of labels; for a
    language, a string to a bool. It raises BadInput where the recipe promises nothing (a truth table at 1/2).

    >>> from fractions import Fraction
    >>> reference("gtzero", values={"eps": Fraction(1, 2)})({"x": Fraction(1)})
    {'out': Fraction(1, 1)}
    """
    declared = info(name)
    module, attribute = declared.reference.split(":")
    function = getattr(importlib.import_module(module), attribute)
    argument_values = declared.read(arguments or {})
    model = None if declared.kind == "language" else declared.make(declared, **argument_values)
    values_by_name = (
        argument_values
        if model is None
        else {"names": model.embedding.inputs, **argument_values, **_symbols(declared, model, values or {})}
    )
    if declared.adapt is not None:
        return declared.adapt(function, values_by_name)
    ask = asked(function, values_by_name)
    if model is not None and model.readout.each and not model.readout.labels and len(model.readout.reads) == 1:
        return by_position(ask, model.embedding.inputs, model.readout.reads[0])
    return ask


def asked(function: Callable[..., Any], known: Mapping[str, object]) -> Callable[..., Any]:
    """A reference as a function of one input, or a Fold.

    Of `known`, {argument, symbol or "names": value}, the reference gets what it has parameters for. If its first
    parameter is among them, its result is the function of one input; otherwise its first parameter is the input.
    """
    from symcook.spec.fold import Fold

    if isinstance(function, Fold):
        return function
    takes = list(inspect.signature(function).parameters)
    arguments = {name: known[name] for name in takes if name in known}
    return function(**arguments) if takes[0] in known else partial(function, **arguments)


def by_position(ask: Callable[..., Any], inputs: Sequence[str] | None, output: str) -> Any:
    """A reference that takes rows {input: value}, or strings, and answers with {output: value} for each position, made
    from the reference `ask`, which takes tuples or numbers and answers with numbers. A Fold stays a Fold."""
    from symcook.spec.fold import Fold

    if isinstance(ask, Fold):
        return replace(ask, answer=lambda state: {output: ask.answer(state)})

    def answer(rows: Sequence[Any]) -> list[dict[str, Any]]:
        if inputs is not None:
            rows = [row[inputs[0]] if len(inputs) == 1 else tuple(row[name] for name in inputs) for row in rows]
        return [{output: value} for value in ask(rows)]

    return answer


def _symbols(recipe: Recipe, model: Transformer, values: Mapping[str, object]) -> dict[str, Any]:
    """The values of the model's symbols, from `values` or by default. BadInput for an unknown symbol, or one without a
    value."""
    from symcook.model.symbols import fraction
    from symcook.model.transformer import without_value

    result = {p.name: p.default for p in model.parameters}
    for name in values:
        if name not in result:
            raise unknown(f"parameter of {recipe.name}", name, list(result))
    for name, default in result.items():
        if name not in values and default is None:
            raise without_value(name, model.parameter(name).region)
        result[name] = values[name] if name in values else fraction(default)
    return result
