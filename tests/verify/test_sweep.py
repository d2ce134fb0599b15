"""Sweeps against brute force: the same counts, the smallest counterexample, and refusals that name what to do."""

from fractions import Fraction
from typing import Any

import pytest
import sympy
from shared import words

from symcook.errors import BadInput, NotExact
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer
from symcook.model.transformer import Parameter, Transformer
from symcook.recipes import build
from symcook.run import run
from symcook.spec.languages import dyck1, dyck1_grammar
from symcook.verify import answers
from symcook.verify.comparison import Comparison
from symcook.verify.recheck import recheck
from symcook.verify.stated import check_recipe
from symcook.verify.sweep import check

KEYS = ["recipe", "max_length", "strings", "mismatches", "counterexample", "method"]  # the contract; more may follow


def dyck(token=-1, balance=1, hidden=-1, out=1, total=1, bias=0):
    space = Space(("token", "balance", "error", "total"))
    first = Head(("token",), ("balance",), Q=[[0]], K=[[0]], V=[[balance]], mask="future")
    second = Head(("error",), ("total",), Q=[[0]], K=[[0]], V=[[total]], mask="future")
    test = FeedForward(("balance",), ("error",), W1=[[hidden]], b1=[bias], W2=[[out]], b2=[0])
    return Transformer(
        "brackets",
        Embedding(space, words={"(": {"token": 1}, ")": {"token": token}}),
        (Layer(first, test), Layer(second)),
        Readout("zero", "last", ("total", "balance")),
    )


def brute(model, reference, n):
    return [w for w in words(n, model.alphabet) if run(model, w).accept != reference(w)]


def test_brackets_hold_on_every_word():
    found = check(dyck(), dyck1, 10)
    assert found.holds and found.strings == 2**11 - 2 and found.counterexample is None
    assert list(found.to_json())[: len(KEYS)] == KEYS
    catalan = [0, 1, 0, 2, 0, 5, 0, 14, 0, 42]
    assert found.to_json() | {"method": ""} == {
        "recipe": "brackets", "max_length": 10, "strings": 2046, "mismatches": 0, "counterexample": None, "method": "",
        "domain": "exact", "open": 0, "first_open": None, "empty_word": None, "got": None, "expected": None,
        "against": "its specification", "stated": 0, "stated_to": None, "way": "exhaustive",
        "by_length": [{"n": n, "strings": 2**n, "accepted": catalan[n - 1]} for n in range(1, 11)],
    }  # fmt: skip
    assert "exhaustive" in found.method and "1 to 10" in found.method
    assert check(dyck(), dyck1_grammar, 8).holds


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(
    "change",
    [{"token": -2}, {"token": "-1/2"}, {"balance": 0}, {"hidden": 1}, {"hidden": 0}, {"out": 0}, {"total": 0},
     {"bias": 1}, {"bias": "-1/5"}, {"bias": "1/1000"}],
)  # fmt: skip
def test_one_wrong_weight_is_found_at_its_smallest_word(change, monkeypatch):
    model = dyck(**change)
    expected = brute(model, dyck1, 6)
    assert expected, "the change must matter, or it tests nothing"
    found = check(model, dyck1, 6)
    assert not found.holds and found.mismatches == len(expected)
    assert found.first.input == expected[0]
    assert found.first.got is (not dyck1(expected[0])) and found.first.expected is dyck1(expected[0])
    assert found.first.replay == ("--input", expected[0])
    assert run(model, found.first.replay[1]).accept is found.first.got
    monkeypatch.setattr(answers, "BLOCK", 4)
    again = check(model, dyck1, 6)
    assert again.to_json() == found.to_json() and again.first == found.first


def test_a_change_that_shows_late_is_found_late():
    found = check(dyck(bias="-1/5"), dyck1, 10)  # a violation of depth 1 at position 5 or later goes unseen
    assert found.first.input == "(()))(" and dyck1("(()))(") is False


def positions(readout):
    space = Space(("x", "mean", "index"))
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    embedding = Embedding(space, words={"a": {"x": 1}, "b": {"x": -1}}, positions={"index": "i"})
    return Transformer("positions", embedding, (Layer(head),), readout)


