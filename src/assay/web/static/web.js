// Scripts of the web pages: Ctrl-K switches results, marks of charts have tooltips, selected results are counted.
"use strict";
(() => {
  // Ctrl-K
  const dialog = document.getElementById("switch");
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("ul");
  let chosen = 0;
  let asked = 0;

  const choose = (place) => {
    const items = list.children;
    if (!items.length) return;
    chosen = (place + items.length) % items.length;
    Array.from(items).forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
    items[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[chosen].id);
  };

  const shown = (found) => found.map((one, number) => {
    const item = document.createElement("li");
    item.id = `switch-${number}`;
    item.setAttribute("role", "option");
    item.dataset.url = one.url;
    const about = document.createElement("span");
    about.textContent = one.about;
    item.append(one.label, about);
    item.addEventListener("click", () => location.assign(one.url));
    return item;
  });

  const search = async () => {
    const turn = (asked += 1);
    const answer = await fetch(`/switch?words=${encodeURIComponent(input.value)}`, { credentials: "same-origin" });
    if (!answer.ok || turn !== asked) return;
    list.replaceChildren(...shown(await answer.json()));
    choose(0);
  };

  const open = () => {
    if (!dialog.open) dialog.showModal();
    input.value = "";
    input.focus();
    search();
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && list.children[chosen]) {
      event.preventDefault();
      location.assign(list.children[chosen].dataset.url);
    }
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  for (const button of document.querySelectorAll(".switch-button")) {
    button.hidden = false;
    button.addEventListener("click", open);
  }

  // Marks of charts
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  for (const title of document.querySelectorAll(".drawing svg title")) {
    title.parentElement.dataset.tip = title.textContent;
    title.remove();
  }
  document.addEventListener("click", (event) => {
    const mark = event.target instanceof Element ? event.target.closest("[data-href]") : null;
    if (mark) location.assign(mark.dataset.href);
  });
  document.addEventListener("pointermove", (event) => {
    const mark = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip.replaceAll("; ", "\n");
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 8))}px`;
  });

  // Selecting results
  const count = (form) => {
    const button = form.querySelector("button[data-least]");
    if (!button) return;
    const n = form.querySelectorAll("input[type=checkbox]:checked").length;
    button.disabled = n < Number(button.dataset.least);
    button.textContent = n ? `Compare ${n}` : "Compare";
  };
  const countAll = () => document.querySelectorAll("form.picking").forEach(count);
  document.addEventListener("change", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form.picking") : null;
    if (form) count(form);
  });
  window.addEventListener("pageshow", countAll);
  document.addEventListener("assay:shown", countAll);
  countAll();

  // Menus that depend on the first one: when it changes, the server says what fits, and choices that still fit stay.
  for (const form of document.querySelectorAll("form[data-first]")) {
    const said = document.createElement("span");
    said.className = "visually-hidden";
    said.setAttribute("role", "status");
    form.append(said);
    let turn = 0;
    form.elements[form.dataset.first].addEventListener("change", async (event) => {
      const mine = (turn += 1);
      const first = event.target;
      const url = `${form.getAttribute("action")}?${new URLSearchParams([[first.name, first.value]])}`;
      const answer = await fetch(url, { credentials: "same-origin" });
      if (!answer.ok || mine !== turn) return;
      const fitting = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("form[data-first]");
      if (!fitting) return;
      const chosen = new FormData(form);
      const parts = (of) => Array.from(of.children).filter((part) => part !== said && !part.contains(of.elements[first.name]));
      const fresh = parts(fitting);
      for (const old of parts(form)) old.remove();
      said.before(...fresh);
      for (const field of form.elements) {
        if (field === first || !chosen.has(field.name)) continue;
        if (field.type === "checkbox") field.checked = chosen.getAll(field.name).includes(field.value);
        else if (field.tagName !== "SELECT") field.value = chosen.get(field.name);
        else if (Array.from(field.options).some((option) => option.value === chosen.get(field.name))) field.value = chosen.get(field.name);
      }
      said.textContent = "The other menus have changed.";
    });
  }

  // Empty fields are not sent, so that addresses stay short.
  const choices = "form.choices[method=get]";
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(choices)) return;
    for (const field of event.target.elements) if (field.name && !field.value) field.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll(choices)) for (const field of form.elements) field.disabled = false;
  });
})();
