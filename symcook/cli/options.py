"""The options of the commands: their types and checks, the model that a command is about, and the input given to it."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_origin, get_type_hints

import click

from symcook.cli.commands import see_also
from symcook.errors import BadInput, NotExact, unknown
from symcook.files import repeated
from symcook.model.answers import grouped

if TYPE_CHECKING:
    from pathlib import Path

    from symcook.model.family import Family
    from symcook.model.transformer import Transformer


MOST_LINES = 3
"""The greatest number of lines of prose in a command's help, except that the first paragraph is never cut."""


class Whole(click.ParamType):
    """An integer from `least` to `most`, written in at most 18 decimal digits; `what` names it in messages."""

    name = "integer"

    def __init__(self, what: str, least: int, most: int) -> None:
        self.what, self.least, self.most = what, least, most

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The integer. Raises BadInput for other text, and for an integer out of range."""
        text = str(value).strip()
        digits = max(18, len(str(self.most)))
        number = int(text) if re.fullmatch(rf"[+-]?[0-9]{{1,{digits}}}", text, re.ASCII) else None
        if number is None or not self.least <= number <= self.most:
            raise BadInput(
                f"{self.what} must be an integer from {self.least} to {grouped(self.most)}",
                value or "nothing",
                f"give for example {self.least}",
            )
        return number


class OneOf(click.ParamType):
    """One of a few words; `what` names it in messages. `others` are accepted too, and not shown."""

    name = "choice"

    def __init__(self, what: str, choices: Sequence[str], others: Sequence[str] = ()) -> None:
        self.what, self.choices, self.others = what, list(choices), others

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself. Raises BadInput, with the nearest valid word, for any other word."""
        if value not in self.choices and value not in self.others:
            raise unknown(self.what, str(value), self.choices)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        left, right = "{}" if isinstance(param, click.Argument) else "[]"
        return left + "|".join(self.choices) + right

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return _items(self.choices, incomplete)


class ModelName(click.ParamType):
    """The name of a recipe, or the path of a model file."""

    name = "name"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from symcook.recipes import names

        return _items(names(), incomplete) or [CompletionItem(incomplete, type="file")]


def completes(words: Callable[[], Iterable[str]]) -> Callable[..., list[Any]]:
    """A completion for a parameter whose valid words are `words()`, which is called when the shell asks for them."""
    return lambda ctx, param, incomplete: _items(list(words()), incomplete)


def papers() -> Iterable[str]:
    """The valid values of ``--paper``."""
    from symcook.claims import PAPERS

    return PAPERS


