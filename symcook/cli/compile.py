"""``compile``: a program to a model file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.options import OneOf, Seconds, argument, command, option
from symcook.cli.output import Waiting, say, say_or_json
from symcook.errors import BadInput, Undecided
from symcook.files import put, vacant
from symcook.programs import LANGUAGES, THEOREMS

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


@command("compile", 'symcook compile ltl "~Q_b since Q_a" --alphabet "a b" -o since.json')
def compile(
    *,
    kind: Annotated[str, argument(type=OneOf("language", LANGUAGES))],
    source: Annotated[str, argument()],
    alphabet: Annotated[str | None, option('The letters: "ab", or "a b" where they are longer.', "A")],
    target: Annotated[str, option("The model file to write.", "FILE", None, "-o")],
    theorem: Annotated[
        str | None,
        option("The printed construction of this theorem of Yang et al. (2026).", "T", OneOf("theorem", THEOREMS)),
    ],
    prove: Annotated[bool, option("Prove that the model answers as the program, on every word.")],
    seconds: Seconds = 60,
    force: Annotated[bool, option("Replace existing files.")],
    as_json: bool,
) -> int:
    """Compile a formula of temporal (ltl) or counting logic (count) to a transformer that answers at each position.

    SOURCE is a file where there is one of that name, else the formula itself. Letters are Q_a, Q_"(" and Q_{a, b};
    operators from the weakest: <->, ->, |, &, since and until, and before a formula ~ prev next once historically
    eventually always; with count #left[F] and #right[F] in linear comparisons, ODD, MOD(m, r), TABLE(0110).
    `let x = F;` names a formula, `output a = F;` lines answer with letters. The program stays in the model file: check
    and decide take it as the reference, and show prints what each coordinate holds.

    With --theorem the soft-attention transformer of that proof is made. One of 12 to 18 is an instance of a family:
    symcook prove FILE gives the theorem. Those of 20 to 23 count. With --prove a certificate and its statement are
    written beside the file, about the weights and all words, which the second checker reads too. Where no proof is
    found the model is written and the answer is exit 3.
    """
    from symcook.compilers import compile as compiled
    from symcook.model.modelfile import save

    if prove and theorem:
        must = "--prove must stand without --theorem, whose models have their family's proof or none"
        counts = theorem[0] == "2"
        do = "leave --theorem out" if counts else "leave --prove out, then symcook prove FILE"
        raise BadInput(must, f"--theorem {theorem}", do)
    text, name = _text(source)
    model = compiled(kind, text, alphabet=alphabet, theorem=theorem or "", name=name)
    beside = [Path(target).with_suffix(end) for end in (".certificate.json", ".statement.txt")] if prove else []
    for one in beside:
        vacant(one, force)
    file = save(model, target, force=force)
    shown: dict[str, Any] = {"file": str(file), **measures(model), "certificate": None, "verdict": None}
    if prove:
        try:
            shown |= _proved(model, beside, seconds)
        except Undecided:
            if not as_json:
                say(_wrote(shown))
            raise
    proved = f"\n{shown['verdict']}  on every word the answers are those of the program: {shown['certificate']}"
    say_or_json(as_json, lambda: shown, lambda: _wrote(shown) + (proved if prove else ""))
    return 0


def _wrote(shown: Mapping[str, Any]) -> str:
    sizes = ", ".join(f"{shown[key]} {key}" for key in ("layers", "width", "heads", "operators"))
    return f"wrote {shown['file']}: {sizes}"


def _proved(model: Transformer, beside: Sequence[Path], seconds: int) -> dict[str, str]:
    """Prove that a model answers as its program, and write the certificate and the statement."""
    from symcook.proof import formulas, own

    with Waiting("proving"):
        statement, found = formulas.prove(model, seconds)
    if found.certificate is None or found.verdict is None:
        why = str(found.missing).partition("\n")[0]
        raise Undecided(f"the model is written, and no proof was found: {why}; check compares it word by word.")
    texts = (json.dumps(found.certificate) + "\n", own.expanded(statement, found.certificate))
    put({path: text.encode() for path, text in zip(beside, texts, strict=True)}, force=True)
    return {"certificate": str(beside[0]), "verdict": found.verdict.words}


def measures(model: Transformer) -> dict[str, int]:
    """Layers, width, heads, and the operators of the program."""
    from symcook.programs.reading import formula_of

    heads = sum(len(layer.attention.heads) for layer in model.layers if layer.attention is not None)
    program = model.program
    assert program is not None
    operators = formula_of(program).operators
    return {"layers": len(model.layers), "width": len(model.space), "heads": heads, "operators": operators}


def _text(source: str) -> tuple[str, str]:
    """The program, and a name for its model: what stands in a file of this name, else the text itself."""
    try:
        path = Path(source)
        if not path.is_file():
            return source, ""
        return path.read_text(encoding="utf-8"), path.stem
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise BadInput("the file of a program must be text in UTF-8", source) from None
        return source, ""
