"""One exception tree; each class knows the exit code that the command line gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

Chosen = TypeVar("Chosen")
EMPTY_WORD = "the empty word"
"""What stands in a sentence for a word without symbols, which would not be seen."""


class SymcookError(Exception):
    """Base of every error that symcook raises on purpose. Raised itself, it reports a defect of symcook.

    A message is written once, with the options of the command line, which prints `sentence`. In Python the same message
    has arguments instead: ``max_length=12`` for ``--max-length 12``.
    """

    exit_code = 4

    @property
    def sentence(self) -> str:
        """The message as the command line says it."""
        return super().__str__()

    def __str__(self) -> str:
        return in_python(self.sentence)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints: what must hold, what was given, and what to do (None where nothing is said of it)."""
        must, _, do = self.sentence.rstrip(".").partition("; ")
        return {"must": must, "given": None, "do": do or None}


class BadInput(SymcookError):
    """What was given cannot be used. The message says what must hold, what was given and what to do."""

    exit_code = 2

    def __init__(self, must: str, given: object = None, do: str | None = None) -> None:
        self.must, self.given, self.do = must, given, do or None
        super().__init__(self._joined(must, self.do))

    def _joined(self, must: str, do: str | None) -> str:
        given = self.shown
        parts = [must, *([] if given is None else [f"given: {given}"]), *([] if do is None else [do])]
        text = "; ".join(parts)
        return text if text.endswith(("?", ".")) else text + "."

    @property
    def shown(self) -> str | None:
        """What was given, on one line."""
        if self.given is None:
            return None
        text = _text(self.given)
        return _short(text) or ("white space" if text else "nothing")

    def __str__(self) -> str:
        return self._joined(in_python(self.must), None if self.do is None else in_python(self.do))

    def to_json(self) -> dict[str, Any]:
        return {"must": self.must, "given": self.shown, "do": self.do}


class NoRun(BadInput):
    """The model has no run on this input: at some position a norm refuses it, or a temperature is not positive."""


class NotExact(BadInput):
    """The exact domain has no normal form for this value; another domain has an answer."""


class Unmerged(BadInput):
    """The strings of a model cannot be grouped; the message names the head or the other reason."""


class Undecided(SymcookError):
    """A comparison was undecided within the stated limit. The message names it and what would decide it."""

    exit_code = 3


class Branching(Undecided):
    """A comparison depends on the symbols, so that there is no one closed form; each case has one."""


class Rejected(SymcookError):
    """A proof, a certificate or a claim was not accepted by the checker."""

    exit_code = 1

    def __str__(self) -> str:
        return self.sentence  # it may cite a formula, in which two signs are no option


