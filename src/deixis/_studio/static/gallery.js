// The gallery: filters apply at once, by exchanging the list; the form and the address follow.
import { ask, swap } from "./studio.js";

const form = document.querySelector("#filters");
const list = document.querySelector("#list");

function query() {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) values.set(name, value.trim());
  return values;
}

/** Show what an address asks for; the address bar follows unless it led here. What is typed in one go is one entry. */
async function show(values, { remember = true, replaces = false } = {}) {
  const asked = new URLSearchParams(values);
  asked.set("part", "list");
  const shown = await swap(list, `${form.getAttribute("action")}?${asked}`);
  if (shown === null) return; // the studio is gone
  if (remember) {
    const text = values.toString();
    const address = text ? `?${text}` : form.getAttribute("action");
    if (replaces) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }
  if (shown) count(JSON.parse(list.querySelector("[data-counts]")?.dataset.counts ?? "{}"));
  mark();
  lookAgain();
}

/** What is still being worked out is asked for again, until it is there or something else is asked for. */
let again = 0;
function lookAgain() {
  clearTimeout(again);
  if (list.querySelector("[data-waiting]")) again = setTimeout(() => show(query(), { remember: false }), 3000);
}

/** Put the choices and counts that came with the list into the form, without touching what is chosen. */
function count(fields) {
  for (const [name, choices] of Object.entries(fields)) {
    const select = form.elements.namedItem(name);
    if (!(select instanceof HTMLSelectElement)) continue;
    const chosen = select.value;
    const options = choices.map(([value, label, number]) =>
      new Option(number === null ? label : `${label} (${number.toLocaleString("en")})`, value, false, value === chosen));
    select.replaceChildren(select.options[0], ...options);
    select.value = choices.some(([value]) => value === chosen) ? chosen : "";
  }
}

function mark() {
  for (const field of form.querySelectorAll(".field")) {
    field.classList.toggle("chosen", Boolean(field.querySelector("select, input").value));
  }
}

function fill(values) {
  for (const element of form.elements) if (element.name) element.value = values.get(element.name) ?? "";
}

// On a narrow screen the examples come first: the filters open on demand, unless some are chosen.
const folded = form.querySelector("details");
const wide = matchMedia("(min-width: 561px)");
const unfold = () => (folded.open = wide.matches || form.querySelector(".chosen") !== null);
wide.addEventListener("change", unfold);
unfold();
form.classList.add("live");
let waiting = 0;
let isTyping = false; // whether the newest entry of the history is what is being typed
form.addEventListener("change", (event) => {
  isTyping = false;
  if (event.target.matches("select")) show(query());
});
form.addEventListener("input", (event) => {
  if (!event.target.matches("input")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    show(query(), { replaces: isTyping });
    isTyping = true;
  }, 250);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  show(query(), { replaces: isTyping });
  isTyping = false;
});
form.querySelector("a.button")?.addEventListener("click", (event) => {
  event.preventDefault();
  fill(new URLSearchParams());
  show(new URLSearchParams());
});
list.addEventListener("click", async (event) => {
  const link = event.target.closest(".pager a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  await show(new URL(link.href).searchParams);
  list.querySelector("h2").tabIndex = -1;
  list.querySelector("h2").focus({ preventScroll: true });
  form.scrollIntoView({ block: "end" });
});
window.addEventListener("popstate", () => {
  clearTimeout(waiting);
  isTyping = false;
  const values = new URLSearchParams(location.search);
  fill(values);
  show(values, { remember: false });
});
lookAgain();
// The first page comes without counts, which would make it late; they are fetched now.
if ("uncounted" in form.dataset) {
  const asked = query();
  asked.set("part", "counts");
  ask(`${form.getAttribute("action")}?${asked}`).then(count, () => {});
}
