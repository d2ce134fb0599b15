"""Definitions of the papers that are no blocks (those are in `test_definitions.py`): the library's object for each.

`proofs/reviewed.json` names these tests. Expected values are formulas of the papers, written out here.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from checkout import ROOT

import symcook as sc
from symcook.compose import Builder
from symcook.decode import generate, recognizes, stream
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm
from symcook.model.rationals import truth
from symcook.model.transformer import Transformer
from symcook.papers.merrill2024.figures import visited
from symcook.programs.automata import read_table
from symcook.programs.steps import OutputToken, StepToken
from symcook.programs.turing import read_turing
from symcook.recipes import build
from symcook.run import run
from symcook.spec import languages
from symcook.spec.automata import language
from symcook.spec.turing import execute
from symcook.thought.integers import IntegerDecoder
from symcook.thought.running import run_machine

F = Fraction
PAIR = ("a", "b")


def encoder(names: tuple[str, ...], words: dict[str, list[Any]], **more: Any) -> Transformer:
    """Word vectors and positions, shown at every position."""
    layers = more.pop("layers", ())
    norm = more.pop("final_norm", None)
    table = {t: dict(zip(names, vector, strict=False)) for t, vector in words.items()}
    return Transformer(
        "object", Embedding(Space(names), words=table, **more), layers, Readout("value", "each", names), final_norm=norm
    )


def test_layer_norm_keeps_the_pair_representation() -> None:
    """cookbook.s3.1.pair_rep: LN with epsilon = 0, gain 1 and bias 0 maps (1, -1) and (-1, 1) to themselves."""
    model = encoder(PAIR, {"f": [1, -1], "t": [-1, 1]}, final_norm=LayerNorm(PAIR))
    for word in ("f", "t", "ftt"):
        for i, symbol in enumerate(word):
            shown = model.run(word[: i + 1]).output
            assert shown == ({"a": "1", "b": "-1"} if symbol == "f" else {"a": "-1", "b": "1"})


@pytest.mark.parametrize("d", [2, 6])
def test_sinusoidal_positions(d: int) -> None:
    """cookbook.s3.5.2.sinusoidal: entries 2c and 2c + 1 are cos and sin of i/M^(2c/d), c = 0..d/2 - 1; M = 10000."""
    names = tuple(f"pe_{k}" for k in range(d))
    model = build("sinusoidal", d=d)
    assert model.embedding.space.names == names
    with mpmath.workdps(50):
        for n in (1, 3, 40):
            shown = model.run("a" * n, "ball", digits=30).output
            for c in range(d // 2):
                angle = n / mpmath.power(10000, mpmath.mpf(2 * c) / d)
                for name, wanted in ((names[2 * c], mpmath.cos(angle)), (names[2 * c + 1], mpmath.sin(angle))):
                    value = shown[name]
                    found = mpmath.mpf(value["mid"]) if isinstance(value, dict) else mpmath.mpf(value)
                    assert abs(found - wanted) < mpmath.mpf(10) ** -28


def test_powers_of_the_position() -> None:
    """cookbook.s3.5.1.powers: i, i^2 and i^3 as position embeddings."""
    model = encoder(("p", "q", "r"), {"x": [0, 0, 0]}, positions={"p": "i", "q": "i^2", "r": "i^3"})
    recipe = build("positional-encoding", kind="powers", powers=3)
    for n in (1, 2, 7, 1000):
        assert model.run("x" * n).output == {"p": str(n), "q": str(n * n), "r": str(n**3)}
        assert recipe.run("a" * n).output == {"pe_1": str(n), "pe_2": str(n * n), "pe_3": str(n**3)}


def test_a_cpwl_function_has_finitely_many_affine_pieces() -> None:
    """cookbook.s4.1.def4.1_cpwl for d = 1: on each of the closed intervals that cover R the recipe is affine, and on no
    union of two neighbours."""
    knots = [F(-1), F(1, 2), F(3)]
    model = build("cpwl", points="-2,1; -1,2; 1/2,-1; 3,0; 4,5")

    def value(x: Fraction) -> Fraction:
        return F(model.run({"x": x}).output["out"])

    ends = [F(-9), *knots, F(11)]
    for low, high in itertools.pairwise(ends):
        for part in (F(1, 7), F(1, 2), F(5, 6)):
            x = low + part * (high - low)
            assert value(x) == value(low) + part * (value(high) - value(low))
    for low, middle, high in zip(ends, knots, ends[2:], strict=False):
        part = (middle - low) / (high - low)
        assert value(middle) != value(low) + part * (value(high) - value(low))


def test_gelu_is_the_activation_of_definition_4_2() -> None:
    """cookbook.s4.6.def4.2_gelu: x Phi(x), Phi the integral of the normal density."""
    unit = FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], "gelu")
    model = encoder(PAIR, {"p": [F(3, 4), 0], "m": [F(-5, 2), 0], "z": [0, 0]}, layers=(Layer(None, unit),))
    with mpmath.workdps(40):
        for word, x in (("p", mpmath.mpf(3) / 4), ("m", mpmath.mpf(-5) / 2), ("z", mpmath.mpf(0))):
            wanted = x * mpmath.quad(lambda t: mpmath.exp(-t * t / 2), [-mpmath.inf, -4, 0, x])
            wanted /= mpmath.sqrt(2 * mpmath.pi)
            value = model.run(word, "ball", digits=30).output["b"]
            found = mpmath.mpf(value["mid"]) if isinstance(value, dict) else mpmath.mpf(value)
            assert abs(found - wanted) < mpmath.mpf(10) ** -25


def test_each_component_of_a_builder_is_written_once() -> None:
    """cookbook.s8.1.write_once: no part writes what the embedding or another part has written."""
    b = Builder(words={"(": {"o": 1}, ")": {"o": -1}})
    mean = b.attention("mean", reads="o", mask="future")
    error = b.feedforward("error", reads=mean, W1=[[-1]], b1=[0], W2=[[1]])
    total = b.attention("total", reads=error, mask="future")
    b.readout("zero", "last", (*total, *mean))
    model = b.build("brackets")
    written = ["o"]
    for layer in model.layers:
        if layer.attention is not None:
            written += {name for head in layer.attention.heads for name in head.writes}
        if layer.feedforward is not None:
            written += layer.feedforward.writes
    assert sorted(written) == sorted(model.embedding.space.names)
    assert len(written) == 4


BRACKETS = ["".join(w) for n in range(1, 8) for w in itertools.product("()", repeat=n)]


def test_counts_of_brackets_in_prefixes() -> None:
    """cookbook.s9.2.1.prefix_counts: the coordinate balance of dyck-1 is B_i/i with B_i = O_i - C_i."""
    model = replace(build("dyck-1"), readout=Readout("value", "last", ("balance",)))
    for word in BRACKETS:
        opened, closed = word.count("("), word.count(")")
        assert opened + closed == len(word)
        assert F(model.run(word).output["balance"]) * len(word) == opened - closed


def test_the_embedding_of_dyck_1() -> None:
    """cookbook.s9.2.1.embedding: o_i = 1 for ( and -1 for ), all other entries 0, whatever the position."""
    embedding = build("dyck-1").embedding
    assert embedding.words is not None
    assert {t: {c: v for c, v in vector.items() if v != 0} for t, vector in embedding.words.items()} == {
        "(": {"token": 1},
        ")": {"token": -1},
    }
    assert not embedding.positions


def test_the_languages_of_chiang2022() -> None:
    """chiang2022.def.languages: PARITY and FIRST by their set definitions; the empty string is in neither."""
    for n in range(9):
        for bits in itertools.product("01", repeat=n):
            word = "".join(bits)
            assert languages.parity(word) is (sum(map(int, word)) % 2 == 1)
            assert languages.first(word) is word.startswith("1")


def test_the_size_of_the_network_for_parity() -> None:
    """chiang2022.s3.2.size: L = 2 layers, d = 9 coordinates, H = 2 heads, one of which does nothing."""
    model = build("parity")
    assert len(model.layers) == 2
    assert len(model.embedding.space.names) == 9
    heads = [len(layer.attention.heads) for layer in model.layers if layer.attention is not None]
    assert heads == [2 - 1, 2]


@pytest.mark.parametrize(("x", "y"), [(F(3, 4), F(1)), (F(-2), F(1)), (F(0), F(1)), (F(5), F(-3)), (F(1), F(0))])
def test_the_layer_norm_hash(x: Fraction, y: Fraction) -> None:
    """merrill2024.def3.hash: phi(x, y) = layer_norm(x, y, -x, -y), divided by the Euclidean norm: gain 1/sqrt(4)."""
    names = ("a", "b", "c", "e")
    model = encoder(names, {"w": [x, y, -x, -y]}, final_norm=LayerNorm(names, gain=[F(1, 2)] * 4))
    shown = model.run("w", "ball", digits=30).output
    with mpmath.workdps(40):
        root = mpmath.sqrt(2 * (mpmath.mpf(x.numerator) / x.denominator) ** 2 + 2 * mpmath.mpf(int(y)) ** 2)
        for name, entry in zip(names, (x, y, -x, -y), strict=True):
            value = shown[name]
            found = mpmath.mpf(value["mid"]) if isinstance(value, dict) else mpmath.mpf(value)
            assert abs(found - mpmath.mpf(entry.numerator) / entry.denominator / root) < mpmath.mpf(10) ** -25


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("delta", [F(-1), F(0), F(1, 4), F(49, 100)])
def test_approximate_booleans(delta: Fraction) -> None:
    """yang2026.s3.4.bool: x <= delta is false and x >= 1 - delta true, never both; the recipe round has delta = 1/4."""
    for x in (F(k, 50) for k in range(-60, 111)):
        assert not truth(parse_formula("x <= delta & 1 - delta <= x"), {"x": x, "delta": delta})
        shown = F(build("round").run({"x": x}).output["out"])
        assert (shown == 0) == (x <= F(1, 4))
        assert (shown == 1) == (x >= F(3, 4))


def continued(f: Callable[[str], str], x: str, k: int) -> str:
    """f^0(x) = x, f^(k+1)(x) = f^k(x) . f(f^k(x))."""
    return x if k == 0 else (shorter := continued(f, x, k - 1)) + f(shorter)


def next_by_last(table: dict[str, str]) -> Transformer:
    """The decoder that puts out table[x_n], without any layer."""
    scores = [[int(table[c] == label) for c in "01a"] for label in "01a"]
    words = {c: {name: int(name == f"is_{c}") for name in ("is_0", "is_1", "is_a")} for c in "01a"}
    space = Space(("is_0", "is_1", "is_a"))
    return Transformer(
        "next", Embedding(space, words=words), (), Readout("largest", "last", space.names, scores, ("0", "1", "a"))
    )


def test_decoding_steps_by_the_last_token() -> None:
    """merrill2024.def.kstep: all functions of the last token, over three tokens."""
    for values in itertools.product("01a", repeat=3):
        table = dict(zip("01a", values, strict=True))
        model = next_by_last(table)
        for x, k in itertools.product(("0", "1", "a", "01", "a10"), (0, 1, 2, 5)):
            found = "".join(generate(model, x, limit=k).tokens)
            assert found == continued(lambda word, table=table: table[word[-1]], x, k)
            assert len(found) == len(x) + k and found.startswith(x)


def test_decoding_steps() -> None:
    """merrill2024.def.kstep: f^k by a decoder that sees its own tokens, and the language of t(n) steps.

    f is 1 where less than half of the tokens so far, its own among them, are 1.
    """
    names = ("one", "mean", "half")
    words = {c: {"one": int(c), "half": F(1, 2)} for c in "01"}
    head = Head(("one",), ("mean",), [[0]], [[0]], [[1]], "future", "average")
    scores = [[0, 1, -1], [0, 0, 0]]  # 0 where the mean is at least a half: at a tie the first label is taken
    readout = Readout("largest", "last", names, scores, ("0", "1"))
    model = Transformer("fewer", Embedding(Space(names), words=words), (Layer(head),), readout)

    def f(word: str) -> str:
        return "1" if 2 * word.count("1") < len(word) else "0"

    inputs = ["".join(w) for n in (1, 2, 3, 4) for w in itertools.product("01", repeat=n)]
    for x, k in itertools.product(inputs, range(4)):
        assert "".join(generate(model, x, limit=k).tokens) == continued(f, x, k)
    for t in (lambda n: 1, lambda n: n, lambda n: 2 * n + 1):
        recognized = {x for x in inputs if generate(model, x, limit=t(len(x))).tokens[-1] == "1"}
        assert recognized == {x for x in inputs if continued(f, x, t(len(x)))[-1] == "1"}
        assert set() != recognized != set(inputs)


def test_automata() -> None:
    """merrill2024.def.automaton: all of two states and two letters, on all words to length 4."""
    words = [w for n in range(5) for w in itertools.product("ab", repeat=n)]
    for *to, start, ends in itertools.product("pq", "pq", "pq", "pq", "pq", ("", "p", "q", "pq")):
        delta = {("p", "a"): to[0], ("p", "b"): to[1], ("q", "a"): to[2], ("q", "b"): to[3]}
        rows = {q: {letter: delta[q, letter] for letter in "ab"} for q in "pq"}
        document = {"states": ["p", "q"], "input_symbols": ["a", "b"], "transitions": rows, "initial_state": start,
                    "final_states": list(ends)}  # fmt: skip
        automaton = read_table(json.dumps(document), "a test")
        fold = language(automaton)
        for word in words:
            state = start
            known = fold.start
            for letter in word:
                state, known = delta[state, letter], fold.step(known, letter)
                assert known == state
            assert automaton(word) is (state in ends)


Diff = tuple[str, tuple[str, ...], tuple[int, ...]]
Rows = dict[tuple[str, tuple[str, ...]], Diff]


def printed_run(rows: Rows, start: str, word: str, tapes: int, limit: int) -> tuple[list[Diff], str | None]:
    """The diffs of at most `limit` steps by Appendix B, heads at 0 and the word from cell 0 on, and the output where
    the machine is in a state without rows, which halts."""
    cells: list[dict[int, str]] = [dict(enumerate(word)), *({} for _ in range(tapes))]
    halting = {entered for entered, _, _ in rows.values()} - {q for q, _ in rows}
    heads, state = [0] * (tapes + 1), start
    diffs: list[Diff] = [(start, ("_",) * tapes, (0,) * (tapes + 1))]
    while state not in halting and len(diffs) <= limit:
        state, written, moves = rows[state, tuple(tape.get(h, "_") for tape, h in zip(cells, heads, strict=True))]
        for tape, head, symbol in zip(cells[1:], heads[1:], written, strict=True):
            tape[head] = symbol
        heads = [head + move for head, move in zip(heads, moves, strict=True)]
        diffs.append((state, written, moves))
    out, place = "", heads[-1]
    while cells[-1].get(place, "_") != "_":
        out, place = out + cells[-1][place], place + 1
    return diffs, out if state in halting else None


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("tapes", [1, 2])
def test_turing_machines_as_they_are_printed(tapes: int) -> None:
    """merrill2024.def.tm, def.tm.tuple, appB.tm and thm2.diffs: machines at random that move each head at each step.

    The library counts cells of the input from 1, so that the first diff moves the input head there, as none is printed.
    """
    draw, seen = random.Random(tapes), set()
    for _ in range(40):
        reads = list(itertools.product("01_", repeat=tapes + 1))
        rows: Rows = {
            (q, read): (draw.choice("pqppqqh"), tuple(draw.choice("01_") for _ in range(tapes)),
                        tuple(draw.choice((-1, 1)) for _ in range(tapes + 1)))
            for q in "pq" for read in reads
        }  # fmt: skip
        listed = [
            f"{q} {' '.join(read)} -> {to} {' '.join(written)} {' '.join('LSR'[m + 1] for m in moves)}"
            for (q, read), (to, written, moves) in rows.items()
        ]
        text = "\n".join(["input: 0 1", "work symbols: 0 1", "start: p", "halt: h", "head: 1", *listed])
        machine = read_turing(text)
        decoder = IntegerDecoder(machine)
        for word in ("", "0", "10", "0110"):
            diffs, out = printed_run(rows, "p", word, tapes, 12)
            book = execute(machine, word, 13 if out is None else 100)
            steps = [one for one in book.documents if "write" in one]
            assert [(one["token"], tuple(one["write"]), tuple(one["move"])) for one in steps[1:]] == [
                (q, written, tuple("LSR"[m + 1] for m in moves)) for q, written, moves in diffs[1:]
            ]
            assert book.ended is (out is not None) and (out is None or book.output == out)
            found = [step.token for step in decoder.run(word, len(steps))]
            shown = [(t.state, tuple(w.symbol for w in t.written), t.moves) for t in found if isinstance(t, StepToken)]
            assert shown[0] == (*diffs[0][:2], (1, *diffs[0][2][1:])) and shown[1:] == diffs[1 : len(shown)]
            for letter, read in itertools.product("01", "01_"):  # every input token puts out the first diff
                assert decoder.answer(letter, read, (None,) * tapes) == found[0]
            seen.add(out is None)
    assert seen == {True, False}


@pytest.mark.parametrize("wrong, said", [
    (("input: 0 1", "input: 0 _"), "other than"),
    (("work symbols: 0", "work symbols: 0 _"), "other than"),
    (("halt: h", "halt: p"), "no transition"),
    (("p _ * -> h 0 R R", ""), "must serve"),
    (("h 0 R R", "h 1 R R"), "must be written"),
])  # fmt: skip
def test_what_is_no_turing_machine(wrong: tuple[str, str], said: str) -> None:
    """merrill2024.def.tm.tuple: a blank outside of the input's letters, rows for all states but those that halt."""
    text = "input: 0 1\nwork symbols: 0\nstart: p\nhalt: h\np 0 * -> p . R R\np 1 * -> h . R L\np _ * -> h 0 R R\n"
    assert read_turing(text).tapes == 1
    with pytest.raises(BadInput, match=said):
        read_turing(text.replace(*wrong))


