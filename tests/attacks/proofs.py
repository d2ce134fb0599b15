"""Attacks by rule on everything that is stored: false neighbours, damaged proofs, changed statements.

    python tests/attacks/proofs.py neighbours [--search N]      false neighbours of the claims
    python tests/attacks/proofs.py proofs --count 10000         damaged certificates
    python tests/attacks/proofs.py statements --count 10000     changed statements with the stored proof
    ... --second       ask the second checker as well
    ... --state FILE   keep what was done in FILE; the same command goes on from there

A false neighbour must be proved neither by the claim's proof nor by its script. A damaged certificate must be rejected
or be a proof of the same stored statement. A changed statement that is accepted must hold in 1,000 seeded and boundary
evaluations, or stand in accepted.json with the reason. Progress goes to stderr, the figures to stdout; the exit status
is 1 where one attack succeeds. `test_proofs.py` runs samples.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import hashlib
import itertools
import json
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from attacks import mutate  # noqa: E402
from proof import statement_truth  # noqa: E402

from symcook.errors import BadInput, Rejected  # noqa: E402
from symcook.model.expr import parse_formula  # noqa: E402
from symcook.proof import grammar, kernel, normal, replay  # noqa: E402
from symcook.proof.audit import falsify  # noqa: E402
from symcook.proof.conditions import refutation  # noqa: E402
from symcook.proof.search import tactics  # noqa: E402
from symcook.proof.statements import certify  # noqa: E402
from symcook.proof.terms import Term, instantiate, neg, negation  # noqa: E402

HOME = replay.library()
STATEMENTS = HOME.statements
EVALUATIONS = 1_000
SECONDS = 10
WORK = 3_000  # evaluated parts in one seeded evaluation
PATIENCE = 4.0  # seconds for the instances of an adequacy test
KNOWN = HERE / "accepted.json"

Outcome = dict[str, Any]


class Defect(Exception):
    """An attack succeeded: everything stops."""


# --- What is stored ---------------------------------------------------------------------------------------------------


@functools.cache
def stored() -> dict[str, Any]:
    """The certificates of proofs, by id."""
    files = ((name, HOME.root / "certificates" / f"{name}.json") for name in STATEMENTS)
    read = ((name, replay.load_json(path.read_bytes())) for name, path in files if path.is_file())
    return {name: certificate for name, certificate in read if "check" not in certificate}


@functools.cache
def lemmas(name: str) -> dict[str, replay.Statement]:
    """What a stored proof may cite. Its hashes fit: else an attack on it would fail for no reason of its own."""
    certificate = stored()[name]
    listed = {name: certificate["statement"], **certificate["lemmas"]}
    if stale := [n for n, digest in listed.items() if STATEMENTS[n].digest != digest]:
        raise ValueError(f"the certificate of {name} must be built again, for {stale} changed")
    return {n: STATEMENTS[n] for n in certificate["lemmas"]}


@functools.cache
def usable(name: str) -> Mapping[str, Term]:
    return {s.label: s.formula for s in lemmas(name).values()}


def refuted(name: str) -> bool:
    return stored()[name]["sense"] == "refuted"


def reason(error: Exception) -> str:
    """Why a proof was rejected, without the particulars."""
    text = re.sub(r"^(proof|defined|inhabited): ", "", str(error))
    return re.sub(r"'[^']*'|\d+", "_", text).split(";")[0].split(":")[0][:60]


def proves(goal: Term, name: str) -> str | None:
    """None where the stored proof of `name` proves `goal`, else why not."""
    try:
        proof = stored()[name]["proof"]
        kernel.check(goal, proof, lemmas=usable(name), known=STATEMENTS[name].known, seconds=SECONDS)
    except Rejected as error:
        return reason(error)
    return None


def shown(name: str) -> Term:
    """What is proved under this id."""
    formula = STATEMENTS[name].formula
    return neg(formula) if refuted(name) else formula


def keys(formula: Term, name: str) -> tuple[str, Any, Any]:
    """A formula and its negation up to normal forms; as they are where there are none."""
    try:
        held = normal.fkey(formula)
    except Rejected:
        return name, negation(neg(formula)), negation(formula)
    return name, held, normal._not(held)


@functools.cache
def stored_keys() -> list[tuple[str, Any, Any]]:
    return [keys(shown(name), name) for name in stored()]


def contradiction(proved: Iterable[Term], among: Sequence[str] | None = None) -> str | None:
    """Two formulas, stored or given, of which one is the negation of the other and both are proved; of those stored
    all, or those with the ids `among`."""
    found: dict[Any, str] = {}
    given = (keys(formula, f"a changed statement, {grammar.digest(formula)[:12]}") for formula in proved)
    known = stored_keys() if among is None else [keys(shown(name), name) for name in among]
    for name, held, denied in itertools.chain(known, given):
        if (other := found.get(denied)) is not None:
            return f"{name} and {other}"
        found[held] = name
    return None


# --- The second checker -----------------------------------------------------------------------------------------------


def disagreement(name: str, certificate: Any, why: str | None) -> str | None:
    """How the second checker differs from the first, which said `why` not (None: accepted), on a certificate."""
    from proof import both

    given = {n: s for n, s in lemmas(name).items() if n != name}
    return differ(name, why, both.other(lambda: both.ask_judge(STATEMENTS[name], certificate, given), SECONDS)[1])


@functools.cache
def converted(name: str) -> Any:
    """The lemmas and definitions of an id for the second checker."""
    from proof import both

    facts = {k: both.term(f) for k, f in usable(name).items()}
    return facts, both.definitions(STATEMENTS[name].known)


def second_verdict(name: str, goal: Term) -> str | None:
    """None where the second checker accepts the stored proof of `name` for `goal`, else why not."""
    from proof import both

    def ask() -> None:
        facts, known = converted(name)
        both.second.check(both.term(goal), stored()[name]["proof"], facts, known, SECONDS)

    return both.other(ask, SECONDS)[1]


def differ(name: str, why: str | None, said: str | None) -> str | None:
    """What is wrong where the first checker said `why` not, and the second `said` why not (None: accepted).

    Their enclosures are made in different ways, so that one may decide a little more than the other.
    """
    from proof import both

    if "enclosure" in (why or said or ""):
        return None
    try:
        both.agree(lambda: name, why, said)
    except AssertionError as error:
        return str(error).split("\n")[0]
    return None


# --- False neighbours -------------------------------------------------------------------------------------------------


class Neighbour(NamedTuple):
    """A false statement close to a proved one."""

    id: str
    text: str
    what: str


@functools.cache
def entries() -> Mapping[str, Any]:
    from proof import adequacy

    adequacy.load_claims()
    return adequacy.ENTRIES


@functools.cache
def neighbours() -> list[Neighbour]:
    """Those of test_neighbours.py and the near misses of all adequacy tests; there each is false at an instance."""
    from attacks import test_neighbours

    found = [(n, test_neighbours.neighbour(n, a, b), f"{a} / {b}") for n, a, b, _ in test_neighbours.NEIGHBOURS]
    from proof import adequacy

    found += [(n, adequacy.changed(n, a, b), f"{a} / {b}") for n, e in entries().items() for a, b in e.misses]
    out: dict[Any, Neighbour] = {}
    for name, text, what in found:
        if name in stored() and not refuted(name):
            out.setdefault((name, " ".join(text.split())), Neighbour(name, text, what))
    return list(out.values())


def formula_of(name: str, text: str) -> Term:
    return replay.Statement(name, text, known=STATEMENTS[name].known).formula


@functools.cache
def script(name: str) -> Any:
    """What proves a statement, as tactics."""
    folder = str(HOME.root)
    sys.path.insert(0, folder)
    try:
        return import_module("build").script_of(name)
    finally:
        sys.path.remove(folder)


class TimeUp(BaseException):
    """No tactic catches it."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Of processor time: what a machine does beside it changes no outcome."""

    def stop(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def searched(name: str, goal: Term, seconds: float) -> str:
    """ "proved" where the claim's script or the general tactic proves `goal`, "stuck" or "time"."""
    every = [s for n, s in STATEMENTS.items() if n.startswith("lem.") and n != name]
    known = {s.label: s for s in (*every, *lemmas(name).values())}
    home = certify.library(STATEMENTS[name], known)
    result = "stuck"
    for tactic in (script(name).proof, lambda g: tactics.blast(g, degree=1)):
        try:
            with limited(seconds):
                proof = tactics.prove(home, goal, tactic)
            kernel.check(goal, proof, lemmas=home.facts, known=STATEMENTS[name].known, seconds=SECONDS)
        except TimeUp:
            result = "time"
        except Exception:  # a script on a goal that it was not written for may stumble anywhere
            continue
        else:
            return "proved"
    return result


def try_neighbour(place: int, search: float = 0) -> Outcome:
    one = neighbours()[place]
    try:
        goal = formula_of(one.id, one.text)
    except Rejected:
        return {"case": place, "outcome": "not well-sorted"}
    why = proves(goal, one.id)
    if why is None:
        raise Defect(f"the stored proof of {one.id} proves a false neighbour: {one.what}")
    found = searched(one.id, goal, search) if search else "not searched"
    if found == "proved":
        raise Defect(f"the search proves a false neighbour of {one.id}: {one.what}")
    return {"case": place, "outcome": "rejected", "why": why, "search": found}


# --- Damaged proofs ---------------------------------------------------------------------------------------------------


def numbered(count: int, first: int = 0) -> list[str]:
    """Cases ID#NUMBER, one number after another: a case does not depend on what else is stored."""
    return list(itertools.islice((f"{name}#{k}" for k in itertools.count(first) for name in stored()), count))


def drawn(case: str) -> tuple[str, int]:
    """The id of a case and its seed."""
    return case.rpartition("#")[0], int.from_bytes(hashlib.sha256(case.encode()).digest()[:6], "big")


def try_proof(case: str, second: bool = False) -> Outcome:
    name, seed = drawn(case)
    statement, whole = STATEMENTS[name], stored()[name]
    damaged = (mutate.mutate_gently if seed % 2 else mutate.mutate)(whole, seed)
    why = None
    start = time.process_time()
    try:
        status, _ = replay.judge(statement, damaged, lemmas(name), seconds=SECONDS)
    except Rejected as error:
        why = str(error)
        out = {"case": case, "id": name, "outcome": "rejected", "why": reason(error)}
    else:
        out = {"case": case, "id": name, "outcome": "accepted"}
        if (status == "REFUTED") != refuted(name):
            raise Defect(f"{name} and its negation are both proved (case {case})")
        if damaged["statement"] != whole["statement"] or damaged["id"] != name:
            raise Defect(f"a certificate of another statement was accepted for {name} (case {case})")
    if time.process_time() - start > 3 * SECONDS:
        raise Defect(f"a damaged certificate of {name} took {time.process_time() - start:.0f} seconds (case {case})")
    if second and (wrong := disagreement(name, damaged, why)) is not None:
        out["second"] = wrong
    return out


# --- Changed statements -----------------------------------------------------------------------------------------------


class Changed(NamedTuple):
    id: str
    text: str
    formula: Term
    discarded: int


@functools.cache
def tree_of(name: str) -> Any:
    return parse_formula(STATEMENTS[name].expanded)


def changed_statement(case: str) -> Changed:
    """The statement of one id with small changes, well-sorted and another one."""
    name, seed = drawn(case)
    draw = random.Random(seed)
    for discarded in range(1000):
        try:
            text = mutate.text_of(mutate.mutate_statement(tree_of(name), draw))
            formula = grammar.read_formula(text, {}, STATEMENTS[name].known)
        except (Rejected, BadInput):
            continue
        if formula != STATEMENTS[name].formula:
            return Changed(name, text, formula, discarded)
    raise AssertionError(f"{name} cannot be changed")


def try_statement(case: str, search: float = 0, second: bool = False) -> Outcome:
    one = changed_statement(case)
    goal = refutation(one.formula) if refuted(one.id) else one.formula
    out: Outcome = {"case": case, "id": one.id, "discarded": one.discarded}
    why = proves(goal, one.id)
    by = "proof"
    if second:
        said = second_verdict(one.id, goal)
        if (wrong := differ(one.id, why, said)) is not None:
            out["second"] = wrong
        elif said is None and why is not None:
            why, by = None, "the second checker only"
    if why is not None and search and not refuted(one.id):
        found = out["search"] = searched(one.id, goal, search)
        why, by = (None, "search") if found == "proved" else (why, by)
    if why is not None:
        return out | {"outcome": "rejected", "why": why}
    return out | {"outcome": "accepted", "by": by, "text": one.text} | judged(one)


def judged(one: Changed) -> Outcome:
    """What the evaluations of an accepted statement say: it holds, does not (the attack succeeded), or is not judged.

    What was accepted for a refuted claim is that there is a counterexample: an instance confirms it, and the lack of
    one says nothing. Likewise where quantifiers over all numbers stand in a hypothesis (see `mutate.sampled`).
    """
    found, many, met = counterexample(one.id, one.text, one.formula)
    if found is None and refuted(one.id):
        found, many = at_the_witness(one), many + 1
    out: Outcome = {"evaluations": many, "met": met, "hash": grammar.digest(one.formula)}
    if out["hash"] in explained():
        return out | {"truth": "explained"}
    if refuted(one.id):
        return out | {"truth": "holds" if found is not None else "not judged"}
    if found is None:
        return out | {"truth": "holds"}
    return out | {"truth": "false" if mutate.sampled(parse_formula(one.text)) else "not judged", "at": found}


@functools.cache
def explained() -> Mapping[str, str]:
    return json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.is_file() else {}


class Quick(falsify._Try):
    """An evaluation that gives up after `WORK` parts: what is not decided by then counts as unknown."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.work = falsify.MOST_WORK - WORK

    def known(self, t: Term) -> bool | None:
        """Whether `t` is true; None where the work did not suffice."""
        try:
            return self.truth(t, [])
        except falsify._Spent:
            return None


def counterexample(name: str, text: str, formula: Term) -> tuple[str | None, int, int]:
    """An instance at which the statement is false; how many were tried, and at how many the hypotheses were met.

    The instances of the adequacy test first, then seeded ones; boundary values are frequent in both.
    """
    many = met = 0
    start = time.process_time()
    for place, instance in enumerate(entries()[name].instances if name in entries() else ()):
        if time.process_time() - start > PATIENCE:
            break
        try:
            with limited(PATIENCE / 8):
                true, meets = statement_truth.evaluate(text, instance)
        except (ZeroDivisionError, KeyError, TypeError, ValueError, IndexError, AssertionError, AttributeError):
            continue  # undefined there, or it asks for more than the instance gives
        except (RecursionError, ArithmeticError, TimeUp):
            continue
        many, met = many + 1, met + meets
        if not true:
            return f"instance {place} of the adequacy test", many, met
    chains = list(falsify._chains(formula, parse_formula(text), falsify._Chain([], [], formula)))
    draw = random.Random(0)
    for attempt, chain in itertools.islice(enumerate(itertools.cycle(chains)), max(0, EVALUATIONS - many)):
        one = Quick(chain, draw, attempt // len(chains))
        truths = [one.known(p) for p in chain.premises]
        many, met = many + 1, met + all(truths)
        found = one.run() if all(truths) else None
        if found is not None:
            return found, many, met
    return None, many, met


def at_the_witness(one: Changed) -> str | None:
    """The values that the stored refutation gives to the claim, where the changed statement is false at them."""
    use = next((n for n in stored()[one.id]["proof"] if n["by"] == "use" and ":" not in n["fact"]), None)
    formula, premises, values = one.formula, [], []
    for given in [] if use is None else use["with"]:
        tag, sort, kids = formula
        if tag == "all":
            try:
                formula = instantiate(kids[0], (grammar.read_value(given, sort, {}, STATEMENTS[one.id].known),))
            except (Rejected, TypeError):
                return None
            values.append(given)
        elif tag == "->":
            premises, formula = [*premises, kids[0]], kids[1]
    chains = list(falsify._chains(formula, None, falsify._Chain([], premises, formula)))
    tries = (Quick(chain, random.Random(k), k) for chain in chains for k in range(20))
    return f"the witness {', '.join(values)}" if values and any(t.run() is not None for t in tries) else None


# --- The command ------------------------------------------------------------------------------------------------------


def run(cases: Iterable[Any], attack: Callable[[Any], Outcome], total: int, done: list[Outcome], keep: Any) -> None:
    """Every case that is not done yet, with progress on stderr."""
    ready = {out["case"] for out in done}
    start = shown = time.monotonic()
    for place, case in enumerate(cases, 1):
        if case in ready:
            continue
        out = attack(case)
        done.append(out)
        if keep is not None:
            keep.write(json.dumps(out) + "\n")
            keep.flush()
        if time.monotonic() - shown > 2:
            shown = time.monotonic()
            print(f"\r{place}/{total}  {shown - start:.0f} s ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def summary(done: list[Outcome], seconds: float) -> str:
    """The figures."""
    outcomes = collections.Counter(out["outcome"] for out in done)
    lines = [", ".join(f"{n} {word}" for word, n in outcomes.most_common()) + f"; {seconds:.0f} seconds"]
    lines += [
        f"  {n:6d}  {why}" for why, n in collections.Counter(o["why"] for o in done if "why" in o).most_common(25)
    ]
    if searches := collections.Counter(o["search"] for o in done if "search" in o):
        lines.append("the search: " + ", ".join(f"{n} {word}" for word, n in searches.items()))
    if accepted := [o for o in done if "truth" in o]:
        truths = collections.Counter(o["truth"] for o in accepted)
        many, met = (sum(o[k] for o in accepted) for k in ("evaluations", "met"))
        lines.append(f"accepted statements: {', '.join(f'{n} {word}' for word, n in truths.most_common())}")
        lines.append(f"evaluations: {many}, the hypotheses met in {met}; by {by_sense(accepted)}")
        lines += [f"not judged: {o['case']} {o['hash'][:12]}" for o in accepted if o["truth"] == "not judged"]
    if any("discarded" in o for o in done):
        lines.append(f"{sum(o['discarded'] for o in done)} more changes had no sort or no effect")
    differ = [o for o in done if "second" in o]
    return "\n".join([*lines, *(f"second checker: {o['case']}: {o['second']}" for o in differ)])


def by_sense(accepted: list[Outcome]) -> str:
    negative = sum(refuted(o["id"]) for o in accepted)
    return f"proofs {len(accepted) - negative}, by refutations {negative}"


def opened(path: Path, head: dict[str, Any]) -> tuple[list[Outcome], Any]:
    """What a state file holds already, and the file to go on with."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if lines and json.loads(lines[0]) != head:
        raise SystemExit(f"{path} is of another attack or of other certificates; remove it or name another file")
    done = []
    for line in lines[1:]:
        with contextlib.suppress(ValueError):  # the last line may be cut off
            done.append(json.loads(line))
    keep = path.open("w", encoding="utf-8")
    keep.writelines(json.dumps(line) + "\n" for line in (head, *done))
    return done, keep


@functools.cache
def stored_digest() -> str:
    return hashlib.sha256(json.dumps(stored(), sort_keys=True).encode()).hexdigest()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Attacks by rule on the stored proofs.")
    parser.add_argument("kind", choices=("neighbours", "proofs", "statements"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first number of a case")
    parser.add_argument("--search", type=float, default=0, metavar="SECONDS", help="let the search try as well")
    parser.add_argument("--second", action="store_true", help="ask the second checker as well")
    parser.add_argument("--state", type=Path, help="a file that keeps what was done")
    asked = parser.parse_args(arguments)
    total = len(neighbours()) if asked.kind == "neighbours" else asked.count
    cases = range(total) if asked.kind == "neighbours" else numbered(total, asked.first)
    digest = stored_digest()
    done, keep = [], None
    if asked.state is not None:
        head = {"kind": asked.kind, "search": asked.search, "second": asked.second, "stored": digest}
        done, keep = opened(asked.state, head)
    attack = {
        "neighbours": lambda case: try_neighbour(case, asked.search),
        "proofs": lambda case: try_proof(case, asked.second),
        "statements": lambda case: try_statement(case, asked.search, asked.second),
    }[asked.kind]
    start = time.monotonic()
    try:
        run(cases, attack, total, done, keep)
        accepted = [changed_statement(o["case"]) for o in done if "truth" in o]
        both = contradiction(neg(c.formula) if refuted(c.id) else c.formula for c in accepted)
        if both is not None:
            raise Defect(f"both are proved, and each is the negation of the other: {both}")
    except Defect as error:
        print(f"\nA DEFECT: {error}")
        return 1
    except KeyboardInterrupt:
        print(f"\nstopped after {len(done)} of {total}", file=sys.stderr)
        return 130
    finally:
        if keep is not None:
            keep.close()
    print(f"{asked.kind}: {len(stored())} stored proofs, {total} cases")
    print(summary(done, time.monotonic() - start))
    bad = [o for o in done if o.get("truth") == "false"]
    for o in bad:
        print(f"FALSE: {o['case']} ({o['hash'][:12]}): {o['text'][:300]}\n   at {o['at']}")
    return 1 if bad or any("second" in o for o in done) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
