"""The one shape of answers: `holds`, `status`, `counterexample`, `why`, `to_json`, text, HTML, LaTeX, and `bool`.

The classes are found by looking: each class of the package that descends from `Reply` must have an instance here, and
each public question must return one of them, or a model, a path or a list of these.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.bounds import KINDS
from symcook.errors import BadInput
from symcook.model.answers import Reply, Several
from symcook.questions import QUESTIONS

PACKAGE = Path(sc.__file__).parent
CLASS = re.compile(r"^class (\w+)\(([^)]*)\):", re.M)
NO_ANSWERS = {"Transformer", "FeedForward", "Head", "Path", "list", "SeveralRuns", "Page"}
"""What a public function may return that is no answer: models and their parts, paths, and lists of answers."""


@functools.cache
def votes(mask: str = "causal") -> sc.Transformer:
    """More a's than b's, with a mask, a sign readout and no special token."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = b.add(sc.head(value={"mean": "vote"}, mask=mask))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("votes")


def starts(weighting: str = "softmax") -> sc.Transformer:
    """Accepts what begins with CLS, which is every string, also the empty one; a head whose scores differ by 2."""
    embedding = sc.Embedding(sc.Space(("one", "cls")), {"a": {"one": 1}, "CLS": {"cls": 1}}, start=0, before="CLS")
    head = sc.Head(("one", "cls"), ("one",), Q=[[1, 2]], K=[[0, 1]], V=[[1, 0]], weighting=weighting)
    readout = sc.Readout("sign", "first", ("cls",), [[1]])
    return sc.Transformer("starts", embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)


def undecided() -> Any:
    """A run in intervals whose logit is 0, as a difference of two terms that no precision tells apart."""
    space = sc.Space(("x", "y", "z"))
    block = sc.FeedForward(("x", "y"), ("z",), [[1, -1]], [0], [[1]], [0])
    readout = sc.Readout("sign", "last", ("z",), weights=[[1]])
    model = sc.Transformer("less", sc.Embedding(space, inputs=("x", "y")), (sc.Layer(None, block),), readout)
    return model.run({"x": EQUAL[0], "y": EQUAL[1]}, "ball")


def more(string: str) -> bool:
    return string.count("a") > string.count("b")


def verified(folder: Path) -> Any:
    votes().export(folder / "votes.npz", max_length=2)
    return sc.verify_export(folder / "votes.npz")


def verdict(status: str) -> Any:
    from symcook.proof.audit.shownverdict import ShownVerdict

    return ShownVerdict("lem.sum_ext", status)


def checked(**fields: Any) -> Any:
    return replace(votes().check(more, 2), **fields)


def bound(**fields: Any) -> Any:
    return replace(sc.bound("softmax-hardmax", n=4, gamma=5, digits=5), **fields)


def swept(**fields: Any) -> Any:
    return replace(sc.bound("softmax-hardmax", n=[4], gamma=5, digits=5), **fields)


def hardsoft(gap: str | None = None) -> Any:
    return starts("average").hardsoft("1/4", gap, max_length=1)


def decision(against: str | None, **fields: Any) -> Any:
    return replace(sc.build("dyck-1-2").decide(against), **fields)


def proof(statement: str, **fields: Any) -> Any:
    return replace(votes().prove(statement), **fields)


def difference(**fields: Any) -> Any:
    return replace(votes().diff(votes(), 2), **fields)