def _items(words: Sequence[str], incomplete: str) -> list[Any]:
    """Completion items for the words that begin with `incomplete`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


class Command(click.Command):
    """A command with `--json` and `--debug`, whose options never swallow another option as their value.

    Its help has the first paragraph of the text, and those after it as far as three lines go; `symcook explain COMMAND`
    has all of it.
    """

    allow_extra_args = True
    """click keeps further arguments instead of refusing them: `parse_args` refuses them with symcook's own message."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first paragraph, and those after it while three lines have room for them."""
        room, width = MOST_LINES, formatter.width - 2
        for paragraph in (" ".join(one.split()) for one in (self.help or "").split("\n\n")):
            lines = len(textwrap.wrap(paragraph, width))
            if room < MOST_LINES and lines > room:
                return
            room -= lines
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the end of the help: the example, and what to read after it."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(f"\b\nFor example:\n  {self.epilog}")
        formatter.write_paragraph()
        formatter.write_text(f"See also: {', '.join(f'symcook {one}' for one in see_also(str(self.name)))}")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise BadInput for further ones (only shell completion returns some), and for an option
        that is given twice and cannot be repeated: click would use the last one."""
        with_value = {name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts}
        options = {name for p in self.get_params(ctx) if isinstance(p, click.Option) for name in p.opts}
        # In `--input --json` the value of --input was forgotten. In shell completion (resilient parsing) the line is
        # not finished, so nothing is refused.
        if not ctx.resilient_parsing:
            for current, following in zip(args, args[1:], strict=False):
                if current == "--":
                    break
                if current in with_value and following in options:
                    raise BadInput(
                        f"the option {current} must have a value",
                        f"none before {following}",
                        f"see {ctx.command_path} -h",
                    )
        given_args = list(args)  # click empties the list
        try:
            further = super().parse_args(ctx, args)
            _, _, order = self.make_parser(ctx).parse_args(given_args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # so that the sentence can name this command's help
            raise
        single = [p for p in order if isinstance(p, click.Option) and not p.multiple and not p.is_flag]
        if (twice := repeated(single)) is not None and not ctx.resilient_parsing:
            name = max(twice.opts, key=len)
            raise BadInput(f"the option {name} must be given once", "twice", f"leave one {name} out")
        if further and not ctx.resilient_parsing:
            must = f"{ctx.command_path} must have no further argument"
            do = "give a string with --input" if "--input" in options else f"see {ctx.command_path} --help"
            raise BadInput(must, " ".join(further), do)
        return further


def option(words: str, metavar: str | None = None, type: Any = None, *names: str, **how: Any) -> Any:
    """An option as the annotation of a parameter of a command.

    words: its help. metavar: the placeholder of its value. type: click's type that reads the value. names: its names,
    if they are not --PARAMETER. how: further arguments of `click.option`. A parameter of type bool is a flag, a tuple
    may be repeated. The default is that of the parameter; a str or int without a default is required.
    """

    def made(name: str, kind: Any, default: Any) -> Any:
        """The click decorator for a parameter of this name, type and default."""
        settings: dict[str, Any] = {"is_flag": True}
        if kind is not bool:
            settings = {"multiple": get_origin(kind) is tuple, "type": type}
        if kind in (str, int) and default is None:
            settings["required"] = True
        # A flag that is not given is False, and what may be repeated is (); each other default is click's too.
        shown = default not in (None, (), "") and kind is not bool
        if shown:
            settings["default"] = default
        help = f"{words.removesuffix('.')} ({default})." if shown and f"({default})" not in words else words
        return click.option(
            *(names or [f"--{name.replace('_', '-')}"]), name, metavar=metavar, help=help, **settings, **how
        )

    return made


def argument(**how: Any) -> Any:
    """An argument of a command as the annotation of a parameter."""
    return lambda name, kind, default: click.argument(name, **how)


def given(function: Callable[..., object], **kinds: Any) -> Callable[..., Any]:
    """The function with click's options and arguments for the parameters `kinds`: {parameter: annotated type}. click
    records them on the function itself, which is returned."""
    parameters = inspect.signature(function).parameters
    # Decorators are applied from the last to the first, so that the help has the parameters in order.
    for name, kind in reversed(kinds.items()):
        default = parameters[name].default if name in parameters else None
        plain = None if default is inspect.Parameter.empty else default
        function = kind.__metadata__[0](name, kind.__origin__, plain)(function)
    return function


def command(name: str, example: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """A decorator that makes a function a command: its help is the docstring, its options are the annotated parameters.

    `example` is a command line at the end of the help.
    """

    def declare(function: Callable[..., object]) -> Command:
        hints = get_type_hints(function, include_extras=True)
        given(function, **{name: kind for name, kind in hints.items() if get_origin(kind) is Annotated})
        click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")(function)
        given(function, as_json=Json)
        return click.command(name, cls=Command, epilog=example)(function)

    return declare


def _settable(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Completions of --set: NAME= for each name that can be set for the recipe or model file on the line."""
    try:
        chosen = choose(ctx.params.get("name") or next(iter(ctx.args), ""))
    except (BadInput, OSError):
        return []
    arguments = [a.name for a in chosen.info.arguments] if chosen.info is not None else []
    symbols = [p.name for p in chosen.model.parameters]
    inputs = list(chosen.model.embedding.inputs or ()) if chosen.pointwise else []
    return _items([f"{name}=" for name in (*arguments, *symbols, *inputs)], incomplete)


