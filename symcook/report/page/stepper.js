"use strict";
/* A machine run by its table: a Turing machine or an automaton behind a word that is typed, as the document of a run that
   was computed beforehand (`symcook.thought.frames.differences`). A head's gap is a fixed-point number of 256 bits. */
const SymcookMachine = (() => {
  const LONGEST = 200;  // the symbols of a word that is typed
  const MOST = 2000;  // the tokens of its run
  const ONE = 1n << 256n, MOVES = { L: -1, S: 0, R: 1 };
  class Refusal extends Error {}

  const single = (letter) => [...letter].length === 1;
  /* A string over the letters, read as `tokens_of_text` does: letters with spaces between, or a character each. A text
     with two readings is refused. */
  const read = (letters, text) => {
    const bySpaces = text.split(/\s+/).filter((one) => one !== ""), byCharacters = [...text];
    const valid = (word) => word.length > 0 && word.every((letter) => letters.includes(letter));
    const longer = letters.some((letter) => !single(letter) && text.includes(letter));
    if (valid(bySpaces) && valid(byCharacters) && bySpaces.length !== byCharacters.length)
      throw new Refusal(`text must have only one reading as a string of tokens; given: ${text.trim()}; put spaces between tokens`);
    const apart = valid(byCharacters) ? longer : valid(bySpaces);
    const found = !apart && (valid(byCharacters) || letters.every(single) || !bySpaces.length) ? byCharacters : bySpaces;
    const strange = found.find((letter) => !letters.includes(letter));
    if (strange !== undefined)
      throw new Refusal(`every symbol must be in the alphabet ${letters.join(" ")}; given: ${strange}`);
    if (found.length > LONGEST)
      throw new Refusal(`a word on a page must have at most ${LONGEST} symbols; given: ${found.length}; use symcook run`);
    return found;
  };

  /* Symbols as one text, from which they are read again (`text_of_tokens`). */
  const written = (symbols, letters) => {
    if (letters.every(single)) return symbols.join("");
    const text = symbols.join(" ");
    return text.length > 1 && [...text].every((one) => letters.includes(one)) ? `${text} ` : text;
  };

  // Gaps of scores: what a head looks for is the nearest of hashed cells, and of steps on one cell the last.
  const root = (x) => {  // of a fixed-point number
    const wanted = x * ONE;
    let near = 1n << BigInt(wanted.toString(2).length / 2 + 1 | 0);
    for (let next = (near + wanted / near) / 2n; next < near; next = (near + wanted / near) / 2n) near = next;
    return near;
  };
  const cosine = (a, b) => {
    const [h, k] = [BigInt(a), BigInt(b)];
    return ((h * k + 1n) * ONE * ONE) / root((h * h + 1n) * (k * k + 1n) * ONE);
  };
  const half = (x) => {  // (1 - 1/sqrt(1 + x^2))/2
    const below = root(ONE + (x * x) / ONE);
    return (x * x) / ((2n * below * (ONE + below)) / ONE);
  };
  const earlier = (j, times = 2) => {  // what makes an earlier step on a cell the lesser one
    let x = ONE / BigInt(j);
    for (let k = 0; k < times; k++) x = half(x);
    return x;
  };
  const digits = (gap) => {  // three of them, of a number above 0 and below 10
    let e = 0;
    while (gap * 10n ** BigInt(-e) < ONE) e -= 1;
    let three = (2n * gap * 10n ** BigInt(2 - e) + ONE) / (2n * ONE);
    if (three >= 1000n) { three /= 10n; e += 1; }
    const text = `${three}`;
    if (e < -4) return `${text[0]}.${text.slice(1)}e${e}`;
    return e < 0 ? `0.${"0".repeat(-e - 1)}${text}` : `${text[0]}.${text.slice(1)}`;
  };
  const nearest = (position, rivals) => {
    if (!rivals.length) return { position, rival: null, gap: null };
    const [gap, rival] = rivals.reduce((best, one) => (Number(one[0]) < Number(best[0]) ? one : best));
    return { position, rival, gap: digits(gap) };
  };
  const onInput = (head, n, position, least) => {
    if (head < least && least) return null;
    const last = position > n + 1 ? n + 1 : n, cell = Math.min(Math.max(head, least), last), best = cosine(head, cell);
    return nearest(cell, [cell - 1, cell + 1].filter((one) => one >= least && one <= last)
      .map((one) => [best - cosine(head, one), one]));
  };
  const onWork = (head, cells, least) => {
    const before = (j) => earlier(j - least);  // by the tokens before, of which there is one less without $
    const own = cells.get(head), last = own[own.length - 1], score = ONE - before(last), rivals = [];
    for (const one of [head - 1, head + 1]) {
      const there = cells.get(one)?.at(-1);
      if (there !== undefined) rivals.push([score - (cosine(head, one) - before(there)), there]);
    }
    if (own.length > 1) rivals.push([before(own[own.length - 2]) - before(last), own[own.length - 2]]);
    return nearest(last, rivals);
  };

  /* The decoder of --theorem 2, whose tokens are rows of the table: `$`, at `least`, stands for cells that no token wrote,
     and T is that of the column that looks (`symcook.thought.rows`). `cells` has the positions that wrote on each cell.
     Without `$` the first letter stands in its place, and the machine inside reads its input one letter ahead. */
  const onRows = (cells, head, position, first, least) => {
    const i = position - least;
    if (!i) return null;
    const small = earlier(i, 1), tie = 2n * half(small), scores = [[ONE - tie, least]], all = [...cells.keys()];
    const below = all.filter((one) => one < head), above = all.filter((one) => one > head);
    const near = [head, ...(below.length ? [Math.max(...below)] : []), ...(above.length ? [Math.min(...above)] : [])];
    for (const cell of near)
      for (const j of (cells.get(cell) ?? []).slice(-2))
        scores.push([cosine(head - first, cell - first) - (tie * ONE) / root(BigInt((j - least) ** 2 + 1) * ONE), j]);
    scores.sort((a, b) => (a[0] > b[0] ? -1 : 1));
    const [best, next] = scores;
    return { position: best[1], rival: next?.[1] ?? null, gap: next ? digits(best[0] - next[0]) : null };
  };
  const rows = (table, word) => {
    const n = word.length, K = table.tapes, least = table.least, heads = [table.head, ...Array(K).fill(0)];
    const cells = heads.map((_, k) => new Map(k ? [] : word.map((symbol, i) => [i + 1, symbol])));
    const wrote = heads.map((_, k) => new Map(k ? [] : word.map((_, i) => [i + 1, [i + 1]]).slice(least, -1)));
    const copy = new Map(), copies = new Map();  // what was read where, and the positions that copied it
    const under = (k) => cells[k].get(heads[k]) ?? table.blank;
    const next = (cell) => (cell >= 2 && cell <= n ? word[cell - 1] : table.blank);  // the first letter is in no cell
    const looked = (position, held, move = []) => {
      const stays = move.map((one) => one === "S"), letters = heads[0] + least;
      const first = onRows(wrote[0], letters, position, 1 + least, least);
      const works = heads.slice(1).map((head, k) => (stays[k + 1] ? null : onRows(wrote[k + 1], head, position, 0, least)));
      if (!least) return { looked: [first, ...works], fresh: [] };
      const copied = stays[0] ? null : onRows(copies, heads[0], position, 1, least);
      const there = stays[0] ? under(0) : copy.get(heads[0]) ?? table.blank;
      return { looked: [there === table.blank ? null : copied, ...works], fresh: [], held, further: [
        { name: "copy", cell: heads[0], reads: there, looked: copied },
        { name: "ahead", cell: letters, reads: next(letters), looked: first }] };
    };
    const tokens = [{ position: n, token: table.start, write: [], move: [], given: true, ...looked(n, word[0]) }];
    if (n > least) wrote[0].set(n, [n]);
    let state = table.start;
    while (!table.halt.includes(state)) {
      if (tokens.length > MOST) return [tokens, false];
      const read = under(0), [to, write, move] = table.rows[[state, ...heads.map((_, k) => under(k))].join(" ")];
      const before = [...heads], position = n + tokens.length, held = move[0] === "R" ? next(heads[0] + 1) : table.blank;
      write.forEach((symbol, k) => cells[k + 1].set(heads[k + 1], symbol));
      move.forEach((one, k) => { heads[k] += MOVES[one]; });
      state = to;
      tokens.push({ position, token: state, write, move, ...looked(position, held, move) });
      copy.set(before[0], read);
      [copies, ...wrote.slice(1)].forEach((own, k) => own.set(before[k], [...(own.get(before[k]) ?? []), position]));
    }
    for (; under(K) !== table.blank; heads[K] += 1) {
      if (tokens.length > MOST) return [tokens, false];
      tokens.push({ position: n + tokens.length, token: under(K) });
    }
    return [tokens, true];
  };
  const turing = (table, word) => {
    const n = word.length, K = table.tapes, tokens = [], heads = [table.head, ...Array(K).fill(0)];
    const cells = heads.map((_, k) => new Map(k ? [] : word.map((symbol, i) => [i + 1, symbol])));
    const visited = heads.map(() => [0, 0]), wrote = heads.map(() => new Map());
    const under = (k) => cells[k].get(heads[k]) ?? table.blank;
    const step = (state, write, move, before) => {  // the token of a step, once the heads have moved
      const position = n + 1 + tokens.length, looked = [onInput(heads[0], n, position, table.least)], fresh = [];
      for (let k = 1; k <= K; k++) {
        const [low, high] = visited[k], here = heads[k], isNew = !tokens.length || here < low || here > high;
        visited[k] = [Math.min(low, here), Math.max(high, here)];
        if (isNew) fresh.push(k);
        looked.push(!isNew && here !== before[k] ? onWork(here, wrote[k], table.least) : null);
        wrote[k].set(before[k], [...(wrote[k].get(before[k]) ?? []), position]);
      }
      tokens.push({ position, token: state, write, move, looked, fresh });
    };
    let state = table.start;
    step(state, [], [], [0, ...heads.slice(1)]);
    while (!table.halt.includes(state)) {
      if (tokens.length >= MOST) return [tokens, false];
      const [next, write, move] = table.rows[[state, ...heads.map((_, k) => under(k))].join(" ")];
      const before = [...heads];
      write.forEach((symbol, k) => cells[k + 1].set(heads[k + 1], symbol));
      move.forEach((one, k) => { heads[k] += MOVES[one]; });
      state = next;
      step(state, write, move, before);
    }
    for (; under(K) !== table.blank; heads[K] += 1) {
      if (tokens.length >= MOST) return [tokens, false];
      tokens.push({ position: n + 1 + tokens.length, token: under(K) });
    }
    return [tokens, true];
  };
  const automaton = (table, word) => {
    let state = 0;
    const called = [table.names[0]];
    for (const letter of word) {
      state = table.moves[state][table.alphabet.indexOf(letter)];
      called.push(table.names[state]);
    }
    const verdict = table.answers[state] ? "yes" : "no";
    const whole = [...called, verdict];  // with counted, by Theorem 1, the first state is left out
    const shown = !table.counted ? whole : table.at_once && word.length === 1 ? [verdict] : whole.slice(1);
    return [shown.map((token, k) => ({ position: word.length + 1 + k, token })), true];
  };

  /* The run behind what is typed. Refusal, with a sentence, where that is no word. */
  const run = (table, text) => {
    const tapes = table.rows !== undefined, word = read(tapes ? table.input : table.alphabet, text);
    if (word.length < table.least)
      throw new Refusal("a word must have at least one symbol, as nothing stands in front of it; given: none");
    const [tokens, ended] = !tapes ? automaton(table, word) : (table.theorem ? rows : turing)(table, word);
    const put = tokens.filter((one) => one.move === undefined).map((one) => one.token);
    const ends = tapes ? { blank: table.blank, start: table.start, halt: table.halt,
      heads: [table.head, ...Array(table.tapes).fill(0)] } : {};
    return { input: word, ...ends, tokens, stopped: ended ? "end" : "limit",
      output: tapes ? written(put, table.symbols) : put[put.length - 1], typed: word.join(" ") };
  };
  return { MOST, Refusal, run };
})();
if (typeof module !== "undefined") module.exports = SymcookMachine;