EQUAL = ("log(6)", "log(2) + log(3)")
"""Two texts of one number."""
Sample = tuple[Callable[[Path], Any], bool | None, str, str | None]
SAMPLES: dict[str, list[Sample]] = {
    "Run": [
        (lambda _: votes().run("aab"), True, "ACCEPT", None),
        (lambda _: votes().run("b"), False, "REJECT", None),
        (lambda _: starts().run(""), True, "ACCEPT", None),
        (lambda _: sc.build("max").run({"x": 1, "y": 2}), None, "COMPUTED", None),
        (lambda _: undecided(), None, "OPEN", None),
    ],
    "Check": [
        (lambda _: votes().check(more, 3), True, "AGREES", None),
        (lambda _: votes().check(lambda string: False, 3), False, "DIFFERS", "a"),
        (lambda _: starts().check(lambda string: False, 1), False, "DIFFERS", ""),
        (lambda _: checked(open=1, first_open="b"), None, "OPEN", None),
    ],
    "Decision": [
        (lambda _: decision(r"(\((\(\))*\))*"), True, "DECIDED", None),
        (lambda _: decision(r"(\(\))*"), False, "DECIDED", "(())"),
        (lambda _: decision(None), None, "DECIDED", None),
        (lambda _: decision(None, verdict="open", why="no time"), None, "OPEN", None),
        (lambda _: decision(None, verdict="refused", why="a softmax head"), None, "REFUSED", None),
    ],
    "ProofAnswer": [
        (lambda _: proof("accept <-> count(a) > count(b)"), True, "PROVED", None),
        (lambda _: proof("count(a) <= 1"), False, "REFUTED", "aa"),
        (lambda _: proof("1 <= n", status="OPEN", why="decided true by counts"), None, "OPEN", None),
    ],
    "Diff": [
        (lambda _: difference(), True, "SAME", None),
        (lambda _: votes().diff(votes(mask="none"), 2), False, "DIFFERENT", "ab"),
        (lambda _: difference(structure=("they differ in their names",)), False, "DIFFERENT", None),
        (lambda _: difference(open=1), None, "OPEN", None),
    ],
    "Derivation": [
        (lambda _: sc.build("gtzero").derive(), None, "DERIVED", None),
        (lambda _: sc.build("sign-norm").derive(), None, "DERIVED", None),
    ],
    "ClosedForm": [(lambda _: votes().derive().forms[0], None, "DERIVED", None)],
    "EveryLength": [
        (lambda _: votes().derive(), None, "DERIVED", None),
        (lambda _: votes().derive().prove(), None, "PROVED", None),
    ],
    "Bound": [
        (lambda _: bound(), True, "HOLDS", None),
        (lambda _: bound(holds=False), False, "FAILS", "n = 4, gamma = 5, ties = false"),
        (lambda _: bound(holds=None), None, "OPEN", None),
        (lambda _: bound(holds=None, claimed=None), None, "COMPUTED", None),
    ],
    "SymbolicBound": [
        (lambda _: sc.bound("softmax-hardmax", n="n", gamma=5), True, "PROVED", None),
        (lambda _: sc.bound("temperature", n="n", gamma=5), None, "OPEN", None),
    ],
    "Sweep": [
        (lambda _: sc.bound("softmax-hardmax", n=[1, 4], gamma=5, digits=5), True, "HOLDS", None),
        (lambda _: sc.bound("table-lookup", over="gamma=1/10:1/5:2"), False, "FAILS", "gamma = 0.1"),
        (lambda _: swept(answers=(bound(claimed=None),)), None, "COMPUTED", None),
    ],
    "WeightArrays": [(lambda _: votes().arrays(max_length=2), None, "COMPUTED", None)],
    "HardSoft": [
        (lambda _: hardsoft(), None, "CHECKED 1", None),
        (lambda _: hardsoft(gap="1/2"), True, "CHECKED 1", None),
        (lambda _: hardsoft(gap="100"), False, "REFUTED", "a"),
    ],
    "Attribution": [(lambda _: votes().run("aab").attribution(), None, "COMPUTED", None)],
    "Answer": [(lambda _: votes().margin(2), None, "COMPUTED", None)],
    "Exported": [
        (lambda folder: votes().export(folder / "votes.npz", max_length=2), None, "EXPORTED", None),
        (lambda folder: verified(folder), True, "VERIFIED", None),
    ],
    "ShownVerdict": [
        (lambda _: sc.prove("lem.sum_ext")[0], True, "PROVED", None),
        (lambda _: verdict("REFUTED"), False, "REFUTED", None),
        (lambda _: verdict("CORRECTED"), False, "CORRECTED", None),
        (lambda _: verdict("OPEN"), None, "OPEN", None),
    ],
    "Several": [
        (lambda _: sc.derive_cases(sc.build("min")), None, "DERIVED", None),
        (lambda _: sc.prove("lem.sum_ext"), True, "PROVED", None),
        (lambda _: Several([verdict("PROVED"), verdict("OPEN"), verdict("REFUTED")]), False, "REFUTED", None),
        (lambda _: Several([verdict("PROVED"), verdict("OPEN")]), None, "OPEN", None),
        (lambda _: Several([]), None, "NONE", None),
    ],
}
"""{class: [(how to make an answer in a folder, `holds`, `status`, `counterexample`)]}."""


