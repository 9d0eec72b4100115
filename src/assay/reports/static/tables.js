// Makes tables sortable by their headings and filterable by words. Without this script they can still be read.
"use strict";
(() => {
  const value = (row, place) => {
    const cell = row.cells[place];
    const given = cell ? cell.dataset.sort : undefined;
    const text = given === undefined ? (cell ? cell.textContent.trim() : "") : given;
    const number = text === "" ? NaN : Number(text);
    return Number.isNaN(number) ? text : number;
  };

  // Numbers come before words, and empty cells last, in both directions.
  const compare = (a, b, sign) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === typeof b) return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
    return typeof a === "number" ? -1 : 1;
  };

  const sort = (table, head, place) => {
    const isNumber = head.classList.contains("number");
    const now = head.getAttribute("aria-sort");
    const next = now === "ascending" ? "descending" : now === "descending" ? "ascending" : isNumber ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", next);
    const sign = next === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row, number) => [value(row, place), number, row]);
    rows.sort((a, b) => compare(a[0], b[0], sign) || a[1] - b[1]);
    body.append(...rows.map((one) => one[2]));
  };

  const makeSortable = (table) => {
    Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", head.getAttribute("aria-sort") || "none");
      button.addEventListener("click", () => sort(table, head, place));
    });
  };

  let made = 0;
  const addFilter = (before, rows, what) => {
    const box = document.createElement("div");
    box.className = "filter";
    const label = document.createElement("label");
    label.textContent = `Filter ${what}`;
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.id = `filter-${(made += 1)}`;
    label.htmlFor = input.id;
    const count = document.createElement("span");
    count.className = "muted";
    count.setAttribute("role", "status");
    box.append(label, input, count);
    before.before(box);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows()) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length ? `${shown.toLocaleString("en")} of ${rows().length.toLocaleString("en")}` : "";
    });
  };

  const prepare = () => {
    made = 0;
    document.querySelectorAll("table.sortable").forEach(makeSortable);
    for (const table of document.querySelectorAll("table.filterable")) {
      addFilter(table.closest(".table-box") || table, () => Array.from(table.tBodies[0].rows), table.dataset.what || "rows");
    }
  };
  document.addEventListener("assay:shown", prepare);
  prepare();
})();
