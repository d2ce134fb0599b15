"""The definition of a family as it is printed: computing by its lines alone gives what the instance computes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from families import in_parts
from mpmath import mp, mpf
from proof.family_cases import NAMES, SHIPPED, case, chosen, family
from proof.test_family_relation import Run
from shared import call

from symcook.cli.families import proved_of
from symcook.model.expr import Tree, parse_formula, show
from symcook.model.family import Family
from symcook.model.instance import instance
from symcook.proof import grammar
from symcook.proof.familyrel import expand
from symcook.proof.replay import statements
from symcook.report.construction import construction
from symcook.report.definition import latex, text
from symcook.report.inline import inline
from symcook.report.saying import DefinitionRow
from symcook.report.terms import by_cases, prose, tidy
from symcook.report.theorems import Theorem
from symcook.report.unfold import long_calls, unfolded

NEAR = mpf(10) ** -10
CALLS: dict[str, Callable[..., Any]] = {
    "relu": lambda x: max(x, 0), "exp": mp.exp, "abs": abs, "sqrt": mp.sqrt, "log": mp.log, "pow": lambda a, b: a**b,
}  # fmt: skip
Env = dict[str, Any]


def value(tree: Any, env: Env) -> Any:
    tag, *kids = tree
    if tag == "num":
        return mpf(kids[0]) / kids[1]
    if tag == "name":
        found = env[kids[0]]
        return found() if callable(found) else found
    if tag == "call":
        return {**CALLS, **env}[kids[0]](*(value(one, env) for one in kids[1]))
    if tag == "sum":
        return sum((value(kids[3], env | {kids[0]: k}) for k in span(kids[1], kids[2], env)), mpf(0))
    if tag == "ind":
        return mpf(true(kids[0], env))
    parts = [value(one, env) for one in kids]
    if tag == "/":
        return parts[0] / parts[1]
    steps = {"neg": lambda a: -a, "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    return (steps | {"^": lambda a, b: a**b})[tag](*parts)


def span(low: Any, high: Any, env: Env) -> range:
    return range(round(value(low, env)), round(value(high, env)) + 1)


def true(tree: Any, env: Env) -> bool:
    tag, *kids = tree
    if tag in ("=", "<=", "<"):
        off = value(kids[0], env) - value(kids[1], env)
        return bool(abs(off) < NEAR if tag == "=" else off < NEAR if tag == "<=" else off < -NEAR)
    if tag in ("all in", "ex in"):
        found = (true(kids[3], env | {kids[0]: k}) for k in span(kids[1], kids[2], env))
        return all(found) if tag == "all in" else any(found)
    if tag == "~":
        return not true(kids[0], env)
    first, second = (true(one, env) for one in kids)
    return {"&": first and second, "|": first or second, "->": not first or second}[tag]


def groups(said: Sequence[Any]) -> list[list[Any]]:
    """The parts of a list that semicolons part."""
    out: list[list[Any]] = [[]]
    for one in said:
        if one == "; ":
            out.append([])
        else:
            out[-1].append(one)
    return out


def cells(said: Sequence[Any], env: Env) -> Iterator[Env]:
    """The values of the indices behind "for"."""
    said = [one for one in said if one not in (" for ", ", ", " in ", ("sign", ".."))]
    many = [env]
    while len(said) >= 3 and said[0][0] == "name":
        name, low, high, *said = said
        many = [one | {name[1]: k} for one in many for k in span(low, high, one)]
    return iter(many)


class Reader:
    """What a definition says is computed, at values of sizes and tables and an input."""

    def __init__(self, shown: Family, run: Run) -> None:
        self.stream: dict[tuple[Any, ...], Any] = {}
        self.places = [at[0] for at in run.place if at] or [None]
        env = run.env
        self.env: Env = {name: self._table(env[name]) for name in (*shown.sizes, *shown.tables)} | {
            "n": len(self.places)
        }
        self.env |= {"w": lambda i: mpf(int(env["w"][round(i)]))} if "w" in env else {}
        self.env |= {x: lambda *at, x=x: self.stream.get((x, *map(round, at)), mpf(0)) for x in shown.space}
        for one in shown.inputs:
            for at, found in run.made[one.name].items():
                self.stream[one.name, *at] = mpf(found.numerator) / found.denominator
        parts = construction(shown)
        self.space = [[("call", x, tuple(("name", one.name) for one in over)) if over else ("name", x),
                       *(part for one in over for part in (" for ", ("name", one.name), " in ", *one[1:]))]
                      for x, over in shown.space.items()]  # fmt: skip
        layers = iter([one for one in parts if one.title.startswith(("Layer", "Rounds"))])
        self.rows(next(one for one in parts if one.title == "Embedding").rows)
        for part in shown.layers:
            mine = [next(layers) for _ in part.layers]
            turns = span(part.over[0][1], part.over[0][2], self.env) if part.over else [None]
            for t in turns:
                self.env |= {part.over[0].name: t} if part.over else {}
                for one in mine:
                    self.rows(one.rows)
        assert next(layers, None) is None

    @staticmethod
    def _table(made: Any) -> Any:
        def put(found: Any) -> Any:
            return mpf(found.numerator) / found.denominator

        return (lambda *at: put(made(*map(round, at)))) if callable(made) else put(made)

    def at(self, place: int | None) -> Env:
        return self.env if place is None else self.env | {"i": place}

    def rows(self, rows: Sequence[DefinitionRow]) -> None:
        """A block reads what was there before it: norms, then all heads or the feed-forward part."""
        added: list[tuple[tuple[Any, ...], str, Any]] = []
        score: Tree | None = None
        head: DefinitionRow | None = None
        outer = self.env
        for place, row in enumerate(rows):
            label = row.label if isinstance(row.label, str) else ""
            if label == "norm" and not any(one.label == "norm" for one in rows[max(place - 1, 0) : place]):
                self.add(added)  # the block before it is done
                self.env = outer
            if label == "norm after":
                self.add(added)
                self.stream |= {(x, *at): found for (x, *at), found in self.whole(row).items()}
            elif label == "norm":
                self.env = self.env | self.norm(row)
            elif label.startswith("head"):
                head, score = row, None
            elif label == "feed-forward":
                self.add(added)
                head = None
            elif label == "score":
                score = cast(Tree, row.said[0])
            if any(one in (("sign", ":="), ("sign", "+=")) for one in row.said):
                added += self.equation(row, rows[place + 1 :], head, score)
        self.add(added)
        self.env = outer

    def add(self, added: list[tuple[tuple[Any, ...], str, Any]]) -> None:
        for key, how, found in added:
            assert how == "+=" or not self.stream.get(key), key
            self.stream[key] = self.stream.get(key, mpf(0)) + found
        added.clear()

    def whole(self, row: DefinitionRow) -> dict[tuple[Any, ...], Any]:
        """A norm over the whole stream."""
        gain, bias, epsilon = (value(one, self.env) for one in row.said[2::3])
        made = dict[tuple[Any, ...], Any]()
        for i in self.places:
            all_of = [
                (to[0][1], *(round(value(k, env)) for k in (to[0][2] if to[0][0] == "call" else ())), i)
                for to in self.space for env in cells(to[1:], self.env)
            ]  # fmt: skip
            found = [self.stream.get(key, mpf(0)) for key in all_of]
            mean = sum(found) / len(found)
            deviation = mp.sqrt(sum((one - mean) ** 2 for one in found) / len(found) + epsilon)
            for key, one in zip(all_of, found, strict=True):
                made[key] = (gain * (one - mean) / deviation if deviation else mpf(0)) + bias
        return made

    def norm(self, row: DefinitionRow) -> Env:
        said, made = list(row.said), dict[tuple[Any, ...], Any]()
        if "LN(stream)" in said[0]:
            made = self.whole(row)
            return {x: lambda *at, x=x: made[x, *map(round, at)] for x, *_ in made}
        equal, behind = said.index(("sign", "=")), said.index("), with ")
        left, right = groups(said[1 : equal - 1]), groups(said[equal + 3 : behind])
        gain, bias, epsilon = (value(one, self.env) for one in said[behind + 2 :: 3])
        for i in self.places:
            names = [(one[0], env) for one in left for env in cells(one[1:], self.at(i))]
            found = [value(one[0], env) for one in right for env in cells(one[1:], self.at(i))]
            mean = sum(found) / len(found)
            deviation = mp.sqrt(sum((one - mean) ** 2 for one in found) / len(found) + epsilon)
            for (to, env), one in zip(names, found, strict=True):
                off = gain * (one - mean) / deviation if deviation else mpf(0)
                made[to[1], *(round(value(k, env)) for k in to[2:][0])] = off + bias
        return {x: lambda *at, x=x: made[x, *map(round, at)] for x, *_ in made}

    def equation(
        self, row: DefinitionRow, rest: Sequence[DefinitionRow], head: DefinitionRow | None, score: Tree | None
    ) -> Iterator[Any]:
        to, (_, how), right, *over = row.said
        for i in self.places:
            env = self.at(i)
            if head is not None:
                if not self.window(head, env):
                    continue
                env = env | {"alpha": self.alpha(head, score, env)}
            for one in cells([k for k in over if k not in ("", ", which makes it 0")], env):
                key = (to[1], *(round(value(k, one)) for k in (to[2] if to[0] == "call" else ())))
                found = self.cases(rest, one) if right == "by cases" else value(right, one)
                if found:
                    yield key, how, found

    @staticmethod
    def cases(rest: Sequence[DefinitionRow], env: Env) -> Any:
        for one in rest:
            if one.said[-1] == "0 otherwise" or one.label:
                return mpf(0)
            if true(one.said[2], env):
                return value(one.said[0], env)
        raise AssertionError("no case holds")

    @staticmethod
    def window(head: DefinitionRow, env: Env) -> range:
        equal = head.said.index(("sign", "="))
        return span(head.said[equal + 1], head.said[equal + 3], env)

    def alpha(self, head: DefinitionRow, score: Tree | None, env: Env) -> Callable[..., Any]:
        """The weights of a head, which may have an index of its own before i and j."""
        first = head.said[: head.said.index(": ")] if head.said[0] == "one" else ()
        names = [one[1] for before, one in zip(first, first[1:], strict=False) if before in (" for ", ", ")]
        made = dict[tuple[Any, ...], dict[int, Any]]()

        def weight(*at: Any) -> Any:
            if at[:-2] not in made:
                made[at[:-2]] = self.weights(head, score, env | dict(zip(names, at[:-2], strict=True)))
            return made[at[:-2]][round(at[-1])]

        return weight

    def weights(self, head: DefinitionRow, score: Tree | None, env: Env) -> dict[int, Any]:
        said, words = list(head.said), " ".join(one for one in head.said if isinstance(one, str))
        assert score is not None, head
        scores = {j: value(score, env | {"j": j}) for j in self.window(head, env)}
        if "Softmax of temperature " in said:
            start = said.index("Softmax of temperature ")
            heats = groups(["; " if one == ", " else one for one in said[start + 1 : said.index(": ", start)]])
            heat = next(value(one[0], env) for one in heats if len(one) == 1 or true(one[2], env))
            weights = {j: mp.exp(one / heat) for j, one in scores.items()}
        else:
            best = [j for j, one in scores.items() if one > max(scores.values()) - NEAR]
            for word, which in (("first", best[:1]), ("last", best[-1:])):
                best = which if f"is 1 for the {word}" in words else best
            weights = {j: mpf(j in best) for j in scores}
        return {j: one / sum(weights.values()) for j, one in weights.items()}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_computes_what_the_instance_does(name: str) -> None:
    rng = random.Random(f"definition {name}")
    for _ in range(1 if name.startswith("turing") else 2):
        shown = family(name, chosen(name, rng))
        values, make = case(name, rng)
        run = Run(shown, values, make())
        read = Reader(shown, run)
        for x, (fn, rounds) in read_held(run, shown).items():
            first = tuple(int(run.at.number(part, run.at.env)) for part in rounds)
            for key, found in run.made[fn].items():
                if key[: len(first)] == first:
                    mine = read.stream.get((x, *key[len(first) :]), mpf(0))
                    assert abs(mine - mpf(str(float(found)))) < mpf(10) ** -9 * (1 + abs(mine)), (name, x, key)


def read_held(run: Run, shown: Family) -> dict[str, Any]:
    """The last value of each coordinate, as statements call it."""
    return {x: held for x, held in run.far.held.items() if x in shown.space}


def test_a_definition_of_another_computes_something_else() -> None:
    values, word = {"S": 2}, ["0", "1", "0"]
    run = Run(family("count"), values, word)
    right, wrong = (Reader(family("count", {"seen": mask}), run).stream for mask in ("none", "future"))
    assert right != wrong and right["share", 1, 3] == wrong["share", 1, 3]


@pytest.mark.sweep
@in_parts(6, "name", NAMES)
@pytest.mark.layer_two(every=3)
def test_each_is_printed(name: str) -> None:
    shown = family(name)
    theorem = Theorem(("some.id",), (("q", "Int->Int"),), ("0 < x",), "all i in 1..n. out(i) = q(i)")
    drawn = latex(shown, [theorem, *proved_of(shown)], document=True)
    assert r"\item[{some.id}] for all $q \colon \mathbb{Z} \to \mathbb{Z}$: if $0 < x$:" in drawn
    body = drawn.partition(r"\begin{document}")[2].replace(r"\$", "").replace(r"\hspace*", "")
    outside, inside = body.split("$")[::2], body.split("$")[1::2]
    assert len(outside) == len(inside) + 1 and body.count("{description}") % 2 == 0
    for part in inside:
        assert part.count("{") == part.count("}") - 2 * part.count(r"\}") + 2 * part.count(r"\{"), part
        assert part.count(r"\left") == part.count(r"\right") and "*" not in part, part
    assert not [one for one in outside if "*" in one or re.search(r"(?<!\\)[_^]", one)]
    lines = text(shown).splitlines()
    assert max(map(len, lines)) <= 118 and {"Readout", "Assumed"} <= {*lines}


@pytest.mark.sweep
def test_theorems_are_told_with_their_hypotheses_and_definitions() -> None:
    def rows(name: str, **choices: str) -> dict[str, str]:
        made = family(name, choices)
        lines = text(made, proved_of(made)).replace("\n      ", " ").split("\n")
        return {line.partition(":")[0].strip(): line for line in reversed(lines)}

    turing = rows("turing")
    assert "n = m + N + L + 1; machinerun(K, R, first" in turing["merrill2024.thm2"]
    assert "h(t, d) where head t is" in "".join(turing) + "".join(turing.values())
    dyck = rows("dyck-k-d")
    assert "more hypotheses: cookbook.s9.2.3.dyckkD_accept" in dyck["lem.any_dyck"] and "nestlevel(o, a, m)" in dyck
    assert "for all m:Int, q:Int->Int: if 0 <= m; n = 2*m + 2" in rows("automaton")["merrill2024.thm1"]
    assert "c(f, i) after round t = 1, .., L; at t = 0" in "".join(rows("logic-past"))
    soft = rows("induction-by-term")["cookbook.s9.1.1.soft_average.corrected"]
    assert "tau = 1/log(8*N); term = 0; h_term = 0" in soft and "h_x is x in a run with ties = softmax" in soft
    corrected = rows("induction-by-term", ties="softmax")
    assert "if n <= N; term = 1; beta = N^2*log(8*N): all i" in corrected["cookbook.s9.1.1.soft.corrected"]
    wanted = "all j in 1..n. abs(value(j)) <= B: all i in 1..n. query(i) = q -> abs("
    assert wanted in rows("lookup-quadratic", ties="softmax")["cookbook.t2.index_lookup"]


@pytest.mark.sweep
def test_names_of_a_theorem_are_told_from_those_of_the_family() -> None:
    """Routing by weights: W is the family's, W0 the theorem's, of which W is made."""
    made = family("network")
    (routing,) = [one for one in proved_of(made) if "cookbook.t3.routing" in one.ids]
    own = [name for name, _ in routing.over]
    assert own == ["p", "y", "R", "W0", "b0", "V0", "c0"]
    said = " ".join([*routing.given, routing.says])
    assert "W(k, m) = sum(l, 1, d, W0(k, l)*R(l, m))" in said and "g_" not in said
    for name in SHIPPED:
        shown = family(name)
        for one in proved_of(shown):
            assert not {name for name, _ in one.over} & {*shown.sizes, *shown.tables, *shown.space}, (name, one.ids)


def test_a_theorem_without_its_proof_is_not_said_to_be_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    made, known = family("max"), dict(statements())
    assert "family.max" in text(made, proved_of(made))
    changed = known["family.max"].written.replace("z2_out(K) = x(c)", "z2_out(K) = 2*x(c) - x(c)")
    known["family.max"] = replace(known["family.max"], written=changed)
    monkeypatch.setattr("symcook.proof.replay.statements", lambda: known)
    assert "family.max" not in text(made, proved_of(made))


@pytest.mark.sweep
def test_signs_and_placements_are_explained_where_they_are() -> None:
    turing, sums, plain = (text(family(name), proved_of(family(name))) for name in ("turing", "network", "identity"))
    assert "multi-pre-norm: several before each sublayer" in turing and "pre-norm" not in sums
    assert "F <-> G: one holds" in turing and "x:Int is an integer" in sums
    assert "F | G" not in sums and "  signs" in sums
    assert "print(0, r) is used by nothing" in " ".join(turing.split()) and "  signs" not in latex(family("turing"))
    assert re.search(r"\bZ\b", plain + sums) is None


def test_the_tape_that_is_only_read_is_not_written() -> None:
    """What row r prints on tape 0 changes nothing."""
    for name in ("turing", "turing-no-start"):
        values, _ = case(name, random.Random(name))
        one, other = ({**values, "print": [[way] * values["R"], values["print"][1]]} for way in (0, 1))
        assert instance(family(name), one) == instance(family(name), other)


@pytest.mark.sweep
def test_cases_that_a_table_never_has_are_left_out() -> None:
    past, whole = (text(family(name), proved_of(family(name))) for name in ("counting-past", "logic"))
    assert "op(f) = 9" in past and not re.search(r"op\(f\) = (4|5|6|7|10)\b", past.partition("Where")[2])
    assert "rightcount" not in past and "rightcount" in whole
    assert all(f"op(f) = {k} " in whole.partition("Where")[2] for k in range(12))


def test_what_is_written_out_is_what_the_definition_says() -> None:
    """The kernel reads both as the same formula."""
    for name, id_ in (("counting", "yang2026.thm20"), ("since-until", "yang2026.thm15")):
        known = statements()[id_].known
        (theorem,) = [one for one in proved_of(family(name)) if id_ in one.ids]
        before = expand(f"all n:Int, w:Int->Int, names(family-{name}). ")
        (call,) = long_calls(parse_formula(theorem.says), known)
        made = unfolded(call, known)
        assert made != call and not [*long_calls(made, known)]
        texts = (before + show(part).replace("f i. c(L, f, i)", "p1 p2. c(L, p1, p2)") for part in (call, made))
        one, other = (grammar.digest(grammar.read_formula(said, {}, known)) for said in texts)
        assert one == other


def test_formulas_among_words() -> None:
    assert inline("at p = n*(N + 1), S + 1..S + R; a 2026 (b)", {"p", "N", "S", "R"}) == (
        r"at $p = n\,\left(N + 1\right)$, $S + 1,\dots,S + R$; a 2026 (b)"
    )
    assert inline("the last (side -1)", {"side"}) == "the last (side $-1$)"
    for said in ("(all i in 1..n. x = 1) -> y = 1", "(a = 1 -> b = 1) -> c = 1", "a = 1 & (b = 1 | all x:Int. x < c)"):
        assert parse_formula(prose(parse_formula(said))) == parse_formula(said)


def test_a_wrong_document_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for line, code in ((("show", "family-max", "--document"), 2), (("show", "family-max", "--set", "x=1"), 2)):
        assert call(capsys, *line)[0] == code


def test_cases_are_told_apart() -> None:
    one, two = (("ind", ("=", ("name", "x"), ("num", k, 1))) for k in (1, 2))
    assert len(by_cases(("+", ("*", one, ("name", "a")), ("*", two, ("name", "b"))))) == 2
    assert by_cases(("+", ("*", one, ("name", "a")), ("*", one, ("name", "b")))) == []
    assert tidy(("+", ("-", ("name", "a"), ("num", 1, 1)), ("neg", ("num", 1, 4)))) == (
        "-",
        ("name", "a"),
        ("num", 5, 4),
    )