DOMAINS = ("exact", "ball", "mpmath", "float64", "float32", "float16")
"""The number systems of --domain."""
Found = TypeVar("Found")

# The options that several commands share, as annotated types of parameters, with the ranges of their integers.
DIGITS = Whole("digits", 1, 100_000)
SECONDS = Whole("the time in seconds", 1, 1_000_000)
LENGTH = Whole("the maximum length", 1, 1_000_000)
Json = Annotated[bool, option("Print one JSON document.", None, None, "--json")]
Name = Annotated[str, argument(type=ModelName())]
Settings = Annotated[
    tuple[str, ...],
    option(
        "Set NAME to VALUE: an argument of the recipe, a parameter of the model, or an input that is a number. "
        "Repeatable.",
        "NAME=VALUE",
        None,
        "--set",
        shell_complete=_settable,
    ),
]
DomainOption = Annotated[
    str | None,
    option(
        "The number system; ball computes rigorous intervals, mpmath many digits. By default exact, or ball if needed.",
        None,
        OneOf("number system", DOMAINS),
    ),
]
WITH_DIGITS = ("ball", "mpmath")
"""The number systems that compute as many digits as are asked for."""
Digits = Annotated[int | None, option("Decimal digits, in the number systems ball and mpmath (30).", "D", DIGITS)]
MaxLength = Annotated[int | None, option("The maximum length of a string or sequence.", "N", LENGTH)]
WordOption = Annotated[str | None, option("The input as a string of symbols.", "W", None, "--input")]
Tokens = Annotated[str | None, option('The input as symbols with spaces between: "a b c".', "TOKENS")]
RowsOption = Annotated[str | None, option('The input as rows of numbers, one a position: "1/2,0; 1,3".', "ROWS")]
Seconds = Annotated[int, option("The time limit in seconds.", "S", SECONDS)]
Latex = Annotated[bool, option("Print LaTeX (packages amsmath and amssymb).")]
Complete = Annotated[bool, option("With --latex: print a complete document.", None, None, "--document")]
InputsOption = Annotated[
    str | None,
    option(
        "Only these strings: a file with one a line, an automaton file or a regular expression.", "X", None, "--inputs"
    ),
]
SAMPLE = Whole("the number of strings", 1, 1_000_000)
SEED = Whole("the seed", 0, 10**18)
Sample = Annotated[int | None, option("With --inputs: use K of its strings, drawn at random.", "K", SAMPLE)]
Seed = Annotated[int | None, option("With --sample: the seed of the random draw (0).", "S", SEED)]
PositionsOption = Annotated[
    str | None,
    option("If the model answers at each position, which answers count: last, all or after:SYMBOL (all).", "P", None,
           "--positions"),
]  # fmt: skip
Force = Annotated[bool, option("Replace existing files.")]


def check_draw(asked: Mapping[str, Any]) -> None:
    """Raise BadInput for --sample without --inputs, or --seed without --sample."""
    for name, needed in (("sample", "inputs"), ("seed", "sample")):
        value = asked.get(name)
        if value is not None and asked.get(needed) is None:
            raise BadInput(f"--{name} must come with --{needed}", f"--{name} {value} alone", f"give --{needed} too")


def asked_of(
    inputs: str | None, sample: int | None = None, seed: int | None = None, positions: str | None = None
) -> dict[str, Any]:
    """The options that restrict a question to some strings or positions, without those that are None."""
    chosen = {"inputs": inputs, "sample": sample, "seed": seed, "positions": positions}
    check_draw(chosen)
    return {name: value for name, value in chosen.items() if value is not None}


