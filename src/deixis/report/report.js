"use strict";
for (const article of document.querySelectorAll(".example")) {
  const picture = article.querySelector(".picture");
  if (!picture) continue;
  const hint = article.querySelector(".hint");
  const usual = hint ? hint.textContent : "";
  const show = (event) => {
    const name = event.type === "mouseleave" || event.type === "focusout" ? null : event.target.closest("[data-objects]");
    const numbers = (key) => new Set(name && name.dataset[key] ? name.dataset[key].split(" ") : []);
    const wanted = numbers("objects"), wrong = numbers("wrong");
    picture.classList.toggle("pointing", wanted.size > 0);
    for (const thing of picture.querySelectorAll("g.object")) {
      thing.classList.toggle("lit", wanted.has(thing.dataset.object));
      thing.classList.toggle("wrong", wrong.has(thing.dataset.object));
    }
    if (hint) hint.textContent = (name && name.dataset.said) || usual;
    if (hint) hint.classList.toggle("told", Boolean(name && name.dataset.said));
  };
  for (const kind of ["mouseover", "mouseleave", "focusin", "focusout", "click"]) article.addEventListener(kind, show);
}
for (const button of document.querySelectorAll("button.pause")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const isPaused = button.parentElement.classList.toggle("paused");
    button.textContent = isPaused ? "Play" : "Pause";
  });
}
for (const link of document.querySelectorAll('a[href^="#code-"]')) {
  link.addEventListener("click", () => { document.getElementById("codes").open = true; });
}
for (const link of document.querySelectorAll('a[href^="#measure-"]')) {
  link.addEventListener("click", () => {
    const box = document.querySelector(link.getAttribute("href")).closest("details");
    if (box) box.open = true;
  });
}
