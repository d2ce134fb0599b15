"""Compiled S-RASP programs proved: the sentence against the interpreter, certificates by both checkers, and what must
not be proved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from shared import call, second_checker
from srasp_at_random import LETTERS, Draw

import symcook as sc
from symcook.compilers import srasp as compiler
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model import expr
from symcook.model.modelfile import to_document
from symcook.programs.shipped import shipped_program
from symcook.programs.srasp import Srasp
from symcook.programs.srasp_reading import read_srasp
from symcook.proof import replay
from symcook.proof.programs import compiledprograms
from symcook.proof.programs.linefacts import MANY, Spoken
from symcook.proof.search import automation, elaborate
from symcook.proof.search.elaborate import StepGap
from symcook.proof.statements import certify
from symcook.spec.srasp import values

PROOFS = Path(__file__).parents[2] / "proofs"
PROVED = [
    "majority.srasp",
    "dyck-1.srasp",
    "length.srasp",
    "histogram.srasp",
    "most-frequent.srasp",
    "reverse.srasp",
    "shuffle-dyck-1.srasp",
]
"""Those that are left are in tests/corpora; "two hops" below is induction-head.srasp of two letters."""
AS = "map(in(j); 'a': 1, else: 0)"
HERE = AS.replace("in(j)", "in(i)")
ORDER = """key = map(tokens; "a": 0, else: 1)
before = select(key, key, <) or select(key, key, ==) and select(indices, indices, <)
place = selector_width(before)
"""
"""As sort.srasp, of two letters."""
OPERATIONS = {
    "first": "x(i) = left j [j < i, in(j) = in(i)] in(j) : '-'",
    "next": "x(i) = left j [j > i, true] in(j) : '-'",
    "last of the rest": "x(i) = right j [j >= i, in(j) = 'a'] in(j) : '-'",
    "last behind": "x(i) = right j [j > i, in(j) = in(i)] true : false",
    "a place": "x(i) = left j [j > i, indices(j) = length(i) - 1] in(j) : 'a'",
    "sum of the rest": f"x(i) = psum j [j >= i] {AS}\ny(i) = psum j [j < i] {AS}\nout(i) = x(i) = y(i)",
    "sum after": "x(i) = psum j [j > i] map(in(j); 'a': 2, else: -1)",
    "width of truths": f"x(i) = psum j [j <= i] {AS}\np(i) = x(i) > 1\nout(i) = selector_width(p(j))",
    "width of others": "x = selector_width(not select(tokens, tokens, ==))",
    "width of some before": "x = selector_width(select(indices, indices, <) and tokens(j) = 'a')",
    "width by two cases": "x = selector_width(select(tokens, tokens, ==) and select(indices, indices, <))",
    "means of all": "x = aggregate(true, tokens == 'a')\nout = x > aggregate(true, tokens == 'b')",
    "mean of the rest": "x = 2*aggregate(select(indices, indices, >=), tokens == 'a') - 1",
    "chosen": f"x(i) = psum j [j <= i] {AS}\nout(i) = if x(i) > 2 then x(i) else indices(i)",
    "a number found": f"x(i) = psum j [j >= i] {AS}\nout(i) = left j [j > i, in(j) = 'a'] x(j) : indices(i)",
    "equal and more": f"x(i) = psum j [j <= i] {AS}\nout(i) = right j [j <= i, x(j) = x(i), in(j) = 'a'] in(j) : '-'",
    "two hops": "b(i) = right j [j < i, true] in(j) : '?'\nh(i) = right j [j <= i, b(j) = in(i)] in(j) : '?'\n"
    "out(i) = right j [j <= i, b(j) = in(i)] h(j) : '?'",
    "sorted": f'{ORDER}sorted = aggregate(select(place, indices, ==), tokens, "?")',
    "sought by counts before": f"warm(i) = psum j [j < i] {AS}\n"
    "out(i) = right j [j < i, warm(j) = warm(i)] warm(j) : 7",
    "sought by counts behind": f"m(i) = psum j [j > i] {AS}\nout(i) = left j [j > i, m(j) = m(i)] in(j) : '-'",
    "sought by what was found": f"x(i) = psum j [j < i] {AS}\nedge(i) = right j [j < i, in(j) = 'a'] x(j) : 0\n"
    "out(i) = right j [j < i, edge(j) = edge(i)] in(j) : '-'",
    "sought by what was chosen": f"x(i) = psum j [j < i] {AS}\ntimes(i) = if in(i) = 'b' then x(i) else 0\n"
    "out(i) = right j [j < i, times(j) = times(i)] in(j) : '-'",
    "found by letters here and there": f"x(i) = {HERE}\ny(i) = 1 - x(i)\n"
    "out(i) = right j [j < i, x(j) = y(i)] in(j) : '-'",
    "equal always": "x(i) = map(in(i); 'a': 0, else: 0)\nout(i) = left j [j > i, x(j) = x(i)] in(j) : '-'",
    "lines called as facts are": f"low(i) = psum j [j < i] {AS}\n"
    "found(i) = right j [j < i, low(j) = low(i)] low(j) : 7",
    "never selected": "x(i) = in(i) != in(i)\nout(i) = left j [j > i, x(j)] indices(j) : indices(i)",
    "true always": "x(i) = (in(i) = 'a') | (in(i) = 'b')",
    "many lines": f"x0(i) = {HERE}\n" + "\n".join(f"x{k}(i) = x{k - 1}(i) + 1" for k in range(1, MANY + 2)),
    "product": f"x(i) = psum j [j > i] {AS}\nout(i) = x(i) * map(in(i); 'a': 2, else: -1)",
}
"""One program an operation."""
CLOSEST = """alphabet a b c;
ones(i) = psum j [j <= i] map(in(j); "a": 1, "b": 2, else: -1)
more(i) = ones(i) - 3 >= 2*ones(i) | in(i) = "c"
last(i) = right j [j <= i, more(j)] in(j) : "-"
"""


# --- What the sentence says -------------------------------------------------------------------------------------------


def evaluated(tree: Any, given: Mapping[str, Any]) -> Any:
    """The value of a term or formula of the grammar, by a recursion of its own."""
    tag, *parts = tree
    if tag == "num":
        return Fraction(parts[0], parts[1])
    if tag == "name":
        return given[parts[0]]
    if tag == "call":
        name, arguments = parts[0], parts[1]
        return given[name][evaluated(arguments[0], given)]
    if tag == "if":
        return evaluated(parts[1 if evaluated(parts[0], given) else 2], given)
    if tag in ("sum", "all in"):
        name, low, high, body = parts
        ends = range(int(evaluated(low, given)), int(evaluated(high, given)) + 1)
        found = [evaluated(body, {**given, name: k}) for k in ends]
        return sum(found, Fraction(0)) if tag == "sum" else all(found)
    if tag == "->":
        return not evaluated(parts[0], given) or evaluated(parts[1], given)
    if tag == "&":
        return all(evaluated(part, given) for part in parts)
    if tag == "|":
        return any(evaluated(part, given) for part in parts)
    a, *rest = (evaluated(part, given) for part in parts)
    b = rest[0] if rest else None
    return {
        "~": lambda: not a, "ind": lambda: Fraction(bool(a)), "neg": lambda: -a, "+": lambda: a + b, "-": lambda: a - b,
        "*": lambda: a * b, "/": lambda: a / b, "=": lambda: a == b, "<": lambda: a < b, "<=": lambda: a <= b,
    }[tag]()  # fmt: skip


def numbered(spoken: Spoken, value: Any) -> Any:
    return spoken.codes[value] if isinstance(value, str) else Fraction(value)


def means(program: Srasp, longest: int) -> int:
    """Every equation of the sentence is true of what the interpreter finds, and of no other value at any position; the
    number of equations that were asked."""
    spoken, asked = Spoken(program, ()), 0
    equations = {number: expr.parse_formula(spoken.equation(number)) for number in spoken.names}
    for n in range(1, longest + 1):
        for word in product(program.alphabet, repeat=n):
            table = values(program, word)
            given: dict[str, Any] = {"n": n, "w": dict(enumerate((program.alphabet.index(a) for a in word), 1))}
            given |= {
                name: {i: numbered(spoken, v) for i, v in enumerate(table[number], 1)}
                for number, name in spoken.names.items()
            }
            for number, tree in equations.items():
                name = spoken.names[number]
                assert evaluated(tree, given), (spoken.equation(number), word)
                for i in range(1, n + 1):
                    other = {**given, name: {**given[name], i: given[name][i] + 1}}
                    assert not evaluated(tree, other), (spoken.equation(number), word, i)
                asked += 1
    return asked


@pytest.mark.layer_one(0, 1, 2, 4)
@pytest.mark.parametrize(
    "name", ["dyck-1", "induction-head", "histogram", "flip-flop", "length", "reverse", "shuffle-dyck-1", "sort"]
)
def test_the_equations_are_what_the_interpreter_finds(name: str) -> None:
    assert means(read_srasp(shipped_program(f"{name}.srasp")), 3)


@pytest.mark.parametrize("longest", [3, pytest.param(4, marks=pytest.mark.campaign)])
def test_the_equations_of_each_operation_are_what_the_interpreter_finds(longest: int) -> None:
    for source in OPERATIONS.values():
        assert means(read_srasp(source, ("a", "b")), longest)
    source = "x = aggregate(select(tokens, tokens, ==), indices, 7)\ny = aggregate(tokens(j) = 'a', indices, 5)"
    assert means(read_srasp(source, ("a", "b")), longest)


@pytest.mark.sweep
def test_the_equations_of_programs_drawn_at_random() -> None:
    asked = 0
    for seed in range(40):
        try:
            asked += means(read_srasp(Draw(seed, 4).text, LETTERS), 3)
        except Undecided as why:
            assert "symbols compared by order" in str(why)
    assert asked > 1000


def test_a_sentence_can_be_read() -> None:
    said = compiledprograms.sentence(sc.compile("srasp", "majority.srasp"))
    assert said == (
        "all v4:Int->Int, v5:Int->Int, ones:Int->Int, out:Int->Int. (all i in 1..n. v4(i) = I[w(i) = 1]) -> "
        "(all i in 1..n. v5(i) = if(v4(i) = 1, 1, -1)) -> (all i in 1..n. ones(i) = sum(j, 1, i, v5(j))) -> "
        "(all i in 1..n. out(i) = I[ones(i) > 0]) -> (all i in 1..n. I[accept(i)] = out(i))"
    )


# --- What is proved ---------------------------------------------------------------------------------------------------

NEEDED = 3
"""So many levels of the search prove the programs that are read wrongly below, operations and shipped ones."""


def at_needed_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right readings and wrong ones are searched as far; the last level may do more work than those before it."""
    monkeypatch.setattr(elaborate, "Elaborator", partial(elaborate.Elaborator, automation.LEVELS[:NEEDED]))


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("name", PROVED)
@pytest.mark.layer_two(every=3)
def test_shipped_programs_are_proved_and_the_second_checker_reads_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in {source for source, *_ in WRONG.values()}:
        at_needed_levels(monkeypatch)
    statement, found = compiledprograms.prove(sc.compile("srasp", name), 300)
    assert found.verdict is not None and found.certificate is not None, found.missing
    assert found.verdict.words == "PROVED" and {"defined", "inhabited"} <= set(found.certificate)
    done = second_checker(tmp_path, statement, found.certificate)
    count = 1 + len(certify.below(found.certificate))
    assert done.returncode == 0 and f"{count} PROVED" in done.stdout, done.stdout + done.stderr


