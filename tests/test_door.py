"""Plain mistakes in Python: a sentence about arguments, never an error of Python's from inside, never an option."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import TESTS
from families import together

import symcook
from symcook.door import door
from symcook.errors import in_python

sc: Any = symcook  # a type checker would see these mistakes too
spec = importlib.util.spec_from_file_location("wrong_arguments", TESTS / "attacks" / "wrong_arguments.py")
assert spec is not None and spec.loader is not None
attack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(attack)

PLAIN: dict[str, tuple[Callable[[], Any], str]] = {
    "a name for a model": (lambda: sc.derive("gtzero"), "must be a Transformer; given: 'gtzero'; write build("),
    "a file for a model": (lambda: sc.derive("m.json"), 'write load("m.json")'),
    "a number for a string": (lambda: sc.build("dyck-1").run(5), "must be text, or a list of tokens; given: 5"),
    "a number for an id": (lambda: sc.prove(5), "must be names, each an argument for itself; given: 5"),
    "a number for a path": (lambda: sc.load(5), "path of load must be text or a path; given: 5"),
    "no path": (lambda: sc.verify_export(None), "path of verify_export must be text or a path; given: None"),
    "a bound without gamma": (lambda: sc.bound("softmax-hardmax", n=64), "softmax-hardmax must be given gamma"),
    "a name for a value": (lambda: sc.head(value="mean"), "value of head must be a mapping"),
    "no specification": (lambda: sc.build("dyck-1").check(max_length=5), "recipes.reference(NAME)"),
    "no weights": (lambda: sc.from_state_dict({}), "from_state_dict must be given vocabulary"),
    "no such argument": (lambda: sc.build("dyck-1").margin(3, longest=3), "argument of margin must be a known name"),
    "too many": (lambda: sc.build("dyck-1").bind({}, True), "at most 1 argument without a name"),
    "a length": (lambda: sc.build("dyck-1").margin(0), "give max_length=N"),
    "no ending": (lambda: sc.build("dyck-1").export("m"), 'give "m.npz"'),
    "a symbol twice": (lambda: sc.build("parity").bind({"c": 1}, c=2), "one value; given: c twice"),
    "a class without arguments": (lambda: sc.Head(), "Head must be given reads"),
    "rows": (lambda: sc.build("gtzero").run("x", values={"eps": 1}), 'given: x; write [{"x": ...}]'),
}  # fmt: skip


@together("case", list(PLAIN))
def test_a_plain_mistake_has_a_sentence(case: str) -> None:
    call, said = PLAIN[case]
    with pytest.raises(sc.BadInput) as refused:
        call()
    assert said in str(refused.value) and "--" not in str(refused.value)


def test_words_may_be_a_list_of_tokens() -> None:
    """As the docstring of Embedding says; the oracle is the same model from a mapping, and a count by hand."""
    models = []
    for words in (["a", "b"], ("a", "b"), "ab", {"a": {"a": 1}, "b": {"b": 1}}):
        b = sc.Builder(words=words)
        b.attention(("ma", "mb"), ("a", "b"))
        b.readout("sign", "last", ("ma", "mb"), weights=[1, -1])
        models.append(b.build("m"))
    assert all(model == models[0] for model in models)
    for word in ("a", "ab", "aab", "abb"):
        assert models[0](word).accept is (word.count("a") > word.count("b"))


def test_symbols_are_bound_by_name_too() -> None:
    parity = sc.build("parity")
    assert parity.bind(c=4) == parity.bind({"c": 4}) != parity.bind(c=5)


def test_the_command_line_says_options_and_python_arguments() -> None:
    with pytest.raises(sc.BadInput) as refused:
        sc.build("dyck-1").margin(0)
    assert refused.value.sentence.endswith("give --max-length N.") and str(refused.value).endswith("max_length=N.")
    assert refused.value.to_json()["do"] == "give --max-length N"
    with pytest.raises(sc.BadInput, match="given: --max-length"):  # what was given stays as it was
        sc.build("--max-length")


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("give --delta 1/1000, --dtype float32, or both", 'give delta="1/1000", dtype="float32", or both'),
        ("give for example --free 'L1.head1.V[1,1]'", 'give for example weights="L1.head1.V[1,1]"'),
        ("leave --n out", "leave n out"),
        ("give --set c=VALUE with 0 < c", 'give values={"c": VALUE} with 0 < c'),
        ("use --dtype float16, or --format torch, npz", 'use dtype="float16", or format torch, npz'),
        ("a - -b and a--b", "a - -b and a--b"),
        ("give -o m.onnx", 'give "m.onnx"'),
    ],
)
def test_an_option_as_an_argument(option: str, argument: str) -> None:
    assert in_python(option) == argument


def test_a_door_keeps_what_it_guards() -> None:
    @door()
    def guarded(first: int, *, second: str = "s") -> str:
        """Says both."""
        return f"{first}{second}"

    named: Any = guarded

    assert named(1, second="t") == "1t" and named.__doc__ == "Says both." and named.__name__ == "guarded"
    for bad in (lambda: named(True), lambda: named(1, second=None), lambda: named(1, 2), lambda: named(1, first=1)):
        with pytest.raises(sc.BadInput):
            bad()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return attack.calls(tmp_path_factory.mktemp("arguments"))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("part", range(8))
@pytest.mark.layer_two(every=2)
def test_every_argument_replaced(
    part: int, table: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An answer or an error of symcook, whatever stands in the place of an argument."""
    monkeypatch.chdir(tmp_path)
    names = list(table)[part::8]
    ended = [(n, *row) for n in names for row in attack.bad(table, n)]
    assert len(ended) > 300 and [row for row in ended if row[3] is not None] == []


def test_the_attack_sees_a_fault() -> None:
    assert attack.outcome(lambda n: n + 1, {"n": "x"}) is not None
    assert attack.outcome(lambda n: n + 1, {"n": 1}) is None
