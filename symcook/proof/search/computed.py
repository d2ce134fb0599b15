"""Goals that hold by computation, at each value of each index: what a bridge is made of. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from symcook.model.rationals import consecutive, quotient
from symcook.proof import normal
from symcook.proof.normal import FALSE, TRUE, fkey, nf
from symcook.proof.ownvalues import cancelled, divided, enclosed, reduced, whole_term
from symcook.proof.search import automation
from symcook.proof.search.folded import distinct, ends_of, over_numbers, shortened, swapped
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import flatten, instantiate, loose, num, opened, replace, subterms, var

if TYPE_CHECKING:
    from symcook.proof.terms import Term

MANY = 64
"""So many witnesses are tried for an index that exists."""
FEW = 3
"""A range of no more numbers is told apart without a look at what is shorter."""
ROOTED = (divided, cancelled, partial(enclosed, near=()))
"""What closes a comparison of numbers with roots."""


class Computed:
    """Closes goals by computation: what a fact says up to normal forms, at each value of each index."""

    def __init__(
        self,
        differs: Callable[[Term], Exception],
        facts: Mapping[Term, str],
        searching: bool = False,
        long: bool = False,
    ) -> None:
        """`differs` makes the error for a goal that is not there. With `searching` it is left to the automation:
        ties, at the numbers of an input. With `long` goals are made short before cases are told apart."""
        self.differs, self.keys, self.searching, self.long = differs, dict(facts), searching, long
        self.by_name: dict[str | None, str] = {}
        self.words: list[str] = []
        self.one_of: dict[str, tuple[str, int]] = {}  # facts that are others at a number
        self.aside: set[str] = set()  # facts that say nothing of where a position is
        self.count = 0

    def spread(self, part: Term, label: str) -> None:
        """Know what a fact ``all x in a..b. ...`` with numbers a and b says at each of them."""
        if not over_numbers(part):
            return
        low, high = (int(normal.constant(nf(end)) or 0) for end in ends_of(part))
        for x in range(low, high + 1):
            inside = instantiate(part[2][0], (num(x),))[2][1]
            at = f"{label}_{x}"
            self.one_of[at] = label, x
            self.keys.setdefault(fkey(inside), at)
            if (name := left_of(inside)) is not None:
                self.by_name[name] = at

    def _given(self, g: Goal, label: str) -> str:
        """The label of a fact, which is told first where it is another at a number."""
        if label in self.one_of and label not in g.facts:
            fact, x = self.one_of[label]
            g.use(fact, str(x), label=label, premises=1)
        return label

    def settle(self, g: Goal) -> None:
        if g.goal[0] == "&":  # before its key: that of a whole run is long
            for part in g.split():
                self.settle(part)
            return
        if over_numbers(g.goal):
            if not (self.long and (distinct(g, halved) or (self.searching and swapped(g, self.settle)))):
                self._index(g)
            return
        key = fkey(g.goal)
        if key == TRUE:
            g.true()
        elif key in self.keys:
            g.hyp(self._given(g, self.keys[key]))
        elif g.goal[0] == "->":
            before, self.count = dict(self.keys), self.count + 1
            given = f"h{self.count}"
            if _vacuous(g, given):
                return
            self.keys[fkey(g.goal[2][0])] = given
            g.intro(given)
            self.settle(g)
            self.keys = before
        elif g.goal[0] == "ex":
            self._exists(g)
        elif g.goal[0] == "all":
            self._index(g)
        elif g.goal[0] == "|":
            self.settle(g.pick("left" if fkey(g.goal[2][0]) == TRUE else "right"))
        elif self.searching:
            roots = any(t[:2] == ("fn", "sqrt") for t in subterms(g.goal))
            if not (roots and g.first(*ROOTED, _nested, _opened)):
                automation.prove(g)
        else:
            raise self.differs(g.goal)

    def _exists(self, g: Goal) -> None:
        for value in range(MANY):
            if fkey(instantiate(g.goal[2][0], (num(value),))) == TRUE:
                self.settle(g.witness(str(value)))
                return
        raise self.differs(g.goal)

    def _index(self, g: Goal) -> None:
        """``all x in a..b``: each number where the ends are numbers, else the positions of a word."""
        body = g.goal[2][0]
        if g.goal[1] != "Int" or body[0] != "->" or body[2][0][0] != "&":
            raise self.differs(g.goal)
        self.count += 1
        x, low, high = f"x{self.count}_", f"l{self.count}", f"u{self.count}"
        g.intro(f"{x} ({low} {high})")
        ends = [normal.constant(nf(g.facts[k][2][side])) for k, side in ((low, 0), (high, 1))]
        if None in ends and g.goal[0] == "&" and g.goal[2][0][0] == "->":  # accepted at each position
            for part in g.split():
                self.settle(part)
            return
        if None in ends:
            if not (self.long and shortened(g, lambda h: self._position(h, x, low, high))):
                self._position(g, x, low, high)
            return

        def leaf(h: Goal, value: int, equal: str) -> None:
            h.rewrite(equal) if _occurs(h.goal, x) else None
            self.settle(h)

        def each(h: Goal) -> None:
            halved(h, x, int(ends[0] or 0), int(ends[1] or 0), low, high, leaf)

        many = (ends[1] or 0) - (ends[0] or 0) >= FEW
        if not (self.long and many and shortened(g, each)):
            each(g)

    def _position(self, g: Goal, i: str, low: str, high: str) -> None:
        """An equation of the embedding at a position, one case for each token that may stand there."""
        fact = self.by_name.get(left_of(g.goal))
        typed = next((k for k in self.words if g.facts[k][0] == "all"), None)
        if typed is None:
            raise self.differs(g.goal)
        if fact is not None:
            self._given(g, fact)
            g.use(fact, i, lambda h: pair(h, low, high), label=f"{fact}_at", premises=0)
            if self.long and fkey(g.facts[f"{fact}_at"]) == fkey(g.goal):
                g.hyp(f"{fact}_at")
                return
        ends = flatten("&", instantiate(g.facts[typed][2][0], (var(i, "Int"),))[2][0])
        same = [fkey(end) for end in ends] == [fkey(g.facts[low]), fkey(g.facts[high])]
        for k in self.words if not same else ():
            if g.facts[k][0] == "=":  # an added token
                place, token = g.facts[k][2][0][2][1], g.facts[k][2][1]
                here, g = g.em(f"{i} = {g.text(place)}", f"{k}_here", f"{k}_not")

                def added(h: Goal, k: str = k) -> None:
                    h.rewrite(f"{k}_here").hyp(k)

                here.have(f"w({i}) = {here.text(token)}", "token", added)
                self._tokens(here, fact)
        near = [low, high, *(k for k in g.facts if k.endswith("_not"))]
        equations = {*self.by_name.values(), *self.aside}

        def ranged(h: Goal) -> None:
            h.facts = {k: f for k, f in h.facts.items() if k in near or k not in equations}
            automation.prove(h, (), foreground=near)

        inside = (lambda h: pair(h, low, high)) if same else ranged
        g.use(typed, i, inside, label="token", premises=0)
        self._tokens(g, fact)

    def _tokens(self, g: Goal, fact: str | None) -> None:
        """The equation in each case of the fact `token`."""
        for one in g.cases("token", "token_is") if g.facts["token"][0] == "|" else [g]:
            equal = "token_is" if one is not g else "token"
            if _mentions_word(one.goal):
                one.rewrite(equal)
            key = fkey(one.goal)
            if key == TRUE:
                one.true()
                continue
            if fact is None:
                raise self.differs(one.goal)
            one.rewrite(equal, f"{fact}_at", f"{fact}_here")
            if fkey(one.facts[f"{fact}_here"]) != key:
                raise self.differs(one.goal)
            one.hyp(f"{fact}_here")


def _vacuous(g: Goal, label: str) -> bool:
    """Close ``A -> B`` where a part of A is false by computation, or at a number if it says something of each in a
    range; whether one is."""
    parts = flatten("&", g.goal[2][0])
    for k, part in enumerate(parts):
        if fkey(part) != FALSE and (at := _fails(part)) is None:
            continue
        labels = [f"{label}_{m}" for m in range(len(parts))] if len(parts) > 1 else [label]
        g.intro(group(labels))
        g.contra(g.fresh("no"))
        wrong = labels[k]
        if fkey(part) != FALSE:
            wrong = g.fresh("wrong")
            g.use(labels[k], str(at), "!", label=wrong)
        g.absurd(wrong)
        return True
    return False


def _fails(f: Term) -> int | None:
    """The first number at which ``all x in a..b`` is false by computation."""
    if not over_numbers(f):
        return None
    inside = f[2][0][2][1]
    low, high = (normal.constant(nf(end)) for end in ends_of(f))
    values = range(int(low or 0), int(high or 0) + 1)
    return next((x for x in values if fkey(instantiate(inside, (num(x),))) == FALSE), None)


def _nested(g: Goal) -> None:
    """The same with each root of what roots make a rational number put as the root of that number, and each of two
    roots that have a rational ratio as a multiple of the other."""
    whole, kept, facts = g.goal, list[Fraction](), list[str]()
    without = whole
    for t in _roots(whole):
        inside, number = t[2][0], normal.constant(reduced(nf(t[2][0])))
        if number is None or number <= 0:
            continue
        found = ((other, ratio) for other in kept if (ratio := _root(Fraction(number) / other)) is not None)
        other, ratio = next(found, (Fraction(number), Fraction(1)))
        if other not in kept:
            kept.append(other)
            if normal.constant(nf(inside)) is not None:
                continue
        facts.append(g.fresh("root"))
        same = f"{quotient(ratio)}*sqrt({quotient(other)})"
        g.use("lem:sqrt_equals", g.text(inside), same, partial(enclosed, near=()), cancelled, label=facts[-1])
        without = replace(without, t, g.term(same, "Real"))
    if not facts:
        raise Stuck("no root of a number with roots")
    facts.append(g.fresh("plain"))
    g.have(without, facts[-1], _plain)
    g.auto(facts)


def _plain(g: Goal) -> None:
    if not g.first(*ROOTED):
        automation.prove(g)


def _roots(f: Term) -> list[Term]:
    """The roots in it of numbers that have no variable."""
    return [t for t in dict.fromkeys(subterms(f)) if t[:2] == ("fn", "sqrt") and not loose(t)]


def _root(q: Fraction) -> Fraction | None:
    """The root of a positive rational number where it is rational."""
    root = normal.constant(nf(("fn", "sqrt", (num(q.numerator, q.denominator),))))
    return None if root is None else Fraction(root)


def _opened(g: Goal) -> None:
    """The same with each relu of a number with roots put for what its sign says that it is."""
    facts, without = [], g.goal
    for t in dict.fromkeys(subterms(g.goal)):
        if t[:2] != ("fn", "relu") or loose(t) or normal.constant(nf(t)) is not None:
            continue
        inside = whole_term(nf(t[2][0]))
        for axiom, ends, value in (
            ("ax:relu_pos", (num(0), inside), inside), ("ax:relu_neg", (inside, num(0)), num(0)),
        ):  # fmt: skip
            side = g._branch(("<=", None, ends))
            if side.first(partial(enclosed, near=()), _level):
                facts.append(g.fresh("relu"))
                g.use(axiom, g.text(inside), partial(Goal.take, trial=side), label=facts[-1])
                without = replace(without, t, value)
                break
    if not facts:
        raise Stuck("no relu of a number with roots")
    facts.append(g.fresh("opened"))
    g.have(without, facts[-1], _rooted)
    g.auto(facts)


def _rooted(g: Goal) -> None:
    if not g.first(*ROOTED):
        raise Stuck("no comparison of numbers with roots")


def _level(g: Goal) -> None:
    """An inequality of two numbers with roots that are the same."""
    label = g.fresh("same")
    g.have(("=", None, g.goal[2]), label, cancelled)
    g.auto([label])


def halved(g: Goal, x: str, a: int, b: int, low: str, high: str, leaf: Callable[..., None]) -> None:
    """Close `g` at each value of an integer x of which `low` says a <= x and `high` x <= b; `leaf` is given the goal,
    the value, and the label of the equation."""
    if b < a:
        g.have(f"{a} <= {b}", "none", lambda h: h._emit({"by": "pos", "sum": [
            {"c": "1", "of": [low]}, {"c": "1", "of": [high]}]}, True))  # fmt: skip
        g.absurd("none")
        return
    if a == b:
        equal = g.fresh("eq")
        g.have(f"{x} = {a}", equal, lambda h: h._emit({"by": "antisym", "left": [{"by": "hyp", "of": high}],
                                                       "right": [{"by": "hyp", "of": low}]}, True))  # fmt: skip
        leaf(g, a, equal)
        return
    mid = (a + b) // 2
    upper, above, lower = g.fresh("to"), g.fresh("over"), g.fresh("from")
    left, right = g.em(f"{x} <= {mid}", upper, above)
    halved(left, x, a, mid, low, upper, leaf)
    right.use("ax:int_lt", str(mid), x, f"#{above}", label=lower)
    halved(right, x, mid + 1, b, lower, high, leaf)


def squared(g: Goal) -> None:
    """Close ``0 <= t`` for a t that is a sum of squares, with positive factors and divisors; Stuck where it is none."""
    if g.goal[0] != "<=" or normal.constant(nf(g.goal[2][0])) != 0 or (parts := _squares(g.goal[2][1])) is None:
        raise Stuck("no sum of squares")
    entries = [{"c": quotient(c), "of": [], **({} if base is None else {"sq": g.text(base)})} for c, base in parts if c]
    g._emit({"by": "pos", "sum": entries}, True)


def _squares(t: Term) -> list[tuple[Fraction, Term | None]] | None:
    """The squares of a sum with their factors; a number has no square."""
    tag, data, kids = t
    number = normal.constant(nf(t))
    if number is not None:
        return [(Fraction(number), None)] if number >= 0 else None
    if tag == "^" and data == 2:
        return [(Fraction(1), kids[0])]
    if tag == "+" or tag == "sum":
        terms = list(kids)
        if tag == "sum":
            ends = [normal.constant(nf(end)) for end in kids[:2]]
            if None in ends:
                return None
            terms = [instantiate(kids[2], (num(k),)) for k in range(int(ends[0] or 0), int(ends[1] or 0) + 1)]
        found = [_squares(one) for one in terms]
        return None if None in found else [part for one in found for part in one or ()]
    if tag in ("*", "/"):
        for factor, other in ((kids[1], kids[0]), (kids[0], kids[1]))[: 1 + (tag == "*")]:
            c = normal.constant(nf(factor))
            if c is not None and c > 0 and (parts := _squares(other)) is not None:
                c = Fraction(c) if tag == "*" else 1 / Fraction(c)
                return [(c * one, base) for one, base in parts]
    return None


def group(labels: Sequence[str]) -> str:
    """Labels for the parts of a conjunction, or one for what is none."""
    return f"({' '.join(labels)})" if len(labels) > 1 else labels[0]


def pair(h: Goal, low: str, high: str) -> None:
    for part, fact in zip(h.split(), (low, high), strict=True):
        part.hyp(fact)


def function(cells: Mapping[tuple[int, ...], str | None], place: bool) -> str:
    """A function with these values, 0 elsewhere; with `place` its last argument is a position."""
    keys = list(cells)
    many = len(keys[0]) if keys else 0
    names = [f"v{k}__" for k in range(1, many + 1)]
    terms = []
    for key, value in cells.items():
        test = " & ".join(f"{name} = {k if k >= 0 else f'({k})'}" for name, k in zip(names, key, strict=True))
        if value is not None:
            terms.append(f"I[{test}]*{value}" if test else value)
    head = " ".join([*names, *(["y__"] if place else [])])
    return f"{head}. {_sum(terms)}" if head else _sum(terms)


def table_function(entries: Mapping[tuple[int, ...], Fraction], names: Sequence[str] = ()) -> str:
    """A function with these values at indices, in few symbols: a term for rows that are alike one after the other, and
    in a row a line where its values are on one, else a term for each run of equal ones. Arguments have these names."""
    names = names or [f"v{k}__" for k in range(1, 1 + len(next(iter(entries))))]
    if not names:
        return quotient(entries[()])
    rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for key, value in entries.items():
        rows.setdefault(key[:-1], {})[key[-1]] = value
    alike: list[tuple[tuple[int, ...], int, str]] = []  # where it begins, how many, what they are
    for key, row in rows.items():
        text = _row(row, names[-1])
        if key and alike and alike[-1][2] == text and key == (*alike[-1][0][:-1], alike[-1][0][-1] + alike[-1][1]):
            alike[-1] = (alike[-1][0], alike[-1][1] + 1, text)
        else:
            alike.append((key, 1, text))
    terms = []
    for key, number, text in alike:
        test = [f"{name} = {_spelled(k)}" for name, k in zip(names, key, strict=False)]
        if number > 1:
            test[-1:] = _between(names[-2], key[-1], key[-1] + number - 1)
        terms += [] if text == "0" else [f"I[{' & '.join(test)}]*({text})" if test else text]
    return f"{' '.join(names)}. {_sum(terms)}"


def _row(row: Mapping[int, Fraction], name: str) -> str:
    """The values of a row at its numbers, as a term of the number."""
    (a, first), *others = row.items()
    slope = (others[0][1] - first) / (others[0][0] - a) if others else Fraction(0)
    if all(value == first + slope * (k - a) for k, value in row.items()):
        start = first - slope * a
        line = name if slope == 1 else f"{_spelled(slope)}*{name}"
        return quotient(start) if not slope else line if not start else f"{line} + {_spelled(start)}"
    runs: list[tuple[int, int, Fraction]] = []
    for k, value in row.items():
        if runs and runs[-1][1:] == (k - 1, value):
            runs[-1] = (runs[-1][0], k, value)
        else:
            runs.append((k, k, value))
    return _sum([f"I[{' & '.join(_between(name, a, b))}]*{_spelled(value)}" for a, b, value in runs if value])


def _between(name: str, a: int | str, b: int | str) -> list[str]:
    """That a name is at least a and at most b, numbers or terms."""
    low, high = (one if isinstance(one, str) else _spelled(one) for one in (a, b))
    return [f"{name} = {low}"] if a == b else [f"{low} <= {name}", f"{name} <= {high}"]


def _spelled(value: int | Fraction) -> str:
    return quotient(value) if value >= 0 and Fraction(value).denominator == 1 else f"({quotient(value)})"


def _sum(terms: Sequence[str]) -> str:
    return _bracketed(terms, " + ") or "0"


def row_function(values: Sequence[object], low: str | None) -> str:
    """A function of positions with these values; a number where there are none."""
    texts = [str(value) for value in values]
    if low is None or len(set(texts)) == 1:
        return texts[0] if low is None else f"y__. {texts[0]}"
    terms = [f"I[y__ = {int(low) + k}]*({text})" for k, text in enumerate(texts) if text != "0"]
    return f"y__. {' + '.join(terms)}"


def rows_function(rows: Mapping[tuple[int, ...], Sequence[object]], low: str | None, repeated: bool = False) -> str:
    """A function of a number, and of a position where `low` is the first one: most rows, and what the others are
    more. At other numbers it is anything. With `repeated` numbers that come back at one distance are a sum."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for (k,), row in rows.items():
        alike.setdefault(tuple(map(str, row[:1] if low is None else row)), []).append(k)
    most, *others = sorted(alike, key=lambda row: -spans(alike[row], "").count(" | "))
    found = [_placed(most, low)]
    for row in others:
        more = [_less(a, b) for a, b in zip(row, most, strict=True)]
        here = counted(alike[row], "v1__") if repeated else f"I[{spans(alike[row], 'v1__')}]"
        found.append(f"{here if here.startswith('I[') else f'({here})'}*({_placed(more, low)})")
    return f"v1__{' y__' * (low is not None)}. {_sum([one for one in found if one != '0'])}"


