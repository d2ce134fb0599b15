"""The files of an own claim: certificate and statement belong to one model, and are checked again as they stand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symcook.__main__ import main
from symcook.errors import Rejected
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import replay
from symcook.proof.statements import certify

SENTENCE = 'vote(n) <= 1 & (at("(", n) -> 1 <= n)'
TEXT = "  given .. some string (..)\n  qed\n"


def votes(name: str = "votes", weight: int = 1) -> Transformer:
    embedding = Embedding(Space(("vote", "mean")), words={"a": {"vote": weight}, "b": {"vote": -1}, "(": {}})
    head = Head(reads=("vote",), writes=("mean",), Q=[[0]], K=[[0]], V=[[1]])
    readout = Readout("sign", "last", ("mean",), weights=[1])
    return Transformer(name, embedding, (Layer(SelfAttention((head,))),), readout)


def checker(folder: Path, stem: str = "votes") -> str:
    """What the second checker says of the files of a claim, without symcook."""
    root = replay.library().root
    certificate = json.loads((folder / f"{stem}.proof.json").read_text(encoding="utf-8"))
    lemmas = [str(root / "certificates" / f"{name}.json") for name in certify.below(certificate)]
    files = [str(folder / f"{stem}.statement.txt"), *lemmas, str(folder / f"{stem}.proof.json")]
    done = subprocess.run([sys.executable, "-I", str(root / "checker.py"), *files], capture_output=True, text=True)
    return done.stdout


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The three files, proved once."""
    folder = tmp_path_factory.mktemp("proved")
    votes().save(folder / "votes.json")
    assert main(["prove", str(folder / "votes.json"), "--statement", SENTENCE]) == 0
    assert "1 PROVED" in checker(folder) or "PROVED   own.votes" in checker(folder)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@pytest.fixture
def folder(proved: dict[str, str], tmp_path: Path) -> Path:
    for name, text in proved.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def again(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["prove", str(folder / "votes.json"), *more])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_a_certificate_is_checked_again_for_its_model(folder, capsys):
    code, said = again(folder, capsys)
    assert code == 0 and said.startswith(f"PROVED  {SENTENCE}\n") and "checked again" in said
    code, said = again(folder, capsys, "--json")
    row = json.loads(said)
    assert code == 0 and (row["status"], row["sentence"], row["reason"]) == ("PROVED", SENTENCE, None)
    model = folder / "votes.json"
    model.write_text(json.dumps(json.loads(model.read_text(encoding="utf-8"))), encoding="utf-8")  # the same model
    assert again(folder, capsys)[0] == 0


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("changed", [votes(weight=5), votes("other")])
def test_a_changed_model_is_said(folder, capsys, changed):
    changed.save(folder / "votes.json", force=True)
    code, said = again(folder, capsys)
    assert code == 3 and said.startswith("OPEN  ") and "stale: the model has changed" in said
    assert json.loads(again(folder, capsys, "--json")[1])["status"] == "OPEN"
    (folder / "votes.proof.json").unlink()
    main(["prove", str(folder / "votes.json"), "--statement", 'at("(", n) -> 1 <= n', "--force"])
    assert again(folder, capsys)[0] == 0


def changes(name: str, old: str, new: str):
    return pytest.param(name, old, new, id=f"{name}: {old} to {new}")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        changes("votes.statement.txt", "note: vote(n) <= 1", "note: vote(n) <= 2"),
        changes("votes.statement.txt", "(vote(n) <= 1 &", "(vote(n) <= 2 &"),
        changes("votes.statement.txt", "model: ", "model: 0"),
        changes("votes.statement.txt", "[own.votes]", "[own.vote]"),
        changes("votes.statement.txt", "define: odd(n) := ", "define: odd(n) := n < 0 & "),
        changes("votes.statement.txt", "\n[own.votes]", "\n[own.votes]\nstatement: 0 = 1\n\n[own.votes]"),
        changes("votes.statement.txt", "\n", "\r\n"),
        changes("votes.proof.json", '"id": "own.votes"', '"id": "own.vote"'),
        changes("votes.proof.json", '"statement": "', '"statement": "0'),
        changes("votes.proof.json", '"model": "', '"model": "0'),
        changes("votes.proof.json", '"sense": "proved"', '"sense": "refuted"'),
        changes("votes.proof.json", '"by": "', '"by": "un'),
    ],
)
def test_a_changed_file_is_not_accepted(folder, capsys, name, old, new):
    before = (folder / name).read_text(encoding="utf-8")
    assert old in before
    (folder / name).write_bytes(before.replace(old, new).encode())
    code, said = again(folder, capsys)
    assert code == 3 and said.startswith("OPEN  "), said
    if "note" not in old and "define" not in old:  # which are no parts of this statement
        assert "PROVED   own.votes " not in checker(folder)


