"""Seeded random damage to certificates: keys, labels, texts, numbers and whole proofs changed, moved or lost."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

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
