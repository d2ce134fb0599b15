"""The one automation behind ``by``: it closes a goal from the facts in scope and the hints, at rising levels.

A level bounds how deep premises nest, how often cases are distinguished, the products of inequalities and the work. The
work is counted, not timed, so that the same text gives the same certificate on every machine. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import constant, fkey, nf
from symcook.proof.search import cover, linear, reify, sums
from symcook.proof.search.liveness import pruned
from symcook.proof.search.matching import Found, Opened, closed_subterms, is_meta, loose, match, opened, put, ways
from symcook.proof.search.signs import Signs
from symcook.proof.search.simplex import Effort, TooLong
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    Term,
    flatten,
    free,
    negation,
    num,
    replace,
    sort_of,
    subterms,
)


@dataclass(frozen=True)
class Hint:
    """A fact by its label, with terms for its quantifiers and facts for its premises; or a term to consider."""

    label: str
    terms: tuple[str, ...] | None = None
    premises: tuple[Hint, ...] = ()
    term: Term | None = None


@dataclass(frozen=True)
class Level:
    """How far a search goes: premises, cases, degree of products, uses of equations, boxes, work."""

    depth: int
    splits: int
    degree: int
    rounds: int
    boxes: int
    work: int


LEVELS = (
    Level(2, 0, 1, 0, 0, 100_000),
    Level(3, 3, 1, 1, 100, 1_000_000),
    Level(3, 4, 2, 1, 1000, 3_000_000),
    Level(4, 7, 2, 2, 1000, 6_000_000),
)
CALLS = 1200  # goals looked at in one level
NEAR = 60  # facts in the foreground
FEW = 16  # so many facts all stand in the foreground
RULES = 6  # so many facts about all values are tried though they are not cited
CUBES = 10  # so many facts are multiplied three at a time
RANGE = 12  # the longest range of integers that is gone through


class _Spent(Exception):
    """A level has done its work."""


@dataclass
class _Step:
    """A goal with what stands in the foreground: the labels of facts that were cited or have come up."""

    g: Goal
    near: dict[str, None]
    signs: Signs
    done: set[object] = field(default_factory=set)
    failed: set[object] = field(default_factory=set)  # with the facts that are there now

    def under(self, g: Goal) -> _Step:
        """The same for a goal below this one; facts that it has more are in the foreground."""
        near = dict(self.near)
        near |= dict.fromkeys(k for k in g.facts if k not in self.g.facts)
        failed = set(self.failed) if len(g.facts) == len(self.g.facts) else set()
        return _Step(g, near, self.signs.under(g), set(self.done), failed)

    def fork(self, goal: Term | None = None) -> _Step:
        return self.under(self.g._branch(self.g.goal if goal is None else goal))

    def take(self, other: _Step) -> None:
        """Close this goal as `other`, a fork of it, was closed."""
        self.g.nodes += other.g.nodes
        self.g.closed = True

    def note(self, before: set[str]) -> list[str]:
        """Facts that were not among `before` come to the foreground."""
        new = [k for k in self.g.facts if k not in before]
        self.near |= dict.fromkeys(new)
        return new


def prove(g: Goal, hints: Sequence[Hint] = (), levels: Sequence[Level] = LEVELS) -> int:
    """Close `g`; the number of the level that did. Stuck with the goal that was left, where none does."""
    failure: Stuck | None = None
    for number, level in enumerate(levels):
        trial = g._branch(g.goal)
        search = _Search(level, hints)
        near = dict.fromkeys(search.cited(trial))
        rules = [k for k, f in trial.facts.items() if f[0] == "all"]
        if not hints and level.degree > 1 and len(rules) <= RULES:
            near |= dict.fromkeys(rules)
        try:
            search.run(_Step(trial, near, Signs(trial, search.effort)), level.depth)
        except Stuck as error:
            failure = search.failure(error)
            continue
        except (Rejected, TooLong, _Spent, RecursionError) as error:
            failure = failure or search.failure(Stuck(f"the search ended: {error or 'its work is spent'}"))
            continue
        if not trial.closed:
            raise Stuck("the automation left a goal open")
        g.nodes += pruned(trial.nodes)
        g.closed = True
        return number
    raise failure or Stuck("no level")


def immediate(g: Goal) -> bool:
    """Close `g` where it is true by computation or a fact."""
    search = _Search(LEVELS[0], ())
    return search.at_once(_Step(g, {}, Signs(g, search.effort)))


class _Search:
    def __init__(self, level: Level, hints: Sequence[Hint]) -> None:
        self.level, self.hints = level, hints
        self.effort = Effort(level.work)
        self.keys: dict[int, tuple[Term, object]] = {}
        self.polys: dict[int, tuple[Term, normal.Poly]] = {}
        self.frees: dict[int, tuple[Term, frozenset[Term]]] = {}
        self.calls = 0
        self.inside = 0  # how many premises we are in
        self.lacking: dict[str, None] = {}
        self.stuck: tuple[int, str] | None = None

    def cited(self, g: Goal) -> list[str]:
        def labels(hint: Hint) -> list[str]:
            return [hint.label, *(x for p in hint.premises for x in labels(p) if g.facts.get(x, ("all",))[0] != "all")]

        return [k for hint in self.hints for k in labels(hint) if k in g.facts]

    def failure(self, error: Stuck) -> Stuck:
        parts = [self.stuck[1] if self.stuck else str(error)]
        if self.lacking:
            parts.append("missing: " + "; ".join(list(self.lacking)[:4]))
        return Stuck("\n".join(parts))

    def stop(self, s: _Step, why: str = "") -> Stuck:
        if self.stuck is None or self.inside < self.stuck[0]:
            self.stuck = (self.inside, shown(s.g, s.near))
        return Stuck(why or "the search found nothing")

    # Normal forms by the identity of a formula: hashing the formula itself takes longer than most of what is done here.

    def key(self, f: Term) -> object:
        known = self.keys.get(id(f))
        if known is None:
            known = self.keys[id(f)] = (f, fkey(f))
        return known[1]

    def poly(self, f: Term) -> normal.Poly:
        known = self.polys.get(id(f))
        if known is None:
            known = self.polys[id(f)] = (f, linear.poly(f))
        return known[1]

    def names(self, f: Term) -> frozenset[Term]:
        known = self.frees.get(id(f))
        if known is None:
            known = self.frees[id(f)] = (f, frozenset(free(f)))
        return known[1]

    def replaced(self, f: Term, old: Term, new: Term) -> Term:
        return replace(f, old, new) if self.names(old) <= self.names(f) else f

    # --- The order in which things are tried --------------------------------------------------------------------------

    def run(self, s: _Step, depth: int, splits: int | None = None) -> None:
        splits = self.level.splits if splits is None else splits
        self.calls += 1
        if self.calls > CALLS:
            raise _Spent
        self.effort.spend(600 + 20 * len(s.g.facts))
        g = s.g
        if self.at_once(s):
            return
        if depth < 0:
            raise self.stop(s)
        tag = g.goal[0]
        if tag == "&":
            for part in g.split():
                self.run(s.under(part), depth, splits)
            return
        if tag in ("all", "->", "~"):
            before = set(g.facts)
            g.intro_all()
            s.note(before)
            self.run(s, depth, splits)
            return
        if tag == "|":
            return self.either(s, depth, splits)
        if tag == "ex":
            return self.witness(s, depth, splits)
        self.comparison(s, depth, splits)

    def comparison(self, s: _Step, depth: int, splits: int) -> None:
        level = self.level
        self.saturate(s)
        if self.at_once(s) or self.linear(s, 1, 0, wide=True) or self.denied(s, depth, False):
            return
        fresh = True
        for _ in range(2):
            if not fresh:
                break
            fresh = self.instances(s, depth)
            if fresh:
                self.saturate(s)
                if self.at_once(s) or self.linear(s, 1, 0, wide=True) or self.denied(s, depth, False):
                    return
        if self.rewritten(s, depth, splits):
            return
        if level.rounds == 0:
            raise self.stop(s)
        if self.integers(s) or self.finite(s, depth, splits):
            return
        if depth > 0 and self.pointwise(s, depth, splits):
            return
        before = set(s.g.facts)
        self.more(s)
        if s.note(before) and self.linear(s, 1, 0, wide=True):
            return
        if self.linear(s, 1, 1) or self.boxes(s) or self.deep(s, 8):
            return
        if self.cases(s, depth, splits) or (splits and self.branch(s, depth, splits)):
            return
        if depth > 0 and self.denied(s, depth, True):
            return
        if self.apart(s, depth, splits) or self.deep(s, 1):
            return
        raise self.stop(s)

    def deep(self, s: _Step, part: int) -> bool:
        """Arithmetic with products, for a part of the work that is left."""
        if self.level.degree < 2 or (self.inside and self.level is not LEVELS[-1]):
            return False
        whole, self.effort.left = self.effort.left, self.effort.left // part
        start = self.effort.left
        try:
            if self.linear(s, 1, 1, squared=True) or self.linear(s, 2, 0):
                return True
            if self.linear(s, 2, self.level.rounds) or self.against(s):
                return True
            return len(self.facts(s, False)) <= CUBES and self.linear(s, 3, 0)
        except TooLong:
            if part == 1:
                raise
            return False
        finally:
            self.effort.left = whole - (start - self.effort.left)

    # --- Closing ------------------------------------------------------------------------------------------------------

    def at_once(self, s: _Step) -> bool:
        """True by computation, a fact, or a fact that is false."""
        g = s.g
        key = self.key(g.goal)
        if key == NTRUE:
            g.true()
            return True
        tags = (g.goal[0], "~", "<", "<=") if g.goal[0] in ("~", "<", "<=") else (g.goal[0],)
        for k, f in reversed(g.facts.items()):
            if f is g.goal or (f[0] in tags and self.key(f) == key):
                g.hyp(k)
                return True
        for k in s.near:
            if g.facts[k][0] in (*COMPARISONS, "~", "false") and self.key(g.facts[k]) == NFALSE:
                g.absurd(k)
                return True
        return False

    def facts(self, s: _Step, wide: bool) -> dict[str, Term]:
        many = sum(f[0] in COMPARISONS for f in s.g.facts.values())
        names = s.g.facts if wide or (many <= FEW and self.level.degree > 1) else s.near
        out = {k: s.g.facts[k] for k in names if s.g.facts[k][0] in COMPARISONS}
        if len(out) > NEAR:
            out = {k: out[k] for k in list(dict.fromkeys([*[k for k in s.near if k in out], *reversed(out)]))[:NEAR]}
        return out

    def find(
        self, goal: Term, facts: dict[str, Term], degree: int, rounds: int, squared: bool = False
    ) -> linear.Found | None:
        try:
            multipliers = [h.term for h in self.hints if h.term is not None and h.term[0] not in _SPLIT]
            plain = [t for t in multipliers if t[0] not in (*COMPARISONS, "~", "all", "&", "|", "->", "ex", "lam")]
            return linear.find(
                goal,
                facts,
                degree=degree,
                rounds=rounds,
                effort=self.effort,
                poly=self.poly,
                multipliers=[*plain, *self.denominators(facts)] if rounds else (),
                squares=[*plain, *(self.squares(goal, facts) if squared else ())] if rounds or degree > 1 else (),
            )
        except (TooLong, Rejected):
            if self.effort.left < 0:
                raise
            return None

    def denominators(self, facts: dict[str, Term]) -> list[Term]:
        """z, where z*(1/z) = 1 is among the facts: equations are multiplied by it."""
        out = []
        for f in facts.values():
            if f[0] == "=" and f[2][1] == num(1) and f[2][0][0] == "*":
                z, one = f[2][0][2]
                if one == ("/", None, (num(1), z)):
                    out.append(z)
        return out[:4]

    def squares(self, goal: Term, facts: dict[str, Term]) -> list[Term]:
        """What may be squared: names that occur in products, and their sums and differences."""
        atoms: dict[int, None] = {}
        for f in [goal, *facts.values()]:
            if f[0] in COMPARISONS:
                for factors, _ in self.poly(f):
                    if sum(k for _, k in factors) == 2:
                        atoms |= dict.fromkeys(a for a, _ in factors)
        terms = [reify.atom(a) for a in sorted(atoms, key=lambda a: normal._keys[a][0] != "var")[:5]]
        pairs = [(a, b) for k, a in enumerate(terms) for b in terms[k + 1 :]]
        return [*terms, *((tag, None, p) for p in pairs for tag in ("-", "+"))]

    def linear(self, s: _Step, degree: int, rounds: int, wide: bool = False, squared: bool = False) -> bool:
        """Arithmetic from the facts in the foreground, or with `wide` from all of them."""
        g, tag = s.g, s.g.goal[0]
        if tag not in (*COMPARISONS, "false"):
            return False
        facts = self.facts(s, wide)
        if tag == "=":
            found = self.find(g.goal, {k: f for k, f in facts.items() if f[0] == "="}, 1, rounds)
            if found is not None:
                g._close(found)
                return True
            if all(f[0] == "=" for f in facts.values()):
                return False
            a, b = g.goal[2]
            one = self.find(("<=", None, (a, b)), facts, degree, rounds, squared)
            if one is None:
                return False
            if one.contradiction:
                g._close(one)
                return True
            two = self.find(("<=", None, (b, a)), facts, degree, rounds, squared)
            if two is None:
                return False
            for half, f in zip(g.antisym(), (one, two), strict=True):
                half._close(f)
            return True
        found = self.find(g.goal, facts, degree, rounds, squared)
        if found is None:
            return False
        g._close(found)
        return True

    def against(self, s: _Step) -> bool:
        """A contradiction from the negated goal, which then takes part in products."""
        g = s.g
        if g.goal[0] not in ("<=", "<"):
            return False
        label = g.fresh("no")
        facts = {**self.facts(s, False), label: negation(g.goal)}
        found = self.find(FALSE, facts, self.level.degree, self.level.rounds)
        if found is None:
            return False
        g.contra(label)
        g._emit(g._pos(found), True)
        return True

    def denied(self, s: _Step, depth: int, deep: bool) -> bool:
        """A fact ``~F`` whose F holds."""
        g = s.g
        for k in [k for k in (s.near if deep else g.facts) if g.facts[k][0] == "~"]:
            f = g.facts[k][2][0]
            trial = s.fork(f)
            trial.near.pop(k, None)
            if not deep:
                if not self.plain(trial):
                    continue
            else:
                if f[0] in COMPARISONS or ("denied", k) in s.done:
                    continue
                trial.done.add(("denied", k))
                for eq in [x for x in trial.near if g.facts[x][0] == "=" and g.facts[x][2][0][0] == "var"]:
                    old, new = g.facts[eq][2]
                    if old not in free(new) and old in free(trial.g.goal):
                        trial.g.rewrite(eq)
                try:
                    self.run(trial, depth - 1, 1)
                except Stuck:
                    continue
            label = g.fresh("yes")
            g._emit({"by": "have", "show": g.text(f), "proof": trial.g.nodes, "as": label})
            g._bind(label, f)
            if g.goal != FALSE:
                g.contra(g.fresh("no"))
            g.absurd(label, k)
            return True
        return False

    def plain(self, s: _Step) -> bool:
        """A fact, or linear; or a conjunction of such."""
        g = s.g
        if self.at_once(s):
            return True
        if g.goal[0] == "&":
            return all(self.plain(s.under(part)) for part in g.split())
        return g.goal[0] in COMPARISONS and self.linear(s, 1, 0, wide=True)

    def integers(self, s: _Step) -> bool:
        """An inequality of integers by its negation, which is apart by one."""
        g = s.g
        if g.goal[0] not in ("<=", "<") or any(sort_of(x) != "Int" for x in g.goal[2]):
            return False
        trial = s.fork()
        before = set(trial.g.facts)
        trial.g.contra(trial.g.fresh("no"))
        trial.note(before)
        self.saturate(trial)
        if not self.linear(trial, 1, 0, wide=True):
            return False
        s.take(trial)
        return True

    def boxes(self, s: _Step) -> bool:
        """Interval enclosures, where numbers bound every name of the goal."""
        g = s.g
        if g.goal[0] not in ("<=", "<") or not any(t[0] == "fn" for t in subterms(g.goal)):
            return False
        trial = s.fork()
        try:
            cover.cover(trial.g, boxes=self.level.boxes)
        except (Stuck, Rejected):
            return False
        s.take(trial)
        return True

    # --- More facts ---------------------------------------------------------------------------------------------------

    def saturate(self, s: _Step) -> None:
        """Conjunctions come apart, existences get names, a < b of integers gives a + 1 <= b."""
        g = s.g
        todo = list(g.facts)
        while todo:
            k = todo.pop(0)
            f = g.facts[k]
            if (k, "taken") in s.done or len(g.facts) > 400:
                continue
            before = set(g.facts)
            if f[0] == "&" and k not in g.taken:
                s.done.add((k, "taken"))
                stem = g.fresh("q")
                g.use(k, label=" ".join(f"{stem}_{i}" for i in range(len(flatten("&", f)))))
            elif f[0] == "ex" and k in s.near:
                s.done.add((k, "taken"))
                inner = f[2][0]
                stem = g.fresh("w")
                many = len(flatten("&", inner))
                g.obtain(k, g.fresh("v"), stem if many == 1 else " ".join(f"{stem}_{i}" for i in range(many)))
            elif f[0] == "<" and sort_of(f[2][0]) == sort_of(f[2][1]) == "Int":
                s.done.add((k, "taken"))
                a, b = f[2]
                if ("<=", None, (("+", None, (a, num(1))), b)) in g.facts.values():
                    continue
                g.use("ax:int_lt", g.text(a), g.text(b), f"#{k}", label=g.fresh("z"))
            else:
                continue
            new = [x for x in g.facts if x not in before]
            if k in s.near:
                s.near |= dict.fromkeys(new)
            todo += new

    def instances(self, s: _Step, depth: int) -> bool:
        """Instances of the hints, and of the rules in the foreground, that speak of what occurs here."""
        g = s.g
        many = len(g.facts)
        known = list(g.facts.values())
        here = closed_subterms([g.goal, *(g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS)])
        wide: list[Term] | None = None
        for hint in [*self.hints, *(Hint(k) for k in list(s.near) if g.facts[k][0] in ("all", "->"))]:
            if hint.term is not None or (hint.label not in g.facts and hint.label not in g.library.facts):
                continue
            fact = g.fact(hint.label)
            if fact[0] not in ("all", "->") and not hint.premises:
                if hint.label in g.library.facts and ("got", hint.label) not in s.done:
                    s.done.add(("got", hint.label))
                    label = g.fresh("u")
                    g.use(hint.label, label=label)
                    s.near[label] = None
                continue
            rule = opened(fact)
            found = self.start(s, hint, rule)
            if found is None:
                continue
            start, given = found
            self.effort.spend(500 + 15 * len(here) + 10 * len(known))
            options = ways(rule, g.goal, here, known, start)
            if not options:
                if wide is None:
                    wide = closed_subterms([f for f in known if f[0] in COMPARISONS])
                options = ways(rule, g.goal, wide, known, start, self.level.degree > 1)
            if (not options or self.level is LEVELS[-1]) and all(
                m[1][1] == "Int" for m in rule.metas if m not in start
            ):
                options = [*options, *(x for x in self.everywhere(s, rule, start) if x not in options)]
            for option in options:
                self.instantiate(s, hint, rule, option, given, depth)
        return len(g.facts) > many

    def everywhere(self, s: _Step, rule: Opened, start: Found) -> list[Found]:
        """The names of integers for a rule that nothing here points to."""
        missing = [m for m in rule.metas if m not in start]
        names = [("var", (n, "Int"), ()) for n, sort in s.g.scope.items() if sort == "Int"]
        return [{**start, missing[0]: v} for v in names[-6:]] if len(missing) == 1 else []

    def start(self, s: _Step, hint: Hint, rule: Opened) -> tuple[Found, list[str | None]] | None:
        """What the terms and premises of a hint settle, and the labels for its first premises."""
        g = s.g
        found: Found = {}
        for m, text in zip(rule.metas, hint.terms or (), strict=False):
            if text != "_":
                found[m] = g.term(text, m[1][1])
        given: list[str | None] = []
        for hint_premise, q in zip(hint.premises, rule.premises, strict=False):
            if hint_premise.label == "_":
                given.append(None)
                continue
            label = self.resolve(s, hint_premise, put(q, found), found)
            if label is None:
                self.lacking[f"the premise of {hint.label} that {hint_premise.label} should give"] = None
            given.append(label)
        return found, given

    def resolve(self, s: _Step, hint: Hint, wanted: Term, found: Found) -> str | None:
        """The label of a fact that matches a premise: the hint itself, a part of it or an instance of it."""
        g = s.g
        if hint.label in g.facts and hint.terms is None and not hint.premises:
            more = dict(found)
            if match(wanted, g.facts[hint.label], more):
                found |= more
                return hint.label
            if not any(is_meta(v) for v in free(wanted)) and fkey(wanted) == fkey(g.facts[hint.label]):
                return hint.label
        fact = g.fact(hint.label)
        rule = opened(fact)
        inner = self.start(s, hint, rule)
        if inner is None:
            return None
        label = self.instantiate(s, hint, rule, inner[0], inner[1], 1, partial=True)
        if label is None:
            return None
        more = dict(found)
        if not match(wanted, g.facts[label], more):
            return None
        found |= more
        return label

    def instantiate(
        self,
        s: _Step,
        hint: Hint,
        rule: Opened,
        found: Found,
        given: Sequence[str | None],
        depth: int,
        partial: bool = False,
    ) -> str | None:
        """An instance as a fact in the foreground; None where a premise is not found or nothing new comes of it."""
        g = s.g
        if not partial:
            end = put(rule.end, found)
            self.effort.spend(1000 + 5 * sum(1 for _ in subterms(end)))
            if any(is_meta(v) for v in free(end)):
                return None
            key = (hint.label, end)
            if key in s.done or (key, len(g.facts)) in s.failed or fkey(end) == NTRUE:
                return None
            s.failed.add((key, len(g.facts)))
        arguments: list[object] = []
        f = g.fact(hint.label)
        metas, left = list(rule.metas), list(given)
        while f[0] in ("all", "->"):
            if f[0] == "all":
                m = metas.pop(0)
                if m not in found:
                    break
                arguments.append(g.text(found[m]))
                f = f[2][0]
            else:
                if partial and not left and not hint.premises and hint.terms is not None and metas:
                    break
                label = left.pop(0) if left else None
                arguments.append(self.premise(s, hint, depth) if label is None else f"#{label}")
                f = f[2][1]
        label = g.fresh("u")
        before = set(g.facts)
        saved = len(g.nodes)
        try:
            g.use(hint.label, *arguments, label=label, premises=0)
        except (Stuck, Rejected):
            del g.nodes[saved:]
            for k in [k for k in g.facts if k not in before]:
                del g.facts[k]
            return None
        s.near[label] = None
        if not partial:
            s.done.add(key)
        return label

    def premise(self, s: _Step, hint: Hint, depth: int) -> Callable[[Goal], None]:
        def proof(h: Goal) -> None:
            inner = s.under(h)
            if self.at_once(inner):
                return
            if depth <= 0:
                raise Stuck("too deep")
            trial = inner.fork()
            try:
                if self.nonzero(trial):
                    inner.take(trial)
                    return
                if h.goal[0] == "~" and self.level.degree < 2:
                    trial.g.intro_all()
                    self.saturate(trial)
                    if not (self.linear(trial, 1, 0, wide=True) or self.denied(trial, 0, False)):
                        raise Stuck("not there")
                    inner.take(trial)
                    return
                hints, self.hints = self.hints, [x for x in self.hints if x is not hint]
                self.inside += 1
                try:
                    deep = h.goal[0] == "all" or self.level is LEVELS[-1]
                    self.run(trial, depth - 1 if self.inside == 1 else 0, min(self.level.splits, 2) if deep else 0)
                finally:
                    self.hints = hints
                    self.inside -= 1
            except Stuck:
                self.lacking[f"{h.text(h.goal)} for {hint.label}"] = None
                raise
            inner.take(trial)

        return proof

    def nonzero(self, s: _Step) -> bool:
        """t != 0 by its sign."""
        g = s.g
        if g.goal[0] != "~" or g.goal[2][0][0] != "=" or self.level.rounds == 0:
            return False
        a, b = g.goal[2][0][2]
        for t in (("-", None, (a, b)), ("-", None, (b, a))):
            if nf(b) == {}:
                t = a if t[2][0] == a else ("neg", None, (a,))
            sign = s.signs.of(t)
            if sign is not None and sign[1]:
                zero = g.fresh("zero")
                g.intro(zero)
                found = linear.find(FALSE, {k: g.facts[k] for k in (sign[0], zero)}, effort=self.effort)
                if found is not None:
                    g._emit(g._pos(found), True)
                    return True
        return False

    def more(self, s: _Step) -> None:
        """Signs of what occurs in the goal and the foreground, z*(1/z) = 1, and what is known about its sums."""
        g = s.g
        near = [g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS]
        atoms: dict[int, None] = {}
        exponents: dict[int, None] = {}
        for f in [g.goal, *near]:
            if f[0] in COMPARISONS:
                for factors, e in self.poly(f):
                    atoms |= dict.fromkeys(a for a, _ in factors)
                    exponents[e] = None
        if g.goal[0] in ("<=", "<") and not nf(g.goal[2][0]):
            s.signs.of(g.goal[2][1])
        written: dict[object, Term] = {}
        for f in [g.goal, *near]:
            for t in subterms(f):
                if t[0] in ("ind", "fn") and not loose(t):
                    written.setdefault(normal.freeze(nf(t)), t)
        for a in list(atoms)[:40]:
            t = written.get(normal.freeze({(((a, 1),), 0): 1})) or reify.atom(a)
            if normal._keys[a][0] in ("inv", "fn", "sum", "ind"):
                s.signs.of(t)
            if normal._keys[a][0] == "ind":
                self.at_most_one(s, t)
        for e in list(exponents)[:20]:
            if e and ("exp", e) not in s.done:
                s.done.add(("exp", e))
                g.use("ax:exp_pos", g.text(reify.term(normal._exponents[e])), label=g.fresh("sg"))
        for e in s.signs.equations:
            if e in g.facts:
                s.near[e] = None
        sums.facts(g, list(atoms), s.done, self.provable(s))
        self.unfolded(s, near)

    def unfolded(self, s: _Step, near: list[Term]) -> None:
        """A sum over a function whose values a fact gives at all places: the sum of these values."""
        g = s.g
        if "lem:sum_ext" not in g.library.facts:
            return
        given: dict[Term, tuple[str, Term]] = {}
        for k, f in g.facts.items():
            if f[0] == "all" and f[1] == "Int" and f[2][0][0] == "->" and f[2][0][2][1][0] == "=":
                head, value = f[2][0][2][1][2]
                j = ("bound", (0, "Int"), ())
                if head[0] == "app" and head[2][0][0] == "var" and head[2][1:] == (j,) and head[2][0] not in free(value):
                    given.setdefault(head, (k, value))
        if not given:
            return
        for t in [t for f in [g.goal, *near] for t in subterms(f) if t[0] == "sum" and not loose(t)]:
            low, high, body = t[2]
            new, used = body, []
            for head, (k, value) in given.items():
                other = _exchanged(new, head, value)
                if other != new:
                    new, used = other, [*used, k]
            if not used or ("unfolded", t) in s.done:
                continue
            s.done.add(("unfolded", t))
            lemma = Hint("lem:sum_ext")
            rule = opened(g.fact(lemma.label))
            functions = (("lam", ("Int",), (body,)), ("lam", ("Int",), (new,)))
            found = dict(zip(rule.metas, (*functions, low, high), strict=True))
            hints, self.hints = self.hints, [Hint(k) for k in used]
            try:
                self.instantiate(s, lemma, rule, found, [], 2)
            finally:
                self.hints = hints

    def at_most_one(self, s: _Step, t: Term) -> None:
        if ("one", t) in s.done:
            return
        s.done.add(("one", t))

        def proof(h: Goal) -> None:
            for side in h.sides(t):
                side.auto(degree=1, rounds=0)

        s.g.have(("<=", None, (t, num(1))), s.g.fresh("sg"), proof)

    def provable(self, s: _Step) -> Callable[[Goal], bool]:
        def proof(h: Goal) -> bool:
            return self.linear(s.under(h), 1, 0, wide=True)

        return proof

    # --- The shape of the goal ----------------------------------------------------------------------------------------

    def either(self, s: _Step, depth: int, splits: int) -> None:
        """A disjunction: one side, or the right one where the left one fails."""
        g = s.g
        for side, f in zip(("left", "right"), g.goal[2], strict=True):
            trial = s.fork(f)
            try:
                self.run(trial, min(depth, 1), 0)
            except Stuck:
                continue
            g.pick(side)
            s.take(trial)
            return
        self.saturate(s)
        if self.cases(s, depth, splits):
            return
        trial = s.fork()
        yes, no = trial.g.em(g.goal[2][0], trial.g.fresh("or"))
        yes.pick("left").hyp(next(reversed(yes.facts)))
        no.pick("right")
        self.run(trial.under(no), depth, splits)
        s.take(trial)

    def witness(self, s: _Step, depth: int, splits: int) -> None:
        """A name that has come up, or a term that a hint gives."""
        g = s.g
        self.saturate(s)
        if self.instances(s, depth):
            self.saturate(s)
        if self.at_once(s):
            return
        sort = g.goal[1]
        given = [g.text(h.term) for h in self.hints if h.term is not None and sort_of(h.term) in (sort, "Int")]
        names = [n for n, other in reversed(g.scope.items()) if other == sort]
        for text in [*given, *names[:4], *(("0", "1") if isinstance(sort, str) else ())]:
            trial = s.fork()
            try:
                trial.g.witness(text)
                self.run(trial, depth - 1, splits)
            except (Stuck, Rejected):
                continue
            s.take(trial)
            return
        raise self.stop(s, "a witness is needed")

    def rewritten(self, s: _Step, depth: int, splits: int) -> bool:
        """Equations in the foreground put into the goal, where they occur inside of something."""
        g = s.g
        if ("rewritten", g.goal) in s.done:
            return False
        s.done.add(("rewritten", g.goal))
        for rev in (False, True):
            trial = s.fork()
            changed = False
            for k in list(trial.g.facts):
                f = trial.g.facts[k]
                if f[0] == "=":
                    old, new = (f[2][1], f[2][0]) if rev else f[2]
                    if old[0] == "num" or any(t == old for t in subterms(new)) or loose(old):
                        continue
                    if self.replaced(trial.g.goal, old, new) is not trial.g.goal:
                        trial.g.rewrite(k, rev=rev)
                        changed = True
            if changed and (self.at_once(trial) or self.linear(trial, 1, 0, wide=True)):
                s.take(trial)
                return True
        return False

    def pointwise(self, s: _Step, depth: int, splits: int) -> bool:
        """A comparison of sums over one range by their terms."""
        trial = s.fork()
        inner = sums.pointwise(trial.g)
        if inner is None:
            return False
        function, low, high, tag, close = inner
        f = sums.below(function, low, high, tag)
        below = trial.fork(f)
        try:
            self.run(below, depth - 1, splits)
        except Stuck:
            return False
        close(below.g.nodes)
        s.take(trial)
        return True

    # --- Cases --------------------------------------------------------------------------------------------------------

    def cases(self, s: _Step, depth: int, splits: int) -> bool:
        """A disjunction among the facts in the foreground."""
        g = s.g
        if splits <= 0:
            return False
        for k in list(s.near):
            f = g.facts[k]
            if f[0] == "|" and k not in g.taken:
                trial = s.fork()
                many = [len(flatten("&", part)) for part in flatten("|", f)]
                stem = trial.g.fresh("o")
                labels = [stem if m == 1 else " ".join(f"{stem}_{i}" for i in range(m)) for m in many]
                for h in trial.g.cases(k, *labels):
                    self.side(trial.under(h), depth, splits - 1)
                s.take(trial)
                return True
        return False

    def apart(self, s: _Step, depth: int, splits: int) -> bool:
        """An integer that is not another is less or greater."""
        g = s.g
        if splits <= 0:
            return False
        for k in list(s.near):
            f = g.facts[k]
            if f[0] == "~" and f[2][0][0] == "=" and ("apart", k) not in s.done:
                a, b = f[2][0][2]
                if sort_of(a) != "Int" or sort_of(b) != "Int":
                    continue
                s.done.add(("apart", k))
                trial = s.fork()
                try:
                    for h in trial.g.em(("<=", None, (a, b)), trial.g.fresh("side")):
                        inner = trial.under(h)
                        if h.facts[next(reversed(h.facts))][0] == "<=":
                            less, same = h.em(("<", None, (a, b)), h.fresh("side"))
                            self.differ(trial.under(same), k, a, b)
                            inner = trial.under(less)
                        self.side(inner, depth, splits - 1)
                except Stuck:
                    continue
                s.take(trial)
                return True
        return False

    def differ(self, s: _Step, k: str, a: Term, b: Term) -> None:
        """a <= b <= a against a != b."""
        g = s.g
        low, high = list(g.facts)[-2:]
        label = g.fresh("eq")
        ends = (("<=", None, (a, b)), ("<=", None, (b, a)))
        proofs = [[{"by": "hyp", "of": x}] for x in (low, high)]
        assert g.facts[low] == ends[0] and g.facts[high] == ends[1]
        f = ("=", None, (a, b))
        node = {"by": "antisym", "left": proofs[0], "right": proofs[1]}
        g._emit({"by": "have", "show": g.text(f), "proof": [node], "as": label})
        g._bind(label, f)
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        g.absurd(label, k)

    def side(self, s: _Step, depth: int, splits: int) -> None:
        """One side of a distinction: what it says is put into the goal and the foreground."""
        if self.impossible(s):
            return
        g = s.g
        for k in [k for k in list(s.near)[-6:] if g.facts[k][0] == "="]:
            old, new = g.facts[k][2]
            if old[0] == "num" or (old[0] != "var" and new[0] == "var"):
                continue
            if old[0] not in ("var", "ind", "fn", "app") or any(t == old for t in subterms(new)):
                continue
            if self.replaced(g.goal, old, new) is not g.goal:
                g.rewrite(k)
            for other in list(s.near):
                f = g.facts[other]
                if other != k and f[0] in COMPARISONS and self.replaced(f, old, new) is not f:
                    label = g.fresh("r")
                    g.rewrite(k, other, label)
                    del s.near[other]
                    if fkey(g.facts[label]) != NTRUE:
                        s.near[label] = None
        self.run(s, depth, splits)

    def impossible(self, s: _Step) -> bool:
        return self.linear_contradiction(s) or self.denied(s, 0, False)

    def linear_contradiction(self, s: _Step) -> bool:
        g = s.g
        found = self.find(FALSE, self.facts(s, True), 1, 0)
        if found is None:
            return False
        if g.goal != FALSE:
            g.contra(g.fresh("no"))
        g._emit(g._pos(found), True)
        return True

    def branch(self, s: _Step, depth: int, splits: int) -> bool:
        """Distinguish the cases of a relu, abs, min, max or I[...] that occurs; or whether two terms are equal."""
        for t in self.candidates(s):
            mark = ("split", t)
            if mark in s.done:
                continue
            s.done.add(mark)
            trial = s.fork()
            try:
                if t[0] == "=":
                    sides = trial.g.em(t, trial.g.fresh("case"))
                else:
                    sides = trial.g.sides(t)
                inner = [trial.under(h) for h in sides]
                left = [one for one in inner if not self.impossible(one)]
                for one in left:
                    self.side(one, depth, splits - (len(left) > 1))
            except Stuck:
                if t[0] == "=":
                    continue
                return False
            s.take(trial)
            return True
        return False

    def candidates(self, s: _Step) -> list[Term]:
        g = s.g
        out: dict[Term, None] = {}
        seen: set[object] = set()
        for h in self.hints:
            if h.term is not None and h.term[0] in (*_SPLIT, "=") and (h.term[0] != "fn" or h.term[1] in SIDED):
                out[h.term] = None
        for f in [g.goal, *(g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS)]:
            for t in reversed(list(subterms(f))):  # what is inside comes first
                if (t[0] == "ind" or (t[0] == "fn" and t[1] in SIDED)) and not loose(t):
                    try:
                        key = normal.freeze(nf(t))
                    except Rejected:
                        continue
                    if key in seen or any(e[0] == "=" and e[2][0] == t for e in g.facts.values()):
                        continue
                    seen.add(key)
                    out[t] = None
        for hint in self.hints:
            if hint.term is None and hint.terms is None and not hint.premises and ("eqs", hint.label) not in s.done:
                for eq in self.lacking_equations(s, hint):
                    out[eq] = None
        return list(out)

    def lacking_equations(self, s: _Step, hint: Hint) -> list[Term]:
        """Equations whose negation is a premise that a hint lacks."""
        g = s.g
        rule = opened(g.fact(hint.label))
        if not any(part[0] == "~" for q in rule.premises for part in flatten("&", q)):
            return []
        here = closed_subterms([g.goal, *(g.facts[k] for k in s.near if g.facts[k][0] in COMPARISONS)])
        out = []
        for found in ways(rule, g.goal, here, (), {}):
            for q in rule.premises:
                for part in flatten("&", q):
                    if part[0] == "~" and part[2][0][0] == "=":
                        eq = put(part[2][0], found)
                        if fkey(eq) in (NTRUE, NFALSE):
                            continue
                        known = any(f in (eq, ("~", None, (eq,))) for f in g.facts.values())
                        if not known and not any(is_meta(v) for v in free(eq)):
                            out.append(eq)
        return out[:4]

    def finite(self, s: _Step, depth: int, splits: int) -> bool:
        """An integer between two numbers is one of them."""
        g = s.g
        names = {v for f in [g.goal, *(g.facts[k] for k in s.near)] for v in free(f) if v[1][1] == "Int"}
        low: dict[Term, tuple[int, str]] = {}
        high: dict[Term, tuple[int, str]] = {}
        for k, f in g.facts.items():
            if f[0] == "<=":
                a, b = f[2]
                if a in names and (c := constant(nf(b))) is not None:
                    whole = int(c // 1)
                    if a not in high or whole < high[a][0]:
                        high[a] = (whole, k)
                if b in names and (c := constant(nf(a))) is not None:
                    whole = int(-(-c // 1))
                    if b not in low or whole > low[b][0]:
                        low[b] = (whole, k)
        for v in sorted(names, key=lambda v: v[1]):
            if v in low and v in high and 0 <= high[v][0] - low[v][0] < RANGE and ("finite", v) not in s.done:
                eq = any(f[0] == "=" and v in f[2] and constant(nf(f[2][1])) is not None for f in g.facts.values())
                if eq:
                    continue
                trial = s.fork()
                trial.done.add(("finite", v))
                try:
                    self.walk(trial, v, low[v], high[v], depth, splits)
                except Stuck:
                    continue
                s.take(trial)
                return True
        return False

    def walk(self, s: _Step, v: Term, low: tuple[int, str], high: tuple[int, str], depth: int, splits: int) -> None:
        g = s.g
        if low[0] > high[0]:
            if not self.linear_contradiction(s):
                raise Stuck("an empty range")
            return
        if low[0] == high[0]:
            at = ("=", None, (v, num(low[0])))
            label = g.fresh("at")
            ends = [("<=", None, (v, num(low[0]))), ("<=", None, (num(low[0]), v))]
            nodes = []
            for e in ends:
                found = linear.find(e, {k: g.facts[k] for k in (low[1], high[1])}, effort=self.effort)
                if found is None:
                    raise Stuck("no range")
                nodes.append([g._pos(found)])
            node = {"by": "antisym", "left": nodes[0], "right": nodes[1]}
            g._emit({"by": "have", "show": g.text(at), "proof": [node], "as": label})
            g._bind(label, at)
            s.near[label] = None
            self.side(s, depth, splits)
            return
        less, rest = g.em(("<=", None, (v, num(low[0]))), g.fresh("at"))
        side = next(reversed(less.facts))
        self.walk(s.under(less), v, low, (low[0], side), depth, splits)
        up = rest.fresh("z")
        rest.use("ax:int_lt", rest.text(num(low[0])), rest.text(v), f"#{side}", label=up)
        self.walk(s.under(rest), v, (low[0] + 1, up), high, depth, splits)


SIDED = ("relu", "abs", "min", "max")
_SPLIT = ("ind", "fn")


def _exchanged(t: Term, old: Term, new: Term) -> Term:
    """The body of a sum with `old`, in which only its variable is loose, replaced where no other binder is between."""
    if t == old:
        return new
    if t[0] in ("sum", "prod", "all", "ex", "lam"):
        return t
    kids = tuple(_exchanged(k, old, new) for k in t[2])
    return t if kids == t[2] else (t[0], t[1], kids)


def shown(g: Goal, near: dict[str, None]) -> str:
    """The goal that is left, with the facts in the foreground."""
    lines = [f"    {k}: {g.text(g.facts[k])[:300]}" for k in list(near)[:14] if k in g.facts]
    return "\n".join([f"    still to show: {g.text(g.goal)[:400]}", *(["    from:"] if lines else []), *lines])
