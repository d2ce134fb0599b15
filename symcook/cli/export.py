"""``symcook export``."""

from __future__ import annotations

import shlex
from decimal import Decimal
from pathlib import PurePath
from typing import Any

import click

from symcook.cli.options import Chosen, OneOf, Whole, choose, name_argument, need_values, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say
from symcook.errors import EMPTY_WORD, BadInput
from symcook.export import MAX_LENGTH

KINDS = ("npz", "safetensors", "torch", "onnx", "transformerlens")
TYPES = ("float64", "float32", "float16", "bfloat16")
ENDINGS = {".npz": "npz", ".safetensors": "safetensors", ".pt": "torch", ".onnx": "onnx", ".pth": "transformerlens"}
RUNS = {
    "npz": "numpy alone runs it: python -m symcook.export.run_npz {file} {input}",
    "safetensors": "sc.from_safetensors reads it back as an exact model",
    "torch": "torch alone runs it: python {code} {input}",
    "transformerlens": "TransformerLens runs it: python {code} {input}, or load() there, a TransformerBridge",
    "onnx": "onnxruntime runs it: inputs tokens or rows, outputs stream, scores and answer",
}


@declare("export", "symcook export dyck-1 -o dyck-1.npz")
@name_argument
@click.option("--format", "kind", type=OneOf("format", KINDS), help=f"{', '.join(KINDS)} (by the ending of FILE).")
@click.option("-o", "--output", "target", required=True, metavar="FILE", help="The file for the weights.")
@click.option("--dtype", type=OneOf("dtype", TYPES), default="float64", help="The float type (float64).")
@click.option(
    "--max-length", type=Whole("the greatest length", 1, MAX_LENGTH), metavar="N",
    help="Tables and certificate for words of N typed symbols (16).",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace existing files.")
@settings_option
def command(
    name: str,
    kind: str | None,
    target: str,
    dtype: str,
    max_length: int | None,
    force: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write float weights, and beside them a certificate: m.npz and m.certificate.json, or m.onnx and
    m.onnx.certificate.json.

    The certificate names the lengths at which every decision is guaranteed in any runtime of an error model, for both
    orders in which attention may divide, and the greatest one to which the float weights gave the exact answer on every
    input here. Formats: npz (.npz), safetensors (.safetensors), torch (.pt with code in a .py), onnx (.onnx),
    transformerlens (.pth with code in a .py).
    """
    from symcook.export import export
    from symcook.export.files import targets

    chosen = choose(name, settings)
    if chosen.inputs:
        raise BadInput("an export takes no inputs", f"--set {next(iter(chosen.inputs))}", "leave it out")
    need_values(chosen)
    kind = kind or ENDINGS.get(PurePath(target).suffix, "npz")
    weights, beside = targets(target, force=force, kind=kind)
    built = {} if chosen.info is None else {"recipe": chosen.name, "arguments": chosen.arguments}
    with Progress(f"certifying {chosen.name} by length") as progress:
        document = export(
            chosen.model,
            target,
            format=kind,
            dtype=dtype,
            max_length=max_length,
            values=chosen.values,
            claims=chosen.info.claims if chosen.info is not None else (),
            built=built,
            force=force,
            progress=progress,
        )
    added = chosen.model.embedding.added
    if as_json:
        print_json({"weights": str(weights), "certificate": str(beside), **document})
        return
    compared = document["compared"]
    if chosen.pointwise:
        worst = compared["largest_difference"]
        how = "answers are compared" if worst is None else f"largest difference {worst:.3g}"
        verdict = f"compared at {compared['inputs']} points, {how}"
    else:
        what = "exact answers" if compared["largest_difference"] is None else "values that agree with the exact ones"
        longest = document["greatest_length"] - added
        none = compared["no_run"]
        refused = f"; {none['inputs']} have no run, as {none['first'] or EMPTY_WORD}" if none["inputs"] else ""
        verdict = f"{what} to length {longest} ({compared['inputs']} inputs compared{refused})"
        if not compared["inputs"]:
            verdict = "no input compared"
    say(f"wrote {', '.join(str(weights.parent / file) for file in document['files'])} and {beside}")
    say(f"  {dtype}, {verdict}")
    if compared["first_difference"] is None and compared["ends"] is not None:
        say(f"    {compared['ends']}")
    if compared["first_difference"] is not None:
        say(f"  first input with another answer: {compared['first_difference'] or EMPTY_WORD}")
    for line in guaranteed(document["guaranteed"]):
        say(f"  {line}")
    file, code = (shlex.quote(str(path)) for path in (weights, weights.with_suffix(".py")))
    say(f"  {RUNS[kind].format(file=file, code=code, input=_input(chosen))}")


def guaranteed(found: dict[str, Any]) -> list[str]:
    """What a certificate guarantees, in lines: it counts the tokens that the model adds, and these lines do not."""
    first, added = found["divided_first"], found["added_tokens_counted"]
    if found["length"] is None:
        errors, others = ([each["error"] for each in part["lengths"] if "error" in each] for part in (found, first))
        if not errors:
            return [f"no bound on the error of values: {found['why']}"]
        until = found["lengths"][-1]["length"] - added
        lines = [f"every value within {max(errors, key=Decimal)} of the exact one to length {until}"]
        if others != errors:
            greatest = max(others, key=Decimal, default=None)
            until = f"{greatest} to length {first['lengths'][-1]['length'] - added}" if others else "no bound"
            lines.append(f"  where attention divides behind its sums; {until} where it divides weights first")
        return [*lines, f"  {found['why']}"] if found["why"] else lines
    same = first["ranges"] == found["ranges"]
    which = "any runtime" if same else "any runtime that divides behind the sums of attention"
    lines = [f"decisions guaranteed in {which} at lengths {_ranges(found, added)}" if found["ranges"] else
             "no length at which all decisions are guaranteed"]  # fmt: skip
    lines += [_open(each, added) for each in found["open"]] if found["open"] else [f"  {found['why']}"]
    if not same:
        lines.append(f"where weights are divided first, as in softmax(scores) @ values: "
                     f"{f'at lengths {_ranges(first, added)}' if first['ranges'] else 'at no length'}")  # fmt: skip
        known = [each["length"] for each in found["open"]]
        new = [each for each in first["open"] if each["length"] not in known]
        lines.append(f"  {_open(new[0], added)}" if new else f"  {first['why']}")
        lines.append(f"  {first['help']}")
    return lines


def _ranges(found: dict[str, Any], added: int) -> str:
    ranges = ((low - added, high - added) for low, high in found["ranges"])
    return ", ".join(f"{low} to {high}" if low < high else str(low) for low, high in ranges)


def _open(each: dict[str, Any], added: int) -> str:
    """A length at which a decision is open, and for which word."""
    alone = "" if each["alone"] else " (with others)"
    outputs = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in each["outputs"].items())
    exact = (each["exact"] or {}).get("logit")
    outputs += f", exactly {exact}" if exact is not None and len(exact) <= 40 else ""
    open_ = "a choice open" if each["runs"] else "which has no run"
    return f"not at length {each['length'] - added}: {each['input'] or EMPTY_WORD}{alone}, {outputs or open_}"


def _input(chosen: Chosen) -> str:
    """What stands for an input in a command line."""
    if chosen.model.alphabet:
        return "WORD" if chosen.model.embedding.spelled else '"TOKEN ..."'
    return f'"{",".join(chosen.model.embedding.inputs or ())}"' + ("" if chosen.pointwise else " (rows with ; between)")