def test_a_machine_that_recognizes() -> None:
    """merrill2024.appB.recognizer: by its first token of output, of the shipped machine in the printed model."""
    machine = read_turing((ROOT / "examples" / "machines" / "parity-printed.tm").read_text())
    decoder = IntegerDecoder(machine)
    for word in ("".join(w) for n in range(6) for w in itertools.product("01", repeat=n)):
        found = [step.token for step in decoder.steps(word)]
        first = next(token for token in found if isinstance(token, OutputToken))
        assert first.symbol == str(word.count("1") % 2)


@pytest.mark.sweep
def test_the_time_and_space_of_machines() -> None:
    """merrill2024.def.time: steps and cells of the shipped machines, counted here row by row; linear and more time.

    A language is in TIME(t(n)) by a machine that accepts it and a constant, which is the least one for the words here.
    """
    constants: dict[str, list[F]] = {}
    linear = ["".join(w) for n in range(6) for w in itertools.product("ab", repeat=n)]
    square = ["1" * n + "0" + "1" * n for n in range(6)]
    for name, words in (("palindromes", linear), ("unary-multiplication", square)):
        text = (ROOT / "examples" / "machines" / f"{name}.tm").read_text()
        machine, model = read_turing(text), sc.compile("tm", text)
        for word in words:
            tapes, state, count = [dict(enumerate(word, 1)), *({} for _ in range(machine.tapes))], machine.start, 0
            heads = [machine.head, *[0] * machine.tapes]
            seen = {(k, head) for k, head in enumerate(heads)}
            while state not in machine.halt:
                read = tuple(tape.get(head, "_") for tape, head in zip(tapes, heads, strict=True))
                state, written, moves = machine.rows[state, read]
                for k, symbol in enumerate(written, 1):
                    tapes[k][heads[k]] = symbol
                heads = [head + move for head, move in zip(heads, moves, strict=True)]
                seen |= set(enumerate(heads))
                count += 1
            assert execute(machine, word, 1000).steps == count
            if word in words[-2:]:
                book = run_machine(model, word, 1000)
                output = {(machine.tapes, heads[-1] + k) for k in range(len(book.output))}
                assert visited(book) == len(seen | output)
            constants.setdefault(name, []).append(F(count, len(word) + 1))
    assert max(constants["palindromes"]) == 3
    growing = constants["unary-multiplication"]
    assert growing == sorted(growing) and growing[-1] > 3


