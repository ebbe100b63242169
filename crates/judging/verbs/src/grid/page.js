"use strict";
// Filters rows and columns; the filters stand in the address, so that a view can be sent on.
const form = document.getElementById("filters");
const table = document.getElementById("matrix");
const groups = Array.from(table.tHead.rows[0].cells).slice(1);
const heads = Array.from(table.tHead.rows[1].cells);
const rows = Array.from(table.tBodies[0].rows);
const cellsOf = (row) => Array.from(row.cells).slice(1);
const has = (cell, names) => names.some((name) => cell.classList.contains(name));

function columns() {
  const wanted = form.elements.columns.value.toLowerCase();
  return heads.map((head) => head.dataset.name.toLowerCase().includes(wanted));
}

// Columns that have something in common with a row that is shown; all of them, if none has.
function related(shown) {
  const lines = rows.filter((row) => !row.hidden).map(cellsOf);
  const found = shown.map((one, i) => one && lines.some((cells) => !has(cells[i], ["none"])));
  return found.includes(true) ? found : shown;
}

function apply() {
  const name = form.elements.rows.value.toLowerCase();
  let shown = columns();
  for (const row of rows) {
    const fails = cellsOf(row).some((cell, i) => shown[i] && has(cell, ["bad", "grave", "warn"]));
    const fits = row.cells[0].textContent.toLowerCase().includes(name);
    row.hidden = !fits || (form.elements.problems.checked && !fails);
  }
  if (form.elements.related.checked) shown = related(shown);
  heads.forEach((head, i) => { head.hidden = !shown[i]; });
  rows.forEach((row) => cellsOf(row).forEach((cell, i) => { cell.hidden = !shown[i]; }));
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
form.elements.related.checked = asked.has("related");
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
apply();
