"""Constructions that are one slip away: random machines tell each from the right one, and integers refuse weights."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import machines_at_random
import pytest

import symcook as sc
from symcook.compilers.turing import MachineDecoder, NamedUnit, UnitNetwork
from symcook.model.transformer import Transformer
from symcook.programs.steps import END, labels
from symcook.programs.turing import read_turing, written
from symcook.thought.floats import FloatDecoder
from symcook.thought.integers import IntegerDecoder
from symcook.thought.running import genuine, run_machine


class OwnForgotten(MachineDecoder):
    """After a move of 0 what was retrieved is read, as after any other."""

    @property
    def selection(self) -> UnitNetwork:  # type: ignore[override]
        whole = MachineDecoder(self.machine).selection
        kept = UnitNetwork()
        for unit in whole:
            if any(name.startswith("stay") and weight > 0 for name, weight in unit.terms.items()):
                continue
            terms = {name: weight for name, weight in unit.terms.items() if not name.startswith("stay")}
            kept.append(NamedUnit(terms, unit.bias, unit.adds))
        return kept


class FreshForgotten(MachineDecoder):
    """A cell that was never visited holds what is retrieved."""

    @property
    def selection(self) -> UnitNetwork:  # type: ignore[override]
        whole = MachineDecoder(self.machine).selection
        kept = UnitNetwork()
        for unit in whole:
            if not any(name.startswith("fresh") and weight > 0 for name, weight in unit.terms.items()):
                terms = {name: weight for name, weight in unit.terms.items() if not name.startswith("fresh")}
                kept.append(NamedUnit(terms, unit.bias, unit.adds))
        return kept


def swapped(model: Transformer, stem: str, other: str) -> Transformer:
    """The model whose second layer takes one hash for another as its key."""
    layer = model.layers[1]
    norms = tuple(
        replace(norm, reads=tuple(name.replace(stem, other) for name in norm.reads))
        if norm.writes[0].startswith(stem)
        else norm
        for norm in layer.attention_norms
    )
    return replace(model, layers=(model.layers[0], replace(layer, attention_norms=norms), model.layers[2]))


def key_after_the_move(decoder: MachineDecoder) -> Transformer:
    model = decoder.model(written(decoder.machine), "trap")
    for tape in decoder.tapes:
        model = swapped(model, f"wrote{tape}", f"at{tape}")
    return model


def no_tie_break(decoder: MachineDecoder) -> Transformer:
    """Average of all that wrote on the cell."""
    model = MachineDecoder(decoder.machine, "rightmost").model(written(decoder.machine), "trap")
    layer = model.layers[1]
    heads = tuple(replace(one, weighting="average") for one in layer.attention.heads)
    attention = replace(layer.attention, heads=heads)
    return replace(model, layers=(model.layers[0], replace(layer, attention=attention), model.layers[2]))


TRAPS = {
    "key after the move": key_after_the_move,
    "no tie-break": no_tie_break,
    "stay": lambda decoder: OwnForgotten(decoder.machine).model(written(decoder.machine), "trap"),
    "fresh": lambda decoder: FreshForgotten(decoder.machine).model(written(decoder.machine), "trap"),
    "nothing": lambda decoder: decoder.model(written(decoder.machine), "right"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.layer_two(every=2)
def test_random_machines_tell_a_slip(trap: str) -> None:
    wrong = 0
    for seed in range(16):
        machine = machines_at_random.drawn(seed, True)
        model = TRAPS[trap](MachineDecoder(machine))
        names = labels(machine)
        for word in machines_at_random.words_for(machine, seed):
            said = [names[step.token] for step in IntegerDecoder(machine).run(word, 25)]
            said += [END] * (len(said) < 25)
            wrong += list(islice(FloatDecoder(model).decode(word), len(said))) != said
    assert (wrong == 0) == (trap == "nothing"), wrong


def test_every_changed_entry_is_refused_in_integers() -> None:
    """Weights of each part, one entry at a time at random; readout and embedding too."""
    model = sc.compile("tm", "1RB1LB_1LA1RZ")
    assert genuine(model) and run_machine(model, "", 20).output == "11"
    draw = random.Random(3)
    for number, layer in enumerate(model.layers):
        part = layer.feedforward
        rows = [list(row) for row in part.W1.tolist()]
        row = draw.randrange(len(rows))
        rows[row][draw.randrange(len(rows[row]))] += 1
        layers = list(model.layers)
        layers[number] = replace(layer, feedforward=replace(part, W1=rows))
        assert not genuine(replace(model, layers=tuple(layers)))
    other = sc.compile("tm", "1RB1LB_1LA0RZ")
    assert not genuine(replace(model, program=other.program)) and not genuine(replace(model, program=None))


@pytest.mark.sweep
def test_a_head_that_leaves_the_input_on_either_side_reads_blanks() -> None:
    source = (
        "input: a\nwork symbols: a\nstart: s\nhalt: h\nhead: {head}\ns a * -> s a {move} R\ns _ * -> t . {move} S\n"
    )
    for move, head in (("R", 1), ("L", 1), ("L", 0), ("R", -1)):
        rest = "".join(f"{one} * * -> {two} . {move} S\n" for one, two in (("t", "u"), ("u", "v")))
        text = source.format(move=move, head=head) + rest + "v _ * -> h a S S\nv a * -> h . S S\n"
        machine = read_turing(text)
        model = sc.compile("tm", text)
        for word in ("", "a", "aaa"):
            run, bad = machines_at_random.integers(machine, tuple(word), 40)
            assert bad == 0 and run.ended
            found = run_machine(model, word, 40, "ball")
            assert machines_at_random.wrong(run, found.tokens, len(word) + 1, found.ended) == 0