def test_the_file_says_that_the_second_checker_does_not_read_its_note(folder, capsys):
    path = folder / "votes.statement.txt"
    text = path.read_text(encoding="utf-8")
    remark, note = text.splitlines()[-4:-2]
    assert remark.startswith("# The note is a remark that proofs/checker.py does not read") and note[:6] == "note: "
    path.write_text(text.replace(note, "note: accept"), encoding="utf-8")
    assert "PROVED   own.votes " in checker(folder)  # as the remark says
    code, said = again(folder, capsys)
    assert code == 3 and said.startswith("OPEN  ")
    path.write_text(text.replace(remark, "# The note is what is proved."), encoding="utf-8")
    assert again(folder, capsys)[0] == 3


@pytest.mark.parametrize("name", ["votes.json", "votes.2.json"])
def test_a_certificate_that_is_cut_off_is_bad_input_that_is_named(folder, capsys, name):
    stem = name.removesuffix(".json")
    for ending in (".proof.json", ".statement.txt"):
        (folder / f"{stem}{ending}").write_bytes((folder / f"votes{ending}").read_bytes())
    cut = folder / f"{stem}.proof.json"
    cut.write_bytes(cut.read_bytes()[:1000])
    code, said = again(folder, capsys)
    assert code == 2 and "this one is not valid JSON: " in said and "; make it again: prove with --statement" in said
    assert cut.name in said


def test_a_proof_text_that_is_not_there_is_said_before_what_stands_beside_the_model(folder, capsys):
    code, said = again(folder, capsys, "--statement", "vote(n) <= 1", "--proof", str(folder / "nothere"))
    assert code == 2 and "a proof script must be readable" in said and "nothere" in said
    code, said = again(folder, capsys, "--statement", SENTENCE, "--proof", str(folder / "nothere"))
    assert code == 2 and "a proof script must be readable" in said and "must not exist" not in said


@pytest.mark.sweep
def test_where_there_is_nothing_to_check_one_sentence_says_so(folder, capsys):
    for name in ("votes.statement.txt", "votes.proof.json"):
        (folder / name).unlink()
        code, said = again(folder, capsys)
        assert code == 2 and " next to it" in said and said.count("\n") == 1
    code, said = again(folder, capsys, "--full")
    assert code == 2 and "must be used alone" in said
    assert main(["prove", str(folder / "none.json")]) == 2


def test_files_of_an_earlier_time_are_to_be_made_again(folder, capsys):
    path = folder / "votes.proof.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    del old["model"]
    path.write_text(json.dumps(old), encoding="utf-8")
    code, said = again(folder, capsys)
    assert code == 2 and "must name its model" in said
    text = folder / "votes.statement.txt"
    kept = [x for x in text.read_text(encoding="utf-8").split("\n") if not x.startswith(("model:", "note:"))]
    text.write_text("\n".join(kept), encoding="utf-8")
    assert "PROVED   own.votes " in checker(folder)  # the second checker reads both


def test_a_certificate_of_another_model_is_refused():
    document = json.loads(modelfile.dumps(votes()))
    statement = certify.claim(document, SENTENCE)
    certificate = certify.prove(statement)
    other = certify.claim(document | {"source": "another place"}, SENTENCE)
    assert statement.formula == other.formula and statement.model != other.model
    lemmas = {name: replay.statements()[name] for name in certificate["lemmas"]}
    with pytest.raises(Rejected, match="another model"):
        replay.judge(other, certificate, lemmas)
    stored = replay.statements()["lem.sum_ext"]
    path = replay.library().root / "certificates" / "lem.sum_ext.json"
    with pytest.raises(Rejected, match="another model"):  # a stored statement is about none
        replay.judge(stored, replay.load_json(path.read_bytes()) | {"model": "0" * 64})


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("a b", "own.a-b"),
        ("", "own.model"),
        ("a/b", "own.a-b"),
        ("модель", "own.model"),
        ("a] b", "own.a-b"),
        ("x.y-z", "own.x.y-z"),
        ("..", "own.model"),
        ("a\nb", "own.a-b"),
        ("größe 2", "own.gr-e-2"),
        ("a.", "own.a"),
    ],
)
def test_a_model_of_any_name_gives_files_that_the_second_checker_reads(tmp_path, name, id):
    document = json.loads(modelfile.dumps(votes())) | {"name": name}
    statement = certify.claim(document, "vote(n) <= 1")
    assert statement.id == id
    certificate = certify.prove(statement)
    (tmp_path / "votes.statement.txt").write_text(certify.expanded(statement, certificate), encoding="utf-8")
    (tmp_path / "votes.proof.json").write_text(json.dumps(certificate), encoding="utf-8")
    assert f"PROVED   {id} " in checker(tmp_path)