def test_each_and_all_and_first_and_values():
    each = positions(Readout("sign", "each", ("mean",), weights=[[1]]))
    majority = lambda w: [w[:i].count("a") > w[:i].count("b") for i in range(1, len(w) + 1)]  # noqa: E731
    assert check(each, majority, 6).holds
    wrong = check(each, lambda w: [*majority(w)[:-1], w == "aab"], 3)
    assert wrong.first.input == "a" and wrong.first.expected == [False]
    assert check(positions(Readout("sign", "all", ("mean",), weights=[[1]])), lambda w: all(majority(w)), 6).holds
    assert check(positions(Readout("sign", "first", ("mean",), weights=[[1]])), lambda w: w[0] == "a", 6).holds

    value = positions(Readout("value", "each", ("mean", "index")))

    def exact(w):
        signs = [1 if c == "a" else -1 for c in w]
        return [{"mean": Fraction(sum(signs[:i]), i), "index": i} for i in range(1, len(w) + 1)]

    assert check(value, exact, 6).holds
    late = check(value, lambda w: exact(w) if w != "bab" else [*exact(w)[:-1], {"mean": 0, "index": 3}], 4)
    assert late.mismatches == 1 and late.first.input == "bab"
    assert late.first.got[2] == {"mean": "-1/3", "index": "3"}
    assert late.first.expected[2] == {"mean": "0", "index": "3"}
    last = positions(Readout("value", "last", ("mean",)))
    assert check(last, lambda w: Fraction(w.count("a") - w.count("b"), len(w)), 5).holds


def test_long_tokens_are_given_as_tuples():
    embedding = Embedding(Space(("x",)), words={"up": {"x": 1}, "down": {"x": -1}})
    block = FeedForward(("x",), ("x",), [[1]], [0], [[0]], [0])
    model = Transformer("steps", embedding, (Layer(None, block),), Readout("sign", "last", ("x",), weights=[[1]]))
    assert check(model, lambda w: w[-1] == "up", 3).holds
    found = check(model, lambda w: w != ("up", "down"), 2)
    assert found.first.input == "down" and found.first.replay == ("--tokens", "down")


def soft(value="-2"):
    """Accepts iff e * #b > 2 * #a: softmax weights 1 for a and e for b, values -2 and 1."""
    space = Space(("x", "v", "one", "out"))
    head = Head(("x", "v", "one"), ("out",), [[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]], weighting="softmax")
    embedding = Embedding(space, words={"a": {"v": value, "one": 1}, "b": {"x": 1, "v": 1, "one": 1}})
    return Transformer("soft", embedding, (Layer(head),), Readout("sign", "last", ("out",), weights=[[1]]))


def test_softmax_goes_in_batches():
    def heavy(word):
        return Fraction(271828, 100000) * word.count("b") > 2 * word.count("a")

    found = check(soft(), heavy, 6)
    assert found.holds and found.strings == 126 and "batches" in found.method
    wrong = check(soft("-3"), heavy, 6)
    assert wrong.first.input == next(
        w for w in words(6, "ab") if (Fraction(271828, 100000) * w.count("b") > 3 * w.count("a")) != heavy(w)
    )
    assert wrong.first.got is False


def test_values_behind_softmax_are_compared_as_fractions():
    """Equal scores: what is written is the mean, whose denominators are none of the batch's."""
    space = Space(("x", "out"))
    head = Head(("x",), ("out",), [[0]], [[0]], [[1]], weighting="softmax", scale=2)
    embedding = Embedding(space, words={"a": {"x": 1}, "b": {"x": "1/2"}})
    model = Transformer("mean", embedding, (Layer(head),), Readout("value", "last", ("out",)))

    def mean(word):
        return (Fraction(word.count("a")) + Fraction(word.count("b"), 2)) / len(word)

    found = check(model, mean, 6)
    assert found.holds and found.strings == 126 and "batches" in found.method
    wrong = check(model, lambda word: mean(word) + Fraction(word == "bab", 1000), 6)
    assert wrong.first.input == "bab" and wrong.mismatches == 1


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (lambda w: 1, "True or False"),
        (lambda w: None, "None for all 14"),
        (lambda w: [True] * len(w), "True or False"),
        (lambda w: w[1], "IndexError"),
    ],
)
def test_wrong_references_are_bad_input(reference, text):
    with pytest.raises(BadInput, match=text):
        check(dyck(), reference, 3)


def test_wrong_references_of_values_are_bad_input():
    value = positions(Readout("value", "each", ("mean",)))
    for reference, text in (
        (lambda w: [0.5] * len(w), "exact numbers"),
        (lambda w: [True] * len(w), "exact numbers"),
        (lambda w: [Fraction(1)], "2 answers"),
        (lambda w: Fraction(1), "1 answer,"),
        (lambda w: [{"other": 1}] * len(w), "coordinate mean"),
    ):
        with pytest.raises(BadInput, match=text):
            check(value, reference, 2)
    two = positions(Readout("value", "last", ("mean", "index")))
    with pytest.raises(BadInput, match="mapping"):
        check(two, lambda w: Fraction(1), 2)


