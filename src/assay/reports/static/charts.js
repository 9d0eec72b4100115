// Draws charts from their specifications as they come into view. Until then, and without this script, a picture is shown.
"use strict";
(() => {
  const spec = (figure) => figure.querySelector("script.chart-spec");

  const openQuery = (query, figure) => {
    const said = figure.querySelector(".chosen");
    for (const card of document.querySelectorAll("details.query")) {
      if (card.dataset.query !== query || card.dataset.group !== (figure.dataset.group || "")) continue;
      for (let around = card; around; around = around.parentElement.closest("details")) around.open = true;
      for (const other of document.querySelectorAll("details.query.found")) other.classList.remove("found");
      card.classList.add("found");
      card.scrollIntoView({ block: "center" });
      card.querySelector("summary").focus({ preventScroll: true });
      if (said) said.textContent = "";
      return;
    }
    if (said) said.textContent = `${query}: its rankings are not on this page. Use assay show --query to see them.`;
  };

  // On a narrow screen a chart is drawn as wide as there is room, with its legend below.
  const fitted = (given, room) => {
    if (typeof given.width !== "number" || room > given.width + 170) return given;
    const legend = { ...given.config.legend, orient: "bottom", columns: 2 };
    const config = { ...given.config, legend };
    if (typeof given.height !== "number") return { ...given, width: Math.max(180, room - 150), config };
    return { ...given, width: Math.max(220, room), autosize: { type: "fit-x", contains: "padding" }, config };
  };

  const draw = async (figure) => {
    const drawing = figure.querySelector(".drawing");
    const place = document.createElement("div");
    try {
      const options = { mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: true };
      const { view } = await window.vegaEmbed(place, fitted(JSON.parse(spec(figure).textContent), figure.closest("section, main").clientWidth), options);
      view.addEventListener("click", (_, item) => {
        const query = item && item.datum && item.datum.query;
        if (typeof query === "string") openQuery(query, figure);
      });
    } catch (error) {
      console.warn("the chart could not be drawn and stays a picture:", error);
      return;
    }
    drawing.replaceChildren(place);
    figure.classList.add("drawn");
  };

  const figures = Array.from(document.querySelectorAll("figure.chart")).filter(spec);
  if (window.vegaEmbed) {
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target);
      }
    }, { rootMargin: "300px" });
    for (const figure of figures) seen.observe(figure);
  }

  // A link to a query opens it.
  const follow = () => {
    const found = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let around = found; around; around = around.parentElement && around.parentElement.closest("details")) {
      if (around.matches("details")) around.open = true;
    }
    if (found) found.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
})();
