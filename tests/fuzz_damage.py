"""Words and files of a command line, changed at random.

A file is changed by its structure (keys renamed, lost and doubled, values of other kinds, deep nesting; rows of a
checkpoint, arrays of an export), by its lines, by its bytes, or as a place: a folder, a pipe, a device, a link.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import click
from attacks import badinputs
from attacks.mutate import VALUES, places
from fuzz_given import given

from symcook.cli.commands import COMMANDS
from symcook.export.files import sealed, told

ODD = (
    "\0", "a\0b", "1\0", "NaN", "-0.0", "1e9", "10" * 20, "1/3", "٣", "ⅷ", "a\u0308", "\u1e9b\u0323", "*.json",
    "@mine.json", "mine.json/", "./mine.json", "folder/../mine.json", "mine.json ", "file:mine.json", "words.db",
    "new.json", "new/new.json", "pipe", "link", "zero", "loop",
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\r", b"[" * 5000, b"9" * 5000, b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"')
TABLES = (
    "drop table chunk", "drop table sweep", "delete from chunk", "pragma user_version = 9",
    "create view v as select * from v", "alter table chunk rename to other",
)  # fmt: skip
FIELDS = (0, -1, 2**62, "", "x", "[]", '["("]', "[" * 500, b"\xff", 1.5, "é\0")


@cache
def options(command: str) -> list[Any]:
    """The options of a command."""
    from symcook.cli.output import group

    found = group.get_command(click.Context(group), command)
    return [] if found is None else [p for p in found.get_params(click.Context(found)) if p.opts[0].startswith("-")]


def value(rng: random.Random) -> str:
    return rng.choice(rng.choice([badinputs.NUMBERS, badinputs.TERMS, badinputs.TEXTS, badinputs.PLACES, ODD]))


def mutated(words: list[str], rng: random.Random) -> list[str]:
    """The words of a line with one to three changes."""
    words = [*words]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        k, kind = rng.randrange(len(words)), rng.randrange(9)
        if kind == 0:
            del words[k]
        elif kind == 1:
            words.insert(k, words[k])
        elif kind == 2:
            words[k] = words[k][: rng.randrange(len(words[k]) + 1)]  # an abbreviation
        elif kind == 3:
            words[k] += rng.choice(["", "=", "=1", "\0", " ", "é", words[k], "." * 300])
        elif kind == 4:
            words[k : k + 1] = [words[k].replace("-", "_"), words[k]][rng.randrange(2) :]
        elif kind in (5, 6):
            words[rng.randrange(1, len(words)) if len(words) > 1 else 0] = value(rng)
        elif found := options(words[0]):
            one = rng.choice(found)
            words += [rng.choice(one.opts), *([] if one.is_flag else [value(rng)])]
        if not words:
            words = [rng.choice(list(COMMANDS))]
    return words


def damage(path: Path, how: str, rng: random.Random) -> None:
    """Change a file."""
    data = path.read_bytes()
    if how == "place":
        _place(path, rng)
    elif how == "part" and path.suffix == ".json":
        document = json.loads(data)
        text = _json(document, rng)
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
    elif how == "part" and path.suffix == ".db":
        _rows(path, rng)
    elif how == "part" and path.suffix in (".npz", ".safetensors"):
        _arrays(path, rng)
    elif how == "line" and _is_text(data):
        path.write_bytes(_lines(data.decode("utf-8", "replace"), rng).encode("utf-8", "surrogatepass"))
    else:
        path.write_bytes(_flipped(data, rng))
    if how != "place" and rng.random() < 0.6:
        _sealed_again(path.parent)


def _is_text(data: bytes) -> bool:
    return b"\0" not in data


def _flipped(data: bytes, rng: random.Random) -> bytes:
    """Bits flipped, bytes lost, doubled or put in, or an end that is missing or too much."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 3, 30))):
        k = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
        if kind < 2 and k < len(out):
            out[k] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del out[k:]
        elif kind == 3:
            del out[k : k + rng.randrange(1, 40)]
        elif kind == 4:
            out[k:k] = out[k : k + rng.randrange(1, 40)]
        else:
            out[k:k] = rng.choice(BYTES)
    return bytes(out)


def _lines(text: str, rng: random.Random) -> str:
    """Lines lost, doubled and moved, words of other values, and numbers in place of numbers."""
    lines = text.splitlines() or [""]
    for _ in range(rng.choice((1, 1, 2, 3))):
        k, kind = rng.randrange(len(lines)), rng.randrange(5)
        if kind == 0 and len(lines) > 1:
            del lines[k]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[k])
        else:
            words = lines[k].split(" ")
            at = rng.randrange(len(words))
            words[at] = rng.choice([value(rng), *rng.choice(lines).split(" "), words[at] * 2, words[at][::-1], "", "0"])
            lines[k] = " ".join(words)
    return rng.choice(["\n", "\n", "\n", "\r\n", "\r"]).join(lines) + rng.choice(["\n", ""])


