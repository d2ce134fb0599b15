"""An export: the files that were written, how the float weights compare with the exact model, and the guarantee."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from symcook.export.decoding import lines as decoding_lines
from symcook.model.answers import EMPTY_STRING, brief, grouped
from symcook.model.extent import Extent
from symcook.model.rationals import consecutive
from symcook.report.document import Document, PlainLines

if TYPE_CHECKING:
    from symcook.export.answer import Exported
    from symcook.model.transformer import Transformer

RUNS = {
    "npz": "to run it with numpy only: python -m symcook.export.run_npz {file} {input}",
    "safetensors": "sc.from_safetensors reads it back as an exact model",
    "torch": "to run it with torch only: python {code} {input}",
    "transformerlens": "to run it with TransformerLens: python {code} {input}, or load() in that file",
    "onnx": "to run it with onnxruntime: inputs tokens or rows; outputs stream, scores and answer",
}
"""{format: how to run or read the exported weights}"""


def line(answer: Exported) -> str:
    """The model, the file, the inputs that the guarantee is about, and its first line: the repr."""
    said = [*["verified"] * answer.verified, *within_language(answer), guarantee_lines(answer)[0].strip()]
    return brief(f"<Exported {answer['model']} to {answer.weights.name}: {', '.join(said)}>")


def document(answer: Exported) -> Document:
    """What ``export`` prints, or what ``verify-export`` prints."""
    return _verified(answer) if answer.verified else _exported(answer)


def _exported(answer: Exported) -> Document:
    """What was written, how the float weights compare with the exact model, the guarantee, and how to run them."""
    weights, compared, decoded = answer.weights, answer["compared"], answer["decoding"]
    # A decoder's guarantee says all that the comparison does, unless there is a difference.
    lines = []
    if not decoded or compared["first_difference"] is not None:
        lines.append(f"{answer['dtype']}, {_comparison(answer)}{_at_values(answer)}")
    if not decoded and compared["first_difference"] is None and compared["ends"] is not None:
        lines.append(f"  {compared['ends']}")
    if compared["first_difference"] is not None:
        lines.append(f"first input with another answer: {compared['first_difference'] or EMPTY_STRING}")
    lines += [*within_language(answer), *guarantee_lines(answer), *theorem_lines(answer)]
    file, code = (shlex.quote(str(path)) for path in (weights, weights.with_suffix(".py")))
    runs_decoder = decoded and answer["kind"] in ("npz", "torch")
    given = f"STRING --steps {decoded['steps']}" if runs_decoder else _input_placeholder(answer.model)
    lines.append(RUNS[answer["kind"]].format(file=file, code=code, input=given))
    files = ", ".join(str(weights.parent / name) for name in answer["files"])
    return Document(f"wrote {files} and {answer.certificate}", [PlainLines(lines)])


def _verified(answer: Exported) -> Document:
    """That the certificate holds, the guarantee, and what was not checked."""
    lines = [*within_language(answer, " as the certificate has them"), *guarantee_lines(answer)]
    lines += theorem_lines(answer)
    for name, why in answer["not_checked"].items():
        statuses = ", ".join(f"{each['id']} {each['status']}" for each in answer["claims"]) if name == "claims" else ""
        lines.append(f"not checked: {name}{f' ({statuses})' if statuses else ''}: {why}")
    unchanged = f"has the unchanged {answer['dtype']} weights of {answer['model']}{_at_values(answer)}"
    return Document(f"the certificate holds: {', '.join(answer['files'])} {unchanged}", [PlainLines(lines)])


def _at_values(answer: Exported) -> str:
    """The values of the parameters in the weights, after a comma; "" without parameters."""
    return Extent(values=answer["symbols"]).at_values


def _comparison(answer: Exported) -> str:
    """The comparison of the float weights with the exact model at their export, in words."""
    compared, model = answer["compared"], answer.model
    worst, inputs = compared["largest_difference"], grouped(compared["inputs"])
    if model.pointwise:
        same = "with the exact answers" if compared["first_difference"] is None else "not all with the exact answers"
        return f"compared at {inputs} points, {same if worst is None else f'largest difference {worst:.3g}'}"
    if not compared["inputs"]:
        return "no input compared"
    agreement = "exact answers" if worst is None else "values that agree with the exact ones"
    longest = answer["greatest_length"] - model.embedding.added
    no_run = compared["no_run"]
    no_run_text = f"; {no_run['inputs']} have no run, as {no_run['first'] or EMPTY_STRING}" if no_run["inputs"] else ""
    if model.embedding.inputs:  # numbers: the inputs that are compared are some of infinitely many
        return f"{agreement} on {inputs} inputs up to length {longest}{no_run_text}"
    return f"{agreement} up to length {longest} ({inputs} inputs compared{no_run_text})"


def guarantee_lines(answer: Mapping[str, Any]) -> list[str]:
    """The guarantee of a certificate, in lines; of a decoder that of its steps."""
    decoded = answer.get("decoding")
    if decoded:
        return decoding_lines(decoded, answer["dtype"])
    return _guaranteed(answer["guaranteed"], "these strings" if "inputs" in answer else "strings")


def theorem_lines(answer: Mapping[str, Any]) -> list[str]:
    """A line for each theorem that a certificate cites: to which length it covers the export."""
    lines, added = [], answer["guaranteed"]["added_tokens_counted"]
    for theorem in answer["theorems"]:
        where = f" where {' and '.join(theorem['where'])}" if theorem["where"] else ""
        order = ", if attention normalises after summing" if theorem["divided_last"] else ""
        until = grouped(theorem["length"] - added)
        what, dtype = "every decision", answer["dtype"]
        if theorem["accepts"] is None:
            what, dtype = theorem["states"], f"{dtype}, with u = 2^-{theorem['bits']}"
        about = f" about {theorem['member']}" if "member" in theorem else ""
        lines.append(f"{theorem['id']}{about} proves {what} up to length {until} in {dtype}{order}{where}")
    return lines


def _input_placeholder(model: Transformer) -> str:
    """The placeholder of an input in a command line."""
    if model.alphabet:
        return "STRING" if model.embedding.spelled else '"TOKEN ..."'
    return f'"{",".join(model.embedding.inputs or ())}"' + ("" if model.pointwise else " (rows with ; between)")


def within_language(document: Mapping[str, Any], kept: str = "") -> list[str]:
    """A line on the strings and positions that a certificate is about; [] if it is about all of them.

    `kept` is added to the name of the language: its file may have changed since the certificate was written.
    """
    about = []
    if "inputs" in document:
        count = document["count"]
        about.append(f"{grouped(count)} string{'s' * (count != 1)} of {document['inputs']}{kept}")
    if "positions" in document:
        about.append(f"answers at positions: {document['positions']}")
    return [f"inputs: the {', '.join(about)}"] if about else []


def _guaranteed(guarantee: dict[str, Any], strings: str) -> list[str]:
    """The guarantee of a certificate, in lines: for attention that normalises after summing, and for attention that
    normalises the weights first ("divided_first") if this differs.

    The lengths in the certificate count the special tokens (`added`); the lengths in the lines do not. `strings` is
    what the strings are called: "these strings" of a language, or all "strings".
    """
    first, added = guarantee["divided_first"], guarantee["added_tokens_counted"]
    if guarantee["length"] is None:
        return _guaranteed_values(guarantee, first, added, "" if strings == "strings" else f" on {strings}")
    # A model that decides: the lengths at which every decision is guaranteed, and why the next one is not.
    same_ranges = first["ranges"] == guarantee["ranges"]
    which = " in any runtime" if same_ranges else ", if attention is normalised after summing: (sum w v)/(sum w)"
    lengths_text, first_lengths_text = _guaranteed_lengths(guarantee, added), _guaranteed_lengths(first, added)
    lines = [f"decisions guaranteed for {strings} of length {lengths_text}{which}" if lengths_text else
             "no length at which all decisions are guaranteed"]  # fmt: skip
    lines += (
        [_unguaranteed(each, added) for each in guarantee["open"]] if guarantee["open"] else [f"  {guarantee['why']}"]
    )
    lines += _not_asked(guarantee, added)
    # If the other order has other guaranteed lengths: the same lines for it, without those that would be repeated.
    if not same_ranges:
        where = f"for {strings} of length {first_lengths_text}" if first_lengths_text else "at no length"
        lines.append(f"decisions guaranteed {where}, if the weights are normalised first: softmax(scores) @ values")
        open_lengths = [each["length"] for each in guarantee["open"]]
        new_failures = [each for each in first["open"] if each["length"] not in open_lengths]
        lines.append(f"  {_unguaranteed(new_failures[0], added)}" if new_failures else f"  {first['why']}")
        lines += [f"  {line}" for line in _not_asked(first, added) if first["not_asked"] != guarantee["not_asked"]]
        lines += [f"  {help}" for help in first["help"].split("; ")]
    return lines


def _guaranteed_values(guarantee: dict[str, Any], first: dict[str, Any], added: int, on: str) -> list[str]:
    """The lines of `_guaranteed` for a model whose answers are numbers: bounds on the error of its values; `on` says on
    which strings."""
    errors, first_errors = (
        [each["error"] for each in part["lengths"] if "error" in each] for part in (guarantee, first)
    )
    if not errors:
        return [f"no bound on the error of values: {guarantee['why']}"]
    until = guarantee["lengths"][-1]["length"] - added
    lines = [f"every value within {max(errors, key=Decimal)} of the exact one{on} up to length {until}"]
    if first_errors != errors:
        greatest = max(first_errors, key=Decimal, default=None)
        until = f"{greatest} up to length {first['lengths'][-1]['length'] - added}" if first_errors else "no bound"
        lines.append(f"  where attention normalises after summing; {until} where it normalises the weights first")
    return [*lines, f"  {guarantee['why']}"] if guarantee["why"] else lines


def _not_asked(guarantee: dict[str, Any], added: int) -> list[str]:
    """A line on the lengths after a failing length that were not tested; [] without a failing length: then "why" says
    it."""
    if not guarantee["open"] or guarantee["not_asked"] is None:
        return []
    low, high = (n - added for n in guarantee["not_asked"]["lengths"])
    lengths = f"lengths {low} to {high} were" if low < high else f"length {low} was"
    return [f"{lengths} not tested: {guarantee['not_asked']['why']}"]


def _guaranteed_lengths(guarantee: dict[str, Any], added: int) -> str:
    """The guaranteed lengths as text, such as "1 to 12, 14", without lengths at which a language has no string."""
    ranges = consecutive(each["length"] - added for each in guarantee["lengths"] if each["runs"])
    return ", ".join(f"{low} to {high}" if low < high else str(low) for low, high in ranges)


def _unguaranteed(failure: dict[str, Any], added: int) -> str:
    """A line on a length at which some decision is not guaranteed, with a string on which it is not."""
    alone = "" if failure["alone"] else " (with others)"
    outputs = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in failure["outputs"].items())
    exact = (failure["exact"] or {}).get("logit")
    outputs += f", exactly {exact}" if exact is not None and len(exact) <= 40 else ""
    open_ = "a choice open" if failure["runs"] else "which has no run"
    return f"length {failure['length'] - added} fails: on {failure['input'] or EMPTY_STRING}{alone}, {outputs or open_}"
