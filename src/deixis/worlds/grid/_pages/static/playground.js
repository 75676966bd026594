// The playground: keeps a board and a text, sends both to the server after every change, and shows what comes back.
import { ask, light } from "/static/studio.js";

const $ = (selector, root = document) => root.querySelector(selector);
const form = $("#playground"), field = $("#text"), board = $("#board"), tokens = $(".tokens"), picture = $(".picture");
const LISTS = { color: values("color"), shape: values("shape"), size: values("size").map(Number), facing: values("facing") };
const MOST = Number(board.dataset.most);
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

let state = JSON.parse(form.dataset.state); // { text, scene }, never changed in place
let answer = null; // what the server said of the newest state it has seen
let chosen = null; // the number of an object, "agent" or null
let past = [], future = [];

function values(name) {
  return [...document.querySelectorAll(`#inspector input[name=${name}]`)].map((input) => input.value);
}

// ---- states -------------------------------------------------------------------------------------------------------

function change(next, { merges = false } = {}) {
  if (!merges) past.push(state);
  if (past.length > 200) past.shift();
  future = [];
  state = next;
  refresh();
}

function changeScene(part, options) {
  change({ ...state, scene: { ...state.scene, ...part } }, options);
}

function changeObject(number, part) {
  changeScene({ objects: state.scene.objects.map((thing, k) => (k === number ? { ...thing, ...part } : thing)) });
}

function go(from, to) {
  if (!from.length) return;
  to.push(state);
  state = from.pop();
  field.value = state.text;
  if (chosen !== null && chosen !== "agent" && chosen >= state.scene.objects.length) chosen = null;
  refresh();
}
const undo = () => go(past, future), redo = () => go(future, past);

// ---- the server: one request at a time, and only the newest state counts ----------------------------------------------

let asking = false, stale = false, timer = 0;
let judged = null; // the text that the newest answer is about

function refresh() {
  $("#next").inert = state.text !== judged; // what could follow an older text
  $("#undo").disabled = !past.length;
  $("#redo").disabled = !future.length;
  clearTimeout(timer);
  timer = setTimeout(send, 30);
}

async function send() {
  if (asking) {
    stale = true;
    return;
  }
  asking = true;
  board.setAttribute("aria-busy", "true");
  try {
    const { text } = state;
    const said = await ask("/playground/judge", { ...state, theme: theme() });
    judged = text;
    show(said);
    $("#fault").hidden = true;
  } catch (error) {
    $("#fault").textContent = error.message;
    $("#fault").hidden = !$("#gone").hidden; // a studio that is gone has its own banner
  }
  asking = false;
  board.removeAttribute("aria-busy");
  if (stale) {
    stale = false;
    send();
  }
}

function theme() {
  const said = document.documentElement.dataset.theme;
  return said ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
new MutationObserver(refresh).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);

// ---- what the server said ---------------------------------------------------------------------------------------------

function show(said) {
  answer = said;
  const film = $("[data-film]")?.open;
  picture.innerHTML = said.svg;
  $("#said").innerHTML = said.said;
  $("#verdict").innerHTML = said.verdict;
  if ($("#verdict-headline").textContent !== said.headline) $("#verdict-headline").textContent = said.headline;
  $("#verdict-headline").className = `headline ${said.tone}`;
  $("#scene").value = new URLSearchParams(said.query).get("scene");
  light(board, null);
  showNext();
  showTokens();
  showChosen();
  showKeep();
  if (film && $("[data-film]")) $("[data-film]").open = true;
  history.replaceState(null, "", `/playground?${said.query}`);
}

function showNext() {
  const chips = answer.next.map(({ words, text }) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "chip", textContent: words });
    button.dataset.text = text;
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  $("#next").replaceChildren(...chips);
  $("#next").inert = state.text !== judged;
  $("#next-title").textContent = answer.next_title;
  $("#completions").replaceChildren(...answer.next.map(({ text }) => new Option(text, text)));
}

function showKeep() {
  for (const place of document.querySelectorAll("[data-file]")) {
    const name = place.dataset.file;
    const ready = answer.ready.includes(name);
    if (ready) place.href = `/playground/${name}?${answer.query}`;
    else place.removeAttribute("href");
    place.setAttribute("aria-disabled", String(!ready));
  }
  $("#shared").textContent = "";
}

