"""An archive as plain PyTorch code beside its state dict: an `nn.Module` that needs PyTorch only.

The code is a template (`HEAD`) whose fields are filled from the archive: names, the parameters, the lines of the
forward pass step by step, and the readout. The code knows the hash of its weights and refuses others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pprint import pformat
from textwrap import indent
from typing import TYPE_CHECKING, Any

from symcook.errors import chosen
from symcook.export.archive import Archive, ArraysRead, has_network, numbered, reach
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    Rotate,
    ScaleEntries,
    unknown_step,
)

if TYPE_CHECKING:
    import numpy as np

HEAD = '''"""{title}

Written by symcook for the weights in {weights}; certified in {certificate}. Use it as

    model = load()                       # an nn.Module with the weights, in {dtype}
    z = model(tokens({example}))         # the residual stream at the end, (1, n, {d})
    print(model.answer(z))

or from a shell: python {code} {shell}. Lengths count the tokens that the model adds{adds}.
"""

import hashlib
import math
import sys
from pathlib import Path

import torch
from torch import nn

WEIGHTS = Path(__file__).with_name({weights!r})
SHA256 = {sha256!r}
DTYPE = torch.{dtype}
{constants}

def attend(x, Q, K, V, mask, weighting, factor=None):
    """What a head adds to the stream: x is (B, n, r), Q and K (key, r), V (d, r), factor (n)."""
    return mixed(x @ Q.T, x @ K.T, x @ V.T, mask, weighting, factor)


def mixed(q, k, v, mask, weighting, factor=None, slope=None):
    """The values v mixed by the scores of queries q and keys k, and of slope times the index of a key."""
    n = v.shape[1]
    i, j = torch.arange(n)[:, None], torch.arange(n)[None, :]
    seen = {{
        "none": i == i + 0 * j, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i
    }}[mask]
    s = q @ k.transpose(1, 2)
    if slope is not None:
        s = s + slope * torch.arange(n).to(v.dtype)[None, :]
    if factor is not None:
        if bool(((factor < 0) | torch.isinf(factor)).any()):  # 0 is an infinite temperature
            raise ValueError(f"a temperature must be positive; given: at length {{n}} it is not.")
        s = s * factor[:, None]
    top = s.masked_fill(~seen, -math.inf).amax(dim=2, keepdim=True)
    top = torch.where(seen.any(dim=1)[:, None], top, torch.zeros_like(top))
    below = torch.zeros_like(top)
    if weighting == "softmax-plus-one":  # as one more position, with the score and the value 0
        top = -torch.minimum(-top, torch.zeros_like(top))
        below = torch.exp(-top)
    if weighting in ("softmax", "softmax-plus-one"):
        a = torch.exp(torch.minimum(s - top, torch.zeros_like(s))) * seen
    else:
        a = (s == top) & seen
        if weighting == "leftmost":
            a = a & (a.cumsum(dim=2) == 1)
        elif weighting == "rightmost":
            a = a & (a.flip(2).cumsum(dim=2).flip(2) == 1)
        elif weighting != "average":
            raise ValueError(f"unknown weighting: {{weighting}}")
        a = a.to(v.dtype)
    total = a.sum(dim=2, keepdim=True) + below
    return (a @ v) / torch.where(total == 0, torch.ones_like(total), total)  # a row that sees nothing is zero


def normed(z, gain, bias, epsilon, P=None, refuse=True):
    """gain (x - mean)/sqrt(variance + epsilon) + bias of x = P z; at a root of 0, ValueError (refuse) or the bias."""
    x = z if P is None else z @ P.T
    x = x - x.mean(dim=2, keepdim=True)
    total = (x * x).mean(dim=2, keepdim=True) + epsilon
    if refuse and bool((total == 0).any()):
        given, index = (total == 0).nonzero()[0, :2].tolist()
        must = "a layer norm with epsilon = 0 must meet a variance above zero"
        raise ValueError(f"{{must}}; given: zero at index {{index}} of input {{given}}; set an epsilon above 0.")
    return x / torch.sqrt(torch.where(total == 0, torch.ones_like(total), total)) * gain + bias
{rms_normed}{turned}

def activate(x, kind):
    if kind == "relu":
        return torch.relu(x)
    if kind == "step":
        return (x > 0).to(x.dtype)
    if kind == "gelu":
        return x * (0.5 * torch.special.erfc(-x / math.sqrt(2)))
    if kind == "gelu-tanh":
        return x * (0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    if kind == "gelu-sigmoid":
        return x * (1 / (1 + torch.exp(-1.702 * x)))
    if kind == "silu":
        return x * (1 / (1 + torch.exp(-x)))
    raise ValueError(f"unknown activation: {{kind}}")


class Weights(nn.Module):
    """Named parameters of given shapes."""

    def __init__(self, **shapes):
        super().__init__()
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape, dtype=DTYPE)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
{init}

    def forward(self, given):
        """The residual stream at the end (B, n, {d}) of {given}."""
{forward}
        return z

    def answer(self, z):
        """What the model says for the first input of a batch: the answers, or the shown values by name."""
        shown = {{"first": z[0, :1], "last": z[0, -1:], "each": z[0], "all": z[0]}}[POSITION]
{readout}


def load():
    """The model with its weights, which must be those that the certificate speaks of."""
    data = WEIGHTS.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{{WEIGHTS}} is not the file that this code was written for: a byte of it has changed")
    model = Model()
    model.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return model.eval()


{tokens}
{decode}
if __name__ == "__main__":{decoding}
    if len(sys.argv) != 2:
        sys.exit("give one input")
    model = load()
    try:
        with torch.no_grad():
            said = model.answer(model(tokens(sys.argv[1])))
    except ValueError as error:  # an input without a run, or rows that are no numbers
        sys.exit(str(error))
    print(*said if isinstance(said, list) else [said])
'''

_WORDS = '''def tokens_of_text(text, symbols, alphabet=()):
    """The tokens of a text: those between its spaces, one a character, or the text as one token. A text with two
    readings is refused. Tokens of `alphabet` count where `symbols`, the tokens of inputs, give no reading."""
    by_spaces, by_characters = text.split(), list(text)
    for tokens in symbols, alphabet:
        readings = [r for r in (by_spaces, by_characters) if r and set(r) <= set(tokens)]
        if len(readings) == 2 and by_spaces != by_characters:
            sys.exit(f"text must have only one reading as a string of tokens; given: {text}; put spaces between tokens")
        if readings and not (by_characters in readings and any(len(t) > 1 and t in text for t in tokens)):
            return readings[0]
    spelled = all(len(token) == 1 for token in symbols)
    return by_characters if spelled or not by_spaces else by_spaces


def tokens(word):
    """The numbers of the tokens of one input (1, n), with those that the model adds; a list of tokens, or text."""
    typed = [t for t in VOCABULARY if t not in (BEFORE, AFTER)]
    if isinstance(word, str):
        word = tokens_of_text(word, INPUT_SYMBOLS, typed)
    for t in word:
        if t not in typed:
            sys.exit(f"every symbol must be one of {' '.join(typed)}: {t}")
    found = [t for t in [BEFORE, *word, AFTER] if t]
    if not found:
        sys.exit("an input must have at least one symbol")
    return torch.tensor([[VOCABULARY.index(t) for t in found]])
'''

ROWS = '''def tokens(rows):
    """The inputs of one sequence (1, n, inputs): rows of numbers, or text such as "1,2; 3,4"."""
    if isinstance(rows, str):
        rows = [[float(v) for v in row.split(",")] for row in rows.split(";")]
    if any(len(row) != len(INPUTS) for row in rows):
        sys.exit(f"every row must have {len(INPUTS)} numbers: {', '.join(INPUTS)}")
    found = torch.tensor([[list(map(float, row)) for row in rows]], dtype=torch.float64).to(DTYPE)
    if not all(abs(v) < float("inf") for row in found.tolist()[0] for v in row):
        sys.exit(f"every number must be finite in the format {DTYPE}: {rows}")
    return found
'''

DECODE = '''
def refuse(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def decode(word, steps):
    """Print the tokens that the model goes on with behind a word, at most so many; 0 at the end of the run, else 3.
    More steps than any runtime gets right behind a word of this length are refused, with exit code 2."""
    word = tokens_of_text(word, LETTERS)
    for letter in word:
        if letter not in LETTERS:
            refuse(f"every letter must be one of {' '.join(LETTERS) or 'none'}; given: {letter}.")
    if len(word) >= len(CERTAIN):
        must = f"a word must have at most {len(CERTAIN) - 1} letters, to which steps are certified"
        refuse(f"{must}; given: {len(word)}; export again with a larger --max-length.")
    most = CERTAIN[len(word)]
    if not (steps.isascii() and steps.isdigit() and len(steps) < 19 and int(steps) <= most):
        must = f"a run behind a word of length {len(word)} must have at most {most} steps, which any runtime gets right"
        refuse(f"{must}; given: {steps}; give {most}, or export again with more --steps or a wider --dtype.")
    model, steps, said = load(), int(steps), []
    for position in range(len(word) + 1, len(word) + most + 1):
        found = [VOCABULARY.index(t) for t in [BEFORE, *word, *said] if t]
        with torch.no_grad():
            label = model.answer(model(torch.tensor([found])))[-1]  # behind the whole word
        if ENDS[label] == 2:
            return 0
        if position > len(word) + steps:
            break
        print(f"{position:>6}  {NAMES[label]}", flush=True)
        if ENDS[label]:
            return 0
        said.append(label)
    known = "before the end" if steps < most else "and the next answer is not certain"
    print(f"stopped at the limit of {steps} steps, {known}", file=sys.stderr)
    return 3

'''

DECODING = """
    if len(sys.argv) == 4 and sys.argv[2] == "--steps":
        sys.exit(decode(sys.argv[1], sys.argv[3]))"""

ENGINE = "the torch code"
"""How messages call this module."""
RMS_NORMED = '''

def rms_normed(z, gain, epsilon, P=None, refuse=True):
    """gain x/sqrt(mean of squares + epsilon) of x = P z; at a root of 0, ValueError (refuse) or zeros."""
    x = z if P is None else z @ P.T
    total = (x * x).mean(dim=2, keepdim=True) + epsilon
    if refuse and bool((total == 0).any()):
        given, index = (total == 0).nonzero()[0, :2].tolist()
        must = "an RMS norm with epsilon = 0 must meet a mean square above zero"
        raise ValueError(f"{must}; given: zero at index {index} of input {given}; set an epsilon above 0.")
    return x / torch.sqrt(torch.where(total == 0, torch.ones_like(total), total)) * gain
'''
TURNED = '''

def turned(x, cos, sin):
    """The pairs k, k + h of 2 h entries, turned by angles with these cosines and sines (n, h)."""
    first, second = x[:, :, : cos.shape[1]], x[:, :, cos.shape[1] :]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=2)
'''
WORDS_KNOWN = {
    "mask": ("none", "future", "strict-future", "past", "strict-past"),
    "weighting": ("average", "softmax", "softmax-plus-one", "leftmost", "rightmost"),
    "activation": ("relu", "step", "gelu", "gelu-tanh", "gelu-sigmoid", "silu"),
    "zero_variance": ("refuse", "zero"),
    "readout.kind": ("sign", "zero", "largest", "distribution", "value"),
    "readout.position": ("first", "last", "each", "all"),
}
"""The words that the code means something by."""
READOUTS = {
    "sign": """    yes = (shown @ self.readout.weights > 0).tolist()
    return all(yes) if POSITION == "all" else yes""",
    "zero": """    yes = (shown[:, [COORDINATES.index(c) for c in READS]] == 0).all(dim=1).tolist()
    return all(yes) if POSITION == "all" else yes""",
    "largest": "    return [LABELS[k] for k in (shown @ self.readout.weights.T).argmax(dim=1).tolist()]",
    "distribution": """    scores = shown @ self.readout.weights.T
    weights = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    weights = weights / weights.sum(dim=1, keepdim=True)
    return {label: weights[:, k].tolist() for k, label in enumerate(LABELS)}""",
    "value": "    return {c: shown[:, COORDINATES.index(c)].tolist() for c in READS}",
}


def words_code(symbols: str = "typed") -> str:
    """The functions that read text, where `symbols` is the name of the symbols that an input may have."""
    return _WORDS.replace("INPUT_SYMBOLS", symbols)


def tensors(m: Archive) -> dict[str, Any]:
    """The float arrays of an archive, which are the entries of the state dict."""
    return {key: array for key, array in m.items() if array.dtype.kind == "f"}


def code(m: Archive, stem: str, sha256: str) -> str:
    """The text of the module for an archive whose state dict is in ``stem.pt``."""
    # The template's fields: names, constants, the parameters and the forward pass as lines of code.
    m = ArraysRead(m, ENGINE)
    weights, words, forward = tensors(m), bool(len(m["vocabulary"])), list(_forward(m))
    m.read |= {name.removesuffix(".T") for name in re.findall(r"self\.([\w.]+)", "\n".join(forward))}
    m.all_read()
    added = [str(m[key]) for key in ("before", "after") if str(m[key])]
    return HEAD.format(
        title=f"The transformer {plain(str(m['name']))}.",
        weights=f"{stem}.pt",
        certificate=f"{stem}.pt.certificate.json",
        code=f"{stem}.py",
        dtype=str(m["dtype"]),
        example=example(m),
        shell="WORD" if words else "ROWS",
        d=len(m["coordinates"]),
        adds=f" ({plain(', '.join(added))})" if added else ", of which there are none",
        sha256=sha256,
        constants="\n".join(constants(m)) + "\n",
        turned=TURNED if any("turned(" in line for line in forward) else "",
        rms_normed=RMS_NORMED if any("rms_normed(" in line for line in forward) else "",
        init="\n".join(f"        {line}" for line in _init(m, weights)),
        forward="\n".join(f"        {line}" for line in forward),
        given="token numbers (B, n)" if words else "rows of inputs (B, n, inputs)",
        tokens=words_code("LETTERS" if "decoding.letters" in m else "typed") if words else ROWS,
        decode=DECODE if "decoding.steps" in m else "",
        decoding=DECODING if "decoding.steps" in m else "",
        readout=indent(READOUTS[_known("readout.kind", str(m["readout.kind"]))], "    "),
    )


def _known(field: str, word: str) -> str:
    """A word in a field; BadInput where the code means nothing by it."""
    return chosen(ENGINE, field.rpartition(".")[2].replace("_", " "), word, {one: one for one in WORDS_KNOWN[field]})


def plain(text: str) -> str:
    """`text` without backslashes and triple quotes, so that a docstring may contain it."""
    return text.replace("\\", "/").replace('"""', "'" * 3)


