// Filters of the ledger's index: what is asked stands in the address, so that a view can be sent to somebody.
"use strict";
const byId = (name) => document.getElementById(name);
const NAMES = ["search", "paper", "section", "status", "slip"];
const rows = [...document.querySelectorAll("#rows tbody tr")].map((tr) => ({
  tr, paper: tr.dataset.p, section: tr.dataset.p + "|" + tr.dataset.c, status: tr.dataset.s, slip: tr.dataset.e || "",
  text: (tr.textContent + " " + (tr.dataset.t || "")).toLowerCase(),
}));

function asked() {
  return Object.fromEntries(NAMES.map((name) => [name, byId(name).value.trim()]));
}

function show() {
  const want = asked(), words = want.search.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of byId("section").querySelectorAll("optgroup")) group.hidden = want.paper !== "" && group.dataset.paper !== want.paper;
  if (want.section && want.paper && !want.section.startsWith(want.paper + "|")) { byId("section").value = ""; want.section = ""; }
  let count = 0;
  for (const row of rows) {
    const fits = ["paper", "section", "status", "slip"].every((name) => !want[name] || row[name] === want[name]) && words.every((word) => row.text.includes(word));
    if (row.tr.hidden === fits) row.tr.hidden = !fits;
    count += fits;
  }
  byId("count").textContent = count + (count === 1 ? " row" : " rows");
  const query = new URLSearchParams(Object.entries(want).filter(([, value]) => value)).toString();
  if (location.protocol !== "about:") history.replaceState(null, "", query ? "?" + query : location.pathname);
}

const given = new URLSearchParams(location.search);
for (const name of NAMES) if (given.has(name)) byId(name).value = given.get(name);
byId("filters").hidden = false;
byId("filters").addEventListener("input", show);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", () => setTimeout(show));
show();
