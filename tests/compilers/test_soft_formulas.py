"""Formulas with soft attention, right at every length: against truths that are found here by a recursion, and with a
fault planted in each construction, which a check must find."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import test_counting as counting
import test_formulas as temporal
from flint import fmpq
from shared import call, document, refused

import symcook as sc
from symcook.compilers import formula as compiler
from symcook.compose.cooling import all_heads
from symcook.domains.ball import BallDomain
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.model.modelfile import dumps, loads, model_hash
from symcook.programs import shipped
from symcook.proof.programs import compiledprograms
from symcook.verify.sweep import check

TAUS = (None, 1)


def bits(model: sc.Transformer, word: str) -> list[Fraction | None]:
    """The coordinate that is shown at each position, in balls: a number where it has no radius, else None."""
    result = forward(model, model.tokens(word), BallDomain(128))
    column: list[Any] = list(result.stream[model.readout.reads[0]])
    return [Fraction(int(x.p), int(x.q)) if isinstance(x, fmpq) else None for x in column]


def words(longest: int, letters: str = "ab") -> list[str]:
    return ["".join(word) for n in range(1, longest + 1) for word in product(letters, repeat=n)]


def drawn(r: random.Random, operators: int) -> tuple[Any, str]:
    """A formula that is true here and false there on longer words."""
    while True:
        tree = temporal.drawn(r, operators, "ab")
        seen = {bit for word in ("abbabaab", "bbabaaab", "aaaabbbb") for bit in temporal.truth(tree, word)[2:-2]}
        if len(seen) == 2:
            return tree, temporal.written(tree)


@pytest.mark.layer_one(2, 3, 4, 6, 7, 9, 10, 11)
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("seed", range(6))
def test_soft_formulas_are_right_on_all_short_words_and_some_long_ones(seed: int, tau: int | None) -> None:
    r = random.Random(seed)
    tree, source = drawn(r, r.randrange(1, 9))
    model = sc.compile("ltl", source, alphabet="ab", soft=True, tau=tau)
    long = ["".join(r.choice("ab") for _ in range(r.randrange(8, 41))) for _ in range(4)]
    for word in [*words(4 if seed else 7), *long]:
        assert bits(model, word) == list(temporal.truth(tree, word)), (source, word)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("seed", range(4))
def test_soft_counts_are_right(seed: int, tau: int | None) -> None:
    r = random.Random(100 + seed)
    tree = counting.drawn(r, r.randrange(2, 6))
    model = sc.compile("count", counting.written(tree), alphabet="ab", soft=True, tau=tau)
    long = ["".join(r.choice("ab") for _ in range(r.randrange(8, 30))) for _ in range(2)]
    tables = "TABLE" in counting.written(tree)  # these reach five letters
    for word in [*words(4), *([] if tables else long)]:
        assert bits(model, word) == list(counting.truth(tree, word)), (counting.written(tree), word)


CONSTRUCTIONS = {
    "prev": ("ltl", "prev Q_a"),
    "next": ("ltl", "next (Q_a & ~next Q_a)"),
    "since": ("ltl", "~Q_b since Q_a"),
    "until": ("ltl", "~Q_b until Q_a"),
    "compare": ("count", "#left[Q_a] > #left[Q_b]"),
    "right": ("count", "#right[Q_a] = 2"),
    "modulo": ("count", "MOD(3, 1)(#left[Q_a])"),
    "outputs": ("ltl", "output x = prev Q_a; output y = once Q_b; output z = true;"),
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_the_answers_are_those_of_the_program_at_every_position(name: str, tau: int | None) -> None:
    kind, source = CONSTRUCTIONS[name]
    model = sc.compile(kind, source, alphabet="abc", soft=True, tau=tau)
    hard = sc.compile(kind, source, alphabet="abc")
    for word in words(4, "abc"):
        assert model.run(word, "ball").outputs == hard.run(word).outputs, word


def test_a_soft_model_has_softmax_alone_and_temperatures_that_go_with_the_length() -> None:
    model = sc.compile("count", "(Q_a since prev Q_b) & ODD(#left[Q_a])", alphabet="ab", soft=True)
    assert {head.weighting for head in all_heads(model)} == {"softmax"}
    assert {str(head.temperature) for head in all_heads(model)} == {"1/n"}
    plain = sc.compile("ltl", "Q_a since prev Q_b", alphabet="ab", soft=True, tau=1)
    assert {(head.weighting, str(head.temperature)) for head in all_heads(plain)} == {("softmax", "1")}
    assert {head.mask for head in all_heads(plain)} == {"future"}
    assert all("n" not in str(function) for function in plain.embedding.positions.values())  # one table of positions


def planted(model: sc.Transformer, change: Any, where: Any = lambda head: True) -> sc.Transformer:
    """The model with the first head, of those asked for, changed."""
    done = False
    layers = []
    for layer in model.layers:
        heads = []
        for head in layer.attention.heads if layer.attention else ():
            hit = not done and where(head)
            heads.append(change(head) if hit else head)
            done = done or hit
        layers.append(layer if layer.attention is None else replace(layer, attention=sc.SelfAttention(tuple(heads))))
    assert done
    return replace(model, layers=tuple(layers))


def wrong(model: sc.Transformer) -> int:
    """How many words of up to four letters are answered otherwise than the program says (undecided ones count)."""
    from symcook.spec.programs import reference

    assert model.program is not None
    right = reference(model.program)
    return check(model, right, 4, domain="ball").mismatches


def scored(head: Any) -> bool:
    return not head.uniform


def placed(**changed: str) -> Any:
    """Other position functions."""

    def change(m: sc.Transformer) -> sc.Transformer:
        assert set(changed) <= set(m.embedding.positions)
        return replace(m, embedding=replace(m.embedding, positions={**m.embedding.positions, **changed}))

    return change


FAULTS: dict[str, tuple[str, str, Any]] = {
    "mask of prev": ("ltl", "prev Q_a", lambda m: planted(m, lambda h: replace(h, mask="future"))),
    "mask of next": ("ltl", "next Q_a", lambda m: planted(m, lambda h: replace(h, mask="past"))),
    "tie of since": ("ltl", "~Q_b since Q_a", lambda m: planted(m, lambda h: replace(h, K=-h.K))),
    "no tie-break": ("ltl", "~Q_b since Q_a", placed(share="0")),
    "tie of until": ("ltl", "~Q_b until Q_a", placed(share="1 - i/n")),
    "index of a count": ("count", "#left[Q_a] = 2", placed(index="2*i")),
    "count 0": ("count", "#left[Q_a] = 0", placed(before="max(i - 1, 1)")),
    "temperature": ("ltl", "~Q_b since Q_a", lambda m: planted(m, lambda h: replace(h, temperature=10), scored)),
    "rounding": ("ltl", "~(prev Q_a)", None),
}


PLAIN: dict[str, tuple[str, str, Any]] = {
    "the first position of prev": ("ltl", "prev Q_a", placed(later="1")),
    "index of prev": ("ltl", "prev Q_a", placed(before="i")),
    "tie of since": ("ltl", "~Q_b since Q_a", placed(inverse="i/n")),
    "factor of since": ("ltl", "~Q_b since Q_a", placed(square="1/4")),
    "mask of since": ("ltl", "~Q_b since Q_a", lambda m: planted(m, lambda h: replace(h, mask="none"))),
    "factor of until": ("ltl", "~Q_b until Q_a", placed(length="1/4")),
    "keys of a count": ("count", "#left[Q_a] = 2", placed(index_scaled="i*n/2")),
}


@pytest.mark.layer_one(15)
@pytest.mark.parametrize("tau, fault", [*((None, name) for name in FAULTS), *((1, name) for name in PLAIN)])
def test_a_planted_fault_is_found_by_check(tau: int | None, fault: str) -> None:
    kind, source, change = (PLAIN if tau else FAULTS)[fault]
    model = sc.compile(kind, source, alphabet="ab" if kind == "count" else "abc", soft=True, tau=tau)
    assert wrong(model) == 0
    if change is None:  # rounding at 1/2 + 1/4 upwards only: the lower unit is lost
        layers = []
        for layer in model.layers:
            network = layer.feedforward
            if network is not None:
                network = replace(network, b1=network.b1 * 2)
            layers.append(replace(layer, feedforward=network))
        bad = replace(model, layers=tuple(layers))
    else:
        bad = change(model)
    assert wrong(bad) > 0


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("tau", TAUS)
def test_the_exported_model_answers_in_onnxruntime(tau: int | None) -> None:
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from symcook.export import archive
    from symcook.export.files import FORMATS

    source = "(Q_b & prev (~Q_c since Q_a)) | next Q_a & #left[Q_b] > #right[Q_c]"
    model = sc.compile("count", source, alphabet="abc", soft=True, tau=tau)
    hard = sc.compile("count", source, alphabet="abc")
    session = onnxruntime.InferenceSession(FORMATS["onnx"].encode(archive.arrays(model, "float32", 12), "m")[".onnx"])
    place = [one.name for one in session.get_outputs()].index("answer")
    r = random.Random(3)
    for _ in range(40):
        word = "".join(r.choice("abc") for _ in range(r.randrange(1, 13)))
        answer = session.run(None, {"tokens": [["abc".index(a) for a in word]]})[place]
        assert [bool(bit) for bit in answer.ravel()] == hard.run(word).outputs, word


@pytest.mark.sweep
def test_the_plan_names_lemma_gamma_and_error_and_what_is_left(tmp_path: Path, capsys: Any) -> None:
    file, source = tmp_path / "since.json", "prev (~Q_b since Q_a) & ~prev Q_a"
    found = document(capsys, "compile", "ltl", source, "--alphabet", "abc", "--soft", "-o", file)
    assert set(found) == {"file", "layers", "width", "heads", "operators", "certificate", "verdict"}
    code, out, _ = call(capsys, "show", file)
    assert code == 0
    plan = out.partition("\nPlan\n")[2]
    assert "budget" in plan.splitlines()[0]
    assert "Lemma 8b" in plan and "gamma 3" in plan and "left" in plan
    shown = document(capsys, "run", file, "--input", "abca")
    assert set(shown["outputs"]) <= {"0", "1"} and len(shown["outputs"]) == 4
    checked = document(capsys, "check", file, "--max-length", "5")
    assert checked["mismatches"] == 0


def test_the_file_keeps_the_program_and_says_that_it_is_soft() -> None:
    model = sc.compile("ltl", "prev Q_a", alphabet="ab", soft=True, tau=1)
    again = loads(dumps(model))
    assert again == model and again.program == model.program
    assert again.program is not None and again.program.attention == "soft, tau 1"
    assert model_hash(model) != model_hash(sc.compile("ltl", "prev Q_a", alphabet="ab", soft=True))
    hard = sc.compile("ltl", "prev Q_a", alphabet="ab")
    assert hard.program is not None and not hard.program.attention and '"attention": ""' not in dumps(hard)


def test_many_bits_in_one_network_ask_for_a_sharper_head() -> None:
    source = " & ".join(f"({'prev ' * k}Q_a)" for k in range(1, 13))
    model = sc.compile("ltl", source, alphabet="ab", soft=True)
    assert model.program is not None
    gammas = {line[3].partition("gamma ")[2].split(":")[0] for line in model.program.plan if "gamma" in line[3]}
    assert "5" in gammas or "6" in gammas  # twelve bits within 2 e^-gamma: 1/4 needs gamma 5
    for word in ("a" * 13, "a" * 14, "b" + "a" * 12, "a" * 6 + "b" + "a" * 7, "a"):
        assert bits(model, word) == [i >= 12 and set(word[i - 12 : i]) == {"a"} for i in range(len(word))]


def test_a_soft_model_of_twenty_operators_takes_no_time_in_balls() -> None:
    tree, source = drawn(random.Random(5), 20)
    model = sc.compile("ltl", source, alphabet="ab", soft=True)
    r = random.Random(1)
    word = "".join(r.choice("ab") for _ in range(64))
    assert bits(model, word) == list(temporal.truth(tree, word))
    start = process_time()
    bits(model, word)
    assert process_time() - start < 3  # 0.16 s and what a loaded machine adds


@pytest.mark.parametrize("arguments, said", [
    (["--tau", "1"], "--soft"),
    (["--soft", "--tau", "2"], "1"),
    (["--soft", "--theorem", "15a"], "theorem 15a"),
])  # fmt: skip
def test_options_that_do_not_go_together(arguments: list[str], said: str, tmp_path: Path, capsys: Any) -> None:
    err = refused(capsys, "compile", "ltl", "Q_a since Q_b", "--alphabet", "ab", "-o", tmp_path / "m.json", *arguments)
    assert said in err and not (tmp_path / "m.json").exists()


def test_a_soft_model_has_a_certificate_that_the_second_checker_reads(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "m.json"
    source = "(Q_a since prev Q_b) & next Q_a | ~Q_a until Q_b"
    code, out, err = call(capsys, "compile", "ltl", source, "--alphabet", "ab", "--soft", "--prove", "-o", file)
    assert code == 0 and out.rstrip().rpartition("\n")[2].startswith("PROVED"), out + err
    code, out, err = call(capsys, "prove", file)
    assert code == 0 and "PROVED" in out, out + err


PROVABLE = {
    **{name: source for name, source in CONSTRUCTIONS.items() if name != "modulo"},
    "previous of the first position": ("ltl", "prev Q_a <-> prev prev (Q_b | prev Q_a)"),
    "many bits in one network": ("ltl", "prev Q_a & prev prev Q_a & prev prev prev Q_a | next Q_b & next next Q_b"),
    "two lines with one head": ("ltl", "prev ~Q_a & ~prev Q_b | prev (Q_b | Q_c)"),
    "factors": ("count", "2*#left[Q_a] + 3 <= 3*#right[Q_b] - #left[Q_b since Q_a]"),
    "modulo": ("count", "MOD(3, 1)(#right[Q_a])"),
    "table": ("count", "TABLE(01101)(#left[Q_a | prev Q_b])"),
    "nested": ("count", "#left[#left[Q_b] > #left[Q_a]] = 0 & ODD(#left[Q_a])"),
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "tau"), [(name, TAUS[k % 2]) for k, name in enumerate(PROVABLE)])
@pytest.mark.layer_two(every=3)
def test_every_construction_is_proved(name: str, tau: int | None, tmp_path: Path) -> None:
    kind, source = PROVABLE[name]
    assert counting.judged(sc.compile(kind, source, alphabet="abc", soft=True, tau=tau), tmp_path) == "PROVED"


@pytest.mark.layer_one(4)
@pytest.mark.parametrize(("seed", "tau"), [(seed, TAUS[seed % 2]) for seed in range(8)])
def test_certificates_of_soft_formulas_drawn_at_random(seed: int, tau: int | None, tmp_path: Path) -> None:
    r = random.Random(400 + seed)
    if seed % 4:
        kind, source = "ltl", drawn(r, r.randrange(2, 13))[1]
    else:
        kind, source = "count", counting.written(counting.drawn(r, r.randrange(1, 6)))
    assert counting.judged(sc.compile(kind, source, alphabet="ab", soft=True, tau=tau), tmp_path) == "PROVED"


def colder(self: Any) -> int:
    """A gamma that leaves an error of more than 1/4."""
    return 2


def without_ties(self: Any, op: str, one: str, stop: str | None) -> compiler.Retrieval:
    """Scores that do not tell the nearest position from those behind it."""
    form: compiler.Form = {(one, self.at("share", "i/n")): 0, (one, stop or one): 2}
    return compiler.Retrieval(form, compiler.MASKS[op], "Lemma 8b")


def without_a_strict_mask(self: Any, op: str, one: str, stop: str | None) -> compiler.Retrieval:
    right = SCORES(self, op, one, stop)
    return right._replace(mask={"strict-future": "future", "strict-past": "past"}.get(right.mask, right.mask))


def the_wrong_way(self: Any, op: str, one: str, stop: str | None) -> compiler.Retrieval:
    right = SCORES(self, op, one, stop)
    assert right.form is not None
    return right._replace(form={pair: -value if pair[1] == "share" else value for pair, value in right.form.items()})


SCORES = compiler.SoftScores.temporal


@pytest.mark.layer_one(4, 5)
@pytest.mark.parametrize("source", ["prev Q_a", "~Q_b since Q_a"])
@pytest.mark.parametrize("changed", [colder, without_ties, without_a_strict_mask, the_wrong_way])
def test_a_soft_head_with_a_planted_fault_is_not_proved(
    changed: Any, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if changed is without_a_strict_mask and "since" in source:
        return
    if changed is colder:
        monkeypatch.setattr(compiler.SoftHead, "gamma", property(changed))
    else:
        monkeypatch.setattr(compiler.SoftScores, "temporal", changed)
    model = sc.compile("ltl", source, alphabet="abc", soft=True)  # over a and b alone since needs no head
    _, found = compiledprograms.prove(model, 5)
    assert found.verdict is None or found.verdict.words != "PROVED"


@pytest.mark.parametrize("factor, low, high, right", [(4, "1/4", "3/4", True), (2, "5/4", "7/4", False)])
def test_a_rounding_with_other_thresholds_is_proved_where_it_answers_rightly(
    factor: int, low: str, high: str, right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(self: Any, total: str, rough: int) -> str:
        return f"{factor}*relu({total} - {low}) - {factor}*relu({total} - {high})"

    monkeypatch.setattr(compiler.Packed, "_rises", changed)
    model = sc.compile("ltl", "prev Q_a", alphabet="ab", soft=True)
    wanted = {word: [place > 0 and word[place - 1] == "a" for place in range(len(word))] for word in words(4)}
    answered = {word: [value is not None and value > Fraction(1, 2) for value in bits(model, word)] for word in wanted}
    assert (answered == wanted) is right
    if right:
        _, found = compiledprograms.prove(model, 5)
        assert found.verdict is not None and found.verdict.words == "PROVED"
    else:
        with pytest.raises(Undecided, match="no proof method covers"):
            compiledprograms.prove(model, 5)


def test_in_python_too() -> None:
    with pytest.raises(BadInput, match="tau"):
        sc.compile("ltl", "Q_a", alphabet="ab", tau=1)
    with pytest.raises(BadInput, match="tau"):
        sc.compile("ltl", "Q_a", alphabet="ab", soft=True, tau=3)


SHIPPED = [name for name in shipped.names() if name.endswith((".ltl", ".count"))]


@pytest.mark.layer_one(10, 11)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.layer_two(every=4)
def test_formulas_that_come_with_it_are_proved(name: str, soft: bool) -> None:
    _, found = compiledprograms.prove(sc.compile(name.rpartition(".")[2], name, soft=soft), 300)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("tau", TAUS)
def test_a_stop_that_is_a_position_function_is_proved(tau: int | None) -> None:
    """It is read from the embedding, beside the functions of which the scores are made."""
    model = sc.compile("count", "eventually MOD(3, 0)", alphabet="ab", soft=True, tau=tau)
    _, found = compiledprograms.prove(model)
    assert found.verdict is not None and found.verdict.status == "PROVED"
    for word in words(5):
        assert bits(model, word) == [len(word) >= 3 and i <= len(word) // 3 * 3 for i in range(1, len(word) + 1)]