// Every object and the agent has a button over its drawing, so that it can be reached and named without seeing it.
function showTokens() {
  const { scene, things } = answer;
  const wanted = [...scene.objects.keys(), ...(scene.agent ? ["agent"] : [])];
  while (tokens.children.length > wanted.length) tokens.lastChild.remove();
  while (tokens.children.length < wanted.length) tokens.append(newToken());
  const frame = $("svg", picture).viewBox.baseVal;
  wanted.forEach((key, place) => {
    const token = tokens.children[place];
    const drawn = key === "agent" ? $("g.agent", picture) : $(`g.object[data-object="${key}"]`, picture);
    const box = drawn.getBBox();
    const isBox = key !== "agent" && scene.objects[key].shape === "box";
    const pad = isBox ? 6 : Math.max(2, (0.62 * answer.cell - Math.min(box.width, box.height)) / 2);
    token.dataset.thing = key;
    token.style.left = `${(100 * (box.x - pad)) / frame.width}%`;
    token.style.top = `${(100 * (box.y - pad)) / frame.height}%`;
    token.style.width = `${(100 * (box.width + 2 * pad)) / frame.width}%`;
    token.style.height = `${(100 * (box.height + 2 * pad)) / frame.height}%`;
    token.style.transform = "";
    token.classList.toggle("frame", isBox);
    token.classList.toggle("fits", key !== "agent" && things[key].fits);
    token.classList.toggle("many", key !== "agent" && things[key].fits && things.filter((thing) => thing.fits).length > 1);
    token.setAttribute("aria-label", nameOf(key));
  });
}

function nameOf(key) {
  if (key !== "agent") return answer.things[key].name + (answer.things[key].fits ? ", fits" : "");
  const { row, column, facing } = answer.scene.agent;
  return `agent facing ${facing}, row ${row}, column ${column}`;
}

function newToken() {
  const token = document.createElement("button");
  token.type = "button";
  token.className = "token";
  return token;
}

function choose(key, { focus = false } = {}) {
  chosen = key;
  showChosen();
  if (focus && key !== null) $(`.token[data-thing="${key}"]`, tokens)?.focus();
}

function showChosen() {
  const { scene } = state;
  const thing = chosen === "agent" ? scene.agent : scene.objects[chosen];
  if (!thing) chosen = null;
  for (const token of tokens.children) token.setAttribute("aria-pressed", String(token.dataset.thing === String(chosen)));
  const [title, note] = [document.createElement("b"), document.createElement("span")];
  note.className = "note";
  title.textContent = chosen === null ? "New object" : chosen === "agent" ? "The agent" : `${thing.color} ${thing.shape} of size ${thing.size}`;
  note.textContent = chosen === null ? "" : `row ${thing.row}, column ${thing.column}${chosen === "agent" ? "" : `, object ${chosen}`}`;
  $("#chosen").replaceChildren(title, " ", note);
  $("#choices").hidden = chosen === "agent";
  $("#facings").hidden = chosen !== "agent";
  if (thing) for (const name of ["color", "shape", "size", "facing"]) if (name in thing) check(name, thing[name]);
  $("#about").textContent = chosen === null || chosen === "agent" ? "" : (answer?.things[chosen]?.about ?? "");
  $("#delete").disabled = chosen === null;
  $("#agent").textContent = scene.agent ? "− Agent" : "+ Agent";
  $("#side").value = String(scene.size);
  $("#add").disabled = scene.objects.length >= MOST;
}

function check(name, value) {
  $(`#inspector input[name=${name}][value="${value}"]`).checked = true;
}

// ---- changes of the board -------------------------------------------------------------------------------------------

function move(key, row, column) {
  const last = state.scene.size - 1;
  const place = { row: Math.min(last, Math.max(0, row)), column: Math.min(last, Math.max(0, column)) };
  const thing = key === "agent" ? state.scene.agent : state.scene.objects[key];
  if (thing.row === place.row && thing.column === place.column) return;
  if (key === "agent") changeScene({ agent: { ...thing, ...place } });
  else changeObject(key, place);
  showChosen();
}

