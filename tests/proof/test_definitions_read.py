"""The run of a model is a list of typed definitions, and what finds proofs reads these: fewer functions from day to day
read texts by regular expressions."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from checkout import ROOT, parsed

from symcook.model import modelfile
from symcook.model.expr import parse_term
from symcook.proof import JUDGES
from symcook.proof.definitions import DefinedRun, EmbeddingRow, HardRow, MeanRow, SoftRow, UnitsRow
from symcook.proof.runrel import Relation, stored_model
from symcook.proof.runvalues import Combination, Expressed, Score, Weighted, at_position
from symcook.recipes import build

OF_RUNS = {"proof/bridges/bridge.py": 3, "proof/statements/certify.py": 3}
"""How many functions of a file that reads runs use regular expressions: on names, proof texts and messages."""
OF_OTHER_TEXTS = {
    "coq/layout.py": 2, "coq/reading.py": 2, "coq/steps.py": 1, "coq/term.py": 1,
    "proof/audit/certificatefile.py": 1, "proof/audit/existing.py": 3, "proof/audit/folded.py": 3,
    "proof/audit/statementfiles.py": 3, "proof/families/storedtheorems.py": 1,
    "proof/families/sizeforms.py": 1,
    "proof/programs/formulas.py": 3, "proof/statements/vocabulary.py": 2, "proof/statements/secondrun.py": 6,
    "proof/statements/citations.py": 1,
    "proof/statements/reader.py": 4, "proof/statements/where.py": 1, "proof/statements/defined.py": 1,
    "proof/search/elaborate.py": 4, "proof/search/limits.py": 1,
    "proof/search/prooftext.py": 19, "proof/search/tactics.py": 1,
}  # fmt: skip
"""The same of files that read formulas, sentences, proof texts and messages. No number grows; one that falls is lowered
here."""


def patterned(source: str) -> int:
    """How many functions of a module use regular expressions; what is defined in one is a part of it."""
    tree = parsed(source)
    compiled = {
        name.id
        for node in tree.body
        if isinstance(node, ast.Assign) and "re.compile" in ast.unparse(node.value)
        for name in node.targets
        if isinstance(name, ast.Name)
    }
    blocks = (node.body if isinstance(node, ast.ClassDef) else [node] for node in tree.body)
    used = {"re", *compiled}

    def uses(part: ast.AST) -> bool:
        return isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in used

    functions = (node for block in blocks for node in block if isinstance(node, ast.FunctionDef))
    return sum(any(map(uses, ast.walk(one))) for one in functions)


def counted(package: Path) -> Counter[str]:
    """By file of proof/ and coq/ on which no status rests."""
    judging = {name.partition("/")[2] for names in JUDGES.values() for name in names}
    found = Counter[str]()
    for path in (*(package / "proof").rglob("*.py"), *(package / "coq").rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name not in judging:
            found[name] = patterned(path.read_text(encoding="utf-8"))
    return +found


@pytest.mark.sweep
def test_no_more_functions_read_texts_by_regular_expressions() -> None:
    assert counted(ROOT / "symcook") == Counter(OF_RUNS | OF_OTHER_TEXTS)


def test_a_function_with_a_pattern_is_counted_once() -> None:
    source = """
import re
_PART = re.compile("x")
def plain(): return "re.match"
def one(): return re.sub("a", "b", "c") + re.sub("b", "a", "c")
class A:
    def two(self):
        def put(found: re.Match[str]): return _PART.sub("", found[0])
        return put
"""
    assert patterned(source) == 2


def run_of(model: str) -> DefinedRun:
    return Relation(modelfile.to_document(build(model))).whole


def test_the_definitions_of_dyck_1_are_typed_and_print_its_equations() -> None:
    """Merrill, 2024: the balance is the mean of the tokens' values, the error what a ReLU keeps of it."""
    whole = run_of("dyck-1")
    token, balance, error, total = whole.definitions
    assert token.row == EmbeddingRow(tokens=(("1", 0), ("-1", 1)), position=None)
    assert isinstance(balance.row, MeanRow) and balance.row.value == Combination((Weighted("1", "token"),))
    assert isinstance(error.row, UnitsRow) and [*error.reads()] == ["balance"]
    assert isinstance(total.row, MeanRow) and (total.row.seen.low, total.row.seen.high) == ("1", "i")
    assert balance.text == "balance(i) = sum(j, 1, i, token(j))/i"
    assert whole.parts == [one.everywhere for one in whole.definitions]


def test_heads_have_their_scores() -> None:
    head = run_of("predecessor-quadratic").of["found"].row
    assert isinstance(head, HardRow) and head.ties == "average" and isinstance(head.score, Score)
    assert head.score.at("k") == "2*before(i)*index(k) + -one(i)*square(k)"
    assert [*head.score.queries()] == ["before", "one"] and [*head.score.keys()] == ["index", "square"]
    renamed = head.equation("f(i)", lambda name, place: at_position(name.upper(), place))
    assert "2*BEFORE(i)*INDEX(k)" in renamed and "index" not in renamed
    soft = run_of("first").definitions
    assert any(isinstance(one.row, SoftRow) for one in soft)


def test_every_function_that_an_equation_names_is_read() -> None:
    """The names in the text, found by looking for them, in models with norms, projections and heads of all kinds."""
    for name in ("automaton-nonstrict-parity", "parity-layernorm-surer"):
        whole = Relation(stored_model(name)).whole
        for one in whole.definitions:
            words = words_of(one.text)
            assert {*one.reads()} == words & whole.of.keys() - {one.function}, (name, one.function)


def test_of_a_term_of_a_family_every_function_is_read_that_the_grammar_does_not_have() -> None:
    term = parse_term("relu(x(i) - 2*f(i, k)) + sin(g(n))")
    assert [*Expressed(term).reads()] == ["x", "f", "g"]


def words_of(text: str) -> set[str]:
    return {word for word in "".join(x if x.isalnum() or x == "_" else " " for x in text).split()}
