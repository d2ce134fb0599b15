"""Seeded random damage: to certificates (keys, labels, texts, numbers, whole proofs changed, moved or lost) and to
statements (constants, comparisons, names, ranges, quantifiers, signs, hypotheses)."""

from __future__ import annotations

import copy
import json
import random
import re
from fractions import Fraction
from typing import Any

from symcook.model.expr import children, show

VALUES = (
    None,
    True,
    0,
    -1,
    10**30,
    "",
    "0",
    "-1",
    "1/0",
    "x",
    "ax:inv",
    "ax:exp_pos",
    "#a",
    "!",
    [],
    {},
    [[]],
    "auto",
    "pos",
)
TEXTS = ("0", "1", "-1", "1/2", "1/0", "x", "n", "j. j", "0 = 0", "false", "exp(exp(10^9))", "pow(2, 10^6)", "(" * 400)


def places(part: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Every (container, key) below `part`."""
    out = [] if found is None else found
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        out.append((part, key))
        places(value, out)
    return out


def mutate(certificate: Any, seed: int) -> Any:
    """A damaged copy that differs; the seed decides all. One to three changes, in the proofs and rarely in the head."""
    draw = random.Random(seed)
    out = certificate
    while same(out, certificate):
        out = copy.deepcopy(certificate)
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            roots = [k for k in ("proof", "defined", "inhabited") if k in out]
            spots = [(out, k) for k in out] if not roots or draw.random() < 0.03 else places(out[draw.choice(roots)])
            if spots:
                _change(draw, *draw.choice(spots), spots)
    return out


def mutate_gently(certificate: Any, seed: int) -> Any:
    """A copy with one plausible change in a proof: a label, term or number taken from elsewhere in it or altered, a
    summand or a step lost, doubled or moved. All nodes keep their keys."""
    draw = random.Random(seed)
    out = certificate
    while same(out, certificate):
        out = copy.deepcopy(certificate)
        spots = places(out[draw.choice([k for k in ("proof", "defined", "inhabited") if k in out])])
        words = [(w, k) for w, k in spots if isinstance(w[k], str) and k != "by"]
        lists = [w[k] for w, k in spots if isinstance(w[k], list) and len(w[k]) > 1]
        if lists and (not words or draw.random() < 0.3):
            one = draw.choice(lists)
            first, second = draw.sample(range(len(one)), 2)
            kind = draw.randrange(3)
            if kind == 0:
                del one[first]
            elif kind == 1:
                one[first], one[second] = one[second], one[first]
            else:
                one[first] = copy.deepcopy(one[second])
        elif words:
            where, key = draw.choice(words)
            alike = [w[k] for w, k in words if k == key or isinstance(k, int) == isinstance(key, int)]
            where[key] = _text(draw, where[key]) if draw.random() < 0.4 else draw.choice(alike)
        else:
            return mutate(certificate, seed)
    return out


def _change(draw: random.Random, where: Any, key: Any, spots: list[tuple[Any, Any]]) -> None:
    value = where[key]
    kind = draw.randrange(9)
    if kind == 0:
        del where[key]
    elif kind == 1:
        where[key] = draw.choice(VALUES)
    elif kind == 2:  # another part of the same proof
        other, place = draw.choice(spots)
        where[key] = copy.deepcopy(other[place])
    elif kind == 3 and isinstance(where, list):
        where.insert(draw.randrange(len(where) + 1), copy.deepcopy(draw.choice(where)))
    elif kind == 4 and isinstance(where, list):
        draw.shuffle(where)
    elif kind == 5 and isinstance(where, dict):
        where[draw.choice(("by", "as", "of", "eq", "sum", "proofs", "note"))] = value
        if draw.random() < 0.5:
            where.pop(key, None)
    elif kind == 6 and isinstance(value, str):
        where[key] = _text(draw, value)
    elif kind == 7 and isinstance(value, list):
        where[key] = [copy.deepcopy(value), *value] if draw.random() < 0.5 else value * 2
    elif isinstance(value, str):
        where[key] = draw.choice(TEXTS)
    else:
        where[key] = draw.choice(VALUES)


def _text(draw: random.Random, text: str) -> str:
    """One character or comparison changed."""
    swaps = (
        ("<=", "<"),
        ("<", "<="),
        ("0", "1"),
        ("1", "2"),
        ("+", "-"),
        ("-", "+"),
        ("=", "<="),
        ("j", "k"),
        ("n", "i"),
    )
    usable = [(a, b) for a, b in swaps if a in text]
    if usable and draw.random() < 0.7:
        old, new = draw.choice(usable)
        return text.replace(old, new, 1)
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice('0123456789()+-*/^,.:#~&| xn\\"') + text[at + draw.randrange(2) :]


def damage_text(text: str, seed: int) -> str:
    """A certificate's JSON text with a few characters lost, doubled or replaced, or the text cut off."""
    draw = random.Random(seed)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text) + 1)
        kind = draw.randrange(4)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + draw.choice('{}[]",:0123456789eE.-NaN') + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + draw.randint(1, 20) :]
        else:
            text = text[:at] + text[max(0, at - 30) : at] + text[at:]
    return text


