"use strict";
/* The page of a model: what is typed is run by the evaluator above, or looked up among the runs that are in the page,
   and drawn step by step. Text is always put in as text, so that nothing that is typed can become markup. */
(() => {
  const MOST = 64;  // positions that a page shows
  const MANY = 8;  // values of a readout that are listed
  const SHORT = 11;  // the characters of a value in a table
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const make = (name, given = {}, ...inside) => {
    const found = document.createElement(name);
    for (const [key, value] of Object.entries(given)) {
      if (key === "text") found.textContent = value;
      else if (key === "on") found.addEventListener("click", value);
      else if (value !== null && value !== false) found.setAttribute(key, value === true ? "" : value);
    }
    found.append(...inside);
    return found;
  };

  const svg = (name, given, words) => {
    const found = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(given)) found.setAttribute(key, value);
    if (words !== undefined) found.textContent = words;
    return found;
  };

  // Values: text of a rational, or [text, a float near it].
  const text = (value) => (Array.isArray(value) ? value[0] : value);
  const known = new Map();  // the same few numbers stand in most cells
  const near = (value) => {
    if (Array.isArray(value)) return value[1] ?? 0;
    if (!known.has(value)) known.set(value, Symcook.about(Symcook.number(value)));
    return known.get(value);
  };
  const digits = (x) => {
    const plain = Number(x.toPrecision(4));
    return plain !== 0 && (Math.abs(plain) < 1e-4 || Math.abs(plain) >= 1e7) ? plain.toExponential() : `${plain}`;
  };
  const short = (value) => (text(value).length <= SHORT ? text(value) : `≈${digits(near(value))}`);
  const cell = (value, most, more = "") => {
    const about = near(value), share = most ? Math.min(Math.abs(about) / most, 1) ** 0.5 : 0;
    const kind = about > 0 ? "plus" : about < 0 ? "minus" : "nil", whole = text(value), cut = short(value);
    const found = make("td", { class: `${kind} ${more}`.trim(), title: cut === whole ? null : whole, text: cut });
    found.style.setProperty("--s", share.toFixed(3));
    return found;
  };
  const table = (caption, header, rows, kind = "heat") => make("div", { class: "frame", tabindex: 0, role: "group",
    "aria-label": caption },
    make("table", { class: kind }, make("caption", { text: caption }), make("thead", {}, make("tr", {}, ...header)),
      make("tbody", {}, ...rows)));
  const head = (words, scope, kind = null) =>
    (words === "" ? make("td") : make("th", { scope, class: kind, text: words }));  // an empty corner is no header

  // What is wider than its frame says so.
  let hinting = 0;
  const hint = () => {
    hinting ||= requestAnimationFrame(() => {
      hinting = 0;
      const wide = [...document.querySelectorAll(".frame")].map((one) => [one, one.scrollWidth > one.clientWidth + 1]);
      for (const [one, more] of wide) one.toggleAttribute("data-more", more);
    });
  };
  addEventListener("resize", hint);
  document.addEventListener("toggle", hint, true);
  hint();

  // What is shown now.
  let found = null, step = 0, position = 0, model = null, bound = null;
  let opened = false, picked = false;  // whether a run was shown, and whether the reader chose a position
  const place = (i) => `${data.start + i}`;
  const token = (i) => (found.input && data.inputs === null ? found.input[i] : null);
  const named = (i) => {  // a digit that is a token stands in quotes: it is no position
    if (token(i) === null) return place(i);
    const sign = found.input.some((one) => /^\d+$/.test(one)) ? '"' : "";
    return `${place(i)}: ${sign}${token(i)}${sign}`;
  };
  const length = () => found.length;
  const said = (one) => (one.layer ? `layer ${one.layer}, ${one.part}` : one.part);
  const word = (verdict) => (verdict === true ? "accept" : verdict === false ? "reject"
    : verdict === null ? "undecided" : `${text(verdict)}`);

  const answer = () => {
    const parts = [];
    if ("accept" in found) parts.push(make("strong", { class: word(found.accept), text: word(found.accept) }));
    const where = data.decides && !found.outputs ? ` at position ${named(found.place)}` : "";
    const every = Object.entries(found.output).map(([name, value]) => `${name} = ${long(text(value))}`);
    const values = every.length <= MANY ? every.join(", ") : `${every.slice(0, MANY).join(", ")}, and ${every.length - MANY} more`;
    if (found.outputs && found.outputs.length === length())
      parts.push(make("span", {}, make("span", { class: "note", text: `${data.each ? "answers" : "values"} by position ` }),
        ...found.outputs.map((one, i) => make("span", { class: "each", text:
          `${named(i)} → ${one !== null && typeof one === "object" && !Array.isArray(one)
            ? Object.entries(one).map(([name, value]) => `${name} = ${short(value)}`).join(", ")
            : Array.isArray(one) || (typeof one === "string" && !data.labels.length) ? short(one) : word(one)}` }))));
    else if (found.outputs) parts.push(make("strong", { text: found.outputs.map(word).join(", ") }));
    if (!found.outputs || found.outputs.length !== length() || "accept" in found && data.decides && !data.labels.length)
      parts.push(make("span", { class: data.rule ? "note" : null, text: data.rule || `${values}${where}` }));
    $("answer").replaceChildren(...parts.flatMap((part, k) => (k ? [" ", part] : [part])));
  };
  const long = (words) => (words.length <= 60 ? words : `${words.slice(0, 40)}…${words.slice(-12)}`);

  const stream = () => {
    const now = found.trace[step].coordinates, before = step ? found.trace[step - 1].coordinates : {};
    const last = step === found.trace.length - 1;
    const rows = Object.entries(now).map(([name, column]) => {
      const most = Math.max(...column.map((value) => Math.abs(near(value))));
      const old = Object.hasOwn(before, name) ? before[name] : null;
      const cells = column.map((value, i) => {
        const changed = old === null ? text(value) !== "0" : text(old[i]) !== text(value);
        const read = last && data.reads.includes(name) && found.places.includes(i);
        return cell(value, most, [changed && step ? "changed" : "", read ? "read" : "", i === position ? "here" : ""]
          .filter(Boolean).join(" "));
      });
      const moved = cells.some((one) => one.classList.contains("changed"));
      return make("tr", {}, head(name, "row", moved ? "changed" : null), ...cells);
    });
    if (!rows.length) return make("p", { text: "every coordinate is zero" });
    const top = [head("", "col"), ...Array.from({ length: length() }, (_, i) =>
      head(named(i), "col", i === position ? "here" : null))];
    return table(`residual stream after ${said(found.trace[step])}`, top, rows);
  };
  const heads = () => {
    const every = found.trace[step].attention || [];
    return every.map((rows, k) => {
      const name = every.length > 1 ? `head ${k + 1} of ${every.length}` : "the head";
      if (!rows.length) return make("p", { text: `${name} writes nothing` });
      const body = rows.map((row, i) => make("tr", { class: i === position ? "here" : null }, head(named(i), "row"),
        ...row.map((value) => cell(value, 1))));
      const top = [head("from \\ to", "col"), ...rows.map((_, i) => head(named(i), "col"))];
      return table(`attention weights of ${name}`, top, body);
    });
  };
  /* What the step did at the position, in words: what changed, and where each head looked. */
  const detail = () => {
    const one = found.trace[step], before = step ? found.trace[step - 1].coordinates : {};
    const lines = Object.entries(one.coordinates).flatMap(([name, column]) => {
      const old = Object.hasOwn(before, name) ? text(before[name][position]) : "0", now = text(column[position]);
      return old === now ? [] : [step ? `${name}: ${long(old)} → ${long(now)}` : `${name} = ${long(now)}`];
    });
    (one.attention || []).forEach((rows, k, every) => {
      if (!rows.length) return;
      const seen = rows[position].flatMap((value, j) => (text(value) === "0" ? [] : [[j, value]]));
      const name = every.length > 1 ? `head ${k + 1}` : "the head";
      const same = seen.length > 1 && seen.every(([, value]) => text(value) === text(seen[0][1]));
      lines.push(!seen.length ? `${name} sees nothing`
        : seen.length === 1 ? `${name} looks at ${named(seen[0][0])} alone`
          : same ? `${name} looks with ${text(seen[0][1])} each at ${seen.map(([j]) => named(j)).join(", ")}`
            : `${name} looks at ${seen.map(([j, value]) => `${named(j)} (${short(value)})`).join(", ")}`);
    });
    return lines.length ? lines : ["nothing changes here"];
  };

  /* Every attention pattern of the run as a picture: a row is the position that attends, a column the one that is
     attended to. The exact weight stands behind each square. The table of a step has the same weights as text. */
  const PATTERNS = 12;  // heads that are drawn
  const patterns = () => {
    const all = found.trace.flatMap((one, k) => (one.attention || []).flatMap((rows, h, every) =>
      (rows.length ? [{ one, k, rows, h, many: every.length }] : [])));
    const more = all.length - PATTERNS;
    return make("div", { id: "patterns" }, ...all.slice(0, PATTERNS).map(pattern),
      ...(more > 0 ? [make("p", { class: "note", text: `${more} more heads: choose their step below` })] : []));
  };
  const pattern = ({ one, k, rows, h, many }) => {
    const n = rows.length, side = n <= 10 ? 22 : n <= 24 ? 12 : 6, named_ = n <= 24;
    const labels = rows.map((_, i) => (named_ ? (token(i) ?? place(i)) : ""));
    const edge = named_ ? 8 + 7 * Math.min(6, Math.max(...labels.map((label) => label.length))) : 2, size = edge + n * side + 2;
    const title = `layer ${one.layer}, ${many > 1 ? `head ${h + 1}` : "the head"}`, about = data.heads[one.layer]?.[h] ?? "";
    const drawn = svg("svg", { viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: "img",
      "aria-label": `attention pattern of ${title}: ${about}` });
    rows.forEach((row, i) => {
      const line = svg("g", { class: "asks" });
      row.forEach((value, j) => {
        const square = svg("rect", { x: edge + j * side, y: edge + i * side, width: side, height: side, class: "weight" });
        square.style.setProperty("--s", (Math.min(Math.abs(near(value)), 1) ** 0.5).toFixed(3));
        square.append(svg("title", {}, `from ${named(i)} to ${named(j)}: ${text(value)}`));
        line.append(square);
      });
      drawn.append(line);
    });
    if (named_) labels.forEach((label, i) => drawn.append(
      svg("text", { x: edge - 4, y: edge + (i + 0.5) * side + 4, class: "end" }, label.slice(0, 6)),
      svg("text", { x: edge + (i + 0.5) * side, y: edge - 4, class: "tick" }, label.length * 7 > side ? "" : label)));
    return make("figure", { "data-step": k }, drawn, make("figcaption", {},
      make("button", { type: "button", class: "link", text: title, on: () => go(k, position) }), ` ${about}`));
  };

  const moved = () => {
    const all = found.trace;
    $("where").textContent = `Step ${step + 1} of ${all.length}, after ${said(all[step])}; position ${named(position)}`;
    [...$("steps").children].forEach((one, k) => one.firstChild.setAttribute("aria-pressed", k === step));
    [...$("places").children].forEach((one, i) => one.firstChild.setAttribute("aria-pressed", i === position));
    $("back").disabled = step === 0;
    $("on").disabled = step === all.length - 1;
    $("did").replaceChildren(...detail().map((line) => make("li", { text: line })));
    for (const one of document.querySelectorAll("#patterns figure")) {
      one.classList.toggle("now", Number(one.dataset.step) === step);
      [...one.querySelectorAll(".asks")].forEach((line, i) => line.classList.toggle("here", i === position));
    }
    $("tables").replaceChildren(stream(), ...heads());
    for (const here of $("tables").querySelectorAll(".frame thead .here")) {  // the position is in sight
      const frame = here.closest(".frame"), left = here.getBoundingClientRect().left - frame.getBoundingClientRect().left;
      frame.scrollLeft += left - (frame.clientWidth - here.offsetWidth) / 2;
    }
    hint();
  };
  const go = (to, at) => {
    if (at !== position) picked = true;
    step = Math.max(0, Math.min(found.trace.length - 1, to));
    position = Math.max(0, Math.min(length() - 1, at));
    moved();
  };
  const draw = () => {
    const button = (words, id, on) => make("button", { type: "button", id, text: words, on });
    const pick = (words, on) => make("li", {}, make("button", { type: "button", text: words, "aria-pressed": "false", on }));
    const steps = make("ol", { id: "steps", "aria-label": "steps" },
      ...found.trace.map((one, k) => pick(said(one), () => go(k, position))));
    const places = make("ol", { id: "places", "aria-label": "positions" },
      ...Array.from({ length: length() }, (_, i) => pick(named(i), () => go(step, i))));
    $("trace").replaceChildren(patterns(),
      make("div", { class: "stepper" }, button("◀ step", "back", () => go(step - 1, position)),
        button("step ▶", "on", () => go(step + 1, position)),
        make("span", { class: "note", text: "or the arrow keys: ← → steps, ↑ ↓ positions" })),
      steps, places, make("p", { id: "where", "aria-live": "polite" }), make("ul", { id: "did" }),
      make("div", { id: "tables" }));
    const [looks, read] = opening();
    if (!opened) step = looks;
    if (!picked) position = read;
    opened = true;
    go(step, position);
  };
  /* A fresh page shows the first step at which a head looks somewhere, else one that changes something, at the position
     that the readout reads; that position is kept for what is typed next, until another is chosen. */
  const opening = () => {
    const all = found.trace, looks = all.findIndex((one) => (one.attention || []).some((rows) => rows.length));
    return [looks >= 0 ? looks : Math.min(1, all.length - 1), found.place ?? length() - 1];
  };
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-1e9, 0],
    End: [1e9, 0] };
  const arrow = (event) => {
    const scrolls = event.target.classList.contains("frame") && event.target.scrollWidth > event.target.clientWidth;
    return !found || scrolls || event.altKey || event.ctrlKey || event.metaKey ? null : ARROWS[event.key];
  };
  $("trace").addEventListener("keydown", (event) => {
    const to = arrow(event);
    if (!to) return;
    event.preventDefault();
    go(step + to[0], position + to[1]);
  });
  /* On a fresh page, where nothing has the focus, arrows step too. Up and down scroll the page where the run is out of
     sight, and after the last position. */
  document.addEventListener("keydown", (event) => {
    const to = event.target === document.body ? arrow(event) : null;
    if (!to || event.key === "Home" || event.key === "End") return;
    if (data.machine && to[0]) token_of_run(at + to[0]);
    else {
      const { top, bottom } = $("trace").getBoundingClientRect(), next = position + to[1];
      if (to[1] && (top > window.innerHeight || bottom < 0 || next < 0 || next >= length())) return;
      go(step + to[0], next);
    }
    event.preventDefault();
  });

  const automaton = () => {
    if (data.machine || !data.automaton || !$("path") || data.inputs !== null) return;
    const { alphabet, moves, names } = data.automaton;
    let state = 0;
    const path = [names[0]];
    for (const letter of found.input.slice(data.ends[0], found.input.length - data.ends[1])) {
      state = moves[state][alphabet.indexOf(letter)];
      path.push(names[state]);
    }
    $("path").textContent = `On the string that is run${data.automaton.at}: ${path.join(" → ")}`;
  };
  const show = (one) => {
    found = one;
    found.length = Object.values(one.trace[0].coordinates)[0]?.length ?? one.input.length;
    $("said").textContent = "";
    answer();
    draw();
    automaton();
  };
  const clear = (words) => {
    found = null;
    $("said").textContent = words;
    $("answer").replaceChildren();
    $("trace").replaceChildren();
  };

  // Runs that are computed here.
  const values = () => Object.fromEntries([...document.querySelectorAll("input[type=text][data-symbol]")]
    .map((field) => [field.dataset.symbol, field.value]));
  const compute = () => {
    try {
      const typed = $("word").value;
      bound = Symcook.bind(model, values());
      const many = Symcook.sequence(bound, typed).length;
      if (many > MOST)
        throw new Symcook.Refusal("input", `a page shows at most ${MOST} positions; given: ${many}; use symcook run`);
      const run = Symcook.run(bound, typed);
      show({ ...Symcook.document(run), input: run.input, place: run.place, places: run.places });
    } catch (error) {
      if (!(error instanceof Symcook.Refusal)) throw error;
      const kind = { irrational: "No exact value on this page: ", "no run": "There is no run: " }[error.kind] || "";
      clear(`${kind}${error.message}.`);
    }
  };
  // Symbols as one text in the field. After a single one of several characters stands a space: 10 may be 1 and 0 too.
  const spaced = (symbols) => `${symbols.join(" ")}${symbols.length === 1 && [...symbols[0]].length > 1 ? " " : ""}`;
  const keys = (spelled, then) => {  // one for each letter, beside the field
    for (const key of document.querySelectorAll("button.key[data-token]"))
      key.addEventListener("click", () => {
        const field = $("word"), token = key.dataset.token, before = field.value.split(/\s+/).filter((one) => one !== "");
        field.value = spelled ? `${field.value}${token}` : spaced([...before, token]);
        then();
      });
    $("erase")?.addEventListener("click", () => {
      const field = $("word");
      field.value = spelled ? [...field.value].slice(0, -1).join("") : spaced(field.value.trim().split(/\s+/).slice(0, -1));
      then();
    });
  };
  if (data.model) {
    model = data.model;
    $("form").addEventListener("submit", (event) => { event.preventDefault(); compute(); });
    $("word").addEventListener("input", compute);
    keys(model.spelled, compute);
    for (const slider of document.querySelectorAll("input[type=range][data-symbol]")) {
      const stops = slider.dataset.stops.split(" "), field = $(slider.id.replace(/-slider$/, ""));
      slider.addEventListener("input", () => {
        field.value = stops[slider.value];
        slider.setAttribute("aria-valuetext", field.value);
        compute();
      });
      field.addEventListener("input", () => {
        const at = stops.indexOf(field.value.trim());
        if (at >= 0) slider.value = at;
        slider.setAttribute("aria-valuetext", field.value);
        compute();
      });
    }
    compute();
  } else if (data.runs.length && !data.machine) {
    $("form").addEventListener("submit", (event) => event.preventDefault());
    $("known").addEventListener("change", () => show(data.runs[Number($("known").value)]));
    show(data.runs[0]);
  }

  // Soft attention beside hard attention.
  const PLOTS = 8;  // values that are drawn; the table has all of them
  const soft = () => {
    const { temperatures, rows } = data.soft, row = rows[Number($("length").value)], at = Number($("tau").value);
    const now = row.soft[at], tau = temperatures[at];
    $("tau-value").textContent = tau;
    $("length-value").textContent = `${Number($("length").value) + 1}: ${row.typed}`;
    $("tau").setAttribute("aria-valuetext", tau);
    $("length").setAttribute("aria-valuetext", $("length-value").textContent);
    const answers = row.hard.answer === null && now.answer === null ? ""
      : `hard: ${word(row.hard.answer)}, soft: ${word(now.answer)}${row.hard.answer === now.answer ? "" : ", not the same"}. `;
    $("soft-said").textContent = `On ${row.typed} at temperature ${tau}. ${answers}`;
    const lines = Object.entries(row.hard.values).map(([name, hard]) => make("tr", {}, head(name, "row"),
      make("td", { text: hard[0] }), make("td", { text: now.values[name][0] }),
      make("td", { text: `≈${digits(Math.abs(hard[1] - now.values[name][1]))}` })));
    $("soft-table").replaceChildren(table("values", ["", "hard", "soft", "apart by about"].map((one) => head(one, "col")),
      lines, "words"));
    $("soft-plot").replaceChildren(...Object.entries(row.hard.values).slice(0, PLOTS).map(([name, hard]) =>
      plot(name, hard[1], row.soft.map((one) => one.values[name][1]), temperatures, at)));
    hint();
  };
  const plot = (name, hard, points, temperatures, at) => {
    const [w, h, l, t] = [560, 190, 64, 16], low = Math.min(hard, ...points), high = Math.max(hard, ...points);
    const room = (high - low) * 0.1 || 1, x = (k) => l + ((w - l - 16) * k) / (points.length - 1);
    const y = (v) => t + ((high + room - v) / (high - low + 2 * room)) * (h - t - 40);
    const drawn = svg("svg", { viewBox: `0 0 ${w} ${h}`, class: "plot", role: "img",
      "aria-label": `${name} by temperature: soft attention as a line of points, hard attention as a dashed line at ${digits(hard)}` });
    drawn.append(svg("line", { class: "hard", x1: l, x2: w - 16, y1: y(hard), y2: y(hard) }),
      svg("polyline", { class: "soft", points: points.map((v, k) => `${x(k)},${y(v)}`).join(" ") }),
      ...points.map((v, k) => svg("circle", { class: k === at ? "soft now" : "soft", cx: x(k), cy: y(v), r: k === at ? 6 : 3 })),
      ...temperatures.map((tau, k) => svg("text", { x: x(k), y: h - 22, class: "tick" }, tau)),
      svg("text", { x: (l + w) / 2, y: h - 4, class: "tick" }, "temperature tau; radii are too small to draw"),
      ...[low, high].filter((v, k, all) => k === 0 || v !== all[0])
        .map((v) => svg("text", { x: l - 8, y: y(v) + 4, class: "tick end" }, digits(v))),
      svg("text", { x: l + 4, y: t - 2, class: "tick start" }, `${name}: dashed hard, points soft`));
    return drawn;
  };
  if (data.soft && data.soft.rows) {
    for (const id of ["tau", "length"]) $(id).addEventListener("input", soft);
    soft();
  }

  // A machine's own run: what its tokens changed is played up to the one that is chosen.
  const AROUND = 8, NARROW = 3;  // cells on each side of a head, also where there is little room
  let ran = null, at = 0;  // the run, and which of its tokens
  const called = (position) => {  // a token by its position: of the word, or put out behind it
    const one = ran.tokens[position - ran.tokens[0].position];
    return one && !one.given ? one.token : ran.input[position - 1] ?? "the start";
  };
  const tapes = () => {
    const { heads: start } = ran, heads = [...start], now = ran.tokens[at];
    const cells = start.map((_, k) => new Map(k ? [] : ran.input.map((symbol, i) => [i + 1, symbol])));
    for (const one of ran.tokens.slice(0, at + 1)) {
      if (!one.move) { heads[heads.length - 1] += 1; continue; }
      one.write.forEach((symbol, k) => cells[k + 1].set(heads[k + 1], symbol));
      one.move.forEach((move, k) => { heads[k] += { L: -1, R: 1 }[move] || 0; });
    }
    const named = (k) => (k ? `work tape ${k}` : "input tape");
    const around = window.innerWidth < 600 ? NARROW : AROUND;
    $("strips").replaceChildren(...heads.map((here, k) => {
      const places = Array.from({ length: 2 * around + 1 }, (_, i) => here - around + i);
      return table(`${named(k)}, head at cell ${here}`,
        [head("cell", "col"), ...places.map((cell) => head(`${cell}`, "col", cell === here ? "here" : null))],
        [make("tr", {}, head("symbol", "row"), ...places.map((cell) => make("td", {
          class: cell === here ? "here" : null, text: cells[k].get(cell) ?? ran.blank })))], "tape");
    }));
    const from = (looked) => [`position ${looked.position}: ${called(looked.position)}`, looked.rival === null ? "no other"
      : `position ${looked.rival}: ${called(looked.rival)}`, looked.gap ?? ""];
    const said = (token, k) => {
      const looked = token.looked?.[k];
      if (looked) return from(looked);
      const why = token.held !== undefined && !k ? (token.move[0] === "S" ? "what it copied itself, or holds"
        : "the letter that was read ahead, held in the state")
        : token.given ? "what this one says" : !k ? "in front of the first letter"
        : token.fresh?.includes(k) ? "a cell never visited" : "what it wrote itself";
      return [`no token: ${why}`, "", ""];
    };
    const further = (now.further ?? []).map((one) => [{ copy: "copy of the input", ahead: "one cell ahead on the input" }[one.name],
      one.reads, ...(one.looked ? from(one.looked) : [now.move[0] === "S" ? "no token: what it copied itself"
        : "no token: none is before this one", "", ""])]);
    const rows = now.looked === undefined ? [] : [...heads.map((here, k) => [named(k), cells[k].get(here) ?? ran.blank,
      ...said(now, k)]), ...further].map(([name, ...others]) => make("tr", {}, head(name, "row"),
      ...others.map((words) => make("td", { text: words }))));
    $("lookups").replaceChildren(...(rows.length ? [table("what each head reads now", ["head of the", "reads",
      "retrieved from", "next best", "below by"].map((one) => head(one, "col")), rows, "words")] : []));
    return now.write ? `Step ${at}, state ${now.token}` : `Output ${now.token}`;
  };
  /* The states of an automaton: how many letters were read, and the arrow that was taken. */
  const states = () => {
    const left = ran.input.length + 2 - ran.tokens.length;  // how many of its first states are left out
    const now = ran.tokens[at], read = Math.min(at + left, ran.input.length);
    const past = at + left > ran.input.length, { moves, names, alphabet } = data.automaton;
    let state = 0, edge = null;
    for (const letter of ran.input.slice(0, read)) {
      const to = moves[state][alphabet.indexOf(letter)];
      edge = `${state} ${to}`;
      state = to;
    }
    for (const one of document.querySelectorAll(".states [data-state], .states [data-edge]"))
      one.classList.toggle("now", one.dataset.state === `${state}` || one.dataset.edge === edge);
    if ($("path")) $("path").textContent = past ? `It ended in ${names[state]} and answers ${now.token}.`
      : `Now in ${names[state]}${read ? `, after the symbol ${ran.input[read - 1]}` : ", where it begins"}.`;
    const run = ran.tokens.map((one, k) => make("td", { class: k === at ? "here" : null, text: one.token }));
    $("strips").replaceChildren(table("the word and its states",
      [head("letter read", "col"), ...ran.tokens.map((_, k) => make("td", { text: k + left ? ran.input[k + left - 1] ?? "" : "" }))],
      [make("tr", {}, head("token put out", "row"), ...run)], "tape"));
    const column = now.position - data.machine.first - 1;  // the position whose column put this token out
    const rows = !found || column >= found.length ? [] : found.trace.flatMap((one) => (one.attention ?? []).flatMap((weights, k) => {
      const seen = weights[column]?.flatMap((value, j) => (text(value) === "0" ? [] : [named(j)])) ?? [];
      return seen.length ? [make("tr", {}, head(`${said(one)}, head ${k + 1}`, "row"), make("td", { text:
        seen.length <= 4 ? seen.join("; ") : `${seen.length} positions` }))] : [];
    }));
    $("lookups").replaceChildren(...(rows.length ? [table(`what each head looked at to put out ${now.token}`,
      ["part", "token"].map((one) => head(one, "col")), rows, "words")] : []));
    return past ? `Verdict ${now.token}` : `State ${now.token}`;
  };
  const token_of_run = (to) => {
    at = Math.max(0, Math.min(ran.tokens.length - 1, to));
    const what = data.machine.kind === "tm" ? tapes() : states();
    $("token").value = at;
    $("token").setAttribute("aria-valuetext", what);
    $("token-said").textContent = `${what}, position ${ran.tokens[at].position}.`;
    $("token-back").disabled = at === 0;
    $("token-on").disabled = at === ran.tokens.length - 1;
    hint();
    if (found) go(step, ran.tokens[at].position - data.machine.first);
  };
  const run_of_machine = (one, trace = null) => {
    ran = one;
    const own = ran.tokens.filter((token) => !token.given), count = own.length, work = own.some((token) => token.write);
    if (trace) show(trace); else clear("");
    $("machine").hidden = false;
    $("answer").replaceChildren(make("span", { text: ran.stopped === "end" ? "It outputs " : `${count} tokens, and goes on; so far ` }),
      make("strong", { class: { yes: "accept", no: "reject" }[ran.output] ?? null, text: ran.output || "nothing" }),
      make("span", { text: ran.stopped === "end" ? ` and ends, with ${count} tokens.` : "." }));
    if (!trace || found.length < ran.input.length + count)
      $("trace").prepend(make("p", { text: trace ? `Of its ${count} tokens the first ones are here, as far as a page goes.`
        : "The network's values are here for some short runs: choose one of them above. symcook run, with --trace, has them all." }));
    const titles = work ? ["position", "state or output", "writes", "moves"] : ["position", "token"];
    $("tokens-told").replaceChildren(table("its tokens", titles.map((one) => head(one, "col")), own.map((one) =>
      make("tr", {}, head(`${one.position}`, "row"), make("td", { text: one.token }), ...(work ? [one.write, one.move] : [])
        .map((many) => make("td", { text: (many ?? []).join(" ") })))), "words"));
    $("token").max = Math.max(0, ran.tokens.length - 1);
    if (ran.tokens.length) token_of_run(0);
  };
  if (data.machine) {
    const { runs, table } = data.machine, known = $("known");
    const chosen = (k) => run_of_machine(runs[k], data.runs[k]);
    const typed = () => {
      try {
        const one = SymcookMachine.run(table, $("word").value), k = runs.findIndex((run) => run.typed === one.typed);
        known.selectedIndex = k;
        if (k >= 0) chosen(k); else run_of_machine(one);
      } catch (error) {
        if (!(error instanceof SymcookMachine.Refusal)) throw error;
        clear(`${error.message}.`);
        $("machine").hidden = true;
      }
    };
    $("form").addEventListener("submit", (event) => { event.preventDefault(); if (table) typed(); });
    known.addEventListener("change", () => {
      if (table) $("word").value = spelled ? runs[known.value].input.join("") : spaced(runs[known.value].input);
      chosen(Number(known.value));
    });
    const spelled = table && (table.input ?? table.alphabet).every((letter) => [...letter].length === 1);
    if (table) {
      $("word").addEventListener("input", typed);
      keys(spelled, typed);
    }
    $("token").addEventListener("input", () => token_of_run(Number($("token").value)));
    $("token-back").addEventListener("click", () => token_of_run(at - 1));
    $("token-on").addEventListener("click", () => token_of_run(at + 1));
    $("machine").addEventListener("keydown", (event) => {
      const to = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
      const scrolls = event.target.classList.contains("frame") && event.target.scrollWidth > event.target.clientWidth;
      if (!to || scrolls || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      token_of_run(at + to);
    });
    addEventListener("resize", () => { if (ran.tokens.length) token_of_run(at); });
    chosen(0);
  }

  // What is folded is printed too, and what is wider than paper is cut into tables beneath one another.
  const PAPER = 680;  // pixels between the edges of A4 and of letter paper
  const PRINTED = 80;  // rows of a table; all of them are on the page itself
  const shorten = (one) => {
    const late = [...(one.tBodies[0]?.rows ?? [])].slice(PRINTED);
    for (const row of late) row.dataset.late = "";
    if (late.length && one.caption) one.caption.append(make("span", { "data-cut": true, text: `, the first ${PRINTED} of ${PRINTED + late.length} rows` }));
  };
  const cut = (frame) => {
    const whole = frame.querySelector(":scope > table:not(.words)"), rows = whole ? [...whole.rows] : [];
    if (!rows.length || whole.offsetWidth <= PAPER || rows.some((row) => row.cells.length !== rows[0].cells.length)) return;
    const widths = [...rows[0].cells].map((one) => one.offsetWidth);
    for (let from = 1; from < widths.length;) {
      let to = from, room = PAPER - widths[0];
      do room -= widths[to++]; while (to < widths.length && widths[to] <= room);
      const part = whole.cloneNode(true), first = from;
      for (const row of part.querySelectorAll("[data-late]")) row.remove();
      for (const row of part.rows) [...row.cells].forEach((one, k) => { if (k && (k < first || k >= to)) one.remove(); });
      if (part.caption && (first > 1 || to < widths.length)) part.caption.append(`, columns ${first} to ${to - 1} of ${widths.length - 1}`);
      part.dataset.cut = "";
      frame.append(part);
      from = to;
    }
    whole.hidden = true;
  };
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details:not([open])")) { one.open = true; one.dataset.folded = ""; }
    document.querySelectorAll("main table").forEach(shorten);
    document.querySelectorAll(".frame").forEach(cut);
  });
  addEventListener("afterprint", () => {
    for (const part of document.querySelectorAll("[data-cut]")) part.remove();
    for (const whole of document.querySelectorAll(".frame > table[hidden]")) whole.hidden = false;
    for (const row of document.querySelectorAll("[data-late]")) delete row.dataset.late;
    for (const one of document.querySelectorAll("details[data-folded]")) { one.open = false; delete one.dataset.folded; }
  });
})();
