"""Print stored certificates as proof texts, then leave out every line and hint that the automation does not need.

    python proofs/translate.py CACHE [ID ...]      write proofs/<folder>/<id>.proof for each id; resume from CACHE

This is a tool for the move from scripts to texts and goes when the last script does.
"""

# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.proof import kernel, replay
from symcook.proof.audit.folded import Folder, text_of
from symcook.proof.search import automation, prooftext
from symcook.proof.search.elaborate import Elaborator, Gap
from symcook.proof.search.prooftext import BadProof, HintText, Line, Place, ProofText
from symcook.proof.search.simplex import TooLong
from symcook.proof.search.tactics import Goal, Library, Stuck
from symcook.proof.terms import Term, conj, flatten, instantiate, negation, num
from symcook.proof.terms import replace as put

build: Any = import_module("build")  # the file beside this one, not the package of that name
FAILS = (Stuck, Rejected, BadInput, TooLong, RecursionError, KeyError)
QUICK = (automation.LEVELS[0], replace(automation.LEVELS[1], work=300_000))
HERE = Place(1, 1)
KNOWN = frozenset(f"{x}_{y}" for x in ("relu", "abs") for y in ("pos", "neg")) | frozenset(
    ("min_left", "min_right", "max_left", "max_right", "int_lt", "inv")
)
"""Axioms that the automation uses by itself."""
AT_MOST = 8  # hints of a step that takes the place of a block
SECONDS = 10.0


class Untranslated(Exception):
    """A certificate that is not printed as text yet."""


def rename(label: str) -> str:
    label = label.replace(".", "_")
    if label in prooftext.WORDS or not (label[0].isalpha() or label[0] == "_"):
        label = f"{label}_" if label[0].isalpha() else f"h{label}"
    return label


def renamed(node: Any, under: str = "") -> Any:
    """A certificate with labels that a text can have."""
    if isinstance(node, list):
        return [renamed(x, under) for x in node]
    if isinstance(node, dict):
        return {
            k: v if k in ("show", "formula", "term", "name", "side", "c", "sq", "by") else renamed(v, k)
            for k, v in node.items()
        }
    if isinstance(node, str):
        if under in ("as", "ge", "of", "not", "fact", "eq", "in", "on") and ":" not in node and under != "of-formula":
            return rename(node)
        if under == "with" and node.startswith("#") and ":" not in node:
            return f"#{rename(node[1:])}"
    return node


