"""The text that is shown of a proof is the one from which its certificate was built, and no line of it is hidden."""

import shutil
from pathlib import Path

import pytest

from symcook.__main__ import main
from symcook.proof import replay
from symcook.proof.search import prooftext
from symcook.proof.search.prooftext import BadProof

NAME = "lem.sum_mono"
TEXT = "lemmas/sum_mono.proof"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of proofs with all statements and one proof."""
    own = replay.proofs_directory()
    shutil.copytree(own / "statements", tmp_path / "statements")
    for name in ("built.txt", f"certificates/{NAME}.json", TEXT):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(own / name, tmp_path / name)
    library = replay.Library(tmp_path)
    monkeypatch.setattr(replay, "library", lambda: library)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["prove", NAME]) == 0
    return capsys.readouterr().out


def test_a_text_is_shown_while_it_is_that_of_the_certificate(root, capsys):
    said = shown(capsys)
    assert "induct k (ge ih)" in said and "not built" not in said


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("induct k (ge ih)", "qed by magic, P_equals_NP"),
        lambda text: text + "  qed\n",
        lambda text: "# magic \u202e comment\n" + text,
        lambda text: text + "# magic \u2028 comment\n",
        lambda text: "no text at all\n",
        lambda text: "",
    ],
)
def test_another_text_is_not_shown(root, capsys, change):
    path = root / TEXT
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    said = shown(capsys)
    assert said.startswith(f"PROVED  {NAME}") and "1 of 1 stored proofs reproduced" in said
    assert "the certificate was not built from sum_mono.proof as it stands" in " ".join(said.split())
    assert "magic" not in said and "induct k (ge ih)" not in said and "induction" in said


def test_a_comment_is_shown_and_is_no_other_text(root, capsys):
    path = root / TEXT
    path.write_text(path.read_text(encoding="utf-8").replace("\n", "\n# Term by term.\n", 1), encoding="utf-8")
    said = shown(capsys)
    assert "# Term by term." in said and "induct k (ge ih)" in said and "not built" not in said


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("record", [None, b"", NAME.encode(), f"{NAME} {'0' * 32} {'0' * 32}\n".encode(), b"\xff\n"])
def test_a_text_without_its_record_is_not_shown(root, capsys, record):
    path = root / "built.txt"
    path.unlink()
    if record is not None:
        path.write_bytes(record)
    assert "the certificate was not built from" in " ".join(shown(capsys).split())


@pytest.mark.parametrize("sign", [*"\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\x00\x1b\u202e\u200b\ufeff\xa0"], ids=ascii)
@pytest.mark.parametrize("line", ["  # a comment{} qed by magic", "  one: 0 <= 1{} by low", "# all{}"])
def test_no_sign_hides_a_line(sign, line):
    with pytest.raises(
        BadProof, match=f"expected printable characters and spaces; given: U\\+{ord(sign):04X}"
    ) as caught:
        prooftext.read("proof a.b\n  given x (low)\n" + line.format(sign) + "\n  qed\n")
    assert caught.value.place.line == 3 and caught.value.place.column == line.index("{") + 1


def test_what_is_shown_are_the_lines_that_are_read():
    text = "proof a.b\n  given x\n  # ä, “quoted” ≤ 1\n  qed by low\ninhabited witness 1\n"
    assert prooftext.shown(text).split("\n") == ["given x", "# ä, “quoted” ≤ 1", "qed by low"]
    assert [line.kind for line in prooftext.read(text).parts["proof"]] == ["given", "qed"]
