"""What no engine knows is refused by every engine and verb: a kind of part, a field, a word. Nothing answers, and
nothing is a defect.

`invented.calls` has a call of each verb, command, number system, format, bound and function of `compose`, from the
tables of the library; each is tried with each invention.
"""

import ast
import io
import os
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from invented import DESCRIBED, OF_ONE_PART, OF_POSITIONS, PLACES, POSITION, Gate, calls, invented, plain

import symcook as sc
from symcook.decide.finite import OutOfReach
from symcook.domains import DOMAINS, make_domain
from symcook.domains.rowwise import Positions
from symcook.errors import BadInput
from symcook.export import guarantee, lens, onnx_graph, run_npz, torch_code
from symcook.export.archive import arrays
from symcook.model import reads
from symcook.model.parts import Mask
from symcook.model.reads import FIRST, PartsRead
from symcook.model.symbols import lowered
from symcook.proof.search.attempts import Failed

CALLS = calls()
QUICK = ("field Head", "word activation", "part network", "field LayerNorm", POSITION)
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


ASKED = ["first", "last", "each", "everywhere", "together", "continues", "place", "shown", "where"]
"""What a readout is asked about its position."""


@pytest.mark.parametrize("name", ASKED)
def test_a_readout_says_nothing_of_a_position_that_nobody_described(name: str) -> None:
    """Else a new word would be the last position for all who ask whether it is the first, or at each."""
    model = plain()
    with invented(POSITION, model), pytest.raises(BadInput, match="that a readout knows; given: invented"):
        getattr(model.readout, name)


KEEPING = {
    # What they return or write has the word.
    *(f"verb {name}" for name in ("soften", "without", "patched", "with_weights", "save")),
    *(f"command {name}" for name in ("show", "explain", "report")),  # the evaluator of a page refuses the word
    *(f"compose {name}" for name in ("confident", "harden", "one_norm", "pad", "paired", "parallel", "rename")),
    *(f"compose {name}" for name in ("serial", "single_head", "soften", "widen")),
    # They read heads, units or the stream, and no answer.
    "command bound", "bound lipschitz", "format transformerlens", "the Builder", "the check by merged prefixes",
    "the check on a grid", "the count of operations", "the untying of scores", "the compiler of formulas",
    "the compiler of automata", "the compiler", "the arrays of a run", "the guarantee in floats",
}  # fmt: skip
"""The calls that may do with a position what they do with any other."""


def declined(result: object) -> bool:
    """Whether a result says no more than that there is none."""
    return (
        result is None or result is False or getattr(result, "verdict", "") == "refused" or isinstance(result, Failed)
    )


def test_a_position_that_is_none_of_the_four_is_refused(tmp_path: Path) -> None:
    """Its word is in all lists. So who asks only whether a readout is at the first position, or at each, takes it for
    the last one."""
    answered = set[str]()
    for name, (make, ask) in {**CALLS, **OF_POSITIONS}.items():
        model = make()
        with invented(DESCRIBED, model), redirect_stdout(io.StringIO()):
            if name in OF_ONE_PART:
                continue
            try:
                result = ask(model, tmp_path)
            except (BadInput, OutOfReach) as error:
                assert "invented" in str(error), (name, str(error))
                continue
        if name in {*OF_POSITIONS, "verb decide"}:
            assert declined(result), (name, result)
        else:
            answered.add(name)
    assert answered == KEEPING


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
        with pytest.raises(BadInput, match="a head must have all fields that an engine of this test needs"):
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


@pytest.mark.parametrize("name", DOMAINS)
def test_a_number_system_refuses_a_word_by_itself(name: str) -> None:
    """Its last branch is no word of its own: code that calls it need not have looked at the words before."""
    domain: Any = make_domain(name)
    given: Any = ("a", "b")
    if name == "batch":
        from symcook.domains.batch import Words

        given = Words(("a", "b"), 2)
    domain.begin(given, 1)
    # Entries that are not zero, and scores that differ.
    one, place = domain.linear([], 1), domain.positions(lowered("i"))
    with domain.context():
        with pytest.raises(BadInput, match="invented"):
            domain.activate(one, "invented")
        for queries, keys in (([], []), ([one], [place])):
            with pytest.raises(BadInput, match="invented"):
                domain.attend(queries, keys, [place], Mask.NONE, "invented", 1)


