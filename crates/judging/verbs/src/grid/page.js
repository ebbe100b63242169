"use strict";
// Filters rows and columns, and folds neighbouring columns that say the same; the filters stand in the address, so that a view
// can be sent on.
const form = document.getElementById("filters");
const table = document.getElementById("matrix");
// The artifact and the summary stand before the cells.
const LEFT = 2;
// Fewer columns than this are not worth a click.
const FOLDED = 3;
const groups = Array.from(table.tHead.rows[0].cells).slice(LEFT);
const heads = Array.from(table.tHead.rows[1].cells);
const names = heads.map((head) => head.textContent);
const rows = Array.from(table.tBodies[0].rows);
const cells = new Map(rows.map((row) => [row, Array.from(row.cells).slice(LEFT)]));
const has = (cell, names) => names.some((name) => cell.classList.contains(name));
// The first columns of runs that somebody opened.
const opened = new Set();

function columns() {
  const wanted = form.elements.columns.value.toLowerCase();
  return heads.map((head) => head.dataset.name.toLowerCase().includes(wanted));
}

// Columns that have something in common with a row that is shown; all of them, if none has.
function related(shown) {
  const lines = rows.filter((row) => !row.hidden).map((row) => cells.get(row));
  const found = shown.map((one, i) => one && lines.some((cells) => !has(cells[i], ["none"])));
  return found.includes(true) ? found : shown;
}

// Runs of shown columns of one family in which every shown row says the same: the first column stands for all.
function fold(shown) {
  const lines = rows.filter((row) => !row.hidden).map((row) => cells.get(row));
  const same = (a, b) => heads[a].dataset.group === heads[b].dataset.group
    && lines.every((cells) => cells[a].className === cells[b].className && cells[a].textContent === cells[b].textContent);
  const runs = [];
  shown.forEach((one, i) => {
    const run = runs[runs.length - 1];
    if (!one) return;
    if (run && same(run[0], i)) run.push(i); else runs.push([i]);
  });
  const left = shown.slice();
  for (const run of runs.filter((run) => run.length >= FOLDED && !opened.has(run[0]))) {
    run.slice(1).forEach((i) => { left[i] = false; });
    const button = document.createElement("button");
    button.type = "button";
    button.title = "show these " + run.length + " columns";
    button.textContent = names[run[0]] + " \u2026 " + names[run[run.length - 1]];
    button.addEventListener("click", () => { opened.add(run[0]); apply(); });
    heads[run[0]].replaceChildren(button);
  }
  return left;
}

function apply() {
  const name = form.elements.rows.value.toLowerCase();
  let shown = columns();
  for (const row of rows) {
    const fails = cells.get(row).some((cell, i) => shown[i] && has(cell, ["bad", "grave", "warn"]));
    const fits = row.cells[0].title.toLowerCase().includes(name);
    row.hidden = !fits || (form.elements.problems.checked && !fails);
  }
  heads.forEach((head, i) => { head.textContent = names[i]; });
  if (form.elements.related.checked) shown = related(shown);
  if (form.elements.fold.checked) shown = fold(shown);
  heads.forEach((head, i) => { head.hidden = !shown[i]; });
  rows.forEach((row) => cells.get(row).forEach((cell, i) => { cell.hidden = !shown[i]; }));
  groups.forEach((group, at) => {
    const width = heads.filter((head) => Number(head.dataset.group) === at && !head.hidden).length;
    group.hidden = width === 0;
    group.colSpan = Math.max(width, 1);
  });
  const count = rows.filter((row) => !row.hidden).length;
  document.getElementById("shown").textContent = count + " of " + rows.length + " rows";
}

const asked = new URLSearchParams(location.search);
form.elements.rows.value = asked.get("rows") || "";
form.elements.columns.value = asked.get("columns") || "";
form.elements.problems.checked = asked.has("problems");
form.elements.related.checked = !asked.has("unrelated");
form.elements.fold.checked = !asked.has("unfolded");
form.addEventListener("input", () => { opened.clear(); apply(); });
form.addEventListener("submit", (event) => event.preventDefault());
apply();
