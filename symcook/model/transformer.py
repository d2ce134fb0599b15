"""The model: an embedding, layers and a readout over one space of coordinates, with the symbols that it declares.

A `Transformer` is a frozen value that is checked when it is made. Besides its fields it has what passes need of a model
(`sublayers`, `live`, `expressions`), values for its symbols (`values`, `bind`), and checks of inputs (`tokens`,
`rows`). It does not run itself: `symcook.forward` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook import VERBS
from symcook.declaration import load
from symcook.door import door
from symcook.errors import BadInput, unknown
from symcook.model.answers import Shown, Verbs
from symcook.model.checks import Put, Space, filled, freeze, instance, listed, printable, symbol_text
from symcook.model.choices import shown_word
from symcook.model.ends import Embedding, Readout, TokenRows
from symcook.model.entries import all_rational, held, held_values
from symcook.model.needed import coordinates_needed
from symcook.model.parts import (
    HEADS,
    NETWORKS,
    NORMS,
    SOFT,
    AnyNorm,
    Layer,
    SelfAttention,
    Sublayer,
    held_matrices,
    held_numbers,
)
from symcook.model.reads import STEP_WORDS, StepsRead, names_of
from symcook.model.symbols import Exact, PositionTable, check_symbol, exact, from_sympy, symbol
from symcook.model.typedtext import tokens_of_text

if TYPE_CHECKING:
    import sympy

READS = StepsRead("what a model says of itself", **STEP_WORDS)

INDEX = ("i", "n")
"""The names of the position and the length in position functions and temperatures."""
ASKED = (
    "alphabet", "bind", "decides", "latex", "parameter", "plan", "rows", "space", "sublayers", "symbols", "text",
    "tokens", "values",
)  # fmt: skip
"""What users read of a model besides its fields and the questions in `VERBS`: what `dir` lists."""
MANY = 512
"""The smallest number of matrix entries of a model that `Transformer.dense` may call dense."""
TypedWord = str | Sequence[str | int]
"""A string as a user gives it: text, or a sequence of tokens; 3 stands for the token "3"."""
NamedRows = Sequence[Mapping[str, Any]]
"""Rows of inputs as a user gives them: for each position, {input: value}."""


@door()
@dataclass(frozen=True)
class Parameter:
    """A parameter of a model: its default, and the interval of its valid values.

    Arguments:
        name: str. The name; not i or n, which count positions.
        default: exact number (None). Its default.
        lower: exact number (None). The lower end; by default there is none.
        upper: exact number (None). The upper end; by default there is none.
        lower_open: bool (True). Whether the lower end itself is excluded.
        upper_open: bool (False). Whether the upper end itself is excluded.

    Returns: Parameter, which is immutable.

    Raises: BadInput: an invalid name, an empty interval, or a default outside the interval.

    Example:

    >>> Parameter("eps", default="1/4", lower=0).region
    '0 < eps'
    """

    name: str
    default: Any = None
    lower: Any = None
    upper: Any = None
    lower_open: bool = True
    upper_open: bool = False

    def __post_init__(self) -> None:
        """Check the fields, and set the numbers as exact ones. Raises BadInput for invalid fields."""
        check_symbol(self.name)
        for side in (self.lower_open, self.upper_open):
            if not isinstance(side, bool):
                raise BadInput(
                    "whether an end of an interval is open must be True or False", side, "write True or False"
                )
        if self.name in INDEX:
            raise BadInput(
                "a parameter must not be called i or n, which count positions", self.name, "rename the parameter"
            )
        for side in ("default", "lower", "upper"):
            if getattr(self, side) is not None:
                value = exact(getattr(self, side))
                if value.free_symbols:
                    raise BadInput(
                        f"the {side} of a parameter must be a number", value, "give a number such as 1 or '1/2'"
                    )
                freeze(self, **{side: value})
        if self.lower is not None and self.upper is not None:
            width = self.upper - self.lower
            if width.is_negative or (width.is_zero and (self.lower_open or self.upper_open)):
                raise BadInput(
                    f"the interval of {self.name} must contain at least one number",
                    self.region,
                    "make the lower end smaller than the upper one",
                )
        if self.default is not None:
            self.check(self.default)

    @property
    def region(self) -> str:
        """The valid values as a formula of the grammar, for example ``0 < eps & eps <= 1/4096``."""
        parts = []
        if self.lower is not None:
            parts.append(f"{from_sympy(self.lower)} {'<' if self.lower_open else '<='} {self.name}")
        if self.upper is not None:
            parts.append(f"{self.name} {'<' if self.upper_open else '<='} {from_sympy(self.upper)}")
        return " & ".join(parts) or "true"

    @property
    def sign(self) -> str:
        """What the interval says of the sign, as sympy's assumption: "positive", "nonnegative", "negative",
        "nonpositive", or "" where the interval has numbers of both signs."""
        if self.lower is not None and self.lower.is_nonnegative:
            return "positive" if self.lower.is_positive or self.lower_open else "nonnegative"
        if self.upper is not None and self.upper.is_nonpositive:
            return "negative" if self.upper.is_negative or self.upper_open else "nonpositive"
        return ""

    @property
    def symbol(self) -> Any:
        """The sympy symbol of the parameter in the model's matrices and closed forms, with the sign of its interval."""
        return symbol(self.name, self.sign)

    @door()
    def check(self, value: Exact) -> sympy.Expr:
        """`value` as an exact number inside the interval; BadInput where it is outside or not known to be inside."""
        number = exact(value)
        if number.free_symbols:
            raise BadInput(
                f"the value of {self.name} must be a number",
                from_sympy(number),
                "give an integer, a Fraction or text such as '1/2'",
            )
        for bound, sign, is_open in ((self.lower, 1, self.lower_open), (self.upper, -1, self.upper_open)):
            if bound is None:
                continue
            side = sign * (number - bound)
            if side.is_zero is None and not side.is_Rational:
                side = side.simplify()
            if not (side.is_positive if is_open else side.is_nonnegative):
                raise BadInput(
                    f"{self.name} must satisfy {self.region}", from_sympy(number), "give a value in this interval"
                )
        return number