def constants(m: Archive) -> list[str]:
    """The assignments of the module's constants, as lines of code."""
    words = bool(len(m["vocabulary"]))
    names = {"COORDINATES": "coordinates", "READS": "readout.reads"}
    names |= {"VOCABULARY": "vocabulary"} if words else {"INPUTS": "inputs"}
    names |= {"LABELS": "readout.labels"} if "readout.labels" in m else {}
    lines = [f"{name} = {pformat(m[key].tolist(), width=116, compact=True)}" for name, key in names.items()]
    lines += [f"BEFORE, AFTER = {str(m['before'])!r}, {str(m['after'])!r}"] if words else []
    if "decoding.steps" in m:
        labels = m["readout.labels"].tolist()
        decoding = {"LETTERS": m["decoding.letters"].tolist(), "CERTAIN": m["decoding.steps"].tolist()}
        decoding |= {
            name: dict(zip(labels, m[f"decoding.{name.lower()}"].tolist(), strict=True)) for name in ("NAMES", "ENDS")
        }
        lines += [f"{name} = {pformat(value, width=116, compact=True)}" for name, value in decoding.items()]
    return [*lines, f"POSITION = {_known('readout.position', str(m['readout.position']))!r}"]


def example(m: Archive) -> str:
    """An example of an input, as the code of an argument of `tokens`."""
    added = [str(m[key]) for key in ("before", "after") if str(m[key])]
    typed = [t for t in m["vocabulary"].tolist() if t not in added]
    if not len(m["vocabulary"]):
        return repr(",".join(map(str, range(len(m["inputs"])))))
    return repr(typed[0] * 2 if all(len(t) == 1 for t in typed) else typed[:1])


