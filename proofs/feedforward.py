"""Claims about feed-forward recipes (Cookbook, Sections 3, 4 and 6.4): proofs by cases of every relu."""

from __future__ import annotations

from script import Script, counterexample, each, witnesses

from symcook.proof.search.tactics import Goal, Tactic


def reciprocal(g: Goal, z: str) -> None:
    """z*(1/z) = 1 and 0 < 1/z, where a fact says 0 < z."""
    g.use("ax:inv", z, label="inverse").have(f"0 < 1/{z}", "reciprocal")


def pieces(names: str, terms: str, inverse: str = "") -> Tactic:
    """Introduce, split at every relu, abs, min, max and I[...] named, and let each case be arithmetic."""

    def run(g: Goal) -> None:
        g.intro(names)
        if inverse:
            reciprocal(g, inverse)
        g.apart(terms, lambda h: h.blast())

    return run


MIN = pieces("x y out run", "relu(x); relu(-x); relu(x - y); min(x, y)")
MAX = pieces("x y out run", "relu(x); relu(-x); relu(y - x); max(x, y)")
ADD = pieces("x y out run", "relu(x); relu(-x); relu(y); relu(-y)")


def by_sign(names: str, term: str) -> Tactic:
    """Both relu(term) and relu(-term) from the sign of the term."""

    def run(g: Goal) -> None:
        g.intro(names)
        up, down = g.em(f"0 <= {term}", "sign")
        up.use("ax:relu_pos", term, label="a").use("ax:relu_neg", f"-({term})", label="b").auto()
        down.use("ax:relu_neg", term, label="a").use("ax:relu_pos", f"-({term})", label="b").auto()

    return run


SCALE = by_sign("c x out run", "x")
GTZERO = pieces("eps x out small run", "relu(x); relu(x - eps); I[0 < x]", "eps")
GEZERO = pieces("eps x out small run", "relu(x + eps); relu(x); I[0 <= x]", "eps")
EQZERO_PARTS = "relu(x + eps); relu(x); relu(x - eps); abs(x)"


def eqzero(g: Goal) -> None:
    g.intro("eps x out small run")
    reciprocal(g, "eps")
    g.apart(EQZERO_PARTS + "; abs(x/eps); I[x = 0]", lambda h: h.blast())


SCRIPTS: dict[str, Script] = {
    "cookbook.s4.3.zero": Script(pieces("x z run", ""), witnesses("1", "1")),
    "cookbook.s4.3.id_scalar": Script(pieces("x out run", "relu(x); relu(-x)"), witnesses("1", "1")),
    "cookbook.s4.4.min": Script(MIN, witnesses("1", "2", "1")),
    "cookbook.s4.4.max": Script(MAX, witnesses("1", "2", "2")),
    "cookbook.t1.minmax": Script(each(MIN, MAX), witnesses("1", "2", "1", "1", "2", "2")),
    "cookbook.s4.5.add": Script(each(ADD, ADD), witnesses("1", "2", "3", "1", "2", "-1")),
    "cookbook.t1.addsub": Script(each(ADD, ADD), witnesses("1", "2", "3", "1", "2", "-1")),
    "cookbook.s4.6.const_mul": Script(
        each(SCALE, by_sign("c x", "c*x")), witnesses("2", "3", "6", "2", "3")
    ),
    "cookbook.t1.mulconst": Script(SCALE, witnesses("2", "3", "6")),
    "cookbook.s4.7.gtzero": Script(GTZERO, witnesses("2", "1", "1/2")),
    "cookbook.s4.7.gezero": Script(GEZERO, witnesses("2", "-1", "1/2")),
    "cookbook.s4.7.eqzero": Script(eqzero, witnesses("2", "1", "1/2")),
}
