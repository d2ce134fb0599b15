"""``hardsoft``: a soft model for an average-hard one, and how cold it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from symcook.cli.options import LENGTH, Force, Name, Settings, choose, need_values, option
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, say, say_or_json
from symcook.errors import BadInput


@declare("hardsoft", "symcook hardsoft induction-most-recent --error 1/4 --max-length 4 -o soft.json")
def hardsoft(
    *,
    name: Name,
    error: Annotated[
        str, option("What every position may be off, an expression in n; the sum over coordinates.", "EXPR")
    ],
    gap: Annotated[str | None, option("A gap of the scores, an expression in n, in place of what is found.", "EXPR")],
    max_length: Annotated[int, option("Words of up to N symbols are run (6).", "N", LENGTH)] = 6,
    target: Annotated[str | None, option("Write the soft model.", "FILE", None, "-o", "--output")] = None,
    settings: Settings,
    force: Force,
    as_json: bool,
) -> int:
    """Make average-hard attention soft, within an error at every position, and say how cold it must be.

    Leftmost and rightmost heads are made average-hard first, by a term in i/n below their gap. On all words of up to N
    symbols the hard model is run exactly: the least gap of its scores, the greatest entries before each layer, the
    constants of Lemmas 25 and 28 to 33 of Yang et al. (2026). By length there is the temperature of Theorem 26, that by
    constants of the layers, which the soft model has, and the one that is needed; the error of the soft model is
    certified in balls. Exit 1 where --gap is more than a word has.
    """
    from symcook.bounds.hardsoft import hardsoft as made
    from symcook.files import vacant
    from symcook.model.modelfile import save

    if force and target is None:
        raise BadInput("--force must come with -o FILE", "none", "leave it out")
    if target is not None:
        vacant(Path(target), force)
    chosen = choose(name, settings)
    need_values(chosen)
    with Progress(f"hardsoft {name}") as progress:
        found = made(chosen.model.bind(chosen.values), error, gap, max_length, progress=progress)
    if target is not None and found.soft is not None:
        target = str(save(found.soft, target, force=force))
    say_or_json(as_json, found.to_json, found.text)
    if target is not None and found.soft is not None and not as_json:
        say(f"wrote {target}")
    return 0 if found.fails is None else 1
