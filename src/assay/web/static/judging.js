// Fills in the judge's name from last time. Without this the server remembers it just the same.
(() => {
  const field = document.querySelector("form.judging input[name=judge]");
  if (!field || field.value) return;
  const found = document.cookie.split("; ").find((part) => part.startsWith("assay_judge="));
  if (!found) return;
  try {
    field.value = decodeURIComponent(found.slice("assay_judge=".length).replace(/^"|"$/g, ""));
  } catch {
    // a name that was not ours to read
  }
})();