@pytest.mark.sweep
def test_a_program_is_compiled_and_proved_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    code, out, err = call(capsys, "compile", "srasp", CLOSEST, "--prove", "-o", file)
    proved = "\nPROVED  on every string of at least one symbol the model answers as the program does"
    assert code == 0 and proved in out, out + err
    assert call(capsys, "prove", file)[0] == 0
    sc.compile("srasp", CLOSEST.replace(">= 2*", "> 2*")).save(file, force=True)
    assert call(capsys, "prove", file)[0] == 3  # the weights have changed


@pytest.mark.layer_one(25, 26)
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.layer_two(every=10)
def test_each_operation_is_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if OPERATIONS[name] in {source for source, *_ in WRONG.values()}:
        at_needed_levels(monkeypatch)
    _, found = compiledprograms.prove(sc.compile("srasp", OPERATIONS[name], alphabet="ab"), 300)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing


# --- What is not ------------------------------------------------------------------------------------------------------


def not_proved(model: sc.Transformer) -> bool:
    """Whether a step does not follow; that there was no time for it would say nothing."""
    try:
        _, found = compiledprograms.prove(model, 300)
    except Undecided as error:
        return re.match(r"no proof method covers [^:]+\(i\)[^:]* = ", str(error)) is not None
    return found.verdict is None and isinstance(found.missing, StepGap)