def in_balls(domain: str | None, model: Transformer) -> str | None:
    """The number system of --domain. Without --domain it is "ball" for a program that was compiled to softmax or layer
    norms, else None.

    Exact sums of exponentials and roots take far longer than balls, and such a model rounds its values, after which
    balls are exact numbers too.
    """
    program = model.program
    return "ball" if domain is None and program is not None and (program.attention or program.kind == "tm") else domain


def exact_or_balls(domain: str | None, ask: Callable[[str], Found]) -> tuple[Found, str]:
    """The result of `ask` in the number system `domain`, and a note.

    Without a domain `ask` is called with "exact"; if this raises NotExact, it is called with "ball", and the note says
    why.
    """
    try:
        return ask(domain or "exact"), ""
    except NotExact as error:
        if domain is not None:
            raise
        return ask("ball"), f"rigorous intervals, not exact numbers: {NotExact(error.must, error.given)}"


def check_latex(latex: bool, document: bool, as_json: bool) -> None:
    """Raise BadInput for --document without --latex, or --latex with --json."""
    if document and not latex:
        raise BadInput("--document must come with --latex", "none", "write --latex --document")
    if latex and as_json:
        raise BadInput("only one output format must be chosen", "--latex and --json", "use one of them")


@dataclass(frozen=True)
class Chosen:
    """The model that a command is about, and the settings of `--set`."""

    name: str
    """NAME on the command line."""
    info: Any
    """The recipe's metadata; None for a family and for a model file."""
    model: Transformer
    arguments: dict[str, str]
    """Settings that are arguments of the recipe, or parameters of the family."""
    values: dict[str, str]
    """Settings that are parameters of the model."""
    inputs: dict[str, str]
    """Settings that are inputs of a feed-forward recipe."""

    @property
    def pointwise(self) -> bool:
        """Whether the model reads a single row of numbers."""
        return self.model.pointwise

    def bound(self) -> Transformer:
        """The model with the values that were given; other parameters remain."""
        return self.model.bind(self.values, require=False)

    def with_defaults(self) -> Transformer:
        """The model with the values that were given as defaults of its parameters, so that answers name them."""
        given = self.model.values(self.values, require=False)
        parameters = (replace(p, default=given.get(p.name, p.default)) for p in self.model.parameters)
        return replace(self.model, parameters=tuple(parameters))

    def command(self, verb: str, options: Sequence[str] = ()) -> str:
        """A command line about this model, to paste into a shell.

        `options` are options and their values in turn. The settings of the model are added, except those that `options`
        set. A value that begins with a dash is written --option=value.
        """
        name = os.path.join(os.curdir, self.name) if self.name.startswith("-") else self.name
        pairs = list(zip(options[::2], options[1::2], strict=True))
        set_here = {value.partition("=")[0] for option, value in pairs if option == "--set"}
        settings = {key: value for key, value in {**self.arguments, **self.values}.items() if key not in set_here}
        pairs += [("--set", f"{key}={value}") for key, value in settings.items()]
        parts = ((f"{option}={value}",) if value.startswith("-") else (option, value) for option, value in pairs)
        return shlex.join(["symcook", verb, name, *(part for pair in parts for part in pair)])


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """{NAME: VALUE} of settings `NAME=VALUE`. Raises BadInput for another form, and for a name given twice."""
    result: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise BadInput("a setting must be written NAME=VALUE", setting or "nothing", "for example --set eps=1/100")
        if name in result:
            raise BadInput("a parameter must be set only once", name, "leave one of the two out")
        result[name] = value
    return result


def whole_family(name: str, settings: Sequence[str]) -> Family | None:
    """The family NAME, for all parameter values. None if NAME is not a family, or if `settings` have a name that is not
    one of the family's choices, such as a size or a table."""
    from symcook.recipes.models import read

    if (path := path_of(name)) is None:
        return None
    settings_given = read_settings(settings)
    family = read(path, settings_given)
    return family if settings_given.keys() <= family.choices.keys() else None


