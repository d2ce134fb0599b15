"""A hundred lines as new users type them, written before the library was made to take them.

Four kinds of users: one who knows the theory, a student with the Cookbook, people who come from TransformerLens, and
people who come from tracr. A line that ends with "# wrong" is a mistake that one of them made: pyright shows an error
there and nowhere else, and symcook refuses the line when it runs. The other lines run. `test_hundred_lines.py` asks
both.
"""

# pyright: strict, reportUnusedExpression=false
# ruff: noqa: B018

from fractions import Fraction

import symcook as sc
from symcook.programs import rasp


def theorist() -> None:
    """Someone who knows the papers, and wants closed forms, theorems and bounds."""
    equal = sc.compile("c-rasp", "#left[Q_a] = #left[Q_b]", alphabet="ab")
    old_word = sc.compile("count", "#left[Q_a] = #left[Q_b]", alphabet="ab")
    sc.compile("C-RASP", "#left[Q_a] = #left[Q_b]", alphabet="ab")  # wrong
    sc.compile("crasp", "#left[Q_a] = #left[Q_b]", alphabet="ab")  # wrong
    sc.compile("ltl", "prev Q_a", alphabet=["a", "b"])
    sc.compile("ltl", "prev Q_a", alphabet=97)  # wrong
    dyck = sc.build("dyck-1")
    dyck.derive().text()
    dyck.derive("(())")
    shallow = sc.build("dyck-1-2")
    shallow.decide(r"(\(\))*").holds
    shallow.decided(r"(\(\))*")  # wrong
    first_string = shallow.decide(r"(\(\))*").counterexample
    majority = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    mean = majority.add(sc.head(value={"mean": "vote"}, mask="causal"))
    majority.add(sc.head(value={"late": "vote"}, mask="casual"))  # wrong
    majority.add(sc.head(value={"late": "vote"}, mask="causal", weighting="hard"))  # wrong
    majority.readout("sign", "end", mean, weights=[1])  # wrong
    majority.readout("sgn", "last", mean, weights=[1])  # wrong
    majority.readout("sign", "last", mean, weights=[1])
    votes = majority.build("votes")
    votes.prove("accept <-> count(a) > count(b)").status
    votes.proof("accept <-> count(a) > count(b)")  # wrong
    votes.prove(statement="accept -> 1 <= n", seconds="5")  # wrong
    sc.bound("softmax-hardmax", n=64, gamma=5)
    sc.bound("softmax-hardmax", n="n", gamma="g")
    sc.bound(64, "softmax-hardmax")  # wrong
    print(equal, old_word, first_string)


def student() -> None:
    """A student with the Cookbook on the table, who builds its constructions again."""
    b = sc.Builder(words="ab", positions={"place": "i"})
    sc.Builder(word="ab")  # wrong
    b.position("half", "1/2")
    b.position("share", Fraction(1, 3))
    b.position("third", 0.25)  # wrong
    b.lookup("before", "place", "a")
    b.lookup(("seen_a", "seen_b"), "place", b.tokens)
    b.attention("mean", reads="a", mask="strict-causal")
    b.attention("later", reads="a", mask="anti-causal")
    b.attention("latest", reads="a", mask="future-strict")  # wrong
    b.attention("best", reads=1)  # wrong
    b.feedforward("cut", reads="mean", W1=[[2]], b1=[-1], W2=[[1]])
    b.feedforward("bent", reads="mean", W1=[[2]], b1=[-1], W2=[[1]], activation="rely")  # wrong
    b.feedforward("curved", reads="mean", W1=[[2]], b1=[-1], W2=[[1]], activation="gelu")
    b.readout("argmax", "each", ("a", "b"), labels="ab")
    b.readout("largest", "each", ("a", "b"), labels="ab")
    copy = b.build("copy")
    copy.run("abba").outputs
    copy.run("abba", trace=1)  # wrong
    copy.run("abba", domain="balls")  # wrong
    copy.run("abba", domain="float64")
    copy.run_many(["ab", "ba"], domain="float64").array("mean")
    print(sc.feedforward({"out": "relu(a - 1/2)"}))
    print(sc.feedforward("out", "relu(a)"))  # wrong
    sc.build("gtzero", eps="1/8").layers
    sc.build(1)  # wrong
    copy.check(lambda string: list(string), 3)
    copy.check(lambda string: list(string), max_length="3")  # wrong
    sc.Parameter("eps", lower=0, upper="1/4")
    sc.LayerNorm(("x", "y"), zero="refuse")  # wrong
    print(sc.list(search="dyck"))


