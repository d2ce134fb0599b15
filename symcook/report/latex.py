"""Statements and formulas as LaTeX: fragments that need only the packages amsmath and amssymb.

The functions take a tree of `symcook.model.expr` or a stored statement, and return text for math mode. `_Writer` has
one printer for each tag of a tree, and breaks a long formula into the rows of a display. A definition is written by its
name, as an operator; `statement_latex` adds a line ``where`` with the definitions that the statement uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.model.expr import ARITY, Tree, show
from symcook.proof.audit.folded import decimal, statement_tree, used_definitions
from symcook.proof.records import OF_MODELS
from symcook.report.markup import escaped

if TYPE_CHECKING:
    from symcook.proof.grammar import Definition
    from symcook.proof.replay import Statement
    from symcook.proof.terms import Sort

MOST = 84  # the greatest number of characters in a line of a display, as `_length` estimates it
_LETTERS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
LETTERS = tuple(re.findall(r"\w+", _LETTERS))
CAPITALS = tuple(re.findall(r"\w+", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"))
# Greek letters whose LaTeX command differs from their name.
_NAMED = {"eps": r"\varepsilon", "epsilon": r"\varepsilon", "phi": r"\varphi"}
_SORTS = {"Int": r"\mathbb{Z}", "Real": r"\mathbb{R}"}
_RELATIONS = {"=": "=", "<=": r"\le", "<": "<"}
# How strongly a sign binds. `inside` puts a subterm in brackets if it binds more weakly than its position requires.
STRENGTH = {"<->": 1, "->": 2, "|": 3, "&": 5, "~": 7, "=": 8, "<=": 8, "<": 8}
STRENGTH |= {"+": 10, "-": 10, "sum": 11, "prod": 11, "neg": 11, "*": 12, "^": 16}
_WORDS = {"&": r"\land", "|": r"\lor", "->": r"\Rightarrow", "<->": r"\Leftrightarrow"}
_QUANTIFIERS = ("all", "ex", "all in", "ex in")
MOST_INDEX = 9  # the greatest number of characters in a subscript; longer arguments are in brackets, x(i)
ATOM = 100  # the strength of a term that never needs brackets, such as a name or a call


def latex(tree: Tree, known: Iterable[str] = (), own: Iterable[str] = ()) -> str:
    """A term or formula in math mode.

    `known` are the names of definitions, which are set as operators. The names `own` are not functions of the library,
    even if a function of the library has the same name.

    >>> print(latex(("<=", ("call", "s", (("name", "j"),)), ("call", "exp", (("neg", ("name", "gamma")),)))))
    s_{j} \\le \\mathrm{e}^{-\\gamma}
    """
    return _Writer(known, own).write(tree)


def formula_rows(tree: Tree, known: Iterable[str] = (), own: Iterable[str] = ()) -> list[str]:
    """The text of `latex`, broken into rows if it is too long for a line, and always after leading universal
    quantifiers over a sort; the rows after the first are indented."""
    first, *continued = _Writer(known, own).lines(tree)
    return [first[1], *("\\quad " * max(depth, 1) + text for depth, text in continued)]


def statement_latex(statement: Statement) -> str:
    """A stored statement as a display, and a second display for the definitions and models that it uses."""
    tree = statement_tree(statement.text)
    lines = _Writer(statement.known).lines(tree)
    rows = [r"\[", r"\begin{aligned}", *_rows(lines), r"\end{aligned}", r"\]"]
    where_lines = where(tree, statement.known)
    if where_lines:
        rows += [r"\noindent where", r"\[", r"\begin{aligned}", *_rows(where_lines), r"\end{aligned}", r"\]"]
    return "\n".join(rows)


def where(tree: Tree, known: Mapping[str, Definition]) -> list[tuple[int, str]]:
    """The definitions and run relations that a statement uses, as lines of a display with their indentation."""
    from symcook.proof.runrel import expand

    writer = _Writer(known)
    lines_out: list[tuple[int, str]] = []
    for name in used_definitions([tree], known):
        definition = known[name]
        head = writer.operator(name, [("name", p) for p in definition.params])
        if definition.tree[0] == "lambda":  # a definition that returns a function: its arguments come before the body
            _, bound, body = definition.tree
            arguments = "".join(f"{_name(n)} \\mapsto " for n in bound)
            lines_out += _defined(head, arguments, writer.lines(body))
        else:
            lines_out += _defined(head, "", writer.lines(definition.tree))
    for word, model in _models(tree):
        head = writer.write(("call", word, (("model", model),)))
        lines_out += _defined(head, "", writer.lines(statement_tree(expand(f"{word}({model})"))))
    return lines_out


def _defined(head: str, arguments: str, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """``head := arguments body`` as lines of a display, aligned at the sign, the body indented after its first line."""
    first, *further = lines
    return [(0, f"{head} &:= {arguments}{first[1]}"), *((depth + 2, f"&{text}") for depth, text in further)]


def _models(tree: object) -> list[tuple[str, str]]:
    """(name, model) for each call of a name in `OF_MODELS` with a model: each pair once, in reading order."""
    calls: list[tuple[str, str]] = []
    pending = [tree]
    while pending:
        part = pending.pop(0)
        if isinstance(part, tuple):
            if part[:1] == ("call",) and part[1] in OF_MODELS and part[2][0][:1] == ("model",):
                calls.append((part[1], part[2][0][1]))
            pending[:0] = part  # before the others: parts are visited from left to right
    return list(dict.fromkeys(calls))


def _rows(lines: list[tuple[int, str]]) -> list[str]:
    """The rows of an aligned display; a line without a mark ``&`` is aligned at its beginning."""
    rows = []
    for depth, text in lines:
        mark = "" if " &:= " in text else "&"  # a definition has its mark at its sign
        rows.append(mark + "\\quad " * depth + text.removeprefix("&"))
    return [row + (r" \\" if k < len(rows) else "") for k, row in enumerate(rows, 1)]


def _name(name: str) -> str:
    """A name: a single letter, a Greek letter by its command, a longer word in italics; a final number as subscript."""
    match = re.fullmatch(r"([A-Za-z]+?)([0-9]+)?", name)
    if match is None:
        return rf"\mathit{{{escaped(name)}}}"
    word, number = match.groups()
    plain = word if len(word) == 1 else rf"\mathit{{{word}}}"
    drawn = _NAMED.get(word) or (f"\\{word}" if word in LETTERS + CAPITALS else plain)
    return drawn if number is None else f"{drawn}_{{{number}}}"


def _sort(sort: Sort) -> str:
    """A sort: a set of numbers, or of functions, given as ("fun", sorts of the arguments, sort of the value)."""
    if isinstance(sort, str):
        return _SORTS[sort]
    return r" \times ".join(_SORTS[s] for s in sort[1]) + rf" \to {_SORTS[sort[2]]}"


def _over(sort: Sort) -> str:
    """The text after a variable of this sort: "in" a set of numbers, or a colon and a set of functions."""
    joint = r"\in" if isinstance(sort, str) else r"\colon"
    return f"{joint} {_sort(sort)}"


def _length(text: str) -> int:
    """About how many characters a piece of LaTeX draws."""
    return len(re.sub(r"\\(?:left|right|mathit|mathrm|operatorname|mathbb|quad|frac)\b", "", text).replace(r"\,", ""))


def negated(tree: Tree) -> Tree | None:
    """The tree without its minus, if it is -x, or a product or fraction that begins with -x; else None.

    The sum a + -x is then printed as a - x.
    """
    if tree[0] == "neg":
        return tree[1]
    if tree[0] in ("*", "/") and (first := negated(tree[1])) is not None:
        return (tree[0], first, tree[2])
    return None


class _Writer:
    """Writes terms and formulas: `write` on one line, `lines` on several lines if one would be too long.

    known: the names of definitions; own: names that are not functions of the library. Lines are lists of (indentation,
    math), indentation in steps of one quad.
    """

    def __init__(self, known: Iterable[str], own: Iterable[str] = ()) -> None:
        self.known, self.own = set(known), set(own)

    # A display of several lines.

    def lines(self, tree: Tree, followed: bool = False) -> list[tuple[int, str]]:
        """A formula or term that is broken if it is too long for a line: after its quantifiers, at its outer
        connectives, at a relation, or before the terms of a sum. A formula that begins with "all" is always broken.

        followed: an arrow follows the formula, so that a quantifier at its end needs brackets.
        """
        tag = tree[0]
        line = self.write(tree)
        # A universal statement is broken even if it is short: its body has its own line.
        if _length(line) <= MOST and tag != "all":
            return [(0, line)]
        if tag in _QUANTIFIERS:
            groups, body = self.quantifiers(tree)
            return [*self.packed(groups, ",", 0), *((k + 1, text) for k, text in self.lines(body))]
        if tag in ("->", "<->"):
            return self.implication_lines(tree)
        if tag in ("&", "|"):
            return self.connected_lines(tree, followed)
        if tag in _RELATIONS and _length(self.write(tree[1])) + _length(self.write(tree[2])) > MOST:
            return [*self.summed(tree[1]), *self.after_sign(self.summed(tree[2]), _RELATIONS[tag])]
        return self.summed(tree) if tag in ("+", "-") else [(0, line)]

    def implication_lines(self, tree: Tree) -> list[tuple[int, str]]:
        """An implication or equivalence: the left side, then a new line with the arrow and the right side."""
        tag, premise, conclusion = tree
        left, right = self.lines(premise, True), self.lines(conclusion)
        # Without brackets, a quantifier on the left would reach over the arrow, and a -> b -> c means a -> (b -> c).
        if premise[0] in ("->", "<->", *_QUANTIFIERS):
            left = self.bracketed(left)
        # On the right, an implication after -> needs no brackets. An equivalence needs them, and so does -> after <->.
        if conclusion[0] == "<->" or (tag == "<->" and conclusion[0] == "->"):
            right = self.bracketed(right)
        depth, text = right[0]
        return [*left, (depth, rf"{_WORDS[tag]}\ {text}"), *right[1:]]

    def connected_lines(self, tree: Tree, followed: bool) -> list[tuple[int, str]]:
        """A conjunction or disjunction, with as many parts on each line as fit."""
        sign = _WORDS[tree[0]]
        parts = self.parts(tree[0], tree)
        out: list[tuple[int, str]] = []
        for number, part in enumerate(parts):
            inner = self.part_lines(part, number == len(parts) - 1, followed)
            first_depth, first_text = inner[0]
            if not number:
                out += inner
            elif len(inner) == 1 and _length(out[-1][1] + first_text) <= MOST:
                out[-1] = (out[-1][0], rf"{out[-1][1]} {sign} {first_text}")
            else:
                out += [(first_depth, rf"{sign}\ {first_text}"), *inner[1:]]
        return out

    def part_lines(self, part: Tree | str, last: bool, followed: bool) -> list[tuple[int, str]]:
        """One part of a conjunction or disjunction, in brackets if it needs them or has several lines. A quantified
        part needs none if it is the `last` and not `followed` by an arrow."""
        if isinstance(part, str):  # a chain of relations
            return [(0, part)]
        inner = self.lines(part)
        quantified = part[0] in _QUANTIFIERS
        # The scope of a quantifier extends to the end of the formula, so the last part needs no brackets around one.
        if last and quantified and not followed:
            return inner
        weak = quantified or part[0] in ("->", "<->", "|", "&")
        return self.bracketed(inner) if weak or len(inner) > 1 else inner

    def after_sign(self, lines: list[tuple[int, str]], sign: str) -> list[tuple[int, str]]:
        """The right side of a relation, indented, with the sign of the relation before it."""
        # {} gives the sign a left operand: without it TeX sets no space around the sign.
        return [(lines[0][0] + 1, f"{{}} {sign} {lines[0][1]}"), *((k + 1, text) for k, text in lines[1:])]

    def summed(self, tree: Tree) -> list[tuple[int, str]]:
        """A sum, broken before its later terms if it is too long for a line."""
        # Terms are removed from the end until the rest fits on the first line. `terms` has them with their signs.
        terms: list[tuple[str, str]] = []
        while tree[0] in ("+", "-") and _length(self.write(tree)) > MOST:
            without_minus = negated(tree[2]) if tree[0] == "+" else None
            terms.append(("-" if without_minus else tree[0], self.inside(without_minus or tree[2], STRENGTH["+"] + 1)))
            tree = tree[1]
        out = [(0, self.write(tree))]
        for sign, text in reversed(terms):
            if _length(out[-1][1]) + _length(text) <= MOST:
                out[-1] = (out[-1][0], f"{out[-1][1]} {sign} {text}")
            else:
                out.append((1, f"{{}} {sign} {text}"))
        return out

    @staticmethod
    def bracketed(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The lines with a bracket before the first and one after the last."""
        out = list(lines)
        out[0] = (out[0][0], f"({out[0][1]}")
        out[-1] = (out[-1][0], f"{out[-1][1]})")
        return out

    @staticmethod
    def packed(pieces: list[str], between: str, depth: int) -> list[tuple[int, str]]:
        """Pieces with the text `between` them and a full stop at the end, as many on each line as fit."""
        out: list[tuple[int, str]] = []
        for piece in pieces:
            if out and _length(out[-1][1]) + _length(piece) <= MOST:
                out[-1] = (depth, rf"{out[-1][1]}{between}\ {piece}")
            else:
                if out:
                    out[-1] = (depth, out[-1][1] + between)
                out.append((depth, piece))
        return [*out[:-1], (depth, out[-1][1] + r".")]

    # One line: a printer for each tag, in the table `_PRINTERS`.

    def write(self, tree: Tree) -> str:
        """A term or formula on one line."""
        return _PRINTERS[tree[0]](self, tree)

    def number(self, tree: Tree) -> str:
        """A decimal, or a fraction if the number has no finite decimal."""
        return show(tree) if decimal(tree[2]) else rf"\frac{{{tree[1]}}}{{{tree[2]}}}"

    def named(self, tree: Tree) -> str:
        """A variable, or a definition without parameters."""
        return self.operator(tree[1], []) if tree[1] in self.known else _name(tree[1])

    def negation(self, tree: Tree) -> str:
        """A negated formula; the negation of a = b as an inequation."""
        negated_formula, above_relation = tree[1], STRENGTH["="] + 1
        if negated_formula[0] == "=":
            _, left, right = negated_formula
            return rf"{self.inside(left, above_relation)} \ne {self.inside(right, above_relation)}"
        return rf"\lnot {self.inside(negated_formula, above_relation)}"

    def sum_of_two(self, tree: Tree) -> str:
        """a + b and a - b; a + -b is drawn a - b."""
        tag, left, right = tree
        without_minus = negated(right) if tag == "+" else None
        sign, right = (tag, right) if without_minus is None else ("-", without_minus)
        return f"{self.inside(left, STRENGTH[tag])} {sign} {self.inside(right, STRENGTH[tag] + 1)}"

    def product(self, tree: Tree) -> str:
        """a b with a thin space, or with a dot before a number, a minus or a fraction: a space would be misread
        there."""
        left, right = self.inside(tree[1], STRENGTH["*"]), self.inside(tree[2], STRENGTH["*"] + 1)
        times_sign = r" \cdot " if re.match(r"[0-9-]", right) or tree[2][0] == "/" else r"\,"
        return left + times_sign + right

    def relation(self, tree: Tree) -> str:
        tag, left, right = tree
        return f"{self.inside(left, STRENGTH[tag] + 1)} {_RELATIONS[tag]} {self.inside(right, STRENGTH[tag] + 1)}"

    def connected(self, tree: Tree) -> str:
        """A conjunction or disjunction."""
        tag = tree[0]
        drawn = [p if isinstance(p, str) else self.inside(p, STRENGTH[tag] + 1) for p in self.parts(tag, tree)]
        return f" {_WORDS[tag]} ".join(drawn)

    def implication(self, tree: Tree) -> str:
        """An implication or equivalence; an arrow of the same strength needs brackets on its left side only."""
        tag, left, right = tree
        return f"{self.inside(left, STRENGTH[tag] + 1)} {_WORDS[tag]} {self.inside(right, STRENGTH[tag])}"

    def over_range(self, tree: Tree) -> str:
        """A sum or product over the values of an index."""
        tag, index, low, high, body = tree
        term = self.inside(body, STRENGTH[tag])
        return rf"\{tag}_{{{_name(index)}={self.write(low)}}}^{{{self.write(high)}}} {term}"

    def conditional(self, tree: Tree) -> str:
        condition, if_true, if_false = map(self.write, tree[1:])
        otherwise = r"\text{otherwise}"
        return rf"\begin{{cases}} {if_true} & \text{{if }} {condition} \\ {if_false} & {otherwise} \end{{cases}}"

    def mapping(self, tree: Tree) -> str:
        """A lambda term."""
        _, parameters, body = tree
        names = ", ".join(map(_name, parameters))
        names = f"({names})" if len(parameters) > 1 else names
        return rf"{names} \mapsto {self.write(body)}"

    def quantified(self, tree: Tree) -> str:
        groups, body = self.quantifiers(tree)
        return r",\ ".join(groups) + rf".\ {self.write(body)}"

    def inside(self, tree: Tree, strength: int) -> str:
        """A subterm, in brackets if it binds more weakly than `strength`."""
        own_strength = 0 if tree[0] in _QUANTIFIERS else STRENGTH.get(tree[0], ATOM)
        if tree[0] == "~" and tree[1][0] == "=":  # drawn as a relation
            own_strength = STRENGTH["="]
        text = self.write(tree)
        return rf"\left({text}\right)" if own_strength < strength else text

    def base(self, tree: Tree) -> str:
        """The base of a power: in brackets unless it is a name or a number without a fraction."""
        plain = tree[0] in ("name", "num") and "frac" not in self.write(tree)
        return f"{{{self.write(tree)}}}" if plain else rf"\left({self.write(tree)}\right)"

    def quantifiers(self, tree: Tree) -> tuple[list[str], Tree]:
        """The leading quantifiers as texts, and the formula after them. Adjacent quantifiers with the same sign and
        sort share a text."""
        groups: list[tuple[str, list[str], str]] = []  # the sign, the variables, what they range over
        while tree[0] in _QUANTIFIERS:
            sign = r"\forall" if tree[0].startswith("all") else r"\exists"
            if tree[0] in ("all", "ex"):  # over a sort
                _, name, sort, body = tree
                over = _over(sort)
                # forall x in R, forall y in R: one sign and one sort for both
                if groups and groups[-1][0] == sign and groups[-1][2] == over:
                    groups[-1][1].append(_name(name))
                else:
                    groups.append((sign, [_name(name)], over))
            else:  # over a range of integers; its ends may use variables that are bound before
                _, name, low, high, body = tree
                groups.append((sign, [_name(name)], rf"\in \{{{self.write(low)},\dots,{self.write(high)}\}}"))
            tree = body
        # Adjacent quantifiers with the same sign have it once: forall x in R, n in Z.
        out, sign_before = [], ""
        for sign, names, over in groups:
            shown_sign = "" if sign == sign_before else f"{sign} "
            out.append(f"{shown_sign}{', '.join(names)} {over}")
            sign_before = sign
        return out, tree

    def parts(self, tag: str, tree: Tree) -> list[Any]:
        """The parts of a conjunction or disjunction, as trees. A chain a <= b & b <= c is one part, already as text."""
        flat: list[Tree] = []
        while tree[0] == tag:
            flat.append(tree[1])
            tree = tree[2]
        flat.append(tree)
        out: list[Any] = []
        end: Tree | None = None  # the right side of the part before, if it is a relation: a chain continues from it
        for part in flat:
            if tag == "&" and part[0] in _RELATIONS and end == part[1]:
                chain = out.pop()
                chain = chain if isinstance(chain, str) else self.write(chain)
                out.append(f"{chain} {_RELATIONS[part[0]]} {self.inside(part[2], STRENGTH[part[0]] + 1)}")
            else:
                out.append(part)
            end = part[2] if part[0] in _RELATIONS else None
        return out

    def operator(self, name: str, arguments: Iterable[Tree]) -> str:
        """A definition with its arguments; its name is set upright."""
        drawn = [self.write(argument) for argument in arguments]
        head = rf"\operatorname{{{escaped(name)}}}"
        return f"{head}({', '.join(drawn)})" if drawn else head

    def call(self, tree: Tree) -> str:
        """A definition or a run of a model as an operator; a function of the library in its usual notation; any other
        function with its arguments as indices."""
        _, name, arguments = tree
        if name in self.known or name in OF_MODELS:
            return self.operator(name, arguments)
        drawn = [self.write(argument) for argument in arguments]
        return self.indexed(name, drawn) if name in self.own else self.function(name, arguments, drawn)

    def function(self, name: str, arguments: tuple[Tree, ...], drawn: list[str]) -> str:
        """A function of the library in its usual notation; any other name with its arguments as indices.

        The grammar checks the number of arguments of names in `ARITY`, such as exp. It does not check those of floor,
        sign and mod, so they are checked here.
        """
        if name == "exp":
            return rf"\mathrm{{e}}^{{{drawn[0]}}}"  # upright: e may be a variable
        if name == "sqrt":
            return rf"\sqrt{{{drawn[0]}}}"
        if name == "abs":
            return rf"\left|{drawn[0]}\right|"
        if name == "floor" and len(arguments) == 1:
            return rf"\left\lfloor {drawn[0]} \right\rfloor"
        if name == "sign" and len(arguments) == 1:
            return rf"\operatorname{{sign}}\left({drawn[0]}\right)"
        if name == "mod" and len(arguments) == 2:
            dividend, divisor = self.inside(arguments[0], STRENGTH["*"]), self.inside(arguments[1], STRENGTH["*"] + 1)
            return rf"\left({dividend} \bmod {divisor}\right)"
        if name == "pow":
            return f"{self.base(arguments[0])}^{{{drawn[1]}}}"
        if name in ARITY:  # most of these are commands of LaTeX, such as \max
            head = {"relu": r"\mathrm{ReLU}", "erf": r"\operatorname{erf}"}.get(name, f"\\{name}")
            return rf"{head}\left({', '.join(drawn)}\right)"
        return self.indexed(name, drawn)

    @staticmethod
    def indexed(name: str, drawn: list[str]) -> str:
        """A sequence or table with its arguments: short ones as subscripts, x_i, others in brackets, x(i, j_1)."""
        # A subscript of one sign and two operands, such as i + 1, is set without spaces.
        index = ",".join(text.replace(" ", "") if text.count(" ") == 2 else text for text in drawn)
        # Brackets if a subscript would be hard to read: after a name that has one already (x1), or if it contains a
        # subscript (j_1), a fraction, or many characters.
        if re.search(r"[0-9]$", name) or _length(index) > MOST_INDEX or "\\frac" in index or "_" in index:
            return rf"{_name(name)}({', '.join(drawn)})"
        return f"{_name(name)}_{{{index}}}"