def path_of(name: str) -> Path | None:
    """The file of the family NAME; None if NAME is not a family, or is the name of a recipe."""
    from symcook.recipes import exists, models

    path = models.path_of(name)
    return None if path is None or exists(name) else path


def is_path(name: str) -> bool:
    """Whether NAME is meant as the path of a model file, and is not the name of a recipe."""
    from symcook.recipes import exists, models

    return models.is_path(name) and not exists(name)


def digits_of(digits: int | None, domain: str | None, bits: int | None = None) -> int:
    """The digits that --digits asks for, 30 without it. BadInput where no number has so many digits: with --bits, and
    in a number system that is not one of `WITH_DIGITS`. Without --domain a run may come to balls."""
    if digits is None:
        return 30
    if bits is not None or domain not in (None, *WITH_DIGITS):
        given = f"--bits {bits}" if bits is not None else f"--domain {domain}"
        raise BadInput("--digits must be used with the number systems ball and mpmath", given, "leave --digits out")
    return digits


def setting_text(key: str, value: str) -> str:
    """A setting as it is written on the command line."""
    return f"--set {key}={value}"


def choose(name: str, settings: Sequence[str] = (), tokens: str | None = None) -> Chosen:
    """The recipe, family or model file NAME, built with `settings`; `tokens` are names for the tokens of a family.

    A setting is an argument of the recipe, a parameter of the model, or an input of a feed-forward recipe. Raises
    BadInput, with the nearest name, for any other setting.
    """
    from symcook.recipes import exists, info, named

    settings_given = read_settings(settings)
    recipe, arguments, model = named(name, settings_given, tokens)
    recipe_arguments = list(arguments) if recipe is None else [a.name for a in recipe.arguments]
    declared = [p.name for p in model.parameters]
    inputs = list(model.embedding.inputs or ())
    values, rows = {}, {}
    # A setting that is not an argument of the recipe is a parameter of the model, or an input of a feed-forward recipe.
    for key, value in settings_given.items():
        if key in arguments:
            continue
        if not value:
            raise BadInput(f"{key} must have a value", setting_text(key, value), f"write {key}=VALUE")
        if key in declared:
            values[key] = value
        elif key in inputs and model.pointwise:
            rows[key] = value
        elif key in inputs:
            raise BadInput(
                "the inputs of an attention recipe must be given with --rows, one row for each position",
                setting_text(key, value),
                "give for example --rows '1,0; 1/2,3'",
            )
        else:
            # An unknown name: the message has the nearest valid one.
            valid = [*recipe_arguments, *declared, *(inputs if model.pointwise else [])]
            if not valid:
                must = f"{name} has no argument, parameter or input to set"
                raise BadInput(must, setting_text(key, value), "leave this setting out")
            inner = recipe.read(arguments).get("f") if recipe is not None else None
            if inner and exists(inner) and key in [a.name for a in info(inner).arguments]:
                raise BadInput(
                    f"the recipe that is the argument f of {name} must have its default arguments",
                    setting_text(key, value),
                    "leave the arguments of that recipe out",
                )
            raise unknown("setting", key, valid)
    chosen = Chosen(name, recipe, model, arguments, values, rows)
    model.values(values, require=False)  # raises BadInput for an invalid value, in every command
    return chosen


