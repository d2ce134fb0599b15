"""One word for one thing where people type and read; the older words are read, and stay in files and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.model.choices import SHOWN, shown_word
from symcook.model.ends import READOUTS
from symcook.model.parts import MASKS
from symcook.programs import LANGUAGES, SPOKEN, language

OLD = {"future", "strict-future", "past", "strict-past", "largest", "count"}


def votes(mask: str) -> sc.Transformer:
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.readout("argmax", "each", b.add(sc.head(value={"mean": "vote"}, mask=mask)), weights=[[1], [-1]], labels="ab")
    return b.build("votes")


@pytest.mark.parametrize(("old", "new"), [*SHOWN.items()])
def test_both_words_are_read_and_the_newer_is_shown(old: str, new: str) -> None:
    if old in MASKS:
        assert votes(old) == votes(new) and votes(new).layers[0].attention.heads[0].mask == old
        model = votes(old)
        assert f"mask {new}" in model.text() and f"mask {new}" in repr(model.layers[0].attention.heads)
        assert f"mask {old}" not in model.text() + model._repr_html_() + model.latex()
    else:
        b = sc.Builder(words="ab")
        b.readout(old, "last", b.tokens, labels="ab")
        assert b.build("m").readout.kind == "largest"


@pytest.mark.parametrize(
    ("word", "hint"),
    [("casual", "did you mean causal?"), ("sideways", "known: none, causal, strict-causal, anti-causal"),
     ("futur", "did you mean causal?"), ("strict_future", "did you mean strict-causal?"), ("Causal", None),
     ("pas", "did you mean anti-causal?"), ("bidirectonal", "did you mean none?")],
)  # fmt: skip
def test_a_mask_that_is_none_is_answered_in_these_words(word: str, hint: str | None) -> None:
    if hint is None:
        assert votes(word) == votes("causal")
        return
    with pytest.raises(BadInput) as error:
        votes(word)
    assert hint in str(error.value)


def test_known_words_are_the_shown_ones() -> None:
    b = sc.Builder(words="ab")
    asks = (
        lambda: votes("zzz"),
        lambda: b.readout("zzz", "last", b.tokens),  # type: ignore[arg-type]
        lambda: sc.compile("zzz", "Q_a", alphabet="ab"),  # type: ignore[arg-type]
    )
    for ask in asks:
        with pytest.raises(BadInput) as error:
            ask()
        listed = str(error.value).partition("known: ")[2].rstrip(".").split(", ")
        assert len(listed) >= 5 and not OLD & set(listed)
    assert {shown_word(word) for word in (*MASKS, *READOUTS)} & OLD == set()
    assert [language(word) for word in SPOKEN] == [*LANGUAGES] and language("count") == "count"


def test_c_rasp_is_the_language_that_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "#left[Q_a] = #left[Q_b]"
    models = [sc.compile(word, source, alphabet="ab") for word in ("c-rasp", "count")]
    assert models[0] == models[1] and models[0].program is not None
    assert models[0].program.kind == "count"  # as files have it
    for word in ("C-RASP", "crasp", "CRASP"):
        with pytest.raises(BadInput, match=r"did you mean c-rasp\?"):
            sc.compile(word, source, alphabet="ab")  # type: ignore[arg-type]
        assert "did you mean c-rasp?" in refused(capsys, "compile", word, source, "-o", tmp_path / "m.json")
    for number, word in enumerate(("c-rasp", "count")):
        file = tmp_path / f"{number}.json"
        code, said, _ = call(capsys, "compile", word, source, "--alphabet", "ab", "-o", file)
        assert code == 0 and said.startswith("wrote ")
        assert json.loads(file.read_text(encoding="utf-8"))["program"]["kind"] == "count"
    _, said, _ = call(capsys, "compile", "--help")
    assert "c-rasp" in said and "count}" not in said


def test_files_and_json_keep_the_older_words(capsys: pytest.CaptureFixture[str]) -> None:
    shown = document(capsys, "show", "dyck-1", "--json")
    assert shown["layers"][0]["attention"][0]["mask"] == "future"
    _, said, _ = call(capsys, "show", "dyck-1")
    assert "mask causal" in said and "future" not in said
