"""The run relation of a model says what `forward` computes in the exact domain, and nothing more.

The relation's text is evaluated by `statement_truth`, which uses no code of the kernel or of `forward`. Models: every
stored one, and generated ones over every mask, weighting and placement of norms, with scores full of ties.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from runpy import run_path
from typing import Any

import flint
import pytest
from families import in_parts, pairwise, together
from proof.statement_truth import CONTEXT, program, real, texts, tree_of, truth

from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_term
from symcook.model.modelfile import dumps, load, loads, to_document
from symcook.model.parts import MASKS, PLACEMENTS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.rationals import rational
from symcook.model.symbols import fraction
from symcook.model.transformer import Parameter, Transformer
from symcook.proof.bridges import bridge
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import Relation, _readable, expand, stored_model
from symcook.recipes import build, names
from symcook.run import prepare
from symcook.spec.languages import dyck_bounded
from symcook.verify.sweep import check

OTHERS = run_path(str(proofs_directory() / "models.py"))["OTHERS"]
VALUES = {
    "eps": Fraction(1, 5000),
    "delta": Fraction(2, 3),
    "c": Fraction(-3, 2),
    "epsilon": Fraction(1, 7),
    "eta": Fraction(2, 7),
    "gamma": Fraction(1, 3),
}
NUMBERS = (Fraction(-2), Fraction(-1, 3), Fraction(0), Fraction(1, 4), Fraction(1))
FUNCTIONS = {
    "sqrt": lambda x: root(x),
    "erf": lambda x: CONTEXT.erf(real(x)),
    "sin": lambda x: CONTEXT.sin(real(x)),
    "cos": lambda x: CONTEXT.cos(real(x)),
}


def root(x: Any) -> Any:
    """The square root: a Fraction where it is one."""
    if isinstance(x, Fraction):
        above, below = (flint.fmpz(v).isqrt() for v in (x.numerator, x.denominator))
        if above * above == x.numerator and below * below == x.denominator:
            return Fraction(int(above), int(below))
    return CONTEXT.sqrt(real(x))


def plain(value: Any) -> Any:
    """A number of a domain as `statement_truth` has it: a Fraction, or 60 digits of an exact irrational."""
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "ball"):
        with flint.ctx.workprec(400):
            return CONTEXT.mpf(value.ball().mid().str(80, radius=False))
    return CONTEXT.mpf(value)


class Recorded(bridge.Recorded):
    """A relation that keeps, with the names of the stream after each part, those of what each norm reads and makes."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.norms: list[tuple[int, dict[str, str], Mapping[str, Any], list[str], dict[str, str]]] = []
        super().__init__(model)

    def _norm(self, number: int, norm: Mapping[str, Any]) -> dict[str, str]:
        before, count = dict(self.held), len(self.equations)
        made = super()._norm(number, norm)
        own = [re.match(r"\w+", equation)[0] for equation in self.equations[count : count + 2]]  # type: ignore[index]
        self.norms.append((len(self.streams) - 1, before, norm, own, made))
        return made


def flat(model: Transformer) -> list[tuple[Any, tuple[LayerNorm, ...], str]]:
    return [(block, norms, layer.placement) for layer in model.layers for block, norms in layer.blocks()]


def single(block: Any, norms: tuple[LayerNorm, ...], placement: str) -> Layer:
    if isinstance(block, FeedForward):
        return Layer(None, block, (), norms, placement)
    return Layer(block, None, norms, (), placement)


def streams(model: Transformer, sequence: Any) -> tuple[list[Any], Any, Any]:
    irrational = any(isinstance(b, FeedForward) and b.activation == "gelu" for b, _, _ in flat(model))
    system = make_domain("mpmath", bits=300) if irrational else make_domain("exact")
    result = forward(model, sequence, system, trace=True, weights=False)
    return [step.columns for step in result.steps], result, system


def environment(model: Transformer, relation: Recorded, given: Any) -> tuple[dict[str, Any], list[str], bool | None]:
    """What forward computes, as values of the names in the relation; the names that can be changed; the verdict."""
    sequence, _ = prepare(model, given)
    steps, result, system = streams(model, sequence)
    n, start = system.length, model.embedding.start
    env: dict[str, Any] = dict(FUNCTIONS)

    def put(name: str, column: Sequence[Any] | None) -> None:
        cells = {start + i: Fraction(0) if column is None else plain(column[i]) for i in range(n)}
        env.setdefault(name, cells)

    for name in model.embedding.inputs or ():
        put(name, [fraction(row[name]) for row in sequence])
    for held, columns in zip(relation.streams, steps, strict=False):
        for name, called in held.items():
            put(called, columns.get(name))
    parts = flat(model)

    def truncated(k: int, block: Any) -> Transformer:
        return replace(model, layers=tuple(single(*one) for one in [*parts[:k], block]), final_norm=None)

    for k, (block, norms, placement) in enumerate(parts):
        reading = "none" if placement == "post" else placement
        own = () if placement == "post" else norms
        if placement == "post":  # the sum before the norm
            columns = streams(truncated(k, (block, own, reading)), sequence)[0][-1]
            for at, before, *_ in relation.norms:
                if at == k:
                    for name, called in before.items():
                        put(called, columns.get(name))
        for h, head in enumerate(block.heads if isinstance(block, SelfAttention) else (), 1):
            for name in head.writes:
                shared = [e for e in relation.equations if re.match(rf"z\d+_{h}_{name}\(", e)]
                for equation in shared if len(block.heads) > 1 else ():
                    columns = streams(truncated(k, (SelfAttention((head,)), own, reading)), sequence)[0][-1]
                    old, new = ([plain(v) for v in c.get(name, [Fraction(0)] * n)] for c in (steps[k], columns))
                    assert len(shared) == 1
                    put(re.match(r"\w+", equation)[0], [b - a for a, b in zip(old, new, strict=True)])  # type: ignore[index]
    for _, before, norm, (mean, deviation), made in relation.norms:
        for name, column in normalised(norm, {c: env[called] for c, called in before.items()}, range(start, start + n)):
            put({"mean": mean, "deviation": deviation}.get(name) or made[name[1:]], list(column))
    if relation.pointwise:
        env = {name: cells[start] if isinstance(cells, dict) else cells for name, cells in env.items()}
    env |= {"n": Fraction(n)}
    if model.alphabet:
        vocabulary = list(model.embedding.words or ())
        env["w"] = {i: Fraction(vocabulary.index(t)) for i, t in enumerate(sequence, start)}
    fixed = {"n", "w", *FUNCTIONS, *(model.embedding.inputs or ())}
    return env, [name for name in env if name not in fixed], result.accept