function add(row, column) {
  if (state.scene.objects.length >= MOST) return;
  const brush = Object.fromEntries(["color", "shape", "size"].map((name) => [name, $(`#inspector input[name=${name}]:checked`).value]));
  const thing = { ...brush, size: Number(brush.size), row, column };
  chosen = state.scene.objects.length;
  changeScene({ objects: [...state.scene.objects, thing] });
  waitFocus = true;
}
let waitFocus = false;

/** The free cell that is nearest to another one, in rows and columns. */
function freeCell(row, column) {
  const taken = new Set(state.scene.objects.map((thing) => `${thing.row} ${thing.column}`));
  if (state.scene.agent) taken.add(`${state.scene.agent.row} ${state.scene.agent.column}`);
  let best = [row, column], nearest = Infinity;
  for (let r = 0; r < state.scene.size; r++) {
    for (let c = 0; c < state.scene.size; c++) {
      const away = Math.abs(r - row) + Math.abs(c - column) + (r < row || (r === row && c < column) ? 0.5 : 0);
      if (!taken.has(`${r} ${c}`) && away < nearest) [best, nearest] = [[r, c], away];
    }
  }
  return best;
}

function addNear(key) {
  const { scene } = state;
  const near = key === "agent" ? scene.agent : scene.objects[key];
  add(...(near ? freeCell(near.row, near.column) : freeCell(scene.size >> 1, scene.size >> 1)));
}

function remove(key) {
  if (key === "agent") {
    chosen = null;
    changeScene({ agent: null });
  } else {
    const objects = state.scene.objects.filter((_, number) => number !== key);
    chosen = objects.length ? Math.min(key, objects.length - 1) : null;
    changeScene({ objects });
  }
  showChosen();
}

function cycle(key, name, by) {
  const thing = key === "agent" ? state.scene.agent : state.scene.objects[key];
  if (!(name in thing)) return;
  const list = LISTS[name];
  const value = list[(list.indexOf(thing[name]) + by + list.length) % list.length];
  if (key === "agent") changeScene({ agent: { ...thing, [name]: value } });
  else changeObject(key, { [name]: value });
  showChosen();
}

function resize(size) {
  const inside = (thing) => ({ ...thing, row: Math.min(thing.row, size - 1), column: Math.min(thing.column, size - 1) });
  const { agent, objects } = state.scene;
  changeScene({ size, agent: agent && inside(agent), objects: objects.map(inside) });
}

// ---- pointers: drag an object, click an empty cell --------------------------------------------------------------------

let drag = null;
const keyOf = (token) => (token.dataset.thing === "agent" ? "agent" : Number(token.dataset.thing));

/** How many cells two points on the screen are apart. */
function cellsApart(dx, dy) {
  const scale = $("svg", picture).getBoundingClientRect().width / $("svg", picture).viewBox.baseVal.width;
  return [dy / (scale * answer.cell), dx / (scale * answer.cell), scale];
}

tokens.addEventListener("pointerdown", (event) => {
  const token = event.target.closest(".token");
  if (!token || event.button !== 0) return;
  drag = { token, key: keyOf(token), x: event.clientX, y: event.clientY, isMoving: false };
  token.setPointerCapture(event.pointerId);
});
tokens.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.isMoving && Math.hypot(dx, dy) < 5) return;
  drag.isMoving = true;
  drag.token.classList.add("moving");
  drag.token.style.transform = `translate(${dx}px, ${dy}px)`;
  const [, , scale] = cellsApart(dx, dy);
  const drawn = drag.key === "agent" ? "g.agent" : `[data-object="${drag.key}"]`;
  for (const part of picture.querySelectorAll(drawn)) part.setAttribute("transform", `translate(${dx / scale} ${dy / scale})`);
});
function drop(event) {
  if (!drag) return;
  const { token, key, x, y, isMoving } = drag;
  drag = null;
  token.classList.remove("moving");
  choose(key, { focus: true });
  if (!isMoving) return;
  const thing = key === "agent" ? state.scene.agent : state.scene.objects[key];
  const [rows, columns] = event.type === "pointerup" ? cellsApart(event.clientX - x, event.clientY - y) : [0, 0];
  const before = state;
  move(key, thing.row + Math.round(rows), thing.column + Math.round(columns));
  if (state === before) show(answer); // dropped where it was
}
tokens.addEventListener("pointerup", drop);
tokens.addEventListener("pointercancel", drop);