def test_a_text_is_for_its_own_claim(tmp_path, capsys):
    votes("my votes").save(tmp_path / "v.json")
    proof = tmp_path / "v.proof"
    asked = ["prove", str(tmp_path / "v.json"), "--statement", SENTENCE, "--force", "--proof", str(proof)]
    for heading in ("other.id", "own.votes", "own.my"):
        proof.write_text(f"proof {heading}\n{TEXT}", encoding="utf-8")
        assert main(asked) == 2
        said = capsys.readouterr().err
        assert f"expected a text of own.my-votes; given: {heading}" in said and "line 1, column 1" in said
    proof.write_text(f"proof own.my-votes\n{TEXT}", encoding="utf-8")
    assert main(asked) == 0


@pytest.mark.sweep
def test_each_claim_has_its_own_certificate(folder, capsys):
    """A second claim leaves the first one's files as they are, and both are checked again, also by the second checker;
    the same claim twice is already proved, and --force, with a new claim, says which one it replaces."""
    first = (folder / "votes.proof.json").read_bytes()
    ask = ["prove", str(folder / "votes.json"), "--statement"]
    other = "vote(n) <= 2"
    assert main([*ask, other]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"PROVED  {other}\n") and "votes.2.proof.json" in said and "Replaced" not in said
    assert (folder / "votes.proof.json").read_bytes() == first
    assert "PROVED   own.votes" in checker(folder, "votes") and "PROVED   own.votes" in checker(folder, "votes.2")

    code, said = again(folder, capsys)
    assert code == 0 and said.count("checked again") == 2
    assert f"PROVED  {SENTENCE}" in said and f"PROVED  {other}" in said
    code, said = again(folder, capsys, "--json")
    row = json.loads(said)
    assert code == 0 and row["sentence"] == SENTENCE and [one["sentence"] for one in row["others"]] == [other]

    for sentence, file in ((SENTENCE, "votes.proof.json"), (other, "votes.2.proof.json")):
        before = (folder / file).stat().st_mtime_ns
        assert main([*ask, sentence]) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"already PROVED  {sentence}\n") and f"Certificate  {folder / file}\n" in said
        assert main([*ask, sentence, "--json"]) == 0
        row = json.loads(capsys.readouterr().out)
        assert (row["status"], row["method"]) == ("PROVED", "stored certificate, checked again")
        assert row["certificate"] == str(folder / file) and (folder / file).stat().st_mtime_ns == before
        assert main([*ask, sentence, "--force"]) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"PROVED  {sentence}\n") and "Replaced" not in said
    for ending in ("proof.json", "statement.txt"):  # a gap in the numbers hides nothing
        (folder / f"votes.2.{ending}").rename(folder / f"votes.4.{ending}")
    assert again(folder, capsys)[1].count("checked again") == 2
    (folder / "votes.4.json").write_text("{}", encoding="utf-8")  # whose certificate it is then
    assert again(folder, capsys)[1].count("checked again") == 1
    (folder / "votes.4.json").unlink()
    for ending in ("proof.json", "statement.txt"):
        (folder / f"votes.4.{ending}").rename(folder / f"votes.2.{ending}")
    assert sorted(path.name for path in folder.glob("*.proof.json")) == [
        "votes.2.proof.json", "votes.proof.json"
    ]  # fmt: skip

    assert main([*ask, "vote(n) <= 3", "--force"]) == 0
    assert f"Replaced     that of {SENTENCE}\n" in capsys.readouterr().out
    assert again(folder, capsys)[0] == 0

    target = folder / "votes.2.proof.json"
    target.write_text(target.read_text(encoding="utf-8").replace('"by": "', '"by": "un'), encoding="utf-8")
    code, said = again(folder, capsys)
    assert code == 3 and "PROVED  vote(n) <= 3" in said and f"OPEN  {other}" in said
    # What the checker does not accept is not "already PROVED", and is replaced with --force alone.
    assert main([*ask, other]) == 2 and "votes.2.proof.json; add --force" in capsys.readouterr().err
    assert main([*ask, other, "--force"]) == 0 and again(folder, capsys)[0] == 0
