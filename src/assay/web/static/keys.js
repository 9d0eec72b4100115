// Keys: single keys open pages, move through rows and focus the search; ? lists them. Never while the user types in a field.
"use strict";
(() => {
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  const off = document.getElementById("keys-off");
  const WAIT = 1500; // milliseconds in which a second key follows g
  let goes = 0;

  const stored = () => { try { return localStorage.getItem("assay-keys") === "off"; } catch { return false; } };
  const store = (is) => { try { localStorage.setItem("assay-keys", is ? "off" : "on"); } catch { /* not allowed: lasts as long as the page */ } };
  off.checked = stored();
  off.addEventListener("change", () => store(off.checked));

  const list = () => { if (!dialog.open) dialog.showModal(); };
  for (const button of document.querySelectorAll(".keys-button")) {
    button.hidden = false;
    button.addEventListener("click", list);
  }
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  const isTyping = (target) => target instanceof Element && target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
  const isSeen = (element) => element.getClientRects().length > 0;

  // Rows: the first link of each row of the tables, of each series and change, and the heading of each query.
  const STOPS = "main tbody tr a, main .changes li a, main details.query > summary, main .disagreements li h3 a, main .choose li input, main .one-series .open";
  const stops = () => {
    const seen = new Set();
    return Array.from(document.querySelectorAll(STOPS)).filter((stop) => {
      const row = stop.closest("tr, li, details.query");
      if (seen.has(row) || !isSeen(stop)) return false;
      seen.add(row);
      return true;
    });
  };
  const rowOf = (element) => element && element.closest("tr, li, details.query");
  const move = (by) => {
    const all = stops();
    if (!all.length) return;
    const now = rowOf(document.activeElement);
    const at = all.findIndex((stop) => rowOf(stop) === now);
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by));
    all[next].focus({ focusVisible: true });
    all[next].scrollIntoView({ block: "nearest" });
  };

  const follow = (rel) => {
    const link = Array.from(document.querySelectorAll(`main a[rel=${rel}]`)).find(isSeen);
    if (link) link.click();
  };
  const search = () => {
    const field = Array.from(document.querySelectorAll("main input[type=search]")).find(isSeen);
    if (field) { field.focus(); field.select(); } else document.querySelector(".switch-button").click();
  };
  const select = () => {
    const box = rowOf(document.activeElement)?.querySelector("input[type=checkbox]");
    if (box) box.click();
  };

  const KEYS = { j: () => move(1), k: () => move(-1), n: () => follow("next"), p: () => follow("prev"), x: select, "/": search, "?": list };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (off.checked && event.key !== "?") return;
    const isSecond = event.timeStamp - goes < WAIT && goes > 0;
    goes = 0;
    if (isSecond) {
      const place = /^[a-z]$/.test(event.key) && dialog.querySelector(`[data-go=${event.key}]`);
      const path = place ? place.dataset.path : event.key === "h" ? "/" : "";
      if (path) { event.preventDefault(); location.assign(path); }
      return;
    }
    if (event.key === "g") { goes = event.timeStamp; return; }
    const act = Object.hasOwn(KEYS, event.key) && KEYS[event.key];
    const own = document.querySelector("main [data-keys]"); // a page may use some of these keys itself
    if (act && !(own && own.dataset.keys.includes(event.key))) { event.preventDefault(); act(); }
  });
})();