board.addEventListener("click", (event) => {
  if (!answer || event.target.closest(".token")) return;
  const frame = $("svg", picture).getBoundingClientRect();
  const scale = frame.width / $("svg", picture).viewBox.baseVal.width;
  const margin = ($("svg", picture).viewBox.baseVal.width - state.scene.size * answer.cell) / 2;
  const [row, column] = [event.clientY - frame.top, event.clientX - frame.left].map((at) => Math.floor((at / scale - margin) / answer.cell));
  if (Math.min(row, column) >= 0 && Math.max(row, column) < state.scene.size) add(row, column);
});
tokens.addEventListener("focusin", (event) => {
  const token = event.target.closest(".token");
  if (token && keyOf(token) !== chosen) choose(keyOf(token));
});
tokens.addEventListener("click", (event) => {
  const token = event.target.closest(".token");
  if (token) choose(keyOf(token), { focus: true });
});
new MutationObserver(() => {
  if (waitFocus && answer && state.scene.objects.length === answer.scene.objects.length) {
    waitFocus = false;
    choose(chosen, { focus: true });
  }
}).observe(tokens, { childList: true, attributes: true, subtree: true, attributeFilter: ["aria-label"] });

// ---- keys -----------------------------------------------------------------------------------------------------------

tokens.addEventListener("keydown", (event) => {
  const token = event.target.closest(".token");
  if (!token || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = keyOf(token), by = event.shiftKey ? -1 : 1;
  const thing = key === "agent" ? state.scene.agent : state.scene.objects[key];
  if (!thing) return;
  const names = { c: "color", s: "shape", z: "size", f: "facing" };
  const letter = event.key.toLowerCase();
  if (event.key in STEPS) move(key, thing.row + STEPS[event.key][0], thing.column + STEPS[event.key][1]);
  else if (letter in names) cycle(key, names[letter], by);
  else if (letter === "n") addNear(key);
  else if (event.key === "Delete" || event.key === "Backspace") remove(key);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || chosen === null || drag || event.target === field) return;
  document.activeElement?.blur();
  choose(null);
});
document.addEventListener("keydown", (event) => {
  const isText = event.target === field;
  if (isText || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey) redo();
  else undo();
});

// ---- text, buttons and choices ----------------------------------------------------------------------------------------

let typed = 0; // when a key was last pressed in the field: what is typed in one go is undone in one go
field.addEventListener("input", () => {
  const now = Date.now();
  change({ ...state, text: field.value }, { merges: now - typed < 800 && past.length > 0 });
  typed = now;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  refresh();
});
document.addEventListener("click", (event) => {
  const text = event.target.closest("[data-text]");
  if (text) {
    field.value = text.dataset.text;
    typed = 0;
    change({ ...state, text: field.value });
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }
  const which = event.target.closest("[data-choose]");
  if (which) choose(Number(which.dataset.choose), { focus: true });
});
$("#undo").addEventListener("click", undo);
$("#redo").addEventListener("click", redo);
$("#add").addEventListener("click", () => addNear(chosen));
$("#agent").addEventListener("click", () => {
  if (state.scene.agent) return remove("agent");
  const [row, column] = freeCell(0, 0);
  chosen = "agent";
  changeScene({ agent: { row, column, facing: "east" } });
});
$("#delete").addEventListener("click", () => chosen !== null && remove(chosen));
$("#side").addEventListener("change", (event) => resize(Number(event.target.value)));
$("#inspector").addEventListener("change", (event) => {
  const { name, value } = event.target;
  if (chosen === null) return;
  if (chosen === "agent") changeScene({ agent: { ...state.scene.agent, [name]: value } });
  else changeObject(chosen, { [name]: name === "size" ? Number(value) : value });
  showChosen();
});
$("#share").addEventListener("click", async () => {
  if (!answer) return;
  const address = `${location.origin}/playground?${answer.query}`;
  try {
    await navigator.clipboard.writeText(address);
    $("#shared").textContent = "The link is in the clipboard.";
  } catch {
    $("#shared").textContent = address;
  }
});
document.addEventListener("toggle", (event) => {
  const film = event.target.closest?.("[data-film]");
  const image = film && $("img", film);
  if (!film?.open || !image.hidden || !answer) return;
  image.src = `/playground/plan.svg?${answer.query}&theme=${theme()}&shown=1`;
  image.hidden = false;
}, true);

send();
