"""Run exported weights with numpy alone: ``python run_npz.py m.npz "(())"``, rows of numbers as ``"1,2; 3,4"``.

A decoder of an automaton or a machine continues after a string with ``--steps T``: exit 0 at the end of the run, 3 at
the limit, 2 where T is more than what the archive has for strings of that length, up to which any runtime is right.
Exit 2 for what cannot be run, 1 where the weights or their certificate are not as they were written. A note on stderr
says where the certificate does not guarantee every answer at the length of the input, or is not about this input.

The same file is symcook/export/run_npz.py, so that ``python -m symcook.export.run_npz m.npz "(())"`` runs it too, and
its functions are what `symcook.export.archive` takes for many inputs; it needs nothing of symcook. Operations stand in
the order of the error model of an export: scores are multiplied by their factor, softmax subtracts the largest score
first and divides once, after the sum.
"""

import hashlib
import io
import json
import math
import os
import re
import stat
import sys
import zipfile
from pathlib import Path

import numpy as np

MOST_BYTES = 10**9
"""The greatest size of a file, packed and unpacked."""
MOST_STEPS = 10_000
"""The greatest number of sublayers of a model."""


def content(path):
    """The bytes of a regular file; OSError for a pipe, which may never end, for a device, and for what is too large."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("it is a pipe or a device, not a file")
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(f"it has more than {MOST_BYTES:,} bytes")
    return data


def arrays(data):
    """The arrays in the bytes of an npz file. ValueError where two have one name, of which programs read different
    ones, and where they would take too much memory, when unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if len(set(packed.namelist())) < len(packed.namelist()):
            raise ValueError("two of its arrays have one name")
        if sum(entry.file_size for entry in packed.infolist()) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES:,} bytes when it is unpacked")
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        return dict(opened)


def check(path):
    """A warning or None, the certificate ({} where there is none or only one of a claim), and the bytes of the archive.
    The program ends with a message and exit code 1 where a byte of the archive or of its certificate has changed."""
    certificate = Path(path).with_suffix(".certificate.json")
    data = content(path)
    text = content(certificate) if certificate.exists() else b"{}"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    # No certificate is only a warning; so is one of a claim, which says nothing of weights.
    if document == {} or (isinstance(document, dict) and "proof" in document and "files" not in document):
        of = ", but one of a claim" if document else ""
        return f"no certificate next to {path}{of}: nothing says that its weights are as they were written", {}, data
    # The last entry of a certificate is its own hash, computed with zeros in that place.
    own = re.search(rb'"certificate_sha256": "([0-9a-f]{64})"\n}\n\Z', text)
    if (
        not isinstance(document, dict)
        or not own
        or hashlib.sha256(text[: own.start(1)] + b"0" * 64 + text[own.end(1) :]).hexdigest() != own[1].decode()
    ):
        sys.exit(f"{certificate} has been changed since it was written")
    if hashlib.sha256(data).hexdigest() != document.get("weights_sha256"):
        sys.exit(f"{path} has been changed, or is not the file that {certificate} speaks of")
    return None, document, data


def note(certificate, n, typed=()):
    """The warning on an answer to n tokens, added tokens included, of which `typed` are those of the user; None where
    the certificate guarantees all these answers, or says nothing of answers."""
    known = certificate.get("guaranteed", {})
    if known.get("length") is None:
        return None
    if not any(low <= n <= high for low, high in known["ranges"]):
        n -= known["added_tokens_counted"]
        return f"the certificate does not guarantee every answer at length {n}: the exact one may be another"
    if not covers(certificate.get("language", {}), list(typed)):
        return f"the certificate is about {certificate['inputs']} only: for this input the exact answer may be another"
    positions = certificate.get("positions", "all")
    if positions != "all":
        return f"the certificate is about answers at positions {positions} only: exact ones elsewhere may be others"
    return None


def covers(language, typed):
    """Whether the strings that a certificate is about have this one among them."""
    if "strings" in language:
        return typed in language["strings"]
    if "automaton" in language:
        table = language["automaton"]
        state = table["initial_state"]
        for token in typed:
            state = table["transitions"][state][token]
        return state in table["final_states"]
    return True


def refuse(text):
    """Print a message and end with exit code 2."""
    print(text, file=sys.stderr)
    sys.exit(2)


class Unknown(ValueError):
    """Raised for a name in an archive that means nothing, and for too many steps."""


class Noted(dict):
    """Arrays by name; `read` has the names of those that were read."""

    def __init__(self, m):
        super().__init__(m)
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)


