"""Own claims about models that refuse some of their inputs: such an input neither refutes a claim nor meets a premise.

Whether an input has a run is asked of `forward`; what is proved is asked of both checkers.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT

from symcook.errors import BadInput, Rejected
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import replay
from symcook.proof.search import prooftext
from symcook.proof.search.elaborate import StepGap
from symcook.proof.statements import certify

WORDS = {"a": {"v": 1, "u": 1}, "b": {"v": 1, "u": -1}}
SIGNS = {"a": {"v": 1}, "b": {"v": -1}}


def normed(words: Any = None) -> Transformer:
    """Norms of (v, u), which are equal at a: there the norm refuses."""
    block = FeedForward(("v",), ("v",), [[1]], [0], [[0]], [0])
    layer = Layer(None, block, (), (LayerNorm(("v", "u")),), "post")
    embedding = Embedding(Space(("v", "u")), words=words or WORDS)
    return Transformer("m", embedding, (layer,), Readout("sign", "last", ("v",), [[1]]))


def attending(most: int | None = None, **head: Any) -> Transformer:
    one = Head(("v",), ("y",), **{"Q": [[0]], "K": [[0]], "V": [[1]], **head})
    embedding = Embedding(Space(("v", "y")), words=SIGNS)
    layers, readout = (Layer(SelfAttention((one,))),), Readout("sign", "last", ("y",), [[1]])
    return Transformer("m", embedding, layers, readout, max_length=most)


def warm(temperature: str) -> Transformer:
    return attending(Q=[[1]], K=[[1]], weighting="softmax", temperature=temperature)


def document(model: Transformer) -> Any:
    return json.loads(modelfile.dumps(model))


REFUTED = {
    "zero variance": (normed(), "accept", "a", "  witness 1; i. 0; i. 1; i. 1; i. 1; i. 1; i. 0; i. -5; i. 7\n"),
    "a temperature below zero": (
        warm("n - 5/2"),
        "n <= 3 -> 0 <= y(n)*v(n)",
        "ab",
        "  big: 1 + 2 <= exp(2) by exp_ge(2)\n  tiny: 0 < exp(-2) by exp_pos(-2)\n  one: exp(-2)*exp(2) = 1\n"
        "  mul: 0 <= exp(-2)*(exp(2) - 3) by big, tiny\n  small: exp(-2) < exp(2) by mul, one, big\n"
        "  whole: 0 < exp(2) + exp(-2) by big, tiny\n"
        "  neg: 0 < (exp(2) - exp(-2))/(exp(2) + exp(-2)) by small, whole\n"
        "  witness 2; i. I[i = 2]; i. I[i = 1] - I[i = 2]; "
        "i. (exp(-2*(2*I[i = 1] - 1)) - exp(2*(2*I[i = 1] - 1)))/(exp(2) + exp(-2))\n  qed by neg\n",
    ),
    "too long": (attending(2), "n <= 2", "aaa", "  witness 3; i. 0; i. 1; i. 1\n"),
}


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("kind", REFUTED)
def test_no_input_without_a_run_refutes(kind: str) -> None:
    """Each of these texts was accepted by both checkers."""
    model, sentence, word, proof = REFUTED[kind]
    with pytest.raises(BadInput):
        model.run(word)
    with pytest.raises((StepGap, Rejected)) as error:
        certify.prove(certify.claim(document(model), sentence), prooftext.read(f"refutation own.m\n{proof}"))
    assert "still to show: " in str(error.value)


def test_no_input_without_a_run_meets_a_premise() -> None:
    """Every word of this model meets zero variance; a claim about it was PROVED with such a word for H."""
    model = normed({"a": {"v": 1, "u": 1}, "b": {"v": 2, "u": 2}})
    for word in (w for n in (1, 2, 3) for w in itertools.product("ab", repeat=n)):
        with pytest.raises(BadInput):
            model.run(word)
    text = "proof own.m\n  given .. some string (..)\n  qed\n"
    text += "inhabited\n  witness {}; i. 0; i. 1; i. 1; i. 1; i. 1; i. 0; i. 5; i. 0\n"
    for n in (0, 1):
        with pytest.raises((StepGap, Rejected)):
            certify.prove(certify.claim(document(model), "0 < y1_v(n) -> accept"), prooftext.read(text.format(n)))


def twice_judged(statement: Any, certificate: Any, folder: Path) -> None:
    """PROVED by both checkers."""
    lemmas = {n: replay.statements()[n] for n in certificate["lemmas"]}
    assert replay.judge(statement, certificate, lemmas)[0] == "PROVED"
    (folder / "statement.txt").write_text(certify.expanded(statement, certificate), encoding="utf-8")
    path = folder / "own.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    below = [ROOT / "proofs" / "certificates" / f"{name}.json" for name in certify.below(certificate)]
    asked = [sys.executable, "-I", str(ROOT / "proofs" / "checker.py"), str(folder / "statement.txt"), *map(str, below)]
    done = subprocess.run([*asked, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and f"PROVED   {statement.id} " in done.stdout, done.stdout + done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("position", ["2^-i", "1/2^i"])
@pytest.mark.layer_two(every=2)
def test_a_falling_power_is_defined(position: str, tmp_path: Path) -> None:
    """D found pow(2, -i) undefined, so that nothing could be said of such a model."""
    head = Head(("v",), ("y",), Q=[[0]], K=[[0]], V=[[1]])
    embedding = Embedding(Space(("v", "p", "y")), words=SIGNS, positions={"p": position})
    readout = Readout("sign", "last", ("y",), [[1]])
    model = Transformer("m", embedding, (Layer(SelfAttention((head,))),), readout)
    for sentence in ("1 <= n", "0 < p(1) & (2 <= n -> p(2) = 1/4)"):
        statement = certify.claim(document(model), sentence)
        twice_judged(statement, certify.prove(statement), tmp_path)
    with pytest.raises(StepGap):
        certify.prove(certify.claim(document(model), "p(1) < 1/2"))


@pytest.mark.sweep
def test_what_all_runs_have_is_proved(tmp_path: Path) -> None:
    """The greatest length is a premise; a temperature above zero says which lengths there are."""
    statement = certify.claim(document(attending(2)), "n <= 2")
    twice_judged(statement, certify.prove(statement), tmp_path)  # in a hundredth of a second
    assert certify.certified(document(attending(2)), "n <= 1", seconds=2) is None
    text = "proof own.m\n  given .. some string (cold v_is y_is)\n  qed by cold\n"
    text += "inhabited\n  witness 3; i. 0; i. 1; i. 1\n  qed by exp_pos(2)\n"
    statement = certify.claim(document(warm("n - 5/2")), "3 <= n")
    twice_judged(statement, certify.prove(statement, prooftext.read(text)), tmp_path)
