"""Checks of decoders compiled from an automaton or a Turing machine: the tokens that they output after every string up
to a length.

An interpreter of the program gives the right tokens. The model of an automaton is run once on the string and all of
these tokens: each position must answer with the next token (`symcook.decode.continued`). The model of a Turing machine
decodes token by token, at most `TOKENS` tokens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from symcook.compilers.automaton import put_out
from symcook.decode import continued, stream
from symcook.domains import RUNNABLE
from symcook.errors import BadInput, Undecided, require_known
from symcook.model.transformer import Program, Transformer
from symcook.programs.compiled import fitting
from symcook.programs.running import decodes, program_table, speech_of
from symcook.programs.steps import END, ahead_rows, document, labels, row_label, table_symbols, used_rows
from symcook.programs.turing import LETTERS, TuringMachine, read_turing
from symcook.spec.automata import tokens
from symcook.spec.turing import execute
from symcook.verify.comparison import Counterexample, LengthCount
from symcook.verify.findings import Check
from symcook.words import every

MOST = 2**20
"""The greatest number of strings in one check."""
TOKENS = 200
"""The greatest number of tokens that are compared after a string, as a Turing machine may never halt."""
AskDecoder = Callable[[Sequence[str]], tuple[list[str] | None, list[str]]]
"""From a string to what the model outputs (None where that is right) and what its program outputs. Raises Undecided."""


def check_decoded(
    model: Transformer,
    max_length: int | None,
    domain: str | None = None,
    digits: int = 30,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Compare the output of a compiled automaton or Turing machine after every string up to `max_length` with the run
    of its program; for a Turing machine, at most TOKENS tokens.

    Raises BadInput for a model of another program, for a length below 1, and for more than MOST strings.
    """
    program = model.program
    if program is None or not decodes(model):
        raise BadInput("the model must be a compiled automaton or Turing machine", model.name, "use symcook.check")
    # Check the arguments first, so that a wrong one is not refused after a long run.
    fitting(program, model.embedding.words or ())
    if domain is not None:
        require_known("number system", domain, RUNNABLE)
    domain = domain or ("exact" if program.kind == "dfa" else "ball")
    if type(max_length) is not int or max_length < 1:
        raise BadInput("the maximum length must be an integer of at least 1", max_length, "give --max-length N")
    letters, verdict, start = speech_of(model).letters, program.kind == "dfa", time.monotonic()
    ask = (_automaton if verdict else _machine)(model, program, domain, digits)
    strings = [len(letters) ** n for n in range(1, min(max_length, MOST) + 1)]
    if max_length > MOST or sum(strings) > MOST:
        must = f"a check of generated tokens must run at most {MOST:,} strings"
        all_lengths = "use symcook decide, which answers for all lengths"
        raise BadInput(must, f"length {max_length}", all_lengths if verdict else "give a smaller length")
    mismatches = unclear = 0
    # The empty string is an input if the model adds a token before it; no count includes it.
    shortest = model.embedding.shortest
    first, first_open, empty, counts, done = None, None, None if shortest else "agrees", [], 0
    for length in range(shortest, max_length + 1):
        accepted = 0
        for word in every(letters, length):
            try:
                decoded_tokens, wanted = ask(word)
            except Undecided:
                unclear += length > 0
                empty = "open" if length == 0 else empty
                first_open = first_open or _written(letters, word)
                continue
            # The last token of an automaton is its verdict.
            accepted += (decoded_tokens or wanted)[-1] == "yes"
            if decoded_tokens is not None:
                mismatches += length > 0
                empty = "differs" if length == 0 else empty
                first = first or _counterexample(letters, word, decoded_tokens, wanted, verdict)
            done += length > 0
            if progress is not None:
                progress(done, sum(strings))
        if length:
            counts.append(LengthCount(length, strings[length - 1], None if unclear or not verdict else accepted))
    most = "" if verdict else f", at most {TOKENS} a string"
    empty_text = "" if shortest else "the empty string and "
    how = f"exhaustive, {domain}: the tokens after {empty_text}all strings of length 1 to {max_length}"
    how += f"{most}; one pass a string" if verdict else most
    return Check(
        recipe=model.name,
        max_length=max_length,
        strings=sum(strings),
        mismatches=mismatches,
        first=first,
        method=how,
        seconds=time.monotonic() - start,
        domain=domain,
        open=unclear,
        first_open=first_open,
        empty_word=empty,
        against="its program",
        by_length=tuple(counts),
    )


