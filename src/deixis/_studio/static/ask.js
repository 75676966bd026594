// Asking about a scene: the answer follows what is typed, and suggestions are put into the field.
import { swap } from "./studio.js";

const form = document.querySelector("#asking"), field = document.querySelector("#text"), answer = document.querySelector("#answer");
let timer = 0;

function ask() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const query = new URLSearchParams({ text: field.value });
    history.replaceState(null, "", `${form.getAttribute("action")}?${query}`);
    swap(answer, `${form.getAttribute("action")}?${query}&part=answer`);
  }, 120);
}

field.addEventListener("input", ask);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
document.addEventListener("click", (event) => {
  const text = event.target.closest("[data-text]");
  if (!text) return;
  field.value = text.dataset.text;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  ask();
});
