"""What gradient descent finds where a construction exists: Section 5 of Chiang and Cholak 2022, at small sizes.

    pip install 'symcook[plots,torch]'
    python examples/learn.py first -o figures
    python examples/learn.py parity --train 10 --epochs 200 -o figures

Standard transformers with as many layers and heads and the same fixed position encodings as the recipes `first` and
`parity`, d_model = 16, d_FFNN = 64, post-norm with epsilon = 1/100000, Adam with rate 3e-4, an epoch of 100 training
words and 100 test words, with and without attention scaled by log n. Written are LANGUAGE-learned.csv (a line for each
kind of attention, length of training and epoch: means over the seeds) and, with matplotlib, the panels of Figure 4.

The paper averages 20 runs of up to 1000 symbols and does not print its seeds: curves can be compared in kind and not in
numbers. Floats throughout: nothing here is proved.
"""

from __future__ import annotations

import argparse
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

WIDTH, HIDDEN, EPSILON, RATE, WORDS = 16, 64, 1e-5, 3e-4, 100
LAYERS, HEADS = 2, {"first": 1, "parity": 2}
QUANTITIES = ("cross-entropy (bits)", "accuracy", "attention on the first symbol, summed over layers")


class Row(NamedTuple):
    """One epoch: `values` are the `QUANTITIES` on the test words."""

    scaled: bool
    length: int
    epoch: int
    values: tuple[float, float, float]


def encoder(language: str, scaled: bool) -> Any:
    """An untrained network: word indices (0, 1, and 2 for CLS in front) to the logit at CLS and, by layer, what CLS
    gives to each position, a mean over the heads."""
    torch = import_module("torch")
    nn = torch.nn

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.queries, self.keys, self.values, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
            self.forward_part = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, WIDTH))
            self.first, self.second = (nn.LayerNorm(WIDTH, eps=EPSILON) for _ in range(2))

        def forward(self, x: Any, asks: Any) -> tuple[Any, Any]:
            """`x` has all positions, `asks` those that are wanted of the layer."""
            parts = WIDTH // HEADS[language]
            q, k, v = (
                f(y).unflatten(-1, (-1, parts)).transpose(1, 2)
                for f, y in ((self.queries, asks), (self.keys, x), (self.values, x))
            )
            scores = q @ k.transpose(-1, -2) / math.sqrt(parts) * (math.log(x.shape[1]) if scaled else 1)
            weights = scores.softmax(-1)
            mixed = self.out((weights @ v).transpose(1, 2).flatten(-2))
            middle = self.first(asks + mixed)
            return self.second(middle + self.forward_part(middle)), weights[:, :, 0].mean(1)

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(3, WIDTH)
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.logit = nn.Linear(WIDTH, 1)

        def forward(self, words: Any) -> tuple[Any, Any]:
            places = torch.arange(words.shape[1])
            positions = torch.zeros(words.shape[1], WIDTH)
            if language == "first":
                positions[:, 0] = places == 1
            else:
                positions[:, 0], positions[:, 1] = places / words.shape[1], 1 - 2 * (places % 2)
            x, seen = self.words(words) + positions, []
            for number, layer in enumerate(self.layers):
                x, weights = layer(x, x if number < LAYERS - 1 else x[:, :1])
                seen.append(weights)
            return self.logit(x[:, 0])[:, 0], torch.stack(seen)

    return Encoder()


def train(language: str, scaled: bool, length: int, tested: int, epochs: int, seed: int) -> list[Row]:
    """One run: the network is trained on words of `length` symbols and tested on words of `tested` ones."""
    torch = import_module("torch")
    torch.set_num_threads(1)  # the matrices are small
    random = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    network = encoder(language, scaled)
    steps = torch.optim.Adam(network.parameters(), lr=RATE)
    loss = torch.nn.BCEWithLogitsLoss()

    def drawn(count: int, size: int) -> tuple[Any, Any]:
        symbols = torch.randint(2, (count, size), generator=random)
        label = symbols[:, 0] if language == "first" else symbols.sum(1) % 2
        return torch.cat((torch.full((count, 1), 2), symbols), 1), label.float()

    rows = []
    for epoch in range(1, epochs + 1):
        for words, labels in (drawn(1, length) for _ in range(WORDS)):
            steps.zero_grad()
            loss(network(words)[0], labels).backward()
            steps.step()
        with torch.no_grad():
            words, labels = drawn(WORDS, tested)
            logits, seen = network(words)
            right = ((logits > 0) == (labels > 0)).float().mean()
            first = seen[:, :, 1].sum(0).mean()
            rows.append(
                Row(scaled, length, epoch, (float(loss(logits, labels)) / math.log(2), float(right), float(first)))
            )
    return rows