_PRINTERS: dict[str, Callable[[_Writer, Tree], str]] = {
    # Terms.
    "num": _Writer.number,
    "name": _Writer.named,
    "neg": lambda writer, tree: f"-{writer.inside(tree[1], STRENGTH['neg'] + 1)}",
    "+": _Writer.sum_of_two,
    "-": _Writer.sum_of_two,
    "*": _Writer.product,
    "/": lambda writer, tree: rf"\frac{{{writer.write(tree[1])}}}{{{writer.write(tree[2])}}}",
    "^": lambda writer, tree: f"{writer.base(tree[1])}^{{{writer.write(tree[2])}}}",
    "sum": _Writer.over_range,
    "prod": _Writer.over_range,
    "ind": lambda writer, tree: rf"\mathbb{{1}}[{writer.write(tree[1])}]",
    "if": _Writer.conditional,
    "call": _Writer.call,
    "lambda": _Writer.mapping,
    "model": lambda _, tree: rf"\text{{{escaped(tree[1])}}}",
    # Formulas.
    **dict.fromkeys(_RELATIONS, _Writer.relation),
    **dict.fromkeys(_QUANTIFIERS, _Writer.quantified),
    "member": lambda _, tree: f"{_name(tree[1])} {_over(tree[2])}",
    "true": lambda _, tree: r"\text{true}",
    "false": lambda _, tree: r"\text{false}",
    "~": _Writer.negation,
    "&": _Writer.connected,
    "|": _Writer.connected,
    "->": _Writer.implication,
    "<->": _Writer.implication,
}
"""{tag: the printer that writes a tree with this tag on one line}"""