def from_transformerlens() -> None:
    """People who know hooks and caches, and look for activations and ablations."""
    model = sc.build("dyck-1")
    run = model.run("())(")
    run.array("balance").mean()
    run.array("balance", exact=True)
    run.array(0)  # wrong
    run.attention(1, 1).shape
    run.attention("L1", 1)  # wrong
    run.attention(layer=1, head=1, exact=True)
    run["blocks.0.attn.hook_pattern"][0].sum(axis=1)
    run["blocks.0.hook_resid_post"].T
    run[0]  # wrong
    model.run("())", trace=True).trace[1]["attention"]
    model.run(["(", ")"])
    model.run_many(["()", "()()"]).attention(1, 1, pad=True)
    model.run_many("()").arrays("balance")  # wrong
    ablated = model.without(feedforward=1)
    model.without(head="L1.head1").diff(model, 4)
    model.without(head=1)  # wrong
    model.without(feedforward="L1")  # wrong
    model.without(layer=1)  # wrong
    ablated.prove("accept <-> count('(') = count(')')", seconds=20)
    ablated.margin(4).text()
    patched = model.patched(coordinate="balance", position=2, value="1/2")
    model.patched("balance", 2, value="mean", inputs=["()", ")("])
    model.patched("balance", 2, from_string="(((")
    model.patched("balance", "second", value=0)  # wrong
    model.with_weights({"L1.head1.V[balance,token]": 2} if "token" in model.space else {})
    model.with_weights("L1.head1.V")  # wrong
    model.ablate(head="L1.head1")  # wrong
    logits = sc.build("first").run("10").logits
    sc.build("first").run("10").attribution().text()
    sc.from_state_dict("model.pth")  # wrong
    print(patched, logits)


def from_tracr() -> None:
    """People with programs for tracr, whose vocabularies are sets of integers."""
    everything = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.TRUE)
    length = rasp.SelectorWidth(everything)
    opposite = length - rasp.indices - 1
    flip = rasp.Select(rasp.indices, opposite, rasp.Comparison.EQ)
    reverse = rasp.Aggregate(flip, rasp.tokens)
    rasp.Select(rasp.tokens, rasp.tokens, "==")  # wrong
    rasp.Select(rasp.tokens, rasp.tokens)  # wrong
    rasp.Selector(rasp.tokens)  # wrong
    sc.compile("srasp", reverse, alphabet=[1, 2, 3]).run([3, 1, 2]).outputs
    sc.compile("srasp", reverse, alphabet={1, 2, 3}).run([3, 1, 2]).outputs
    sc.compile("srasp", reverse, alphabet={"a", "b"})
    sc.compile("srasp", reverse, vocab={"a", "b"})  # wrong
    sc.compile("rasp", reverse, alphabet="ab")  # wrong
    sc.compile("srasp", "reverse", alphabet=[None, "a"])  # wrong
    doubled = rasp.Map(lambda x: x * 2, rasp.indices)
    sc.compile("srasp", rasp.numerical(doubled), alphabet="ab").run("abb").outputs
    halves = rasp.LinearSequenceMap(rasp.indices, rasp.indices, 0.5, 0.25)
    sc.compile("srasp", halves, alphabet="ab").run("abb").outputs
    rasp.Map("f", rasp.tokens)  # wrong
    rasp.Full(1).named("one")
    rasp.Full(1).name("one")  # wrong
    rasp.numerical(rasp.indices)
    rasp.is_numerical(reverse)
    rasp.selector_not(flip).named("others")
    model = sc.compile("srasp", reverse, alphabet="abc")
    model.run("abca", trace=True).outputs
    model.apply("abca")  # wrong
    model.export("reverse.npz", max_length=4, dtype="float46")  # wrong
    model.save("reverse.json", force=True)
    model.save("reverse.json", "yes")  # wrong
    print(sc.explain("sort.srasp"), sc.show("reverse.json"))