def normalised(norm: Any, cells: Mapping[str, Any], places: range) -> Iterator[tuple[str, list[Any]]]:
    """Mean, deviation and result of a norm (its names with a dot in front), from Definition 6.1."""
    rows: list[dict[str, Any]] = []
    for i in places:
        x = [cells[name][i] if name in cells else Fraction(0) for name in norm["reads"]]
        exact = all(isinstance(e, Fraction) for e in x)
        number = (lambda text: Fraction(text)) if exact else lambda text: real(Fraction(text))
        x = x if exact else [real(e) for e in x]
        if norm["projection"] is not None:
            x = [sum(number(p) * e for p, e in zip(row, x, strict=True)) for row in norm["projection"]]
        mean = sum(x) / number(len(x))
        deviation = root(sum((e - mean) ** 2 for e in x) / number(len(x)) + number(norm["epsilon"]))
        if not exact and abs(real(deviation)) < CONTEXT.mpf(10) ** -50:
            deviation = Fraction(0)
        row = {"mean": mean, "deviation": deviation}
        for name, e, (gain,), (bias,) in zip(norm["writes"], x, norm["gain"], norm["bias"], strict=True):
            known = number if isinstance(deviation, Fraction) else lambda a: real(Fraction(a))
            row[f".{name}"] = known(bias)
            if deviation != 0:
                row[f".{name}"] += known(gain) * (e - mean if exact and known is number else real(e - mean)) / deviation
        rows.append(row)
    for name in rows[0]:
        yield name, [row[name] for row in rows]


def conjuncts(tree: Any) -> Iterator[Any]:
    yield from (part for side in tree[1:] for part in conjuncts(side)) if tree[0] == "&" else (tree,)


def mentioned(tree: Any) -> frozenset[str]:
    """The strings in a tree: the names that it mentions, and what its parts are called."""
    found, todo = set[str](), [tree]
    while todo:
        for part in todo.pop():
            if isinstance(part, tuple):
                todo.append(part)
            elif isinstance(part, str):
                found.add(part)
    return frozenset(found)


def programs(trees: Sequence[Any], names: Iterable[str]) -> list[Any]:
    """Formulas as functions of the values of these names; each is given those that it mentions."""
    own = sorted(names)
    return [program(tree, tuple(filter(mentioned(tree).__contains__, own))) for tree in trees]


class Compared:
    """A model with what is asked of each of its inputs, read once: the parts of its relation, and what they mention."""

    def __init__(self, whole: Transformer, settings: Mapping[str, Any] | None = None) -> None:
        self.model, self.settings = whole.bind(settings) if settings else whole, settings or {}
        self.relation = Recorded(to_document(whole))
        self.parts = list(conjuncts(tree_of(self.relation.run())))
        self.mentioned = list(map(mentioned, self.parts))
        self.programs: dict[frozenset[str], list[Any]] = {}
        self.asked = 0

    def truths(self, env: Mapping[str, Any], which: Sequence[int]) -> Iterator[bool]:
        if (names := frozenset(env)) not in self.programs:
            self.programs[names] = programs(self.parts, names)
        made = self.programs[names]
        return (made[k](env, {}, None, None) for k in which)

    def agrees(self, given: Any) -> None:
        """The relation holds of what forward computes; with one value changed, at a seeded position, it does not: of
        a long relation each value at every fourth input."""
        relation = self.relation
        env, written, accept = environment(self.model, relation, given)
        env |= self.settings
        assert all(self.truths(env, range(len(self.parts)))), (given, relation.run(), env)
        if self.model.decides and self.model.readout.each:
            said = streams(self.model, prepare(self.model, given)[0])[1].answers
            start = self.model.embedding.start
            assert [truth(tree_of(relation.accept(str(k))), env, {}) for k in range(start, start + len(said))] == said
        elif self.model.decides:
            assert truth(tree_of(relation.accept()), env, {}) == accept
        self.asked += 1
        each = 4 if len(written) > 30 else 1
        for changed in written[self.asked % each :: each]:
            place = None if relation.pointwise else RANDOM.choice(sorted(env[changed]))
            value = env[changed] if place is None else env[changed][place]
            near = value + (Fraction(1, 97) if isinstance(value, Fraction) else CONTEXT.mpf(1) / 97)
            replaced = near if place is None else env[changed] | {place: near}
            touched = [k for k, names in enumerate(self.mentioned) if changed in names]  # the others hold still
            assert not all(self.truths({**env, changed: replaced}, touched)), (given, changed, place)


