"""``symcook import``: write the exact model of published weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

from symcook.cli.options import LENGTH, OneOf, Whole, argument, command, option, read_settings
from symcook.cli.output import Progress, say_or_json
from symcook.errors import BadInput
from symcook.model.ends import POSITIONS
from symcook.model.parts import ACTIVATIONS, MASKS
from symcook.model.typedtext import listed_symbols
from symcook.published.answers import READOUTS
from symcook.published.formats import WORDS


def _listed(text: str | None) -> list[str] | None:
    """Symbols as they are typed: with spaces between, or one character each."""
    return None if text is None else [*listed_symbols(text, "the tokens")]


def _vocabulary(text: str | None) -> Sequence[str] | None:
    """All tokens: those of a file with tokens, or as they are typed. What has the form of a path is a file, and never
    tokens (`symcook.files.is_path`)."""
    from symcook.files import is_path, names_file
    from symcook.published.tokens import tokens_in

    if text is None or not is_path(text):
        return _listed(text)
    if not names_file(text):
        raise BadInput("the file of the tokens must exist", text, "tokens of this form are written with blanks between")
    return tokens_in(Path(text))


@command("import", "symcook import ./my-gpt2 -o my-gpt2.json")
def import_(
    *,
    source: Annotated[str, argument()],
    target: Annotated[str, option("The model file to write.", "FILE", None, "-o")],
    format: Annotated[
        str | None,
        option(
            "The format of the weights; by default symcook recognises it by their names.", None, OneOf("format", WORDS)
        ),
    ],
    vocabulary: Annotated[str | None, option('All tokens in order: "ab", "a b" or a file.', "TOKENS")],
    symbols: Annotated[str | None, option("The tokens that the model keeps (all).", "TOKENS")],
    labels: Annotated[str | None, option("The tokens whose outputs the model keeps (those of --symbols).", "LABELS")],
    names: Annotated[
        tuple[str, ...],
        option(
            "Read the weight THEIRS of the file as the weight OURS of the format. Repeatable.",
            "THEIRS=OURS",
            None,
            "--rename",
        ),
    ],
    heads: Annotated[int | None, option("The number of heads.", "H", Whole("the number of heads", 1, 10_000))],
    norm: Annotated[
        str | None,
        option(
            "Where the norms are: before or after each sublayer, or nowhere.",
            None,
            OneOf("norm", ("pre", "post", "none")),
        ),
    ],
    activation: Annotated[str | None, option("The activation.", None, OneOf("activation", ACTIVATIONS))],
    mask: Annotated[
        str | None,
        option(
            "The mask of every head.",
            None,
            OneOf("mask", ("none", "causal", "strict-causal", "anti-causal", "strict-anti-causal"), MASKS),
        ),
    ],
    epsilon: Annotated[str | None, option("The number that norms add to the variance.", "E")],
    rotary: Annotated[str | None, option("The base of the rotary positions, or none.", "BASE")],
    readout: Annotated[
        str | None,
        option(
            "The answer: the label of the largest output (the default), the labels of all positive outputs, whether "
            "the output of --label is the largest, or for a model without an output layer the residual stream.",
            None,
            OneOf("readout", READOUTS),
        ),
    ],
    label: Annotated[str | None, option("With --readout leads: the label whose output must be the largest.", "LABEL")],
    position: Annotated[
        str, option("The positions at which the model answers.", None, OneOf("position", POSITIONS))
    ] = "each",
    before: Annotated[str | None, option("A token to add before every input.", "TOKEN")],
    after: Annotated[str | None, option("A token to add after every input.", "TOKEN")],
    max_length: Annotated[int | None, option("The maximum length; later positions are left out.", "N", LENGTH)],
    name: Annotated[str | None, option("The name of the model.", "NAME")],
    force: Annotated[bool, option("Replace an existing file.")],
    as_json: bool,
) -> int:
    """Read published weights as an exact model.

    SOURCE is a folder of Hugging Face (config.json, model.safetensors, tokenizer.json), or a file of weights:
    safetensors, torch (.pt, .bin), npz or JSON. Formats are those of torch.nn.TransformerEncoder (torch), GPT-2 (gpt2),
    minGPT and nanoGPT (mingpt), Llama, Mistral and Qwen (llama), Bloom (bloom), GPT-NeoX (neox), TransformerLens
    (hooked, bridge) and picoGPT (numpy).

    No code of the files runs. Each float becomes the fraction that it is. What is read and what is left out is printed;
    a part that symcook does not compute, such as experts, is refused with its name.

    With --readout positive the model says which outputs are above 0, and with --readout leads whether the output of one
    label is greater than all others. A model without an output layer is read with --readout stream.
    """
    from symcook.files import vacant
    from symcook.model.modelfile import save
    from symcook.published.pretrained import ImportChoices, read_files

    vacant(Path(target), force)
    choices = ImportChoices(
        format, _vocabulary(vocabulary), _listed(symbols), _listed(labels), read_settings(names), heads, norm,
        activation, mask, epsilon, rotary, readout, label, position, before, after, max_length, name,
    )  # fmt: skip
    with Progress("reading"):
        found = read_files(Path(source), choices)
        file = save(found.model, target, force=force)
    document: dict[str, Any] = {"file": str(file), **found.to_json()}
    say_or_json(as_json, lambda: document, lambda: f"{found.text()}\nwrote {cast('str', document['file'])}")
    return 0
