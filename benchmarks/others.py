"""Beside torch and tracr, where they are installed; a line says by name which of them is not."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timing import Row, absent, best, faster, longer, same

LONG = 4_000
"""The positions of attention beside torch."""
BRACKETS = 400
"""The pairs of brackets of a run beside its export."""


def rows() -> Iterator[Row]:
    for name, lines, install in (
        ("torch", torch_lines, "pip install torch"),
        ("tracr", tracr_lines, "it is on no package index: pip install a checkout of google-deepmind/tracr"),
    ):
        if importlib.util.find_spec(name) is None:
            yield absent(name, install)
        else:
            yield from lines()


def torch_lines() -> Iterator[Row]:
    """Attention as torch computes it, and an export as torch runs it: both in float64, on the processor, one thread."""
    import numpy as np
    import torch  # pyright: ignore[reportMissingImports]

    import symcook as sc
    from symcook.domains.floats import Float64
    from symcook.model.parts import Mask

    torch.set_num_threads(1)
    x = np.cos(np.arange(LONG) * 0.37)
    domain = Float64()
    domain.begin(("a",) * LONG, 1)
    given = torch.from_numpy(x).reshape(1, LONG, 1)

    def ours() -> Any:
        return domain.attend([x], [x[::-1].copy()], [x], Mask.FUTURE, "softmax", 1)[0]

    def theirs() -> Any:
        attend = torch.nn.functional.scaled_dot_product_attention
        return attend(given, given.flip(1), given, is_causal=True, scale=1.0)

    seconds, other, found, reference = best(ours, theirs, 3, time.process_time)
    what = f"causal softmax attention in float64, {LONG:,} positions: against torch"
    same(bool(np.abs(found - reference.numpy().ravel()).max() < 1e-9), what)
    yield faster(what, seconds, other, None)

    model, word = sc.build("dyck-1"), "()" * BRACKETS
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "m.pt"
        model.export(place, format="torch", dtype="float64", max_length=2 * BRACKETS)
        spec = importlib.util.spec_from_file_location("exported", place.with_suffix(".py"))
        if spec is None or spec.loader is None:
            raise RuntimeError(f"the exported file of {place} cannot be imported")
        code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
        network, tokens = code.load(), code.tokens(word)
        seconds, other, _, _ = best(lambda: model.run(word, "float64"), lambda: network(tokens), 3, time.process_time)
    yield longer(
        f"dyck-1 on {2 * BRACKETS} brackets in float64: against its export, run by torch", seconds, other, None
    )


def tracr_lines() -> Iterator[Row]:
    """The histogram program: compiled, and run on a word; tracr's for at most 8 tokens, ours for every length."""
    from tracr.compiler import compiling  # type: ignore[import-not-found]
    from tracr.rasp import rasp  # type: ignore[import-not-found]

    import symcook as sc

    source, word = "often = selector_width(select(tokens, tokens, ==))", "abacbaca"
    program = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ))

    def theirs() -> Any:
        return compiling.compile_rasp_to_model(program, vocab={"a", "b", "c"}, max_seq_len=8, compiler_bos="BOS")

    seconds, other, ours, model = best(
        lambda: sc.compile("srasp", source, alphabet="abc"), theirs, 3, time.process_time
    )
    yield faster("the histogram program compiled: against tracr", seconds, other, None)
    seconds, other, found, reference = best(
        lambda: ours.run(word, "float64"), lambda: model.apply(["BOS", *word]), 3, time.process_time
    )
    same([float(one) for one in found.outputs] == [float(one) for one in reference.decoded[1:]], "histogram")
    yield faster("the histogram program run on 8 letters in float64: against tracr", seconds, other, None)
