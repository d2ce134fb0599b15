"""What no engine knows is refused by every engine and verb: a kind of part, a field, a word. Nothing answers, and
nothing is a defect.

`invented.calls` has a call of each verb, command, number system, format, bound and function of `compose`, from the
tables of the library; each is tried with each invention.
"""

import ast
import io
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from invented import OF_ONE_PART, PLACES, calls, invented, plain

import symcook as sc
from symcook.errors import BadInput
from symcook.model import reads
from symcook.model.reads import FIRST, PartsRead

CALLS = calls()
QUICK = ("field Head", "word activation", "part network", "field LayerNorm")
"""The inventions that layer one tries with every call; `sweep_unread` has all of them."""


def about(call: str, invention: str) -> bool:
    """Whether the call is given what the invention is about."""
    return call not in OF_ONE_PART or invention in PLACES[OF_ONE_PART[call]]


def refused(call: str, invention: str, folder: Path) -> str | None:
    """The sentence by which the call refuses the invention; None where its model has no such part. Fails where there is
    an answer, a defect, or a refusal for another reason."""
    make, ask = CALLS[call]
    model = make()
    with invented(invention, model) as there:
        if not there or not about(call, invention):
            return None
        with pytest.raises(BadInput) as error, redirect_stdout(io.StringIO()):
            ask(model, folder)
        text = str(error.value)
        assert "invented" in text or "Gate" in text, (call, invention, text)
    return text


@pytest.mark.parametrize("invention", QUICK)
def test_every_engine_refuses_what_it_does_not_know(invention: str, tmp_path: Path) -> None:
    sentences = [refused(call, invention, tmp_path) for call in CALLS]
    asked = [text for text in sentences if text is not None]
    assert len(asked) >= (40 if "LayerNorm" not in invention else 2)


def test_a_sentence_names_engine_part_and_field(tmp_path: Path) -> None:
    text = refused("verb run", "field FeedForward", tmp_path)
    assert text == "a feed-forward layer must have only fields that the forward pass reads; given: invented."


def test_what_has_all_that_engines_read_from_the_beginning_stays_as_it_is() -> None:
    """A new field or word is named by the engines that read it, and not added to what all of them read."""
    assert FIRST == {
        "Head": "Q K V mask weighting temperature scale",
        "FeedForward": "W1 b1 W2 b2 activation",
        "LayerNorm": "gain bias epsilon projection zero_variance",
        "SelfAttention": "heads",
        "Layer": "attention feedforward attention_norms feedforward_norms placement",
        "Embedding": "space words inputs positions start before after",
        "Readout": "kind position reads weights labels groups",
        "Parameter": "name default lower upper lower_open upper_open",
        "Transformer": "name embedding layers readout parameters max_length source final_norm program",
        "mask": "none future strict-future past strict-past",
        "weighting": "average softmax leftmost rightmost",
        "activation": "relu gelu gelu-tanh gelu-sigmoid step",
        "zero_variance": "refuse zero",
        "kind": "value sign zero largest distribution groups",
        "position": "first last each all",
    }


def test_an_engine_that_says_so_reads_a_new_field() -> None:
    knows = PartsRead("an engine of this test", Head="invented", invented="mean")
    try:
        with invented("field Head", plain()):
            assert knows.of(plain()) is not None
        with pytest.raises(BadInput, match="a head must have all fields that an engine of this test reads"):
            knows.of(plain())
    finally:
        del PartsRead.engines["an engine of this test"]


@pytest.mark.parametrize("name", ["Embedding", "Readout", "Layer", "SelfAttention", "Transformer", "Parameter"])
def test_a_new_field_of_what_holds_parts_is_refused(name: str) -> None:
    model = sc.Transformer(
        **{name: getattr(plain(), name) for name in ("name", "embedding", "layers", "readout")},
        parameters=(sc.Parameter("eps"),),
    )
    names_of = reads.names_of

    def more(kind: Any) -> list[str]:
        return [*names_of(kind), *(["invented"] if kind.__name__ == name else [])]

    with patch.object(reads, "names_of", more), pytest.raises(BadInput, match="given: invented"):
        PartsRead.engines["the forward pass"].of(model)


READ = {"sublayers", "layers"}
OWN = {  # files that go over layers of what they have made themselves, or of families, not of a model that was given
    "model/plainfamily.py", "model/instance.py", "model/family.py", "model/parts.py", "model/transformer.py",
    "model/reads.py", "report/construction.py", "report/where.py", "recipes/feedforward/gelu.py",
    "recipes/feedforward/linear.py", "cli/families.py", "cli/compile.py", "papers/yang2026/figures.py",
    "export/lens.py", "export/reading.py", "bounds/theorem26.py", "bounds/error.py", "coq/models.py", "closed.py",
    "walk.py", "compilers/turing.py",
}  # fmt: skip


def test_code_goes_over_the_layers_of_a_model_only_through_what_it_reads() -> None:
    """`model.layers` and `model.sublayers` are taken of `READS.of(model)`, or counted."""
    root = Path(sc.__file__).parent
    wrong = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name in OWN or name.startswith("proof/"):
            continue
        text = path.read_text(encoding="utf-8")
        if ".layers" not in text and ".sublayers" not in text:
            continue
        tree = ast.parse(text)
        counted = {id(call.args[0]) for call in ast.walk(tree) if isinstance(call, ast.Call) and call.args
                   and isinstance(call.func, ast.Name) and call.func.id == "len"}  # fmt: skip
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in READ or id(node) in counted:
                continue
            of = node.value
            through = isinstance(of, ast.Call) and ast.unparse(of.func) in ("READS.of", "load")
            if not through and ast.unparse(of) not in ("self", "family", "part"):
                wrong.append(f"{name}:{node.lineno} {ast.unparse(node)}")
    assert not wrong, os.linesep.join(wrong)