def one_of(kinds, name):
    """kinds[name]; Unknown where there is no such name."""
    if str(name) not in kinds:
        raise Unknown(f"unknown name in the archive: {name}")
    return kinds[str(name)]


def at_length(table, n, axes):
    """The part of a table for inputs of length `n`; one with more than `axes` axes has a part for each length."""
    return table[:n] if table.ndim == axes else table[n - 1, :n]


def end(must, given, do=""):
    """Refuse an input that has no run."""
    refuse(f"{must}; given: {given}{do and '; '}{do}.")


@np.errstate(invalid="ignore")  # libraries for products may raise this flag though all is valid
def evaluate(m, z, stop=end):
    """The residual stream at the end, for embedded inputs z (..., n, d). Where one has no run, `stop` is called with
    what must hold, what is given and perhaps what to do. If it returns, a norm that refuses gives NaN, and a factor of
    scores is used as it is."""
    n, m = z.shape[-2], Noted(m)
    z = z + at_length(m["positions"], n, 2) if "positions" in m else z
    if m["steps"] > MOST_STEPS:
        raise Unknown(f"a model must have at most {MOST_STEPS:,} steps; given: {m['steps']}")
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        norms = [norm(m, key, z, stop) for key in numbered(m, step + "before", "gain")]
        x = np.concatenate(norms, axis=-1) if norms else z
        for head in numbered(m, step + "head", "V"):
            z = z + attend(m, head, x, stop)
        if step + "steps" in m:
            z = z + made(m, step, steps_of(m, step), x, stop)
        elif step + "W1" in m:
            hidden = activate(m[step + "activation"], x @ m[step + "W1"].T + m[step + "b1"])
            z = z + hidden @ m[step + "W2"].T + m[step + "b2"]
        z = norm(m, step + "after.", z, stop) if step + "after.gain" in m else z
    if left := [k for k in m.keys() - m.read if k.startswith("step") and k != "steps" and not k.endswith(".layer")]:
        raise Unknown(f"an array in the archive that no step reads: {min(left)}")
    return z


def numbered(m, stem, last):
    """The prefixes stem1., stem2., ... of the keys of the archive, up to the first without a key `last`."""
    k = 1
    while f"{stem}{k}.{last}" in m:
        yield f"{stem}{k}."
        k += 1


def steps_of(m, key):
    """The steps of a part: lists of a name and its arguments. The words of a part's fields stand in its steps too, so
    that the arrays with these words count as read."""
    m.read |= {k for k in m if k.startswith(key) and "." not in k.removeprefix(key) and m.get(k).dtype.kind == "U"}
    return json.loads(str(m[key + "steps"]))


def made(m, key, step, x, stop, product=np.matmul):
    """What a step makes of x. `product` multiplies it with matrices."""
    name, *given = step

    def inner(of):
        """What a step inside of this one makes of x."""
        return made(m, key, of, x, stop, product)

    kinds = {
        "Read": lambda: x,
        "LinearMap": lambda of, matrix, bias: product(inner(of), m[key + matrix].T) + optional(m, key, bias),
        "Activate": lambda of, kind: activate(kind, inner(of)),
        "Multiply": lambda left, right: inner(left) * inner(right),
        "ScaleEntries": lambda of, gain, bias: inner(of) * m[key + gain] + optional(m, key, bias),
        "Rotate": lambda of, _: turned(m, key, inner(of)),
        "DivideByRms": lambda of, root, zero: divided(inner(of), m[key + root], zero, stop, SQUARE),
    }
    return one_of(kinds, name)(*given).astype(x.dtype)


def turned(m, key, x):
    """The pairs k, k + h of 2 h entries, turned by the angles at each position."""
    cos, sin = (m[key + name][: x.shape[-2]] for name in ("cos", "sin"))
    first, second = x[..., : cos.shape[1]], x[..., cos.shape[1] :]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


def optional(m, key, bias):
    """The vector that a step adds; 0 where it adds none."""
    return 0 if bias is None else m[key + bias]


def norm(m, key, z, stop):
    """A layer norm of z, or of its projection; another norm by its steps."""
    if key + "steps" in m:
        return made(m, key, steps_of(m, key), z, stop)
    x = z @ m[key + "P"].T if key + "P" in m else z
    x = x - x.mean(axis=-1, keepdims=True)
    scaled = divided(x, m[key + "epsilon"], m[key + "zero_variance"], stop, VARIANCE)
    return (scaled * m[key + "gain"] + m[key + "bias"]).astype(z.dtype)


