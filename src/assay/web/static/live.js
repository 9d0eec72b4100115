// Keeps an open page current: a stream of events says that the store has changed, and a line above the page offers the news.
"use strict";
(() => {
  const main = document.getElementById("content");
  const line = document.getElementById("news");
  if (!main || !line || !main.dataset.events || !window.EventSource) return;
  // Without menus of other results: they grow with every new one, which is no news about this page.
  const contentOf = (place) => {
    const copy = place.cloneNode(true);
    for (const one of copy.querySelectorAll("[data-unwatched]")) one.remove();
    return copy.innerHTML;
  };
  let shown = contentOf(main); // as the server sent it, because this script runs before all others
  let nResults = Number(main.dataset.results);
  let known = null;
  let fresh = null;
  let asked = 0;

  const report = (name, data) => document.dispatchEvent(new CustomEvent(`assay:${name}`, { detail: data }));

  const say = (text, action) => {
    line.replaceChildren(text);
    if (!action) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "show";
    button.addEventListener("click", action);
    line.append(" · ", button);
  };

  // What a person has typed or ticked, and where it belongs on the new page.
  const isChanged = (field) => {
    if (field instanceof HTMLSelectElement) {
      const usual = Array.from(field.options).findIndex((option) => option.defaultSelected);
      return field.selectedIndex !== Math.max(usual, 0);
    }
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    return "defaultValue" in field && field.type !== "hidden" && field.value !== field.defaultValue;
  };
  const typed = () => Array.from(main.querySelectorAll("input, select, textarea")).filter(isChanged);
  // Every document has a form with the same fields, so the part of the page that a form is in belongs to the name of a field.
  const nameOf = (field) => {
    const form = field.form ? field.form.getAttribute("action") : "";
    const part = (field.form || field).parentElement.closest("[id]")?.getAttribute("id");
    const choice = field.type === "checkbox" || field.type === "radio" ? field.value : "";
    return JSON.stringify([form, part, field.name || field.id, choice]);
  };
  const fieldIn = (place, name) => Array.from(place.querySelectorAll("input, select, textarea")).find((field) => nameOf(field) === name);
  const write = (field, old) => {
    if (field.type === "checkbox" || field.type === "radio") field.checked = old.checked;
    else field.value = old.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const nameOfDetails = (one) => one.id || one.querySelector("summary")?.textContent.replace(/[\d,]+/g, "#") || "";
  const openDetails = () => new Set(Array.from(main.querySelectorAll("details[open]"), nameOfDetails));
  const nameOfLink = (one) => [one.tagName, one.id, one.getAttribute("href"), one.getAttribute("name"), one.textContent].join(" ");

  const show = () => {
    if (!fresh) return;
    const changed = typed().map((field) => [field, nameOf(field)]);
    if (changed.some(([field, name]) => field.name && !fieldIn(fresh, name))) {
      say("There is news, but it would discard what you typed or selected. Reload the page when you are done.");
      return;
    }
    const open = openDetails();
    const active = main.contains(document.activeElement) ? document.activeElement : null;
    const nameOfActive = active ? nameOf(active) : "";
    const [left, top] = [scrollX, scrollY];
    shown = contentOf(fresh);
    nResults = Number(fresh.dataset.results);
    main.replaceChildren(...document.importNode(fresh, true).childNodes);
    fresh = null;
    report("shown");
    for (const one of main.querySelectorAll("details")) if (open.has(nameOfDetails(one))) one.open = true;
    for (const [old, name] of changed) {
      const field = fieldIn(main, name);
      if (field) write(field, old);
    }
    const wanted = active ? nameOfLink(active) : "";
    const next = active && (fieldIn(main, nameOfActive) || Array.from(main.querySelectorAll("a, button, summary")).find((one) => nameOfLink(one) === wanted));
    const head = next || main.querySelector("h1");
    if (head && !next) head.tabIndex = -1;
    if (head) head.focus({ preventScroll: true });
    scrollTo(left, top);
    say("");
  };

  const check = async (n) => {
    const turn = (asked += 1);
    const answer = await fetch(location.pathname + location.search, { credentials: "same-origin" }).catch(() => null);
    if (!answer || !answer.ok || answer.redirected || turn !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("content");
    if (!page || turn !== asked) return;
    fresh = contentOf(page) === shown ? null : page;
    const more = n - nResults;
    if (!fresh) say("");
    else say(more > 0 ? `new results: ${more.toLocaleString("en")}` : "this page has changed", show);
  };

  const take = (name, data) => {
    if (name !== "store") return report(name, data ? JSON.parse(data) : undefined);
    const { n_results: n, state } = JSON.parse(data);
    const isNews = known === null ? n !== nResults : state !== known;
    known = state;
    if (isNews) check(n);
  };

  // All pages of a browser share one stream. Browsers without shared workers have one for each page that is visible.
  const url = main.dataset.events;
  const openShared = () => {
    const { port } = new SharedWorker(main.dataset.worker);
    port.addEventListener("message", (message) => take(message.data.name, message.data.data));
    port.start();
    port.postMessage({ url });
    return () => port.postMessage({});
  };
  const openOwn = () => {
    const source = new EventSource(url);
    for (const name of ["progress", "store"]) source.addEventListener(name, (event) => take(name, event.data));
    source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) take("closed"); });
    return () => source.close();
  };

  let leave = null;
  const open = () => {
    if (leave || document.hidden) return;
    leave = window.SharedWorker ? openShared() : openOwn();
  };
  const close = () => {
    if (leave) leave();
    leave = null;
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
})();