def _init(m: Archive, weights: Mapping[str, np.ndarray]) -> Iterator[str]:
    """The lines that declare the parameters: those without a step, then a `Weights` for each step and for each of its
    parts."""
    # A key is group.name; the group is a step or a part of a step.
    groups: dict[str, dict[str, tuple[int, ...]]] = {}
    for key, array in weights.items():
        group, _, name = key.rpartition(".")
        groups.setdefault(group, {})[name] = array.shape
    for name, shape in groups.pop("", {}).items():
        yield f"self.{name} = nn.Parameter(torch.zeros({shape}, dtype=DTYPE))"
    steps: dict[str, list[str]] = {}
    for group, shapes in groups.items():
        step, _, part = group.partition(".")
        sizes = ", ".join(f"{name}={shape}" for name, shape in shapes.items())
        if step not in steps:
            own_shapes = ", ".join(f"{n}={s}" for n, s in groups.get(step, {}).items())
            yield f"self.{step} = Weights({own_shapes})"
            steps[step] = []
        if part:
            yield f"self.{step}.{part} = Weights({sizes})"


def _forward(m: ArraysRead) -> Iterator[str]:
    """The lines of the forward pass, in the order of `run_npz.evaluate`."""
    yield "n = given.shape[1]"
    # Inputs longer than the tables are refused.
    longest = reach(m)
    if longest is not None:
        yield f"if n > {longest}:"
        must = f"an input must have length at most {longest}: the weights have tables to there"
        yield f"    raise ValueError({must!r})"
    # Tokens, or rows put at the coordinates of the inputs.
    if len(m["vocabulary"]):
        yield "z = self.embedding[given]"
    else:
        places = [m["coordinates"].tolist().index(name) for name in m["inputs"].tolist()]
        yield f"z = torch.zeros((*given.shape[:2], {len(m['coordinates'])}), dtype=DTYPE)"
        yield f"z[:, :, {places}] = given.to(DTYPE)"
    if "positions" in m:
        yield f"z = z + self.positions[{':n' if m['positions'].ndim == 2 else 'n - 1, :n'}]"
    # Each step: the norms before it, its heads or its feed-forward sublayer, and the norm after it.
    for s in range(1, int(m["steps"]) + 1):
        step, attribute = f"step{s}.", f"self.step{s}"
        yield f"# step {s}, of layer {int(m[step + 'layer'])}"
        before = numbered(m, step + "before", "gain")
        norms = [_made(m, key, m.steps(key, "norm"), "z") for key in before]
        x = "z"
        if norms:
            yield f"x = {norms[0]}" if len(norms) == 1 else f"x = torch.cat([{', '.join(norms)}], dim=2)"
            x = "x"
        heads = numbered(m, step + "head", "V")
        if heads:
            calls = [_made(m, key, m.steps(key, "head"), x) for key in heads]
            yield "z = z + " + "\\\n            + ".join(calls)
        if has_network(m, step):
            match m.steps(step, "network"):
                case LinearMap(of, matrix, bias):
                    yield f"h = {_made(m, step, of, x)}"
                    yield f"z = z + h @ {attribute}.{matrix}.T" + (f" + {attribute}.{bias}" if bias else "")
                case other:
                    unknown_step(ENGINE, other)
        if step + "after.gain" in m:
            yield f"z = {_made(m, step + 'after.', m.steps(step + 'after.', 'norm'), 'z')}"