@pytest.mark.parametrize("length", [0, -1, None, True, "4", 2.0])
def test_a_length_must_be_a_positive_integer(length):
    with pytest.raises(BadInput, match="must be an integer"):
        check(dyck(), dyck1, length)


@pytest.mark.sweep
def test_lengths_beyond_the_model_and_beyond_reason():
    with pytest.raises(BadInput, match="at most 4"):
        check(build("dyck-1-nonuniform", N=4), dyck1, 5)
    with pytest.raises(BadInput, match="give max_length=33"):
        check(dyck(), lambda word: dyck1(word), 34)
    with pytest.raises(BadInput, match="grid and has no length"):
        check(build("min"), lambda v: {"out": min(v.values())}, 3)


def test_symbols_must_have_values_for_words():
    space = Space(("x", "y"))
    block = FeedForward(("x",), ("y",), [[1]], ["-c"], [[1]], [0])
    model = Transformer(
        "level", Embedding(space, words={"a": {"x": 1}, "b": {"x": 2}}), (Layer(None, block),),
        Readout("sign", "last", ("y",), weights=[[1]]), parameters=(Parameter("c", lower=0),),
    )  # fmt: skip
    with pytest.raises(BadInput, match="must have a value"):
        check(model, lambda w: w[-1] == "b", 2)
    assert check(model, lambda w: w[-1] == "b", 2, values={"c": 1}).holds
    assert not check(model, lambda w: w[-1] == "b", 2, values={"c": 2}).holds


