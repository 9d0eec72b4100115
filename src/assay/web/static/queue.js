// The queue: one key grades a pair, and the next pair replaces it without loading the whole page. Without this script the
// buttons send forms. A key never applies to a pair that has not been shown: while a grade is being saved, keys are ignored.
"use strict";
(() => {
  const off = document.getElementById("keys-off");
  const isTyping = (target) => target instanceof Element && target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select");
  const isFree = (event) =>
    !event.defaultPrevented && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing &&
    !isTyping(event.target) && !document.querySelector("dialog[open]") && !off.checked;
  const buttonOf = (place, value) => Array.from(place.querySelectorAll("button[name=do]")).find((one) => one.value === value && !one.disabled);

  const queue = document.getElementById("queue");
  if (queue) {
    const OTHERS = { s: "skip", c: "cannot-tell", u: "undo" };
    const said = document.getElementById("queue-said");
    let isSending = false;

    const fail = (text) => {
      const place = queue.querySelector(".problem");
      place.textContent = `Not saved. ${text}`;
      place.hidden = false;
    };
    const whyNot = async (answer) => {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      return page.querySelector(".question")?.textContent || "Reload the page.";
    };
    const show = (html) => {
      queue.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
      const form = queue.querySelector("form");
      said.textContent = `${form.dataset.said} ${document.getElementById("queue-counts").textContent}`;
      const note = form.querySelector("textarea");
      if (note && note.value) grow(note);
      form.querySelector("#query-head").focus({ preventScroll: true });
      queue.scrollIntoView({ block: "nearest" });
      scrollTo(0, Math.min(scrollY, queue.offsetTop));
    };
    const send = async (form, button) => {
      if (isSending) return;
      isSending = true;
      queue.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(form.action, {
          method: "POST",
          body: new URLSearchParams(new FormData(form, button)),
          headers: { "x-assay-part": "pair" },
          credentials: "same-origin",
        });
        if (answer.ok && !answer.redirected) show(await answer.text());
        else if (answer.redirected) location.assign(answer.url);
        else fail(await whyNot(answer));
      } catch {
        fail("The server cannot be reached. Try again.");
      } finally {
        isSending = false;
        queue.removeAttribute("aria-busy");
      }
    };
    const grow = (note) => {
      note.rows = Math.min(6, note.value.split("\n").length + (note.value.length > 60 ? 1 : 0));
    };

    queue.addEventListener("submit", (event) => {
      event.preventDefault();
      send(event.target, event.submitter);
    });
    queue.addEventListener("input", (event) => { if (event.target.matches("textarea")) grow(event.target); });
    document.addEventListener("keydown", (event) => {
      if (event.target.matches?.("#queue textarea") && (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && !event.isComposing))) {
        event.preventDefault();
        event.target.blur();
        return;
      }
      if (!isFree(event)) return;
      if (event.key === "n") {
        const note = queue.querySelector("textarea");
        if (note) { event.preventDefault(); note.focus(); }
        return;
      }
      const button = buttonOf(queue, Object.hasOwn(OTHERS, event.key) ? OTHERS[event.key] : /^\d$/.test(event.key) ? event.key : "");
      if (button) { event.preventDefault(); button.click(); }
    });
  }

  // Disagreements: a digit settles the one that has the focus.
  const list = document.querySelector(".disagreements");
  if (list) {
    document.addEventListener("keydown", (event) => {
      if (!isFree(event) || !/^\d$/.test(event.key)) return;
      const item = event.target instanceof Element && event.target.closest(".disagreements > li");
      const button = item && buttonOf(item, event.key);
      if (button) { event.preventDefault(); button.click(); }
    });
    // The browser takes the focus away when it scrolls to the part of the address, so this comes after it.
    const begin = () => requestAnimationFrame(() => list.querySelector("li.open h3 a")?.focus());
    if (location.hash === "#disagreements") window.addEventListener("load", begin);
  }
})();
