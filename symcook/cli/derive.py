"""``symcook derive``."""

from __future__ import annotations

from symcook.cli.options import (
    choose,
    input_hint,
    input_options,
    name_argument,
    read_input,
    settings_option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say
from symcook.errors import BadInput


@declare("derive")
@name_argument
@input_options
@settings_option
def command(
    name: str, word: str | None, tokens: str | None, rows: str | None, settings: tuple[str, ...], as_json: bool
) -> None:
    """Derive closed forms of the outputs, in every symbol that is not set.

    A feed-forward recipe is derived in its inputs; a model of sequences needs one input.
    """
    from symcook.derive import derive

    chosen = choose(name, settings)
    given = read_input(chosen, word, tokens, rows)
    if given is None and not chosen.pointwise:
        raise BadInput(f"a closed form of {chosen.name} must be for one input", "none", input_hint(chosen))
    answer = derive(chosen.model, given, values=chosen.values)
    if as_json:
        print_json(answer.to_json())
    else:
        say(answer.text())
