"""One exception tree; each class knows the exit code that the command line gives it."""


class SymcookError(Exception):
    """Base of every error that symcook raises on purpose. Seen bare, it is a defect of ours."""

    exit_code = 4


class BadInput(SymcookError):
    """What was given cannot be used. The message says what must hold, what was given and what to do."""

    exit_code = 2

    def __init__(self, must: str, given: object = None, do: str | None = None) -> None:
        self.must, self.given, self.do = must, given, do
        parts = [must]
        if given is not None:
            text = _text(given)
            parts.append(f"given: {_short(text) or ('white space' if text else 'nothing')}")
        if do is not None:
            parts.append(do)
        text = "; ".join(parts)
        super().__init__(text if text.endswith("?") else text + ".")


class NoRun(BadInput):
    """The model has no run on this input: at some position a norm refuses it, or a temperature is not positive."""


class NotExact(BadInput):
    """The exact domain has no normal form for this value; another domain has an answer."""


class Undecided(SymcookError):
    """A comparison stayed open within the stated limit. The message names it and what would settle it."""

    exit_code = 3


class Branching(Undecided):
    """A comparison depends on the symbols, so that there is no one closed form; each case has one."""


class Rejected(SymcookError):
    """A proof, a certificate or a claim was not accepted by the checker."""

    exit_code = 1


def _text(given: object) -> str:
    try:
        return str(given)
    except ValueError:  # Python writes no integer of more than some thousand digits
        return "a number with too many digits to print"


def _short(text: str, limit: int = 120) -> str:
    """`text` on one line, cut in the middle where it is longer than `limit` characters."""
    line = " ".join("".join(c if c.isprintable() else "?" for c in text).split())
    return line if len(line) <= limit else f"{line[: limit - 20]} ... {line[-15:]}"


def require_known(kind: str, name: str, valid: "list[str] | tuple[str, ...]") -> None:
    """Raise `unknown` where `name` is not one of `valid`."""
    if not isinstance(name, str) or name not in valid:
        raise unknown(kind, _text(name), valid)


def unknown(kind: str, name: str, valid: "list[str] | tuple[str, ...]") -> BadInput:
    """A BadInput for a name that does not exist, with the nearest valid one.

    >>> print(unknown("recipe", "dyk-1", ["dyck-1", "average"]))
    the recipe must be a known name; given: dyk-1; did you mean dyck-1?
    """
    import difflib

    folded = {word.casefold(): word for word in reversed(valid)}
    near = difflib.get_close_matches(name, valid, n=1, cutoff=0.5) or [
        folded[word] for word in difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    ]
    if near:
        hint = f"did you mean {near[0]}?"
    elif len(valid) <= 12:
        hint = f"known: {', '.join(valid)}" if valid else "there is none"
    else:
        hint = f"known: {', '.join(valid[:8])}, ... ({len(valid)} in all)"
    return BadInput(f"the {kind} must be a known name", name, hint)
