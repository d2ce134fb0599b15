"""Proves that a compiled automaton computes the run of its automaton on every string: by a bridge from its weights to
the family of decoders, and by the theorem about this family. Both are checked here by the kernel, the only trusted
part."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

from symcook.compilers.automaton import FAMILY, settings
from symcook.errors import BadInput, Undecided
from symcook.model.family import load, shipped
from symcook.model.modelfile import to_document
from symcook.programs.running import program_table, tokens_of
from symcook.proof.bridges.bridge import Bridge, checked
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search.limits import replayed
from symcook.recipes.models import instance_of

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

THEOREM = "merrill2024.thm1.schedule"
"""The theorem that, for all automata and strings, the family outputs exactly the states of the run and the verdict."""


class RunBridge(Bridge):
    """The bridge of a decoder. Its short run, on one symbol, is given by formulas: the equations of many states nest
    too deep to be solved one by one."""

    def _solved(self) -> tuple[int, list[int], dict[str, list[Any]]]:
        """Length, tokens and values of the run on the start token 0 and the first symbol, token 1."""
        # The last norm reads 2*`entries` numbers, which are 0 but for a 1 and a -1: its deviation is sqrt(1/entries).
        # `first` is the token of the first state, the only one with a score that is not 0.
        states, letters, root = (int(self.at.env[size]) for size in ("K", "S", "R"))
        entries, first = 2 * letters + states + 3, letters + int(self.at.env["first"])
        root_of_entries = isqrt(entries)
        rational = root_of_entries * root_of_entries == entries
        # 1 over this deviation
        inverse_root = str(root_of_entries) if rational else f"{entries}*sqrt(1/{entries})"
        # By function of the equations: its values at both positions. A function that is not listed is 0 at both.
        both = {
            "other": ["-1", "1"], "u": ["1", "0"], "z1_u": ["1", "1"], "dev2": ["1", "1"], "dev2_": ["1", "1"],
            "dev1": [f"1/{root}"] * 2, "dev2__": [f"1/{root}"] * 2,
            "dev2___": [f"1/{root_of_entries}" if rational else f"sqrt(1/{entries})"] * 2,
            "y2_a1": ["1/2", "1/2"], "y2_a2": ["1/2", "1/2"], "y2_a3": ["-1/2", "-1/2"], "y2_a4": ["-1/2", "-1/2"],
            "y2_k1": ["-1/2", "1/2"], "y2_k2": ["1/2", "1/2"], "y2_k3": ["1/2", "-1/2"], "y2_k4": ["-1/2", "-1/2"],
            f"o{first}": [inverse_root, inverse_root],
        }  # fmt: skip
        # One-hot codes of the token, scaled: coordinate 0 is not 0 at the first position, coordinate 1 at the second.
        for code, size in (("t", "1"), ("y1_v", "1"), ("y2_v", "1"), ("y1_minus", "-1"), ("y2_minus", "-1"),
                           ("y2_vt", inverse_root), ("y2_mt", f"-({inverse_root})")):  # fmt: skip
            both |= {f"{code}0": [size, "0"], f"{code}1": ["0", size]}
        return 2, [0, 1], {name: both.get(name, ["0", "0"]) for name in {*self.runs, *self.number}}


@dataclass(frozen=True)
class Bridged:
    """The checked bridge from a model to its family, with the checked theorem about the family."""

    statement: Statement
    """The statement of the bridge."""
    certificate: dict[str, Any]
    """The certificate of the bridge."""
    verdict: Verdict
    """The checker's verdict on the bridge."""
    theorem: Verdict
    """The checker's verdict on the theorem about the family."""

    @property
    def words(self) -> str:
        """The verdict in words: the bridge's, which counts for both, as the theorem is proved."""
        return self.verdict.words


def prove(model: Transformer) -> Bridged:
    """Prove that the weights of a compiled automaton are those of the family at the automaton's table, and check the
    theorem about the family.

    Raises BadInput for a model that is no compiled automaton or whose tokens are not those of its program, Unbridged if
    its weights are not those of its program, Undecided if the theorem is not proved.
    """
    program = model.program
    if program is None or program.kind != "dfa":
        raise BadInput("the model must be a compiled automaton", model.name, "symcook compile dfa makes one")
    table = program_table(program)
    family = load(shipped(FAMILY))
    at = instance_of(family, settings(table))
    tokens = tokens_of(table)
    if tuple(model.embedding.words or ()) != tokens or model.readout.labels != tokens:
        raise BadInput(
            "the alphabet of a compiled model must be that of its program", model.name, "compile the program again"
        )
    bridge = RunBridge(family, at, to_document(model))
    certificate, verdict = checked(bridge)
    (theorem,) = replayed([THEOREM])
    if theorem.status != "PROVED":
        raise Undecided(f"the theorem about all automata, {THEOREM}, is not proved here: {theorem.reason}")
    return Bridged(bridge.statement, certificate, verdict, theorem)
