"""Statements and formulas as LaTeX: fragments that need the packages amsmath and amssymb, and nothing of ours.

Definitions stay folded, as operators; `statement_latex` adds a line ``where`` that gives those that are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.model.expr import ARITY, Tree, show
from symcook.proof.audit.folded import MODEL_WORDS, decimal, statement_tree, used_definitions
from symcook.report.markup import escaped

if TYPE_CHECKING:
    from symcook.proof.grammar import Definition
    from symcook.proof.replay import Statement
    from symcook.proof.terms import Sort

MOST = 84  # characters of drawn text in a line of a display, as far as one can tell
_LETTERS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
LETTERS = tuple(re.findall(r"\w+", _LETTERS))
CAPITALS = tuple(re.findall(r"\w+", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"))
_NAMED = {"eps": r"\varepsilon", "epsilon": r"\varepsilon", "phi": r"\varphi"}
_SORTS = {"Int": r"\mathbb{Z}", "Real": r"\mathbb{R}"}
_RELATIONS = {"=": "=", "<=": r"\le", "<": "<"}
STRENGTH = {"<->": 1, "->": 2, "|": 3, "&": 5, "~": 7, "=": 8, "<=": 8, "<": 8}
STRENGTH |= {"+": 10, "-": 10, "sum": 11, "prod": 11, "neg": 11, "*": 12, "^": 16}
_WORDS = {"&": r"\land", "|": r"\lor", "->": r"\Rightarrow", "<->": r"\Leftrightarrow"}
_QUANTIFIERS = ("all", "ex", "all in", "ex in")


def latex(tree: Tree, known: Iterable[str] = (), own: Iterable[str] = ()) -> str:
    """A term or formula in math mode; `known` are the names of definitions, which are set as operators, and `own` those
    that are no functions of the library, whatever they are called.

    >>> print(latex(("<=", ("call", "s", (("name", "j"),)), ("call", "exp", (("neg", ("name", "gamma")),)))))
    s_{j} \\le \\mathrm{e}^{-\\gamma}
    """
    return _Writer(known, own).write(tree)


def formula_rows(tree: Tree, known: Iterable[str] = (), own: Iterable[str] = ()) -> list[str]:
    """The same, broken into rows where it is too long for a line; those behind the first are moved in."""
    first, *continued = _Writer(known, own).lines(tree)
    return [first[1], *("\\quad " * max(depth, 1) + text for depth, text in continued)]


def statement_latex(statement: Statement) -> str:
    """A stored statement as a display, with a line for the definitions and models that it uses."""
    tree = statement_tree(statement.text)
    lines = _Writer(statement.known).lines(tree)
    rows = [r"\[", r"\begin{aligned}", *_rows(lines), r"\end{aligned}", r"\]"]
    meant = where(tree, statement.known)
    if meant:
        rows += [r"\noindent where", r"\[", r"\begin{aligned}", *_rows(meant), r"\end{aligned}", r"\]"]
    return "\n".join(rows)


def where(tree: Tree, known: Mapping[str, Definition]) -> list[tuple[int, str]]:
    """The definitions and run relations that a statement uses, as lines of a display with their indentation."""
    from symcook.proof.runrel import expand

    out: list[tuple[int, str]] = []
    for name in used_definitions([tree], known):
        definition = known[name]
        writer = _Writer(known)
        left = writer.operator(name, [("name", p) for p in definition.params])
        lines = writer.lines(definition.tree[2] if definition.tree[0] == "lambda" else definition.tree)
        bound = "".join(f"{_name(n)} \\mapsto " for n in definition.tree[1]) if definition.tree[0] == "lambda" else ""
        out += [(0, f"{left} &:= {bound}{lines[0][1]}"), *((k + 2, f"&{text}") for k, text in lines[1:])]
    for word, model in _models(tree):
        writer = _Writer(known)
        lines = writer.lines(statement_tree(expand(f"{word}({model})")))
        left = writer.write(("call", word, (("model", model),)))
        out += [(0, f"{left} &:= {lines[0][1]}"), *((k + 2, f"&{text}") for k, text in lines[1:])]
    return out


def _models(tree: object) -> list[tuple[str, str]]:
    """(word, model) for each run, word and accept in a tree, once."""
    calls: list[tuple[str, str]] = []
    todo = [tree]
    while todo:
        part = todo.pop(0)
        if isinstance(part, tuple):
            if part[:1] == ("call",) and part[1] in MODEL_WORDS and part[2][0][:1] == ("model",):
                calls.append((part[1], part[2][0][1]))
            todo[:0] = part
    return list(dict.fromkeys(calls))


def _rows(lines: list[tuple[int, str]]) -> list[str]:
    """Lines of an aligned display; what has no mark of its own is aligned at its beginning."""
    rows = []
    for depth, text in lines:
        mark, body = ("&", text[1:]) if text.startswith("&") else ("", text) if " &:= " in text else ("&", text)
        rows.append(mark + "\\quad " * depth + body)
    return [row + (r" \\" if k < len(rows) else "") for k, row in enumerate(rows, 1)]


def _name(name: str) -> str:
    """A name: one letter or Greek as it is, a final number as subscript, words upright in italics."""
    match = re.fullmatch(r"([A-Za-z]+?)([0-9]+)?", name)
    if match is None:
        return rf"\mathit{{{escaped(name)}}}"
    word, number = match.groups()
    plain = word if len(word) == 1 else rf"\mathit{{{word}}}"
    drawn = _NAMED.get(word) or (f"\\{word}" if word in LETTERS + CAPITALS else plain)
    return drawn if number is None else f"{drawn}_{{{number}}}"


def _sort(sort: Sort) -> str:
    if isinstance(sort, str):
        return _SORTS[sort]
    return r" \times ".join(_SORTS[s] for s in sort[1]) + rf" \to {_SORTS[sort[2]]}"


def _over(sort: Sort) -> str:
    """What follows a name of this sort."""
    joint = r"\in" if isinstance(sort, str) else r"\colon"
    return f"{joint} {_sort(sort)}"


def _length(text: str) -> int:
    """About how many characters a piece of LaTeX draws."""
    return len(re.sub(r"\\(?:left|right|mathit|mathrm|operatorname|mathbb|quad|frac)\b", "", text).replace(r"\,", ""))


def negated(tree: Tree) -> Tree | None:
    """`x` where the tree is -x or a product that begins with such a factor: a + -x is drawn a - x."""
    if tree[0] == "neg":
        return tree[1]
    if tree[0] in ("*", "/") and (first := negated(tree[1])) is not None:
        return (tree[0], first, tree[2])
    return None


class _Writer:
    def __init__(self, known: Iterable[str], own: Iterable[str] = ()) -> None:
        self.known, self.own = set(known), set(own)

    # A display of several lines: (indentation, math).

    def lines(self, tree: Tree, followed: bool = False) -> list[tuple[int, str]]:
        """A formula broken after its quantifiers and at its outer connectives, where it is too long for a line.

        followed: an implication or equivalence goes on after it, so that a quantifier at its end needs brackets.
        """
        tag = tree[0]
        line = self.write(tree)
        if _length(line) <= MOST and tag != "all":
            return [(0, line)]
        if tag in _QUANTIFIERS:
            groups, body = self.quantifiers(tree)
            return [*self.packed(groups, ",", 0), *((k + 1, text) for k, text in self.lines(body))]
        if tag in ("->", "<->"):
            left, right = self.lines(tree[1], True), self.lines(tree[2])
            if tree[1][0] in ("->", "<->", *_QUANTIFIERS):
                left = self.bracketed(left)
            if tree[2][0] == "<->" or (tag == "<->" and tree[2][0] == "->"):
                right = self.bracketed(right)
            right = [(right[0][0], rf"{_WORDS[tag]}\ {right[0][1]}"), *right[1:]]
            return [*left, *right]
        if tag in ("&", "|"):
            out: list[tuple[int, str]] = []
            parts = self.parts(tag, tree)
            for place, part in enumerate(parts):
                inner = self.lines(part) if isinstance(part, tuple) else [(0, part)]
                weak = isinstance(part, tuple) and part[0] in ("->", "<->", "|", "&", *_QUANTIFIERS)
                ends = place == len(parts) - 1 and isinstance(part, tuple) and part[0] in _QUANTIFIERS and not followed
                if not ends and (weak or len(inner) > 1):
                    inner = self.bracketed(inner)
                if place and len(inner) == 1 and out and _length(out[-1][1] + inner[0][1]) <= MOST:
                    out[-1] = (out[-1][0], rf"{out[-1][1]} {_WORDS[tag]} {inner[0][1]}")
                elif place:
                    out += [(inner[0][0], rf"{_WORDS[tag]}\ {inner[0][1]}"), *inner[1:]]
                else:
                    out += inner
            return out
        if tag in _RELATIONS and _length(self.write(tree[1])) + _length(self.write(tree[2])) > MOST:
            return [*self.summed(tree[1]), *self.led(self.summed(tree[2]), _RELATIONS[tag])]
        return self.summed(tree) if tag in ("+", "-") else [(0, line)]

    def led(self, lines: list[tuple[int, str]], sign: str) -> list[tuple[int, str]]:
        return [(lines[0][0] + 1, f"{{}} {sign} {lines[0][1]}"), *((k + 1, text) for k, text in lines[1:])]

    def summed(self, tree: Tree) -> list[tuple[int, str]]:
        """A long sum on several lines."""
        terms: list[tuple[str, str]] = []
        while tree[0] in ("+", "-") and _length(self.write(tree)) > MOST:
            less = negated(tree[2]) if tree[0] == "+" else None
            terms.append(("-" if less else tree[0], self.inside(less or tree[2], 11)))
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
        out = list(lines)
        out[0] = (out[0][0], f"({out[0][1]}")
        out[-1] = (out[-1][0], f"{out[-1][1]})")
        return out

    @staticmethod
    def packed(pieces: list[str], between: str, depth: int) -> list[tuple[int, str]]:
        out: list[tuple[int, str]] = []
        for piece in pieces:
            if out and _length(out[-1][1]) + _length(piece) <= MOST:
                out[-1] = (depth, rf"{out[-1][1]}{between}\ {piece}")
            else:
                if out:
                    out[-1] = (depth, out[-1][1] + between)
                out.append((depth, piece))
        return [*out[:-1], (depth, out[-1][1] + r".")]

    # One line.

    def write(self, tree: Tree) -> str:
        tag = tree[0]
        if tag == "num":
            return show(tree) if decimal(tree[2]) else rf"\frac{{{tree[1]}}}{{{tree[2]}}}"
        if tag == "name":
            return self.operator(tree[1], []) if tree[1] in self.known else _name(tree[1])
        if tag == "member":
            return f"{_name(tree[1])} {_over(tree[2])}"
        if tag == "model":
            return rf"\text{{{escaped(tree[1])}}}"
        if tag in ("true", "false"):
            return rf"\text{{{tag}}}"
        if tag == "neg":
            return f"-{self.inside(tree[1], 12)}"
        if tag == "~":
            if tree[1][0] == "=":
                return rf"{self.inside(tree[1][1], 9)} \ne {self.inside(tree[1][2], 9)}"
            return rf"\lnot {self.inside(tree[1], 9)}"
        if tag == "/":
            return rf"\frac{{{self.write(tree[1])}}}{{{self.write(tree[2])}}}"
        if tag == "+" and (less := negated(tree[2])) is not None:
            return f"{self.inside(tree[1], 10)} - {self.inside(less, 11)}"
        if tag in ("+", "-"):
            return f"{self.inside(tree[1], 10)} {tag} {self.inside(tree[2], 11)}"
        if tag == "*":
            left, right = self.inside(tree[1], 12), self.inside(tree[2], 13)
            dot = r" \cdot " if re.match(r"[0-9-]", right) or tree[2][0] == "/" else r"\,"
            return left + dot + right
        if tag == "^":
            return f"{self.base(tree[1])}^{{{self.write(tree[2])}}}"
        if tag in _RELATIONS:
            return f"{self.inside(tree[1], 9)} {_RELATIONS[tag]} {self.inside(tree[2], 9)}"
        if tag in ("&", "|"):
            parts = self.parts(tag, tree)
            drawn = [p if isinstance(p, str) else self.inside(p, STRENGTH[tag] + 1) for p in parts]
            return f" {_WORDS[tag]} ".join(drawn)
        if tag in ("->", "<->"):
            left, right = self.inside(tree[1], STRENGTH[tag] + 1), self.inside(tree[2], STRENGTH[tag])
            return f"{left} {_WORDS[tag]} {right}"
        if tag in ("sum", "prod"):
            body = self.inside(tree[4], 11)
            return rf"\{tag}_{{{_name(tree[1])}={self.write(tree[2])}}}^{{{self.write(tree[3])}}} {body}"
        if tag == "ind":
            return rf"\mathbb{{1}}[{self.write(tree[1])}]"
        if tag == "if":
            test, yes, no = map(self.write, tree[1:])
            other = r"\text{otherwise}"
            return rf"\begin{{cases}} {yes} & \text{{if }} {test} \\ {no} & {other} \end{{cases}}"
        if tag == "lambda":
            names = ", ".join(map(_name, tree[1]))
            names = f"({names})" if len(tree[1]) > 1 else names
            return rf"{names} \mapsto {self.write(tree[2])}"
        if tag in _QUANTIFIERS:
            groups, body = self.quantifiers(tree)
            return r",\ ".join(groups) + rf".\ {self.write(body)}"
        return self.call(tree[1], tree[2])

    def inside(self, tree: Tree, strength: int) -> str:
        own = 0 if tree[0] in _QUANTIFIERS else STRENGTH.get(tree[0], 100)
        if tree[0] == "~" and tree[1][0] == "=":
            own = 8
        text = self.write(tree)
        return rf"\left({text}\right)" if own < strength else text

    def base(self, tree: Tree) -> str:
        """What carries an exponent."""
        plain = tree[0] in ("name", "num") and "frac" not in self.write(tree)
        return f"{{{self.write(tree)}}}" if plain else rf"\left({self.write(tree)}\right)"

    def quantifiers(self, tree: Tree) -> tuple[list[str], Tree]:
        """The leading quantifiers, those of one sort together, and what follows them."""
        groups: list[tuple[str, list[str], str]] = []
        while tree[0] in _QUANTIFIERS:
            sign = r"\forall" if tree[0].startswith("all") else r"\exists"
            if len(tree) == 4:
                over = _over(tree[2])
            else:
                over = rf"\in \{{{self.write(tree[2])},\dots,{self.write(tree[3])}\}}"
            if groups and groups[-1][0] == sign and groups[-1][2] == over and len(tree) == 4:
                groups[-1][1].append(_name(tree[1]))
            else:
                groups.append((sign, [_name(tree[1])], over))
            tree = tree[-1]
        out, before = [], ""
        for sign, names, over in groups:
            out.append((f"{sign} " if sign != before else "") + f"{', '.join(names)} {over}")
            before = sign
        return out, tree

    def parts(self, tag: str, tree: Tree) -> list[Any]:
        """The parts of a conjunction or disjunction; a <= b & b <= c is one part, as text."""
        flat: list[Tree] = []
        while tree[0] == tag:
            flat.append(tree[1])
            tree = tree[2]
        flat.append(tree)
        out: list[Any] = []
        end: Tree | None = None
        for part in flat:
            if tag == "&" and part[0] in _RELATIONS and end == part[1]:
                last = out.pop()
                last = last if isinstance(last, str) else self.write(last)
                out.append(f"{last} {_RELATIONS[part[0]]} {self.inside(part[2], 9)}")
            else:
                out.append(part)
            end = part[2] if part[0] in _RELATIONS else None
        return out

    def operator(self, name: str, given: Iterable[Tree]) -> str:
        drawn = [self.write(a) for a in given]
        head = rf"\operatorname{{{escaped(name)}}}"
        return f"{head}({', '.join(drawn)})" if drawn else head

    def call(self, name: str, given: tuple[Tree, ...]) -> str:
        if name in self.known or name in MODEL_WORDS:
            return self.operator(name, given)
        drawn = [self.write(a) for a in given]
        return self.indexed(name, drawn) if name in self.own else self.function(name, given, drawn)

    def function(self, name: str, given: tuple[Tree, ...], drawn: list[str]) -> str:
        if name == "exp":
            return rf"\mathrm{{e}}^{{{drawn[0]}}}"  # upright: e may be a variable
        if name == "sqrt":
            return rf"\sqrt{{{drawn[0]}}}"
        if name == "abs":
            return rf"\left|{drawn[0]}\right|"
        if name == "floor" and len(given) == 1:
            return rf"\left\lfloor {drawn[0]} \right\rfloor"
        if name == "sign" and len(given) == 1:
            return rf"\operatorname{{sign}}\left({drawn[0]}\right)"
        if name == "mod" and len(given) == 2:
            return rf"\left({self.inside(given[0], 12)} \bmod {self.inside(given[1], 13)}\right)"
        if name == "pow":
            return f"{self.base(given[0])}^{{{drawn[1]}}}"
        if name in ARITY:
            head = {"relu": r"\mathrm{ReLU}", "erf": r"\operatorname{erf}"}.get(name, f"\\{name}")
            return rf"{head}\left({', '.join(drawn)}\right)"
        return self.indexed(name, drawn)

    @staticmethod
    def indexed(name: str, drawn: list[str]) -> str:
        index = ",".join(text.replace(" ", "") if text.count(" ") == 2 else text for text in drawn)
        if re.search(r"[0-9]$", name) or _length(index) > 9 or "\\frac" in index or "_" in index:
            return rf"{_name(name)}({', '.join(drawn)})"
        return f"{_name(name)}_{{{index}}}"
