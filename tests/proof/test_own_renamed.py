"""Statements about the run on a renamed string: renamed(a->b, b->a).accept, with the model's own runs as the truth."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from proof.statement_truth import program
from shared import call, document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs

SWAP = "renamed(a->b, b->a)"


def votes(order: str = "abc", c: int = 0, b: int = -1, start: int = 1, **ends: str) -> sc.Transformer:
    """Accepts where the mean of a = 1, `b` and `c` is above 0."""
    values = {"a": 1, "b": b, "c": c}
    words: dict[str, dict[str, Any]] = {end: {} for end in ends.values()}
    words |= {symbol: {"vote": values[symbol]} for symbol in order}
    made = sc.Builder(words=words, start=start, **ends)
    mean = made.add(sc.head(value={"mean": "vote"}, mask="none"))
    made.readout("sign", "last", mean, weights=[1])
    return made.build("votes")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("model, sentence, status, word", [
    (votes(), f"{SWAP}.mean(n) = -mean(n)", "PROVED", None),
    (votes(c=1), f"{SWAP}.mean(n) = -mean(n)", "REFUTED", ("c",)),
    (votes(b=-2), "renamed(a->b,b->a).mean(n) = -mean(n)", "REFUTED", ("a",)),
    (votes(), f"accept -> ~{SWAP}.accept", "PROVED", None),
    (votes(b=1), f"accept <-> {SWAP}.accept", "PROVED", None),
    (votes("ba", start=0, before="^", after="$"), f"{SWAP}.accept -> count(a) < count(b)", "PROVED", None),
    (votes("ab", start=0, before="^", after="$"), f"{SWAP}.accept -> count(a) < count(b) - 1", "REFUTED", ("b",)),
    (votes(), "renamed(a->b, b->c, c->a).count(b) = count(a)", "PROVED", None),
    (votes(), "renamed(a->b, b->c, c->a).count(b) = count(c)", "REFUTED", ("a",)),
    (votes(), f"{SWAP}.first(a) = first(b) & ({SWAP}.at(c, n) <-> at(c, n))", "PROVED", None),
    (votes(), f"({SWAP}.accept <-> count(a) < count(b)) & (renamed(a->c, c->a).accept <-> count(b) < count(c))",
     "PROVED", None),
])  # fmt: skip
def test_statements(model: sc.Transformer, sentence: str, status: str, word: Any) -> None:
    found = model.prove(sentence, seconds=30)
    assert (found.status, found.word) == (status, word)
    assert found.certificate is not None


def test_one_renaming_spelled_twice_is_one_run() -> None:
    text = certify.claim(to_document(votes()), "renamed(a->b,b->a).accept <-> renamed(b -> a, 'a'->\"b\").accept").text
    assert text.count("renamed_mean:") == 1 and "renamed_mean_" not in text


def test_a_second_model_beside_a_renamed_string() -> None:
    """A model that counts a for -1 and b for 1 is the other one on the renamed string."""
    other = sc.Builder(words={"a": {"x": -1}, "b": {"x": 1}, "c": {}})
    other.readout("sign", "last", other.add(sc.head(value={"m": "x"}, mask="none")), weights=[1])
    two = other.build("two")
    assert votes().prove(f"{SWAP}.mean(n) = other.m(n)", other=two).status == "PROVED"
    assert votes(c=1).prove(f"{SWAP}.mean(n) = other.m(n)", other=two).word == ("c",)


def drawn_model(rng: random.Random) -> tuple[sc.Transformer, str]:
    """A head and a feed-forward step, at random, whose symbols may be digits; and a permutation of the symbols."""
    symbols = list(rng.choice(("ab", "01", "10a", "abc")))
    ends = {"before": rng.choice((None, "^")), "after": rng.choice((None, None, "$"))}
    values = [rng.choice(((0, 1, 1), (1, 1, 1), (1, -1, 0), (2, 0, 1))) for _ in "uv"]
    words = {s: {"u": values[0][k], "v": values[1][k], "s": rng.choice((0, 1))} for k, s in enumerate(symbols)}
    words |= {end: {"s": rng.choice((-1, 0))} for end in ends.values() if end}
    b = sc.Builder(words={w: {"one": 1, **row} for w, row in words.items()}, start=rng.randrange(2), **ends)
    score = rng.choice(({}, {}, {("one", "s"): 1}))
    mask = rng.choice(("none", "future", "strict-future", "past"))
    weighting = rng.choice(("average", "leftmost", "rightmost"))
    b.add(sc.head(score=score, value={"f": rng.choice("uv")}, mask=mask, weighting=weighting))
    b.add(sc.feedforward(g=rng.choice(("relu(u - f)", "step(f)", "step(1/2 - f) - step(u - f)"))))
    position = rng.choice(("first", "last", "each", "all"))
    b.readout("sign", position, rng.choice(("f", "g")), weights=[rng.choice((1, -1))])
    turned = rng.choice(([*symbols[1:], symbols[0]], [symbols[1], symbols[0], *symbols[2:]]))
    pairs = ", ".join(f"{a}->{b}" for a, b in zip(symbols, turned, strict=True) if a != b)
    return b.build("drawn"), f"renamed({pairs})"


def strings(model: sc.Transformer, longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(longest + 1):
        yield from itertools.product(model.alphabet, repeat=length)


def runs(model: sc.Transformer, longest: int) -> dict[tuple[str, ...], tuple[Any, dict[str, list[Fraction]]]]:
    """What the model accepts, at each position where it decides there, and its values, by string."""
    out = {}
    read, weight = model.readout.reads[0], model.readout.weights[0]
    for typed in strings(model, longest):
        if typed or any(model.embedding.ends):
            run = model.run(list(typed), trace=True)
            values = run.trace[-1]["coordinates"]
            found = {name: [Fraction(str(x)) for x in values[name]] for name in ("f", "g")}
            each = [Fraction(str(weight)) * x > 0 for x in found[read]]
            out[typed] = each if model.readout.position == "each" else [run.accept], found
    return out


def statements(model: sc.Transformer, renamed: str) -> dict[str, Callable[[Any, Any], bool]]:
    """Statements, and whether each is true of a run and the run on the renamed string."""
    start = model.embedding.start
    places = f"all i in {start}..{'n - 1' if start == 0 else 'n'}."
    each = model.readout.position == "each"
    accept, theirs = ("accept(i)", f"{renamed}.accept(i)") if each else ("accept", f"{renamed}.accept")
    head = places if each else ""
    return {
        f"{head} {accept} <-> {theirs}": lambda a, b: a[0] == b[0],
        f"{head} {theirs} -> {accept}": lambda a, b: all(x or not y for x, y in zip(a[0], b[0], strict=True)),
        f"{places} g(i) = {renamed}.g(i)": lambda a, b: a[1]["g"] == b[1]["g"],
        f"{places} {renamed}.f(i) <= f(i)": lambda a, b: all(x <= y for x, y in zip(b[1]["f"], a[1]["f"], strict=True)),
    }


def becomes(renamed: str) -> dict[str, str]:
    inside = renamed.partition("(")[2].rstrip(")")
    return dict((pair.split("->")[0], pair.split("->")[1]) for pair in inside.split(", "))


@pytest.mark.sweep
def test_decisions_and_tried_strings_are_what_the_model_does() -> None:
    """All strings up to length 5, or 4 of three symbols."""
    decided = {True: 0, False: 0}
    for seed in range(8):
        model, renamed = drawn_model(random.Random(seed))
        have, put = runs(model, 7 - len(model.alphabet)), becomes(renamed)
        for sentence, true in statements(model, renamed).items():
            false = next((one for one in have if not true(have[one], have[tuple(put.get(x, x) for x in one)])), None)
            statement = certify.claim(to_document(model), sentence)
            try:
                found = Regular(problem(statement)).decided()
            except OutsideFragment:
                continue
            tokens = list(model.embedding.words or ())
            string = found.string and tuple(model.embedding.typed([tokens[k] for k in found.string]))
            if string is None or len(string) <= 7 - len(model.alphabet):
                assert (found.true, string) == (false is None, false), (seed, sentence)
            decided[found.true] += 1
            if seed % 4 == 0:
                tried = Runs(statement, to_document(model)).tried(3)
                longest = 3 - sum(map(len, model.embedding.ends))
                assert tried.word == (false if false is not None and len(false) <= longest else None), (seed, sentence)
    assert min(decided.values()) > 6, decided


def test_the_premises_are_the_run_on_the_renamed_string_and_nothing_near_it() -> None:
    """With one value of the second run changed a premise fails."""
    model = votes("ab", start=0, before="^", after="$")
    statement = certify.claim(to_document(model), f"accept <-> {SWAP}.accept")
    *premises, said = statement.text.partition(". ")[2].split(" -> ")
    for word in ("".join(w) for n in range(4) for w in itertools.product("ab", repeat=n)):
        given: dict[str, Any] = {"n": Fraction(len(word) + 2)}
        for stem, typed in (("", word), ("renamed_", word.translate(str.maketrans("ab", "ba")))):
            vote = [Fraction({"a": 1, "b": -1}.get(x, 0)) for x in f"^{typed}$"]
            given |= {f"{stem}vote": vote, f"{stem}mean": [sum(vote) / len(vote)] * len(vote)}
        given["w"] = [Fraction(list(model.embedding.words or ()).index(x)) for x in f"^{word}$"]
        given = {name: dict(enumerate(x)) if isinstance(x, list) else x for name, x in given.items()}

        def true(part: str, env: Any) -> bool:
            return program(parse_formula(part), tuple(sorted(env)))(env, {}, None, None)

        assert all(true(part, given) for part in premises), word
        answers = [model.run(one).accept for one in (word, word.translate(str.maketrans("ab", "ba")))]
        assert true(said, given) is (answers[0] is answers[1])
        for name, i in itertools.product(("renamed_vote", "renamed_mean"), range(len(word) + 2)):
            changed = given | {name: given[name] | {i: given[name][i] + 2}}
            assert not all(true(part, changed) for part in premises), (word, name, i)


@pytest.mark.parametrize("sentence, said", [
    ("accept -> renamed(a->x, x->a).accept", "column 11, 'renamed(a->x, x->a)': 'x' is not a symbol of the strings"),
    ("renamed(a->b).accept", "'a' and 'b' both become 'b'; say which symbol becomes 'a'"),
    ("renamed(a->b, a->c).accept", "renamed states twice what 'a' becomes"),
    ("renamed(a, b).accept", "renamed takes what each symbol becomes, as in renamed(a->b, b->a).accept"),
    ("renamed(a->^, ^->a).accept", "renamed takes what each symbol becomes"),
    ("renamed(a->'^', '^'->a).accept", "'^' is not a symbol of the strings"),
    ("0 < n & renamed (a->b, b->a).accept", "column 9, 'renamed (a->b, b->a).acc': for the string with a and b"),
    ("renamed(a->b, b->a).acept", "the name 'renamed(a->b, b->a).acept' is unknown here"),
    ("renamed(a->b, b->a).answer(yes)", "answer needs a readout largest"),
    ("renamed(a->b, b->a).vote@9(n) = 1", "vote has no value @9"),
    ('renamed(a->b, b->a).matches("a")', "matches is about the string, as it is typed; write it without renamed"),
    ("renamed(a->b, b->a).holds(Q_a, 1)", "holds is about the string, as it is typed"),
    ("all renamed(a->b, b->a).x in 1..n. accept", "binds no name"),
])  # fmt: skip
def test_mistakes_get_a_sentence_with_the_column(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(votes(start=0, before="^")), sentence)
    assert said in str(caught.value)


def test_a_model_of_numbers_has_no_symbols() -> None:
    with pytest.raises(BadInput, match="available only for a model that reads strings of symbols"):
        certify.claim(to_document(sc.build("max")), "renamed(a->b, b->a).out = 1")


@pytest.mark.sweep
def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """One model, so that its certificate is checked again without more; the second checker reads it too."""
    monkeypatch.chdir(tmp_path)
    votes().save("votes.json")
    said = f"accept -> ~{SWAP}.accept"
    code, out, _ = call(capsys, "prove", "votes.json", "--statement", said)
    assert code == 0 and out.startswith(f"PROVED  {said}\n")
    assert len(json.loads(Path("votes.proof.json").read_text())["model"].split()) == 1
    assert call(capsys, "prove", "votes.json")[0] == 0
    needed = json.loads(Path("votes.proof.json").read_text())["lemmas"]
    files = [ROOT / "proofs" / "certificates" / f"{one}.json" for one in certify.below({"lemmas": needed})]
    judged = subprocess.run(
        [sys.executable, "-I", ROOT / "proofs" / "checker.py", "votes.statement.txt", "votes.proof.json", *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "own.votes" in judged.stdout and "PROVED" in judged.stdout
    found = document(capsys, "prove", "votes.json", "--statement", f"accept -> {SWAP}.accept", code=1)
    assert (found["status"], found["word"]) == ("REFUTED", ["a"])
    refused(capsys, "prove", "votes.json", "--statement", "renamed(a->b).accept")
    votes(b=-2).save("votes.json", force=True)
    assert "the model has changed" in call(capsys, "prove", "votes.json")[1]