def all_read(reader: str, what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """BadInput where `what` has a field that `reader` does not read: dropped without a word, it would make an answer
    about something else."""
    if unread := {*given} - {*known}:
        raise BadInput(f"{what} must have only fields that {reader} reads", min(unread))


def chosen(reader: str, what: str, word: str, known: Mapping[str, Chosen]) -> Chosen:
    """What `reader` does with a word: its entry in the table `known`; BadInput where it has none."""
    if word not in known:
        raise BadInput(f"the {what} must be one that {reader} knows", word, f"known: {', '.join(known)}")
    return known[word]


_INSTEAD = {"input": "an input", "tokens": "an input", "cases": "derive_cases", "free": "weights"}
"""Options whose argument in Python has another name, or none."""


def in_python(text: str) -> str:
    """A message about options as one about arguments.

    >>> in_python("give --max-length 12 or --set eps=1/8, or leave --dtype out; --force replaces it")
    'give max_length=12 or values={"eps": "1/8"}, or leave dtype out; force=True replaces it'
    >>> in_python("write symcook claims --search bracket")
    'write symcook claims --search bracket'
    """
    if "-" not in text:
        return text
    import re

    def argument(found: re.Match[str]) -> str:
        # One option with its value, as an argument of Python. That of a whole command line stays.
        if re.search(r"symcook [a-z-]+ $", text[: found.start()]):
            return found[0]
        option, value = found[1], found[2]
        name = _INSTEAD.get(option, option.replace("-", "_"))
        if option == "set" and value is not None:
            key, _, given = value.partition("=")
            return f'values={{"{key}": {given if given.isupper() else _quoted(given)}}}'
        if option in ("force", "yes"):
            return f"{option}=True"
        if option in ("input", "tokens", "rows", "cases") or value is None:
            return name
        return f"{name}={value if value.isdecimal() or value.isupper() else _quoted(value)}"

    value = r"(?: ((?:[^\s,;']*[0-9A-Z=/\[.][^\s,;']*[^\s,;'.]|[0-9A-Z]|'[^']*'|\"[^\"]*\"|(?:exact|ball|mpmath)\b)))?"
    text = re.sub(rf"(?<![\w-])--([a-z][a-z-]*){value}", argument, text)
    return re.sub(r"(?<![\w-])-o ([^\s,;]*\w)", r'"\1"', text)


def _quoted(value: str) -> str:
    return f'"{value.strip(chr(34) + chr(39))}"'


def _text(given: object) -> str:
    try:
        return str(given)
    except ValueError:  # Python writes no integer of more than some thousand digits
        return "a number with too many digits to print"


def _short(text: str, limit: int = 120) -> str:
    """`text` on one line, cut in the middle where it is longer than `limit` characters."""
    line = " ".join("".join(c if c.isprintable() else "?" for c in text).split())
    half = limit // 2  # the end of a path, and why it cannot be read, say as much as its beginning
    return line if len(line) <= limit else f"{line[: half - 5]} ... {line[-half:]}"


NEAR = 0.65
"""How alike (`difflib`, from 0 to 1) a name must be to be meant: m is meant by mm, json not by set."""


ELSEWHERE = {
    "causal": "future", "lens": "transformerlens", "pytorch": "torch", "end": "last", "argmax": "largest",
    "accept": "sign",
}  # fmt: skip
"""Names of other tools, with ours."""


def require_known(kind: str, name: str, valid: list[str] | tuple[str, ...]) -> None:
    """Raise `unknown` where `name` is not one of `valid`."""
    if not isinstance(name, str) or name not in valid:
        raise unknown(kind, _text(name), valid)


def unknown(kind: str, name: str, valid: list[str] | tuple[str, ...], do: str | None = None) -> BadInput:
    """A BadInput for a name that does not exist, with the nearest valid one; where none is near, with `do` or some of
    the valid ones.

    >>> print(unknown("recipe", "dyk-1", ["dyck-1", "average"]))
    the recipe must be a known name; given: dyk-1; did you mean dyck-1?
    """
    import difflib

    name = _text(name)
    bare = {word.lstrip("-"): word for word in reversed(valid)}  # all options begin alike
    folded = {word.casefold(): word for word in bare}
    looked_for = name.lstrip("-")

    def alike(text: str, words: dict[str, str]) -> list[str]:
        close = difflib.get_close_matches(text, words, n=3, cutoff=NEAR)
        return [w for w in close if difflib.SequenceMatcher(None, text, w).ratio() >= NEAR]  # it is not symmetric

    # In turn: a similar name, the same in any case, one that begins alike, what other tools call it.
    nearest = alike(looked_for, bare) or [folded[word] for word in alike(looked_for.casefold(), folded)]
    nearest = nearest or [
        w for w in bare if min(len(w), len(looked_for)) > 2 and (w.startswith(looked_for) or looked_for.startswith(w))
    ]
    if not nearest and ELSEWHERE.get(looked_for.casefold()) in bare:
        nearest = [ELSEWHERE[looked_for.casefold()]]
    # The hint: the nearest name, else what to do, else valid names.
    if nearest:
        hint = f"did you mean {bare[nearest[0]]}?"
    elif do is not None:
        hint = do
    elif len(valid) <= 12:
        hint = f"known: {', '.join(valid)}" if valid else "there is none"
    else:
        parts = {part for part in looked_for.casefold().split("-") if len(part) > 3}
        first = sorted(valid, key=lambda word: not parts & {*word.casefold().split("-")})  # what shares a word with it
        hint = f"known: {', '.join(first[:8])}, ... ({len(valid)} in all)"
    return BadInput(f"the {kind} must be a known name", name, hint)
