// The answers of models, drawn where they point: a frame and a letter for every object or box, and the way that was walked.

const SVG = "http://www.w3.org/2000/svg";
const BADGE_PX = 9; // radius of a letter's ground
const PAD_PX = 5; // between an object and the first frame around it, and from one frame to the next
const models = [...document.querySelectorAll("[data-model]")].map((row) => ({
  row,
  letter: row.dataset.letter,
  style: [...row.classList].find((name) => /^m\d$/.test(name)),
  toggle: row.querySelector("input[type=checkbox]"),
  ...JSON.parse(row.dataset.model),
}));

function make(name, values, ...inner) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  element.append(...inner);
  return element;
}

/** The drawing that an element is part of. */
function drawingOf(element) {
  let svg = element.closest("svg");
  while (svg?.ownerSVGElement) svg = svg.ownerSVGElement;
  return svg;
}

/** Where an element, or a share of it, lies in its drawing: left, top, right, bottom. */
function placeOf(element, svg, [left, top, right, bottom] = [0, 0, 1, 1]) {
  const box = element.getBoundingClientRect();
  const back = svg.getScreenCTM().inverse();
  const corner = (x, y) => new DOMPoint(box.left + box.width * x, box.top + box.height * y).matrixTransform(back);
  const [one, other] = [corner(left, top), corner(right, bottom)];
  return [one.x, one.y, other.x, other.y];
}

/** What a spot is about: the element that is framed, and the share of it. */
function find(spot) {
  const within = spot.in ? document.getElementById(spot.in) : document.querySelector("[data-marks]");
  if (!within) return null;
  if (spot.box) {
    const frame = within.querySelector(`[data-image="${spot.image}"]`);
    if (!frame) return null;
    const [across, down] = [Number(frame.dataset.across), Number(frame.dataset.down)];
    const [left, top, right, bottom] = spot.box;
    return { element: frame, share: [left / across, top / down, right / across, bottom / down] };
  }
  const found = [...within.querySelectorAll(`[data-object="${CSS.escape(spot.object)}"]`)];
  const element = found.find((one) => one.classList.contains("object")) ?? found[0];
  return element ? { element: element.querySelector(":scope > polygon, :scope > .box") ?? element } : null;
}

function badge(letter, x, y, unit) {
  return [
    make("circle", { class: "disc", cx: x, cy: y, r: BADGE_PX * unit }),
    make("text", { x, y: y + 4 * unit, style: `font-size:${(letter.length > 1 ? 9 : 11.5) * unit}px` }, letter),
  ];
}

function frame(model, [left, top, right, bottom], before, unit, size) {
  const pad = (PAD_PX + before * PAD_PX) * unit;
  const clamp = (value, most) => Math.max(2 * unit, Math.min(value, most - 2 * unit));
  const [x, y] = [clamp(left - pad, size.width), clamp(top - pad, size.height)];
  const where = { x, y, width: clamp(right + pad, size.width) - x, height: clamp(bottom + pad, size.height) - y, rx: 6 * unit };
  const r = BADGE_PX * unit;
  const at = [Math.max(r, Math.min(left + r + before * 2.1 * r, size.width - r)), Math.max(r, Math.min(top - PAD_PX * unit, size.height - r))];
  return { lines: [make("rect", { class: "back", ...where }), make("rect", { class: "line", ...where })], tags: badge(model.letter, ...at, unit) };
}

/** A way from cell to cell, a little aside of other ways, with the tip of an arrow at its end. */
function walk(model, place, unit) {
  const middle = (models.filter((one) => one.way.length).length - 1) / 2;
  const aside = (place - middle) * 4.5 * unit;
  const points = model.way.map(([x, y]) => [x + aside, y + aside]);
  const d = `M${points.map((point) => point.join(" ")).join("L")}`;
  const drawn = [make("path", { class: "back", d }), make("path", { class: "line", d })];
  if (points.length > 1) {
    const [[u, v], [x, y]] = points.slice(-2);
    const turn = (Math.atan2(y - v, x - u) * 180) / Math.PI;
    drawn.push(make("path", { class: "head", d: "M8 0L-5 6L-5 -6Z", transform: `translate(${x} ${y}) rotate(${turn}) scale(${unit})` }));
  }
  const [x, y] = points[0];
  return { lines: drawn, tags: badge(model.letter, x + (place - middle) * 1.8 * BADGE_PX * unit, y, unit) };
}