RANDOM = random.Random(44)


# --- The stored models ------------------------------------------------------------------------------------------------


def inputs(model: Transformer) -> list[Any]:
    """All words of length 1, eight of length 2, and eight of lengths 3 to 5; or rows over a few numbers (queries of the
    lookup are positions)."""
    if model.alphabet:
        short, two, long = (
            [w for n in lengths if n <= (model.max_length or n) for w in itertools.product(model.alphabet, repeat=n)]
            for lengths in ((1,), (2,), (3, 4, 5))
        )
        rng = random.Random(44)
        return [*short, *(w for some in (two, long) for w in rng.sample(some, min(8, len(some))))]
    rows = []
    given = model.embedding.inputs or ()
    for n in (1,) if model.pointwise else (1, 2, 3):
        numbers = [Fraction(q) for q in range(1, n + 1)] if "query" in given else NUMBERS
        others = NUMBERS if model.pointwise else NUMBERS[::3]
        choices = [numbers if name == "query" else others for name in given]
        for chosen in itertools.product(itertools.product(*choices), repeat=n):
            rows.append([dict(zip(given, row, strict=True)) for row in chosen])
    return rows[:: max(1, len(rows) // 12)]


NESTED = {"first-layernorm", "parity-layernorm", "turing-step"}  # roots in exponents or in roots: no exact numbers
CIRCULAR = {"modulo-angle", "sinusoidal"}  # sines of other numbers than those that are rational


STORED = {path.stem for path in (proofs_directory() / "models").glob("*.json")}


@pytest.mark.layer_one(0, 1, 2, 3, 4, 5, 6, 7)
@pytest.mark.parametrize("name", [name for name in names() if name in STORED and name not in NESTED | CIRCULAR])
def test_the_relation_holds_of_forward_and_of_nothing_near_it(name: str) -> None:
    model = build(name)
    settings = {p.name: VALUES[p.name] / (10**6 if p.upper is not None else 1) for p in model.parameters}
    if model.alphabet:  # the weights of these recipes are multiples of a positive c
        settings = {name: abs(value) for name, value in settings.items()}
    found = inputs(model)
    assert len(found) >= 5
    compared = Compared(model, settings)
    for given in found:
        compared.agrees(given)


@pytest.mark.parametrize("m", [2, 4])
def test_the_relation_holds_where_sinusoids_are_rational(m: int) -> None:
    model = build("modulo-angle")
    compared = Compared(model, {"m": Fraction(m)})
    for given in inputs(model)[::4]:
        compared.agrees(given)


def test_the_relation_has_the_sinusoids_of_the_model() -> None:
    """Whose values are irrational: against balls of the model's run."""
    model = build("sinusoidal")
    env: dict[str, Any] = {**FUNCTIONS, "n": Fraction(3)}
    outputs = model.run("aaa", "ball", digits=60).outputs or []
    for name in model.embedding.space.names:
        env[name] = {i: CONTEXT.mpf(row[name]["mid"]) for i, row in enumerate(outputs, 1)}
    run = tree_of(Recorded(to_document(model)).run())
    assert truth(run, env, {})
    for name in model.embedding.space.names:
        assert not truth(run, env | {name: env[name] | {2: env[name][2] + CONTEXT.mpf(10) ** -20}}, {})


@pytest.mark.sweep
def test_stored_models_equal_their_recipes_and_constructions() -> None:
    stored = {path.stem: path.read_text(encoding="ascii") for path in (proofs_directory() / "models").glob("*.json")}
    assert set(OTHERS) <= set(stored)
    made = {name: OTHERS[name]() if name in OTHERS else build(name) for name in stored}
    assert stored == {name: dumps(model) for name, model in made.items()}


@pytest.mark.layer_one(0)
@in_parts(32, "name", [name for name in OTHERS if "layernorm" not in name and name not in NESTED])
def test_the_relation_of_a_model_without_recipe(name: str) -> None:
    model = OTHERS[name]()
    compared = Compared(
        model, {p.name: Fraction(1, 3) if p.default is None else Fraction(str(p.default)) for p in model.parameters}
    )
    for given in inputs(model):
        compared.agrees(given)


def test_the_stored_dyck_k_d_and_the_formula_of_its_language() -> None:
    """By running the stored model and by the right side of the proved statement, against the reference by a stack: all
    words to length 5, and deeper ones, of which some have five unclosed brackets or close one kind by the other."""
    model = load(proofs_directory() / "models" / "dyck-k-d.json")
    language, symbols = dyck_bounded("()[]", 4), "()[]"
    assert check(model, language, 6).holds
    side = texts()["lem.dyck_k_d"].partition("(accept(dyck-k-d) <-> ")[2].rpartition(")")[0]
    formula = tree_of(side)
    words = ["".join(w) for n in range(1, 6) for w in itertools.product(symbols, repeat=n)]
    deep = ["([([])])[]", "(([[]]))", "((((()))))", "[[([[]])]]", "(([[]))]]", "([([)])]", "()" * 5, "[]([([])])"]
    verdicts = []
    for word in [*words, *deep]:
        values = {i: Fraction(symbols.index(symbol)) for i, symbol in enumerate(word, 1)}
        verdicts.append(language(word))
        assert truth(formula, {"n": Fraction(len(word)), "w": values}, {}) == verdicts[-1], word
        if len(word) > 6:
            assert model.run(word).accept == verdicts[-1], word
    assert verdicts[-len(deep) :] == [True, True, False, False, False, False, True, True]


def test_a_long_relation_is_bracketed_and_says_the_same() -> None:
    """Over 128 parts are bracketed in halves: the same ones in the same order, nested less deep."""

    def depth(tree: Any) -> int:
        return 1 + max(map(depth, tree[1:])) if tree[0] == "&" else 0

    long, short = (Relation(stored_model(f"{name}-layernorm-surer")) for name in ("parity", "first"))
    assert len(long.equations) > 128 >= len(short.equations)
    for relation in (long, short):
        roots = [f"0 < {deviation}" for deviation in relation.deviations]
        each = [tree_of(f"(all i in 0..n - 1. {equation})") for equation in [*relation.equations, *roots]]
        whole = tree_of(relation.run())
        assert list(conjuncts(whole)) == each
        assert depth(whole) < 128


# --- Generated models: every mask, weighting and placement ------------------------------------------------------------

TABLE = {"a": {"x": 1, "y": 0}, "b": {"x": "-1/2", "y": 1}, "^": {"x": 1, "y": -1}, "$": {"x": 0, "y": "1/3"}}
PRODUCT = [(m, w, p) for p in PLACEMENTS for m in MASKS for w in WEIGHTINGS]
BATTERY = pairwise(list(MASKS), list(WEIGHTINGS), list(PLACEMENTS))


def norm(placement: str, which: str = "uv", epsilon: Any = 0) -> tuple[LayerNorm, ...]:
    """Two entries, so that the normalised ones are 1 and -1 (or zero where they are equal): rational."""
    if placement == "none":
        return ()
    if placement in ("post", "pre"):
        return (LayerNorm(("x", "y"), gain=["1/2", 2], bias=[0, "-1/3"], epsilon=epsilon, zero_variance="zero"),)
    one = LayerNorm(("y", "x"), tuple(which), ["-1", "1/2"], ["1/4", 0], epsilon, [[1, 0], [1, "1/2"]], "zero")
    two = LayerNorm(("x",), ("s", "t"), [2, 1], [0, 1], epsilon, [[1], ["1/3"]], "zero")
    return (one,) if placement == "projected pre" else (one, two)


def generated(mask: str, weighting: str, placement: str) -> Transformer:
    """Two layers; positions from 0 or 1, added tokens, one or two heads and what they write change with the place."""
    k = PRODUCT.index((mask, weighting, placement))
    first, second = ("x", "y") if placement in ("none", "post", "pre") else ("u", "v")
    scored = Head(
        (first, second),
        ("y", "x") if k % 2 else ("y",),
        Q=[[1, 0], [0, "1/2"]],
        K=[[0, 1], [1, 0]],
        V=[["2/3", 1], [0, -1]][: 1 + k % 2],
        mask=mask,
        weighting=weighting,
        temperature=("1/2", "1/(i + 1)", "n")[k % 3],
    )
    even = Head((second,), ("y",), Q=[[0]], K=[[1]], V=[[1]], mask=mask, weighting=weighting)
    test = FeedForward((first, second), ("x",), [[1, -1], [0, 2]], [0, "1/2"], [[1, "-1/2"]], ["1/5" if k % 3 else 0])
    heads = (scored, even) if k % 4 < 3 else (scored,)
    layer = Layer(SelfAttention(heads), test, norm(placement), norm(placement), placement)
    last = Layer(SelfAttention((even,)), None, norm(placement), (), placement)
    embedding = Embedding(
        Space(("x", "y")),
        words=TABLE,
        positions={"y": "(-1)^i"} if k % 5 == 0 else {},
        start=k % 2,
        before="^" if k % 3 else None,
        after="$" if k % 3 == 2 else None,
    )
    final = norm("post")[0] if k % 7 == 0 else None
    readout = Readout("sign", ("first", "last", "all")[k % 3], ("x", "y"), [[1, "-1/2"]])
    return Transformer("generated", embedding, (layer, last), readout, final_norm=final)


@pytest.mark.sweep
@in_parts(3, ("mask", "weighting", "placement"), BATTERY)
def test_every_mask_weighting_and_placement(mask: str, weighting: str, placement: str) -> None:
    """All words to length 3, and two of length 4 that are no palindromes."""
    model = generated(mask, weighting, placement)
    compared = Compared(model)
    for n in range(0 if model.embedding.added else 1, 4):
        for word in itertools.product("ab", repeat=n):
            compared.agrees(word)
    compared.agrees("abbb")
    compared.agrees("babb")


@pytest.mark.parametrize("start", [0, 1])
def test_positions_with_floor_mod_and_sign(start: int) -> None:
    """As position functions and in a temperature; a coordinate is called like what their terms bind."""
    positions = {"q": "mod(i, 3) + floor((i - 1)/2)", "y": "sum(j, 1, floor(n/2), I[j < i])*sign(i - 2)"}
    words = {"a": {"x": 1}, "b": {"x": "-1/2", "q": 1}, "$": {"y": 1}}
    embedding = Embedding(Space(("x", "q", "y")), words=words, positions=positions, start=start, after="$")
    how = {"mask": "future", "weighting": "softmax", "temperature": "1 + mod(i, 2)"}
    head = Head(("x", "q"), ("y",), [[1, 0]], [[0, 1]], [[1, 1]], **how)
    readout = Readout("sign", "last", ("x", "q", "y"), [[1, "-1/2", 1]])
    compared = Compared(Transformer("rounded", embedding, (Layer(SelfAttention((head,)), None),), readout))
    for n in range(5):
        for word in itertools.product("ab", repeat=n):
            compared.agrees(word)


def test_a_changed_model_has_another_relation() -> None:
    """What forward computes for one mask or weighting fails the relation of another at some short word."""
    for kind, values in (("mask", MASKS), ("weighting", WEIGHTINGS)):
        for old, new in itertools.permutations(values, 2):
            model = generated(*((old, "average") if kind == "mask" else ("none", old)), "none")
            document = json.loads(json.dumps(to_document(model)))
            for layer in document["layers"]:
                for head in layer["attention"]:
                    head[kind] = new
            right, wrong = Recorded(to_document(model)), tree_of(Relation(document).run())
            words = [word for n in (1, 2, 3) for word in itertools.product("ab", repeat=n)]
            assert any(not truth(wrong, environment(model, right, word)[0], {}) for word in words), (old, new)


def test_an_empty_window_gives_zero_whatever_the_scores() -> None:
    for weighting in WEIGHTINGS:
        for scored in (0, 1):
            head = Head(("x",), ("y",), Q=[[scored]], K=[[1]], V=[[1]], mask="strict-future", weighting=weighting)
            embedding = Embedding(Space(("x", "y")), inputs=("x",))
            model = Transformer("m", embedding, (Layer(SelfAttention((head,))),), Readout("value", "each", ("y",)))
            text = tree_of(Relation(to_document(model)).run())
            cells = {"n": Fraction(1), "x": {1: Fraction(5)}}
            assert truth(text, {**cells, "y": {1: Fraction(0)}}, {})
            assert not truth(text, {**cells, "y": {1: Fraction(5)}}, {})


# --- Layer norms with roots, and at zero variance ---------------------------------------------------------------------


def rows_of(*inputs: str, repeat: int = 1) -> list[Any]:
    numbers = (Fraction(-2), Fraction(0), Fraction(1, 3), Fraction(1))
    rows = [dict(zip(inputs, row, strict=True)) for row in itertools.product(numbers, repeat=len(inputs))]
    return [list(chosen) for chosen in itertools.product(rows, repeat=repeat)]


@together("placement", PLACEMENTS)
@together("epsilon", ["0", "1/7"])
def test_a_norm_of_three_entries_has_its_root(placement: str, epsilon: str) -> None:
    gain, bias = ["1/2", -1, 2], [0, "1/3", -1]
    whole = LayerNorm(("x", "y", "c"), gain=gain, bias=bias, epsilon=epsilon, zero_variance="zero")
    rows = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]
    part = LayerNorm(("x", "y", "c"), ("s", "t", "u"), gain, bias, epsilon, rows, "zero")
    other = LayerNorm(("y", "x"), ("v",), [1], ["1/5"], 1, [[1, 1]], "zero")
    norms = {"none": (), "post": (whole,), "pre": (whole,), "projected pre": (part,), "multi pre": (part, other)}[
        placement
    ]
    reads = ("s", "t") if "p" in placement and " " in placement else ("x", "y")
    block = FeedForward(reads, ("c", "y"), [[1, -1], [2, 0]], [0, 1], [[1, 1], ["-1/2", 0]], ["1/3", 0])
    layer = Layer(None, block, (), norms, placement)
    embedding = Embedding(Space(("x", "y", "c")), inputs=("x", "y"))
    final = replace(whole, reads=("c", "x", "y"), writes=()) if placement == "none" else None
    model = Transformer("norms", embedding, (layer,), Readout("value", "last", ("c",)), final_norm=final)
    compared = Compared(model)
    for row in rows_of("x", "y"):
        compared.agrees(row)


def test_rows_have_positions_where_some_layer_attends() -> None:
    """One layer with a head and one without: each row has its place, before and behind the head."""
    head = Head(("x",), ("y",), [[0]], [[0]], [[1]], "future")
    block = FeedForward(("y", "x"), ("z",), [[1, 0], [0, 1]], [0, "1/2"], [[2, -1]], [1])
    embedding, readout = Embedding(Space(("x", "y", "z")), inputs=("x",)), Readout("value", "last", ("z",))
    attends, other = Layer(SelfAttention((head,))), Layer(None, block)
    for layers in ((attends, other), (other, attends)):
        compared = Compared(Transformer("rows", embedding, layers, readout))
        for rows in rows_of("x", repeat=2)[::3]:
            compared.agrees(rows)


# --- Inputs that have no run ------------------------------------------------------------------------------------------


def has_run(model: Transformer, given: Any) -> bool:
    """Whether `forward` takes the input, with every position and coordinate computed."""
    try:
        streams(model, prepare(model, given)[0])
    except BadInput:
        return False
    return True


def refusing(model: Transformer) -> Transformer:
    """The same model with norms that refuse zero variance."""
    return loads(dumps(model).replace('"zero_variance": "zero"', '"zero_variance": "refuse"'))


class Asked:
    """A model whose norms refuse zero variance, beside the one whose norms give zero, which has all runs."""

    def __init__(self, taking: Transformer) -> None:
        self.taking, self.model = taking, refusing(taking)
        self.same = Recorded(to_document(taking))
        self.relation = Recorded(to_document(self.model))
        self.run = tree_of(self.relation.run())
        self.found: dict[bool, int] = {True: 0, False: 0}

    def answers(self, given: Any) -> None:
        """The relation holds of an input that has a run; of another it holds with no values of what a norm makes."""
        env, *_ = environment(self.taking, self.same, given)
        right = has_run(self.model, given)
        self.found[right] += 1
        assert truth(self.run, env, {}) == right, given
        made = [name for *_, mean_and_root, made in self.same.norms for name in made.values()]
        for value in (Fraction(0), Fraction(-5, 3)) if not right else ():
            other = {name: dict.fromkeys(env[name], value) if isinstance(env[name], dict) else value for name in made}
            assert not truth(self.run, {**env, **other}, {}), given


@pytest.mark.layer_one(0)
@in_parts(2, "placement", [p for p in PLACEMENTS if p != "none"])
@together("mask", ["none", "strict-future", "past"])
def test_the_relation_holds_of_words_that_have_a_run(placement: str, mask: str) -> None:
    asked = Asked(generated(mask, "average", placement))
    for n in range(0 if asked.model.embedding.added else 1, 4):
        for word in itertools.product("ab", repeat=n):
            asked.answers(word)


def test_both_kinds_of_words_are_met() -> None:
    """Else the test above compares nothing."""
    found = {True: 0, False: 0}
    for placement, mask in itertools.product([p for p in PLACEMENTS if p != "none"], ["none", "past"]):
        model = refusing(generated(mask, "average", placement))
        for word in (w for n in (1, 2, 3) for w in itertools.product("ab", repeat=n)):
            found[has_run(model, word)] += 1
    assert min(found.values()) > 10, found


@together("placement", PLACEMENTS)
def test_the_relation_holds_of_rows_that_have_a_run(placement: str) -> None:
    whole = LayerNorm(("x", "y", "c"), gain=["1/2", -1, 2], bias=[0, "1/3", -1], zero_variance="zero")
    part = LayerNorm(("x", "y"), ("s", "t"), [1, 1], [0, 0], 0, [[1, 0], [0, 2]], "zero")
    norms = {"none": (), "post": (whole,), "pre": (whole,), "projected pre": (part,), "multi pre": (part,)}[placement]
    reads = ("s", "t") if " " in placement else ("x", "y")
    block = FeedForward(reads, ("c",), [[1, -1]], [0], [[1]], [0])
    final = LayerNorm(("c", "x", "y"), zero_variance="zero") if placement == "none" else None
    layer = Layer(None, block, (), norms, placement)
    embedding = Embedding(Space(("x", "y", "c")), inputs=("x", "y"))
    asked = Asked(Transformer("m", embedding, (layer,), Readout("value", "last", ("c",)), final_norm=final))
    for row in [*rows_of("x", "y"), [{"x": Fraction(2), "y": Fraction(1)}]]:
        asked.answers(row)
    assert asked.found[True] and asked.found[False]


@pytest.mark.parametrize(
    ("epsilon", "way", "asks"),
    [
        ("0", "refuse", True),
        ("1/7", "refuse", False),
        ("0", "zero", False),
        ("e", "refuse", True),
        ("e", "zero", False),
    ],
)
def test_a_deviation_is_asked_for_where_it_may_be_zero(epsilon: str, way: str, asks: bool) -> None:
    norm_of = LayerNorm(("x", "y"), epsilon=epsilon, zero_variance=way)
    block = FeedForward(("x",), ("y",), [[1]], [0], [[1]], [0])
    layer = Layer(None, block, (), (norm_of,), "post")
    embedding = Embedding(Space(("x", "y")), inputs=("x", "y"))
    symbols = (Parameter("e", 0),) if epsilon == "e" else ()
    model = Transformer("m", embedding, (layer,), Readout("value", "last", ("x",)), parameters=symbols)
    assert ("0 < dev1" in Relation(to_document(model)).run()) == asks


TEMPERATURES = ["n - 5/2", "n - 2", "i - 3/2", "5/2 - i", "n - i", "i - n + 3/2", "2^(-n)", "2^(2 - i)", "1/(i + 1)"]


@together("temperature", TEMPERATURES)
@together("start", [0, 1])
@together("scored", [0, 1])
def test_every_temperature_is_positive_in_a_run(temperature: str, start: int, scored: int) -> None:
    head = Head(("x",), ("y",), Q=[[scored]], K=[[1]], V=[[1]], weighting="softmax", temperature=temperature)
    embedding = Embedding(Space(("x", "y")), {"a": {"x": 1}, "b": {"x": "-1/2"}}, start=start)
    model = Transformer("m", embedding, (Layer(SelfAttention((head,))),), Readout("sign", "last", ("y",), [[1]]))
    relation = Relation(to_document(model))
    needs, compared = [tree_of(one) for one in relation.needs()], Compared(model)
    for word in ("a", "ab", "aba", "abba"):
        right = has_run(model, word)
        assert all(truth(one, {"n": Fraction(len(word)), **FUNCTIONS}, {}) for one in needs) == right, word
        if right:
            compared.agrees(word)


@together(("before", "after"), [(None, None), ("^", None), (None, "$"), ("^", "$")])
@together("most", [1, 2, 3, 5])
def test_the_greatest_length_counts_added_tokens(before: str | None, after: str | None, most: int) -> None:
    embedding = Embedding(Space(("x",)), {t: {"x": 1} for t in "^ab$"}, before=before, after=after)
    block = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
    layers = (Layer(None, block),)
    model, free = (
        Transformer("m", embedding, layers, Readout("value", "last", ("x",)), max_length=m) for m in (most, None)
    )
    same, run = Recorded(to_document(free)), tree_of(Relation(to_document(model)).run())
    for n in range(0 if embedding.added else 1, 5):
        word = embedding.alphabet[:1] * n
        assert truth(run, environment(free, same, word)[0], {}) == has_run(model, word), word


def test_the_greatest_length_of_a_model_of_numbers() -> None:
    document = to_document(build("lookup-one-hot"))
    assert Relation(document).run().startswith("n <= 8 & ")
    assert "n <=" not in Relation({**document, "max_length": None}).run()


# --- Activations, tokens that the model adds, names -------------------------------------------------------------------


@together("activation", ["relu", "step", "gelu"])
def test_activations(activation: str) -> None:
    block = FeedForward(("x",), ("out",), [[1], [-2]], [0, "1/3"], [[1, "-1/2"]], ["1/7"], activation)
    embedding = Embedding(Space(("x", "out")), inputs=("x",))
    model = Transformer("m", embedding, (Layer(None, block),), Readout("value", "last", ("out",)))
    for x in NUMBERS:
        Compared(model).agrees({"x": x})
        if activation != "gelu":
            continue
        value = model.run({"x": x}, "mpmath", bits=300).output["out"]
        run, env = tree_of(Relation(to_document(model)).run()), {**FUNCTIONS, "x": x}
        assert truth(run, {**env, "out": CONTEXT.mpf(value)}, {})
        assert not truth(run, {**env, "out": CONTEXT.mpf(value) + CONTEXT.mpf(10) ** -20}, {})


@together("start", [0, 1])
@together(("before", "after"), [(None, None), ("^", None), (None, "$"), ("^", "$"), ("$", "$")])
def test_words_are_those_that_forward_gets(start: int, before: str | None, after: str | None) -> None:
    embedding = Embedding(Space(("x",)), {t: {"x": 1} for t in "^ab$"}, start=start, before=before, after=after)
    block = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
    model = Transformer("m", embedding, (Layer(None, block),), Readout("value", "last", ("x",)))
    word = tree_of(Relation(to_document(model)).word())
    typed = [t for n in range(0 if embedding.added else 1, 4) for t in itertools.product(embedding.alphabet, repeat=n)]
    right = {tuple(map("^ab$".index, model.tokens(t))) for t in typed}
    for n in range(1, 4):
        for given in itertools.product(range(-1, 5), repeat=n):
            env = {"n": Fraction(n), "w": {i: Fraction(t) for i, t in enumerate(given, start)}}
            shortcut = env["w"] | {start - 1: Fraction(9), start + n: Fraction(9)}  # read only where n is too small
            assert truth(word, {**env, "w": shortcut}, {}) == (given in right), given


FALLING = ["2^(n - i)", "(i + 1)^(2 - i)", "i^(-n)", "(1/3)^(-i)", "(-2)^(-i)", "(-1/2)^(i - n)", "(n*i)^(1 - i - n)"]


@together("text", FALLING)
def test_a_power_whose_exponent_falls_keeps_its_value(text: str) -> None:
    """pow is defined for exponents from 0 on: what falls is a power of the inverse."""
    tree = parse_term(_readable(text))
    for i, n in itertools.product(range(1, 5), repeat=2):
        values = {"i": Fraction(i), "n": Fraction(n)}
        assert rational(tree, values) == rational(parse_term(text), values)


def test_fresh_names_step_aside() -> None:
    space = Space(("x", "z1_x", "y1_x", "mu1"))
    norm_of = LayerNorm(tuple(space), zero_variance="zero")
    block = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
    layer = Layer(None, block, (), (norm_of,), "pre")
    model = Transformer("m", Embedding(space, inputs=tuple(space)), (layer,), Readout("value", "last", ("x",)))
    text = Relation(to_document(model)).run()
    assert "mu1_ = " in text and "(y1_x_)*dev1" in text and "z1_x_ = x + relu(y1_x_)" in text


# --- What is refused --------------------------------------------------------------------------------------------------


def test_a_softmax_head_and_a_second_write_have_equations() -> None:
    document = json.loads(json.dumps(to_document(build("dyck-1"))))
    head = document["layers"][0]["attention"][0]
    head["Q"], head["K"], head["weighting"], head["temperature"] = [["1"]], [["2"]], "softmax", "1/(n + 1)"
    document["layers"][0]["feedforward"]["writes"] = ["balance"]
    text = Relation(document).run()
    assert text.startswith("0 < 1/(n + 1) & ")
    assert "exp(2*token(i)*token(j)/(1/(n + 1)))" in text
    assert "z1_balance(i) = balance(i) + relu(-balance(i))" in text


@together(
    ("scale", "temperature", "q", "k", "written"),
    [
        ("1/3", "1", [["3*c", "0"]], [["-1", "0"]], "-c*x(i)*x(j)"),
        ("sqrt(6)/6", "1", [["c*sqrt(6)", "0"]], [["1", "0"]], "(1/6)*sqrt(6)*c*sqrt(6)*x(i)*x(j)"),
        ("1/2", "3", [["2", "0"]], [["-1/2", "0"]], "(-1/6)*x(i)*x(j)"),
        ("1/2", "3", [["2", "-1"]], [["0", "-6"]], "-(2*x(i) + -y(i))*y(j)"),
        ("2", "n", [["1", "0"], ["0", "1"]], [["3", "0"], ["0", "1/2"]], "2*(3*x(i)*x(j) + (1/2)*y(i)*y(j))/n"),
        ("1", "c", [["1/2", "1/3"]], [["2*c", "1"]], "((1/2)*x(i) + (1/3)*y(i))*((2*c)*x(j) + y(j))/c"),
    ],
)
def test_products_are_written_with_one_number(
    scale: str, temperature: str, q: list[list[str]], k: list[list[str]], written: str
) -> None:
    head = Head(("x", "y"), ("y",), q, k, [[1, 0]], weighting="softmax", scale=scale, temperature=temperature)
    embedding = Embedding(Space(("x", "y")), inputs=("x", "y"))
    constant = (Parameter("c", 1, lower=0, lower_open=True),)
    layers, readout = (Layer(SelfAttention((head,))),), Readout("value", "last", ("y",))
    model = Transformer("m", embedding, layers, readout, parameters=constant)
    text = Relation(to_document(model)).run()
    assert f"exp({written})" in text
    rows = [
        " * ".join(f"(({a})*x({at}) + ({b})*y({at}))" for (a, b), at in ((one, "i"), (other, "j")))
        for one, other in zip(q, k, strict=True)
    ]
    numbers = {"x": {1: Fraction(2), 2: Fraction(3)}, "y": {1: Fraction(5), 2: Fraction(7)}}
    env = {**FUNCTIONS, **numbers, "i": Fraction(1), "j": Fraction(2), "n": Fraction(2), "c": Fraction(4)}
    plainly = f"({scale})/({temperature})*({' + '.join(rows)})"
    assert truth(tree_of(f"{written} = {plainly}"), env, {})
    assert not truth(tree_of(f"{written} = {plainly} + 1/10^20"), env, {})


@together(
    ("written", "same"),
    [("2*3", "6"), ("2*(3*c)", "6*c"), ("4/(2*3)", "2/3"), ("-2*(3*-c)", "6*c"), ("c*2/3", "2*c/3")],
)
def test_a_number_is_the_product_of_all_its_factors(written: str, same: str) -> None:
    """As a file may write a scale, beside the same as one number."""

    def relation(scale: str) -> str:
        document = json.loads(json.dumps(dict(stored_model("parity"))))
        document["layers"][1]["attention"][0]["scale"] = scale
        return Relation(document).run()

    assert relation(written) == relation(same) != relation("2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run(no-such-model)", "stored model"),
        ("run(../../etc)", "run(../../etc)"),
        ("accept(gtzero)", "accept needs a readout zero or sign"),
        ("word(gtzero)", "alphabet"),
    ],
)
def test_bad_names_are_refused_or_left_alone(text: str, said: str) -> None:
    if said == text:
        assert expand(text) == text
    else:
        with pytest.raises(BadInput, match=said):
            expand(text)