def without_value(name: str, region: str = "true") -> BadInput:
    """The refusal of a symbol without a value, with the command-line option that gives one, and the symbol's region."""
    do = f"give --set {name}=VALUE" + f" with {region}" * (region != "true")
    return BadInput(f"the parameter {name} must have a value here", "none", do)


@dataclass(frozen=True)
class Program:
    """What a model was compiled from. It is not part of the model's hash, which depends on the model itself only."""

    kind: str
    """The language of the program."""
    source: str
    """The text of the program."""
    alphabet: tuple[str, ...]
    plan: tuple[tuple[str, ...], ...] = ()
    """For each coordinate: its name, where it is written, what it holds, and, with soft attention, its error."""
    theorem: str = ""
    """The theorem whose printed construction the model is, if it is one."""
    attention: str = ""
    """The kind of attention; "" where it is hard."""


@door()
@dataclass(frozen=True, repr=False)
class Transformer(Verbs, Shown):
    """An immutable model: embedding, layers, output layer and parameters, with exact numbers.

    Arguments:
        name: str. Its name.
        embedding: Embedding. The residual stream before the first layer.
        layers: tuple of Layer. The layers, in order.
        readout: Readout. The output layer.
        parameters: tuple of Parameter (()). The symbols that occur in its numbers.
        max_length: int or None (None). The maximum length of an input.
        source: str (''). Where the model comes from, as free text.
        final_norm: LayerNorm or None (None). A norm after the last layer.
        program: Program or None (None). The program from which it was compiled.

    Returns: Transformer.

    Raises: BadInput: a layer reads or writes a coordinate outside the space, or a symbol is not declared.

    Example:

    >>> from symcook.recipes import build
    >>> build("dyck-1").run("(())").accept
    True
    """

    REPORT = "model"

    name: str
    embedding: Embedding
    layers: tuple[Layer, ...]
    readout: Readout
    parameters: tuple[Parameter, ...] = ()
    max_length: int | None = None
    source: str = ""
    final_norm: AnyNorm | None = None
    program: Program | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check the fields and how they fit together. Raises BadInput if they do not."""
        # The types of the fields.
        if isinstance(self.layers, (Layer, SelfAttention, *HEADS, *NETWORKS)):
            raise BadInput("layers must be a tuple of layers", type(self.layers).__name__, "write (Layer(...),)")
        instance("the embedding of a model", self.embedding, Embedding)
        instance("the readout of a model", self.readout, Readout)
        printable(self.name, "the name of a model")
        printable(self.source, "the source of a model")
        if self.final_norm is not None:
            instance("the final norm", self.final_norm, *NORMS)
        layers = listed(self.layers, "the layers of a model", "layers")
        parameters = listed(self.parameters, "the parameters of a model", "parameters")
        freeze(self, layers=layers, parameters=parameters)
        for parameter in parameters:
            instance("a parameter of a model", parameter, Parameter)
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise BadInput("layers must be a tuple of layers", type(layer).__name__, "write Layer(...) around it")
        if self.max_length is not None and (type(self.max_length) is not int or not 1 <= self.max_length < 10**18):
            raise BadInput(
                "the maximum length must be an integer of at least 1 and at most 18 digits",
                self.max_length,
                "write for example max_length=10",
            )
        # Names: those of symbols, those that each step reads and writes, and those that the readout reads.
        declared = {p.name for p in self.parameters}
        if len(declared) != len(self.parameters):
            raise BadInput(
                "parameters must be declared once",
                ", ".join(p.name for p in self.parameters),
                "leave one of the two out",
            )
        for step in self.sublayers:
            self._check_step(step)
        self.space.require(self.readout.reads)
        clash = declared & (set(self.space) | set(INDEX))
        if clash:
            raise BadInput(
                "a parameter must not have the name of a coordinate",
                sorted(clash)[0],
                "rename the parameter or the coordinate",
            )
        # Every number uses declared symbols only.
        for value, may_index, where in self.expressions(symbolic=True, tables=False):
            allowed = declared | (set(INDEX) if may_index else set())
            for free in sorted(value.free_symbols, key=str):
                if free.name not in allowed:
                    raise BadInput(
                        f"every parameter must be declared; i and n may occur in positions and temperatures ({where})",
                        free.name,
                        f"add Parameter('{free.name}', ...)",
                    )
        self._sign_symbols()

    def __dir__(self) -> list[str]:
        """The names for users: the fields, the questions, and `ASKED`. Others are for the inside of the library."""
        return sorted({*names_of(self), *VERBS, *ASKED})

    def _sign_symbols(self) -> None:
        """Give the symbols in the model's numbers the signs of their declared intervals, as sympy's assumptions."""
        used = {free for value, _, _ in self.expressions(symbolic=True, tables=False) for free in value.free_symbols}
        own = self.symbols if used else {}  # sympy is imported only where there are symbols
        changed = {free: own[free.name] for free in used if free is not own[free.name]}
        if changed:

            def put(value: Any) -> Any:
                """A number with the symbols that have a sign."""
                return value.xreplace(changed) if value.free_symbols else value

            freeze(self, **self.with_numbers(put))
            self.__dict__.pop("sublayers", None)  # which has the parts before

    def _check_step(self, step: Sublayer) -> None:
        """BadInput where a step reads a name that is neither a coordinate nor written by a norm before its block, or
        writes a name that is not a coordinate; for a norm without projection that does not read the whole stream; and
        for a norm with projection after a block."""
        for norm in step.norms:
            self.space.require(norm.reads)
            if norm.projection is None and set(norm.reads) != set(self.space):
                raise BadInput(
                    "a norm without projection must read the whole residual stream",
                    ", ".join(norm.reads),
                    "give the norm all coordinates in reads, or a projection",
                )
        if step.after is not None and step.after.projection is not None:
            raise BadInput(
                "a norm after a block must have no projection", ", ".join(step.after.writes), "leave projection out"
            )
        view = Space(tuple(name for norm in step.before for name in norm.writes)) if step.before else self.space
        for part in step.parts:
            view.require(part.reads)
            self.space.require(part.writes)

    @property
    def space(self) -> Space:
        """The coordinates of the residual stream."""
        return self.embedding.space

    @property
    def plan(self) -> tuple[tuple[str, ...], ...]:
        """For a compiled model, its `Program.plan` as the compiler makes it now; the plan in a model file is not used.

        () for any other model, and where the program compiles to other weights than those of this model.
        """
        compiled: Transformer | None = load("symcook.compilers:as_compiled")(self)
        return () if compiled is None or compiled.program is None else compiled.program.plan

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The tokens that a user types."""
        return self.embedding.alphabet

    @cached_property
    def input_symbols(self) -> tuple[str, ...]:
        """The tokens of which an input consists: the alphabet, without the tokens that only a compiled decoder outputs
        (states, rows of a Turing machine's table, its verdicts)."""
        if self.program is None:
            return self.alphabet
        # The program of a decoder of Theorem 2 may list these tokens in its alphabet; they are labels of the readout.
        outputs = self.readout.labels if self.program.kind == "tm" else ()
        return tuple(t for t in self.alphabet if t in self.program.alphabet and t not in outputs)

    @property
    def decides(self) -> bool:
        """Whether the readout gives accept or reject."""
        return self.readout.decides

    def unfollowed(self, length_known: bool = False) -> str | None:
        """Why the model cannot be run on strings that grow from left to right (`symcook.machine`); None where it can
        be.

        A number with n in it changes at every position when the string grows, unless `length_known`.
        """
        for _, step in (head for sublayer in READS.of(self).sublayers for head in sublayer.heads):
            if step.mask not in ("future", "strict-future"):
                return f"a head with mask {shown_word(step.mask)}, which sees positions that are not there yet"
        for value, indexed, where in () if length_known else self.expressions(symbolic=True, tables=False):
            if indexed and symbol("n") in value.free_symbols:
                return f"{where} is {from_sympy(value)}, and n changes as the string grows"
        return None

    @property
    def symbols(self) -> Mapping[str, Any]:
        """{name: sympy symbol} of the parameters and of the position i and the length n, as matrices, position
        functions and closed forms have them.

        >>> from symcook.recipes import build
        >>> build("gtzero").symbols["eps"].is_positive
        True
        """
        return MappingProxyType({p.name: p.symbol for p in self.parameters} | {name: symbol(name) for name in INDEX})

    @cached_property
    def pointwise(self) -> bool:
        """Whether the model is a feed-forward recipe: inputs, no attention, no position function, one position."""
        attends = any(layer.attention is not None for layer in self.layers)
        return self.embedding.inputs is not None and not attends and not self.embedding.positions

    @cached_property
    def sublayers(self) -> tuple[Sublayer, ...]:
        """The steps of the forward pass in order, the final norm at the end."""
        steps = tuple(step for number, layer in enumerate(self.layers, 1) for step in layer.sublayers(number))
        if self.final_norm is None:
            return steps
        return (*steps, Sublayer(max(len(self.layers), 1), None, after=self.final_norm))

    @cached_property
    def live(self) -> list[set[str]]:
        """The coordinates that are read later: an entry for the stream after the embedding, then one for the stream
        after the block of each step."""
        # Backwards from the readout: what is needed after a step is also needed before it, and so is what the step
        # reads for it.
        needed = set(self.readout.reads)
        result = [set(needed)]
        for step in reversed(READS.of(self).sublayers):
            if step.after is not None:  # this norm reads and writes the whole stream
                needed = set(self.space)
                result[-1] = set(needed)
            reads = set().union(*(coordinates_needed(part, needed) for part in step.parts))
            # A norm reads all coordinates that it normalises. One that refuses zero variance counts even if nobody
            # reads it, since it decides whether there is a run.
            if step.before and (reads or any(norm.refuses for norm in step.before)):
                reads = {name for norm in step.before for name in norm.reads}
            needed = needed | reads
            result.append(set(needed))
        return result[::-1]

    @cached_property
    def dense(self) -> bool:
        """Whether matrix products pay: the matrices have at least `MANY` entries, and at least half are not zero.

        Matrices with at most one column do not count. Always False for models with declared symbols, and for models
        over rows of inputs.
        """
        if self.parameters or self.embedding.inputs is not None:
            return False
        parts = [part for step in READS.of(self).sublayers for part in step.parts]
        matrices = [weights for part in parts for weights in held_matrices(part).values() if weights.shape[1] > 1]
        size = sum(weights.shape[0] * weights.shape[1] for weights in matrices)
        return size >= MANY and 2 * sum(map(filled, matrices)) >= size

    @cached_property
    def widest(self) -> int:
        """The greatest number of coordinates or hidden units."""
        networks = (layer.feedforward for layer in READS.of(self).layers if layer.feedforward is not None)
        return max(len(self.space), *(network.hidden for network in networks), 1)

    @cached_property
    def compares(self) -> bool:
        """Whether some head selects the greatest scores, so that it matters whether two scores are equal."""
        heads = [head for sublayer in READS.of(self).sublayers for head in sublayer.heads]
        return any(step.weighting not in SOFT and not head.uniform for head, step in heads)

    @property
    def normed(self) -> bool:
        """Whether there is a norm anywhere."""
        return any(step.norms for step in self.sublayers)

    def expressions(self, *, symbolic: bool = False, tables: bool = True) -> Iterator[tuple[Any, bool, str]]:
        """Each exact number of the model, as (number, whether i and n may occur in it, where it is: text for
        messages).

        With `symbolic`, without the numbers that are kept as rational ones and thus have no symbols. With `tables` =
        False, without the kept choices by the position (`PositionTable`), which have no symbol but i.
        """

        def some(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
            """The items of `values`; with `symbolic`, only those that are not kept as Fractions."""
            forms, left_out = held_values(values), (Fraction,) * symbolic + (PositionTable,) * (not tables)
            return ((name, values[name]) for name in values if not isinstance(forms[name], left_out))

        # The entries of `TokenRows` are rational.
        words = self.embedding.words or {}
        for token, values in () if symbolic and isinstance(words, TokenRows) else words.items():
            for _, value in some(values):
                yield value, False, f"the embedding of {token}"
        for name, value in some(self.embedding.positions):
            yield value, True, f"the position function of {name}"
        for step in self.sublayers:
            for part in step.all_parts:
                where = "the final norm" if step.block is None else f"layer {step.layer}"
                for name, weights in held_matrices(part).items():
                    for value in () if symbolic and all_rational(weights) else getattr(part, name):
                        yield value, False, f"{name} of {where}"
                for name, value in held_numbers(part).items():
                    if not (symbolic and isinstance(value, Fraction)):
                        yield getattr(part, name), name == "temperature", f"the {name} of {where}"
        weights = held(self.readout, "weights")
        if weights is not None:
            for value in () if symbolic and all_rational(weights) else self.readout.weights:
                yield value, False, "the readout"

    @door()
    def parameter(self, name: str) -> Parameter:
        """The declaration of the symbol `name`, else BadInput with the nearest one."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise unknown("parameter", name, [p.name for p in self.parameters])

    def _advice(self, name: str) -> str | None:
        """Advice for names that expressions of sympy have, for a parameter, and for a coordinate."""
        first = self.parameters[0].name if self.parameters else "c"
        if name in ("subs", "xreplace", "evalf", "replace"):
            return f"write model.bind({first}=..)"
        if name in ("free_symbols", "params") or name in self.symbols:
            return "write model.symbols" + (f'["{name}"]' if name in self.symbols else "")
        return f'write model.run(..).array("{name}")' if name in self.space else None

    @door()
    def values(self, given: Mapping[str, Exact] | None = None, *, require: bool = True) -> dict[str, Any]:
        """Exact values of the declared symbols: what is `given`, else (with `require`) the defaults.

        Raises BadInput for an undeclared symbol, a value outside the interval, or (with `require`) a symbol that has
        neither a value nor a default.
        """
        given = dict(given or {})
        result = {name: self.parameter(name).check(value) for name, value in given.items()}
        if require:
            for parameter in self.parameters:
                if parameter.name not in result:
                    if parameter.default is None:
                        raise without_value(parameter.name, parameter.region)
                    result[parameter.name] = parameter.default
        return result

    @door()
    def bind(self, given: Mapping[str, Exact] | None = None, *, require: bool = True, **named: Exact) -> Transformer:
        """The model with exact values in place of parameters: `bind({"c": 4})` or `bind(c=4)`.

        Arguments:
            given: {parameter: exact value} (None). The values.
            require: bool (True). A parameter without a value and without a default is an error; with False it remains.
            named: exact numbers or text. Values by name.

        Returns: Transformer.

        Raises: BadInput: an unknown parameter, a value out of its interval, or a parameter without a value.

        Example:

        >>> from symcook.recipes import build
        >>> build("gtzero").bind(eps="1/4").layers[0].feedforward.W2
        Matrix([[4, -4]])
        """
        both = sorted({*(given or {})} & set(named))
        if both:
            raise BadInput("a parameter must be given one value", f"{both[0]} twice", "leave one out")
        values = self.values({**(given or {}), **named}, require=require)
        if not values:
            return self

        def put(value: Any) -> Any:
            """A number with the values in place of the symbols."""
            table = {free: values[free.name] for free in value.free_symbols if free.name in values}
            return value.subs(table) if table else value

        return self.mapped(put, tuple(p for p in self.parameters if p.name not in values))

    @door()
    def mapped(self, put: Put, parameters: tuple[Parameter, ...]) -> Transformer:
        """This model with `put` applied to each of its `expressions`, and with the declarations `parameters`. Parts in
        which no number changes are the same objects, with their caches."""
        return replace(self, parameters=parameters, **self.with_numbers(put))

    def with_numbers(self, put: Put) -> dict[str, Any]:
        """The fields that hold numbers, with `put` applied to every number."""
        return {
            "embedding": self.embedding.mapped(put),
            "layers": tuple(layer.mapped(put) for layer in self.layers),
            "readout": self.readout.mapped(put),
            "final_norm": self.final_norm and self.final_norm.mapped(put),
        }

    @door()
    def tokens(self, word: TypedWord) -> tuple[str, ...]:
        """`word` as a sequence of tokens, with those that the model adds. A number stands for the token that is its
        numeral. Text is read in the one way in which it is a string of tokens: by spaces, a token a character, or
        as one token (`tokens_of_text`).

        BadInput where it has a foreign token or two readings, is too long, or is empty and the model adds nothing.
        """
        alphabet = self.alphabet
        if not alphabet:
            raise BadInput("a string needs a model with an alphabet", self.name, "give rows of inputs instead")
        if not isinstance(word, Iterable) or isinstance(word, (bytes, Mapping, Set, type)):
            must = "a string must be text, or a list of tokens"
            raise BadInput(must, word, f'for example "{self.embedding.written((alphabet[0],) * 2)}"')
        text = word if isinstance(word, str) and not self.embedding.spelled else None
        # Where each token is a character, text without white space has no other reading, and need not be looked at.
        entries: Iterable[Any] = word
        if isinstance(word, str) and not (text is None and word.split() == [word]):
            entries = tokens_of_text(word, self.input_symbols, alphabet)
        result: tuple[Any, ...] = tuple(map(symbol_text, entries))
        if not result and not self.embedding.added:
            raise BadInput("an input must have at least one symbol", "the empty string", "give at least one symbol")
        for token in result:
            if not isinstance(token, str) or token not in alphabet:
                several = not isinstance(word, str) and isinstance(token, str) and {*token} <= {*alphabet}
                do = "a list is one string, with a symbol per entry; for several strings write run_many([..])"
                if text is not None:
                    several, do = True, f"separate tokens by spaces, or write run({self.embedding.listed(text)})"
                must = f"every symbol must be in the alphabet {' '.join(alphabet)}"
                raise BadInput(must, token or "an empty text", do if several else None)
        result = self.embedding.surround(result)
        self.check_length(len(result))
        return result

    @door()
    def check_length(self, n: int) -> None:
        """Raise BadInput if an input of length `n`, special tokens included, is longer than the model allows, or if a
        feed-forward recipe gets more than one row."""
        if self.max_length is not None and n > self.max_length:
            added = self.embedding.surround(())
            length_text = f"{n} with {' and '.join(added)}" if added else n
            longer = "build the model with a larger N" if self.program is None else "give the program a longer TABLE"
            raise BadInput(f"an input must have length at most {self.max_length}", length_text, longer)
        if self.pointwise and n != 1:
            raise BadInput(
                "a model that computes each position by itself must be given exactly one row of inputs",
                n,
                "give one row",
            )

    @door()
    def rows(self, rows: NamedRows) -> tuple[Mapping[str, Any], ...]:
        """Rows of input values, one a position, made exact; BadInput where a name is missing or foreign."""
        inputs = self.embedding.inputs
        if inputs is None:
            raise BadInput("rows of numbers need a model that reads numbers", self.name, "give a string instead")
        if not isinstance(rows, (list, tuple)) or not all(isinstance(row, Mapping) for row in rows):
            what = rows if isinstance(rows, (str, int)) else f"a {type(rows).__name__}"
            row = ", ".join(f'"{name}": ...' for name in inputs)
            raise BadInput("rows must be a list of mappings of inputs", what, f"write [{{{row}}}]")
        if not rows:
            raise BadInput("an input of numbers must have at least one row", "none", "give at least one row")
        result = []
        for row in rows:
            for name in row:
                if name not in inputs:
                    raise unknown("input", name, inputs)
            for name in inputs:
                if name not in row:
                    raise BadInput("every input of the model must have a value in each row", name, f"give {name}=...")
            result.append(MappingProxyType({name: exact(row[name]) for name in inputs}))
        self.check_length(len(result))
        return tuple(result)
