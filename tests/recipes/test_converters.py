"""The statements about converters cover all pairs of rows of Table 4: one that denies where the recipe refuses, and the
stored network of the recipe everywhere else. What false and true are is written here from the table.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest
from families import together

from symcook.errors import BadInput, Rejected
from symcook.model.modelfile import dumps
from symcook.proof import kernel
from symcook.proof.replay import proofs_directory, statements
from symcook.recipes import build

FALSE_TRUE = {
    "closed": ("F <= 0", "0 < F"),
    "zero-one": ("F = 0", "F = 1"),
    "signs": ("F = -1", "F = 1"),
    "open": ("F < 0", "0 < F"),
    "zero-or-more": ("F = 0", "1 <= F"),
    "pair": ("F = -1 & G = 1", "F = 1 & G = -1"),
    "pair-delta": ("F < 0 & G = -F", "0 < F & G = -F"),
}
"""F is the number, or the first of two; G the second."""
NETWORK = {"closed": "zero-one", "zero-or-more": "zero-one", "open": "signs", "pair-delta": "pair"}
"""Of several rows that one network reaches, the one that its file is named for."""


def written(representation: str, first: str, second: str) -> tuple[str, str]:
    false, true = FALSE_TRUE[representation]
    return tuple(one.replace("F", first).replace("G", second) for one in (false, true))  # type: ignore[return-value]


def denial(given: str, wanted: str) -> str:
    """That no f (and g) takes false to false and true to true; pair-delta as given is the line (x, -x)."""
    place = "(x, -x)" if given == "pair-delta" else "(x)"
    low, high = ("x < 0", "0 < x") if given == "pair-delta" else written(given, "x", "")
    false, true = written(wanted, f"f{place}", f"g{place}")
    return f"~((all x:Real. {low} -> {false}) & (all x:Real. {high} -> {true}))"


def refused(given: str, wanted: str) -> str | None:
    """The statement that the recipe names where it refuses."""
    try:
        build("convert-boolean", given=given, wanted=wanted)
    except BadInput as error:
        return next(word for word in str(error).split() if word.startswith("lem."))
    return None


PAIRS = list(itertools.product(FALSE_TRUE, repeat=2))


@together(("given", "wanted"), PAIRS)
def test_each_pair_rests_on_a_statement(given: str, wanted: str) -> None:
    name = refused(given, wanted)
    if name is not None:
        assert name == f"lem.no_converter_{given.replace('-', '_')}"
        assert denial(given, wanted) in " ".join(statements()[name].text.split())
        return
    keeps = given in ("closed", "open", "pair-delta")
    row = "pair-delta" if keeps and wanted == "pair-delta" else "open" if keeps else NETWORK.get(wanted, wanted)
    source = "open" if given == "closed" else given
    stored = json.loads((proofs_directory() / "models" / f"convert-{source}-{row}.json").read_text(encoding="ascii"))
    made = json.loads(dumps(build("convert-boolean", given=given, wanted=wanted)))
    assert {**made, "name": stored["name"]} == stored
    text = " ".join(statements()[f"lem.converters_{source.replace('-', '_')}"].text.split())
    assert f"run(convert-{source}-{row})" in text


def test_no_pair_is_denied_that_has_a_converter() -> None:
    denied = {name: statements()[name].text.count("~(") for name in statements() if name.startswith("lem.no_converter")}
    assert denied == {"lem.no_converter_closed": 6, "lem.no_converter_open": 4, "lem.no_converter_pair_delta": 4}
    assert sum(refused(*pair) is not None for pair in PAIRS) == 14


@pytest.mark.parametrize(
    ("name", "premise"),
    [("lem.no_converter_open", "continuousat(f, 0)"), ("lem.no_converter_pair_delta", "continuousat(x. f(x, -x), 0)")],
)
def test_a_step_is_continuous_elsewhere(name: str, premise: str) -> None:
    """The step at 0 is a converter that is continuous at 1, so that the denials fail of it; their proof needs the 0."""
    stored = statements()[name]
    proof = json.loads((proofs_directory() / "certificates" / f"{name}.json").read_text(encoding="ascii"))["proof"]
    lemma = {"lem:no_jump": statements()["lem.no_jump"].formula}
    kernel.check(stored.formula, proof, lemmas=lemma, known=stored.known)
    changed = replace(stored, written=stored.text.replace(premise, premise.replace(", 0)", ", 1)")))
    assert changed.text != stored.text
    with pytest.raises(Rejected):
        kernel.check(changed.formula, proof, lemmas=lemma, known=stored.known)
