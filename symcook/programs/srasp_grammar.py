"""The grammar of S-RASP programs, and how its signs are shown."""

from __future__ import annotations

import re

from symcook.programs.reading import NAMED, SHARED

GRAMMAR = (
    SHARED
    + r"""
start: [header END] definition (END definition)* [END] -> whole
header: ALPHABET (WORD | QUOTED)+
definition: NAME [OPEN NAME CLOSE] EQUAL expr
?expr: both | expr OR both -> joined
?both: negated | both AND negated -> joined
?negated: compared | NOT negated -> negation
?compared: total | total sign total -> comparison
?total: factor | total (PLUS | MINUS) factor -> added
?factor: unary | factor (TIMES | OVER) unary -> multiplied
?unary: atom | MINUS unary -> minus | TILDE unary -> negation
    | IF expr THEN expr ELSE expr -> choice
    | PSUM NAME SQUARE mask SQUARED expr -> prefix_sum
    | (LEFT | RIGHT) NAME SQUARE mask (COMMA expr)* SQUARED expr COLON expr -> nearest
?atom: OPEN expr CLOSE -> inner
    | INTEGER -> integer | QUOTED -> letter | (TRUE | FALSE) -> constant
    | NAME -> bare | NAME OPEN NAME CLOSE -> placed
    | MAP OPEN expr SEMICOLON entry (COMMA entry)* [COMMA] CLOSE -> mapped
    | SELECT OPEN expr COMMA expr COMMA sign CLOSE -> select
    | AGGREGATE OPEN expr COMMA expr [COMMA expr] CLOSE -> aggregate
    | WIDTH OPEN expr CLOSE -> width
entry: (QUOTED | INTEGER | MINUS INTEGER | TRUE | FALSE | ELSE) COLON expr
mask: TRUE | NAME sign NAME
sign: EQUAL | OTHER | LESS | MORE | NOT_LESS | NOT_MORE
ALPHABET.3: /alphabet\b/
IF.3: /if\b/
THEN.3: /then\b/
ELSE.3: /else\b/
PSUM.3: /psum\b/
LEFT.3: /left\b/ | "◀"
RIGHT.3: /right\b/ | "▶"
MAP.3: /map\b/
SELECT.3: /select\b/
AGGREGATE.3: /aggregate\b/
WIDTH.3: /selector_width\b/
TRUE.3: /true\b/ | "⊤"
FALSE.3: /false\b/ | "⊥"
OR.3: "|" | "∨" | /or\b/
AND.3: "&" | "∧" | /and\b/
NOT.3: /not\b/
TILDE: "~" | "¬"
EQUAL: "==" | "="
OVER: "/"
COLON: ":"
INTEGER: /[0-9]+/
QUOTED: /"([^"\\\n]|\\.)*"/ | /'([^'\\\n]|\\.)*'/
NEWLINE: /\n/
%declare END
%ignore /[ \t\r\f]+/
"""
)
"""The grammar, for lark. Rules of expressions are ordered from the weakest operator to the strongest. The priority `.3`
makes the lexer prefer a keyword to a NAME; `SQUARE mask SQUARED` is a mask such as `[j <= i]`. The terminals from OTHER
to COMMENT are defined in SHARED; END comes from `srasp_reading._EndTokens`, where a definition ends."""
WORDS = frozenset((
    "alphabet", "if", "then", "else", "psum", "left", "right", "map", "select", "aggregate", "selector_width", "true",
    "false", "and", "or", "not", "in", "tokens", "indices", "length", "i", "j", "def",
))  # fmt: skip
"""The words of the language, which cannot be names of definitions: keywords, inputs and positions, and "def", which the
reader refuses."""


def is_name(text: str) -> bool:
    """Whether `text` can be the name of a definition."""
    return text not in WORDS and re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is not None


SHOWN = {
    **NAMED, "IF": "if", "THEN": "then", "ELSE": "else", "NOT": "not", "TILDE": "~", "OVER": "/", "COLON": ":",
    "END": "the end of the line", "TRUE": "true", "FALSE": "false",
}  # fmt: skip
"""How messages name the terminals."""
BEGINS = {"INTEGER", "QUOTED", "NAME", "OPEN", "PSUM"}
"""If the parser expects all of these terminals, an expression can begin there, and messages say "a value"."""
JOINS = frozenset(("OR", "AND", "EQUAL", "OTHER", "LESS", "MORE", "NOT_LESS", "NOT_MORE", "PLUS", "MINUS", "TIMES",
                    "OVER"))  # fmt: skip
"""The terminals of binary operators, which messages together call "an operator"."""
MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The sign of a comparison after its sides are exchanged."""
