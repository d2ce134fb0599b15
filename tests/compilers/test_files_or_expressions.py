"""One argument that is a file or an expression: what is a path is a file, read as what it is or refused by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkout import ROOT
from shared import call, document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.files import is_path
from symcook.programs.formats import format_of, listed
from symcook.programs.running import program_table

ODD = ROOT / "examples" / "automata" / "odd-ones.json"
ODD_JSON = ODD.read_text()
FOREIGN = {
    "a.dot": (
        'digraph { rankdir=LR; init [shape=point]; q0 [shape=doublecircle]; init -> q0; q0 -> q0 [label="a"]; }',
        "DOT",
    ),
    "b.gv": ("// a comment\nstrict graph x\n{\n}\n", "DOT"),
    "a.hoa": ('HOA: v1\nStates: 1\nStart: 0\nAP: 1 "a"\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n', "HOA"),
    "a.aut": ('des (0,2,2)\n(0,"a",1)\n(1,"b",0)\n', "Aldebaran"),
    "a.jff": ('<?xml version="1.0"?><structure><type>fa</type><automaton></automaton></structure>', "JFLAP"),
    "b.jff": ("<structure><type>fa</type><automaton></automaton></structure>", "JFLAP"),
    "a.xml": ("<automaton><state/></automaton>", "XML"),
    "words.txt": ("ab\nba\n", "list of strings"),
    "words.json": ('["ab","ba"]', "JSON"),
    "words": ("a b\nb a\n", "list of strings"),
}
"""{name of a file: (its content, the name of its format)}."""
PATHS = ("a.dot", "automata/even.jff", "no/such/file", "../x", "./x", "x.words", "my automata/even.jff", "/tmp/none",
         "none.json", "~/a.hoa")  # fmt: skip
EXPRESSIONS = ("(a.dot)", "a*", "a.b", ".b", "..", ".", "a..bb", "(a|b).bb", r"a\.bb", "()", "[]", "[a/b]", "(a/b)*",
               "Q_a", "1RB1LB_1LA1RZ", "prev Q_a // a comment", "1/2*#left[Q_a] > 1", "x(i) = in(i)/2")  # fmt: skip


def accepted(model: sc.Transformer, words: tuple[str, ...]) -> bool:
    """Whether the program of a model accepts all of these strings, which are over its alphabet."""
    assert model.program is not None
    table = program_table(model.program)
    return all({*word} <= {*table.alphabet} and table(word) for word in words)


@pytest.mark.parametrize("text", PATHS)
def test_what_has_the_form_of_a_path_is_one(text: str) -> None:
    assert is_path(text)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_what_has_operators_is_none(text: str) -> None:
    assert not is_path(text)


def test_what_exists_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("(ab)").touch()
    Path("aa").mkdir()
    assert is_path("(ab)") and not is_path("aa") and not is_path("a" * 10_000) and not is_path("a\0b")


@pytest.mark.parametrize("name", FOREIGN)
def test_another_format_is_named_and_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a file and as a text, with an alphabet that has all its characters and without; by each door."""
    monkeypatch.chdir(tmp_path)
    content, called = FOREIGN[name]
    Path(name).write_text(content)
    letters = " ".join(sorted({letter for letter in content if not letter.isspace()}))
    for source in (name, content):
        for alphabet in (None, letters):
            with pytest.raises(BadInput, match=called):
                sc.compile("dfa", source, alphabet=alphabet)
            options = () if alphabet is None else ("--alphabet", alphabet)
            assert called in refused(capsys, "compile", "dfa", source, *options, "-o", "o.json")
    assert not Path("o.json").exists()
    model = sc.compile("dfa", "(ab)*")
    model.save("m.json")
    assert called in refused(capsys, "decide", "m.json", "--against", name)


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_is_not_there_is_no_expression(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With an alphabet in which it could be read, and without."""
    letters = " ".join(sorted({*path} - {" "}))
    for alphabet in (None, letters):
        with pytest.raises(BadInput, match="must exist"):
            sc.compile("dfa", path, alphabet=alphabet)
        options = () if alphabet is None else ("--alphabet", alphabet)
        said = refused(capsys, "compile", "dfa", path, *options, "-o", tmp_path / "o.json")
        assert "must exist" in said and "--regex" in said
    model = sc.compile("ltl", "true", alphabet=letters)
    model.save(tmp_path / "m.json")
    for option in ("--against", "--inputs"):
        said = refused(capsys, "decide", tmp_path / "m.json", option, path)
        assert "must exist" in said and f"({path})" in said, said
    with pytest.raises(BadInput, match="expression"):
        model.decide(path)


def test_an_expression_with_the_form_of_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`regex` and brackets say that it is one; it is kept as one in the model's file."""
    for source, regex in (("a.dot", True), ("(a.dot)", False)):
        model = sc.compile("dfa", source, alphabet="adot", regex=regex)
        assert accepted(model, ("aadot", "atdot")) and not accepted(model, ("a.dot", "adot"))
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "dfa", "{a*}", "--alphabet", "{ a }", "--regex", "-o", file)[0] == 0
    assert accepted(sc.load(file), ("{}", "{aa}"))
    assert "--regex" in refused(capsys, "compile", "ltl", "true", "--alphabet", "a", "--regex", "-o", tmp_path / "n")


