"""Compiler from formulas that count to the soft-attention transformers of printed proofs, step by step as printed.

Each count takes a head (the mean of a truth), a lookup (a second head, whose score is maximal at the position of the
count) and a test (a feed-forward layer); a second lookup and test find out whether the count is 0. The models are not
instances of a family: a predicate is a function of all positions, whereas a table of a family is finite.

The paper leaves two points open. Where a count is 0, this construction retrieves what stands at position 1, and
subtracts 2 from it; a lookup of a count to the right sees all positions.
Source: Yang et al. (2026), Theorems 20 and 21, Corollaries 22 and 23; Lemma 9, Proposition 10. Variant (a) uses a
temperature, variant (b) a factor n in the keys of lookups and in the queries of the other heads.
"""

from __future__ import annotations

from dataclasses import replace

from symcook.compilers.formula import plan_of, predicate, rounded
from symcook.compilers.values import SEEN
from symcook.compose.builder import Builder
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Program, Transformer
from symcook.model.weights import feedforward, head
from symcook.programs.formula import Count, Formula, FormulaLine


class CountedConstruction:
    """The heads and feed-forward layers (`steps`) of a construction. The coordinate `bits[k]` has the truth of line k.

    `masked`: the theorem has causal masks only; `temporal`: heads compute 1 over the number of positions on a side
    (`inverse`); `scaled`: variant (b).
    """

    def __init__(self, formula: Formula, theorem: str) -> None:
        self.formula, self.theorem = formula, theorem
        self.masked = theorem[:2] in ("21", "23")
        self.temporal = theorem[:2] in ("22", "23")
        self.scaled = theorem.endswith("b")
        self.temperature = {"21": "1/i", "23": "1/i^2"}.get(theorem, "1" if self.scaled else "1/n")
        self.positions = {"one": "1", "index": "i", "square": "i^2"}
        self.steps: list[Head | FeedForward] = []
        self.meanings: dict[str, str] = {"one": "1"}
        self.bits: list[str] = []
        self.words: dict[str, frozenset[str]] = {}  # by coordinate of the embedding: the letters with a 1
        self._edges: set[str] = set()  # the marks of `edge` that exist
        self._means: dict[tuple[str, int], str] = {}  # the coordinate of each `mean`, by side and line
        if self.scaled:
            self.positions |= {"index_n": "i*n", "square_n": "i^2*n"}
        for number, line in enumerate(formula.lines):
            self.bits.append(self.line(f"z{number + 1}", line))
            self.meanings[self.bits[-1]] = formula.text(number)

    def line(self, z: str, line: FormulaLine) -> str:
        """Add the steps of a line, and return `z`, the coordinate that holds its truth."""
        if line.op == "letters":
            self.words[z] = line.letters
        elif line.op in ("not", "and", "or"):
            f, *g = (self.bits[k] for k in line.reads)
            both = f"relu({f} + {g[-1] if g else f} - 1)"
            text = {"not": f"relu(1 - {f})", "and": both, "or": f"relu({f} + {g[-1] if g else f}) - {both}"}
            self.write(z, text[line.op])
        elif line.op in ("prev", "next"):
            self.neighbour(z, line)
        elif line.op in ("since", "until"):
            self.lasting(z, line)
        elif line.op == "at least":
            self.compare(z, line)
        elif not line.counts:
            self.positions[z] = predicate(line, "i")
        else:
            self.of_count(z, line)
        return z

    def write(self, name: str, text: str) -> str:
        """Adds a feed-forward layer that writes one coordinate, and returns its name."""
        self.steps.append(feedforward({name: text}))
        return name

    # --- counts ---------------------------------------------------------------------------------------------------

    def inverse(self, side: str) -> str:
        """The coordinate with 1 over the number of positions on a side. In Theorems 20 and 21 it is a position
        encoding; in the corollaries the mean of a mark of the first or last position (Proposition 10c and d)."""
        name = f"inverse_{side}"
        if name not in self.meanings:
            self.meanings[name] = f"1/positions on the {side}"
            if self.temporal:
                self.steps.append(head(None, {name: self.edge(side)}, mask=SEEN[side], weighting="softmax"))
            else:
                self.positions[name] = "1/i" if side == "left" else "1/(n - i + 1)"
        return name

    def edge(self, side: str) -> str:
        """The mark of the first or last position, by Proposition 10a and b."""
        name = {"left": "first", "right": "last"}[side]
        if name not in self._edges:
            self._edges.add(name)
            self.positions["sign"] = "(-1)^i"
            mean_seen = f"seen_{side}"
            self.meanings |= {
                name: f"whether the position is the {name} one",
                mean_seen: f"mean of signs to the {side}",
            }
            self.steps.append(head(None, {mean_seen: "-sign"}, mask=SEEN[side], weighting="softmax"))
            # The mean of the signs is 1 at the first position and in [0, 1/3] later. At the last one it is 1 or -1.
            ends = (mean_seen,) if side == "left" else (mean_seen, f"-{mean_seen}")
            self.write(name, " + ".join(f"3*relu({end} - 1/3) - 3*relu({end} - 2/3)" for end in ends))
        return name

    def mean(self, count_term: Count) -> str:
        """Step 1: the coordinate with the share of the positions on a side at which a line is true."""
        key = (count_term.side, count_term.line)
        if key not in self._means:
            self._means[key] = name = f"mean{len(self._means) + 1}"
            self.meanings[name] = f"#{count_term.side}[{self.formula.text(count_term.line)}] over the positions there"
            self.steps.append(
                head(None, {name: self.bits[count_term.line]}, mask=SEEN[count_term.side], weighting="softmax")
            )
        return self._means[key]

    def lookup(self, name: str, count_term: Count, factor: int, value: str, more: bool = False) -> str:
        """Step 2: write to `name` the coordinate `value` of position C, with `more` of position C + 1, where C is the
        count. Queries are 3 factor (C/m, 1/m), where m is the number of positions on the side; keys are (2j, -j^2)."""
        mean_name, inverse_name = self.mean(count_term), self.inverse(count_term.side)
        index, square = ("index_n", "square_n") if self.scaled else ("index", "square")
        # 3 factor (2 j C/m - j^2/m) is greatest at j = C; with `more` at C + 1.
        score = {
            (mean_name, index): 6 * factor,
            (inverse_name, index): 6 * factor * more,
            (inverse_name, square): -3 * factor,
        }
        mask = "future" if count_term.side == "left" else "none"
        self.steps.append(head(score, {name: value}, mask=mask, weighting="softmax", temperature=self.temperature))
        return name

    def positive(self, count_term: Count) -> str:
        """The coordinate of the truth that a count C is positive: the line is true here, or C + 1, the index of the
        position looked up, is not 1."""
        name = f"positive_{count_term.side}{count_term.line + 1}"
        if name not in self.meanings:
            count = f"#{count_term.side}[{self.formula.text(count_term.line)}]"
            looked_up = f"next_{count_term.side}{count_term.line + 1}"
            self.meanings |= {looked_up: f"{count} + 1, about, where the line is false", name: f"{count} > 0"}
            self.lookup(looked_up, count_term, 1, "index", more=True)
            positive_else = self.write(f"{name}_else", rounded(f"{looked_up} - 1"))
            self.meanings[positive_else] = f"{count} > 0, where the line is false"
            self.write(name, f"1 - relu(1 - {self.bits[count_term.line]} - {positive_else})")
        return name

    def compare(self, z: str, line: FormulaLine) -> None:
        """Step 3: compare a sum of counts with `line.bound`. Each count is within 1/(4 Lambda), where Lambda is the sum
        of the absolute factors (`factor_sum`), so that the error of the sum is at most 1/4."""
        factor_sum = sum(abs(count.factor) for count in line.counts)
        parts = []
        for summand in line.counts:
            # There is no position 0: for a count of 0 position 1 is found, and 2 is subtracted before the ReLU.
            count = f"#{summand.side}[{self.formula.text(summand.line)}]"
            looked_up, kept = (
                f"{z}_{summand.side}{summand.line + 1}",
                f"{z}_{summand.side}{summand.line + 1}_kept",
            )
            self.meanings |= {looked_up: f"{count}, about, where it is not 0", kept: f"{count}, about"}
            self.lookup(looked_up, summand, factor_sum, "index")
            self.write(kept, f"relu({looked_up} + 2*{self.positive(summand)} - 2)")
            parts.append(f"{'-' if summand.factor < 0 else '+'} {abs(summand.factor)}*{kept}")
        # Without counts the truth is a constant, which the embedding holds.
        if parts:
            self.write(z, rounded(f"{' '.join(parts).removeprefix('+ ')} - {line.bound - 1}"))
        else:
            self.words[z] = frozenset(self.formula.alphabet if line.bound <= 0 else ())

    def of_count(self, z: str, line: FormulaLine) -> None:
        """A predicate of a count: its value at the position of the count; for a count of 0 its known value at 0."""
        (counted,) = line.counts
        table, looked_up = f"{z}_table", f"{z}_found"
        self.positions[table] = predicate(line, "i")
        self.meanings |= {
            table: "the predicate at i",
            looked_up: "the predicate at the count, about, where it is not 0",
        }
        self.lookup(looked_up, counted, 1, table)
        rounded_table = self.write(f"{z}_near", rounded(looked_up))
        self.meanings[rounded_table] = f"{looked_up}, rounded"
        # If the count is 0, the value looked up is ignored and replaced by the predicate's value at 0.
        true_at_zero = line.bound == 0 if line.op == "remainder" else line.table[0] == "1"
        positive_name = self.positive(counted)
        self.write(
            z,
            f"relu({rounded_table} + {positive_name} - 1)" + (f" + relu(1 - {positive_name})" if true_at_zero else ""),
        )

    # --- other positions ------------------------------------------------------------------------------------------

    def many(self) -> str:
        """The coordinate by which queries are multiplied: n in variant (b), else 1."""
        if self.scaled:
            self.positions["many"] = "n"
        return "many" if self.scaled else "one"

    def near(self, name: str, key: str, factor: object, value: str, side: str) -> None:
        """Add a head that writes to `name` the coordinate `value` of the nearest position where `key` is maximal."""
        query_scale = self.many()
        if self.masked:
            score = {(query_scale, key): f"{factor}/2", (query_scale, self.inverse("left")): -3}
        else:
            self.positions["share"] = "i/n"
            score = {(query_scale, key): factor, (query_scale, "share"): 3 if side == "left" else -3}
        self.steps.append(
            head(score, {name: value}, mask=SEEN[side], weighting="softmax", temperature=self.temperature)
        )

    def neighbour(self, z: str, line: FormulaLine) -> None:
        """prev and next: one head each for the nearest even and odd position. The network uses the result of the parity
        that position i does not have, and 0 at the edge."""
        side = "left" if line.op == "prev" else "right"
        edge_name = self.edge(side)
        for name, factor in ((f"{z}_even", 3), (f"{z}_odd", -3)):
            parity = name.partition("_")[2]
            self.meanings[name] = f"{self.formula.text(line.left)} at the nearest {parity} position, about"
            self.near(name, "sign", factor, self.bits[line.left], side)
        even, odd = f"{z}_even - 1 - sign - 2*{edge_name}", f"{z}_odd - 1 + sign - 2*{edge_name}"
        self.write(z, f"{rounded(even)} + {rounded(odd)}")

    def lasting(self, z: str, line: FormulaLine) -> None:
        """since and until: f & g at the nearest position where ~f | g is true."""
        f, g = (self.bits[k] for k in line.reads)
        stop_name = self.write(f"{z}_stop", f"1 - relu({f} - {g})")
        both_name = self.write(f"{z}_both", f"relu({f} + {g} - 1)")
        looked_up = f"{z}_found"
        self.meanings |= {
            stop_name: "where to stop",
            both_name: "what is found there",
            looked_up: f"{both_name} found, about",
        }
        self.near(looked_up, stop_name, 6, both_name, "left" if line.op == "since" else "right")
        self.write(z, rounded(looked_up))

    def model(self, source: str, name: str, kind: str) -> Transformer:
        """The model, with its plan."""
        alphabet = self.formula.alphabet
        words = {a: {z: int(a in letters) for z, letters in self.words.items()} for a in alphabet}
        if not self.words:
            words = {a: {"zero": 0} for a in alphabet}
        builder = Builder(words=words, positions=self.positions, max_length=self.formula.longest)
        for step in self.steps:
            builder.add(step)
        builder.readout("sign", "each", [self.bits[self.formula.outputs[0][1]], "one"], weights=[2, -1])
        model = builder.build(name, source=f"Yang et al. (2026), Theorem {self.theorem}: the printed construction")
        plan = plan_of(model, self.positions | self.meanings)
        return replace(model, program=Program(kind, source, alphabet, plan, self.theorem))
