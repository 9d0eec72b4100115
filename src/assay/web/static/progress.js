// Shows running evaluations as the stream of events reports them. All text is inserted as text, never as markup.
(() => {
  const first = document.getElementById("progress");
  if (!first) return;
  const number = new Intl.NumberFormat("en");
  let running = null;
  let seen = first.children.length > 0;

  const make = (kind, name, text) => {
    const made = document.createElement(kind);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const about = (part) => {
    const said = [];
    if (part.n_failed) said.push(`${number.format(part.n_failed)} failed`);
    if (part.n_cached) said.push(`${number.format(part.n_cached)} cached`);
    if (part.waiting) said.push(`waiting: ${part.waiting}`);
    return said.join(" · ");
  };

  const row = (part) => {
    const line = make("div", "part-so-far");
    const bar = make("progress");
    bar.max = Math.max(part.n_asked, 1);
    bar.value = part.n_done;
    bar.setAttribute("aria-label", part.name);
    const figures = `${number.format(part.n_done)} of ${number.format(part.n_asked)} queries`;
    line.append(make("span", "id", part.name), " ", bar, " ", make("span", "figures", figures), " ", make("span", "muted", about(part)));
    return line;
  };

  const show = () => {
    const place = document.getElementById("progress");
    if (!place || !running) return;
    const around = document.getElementById("running");
    if (around) around.hidden = running.length === 0;
    place.replaceChildren(
      ...running.map((one) => {
        const section = make("section", "running");
        section.dataset.id = one.id;
        const begun = one.started.slice(0, 16).replace("T", " ");
        const results = one.n_parts === 1 ? "result" : "results";
        section.append(make("h2", "", `started ${begun} UTC · ${one.n_done} of ${number.format(one.n_parts)} ${results} complete`));
        section.append(...one.parts.map(row));
        return section;
      }),
    );
    const ended = seen && running.length === 0;
    const said = running.length ? "Running now." : ended ? "Finished: see Results." : "Nothing is running now.";
    const state = document.getElementById("progress-state");
    if (state && state.textContent !== said) state.textContent = said;
    seen = seen || running.length > 0;
  };

  document.addEventListener("assay:progress", (event) => {
    running = event.detail.running;
    show();
  });
  document.addEventListener("assay:shown", show);
  document.addEventListener("assay:closed", () => {
    const state = document.getElementById("progress-state");
    if (state) state.textContent = "The connection was closed. Reload the page.";
  });
})();