POWERS = """
input: a
work symbols: a x y n
start: copy
halt: done
copy a * * -> copy a . R R S
copy _ * * -> back . . S L S
back * a * -> back . . S L S
back * x * -> back . . S L S
back * * * -> none . . S R S
none * x * -> none . . S R S
none * a * -> one  . . S R S
none * * * -> done . n S S S
one  * x * -> one  . . S R S
one  * a * -> even x . S R S     # every second a is crossed out
one  * * * -> done . y S S S
even * x * -> even . . S R S
even * a * -> odd  . . S R S
even * * * -> back . . S L S
odd  * x * -> odd  . . S R S
odd  * a * -> even x . S R S
odd  * * * -> done . n S S S
"""
"""Whether the number of letters is a power of two, by halving it in each pass."""


def test_time_with_a_logarithmic_factor() -> None:
    """merrill2024.def.softtime: with t(n) = n the exponent k = 1 and a constant serve for this machine; k = 0 and no
    constant do. One pass there and back over n cells is 2(n + 1) steps, and copying n + 1."""
    machine, shares = read_turing(POWERS), []
    for n in range(41):
        halvings = (n & -n).bit_length() - 1 if n else 0
        found = execute(machine, "a" * n, 1000)
        assert found.ended and found.output == ("y" if n == 2**halvings else "n")
        assert found.steps == (n + 1) * (2 * halvings + 3)
        assert found.steps <= 6 * (n + 1) * max(math.log2(n or 1), 1)
        shares.append(F(found.steps, n + 1))
    assert [shares[2**k] for k in range(6)] == [3, 5, 7, 9, 11, 13]


