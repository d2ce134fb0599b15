"""``symcook tour``: one model (dyck-1) from its residual stream to a check and the stored proofs, with closed forms of
two other recipes in between. Each step except the first is printed with its command."""

from __future__ import annotations

from typing import Any

from symcook.cli.options import Chosen, choose
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say
from symcook.locks import PRECISION

MODEL = "dyck-1"
WORD = "(())"
REJECTED = "())("
# The examples of closed forms: a recipe, and a recipe with an input; and the maximum length of the check.
ZERO_TEST, CLOSED_FORM = "eqzero", ("dyck-1-nonuniform", "(()")
LENGTH = 12
INTRODUCTION = """\
dyck-1 recognises well-nested brackets with two attention layers (Cookbook, Section 9.2.1).
It was written down, not trained: every weight is an exact number over a named coordinate."""
NEXT = """\
What to try next
  symcook show dyck-1                                  its matrices
  symcook check dyck-1 --max-length 16                 every string up to length 16
  symcook derive gtzero                                a feed-forward block in closed form
  symcook bound softmax-hardmax --n 64 --gamma 5       how close softmax is to hardmax
  symcook export dyck-1 --format npz -o dyck.npz       weights for numpy, with a certificate
  symcook claims --search dyck                         what the papers state about it
  symcook list                                         all recipes"""


@declare("tour")
def tour(*, as_json: bool) -> None:
    """Show what symcook does with one model: its residual stream, closed forms, a check and a proof."""
    from symcook.cli.prove import document, replayed, selected
    from symcook.cli.runs import check_text, run_check
    from symcook.derivation import derive
    from symcook.report.check import proved
    from symcook.report.verdict import verdict_json
    from symcook.run import run

    # Each part is printed as soon as it is computed; with --json all parts are one document at the end.
    chosen = choose(MODEL)
    runs = [run(chosen.model, word) for word in (WORD, REJECTED)]
    table = stream(chosen, WORD)
    if not as_json:
        say(INTRODUCTION)
        _section(f"The residual stream on {WORD}: a row for each coordinate, a column for each position")
        say(_table(table))
        _section("The answer is read at the last position", f"run {MODEL} --input '{WORD}'")
        say("\n".join(answer.text() for answer in runs))
    name, word = CLOSED_FORM
    derived = [derive(choose(ZERO_TEST).model), derive(choose(name).model, word)]
    if not as_json:
        _section("A zero test out of ReLUs, in closed form: for every x and every tolerance eps", f"derive {ZERO_TEST}")
        say(derived[0].text())
        _section("Brackets by two such tests: one answer for every tolerance", f"derive {name} --input '{word}'")
        say(derived[1].text())
    check = run_check(chosen, LENGTH)
    if not as_json:
        _section(f"Right on every string up to length {LENGTH}?", f"check {MODEL} --max-length {LENGTH}")
        say(check_text(chosen, check, proved(chosen.model, chosen.info.claims)))
    names, without = selected((MODEL,), None, False)
    verdicts = replayed(names)
    if as_json:
        print_json(
            {
                "recipe": MODEL,
                "stream": table,
                "runs": [answer.to_json() for answer in runs],
                "derived": [answer.to_json() for answer in derived],
                "check": check.to_json(),
                "proofs": [verdict_json(verdict) for verdict in verdicts],
            }
        )
        return
    _section("And for all lengths? The small checker replays the stored proofs", f"prove {MODEL}")
    say(document(verdicts, without).text())
    say()
    say(NEXT)


def stream(chosen: Chosen, word: str) -> dict[str, Any]:
    """The exact values of each coordinate at each position after the last layer, as text, and the tokens of the
    string."""
    from symcook.domains import make_domain
    from symcook.forward import forward

    domain: Any = make_domain("exact")
    result = forward(chosen.model, chosen.model.tokens(word), domain, trace=True)
    with PRECISION, domain.context():
        return {
            "tokens": list(word),
            "coordinates": {
                name: [domain.show(domain.read(column, place), 30) for place in result.everywhere]
                for name, column in result.stream.items()
            },
        }


def _table(table: dict[str, Any]) -> str:
    """The residual stream as text: a row for each coordinate, a column for each position."""
    from symcook.report.document import table as draw

    header = ["position", *(f"{p}: {token}" for p, token in enumerate(table["tokens"], 1))]
    return draw(header, [[name, *values] for name, values in table["coordinates"].items()])


def _section(title: str, line: str = "") -> None:
    """Print a heading, and under it the command that prints the same content (`line`, without "symcook")."""
    say(f"\n{title}" if not line else f"\n{title}\n  symcook {line}")
    say()