VARIANCE = "a layer norm with epsilon = 0 must meet a variance above zero"
SQUARE = "an RMS norm with epsilon = 0 must meet a mean square above zero"


def divided(x, epsilon, zero, stop, must):
    """The entries of a norm by the root of their mean square plus epsilon."""
    total = (x * x).mean(axis=-1, keepdims=True) + epsilon
    refuses, flat = one_of({"refuse": True, "zero": False}, zero), 0
    # For a norm that refuses a root of zero, `stop` is called; if it returns, the result is NaN.
    if refuses and (total == 0).any():
        *which, index = np.argwhere(total[..., 0] == 0)[0].tolist()
        of = f" of input {which[0]}" if which else ""
        stop(must, f"zero at index {index}{of}", "set an epsilon above 0")
        flat = np.nan
    return np.where(total == 0, flat, x / np.sqrt(np.where(total == 0, 1, total)))


def apart(x, w):
    """x w for each position by itself: a product of matrices may round its last rows in another way than the others,
    and hard attention sees whether equal positions have equal scores."""
    return np.matmul(w.T, x[..., None])[..., 0]


@np.errstate(over="ignore")
def compared(q, k):
    """The scores of hard attention, each summed from left to right."""
    s = q[..., :, None, 0] * k[..., None, :, 0]
    for d in range(1, q.shape[-1]):
        s = s + q[..., :, None, d] * k[..., None, :, d]
    return s


SIDES = [["LinearMap", ["Read"], name, None] for name in "QKV"]
"""The queries, keys and values of a head without steps of its own."""


def sides_of(m, head):
    """What queries, keys and values of a head are, and the name of what scores have in addition for each position; None
    where there is none."""
    if head + "steps" not in m:
        return *SIDES, None
    kind, scores, values, *_ = steps_of(m, head)
    distance = scores[0] == "ByDistance"
    products = scores[1] if distance else scores
    if kind != "Attend" or products[0] != "Products":
        raise Unknown(f"unknown steps in the archive: {head}steps")
    return *products[1:3], values, scores[2] if distance else None


def attend(m, head, x, stop):
    """The output of a head, which is added to the residual stream."""
    n, (queries, keys, values, slope) = x.shape[-2], sides_of(m, head)
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    masks = {"none": i == i, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}
    seen = one_of(masks, m[head + "mask"]) & (j == j)
    soft = {"softmax": False, "softmax-plus-one": False}
    hard = one_of(soft | {"average": True, "leftmost": True, "rightmost": True}, m[head + "weighting"])
    below = str(m[head + "weighting"]) == "softmax-plus-one"  # as one more position, with the score and the value 0
    product = apart if hard else np.matmul
    q, k = (made(m, head, side, x, stop, product) for side in (queries, keys))
    if not q.any() and np.isfinite(k).all():  # all scores are zero, and the weights are the same for all inputs
        s = np.zeros((n, n), dtype=x.dtype)
    else:
        s = compared(q, k) if hard else q @ np.swapaxes(k, -1, -2)
    if slope is not None and m[head + slope] != 0:
        s = s + m[head + slope] * np.arange(n, dtype=x.dtype)
    # The factor is scale over temperature, so a negative one is a negative temperature.
    if head + "factor" in m:
        factor = at_length(m[head + "factor"], n, 1)[:, None]
        if (factor < 0).any() or np.isinf(factor).any():  # 0 is an infinite temperature
            stop("a temperature must be positive", f"at length {n} it is not")
        s = s * factor
    # The largest visible score of each row. Softmax subtracts it; hard attention weights what reaches it.
    top = np.where(seen, s, -np.inf).max(axis=-1, keepdims=True)
    top = np.maximum(top, 0) if below else top
    best = (s == top) & seen
    kinds = {
        "average": lambda: best,
        "leftmost": lambda: best & (best.cumsum(axis=-1) == 1),
        "rightmost": lambda: best & (best[..., ::-1].cumsum(axis=-1)[..., ::-1] == 1),
        "softmax": lambda: np.exp(np.where(seen, np.minimum(s - top, 0), -np.inf)),
    }
    kinds["softmax-plus-one"] = kinds["softmax"]
    a = one_of(kinds, m[head + "weighting"])().astype(x.dtype)
    total = a.sum(axis=-1, keepdims=True) + (np.exp(-top).astype(x.dtype) if below else 0)
    return (a @ made(m, head, values, x, stop)) / np.where(total == 0, 1, total)  # a row that sees nothing is 0