SPACE = ["token", "balance", "error", "total"]
NORM = {
    "reads": SPACE,
    "writes": SPACE,
    "gain": [["1"]] * 4,
    "bias": [["0"]] * 4,
    "epsilon": "0",
    "projection": None,
    "zero_variance": "zero",
}
PROJECTED = NORM | {"writes": ["token"], "gain": [["1"]], "bias": [["0"]], "projection": [["1", "0", "0", "0"]]}


def normed(placement: str, *norms: Any) -> Any:
    return lambda d: d["layers"][0].update(placement=placement, attention_norms=list(norms), feedforward=None)


@together(
    ("change", "said"),
    [
        (lambda d: d["layers"][0]["attention"][0].update(mask="sliding"), "masks"),
        (lambda d: d["layers"][0]["attention"][0].update(weighting="sparsemax"), "weighting"),
        (lambda d: d["layers"][0]["feedforward"].update(activation="gelu-tanh"), "activations"),
        (lambda d: d["layers"][0]["attention"][0].update(reads=["height"]), "coordinates"),
        (lambda d: d["layers"][0]["attention"][0].update(writes=["height"]), "coordinates"),
        (normed("post", NORM | {"reads": SPACE[:3], "writes": SPACE[:3]}), "norms"),
        (normed("post", NORM | {"epsilon": "gamma"}), "symbols"),
        (normed("post", NORM | {"gain": [["x(1)"]] * 4}), "functions"),
        (normed("pre", NORM, NORM), "norms"),
        (normed("pre", PROJECTED), "norms"),
        (normed("none", NORM), "norms"),
        (normed("sideways", NORM), "norms"),
        (normed("sideways", PROJECTED), "norms"),
        (normed("multi pre"), "norms"),
        (normed("multi pre", PROJECTED, PROJECTED), "norms"),
        (normed("projected pre", NORM), "norms"),
        (normed("projected pre", PROJECTED | {"writes": ["a) & (0"]}), "norms"),
        (normed("projected pre", PROJECTED | {"writes": ["a"]}), "coordinates"),
        (normed("projected pre", PROJECTED | {"zero_variance": "one"}), "norms"),
        (lambda d: d.update(final_norm=PROJECTED), "norms"),
    ],
)
def test_what_has_no_equations_is_refused(change: Any, said: str) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    change(document)
    with pytest.raises(BadInput, match=said):
        Relation(document)


@together("where", ["Q", "K", "V", "W1", "W2", "b1", "b2"])
def test_a_weight_that_is_no_text_is_refused(where: str) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    layer = document["layers"][0]
    part = layer["attention"][0] if where in "QKV" else layer["feedforward"]
    for row, column in itertools.product(range(len(part[where])), range(len(part[where][0]))):
        changed = json.loads(json.dumps(document))
        layer = changed["layers"][0]
        (layer["attention"][0] if where in "QKV" else layer["feedforward"])[where][row][column] = 3
        with pytest.raises(BadInput, match="text"):
            Relation(changed).run()


@pytest.mark.parametrize("change", [normed("projected pre", PROJECTED), lambda d: d.update(final_norm=NORM)])
def test_the_norms_above_are_refused_for_what_was_changed(change: Any) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    change(document)
    Relation(document)


@pytest.mark.parametrize("kind", ["largest", "distribution", "value"])
def test_only_a_decision_can_be_accepted(kind: str) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    document["readout"]["kind"] = kind
    with pytest.raises(BadInput, match="accept needs a readout zero or sign"):
        Relation(document).accept()