def _json(document: Any, rng: random.Random) -> str:
    """A document with one to three changes, as text: a key may stand there twice."""
    twice = ""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        spots = places(document)
        if not spots:
            break
        part, key = rng.choice(spots)
        kind = rng.randrange(10)
        if kind == 0:
            del part[key]
        elif kind == 1 and isinstance(part, dict):
            part[value(rng)] = part.pop(key)
        elif kind == 2 and isinstance(part, dict):
            part[rng.choice([key + "s", key.upper(), key + " ", " " + key, key + "\u200b"])] = part[key]
        elif kind == 3 and isinstance(part, list):
            part.insert(rng.randrange(len(part) + 1), part[key])
        elif kind == 4:
            other, name = rng.choice(spots)
            if name in other if isinstance(other, dict) else isinstance(other, list) and name < len(other):
                part[key] = json.loads(json.dumps(other[name]))
        elif kind == 5:
            for _ in range(rng.choice((5, 60, 400))):
                part[key] = [part[key]]
        elif kind == 6 and isinstance(part[key], (str, int)):
            part[key] = rng.choice([str(part[key]), f" {part[key]}", f"{part[key]}.0", f"-{part[key]}", [part[key]]])
        elif kind == 7 and isinstance(part, dict):
            twice = str(key)
        elif kind == 8:
            part[key] = value(rng)
        else:
            part[key] = rng.choice([*VALUES, 1.5, 10**400, -1, False, 2**63, float("nan")])
    text = json.dumps(document, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
    name = json.dumps(twice)
    return text.replace(f"{name}:", f"{name}: 0, {name}:", 1) if twice else text


def _rows(path: Path, rng: random.Random) -> None:
    """A checkpoint with another value in a column, or without a table."""
    with sqlite3.connect(path) as connection, suppress(sqlite3.Error):
        if rng.random() < 0.15:
            connection.execute(rng.choice(TABLES))
        else:
            table = rng.choice(["chunk", "chunk", "sweep"])
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            connection.execute(f"update or replace {table} set {rng.choice(columns)} = ?", (rng.choice(FIELDS),))
    connection.close()


def _arrays(path: Path, rng: random.Random) -> None:
    """An export with one array of other numbers, another shape, type or name, or without one."""
    import numpy as np

    arrays: dict[str, Any]
    if path.suffix == ".npz":
        with np.load(path) as file:
            arrays = dict(file)
    else:
        from safetensors.numpy import load_file

        arrays = load_file(path)
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.randrange(8)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[value(rng).replace("\0", "") or "x"] = arrays.pop(name)
    elif kind == 2:
        arrays[name] = array.reshape(-1)
    elif kind == 3:
        arrays[name] = array[None]
    elif kind == 4 and array.dtype.kind == "f" and array.size:
        array = array.copy()
        array.flat[rng.randrange(array.size)] = rng.choice([float("nan"), float("inf"), -0.0, 1e300, 5e-324, 7])
        arrays[name] = array
    elif kind == 5:
        arrays[name] = np.zeros(
            rng.choice([(0,), (), (3, 0), (1000, 1000)]), array.dtype if array.dtype.kind in "fi" else "f8"
        )
    elif kind == 6:
        arrays[name] = array.astype(rng.choice(["f2", "f4", "i8", "u1", "?"])) if array.dtype.kind in "fiu" else array
    else:
        arrays[name] = arrays[rng.choice(list(arrays))]
    if path.suffix == ".npz":
        try:
            np.savez(path, **arrays)
        except (ValueError, OSError, TypeError):
            path.write_bytes(b"")
    else:
        from safetensors.numpy import save_file

        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)


def _sealed_again(folder: Path) -> None:
    """Certificates of exports with the hashes of the files that are there now."""
    for weights, beside in (("w.npz", "w"), ("s.safetensors", "s"), ("o.onnx", "o.onnx")):
        certificate = folder / f"{beside}.certificate.json"
        try:
            document = json.loads(certificate.read_text(encoding="utf-8"))
            files = {folder / name: (folder / name).read_bytes() for name in document["files"]}
            certificate.write_bytes(sealed({**document, **told(folder / weights, files)})[0])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


def _place(path: Path, rng: random.Random) -> None:
    """Something else at the place of a file."""
    kind = rng.randrange(8)
    data = path.read_bytes()
    path.unlink()
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to("/dev/zero")
    elif kind == 3:
        path.symlink_to(path.name)
    elif kind == 4:
        (path.parent / "folder" / path.name).write_bytes(data)
        path.symlink_to(Path("folder") / path.name)
    elif kind == 5:
        path.write_bytes(b"")
    elif kind == 6:
        other = rng.choice([name for name in given() if name != path.name])
        path.write_bytes((path.parent / other).read_bytes() if (path.parent / other).is_file() else b"x")
