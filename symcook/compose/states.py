"""A state dict of a plain transformer as an exact model: every float stands for the dyadic number that it is.

In: weights by key, in the layout of torch.nn.TransformerEncoder, or in one that `symcook.published` turns into it. Out:
a `Transformer` over coordinates x0, x1, .... Biases of attention and of the output need a further coordinate that is 1
everywhere, which no norm may change; the layout of the layers depends on that (`_Checkpoint`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.compose.layouts import READ, seen
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.model.checks import Space, dyadics, listed_name
from symcook.model.choices import MaskWord, PositionWord, shown_word
from symcook.model.ends import Embedding, Readout, TokenRows
from symcook.model.parts import (
    ACTIVATIONS,
    MASKS,
    AnyNetwork,
    AnyNorm,
    FeedForward,
    GatedUnits,
    Head,
    Layer,
    LayerNorm,
    RMSNorm,
    SelfAttention,
)
from symcook.model.rationals import quotient
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.published.answers import answer
from symcook.published.converted import add_final_norm, arrays, convert, recognised
from symcook.published.formats import TORCH, WORDS

if TYPE_CHECKING:
    from symcook.numbers.matrix import RationalMatrix


_LAYER = {
    "self_attn.in_proj_weight": (True, "3 d x d"), "self_attn.in_proj_bias": (False, "3 d"),
    "self_attn.out_proj.weight": (True, "d x d"), "self_attn.out_proj.bias": (False, "d"),
    "linear1.weight": (True, "h x d"), "linear1.bias": (False, "h"),
    "linear2.weight": (True, "d x h"), "linear2.bias": (False, "d"),
    "gate.weight": (True, "h x d"), "gate.bias": (False, "h"),
    "norm1.weight": (False, "d"), "norm1.bias": (False, "d"), "norm2.weight": (False, "d"), "norm2.bias": (False, "d"),
}  # fmt: skip
"""The keys of a layer: whether the weight is a matrix, and its shape."""
NORMS = ("pre", "post", "none")
"""Where the norms of the layers stand."""
_OUTSIDE = ("embedding.weight", "positions.weight", "norm.weight", "norm.bias", "output.weight", "output.bias")
"""The keys that belong to no layer."""


@door()
def from_state_dict(
    state: Mapping[str, object],
    *,
    vocabulary: Sequence[str],
    heads: int | None = None,
    norm: str | None = None,
    mask: MaskWord = "causal",
    activation: str | None = None,
    epsilon: Exact = "1/100000",
    labels: Sequence[str] | None = None,
    name: str = "imported",
    format: str | None = None,
    readout: str = "largest",
    label: str | None = None,
    position: PositionWord = "each",
    before: str | None = None,
    after: str | None = None,
    rotary: str | None = None,
) -> Transformer:
    """The exact model of a plain transformer whose weights are torch tensors, numpy arrays or nested lists.

    Keys and shapes, with d coordinates, V tokens, h hidden units, l = 0, 1, ... (those of
    torch.nn.TransformerEncoder for the layers; a common prefix such as "encoder." is allowed, biases may be left
    out, but for those of norms): embedding.weight V x d; positions.weight N x d, its row k added at position k + 1;
    layers.{l}.self_attn.in_proj_weight 3 d x d and in_proj_bias (queries, keys, values),
    self_attn.out_proj.weight d x d and .bias; layers.{l}.linear1.weight h x d, linear2.weight d x h with biases;
    layers.{l}.norm1 and norm2 .weight and .bias d; norm.weight and .bias d, a final norm; output.weight labels x d
    and .bias; with layers.{l}.gate.weight h x d the units are gated. The names of other libraries are read too
    (`symcook.published.formats` has a table for each): GPT-2, minGPT and nanoGPT, Llama and Qwen, TransformerLens,
    picoGPT. For a folder or a file, see `from_pretrained`.

    The readout gives the label of the largest output at each position, or without output.weight the residual stream
    itself. What the keys leave open has no default: its norm (with layers; the keys ln1 and ln2 say "pre"), its
    activation (with feed-forward layers) and heads (with scores that are not 0). Biases of attention are weights of
    a coordinate `one` that is 1 everywhere. A post-norm would change that coordinate: with norm="post" and biases
    of attention or output, each residual sum is stored in d new coordinates, and the next sublayer reads the
    normalised copy.

    Arguments:
        state: {key: tensor, array or nested list}. The weights.
        vocabulary: list of str. The tokens, in the order of embedding.weight.
        heads: int or None (None). The number of heads, which divides d; scores are divided by sqrt(d/heads). By
            default the matrices of a HookedTransformer give it.
        norm: str or None (None). "pre", "post" or "none": norm1 before or after attention, norm2 before or after
            the feed-forward layer.
        mask: str ("causal"). The mask of every head, as in `Head`.
        activation: str or None (None). The activation, as in `FeedForward`.
        epsilon: exact ("1/100000"). The epsilon of the norms.
        labels: list of str or None (None). The labels of output.weight; the tokens by default.
        name: str ("imported"). The name of the model.
        format: str or None (None). "torch", "gpt2", "mingpt", "numpy", "llama", "hooked" or "bridge"; by default what
            the keys say.
        readout: str ("largest"). "largest": the label of the largest output. "positive": which outputs are above 0;
            with one label the model accepts or rejects. "leads": whether the output of `label` is greater than all
            others.
        label: str or None (None). The label for readout="leads".
        position: str ("each"). The positions of the answer, as in `Readout`.
        before: str or None (None). A token that is added before every input, as in `Embedding`.
        after: str or None (None). A token after every input.
        rotary: str or None (None). "none" says that weights with the names of Llama have no rotary positions, which
            symcook does not compute yet.

    Returns: Transformer.

    Raises: BadInput: whatever does not fit; the message has the key.

    Example:

    >>> state = {"embedding.weight": [[1, 0], [0, 1]], "output.weight": [[0, 1], [1, 0]]}
    >>> from_state_dict(state, vocabulary=["a", "b"]).run("ab").outputs
    ['b', 'a']

    Source: Cookbook, Section 2.2; the formulas are those of Definition 2.3 with biases.
    """
    require_known("format", format or TORCH, WORDS)
    word = TORCH
    if isinstance(state, Mapping) and state:
        word = recognised(arrays(state), format) or TORCH
    facts: dict[str, Any] = {}
    if word != TORCH:
        found = convert(state, word, heads)
        require_no_rotary(word, rotary)
        state, facts = found.state, found.facts
        norm, activation = _said(word, facts, state, norm, activation)
        add_final_norm(found, norm)
    facts |= {name: value for name, value in (("norm", norm), ("activation", activation)) if value is not None}
    facts = {"heads": heads, "epsilon": epsilon, "mask": mask} | facts
    return assembled(state, word, facts, vocabulary, labels, name, (readout, label, position, before, after))


def assembled(
    state: Mapping[str, object], word: str, facts: Mapping[str, Any], vocabulary: Sequence[str],
    labels: Sequence[str] | None, name: str, ends: tuple[Any, ...],
) -> Transformer:  # fmt: skip
    """The model of weights that have our names already.

    Arguments:
        state: {key: array or nested list}.
        word: the word for the format that they had.
        facts: "heads", "norm", "activation", "epsilon", "mask", "kind" (of norms: "layer" or "rms"), "scale" (of
            scores); a missing one is None or has its default.
        vocabulary: as in `from_state_dict`.
        labels: as in `from_state_dict`.
        name: as in `from_state_dict`.
        ends: the arguments readout, label, position, before and after of `from_state_dict`.
    """
    return _Checkpoint(state, vocabulary, facts, labels, name, word != TORCH, ends).model()


def require_no_rotary(word: str, rotary: str | None) -> None:
    """Raise BadInput where weights of Llama may have rotary positions, which no key says."""
    require_known("rotary", rotary or "none", ("none",))
    if word == "llama" and rotary is None:
        must = "weights with the names of Llama must be without rotary positions, which symcook does not compute yet"
        raise BadInput(must, "no word about them", 'write rotary="none" if the model has none')


def _said(
    word: str, facts: Mapping[str, Any], state: Mapping[str, object], norm: str | None, activation: str | None
) -> tuple[str | None, str | None]:
    """The norm and the activation, as they are given or as the format and its keys say; None for what is open.

    Weights of norms in layers are those of norms before the parts. Without them there may be norms without weights
    (LNPre of TransformerLens), or none.
    """
    if norm is not None:
        require_known(f"norm of the format {word}", norm, ("none", "pre") if "norm" not in facts else (facts["norm"],))
    if norm is None and ("norm" in facts or any(".norm1." in key or ".norm2." in key for key in state)):
        norm = "pre"
    return norm, activation or facts.get("activation")


class _Checkpoint:
    """Reads a state dict and builds the model. `used` collects the keys that were read, since all others are refused.

    A bias of attention or of the output needs the coordinate ``one``, which is 1 everywhere and which a norm over the
    whole residual stream would change. `one` says whether the model has that coordinate: all have it but those with
    post-norms and without such biases. `apart` is set for post-norms with such biases: then `sums_apart` lays out the
    layers. `stream` are the coordinates x0, x1, .., `views` the names that a norm writes for the block that reads it,
    and `constant` the norm that writes the 1 for such a block.
    """

    def __init__(
        self, state: Mapping[str, object], vocabulary: Sequence[str], facts: Mapping[str, Any],
        labels: Sequence[str] | None, name: str, table_read: bool, ends: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.given, self.rms = _without_prefix(state), facts.get("kind") == "rms"
        self.answered, self.label, self.position, self.before, self.after = ends
        known = {"embedding.weight"} | {f"layers.0.{key}" for key in _LAYER}
        if not known & self.given.keys():
            raise BadInput(f"a state dict must have {READ}", seen(self.given), "write its weights under those names")
        if not self.rms:
            self.require_whole_norms()
        norm, activation = self.said(
            norm=(facts.get("norm"), NORMS), activation=(facts.get("activation"), ACTIVATIONS)
        )
        heads = facts.get("heads")
        self.used: set[str] = set()
        self.vocabulary = tuple(vocabulary)
        self.norm, self.mask, self.activation, self.name = norm, facts.get("mask", "causal"), activation, name
        self.epsilon, self.scale = facts.get("epsilon", "1/100000"), facts.get("scale", "1/sqrt(d_key)")
        self.labels = labels
        table = self.matrix("embedding.weight", len(self.vocabulary), None)
        self.d = table.shape[1]
        self.heads = self.number_of_heads() if heads is None else heads
        self.wide = table_read
        if type(self.heads) is not int or self.heads < 1 or (self.d % self.heads and not self.wide):
            raise BadInput(f"the number of heads must divide the {self.d} coordinates", heads)
        # Which label leads is computed by layers after the final norm, which then is a layer itself.
        self.norm_as_layer = self.answered == "leads"
        self.stream = tuple(f"x{c}" for c in range(self.d))
        self.constant = LayerNorm(("one",), ("one_view",), [0], [1], 1, [[1]])  # gain 0 and bias 1: it writes 1
        self.views = tuple(f"v{c}" for c in range(self.d))
        self.table = table
        biases = (key for key in self.given if key.endswith(("in_proj_bias", "out_proj.bias", "output.bias")))
        self.apart = norm == "post" and any(self.matrix(key, None, 1).nnz() for key in biases)
        self.one = norm != "post" or self.apart

    def said(self, **words: tuple[str | None, tuple[str, ...]]) -> list[str]:
        """The words for what the keys of layers do not say, of (word or None, the known words); without layers they are
        of no effect. BadInput where one is missing."""
        missing = [what for what, (given, _) in words.items() if given is None]
        if missing and any(key.startswith("layers.") for key in self.given):
            must = f"{' and '.join(missing)} must be given, since the keys of the state dict do not say which"
            options = [what + "=" + " or ".join(f'"{word}"' for word in words[what][1]) for what in missing]
            raise BadInput(must, "none", f"write {', and '.join(options)}")
        for what, (given, known_words) in words.items():
            require_known(what, given or known_words[0], known_words)
        return [given or known_words[0] for given, known_words in words.values()]

    def number_of_heads(self) -> int:
        """1 where the number makes no difference, since all scores are 0 or there is one coordinate; else BadInput."""
        for key in self.given:
            if key.endswith("self_attn.in_proj_weight") and self.d > 1:
                inward = self.matrix(key, None, self.d)
                wide = inward.rows // 3
                queries, keys = (inward.part(rows=slice(s * wide, (s + 1) * wide)) for s in (0, 1))
                if queries.nnz() and keys.nnz():
                    must = "the number of heads must be given, since the keys of the state dict leave it open"
                    raise BadInput(must, "none", f"write heads=1, or another divisor of {self.d}")
        return 1

    def require_whole_norms(self) -> None:
        """Raise BadInput for norms whose weights stand in some layers only, or before one part only, as where parts
        are parallel; and for a norm with a gain and without a bias, which may be an RMS norm."""
        layers = {key.rpartition(".self_attn.")[0] for key in self.given if key.endswith("self_attn.in_proj_weight")}
        norms = [f"{layer}.norm{k}.weight" for layer in sorted(layers) for k in (1, 2)]
        missing = [key for key in norms if key not in self.given]
        if missing and len(missing) < len(norms):
            raise BadInput("every layer must have the weights of both of its norms, or none", f"none for {missing[0]}")
        for key in self.given:
            _, dot, name = key.rpartition("norm")
            bias = f"{key.removesuffix('weight')}bias"
            if dot and name in (".weight", "1.weight", "2.weight") and bias not in self.given:
                must = "a layer norm must have a bias, since a norm without one may be an RMS norm, which is not read"
                raise BadInput(must, f"none for {bias}", "give zeros if it is a layer norm")

    def matrix(self, key: str, rows: int | None, columns: int | None, *, optional: bool = False) -> Any:
        """The matrix of a key, with its shape checked where `rows` or `columns` is given; a vector is one column. None
        for an `optional` key that is missing."""
        from symcook.numbers.matrix import RationalMatrix

        if key not in self.given:
            if optional:
                return None
            raise BadInput("a state dict must have every weight of a plain transformer", f"none for {key}")
        self.used.add(key)
        value = self.given[key]
        # An array of floats is converted at once, nested lists entry by entry.
        entries = dyadics(value[:, None] if getattr(value, "ndim", 0) == 1 else value)
        if entries is None:
            value = value.tolist() if hasattr(value, "tolist") else value
            flat = isinstance(value, (list, tuple)) and not any(isinstance(row, (list, tuple)) for row in value)
            table = [[entry] for entry in value] if flat else value
            if not isinstance(table, (list, tuple)) or not all(
                isinstance(row, (list, tuple)) and len(row) == len(table[0]) for row in table
            ):
                raise BadInput(f"{key} must be a matrix or a vector of numbers", type(value).__name__)
            shape = (len(table), len(table[0]) if table else 0)
            entries = RationalMatrix.of(_ratios(key, [entry for row in table for entry in row]), shape)
        # Check the shape where the number of rows or columns is given.
        if (rows or entries.rows, columns or entries.cols) != entries.shape:
            wanted = f"{rows or 'any'} x {columns or 'any'}" if columns != 1 else f"{rows} entries"
            raise BadInput(f"{key} must have shape {wanted}", f"{entries.rows} x {entries.cols}")
        return entries

    def vector(self, key: str, length: int, missing: int = 0) -> RationalMatrix:
        """A bias or gain as one column; a missing one has the number `missing` everywhere."""
        from symcook.numbers.matrix import RationalMatrix

        column = self.matrix(key, length, 1, optional=True)
        return RationalMatrix.of([(missing, 1)] * length, (length, 1)) if column is None else column

    def gains(self, key: str, reads: tuple[str, ...], writes: tuple[str, ...] | None = None) -> AnyNorm:
        """The norm of a key over the d coordinates `reads`; with `writes`, a norm with a projection, which writes those
        names."""
        gain = self.vector(f"{key}.weight", self.d, 1)
        if self.rms:
            return RMSNorm(reads, writes or (), gain, self.epsilon, None if writes is None else _identity(self.d))
        bias = self.vector(f"{key}.bias", self.d)
        if writes is None:
            return LayerNorm(reads, gain=gain, bias=bias, epsilon=self.epsilon)
        return LayerNorm(reads, writes, gain, bias, self.epsilon, _identity(self.d))

    def attention(self, layer: str, reads: tuple[str, ...], one: str | None, writes: tuple[str, ...]) -> SelfAttention:
        """The heads of one layer. `one` is the coordinate that is 1, whose column has the biases; None where there are
        no biases."""
        d, key = self.d, f"{layer}.self_attn"
        # In the layout of torch the heads together have d rows; a format with a table may have heads of another size.
        inward = self.matrix(f"{key}.in_proj_weight", None if self.wide else 3 * d, d)
        wide = inward.rows // 3
        size = wide // self.heads
        bias = self.vector(f"{key}.in_proj_bias", 3 * wide)
        outward, constant = self.matrix(f"{key}.out_proj.weight", d, wide), self.vector(f"{key}.out_proj.bias", d)
        parts = []
        # Rows of the input matrix: queries, keys and values one after another, and within each head after head.
        for head in range(self.heads):
            inside = slice(head * size, (head + 1) * size)
            thirds = (slice(s * wide + inside.start, s * wide + inside.stop) for s in range(3))
            with_bias = inward if one is None else inward.beside(bias)
            Q, K, V = (with_bias.part(rows) for rows in thirds)
            # Values go through the head's columns of the output matrix. Its bias is the same for all heads, so the
            # first has it.
            V = outward.part(columns=inside).times(V)
            if one is not None and head == 0:
                V = V.part(columns=slice(d)).beside(V.part(columns=slice(d, None)).plus(constant))
            names = reads if one is None else (*reads, one)
            parts.append(Head(names, writes, Q, K, V, self.mask, "softmax", scale=self.scale))
        return SelfAttention(tuple(parts))

    def network(self, layer: str, reads: tuple[str, ...], writes: tuple[str, ...]) -> AnyNetwork:
        """The feed-forward sublayer of one layer."""
        W1 = self.matrix(f"{layer}.linear1.weight", None, self.d)
        hidden = W1.rows
        W2 = self.matrix(f"{layer}.linear2.weight", self.d, hidden)
        b1, b2 = self.vector(f"{layer}.linear1.bias", hidden), self.vector(f"{layer}.linear2.bias", self.d)
        gate = self.matrix(f"{layer}.gate.weight", hidden, self.d, optional=True)
        if gate is None:
            return FeedForward(reads, writes, W1, b1, W2, b2, self.activation)
        return GatedUnits(
            reads, writes, gate, W1, W2, self.activation, self.vector(f"{layer}.gate.bias", hidden), b1, b2
        )

    def copied(self, norm: str, reads: tuple[str, ...], writes: tuple[str, ...]) -> Layer:
        """A layer that writes the output of the norm of key `norm` to coordinates `writes`, which are 0 before."""
        # The copy y = relu(y) - relu(-y) of each entry.
        identity = [[int(r == c) for c in range(self.d)] for r in range(self.d)]
        minus = [[-e for e in row] for row in identity]
        both = [a + b for a, b in zip(identity, minus, strict=True)]
        copy = FeedForward(self.views, writes, [*identity, *minus], [0] * (2 * self.d), both, [0] * self.d)
        return Layer(None, copy, (), (self.gains(norm, reads, self.views),), "projected pre")

    def layer(self, number: int) -> Layer:
        """Layer `number` of the state dict as one layer of the model. Not for post-norms with biases: see
        `sums_apart`."""
        key, constant_name = f"layers.{number}", "one" if self.one else None
        if self.norm != "pre":
            norms = tuple(self.gains(f"{key}.norm{k}", self.stream) for k in (1, 2)) if self.norm == "post" else ()
            before, inside = ((norm,) for norm in norms) if norms else ((), ())
            attention = self.attention(key, self.stream, constant_name, self.stream)
            return Layer(attention, self.network(key, self.stream, self.stream), before, inside, self.norm)
        return Layer(
            self.attention(key, self.views, "one_view", self.stream),
            self.network(key, self.views, self.stream),
            (self.gains(f"{key}.norm1", self.stream, self.views), self.constant),
            (self.gains(f"{key}.norm2", self.stream, self.views), self.constant),
            "multi pre",
        )

    def sums_apart(self, count: int) -> tuple[list[Layer], list[str], tuple[str, ...], str | None]:
        """The layers of a post-norm model whose coordinate ``one`` must not be normalised. The sum after each sublayer
        is in new coordinates, and the post-norm of that sum is computed by the next sublayer, as a norm before it.

        Returns the layers, the new coordinates, the coordinates of the last sum, and the key of its norm, which no
        sublayer has read yet.
        """
        # `now` are the coordinates of the present sum, `norm` is the key of its pending norm.
        layers: list[Layer] = []
        space: list[str] = []
        now, norm = self.stream, None
        for number, part in ((number, part) for number in range(count) for part in (1, 2)):
            # At first x0, .. have the embedding, and no norm is pending.
            key = f"layers.{number}"
            reads, constant_name, norms, placement = now, "one", (), "none"
            # The last sum has a pending norm: its output is copied to new coordinates, to which this sublayer adds, and
            # this sublayer reads the norm itself.
            if norm is not None:
                target = tuple(f"x{c}_{len(layers)}" for c in range(self.d))
                layers.append(self.copied(norm, now, target))
                norms, placement = (self.gains(norm, now, self.views), self.constant), "multi pre"
                reads, constant_name, now = self.views, "one_view", target
                space += target
            if part == 1:
                layers.append(Layer(self.attention(key, reads, constant_name, now), None, norms, (), placement))
            else:
                layers.append(Layer(None, self.network(key, reads, now), (), norms, placement))
            norm = f"{key}.norm{part}"
        return layers, space, now, norm

    def model(self) -> Transformer:
        """The whole model. Raises BadInput for a key that no plain transformer has."""
        count = 0
        while any(key.startswith(f"layers.{count}.") for key in self.given):
            count += 1
        # The layers. The final norm is one of the model only if the residual stream has no coordinates but x0, x1, ...
        space, final_columns, final = list(self.stream), self.stream, None
        norm = "norm" if "norm.weight" in self.given or "norm.bias" in self.given else None
        if self.apart:
            layers, new_coordinates, final_columns, last = self.sums_apart(count)
            copies_wanted, space = (last, norm), space + new_coordinates
        else:
            layers = [self.layer(number) for number in range(count)]
            as_layer = self.one or self.norm_as_layer
            final = self.gains("norm", self.stream) if norm and not as_layer else None
            copies_wanted = (norm if as_layer else None,)
        # A norm over a part of the coordinates cannot be a final norm: a further layer copies its output to new
        # coordinates, y0, .. for the last post-norm and z0, .. for the final norm.
        for name, wanted in zip("yz", copies_wanted, strict=False):
            if wanted is not None:
                target = tuple(f"{name}{c}" for c in range(self.d))
                layers.append(self.copied(wanted, final_columns, target))
                space, final_columns = [*space, *target], target
        # Positions, the readout and the coordinate 1.
        positions, start, longest = self.positions()
        readout, more, names = self.readout(final_columns)
        layers, space = layers + more, space + names
        if self.one:
            positions["one"] = 1
            space.append("one")
        foreign = sorted(set(self.given) - self.used)
        if foreign:
            known_keys = [*_OUTSIDE, *(f"layers.{number}.{key}" for number in range(count) for key in _LAYER)]
            raise unknown("key of a plain transformer", foreign[0], known_keys)
        words = TokenRows(self.vocabulary, self.stream, self.table)
        embedding = Embedding(
            Space(tuple(space)), words=words, positions=positions, start=start, before=self.before, after=self.after
        )
        source = f"a state dict with {count} layer{'s' * (count != 1)}"
        if count:
            mask = shown_word(listed_name(self.mask, MASKS))
            source += f", read with {self.heads} head{'s' * (self.heads != 1)}, the mask {mask}"
            source += f" and epsilon {self.epsilon}" * (self.norm != "none")
        if len(layers) > count:  # the text explains why the model has more layers than the state dict
            apart = (
                "parts and norms have layers of their own"
                if self.apart
                else "the norm at the end becomes a separate layer"
            )
            source += f"; {apart} here, {len(layers)} in all"
        return Transformer(
            self.name, embedding, tuple(layers), readout, source=source, max_length=longest, final_norm=final
        )

    def positions(self) -> tuple[dict[str, Any], int, int | None]:
        """The position functions by coordinate, the number of the first position, and the maximum length."""
        table = self.matrix("positions.weight", None, self.d, optional=True)
        if table is None:
            return {}, 1, None
        functions = {}
        for name, column in zip(self.stream, zip(*_rows(table), strict=True), strict=True):
            functions[name] = table_of(column, 1)
        return functions, 1, table.rows

    def readout(self, shown: tuple[str, ...]) -> tuple[Readout, list[Layer], list[str]]:
        """The readout of the outputs, whose biases are in the column of ``one``, with the layers and coordinates that
        it needs; without output.weight, the values of the coordinates `shown`."""
        weights = self.matrix("output.weight", None, self.d, optional=True)
        if weights is None:
            if self.answered != "largest":
                must = "a model must have outputs, output.weight, to answer so"
                raise BadInput(must, self.answered, "leave readout out")
            return Readout("value", self.position, shown), [], []
        labels = tuple(self.vocabulary if self.labels is None else self.labels)
        count = weights.rows
        if len(labels) != count:
            raise BadInput("there must be a label for each row of output.weight", f"{len(labels)} and {count}")
        bias = self.vector("output.bias", count)
        if bias.nnz():
            shown, weights = (*shown, "one"), weights.beside(bias)
        if self.answered == "largest" and self.label is None:
            return Readout("largest", self.position, shown, weights, labels), [], []
        return answer(self.answered, self.label, self.position, shown, _rows(weights), labels)


def _identity(size: int) -> RationalMatrix:
    """The identity matrix."""
    from symcook.numbers.matrix import RationalMatrix

    return RationalMatrix.of([(int(r == c), 1) for r in range(size) for c in range(size)], (size, size))


def _rows(table: RationalMatrix) -> list[list[Fraction]]:
    """The rows of a matrix, as lists of numbers."""
    entries = [Fraction(p, q) for p, q in table.ratios()]
    return [entries[r * table.cols : (r + 1) * table.cols] for r in range(table.rows)]


def _without_prefix(state: Mapping[str, object]) -> dict[str, Any]:
    """The state dict without the prefix that all keys with "layers." share before it, such as "encoder."."""
    if not isinstance(state, Mapping) or not state:
        what = type(state).__name__ if not isinstance(state, Mapping) else "an empty one"
        raise BadInput("a state dict must map keys to weights", what, "give model.state_dict()")
    prefixes = {key[: key.index("layers.")] for key in state if isinstance(key, str) and "layers." in key}
    prefix = prefixes.pop() if len(prefixes) == 1 else ""
    return {str(key).removeprefix(prefix): value for key, value in state.items()}


def _ratios(key: str, entries: Sequence[Any]) -> list[tuple[int, int]]:
    """The entries of a key as exact fractions (numerator, denominator)."""
    for entry in entries:
        if not isinstance(entry, (int, float, Fraction)) or isinstance(entry, bool) or entry - entry != 0:
            raise BadInput(f"every entry of {key} must be a finite number", repr(entry))
    return [entry.as_integer_ratio() for entry in entries]


def table_of(values: Sequence[Fraction | str], start: int, name: str = "i") -> str:
    """The text of an expression that is `values[k]` at name = start + k. The list is halved repeatedly, so that the
    depth and the time of one evaluation are logarithmic in its length. Values may be texts of expressions.

    >>> table_of([Fraction(1, 2), Fraction(3), Fraction(3)], 1)
    'if(i < 2, 1/2, 3)'
    """
    first = values[0]
    if all(value == first for value in values):
        return first if isinstance(first, str) else quotient(first)
    half = len(values) // 2
    left_half, right_half = table_of(values[:half], start, name), table_of(values[half:], start + half, name)
    return f"if({name} < {start + half}, {left_half}, {right_half})"
