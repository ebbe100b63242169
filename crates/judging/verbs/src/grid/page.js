"use strict";
// Filters rows and columns; the filters stand in the address, so that a view can be sent on.
const form = document.getElementById("filters");
const table = document.getElementById("matrix");
const heads = Array.from(table.tHead.rows[0].cells).slice(1);
const rows = Array.from(table.tBodies[0].rows);

function apply() {
  const row = form.elements.rows.value.toLowerCase();
  const column = form.elements.columns.value.toLowerCase();
  const shownColumns = heads.map((head) => head.textContent.toLowerCase().includes(column));
  heads.forEach((head, i) => { head.hidden = !shownColumns[i]; });
  let shown = 0;
  for (const line of rows) {
    const cells = Array.from(line.cells).slice(1);
    cells.forEach((cell, i) => { cell.hidden = !shownColumns[i]; });
    const fails = cells.some((cell, i) => shownColumns[i] && /bad|grave|warn/.test(cell.className));
    const fits = line.cells[0].textContent.toLowerCase().includes(row);
    line.hidden = !fits || (form.elements.problems.checked && !fails);
    shown += line.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = shown + " of " + rows.length + " rows";
}

const asked = new URLSearchParams(location.search);
form.elements.rows.value = asked.get("rows") || "";
form.elements.columns.value = asked.get("columns") || "";
form.elements.problems.checked = asked.has("problems");
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
apply();
