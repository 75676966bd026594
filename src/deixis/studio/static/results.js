// The results: filters that apply at once, and values read off the charts.

// A form with data-at-once goes to its address as soon as something is chosen; the button is for those without scripts.
for (const form of document.querySelectorAll("form[data-at-once]")) {
  for (const button of form.querySelectorAll("[data-without-script]")) button.hidden = true;
  form.addEventListener("change", (event) => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    keepFocus(event.target.id);
    location.assign(`${form.getAttribute("action")}?${query}${form.dataset.atOnce}`);
  });
}

// Where somebody was stays where somebody is when the page comes again.
function keepFocus(id) {
  if (id) sessionStorage.setItem("results-focus", id);
}
const before = sessionStorage.getItem("results-focus");
if (before) {
  sessionStorage.removeItem("results-focus");
  document.getElementById(before)?.focus({ preventScroll: true });
}

// Charts: the nearest values to the pointer, or a step left and right by the arrow keys.
const dot = "http://www.w3.org/2000/svg";
for (const chart of document.querySelectorAll("svg.lines")) {
  const lines = JSON.parse(chart.dataset.lines).filter((line) => line.points.length);
  const [low, high, start, stop, top, bottom] = JSON.parse(chart.dataset.frame);
  const readout = chart.closest("figure").querySelector(".readout");
  const places = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((one, other) => one - other);
  const rule = document.createElementNS(dot, "path");
  rule.setAttribute("class", "cursor");
  chart.append(rule);
  let at = places.length - 1;

  const show = (number) => {
    at = Math.min(Math.max(number, 0), places.length - 1);
    const update = places[at];
    const x = start + ((update - low) / (high - low || 1)) * (stop - start);
    rule.setAttribute("d", `M${x} ${top}V${bottom}`);
    const values = lines.map((line) => {
      const [, value] = line.points.reduce((best, point) => (Math.abs(point[0] - update) < Math.abs(best[0] - update) ? point : best));
      return `${line.name} ${chart.dataset.share ? `${(100 * value).toFixed(1)} %` : value.toPrecision(3)}`;
    });
    readout.textContent = `Step ${update.toLocaleString("en")}: ${values.join(", ")}`;
  };
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    const update = low + ((x - start) / (stop - start)) * (high - low);
    show(places.reduce((best, place, number) => (Math.abs(place - update) < Math.abs(places[best] - update) ? number : best), 0));
  });
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -places.length, End: places.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  });
}