def _made(m: ArraysRead, key: str, step: PartStep, x: str) -> str:
    """The code of what a step makes of `x`, in the part whose arrays have the prefix `key`."""
    match step:
        case Read():
            return x
        case LinearMap(of, matrix, bias):
            product = f"{_made(m, key, of, x)} @ self.{key}{matrix}.T"
            return product if bias is None else f"{product} + self.{key}{bias}"
        case Activate(of, kind):
            return f"activate({_made(m, key, of, x)}, {_known('activation', kind)!r})"
        case Multiply(left, right):
            return f"(({_made(m, key, left, x)}) * ({_made(m, key, right, x)}))"
        case Rotate(of, _):
            tables = ", ".join(f"self.{key}{name}[:n]" for name in ("cos", "sin"))
            return f"turned({_made(m, key, of, x)}, {tables})"
        case ScaleEntries(DivideByRms(Centre(of), epsilon, zero), gain, str(bias)):
            function, numbers = "normed", (gain, bias, epsilon)
        case ScaleEntries(DivideByRms(of, epsilon, zero), gain, None):
            function, numbers = "rms_normed", (gain, epsilon)
        case Attend(
            Products(LinearMap(Read(), queries, None), LinearMap(Read(), keys, None), "scale", "temperature"),
            LinearMap(Read(), values, None),
            mask,
            weighting,
        ):
            names = ", ".join(f"self.{key}{name}" for name in (queries, keys, values))
            return f"attend({x}, {names}, {_rule(m, key, mask, weighting)})"
        case Attend(scores, values, mask, weighting):
            return _mixed(m, key, x, scores, values, mask, weighting)
        case _:
            unknown_step(ENGINE, step)
    arguments = [f"self.{key}{name}" for name in numbers]
    match of:
        case LinearMap(Read(), projection, None):
            arguments.append(f"P=self.{m.array(key, projection)}")
        case Read():
            pass
        case LinearMap(Read(), _, str(_)):  # queries or keys
            x = _made(m, key, of, x)
        case _:
            unknown_step(ENGINE, of)
    if _known("zero_variance", zero) == "zero" or m[key + epsilon] > 0:
        arguments.append("refuse=False")
    return f"{function}({x}, {', '.join(arguments)})"


def _mixed(
    m: ArraysRead, key: str, x: str, scores: Products | ByDistance, values: PartStep, mask: str, weighting: str
) -> str:
    """The code of a head with more than matrices."""
    match scores:
        case Products(queries, keys, "scale", "temperature"):
            slope = ""
        case ByDistance(Products(queries, keys, "scale", "temperature"), name):
            slope = "" if m[key + name] == 0 else f", slope=self.{key}{name}"
        case _:
            unknown_step(ENGINE, scores)
    sides = ", ".join(_made(m, key, side, x) for side in (queries, keys, values))
    return f"mixed({sides}, {_rule(m, key, mask, weighting)}{slope})"


def _rule(m: ArraysRead, key: str, mask: str, weighting: str) -> str:
    """The mask, the weighting and the factor of a head, as arguments."""
    arguments = [repr(_known("mask", mask)), repr(_known("weighting", weighting))]
    if key + "factor" in m:
        arguments.append(f"self.{key}factor[{':n' if m[key + 'factor'].ndim == 1 else 'n - 1, :n'}]")
    return ", ".join(arguments)
