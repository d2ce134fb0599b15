"""A question, as its function declares it. Its command, help, JSON and method of a model all come from this
declaration.

Only the header and the docstring of the function are read, from its source. So help and completion do not import the
modules that compute the answer; `load` imports them. A question may have a text of its own for the command; otherwise
its docstring is the text. In it, the paragraphs before "For example:" describe the question. Each argument has a line
`name METAVAR: words` or `name --option METAVAR: words`. A flag has no metavar; a metavar A|B lists all values.
Arguments of many questions are described once, in `COMMON`. So is `file`, the place where the command writes the
answer, which is not an argument of any function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import ast

COMMON = """
model NAME: A recipe or a model file.
max_length N: The maximum length, in input symbols; not needed if --inputs has finitely many strings.
min_length N: The smallest length of a string; with 0 the empty string is included.
n N: The number of scores, positions or symbols.
gamma G: The score gap or scale: a rational number, or an expression such as 'log(8*64)'.
inputs --inputs X: Only these strings: a file with one a line, an automaton file or a regular expression (all).
sample --sample K: With --inputs: use K of its strings, drawn at random.
seed --seed S: With --sample: the seed of the random draw (0).
positions --positions P: If the model answers at each position, which answers count: last, all or after:SYMBOL (all).
values --set NAME=VALUE: Set an argument of the recipe or a parameter of the model. Repeatable.
digits D: Decimal digits of rigorous intervals.
file --plot PLACE: Write PLACE.csv, and if matplotlib is installed PLACE.svg and PLACE.png.
"""
REQUIRED: Any = object()
"""The default of an argument without a default."""
EXAMPLE = "\n\nFor example: "
"""The text before the example in a docstring."""


def load(home: str) -> Callable[..., Any]:
    """The function with the address "module:function", imported now."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)


class DeclaredArgument(NamedTuple):
    """An argument of a question."""

    name: str
    kind: str
    """Its annotation, as text."""
    default: Any
    """Its default, or `REQUIRED`."""
    option: str
    """Its option on the command line; an option with two names is written -o/--output."""
    metavar: str | None
    """The placeholder of its value in the help; None for a flag."""
    words: str
    """Its description."""

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    @property
    def help(self) -> str:
        """Its description, with the default; without a default that is a tuple or counts as false, such as 0 or
        None."""
        if self.required or isinstance(self.default, tuple) or not self.default:
            return self.words
        return f"{self.words.removesuffix('.')} ({self.default})."


class Question:
    """A question: its name and its function ("module:function"), which takes `arguments`, and the argument `more`,
    which has no option."""

    def __init__(self, name: str, home: str, more: str, text: str = "") -> None:
        self.name, self.home, self.more, self.text = name, home, more, text

    def load(self) -> Callable[..., Any]:
        """The function, imported now."""
        return load(self.home)

    @cached_property
    def _declared(self) -> tuple[ast.arguments, str]:
        """The signature, and the docstring without its indentation."""
        import ast
        from inspect import cleandoc

        module, _, name = self.home.partition(":")
        module_spec: Any = find_spec(module)
        source = module_spec.loader.get_source(module)
        start = source.index(f"\ndef {name}(")
        end = source.index('"""', source.index('"""', start) + 3) + 3
        function: Any = ast.parse(source[start:end]).body[0]
        return function.args, self.text or cleandoc(ast.get_docstring(function, clean=False) or "")

    @property
    def words(self) -> str:
        """The docstring before its example."""
        return self._declared[1].partition(EXAMPLE)[0]

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring on one line."""
        return " ".join(self._declared[1].partition("\n\n")[0].split())

    @property
    def example(self) -> str:
        """The command in the docstring that is an example; "" if it has none."""
        return self._declared[1].partition(EXAMPLE)[2].partition("\n")[0]

    @cached_property
    def arguments(self) -> tuple[DeclaredArgument, ...]:
        """All arguments but `more`, in the order of the signature. Raises KeyError for one without a description."""
        import ast

        # Defaults from the signature: positional ones belong to the last arguments, keyword-only ones have one each.
        signature, text = self._declared
        default: dict[str, Any] = {}
        for argument, value in zip(reversed(signature.args), reversed(signature.defaults), strict=False):
            default[argument.arg] = ast.literal_eval(value)
        for argument, value in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
            default[argument.arg] = REQUIRED if value is None else ast.literal_eval(value)
        declared = [argument for argument in (*signature.args, *signature.kwonlyargs) if argument.arg != self.more]
        kinds = {
            argument.arg: ast.unparse(argument.annotation) for argument in declared if argument.annotation is not None
        }
        # Descriptions: a line in the docstring replaces the line in `COMMON`.
        lines_of = _descriptions(COMMON, kinds) | _descriptions(text, kinds)
        return tuple(
            DeclaredArgument(name, kinds[name], default.get(name, REQUIRED), *lines_of[name]) for name in kinds
        )

    @property
    def file(self) -> DeclaredArgument:
        """The declaration of the option for the file to which the command writes the answer."""
        lines_of = _descriptions(COMMON, ["file"]) | _descriptions(self._declared[1], ["file"])
        return DeclaredArgument("file", "str | None", None, *lines_of["file"])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return tuple(argument.name for argument in self.arguments)

    @property
    def usage(self) -> str:
        """Its name and its options as they are written on the command line."""
        words = []
        for argument in self.arguments:
            word = (
                "NAME"
                if argument.name == "model"
                else argument.option + (f" {argument.metavar}" if argument.metavar else "")
            )
            words.append(word if argument.required else f"[{word}]")
        return " ".join((self.name, *words))


def _descriptions(text: str, names: Iterable[str]) -> dict[str, tuple[str, str | None, str]]:
    """{argument: (option, metavar, description)} for the `names` that have a line in the text; continuation lines are
    indented."""
    lines_of = {}
    any_name = "|".join(map(re.escape, names))
    for name, option, metavar, words in re.findall(
        rf"^({any_name})( -[\w/-]+)?( [^\s:]+)?: (.*(?:\n +.*)*)", text, re.M
    ):
        option = option.strip() or f"--{name.replace('_', '-')}"
        lines_of[name] = (option, metavar.strip() or None, " ".join(words.split()))
    return lines_of