def same(a: Any, b: Any) -> bool:
    """Whether two certificates are the same JSON."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


# --- Statements -------------------------------------------------------------------------------------------------------

SWAPS = {"<=": ("<", "="), "<": ("<=", "="), "=": ("<=", "<"), "&": ("|", "->"), "|": ("&",), "->": ("&", "|", "<->")}
SWAPS |= {"<->": ("->", "&"), "+": ("-", "*"), "-": ("+",), "*": ("+", "/"), "/": ("*",), "sum": ("prod",)}
SWAPS |= {"all": ("ex",), "ex": ("all",), "all in": ("ex in",), "ex in": ("all in",), "prod": ("sum",)}
CALLS = {"min": "max", "max": "min", "relu": "abs", "abs": "relu", "exp": "relu", "log": "sqrt", "sqrt": "abs"}


def mutate_statement(tree: Any, draw: random.Random) -> Any:
    """A formula's syntax tree with one or two small changes; it may have no sort, or be the same as before."""
    for _ in range(draw.choice((1, 1, 1, 2))):
        paths: list[tuple[tuple[int, ...], Any]] = []
        _paths(tree, (), paths)
        names = sorted({part[1] for _, part in paths if part[0] == "name"})
        path, part = draw.choice(paths)
        tree = _put(tree, path, _changed(part, names, draw))
    return tree


def _paths(tree: Any, path: tuple[int, ...], out: list[tuple[tuple[int, ...], Any]]) -> None:
    """Adds every subtree with the way to it."""
    out.append((path, tree))
    if tree[0] in ("num", "name"):
        return
    for place, part in enumerate(tree):
        if place and isinstance(part, tuple) and part:
            if isinstance(part[0], tuple):  # arguments of a call
                for inner, argument in enumerate(part):
                    _paths(argument, (*path, place, inner), out)
            elif part[0] != "fun" and not (tree[0] == "lambda" and place == 1):
                _paths(part, (*path, place), out)


def text_of(tree: Any) -> str:
    """The text of a formula; what is quantified alike stands in one list, since each quantifier nests what is read."""
    return QUANTIFIED.sub(lambda m: m[0].replace(f". {m[1]} ", ", "), show(tree))


QUANTIFIED = re.compile(r"\b(all|ex) \w+:[^.]+\.(?: \1 \w+:[^.]+\.)+")


def _put(tree: Any, path: tuple[int, ...], new: Any) -> Any:
    if not path:
        return new
    place = path[0]
    return (*tree[:place], _put(tree[place], path[1:], new), *tree[place + 1 :])


def _changed(part: Any, names: list[str], draw: random.Random) -> Any:
    tag = part[0]
    one = ("num", 1, 1)
    if tag == "num":
        p, q = part[1:]
        near = Fraction(p, q) + draw.choice((1, -1, Fraction(1, 100), Fraction(-1, 100)))
        value = draw.choice((near, Fraction(p, q) * 2, Fraction(p, 2 * q), Fraction(0)))
        size = ("num", abs(value.numerator), 1)
        made = size if value.denominator == 1 else ("/", size, ("num", value.denominator, 1))
        return ("neg", made) if value < 0 else made
    if tag == "name":
        choices = [("name", draw.choice(names)), ("neg", part), ("+", part, one), ("-", part, one), ("num", 0, 1)]
        return draw.choice(choices)
    if tag in ("sum", "prod", "all in", "ex in") and draw.random() < 0.6:  # a range shifted at one end
        place = draw.choice((2, 3))
        return (*part[:place], (draw.choice("+-"), part[place], one), *part[place + 1 :])
    if tag == "call":
        if part[1] in CALLS and draw.random() < 0.7:
            return (tag, CALLS[part[1]], part[2])
        given = list(part[2])
        place = draw.randrange(len(given))
        if len(given) > 1 and draw.random() < 0.4:
            given[place], given[place - 1] = given[place - 1], given[place]
        elif given[place][0] != "lambda":
            given[place] = (draw.choice("+-"), given[place], one)
        return (tag, part[1], tuple(given))
    if tag in ("->", "&", "|", "+", "-", "*") and draw.random() < 0.5:  # a part or hypothesis dropped
        return part[2] if tag == "->" or draw.random() < 0.5 else part[1]
    if tag in ("=", "<=", "<", "->", "-", "/") and draw.random() < 0.3:
        return (tag, part[2], part[1])
    if tag in ("neg", "~"):
        return part[1]
    if tag in SWAPS:
        return (draw.choice(SWAPS[tag]), *part[1:])
    return part


def sampled(tree: Any) -> bool:
    """Whether the truth of a formula can be sampled: no quantifier over all numbers or functions has to hold in a
    hypothesis, and none that asks for existence in a conclusion."""
    return _sampled(tree, True)


def _sampled(tree: Any, positive: bool | None) -> bool:
    tag = tree[0]
    if tag == "~":
        return _sampled(tree[1], None if positive is None else not positive)
    if tag == "->":
        return _sampled(tree[1], None if positive is None else not positive) and _sampled(tree[2], positive)
    if tag in ("all", "ex"):
        return positive is (tag == "all") and _sampled(tree[3], positive)
    sides = positive if tag in ("&", "|", "all in", "ex in") else None
    return all(_sampled(part, sides) for part in children(tree))
