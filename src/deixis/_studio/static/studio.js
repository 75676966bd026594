// What all pages share: the theme, lighting up objects, and fragments that are fetched from the server.

const GONE = "The studio has stopped. Start it again and reload this page.";
let isLeaving = false; // requests that fail because one goes to another page say nothing about the studio
window.addEventListener("pagehide", () => (isLeaving = true));
window.addEventListener("pageshow", () => (isLeaving = false));

/** Ask the studio; when it is gone, a banner says so until it answers again, and the error has the same words. */
async function reach(address, options) {
  try {
    const answer = await fetch(address, options);
    document.querySelector("#gone").hidden = true;
    return answer;
  } catch {
    if (!isLeaving) {
      document.querySelector("#gone").textContent = GONE;
      document.querySelector("#gone").hidden = false;
    }
    throw new Error(GONE);
  }
}

/** Fetch a fragment of a page and put it into an element. Only the newest request for an element counts.
 *  True when it is there, false when there was an error instead or something newer, null when the studio is gone. */
export async function swap(element, address, options = {}) {
  const turn = (element.turn = (element.turn ?? 0) + 1);
  element.setAttribute("aria-busy", "true");
  try {
    const answer = await reach(address, { headers: { accept: "text/html" }, ...options }).catch(() => null);
    if (answer === null) return null;
    const text = await answer.text();
    if (turn !== element.turn) return false;
    element.innerHTML = answer.ok ? text : `<p class="fault" role="alert">${escaped(await message(text))}</p>`;
    element.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
    return answer.ok;
  } finally {
    if (turn === element.turn) element.removeAttribute("aria-busy");
  }
}

/** Send JSON, get JSON; an error of the server is thrown with its message. */
export async function ask(address, body) {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await reach(address, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  const data = await answer.json().catch(() => ({ error: "The server did not answer." }));
  if (!answer.ok) throw new Error(data.error ?? "The server did not answer.");
  return data;
}

export function escaped(text) {
  const span = document.createElement("span");
  span.textContent = text;
  return span.innerHTML;
}

async function message(page) {
  const found = new DOMParser().parseFromString(page, "text/html").querySelector(".fault");
  return found?.textContent ?? "This cannot be shown.";
}

/** Light up some objects of a scene and dim the others; null puts everything back. */
export function light(scene, numbers) {
  scene.classList.toggle("lighting", numbers !== null);
  for (const thing of scene.querySelectorAll("[data-object]")) {
    thing.classList.toggle("lit", numbers !== null && numbers.includes(thing.dataset.object));
  }
}

// Anything with data-lights="0 3" lights up these objects of its scene (data-of="#scene", or the only scene) on hover and focus.
function sceneOf(element) {
  return document.querySelector(element.closest("[data-of]")?.dataset.of ?? "[data-scene]");
}
for (const [on, off] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  document.addEventListener(on, (event) => {
    const source = event.target.closest?.("[data-lights]");
    const scene = source && sceneOf(source);
    if (scene) light(scene, source.dataset.lights.split(" ").filter(Boolean));
  });
  document.addEventListener(off, (event) => {
    const source = event.target.closest?.("[data-lights]");
    const scene = source && !source.contains(event.relatedTarget) && sceneOf(source);
    if (scene) light(scene, null);
  });
}

const kept = localStorage.getItem("theme");
if (kept) document.documentElement.dataset.theme = kept;
document.querySelector("#theme")?.addEventListener("click", () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});
