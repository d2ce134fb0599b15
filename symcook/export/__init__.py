"""Float weights in formats that people load, each with a certificate of what is exact and to which length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symcook.door import door
from symcook.errors import BadInput
from symcook.model.choices import DtypeWord, FormatWord
from symcook.model.symbols import Exact

if TYPE_CHECKING:
    from symcook.export.answer import Exported, WeightArrays
    from symcook.export.certificate import Prepared
    from symcook.model.transformer import Transformer
    from symcook.words.inputs import Language

DEFAULT_LENGTH = 16
"""The length, in typed symbols, to which an export is compared where none is asked for."""
MAX_LENGTH = 4096
"""The greatest `max_length` of an export."""
MAX_STEPS = 1_000_000
"""The greatest `steps` of an export of a decoder."""
COMPARED = 64
"""The largest length to which `diff` compares two models."""


@door()
def export(
    model: Transformer,
    target: str | Path,
    *,
    format: FormatWord | None = None,
    dtype: DtypeWord = "float64",
    max_length: int | None = None,
    steps: int | None = None,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    claims: Sequence[str] = (),
    built: Mapping[str, object] | None = None,
    force: bool = False,
    progress: Callable[..., None] | None = None,
) -> Exported:
    """Float weights as a file, and next to it a certificate of the lengths at which they decide correctly.

    The certificate states up to which length every decision is guaranteed in any runtime of an error model
    (`symcook.export.guarantee`), for both orders in which attention may divide. It also states up to which length
    numpy's answers were compared with exact ones on every input, as far as time allows. For a decoder of an
    automaton or a Turing machine it has the number of steps that are right in any runtime, which the shipped script
    does not exceed (`symcook.export.decoding`). With `inputs` it is about these strings only, and about the answers
    at `positions`. All files are written, or none.

    Arguments:
        target: path. The file of weights to write.
        format: str or None (None). "npz", "safetensors", "torch" (ending .pt, with code in a .py file), "onnx" or
            "transformerlens" (ending .pth, with code); by default by the ending of `target`.
        dtype: str ("float64"). "float64", "float32", "float16" or "bfloat16", where the format has it.
        max_length: int or None (None). The maximum length of the certificate and of position tables, in input
            symbols; by default 16, or fewer if the model takes fewer.
        steps: int or None (None). For a decoder: at most so many steps; 100 by default.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        claims: list of str (()). Ids of claims whose statuses the certificate lists; for a recipe they must be among
            its claims.
        built: {"recipe": str, "arguments": {..}} (None). The recipe that the model was built from.
        force: bool (False). Replace existing files.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Exported, the certificate as an answer: `answer["guaranteed"]["length"]` and so on.

    Raises: BadInput: a target that exists (without `force`) or cannot be written, an id that is no such claim, a
    number that does not fit `dtype`, a format that cannot express the model, a package that is missing, and `steps`
    that are not certain. NotExact: nothing exact to compare with.

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sc.build("dyck-1").export(f"{folder}/dyck.npz", max_length=4)["guaranteed"]["length"]
    4
    """
    from symcook.export.answer import Exported
    from symcook.export.certificate import certificate
    from symcook.export.files import by_ending, check, dtype_name, targets, write

    # Cheap checks first: format, files, inputs. Then arrays, files and certificate; then all is written at once.
    dtype, kind = dtype_name(dtype), by_ending(target) if format is None else format
    chosen = check(kind, dtype)
    weights, beside = targets(str(target), force=force, kind=kind)
    exported = _prepared(model, kind, dtype, max_length, steps, inputs, sample, seed, positions, values)
    contents = chosen.encode(exported.arrays, weights.stem)
    document = write(weights, beside, contents, certificate(exported, claims, built, progress), force=force)
    return Exported(document, weights, beside, model)


@door()
def arrays(
    model: Transformer,
    dtype: DtypeWord = "float64",
    *,
    max_length: int | None = None,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    progress: Callable[..., None] | None = None,
) -> WeightArrays:
    """The float weights of the model as a mapping {name: numpy array}, with the guarantee of an export.

    The arrays are those of an npz file (`symcook.export.archive` lists their names and shapes); no file is written.

    Arguments:
        dtype: str ("float64"). "float64", "float32", "float16" or "bfloat16" (then stored as float32).
        max_length: int or None (None). As in `export`.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: WeightArrays; its `document` is the certificate.

    Raises: BadInput: as in `export`, and a parameter without a value. NotExact: nothing exact to compare with.

    Example:

    >>> from symcook.recipes import build
    >>> weights = arrays(build("gtzero"), values={"eps": "1/4"})
    >>> weights["step1.W2"].tolist(), weights.document["symbols"]
    ([[0.0, 0.0], [4.0, -4.0]], {'eps': '1/4'})
    """
    from symcook.export.answer import WeightArrays
    from symcook.export.certificate import certificate
    from symcook.export.files import check, dtype_name

    dtype = dtype_name(dtype)
    check("npz", dtype)
    exported = _prepared(model, "npz", dtype, max_length, None, inputs, sample, seed, positions, values)
    return WeightArrays(exported.arrays, certificate(exported, (), None, progress), model)


def _prepared(
    model: Transformer,
    format: str,
    dtype: str,
    max_length: int | None,
    steps: int | None,
    inputs: Language | None,
    sample: int | None,
    seed: int,
    positions: str | None,
    values: Mapping[str, Exact] | None,
) -> Prepared:
    """The arrays of an export, and what its certificate is about; the arguments are those of `export`."""
    from symcook.export.certificate import prepared
    from symcook.words.inputs import require_sample

    if model.pointwise:
        if max_length is not None:
            raise BadInput(
                "--max-length must not be given for a feed-forward recipe: its inputs have no length",
                max_length,
                "leave --max-length out",
            )
        max_length = 1
    require_sample(sample, seed)
    chosen_strings = (inputs, sample, positions) != (None, None, None)
    if chosen_strings and not model.alphabet:
        must = "inputs must be chosen only for a model that reads strings"
        raise BadInput(must, f"{model.name}, which reads numbers", "leave --inputs, --sample and --positions out")
    # The default length: that of the longest of the inputs, or 16, but at most the maximum length of the model.
    if max_length is None:
        from symcook.words.inputs import listed, longest

        most, inputs = DEFAULT_LENGTH, listed(inputs)
        if inputs is not None:
            most = longest(model, inputs, most)
        if model.max_length is not None:
            most = min(most, model.max_length - model.embedding.added)
        max_length = max(1, most)
    if not 1 <= max_length <= MAX_LENGTH:
        raise BadInput(
            f"the maximum length must be an integer from 1 to {MAX_LENGTH}",
            max_length,
            "give for example --max-length 16",
        )
    if steps is not None and not 0 <= steps <= MAX_STEPS:
        raise BadInput(
            f"the number of steps must be an integer of at least 0, and at most {MAX_STEPS:,}",
            steps,
            "give for example --steps 10",
        )
    # Which strings the certificate is about.
    asked = None
    if chosen_strings:
        from symcook.words.inputs import strings

        lengths = range(model.embedding.shortest, max_length + 1)
        asked = strings(model, lengths, inputs, sample, seed, positions)
    return prepared(model, values, format, dtype, max_length, steps, asked=asked)
