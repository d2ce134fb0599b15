"""What `derive` prints is what `prove` reads: each line is a statement, which is true of short strings. All recipes and
200 models at random are in `sweep_said_lines.py`."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from forms_said import compared
from net import CORPORA, models
from odd_names import drawn
from said_lines import accepted, formed, lines

import symcook as sc
from symcook.domains.spelling import OWN_NAMES, WORDS
from symcook.errors import SymcookError
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of
from symcook.report.closed import text


@pytest.mark.parametrize("name", ["count", "first-position", "dyck-1", "lookup-quadratic", "attention-identity"])
def test_the_lines_of_a_recipe(name: str) -> None:
    found = formed(sc.build(name))
    assert found is not None
    many, lengths = accepted(found)
    assert many and lengths >= many


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize("seed", [3, 6, 12, 19, 22])
def test_the_lines_of_a_model_with_odd_names(seed: int) -> None:
    found = formed(drawn(seed))
    assert found is not None and accepted(found)[0]


def test_each_indented_line_of_the_text_is_a_statement() -> None:
    found = formed(sc.build("first"))
    assert found is not None
    printed = [line[2:] for line in text(found).splitlines() if line.startswith("  ")]
    assert printed == lines(found) and any("logit = exp(c)/" in line for line in printed)
    documents = found.to_json()
    told = [line for document in documents for line in document["lines"]] + documents[0]["way_lines"]
    assert [*dict.fromkeys(told)] == printed


def test_long_values_are_defined_behind_the_statement() -> None:
    found = formed(sc.build("first-layernorm"))
    assert found is not None
    (line, *_) = [line for line in found.forms[0].lines if " where r1 := " in line]
    document = document_of(found.model, {})
    assert "r1" not in certify.claim(document, line).text
    with pytest.raises(SymcookError, match=r"the name 'r\d' is unknown"):
        certify.claim(document, line.partition(" where ")[0])


@pytest.mark.layer_one(1, 2, 3, 4, 5, 6)
@pytest.mark.parametrize("name", ["j", "k", "w", "c", "logit", "here", "accept", "odd"])
def test_symbols_of_any_name(name: str) -> None:
    b = sc.Builder(
        words={"a": {"v": 1}, "b": {"v": -1}}, positions={"one": "1"},
        parameters=[sc.Parameter(name, lower=0, lower_open=True)],
    )  # fmt: skip
    b.add(sc.head(value={"m": f"{name}*one + v"}, symbols=[name], mask="causal"))
    b.readout("sign", "last", "m", weights=[1])
    found = formed(b.build("m"))
    assert found is not None and accepted(found)[0]
    assert name in ("logit", "accept") or compared(found, 2, {name: 2})[1] > 10
    (line, *_) = lines(found)
    assert (f'"{name}"' if name in WORDS | OWN_NAMES else name) in line


def expansions(rows: list[Any]) -> str:
    """A digest of the formal statements of claims."""
    said = (certify.claim(models()[row["asks"]["model"]], row["asks"]["statement"]).expanded for row in rows)
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def corpus() -> list[Any]:
    """The claims that were read when the corpus was made."""
    lines = (CORPORA / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["verdict"] != "REFUSED"]


def test_statements_mean_what_they_meant() -> None:
    """The digest was made before statements had logit, where, counts up to a position, and symbols."""
    assert expansions(corpus()[::12]) == "cf7d219ac98d4bbb0394647dde5b6b5dfda1c226730d85fbfaeca9f2b55643de"