def activate(kind, x):
    """The activation of hidden units, by its name."""
    kinds = {
        "relu": lambda: np.maximum(x, 0),
        "step": lambda: x > 0,
        "gelu": lambda: x * (0.5 * np.vectorize(math.erfc, otypes=[float])(-x / math.sqrt(2))),
        "gelu-tanh": lambda: x * (0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        "gelu-sigmoid": lambda: x * (1 / (1 + np.exp(-1.702 * x))),
        "silu": lambda: x * (1 / (1 + np.exp(-x))),
    }
    with np.errstate(over="ignore"):
        return one_of(kinds, kind)().astype(x.dtype)


@np.errstate(invalid="ignore")  # libraries for products may raise this flag though all is valid
def shown(m, z):
    """What the readout shows at each position (..., n, k): the coordinates that it reads, the scores of its labels, or
    their probabilities."""
    kind = one_of({k: k for k in ("value", "sign", "zero", "largest", "distribution")}, m["readout.kind"])
    if kind not in ("largest", "distribution"):
        names = list(m["coordinates"])
        return z[..., [names.index(name) for name in m["readout.reads"]]]
    scores = z @ m["readout.weights"].T
    if kind == "largest":
        return scores
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


@np.errstate(invalid="ignore")  # libraries for products may raise this flag though all is valid
def verdicts(m, z):
    """The answers of a sign, zero or largest readout (...), or (..., n) where it answers at each position. Of a largest
    readout, the index of the label."""
    kinds = {
        "sign": lambda: z @ m["readout.weights"] > 0,
        "zero": lambda: (shown(m, z) == 0).all(axis=-1),
        "largest": lambda: shown(m, z).argmax(axis=-1),
    }
    y = one_of(kinds, m["readout.kind"])()
    at = {"first": lambda: y[..., 0], "last": lambda: y[..., -1], "each": lambda: y, "all": lambda: y.all(axis=-1)}
    return one_of(at, m["readout.position"])()


def tokens_of_text(text, symbols, alphabet=()):
    """The tokens of a text: those between its spaces, one a character, or the text as one token. A text with two
    readings is refused. `symbols` are the tokens of inputs; those of `alphabet` count where `symbols` give no
    reading."""
    by_spaces, by_characters = text.split(), list(text)
    for tokens in symbols, alphabet:
        readings = [r for r in (by_spaces, by_characters) if r and set(r) <= set(tokens)]
        if len(readings) == 2 and by_spaces != by_characters:
            refuse(f"text must have only one reading as a string of tokens; given: {text}; put spaces between tokens.")
        if readings and not (by_characters in readings and any(len(t) > 1 and t in text for t in tokens)):
            return readings[0]
    spelled = all(len(token) == 1 for token in symbols)
    return by_characters if spelled or not by_spaces else by_spaces


def decode(m, given, steps):
    """Print the tokens that the model continues with after a string, at most `steps` (a text). Returns the exit code: 0
    at the end of the run, 3 at the limit."""
    # Refuse weights that are not those of a decoder, and steps and strings that are not certified.
    if "decoding.steps" not in m:
        refuse(
            "the weights must be those of a decoder of an automaton or a Turing machine; given: others; leave "
            "--steps out."
        )
    if not re.fullmatch("[0-9]{1,18}", steps):
        refuse(f"the number of steps must be an integer of at least 0; given: {steps or 'nothing'}.")
    letters, certain, steps = m["decoding.letters"].tolist(), m["decoding.steps"].tolist(), int(steps)
    word = tokens_of_text(given, letters)
    for letter in word:
        if letter not in letters:
            refuse(f"every symbol must be one of {' '.join(letters) or 'none'}; given: {letter}.")
    if len(word) >= len(certain):
        must = f"a string must have at most {len(certain) - 1} symbols, to which steps are certified"
        refuse(f"{must}; given: {len(word)}; export again with a larger --max-length.")
    most = certain[len(word)]
    if steps > most:
        must = (
            f"a run after a string of length {len(word)} must have at most {most} steps, which any runtime gets right"
        )
        refuse(f"{must}; given: {steps}; give --steps {most}, or export again with more --steps or a wider --dtype.")
    # One token in each round. By "decoding.ends", the run continues after a label (0), ends with it (1), or ends
    # without printing it (2).
    vocabulary, labels = list(m["vocabulary"]), m["readout.labels"].tolist()
    tokens = [t for t in [str(m["before"]), *word] if t]
    for position in range(len(word) + 1, len(word) + most + 1):
        z = evaluate(m, m["embedding"][[vocabulary.index(t) for t in tokens]])
        k = int(shown(m, z)[-1].argmax())
        ends = int(m["decoding.ends"][k])
        if ends == 2:
            return 0
        # At the limit the model is asked once more, since the run may just be over.
        if position > len(word) + steps:
            break
        print(f"{position:>6}  {m['decoding.names'][k]}", flush=True)
        if ends:
            return 0
        tokens.append(labels[k])
    known = "before the end" if steps < most else "and the next answer is not certain"
    print(f"stopped at the limit of {steps} steps, {known}", file=sys.stderr)
    return 3


DAMAGED = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, MemoryError)
"""The errors that arrays raise that do not fit together."""