def _placed(values: Sequence[str], low: str | None) -> str:
    """These values at the positions, as a term."""
    if len(set(values)) == 1:
        return values[0] if values[0] == "0" else f"({values[0]})"
    terms = [f"I[y__ = {int(low or 0) + k}]*({value})" for k, value in enumerate(values) if value != "0"]
    return _sum(terms)


def _less(a: str, b: str) -> str:
    """a - b as a text."""
    try:
        return quotient(Fraction(a) - Fraction(b))
    except ValueError:
        return "0" if a == b else f"({a}) - ({b})"


def spans(numbers: Sequence[int], name: str) -> str:
    """That a name is one of these numbers, which ascend."""
    return _bracketed([" & ".join(_between(name, a, b)) for a, b in consecutive(numbers)], " | ")


def counted(numbers: Sequence[int], name: str) -> str:
    """1 where a name is one of these numbers, which ascend, else 0, as a term: runs that come back at the same distance
    are a sum.

    >>> counted([2, 4, 5, 12, 14, 15, 22, 24, 25, 31], "x")
    'sum(u__, 0, 2, I[x = 10*u__ + 2 | 10*u__ + 4 <= x & x <= 10*u__ + 5]) + I[x = 31]'
    """
    runs, terms, apart = consecutive(numbers), list[str](), list[tuple[int, int]]()
    while runs:
        many, times = max(((q, _again(runs, q)) for q in range(1, len(runs) // 2 + 1)), key=_saved, default=(1, 1))
        if times < 3:
            apart.append(runs.pop(0))
            continue
        step = runs[many][0] - runs[0][0]
        cells = [" & ".join(_between(name, f"{step}*u__ + {a}", f"{step}*u__ + {b}")) for a, b in runs[:many]]
        terms.append(f"sum(u__, 0, {times - 1}, I[{_bracketed(cells, ' | ')}])")
        runs = runs[many * times :]
    tests = [" & ".join(_between(name, a, b)) for a, b in apart]
    return _sum(terms + [f"I[{_bracketed(tests, ' | ')}]"] * bool(tests))


def _again(runs: Sequence[tuple[int, int]], many: int) -> int:
    """How often the first of these runs, `many` of them, stand one behind the other at one distance."""
    step, times = runs[many][0] - runs[0][0], 1
    for k in range(many, len(runs) - many + 1, many):
        before, here = runs[k - many : k], runs[k : k + many]
        if here != [(a + step, b + step) for a, b in before]:
            break
        times += 1
    return times


def _saved(found: tuple[int, int]) -> int:
    """How many runs need not be written."""
    many, times = found
    return many * (times - 1)


def _bracketed(parts: Sequence[str], sign: str) -> str:
    """Parts with a sign between them; many are bracketed in halves."""
    if len(parts) <= 16:
        return sign.join(parts)
    half = len(parts) // 2
    return f"({_bracketed(parts[:half], sign)}){sign}({_bracketed(parts[half:], sign)})"


def affine(cells: Mapping[tuple[int, ...], int]) -> list[int] | None:
    """The numbers c, a, b, .. with value c + a*x1 + b*x2 + .. at each key; None where there are none."""
    keys = list(cells)
    first, slopes = keys[0], []
    for m in range(len(first)):
        other = next((k for k in keys if k[m] != first[m] and k[:m] + k[m + 1 :] == first[:m] + first[m + 1 :]), None)
        rise = 0 if other is None else Fraction(cells[other] - cells[first], other[m] - first[m])
        if rise.denominator != 1:
            return None
        slopes.append(int(rise))
    start = cells[first] - sum(a * x for a, x in zip(slopes, first, strict=True))
    fits = all(v == start + sum(a * x for a, x in zip(slopes, k, strict=True)) for k, v in cells.items())
    return [start, *slopes] if fits else None


def witnessed(g: Goal, texts: Sequence[str]) -> Term:
    """Give the witnesses of the goal, all put in at once; what it says of them, in which they are loose."""
    values, f = [], g.goal
    for text in texts:
        if f[0] != "ex":
            raise Stuck("a witness is for 'ex'")
        values.append(g.term(text, f[1]))
        g.nodes.append({"by": "witness", "term": text})
        f = f[2][0]
    g.goal = opened(g.goal, values)
    return f


def left_of(f: Term) -> str | None:
    """The function that an equation is for, after computation."""
    while f[0] in ("all", "->", "&"):
        f = instantiate(f[2][0], (var("#", f[1]),)) if f[0] == "all" else f[2][f[0] == "->"]
    if f[0] != "=":
        return None
    keys = [normal._keys[a] for m in nf(f[2][0]) for a, _ in m[0]]
    numbered = {key: normal.constant(dict(key[3])) if len(key) > 4 else None for key in keys}
    names = {key[1] + (f"({numbered[key]})" if len(key) > 4 else "") for key in keys if key[0] in ("app", "var")}
    return next(iter(names)) if len(names) == 1 else None


def _occurs(t: Term, name: str) -> bool:
    return (t[0] == "var" and t[1][0] == name) or any(_occurs(k, name) for k in t[2] if isinstance(k, tuple))


def _mentions_word(t: Term) -> bool:
    return _occurs(t, "w")