def test_an_expression_in_several_parts_needs_an_alphabet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source in ("a b*", "a*\nb*", "(a|b)* b"):
        for how in ((), ("--regex",)):
            assert "--alphabet" in refused(capsys, "compile", "dfa", source, *how, "-o", tmp_path / "o.json")
    for source in ("a b*", "a*\nb*"):
        assert call(capsys, "compile", "dfa", source, "--alphabet", "ab", "-o", tmp_path / "o.json", "--force")[0] == 0


@pytest.mark.parametrize("source", ["^a*$", r"\w+", r"a\b", "(?:ab)*", "[^a]b", "a{b}", "a-b"])
def test_signs_of_other_tools_are_no_symbols_without_an_alphabet(source: str) -> None:
    """They were: `compile dfa '^a*$'` made a model over the symbols ^ a $."""
    with pytest.raises(BadInput, match="other symbols than letters and digits must have an alphabet"):
        sc.compile("dfa", source)


def test_what_a_file_is_read_as_and_the_alphabet_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "even.txt"
    file.write_text("(aa)*b?\n")
    code, out, _ = call(capsys, "compile", "dfa", file, "-o", tmp_path / "o.json")
    assert code == 0 and "symbols a b" in out and "even.txt is a regular expression" in out
    code, out, _ = call(capsys, "compile", "dfa", ODD, "-o", tmp_path / "p.json")
    assert code == 0 and "symbols 0 1" in out and f"{ODD.name} is an automaton in JSON" in out
    code, out, _ = call(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", tmp_path / "q.json")
    assert code == 0


def test_python_reads_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.json").write_text(ODD_JSON)
    Path("next.ltl").write_text("alphabet a b; prev Q_a")
    assert (
        sc.compile("dfa", "odd.json") == sc.compile("dfa", Path("odd.json")) == sc.compile("dfa", ODD_JSON, name="odd")
    )
    assert sc.compile("ltl", "next.ltl").name == "next"
    with pytest.raises(BadInput, match="No such file"):
        sc.compile("srasp", Path("sort"))


def test_the_program_of_a_model_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has come to be called as the program of a stored model changes nothing."""
    monkeypatch.chdir(tmp_path)
    from symcook.compilers import genuine

    models = [sc.compile("dfa", "ab"), sc.compile("ltl", "Q_a", alphabet="ab")]
    Path("ab").write_text("b*a")
    Path("Q_a").write_text("Q_b")
    assert all(map(genuine, models))


def test_inputs_that_are_another_format_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sc.compile("ltl", "prev Q_a", alphabet="ab").save("m.json")
    for name in ("a.dot", "a.hoa", "a.aut", "a.jff"):
        Path(name).write_text(FOREIGN[name][0])
        assert FOREIGN[name][1] in refused(capsys, "check", "m.json", "--max-length", "2", "--inputs", name)
    Path("words.txt").write_text("ab\nba\n")
    assert (
        document(capsys, "check", "m.json", "--max-length", "2", "--inputs", "words.txt", "--json")["inputs"]
        == "words.txt"
    )


def test_our_own_formats_are_none_of_the_others() -> None:
    for text in (ODD_JSON, "(ab)*", "a b c", "[0]", "<a>", "a* |\nb", ""):
        assert format_of(text) is listed(text) is None, text
    for text in ("alphabet a b;\nprev Q_a", "x(i) = in(i);\ny(i) = x(i)", "graph a _ -> h a R R", "<a b -> c _ L R"):
        assert format_of(text) is None, text


def test_a_finite_language_needs_no_length(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = sc.compile("ltl", "prev Q_a", alphabet="ab")
    model.save("m.json")
    Path("words.txt").write_text("ab\nbaa\n")
    assert document(capsys, "check", "m.json", "--inputs", "words.txt", "--json")["count"] == 2
    assert model.check(inputs="(a|b){2}").holds
    assert "--max-length" in refused(capsys, "check", "m.json", "--inputs", "a*")