def read_input(chosen: Chosen, word: str | None, tokens: str | None, rows: str | None) -> Any:
    """The input that the options give, as `symcook.run.prepare` takes it: symbols without special tokens, rows, or the
    row {input: value} of a feed-forward recipe.

    None if no option gives an input. Raises BadInput if an option does not fit the model.
    """
    model = chosen.model
    options = {"--input": word, "--tokens": tokens, "--rows": rows}
    if chosen.inputs:
        options["--set"] = "inputs"
    used_options = [name for name, value in options.items() if value is not None]
    if len(used_options) > 1:
        raise BadInput("one input must be given", " and ".join(used_options), "use one of them")
    if not used_options:
        return None
    # A string. The symbols of --input are checked here, since the message must list the alphabet without the decoder's
    # own tokens; those of --tokens are not.
    if used_options[0] in ("--input", "--tokens"):
        if not model.alphabet:
            raise BadInput(f"{chosen.name} must be given numbers", used_options[0], input_hint(chosen))
        if word is not None:
            letters = model.input_symbols
            if any(len(letter) > 1 for letter in letters):
                raise BadInput(
                    "a string whose symbols have several characters must be given with --tokens, separated by blanks",
                    f"--input {word}",
                    "give --tokens 'A B' in place of --input",
                )
            for letter in word:
                if letter not in letters:
                    settable = chosen.info is not None and "alphabet" in {one.name for one in chosen.info.arguments}
                    do = f"give its symbols: --set alphabet={''.join(dict.fromkeys(word))}" if settable else None
                    raise BadInput(f"every symbol must be in the alphabet {' '.join(letters)}", letter, do)
            return tuple(word)
        return tuple((tokens or "").split())
    # Numbers: rows of a sequence, or the single row that --set gives to a feed-forward recipe.
    if model.alphabet:
        raise BadInput(f"{chosen.name} must be given a string", "--rows", input_hint(chosen))
    if rows is not None:
        return read_rows(rows, model.embedding.inputs or ())
    return dict(chosen.inputs)


def input_hint(chosen: Chosen) -> str:
    """The option that gives an input to this model, with an example, for messages."""
    model = chosen.model
    if model.alphabet:
        letters = model.input_symbols
        if not letters:
            return 'give --input ""'
        if any(len(letter) > 1 for letter in letters):
            return f'give --tokens "{" ".join(letters[:2])}"'
        return f'give --input "{"".join(letters[:2])}"'
    inputs = model.embedding.inputs or ()
    if model.pointwise:
        symbols = [p.name for p in model.parameters if p.default is None and p.name not in chosen.values]
        return "give " + " ".join(f"--set {name}=VALUE" for name in (*inputs, *symbols))
    return f'give --rows "{", ".join(inputs)}; ..." (one row a position)'


def need_input(chosen: Chosen, given: object, why: str) -> Any:
    """The input `given`. Raises BadInput, with the option to give, if there is no input or one of its values is
    missing.

    `why` names the command in the message.
    """
    if given is None:
        if not chosen.model.embedding.inputs and not chosen.model.alphabet:
            return [{}]  # a model without inputs: one row without values
        raise BadInput(f"{why} must have an input", "none", input_hint(chosen))
    missing = [name for name in chosen.model.embedding.inputs or () if isinstance(given, dict) and name not in given]
    if missing:
        raise BadInput("every input must have a value", f"none for {missing[0]}", f"give --set {missing[0]}=VALUE")
    return given


def need_values(chosen: Chosen, defaults: bool = True) -> None:
    """Raise BadInput if a parameter has no value (a default is one, with `defaults`), and name the option for it."""
    from symcook.model.transformer import without_value

    for parameter in chosen.model.parameters:
        if not (defaults and parameter.default is not None) and parameter.name not in chosen.values:
            raise without_value(parameter.name, parameter.region)


def read_rows(text: str, inputs: Sequence[str]) -> list[dict[str, str]]:
    """Rows such as ``1/2,0; 1,3`` as mappings {input: value}; the values are in the order of `inputs`."""
    from symcook.recipes.arguments import split

    result = []
    for row in split(text, ";"):
        entries = [entry.strip() for entry in split(row, ",")]
        if len(entries) != len(inputs) or not all(entries):
            must = f"each row must have {len(inputs)} value{'s' * (len(inputs) > 1)} ({', '.join(inputs)})"
            raise BadInput(must, row.strip() or "an empty row", f"write for example {','.join(['0'] * len(inputs))}")
        result.append(dict(zip(inputs, entries, strict=True)))
    return result
