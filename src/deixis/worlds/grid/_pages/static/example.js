// The page of an example: words that stay lit, objects that answer a click, and plans that play.
import { light, swap } from "/static/studio.js";

const scene = document.querySelector("#scene");
const told = document.querySelector("#told");
const numbers = (text) => text.split(" ").filter(Boolean);

// ---------------------------------------------------------------- what is said below the scene

let pinned = null; // an element whose objects stay lit and whose sentence stays

function say(element) {
  const words = element?.dataset.told;
  told.textContent = words ?? told.dataset.usual;
  told.classList.toggle("on", Boolean(words));
}

function rest() {
  light(scene, pinned?.dataset.lights === undefined ? null : numbers(pinned.dataset.lights));
  say(pinned);
}

for (const kind of ["mouseover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const source = event.target.closest?.("[data-told]");
    if (source && source !== pinned) say(source.matches("details") ? pinned : source);
  });
}
for (const kind of ["mouseout", "focusout"]) {
  document.addEventListener(kind, (event) => {
    const source = event.target.closest?.("[data-lights]");
    if (source && !source.contains(event.relatedTarget)) rest();
  });
}

// ---------------------------------------------------------------- the resolution, step by step

const steps = [...document.querySelectorAll("#trace [data-step]")];
let step = -1;

function pin(number) {
  step = Math.max(-1, Math.min(number, steps.length - 1));
  pinned = step < 0 ? null : steps[step];
  for (const one of document.querySelectorAll("[data-step]")) {
    one.setAttribute("aria-pressed", String(Number(one.dataset.step) === step));
  }
  choose(null);
  document.querySelector('[data-trace="back"]').disabled = step < 0;
  document.querySelector('[data-trace="next"]').disabled = step === steps.length - 1;
  rest();
}

document.addEventListener("click", (event) => {
  const part = event.target.closest("[data-step]");
  if (part) pin(Number(part.dataset.step) === step ? -1 : Number(part.dataset.step));
  const walk = event.target.closest("[data-trace]");
  if (walk) pin(step + (walk.dataset.trace === "next" ? 1 : -1));
});
document.addEventListener("keydown", (event) => {
  const part = event.target.closest?.('[role="button"][data-step]');
  if (part && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    part.click();
  }
  const here = event.target.closest?.("#trace .step");
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (here && way) {
    event.preventDefault();
    steps[Number(here.dataset.step) + way]?.focus();
  }
});

// ---------------------------------------------------------------- objects: who would end there

function choose(number) {
  for (const thing of scene.querySelectorAll("[data-object]")) {
    thing.classList.toggle("chosen", thing.dataset.object === number);
  }
  for (const entry of document.querySelectorAll("details.object")) entry.open = entry.dataset.number === number;
}

function answerFor(number, { follow }) {
  const entry = document.querySelector(`#object-${number}`);
  if (!entry) return;
  if (pinned) pin(-1);
  const again = entry.open;
  choose(again ? null : number);
  pinned = again ? null : entry;
  rest();
  if (!again && follow) entry.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
}

scene.addEventListener("click", (event) => {
  const thing = event.target.closest("[data-object]");
  if (thing) answerFor(thing.dataset.object, { follow: innerWidth > 860 });
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-choose]");
  const summary = event.target.closest("details.object > summary");
  if (!link && !summary) return;
  event.preventDefault();
  answerFor(link ? link.dataset.choose : summary.parentElement.dataset.number, { follow: Boolean(link) });
});

// ---------------------------------------------------------------- plans in motion

const still = matchMedia("(prefers-reduced-motion: reduce)");
const ACTION_MS = 480;
const MOVING = 0.86; // of the time of an action; then a rest, so that actions can be told apart

/** One drawing in which the agent and what it pushes or pulls move. */
class Board {
  constructor(element) {
    this.film = JSON.parse(element.dataset.film);
    this.length = this.film.actions.length;
    this.movers = this.film.movers.map((mover) => ({
      ...mover,
      layers: [...element.querySelectorAll(mover.of === "agent" ? "svg .agent" : `svg [data-object="${mover.of}"]`)],
    }));
  }

  show(at) {
    for (const mover of this.movers) this.put(mover, this.pose(mover, at));
  }

  /** Move from before an action to after it. */
  go(at, milliseconds) {
    if (at >= this.length) return;
    for (const mover of this.movers) {
      const [one, other, sway] = [mover.poses[at], mover.poses[at + 1], mover.sways[at]];
      const frames = [transform(one, mover.poses[0])];
      if (sway) frames.push(transform(one.map((value, k) => (value + other[k]) / 2 + sway[k]), mover.poses[0]));
      frames.push(transform(other, mover.poses[0]));
      this.put(mover, other);
      for (const layer of mover.layers) {
        layer.animate(frames.map((value) => ({ transform: value })), { duration: milliseconds, easing: "ease-in-out" });
      }
    }
  }

