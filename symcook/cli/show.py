"""``symcook show``."""

from __future__ import annotations

from symcook.cli.families import path_of, read
from symcook.cli.options import check_latex, choose, latex_options, name_argument, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import say


@declare("show", "symcook show dyck-1")
@name_argument
@settings_option
@latex_options
def command(name: str, settings: tuple[str, ...], latex: bool, document: bool, as_json: bool) -> None:
    """Show the matrices, coordinates, symbols and region of a recipe or model file.

    A family without --set is shown as mathematics: what its runs satisfy at all sizes. With --json: the model file.
    """
    check_latex(latex, document, as_json)
    if not settings and (path := path_of(name)) is not None and not as_json and not document:
        from symcook.report import family

        say((family.latex if latex else family.text)(read(path)))
        return
    chosen = choose(name, settings)
    model = chosen.bound()
    if as_json:
        from symcook.model.modelfile import dumps

        say(dumps(model).rstrip("\n"))
        return
    if latex:
        say(model.latex(document))
        return
    say(model.text())
    if chosen.info is not None:
        from symcook.recipes import error, region

        off, inside = error(name, **chosen.arguments), region(name, **chosen.arguments)
        where = "where" if chosen.info.largest or inside == "true" else "at least where"
        say(f"Exact {where}: {inside}" if off == "0" else f"Within {off} where: {inside}")
