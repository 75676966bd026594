// Walking on the board with buttons and keys; every answer is still a plain form.
import { swap } from "/static/studio.js";

const question = document.querySelector(".question");
const KEYS = { arrowleft: "L", a: "L", arrowright: "R", d: "R", arrowup: "W", w: "W", p: "P", q: "Q", s: "S", backspace: "undo" };

if (question) {
  const board = question.querySelector("#board");
  let plan = board.querySelector("[name=plan]").value;
  let seen = plan; // what the picture shows
  const act = async (what) => {
    plan = what === "undo" ? plan.slice(0, -1) : what === "again" ? "" : plan + what;
    const wanted = plan;
    const shown = await swap(board, `/play/${question.dataset.sitting}/board?plan=${wanted}`);
    if (shown) seen = wanted;
    else if (shown === null) plan = seen; // what nobody has seen was not done
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