def test_a_number_system_inherits_a_refusal_of_what_it_has_not() -> None:
    system: Any = Positions()
    for ask in (
        lambda: system.activate([], "relu"),
        lambda: system.layer_norm([], 1, "refuse"),
        lambda: system.attend([], [], [], Mask.NONE, "average", 1),
        lambda: system.distribution([]),
    ):
        with pytest.raises(BadInput, match="the number system must support"):
            ask()


def test_a_part_of_another_kind_is_refused_where_a_field_is_read() -> None:
    with pytest.raises(BadInput, match="the field mask was read from a part whose kind lacks it"):
        _ = Gate().mask  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = Gate().no_field_of_any_kind  # type: ignore[attr-defined]


READERS: dict[str, Callable[[Any], Any]] = {
    "onnx": onnx_graph.graph,
    "torch": lambda m: torch_code.code(m, "m", "0" * 64),
    "transformerlens": lambda m: lens.Lens(m).state(),
    "the bound on overflow": lambda m: guarantee.greatest(m, 2),
    "the script": lambda m: run_npz.evaluate(m, m["embedding"]),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("key", ["step2.gate", "step1.head1.slope", "step1.head2.Q"])
def test_an_array_that_is_not_read_is_refused(name: str, key: str) -> None:
    """A reader that goes by the keys that it knows would leave a part out without a word."""
    archive = arrays(plain(), "float32", 3)
    READERS[name](archive)
    with pytest.raises((BadInput, run_npz.Unknown), match=re.escape(key)):
        READERS[name](archive | {key: np.ones((3, 3), np.float32)})


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("key", ["step2.activation", "step1.head1.mask", "step1.head1.weighting"])
def test_a_word_of_an_archive_that_means_nothing_is_refused(name: str, key: str) -> None:
    archive = arrays(plain(), "float32", 3)
    with pytest.raises((BadInput, run_npz.Unknown), match="invented"):
        READERS[name](archive | {key: np.array("invented")})


ANSWERING: dict[str, Callable[[Any], Any]] = {
    "onnx": onnx_graph.graph,
    "torch": lambda m: torch_code.code(m, "m", "0" * 64),
    "transformerlens": lambda m: lens.code(m, "m", "0" * 64),
    "the script": lambda m: run_npz.verdicts(m, run_npz.evaluate(m, m["embedding"])),
}


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize("key", ["readout.kind", "readout.position"])
def test_a_word_of_the_readout_of_an_archive_that_means_nothing_is_refused(name: str, key: str) -> None:
    """The code for torch and TransformerLens was written with any position in it."""
    archive = arrays(plain(), "float32", 3)
    with pytest.raises((BadInput, run_npz.Unknown), match="invented"):
        ANSWERING[name](archive | {key: np.array("invented")})


READ = {"sublayers", "layers"}
OWN = {  # files that go over layers of what they have made themselves, or of families, not of a model that was given
    "model/plainfamily.py", "model/instance.py", "model/family.py", "model/parts.py", "model/transformer.py",
    "model/reads.py", "report/construction.py", "report/where.py", "recipes/feedforward/gelu.py",
    "recipes/feedforward/linear.py", "cli/families.py", "cli/compile.py", "papers/yang2026/figures.py",
    "export/lens.py", "export/reading.py", "bounds/theorem26.py", "bounds/error.py", "coq/models.py", "closed.py",
    "walk.py", "compilers/turing.py",
}  # fmt: skip


def test_code_goes_over_the_layers_of_a_model_only_through_what_it_reads() -> None:
    """`model.layers` and `model.sublayers` are taken of `READS.of(model)` (in one file there are two), or counted."""
    root = Path(sc.__file__).parent
    wrong = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name in OWN or name.startswith(("proof/", "_proofs/")):  # an installed package holds the folder proofs too
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
            through = isinstance(of, ast.Call) and ast.unparse(of.func) in ("READS.of", "TEMPERED.of", "load")
            if not through and ast.unparse(of) not in ("self", "family", "part"):
                wrong.append(f"{name}:{node.lineno} {ast.unparse(node)}")
    assert not wrong, os.linesep.join(wrong)


COPYING = {  # they write the word into a document, compare it with that of another readout, or are about families
    "model/modelfile.py", "export/archive.py", "report/page/describe.py", "compose/stacking.py",
    "proof/bridges/bridge.py", "report/construction.py",
}  # fmt: skip


def test_code_asks_a_readout_where_it_looks_and_does_not_read_the_word() -> None:
    root = Path(sc.__file__).parent
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    found = {name for name, text in texts.items() if re.search(r"readout\.position(?![\"'])", text)}
    assert found == COPYING