  pose(mover, at) {
    return mover.poses[Math.min(at, this.length)];
  }

  put(mover, pose) {
    for (const layer of mover.layers) {
      for (const running of layer.getAnimations()) if (!(running instanceof CSSTransition)) running.cancel();
      layer.style.transform = transform(pose, mover.poses[0]);
    }
  }
}

function transform([x, y, angle, size], first) {
  return `translate(${x}px,${y}px) rotate(${angle}deg) scale(${size}) translate(${-first[0]}px,${-first[1]}px)`;
}

/** The controls over one or two boards. */
class Player {
  constructor(root) {
    this.root = root;
    this.boards = [...root.querySelectorAll("[data-film]")].map((element) => new Board(element));
    this.length = Math.max(...this.boards.map((board) => board.length));
    this.range = root.querySelector("input[type=range]");
    this.now = root.querySelector("[data-now]");
    this.playButton = root.querySelector('[data-do="play"]');
    this.at = 0;
    this.timer = 0;
    this.speed = 1;
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("keydown", (event) => this.pressed(event));
    this.range.addEventListener("input", () => this.jump(Number(this.range.value)));
    root.querySelector('[data-do="speed"]').addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    this.tell();
  }

  clicked(event) {
    const action = event.target.closest("[data-at]");
    if (action) this.jump(Number(action.dataset.at));
    switch (event.target.closest("button[data-do]")?.dataset.do) {
      case "start": return this.jump(0);
      case "back": return this.jump(this.at - 1);
      case "step": this.pause(); return this.forward();
      case "play": return this.timer ? this.pause() : this.play();
    }
  }

  pressed(event) {
    if (event.target.matches("input, select, summary, a")) return;
    const keys = { ArrowRight: () => { this.pause(); this.forward(); }, ArrowLeft: () => this.jump(this.at - 1), Home: () => this.jump(0), End: () => this.jump(this.length) };
    if (event.key === " " && !event.target.closest("button")) keys[" "] = () => (this.timer ? this.pause() : this.play());
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  play() {
    if (this.at >= this.length) this.jump(0);
    const on = () => {
      this.forward();
      this.timer = this.at < this.length ? setTimeout(on, ACTION_MS / this.speed) : 0;
      this.mark();
    };
    this.timer = setTimeout(on, 0);
    this.mark();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.mark();
  }

  forward() {
    if (this.at >= this.length) return;
    for (const board of this.boards) {
      if (still.matches) board.show(this.at + 1);
      else board.go(this.at, (MOVING * ACTION_MS) / this.speed);
    }
    this.at += 1;
    this.tell();
  }

  jump(at) {
    this.pause();
    this.at = Math.max(0, Math.min(at, this.length));
    for (const board of this.boards) board.show(this.at);
    this.tell();
  }

  mark() {
    this.playButton.classList.toggle("playing", Boolean(this.timer));
    this.playButton.setAttribute("aria-label", this.timer ? "Pause" : "Play");
    this.now.setAttribute("aria-live", this.timer ? "off" : "polite");
  }

  tell() {
    this.range.value = String(this.at);
    const words = this.boards.length > 1 && this.at === 0 ? "Both plans at once" : this.boards.map((board) => board.film.words[Math.min(this.at, board.length)]);
    this.now.textContent = Array.isArray(words) ? words.join(" · ") : words;
    this.range.setAttribute("aria-valuetext", this.now.textContent);
    for (const list of this.root.querySelectorAll(".actions")) {
      for (const action of list.querySelectorAll("[data-at]")) {
        const at = Number(action.dataset.at);
        action.classList.toggle("done", at < this.at);
        if (at === this.at) {
          action.setAttribute("aria-current", "step");
          list.scrollTop += Math.max(0, action.offsetTop + action.offsetHeight - list.offsetTop - list.clientHeight - list.scrollTop);
          list.scrollTop -= Math.max(0, list.offsetTop + list.scrollTop - action.offsetTop);
        } else action.removeAttribute("aria-current");
      }
    }
  }
}

for (const root of document.querySelectorAll("[data-player]:not([data-still])")) new Player(root);

// ---------------------------------------------------------------- what models did

for (const button of document.querySelectorAll("[data-answer]")) {
  const place = document.getElementById(button.getAttribute("aria-controls"));
  button.addEventListener("click", async () => {
    const opens = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(opens));
    place.hidden = !opens;
    if (!opens || place.firstElementChild) return;
    if (await swap(place, button.dataset.answer)) new Player(place.querySelector("[data-player]"));
  });
}

if (document.querySelector('[data-trace="back"]')) pin(-1);
else rest();