def classes() -> set[str]:
    """The classes of the package that descend from `Reply`, read from the sources, so that nothing is imported."""
    bases = {
        name: set(re.findall(r"\w+", re.sub(r"\[.*?\]", "", parents)))
        for file in PACKAGE.rglob("*.py")
        for name, parents in CLASS.findall(file.read_text(encoding="utf-8"))
    }
    found = {"Reply"}
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return found - {"Reply"}


def test_every_class_of_answers_has_a_sample() -> None:
    assert classes() == set(SAMPLES)


def public() -> dict[str, str]:
    """{public function: its return annotation}, of models, of the package, of kinds of bounds and of questions."""
    homes = dict(sc.VERBS) | {name: f"symcook.{sc._HOME[name]}:{name}" for name in sc.__all__}
    homes |= {f"bound {name}": kind.home for name, kind in KINDS.items()}
    homes |= {question.name: question.home for question in QUESTIONS.values()}
    return {name: text for name, home in homes.items() if (text := returned(home)) is not None}


def returned(home: str) -> str | None:
    """The return annotation of the function "module:name", read from its source; None for a class."""
    module, _, name = home.partition(":")
    file = PACKAGE.joinpath(*module.split(".")[1:])
    source = (file / "__init__.py" if file.is_dir() else file.with_suffix(".py")).read_text(encoding="utf-8")
    found = re.findall(rf"^def {name}\(.*?\) -> ([^:\n]+):", source, re.M | re.S)
    assert found or name[0].isupper(), home
    return found[-1] if found else None


@pytest.mark.sweep
def test_every_public_function_returns_an_answer_or_a_model() -> None:
    returns = {name: set(re.findall(r"\w+", text)) for name, text in public().items()}
    assert {"run", "check", "decide", "prove", "diff", "export", "verify_export", "margin", "derive"} <= set(returns)
    assert {name: odd for name, names in returns.items() if (odd := names - classes() - NO_ANSWERS)} == {}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_shape_of_an_answer(name: str, tmp_path: Path) -> None:
    for number, (make, holds, status, counterexample) in enumerate(SAMPLES[name]):
        folder = tmp_path / str(number)
        folder.mkdir()
        answer = make(folder)
        assert isinstance(answer, Reply) and type(answer).__name__ == name
        assert (answer.holds, answer.status, answer.counterexample) == (holds, status, counterexample), answer
        assert answer.why is None or (isinstance(answer.why, str) and answer.why), answer
        json.dumps(answer.to_json(), allow_nan=False)
        assert answer.text() or status == "NONE"
        assert isinstance(answer.latex(), str)
        assert answer._repr_html_().startswith("<div") and repr(answer) and "object at 0x" not in repr(answer)
        # The truth value is `holds`, and a sentence where this is neither True nor False.
        if holds is None:
            for ask in (bool, lambda value: not value, lambda value: value or 1, lambda value: all([value])):
                with pytest.raises(BadInput, match=f"only an answer that is yes or no.*{status}.*holds"):
                    ask(answer)
        else:
            assert bool(answer) is holds
        assert answer is not None and [answer].count(answer) == 1


def test_only_the_shared_base_has_a_truth_value() -> None:
    for name in classes():
        answer_class = next(one for one in every_subclass(Reply) if one.__name__ == name)
        assert "__bool__" not in vars(answer_class), name


def every_subclass(base: type) -> set[type]:
    return {base, *(deeper for one in base.__subclasses__() for deeper in every_subclass(one))}


def test_an_export_is_read_by_subscript(tmp_path: Path) -> None:
    exported = votes().export(tmp_path / "votes.npz", max_length=2)
    assert exported["guaranteed"]["length"] == 2 and "compared" in exported and len(exported) == len(dict(exported))
    assert {**exported} == json.loads((tmp_path / "votes.certificate.json").read_text()) == exported
    assert exported.to_json()["certificate"] == str(tmp_path / "votes.certificate.json")
    assert exported.text().startswith(f"wrote {tmp_path / 'votes.npz'} and ")
    checked_again = sc.verify_export(tmp_path / "votes.npz")
    assert checked_again.holds is True and checked_again["not_checked"] == {}
    assert checked_again.text().startswith("the certificate holds: votes.npz has the unchanged float64 weights of v")
