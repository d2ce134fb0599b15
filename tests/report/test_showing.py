"""What answers show in a notebook: automata as pictures, closed forms typeset, digits beside their positions."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import pytest

import symcook as sc
from symcook.closed import every_length
from symcook.decide.automata import Automaton


def drawn(html: str) -> str:
    """The one picture of an answer."""
    found = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="[^"]+"', html)
    assert len(found) == 1
    return base64.b64decode(found[0]).decode()


def test_an_automaton_shows_itself() -> None:
    odd = Automaton(("0", "1"), ((0, 1), (1, 0)), (False, True))
    assert repr(odd) == "<Automaton 2 states over 0 1>"
    assert len(list(ElementTree.fromstring(drawn(odd._repr_html_())).iter("{http://www.w3.org/2000/svg}circle"))) == 3
    assert "<style>" not in odd._repr_html_()  # which would be that of the whole notebook
    assert "q1" in odd.text() and "accept" in odd._repr_latex_()


def test_a_large_automaton_is_no_picture() -> None:
    ring = Automaton(("a",), tuple(((k + 1) % 50,) for k in range(50)), tuple(k == 0 for k in range(50)))
    assert "<img" not in ring._repr_html_() and "too many states" in ring.text()


def test_a_decision_shows_its_automaton() -> None:
    found = sc.build("dyck-1-2").decide()
    assert found.automaton is not None
    picture = drawn(found._repr_html_())
    assert all(f">{name}<" in picture for k, name in enumerate(found.automaton.names) if k != 2)
    assert "<img" not in found.text()


def test_closed_forms_at_every_length_are_typeset() -> None:
    found = every_length(sc.build("parity"))
    html = found._repr_html_()
    assert html.count("parity, all lengths") == len(found.forms) == 4
    assert html.count("<math") >= 8 and "<mfrac>" in html and "accept" in html and "reject" in html
    assert r"\tanh" in found._repr_latex_() and repr(found).startswith("<EveryLength parity")
    assert found.forms[0]._repr_html_().count("all lengths") == 1
    assert "accept iff" in every_length(sc.build("dyck-1"))._repr_html_()


@pytest.mark.sweep
def test_derive_without_an_input_gives_the_forms_at_every_length() -> None:
    """As the command does: the cases, the way, and after `prove` what is proved; the same as a method and in HTML."""
    model = sc.build("count")
    found = sc.derive(model)
    assert [form.output for form in found.forms] == [form.output for form in every_length(model).forms]
    assert model.derive().text() == found.text() and "Before the output:" in found.text()
    assert "no proof was requested; prove()" in found.text() and found.to_json()[0]["proved"] is None
    proved = found.prove(seconds=30)
    assert "PROVED: " in proved.text() and "not proved" not in proved.text()
    assert "PROVED: " in proved._repr_html_() and "no proof was requested" in found._repr_html_()
    assert proved.to_json()[0]["proved"] is True and proved.proof.verdict.status == "PROVED"
    assert sc.derive(sc.build("parity"), values={"c": 2}).forms[1].output == {"logit": "2*tanh(2)/n^2"}


def test_closed_forms_that_name_a_letter_are_shown() -> None:
    """Its name may be anything, and is no formula."""
    words = {"<b>": {"x": 1}, "b": {"x": 0}}
    readout = sc.Readout("sign", "last", ("x",), [[1]])
    found = every_length(sc.Transformer("letters", sc.Embedding(sc.Space(("x",)), words), (), readout))
    assert "&lt;b&gt;" in found._repr_html_() and "<b>&quot;" not in found._repr_html_()
    assert r"\textless{}b\textgreater{}" in found._repr_latex_() and '"<b>"' in found.text()


def test_a_position_is_not_taken_for_a_digit() -> None:
    """Both are digits in a word of them; brackets need no quotes."""
    html = sc.build("first-position").run("01", trace=True)._repr_html_()
    assert "1: &quot;0&quot;" in html and "2: &quot;1&quot;" in html and "1: 0<" not in html
    assert "1: (" in sc.build("dyck-1").run("()", trace=True)._repr_html_()
    assert "value at position 2: )" in sc.build("dyck-1").run("()")._repr_html_()
