"""Records rest on statement, certificate and the files that judge: what makes one stale, and what does not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT
from proof.stored import load_module

from symcook import claims
from symcook.proof.audit import seals
from symcook.proof.audit.source import record_line
from symcook.proof.audit.statementfiles import statement_files
from symcook.proof.replay import Library

TEXT, LEMMA = "cookbook.s9.2.1.accept", "cookbook.s9.2.1.balance"
FILE, CERTIFICATE = f"cookbook/{TEXT}.proof", f"certificates/{TEXT}.json"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of proofs with all statements and one text, and the record of it."""
    for part in ("statements", "models", "families"):
        shutil.copytree(ROOT / "proofs" / part, tmp_path / part)
    for name in (FILE, CERTIFICATE, f"certificates/{LEMMA}.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "proofs" / name, tmp_path / name)
    lines = [line for line in seals.read(ROOT / "proofs" / "built.txt") if line.startswith(f"{TEXT} ")]
    seals.write(tmp_path / "built.txt", lines)
    yield tmp_path
    statement_files.cache_clear()


def recorded(root: Path) -> bool:
    """Whether the record is of the files as they are now."""
    statement_files.cache_clear()
    return record_line(root, TEXT, Library(root).statements) in seals.read(root / "built.txt")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("file", "old", "new", "kept"),
    [
        (FILE, "\n", "\n# A comment.\n", True),
        (FILE, "\n", "\n  0 = 0\n", False),  # the text without its certificate
        (CERTIFICATE, "{", "{ ", False),  # the certificate without its text
        ("statements/cookbook.txt", "accept(dyck-1) <-> dyck(w, n)", "accept(dyck-1) -> dyck(w, n)", False),
        ("statements/cookbook.txt", "[cookbook.t3.dyck1]", "# A comment.\n[cookbook.t3.dyck1]", True),
        ("statements/definitions.txt", "bracket(a) := I", "bracket(a) := 2*I", False),
        ("statements/definitions.txt", "odd(n) := ex m", "odd(n) := 0 = 0 & ex m", True),
        ("built.txt", TEXT, f"{TEXT} {'0' * 32} {'0' * 32}\n{TEXT}", True),  # what another branch has recorded
    ],
)
def test_a_record_is_of_a_text_with_its_statement_and_certificate(
    root: Path, file: str, old: str, new: str, kept: bool
) -> None:
    assert recorded(root)
    text = (root / file).read_text(encoding="utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert recorded(root) == kept


def test_a_forged_record_is_one_of_a_text_that_gives_no_certificate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hashes can be forged; then the certificate is still accepted by itself, and a sample finds that the text is not
    its text."""
    build = load_module("build")
    name = "lem.sum_mono"
    assert build.sampled([name]) == 0
    assert "1 of 1 texts" in (said := capsys.readouterr().err) and "1 give the stored certificate, 0 another" in said
    real = build.read_text
    monkeypatch.setattr(build, "read_text", lambda name, path: real("lem.sum_ext", build.file_of("lem.sum_ext")))
    assert build.sampled([name]) == 1
    assert "1 none" in capsys.readouterr().err


def test_a_text_may_give_another_certificate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    build = load_module("build")
    (tmp_path / "lem.sum_mono.json").write_text("another\n", encoding="utf-8")
    monkeypatch.setattr(build, "FOLDER", tmp_path)
    assert build.sampled(["lem.sum_mono"]) == 0
    assert "0 give the stored certificate, 1 another one that is accepted, 0 none" in capsys.readouterr().err


def test_a_sample_ends_with_its_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    build = load_module("build")
    monkeypatch.setattr(build, "SECONDS", 0)
    assert build.sampled(["lem.sum_mono"]) == 0
    assert "0 of 1 texts" in capsys.readouterr().err


def test_each_change_draws_another_sample(tmp_path: Path) -> None:
    build = load_module("build")
    texts = {f"lem.x{number}": tmp_path / f"x{number}.proof" for number in range(200)}
    for number, path in enumerate(texts.values()):
        path.write_text(f"proof lem.x{number}\n", encoding="utf-8")
    first = build.drawn(texts, 5)
    assert len(first) == 10 and set(first) <= set(texts) and build.drawn(texts, 5) == first
    texts["lem.x7"].write_text("proof lem.x7\n# more\n", encoding="utf-8")
    assert build.drawn(texts, 5) != first
    assert build.drawn(dict.fromkeys(["lem.x7"], texts["lem.x7"]), 2) == ["lem.x7"]


UNTRUSTED = ("symcook/report/proof.py", "symcook/proof/search/automation.py", "symcook/cli/prove.py", "proofs/build.py")


@pytest.mark.sweep
@pytest.mark.parametrize(("file", "stale"), [*((file, False) for file in UNTRUSTED), ("symcook/proof/kernel.py", True)])
@pytest.mark.layer_two(every=3)
def test_a_comment_where_nothing_is_judged_makes_nothing_stale(
    file: str, stale: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows of the ledger, all texts: as an edited file would be read."""
    build = load_module("build")
    original = Path.read_bytes

    def edited(path: Path) -> bytes:
        named = str(path).endswith((f"/{file}", f"/_{file}"))  # in the checkout, or as installed
        return original(path) + (b"# a comment\n" if named else b"")

    before = {row.id: row.status for row in claims.ledger()}
    monkeypatch.setattr(Path, "read_bytes", edited)
    seals.judge_digest.cache_clear()
    try:
        after = {row.id: row.status for row in claims.ledger()}
    finally:
        seals.judge_digest.cache_clear()
    assert (after == before) != stale
    assert ("PROVED" in after.values()) != stale
    written = build.texts()
    known = load_module("build").replay.statements()
    some = dict(sorted(written.items())[::97])  # the digests of all statements take seconds
    record = build.Record(some, known)
    assert [name for name in some if not record.current(name)] == []


def test_two_builds_at_once_lose_no_line_of_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = load_module("build")
    known = build.replay.statements()
    first, second = list(build.texts())[:2]
    stored = tmp_path / "built.txt"
    monkeypatch.setattr(build, "BUILT", stored)
    stale = f"{first} 0 0", f"{second} 0 0", "no.text 0 0"
    seals.write(stored, stale)
    builds = [build.Record(build.texts(), known) for _ in range(2)]
    for record, name in zip(builds, (first, second), strict=True):  # both have read the record before either writes
        record.put(build.Built(name, "{}", "", 0))
    for record in builds:
        record.write()
    lines = {record_line(build.HERE, name, known) for name in (first, second)}
    assert seals.read(stored) == lines
    failing = build.Record(build.texts(), known)
    failing.put(build.Built(first, None, "refused", 0))
    failing.write()
    assert [line.partition(" ")[0] for line in seals.read(stored)] == [second]
    assert not failing.current(first) and failing.current(second)
