// Playing with clicks and keys; every answer is still a plain form.
const question = document.querySelector(".question");

if (question?.dataset.task === "point") point();
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
