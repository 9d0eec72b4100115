// Copies the whole address of a comparison. Without this script its path can be copied from the field.
"use strict";
(() => {
  for (const button of document.querySelectorAll("button.copy")) {
    const field = button.closest(".row").querySelector("input.address");
    field.value = new URL(field.value, location.href).href;
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        document.execCommand("copy");
      }
      button.textContent = "Copied";
    });
  }

  // A link to a card opens it.
  const follow = () => {
    const found = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found && found.matches("details.query")) found.open = true;
  };
  window.addEventListener("hashchange", follow);
  follow();
})();