@pytest.mark.sweep
def test_a_proof_is_the_same_whatever_a_line_is_called() -> None:
    """Facts are called Times0, Times1, ... where a width has means: a line may have such a name too."""

    def proof(name: str) -> str:
        first = f'{name}(i) = if in(i) = "a" then 1 else 0\n'
        model = sc.compile("srasp", f"alphabet a b;\n{first}out = selector_width(select({name}, {name}, ==))\n")
        made = compiledprograms.prove(model)[1].certificate
        assert made is not None
        return json.dumps(made["proof"])

    assert '"Times0"' in proof("name")
    for other in ("xTimes0", "Times0"):
        assert proof(other) == proof("name").replace("name", other)


def test_a_model_that_was_changed_is_not_proved() -> None:
    model, other = sc.compile("srasp", "majority.srasp"), sc.compile("srasp", CLOSEST)
    with pytest.raises(BadInput, match="unchanged since it was compiled"):
        compiledprograms.prove(replace(other, program=model.program))


def test_the_certificate_of_another_program_is_rejected() -> None:
    """The same model and another sentence: the sum to the position before is no program of these weights."""
    model = sc.compile("srasp", "majority.srasp")
    statement, found = compiledprograms.prove(model)
    assert found.certificate is not None
    said = compiledprograms.sentence(model).replace("sum(j, 1, i,", "sum(j, 1, i - 1,")
    other = certify.claim(to_document(model), said)
    lemmas = {name: replay.statements()[name] for name in found.certificate["lemmas"]}
    forged = {**found.certificate, "statement": other.digest}
    with pytest.raises(Rejected):
        replay.judge(other, forged, lemmas)
    assert replay.judge(statement, found.certificate, lemmas)[0] == "PROVED"


