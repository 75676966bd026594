// Regions of images: what is pointed at is explained, and what goes unheard is struck out in the sentence.
import { light } from "/static/studio.js";

const told = document.querySelector("#told");
const sentence = document.querySelector("#sentence");
const usual = told.textContent;
let pinned = null; // a part whose objects stay lit

/** Strike out the words of some parts and of all that lies inside them. */
function strike(addresses) {
  for (const words of sentence.querySelectorAll("[data-address]")) {
    const here = words.dataset.address;
    words.classList.toggle("missed", here !== "" && addresses.some((one) => here === one || here.startsWith(`${one}.`)));
  }
}

function choose(region) {
  for (const one of document.querySelectorAll(".chosen")) one.classList.remove("chosen");
  for (const one of document.querySelectorAll(".answer")) one.textContent = "";
  strike([]);
  if (!region) {
    told.textContent = usual;
    return;
  }
  const scene = region.closest("[data-scene]");
  for (const one of scene.querySelectorAll(`[data-object="${region.dataset.object}"]`)) one.classList.add("chosen");
  strike(region.dataset.misses.split(" ").filter(Boolean));
  told.textContent = region.dataset.says;
  const answer = scene.closest("figure").querySelector(".answer");
  if (answer) answer.textContent = region.dataset.says;
}

function pin(part) {
  const scene = document.querySelector("#image-0");
  pinned?.classList.remove("on");
  pinned?.setAttribute("aria-pressed", "false");
  pinned = part === pinned ? null : part;
  pinned?.classList.add("on");
  pinned?.setAttribute("aria-pressed", "true");
  if (scene) light(scene, pinned ? pinned.dataset.lights.split(" ").filter(Boolean) : null);
}

function act(event) {
  const region = event.target.closest?.(".region");
  const part = event.target.closest?.(".sentence .part");
  if (region) choose(region.classList.contains("chosen") ? null : region);
  if (part) pin(part);
  return region ?? part;
}

document.addEventListener("click", act);
document.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && act(event)) event.preventDefault();
  if (event.key === "Escape") {
    choose(null);
    if (pinned) pin(pinned);
  }
});
for (const on of ["mouseover", "focusin"]) {
  document.addEventListener(on, (event) => {
    const source = event.target.closest?.("[data-lights][data-says]");
    if (source) told.textContent = source.dataset.says;
  });
}
// The shared module puts the lights out when the pointer leaves; what is pinned comes back.
for (const off of ["mouseout", "focusout"]) {
  document.addEventListener(off, () => {
    const scene = document.querySelector("#image-0");
    if (pinned && scene) queueMicrotask(() => light(scene, pinned.dataset.lights.split(" ").filter(Boolean)));
  });
}