def relabel(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out = []
    for node in nodes:
        new = {}
        for k, v in node.items():
            if k in ("proof", "left", "right", "base", "step"):
                new[k] = relabel(v)
            elif k == "proofs":
                new[k] = [relabel(p) for p in v]
            elif k == "with":
                new[k] = [relabel(w) if isinstance(w, list) else renamed(w, "with") for w in v]
            elif k == "eq" and node["by"] == "pos":
                new[k] = [[m, renamed(label, "eq")] for m, label in v]
            elif k == "sum":
                new[k] = [{**p, "of": [renamed(x, "of") for x in p["of"]]} for p in v]
            elif k == "of" and node["by"] == "ind":
                new[k] = v
            elif k in ("as", "ge", "of", "not", "fact", "eq", "in", "on"):
                new[k] = renamed(v, k)
            else:
                new[k] = v
        if node["by"] == "intro":
            new["as"] = node["as"]
        out.append(new)
    return out


@dataclass
class State:
    """The certificate's goal `c`, the text's goal `t`, and how the text names facts that only `c` has."""

    c: Goal
    t: Goal
    origin: dict[str, tuple[HintText, ...]] = field(default_factory=dict)

    def branch(self, f: Term) -> State:
        return State(self.c._branch(f), self.t._branch(f), dict(self.origin))

    def of(self, c: Goal, t: Goal) -> State:
        return State(c, t, dict(self.origin))


def distinct(hints: Sequence[HintText]) -> tuple[HintText, ...]:
    return tuple(dict.fromkeys(hints))


class Translator:
    def __init__(self, library: Library, seconds: float = SECONDS) -> None:
        self.library = library
        self.deadline = time.process_time() + seconds
        self.tries = 0
        self.inds: set[str] = set()
        self.premises: list[str] = []
        self.folder = Folder(library.definitions, list(library.definitions))

    def late(self) -> bool:
        return time.process_time() > self.deadline

    # --- Hints ------------------------------------------------------------------------------------------------------

    def name(self, s: State, label: str) -> str:
        rest = label.partition(":")[2]
        if rest and Elaborator().label(s.t, rest) == label:
            return rest
        return label

    def hints(self, s: State, label: str) -> tuple[HintText, ...]:
        if label in s.origin:
            return s.origin[label]
        if label in s.t.facts or ":" in label:
            shown = self.name(s, label)
            return (HintText(shown, shown),)
        return ()

    def cited(self, s: State, nodes: Any) -> tuple[HintText, ...]:
        """Hints for all facts that a piece of a certificate uses and that are known before it."""
        out: list[HintText] = []

        def see(label: str) -> None:
            out.extend(self.hints(s, label))

        def walk(node: Any) -> None:
            if isinstance(node, list):
                for x in node:
                    walk(x)
                return
            if not isinstance(node, dict):
                return
            by = node["by"]
            if by == "pos":
                for p in node.get("sum", ()):
                    for k in p["of"]:
                        see(k)
                for _, k in node.get("eq", ()):
                    see(k)
                return
            if by == "use":
                see(node["fact"])
                if ":" in node["fact"]:
                    out.append(self.applied(s, node, None)[0])
            for k in ("of", "not", "fact", "eq", "in"):
                if k in node and by not in ("ind", "use"):
                    see(node[k])
            if by == "interval":
                for k in node["on"]:
                    see(k)
            for w in node.get("with", ()):
                if isinstance(w, str) and w.startswith("#"):
                    see(w[1:])
                walk(w) if isinstance(w, list) else None
            for k in ("proof", "left", "right", "base", "step", "proofs"):
                if k in node:
                    walk(node[k])

        walk(nodes)
        return distinct(out)

    def applied(self, s: State, node: dict[str, Any], premises: Sequence[str] | None) -> tuple[HintText, ...]:
        """A use as a hint with its terms."""
        shown = self.name(s, node["fact"])
        terms = tuple(w for w in node["with"] if isinstance(w, str) and w[:1] not in ("#", "!"))
        inner = tuple(HintText(p, p) for p in premises or ())
        while inner and inner[-1].name == "_":
            inner = inner[:-1]
        text = (
            shown
            + (f"({'; '.join(terms)})" if terms else "")
            + (f"[{', '.join(p.text for p in inner)}]" if inner else "")
        )
        return (HintText(text, shown, terms or None, inner),)

    # --- Trying -----------------------------------------------------------------------------------------------------

    def closes(self, t: Goal, hints: Sequence[HintText], levels: Sequence[automation.Level] = QUICK) -> int | None:
        self.tries += 1
        trial = t._branch(t.goal)
        e = Elaborator(levels=levels)
        try:
            given = [e.hint(trial, h) for h in hints]
            return automation.prove(trial, given, levels)
        except FAILS:
            return None

    def runs(self, t: Goal, lines: Sequence[Line], levels: Sequence[automation.Level] = QUICK) -> bool:
        self.tries += 1
        trial = t._branch(t.goal)
        try:
            Elaborator(levels=levels).block(trial, lines, HERE)
            return trial.closed
        except FAILS:
            return False

    # --- From nodes to lines ----------------------------------------------------------------------------------------

    def block(self, s: State, nodes: Sequence[dict[str, Any]]) -> list[Line]:
        """The lines of a block that closes the goal of `s`, as short as was found."""
        start = s.t._branch(s.t.goal)
        known = State(s.c, start, dict(s.origin))
        cited = self.cited(known, list(nodes))
        plain = tuple(h for h in cited if h.name not in KNOWN)
        small = size(nodes) <= 120
        if small and len(plain) <= AT_MOST and (not self.late() or size(nodes) <= 6):
            level = self.closes(start, plain)
            if level is not None:
                return [self.fewer(start, plain, level)]
        lines = self.lines(s, nodes)
        return self.shorter(start, self.tidy(start, lines))

    def tidy(self, start: Goal, lines: list[Line]) -> list[Line]:
        """A last line whose blocks all close at once needs none; others only those that do not."""
        last = lines[-1]
        many = len(last.blocks)
        if last.kind in ("split", "cases", "induct") and many > 1 and (Line("qed"),) in last.blocks:
            some = self.wanted(start, lines)
            other = [*lines[:-1], replace(last, blocks=some)]
            if 0 < len(some) < many and self.runs(start, other, automation.LEVELS[:3]):
                return other
        if last.kind == "split" and len(lines) > 1 and lines[-2].kind == "witness" and last.blocks:
            terms = [t for b in last.blocks for x in b if x.kind == "witness" for t in x.terms]
            if all(b[0].kind == "witness" for b in last.blocks) and all(len(b) == 1 for b in last.blocks[:-1]):
                one = replace(lines[-2], terms=(*lines[-2].terms, *terms))
                other = [*lines[:-2], one, *last.blocks[-1][1:]]
                if self.runs(start, other, automation.LEVELS[:3]):
                    return other
        if last.kind == "split" and last.blocks and all(len(b) == 1 and b[0].kind == "witness" for b in last.blocks):
            other = [*lines[:-1], Line("witness", terms=tuple(t for b in last.blocks for t in b[0].terms))]
            if self.runs(start, other, automation.LEVELS[:3]):
                return other
        if count_kinds(last.blocks) <= {"qed", "cases", "split", "given"} and not self.late():
            inside = defined_in([last])
            hints = [h for h in hints_in([last]) if h.name not in inside and not inside & words(h.text)]
            if len(hints) <= AT_MOST:
                other = [*lines[:-1], Line("qed", hints=distinct(hints))]
                if self.runs(start, other, automation.LEVELS[:3]):
                    return other
        if not last.blocks or not all(len(b) == 1 and b[0].kind == "qed" for b in last.blocks):
            return lines
        hints = distinct([h for b in last.blocks for h in b[0].hints])
        if last.kind == "split":
            other = [*lines[:-1], Line("qed", hints=hints)]
        elif last.kind == "cases":
            other = [*lines[:-1], replace(last, hints=hints, blocks=())]
        else:
            other = [*lines[:-1], replace(last, blocks=())]
            if hints:
                return lines
        if len(hints) <= AT_MOST and (self.runs(start, other) or self.runs(start, other, automation.LEVELS[:3])):
            return other
        return lines

    def wanted(self, start: Goal, lines: list[Line]) -> tuple[tuple[Line, ...], ...]:
        """The blocks of the last line for goals that the automation does not close by itself."""
        g = start._branch(start.goal)
        e = Elaborator()
        try:
            for line in lines[:-1]:
                e.line(g, line)
            goals = e.goals(g, lines[-1])
        except FAILS:
            return ()
        if len(goals) != len(lines[-1].blocks):
            return ()
        return tuple(b for h, b in zip(goals, lines[-1].blocks, strict=True) if not e.closed(h))

    def fewer(self, t: Goal, hints: Sequence[HintText], level: int) -> Line:
        """A closing line with the hints that are needed, in their shortest form."""
        kept = list(hints)
        levels = automation.LEVELS[: level + 1]
        if self.closes(t, (), levels) is not None:
            return Line("qed")
        for h in list(kept):
            if self.late() or (len(kept) == 1 and h.terms is None):
                break
            rest = [x for x in kept if x is not h]
            if self.closes(t, rest, levels) is not None:
                kept = rest
        for k, h in enumerate(kept):
            if h.terms is not None and not self.late():
                plain = HintText(h.name, h.name)
                other = [*kept[:k], plain, *kept[k + 1 :]]
                if plain not in kept and self.closes(t, other, levels) is not None:
                    kept = other
        return Line("qed", hints=distinct(kept))

    def shorter(self, start: Goal, lines: list[Line]) -> list[Line]:
        """Leave out lines whose hints serve as well where they are cited."""
        if len(lines) < 2 or prooftext.count(lines) > 60:
            return lines
        levels = next((x for x in (QUICK, automation.LEVELS[:3]) if self.runs(start, lines, x)), None)
        if levels is None:
            return lines
        for line in reversed([x for x in lines[:-1] if x.kind in ("fact", "take", "rewrite", "suppose")]):
            if self.late() or line not in lines:
                continue
            other = self.without(lines, lines.index(line))
            if other is not None and most(other) <= AT_MOST and self.runs(start, other, levels):
                lines = other
        if lines[-1] == Line("qed") and len(lines) > 1 and lines[-2].kind != "given":
            lines = lines[:-1]
        return lines

    def without(self, lines: list[Line], k: int) -> list[Line] | None:
        """The lines without one, what it rests on cited in its place; None where it cannot go."""
        line, rest = lines[k], lines[k + 1 :]
        if line.kind == "rewrite" and not line.terms:
            last = rest[-1]
            if last.kind != "qed":
                return [*lines[:k], *rest]
            return [*lines[:k], *rest[:-1], replace(last, hints=distinct([*last.hints, *line.hints]))]
        names = [x for label in line.labels for x in ([label] if isinstance(label, str) else label)]
        if any(needed(rest, name) for name in names):
            return None
        if line.kind == "fact" and line.blocks:
            return None if any(cites(rest, name) for name in names) else [*lines[:k], *rest]
        hints = line.hints
        if line.kind == "take" and line.source is not None:
            hints = (*line.hints, line.source)
        if line.kind == "rewrite":
            hints = (*line.hints, HintText(line.terms[0], line.terms[0]))
        for name in names:
            rest = substituted(rest, name, hints)
        return [*lines[:k], *rest]

    def lines(self, s: State, nodes: Sequence[dict[str, Any]]) -> list[Line]:
        out: list[Line] = []
        for place, node in enumerate(nodes):
            if s.c.closed:
                break
            by = node["by"]
            made = getattr(self, f"_{by}", None)
            if made is None:
                raise Untranslated(by)
            out += made(s, node, nodes[place + 1 :])
        return merged(out)

    def closing(self, s: State, node: dict[str, Any]) -> list[Line]:
        s.c.closed = True
        hints = self.cited(s, [node])
        plain = tuple(h for h in hints if h.name not in KNOWN)
        for levels in (QUICK, automation.LEVELS[:3]):
            for some in (plain, hints)[: 1 + (plain != hints)]:
                level = self.closes(s.t, some, levels)
                if level is not None:
                    return [self.fewer(s.t, some, level)]
        terms = [HintText(m) for m, _ in node.get("eq", ()) if any(c.isalpha() for c in m)]
        terms += [HintText(p["sq"]) for p in node.get("sum", ()) if "sq" in p]
        pieces = []
        for h in terms:
            pieces += [HintText(x.strip()) for x in split_sum(h.text)]
        for more in (pieces, terms):
            level = self.closes(s.t, [*hints, *more], automation.LEVELS) if more else None
            if level is not None:
                return [self.fewer(s.t, [*hints, *more], level)]
        if node["by"] == "pos" and (lines := self.stepwise(s, node)) is not None:
            return lines
        if node["by"] == "interval":
            lines = [x for k in node["on"] for x in self.source(s, k)[0]]
            hints = distinct([h for k in node["on"] for h in self.hints(s, k)])
            level = self.closes(s.t, hints, automation.LEVELS)
            if level is not None:
                return [*lines, Line("qed", hints=hints)]
        raise Untranslated(
            f"a step: {json.dumps(node)[:300]}\n{s.t.show()[:2000]}\nhints: {', '.join(h.text for h in hints)}"
        )

    def stepwise(self, s: State, node: dict[str, Any]) -> list[Line] | None:
        """A combination whose products and multiplied equations are lines of their own."""
        out: list[Line] = []
        hints: list[HintText] = []
        trial = s.t._branch(s.t.goal)
        trial.facts = s.t.facts
        for p in node.get("sum", ()):
            if len(p["of"]) < 2 and "sq" not in p:
                hints += [h for k in p["of"] for h in self.hints(s, k)]
                continue
            terms = [f"({s.t.text(f[2][1])} - ({s.t.text(f[2][0])}))" for f in map(s.c.fact, p["of"])]
            terms += [f"({p['sq']})^2"] if "sq" in p else []
            strict = all(s.c.fact(k)[0] == "<" for k in p["of"]) and "sq" not in p
            text = f"0 {'<' if strict else '<='} {'*'.join(terms)}"
            more = [HintText(p["sq"])] if "sq" in p else []
            line = self.step_line(s, text, [*[h for k in p["of"] for h in self.hints(s, k)], *more])
            if line is None:
                return None
            out.append(line)
        for m, k in node.get("eq", ()):
            if not any(c.isalpha() for c in m):
                hints += self.hints(s, k)
                continue
            a, b = (s.t.text(x) for x in s.c.fact(k)[2])
            line = self.step_line(s, f"({m})*({a}) = ({m})*({b})", [*self.hints(s, k), HintText(m)])
            if line is None:
                return None
            out.append(line)
        hints += [HintText(str(x.labels[0]), str(x.labels[0])) for x in out]
        level = self.closes(s.t, distinct(hints), automation.LEVELS)
        return None if level is None or not out else [*out, self.fewer(s.t, distinct(hints), level)]

    def step_line(self, s: State, text: str, hints: Sequence[HintText]) -> Line | None:
        f = s.t.formula(text)
        goal = s.t._branch(f)
        level = self.closes(goal, distinct(hints), automation.LEVELS)
        if level is None:
            return None
        line = self.fewer(goal, distinct(hints), level)
        label = s.t.fresh("part")
        for g in (s.c, s.t):
            g._bind(label, f)
        return Line("fact", (label,), self.folded(s.t, f), line.hints)

    _hyp = _true = _absurd = _pos = _interval = lambda self, s, node, rest: self.closing(s, node)

    def _intro(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        labels: list[Any] = []
        for one in node["as"]:
            if s.c.goal[0] != "all":
                one = [rename(k) for k in one] if isinstance(one, list) else rename(one)
            spec = [one] if isinstance(one, str) else [list(one)]
            for g in (s.c, s.t):
                g.intro(_Spec(spec))
            labels.append(one if isinstance(one, str) else tuple(one))
        return [Line("given", tuple(labels))]

    def _have(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        f = s.c.formula(node["show"])
        label = node["as"]
        inner = self.block(s.branch(f), node["proof"])
        for g in (s.c, s.t):
            g._bind(label, f)
        spec = label if isinstance(label, str) else tuple(label)
        if inner == [Line("qed")] or (len(inner) == 1 and inner[0].kind == "qed"):
            return [
                Line("fact", (spec,), self.folded(s.t, f) if len(node["show"]) > 60 else node["show"], inner[0].hints)
            ]
        return [
            Line(
                "fact", (spec,), self.folded(s.t, f) if len(node["show"]) > 60 else node["show"], blocks=(tuple(inner),)
            )
        ]

    def _use(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        out: list[Line] = []
        f: Any = s.c.fact(node["fact"])
        premises: list[str] = []
        extras: list[HintText] = []
        for given in node["with"]:
            tag, sort, kids = f
            if tag == "all":
                f = instantiate(kids[0], (s.c.term(given, sort),))
                continue
            want = kids[0]
            f = kids[1] if tag == "->" else ("false", None, ())
            if isinstance(given, str):
                premises.append("_")
                if given.startswith("#"):
                    if given[1:] in s.origin:
                        extras += s.origin[given[1:]]
                    elif given[1:] in s.t.facts:
                        premises[-1] = given[1:]
                continue
            premises.append("_")
            if self.closes(s.t._branch(want), (), automation.LEVELS[:1]) is not None:
                continue
            inner = self.block(s.branch(want), given)
            label = s.t.fresh(self.stem(node))
            while label in s.c.facts:
                label += "'"
            for g in (s.c, s.t):
                g._bind(label, want)
            shown = self.folded(s.t, want)
            single = len(inner) == 1 and inner[0].kind == "qed"
            out.append(
                Line(
                    "fact", (label,), shown, inner[0].hints if single else (), blocks=() if single else (tuple(inner),)
                )
            )
            premises[-1] = label
        self.premises = [p if p == "_" or p in s.t.facts else "_" for p in premises]
        hint = self.applied(s, node, [p if p == "_" or p in s.t.facts else "_" for p in premises])
        source = node["fact"]
        if source in s.origin:
            extras = [*s.origin[source], *extras]
            hint = ()
            if any(isinstance(w, str) and w[:1] not in "#!" for w in node["with"]) or premises:
                return [*out, *self.kept(s, node, f, (*extras,))]
        label = node["as"]
        s.c._bind(label, f)
        parts = flatten("&", f) if isinstance(label, list) else [f]
        for k in label if isinstance(label, list) else [label]:
            s.origin[k] = distinct([*extras, *hint])
        if f == ("false", None, ()):
            pass
        del parts
        many = mentions(rest, label)
        if many > 1 or f[0] in ("|", "ex", "all", "->", "&"):
            for k in label if isinstance(label, list) else [label]:
                del s.origin[k]
                del s.c.facts[k]
            return [*out, *self.kept(s, node, f, (*extras, *hint))]
        return out

    def stem(self, node: dict[str, Any]) -> str:
        return "premise"

    def kept(self, s: State, node: dict[str, Any], f: Term, hints: Sequence[HintText]) -> list[Line]:
        """The result of a use as a line of its own."""
        label = node["as"]
        spec = label if isinstance(label, str) else tuple(label)
        goal = s.t._branch(f)
        hints = distinct(hints)
        long = len(s.t.text(f)) > 90 and len(self.folded(s.t, f)) > 90
        if "with" in node and (long or f[0] in ("ex", "|")) and (line := self.taken(s, node, f, hints)) is not None:
            for g in (s.c, s.t):
                g._bind(label, f)
            return [line]
        level = self.closes(goal, hints, automation.LEVELS[:3])
        if level is None and "with" in node and (line := self.taken(s, node, f, hints)) is not None:
            for g in (s.c, s.t):
                g._bind(label, f)
            return [line]
        if level is None:
            raise Untranslated(
                f"use {node['fact']}: {s.t.text(f)[:300]} by {', '.join(h.text for h in hints)}\n{goal.show()[:1500]}"
            )
        line = self.fewer(goal, hints, level)
        for g in (s.c, s.t):
            g._bind(label, f)
        return [Line("fact", (spec,), self.folded(s.t, f), line.hints)]

    def taken(self, s: State, node: dict[str, Any], f: Term, hints: Sequence[HintText]) -> Line | None:
        """A use as a line that takes an instance, where that gives this formula."""
        label = node["as"]
        spec = label if isinstance(label, str) else tuple(label)
        own = self.applied(s, node, self.premises)[0]
        if own.name not in s.t.facts and Elaborator().label(s.t, own.name) is None:
            return None
        for more in ((), tuple(h for h in hints if h.name != own.name)):
            take = Line("take", (spec,), hints=more, source=own)
            trial = s.t._branch(s.t.goal)
            try:
                Elaborator(levels=automation.LEVELS[:2]).line(trial, take)
            except FAILS:
                continue
            names = [label] if isinstance(label, str) else label
            if [trial.facts.get(k) for k in names] == ([f] if isinstance(label, str) else flatten("&", f)):
                return take
        return None

    def folded(self, g: Goal, f: Term) -> str:
        """A formula with definitions folded where that reads back as it."""
        plain = g.text(f)
        try:
            short = text_of(self.folder.tree(f, ()))
            if len(short) < len(plain) and g.formula(short) == f:
                return short
        except FAILS:
            pass
        return plain

    def _split(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        cs, ts = s.c.split(), s.t.split()
        blocks = [self.block(s.of(c, t), p) for c, t, p in zip(cs, ts, node["proofs"], strict=True)]
        return [Line("split", blocks=tuple(tuple(b) for b in blocks))]

    def _pick(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        s.c.pick(node["side"])
        s.t.pick(node["side"])
        return [Line(node["side"])]

    def _witness(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        s.c.witness(node["term"])
        s.t.witness(node["term"])
        return [Line("witness", terms=(constant(node["term"]),))]

    def source(self, s: State, label: str) -> tuple[list[Line], str]:
        """A fact that the text must have under a label."""
        if label in s.t.facts or ":" in label:
            return [], label
        f = s.c.facts.pop(label)
        hints = s.origin.pop(label, ())
        return self.kept(s, {"as": label, "fact": label}, f, hints), label

    def _obtain(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        out, label = self.source(s, node["fact"])
        spec = node["as"] if isinstance(node["as"], str) else " ".join(node["as"])
        for g in (s.c, s.t):
            g.obtain(label, node["name"], spec)
        shown = self.name(s, label)
        source = HintText(shown, shown)
        new = as_spec(node["as"])
        return [*out, Line("obtain", (new,), terms=(node["name"],), source=source)]

    def _contra(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        f = negation(s.c.goal)
        for g in (s.c, s.t):
            g.contra(node["as"])
        return [Line("suppose", (node["as"],), self.folded(s.t, f))]

    def _cases(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        label = node["fact"]
        f = s.c.fact(label)
        labels = [k if isinstance(k, str) else tuple(k) for k in node["as"]]
        if label in self.inds:
            return self.indicator(s, node, f)
        out, label = self.source(s, label)
        name = self.name(s, label)
        specs = [k if isinstance(k, str) else " ".join(k) for k in labels]
        cs, ts = s.c.cases(label, *specs), s.t.cases(label, *specs)
        blocks = [self.block(s.of(c, t), p) for c, t, p in zip(cs, ts, node["proofs"], strict=True)]
        line = Line("cases", same(labels), source=HintText(name, name), blocks=tuple(tuple(b) for b in blocks))
        return [*out, line]

    def indicator(self, s: State, node: dict[str, Any], f: Term) -> list[Line]:
        """Cases of an ``ind`` node: the formula holds or not; what I[...] is then is left to the automation."""
        asked = f[2][0][2][-1][2][0] if f[2][0][0] == "&" else None
        value = flatten("&", f[2][0])[-1]
        asked = value[2][0][2][0]
        specs = [k if isinstance(k, str) else " ".join(k) for k in node["as"]]
        cs = s.c.cases(node["fact"], *specs)
        labels, names = [], []
        for k, side in zip(node["as"], (asked, negation(asked)), strict=True):
            k = [k] if isinstance(k, str) else list(k)
            parts = flatten("&", side)
            many = len(k) - 1
            if many < 1:
                first: str | tuple[str, ...] = s.t.fresh(f"{k[0]}_is")
            else:
                first = k[0] if many == 1 else tuple(k[:many])
            labels.append(first)
            names.append(first if isinstance(first, str) else " ".join(first))
            if many > 1 and len(parts) != many:
                raise Untranslated("labels of an indicator")
        ts = s.t.em(asked, names[0], names[1])
        blocks = []
        for c, t, p, k in zip(cs, ts, node["proofs"], node["as"], strict=True):
            inner = s.of(c, t)
            inner.origin[k if isinstance(k, str) else k[-1]] = (HintText(s.t.text(("ind", None, (asked,)))),)
            blocks.append(self.block(inner, p))
        return [Line("cases", same(labels), self.folded(s.t, asked), blocks=tuple(tuple(b) for b in blocks))]

    def _em(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        labels = [k if isinstance(k, str) else tuple(k) for k in node["as"]]
        specs = [k if isinstance(k, str) else " ".join(k) for k in labels]
        cs, ts = s.c.em(node["formula"], *specs), s.t.em(node["formula"], *specs)
        blocks = [self.block(s.of(c, t), p) for c, t, p in zip(cs, ts, node["proofs"], strict=True)]
        return [Line("cases", same(labels), node["formula"], blocks=tuple(tuple(b) for b in blocks))]

    def _ind(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        f = s.c.formula(node["of"])
        one, zero = (("=", None, (("ind", None, (f,)), num(c))) for c in (1, 0))
        self.inds.add(node["as"])
        s.c._bind(node["as"], ("|", None, (conj(f, one), conj(negation(f), zero))))
        return []

    def _rewrite(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        rev = bool(node.get("rev"))
        if "in" not in node:
            out, label = self.source(s, node["eq"])
            s.c.rewrite(label, rev=rev)
            s.t.rewrite(label, rev=rev)
            shown = self.name(s, label)
            return [*out, Line("rewrite", hints=(HintText(shown, shown),), name="back" if rev else "")]
        old, new = s.c.fact(node["eq"])[2]
        if rev:
            old, new = new, old
        f = put(s.c.fact(node["in"]), old, new)
        hints = distinct([*self.hints(s, node["in"]), *self.hints(s, node["eq"])])
        level = self.closes(s.t._branch(f), hints, automation.LEVELS[:2])
        if level is None:
            out, label = [], node["in"]
            for k in (node["in"], node["eq"]):
                out += self.source(s, k)[0]
            goal = s.t._branch(f)
            back = Line("rewrite", hints=(HintText(node["eq"], node["eq"]),), name="" if rev else "back")
            lines = [back, Line("qed", hints=(HintText(node["in"], node["in"]),))]
            if not self.runs(goal, lines):
                eq, into = self.name(s, node["eq"]), self.name(s, node["in"])
                for g in (s.c, s.t):
                    g.rewrite(
                        node["eq"],
                        node["in"],
                        node["as"] if isinstance(node["as"], str) else " ".join(node["as"]),
                        rev=rev,
                    )
                labels = (as_spec(node["as"]),)
                return [
                    *out,
                    Line("rewrite", labels, hints=(HintText(eq, eq),), terms=(into,), name="back" if rev else ""),
                ]
            for g in (s.c, s.t):
                g._bind(node["as"], f)
            return [*out, Line("fact", (as_spec(node["as"]),), self.folded(s.t, f), blocks=(tuple(lines),))]
        line = self.fewer(s.t._branch(f), hints, level)
        for g in (s.c, s.t):
            g._bind(node["as"], f)
        return [Line("fact", (as_spec(node["as"]),), self.folded(s.t, f), line.hints)]

    def _antisym(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        hints = self.cited(s, [node])
        level = self.closes(s.t, hints, automation.LEVELS[:3]) if len(hints) <= AT_MOST else None
        s.c.closed = True
        if level is not None:
            return [self.fewer(s.t, hints, level)]
        a, b = s.c.goal[2]
        out = []
        for stem, pair, proof in (("most", (a, b), node["left"]), ("least", (b, a), node["right"])):
            f = ("<=", None, pair)
            inner = self.block(s.branch(f), proof)
            label = s.t.fresh(stem)
            for g in (s.c, s.t):
                g._bind(label, f)
            single = len(inner) == 1 and inner[0].kind == "qed"
            out.append(
                Line(
                    "fact",
                    (label,),
                    self.folded(s.t, f),
                    inner[0].hints if single else (),
                    blocks=() if single else (tuple(inner),),
                )
            )
        names = [str(line.labels[0]) for line in out]
        return [*out, Line("qed", hints=tuple(HintText(n, n) for n in names))]

    def _induct(self, s: State, node: dict[str, Any], rest: Any) -> list[Line]:
        cs, ts = (g.induct(node["name"], node["ge"], node["as"]) for g in (s.c, s.t))
        blocks = [self.block(s.of(c, t), node[k]) for c, t, k in zip(cs, ts, ("base", "step"), strict=True)]
        return [Line("induct", (node["ge"], node["as"]), name=node["name"], blocks=tuple(tuple(b) for b in blocks))]


def constant(term: str) -> str:
    """A function with the same value everywhere as this value."""
    found = re.fullmatch(r"[\w' ]+\. (-?\d+(?:/\d+)?)", term)
    return found[1] if found else term


def as_spec(label: Any) -> str | tuple[str, ...]:
    return label if isinstance(label, str) else tuple(label)


class _Spec(str):
    """Labels for `Goal.intro`, which takes text."""

    def __new__(cls, spec: list[Any]) -> _Spec:
        return super().__new__(cls, " ".join(k if isinstance(k, str) else f"({' '.join(k)})" for k in spec))


def same(labels: Sequence[Any]) -> tuple[Any, ...]:
    return (labels[0],) if len(set(labels)) == 1 and len(labels) > 1 else tuple(labels)


def split_sum(text: str) -> list[str]:
    """The summands of a multiplier, without signs and numbers."""
    from symcook.model import expr

    tree = expr.parse_term(text)
    out: list[Any] = []

    def walk(t: Any) -> None:
        if t[0] in ("+", "-"):
            walk(t[1])
            walk(t[2])
        elif t[0] == "neg":
            walk(t[1])
        elif t[0] == "*" and t[1][0] in ("num", "/") and all(x[0] == "num" for x in t[1][1:] if isinstance(x, tuple)):
            walk(t[2])
        elif t[0] != "num":
            out.append(t)

    walk(tree)
    return list(dict.fromkeys(expr.show(t) for t in out))


def mentions(nodes: Any, label: Any) -> int:
    """How often a label occurs in the rest of a proof."""
    labels = {f'"{k}"' for k in (label if isinstance(label, list) else [label])} | {
        f'"#{k}"' for k in (label if isinstance(label, list) else [label])
    }
    text = json.dumps(nodes)
    return sum(text.count(k) for k in labels)


def size(nodes: Any) -> int:
    if isinstance(nodes, list):
        return sum(size(n) for n in nodes)
    if isinstance(nodes, dict) and "by" in nodes:
        return (nodes["by"] != "interval") + sum(
            size(v) for k, v in nodes.items() if isinstance(v, list) and k not in ("sum", "eq", "as")
        )
    return 0


def merged(lines: Sequence[Line]) -> list[Line]:
    """`given` after `given`, `witness` after `witness`, and `obtain` after what it takes apart, in one line."""
    out: list[Line] = []
    for k, line in enumerate(lines):
        before = out[-1] if out else None
        if before is not None and line.kind == before.kind == "given":
            out[-1] = replace(before, labels=(*before.labels, *line.labels))
        elif before is not None and line.kind == before.kind == "witness":
            out[-1] = replace(before, terms=(*before.terms, *line.terms))
        elif (
            before is not None
            and line.kind in ("obtain", "cases")
            and before.kind in ("obtain", "take")
            and line.source is not None
            and before.labels == (line.source.text,)
            and (line.kind == "obtain" or before.kind == "take")
            and not line.hints
            and not any(cites([x], line.source.text) or needed([x], line.source.text) for x in lines[k + 1 :])
            and not any(cites(b, line.source.text) or needed(b, line.source.text) for b in line.blocks)
        ):
            names = (*before.terms, *line.terms) if line.kind == "obtain" else line.terms
            out[-1] = replace(line, terms=names, source=before.source, hints=before.hints)
        else:
            out.append(line)
    return out


def count_kinds(blocks: Sequence[Sequence[Line]]) -> set[str]:
    return {line.kind for b in blocks for line in b} | set().union(
        *(count_kinds(line.blocks) for b in blocks for line in b)
    )


def defined_in(lines: Sequence[Line]) -> set[str]:
    """Labels and names that lines and the blocks below them give."""
    out: set[str] = set()
    for line in lines:
        out |= {x for k in line.labels for x in ([k] if isinstance(k, str) else k)}
        out |= {line.name} | (set(line.terms) if line.kind == "obtain" else set())
        out |= set().union(*(defined_in(b) for b in line.blocks))
    return out - {""}


def hints_in(lines: Sequence[Line]) -> list[HintText]:
    out: list[HintText] = []
    for line in lines:
        out += [*line.hints, *([line.source] if line.source is not None else [])]
        for b in line.blocks:
            out += hints_in(b)
    return list(distinct(out))


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][\w']*", text))


def cites(lines: Sequence[Line], label: str) -> bool:
    def hint(h: HintText) -> bool:
        return h.name == label or any(hint(p) for p in h.premises)

    return any(
        any(hint(h) for h in line.hints)
        or (line.source is not None and hint(line.source))
        or any(cites(b, label) for b in line.blocks)
        for line in lines
    )


def needed(lines: Sequence[Line], label: str) -> bool:
    """Whether a line takes the fact apart, or puts it in."""
    return any(
        (line.kind == "rewrite" and any(h.name == label for h in line.hints))
        or (line.kind != "take" and line.source is not None and line.source.name == label)
        or label in (line.name, *line.terms)
        or any(needed(b, label) for b in line.blocks)
        for line in lines
    )


def most(lines: Sequence[Line]) -> int:
    return max((max(len(line.hints), *(most(b) for b in line.blocks), 0) for line in lines), default=0)


def substituted(lines: Sequence[Line], label: str, hints: tuple[HintText, ...]) -> list[Line]:
    out = []
    for line in lines:
        new: list[HintText] = []
        for h in line.hints:
            if h.name == label:
                new += hints
            elif any(p.name == label for p in h.premises):
                text = h.name + (f"({'; '.join(h.terms)})" if h.terms else "")
                new += [*hints, HintText(text, h.name, h.terms)]
            else:
                new.append(h)
        blocks = tuple(tuple(substituted(b, label, hints)) for b in line.blocks)
        out.append(replace(line, hints=distinct(new), blocks=blocks))
    return out


# --- Whole certificates ---------------------------------------------------------------------------------------------


def witnesses(nodes: Sequence[dict[str, Any]]) -> list[str] | None:
    """All terms of a proof that only gives witnesses before its leaves; None where it gives none."""
    out: list[str] = []

    def walk(steps: Sequence[dict[str, Any]]) -> None:
        for node in steps:
            if node["by"] == "witness":
                out.append(constant(node["term"]))
            elif node["by"] == "split":
                for p in node["proofs"]:
                    walk(p)
                return
            else:
                return

    walk(nodes)
    return out or None


def part(library: Library, goal: Term, nodes: list[dict[str, Any]], which: str, seconds: float) -> list[Line]:
    """The lines of one part; none where the automation needs none."""
    tr = Translator(library, seconds)
    nodes = relabel(nodes)
    start = Goal(library, goal, {}, {})
    if (which != "proof" or size(nodes) <= 40) and tr.closes(start, ()) is not None:
        return []
    s = State(Goal(library, goal, {}, {}), Goal(library, goal, {}, {}))
    if which != "proof":
        cited = tr.cited(s, nodes)
        level = tr.closes(start, cited) if 0 < len(cited) <= AT_MOST else None
        if level is not None:
            line = tr.fewer(start, cited, level)
            return [line] if line.hints else []
        terms = witnesses(nodes)
        if terms is not None:
            for hints in ((), cited):
                lines = [Line("witness", terms=tuple(terms)), Line("qed", hints=tuple(hints))]
                if (
                    len(hints) <= AT_MOST
                    and (not hints or which != "proof")
                    and tr.runs(start, lines, automation.LEVELS[:2])
                ):
                    return lines if hints else lines[:1]
    lines = tr.block(s, nodes)
    return lines


def translate(
    name: str, certificate: Mapping[str, Any], statement: replay.Statement, library: Library, seconds: float
) -> ProofText:
    refuted = certificate["sense"] == "refuted"
    goals = build.goals_of(statement, refuted)
    parts = {}
    for key, goal in goals.items():
        lines = part(library, goal, certificate[key], key, seconds)
        if lines and lines[-1] == Line("qed"):
            lines = lines[:-1]
        if lines or key == "proof":
            parts[key] = tuple(lines)
    return ProofText(name, refuted, parts)


def too_long(*_: object) -> None:
    raise Untranslated("too long")


def main(arguments: list[str]) -> int:
    cache = Path(arguments[0])
    known = replay.statements()
    signal.signal(signal.SIGPROF, too_long)
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [a for a in arguments[1:] if a != "-v"] or [n for n in known if (build.FOLDER / f"{n}.json").is_file()]
    wanted.sort(key=lambda n: (build.FOLDER / f"{n}.json").stat().st_size)
    for name in wanted:
        note = cache / f"{name}.json"
        if note.exists():
            continue
        stored = build.FOLDER / f"{name}.json"
        certificate = json.loads(stored.read_text(encoding="utf-8"))
        if "proof" not in certificate:
            continue
        library, _ = build.library(name, known)
        statement = known[name]
        start = time.process_time()
        row: dict[str, Any] = {
            "id": name,
            "nodes": sum(size(certificate.get(k, [])) for k in ("proof", "defined", "inhabited")),
        }
        try:
            signal.setitimer(signal.ITIMER_PROF, 40 + row["nodes"] / 10)
            text = translate(name, certificate, statement, library, min(SECONDS, 2 + row["nodes"] / 15))
            shown = prooftext.written(text)
            again = prooftext.read(shown)
            built = time.process_time()
            made = build.from_text(name, again, known)
            row |= {"lines": shown.count("\n"), "build": round(time.process_time() - built, 2), "text": shown}
            row["bytes"] = len(build.text(made))
        except (Untranslated, *FAILS, AssertionError, IndexError, ValueError, TypeError) as error:
            if "-v" in sys.argv:
                raise
            row["error"] = f"{type(error).__name__}: {error}"[:3000]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        row["seconds"] = round(time.process_time() - start, 1)
        note.write_text(json.dumps(row, indent=1), encoding="utf-8")
        print(
            name,
            row["nodes"],
            row.get("lines"),
            row.get("build"),
            row["seconds"],
            row.get("error", "")[:200].replace("\n", " | "),
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
    kernel, Gap, BadProof  # noqa: B018