function draw() {
  for (const drawn of document.querySelectorAll(".answers-drawn, .answer-badge")) drawn.remove();
  const layers = new Map(); // lines and letters of every drawing; letters lie above all lines
  const counts = new Map();
  const put = (svg, model, { lines, tags }) => {
    if (!layers.has(svg)) {
      const pair = [make("g", {}), make("g", {})];
      svg.append(make("g", { class: "answers-drawn", "aria-hidden": "true" }, ...pair));
      layers.set(svg, pair);
    }
    const look = { class: `answer-mark ${model.style}`, "data-of-model": model.letter };
    layers.get(svg)[0].append(make("g", look, ...lines));
    layers.get(svg)[1].append(make("g", look, ...tags));
  };
  models.forEach((model) => {
    model.row.classList.toggle("off", Boolean(model.toggle && !model.toggle.checked));
    if (!model.toggle?.checked) return;
    for (const spot of model.spots) {
      const found = find(spot);
      if (!found) continue;
      const key = JSON.stringify([spot.in, spot.object ?? [spot.image, spot.box]]);
      const those = counts.get(key) ?? counts.set(key, new Set()).get(key);
      if (those.has(model)) continue;
      const before = those.size;
      those.add(model);
      const svg = drawingOf(found.element);
      if (!svg) {
        const tag = Object.assign(document.createElement("span"), { className: `answer-badge ${model.style}`, textContent: model.letter });
        tag.dataset.ofModel = model.letter;
        tag.title = model.row.querySelector("h3").textContent.trim();
        found.element.append(tag);
        continue;
      }
      if (!svg.getScreenCTM()) continue;
      const unit = 1 / svg.getScreenCTM().a;
      const place = placeOf(found.element, svg, found.share);
      put(svg, model, frame(model, place, before, unit, svg.viewBox.baseVal));
    }
    const board = model.way.length ? document.querySelector("[data-marks] svg") : null;
    if (board?.getScreenCTM()) {
      const ways = models.filter((one) => one.way.length);
      put(board, model, walk(model, ways.indexOf(model), 1 / board.getScreenCTM().a));
    }
  });
}

for (const { toggle } of models) {
  if (!toggle) continue;
  toggle.hidden = false;
  toggle.addEventListener("change", draw);
}
if (models.some((model) => model.toggle)) {
  draw();
  addEventListener("resize", draw);
}

// ---------------------------------------------------------------- a click on an object says why it is here

const told = document.querySelector("#told");
const scene = document.querySelector("[data-marks]");
const whys = new Map([...document.querySelectorAll("[data-why]")].map((row) => [row.dataset.object, row]));

if (told && scene && whys.size) {
  let chosen = null;
  const say = (words) => {
    told.textContent = words ?? told.dataset.usual;
    told.classList.toggle("on", Boolean(words));
  };
  const rest = () => say(whys.get(chosen)?.dataset.why);
  const choose = (key) => {
    chosen = key === chosen ? null : key;
    for (const thing of scene.querySelectorAll("[data-object]")) thing.classList.toggle("chosen", thing.dataset.object === chosen);
    for (const [name, row] of whys) row.classList.toggle("chosen", name === chosen);
    rest();
  };
  document.addEventListener("click", (event) => {
    const thing = event.target.closest("[data-marks] [data-object], [data-choose]");
    if (thing) choose(thing.dataset.choose ?? thing.dataset.object);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen !== null) choose(chosen);
  });
  for (const on of ["mouseover", "focusin"]) {
    document.addEventListener(on, (event) => {
      const source = event.target.closest?.("[data-told]");
      if (source) say(source.dataset.told);
    });
  }
  for (const off of ["mouseout", "focusout"]) {
    document.addEventListener(off, (event) => {
      if (event.target.closest?.("[data-told]")) rest();
    });
  }
  rest();
}
