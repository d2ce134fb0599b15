"""What the options of the commands mean: checked values, the choice of a model, and the input given to it."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_origin, get_type_hints

import click

from symcook.errors import BadInput, NotExact, unknown
from symcook.model.answers import grouped

if TYPE_CHECKING:
    from pathlib import Path

    from symcook.model.family import Family
    from symcook.model.transformer import Transformer


class Whole(click.ParamType):
    """An integer in a range, written in decimal digits."""

    name = "integer"

    def __init__(self, what: str, least: int, most: int) -> None:
        self.what, self.least, self.most = what, least, most

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The integer; BadInput for other text, or where it is out of range."""
        text = str(value).strip()
        number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text, re.ASCII) else None
        if number is None or not self.least <= number <= self.most:
            raise BadInput(
                f"{self.what} must be an integer from {self.least} to {grouped(self.most)}", value or "nothing"
            )
        return number


class OneOf(click.ParamType):
    """One of a few words; a typo is answered with the nearest."""

    name = "choice"

    def __init__(self, what: str, choices: Sequence[str]) -> None:
        self.what, self.choices = what, list(choices)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself; BadInput with the nearest one where it is not among them."""
        if value not in self.choices:
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
    """A completion for a parameter whose valid words are those of `words`, called when the shell asks."""
    return lambda ctx, param, incomplete: _items(list(words()), incomplete)


def papers() -> Iterable[str]:
    """The words of ``--paper``."""
    from symcook.claims import PAPERS

    return PAPERS


def _items(words: Sequence[str], incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


class Command(click.Command):
    """A command with `--json` and `--debug`, whose options never swallow another option as their value."""

    allow_extra_args = True
    """click keeps further arguments instead of refusing them: `parse_args` refuses them in symcook's own words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The remaining arguments, which must be none; errors of usage are in symcook's own words."""
        takes = {name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts}
        options = {name for p in self.get_params(ctx) if isinstance(p, click.Option) for name in p.opts}
        # An option as the value of another one, as in `--input --json`, is a forgotten value. In shell completion the
        # line is not finished, so nothing is refused.
        if not ctx.resilient_parsing:
            for current, following in zip(args, args[1:], strict=False):
                if current == "--":
                    break
                if current in takes and following in options:
                    raise BadInput(
                        f"the option {current} must have a value",
                        f"none before {following}",
                        f"see {ctx.command_path} -h",
                    )
        try:
            further = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # so that the sentence can name this command's help
            raise
        if further and not ctx.resilient_parsing:
            must = f"{ctx.command_path} must have no further argument"
            do = "give a string with --input" if "--input" in options else f"see {ctx.command_path} --help"
            raise BadInput(must, " ".join(further), do)
        return further


def option(words: str, metavar: str | None = None, type: Any = None, *names: str, **how: Any) -> Any:
    """An option as the annotation of a parameter: its help, the placeholder of its value, the type that reads it, and
    its names where they are not --parameter. A bool is a flag, a tuple may be repeated; the default is the
    parameter's."""

    def made(name: str, kind: Any, default: Any) -> Any:
        """The click decorator for a parameter of this name, type and default."""
        settings = {"is_flag": True} if kind is bool else {"multiple": get_origin(kind) is tuple, "type": type}
        if kind in (str, int) and default is None:
            settings["required"] = True
        elif default:
            settings["default"] = default
        help = f"{words.removesuffix('.')} ({default})." if default and f"({default})" not in words else words
        return click.option(
            *(names or [f"--{name.replace('_', '-')}"]), name, metavar=metavar, help=help, **settings, **how
        )

    return made


def argument(**how: Any) -> Any:
    """An argument of a command as the annotation of a parameter."""
    return lambda name, kind, default: click.argument(name, **how)


def given(function: Callable[..., object], **kinds: Any) -> Callable[..., Any]:
    """The function with click's options and arguments for the parameters of `kinds`, by their annotated types."""
    parameters = inspect.signature(function).parameters
    for name, kind in reversed(kinds.items()):
        default = parameters[name].default if name in parameters else None
        plain = None if default is inspect.Parameter.empty else default
        function = kind.__metadata__[0](name, kind.__origin__, plain)(function)
    return function


