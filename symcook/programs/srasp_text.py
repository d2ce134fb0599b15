"""Programs written as text again, a definition a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symcook.programs.srasp import MASKS, Constant, Srasp, constant_text


def text(program: Srasp) -> str:
    """A program as text, a definition a line; `read_srasp` reads the same program."""
    names = {line: name for name, line in reversed(program.names) if program.types[line] != "selector"}
    taken = set(names.values())
    shown: list[str] = []
    lines = [f"alphabet {' '.join(constant_text(a) if not a.isalnum() else a for a in program.alphabet)};"]
    fresh = 0
    for number, line in enumerate(program.lines):
        parts = [shown[k] for k in line.reads]
        made = _written(line.op, parts, line.value)
        last = number == program.output
        if program.types[number] == "selector" or (not line.reads and not last):
            shown.append(made)
            continue
        name = names.get(number, "")
        while not name or (not names.get(number) and name in taken):
            fresh += 1
            name = "out" if last and "out" not in taken else f"v{fresh}"
        taken.add(name)
        lines.append(f"{name}(i) = {made.format(p='i')}")
        shown.append(f"{name}({{p}})")
    return "\n".join(lines) + "\n"


def _written(op: str, parts: Sequence[str], value: Constant) -> str:
    """A line with {p} for the position; of selectors without it."""
    if op in ("in", "indices"):
        return f"{op}({{p}})"
    if op == "length":
        return op
    if op == "constant":
        return constant_text(value).replace("{", "{{").replace("}", "}}")
    if op == "times":
        return f"-{parts[0]}" if value == -1 else f"{value}*{parts[0]}"
    if op in ("sum", "product", "and", "or", "compare"):
        sign = {"sum": "+", "product": "*", "and": "&", "or": "|"}.get(op, str(value))
        return f" {sign} ".join(parts)
    if op == "not":
        return f"~{parts[0]}"
    if op == "if":
        return f"if {parts[0]} then {parts[1]} else {parts[2]}"
    key, query = (lambda one: one.format(p="j")), (lambda one: one.format(p="i"))
    if op == "select":
        return f"{key(parts[0])} {value} {query(parts[1])}"
    if op in ("key", "query"):
        return (key if op == "key" else query)(parts[0])
    if op == "pair not":
        return f"not ({parts[0]})"
    if op in ("pair and", "pair or"):
        return f"({parts[0]}) {op.removeprefix('pair ')} ({parts[1]})"
    return _heads(op, parts, value, key)


def _heads(op: str, parts: Sequence[str], value: Constant, key: Callable[[str], str]) -> str:
    mask = next((shown for shown, name in MASKS.items() if name == value), "")
    if op == "psum":
        return f"psum j [{mask}] {key(parts[0])}"
    if op in ("left", "right"):
        return f"{op} j [{mask}, {parts[0]}] {key(parts[1])} : {parts[2]}"
    if op == "width":
        return f"selector_width({parts[0]})"
    return f"aggregate({parts[0]}, {key(parts[1])}, {parts[2]})"