def means(runs: list[list[Row]]) -> list[Row]:
    """The rows of several seeds as one."""
    rows = []
    for same in zip(*runs, strict=True):
        columns = zip(*(row.values for row in same), strict=True)
        rows.append(same[0]._replace(values=tuple(sum(column) / len(same) for column in columns)))
    return rows


def panels(language: str, rows: list[Row], tested: int) -> bytes:
    """Figure 4: rows of panels for cross-entropy, accuracy and attention; columns for plain and scaled scores."""
    from symcook.report.figure import COLOURS, DASHES, drawn

    def draw(sheet: Any) -> None:
        grid = sheet.subplots(len(QUANTITIES), 2, sharex=True, sharey="row", squeeze=False)
        for side, scaled in enumerate((False, True)):
            for number, (name, axes) in enumerate(zip(QUANTITIES, grid[:, side], strict=True)):
                mine = [row for row in rows if row.scaled == scaled]
                for place, length in enumerate(sorted({row.length for row in mine})):
                    ys = [row.values[number] for row in mine if row.length == length]
                    style = {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place % len(DASHES)]}
                    axes.plot(range(1, len(ys) + 1), ys, label=f"n = {length}", linewidth=1.3, **style)
                axes.grid(True, color="#dddddd", linewidth=0.6)
                if side == 0:
                    axes.set_ylabel(name)
            grid[0, side].set_title("scores times log n" if scaled else "plain", fontsize=11)
            grid[-1, side].set_xlabel("epoch")
        grid[0, 0].legend(fontsize=9)
        sheet.suptitle(f"Training on {language}, tested on words of {tested} symbols", fontsize=12)

    return drawn(draw, (7.2, 7.8), "png")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("language", choices=sorted(HEADS))
    parser.add_argument("--train", default="10,30,100", metavar="N,N,...", help="lengths of the training words")
    parser.add_argument("--test", type=int, default=300, metavar="N", help="length of the test words (the paper: 1000)")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=2, help="how many runs are averaged (the paper: 20)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    given = parser.parse_args(arguments)
    lengths = [int(n) for n in given.train.split(",")]
    if min(*lengths, given.test, given.epochs, given.seeds) < 1:
        parser.error("lengths, epochs and seeds must be at least 1")
    try:
        import_module("torch")
    except ImportError:
        parser.error("training needs torch: pip install 'symcook[torch]'")
    given.output.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for scaled in (False, True):
        for length in lengths:
            runs = []
            for seed in range(given.seeds):
                print(f"{'scaled' if scaled else 'plain'}, n = {length}, seed {seed}", file=sys.stderr)
                runs.append(train(given.language, scaled, length, given.test, given.epochs, seed))
            rows += means(runs)
    head = "scores,train_length,epoch,cross_entropy_bits,accuracy,attention_first\n"
    lines = [
        f"{'scaled' if row.scaled else 'plain'},{row.length},{row.epoch},{','.join(map(repr, row.values))}\n"
        for row in rows
    ]
    target = given.output / f"{given.language}-learned.csv"
    target.write_text(head + "".join(lines), encoding="ascii", newline="\n")
    print(f"wrote {target}")
    try:
        picture = panels(given.language, rows, given.test)
    except ImportError:
        return 0
    target.with_suffix(".png").write_bytes(picture)
    print(f"wrote {target.with_suffix('.png')}")
    for scaled in (False, True):
        for length in lengths:
            last = [r for r in rows if (r.scaled, r.length) == (scaled, length)][-1]
            shown = ", ".join(f"{name} {value:.3f}" for name, value in zip(QUANTITIES, last.values, strict=True))
            print(f"  {'scaled' if scaled else 'plain':6}  n = {length:4}  {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
