// Playing with clicks and keys; every answer is still a plain form.
import { swap } from "/static/studio.js";

const question = document.querySelector(".question");
const KEYS = { arrowleft: "L", a: "L", arrowright: "R", d: "R", arrowup: "W", w: "W", p: "P", q: "Q", s: "S", backspace: "undo" };

if (question?.dataset.task === "point") point();
if (question?.dataset.task === "navigate") navigate();
if (question?.dataset.task === "pick") pick();
if (question?.dataset.task === "find") find();
document.querySelector("#onwards")?.focus({ preventScroll: true });
document.querySelector("#caption")?.focus();
if (question) question.dataset.ready = "yes"; // keys work from now on

function point() {
  const scene = question.querySelector("[data-scene]");
  const choices = [...question.querySelectorAll("input[name=object]")];
  const show = () => {
    const chosen = choices.find((one) => one.checked)?.value;
    for (const thing of scene.querySelectorAll("[data-object]")) thing.classList.toggle("chosen", thing.dataset.object === chosen);
  };
  scene.addEventListener("click", (event) => {
    const thing = event.target.closest("[data-object]");
    const choice = thing && choices.find((one) => one.value === thing.dataset.object);
    if (!choice) return;
    choice.checked = true;
    choice.focus({ preventScroll: true });
    show();
  });
  question.addEventListener("change", show);
  show();
}

function navigate() {
  const board = question.querySelector("#board");
  let plan = board.querySelector("[name=plan]").value;
  const act = (what) => {
    plan = what === "undo" ? plan.slice(0, -1) : what === "again" ? "" : plan + what;
    swap(board, `/play/${question.dataset.sitting}/board?plan=${plan}`);
  };
  question.addEventListener("submit", (event) => {
    if (event.submitter?.name === "act") {
      event.preventDefault();
      act(event.submitter.value);
      return;
    }
    // What is sent is what was done, also while the picture of the last action is still on its way.
    event.preventDefault();
    board.querySelector("[name=plan]")?.remove();
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: "plan", value: plan });
    question.append(field);
    question.submit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const what = KEYS[event.key.toLowerCase()];
    if (what) {
      event.preventDefault();
      act(what);
    } else if (event.key === "Enter" && !event.target.closest("a, button")) {
      event.preventDefault();
      question.requestSubmit(question.querySelector("#done"));
    }
  });
}

function pick() {
  document.addEventListener("keydown", (event) => {
    const choice = question.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
    if (!choice || event.ctrlKey || event.metaKey || event.altKey) return;
    choice.checked = true;
    choice.focus();
  });
}

function find() {
  for (const button of question.querySelectorAll("[data-first]")) {
    button.hidden = false;
    button.addEventListener("click", () => question.querySelector(`#${button.dataset.first} input`)?.focus());
  }
}
