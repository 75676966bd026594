// Captions of rooms: judged while they are typed; the server does the judging.
import { ask, swap } from "/static/studio.js";

const form = document.querySelector("#typing");
const text = document.querySelector("#text");
const judged = document.querySelector("#judged");
const needed = document.querySelector("#needed");
const speakers = document.querySelector("#speakers");
const context = () => ({
  target: form.dataset.target,
  beside: form.dataset.beside,
  by: document.querySelector("#by")?.value ?? "label",
});

/** Judge what stands in the box, and keep it in the address, so that the page can be shared. */
function judge() {
  const asked = new URLSearchParams({ ...context(), text: text.value });
  const address = new URL(location);
  for (const name of ["grammar", "number", "speaker"]) address.searchParams.delete(name);
  address.searchParams.set("text", text.value);
  if (document.querySelector("#by")) address.searchParams.set("by", context().by);
  history.replaceState(null, "", address);
  if (needed) swap(needed, `/shapes/needed?${asked}`);
  return swap(judged, `/shapes/caption?${asked}`);
}

let waiting;
text.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(judge, 150);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  judge();
});
document.querySelector("#by")?.addEventListener("change", () => {
  judge();
  speakAgain();
});

const grammars = document.querySelector("#grammars");
const number = document.querySelector("#number");
async function take(event) {
  event?.preventDefault();
  const { grammar } = grammars.elements;
  number.max = grammar.selectedOptions[0].dataset.most;
  number.value = Math.max(0, Math.min(Number(number.value) || 0, Number(number.max)));
  const asked = new URLSearchParams({ ...context(), grammar: grammar.value, number: number.value });
  const said = await ask(`/shapes/said?${asked}`).catch(() => null);
  if (said === null) return; // the banner says why
  text.value = said.text;
  await judge();
}
grammars.addEventListener("submit", take);
grammars.addEventListener("change", take);

function speakAgain() {
  if (!speakers) return;
  const seed = document.querySelector("#seed").value || "0";
  swap(speakers, `/shapes/speakers?${new URLSearchParams({ ...context(), seed })}`);
}
document.querySelector("#again")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const seed = document.querySelector("#seed");
  seed.value = Number(seed.value || 0) + 1;
  speakAgain();
});
document.querySelector("#seed")?.addEventListener("change", speakAgain);

speakers?.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-caption]");
  if (!button) return;
  text.value = button.dataset.caption;
  await judge();
  document.querySelector("#said").scrollIntoView({ block: "start" });
  text.focus({ preventScroll: true });
});
