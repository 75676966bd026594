// Lines: the values nearest to the pointer, or a step left and right by the arrow keys.
for (const chart of document.querySelectorAll("svg.axes.lines")) {
  const lines = JSON.parse(chart.dataset.lines);
  const labels = JSON.parse(chart.dataset.labels);
  const [low, high, start, stop, top, bottom, isLog] = JSON.parse(chart.dataset.frame);
  const readout = chart.parentElement.querySelector(".readout");
  const places = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].filter((x) => x > 0 || !isLog).sort((one, other) => one - other);
  const scaled = (x) => (isLog ? Math.log(x) : x);
  const across = (x) => start + ((scaled(x) - scaled(low)) / (scaled(high) - scaled(low) || 1)) * (stop - start);
  const written = (value) => (chart.dataset.unit === "share" ? `${(100 * value).toFixed(1)} %` : value >= 1000 ? value.toLocaleString("en") : value.toPrecision(3));
  const rule = document.createElementNS(chart.namespaceURI, "path");
  rule.setAttribute("class", "cursor");
  chart.append(rule);
  let at = places.length - 1;

  const show = (number) => {
    at = Math.min(Math.max(number, 0), places.length - 1);
    const place = places[at];
    rule.setAttribute("d", `M${across(place)} ${top}V${bottom}`);
    const values = lines.map((line) => {
      const [, value] = line.points.reduce((best, point) => (Math.abs(point[0] - place) < Math.abs(best[0] - place) ? point : best));
      return `${line.name} ${written(value)}`;
    });
    const name = labels.length ? labels[place] : place.toLocaleString("en");
    readout.textContent = `${chart.dataset.place} ${name}: ${values.join(", ")}`.trim();
  };
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    show(places.reduce((best, place, number) => (Math.abs(across(place) - x) < Math.abs(across(places[best]) - x) ? number : best), 0));
  });
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -places.length, End: places.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  });
}
