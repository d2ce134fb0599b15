"""A state dict of a plain transformer as an exact model: every float stands for the dyadic number that it is.

In: weights by key, in the layout of torch.nn.TransformerEncoder, or in one that `symcook.published` turns into it. Out:
a `Transformer` over coordinates x0, x1, .... Biases of the output need a further coordinate that is 1 everywhere, which
no norm may change; the layout of the layers depends on that (`_Checkpoint`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.compose.layouts import READ, seen
from symcook.compose.splitheads import alibi_slopes, split_heads
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.files import repeated
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
    Layer,
    LayerNorm,
    RMSNorm,
    SelfAttention,
)
from symcook.model.rationals import quotient
from symcook.model.symbols import Exact, PositionTable
from symcook.model.transformer import Transformer
from symcook.published.answers import answer
from symcook.published.complete import require_complete
from symcook.published.converted import add_final_norm, arrays, convert, recognised, require_settings, require_words
from symcook.published.formats import TORCH, WORDS
from symcook.published.turning import Rotary, rotary_said

if TYPE_CHECKING:
    from symcook.numbers.matrix import RationalMatrix


_LAYER = {
    "self_attn.in_proj_weight": (True, "3 d x d"), "self_attn.in_proj_bias": (False, "3 d"),
    "self_attn.out_proj.weight": (True, "d x d"), "self_attn.out_proj.bias": (False, "d"),
    "self_attn.q_norm.weight": (False, "s"), "self_attn.k_norm.weight": (False, "s"),
    "linear1.weight": (True, "h x d"), "linear1.bias": (False, "h"),
    "linear2.weight": (True, "d x h"), "linear2.bias": (False, "d"),
    "gate.weight": (True, "h x d"), "gate.bias": (False, "h"),
    "norm1.weight": (False, "d"), "norm1.bias": (False, "d"), "norm2.weight": (False, "d"), "norm2.bias": (False, "d"),
}  # fmt: skip
"""The keys of a layer: whether the weight is a matrix, and its shape."""
NORMS = ("pre", "post", "none")
"""Where the norms of the layers stand."""
_OUTSIDE = (
    "embedding.weight", "embedding_norm.weight", "embedding_norm.bias", "positions.weight", "norm.weight", "norm.bias",
    "output.weight", "output.bias",
)  # fmt: skip
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
    readout: str | None = None,
    label: str | None = None,
    position: PositionWord = "each",
    before: str | None = None,
    after: str | None = None,
    rotary: Exact | None = None,
) -> Transformer:
    """The exact model of a plain transformer whose weights are torch tensors, numpy arrays or nested lists.

    Keys and shapes, with d coordinates, V tokens, h hidden units, l = 0, 1, ... (those of
    torch.nn.TransformerEncoder for the layers; a common prefix such as "encoder." is allowed, biases may be left
    out, but for those of norms): embedding.weight V x d; positions.weight N x d, its row k added at position k + 1;
    layers.{l}.self_attn.in_proj_weight 3 d x d and in_proj_bias (queries, keys, values),
    self_attn.out_proj.weight d x d and .bias; layers.{l}.linear1.weight h x d, linear2.weight d x h with biases;
    layers.{l}.norm1 and norm2 .weight and .bias d; norm.weight and .bias d, a final norm; embedding_norm.weight and
    .bias d, a norm before the layers; output.weight labels x d and .bias; with layers.{l}.gate.weight h x d the
    units are gated. With layers.{l}.self_attn.q_norm.weight and k_norm.weight, of d/heads numbers, queries and keys
    are normed. The names of other libraries are read too (`symcook.published.formats` has a table for each): GPT-2,
    minGPT and nanoGPT, Llama, Mistral and Qwen, Bloom, GPT-NeoX, TransformerLens, picoGPT. For a folder or a file,
    see `from_pretrained`.

    The model answers with the label of the largest output at each position, or without output.weight with the residual
    stream itself: then label and labels are refused. With the names of other libraries every weight of their models
    must be there, and readout="stream" says that there is no output layer. Give the settings that the keys leave open:
    norm if there are layers (ln1 and ln2 mean "pre"), activation if there are feed-forward layers, and heads if some
    score is not 0.
    A bias of the output is a weight of a coordinate `one` that is 1 everywhere. A post-norm would change that
    coordinate: with norm="post" and a bias of the output, each residual sum is stored in d new coordinates, and the
    next sublayer reads the normalised copy.

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
        format: str or None (None). "torch", "gpt2", "mingpt", "numpy", "llama", "bloom", "hooked" or "bridge"; by
            default it is recognised by the keys.
        readout: str or None (None). "largest": the label of the largest output, the default where there is
            output.weight. "positive": which outputs are above 0; with one label the model accepts or rejects. "leads":
            whether the output of `label` is greater than all others. "stream": the residual stream, of a model without
            an output layer.
        label: str or None (None). The label for readout="leads".
        position: str ("each"). The positions of the answer, as in `Readout`.
        before: str or None (None). A token that is added before every input, as in `Embedding`.
        after: str or None (None). A token after every input.
        rotary: exact, "none" or None (None). The base of the rotary positions, such as 10000: of a head of size s,
            dimensions k and k + s/2 of queries and keys turn by base^(-2 k/s) at each position. "none" says that
            weights with the names of Llama have none.

    Returns: Transformer.

    Raises: BadInput: a key that is missing or unknown, a shape that does not fit, or a setting that is needed; the
    message names it.

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
    require_settings(word)
    if word != TORCH:
        stream = readout == "stream"
        found = convert(state, word, heads, tied=False if stream else None)
        state, facts = found.state, found.facts
        require_complete(None, word, found.names, {}, facts, stream, rotary)
        norm, activation = _said(word, facts, state, norm, activation)
        add_final_norm(found, norm)
    facts["rotary"] = rotary_said(word, rotary, facts)
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
            scores), "rotary" (a `Rotary`), "alibi" and "parallel" (True or False); a missing one is None or has its
            default.
        vocabulary: as in `from_state_dict`.
        labels: as in `from_state_dict`.
        name: as in `from_state_dict`.
        ends: the arguments readout, label, position, before and after of `from_state_dict`.
    """
    return _Checkpoint(state, vocabulary, facts, labels, name, word != TORCH, ends).model()


def _said(
    word: str, facts: Mapping[str, Any], state: Mapping[str, object], norm: str | None, activation: str | None
) -> tuple[str | None, str | None]:
    """The norm and the activation, as they are given or as the format and its keys say; None for what is open.

    Weights of norms in layers are those of norms before the parts. Without them there may be norms without weights
    (LNPre of TransformerLens), or none.
    """
    require_words(word, norm, activation)
    if norm is None and ("norm" in facts or any(".norm1." in key or ".norm2." in key for key in state)):
        norm = "pre"
    return norm, activation or facts.get("activation")


class _Checkpoint:
    """Reads a state dict and builds the model. `used` collects the keys that were read, since all others are refused.

    A bias of the output needs the coordinate ``one``, which is 1 everywhere and which a norm over the whole residual
    stream would change. `one` says whether the model has that coordinate. `apart` is set for post-norms with any
    coordinate that they must not change: then `sums_apart` lays out the layers. `parallel` is set where both parts of a
    layer read its input: what attention adds is in new coordinates, of which the norms of later layers read the sum.
    `stream` are the coordinates x0, x1, .., `whole` says whether the residual stream has no other, and `views` are the
    names that a norm writes for the block that reads it.
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
        self.require_both_gains()
        norm, activation = self.said(norm=(facts.get("norm"), NORMS), activation=(facts.get("activation"), ACTIVATIONS))
        heads = facts.get("heads")
        self.used: set[str] = set()
        self.vocabulary = tuple(vocabulary)
        self.norm, self.mask, self.activation, self.name = norm, facts.get("mask", "causal"), activation, name
        self.epsilon, self.scale = facts.get("epsilon", "1/100000"), facts.get("scale", "1/sqrt(d_key)")
        self.labels = labels
        self.rotary: Rotary | None = facts.get("rotary")
        self.slopes_by_heads = bool(facts.get("alibi"))
        table = self.matrix("embedding.weight", len(self.vocabulary), None)
        self.d = table.shape[1]
        self.heads = self.number_of_heads() if heads is None else heads
        self.wide = table_read
        if type(self.heads) is not int or self.heads < 1 or (self.d % self.heads and not self.wide):
            raise BadInput(
                f"the number of heads must divide the {self.d} coordinates",
                heads,
                f"give heads=, a divisor of {self.d}",
            )
        # Which of several labels leads is computed by layers after the final norm, which then is a layer itself.
        self.norm_as_layer = self.answered == "leads" and len(self.vocabulary if labels is None else labels) > 2
        self.stream = tuple(f"x{c}" for c in range(self.d))
        self.views = tuple(f"v{c}" for c in range(self.d))
        self.table = table
        bias = self.matrix("output.bias", None, 1, optional=True)
        self.one = bias is not None and bias.nnz() > 0
        self.apart = norm == "post" and (self.one or self.norm_as_layer)
        self.parallel = bool(facts.get("parallel"))
        self.whole = not (self.one or self.norm_as_layer or self.parallel)
        self.slopes = alibi_slopes(self.heads) if self.slopes_by_heads else None

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
        """1 where the number makes no difference, since all scores of a position are equal or there is one coordinate;
        else BadInput. They are equal where all queries are 0, or all keys are the same; and with rotary positions where
        all keys are 0. A head that has slopes by its number is never such a one."""
        for key in self.given:
            if key.endswith("self_attn.in_proj_weight") and (self.d > 1 or self.slopes_by_heads):
                inward = self.matrix(key, None, self.d)
                wide = inward.rows // 3
                bias = self.vector(key.replace("in_proj_weight", "in_proj_bias"), 3 * wide)
                queries, keys = (slice(s * wide, (s + 1) * wide) for s in (0, 1))
                asks, differ = ([inward.part(rows=rows), bias.part(rows)] for rows in (queries, keys))
                differ = differ if self.rotary is not None else differ[:1]
                scores = any(part.nnz() for part in asks) and any(part.nnz() for part in differ)
                if scores or self.slopes_by_heads:
                    must = "the number of heads must be given, since the state dict does not determine it"
                    raise BadInput(must, "none", f"write heads=1, or another divisor of {self.d}")
        return 1

    def require_whole_norms(self) -> None:
        """Raise BadInput for norms whose weights stand in some layers only, or before one part only, as where parts
        are parallel; and for a norm with a gain and without a bias, which may be an RMS norm."""
        must = "every layer of a state dict must have the weights of both of its norms, or of neither"
        self._require_all_or_none(("norm1.weight", "norm2.weight"), must)
        for key in self.given:
            _, dot, name = key.rpartition("norm")
            bias = f"{key.removesuffix('weight')}bias"
            if dot and name in (".weight", "1.weight", "2.weight") and bias not in self.given:
                must = "a layer norm must have a bias, since a norm without one may be an RMS norm, which is not read"
                raise BadInput(must, f"none for {bias}", "give zeros if it is a layer norm")

    def require_both_gains(self) -> None:
        """Raise BadInput for norms of queries without norms of keys or the reverse, and for layers with and without
        them."""
        must = "every layer must have norms of both queries and keys, or none"
        self._require_all_or_none(("self_attn.q_norm.weight", "self_attn.k_norm.weight"), must)

    def _require_all_or_none(self, names: Sequence[str], must: str) -> None:
        """Raise BadInput, with the rule `must`, if some weights of these names in the layers are there and some are
        not."""
        layers = {key.rpartition(".self_attn.")[0] for key in self.given if key.endswith("self_attn.in_proj_weight")}
        keys = [f"{layer}.{name}" for layer in sorted(layers) for name in names]
        missing = [key for key in keys if key not in self.given]
        if missing and len(missing) < len(keys):
            raise BadInput(must, f"none for {missing[0]}", "give the missing weight")

    def matrix(self, key: str, rows: int | None, columns: int | None, *, optional: bool = False) -> Any:
        """The matrix of a key, with its shape checked where `rows` or `columns` is given; a vector is one column. None
        for an `optional` key that is missing."""
        from symcook.numbers.matrix import RationalMatrix

        if key not in self.given:
            if optional:
                return None
            raise BadInput(
                "a state dict must have every weight of a plain transformer",
                f"none for {key}",
                "give the missing weight",
            )
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
                raise BadInput(
                    f"{key} must be a matrix or a vector of numbers",
                    type(value).__name__,
                    "give an array, or a nested list",
                )
            shape = (len(table), len(table[0]) if table else 0)
            entries = RationalMatrix.of(_ratios(key, [entry for row in table for entry in row]), shape)
        # Check the shape where the number of rows or columns is given.
        if (rows or entries.rows, columns or entries.cols) != entries.shape:
            wanted = f"{rows or 'any'} x {columns or 'any'}" if columns != 1 else f"{rows} entries"
            raise BadInput(
                f"{key} must have shape {wanted}", f"{entries.rows} x {entries.cols}", "give an array of this shape"
            )
        return entries

    def vector(self, key: str, length: int, missing: int = 0) -> RationalMatrix:
        """A bias or gain as one column; a missing one has the number `missing` everywhere."""
        from symcook.numbers.matrix import RationalMatrix

        column = self.matrix(key, length, 1, optional=True)
        return RationalMatrix.of([(missing, 1)] * length, (length, 1)) if column is None else column

    def gains(self, key: str, reads: tuple[str, ...], writes: tuple[str, ...] | None = None) -> AnyNorm:
        """The norm of a key over the d coordinates `reads`; with `writes`, a norm with a projection, which writes those
        names, and whose `reads` may be several times d coordinates, of which it takes the sum."""
        gain = self.vector(f"{key}.weight", self.d, 1)
        sums = None if writes is None else _sums(self.d, len(reads))
        if self.rms:
            return RMSNorm(reads, writes or (), gain, self.epsilon, sums)
        return LayerNorm(reads, writes or (), gain, self.vector(f"{key}.bias", self.d), self.epsilon, sums)

    def attention(self, layer: str, reads: tuple[str, ...], writes: tuple[str, ...]) -> SelfAttention:
        """The heads of one layer."""
        d, key = self.d, f"{layer}.self_attn"
        # In the layout of torch the heads together have d rows; a format with a table may have heads of another size.
        inward = self.matrix(f"{key}.in_proj_weight", None if self.wide else 3 * d, d)
        wide = inward.rows // 3
        size = wide // self.heads
        bias = self.vector(f"{key}.in_proj_bias", 3 * wide)
        # Rows of the input matrix: queries, keys and values one after another, and within each head after head.
        thirds = [slice(s * wide, (s + 1) * wide) for s in range(3)]
        q_bias, k_bias, v_bias = (_unless_zero(bias.part(rows)) for rows in thirds)
        gains = [self.matrix(f"{key}.{side}_norm.weight", size, 1, optional=True) for side in "qk"]
        queries, keys, values = (inward.part(rows) for rows in thirds)
        return split_heads(
            reads,
            writes,
            queries,
            keys,
            values,
            self.matrix(f"{key}.out_proj.weight", d, wide),
            heads=self.heads,
            query_bias=q_bias,
            key_bias=k_bias,
            value_bias=v_bias,
            output_bias=_unless_zero(self.vector(f"{key}.out_proj.bias", d)),
            slopes=self.slopes,
            angles=None if self.rotary is None else self.rotary.angles(size),
            interleaved=self.rotary is not None and self.rotary.interleaved,
            query_gain=gains[0],
            key_gain=gains[1],
            epsilon=0 if gains[0] is None else self.epsilon,
            mask=self.mask,
            scale=self.scale,
        )

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
        key = f"layers.{number}"
        if self.norm == "pre":
            inner = self.views if self.one or not self.whole else self.stream
            before = self.summed(number)
            first, second = (
                (self.gains(f"{key}.norm{k}", before, None if inner is self.stream else inner),) for k in (1, 2)
            )
            attention = self.attention(key, inner, self.added(number) if self.parallel else self.stream)
            placement = "pre" if inner is self.stream else "projected pre"
            return Layer(attention, self.network(key, inner, self.stream), first, second, placement)
        first, second = ((self.gains(f"{key}.norm{k}", self.stream),) if self.norm == "post" else () for k in (1, 2))
        attention, network = self.attention(key, self.stream, self.stream), self.network(key, self.stream, self.stream)
        return Layer(attention, network, first, second, self.norm)

    def added(self, number: int) -> tuple[str, ...]:
        """The coordinates for what attention adds in layer `number`, where the parts of a layer are parallel."""
        return tuple(f"x{c}_{number}" for c in range(self.d))

    def summed(self, number: int) -> tuple[str, ...]:
        """The coordinates of which the norms of layer `number` read the sum."""
        more = range(number) if self.parallel else ()
        return (*self.stream, *(name for before in more for name in self.added(before)))

    def normed_embedding(self) -> Layer:
        """A layer that adds 0, after which the stream is the norm of the embedding."""
        nothing = FeedForward(self.stream, self.stream, [[0] * self.d], [0], [[0]] * self.d, [0] * self.d)
        return Layer(None, nothing, (), (self.gains("embedding_norm", self.stream),), "post")

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
            reads, norms, placement = now, (), "none"
            # The last sum has a pending norm: its output is copied to new coordinates, to which this sublayer adds, and
            # this sublayer reads the norm itself.
            if norm is not None:
                target = tuple(f"x{c}_{len(layers)}" for c in range(self.d))
                layers.append(self.copied(norm, now, target))
                norms, placement = (self.gains(norm, now, self.views),), "projected pre"
                reads, now = self.views, target
                space += target
            if part == 1:
                layers.append(Layer(self.attention(key, reads, now), None, norms, (), placement))
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
            if self.parallel:
                space += [name for number in range(count) for name in self.added(number)]
                final_columns = self.summed(count)
            final = self.gains("norm", self.stream) if norm and self.whole else None
            copies_wanted = (None if self.whole else norm,)
        # The norm of the embedding takes its place, or is copied from coordinates t0, .. that have the embedding.
        embedded, early = self.stream, "embedding_norm.weight" in self.given
        if early and self.whole:
            layers.insert(0, self.normed_embedding())
        elif early:
            embedded = tuple(f"t{c}" for c in range(self.d))
            layers.insert(0, self.copied("embedding_norm", embedded, self.stream))
            space = [*embedded, *space]
        # A norm over a part of the coordinates cannot be a final norm: a further layer copies its output to new
        # coordinates, y0, .. for the last post-norm and z0, .. for the final norm.
        for name, wanted in zip("yz", copies_wanted, strict=False):
            if wanted is not None:
                target = tuple(f"{name}{c}" for c in range(self.d))
                layers.append(self.copied(wanted, final_columns, target))
                space, final_columns = [*space, *target], target
        # Positions, the readout and the coordinate 1.
        positions, start, longest = self.positions(embedded)
        readout, more, names = self.readout(final_columns)
        layers, space = layers + more, space + names
        if self.one:
            positions["one"] = 1
            space.append("one")
        foreign = sorted(set(self.given) - self.used)
        if foreign:
            known_keys = [*_OUTSIDE, *(f"layers.{number}.{key}" for number in range(count) for key in _LAYER)]
            raise unknown("key of a plain transformer", foreign[0], known_keys)
        words = TokenRows(self.vocabulary, embedded, self.table)
        embedding = Embedding(
            Space(tuple(space)), words=words, positions=positions, start=start, before=self.before, after=self.after
        )
        source = f"a state dict with {count} layer{'s' * (count != 1)}"
        if count:
            mask = shown_word(listed_name(self.mask, MASKS))
            source += f", read with {self.heads} head{'s' * (self.heads != 1)}, the mask {mask}"
            source += f" and epsilon {self.epsilon}" * (self.norm != "none")
        if len(layers) > count:  # the text explains why the model has more layers than the state dict
            apart = ["the norm of the embedding"] * early
            apart += ["parts and norms"] * self.apart
            apart += ["the norm at the end"] * (norm is not None and not self.whole and not self.apart)
            apart += ["the comparison of outputs"] * bool(more)
            source += f"; layers of their own here for {', '.join(apart)}, {len(layers)} in all"
        return Transformer(
            self.name, embedding, tuple(layers), readout, source=source, max_length=longest, final_norm=final
        )

    def positions(self, names: tuple[str, ...]) -> tuple[dict[str, Any], int, int | None]:
        """The position functions of the coordinates `names`, the number of the first position, and the maximum
        length."""
        table = self.matrix("positions.weight", None, self.d, optional=True)
        if table is None:
            return {}, 1, None
        functions = {}
        for name, column in zip(names, zip(*_rows(table), strict=True), strict=True):
            functions[name] = PositionTable.of(column, 1)
        return functions, 1, table.rows

    def readout(self, shown: tuple[str, ...]) -> tuple[Readout, list[Layer], list[str]]:
        """The readout of the outputs, whose biases are in the column of ``one``, with the layers and coordinates that
        it needs; without output.weight, the values of the coordinates `shown`."""
        weights = self.matrix("output.weight", None, self.d, optional=True)
        if weights is None:
            answered = None if self.answered == "stream" else self.answered
            for what, given in (("readout", answered), ("label", self.label), ("labels", self.labels)):
                if given is not None:
                    must = f"{what} needs an output layer, with the weights output.weight"
                    raise BadInput(must, f"{given} without output.weight", f"leave {what} out, or give these weights")
            if "output.bias" in self.given:
                must = "output.bias must come with output.weight, the weights of the output that it is added to"
                raise BadInput(must, "output.bias alone", "give output.weight, or leave output.bias out")
            return Readout("value", self.position, shown), [], []
        labels = tuple(self.vocabulary if self.labels is None else self.labels)
        count = weights.rows
        if (twice := repeated(labels)) is not None:
            raise BadInput("the labels must be different from one another", f"{twice} twice", "rename one of the two")
        if len(labels) != count:
            raise BadInput(
                "there must be a label for each row of output.weight",
                f"{len(labels)} labels and {count} rows",
                "give one label for each row",
            )
        bias = self.vector("output.bias", count)
        if bias.nnz():
            shown, weights = (*shown, "one"), weights.beside(bias)
        if self.answered in (None, "largest") and self.label is None:
            return Readout("largest", self.position, shown, weights, labels), [], []
        return answer(self.answered or "largest", self.label, self.position, shown, _rows(weights), labels)


def _sums(size: int, across: int) -> RationalMatrix:
    """Identity matrices side by side, with `across` columns in all: the sum of vectors of a size."""
    from symcook.numbers.matrix import RationalMatrix

    return RationalMatrix.of([(int(r == c % size), 1) for r in range(size) for c in range(across)], (size, across))


def _unless_zero(column: RationalMatrix) -> RationalMatrix | None:
    """A bias; None where it adds nothing."""
    return column if column.nnz() else None


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
    found = dict[str, tuple[object, Any]]()
    for key, value in state.items():
        name = str(key).removeprefix(prefix)
        if name in found:
            two = f"{found[name][0]} and {key}"
            raise BadInput("each weight must be given only once", two, "leave one of the two out")
        found[name] = key, value
    return {name: value for name, (_, value) in found.items()}


def _ratios(key: str, entries: Sequence[Any]) -> list[tuple[int, int]]:
    """The entries of a key as exact fractions (numerator, denominator)."""
    for entry in entries:
        if not isinstance(entry, (int, float, Fraction)) or isinstance(entry, bool) or entry - entry != 0:
            raise BadInput(f"every entry of {key} must be a finite number", repr(entry), "repair the weight")
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