WRONG = {
    "more": ("majority.srasp", "> 0", ">= 0"),
    "signs": ("majority.srasp", " = 1, 1, -1", " = 1, -1, 1"),
    "first for last": (OPERATIONS["next"], "i + 1..j - 1", "j + 1..n"),
    "with this one": (OPERATIONS["next"], "i + 1..n", "i..n"),
    "sum with this one": (OPERATIONS["sum after"], "sum(j, i + 1, n", "sum(j, i, n"),
    "a place by those after": (OPERATIONS["width of some before"], "(j - 1) < (i - 1)", "(i - 1) < (j - 1)"),
    "the place before": (OPERATIONS["a place"], "I[(i - 1)", "I[i"),
    "width before": ("histogram.srasp", "sum(j, 1, n", "sum(j, 1, i"),
    "another letter": ("most-frequent.srasp", "w(i) = 2", "w(i) = 1"),
    "a place further": ("reverse.srasp", "+ (-1)", "+ (-2)"),
    "a mean that may be 0": ("shuffle-dyck-1.srasp", "< 0", "<= 0"),
    "not chosen": ("out(i) = if in(i) = 'a' then 0 else indices(i)", "(i - 1))", "i)"),
    "factor": (OPERATIONS["product"], "1, 2, -1", "1, 3, -1"),
}


