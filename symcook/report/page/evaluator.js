"use strict";
/* The forward pass of a model over rational numbers, for its page: each number is a quotient of two BigInts, and
   nothing is rounded. It follows symcook/forward.py step by step and shares no code with it; a test compares the two.
   No DOM here, so that the same file runs in a browser and in node. */
const Symcook = (() => {
  class Refusal extends Error {
    constructor(kind, text) { super(text); this.kind = kind; }
  }
  const refuse = (kind, text) => { throw new Refusal(kind, text); };

  // Numbers. A Q is frozen: n over d, d > 0, in lowest terms.
  const size = (x) => (x < 0n ? -x : x);
  const gcd = (a, b) => { a = size(a); b = size(b); while (b) { [a, b] = [b, a % b]; } return a; };
  class Q {
    constructor(n, d) { this.n = n; this.d = d; }
    toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
  }
  const q = (n, d = 1n) => {
    if (d === 1n) return new Q(n, 1n);
    if (d < 0n) { n = -n; d = -d; }
    const g = gcd(n, d);
    return g === 1n ? new Q(n, d) : new Q(n / g, d / g);
  };
  const ZERO = new Q(0n, 1n), ONE = new Q(1n, 1n);
  const add = (a, b) => (a.d === b.d ? q(a.n + b.n, a.d) : q(a.n * b.d + b.n * a.d, a.d * b.d));
  const neg = (a) => new Q(-a.n, a.d);
  const sub = (a, b) => add(a, neg(b));
  const mul = (a, b) => (a.n === 0n || b.n === 0n ? ZERO : q(a.n * b.n, a.d * b.d));
  const div = (a, b) => (b.n === 0n ? refuse("value", "a denominator must not be zero") : q(a.n * b.d, a.d * b.n));
  const cmp = (a, b) => { const s = a.n * b.d - b.n * a.d; return s > 0n ? 1 : s < 0n ? -1 : 0; };
  const floor = (a) => (a.n >= 0n ? a.n / a.d : -((-a.n + a.d - 1n) / a.d));
  const total = (list) => list.reduce(add, ZERO);
  const whole = (k) => new Q(BigInt(k), 1n);
  const about = (a) => {
    // A float near a quotient, for colours and lengths alone: both sides are cut to 60 bits before they are divided.
    const bits = (x) => x.toString(2).length, n = size(a.n);
    if (n < 1n << 50n && a.d < 1n << 50n) return Number(a.n) / Number(a.d);
    const up = Math.max(0, bits(n) - 60), down = Math.max(0, bits(a.d) - 60);
    const found = (Number(n >> BigInt(up)) / Number(a.d >> BigInt(down))) * 2 ** (up - down);
    return a.n < 0n ? -found : found;
  };
  const isqrt = (x) => {
    if (x < 2n) return x;
    let r = 1n << BigInt((x.toString(2).length + 1) >> 1);
    for (;;) { const next = (r + x / r) >> 1n; if (next >= r) return r; r = next; }
  };
  const root = (a) => {
    const n = a.n < 0n ? -1n : isqrt(a.n), d = isqrt(a.d);
    if (n < 0n || n * n !== a.n || d * d !== a.d) refuse("irrational", `the root of ${a} is not rational`);
    return new Q(n, d);
  };
  const power = (a, b) => {
    if (b.d !== 1n) return b.d === 2n ? power(root(a), whole(b.n)) : refuse("irrational", "a broken power");
    if (a.n === 0n && b.n < 0n) refuse("value", "a denominator must not be zero");
    if (size(a.n) < 2n && a.d === 1n) return b.n % 2n || a.n > 0n ? (b.n ? a : ONE) : b.n ? mul(a, a) : ONE;
    if (size(b.n) > 14000n) refuse("value", "numbers must stay below 14000 bits");
    return b.n >= 0n ? q(a.n ** b.n, a.d ** b.n) : q(a.d ** -b.n, a.n ** -b.n);
  };
  const number = (text) => { const [n, d] = text.split("/"); return q(BigInt(n), d === undefined ? 1n : BigInt(d)); };
  /* What a user types: 3, -1/2, 0.25, 1e-3. */
  const read = (text) => {
    const plain = text.trim();
    const found = /^([+-]?)(\d{1,400})(?:\/(\d{1,400})|(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?)$/.exec(plain);
    if (!found) refuse("input", `a number must be written like 3, -1/2, 0.25 or 1e-3; given: ${plain || "nothing"}`);
    const [, sign, digits, below, part = "", tens = "0"] = found;
    let value = below === undefined ? q(BigInt(digits + part), 10n ** BigInt(part.length))
      : div(whole(digits), whole(below));
    const k = BigInt(tens);
    value = k < 0n ? q(value.n, value.d * 10n ** -k) : q(value.n * 10n ** k, value.d);
    return sign === "-" ? neg(value) : value;
  };

  // Expressions: the trees of the grammar, where they are rational.
  const KNOWN = { "log 1": ZERO, "exp 0": ONE, "cos 0": ONE, "cosh 0": ONE, "sin 0": ZERO, "erf 0": ZERO,
    "sinh 0": ZERO, "tanh 0": ZERO };
  const call = (name, given) => {
    const [a, b] = given;
    switch (name) {
      case "min": case "max":
        return given.reduce((x, y) => ((cmp(x, y) > 0) === (name === "max") ? x : y));
      case "pow": return power(a, b);
      case "mod": return sub(a, mul(b, whole(floor(div(a, b)))));
      case "floor": return whole(floor(a));
      case "sign": return whole(cmp(a, ZERO));
      case "abs": return a.n < 0n ? neg(a) : a;
      case "relu": return a.n < 0n ? ZERO : a;
      case "sqrt": return root(a);
    }
    return KNOWN[`${name} ${a}`] || refuse("irrational", `${name}(${a}) is not rational`);
  };
  const ends = (tree, env) => {
    const [low, high] = [term(tree[2], env), term(tree[3], env)];
    if (low.d !== 1n || high.d !== 1n) refuse("value", "the ends of a sum must be integers");
    if (high.n - low.n >= 10000n) refuse("value", "a sum must run over at most 10000 integers");
    const found = [];
    for (let j = low.n; j <= high.n; j++) found.push({ ...env, [tree[1]]: new Q(j, 1n) });
    return found;
  };
  const term = (tree, env) => {
    if (typeof tree === "string") return number(tree);
    switch (tree[0]) {
      case "num": return q(BigInt(tree[1]), BigInt(tree[2]));
      case "name": return Object.hasOwn(env, tree[1]) ? env[tree[1]]
        : refuse("irrational", `${tree[1]} has no rational value`);
      case "neg": return neg(term(tree[1], env));
      case "+": return add(term(tree[1], env), term(tree[2], env));
      case "-": return sub(term(tree[1], env), term(tree[2], env));
      case "*": return mul(term(tree[1], env), term(tree[2], env));
      case "/": return div(term(tree[1], env), term(tree[2], env));
      case "^": return power(term(tree[1], env), term(tree[2], env));
      case "if": return term(formula(tree[1], env) ? tree[2] : tree[3], env);
      case "ind": return formula(tree[1], env) ? ONE : ZERO;
      case "sum": return ends(tree, env).reduce((sum, inner) => add(sum, term(tree[4], inner)), ZERO);
      case "prod": return ends(tree, env).reduce((product, inner) => mul(product, term(tree[4], inner)), ONE);
      case "call": return call(tree[1], tree[2].map((one) => term(one, env)));
    }
    return refuse("irrational", `${tree[0]} is no operation of this page`);
  };
  const formula = (tree, env) => {
    const at = (k) => formula(tree[k], env), order = () => cmp(term(tree[1], env), term(tree[2], env));
    switch (tree[0]) {
      case "true": return true;
      case "false": return false;
      case "=": return order() === 0;
      case "<=": return order() <= 0;
      case "<": return order() < 0;
      case "~": return !at(1);
      case "&": return at(1) && at(2);
      case "|": return at(1) || at(2);
      case "->": return !at(1) || at(2);
      case "<->": return at(1) === at(2);
      case "all in": return ends(tree, env).every((inner) => formula(tree[4], inner));
      case "ex in": return ends(tree, env).some((inner) => formula(tree[4], inner));
    }
    return refuse("irrational", `${tree[0]} is no comparison of this page`);
  };

  // A model at values of its symbols: every number a Q, zeros left out of rows. Position functions stay trees.
  // What is read of each kind of part, and the words that mean something; anything else is refused.
  const FIELDS = { head: ["Q", "K", "V", "mask", "weighting", "temperature", "scale"],
    feedforward: ["W1", "b1", "W2", "b2", "activation"], norm: ["gain", "bias", "epsilon", "projection", "zero_variance"],
    gated: ["gate", "gate_bias", "up", "up_bias", "down", "down_bias", "activation"],
    "rms-norm": ["gain", "epsilon", "projection", "zero_square"] };
  const WORDS = { mask: ["none", "future", "strict-future", "past", "strict-past"],
    weighting: ["average", "softmax", "leftmost", "rightmost"], zero_variance: ["refuse", "zero"],
    zero_square: ["refuse", "zero"], activation: ["relu", "gelu", "gelu-tanh", "gelu-sigmoid", "step", "silu"] };
  const word = (what, given, words) =>
    (words.includes(given) ? given : refuse("model", `the ${what} must be one that the page knows; given: ${given}`));
  const known = (part) => {
    const fields = FIELDS[word("kind of a part", part.kind, Object.keys(FIELDS))];
    for (const name of Object.keys(part)) if (!["kind", "reads", "writes", ...fields].includes(name))
      refuse("model", `a part of the kind ${part.kind} must have only fields that the page reads; given: ${name}`);
    for (const name of fields) if (Object.hasOwn(WORDS, name)) word(name.replace("_", " "), part[name], WORDS[name]);
  };

  const bind = (model, given = {}) => {
    word("kind of a readout", model.readout.kind, ["value", "sign", "zero", "largest", "distribution", "groups"]);
    word("position of a readout", model.readout.position, ["first", "last", "each", "all"]);
    const env = Object.create(null);
    for (const one of model.symbols) {
      const text = Object.hasOwn(given, one.name) ? given[one.name] : one.value;
      if (text === null) refuse("symbol", `${one.name} must have a value`);
      const value = env[one.name] = read(text);
      for (const [end, open, side] of [[one.lower, one.lower_open, 1], [one.upper, one.upper_open, -1]]) {
        if (end === null) continue;
        const c = side * cmp(value, term(end, env));
        if (c < 0 || (c === 0 && open)) refuse("symbol", `${one.name} must satisfy ${one.region}; given: ${value}`);
      }
    }
    const one = (x) => term(x, env);
    const row = (entries) => Object.entries(entries).map(([name, x]) => [name, one(x)]).filter(([, x]) => x.n !== 0n);
    const part = (p) => {
      known(p);
      const found = { ...p };
      for (const name of ["Q", "K", "V", "W1", "W2", "gate", "up", "down", "projection"])
        if (p[name]) found[name] = p[name].map(row);
      for (const name of ["b1", "b2", "gate_bias", "up_bias", "down_bias", "gain", "bias"])
        if (p[name]) found[name] = p[name].map(one);
      if (FIELDS[p.kind].includes("epsilon")) {
        found.epsilon = one(p.epsilon);
        if (found.epsilon.n < 0n) refuse("value", `epsilon of a norm must not be negative; given: ${found.epsilon}`);
      }
      return found;
    };
    const steps = model.steps.map((step) => ({ ...step, before: step.before.map(part), parts: step.parts.map(part),
      after: step.after && part(step.after) }));
    const tables = Object.create(null);  // names such as constructor are names like any other
    for (const [name, column] of Object.entries(model.tables)) {
      const values = Object.fromEntries(Object.entries(column).map(([token, x]) => [token, one(x)]));
      if (Object.values(values).some((x) => x.n !== 0n)) tables[name] = values;
    }
    return { ...model, env, steps, tables, readout: { ...model.readout, weights: model.readout.weights.map(row) } };
  };

  // The tokens of a text: those between its spaces, one a character, or the text as one token. A text with two readings
  // is refused. Tokens that only a decoder outputs count where the input symbols give no reading.
  const tokensOfText = (model, text) => {
    const bySpaces = text.split(/\s+/).filter((token) => token !== ""), byCharacters = [...text];
    for (const tokens of [model.input_symbols, model.alphabet]) {
      const valid = (reading) => reading.length > 0 && reading.every((token) => tokens.includes(token));
      const longer = tokens.some((token) => [...token].length > 1 && text.includes(token));
      if (valid(bySpaces) && valid(byCharacters) && bySpaces.length !== byCharacters.length)
        refuse("input", `text must have only one reading as a string of tokens; given: ${text}; put spaces between tokens`);
      if (valid(byCharacters) ? !longer : valid(bySpaces)) return valid(bySpaces) ? bySpaces : byCharacters;
    }
    return model.input_symbols.every((token) => [...token].length === 1) || !bySpaces.length ? byCharacters : bySpaces;
  };
  // What a user types, as the sequence that the model runs on.
  const tokens = (model, text) => {
    const typed = Array.isArray(text) ? text : tokensOfText(model, text);
    const strange = typed.find((token) => !model.alphabet.includes(token));
    if (strange !== undefined)
      refuse("input", `every symbol must be in the alphabet ${model.alphabet.join(" ")}; given: ${strange}`);
    if (!typed.length && model.before === null && model.after === null)
      refuse("input", "an input must have at least one symbol; given: the empty string");
    return [...(model.before === null ? [] : [model.before]), ...typed, ...(model.after === null ? [] : [model.after])];
  };
  const rows = (model, text) => text.split(";").map((line) => {
    const cells = line.split(","), names = model.inputs;
    if (cells.length !== names.length && !(names.length === 0 && line.trim() === ""))
      refuse("input", `each row must have ${names.length} value${names.length === 1 ? "" : "s"} (${names.join(", ")}); `
        + `given: ${line.trim() || "an empty row"}`);
    return Object.fromEntries(names.map((name, k) => [name, read(cells[k])]));
  });
  const sequence = (model, text) => {
    const found = model.inputs === null ? tokens(model, text) : rows(model, text);
    if (model.max_length !== null && found.length > model.max_length)
      refuse("input", `an input must have length at most ${model.max_length}; given: ${found.length}`);
    if (model.pointwise && found.length !== 1) refuse("input", `one row of inputs is wanted; given: ${found.length}`);
    return found;
  };

  // The pass. A column is a list of one Q a position; the stream holds the columns that are not zero by construction.
  const visible = (mask, i, n) => {
    const [before, here, after] = { none: [1, 1, 1], future: [1, 1, 0], "strict-future": [1, 0, 0], past: [0, 1, 1],
      "strict-past": [0, 0, 1] }[mask];
    const found = [];
    for (let j = before ? 0 : i + 1 - here; j < (after ? n : i + here); j++) found.push(j);
    return found;
  };
  const run = (model, text) => {
    const input = sequence(model, text), n = input.length;
    const constant = (x) => Array(n).fill(x);
    const linear = (terms, bias) => {
      if (!terms.length) return constant(bias);
      return terms[0][0].map((_, i) => terms.reduce((sum, [column, c]) =>
        (column[i].n === 0n ? sum : add(sum, mul(c, column[i]))), bias));
    };
    const row = (weights, view) => weights.filter(([name]) => view.has(name)).map(([name, c]) => [view.get(name), c]);
    let stream = new Map();
    const steps = [], snap = (layer, part, attention = []) =>
      steps.push({ layer, part, columns: new Map(stream), attention });

    for (const name of model.space) {
      const terms = [];
      if (model.tables[name]) terms.push([input.map((token) => model.tables[name][token]), ONE]);
      else if (model.inputs !== null && model.inputs.includes(name)) terms.push([input.map((one) => one[name]), ONE]);
      if (Object.hasOwn(model.positions, name)) {
        const env = { ...model.env, n: whole(n) };
        const place = (_, k) => term(model.positions[name], { ...env, i: whole(model.start + k) });
        terms.push([input.map(place), ONE]);
      }
      if (terms.length) stream.set(name, linear(terms, ZERO));
    }
    snap(0, "embedding");

    const normalised = (norm) => {
      const entries = norm.projection ? norm.projection.map((weights) => linear(row(weights, stream), ZERO))
        : norm.reads.map((name) => stream.get(name) || constant(ZERO));
      const columns = entries.map(() => []), centred = norm.kind === "norm";
      const [outcome, must] = centred
        ? [norm.zero_variance, "a layer norm with epsilon = 0 must meet a variance above zero"]
        : [norm.zero_square, "an RMS norm with epsilon = 0 must meet an entry that is not zero"];
      for (let i = 0; i < n; i++) {
        const mean = centred ? div(total(entries.map((column) => column[i])), whole(entries.length)) : ZERO;
        let moved = entries.map((column) => sub(column[i], mean));
        const unit = moved.find((x) => x.n !== 0n);
        if (unit === undefined) {
          if (norm.epsilon.n === 0n && outcome === "refuse")
            refuse("no run", `${must}; given: zero at position ${model.start + i}`);
        } else {
          const variance = div(total(moved.map((x) => mul(x, x))), whole(moved.length));
          const below = root(add(variance, norm.epsilon));
          moved = moved.map((x) => div(x, below));
        }
        moved.forEach((x, k) => columns[k].push(add(mul(norm.gain[k], x), centred ? norm.bias[k] : ZERO)));
      }
      return norm.writes.map((name, k) => [name, columns[k]]);
    };
    const attend = (head, view) => {
      const rowsOf = head.writes.map((name, k) => [name, row(head.V[k], view)]).filter(([, terms]) => terms.length);
      if (!rowsOf.length) return [[], []];
      const queries = [], keys = [];
      head.Q.forEach((asked, d) => {
        const query = row(asked, view), key = row(head.K[d], view);
        if (query.length && key.length) { queries.push(linear(query, ZERO)); keys.push(linear(key, ZERO)); }
      });
      const values = rowsOf.map(([, terms]) => linear(terms, ZERO)), weights = [], outputs = values.map(() => []);
      for (let i = 0; i < n; i++) {
        const sees = visible(head.mask, i, n);
        let best = sees;
        if (queries.length && sees.length) {
          const scores = sees.map((j) => total(queries.map((column, d) => mul(column[i], keys[d][j]))));
          const top = scores.reduce((a, b) => (cmp(b, a) > 0 ? b : a));
          best = sees.filter((_, k) => cmp(scores[k], top) === 0);
          if (head.weighting === "softmax" && best.length < sees.length)
            refuse("irrational", "a softmax of scores that differ is not rational");
        }
        if (head.weighting === "leftmost") best = best.slice(0, 1);
        if (head.weighting === "rightmost") best = best.slice(-1);
        const share = best.length ? q(1n, BigInt(best.length)) : ZERO, seen = new Set(best);
        weights.push(input.map((_, j) => (seen.has(j) ? share : ZERO)));
        values.forEach((column, k) => outputs[k].push(mul(share, total(best.map((j) => column[j])))));
      }
      return [rowsOf.map(([name], k) => [name, [[outputs[k], ONE]], ZERO]), weights];
    };
    const network = (block, view) => {
      const hidden = new Map(), step = word("activation", block.activation, ["relu", "step"]) === "step";
      const active = (column) => column.map((x) => (x.n > 0n ? (step ? ONE : x) : ZERO));
      const gated = word("kind of a block", block.kind, ["feedforward", "gated"]) === "gated";
      const [inner, biases, outer, added] = gated ? [block.gate, block.gate_bias, block.down, block.down_bias]
        : [block.W1, block.b1, block.W2, block.b2];
      const unit = (h) => {
        if (!hidden.has(h)) {
          const inside = active(linear(row(inner[h], view), biases[h]));
          const up = gated ? linear(row(block.up[h], view), block.up_bias[h]) : null;
          hidden.set(h, gated ? inside.map((x, i) => mul(x, up[i])) : inside);
        }
        return hidden.get(h);
      };
      return block.writes.map((name, k) => [name, outer[k].map(([h, c]) => [unit(Number(h)), c]), added[k]])
        .filter(([, terms, bias]) => terms.length || bias.n !== 0n);
    };
    for (const step of model.steps) {
      const view = step.before.length ? new Map(step.before.flatMap(normalised)) : stream;
      const added = [], attention = [];
      for (const part of step.parts) {
        if (part.kind !== "head") { added.push(...network(part, view)); continue; }
        const [written, weights] = attend(part, view);
        added.push(...written);
        attention.push(weights);
      }
      stream = new Map(stream);
      for (const [name, terms, bias] of added)
        stream.set(name, linear([...(stream.has(name) ? [[stream.get(name), ONE]] : []), ...terms], bias));
      if (step.after) for (const [name, column] of normalised(step.after)) stream.set(name, column);
      snap(step.layer, step.kind, attention);
    }
    return { input, steps, ...answer(model, stream, n, linear, row, constant) };
  };

  const answer = (model, stream, n, linear, row, constant) => {
    const { kind, position, reads, labels } = model.readout;
    const full = new Map(reads.map((name) => [name, stream.get(name) || constant(ZERO)]));
    let scores = (labels.length ? labels : model.readout.weights.length ? ["logit"] : [])
      .map((label, k) => [label, linear(row(model.readout.weights[k], stream), ZERO)]);
    const all = [...Array(n).keys()];
    const everywhere = position === "each" || position === "all";
    const place = position === "first" ? 0 : n - 1, places = everywhere ? all : [place];
    let verdicts = null;
    if (kind === "zero") verdicts = all.map((i) => reads.every((name) => full.get(name)[i].n === 0n));
    if (kind === "sign") verdicts = all.map((i) => scores[0][1][i].n > 0n);
    const largest = (i, from, to) => scores.slice(from, to).reduce((best, one) =>
      (cmp(one[1][i], best[1][i]) > 0 ? one : best))[0];
    if (kind === "largest") verdicts = all.map((i) => largest(i, 0, labels.length));
    if (kind === "groups") verdicts = all.map((i) => model.readout.groups.map((size, g, sizes) => {
      const from = sizes.slice(0, g).reduce((sum, one) => sum + one, 0);
      return largest(i, from, from + size);
    }).join(","));
    if (kind === "distribution") scores = scores.map(([label, column]) => [label, column.map((x, i) => {
      if (scores.some(([, other]) => cmp(other[i], x) !== 0)) refuse("irrational", "a softmax of scores that differ");
      return q(1n, BigInt(scores.length));
    })]);
    const columns = labels.length ? scores : [...full, ...scores];
    const shown = (i) => Object.fromEntries(columns.map(([name, column]) => [name, `${column[i]}`]));
    const found = { place, places, output: shown(place) };
    if (kind === "zero" || kind === "sign")
      found.accept = position === "all" ? verdicts.every((yes) => yes) : verdicts[place];
    if (kind === "largest" || kind === "groups") found.outputs = (position === "each" ? all : [place]).map((i) => verdicts[i]);
    else if (everywhere) {
      const rowsOf = places.map(shown);
      found.outputs = position === "each" && verdicts ? verdicts
        : Object.keys(rowsOf[0]).length === 1 ? rowsOf.map((one) => one[reads[0]]) : rowsOf;
    }
    return found;
  };

  /* The document of `symcook run --json --trace`, but for its name, input and domain. */
  const document = (found) => {
    const texts = (column) => column.map(String);
    const trace = found.steps.map((step) => ({ layer: step.layer, part: step.part,
      coordinates: Object.fromEntries([...step.columns].map(([name, column]) => [name, texts(column)])),
      ...(step.attention.length ? { attention: step.attention.map((head) => head.map(texts)) } : {}) }));
    const { accept, output, outputs } = found;
    return { ...(accept === undefined ? {} : { accept }), output, ...(outputs === undefined ? {} : { outputs }), trace };
  };
  return { Refusal, about, bind, document, number, read, run, sequence, term };
})();
if (typeof module !== "undefined") module.exports = Symcook;