def test_progress_counts_up_and_an_interruption_comes_through(monkeypatch):
    monkeypatch.setattr(answers, "BLOCK", 8)
    calls = []
    found = check(dyck(), dyck1, 7, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (254, 254) and calls == sorted(calls) and len(calls) > 10 and found.strings == 254

    def interrupt(done, total):
        if done > 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(dyck(), dyck1, 7, progress=interrupt)


@pytest.mark.sweep
def test_rows_of_attention_recipes():
    average = check_recipe("average", 14)
    assert average.holds and "x in {0, 1, -1, 2, 1/2}" in average.method and "generic" in average.method
    assert average.strings == 5 + 5**2 + 5**3 + 5**4 + 5**5 + 4**6 + 3**7 + sum(2**n for n in range(8, 13)) + 13 + 14
    wrong = check(build("prefix-average"), lambda rows: [{"mean": r["x"]} for r in rows], 3)
    assert wrong.first.input == "x=0; x=1" and wrong.first.replay == ("--rows", "0; 1")
    assert wrong.first.got == [{"mean": "0"}, {"mean": "1/2"}]
    lookup = check_recipe("lookup-quadratic", 7)
    assert lookup.holds and lookup.strings == 1 + 4 + 27 + 256 + 3125 + 6 + 7


@pytest.mark.sweep
def test_a_lookup_that_is_wrong_far_from_the_start_is_found():
    model = build("lookup-quadratic")
    head = model.layers[0].attention.heads[0]
    key = head.K.tolist()
    key[1][3] = "-21/20"  # the peak of 2 q j - 1.05 j^2 moves from q to q/1.05
    planted = Transformer(
        "planted", model.embedding,
        (Layer(Head(head.reads, head.writes, head.Q, key, head.V)),), model.readout,
    )  # fmt: skip
    region = "ex j in 1..n. query = j"

    def looked_up(rows):
        return [{"found": rows[int(row["query"]) - 1]["value"]} for row in rows]

    assert check(planted, looked_up, 10, region=region).holds
    found = check(planted, looked_up, 12, region=region)
    assert not found.holds and found.first.input.count("query") in (11, 12)
    assert check(model, looked_up, 12, region=region).holds


def test_a_region_over_rows_that_ties_inputs_to_each_other_is_refused():
    with pytest.raises(BadInput, match="conditions that each use one input, or n, only"):
        check(build("lookup-quadratic"), lambda rows: rows, 3, region="query <= value")


def step(values):
    return {"out": Fraction(int(values["x"] > 0))}


def test_grids_hold_inside_the_region_and_fail_in_the_window():
    model = build("gtzero")
    inside = check(model, step, region="x <= 0 | eps <= x")
    assert inside.holds and inside.max_length is None and inside.to_json()["max_length"] is None
    assert "eps in {1, 1/2, 1/7, 1/1000}" in inside.method and "x <= 0 | eps <= x" in inside.method
    outside = check(model, step)
    assert not outside.holds
    values = dict(part.split("=") for part in outside.first.input.split(", "))
    assert 0 < Fraction(values["x"]) < Fraction(values["eps"])
    assert outside.first.replay == ("--set", f"x={values['x']}", "--set", f"eps={values['eps']}")
    assert outside.strings > inside.strings


def test_a_grid_reaches_the_edges_of_its_region():
    seen = []

    def spy(values):
        seen.append((values["x"], values["eps"]))
        return step(values)

    check(build("gtzero"), spy, region="x <= 0 | eps <= x")
    for eps in (Fraction(1), Fraction(1, 2), Fraction(1, 7), Fraction(1, 1000)):
        assert {(Fraction(0), eps), (eps, eps)} <= set(seen)
    assert all(x <= 0 or eps <= x for x, eps in seen)


def test_a_counterexample_of_an_earlier_setting_is_kept():
    """The reference is wrong where eps = 1, the first of the settings, and right at the others."""

    def step(values):
        wrong = values["eps"] == 1 and values["x"] > 2
        return {"out": Fraction(7 if wrong else values["x"] > 0)}

    found = check(build("gtzero"), step, region="x <= 0 | eps <= x")
    assert found.mismatches > 0 and found.counterexample is not None
    assert "eps=1" in found.first.input.split(", ") and found.first.got == {"out": "1"}
    assert found.first.replay[-2:] == ("--set", "eps=1")


def test_one_counterexample_is_made_for_all_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is wrong at each setting; what a counterexample runs again is run for the one that is shown."""
    made, own = [], Comparison.counterexample

    def counted(self: Comparison, sequence: Any) -> Any:
        made.append(own(self, sequence))
        return made[-1]

    monkeypatch.setattr(Comparison, "counterexample", counted)
    found = check(build("gtzero"), lambda values: {"out": Fraction(7)}, region="x <= 0 | eps <= x")
    assert found.mismatches == found.strings > 0
    assert made == [found.first] and "eps=1" in made[0].input.split(", ")


def test_the_edges_of_a_region_are_tried():
    """Edges that are on no list of values, in one input, between two inputs, and in quantified positions."""
    seen = set()

    def spy(values):
        seen.add((values["x"], values["y"]))
        return {"out": values["x"] + values["y"]}

    assert check(build("add"), spy, region="(x <= 22/7 | 355/113 <= x) & 3*x <= 2*y + 5/17").holds
    assert {Fraction(22, 7), Fraction(355, 113)} <= {x for x, _ in seen}
    assert {x for x, _ in seen} >= {Fraction(22, 7) - Fraction(1, 1000), Fraction(355, 113) + Fraction(1, 1000)}
    assert any(3 * x == 2 * y + Fraction(5, 17) for x, y in seen)


def test_an_input_with_several_wrong_coordinates_counts_once():
    found = check(build("identity", d=3), lambda v: {f"out{k}": v[f"x{k}"] + 1 for k in (1, 2, 3)})
    assert found.mismatches == found.strings > 0
    rows = check(build("prefix-average"), lambda rows: [Fraction(100)] * len(rows), 3)
    assert rows.mismatches == rows.strings > 0


def test_blocks_of_a_grid_hold_every_sequence_once():
    from symcook.domains.batch import Grid

    for sizes in ((2, 2), (1, 2, 2), (2,), (3, 1, 2), (1, 1)):
        grid = Grid(tuple([{"x": Fraction(k)} for k in range(size)] for size in sizes))
        for limit in (1, 2, 3, 5, 100):
            blocks = list(grid.blocks(limit))
            assert all(block.size <= limit for block in blocks)
            assert [sequence for block in blocks for sequence in block] == list(grid)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["min", "if", "eqzero", "clip", "round", "boolean", "gtzero-input"])
@pytest.mark.layer_two(every=3)
def test_recipes_hold_on_their_grids_and_a_changed_weight_is_found(name):
    assert check_recipe(name).holds
    from symcook import recipes

    model = build(name)
    block = model.layers[0].feedforward
    for h in {0, block.hidden - 1}:
        changed = block.W2.as_mutable()
        changed[0, h] += sympy.Rational(1, 10**6)
        planted = Transformer(
            "planted", model.embedding,
            (Layer(None, FeedForward(block.reads, block.writes, block.W1, block.b1, changed, block.b2)),),
            model.readout, parameters=model.parameters,
        )  # fmt: skip
        symbols = [p.name for p in model.parameters]

        def reference(point, symbols=symbols):
            inner = recipes.reference(name, {}, {s: point[s] for s in symbols})
            return inner({k: v for k, v in point.items() if k not in symbols})

        assert not check(planted, reference, region=recipes.region(name)).holds, h


def test_many_inputs_vary_one_at_a_time():
    found = check_recipe("identity", None, {"d": "16"})  # not all together: these are more than 4^16
    assert found.holds and 16 * 4 < found.strings < 4**16


def test_an_empty_grid_is_bad_input():
    with pytest.raises(BadInput, match="some point of the grid"):
        check(build("min"), step, region="x < y & y < x")
    with pytest.raises(BadInput, match="eps must satisfy"):
        check(build("gtzero"), step, values={"eps": 0})


def test_rechecking_a_certificate():
    stored = {"recipe": "dyck-1-nonuniform", "max_length": 6, "arguments": {"N": "8"}, "strings": 126}
    assert recheck(stored) is True
    assert recheck(stored | {"strings": 125}) is False
    assert recheck({"recipe": "gtzero", "strings": check_recipe("gtzero").strings, "max_length": None}) is True
    for broken in ({"strings": "126"}, {"recipe": None}, {"recipe": "dyck-one"}, {"max_length": 9}, {"max_length": 0}):
        with pytest.raises(BadInput):
            recheck(stored | broken)


def test_rechecking_a_false_claim(monkeypatch):
    from symcook import recipes

    monkeypatch.setattr(recipes, "reference", lambda *a: lambda word: word == "()")
    assert recheck({"recipe": "dyck-1", "max_length": 4, "strings": 30}) is False


def counts(mask, before=None, after=None, weight=1, readout=None):
    """Mean of x over what each position sees, with added tokens that weigh nothing."""
    space = Space(("x", "mean"))
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[weight]], mask=mask)
    words = {"a": {"x": 1}, "b": {"x": -1}} | {t: {} for t in (before, after) if t}
    embedding = Embedding(space, words=words, before=before, after=after)
    return Transformer(
        "counts", embedding, (Layer(head),), readout or Readout("sign", "last", ("mean",), weights=[[1]])
    )


@pytest.mark.parametrize("block", [2, 4, 2**16])
@pytest.mark.parametrize(("before", "after"), [(None, None), ("CLS", None), (None, "EOS"), ("CLS", "EOS")])
def test_a_reference_sees_what_a_user_types(before, after, block, monkeypatch):
    monkeypatch.setattr(answers, "BLOCK", block)
    seen = []

    def more(word):
        seen.append(word)
        return word.count("a") > word.count("b")

    model = counts("future", before, after)
    found = check(model, more, 5)
    empty = [""] if model.embedding.added else []
    assert sorted(seen, key=lambda w: (len(w), w)) == [*empty, *words(5, "ab")]
    assert found.holds and found.strings == 62 and found.empty_word == ("agrees" if empty else None)
    wrong = check(model, lambda w: more(w) or w in ("bba", "ba", "abbaa"), 5)
    assert wrong.mismatches == 2 and wrong.first.input == "ba"  # abbaa is accepted anyway
    assert wrong.first.replay == ("--input", "ba") and run(model, "ba").accept is False
    bounded = Transformer(
        model.name, model.embedding, model.layers, model.readout, max_length=4 + model.embedding.added
    )
    assert check(bounded, more, 4).holds
    with pytest.raises(BadInput, match="at most"):
        check(bounded, more, 5)


@pytest.mark.parametrize("mask", ["none", "future", "strict-future", "past", "strict-past"])
def test_every_mask_is_checked_and_a_planted_weight_is_found(mask):
    sees = {"future": slice(None), "none": slice(None), "strict-future": slice(None, -1), "past": slice(-1, None),
            "strict-past": slice(0, 0)}[mask]  # fmt: skip

    def more(word):
        part = word[sees]
        return part.count("a") > part.count("b")

    assert check(counts(mask), more, 6).holds
    if mask != "strict-past":
        planted = check(counts(mask, weight=-1), more, 6)
        assert planted.first.input == ("aa" if mask == "strict-future" else "a")
        assert planted.mismatches == len(brute(counts(mask, weight=-1), more, 6))


def test_a_mistake_at_long_words_alone_is_found_at_the_smallest(monkeypatch):
    """The smallest word may stand in a late part: parts go by common prefixes, not by length."""
    monkeypatch.setattr(answers, "BLOCK", 4)
    wrong = {"bab", "abbab", "bbbb", "aabba"}
    model = counts("future")
    found = check(model, lambda w: (w.count("a") > w.count("b")) != (w in wrong), 6)
    assert found.mismatches == 4 and found.first.input == "bab"
    wrong.remove("bab")
    found = check(model, lambda w: (w.count("a") > w.count("b")) != (w in wrong), 6)
    assert found.mismatches == 3 and found.first.input == "bbbb"


def test_labels_are_compared():
    def readout(position):
        return Readout("largest", position, ("x", "mean"), [[0, 1], [0, -1], [0, 0]], ("a", "b", "="))

    def label(part):
        return "a" if part.count("a") > part.count("b") else "b" if part.count("b") > part.count("a") else "a"

    for mask in ("future", "none"):  # at zero the first of three equal scores
        last = counts(mask, readout=readout("last"))
        assert check(last, label, 5).holds
        found = check(last, lambda w: "=" if w == "ab" else label(w), 5)
        assert found.mismatches == 1 and found.first.input == "ab"
        assert (found.first.got, found.first.expected) == ("a", "=")
    each = counts("future", readout=readout("each"))
    prefixes = lambda w: [label(w[:i]) for i in range(1, len(w) + 1)]  # noqa: E731
    assert check(each, prefixes, 5).holds and check(each, lambda w: "".join(prefixes(w)), 5).holds
    found = check(each, lambda w: [*prefixes(w)[:-1], "b"], 3)
    assert found.first.input == "a" and found.first.got == ["a"]
    for reference, text in ((lambda w: "c", "one of a, b, ="), (lambda w: True, "one of"), (lambda w: 0, "one of")):
        with pytest.raises(BadInput, match=text):
            check(last, reference, 1)
    with pytest.raises(BadInput, match="2 answers"):
        check(each, lambda w: "a", 2)


def test_answers_at_added_positions_are_asked_for():
    model = counts("future", "CLS", readout=Readout("value", "each", ("mean",)))

    def means(word):
        sums = [Fraction(word[:i].count("a") - word[:i].count("b"), i + 1) for i in range(len(word) + 1)]
        return sums

    assert check(model, means, 4).holds
    with pytest.raises(BadInput, match="the model adds too"):
        check(model, lambda w: means(w)[1:], 2)


def test_probabilities_of_equal_scores():
    model = counts("future", readout=Readout("distribution", "last", ("x",), [[0], [0]], ("p", "q")))
    found = check(model, lambda w: {"p": Fraction(1, 2), "q": Fraction(1, 2)}, 2)
    assert found.holds and "one by one" in found.method
    wrong = check(model, lambda w: {"p": Fraction(1, 2), "q": Fraction(w == "b", 2)}, 2)
    assert wrong.first.input == "a" and wrong.first.got == {"p": "1/2", "q": "1/2"}
    assert wrong.first.expected == {"p": "1/2", "q": "0"} and wrong.mismatches == 5


def test_gelu_is_refused_with_the_domain_that_has_it():
    space = Space(("x", "y"))
    block = FeedForward(("x",), ("y",), [[1]], [0], [[1]], [0], activation="gelu")
    words = Embedding(space, words={"a": {"x": 1}})
    model = Transformer("gelu", words, (Layer(None, block),), Readout("sign", "last", ("y",), weights=[[1]]))
    with pytest.raises(NotExact, match="ball"):
        check(model, lambda w: True, 2)


def test_what_balls_leave_open_is_asked_exactly():
    """On the empty string PARITY and FIRST with norms have the logit 0 (one position: equal values cancel)."""
    from symcook.recipes import reference

    for name in ("parity-layernorm", "first-layernorm"):
        model, right = build(name), reference(name, {}, {})
        found = check(model, right, 2, domain="ball")
        assert found.holds and found.empty_word == "agrees" and found.open == 0
        assert found.method.endswith("one by one in ball numbers, 1 undecided there, then decided exactly")
        wrong = check(model, lambda word, right=right: right(word) or word == "", 2, domain="ball")
        first = wrong.first
        assert first is not None and wrong.empty_word == "differs" and not wrong.open
        assert (first.input, first.got, first.expected, first.replay) == ("", False, True, ("--input", ""))
        left = check(model, right, 2, domain="mpmath")  # which does not ask
        assert left.undecided and left.empty_word == "open"