@pytest.mark.layer_one(1, 11, 12)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.layer_two(every=3)
def test_a_wrong_reading_is_not_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, said, instead = WRONG[name]
    right, changed = Spoken.equation, list[bool]()

    def wrong(self: Spoken, number: int) -> str:
        equation = right(self, number)
        changed.append(said in equation)
        return equation.replace(said, instead)

    model = sc.compile("srasp", source, alphabet=None if source.endswith(".srasp") else "ab")
    monkeypatch.setattr(Spoken, "equation", wrong)
    at_needed_levels(monkeypatch)
    assert not_proved(model)
    assert any(changed)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("fault", ["mask", "gap", "score", "index", "share"])
def test_a_construction_with_a_planted_fault_is_not_proved(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each makes a model that answers wrongly on some word, as check finds, and there is no proof of it."""
    source = "alphabet a b;\nx(i) = right j [j < i, true] in(j) : '-'\n"
    source += "out(i) = right j [j <= i, x(j) = 'a'] in(j) : '-'"
    if fault == "mask":
        source = "alphabet a b;\nout(i) = right j [j <= i, in(j) = 'a'] in(j) : '-'"
        at_needed_levels(monkeypatch)
        right = compiler.Compiled.nearest
        monkeypatch.setattr(compiler.Compiled, "nearest", lambda self, op, mask, *rest, **named: right(
            self, op, "none" if mask == "future" else mask, *rest, **named))  # fmt: skip
    elif fault == "gap":
        source, network = shipped_program("majority.srasp"), compiler.Compiled.network
        monkeypatch.setattr(compiler.Compiled, "network", lambda self, stem, said, formula: network(
            self, stem, said, formula.replace("relu(- 1 ", "relu(- 2 ") if stem == "more" else formula))  # fmt: skip
    elif fault == "score":
        scores = compiler.Compiled.selecting
        monkeypatch.setattr(compiler.Compiled, "selecting", lambda self, *rest: {
            pair: -q for pair, q in (scores(self, *rest) or {}).items()} or None)  # fmt: skip
    else:
        from symcook.compilers import values

        source = (
            shipped_program("majority.srasp") if fault == "index" else f"alphabet a b;\n{OPERATIONS['sum of the rest']}"
        )
        changed = {"index": ("inverse_before", "1/(i + 1)"), "share": ("inverse_behind", "1/(n - i + 1)")}[fault]
        monkeypatch.setitem(values.PLACES, *changed)
        at_needed_levels(monkeypatch)
    model = sc.compile("srasp", source)
    program = read_srasp(source)
    words = [word for n in range(1, 6) for word in product(program.alphabet, repeat=n)]
    answers = [[str(a) for a in values_of(program, word)] for word in words]
    assert any(model.run(list(word)).to_json()["outputs"] != a for word, a in zip(words, answers, strict=True))
    assert not_proved(model)


def values_of(program: Srasp, word: Any) -> list[Any]:
    """The outputs as a model shows them."""
    found = values(program, word)[program.output]
    return [int(one) if isinstance(one, bool) else one for one in found]


@pytest.mark.layer_one(0, 2, 3)
@pytest.mark.parametrize(
    ("source", "named"),
    [
        (
            "alphabet a b;\nx(i) = psum j [j <= i] map(in(j); 'a': 1, else: 0)\nc = selector_width(select(x, x, ==))",
            "the selector_width: c",
        ),
        (
            "alphabet a b;\nx(i) = psum j [j >= i] map(in(j); 'a': 1, else: 0)\n"
            "y(i) = left j [j > i, x(j) = x(i)] in(j) : '-'",
            "the square of x",
        ),
        ("alphabet a b;\nx = aggregate(select(tokens, tokens, ==), indices)", "this aggregate: x"),
        ("alphabet a b;\nx(i) = in(i) < 'b'", "symbols compared by order"),
    ],
)
def test_what_is_out_of_reach_is_named(source: str, named: str) -> None:
    with pytest.raises(Undecided, match="no proof method covers " + named):
        compiledprograms.prove(sc.compile("srasp", source))