@pytest.mark.sweep
def test_a_language_in_a_class_of_decoding_steps() -> None:
    """merrill2024.def.cot: with exactly t(n) = n + 1 steps a decoder recognizes the words with an odd number of 1s, and
    another language or none with other numbers of steps."""
    text = (ROOT / "examples" / "automata" / "odd-ones.json").read_text()
    model = sc.compile("dfa", text, theorem="1", variant="nonstrict")
    words = ["".join(w) for n in range(5) for w in itertools.product("01", repeat=n)]
    odd = {word for word in words if word.count("1") % 2}

    def language(t: Callable[[int], int]) -> set[str]:
        return {word for word in words if recognizes(model, word, t, "yes")}

    assert language(lambda n: n + 1) == odd == language(lambda n: n + 3)
    assert language(lambda n: max(1, n)) == set()  # too few: a state of the run is the last token


@pytest.mark.sweep
def test_log_precision() -> None:
    """merrill2024.def.precision: behind m tokens every operation is rounded to c log m bits, and the decoders of a
    machine and of an automaton answer as with exact numbers; with few bits at every length they do not."""
    machine = (ROOT / "examples" / "machines" / "increment.tm").read_text()
    automaton = (ROOT / "examples" / "automata" / "odd-ones.json").read_text()
    for kind, text, word, many in (("tm", machine, "1011", 24), ("dfa", automaton, "0110101", 20)):
        model = sc.compile(kind, text)
        tokens = [*word, *stream(model, word, many, "ball")]

        def answer(m: int, bits: int, model: Transformer = model, tokens: list[str] = tokens) -> str | None:
            return run(model, tokens[:m], "mpmath", bits=bits).result.label(-1)

        columns = range(len(word), len(tokens))
        assert all(answer(m, math.ceil(8 * math.log2(m + 1))) == tokens[m] for m in columns)
        if kind == "tm":
            assert any(answer(m, 6) != tokens[m] for m in columns)