def _automaton(model: Transformer, program: Program, domain: str, digits: int) -> AskDecoder:
    """How to ask the decoder of an automaton: by one pass over the right output; only if that differs, by decoding."""
    table, speech = program_table(program), speech_of(model)

    def asked(word: Sequence[str]) -> tuple[list[str] | None, list[str]]:
        """The tokens after a string: those of the decoder, if wrong, and those of the program."""
        wanted = list(put_out(model, tokens(table, word)))
        if continued(model, word, speech.heard(wanted), domain, digits).agrees:
            return None, wanted
        labels = stream(model, word, len(wanted) + 1, domain, digits)
        return [speech.said(label)["token"] for label in labels], wanted

    return asked


def _machine(model: Transformer, program: Program, domain: str, digits: int) -> AskDecoder:
    """How to ask the decoder of a Turing machine: token by token."""
    machine = read_turing(program.source)
    outputs = _output_texts(machine)
    if program.theorem:  # a token is a row of the machine's table; the start has no token
        texts = {f"={symbol}": text for symbol, text in outputs.items()} | {f"={machine.blank}": END}
        named = [(row_label(*key), key) for key in used_rows(machine)]  # unused rows are not tokens
        if not model.embedding.added:
            named = [(row_ahead.label, (row_ahead.state, row_ahead.reads)) for row_ahead in ahead_rows(machine)]
        for label, key in named:
            row = machine.rows[key]
            done = {"token": row.state, "write": list(row.writes), "move": [LETTERS[move] for move in row.moves]}
            texts[label] = _words(done, outputs)
    else:
        texts = {label: _words(document(token), outputs) for token, label in labels(machine).items()} | {END: END}

    def asked(word: Sequence[str]) -> tuple[list[str] | None, list[str]]:
        """The tokens after a string: those of the decoder, if wrong, and those of the program."""
        run = execute(machine, word, TOKENS + bool(program.theorem))
        documents = run.documents[1:] if program.theorem else run.documents
        wanted = [_words(token_document, outputs) for token_document in documents] + [END] * run.ended
        decoded_labels = stream(model, word, len(wanted), domain, digits)
        texts_decoded = [texts.get(label, f"the label {label}") for label in decoded_labels]
        return None if texts_decoded == wanted else texts_decoded, wanted

    return asked


def _output_texts(machine: TuringMachine) -> dict[str, str]:
    """The text of each symbol that is output: the symbol, with = before it if a state or the end is called so. Texts
    of different tokens differ, since they are compared."""
    taken, texts = {END, *machine.states}, dict[str, str]()
    for symbol in table_symbols(machine):
        text = symbol
        while text in taken:
            text = f"={text}"
        taken.add(text)
        texts[symbol] = text
    return texts


def _words(shown: Mapping[str, object], outputs: Mapping[str, str]) -> str:
    """A token of a Turing machine as a line: the state, what it wrote and how it moved, or the text in `outputs` of a
    symbol of the output."""
    if "write" not in shown:
        return outputs[str(shown["token"])]
    lists = (shown.get(key) for key in ("write", "move"))
    return " ".join(
        [str(shown["token"]), *(str(entry) for entries in lists if isinstance(entries, list) for entry in entries)]
    )


def _counterexample(
    letters: Sequence[str], word: Sequence[str], got: list[str], wanted: list[str], verdict: bool
) -> Counterexample:
    """The counterexample with options that replay it. A Turing machine needs the option --domain, since without it
    ``symcook run`` runs its program, not the weights."""
    spoken, option = _written(letters, word), "--input" if all(len(symbol) == 1 for symbol in letters) else "--tokens"
    domain_option = () if verdict else ("--domain", "ball")
    return Counterexample(spoken, got, wanted, (option, spoken, "--steps", str(len(wanted)), *domain_option))


def _written(letters: Sequence[str], word: Sequence[str]) -> str:
    """A string as a user types it."""
    return ("" if all(len(letter) == 1 for letter in letters) else " ").join(word)