def command(name: str, example: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command of this name: its help is the function's docstring, its options are the annotated parameters;
    `example` is a line to try."""

    def declare(function: Callable[..., object]) -> Command:
        hints = get_type_hints(function, include_extras=True)
        given(function, **{name: kind for name, kind in hints.items() if get_origin(kind) is Annotated})
        click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")(function)
        given(function, as_json=Json)
        return click.command(name, cls=Command, epilog=example and f"\b\nFor example:\n  {example}")(function)

    return declare


def _settable(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """For the shell: NAME= for each name that --set may give to the recipe or model file on the line."""
    try:
        chosen = choose(ctx.params.get("name") or next(iter(ctx.args), ""))
    except (BadInput, OSError):
        return []
    arguments = [a.name for a in chosen.info.arguments] if chosen.info is not None else []
    symbols = [p.name for p in chosen.model.parameters]
    inputs = list(chosen.model.embedding.inputs or ()) if chosen.pointwise else []
    return _items([f"{name}=" for name in (*arguments, *symbols, *inputs)], incomplete)


DOMAINS = ("exact", "ball", "mpmath", "float64", "float32", "float16")
Found = TypeVar("Found")
DIGITS = Whole("digits", 1, 100_000)
SECONDS = Whole("the time in seconds", 1, 1_000_000)
LENGTH = Whole("the maximum length", 1, 1_000_000)
Json = Annotated[bool, option("Print one JSON document.", None, None, "--json")]
Name = Annotated[str, argument(type=ModelName())]
Settings = Annotated[
    tuple[str, ...],
    option("An argument, a parameter or an input. Repeatable.", "NAME=VALUE", None, "--set", shell_complete=_settable),
]
DomainOption = Annotated[
    str | None,
    option(
        "The numbers (exact, and rigorous intervals where there are no exact ones).",
        None,
        OneOf("number system", DOMAINS),
    ),
]
Digits = Annotated[int, option("Decimal digits, in the number systems ball and mpmath.", "D", DIGITS)]
MaxLength = Annotated[int | None, option("The maximum length of a string or sequence.", "N", LENGTH)]
WordOption = Annotated[str | None, option("A string of symbols.", "W", None, "--input")]
Tokens = Annotated[str | None, option('Symbols with spaces between: "a b c".', "TOKENS")]
RowsOption = Annotated[str | None, option('Rows of inputs, one a position: "1/2,0; 1,3".', "ROWS")]
Seconds = Annotated[int, option("The time that the answer may take.", "S", SECONDS)]
Latex = Annotated[bool, option("Print LaTeX (packages amsmath and amssymb).")]
Complete = Annotated[bool, option("With --latex: a complete document.", None, None, "--document")]
InputsOption = Annotated[
    str | None,
    option("The strings: a file of them, an automaton file or a regular expression.", "X", None, "--inputs"),
]
SAMPLE = Whole("the number of strings", 1, 1_000_000)
SEED = Whole("the seed", 0, 10**18)
Sample = Annotated[int | None, option("With --inputs: so many of its strings, drawn.", "K", SAMPLE)]
Seed = Annotated[int | None, option("With --sample: the seed of the draw (0).", "S", SEED)]
PositionsOption = Annotated[
    str | None,
    option("Which answers count, of a readout at every position: last, all or after:SYMBOL (all).", "P", None,
           "--positions"),
]  # fmt: skip
Force = Annotated[bool, option("Replace existing files.")]


def check_draw(asked: Mapping[str, Any]) -> None:
    """BadInput where --sample stands without --inputs, or --seed without --sample."""
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
    """The number system of --domain. Without one it is balls for a program that was compiled to softmax or layer norms:
    exact sums of exponentials and roots take far longer, and the rounding in the model makes exact numbers of balls."""
    program = model.program
    return "ball" if domain is None and program is not None and (program.attention or program.kind == "tm") else domain


def exact_or_balls(domain: str | None, ask: Callable[[str], Found]) -> tuple[Found, str]:
    """The result of `ask` in a number system, and a note. Without --domain it is asked in exact numbers, then in balls
    where it raises NotExact; the note then says why."""
    try:
        return ask(domain or "exact"), ""
    except NotExact as error:
        if domain is not None:
            raise
        return ask("ball"), f"rigorous intervals, not exact numbers: {NotExact(error.must, error.given)}"


def check_latex(latex: bool, document: bool, as_json: bool) -> None:
    """BadInput where --document or --json stands with the wrong other option."""
    if document and not latex:
        raise BadInput("--document must come with --latex", "none", "write --latex --document")
    if latex and as_json:
        raise BadInput("one form of answer must be chosen", "--latex and --json", "use one of them")


@dataclass(frozen=True)
class Chosen:
    """The model that a command is about, and the settings of `--set`: arguments of a recipe, values of symbols, and
    inputs of a feed-forward recipe."""

    name: str
    info: Any
    """The recipe's metadata; None for a model file."""
    model: Transformer
    arguments: dict[str, str]
    values: dict[str, str]
    inputs: dict[str, str]

    @property
    def pointwise(self) -> bool:
        return self.model.pointwise

    def bound(self) -> Transformer:
        """The model with the values that were given; other symbols stay."""
        return self.model.bind(self.values, require=False)

    def command(self, verb: str, options: Sequence[str] = ()) -> str:
        """A command line about this model, with further options, each before its value, and the settings that built it
        where these options do not set the same.

        It can be pasted into a shell whatever the values are: one that begins with a dash stands behind =.
        """
        name = os.path.join(os.curdir, self.name) if self.name.startswith("-") else self.name
        pairs = list(zip(options[::2], options[1::2], strict=True))
        set_here = {value.partition("=")[0] for option, value in pairs if option == "--set"}
        settings = {key: value for key, value in {**self.arguments, **self.values}.items() if key not in set_here}
        pairs += [("--set", f"{key}={value}") for key, value in settings.items()]
        parts = ((f"{option}={value}",) if value.startswith("-") else (option, value) for option, value in pairs)
        return shlex.join(["symcook", verb, name, *(part for pair in parts for part in pair)])


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs; BadInput for another form and for a name given twice."""
    result: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise BadInput("a setting must be written NAME=VALUE", setting or "nothing", "for example --set eps=1/100")
        if name in result:
            raise BadInput("a setting must be given once", name)
        result[name] = value
    return result


def whole_family(name: str, settings: Sequence[str]) -> Family | None:
    """The family of this name, for all sizes and tables; None where NAME is not a family, or where a size, a table or
    an unknown name is set. Only choices may be set."""
    from symcook.recipes.models import read

    if (path := path_of(name)) is None:
        return None
    settings_given = read_settings(settings)
    family = read(path, settings_given)
    return family if settings_given.keys() <= family.choices.keys() else None


def path_of(name: str) -> Path | None:
    """The file of a family; None where NAME is not one. A recipe goes before a file of the same name."""
    from symcook.recipes import exists, models

    path = models.path_of(name)
    return None if path is None or exists(name) else path


def is_path(name: str) -> bool:
    """Whether NAME is meant as the path of a model file, and is not the name of a recipe."""
    from symcook.recipes import exists, models

    return models.is_path(name) and not exists(name)


def setting_text(key: str, value: str) -> str:
    """A setting as it was given."""
    return f"--set {key}={value}"


def choose(name: str, settings: Sequence[str] = (), tokens: str | None = None) -> Chosen:
    """The recipe or model file NAME, built with `settings`; `tokens` names those of a family.

    A setting is an argument of the recipe, a symbol of the model, or an input of a feed-forward recipe; BadInput, with
    the nearest name, for any other.
    """
    from symcook.recipes import exists, info, named

    settings_given = read_settings(settings)
    recipe, arguments, model = named(name, settings_given, tokens)
    arguments_known = list(arguments) if recipe is None else [a.name for a in recipe.arguments]
    declared = [p.name for p in model.parameters]
    inputs = list(model.embedding.inputs or ())
    values, rows = {}, {}
    # Each setting that is no argument of the recipe is a symbol of the model or an input of a feed-forward recipe.
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
            raise BadInput("the inputs of an attention recipe must be given by --rows", setting_text(key, value))
        else:
            # An unknown name: the message has the nearest valid one.
            valid = [*arguments_known, *declared, *(inputs if model.pointwise else [])]
            if not valid:
                must = f"{name} has no argument, parameter or input to set"
                raise BadInput(must, setting_text(key, value), "leave it out")
            inner = recipe.read(arguments).get("f") if recipe is not None else None
            if inner and exists(inner) and key in [a.name for a in info(inner).arguments]:
                raise BadInput(f"the recipe f of {name} must have its default arguments", setting_text(key, value))
            raise unknown("setting", key, valid)
    chosen = Chosen(name, recipe, model, arguments, values, rows)
    model.values(values, require=False)  # a bad value is bad input in every command
    return chosen


def read_input(chosen: Chosen, word: str | None, tokens: str | None, rows: str | None) -> Any:
    """The input of the options, as `forward.prepare` takes it: symbols without the model's own tokens, or rows. None
    where no option gives one; BadInput where an option does not fit the model."""
    model = chosen.model
    options = {"--input": word, "--tokens": tokens, "--rows": rows}
    if chosen.inputs:
        options["--set"] = "inputs"
    used = [name for name, value in options.items() if value is not None]
    if len(used) > 1:
        raise BadInput("one input must be given", " and ".join(used), "use one of them")
    if not used:
        return None
    # A string: its symbols are checked here, as the message names the alphabet without the model's own tokens.
    if used[0] in ("--input", "--tokens"):
        if not model.alphabet:
            raise BadInput(f"{chosen.name} must be given numbers", used[0], input_hint(chosen))
        if word is not None:
            letters = typed(model)
            if any(len(letter) > 1 for letter in letters):
                raise BadInput("a string with symbols longer than one character must be given by --tokens", word)
            for letter in word if len(letters) < len(model.alphabet) else ():
                if letter not in letters:
                    raise BadInput(f"every symbol must be in the alphabet {' '.join(letters)}", letter)
            return tuple(word)
        return tuple((tokens or "").split())
    # Numbers: rows of a sequence, or the one row that --set gives to a feed-forward recipe.
    if model.alphabet:
        raise BadInput(f"{chosen.name} must be given a string", "--rows", input_hint(chosen))
    if rows is not None:
        return read_rows(rows, model.embedding.inputs or ())
    return dict(chosen.inputs)


def typed(model: Transformer) -> Sequence[str]:
    """The symbols of which a user makes strings: the alphabet of the model, or of its program, since a decoder has
    further tokens that it outputs."""
    if model.program is None:
        return model.alphabet
    from symcook.programs.running import speech_of

    return speech_of(model).letters


def input_hint(chosen: Chosen) -> str:
    """How to give an input to this model."""
    model = chosen.model
    if model.alphabet:
        letters = typed(model)
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
    """`given`, or BadInput that names the option where there is none or an input lacks a value."""
    if given is None:
        if not chosen.model.embedding.inputs and not chosen.model.alphabet:
            return [{}]
        raise BadInput(f"{why} must have an input", "none", input_hint(chosen))
    missing = [name for name in chosen.model.embedding.inputs or () if isinstance(given, dict) and name not in given]
    if missing:
        raise BadInput("every input must have a value", f"none for {missing[0]}", f"give --set {missing[0]}=VALUE")
    return given


def need_values(chosen: Chosen, defaults: bool = True) -> None:
    """BadInput, with the option to give, where a symbol has no value (nor, where they are taken, a default)."""
    from symcook.model.transformer import without_value

    for parameter in chosen.model.parameters:
        if not (defaults and parameter.default is not None) and parameter.name not in chosen.values:
            raise without_value(parameter)


def read_rows(text: str, inputs: Sequence[str]) -> list[dict[str, str]]:
    """Rows such as ``1/2,0; 1,3`` as mappings from the names of `inputs`, in their order."""
    from symcook.recipes.arguments import split

    result = []
    for row in split(text, ";"):
        entries = [entry.strip() for entry in split(row, ",")]
        if len(entries) != len(inputs) or not all(entries):
            must = f"each row must have {len(inputs)} value{'s' * (len(inputs) > 1)} ({', '.join(inputs)})"
            raise BadInput(must, row.strip() or "an empty row")
        result.append(dict(zip(inputs, entries, strict=True)))
    return result