def main(path, given, steps=None):
    """Print what the model says about one input, as ``symcook run --domain float64`` does."""
    try:
        warning, certificate, data = check(path)
        m = arrays(data)
        if not {"coordinates", "vocabulary"} <= m.keys():
            raise KeyError("coordinates")
    except (OSError, *DAMAGED, EOFError, zipfile.BadZipFile) as error:
        why = error if isinstance(error, OSError) else "it is no whole npz file of one"
        refuse(f"{path} is no archive of an export: {why}")
    if warning:
        print(warning, file=sys.stderr)
    try:
        if steps is not None:
            sys.exit(decode(m, given, steps))
        answer(m, given, certificate)
    except Unknown as error:
        refuse(str(error))
    except DAMAGED as error:
        refuse(f"the arrays of {path} must fit together, as export writes them; given: {error or type(error).__name__}")


def answer(m, given, certificate):
    """Print what the model says about one input."""
    names, vocabulary, given_tokens = list(m["coordinates"]), list(m["vocabulary"]), []
    # The input as embedded rows: tokens, or rows of numbers.
    if vocabulary:
        typed = [t for t in vocabulary if t not in (str(m["before"]), str(m["after"]))]
        tokens = tokens_of_text(given, m["decoding.letters"].tolist() if "decoding.letters" in m else typed, typed)
        foreign = [t for t in tokens if t not in typed]
        if foreign:
            refuse(f"every symbol must be one of {' '.join(typed)}: {foreign[0]}")
        given_tokens = tokens
        tokens = [t for t in [str(m["before"]), *tokens, str(m["after"])] if t]
        if not tokens:
            refuse("an input must have at least one symbol")
        z = m["embedding"][[vocabulary.index(t) for t in tokens]]
    else:
        try:
            rows = np.array([[float(v) for v in row.split(",")] for row in given.split(";")])
        except ValueError:
            refuse(f"every row must have the same number of numbers: {given}")
        if rows.shape[1] != len(m["inputs"]):
            refuse(f"every row must have {len(m['inputs'])} numbers: {', '.join(m['inputs'])}")
        z = np.zeros((len(rows), len(names)), dtype=str(m["dtype"]))
        with np.errstate(over="ignore"):  # a number that is too large for the format is refused
            z[:, [names.index(c) for c in m["inputs"]]] = rows
        if not np.isfinite(z).all():
            refuse(f"every number must be finite in the format {z.dtype}: {given}")
    # Length and run.
    n = len(z)
    tables = [m[key] for key in m if key == "positions" or key.endswith((".factor", ".cos"))]
    longest = min(map(len, tables), default=n)
    if n > longest:
        refuse(f"an input must have length at most {longest}: the archive has tables to there")
    z = evaluate(m, z)
    # The positions at which the readout looks.
    z = one_of({"first": z[:1], "last": z[-1:], "each": z, "all": z}, m["readout.position"])
    kind, columns = str(m["readout.kind"]), shown(m, z).T
    answers = np.atleast_1d(verdicts(m, z)) if kind in ("sign", "zero", "largest") else []
    # The warning, the answers, and then the values that the readout shows.
    if warning := note(certificate, n, given_tokens):
        print(warning, file=sys.stderr)
    if kind in ("sign", "zero"):
        print(", ".join("accept" if yes else "reject" for yes in answers))
    elif kind == "largest":
        print(", ".join(m["readout.labels"][answers]))
    for name, column in zip(m["readout.labels" if "readout.labels" in m else "readout.reads"], columns, strict=True):
        print(f"  {name}", *column.tolist())


if __name__ == "__main__":
    if len(sys.argv) != 3 and not (len(sys.argv) == 5 and sys.argv[3] == "--steps"):
        refuse("give the archive and one input: run_npz.py m.npz STRING, and of a decoder --steps T after them")
    main(*sys.argv[1:3], *sys.argv[4:])
